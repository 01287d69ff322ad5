// angle_turns.c: whole turns of angles, kept apart from the state.
//
// A crank that has gone round ten thousand times is known to eleven digits only, and every closed
// loop that it is part of feels that. Where an angle enters by sines and cosines alone, a turn
// changes nothing: the state keeps what is left of it, and the rows get the turns back.
#include "dynamics/equations_types.h"
#include "dynamics/form_driver.h"
#include "dynamics/second_class/second_class.h"
#include "model/system.h"
#include "model/whiles.h"
#include "motion/motion_types.h"
#include "program/program.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/run_audit_impl.h"

#include <assert.h>
#include <math.h>

struct Turns {
    const ContactMode *mode;
    const RunAudit *audit; // NULL where there is none
    size_t n;
    Answer *is_angle; // n: whether whole turns of the coordinate change nothing, once it was asked
    double *counts;   // n: the turns taken from it so far
};

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

Turns *turns_new(Arena *arena, const ContactMode *mode, const RunAudit *audit)
{
    size_t n = mode->eq->n;
    Turns *turns = arena_array(arena, Turns, 1);
    *turns = (Turns){.mode = mode,
                     .audit = audit,
                     .n = n,
                     .is_angle = arena_array(arena, Answer, n),
                     .counts = arena_array(arena, double, n)};
    for (size_t i = 0; i < n; i++)
        turns->is_angle[i] =
            mode->motion->model->coords.at[i].is_state ? ANSWER_NO : ANSWER_UNKNOWN;
    return turns;
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
    bool sides = eq->motion->side_count + eq->motion->model->pairs.count > 0 ||
                 model_has_events(eq->motion->model) || mode->settings->until;
    return !sides && forgets(&state->positions, input) && forgets(&state->velocities, input) &&
           forgets(&state->forces, input) && forgets(&state->direct, input - eq->params) &&
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
        // Half a turn less than five are four.
        if (!(fabs(q[i]) >= 9 * acos(-1)))
            continue;
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
    for (size_t i = 0; turns && i < turns->n; i++)
        if (turns->counts[i] != 0)
            q[i] = add_turns(q[i], turns->counts[i]);
}
