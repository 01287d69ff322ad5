/* ---- FMI's functions. */

enum {
    INSTANTIATED = 1,
    INITIALIZING = 2,
    EVENTS = 4,
    CONTINUOUS = 8,
    STEPPING = 16,
    TERMINATED = 32,
    BROKEN = 64,
    SETTING = INSTANTIATED | INITIALIZING | EVENTS | STEPPING,
    ALL = SETTING | CONTINUOUS | TERMINATED
};

static int may(Instance *instance, int phases, const char *call)
{
    if (instance && instance->now.phase & phases)
        return 1;
    if (instance)
        say(instance, fmi3Error, "%s cannot be called in this state", call);
    return 0;
}

#define MAY(phases, call)                                                                          \
    Instance *own = instance;                                                                      \
    if (!may(own, phases, call))                                                                   \
    return fmi3Error

/* Behind MAY: a host that leaves out what it must give is told so. */
#define HAS(pointer, call)                                                                         \
    if (!(pointer))                                                                                \
    return say(own, fmi3Error, "%s: an argument is missing", call)

static int is_finite(double value)
{
    return fabs(value) < HUGE_VAL;
}

static fmi3Status broken(Instance *instance)
{
    instance->now.phase = BROKEN;
    return fmi3Error;
}

static void begin(Instance *instance)
{
    memset(&instance->now, 0, sizeof instance->now);
    model_defaults(&instance->now.p);
    model_start(&instance->now.y);
    instance->now.step = MODEL_EVERY;
    instance->now.phase = INSTANTIATED;
    instance->fresh = 0;
}

FMI3_Export const char *fmi3GetVersion(void)
{
    return "3.0";
}

FMI3_Export fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t count,
                                           const fmi3String categories[])
{
    MAY(ALL, "fmi3SetDebugLogging");
    (void)count, (void)categories;
    own->logging = on;
    return fmi3OK;
}

static Instance *instantiate(fmi3String name, fmi3String token, fmi3InstanceEnvironment environment,
                             fmi3LogMessageCallback log, int co_simulation)
{
    Instance *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    own->log = log;
    own->environment = environment;
    own->co_simulation = co_simulation;
    if (!token || strcmp(token, MODEL_TOKEN) != 0) {
        say(own, fmi3Error, "the instantiation token of '%s' is that of another model",
            name ? name : "");
        free(own);
        return NULL;
    }
    begin(own);
    return own;
}

FMI3_Export fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token,
                                                      fmi3String resources, fmi3Boolean visible,
                                                      fmi3Boolean logging,
                                                      fmi3InstanceEnvironment environment,
                                                      fmi3LogMessageCallback log)
{
    (void)resources, (void)visible, (void)logging;
    return instantiate(name, token, environment, log, 0);
}

FMI3_Export fmi3Instance
fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                            fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                            fmi3Boolean early_return, const fmi3ValueReference intermediate[],
                            size_t intermediate_count, fmi3InstanceEnvironment environment,
                            fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    (void)resources, (void)visible, (void)logging, (void)early_return, (void)intermediate;
    (void)intermediate_count, (void)update, (void)event_mode;
    return instantiate(name, token, environment, log, 1);
}

FMI3_Export fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment;
    (void)log, (void)update, (void)lock, (void)unlock;
    return NULL;
}

FMI3_Export void fmi3FreeInstance(fmi3Instance instance)
{
    free(instance);
}

/* ---- Phases. */

FMI3_Export fmi3Status fmi3EnterInitializationMode(fmi3Instance instance,
                                                   fmi3Boolean tolerance_defined,
                                                   fmi3Float64 tolerance, fmi3Float64 start,
                                                   fmi3Boolean stop_defined, fmi3Float64 stop)
{
    MAY(INSTANTIATED, "fmi3EnterInitializationMode");
    (void)stop_defined, (void)stop;
    if (!is_finite(start) || (tolerance_defined && !(is_finite(tolerance) && tolerance > 0)))
        return say(own, fmi3Error, "the start is at a finite time, and a tolerance is above 0");
    own->now.noise = own->co_simulation ? 0 : 10 * (tolerance_defined ? tolerance : 1e-9);
    own->now.t = own->now.impulses_until = start;
    own->now.struck = -HUGE_VAL;
    own->now.phase = INITIALIZING;
    own->fresh = 0;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    MAY(INITIALIZING, "fmi3ExitInitializationMode");
    take_inputs(&own->now);
    if (project(&own->now) == HUGE_VAL) {
        say(own, fmi3Error, "the start cannot be moved onto the conditions");
        return broken(own);
    }
    if (!settle(own))
        return broken(own);
    own->now.phase = own->co_simulation ? STEPPING : EVENTS;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    MAY(CONTINUOUS | STEPPING, "fmi3EnterEventMode");
    own->now.phase = EVENTS;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3Terminate(fmi3Instance instance)
{
    MAY(EVENTS | CONTINUOUS | STEPPING, "fmi3Terminate");
    own->now.phase = TERMINATED;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3Reset(fmi3Instance instance)
{
    MAY(ALL | BROKEN, "fmi3Reset");
    begin(own);
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance)
{
    MAY(0, "fmi3EnterConfigurationMode");
    return fmi3Error;
}

FMI3_Export fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance)
{
    MAY(0, "fmi3ExitConfigurationMode");
    return fmi3Error;
}

FMI3_Export fmi3Status fmi3EnterStepMode(fmi3Instance instance)
{
    MAY(EVENTS, "fmi3EnterStepMode");
    own->now.phase = STEPPING;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance)
{
    MAY(EVENTS, "fmi3EnterContinuousTimeMode");
    own->now.phase = CONTINUOUS;
    return fmi3OK;
}

/* ---- Values. */

static const double *values_now(Instance *own)
{
    Instant in;
    if (!own->fresh)
        find_values(&own->now, &in, own->values);
    own->fresh = 1;
    return own->values;
}

FMI3_Export fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                                      size_t count, fmi3Float64 values[], size_t value_count)
{
    MAY(ALL, "fmi3GetFloat64");
    HAS((references && values) || count == 0, "fmi3GetFloat64");
    if (count != value_count)
        return say(own, fmi3Error, "fmi3GetFloat64: every variable is one number");
    const double *all = values_now(own);
    fmi3Status status = fmi3OK;
    for (size_t i = 0; i < count; i++) {
        if (references[i] >= VALUES)
            return say(own, fmi3Error, "there is no variable %u", (unsigned)references[i]);
        values[i] = all[references[i]];
        if (!is_finite(values[i]) && own->now.phase & ~INSTANTIATED && status == fmi3OK)
            status = say(own, fmi3Warning, "at t = %.9g variable %u is not finite", own->now.t,
                         (unsigned)references[i]);
    }
    return status;
}

static fmi3Status set_value(Instance *own, fmi3ValueReference at, double value)
{
    int start = (own->now.phase & (INSTANTIATED | INITIALIZING)) != 0;
    if (!is_finite(value))
        return say(own, fmi3Error, "variable %u is set to what is not finite", (unsigned)at);
    if (at >= AT_PARAMETERS && at < AT_STATES && model_settable[at - AT_PARAMETERS] &&
        (start || model_settable[at - AT_PARAMETERS] != 3)) {
        int input = model_settable[at - AT_PARAMETERS] == 2;
        if (!input && own->now.phase == CONTINUOUS)
            return say(own, fmi3Error, "parameters are set in event mode");
        *model_parameter(&own->now.p, (int)(at - AT_PARAMETERS)) = value;
        own->now.given[at - AT_PARAMETERS] = 1;
        return fmi3OK;
    }
    if (at >= AT_STATES && at < AT_VELOCITIES && start) {
        own->now.y.at[at - AT_STATES] = value;
        return fmi3OK;
    }
    return say(own, fmi3Error, "variable %u cannot be set now", (unsigned)at);
}

FMI3_Export fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference references[],
                                      size_t count, const fmi3Float64 values[], size_t value_count)
{
    MAY(SETTING | CONTINUOUS, "fmi3SetFloat64");
    HAS((references && values) || count == 0, "fmi3SetFloat64");
    fmi3Status status = fmi3OK;
    if (count != value_count)
        return say(own, fmi3Error, "fmi3SetFloat64: every variable is one number");
    for (size_t i = 0; i < count && status == fmi3OK; i++)
        status = set_value(own, references[i], values[i]);
    model_follow(&own->now.p);
    own->now.changed = 1;
    own->fresh = 0;
    return status;
}

/* All variables are numbers of 64 bits. */
static fmi3Status no_variables(Instance *own, size_t count, const char *call)
{
    return count == 0 ? fmi3OK : say(own, fmi3Error, "%s: there is no variable of this type", call);
}

#define NO_VARIABLES(TYPE)                                                                         \
    FMI3_Export fmi3Status fmi3Get##TYPE(fmi3Instance instance,                                    \
                                         const fmi3ValueReference references[], size_t count,      \
                                         fmi3##TYPE values[], size_t value_count)                  \
    {                                                                                              \
        MAY(ALL, "fmi3Get" #TYPE);                                                                 \
        (void)references, (void)values, (void)value_count;                                         \
        return no_variables(own, count, "fmi3Get" #TYPE);                                          \
    }                                                                                              \
    FMI3_Export fmi3Status fmi3Set##TYPE(fmi3Instance instance,                                    \
                                         const fmi3ValueReference references[], size_t count,      \
                                         const fmi3##TYPE values[], size_t value_count)            \
    {                                                                                              \
        MAY(ALL, "fmi3Set" #TYPE);                                                                 \
        (void)references, (void)values, (void)value_count;                                         \
        return no_variables(own, count, "fmi3Set" #TYPE);                                          \
    }
NO_VARIABLES(Float32)
NO_VARIABLES(Int8)
NO_VARIABLES(UInt8)
NO_VARIABLES(Int16)
NO_VARIABLES(UInt16)
NO_VARIABLES(Int32)
NO_VARIABLES(UInt32)
NO_VARIABLES(Int64)
NO_VARIABLES(UInt64)
NO_VARIABLES(Boolean)
NO_VARIABLES(String)

FMI3_Export fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference references[],
                                     size_t count, size_t sizes[], fmi3Binary values[],
                                     size_t value_count)
{
    MAY(ALL, "fmi3GetBinary");
    (void)references, (void)sizes, (void)values, (void)value_count;
    return no_variables(own, count, "fmi3GetBinary");
}

FMI3_Export fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference references[],
                                     size_t count, const size_t sizes[], const fmi3Binary values[],
                                     size_t value_count)
{
    MAY(ALL, "fmi3SetBinary");
    (void)references, (void)sizes, (void)values, (void)value_count;
    return no_variables(own, count, "fmi3SetBinary");
}

FMI3_Export fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference references[],
                                    size_t count, fmi3Clock values[])
{
    MAY(ALL, "fmi3GetClock");
    (void)references, (void)values;
    return no_variables(own, count, "fmi3GetClock");
}

FMI3_Export fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference references[],
                                    size_t count, const fmi3Clock values[])
{
    MAY(ALL, "fmi3SetClock");
    (void)references, (void)values;
    return no_variables(own, count, "fmi3SetClock");
}

FMI3_Export fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance,
                                                           fmi3ValueReference reference,
                                                           size_t *count)
{
    MAY(0, "fmi3GetNumberOfVariableDependencies");
    (void)reference, (void)count;
    return fmi3Error;
}

FMI3_Export fmi3Status fmi3GetVariableDependencies(fmi3Instance instance,
                                                   fmi3ValueReference reference,
                                                   size_t dependent_elements[],
                                                   fmi3ValueReference independents[],
                                                   size_t independent_elements[],
                                                   fmi3DependencyKind kinds[], size_t count)
{
    MAY(0, "fmi3GetVariableDependencies");
    (void)reference, (void)dependent_elements, (void)independents, (void)independent_elements;
    (void)kinds, (void)count;
    return fmi3Error;
}

/* ---- A state that is saved. */

FMI3_Export fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *state)
{
    MAY(ALL, "fmi3GetFMUState");
    HAS(state, "fmi3GetFMUState");
    if (!*state)
        *state = malloc(sizeof(Kept));
    if (!*state)
        return say(own, fmi3Error, "no memory for a saved state");
    memcpy(*state, &own->now, sizeof(Kept));
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state)
{
    MAY(ALL | BROKEN, "fmi3SetFMUState");
    if (!state)
        return say(own, fmi3Error, "fmi3SetFMUState: there is no state");
    memcpy(&own->now, state, sizeof(Kept));
    own->fresh = 0;
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *state)
{
    (void)instance;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi3OK;
}

/* Behind the token. */
FMI3_Export fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state,
                                                  size_t *size)
{
    MAY(ALL, "fmi3SerializedFMUStateSize");
    HAS(size, "fmi3SerializedFMUStateSize");
    (void)state;
    *size = sizeof MODEL_TOKEN + sizeof(Kept);
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state,
                                             fmi3Byte bytes[], size_t size)
{
    MAY(ALL, "fmi3SerializeFMUState");
    HAS(bytes, "fmi3SerializeFMUState");
    if (!state || size < sizeof MODEL_TOKEN + sizeof(Kept))
        return say(own, fmi3Error, "fmi3SerializeFMUState: there is no state, or too little room");
    memcpy(bytes, MODEL_TOKEN, sizeof MODEL_TOKEN);
    memcpy(bytes + sizeof MODEL_TOKEN, state, sizeof(Kept));
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[],
                                               size_t size, fmi3FMUState *state)
{
    MAY(ALL, "fmi3DeserializeFMUState");
    HAS(bytes && state, "fmi3DeserializeFMUState");
    if (size != sizeof MODEL_TOKEN + sizeof(Kept) ||
        memcmp(bytes, MODEL_TOKEN, sizeof MODEL_TOKEN) != 0)
        return say(own, fmi3Error, "fmi3DeserializeFMUState: this is no state of this model");
    if (!*state)
        *state = malloc(sizeof(Kept));
    if (!*state)
        return say(own, fmi3Error, "no memory for a saved state");
    memcpy(*state, bytes + sizeof MODEL_TOKEN, sizeof(Kept));
    return fmi3OK;
}

/* ---- Derivatives. */

/* A state's or an input's part of a direction; 0 where it is neither. */
static int set_direction(Kept *now, model_state *direction, fmi3ValueReference known, double part)
{
    if (known >= AT_STATES && known < AT_VELOCITIES) {
        direction->at[known - AT_STATES] += part;
        return 1;
    }
    (void)now;
#if MODEL_INPUTS
    for (int i = 0; i < MODEL_INPUTS; i++)
        if (known == (fmi3ValueReference)(AT_PARAMETERS + model_input_places[i])) {
            now->p.along[i] += part;
            return 1;
        }
#endif
    return 0;
}

static fmi3Status changes_along(Instance *own, const fmi3ValueReference *knowns, size_t count,
                                const double *seed, double *changes)
{
    Kept now = own->now;
    Instant in;
    model_state direction;
    double values[VALUES];
    memset(&direction, 0, sizeof direction);
#if MODEL_INPUTS
    memset(&now.p.along, 0, sizeof now.p.along);
#endif
    for (size_t i = 0; i < count; i++)
        if (!set_direction(&now, &direction, knowns[i], seed[i]))
            return say(own, fmi3Error, "derivatives by variable %u: it is no state and no input",
                       (unsigned)knowns[i]);
    find_values(&now, &in, values);
    find_changes(&now, &in, &direction, changes);
    return fmi3OK;
}

FMI3_Export fmi3Status fmi3GetDirectionalDerivative(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t unknown_count,
    const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
    size_t seed_count, fmi3Float64 sensitivity[], size_t sensitivity_count)
{
    MAY(ALL & ~INSTANTIATED, "fmi3GetDirectionalDerivative");
    HAS((unknowns && sensitivity) || unknown_count == 0, "fmi3GetDirectionalDerivative");
    HAS((knowns && seed) || known_count == 0, "fmi3GetDirectionalDerivative");
    double changes[VALUES];
    if (seed_count != known_count || sensitivity_count != unknown_count)
        return say(own, fmi3Error, "fmi3GetDirectionalDerivative: every variable is one number");
    fmi3Status status = changes_along(own, knowns, known_count, seed, changes);
    for (size_t i = 0; i < unknown_count && status == fmi3OK; i++) {
        if (unknowns[i] >= VALUES)
            return say(own, fmi3Error, "there is no variable %u", (unsigned)unknowns[i]);
        sensitivity[i] = changes[unknowns[i]];
    }
    return status;
}

FMI3_Export fmi3Status fmi3GetAdjointDerivative(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t unknown_count,
    const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[],
    size_t seed_count, fmi3Float64 sensitivity[], size_t sensitivity_count)
{
    MAY(ALL & ~INSTANTIATED, "fmi3GetAdjointDerivative");
    HAS((unknowns && seed) || unknown_count == 0, "fmi3GetAdjointDerivative");
    HAS((knowns && sensitivity) || known_count == 0, "fmi3GetAdjointDerivative");
    double changes[VALUES], one = 1;
    if (seed_count != unknown_count || sensitivity_count != known_count)
        return say(own, fmi3Error, "fmi3GetAdjointDerivative: every variable is one number");
    for (size_t j = 0; j < known_count; j++) {
        fmi3Status status = changes_along(own, knowns + j, 1, &one, changes);
        if (status != fmi3OK)
            return status;
        sensitivity[j] = 0;
        for (size_t i = 0; i < unknown_count; i++) {
            if (unknowns[i] >= VALUES)
                return say(own, fmi3Error, "there is no variable %u", (unsigned)unknowns[i]);
            sensitivity[j] += seed[i] * changes[unknowns[i]];
        }
    }
    return fmi3OK;
}
