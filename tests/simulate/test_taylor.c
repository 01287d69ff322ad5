// Runs by the Taylor integrator: its error against closed forms and against the Runge–Kutta method,
// its rows inside steps, and where functions switch.
#include "program/program.h"
#include "run_case.h"

#include "dynamics/rates.h"
#include "simulate/simulation_impl.h"

// ---- Rates that are one program, written down by hand.

typedef struct {
    ExprPool *pool;
    Expr t, q[2], u[2];
    Rates rates;
} Hand;

static Hand hand_new(size_t n)
{
    Hand hand = {.pool = expr_pool_new(), .rates = {.n = n, .k = n}};
    hand.t = expr_symbol(hand.pool, "t");
    for (size_t i = 0; i < n; i++) {
        hand.q[i] = expr_symbol_new(hand.pool, "q");
        hand.u[i] = expr_symbol_new(hand.pool, "u");
    }
    return hand;
}

static void hand_lower(Hand *hand, const Expr *outputs, size_t count, size_t unsolved, size_t order)
{
    size_t n = hand->rates.n;
    Expr inputs[5] = {hand->t};
    for (size_t i = 0; i < n; i++) {
        inputs[1 + i] = hand->q[i];
        inputs[1 + n + i] = hand->u[i];
    }
    Program *program = program_new(hand->pool, inputs, 1 + 2 * n, outputs, count, NULL);
    assert_non_null(program);
    evaluator_adopt(&hand->rates.program, program);
    hand->rates.unsolved = unsolved;
    rates_open_series(&hand->rates, order, 0);
}

static void hand_free(Hand *hand)
{
    rates_clear(&hand->rates);
    expr_pool_free(hand->pool);
}

static bool hand_series(void *context, size_t k, const double *ty, double *rate)
{
    return rates_next(&((Hand *)context)->rates, k, ty, rate);
}

static Expr call(ExprPool *pool, ExprOp op, Expr a)
{
    return expr_call(pool, op, a, (Expr){0});
}

// Two equations whose matrix is left to be solved, against the same solved by hand.
static void test_unsolved_rates(void **state)
{
    (void)state;
    enum { ORDER = 12 };
    double rates[2][ORDER][4];
    for (size_t solved = 0; solved < 2; solved++) {
        Hand hand = hand_new(2);
        ExprPool *pool = hand.pool;
        // A matrix that moves and is not symmetric, and a right side.
        Expr one = expr_int(pool, 1), two = expr_int(pool, 2);
        Expr c = call(pool, EXPR_COS, expr_sub(pool, hand.q[0], hand.q[1]));
        Expr a[4] = {expr_add(pool, two, c), c, hand.t, expr_add(pool, one, c)};
        Expr b[2] = {expr_mul(pool, hand.u[0], hand.u[1]), call(pool, EXPR_SIN, hand.q[1])};
        Expr outputs[8] = {hand.u[0], hand.u[1], a[0], a[1], a[2], a[3], b[0], b[1]};
        if (solved) {
            Expr det = expr_sub(pool, expr_mul(pool, a[0], a[3]), expr_mul(pool, a[1], a[2]));
            Expr first = expr_sub(pool, expr_mul(pool, a[3], b[0]), expr_mul(pool, a[1], b[1]));
            Expr second = expr_sub(pool, expr_mul(pool, a[0], b[1]), expr_mul(pool, a[2], b[0]));
            outputs[2] = expr_div(pool, first, det);
            outputs[3] = expr_div(pool, second, det);
        }
        hand_lower(&hand, outputs, solved ? 4 : 8, solved ? 0 : 2, ORDER);
        double ty[5] = {0.1, 0.3, -0.4, 0.7, 0.2};
        for (size_t k = 0; k < ORDER; k++) {
            assert_true(hand_series(&hand, k, ty, rates[solved][k]));
            ty[0] = k == 0;
            for (size_t i = 0; i < 4; i++)
                ty[1 + i] = rates[solved][k][i] / (double)(k + 1);
        }
        hand_free(&hand);
    }
    for (size_t k = 0; k < ORDER; k++)
        for (size_t i = 0; i < 4; i++)
            assert_near(rates[0][k][i], rates[1][k][i], 1e-13 * (1 + fabs(rates[1][k][i])));
}

// ---- Models.

static RunCase run_by(const char *text, RunMethod method)
{
    RunOptions options = run_options();
    options.method = method;
    RunCase kase = case_start(text, options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    return kase;
}

// sn, cn and dn by the arithmetic-geometric mean (Abramowitz and Stegun 16.4).
static void jacobi(double x, double m, double *sn, double *cn, double *dn)
{
    double a[20] = {1}, c[20] = {sqrt(m)}, b = sqrt(1 - m);
    int last = 0;
    while (fabs(c[last]) > 1e-17 && last < 18) {
        a[last + 1] = (a[last] + b) / 2;
        c[last + 1] = (a[last] - b) / 2;
        b = sqrt(a[last] * b);
        last++;
    }
    double phi = ldexp(a[last] * x, last), before = phi;
    for (; last > 0; last--) {
        before = phi;
        phi = (phi + asin(c[last] / a[last] * sin(phi))) / 2;
    }
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = fabs(cos(before - phi)) > 1e-8 ? cos(phi) / cos(before - phi) : sqrt(1 - m * *sn * *sn);
}

// A free rigid body turns by elliptic functions (Euler's equations; A < B < C, L² > 2T·B).
static void test_free_body(void **state)
{
    (void)state;
    RunCase kase =
        run_by("param A = 1, B = 2, C = 2.5\ncoord phi, chi, psi\n"
               "frame F = world rotate phi about z rotate chi about x rotate psi about z\n"
               "body solid frame F inertia [A, B, C]\n"
               "speed p = dot(omega(solid), F.x)\nspeed q = dot(omega(solid), F.y)\n"
               "speed r = dot(omega(solid), F.z)\n"
               "initial chi = 1, p = 0.3, q = 0, r = 1.2\n"
               "run to 40 every 0.25 tolerance 1e-11\n",
               RUN_TAYLOR);
    double A = 1, B = 2, C = 2.5, P = 0.3, R = 1.2;
    double twice = A * P * P + C * R * R, square = A * A * P * P + C * C * R * R;
    double Q = sqrt((twice * C - square) / (B * (C - B)));
    double pace = sqrt((C - B) * (square - twice * A) / (A * B * C));
    double m = (B - A) * (twice * C - square) / ((C - B) * (square - twice * A));
    for (size_t i = 0; i < case_row_count(&kase); i++) {
        double sn, cn, dn;
        jacobi(pace * case_value(&kase, i, "t"), m, &sn, &cn, &dn);
        assert_near(case_value(&kase, i, "p"), P * cn, 1e-10);
        assert_near(case_value(&kase, i, "q"), Q * sn, 1e-10);
        assert_near(case_value(&kase, i, "r"), R * dn, 1e-10);
    }
    case_free(&kase);
}

static const char hoop[] = "param m = 2, r = 0.35, g = 9.81, A = m*r^2/2, C = m*r^2\n"
                           "coord x, y, theta, psi, phi\n"
                           "frame yaw = world rotate theta about z\n"
                           "frame lean = yaw rotate -psi about x\n"
                           "frame wheel = lean rotate phi about y\n"
                           "point K = [x, y, 0]\n"
                           "point G = K + r*lean.z\n"
                           "body hoop frame wheel mass m at G inertia [A, C, A] in lean\n"
                           "constraint roll: velocity(K on hoop) = 0\n"
                           "gravity [0, 0, -g]\n"
                           "initial psi = 0.2, phi' = 6, theta' = 0.3\n";

static void test_long_run_keeps_its_energy(void **state)
{
    (void)state;
    Text text = {0};
    text_addf(&text, "%srun to 1000 every 10 tolerance 1e-12\n", hoop);
    RunCase kase = run_by(text.at, RUN_TAYLOR);
    assert_true(kase.summary.energy_drift < 1e-9);
    assert_true(kase.summary.largest_residual < 1e-12);
    case_free(&kase);
    text_clear(&text);
}

// Both methods reach the same rows; the series with fewer steps than there are rows.
static void test_agrees_with_runge_kutta(void **state)
{
    (void)state;
    Text text = {0};
    text_addf(&text, "%srun to 5 every 0.01 tolerance 1e-11\n", hoop);
    const char *const models[] = {
        text.at,
        // A pendulum on a moving support, driven in time.
        "coord x, a\npoint P = [x + sin(a), 0, -cos(a)]\nmass 1 at P\nmass 2 at [x, 0, 0]\n"
        "gravity [0, 0, -9.81]\nforce cos(2*t) along x\ninitial a = 1\n"
        "run to 5 every 0.01 tolerance 1e-11\n",
        // A closed loop.
        "coord x, z\npoint P = [x, 0, z]\nmass 1 at P\ngravity [0, 0, -9.81]\n"
        "constraint rod: x^2 + z^2 = 1\ninitial x = 0.8\ninitial approx z = -0.6\n"
        "run to 5 every 0.01 tolerance 1e-11\n",
    };
    for (size_t i = 0; i < 3; i++) {
        RunCase by[2] = {run_by(models[i], RUN_TAYLOR), run_by(models[i], RUN_ERK)};
        assert_int_equal(by[0].rows.count, by[1].rows.count);
        assert_true(by[0].summary.steps < case_row_count(&by[0]));
        assert_true(by[1].summary.steps < case_row_count(&by[1]));
        for (size_t j = 0; j < by[0].rows.count; j++)
            assert_near(by[0].rows.at[j], by[1].rows.at[j], 2e-9 * (1 + fabs(by[1].rows.at[j])));
        case_free(&by[0]);
        case_free(&by[1]);
    }
    text_clear(&text);
}

// A row inside a step is the state that a run which ends there has.
static void test_rows_inside_steps(void **state)
{
    (void)state;
    const char text[] = "coord a\nkinetic a'^2/2\npotential -cos(a)\ninitial a = 2\n"
                        "run to 4 every 0.125 tolerance 1e-12\n";
    RunCase whole = run_by(text, RUN_TAYLOR);
    assert_true(whole.summary.steps < 20);
    for (size_t row = 1; row <= 32; row += 3) {
        RunOptions options = run_options();
        options.to = 0.125 * (double)row;
        RunCase kase = case_start(text, options);
        case_go(&kase);
        assert_near(case_last(&kase, "t"), options.to, 0);
        assert_near(case_last(&kase, "a"), case_value(&whole, row, "a"), 1e-12);
        assert_near(case_last(&kase, "a'"), case_value(&whole, row, "a'"), 1e-12);
        case_free(&kase);
    }
    case_free(&whole);
}

// A step past a wall of the motion is seen and not taken.
static void test_polynomials_take_one_step(void **state)
{
    (void)state;
    RunCase kase =
        run_by("coord x\nkinetic x'^2/2\nforce 3*t along x\nrun to 100 every 1\n", RUN_TAYLOR);
    assert_int_equal(kase.summary.steps, 1);
    assert_near(case_last(&kase, "x"), 500000, 1e-6);
    case_free(&kase);
}

static bool five_rows(void *context, const double *row)
{
    (void)row;
    return ++*(int *)context < 5;
}

static bool until_seven(void *context, double t)
{
    (void)context;
    return t < 7;
}

// One step holds all rows; a listener is heard between them.
static void test_stopping_inside_a_step(void **state)
{
    (void)state;
    const char text[] = "coord x\nkinetic x'^2/2\nforce 1 along x\nrun to 100 every 1\n";
    int rows = 0;
    const RunListener listeners[] = {{.row = five_rows, .context = &rows},
                                     {.progress = until_seven}};
    for (size_t i = 0; i < 2; i++) {
        RunCase kase = case_start(text, run_options());
        assert_int_equal(run_go(kase.run, &listeners[i], kase.diag, &kase.summary),
                         STATUS_NEGATIVE);
        assert_int_equal(kase.summary.end, RUN_ASKED);
        assert_int_equal(kase.summary.rows, i == 0 ? 5 : 8);
        assert_near(kase.summary.reached, i == 0 ? 4 : 7, 0);
        case_free(&kase);
    }
}

// ---- Angles that go round.

// Whole turns are kept apart from the state and are in the rows all the same; a length is no angle.
static void test_whole_turns(void **state)
{
    (void)state;
    RunCase kase = run_by("coord q, x\nkinetic q'^2*(2 + cos(q))/2 + x'^2/2\npotential x^2/2\n"
                          "initial q' = 300, x = 1000\nrun to 10 every 5 tolerance 1e-13\n",
                          RUN_TAYLOR);
    // The same angle by a quadrature: √(2 + cos q)·q' is constant, whose mean over a turn, to the
    // last digit, is that of equidistant points.
    double mean = 0, speed = 300 * sqrt(3), turn = 8 * atan(1);
    for (int i = 0; i < 64; i++)
        mean += sqrt(2 + cos(turn * i / 64)) / 64;
    double turns = floor(speed * 10 / mean / turn), left = speed * 10 - turns * turn * mean;
    double q = case_last(&kase, "q") - turns * turn, passed = 0;
    for (int i = 0; i < 4096; i++)
        passed += sqrt(2 + cos(q * (i + 0.5) / 4096)) * q / 4096;
    assert_true(turns > 300);
    assert_near(passed, left, 1e-6);
    assert_near(case_last(&kase, "x"), 1000 * cos(10), 1e-8);
    case_free(&kase);
}

// ---- Where functions switch.

// A push that begins and ends between steps that would otherwise cross it all.
static void test_push_in_time(void **state)
{
    (void)state;
    RunCase kase = run_by("coord x\nkinetic x'^2/2\nforce max(0, 1 - (t - 5)^2) along x\n"
                          "run to 10 every 5 tolerance 1e-12\n",
                          RUN_TAYLOR);
    assert_true(kase.summary.steps < 6);
    assert_near(case_last(&kase, "x'"), 4.0 / 3, 1e-13);
    assert_near(case_last(&kase, "x"), 20.0 / 3, 1e-12);
    case_free(&kase);
}

// A free particle's path is a polynomial, its distance from the middle of an elastic ring is not:
// where it meets the ring lies at the end of that one's series, or beyond it.
static void test_switch_beyond_a_radius(void **state)
{
    (void)state;
    RunCase kase = run_by("coord x, y\nmass 1 at [x, y, 0]\n"
                          "potential 50*max(sqrt(x^2 + y^2) - 1, 0)^2\n"
                          "initial x = 0.7, x' = 0, y' = 1\n"
                          "output moment = x*y' - y*x'\nrun to 30 every 1 tolerance 1e-12\n",
                          RUN_TAYLOR);
    assert_true(kase.summary.energy_drift < 1e-13);
    assert_near(case_last(&kase, "moment"), 0.7, 1e-13);
    case_free(&kase);
}

// Forces of which a series knows nothing where it begins: they are 0 there to the last digit.
static void test_forces_elsewhere(void **state)
{
    (void)state;
    RunCase kase = run_by("coord x\nkinetic x'^2/2\nforce exp(-100*(t - 5)^2) along x\n"
                          "run to 10 every 5 tolerance 1e-12\n",
                          RUN_TAYLOR);
    assert_near(case_last(&kase, "x'"), sqrt(acos(-1.0)) / 10, 1e-12);
    case_free(&kase);
    // A hill that is too high: the particle comes back.
    kase = run_by("coord x\nkinetic x'^2/2\npotential 3*exp(-50*(x - 10)^2)\n"
                  "initial x' = 1\nrun to 20 every 1 tolerance 1e-12\n",
                  RUN_TAYLOR);
    assert_near(case_last(&kase, "x'"), -1, 1e-11);
    case_free(&kase);
}

// Dry friction on a spring takes 2·0.3/100 off every swing.
static void test_dry_friction(void **state)
{
    (void)state;
    RunCase kase = run_by("coord x\nkinetic x'^2/2\npotential 50*x^2\n"
                          "force -0.3*sign(x') along x\ninitial x = 1\n"
                          "run to 3 every 0.1 tolerance 1e-12\n",
                          RUN_TAYLOR);
    for (size_t i = 1; i < case_row_count(&kase); i++) {
        double t = case_value(&kase, i, "t"), shift = 0.3 / 100, quarter = 0.31415926535897931;
        double swing = floor(t / quarter), side = fmod(swing, 2) == 0 ? 1 : -1;
        double amplitude = 1 - shift - 2 * shift * swing;
        // Each swing is a cosine about a point that friction has moved.
        double expected = side * (amplitude * cos(10 * (t - swing * quarter)) + shift);
        assert_near(case_value(&kase, i, "x"), expected, 1e-11);
    }
    case_free(&kase);
}

// A ball on a stiff floor keeps its energy through every contact.
static void test_stiff_floor(void **state)
{
    (void)state;
    RunCase kase = run_by("coord x\nkinetic x'^2/2\nforce -9.81 + 1e6*max(0, -x) along x\n"
                          "initial x = 1\noutput E = x'^2/2 + 9.81*x + 1e6*max(0, -x)^2/2\n"
                          "run to 20 every 0.1 tolerance 1e-12\n",
                          RUN_TAYLOR);
    for (size_t i = 0; i < case_row_count(&kase); i++)
        assert_near(case_value(&kase, i, "E"), 9.81, 1e-9);
    case_free(&kase);
}

// Drag from rest: the root of the speed's square has no series at the start.
static void test_drag_from_rest(void **state)
{
    (void)state;
    RunCase kase = run_by("coord x, z\nkinetic (x'^2 + z'^2)/2\n"
                          "force -0.1*sqrt(x'^2 + z'^2)*x' along x\n"
                          "force -9.81 - 0.1*sqrt(x'^2 + z'^2)*z' along z\n"
                          "run to 3 every 0.5 tolerance 1e-12\n",
                          RUN_TAYLOR);
    double final = sqrt(98.1);
    for (size_t i = 0; i < case_row_count(&kase); i++)
        assert_near(case_value(&kase, i, "z'"),
                    -final * tanh(9.81 * case_value(&kase, i, "t") / final), 1e-11);
    case_free(&kase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unsolved_rates),
        cmocka_unit_test(test_free_body),
        cmocka_unit_test(test_long_run_keeps_its_energy),
        cmocka_unit_test(test_agrees_with_runge_kutta),
        cmocka_unit_test(test_rows_inside_steps),
        cmocka_unit_test(test_polynomials_take_one_step),
        cmocka_unit_test(test_stopping_inside_a_step),
        cmocka_unit_test(test_whole_turns),
        cmocka_unit_test(test_push_in_time),
        cmocka_unit_test(test_switch_beyond_a_radius),
        cmocka_unit_test(test_forces_elsewhere),
        cmocka_unit_test(test_dry_friction),
        cmocka_unit_test(test_stiff_floor),
        cmocka_unit_test(test_drag_from_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
