// friction_massless.c: friction on what has no inertia, in a simulation.
//
// Its force F is what the balance of the other forces asks for, so that the state alone tells
// whether it holds. It begins to slide where |F| has reached the bound and would leave it at rest;
// its velocity is then the one with which |F| stays there (dynamics/hidden/hidden_friction.c).
#include "base/text_builder.h"
#include "dynamics/equations.h"
#include "dynamics/system_matrices.h"
#include "expr/arithmetic.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/friction.h"
#include "model/system.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_event_parts_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static size_t put_row(const FrictionContacts *contacts, size_t i, unsigned char mode, bool *finite,
                      Expr *outputs)
{
    Motion *motion = (Motion *)contacts->motion;
    const MotionFriction *friction = &motion->frictions[i];
    size_t n = contacts->n;
    MotionRow row = motion_friction_balance(motion, friction, (FrictionHold){.mode = mode}, finite);
    Expr *terms = base_alloc((n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++) {
        outputs[nu] = row.b[nu];
        terms[nu] = expr_mul(motion->pool, row.b[nu], friction->friction->massless[nu]);
    }
    outputs[n] = row.c;
    outputs[n + 1] = row.gamma;
    outputs[n + 2] = expr_sum(motion->pool, terms, n);
    base_free(terms);
    return n + 3;
}

Status massless_new(FrictionContacts *contacts, Arena *arena, Diag *diag)
{
    const Motion *motion = contacts->motion;
    size_t n = contacts->n, most = 2 * (n + 3) + 1, next = contacts->count;
    for (size_t i = 0; i < motion->side_count; i++)
        next += contacts->shares.program[i] != SIZE_MAX;
    contacts->massless = arena_array(arena, MasslessFriction, contacts->count + 1);
    Expr *outputs = base_alloc(most * sizeof *outputs);
    Status status = STATUS_OK;
    for (size_t i = 0; i < contacts->count && status == STATUS_OK; i++) {
        MasslessFriction *own = &contacts->massless[i];
        *own = (MasslessFriction){.program = SIZE_MAX};
        if (!motion_friction_is_massless(&motion->frictions[i]))
            continue;
        own->program = next++;
        own->out = real_alloc(arena, most);
        outputs[0] = motion->frictions[i].friction->balance;
        size_t at = 1;
        at += put_row(contacts, i, HOLD_FORWARD, &own->finite, outputs + at);
        at += put_row(contacts, i, HOLD_BACKWARD, &own->finite, outputs + at);
        status = friction_programs_add(contacts->programs, outputs, at, diag);
    }
    base_free(outputs);
    return status;
}

void massless_evaluate(FrictionContacts *contacts, const State *state, size_t i)
{
    MasslessFriction *own = &contacts->massless[i];
    if (own->program != SIZE_MAX)
        friction_programs_run(contacts->programs, own->program, state->inputs, own->out);
}

MasslessRow massless_row(const FrictionContacts *contacts, size_t i)
{
    const MasslessFriction *own = &contacts->massless[i];
    size_t n = contacts->n;
    assert(own->program != SIZE_MAX);
    const double *row = own->out + 1 + (own->slides < 0 ? n + 3 : 0);
    return (MasslessRow){row, row[n], row[n + 1], row[n + 2]};
}

size_t massless_of_row(const FrictionContacts *contacts, const ModelConstraint *constraint)
{
    for (size_t i = 0; i < contacts->count; i++)
        if (contacts->massless[i].program != SIZE_MAX &&
            contacts->motion->frictions[i].sticks[0].constraint == constraint)
            return i;
    return SIZE_MAX;
}

bool massless_slides(const FrictionContacts *contacts)
{
    bool any = false;
    for (size_t i = 0; i < contacts->count; i++)
        any = any || contacts->massless[i].slides != 0;
    return any;
}

// ---- Where it stands.

// A row behind those that are kept, with by how much it is off.
static void push_row(ContactEvent *event, const double *row, double off)
{
    for (size_t j = 0; j < event->friction->contacts->n; j++)
        if (row[j] != 0)
            sparse_store_push(&event->kept.rows, (uint32_t)j, row[j]);
    sparse_store_end_row(&event->kept.rows);
    array_push(&event->kept.partial_t, off);
}

// The rows of all balances, and of the equations; by what part of its bound a force is off.
static double gather(ContactEvent *event)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    FrictionContacts *contacts = event->friction->contacts;
    double most = 0;
    contact_set_begin(&event->kept);
    for (size_t k = 0; k < matrices->m; k++) {
        size_t i = massless_of_row(contacts, matrices_condition(matrices, k));
        FrictionHold hold = i == SIZE_MAX ? (FrictionHold){0} : event->friction->holds[i];
        if (hold.mode < HOLD_FORWARD || !contacts->massless[i].finite) {
            sparse_store_take(&event->kept.rows, &matrices->rows, k);
            array_push(&event->kept.partial_t, 0);
            continue;
        }
        contacts->massless[i].slides = hold.mode == HOLD_BACKWARD ? -1 : 1;
        // Within the bound, by rounding: what stops sticks then.
        double bound = contacts->at[i].sliding * (1 - 8 * DBL_EPSILON);
        double off = contacts->massless[i].out[0] + contacts->massless[i].slides * bound;
        push_row(event, massless_row(contacts, i).b, off);
        most = fmax(most, fabs(off) / fmax(bound, DBL_MIN));
    }
    return most;
}

void massless_settle(ContactEvent *event)
{
    FrictionContacts *contacts = event->friction->contacts;
    const SystemMatrices *matrices = event->contacts->matrices;
    double *way = base_alloc((contacts->n + 1) * sizeof *way);
    bool any = false;
    for (size_t i = 0; i < contacts->count; i++)
        any =
            any || (event->friction->holds[i].mode >= HOLD_FORWARD && contacts->massless[i].finite);
    for (int step = 0; step < LIMIT_PATIENCE && any; step++) {
        event_evaluate(event, event->before);
        friction_contacts_evaluate(contacts, matrices->state);
        memset(way, 0, contacts->n * sizeof *way);
        any = gather(event) > 2 * DBL_EPSILON;
        SparseRows rows = sparse_store_rows(&event->kept.rows);
        // Without inertia it moves alone.
        if (any && event_project(event, &rows, event->kept.partial_t.at, way))
            real_add_times(1, way, contacts->n, event->q);
    }
    base_free(way);
}

// ---- Whether it slides.

// The velocity of sliding with which |F| stays at the bound, and what it is a sum of.
static double needed_speed(const ContactEvent *event, size_t i, double *terms)
{
    const FrictionContacts *contacts = event->friction->contacts;
    MasslessRow row = massless_row(contacts, i);
    double rate = row.c, size = fabs(row.c);
    for (size_t j = 0; j < contacts->n; j++) {
        rate += row.b[j] * event->after[j];
        size += fabs(row.b[j] * event->after[j]);
    }
    *terms = size / fabs(row.stiffness);
    return contacts->at[i].u[0] - rate / row.stiffness;
}

// At rest: 1 or −1 where it begins to slide, 0 where it sticks.
static bool begins(ContactEvent *event, size_t i, signed char *slides)
{
    FrictionEvent *friction = event->friction;
    const FrictionContacts *contacts = friction->contacts;
    MasslessFriction *own = &contacts->massless[i];
    double force = own->out[0], bound = contacts->at[i].sticking, terms;
    double excess = fabs(force) - bound;
    *slides = 0;
    if (excess < -TOL_CONDITION * bound)
        return true;
    own->slides = force > 0 ? -1 : 1;
    if (own->finite && excess > TOL_AGREEMENT * bound) {
        text_addf(friction->reason,
                  "the force on what '%s' acts on is %.6g and its bound %.6g: what has no inertia "
                  "would jump there; begin where it is in balance",
                  contacts->motion->frictions[i].friction->name, fabs(force), bound);
        return false;
    }
    double speed = own->slides * needed_speed(event, i, &terms);
    // What has just stopped sticks: where it goes on all the same its force leaves the bound.
    if (!friction->stopped[i] && speed > TOL_CONDITION * terms &&
        speed > TOL_RATE * friction->fastest[i])
        *slides = own->slides;
    return true;
}

bool massless_decide(ContactEvent *event)
{
    FrictionEvent *friction = event->friction;
    FrictionContacts *contacts = friction->contacts;
    for (size_t i = 0; i < contacts->count; i++) {
        MasslessFriction *own = &contacts->massless[i];
        FrictionHold before = friction->holds[i];
        signed char slides = 0;
        if (own->program == SIZE_MAX)
            continue;
        if (friction->slips[i])
            slides = own->out[0] > 0 ? -1 : 1;
        else if (before.mode >= HOLD_FORWARD && !friction->stopped[i])
            slides = before.mode == HOLD_BACKWARD ? -1 : 1;
        else if (!begins(event, i, &slides))
            return false;
        own->slides = slides;
    }
    return true;
}

void massless_keep(ContactEvent *event)
{
    FrictionEvent *friction = event->friction;
    const FrictionContacts *contacts = friction->contacts;
    for (size_t i = 0; i < contacts->count; i++) {
        const MasslessFriction *own = &contacts->massless[i];
        const FrictionNumbers *numbers = &contacts->at[i];
        if (own->program == SIZE_MAX)
            continue;
        friction->holds[i].mode = (unsigned char)(own->slides > 0   ? HOLD_FORWARD
                                                  : own->slides < 0 ? HOLD_BACKWARD
                                                                    : HOLD_STICKS);
        double force = own->slides ? -own->slides * numbers->sliding : own->out[0];
        friction->force[FRICTION_MOST * i] = force;
        friction->slip[FRICTION_MOST * i] = numbers->u[0];
        friction->margin[i] = numbers->sticking - fabs(force);
    }
}
