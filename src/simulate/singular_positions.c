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
#include "dynamics/tangent_cone.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "ode/ode.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/narrow_functions_impl.h"
#include "simulate/run_leave.h"
#include "simulate/run_options.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/singular_positions_impl.h"
#include "simulate/switch_functions_impl.h"

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
    double sampled;          // the end of the step last looked at, without a series
    size_t tries;            // of such a step
    bool crossed, fails;     // the last step went across it; there is no such step
    size_t count;            // of the rows that are looked at: those of no contact
    double *longest, *kept;  // of each row
    double *left, *paces;    // what is left of it without those before it; how fast that changes
    double *samples;         // of that
    size_t row;              // which is followed
    double *y, *rate;        // a state on the polynomial
    Arena *arena;            // of the cone at the position; NULL: it was not asked for
    TangentCone cone;
    const double *branch; // n: the velocities with which the motion leaves it; NULL: its own
};

SingularPositions *singular_new(Arena *arena, const Simulation *sim)
{
    const Equations *eq = sim->base->eq;
    assert(arena && eq->n > 0);
    if (sim->settings.method == RUN_TIMESTEPPING || eq->m == 0 || !independent_rows_are_all(eq))
        return NULL;
    SingularPositions *singular = arena_array(arena, SingularPositions, 1);
    *singular = (SingularPositions){.at = INFINITY, .count = eq->m};
    real_alloc_each(arena, 2 * eq->n, &singular->longest, &singular->kept, &singular->y,
                    &singular->rate, &singular->left, &singular->paces);
    singular->samples = real_alloc(arena, SAMPLES * eq->m);
    return singular;
}

void singular_clear(SingularPositions *singular)
{
    if (singular)
        arena_free(singular->arena);
    if (singular)
        singular->arena = NULL;
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
    mode_interpolate(mode, t, singular->y, singular->rate);
    *probe->t = t;
    memcpy(probe->q, singular->y, bytes);
    memcpy(probe->v, singular->rate, bytes);
    // Far beyond the step a polynomial says nothing of the sizes.
    bool inside = t <= mode->t;
    size_t count = singular->count;
    memcpy(singular->kept, singular->longest, count * sizeof *singular->kept);
    return independent_rows_nearest(mode->eq, probe, count,
                                    inside ? singular->longest : singular->kept, singular->left);
}

// What is left of the row that is followed, as a part of the largest that it has been.
static double distance(SingularPositions *singular, ContactMode *mode, double t)
{
    nearest(singular, mode, t);
    return singular->left[singular->row] / singular->longest[singular->row];
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
    double pace = 2 * singular->paces[singular->row] / singular->longest[singular->row];
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

// What is left of every row at a time.
typedef struct {
    double t, *left;
} Sample;

static void take_sample(SingularPositions *singular, ContactMode *mode, Sample *sample)
{
    nearest(singular, mode, sample->t);
    memcpy(sample->left, singular->left, singular->count * sizeof *sample->left);
}

static void measure_paces(SingularPositions *singular, const Sample *low, const Sample *high)
{
    for (size_t i = 0; i < singular->count; i++) {
        double pace = fabs(high->left[i] - low->left[i]) / (high->t - low->t);
        singular->paces[i] = fmax(singular->paces[i], pace);
    }
}

// The row of which nothing may be left between two samples, if it changes no faster than twice its
// pace: the one with least room for it. False: there is none.
static bool may_vanish(SingularPositions *singular, const Sample *low, const Sample *high)
{
    double least = 1, length = high->t - low->t;
    for (size_t i = 0; i < singular->count; i++) {
        double room = (low->left[i] + high->left[i]) / (2 * singular->paces[i] * length);
        if (room <= least) {
            least = room;
            singular->row = i;
        }
    }
    return least < 1;
}

// The first position between two samples at which nothing is left of a row; infinite for none.
static double find_between(SingularPositions *singular, ContactMode *mode, const Sample *low,
                           const Sample *high, size_t deeper)
{
    if (!may_vanish(singular, low, high))
        return INFINITY;
    if (deeper == 0) {
        double at = least_at(singular, mode, low->t, high->t);
        return distance(singular, mode, at) <= TOL_COARSE ? at : INFINITY;
    }
    double *left = base_alloc((singular->count + 1) * sizeof *left);
    Sample middle = {(low->t + high->t) / 2, left};
    take_sample(singular, mode, &middle);
    measure_paces(singular, low, &middle);
    measure_paces(singular, &middle, high);
    double at = find_between(singular, mode, low, &middle, deeper - 1);
    if (!isfinite(at))
        at = find_between(singular, mode, &middle, high, deeper - 1);
    base_free(left);
    return at;
}

// The first position between two times; at the beginning it is what it is.
static double find(SingularPositions *singular, ContactMode *mode, double from, double until)
{
    double step = (until - from) / (SAMPLES - 1), at = INFINITY;
    Sample samples[SAMPLES];
    for (size_t i = 0; i < SAMPLES; i++) {
        samples[i] = (Sample){from + (double)i * step, singular->samples + i * singular->count};
        take_sample(singular, mode, &samples[i]);
    }
    for (size_t i = 0; i < singular->count; i++)
        singular->paces[i] -= singular->paces[i] / 4;
    for (size_t i = 0; i + 1 < SAMPLES; i++)
        measure_paces(singular, &samples[i], &samples[i + 1]);
    // What is between the last two is looked at by the next search again.
    singular->seen = until - step;
    for (size_t i = 0; i + 1 < SAMPLES && !isfinite(at); i++) {
        at = find_between(singular, mode, &samples[i], &samples[i + 1], LIMIT_PATIENCE / 2);
        at = at > from + TOL_COARSE * step ? at : INFINITY;
    }
    return at;
}

// What is left of the rows counts as none.
static void count_as_none(SingularPositions *singular, double left)
{
    for (size_t i = 0; i < singular->count; i++)
        singular->longest[i] *= fmax(1, 2 * left / TOL_SMALL);
    singular_clear(singular);
}

// ---- Its branches.

// The state at the position, as the polynomial has it.
static void go_to_position(SingularPositions *singular, ContactMode *mode)
{
    nearest(singular, mode, singular->at);
}

static const TangentCone *cone(SingularPositions *singular, ContactMode *mode)
{
    if (singular->arena)
        return &singular->cone;
    singular->arena = arena_new();
    go_to_position(singular, mode);
    double *v = real_alloc(singular->arena, mode->eq->n);
    memcpy(v, singular->rate, mode->eq->n * sizeof *v);
    tangent_cone_find(mode->eq, mode_probe(mode), v, singular->longest, singular->count,
                      singular->arena, &singular->cone);
    return &singular->cone;
}

// ---- By methods that have no series.

// Conditions that are not linear in the velocities have their own look.
static bool looks_behind(const ContactMode *mode)
{
    return mode->settings->method != RUN_TAYLOR && !mode->eq->nonlinear;
}

// By how much the velocities at a time inside the last step differ from others.
static double turned_at(SingularPositions *singular, ContactMode *mode, double t, const double *v)
{
    const double *scale = mode_probe(mode)->scale;
    double most = 0;
    mode_interpolate(mode, t, singular->y, singular->rate);
    for (size_t j = 0; j < mode->eq->n; j++)
        most = fmax(most, fabs(v[j] - singular->rate[j]) / scale[j]);
    return most;
}

// Whether the polynomial of the last step keeps the finite conditions, at both sides of the
// position and there. At a position the terms of a condition may all vanish.
static bool keeps_conditions(SingularPositions *singular, ContactMode *mode)
{
    const Equations *eq = mode->eq;
    State *probe = mode_probe(mode);
    double step = (mode->t - mode->from) / (2 * SAMPLES), worst = 0;
    double *sizes = base_alloc((eq->finite + 1) * sizeof *sizes);
    for (size_t i = 0; i <= 2 * SAMPLES; i++) {
        nearest(singular, mode, i < 2 * SAMPLES ? mode->from + (double)i * step : singular->at);
        positions_evaluate(probe);
        for (size_t k = 0; k < eq->finite; k++) {
            sizes[k] = fmax(sizes[k], positions_scale(eq, probe, k));
            worst = fmax(worst, fabs(positions_f(probe)[k]) / sizes[k]);
        }
    }
    base_free(sizes);
    return worst <= EVENT_MARGIN * mode->settings->tolerance;
}

static bool ends_too_near(const SingularPositions *singular, const ContactMode *mode)
{
    return mode->t - singular->at < (mode->t - mode->from) / 9;
}

// Whether the last step, which is not of a series, went across on the branch on which it came: the
// polynomial is a motion on the conditions, and the velocities at both its ends are near to those
// at the position and far from those of the other branches.
static bool went_across(SingularPositions *singular, ContactMode *mode)
{
    size_t n = mode->eq->n;
    const TangentCone *at = cone(singular, mode);
    double apart = INFINITY;
    if (at->found < 2 || at->most > (double)at->found || mode->eq->finite != mode->eq->m ||
        ends_too_near(singular, mode))
        return false;
    for (size_t i = 1; i < at->found; i++)
        apart = fmin(apart, turned_at(singular, mode, singular->at, at->branches + i * n));
    double turned = fmax(turned_at(singular, mode, mode->from, at->branches),
                         turned_at(singular, mode, mode->t, at->branches));
    return LIMIT_PATIENCE * turned < apart && keeps_conditions(singular, mode);
}

// At the end of the last step, where the state is known without the polynomial.
static void sample_end(SingularPositions *singular, ContactMode *mode, Sample *sample)
{
    State *probe = mode_probe(mode);
    *probe->t = mode->t;
    memcpy(probe->q, mode->y, mode->eq->n * sizeof *probe->q);
    independent_rows_nearest(mode->eq, probe, singular->count, singular->longest, sample->left);
}

// The position that the last step, which is not of a series, went over or came near to.
static double look_behind(SingularPositions *singular, ContactMode *mode)
{
    bool same = singular->mode == mode, known = same && singular->sampled <= mode->from;
    Sample low = {known ? singular->sampled : mode->from, singular->samples},
           high = {mode->t, low.left + singular->count};
    if (same && mode->settings->method == RUN_ERK && mode->t < singular->seen)
        return INFINITY;
    if (!known)
        take_sample(singular, mode, &low);
    sample_end(singular, mode, &high);
    for (size_t i = 0; i < singular->count; i++)
        singular->paces[i] -= singular->paces[i] / 4;
    measure_paces(singular, &low, &high);
    // Steps before the last one were not looked at, for nothing vanishes in them.
    if (low.t < mode->from && may_vanish(singular, &low, &high)) {
        low.t = mode->from;
        take_sample(singular, mode, &low);
        measure_paces(singular, &low, &high);
    }
    double at = low.t < mode->from ? INFINITY : find_between(singular, mode, &low, &high, 1);
    memcpy(low.left, high.left, singular->count * sizeof *low.left);
    singular->sampled = mode->t;
    // Nothing vanishes sooner, at twice the pace; but the pace may change in several steps. Methods
    // of many steps are looked at in each, for near to such a position they go astray.
    double room = LIMIT_PATIENCE * (mode->t - mode->from);
    for (size_t i = 0; i < singular->count; i++)
        room = fmin(room, high.left[i] / (8 * singular->paces[i]));
    singular->seen = mode->t + room;
    singular->mode = mode;
    return at > mode->from ? at : INFINITY;
}

// Whether the step is taken again and ends half way to the position, so that the next one goes well
// across.
static bool take_half_the_way(SingularPositions *singular, ContactMode *mode)
{
    singular->at = look_behind(singular, mode);
    bool again = isfinite(singular->at) && ends_too_near(singular, mode) &&
                 ++singular->tries < LIMIT_PATIENCE;
    if (again) {
        singular->length = (singular->at - mode->from) / 2;
        singular->sampled = NAN;
    }
    return again;
}

bool singular_is_met(SimulationRun *run)
{
    SingularPositions *singular = run->singular;
    ContactMode *mode = run->mode;
    // How fast the motion goes on is not seen on the conditions: the energy tells it.
    bool watched = run->summary->is_conservative && run->summary->is_watched;
    if (!singular || !looks_behind(mode) || !isfinite(singular->at))
        return false;
    // A near miss is not crossed. At the ends of the step the conditions must tell the velocities.
    double left = distance(singular, mode, singular->at);
    bool clear = 2 * left <= TOL_SMALL && distance(singular, mode, mode->from) > TOL_COARSE &&
                 distance(singular, mode, mode->t) > TOL_COARSE;
    count_as_none(singular, left);
    singular->crossed = watched && clear && went_across(singular, mode);
    singular->fails = !singular->crossed;
    singular->tries = 0;
    mode->inside.across = singular->crossed;
    return singular->fails;
}

bool singular_lies_ahead(SingularPositions *singular, ContactMode *mode)
{
    if (singular && looks_behind(mode))
        return take_half_the_way(singular, mode);
    if (!singular || isfinite(singular->at) || mode->settings->method != RUN_TAYLOR)
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

// ---- Other branches.

// What was asked for at this position: the number of a branch; 1 is the motion's own.
static size_t wanted_branch(const SingularPositions *singular, const RunOptions *settings)
{
    for (size_t i = 0; i < settings->leave_count; i++)
        if (fabs(settings->leaves[i].t - singular->at) <= TOL_COARSE * singular->length)
            return settings->leaves[i].number;
    return 1;
}

// Ends the step across at the position, where another branch was asked for.
static void take_branch(SingularPositions *singular, ContactMode *mode)
{
    size_t wanted = wanted_branch(singular, mode->settings), n = mode->eq->n;
    singular->branch = NULL;
    if (wanted == 1 || singular->at > mode->settings->to || singular->at <= mode->from)
        return;
    const TangentCone *at = cone(singular, mode);
    if (wanted > at->found)
        return;
    singular->branch = at->branches + (wanted - 1) * n;
    mode_cut_across(mode, singular->at);
}

// How far the polynomial of the last step is from the position and its branch, there; the state
// from which it began is then moved by that (q, v).
static double improve_leaving(SingularPositions *singular, ContactMode *mode, const double *from,
                              double length, double *q, double *v)
{
    double miss = 0, fastest = 0, *scale = mode_probe(mode)->scale;
    ode_integrator_interpolate(mode->integrator, singular->at, singular->y, singular->rate);
    for (size_t j = 0; j < mode->eq->n; j++) {
        double moved = from[j] - singular->y[j], turned = singular->branch[j] - singular->rate[j];
        miss = fmax(miss, fmax(fabs(moved) / length, fabs(turned)) / scale[j]);
        fastest = fmax(fastest, fabs(singular->branch[j]) / scale[j]);
        q[j] += moved + length * turned;
        v[j] += turned;
    }
    return isfinite(miss) && fastest > 0 ? miss / fastest : INFINITY;
}

// A step that begins so far behind the position, from a state on the conditions.
static bool step_beside(ContactMode *mode, double t, double end, const double *q, const double *v)
{
    const Equations *eq = mode->eq;
    State *probe = mode_probe(mode);
    size_t bytes = eq->n * sizeof *q;
    *probe->t = t;
    memcpy(probe->q, q, bytes);
    memcpy(probe->v, v, bytes);
    return (eq->finite == 0 || positions_project(eq, probe, LIMIT_STEPS) <= TOL_CONDITION) &&
           velocities_project(eq, probe) && mode_begin(mode, t, probe->q, probe->v, end - t) &&
           mode_step(mode, end) == ODE_STEPPED;
}

// The motion that leaves the position `from` by the branch: the one whose series about a state at
// this distance behind has the position and the velocities of the branch there.
static bool leave_by(SingularPositions *singular, ContactMode *mode, const double *from,
                     double length)
{
    const Equations *eq = mode->eq;
    double t = singular->at, last = INFINITY, miss = INFINITY;
    double *q = base_alloc((2 * eq->n + 1) * sizeof *q), *v = q + eq->n;
    memcpy(q, from, eq->n * sizeof *q);
    memcpy(v, singular->branch, eq->n * sizeof *v);
    real_add_times(length, v, eq->n, q);
    for (size_t i = 0; i < LIMIT_STEPS && (i == 0 || miss < last / 2); i++) {
        last = miss;
        miss = step_beside(mode, t + length, t + 2 * length, q, v)
                   ? improve_leaving(singular, mode, from, length, q, v)
                   : INFINITY;
    }
    base_free(q);
    return miss <= fmax(TOL_AGREEMENT, mode->settings->tolerance);
}

// From the position by its branch, in a step that is looked at as others are.
static bool leave(SimulationRun *run)
{
    SingularPositions *singular = run->singular;
    ContactMode *mode = run->mode;
    double t = singular->at, *from = base_alloc((mode->eq->n + 1) * sizeof *from);
    double end =
        switches_step_end(run->switches, mode, fmin(run->sim->settings.to, events_next(run)));
    double length = fmin(singular->length, end - t) / 2;
    bool left = false;
    memcpy(from, mode->y, mode->eq->n * sizeof *from);
    for (size_t i = 0; i < LIMIT_STEPS / LIMIT_PATIENCE && !left; i++, length /= 2) {
        narrow_begin_step(run->switches->narrow, mode);
        left = leave_by(singular, mode, from, length);
        if (!left)
            continue;
        singular->at = INFINITY;
        singular->seen = t + length / 2;
        mode_leave(mode, t);
        left = narrow_step_end(run->switches->narrow, mode, true) >= mode->t &&
               !singular_lies_ahead(singular, mode);
        singular->at = left ? singular->at : t;
    }
    base_free(from);
    return left;
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

static OdeOutcome step_without_series(SingularPositions *singular, ContactMode *mode, double until)
{
    double length = singular ? singular->length : 0;
    if (length > 0)
        singular->length = 0;
    return mode_step(mode, length > 0 ? fmin(until, mode->t + length) : until);
}

OdeOutcome singular_step(SingularPositions *singular, ContactMode *mode, double until)
{
    if (!singular || mode->settings->method != RUN_TAYLOR)
        return step_without_series(singular, mode, until);
    if (singular->mode != mode || !mode->stepped || mode->t >= singular->at) {
        singular->at = INFINITY;
        singular->seen = mode->t;
        singular->mode = mode;
        singular->tries = 0;
        singular_clear(singular);
    }
    singular->crossed = false;
    double begin = begin_across(singular);
    if (mode->t < begin * (1 - TOL_ROUNDING))
        return mode_step(mode, fmin(until, begin));
    OdeOutcome outcome = cross(singular, mode, until);
    if (singular->crossed)
        take_branch(singular, mode);
    return outcome;
}

// ---- What is said of it.

// The constraints that become dependent there.
static void add_names(SingularPositions *singular, ContactMode *mode, Text *text)
{
    DependentRow dependent = nearest(singular, mode, singular->at);
    independent_rows_add_names(mode->eq, mode_probe(mode), &dependent, text);
}

static void record(SimulationRun *run)
{
    SingularPositions *singular = run->singular;
    Text names = {0};
    const TangentCone *at = cone(singular, run->mode);
    add_names(singular, run->mode, &names);
    record_event(run, &(RunEvent){.t = singular->at,
                                  .kind = RUN_SINGULAR,
                                  .what = names.at,
                                  .before = at->branches,
                                  .after = singular->branch ? singular->branch : at->branches,
                                  .cone = at});
    text_clear(&names);
}

static RunResult cannot_leave(SimulationRun *run, double t)
{
    Text reason = {0};
    text_add(&reason, "there no motion was found that leaves by the branch asked for");
    return failure_report(run, t, &reason);
}

// The rows on both sides, and the step that leaves.
static RunResult turn(SimulationRun *run)
{
    ContactMode *mode = run->mode;
    double t = mode->t;
    bool last;
    RunResult result = record_rows(run, true);
    bool is_row = record_is_row(run, t);
    if (result == RESULT_CONTINUE && !mode_evaluate(mode, t))
        result = RESULT_FAILED;
    if (result == RESULT_CONTINUE)
        result = record_row(run, !is_row);
    if (result != RESULT_CONTINUE)
        return result;
    record_next_row(run, &last);
    run->row += is_row;
    record(run);
    if (is_row && last)
        return RESULT_FINISHED;
    if (!leave(run))
        return cannot_leave(run, t);
    run->singular->branch = NULL;
    result = mode_evaluate(mode, t) ? record_row(run, true) : RESULT_FAILED;
    return result == RESULT_CONTINUE ? events_process(run) : result;
}

bool singular_passes(SimulationRun *run, RunResult *result)
{
    SingularPositions *singular = run->singular;
    if (!singular || !singular->crossed || singular->at > run->mode->t)
        return false;
    bool turns = singular->branch != NULL;
    singular->crossed = false;
    if (turns)
        *result = turn(run);
    else
        record(run);
    return turns;
}

// Whether the last step ended so near to one that this is why there is no other.
static bool ends_near(SingularPositions *singular, ContactMode *mode)
{
    // Conditions that are not linear in the velocities have their own reason.
    if (!mode->stepped || mode->eq->nonlinear)
        return false;
    singular->at = mode->t;
    double left = nearest(singular, mode, mode->t).distance;
    count_as_none(singular, left);
    return left <= TOL_COARSE;
}

bool singular_fails(SimulationRun *run, bool otherwise, RunResult *result)
{
    SingularPositions *singular = run->singular;
    if (!singular || !(singular->fails || (otherwise && ends_near(singular, run->mode))))
        return false;
    Text reason = {0};
    const TangentCone *at = cone(singular, run->mode);
    Text names = {0};
    add_names(singular, run->mode, &names);
    bool several = strchr(names.at, ',');
    text_addf(&reason,
              "there the constraint%s %s become%s dependent (rank %zu → %zu), and the motion does "
              "not continue smoothly",
              several ? "s" : "", names.at, several ? "" : "s", at->before, at->at);
    text_clear(&names);
    if (run->sim->settings.method != RUN_TAYLOR)
        text_add(&reason, " by this method; the default one, 'taylor', goes across where it does");
    *result = failure_report(run, singular->at, &reason);
    return true;
}
