// test_interpolant.c: functions of time as polynomials: their values, bounds, level crossings and
// extrema against closed forms; what is not smooth is seen.
#include "ode/interpolant.h"
#include "ode_case.h"

typedef double (*Function)(double t);

static OdeInterpolant fit(Function f, double from, double length, double noise)
{
    OdeInterpolantBasis basis;
    double samples[ODE_INTERPOLANT_SAMPLES];
    ode_interpolant_basis_init(&basis);
    for (size_t i = 0; i < ODE_INTERPOLANT_SAMPLES; i++) {
        assert_true(i == 0 || basis.at[i] > basis.at[i - 1]);
        samples[i] = f(from + length * basis.at[i]);
    }
    return ode_interpolant_fit(&basis, from, length, samples, noise);
}

static void values_and_bounds(void **state)
{
    (void)state;
    OdeInterpolant p = fit(sin, 2, 0.5, 0);
    assert_true(p.accurate);
    for (int i = 0; i <= 10; i++) {
        double t = 2 + 0.05 * i;
        assert_near(ode_interpolant_value(&p, t), sin(t), 1e-14);
        assert_near(ode_interpolant_slope(&p, t), cos(t), 1e-11);
        assert_true(ode_interpolant_bound(&p, 1) >= sin(t));
        assert_true(ode_interpolant_bound(&p, -1) <= sin(t));
    }
    // Outside it stays what it is at the ends.
    assert_near(ode_interpolant_value(&p, 7), sin(2.5), 1e-14);
}

// t ↦ sin 3t over (0.1, 2.1): up to π/6, down to π/2, up to 5π/6 ≈ 2.6.
static double sin3(double t)
{
    return sin(3 * t);
}

static void crossings_and_extrema(void **state)
{
    (void)state;
    const double pi = acos(-1), within = 1e-6;
    OdeInterpolant p = fit(sin3, 0.1, 2, 1e-4);
    assert_true(p.accurate);
    assert_near(ode_interpolant_first_crossing(&p, 0.1, 0.8, 1), asin(0.8) / 3, within);
    assert_near(ode_interpolant_first_crossing(&p, 0.1, -0.5, -1), (pi + asin(0.5)) / 3, within);
    assert_near(ode_interpolant_first_crossing(&p, 1, 0, -1), pi / 3, within);
    // Already there, and never.
    assert_true(ode_interpolant_first_crossing(&p, 0.3, 0.5, 1) == 0.3);
    assert_true(isinf(ode_interpolant_first_crossing(&p, 0.1, 1.5, 1)));
    assert_true(isinf(ode_interpolant_first_crossing(&p, 1.2, 0.5, 1)));
    assert_near(ode_interpolant_last_root(&p, 1.5, false), pi / 3, within);
    assert_near(ode_interpolant_last_root(&p, 1.5, true), pi / 6, 1e-5);
    assert_true(ode_interpolant_last_root(&p, 0.4, true) == 0.1);
    assert_near(ode_interpolant_first_extremum(&p, 0.1), pi / 6, 1e-5);
    assert_near(ode_interpolant_first_extremum(&p, 0.7), pi / 2, 1e-5);
    assert_true(isinf(ode_interpolant_first_extremum(&p, 1.7)));
}

static double kink(double t)
{
    return fabs(t - 1.1);
}

// What is not smooth is no polynomial, unless that much noise is allowed.
static void kinks_are_seen(void **state)
{
    (void)state;
    OdeInterpolant p = fit(kink, 1, 0.2, 0);
    assert_false(p.accurate);
    assert_true(p.error > 1e-4 && p.error < 0.1);
    assert_true(fit(kink, 1, 0.2, 0.1).accurate);
    assert_true(fit(kink, 1.2, 0.2, 0).accurate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_bounds),
        cmocka_unit_test(crossings_and_extrema),
        cmocka_unit_test(kinks_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
