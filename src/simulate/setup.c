// setup.c: puts a run together and frees it; the state at which it starts.
#include "dynamics/form_driver.h"
#include "dynamics/motion_formulas.h"
#include "dynamics/nonlinear/nonlinear.h"
#include "dynamics/speed_choice.h"
#include "dynamics/start.h"
#include "simulate/run_options_impl.h"
#include "simulate/second_class/branches_impl.h"
#include "simulate/simulation_impl.h"

#include <math.h>
#include <string.h>

static double *copy(const double *values, size_t count)
{
    double *own = base_alloc((count + 1) * sizeof *own);
    memcpy(own, values, count * sizeof *own);
    return own;
}

// ---- What can be wrong with the accelerations at the start.

static Status no_inertia(const Run *run, Diag *diag)
{
    const Model *model = run->motion->model;
    const double *velocity = kkt_witness(run->state.kkt);
    size_t most = 0;
    for (size_t i = 1; i < run->eq.n; i++)
        if (fabs(velocity[i]) > fabs(velocity[most]))
            most = i;
    return diag_error(diag, model->coords.at[most].place,
                      "at the start nothing determines how %s changes: the inertia is singular "
                      "there on the velocities that the constraints leave free; give it a mass "
                      "(mass, kinetic), a constraint, or another start",
                      expr_name(model->pool, model->coords.at[most].v));
}

// ∂f/∂q' = 0: the condition does not say how the velocities may change.
static Status vanished(const Run *run, Diag *diag)
{
    const ModelConstraint *constraint =
        run->motion->rows[run->state.failure.singular_row].constraint;
    Text holds = {0};
    nonlinear_add_state(&run->eq, &run->state, &holds);
    diag_error(diag, constraint->place,
               "at the start the constraint '%s' is singular: its derivatives by the velocities "
               "vanish (%s), so that it does not say how the velocities may change; start with "
               "other velocities",
               constraint->name, holds.at);
    text_clear(&holds);
    return STATUS_WRONG;
}

static Status start_fails(const Run *run, DynamicsOutcome outcome, Diag *diag)
{
    const ModelConstraint *clash;
    switch (outcome) {
    case DYNAMICS_FOUND: return STATUS_OK;
    case DYNAMICS_INERTIA: return no_inertia(run, diag);
    case DYNAMICS_SERVO: return servos_fail(&run->eq, &run->state, diag);
    case DYNAMICS_SPEEDS:
        return diag_error(diag, place_none(),
                          "at the start the constraints depend on each other, so that the "
                          "velocities are not determined; start beside this position");
    case DYNAMICS_CONTRADICTION:
        clash = dynamics_condition(&run->eq, run->state.failure.report.row);
        return diag_error(diag, clash->place,
                          "at the start the constraint '%s' asks for another acceleration than "
                          "the constraints before it",
                          clash->name);
    case DYNAMICS_VANISHED: return vanished(run, diag);
    case DYNAMICS_BRANCH:
    case DYNAMICS_ROOT:
    case DYNAMICS_POSITION:
    case DYNAMICS_VELOCITY:
    case DYNAMICS_APART:
    case DYNAMICS_NOT_FINITE: break;
    }
    return diag_error(diag, place_none(),
                      "at the start the equations of motion have no finite values: something is "
                      "divided by 0 or is outside the domain of its function there");
}

static Status check_rows(Run *run, Diag *diag)
{
    if (!run->eq.nonlinear)
        return STATUS_OK;
    nonlinear_begin(&run->eq, &run->state);
    evaluator_run(&run->state.velocities, run->state.inputs);
    return nonlinear_find_singular(&run->eq, &run->state) ? vanished(run, diag) : STATUS_OK;
}

// From the completed q and v: speeds in use, accelerations, multipliers.
static Status evaluate_start(Run *run, bool instant, Diag *diag)
{
    const Equations *eq = &run->eq;
    State *state = &run->state;
    bool all = eq->independent.count == eq->m;
    if (eq->nonlinear)
        dynamics_own_speeds(eq, state, run->u);
    else
        dynamics_speeds(eq, state, run->u);
    DynamicsOutcome outcome =
        all ? dynamics_velocities(eq, state, 0, state->q, eq->nonlinear ? state->v : run->u)
            : DYNAMICS_SPEEDS;
    // Speeds that are singular here are no mistake: the run takes others.
    if (outcome == DYNAMICS_SPEEDS && conditioning_improve(eq, state, 0)) {
        if (all)
            singular_speeds_report(eq, state, diag);
        outcome = DYNAMICS_FOUND;
    }
    if (outcome == DYNAMICS_SPEEDS && eq->k == 0)
        outcome = dynamics_velocities(eq, state, 0, state->q, run->u);
    // An instant needs no speeds: the velocities are there.
    if (outcome == DYNAMICS_SPEEDS && instant)
        outcome = DYNAMICS_FOUND;
    if (outcome == DYNAMICS_FOUND)
        outcome = dynamics_accelerations(eq, state, NULL);
    if (outcome == DYNAMICS_FOUND)
        conditioning_measure(eq, state);
    TRY(start_fails(run, outcome, diag));
    return branches_begin(run, instant, diag);
}

// The motion's own speeds, whichever are in use, where its conditions are all needed.
static void speeds_after_shock(Run *run)
{
    bool own = run->state.speeds.own;
    run->state.speeds.own = dynamics_can_use_own_speeds(&run->eq);
    if (run->eq.nonlinear)
        dynamics_own_speeds(&run->eq, &run->state, run->u);
    else
        dynamics_speeds(&run->eq, &run->state, run->u);
    run->state.speeds.own = own;
}

static void keep_start(Run *run)
{
    const Equations *eq = &run->eq;
    const State *state = &run->state;
    run->q = copy(state->q, eq->n);
    run->v = copy(state->v, eq->n);
    run->a = copy(state->a, eq->n);
    run->lambda = base_alloc((run->motion->in_force_count + 1) * sizeof *run->lambda);
    for (size_t i = 0; i < run->motion->in_force_count; i++)
        run->lambda[i] =
            state->multipliers[run->motion->in_force[i] - run->motion->model->constraints.at];
    run->energy = columns_fill(&run->columns, eq, state).energy;
}

// A form's equations are for independent conditions.
static Status check_driver(const Equations *eq, const RunOptions *options, Diag *diag)
{
    if (!options->driven || eq->independent.count == eq->m)
        return STATUS_OK;
    return diag_error(diag, place_none(),
                      "the form '%s' wants constraints that are independent, which these are not; "
                      "leave --form out",
                      form_name(options->form));
}

// The velocities that a form puts in are functions of the speeds, with roots of one sign: that must
// be the start's.
static Status check_branch(Run *run, const RunOptions *options, Diag *diag)
{
    const Motion *motion = run->motion;
    const Equations *eq = &run->eq;
    State *state = &run->state;
    size_t worst = 0;
    if (!options->driven || !form_driver_has_other_root(eq, state, &worst))
        return STATUS_OK;
    return diag_error(diag, place_none(),
                      "the form '%s' has %s as another root of the constraints and speeds than "
                      "%.6g, where the run starts; give %s in 'initial', or leave --form out",
                      form_name(options->form), expr_name(motion->pool, motion->v[worst]),
                      state->v[worst], expr_name(motion->pool, motion->v[worst]));
}

static Status make(Run *run, const RunOptions *options, Diag *diag)
{
    if (run->motion->n == 0)
        return diag_error(diag, place_none(), "the model has no coordinates: nothing can move");
    TRY(motion_check_inertia(run->motion, diag));
    TRY(equations_init(&run->eq, run->motion, diag));
    if (options->driven)
        TRY(form_driver_prepare(&run->eq, run->motion, options->form, diag));
    state_init(&run->state, &run->eq);
    run->u = base_alloc((run->eq.n + 1) * sizeof *run->u);
    TRY(options_resolve(run->motion, options, run->state.inputs, diag, &run->settings));
    TRY(columns_init(&run->columns, &run->eq, run->motion, run->settings.residuals, diag));
    TRY(start_complete(&run->eq, &run->state, diag));
    TRY(check_rows(run, diag));
    TRY(independent_rows_find(&run->eq, &run->state, options->instant, diag));
    TRY(check_driver(&run->eq, options, diag));
    if (run->eq.nonlinear)
        TRY(singular_speeds_check_nonlinear(&run->eq, &run->state, options->driven, diag));
    TRY(check_branch(run, options, diag));
    inertia_check(&run->eq, &run->state, diag);
    TRY(start_contacts_init(&run->contacts, &run->eq, &run->state, run->motion, diag));
    TRY(evaluate_start(run, options->instant, diag));
    TRY(start_contacts_solve(&run->contacts, &run->eq, &run->state, diag));
    if (run->contacts.told.shock)
        speeds_after_shock(run);
    keep_start(run);
    return STATUS_OK;
}

Status run_new(Motion *motion, const RunOptions *options, Diag *diag, Run **out)
{
    Run *run = base_alloc(sizeof *run);
    run->motion = motion;
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
    columns_clear(&run->columns);
    engine_clear(&run->engine);
    start_contacts_clear(&run->contacts);
    branches_clear(&run->branches);
    state_clear(&run->state);
    equations_clear(&run->eq);
    base_free(run->q);
    base_free(run->v);
    base_free(run->u);
    base_free(run->a);
    base_free(run->lambda);
    base_free(run);
}

RunOptions run_settings(const Run *run)
{
    return run->settings;
}

size_t run_column_count(const Run *run)
{
    return run->columns.count;
}

const char *run_column_name(const Run *run, size_t column)
{
    return run->columns.names[column];
}

RunStart run_start(const Run *run)
{
    return (RunStart){.n = run->eq.n,
                      .m = run->motion->in_force_count,
                      .k = run->motion->k,
                      .q = run->q,
                      .v = run->v,
                      .u = run->u,
                      .a = run->a,
                      .lambda = run->lambda,
                      .energy = run->energy,
                      .row = run->columns.row};
}

RunState run_state(const Run *run)
{
    // What holds one-sided conditions has the same symbols in the same order.
    const State *told = run->told ? run->told : &run->state;
    return (RunState){run->eq.symbols, told->inputs, run->eq.input_count};
}

Status run_formulas(Run *run, bool fixed, bool whole, Diag *diag, RunFormulasRoom **room,
                    RunFormulas *formulas)
{
    return motion_formulas(&run->eq, &run->state, run->motion, fixed, whole, diag, room, formulas);
}
