// energy_balance.c: what has changed the energy along a run: shocks, friction, and all the rest.
//
// Rows tell how the energy has changed, events what shocks took. What friction took is the rest
// where nothing else does work between events. Else its power is integrated by Gauss's rule
// (Legendre's nodes) on the polynomial of each step, and what is then left was given by other
// forces and by what moves with the time.
#include "simulate/energy_balance_impl.h"

#include "dynamics/equations_types.h"
#include "expr/arithmetic.h"
#include "linalg/quadrature.h"
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

struct EnergyBalance {
    const RunSummary *summary;
    RunEnergy *told;    // up to the last row
    double first;       // the energy at the first row
    double jumps;       // how events have changed it
    bool is_integrated; // what friction took
    Evaluator power;    // of friction
    double until, work; // what it gave, up to a time
    double row;         // the time of the last row
    ContactMode *mode;  // while its last step is integrated
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
    if (expr_is_none(motion->energy) || motion_keeps_energy(motion))
        return balance;
    MotionWork work = motion_work(motion);
    Expr missing;
    // What dry friction takes is the rest, where nothing else does work.
    bool dry = motion->friction_count > 0;
    work.driven = work.driven || friction_moves(motion);
    bool rubs = dry || !expr_is_zero(motion->pool, work.friction);
    bool apart = rubs && (work.forces || work.driven);
    balance->is_integrated =
        apart && !dry &&
        evaluator_init(&balance->power, motion->pool, eq->symbols, eq->params + 1 + 2 * eq->n,
                       &work.friction, 1, &missing);
    bool lumped = apart && !balance->is_integrated;
    balance->told->has_friction = rubs && !lumped;
    balance->told->has_forces = work.forces || lumped;
    balance->told->is_driven = work.driven;
    return balance;
}

void balance_clear(EnergyBalance *balance)
{
    if (balance->is_integrated)
        evaluator_clear(&balance->power);
}

void balance_carry(EnergyBalance *balance, RunCarry *carry)
{
    carry_number(carry, &balance->first);
    carry_number(carry, &balance->jumps);
    carry_number(carry, &balance->until);
    carry_number(carry, &balance->work);
    carry_number(carry, &balance->row);
}

void balance_row(EnergyBalance *balance, double t, double energy)
{
    RunEnergy *told = balance->told;
    if (isnan(balance->first))
        balance->first = energy;
    told->change = energy - balance->first;
    told->shocks = balance->summary->energy_lost;
    if (balance->is_integrated)
        told->friction = -balance->work;
    else if (told->has_friction)
        told->friction = balance->jumps - told->change;
    balance->row = t;
}

void balance_event(EnergyBalance *balance, double change)
{
    balance->jumps += change;
}

// ---- What friction does.

static bool friction_power(void *context, double t, double *power)
{
    EnergyBalance *balance = context;
    State *probe = mode_probe(balance->mode);
    *probe->t = t;
    mode_interpolate(balance->mode, t, probe->q, probe->v);
    evaluator_run(&balance->power, probe->inputs);
    *power = balance->power.out[0];
    return true;
}

static void go_to(EnergyBalance *balance, double until)
{
    if (until <= balance->until)
        return;
    quadrature_add(balance->until, until, friction_power, balance, &balance->work);
    balance->until = until;
}

void balance_step(EnergyBalance *balance, ContactMode *mode, double until)
{
    if (!balance->is_integrated)
        return;
    assert(until <= mode->t);
    balance->mode = mode;
    // The last row inside it.
    if (balance->row > balance->until) {
        go_to(balance, fmin(balance->row, until));
        balance->told->friction = -balance->work;
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
