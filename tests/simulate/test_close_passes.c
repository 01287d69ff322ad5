// Motions in polar and spherical coordinates that pass very near to the origin or the pole, where
// the angle turns by half a turn within a moment: distances are drawn at random, and drag leaves no
// energy to watch. The truth is a straight line, and a great circle.
#include "run_case.h"
#include "uniform.h"

typedef struct {
    double away, speed, drag, turn; // turn: of the angle, at the start
} Pass;

static void write_model(const Pass *pass, bool sphere, Text *text)
{
    const char *arm = sphere ? "sin(r)" : "r";
    text_addf(text, "coord r, phi\nkinetic (r'^2 + %s^2*phi'^2)/2\n", arm);
    text_addf(text, "dissipation %.17g*(r'^2 + %s^2*phi'^2)/2\n", pass->drag, arm);
    text_addf(text, "initial r = %.17g, phi = 0, r' = %.17g, phi' = %.17g\n", pass->away,
              -pass->speed, pass->turn);
    text_addf(text, "output x = %s*cos(phi)\noutput y = %s*sin(phi)\n", arm, arm);
    text_addf(text, "output v = r'*%s*cos(phi) - %s*phi'*sin(phi)\n", sphere ? "cos(r)" : "1", arm);
}

// x, y and x' so much later.
static void follow(const Pass *pass, bool sphere, double t, double *right)
{
    double c = pass->drag, way = (1 - exp(-c * t)) / c, fall = exp(-c * t);
    double r = pass->away, across = (sphere ? sin(r) : r) * pass->turn;
    if (!sphere) {
        right[0] = r - pass->speed * way;
        right[1] = across * way;
        right[2] = -pass->speed * fall;
        return;
    }
    double speed = hypot(pass->speed, across), angle = speed * way;
    double back = -pass->speed / speed * cos(r);
    right[0] = sin(r) * cos(angle) + back * sin(angle);
    right[1] = across / speed * sin(angle);
    right[2] = speed * fall * (back * cos(angle) - sin(r) * sin(angle));
}

static void test_close_passes(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS};
    static const char *const names[] = {"x", "y", "v"};
    for (uint64_t seed = 0; seed < 36 * test_size(); seed++) {
        Random random = random_seed(seed);
        bool sphere = seed % 2;
        Pass pass = {.away = uniform(&random, 0.5, 1.5),
                     .speed = uniform(&random, 1, 2),
                     .drag = uniform(&random, 0.05, 0.3),
                     .turn = pow(10, -uniform(&random, 3, 12))};
        RunOptions options = run_options();
        options.method = methods[random_below(&random, 3)];
        options.tolerance = pow(10, -uniform(&random, 7, 10));
        Text text = {0};
        write_model(&pass, sphere, &text);
        text_addf(&text, "run to 2 every %.3f\n", pow(2, -(double)random_below(&random, 4)));
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        for (size_t row = 0; row < case_row_count(&kase); row++) {
            double right[3];
            follow(&pass, sphere, case_value(&kase, row, "t"), right);
            for (size_t i = 0; i < 3 && kase.status == STATUS_OK; i++)
                if (!(fabs(case_value(&kase, row, names[i]) - right[i]) < 3e3 * options.tolerance))
                    kase.status = STATUS_FAILED;
        }
        if (kase.status != STATUS_OK)
            fail_msg("seed %d, method %d, %g: status %d, x = %.12g\n%s", (int)seed,
                     (int)options.method, options.tolerance, (int)kase.status,
                     case_last(&kase, "x"), text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_close_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
