// test_nystrom.c: steps for accelerations that do not depend on velocities: order, dense output and
// bounds against closed forms, and that steps are taken so only where the problem says so.
#include "linalg/tolerances.h"
#include "ode/step_polynomial.h"
#include "ode_case.h"
#include "test_size.h"
#include "uniform.h"

enum { BODIES = 3, N = 2 * BODIES, COUNT = 2 * N };

// Bodies on Kepler's ellipses of one centre each, of eccentricity e and semi-axis 1, from the
// nearest point on: r'' = −r/|r|³.
typedef struct {
    double e[BODIES], scale;
    size_t rates;
    bool velocities; // as if the accelerations held velocities
} Orbits;

static bool orbits_rate(void *context, double t, const double *y, double *rate)
{
    Orbits *orbits = context;
    (void)t;
    orbits->rates++;
    for (size_t i = 0; i < BODIES; i++) {
        const double *r = y + 2 * i;
        double cube = pow(r[0] * r[0] + r[1] * r[1], -1.5);
        for (size_t j = 2 * i; j < 2 * i + 2; j++) {
            rate[j] = y[N + j];
            rate[N + j] = -y[j] * cube;
        }
    }
    return true;
}

static bool orbits_is_nystrom(void *context)
{
    return !((Orbits *)context)->velocities;
}

static void orbits_error_scale(void *context, const double *y, double *scale)
{
    (void)y;
    for (size_t i = 0; i < COUNT; i++)
        scale[i] = ((Orbits *)context)->scale;
}

// By Kepler's equation E − e·sin E = t.
static void orbits_exact(const Orbits *orbits, double t, double *y)
{
    for (size_t i = 0; i < BODIES; i++) {
        double e = orbits->e[i], E = t, b = sqrt(1 - e * e);
        for (int k = 0; k < 60; k++)
            E -= (E - e * sin(E) - t) / (1 - e * cos(E));
        double slope = 1 / (1 - e * cos(E));
        y[2 * i] = cos(E) - e;
        y[2 * i + 1] = b * sin(E);
        y[N + 2 * i] = -sin(E) * slope;
        y[N + 2 * i + 1] = b * cos(E) * slope;
    }
}

static OdeIntegrator *start(Orbits *orbits, double max_step, double *y)
{
    OdeProblem problem = {.count = COUNT,
                          .tolerance = orbits->scale,
                          .max_step = max_step,
                          .smooth = true,
                          .context = orbits,
                          .program = orbits,
                          .rate = orbits_rate,
                          .is_nystrom = orbits_is_nystrom,
                          .error_scale = orbits_error_scale};
    OdeIntegrator *integrator = ode_integrator_new(ODE_ERK, &problem);
    assert_non_null(integrator);
    orbits_exact(orbits, 0, y);
    assert_true(ode_integrator_start(integrator, 0, y, 0));
    return integrator;
}

static Orbits draw(uint64_t seed, double loosest)
{
    Random random = random_seed(seed);
    Orbits orbits = {.scale = pow(10, uniform(&random, -10, loosest))};
    for (size_t i = 0; i < BODIES; i++)
        orbits.e[i] = uniform(&random, 0, 0.6);
    return orbits;
}

static double distance(const double *a, const double *b, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

// Ends and insides, and that a step takes fewer rates than where velocities enter.
static void test_solutions(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20 * test_size(); seed++) {
        Orbits orbits = draw(seed, -4), other = orbits;
        double y[COUNT], inside[COUNT], rate[COUNT], exact[COUNT], slope[COUNT], t = 0;
        double rows[(ODE_MAX_ORDER + 1) * COUNT];
        OdeIntegrator *integrator = start(&orbits, 20, y);
        size_t taken = 0;
        while (t < 20) {
            double from = t;
            size_t before = orbits.rates;
            assert_int_equal(ode_integrator_step(integrator, 20, &t, y), ODE_STEPPED);
            taken += orbits.rates - before;
            size_t degree = ode_integrator_polynomial(integrator, from, t - from, rows);
            for (int i = 0; i <= 7; i++) {
                double x = i / 7.0, at = i == 7 ? t : from + (t - from) * x, sum = 0;
                ode_integrator_interpolate(integrator, at, inside, rate);
                orbits_exact(&orbits, at, exact);
                assert_near(distance(inside, exact, COUNT), 0, 300 * orbits.scale);
                orbits_rate(&orbits, at, exact, slope);
                assert_near(distance(rate, slope, COUNT), 0, 3000 * orbits.scale);
                for (size_t j = 0; j < COUNT; j++, sum = 0) {
                    for (size_t k = degree + 1; k-- > 0;)
                        sum = sum * x + rows[k * COUNT + j];
                    assert_near(sum, inside[j], 1e-12);
                }
            }
        }
        OdeStatistics made = ode_integrator_statistics(integrator);
        assert_true(taken <= 8 * (made.steps + made.rejected) + 2);
        ode_integrator_free(integrator);
        other.rates = 0;
        t = 0;
        other.velocities = true;
        integrator = start(&other, 20, y);
        while (t < 20)
            assert_int_equal(ode_integrator_step(integrator, 20, &t, y), ODE_STEPPED);
        made = ode_integrator_statistics(integrator);
        assert_true(other.rates >= 12 * (made.steps + made.rejected));
        ode_integrator_free(integrator);
    }
}

// With steps of half the length errors at the end fall by about 2⁸, of states inside too.
static void test_order(void **state)
{
    (void)state;
    double ends[2], insides[2];
    Orbits orbits = {.e = {0.1, 0.2, 0.3}, .scale = 1e-2};
    for (int half = 0; half < 2; half++) {
        double y[COUNT], inside[COUNT], rate[COUNT], exact[COUNT], t = 0, most = 0;
        double step = half ? 0.15 : 0.3;
        OdeIntegrator *integrator = start(&orbits, step, y);
        assert_true(ode_integrator_start(integrator, 0, y, step));
        while (t < 6) {
            double from = t;
            assert_int_equal(ode_integrator_step(integrator, 6, &t, y), ODE_STEPPED);
            assert_near(t - from, step, 1e-12);
            ode_integrator_interpolate(integrator, from + 0.3 * (t - from), inside, rate);
            orbits_exact(&orbits, from + 0.3 * (t - from), exact);
            most = fmax(most, distance(inside, exact, COUNT));
            orbits_exact(&orbits, t, exact);
            ends[half] = distance(y, exact, COUNT);
        }
        insides[half] = most;
        ode_integrator_free(integrator);
    }
    assert_true(ends[0] / ends[1] > 150 && ends[0] / ends[1] < 600);
    assert_true(insides[0] / insides[1] > 100);
}

// Bounds hold the accelerations of the whole step; places are near.
static void test_bounds(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20 * test_size(); seed++) {
        Orbits orbits = draw(seed, -3);
        double y[COUNT], inside[COUNT], rate[COUNT], exact[COUNT], bends[N], t = 0;
        OdeIntegrator *integrator = start(&orbits, 10, y);
        while (t < 10) {
            double from = t;
            assert_int_equal(ode_integrator_step(integrator, 10, &t, y), ODE_STEPPED);
            assert_true(ode_integrator_bends(integrator, from, t - from, N, bends));
            for (int i = 0; i <= 20; i++) {
                double at = from + (t - from) * i / 20;
                orbits_exact(&orbits, at, exact);
                orbits_rate(&orbits, at, exact, rate);
                for (size_t j = 0; j < N; j++)
                    assert_true(fabs(rate[N + j]) * (t - from) * (t - from) <= bends[j] * 1.001);
                ode_integrator_places(integrator, at, inside, rate);
                for (size_t j = 0; j < N; j++)
                    assert_near(inside[j], exact[j], 0.02 * bends[j] + 300 * orbits.scale);
            }
        }
        ode_integrator_free(integrator);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solutions),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
