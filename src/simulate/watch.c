// watch.c: what is known to be constant, watched along a run.
//
// The energy where there are potentials alone, and the momenta of coordinates that only their
// velocities say anything of. An error of the integration changes them by about the tolerance in a
// step, of the largest part of them that was seen. What has changed them by a thousand tolerances,
// be it in very many steps, is no motion of the system to its tolerance, whatever the cause.
#include "base/strings.h"
#include "dynamics/equations_types.h"
#include "expr/arithmetic.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"
#include "motion/power.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/run_carry.h"
#include "simulate/run_carry_impl.h"
#include "simulate/run_energy.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"
#include "simulate/watch_impl.h"

#include <assert.h>
#include <math.h>

// One of them. The energy is the first, where it is constant.
typedef struct {
    const char *name; // of the coordinate; NULL: the energy
    double value;     // what it should be; NAN: as it is next
    double size;      // of its largest part so far
    double change;    // from that, at the last row
    double *largest;  // of the summary: the largest change
    double good;      // the last time at which it was right
    size_t unseen;    // rows, up to the last one, in which it had no value
} WatchedConstant;

struct Watch {
    Columns *columns; // of the rows
    size_t count;
    WatchedConstant *at;
    Evaluator quantities; // T, U; the energy; of each momentum its value and ∂²T/∂q'²
    double allowed;       // of its size one may change by
    bool alarms;          // beyond that
    bool fixed;           // steps of fixed length
    bool apart; // the energy is not T + U: what an event says of that does not tell how it changes
    size_t steps;
    size_t alarm; // which one has changed
    double *part; // of the summary: the largest change of all, of its size
};

// Σ q'·∂T/∂q' − T + U.
static Expr energy_of(const Motion *motion)
{
    ARRAY(Expr) terms = {0};
    array_push(&terms, motion->U);
    array_push(&terms, expr_neg(motion->pool, motion->T));
    for (size_t i = 0; i < motion->n; i++)
        array_push(&terms, expr_mul(motion->pool, motion->p[i], motion->v[i]));
    Expr sum = expr_sum(motion->pool, terms.at, terms.count);
    array_clear(&terms);
    return sum;
}

Watch *watch_new(Arena *arena, const Simulation *sim, RunSummary *summary)
{
    Motion *motion = sim->motion;
    const Equations *eq = sim->base->eq;
    ExprPool *pool = motion->pool;
    assert(arena && eq->n == motion->n);
    Watch *watch = arena_array(arena, Watch, 1);
    Expr *outputs = arena_array(arena, Expr, 4 + 2 * motion->n), missing;
    size_t used = 0;
    watch->at = arena_array(arena, WatchedConstant, motion->n + 1);
    watch->allowed = sim->settings.tolerance / TOL_COARSE;
    outputs[used++] = motion->T;
    outputs[used++] = motion->U;
    summary->is_conservative = motion_keeps_energy(motion);
    watch->fixed = sim->settings.method == RUN_TIMESTEPPING;
    summary->is_watched = !sim->settings.unwatched;
    watch->apart = summary->is_conservative && !motion_power(motion).is_total;
    summary->energy = arena_array(sim->arena, RunEnergy, 1);
    summary->energy->is_apart = watch->apart;
    if (summary->is_conservative) {
        outputs[used++] = energy_of(motion);
        outputs[used++] = motion->T;
        watch->at[watch->count++] =
            (WatchedConstant){.value = NAN, .largest = &summary->energy->apart_change};
    }
    summary->energy->momenta = arena_array(sim->arena, RunMomentum, motion->n + 1);
    for (size_t i = 0; i < motion->n; i++)
        if (motion_keeps_momentum(motion, i)) {
            RunMomentum *momentum = &summary->energy->momenta[summary->energy->momentum_count++];
            momentum->coordinate = expr_name(pool, motion->q[i]);
            outputs[used++] = motion->p[i];
            outputs[used++] = expr_diff(pool, motion->p[i], motion->v[i]);
            watch->at[watch->count++] = (WatchedConstant){
                .name = momentum->coordinate, .value = NAN, .largest = &momentum->change};
        }
    watch->alarms = summary->is_watched;
    watch->part = &summary->constant_change;
    *watch->part = watch->count > 0 ? 0 : NAN;
    bool lowered =
        watch->count > 0 && evaluator_init(&watch->quantities, pool, eq->symbols,
                                           eq->params + 1 + 2 * eq->n, outputs, used, &missing);
    watch->columns = sim->base->columns;
    watch->columns->watched = lowered ? &watch->quantities : NULL;
    return lowered ? watch : NULL;
}

void watch_clear(Watch *watch)
{
    if (!watch)
        return;
    watch->columns->watched = NULL;
    evaluator_clear(&watch->quantities);
}

void watch_carry(Watch *watch, RunCarry *carry)
{
    if (!watch)
        return;
    carry_count(carry, &watch->steps);
    for (size_t i = 0; i < watch->count; i++) {
        WatchedConstant *constant = &watch->at[i];
        carry_number(carry, &constant->value);
        carry_number(carry, &constant->size);
        carry_number(carry, &constant->change);
        carry_number(carry, &constant->good);
    }
}

void watch_step(Watch *watch)
{
    if (watch)
        watch->steps++;
}

// How much of a change the tolerance explains, with the roundings of the steps. Steps of fixed
// length have none: what they lose by being long may be a small part.
static double explained(const Watch *watch, const WatchedConstant *constant)
{
    if (watch->fixed)
        return TOL_POOR * constant->size;
    double rounding = TOL_STATE * (double)watch->steps;
    return (watch->allowed + rounding) * constant->size;
}

void watch_event(Watch *watch, double energy)
{
    for (size_t i = 0; watch && i < watch->count; i++)
        watch->at[i].value = watch->at[i].name || watch->apart ? NAN : watch->at[i].value + energy;
}

bool watch_row(Watch *watch, const State *state)
{
    assert(state);
    if (!watch)
        return true;
    evaluator_run(&watch->quantities, state->inputs);
    const double *out = watch->quantities.out, T = fabs(out[0]), U = fabs(out[1]);
    for (size_t i = 0; i < watch->count; i++) {
        WatchedConstant *constant = &watch->at[i];
        double value = out[2 + 2 * i], inertia = out[3 + 2 * i];
        double size = constant->name ? sqrt(2 * T * fabs(inertia)) : fmax(T, U);
        constant->size = fmax(constant->size, isfinite(size) ? size : 0);
        if (!isfinite(constant->value))
            constant->value = value;
        constant->change = fabs(value - constant->value);
        *constant->largest = fmax(*constant->largest, constant->change);
        if (constant->size > 0)
            *watch->part = fmax(*watch->part, constant->change / constant->size);
        // In one row an expression may be 0/0, as sin(x)/x at x = 0.
        constant->unseen = isfinite(value) ? 0 : constant->unseen + 1;
        bool blind = constant->unseen > 1, wrong = constant->change > explained(watch, constant);
        if (watch->alarms && (blind || wrong)) {
            watch->alarm = i;
            return false;
        }
        constant->good = constant->unseen > 0 ? constant->good : *state->t;
    }
    return true;
}

void watch_add_alarm(const Watch *watch, Text *text)
{
    const WatchedConstant *constant = &watch->at[watch->alarm];
    text_addf(text, constant->name ? "the momentum of %s" : "the energy", constant->name);
    if (constant->unseen > 0) {
        text_addf(text,
                  ", which is constant, has no finite value since t = %.10g, so that it does not "
                  "tell whether the motion is right",
                  constant->good);
        return;
    }
    text_addf(text,
              ", which is constant, has changed by %.2g since t = %.10g (the %s explains %.1g); a "
              "smaller %s or another method may do better",
              constant->change, constant->good, watch->fixed ? "step" : "tolerance",
              explained(watch, constant), watch->fixed ? "step" : "tolerance");
}
