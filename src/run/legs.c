// legs.c: the legs that a run has gone, each made when it is first needed.
//
// A leg holds some of the one-sided conditions as equations. It is a motion of its own, with fewer
// speeds, so that what is held neither drifts nor sinks in; everything that runs a motion runs it.
#include "run/journey_impl.h"

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
    for (size_t i = 0; i < run->numbers.finite; i++)
        for (size_t j = 0; j < motion->side_count; j++)
            if (run->numbers.finite_conditions[i] == motion->sides[j].constraint)
                run->projector.least[i] = sizes[j];
}

// Large systems with few entries carry all velocities: a choice among them, and what follows from
// it, would cost more than all else, and be poor somewhere along a rope. Only series tell what is
// inside a step so well that it can be put back onto the conditions.
static bool is_large(const Run *base, const bool *held)
{
    const Motion *motion = base->motion;
    const Numbers *numbers = &base->numbers;
    size_t n = motion->n, rows = 0, filled = filled_count(&numbers->in_inertia);
    if (base->settings.method != RUN_TAYLOR || base->settings.driven || numbers->curved ||
        !numbers->few_in_velocities || !numbers->few_in_forces)
        return false;
    for (size_t i = 0; i < motion->side_count; i++) {
        const uint32_t *unread;
        rows += held[i];
        if (held[i])
            filled += 2 * shapes_coordinates(&base->sides.shapes, i, &unread);
    }
    return sparse_pays(n + motion->m + rows, filled + 2 * numbers->in_velocities.begins[motion->m],
                       true);
}

// Equations that depend on each other may be more than the coordinates, with what is held. Those
// that follow from others are then left out; true where there are any.
static bool leave_out(const Run *base, const bool *held, bool *left_out)
{
    const Motion *motion = base->motion;
    const Numbers *numbers = &base->numbers;
    size_t rows = motion->m;
    for (size_t i = 0; i < motion->side_count; i++)
        rows += held[i];
    if (rows <= motion->n)
        return false;
    memset(left_out, 1, motion->m * sizeof *left_out);
    for (size_t i = 0; i < numbers->needed; i++)
        left_out[numbers->needed_rows[i]] = false;
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
    TRY(numbers_init(&run->numbers, run->motion, diag));
    if (run->settings.driven)
        TRY(driver_init(&run->numbers, run->motion, run->settings.form, diag));
    projector_init(&run->projector, &run->numbers);
    projector_free_all(&run->projector, &run->numbers);
    measure(run, sizes);
    TRY(columns_init(&run->columns, &run->numbers, base->motion, run->settings.residuals, diag));
    size_t bytes = run->numbers.n * sizeof *q;
    memcpy(run->numbers.scale, base->numbers.scale, bytes);
    *run->numbers.t = t;
    memcpy(run->numbers.q, q, bytes);
    // What depends on the conditions before it is left out; the start has said so.
    Diag *unheard = diag_new();
    Status status = needed_begin(&run->numbers, &run->projector, true, unheard);
    diag_free(unheard);
    return status;
}

static Leg *make(Legs *legs, const bool *held, double t, const double *q)
{
    Run *base = legs->run, *run = base;
    bool any = false;
    for (size_t i = 0; i < base->motion->side_count; i++)
        any = any || held[i];
    if (any) {
        run = base_alloc(sizeof *run);
        run->settings = base->settings;
        run->audit = base->audit;
        run->asker = base->asker;
        if (make_run(run, base, held, legs->sizes, t, q, legs->diag) != STATUS_OK) {
            run_leg_free(run);
            return NULL;
        }
    }
    Leg *leg = base_alloc(sizeof *leg);
    if (!leg_init(leg, run, legs->diag)) {
        diag_error(legs->diag, place_none(), "the integrator could not be set up");
        leg_clear(leg);
        base_free(leg);
        if (any)
            run_leg_free(run);
        return NULL;
    }
    leg->is_base = !any;
    size_t bytes = (base->motion->side_count + 1) * sizeof *held;
    leg->held = memcpy(base_alloc(bytes), held, bytes - sizeof *held);
    leg->speed_changes = &legs->speed_changes;
    engine_begin(run, legs->diag);
    return leg;
}

// ---- Counting.

static void add_counts(const Leg *leg, RunSummary *summary)
{
    OdeStatistics counts = ode_integrator_statistics(leg->integrator);
    summary->steps += counts.steps;
    summary->rejected += counts.rejected;
    if (counts.order > summary->order)
        summary->order = counts.order;
    summary->evaluations += leg->numbers->evaluations + leg->course.evaluations;
    summary->stiff = summary->stiff || counts.stiff;
}

void legs_count(const Legs *legs, RunSummary *summary)
{
    summary->steps = legs->given_up.steps;
    summary->rejected = legs->given_up.rejected;
    summary->order = legs->given_up.order;
    summary->evaluations = legs->given_up.evaluations;
    summary->stiff = legs->given_up.stiff;
    summary->speed_changes = legs->speed_changes;
    for (size_t i = 0; i < legs->count; i++)
        add_counts(legs->at[i], summary);
}

// ---- Keeping.

static void discard(Legs *legs, size_t index)
{
    Leg *leg = legs->at[index];
    add_counts(leg, &legs->given_up);
    leg_clear(leg);
    if (!leg->is_base)
        run_leg_free(leg->run);
    base_free((void *)leg->held);
    base_free(leg);
    legs->at[index] = legs->at[--legs->count];
}

static void make_room(Legs *legs)
{
    double n = (double)legs->run->numbers.n, most = MOST_ENTRIES / (n * n + 1);
    if (!legs->at)
        legs->at = base_alloc(MOST_LEGS * sizeof *legs->at);
    if ((double)legs->count < fmin(fmax(most, LEAST_LEGS), MOST_LEGS))
        return;
    size_t oldest = 0;
    for (size_t i = 1; i < legs->count; i++)
        if (legs->at[i]->used < legs->at[oldest]->used)
            oldest = i;
    discard(legs, oldest);
}

Leg *legs_get(Legs *legs, const bool *held, double t, const double *q)
{
    size_t bytes = legs->run->motion->side_count * sizeof *held;
    legs->used++;
    for (size_t i = 0; i < legs->count; i++)
        if (memcmp(legs->at[i]->held, held, bytes) == 0) {
            legs->at[i]->used = legs->used;
            return legs->at[i];
        }
    make_room(legs);
    Leg *leg = make(legs, held, t, q);
    if (!leg)
        return NULL;
    leg->used = legs->used;
    return legs->at[legs->count++] = leg;
}

void legs_clear(Legs *legs)
{
    while (legs->count > 0)
        discard(legs, legs->count - 1);
    base_free(legs->at);
}
