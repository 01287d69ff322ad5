// qp_dual.c: the point nearest to 0 of a polyhedron, by the dual active-set method.
//
// The normals of the conditions that act are kept as W = QR, Q of orthonormal columns. A condition
// that is broken enters along the part of its normal that stands off W; those whose multipliers
// reach 0 on the way leave. Where nothing of the normal stands off and nobody can leave, the
// conditions exclude each other.
// Source of the method: Goldfarb, Idnani, Mathematical Programming 27 (1983) 1–33.
#include "contact/contact_impl.h"

#include <assert.h>
#include <float.h>

struct QpDual {
    const QpProblem *problem;
    bool *acting;    // the answer
    size_t stride;   // of R's columns
    double *q;       // size × active
    double *r;       // active × active, column after column, upper triangle, its diagonal inverted
    double *y;       // size
    double *off;     // size: the part of a normal that stands off
    double *along;   // active: Qᵀw, then R⁻¹Qᵀw
    double *part;    // active: multipliers of those that act, in their order
    double *lengths; // count: |w|
    bool *passed;    // count: conditions that hold as nearly as they can
    // Which part of its terms a condition may exceed 0 by: TOL_SUM, unless rounding
    // passes for a breach and the search goes in circles; it is then begun again with more.
    double broken;
    size_t *active; // in the order of R's columns
    size_t active_count;
};

QpDual *qp_dual_new(Arena *arena, size_t most_size, size_t most_count)
{
    assert(arena);
    size_t most = (most_size < most_count ? most_size : most_count) + 1;
    QpDual *qp = arena_alloc(arena, sizeof *qp);
    qp->stride = most;
    qp->q = real_alloc(arena, most_size * most);
    qp->r = real_alloc(arena, most * most);
    qp->y = real_alloc(arena, most_size);
    qp->off = real_alloc(arena, most_size);
    qp->along = real_alloc(arena, most);
    qp->part = real_alloc(arena, most);
    qp->lengths = real_alloc(arena, most_count);
    qp->passed = arena_alloc(arena, most_count * sizeof *qp->passed);
    qp->active = arena_alloc(arena, most * sizeof *qp->active);
    return qp;
}

static double *column_of_r(const QpDual *qp, size_t column)
{
    return qp->r + column * qp->stride;
}

// ---- The factors of the conditions that act.

// Splits a normal: Qᵀw into `along`, the rest into `off`; returns the rest's length, 0 where the
// normal depends on those that act.
static double split(QpDual *qp, const double *w, double length, size_t size)
{
    size_t active = qp->active_count;
    memcpy(qp->off, w, size * sizeof *w);
    memset(qp->along, 0, active * sizeof *qp->along);
    double rest = basis_take_off(qp->q, active, size, qp->off, qp->along);
    return active < size && rest > TOL_RANK * length ? rest : 0;
}

// Takes in the condition that was split last.
static void enter(QpDual *qp, size_t condition, double rest, size_t size)
{
    assert(rest > 0 && qp->active_count < qp->stride);
    size_t at = qp->active_count++;
    double *column = column_of_r(qp, at), *axis = qp->q + at * size;
    memcpy(column, qp->along, at * sizeof *column);
    column[at] = 1 / rest;
    for (size_t i = 0; i < size; i++)
        axis[i] = qp->off[i] / rest;
    qp->active[at] = condition;
}

// Turns two axes so that the second of two entries of R vanishes, and inverts the first.
static void turn_axes(QpDual *qp, size_t at, size_t size)
{
    double *first = column_of_r(qp, at), a = first[at], b = first[at + 1];
    double length = hypot(a, b), c = a / length, s = b / length;
    for (size_t column = at; column < qp->active_count; column++) {
        double *entry = column_of_r(qp, column) + at, above = entry[0], below = entry[1];
        entry[0] = c * above + s * below;
        entry[1] = c * below - s * above;
    }
    first[at] = 1 / length;
    double *one = qp->q + at * size, *two = one + size;
    for (size_t i = 0; i < size; i++) {
        double above = one[i], below = two[i];
        one[i] = c * above + s * below;
        two[i] = c * below - s * above;
    }
}

// Lets the condition at a place of the order go.
static void leave(QpDual *qp, size_t at, size_t size)
{
    assert(at < qp->active_count);
    size_t last = --qp->active_count;
    for (size_t c = at; c < last; c++) {
        double *column = column_of_r(qp, c);
        memcpy(column, column_of_r(qp, c + 1), (c + 2) * sizeof *column);
        column[c + 1] = 1 / column[c + 1];
        qp->active[c] = qp->active[c + 1];
        qp->part[c] = qp->part[c + 1];
    }
    for (size_t c = at; c < last; c++)
        turn_axes(qp, c, size);
}

// ---- The search.

static bool is_equation(const QpDual *qp, size_t condition)
{
    return condition < qp->problem->equations;
}

static const double *normal_of(const QpDual *qp, size_t condition)
{
    return qp->problem->normals + condition * qp->problem->size;
}

static double value_of(const QpDual *qp, size_t condition)
{
    return qp->problem->offsets[condition] +
           real_dot(normal_of(qp, condition), qp->y, qp->problem->size);
}

// Takes off what is left of the conditions that act: from their multipliers R⁻¹R⁻ᵀs, and from the
// point QR⁻ᵀs.
static void correct(QpDual *qp)
{
    size_t active = qp->active_count, size = qp->problem->size;
    double *miss = qp->along;
    for (size_t c = 0; c < active; c++)
        miss[c] = value_of(qp, qp->active[c]);
    cholesky_solve_lower(qp->r, active, qp->stride, miss);
    for (size_t c = 0; c < active; c++)
        real_add_times(-miss[c], qp->q + c * size, size, qp->y);
    cholesky_solve_upper(qp->r, active, qp->stride, miss);
    real_add_times(1, miss, active, qp->part);
}

// The multipliers and the point that belong to those that act, from their factors alone, so that
// nothing adds up over many exchanges.
static void settle(QpDual *qp)
{
    memset(qp->y, 0, qp->problem->size * sizeof *qp->y);
    memset(qp->part, 0, qp->active_count * sizeof *qp->part);
    correct(qp);
}

// The place of the multiplier that has the wrong sign most; active_count where none has.
static size_t most_pulling(const QpDual *qp)
{
    size_t worst = qp->active_count;
    double least = 0;
    for (size_t c = 0; c < qp->active_count; c++)
        if (qp->part[c] < least && !is_equation(qp, qp->active[c])) {
            least = qp->part[c];
            worst = c;
        }
    return worst;
}

// Takes in the equations and those believed to act, as far as they are independent, less the ones
// that would have to pull.
static void begin(QpDual *qp)
{
    size_t size = qp->problem->size, worst;
    qp->active_count = 0;
    for (size_t i = 0; i < qp->problem->count; i++) {
        const double *w = normal_of(qp, i);
        double length = qp->lengths[i] = real_length(w, size);
        if (!qp->acting[i] && !is_equation(qp, i))
            continue;
        double rest = split(qp, w, length, size);
        if (rest > 0)
            enter(qp, i, rest, size);
    }
    settle(qp);
    while ((worst = most_pulling(qp)) < qp->active_count) {
        leave(qp, worst, size);
        settle(qp);
    }
}

// By how much a condition is broken; 0 where that is no more than this part of the terms that it is
// a sum of, `far` being |y|.
static double breach_of(const QpDual *qp, size_t i, double far, double part)
{
    double value = value_of(qp, i), breach = is_equation(qp, i) ? fabs(value) : value;
    double own = qp->problem->sizes ? qp->problem->sizes[i] : fabs(qp->problem->offsets[i]);
    return breach > part * (own + qp->lengths[i] * far) ? breach : 0;
}

// More than rounding can explain.
static bool is_badly_broken(const QpDual *qp, size_t row)
{
    return breach_of(qp, row, real_length(qp->y, qp->problem->size), TOL_AGREEMENT) > 0;
}

// The condition that is broken most, as a distance, equations first; `count` where none is.
static size_t most_broken(const QpDual *qp)
{
    size_t worst = qp->problem->count;
    double far = real_length(qp->y, qp->problem->size), most = 0;
    for (size_t i = 0; i < qp->problem->count; i++) {
        if (qp->acting[i] || qp->passed[i])
            continue;
        double distance = breach_of(qp, i, far, qp->broken) / real_max(qp->lengths[i], DBL_MIN);
        distance = distance > 0 && is_equation(qp, i) ? INFINITY : distance;
        if (distance > most) {
            most = distance;
            worst = i;
        }
    }
    return worst;
}

// How far the multipliers let the entering one grow, and which of them stops it.
static double room_to_grow(const QpDual *qp, double sign, double length, size_t *stops)
{
    double least = INFINITY;
    *stops = qp->active_count;
    for (size_t c = 0; c < qp->active_count; c++) {
        double falls = sign * qp->along[c];
        size_t condition = qp->active[c];
        // What rounding leaves of a share that vanishes is no reason to leave.
        if (is_equation(qp, condition) || falls * qp->lengths[condition] <= TOL_SUM * length)
            continue;
        double room = real_max(qp->part[c], 0) / falls;
        if (room < least) {
            least = room;
            *stops = c;
        }
    }
    return least;
}

// Brings a broken condition to hold; others leave where they must. False where nothing can.
static bool bring_to_hold(QpDual *qp, size_t condition, size_t *exchanges)
{
    assert(condition < qp->problem->count && !qp->acting[condition]);
    size_t size = qp->problem->size, stops;
    const double *w = normal_of(qp, condition);
    double length = qp->lengths[condition];
    for (;;) {
        ++*exchanges;
        double value = value_of(qp, condition), sign = value < 0 ? -1 : 1;
        double rest = split(qp, w, length, size);
        double full = rest > 0 ? fabs(value) / (rest * rest) : INFINITY;
        // What enters keeps Qᵀw; how the others' multipliers fall is R⁻¹ of it.
        double *along = qp->along, *kept = column_of_r(qp, qp->active_count);
        memcpy(kept, along, qp->active_count * sizeof *kept);
        cholesky_solve_upper(qp->r, qp->active_count, qp->stride, along);
        double room = room_to_grow(qp, sign, length, &stops);
        if (isinf(room) && isinf(full))
            return false;
        if (full <= room) {
            memcpy(along, kept, qp->active_count * sizeof *along);
            enter(qp, condition, rest, size);
            qp->acting[condition] = true;
            settle(qp);
            return true;
        }
        real_add_times(-sign * room, along, qp->active_count, qp->part);
        if (rest > 0)
            real_add_times(-sign * room, qp->off, size, qp->y);
        qp->acting[qp->active[stops]] = false;
        leave(qp, stops, size);
    }
}

// How the conditions that act exclude another one, whose shares in them stand in `along`.
static void witness(const QpDual *qp, size_t row, double *lambda)
{
    memset(lambda, 0, qp->problem->count * sizeof *lambda);
    double sign = value_of(qp, row) < 0 ? -1 : 1;
    lambda[row] = sign;
    for (size_t c = 0; c < qp->active_count; c++) {
        size_t other = qp->active[c];
        double share = -sign * qp->along[c];
        bool rounding = share * qp->lengths[other] <= TOL_SUM * qp->lengths[row];
        lambda[other] = rounding && !is_equation(qp, other) ? 0 : share;
    }
}

// A condition that once held as nearly as it could and does not any more; `count` where none is.
static size_t broken_since(QpDual *qp)
{
    for (size_t i = 0; i < qp->problem->count; i++)
        if (qp->passed[i] && is_badly_broken(qp, i)) {
            qp->passed[i] = false;
            return i;
        }
    return qp->problem->count;
}

static SolveOutcome search(QpDual *qp, double *lambda, size_t *row)
{
    size_t exchanges = 0, most = LIMIT_STEPS * (qp->problem->count + qp->problem->size + 1);
    memset(qp->passed, 0, qp->problem->count * sizeof *qp->passed);
    begin(qp);
    memset(qp->acting, 0, qp->problem->count * sizeof *qp->acting);
    for (size_t c = 0; c < qp->active_count; c++)
        qp->acting[qp->active[c]] = true;
    while ((*row = most_broken(qp)) < qp->problem->count ||
           (*row = broken_since(qp)) < qp->problem->count) {
        if (exchanges > most)
            return SOLVE_UNDECIDED;
        if (bring_to_hold(qp, *row, &exchanges))
            continue;
        if (is_badly_broken(qp, *row)) {
            witness(qp, *row, lambda);
            return SOLVE_CONTRADICTION;
        }
        // Those that left to let it in may be needed again.
        qp->passed[*row] = true;
        settle(qp);
    }
    return SOLVE_DONE;
}

SolveOutcome qp_dual_solve(QpDual *qp, const QpProblem *problem, bool *acting, double *lambda,
                           double *y, size_t *row)
{
    assert(problem->equations <= problem->count && acting && lambda && row);
    static const double parts[] = {TOL_SUM, TOL_ZERO, TOL_RATE, TOL_RANK};
    SolveOutcome outcome = SOLVE_UNDECIDED;
    qp->problem = problem;
    qp->acting = acting;
    for (size_t i = 0; outcome == SOLVE_UNDECIDED && i < sizeof parts / sizeof parts[0]; i++) {
        qp->broken = parts[i];
        outcome = search(qp, lambda, row);
    }
    if (outcome != SOLVE_DONE)
        return outcome;
    correct(qp);
    memset(lambda, 0, problem->count * sizeof *lambda);
    for (size_t c = 0; c < qp->active_count; c++) {
        bool pulls = qp->part[c] < 0 && !is_equation(qp, qp->active[c]);
        lambda[qp->active[c]] = pulls ? 0 : qp->part[c];
    }
    if (y)
        memcpy(y, qp->y, problem->size * sizeof *y);
    return outcome;
}
