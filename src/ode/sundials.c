// sundials.c: what SUNDIALS' steppers have in common: the rates and error weights that they call,
// their context, their steps, and messages, which are kept and not printed.
#include "ode/sundials_impl.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int sundials_rate(sunrealtype t, N_Vector y, N_Vector rate, void *user_data)
{
    const OdeProblem *problem = &((Sundials *)user_data)->base.problem;
    bool found =
        problem->rate(problem->context, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
    return found ? 0 : 1;
}

// The stepper takes the root of the mean square; the factor √count makes that a bound for each
// part.
int sundials_weights(N_Vector y, N_Vector weights, void *user_data)
{
    const OdeProblem *problem = &((Sundials *)user_data)->base.problem;
    double *weight = N_VGetArrayPointer(weights), root = sqrt((double)problem->count);
    problem->error_scale(problem->context, N_VGetArrayPointer(y), weight);
    for (size_t i = 0; i < problem->count; i++)
        weight[i] = root / weight[i];
    return 0;
}

// ---- Messages.

static void keep(Sundials *sundials, const char *message)
{
    snprintf(sundials->base.message, sizeof sundials->base.message, "%s", message ? message : "");
}

#if SUNDIALS_VERSION_MAJOR >= 7
static void keep_message(int line, const char *function, const char *file, const char *message,
                         SUNErrCode code, void *user_data, SUNContext context)
{
    (void)line, (void)function, (void)file, (void)code, (void)context;
    keep(user_data, message);
}

static bool open_context(Sundials *sundials)
{
    return SUNContext_Create(SUN_COMM_NULL, &sundials->context) == 0 &&
           SUNContext_ClearErrHandlers(sundials->context) == 0 &&
           SUNContext_PushErrHandler(sundials->context, keep_message, sundials) == 0;
}
#else
void sundials_keep_message(int code, const char *module, const char *function, char *message,
                           void *user_data)
{
    (void)code, (void)module, (void)function;
    keep(user_data, message);
}

static bool open_context(Sundials *sundials)
{
    return SUNContext_Create(NULL, &sundials->context) == 0;
}
#endif

// ---- Making and stepping.

bool sundials_open(Sundials *sundials, const SundialsStepper *stepper)
{
    assert(sundials->base.problem.rate);
    sundials->stepper = stepper;
    if (!open_context(sundials))
        return false;
    sundials->state = N_VNew_Serial((sunindextype)sundials->base.problem.count, sundials->context);
    if (sundials->state)
        N_VConst(0, sundials->state);
    return sundials->state != NULL;
}

void sundials_clear(OdeIntegrator *integrator)
{
    Sundials *sundials = (Sundials *)integrator;
    if (sundials->memory)
        sundials->stepper->free(&sundials->memory);
    N_VDestroy(sundials->state);
    if (sundials->context)
        SUNContext_Free(&sundials->context);
}

double sundials_next_step(const OdeIntegrator *integrator)
{
    const Sundials *sundials = (const Sundials *)integrator;
    sunrealtype step = 0;
    sundials->stepper->get_next_step(sundials->memory, &step);
    return step;
}

void sundials_begin(Sundials *sundials, const double *y)
{
    memcpy(N_VGetArrayPointer(sundials->state), y, sundials->base.problem.count * sizeof *y);
    sundials->before = sundials->base.statistics;
}

OdeOutcome sundials_evolve(Sundials *sundials, double until, double *t)
{
    const SundialsStepper *stepper = sundials->stepper;
    OdeStatistics *statistics = &sundials->base.statistics;
    void *memory = sundials->memory;
    long steps = 0, rejected = 0;
    assert(until > *t);
    if (stepper->set_stop_time(memory, until) != 0)
        return ODE_FAILED;
    int flag = stepper->evolve(memory, until, sundials->state, t, stepper->one_step);
    stepper->get_steps(memory, &steps);
    stepper->get_rejected(memory, &rejected);
    statistics->steps = sundials->before.steps + (size_t)steps;
    statistics->rejected = sundials->before.rejected + (size_t)rejected;
    if (flag == stepper->stopped)
        *t = until;
    if (flag == 0 || flag == stepper->stopped)
        return ODE_STEPPED;
    for (const int *each = stepper->no_rate; *each != 0; each++)
        if (flag == *each)
            return ODE_NO_RATE;
    return flag == stepper->no_memory ? ODE_FAILED : ODE_STEP_UNDERFLOW;
}
