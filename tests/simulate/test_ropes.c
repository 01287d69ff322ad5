// test_ropes.c: long ropes from event to event. Systems so large that their matrices are kept by
// what is in them run another way than small ones: with sparse factors, and with all velocities in
// the state. So a small system must move as it does in a large company that does not touch it; and
// a long rope as the theory of small oscillations says.
#include "event_case.h"
#include "files.h"

// As many masses that fall by themselves as make every system large.
#define COMPANY                                                                                    \
    "coord y[140]\nfor i in 1..140 {\n  mass 2 at [0, 0, y[i]]\n  initial y[i] = i, y[i]' = "      \
    "i/7\n}\n"

static EventCase run_model(const char *text, const char *company, const char *end)
{
    Text all = {0};
    text_add(&all, text);
    text_add(&all, company);
    text_add(&all, end);
    EventCase kase = event_case(all.at);
    text_clear(&all);
    return kase;
}

// The same columns at the same rows, and the same events.
static void compare(const EventCase *alone, const EventCase *among, const char *const *names,
                    size_t count, double tolerance)
{
    assert_int_equal(among->events.count, alone->events.count);
    for (size_t i = 0; i < alone->events.count; i++) {
        const KeptEvent *event = &alone->events.at[i];
        event_is(among, i, event->kind, event->constraint, event->t, tolerance);
        assert_near(among->events.at[i].impulse, event->impulse, tolerance);
    }
    assert_int_equal(case_row_count(&among->run), case_row_count(&alone->run));
    for (size_t row = 0; row < case_row_count(&alone->run); row++)
        for (size_t i = 0; i < count; i++)
            assert_near(case_value(&among->run, row, names[i]),
                        case_value(&alone->run, row, names[i]), tolerance);
}

// ---- The gallery's rope, which slips over its peg: strings and the peg let go and strike again.

static void rope_in_company(void **state)
{
    (void)state;
    static const char *const names[] = {"x[1]",  "z[1]",   "x[7]'",         "z[8]",
                                        "z[15]", "x[12]'", "lambda.peg[6]", "lambda.string[4]"};
    Text rope = read_file(ZWANG_SOURCE_DIR "/models/", "rope", ".zw");
    char *sides = strstr(rope.at, "J = 3"), *end = strstr(rope.at, "run to");
    assert_non_null(sides);
    assert_non_null(end);
    sides[4] = '5';
    *end = 0;
    EventCase alone = run_model(rope.at, "", "run to 1.2 every 0.1\n");
    EventCase among = run_model(rope.at, COMPANY, "run to 1.2 every 0.1\n");
    assert_true(alone.events.count >= 4);
    compare(&alone, &among, names, sizeof names / sizeof *names, 1e-8);
    // The company falls: y = i + i·t/7 − g·t²/2.
    assert_near(case_last(&among.run, "y[70]"), 70 + 12 - 9.81 * 1.44 / 2, 1e-11);
    assert_true(among.run.summary.deepest < 1e-13);
    event_case_free(&alone);
    event_case_free(&among);
    text_clear(&rope);
}

// ---- Three bars where two would do, and a mass that falls onto a floor and stays there: equations
// that depend on each other beside a one-sided condition that comes to act.

static void bars_in_company(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c'", "d", "lambda.middle.x", "lambda.close.z"};
    const char *bars =
        "param m = 1, g = 9.81, K = 2\ncoord a, b, c, d, w\nmass m at [0, 0, w]\n"
        "point P = [cos(a), 0, sin(a)]\npoint Q = [3 + cos(b), 0, sin(b)]\n"
        "point R = [1.5 + cos(c), 0, sin(c)]\nmass m at P\nmass 2*m at Q\nmass 3*m at R\n"
        "gravity [0, 0, -g]\nforce K along c\n"
        "constraint close: P + 3*[cos(d), 0, sin(d)] = Q\n"
        "constraint middle: P + 1.5*[cos(d), 0, sin(d)] = R\n"
        "constraint floor: w >= 0\n"
        "initial a = -1, a' = -0.5, w = 0.5\ninitial approx b = -1, c = -1\n";
    EventCase alone = run_model(bars, "", "run to 1 every 0.1\n");
    EventCase among = run_model(bars, COMPANY, "run to 1 every 0.1\n");
    assert_int_equal(alone.events.count, 1);
    event_is(&alone, 0, RUN_IMPACT, "floor", sqrt(1 / 9.81), 1e-12);
    compare(&alone, &among, names, sizeof names / sizeof *names, 1e-8);
    event_case_free(&alone);
    event_case_free(&among);
}

// ---- A rope of equal masses that hangs and swings a little. Of N masses on strings of length l
// the one above which j others… hang is displaced by L_j(ξ) in a normal mode, L_j being Laguerre's
// polynomials, and ω² = ξ·g/l with L_N(ξ) = 0.

enum { MASSES = 70 };

static double laguerre(size_t j, double x)
{
    double before = 0, now = 1;
    for (size_t i = 0; i < j; i++) {
        double next = ((2 * (double)i + 1 - x) * now - (double)i * before) / ((double)i + 1);
        before = now;
        now = next;
    }
    return now;
}

// The first zero, between 0 and what bounds it: j₀²/(4N + 2).
static double first_zero(size_t j)
{
    double low = 0, high = 5.784 / (4 * (double)j + 2) * 1.01;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        *(laguerre(j, middle) > 0 ? &low : &high) = middle;
    }
    return low;
}

static void hanging_rope(void **state)
{
    (void)state;
    const double length = 0.05, size = 1e-4, g = 9.81;
    double xi = first_zero(MASSES), omega = sqrt(xi * g / length), x = 0, z = 0;
    Text text = {0};
    text_addf(&text,
              "const N = %d\nparam l = %.17g, g = %.17g\ncoord x[N], z[N]\n"
              "constraint string[1]: x[1]^2 + z[1]^2 <= l^2\n"
              "for i in 1..N {\n  mass 0.3 at [x[i], 0, z[i]]\n}\n"
              "for i in 2..N {\n"
              "  constraint string[i]: (x[i] - x[i-1])^2 + (z[i] - z[i-1])^2 <= l^2\n}\n"
              "gravity [0, 0, -g]\n",
              MASSES, length, g);
    for (size_t i = 1; i <= MASSES; i++) {
        double own = size * laguerre(MASSES - i, xi);
        z -= sqrt(length * length - (own - x) * (own - x));
        x = own;
        text_addf(&text, "initial x[%zu] = %.17g, z[%zu] = %.17g\n", i, x, i, z);
    }
    text_add(&text, "run to 2 every 0.25\n");
    EventCase kase = event_case(text.at);
    // All strings hold all the way.
    assert_int_equal(kase.events.count, 0);
    for (size_t row = 0; row < case_row_count(&kase.run); row++) {
        double t = case_value(&kase.run, row, "t");
        for (size_t i = 1; i <= MASSES; i += 23) {
            char name[32];
            snprintf(name, sizeof name, "x[%zu]", i);
            assert_near(case_value(&kase.run, row, name),
                        size * laguerre(MASSES - i, xi) * cos(omega * t), 1e-6 * size);
        }
        // The first string carries all of them.
        assert_near(2 * length * case_value(&kase.run, row, "lambda.string[1]"), MASSES * 0.3 * g,
                    1e-4);
    }
    assert_true(kase.run.summary.deepest < 1e-14);
    assert_true(kase.run.summary.energy_drift < 1e-12);
    // Where nothing changes fast the roundings of the coordinates do not shorten the steps.
    assert_true(kase.run.summary.steps < 300);
    event_case_free(&kase);
    text_clear(&text);
}

// ---- Masses on a floor that cannot go on, and say why; and some that come to rest, where no
// velocity is free.

static void masses_that_end(void **state)
{
    (void)state;
    EventCase kase = event_case_with("const N = 9\ncoord x[N], z[N]\ngravity [0, 0, -9.81]\n"
                                     "for i in 1..N {\n  mass 1 at [x[i], 0, z[i]]\n"
                                     "  constraint floor[i]: z[i] >= 0\n}\n"
                                     "force sqrt(0.5 - t) along x[1]\nrun to 1 every 0.1\n",
                                     run_options());
    case_expect(&kase.run, STATUS_NEGATIVE);
    assert_true(case_says(&kase.run, DIAG_ERROR, "the motion cannot be followed beyond t = 0.5"));
    event_case_free(&kase);
}

static void masses_that_rest(void **state)
{
    (void)state;
    EventCase kase = event_case("const N = 20\ncoord z[N]\ngravity [0, 0, -9.81]\n"
                                "for i in 1..N {\n  mass 1 at [0, 0, z[i]]\n"
                                "  constraint floor[i]: z[i] >= 0 restitution 0.5\n"
                                "  initial z[i] = 0.1*i\n}\nrun to 3 every 0.1\n");
    assert_int_equal(kase.run.summary.events[RUN_REST].count, 20);
    for (size_t i = 0; i < kase.events.count; i++)
        if (kase.events.at[i].kind == RUN_REST) {
            int which;
            assert_int_equal(sscanf(kase.events.at[i].constraint, "floor[%d]", &which), 1);
            // The fall, and the flights after it: √(2h/g)·(1 + 2e/(1 − e)).
            assert_near(kase.events.at[i].t, 3 * sqrt(0.2 * which / 9.81), 1e-9);
        }
    assert_true(kase.run.summary.energy_drift < 1e-12);
    event_case_free(&kase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_that_end), cmocka_unit_test(masses_that_rest),
        cmocka_unit_test(rope_in_company), cmocka_unit_test(bars_in_company),
        cmocka_unit_test(hanging_rope),
    };
    return cmocka_run_group_tests_name("simulate/ropes", tests, NULL, NULL);
}
