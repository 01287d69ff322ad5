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

// A condition of one term alone has nothing in itself to be measured by: how it changes over the
// size of the coordinates or velocities serves.
static void add_check(Ledger *ledger, Motion *motion, const ModelConstraint *constraint,
                      Expr residual, const Expr *by, Outputs *outputs)
{
    if (expr_is_zero(motion->pool, residual))
        return; // it holds by itself
    size_t n = motion->n, terms = numbers_terms(motion->pool, residual, NULL);
    LedgerCheck *check = &ledger->checks[ledger->check_count++];
    *check = (LedgerCheck){.constraint = constraint, .at = outputs->count, .by_change = terms == 1};
    check->count = check->by_change ? n : terms;
    array_push(outputs, residual);
    array_reserve(outputs, outputs->count + check->count);
    Expr *places = outputs->at + outputs->count;
    if (check->by_change)
        expr_gradient(motion->pool, residual, by, n, places);
    else
        numbers_terms(motion->pool, residual, places);
    outputs->count += check->count;
}

static void add_checks(Ledger *ledger, Motion *motion, Outputs *outputs)
{
    const Model *model = motion->model;
    ledger->checks = room(2 * model->constraints.count, sizeof *ledger->checks);
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (constraint->kind == CONSTRAINT_FINITE)
            add_check(ledger, motion, constraint, constraint->residual, motion->q, outputs);
    }
    ledger->position_count = ledger->check_count;
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        bool finite = constraint->kind == CONSTRAINT_FINITE;
        Expr velocity =
            finite ? expr_rate(motion->dt_still, constraint->residual) : constraint->residual;
        add_check(ledger, motion, constraint, velocity, motion->v, outputs);
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

static void see_checks(Ledger *ledger, const Numbers *numbers)
{
    const double *out = ledger->quantities.out;
    double of_q = largest_of(numbers->q, numbers->n), of_v = largest_of(numbers->v, numbers->n);
    for (size_t i = 0; i < ledger->check_count; i++) {
        LedgerCheck *check = &ledger->checks[i];
        double scale = largest_of(out + check->at + 1, check->count);
        if (check->by_change)
            scale *= i < ledger->position_count ? of_q : of_v;
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
