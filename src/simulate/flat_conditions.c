// flat_conditions.c: one-sided conditions that have no reaction where they touch: their slope
// vanishes on their surface, or they have no value behind it, as x^(5/3) >= 0. No method finds such
// an event, so that a run ends beside it for other reasons.
#include "dynamics/equations_types.h"
#include "dynamics/unilaterals.h"
#include "linalg/tolerances.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/simulation_run_impl.h"

#include <math.h>

const ModelConstraint *failure_flat_condition(const SimulationRun *run, double t)
{
    ContactMode *mode = run->mode;
    const GapFunctions *gaps = run->gaps;
    bool inside = mode->stepped && mode->from <= t && t <= mode->t;
    const double *q = inside ? mode_state(mode, t) : mode->y, *v = mode->state->v;
    if (!q)
        return NULL;
    gaps_evaluate(gaps, t, q, gaps->f);
    for (size_t i = 0; i < gaps->unilaterals->single && i < gaps->count; i++)
        if (!run->event->acts[i] && fabs(gaps->f[i]) < TOL_COARSE * gaps->sizes[i] &&
            gaps_are_flat(gaps, i, t, q, v, mode->eq->n))
            return event_constraint(run->event, i);
    return NULL;
}
