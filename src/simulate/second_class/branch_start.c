// branch_start.c: which stationary point of Gauss's function is the motion at the start (Hamel
// 252): the least; where several are least the first in order, or the one that was asked for. Why
// there is none, at the start and later, in words.
#include "algebra/stationary.h"
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/condition_multipliers.h"
#include "dynamics/dynamics.h"
#include "dynamics/second_class/second_class.h"
#include "model/constraint.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/second_class/branch_start_impl.h"
#include "simulate/simulation_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static Status no_solution(const Equations *eq, const State *state, bool certified, Diag *diag)
{
    const SecondClass *second_class = state->second_class;
    const ModelConstraint *constraint = second_class_condition(second_class);
    bool others = second_class_size(second_class) > eq->n + 1;
    Text holds = {0};
    second_class_add_held(second_class, &holds);
    if (!constraint)
        diag_error(diag, second_class_place(second_class),
                   certified ? "at the start no accelerations make S − Σ Q q″ stationary (Appell "
                               "17): the equations have no real solution there (%s)"
                             : "at the start no accelerations were found that make S − Σ Q q″ "
                               "stationary (Appell 17) (%s)",
                   holds.length ? holds.at : "whatever the state is");
    else
        diag_error(diag, constraint->place,
                   certified
                       ? "at the start no accelerations meet the constraint '%s'%s: it has no "
                         "real solution there (%s); start where it has one"
                       : "at the start no accelerations were found that meet the constraint "
                         "'%s'%s (%s); start where there are some",
                   constraint->name, others ? " and the others" : "",
                   holds.length ? holds.at : "whatever the state is");
    text_clear(&holds);
    return STATUS_WRONG;
}

static void report(const Simulation *sim, Diag *diag)
{
    const RunBranches *told = sim->branches;
    size_t wanted = sim->settings.branch;
    Place place = second_class_place(sim->base->state->second_class);
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
    const RunBranch *taken = &sim->branches->at[sim->branches->taken];
    const SecondClass *second_class = sim->base->state->second_class;
    Place place = second_class_place(sim->base->state->second_class);
    if (taken->lambda && !sim->settings.instant)
        return diag_error(diag, place,
                          "at the start the acceleration of least constraint is a degenerate "
                          "point, which a run cannot follow; start beside it");
    const char *what = taken->kind == BRANCH_CONTINUUM
                           ? "a whole continuum of accelerations has the least constraint, so "
                             "that Gauss's principle does not determine the motion"
                           : "the least constraint is at a singular point of the constraint, "
                             "where ∂f/∂q″ vanishes and the reaction is not determined";
    if (!sim->settings.instant)
        return diag_error(diag, place_with_hint(place, HINT_BRANCH),
                          "at the start %s; a run cannot follow it, but another branch, that is, "
                          "another stationary point",
                          what);
    size_t size = second_class_size(second_class);
    for (size_t i = size - second_class->curved; i < size && !taken->lambda; i++)
        taken->a[i] = NAN;
    if (!taken->lambda)
        diag_add(diag, DIAG_WARNING, place, "at the start %s", what);
    dynamics_put_point(sim->base->eq, sim->base->state, taken->a, size);
    dynamics_hand_out_multipliers(sim->base->eq, sim->base->state, true);
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

Status second_class_start(Simulation *sim, Diag *diag)
{
    assert(sim->base && diag);
    State *state = sim->base->state;
    SecondClass *second_class = state->second_class;
    if (!second_class)
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

bool second_class_add_reason(const Equations *eq, const State *state, DynamicsOutcome why,
                             Text *text)
{
    (void)eq;
    if (why != DYNAMICS_BRANCH)
        return false;
    const ModelConstraint *condition = second_class_condition(state->second_class);
    text_add(text, "the acceleration of least constraint that was followed ends there, and no "
                   "other is found near it");
    if (condition)
        text_addf(text, " that meets the constraint '%s'", condition->name);
    return true;
}
