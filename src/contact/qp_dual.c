// qp_dual.c: the point nearest to 0 of a polyhedron, by the dual active-set method.
//
// The normals of the conditions that act have an orthonormal basis. A condition that is broken
// enters along the part of its normal that stands off it; those whose multipliers reach 0 on the
// way leave. Where nothing of the normal stands off and nobody can leave, the conditions exclude
// each other.
// Source of the method: Goldfarb, Idnani, Mathematical Programming 27 (1983) 1–33.
#include "contact/contact_impl.h"

#include <assert.h>
#include <float.h>

typedef struct {
    const LcpProblem *problem;
    bool *acting;    // the answer
    Basis basis;     // of the normals that act
    double *y;       // size
    double *miss;    // active: what is left of those that act
    double *part;    // active: multipliers of those that act, in their order
    double *lengths; // count: |w|
    bool *passed;    // count: conditions that hold as nearly as they can
    // Which part of its terms a condition may exceed 0 by: TOL_SUM, unless rounding
    // passes for a breach and the search goes in circles; it is then begun again with more.
    double broken;
    size_t *active; // in the order of the basis
} QpDual;

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
    return qp->problem->phi0[condition] +
           real_dot(normal_of(qp, condition), qp->y, qp->problem->size);
}

// ---- The conditions that act.

// Examines a normal: whether it is independent of those that act.
static bool stands_off(QpDual *qp, size_t condition)
{
    Basis *basis = &qp->basis;
    double rest = basis_examine(basis, normal_of(qp, condition));
    return rest > TOL_RANK && basis->count < basis->most;
}

// Takes in the condition that was examined last.
static void enter(QpDual *qp, size_t condition)
{
    qp->active[qp->basis.count] = condition;
    basis_take_examined(&qp->basis);
}

// Lets the condition at a place of the order go.
static void leave(QpDual *qp, size_t at)
{
    basis_drop(&qp->basis, at);
    for (size_t c = at; c < qp->basis.count; c++) {
        qp->active[c] = qp->active[c + 1];
        qp->part[c] = qp->part[c + 1];
    }
}

// Takes off what is left of the conditions that act, from the point along each axis, and from their
// multipliers as the axis is made of them.
static void correct(QpDual *qp)
{
    const Basis *basis = &qp->basis;
    for (size_t c = 0; c < basis->count; c++)
        qp->miss[c] = value_of(qp, qp->active[c]);
    for (size_t c = 0; c < basis->count; c++) {
        const double *made_of = basis->made_of + c * basis->most;
        double along = real_dot(made_of, qp->miss, c + 1);
        real_add_times(-along, basis->units + c * basis->n, basis->n, qp->y);
        real_add_times(along, made_of, c + 1, qp->part);
    }
}

// The multipliers and the point that belong to those that act, from their factors alone, so that
// nothing adds up over many exchanges.
static void settle(QpDual *qp)
{
    memset(qp->y, 0, qp->problem->size * sizeof *qp->y);
    memset(qp->part, 0, qp->basis.count * sizeof *qp->part);
    correct(qp);
}

// ---- The search.

// The place of the multiplier that has the wrong sign most; that of none where none has.
static size_t most_pulling(const QpDual *qp)
{
    size_t worst = qp->basis.count;
    double least = 0;
    for (size_t c = 0; c < qp->basis.count; c++)
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
    size_t worst;
    qp->basis.count = 0;
    for (size_t i = 0; i < qp->problem->count; i++) {
        qp->lengths[i] = real_length(normal_of(qp, i), qp->problem->size);
        if ((qp->acting[i] || is_equation(qp, i)) && stands_off(qp, i))
            enter(qp, i);
    }
    settle(qp);
    while ((worst = most_pulling(qp)) < qp->basis.count) {
        leave(qp, worst);
        settle(qp);
    }
}

// By how much a condition is broken; 0 where that is no more than this part of the terms that it is
// a sum of, `far` being |y|.
static double breach_of(const QpDual *qp, size_t i, double far, double part)
{
    double value = value_of(qp, i), breach = is_equation(qp, i) ? fabs(value) : value;
    double own = qp->problem->sizes ? qp->problem->sizes[i] : fabs(qp->problem->phi0[i]);
    return breach > part * (own + qp->lengths[i] * far) ? breach : 0;
}

// The condition that is broken most, as a distance, equations first; `count` where none is.
static size_t most_broken(const QpDual *qp)
{
    size_t worst = qp->problem->count;
    double far = real_length(qp->y, qp->problem->size), most = 0;
    for (size_t i = 0; i < qp->problem->count; i++) {
        if (qp->acting[i])
            continue;
        // What once held as nearly as it could may be broken since.
        double breach = breach_of(qp, i, far, qp->passed[i] ? TOL_AGREEMENT : qp->broken);
        double distance = breach / real_max(qp->lengths[i], DBL_MIN);
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
    *stops = qp->basis.count;
    for (size_t c = 0; c < qp->basis.count; c++) {
        double falls = sign * qp->basis.parts[c];
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
    const Basis *basis = &qp->basis;
    size_t size = qp->problem->size, stops;
    for (;;) {
        ++*exchanges;
        double value = value_of(qp, condition), sign = value < 0 ? -1 : 1;
        bool off = stands_off(qp, condition);
        double full = off ? fabs(value) / real_dot(basis->rest, basis->rest, size) : INFINITY;
        double room = room_to_grow(qp, sign, qp->lengths[condition], &stops);
        if (isinf(room) && isinf(full))
            return false;
        if (full <= room) {
            enter(qp, condition);
            qp->acting[condition] = true;
            settle(qp);
            return true;
        }
        real_add_times(-sign * room, basis->parts, basis->count, qp->part);
        if (off)
            real_add_times(-sign * room, basis->rest, size, qp->y);
        qp->acting[qp->active[stops]] = false;
        leave(qp, stops);
    }
}

// How the conditions that act exclude another one, which was examined last.
static void witness(const QpDual *qp, size_t row, double *lambda)
{
    memset(lambda, 0, qp->problem->count * sizeof *lambda);
    double sign = value_of(qp, row) < 0 ? -1 : 1;
    lambda[row] = sign;
    for (size_t c = 0; c < qp->basis.count; c++) {
        size_t other = qp->active[c];
        double share = -sign * qp->basis.parts[c];
        bool rounding = share * qp->lengths[other] <= TOL_SUM * qp->lengths[row];
        lambda[other] = rounding && !is_equation(qp, other) ? 0 : share;
    }
}

static SolveOutcome search(QpDual *qp, double *lambda, size_t *row)
{
    size_t exchanges = 0, most = LIMIT_STEPS * (qp->problem->count + qp->problem->size + 1);
    memset(qp->passed, 0, qp->problem->count * sizeof *qp->passed);
    begin(qp);
    memset(qp->acting, 0, qp->problem->count * sizeof *qp->acting);
    for (size_t c = 0; c < qp->basis.count; c++)
        qp->acting[qp->active[c]] = true;
    while ((*row = most_broken(qp)) < qp->problem->count) {
        if (exchanges > most)
            return SOLVE_UNDECIDED;
        if (bring_to_hold(qp, *row, &exchanges))
            continue;
        // More than rounding can explain?
        if (breach_of(qp, *row, real_length(qp->y, qp->problem->size), TOL_AGREEMENT) > 0) {
            witness(qp, *row, lambda);
            return SOLVE_CONTRADICTION;
        }
        // Those that left to let it in may be needed again.
        qp->passed[*row] = true;
        settle(qp);
    }
    return SOLVE_DONE;
}

SolveOutcome qp_dual_solve(Arena *arena, const LcpProblem *problem, bool *acting, double *lambda,
                           double *y, size_t *row)
{
    assert(problem->equations <= problem->count && acting && lambda && row);
    static const double parts[] = {TOL_SUM, TOL_ZERO, TOL_RATE, TOL_RANK};
    size_t count = problem->count, most = problem->size < count ? problem->size : count;
    SolveOutcome outcome = SOLVE_UNDECIDED;
    QpDual qp = {.problem = problem,
                 .acting = acting,
                 .y = real_alloc(arena, problem->size),
                 .lengths = real_alloc(arena, count),
                 .passed = arena_array(arena, bool, count),
                 .active = arena_array(arena, size_t, most)};
    real_alloc_each(arena, most, &qp.miss, &qp.part);
    basis_init(&qp.basis, arena, problem->size, most);
    for (size_t i = 0; outcome == SOLVE_UNDECIDED && i < sizeof parts / sizeof parts[0]; i++) {
        qp.broken = parts[i];
        outcome = search(&qp, lambda, row);
    }
    if (outcome != SOLVE_DONE)
        return outcome;
    correct(&qp);
    memset(lambda, 0, count * sizeof *lambda);
    for (size_t c = 0; c < qp.basis.count; c++) {
        bool pulls = qp.part[c] < 0 && !is_equation(&qp, qp.active[c]);
        lambda[qp.active[c]] = pulls ? 0 : qp.part[c];
    }
    memcpy(y, qp.y, problem->size * sizeof *y);
    return outcome;
}
