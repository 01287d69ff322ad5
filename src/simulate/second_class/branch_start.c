// branch_start.c: which stationary point of Gauss's function a motion begins with (Hamel 252).
//
// The least is the motion. Where several are least the first in order is taken, or the one that was
// asked for.
#include "algebra/stationary.h"
#include "base/diag.h"
#include "base/strings.h"
#include "dynamics/dynamics.h"
#include "dynamics/second_class/second_class.h"
#include "dynamics/speed_choice.h"
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

static Status no_solution(const Equations *eq, const State *state, bool certified, Diag *diag)
{
    const Motion *motion = eq->motion;
    const ModelConstraint *constraint = second_class_condition(state->second_class);
    Text holds = {0};
    ARRAY(Expr) curved = {0};
    for (size_t i = motion->affine_count; i < motion->second_count; i++)
        array_push(&curved, motion->seconds[i].f);
    state_add_held(eq, state, curved.at, curved.count, &holds);
    diag_error(diag, constraint->place,
               certified ? "at the start no accelerations meet the constraint '%s'%s: it has no "
                           "real solution there (%s); start where it has one"
                         : "at the start no accelerations were found that meet the constraint "
                           "'%s'%s (%s); start where there are some",
               constraint->name, motion->in_force_count > 1 ? " and the others" : "",
               holds.length ? holds.at : "whatever the state is");
    array_clear(&curved);
    text_clear(&holds);
    return STATUS_WRONG;
}

static void report(const Simulation *sim, Diag *diag)
{
    const RunBranches *told = sim->branches;
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

// A point that Newton's method cannot follow. What was found is exact already; the multipliers of a
// point that is not regular are not known.
static Status take_irregular(Simulation *sim, Diag *diag)
{
    const Equations *eq = sim->base->eq;
    State *state = sim->base->state;
    const ModelConstraint *constraint = second_class_condition(state->second_class);
    const RunBranch *taken = &sim->branches->at[sim->branches->taken];
    if (taken->lambda && !sim->settings.instant)
        return diag_error(diag, constraint->place,
                          "at the start the acceleration of least constraint is a degenerate "
                          "point, which a run cannot follow; start beside it");
    const char *what = taken->kind == BRANCH_CONTINUUM
                           ? "a whole continuum of accelerations has the least constraint, so "
                             "that Gauss's principle does not determine the motion"
                           : "the least constraint is at a singular point of the constraint, "
                             "where ∂f/∂q″ vanishes and the reaction is not determined";
    if (!sim->settings.instant)
        return diag_error(diag, place_with_hint(constraint->place, HINT_BRANCH),
                          "at the start %s; a run cannot follow it, but another branch, that is, "
                          "another stationary point",
                          what);
    dynamics_take_point(eq, state, taken->a, second_class_size(state->second_class));
    if (taken->lambda)
        return STATUS_OK;
    diag_add(diag, DIAG_WARNING, constraint->place, "at the start %s", what);
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
    RunBranches *told = sim->branches = arena_alloc(sim->arena, sizeof *told);
    size_t wanted = sim->settings.branch;
    if (!branches_find(state->second_class, told) || told->count == 0)
        return no_solution(sim->base->eq, state, told->certified, diag);
    if (wanted > told->count)
        return diag_error(diag, place_hint(HINT_BRANCH),
                          "branch %zu: there %s only %zu stationary point%s at the start", wanted,
                          told->count == 1 ? "is" : "are", told->count,
                          told->count == 1 ? "" : "s");
    told->taken = wanted > 0 ? wanted - 1 : 0;
    for (told->tied = 1; told->tied < told->count; told->tied++)
        if (!stationary_ties(told->at[told->tied].constraint, told->at[0].constraint))
            break;
    report(sim, diag);
    return STATUS_OK;
}

Status branches_start(Simulation *sim, Diag *diag)
{
    State *state = sim->base->state;
    SecondClass *second_class = state->second_class;
    assert(second_class);
    if (second_class->curved == 0)
        return STATUS_OK;
    TRY(find_branches(sim, diag));
    const RunBranch *taken = &sim->branches->at[sim->branches->taken];
    memcpy(second_class->x, taken->a, second_class_size(second_class) * sizeof(double));
    second_class->follows = taken->lambda != NULL;
    return second_class->follows &&
                   dynamics_accelerations(sim->base->eq, state, NULL) == DYNAMICS_FOUND
               ? STATUS_OK
               : take_irregular(sim, diag);
}
