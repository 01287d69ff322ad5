// N four-bar linkages (IFToMM A02) through their flat positions, by angles and by points, at
// tolerances down to 1e-13: ten positions in ten seconds, the energy to 1e-9 of its largest part.
// The truth is integrated in the one angle that they have.
#include "event_case.h"
#include "switched_motion.h"
#include "uniform.h"

enum { SEEDS = 8, ROWS = 101 };

// ½ J q'² + W sin q.
typedef struct {
    size_t count;
    double J, W, speed, tolerance;
} Linkage;

static void linkage_rates(const SwitchedMotion *motion, double t, const double *s, double *rate)
{
    const Linkage *own = motion->model;
    (void)t;
    rate[0] = s[1];
    rate[1] = -own->W / own->J * cos(s[0]);
}

// Rods of 1 kg and 1 m; the first crank turns by a0, the coupler before crank i by b.
static void write_angles(const Linkage *own, Text *text)
{
    Text T = {0}, U = {0};
    text_add(text, "coord a0");
    for (size_t i = 1; i <= own->count; i++)
        text_addf(text, ", a%zu, b%zu", i, i);
    text_addf(text, "\ninitial a0 = pi/2, a0' = %.17g\n", -own->speed);
    text_add(&T, "a0'^2/6");
    text_add(&U, "sin(a0)/2");
    for (size_t i = 1, h = 0; i <= own->count; h = i++) {
        text_addf(&T, " + a%zu'^2/6 + b%zu'^2/24 + ((sin(a%zu)*a%zu' + sin(b%zu)*b%zu'/2)^2", i, i,
                  h, h, i, i);
        text_addf(&T, " + (cos(a%zu)*a%zu' + cos(b%zu)*b%zu'/2)^2)/2", h, h, i, i);
        text_addf(&U, " + sin(a%zu)/2 + sin(a%zu) + sin(b%zu)/2", i, h, i);
        text_addf(text, "constraint x%zu: cos(a%zu) - cos(a%zu) = 1 - cos(b%zu)\n", i, h, i, i);
        text_addf(text, "constraint y%zu: sin(a%zu) - sin(a%zu) = -sin(b%zu)\n", i, h, i, i);
        text_addf(text, "initial a%zu = pi/2, b%zu = 0\n", i, i);
    }
    text_addf(text, "kinetic %s\npotential 9.81*(%s)\n", T.at, U.at);
    text_clear(&T);
    text_clear(&U);
}

static void write_points(const Linkage *own, Text *text)
{
    Text T = {0}, U = {0};
    text_add(text, "coord x0, y0");
    for (size_t i = 1; i <= own->count; i++)
        text_addf(text, ", x%zu, y%zu", i, i);
    text_addf(text, "\ninitial x0' = %.17g\n", own->speed);
    for (size_t i = 0; i <= own->count; i++) {
        text_addf(&T, "%s(x%zu'^2 + y%zu'^2)/6", i ? " + " : "", i, i);
        text_addf(&U, "%sy%zu/2", i ? " + " : "", i);
        text_addf(text, "constraint c%zu: (x%zu - %zu)^2 + y%zu^2 = 1\n", i, i, i, i);
        text_addf(text, "initial x%zu = %zu, y%zu = 1\n", i, i, i);
    }
    for (size_t i = 1, h = 0; i <= own->count; h = i++) {
        text_addf(&T, " + (x%zu'^2 + x%zu'*x%zu' + x%zu'^2", h, h, i, i);
        text_addf(&T, " + y%zu'^2 + y%zu'*y%zu' + y%zu'^2)/6", h, h, i, i);
        text_addf(&U, " + (y%zu + y%zu)/2", h, i);
        text_addf(text, "constraint d%zu: (x%zu - x%zu)^2 + (y%zu - y%zu)^2 = 1\n", i, i, h, i, h);
    }
    text_addf(text, "kinetic %s\npotential 9.81*(%s)\n", T.at, U.at);
    text_clear(&T);
    text_clear(&U);
}

static void expect_motion(const Linkage *own, bool points)
{
    SwitchedMotion motion = {2, 0, own, linkage_rates, NULL, {0}};
    double truth[ROWS][SWITCHED_SIZE], start[2] = {acos(0), -own->speed}, fastest = 0;
    size_t flat = 0, passed = 0;
    assert_true(switched_follow(&motion, start, 0.1, ROWS, 200, truth));
    for (size_t i = 0; i < ROWS; i++)
        fastest = fmax(fastest, fabs(truth[i][1]));
    flat = (size_t)floor((acos(0) - truth[ROWS - 1][0]) / acos(-1) + 0.5);
    Text text = {0};
    (points ? write_points : write_angles)(own, &text);
    text_add(&text, "run to 10 every 0.1\n");
    RunOptions options = run_options();
    options.tolerance = own->tolerance;
    EventCase kase = event_case_with(text.at, options);
    case_expect(&kase.run, STATUS_OK);
    for (size_t i = 0; i < kase.events.count; i++)
        passed += kase.events.at[i].kind == RUN_SINGULAR;
    double energy = case_value(&kase.run, 0, "energy");
    double largest = fmax(own->J * fastest * fastest / 2, own->W), worst = 0, miss = 0;
    for (size_t i = 0; i < case_row_count(&kase.run); i++) {
        double t = case_value(&kase.run, i, "t"), q = truth[lrint(10 * t)][0];
        if (fabs(10 * t - rint(10 * t)) > 1e-9)
            continue;
        worst = fmax(worst, fabs(case_value(&kase.run, i, "energy") - energy));
        miss = fmax(miss, points ? fabs(case_value(&kase.run, i, "y0") - sin(q))
                                 : fabs(case_value(&kase.run, i, "a0") - q));
    }
    if (passed != flat || !(worst <= 1e-9 * largest) || !(miss < 1e-6))
        fail_msg("%zu loops by %s, speed %.17g, tolerance %g: %zu positions of %zu, the energy is "
                 "off by %g of its largest part, the motion by %g",
                 own->count, points ? "points" : "angles", own->speed, own->tolerance, passed, flat,
                 worst / largest, miss);
    event_case_free(&kase);
    text_clear(&text);
}

static void test_flat_linkages(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        double n = (double)(1 + random_below(&random, 6));
        Linkage own = {.count = (size_t)n,
                       .J = (n + 1) / 3 + n,
                       .W = ((n + 1) / 2 + n) * 9.81,
                       .speed = uniform(&random, 0.9, 1.3),
                       .tolerance = pow(10, -uniform(&random, 9.5, 13))};
        expect_motion(&own, false);
        expect_motion(&own, true);
    }
}

// A crank and a rod of one length: where both stand upright the slider may rest, and the crank turn
// on. What a method does not follow it tells.
static void test_equal_lengths(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ADAMS, RUN_ERK, RUN_ADAMS, RUN_BDF};
    size_t finished = 0;
    for (uint64_t seed = 0; seed < 30 * test_size(); seed++) {
        Random random = random_seed(seed);
        double m = uniform(&random, 0.1, 3), theta = uniform(&random, 0.2, 1.3),
               w = uniform(&random, 0.5, 2), every = random_below(&random, 2) ? 0.5 : 0.1;
        RunOptions options = run_options();
        options.method = methods[seed % 5];
        options.tolerance = seed % 3 == 0 ? 1e-9 : 1e-10;
        Text text = {0};
        text_addf(&text,
                  "coord theta, psi, x\nconstraint a: cos(theta) + cos(psi) = x\n"
                  "constraint b: sin(theta) - sin(psi) = 0\nkinetic theta'^2/2 + %.9f*x'^2/2\n"
                  "initial theta = %.9f, psi = %.9f, x = 2*cos(%.9f), theta' = %.9f\n"
                  "run to 8 every %g\n",
                  m, theta, theta, theta, w, every);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        // (1 + 4·m·sin²θ)·θ'² is constant.
        double constant = w * sqrt(1 + 4 * m * pow(sin(theta), 2)), h = 8.0 / 8000;
        for (size_t i = 0; i < 8000; i++) {
            double k[4], at = theta;
            for (size_t stage = 0; stage < 4; stage++) {
                k[stage] = constant / sqrt(1 + 4 * m * pow(sin(at), 2));
                at = theta + (stage < 2 ? h / 2 : h) * k[stage];
            }
            theta += h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]);
        }
        finished += kase.status == STATUS_OK;
        if (kase.status == STATUS_OK && fabs(case_last(&kase, "theta") - theta) > 1e-4)
            fail_msg("seed %d: theta = %.9g for %.9g\n%s", (int)seed, case_last(&kase, "theta"),
                     theta, text.at);
        text_clear(&text);
        case_free(&kase);
    }
    assert_true(4 * finished > 30 * test_size());
}

// The loop of a parallelogram as two finite conditions, and a third condition that follows from
// them with numbers or functions for coefficients, in any order: one is set aside, which may be one
// of the two; then the others become dependent where all three are not.
static void write_loop(Random *random, double part, Text *text)
{
    static const char *const functions[][2] = {{"cos(a)", "sin(a)"},
                                               {"sin(b + c)", "cos(b + c)"},
                                               {"(2 + cos(2*a))", "(1 + sin(c))"},
                                               {"cos(2*a)", "(a - 1)"}};
    const char *const *two = functions[random_below(random, 4)];
    bool varies = random_below(random, 2) > 0;
    for (size_t i = random_below(random, 3), count = 0; count < 3; i = (i + 1) % 3, count++) {
        if (i < 2)
            text_add(text, i == 0 ? "constraint lx: Q.x = l + cos(c)\n"
                                  : "constraint ly: Q.y = sin(c)\n");
        else if (varies)
            text_addf(text, "constraint again: %s*(Q.x - cos(c))' + %s*(Q.y - sin(c))' = 0\n",
                      two[0], two[1]);
        else
            text_addf(text, "constraint again: Q.x + %.17g*Q.y = l + cos(c) + %.17g*sin(c)\n", part,
                      part);
    }
}

// A parallelogram with drag, one condition of which follows from the others and is set aside: it
// stays one, by every method, or the run ends. It turns by v·(1 − exp(−kt))/k.
static void test_set_aside(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    size_t finished = 0;
    for (uint64_t seed = 0; seed < 48 * test_size(); seed++) {
        Random random = random_seed(seed);
        double a = uniform(&random, 0.3, 1.5), v = uniform(&random, 0.6, 1.5),
               l = uniform(&random, 1.5, 3), k = uniform(&random, 0.01, 0.07),
               part = uniform(&random, -2, 2);
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        options.tolerance = pow(10, -uniform(&random, 5, 10));
        Text text = {0};
        text_addf(&text,
                  "param l = %.17g\ncoord a, b, c\npoint P = [cos(a), sin(a), 0]\n"
                  "point Q = P + l*[cos(b), sin(b), 0]\nmass 1 at P\nmass 1 at Q\n"
                  "force -%.17g*a' along a\ninitial a = %.17g, b = 0, c = %.17g, a' = %.17g\n"
                  "run to 10 every 1\n",
                  l, 2 * k, a, a, v);
        write_loop(&random, part, &text);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double right = a + v / k * (1 - exp(-10 * k));
        bool whole = kase.status == STATUS_OK;
        finished += whole;
        if (whole ? !(fabs(case_last(&kase, "a") - right) < 1e3 * options.tolerance &&
                      fabs(case_last(&kase, "b")) < 1e3 * options.tolerance)
                  : options.method == RUN_TAYLOR)
            fail_msg("seed %d, method %d, %g: a = %.12g for %.12g, b = %g\n%s", (int)seed,
                     (int)options.method, options.tolerance, case_last(&kase, "a"), right,
                     case_last(&kase, "b"), text.at);
        case_free(&kase);
        text_clear(&text);
    }
    assert_true(4 * finished >= 48 * test_size());
}

// A crank and a rod of one length, whose two conditions are joined by a third one that is made of
// them with coefficients which depend on the position: where both stand upright there are two
// branches, whichever of the conditions is set aside.
static void test_branches_beside_set_aside(void **state)
{
    (void)state;
    static const char *const two[][2] = {
        {"sin(a)", "cos(a)"}, {"(2 + cos(a))", "(1.5 + sin(b))"}, {"exp(0.3*sin(b))", "sin(b)"}};
    for (uint64_t seed = 0; seed < 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        double a = uniform(&random, 0.2, 1.2), w = uniform(&random, 3, 6);
        const char *const *parts = two[random_below(&random, 3)];
        Text text = {0};
        text_add(&text, "coord b, a, x\nmass 1 at [cos(a)/2, sin(a)/2, 0]\nmass 1 at [x, 0, 0]\n");
        for (size_t i = random_below(&random, 3), count = 0; count < 3; i = (i + 1) % 3, count++)
            if (i < 2)
                text_add(&text, i == 0 ? "constraint p: cos(a) + cos(b) = x\n"
                                       : "constraint r: sin(a) + sin(b) = 0\n");
            else
                text_addf(&text,
                          "constraint e: %s*(cos(a) + cos(b) - x)' + %s*(sin(a) + sin(b))' = 0\n",
                          parts[0], parts[1]);
        text_addf(&text, "initial a = %.17g, a' = %.17g, b = %.17g, x = 2*cos(%.17g)\nrun to 3\n",
                  a, w, -a, a);
        EventCase kase = event_case(text.at);
        size_t passed = 0;
        for (size_t i = 0; i < kase.events.count; i++) {
            bool upright = kase.events.at[i].kind == RUN_SINGULAR;
            passed += upright;
            if (upright && kase.events.at[i].branches != 2)
                fail_msg("%zu branches at t = %.9g\n%s", kase.events.at[i].branches,
                         kase.events.at[i].t, text.at);
        }
        double turned = case_last(&kase.run, "a");
        if (fabs(case_last(&kase.run, "b") + turned) > 1e-6 ||
            passed != (size_t)floor(turned / acos(-1) + 0.5))
            fail_msg("%zu positions, a = %.9g\n%s", passed, turned, text.at);
        event_case_free(&kase);
        text_clear(&text);
    }
}

// Bennett's linkage: four hinges in space, six conditions on three angles, of which two are
// independent where the loop is closed, and which two depends on the position. Links without mass
// but the first, which turns evenly, or with drag by v·(1 − exp(−kt))/k.
static void test_bennett(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK,    RUN_TAYLOR,
                                        RUN_ADAMS,  RUN_TAYLOR, RUN_BDF};
    size_t finished = 0, count = 36 * test_size();
    for (uint64_t seed = 0; seed < count; seed++) {
        Random random = random_seed(seed);
        double first = uniform(&random, 0.3, 1.2), second = uniform(&random, 1.4, 2.6),
               th = uniform(&random, 0.4, 2.7), v = uniform(&random, 0.5, 3),
               k = uniform(&random, 0.01, 0.3),
               ratio = sin((second + first) / 2) / sin((second - first) / 2);
        RunOptions options = run_options();
        options.method = methods[seed % 6];
        options.tolerance = pow(10, -uniform(&random, 6, 11));
        double other = 2 * atan2(ratio * cos(th / 2), sin(th / 2));
        Text text = {0};
        text_addf(&text,
                  "param e = %.17g, f = %.17g, a = 1, b = sin(f)/sin(e)\ncoord x, y, z\n"
                  "frame A = world rotate x about z\nframe B = A rotate e about x\n"
                  "frame C = B rotate y about z\nframe D = C rotate f about x\n"
                  "frame E = D rotate z about z\nframe F = E rotate e about x\n"
                  "point P = a*A.x + b*C.x + a*E.x\nmass 1 at A.x\nforce -%.17g*x' along x\n%s"
                  "initial x = %.17g, x' = %.17g\ninitial approx y = %.17g, z = %.17g\n"
                  "run to 4 every 0.5\n",
                  first, second, k,
                  random_below(&random, 2)
                      ? "constraint c: P = [-b, 0, 0]\nconstraint d: F.z = [0, sin(f), cos(f)]\n"
                      : "constraint d: F.z = [0, sin(f), cos(f)]\nconstraint c: P = [-b, 0, 0]\n",
                  th, v, other, -th);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double right = th + v / k * (1 - exp(-4 * k)), limit = 1e3 * options.tolerance;
        double half = case_last(&kase, "y") / 2;
        bool whole = kase.status == STATUS_OK;
        finished += whole;
        if (whole ? !(fabs(case_last(&kase, "x") - right) < limit &&
                      fabs(sin(half) * sin(right / 2) - ratio * cos(right / 2) * cos(half)) <
                          limit * (1 + ratio))
                  : options.method == RUN_TAYLOR)
            fail_msg("seed %d, method %d, %g: status %d, x = %.12g for %.12g, y = %.12g\n%s",
                     (int)seed, (int)options.method, options.tolerance, (int)kase.status,
                     case_last(&kase, "x"), right, 2 * half, text.at);
        case_free(&kase);
        text_clear(&text);
    }
    assert_true(2 * finished >= count);
}

// Three parallel cranks with drag, one of whose conditions is left out at the start, and beside
// them a parallelogram or none: each turns by v·(1 − exp(−kt))/k. The order of the conditions tells
// which one is left out: at some positions the others become dependent that are not singular.
static void write_cranks(Random *random, double a, double v, double k, bool beside, Text *text)
{
    double l = uniform(random, 1.5, 3), m = uniform(random, 0.3, 1.2), n = uniform(random, 1.5, 3);
    bool first = random_below(random, 2) == 0;
    text_addf(text,
              "param l = %.17g, m = %.17g, n = %.17g\ncoord a, b, c, d%s\n"
              "point P = [cos(a), sin(a), 0]\npoint Q = P + l*[cos(b), sin(b), 0]\n"
              "point M = P + m*[cos(b), sin(b), 0]\nmass 1 at P\nmass 1 at Q\n"
              "constraint lx: Q.x = l + cos(c)\nconstraint ly: Q.y = sin(c)\n%s%s"
              "force -%.17g*a' along a\n"
              "initial a = %.17g, b = 0, c = %.17g, d = %.17g, a' = %.17g\n",
              l, m, n, beside ? ", e, f, g" : "",
              first ? "constraint my: M.y = sin(d)\n" : "constraint mx: M.x = m + cos(d)\n",
              first ? "constraint mx: M.x = m + cos(d)\n" : "constraint my: M.y = sin(d)\n", 2 * k,
              a, a, a, v);
    if (beside)
        text_addf(text,
                  "point S = [cos(e), sin(e), 3]\npoint U = S + n*[cos(f), sin(f), 0]\n"
                  "constraint nx: U.x = n + cos(g)\nconstraint ny: U.y = sin(g)\n"
                  "mass 1 at S\nmass 1 at U\nforce -%.17g*e' along e\n"
                  "initial e = %.17g, f = 0, g = %.17g, e' = %.17g\n",
                  2 * k, a, a, v);
    text_add(text, "run to 10 every 1\n");
}

static void test_left_out(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK,    RUN_TAYLOR,
                                        RUN_ADAMS,  RUN_TAYLOR, RUN_BDF};
    size_t finished = 0;
    for (uint64_t seed = 0; seed < 36 * test_size(); seed++) {
        Random random = random_seed(seed);
        double a = uniform(&random, 0.3, 1.5), v = uniform(&random, 0.6, 1.5),
               k = uniform(&random, 0.01, 0.07);
        bool beside = random_below(&random, 4) > 0;
        RunOptions options = run_options();
        options.method = methods[seed % 6];
        options.tolerance = pow(10, -uniform(&random, 5, 10));
        Text text = {0};
        write_cranks(&random, a, v, k, beside, &text);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double right = a + v / k * (1 - exp(-10 * k)), limit = 1e3 * options.tolerance;
        bool whole = kase.status == STATUS_OK;
        finished += whole;
        if (whole ? !(fabs(case_last(&kase, "a") - right) < limit &&
                      fabs(case_last(&kase, "d") - right) < limit &&
                      (!beside || fabs(case_last(&kase, "e") - right) < limit))
                  : options.method == RUN_TAYLOR)
            fail_msg("seed %d, method %d, %g: status %d, a = %.12g for %.12g, e = %.12g\n%s",
                     (int)seed, (int)options.method, options.tolerance, (int)kase.status,
                     case_last(&kase, "a"), right, beside ? case_last(&kase, "e") : NAN, text.at);
        case_free(&kase);
        text_clear(&text);
    }
    assert_true(2 * finished >= 36 * test_size());
}

// A crank of a parallelogram is struck about where it lies flat: its momentum goes on along it, or
// the run says that nothing there determines the velocities. A mass beside it is struck as ever.
static void test_struck_flat(void **state)
{
    (void)state;
    Random random = random_seed(4021);
    size_t finished = 0, rounds = 40 * test_size();
    for (size_t round = 0; round < rounds; round++) {
        double d = uniform(&random, 0.5, 3), m = uniform(&random, 0.5, 3),
               p = uniform(&random, -1, 1);
        double v = uniform(&random, 0.5, 2),
               t = 1 + (round % 4 ? pow(10, uniform(&random, -16, -3)) : 0);
        size_t kind = random_below(&random, 3);
        Text text = {0};
        text_addf(&text,
                  "coord a, b, c, z\npoint A = [cos(a), sin(a), 0]\n"
                  "point B = [%.17g + cos(c), sin(c), 0]\nmass 1 at A\nmass %.17g at B\n"
                  "kinetic z'^2/2\nconstraint x: A.x + %.17g*cos(b) = B.x\n"
                  "constraint y: A.y + %.17g*sin(b) = B.y\nimpulse %.17g along %s when t = %.17g\n"
                  "initial a = pi - %.17g, b = 0, c = pi - %.17g, a' = %.17g\nrun to 1.5\n",
                  d, m, d, d, p,
                  kind == 0   ? "a"
                  : kind == 1 ? "c"
                              : "z",
                  t, v, v, v);
        RunCase kase = case_start(text.at, run_options());
        case_go(&kase);
        bool whole = kase.status == STATUS_OK, beside = kind == 2;
        double later = (1.5 - t) * p, a = acos(-1) + v / 2 + (beside ? 0 : later / (1 + m));
        finished += whole;
        if (whole ? fabs(case_last(&kase, "a") - a) > 1e-5 ||
                        fabs(case_last(&kase, "z") - (beside ? later : 0)) > 1e-9
                  : beside || !case_says(&kase, DIAG_ERROR, "dependent"))
            fail_msg("status %d, a = %.12g for %.12g\n%s", (int)kase.status, case_last(&kase, "a"),
                     a, text.at);
        case_free(&kase);
        text_clear(&text);
    }
    assert_true(2 * finished >= rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flat_linkages),
                                       cmocka_unit_test(test_equal_lengths),
                                       cmocka_unit_test(test_set_aside),
                                       cmocka_unit_test(test_left_out),
                                       cmocka_unit_test(test_struck_flat),
                                       cmocka_unit_test(test_bennett),
                                       cmocka_unit_test(test_branches_beside_set_aside)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
