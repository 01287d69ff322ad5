// event_actions.c: what events do, one after the other: resets, blows, records, the end of the run.
//
// Events of one time are done in the order of the text; those that they make true come after them.
#include "dynamics/equations.h"
#include "expr/arithmetic.h"
#include "expr/expr.h"
#include "model/model.h"
#include "motion/motion.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_events_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/events/event_reset_impl.h"
#include "simulate/events/event_samples_impl.h"
#include "simulate/events/event_states_impl.h"
#include "simulate/events/event_triggers_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/recording_impl.h"
#include "simulate/run_report.h"
#include "simulate/sensitivity/sensitivity_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/switch_functions_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// So many events of one time, and no more.
enum { MOST_IN_A_ROW = 100 };

// The numbers of one action: what is set, and the rows that say what; or an impulse, n.
typedef struct {
    Evaluator numbers;
    double *values;
    double *held; // what was computed, of a sample with a delay
} ActionProgram;

struct EventActions {
    const EventTriggers *triggers;
    size_t n;
    ActionProgram **programs; // of each action of each event
    bool *round;              // of each event: it is done in this round
    double *before, *q, *v;   // n each: velocities before an event; a state
    State state;              // of the base mode's equations, for resets
    bool has_state;
    Evaluator kept; // speeds that resets keep, where they are not those of the state
    bool keeps_others;
    const char ***names; // of each event: what it sets
};

// ---- Programs.

// What is set, and for each the row of q' and its constant, which only velocities and speeds have.
static size_t add_sets(const Motion *motion, const ModelAction *action, Expr *outputs)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n, count = action->set_count, at = count;
    Expr zero = expr_int(pool, 0);
    for (size_t i = 0; i < count; i++) {
        const ModelAssignment *set = &action->sets[i];
        outputs[i] = columns_resolve(motion, set->value);
        Expr value = zero;
        if (set->of == SET_VELOCITY)
            value = motion->v[set->target];
        else if (set->of == SET_SPEED)
            value = motion->model->speeds.at[set->target].value;
        Expr rest = value;
        for (size_t j = 0; j < n; j++) {
            outputs[at + j] = expr_diff(pool, value, motion->v[j]);
            rest = expr_sub(pool, rest, expr_mul(pool, outputs[at + j], motion->v[j]));
        }
        outputs[at + n] = rest;
        at += n + 1;
    }
    return at;
}

static void make_program(Arena *arena, const Simulation *sim, const ModelAction *action,
                         ActionProgram *program)
{
    Motion *motion = sim->motion;
    const Equations *eq = sim->base->eq;
    size_t n = motion->n, most = n + action->set_count * (n + 2) + 1, count = 0;
    Expr *outputs = base_alloc(most * sizeof *outputs), missing = {0};
    if (action->kind == ACTION_SET) {
        count = add_sets(motion, action, outputs);
    } else if (action->kind == ACTION_IMPULSE) {
        motion_percussion(motion, action->impulse, outputs);
        count = n;
    }
    bool known = count == 0 || evaluator_init(&program->numbers, motion->pool, eq->symbols,
                                              eq->input_count, outputs, count, &missing);
    assert(known);
    (void)known;
    program->values = arena_array(arena, double, count + 1);
    program->held = arena_array(arena, double, action->set_count + 1);
    base_free(outputs);
}

// The rows of the speeds that are kept, each with its constant.
static void make_kept(const Simulation *sim, EventActions *actions)
{
    const Motion *motion = sim->motion;
    const Equations *eq = sim->base->eq;
    size_t n = motion->n, k = motion->k;
    Expr *outputs = base_alloc((k * (n + 1) + 1) * sizeof *outputs), missing = {0};
    actions->keeps_others = motion->kept != motion->state.speeds && !eq->all_velocities;
    for (size_t i = 0; i < k && actions->keeps_others; i++) {
        memcpy(outputs + i * (n + 1), motion->kept[i].y, n * sizeof *outputs);
        outputs[i * (n + 1) + n] = motion->kept[i].y0;
    }
    bool known =
        !actions->keeps_others || evaluator_init(&actions->kept, motion->pool, eq->symbols,
                                                 eq->input_count, outputs, k * (n + 1), &missing);
    assert(known);
    (void)known;
    base_free(outputs);
}

EventActions *actions_new(Arena *arena, const Simulation *sim, const EventTriggers *triggers)
{
    EventActions *actions = arena_array(arena, EventActions, 1);
    size_t n = sim->motion->n;
    *actions = (EventActions){.triggers = triggers,
                              .n = n,
                              .programs = arena_array(arena, ActionProgram *, triggers->count),
                              .round = arena_array(arena, bool, triggers->count),
                              .before = arena_array(arena, double, 3 * n)};
    actions->q = actions->before + n;
    actions->v = actions->q + n;
    actions->names = arena_array(arena, const char **, triggers->count);
    for (size_t i = 0; i < triggers->count; i++) {
        const ModelEvent *event = triggers->events[i];
        size_t names = 0;
        actions->programs[i] = arena_array(arena, ActionProgram, event->action_count + 1);
        for (size_t k = 0; k < event->action_count; k++) {
            make_program(arena, sim, &event->actions[k], &actions->programs[i][k]);
            names += event->actions[k].set_count;
        }
        actions->names[i] = arena_array(arena, const char *, names + 1);
        names = 0;
        for (size_t k = 0; k < event->action_count; k++)
            for (size_t j = 0; j < event->actions[k].set_count; j++)
                actions->names[i][names++] = event->actions[k].sets[j].name;
    }
    make_kept(sim, actions);
    return actions;
}

void actions_clear(EventActions *actions)
{
    if (actions->keeps_others)
        evaluator_clear(&actions->kept);
    for (size_t i = 0; i < actions->triggers->count; i++)
        for (size_t k = 0; k < actions->triggers->events[i]->action_count; k++)
            evaluator_clear(&actions->programs[i][k].numbers);
    if (actions->has_state)
        state_clear(&actions->state);
}

void actions_forget_state(EventActions *actions)
{
    if (actions->has_state)
        state_clear(&actions->state);
    actions->has_state = false;
}

// ---- One action.

static RunResult fail(SimulationRun *run, const ModelEvent *event, Text *reason)
{
    Text text = {0};
    text_addf(&text, "the reset of '%s'%s", event->name, reason->at ? reason->at : "");
    text_clear(reason);
    return failure_at(run, event->place, run->mode->t, &text);
}

static bool sets_motion(const ModelAction *action)
{
    for (size_t i = 0; i < action->set_count; i++)
        if (action->sets[i].of != SET_STATE)
            return true;
    return false;
}

// Coordinates and velocities of a state of the base mode after a `set`.
static bool reset(SimulationRun *run, const ModelAction *action, ActionProgram *program,
                  Text *reason)
{
    EventActions *actions = run->detector->triggers->actions;
    const Equations *eq = run->sim->base->eq;
    State *state = &actions->state;
    size_t n = actions->n;
    if (!actions->has_state)
        state_init(state, eq);
    actions->has_state = true;
    memcpy(state->inputs, run->mode->state->inputs, (eq->params + 1 + 2 * n) * sizeof(double));
    ResetValues reset = {.action = action,
                         .values = program->values,
                         .numbers = &program->numbers,
                         .kept = actions->keeps_others ? &actions->kept : NULL};
    if (!reset_apply(eq, state, run->gaps, &reset, reason))
        return false;
    memcpy(actions->q, state->q, n * sizeof *state->q);
    memcpy(actions->v, state->v, n * sizeof *state->v);
    return true;
}

// The numbers that are set; `held`: they were computed before.
static RunResult evaluate(SimulationRun *run, const ModelEvent *event, const ModelAction *action,
                          ActionProgram *program, bool held)
{
    const ContactMode *mode = run->mode;
    Text reason = {0};
    evaluator_run(&program->numbers, mode->state->inputs);
    memcpy(program->values, program->numbers.out,
           program->numbers.outputs * sizeof *program->values);
    if (held)
        memcpy(program->values, program->held, action->set_count * sizeof *program->held);
    for (size_t i = 0; i < action->set_count; i++)
        if (!isfinite(program->values[i])) {
            text_addf(&reason, " gives %s no finite value", action->sets[i].name);
            return fail(run, event, &reason);
        }
    return RESULT_CONTINUE;
}

static RunResult assign(SimulationRun *run, const ModelEvent *event, const ModelAction *action,
                        ActionProgram *program, bool held)
{
    EventActions *actions = run->detector->triggers->actions;
    ContactMode *mode = run->mode;
    Text reason = {0};
    RunResult result = evaluate(run, event, action, program, held);
    if (result != RESULT_CONTINUE)
        return result;
    memcpy(actions->q, mode->state->q, actions->n * sizeof(double));
    memcpy(actions->v, mode->state->v, actions->n * sizeof(double));
    if (sets_motion(action) && !reset(run, action, program, &reason))
        return fail(run, event, &reason);
    sensitivity_set(run, action, &program->numbers);
    StateChange change = states_set(run, action, program->values);
    if (change >= STATES_IN_FORCES || states_switch(run))
        return states_renew(run, actions->q, actions->v);
    // Also where nothing moves otherwise: the step has ended there, and another one begins.
    return contacts_restart(run, actions->q, actions->v, NULL);
}

static RunResult strike(SimulationRun *run, ActionProgram *program)
{
    EventActions *actions = run->detector->triggers->actions;
    const State *state = run->mode->state;
    size_t bytes = actions->n * sizeof(double);
    evaluator_run(&program->numbers, state->inputs);
    memcpy(program->values, program->numbers.out, bytes);
    memcpy(actions->q, state->q, bytes);
    memcpy(actions->v, state->v, bytes);
    if (run->sim->sensitivity)
        run->sim->sensitivity->impulse = &program->numbers;
    RunResult result = contacts_restart(run, actions->q, actions->v, program->values);
    if (run->sim->sensitivity)
        run->sim->sensitivity->impulse = NULL;
    return result;
}

// The time has made something begin or end, unless that waits for more.
static RunResult pass_switch(SimulationRun *run)
{
    EventActions *actions = run->detector->triggers->actions;
    const State *state = run->mode->state;
    memcpy(actions->q, state->q, actions->n * sizeof(double));
    memcpy(actions->v, state->v, actions->n * sizeof(double));
    if (states_switch(run))
        return states_renew(run, actions->q, actions->v);
    return mode_set_out(run->mode) ? RESULT_CONTINUE : RESULT_FAILED;
}

// ---- One event.

// What it has changed of the energy beyond what contacts have told of it.
static double count_energy(SimulationRun *run, double energy, double told)
{
    double change = record_energy(run) - energy;
    double rest = change - (isfinite(told) ? run->energy - told : 0);
    if (rest != 0 && isfinite(rest))
        record_energy_change(run, rest);
    return -change;
}

static void tell(SimulationRun *run, size_t i, bool records, double energy_lost)
{
    EventActions *actions = run->detector->triggers->actions;
    const ModelEvent *event = actions->triggers->events[i];
    size_t count = 0;
    for (size_t k = 0; k < event->action_count; k++)
        count += event->actions[k].set_count;
    record_event(run, &(RunEvent){.t = run->mode->t,
                                  .kind = RUN_EVENT,
                                  .event = event->name,
                                  .sets = actions->names[i],
                                  .set_count = count,
                                  .before = actions->before,
                                  .after = run->mode->state->v,
                                  .energy_lost = energy_lost,
                                  .state = records ? record_fill(run) : NULL});
}

static void tell_stop(SimulationRun *run, const ModelEvent *event, const char *text)
{
    const double *v = run->mode->state->v;
    run->summary->stop = (RunStop){.event = event->name, .text = text};
    record_event(run, &(RunEvent){.t = run->mode->t,
                                  .kind = RUN_STOP,
                                  .event = event->name,
                                  .what = text,
                                  .before = v,
                                  .after = v});
}

// A sample computes what it will apply: one `set` after the other, as if each were done.
static RunResult compute(SimulationRun *run, size_t i)
{
    EventActions *actions = run->detector->triggers->actions;
    const ModelEvent *event = actions->triggers->events[i];
    const Equations *eq = run->mode->eq;
    double *inputs = base_alloc(eq->input_count * sizeof *inputs);
    memcpy(inputs, run->mode->state->inputs, eq->input_count * sizeof *inputs);
    for (size_t k = 0; k < event->action_count; k++) {
        const ModelAction *action = &event->actions[k];
        ActionProgram *program = &actions->programs[i][k];
        if (action->kind != ACTION_SET)
            continue;
        evaluator_run(&program->numbers, inputs);
        memcpy(program->held, program->numbers.out, action->set_count * sizeof *program->held);
        for (size_t s = 0; s < action->set_count; s++) {
            size_t target = action->sets[s].target;
            if (action->sets[s].of == SET_STATE)
                inputs[target] = program->held[s];
            else if (action->sets[s].of != SET_SPEED)
                inputs[eq->params + 1 + target + (action->sets[s].of == SET_VELOCITY ? eq->n : 0)] =
                    program->held[s];
        }
    }
    base_free(inputs);
    samples_hold(actions->triggers->samples, i);
    return RESULT_CONTINUE;
}

// What a sample does that has no record and no rows.
static RunResult perform_quietly(SimulationRun *run, size_t i)
{
    EventActions *actions = run->detector->triggers->actions;
    const EventTriggers *triggers = actions->triggers;
    const ModelEvent *event = triggers->events[i];
    bool held = samples_has_delay(triggers->samples, i);
    bool counts = states_are_in_energy(run, event);
    double energy = counts ? record_energy(run) : 0, told = run->energy;
    StateChange change = STATES_SAME;
    RunResult result = RESULT_CONTINUE;
    for (size_t k = 0; k < event->action_count && result == RESULT_CONTINUE; k++) {
        ActionProgram *program = &actions->programs[i][k];
        result = evaluate(run, event, &event->actions[k], program, held);
        if (result != RESULT_CONTINUE)
            return result;
        sensitivity_set(run, &event->actions[k], &program->numbers);
        StateChange own = states_set(run, &event->actions[k], program->values);
        change = own > change ? own : change;
        // What begins or ends does so before the next `set`.
        if (k + 1 == event->action_count || states_switch(run)) {
            result = states_go_on(run, change);
            change = STATES_SAME;
        }
    }
    if (result == RESULT_CONTINUE && counts)
        count_energy(run, energy, told);
    return result;
}

// *stops where it ends the run.
static RunResult perform(SimulationRun *run, size_t i, bool *stops)
{
    EventActions *actions = run->detector->triggers->actions;
    const ModelEvent *event = actions->triggers->events[i];
    double energy = record_energy(run), told = run->energy;
    const char *text = NULL;
    bool jumps = false, records = false, held = samples_has_delay(actions->triggers->samples, i);
    RunResult result = RESULT_CONTINUE;
    memcpy(actions->before, run->mode->state->v, actions->n * sizeof(double));
    for (size_t k = 0; k < event->action_count && result == RESULT_CONTINUE; k++) {
        const ModelAction *action = &event->actions[k];
        ActionProgram *program = &actions->programs[i][k];
        jumps = jumps || action->kind == ACTION_SET || action->kind == ACTION_IMPULSE;
        records = records || action->kind == ACTION_RECORD;
        if (action->kind == ACTION_SET)
            result = assign(run, event, action, program, held);
        else if (action->kind == ACTION_IMPULSE)
            result = strike(run, program);
        else if (action->kind == ACTION_STOP && !text)
            text = action->text;
    }
    if (event->hidden) {
        jumps = true;
        result = pass_switch(run);
    }
    if (result != RESULT_CONTINUE)
        return result;
    double lost = jumps ? count_energy(run, energy, told) : 0;
    if (event != run->sim->settings.until && !event->hidden)
        tell(run, i, records, lost);
    if (text)
        tell_stop(run, event, text);
    *stops = *stops || text;
    return RESULT_CONTINUE;
}

static RunResult perform_one(SimulationRun *run, size_t i, bool *stops)
{
    const EventTriggers *triggers = run->detector->triggers;
    if (samples_is_computing(triggers->samples, i))
        return compute(run, i);
    if (model_event_is_quiet(triggers->events[i]))
        return perform_quietly(run, i);
    Switches *switches = run->switches;
    size_t count = switches->count;
    double *before = base_alloc((count + 1) * sizeof *before);
    if (count > 0)
        memcpy(before, switches_values(switches, run->mode->state), count * sizeof *before);
    RunResult result = perform(run, i, stops);
    // Where the equations were made anew so were their switches.
    if (run->switches == switches)
        switches_carry(switches, run->mode->state, before);
    base_free(before);
    return result;
}

// ---- All that are due.

// Those that fire now; they are at 0.
static void begin_round(EventTriggers *triggers, const ContactMode *mode)
{
    triggers->timed = false;
    for (size_t i = 0; i < triggers->count; i++)
        triggers->actions->round[i] = triggers->at[i].due;
    triggers_fire(triggers, mode);
}

static RunResult check_row(SimulationRun *run)
{
    EventTriggers *triggers = run->detector->triggers;
    double t = run->mode->t;
    if (t != triggers->now)
        triggers->in_a_row = 0;
    triggers->now = t;
    if (triggers->in_a_row++ < MOST_IN_A_ROW)
        return RESULT_CONTINUE;
    Text reason = {0};
    text_addf(&reason, "%d events have followed each other there, each made true by the one before",
              MOST_IN_A_ROW);
    return failure_report(run, t, &reason);
}

RunResult actions_perform(SimulationRun *run)
{
    EventTriggers *triggers = run->detector->triggers;
    if (!triggers || !triggers_are_due(triggers))
        return RESULT_CONTINUE;
    bool stops = false, jumped = triggers->row_waits, timed = triggers->timed;
    sensitivity_enter_trigger(run);
    triggers->row_waits = false;
    triggers->acting = true;
    while (triggers_are_due(triggers) && !stops) {
        bool jumps = triggers_jump(triggers), sets = triggers_set(triggers);
        begin_round(triggers, run->mode);
        for (size_t i = 0; i < triggers->count && !stops; i++) {
            if (!triggers->actions->round[i])
                continue;
            RunResult result = check_row(run);
            if (result == RESULT_CONTINUE)
                result = perform_one(run, i, &stops);
            if (result != RESULT_CONTINUE)
                return result;
            triggers = run->detector->triggers;
        }
        triggers_look(triggers, run->mode, sets);
        jumped = jumped || jumps;
    }
    // What a stop leaves undone is nobody's.
    for (size_t i = 0; i < triggers->count && stops; i++)
        triggers->at[i].due = false;
    triggers->acting = false;
    sensitivity_leave(run);
    run->summary->reached = run->mode->t;
    if (stops && !jumped)
        return record_end(run);
    if (!jumped && timed)
        return record_after_sample(run);
    // The step was cut; the motion goes on as it was.
    if (!jumped)
        return mode_set_out(run->mode) ? RESULT_CONTINUE : RESULT_FAILED;
    RunResult result = record_after_event(run);
    return stops && result == RESULT_CONTINUE ? RESULT_FINISHED : result;
}

RunResult actions_perform_samples(SimulationRun *run)
{
    EventTriggers *triggers = run->detector->triggers;
    bool stops = false;
    if (!triggers_take_timed(triggers, run->mode->t))
        return RESULT_CONTINUE;
    begin_round(triggers, run->mode);
    RunResult result = RESULT_CONTINUE;
    for (size_t i = 0; i < triggers->count && result == RESULT_CONTINUE; i++)
        if (triggers->actions->round[i])
            result = perform_one(run, i, &stops);
    return result;
}
