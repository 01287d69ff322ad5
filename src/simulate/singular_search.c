// singular_search.c: where along a motion its conditions become dependent.
//
// Such a position is where the least part by which a row stands off those before it is 0, on the
// polynomial of a step. That part falls and rises like |t − t*|, so samples and how fast they
// change tell where it may vanish. The samples have signs, so that two of them with such a position
// between them show how fast it is.
#include "dynamics/independent_rows.h"
#include "linalg/tolerances.h"
#include "ode/ode.h"
#include "ode/step_polynomial.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/mode_inside_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/run_options.h"
#include "simulate/singular_parts_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

size_t singular_known(const SingularPositions *singular, const ContactMode *mode)
{
    return mode->eq->m == singular->all ? singular->all : singular->count;
}

DependentRow singular_nearest(SingularPositions *singular, ContactMode *mode, double t)
{
    State *probe = mode_first_probe(mode);
    size_t bytes = mode->eq->n * sizeof(double);
    mode_interpolate(mode, t, singular->y, singular->rate);
    *probe->t = t;
    memcpy(probe->q, singular->y, bytes);
    memcpy(probe->v, singular->rate, bytes);
    // Far beyond the step a polynomial says nothing of the sizes.
    bool inside = t <= mode->t;
    memcpy(singular->kept, singular->longest, singular->all * sizeof *singular->kept);
    return independent_rows_nearest(
        mode->eq, probe, singular->count, singular_known(singular, mode),
        inside ? singular->longest : singular->kept, singular->pivots, singular->left);
}

double singular_distance(SingularPositions *singular, ContactMode *mode, double t)
{
    singular_nearest(singular, mode, t);
    return fabs(singular->left[singular->row]) / singular->longest[singular->row];
}

// Both sides are lines near to it.
static double improve(SingularPositions *singular, ContactMode *mode, double at, double length)
{
    for (double aside = TOL_COARSE * length; aside >= TOL_SMALL * length; aside *= TOL_COARSE) {
        double before = singular_distance(singular, mode, at - aside),
               after = singular_distance(singular, mode, at + aside);
        double better = at + (before + after > 0 ? aside * (before - after) / (before + after) : 0);
        if (singular_distance(singular, mode, better) <= singular_distance(singular, mode, at))
            at = better;
    }
    return at;
}

// How many times as fast as its pace what is left of a row may change. A step that is not of a
// series may leave by another branch, where it does so several times as fast.
static double hastiest(const ContactMode *mode)
{
    return mode->settings->method == RUN_TAYLOR ? 2 : 2 * LIMIT_PATIENCE;
}

// Where it is least between two times, by golden sections: it falls and rises like |t − t*|. The
// search ends early where it is too large to be 0 between them, fast as it may change.
double singular_least_at(SingularPositions *singular, ContactMode *mode, double low, double high)
{
    assert(low <= high);
    double part = 2 / (1 + sqrt(5)), length = high - low;
    double a = high - part * (high - low), b = low + part * (high - low);
    double at_a = singular_distance(singular, mode, a), at_b = singular_distance(singular, mode, b);
    double pace =
        hastiest(mode) * singular->paces[singular->row] / singular->longest[singular->row];
    for (size_t i = 0; i < LIMIT_STEPS && fmin(at_a, at_b) <= pace * (high - low); i++) {
        if (at_a <= at_b) {
            high = b;
            b = a;
            at_b = at_a;
            at_a = singular_distance(singular, mode, a = high - part * (high - low));
        } else {
            low = a;
            a = b;
            at_a = at_b;
            at_b = singular_distance(singular, mode, b = low + part * (high - low));
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
    singular_nearest(singular, mode, sample->t);
    memcpy(sample->left, singular->left, singular->count * sizeof *sample->left);
}

static void measure_paces(SingularPositions *singular, const Sample *low, const Sample *high)
{
    for (size_t i = 0; i < singular->count; i++) {
        double pace = fabs(high->left[i] - low->left[i]) / (high->t - low->t);
        singular->paces[i] = fmax(singular->paces[i], pace);
    }
}

// The row of which nothing may be left between two samples: the one with least room for it. False:
// there is none.
static bool may_vanish(SingularPositions *singular, const ContactMode *mode, const Sample *low,
                       const Sample *high)
{
    double least = 1, length = (high->t - low->t) * hastiest(mode);
    for (size_t i = 0; i < singular->count; i++) {
        double room = (fabs(low->left[i]) + fabs(high->left[i])) / (singular->paces[i] * length);
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
    if (!may_vanish(singular, mode, low, high))
        return INFINITY;
    if (deeper == 0) {
        double at = singular_least_at(singular, mode, low->t, high->t);
        return singular_distance(singular, mode, at) <= TOL_COARSE ? at : INFINITY;
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

double singular_find(SingularPositions *singular, ContactMode *mode, double from, double until)
{
    assert(from < until);
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
    // Beyond the step the polynomial shows what may come, but not that there is nothing.
    singular->seen = mode->t;
    for (size_t i = 0; i + 1 < SAMPLES && !isfinite(at); i++) {
        at = find_between(singular, mode, &samples[i], &samples[i + 1], LIMIT_PATIENCE / 2);
        at = at > from + TOL_COARSE * step ? at : INFINITY;
    }
    return at;
}

double singular_last_terms(SingularPositions *singular, ContactMode *mode)
{
    size_t n = mode->eq->n, width = n + mode->eq->k;
    double length = mode->t - mode->from, last = 0, first = 0;
    double *rows = singular->terms;
    const double *scale = mode_first_probe(mode)->scale;
    size_t degree = ode_integrator_polynomial(mode->integrator, mode->from, length, rows);
    for (size_t j = 0; j < n && degree > 1; j++) {
        first = fmax(first, fabs(rows[width + j]) / scale[j]);
        for (size_t k = degree - 1; k <= degree; k++)
            last = fmax(last, (double)k * fabs(rows[k * width + j]) / scale[j]);
    }
    return last > 0 ? last / first : 0;
}

double singular_reach(SingularPositions *singular, ContactMode *mode)
{
    size_t order = ode_integrator_statistics(mode->integrator).order;
    double last = fmax(singular_last_terms(singular, mode), DBL_MIN);
    double far = pow(TOL_COARSE / last, 1 / (double)(order > 1 ? order : 1));
    return mode->from + fmax(far, 1) * (mode->t - mode->from);
}

void singular_count_as_none(SingularPositions *singular, double left)
{
    for (size_t i = 0; i < singular->all; i++)
        singular->longest[i] *= fmax(1, 2 * left / TOL_SMALL);
    singular_clear(singular);
}

// At the end of the last step, where the state is known without the polynomial.
static void sample_end(SingularPositions *singular, ContactMode *mode, Sample *sample)
{
    State *probe = mode_first_probe(mode);
    *probe->t = mode->t;
    memcpy(probe->q, mode->y, mode->eq->n * sizeof *probe->q);
    independent_rows_nearest(mode->eq, probe, singular->count, singular_known(singular, mode),
                             singular->longest, singular->pivots, sample->left);
}

// Methods without series may come to such a position in ever shorter steps, and leave it on another
// branch: errors of the state make of xy = 0 a bend xy = e at the distance √e. True where what is
// left of a row was least between the last two steps, and no more than such errors leave.
static bool turned_near(SingularPositions *singular, const ContactMode *mode, const Sample *low,
                        const Sample *high)
{
    bool turned = false;
    double nothing = sqrt(EVENT_MARGIN * mode->settings->tolerance);
    for (size_t i = 0; i < singular->count; i++) {
        bool falls = fabs(high->left[i]) < fabs(low->left[i]);
        bool near = fabs(low->left[i]) <= nothing * singular->longest[i];
        if (singular->falls[i] && !falls && near) {
            singular->row = i;
            turned = true;
        }
        singular->falls[i] = falls;
    }
    return turned;
}

double singular_look_behind(SingularPositions *singular, ContactMode *mode)
{
    bool same = singular->mode == mode, known = same && singular->sampled <= mode->from;
    Sample low = {known ? singular->sampled : mode->from, singular->samples},
           high = {mode->t, low.left + singular->count};
    if (same && mode->settings->method == RUN_ERK && mode->t < singular->seen)
        return INFINITY;
    if (!known) {
        take_sample(singular, mode, &low);
        memset(singular->falls, 0, singular->count * sizeof *singular->falls);
    }
    sample_end(singular, mode, &high);
    for (size_t i = 0; i < singular->count; i++)
        singular->paces[i] -= singular->paces[i] / 4;
    measure_paces(singular, &low, &high);
    // Steps before the last one were not looked at, for nothing vanishes in them.
    if (low.t < mode->from && may_vanish(singular, mode, &low, &high)) {
        low.t = mode->from;
        take_sample(singular, mode, &low);
        measure_paces(singular, &low, &high);
    }
    double at = low.t < mode->from ? INFINITY : find_between(singular, mode, &low, &high, 1);
    if (turned_near(singular, mode, &low, &high) && !isfinite(at))
        at = mode->from + (mode->t - mode->from) / LIMIT_STEPS;
    memcpy(low.left, high.left, singular->count * sizeof *low.left);
    singular->sampled = mode->t;
    // Nothing vanishes sooner, fast as it may change; but the pace may do so in several steps.
    // Methods of many steps are looked at in each, for near to such a position they go astray.
    double room = LIMIT_PATIENCE * (mode->t - mode->from);
    for (size_t i = 0; i < singular->count; i++)
        room =
            fmin(room, fabs(high.left[i]) / (LIMIT_PATIENCE * hastiest(mode) * singular->paces[i]));
    singular->seen = mode->t + room;
    singular->mode = mode;
    return at > mode->from ? at : INFINITY;
}
