// setup.c: makes a simulation and frees it; the state at which it starts.
#include "dynamics/form_driver.h"
#include "dynamics/motion_formulas.h"
#include "dynamics/speed_choice.h"
#include "dynamics/start.h"
#include "motion/motion.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/run_options_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_module_impl.h"
#include "simulate/start_contacts_impl.h"

#include <math.h>
#include <string.h>

static double *copy(const Run *run, const double *values, size_t count)
{
    double *own = arena_alloc(run->arena, (count + 1) * sizeof *own);
    memcpy(own, values, count * sizeof *own);
    return own;
}

// From the completed q and v: speeds in use, accelerations, multipliers.
static Status evaluate_start(Run *run, double *u, Diag *diag)
{
    const Equations *eq = run->base->eq;
    State *state = run->base->state;
    bool all = eq->independent.count == eq->m;
    dynamics_own_speeds(eq, state, u);
    DynamicsOutcome outcome =
        all ? dynamics_velocities(eq, state, 0, state->q, eq->all_velocities ? state->v : u)
            : DYNAMICS_SPEEDS;
    // Speeds that are singular here are no mistake: the run takes others.
    if (outcome == DYNAMICS_SPEEDS && conditioning_improve(eq, state, 0)) {
        if (all)
            singular_speeds_report(eq, state, diag);
        outcome = DYNAMICS_FOUND;
    }
    if (outcome == DYNAMICS_SPEEDS && eq->k == 0)
        outcome = dynamics_velocities(eq, state, 0, state->q, u);
    // An instant needs no speeds: the velocities are there.
    if (outcome == DYNAMICS_SPEEDS && run->settings.instant)
        outcome = DYNAMICS_FOUND;
    if (outcome == DYNAMICS_FOUND)
        outcome = dynamics_accelerations(eq, state, NULL);
    if (outcome == DYNAMICS_FOUND)
        conditioning_measure(eq, state);
    TRY(failure_at_start(run, outcome, diag));
    return modules_start(run, diag);
}

static void keep_start(Run *run, const double *u)
{
    const Motion *motion = run->motion;
    const State *state = run->base->state;
    double *lambda = arena_alloc(run->arena, (motion->in_force_count + 1) * sizeof *lambda);
    for (size_t i = 0; i < motion->in_force_count; i++)
        lambda[i] = state->multipliers[motion->in_force[i] - motion->model->constraints.at];
    run->start = (RunStart){.n = motion->n,
                            .m = motion->in_force_count,
                            .k = motion->k,
                            .q = copy(run, state->q, motion->n),
                            .v = copy(run, state->v, motion->n),
                            .u = u,
                            .a = copy(run, state->a, motion->n),
                            .lambda = lambda,
                            .energy = columns_fill(run->base->columns, run->base->eq, state).energy,
                            .row = run->base->columns->row};
}

// A form's equations are for independent conditions.
static Status check_driver(const Equations *eq, const RunOptions *options, Diag *diag)
{
    if (!options->driven || eq->independent.count == eq->m)
        return STATUS_OK;
    return diag_error(diag, place_hint(HINT_FORM),
                      "the form '%s' wants constraints that are independent, which these are not; "
                      "a run "
                      "without a form takes them",
                      form_name(options->form));
}

// The velocities that a form puts in are functions of the speeds, with roots of one sign: that must
// be the start's.
static Status check_root(const Run *run, Diag *diag)
{
    const Motion *motion = run->motion;
    const RunOptions *options = &run->settings;
    State *state = run->base->state;
    size_t worst = 0;
    if (!options->driven || !form_driver_has_other_root(run->base->eq, state, &worst))
        return STATUS_OK;
    return diag_error(diag, place_hint(HINT_FORM),
                      "the form '%s' has %s as another root of the constraints and speeds than "
                      "%.6g, where the run starts; give %s in 'initial', or run without a form",
                      form_name(options->form), expr_name(motion->pool, motion->v[worst]),
                      state->v[worst], expr_name(motion->pool, motion->v[worst]));
}

static Status complete_start(Run *run, Diag *diag)
{
    const RunOptions *settings = &run->settings;
    Equations *eq = run->base->eq;
    State *state = run->base->state;
    TRY(start_complete(eq, state, diag));
    TRY(modules_check_start(run, diag));
    TRY(independent_rows_find(eq, state, settings->instant, diag));
    TRY(check_driver(eq, settings, diag));
    TRY(modules_check_speeds(run, diag));
    TRY(check_root(run, diag));
    inertia_check(eq, state, diag);
    TRY(start_contacts_init(run->contacts, eq, state, run->motion, &run->settings, diag));
    double *u = arena_alloc(run->arena, (eq->n + 1) * sizeof *u);
    TRY(evaluate_start(run, u, diag));
    TRY(start_contacts_solve(run->contacts, eq, state, diag));
    if (run->contacts->told.shock)
        dynamics_own_speeds(eq, state, u);
    keep_start(run, u);
    return STATUS_OK;
}

static Status make(Run *run, const RunOptions *options, Diag *diag)
{
    Motion *motion = run->motion;
    if (motion->n == 0)
        return diag_error(diag, place_none(), "the model has no coordinates: nothing can move");
    TRY(motion_check_inertia(motion, diag));
    TRY(options_resolve(motion, options, diag, &run->settings));
    TRY(mode_new(&run->settings, motion, motion, NULL, diag, &run->base));
    return complete_start(run, diag);
}

Status run_new(Motion *motion, const RunOptions *options, Diag *diag, Run **out)
{
    Arena *arena = arena_new();
    Run *run = arena_alloc(arena, sizeof *run);
    *run = (Run){.arena = arena, .motion = motion};
    run->contacts = arena_alloc(arena, sizeof *run->contacts);
    Status status = make(run, options, diag);
    if (status != STATUS_OK) {
        run_free(run);
        run = NULL;
    }
    *out = run;
    return status;
}

void run_free(Run *run)
{
    if (!run)
        return;
    start_contacts_clear(run->contacts);
    modules_clear(run);
    mode_free(run->base);
    arena_free(run->arena);
}

RunOptions run_settings(const Run *run)
{
    return run->settings;
}

size_t run_column_count(const Run *run)
{
    return run->base->columns->count;
}

const char *run_column_name(const Run *run, size_t column)
{
    return run->base->columns->names[column];
}

RunStart run_start(const Run *run)
{
    return run->start;
}

RunState run_state(const Run *run)
{
    // What holds unilateral conditions has the same symbols in the same order.
    const State *told = run->told ? run->told : run->base->state;
    return (RunState){run->base->eq->symbols, told->inputs, run->base->eq->input_count};
}

Status run_formulas(Run *run, bool fixed, bool whole, Diag *diag, RunFormulasRoom **room,
                    RunFormulas *formulas)
{
    return motion_formulas(run->base->eq, run->base->state, run->motion, fixed, whole, diag, room,
                           formulas);
}
