// test_dynamics.c: accelerations and reactions from the rates of the speeds, against Gauss's
// principle.
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/independent_rows.h"
#include "linalg/real.h"
#include "support.h"

#include <math.h>

static double fraction(Random *random)
{
    return (double)random_below(random, 1000000) / 1e6;
}

// At random states beside the start both ways find the same, and rates of another motion are
// refused.
static void follow_rates(const char *name, Random *random)
{
    Loaded loaded = load_model(name);
    Equations eq;
    State state;
    assert_int_equal(equations_init(&eq, loaded.motion, loaded.diag), STATUS_OK);
    state_init(&state, &eq);
    assert_int_equal(start_complete(&eq, &state, loaded.diag), STATUS_OK);
    assert_int_equal(independent_rows_find(&eq, &state, false, loaded.diag), STATUS_OK);
    evaluator_run(&state.velocities, state.inputs);
    size_t n = eq.n, m = eq.m, k = eq.k, found = 0;
    double *numbers = base_alloc((4 * n + m + 1) * sizeof *numbers), *q = numbers, *u = q + n;
    double *rates = u + n, *a = rates + n, *lambda = a + n;
    dynamics_speeds(&eq, &state, u);
    memcpy(q, state.q, n * sizeof *q);
    for (size_t i = 0; i < n + k; i++)
        numbers[i] += 0.2 * (fraction(random) - 0.5);
    for (int turn = 0; turn < 20; turn++) {
        for (size_t i = 0; i < n + k; i++)
            numbers[i] += 0.02 * (fraction(random) - 0.5);
        if (dynamics_velocities(&eq, &state, 0, q, u) != DYNAMICS_FOUND ||
            dynamics_accelerations(&eq, &state, rates) != DYNAMICS_FOUND)
            continue;
        memcpy(a, state.a, n * sizeof *a);
        memcpy(lambda, state.lambda, m * sizeof *lambda);
        double size = real_largest(a, n), force = real_largest(lambda, m);
        found += dynamics_follow_rates(&eq, &state, rates);
        for (size_t i = 0; i < n; i++)
            if (!(fabs(state.a[i] - a[i]) <= 1e-11 * size))
                fail_msg("%s: acceleration %zu is %.17g, not %.17g", name, i, state.a[i], a[i]);
        for (size_t i = 0; i < m; i++)
            if (!(fabs(state.lambda[i] - lambda[i]) <= 1e-10 * (force + size)))
                fail_msg("%s: λ %zu is %.17g, not %.17g", name, i, state.lambda[i], lambda[i]);
        size_t wrong = random_below(random, k);
        rates[wrong] += 1e-6 * (1 + size);
        assert_false(dynamics_follow_rates(&eq, &state, rates));
    }
    if (found < 15)
        fail_msg("%s: of 20 states %zu have reactions from rates", name, found);
    base_free(numbers);
    state_clear(&state);
    equations_clear(&eq);
    unload(&loaded);
}

static void reactions_from_rates(void **unused)
{
    (void)unused;
    static const char *const names[] = {"hoop",       "blade",  "snakeboard",
                                        "hoop_hamel", "sphere", "wheels"};
    Random random = random_seed(19);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        follow_rates(names[i], &random);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reactions_from_rates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
