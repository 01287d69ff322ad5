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
#include "dynamics/dynamics.h"
#include "dynamics/independent_rows.h"
#include "dynamics/projection.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"
#include "ode/ode.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/mode_inside_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/run_options.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/singular_parts_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

SingularPositions *singular_new(Arena *arena, const Simulation *sim)
{
    const Equations *eq = sim->base->eq;
    assert(arena && eq->n > 0);
    if (sim->settings.method == RUN_TIMESTEPPING || eq->m == 0 ||
        independent_rows_last(eq, sim->base->state))
        return NULL;
    SingularPositions *singular = arena_array(arena, SingularPositions, 1);
    *singular = (SingularPositions){.at = INFINITY,
                                    .chosen = -INFINITY,

                                    .count = eq->independent.count,
                                    .all = eq->m};
    real_alloc_each(arena, 2 * eq->n, &singular->y, &singular->rate, &singular->left,
                    &singular->paces);
    real_alloc_each(arena, eq->m, &singular->longest, &singular->kept);
    singular->samples = real_alloc(arena, SAMPLES * eq->m);
    singular->terms = real_alloc(arena, (ODE_MAX_ORDER + 1) * 2 * eq->n);
    singular->pivots = arena_array(arena, size_t, eq->m);
    singular->falls = arena_array(arena, bool, eq->m);
    singular->spares = real_alloc(arena, eq->motion->spare_count);
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

// Whether finite conditions are broken where their rows vanish on the polynomial: then the motion
// bends a little beside that place. Errors of the polynomial enter by their squares.
static bool bends_beside(SingularPositions *singular, ContactMode *mode, double at)
{
    const Equations *eq = mode->eq;
    if (eq->finite > eq->m || singular->count != eq->independent.count)
        return false;
    double *sizes = base_alloc((2 * eq->m + 1) * sizeof *sizes), *lengths = sizes + eq->m;
    singular_nearest(singular, mode, mode->from);
    finite_rows_measure(eq, mode_first_probe(mode), sizes, lengths);
    singular_nearest(singular, mode, at);
    double gap = finite_rows_gap(eq, mode_first_probe(mode), sizes, lengths);
    base_free(sizes);
    return gap > EVENT_MARGIN * mode->settings->tolerance;
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
    const double *scale = mode_first_probe(mode)->scale;
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
    State *probe = mode_first_probe(mode);
    double step = (mode->t - mode->from) / (2 * SAMPLES), worst = 0;
    double *sizes = base_alloc((eq->finite + 1) * sizeof *sizes);
    for (size_t i = 0; i <= 2 * SAMPLES; i++) {
        singular_nearest(singular, mode,
                         i < 2 * SAMPLES ? mode->from + (double)i * step : singular->at);
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
    const TangentCone *at = singular_cone(singular, mode);
    double apart = INFINITY;
    if ((at->found < 2 && !singular_is_only_of_kept(singular, mode)) ||
        at->most > (double)at->found || mode->eq->finite != mode->eq->m ||
        ends_too_near(singular, mode))
        return false;
    for (size_t i = 1; i < at->found; i++)
        apart = fmin(apart, turned_at(singular, mode, singular->at, at->branches + i * n));
    double turned = fmax(turned_at(singular, mode, mode->from, at->branches),
                         turned_at(singular, mode, mode->t, at->branches));
    return LIMIT_PATIENCE * turned < apart && keeps_conditions(singular, mode);
}

// Whether conditions that were set aside stand for others at the position, and the last step keeps
// these too: then it is one like any other.
static bool goes_by(SingularPositions *singular, ContactMode *mode)
{
    if (mode->eq->motion->spare_count == 0 || !singular_is_only_of_kept(singular, mode))
        return false;
    singular_nearest(singular, mode, mode->t);
    if (!(spare_rows_miss(mode->eq, mode_first_probe(mode)) <=
          EVENT_MARGIN * mode->settings->tolerance))
        return false;
    singular->at = INFINITY;
    singular_clear(singular);
    return true;
}

// Whether steps have become so short beside such a position that none of them goes across: the
// conditions that are kept hardly tell the velocities there, and a motion may turn back.
static bool creeps(SingularPositions *singular, ContactMode *mode)
{
    if (mode->eq->motion->spare_count == 0)
        return false;
    double before = singular_nearest(singular, mode, mode->from).distance,
           after = singular_nearest(singular, mode, mode->t).distance;
    bool slow = after < TOL_COARSE && fmax(before, after) < 2 * fmin(before, after);
    singular->slow = slow ? singular->slow + 1 : 0;
    return singular->slow >= LIMIT_PATIENCE;
}

// Whether the step is taken again and ends half way to the position, so that the next one goes well
// across.
static bool take_half_the_way(SingularPositions *singular, ContactMode *mode)
{
    singular->at = singular_look_behind(singular, mode);
    if (isfinite(singular->at) && singular_takes_others(singular, mode))
        return true;
    if (isfinite(singular->at) && goes_by(singular, mode))
        return false;
    if (!isfinite(singular->at) && creeps(singular, mode)) {
        singular->at = mode->t;
        return false;
    }
    bool again = isfinite(singular->at) && ends_too_near(singular, mode) &&
                 ++singular->tries < LIMIT_PATIENCE;
    if (again) {
        singular->length = (singular->at - mode->from) / 2;
        singular->sampled = NAN;
        singular->seen = mode->from;
    }
    return again;
}

// At the ends of the step the conditions must tell the velocities.
static bool tells_velocities(SingularPositions *singular, ContactMode *mode)
{
    return singular_distance(singular, mode, mode->from) > TOL_COARSE &&
           singular_distance(singular, mode, mode->t) > TOL_COARSE;
}

bool singular_is_met(SimulationRun *run)
{
    SingularPositions *singular = run->singular;
    ContactMode *mode = run->mode;
    // How fast the motion goes on is not seen on the conditions: the energy tells it.
    bool watched = run->summary->is_conservative && run->summary->is_watched;
    if (!singular || !looks_behind(mode) || !isfinite(singular->at))
        return false;
    // A near miss is not crossed.
    double left = singular_distance(singular, mode, singular->at);
    bool clear = 2 * left <= TOL_SMALL && tells_velocities(singular, mode);
    singular_count_as_none(singular, left);
    singular->crossed = watched && clear && !bends_beside(singular, mode, singular->at) &&
                        went_across(singular, mode);
    singular->fails = !singular->crossed;
    singular->tries = 0;
    mode->inside.across = singular->crossed;
    return singular->fails;
}

bool singular_is_seen(const SingularPositions *singular)
{
    return singular && isfinite(singular->at);
}

bool singular_lies_ahead(SingularPositions *singular, ContactMode *mode)
{
    if (singular && looks_behind(mode))
        return take_half_the_way(singular, mode);
    if (!singular || isfinite(singular->at) || mode->settings->method != RUN_TAYLOR)
        return false;
    singular->length = fmax(mode->t - mode->from, 3 * singular->length / 4);
    double from = fmax(mode->from, singular->seen);
    double until = fmin(mode->t + singular->length, singular_reach(singular, mode));
    if (until <= from)
        return false;
    singular->at = singular_find(singular, mode, from, until);
    if (isfinite(singular->at) && singular_takes_others(singular, mode))
        return true;
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
    State *probe = mode_first_probe(mode);
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

// The step from here is across. Where the sides do not agree to the tolerance, a shorter one may do
// if the series is to blame; rounding grows the nearer a step begins to the position. At last they
// must agree but for the rounding that such steps enlarge.
static OdeOutcome cross(SingularPositions *singular, ContactMode *mode, double until)
{
    double from = mode->t, tolerance = mode->settings->tolerance;
    // Beyond the end of the run nothing is known that is not known here.
    double end =
        end_across(singular) < until || until == mode->settings->to ? end_across(singular) : until;
    OdeOutcome outcome = end > singular->at ? mode_step_across(mode, end) : mode_step(mode, end);
    if (outcome == ODE_STEPPED && !mode->inside.across)
        return outcome;
    double at = singular_least_at(singular, mode, from, end);
    if (singular_distance(singular, mode, at) > TOL_SMALL || bends_beside(singular, mode, at))
        return follow_near_miss(singular, mode, until, outcome);
    double miss = outcome == ODE_STEPPED ? disagreement(singular, mode) : INFINITY;
    singular->at = at;
    bool rounding = miss <= TOL_AGREEMENT && 2 * singular_last_terms(singular, mode) <= miss;
    singular->crossed = miss <= tolerance || rounding;
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
        singular_take_branch(singular, mode);
    return outcome;
}
