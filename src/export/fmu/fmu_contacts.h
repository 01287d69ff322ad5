/* ---- The contacts of an instant: one-sided conditions that touch, and what slides. */

#if MODEL_ROWS
static int least_norm(double *matrix, int size, const double *right, double *x)
{
    double axes[MOST_ROWS * MOST_ROWS];
    return least_norm_in(matrix, axes, size, right, x);
}

/* Rows that forces x act along, the reaction of each being -x times the row: of a friction x is the
   force with its sign changed. Without them rates are `right`, with them right - matrix x. */
typedef struct {
    int count, at[MOST_ROWS];
    double response[MODEL_UNKNOWNS * MOST_ROWS]; /* of the unknowns to each: M^-1 P' */
    double matrix[MOST_ROWS * MOST_ROWS];        /* G M^-1 P' */
    double right[MOST_ROWS];
#if MODEL_RUBS
    int place[MODEL_ROWS];   /* in `at`; -1: not among them */
    double least[MOST_ROWS]; /* what a normal force is at least */
    double slide[MODEL_FRICTIONS + 1],
        hold[MODEL_FRICTIONS + 1]; /* factors of normal forces, or bounds */
    /* Reactions of equations that press: pressed + by x. */
    double pressed[MODEL_CONDITIONS + 1], by[MODEL_CONDITIONS * MOST_ROWS + 1];
#endif
} Contacts;

/* Whether it is a one-sided condition that may act now. */
static int may_touch(const Modes *modes, int l)
{
    return l < MODEL_ONE_SIDED && modes->acts[l];
}

/* Behind the rows of the contacts: two-sided conditions that act and are not among them. */
static int list_rows(const Contacts *contacts, const Modes *modes, int *at)
{
    int count = contacts->count;
    memcpy(at, contacts->at, sizeof(int) * (size_t)count);
    for (int l = MODEL_ONE_SIDED; l < MODEL_SIDES; l++) {
        int there = !modes->held[l];
        for (int i = 0; i < contacts->count && !there; i++)
            there = contacts->at[i] == l;
        if (!there)
            at[count++] = l;
    }
    return count;
}

/* What forces along the rows do while the other conditions that act are kept. */
static void contacts_respond(const Modes *modes, Contacts *contacts, const double *side)
{
    double inertia[MODEL_UNKNOWNS * MODEL_UNKNOWNS], response[MODEL_UNKNOWNS * MOST_ROWS];
    double matrix[MOST_ROWS * MOST_ROWS], own[MOST_ROWS];
    int at[MOST_ROWS], count = contacts->count, all = list_rows(contacts, modes, at);
    memcpy(inertia, side + AT_INERTIA, sizeof inertia);
    for (int l = 0; l < all; l++)
        for (int j = 0; j < MODEL_UNKNOWNS; j++)
            response[j * all + l] = side[at[l] * SIDE_SIZE + SIDE_PUSH + j];
    eliminate(inertia, MODEL_UNKNOWNS, response, all);
    for (int l = 0; l < all; l++)
        for (int m = 0; m < all; m++) {
            double sum = 0;
            for (int j = 0; j < MODEL_SPEEDS; j++)
                sum += side[at[l] * SIDE_SIZE + SIDE_ROW + j] * response[j * all + m];
            matrix[l * all + m] = sum;
        }
    for (int l = 0; l < all; l++)
        own[l] = matrix[l * all + l];
    for (int e = count; e < all; e++) {
        double pivot = matrix[e * all + e], factor[MOST_ROWS];
        if (!(pivot > 1e-11 * own[e])) /* it follows from the others */
            continue;
        for (int m = 0; m < all; m++)
            factor[m] = m < count || m > e ? matrix[e * all + m] / pivot : 0;
        for (int m = 0; m < all; m++) {
            for (int j = 0; j < MODEL_UNKNOWNS; j++)
                response[j * all + m] -= factor[m] * response[j * all + e];
            for (int l = 0; l < all; l++)
                matrix[l * all + m] -= l == e ? 0 : factor[m] * matrix[l * all + e];
        }
    }
    for (int l = 0; l < count; l++) {
        for (int j = 0; j < MODEL_UNKNOWNS; j++)
            contacts->response[j * count + l] = response[j * all + l];
        for (int m = 0; m < count; m++)
            contacts->matrix[l * count + m] = matrix[l * all + m];
    }
}

/* How large what f is the difference of may be; the same of f' and of sliding velocities. */
static double size_of_place(const Kept *now, const double *side, int l)
{
    double terms = now->reach[l];
    for (int j = 0; j < MODEL_COORDINATES; j++)
        terms += fabs(side[l * SIDE_SIZE + SIDE_GRADIENT + j] * now->y.at[j]);
    return terms;
}

static double size_of_rate(const Kept *now, const double *side, int l)
{
    double terms = 0, rest = side[l * SIDE_SIZE + SIDE_RATE];
    for (int j = 0; j < MODEL_SPEEDS; j++) {
        double part = side[l * SIDE_SIZE + SIDE_ROW + j] * now->y.at[MODEL_COORDINATES + j];
        terms += fabs(part);
        rest -= part;
    }
    return terms + (l < MODEL_SIDES ? 0 : fabs(rest));
}

/* How far rounding goes in f and in f', and what errors of f'' make of them between two rows. */
static double near_place(const Kept *now, const double *side, int l)
{
    return 1e-12 * now->reach[l] + 1e-14 * size_of_place(now, side, l) +
           1e-14 * MODEL_EVERY * MODEL_EVERY * fabs(side[l * SIDE_SIZE + SIDE_PHI]);
}

static double near_rate(const Kept *now, const double *side, int l)
{
    return 1e-11 * now->fast[l] + 1e-14 * size_of_rate(now, side, l) +
           1e-14 * MODEL_EVERY * fabs(side[l * SIDE_SIZE + SIDE_PHI]);
}

static void note_sizes(Kept *now, const double *side)
{
    for (int l = 0; l < MODEL_ROWS; l++) {
        double f = fabs(side[l * SIDE_SIZE + SIDE_F]), rate = fabs(side[l * SIDE_SIZE + SIDE_RATE]);
        if (l < MODEL_SIDES && f > now->reach[l])
            now->reach[l] = f;
        if (rate > now->fast[l])
            now->fast[l] = rate;
    }
    for (int j = 0; j < MODEL_SPEEDS; j++)
        now->fastest = fmax(now->fastest, fabs(now->y.at[MODEL_COORDINATES + j]));
}

/* Sides at the present state, without contacts. */
static void sides_now(const Kept *now, double *side)
{
    model_state rate;
    model_derivative(&now->p, now->t, &now->y, &rate);
    model_sides(&now->p, now->t, now->y.at, rate.at, side);
}

/* Those that touch: held ones, and those that have come so near. 0 where there are too many. */
static int find_touching(const Instance *instance, const double *side, Contacts *contacts)
{
    const Kept *now = &instance->now;
    char names[256] = "";
    int count = 0;
    for (int l = 0; l < MODEL_ONE_SIDED; l++) {
        double f = side[l * SIDE_SIZE + SIDE_F];
        if (!may_touch(&now->modes, l) ||
            (!now->modes.held[l] && !(f >= -10 * near_place(now, side, l))))
            continue;
        if (count < MOST_CONTACTS)
            contacts->at[count] = l;
        if (strlen(names) + strlen(model_side_names[l]) + 3 < sizeof names)
            strcat(strcat(names, count ? ", " : ""), model_side_names[l]);
        count++;
    }
    contacts->count = count;
    if (count <= MOST_CONTACTS)
        return 1;
    say(instance, fmi3Error,
        "at t = %.9g %d one-sided conditions touch at once, and this FMU takes %d: %s", now->t,
        count, (int)MOST_CONTACTS, names);
    return 0;
}
#endif

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
