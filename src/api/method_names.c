// Names of the integrators: those of other programs, and which one a run or its model names.
#include "api/api_impl.h"
#include "simulate/simulate.h"

// What others call the methods.
static const Synonym method_synonyms[] = {
    {"rk4", "erk"},
    {"rk45", "erk"},
    {"ode45", "erk"},
    {"dopri5", "erk"},
    {"dop853", "erk"},
    {"runge-kutta", "erk"},
    {"rkf45", "erk"},
    {"euler", "erk"},
    {"ode113", "adams"},
    {"abm", "adams"},
    {"ode15s", "bdf"},
    {"ode23s", "bdf"},
    {"stiff", "bdf"},
    {"radau", "bdf"},
    {"lsoda", "auto"},
    {"dassl", "bdf"},
    {"cvode", "bdf"},
    {"ida", "bdf"},
    {"implicit", "bdf"},
    {"series", "taylor"},
    {"moreau", "timestepping"},
    {"fixed", "timestepping"},
    {"default", "auto"},
};

Status api_unknown_method(Str word, Place place, Diag *diag)
{
    Str names[RUN_METHOD_COUNT + 1] = {str_of("auto")};
    for (int i = 0; i < RUN_METHOD_COUNT; i++)
        names[i + 1] = str_of(run_method_name((RunMethod)i));
    ptrdiff_t nearest = str_nearest(word, names, RUN_METHOD_COUNT + 1);
    const char *meant =
        str_synonym(word, method_synonyms, sizeof method_synonyms / sizeof *method_synonyms);
    if (!meant && nearest >= 0)
        meant = names[nearest].at;
    static const char known[] = "auto, taylor, bdf, adams, erk and timestepping";
    if (meant)
        return diag_error(diag, place,
                          "unknown method '%.*s'; did you mean '%s'? There are "
                          "%s",
                          (int)word.length, word.at, meant, known);
    return diag_error(diag, place, "unknown method '%.*s'; there are %s", (int)word.length, word.at,
                      known);
}

Status api_check_method(const Model *model, Diag *diag)
{
    RunMethod method;
    const char *name = model->run.method;
    if (!name || str_is(str_of(name), "auto") || run_method_find(str_of(name), &method))
        return STATUS_OK;
    return api_unknown_method(str_of(name), model->run.method_place, diag);
}

const char *api_method(const zw_model *model, const zw_run_options *options)
{
    const char *method = options->method ? options->method : model->model->run.method;
    return method && str_is(str_of(method), "auto") ? NULL : method;
}
