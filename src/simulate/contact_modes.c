// contact_modes.c: the contact modes that a run has been in, each made when it is first needed.
//
// A mode holds some of the unilateral conditions as equations. It is a motion of its own, with
// fewer speeds, so that what is held neither drifts nor penetrates.
#include "base/diag.h"
#include "base/strings.h"
#include "dynamics/independent_rows.h"
#include "dynamics/pattern.h"
#include "dynamics/projection.h"
#include "dynamics/rates_store.h"
#include "dynamics/stop_request.h"
#include "dynamics/unilaterals.h"
#include "linalg/sparse_rows.h"
#include "linalg/tolerances.h"
#include "motion/frictions.h"
#include "motion/holds.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/contact_modes_impl.h"
#include "simulate/events/event_states_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/run_options.h"
#include "simulate/simulation_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What is held is measured as it was before: all of its terms may vanish where it touches.
static void measure(ContactMode *mode, const double *sizes)
{
    const Motion *motion = mode->motion;
    for (size_t i = 0; i < mode->eq->finite; i++)
        for (size_t j = 0; j < motion->side_count; j++)
            if (mode->eq->finite_conditions[i].constraint == motion->sides[j].constraint)
                positions_measure_at_least(mode->state, i, sizes[j]);
}

// Large systems with few entries carry all velocities: a choice among them, and what follows from
// it, would cost more than all else, and be poor somewhere along a rope. Only series tell what is
// inside a step so well that it can be put back onto the conditions.
static bool is_large(const Simulation *sim, const bool *held)
{
    const Motion *motion = sim->motion;
    const Equations *eq = sim->base->eq;
    size_t n = motion->n, rows = 0, filled = pattern_count(&eq->patterns->inertia);
    if (sim->settings.method != RUN_TAYLOR || sim->settings.driven || modules_need_speeds(motion) ||
        !eq->sparse_velocities || !eq->sparse_forces)
        return false;
    for (size_t i = 0; i < motion->side_count; i++) {
        rows += held[i];
        if (held[i])
            filled += 2 * unilaterals_shape(sim->contacts->unilaterals, i)->size;
    }
    return sparse_pays(n + motion->m + rows, filled + 2 * eq->patterns->velocity.begins[motion->m],
                       true);
}

// Equations that depend on each other may be more than the coordinates, with what is held. Those
// that follow from others are then left out.
static Status hold(const Simulation *sim, const bool *held, const FrictionHold *friction,
                   Diag *diag, Motion **motion)
{
    const Motion *base = sim->motion;
    const Equations *eq = sim->base->eq;
    size_t rows = base->m;
    for (size_t i = 0; i < base->side_count; i++)
        rows += held[i];
    for (size_t i = 0; i < base->friction_count && friction; i++)
        rows += friction[i].mode == HOLD_STICKS ? base->frictions[i].rows : 0;
    bool *left_out = base_alloc((base->m + 1) * sizeof *left_out);
    memset(left_out, 1, base->m * sizeof *left_out);
    for (size_t i = 0; i < eq->independent.count; i++)
        left_out[eq->independent.rows[i]] = false;
    MotionHold wish = {.held = held,
                       .friction = friction,
                       .without_speeds = !friction && is_large(sim, held),
                       .left_out = rows > base->n ? left_out : NULL};
    Status status = motion_holding(base, wish, diag, motion);
    base_free(left_out);
    return status;
}

static void keep_friction(ContactMode *mode, const FrictionHold *friction, size_t count)
{
    mode->friction = arena_array(mode->arena, FrictionHold, count + 1);
    memcpy(mode->friction, friction, count * sizeof *friction);
}

// ---- What further runs take over is derived in the same order.

static uint64_t name_mode(const Motion *motion, const bool *held, const FrictionHold *friction)
{
    uint64_t name = hash_bytes(held, motion->side_count * sizeof *held, 1);
    if (friction)
        name = hash_bytes(friction, motion->friction_count * sizeof *friction, name);
    return name;
}

static uint64_t name_speeds(const Motion *motion)
{
    uint64_t name = 1;
    for (size_t i = 0; i < motion->k && motion->state.speeds; i++)
        name = hash_bytes(&motion->state.speeds[i].index, sizeof(size_t), name);
    return name;
}

static Status may_derive(const Simulation *sim, const void *what, size_t bytes)
{
    if (!sim->store || rates_store_mark(sim->store, what, bytes))
        return STATUS_OK;
    sim->stop->stopped = true;
    return STATUS_NEGATIVE;
}

static Status make_held(const ContactModes *modes, const bool *held, const FrictionHold *friction,
                        double t, const double *q, ContactMode **out)
{
    Simulation *sim = modes->sim;
    Motion *motion = NULL;
    uint64_t owner = name_mode(sim->motion, held, friction);
    TRY(may_derive(sim, &owner, sizeof owner));
    TRY(hold(sim, held, friction, modes->diag, &motion));
    TRY(mode_new(&sim->settings, sim->motion, motion, held, modes->diag, out));
    ContactMode *mode = *out;
    mode->store = sim->store;
    mode->owner = owner;
    owner = name_speeds(motion);
    TRY(may_derive(sim, &owner, sizeof owner));
    states_share(sim, mode);
    if (friction)
        keep_friction(mode, friction, motion->friction_count);
    size_t bytes = motion->n * sizeof *q;
    measure(mode, modes->sizes);
    memcpy(mode->state->scale, sim->base->state->scale, bytes);
    memcpy(mode->state->inertias, sim->base->state->inertias, bytes);
    *mode->state->t = t;
    memcpy(mode->state->q, q, bytes);
    // What depends on the conditions before it is left out; the start has said so.
    Diag *unread = diag_new();
    Status status = independent_rows_find(mode->eq, mode->state, true, unread);
    diag_free(unread);
    return status;
}

static void dispose(const ContactModes *modes, ContactMode *mode)
{
    if (mode == modes->sim->base)
        mode_close(mode);
    else
        mode_free(mode);
}

static bool is_open(const FrictionHold *friction, size_t count)
{
    for (size_t i = 0; i < count && friction; i++)
        if (friction[i].mode != HOLD_OPEN)
            return false;
    return true;
}

static ContactMode *make(const ContactModes *modes, const bool *held, const FrictionHold *friction,
                         double t, const double *q)
{
    Simulation *sim = modes->sim;
    ContactMode *mode = NULL;
    if (!memchr(held, true, sim->motion->side_count * sizeof *held) &&
        is_open(friction, sim->motion->friction_count))
        mode = sim->base;
    else if (make_held(modes, held, friction, t, q, &mode) != STATUS_OK) {
        mode_free(mode);
        return NULL;
    }
    if (mode_open(mode, sim->stop, sim->audit, modes->diag))
        return mode;
    diag_error(modes->diag, place_none(), "the integrator could not be set up");
    dispose(modes, mode);
    return NULL;
}

// ---- Keeping.

static void discard(ContactModes *modes, size_t index)
{
    assert(index < modes->count);
    ContactMode *mode = modes->at[index];
    mode_add_counts(mode, modes->summary);
    dispose(modes, mode);
    modes->at[index] = modes->at[--modes->count];
}

// Of many modes, or a few large ones, the one that was not used for longest is discarded.
static void make_room(ContactModes *modes)
{
    size_t most = modes->sim->start.n < LIMIT_SEARCH ? LIMIT_STEPS : LIMIT_PATIENCE, oldest = 0;
    if (!modes->at)
        modes->at = base_alloc(LIMIT_STEPS * sizeof *modes->at);
    if (modes->count < most)
        return;
    for (size_t i = 1; i < modes->count; i++)
        if (modes->at[i]->counts.used < modes->at[oldest]->counts.used)
            oldest = i;
    discard(modes, oldest);
}

static bool is_same_friction(const ContactMode *mode, const FrictionHold *friction, size_t count)
{
    return !friction || count == 0 ||
           (mode->friction ? memcmp(mode->friction, friction, count * sizeof *friction) == 0
                           : is_open(friction, count));
}

ContactMode *modes_get(ContactModes *modes, const bool *held, const FrictionHold *friction,
                       double t, const double *q)
{
    assert(held && q);
    size_t bytes = modes->sim->motion->side_count * sizeof *held;
    modes->used++;
    for (size_t i = 0; i < modes->count; i++)
        if (memcmp(modes->at[i]->held, held, bytes) == 0 &&
            is_same_friction(modes->at[i], friction, modes->sim->motion->friction_count)) {
            modes->at[i]->counts.used = modes->used;
            return modes->at[i];
        }
    make_room(modes);
    ContactMode *mode = make(modes, held, friction, t, q);
    if (!mode)
        return NULL;
    mode->counts.used = modes->used;
    return modes->at[modes->count++] = mode;
}

void modes_clear(ContactModes *modes)
{
    while (modes->count > 0)
        discard(modes, modes->count - 1);
    base_free(modes->at);
}
