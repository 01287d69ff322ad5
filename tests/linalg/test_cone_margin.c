// test_cone_margin.c: the room that cones leave, against what is known of it: problems built from
// their answer, and points drawn at random, none of which does better.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/strings.h"
#include "linalg/cone_margin.h"

#include <math.h>
#include <string.h>

enum { SYSTEMS = 60, MOST = 8 };

static double number(Random *random)
{
    return (double)random_below(random, 2000001) / 1000000 - 1;
}

// Cones whose multipliers p and directions are given: Σ p(∇b − d·∇F) = 0 at y and all margins are
// equal there, so that nothing is better.
static void answers_are_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SYSTEMS; seed++) {
        Random random = random_seed(seed);
        size_t count = 1 + random_below(&random, 5), cones = 2 + random_below(&random, 4);
        size_t forces[MOST], stride = count + 1;
        double functions[MOST * 4 * MOST], at[MOST], found[MOST], last[MOST] = {0}, margin;
        double *function = functions;
        margin = 5 * number(&random);
        for (size_t d = 0; d < count; d++)
            at[d] = 3 * number(&random);
        for (size_t i = 0; i < cones; i++) {
            double F[3], length = 0, b, p = 0.1 + fabs(number(&random));
            forces[i] = random_below(&random, 3);
            for (size_t k = 0; k < forces[i]; k++) {
                F[k] = number(&random);
                length = hypot(length, F[k]);
            }
            b = margin + length;
            for (size_t k = 0; k <= forces[i]; k++, function += stride) {
                function[0] = k == 0 ? b : F[k - 1];
                for (size_t d = 0; d < count; d++) {
                    function[1 + d] = number(&random);
                    // The last cone's bound brings the sum to 0.
                    if (k > 0)
                        last[d] += p * F[k - 1] / length * function[1 + d];
                    else if (i + 1 < cones)
                        last[d] -= p * function[1 + d];
                }
            }
            if (i + 1 == cones)
                for (size_t d = 0; d < count; d++)
                    function[1 + d - (forces[i] + 1) * stride] = last[d] / p;
        }
        function = functions;
        for (size_t i = 0; i < cones; i++)
            for (size_t k = 0; k <= forces[i]; k++, function += stride)
                for (size_t d = 0; d < count; d++)
                    function[0] -= function[1 + d] * at[d];
        ConeProblem problem = {cones, count, forces, functions};
        double most = cone_margin(&problem, found);
        if (!(fabs(most - margin) <= 1e-10 * (1 + fabs(margin))))
            fail_msg("seed %llu: %.17g is not %.17g", (unsigned long long)seed, most, margin);
        assert_true(fabs(cone_margin_at(&problem, found) - most) <= 1e-9 * (1 + fabs(margin)));
    }
}

// Where more and more force may be added the room has no end.
static void prestress_has_no_end(void **state)
{
    (void)state;
    const size_t forces[] = {1};
    const double functions[] = {0, 0.5, 1, 0};
    double y;
    ConeProblem problem = {1, 1, forces, functions};
    assert_true(isinf(cone_margin(&problem, &y)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_found),
                                       cmocka_unit_test(prestress_has_no_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
