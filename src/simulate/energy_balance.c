// energy_balance.c: what has changed the energy along a run: shocks, dry friction, damping, and all
// the rest.
//
// Rows tell how the energy has changed, events what shocks took. What dry friction or damping took
// is the rest where nothing else does work between events. Else the power of each is integrated by
// Gauss's rule (Legendre's nodes) on the polynomial of each step, and what is then left was given
// by other forces and by what moves with the time.
#include "simulate/energy_balance_impl.h"

#include "dynamics/equations_types.h"
#include "expr/arithmetic.h"
#include "expr/parity.h"
#include "linalg/quadrature.h"
#include "linalg/tolerances.h"
#include "model/events.h"
#include "model/friction.h"
#include "model/system.h"
#include "motion/frictions.h"
#include "motion/motion_types.h"
#include "motion/power.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/mode_inside_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/run_carry.h"
#include "simulate/run_carry_impl.h"
#include "simulate/run_energy.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Of dry friction in a state of it, in the multipliers.
typedef struct {
    FrictionHold *holds;
    Evaluator power;
} DryPower;

struct EnergyBalance {
    const RunSummary *summary;
    RunEnergy *told;    // up to the last row
    double first;       // the energy at the first row
    double jumps;       // how events have changed it
    bool is_integrated; // what damping took
    Evaluator power;    // of damping
    bool rubs_apart;    // what dry friction took is integrated
    ARRAY(DryPower) dry;
    double until, work, rubbed; // what damping and dry friction gave, up to a time
    double row;                 // the time of the last row
    ContactMode *mode;          // while its last step is integrated
};

// Whether what something rubs on moves by itself, as a belt does.
static bool friction_moves(const Motion *motion)
{
    for (size_t i = 0; i < motion->friction_count; i++)
        for (size_t k = 0; k < motion->frictions[i].rows; k++)
            if (!expr_is_zero(motion->pool, motion->frictions[i].sticks[k].c))
                return true;
    return false;
}

// Whether T + U changes by itself where positions are given with the time, as on a turntable.
static bool energy_is_apart(Motion *motion)
{
    return expr_homogeneity(motion->pool, motion->T, motion->v, motion->n) != 2 &&
           !motion_power(motion).is_total;
}

EnergyBalance *balance_new(Arena *arena, const Simulation *sim, RunSummary *summary)
{
    Motion *motion = sim->motion;
    const Equations *eq = sim->base->eq;
    assert(arena && eq->n == motion->n);
    EnergyBalance *balance = arena_array(arena, EnergyBalance, 1);
    // A simulation in steps may begin anew on its way.
    double from = sim->settings.from;
    *balance = (EnergyBalance){.summary = summary, .told = summary->energy, .first = NAN};
    balance->until = balance->row = from;
    balance->told->has_impulses = motion->model->impulses.count > 0;
    for (size_t i = 0; i < motion->model->events.count; i++)
        balance->told->has_events |= model_event_jumps(&motion->model->events.at[i]);
    if (expr_is_none(motion->energy) || motion_keeps_energy(motion))
        return balance;
    MotionWork work = motion_work(motion);
    Expr missing;
    bool dry = motion->friction_count > 0, damped = !expr_is_zero(motion->pool, work.friction);
    work.driven =
        work.driven || friction_moves(motion) || ((dry || damped) && energy_is_apart(motion));
    bool apart = work.forces || work.driven;
    // What begins and ends is not told apart.
    bool whole = motion->model->whole != NULL;
    dry = dry || (whole && motion->model->frictions.count > 0);
    damped = damped || whole;
    balance->is_integrated =
        damped && (apart || dry) && !whole &&
        evaluator_init(&balance->power, motion->pool, eq->symbols, eq->params + 1 + 2 * eq->n,
                       &work.friction, 1, &missing);
    bool lumped = damped && (apart || dry || whole) && !balance->is_integrated;
    balance->told->has_damping = damped && !lumped;
    balance->told->has_friction = dry;
    balance->told->has_forces = work.forces || lumped;
    balance->told->is_driven = work.driven;
    balance->rubs_apart = dry && (apart || lumped);
    return balance;
}

void balance_clear(EnergyBalance *balance)
{
    if (balance->is_integrated)
        evaluator_clear(&balance->power);
    for (size_t i = 0; i < balance->dry.count; i++) {
        evaluator_clear(&balance->dry.at[i].power);
        base_free(balance->dry.at[i].holds);
    }
    array_clear(&balance->dry);
}

void balance_carry(EnergyBalance *balance, RunCarry *carry)
{
    carry_number(carry, &balance->first);
    carry_number(carry, &balance->jumps);
    carry_number(carry, &balance->until);
    carry_number(carry, &balance->work);
    carry_number(carry, &balance->rubbed);
    carry_number(carry, &balance->row);
}

// What is less than rounding of the largest energy is nothing.
static double told_as(const RunEnergy *told, double lost)
{
    return fabs(lost) <= TOL_ZERO * told->largest ? 0 : lost;
}

static void tell_integrated(EnergyBalance *balance)
{
    if (balance->is_integrated)
        balance->told->damping = told_as(balance->told, -balance->work);
    if (balance->rubs_apart)
        balance->told->friction = told_as(balance->told, -balance->rubbed);
}

void balance_row(EnergyBalance *balance, double t, double energy)
{
    RunEnergy *told = balance->told;
    if (isnan(balance->first))
        balance->first = energy;
    told->largest = fmax(told->largest, fabs(energy));
    told->change = energy - balance->first;
    told->shocks = told_as(told, balance->summary->energy_lost);
    tell_integrated(balance);
    double rest = balance->jumps - told->change;
    if (told->has_damping && !balance->is_integrated)
        told->damping = told_as(told, rest);
    else if (told->has_friction && !balance->rubs_apart)
        told->friction = told_as(told, rest - told->damping);
    balance->row = t;
}

void balance_event(EnergyBalance *balance, double change)
{
    balance->jumps += change;
}

// ---- What damping and dry friction do.

static bool damping_power(void *context, double t, double *power)
{
    EnergyBalance *balance = context;
    State *probe = mode_probe(balance->mode);
    *probe->t = t;
    mode_interpolate(balance->mode, t, probe->q, probe->v);
    evaluator_run(&balance->power, probe->inputs);
    *power = balance->power.out[0];
    return true;
}

// Σ F·u of all that slides in a mode.
static Expr sliding_power(const Motion *motion)
{
    Expr power = expr_int(motion->pool, 0), force[FRICTION_ROWS];
    for (size_t i = 0; i < motion->friction_count; i++) {
        const MotionFriction *friction = &motion->frictions[i];
        if (motion->friction_holds[i].mode < HOLD_FORWARD)
            continue;
        motion_friction_force(motion, friction, motion->friction_holds[i], force);
        for (size_t k = 0; k < friction->rows; k++)
            power = expr_add(motion->pool, power,
                             expr_mul(motion->pool, force[k], friction->sticks[k].velocity));
    }
    return power;
}

// NULL where all is open.
static Evaluator *dry_power_of(EnergyBalance *balance, const ContactMode *mode)
{
    const Motion *motion = mode->motion;
    const FrictionHold *holds = motion->friction_holds;
    size_t bytes = motion->friction_count * sizeof *holds;
    if (!holds)
        return NULL;
    for (size_t i = 0; i < balance->dry.count; i++)
        if (memcmp(balance->dry.at[i].holds, holds, bytes) == 0)
            return &balance->dry.at[i].power;
    DryPower made = {.holds = base_alloc(bytes)};
    memcpy(made.holds, holds, bytes);
    Expr power = sliding_power(motion), missing;
    bool known = evaluator_init(&made.power, motion->pool, mode->eq->symbols, mode->eq->input_count,
                                &power, 1, &missing);
    assert(known && "it holds the state and multipliers alone");
    array_push(&balance->dry, made);
    return known ? &balance->dry.at[balance->dry.count - 1].power : NULL;
}

static bool dry_power(void *context, double t, double *power)
{
    EnergyBalance *balance = context;
    Evaluator *of = dry_power_of(balance, balance->mode);
    *power = 0;
    if (!of)
        return true;
    bool found = mode_evaluate_uncounted(balance->mode, t);
    evaluator_run(of, balance->mode->state->inputs);
    *power = of->out[0];
    return found;
}

static void go_to(EnergyBalance *balance, double until)
{
    if (until <= balance->until)
        return;
    if (balance->is_integrated)
        quadrature_add(balance->until, until, damping_power, balance, &balance->work);
    if (balance->rubs_apart)
        quadrature_add(balance->until, until, dry_power, balance, &balance->rubbed);
    balance->until = until;
}

void balance_step(EnergyBalance *balance, ContactMode *mode, double until)
{
    if (!balance->is_integrated && !balance->rubs_apart)
        return;
    assert(until <= mode->t);
    balance->mode = mode;
    // The rest of a sliding that ends in several directions has no step.
    balance->until = fmax(balance->until, fmin(mode->from, until));
    // The last row inside it.
    if (balance->row > balance->until) {
        go_to(balance, fmin(balance->row, until));
        tell_integrated(balance);
    }
    go_to(balance, until);
}

void balance_fixed_step(EnergyBalance *balance, ContactMode *mode, double t, const double *q,
                        const double *before, const double *after, double length)
{
    if (!balance->is_integrated)
        return;
    const Equations *eq = mode->eq;
    State *probe = mode_probe(mode);
    *probe->t = t;
    memcpy(probe->q, q, eq->n * sizeof *q);
    for (size_t i = 0; i < eq->n; i++)
        probe->v[i] = (before[i] + after[i]) / 2;
    evaluator_run(&balance->power, probe->inputs);
    balance->work += length * balance->power.out[0];
}
