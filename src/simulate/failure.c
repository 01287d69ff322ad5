// failure.c: why a motion cannot be followed further, in words.
#include "dynamics/nonlinear/nonlinear.h"
#include "dynamics/start.h"
#include "motion/motion.h"
#include "program/program.h"
#include "simulate/failure_impl.h"

#include <float.h>
#include <math.h>

// Servos that keep their conditions no better than this, 1 being best, are why a motion ends there.
#define HARDLY 1e-3

void failure_add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text)
{
    const Motion *motion = eq->motion;
    const double *velocity = NULL;
    size_t most = 0;
    switch (why) {
    case DYNAMICS_INERTIA:
        velocity = kkt_witness(state->kkt);
        for (size_t i = 1; i < eq->n; i++)
            if (fabs(velocity[i]) > fabs(velocity[most]))
                most = i;
        text_addf(text, "the inertia becomes singular there: nothing determines how %s changes",
                  expr_name(motion->pool, motion->v[most]));
        return;
    case DYNAMICS_SERVO: servos_add_reason(eq, state, text); return;
    case DYNAMICS_CONTRADICTION:
        text_addf(text, "the constraint '%s' comes to contradict the constraints before it",
                  dynamics_condition(eq, state->failure.report.row)->name);
        return;
    case DYNAMICS_BRANCH:
        text_addf(text,
                  "the acceleration of least constraint that was followed ends there, and no other "
                  "is found near it that meets the constraint '%s'",
                  motion->seconds[motion->affine_count].row.constraint->name);
        return;
    case DYNAMICS_SPEEDS:
        text_add(text, "the constraints become dependent on each other, so that they no longer "
                       "determine the velocities");
        return;
    case DYNAMICS_APART:
        text_addf(text,
                  "the constraint '%s', which followed from the constraints before it so far, no "
                  "longer does",
                  motion->rows[state->failure.apart_row].constraint->name);
        return;
    case DYNAMICS_VANISHED:
        text_addf(text,
                  "the constraint '%s' becomes singular there, its derivatives by the velocities "
                  "vanish (",
                  motion->rows[state->failure.singular_row].constraint->name);
        nonlinear_add_state(eq, state, text);
        text_add(text, "), so that it no longer says how the velocities may change");
        return;
    case DYNAMICS_ROOT:
        text_addf(text,
                  "the form that drives the run has %s as another root of the constraints and "
                  "speeds than %.6g, which it has there; leave --form out",
                  expr_name(motion->pool, motion->v[state->failure.other_root]),
                  state->v[state->failure.other_root]);
        return;
    case DYNAMICS_POSITION:
        text_add(text, "no position near it meets the finite constraints");
        return;
    case DYNAMICS_VELOCITY:
        text_add(text, "no velocities near those reached meet the constraints");
        return;
    case DYNAMICS_FOUND:
    case DYNAMICS_NOT_FINITE: break;
    }
    text_add(text, "the equations of motion have no finite values beyond it: something is divided "
                   "by 0 or leaves the domain of its function");
}

void failure_add_runaway(const Equations *eq, const State *state, Text *text)
{
    const Motion *motion = eq->motion;
    size_t most = 0;
    double fastest = -1;
    for (size_t i = 0; i < eq->n; i++) {
        double pace = fabs(state->a[i]) / fmax(fabs(state->v[i]), DBL_MIN);
        if (pace > fastest) {
            fastest = pace;
            most = i;
        }
    }
    text_addf(text, " (%s = %.6g, %s = %.6g)", expr_name(motion->pool, motion->q[most]),
              state->q[most], expr_name(motion->pool, motion->v[most]), state->v[most]);
}

const char *failure_why_short(const Equations *eq, const State *state, OdeOutcome outcome)
{
    if (eq->motion->servos && state->failure.report.power < HARDLY)
        return "a servo can hardly keep its condition there: its force grows without bound "
               "(g·M⁻¹·d becomes singular)";
    if (outcome != ODE_STALLED)
        return "the steps shrink below rounding: the motion changes there without bound";
    if (program_has_switches(state->forces.program))
        return "abs, sign, min or max switches to and fro there without end, as dry friction does "
               "where it sticks; a smooth law goes on, such as tanh(v/0.001) for sign(v)";
    return "the steps have become so short that the next row would take millions of them; a looser "
           "--tolerance may go further";
}
