// run.c: puts a run together and frees it; the state at which it starts.
#include "run/run_impl.h"

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
    const double *velocity = kkt_witness(run->numbers.gauss);
    size_t most = 0;
    for (size_t i = 1; i < run->numbers.n; i++)
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
    const ModelConstraint *constraint = run->motion->rows[run->numbers.singular_row].constraint;
    Text state = {0};
    keeper_add_state(&run->numbers, &state);
    diag_error(diag, constraint->place,
               "at the start the constraint '%s' is singular: its derivatives by the velocities "
               "vanish (%s), so that it does not say how the velocities may change; start with "
               "other velocities",
               constraint->name, state.at);
    text_clear(&state);
    return STATUS_WRONG;
}

static Status start_fails(const Run *run, NumbersOutcome outcome, Diag *diag)
{
    const ModelConstraint *clash;
    switch (outcome) {
    case NUMBERS_FOUND: return STATUS_OK;
    case NUMBERS_INERTIA: return no_inertia(run, diag);
    case NUMBERS_SERVO: return servos_fail(&run->numbers, diag);
    case NUMBERS_SPEEDS:
        return diag_error(diag, place_none(),
                          "at the start the constraints depend on each other, so that the "
                          "velocities are not determined; start beside this position");
    case NUMBERS_CONTRADICTION:
        clash = numbers_condition(&run->numbers, run->numbers.report.row);
        return diag_error(diag, clash->place,
                          "at the start the constraint '%s' asks for another acceleration than "
                          "the constraints before it",
                          clash->name);
    case NUMBERS_VANISHED: return vanished(run, diag);
    case NUMBERS_BRANCH:
    case NUMBERS_ROOT:
    case NUMBERS_POSITION:
    case NUMBERS_VELOCITY:
    case NUMBERS_APART:
    case NUMBERS_NOT_FINITE: break;
    }
    return diag_error(diag, place_none(),
                      "at the start the equations of motion have no finite values: something is "
                      "divided by 0 or is outside the domain of its function there");
}

static Status check_rows(Run *run, Diag *diag)
{
    if (!run->numbers.curved)
        return STATUS_OK;
    keeper_begin(&run->numbers);
    lowered_run(&run->numbers.velocities, run->numbers.inputs);
    return keeper_find_singular(&run->numbers) ? vanished(run, diag) : STATUS_OK;
}

// From the completed q and v: speeds in use, accelerations, multipliers.
static Status evaluate_start(Run *run, bool instant, Diag *diag)
{
    Numbers *numbers = &run->numbers;
    bool all = numbers->needed == numbers->m;
    if (numbers->curved)
        numbers_own_speeds(numbers, run->u);
    else
        numbers_speeds(numbers, run->u);
    NumbersOutcome outcome =
        all ? numbers_velocities(numbers, 0, numbers->q, numbers->curved ? numbers->v : run->u)
            : NUMBERS_SPEEDS;
    // Speeds that are singular here are no mistake: the run takes others.
    if (outcome == NUMBERS_SPEEDS && conditioning_improve(numbers, 0)) {
        if (all)
            singular_say(numbers, diag);
        outcome = NUMBERS_FOUND;
    }
    if (outcome == NUMBERS_SPEEDS && numbers->k == 0)
        outcome = numbers_velocities(numbers, 0, numbers->q, run->u);
    // An instant needs no speeds: the velocities are there.
    if (outcome == NUMBERS_SPEEDS && instant)
        outcome = NUMBERS_FOUND;
    if (outcome == NUMBERS_FOUND)
        outcome = numbers_accelerations(numbers, NULL);
    if (outcome == NUMBERS_FOUND)
        conditioning_measure(numbers);
    TRY(start_fails(run, outcome, diag));
    return branches_begin(run, instant, diag);
}

// The motion's own speeds, whichever are in use, where its conditions are all needed.
static void speeds_after_shock(Run *run)
{
    bool own = run->numbers.own_speeds;
    run->numbers.own_speeds = numbers_can_own(&run->numbers);
    if (run->numbers.curved)
        numbers_own_speeds(&run->numbers, run->u);
    else
        numbers_speeds(&run->numbers, run->u);
    run->numbers.own_speeds = own;
}

static void keep_start(Run *run)
{
    const Numbers *numbers = &run->numbers;
    run->q = copy(numbers->q, numbers->n);
    run->v = copy(numbers->v, numbers->n);
    run->a = copy(numbers->a, numbers->n);
    run->lambda = base_alloc((run->motion->in_force_count + 1) * sizeof *run->lambda);
    for (size_t i = 0; i < run->motion->in_force_count; i++)
        run->lambda[i] =
            numbers->multipliers[run->motion->in_force[i] - run->motion->model->constraints.at];
    run->energy = columns_fill(&run->columns, numbers).energy;
}

// A form's equations are for independent conditions.
static Status check_driver(const Numbers *numbers, const RunOptions *options, Diag *diag)
{
    if (!options->driven || numbers->needed == numbers->m)
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
    Numbers *numbers = &run->numbers;
    size_t worst = 0;
    if (!options->driven || !driver_has_other_root(numbers, &worst))
        return STATUS_OK;
    return diag_error(diag, place_none(),
                      "the form '%s' has %s as another root of the constraints and speeds than "
                      "%.6g, where the run starts; give %s in 'initial', or leave --form out",
                      form_name(options->form), expr_name(motion->pool, motion->v[worst]),
                      numbers->v[worst], expr_name(motion->pool, motion->v[worst]));
}

static Status make(Run *run, const RunOptions *options, Diag *diag)
{
    if (run->motion->n == 0)
        return diag_error(diag, place_none(), "the model has no coordinates: nothing can move");
    TRY(motion_check_inertia(run->motion, diag));
    TRY(numbers_init(&run->numbers, run->motion, diag));
    if (options->driven)
        TRY(driver_init(&run->numbers, run->motion, options->form, diag));
    run->u = base_alloc((run->numbers.n + 1) * sizeof *run->u);
    projector_init(&run->projector, &run->numbers);
    TRY(options_resolve(run->motion, options, run->numbers.inputs, diag, &run->settings));
    TRY(columns_init(&run->columns, &run->numbers, run->motion, run->settings.residuals, diag));
    TRY(start_complete(&run->numbers, &run->projector, diag));
    TRY(check_rows(run, diag));
    TRY(needed_begin(&run->numbers, &run->projector, options->instant, diag));
    TRY(check_driver(&run->numbers, options, diag));
    if (run->numbers.curved)
        TRY(singular_check_curved(&run->numbers, options->driven, diag));
    TRY(check_branch(run, options, diag));
    masses_check(&run->numbers, diag);
    TRY(sides_init(&run->sides, &run->numbers, run->motion, diag));
    TRY(evaluate_start(run, options->instant, diag));
    TRY(sides_meet(&run->sides, &run->numbers, options->instant, diag));
    if (run->sides.told.shock)
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
    sides_clear(&run->sides);
    branches_clear(&run->branches);
    projector_clear(&run->projector);
    numbers_clear(&run->numbers);
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
    return (RunStart){.n = run->numbers.n,
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
    const Numbers *told = run->told ? run->told : &run->numbers;
    return (RunState){run->numbers.symbols, told->inputs, run->numbers.input_count};
}
