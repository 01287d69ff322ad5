// Motions through positions at which the rank of the conditions falls, drawn at random. The truth
// is the same motion in one coordinate, without conditions, on the branch that continues smoothly.
#include "event_case.h"
#include "uniform.h"

#include "dynamics/tangent_cone.h"
#include "simulate/run_leave.h"

enum { SEEDS = 32, KINDS = 5 };

// A model, the same in the coordinate q alone, and a coordinate of the first: its value by that of
// q.
typedef struct {
    Text text, reduced;
    const char *name;
    double (*of)(double q);
} SingularCase;

static double itself(double q)
{
    return q;
}

// ---- Parallelograms side by side: cranks of one length and couplers of any, each with its own
// mass. They lie flat where q is a multiple of 180°.

typedef struct {
    Text T, U, rest;
    double l, inertia, weight; // of the cranks; of all together about q
} Parallelograms;

static void add_crank(Parallelograms *all, size_t i, double m)
{
    double inertia = m * all->l * all->l / 3, weight = 9.81 * m * all->l / 2;
    text_addf(&all->T, "%s%.17g*a%zu'^2", i ? " + " : "", inertia / 2, i);
    text_addf(&all->U, "%s%.17g*sin(a%zu)", i ? " + " : "", weight, i);
    all->inertia += inertia;
    all->weight += weight;
}

// From the tip of crank i − 1 to that of crank i.
static void add_coupler(Parallelograms *all, size_t i, double m, double d)
{
    double l = all->l, h = d / 2;
    text_addf(&all->T, " + %.17g*((%.17g*sin(a%zu)*a%zu' + %.17g*sin(b%zu)*b%zu')^2", m / 2, l,
              i - 1, i - 1, h, i, i);
    text_addf(&all->T, " + (%.17g*cos(a%zu)*a%zu' + %.17g*cos(b%zu)*b%zu')^2) + %.17g*b%zu'^2", l,
              i - 1, i - 1, h, i, i, m * d * d / 24, i);
    text_addf(&all->U, " + %.17g*(%.17g*sin(a%zu) + %.17g*sin(b%zu))", 9.81 * m, l, i - 1, h, i);
    text_addf(&all->rest,
              "constraint x%zu: %.17g*(cos(a%zu) - cos(a%zu)) = %.17g*(1 - cos(b%zu))\n", i, l,
              i - 1, i, d, i);
    text_addf(&all->rest, "constraint y%zu: %.17g*(sin(a%zu) - sin(a%zu)) = -%.17g*sin(b%zu)\n", i,
              l, i - 1, i, d, i);
    all->inertia += m * l * l;
    all->weight += 9.81 * m * l;
}

// Or rhombuses, in which each crank may come to rest where the next one goes on.
static void draw_parallelograms(Random *random, SingularCase *kase, bool rhombuses)
{
    size_t count = 1 + random_below(random, 5);
    Parallelograms all = {.l = uniform(random, 0.5, 2)};
    double q = uniform(random, 0.4, 2.7), v = -uniform(random, 5, 9) / all.l;
    text_add(&kase->text, "coord a0");
    text_addf(&all.rest, "initial a0 = %.17g, a0' = %.17g\n", q, v);
    add_crank(&all, 0, uniform(random, 0.2, 2));
    for (size_t i = 1; i <= count; i++) {
        text_addf(&kase->text, ", a%zu, b%zu", i, i);
        text_addf(&all.rest, "initial a%zu = %.17g, b%zu = 0\n", i, q, i);
        add_crank(&all, i, uniform(random, 0.2, 2));
        double m = uniform(random, 0.2, 2), d = uniform(random, 0.5, 2);
        add_coupler(&all, i, m, rhombuses ? all.l : d);
    }
    text_addf(&kase->text, "\nkinetic %s\npotential %s\n%s", all.T.at, all.U.at, all.rest.at);
    text_addf(&kase->reduced, "kinetic %.17g*q'^2\npotential %.17g*sin(q)\n", all.inertia / 2,
              all.weight);
    text_addf(&kase->reduced, "initial q = %.17g, q' = %.17g\n", q, v);
    kase->name = "a0";
    kase->of = itself;
    text_clear(&all.T);
    text_clear(&all.U);
    text_clear(&all.rest);
}

// ---- A slider-crank whose rod is as long as its crank: where this is upright, the slider is at
// its bearing, and the rod could go round with the crank.

static void draw_slider_crank(Random *random, SingularCase *kase)
{
    double l = uniform(random, 0.5, 2), J = uniform(random, 0.2, 2), K = uniform(random, 0.2, 2),
           m = uniform(random, 0.2, 2), g = uniform(random, 0, 5), q = uniform(random, -1, 1),
           v = uniform(random, 5, 9);
    text_addf(
        &kase->text,
        "coord a, b, x\nkinetic %.17g*a'^2 + %.17g*b'^2 + %.17g*x'^2\npotential %.17g*sin(a)\n"
        "constraint cx: %.17g*(cos(a) + cos(b)) = x\nconstraint cy: sin(a) + sin(b) = 0\n"
        "initial a = %.17g, b = %.17g, a' = %.17g\n",
        J, K, m, g, l, q, -q, v);
    text_addf(&kase->reduced,
              "kinetic %.17g*q'^2 + %.17g*(sin(q)*q')^2\npotential %.17g*sin(q)\n"
              "initial q = %.17g, q' = %.17g\n",
              J + K, 4 * m * l * l, g, q, v);
    kase->name = "a";
    kase->of = itself;
}

// ---- Points on curves with a node, turned by an angle.

static void draw_curve(Random *random, SingularCase *kase, const char *curve, const char *start)
{
    double angle = uniform(random, 0, 3), a = uniform(random, -2, 2), b = uniform(random, -2, 2);
    double q = uniform(random, 0.4, 0.8), v = -uniform(random, 3, 5), c = cos(angle),
           s = sin(angle);
    // u and w are coordinates too.
    text_addf(
        &kase->text,
        "coord x, y, u, w\nkinetic x'^2 + y'^2\npotential %.17g*u + %.17g*w\nconstraint turnu: "
        "u = %.17g*x + %.17g*y\nconstraint turnw: w = %.17g*y - %.17g*x\nconstraint %s\n",
        a, b, c, s, c, s, curve);
    text_addf(&kase->text, "param q = %.17g, v = %.17g\n%s\n", q, v, start);
    text_addf(&kase->reduced, "param a = %.17g, b = %.17g\ninitial q = %.17g, q' = %.17g\n", a, b,
              q, v);
    kase->name = "u";
}

static SingularCase draw(Random *random, uint64_t kind)
{
    SingularCase kase = {0};
    text_add(&kase.reduced, "coord q\n");
    switch (kind) {
    case 0: draw_slider_crank(random, &kase); break;
    case 1:
        draw_curve(random, &kase, "eight: w^2 = u^2*(1 - u^2)",
                   "initial u = sin(q), w = sin(q)*cos(q), u' = v*cos(q)");
        text_add(&kase.reduced, "kinetic (cos(q)*q')^2 + (cos(2*q)*q')^2\n"
                                "potential a*sin(q) + b*sin(q)*cos(q)\n");
        kase.of = sin;
        break;
    case 2:
        draw_curve(random, &kase, "lines: u*w = 0", "initial u = q, w = 0, u' = v");
        text_add(&kase.reduced, "kinetic q'^2\npotential a*q\n");
        kase.of = itself;
        break;
    case KINDS: draw_parallelograms(random, &kase, true); break;
    default: draw_parallelograms(random, &kase, false);
    }
    return kase;
}

static void test_branches(void **state)
{
    (void)state;
    for (uint64_t i = 0; i <= SEEDS * test_size() + 1; i++) {
        // The last ones passed from one branch to another, or without a word, when pivots changed.
        uint64_t seed = i < SEEDS * test_size() ? i : i == SEEDS * test_size() ? 425 : 920;
        Random random = random_seed(seed);
        SingularCase drawn = draw(&random, seed % KINDS);
        const char *run = "run to 2 every 0.1\n";
        text_add(&drawn.text, run);
        text_add(&drawn.reduced, run);
        EventCase kase = event_case_with(drawn.text.at, run_options());
        EventCase truth = event_case(drawn.reduced.at);
        double right = drawn.of(case_last(&truth.run, "q")), found = NAN;
        bool good = kase.run.status == STATUS_OK && kase.events.count > 0 &&
                    kase.events.at[0].kind == RUN_SINGULAR;
        if (good)
            found = case_last(&kase.run, drawn.name);
        if (good)
            assert_true(kase.events.at[kase.events.count - 1].t <= 2);
        if (!(fabs(found - right) < 1e-7))
            fail_msg("seed %d: status %d, %d events, %s = %.12g for %.12g\n%s", (int)seed,
                     (int)kase.run.status, (int)kase.events.count, drawn.name, found, right,
                     drawn.text.at);
        event_case_free(&kase);
        event_case_free(&truth);
        text_clear(&drawn.text);
        text_clear(&drawn.reduced);
    }
}

// The other methods go across on the same branch, or end there: each of them passes some of these.
static void test_other_methods(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_ERK, RUN_ADAMS, RUN_BDF};
    size_t passed[3] = {0};
    for (uint64_t i = 0; i <= SEEDS * test_size(); i++) {
        uint64_t seed = i < SEEDS * test_size() ? i : 340;
        Random random = random_seed(seed);
        SingularCase drawn = draw(&random, seed % KINDS);
        const char *run = "run to 2 every 0.1\n";
        text_add(&drawn.text, run);
        text_add(&drawn.reduced, run);
        RunOptions options = run_options();
        options.method = methods[seed % 3];
        EventCase kase = event_case_with(drawn.text.at, options);
        EventCase truth = event_case(drawn.reduced.at);
        bool passes = kase.run.status == STATUS_OK && kase.events.count > 0;
        double right = drawn.of(case_last(&truth.run, "q")),
               found = passes ? case_last(&kase.run, drawn.name) : NAN;
        passed[seed % 3] += passes;
        if (passes ? !(fabs(found - right) < 1e-5) : kase.run.status != STATUS_NEGATIVE)
            fail_msg("seed %d: status %d, %d events, %s = %.12g for %.12g\n%s", (int)seed,
                     (int)kase.run.status, (int)kase.events.count, drawn.name, found, right,
                     drawn.text.at);
        event_case_free(&kase);
        event_case_free(&truth);
        text_clear(&drawn.text);
        text_clear(&drawn.reduced);
    }
    assert_true(passed[0] > 0 && passed[1] > 0);
}

// Chains of rhombuses, with ends soon behind a flat position: series go across, the other methods
// too or they end there.
static void test_rhombuses(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    for (uint64_t seed = 0; seed < SEEDS / 3 * test_size(); seed++) {
        Random random = random_seed(seed);
        SingularCase drawn = draw(&random, KINDS);
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        options.to = uniform(&random, 0.2, 1.5);
        options.tolerance = pow(10, -uniform(&random, 8, 12));
        RunOptions careful = run_options();
        careful.to = options.to;
        EventCase kase = event_case_with(drawn.text.at, options);
        EventCase truth = event_case_with(drawn.reduced.at, careful);
        double right = case_last(&truth.run, "q"), found = case_last(&kase.run, drawn.name);
        bool early = options.method != RUN_TAYLOR && kase.run.status == STATUS_NEGATIVE;
        if (!early && !(kase.run.status == STATUS_OK && fabs(found - right) < 1e-4))
            fail_msg("seed %d: status %d, %d events, %s = %.12g for %.12g\n%s", (int)seed,
                     (int)kase.run.status, (int)kase.events.count, drawn.name, found, right,
                     drawn.text.at);
        event_case_free(&kase);
        event_case_free(&truth);
        text_clear(&drawn.text);
        text_clear(&drawn.reduced);
    }
}

// ---- Other branches.

// The same model, which leaves its first singular position by a branch.
static EventCase leave_by(const char *text, size_t number, KeptEvent *at)
{
    EventCase first = event_case(text);
    assert_true(first.events.count > 0);
    RunLeave leave = {first.events.at[0].t, number};
    event_case_free(&first);
    RunOptions options = run_options();
    options.leaves = &leave;
    options.leave_count = 1;
    EventCase kase = event_case_with(text, options);
    case_expect(&kase.run, STATUS_OK);
    *at = kase.events.at[0];
    assert_true(at->kind == RUN_SINGULAR && at->t == leave.t);
    return kase;
}

static void expect(uint64_t seed, double found, double right)
{
    if (!(fabs(found - right) < 1e-7))
        fail_msg("seed %d: %.12g for %.12g", (int)seed, found, right);
}

// A point on two lines turns off into the other one with its speed.
static void test_lines(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS * test_size() / 4; seed++) {
        Random random = random_seed(seed);
        double a = uniform(&random, -2, 2), b = uniform(&random, -2, 2),
               q = uniform(&random, 0.4, 0.8), v = -uniform(&random, 3, 5);
        Text text = {0};
        text_addf(&text,
                  "coord u, w\nkinetic u'^2 + w'^2\npotential %.17g*u + %.17g*w\nconstraint c: "
                  "u*w = 0\ninitial u = %.17g, w = 0, u' = %.17g\nrun to 2 every 0.1\n",
                  a, b, q, v);
        KeptEvent at;
        EventCase kase = leave_by(text.at, 2, &at);
        double t = 2 - at.t, speed = sqrt(v * v + a * q);
        expect(seed, at.after[1], speed);
        expect(seed, case_last(&kase.run, "w"), speed * t - b * t * t / 4);
        expect(seed, case_last(&kase.run, "u"), 0);
        event_case_free(&kase);
        text_clear(&text);
    }
}

// The rod of a slider-crank goes round with the crank, and the slider stays at the bearing.
static void test_rod_goes_round(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS * test_size() / 4; seed++) {
        Random random = random_seed(seed);
        double J = uniform(&random, 0.2, 2), K = uniform(&random, 0.2, 2),
               m = uniform(&random, 0.2, 2), g = uniform(&random, 0, 5),
               q = uniform(&random, -1, 1), v = uniform(&random, 5, 9);
        Text text = {0}, reduced = {0};
        text_addf(&text,
                  "coord a, b, x\nkinetic %.17g*a'^2 + %.17g*b'^2 + %.17g*x'^2\npotential "
                  "%.17g*sin(a)\nconstraint cx: cos(a) + cos(b) = x\nconstraint cy: sin(a) + "
                  "sin(b) = 0\ninitial a = %.17g, b = %.17g, a' = %.17g\nrun to 2 every 0.1\n",
                  J, K, m, g, q, -q, v);
        KeptEvent at;
        EventCase kase = leave_by(text.at, 2, &at);
        // The energy is kept: (J + K)·a'² + g there.
        double whole = (J + K + 4 * m * sin(q) * sin(q)) * v * v + g * sin(q);
        // The direction nearest to (a', −a'), measured by the inertia.
        double rate = copysign(sqrt((whole - g) / (J + K)), J - K);
        expect(seed, at.after[0], rate);
        text_addf(&reduced,
                  "coord q\nkinetic %.17g*q'^2\npotential %.17g*sin(q)\ninitial q = pi/2, q' = "
                  "%.17g\nrun to %.17g every 1\n",
                  J + K, g, rate, 2 - at.t);
        EventCase truth = event_case(reduced.at);
        expect(seed, case_last(&kase.run, "a"), case_last(&truth.run, "q"));
        expect(seed, case_last(&kase.run, "x"), 0);
        event_case_free(&truth);
        event_case_free(&kase);
        text_clear(&text);
        text_clear(&reduced);
    }
}

// A parallelogram becomes the crossed one, tan(a₁/2) = r·tan(a₀/2) with r = (l + d)/(l − d) and
// b = a₀ + a₁.
static void test_crossed_parallelogram(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS * test_size() / 4; seed++) {
        Random random = random_seed(seed);
        double d = uniform(&random, 0.3, 0.8), g = uniform(&random, 0, 5),
               K = uniform(&random, 0.2, 2), q = uniform(&random, 0.4, 1),
               v = -uniform(&random, 5, 9);
        Text text = {0}, reduced = {0};
        text_addf(&text,
                  "coord a, c, b\nkinetic a'^2 + c'^2 + %.17g*b'^2\npotential %.17g*sin(c)\n"
                  "constraint x: cos(a) + %.17g*cos(b) = %.17g + cos(c)\nconstraint y: sin(a) + "
                  "%.17g*sin(b) = sin(c)\ninitial a = %.17g, c = %.17g, b = 0, a' = %.17g\nrun to "
                  "1 every 0.1\n",
                  K, g, d, d, d, q, q, v);
        KeptEvent at;
        EventCase kase = leave_by(text.at, 2, &at);
        double r = (1 + d) / (1 - d), whole = 2 * v * v + g * sin(q);
        double rate = -sqrt(whole / (1 + r * r + K * (1 + r) * (1 + r)));
        expect(seed, at.after[0], rate);
        expect(seed, at.after[1], r * rate);
        text_addf(&reduced,
                  "coord q\nparam r = %.17g\nlet n = cos(q/2)^2 + r^2*sin(q/2)^2\nkinetic (1 + "
                  "(r/n)^2 + %.17g*(1 + r/n)^2)*q'^2\npotential %.17g*2*r*sin(q/2)*cos(q/2)/n\n"
                  "initial q = 0, q' = %.17g\nrun to %.17g every 1\n",
                  r, K, g, rate, 1 - at.t);
        EventCase truth = event_case(reduced.at);
        expect(seed, case_last(&kase.run, "a"), case_last(&truth.run, "q"));
        event_case_free(&truth);
        event_case_free(&kase);
        text_clear(&text);
        text_clear(&reduced);
    }
}

// N flat parallelograms: every one goes on as it is, or becomes the crossed one.
static void count_branches(void *context, const RunEvent *event)
{
    size_t loops = *(size_t *)context, n = 3 * loops - loops + 1;
    const TangentCone *cone = event->cone;
    assert_true(cone && cone->before == 2 * loops && cone->at == loops && cone->dimension == 1);
    assert_true(cone->found == (size_t)1 << loops && cone->most == (double)cone->found);
    for (size_t i = 0; i < cone->found; i++) {
        const double *v = cone->branches + i * n;
        for (size_t j = 0; j < loops; j++) {
            // a₀, then aⱼ and bⱼ; couplers of 0.5 beside cranks of 1, at 0° or 180°.
            double ratio = v[2 * j + 1] / v[j ? 2 * j - 1 : 0];
            bool right =
                fabs(ratio - 1) < 1e-8 || fabs(ratio - 3) < 1e-7 || fabs(ratio - 1. / 3) < 1e-8;
            if (!right)
                fail_msg("%d loops, branch %d: ratio %.12g", (int)loops, (int)i, ratio);
        }
        for (size_t k = 0; k < i; k++) {
            double apart = 0;
            for (size_t j = 0; j < n; j++)
                apart = fmax(apart, fabs(v[j] - cone->branches[k * n + j]));
            assert_true(apart > 1e-3);
        }
    }
}

static void test_count(void **state)
{
    (void)state;
    for (size_t loops = 1; loops <= 5; loops++) {
        Text text = {0}, T = {0}, rest = {0};
        text_add(&text, "coord a0");
        text_add(&T, "kinetic a0'^2");
        text_add(&rest, "initial a0 = 1, a0' = -4\n");
        for (size_t i = 1; i <= loops; i++) {
            text_addf(&text, ", a%zu, b%zu", i, i);
            text_addf(&T, " + a%zu'^2 + b%zu'^2", i, i);
            text_addf(&rest, "constraint x%zu: cos(a%zu) + 0.5*cos(b%zu) = 0.5 + cos(a%zu)\n", i,
                      i - 1, i, i);
            text_addf(&rest, "constraint y%zu: sin(a%zu) + 0.5*sin(b%zu) = sin(a%zu)\n", i, i - 1,
                      i, i);
            text_addf(&rest, "initial a%zu = 1, b%zu = 0\n", i, i);
        }
        text_addf(&text, "\n%s\n%srun to 2 every 0.1\n", T.at, rest.at);
        RunCase kase = case_start(text.at, run_options());
        RunListener listener = {.event = count_branches, .context = &loops};
        assert_int_equal(kase.status, STATUS_OK);
        assert_int_equal(run_go(kase.run, &listener, kase.diag, &kase.summary), STATUS_OK);
        assert_int_equal(kase.summary.events[RUN_SINGULAR].count, 3);
        case_free(&kase);
        text_clear(&text);
        text_clear(&T);
        text_clear(&rest);
    }
}

// N rhombi in a row, all links of the length 1. With w for the rates of the cranks, points move
// across the line, and the conditions' second derivatives leave w_i·(w_i − w_(i+1)) = 0 where the
// couplers go on along the cranks, w_(i+1)·(w_i − w_(i+1)) = 0 where they go back: so all cranks
// before (behind) one that stands still do so, and there are N + 1 branches.
static void count_rhombi(void *context, const RunEvent *event)
{
    size_t loops = *(size_t *)context, n = 2 * loops + 1, seen = 0;
    const TangentCone *cone = event->cone;
    assert_true(cone && cone->found == loops + 1 && cone->most == (double)cone->found);
    for (size_t i = 0; i < cone->found; i++) {
        const double *v = cone->branches + i * n;
        size_t still = 0;
        double most = 0;
        for (size_t j = 0; j <= loops; j++)
            most = fmax(most, fabs(v[j ? 2 * j - 1 : 0]));
        for (size_t j = 0; j <= loops; j++) {
            double w = v[j ? 2 * j - 1 : 0] / most;
            still += fabs(w) < 1e-8;
            assert_true(fabs(w) < 1e-8 || fabs(fabs(w) - 1) < 1e-8);
        }
        assert_true(still <= loops && !(seen >> still & 1));
        seen |= (size_t)1 << still;
    }
}

static void test_count_of_rhombi(void **state)
{
    (void)state;
    for (size_t loops = 1; loops <= 5; loops++) {
        Text text = {0}, rest = {0};
        text_add(&text, "coord a0");
        text_add(&rest, "kinetic a0'^2\ninitial a0 = 1, a0' = -4\n");
        for (size_t i = 1; i <= loops; i++) {
            text_addf(&text, ", a%zu, b%zu", i, i);
            text_addf(&rest, "kinetic a%zu'^2 + b%zu'^2\n", i, i);
            text_addf(&rest, "constraint x%zu: cos(a%zu) + cos(b%zu) = 1 + cos(a%zu)\n", i, i - 1,
                      i, i);
            text_addf(&rest, "constraint y%zu: sin(a%zu) + sin(b%zu) = sin(a%zu)\n", i, i - 1, i,
                      i);
            text_addf(&rest, "initial a%zu = 1, b%zu = 0\n", i, i);
        }
        text_addf(&text, "\n%srun to 1 every 0.1\n", rest.at);
        RunCase kase = case_start(text.at, run_options());
        RunListener listener = {.event = count_rhombi, .context = &loops};
        assert_int_equal(kase.status, STATUS_OK);
        assert_int_equal(run_go(kase.run, &listener, kase.diag, &kase.summary), STATUS_OK);
        assert_true(kase.summary.events[RUN_SINGULAR].count >= 1);
        case_free(&kase);
        text_clear(&text);
        text_clear(&rest);
    }
}

// How fast the cranks of a chain of parallelograms turn with the first one, those loops crossed
// whose bits are set: tan(a/2) of the next crank is r·tan(a/2) of the one before.
static double chain_inertia(size_t loops, size_t crossed, const double *m, double r, double a)
{
    double rate = 1, sum = m[0];
    for (size_t i = 0; i < loops; i++) {
        if (crossed >> i & 1) {
            rate *= r / (pow(cos(a / 2), 2) + pow(r * sin(a / 2), 2));
            a = 2 * atan(r * tan(a / 2));
        }
        sum += m[i + 1] * rate * rate;
    }
    return sum;
}

// Where the first crank is after a time, from the flat position, without forces: by Simpson's rule
// for √(inertia).
static double chain_place(size_t loops, size_t crossed, const double *m, double r, double rate,
                          double t)
{
    double wanted = fabs(rate) * sqrt(chain_inertia(loops, crossed, m, r, 0)) * t, way = 0, a = 0;
    for (double h = 1e-3;;) {
        double step = h / 6 *
                      (sqrt(chain_inertia(loops, crossed, m, r, a)) +
                       4 * sqrt(chain_inertia(loops, crossed, m, r, a + h / 2)) +
                       sqrt(chain_inertia(loops, crossed, m, r, a + h)));
        if (way + step > wanted) {
            h /= 2;
            if (h < 1e-12)
                return copysign(a, rate);
            continue;
        }
        way += step;
        a += h;
    }
}

// A chain of two or three parallelograms leaves its flat position by each of its branches: every
// loop goes on as it was or crossed, r = (l + d)/(l − d).
static void test_chain_branches(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS * test_size() / 8; seed++) {
        Random random = random_seed(seed);
        size_t loops = 2 + seed % 2, seen = 0;
        double d = uniform(&random, 1.5, 2.5), r = (1 + d) / (1 - d), m[4],
               v = -uniform(&random, 0.5, 1), q = uniform(&random, 0.3, 0.6);
        Text text = {0}, T = {0}, start = {0};
        text_add(&text, "coord a0");
        for (size_t i = 0; i <= loops; i++) {
            m[i] = uniform(&random, 0.5, 2);
            text_addf(&T, "%s%.17g*a%zu'^2/2", i ? " + " : "kinetic ", m[i], i);
            text_addf(&start, "%sa%zu = %.17g", i ? ", " : "initial ", i, q);
        }
        for (size_t i = 1; i <= loops; i++)
            text_addf(&text, ", a%zu", i);
        text_addf(&text, "\n%s\n%s, a0' = %.17g\nrun to %.17g every 0.1\n", T.at, start.at, v,
                  0.5 - q / v);
        for (size_t i = 0; i < loops; i++)
            text_addf(&text,
                      "constraint c%zu: (%.17g + cos(a%zu) - cos(a%zu))^2 + (sin(a%zu) - "
                      "sin(a%zu))^2 = %.17g^2\n",
                      i, d, i + 1, i, i + 1, i, d);
        for (size_t number = 2; number <= (size_t)1 << loops; number++) {
            KeptEvent at;
            EventCase kase = leave_by(text.at, number, &at);
            size_t crossed = 0;
            double before = 0, after = 0;
            for (size_t i = 0; i < loops; i++)
                crossed |= (size_t)(at.after[i + 1] * at.after[i] < 0) << i;
            for (size_t i = 0; i <= loops; i++) {
                before += m[i] * at.before[i] * at.before[i];
                after += m[i] * at.after[i] * at.after[i];
            }
            assert_true(crossed > 0 && !(seen >> crossed & 1));
            seen |= (size_t)1 << crossed;
            expect(seed, at.t, -q / v);
            expect(seed, after, before);
            expect(seed, case_last(&kase.run, "a0"),
                   chain_place(loops, crossed, m, r, at.after[0], 0.5 - q / v - at.t));
            event_case_free(&kase);
        }
        text_clear(&text);
        text_clear(&T);
        text_clear(&start);
    }
}

// ---- What does not continue.

// A point on a curve with a cusp, y² = c·x³, comes to it with its speed: y = √c·s³ where x = s².
static void test_cusps(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS * test_size() / 4; seed++) {
        Random random = random_seed(seed);
        double c = uniform(&random, 0.5, 4), s = uniform(&random, 0.5, 1),
               v = uniform(&random, 1, 3);
        Text text = {0};
        text_addf(
            &text,
            "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint cusp: y^2 = %.17g*x^3\ninitial x "
            "= %.17g, y = %.17g, x' = %.17g\nrun to 10 every 0.1\n",
            c, s * s, sqrt(c) * s * s * s, -v);
        RunCase kase = case_run(text.at);
        // The length of the curve is (8/27c)·((1 + 9c·s²/4)^(3/2) − 1).
        double slope = 1 + 9 * c * s * s / 4, length = 8 / (27 * c) * (pow(slope, 1.5) - 1);
        double t = length / (v * sqrt(slope));
        if (kase.status != STATUS_NEGATIVE || fabs(kase.summary.reached - t) > 0.01 * t)
            fail_msg("seed %d: status %d at %.9g for %.9g", (int)seed, (int)kase.status,
                     kase.summary.reached, t);
        case_free(&kase);
        text_clear(&text);
    }
}

// A curve that only comes near to its asymptotes, y² = x² + e, is followed round the bend, or the
// run ends; it never passes to the other branch.
static void test_near_misses(void **state)
{
    (void)state;
    for (int digits = 1; digits <= 14; digits++) {
        double e = pow(10, -digits);
        Text text = {0};
        text_addf(
            &text,
            "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint bend: y^2 = x^2 + %.17g\ninitial x "
            "= -1, y = %.17g, x' = 1.234\nrun to 2 every 0.1\n",
            e, sqrt(1 + e));
        RunCase kase = case_run(text.at);
        if (kase.status == STATUS_OK)
            assert_true(case_last(&kase, "y") > 0);
        else
            assert_true(digits > 6);
        case_free(&kase);
        text_clear(&text);
    }
}

// The length of y² = x² + e from its bend to x = √e·sinh u: Simpson's rule in u.
static double bend_length(double e, double u)
{
    double sum = 0, h = u / 2000;
    for (int i = 0; i <= 2000; i++)
        sum += (i == 0 || i == 2000 ? 1 : i % 2 ? 4 : 2) * sqrt(cosh(2 * i * h));
    return sqrt(e) * h / 3 * sum;
}

// Where a point is on that curve after a time, which begins at x with x' = v.
static double bend_place(double e, double x, double v, double t)
{
    double speed = v * sqrt(1 + x * x / (x * x + e));
    double wanted = speed * t - bend_length(e, asinh(-x / sqrt(e))), low = -40, high = 40;
    for (int i = 0; i < 80; i++) {
        double u = (low + high) / 2, length = copysign(bend_length(e, fabs(u)), u);
        *(length < wanted ? &low : &high) = u;
    }
    return sqrt(e) * sinh(low);
}

// The same by every method, and beside a condition on velocities: right, or the run ends.
static void test_near_misses_by_methods(void **state)
{
    (void)state;
    static const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK, RUN_ADAMS, RUN_BDF};
    size_t finished = 0, cases = 4 * SEEDS * test_size();
    for (uint64_t seed = 0; seed < cases; seed++) {
        Random random = random_seed(seed);
        double x = -uniform(&random, 0.7, 1.4), v = uniform(&random, 0.5, 2);
        double e = pow(10, uniform(&random, -14, -4)), time = -2 * x / v;
        RunOptions options = run_options();
        options.method = methods[seed % 4];
        Text text = {0};
        text_addf(&text,
                  "coord x, y, z, w\nkinetic (x'^2 + y'^2 + z'^2 + w'^2)/2\n"
                  "constraint bend: y^2 = x^2 + %.17g\n%sinitial x = %.17g, y = %.17g, x' = "
                  "%.17g, w' = 0.3\nrun to %.17g every 0.1\n",
                  e, seed / 4 % 2 ? "constraint rolls: z' = (1 + w)*w'\n" : "", x, sqrt(x * x + e),
                  v, time);
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        double right = bend_place(e, x, v, time);
        finished += kase.status == STATUS_OK;
        if (kase.status == STATUS_OK &&
            !(case_last(&kase, "y") > 0 && fabs(case_last(&kase, "x") - right) < 1e-5))
            fail_msg("seed %d, method %d: x = %.9g for %.9g, y = %.9g\n%s", (int)seed,
                     (int)options.method, case_last(&kase, "x"), right, case_last(&kase, "y"),
                     text.at);
        case_free(&kase);
        text_clear(&text);
    }
    print_message("%zu of %zu finished\n", finished, cases);
    assert_true(2 * finished > cases);
}

// Several points on such curves, which come to their bends at once. The conditions are sums of
// multiples of the curves' equations, so that only combinations of them become dependent.
static void test_several_near_misses(void **state)
{
    (void)state;
    size_t finished = 0, clear = 0;
    for (uint64_t seed = 0; seed < SEEDS * test_size(); seed++) {
        Random random = random_seed(seed);
        size_t count = 2 + seed % 3;
        double x[4], v[4], e[4], least = 1, time = uniform(&random, 1.5, 2);
        Text text = {0};
        text_add(&text, "coord x0, y0, x1, y1, x2, y2, x3, y3\nkinetic (x0'^2 + y0'^2 + x1'^2 + "
                        "y1'^2 + x2'^2 + y2'^2 + x3'^2 + y3'^2)/2\n");
        for (size_t i = 0; i < 4; i++) {
            x[i] = -uniform(&random, 0.7, 1.4);
            v[i] = -x[i] * (random_below(&random, 2) ? 1 : uniform(&random, 0.9, 1.1));
            e[i] = pow(10, uniform(&random, -13, -4));
            least = i < count ? fmin(least, e[i]) : least;
            text_addf(&text, "let f%zu = y%zu^2 - x%zu^2 - %.17g\n", i, i, i, e[i]);
        }
        for (size_t i = 0; i < count; i++) {
            text_addf(&text, "constraint c%zu: f%zu", i, i);
            for (size_t j = 0; j < i; j++)
                text_addf(&text, " + %.3f*f%zu", uniform(&random, -2, 2), j);
            text_add(&text, " = 0\n");
        }
        for (size_t i = 0; i < 4; i++)
            text_addf(&text, "initial x%zu = %.17g, y%zu = %.17g, x%zu' = %.17g\n", i, x[i], i,
                      sqrt(x[i] * x[i] + e[i]), i, v[i]);
        text_addf(&text, "run to %.17g every 0.1\n", time);
        RunCase kase = case_run(text.at);
        bool whole = kase.status == STATUS_OK;
        clear += least > 1e-12;
        finished += whole && least > 1e-12;
        for (size_t i = 0; i < count && whole; i++) {
            const char name[] = {'x', (char)('0' + i), 0};
            double right = bend_place(e[i], x[i], v[i], time), found = case_last(&kase, name);
            if (!(fabs(found - right) < 1e-5))
                fail_msg("seed %d: %s = %.9g for %.9g\n%s", (int)seed, name, found, right, text.at);
        }
        case_free(&kase);
        text_clear(&text);
    }
    print_message("%zu of %zu finished\n", finished, clear);
    assert_true(10 * finished >= 9 * clear);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_other_methods),
        cmocka_unit_test(test_rhombuses),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_rod_goes_round),
        cmocka_unit_test(test_crossed_parallelogram),
        cmocka_unit_test(test_count_of_rhombi),
        cmocka_unit_test(test_chain_branches),
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_cusps),
        cmocka_unit_test(test_near_misses),
        cmocka_unit_test(test_near_misses_by_methods),
        cmocka_unit_test(test_several_near_misses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
