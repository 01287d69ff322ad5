// audit_work.c: the work that changes the energy along an audited run.
//
// The power is integrated inside each step, at states that the integrator knows there already: the
// run itself is not touched.
#include "dynamics/equations_types.h"
#include "linalg/quadrature.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/mode_inside_impl.h"
#include "simulate/run_audit_impl.h"

#include <assert.h>
#include <math.h>

typedef struct {
    RunAudit *audit;
    ContactMode *mode;
} Along;

static bool power_at(void *context, double t, double *power)
{
    const Along *along = context;
    Evaluator *rate = &along->audit->rate;
    bool found = mode_evaluate_uncounted(along->mode, t);
    evaluator_run(rate, along->mode->state->inputs);
    *power = rate->out[0];
    return found;
}

void audit_add_work(RunAudit *audit, ContactMode *mode, double until)
{
    audit->steps++;
    if (!audit->report.is_followed || until <= audit->until)
        return;
    assert(until <= mode->t);
    // The rest of a sliding that ends in several directions has no step.
    double from = fmax(audit->until, fmin(mode->from, until));
    audit->report.is_followed =
        quadrature_add(from, until, power_at, &(Along){audit, mode}, &audit->report.work);
    audit->until = until;
}
