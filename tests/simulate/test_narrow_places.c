// Walls, wells, ledges and masses that lie within a small part of the way, drawn at random: place,
// width, height, kind, method and engine. A point turns back where its energy does not suffice, and
// goes on otherwise with the speed that its energy leaves.
#include "event_case.h"
#include "uniform.h"

#include <float.h>

enum { SEEDS = 63, KINDS = 9, FLAT = 8 };

typedef struct {
    double place, width, height;
} Feature;

static void write_model(Text *text, uint64_t kind, Feature f)
{
    text_addf(text, "coord x\ninitial x = 0, x' = 1\nrun to 6 every 0.5\nparam h = %.9f\n",
              f.height);
    text_addf(text, "let u = (x - %.9f)/%.12f\n", f.place, f.width);
    text_add(text, kind == 5 ? "kinetic (1.5 + tanh(u))*x'^2/2\n" : "kinetic x'^2/2\n");
    static const char *const potentials[] = {"h*exp(-u^2)", "h*(1 + tanh(u))/2", "h/(1 + u^2)"};
    if (kind < 3)
        text_addf(text, "potential %s\n", potentials[kind]);
    // A row of walls; and a power so high that it is one.
    if (kind == 3)
        text_addf(text, "potential h*exp(-(sin(x - %.9f)/%.9f)^2)\n", f.place, f.width);
    if (kind == 4)
        text_addf(text, "potential h*cos(x - %.9f)^%d\n", f.place,
                  2 * (int)fmin(fmax(1 / (f.width * f.width), 20), 1e7));
    // A power far below 0, of a number or of a parameter.
    if (kind == 6)
        text_addf(text, "potential h*(1 + sin(x - %.9f)^2)^(-%d)\n", f.place,
                  (int)fmin(1 / (f.width * f.width), 1e7));
    if (kind == 7)
        text_addf(text, "param p = %.9f\npotential h*(1 + sin(x - %.9f)^2)^(-p)\n",
                  fmin(1 / (f.width * f.width), 1e7), f.place);
    // Its argument is so large elsewhere that no polynomial over the whole way tells its top.
    if (kind == FLAT)
        text_add(text, "potential h*exp(-u^4)\n");
}

// Where it is far from all walls again: its speed, or that it came back.
static bool is_right(uint64_t kind, Feature f, const RunCase *kase)
{
    double x = case_last(kase, "x"), speed = case_last(kase, "x'"), energy = 0;
    for (size_t row = 0; row < case_row_count(kase); row++)
        energy =
            fmax(energy, fabs(case_value(kase, row, "energy") - case_value(kase, 0, "energy")));
    if (energy > 1e-6)
        return false;
    if (kind == 5)
        return fabs(speed - sqrt(0.2)) < 1e-6;
    bool many = kind > 2 && kind != FLAT;
    if (f.height > 0.5)
        return x < f.place && (many || speed < 0);
    double after = kind == 1 ? sqrt(1 - 2 * f.height) : 1;
    return many || (x > f.place && fabs(speed - after) < 1e-3);
}

static Feature draw_feature(Random *random, uint64_t kind)
{
    // An algebraic wall is as wide as its feet, which hold the point up to their ends.
    double narrowest = kind == 2 ? -3 : -5;
    Feature f = {.place = uniform(random, 1.5, 2.5),
                 .width = pow(10, uniform(random, narrowest, -1.5))};
    f.height = uniform(random, 0, 1) < 0.5 ? uniform(random, 0.55, 3) : uniform(random, -3, 0.4);
    return f;
}

// Steps of fixed length do not pass over what they do not see.
static void test_fixed_steps(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 18 * test_size(); seed++) {
        Random random = random_seed(seed);
        uint64_t kind = seed % 2 ? FLAT : seed / 2 % 2;
        Feature f = draw_feature(&random, kind);
        RunOptions options = run_options();
        options.method = RUN_TIMESTEPPING;
        Text text = {0};
        write_model(&text, kind, f);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        bool passed = case_row_count(&kase) > 0 && case_last(&kase, "x") > f.place + 0.1;
        double after = kind == 1 ? sqrt(1 - 2 * f.height) : 1;
        if (kase.status == STATUS_OK &&
            (passed == (f.height > 0.5) || (passed && fabs(case_last(&kase, "x'") - after) > 0.1)))
            fail_msg("seed %d: x = %.12g, x' = %.12g\n%s", (int)seed, case_last(&kase, "x"),
                     case_last(&kase, "x'"), text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

static void test_places(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        uint64_t kind = seed % KINDS;
        Feature f = draw_feature(&random, kind);
        RunOptions options = run_options();
        options.method = methods[random_below(&random, 5)];
        options.engine = random_below(&random, 2) ? RUN_INTERPRET : options.engine;
        if (kind == FLAT && options.method == RUN_TAYLOR)
            f.width *= 1e-3;
        Text text = {0};
        write_model(&text, kind, f);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        if (kase.status != STATUS_OK || !is_right(kind, f, &kase))
            fail_msg("seed %d, method %d: x = %.12g, x' = %.12g\n%s", (int)seed,
                     (int)options.method, case_last(&kase, "x"), case_last(&kase, "x'"), text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// Powers whose parts are beyond all doubles far from the wall: (1 + u²)^51 is 1e306 at 1000 widths.
static void test_inverse_powers(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        int power = 9 + (int)random_below(&random, 90);
        double width = pow(10, uniform(&random, -4, -2)), place = uniform(&random, 0.5, 2);
        double height = seed % 2 ? uniform(&random, 0.55, 2) : uniform(&random, -1, 0.4);
        RunOptions options = run_options();
        options.engine = seed / 2 % 2 ? RUN_INTERPRET : options.engine;
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\ninitial x = 0, x' = 1\nrun to 5 every 0.5\n"
                  "potential %.9f*(1 + ((x - %.9f)/%.9f)^2)^(-%d)\n",
                  height, place, width, power);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double expected = height > 0.5 ? -1 : 1;
        if (kase.status != STATUS_OK || fabs(case_last(&kase, "x'") - expected) > 1e-6)
            fail_msg("seed %d: x' = %.12g\n%s", (int)seed, case_last(&kase, "x'"), text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// asin((1 + u²)^p) is arctan(1/|u|) for p = -1/2: over it, and over 1 − (1 + u²)^p, whose noise
// about u = 0 is not what is narrow there. The time of the way is an integral.
static void test_arcs(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ADAMS, RUN_BDF};
    size_t done = 0;
    static const char *const arcs[] = {"h*asin((1 + u^2)^(-1/2))", "h*acos(1/(1 + u^2)^(1/2))",
                                       "-h*(1 - 1/(1 + u^2))^(1/2)"};
    for (uint64_t seed = 0; seed < 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        double place = uniform(&random, 0.8, 1.2), width = pow(10, uniform(&random, -4, -1.5));
        double height = uniform(&random, 0.05, 0.25), t = 0;
        uint64_t kind = seed / 3 % 3;
        const int parts = 20000;
        // Up to x = 2·place, by u = ±e^s: from U(0) = U(2·place) with x' = 1.
        double last = asinh(place / width);
        double first = kind == 0 ? atan2(width, place) : kind == 1 ? atan2(place, width) : 0;
        double root = place / hypot(place, width);
        for (int i = 0; i < parts; i++) {
            double u = sinh((i + 0.5) * last / parts), du = cosh((i + 0.5) * last / parts);
            double rise = kind == 0   ? atan2(1, u) - first
                          : kind == 1 ? atan2(u, 1) - first
                                      : root - u / hypot(u, 1);
            t += 2 * width * du / sqrt(1 - 2 * height * rise) * last / parts;
        }
        RunOptions options = run_options();
        options.method = methods[seed % 3];
        Text text = {0};
        text_addf(&text,
                  "coord x\ninitial x = 0, x' = 1\nrun to %.12f every %.12f\nparam h = %.12f\n"
                  "let u = (x - %.12f)/%.12f\nkinetic x'^2/2\npotential %s\n",
                  t, t / 3, height, place, width, arcs[kind]);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        if (kase.status == STATUS_OK && fabs(case_last(&kase, "x") - 2 * place) > 1e-5)
            fail_msg("seed %d, method %d: x = %.12g for %.12g\n%s", (int)seed, (int)options.method,
                     case_last(&kase, "x"), 2 * place, text.at);
        done += kase.status == STATUS_OK;
        text_clear(&text);
        case_free(&kase);
    }
    assert_true(done >= 8 * test_size());
}

// A post that stands on the ground, flown at: of any width, by max and by exp.
static void test_posts(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_BDF};
    for (uint64_t seed = 0; seed < 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        double place = uniform(&random, 2, 8), width = pow(10, uniform(&random, -4, -1));
        RunOptions options = run_options();
        options.method = methods[seed % 3];
        Text text = {0};
        text_add(&text, "coord x, y\nkinetic (x'^2 + y'^2)/2\ninitial x = 0, y = 0.5, x' = 1, "
                        "y' = 0\nrun to 10 every 0.5\n");
        text_addf(&text, "let u = (x - %.9f)/%.9f\n", place, width);
        text_add(&text, seed % 2 ? "constraint post: y >= max(0, 1 - u^2)\n"
                                 : "constraint post: y >= exp(-u^2)\n");
        EventCase kase = event_case_with(text.at, options);
        // The slope is where the post is as high as the point flies.
        double before = seed % 2 ? width * sqrt(0.5) : width * sqrt(log(2));
        bool found = false;
        for (size_t i = 0; i < kase.events.count; i++)
            found = found || (kase.events.at[i].kind == RUN_IMPACT &&
                              fabs(kase.events.at[i].t - (place - before)) < 1e-6);
        if (!found || kase.run.summary.deepest > 1e-6)
            fail_msg("seed %d, method %d: %s, as deep as %g\n%s", (int)seed, (int)options.method,
                     found ? "an impact" : "no impact", kase.run.summary.deepest, text.at);
        text_clear(&text);
        event_case_free(&kase);
    }
}

// Far away and thin, or a slope that begins at the height of the flight: the velocity after the
// impact is that of its law, or the run ends loudly. Nothing is passed.
static void test_far_posts(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    size_t finished = 0;
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        bool slope = seed % 2;
        double place = pow(10, uniform(&random, -1, 4)), width = pow(10, uniform(&random, -7, 0));
        double height = slope ? pow(10, uniform(&random, -14, -6)) : uniform(&random, 0.1, 0.9);
        double e = (double)random_below(&random, 3) / 2;
        // It hits at place − u·width, where f rises by `steep` along x.
        double u = slope ? -height : sqrt(1 - height), steep = (slope ? 1 : 2 * u) / width;
        double push = (1 + e) * steep / (steep * steep + 1), left = place / 2 + u * width;
        double x = place - u * width + (1 - push * steep) * left, y = height + push * left;
        RunOptions options = run_options();
        options.method = methods[random_below(&random, 5)];
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\ninitial x = 0, y = %.17g, x' = 1, "
                  "y' = 0\nrun to %.17g every %.17g\nlet u = (x - %.17g)/%.17g\n",
                  height, 1.5 * place, place / 10, place, width);
        text_addf(&text, "constraint post: y >= max(0, %s) restitution %.17g\n",
                  slope ? "u" : "1 - u^2", e);
        EventCase kase = event_case_with(text.at, options);
        bool whole = kase.run.status == STATUS_OK;
        finished += whole;
        if (whole && (fabs(case_last(&kase.run, "x") - x) > 1e-6 * place ||
                      fabs(case_last(&kase.run, "y") - y) > 1e-6 * fmax(y, 1)))
            fail_msg("seed %d, method %d: x = %.12g for %.12g, y = %.12g for %.12g\n%s", (int)seed,
                     (int)options.method, case_last(&kase.run, "x"), x, case_last(&kase.run, "y"),
                     y, text.at);
        text_clear(&text);
        event_case_free(&kase);
    }
    print_message("%d of %d finished\n", (int)finished, (int)(SEEDS * test_size()));
    assert_true(3 * finished > 2 * SEEDS * test_size());
}

// Posts of a millionth of the way and thinner, which no sample ever meets: flown at, or flown over
// where they are lower. Those within the last digits of the time may be refused, but never passed.
static void test_thinnest_posts(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    static const char *const posts[] = {"exp(-u^2)", "1/(1 + u^2)", "max(0, 1 - abs(u))",
                                        "1 - abs(u)", "1 - u^2"};
    size_t finished = 0, resolved = 0;
    for (uint64_t i = 0; i <= 6 * SEEDS * test_size(); i++) {
        // The last one was passed: its top counted as reached where it begins.
        uint64_t seed = i < 6 * SEEDS * test_size() ? i : 3027;
        Random random = random_seed(seed);
        double place = uniform(&random, 1, 9), width = pow(10, uniform(&random, -19, -6));
        double height = uniform(&random, 0.1, 1.5);
        const double us[] = {sqrt(-log(height)), sqrt(1 / height - 1), 1 - height, 1 - height,
                             sqrt(1 - height)};
        const double slopes[] = {2 * us[0] * height, 2 * us[1] * height * height, 1, 1, 2 * us[4]};
        bool strikes = height<1, is_resolved = width> 1e-12;
        double u = strikes ? us[seed % 5] : 0, steep = slopes[seed % 5] / width;
        double push = strikes ? 2 / (steep + 1 / steep) : 0, left = 10 - place + u * width;
        double x = place - u * width + (strikes ? 1 - push * steep : 1) * left;
        double y = height + push * left;
        RunOptions options = run_options();
        options.method = methods[random_below(&random, 5)];
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\ninitial x = 0, y = %.17g, x' = 1, y' = 0"
                  "\nrun to 10 every %d\nlet u = (x - %.17g)/%.17g\n"
                  "constraint post: y >= %s restitution 1\n",
                  height, 1 + 9 * (int)random_below(&random, 2), place, width, posts[seed % 5]);
        EventCase kase = event_case_with(text.at, options);
        bool whole = kase.run.status == STATUS_OK;
        finished += whole && is_resolved;
        resolved += is_resolved;
        if (whole && (fabs(case_last(&kase.run, "x") - x) > 1e-6 ||
                      fabs(case_last(&kase.run, "y") - y) > 1e-6))
            fail_msg("seed %d, method %d: x = %.12g for %.12g, y = %.12g for %.12g\n%s", (int)seed,
                     (int)options.method, case_last(&kase.run, "x"), x, case_last(&kase.run, "y"),
                     y, text.at);
        text_clear(&text);
        event_case_free(&kase);
    }
    assert_true(finished + 3 * test_size() > resolved);
}

// Steps of fixed length do not stride over them either, however far away f is large.
static void test_posts_between_steps(void **state)
{
    (void)state;
    static const char *const posts[] = {"u^2 >= 1", "y >= 1 - u^2", "(y - 1/2)^2 + u^2 >= 0.01",
                                        "abs(u) >= 1", "y >= 1/(1 + u^2)"};
    for (uint64_t seed = 0; seed < 20 * test_size(); seed++) {
        Random random = random_seed(seed);
        double place = pow(10, uniform(&random, 0, 4)), width = pow(10, uniform(&random, -8, -3));
        RunOptions options = run_options();
        options.method = RUN_TIMESTEPPING;
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nmass 1 at [x, y, 0]\nlet u = (x - %.17g)/%.17g\n"
                  "constraint post: %s restitution 1\ninitial x' = %.17g, y = 1/2\n"
                  "run to 10 every 1\n",
                  place, width, posts[seed % 5], place / 5);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        if (kase.status == STATUS_OK && case_last(&kase, "x") > place)
            fail_msg("seed %d: passed\n%s", (int)seed, text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// f is many orders of magnitude larger far from the post than at its top, in any units: what counts
// as 0 is measured there. Flown at, or flown over.
static void test_steep_posts(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    static const char *const posts[] = {"%.17g*y >= %.17g*(1 - u^2)", "%.17g*(y - 1 + u^2) >= 0*%g",
                                        "%.17g*log(y + u^2) >= 0*%g"};
    size_t finished = 0;
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        double width = pow(10, uniform(&random, -10, -3)), scale = pow(10, uniform(&random, -9, 9));
        double place = uniform(&random, 0, 1) < 0.5 ? uniform(&random, 1, 9)
                                                    : width * pow(10, uniform(&random, 3, 6));
        double height = uniform(&random, 0.1, 1.5), u = height < 1 ? sqrt(1 - height) : 0;
        double steep = 2 * u / width, push = u > 0 ? 2 / (steep + 1 / steep) : 0;
        double left = place + u * width, x = place - u * width + (1 - push * steep) * left;
        double y = height + push * left;
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\ninitial x = 0, y = %.17g, x' = 1, y' = 0"
                  "\nrun to %.17g every %.17g\nlet u = (x - %.17g)/%.17g\nconstraint post: ",
                  height, 2 * place, place / 5, place, width);
        text_addf(&text, posts[seed / 4 % 3], scale, scale);
        text_add(&text, " restitution 1\n");
        EventCase kase = event_case_with(text.at, options);
        bool whole = kase.run.status == STATUS_OK;
        finished += whole;
        if (whole && (fabs(case_last(&kase.run, "x") - x) > 1e-6 * place ||
                      fabs(case_last(&kase.run, "y") - y) > 1e-6))
            fail_msg("seed %d, method %d: x = %.12g for %.12g, y = %.12g for %.12g\n%s", (int)seed,
                     (int)options.method, case_last(&kase.run, "x"), x, case_last(&kase.run, "y"),
                     y, text.at);
        text_clear(&text);
        event_case_free(&kase);
    }
    print_message("%d of %d finished\n", (int)finished, (int)(SEEDS * test_size()));
    assert_true(3 * finished > 2 * SEEDS * test_size());
}

// Where no subdivision tells whether a condition holds, the run ends and names it.
static void test_undecided(void **state)
{
    (void)state;
    RunOptions options = run_options();
    EventCase kase = event_case_with(
        "coord x, y\nkinetic (x'^2 + y'^2)/2\ninitial x = 0, y = 1.5, x' = 1, y' = 0\n"
        "run to 10 every 1\nconstraint comb: y >= sin(1e9*x) + cos(1e9*x)\n",
        options);
    assert_int_equal(kase.run.status, STATUS_NEGATIVE);
    assert_true(case_says(&kase.run, DIAG_ERROR, "'comb' changes faster than can be resolved"));
    event_case_free(&kase);
}

// Conditions without a finite slope on their surface have no reaction: the run ends there and says
// so.
static void test_flat(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF, RUN_TIMESTEPPING};
    static const char *const conditions[] = {
        "u^3",     "u*abs(u)", "u^5",        "u^2*u*abs(u)",      "u*abs(u)^0.5",
        "u^(5/3)", "u^(1/3)",  "u - sin(u)", "u^3*(x + y - 7)^2", "sign(u)*u^2*exp(x)"};
    for (uint64_t seed = 0; seed < 50 * test_size(); seed++) {
        Random random = random_seed(seed);
        double a = uniform(&random, -1, 1), place = uniform(&random, -3, 0.5);
        RunOptions options = run_options();
        options.method = methods[seed % 5];
        Text text = {0};
        text_addf(&text,
                  "coord x, y\nkinetic (x'^2 + 2*y'^2)/2\ninitial x = 1, y = 0, x' = -1, "
                  "y' = 0.1\nrun to 6 every 0.5\nlet u = x + %.9f*y - %.9f\n",
                  a, place);
        text_addf(&text, "constraint wall: %s >= 0 restitution 0.5\n", conditions[seed / 5 % 10]);
        EventCase kase = event_case_with(text.at, options);
        if (kase.run.status == STATUS_OK ||
            !case_says(&kase.run, DIAG_ERROR, "'wall' touches, and no coordinate"))
            fail_msg("seed %d, method %d: it went on, or gave another reason\n%s", (int)seed,
                     (int)options.method, text.at);
        text_clear(&text);
        event_case_free(&kase);
    }
}

// An argument that underflows beside its places is flat there but for rounding: a run that took
// forever. The energy (1 + 2·atan(…))·x'^2/2 is constant, so that the velocity is known in between.
static void test_underflow(void **state)
{
    (void)state;
    RunCase kase = case_run("coord x\nlet q = (x - 0.5)*(x - 1)/0.0001\n"
                            "kinetic (1 + 2*atan(5*exp(-q^2)))*x'^2/2\n"
                            "initial x' = 1.4\nrun to 1 every 0.25\n");
    case_expect(&kase, STATUS_OK);
    assert_near(case_last(&kase, "x'"), 1.4, 1e-9);
    assert_near(case_last(&kase, "x"), 1.4, 1e-2);
    case_free(&kase);
}

// ---- An inertia that changes within w of a line across the plane, x + a·y = c: what its square
// and its derivative hold must not be multiplied out, or digits cancel as (c/w)². The same motion
// in x/w, y/w and t/w is integrated here.
typedef struct {
    double a, b, width, x;
    bool arctan;
} Oblique;

static void oblique_rates(const Oblique *o, const double *s, double *rates)
{
    double u = s[0] + o->a * s[1] - 3;
    double f = o->arctan ? atan(u) : u / sqrt(1 + u * u);
    double slope = o->arctan ? 1 / (1 + u * u) : pow(1 + u * u, -1.5);
    double m = 1 + f * f, dm = 2 * f * slope, determinant = 1.5 * m - o->b * o->b;
    double Q = dm * s[2] * s[2] / 2 - dm * (s[2] + o->a * s[3]) * s[2] -
               o->width * (0.6 * (o->x + o->width * s[0]) + s[2] / 100);
    double R = o->a * dm * s[2] * s[2] / 2 + o->width * (0.2 - s[3] / 50);
    rates[0] = s[2];
    rates[1] = s[3];
    rates[2] = (1.5 * Q - o->b * R) / determinant;
    rates[3] = (m * R - o->b * Q) / determinant;
}

// By Runge and Kutta's method, from x = y = 0 and x' = 1.
static void oblique_motion(const Oblique *o, double to, double *s)
{
    enum { STEPS = 4000 };
    double h = to / STEPS, k[4][4], moved[4];
    static const double weights[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (size_t step = 0; step < STEPS; step++) {
        double start[4];
        memcpy(start, s, sizeof start);
        for (size_t j = 0; j < 4; j++) {
            for (size_t i = 0; i < 4; i++)
                moved[i] = start[i] + (j == 0 ? 0 : (j == 3 ? 1 : 0.5) * h * k[j - 1][i]);
            oblique_rates(o, moved, k[j]);
            for (size_t i = 0; i < 4; i++)
                s[i] += h * weights[j] * k[j][i];
        }
    }
}

static void test_oblique(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30 * test_size(); seed++) {
        Random random = random_seed(seed);
        Oblique o = {.a = round(uniform(&random, -1, 1) * 100) / 100,
                     .b = round(uniform(&random, -0.5, 0.5) * 100) / 100,
                     .width = round(pow(10, uniform(&random, -6, -3)) * 1e12) / 1e12,
                     .x = round(uniform(&random, 0.3, 1.5) * 1e3) / 1e3,
                     .arctan = seed % 3 == 0};
        double y = round(uniform(&random, 0.3, 1.5) * 1e3) / 1e3;
        double to = round(8 * o.width * 1e9) / 1e9;
        RunOptions options = run_options();
        options.method = random_below(&random, 2) ? RUN_TAYLOR : RUN_ERK;
        Text text = {0};
        text_addf(&text, "coord x, y\nlet u = (x + %.2f*y - %.15f)/%.12f\n", o.a,
                  o.x + o.a * y + 3 * o.width, o.width);
        text_addf(&text, "kinetic %s^2*x'^2/2 + x'^2/2 + 3*y'^2/4 + %.2f*x'*y'\n",
                  o.arctan ? "atan(u)" : "(u/sqrt(1 + u^2))", o.b);
        text_add(&text, "potential 0.3*x^2\nforce -x'/100 along x\nforce 0.2 - y'/50 along y\n");
        text_addf(&text, "initial x = %.3f, y = %.3f, x' = 1, y' = 0\nrun to %.12f every %.12f\n",
                  o.x, y, to, to);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double s[4] = {0, 0, 1, 0};
        oblique_motion(&o, to / o.width, s);
        double error =
            fmax(fabs(case_last(&kase, "x'") - s[2]), fabs(case_last(&kase, "y'") - s[3]));
        if (kase.status != STATUS_OK || !(error <= 1e-9 + 3e-15 / o.width))
            fail_msg("seed %d: off by %.1e\n%s", (int)seed, error, text.at);
        text_clear(&text);
        case_free(&kase);
    }
}

// A force along a line that is the slope of a roof of a small part of the way, on a wire or without
// one: the energy decides whether it turns back, and tells when and how fast it leaves. On the way
// of some last digits behind a switch the force acts, too. Few of the narrowest may be refused.
static void test_roofs(void **state)
{
    (void)state;
    size_t finished = 0;
    for (uint64_t seed = 0; seed < 60 * test_size(); seed++) {
        Random random = random_seed(seed);
        bool wire = seed % 4 > 0;
        double place = uniform(&random, 0.3, 3), part = pow(10, uniform(&random, -8, -3));
        double speed = pow(10, uniform(&random, -1, 1)), angle = uniform(&random, 0.1, 1.4);
        double high = seed / 4 % 2 ? uniform(&random, 1.1, 3) : uniform(&random, -3, 0.9);
        double ca = wire ? cos(angle) : 1, sa = wire ? sin(angle) : 0, width = part * place;
        double height = high * speed * speed / 2, to = 1.6 * place / speed;
        // Inside, the speed changes evenly, from `speed` to `top` on either side.
        double top = high < 1 ? speed * sqrt(1 - high) : -speed;
        double inside = high < 1 ? 4 * width / (speed + top) : 2 * speed * width / height;
        double left = to - (place - width) / speed - inside;
        double after = high < 1 ? speed : -speed;
        double s = place + (high < 1 ? width : -width) + after * left;
        RunOptions options = run_options();
        options.method = seed / 8 % 2 ? RUN_TAYLOR : RUN_ERK;
        Text text = {0};
        text_addf(&text, "param a = %.17g, w = %.17g, h = %.17g, ca = %.17g, sa = %.17g\n", place,
                  width, height, ca, sa);
        text_add(&text, "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                        "let U = h*max(0, 1 - abs((ca*x + sa*y - a)/w))\n");
        text_add(&text, "force -diff(U, x) along x\nforce -diff(U, y) along y\n");
        text_add(&text, wire ? "constraint g: ca*y = sa*x\n" : "");
        text_addf(&text, "initial x = 0, y = 0, x' = %.17g\nrun to %.17g every %.17g\n", speed * ca,
                  to, to / 20);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        // A place has 16 digits, and what the last ones are of the width the speed cannot tell.
        double bound = 1e-9 + 50 * DBL_EPSILON / part * fmax(fabs(high), 1);
        double error = fmax(fabs(case_last(&kase, "x'") / (ca * speed) - after / speed),
                            fabs(case_last(&kase, "x") / ca - s) / place);
        finished += kase.status == STATUS_OK;
        if (kase.status == STATUS_OK && !(error <= bound))
            fail_msg("seed %d, method %d: off by %.2e, more than %.2e\n%s", (int)seed,
                     (int)options.method, error, bound, text.at);
        text_clear(&text);
        case_free(&kase);
    }
    assert_true(finished >= 55 * test_size());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_fixed_steps),
        cmocka_unit_test(test_posts),
        cmocka_unit_test(test_far_posts),
        cmocka_unit_test(test_thinnest_posts),
        cmocka_unit_test(test_steep_posts),
        cmocka_unit_test(test_undecided),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_arcs),
        cmocka_unit_test(test_underflow),
        cmocka_unit_test(test_oblique),
        cmocka_unit_test(test_inverse_powers),
        cmocka_unit_test(test_posts_between_steps),
        cmocka_unit_test(test_roofs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
