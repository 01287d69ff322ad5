/* ---- The motion at an instant. */

/* Inputs that nobody has set follow their formulas. */
static void take_inputs(Kept *now)
{
#if MODEL_FORMULAS
    double formulas[MODEL_FORMULAS];
    int any = 0;
    model_formulas(&now->p, now->t, formulas);
    for (int i = 0; i < MODEL_FORMULAS; i++)
        if (!now->given[model_formula_places[i]]) {
            *model_parameter(&now->p, model_formula_places[i]) = formulas[i];
            any = 1;
        }
    if (any)
        model_prepare(&now->p);
#else
    (void)now;
#endif
}

/* The rates, with the pushes of the conditions that are held. */
static void find_rates(const Kept *given, Instant *in)
{
#if MODEL_FORMULAS
    Kept copy = *given, *now = &copy;
    take_inputs(now);
#else
    const Kept *now = given;
#endif
    model_derivative(&now->p, now->t, &now->y, &in->rate);
#if MODEL_SIDES
    Contacts contacts = {0};
    double right[MOST_CONTACTS], x[MOST_CONTACTS];
    model_sides(&now->p, now->t, now->y.at, in->rate.at, in->side);
    memset(in->lambda, 0, sizeof in->lambda);
    memset(in->push, 0, sizeof in->push);
    for (int l = 0; l < MODEL_SIDES; l++)
        if (now->held[l]) {
            right[contacts.count] = in->side[l * SIDE_SIZE + SIDE_PHI];
            contacts.at[contacts.count++] = l;
        }
    if (contacts.count == 0)
        return;
    contacts_respond(&contacts, in->side);
    least_norm(contacts.matrix, contacts.count, right, x);
    for (int l = 0; l < contacts.count; l++)
        in->lambda[contacts.at[l]] = x[l];
    for (int j = 0; j < MODEL_UNKNOWNS; j++)
        for (int l = 0; l < contacts.count; l++)
            in->push[j] += contacts.response[j * contacts.count + l] * x[l];
    for (int j = 0; j < MODEL_SPEEDS; j++)
        in->rate.at[MODEL_COORDINATES + j] -= in->push[j];
#endif
}

/* What is below 0 until something happens. */
static void find_indicators(const Kept *now, const Instant *in, double *z)
{
    (void)now, (void)in, (void)z;
#if MODEL_SIDES
    for (int l = 0; l < MODEL_SIDES; l++)
        z[l] = (now->held[l] ? -in->lambda[l] : in->side[l * SIDE_SIZE + SIDE_F]) - now->offset[l];
#endif
#if MODEL_SWITCHES
    model_switches(&now->p, now->t, now->y.at, in->rate.at, z + MODEL_SIDES);
#endif
}

/* Accelerations without contacts need the rates without contacts. */
static model_state free_rate(const Instant *in)
{
    model_state rate = in->rate;
#if MODEL_SIDES
    for (int j = 0; j < MODEL_SPEEDS; j++)
        rate.at[MODEL_COORDINATES + j] += in->push[j];
#endif
    return rate;
}

#if MODEL_CONDITIONS
/* rest = l b for the multipliers l. */
static void find_multipliers(const double *b, const double *rest, double *l)
{
    double rows[MODEL_CONDITIONS * MODEL_COORDINATES], right[MODEL_COORDINATES];
    memcpy(rows, b, sizeof rows);
    memcpy(right, rest, sizeof right);
#if MODEL_SHARED
    share(rows, right, l);
#else
    combine(rows, right, MODEL_CONDITIONS, MODEL_COORDINATES, l);
#endif
}
#endif

/* All values, in the order of their references. */
static void find_values(const Kept *given, Instant *in, double *values)
{
    Kept copy = *given, *now = &copy;
    take_inputs(now);
    find_rates(now, in);
    const double *v = in->rate.at;
    model_state rate = free_rate(in);
    model_accelerations(&now->p, now->t, now->y.at, rate.at, in->acceleration);
#if MODEL_SIDES
    for (int i = 0; i < MODEL_COORDINATES; i++)
        for (int j = 0; j < MODEL_SPEEDS; j++)
            in->acceleration[i] -= in->side[AT_BASIS + i * MODEL_SPEEDS + j] * in->push[j];
#endif
#if MODEL_CONDITIONS
    model_reactions(&now->p, now->t, now->y.at, v, in->acceleration, in->b, in->rest);
#if MODEL_SIDES
    for (int l = 0; l < MODEL_SIDES; l++)
        for (int i = 0; i < MODEL_COORDINATES; i++)
            in->rest[i] += in->lambda[l] * in->side[l * SIDE_SIZE + SIDE_GRADIENT + i];
#endif
    find_multipliers(in->b, in->rest, in->multiplier);
#endif
    memcpy(in->multiplier + MODEL_CONDITIONS, in->lambda, sizeof(double) * MODEL_SIDES);
    values[0] = now->t;
    for (int i = 0; i < MODEL_PARAMETERS; i++)
        values[AT_PARAMETERS + i] = *model_parameter(&now->p, i);
    memcpy(values + AT_STATES, now->y.at, sizeof(double) * STATES);
    memcpy(values + AT_VELOCITIES, in->rate.at, sizeof(double) * STATES);
    memcpy(values + AT_CONDITIONS, in->multiplier,
           sizeof(double) * (MODEL_CONDITIONS + MODEL_SIDES));
    model_quantities(&now->p, now->t, now->y.at, v, in->acceleration, in->multiplier,
                     values + AT_QUANTITIES);
    find_indicators(now, in, values + AT_INDICATORS);
}

/* ---- How all of this changes along a direction of the states; p holds that of the inputs. */

#if MODEL_SIDES
/* G M^-1 P' x = phi, differentiated; `change` is that of the sides. */
static void push_along(const Kept *now, const Instant *in, const double *change, double *lambda,
                       double *push)
{
    enum { K = MODEL_SPEEDS, U = MODEL_UNKNOWNS };
    Contacts contacts = {0};
    double right[MOST_CONTACTS], x[MOST_CONTACTS], inertia[U * U], moved[U];
    for (int l = 0; l < MODEL_SIDES; l++) {
        lambda[l] = 0;
        if (now->held[l])
            contacts.at[contacts.count++] = l;
    }
    memset(push, 0, sizeof moved);
    if (contacts.count == 0)
        return;
    /* moved = M^-1 (dP' x - dM push) */
    for (int j = 0; j < U; j++) {
        moved[j] = 0;
        for (int l = 0; l < contacts.count; l++)
            moved[j] +=
                change[contacts.at[l] * SIDE_SIZE + SIDE_PUSH + j] * in->lambda[contacts.at[l]];
        for (int i = 0; i < U; i++)
            moved[j] -= change[AT_INERTIA + j * U + i] * in->push[i];
    }
    memcpy(inertia, in->side + AT_INERTIA, sizeof inertia);
    eliminate(inertia, U, moved, 1);
    for (int l = 0; l < contacts.count; l++) {
        right[l] = change[contacts.at[l] * SIDE_SIZE + SIDE_PHI];
        for (int j = 0; j < K; j++)
            right[l] -= change[contacts.at[l] * SIDE_SIZE + SIDE_ROW + j] * in->push[j] +
                        in->side[contacts.at[l] * SIDE_SIZE + SIDE_ROW + j] * moved[j];
    }
    contacts_respond(&contacts, in->side);
    least_norm(contacts.matrix, contacts.count, right, x);
    memcpy(push, moved, sizeof moved);
    for (int l = 0; l < contacts.count; l++) {
        lambda[contacts.at[l]] = x[l];
        for (int j = 0; j < U; j++)
            push[j] += contacts.response[j * contacts.count + l] * x[l];
    }
}
#endif

#if MODEL_CONDITIONS
/* rest = l b, differentiated: dl b = drest - l db; and where many l do, the one of least norm
   stays that. */
static void multipliers_along(const Instant *in, const double *db, const double *drest, double *dl)
{
    enum { N = MODEL_COORDINATES, M = MODEL_CONDITIONS };
    double right[N];
    for (int i = 0; i < N; i++) {
        right[i] = drest[i];
        for (int l = 0; l < M; l++)
            right[i] -= in->multiplier[l] * db[l * N + i];
    }
    find_multipliers(in->b, right, dl);
#if MODEL_SHARED == 1
    /* With l = b w: what db w has beyond the rows' own combinations. */
    double normal[N * N], axes[N * N], w[N], beyond[M], within[M];
    for (int i = 0; i < N; i++) {
        right[i] = 0;
        for (int l = 0; l < M; l++)
            right[i] += in->b[l * N + i] * in->multiplier[l];
        for (int j = 0; j < N; j++) {
            normal[i * N + j] = 0;
            for (int l = 0; l < M; l++)
                normal[i * N + j] += in->b[l * N + i] * in->b[l * N + j];
        }
    }
    least_norm_in(normal, axes, N, right, w);
    for (int l = 0; l < M; l++) {
        beyond[l] = 0;
        for (int i = 0; i < N; i++)
            beyond[l] += db[l * N + i] * w[i];
    }
    for (int i = 0; i < N; i++) {
        right[i] = 0;
        for (int l = 0; l < M; l++)
            right[i] += in->b[l * N + i] * beyond[l];
    }
    find_multipliers(in->b, right, within);
    for (int l = 0; l < M; l++)
        dl[l] += beyond[l] - within[l];
#endif
}
#endif

/* `in` and the values belong to the same state; the change of t and of parameters is 0. */
static void find_changes(const Kept *given, const Instant *in, const model_state *direction,
                         double *changes)
{
    Kept copy = *given, *now = &copy;
    take_inputs(now);
    model_state rate = free_rate(in), drate;
    double da[MODEL_COORDINATES + 1], dl[MODEL_CONDITIONS + MODEL_SIDES + 1];
    memset(changes, 0, sizeof(double) * VALUES);
    model_derivative_along(&now->p, now->t, &now->y, direction, &drate);
    model_accelerations_along(&now->p, now->t, now->y.at, rate.at, direction->at, drate.at, da);
#if MODEL_SIDES
    double dside[SIDE_VALUES], dpush[MODEL_UNKNOWNS], *dlambda = dl + MODEL_CONDITIONS;
    model_sides_along(&now->p, now->t, now->y.at, rate.at, direction->at, drate.at, dside);
    push_along(now, in, dside, dlambda, dpush);
    for (int j = 0; j < MODEL_SPEEDS; j++)
        drate.at[MODEL_COORDINATES + j] -= dpush[j];
    for (int i = 0; i < MODEL_COORDINATES; i++)
        for (int j = 0; j < MODEL_SPEEDS; j++)
            da[i] -= dside[AT_BASIS + i * MODEL_SPEEDS + j] * in->push[j] +
                     in->side[AT_BASIS + i * MODEL_SPEEDS + j] * dpush[j];
    for (int l = 0; l < MODEL_SIDES; l++)
        changes[AT_INDICATORS + l] = now->held[l] ? -dlambda[l] : dside[l * SIDE_SIZE + SIDE_F];
#endif
#if MODEL_CONDITIONS
    double db[MODEL_CONDITIONS * MODEL_COORDINATES], drest[MODEL_COORDINATES];
    model_reactions_along(&now->p, now->t, now->y.at, in->rate.at, in->acceleration, direction->at,
                          drate.at, da, db, drest);
#if MODEL_SIDES
    for (int l = 0; l < MODEL_SIDES; l++)
        for (int i = 0; i < MODEL_COORDINATES; i++)
            drest[i] += dlambda[l] * in->side[l * SIDE_SIZE + SIDE_GRADIENT + i] +
                        in->lambda[l] * dside[l * SIDE_SIZE + SIDE_GRADIENT + i];
#endif
    multipliers_along(in, db, drest, dl);
#endif
#if MODEL_INPUTS
    for (int i = 0; i < MODEL_INPUTS; i++)
        changes[AT_PARAMETERS + model_input_places[i]] = now->p.along[i];
#endif
    memcpy(changes + AT_STATES, direction->at, sizeof(double) * STATES);
    memcpy(changes + AT_VELOCITIES, drate.at, sizeof(double) * STATES);
    memcpy(changes + AT_CONDITIONS, dl, sizeof(double) * (MODEL_CONDITIONS + MODEL_SIDES));
    model_quantities_along(&now->p, now->t, now->y.at, in->rate.at, in->acceleration,
                           in->multiplier, direction->at, drate.at, da, dl,
                           changes + AT_QUANTITIES);
#if MODEL_SWITCHES
    model_switches_along(&now->p, now->t, now->y.at, rate.at, direction->at, drate.at,
                         changes + AT_INDICATORS + MODEL_SIDES);
#endif
}

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
#if MODEL_SIDES
    double side[SIDE_VALUES + 1], place[MODEL_COORDINATES], speed[MODEL_SPEEDS];
    for (int round = 0; round < 4; round++) {
        double matrix[MOST_CONTACTS * MOST_CONTACTS], right[MOST_CONTACTS], x[MOST_CONTACTS];
        int count = 0, at[MOST_CONTACTS];
        for (int l = 0; l < MODEL_SIDES; l++)
            if (now->held[l])
                at[count++] = l;
        if (count == 0)
            return moved;
        /* First the coordinates, then the speeds. */
        for (int level = 0; level < 2; level++) {
            int first = level ? SIDE_ROW : SIDE_GRADIENT;
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
                double most = level ? now->fast[at[l]] : now->reach[at[l]];
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

static double next_impulse(const Kept *now)
{
    double next = HUGE_VAL;
    (void)now;
#if MODEL_IMPULSES
    double times[MODEL_IMPULSES];
    model_impulse_times(&now->p, times);
    for (int i = 0; i < MODEL_IMPULSES; i++)
        if (times[i] > now->impulses_until && times[i] < next)
            next = times[i];
#endif
    return next;
}

static void take_impulses(Kept *now)
{
    (void)now;
#if MODEL_IMPULSES
    double times[MODEL_IMPULSES], parts[MODEL_IMPULSES * MODEL_COORDINATES];
    enum { U = MODEL_UNKNOWNS, FREE = MODEL_FREE };
    double values[U * U + MODEL_COORDINATES * FREE], right[U];
    model_state rate;
    model_derivative(&now->p, now->t, &now->y, &rate);
    model_impulse_times(&now->p, times);
    model_impulses(&now->p, now->t, now->y.at, rate.at, parts);
    model_inertia(&now->p, now->t, now->y.at, rate.at, values);
    memset(right, 0, sizeof right);
    for (int i = 0; i < MODEL_IMPULSES; i++)
        for (int j = 0; j < FREE; j++)
            for (int s = 0; s < MODEL_COORDINATES; s++)
                if (times[i] > now->impulses_until && times[i] <= now->t)
                    right[U - FREE + j] +=
                        parts[i * MODEL_COORDINATES + s] * values[U * U + s * FREE + j];
    eliminate(values, U, right, 1);
    for (int j = 0; j < MODEL_SPEEDS; j++)
        now->y.at[MODEL_COORDINATES + j] += right[j];
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

/* 0 where that cannot be; the host has been told why. */
static int settle(Instance *instance)
{
    Kept *now = &instance->now;
    take_inputs(now);
    take_modes(now);
    if (next_impulse(now) <= now->t)
        take_impulses(now);
#if MODEL_SIDES
    double side[SIDE_VALUES + 1];
    Contacts contacts;
    sides_now(now, side);
    note_sizes(now, side);
    if (!find_touching(instance, side, &contacts))
        return 0;
    contacts_respond(&contacts, side);
    if (contacts.count > 0 && !impact(instance, &contacts, side))
        return 0;
    sides_now(now, side);
    if (!hold(instance, side))
        return 0;
    for (int l = 0; l < MODEL_SIDES; l++)
        if (side[l * SIDE_SIZE + SIDE_F] > 1e6 * near_place(now, side, l)) {
            say(instance, fmi3Error, "at t = %.9g the condition '%s' is violated by %.3g", now->t,
                model_side_names[l], side[l * SIDE_SIZE + SIDE_F]);
            return 0;
        }
    project(now);
#endif
    take_modes(now);
    now->changed = 0;
    instance->fresh = 0;
    return has_rates(instance);
}

/* After a step that is taken: sizes, branches, places where the speeds fail. */
static int step_taken(Instance *instance)
{
    Kept *now = &instance->now;
    (void)now;
#if MODEL_SIDES
    double side[SIDE_VALUES + 1];
    sides_now(now, side);
    note_sizes(now, side);
    for (int l = 0; l < MODEL_SIDES; l++)
        if (!now->held[l] && side[l * SIDE_SIZE + SIDE_F] < -10 * now->offset[l])
            now->offset[l] = 0;
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
    instance->fresh = 0;
    return 1;
}

/* ---- Steps of co-simulation: Gragg's midpoint rule (1965), extrapolated. */

enum { COLUMNS = 8 };

static void rates_at(const Kept *now, double t, const model_state *y, model_state *rate)
{
    Kept there = *now;
    Instant in;
    there.t = t;
    there.y = *y;
    find_rates(&there, &in);
    *rate = in.rate;
}

static void midpoint(const Kept *now, double h, int count, const model_state *first,
                     model_state *end)
{
    model_state last = now->y, here, next, rate;
    double step = h / count;
    for (int i = 0; i < STATES; i++)
        here.at[i] = last.at[i] + step * first->at[i];
    for (int s = 1; s < count; s++) {
        rates_at(now, now->t + s * step, &here, &rate);
        for (int i = 0; i < STATES; i++)
            next.at[i] = last.at[i] + 2 * step * rate.at[i];
        last = here;
        here = next;
    }
    rates_at(now, now->t + h, &here, &rate);
    for (int i = 0; i < STATES; i++)
        end->at[i] = (last.at[i] + here.at[i] + step * rate.at[i]) / 2;
}

/* Returns the error against what is allowed. */
static double extrapolate(const Kept *now, double h, model_state *end)
{
    model_state table[COLUMNS], first;
    double error = 0;
    rates_at(now, now->t, &now->y, &first);
    for (int j = 0; j < COLUMNS; j++) {
        midpoint(now, h, 2 * (j + 1), &first, &table[j]);
        for (int s = j - 1; s >= 0; s--) {
            double ratio = (double)(j + 1) / (s + 1);
            for (int i = 0; i < STATES; i++)
                table[s].at[i] = table[s + 1].at[i] +
                                 (table[s + 1].at[i] - table[s].at[i]) / (ratio * ratio - 1);
        }
    }
    *end = table[0];
    for (int i = 0; i < STATES; i++) {
        double part = fabs(table[0].at[i] - table[1].at[i]) / (1e-12 * (1 + fabs(end->at[i])));
        if (!(part < HUGE_VAL))
            return HUGE_VAL;
        if (part > error)
            error = part;
    }
    return error;
}

#if MODEL_SIDES + MODEL_SWITCHES
/* Indicators, and the rates of the sides, after h; 0 where these are not finite. */
typedef struct {
    double h, z[INDICATORS], rate[MODEL_SIDES + 1];
    model_state y;
} Look;

static void look_at(const Kept *now, double h, Look *look)
{
    Kept there = *now;
    Instant in;
    look->h = h;
    if (h > 0)
        extrapolate(now, h, &there.y);
    there.t += h;
    take_inputs(&there);
    find_rates(&there, &in);
    find_indicators(&there, &in, look->z);
    for (int l = 0; l < MODEL_SIDES; l++)
        look->rate[l] = now->held[l] ? 0 : in.side[l * SIDE_SIZE + SIDE_RATE];
    look->y = there.y;
}

static int crosses(const Kept *now, const Look *look, int i)
{
    (void)now;
#if MODEL_SWITCHES
    if (i >= MODEL_SIDES)
        return look->z[i] * now->p.mode[i - MODEL_SIDES] < 0 ||
               (look->z[i] != 0 && now->p.mode[i - MODEL_SIDES] == 0);
#endif
    return look->z[i] > 0;
}

static int first_crossing(const Kept *now, const Look *look)
{
    for (int i = 0; i < INDICATORS; i++)
        if (crosses(now, look, i))
            return i;
    return -1;
}

/* Narrows to where an indicator crosses 0, or a rate does; *b is behind it, as near as can be. */
static void narrow(const Kept *now, const Look *start, Look *b, int which, int of_rate)
{
    Look a = *start, c;
    double va = of_rate ? a.rate[which] : a.z[which], vb = of_rate ? b->rate[which] : b->z[which];
    int side = 0;
    for (int round = 0; round < 100; round++) {
        double width = b->h - a.h, least = 4 * DBL_EPSILON * (fabs(now->t) + b->h);
        if (vb == 0 || !(width > least))
            return;
        /* Regula falsi with halved values (Illinois); every third time the middle. */
        double h = round % 3 == 2 ? a.h + width / 2 : a.h + width * va / (va - vb);
        if (!(h > a.h) || !(h < b->h))
            h = a.h + width / 2;
        look_at(now, h, &c);
        double vc = of_rate ? c.rate[which] : c.z[which];
        if ((vc > 0) == (vb > 0)) {
            *b = c;
            vb = vc;
            va = side == 1 ? va / 2 : va;
            side = 1;
        } else {
            a = c;
            va = vc;
            vb = side == 2 ? vb / 2 : vb;
            side = 2;
        }
    }
}

/* Whether something happens within h; *found is then the first place where it has happened. */
static int find_event(const Kept *now, double h, Look *found)
{
    Look start, middle;
    look_at(now, 0, &start);
    look_at(now, h, found);
    look_at(now, h / 2, &middle);
    if (first_crossing(now, &middle) >= 0)
        *found = middle;
    /* A condition may be passed and come back. */
    for (int l = 0; l < MODEL_SIDES && first_crossing(now, found) < 0; l++) {
        Look top = middle.rate[l] < 0 ? middle : *found;
        const Look *from = middle.rate[l] < 0 ? &start : &middle;
        if (!(from->rate[l] > 0) || !(top.rate[l] < 0))
            continue;
        narrow(now, from, &top, l, 1);
        if (first_crossing(now, &top) >= 0)
            *found = top;
    }
    int which = first_crossing(now, found);
    if (which < 0)
        return 0;
    for (int next = which; next >= 0;) {
        which = next;
        narrow(now, &start, found, which, 0);
        next = -1;
        for (int i = 0; i < INDICATORS; i++)
            if (i != which && crosses(now, found, i))
                next = i > which ? i : next;
    }
    return 1;
}
#endif

/* Whether the rest of the way takes less than a million steps like the last thousand; the host is
   told where it does not. */
static int keeps_pace(const Instance *instance, double until, int *tried, double *mark)
{
    const Kept *now = &instance->now;
    if (++*tried % 1000 != 0)
        return 1;
    if (until - now->t > 1000 * (now->t - *mark))
        return say(instance, fmi3Error,
                   "at t = %.9g the steps have become so short, about %.1e, that the way to %.9g "
                   "would take millions of them: the motion is near a singular place, or these "
                   "parameters and inputs make it stiff",
                   now->t, (now->t - *mark) / 1000, until),
               0;
    *mark = now->t;
    return 1;
}

/* To a later time; 0 where it cannot go on: the host has been told why. */
static int advance(Instance *instance, double until)
{
    Kept *now = &instance->now;
    int stuck = 0, tried = 0;
    double mark = now->t;
    if (now->changed && !settle(instance))
        return 0;
    while (now->t < until) {
        double stop = next_impulse(now);
        if (stop > until)
            stop = until;
        int last = now->t + now->step >= stop, happens = 0;
        double begin_t = now->t;
        double h = last ? stop - now->t : now->step;
        model_state end;
        double error = extrapolate(now, h, &end);
        double change = 0.9 * pow(error > 1e-12 ? error : 1e-12, -1.0 / 15);
        if (error <= 1) {
#if MODEL_SIDES + MODEL_SWITCHES
            Look found;
            happens = find_event(now, h, &found);
            if (happens) {
                end = found.y;
                last = 0;
                h = found.h;
            }
#endif
            now->y = end;
            now->t = last ? stop : now->t + h;
            if (project(now) == HUGE_VAL)
                return say(instance, fmi3Error, "at t = %.9g the conditions cannot be kept",
                           now->t),
                       0;
            if (!step_taken(instance))
                return 0;
            if ((happens || next_impulse(now) <= now->t) && !settle(instance))
                return 0;
            stuck = happens && now->t - begin_t <= 1e-12 * (1 + fabs(now->t)) ? stuck + 1 : 0;
        }
        if (error > 1 || (!last && !happens))
            now->step = h * (change > 3 ? 3 : change > 0.2 ? change : 0.2);
        if (!(now->t + now->step / 1000 > now->t) || stuck > 100)
            return say(instance, fmi3Error,
                       stuck > 100 ? "at t = %.9g events follow each other without end"
                                   : "no step from t = %.9g has a finite end",
                       now->t),
                   0;
        if (!keeps_pace(instance, until, &tried, &mark))
            return 0;
    }
    return 1;
}
