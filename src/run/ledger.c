// ledger.c: what should stay as it is along a run: energy or its balance, first integrals, and the
// conditions in positions and velocities.
//
// The power is integrated by Gauss's rule (Legendre's nodes) inside each step, at states that the
// integrator knows there already: the run itself is not touched.
#include "run/run_impl.h"

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
static void add_check(Ledger *ledger, Motion *motion, const ModelConstraint *constraint,
                      Expr residual, bool velocity, Outputs *outputs)
{
    ExprPool *pool = motion->pool;
    if (is_identity(motion, constraint))
        return;
    size_t n = motion->n, terms = numbers_terms(pool, residual, NULL);
    bool by_terms = !velocity && terms > 1;
    LedgerCheck *check = &ledger->checks[ledger->check_count++];
    *check = (LedgerCheck){.constraint = constraint, .at = outputs->count};
    check->count = by_terms ? terms : n;
    array_push(outputs, residual);
    array_reserve(outputs, outputs->count + check->count);
    Expr *places = outputs->at + outputs->count;
    outputs->count += check->count;
    if (by_terms) {
        numbers_terms(pool, residual, places);
        return;
    }
    expr_gradient(pool, residual, velocity ? motion->v : motion->q, n, places);
    check->measure = velocity && !has_one_part(pool, places, n) ? CHECK_BY_PARTS : CHECK_BY_CHANGE;
}

static void add_checks(Ledger *ledger, Motion *motion, Outputs *outputs)
{
    const Model *model = motion->model;
    ledger->checks = room(2 * model->constraints.count, sizeof *ledger->checks);
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (constraint->kind == CONSTRAINT_FINITE)
            add_check(ledger, motion, constraint, constraint->residual, false, outputs);
    }
    ledger->position_count = ledger->check_count;
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (constraint->kind == CONSTRAINT_ONE_SIDED)
            continue;
        bool finite = constraint->kind == CONSTRAINT_FINITE;
        Expr velocity =
            finite ? expr_rate(motion->dt_still, constraint->residual) : constraint->residual;
        add_check(ledger, motion, constraint, velocity, true, outputs);
    }
}

Status ledger_init(Ledger *ledger, const Numbers *numbers, Motion *motion, Diag *diag)
{
    ExprPool *pool = motion->pool;
    *ledger = (Ledger){.power = motion_power(motion)};
    bool has_energy = !expr_is_none(ledger->power.energy);
    MotionIntegral *known = room(motion->n, sizeof *known);
    ledger->integral_count = motion_integrals(motion, known);
    ledger->integrals = room(ledger->integral_count, sizeof *ledger->integrals);
    Outputs outputs = {0};
    array_push(&outputs, has_energy ? ledger->power.energy : expr_int(pool, 0));
    array_push(&outputs, motion->T);
    array_push(&outputs, motion->U);
    for (size_t i = 0; i < ledger->integral_count; i++) {
        ledger->integrals[i].name = known[i].name;
        array_push(&outputs, known[i].value);
    }
    base_free(known);
    add_checks(ledger, motion, &outputs);
    Expr missing = {0};
    bool lowered = lowered_init(&ledger->quantities, pool, numbers->symbols, numbers->input_count,
                                outputs.at, outputs.count, &missing);
    array_clear(&outputs);
    if (lowered && has_energy && !expr_is_zero(pool, ledger->power.power))
        lowered = lowered_init(&ledger->rate, pool, numbers->symbols, numbers->input_count,
                               &ledger->power.power, 1, &missing);
    return lowered ? STATUS_OK
                   : diag_error(diag, place_none(),
                                "the energy's balance holds '%s', which has no value in a run",
                                expr_name(pool, missing));
}

void ledger_clear(Ledger *ledger)
{
    lowered_clear(&ledger->quantities);
    lowered_clear(&ledger->rate);
    base_free(ledger->integrals);
    base_free(ledger->checks);
    *ledger = (Ledger){0};
}

void ledger_begin(Ledger *ledger, bool dense)
{
    ledger->follows = dense && ledger->rate.program;
    ledger->until = ledger->work = 0;
    ledger->rows = 0;
}

// ---- The power.

// Nodes of half the rule on (−1, 1), from the middle outwards, and their weights.
static const double nodes[LEDGER_NODES / 2] = {0.18343464249564980494, 0.52553240991632898582,
                                               0.79666647741362673959, 0.96028985649753623168};
static const double weights[LEDGER_NODES / 2] = {0.36268378337836198297, 0.31370664587788728734,
                                                 0.22238103445337447054, 0.10122853629037625915};

double ledger_node(const Ledger *ledger, double until, size_t node)
{
    double middle = (ledger->until + until) / 2, half = (until - ledger->until) / 2;
    return node % 2 ? middle + half * nodes[node / 2] : middle - half * nodes[node / 2];
}

void ledger_add(Ledger *ledger, double until, size_t node, const Numbers *numbers)
{
    lowered_run(&ledger->rate, numbers->inputs);
    ledger->work += (until - ledger->until) / 2 * weights[node / 2] * ledger->rate.out[0];
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

static double scale_of(const LedgerCheck *check, const double *out, const double *of, size_t n)
{
    double scale = 0;
    if (check->measure != CHECK_BY_PARTS)
        scale = largest_of(out, check->count);
    for (size_t i = 0; i < n && check->measure == CHECK_BY_PARTS; i++)
        scale = fmax(scale, fabs(out[i] * of[i]));
    return check->measure == CHECK_BY_CHANGE ? scale * largest_of(of, n) : scale;
}

static void see_checks(Ledger *ledger, const Numbers *numbers)
{
    const double *out = ledger->quantities.out;
    for (size_t i = 0; i < ledger->check_count; i++) {
        LedgerCheck *check = &ledger->checks[i];
        const double *of = i < ledger->position_count ? numbers->q : numbers->v;
        double scale = scale_of(check, out + check->at + 1, of, numbers->n);
        check->residual = fmax(check->residual, fabs(out[check->at]));
        check->scale = fmax(check->scale, scale);
    }
}

void ledger_row(Ledger *ledger, const Numbers *numbers)
{
    lowered_run(&ledger->quantities, numbers->inputs);
    const double *out = ledger->quantities.out;
    double t = *numbers->t, size = fmax(fmax(fabs(out[1]), fabs(out[2])), fabs(ledger->work));
    bool first = ledger->rows++ == 0;
    see(&ledger->energy, out[0] - ledger->work, size, t, first);
    for (size_t i = 0; i < ledger->integral_count; i++)
        see(&ledger->integrals[i], out[3 + i], fabs(out[3 + i]), t, first);
    see_checks(ledger, numbers);
}
