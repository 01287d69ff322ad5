// Four-bar linkages of four different lengths a + d = b + c or a − d = ±(b − c), which lie flat
// where the crank a is along the ground d (change points of Grashof's), drawn at random, by angles
// and by points, by every method. On the branch that continues smoothly the root in the angle of
// the rocker changes its sign like cos(θ/2) or sin(θ/2): each row is compared with that closed
// form, and the velocity with what the constant energy leaves.
#include "event_case.h"
#include "uniform.h"

#include <complex.h>

typedef double complex Complex;

// Lengths, masses, and the sign of the root at the start.
typedef struct {
    double a, b, c, d, m, M, sign;
    bool folded; // flat at θ = 0 and not at π
} Linkage;

// exp(i·ψ) of the rocker and exp(i·φ) of the coupler, by real and imaginary parts that are analytic
// functions of θ.
static void place(const Linkage *l, Complex theta, Complex rocker[2], Complex coupler[2])
{
    double a = l->a, b = l->b, c = l->c, d = l->d;
    Complex r2 = a * a + d * d - 2 * a * d * ccos(theta);
    Complex away = r2 - (b - c) * (b - c), within = (b + c) * (b + c) - r2;
    Complex root = 2 * sqrt(a * d) * (l->folded ? csin(theta / 2) : ccos(theta / 2)) *
                   csqrt(l->folded ? within : away);
    Complex along = (b * b - r2 - c * c) / 2, across = l->sign * root / 2;
    Complex x = d - a * ccos(theta), y = -a * csin(theta);
    rocker[0] = (x * along - y * across) / (r2 * c);
    rocker[1] = (y * along + x * across) / (r2 * c);
    coupler[0] = (x + c * rocker[0]) / b;
    coupler[1] = (y + c * rocker[1]) / b;
}

// How fast they turn with the crank, by a complex step.
static double turning(const Complex direction[2])
{
    const double step = 1e-30;
    return creal(direction[0]) * cimag(direction[1]) / step -
           creal(direction[1]) * cimag(direction[0]) / step;
}

// Twice the energy by θ'^2: cranks with the inertia 1 and m·c², a mass M in the middle of the
// coupler.
static double inertia(const Linkage *l, double theta)
{
    Complex rocker[2], coupler[2];
    place(l, theta + 1e-30 * I, rocker, coupler);
    double psi = turning(rocker), phi = turning(coupler);
    double x = -l->a * sin(theta) - l->b / 2 * creal(coupler[1]) * phi;
    double y = l->a * cos(theta) + l->b / 2 * creal(coupler[0]) * phi;
    return 1 + l->m * l->c * l->c * psi * psi + l->M * (x * x + y * y);
}

static double hundredths(Random *random, double low, double high)
{
    return round(uniform(random, low, high) * 100) / 100;
}

// Lengths that differ, and such that the crank can go round.
static Linkage draw(Random *random)
{
    Linkage l = {.m = hundredths(random, 0.5, 3), .M = hundredths(random, 0.5, 3)};
    bool found = false;
    while (!found) {
        l.a = hundredths(random, 0.2, 2);
        l.b = hundredths(random, 0.2, 2);
        l.c = hundredths(random, 0.2, 2);
        l.folded = random_below(random, 3) > 0;
        l.d = l.folded ? l.a + (random_below(random, 2) ? l.b - l.c : l.c - l.b) : l.b + l.c - l.a;
        double flat = fmin(fabs(l.a - l.d), fabs(l.b - l.c));
        double round_it =
            l.folded ? l.b + l.c - 1.03 * (l.a + l.d) : fabs(l.a - l.d) - 1.03 * fabs(l.b - l.c);
        found = l.d > 0.15 && flat > 0.05 && round_it > 0;
    }
    l.sign = random_below(random, 2) ? 1 : -1;
    return l;
}

enum { ABSOLUTE, RELATIVE, POINTS, FORMS, FIRST = 260 };

static void write_model(const Linkage *l, uint64_t form, double theta, double rate, Text *text)
{
    Complex rocker[2], coupler[2];
    place(l, theta, rocker, coupler);
    double phi = atan2(creal(coupler[1]), creal(coupler[0]));
    double psi = atan2(creal(rocker[1]), creal(rocker[0]));
    text_addf(text, "param a = %.2f, b = %.2f, c = %.2f, d = %.2f, m = %.2f, M = %.2f\n", l->a,
              l->b, l->c, l->d, l->m, l->M);
    text_add(text, form == POINTS ? "coord q, x, y\n" : "coord q, u, w\n");
    text_add(text, "let X = a*cos(q)\nlet Y = a*sin(q)\n");
    if (form == POINTS)
        text_add(text, "kinetic q'^2/2 + m*(x'^2 + y'^2)/2\n"
                       "mass M at [(X + x)/2, (Y + y)/2, 0]\n"
                       "constraint rocker: (x - d)^2 + y^2 = c^2\n"
                       "constraint coupler: (x - X)^2 + (y - Y)^2 = b^2\n");
    else
        text_addf(text,
                  "let f = %s\nkinetic q'^2/2 + m*c^2*w'^2/2\n"
                  "mass M at [X + b/2*cos(f), Y + b/2*sin(f), 0]\n"
                  "constraint lx: X + b*cos(f) = d + c*cos(w)\n"
                  "constraint ly: Y + b*sin(f) = c*sin(w)\n",
                  form == RELATIVE ? "q + u" : "u");
    text_addf(text, "initial q = %.2f, q' = %.2f\n", theta, rate);
    if (form == POINTS)
        text_addf(text, "initial approx x = %.9f, y = %.9f\n", l->d + l->c * cos(psi),
                  l->c * sin(psi));
    else
        text_addf(text, "initial approx u = %.9f, w = %.9f\n", phi - (form == RELATIVE ? theta : 0),
                  psi);
}

// By how much the rows differ from the closed form at most.
static double worst_row(const RunCase *kase, const Linkage *l, uint64_t form, double energy)
{
    double worst = 0;
    for (size_t row = 0; row < case_row_count(kase); row++) {
        double q = case_value(kase, row, "q"), rate = case_value(kase, row, "q'");
        Complex rocker[2], coupler[2];
        place(l, q, rocker, coupler);
        double x = l->d + l->c * creal(rocker[0]), y = l->c * creal(rocker[1]);
        bool points = form == POINTS;
        double w = points ? 0 : case_value(kase, row, "w");
        double X = points ? case_value(kase, row, "x") : l->d + l->c * cos(w);
        double Y = points ? case_value(kase, row, "y") : l->c * sin(w);
        double speed = fabs(rate) - sqrt(energy / inertia(l, q));
        worst = fmax(worst, fmax(fabs(speed), fmax(fabs(x - X), fabs(y - Y))));
    }
    return worst;
}

static void test_change_points(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ADAMS, RUN_BDF,
                                        RUN_ADAMS,  RUN_BDF,   RUN_ERK};
    // Among the first ones are some that left by another branch without a word.
    for (uint64_t seed = FIRST; seed < FIRST + 30 * test_size(); seed++) {
        Random random = random_seed(seed);
        Linkage l = draw(&random);
        double flat = l.folded ? 0 : 2 * acos(0);
        double theta = hundredths(&random, flat + 0.5, flat + 5.5);
        double rate = (random_below(&random, 2) ? 1 : -1) * hundredths(&random, 1, 4);
        uint64_t form = random_below(&random, FORMS);
        RunOptions options = run_options();
        options.method = methods[seed % 6];
        options.tolerance = pow(10, -uniform(&random, 6, options.method == RUN_BDF ? 9 : 11));
        Text text = {0};
        write_model(&l, form, theta, rate, &text);
        text_add(&text, "run to 5 every 0.1\n");
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double worst = worst_row(&kase, &l, form, inertia(&l, theta) * rate * rate);
        bool ends = options.method == RUN_TAYLOR
                        ? kase.status == STATUS_OK
                        : kase.status == STATUS_OK || kase.status == STATUS_NEGATIVE;
        if (!ends || case_row_count(&kase) < 2 || !(worst <= 1e-7 + 1e4 * options.tolerance))
            fail_msg("seed %d, method %d, %g: status %d, off by %.1e\n%s", (int)seed,
                     (int)options.method, options.tolerance, (int)kase.status, worst, text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_change_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
