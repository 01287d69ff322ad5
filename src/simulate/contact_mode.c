// contact_mode.c: the equations, the state and the columns of a contact mode.
#include "dynamics/compilation.h"
#include "dynamics/equations.h"
#include "dynamics/form_driver.h"
#include "model/system.h"
#include "motion/holds.h"
#include "motion/motion_types.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/contact_modes_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/run_options.h"

#include <assert.h>
#include <string.h>

Status mode_new(const RunOptions *settings, const Motion *base, Motion *motion, const bool *held,
                Diag *diag, ContactMode **out)
{
    size_t sides = motion->side_count;
    Arena *arena = arena_new();
    ContactMode *mode = *out = arena_alloc(arena, sizeof *mode);
    *mode = (ContactMode){.arena = arena, .settings = settings, .motion = motion};
    assert(!held == (motion == base));
    mode->held = arena_alloc(arena, (sides + 1) * sizeof *mode->held);
    if (held)
        memcpy(mode->held, held, sides * sizeof *held);
    Equations *made = mode->eq = arena_alloc(arena, sizeof *mode->eq);
    mode->made = held ? NULL : made;
    mode->state = arena_alloc(arena, sizeof *mode->state);
    mode->columns = arena_alloc(arena, sizeof *mode->columns);
    mode->compilation = arena_alloc(arena, sizeof *mode->compilation);
    TRY(equations_init(made, motion, diag));
    if (settings->driven)
        TRY(form_driver_prepare(made, motion, settings->form, diag));
    if (!held) {
        mode->eq = arena_alloc(arena, sizeof *mode->eq);
        equations_share(made, arena, mode->eq);
    }
    state_init(mode->state, mode->eq);
    TRY(columns_init(mode->columns, mode->eq, base, settings, diag));
    size_t bytes = (mode->eq->n + mode->eq->k + 1) * sizeof(double);
    mode->y = arena_alloc(arena, bytes);
    mode->inside.y = arena_alloc(arena, bytes);
    mode->inside.rate = arena_alloc(arena, bytes);
    return STATUS_OK;
}

// What is compiled stays so.
static void share_native(const Evaluator *from, Evaluator *to)
{
    to->native = from->native;
    to->which = from->which;
}

// A state of its equations, as it is at first.
static void renew_state(ContactMode *mode)
{
    State *state = mode->state, former = *state;
    state_clear(state);
    state_init(state, mode->eq);
    share_native(&former.positions, &state->positions);
    share_native(&former.velocities, &state->velocities);
    share_native(&former.direct, &state->direct);
    share_native(&former.forces, &state->forces);
}

bool mode_refresh(ContactMode *mode)
{
    assert(mode->made && !mode->integrator);
    size_t n = mode->eq->n, bytes = mode->eq->params * sizeof(double);
    double *kept = base_alloc((mode->eq->params + n + 1) * sizeof *kept);
    double *scale = kept + mode->eq->params;
    memcpy(kept, mode->eq->param_values, bytes);
    memcpy(scale, mode->state->scale, n * sizeof *scale);
    bool serves = equations_serve(mode->made, kept);
    if (mode->probe) {
        state_clear(mode->probe);
        mode->probe = NULL;
    }
    equations_renew(mode->made, kept, mode->eq);
    renew_state(mode);
    memcpy(mode->state->scale, scale, n * sizeof *scale);
    base_free(kept);
    return serves;
}

Status mode_renew(ContactMode *mode, const RunOptions *settings, Diag *diag, bool *same)
{
    assert(mode->made && !mode->integrator && !mode->state->driver);
    double *parameters = base_alloc((mode->eq->params + 1) * sizeof *parameters);
    Status status = model_param_values(mode->motion->model, diag, parameters);
    mode->settings = settings;
    mode->columns->watched = NULL;
    if (mode->probe) {
        state_clear(mode->probe);
        mode->probe = NULL;
    }
    *same = equations_serve(mode->made, parameters);
    equations_renew(mode->made, parameters, mode->eq);
    base_free(parameters);
    TRY(status);
    renew_state(mode);
    return STATUS_OK;
}

void mode_free(ContactMode *mode)
{
    if (!mode)
        return;
    mode_close(mode);
    columns_clear(mode->columns);
    compilation_clear(mode->compilation);
    if (mode->probe)
        state_clear(mode->probe);
    state_clear(mode->state);
    // Forms that were derived along the way are in the list of the equations in use.
    if (mode->made)
        mode->made->driver = mode->eq->driver;
    equations_clear(mode->made ? mode->made : mode->eq);
    if (!mode->made)
        motion_free(mode->motion);
    arena_free(mode->arena);
}
