// invariants.c: what should stay as it is along a run: energy or its balance, first integrals, and
// the conditions in positions, velocities and accelerations.
//
// The power is integrated by Gauss's rule (Legendre's nodes) inside each step, at states that the
// integrator knows there already: the run itself is not touched.
#include "expr/expr.h"
#include "model/model.h"
#include "motion/motion.h"
#include "simulate/invariants_impl.h"

#include <math.h>
#include <string.h>

// ---- Setting up.

static void *room(size_t count, size_t bytes)
{
    return base_alloc((count + 1) * bytes);
}

typedef ARRAY(Expr) Outputs;

// Conditions that hold by themselves, everywhere, have nothing to be measured by.
static bool is_identity(const Motion *motion, const ModelConstraint *constraint)
{
    for (size_t i = 0; i < motion->aside.count; i++)
        if (motion->aside.at[i].constraint == constraint)
            return motion->aside.at[i].identity;
    return false;
}

static bool has_one_part(const ExprPool *pool, const Expr *partials, size_t count)
{
    size_t parts = 0;
    for (size_t i = 0; i < count; i++)
        parts += !expr_is_zero(pool, partials[i]);
    return parts == 1;
}

// A condition of one term or part alone has nothing in itself to be measured by.
static void add_check(Invariants *invariants, Motion *motion, const ModelConstraint *constraint,
                      Expr residual, InvariantLevel level, Outputs *outputs)
{
    ExprPool *pool = motion->pool;
    if (is_identity(motion, constraint))
        return;
    size_t n = motion->n, terms = equations_terms(pool, residual, NULL);
    bool velocity = level == LEVEL_VELOCITY, by_terms = !velocity && terms > 1;
    const Expr *by = level == LEVEL_POSITION ? motion->q : velocity ? motion->v : motion->a;
    InvariantCheck *check = &invariants->checks[invariants->check_count++];
    *check = (InvariantCheck){.constraint = constraint, .level = level, .at = outputs->count};
    check->terms = by_terms ? terms : 0;
    array_push(outputs, residual);
    array_reserve(outputs, outputs->count + n + terms);
    Expr *places = outputs->at + outputs->count;
    outputs->count += n + check->terms;
    expr_gradient(pool, residual, by, n, places);
    if (by_terms)
        equations_terms(pool, residual, places + n);
    else
        check->measure =
            velocity && !has_one_part(pool, places, n) ? CHECK_BY_PARTS : CHECK_BY_CHANGE;
}

static void add_checks(Invariants *invariants, Motion *motion, Outputs *outputs)
{
    const Model *model = motion->model;
    invariants->checks = room(2 * model->constraints.count, sizeof *invariants->checks);
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (constraint->keeps == CONSTRAINT_FINITE)
            add_check(invariants, motion, constraint, constraint->residual, LEVEL_POSITION,
                      outputs);
    }
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (constraint->kind == CONSTRAINT_ONE_SIDED)
            continue;
        bool finite = constraint->keeps == CONSTRAINT_FINITE;
        bool second = constraint->keeps == CONSTRAINT_SECOND_CLASS;
        Expr residual =
            finite ? expr_rate(motion->dt_still, constraint->residual) : constraint->residual;
        add_check(invariants, motion, constraint, residual,
                  second ? LEVEL_ACCELERATION : LEVEL_VELOCITY, outputs);
    }
}

Status invariants_init(Invariants *invariants, const Equations *eq, Motion *motion, Diag *diag)
{
    ExprPool *pool = motion->pool;
    MotionPower power = motion_power(motion);
    bool has_energy = !expr_is_none(power.energy);
    *invariants = (Invariants){.has_energy = has_energy, .is_total = power.is_total};
    Outputs outputs = {0};
    array_push(&outputs, has_energy ? power.energy : expr_int(pool, 0));
    array_push(&outputs, motion->T);
    array_push(&outputs, motion->U);
    add_checks(invariants, motion, &outputs);
    Expr missing = {0};
    bool evaluator = evaluator_init(&invariants->quantities, pool, eq->symbols, eq->input_count,
                                    outputs.at, outputs.count, &missing);
    array_clear(&outputs);
    if (evaluator && has_energy && !expr_is_zero(pool, power.power))
        evaluator = evaluator_init(&invariants->rate, pool, eq->symbols, eq->input_count,
                                   &power.power, 1, &missing);
    return evaluator ? STATUS_OK
                     : diag_error(diag, place_none(),
                                  "the energy's balance holds '%s', which has no value in a run",
                                  expr_name(pool, missing));
}

void invariants_follow(Invariants *invariants, const Equations *eq, const RunIntegral *integrals,
                       size_t count, ExprPool *pool)
{
    Outputs outputs = {0};
    Expr *inputs = room(eq->input_count, sizeof *inputs);
    invariants->integrals = room(count, sizeof *invariants->integrals);
    for (size_t i = 0; i < eq->input_count; i++)
        inputs[i] = expr_symbol(pool, expr_name(eq->motion->pool, eq->symbols[i]));
    for (size_t i = 0; i < count; i++) {
        // T + U is followed already.
        if (strcmp(integrals[i].name, "energy") == 0)
            continue;
        invariants->integrals[outputs.count].name = integrals[i].name;
        array_push(&outputs, integrals[i].value);
    }
    if (outputs.count > 0 && evaluator_init(&invariants->constants, pool, inputs, eq->input_count,
                                            outputs.at, outputs.count, NULL))
        invariants->integral_count = outputs.count;
    array_clear(&outputs);
    base_free(inputs);
}

void invariants_clear(Invariants *invariants)
{
    evaluator_clear(&invariants->constants);
    evaluator_clear(&invariants->quantities);
    evaluator_clear(&invariants->rate);
    base_free(invariants->integrals);
    base_free(invariants->checks);
    *invariants = (Invariants){0};
}

void invariants_begin(Invariants *invariants, bool dense)
{
    invariants->follows = dense && invariants->rate.program;
    invariants->until = invariants->work = 0;
    invariants->rows = 0;
}

// ---- The power.

// Nodes of half the rule on (−1, 1), from the middle outwards, and their weights.
static const double nodes[INVARIANT_NODES / 2] = {0.18343464249564980494, 0.52553240991632898582,
                                                  0.79666647741362673959, 0.96028985649753623168};
static const double weights[INVARIANT_NODES / 2] = {0.36268378337836198297, 0.31370664587788728734,
                                                    0.22238103445337447054, 0.10122853629037625915};

double invariants_node(const Invariants *invariants, double until, size_t node)
{
    double middle = (invariants->until + until) / 2, half = (until - invariants->until) / 2;
    return node % 2 ? middle + half * nodes[node / 2] : middle - half * nodes[node / 2];
}

void invariants_add(Invariants *invariants, double until, size_t node, const State *state)
{
    evaluator_run(&invariants->rate, state->inputs);
    invariants->work +=
        (until - invariants->until) / 2 * weights[node / 2] * invariants->rate.out[0];
}

// ---- Rows.

static void see(RunDrift *drift, double value, double size, double t, bool first)
{
    if (first)
        drift->first = value;
    double change = fabs(value - drift->first);
    if (change > drift->drift) {
        drift->drift = change;
        drift->t = t;
    }
    drift->largest = fmax(drift->largest, size);
}

static double largest_of(const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

// How large it is by its own terms or parts; 0 where it is measured by its change alone.
static double scale_of(const InvariantCheck *check, const double *out, const double *of, size_t n)
{
    double scale = 0;
    if (check->measure == CHECK_BY_TERMS)
        scale = largest_of(out + n, check->terms);
    for (size_t i = 0; i < n && check->measure == CHECK_BY_PARTS; i++)
        scale = fmax(scale, fabs(out[i] * of[i]));
    return scale;
}

static void see_checks(Invariants *invariants, const Equations *eq, const State *state)
{
    const double *out = invariants->quantities.out;
    for (size_t i = 0; i < invariants->check_count; i++) {
        InvariantCheck *check = &invariants->checks[i];
        const double *of = check->level == LEVEL_POSITION   ? state->q
                           : check->level == LEVEL_VELOCITY ? state->v
                                                            : state->a;
        size_t n = eq->n;
        const double *slopes = out + check->at + 1;
        check->residual = fmax(check->residual, fabs(out[check->at]));
        check->scale = fmax(check->scale, scale_of(check, slopes, of, n));
        check->change = fmax(check->change, largest_of(slopes, n) * largest_of(of, n));
    }
}

void invariants_row(Invariants *invariants, const Equations *eq, const State *state)
{
    evaluator_run(&invariants->quantities, state->inputs);
    const double *out = invariants->quantities.out;
    double t = *state->t, size = fmax(fmax(fabs(out[1]), fabs(out[2])), fabs(invariants->work));
    bool first = invariants->rows++ == 0;
    see(&invariants->energy, out[0] - invariants->work, size, t, first);
    if (invariants->integral_count > 0)
        evaluator_run(&invariants->constants, state->inputs);
    for (size_t i = 0; i < invariants->integral_count; i++) {
        double value = invariants->constants.out[i];
        see(&invariants->integrals[i], value, fabs(value), t, first);
    }
    see_checks(invariants, eq, state);
}
