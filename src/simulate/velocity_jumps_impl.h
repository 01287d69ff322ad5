// velocity_jumps_impl.h: velocities that jump where a function switches.
#ifndef ZWANG_SIMULATE_VELOCITY_JUMPS_IMPL_H
#define ZWANG_SIMULATE_VELOCITY_JUMPS_IMPL_H

#include "base/memory.h"
#include "base/text_builder.h"

typedef struct SimulationRun SimulationRun; // simulation_run_impl.h

// ---- velocity_jumps.c
typedef enum {
    JUMP_NONE,      // the velocities go on as they are
    JUMP_PASSES,    // they jump, and the motion goes on beyond the switch
    JUMP_REFLECTED, // they jump, and the motion turns back at the switch
    JUMP_CONTACT,   // a one-sided condition that acts has a corner there
    JUMP_REFUSED    // no law says what they do
} JumpKind;
typedef struct SwitchJump {
    JumpKind kind;
    double *after, *impulse; // n velocities; by how much the n momenta jump
    double taken;            // the time for which the positions have gone on behind the switch
    size_t side;             // of a contact
    Text reason;             // of a refusal
} SwitchJump;
// At the switch of a function, from the mode's present state, which is the one at `before`, to the
// end of its step; `jump` has room for both.
void velocity_jump(SimulationRun *run, size_t which, double before, SwitchJump *jump);

// ---- switch_events.c: whether a gap is closed at the second state by a jump since the first.
bool gaps_jump(const SimulationRun *run, double t, const double *q, double after,
               const double *q_after);

#endif
