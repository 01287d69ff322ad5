// rate_strategy.c: by which road a run finds its rates.
//
// The rates in one program are the short road. They are made for the speeds in use, with pivots
// that are good at the state where they are made. Where a pivot goes towards 0 the series get a
// pole that the motion does not have, and steps become short before it: then other pivots are
// taken. Making them costs as much as many steps, so that a run that asks for them too often goes
// part of its way by linear solves (motion_series.c, equations.c), which need no pivots that last.
// So does one that a form drives, and one whose rates are no program.
#include "dynamics/rate_strategy.h"
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/compilation.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/implicit_system.h"
#include "dynamics/motion_series.h"
#include "dynamics/rates.h"
#include "dynamics/rates_store.h"
#include "dynamics/stop_request.h"
#include "linalg/tolerances.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "program/program.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct RateStrategy {
    const Equations *eq;
    State *state;
    Motion *motion;
    RateOptions options;
    Rates rates;                     // in one program; without one:
    MotionSeries *series;            // by linear solves; made on first use
    bool has_velocities;             // … where the speeds are the velocities
    double present;                  // the least pivot when last looked at
    bool steady;                     // … which is the same everywhere
    ImplicitSystem *system;          // of implicit steps; NULL: their Jacobian is dense
    size_t systems;                  // how many of them were made
    double *ty;                      // t | y, and as much for rates
    size_t made, steps, evaluations; // how often rates were made; steps of the run; plain rates
    size_t asked_step;               // when rates were to be made last
    size_t vain;                     // steps by linear solves, up to when they were made in vain
    // When the last ones were: the step, the time, the plain rates until then.
    size_t made_step, made_evaluations;
    double made_t;
    bool noted;        // why nothing more is to be had from the compiler
    bool given_up;     // no more rates
    bool late;         // rates are made after the next step
    bool solves_noted; // it was said that linear solves took over
};

RateStrategy *strategy_new(const Equations *eq, State *state, Motion *motion, RateOptions options)
{
    assert(options.order > 0 && options.compilation);
    RateStrategy *strategy = base_alloc(sizeof *strategy);
    *strategy = (RateStrategy){.eq = eq, .state = state, .motion = motion, .options = options};
    strategy->ty = base_alloc(2 * (1 + eq->n + eq->k) * sizeof *strategy->ty);
    return strategy;
}

static void clear_rates(RateStrategy *strategy)
{
    if (strategy->options.store && strategy->rates.program.program)
        rates_store_give_back(strategy->options.store, &strategy->rates);
    rates_clear(&strategy->rates);
}

void strategy_free(RateStrategy *strategy)
{
    if (!strategy)
        return;
    clear_rates(strategy);
    implicit_system_free(strategy->system);
    motion_series_free(strategy->series);
    base_free(strategy->ty);
    base_free(strategy);
}

size_t strategy_evaluations(const RateStrategy *strategy)
{
    return strategy->evaluations;
}

// Whether the rates are in one program; else they are found by linear solves.
static bool is_ready(const RateStrategy *strategy)
{
    return strategy->rates.program.program;
}

// Whether the integrator takes power series.
static bool takes_series(const RateStrategy *strategy)
{
    return strategy->options.order > 1;
}

// ---- Making.

static double *inputs_of(RateStrategy *strategy, double t, const double *y)
{
    strategy->ty[0] = t;
    memcpy(strategy->ty + 1, y, (strategy->eq->n + strategy->eq->k) * sizeof *y);
    return strategy->ty;
}

static bool compile(void *context, bool find)
{
    RateStrategy *strategy = context;
    const Compilation *others = strategy->options.compilation;
    // Where nothing can be compiled that was noted already.
    if (others->decided && !others->native)
        return false;
    Text why = {0};
    bool compiled = rates_compile(&strategy->rates, find, &why);
    if (why.length && !strategy->noted && others->options.engine == RUN_NATIVE) {
        compilation_note(others, why.at);
        strategy->noted = true;
    }
    text_clear(&why);
    return compiled;
}

static bool start(void *context, NativeJobs *jobs)
{
    return rates_start(&((RateStrategy *)context)->rates, jobs);
}

// Whether the pivots depend on nothing that moves.
static bool pivots_are_steady(const Rates *rates)
{
    size_t count = program_outputs(rates->pivots.program);
    size_t *begins = base_alloc((count + 1) * sizeof *begins);
    base_free(program_depends(rates->pivots.program, begins));
    bool steady = begins[count] == 0;
    base_free(begins);
    return steady;
}

// Where nothing but the forces moves sparse factors are there already. Rates may be made a few
// times in any case, and then once for many steps.
static bool may_make(const RateStrategy *strategy)
{
    if (strategy->eq->constant_matrices)
        return false;
    return equations_are_plain(strategy->eq) && !strategy->given_up &&
           strategy->made < LIMIT_PATIENCE + strategy->steps / LIMIT_STEPS;
}

// Rates that the store has are known. Where it ought to have others, the run ends.
static bool derive(RateStrategy *strategy, bool brief, bool *known)
{
    RatesStore *store = strategy->options.store;
    StopRequest *stop = strategy->options.compilation->options.stop;
    bool series = takes_series(strategy) && strategy->options.block_order > 0;
    RatesWish wish = {.fixed = strategy->options.fixed, .brief = brief, .series = series};
    if (!store)
        return rates_init_as(&strategy->rates, strategy->eq, strategy->state, strategy->motion,
                             wish);
    assert(!strategy->options.fixed);
    RatesRequest request = {.eq = strategy->eq,
                            .state = strategy->state,
                            .motion = strategy->motion,
                            .owner = strategy->options.owner,
                            .brief = brief,
                            .series = series};
    bool made = rates_store_take(store, &request, &strategy->rates, known);
    if (rates_store_fails(store) && stop)
        stop->stopped = true;
    return made;
}

// Code that was just loaded takes longer at its first call: here, and not in the first step.
static void touch(RateStrategy *strategy)
{
    const Equations *eq = strategy->eq;
    double *ty = strategy->ty;
    memcpy(ty, strategy->state->t, (1 + eq->n) * sizeof *ty);
    dynamics_speeds(eq, strategy->state, ty + 1 + eq->n);
    rates_aside(&strategy->rates, ty, ty + 1 + eq->n + eq->k);
}

static void make(RateStrategy *strategy, double t)
{
    clear_rates(strategy);
    // Those before were left after a few steps, and these may be so.
    bool brief = strategy->made > 0 && strategy->steps - strategy->asked_step < LIMIT_STEPS;
    strategy->asked_step = strategy->steps;
    if (!may_make(strategy))
        return;
    strategy->made++;
    strategy->made_step = strategy->steps;
    strategy->made_evaluations = strategy->evaluations;
    strategy->made_t = t;
    bool known = false;
    if (!derive(strategy, brief, &known))
        return;
    strategy->has_velocities = rates_have_velocities(&strategy->rates);
    strategy->steady = pivots_are_steady(&strategy->rates);
    if (strategy->options.many && !known)
        rates_shorten(&strategy->rates);
    if (!known)
        rates_open_series(&strategy->rates, strategy->options.order, strategy->options.block_order);
    if (strategy->options.compilation->options.engine == RUN_NATIVE)
        compile(strategy, false);
    touch(strategy);
}

// Why elimination on the definitions does not serve; NULL: it may.
static const char *refused_by_elimination(const RateStrategy *strategy)
{
    const Equations *eq = strategy->eq;
    return eq->motion->friction_holds         ? "friction"
           : eq->motion->model->reactions_act ? "forces that hold reactions"
           : eq->nonlinear                    ? "constraints that are not linear in the velocities"
           : eq->motion->second_count > 0     ? "constraints on accelerations"
           : eq->independent.count < eq->m    ? "constraints that follow from others on the way"
                                              : NULL;
}

// What takes the cube of the number of coordinates is told, where that is not small.
static void note_dense(RateStrategy *strategy)
{
    const Equations *eq = strategy->eq;
    const char *why = refused_by_elimination(strategy);
    bool sparse = eq->sparse_velocities && eq->sparse_forces;
    if (!strategy->options.tells || strategy->solves_noted || sparse || !why ||
        eq->n <= SIZE_UNROLLED)
        return;
    diag_add(strategy->options.compilation->options.diag, DIAG_NOTE, place_none(),
             "accelerations come from dense linear solves of %zu unknowns: the elimination at "
             "linear cost does not take %s",
             eq->n + eq->m + eq->motion->second_count, why);
    strategy->solves_noted = true;
}

void strategy_make(RateStrategy *strategy, double t, bool once)
{
    assert(isfinite(t));
    // A form may have been derived in other speeds.
    if (strategy->state->driver) {
        motion_series_free(strategy->series);
        strategy->series = NULL;
    }
    // With other speeds the equations of implicit steps are others.
    implicit_system_free(strategy->system);
    strategy->system = NULL;
    if (strategy->options.implicit)
        strategy->system = implicit_system_new(strategy->eq, strategy->state, strategy->motion,
                                               ++strategy->systems);
    bool small = strategy->eq->k <= SIZE_UNROLLED && strategy->eq->n < SIZE_SPARSE;
    strategy->late = once && small && may_make(strategy);
    if (strategy->late)
        clear_rates(strategy);
    else
        make(strategy, t);
    if (!is_ready(strategy))
        note_dense(strategy);
}

bool strategy_is_poor(RateStrategy *strategy, double t, const double *y)
{
    assert(isfinite(t) && y);
    strategy->steps++;
    if (strategy->late)
        return true;
    if (!is_ready(strategy)) {
        // After a stretch by linear solves the least pivot must not be poor. Where it was, the next
        // stretch is as long as all of them.
        size_t stretch = strategy->vain > LIMIT_STEPS ? strategy->vain : LIMIT_STEPS;
        strategy->present = TOL_POOR / 2;
        return may_make(strategy) && strategy->steps - strategy->made_step >= stretch;
    }
    double least = strategy->rates.least;
    strategy->present =
        strategy->steady ? least : rates_least_pivot(&strategy->rates, inputs_of(strategy, t, y));
    // A pivot that has fallen to a third of what it was at first wants others. Elimination on the
    // definitions has no others: its pivots are left only where they lose digits.
    bool eliminated = strategy->rates.eliminated;
    return !(strategy->present >= (eliminated ? TOL_COARSE * least : least / 3));
}

// Said once in a run.
static void note_solves(RateStrategy *strategy, double t, const char *why)
{
    if (!strategy->solves_noted)
        diag_add(strategy->options.compilation->options.diag, DIAG_NOTE, place_none(),
                 "at t = %.6g %s the accelerations come from dense linear solves", t, why);
    strategy->solves_noted = true;
}

void strategy_renew(RateStrategy *strategy, double t)
{
    bool eliminated = strategy->rates.eliminated, late = strategy->late;
    size_t solved = is_ready(strategy) ? 0 : strategy->steps - strategy->made_step;
    strategy->late = false;
    make(strategy, t);
    if (late)
        return;
    // … which must be twice as good, or good again.
    double wanted = strategy->rates.eliminated && !eliminated ? TOL_COARSE : 2 * strategy->present;
    if (is_ready(strategy) && !(strategy->rates.least > wanted))
        clear_rates(strategy);
    strategy->vain = is_ready(strategy) ? 0 : strategy->vain + solved;
    if (eliminated && !is_ready(strategy))
        note_solves(strategy, t, "a pivot of the elimination nearly vanishes: for some steps");
}

void strategy_take_parameters(RateStrategy *strategy)
{
    const Equations *eq = strategy->eq;
    if (!is_ready(strategy))
        return;
    assert(!strategy->options.fixed);
    double *numbers = base_alloc((eq->params + eq->n + 1) * sizeof *numbers);
    memcpy(numbers, strategy->state->inputs, eq->params * sizeof *numbers);
    memcpy(numbers + eq->params, strategy->state->scale, eq->n * sizeof *numbers);
    rates_set_parameters(&strategy->rates, numbers);
    base_free(numbers);
}

bool strategy_give_up(RateStrategy *strategy, double t)
{
    bool ready = is_ready(strategy);
    if (ready && strategy->rates.eliminated)
        note_solves(strategy, t, "the elimination takes no step further: from there on");
    clear_rates(strategy);
    strategy->given_up = true;
    return ready;
}

// ---- Compiling.

void strategy_consider_compiling(RateStrategy *strategy, double t)
{
    const CompileOptions *options = &strategy->options.compilation->options;
    if (options->engine != RUN_AUTO || compile_progress_is_over(&strategy->rates.progress))
        return;
    bool series = takes_series(strategy);
    if (!is_ready(strategy) || !(t > strategy->made_t) ||
        (series && !rates_can_flow(&strategy->rates)))
        return;
    // Rates that were made anew before will be so again.
    double way = options->to - t;
    if (strategy->made > 1)
        way = fmin(way, t / (double)strategy->made);
    // Runs that follow with what is compiled go as far.
    way += options->uses * (strategy->made > 1 ? way : options->to);
    // How often the interpreter has run the program: in series it takes a quarter of the square of
    // the order. The series of an operation take as long to compile as some operations.
    double operations = (double)program_operations(strategy->rates.program.program);
    double order = (double)strategy->options.block_order;
    size_t steps = strategy->steps - strategy->made_step;
    double runs = series ? (double)steps * order * order / 4
                         : (double)(strategy->evaluations - strategy->made_evaluations);
    const Compilable what = {strategy, compile, start};
    compile_progress(&strategy->rates.progress, &what, series ? 8 * operations : operations,
                     operations * runs, steps, way / (t - strategy->made_t));
}

// ---- Rates.

static bool is_stopped(const RateStrategy *strategy)
{
    double n = (double)strategy->eq->n;
    return stop_requested(strategy->options.compilation->options.stop, n * n);
}

// Coefficient k of the rates, by the interpreter or by linear solves.
static bool next(RateStrategy *strategy, size_t k, const double *ty, double *rate)
{
    if (is_stopped(strategy))
        return false;
    if (is_ready(strategy))
        return rates_next(&strategy->rates, k, ty, rate);
    if (!strategy->series)
        strategy->series =
            motion_series_new(strategy->eq, strategy->state, strategy->options.order);
    return motion_series_next(strategy->series, k, ty, rate);
}

bool strategy_has_velocities(const RateStrategy *strategy)
{
    return is_ready(strategy) && strategy->has_velocities;
}

bool strategy_is_nystrom(void *program)
{
    const RateStrategy *strategy = program;
    // The states inside a step that passes a switch are not good enough to find it there.
    return strategy_has_velocities(strategy) && !strategy->rates.switches &&
           !rates_hold_velocities(&strategy->rates);
}

bool strategy_is_plain(const RateStrategy *strategy)
{
    const Equations *eq = strategy->eq;
    return eq->m == 0 && strategy_has_velocities(strategy) && !eq->direct.program;
}

// Without reactions the rates of velocities are all; reactions by linear solves take about as many
// operations as n³.
bool strategy_follow(RateStrategy *strategy, const double *y)
{
    const Equations *eq = strategy->eq;
    State *state = strategy->state;
    double *rate = strategy->ty + 1 + eq->n + eq->k;
    bool plain = strategy_is_plain(strategy);
    if (!is_ready(strategy) ||
        (!plain &&
         (eq->m == 0 || program_operations(strategy->rates.program.program) > eq->n * eq->n)) ||
        !rates_aside(&strategy->rates, inputs_of(strategy, *state->t, y), rate))
        return false;
    if (!plain)
        return dynamics_follow_rates(eq, state, rate + eq->n);
    memcpy(state->a, rate + eq->n, eq->n * sizeof *rate);
    state->evaluations++;
    return true;
}

bool strategy_rate(RateStrategy *strategy, double t, const double *y, double *rate)
{
    if (!is_ready(strategy))
        return false;
    strategy->evaluations++;
    return rates_at(&strategy->rates, inputs_of(strategy, t, y), rate);
}

// Series that flow are expanded all at once, and give their order 0 alone here.
bool strategy_series(RateStrategy *strategy, size_t k, const double *ty, double *rate)
{
    assert(k < strategy->options.order);
    if (strategy->rates.flow)
        return k == 0 && !is_stopped(strategy) && rates_at(&strategy->rates, ty, rate);
    return next(strategy, k, ty, rate);
}

size_t strategy_expand(void *strategy, size_t order, double unit, double *ty)
{
    return rates_expand(&((RateStrategy *)strategy)->rates, order, unit, ty);
}

bool strategy_sum(void *strategy, size_t order, const double *ty, double s, double *sums,
                  double *slopes)
{
    return rates_sum(&((RateStrategy *)strategy)->rates, order, ty, s, sums, slopes);
}

double strategy_switch_distance(void *program, size_t order, double most)
{
    const RateStrategy *strategy = program;
    return is_ready(strategy) ? rates_switch_distance(&strategy->rates, order, most)
                              : motion_series_switch_distance(strategy->series, order, most);
}

// By a series of order 1 along each part of the state. The integrator's own series, which begin at
// this state, must stay there.
bool strategy_jacobian(void *program, double t, const double *y, double *columns)
{
    RateStrategy *strategy = program;
    assert(columns && y);
    size_t count = strategy->eq->n + strategy->eq->k;
    double *ty = inputs_of(strategy, t, y), *rate = ty + 1 + count;
    bool found = next(strategy, 0, ty, rate);
    memset(ty, 0, (1 + count) * sizeof *ty);
    for (size_t j = 0; j < count && found; j++) {
        ty[1 + j] = 1;
        found = next(strategy, 1, ty, columns + j * count);
        ty[1 + j] = 0;
    }
    if (takes_series(strategy))
        next(strategy, 0, inputs_of(strategy, t, y), rate);
    return found;
}

const OdeSparseJacobian *strategy_sparse_jacobian(void *program)
{
    const RateStrategy *strategy = program;
    return strategy->system ? &strategy->system->jacobian : NULL;
}
