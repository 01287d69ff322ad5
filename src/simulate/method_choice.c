// method_choice.c: the method that fits the model and the accuracy.
//
// A step of Runge–Kutta takes a few rates; a step of series of order p takes p²/2 products for each
// product of a rate, of which a processor does several at once as long as the tables are small. So
// for loose tolerances and large systems Runge–Kutta is quicker. But where the inertia does not
// depend on the place only forces have products: there series are quicker, as long as they are one
// program. Counts decide and not the clock: the same input gives the same bytes.
//
// It is chosen only where it sees as much as series do: where a motion is smooth all over, so that
// nothing in its equations acts only for a while or only somewhere, and has no conditions, whose
// singular positions only series cross. Energies and forces are then polynomials in coordinates,
// velocities, sines and cosines. What holds the time, an exponential, a root, a quotient, abs or
// the like may change within a small part of a step. Where forces depend on coordinates alone they
// may have poles too, as gravity and charges have: Nyström's steps know the accelerations all over
// a step, by which each pole is shown to stay far from it (narrow_functions.c).
#include "dynamics/switch_arguments.h"
#include "expr/expr.h"
#include "linalg/tolerances.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "motion/power.h"
#include "ode/ode.h"
#include "simulate/method_choice_impl.h"
#include "simulate/run_options.h"

#include <assert.h>
#include <math.h>

// Whether an expression holds the state or the time.
static bool moves(const Motion *motion, Expr e)
{
    ExprList symbols = expr_symbols(motion->pool, &e, 1);
    bool found = false;
    for (size_t i = 0; i < symbols.count && !found; i++) {
        found = symbols.at[i] == motion->model->t.at;
        for (size_t j = 0; j < motion->n && !found; j++)
            found = symbols.at[i] == motion->q[j].at || symbols.at[i] == motion->v[j].at;
    }
    expr_list_free(&symbols);
    return found;
}

// A product of powers, of which those that move are not large, and natural or else, with poles,
// negative.
static bool is_rational(const Motion *motion, Expr product, bool poles)
{
    for (size_t i = 0; i < expr_arg_count(motion->pool, product); i++) {
        const fmpq *exponent = expr_arg_weight(motion->pool, product, i);
        double power = fmpq_get_d(exponent);
        bool known = power > 0 ? fmpz_is_one(fmpq_denref(exponent)) : poles;
        if (!(known && fabs(power) <= ODE_MAX_ORDER) &&
            moves(motion, expr_arg(motion->pool, product, i)))
            return false;
    }
    return true;
}

static bool is_smooth_node(const Motion *motion, Expr e, bool poles)
{
    switch (expr_op(motion->pool, e)) {
    case EXPR_NUMBER:
    case EXPR_PI:
    case EXPR_SUM:
    case EXPR_SIN:
    case EXPR_COS: return true;
    case EXPR_SYMBOL: return e.at != motion->model->t.at;
    case EXPR_PRODUCT: return is_rational(motion, e, poles);
    default: return !moves(motion, e);
    }
}

static bool is_smooth(const Motion *motion, bool poles, size_t *size)
{
    Arena *arena = arena_new();
    size_t forces, count;
    Expr *roots = motion_roots(arena, motion, &forces, &count);
    ExprList nodes = expr_nodes(motion->pool, roots, count);
    bool smooth = motion->side_count == 0 && motion->model->impulses.count == 0 &&
                  motion->friction_count == 0;
    for (size_t i = 0; i < nodes.count && smooth; i++)
        smooth = is_smooth_node(motion, (Expr){nodes.at[i]}, poles);
    *size = nodes.count;
    expr_list_free(&nodes);
    arena_free(arena);
    return smooth;
}

bool motion_is_smooth(const Motion *motion, size_t *size)
{
    assert(motion && size);
    return is_smooth(motion, false, size);
}

// Whether accelerations depend on coordinates alone, and the speeds are the velocities.
static bool is_nystrom(const Motion *motion)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    bool is = motion->k == n && !motion->given && !expr_holds_any(pool, motion->T, motion->q, n) &&
              !expr_holds_any(pool, motion->U, motion->v, n);
    for (size_t i = 0; i < n && is; i++)
        is = !expr_holds_any(pool, motion->K[i], motion->v, n) && !motion->state.speeds[i].declared;
    return is;
}

bool motion_is_undamped(Motion *motion)
{
    return motion->m == 0 && motion_keeps_energy(motion);
}

// Products of two series for each that rates have.
static double series_products(const RunOptions *settings)
{
    double order = (double)ode_taylor_block_order(settings->tolerance, false);
    return order * order / 2;
}

// What a step of series takes, in rates: as measured on arms and on chains of bodies and of points,
// by relative angles and others. Rates of few coordinates take longer than their products; and what
// takes about as long by both goes by series, whose error is 20 to 300 times smaller.
static double series_work(const Motion *motion, const RunOptions *settings)
{
    enum { PRODUCTS = 13, FEW = 4 };
    double n = (double)motion->n;
    return series_products(settings) / PRODUCTS * n / (n + FEW);
}

// Steps of Nyström also have errors that are a hundredth of those of series.
static double nystrom_work(const RunOptions *settings)
{
    const double products = 3.5;
    double part = fmin((double)settings->operations / SIZE_LONG, 1);
    return part * series_products(settings) / products;
}

// Whether only forces are not linear, and the rates are formulas all the same.
static bool has_few_products(const Motion *motion)
{
    return motion->n < SIZE_SPARSE &&
           !expr_holds_any(motion->pool, motion->T, motion->q, motion->n);
}

bool method_choose(const Motion *motion, RunOptions *settings)
{
    assert(settings->tolerance > 0);
    size_t size;
    double tolerance = settings->tolerance;
    bool plain = motion->m == 0 && motion->second_count == 0 && motion->servos == 0 &&
                 motion->model->pairs.count == 0 && !settings->driven &&
                 settings->method == RUN_TAYLOR;
    bool erk = plain && settings->smooth && !has_few_products(motion) &&
               ode_erk_rates(tolerance) <= series_work(motion, settings);
    bool nystrom = plain && !settings->smooth &&
                   ode_nystrom_rates(tolerance) <= nystrom_work(settings) && is_nystrom(motion) &&
                   is_smooth(motion, true, &size);
    if (erk || nystrom)
        settings->method = RUN_ERK;
    return erk || nystrom;
}
