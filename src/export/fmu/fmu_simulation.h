/* ---- Clocks: there are none. */

#define NO_CLOCKS(CALL, ...)                                                                       \
    FMI3_Export fmi3Status CALL(fmi3Instance instance, const fmi3ValueReference references[],      \
                                size_t count, __VA_ARGS__)                                         \
    {                                                                                              \
        MAY(ALL, #CALL);                                                                           \
        (void)references;                                                                          \
        return no_variables(own, count, #CALL);                                                    \
    }
NO_CLOCKS(fmi3GetIntervalDecimal, fmi3Float64 a[], fmi3IntervalQualifier b[])
NO_CLOCKS(fmi3GetIntervalFraction, fmi3UInt64 a[], fmi3UInt64 b[], fmi3IntervalQualifier c[])
NO_CLOCKS(fmi3GetShiftDecimal, fmi3Float64 a[])
NO_CLOCKS(fmi3GetShiftFraction, fmi3UInt64 a[], fmi3UInt64 b[])
NO_CLOCKS(fmi3SetIntervalDecimal, const fmi3Float64 a[])
NO_CLOCKS(fmi3SetIntervalFraction, const fmi3UInt64 a[], const fmi3UInt64 b[])
NO_CLOCKS(fmi3SetShiftDecimal, const fmi3Float64 a[])
NO_CLOCKS(fmi3SetShiftFraction, const fmi3UInt64 a[], const fmi3UInt64 b[])

FMI3_Export fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference clock,
                                                  fmi3Float64 time)
{
    MAY(0, "fmi3ActivateModelPartition");
    (void)clock, (void)time;
    return fmi3Error;
}

/* ---- Events. */

FMI3_Export fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance)
{
    MAY(INITIALIZING | EVENTS, "fmi3EvaluateDiscreteStates");
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *need_update,
                                                fmi3Boolean *terminate,
                                                fmi3Boolean *nominals_changed,
                                                fmi3Boolean *states_changed,
                                                fmi3Boolean *next_defined, fmi3Float64 *next)
{
    MAY(EVENTS, "fmi3UpdateDiscreteStates");
    HAS(need_update && terminate && nominals_changed && states_changed && next_defined && next,
        "fmi3UpdateDiscreteStates");
    model_state before = own->now.y;
    if (project(&own->now) == HUGE_VAL) {
        say(own, fmi3Error, "at t = %.9g the conditions cannot be kept", own->now.t);
        return broken(own);
    }
    if (!settle(own))
        return broken(own);
    *need_update = *nominals_changed = false;
    *terminate = own->now.stopped != 0;
    *states_changed = memcmp(before.at, own->now.y.at, sizeof before.at) != 0;
    *next = next_impulse(&own->now);
    if (next_knot(&own->now) < *next)
        *next = next_knot(&own->now);
    *next_defined = *next < HUGE_VAL;
    return fmi3OK;
}

/* ---- Model exchange. */

FMI3_Export fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean no_return,
                                                   fmi3Boolean *event, fmi3Boolean *terminate)
{
    MAY(CONTINUOUS, "fmi3CompletedIntegratorStep");
    HAS(event && terminate, "fmi3CompletedIntegratorStep");
    Kept copy = own->now;
    (void)no_return;
    /* What has drifted is moved back in event mode. */
    *event = project(&copy) > 10 * own->now.noise;
    *terminate = own->now.stopped != 0;
    return step_taken(own) ? fmi3OK : broken(own);
}

FMI3_Export fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time)
{
    MAY(CONTINUOUS | EVENTS, "fmi3SetTime");
    if (!is_finite(time))
        return say(own, fmi3Error, "fmi3SetTime: the time is not finite");
    own->now.t = time;
    own->fresh = 0;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 states[],
                                               size_t count)
{
    MAY(CONTINUOUS, "fmi3SetContinuousStates");
    HAS(states || count == 0, "fmi3SetContinuousStates");
    if (count != STATES)
        return say(own, fmi3Error, "there are %d states", (int)STATES);
    for (size_t i = 0; i < count; i++)
        if (!is_finite(states[i]))
            return say(own, fmi3Discard, "fmi3SetContinuousStates: a state is not finite");
    memcpy(own->now.y.at, states, sizeof(double) * STATES);
    own->fresh = 0;
    return fmi3OK;
}

static fmi3Status give(Instance *own, int first, size_t length, fmi3Float64 *values, size_t count)
{
    if (count != length)
        return say(own, fmi3Error, "%zu numbers are wanted where there are %zu", count, length);
    const double *all = values_now(own);
    for (size_t i = 0; i < count; i++) {
        values[i] = all[first + (int)i];
        if (!is_finite(values[i]))
            return say(own, fmi3Discard, "at t = %.9g a value is not finite", own->now.t);
    }
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance,
                                                         fmi3Float64 derivatives[], size_t count)
{
    MAY(INITIALIZING | EVENTS | CONTINUOUS | TERMINATED, "fmi3GetContinuousStateDerivatives");
    HAS(derivatives || count == 0, "fmi3GetContinuousStateDerivatives");
    return give(own, AT_VELOCITIES, STATES, derivatives, count);
}

FMI3_Export fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 indicators[],
                                              size_t count)
{
    MAY(INITIALIZING | EVENTS | CONTINUOUS | TERMINATED, "fmi3GetEventIndicators");
    HAS(indicators || count == 0, "fmi3GetEventIndicators");
    return give(own, AT_INDICATORS, INDICATORS, indicators, count);
}

FMI3_Export fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 states[],
                                               size_t count)
{
    MAY(INITIALIZING | EVENTS | CONTINUOUS | TERMINATED, "fmi3GetContinuousStates");
    HAS(states || count == 0, "fmi3GetContinuousStates");
    return give(own, AT_STATES, STATES, states, count);
}

FMI3_Export fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance,
                                                         fmi3Float64 nominals[], size_t count)
{
    MAY(INITIALIZING | EVENTS | CONTINUOUS | TERMINATED, "fmi3GetNominalsOfContinuousStates");
    HAS(nominals || count == 0, "fmi3GetNominalsOfContinuousStates");
    if (count != STATES)
        return say(own, fmi3Error, "there are %d states", (int)STATES);
    for (size_t i = 0; i < count; i++)
        nominals[i] = 1;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *count)
{
    MAY(ALL, "fmi3GetNumberOfEventIndicators");
    HAS(count, "fmi3GetNumberOfEventIndicators");
    *count = INDICATORS;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *count)
{
    MAY(ALL, "fmi3GetNumberOfContinuousStates");
    HAS(count, "fmi3GetNumberOfContinuousStates");
    *count = STATES;
    return fmi3OK;
}

/* ---- Co-simulation. */

FMI3_Export fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance,
                                                const fmi3ValueReference references[], size_t count,
                                                const fmi3Int32 orders[], fmi3Float64 values[],
                                                size_t value_count)
{
    MAY(STEPPING | TERMINATED, "fmi3GetOutputDerivatives");
    (void)references, (void)count, (void)orders, (void)values, (void)value_count;
    return say(own, fmi3Error, "derivatives of outputs are not given");
}

FMI3_Export fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 from, fmi3Float64 length,
                                  fmi3Boolean no_return, fmi3Boolean *event_needed,
                                  fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *reached)
{
    MAY(STEPPING, "fmi3DoStep");
    HAS(event_needed && terminate && early && reached, "fmi3DoStep");
    (void)no_return;
    *event_needed = *terminate = *early = false;
    *reached = own->now.t;
    if (own->now.stopped) {
        *terminate = true;
        return say(own, fmi3Error, "fmi3DoStep: an event has ended the motion at t = %.9g",
                   own->now.t);
    }
    if (!(length >= 0) || !is_finite(length))
        return say(own, fmi3Error, "fmi3DoStep: a step has a finite length of at least 0");
    if (!(fabs(from - own->now.t) <= 1e-9 * (1 + fabs(from))))
        return say(own, fmi3Error, "fmi3DoStep: the state is at t = %.17g, and not at %.17g",
                   own->now.t, from);
    int done = advance(own, from + length);
    *reached = own->now.t;
    *terminate = own->now.stopped != 0;
    return done ? fmi3OK : broken(own);
}
