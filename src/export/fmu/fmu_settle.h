/* ---- Conditions that integration lets drift: finite ones, and those that are held. */

/* Moves the state the least onto them; returns how far, as a part of its size; HUGE_VAL where that
   does not come to an end. */
static double project(Kept *now)
{
    double moved = 0;
#if MODEL_DRIFTS
    model_state before = now->y;
    double size = 0;
    if (!model_project(&now->p, now->t, &now->y))
        return HUGE_VAL;
    for (int i = 0; i < STATES; i++) {
        if (fabs(now->y.at[i] - before.at[i]) > moved)
            moved = fabs(now->y.at[i] - before.at[i]);
        if (fabs(before.at[i]) > size)
            size = fabs(before.at[i]);
    }
    moved = size > 0 ? moved / size : moved;
#endif
#if MODEL_ROWS
    double side[SIDE_VALUES + 1], place[MODEL_COORDINATES], speed[MODEL_SPEEDS];
    for (int round = 0; round < 4; round++) {
        double matrix[MOST_ROWS * MOST_ROWS], right[MOST_ROWS], x[MOST_ROWS];
        int sides = 0, all, at[MOST_ROWS];
        for (int l = 0; l < MODEL_SIDES; l++)
            if (now->modes.held[l] && model_side_finite[l])
                at[sides++] = l;
        all = sides;
        for (int l = MODEL_ONE_SIDED; l < MODEL_SIDES; l++)
            if (now->modes.held[l] && !model_side_finite[l])
                at[all++] = l;
#if MODEL_RUBS
        for (int i = 0; i < MODEL_FRICTIONS; i++)
            for (int k = 0; k < friction_of(i)[FRICTION_WIDTH]; k++)
                if (now->modes.mode[i] == STICKS && all < MOST_ROWS)
                    at[all++] = first_row(i) + k;
#endif
        if (all == 0)
            return moved;
        /* First the coordinates, then the speeds, which also stick. */
        for (int level = 0; level < 2; level++) {
            int first = level ? SIDE_ROW : SIDE_GRADIENT, count = level ? all : sides;
            int length = level ? MODEL_SPEEDS : MODEL_COORDINATES;
            double *change = level ? speed : place;
            sides_now(now, side);
            for (int l = 0; l < count; l++) {
                right[l] = side[at[l] * SIDE_SIZE + (level ? SIDE_RATE : SIDE_F)];
                for (int m = 0; m < count; m++) {
                    matrix[l * count + m] = 0;
                    for (int j = 0; j < length; j++)
                        matrix[l * count + m] += side[at[l] * SIDE_SIZE + first + j] *
                                                 side[at[m] * SIDE_SIZE + first + j];
                }
            }
            least_norm(matrix, count, right, x);
            for (int j = 0; j < length; j++) {
                change[j] = 0;
                for (int l = 0; l < count; l++)
                    change[j] += side[at[l] * SIDE_SIZE + first + j] * x[l];
                now->y.at[(level ? MODEL_COORDINATES : 0) + j] -= change[j];
            }
            for (int l = 0; l < count; l++) {
                double most =
                    at[l] >= MODEL_ONE_SIDED && at[l] < MODEL_SIDES
                        ? level ? size_of_rate(now, side, at[l]) : size_of_place(now, side, at[l])
                    : level ? now->fast[at[l]]
                            : now->reach[at[l]];
                if (round == 0 && most > 0 && fabs(right[l]) / most > moved)
                    moved = fabs(right[l]) / most;
            }
        }
#if MODEL_DRIFTS
        if (!model_project(&now->p, now->t, &now->y))
            return HUGE_VAL;
#endif
    }
#endif
    (void)now;
    return moved;
}

/* ---- What happens at an instant: given impulses, impacts, contacts that begin or end. */

#if MODEL_SAMPLES
enum { PERIOD, FROM, DELAY, SAMPLE_TIMES };

/* The next instant of a sample, or when what it has computed is applied. */
static double next_sample(const Kept *now, int i, const double *times)
{
    double at = times[FROM] + (now->sampled[i] - now->waits[i]) * times[PERIOD];
    return now->waits[i] ? at + times[DELAY] : at;
}
#endif

/* The next instant of a given impulse or a sample. */
static double next_impulse(const Kept *now)
{
    double next = HUGE_VAL;
    (void)now;
#if MODEL_SAMPLES
    double samples[SAMPLE_TIMES * MODEL_EVENTS];
    model_sample_times(&now->p, samples);
    for (int i = 0; i < MODEL_EVENTS; i++)
        if (model_event_table[i][EVENT_TRIGGER] == ON_SAMPLE)
            next = fmin(next, next_sample(now, i, samples + SAMPLE_TIMES * i));
#endif
#if MODEL_IMPULSES
    double times[MODEL_IMPULSES];
    model_impulse_times(&now->p, times);
    for (int i = 0; i < MODEL_IMPULSES; i++)
        if (times[i] > now->impulses_until && times[i] < next)
            next = times[i];
#endif
    return next;
}

#if MODEL_KNOTS
/* Where a piece of a table ends, in the direction of its argument. */
static double end_of_piece(int number, double piece, int rising)
{
    const TableNumbers *table = all_tables + number;
    double knot = rising ? piece + 1 : piece;
    int ends = table->beyond != TABLE_REPEATS && !table_is_noise(table);
    if (ends && (knot < 0 || knot > (double)table->count - 1))
        return HUGE_VAL;
    return table_column_of(table, knot, TABLE_START);
}
#endif

/* When the next piece of a table over the time begins. */
static double next_knot(const Kept *now)
{
    double next = HUGE_VAL;
    (void)now;
#if MODEL_KNOTS
    double value[2 * MODEL_KNOTS], later[2 * MODEL_KNOTS];
    model_knots(&now->p, now->t, value);
    for (int i = 0; i < MODEL_KNOTS; i++) {
        double u = value[2 * i], slope = value[2 * i + 1];
        double piece = table_piece(u, model_knot_tables[i]);
        double knot = end_of_piece(model_knot_tables[i], piece, slope > 0);
        double t = u == now->t && slope == 1 ? knot : now->t + (knot - u) / slope;
        /* Rounding may leave it before the knot. */
        for (int tries = 0; tries < 64 && t < next; tries++) {
            if (!(t > now->t))
                t = nextafter(now->t, HUGE_VAL);
            model_knots(&now->p, t, later);
            if (table_piece(later[2 * i], model_knot_tables[i]) != piece)
                break;
            t = nextafter(t, HUGE_VAL);
        }
        if (t < next)
            next = t;
    }
#endif
    return next;
}

#if MODEL_BLOWS
/* An ideal impulse, by its parts along the coordinates. */
static void take_blow(Kept *now, const double *part)
{
    enum { U = MODEL_UNKNOWNS, FREE = MODEL_FREE };
    double values[U * U + MODEL_COORDINATES * FREE], right[U];
    model_state rate;
    model_derivative(&now->p, now->t, &now->y, &rate);
    model_inertia(&now->p, now->t, now->y.at, rate.at, values);
    memset(right, 0, sizeof right);
    for (int j = 0; j < FREE; j++)
        for (int s = 0; s < MODEL_COORDINATES; s++)
            right[U - FREE + j] += part[s] * values[U * U + s * FREE + j];
    eliminate(values, U, right, 1);
    for (int j = 0; j < MODEL_SPEEDS; j++)
        now->y.at[MODEL_COORDINATES + j] += right[j];
}
#endif

static void take_impulses(Kept *now)
{
    (void)now;
#if MODEL_IMPULSES
    double times[MODEL_IMPULSES], parts[MODEL_IMPULSES * MODEL_COORDINATES];
    double sum[MODEL_COORDINATES] = {0};
    model_state rate;
    model_derivative(&now->p, now->t, &now->y, &rate);
    model_impulse_times(&now->p, times);
    model_impulses(&now->p, now->t, now->y.at, rate.at, parts);
    for (int i = 0; i < MODEL_IMPULSES; i++)
        for (int s = 0; s < MODEL_COORDINATES; s++)
            if (times[i] > now->impulses_until && times[i] <= now->t)
                sum[s] += parts[i * MODEL_COORDINATES + s];
    take_blow(now, sum);
    now->impulses_until = now->t;
#endif
}

/* Functions switch by the signs of their arguments; by those a little later where one is 0. */
static void take_modes(Kept *now)
{
    (void)now;
#if MODEL_SWITCHES
    model_state rate, y = now->y;
    double here[MODEL_SWITCHES], later[MODEL_SWITCHES], h = 1e-8 * MODEL_EVERY;
    for (int turn = 0; turn < 2; turn++) {
        model_prepare(&now->p);
        model_derivative(&now->p, now->t, &now->y, &rate);
        for (int i = 0; i < STATES; i++)
            y.at[i] = now->y.at[i] + h * rate.at[i];
        model_switches(&now->p, now->t, now->y.at, rate.at, here);
        model_switches(&now->p, now->t + h, y.at, rate.at, later);
        for (int i = 0; i < MODEL_SWITCHES; i++) {
            double value = here[i] != 0 ? here[i] : later[i];
            now->p.mode[i] = (value > 0) - (value < 0);
        }
    }
    model_prepare(&now->p);
#endif
}

/* Whether the motion goes on from here; the host is told where it does not. */
static int has_rates(const Instance *instance)
{
    Instant in;
    find_rates(&instance->now, &in);
    for (int i = 0; i < STATES; i++)
        if (!(fabs(in.rate.at[i]) < HUGE_VAL))
            return say(instance, fmi3Error,
                       "at t = %.9g the accelerations are not finite with these parameters, inputs "
                       "and states: the equations are singular there",
                       instance->now.t),
                   0;
    return 1;
}

/* ---- Which conditions are held from now on, what sticks and what slides. */
#if MODEL_ROWS
/* Those that touch and stay so: f' = 0. */
static int find_resting(const Instance *instance, const double *side, Contacts *contacts)
{
    const Kept *now = &instance->now;
    int count = 0;
    if (!find_touching(instance, side, contacts))
        return 0;
    for (int l = 0; l < contacts->count; l++)
        if (fabs(side[contacts->at[l] * SIDE_SIZE + SIDE_RATE]) <=
            10 * near_rate(now, side, contacts->at[l]))
            contacts->at[count++] = contacts->at[l];
    contacts->count = count;
    return 1;
}

/* What an indicator of a side that is not held leaves to rounding; what leaves slowly may seem to
   come back by errors of the host's integrator. */
static void set_offsets(Kept *now, const double *side)
{
    for (int l = 0; l < MODEL_SIDES; l++) {
        double f = side[l * SIDE_SIZE + SIDE_F], rate = side[l * SIDE_SIZE + SIDE_RATE];
        double part = 1e-15 + (rate > -1e-6 * now->fast[l] ? now->noise : 0);
        double near = near_place(now, side, l);
        now->offset[l] = (f > 0 ? f : 0) + part * size_of_place(now, side, l) + DBL_MIN +
                         (f >= -10 * near ? 1e-14 * size_of_place(now, side, l) : 0);
    }
}

#if !MODEL_RUBS
static int hold(Instance *instance, const double *side)
{
    Kept *now = &instance->now;
    Contacts contacts;
    double right[MOST_CONTACTS], x[MOST_CONTACTS];
    if (!find_resting(instance, side, &contacts))
        return 0;
    int count = contacts.count;
    contacts_respond(&now->modes, &contacts, side);
    for (int l = 0; l < count; l++)
        right[l] = side[contacts.at[l] * SIDE_SIZE + SIDE_PHI];
    memset(now->modes.held, 0, sizeof now->modes.held);
    if (count > 0 && !who_pushes(contacts.matrix, count, right, x))
        return say(instance, fmi3Error, "at t = %.9g no consistent contact forces exist", now->t),
               0;
    set_offsets(now, side);
    for (int l = 0; l < count; l++) {
        now->modes.held[contacts.at[l]] = x[l] > 0;
        if (x[l] > 0)
            now->offset[contacts.at[l]] = 1e-12 * x[l];
    }
    return 1;
}
#else
/* So slow is a sliding that has come to its end. */
static double near_rest(const Kept *now, const double *side, int i)
{
    double near = 0;
    for (int k = 0; k < friction_of(i)[FRICTION_WIDTH]; k++)
        near +=
            10 * near_rate(now, side, first_row(i) + k) + now->noise * now->fast[first_row(i) + k];
    return friction_of(i)[FRICTION_WIDTH] == 1 ? near : near + 2 * slowest(now, i);
}

static int check_bounds(const Instance *instance, const double *side)
{
    for (int i = 0; i < MODEL_FRICTIONS; i++) {
        const double *bound = side + AT_BOUNDS + 3 * i;
        if (!(bound[0] >= -1e-12 * fabs(bound[1])) || !(bound[1] >= bound[0] - 1e-12 * bound[0]))
            return say(instance, fmi3Error,
                       "at t = %.9g the friction '%s' has the coefficients %.6g and, where it "
                       "holds, %.6g: they are 0 or more, and the second is not below the first",
                       instance->now.t, model_friction_names[i], bound[0], bound[1]),
                   0;
    }
    return 1;
}

/* Which have just come to the end of their hold; of those that share their forces, all. */
static void find_fired(const Kept *now, unsigned char *fired)
{
    Instant in;
    double z[INDICATORS + 1], x[MOST_ROWS];
    int shared = 0;
    memset(fired, 0, MODEL_FRICTIONS + 1);
    find_rates(now, &in);
    if (in.free_count < 0)
        return;
    forces_of(&in, x);
    find_indicators(now, &in, z);
    for (int i = 0; i < MODEL_FRICTIONS; i++)
        if (now->modes.mode[i] == STICKS) {
            double bound = in.contacts.hold[i] * fabs(normal_of(&in.contacts, &in.modes, i, x));
            fired[i] = z[MODEL_SIDES + i] > -(1e-12 + now->noise) * bound;
            shared = shared || (fired[i] && is_loose(&in.contacts, i, in.free, in.free_count));
        }
    for (int i = 0; i < MODEL_FRICTIONS && shared; i++)
        if (now->modes.mode[i] == STICKS && is_loose(&in.contacts, i, in.free, in.free_count))
            fired[i] = 1;
}

static int refuse_modes(const Instance *instance, int motions)
{
    double t = instance->now.t;
    if (motions == 0)
        say(instance, fmi3Error, "at t = %.9g no consistent contact forces exist (0 solutions)", t);
    else if (motions > 0)
        say(instance, fmi3Error,
            "at t = %.9g %d motions are possible with friction; none of them is chosen", t,
            motions);
    else
        say(instance, fmi3Error,
            "at t = %.9g more contacts with friction act at once than this FMU takes (%d rows, %d "
            "combinations of modes)",
            t, (int)MOST_ROWS, (int)MOST_COMBINATIONS);
    return 0;
}

/* What the indicators of frictions leave to rounding. */
static int set_friction_offsets(Instance *instance, const double *side, const Contacts *c,
                                const Units *units, const double *x)
{
    Kept *now = &instance->now;
    for (int i = 0; i < MODEL_FRICTIONS; i++) {
        int row = first_row(i), at = c->place[row], sign = friction_of(i)[FRICTION_SIGN];
        double *offset = now->offset + MODEL_SIDES + i, speed = sliding_speed(side, i), terms;
        if (sign >= 0)
            now->offset[MODEL_SIDES + MODEL_FRICTIONS + sign] = DBL_MIN;
        *offset = 0;
        if (at < 0 || now->modes.mode[i] == OPEN)
            continue;
        double normal = fabs(normal_of(c, &now->modes, i, x));
        if (sign >= 0)
            now->offset[MODEL_SIDES + MODEL_FRICTIONS + sign] = 1e-12 * normal + DBL_MIN;
        if (now->modes.mode[i] == STICKS) {
            *offset = 1e-11 * (c->hold[i] * normal + friction_length(c, i, x)) + DBL_MIN;
        } else if (now->modes.mode[i] == TURNS) {
            *offset = units->rest[i] ? 2 * slowest(now, i) + speed + DBL_MIN : 0;
            double rate = hypot(rate_of(c, x, at, &terms), rate_of(c, x, at + 1, &terms));
            if (units->rest[i] && !(rate > 1e-6 * terms))
                return say(instance, fmi3Error,
                           "at t = %.9g '%s' begins to slide in two directions without a jump of "
                           "its force, which this FMU does not follow; 'run' does",
                           now->t, model_friction_names[i]),
                       0;
        } else {
            double along = direction_of(&now->modes, i, 0) * speed;
            *offset = (along < 0 ? -along : 0) + 1e-15 * size_of_rate(now, side, row) + DBL_MIN +
                      (units->rest[i] ? now->noise * now->fast[row] : 0);
        }
    }
    return 1;
}

/* The contacts that touch and all frictions, solved together. */
static int hold(Instance *instance, const double *side, const unsigned char *fired)
{
    Kept *now = &instance->now;
    Contacts c;
    Units units;
    Found found;
    model_state rate;
    Modes base = now->modes;
    memset(&c, 0, sizeof c);
    units.count = 0;
    memset(units.rest, 0, sizeof units.rest);
    if (!find_resting(instance, side, &c) || !check_bounds(instance, side))
        return 0;
    add_two_sided(&base, &c);
    int sides = c.count, fits = add_all_rows(&c, side, &base, 1, 0);
    contacts_respond(&base, &c, side);
    for (int j = 0; j < c.count; j++)
        c.right[j] = side[c.at[j] * SIDE_SIZE + SIDE_PHI];
    model_derivative(&now->p, now->t, &now->y, &rate);
#if MODEL_PRESSED
    contacts_press(now, &rate, side, 0, &c);
#endif
    memset(base.held, 0, sizeof base.held);
    memset(base.mode, OPEN, sizeof base.mode);
    for (int i = 0; i < MODEL_FRICTIONS; i++) {
        double speed = sliding_speed(side, i);
        int rest = fabs(speed) <= near_rest(now, side, i);
        if (!rest)
            base.mode[i] = friction_of(i)[FRICTION_WIDTH] == 2 ? TURNS
                           : speed > 0                         ? FORWARD
                                                               : BACKWARD;
        if (!rest && base.mode[i] == TURNS)
            find_direction(&base, side, i);
        units.rest[i] = (unsigned char)rest;
    }
    for (int l = 0; l < sides; l++) {
        int i = friction_of_side(&base, c.at[l]);
        fits = fits &&
               add_unit(&units, &base, c.at[l], i, i >= 0 && units.rest[i], i >= 0 && fired[i], 0);
    }
    for (int i = 0; i < MODEL_FRICTIONS; i++)
        if (!base.acts[MODEL_SIDES + i] ||
            (friction_of(i)[FRICTION_SIDE] >= 0 && c.place[friction_of(i)[FRICTION_SIDE]] < 0))
            base.mode[i] = OPEN;
        else if (is_unit(&base, i))
            fits = fits && add_unit(&units, &base, -1, i, units.rest[i], fired[i], 0);
    int motions = fits ? search_modes(&c, &units, &base, &found) : -1;
    if (motions != 1)
        return refuse_modes(instance, motions);
    now->modes = found.modes;
    for (int i = 0; i < MODEL_FRICTIONS; i++)
        if (friction_of(i)[FRICTION_SIDE] >= 0 && !now->modes.held[friction_of(i)[FRICTION_SIDE]])
            now->modes.mode[i] = OPEN;
    leave_dependent(&c, &now->modes);
#if MODEL_SIDES
    set_offsets(now, side);
    for (int l = 0; l < sides; l++)
        if (now->modes.held[c.at[l]])
            now->offset[c.at[l]] = 1e-12 * fabs(found.x[l]) + DBL_MIN;
#endif
    return set_friction_offsets(instance, side, &c, &units, found.x);
}
#endif
#endif

#if MODEL_ROWS
/* What conditions and frictions wait for, right behind this instant; those that end are released.
 */
static void take_whiles(Kept *now)
{
    Modes *modes = &now->modes;
    memset(modes->acts, 1, sizeof modes->acts);
#if MODEL_WAITS > MODEL_EVENTS
    double value[MODEL_WAITS];
    model_waits(&now->p, now->t + 16 * DBL_EPSILON * fmax(fabs(now->t), 1), value);
    for (int l = 0; l < MODEL_SIDES + MODEL_FRICTIONS; l++)
        modes->acts[l] = value[MODEL_EVENTS + l] != 0;
#endif
    for (int l = 0; l < MODEL_SIDES; l++)
        modes->held[l] = modes->acts[l] && (modes->held[l] || l >= MODEL_ONE_SIDED);
#if MODEL_RUBS
    for (int i = 0; i < MODEL_FRICTIONS; i++) {
        int side = friction_of(i)[FRICTION_SIDE];
        if (!modes->acts[MODEL_SIDES + i] || (side >= 0 && !modes->held[side]))
            modes->mode[i] = OPEN;
    }
#endif
}
#endif

#if MODEL_SIDES > MODEL_ONE_SIDED
/* Two-sided conditions that act are met by an ideal percussion, once their positions fit: on the
   way, that is; a start is moved onto them. */
static int meet_conditions(Instance *instance)
{
    Kept *now = &instance->now;
    Contacts c;
    Modes all = now->modes;
    double side[SIDE_VALUES + 1], matrix[MOST_ROWS * MOST_ROWS], right[MOST_ROWS], x[MOST_ROWS];
    double free[MOST_ROWS * MOST_ROWS];
    int off = 0;
    c.count = 0;
    add_two_sided(&all, &c);
    memset(all.without, 0, sizeof all.without);
    if (!now->started)
        project(now);
    sides_now(now, side);
    for (int l = 0; l < c.count; l++) {
        const double *own = side + c.at[l] * SIDE_SIZE;
        right[l] = own[SIDE_RATE];
        off = off || fabs(right[l]) > near_rate(now, side, c.at[l]);
        if (fabs(own[SIDE_F]) > 1e-6 * size_of_place(now, side, c.at[l]))
            return say(instance, fmi3Error,
                       "at t = %.9g '%s' begins where its residual is %.6g: a condition begins "
                       "only where its positions fit",
                       now->t, model_side_names[c.at[l]], own[SIDE_F]),
                   0;
    }
    if (!off)
        return 1;
    contacts_respond(&all, &c, side);
    memcpy(matrix, c.matrix, sizeof matrix);
    int count = solve_scaled(&c, &all, matrix, right, x, free);
    if (count < 0)
        return say(instance, fmi3Error,
                   "at t = %.9g the conditions that begin cannot be met by a percussion", now->t),
               0;
    take_least(x, c.count, free, count);
    for (int j = 0; j < MODEL_SPEEDS; j++)
        for (int l = 0; l < c.count; l++)
            now->y.at[MODEL_COORDINATES + j] -= c.response[j * c.count + l] * x[l];
    return 1;
}
#endif

#if MODEL_EVENTS
/* What contacts have done fires the events that wait for it. */
static void note_contacts(Kept *now, const Modes *before, const unsigned char *struck)
{
    for (int i = 0; i < MODEL_EVENTS; i++) {
        const int *event = model_event_table[i];
        int at = event[EVENT_LABEL];
        if (event[EVENT_TRIGGER] < ON_IMPACT || at < 0)
            continue;
        int side = event[EVENT_TRIGGER] < ON_STICK;
        int was = side ? before->held[at] : before->mode[at];
        int is = side ? now->modes.held[at] : now->modes.mode[at];
        now->due[i] = now->due[i] || (event[EVENT_TRIGGER] == ON_IMPACT && !was && struck[at]) ||
                      (event[EVENT_TRIGGER] == ON_CONTACT && !was && is && !struck[at]) ||
                      (event[EVENT_TRIGGER] == ON_RELEASE && was && !is) ||
                      (event[EVENT_TRIGGER] == ON_STICK && was != STICKS && is == STICKS) ||
                      (event[EVENT_TRIGGER] == ON_SLIP && was == STICKS && is >= FORWARD);
    }
}
#endif

/* Impacts, and which contacts act; 0 where that cannot be: the host has been told why. */
static int settle_contacts(Instance *instance)
{
    Kept *now = &instance->now;
    take_inputs(now);
    take_modes(now);
#if MODEL_ROWS
    double side[SIDE_VALUES + 1];
    take_whiles(now);
#if MODEL_SIDES > MODEL_ONE_SIDED
    if (!meet_conditions(instance))
        return 0;
#endif
    sides_now(now, side);
    note_sizes(now, side);
#if MODEL_EVENTS
    Modes before = now->modes;
    unsigned char struck[MODEL_SIDES + 1];
    for (int l = 0; l < MODEL_SIDES; l++)
        struck[l] = side[l * SIDE_SIZE + SIDE_F] >= -10 * near_place(now, side, l) &&
                    side[l * SIDE_SIZE + SIDE_RATE] > near_rate(now, side, l);
#endif
#if MODEL_RUBS
    unsigned char fired[MODEL_FRICTIONS + 1];
    find_fired(now, fired);
#endif
#if MODEL_SIDES
    Contacts contacts;
    if (!find_touching(instance, side, &contacts))
        return 0;
    contacts_respond(&now->modes, &contacts, side);
    if (contacts.count > 0 && !impact(instance, &contacts, side))
        return 0;
    sides_now(now, side);
#endif
#if MODEL_RUBS
    if (!hold(instance, side, fired))
        return 0;
#else
    if (!hold(instance, side))
        return 0;
#endif
#if MODEL_EVENTS
    note_contacts(now, &before, struck);
#endif
    for (int l = 0; l < MODEL_ONE_SIDED; l++)
        if (may_touch(&now->modes, l) &&
            side[l * SIDE_SIZE + SIDE_F] > 1e6 * near_place(now, side, l)) {
            say(instance, fmi3Error, "at t = %.9g the condition '%s' is violated by %.3g", now->t,
                model_side_names[l], side[l * SIDE_SIZE + SIDE_F]);
            return 0;
        }
    project(now);
#endif
    take_modes(now);
    instance->fresh = 0;
    return 1;
}
