// contact_events.c: an event of unilateral conditions, or an impulse, in a run (Mayer 1899, § 4).
//
// The conditions that touch are solved together (contact_event.c), what happened to each is
// recorded, and the run continues in the contact mode of those that act.
#include "base/text_builder.h"
#include "dynamics/equations_types.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_events_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/contact_modes_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/friction/friction_events_impl.h"
#include "simulate/friction/slip_start_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/given_impulses_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/recording_impl.h"
#include "simulate/run_report.h"
#include "simulate/run_sides.h"
#include "simulate/sensitivity/sensitivity_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/start_contacts_impl.h"
#include "simulate/switch_events_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- The contact mode after an event.

// The mode of the conditions to hold, from a state.
static RunResult enter_mode(SimulationRun *run, double t, const double *q, const double *v)
{
    assert(isfinite(t) && q && v);
    const FrictionEvent *friction = run->event->friction;
    ContactMode *mode =
        modes_get(run->modes, run->event->held, friction ? friction->holds : NULL, t, q);
    if (!mode) {
        Text reason = {0};
        text_add(&reason, "the contacts change there, and what was said above stands in the way");
        run->summary->reached = t;
        return failure_report(run, t, &reason);
    }
    run->mode = mode;
    slip_start_prepare(mode, run->event);
    return mode_begin(mode, t, q, v, mode_next_step(mode)) ? RESULT_CONTINUE : RESULT_FAILED;
}

// Whether two times are the same but for roundings.
static bool is_same_time(const SimulationRun *run, double earlier, double t)
{
    return t - earlier <= TOL_ROUNDING * fmax(t, run->sim->settings.every);
}

// The mode holds all degenerate contacts. What they do a little later is solved where it leads.
static void look_ahead(SimulationRun *run)
{
    ContactMode *mode = run->mode;
    ContactEvent *event = run->event, *aside = run->aside;
    size_t n = mode->eq->n;
    double ahead = TOL_COARSE * run->gaps->interval;
    double *q = run->vector + n, *v = q + n;
    for (size_t j = 0; j < n; j++) {
        double a = mode->state->a[j];
        q[j] = event->q[j] + ahead * (event->after[j] + ahead * a / 2);
        v[j] = event->after[j] + ahead * a;
    }
    if (!mode_begin(mode, event->t + ahead, q, v, 0))
        return;
    event_begin(aside, event->t + ahead, mode->state->q, mode->state->v);
    aside->keep_all = true;
    for (size_t i = 0; i < event->at.count; i++)
        if (event->at.at[i].outcome != CONTACT_OPENS)
            event_add(aside, event->at.at[i].index);
    if (!contact_event(aside, false, NULL))
        return;
    for (size_t i = 0, k = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        if (contact->outcome == CONTACT_OPENS)
            continue;
        const TouchingContact *later = &aside->at.at[k++];
        if (event->friction && contact->outcome == CONTACT_RESTS)
            friction_take_later(event, aside, contact->index);
        contact->outcome = contact->outcome == CONTACT_RESTS ? later->outcome : CONTACT_PUSHES;
    }
}

// What rests without a force, and did not act, is closed by what counts as 0: it may be open as
// well. What is pressed is closed.
static void find_loose(SimulationRun *run)
{
    const ContactEvent *event = run->event;
    for (size_t i = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        double terms, rate = contact_set_rate(&event->touching, i, event->after, &terms);
        bool known = contact->acted || contact->stays;
        contact->loose = contact->outcome == CONTACT_RESTS &&
                         (known ? run->detector->sides[contact->index].loose
                                : fabs(rate) > TOL_ROUNDING * terms ||
                                      !gaps_are_closed(run->gaps, contact->index, rate, event->t));
    }
}

// Which conditions act from now on, and their mode. Neither λ nor f'' tells whether a degenerate
// one acts: what comes next does. One whose λ was seen to go through 0 does not act. What stays
// degenerate stays where it is: it is held, until its λ says otherwise.
static RunResult enter_next_mode(SimulationRun *run)
{
    ContactEvent *event = run->event;
    bool any = false;
    for (size_t i = 0; i < event->at.count; i++) {
        TouchingContact *contact = &event->at.at[i];
        bool lets_go = is_same_time(run, run->detector->sides[contact->index].let_go, event->t);
        // Where all forces are about to vanish, only what it was before tells that λ is 0.
        double largest = run->detector->sides[contact->index].reaction;
        bool rests = contact->outcome == CONTACT_RESTS;
        if (lets_go ? rests || contact->lambda <= TOL_CONDITION * largest
                    : rests && contact->fleeting)
            contact->outcome = CONTACT_OPENS;
        any = any || contact->outcome == CONTACT_RESTS;
    }
    find_loose(run);
    event_hold(event);
    if (any) {
        RunResult result = enter_mode(run, event->t, event->q, event->after);
        if (result != RESULT_CONTINUE)
            return result;
        look_ahead(run);
        event_hold(event);
    }
    if (!event_stop_held(event))
        return events_no_solution(run, run->event->t);
    return enter_mode(run, event->t, event->q, event->after);
}

// The impact, who acts after it, and their mode.
static RunResult solve(SimulationRun *run, bool strikes, const double *impulse)
{
    return contact_event(run->event, strikes, impulse) ? enter_next_mode(run)
                                                       : events_no_solution(run, run->event->t);
}

// ---- Records of what happened.

// `contact` is NULL where it is nobody's.
static void record(SimulationRun *run, RunEventKind kind, const TouchingContact *contact,
                   bool doubtful)
{
    const ContactEvent *event = run->event;
    record_event(run,
                 &(RunEvent){.t = switch_shown_time(run, event->t),
                             .kind = kind,
                             .constraint = contact ? event_constraint(event, contact->index) : NULL,
                             .before = event->before,
                             .after = event->after,
                             .impulse = contact ? contact->impulse : 0,
                             .energy_lost = event->energy_lost,
                             .doubtful = doubtful});
}

static void record_contact(SimulationRun *run, const DetectedEvent *found, bool impulse,
                           const TouchingContact *contact)
{
    bool at_start = found->what == DETECTED_START;
    bool acts = run->event->acts[contact->index], own = found->index == contact->index;
    bool before = contact->acted || run->detector->sides[contact->index].touching;
    bool struck = run->event->impact && contact->impulse > 0;
    if (contact->acted) {
        if (!acts)
            record(run, RUN_RELEASE, contact, false);
    } else if (struck && (own || !before || impulse || contact->before > 0)) {
        record(run, RUN_IMPACT, contact, false);
    } else if (own || (acts && !at_start) ||
               (!before && contact->kept && found->index != SIZE_MAX)) {
        record(run, RUN_CONTACT, contact, own && found->what == DETECTED_GRAZE && !found->turns);
    }
}

static void record_contacts(SimulationRun *run, const DetectedEvent *found, const double *impulse)
{
    const ContactEvent *event = run->event;
    if (impulse && found->what != DETECTED_EVENT)
        record(run, RUN_IMPULSE, NULL, false);
    bool jumped = event->friction && event->friction->jumped;
    for (size_t i = 0; i < event->at.count && !jumped; i++)
        record_contact(run, found, impulse, &event->at.at[i]);
    if (event->friction && (found->what != DETECTED_START || jumped))
        friction_record(run);
}

// ---- An event of unilateral conditions, or an impulse.

// All conditions that touch at the state of the mode.
static void find_touching(SimulationRun *run, const DetectedEvent *found)
{
    ContactEvent *event = run->event;
    GapFunctions *gaps = run->gaps;
    const State *state = run->mode->state;
    event_begin(event, run->mode->t, state->q, state->v);
    event->inner = found->inner;
    gaps_evaluate(gaps, event->t, state->q, gaps->f);
    for (size_t i = 0; i < gaps->count; i++) {
        bool own = found->index == i;
        // What was away before the event touches only well within its band.
        double band = run->detector->sides[i].touching ? gaps->band[i] : TOL_POOR * gaps->band[i];
        if (!own && !event->acts[i] && !(gaps->f[i] >= -band))
            continue;
        size_t k = event->at.count;
        event_add(event, i);
        TouchingContact *last = &event->at.at[k];
        double second = contact_set_acceleration(&event->touching, k, state->a, NULL), terms;
        contact_set_rate(&event->touching, k, state->q, &terms);
        gaps_note_motion(gaps, i, last->before, second, terms);
        last->stays = own && found->turns && (last->before <= 0 || found->what == DETECTED_GRAZE);
    }
}

// What is watched from now on.
static void watch_contacts(SimulationRun *run)
{
    detector_begin(run->detector);
    for (size_t i = 0; i < run->gaps->count; i++)
        if (!run->event->acts[i])
            run->rests[i].t = INFINITY;
}

// From the conditions that touch to the next mode. Where many events follow each other without
// progress of time, nothing rebounds any more.
static RunResult solve_rebounds(SimulationRun *run, bool strikes, const double *impulse)
{
    ContactEvent *event = run->event;
    bool calm = run->crowd.count > LIMIT_SEARCH;
    for (size_t i = 0; i < event->at.count && calm; i++)
        event->touching.restitution.at[i] = 0;
    bool in_turn = false, solved = false;
    RunResult result = RESULT_CONTINUE;
    if (strikes && !impulse && !calm)
        result = bounce_sequence_resolve(run, &in_turn);
    if (result == RESULT_CONTINUE && strikes && !impulse && !in_turn &&
        bounce_sequence_differs(run))
        result = failure_of_turns(run, event->t, false);
    if (result == RESULT_CONTINUE)
        result = solve(run, strikes && !in_turn, impulse);
    bool ends = result == RESULT_CONTINUE && strikes && !in_turn &&
                accumulation_ends(run, impulse, &solved);
    if ((in_turn || ends || calm) && run->sim->sensitivity)
        sensitivity_refuse(
            run->sim->sensitivity, event->t,
            "infinitely many impacts accumulate, and derivatives beyond them are not "
            "known to this version");
    if (!ends)
        return result;
    return solve(run, !solved, impulse);
}

size_t events_crowd(SimulationRun *run, double t)
{
    if (!is_same_time(run, run->crowd.t, t)) {
        run->crowd.t = t;
        run->crowd.count = 0;
    }
    return ++run->crowd.count;
}

// Whether time goes on at all.
static RunResult check_progress(SimulationRun *run)
{
    if (events_crowd(run, run->event->t) <= LIMIT_EVENTS)
        return RESULT_CONTINUE;
    return failure_of_crowd(run, run->event->t);
}

static bool is_flat(const SimulationRun *run, const DetectedEvent *found)
{
    const State *state = run->mode->state;
    bool touches = found->what == DETECTED_IMPACT || found->what == DETECTED_GRAZE;
    return touches && gaps_are_flat(run->gaps, found->index, run->mode->t, state->q, state->v,
                                    run->mode->eq->n);
}

// What slides has turned by a right angle within a step, and does not stop: the step is wrong.
static RunResult failure_of_turn(SimulationRun *run)
{
    Text reason = {0};
    text_add(&reason, "a sliding turns there by a right angle within one step, so that its steps "
                      "cannot be relied on; a smaller tolerance or another method may do better");
    return failure_report(run, run->mode->t, &reason);
}

// What the energy of the state after changed by because what begins to be held was brought from
// within its band onto its surface: it falls there from as high as it was.
static double energy_of_shift(SimulationRun *run)
{
    const ContactEvent *event = run->event;
    State *state = run->mode->state;
    size_t bytes = run->mode->eq->n * sizeof *state->q;
    bool begins = false;
    for (size_t i = 0; i < event->at.count; i++)
        begins = begins || (event->acts[event->at.at[i].index] && !event->at.at[i].acted);
    if (!begins || memcmp(state->q, event->q, bytes) == 0)
        return 0;
    double energy = record_energy(run);
    memcpy(run->vector, state->q, bytes);
    memcpy(state->q, event->q, bytes);
    energy -= record_energy(run);
    memcpy(state->q, run->vector, bytes);
    return isfinite(energy) ? energy : 0;
}

// Conditions that are dependent but for the last digits do not determine how the velocities in them
// jump.
static RunResult check_rank(SimulationRun *run, const bool *holds, const char *names)
{
    const ContactEvent *event = run->event;
    size_t n = run->mode->eq->n;
    double most =
        TOL_CONDITION * fmax(real_largest(event->before, n), real_largest(event->after, n));
    bool jumps = false;
    for (size_t j = 0; j < n && holds; j++)
        jumps = jumps || (holds[j] && fabs(event->after[j] - event->before[j]) > most);
    if (!jumps)
        return RESULT_CONTINUE;
    Text reason = {0};
    text_addf(&reason,
              "velocities jump exactly where the constraint%s %s become%s dependent, and what they "
              "do is not determined there",
              strchr(names, ',') ? "s" : "", names, strchr(names, ',') ? "" : "s");
    return failure_report(run, event->t, &reason);
}

// From the state before, of which a row was recorded, to the row after.
static RunResult process(SimulationRun *run, const DetectedEvent *found, const double *impulse)
{
    bool known = found->what == DETECTED_IMPULSE || found->what == DETECTED_START ||
                 found->what == DETECTED_EVENT;
    // The energy may change by more than the event says.
    bool counted = impulse || event_may_do_work(run->event);
    double energy = counted ? record_energy(run) : 0;
    sensitivity_enter_contact(run, found);
    sensitivity_take_impulse(run);
    if (found->what == DETECTED_RELEASE)
        run->detector->sides[found->index].let_go = run->mode->t;
    if (found->what != DETECTED_START)
        find_touching(run, found);
    size_t rubs = found->what == DETECTED_FRICTION ? found->friction : SIZE_MAX;
    if (run->event->friction) {
        if (!friction_finish_stop(run->event, run->mode, rubs))
            return failure_of_turn(run);
        massless_settle(run->event);
        friction_keep_stuck(run->event, run->mode);
        friction_begin(run->event, rubs);
    }
    if (is_flat(run, found))
        return failure_of_flat(run, event_constraint(run->event, found->index));
    Text names = {0};
    bool *lost = found->what == DETECTED_START ? NULL : singular_at_jump(run, &names);
    RunResult result = solve_rebounds(run, known || found->what == DETECTED_IMPACT, impulse);
    if (result == RESULT_CONTINUE)
        result = check_rank(run, lost, names.at);
    text_clear(&names);
    base_free(lost);
    if (result != RESULT_CONTINUE)
        return result;
    sensitivity_impact(run, impulse);
    if (found->what != DETECTED_EVENT)
        sensitivity_leave(run);
    record_contacts(run, found, impulse);
    watch_contacts(run);
    double shift = counted ? 0 : energy_of_shift(run);
    if (!mode_evaluate(run->mode, run->event->t))
        return RESULT_FAILED;
    run->summary->energy_lost += run->event->energy_lost;
    record_energy_change(run,
                         counted ? record_energy(run) - energy : shift - run->event->energy_lost);
    result = record_after_event(run);
    return result == RESULT_CONTINUE ? check_progress(run) : result;
}

RunResult contacts_process(SimulationRun *run, const DetectedEvent *found)
{
    assert(run->mode && found);
    bool known = found->what == DETECTED_IMPULSE || found->what == DETECTED_START;
    RunResult result;
    if (!known || impulses_time(run->impulses) > run->mode->t)
        return process(run, found, NULL);
    if (switch_meets_impulse(run, &result))
        return result;
    if (run->sim->sensitivity) {
        run->sim->sensitivity->impulse = impulses_program(run->impulses);
        if (impulses_are_several(run->impulses))
            sensitivity_refuse(run->sim->sensitivity, run->mode->t,
                               "the derivatives of several impulses at once are not known to this "
                               "version");
    }
    impulses_take(run->impulses, run->mode->eq, run->mode->state, run->vector);
    result = process(run, found, run->vector);
    if (run->sim->sensitivity)
        run->sim->sensitivity->impulse = NULL;
    return result;
}

RunResult contacts_restart(SimulationRun *run, const double *q, const double *v,
                           const double *impulse)
{
    State *state = run->mode->state;
    GapFunctions *gaps = run->gaps;
    size_t bytes = run->mode->eq->n * sizeof *q;
    memmove(state->q, q, bytes);
    memmove(state->v, v, bytes);
    gaps_evaluate(gaps, run->mode->t, q, gaps->f);
    for (size_t i = 0; i < gaps->count; i++)
        if (gaps->f[i] < -EVENT_MARGIN * gaps->band[i])
            run->event->acts[i] = run->detector->sides[i].touching = false;
    DetectedEvent found = {.t = run->mode->t, .index = SIZE_MAX, .what = DETECTED_EVENT};
    return process(run, &found, impulse);
}

// Where it would turn within its band.
bool contacts_are_pressed(SimulationRun *run, DetectedEvent *found)
{
    ContactEvent *event = run->event;
    GapFunctions *gaps = run->gaps;
    const State *state = run->mode->state;
    event_begin(event, run->mode->t, state->q, state->v);
    gaps_evaluate(gaps, event->t, state->q, gaps->f);
    *found = (DetectedEvent){.t = event->t, .what = DETECTED_GRAZE, .turns = true};
    for (size_t i = 0; i < gaps->count; i++) {
        if (event->acts[i] || !(gaps->f[i] >= -TOL_POOR * gaps->band[i]))
            continue;
        size_t k = event->at.count;
        event_add(event, i);
        double rate = event->at.at[k].before;
        double second = contact_set_acceleration(&event->touching, k, state->a, NULL);
        found->index = i;
        if (second > 0 && rate * rate <= 2 * second * gaps->band[i])
            return true;
    }
    return false;
}

// ---- The start.

RunResult contacts_begin(SimulationRun *run)
{
    assert(run->arena && !run->mode);
    const RunStart *start = &run->sim->start;
    const RunSides *sides = run->sim->contacts->told;
    const double *before = sides->before ? sides->before : start->v;
    double from = run->sim->settings.from;
    event_begin(run->event, from, start->q, before);
    for (size_t i = 0; i < sides->count; i++)
        if (sides->at[i].touches)
            event_add(run->event, i);
    if ((run->event->at.count == 0 && !run->event->friction) || sides->shock)
        return enter_mode(run, from, start->q, before);
    RunResult result = solve(run, false, NULL);
    watch_contacts(run);
    return result;
}
