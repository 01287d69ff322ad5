// test_dense_output.c: states inside a step whose ends are known: of the order of the steps; and
// the defect of their polynomial.
#include "ode_case.h"

#include "ode/dense_output_impl.h"

static double error_inside(double length, bool has_gap)
{
    enum { POINTS = 40 };
    Two two = {.gap = {0.2, has_gap ? 0.3 : 0.2}, .scale = 1e-10};
    OdeProblem problem = two_problem(&two);
    DenseOutput dense;
    Arena *arena = arena_new();
    double begin[2], end[2], y[2], expected[2], worst = 0;
    two_exact(0.1, begin);
    two_exact(0.1 + length, end);
    dense_output_init(&dense, &problem, arena);
    dense_output_begin(&dense, 0.1, begin);
    dense_output_end(&dense, 0.1 + length, end);
    for (int i = 0; i <= POINTS; i++) {
        double t = 0.1 + length * i / POINTS;
        dense_output_state(&dense, t, y);
        two_exact(t, expected);
        worst = fmax(worst, fmax(fabs(y[0] - expected[0]), fabs(y[1] - expected[1])));
    }
    arena_free(arena);
    return worst;
}

// The error of a step of order 8 goes with the power 9.
static void order_inside(void **state)
{
    (void)state;
    double errors[3];
    for (int i = 0; i < 3; i++)
        errors[i] = error_inside(ldexp(0.4, -i), false);
    for (int i = 0; i < 2; i++)
        assert_true(log2(errors[i] / errors[i + 1]) > 8);
    assert_true(errors[0] < 1e-8 && errors[2] < 1e-13);
    // Without rates inside there is still a line between the ends, or better.
    assert_true(error_inside(0.4, true) < 1e-2);
}

// What the slope misses is seen, and is nothing where the polynomial is the solution.
static void defect_is_seen(void **state)
{
    (void)state;
    Two two = {.scale = 1e-10};
    OdeProblem problem = two_problem(&two);
    DenseOutput dense;
    Arena *arena = arena_new();
    double begin[2], end[2], error_scale[] = {1e-6, 1e-6};
    two_exact(0.1, begin);
    two_exact(0.5, end);
    dense_output_init(&dense, &problem, arena);
    dense_output_begin(&dense, 0.1, begin);
    dense_output_end(&dense, 0.5, end);
    assert_true(dense_output_defect(&dense, 31, error_scale) < 1);
    end[0] += 1e-3;
    dense_output_end(&dense, 0.5, end);
    assert_true(dense_output_defect(&dense, 31, error_scale) > 100);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_inside),
        cmocka_unit_test(defect_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
