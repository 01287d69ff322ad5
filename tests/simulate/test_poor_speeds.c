// Independent speeds that become singular inside a step of a method without series: a sphere whose
// centre of mass lies off its centre slides on a floor, its quaternion turns many times, and the
// velocity of each of its four parts is useless where that part passes 0. The truth is Euler's
// equations with the force at the contact, solved for the normal force by hand.
#include "run_case.h"
#include "uniform.h"

typedef struct {
    double d, mu, tilt, spin, a, c;
} Top;

#define MASS    0.02
#define RADIUS  0.02
#define GRAVITY 9.81

static const char body[] = "param R = 0.02, m = 0.02, g = 9.81\n"
                           "coord x, y, z, q0, q1, q2, q3\n"
                           "frame F = world quaternion (q0, q1, q2, q3)\n"
                           "point G = [x, y, z]\n"
                           "point K = G + d*F.z - R*world.z\n"
                           "body top frame F mass m at G inertia [A, A, C]\n"
                           "gravity [0, 0, -g]\n"
                           "constraint floor: K.z >= 0 friction mu at K on top\n"
                           "initial q0 = cos(tilt/2), q1 = 0, q2 = sin(tilt/2), q3 = 0\n"
                           "initial z = R - d*cos(tilt)\n"
                           "output axis = F.z\n";
// Speeds that are good everywhere, or none: then the run takes velocities of the quaternion.
static const char *const speeds[] = {
    "speed p = dot(omega(F), F.x)\n"
    "speed q = dot(omega(F), F.y)\n"
    "speed r = dot(omega(F), F.z)\n"
    "initial p = -spin*sin(tilt), q = 0, r = spin*cos(tilt)\n",
    "initial q0' = 0, q1' = -spin*sin(tilt/2)/2, q2' = 0, q3' = spin*cos(tilt/2)/2\n"};

// ---- The truth: velocity of G along the floor (2), angular velocity (3), axis (3), place (2).
enum { PARTS = 10 };

static void cross(const double *u, const double *v, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
}

// I⁻¹ of a vector, for the inertia A across the axis e and C along it.
static void solve_inertia(const Top *top, const double *e, const double *v, double *out)
{
    double along = e[0] * v[0] + e[1] * v[1] + e[2] * v[2];
    for (int i = 0; i < 3; i++)
        out[i] = (v[i] - along * e[i]) / top->a + along * e[i] / top->c;
}

// Whether it slides and presses.
static bool rates(const Top *top, const double *y, double *rate)
{
    const double *w = y + 2, *e = y + 5;
    double arm[3] = {top->d * e[0], top->d * e[1], top->d * e[2] - RADIUS};
    double turn[3], turn_twice[3], along = 0, momentum[3], gyro[3], slide[2], push[3], moment[3];
    double by_normal[3], by_gyro[3], from_normal[3], from_gyro[3];
    cross(w, e, turn);
    cross(w, turn, turn_twice);
    for (int i = 0; i < 3; i++)
        along += w[i] * e[i];
    for (int i = 0; i < 3; i++)
        momentum[i] = top->a * (w[i] - along * e[i]) + top->c * along * e[i];
    cross(momentum, w, gyro);
    slide[0] = y[0] + w[1] * arm[2] - w[2] * arm[1];
    slide[1] = y[1] + w[2] * arm[0] - w[0] * arm[2];
    double speed = hypot(slide[0], slide[1]);
    push[0] = -top->mu * slide[0] / speed;
    push[1] = -top->mu * slide[1] / speed;
    push[2] = 1;
    cross(arm, push, moment);
    solve_inertia(top, e, moment, by_normal);
    solve_inertia(top, e, gyro, by_gyro);
    cross(by_normal, e, from_normal);
    cross(by_gyro, e, from_gyro);
    // The height of G is R − d·e_z.
    double normal =
        (GRAVITY - top->d * (from_gyro[2] + turn_twice[2])) / (1 / MASS + top->d * from_normal[2]);
    for (int i = 0; i < 2; i++) {
        rate[i] = normal * push[i] / MASS;
        rate[8 + i] = y[i];
    }
    for (int i = 0; i < 3; i++) {
        rate[2 + i] = normal * by_normal[i] + by_gyro[i];
        rate[5 + i] = turn[i];
    }
    return speed > 0.02 && normal > 0.02;
}

static bool follow(const Top *top, double t, double *y)
{
    size_t steps = (size_t)(t * 2e5);
    double h = t / (double)steps, k[4][PARTS], at[PARTS];
    for (size_t step = 0; step < steps; step++) {
        for (int stage = 0; stage < 4; stage++) {
            double part = stage == 0 ? 0 : stage == 3 ? h : h / 2;
            for (int i = 0; i < PARTS; i++)
                at[i] = y[i] + (stage > 0 ? part * k[stage - 1][i] : 0);
            if (!rates(top, at, k[stage]))
                return false;
        }
        for (int i = 0; i < PARTS; i++)
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    return true;
}

// Whether it slides all the time.
static bool check_top(const Top *top, RunMethod method, bool declared)
{
    // In parts of the largest: 1 of the axis, 0.05 of velocities.
    double allowed = method == RUN_TAYLOR ? 1e-10 : method == RUN_ERK ? 2e-9 : 2e-8;
    double y[PARTS] = {0, 0, 0, 0, top->spin, sin(top->tilt), 0, cos(top->tilt), 0, 0};
    if (!follow(top, 0.1, y))
        return false;
    Text text = {0};
    text_addf(&text,
              "param d = %.17g, mu = %.17g, tilt = %.17g, spin = %.17g, A = %.17g, C = %.17g\n",
              top->d, top->mu, top->tilt, top->spin, top->a, top->c);
    text_add(&text, body);
    text_add(&text, speeds[!declared]);
    text_add(&text, "run to 0.1 every 0.02\n");
    RunOptions options = run_options();
    options.method = method;
    RunCase kase = case_start(text.at, options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    assert_near(case_last(&kase, "x'"), y[0], 0.05 * allowed);
    assert_near(case_last(&kase, "y'"), y[1], 0.05 * allowed);
    assert_near(case_last(&kase, "axis.x"), y[5], allowed);
    assert_near(case_last(&kase, "axis.y"), y[6], allowed);
    assert_near(case_last(&kase, "axis.z"), y[7], allowed);
    assert_near(case_last(&kase, "x"), y[8], 0.002 * allowed);
    assert_near(case_last(&kase, "y"), y[9], 0.002 * allowed);
    case_free(&kase);
    text_clear(&text);
    return true;
}

static void test_the_tippe_top(void **state)
{
    (void)state;
    const Top top = {0.003, 0.3, 0.3, 200, 3e-6, 3.2e-6};
    assert_true(check_top(&top, RUN_ERK, true));
    assert_true(check_top(&top, RUN_ERK, false));
    assert_true(check_top(&top, RUN_ADAMS, true));
    assert_true(check_top(&top, RUN_TAYLOR, true));
    assert_true(check_top(&top, RUN_TAYLOR, false));
}

static void test_random_tops(void **state)
{
    (void)state;
    Random random = random_seed(17);
    size_t slid = 0;
    for (size_t i = 0; slid < 4 * test_size() && i < 100 * test_size(); i++) {
        Top top = {uniform(&random, 0.001, 0.004), uniform(&random, 0.1, 0.4),
                   uniform(&random, 0.2, 1.2),     uniform(&random, 100, 250),
                   uniform(&random, 2e-6, 5e-6),   uniform(&random, 2.1e-6, 4e-6)};
        if (check_top(&top, RUN_ERK, i % 2 == 0) && slid++ % 4 == 0)
            check_top(&top, RUN_ADAMS, i % 2 == 1);
    }
    assert_true(slid >= 4 * test_size());
}

// A ball that rolls inside a vertical cylinder (Routh): the first part of its quaternion, which
// begins at 1, has no inertia there. The closed form: the centre goes round at a constant rate and
// swings up and down.
static void check_ball(double a, double R, double n, double rise, RunMethod method)
{
    double J = 0.1 * 2 * a * a / 5, k = sqrt(2.0 / 7) * n, s = -9.81 * 5 / (2 * n * n);
    Text text = {0};
    text_addf(&text, "param a = %.17g, R = %.17g, n = %.17g, J = %.17g\n", a, R, n, J);
    text_add(&text, "coord x, y, z, e0, e1, e2, e3\n"
                    "frame F = world quaternion (e0, e1, e2, e3)\n"
                    "point G = [x, y, z]\n"
                    "point K = G + a/(R - a)*[x, y, 0]\n"
                    "body ball frame F mass 0.1 at G inertia [J, J, J]\n"
                    "gravity [0, 0, -9.81]\n"
                    "constraint wall: x^2 + y^2 = (R - a)^2\n"
                    "constraint roll: velocity(K on ball) = 0\n"
                    "speed turn = (x*y' - y*x')/(R - a)^2\n"
                    "speed rise = z'\n"
                    "speed drill = dot(omega(ball), [x, y, 0])/(R - a)\n");
    text_addf(&text,
              "initial x = 0.6*(R - a), y = 0.8*(R - a), turn = n, rise = %.17g, drill = 0\n"
              "run to 2 every 0.5\n",
              rise);
    RunOptions options = run_options();
    options.method = method;
    RunCase kase = case_start(text.at, options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    double z = s * (1 - cos(2 * k)) + rise * sin(2 * k) / k, size = R - a;
    assert_near(case_last(&kase, "x"), size * (0.6 * cos(2 * n) - 0.8 * sin(2 * n)), 1e-7 * size);
    assert_near(case_last(&kase, "z"), z, 1e-7 * (fabs(s) + rise));
    assert_near(case_last(&kase, "drill"), n * z / a, 1e-7 * n * (fabs(s) + rise) / a);
    case_free(&kase);
    text_clear(&text);
}

static void test_balls_in_cylinders(void **state)
{
    (void)state;
    Random random = random_seed(170);
    check_ball(0.05, 0.25, 8, 0.1, RUN_ERK);
    for (size_t i = 0; i < test_size(); i++) {
        double a = uniform(&random, 0.01, 0.1), R = a * uniform(&random, 2, 8);
        check_ball(a, R, uniform(&random, 5, 9), uniform(&random, 0, 0.3),
                   i % 2 == 0 ? RUN_ADAMS : RUN_ERK);
    }
}

// A sphere that a drag slows down, in angles whose middle one passes its right angle at a small
// distance: the inertia of the other two is cos² of it along one direction there. The angular
// velocity keeps its direction and decays as exp(-k t/J).
static void check_gimbal(double distance, double drag, double J, bool turned)
{
    Text text = {0};
    text_addf(&text, "param J = %.17g, k = %.17g, d = %.17g\n", J, drag, distance);
    text_addf(&text,
              "coord p, q, s\n"
              "frame F = world rotate p about %s rotate q about y rotate s about %s\n"
              "body ball frame F mass 1 at origin inertia [J, J, J]\n"
              "torque -k*omega(F) on ball\n"
              "output square = dot(omega(F), omega(F))\n"
              "initial p = 0.3, q = 2.3, s = -0.4, p' = -d, q' = -1.5, s' = d/2\n"
              "run to 0.8 every 0.1 tolerance 1e-12\n",
              turned ? "x" : "z", turned ? "z" : "x");
    RunCase kase = case_run(text.at);
    case_expect(&kase, STATUS_OK);
    double square = case_value(&kase, 0, "square") * exp(-1.6 * drag / J);
    if (!(fabs(case_last(&kase, "square") - square) <= 1e-7 * square))
        fail_msg("at a distance of %g: %.17g for %.17g\n%s", distance, case_last(&kase, "square"),
                 square, text.at);
    case_free(&kase);
    text_clear(&text);
}

static void test_gimbal_locks(void **state)
{
    (void)state;
    Random random = random_seed(171);
    for (size_t i = 0; i < 4 * test_size(); i++) {
        double distance = pow(10, uniform(&random, -6, -3)), drag = uniform(&random, 0.02, 0.2);
        check_gimbal(distance, drag, uniform(&random, 0.5, 2), i % 2 == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balls_in_cylinders),
        cmocka_unit_test(test_the_tippe_top),
        cmocka_unit_test(test_random_tops),
        cmocka_unit_test(test_gimbal_locks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
