// friction_timestep.c: a step of fixed length with dry friction: Coulomb's law on the velocities
// after it (Moreau 1988; Jean 1999).
//
//     𝓜(v⁺ − v⁻) = h·K − Σ gᵀλ + Σ wᵀF,   0 ≤ λ ⊥ f'⁺ ≤ 0,   |F| ≤ μ_s λ where u⁺ = 0, else
//
//     F = −μ_k λ·(direction of u⁺)
//
// with impulses λ, F of the whole step: the problem of an instant in which nothing moves yet, with
// velocities in the place of accelerations. It has a solution where an instant has none (Painlevé):
// the velocities jump in one step.
#include "base/diag.h"
#include "base/text_builder.h"
#include "contact/contact.h"
#include "contact/friction.h"
#include "dynamics/equations_types.h"
#include "dynamics/system_matrices.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/friction.h"
#include "simulate/contact_event_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/friction/sliding_system_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- The problem.

// The rows of a friction, at the end of the step where it acted since its beginning: between these
// u changes by η even if the velocities do not.
static void turn_rows(SlidingSystem *system, size_t i, size_t first, double turn)
{
    for (size_t k = first; k < system->row_count; k++)
        system->drifts.at[k] += turn * system->owner->at[i].eta[k - first];
}

// One-sided conditions that are reached, in their order; then two-sided ones with friction, and
// laws.
static void gather(ContactEvent *event, SlidingSystem *system, double h)
{
    const FrictionContacts *contacts = event->friction->contacts;
    SparseRows reached = sparse_store_rows(&event->touching.rows);
    bool *kept = base_alloc((contacts->motion->side_count + 1) * sizeof *kept);
    for (size_t k = 0; k < reached.count; k++) {
        size_t i = friction_of_side(contacts, event->touching.which.at[k]);
        FrictionContact contact = {.law = FRICTION_ONE_SIDED, .normals = 1};
        memset(system->row, 0, contacts->n * sizeof *system->row);
        sparse_row_add(&reached, k, 1, system->row);
        sliding_system_add_row(system, system->row, NULL, event->touching.gamma.at[k]);
        size_t first = system->row_count;
        sliding_system_add_friction(system, i, &contact, true);
        turn_rows(system, i, first, event->at.at[k].acted ? h / 2 : 0);
        sliding_system_add(system, contact, i,
                           event_constraint(event, event->touching.which.at[k]));
        kept[event->touching.which.at[k]] = true;
    }
    for (size_t i = 0; i < contacts->count; i++) {
        const MotionFriction *own = &contacts->motion->frictions[i];
        FrictionContact contact = {0};
        if (own->side != SIZE_MAX || !motion_friction_acts(contacts->motion, own, kept))
            continue;
        sliding_system_add_law(system, i, &contact, true);
        turn_rows(system, i, system->row_count - own->rows, h / 2);
        if (!own->constraint) {
            contact.sliding *= h;
            contact.sticking *= h;
        }
        sliding_system_add(system, contact, i, own->constraint);
    }
    base_free(kept);
    sliding_system_add_presses(system);
}

// ---- The answer.

// Of a velocity that is 0 rounding may leave something, by which a block would creep.
static void drop_rounding(const ContactEvent *event, const SlidingSystem *system,
                          const double *free)
{
    size_t n = system->n, rows = system->row_count;
    const SparseRows *inertia = &event->contacts->matrices->inertia;
    double *own = base_alloc((n + 1) * sizeof *own);
    sparse_rows_diagonal(inertia, own);
    for (size_t j = 0; j < n; j++) {
        double terms = fabs(free[j]);
        for (size_t k = 0; k < rows && own[j] > 0; k++)
            terms += fabs(system->dense.at[k * n + j] * system->forces.at[k]) / own[j];
        if (fabs(event->after[j]) <= TOL_SUM * terms)
            event->after[j] = 0;
    }
    base_free(own);
}

static void keep_state(FrictionEvent *friction, const SlidingSystem *system, size_t at, double h)
{
    size_t i = system->which.at[at];
    const FrictionState *state = &system->states.at[at];
    const FrictionContact *contact = &system->contacts.at[at];
    size_t row = system->begins.at[at];
    FrictionHold *hold = &friction->holds[i];
    if (state->mode == FRICTION_STICKS)
        hold->mode = HOLD_STICKS;
    if (state->mode == FRICTION_SLIPS)
        hold->mode = (unsigned char)(contact->tangents > 1     ? HOLD_TURNS
                                     : state->direction[0] > 0 ? HOLD_FORWARD
                                                               : HOLD_BACKWARD);
    hold->pulls = contact->law == FRICTION_TWO_SIDED && system->forces.at[row] < 0;
    for (size_t k = 0; k < contact->tangents; k++) {
        friction->force[FRICTION_MOST * i + k] = system->forces.at[row + contact->normals + k] / h;
        friction->slip[FRICTION_MOST * i + k] = system->rates.at[row + contact->normals + k];
    }
    friction->normal[i] = contact->law == FRICTION_GIVEN
                              ? sliding_system_pressing(system, at) / h
                              : friction->contacts->at[i].pressure * state->normal / h;
}

static void keep_answer(ContactEvent *event, SlidingSystem *system, double h)
{
    FrictionEvent *friction = event->friction;
    for (size_t i = 0; i < friction->count; i++) {
        friction->holds[i] = (FrictionHold){.mode = HOLD_OPEN};
        friction->normal[i] = 0;
        for (size_t k = 0; k < FRICTION_MOST; k++)
            friction->force[FRICTION_MOST * i + k] = friction->slip[FRICTION_MOST * i + k] = 0;
    }
    for (size_t at = 0; at < system->contacts.count; at++) {
        if (at < event->at.count)
            event->answer->lambda[at] = system->forces.at[system->begins.at[at]];
        if (system->which.at[at] != SIZE_MAX)
            keep_state(friction, system, at, h);
    }
    sliding_system_motion(system, event->after, event->answer->multipliers);
    drop_rounding(event, system, system->accelerations);
}

// Says why; false.
static bool no_forces(const ContactEvent *event)
{
    const FrictionEvent *friction = event->friction;
    SolveOutcome outcome = event->report->outcome;
    text_clear(friction->reason);
    text_add(
        friction->reason,
        outcome == SOLVE_NOT_FINITE ? "something in a friction has no finite value"
        : outcome == SOLVE_NO_MINIMUM
            ? "the inertia is not positive on the velocities that the equations leave free, so "
              "that contact forces with friction cannot be decided"
            : "no forces within the cones of friction were found for a step; smaller steps or "
              "another method may do better");
    return false;
}

bool friction_timestep(ContactEvent *event, double h, const double *drift)
{
    FrictionEvent *friction = event->friction;
    SlidingSystem *system = friction->system;
    const SystemMatrices *matrices = event->contacts->matrices;
    assert(h > 0);
    if (friction_is_heap(event)) {
        event->report->outcome = friction_heap_step(event, h, drift);
        return event->report->outcome == SOLVE_DONE || no_forces(event);
    }
    friction_contacts_evaluate(friction->contacts, matrices->state);
    memset(event->pull, 0, matrices->n * sizeof *event->pull);
    real_add_times(h, matrices->force, matrices->n, event->pull);
    event->report->outcome = sliding_system_begin(system, friction->contacts, matrices,
                                                  event->before, event->pull, drift);
    if (event->report->outcome == SOLVE_DONE) {
        gather(event, system, h);
        if (friction_is_unlawful(friction, system))
            return false;
        FrictionReport report = sliding_system_solve(system, friction->contacts->solver, false);
        event->report->outcome = report.outcome == SOLVE_SEVERAL ? SOLVE_DONE : report.outcome;
        friction->undetermined = friction->undetermined || report.wedged;
    }
    if (event->report->outcome != SOLVE_DONE)
        return no_forces(event);
    keep_answer(event, system, h);
    return true;
}

void friction_warn(ContactEvent *event, Diag *diag)
{
    FrictionEvent *friction = event->friction;
    if (!friction->undetermined || friction->warned)
        return;
    friction->warned = true;
    diag_add(diag, DIAG_WARNING, place_none(),
             "from t = %.10g on contact forces are not unique, and the motion depends on them: "
             "steps of fixed length take one of the motions that are possible",
             event->t);
}

// ---- Rows.

void friction_begin_steps(ContactEvent *event, const ContactEvent *start, double accuracy)
{
    FrictionEvent *friction = event->friction;
    const FrictionEvent *from = start->friction;
    assert(friction->count == from->count);
    friction->accuracy = accuracy;
    memcpy(friction->holds, from->holds, friction->count * sizeof *friction->holds);
    memcpy(friction->force, from->force, FRICTION_MOST * friction->count * sizeof(double));
}

void friction_fill_columns(const ContactEvent *event, const State *state, double *row)
{
    const FrictionEvent *friction = event->friction;
    if (!friction)
        return;
    FrictionContacts *contacts = friction->contacts;
    friction_contacts_evaluate(contacts, state);
    for (size_t i = 0; i < friction->count; i++) {
        const MotionFriction *own = &contacts->motion->frictions[i];
        size_t parts = own->friction->kind == FRICTION_AGAINST ? 1 : 3;
        double vector[3];
        friction_vector(&contacts->at[i], own, friction->force + FRICTION_MOST * i, vector);
        memcpy(row, vector, parts * sizeof *row);
        row[parts + 1] = friction->holds[i].mode >= HOLD_FORWARD  ? 2
                         : friction->holds[i].mode == HOLD_STICKS ? 1
                                                                  : 0;
        row += parts + 2;
    }
}
