// stepper.c: what SUNDIALS' steppers call, whichever of them: rates, what error is allowed, and
// messages, which are kept and not printed.
#include "run/stepper_impl.h"

#include <math.h>
#include <stdio.h>

int stepper_rate(sunrealtype t, N_Vector y, N_Vector rate, void *user_data)
{
    const IntegratorProblem *problem = &((Stepper *)user_data)->problem;
    bool found =
        problem->rate(problem->context, t, N_VGetArrayPointer(y), N_VGetArrayPointer(rate));
    return found ? 0 : 1;
}

// The stepper takes the root of the mean square; the factor √count makes that a bound for each
// part.
int stepper_allowance(N_Vector y, N_Vector weights, void *user_data)
{
    const IntegratorProblem *problem = &((Stepper *)user_data)->problem;
    double *weight = N_VGetArrayPointer(weights), root = sqrt((double)problem->count);
    problem->allowance(problem->context, N_VGetArrayPointer(y), weight);
    for (size_t i = 0; i < problem->count; i++)
        weight[i] = root / weight[i];
    return 0;
}

static void keep_message(Stepper *stepper, const char *message)
{
    snprintf(stepper->message, sizeof stepper->message, "%s", message ? message : "");
}

#if SUNDIALS_VERSION_MAJOR >= 7
static void hear(int line, const char *function, const char *file, const char *message,
                 SUNErrCode code, void *user_data, SUNContext context)
{
    (void)line, (void)function, (void)file, (void)code, (void)context;
    keep_message(user_data, message);
}

bool stepper_open(Stepper *stepper)
{
    return SUNContext_Create(SUN_COMM_NULL, &stepper->context) == 0 &&
           SUNContext_ClearErrHandlers(stepper->context) == 0 &&
           SUNContext_PushErrHandler(stepper->context, hear, stepper) == 0;
}
#else
void stepper_hear(int code, const char *module, const char *function, char *message,
                  void *user_data)
{
    (void)code, (void)module, (void)function;
    keep_message(user_data, message);
}

bool stepper_open(Stepper *stepper)
{
    return SUNContext_Create(NULL, &stepper->context) == 0;
}
#endif
