/* ---- The motion at an instant. */

/* Everything at an instant. */
typedef struct {
    model_state rate;
    double side[SIDE_VALUES + 1];
#if MODEL_ROWS
    double force[MODEL_ROWS];    /* of each row, as of Contacts */
    double solved[MOST_ROWS];    /* those of the motion, in the order of the contacts */
    double push[MODEL_UNKNOWNS]; /* what contacts take from the unknowns */
    Contacts contacts;
#endif
#if MODEL_RUBS
    Modes modes;
    int free_count; /* directions along which forces are not determined */
    double free[MOST_ROWS * MOST_ROWS];
#endif
    double acceleration[MODEL_COORDINATES + 1];
    double b[MODEL_CONDITIONS * MODEL_COORDINATES + 1], rest[MODEL_COORDINATES + 1];
    double multiplier[MULTIPLIERS + 1];
} Instant;

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
#if MODEL_ROWS
    double x[MOST_ROWS];
    Contacts *contacts = &in->contacts;
    model_sides(&now->p, now->t, now->y.at, in->rate.at, in->side);
    memset(in->force, 0, sizeof in->force);
    memset(in->push, 0, sizeof in->push);
#if MODEL_RUBS
    contacts_of_modes(now, &in->rate, in->side, &in->modes, contacts);
    in->free_count = solve_modes(contacts, &in->modes, x, in->free);
    if (in->free_count < 0) /* no forces in these modes */
        for (int l = 0; l < contacts->count; l++)
            x[l] = HUGE_VAL;
#else
    contacts->count = 0;
    for (int l = 0; l < MODEL_SIDES; l++)
        if (now->modes.held[l]) {
            contacts->right[contacts->count] = in->side[l * SIDE_SIZE + SIDE_PHI];
            contacts->at[contacts->count++] = l;
        }
    if (contacts->count > 0) {
        double matrix[MOST_ROWS * MOST_ROWS];
        contacts_respond(&now->modes, contacts, in->side);
        memcpy(matrix, contacts->matrix, sizeof matrix);
        least_norm(matrix, contacts->count, contacts->right, x);
    }
#endif
    memcpy(in->solved, x, sizeof x);
    for (int l = 0; l < contacts->count; l++)
        in->force[contacts->at[l]] = x[l];
    for (int j = 0; j < MODEL_UNKNOWNS; j++)
        for (int l = 0; l < contacts->count; l++)
            in->push[j] += contacts->response[j * contacts->count + l] * x[l];
    for (int j = 0; j < MODEL_SPEEDS; j++)
        in->rate.at[MODEL_COORDINATES + j] -= in->push[j];
#endif
}

#if MODEL_RUBS
/* |u|, or u of one row. */
static double sliding_speed(const double *side, int i)
{
    const double *own = side + first_row(i) * SIDE_SIZE;
    return friction_of(i)[FRICTION_WIDTH] == 1 ? own[SIDE_RATE]
                                               : hypot(own[SIDE_RATE], own[SIDE_SIZE + SIDE_RATE]);
}

/* Forces of all rows that contacts have, in their order. */
static void forces_of(const Instant *in, double *x)
{
    for (int j = 0; j < in->contacts.count; j++)
        x[j] = in->force[in->contacts.at[j]];
}

/* So slow a sliding in two directions has come to its end. */
static double slowest(const Kept *now, int i)
{
    return (1e-9 + now->noise) * hypot(now->fast[first_row(i)], now->fast[first_row(i) + 1]);
}

static void find_friction_indicators(const Kept *now, const Instant *in, double *z)
{
    double x[MOST_ROWS], of_side[MODEL_SIDES + 1], of_friction[MODEL_FRICTIONS + 1];
    forces_of(in, x);
    find_margins(&in->contacts, &in->modes, x, in->free, in->free_count, of_side, of_friction);
    for (int l = 0; l < MODEL_SIDES; l++)
        if (now->modes.held[l])
            z[l] = -of_side[l];
    for (int i = 0; i < MODEL_FRICTIONS; i++) {
        int sign = friction_of(i)[FRICTION_SIGN];
        double speed = sliding_speed(in->side, i);
        switch (now->modes.mode[i]) {
        case OPEN: z[MODEL_SIDES + i] = -1; break;
        case STICKS: z[MODEL_SIDES + i] = -of_friction[i]; break;
        case TURNS: z[MODEL_SIDES + i] = slowest(now, i) - speed; break;
        default: z[MODEL_SIDES + i] = -direction_of(&in->modes, i, 0) * speed;
        }
        if (sign >= 0)
            z[MODEL_SIDES + MODEL_FRICTIONS + sign] =
                now->modes.mode[i] >= FORWARD ? -normal_of(&in->contacts, &in->modes, i, x) : -1;
    }
}
#endif

/* What is below 0 until something happens. */
static void find_indicators(const Kept *now, const Instant *in, double *z)
{
    (void)now, (void)in, (void)z;
#if MODEL_SIDES
    for (int l = 0; l < MODEL_SIDES; l++)
        z[l] = now->modes.held[l] ? -in->force[l] : in->side[l * SIDE_SIZE + SIDE_F];
#endif
#if MODEL_RUBS
    find_friction_indicators(now, in, z);
#endif
    for (int l = 0; l < AT_SWITCHES; l++)
        z[l] -= now->offset[l];
#if MODEL_SIDES
    for (int l = 0; l < MODEL_SIDES; l++)
        z[l] = may_touch(&now->modes, l) ? z[l] : -1;
#endif
#if MODEL_SWITCHES
    model_switches(&now->p, now->t, now->y.at, in->rate.at, z + AT_SWITCHES);
#endif
}

/* Accelerations without contacts need the rates without contacts. */
static model_state free_rate(const Instant *in)
{
    model_state rate = in->rate;
#if MODEL_ROWS
    for (int j = 0; j < MODEL_SPEEDS; j++)
        rate.at[MODEL_COORDINATES + j] += in->push[j];
#endif
    return rate;
}

#if MODEL_RUBS
/* Forces, speeds and normal forces of frictions, for outputs; the columns of speeds and modes. */
static void find_friction_values(const Kept *now, Instant *in, double *values)
{
    double *force = in->multiplier + MODEL_CONDITIONS + MODEL_SIDES, *slip = force + MODEL_SLIDES;
    double *normal = slip + MODEL_FRICTIONS;
    (void)now, (void)values;
    for (int k = 0; k < MODEL_SLIDES; k++)
        force[k] = -in->force[MODEL_SIDES + k];
    for (int i = 0; i < MODEL_FRICTIONS; i++) {
        const int *friction = friction_of(i);
        double speed = now->modes.acts[MODEL_SIDES + i] ? sliding_speed(in->side, i) : 0;
        slip[i] = friction[FRICTION_LAW] ? speed : fabs(speed);
        normal[i] = friction[FRICTION_SIDE] >= 0     ? in->force[friction[FRICTION_SIDE]]
                    : friction[FRICTION_PRESSES] > 0 ? in->multiplier[friction[FRICTION_CONDITION]]
                                                     : 0;
        normal[i] = fabs(normal[i]) * in->side[AT_BOUNDS + 3 * i + 2];
        values[AT_SLIPS + i] = slip[i];
        values[AT_MODES + i] = now->modes.mode[i] >= FORWARD ? 2 : now->modes.mode[i] == STICKS;
    }
}
#endif

#if MODEL_RUBS
static void share_forces(Instant *in)
{
    double x[MOST_ROWS], best[MOST_ROWS];
    Bounds bounds;
    if (in->free_count <= 0)
        return;
    forces_of(in, x);
    take_least(x, in->contacts.count, in->free, in->free_count);
    for (int j = 0; j < in->contacts.count; j++)
        in->force[in->contacts.at[j]] = x[j];
    if (!is_shared(&in->contacts, &in->modes, in->free_count))
        return;
    if (best_margin(&in->contacts, &in->modes, x, in->free, in->free_count, best, &bounds) <
        HUGE_VAL)
        for (int j = 0; j < in->contacts.count; j++)
            in->force[in->contacts.at[j]] = best[j];
}
#endif

#if MODEL_ROWS
/* Of the sides, from their forces: along f where f = 0, against it where f <= 0. */
static void give_multipliers(const double *force, double *multiplier)
{
    for (int l = 0; l < MODEL_SIDES; l++)
        multiplier[MODEL_CONDITIONS + l] = l < MODEL_ONE_SIDED ? force[l] : -force[l];
}
#endif

/* All values, in the order of their references. */
static void find_values(const Kept *given, Instant *in, double *values)
{
    Kept copy = *given, *now = &copy;
    take_inputs(now);
    find_rates(now, in);
#if MODEL_RUBS
    share_forces(in);
#endif
    const double *v = in->rate.at;
    model_state rate = free_rate(in);
    model_accelerations(&now->p, now->t, now->y.at, rate.at, in->acceleration);
#if MODEL_ROWS
    for (int i = 0; i < MODEL_COORDINATES; i++)
        for (int j = 0; j < MODEL_SPEEDS; j++)
            in->acceleration[i] -= in->side[AT_BASIS + i * MODEL_SPEEDS + j] * in->push[j];
#endif
#if MODEL_CONDITIONS
    model_reactions(&now->p, now->t, now->y.at, v, in->acceleration, in->b, in->rest);
#if MODEL_ROWS
    for (int l = 0; l < MODEL_ROWS; l++)
        for (int i = 0; i < MODEL_COORDINATES; i++)
            in->rest[i] += in->force[l] * in->side[l * SIDE_SIZE + SIDE_ALONG + i];
#endif
    find_multipliers(in->b, in->rest, in->multiplier);
#endif
#if MODEL_ROWS
    give_multipliers(in->force, in->multiplier);
#endif
#if MODEL_RUBS
    find_friction_values(now, in, values);
#endif
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
    memcpy(values + AT_INDICATORS + AT_EVENTS, values + AT_TRIGGERS, sizeof(double) * MODEL_EVENTS);
}
