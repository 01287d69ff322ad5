/* ---- Events of the model: what fires them, and what they do. */

#if MODEL_EVENTS
static void find_triggers(const Kept *now, double *trigger)
{
    Instant in;
    double values[VALUES];
    find_values(now, &in, values);
    memcpy(trigger, values + AT_TRIGGERS, sizeof(double) * MODEL_EVENTS);
}

/* So far from 0 a function is at it. */
static double near_trigger(const Kept *now, int i)
{
    return (1e-13 + now->noise) * now->size[i] + DBL_MIN;
}

/* On which side of 0 it is; where it is at 0 that stays open. */
static void note_trigger(Kept *now, int i, double value)
{
    if (!(fabs(value) < HUGE_VAL) || model_event_table[i][EVENT_TRIGGER] >= ON_IMPACT)
        return;
    if (fabs(value) > now->size[i])
        now->size[i] = fabs(value);
    now->sign[i] = (signed char)((value > near_trigger(now, i)) - (value < -near_trigger(now, i)));
}

/* Whether an event fires where its function comes from the side `sign` to a value. */
static int fires(const Kept *now, int i, double value)
{
    const int *event = model_event_table[i];
    int sign = now->sign[i], near = fabs(value) <= near_trigger(now, i);
    if (event[EVENT_TRIGGER] >= ON_IMPACT || sign == 0)
        return 0;
    if (event[EVENT_TRIGGER] == ON_TRUE)
        return sign < 0 && (value >= 0 || near);
    return (value * sign < 0 || near) &&
           (event[EVENT_DIRECTION] == 0 || event[EVENT_DIRECTION] == -sign);
}

/* Those that fire by where the motion has come to, or been set to. */
static void take_triggers(Kept *now)
{
    double trigger[MODEL_EVENTS];
    find_triggers(now, trigger);
    for (int i = 0; i < MODEL_EVENTS; i++) {
        int fired = now->started && fires(now, i, trigger[i]);
        now->due[i] = now->due[i] || fired;
        note_trigger(now, i, trigger[i]);
        if (fired && model_event_table[i][EVENT_TRIGGER] != ON_TRUE)
            now->sign[i] = 0;
    }
}

/* ---- What is set: the rows of the conditions, of what is set and of the speeds are made
   orthonormal one after the other; each brings what the velocities are along it. Speeds keep their
   values unless the others determine them. */

enum { ROW_SIZE = MODEL_COORDINATES + 1, ALL_ROWS = MODEL_VELOCITY_ROWS + MODEL_OWN_SPEEDS };

typedef struct {
    int count;
    double row[MODEL_COORDINATES * MODEL_COORDINATES], value[MODEL_COORDINATES];
} VelocityRows;

static double length_of(const double *row)
{
    double length = 0;
    for (int j = 0; j < MODEL_COORDINATES; j++)
        length = hypot(length, row[j]);
    return length;
}

/* Takes from a row what the first `count` tell; returns what is left, as a part of its length. */
static double reduce_row(const VelocityRows *rows, int count, double *row, double *right)
{
    enum { N = MODEL_COORDINATES };
    double length = length_of(row);
    for (int pass = 0; pass < 2; pass++)
        for (int r = 0; r < count; r++) {
            double along = 0;
            for (int j = 0; j < N; j++)
                along += row[j] * rows->row[r * N + j];
            *right -= along * rows->value[r];
            for (int j = 0; j < N; j++)
                row[j] -= along * rows->row[r * N + j];
        }
    return length > 0 ? length_of(row) / length : 0;
}

/* 0 where it depends on those before it; `miss` is then by how much it differs from them. */
static int add_row(VelocityRows *rows, const double *given, double right, double *miss)
{
    enum { N = MODEL_COORDINATES };
    double row[N];
    memcpy(row, given, sizeof row);
    double part = reduce_row(rows, rows->count, row, &right), length = length_of(row);
    *miss = fabs(right);
    if (!(part > 1e-10) || rows->count == N)
        return 0;
    for (int j = 0; j < N; j++)
        rows->row[rows->count * N + j] = row[j] / length;
    rows->value[rows->count++] = right / length;
    return 1;
}

static void velocity_rows(const Kept *now, double *rows, model_state *rate)
{
    model_derivative(&now->p, now->t, &now->y, rate);
    model_velocity_rows(&now->p, now->t, now->y.at, rate->at, rows);
}

/* row v and what is beside it */
static double along_row(const double *row, const double *v)
{
    double sum = row[MODEL_COORDINATES];
    for (int j = 0; j < MODEL_COORDINATES; j++)
        sum += row[j] * v[j];
    return sum;
}

/* The speeds of the motion. */
static void own_speeds(const Kept *now, double *speeds)
{
    double rows[ALL_ROWS * ROW_SIZE + 1];
    model_state rate;
    velocity_rows(now, rows, &rate);
    for (int i = 0; i < MODEL_OWN_SPEEDS; i++)
        speeds[i] = along_row(rows + (MODEL_VELOCITY_ROWS + i) * ROW_SIZE, rate.at);
}

/* The velocities after an action, the coordinates being set; 0 where they contradict each other or
   are not determined. */
static int set_velocities(Kept *now, const int *action, const double *out, const Instant *in,
                          const double *speeds)
{
    enum { N = MODEL_COORDINATES };
    double all[ALL_ROWS * ROW_SIZE + 1], v[N] = {0}, size = DBL_MIN, miss, told[MODEL_ACTIONS + 1];
    VelocityRows rows;
    model_state rate;
    rows.count = 0;
    velocity_rows(now, all, &rate);
    /* what speeds are where the coordinates are now */
    model_actions(&now->p, now->t, now->y.at, rate.at, in->acceleration, in->multiplier, told);
    for (int j = 0; j < N; j++)
        size = fmax(size, fabs(rate.at[j]));
    for (int i = 0; i < MODEL_VELOCITY_ROWS; i++)
        add_row(&rows, all + i * ROW_SIZE, -all[i * ROW_SIZE + N], &miss);
#if MODEL_SIDES > MODEL_ONE_SIDED
    double side[SIDE_VALUES + 1];
    model_sides(&now->p, now->t, now->y.at, rate.at, side);
    size = fmax(size, now->fastest); /* at rest roundings alone are left */
    for (int l = MODEL_ONE_SIDED; l < MODEL_SIDES; l++) {
        const double *own = side + l * SIDE_SIZE;
        double right = -own[SIDE_RATE];
        for (int j = 0; j < N; j++)
            right += own[SIDE_GRADIENT + j] * rate.at[j];
        if (now->modes.held[l])
            add_row(&rows, own + SIDE_GRADIENT, right, &miss);
    }
#endif
    for (int s = 0; s < action[ACTION_SETS]; s++) {
        const int *set = model_set_table[action[ACTION_FIRST] + s];
        const double *given = told + set[SET_OUTPUT];
        double value = out[set[SET_OUTPUT]];
        if (set[SET_OF] != SET_VELOCITY && set[SET_OF] != SET_SPEED)
            continue;
        size = fmax(size, fabs(value));
        if (!add_row(&rows, given + 1, value - given[1 + N], &miss) && !(miss <= 1e-9 * size))
            return 0;
    }
    int given = rows.count;
    for (int i = 0; i < MODEL_OWN_SPEEDS; i++) {
        const double *row = all + (MODEL_VELOCITY_ROWS + i) * ROW_SIZE;
        double kept[N], along = 0, right = speeds[i] - row[N];
        memcpy(kept, row, sizeof kept);
        if (reduce_row(&rows, given, kept, &along) > 1e-10 && !add_row(&rows, row, right, &miss) &&
            miss > 1e-9 * size)
            return 0;
    }
    if (rows.count < N)
        return 0;
    for (int r = 0; r < N; r++)
        for (int j = 0; j < N; j++)
            v[j] += rows.value[r] * rows.row[r * N + j];
    for (int j = 0; j < MODEL_SPEEDS; j++)
        now->y.at[N + j] = MODEL_ALL_VELOCITIES
                               ? v[j % N]
                               : along_row(all + (MODEL_VELOCITY_ROWS + j) * ROW_SIZE, v);
    return 1;
}

static int refuse_reset(const Instance *instance, int event, const char *why)
{
    return say(instance, fmi3Error, "at t = %.9g the reset of '%s' %s", instance->now.t,
               model_event_names[event], why),
           0;
}

static int assign(Instance *instance, const int *action, const double *out, const Instant *in)
{
    Kept *now = &instance->now;
    double speeds[MODEL_OWN_SPEEDS + 1];
    own_speeds(now, speeds);
    for (int s = 0; s < action[ACTION_SETS]; s++) {
        const int *set = model_set_table[action[ACTION_FIRST] + s];
        double value = out[set[SET_OUTPUT]];
        if (!(fabs(value) < HUGE_VAL))
            return refuse_reset(instance, action[ACTION_EVENT], "gives no finite value");
        if (set[SET_OF] == SET_COORDINATE)
            now->y.at[set[SET_TARGET]] = value;
        if (set[SET_OF] == SET_STATE)
            *model_parameter(&now->p, set[SET_TARGET]) = value;
    }
    model_follow(&now->p);
    model_prepare(&now->p);
#if MODEL_DRIFTS
    model_state before = now->y;
    double moved = 0, size = 0;
    int done = model_project(&now->p, now->t, &now->y);
    for (int i = 0; i < MODEL_COORDINATES; i++) {
        moved = fmax(moved, fabs(now->y.at[i] - before.at[i]));
        size = fmax(size, fabs(before.at[i]));
    }
    if (!done || !(moved <= 1e-9 * (size > 0 ? size : 1)))
        return refuse_reset(instance, action[ACTION_EVENT],
                            "contradicts the conditions: set the other coordinates in them too");
#endif
    if (!set_velocities(now, action, out, in, speeds))
        return refuse_reset(instance, action[ACTION_EVENT],
                            "contradicts the conditions, or does not say which speeds keep their "
                            "values");
    return 1;
}

#if MODEL_SAMPLES
/* The first instants of samples at or behind the start. */
static void start_samples(Kept *now)
{
    double times[SAMPLE_TIMES * MODEL_EVENTS];
    model_sample_times(&now->p, times);
    for (int i = 0; i < MODEL_EVENTS; i++) {
        const double *own = times + SAMPLE_TIMES * i;
        if (model_event_table[i][EVENT_TRIGGER] == ON_SAMPLE)
            now->sampled[i] = fmax(0, ceil((now->t - own[FROM]) / own[PERIOD] - 1e-9));
    }
}

/* Samples whose instants have come are due. */
static void take_samples(Kept *now)
{
    double times[SAMPLE_TIMES * MODEL_EVENTS];
    model_sample_times(&now->p, times);
    for (int i = 0; i < MODEL_EVENTS; i++) {
        const double *own = times + SAMPLE_TIMES * i;
        if (model_event_table[i][EVENT_TRIGGER] != ON_SAMPLE || next_sample(now, i, own) > now->t)
            continue;
        now->due[i] = now->waits[i] ? IN_ANY_CASE : 1;
        now->computes[i] = own[DELAY] > 0 && !now->waits[i];
        now->sampled[i] += !now->waits[i];
        now->waits[i] = 0;
    }
}

/* One `set` after the other, as if each were done. */
static void compute(Kept *now, int event)
{
    Kept later = *now;
    for (int k = 0; model_action_table[k][ACTION_EVENT] >= 0; k++) {
        const int *action = model_action_table[k];
        double out[MODEL_ACTIONS + 1], values[VALUES];
        Instant in;
        if (action[ACTION_EVENT] != event || action[ACTION_KIND] != ACTION_SET)
            continue;
        find_values(&later, &in, values);
        model_actions(&later.p, later.t, later.y.at, in.rate.at, in.acceleration, in.multiplier,
                      out);
        for (int s = 0; s < action[ACTION_SETS]; s++) {
            const int *set = model_set_table[action[ACTION_FIRST] + s];
            now->held[set[SET_OUTPUT]] = out[set[SET_OUTPUT]];
            if (set[SET_OF] == SET_STATE)
                *model_parameter(&later.p, set[SET_TARGET]) = out[set[SET_OUTPUT]];
            if (set[SET_OF] == SET_COORDINATE)
                later.y.at[set[SET_TARGET]] = out[set[SET_OUTPUT]];
        }
        model_follow(&later.p);
        model_prepare(&later.p);
    }
    now->waits[event] = 1;
}

/* What was computed before takes the place of what would be now. */
static void take_held(const Kept *now, const int *action, double *out)
{
    double times[SAMPLE_TIMES * MODEL_EVENTS];
    model_sample_times(&now->p, times);
    if (!(times[SAMPLE_TIMES * action[ACTION_EVENT] + DELAY] > 0))
        return;
    for (int s = 0; s < action[ACTION_SETS]; s++) {
        int at = model_set_table[action[ACTION_FIRST] + s][SET_OUTPUT];
        out[at] = now->held[at];
    }
}
#endif

static int perform(Instance *instance, int event)
{
    Kept *now = &instance->now;
#if MODEL_SAMPLES
    if (model_event_table[event][EVENT_TRIGGER] == ON_SAMPLE && now->computes[event]) {
        now->computes[event] = 0;
        compute(now, event);
        return 1;
    }
#endif
    for (int k = 0; model_action_table[k][ACTION_EVENT] >= 0; k++) {
        const int *action = model_action_table[k];
        double out[MODEL_ACTIONS + 1], values[VALUES];
        Instant in;
        if (action[ACTION_EVENT] != event)
            continue;
        find_values(now, &in, values);
        model_actions(&now->p, now->t, now->y.at, in.rate.at, in.acceleration, in.multiplier, out);
#if MODEL_SAMPLES
        if (model_event_table[event][EVENT_TRIGGER] == ON_SAMPLE)
            take_held(now, action, out);
#endif
        if (action[ACTION_KIND] == ACTION_SET && !assign(instance, action, out, &in))
            return 0;
#if MODEL_BLOWS
        if (action[ACTION_KIND] == ACTION_IMPULSE)
            take_blow(now, out + action[ACTION_OUTPUT]);
#endif
        if (action[ACTION_KIND] == ACTION_STOP)
            now->stopped = 1;
        if (action[ACTION_KIND] <= ACTION_IMPULSE && !settle_contacts(instance))
            return 0;
    }
    return 1;
}

/* Of those that are due these may fire: right behind this instant, what they wait for holds. What
   was computed is applied in any case. */
static void leave_waiting(const Kept *now, unsigned char *due)
{
    double value[MODEL_WAITS];
    model_waits(&now->p, now->t + 16 * DBL_EPSILON * fmax(fabs(now->t), 1), value);
    for (int i = 0; i < MODEL_EVENTS; i++)
        due[i] = due[i] == IN_ANY_CASE || (due[i] && value[i] != 0);
}

/* All that are due, in the order of the text, then those that they make true. */
static int perform_all(Instance *instance)
{
    Kept *now = &instance->now;
    for (int in_a_row = 0; !now->stopped;) {
        unsigned char round[MODEL_EVENTS];
        int any = 0;
        memcpy(round, now->due, sizeof round);
        memset(now->due, 0, sizeof now->due);
        leave_waiting(now, round);
        for (int i = 0; i < MODEL_EVENTS && !now->stopped; i++) {
            if (!round[i])
                continue;
            any = 1;
            if (++in_a_row > 100)
                return say(instance, fmi3Error,
                           "at t = %.9g 100 events have followed each other, each made true by the "
                           "one before",
                           now->t),
                       0;
            if (!perform(instance, i))
                return 0;
        }
        if (!any)
            return 1;
        take_triggers(now);
    }
    return 1;
}
#endif

/* ---- Everything that happens at an instant; 0 where that cannot be: the host has been told. */
static int settle(Instance *instance)
{
    Kept *now = &instance->now;
    take_inputs(now);
#if MODEL_EVENTS
    if (now->started)
        take_triggers(now);
#endif
    take_modes(now);
    if (next_impulse(now) <= now->t)
        take_impulses(now);
    if (!settle_contacts(instance))
        return 0;
#if MODEL_EVENTS
    if (!now->started)
        memset(now->due, 0, sizeof now->due);
    take_triggers(now);
#if MODEL_SAMPLES
    if (!now->started)
        start_samples(now);
    take_samples(now);
#endif
    now->started = 1;
    if (!perform_all(instance))
        return 0;
#endif
    now->started = 1;
    now->changed = 0;
    instance->fresh = 0;
    return has_rates(instance);
}

/* After a step that is taken: sizes, branches, places where the speeds fail. */
static int step_taken(Instance *instance)
{
    Kept *now = &instance->now;
    (void)now;
#if MODEL_ROWS
    double side[SIDE_VALUES + 1];
    sides_now(now, side);
    note_sizes(now, side);
    for (int l = 0; l < MODEL_SIDES; l++)
        if (!now->modes.held[l] && side[l * SIDE_SIZE + SIDE_F] < -10 * now->offset[l])
            now->offset[l] = 0;
#if MODEL_RUBS
    if (!check_bounds(instance, side))
        return 0;
    for (int i = 0; i < MODEL_FRICTIONS; i++)
        if (now->modes.mode[i] >= FORWARD &&
            fabs(sliding_speed(side, i)) > 10 * now->offset[MODEL_SIDES + i])
            now->offset[MODEL_SIDES + i] = 0;
#endif
#endif
#if MODEL_ITERATES
    if (!model_follow_branch(&now->p, now->t, &now->y))
        return say(instance, fmi3Error, "at t = %.9g the branch of the accelerations ends", now->t),
               0;
#endif
#if MODEL_LIMITS
    if (!model_valid(&now->p, now->t, &now->y))
        return say(instance, fmi3Error,
                   "before t = %.9g the speeds have ceased to determine the velocities", now->t),
               0;
#endif
#if MODEL_EVENTS
    double trigger[MODEL_EVENTS];
    find_triggers(now, trigger);
    for (int i = 0; i < MODEL_EVENTS; i++)
        if (now->sign[i] == 0)
            note_trigger(now, i, trigger[i]);
#endif
    instance->fresh = 0;
    return 1;
}
