/* ---- How all of this changes along a direction of the states; p holds that of the inputs. */

#if MODEL_ROWS
/* How rates and forces change while the forces stay as they are: M^-1 (dP' x - dM push), and what
   is left of each row's rate; `change` is that of the sides. */
static void push_fixed_along(const Instant *in, const double *x, const double *change,
                             double *moved, double *left)
{
    enum { U = MODEL_UNKNOWNS };
    const Contacts *c = &in->contacts;
    double inertia[U * U];
    for (int j = 0; j < U; j++) {
        moved[j] = 0;
        for (int l = 0; l < c->count; l++)
            moved[j] += change[c->at[l] * SIDE_SIZE + SIDE_PUSH + j] * x[l];
        for (int i = 0; i < U; i++)
            moved[j] -= change[AT_INERTIA + j * U + i] * in->push[i];
    }
    memcpy(inertia, in->side + AT_INERTIA, sizeof inertia);
    eliminate(inertia, U, moved, 1);
    for (int l = 0; l < c->count; l++) {
        left[l] = change[c->at[l] * SIDE_SIZE + SIDE_PHI];
        for (int j = 0; j < MODEL_SPEEDS; j++)
            left[l] -= change[c->at[l] * SIDE_SIZE + SIDE_ROW + j] * in->push[j] +
                       in->side[c->at[l] * SIDE_SIZE + SIDE_ROW + j] * moved[j];
    }
}

/* What contacts take from changes of rates and accelerations. */
static void take_push_along(const Instant *in, const double *dside, const double *dpush,
                            model_state *drate, double *da)
{
    for (int j = 0; j < MODEL_SPEEDS; j++)
        drate->at[MODEL_COORDINATES + j] -= dpush[j];
    for (int i = 0; i < MODEL_COORDINATES; i++)
        for (int j = 0; j < MODEL_SPEEDS; j++)
            da[i] -= dside[AT_BASIS + i * MODEL_SPEEDS + j] * in->push[j] +
                     in->side[AT_BASIS + i * MODEL_SPEEDS + j] * dpush[j];
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

/* What the changes of everything else are made of. */
typedef struct {
    const Kept *now;
    const Instant *in;
    const model_state *direction;
    model_state drate;                /* without contacts */
    double da[MODEL_COORDINATES + 1]; /* likewise */
    double dside[SIDE_VALUES + 1];
} Along;

#if MODEL_CONDITIONS
static void conditions_along(const Along *along, const model_state *drate, const double *da,
                             const double *dforce, double *dl)
{
    enum { N = MODEL_COORDINATES };
    const Kept *now = along->now;
    const Instant *in = along->in;
    double db[MODEL_CONDITIONS * N], drest[N];
    model_reactions_along(&now->p, now->t, now->y.at, in->rate.at, in->acceleration,
                          along->direction->at, drate->at, da, db, drest);
    (void)dforce;
#if MODEL_ROWS
    for (int l = 0; l < MODEL_ROWS; l++)
        for (int i = 0; i < N; i++)
            drest[i] += dforce[l] * in->side[l * SIDE_SIZE + SIDE_ALONG + i] +
                        in->force[l] * along->dside[l * SIDE_SIZE + SIDE_ALONG + i];
#endif
    multipliers_along(in, db, drest, dl);
}
#endif

#if MODEL_RUBS
/* How the bound of a friction and its direction change where forces do not. */
static double bound_along(const Along *along, int i, int hold)
{
    return along->dside[AT_BOUNDS + 3 * i + hold];
}

static void direction_along(const Along *along, int i, double *ds)
{
    const double *own = along->in->side + first_row(i) * SIDE_SIZE;
    const double *change = along->dside + first_row(i) * SIDE_SIZE;
    const double *s = along->in->modes.toward + 2 * i;
    double speed = hypot(own[SIDE_RATE], own[SIDE_SIZE + SIDE_RATE]);
    double du[2] = {change[SIDE_RATE], change[SIDE_SIZE + SIDE_RATE]};
    double part = s[0] * du[0] + s[1] * du[1];
    for (int k = 0; k < 2; k++)
        ds[k] = speed > DBL_MIN ? (du[k] - part * s[k]) / speed : 0;
}

/* How what presses changes with the reactions of equations, by these changes of them. */
static double pressed_along(const Along *along, int i, const double *x, const double *dl)
{
    double w[3], sum = 0;
    press_weights(&along->in->contacts, &along->in->modes, i, x, w);
    for (int m = 0; m < friction_of(i)[FRICTION_PRESSES]; m++)
        sum += w[m] * dl[friction_of(i)[FRICTION_CONDITION + m]];
    return sum;
}

/* The same with the change dx of the forces. */
static double normal_along(const Along *along, int i, const double *x, const double *dx,
                           const double *dl)
{
    const Contacts *c = &along->in->contacts;
    int side = friction_of(i)[FRICTION_SIDE];
    double w[3];
    press_weights(c, &along->in->modes, i, x, w);
    return side >= 0 ? w[0] * dx[c->place[side]] : pressed_along(along, i, x, dl);
}

/* The equations of the modes, differentiated at the forces x. */
static void rubbing_along(const Along *along, const double *x, double *dx, double *dpush)
{
    const Contacts *c = &along->in->contacts;
    const Modes *modes = &along->in->modes;
    int n = c->count, k;
    double matrix[MOST_ROWS * MOST_ROWS], none[MOST_ROWS], right[MOST_ROWS], ds[2];
    double free[MOST_ROWS * MOST_ROWS], dl[MODEL_CONDITIONS + 1] = {0};
    push_fixed_along(along->in, x, along->dside, dpush, right);
#if MODEL_PRESSED
    model_state drate = along->drate;
    double da[MODEL_COORDINATES], still[MODEL_ROWS] = {0};
    memcpy(da, along->da, sizeof da);
    take_push_along(along->in, along->dside, dpush, &drate, da);
    conditions_along(along, &drate, da, still, dl);
#endif
    mode_equations(c, modes, x, matrix, none);
    for (int row = 0; row < n; row++) {
        int i = owner_of(c, row, &k);
        if (modes->without[c->at[row]])
            right[row] = 0;
        if (i < 0 || modes->mode[i] == STICKS)
            continue;
        double normal = normal_of(c, modes, i, x), s = direction_of(modes, i, k);
        ds[0] = ds[1] = 0;
        if (modes->mode[i] == TURNS)
            direction_along(along, i, ds);
        right[row] = ds[k] * c->slide[i] * normal + s * bound_along(along, i, 0) * normal +
                     s * c->slide[i] * pressed_along(along, i, x, dl);
    }
    solve_scaled(c, modes, matrix, right, dx, free);
    for (int j = 0; j < MODEL_UNKNOWNS; j++)
        for (int l = 0; l < n; l++)
            dpush[j] += c->response[j * n + l] * dx[l];
}

/* How the margin of a friction that sticks changes, along the direction d of its force. */
static double cone_along(const Along *along, int i, const double *d, const double *x,
                         const double *dx, const double *dl)
{
    const Contacts *c = &along->in->contacts;
    double change = bound_along(along, i, 1) * normal_of(c, &along->in->modes, i, x) +
                    c->hold[i] * normal_along(along, i, x, dx, dl);
    for (int k = 0; k < friction_of(i)[FRICTION_WIDTH]; k++)
        change -= d[k] * dx[c->place[first_row(i) + k]];
    return change;
}

/* Where forces are free: how the largest margin changes, and the forces that have it. */
static double margin_along(const Along *along, const double *x, const double *dl, double *dx)
{
    enum { MOST = 3 };
    const Instant *in = along->in;
    const Contacts *c = &in->contacts;
    double best[MOST_ROWS], db[MOST_ROWS], moved[MODEL_UNKNOWNS], common = 0;
    double change[MOST_BOUNDS], matrix[MOST * MOST], axes[MOST * MOST], right[MOST], part[MOST];
    int count = in->free_count;
    Bounds bounds;
    if (!(best_margin(c, &in->modes, x, in->free, count, best, &bounds) < HUGE_VAL))
        return 0;
    rubbing_along(along, best, db, moved);
    for (int row = 0; row < bounds.rows; row++) {
        int i = bounds.owner[row] - MODEL_SIDES;
        change[row] = i < 0 ? db[c->place[bounds.owner[row]]]
                            : cone_along(along, i, bounds.toward + 2 * row, best, db, dl);
        common += bounds.weight[row] * change[row];
    }
    if (!is_shared(c, &in->modes, count))
        return common;
    /* Those that are the least stay equal. */
    memset(matrix, 0, sizeof matrix);
    memset(right, 0, sizeof right);
    for (int row = 0; row < bounds.rows; row++)
        for (int i = 0; i < count && bounds.weight[row] > 1e-9; i++) {
            right[i] += bounds.slope[row * count + i] * (common - change[row]);
            for (int j = 0; j < count; j++)
                matrix[i * count + j] +=
                    bounds.slope[row * count + i] * bounds.slope[row * count + j];
        }
    least_norm_in(matrix, axes, count, right, part);
    for (int l = 0; l < c->count; l++) {
        dx[l] = db[l];
        for (int f = 0; f < count; f++)
            dx[l] += part[f] * in->free[f * c->count + l];
    }
    return common;
}

static void friction_indicators_along(const Along *along, const double *x, const double *dx,
                                      const double *dl, double common, double *dz)
{
    const Instant *in = along->in;
    const Contacts *c = &in->contacts;
    const Modes *modes = &in->modes;
    double d[2];
    for (int l = 0; l < MODEL_SIDES; l++)
        if (may_touch(modes, l) && modes->held[l])
            dz[l] = -(is_free(c, c->place[l], in->free, in->free_count) ? common : dx[c->place[l]]);
    for (int i = 0; i < MODEL_FRICTIONS; i++) {
        int row = first_row(i), at = c->place[row], sign = friction_of(i)[FRICTION_SIGN];
        double length = at < 0 ? 0 : friction_length(c, i, x);
        for (int k = 0; k < friction_of(i)[FRICTION_WIDTH] && at >= 0; k++)
            d[k] = length > 0 ? x[at + k] / length : 0;
        double *own = dz + MODEL_SIDES + i;
        const double *change = along->dside + row * SIDE_SIZE;
        switch (modes->mode[i]) {
        case OPEN: *own = 0; break;
        case STICKS:
            *own = is_loose(c, i, in->free, in->free_count) ? -common
                                                            : -cone_along(along, i, d, x, dx, dl);
            break;
        case TURNS:
            *own = -modes->toward[2 * i] * change[SIDE_RATE] -
                   modes->toward[2 * i + 1] * change[SIDE_SIZE + SIDE_RATE];
            break;
        default: *own = -direction_of(modes, i, 0) * change[SIDE_RATE];
        }
        if (sign >= 0)
            dz[MODEL_SIDES + MODEL_FRICTIONS + sign] =
                modes->mode[i] >= FORWARD ? -normal_along(along, i, x, dx, dl) : 0;
    }
}
#endif

#if MODEL_RUBS
/* As find_friction_values. Where something rests its speed does not change along any direction. */
static void friction_values_along(const Along *along, const double *dforce, double *dl,
                                  double *changes)
{
    const Instant *in = along->in;
    double *force = dl + MODEL_CONDITIONS + MODEL_SIDES, *slip = force + MODEL_SLIDES;
    double *normal = slip + MODEL_FRICTIONS;
    (void)changes, (void)in;
    for (int k = 0; k < MODEL_SLIDES; k++)
        force[k] = -dforce[MODEL_SIDES + k];
    for (int i = 0; i < MODEL_FRICTIONS; i++) {
        const int *friction = friction_of(i);
        const double *change = along->dside + first_row(i) * SIDE_SIZE;
        double speed = sliding_speed(in->side, i), by = change[SIDE_RATE];
        const double *own = in->side + first_row(i) * SIDE_SIZE;
        if (friction[FRICTION_WIDTH] == 2)
            by = speed > 0 ? (own[SIDE_RATE] * by +
                              own[SIDE_SIZE + SIDE_RATE] * change[SIDE_SIZE + SIDE_RATE]) /
                                 speed
                           : 0;
        else if (!friction[FRICTION_LAW])
            by = speed > 0 ? by : speed < 0 ? -by : 0;
        by = in->modes.acts[MODEL_SIDES + i] ? by : 0;
        slip[i] = changes[AT_SLIPS + i] = by;
        int side = friction[FRICTION_SIDE], presses = friction[FRICTION_PRESSES];
        int at = presses > 0 ? friction[FRICTION_CONDITION] : 0;
        double value = side >= 0 ? in->force[side] : presses > 0 ? in->multiplier[at] : 0;
        double d = side >= 0 ? dforce[side] : presses > 0 ? dl[at] : 0;
        normal[i] = (value < 0 ? -d : d) * in->side[AT_BOUNDS + 3 * i + 2] +
                    fabs(value) * along->dside[AT_BOUNDS + 3 * i + 2];
    }
}
#endif

#if MODEL_ROWS
/* Changes of the forces, by rows, and of what they do. */
static void forces_along(const Along *along, double *dforce, double *dpush)
{
    const Contacts *c = &along->in->contacts;
    const double *x = along->in->solved;
    double dx[MOST_ROWS];
    memset(dforce, 0, sizeof(double) * MODEL_ROWS);
    memset(dpush, 0, sizeof(double) * MODEL_UNKNOWNS);
    if (c->count == 0)
        return;
#if MODEL_RUBS
    rubbing_along(along, x, dx, dpush);
#else
    double matrix[MOST_ROWS * MOST_ROWS], right[MOST_ROWS];
    push_fixed_along(along->in, x, along->dside, dpush, right);
    memcpy(matrix, c->matrix, sizeof matrix);
    least_norm(matrix, c->count, right, dx);
    for (int j = 0; j < MODEL_UNKNOWNS; j++)
        for (int l = 0; l < c->count; l++)
            dpush[j] += c->response[j * c->count + l] * dx[l];
#endif
    for (int l = 0; l < c->count; l++)
        dforce[c->at[l]] = dx[l];
}
#endif

/* `in` and the values belong to the same state; the change of t and of parameters is 0. */
static void find_changes(const Kept *given, const Instant *in, const model_state *direction,
                         double *changes)
{
    Kept copy = *given, *now = &copy;
    take_inputs(now);
    model_state rate = free_rate(in), drate;
    Along along;
    double da[MODEL_COORDINATES + 1], dl[MULTIPLIERS + 1] = {0}, dforce[MODEL_ROWS + 1] = {0};
    memset(changes, 0, sizeof(double) * VALUES);
    memset(&along, 0, sizeof along);
    (void)dforce;
    along.now = now;
    along.in = in;
    along.direction = direction;
    model_derivative_along(&now->p, now->t, &now->y, direction, &drate);
    model_accelerations_along(&now->p, now->t, now->y.at, rate.at, direction->at, drate.at, da);
#if MODEL_ROWS
    double dpush[MODEL_UNKNOWNS];
    along.drate = drate;
    memcpy(along.da, da, sizeof da);
    model_sides_along(&now->p, now->t, now->y.at, rate.at, direction->at, drate.at, along.dside);
    forces_along(&along, dforce, dpush);
    take_push_along(in, along.dside, dpush, &drate, da);
    give_multipliers(dforce, dl);
    for (int l = 0; l < MODEL_SIDES; l++)
        changes[AT_INDICATORS + l] = !may_touch(&now->modes, l) ? 0
                                     : now->modes.held[l]       ? -dforce[l]
                                                          : along.dside[l * SIDE_SIZE + SIDE_F];
#endif
#if MODEL_CONDITIONS
    conditions_along(&along, &drate, da, dforce, dl);
#endif
#if MODEL_RUBS
    double x[MOST_ROWS], dx[MOST_ROWS], common = 0;
    forces_of(in, x);
    for (int l = 0; l < in->contacts.count; l++)
        dx[l] = dforce[in->contacts.at[l]];
    if (in->free_count > 0)
        common = margin_along(&along, x, dl, dx);
    for (int l = 0; l < in->contacts.count; l++)
        dforce[in->contacts.at[l]] = dx[l];
    give_multipliers(dforce, dl);
    friction_indicators_along(&along, x, dx, dl, common, changes + AT_INDICATORS);
    friction_values_along(&along, dforce, dl, changes);
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
    memcpy(changes + AT_INDICATORS + AT_EVENTS, changes + AT_TRIGGERS,
           sizeof(double) * MODEL_EVENTS);
#if MODEL_SWITCHES
    model_switches_along(&now->p, now->t, now->y.at, rate.at, direction->at, drate.at,
                         changes + AT_INDICATORS + AT_SWITCHES);
#endif
}
