// nystrom.c: explicit Runge–Kutta–Nyström steps of order 8 for q'' = f(t, q), where velocities do
// not enter: RKN8(6)9FM of Dormand, El-Mikkawy and Prince.
//
// The figures: J. R. Dormand, M. E. A. El-Mikkawy and P. J. Prince, High-order embedded
// Runge–Kutta–Nyström formulae, IMA J. Numer. Anal. 7, 1987. A step takes 8 rates, the last of
// which begins the next one, and sums of half the state, where DOP853 takes 12 of the whole; its
// errors are smaller, too. For the outer planets over 1000 years, to an error of 0.1, it needs
// half the time. The error is estimated by a comparison of order 6.
#include "ode/runge_kutta_impl.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { STAGES = 9 };

// Where in a step each stage lies; the last two are its end.
static const double nodes[STAGES] = {0, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 1, 1};
// What each stage adds up of the accelerations of those before; the last is the step's end.
static const double weights[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 800},
    {1.0 / 600, 1.0 / 300},
    {9.0 / 200, -9.0 / 100, 9.0 / 100},
    {-66701.0 / 197352, 28325.0 / 32892, -2665.0 / 5482, 2170.0 / 24669},
    {227015747.0 / 304251000, -54897451.0 / 30425100, 12942349.0 / 10141700, -9499.0 / 304251,
     539.0 / 9250},
    {-1131891597.0 / 901789000, 41964921.0 / 12882700, -6663147.0 / 3220675, 270954.0 / 644135,
     -108.0 / 5875, 114.0 / 1645},
    {13836959.0 / 3667458, -17731450.0 / 1833729, 1063919505.0 / 156478208, -33213845.0 / 39119552,
     13335.0 / 28544, -705.0 / 14272, 1645.0 / 57088},
    {223.0 / 7938, 0, 1175.0 / 8064, 925.0 / 6048, 41.0 / 448, 925.0 / 14112, 1175.0 / 72576, 0}};
// The same for the velocities at the end.
static const double velocity_weights[STAGES] = {
    223.0 / 7938, 0, 5875.0 / 36288, 4625.0 / 21168, 41.0 / 224, 4625.0 / 21168, 5875.0 / 36288,
    223.0 / 7938, 0};
// What the step has more than that of order 6, of coordinates and of velocities.
static const double differences[STAGES] = {
    223.0 / 7938 - 7987313.0 / 109941300,  0,
    1175.0 / 8064 - 1610737.0 / 44674560,  925.0 / 6048 - 10023263.0 / 33505920,
    41.0 / 448 + 497221.0 / 12409600,      925.0 / 14112 - 10023263.0 / 78180480,
    1175.0 / 72576 - 1610737.0 / 402071040};
static const double velocity_differences[STAGES] = {223.0 / 7938 - 7987313.0 / 109941300,
                                                    0,
                                                    5875.0 / 36288 - 1610737.0 / 40207104,
                                                    4625.0 / 21168 - 10023263.0 / 23454144,
                                                    41.0 / 224 + 497221.0 / 6204800,
                                                    4625.0 / 21168 - 10023263.0 / 23454144,
                                                    5875.0 / 36288 - 1610737.0 / 40207104,
                                                    223.0 / 7938 + 4251941.0 / 54970650,
                                                    -3.0 / 20};

double ode_nystrom_rates(double tolerance)
{
    assert(tolerance > 0);
    return 5.7 * pow(tolerance, -1.0 / 8);
}

// ---- Sums.

typedef RungeKuttaFour Four;
enum { FOUR = 4 };

static inline Four *four(double *at)
{
    return runge_kutta_four(at);
}

// Σ weight·acceleration of the first stages, of the parts from i on.
static inline __attribute__((always_inline)) void
add_up(const RungeKutta *method, const double *weight, size_t used, size_t i, Four *sum)
{
    double *row = method->stages + method->base.problem.count / 2 + i;
    *sum = (Four){0};
    for (size_t j = 0; j < used; j++, row += method->width)
        *sum += weight[j] * *four(row);
}

// The coordinates of a stage, with what leads there in a unit of time.
RUNGE_KUTTA_WIDE static void move(RungeKutta *method, double step, size_t stage)
{
    size_t n = method->base.problem.count / 2;
    double node = nodes[stage];
    for (size_t i = 0; i < n; i += FOUR) {
        Four sum;
        add_up(method, weights[stage], stage, i, &sum);
        sum = step * sum + node * *four(method->velocities + i);
        *four(method->sum + i) = sum;
        *four(method->next + i) = *four(method->now + i) + (step * sum + *four(method->lost + i));
    }
}

// The velocities at the end. The coordinates before them are there, and are kept.
RUNGE_KUTTA_WIDE static void accelerate(RungeKutta *method, double step)
{
    size_t n = method->base.problem.count / 2;
    for (size_t i = 0; i < n; i += FOUR) {
        double *now = method->now + n + i, *lost = method->lost + n + i;
        Four sum;
        add_up(method, velocity_weights, STAGES - 1, i, &sum);
        *four(method->sum + n + i) = sum;
        *four(method->next + n + i) = *four(now) + (step * sum + *four(lost));
    }
}

// ---- A step.

// The end lies on the accelerations of all stages but its own, which is the first of the next step.
bool nystrom_try_step(RungeKutta *method, double step, double t)
{
    size_t n = method->base.problem.count / 2, bytes = n * sizeof(double);
    double from = method->base.t;
    assert(method->nystrom && !method->base.problem.project);
    memcpy(method->velocities, method->now + n, bytes);
    memcpy(method->next + n, method->velocities, bytes);
    for (size_t i = 1; i < STAGES; i++) {
        bool end = i + 1 == STAGES;
        move(method, step, i);
        // Its last four may reach as far.
        *four(method->next + n) = *four(method->velocities);
        if (end)
            accelerate(method, step);
        if (!runge_kutta_rate(method, end ? t : from + nodes[i] * step, method->next,
                              runge_kutta_stage(method, i)))
            return false;
    }
    memcpy(method->rate, runge_kutta_stage(method, STAGES - 1), 2 * bytes);
    return true;
}

RUNGE_KUTTA_WIDE static void compare(const RungeKutta *method, double step, double *both)
{
    size_t n = method->base.problem.count / 2;
    Four sum;
    for (size_t i = 0; i < n; i += FOUR) {
        add_up(method, differences, STAGES - 2, i, &sum);
        *four(both + i) = step * sum;
    }
    for (size_t i = 0; i < n; i += FOUR) {
        add_up(method, velocity_differences, STAGES, i, &sum);
        *four(both + n + i) = sum;
    }
}

// In units of an eighth of what is allowed: errors add up over many steps.
double nystrom_error(const RungeKutta *method, double step)
{
    compare(method, step, method->difference);
    return 8 * step * runge_kutta_norm(method, method->difference);
}

// ---- Inside the last step.

static inline __attribute__((always_inline)) void take_larger(Four *a, const Four *b)
{
    typedef int64_t Mask __attribute__((vector_size(sizeof(Four))));
    Mask larger = *b > *a;
    *a = (Four)((larger & (Mask)*b) | (~larger & (Mask)*a));
}

RUNGE_KUTTA_WIDE static void bound(const RungeKutta *method, double times, size_t n, double *most)
{
    for (size_t i = 0; i < n; i += FOUR) {
        double *row = method->stages + n + i;
        Four high = *four(row), low = -high;
        for (size_t j = 1; j < STAGES; j++) {
            Four a = *four(row += method->width), other = -a;
            take_larger(&high, &a);
            take_larger(&low, &other);
        }
        Four spread = (high + low) / 2;
        take_larger(&high, &low);
        *four(most + i) = times * (high + spread);
    }
}

void nystrom_bound(const RungeKutta *method, double times, size_t count, double *bounds)
{
    size_t n = method->base.problem.count / 2;
    assert(method->nystrom && count <= n);
    bound(method, times, n, method->difference);
    memcpy(bounds, method->difference, count * sizeof *bounds);
}

// Through coordinates, velocities and accelerations at both ends goes a polynomial of degree 5.
void nystrom_places(const RungeKutta *method, double t, double *q)
{
    const DenseOutput *dense = &method->dense;
    size_t n = method->base.problem.count / 2;
    double h = dense->until - dense->from, x = h > 0 ? (t - dense->from) / h : 1;
    const double *begin = dense->begin, *end = dense->end, *first = runge_kutta_stage(method, 0),
                 *last = method->rate;
    double x2 = x * x, x3 = x2 * x, way = x3 * (10 - 15 * x + 6 * x2);
    double turn = x3 * (-4 + 7 * x - 3 * x2), bend = x3 * (1 - 2 * x + x2) / 2;
    assert(method->nystrom && h >= 0);
    for (size_t i = 0; i < n; i++) {
        double v = h * begin[n + i], a = h * h * first[n + i];
        double rest = end[i] - begin[i] - v - a / 2, faster = h * end[n + i] - v - a;
        q[i] = begin[i] + x * v + x2 / 2 * a + way * rest + turn * faster +
               bend * (h * h * last[n + i] - a);
    }
}
