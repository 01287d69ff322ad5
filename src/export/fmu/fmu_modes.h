/* ---- Which modes: every combination is tried, and those that fit are counted. */

/* One contact: what it may do, as held | mode << 1 | pulls << 4. */
typedef struct {
    int side, friction, count;
    unsigned char option[6];
} Unit;

typedef struct {
    int count;
    Unit unit[MOST_UNITS];
    unsigned char rest[MODEL_FRICTIONS + 1]; /* it does not slide now */
} Units;

static double rate_of(const Contacts *c, const double *x, int row, double *terms)
{
    double rate = c->right[row];
    *terms = fabs(rate);
    for (int j = 0; j < c->count; j++) {
        rate -= c->matrix[row * c->count + j] * x[j];
        *terms += fabs(c->matrix[row * c->count + j] * x[j]);
    }
    return rate;
}

/* By how much, as a part, forces and rates fail what these modes ask of them. */
static double modes_fail(const Contacts *c, const Units *units, const Modes *modes, const double *x,
                         const double *free, int count)
{
    double of_side[MODEL_SIDES + 1], of_friction[MODEL_FRICTIONS + 1];
    double most = DBL_MIN, fastest = DBL_MIN, fails = 0, terms;
    for (int j = 0; j < c->count; j++) {
        rate_of(c, x, j, &terms);
        most = fmax(most, fabs(x[j]) * scale_of(c, j));
        fastest = fmax(fastest, terms / scale_of(c, j));
    }
    find_margins(c, modes, x, free, count, of_side, of_friction);
    for (int u = 0; u < units->count; u++) {
        const Unit *unit = &units->unit[u];
        int i = unit->friction, at = unit->side >= 0 ? c->place[unit->side] : -1;
        int touches = at >= 0 && unit->side < MODEL_ONE_SIDED;
        if (touches && modes->held[unit->side])
            fails = fmax(fails, -of_side[unit->side] * scale_of(c, at) / most);
        else if (touches)
            fails = fmax(fails, rate_of(c, x, at, &terms) / scale_of(c, at) / fastest);
        if (i < 0 || modes->mode[i] == OPEN)
            continue;
        int row = c->place[first_row(i)];
        if (modes->mode[i] == STICKS)
            fails = fmax(fails, -of_friction[i] * scale_of(c, row) / most);
        if (modes->mode[i] >= FORWARD && units->rest[i]) {
            double gain = 0;
            for (int k = 0; k < friction_of(i)[FRICTION_WIDTH]; k++)
                gain += direction_of(modes, i, k) * rate_of(c, x, row + k, &terms);
            fails = fmax(fails, -gain / scale_of(c, row) / fastest);
        }
        if (modes->mode[i] >= FORWARD && friction_of(i)[FRICTION_SIGN] >= 0)
            fails = fmax(fails, -c->slide[i] * normal_of(c, modes, i, x) * scale_of(c, row) / most);
    }
    return fails == fails ? fails : HUGE_VAL;
}

/* How far u' lies from the direction of the sliding that is to begin. */
static double across(const Contacts *c, const Modes *modes, int i, const double *x)
{
    int row = c->place[first_row(i)];
    double terms, a = rate_of(c, x, row, &terms), b = rate_of(c, x, row + 1, &terms);
    return modes->toward[2 * i] * b - modes->toward[2 * i + 1] * a;
}

static double try_angle(const Contacts *c, Modes *modes, int i, double angle, double *x,
                        double *free, int *count)
{
    modes->toward[2 * i] = cos(angle);
    modes->toward[2 * i + 1] = sin(angle);
    *count = solve_modes(c, modes, x, free);
    return *count < 0 ? HUGE_VAL : across(c, modes, i, x);
}

/* What was found so far. */
typedef struct {
    int motions;
    Modes modes;
    double x[MOST_ROWS];
} Found;

/* Whether forces give the same motion: d A d for their difference d. */
static int same_motion(const Contacts *c, const double *x, const double *y)
{
    double apart = 0, size = 0;
    for (int i = 0; i < c->count; i++)
        size += c->right[i] * c->right[i] / scale_of(c, i) / scale_of(c, i);
    for (int i = 0; i < c->count; i++)
        for (int j = 0; j < c->count; j++) {
            apart += (x[i] - y[i]) * c->matrix[i * c->count + j] * (x[j] - y[j]);
            size += x[i] * c->matrix[i * c->count + j] * x[j] +
                    y[i] * c->matrix[i * c->count + j] * y[j];
        }
    return !(fabs(apart) > 1e-12 * fabs(size));
}

/* A friction that holds more than it slides with goes on sticking: the other motion is none. */
static int held_by_static(const Contacts *c, const Modes *a, const Modes *b)
{
    for (int i = 0; i < MODEL_FRICTIONS; i++)
        if ((a->mode[i] == STICKS) != (b->mode[i] == STICKS) && c->hold[i] > c->slide[i])
            return 1;
    return 0;
}

static void judge_modes(const Contacts *c, const Units *units, const Modes *modes, double *x,
                        const double *free, int count, Found *found)
{
    if (count > 0)
        take_least(x, c->count, free, count);
    if (count < 0 || !(modes_fail(c, units, modes, x, free, count) < 1e-8))
        return;
    if (found->motions == 0) {
        found->motions = 1;
        found->modes = *modes;
        memcpy(found->x, x, sizeof found->x);
    } else if (!same_motion(c, x, found->x) && !held_by_static(c, modes, &found->modes)) {
        found->motions++;
    }
}

/* A sliding that begins in two directions: each root of the angle is a candidate. */
static void try_beginning(const Contacts *c, const Units *units, Modes *modes, int i, Found *found)
{
    enum { PARTS = 48 };
    static const double turn = 6.283185307179586 / PARTS;
    double x[MOST_ROWS], free[MOST_ROWS * MOST_ROWS], left = 0;
    int count;
    for (int part = 0; part <= PARTS; part++) {
        double a = (part - 1) * turn, b = part * turn;
        double right = try_angle(c, modes, i, b, x, free, &count);
        if (part > 0 && (left > 0) != (right > 0) && fabs(left) < HUGE_VAL &&
            fabs(right) < HUGE_VAL) {
            double low = left;
            for (int round = 0; round < 60; round++) {
                double middle = (a + b) / 2,
                       value = try_angle(c, modes, i, middle, x, free, &count);
                if ((value > 0) == (low > 0))
                    a = middle, low = value;
                else
                    b = middle;
            }
            judge_modes(c, units, modes, x, free, count, found);
        }
        left = right;
    }
}

/* Several that begin so: directions follow the rates until they stay. */
static void try_beginnings(const Contacts *c, const Units *units, Modes *modes,
                           const unsigned char *begins, Found *found)
{
    double x[MOST_ROWS], free[MOST_ROWS * MOST_ROWS], terms, moved = 1;
    int count = 0;
    for (int i = 0; i < MODEL_FRICTIONS; i++)
        if (begins[i]) {
            int row = c->place[first_row(i)];
            double a = c->right[row], b = c->right[row + 1], length = hypot(a, b);
            modes->toward[2 * i] = length > 0 ? a / length : 1;
            modes->toward[2 * i + 1] = length > 0 ? b / length : 0;
        }
    for (int round = 0; round < 2000 && moved > 1e-15; round++) {
        moved = 0;
        count = solve_modes(c, modes, x, free);
        for (int i = 0; i < MODEL_FRICTIONS && count >= 0; i++) {
            if (!begins[i])
                continue;
            int row = c->place[first_row(i)];
            double a = rate_of(c, x, row, &terms), b = rate_of(c, x, row + 1, &terms);
            double *d = modes->toward + 2 * i, length = hypot(a, b);
            double s = d[0] + 0.3 * a / (length > 0 ? length : 1), before = d[0];
            double r = d[1] + 0.3 * b / (length > 0 ? length : 1), all = hypot(s, r);
            moved = fmax(moved, fabs(s / all - before) + fabs(r / all - d[1]));
            d[0] = s / all, d[1] = r / all;
        }
    }
    if (!(moved > 1e-12))
        judge_modes(c, units, modes, x, free, count, found);
}

/* The number of motions; the first that fits is kept. -1: too many combinations. */
static int search_modes(const Contacts *c, const Units *units, const Modes *now, Found *found)
{
    double combinations = 1, x[MOST_ROWS], free[MOST_ROWS * MOST_ROWS];
    int choice[MOST_UNITS] = {0}, at = 0;
    found->motions = 0;
    for (int u = 0; u < units->count; u++)
        combinations *= units->unit[u].count;
    if (combinations > MOST_COMBINATIONS)
        return -1;
    while (at >= 0) {
        Modes modes = *now;
        memset(modes.without, 0, sizeof modes.without);
        unsigned char begins[MODEL_FRICTIONS + 1] = {0};
        int beginning = 0, which = 0;
        for (int u = 0; u < units->count; u++) {
            const Unit *unit = &units->unit[u];
            unsigned char option = unit->option[choice[u]];
            if (unit->side >= 0)
                modes.held[unit->side] = option & 1;
            if (unit->friction < 0)
                continue;
            modes.mode[unit->friction] = option >> 1 & 7;
            modes.pulls[unit->friction] = option >> 4 & 1;
            if (modes.mode[unit->friction] == TURNS && units->rest[unit->friction])
                begins[which = unit->friction] = 1, beginning++;
        }
        if (beginning == 0)
            judge_modes(c, units, &modes, x, free, solve_modes(c, &modes, x, free), found);
        else if (beginning == 1)
            try_beginning(c, units, &modes, which, found);
        else
            try_beginnings(c, units, &modes, begins, found);
        for (at = units->count - 1; at >= 0 && ++choice[at] == units->unit[at].count; at--)
            choice[at] = 0;
    }
    /* A reaction that is 0 but for rounding fits with both signs: it has the one that it comes to.
     */
    for (int i = 0; i < MODEL_FRICTIONS && found->motions > 0; i++)
        if (found->modes.mode[i] >= FORWARD && friction_of(i)[FRICTION_SIGN] >= 0 &&
            normal_of(c, &found->modes, i, found->x) < 0)
            found->modes.pulls[i] = !found->modes.pulls[i];
    return found->motions;
}

static void add_option(Unit *unit, int held, int mode, int pulls)
{
    unit->option[unit->count++] = (unsigned char)(held | mode << 1 | pulls << 4);
}

/* What a contact may do: `fired` has just reached the end of its hold, so that sticking is the last
   thing to be tried; `least`: it pushes even where it is open, as in an expansion. */
static int add_unit(Units *units, const Modes *modes, int side, int i, int rest, int fired,
                    int least)
{
    if (units->count == MOST_UNITS)
        return 0;
    Unit *unit = &units->unit[units->count++];
    *unit = (Unit){.side = side, .friction = i};
    if (side >= 0 && side < MODEL_ONE_SIDED && !least)
        add_option(unit, 0, OPEN, 0);
    for (int held = side >= 0 && i >= 0 && least ? 0 : side >= 0; held <= (side >= 0); held++) {
        int wide = i >= 0 && friction_of(i)[FRICTION_WIDTH] == 2;
        int signs = i >= 0 && friction_of(i)[FRICTION_SIGN] >= 0 ? 2 : 1;
        if (i < 0)
            add_option(unit, held, OPEN, 0);
        if (i >= 0 && rest && !fired)
            add_option(unit, held, STICKS, modes->pulls[i]);
        for (int pulls = 0; pulls < signs && i >= 0; pulls++)
            for (int mode = wide ? TURNS : FORWARD; mode <= (wide ? TURNS : BACKWARD); mode++)
                if (rest || mode == modes->mode[i])
                    add_option(unit, held, mode, pulls);
        if (i >= 0 && rest && fired)
            add_option(unit, held, STICKS, modes->pulls[i]);
    }
    if (side >= 0 && i < 0 && least)
        add_option(unit, 0, OPEN, 0);
    if (i >= 0)
        units->rest[i] = (unsigned char)rest;
    return 1;
}

/* Its rows join, and its bounds: 0 where it has no room. */
static int add_friction_rows(Contacts *c, const double *side, int i)
{
    const double *bound = side + AT_BOUNDS + 3 * i;
    if (c->count + friction_of(i)[FRICTION_WIDTH] > MOST_ROWS)
        return 0;
    for (int k = 0; k < friction_of(i)[FRICTION_WIDTH]; k++) {
        c->place[first_row(i) + k] = c->count;
        c->at[c->count++] = first_row(i) + k;
    }
    c->slide[i] = bound[0];
    c->hold[i] = bound[1];
    return 1;
}

/* The first friction behind `last` that a side presses and that acts; -1: there is none. */
static int next_friction(const Modes *modes, int side, int last)
{
    for (int i = last + 1; i < MODEL_FRICTIONS; i++)
        if (friction_of(i)[FRICTION_SIDE] == side && modes->acts[MODEL_SIDES + i])
            return i;
    return -1;
}

static int friction_of_side(const Modes *modes, int side)
{
    return next_friction(modes, side, -1);
}

/* Whether a friction is a unit by itself: nothing one-sided presses it, or that presses another one
   before it. Where its side is open it has no force. */
static int is_unit(const Modes *modes, int i)
{
    int side = friction_of(i)[FRICTION_SIDE];
    return modes->acts[MODEL_SIDES + i] && (side < 0 || friction_of_side(modes, side) != i);
}

/* Two-sided conditions that act are rows, too. */
static void add_two_sided(const Modes *modes, Contacts *c)
{
    for (int l = MODEL_ONE_SIDED; l < MODEL_SIDES; l++)
        if (modes->held[l])
            c->at[c->count++] = l;
}

/* The rows of the sides in c->at, then those of frictions that `takes` them. */
static int add_all_rows(Contacts *c, const double *side, const Modes *modes, int laws, int acting)
{
    int sides = c->count, fits = 1;
    for (int l = 0; l < MODEL_ROWS; l++)
        c->place[l] = -1;
    memset(c->least, 0, sizeof c->least);
    for (int l = 0; l < sides; l++)
        c->place[c->at[l]] = l;
    for (int i = 0; i < MODEL_FRICTIONS; i++) {
        int of_side = friction_of(i)[FRICTION_SIDE];
        int there =
            of_side >= 0 ? c->place[of_side] >= 0 : laws || friction_of(i)[FRICTION_PRESSES] > 0;
        if (there && modes->acts[MODEL_SIDES + i] && (!acting || modes->mode[i] != OPEN))
            fits = fits && add_friction_rows(c, side, i);
    }
    return fits;
}

#if MODEL_PRESSED
/* Reactions of equations, without contacts and by each of these forces; 0 of a shock. */
static void contacts_press(const Kept *now, const model_state *free_rate, const double *side,
                           int shock, Contacts *c)
{
    enum { N = MODEL_COORDINATES, M = MODEL_CONDITIONS };
    Kept copy = *now;
    double a[N], b[M * N], rest[N], da[N], db[M * N], drest[N], l[M], none[N] = {0};
    model_accelerations(&copy.p, copy.t, copy.y.at, free_rate->at, a);
    model_reactions(&copy.p, copy.t, copy.y.at, free_rate->at, a, b, rest);
    memset(c->pressed, 0, sizeof c->pressed);
    if (!shock)
        find_multipliers(b, rest, c->pressed);
#if MODEL_INPUTS
    memset(&copy.p.along, 0, sizeof copy.p.along);
#endif
    for (int j = 0; j < c->count; j++) {
        for (int i = 0; i < N; i++) {
            da[i] = 0;
            for (int s = 0; s < MODEL_SPEEDS; s++)
                da[i] -= side[AT_BASIS + i * MODEL_SPEEDS + s] * c->response[s * c->count + j];
        }
        model_reactions_along(&copy.p, copy.t, copy.y.at, free_rate->at, a, none, none, da, db,
                              drest);
        for (int i = 0; i < N; i++)
            drest[i] += side[c->at[j] * SIDE_SIZE + SIDE_ALONG + i];
        find_multipliers(b, drest, l);
        for (int m = 0; m < M; m++)
            c->by[m * c->count + j] = l[m];
    }
}
#endif

/* All that acts in the present modes, ready to be solved. */
static void contacts_of_modes(const Kept *now, const model_state *rate, const double *side,
                              Modes *modes, Contacts *c)
{
    *modes = now->modes;
    c->count = 0;
    for (int l = 0; l < MODEL_SIDES; l++)
        if (modes->held[l])
            c->at[c->count++] = l;
    add_all_rows(c, side, modes, 1, 1);
    for (int i = 0; i < MODEL_FRICTIONS; i++)
        if (modes->mode[i] == TURNS)
            find_direction(modes, side, i);
    contacts_respond(modes, c, side);
    for (int j = 0; j < c->count; j++)
        c->right[j] = side[c->at[j] * SIDE_SIZE + SIDE_PHI];
    (void)rate;
#if MODEL_PRESSED
    contacts_press(now, rate, side, 0, c);
#endif
}
#endif
