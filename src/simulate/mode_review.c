// mode_review.c: a contact mode after a step: whether its speeds and rates are good from here on,
// and whether the speeds were good all along the step.
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/form_driver.h"
#include "dynamics/rate_strategy.h"
#include "dynamics/speed_choice.h"
#include "linalg/tolerances.h"
#include "ode/ode.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/mode_inside_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/run_options.h"
#include "simulate/singular_positions_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// For how many steps the speeds stay good, at the pace at which their conditioning has changed.
// Steps that are not of a series reach beyond a singularity of the speeds, and speeds that were
// poor once will be so again.
static size_t good_for(ContactMode *mode, double now)
{
    SpeedReview *review = &mode->review;
    const Equations *eq = mode->eq;
    // Velocities of all coordinates are as good everywhere. A second look at one state, as behind a
    // switch, tells no pace.
    bool again = review->at == mode->t;
    bool same = now == review->conditioning && eq->k == eq->n && !again;
    if (mode->settings->method != RUN_TAYLOR) {
        if (!again)
            review->change = review->conditioning > 0 ? fabs(now - review->conditioning) : INFINITY;
        review->conditioning = now;
        return mode->settings->method == RUN_ERK && same ? LIMIT_STEPS : 0;
    }
    double change = fabs(now - review->conditioning) / (double)(review->skipped + 1);
    // Where it is best it hardly changes, and falls soon after: a review forgets no more than a
    // quarter of the pace. The first one tells none.
    bool first = review->conditioning == 0;
    change = fmax(change, review->change - review->change / 4);
    review->change = first ? 0 : change;
    review->conditioning = now;
    double most = review->changed ? 1 : LIMIT_STEPS;
    return (size_t)fmax(fmin((now - TOL_POOR) / (2 * change), most), 0);
}

// Where the speeds are the velocities they are as good everywhere, and the rates tell the
// accelerations; false where that is not so.
static bool update_scale_by_rates(ContactMode *mode)
{
    State *state = mode->state;
    size_t n = mode->eq->n;
    double *rates = mode->inside.rate;
    RunMethod method = mode->settings->method;
    if ((method != RUN_ERK && method != RUN_TAYLOR) || mode->review.conditioning == 0 ||
        !strategy_has_velocities(mode->strategy) ||
        !strategy_rate(mode->strategy, mode->t, mode->y, rates))
        return false;
    memcpy(state->q, mode->y, n * sizeof *rates);
    memcpy(state->v, rates, n * sizeof *rates);
    memcpy(state->a, rates + n, n * sizeof *rates);
    error_scale_update(mode->scale, state, mode->y + n);
    return true;
}

// Other speeds where these have become poor; *changed where they were taken.
bool mode_review_speeds(ContactMode *mode, bool *changed)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    SpeedReview *review = &mode->review;
    double step = ode_integrator_next_step(mode->integrator);
    *changed = false;
    // A step of a series that has become much shorter is bounded by the speeds' singularity.
    if (review->skipped < review->good && step >= review->step / 2) {
        review->skipped++;
        return true;
    }
    review->step = step;
    if (update_scale_by_rates(mode)) {
        review->good = LIMIT_STEPS;
        review->skipped = 0;
        return true;
    }
    double now = fabs(review->oriented = mode_conditioning_at(mode, mode->t, mode->y));
    // The inertia has grown since velocities were first measured by it.
    if (now < TOL_POOR && state->speeds.relative &&
        dynamics_accelerations(eq, state, NULL) == DYNAMICS_FOUND &&
        conditioning_measure_again(eq, state))
        now = fabs(review->oriented = mode_conditioning_at(mode, mode->t, mode->y));
    review->good = good_for(mode, now);
    review->at = mode->t;
    review->skipped = 0;
    // Velocities that follow from the speeds may have lost more digits than the last step's slope.
    if (now < TOL_SPEEDS && mode->inside.known) {
        mode_slope(mode, mode->t);
        memcpy(state->v, mode->inside.rate, eq->n * sizeof *state->v);
    }
    *changed = conditioning_improve(eq, state, now);
    if (*changed) {
        review->at = NAN;
        mode->counts.speed_changes++;
        review->changed = review->taken = true;
        review->good = 0;
        return mode_start_integrator(mode, false, ode_integrator_next_step(mode->integrator));
    }
    // Where this fails, the next step will find out and say so.
    if (now > 0 && mode_accelerate(mode)) {
        error_scale_update(mode->scale, state, mode->y + eq->n);
        if (conditioning_measure_again(eq, state))
            review->at = NAN;
    }
    return true;
}

// Other rates where these have become poor; whether they were.
static bool review_rates(ContactMode *mode)
{
    if (!strategy_is_poor(mode->strategy, mode->t, mode->y))
        return false;
    if (mode_evaluate_at(mode, mode->t, mode->y))
        strategy_renew(mode->strategy, mode->t);
    else
        strategy_give_up(mode->strategy, mode->t);
    return true;
}

// The speeds first: they may need what the integrator knows of its last step. Whole turns are taken
// off angles. A multistep method keeps its past states, and needs them as they were.
bool mode_review(ContactMode *mode)
{
    assert(mode->stepped);
    bool speeds;
    if (!mode_review_speeds(mode, &speeds))
        return false;
    if (mode_improve_form(mode, false))
        return mode_start_integrator(mode, false, ode_integrator_next_step(mode->integrator));
    bool rates = !speeds && review_rates(mode), series = mode->settings->method == RUN_TAYLOR;
    bool turned = series && turns_take(mode->turns, mode->y);
    return !(series && (rates || turned)) ||
           ode_integrator_start(mode->integrator, mode->t, mode->y,
                                ode_integrator_next_step(mode->integrator));
}

// ---- Speeds that are singular inside a step.

// The conditioning changes too slowly for that: steps grow by a small factor.
static bool is_far_from_singular(const SpeedReview *review)
{
    return review->conditioning - 8 * review->change > TOL_POOR;
}

// With its sign, at a time and state of the last step.
static double conditioning_of(ContactMode *mode, double t, const double *y)
{
    const Equations *eq = mode->eq;
    State *probe = mode_probe(mode);
    bool found = dynamics_velocities(eq, probe, t, y, y + eq->n) == DYNAMICS_FOUND;
    return found ? conditioning_oriented(eq, probe) : 0;
}

// At the beginning of the last step; the review there may have told it.
static double conditioning_before(ContactMode *mode)
{
    if (mode->review.at == mode->from)
        return mode->review.oriented;
    mode_interpolate_step(mode, mode->from);
    return conditioning_of(mode, mode->from, mode->inside.y);
}

bool mode_passes_poor_speeds(ContactMode *mode)
{
    const Equations *eq = mode->eq;
    bool always_good = strategy_has_velocities(mode->strategy) || eq->all_velocities ||
                       eq->sparse_velocities || eq->k == 0;
    if (always_good || mode->inside.start || !mode->inside.known || mode->t <= mode->from ||
        is_far_from_singular(&mode->review))
        return false;
    double before = conditioning_before(mode);
    // Speeds that were poor before are the best there are.
    if (fabs(before) < TOL_POOR)
        return false;
    // Those that tell the velocities at the end with a digit less are worth another choice, once.
    double after = conditioning_of(mode, mode->t, mode->y);
    double least = mode->review.retaken == mode->from ? TOL_SPEEDS : TOL_POOR;
    return before * after <= 0 || fabs(after) < least;
}

bool mode_retake_step(ContactMode *mode, double *until)
{
    const Equations *eq = mode->eq;
    State *state = mode->state, *probe = mode_probe(mode);
    double reached = mode->t, next = ode_integrator_next_step(mode->integrator);
    size_t n = eq->n;
    dynamics_velocities(eq, probe, mode->t, mode->y, mode->y + n);
    if (!mode_go_back(mode) ||
        dynamics_velocities(eq, state, mode->t, mode->y, mode->y + n) != DYNAMICS_FOUND)
        return false;
    if (!conditioning_span(eq, state, probe)) {
        *until = mode->t + (reached - mode->t) / 2;
        return true;
    }
    mode->counts.speed_changes++;
    mode->review.changed = mode->review.taken = true;
    mode->review.retaken = mode->t;
    mode->review.conditioning = 0;
    mode->review.at = NAN;
    mode->review.good = 0;
    form_driver_improve(mode->eq, state, false);
    return mode_start_integrator(mode, false, fmin(next, reached - mode->t));
}
