// angle_turns_impl.h: whole turns of angles, kept apart from the state.
#ifndef ZWANG_SIMULATE_ANGLE_TURNS_IMPL_H
#define ZWANG_SIMULATE_ANGLE_TURNS_IMPL_H

#include "base/memory.h"

typedef struct ContactMode ContactMode; // contact_mode_impl.h
typedef struct RunAudit RunAudit;       // run_audit_impl.h

// ---- angle_turns.c: whole turns of angles, kept apart from the state.
typedef struct Turns {
    const ContactMode *mode;
    const RunAudit *audit; // NULL where there is none
    size_t n;
    Answer *is_angle; // n: whether whole turns of the coordinate change nothing, once it was asked
    double *counts;   // n: the turns taken from it so far
} Turns;
void turns_init(Turns *turns, const ContactMode *mode, const RunAudit *audit);
void turns_clear(Turns *turns);
// Takes whole turns from angles that have become large; whether there were any.
bool turns_take(Turns *turns, double *q);
// The coordinates as they would be without that.
void turns_give_back(const Turns *turns, double *q);

#endif
