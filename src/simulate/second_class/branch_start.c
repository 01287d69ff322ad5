// branch_start.c: which stationary point of Gauss's function a motion begins with (Hamel 252).
//
// The least is the motion. Where several are least the first in order is taken, or the one that was
// asked for.
#include "algebra/algebra.h"
#include "dynamics/second_class/second_class.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/second_class/branches_impl.h"
#include "simulate/simulation_impl.h"

#include <math.h>
#include <string.h>

static const ModelConstraint *first_curved(const Equations *eq, const State *state)
{
    return eq->motion->seconds[state->second_class->affine].row.constraint;
}

// "x = 1, y = 2, x' = 3": what the conditions hold of the holds.
void branch_add_state(const Equations *eq, const State *state, Text *text)
{
    const Motion *motion = eq->motion;
    bool any = false;
    for (size_t i = 0; i < 2 * motion->n + 1; i++) {
        size_t nu = i % motion->n;
        Expr symbol = i == 2 * motion->n ? motion->model->t
                      : i < motion->n    ? motion->q[nu]
                                         : motion->v[nu];
        double value = i == 2 * motion->n ? *state->t : i < motion->n ? state->q[nu] : state->v[nu];
        bool held = false;
        for (size_t j = state->second_class->affine; j < motion->second_count && !held; j++)
            held = expr_holds(motion->pool, motion->seconds[j].f, symbol);
        if (!held)
            continue;
        text_addf(text, "%s%s = %.10g", any ? ", " : "", expr_name(motion->pool, symbol), value);
        any = true;
    }
    if (!any)
        text_add(text, "whatever the state is");
}

static Status no_solution(const Equations *eq, const State *state, bool certified, Diag *diag)
{
    const ModelConstraint *constraint = first_curved(eq, state);
    Text holds = {0};
    branch_add_state(eq, state, &holds);
    diag_error(diag, constraint->place,
               certified ? "at the start no accelerations meet the constraint '%s'%s: it has no "
                           "real solution there (%s); start where it has one"
                         : "at the start no accelerations were found that meet the constraint "
                           "'%s'%s (%s); start where there are some",
               constraint->name, eq->motion->in_force_count > 1 ? " and the others" : "", holds.at);
    text_clear(&holds);
    return STATUS_WRONG;
}

static void say(const Run *run, Diag *diag)
{
    const RunBranches *told = &run->branches_told;
    Place place = first_curved(run->base->eq, run->base->state)->place;
    if (!told->certified)
        diag_add(
            diag, DIAG_WARNING, place,
            "the stationary points of the constraint were searched for from many places, which "
            "does not prove that these are all: only for polynomials in few accelerations is "
            "that certain");
    if (told->tied > 1 && run->settings.branch == 0)
        diag_add(
            diag, DIAG_WARNING, place,
            "at the start %zu accelerations have the least constraint, %.10g: a tie. The first "
            "in order is taken; --branch 1 … %zu says which",
            told->tied, told->at[0].constraint, told->count);
    if (run->settings.branch > told->tied)
        diag_add(diag, DIAG_WARNING, place,
                 "--branch %zu has the constraint %.10g, and the least is %.10g: it is not the "
                 "motion by Gauss's principle",
                 run->settings.branch, told->at[told->taken].constraint, told->at[0].constraint);
}

// A point that Newton cannot follow: the accelerations are told, the multipliers are not.
static Status take_irregular(Run *run, const KktProblem *problem, bool instant, Diag *diag)
{
    const Equations *eq = run->base->eq;
    State *state = run->base->state;
    const ModelConstraint *constraint = first_curved(eq, state);
    size_t taken = run->branches_told.taken;
    bool continuum = run->branches->at[taken].kind == BRANCH_CONTINUUM;
    const char *what = continuum
                           ? "a whole continuum of accelerations has the least constraint, so "
                             "that Gauss's principle does not determine the motion"
                           : "the least constraint is at a singular point of the constraint, "
                             "where ∂f/∂q″ vanishes and the reaction is not determined";
    if (!instant)
        return diag_error(diag, constraint->place,
                          "at the start %s; a run cannot follow it, --branch n takes another "
                          "stationary point ('zwang at' lists them)",
                          what);
    diag_add(diag, DIAG_WARNING, constraint->place, "at the start %s", what);
    dynamics_take_point(eq, state, problem, run->branches->x[taken]);
    const ModelConstraint *first = eq->motion->model->constraints.at;
    for (size_t i = state->second_class->affine; i < eq->motion->second_count; i++) {
        state->multipliers[eq->motion->seconds[i].row.constraint - first] = NAN;
        state->lambda[eq->m + i] = NAN;
    }
    return STATUS_OK;
}

Status branches_begin(Run *run, bool instant, Diag *diag)
{
    const Equations *eq = run->base->eq;
    State *state = run->base->state;
    SecondClass *second_class = state->second_class;
    if (!second_class || second_class->curved == 0)
        return run->settings.branch == 0
                   ? STATUS_OK
                   : diag_error(
                         diag, place_none(),
                         "--branch chooses among several stationary points, and here is only "
                         "one: no constraint is of the second class and not affine in the "
                         "accelerations");
    KktProblem problem = dynamics_problem(eq, state);
    Branches *branches = run->branches;
    branches_find(second_class, &problem, state->inputs, branches);
    if (branches->count == 0)
        return no_solution(eq, state, branches->certified, diag);
    if (run->settings.branch > branches->count)
        return diag_error(diag, place_none(),
                          "--branch %zu: there %s only %zu stationary point%s at the start",
                          run->settings.branch, branches->count == 1 ? "is" : "are",
                          branches->count, branches->count == 1 ? "" : "s");
    RunBranches *told = &run->branches_told;
    *told = (RunBranches){.at = branches->at,
                          .count = branches->count,
                          .certified = branches->certified,
                          .taken = run->settings.branch > 0 ? run->settings.branch - 1 : 0,
                          .tied = 1};
    while (told->tied < told->count &&
           stationary_ties(told->at[told->tied].constraint, told->at[0].constraint))
        told->tied++;
    say(run, diag);
    const RunBranch *taken = &told->at[told->taken];
    if (!taken->lambda)
        return take_irregular(run, &problem, instant, diag);
    memcpy(second_class->x, branches->x[told->taken],
           second_class_size(second_class, &problem) * sizeof *second_class->x);
    second_class->follows = true;
    // At a degenerate point Newton stands still, and what was found is exact already.
    if (dynamics_accelerations(eq, state, NULL) != DYNAMICS_FOUND) {
        problem = dynamics_problem(eq, state);
        dynamics_take_point(eq, state, &problem, branches->x[told->taken]);
        return instant ? STATUS_OK
                       : diag_error(diag, first_curved(eq, state)->place,
                                    "at the start the acceleration of least constraint is a "
                                    "degenerate point, which a run cannot follow; start beside it");
    }
    return STATUS_OK;
}
