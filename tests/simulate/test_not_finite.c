// Where the equations have no finite value, the message names the expression.
#include "run_case.h"

static void expect(const char *text, const char *expression, double reached)
{
    RunCase kase = case_start(text, run_options());
    if (kase.status == STATUS_OK)
        case_go(&kase);
    assert_true(kase.status != STATUS_OK);
    if (!case_says(&kase, DIAG_ERROR, expression))
        fail_msg("no %s in the message of\n%s", expression, text);
    if (reached > 0)
        assert_near(kase.summary.reached, reached, 1e-6);
    case_free(&kase);
}

static void test_start(void **state)
{
    (void)state;
    expect("coord x\nkinetic x'^2/2\npotential asin(x)\ninitial x = 2, x' = 0\nrun to 1\n",
           ": -1/(-x^2 + 1)^(1/2) divides", 0);
    expect("coord x, y\nkinetic (x'^2 + y'^2)/2\nforce log(y - 1) along x\n"
           "initial x = 0, y = 0, x' = 0, y' = 0\nrun to 1\n",
           ": log(y - 1) divides", 0);
}

// x'' = √(1 − x), from x = 0 with x' = 1: x reaches 1 where the integral of dx/x' ends.
static void test_run(void **state)
{
    (void)state;
    double t = 0;
    const int parts = 200000;
    for (int i = 0; i < parts; i++) {
        double x = (i + 0.5) / parts;
        t += 1 / sqrt(1 + 4.0 / 3 * (1 - pow(1 - x, 1.5))) / parts;
    }
    expect("coord x\nkinetic x'^2/2\nforce sqrt(1 - x) along x\ninitial x = 0, x' = 1\n"
           "run to 10 every 0.1\n",
           "(-x + 1)^(1/2) divides by 0 or leaves the domain", t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
