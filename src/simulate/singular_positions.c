// singular_positions.c: positions at which the rank of the conditions falls, passed on the step's
// own polynomial.
//
// A linkage that lies flat, a bead at the node of its wire: there the conditions do not determine
// the velocities, and beside it they do so poorly: with e for the rounding of a state and d for the
// distance, directions are known to e/d, and terms of order p of a series to e/d^(p + 1). A motion
// that continues analytically has a series all the same, and one that begins at a distance d sums
// up to e·(1 + s/d)^p at s behind the position. So a step across begins at eight ninths of
// its length before the position and ends a ninth behind it: its state there is brought onto the
// conditions, on the branch nearest to the polynomial, and what the conditions then say of the
// velocities is compared with the polynomial's slope. Nothing is projected in between.
//
// The position is where the least part by which a row stands off those before it is 0, on the
// polynomial of the step before, and then of the step across.
#include "base/text_builder.h"
#include "dynamics/dynamics.h"
#include "dynamics/projection.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"
#include "ode/ode.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/run_options.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/singular_positions_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Of the distance, in about the length of a step.
enum { SAMPLES = LIMIT_PATIENCE };

struct SingularPositions {
    const ContactMode *mode; // of which all this is known
    double at;               // the next one that is seen; infinite for none
    double length;           // of a step across it
    double seen;             // up to here there is no other
    double pace;             // the largest at which the distance changed
    size_t tries;            // of such a step
    bool crossed, fails;     // the last step went across it; there is no such step
    size_t count;            // of the rows that are looked at: those of no contact
    double *longest, *kept;  // of each row
    double *y, *rate;        // a state on the polynomial
};

// Where conditions follow from others, the rows that stand for all of them may become dependent at
// positions that are not singular.
static bool are_all_in_use(const Equations *eq)
{
    bool all = eq->independent.count == eq->m;
    for (size_t i = 0; i < eq->motion->aside.count && all; i++)
        all = eq->motion->aside.at[i].identity;
    return all;
}

SingularPositions *singular_new(Arena *arena, const Simulation *sim)
{
    const Equations *eq = sim->base->eq;
    assert(arena && eq->n > 0);
    if (sim->settings.method != RUN_TAYLOR || eq->m == 0 || !are_all_in_use(eq))
        return NULL;
    SingularPositions *singular = arena_array(arena, SingularPositions, 1);
    *singular = (SingularPositions){.at = INFINITY, .count = eq->m};
    real_alloc_each(arena, 2 * eq->n, &singular->longest, &singular->kept, &singular->y,
                    &singular->rate);
    return singular;
}

// Where a step across begins, and where it ends.
static double begin_across(const SingularPositions *singular)
{
    return singular->at - 8 * singular->length / 9;
}

static double end_across(const SingularPositions *singular)
{
    return singular->at + singular->length / 9;
}

// ---- On the polynomial of the last step, or beyond it.

static DependentRow nearest(SingularPositions *singular, ContactMode *mode, double t)
{
    State *probe = mode_probe(mode);
    size_t bytes = mode->eq->n * sizeof(double);
    ode_integrator_interpolate(mode->integrator, t, singular->y, singular->rate);
    *probe->t = t;
    memcpy(probe->q, singular->y, bytes);
    memcpy(probe->v, singular->rate, bytes);
    // Far beyond the step a polynomial says nothing of the sizes.
    bool inside = t <= mode->t;
    size_t count = singular->count;
    memcpy(singular->kept, singular->longest, count * sizeof *singular->kept);
    return independent_rows_nearest(mode->eq, probe, count,
                                    inside ? singular->longest : singular->kept);
}

static double distance(SingularPositions *singular, ContactMode *mode, double t)
{
    return nearest(singular, mode, t).distance;
}

// Both sides are lines near to it.
static double improve(SingularPositions *singular, ContactMode *mode, double at, double length)
{
    for (double aside = TOL_COARSE * length; aside >= TOL_SMALL * length; aside *= TOL_COARSE) {
        double before = distance(singular, mode, at - aside),
               after = distance(singular, mode, at + aside);
        double better = at + (before + after > 0 ? aside * (before - after) / (before + after) : 0);
        if (distance(singular, mode, better) <= distance(singular, mode, at))
            at = better;
    }
    return at;
}

// Where it is least between two times, by golden sections: it falls and rises like |t − t*|. The
// search ends early where it is too large to be 0 between them, for it does not change faster than
// twice the pace.
static double least_at(SingularPositions *singular, ContactMode *mode, double low, double high)
{
    double part = 2 / (1 + sqrt(5)), length = high - low;
    double a = high - part * (high - low), b = low + part * (high - low);
    double at_a = distance(singular, mode, a), at_b = distance(singular, mode, b);
    double pace = 2 * singular->pace;
    for (size_t i = 0; i < LIMIT_STEPS && fmin(at_a, at_b) <= pace * (high - low); i++) {
        if (at_a <= at_b) {
            high = b;
            b = a;
            at_b = at_a;
            at_a = distance(singular, mode, a = high - part * (high - low));
        } else {
            low = a;
            a = b;
            at_a = at_b;
            at_b = distance(singular, mode, b = low + part * (high - low));
        }
    }
    double at = at_a <= at_b ? a : b;
    return fmin(at_a, at_b) <= TOL_COARSE ? improve(singular, mode, at, length) : at;
}

// The first position between two times at which it may be 0; infinite where it is not.
static double find(SingularPositions *singular, ContactMode *mode, double from, double until)
{
    double values[SAMPLES], step = (until - from) / (SAMPLES - 1);
    DependentRow rows[SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++)
        rows[i] = nearest(singular, mode, from + (double)i * step);
    singular->pace -= singular->pace / 4;
    for (size_t i = 0; i < SAMPLES; i++) {
        values[i] = rows[i].distance * rows[i].size / singular->longest[rows[i].row];
        if (i > 0)
            singular->pace = fmax(singular->pace, fabs(values[i] - values[i - 1]) / step);
    }
    // What is least between the last two belongs to the next search.
    singular->seen = until - step;
    for (size_t i = 0; i + 1 < SAMPLES; i++) {
        if ((i > 0 && values[i - 1] < values[i]) || values[i] > values[i + 1])
            continue;
        double low = from + (double)(i > 0 ? i - 1 : i) * step,
               high = from + (double)(i + 1) * step;
        double at = least_at(singular, mode, low, high);
        // At the beginning of the step it is what it is.
        if (at > from + TOL_COARSE * step && distance(singular, mode, at) <= TOL_COARSE)
            return at;
    }
    return INFINITY;
}

bool singular_lies_ahead(SingularPositions *singular, ContactMode *mode)
{
    if (!singular || isfinite(singular->at))
        return false;
    singular->length = fmax(mode->t - mode->from, 3 * singular->length / 4);
    double from = fmax(mode->from, singular->seen), until = mode->t + singular->length;
    if (until <= from)
        return false;
    singular->at = find(singular, mode, from, until);
    // Where it is too near for that, the step is shorter.
    singular->length = fmin(singular->length, 9 * (singular->at - mode->from) / 8);
    return begin_across(singular) < mode->t;
}

// ---- Across.

// By how much the sides differ at the end of the step: the position on the conditions from the one
// on the polynomial, and the velocities that the conditions allow there from its slope. As a part
// of the fastest velocity.
static double disagreement(SingularPositions *singular, ContactMode *mode)
{
    const Equations *eq = mode->eq;
    State *probe = mode_probe(mode);
    double moved = 0, turned = 0, fastest = 0, length = mode->t - mode->from;
    ode_integrator_interpolate(mode->integrator, mode->t, singular->y, singular->rate);
    if (dynamics_velocities(eq, probe, mode->t, mode->y, mode->y + eq->n) != DYNAMICS_FOUND)
        return INFINITY;
    for (size_t j = 0; j < eq->n; j++) {
        fastest = fmax(fastest, fabs(probe->v[j]) / probe->scale[j]);
        turned = fmax(turned, fabs(probe->v[j] - singular->rate[j]) / probe->scale[j]);
        moved = fmax(moved, fabs(mode->y[j] - singular->y[j]) / probe->scale[j]);
    }
    double worst = fmax(turned, moved / length);
    return worst > 0 ? worst / fastest : 0;
}

// Back to where the step began, where it was made.
static bool go_back(ContactMode *mode, OdeOutcome outcome)
{
    return outcome == ODE_STEPPED ? mode_go_back(mode) : mode_restart(mode);
}

// A position that is not singular after all is followed by ordinary steps.
static OdeOutcome follow_near_miss(SingularPositions *singular, ContactMode *mode, double until,
                                   OdeOutcome outcome)
{
    singular->seen = end_across(singular);
    singular->at = INFINITY;
    return go_back(mode, outcome) ? mode_step(mode, until) : ODE_NO_RATE;
}

// Whether a single condition is broken where its row vanishes on the polynomial: then the motion
// bends a little beside that place. By how far, as a part of the way, is the root of what is left.
static bool bends_beside(SingularPositions *singular, ContactMode *mode, double at)
{
    const Equations *eq = mode->eq;
    State *probe = mode_probe(mode);
    if (eq->finite != 1 || singular->count != 1)
        return false;
    distance(singular, mode, mode->from);
    positions_evaluate(probe);
    double size = positions_scale(eq, probe, 0);
    distance(singular, mode, at);
    positions_evaluate(probe);
    double left = sqrt(fabs(positions_f(probe)[0]) / size);
    return left > EVENT_MARGIN * mode->settings->tolerance;
}

// The step from here is across. Where the sides do not agree to the tolerance, a shorter one may
// do; at last they must agree but for the rounding that such steps enlarge.
static OdeOutcome cross(SingularPositions *singular, ContactMode *mode, double until)
{
    double from = mode->t, tolerance = mode->settings->tolerance;
    // Beyond the end of the run nothing is known that is not known here.
    double end =
        end_across(singular) < until || until == mode->settings->to ? end_across(singular) : until;
    OdeOutcome outcome = end > singular->at ? mode_step_across(mode, end) : mode_step(mode, end);
    if (outcome == ODE_STEPPED && !mode->inside.across)
        return outcome;
    double at = least_at(singular, mode, from, end);
    if (distance(singular, mode, at) > TOL_SMALL || bends_beside(singular, mode, at))
        return follow_near_miss(singular, mode, until, outcome);
    double miss = outcome == ODE_STEPPED ? disagreement(singular, mode) : INFINITY;
    singular->at = at;
    singular->crossed = miss <= tolerance;
    if (!singular->crossed && ++singular->tries < LIMIT_PATIENCE) {
        singular->length = 2 * singular->length / 3;
        return go_back(mode, outcome) ? singular_step(singular, mode, until) : ODE_NO_RATE;
    }
    singular->crossed = miss <= fmax(TOL_AGREEMENT, tolerance);
    singular->fails = !singular->crossed;
    return singular->fails ? ODE_NO_RATE : ODE_STEPPED;
}

OdeOutcome singular_step(SingularPositions *singular, ContactMode *mode, double until)
{
    if (!singular)
        return mode_step(mode, until);
    if (singular->mode != mode || !mode->stepped || mode->t >= singular->at) {
        singular->at = INFINITY;
        singular->seen = mode->t;
        singular->mode = mode;
        singular->tries = 0;
    }
    singular->crossed = false;
    double begin = begin_across(singular);
    if (mode->t < begin * (1 - TOL_ROUNDING))
        return mode_step(mode, fmin(until, begin));
    return cross(singular, mode, until);
}

// ---- What is said of it.

// The constraints that become dependent there.
static void add_names(SingularPositions *singular, ContactMode *mode, Text *text)
{
    DependentRow dependent = nearest(singular, mode, singular->at);
    independent_rows_add_names(mode->eq, mode_probe(mode), &dependent, text);
}

void singular_record(SimulationRun *run)
{
    SingularPositions *singular = run->singular;
    if (!singular || !singular->crossed || singular->at > run->mode->t)
        return;
    Text names = {0};
    add_names(singular, run->mode, &names);
    record_event(run, &(RunEvent){.t = singular->at,
                                  .kind = RUN_SINGULAR,
                                  .what = names.at,
                                  .before = singular->rate,
                                  .after = singular->rate});
    text_clear(&names);
}

bool singular_fails(SimulationRun *run, RunResult *result)
{
    SingularPositions *singular = run->singular;
    if (!singular || !singular->fails)
        return false;
    Text reason = {0};
    text_add(&reason, "there the rank of the constraints falls (");
    add_names(singular, run->mode, &reason);
    text_add(&reason, "), and the motion does not continue smoothly");
    *result = failure_report(run, singular->at, &reason);
    return true;
}
