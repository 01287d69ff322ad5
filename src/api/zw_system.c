// zw_system.c: a system as functions of its state.
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "api/result_impl.h"
#include "dynamics/system_functions.h"
#include "simulate/simulate.h"

#include <string.h>

struct zw_system {
    BaseHeap heap; // of all that it points to
    bool spoiled;
    zw_model *model; // its own
    Simulation *run;
    SystemFunctions *functions;
    Arena *arena;
    zw_layout layout;
};

struct zw_workspace {
    BaseHeap heap;
    bool spoiled;
    const zw_system *system;
    SystemWorkspace *room;
};

static void put_layout(zw_system *system)
{
    SystemLayout made = functions_layout(system->functions);
    const Model *model = system->model->model;
    const char **names = arena_array(system->arena, const char *, made.n + made.k + 1);
    for (size_t i = 0; i < made.n; i++)
        names[i] = model->coords.at[i].name;
    memcpy(names + made.n, made.speed_names, made.k * sizeof *names);
    system->layout = (zw_layout){.coordinate_count = made.n,
                                 .speed_count = made.k,
                                 .state_count = made.n + made.k,
                                 .state_names = names,
                                 .start = made.start,
                                 .parameter_count = made.params,
                                 .parameter_names = made.param_names,
                                 .parameter_values = made.param_values,
                                 .condition_count = made.conditions,
                                 .condition_names = made.condition_names};
}

static Status make(zw_system *system, bool velocities)
{
    zw_model *model = system->model;
    TRY(model->status);
    TRY(api_motion_to_run(model));
    if (model->model->frictions.count > 0)
        TRY(api_refuse_friction(model, "the functions of the system"));
    RunOptions options = run_options();
    options.branch = model->branch;
    TRY(run_new(model->motion, &options, model->diag, &system->run));
    TRY(run_functions(system->run, velocities, model->diag, &system->functions));
    put_layout(system);
    // Of one-sided conditions and impulses it is said here, once, that they do not act.
    if (model->motion->side_count > 0)
        diag_add(model->diag, DIAG_NOTE, place_none(),
                 "one-sided conditions do not act in the functions of the system");
    api_note_impulses(model, "does not act in the functions of the system");
    api_note_events(model, "does not act in the functions of the system");
    return STATUS_OK;
}

typedef struct {
    zw_model *from;
    const zw_system_options *given;
    zw_system_options options;
    zw_system *system;
} SystemCall;

static Status take_options(void *context)
{
    SystemCall *call = context;
    TRY(call->from->status);
    return api_take_options(call->given, &call->options, sizeof call->options, call->from->diag);
}

static Status make_system(void *context)
{
    SystemCall *call = context;
    zw_system *system = call->system;
    system->arena = arena_new();
    system->model = api_copy(call->from);
    return make(system, call->options.velocities);
}

static Status take_messages(void *context)
{
    SystemCall *call = context;
    api_pass_messages(call->from, call->system->model);
    return STATUS_OK;
}

zw_status zw_system_new(zw_model *model, const zw_system_options *given, zw_system **out)
{
    if (out)
        *out = NULL;
    if (!model || !out)
        return ZW_WRONG;
    SystemCall *call = &(SystemCall){.from = model, .given = given};
    Status status = api_guarded(&model->heap, &model->spoiled, take_options, call);
    if (status != STATUS_OK)
        return api_status(status);
    zw_system *system = call->system = api_new(sizeof *system);
    if (!system)
        return ZW_FAILED;
    base_heap_init(&system->heap);
    status = api_guarded(&system->heap, &system->spoiled, make_system, call);
    if (!system->spoiled &&
        api_guarded(&model->heap, &model->spoiled, take_messages, call) != STATUS_OK)
        status = STATUS_FAILED;
    if (status == STATUS_OK)
        *out = system;
    else
        zw_system_free(system);
    return api_status(status);
}

void zw_system_free(zw_system *system)
{
    if (!system)
        return;
    if (!system->spoiled) {
        functions_free(system->functions);
        run_free(system->run);
        if (system->model)
            api_clear(system->model);
    }
    base_heap_clear(&system->heap);
    base_free(system);
}

const zw_layout *zw_system_layout(const zw_system *system)
{
    return system ? &system->layout : NULL;
}

static Status make_workspace(void *context)
{
    zw_workspace *workspace = context;
    workspace->room = functions_workspace(workspace->system->functions);
    return STATUS_OK;
}

zw_status zw_workspace_new(const zw_system *system, zw_workspace **out)
{
    if (out)
        *out = NULL;
    if (!system || !out)
        return ZW_WRONG;
    zw_workspace *workspace = api_new(sizeof *workspace);
    if (!workspace)
        return ZW_FAILED;
    base_heap_init(&workspace->heap);
    workspace->system = system;
    Status status = api_guarded(&workspace->heap, &workspace->spoiled, make_workspace, workspace);
    if (status == STATUS_OK)
        *out = workspace;
    else
        zw_workspace_free(workspace);
    return api_status(status);
}

void zw_workspace_free(zw_workspace *workspace)
{
    if (!workspace)
        return;
    if (!workspace->spoiled)
        functions_workspace_free(workspace->room);
    base_heap_clear(&workspace->heap);
    base_free(workspace);
}

// ---- Evaluations.

static bool belongs(const zw_system *system, const zw_workspace *workspace, const double *y)
{
    return system && workspace && workspace->system == system && y;
}

static zw_status ended(bool found)
{
    return found ? ZW_DONE : ZW_NEGATIVE;
}

zw_status zw_rates(const zw_system *system, zw_workspace *workspace, double t, const double *y,
                   const double *p, double *rates)
{
    if (!belongs(system, workspace, y) || !rates)
        return ZW_WRONG;
    return ended(
        functions_rates(system->functions, workspace->room, (SystemPoint){t, y, p}, rates));
}

zw_status zw_rates_by_state(const zw_system *system, zw_workspace *workspace, double t,
                            const double *y, const double *p, double *matrix)
{
    if (!belongs(system, workspace, y) || !matrix)
        return ZW_WRONG;
    return ended(functions_jacobian(system->functions, workspace->room, (SystemPoint){t, y, p},
                                    BY_STATE, matrix));
}

zw_status zw_rates_by_parameters(const zw_system *system, zw_workspace *workspace, double t,
                                 const double *y, const double *p, double *matrix)
{
    if (!belongs(system, workspace, y) || !matrix)
        return ZW_WRONG;
    return ended(functions_jacobian(system->functions, workspace->room, (SystemPoint){t, y, p},
                                    BY_PARAMETERS, matrix));
}

zw_status zw_rates_along(const zw_system *system, zw_workspace *workspace, double t,
                         const double *y, const double *p, double dt, const double *dy,
                         const double *dp, double *change)
{
    if (!belongs(system, workspace, y) || !change)
        return ZW_WRONG;
    return ended(functions_rates_along(system->functions, workspace->room, (SystemPoint){t, y, p},
                                       dt, dy, dp, change));
}

zw_status zw_system_parts(const zw_system *system, zw_workspace *workspace, double t,
                          const double *y, const double *p, const zw_parts *given)
{
    if (!belongs(system, workspace, y) || !given || given->size > sizeof *given)
        return ZW_WRONG;
    SystemParts parts = {.velocities = given->velocities,
                         .accelerations = given->accelerations,
                         .mass = given->mass,
                         .bias = given->bias,
                         .jacobian = given->jacobian,
                         .gamma = given->gamma,
                         .multipliers = given->multipliers};
    return ended(
        functions_parts(system->functions, workspace->room, (SystemPoint){t, y, p}, &parts));
}
