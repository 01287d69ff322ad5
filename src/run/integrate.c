// integrate.c: one interface, several methods of integration.
#include "run/run_impl.h"

#include <string.h>

// Steps of fixed length are timestepping.c's, from the start to the end.
const IntegratorMethod integrator_none = {0};

static const struct {
    const char *word;
    const IntegratorMethod *method;
} methods[] = {
#define METHOD(NAME, word, method) {word, &method},
#include "run/integrators.def"
#undef METHOD
};

struct Integrator {
    const IntegratorMethod *method;
    void *self;
};

const char *run_method_name(RunMethod method)
{
    return methods[method].word;
}

bool run_method_find(Str name, RunMethod *method)
{
    for (size_t i = 0; i < RUN_METHOD_COUNT; i++) {
        if (str_is(name, methods[i].word)) {
            *method = (RunMethod)i;
            return true;
        }
    }
    return false;
}

Integrator *integrator_new(RunMethod method, const IntegratorProblem *problem)
{
    Integrator *integrator = base_alloc(sizeof *integrator);
    integrator->method = methods[method].method;
    integrator->self = integrator->method->create(problem);
    if (integrator->self)
        return integrator;
    base_free(integrator);
    return NULL;
}

void integrator_free(Integrator *integrator)
{
    if (!integrator)
        return;
    integrator->method->destroy(integrator->self);
    base_free(integrator);
}

bool integrator_start(Integrator *integrator, double t, const double *y, double step)
{
    return integrator->method->start(integrator->self, t, y, step);
}

IntegratorOutcome integrator_step(Integrator *integrator, double until, double *t, double *y)
{
    return integrator->method->step(integrator->self, until, t, y);
}

void integrator_between(const Integrator *integrator, double t, double *y, double *rate)
{
    integrator->method->between(integrator->self, t, y, rate);
}

double integrator_next_step(const Integrator *integrator)
{
    return integrator->method->next_step(integrator->self);
}

IntegratorCounts integrator_counts(const Integrator *integrator)
{
    return integrator->method->counts(integrator->self);
}

const char *integrator_message(const Integrator *integrator)
{
    return integrator->method->message(integrator->self);
}
