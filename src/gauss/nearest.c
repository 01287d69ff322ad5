// nearest.c: the point nearest to 0 of a polyhedron, by the dual active-set method.
//
// The normals of the conditions that act are kept as W = QR, Q of orthonormal columns. A condition
// that is broken enters along the part of its normal that stands off W; those whose multipliers
// reach 0 on the way leave. Where nothing of the normal stands off and nobody can leave, the
// conditions exclude each other.
// Source of the method: Goldfarb, Idnani, Mathematical Programming 27 (1983) 1–33.
#include "gauss/gauss_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A condition is broken where its value exceeds this part of the terms that it is a sum of.
// Larger: small reactions are lost. Smaller: rounding passes for a breach, and the search may go in
// circles; it is then begun again with more patience.
#define BROKEN 4e-14
// Where the others exclude a condition but it is broken by no more than this part, rounding did it.
#define NEARLY 1e-9
// A share of a normal in another one that is no larger than this is rounding.
#define SHARE 1e-13
// So many exchanges for each condition, and no more.
#define MOST_EXCHANGES 20

struct Nearest {
    size_t most_size, most_count;
    double *q;       // size × active
    double *r;       // active × active, column after column, upper triangle
    double *y;       // size
    double *off;     // size: the part of a normal that stands off
    double *along;   // active: Qᵀw, then R⁻¹Qᵀw
    double *part;    // active: multipliers of those that act, in their order
    double *lengths; // count: |w|
    bool *passed;    // count: conditions that hold as nearly as they can
    double broken;   // which part of its terms a condition may exceed 0 by
    size_t *active;  // in the order of R's columns
    size_t active_count;
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

Nearest *nearest_new(size_t most_size, size_t most_count)
{
    size_t most = smaller(most_size, most_count) + 1;
    Nearest *nearest = base_alloc(sizeof *nearest);
    nearest->most_size = most_size;
    nearest->most_count = most_count;
    nearest->q = base_alloc((most_size * most + 1) * sizeof(double));
    nearest->r = base_alloc(most * most * sizeof(double));
    nearest->y = base_alloc((most_size + 1) * sizeof(double));
    nearest->off = base_alloc((most_size + 1) * sizeof(double));
    nearest->along = base_alloc(most * sizeof(double));
    nearest->part = base_alloc(most * sizeof(double));
    nearest->lengths = base_alloc((most_count + 1) * sizeof(double));
    nearest->passed = base_alloc((most_count + 1) * sizeof *nearest->passed);
    nearest->active = base_alloc(most * sizeof *nearest->active);
    return nearest;
}

void nearest_free(Nearest *nearest)
{
    if (!nearest)
        return;
    base_free(nearest->q);
    base_free(nearest->r);
    base_free(nearest->y);
    base_free(nearest->off);
    base_free(nearest->along);
    base_free(nearest->part);
    base_free(nearest->lengths);
    base_free(nearest->passed);
    base_free(nearest->active);
    base_free(nearest);
}

static double length_of(const double *a, size_t count)
{
    return sqrt(real_dot(a, a, count));
}

static double *column_of_r(const Nearest *nearest, size_t column)
{
    return nearest->r + column * (smaller(nearest->most_size, nearest->most_count) + 1);
}

// ---- The factors of the conditions that act.

// Splits a normal: Qᵀw into `along`, the rest into `off`; returns the rest's length, 0 where the
// normal depends on those that act. Done twice, so that `off` is orthogonal to the last digit.
static double split(Nearest *nearest, const double *w, double length, size_t size)
{
    size_t active = nearest->active_count;
    memcpy(nearest->off, w, size * sizeof *w);
    memset(nearest->along, 0, active * sizeof *nearest->along);
    for (int round = 0; round < 2; round++)
        for (size_t c = 0; c < active; c++) {
            const double *axis = nearest->q + c * size;
            double part = real_dot(axis, nearest->off, size);
            nearest->along[c] += part;
            real_add_times(-part, axis, size, nearest->off);
        }
    double rest = length_of(nearest->off, size);
    return active < size && rest > STANDS_OFF * length ? rest : 0;
}

// Takes in the condition that was split last.
static void enter(Nearest *nearest, size_t condition, double rest, size_t size)
{
    size_t at = nearest->active_count++;
    double *column = column_of_r(nearest, at), *axis = nearest->q + at * size;
    memcpy(column, nearest->along, at * sizeof *column);
    column[at] = rest;
    for (size_t i = 0; i < size; i++)
        axis[i] = nearest->off[i] / rest;
    nearest->active[at] = condition;
}

// Turns two axes so that the second of two entries of R vanishes.
static void turn_axes(Nearest *nearest, size_t at, size_t size)
{
    double *first = column_of_r(nearest, at), a = first[at], b = first[at + 1];
    double length = hypot(a, b), c = a / length, s = b / length;
    for (size_t column = at; column < nearest->active_count; column++) {
        double *entry = column_of_r(nearest, column) + at, above = entry[0], below = entry[1];
        entry[0] = c * above + s * below;
        entry[1] = c * below - s * above;
    }
    double *one = nearest->q + at * size, *two = one + size;
    for (size_t i = 0; i < size; i++) {
        double above = one[i], below = two[i];
        one[i] = c * above + s * below;
        two[i] = c * below - s * above;
    }
}

// Lets the condition at a place of the order go.
static void leave(Nearest *nearest, size_t at, size_t size)
{
    size_t last = --nearest->active_count;
    for (size_t c = at; c < last; c++) {
        memcpy(column_of_r(nearest, c), column_of_r(nearest, c + 1), (c + 2) * sizeof(double));
        nearest->active[c] = nearest->active[c + 1];
        nearest->part[c] = nearest->part[c + 1];
    }
    for (size_t c = at; c < last; c++)
        turn_axes(nearest, c, size);
}

// R⁻¹x, in place.
static void solve_upper(const Nearest *nearest, double *x)
{
    for (size_t c = nearest->active_count; c-- > 0;) {
        const double *column = column_of_r(nearest, c);
        x[c] /= column[c];
        real_add_times(-x[c], column, c, x);
    }
}

// R⁻ᵀx, in place.
static void solve_lower(const Nearest *nearest, double *x)
{
    for (size_t c = 0; c < nearest->active_count; c++) {
        const double *column = column_of_r(nearest, c);
        x[c] = (x[c] - real_dot(column, x, c)) / column[c];
    }
}

// The multipliers and the point that belong to those that act, from their factors alone: R⁻¹R⁻ᵀo
// and −QR⁻ᵀo. So nothing adds up over many exchanges.
static void settle(Nearest *nearest, const NearestProblem *problem)
{
    size_t active = nearest->active_count, size = problem->size;
    for (size_t c = 0; c < active; c++)
        nearest->part[c] = problem->offsets[nearest->active[c]];
    solve_lower(nearest, nearest->part);
    memset(nearest->y, 0, size * sizeof *nearest->y);
    for (size_t c = 0; c < active; c++)
        real_add_times(-nearest->part[c], nearest->q + c * size, size, nearest->y);
    solve_upper(nearest, nearest->part);
}

// ---- The search.

static bool is_equation(const NearestProblem *problem, size_t condition)
{
    return condition < problem->equations;
}

static const double *normal_of(const NearestProblem *problem, size_t condition)
{
    return problem->normals + condition * problem->size;
}

// The place of the multiplier that has the wrong sign most; active_count where none has.
static size_t most_pulling(const Nearest *nearest, const NearestProblem *problem)
{
    size_t worst = nearest->active_count;
    double least = 0;
    for (size_t c = 0; c < nearest->active_count; c++)
        if (nearest->part[c] < least && !is_equation(problem, nearest->active[c])) {
            least = nearest->part[c];
            worst = c;
        }
    return worst;
}

// Takes in the equations and those believed to act, as far as they are independent, less the ones
// that would have to pull.
static void begin(Nearest *nearest, const NearestProblem *problem, const bool *acting)
{
    size_t size = problem->size, worst;
    nearest->active_count = 0;
    for (size_t i = 0; i < problem->count; i++) {
        const double *w = normal_of(problem, i);
        double length = nearest->lengths[i] = length_of(w, size);
        if (!acting[i] && !is_equation(problem, i))
            continue;
        double rest = split(nearest, w, length, size);
        if (rest > 0)
            enter(nearest, i, rest, size);
    }
    settle(nearest, problem);
    while ((worst = most_pulling(nearest, problem)) < nearest->active_count) {
        leave(nearest, worst, size);
        settle(nearest, problem);
    }
}

static double value_of(const Nearest *nearest, const NearestProblem *problem, size_t condition)
{
    return problem->offsets[condition] +
           real_dot(normal_of(problem, condition), nearest->y, problem->size);
}

// The size of the terms that a condition is a sum of, `far` being |y|.
static double terms_of(const Nearest *nearest, const NearestProblem *problem, size_t condition,
                       double far)
{
    double own = problem->sizes ? problem->sizes[condition] : fabs(problem->offsets[condition]);
    return own + nearest->lengths[condition] * far;
}

// The condition that is broken most, as a distance, equations first; `count` where none is.
static size_t most_broken(const Nearest *nearest, const NearestProblem *problem, const bool *acting)
{
    size_t worst = problem->count;
    double far = length_of(nearest->y, problem->size), most = 0;
    for (size_t i = 0; i < problem->count; i++) {
        if (acting[i] || nearest->passed[i])
            continue;
        double value = value_of(nearest, problem, i);
        bool equation = is_equation(problem, i);
        double breach = equation ? fabs(value) : value;
        if (breach <= nearest->broken * terms_of(nearest, problem, i, far))
            continue;
        double distance = equation ? INFINITY : breach / real_max(nearest->lengths[i], DBL_MIN);
        if (distance > most) {
            most = distance;
            worst = i;
        }
    }
    return worst;
}

// How far the multipliers let the entering one grow, and which of them stops it.
static double room_to_grow(const Nearest *nearest, const NearestProblem *problem, double sign,
                           double length, size_t *stops)
{
    double least = INFINITY;
    *stops = nearest->active_count;
    for (size_t c = 0; c < nearest->active_count; c++) {
        double falls = sign * nearest->along[c];
        size_t condition = nearest->active[c];
        // What rounding leaves of a share that vanishes is no reason to leave.
        if (is_equation(problem, condition) ||
            falls * nearest->lengths[condition] <= SHARE * length)
            continue;
        double room = real_max(nearest->part[c], 0) / falls;
        if (room < least) {
            least = room;
            *stops = c;
        }
    }
    return least;
}

// Brings a broken condition to hold; others leave where they must. False where nothing can.
static bool bring_to_hold(Nearest *nearest, const NearestProblem *problem, size_t condition,
                          bool *acting, size_t *exchanges)
{
    size_t size = problem->size, stops;
    const double *w = normal_of(problem, condition);
    double length = nearest->lengths[condition];
    for (;;) {
        ++*exchanges;
        double value = value_of(nearest, problem, condition), sign = value < 0 ? -1 : 1;
        double rest = split(nearest, w, length, size);
        double full = rest > 0 ? fabs(value) / (rest * rest) : INFINITY;
        // What enters keeps Qᵀw; how the others' multipliers fall is R⁻¹ of it.
        double *along = nearest->along, *kept = column_of_r(nearest, nearest->active_count);
        memcpy(kept, along, nearest->active_count * sizeof *kept);
        solve_upper(nearest, along);
        double room = room_to_grow(nearest, problem, sign, length, &stops);
        if (isinf(room) && isinf(full))
            return false;
        if (full <= room) {
            memcpy(along, kept, nearest->active_count * sizeof *along);
            enter(nearest, condition, rest, size);
            acting[condition] = true;
            settle(nearest, problem);
            return true;
        }
        real_add_times(-sign * room, along, nearest->active_count, nearest->part);
        if (rest > 0)
            real_add_times(-sign * room, nearest->off, size, nearest->y);
        acting[nearest->active[stops]] = false;
        leave(nearest, stops, size);
    }
}

// How the conditions that act exclude another one, whose shares in them stand in `along`.
static void witness(const Nearest *nearest, const NearestProblem *problem, size_t row,
                    double *lambda)
{
    memset(lambda, 0, problem->count * sizeof *lambda);
    double sign = value_of(nearest, problem, row) < 0 ? -1 : 1;
    lambda[row] = sign;
    for (size_t c = 0; c < nearest->active_count; c++) {
        size_t other = nearest->active[c];
        double share = -sign * nearest->along[c];
        bool rounding = share * nearest->lengths[other] <= SHARE * nearest->lengths[row];
        lambda[other] = rounding && !is_equation(problem, other) ? 0 : share;
    }
}

// The point once more, with what rounding left of the conditions that act taken off.
static void polish(Nearest *nearest, const NearestProblem *problem)
{
    size_t active = nearest->active_count, size = problem->size;
    double *miss = nearest->along;
    for (size_t c = 0; c < active; c++)
        miss[c] = value_of(nearest, problem, nearest->active[c]);
    solve_lower(nearest, miss);
    for (size_t c = 0; c < active; c++)
        real_add_times(-miss[c], nearest->q + c * size, size, nearest->y);
    solve_upper(nearest, miss);
    real_add_times(1, miss, active, nearest->part);
}

static void hand_out(const Nearest *nearest, const NearestProblem *problem, double *lambda,
                     double *y)
{
    memset(lambda, 0, problem->count * sizeof *lambda);
    for (size_t c = 0; c < nearest->active_count; c++) {
        size_t condition = nearest->active[c];
        bool pulls = nearest->part[c] < 0 && !is_equation(problem, condition);
        lambda[condition] = pulls ? 0 : nearest->part[c];
    }
    if (y)
        memcpy(y, nearest->y, problem->size * sizeof *y);
}

// More than rounding can explain.
static bool is_badly_broken(const Nearest *nearest, const NearestProblem *problem, size_t row)
{
    double value = value_of(nearest, problem, row), far = length_of(nearest->y, problem->size);
    double breach = is_equation(problem, row) ? fabs(value) : value;
    return breach > NEARLY * terms_of(nearest, problem, row, far);
}

// A condition that once held as nearly as it could and does not any more; `count` where none is.
static size_t broken_since(Nearest *nearest, const NearestProblem *problem)
{
    for (size_t i = 0; i < problem->count; i++)
        if (nearest->passed[i] && is_badly_broken(nearest, problem, i)) {
            nearest->passed[i] = false;
            return i;
        }
    return problem->count;
}

static NearestOutcome search(Nearest *nearest, const NearestProblem *problem, bool *acting,
                             double *lambda, size_t *row)
{
    size_t exchanges = 0, most = MOST_EXCHANGES * (problem->count + problem->size + 1);
    memset(nearest->passed, 0, problem->count * sizeof *nearest->passed);
    begin(nearest, problem, acting);
    memset(acting, 0, problem->count * sizeof *acting);
    for (size_t c = 0; c < nearest->active_count; c++)
        acting[nearest->active[c]] = true;
    while ((*row = most_broken(nearest, problem, acting)) < problem->count ||
           (*row = broken_since(nearest, problem)) < problem->count) {
        if (exchanges > most)
            return NEAREST_LOST;
        if (bring_to_hold(nearest, problem, *row, acting, &exchanges))
            continue;
        if (is_badly_broken(nearest, problem, *row)) {
            witness(nearest, problem, *row, lambda);
            return NEAREST_NONE;
        }
        // Those that left to let it in may be needed again.
        nearest->passed[*row] = true;
        settle(nearest, problem);
    }
    return NEAREST_FOUND;
}

NearestOutcome nearest_solve(Nearest *nearest, const NearestProblem *problem, bool *acting,
                             double *lambda, double *y, size_t *row)
{
    NearestOutcome outcome = NEAREST_LOST;
    for (nearest->broken = BROKEN; outcome == NEAREST_LOST && nearest->broken < NEARLY;
         nearest->broken *= 30)
        outcome = search(nearest, problem, acting, lambda, row);
    if (outcome == NEAREST_FOUND) {
        polish(nearest, problem);
        hand_out(nearest, problem, lambda, y);
    }
    return outcome;
}
