// Steps of fixed length with forces that switch with the state, drawn at random, against an
// integration of our own that ends its steps at the switches: a run is right to a twentieth, or
// loud; steps of a hundredth are right to a hundredth of that; what slides along a switch ends the
// run.
#include "run_case.h"
#include "switched_motion.h"
#include "uniform.h"

enum { SEEDS = 60, MOST = 2, TERMS = 4, ROWS = 41 };

typedef enum { TERM_SIGN, TERM_ABS, TERM_MAX, TERM_KINDS } TermKind;

// A force along a coordinate, of a linear function of all coordinates, velocities and the time.
typedef struct {
    TermKind kind;
    size_t along;
    double size, by[2 * MOST], by_t, constant;
} Term;

typedef struct {
    size_t n, terms;
    double spring[MOST], damping[MOST], start[2 * MOST];
    Term term[TERMS];
} Drawn;

static Term draw_term(Random *random, size_t n)
{
    Term term = {.kind = (TermKind)random_below(random, TERM_KINDS + 1) % TERM_KINDS,
                 .along = (size_t)random_below(random, n),
                 .size = uniform(random, -4, 4)};
    uint64_t holds = random_below(random, 4); // 0, 1: places; 2: velocities; 3: both
    for (size_t j = 0; j < n; j++) {
        term.by[j] = holds == 2 ? 0 : uniform(random, -1.5, 1.5);
        term.by[n + j] = holds >= 2 ? uniform(random, -0.7, 0.7) : 0;
    }
    term.by_t = random_below(random, 3) == 0 ? uniform(random, -0.3, 0.3) : 0;
    term.constant = uniform(random, -0.4, 0.4);
    return term;
}

static Drawn draw(uint64_t seed)
{
    Random random = random_seed(seed);
    Drawn drawn = {.n = 1 + (size_t)random_below(&random, MOST)};
    drawn.terms = 1 + (size_t)random_below(&random, TERMS);
    for (size_t j = 0; j < drawn.n; j++) {
        drawn.spring[j] = uniform(&random, 0, 4);
        drawn.damping[j] = uniform(&random, 0, 0.4);
        drawn.start[j] = uniform(&random, -1.5, 1.5);
        drawn.start[drawn.n + j] = uniform(&random, -1.5, 1.5);
    }
    for (size_t k = 0; k < drawn.terms; k++)
        drawn.term[k] = draw_term(&random, drawn.n);
    return drawn;
}

static void add_argument(const Drawn *drawn, const Term *term, Text *text)
{
    for (size_t j = 0; j < 2 * drawn->n; j++)
        text_addf(text, "%+.17g*%c%s ", term->by[j], (char)('x' + j % drawn->n),
                  j < drawn->n ? "" : "'");
    text_addf(text, "%+.17g*t %+.17g)", term->by_t, term->constant);
}

static void write_model(const Drawn *drawn, Text *text)
{
    static const char *opening[TERM_KINDS] = {"sign(", "abs(", "max(0, "};
    text_addf(text, "coord x%s\nkinetic (x'^2%s)/2\n", drawn->n > 1 ? ", y" : "",
              drawn->n > 1 ? " + y'^2" : "");
    for (size_t i = 0; i < drawn->n; i++) {
        char name = (char)('x' + i);
        text_addf(text, "force -%.17g*%c - %.17g*%c'", drawn->spring[i], name, drawn->damping[i],
                  name);
        for (size_t k = 0; k < drawn->terms; k++)
            if (drawn->term[k].along == i) {
                text_addf(text, " %+.17g*%s", drawn->term[k].size, opening[drawn->term[k].kind]);
                add_argument(drawn, &drawn->term[k], text);
            }
        text_addf(text, " along %c\n", name);
    }
    for (size_t i = 0; i < drawn->n; i++)
        text_addf(text, "initial %c = %.17g, %c' = %.17g\n", (char)('x' + i), drawn->start[i],
                  (char)('x' + i), drawn->start[drawn->n + i]);
    text_addf(text, "run to 4 every 0.1\n");
}

// ---- The truth.

static double argument(const SwitchedMotion *motion, size_t k, double t, const double *y)
{
    const Drawn *drawn = motion->model;
    const Term *term = &drawn->term[k];
    double value = term->constant + term->by_t * t;
    for (size_t j = 0; j < 2 * drawn->n; j++)
        value += term->by[j] * y[j];
    return value;
}

static void rates(const SwitchedMotion *motion, double t, const double *y, double *rate)
{
    const Drawn *drawn = motion->model;
    size_t n = drawn->n;
    for (size_t j = 0; j < n; j++) {
        rate[j] = y[n + j];
        rate[n + j] = -drawn->spring[j] * y[j] - drawn->damping[j] * y[n + j];
    }
    for (size_t k = 0; k < drawn->terms; k++) {
        const Term *term = &drawn->term[k];
        double value = term->kind == TERM_SIGN ? 1 : argument(motion, k, t, y);
        int side = term->kind == TERM_MAX ? motion->side[k] > 0 : motion->side[k];
        rate[n + term->along] += term->size * side * value;
    }
}

// ---- Against it.

// The largest error of a coordinate, of its size.
static double error_of(const RunCase *kase, const Drawn *drawn, double (*truth)[SWITCHED_SIZE])
{
    static const char *names[MOST] = {"x", "y"};
    double worst = 0;
    assert_int_equal(case_row_count(kase), ROWS);
    for (size_t j = 0; j < drawn->n; j++) {
        double size = 0, miss = 0;
        for (size_t i = 0; i < ROWS; i++) {
            size = fmax(size, fabs(truth[i][j]));
            miss = fmax(miss, fabs(case_value(kase, i, names[j]) - truth[i][j]));
        }
        worst = fmax(worst, miss / size);
    }
    return worst;
}

static RunCase step_through(const char *text, double step)
{
    RunOptions options = run_options();
    options.method = RUN_TIMESTEPPING;
    options.step = step;
    RunCase kase = case_start(text, options);
    case_go(&kase);
    return kase;
}

static void expect_right(uint64_t seed, size_t *whole, size_t *endless)
{
    Drawn drawn = draw(seed);
    double truth[ROWS][SWITCHED_SIZE];
    SwitchedMotion motion = {2 * drawn.n, drawn.terms, &drawn, rates, argument, {0}};
    bool ends = switched_follow(&motion, drawn.start, 0.1, ROWS, 200, truth);
    Text text = {0};
    write_model(&drawn, &text);
    static const double steps[2] = {NAN, 0.01}, allowed[2] = {0.05, 0.005};
    for (int i = 0; i < 2; i++) {
        RunCase kase = step_through(text.at, steps[i]);
        double error = ends && kase.status == STATUS_OK ? error_of(&kase, &drawn, truth) : 0;
        if ((!ends && kase.status == STATUS_OK) || error > allowed[i])
            fail_msg("seed %u: off by %g, step %g, of\n%s", (unsigned)seed, ends ? error : INFINITY,
                     steps[i], text.at);
        if (kase.status != STATUS_OK)
            case_expect(&kase, STATUS_NEGATIVE);
        *whole += kase.status == STATUS_OK;
        case_free(&kase);
    }
    *endless += !ends;
    text_clear(&text);
}

static void test_switching_forces(void **state)
{
    (void)state;
    size_t whole = 0, endless = 0;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++)
        expect_right(seed, &whole, &endless);
    assert_true(endless > 0);
    assert_true(whole + 2 * endless >= 2 * SEEDS * test_size() * 9 / 10);
}

// What sticks does so at once, by name, at its time: a mass on a spring with dry friction.
static void test_sticks(void **state)
{
    (void)state;
    RunCase kase = step_through("coord x\nkinetic x'^2/2\nforce -x - 0.3*sign(x') along x\n"
                                "initial x = 1\nrun to 10 every 0.5\n",
                                NAN);
    case_expect(&kase, STATUS_NEGATIVE);
    assert_true(case_says(&kase, DIAG_ERROR, "beyond t = 6.283"));
    assert_true(case_says(&kase, DIAG_ERROR, "switches to and fro there without end"));
    case_free(&kase);
}

// Ramps up and down that are far narrower than a step, as a force, which leaves no energy to watch:
// what has not enough energy turns back at once, all else goes on as it came.
static void test_narrow_ramps(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        double v = pow(10, uniform(&random, -1, 1)), at = uniform(&random, 0.5, 3),
               w = at * pow(10, uniform(&random, -9, -5)), to = uniform(&random, 1.3, 1.9) * at / v;
        bool wall = seed % 2, bent = seed % 4 == 2; // a part in which the force changes
        double height = v * v / 2 * (wall ? uniform(&random, 1.1, 3) : uniform(&random, -3, 0.9));
        Text text = {0};
        text_addf(&text,
                  "coord x\nkinetic x'^2/2\n"
                  "force -diff(%.17g*max(0, 1 - abs((x - %.17g)/%.17g))^%d, x) along x\n"
                  "initial x = 0, x' = %.17g\nrun to %.17g every %.17g\n",
                  height, at, w, 1 + bent, v, to, to / 3);
        RunCase kase = step_through(text.at, NAN);
        case_expect(&kase, STATUS_OK);
        assert_near(case_last(&kase, "x'"), wall ? -v : v, (bent ? 0.05 : 1e-4) * v);
        assert_near(case_last(&kase, "x"), wall ? 2 * at - v * to : v * to,
                    (bent ? 0.05 : 1e-3) * at);
        text_clear(&text);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_switching_forces),
        cmocka_unit_test(test_sticks),
        cmocka_unit_test(test_narrow_ramps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
