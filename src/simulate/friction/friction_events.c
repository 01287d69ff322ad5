// friction_events.c: friction at the events of a run, and the records of what happened to it.
#include "dynamics/equations_types.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/friction.h"
#include "model/system.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/friction/friction_events_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/recording_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/switch_events_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static bool slides(FrictionHold hold)
{
    return hold.mode >= HOLD_FORWARD;
}

void friction_begin(ContactEvent *event, size_t found)
{
    FrictionEvent *friction = event->friction;
    memcpy(friction->before, friction->holds, friction->count * sizeof *friction->holds);
    memset(friction->stopped, 0, friction->count * sizeof *friction->stopped);
    friction->jumped = friction->undetermined = false;
    memset(friction->crosses, 0, friction->contacts->presser_count * sizeof *friction->crosses);
    memset(friction->slips, 0, friction->count * sizeof *friction->slips);
    if (found != SIZE_MAX)
        friction_found(event, found);
    // What has begun to slide at this very time goes on, though it has no speed yet.
    double span = TOL_ZERO * fmax(event->t, event->gaps->interval);
    for (size_t i = 0; i < friction->count; i++)
        if (slides(friction->holds[i]) && event->t - friction->began[i] <= span)
            friction->slips[i] = true;
}

bool friction_finish_stop(ContactEvent *event, const ContactMode *mode, size_t found)
{
    FrictionContacts *contacts = event->friction->contacts;
    const State *state = mode->state;
    size_t i = found, n = contacts->n, rows;
    if (found == SIZE_MAX || !friction_is_course(event, found))
        return true;
    friction_contacts_evaluate(contacts, state);
    const FrictionNumbers *numbers = &contacts->at[i];
    rows = contacts->motion->frictions[i].rows;
    double speed = friction_speed(numbers, rows), change = 0;
    for (size_t k = 0; k < rows; k++) {
        double rate = numbers->eta[k];
        for (size_t j = 0; j < n; j++)
            rate += numbers->w[k * n + j] * state->a[j];
        change += rate * numbers->u[k];
    }
    if (speed > fmax(TOL_SMALL, 4 * friction_rest(mode)) * event->friction->fastest[i])
        return false;
    double rest = speed > 0 && change < 0 ? -speed * speed / change : 0;
    event->t += rest;
    for (size_t j = 0; j < n; j++) {
        event->q[j] += rest * (event->before[j] + rest * state->a[j] / 2);
        event->before[j] += rest * state->a[j];
        event->after[j] = event->before[j];
    }
    return true;
}

void friction_take_later(ContactEvent *event, const ContactEvent *later, size_t side)
{
    const FrictionContacts *contacts = event->friction->contacts;
    const ModelConstraint *constraint = contacts->motion->sides[side].constraint;
    for (size_t i = 0; i < contacts->count; i++)
        if (motion_friction_presses(&contacts->motion->frictions[i], constraint))
            event->friction->holds[i] = later->friction->holds[i];
}

// ---- Records.

static const char *mode_word(FrictionHold hold)
{
    return slides(hold) ? "slips" : hold.mode == HOLD_STICKS ? "sticks" : "open";
}

static void record(SimulationRun *run, RunEventKind kind, size_t i)
{
    const ContactEvent *event = run->event;
    const FrictionEvent *friction = event->friction;
    const MotionFriction *own = &friction->contacts->motion->frictions[i];
    const Model *model = friction->contacts->motion->model;
    const ModelConstraint *named = own->friction->kind == FRICTION_ON_CONDITION
                                       ? own->constraint
                                       : &model->sticks.at[own->friction->stick];
    RunFriction told = {.parts = own->friction->kind == FRICTION_AGAINST ? 1 : 3,
                        .normal = friction->normal[i],
                        .mode_before = mode_word(friction->before[i]),
                        .mode_after = mode_word(friction->holds[i])};
    const FrictionNumbers *numbers = &friction->contacts->at[i];
    friction_vector(numbers, own, friction->slip + FRICTION_MOST * i, told.slip);
    friction_vector(numbers, own, friction->force + FRICTION_MOST * i, told.force);
    record_event(run, &(RunEvent){.t = switch_shown_time(run, event->t),
                                  .kind = kind,
                                  .constraint = named,
                                  .before = event->before,
                                  .after = event->after,
                                  .friction = told});
}

void friction_record(SimulationRun *run)
{
    const FrictionEvent *friction = run->event->friction;
    assert(friction);
    if (friction->jumped)
        record_event(run, &(RunEvent){.t = switch_shown_time(run, run->event->t),
                                      .kind = RUN_PERCUSSION,
                                      .what = "impact without collision",
                                      .before = run->event->before,
                                      .after = run->event->after,
                                      .energy_lost = run->event->energy_lost});
    for (size_t i = 0; i < friction->count; i++) {
        FrictionHold before = friction->before[i], now = friction->holds[i];
        if (slides(now) && (before.mode == HOLD_STICKS || friction->stopped[i]))
            friction->began[i] = run->event->t;
        if (now.mode == HOLD_STICKS && before.mode != HOLD_STICKS)
            record(run, RUN_STICK, i);
        else if (slides(now) && before.mode == HOLD_STICKS)
            record(run, RUN_SLIP, i);
        else if (slides(now) && slides(before) &&
                 (now.mode != before.mode ||
                  (friction->stopped[i] && friction->begins[i] && now.mode == HOLD_TURNS)))
            record(run, RUN_REVERSE, i);
    }
}
