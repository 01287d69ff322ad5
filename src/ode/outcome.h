// outcome.h: how a step of an integrator ended.
#ifndef ZWANG_ODE_OUTCOME_H
#define ZWANG_ODE_OUTCOME_H

typedef enum {
    ODE_STEPPED,
    ODE_NO_RATE,        // the rate cannot be evaluated, however short the step
    ODE_STEP_UNDERFLOW, // the steps became shorter than rounding in t
    ODE_STALLED,        // for callers: the steps became so short that the end is out of reach
    ODE_FAILED          // the machine failed
} OdeOutcome;

#endif
