// branch_start.c: which stationary point of Gauss's function a motion begins with (Hamel 252).
//
// The least is the motion. Where several are least the first in order is taken, or the one that was
// asked for.
#include "algebra/stationary.h"
#include "base/diag.h"
#include "base/strings.h"
#include "dynamics/dynamics.h"
#include "dynamics/second_class/second_class.h"
#include "expr/arithmetic.h"
#include "model/constraint.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/second_class/branches_impl.h"
#include "simulate/simulation_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

bool branches_apply(const Motion *motion)
{
    return motion->second_count > 0;
}

// "x = 1, y = 2, x' = 3": what the conditions hold of the state.
static void add_state(const Equations *eq, const State *state, Text *text)
{
    const Motion *motion = eq->motion;
    bool any = false;
    // Of the inputs t | q | v; t last.
    for (size_t i = 1; i <= 2 * eq->n + 1; i++) {
        size_t at = eq->params + i % (2 * eq->n + 1);
        Expr symbol = eq->symbols[at];
        bool held = false;
        for (size_t j = state->second_class->affine; j < motion->second_count && !held; j++)
            held = expr_holds(motion->pool, motion->seconds[j].f, symbol);
        if (!held)
            continue;
        text_addf(text, "%s%s = %.10g", any ? ", " : "", expr_name(motion->pool, symbol),
                  state->inputs[at]);
        any = true;
    }
    if (!any)
        text_add(text, "whatever the state is");
}

static Status no_solution(const Equations *eq, const State *state, bool certified, Diag *diag)
{
    const ModelConstraint *constraint = second_class_condition(state->second_class);
    Text holds = {0};
    add_state(eq, state, &holds);
    diag_error(diag, constraint->place,
               certified ? "at the start no accelerations meet the constraint '%s'%s: it has no "
                           "real solution there (%s); start where it has one"
                         : "at the start no accelerations were found that meet the constraint "
                           "'%s'%s (%s); start where there are some",
               constraint->name, eq->motion->in_force_count > 1 ? " and the others" : "", holds.at);
    text_clear(&holds);
    return STATUS_WRONG;
}

static void report(const Simulation *sim, Diag *diag)
{
    const RunBranches *told = &sim->branches->told;
    size_t wanted = sim->settings.branch;
    Place place = second_class_condition(sim->base->state->second_class)->place;
    Place choice = place_with_hint(place, HINT_BRANCH);
    if (!told->certified)
        diag_add(
            diag, DIAG_WARNING, place,
            "the stationary points of the constraint were searched for from many places, which "
            "does not prove that these are all: only for polynomials in few accelerations is "
            "that certain");
    if (told->tied > 1 && wanted == 0)
        diag_add(
            diag, DIAG_WARNING, choice,
            "at the start %zu accelerations have the least constraint, %.10g: a tie. The first "
            "in order is taken; branch 1 … %zu says which",
            told->tied, told->at[0].constraint, told->count);
    if (wanted > told->tied)
        diag_add(diag, DIAG_WARNING, choice,
                 "branch %zu has the constraint %.10g, and the least is %.10g: it is not the "
                 "motion by Gauss's principle",
                 wanted, told->at[told->taken].constraint, told->at[0].constraint);
}

// A point that Newton's method cannot follow: its accelerations are known, its multipliers are not.
static Status take_irregular(Simulation *sim, Diag *diag)
{
    const Equations *eq = sim->base->eq;
    State *state = sim->base->state;
    const ModelConstraint *constraint = second_class_condition(state->second_class);
    size_t taken = sim->branches->told.taken;
    bool continuum = sim->branches->told.at[taken].kind == BRANCH_CONTINUUM;
    const char *what = continuum
                           ? "a whole continuum of accelerations has the least constraint, so "
                             "that Gauss's principle does not determine the motion"
                           : "the least constraint is at a singular point of the constraint, "
                             "where ∂f/∂q″ vanishes and the reaction is not determined";
    if (!sim->settings.instant)
        return diag_error(diag, place_with_hint(constraint->place, HINT_BRANCH),
                          "at the start %s; a run cannot follow it, but another branch, that is, "
                          "another stationary point",
                          what);
    diag_add(diag, DIAG_WARNING, constraint->place, "at the start %s", what);
    dynamics_take_point(eq, state, sim->branches->told.at[taken].a,
                        second_class_size(state->second_class));
    for (size_t i = state->second_class->affine; i < eq->motion->second_count; i++) {
        const ModelConstraint *own = eq->motion->seconds[i].row.constraint;
        state->multipliers[dynamics_multiplier_index(eq, own)] = NAN;
        state->lambda[eq->m + i] = NAN;
    }
    return STATUS_OK;
}

// The points at the start, and which of them is the motion.
static Status find_branches(Simulation *sim, Diag *diag)
{
    State *state = sim->base->state;
    sim->branches = arena_alloc(sim->arena, sizeof *sim->branches);
    Branches *found = sim->branches->found = arena_alloc(sim->arena, sizeof *found);
    RunBranches *told = &sim->branches->told;
    size_t wanted = sim->settings.branch;
    branches_find(state->second_class, found);
    if (found->count == 0)
        return no_solution(sim->base->eq, state, found->certified, diag);
    if (wanted > found->count)
        return diag_error(diag, place_hint(HINT_BRANCH),
                          "branch %zu: there %s only %zu stationary point%s at the start", wanted,
                          found->count == 1 ? "is" : "are", found->count,
                          found->count == 1 ? "" : "s");
    *told = (RunBranches){.at = found->at,
                          .count = found->count,
                          .certified = found->certified,
                          .taken = wanted > 0 ? wanted - 1 : 0,
                          .tied = 1};
    while (told->tied < told->count &&
           stationary_ties(told->at[told->tied].constraint, told->at[0].constraint))
        told->tied++;
    report(sim, diag);
    return STATUS_OK;
}

Status branches_start(Simulation *sim, Diag *diag)
{
    const Equations *eq = sim->base->eq;
    State *state = sim->base->state;
    SecondClass *second_class = state->second_class;
    assert(second_class);
    if (second_class->curved == 0)
        return STATUS_OK;
    dynamics_problem(eq, state);
    TRY(find_branches(sim, diag));
    const RunBranch *taken = &sim->branches->told.at[sim->branches->told.taken];
    if (!taken->lambda)
        return take_irregular(sim, diag);
    memcpy(second_class->x, taken->a, second_class_size(second_class) * sizeof(double));
    second_class->follows = true;
    if (dynamics_accelerations(eq, state, NULL) == DYNAMICS_FOUND)
        return STATUS_OK;
    // At a degenerate point Newton's method has no direction, and what was found is exact already.
    dynamics_take_point(eq, state, taken->a, second_class_size(second_class));
    return sim->settings.instant
               ? STATUS_OK
               : diag_error(diag, second_class_condition(state->second_class)->place,
                            "at the start the acceleration of least constraint is a "
                            "degenerate point, which a run cannot follow; start beside it");
}

void branches_free(Simulation *sim)
{
    if (sim->branches)
        branches_clear(sim->branches->found);
}
