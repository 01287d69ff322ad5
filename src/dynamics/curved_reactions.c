// curved_reactions.c: forces that hold reactions not linearly, as friction does whose bound is the
// length of several reactions, while it slides.
//
// The programs have such forces as their tangents at the reactions at hand. Solving and taking the
// new reactions, again and again, is Newton's method. Where it begins without anything to follow,
// other beginnings are tried too, so that several solutions are told.
#include "dynamics/condition_multipliers.h"
#include "dynamics/dynamics.h"
#include "dynamics/equation_modules.h"
#include "dynamics/equations.h"
#include "linalg/kkt.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_SIGNS = 4 }; // reactions whose signs are tried, all combinations of them

// The place of a row's reaction among those of all conditions.
static double *reaction_at(const Equations *eq, const State *state, size_t row)
{
    return state->multipliers + dynamics_multiplier_index(eq, eq->motion->rows[row].constraint);
}

// λ of a row as the last problem had it; 0 where it was left out.
static double lambda_at(const Equations *eq, const State *state, size_t row)
{
    size_t place = eq->independent.place[row];
    return place < eq->independent.count ? state->lambda[place] : 0;
}

// A tangent of a length needs a direction.
static void attach(const Equations *eq, State *state)
{
    for (size_t i = 0; i < eq->m; i++)
        *reaction_at(eq, state, i) = 1;
}

// The reactions at hand become those that were solved for; by what part of them they change, or of
// the other forces, where they are small beside these. A length has no tangent at 0.
static double follow(const Equations *eq, State *state)
{
    KktProblem problem = dynamics_problem(eq, state);
    double change = 0, push = real_largest(problem.rows, problem.row_count * eq->n);
    double size = push > 0 ? TOL_POOR * real_largest(problem.force, eq->n) / push : 0;
    for (size_t i = 0; i < eq->m; i++) {
        double *now = reaction_at(eq, state, i), next = lambda_at(eq, state, i);
        change = fmax(change, fabs(next - *now));
        size = fmax(size, fabs(next));
        *now = next != 0 ? next : copysign(DBL_EPSILON, *now);
    }
    return size > 0 ? change / size : 0;
}

static bool solve(const Equations *eq, State *state)
{
    state_need_dense(eq, state);
    KktProblem problem = dynamics_problem(eq, state);
    return kkt_solve(state->kkt, &problem, state->a, state->lambda).outcome == SOLVE_DONE;
}

// From what was solved last; false where it does not end.
static bool iterate(const Equations *eq, State *state)
{
    double before = INFINITY;
    for (int step = 0; step < LIMIT_STEPS; step++) {
        double change = follow(eq, state);
        if (change <= 4 * DBL_EPSILON || (change <= TOL_ZERO && change >= before))
            return true;
        before = change;
        if (!solve(eq, state))
            return false;
    }
    return false;
}

// ---- Where there is nothing to follow.

typedef struct {
    double *found; // LIMIT_SETS of them
    size_t count;
} Solutions;

static void take_solution(const Equations *eq, const State *state, Solutions *solutions)
{
    size_t m = eq->m;
    double *own = solutions->found + solutions->count * m, size = 0;
    for (size_t i = 0; i < m; i++) {
        own[i] = lambda_at(eq, state, i);
        size = fmax(size, fabs(own[i]));
    }
    for (size_t k = 0; k < solutions->count; k++) {
        double apart = 0;
        for (size_t i = 0; i < m; i++)
            apart = fmax(apart, fabs(own[i] - solutions->found[k * m + i]));
        if (apart <= TOL_AGREEMENT * size)
            return;
    }
    solutions->count++;
}

static void begin_at(const Equations *eq, State *state, const double *from, double scale,
                     size_t signs)
{
    for (size_t i = 0; i < eq->m; i++)
        *reaction_at(eq, state, i) =
            from ? from[i] : scale * (i < MOST_SIGNS && signs >> i & 1 ? -1 : 1);
}

// All solutions that are found from the signs of the reactions, the first one last.
static bool search(const Equations *eq, State *state)
{
    size_t m = eq->m, tries = (size_t)1 << (m < MOST_SIGNS ? m : MOST_SIGNS);
    double scale = 1;
    for (size_t i = 0; i < m; i++)
        scale = fmax(scale, fabs(lambda_at(eq, state, i)));
    Solutions solutions = {.found = base_alloc((LIMIT_SETS * m + 1) * sizeof(double))};
    if (iterate(eq, state))
        take_solution(eq, state, &solutions);
    for (size_t k = 0; k < tries && solutions.count < LIMIT_SETS; k++) {
        begin_at(eq, state, NULL, scale, k);
        if (solve(eq, state) && iterate(eq, state))
            take_solution(eq, state, &solutions);
    }
    state->failure.reactions = solutions.count;
    if (solutions.count > 0)
        begin_at(eq, state, solutions.found, 0, 0);
    base_free(solutions.found);
    return solutions.count == 1 && solve(eq, state) && iterate(eq, state);
}

static DynamicsOutcome accelerations(const Equations *eq, State *state)
{
    assert(eq->motion->bends);
    bool first = state->failure.reactions == 0;
    return (first ? search(eq, state) : iterate(eq, state)) ? DYNAMICS_FOUND : DYNAMICS_REACTIONS;
}

const EquationModule curved_reactions_module = {.attach = attach, .accelerations = accelerations};
