// angle_turns.c: whole turns of angles, kept apart from the state.
//
// A crank that has gone round ten thousand times is known to eleven digits only, and every closed
// loop that it is part of feels that. Where an angle enters by sines and cosines alone, a turn
// changes nothing: the state keeps what is left of it, and the rows get the turns back.
#include "dynamics/dynamics.h"
#include "dynamics/form_driver.h"
#include "dynamics/second_class/second_class.h"
#include "motion/motion_types.h"
#include "program/program.h"
#include "simulate/angle_turns_impl.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/run_audit_impl.h"

#include <assert.h>
#include <math.h>

// q and so many whole turns. The double that is nearest to 2π misses its sine of it.
static double add_turns(double q, double count)
{
    double turn = 2 * acos(-1);
    return fma(count, turn, q - count * sin(turn));
}

static bool forgets(const Evaluator *evaluator, size_t input)
{
    return !evaluator->program || program_forgets_turns(evaluator->program, input);
}

void turns_init(Turns *turns, const ContactMode *mode, const RunAudit *audit)
{
    size_t n = mode->eq->n;
    *turns = (Turns){.mode = mode, .audit = audit, .n = n};
    turns->counts = base_alloc((n + 1) * sizeof *turns->counts);
    turns->is_angle = base_alloc((n + 1) * sizeof *turns->is_angle);
    for (size_t i = 0; i < n; i++)
        turns->is_angle[i] = ANSWER_UNKNOWN;
}

void turns_clear(Turns *turns)
{
    base_free(turns->counts);
    base_free(turns->is_angle);
    *turns = (Turns){0};
}

// One-sided conditions are watched by programs of their own.
static bool is_angle(const Turns *turns, size_t coordinate)
{
    const ContactMode *mode = turns->mode;
    const Equations *eq = mode->eq;
    assert(coordinate < eq->n);
    const RunAudit *audit = turns->audit;
    const State *state = mode->state;
    size_t input = eq->params + 1 + coordinate;
    return eq->motion->side_count == 0 && forgets(&state->positions, input) &&
           forgets(&state->velocities, input) && forgets(&state->forces, input) &&
           (!state->driver || forgets(&state->driver->equations, input)) &&
           (!state->second_class || forgets(&state->second_class->implicit, input)) &&
           forgets(&mode->columns->quantities, input) &&
           (!audit || (forgets(&audit->quantities, input) && forgets(&audit->rate, input)));
}

bool turns_take(Turns *turns, double *q)
{
    bool taken = false;
    assert(turns->is_angle && q);
    for (size_t i = 0; i < turns->n; i++) {
        double count = nearbyint(q[i] / (2 * acos(-1)));
        if (!(fabs(count) >= 5))
            continue;
        if (turns->is_angle[i] == ANSWER_UNKNOWN)
            turns->is_angle[i] = is_angle(turns, i) ? ANSWER_YES : ANSWER_NO;
        if (turns->is_angle[i] == ANSWER_NO)
            continue;
        q[i] = add_turns(q[i], -count);
        turns->counts[i] += count;
        taken = true;
    }
    return taken;
}

void turns_give_back(const Turns *turns, double *q)
{
    for (size_t i = 0; i < turns->n; i++)
        if (turns->counts[i] != 0)
            q[i] = add_turns(q[i], turns->counts[i]);
}
