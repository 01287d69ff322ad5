// Conditions do not drift over thousands of steps, and memory does not grow. tests/soak does the
// same for a million.
#include "long_run.h"

static void test_thousands_of_steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof long_cases / sizeof *long_cases; i++) {
        RunSummary summary;
        size_t rows = long_cases[i].few;
        LongRun going = long_run(&long_cases[i], rows, &summary);
        assert_int_equal(going.rows, rows + 1);
        assert_true(summary.steps > rows / 4);
        assert_true(going.position < 1e-12);
        assert_true(going.velocity < 1e-12);
#ifndef __SANITIZE_ADDRESS__ // it keeps what was freed
        assert_true(going.grown < 1024);
#endif
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_thousands_of_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
