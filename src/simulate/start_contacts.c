// start_contacts.c: unilateral conditions at the start (Mayer 1899, §§ 1–4).
//
// A condition with f = 0 touches. The start is an event of a run (contact_event.c): where f' > 0
// the velocities jump first, by an impact; an impulse at t = 0 makes them jump too. Those with f =
// 0 and f' = 0 may then act.
#include "base/diag.h"
#include "contact/contact.h"
#include "dynamics/dynamics.h"
#include "dynamics/system_matrices.h"
#include "dynamics/unilaterals.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "simulate/contact_event_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/given_impulses_impl.h"
#include "simulate/impact_law_impl.h"
#include "simulate/run_options.h"
#include "simulate/run_sides.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// ---- Each condition by itself.

// A condition that is open by more than the rounding of its terms, and whose slope or curvature has
// no value there, as that of the length of a string at its pivot: nobody asks for them.
static bool is_open(const UnilateralRow *found)
{
    double largest = real_largest(found->terms, found->term_count);
    return isfinite(found->f) && real_all_finite(found->terms, found->term_count) &&
           found->f < -TOL_ZERO * largest;
}

static void leave_slope_out(ContactSet *all, size_t index)
{
    double *values = all->rows.value.at;
    for (uint32_t at = all->rows.first.at[index]; at < all->rows.first.at[index + 1]; at++)
        values[at] = 0;
    all->partial_t.at[index] = all->gamma.at[index] = 0;
}

// Σ |∂f/∂q| of a condition.
static double slope_of(const StartContacts *contacts, size_t index)
{
    SparseRows rows = sparse_store_rows(&contacts->all->rows);
    double sum = 0;
    for (uint32_t at = rows.first[index]; at < rows.first[index + 1]; at++)
        sum += fabs(rows.value[at]);
    return sum;
}

// The numbers of one condition, which is the next of all, and how far from 0 f still counts as 0:
// by the rounding of its terms, and by what the rounding of the coordinates, which equations relate
// to each other, makes of it; `length` is the largest of them. A condition of one term, such as
// x >= 0, is that term.
static Status evaluate(StartContacts *contacts, size_t index, double length, Diag *diag)
{
    assert(index == contacts->all->which.count);
    const State *state = contacts->matrices->state;
    const ModelConstraint *constraint = unilaterals_condition(contacts->unilaterals, index);
    UnilateralRow found =
        contact_set_add(contacts->all, contacts->unilaterals, index, *state->t, state->q, state->v);
    const uint32_t *first = contacts->all->rows.first.at + index;
    bool finite = isfinite(found.f) && isfinite(found.rate) && isfinite(found.gamma) &&
                  real_all_finite(found.gradient, first[1] - first[0]) &&
                  real_all_finite(found.terms, found.term_count);
    if (!finite && is_open(&found)) {
        leave_slope_out(contacts->all, index);
        found.rate = NAN;
        finite = true;
    }
    double largest = real_largest(found.terms, found.term_count);
    double limit = fmax(TOL_ZERO * (found.term_count > 1 ? largest : 0),
                        TOL_ROUNDING * slope_of(contacts, index) * length);
    contacts->gaps->band[index] = limit;
    contacts->gaps->sizes[index] = largest;
    contacts->at[index] = (RunSide){.constraint = constraint,
                                    .f = found.f,
                                    .rate = found.rate,
                                    .before = found.rate,
                                    .touches = fabs(found.f) <= limit};
    // More than the rounding of its terms: someone gave it so.
    if (contacts->at[index].touches && fabs(found.f) > TOL_ROUNDING * largest)
        diag_add(
            diag, DIAG_NOTE, constraint->place,
            "start: '%s' is off by %.3g, and up to %.2g counts as rounding; it touches, and is "
            "moved to 0 as long as it does",
            constraint->name, fabs(found.f), limit);
    if (finite && isfinite(found.restitution))
        return STATUS_OK;
    return diag_error(diag, constraint->place,
                      "the one-sided constraint '%s' has no finite %s at the start: something in "
                      "it is divided by 0 or is outside the domain of its function",
                      constraint->name, isfinite(found.f) ? "slope" : "value");
}

// Steps of fixed length see a condition where it is reached in the middle of one: a state between
// two of them may lie beyond it.
static bool may_be_beyond(const RunOptions *settings)
{
    return settings->method == RUN_TIMESTEPPING && settings->from > 0;
}

static Status check(const StartContacts *contacts, size_t index, const State *state, size_t n,
                    const RunOptions *settings, Diag *diag)
{
    const RunSide *side = &contacts->at[index];
    const ModelConstraint *constraint = side->constraint;
    double e = contacts->all->restitution.at[index], limit = contacts->gaps->band[index];
    if (!(e >= 0 && e <= 1))
        return diag_error(diag, constraint->place,
                          "the restitution of '%s' is %.6g; it lies between 0 (no rebound) and 1 "
                          "(no loss)",
                          constraint->name, e);
    if (side->f > limit && !may_be_beyond(settings))
        return diag_error(diag, constraint->place,
                          "the start violates the one-sided constraint '%s' by %.6g (%.2g would "
                          "count as rounding); change the initial values of the coordinates in it",
                          constraint->name, side->f, limit);
    if (side->touches && gaps_are_flat(contacts->gaps, index, *state->t, state->q, state->v, n))
        return diag_error(diag, constraint->place,
                          "the one-sided constraint '%s' touches at the start, and no coordinate "
                          "changes it there to first order, so that it has no reaction; write it "
                          "so that it does (x <= 0 for x^3 <= 0), or as an equation (x = 0 for "
                          "x^2 <= 0)",
                          constraint->name);
    return STATUS_OK;
}

Status start_contacts_init(StartContacts *contacts, const Equations *eq, State *state,
                           Motion *motion, const RunOptions *settings, Diag *diag)
{
    assert(settings->every > 0 && settings->to > 0);
    *contacts = (StartContacts){0};
    Arena *arena = contacts->arena = arena_new();
    contacts->solver = contact_solver_new(eq->n);
    contacts->all = arena_array(arena, ContactSet, 1);
    contacts->unilaterals = arena_array(arena, Unilaterals, 1);
    contacts->matrices = arena_array(arena, SystemMatrices, 1);
    contacts->impulses = arena_array(arena, GivenImpulses, 1);
    TRY(unilaterals_init(contacts->unilaterals, motion, state->inputs, diag));
    // Of pairs those that may touch at the start, or do so but for rounding.
    double length = fmax(real_largest(state->q, eq->n), settings->length);
    unilaterals_find_around(contacts->unilaterals, *state->t, state->q, TOL_SMALL * length);
    matrices_init(contacts->matrices, eq, state);
    // Series know the inside of their steps as well as the ends, other methods to some tolerances.
    bool series = settings->method == RUN_TAYLOR || settings->method == RUN_TIMESTEPPING;
    contacts->gaps = gaps_new(arena, contacts->unilaterals,
                              series ? TOL_ZERO : EVENT_MARGIN * settings->tolerance,
                              fmin(settings->every, settings->to));
    contacts->gaps->length = settings->length;
    contacts->at = arena_array(arena, RunSide, contacts->unilaterals->count + 1);
    contacts->told = arena_array(arena, RunSides, 1);
    *contacts->told =
        (RunSides){.at = contacts->at, .count = contacts->unilaterals->count, .unique = true};
    contact_set_begin(contacts->all);
    Status status = STATUS_OK;
    for (size_t i = 0; i < contacts->unilaterals->count; i++) {
        TRY(evaluate(contacts, i, length, diag));
        if (check(contacts, i, state, eq->n, settings, diag) != STATUS_OK)
            status = STATUS_WRONG;
    }
    TRY(status);
    TRY(friction_contacts_new(arena, eq, motion, settings->jumps, diag, &contacts->friction));
    TRY(friction_contacts_check(contacts->friction, state, diag));
    TRY(impulses_init(contacts->impulses, arena, eq, state, motion, diag));
    GivenImpulses impulses = *contacts->impulses;
    if (impulses_time(&impulses) == 0) {
        contacts->impulse = arena_array(arena, double, eq->n);
        impulses_take(&impulses, eq, state, contacts->impulse);
    }
    return STATUS_OK;
}

void start_contacts_clear(StartContacts *contacts)
{
    if (!contacts->arena)
        return;
    unilaterals_clear(contacts->unilaterals);
    matrices_clear(contacts->matrices);
    contact_solver_free(contacts->solver);
    contact_set_clear(contacts->all);
    if (contacts->event)
        event_clear(contacts->event);
    impulses_clear(contacts->impulses);
    friction_contacts_clear(contacts->friction);
    arena_free(contacts->arena);
    *contacts = (StartContacts){0};
}

// ---- The event.

// What the gaps are measured by, with the accelerations that the motion has without contacts, and
// by what the rounding of the coordinates makes of them. Several terms measure f by the largest of
// them. One term, or terms that are all 0 but for what rounding would make of them further on, say
// nothing of what a motion comes to: there f is measured by how far it comes, and at rest by how
// far it would fall. At the start all is known to
// rounding: what is away then, however little, is not within the band of a method that knows less.
static void measure_gaps(StartContacts *contacts)
{
    const State *state = contacts->matrices->state;
    const ContactSet *all = contacts->all;
    GapFunctions *gaps = contacts->gaps;
    double length = gaps->length, interval = gaps->interval;
    assert(all->which.count == gaps->count);
    for (size_t j = 0; j < contacts->matrices->n; j++) {
        double way = interval * (fabs(state->v[j]) + interval * fabs(state->a[j]) / 2);
        length = fmax(length, fmax(fabs(state->q[j]), way));
    }
    gaps->length = length;
    for (size_t i = 0; i < gaps->count; i++) {
        double second = contact_set_acceleration(all, i, state->a, NULL);
        double size = gaps->sizes[i] > gaps->band[i] ? gaps->sizes[i] : 0;
        double away = contacts->at[i].touches ? INFINITY : fabs(contacts->at[i].f);
        double most = fmax(TOL_POOR * away, gaps->band[i]);
        double rounding = TOL_ROUNDING * slope_of(contacts, i) * length / TOL_ZERO;
        gaps->by_motion[i] =
            size <= rounding || unilaterals_shape(gaps->unilaterals, i)->terms == 1;
        if (gaps->by_motion[i]) {
            size = fmax(size, gaps_reach(gaps, contacts->at[i].rate, second));
            if (size == 0)
                size = fabs(second) * interval * interval / 2;
            size = fmax(size, rounding);
        }
        gaps_set_size(gaps, i, size);
        gaps->band[i] = fmin(gaps->band[i], most);
    }
}

// Why there is no solution.
static Status no_solution(const StartContacts *contacts, Diag *diag)
{
    const ContactEvent *event = contacts->event;
    const VelocityJump *jump = event->jump;
    const ContactReport *report = jump->solved ? event->report : &jump->impact.contact;
    const char *what = jump->solved ? "acceleration" : "velocity";
    bool refused = jump->reason.length > 0;
    bool excluded = !refused && report->outcome == SOLVE_CONTRADICTION;
    if (excluded && report->row_is_equation) {
        const ModelConstraint *row = matrices_condition(contacts->matrices, report->row);
        return diag_error(diag, row->place,
                          "at the start the constraint '%s' asks for another %s than the "
                          "constraints before it",
                          row->name, what);
    }
    Text reason = {0};
    event_add_reason(event, &reason);
    if (excluded)
        diag_error(diag, contacts->at[event->asked->which.at[report->row]].constraint->place,
                   "%s: no %s at the start obeys them; remove one, or start where they do not "
                   "touch",
                   reason.at, what);
    else
        diag_error(diag, refused && jump->condition ? jump->condition->place : event_hint(event),
                   "at the start %s%s", reason.at,
                   refused ? "; start after the impact, or without it" : "");
    text_clear(&reason);
    return STATUS_WRONG;
}

// After an impact: f' of all, and the motion without contacts.
static Status evaluate_after(StartContacts *contacts, Diag *diag)
{
    State *state = contacts->matrices->state;
    for (size_t i = 0; i < contacts->told->count; i++)
        contacts->at[i].rate = contact_set_rate(contacts->all, i, state->v, NULL);
    if (dynamics_accelerations(contacts->matrices->eq, state, NULL) == DYNAMICS_FOUND)
        return STATUS_OK;
    return diag_error(diag, place_none(),
                      "after the impact at the start the equations of motion have no finite "
                      "values");
}

static void keep_contacts(StartContacts *contacts, const ContactEvent *event)
{
    for (size_t i = 0, k = 0; i < event->at.count; i++) {
        const TouchingContact *contact = &event->at.at[i];
        RunSide *side = &contacts->at[contact->index];
        side->before = contact->before;
        side->rate = contact->kept ? 0 : contact->after;
        side->impulse = contact->impulse;
        side->kept = contact->kept;
        if (!contact->kept)
            continue;
        side->acts = event->answer->acting[k];
        side->phi0 = event->answer->free_rates[k++];
        side->lambda = contact->lambda;
        side->acceleration = contact->acceleration;
        contacts->told->kept++;
    }
}

static void keep_frictions(StartContacts *contacts)
{
    const FrictionEvent *friction = contacts->event->friction;
    if (!friction)
        return;
    RunFrictionSide *at = arena_array(contacts->arena, RunFrictionSide, friction->count + 1);
    contacts->told->frictions = at;
    contacts->told->friction_count = friction->count;
    contacts->told->solutions = friction->solutions;
    for (size_t i = 0; i < friction->count; i++) {
        const MotionFriction *own = &friction->contacts->motion->frictions[i];
        const FrictionNumbers *numbers = &friction->contacts->at[i];
        at[i] = (RunFrictionSide){.friction = own,
                                  .mode = friction->holds[i].mode,
                                  .pulls = friction->holds[i].pulls,
                                  .normal = friction->normal[i],
                                  .margin = friction->margin[i]};
        friction_vector(numbers, own, friction->force + FRICTION_MOST * i, at[i].force);
        friction_vector(numbers, own, friction->slip + FRICTION_MOST * i, at[i].slip);
    }
}

static Status keep(StartContacts *contacts, Diag *diag)
{
    const ContactEvent *event = contacts->event;
    const ImpactReport *impact = &event->jump->impact;
    State *state = contacts->matrices->state;
    RunSides *told = contacts->told;
    size_t bytes = contacts->matrices->n * sizeof(double);
    memcpy(state->v, event->after, bytes);
    told->before = event->before;
    told->struck = impact->passes > 0;
    told->shock = told->struck || contacts->impulse;
    told->repeated = !impact->ended;
    told->energy_lost = impact->energy_lost;
    if (told->shock)
        TRY(evaluate_after(contacts, diag));
    keep_contacts(contacts, event);
    keep_frictions(contacts);
    if (told->kept == 0 && !contacts->friction)
        return STATUS_OK;
    told->unique = event->report->unique;
    memcpy(state->a, event->answer->accelerations, bytes);
    event_keep_multipliers(event, 1);
    return STATUS_OK;
}

// What has no inertia and slides has the velocity of its balance; the rest accelerates beside that.
static bool slide_without_inertia(ContactEvent *event)
{
    if (!event->friction || !massless_slides(event->friction->contacts))
        return true;
    event_hold(event);
    return event_stop_held(event) && contact_event(event, false, NULL);
}

Status start_contacts_solve(StartContacts *contacts, Diag *diag)
{
    assert(!contacts->event && contacts->told);
    Arena *arena = contacts->arena;
    const State *state = contacts->matrices->state;
    measure_gaps(contacts);
    ContactEvent *event = contacts->event = event_new(arena, contacts, contacts->gaps);
    event_begin(event, *state->t, state->q, state->v);
    for (size_t i = 0; i < contacts->told->count; i++)
        if (contacts->at[i].touches)
            event_add(event, i);
    event->answer->multipliers = real_alloc(arena, contacts->matrices->m);
    event->answer->free_rates = real_alloc(arena, event->at.count);
    if (event->at.count == 0 && !contacts->impulse && !contacts->friction)
        return STATUS_OK;
    bool solved = contact_event(event, true, contacts->impulse) && slide_without_inertia(event);
    return solved ? keep(contacts, diag) : no_solution(contacts, diag);
}
