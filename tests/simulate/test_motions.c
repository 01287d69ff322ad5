// Motions with known solutions: closed forms, and numbers computed elsewhere to 20 digits.
#include "run_case.h"
#include "uniform.h"

#define PI 3.14159265358979323846

// ---- Plane motion with the areal parameter (Appell 9): m = 1.5, start x = 1, x' = 0.2,
// y' = 1.1. The numbers were integrated independently to 22 digits.

static const char polar[] = "param m = 1.5\n"
                            "coord r, theta\n"
                            "kinetic m*(r'^2 + r^2*theta'^2)/2\n";

// The model in θ', with the areal speed, and with the area itself as a coordinate.
static const char *const areal[] = {"initial theta' = 1.1\n",
                                    "speed s = r^2*theta'/2\ninitial s = 0.55\n",
                                    ("coord sigma\nconstraint area: sigma' = r^2*theta'/2\n"
                                     "speed s = sigma'\ninitial s = 0.55\n")};

static RunCase run_polar(size_t version, const char *forces, double to)
{
    Text text = {0};
    text_add(&text, polar);
    text_add(&text, areal[version]);
    text_add(&text, forces);
    text_add(&text, "initial r = 1, r' = 0.2\noutput area = r^2*theta'/2\n"
                    "output X = r*cos(theta)\noutput Y = r*sin(theta)\n");
    RunOptions options = run_options();
    options.to = to;
    options.tolerance = 1e-11;
    RunCase kase = case_start(text.at, options);
    case_go(&kase);
    text_clear(&text);
    case_expect(&kase, STATUS_OK);
    return kase;
}

static void test_kepler(void **state)
{
    (void)state;
    for (size_t version = 0; version < 3; version++) {
        RunCase kase = run_polar(version, "potential -m/r\n", 10);
        assert_near(case_last(&kase, "r"), 1.074609498498174100765361, 1e-9);
        assert_near(case_last(&kase, "r'"), 0.2516497864870755870341989, 1e-9);
        assert_near(case_last(&kase, "X"), 1.014863956995278586923748, 1e-9);
        assert_near(case_last(&kase, "Y"), 0.3533224066690118364515810, 1e-9);
        assert_near(case_last(&kase, "area"), 0.55, 1e-10);
        if (version == 2)
            assert_near(case_last(&kase, "sigma"), 5.5, 1e-9);
        // t = 3 is a row on the way.
        assert_near(case_value(&kase, 60, "t"), 3, 1e-14);
        assert_near(case_value(&kase, 60, "r"), 1.670089062515095220836452, 1e-9);
        assert_near(case_value(&kase, 60, "Y"), 1.582869082805766499319594, 1e-9);
        assert_true(kase.summary.energy_drift < 1e-10);
        case_free(&kase);
    }
}

static void test_spring(void **state)
{
    (void)state;
    // The transverse force P = 0.3 as a force on θ, and as one on the areal speed.
    for (size_t version = 0; version < 3; version++) {
        const char *forces = version == 1 ? "potential r^2\nforce 2*0.3/r along s\n"
                                          : "potential r^2\nforce 0.3*r along theta\n";
        RunCase kase = run_polar(version, forces, 5);
        assert_near(case_last(&kase, "r"), 1.385522016527871529540, 1e-9);
        assert_near(case_last(&kase, "r'"), 0.1719918575210440463446, 1e-9);
        assert_near(case_last(&kase, "area"), 1.148829529149673946494, 1e-9);
        assert_near(case_last(&kase, "X"), 1.192015002215205968312, 1e-9);
        assert_near(case_last(&kase, "Y"), -0.7062375611487553968450, 1e-9);
        if (version == 2)
            assert_near(case_last(&kase, "sigma"), 4.167174095326635189873, 1e-9);
        case_free(&kase);
    }
}

// ---- A bead on a wire that turns evenly: r'' = w²r. Every choice of speeds becomes singular on
// the way round but one.

static void test_bead_on_rotating_wire(void **state)
{
    (void)state;
    static const char *const choices[] = {"speed u = x'", "speed u = y'", "independent x",
                                          "speed u = x'*cos(w*t) + y'*sin(w*t)", ""};
    for (size_t i = 0; i < 5; i++) {
        Text text = {0};
        text_addf(&text,
                  "param m = 2, w = 1.3\ncoord x, y\nkinetic m*(x'^2 + y'^2)/2\n"
                  "constraint wire: y*cos(w*t) - x*sin(w*t) = 0\n%s\n"
                  "initial x = 0.5, x' = -0.2\nrun to 6 every 0.1 tolerance 1e-11\n",
                  choices[i]);
        RunCase kase = case_run(text.at);
        case_expect(&kase, STATUS_OK);
        for (size_t row = 0; row < case_row_count(&kase); row++) {
            double t = case_value(&kase, row, "t"), w = 1.3;
            double r = 0.5 * cosh(w * t) - 0.2 / w * sinh(w * t);
            double rate = 0.5 * w * sinh(w * t) - 0.2 * cosh(w * t);
            double allowed = 1e-9 * fmax(1, r);
            assert_near(case_value(&kase, row, "x"), r * cos(w * t), allowed);
            assert_near(case_value(&kase, row, "y"), r * sin(w * t), allowed);
            assert_near(case_value(&kase, row, "x'"), rate * cos(w * t) - r * w * sin(w * t),
                        allowed);
            // The wire pushes with m·2·r'·w across it.
            assert_near(case_value(&kase, row, "lambda.wire"), 2 * 2 * rate * w, 4 * allowed);
        }
        assert_true(kase.summary.largest_residual < 1e-11);
        case_free(&kase);
        text_clear(&text);
    }
}

// ---- The pendulum in Cartesian coordinates: period by the arithmetic-geometric mean.

static double mean(double a, double b)
{
    while (fabs(a - b) > 4e-16 * a) {
        double next = (a + b) / 2;
        b = sqrt(a * b);
        a = next;
    }
    return a;
}

static void test_pendulum_in_plane_coordinates(void **state)
{
    (void)state;
    static const double amplitudes[] = {0.3, 1.2, 2.5};
    for (size_t i = 0; i < 3; i++) {
        double L = 0.8, g = 9.81, top = amplitudes[i];
        double period = 2 * PI * sqrt(L / g) / mean(1, cos(top / 2));
        Text text = {0};
        text_addf(&text,
                  "param m = 0.7, L = 0.8, g = 9.81\ncoord x, z\npoint P = [x, 0, z]\n"
                  "mass m at P\ngravity [0, 0, -g]\nconstraint rod: x^2 + z^2 = L^2\n"
                  "initial x = %.17g\ninitial approx z = %.17g\nrun tolerance 1e-12\n",
                  L * sin(top), -L * cos(top));
        RunOptions options = run_options();
        options.to = 3 * period;
        options.every = period / 64;
        RunCase kase = case_start(text.at, options);
        case_go(&kase);
        case_expect(&kase, STATUS_OK);
        size_t rows = case_row_count(&kase);
        assert_int_equal(rows, 193);
        for (size_t back = 0; back <= 128; back += 64) {
            assert_near(case_value(&kase, rows - 1 - back, "x"), L * sin(top), 1e-9);
            assert_near(case_value(&kase, rows - 1 - back, "z"), -L * cos(top), 1e-9);
            assert_near(case_value(&kase, rows - 1 - back, "x'"), 0, 1e-9);
        }
        // At the bottom, a quarter on: the rod carries m·g + m·v²/L, which is −2·λ·L.
        double speed = sqrt(2 * g * L * (1 - cos(top)));
        assert_near(case_value(&kase, 16, "x"), 0, 1e-9);
        assert_near(case_value(&kase, 16, "z"), -L, 1e-12);
        assert_near(case_value(&kase, 16, "x'"), -speed, 1e-9);
        assert_near(-2 * L * case_value(&kase, 16, "lambda.rod"), 0.7 * g + 0.7 * speed * speed / L,
                    1e-8);
        assert_true(kase.summary.largest_residual < 1e-12 * L * L);
        assert_true(kase.summary.energy_drift < 1e-10);
        case_free(&kase);
        text_clear(&text);
    }
}

// A finite condition that is set aside, since a linear one before it implies its derivative,
// still says where the system is.
static void test_condition_set_aside_is_kept(void **state)
{
    (void)state;
    RunOptions options = run_options();
    options.residuals = true;
    RunCase kase = case_start("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                              "constraint push: x*x' + y*y' = 0\n"
                              "constraint circle: x^2 + y^2 = 4\n"
                              "initial x = 2, y' = 3\nrun to 100 every 1\n",
                              options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    assert_true(case_largest(&kase, "residual.circle") < 4e-12);
    assert_near(case_last(&kase, "x"), 2 * cos(150), 1e-7);
    case_free(&kase);
}

// A closed loop that goes round: what turns far is not allowed larger errors for it.
static void test_four_bar_linkage(void **state)
{
    (void)state;
    RunOptions options = run_options();
    options.residuals = true;
    RunCase kase = case_start("param a = 1, b = 2.5, c = 2, d = 3, m = 1, g = 9.81\n"
                              "coord q1, q2, q3\n"
                              "mass m at [a*cos(q1)/2, a*sin(q1)/2, 0]\n"
                              "mass m at [a*cos(q1) + b*cos(q2)/2, a*sin(q1) + b*sin(q2)/2, 0]\n"
                              "mass m at [d + c*cos(q3)/2, c*sin(q3)/2, 0]\n"
                              "gravity [0, -g, 0]\n"
                              "constraint lx: a*cos(q1) + b*cos(q2) = d + c*cos(q3)\n"
                              "constraint ly: a*sin(q1) + b*sin(q2) = c*sin(q3)\n"
                              "initial q1 = 1, q1' = 8\ninitial approx q2 = 0.5, q3 = 1.5\n"
                              "run to 30 every 0.1 tolerance 1e-11\n",
                              options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    assert_true(fabs(case_last(&kase, "q1")) > 100);
    assert_true(case_largest(&kase, "residual.lx") < 3e-12);
    assert_true(case_largest(&kase, "residual.ly") < 3e-12);
    assert_true(kase.summary.energy_drift < 1e-9);
    case_free(&kase);
}

// ---- Without constraints.

static void test_projectile(void **state)
{
    (void)state;
    RunCase kase = case_run("param m = 3, g = 9.81, vx = 7, vz = 12\ncoord x, y, z\n"
                            "point P = [x, y, z]\nmass m at P\ngravity [0, 0, -g]\n"
                            "initial x' = vx, z' = vz, y = 2\nrun to 2 every 0.5\n"
                            "output height = z''\n");
    case_expect(&kase, STATUS_OK);
    assert_int_equal(case_row_count(&kase), 5);
    for (size_t i = 0; i < 5; i++) {
        double t = 0.5 * (double)i;
        assert_near(case_value(&kase, i, "t"), t, 0);
        assert_near(case_value(&kase, i, "x"), 7 * t, 1e-11);
        assert_near(case_value(&kase, i, "y"), 2, 0);
        assert_near(case_value(&kase, i, "z"), 12 * t - 9.81 * t * t / 2, 1e-11);
        assert_near(case_value(&kase, i, "z'"), 12 - 9.81 * t, 1e-11);
        assert_near(case_value(&kase, i, "height"), -9.81, 1e-14);
        assert_near(case_value(&kase, i, "energy"), 3 * (49 + 144) / 2.0, 1e-9);
    }
    case_free(&kase);
}

static void test_forced_oscillator(void **state)
{
    (void)state;
    // x'' + x = cos 3t from rest: x = (cos t − cos 3t)/8.
    RunCase kase = case_run("coord x\nkinetic x'^2/2\npotential x^2/2\nforce cos(3*t) along x\n"
                            "run to 20 every 0.25 tolerance 1e-11\n");
    case_expect(&kase, STATUS_OK);
    for (size_t i = 0; i < case_row_count(&kase); i++) {
        double t = case_value(&kase, i, "t");
        assert_near(case_value(&kase, i, "x"), (cos(t) - cos(3 * t)) / 8, 1e-10);
        assert_near(case_value(&kase, i, "x'"), (3 * sin(3 * t) - sin(t)) / 8, 1e-10);
    }
    case_free(&kase);
}

// A force in time alone, fast against the rows: the error must be seen from the rate in t.
static void test_force_in_time_alone(void **state)
{
    (void)state;
    RunCase kase = case_run("coord x\nkinetic x'^2/2\nforce sin(40*t) along x\n"
                            "run to 10 every 5 tolerance 1e-11\n");
    case_expect(&kase, STATUS_OK);
    assert_int_equal(case_row_count(&kase), 3);
    assert_near(case_last(&kase, "x"), 10 / 40.0 - sin(400.0) / 1600, 1e-9);
    assert_near(case_last(&kase, "x'"), (1 - cos(400.0)) / 40, 1e-9);
    case_free(&kase);
}

// Units do not matter: the same motion in millionths and in millions.
static void test_units(void **state)
{
    (void)state;
    static const double lengths[] = {1e-7, 1, 1e7};
    for (size_t i = 0; i < 3; i++) {
        double L = lengths[i];
        Text text = {0};
        text_addf(&text,
                  "param L = %.17g, m = 1/L\ncoord x, y\nkinetic m*(x'^2 + y'^2)/2\n"
                  "potential m*(x^2 + 4*y^2)/2\ninitial x = L, y' = L\n"
                  "run to 30 every 0.5 tolerance 1e-11\n",
                  L);
        RunCase kase = case_run(text.at);
        case_expect(&kase, STATUS_OK);
        for (size_t row = 0; row < case_row_count(&kase); row++) {
            double t = case_value(&kase, row, "t");
            assert_near(case_value(&kase, row, "x") / L, cos(t), 1e-9);
            assert_near(case_value(&kase, row, "y") / L, sin(2 * t) / 2, 1e-9);
        }
        assert_true(kase.summary.steps < 1000);
        case_free(&kase);
        text_clear(&text);
    }
}

// A ball on a floor that pushes with K·depth^p (Hertz for p = 3/2): the series of its force ends
// where it comes and goes. v² + 2gδ − 2K·δ^(p+1)/(p + 1) is the square of the speed at the depth δ.
static double depth_square(double v, double K, double p, double depth)
{
    return v * v + 2 * 9.81 * depth - 2 * K * pow(depth, p + 1) / (p + 1);
}

static void test_hertzian_contacts(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 24 * test_size(); seed++) {
        Random random = random_seed(seed);
        const double powers[] = {1.5, 1.5, 2.5, 1.2};
        double h = uniform(&random, 0.2, 3), K = pow(10, uniform(&random, 3, 7)),
               p = powers[seed % 4], g = 9.81, v = sqrt(2 * g * h), low = 0, high = 10;
        for (size_t i = 0; i < 200; i++) {
            double middle = (low + high) / 2;
            *(depth_square(v, K, p, middle) > 0 ? &low : &high) = middle;
        }
        // δ = low·(1 − u²), by Simpson's rule from a little behind the turn, where dδ/ds is 0.
        double contact = 0;
        size_t parts = 4000;
        double slope = (K * pow(low, p) - g) * low;
        for (size_t i = 0; i <= parts; i++) {
            double u = (double)i / (double)parts, depth = low * (1 - u * u);
            double rate =
                i == 0 ? low / sqrt(2 * slope) : low * u / sqrt(depth_square(v, K, p, depth));
            contact += (i == 0 || i == parts ? 1 : i % 2 == 1 ? 4 : 2) * 2 * rate;
        }
        contact *= 2 / (3.0 * (double)parts);
        double period = 2 * v / g + contact;
        size_t bounces = 1 + random_below(&random, 4);
        double flight = uniform(&random, 0.1, 0.9) * 2 * v / g;
        double to = v / g + contact + (double)(bounces - 1) * period + flight;
        Text text = {0};
        text_addf(&text,
                  "coord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -9.81]\n"
                  "force %.17g*max(0, -z)^(%g) along z\ninitial z = %.17g\n"
                  "run to %.17g every %.17g\n",
                  K, p, h, to, to / (double)(1 + random_below(&random, 50)));
        RunCase kase = case_run(text.at);
        case_expect(&kase, STATUS_OK);
        assert_near(case_last(&kase, "z"), v * flight - g * flight * flight / 2, 2e-6 * h);
        text_clear(&text);
        case_free(&kase);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hertzian_contacts),
        cmocka_unit_test(test_kepler),
        cmocka_unit_test(test_spring),
        cmocka_unit_test(test_bead_on_rotating_wire),
        cmocka_unit_test(test_pendulum_in_plane_coordinates),
        cmocka_unit_test(test_condition_set_aside_is_kept),
        cmocka_unit_test(test_four_bar_linkage),
        cmocka_unit_test(test_projectile),
        cmocka_unit_test(test_forced_oscillator),
        cmocka_unit_test(test_force_in_time_alone),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
