/* ---- Dry friction after Coulomb: what sticks, what slides and which way. */

#if MODEL_RUBS
/* A friction's rows slide along; they stick, or the force is -bound s for the direction s of the
   sliding. The bound is a multiple of what presses: of a one-sided condition's reaction, of the
   length of equations' reactions, or of 1. */
static const int *friction_of(int i)
{
    return model_friction_table[i];
}

static int first_row(int i)
{
    return MODEL_SIDES + friction_of(i)[FRICTION_FIRST];
}

static double direction_of(const Modes *modes, int i, int k)
{
    return modes->mode[i] == TURNS ? modes->toward[2 * i + k] : modes->mode[i] == BACKWARD ? -1 : 1;
}

/* The way that it slides in the present state; where that is too slow to tell it stays as it is. */
static void find_direction(Modes *modes, const double *side, int i)
{
    const double *own = side + first_row(i) * SIDE_SIZE;
    double length = hypot(own[SIDE_RATE], own[SIDE_SIZE + SIDE_RATE]);
    for (int k = 0; k < 2 && length > DBL_MIN; k++)
        modes->toward[2 * i + k] = own[k * SIDE_SIZE + SIDE_RATE] / length;
}

/* Weights of the reactions in what presses: of one-sided conditions 1, of another one its sign, of
   several equations the direction of all. */
static void press_weights(const Contacts *c, const Modes *modes, int i, const double *x, double *w)
{
    const int *friction = friction_of(i);
    int count = friction[FRICTION_PRESSES];
    double length = 0;
    w[0] = 1;
    if (friction[FRICTION_SIDE] >= 0 && friction[FRICTION_SIGN] >= 0) {
        int pulls =
            modes->mode[i] == STICKS ? x[c->place[friction[FRICTION_SIDE]]] < 0 : modes->pulls[i];
        w[0] = pulls ? -1 : 1;
    }
    for (int m = 0; m < count; m++) {
        int at = friction[FRICTION_CONDITION + m];
        w[m] = c->pressed[at];
        for (int j = 0; j < c->count; j++)
            w[m] += c->by[at * c->count + j] * x[j];
        length += w[m] * w[m];
    }
    int pulls = modes->mode[i] == STICKS ? w[0] < 0 : modes->pulls[i];
    for (int m = 0; m < count; m++)
        w[m] = count == 1 ? (pulls ? -1 : 1) : length > 0 ? w[m] / sqrt(length) : m == 0;
}

/* Adds factor times what presses to an equation row x = right. */
static void add_normal(const Contacts *c, int i, const double *w, double factor, double *row,
                       double *right)
{
    const int *friction = friction_of(i);
    if (friction[FRICTION_SIDE] >= 0)
        row[c->place[friction[FRICTION_SIDE]]] += factor * w[0];
    else if (friction[FRICTION_PRESSES] == 0)
        *right -= factor;
    for (int m = 0; m < friction[FRICTION_PRESSES]; m++) {
        int at = friction[FRICTION_CONDITION + m];
        for (int j = 0; j < c->count; j++)
            row[j] += factor * w[m] * c->by[at * c->count + j];
        *right -= factor * w[m] * c->pressed[at];
    }
}

/* What presses, in these forces. */
static double normal_of(const Contacts *c, const Modes *modes, int i, const double *x)
{
    double row[MOST_ROWS] = {0}, sum = 0, w[3];
    press_weights(c, modes, i, x, w);
    add_normal(c, i, w, 1, row, &sum);
    sum = -sum;
    for (int j = 0; j < c->count; j++)
        sum += row[j] * x[j];
    return sum;
}

static double scale_of(const Contacts *c, int row)
{
    double own = fabs(c->matrix[row * c->count + row]);
    return own > 0 ? sqrt(own) : 1;
}

/* Which friction a row of the contacts belongs to, -1 for a side; and its number in that. */
static int owner_of(const Contacts *c, int row, int *k)
{
    for (int i = 0; i < MODEL_FRICTIONS; i++)
        if (c->at[row] >= first_row(i) &&
            c->at[row] < first_row(i) + friction_of(i)[FRICTION_WIDTH])
            return *k = c->at[row] - first_row(i), i;
    return *k = 0, -1;
}

/* Whether a row's rate is to be 0, i being its friction. */
static int is_equation(const Contacts *c, const Modes *modes, int row, int i)
{
    return (i < 0 ? modes->held[c->at[row]] : modes->mode[i] == STICKS) &&
           !modes->without[c->at[row]];
}

/* The equations of these modes, with `x` for the weights of what presses. */
static void mode_equations(const Contacts *c, const Modes *modes, const double *x, double *matrix,
                           double *right)
{
    int n = c->count, k;
    memset(matrix, 0, sizeof(double) * (size_t)(n * n));
    for (int row = 0; row < n; row++) {
        int i = owner_of(c, row, &k);
        double *own = matrix + row * n, w[3];
        int acts = is_equation(c, modes, row, i);
        right[row] = acts ? c->right[row] : i < 0 ? c->least[row] : 0;
        if (acts)
            memcpy(own, c->matrix + row * n, sizeof(double) * (size_t)n);
        else
            own[row] = 1;
        if (i >= 0 && modes->mode[i] >= FORWARD) {
            press_weights(c, modes, i, x, w);
            add_normal(c, i, w, -direction_of(modes, i, k) * c->slide[i], own, &right[row]);
        }
    }
}

/* matrix x = right in numbers near 1, as solve_dependent. */
static int solve_scaled(const Contacts *c, const Modes *modes, double *matrix, double *right,
                        double *x, double *free)
{
    int n = c->count, count, k;
    for (int row = 0; row < n; row++) {
        int i = owner_of(c, row, &k);
        int acts = is_equation(c, modes, row, i);
        double factor = acts ? 1 / scale_of(c, row) : scale_of(c, row);
        right[row] *= factor;
        for (int j = 0; j < n; j++)
            matrix[row * n + j] *= factor / scale_of(c, j);
    }
    count = solve_dependent(matrix, n, right, x, free);
    for (int j = 0; j < n; j++) {
        x[j] /= scale_of(c, j);
        for (int f = 0; f < count; f++)
            free[f * n + j] /= scale_of(c, j);
    }
    return count;
}

/* Whether a row of the contacts is a two-sided condition. */
static int is_two_sided(const Contacts *c, int row)
{
    return c->at[row] >= MODEL_ONE_SIDED && c->at[row] < MODEL_SIDES;
}

/* Rows that follow from those before them are no equations: two-sided conditions come first, then
   one-sided ones, then what sticks. Beside servos, where there is no metric, all are equations. */
static void leave_dependent(const Contacts *c, Modes *modes)
{
    int n = c->count, count = 0, k;
    double basis[MOST_ROWS * MOST_ROWS]; /* by the rows so far, each of length 1 */
    memset(modes->without, 0, sizeof modes->without);
    for (int turn = 0; turn < 2 * n && !MODEL_DIRECTED; turn++) {
        int row = turn % n;
        double part[MOST_ROWS] = {0}, left = c->matrix[row * n + row];
        if (is_two_sided(c, row) != (turn < n) || !is_equation(c, modes, row, owner_of(c, row, &k)))
            continue;
        part[row] = 1;
        /* Orthogonal in the metric of the matrix. */
        for (int pass = 0; pass < 2; pass++)
            for (int b = 0; b < count; b++) {
                double along = 0;
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++)
                        along += part[i] * c->matrix[i * n + j] * basis[b * n + j];
                for (int j = 0; j < n; j++)
                    part[j] -= along * basis[b * n + j];
            }
        double length = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                length += part[i] * c->matrix[i * n + j] * part[j];
        if (!(length > 1e-9 * left)) {
            modes->without[c->at[row]] = 1;
            continue;
        }
        for (int j = 0; j < n; j++)
            basis[count * n + j] = part[j] / sqrt(length);
        count++;
    }
}

/* The forces in these modes; returns along how many directions they are free, or -1 where there are
   none. Forces of rows that were left out are 0, and the free ones but for two-sided conditions. */
static int solve_modes(const Contacts *c, const Modes *modes, double *x, double *free)
{
    double matrix[MOST_ROWS * MOST_ROWS], right[MOST_ROWS], last[MOST_ROWS], none[MOST_ROWS];
    int n = c->count, count = 0, several = 0;
    for (int i = 0; i < MODEL_FRICTIONS; i++)
        several = several || (friction_of(i)[FRICTION_PRESSES] > 1 && modes->mode[i] >= FORWARD);
    memset(x, 0, sizeof last);
    for (int round = 0; round < 60; round++) {
        double moved = 0, most = 0;
        memcpy(last, x, sizeof last);
        mode_equations(c, modes, last, matrix, right);
        count = solve_scaled(c, modes, matrix, right, x, free);
        for (int j = 0; j < n && count >= 0; j++) {
            moved = fmax(moved, fabs(x[j] - last[j]) * scale_of(c, j));
            most = fmax(most, fabs(x[j]) * scale_of(c, j));
        }
        if (count < 0 || !several || moved <= 1e-15 * most)
            break;
    }
    for (int row = 0; row < n && count >= 0 && count < n; row++)
        if (modes->without[c->at[row]] && !is_two_sided(c, row)) {
            mode_equations(c, modes, x, matrix, right);
            for (int j = 0; j < n; j++)
                right[j] = j == row;
            double own[MOST_ROWS * MOST_ROWS];
            solve_scaled(c, modes, matrix, right, none, own);
            memcpy(free + count++ * n, none, sizeof(double) * (size_t)n);
        }
    return count;
}

/* ---- Margins: what is above 0 as long as forces stay within their bounds. */

typedef struct {
    int rows;
    double slope[MOST_BOUNDS * MOST_ROWS], value[MOST_BOUNDS]; /* by the free directions */
    double weight[MOST_BOUNDS];                                /* in the least of them */
    int owner[MOST_BOUNDS];                                    /* a side; behind them frictions */
    double toward[2 * MOST_BOUNDS];                            /* of a friction: along which */
} Bounds;

/* by x + rest >= 0 */
static void add_bound(const Contacts *c, const double *x, const double *free, int count,
                      const double *by, double rest, int owner, const double *toward,
                      Bounds *bounds)
{
    int row = bounds->rows, n = c->count;
    double most = 0;
    if (row == MOST_BOUNDS)
        return;
    bounds->value[row] = rest;
    for (int j = 0; j < n; j++)
        bounds->value[row] += by[j] * x[j];
    for (int f = 0; f < count; f++) {
        bounds->slope[row * count + f] = 0;
        for (int j = 0; j < n; j++)
            bounds->slope[row * count + f] += by[j] * free[f * n + j];
        most = fmax(most, fabs(bounds->slope[row * count + f]));
    }
    if (!(most > 1e-9)) /* what is free does not change it */
        return;
    bounds->owner[row] = owner;
    for (int k = 0; k < 2 && toward; k++)
        bounds->toward[2 * row + k] = toward[k];
    bounds->rows++;
}

/* hold N - d x >= 0 of a friction that sticks, for a direction d. */
static void add_cone(const Contacts *c, const Modes *modes, int i, const double *d, const double *x,
                     const double *free, int count, Bounds *bounds)
{
    double by[MOST_ROWS] = {0}, rest = 0, w[3];
    press_weights(c, modes, i, x, w);
    add_normal(c, i, w, c->hold[i], by, &rest);
    for (int k = 0; k < friction_of(i)[FRICTION_WIDTH]; k++)
        by[c->place[first_row(i) + k]] -= d[k];
    add_bound(c, x, free, count, by, -rest, MODEL_SIDES + i, d, bounds);
}

static double friction_length(const Contacts *c, int i, const double *x)
{
    int at = c->place[first_row(i)];
    return friction_of(i)[FRICTION_WIDTH] == 1 ? fabs(x[at]) : hypot(x[at], x[at + 1]);
}

/* Where forces are free: the best of them, their least margin, and how it hangs on each. */
static double best_margin(const Contacts *c, const Modes *modes, const double *x,
                          const double *free, int count, double *best, Bounds *bounds)
{
    double part[MOST_ROWS], most = 0, margin = 0;
    bounds->rows = 0;
    for (int l = 0; l < MODEL_ONE_SIDED; l++)
        if (modes->held[l] && c->place[l] >= 0) {
            double by[MOST_ROWS] = {0};
            by[c->place[l]] = 1;
            add_bound(c, x, free, count, by, -c->least[c->place[l]], l, NULL, bounds);
        }
    for (int i = 0; i < MODEL_FRICTIONS; i++)
        for (int s = 0; s < 4 && modes->mode[i] == STICKS && c->place[first_row(i)] >= 0; s++) {
            double d[2] = {s == 0 ? 1 : s == 1 ? -1 : 0, s == 2 ? 1 : s == 3 ? -1 : 0};
            if (s < 2 * friction_of(i)[FRICTION_WIDTH])
                add_cone(c, modes, i, d, x, free, count, bounds);
        }
    memcpy(best, x, sizeof(double) * (size_t)c->count);
    for (int j = 0; j < c->count; j++)
        most = fmax(most, fabs(x[j]));
    /* Cones by their tangent planes, as many as it takes (Kelley 1960). */
    for (int round = 0; round < 40 && bounds->rows > 0; round++) {
        int added = 0;
        margin =
            largest_margin(bounds->slope, bounds->value, bounds->rows, count, part, bounds->weight);
        if (!(margin < HUGE_VAL))
            return margin;
        for (int j = 0; j < c->count; j++) {
            best[j] = x[j];
            for (int f = 0; f < count; f++)
                best[j] += part[f] * free[f * c->count + j];
        }
        for (int i = 0; i < MODEL_FRICTIONS; i++) {
            int at = c->place[first_row(i)];
            if (modes->mode[i] != STICKS || friction_of(i)[FRICTION_WIDTH] == 1 || at < 0)
                continue;
            double length = friction_length(c, i, best), d[2];
            if (!(c->hold[i] * normal_of(c, modes, i, best) - length < margin - 1e-14 * most) ||
                bounds->rows == MOST_BOUNDS)
                continue;
            d[0] = best[at] / length, d[1] = best[at + 1] / length;
            add_cone(c, modes, i, d, x, free, count, bounds);
            added = 1;
        }
        if (!added)
            break;
    }
    return bounds->rows ? margin : HUGE_VAL;
}

/* Where forces are not unique they are those of the largest margin, in the plane and for few of
   them; else the least. */
static int is_shared(const Contacts *c, const Modes *modes, int count)
{
    int round = 0;
    for (int i = 0; i < MODEL_FRICTIONS; i++)
        round = round || (c->place[first_row(i)] >= 0 && modes->mode[i] == STICKS &&
                          friction_of(i)[FRICTION_WIDTH] == 2);
    return count > 0 && count <= 3 && !round;
}

/* Whether a row's force is free. */
static int is_free(const Contacts *c, int row, const double *free, int count)
{
    for (int f = 0; f < count; f++)
        if (fabs(free[f * c->count + row]) * scale_of(c, row) > 1e-9)
            return 1;
    return 0;
}

static int is_loose(const Contacts *c, int i, const double *free, int count)
{
    int at = c->place[first_row(i)], side = friction_of(i)[FRICTION_SIDE], loose = 0;
    for (int k = 0; k < friction_of(i)[FRICTION_WIDTH] && at >= 0; k++)
        loose = loose || is_free(c, at + k, free, count);
    return loose || (at >= 0 && side >= 0 && is_free(c, c->place[side], free, count));
}

/* Of each side that is held and each friction that sticks: how far its force is from its bound. */
static void find_margins(const Contacts *c, const Modes *modes, const double *x, const double *free,
                         int count, double *of_side, double *of_friction)
{
    double best[MOST_ROWS], margin = HUGE_VAL;
    Bounds bounds;
    if (count > 0)
        margin = best_margin(c, modes, x, free, count, best, &bounds);
    for (int l = 0; l < MODEL_SIDES; l++) {
        int at = c->place[l];
        if (at >= 0 && modes->held[l])
            of_side[l] = count > 0 && is_free(c, at, free, count) ? margin : x[at] - c->least[at];
    }
    for (int i = 0; i < MODEL_FRICTIONS; i++) {
        if (c->place[first_row(i)] >= 0 && modes->mode[i] == STICKS)
            of_friction[i] = is_loose(c, i, free, count) ? margin
                                                         : c->hold[i] * normal_of(c, modes, i, x) -
                                                               friction_length(c, i, x);
    }
}
