// event_states.c: discrete states along a run. They are parameters of all programs; an event that
// sets one gives it another number in all of them. Where the equations hold it, what was derived
// and measured for the run is made anew from the state reached.
#include "simulate/events/event_states_impl.h"

#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/equations.h"
#include "dynamics/equations_types.h"
#include "dynamics/pattern.h"
#include "dynamics/rate_strategy.h"
#include "dynamics/switch_arguments.h"
#include "linalg/real.h"
#include "model/constraint.h"
#include "model/events.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_events_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/contact_modes_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/events/event_triggers_impl.h"
#include "simulate/events/event_whiles_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/recording_impl.h"
#include "simulate/run_carry.h"
#include "simulate/run_carry_impl.h"
#include "simulate/run_report.h"
#include "simulate/run_sides.h"
#include "simulate/setup_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/start_contacts_impl.h"
#include "simulate/switch_events_impl.h"
#include "simulate/switch_functions_impl.h"
#include "simulate/timestepping_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void put(ContactMode *mode, size_t param, double value)
{
    mode->eq->param_values[param] = value;
    mode->state->inputs[param] = value;
    if (mode->probe)
        mode->probe->inputs[param] = value;
}

// Whether the motion depends on a state: its equations, its one-sided conditions, its friction.
static bool is_in_equations(const Motion *motion, size_t param)
{
    Arena *arena = arena_new();
    size_t forces, count;
    Expr symbol = motion->model->params.at[param].symbol;
    Expr *roots = motion_roots(arena, motion, &forces, &count);
    roots = motion_roots_with_speeds(arena, motion, roots, &count);
    bool holds = equations_hold_any(motion->pool, roots, count, &symbol, 1);
    arena_free(arena);
    return holds;
}

bool states_are_in_equations(const Motion *motion)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->params.count && model->state_count > 0; i++)
        if (model->params.at[i].is_state && is_in_equations(motion, i))
            return true;
    return false;
}

// The start of the simulation.
struct RunOrigin {
    double from;
    bool *acts; // what holds for a while
    double *params, *q, *v;
};

// Before the first state is set.
static void keep_origin(Simulation *sim)
{
    const Equations *eq = sim->base->eq;
    if (sim->origin)
        return;
    struct RunOrigin *origin = sim->origin = arena_array(sim->arena, struct RunOrigin, 1);
    origin->from = sim->settings.from;
    origin->acts = whiles_keep(sim);
    origin->params = arena_array(sim->arena, double, eq->params + 2 * eq->n);
    origin->q = origin->params + eq->params;
    origin->v = origin->q + eq->n;
    memcpy(origin->params, eq->param_values, eq->params * sizeof(double));
    memcpy(origin->q, sim->start.q, eq->n * sizeof(double));
    const double *before = sim->contacts->told->before;
    memcpy(origin->v, before ? before : sim->start.v, eq->n * sizeof(double));
}

// What changes with each state: of a motion.
struct StateKinds {
    const Motion *motion;
    StateChange *at; // of each parameter
    bool *in_energy;
};

static bool holds(const Motion *motion, const Expr *roots, size_t count, Expr symbol)
{
    return equations_hold_any(motion->pool, roots, count, &symbol, 1);
}

// Whether the equations hold a state in forces and potentials alone, and nothing was worked out
// before with its value: then another number in the programs is all that a change needs.
static bool is_in_forces(const SimulationRun *run, size_t param)
{
    const Simulation *sim = run->sim;
    const Motion *motion = sim->motion;
    const RunOptions *settings = &sim->settings;
    Expr symbol = motion->model->params.at[param].symbol;
    Arena *arena = arena_new();
    size_t forces, count, kept = 0;
    Expr *roots = motion_roots(arena, motion, &forces, &count);
    roots = motion_roots_with_speeds(arena, motion, roots, &count);
    // Without the forces and the potential.
    for (size_t i = forces; i < count; i++)
        if (!expr_same(roots[i], motion->U))
            roots[kept++] = roots[i];
    roots = motion_roots_with_pairs(arena, motion, roots, &kept);
    bool elsewhere = holds(motion, roots, kept, symbol);
    arena_free(arena);
    return !elsewhere && !settings->driven && !settings->fixed && !modules_apply(motion) &&
           !sim->base->eq->direct.program && !switches_hold(run->switches, motion->pool, symbol);
}

static const struct StateKinds *kinds_of(SimulationRun *run)
{
    Simulation *sim = run->sim;
    const Motion *motion = sim->motion;
    const Model *model = motion->model;
    if (sim->kinds && sim->kinds->motion == motion)
        return sim->kinds;
    struct StateKinds *kinds = arena_array(sim->arena, struct StateKinds, 1);
    *kinds = (struct StateKinds){.motion = motion,
                                 .at = arena_array(sim->arena, StateChange, model->params.count),
                                 .in_energy = arena_array(sim->arena, bool, model->params.count)};
    for (size_t i = 0; i < model->params.count; i++) {
        const Expr energies[] = {motion->T, expr_is_none(motion->U) ? motion->T : motion->U};
        if (!model->params.at[i].is_state)
            continue;
        kinds->at[i] = !is_in_equations(motion, i) ? STATES_ASIDE
                       : is_in_forces(run, i)      ? STATES_IN_FORCES
                                                   : STATES_IN_EQUATIONS;
        kinds->in_energy[i] = holds(motion, energies, 2, model->params.at[i].symbol);
    }
    return sim->kinds = kinds;
}

bool states_are_in_energy(SimulationRun *run, const ModelEvent *event)
{
    const struct StateKinds *kinds = kinds_of(run);
    for (size_t k = 0; k < event->action_count; k++)
        for (size_t i = 0; i < event->actions[k].set_count; i++)
            if (event->actions[k].sets[i].of == SET_STATE &&
                kinds->in_energy[event->actions[k].sets[i].target])
                return true;
    return false;
}

StateChange states_set(SimulationRun *run, const ModelAction *action, const double *values)
{
    Simulation *sim = run->sim;
    const ContactModes *modes = run->modes;
    StateChange change = STATES_SAME;
    keep_origin(sim);
    const struct StateKinds *kinds = kinds_of(run);
    for (size_t i = 0; i < action->set_count; i++) {
        size_t param = action->sets[i].target;
        if (action->sets[i].of != SET_STATE || sim->base->eq->param_values[param] == values[i])
            continue;
        put(sim->base, param, values[i]);
        for (size_t k = 0; k < modes->count; k++)
            put(modes->at[k], param, values[i]);
        switches_put(run->switches, param, values[i]);
        change = kinds->at[param] > change ? kinds->at[param] : change;
    }
    return change;
}

void states_share(const Simulation *sim, ContactMode *mode)
{
    const Model *model = sim->motion->model;
    for (size_t i = 0; i < model->params.count && model->state_count > 0; i++)
        if (model->params.at[i].is_state)
            put(mode, i, sim->base->eq->param_values[i]);
}

// What has been a start once is one again.
static void return_to_origin(Simulation *sim, Diag *diag)
{
    const struct RunOrigin *origin = sim->origin;
    Diag *unread = diag_new();
    Status status = sim->whiles ? whiles_take(sim, origin->acts, unread) : STATUS_OK;
    memcpy(sim->base->eq->param_values, origin->params, sim->base->eq->params * sizeof(double));
    if (status == STATUS_OK)
        status = simulation_restart(sim, origin->from, origin->q, origin->v, unread);
    assert(status == STATUS_OK);
    if (status != STATUS_OK)
        diag_copy(diag, unread, 0);
    diag_free(unread);
}

void states_restore(Simulation *sim, Diag *diag)
{
    assert(sim->origin);
    return_to_origin(sim, diag);
    sim->origin = NULL;
}

// ---- Renewal.

// Right behind what has fired, which may be some last digits behind the state.
static double time_behind(const SimulationRun *run)
{
    const EventTriggers *triggers = run->detector->triggers;
    return run->mode->t + (triggers ? triggers->behind : 0);
}

bool states_switch(SimulationRun *run)
{
    const Simulation *sim = run->sim;
    size_t count = sim->motion->model->whiles.count;
    bool *acts = base_alloc(count + 1);
    bool changed = count > 0 && whiles_change(sim, time_behind(run), acts);
    base_free(acts);
    return changed;
}

// What begins, and the jump that meets it.
typedef struct {
    bool *acts, *former; // of each `while`
    bool changed;
    double *q, *v, *before, *impulses;
} Beginning;

static void beginning_init(SimulationRun *run, const double *q, const double *v, Arena *arena,
                           Beginning *begins)
{
    size_t n = run->sim->motion->n, count = run->sim->motion->model->whiles.count;
    *begins =
        (Beginning){.acts = arena_array(arena, bool, count + 1), .former = whiles_keep(run->sim)};
    real_alloc_each(arena, n, &begins->q, &begins->v, &begins->before, &begins->impulses);
    memcpy(begins->q, q, n * sizeof *q);
    memcpy(begins->v, v, n * sizeof *v);
    memcpy(begins->before, v, n * sizeof *v);
    begins->changed = count > 0 && whiles_change(run->sim, time_behind(run), begins->acts);
}

static Status begin_whiles(Simulation *sim, double t, Beginning *begins, Diag *diag)
{
    Text reason = {0};
    if (!begins->changed)
        return STATUS_OK;
    TRY(whiles_take(sim, begins->acts, diag));
    if (whiles_meet(sim, t, begins->q, begins->v, begins->impulses, &reason))
        return STATUS_OK;
    Status status = diag_error(diag, place_none(), "at t = %.10g %s", t, reason.at);
    text_clear(&reason);
    return status;
}

// The names of the conditions that begin.
static void add_begun(const Model *model, const Beginning *begins, Text *out)
{
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (constraint->waits && begins->acts[constraint->waits - 1] &&
            !begins->former[constraint->waits - 1])
            text_addf(out, "%s%s", out->length ? ", " : "", constraint->name);
    }
    text_addf(out, "%s", out->length ? (strchr(out->at, ',') ? " begin" : " begins") : "begins");
}

static void tell_percussion(SimulationRun *run, const Beginning *begins)
{
    size_t n = run->sim->motion->n;
    double lost = 0;
    if (!begins->changed || real_largest(begins->impulses, n) == 0)
        return;
    for (size_t i = 0; i < n; i++)
        lost -= begins->impulses[i] * (begins->before[i] + begins->v[i]) / 2;
    Text what = {0};
    add_begun(run->sim->motion->model, begins, &what);
    record_energy_change(run, -lost);
    run->summary->energy_lost += lost;
    record_event(run, &(RunEvent){.t = run->mode->t,
                                  .kind = RUN_PERCUSSION,
                                  .what = what.at,
                                  .before = begins->before,
                                  .after = begins->v,
                                  .impulses = begins->impulses,
                                  .energy_lost = lost});
    text_clear(&what);
}

static void pass_errors(const Diag *from, Diag *to)
{
    for (size_t i = 0; i < diag_total(from); i++) {
        DiagKind kind;
        Place place;
        const char *text = diag_message(from, i, &kind, &place);
        if (kind != DIAG_NOTE)
            diag_add(to, kind, place, "%s", text);
    }
}

// The same run from a state on: all that is made for a run is made anew, and what was counted and
// watched goes on.
RunResult states_renew(SimulationRun *run, const double *q, const double *v)
{
    Simulation *sim = run->sim;
    ContactModes *modes = run->modes;
    StopRequest *stop = sim->stop;
    RunCarry carry = {0};
    Beginning begins;
    Arena *arena = arena_new();
    double t = run->mode->t, until = run->pace.until;
    bool steps = sim->settings.method == RUN_TIMESTEPPING;
    ActingContacts acting = steps ? timestepping_acting(run, arena) : (ActingContacts){0};
    keep_origin(sim);
    beginning_init(run, q, v, arena, &begins);
    carry_begin(&carry, false);
    carry_run(&carry, run);
    switches_add_counts(run->switches, run->summary);
    sim->triggers = run->detector->triggers;
    run->detector->triggers = NULL;
    actions_forget_state(sim->triggers->actions);
    double jumped = run->switches->jumped;
    pass_close(run);
    carry_summary(&carry, run->summary);
    run->arena = NULL;
    run->mode = NULL;
    Diag *notes = diag_new();
    Status status = begin_whiles(sim, t, &begins, notes);
    if (status == STATUS_OK)
        status = simulation_restart(sim, t, begins.q, begins.v, notes);
    pass_errors(notes, run->diag);
    diag_free(notes);
    if (status != STATUS_OK)
        return_to_origin(sim, run->diag);
    pass_open(run, modes, stop);
    run->switches->jumped = jumped;
    carry_begin(&carry, true);
    carry_run(&carry, run);
    carry_summary(&carry, run->summary);
    carry_clear(&carry);
    run->summary->reached = t;
    run->pace.until = until;
    RunResult result = status != STATUS_OK ? RESULT_UNDECIDED
                       : steps             ? timestepping_resume(run, &acting)
                                           : events_resume(run);
    if (result == RESULT_CONTINUE)
        tell_percussion(run, &begins);
    arena_free(arena);
    return result;
}

// ---- After a sample.

RunResult states_go_on(SimulationRun *run, StateChange change)
{
    ContactMode *mode = run->mode, *base = run->sim->base;
    const EventTriggers *triggers = run->detector->triggers;
    const State *state = mode->state;
    if (change == STATES_SAME)
        return RESULT_CONTINUE;
    if (change == STATES_IN_EQUATIONS || states_switch(run))
        return states_renew(run, state->q, state->v);
    // Steps of fixed length take forces as they are.
    if (run->sim->settings.method == RUN_TIMESTEPPING)
        return switches_look(run->switches, state, NULL), RESULT_CONTINUE;
    if (change == STATES_IN_FORCES && base->strategy)
        strategy_take_parameters(base->strategy);
    for (size_t k = 0; k < run->modes->count && change == STATES_IN_FORCES; k++)
        if (run->modes->at[k]->strategy)
            strategy_take_parameters(run->modes->at[k]->strategy);
    switches_look(run->switches, state, NULL);
    if (run->gaps->count > 0 || run->event->friction)
        return contacts_restart(run, state->q, state->v, NULL);
    if (change == STATES_ASIDE)
        return RESULT_CONTINUE;
    double until = fmin(run->switches->next.before, triggers_next_time(triggers));
    return mode_restart_after_jump(mode, until) ? RESULT_CONTINUE : RESULT_FAILED;
}
