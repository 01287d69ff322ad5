// Motions in polar and spherical coordinates that pass very near to the origin or the pole, where
// the angle turns by half a turn within a moment: distances are drawn at random, and drag leaves no
// energy to watch. The truth is a straight line, and a great circle.
//
// And orbits that come back to a sun, as closely as drawn, with drag. The truth is Levi-Civita's
// motion, which is smooth there: z = w², dt = |z| ds, w'' = (h/2)·w − c·|z|·w', h' = −4c·|w'|²,
// where h is the energy and the drag −c·v.
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

// ---- Orbits.

typedef struct {
    double away, out, area, drag; // at the start: r, r', r²·φ'
} Orbit;

enum { W = 6 }; // w and w', two each, h, t

static void regular_rate(const double *w, double c, double *rate)
{
    double r = w[0] * w[0] + w[1] * w[1];
    for (size_t i = 0; i < 2; i++) {
        rate[i] = w[2 + i];
        rate[2 + i] = w[4] / 2 * w[i] - c * r * w[2 + i];
    }
    rate[4] = -4 * c * (w[2] * w[2] + w[3] * w[3]);
    rate[5] = r;
}

// A step of Runge and Kutta, of order 4.
static void regular_step(double *w, double c, double s)
{
    static const double nodes[] = {0, 0.5, 0.5, 1}, weights[] = {1, 2, 2, 1};
    double rate[W] = {0}, sum[W] = {0}, at[W];
    for (size_t stage = 0; stage < 4; stage++) {
        for (size_t i = 0; i < W; i++)
            at[i] = w[i] + nodes[stage] * s * rate[i];
        regular_rate(at, c, rate);
        for (size_t i = 0; i < W; i++)
            sum[i] += weights[stage] * rate[i];
    }
    for (size_t i = 0; i < W; i++)
        w[i] += s / 6 * sum[i];
}

static void orbit_at(const Orbit *orbit, double t, double *right)
{
    double root = sqrt(orbit->away), speed = orbit->area / orbit->away, out = orbit->out;
    // v = 2·w·w'/r.
    double w[W] = {root,
                   0,
                   root * out / 2,
                   root * speed / 2,
                   hypot(speed, out) * hypot(speed, out) / 2 - 1 / orbit->away,
                   0};
    while (w[5] < t)
        regular_step(w, orbit->drag, 1e-3);
    for (size_t i = 0; i < 5; i++)
        regular_step(w, orbit->drag, (t - w[5]) / (w[0] * w[0] + w[1] * w[1]));
    right[0] = w[0] * w[0] - w[1] * w[1];
    right[1] = 2 * w[0] * w[1];
}

static void write_orbit(const Orbit *orbit, bool polar, Text *text)
{
    if (polar)
        text_addf(text,
                  "coord r, phi\nkinetic (r'^2 + r^2*phi'^2)/2\npotential -1/r\n"
                  "dissipation %.17g*(r'^2 + r^2*phi'^2)/2\n"
                  "initial r = %.17g, phi = 0, r' = %.17g, phi' = %.17g\n"
                  "output x = r*cos(phi)\noutput y = r*sin(phi)\n",
                  orbit->drag, orbit->away, orbit->out, orbit->area / orbit->away / orbit->away);
    else
        text_addf(text,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential -1/sqrt(x^2 + y^2)\n"
                  "dissipation %.17g*(x'^2 + y'^2)/2\n"
                  "initial x = %.17g, y = 0, x' = %.17g, y' = %.17g\n",
                  orbit->drag, orbit->away, orbit->out, orbit->area / orbit->away);
}

// One that begins inside a pass, or at rest but for its area.
static Orbit draw_orbit(Random *random, bool inside, bool multistep)
{
    Orbit orbit = {.away = uniform(random, 0.5, 2),
                   .area = pow(10, -uniform(random, 0.5, 3.3)),
                   .drag = pow(10, -uniform(random, 1.5, 4))};
    if (!inside)
        return orbit;
    orbit.away = pow(10, -uniform(random, 2, multistep ? 5 : 7));
    double speed = sqrt(2 / orbit.away - uniform(random, 0.5, 2)),
           angle = uniform(random, 0.3, 2.8);
    orbit.out = speed * cos(angle);
    orbit.area = orbit.away * speed * sin(angle);
    return orbit;
}

// What rounds off in the passes is more than a tolerance of less than 1e-9 explains: energies of
// v² = 4/area² are known to 16 digits, and the many steps of multistep methods to 13 each.
static void test_orbits(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < 72 * test_size(); seed++) {
        Random random = random_seed(seed);
        bool polar = seed % 2;
        RunOptions options = run_options();
        options.method = methods[random_below(&random, 4)];
        // Multistep methods may end where rounding does not allow their steps.
        bool multistep = options.method == RUN_ADAMS || options.method == RUN_BDF;
        options.tolerance = pow(10, -uniform(&random, 4, multistep ? 8 : 9));
        Orbit orbit = draw_orbit(&random, seed % 4 >= 2, multistep);
        double to = uniform(&random, 2, 10), right[2];
        Text text = {0};
        write_orbit(&orbit, polar, &text);
        text_addf(&text, "run to %.17g every %.17g\n", to, to / 8);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        orbit_at(&orbit, to, right);
        if (kase.status == STATUS_OK || !multistep) {
            case_expect(&kase, STATUS_OK);
            double miss = hypot(case_last(&kase, "x") - right[0], case_last(&kase, "y") - right[1]);
            if (!(miss < (multistep ? 1e4 : 1e3) * fmax(orbit.away, 1) * options.tolerance))
                fail_msg("seed %d, method %d, %g: off by %g\n%s", (int)seed, (int)options.method,
                         options.tolerance, miss, text.at);
        }
        text_clear(&text);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_close_passes),
        cmocka_unit_test(test_orbits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
