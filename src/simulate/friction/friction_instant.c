// friction_instant.c: the instant with friction: which conditions act, what sticks and what slides,
// all of them together (contact/friction.h).
//
// The equations without friction are taken first; two-sided conditions that press are no equations
// here but contacts.
#include "base/text_builder.h"
#include "contact/contact.h"
#include "contact/friction.h"
#include "dynamics/condition_multipliers.h"
#include "dynamics/dynamics.h"
#include "dynamics/system_matrices.h"
#include "dynamics/unilaterals.h"
#include "linalg/echelon.h"
#include "linalg/kkt.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/friction.h"
#include "model/system.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/friction/sliding_system_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

FrictionEvent *friction_event_new(Arena *arena, FrictionContacts *contacts)
{
    if (!contacts)
        return NULL;
    size_t count = contacts->count;
    FrictionEvent *friction = arena_array(arena, FrictionEvent, 1);
    *friction = (FrictionEvent){.contacts = contacts,
                                .count = count,
                                .holds = arena_array(arena, FrictionHold, count),
                                .before = arena_array(arena, FrictionHold, count),
                                .stopped = arena_array(arena, bool, count),
                                .slips = arena_array(arena, bool, count),
                                .stuck = arena_array(arena, double, (FRICTION_MOST + 1) * count),
                                .together = arena_array(arena, bool, count),
                                .crosses = arena_array(arena, bool, contacts->presser_count),
                                .began = arena_array(arena, double, count),
                                .begins = arena_array(arena, bool, count),
                                .onset = arena_array(arena, double, FRICTION_MOST *count),
                                .accelerations = arena_array(arena, double, contacts->n),
                                .force = arena_array(arena, double, FRICTION_MOST *count),
                                .slip = arena_array(arena, double, FRICTION_MOST *count),
                                .course = arena_array(arena, double, FRICTION_MOST *count),
                                .fastest = arena_array(arena, double, count),
                                .normal = arena_array(arena, double, count),
                                .margin = arena_array(arena, double, count),
                                .reason = arena_array(arena, Text, 1),
                                .system = arena_array(arena, SlidingSystem, 1)};
    for (size_t i = 0; i < count; i++) {
        friction->began[i] = -INFINITY;
        friction->together[i] = motion_friction_is_pressed(&contacts->motion->frictions[i]);
    }
    return friction;
}

void friction_event_clear(FrictionEvent *friction)
{
    if (!friction)
        return;
    text_clear(friction->reason);
    sliding_system_clear(friction->system);
}

// ---- The problem.

// A speed counts as 0 where it was found to be so, or where it is rounding.
static bool slides(const FrictionEvent *friction, size_t i)
{
    const FrictionNumbers *numbers = &friction->contacts->at[i];
    size_t rows = friction->contacts->motion->frictions[i].rows;
    double terms = 0;
    for (size_t k = 0; k < rows; k++)
        terms = fmax(terms, numbers->terms[k]);
    return !friction->stopped[i] && !friction->slips[i] &&
           friction_speed(numbers, rows) > TOL_CONDITION * terms;
}

// What was found to leave its cone does so, however little its force is beyond it.
static void narrow(double *sliding, double *sticking)
{
    *sliding = fmin(*sliding, (1 - TOL_REGULARIZATION) * *sticking);
    *sticking = *sliding;
}

// What the event has found of a friction (SIZE_MAX: of none).
static void friction_describe(const FrictionEvent *friction, size_t i, FrictionContact *contact)
{
    if (i == SIZE_MAX)
        return;
    const FrictionNumbers *numbers = &friction->contacts->at[i];
    double speed = friction_speed(numbers, contact->tangents);
    contact->slides = slides(friction, i);
    for (size_t k = 0; k < contact->tangents && contact->slides; k++)
        contact->direction[k] = numbers->u[k] / speed;
    if (friction->slips[i])
        narrow(&contact->sliding, &contact->sticking);
}

// The row of a one-sided condition, with what forces make of its reaction.
static void add_side(ContactEvent *event, SlidingSystem *system, size_t k)
{
    size_t n = system->n, side = event->kept.which.at[k];
    SparseRows kept = sparse_store_rows(&event->kept.rows);
    const double *share = friction_share_of_side(system->owner, side);
    memset(system->row, 0, n * sizeof *system->row);
    sparse_row_add(&kept, k, 1, system->row);
    memcpy(event->pull, system->row, n * sizeof *event->pull);
    if (share)
        real_add_times(-1, share, n, event->pull);
    sliding_system_add_row(system, system->row, event->pull, event->kept.gamma.at[k]);
}

// One-sided conditions that are kept, in their order; then two-sided ones with friction, then laws.
static void gather(ContactEvent *event, SlidingSystem *system)
{
    FrictionEvent *friction = event->friction;
    const FrictionContacts *contacts = friction->contacts;
    for (size_t k = 0; k < event->kept.which.count; k++) {
        size_t i = friction_of_side(contacts, event->kept.which.at[k]);
        FrictionContact contact = {.law = FRICTION_ONE_SIDED, .normals = 1};
        add_side(event, system, k);
        sliding_system_add_friction(system, i, &contact, false);
        friction_describe(friction, i, &contact);
        sliding_system_add(system, contact, i, event_constraint(event, event->kept.which.at[k]));
    }
    bool *kept = base_alloc((contacts->motion->side_count + 1) * sizeof *kept);
    for (size_t k = 0; k < event->kept.which.count; k++)
        kept[event->kept.which.at[k]] = true;
    for (size_t i = 0; i < contacts->count; i++) {
        const MotionFriction *own = &contacts->motion->frictions[i];
        FrictionContact contact = {0};
        if (own->side != SIZE_MAX || motion_friction_is_massless(own) ||
            !motion_friction_acts(contacts->motion, own, kept))
            continue;
        sliding_system_add_law(system, i, &contact, false);
        friction_describe(friction, i, &contact);
        sliding_system_add(system, contact, i, own->constraint);
    }
    base_free(kept);
    sliding_system_add_presses(system);
    for (size_t k = 0; k < system->presses.count; k++) {
        FrictionPress *press = &system->presses.at[k];
        if (friction->slips[system->which.at[press->on]])
            narrow(&press->sliding, &press->sticking);
    }
}

// ---- The answer.

// Whether the reaction that presses is below 0: one that was found to cross 0 has changed its side.
static bool is_pulling(const FrictionEvent *friction, const SlidingSystem *system, size_t presser,
                       size_t contact, bool before)
{
    if (presser == SIZE_MAX || !friction->contacts->signs[presser])
        return false;
    return friction->crosses[presser] ? !before : system->forces.at[system->begins.at[contact]] < 0;
}

static void keep_signs(FrictionEvent *friction, size_t i, const SlidingSystem *system, size_t at)
{
    const FrictionContacts *contacts = friction->contacts;
    unsigned char before = friction->before[i].pulls;
    unsigned bits = is_pulling(friction, system, i, at, before & 1);
    for (size_t k = 0; k < system->presses.count; k++) {
        size_t term = system->press_terms.at[k], bit = term + 1;
        if (system->presses.at[k].on == at &&
            is_pulling(friction, system, contacts->presser[FRICTION_TERMS * i + term],
                       system->presses.at[k].by, before >> bit & 1))
            bits |= 1u << bit;
    }
    friction->holds[i].pulls = (unsigned char)bits;
}

static void keep_state(FrictionEvent *friction, size_t i, const SlidingSystem *system, size_t at)
{
    const FrictionState *state = &system->states.at[at];
    const FrictionContact *contact = &system->contacts.at[at];
    const double *forces = system->forces.at + system->begins.at[at];
    FrictionHold *hold = &friction->holds[i];
    *hold = (FrictionHold){.mode = HOLD_OPEN};
    if (state->mode == FRICTION_STICKS)
        hold->mode = HOLD_STICKS;
    if (state->mode == FRICTION_SLIPS)
        hold->mode = (unsigned char)(contact->tangents > 1     ? HOLD_TURNS
                                     : state->direction[0] > 0 ? HOLD_FORWARD
                                                               : HOLD_BACKWARD);
    keep_signs(friction, i, system, at);
    for (size_t k = 0; k < contact->tangents; k++) {
        friction->force[FRICTION_MOST * i + k] = forces[contact->normals + k];
        friction->slip[FRICTION_MOST * i + k] = friction->contacts->at[i].u[k];
    }
    bool given = contact->law == FRICTION_GIVEN;
    friction->normal[i] = given ? sliding_system_pressing(system, at)
                                : friction->contacts->at[i].pressure * state->normal;
    double square = 0;
    for (size_t k = 0; k < contact->tangents; k++)
        square += forces[contact->normals + k] * forces[contact->normals + k];
    // Where forces are not unique the margin is that of the best of them.
    double bound = given ? state->normal : contact->sticking * state->normal;
    friction->margin[i] = state->mode == FRICTION_STICKS ? state->margin : bound - sqrt(square);
}

// To the places where an event without friction has them.
static void keep_answer(ContactEvent *event, SlidingSystem *system)
{
    FrictionEvent *friction = event->friction;
    ContactAnswer *answer = event->answer;
    size_t kept = event->kept.which.count;
    for (size_t i = 0; i < friction->count; i++) {
        friction->holds[i] = (FrictionHold){.mode = HOLD_OPEN};
        friction->normal[i] = friction->margin[i] = 0;
        for (size_t k = 0; k < FRICTION_MOST; k++)
            friction->force[FRICTION_MOST * i + k] = friction->slip[FRICTION_MOST * i + k] = 0;
    }
    for (size_t at = 0; at < system->contacts.count; at++) {
        size_t row = system->begins.at[at];
        if (at < kept) {
            answer->lambda[at] = system->forces.at[row];
            answer->rates[at] = system->rates.at[row];
            answer->acting[at] = system->states.at[at].mode != FRICTION_OPEN;
            if (answer->free_rates)
                answer->free_rates[at] = system->numbers.free_rates.at[row];
        }
        if (system->which.at[at] != SIZE_MAX)
            keep_state(friction, system->which.at[at], system, at);
    }
    massless_keep(event);
    sliding_system_motion(system, answer->accelerations, answer->multipliers);
}

static void add_modes(const FrictionEvent *friction, const SlidingSystem *system,
                      const FrictionState *states, Text *text)
{
    const Motion *motion = friction->contacts->motion;
    for (size_t at = 0; at < system->contacts.count; at++) {
        const FrictionState *state = &states[at];
        size_t i = system->which.at[at];
        if (i == SIZE_MAX)
            continue;
        text_addf(text, "%s%s %s", at == 0 ? "" : ", ", motion->frictions[i].friction->name,
                  state->mode == FRICTION_OPEN     ? "leaves"
                  : state->mode == FRICTION_STICKS ? "sticks"
                                                   : "slips");
    }
}

static void add_names(const FrictionEvent *friction, const SlidingSystem *system, Text *text)
{
    bool any = false;
    for (size_t at = 0; at < system->contacts.count; at++) {
        size_t i = system->which.at[at];
        if (i == SIZE_MAX)
            continue;
        text_addf(text, "%s'%s'", any ? ", " : "",
                  friction->contacts->motion->frictions[i].friction->name);
        any = true;
    }
}

static size_t combinations(const SlidingSystem *system)
{
    size_t count = 1;
    for (size_t at = 0; at < system->contacts.count && count < 1000000; at++) {
        const FrictionContact *contact = &system->contacts.at[at];
        bool begins = contact->tangents > 0 && !contact->slides;
        count *= (contact->law == FRICTION_ONE_SIDED) + (!begins                  ? 1u
                                                         : contact->tangents == 1 ? 3u
                                                                                  : 2u);
    }
    return count;
}

static void explain_wedged(const FrictionEvent *friction, const SlidingSystem *system)
{
    text_add(friction->reason, "the forces at ");
    add_names(friction, system, friction->reason);
    text_add(friction->reason,
             " are not unique, and the motion depends on them (wedging): a prestress is not known, "
             "rigid bodies do not determine it; remove a contact, or let one be elastic");
}

bool friction_is_unlawful(FrictionEvent *friction, const SlidingSystem *system)
{
    FrictionContacts *contacts = friction->contacts;
    size_t wrong = contacts->wrong;
    for (size_t at = 0; at < system->which.count && wrong == SIZE_MAX; at++)
        if (system->which.at[at] != SIZE_MAX && !friction_is_lawful(contacts, system->which.at[at]))
            wrong = system->which.at[at];
    if (wrong != SIZE_MAX) {
        text_clear(friction->reason);
        friction_add_unlawful(contacts, wrong, friction->reason);
    }
    return wrong != SIZE_MAX;
}

static void explain(FrictionEvent *friction, const SlidingSystem *system, FrictionReport report)
{
    Text *text = friction->reason;
    const FrictionSolver *solver = friction->contacts->solver;
    text_clear(text);
    switch (report.outcome) {
    case SOLVE_NO_SOLUTION:
        text_addf(text,
                  "no consistent contact forces exist (Painlevé): 0 of %zu combinations of stick "
                  "and slip %s possible at ",
                  combinations(system), report.counted ? "are" : "were found to be");
        add_names(friction, system, text);
        text_add(text, "; the impact without collision may be taken");
        friction->paradox = true;
        return;
    case SOLVE_SEVERAL:
        if (report.wedged) {
            explain_wedged(friction, system);
            return;
        }
        text_addf(text, "%zu motions are possible: ", report.solutions);
        for (size_t i = 0; i < report.solutions && i < LIMIT_SETS; i++) {
            text_add(text, i == 0 ? "" : "; or ");
            add_modes(friction, system, friction_solution(solver, i).states, text);
        }
        text_add(text, "; the motion is not determined");
        return;
    case SOLVE_NOT_FINITE: text_add(text, "something in a friction has no finite value"); return;
    default: text_add(text, "which contacts stick and which slide is hidden by rounding"); return;
    }
}

// What begins to slide in two rows does so in the direction of its acceleration; also what does not
// press by itself, but will.
static void find_beginning(FrictionEvent *friction, const SlidingSystem *system,
                           const double *accelerations)
{
    memset(friction->begins, 0, friction->count * sizeof *friction->begins);
    memcpy(friction->accelerations, accelerations, friction->contacts->n * sizeof *accelerations);
    for (size_t at = 0; at < system->contacts.count; at++) {
        const FrictionContact *contact = &system->contacts.at[at];
        size_t i = system->which.at[at];
        if (contact->tangents < 2 || contact->slides || i == SIZE_MAX ||
            system->states.at[at].mode == FRICTION_STICKS)
            continue;
        const double *rates = system->rates.at + system->begins.at[at] + contact->normals;
        bool grows = real_length(rates, contact->tangents) > 0;
        friction->begins[i] = true;
        for (size_t k = 0; k < contact->tangents; k++)
            friction->onset[FRICTION_MOST * i + k] =
                grows ? rates[k] : system->states.at[at].direction[k];
    }
}

// Where one of them stops, others of the same body stop too; so does what has no more than a rest
// of its speed where its normal force vanishes, as that of a bead on a turning rod does, or behind
// an impact, as that of a slide which its stop holds.
static void stop_others(const ContactEvent *event)
{
    FrictionEvent *friction = event->friction;
    bool any = false;
    for (size_t i = 0; i < friction->count; i++)
        any = any || friction->stopped[i];
    for (size_t p = 0; p < friction->contacts->presser_count; p++)
        any = any || friction->crosses[p];
    for (size_t i = 0; i < friction->count && (any || event->impact); i++) {
        size_t rows = friction->contacts->motion->frictions[i].rows;
        double speed = friction_speed(&friction->contacts->at[i], rows);
        double rest = TOL_RATE * friction->fastest[i];
        if (any ? speed <= rest : speed < rest)
            friction->stopped[i] = true;
    }
}

static bool departs(const FrictionEvent *friction, const SlidingSystem *system, size_t at)
{
    size_t i = system->which.at[at];
    return i != SIZE_MAX && friction->slips[i] && system->states.at[at].mode == FRICTION_SLIPS;
}

// The coefficient with which it slides.
static double whole_sliding(const FrictionEvent *friction, size_t i)
{
    const FrictionNumbers *numbers = &friction->contacts->at[i];
    bool presses = friction->contacts->motion->frictions[i].constraint != NULL;
    return (presses ? numbers->pressure : 1) * fmax(numbers->sliding, 0);
}

// What was found to leave its cone was asked with a smaller one. Its forces are those of a sliding
// in the direction found, with all of its coefficient. In two rows the sliding begins with the
// acceleration that the smaller cone leaves (slip_start.c).
static void solve_departures(const FrictionEvent *friction, SlidingSystem *system,
                             FrictionReport *report)
{
    size_t count = 0;
    for (size_t at = 0; at < system->contacts.count; at++) {
        if (departs(friction, system, at) && system->contacts.at[at].tangents > 1)
            return;
        count += departs(friction, system, at);
    }
    for (size_t at = 0; at < system->contacts.count && count > 0; at++) {
        FrictionContact *contact = &system->contacts.at[at];
        if (!departs(friction, system, at))
            continue;
        contact->slides = true;
        contact->direction[0] = system->states.at[at].direction[0];
        contact->sticking = contact->sliding = whole_sliding(friction, system->which.at[at]);
    }
    for (size_t k = 0; k < system->presses.count && count > 0; k++) {
        FrictionPress *press = &system->presses.at[k];
        size_t i = system->which.at[press->on];
        if (departs(friction, system, press->on))
            press->sliding = press->sticking =
                fmax(friction->contacts->at[i].by[2 * system->press_terms.at[k]], 0);
    }
    if (count > 0)
        *report = sliding_system_solve(system, friction->contacts->solver, true);
}

// In two rows these forces are those that held it until then, but for what the smaller cone takes
// away: they do not jump where both coefficients are the same.
static void take_stuck_forces(FrictionEvent *friction, size_t i)
{
    const double *stuck = friction->stuck + (FRICTION_MOST + 1) * i;
    double *force = friction->force + FRICTION_MOST * i, size = 0, apart = 0;
    if (!friction->slips[i] || friction->holds[i].mode != HOLD_TURNS)
        return;
    for (size_t k = 0; k < friction->contacts->motion->frictions[i].rows; k++) {
        size = fmax(size, fabs(force[k]));
        apart = fmax(apart, fabs(stuck[k] - force[k]));
    }
    double normal = stuck[FRICTION_MOST];
    if (apart > TOL_SMALL * size || fabs(normal - friction->normal[i]) > TOL_SMALL * normal)
        return;
    memcpy(force, stuck, FRICTION_MOST * sizeof *force);
    friction->normal[i] = normal;
}

// One solve with the reactions at hand in what forces make of them.
static bool solve_instant(ContactEvent *event, FrictionReport *report)
{
    FrictionEvent *friction = event->friction;
    SlidingSystem *system = friction->system;
    const SystemMatrices *matrices = event->contacts->matrices;
    friction_contacts_evaluate(friction->contacts, matrices->state);
    SolveOutcome begun =
        sliding_system_begin(system, friction->contacts, matrices, NULL, NULL, NULL);
    if (begun == SOLVE_UNCONTROLLABLE)
        modules_add_reason(matrices->eq, matrices->state, DYNAMICS_SERVO, friction->reason);
    else if (begun != SOLVE_DONE)
        text_add(friction->reason, "the inertia is not positive on the velocities that the "
                                   "equations leave free, so that contact forces with friction "
                                   "cannot be decided");
    if (begun != SOLVE_DONE)
        return false;
    gather(event, system);
    if (friction_is_unlawful(friction, system))
        return false;
    *report = sliding_system_solve(system, friction->contacts->solver, true);
    if (report->outcome == SOLVE_DONE)
        solve_departures(friction, system, report);
    return true;
}

// The reactions of the last solve become those at hand; by what part of them they change.
static double take_reactions(ContactEvent *event)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    const SlidingSystem *system = event->friction->system;
    State *state = matrices->state;
    size_t m = matrices->m, kept = event->kept.which.count;
    double *found = base_alloc((m + kept + 1) * sizeof *found), change = 0, size = 0;
    sliding_system_motion(event->friction->system, event->answer->accelerations, found);
    for (size_t k = 0; k < kept; k++)
        found[m + k] = system->forces.at[system->begins.at[k]];
    for (size_t k = 0; k < m + kept; k++) {
        double *now =
            k < m ? state->multipliers +
                        dynamics_multiplier_index(matrices->eq, matrices_condition(matrices, k))
                  : dynamics_side_multiplier(matrices->eq, state, event->kept.which.at[k - m]);
        change = fmax(change, fabs(found[k] - *now));
        size = fmax(size, fabs(found[k]));
        // What a chord is drawn to is not 0.
        *now = k >= m && !(found[k] > 0) ? 1 : found[k];
    }
    base_free(found);
    return size > 0 ? change / size : 0;
}

// Where forces are not linear in the reactions they hold, the instant is solved again and again.
static bool solve_curved(ContactEvent *event, FrictionReport *report)
{
    const SystemMatrices *matrices = event->contacts->matrices;
    for (size_t k = 0; k < event->kept.which.count; k++) {
        double *now =
            dynamics_side_multiplier(matrices->eq, matrices->state, event->kept.which.at[k]);
        *now = *now > 0 ? *now : 1;
    }
    for (int step = 0; step < LIMIT_SEARCH; step++) {
        if (!solve_instant(event, report))
            return false;
        if (report->outcome != SOLVE_DONE)
            return true;
        double change = take_reactions(event);
        matrices_evaluate(event->contacts->matrices);
        // The motion has departed: it is solved anew.
        if (change <= TOL_ZERO)
            return solve_instant(event, report);
    }
    text_add(event->friction->reason,
             "no set of reactions was found that fits the forces which hold them");
    return false;
}

bool friction_decide(ContactEvent *event)
{
    FrictionEvent *friction = event->friction;
    SlidingSystem *system = friction->system;
    FrictionReport report;
    friction_contacts_evaluate(friction->contacts, event->contacts->matrices->state);
    stop_others(event);
    text_clear(friction->reason);
    friction->paradox = false;
    if (!massless_decide(event))
        return false;
    bool curved = friction->contacts->shares.curved;
    if (!(curved ? solve_curved : solve_instant)(event, &report))
        return false;
    friction->solutions = report.solutions;
    if (friction->undetermined) {
        text_clear(friction->reason);
        explain_wedged(friction, system);
        return false;
    }
    event->report->unique = report.unique;
    friction->shared = !report.unique;
    if (report.outcome != SOLVE_DONE) {
        explain(friction, system, report);
        return false;
    }
    event->report->outcome = SOLVE_DONE;
    keep_answer(event, system);
    find_beginning(friction, system, event->answer->accelerations);
    for (size_t i = 0; i < friction->count; i++)
        take_stuck_forces(friction, i);
    return true;
}

// ---- The rows that are held.

void friction_hold_rows(ContactEvent *event, Echelon *echelon)
{
    FrictionEvent *friction = event->friction;
    const FrictionContacts *contacts = friction->contacts;
    const State *state = event->contacts->matrices->state;
    size_t n = contacts->n;
    double *row = event->pull, miss;
    for (size_t i = 0; i < contacts->count; i++) {
        const MotionFriction *own = &contacts->motion->frictions[i];
        FrictionHold *hold = &friction->holds[i];
        hold->without = 0;
        if (motion_friction_is_massless(own))
            continue;
        if (!motion_friction_acts(contacts->motion, own, event->acts))
            *hold = (FrictionHold){.mode = HOLD_OPEN};
        for (size_t k = 0; k < own->rows && hold->mode == HOLD_STICKS; k++) {
            for (size_t j = 0; j < n; j++)
                row[j] = contacts->at[i].w[k * n + j] * state->scale[j];
            if (!echelon_take(echelon, row, 0, &miss)) {
                hold->without |= (unsigned char)(1u << k);
                friction->shared = true;
            }
        }
    }
}

// A row behind those that are kept; true where it moves.
static bool push_row(ContactEvent *event, const double *row, double drift)
{
    double rate = drift;
    for (size_t j = 0; j < event->friction->contacts->n; j++) {
        rate += row[j] * event->after[j];
        if (row[j] != 0)
            sparse_store_push(&event->kept.rows, (uint32_t)j, row[j]);
    }
    sparse_store_end_row(&event->kept.rows);
    array_push(&event->kept.partial_t, drift);
    return fabs(rate) > 0;
}

// On what has no inertia: the velocity with which it slides is that of its balance.
static bool stop_massless(ContactEvent *event, size_t i)
{
    const FrictionContacts *contacts = event->friction->contacts;
    if (contacts->massless[i].slides == 0)
        return push_row(event, contacts->at[i].w, contacts->at[i].c[0]);
    MasslessRow row = massless_row(contacts, i);
    return push_row(event, row.b, row.c);
}

bool friction_stop_rows(ContactEvent *event)
{
    FrictionEvent *friction = event->friction;
    const FrictionContacts *contacts = friction->contacts;
    size_t n = contacts->n;
    bool moves = false;
    for (size_t i = 0; i < contacts->count; i++) {
        const MotionFriction *own = &contacts->motion->frictions[i];
        const FrictionHold *hold = &friction->holds[i];
        if (motion_friction_is_massless(own)) {
            moves = stop_massless(event, i) || moves;
            continue;
        }
        // What turns round has stopped, too: a rest of its speed would be a slip to the other side.
        bool stops = hold->mode == HOLD_STICKS || friction->stopped[i];
        for (size_t k = 0; k < own->rows && stops; k++) {
            if (hold->without >> k & 1)
                continue;
            moves = push_row(event, contacts->at[i].w + k * n, contacts->at[i].c[k]) || moves;
        }
    }
    return moves;
}
