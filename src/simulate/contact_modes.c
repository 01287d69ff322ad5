// contact_modes.c: the legs that a run has gone, each made when it is first needed.
//
// A leg holds some of the one-sided conditions as equations. It is a motion of its own, with fewer
// speeds, so that what is held neither drifts nor sinks in; everything that runs a motion runs it.
#include "dynamics/form_driver.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"

#include <math.h>
#include <string.h>

// So many are kept, or of large systems as many as have so many entries in their matrices; of more,
// the one that was not used for longest is given up.
#define MOST_LEGS    64
#define LEAST_LEGS   3
#define MOST_ENTRIES 1e7

static void run_leg_free(Run *run)
{
    Motion *motion = run->motion;
    run_free(run);
    motion_free(motion);
}

// What is held is measured as it was before: all of its terms may vanish where it touches.
static void measure(Run *run, const double *sizes)
{
    const Motion *motion = run->motion;
    for (size_t i = 0; i < run->eq.finite; i++)
        for (size_t j = 0; j < motion->side_count; j++)
            if (run->eq.finite_conditions[i] == motion->sides[j].constraint)
                positions_measure_at_least(&run->state, i, sizes[j]);
}

// Large systems with few entries carry all velocities: a choice among them, and what follows from
// it, would cost more than all else, and be poor somewhere along a rope. Only series tell what is
// inside a step so well that it can be put back onto the conditions.
static bool is_large(const Run *base, const bool *held)
{
    const Motion *motion = base->motion;
    const Equations *eq = &base->eq;
    size_t n = motion->n, rows = 0, filled = pattern_count(&eq->inertia_pattern);
    if (base->settings.method != RUN_TAYLOR || base->settings.driven || eq->nonlinear ||
        !eq->sparse_velocities || !eq->sparse_forces)
        return false;
    for (size_t i = 0; i < motion->side_count; i++) {
        const uint32_t *unread;
        rows += held[i];
        if (held[i])
            filled += 2 * unilaterals_coordinates(&base->contacts.unilaterals, i, &unread);
    }
    return sparse_pays(n + motion->m + rows, filled + 2 * eq->velocity_pattern.begins[motion->m],
                       true);
}

// Equations that depend on each other may be more than the coordinates, with what is held. Those
// that follow from others are then left out; true where there are any.
static bool leave_out(const Run *base, const bool *held, bool *left_out)
{
    const Motion *motion = base->motion;
    const Equations *eq = &base->eq;
    size_t rows = motion->m;
    for (size_t i = 0; i < motion->side_count; i++)
        rows += held[i];
    if (rows <= motion->n)
        return false;
    memset(left_out, 1, motion->m * sizeof *left_out);
    for (size_t i = 0; i < eq->independent.count; i++)
        left_out[eq->independent.rows[i]] = false;
    return true;
}

static Status hold(Run *run, const Run *base, const bool *held, Diag *diag)
{
    bool *left_out = base_alloc((base->motion->m + 1) * sizeof *left_out);
    MotionHold wish = {.held = held, .without_speeds = is_large(base, held)};
    if (leave_out(base, held, left_out))
        wish.left_out = left_out;
    Status status = motion_holding(base->motion, wish, diag, &run->motion);
    base_free(left_out);
    return status;
}

static Status make_run(Run *run, const Run *base, const bool *held, const double *sizes, double t,
                       const double *q, Diag *diag)
{
    TRY(hold(run, base, held, diag));
    TRY(equations_init(&run->eq, run->motion, diag));
    if (run->settings.driven)
        TRY(form_driver_prepare(&run->eq, run->motion, run->settings.form, diag));
    state_init(&run->state, &run->eq);
    measure(run, sizes);
    TRY(columns_init(&run->columns, &run->eq, base->motion, run->settings.residuals, diag));
    size_t bytes = run->eq.n * sizeof *q;
    memcpy(run->state.scale, base->state.scale, bytes);
    *run->state.t = t;
    memcpy(run->state.q, q, bytes);
    // What depends on the conditions before it is left out; the start has said so.
    Diag *unheard = diag_new();
    Status status = independent_rows_find(&run->eq, &run->state, true, unheard);
    diag_free(unheard);
    return status;
}

static ContactMode *make(ContactModes *modes, const bool *held, double t, const double *q)
{
    Run *base = modes->run, *run = base;
    bool any = false;
    for (size_t i = 0; i < base->motion->side_count; i++)
        any = any || held[i];
    if (any) {
        run = base_alloc(sizeof *run);
        run->settings = base->settings;
        run->audit = base->audit;
        run->stop = base->stop;
        if (make_run(run, base, held, modes->sizes, t, q, modes->diag) != STATUS_OK) {
            run_leg_free(run);
            return NULL;
        }
    }
    ContactMode *mode = base_alloc(sizeof *mode);
    if (!mode_init(mode, run, modes->diag)) {
        diag_error(modes->diag, place_none(), "the integrator could not be set up");
        mode_clear(mode);
        base_free(mode);
        if (any)
            run_leg_free(run);
        return NULL;
    }
    mode->is_base = !any;
    size_t bytes = (base->motion->side_count + 1) * sizeof *held;
    mode->held = memcpy(base_alloc(bytes), held, bytes - sizeof *held);
    mode->speed_changes = &modes->speed_changes;
    engine_begin(run, modes->diag);
    return mode;
}

// ---- Counting.

static void add_counts(const ContactMode *mode, RunSummary *summary)
{
    OdeStatistics counts = ode_integrator_statistics(mode->integrator);
    summary->steps += counts.steps;
    summary->rejected += counts.rejected;
    if (counts.order > summary->order)
        summary->order = counts.order;
    summary->evaluations += mode->state->evaluations + mode->strategy.evaluations;
    summary->stiff = summary->stiff || counts.stiff;
}

void modes_count(const ContactModes *modes, RunSummary *summary)
{
    summary->steps = modes->given_up.steps;
    summary->rejected = modes->given_up.rejected;
    summary->order = modes->given_up.order;
    summary->evaluations = modes->given_up.evaluations;
    summary->stiff = modes->given_up.stiff;
    summary->speed_changes = modes->speed_changes;
    for (size_t i = 0; i < modes->count; i++)
        add_counts(modes->at[i], summary);
}

// ---- Keeping.

static void discard(ContactModes *modes, size_t index)
{
    ContactMode *mode = modes->at[index];
    add_counts(mode, &modes->given_up);
    mode_clear(mode);
    if (!mode->is_base)
        run_leg_free(mode->run);
    base_free((void *)mode->held);
    base_free(mode);
    modes->at[index] = modes->at[--modes->count];
}

static void make_room(ContactModes *modes)
{
    double n = (double)modes->run->eq.n, most = MOST_ENTRIES / (n * n + 1);
    if (!modes->at)
        modes->at = base_alloc(MOST_LEGS * sizeof *modes->at);
    if ((double)modes->count < fmin(fmax(most, LEAST_LEGS), MOST_LEGS))
        return;
    size_t oldest = 0;
    for (size_t i = 1; i < modes->count; i++)
        if (modes->at[i]->used < modes->at[oldest]->used)
            oldest = i;
    discard(modes, oldest);
}

ContactMode *modes_get(ContactModes *modes, const bool *held, double t, const double *q)
{
    size_t bytes = modes->run->motion->side_count * sizeof *held;
    modes->used++;
    for (size_t i = 0; i < modes->count; i++)
        if (memcmp(modes->at[i]->held, held, bytes) == 0) {
            modes->at[i]->used = modes->used;
            return modes->at[i];
        }
    make_room(modes);
    ContactMode *mode = make(modes, held, t, q);
    if (!mode)
        return NULL;
    mode->used = modes->used;
    return modes->at[modes->count++] = mode;
}

void modes_clear(ContactModes *modes)
{
    while (modes->count > 0)
        discard(modes, modes->count - 1);
    base_free(modes->at);
}
