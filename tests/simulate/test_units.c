// The same system in other units of length, time and mass has the same motion: atoms and galaxies
// in metres and seconds.
#include "run_case.h"
#include "uniform.h"

// With L, T and M in units of the model; outputs a and b are pure numbers.
static const char *const systems[] = {
    // An orbit.
    "coord x, y\nmass M at [x, y, 0]\npotential -M*L^3/T^2/sqrt(x^2 + y^2)\n"
    "initial x = 1.3*L, y' = 0.7*L/T\noutput a = x/L\noutput b = y/L\n",
    // The same, and a body that turns with it.
    "coord x, y, u\nkinetic M*(x'^2 + y'^2)/2 + 0.01*M*L^2*u'^2/2\n"
    "potential -M*L^3/T^2/sqrt(x^2 + y^2)\n"
    "force -0.01*M*L^5/T^2/sqrt(x^2 + y^2)^3*sin(2*(u - atan2(y, x))) along u\n"
    "initial x = 0.9*L, y' = 1.1*L/T, u = 0.3, u' = 1.2/T\noutput a = x/L\noutput b = u\n",
    // Impacts.
    "coord q\nmass M at L*[sin(q), 0, -cos(q)]\ngravity [0, 0, -L/T^2]\n"
    "constraint wall: q >= -0.3 restitution 0.8\ninitial q = 1\noutput a = q\noutput b = q'*T\n",
    // A rope that goes slack.
    "coord x, z\nmass M at [x, 0, z]\ngravity [0, 0, -L/T^2]\n"
    "constraint rope: x^2 + z^2 <= L^2 restitution 0.3\ninitial x = 0.6*L, z = -0.2*L\n"
    "output a = x/L\noutput b = z/L\n",
    // Friction that sticks and slips.
    "coord x\nmass M at [x, 0, 0]\npotential M*x^2/T^2/2\n"
    "friction belt: 0.1*M*L/T^2 static 0.15*M*L/T^2 against x' - 0.2*L/T\n"
    "initial x = 0.5*L\noutput a = x/L\noutput b = x'*T/L\n",
    // A short push.
    "coord x\nmass M at [x, 0, 0]\npotential M*x^2/T^2/2\n"
    "force 100*M*L/T^2*exp(-((t - 3.3*T)/(1e-3*T))^2) along x\n"
    "output a = x/L\noutput b = x'*T/L\n",
    // Forces that switch.
    "coord x\nmass M at [x, 0, 0]\nforce -M*L/T^2*(sign(x - 0.1*L) + sign(t - 2*T)) along x\n"
    "initial x = 0.7*L\noutput a = x/L\noutput b = x'*T/L\n",
    // A linkage through its flat position, for series alone.
    "coord u, v, w\npoint P = L*[cos(u), sin(u), 0]\npoint Q = P + 2*L*[cos(v), sin(v), 0]\n"
    "mass M at P\nmass M at Q\nconstraint lx: Q.x = 2*L + L*cos(w)\n"
    "constraint ly: Q.y = L*sin(w)\ninitial u = 1, u' = 1/T, v = 0, w = 1\n"
    "output a = u\noutput b = v + w\n",
    // An event that sets a velocity.
    "coord z\nmass M at [0, 0, z]\ngravity [0, 0, -L/T^2]\n"
    "event strike: z = 0 falling { set z' = -0.9*z' }\ninitial z = L\n"
    "output a = z/L\noutput b = z'*T/L\n",
    // A wire with a kink.
    "coord x, y\nmass M at [x, y, 0]\nconstraint wire: y = abs(x)\ngravity [0, -L/T^2, 0]\n"
    "initial x = -0.5*L, y = 0.5*L\noutput a = x/L\noutput b = y/L\n",
};
enum { SYSTEMS = sizeof systems / sizeof *systems };

static RunCase run_in(size_t system, RunMethod method, double L, double T, double M)
{
    Text text = {0};
    text_addf(&text, "param L = %.17g, T = %.17g, M = %.17g\n%srun to %.17g every %.17g\n", L, T, M,
              systems[system], 5 * T, T / 2);
    RunOptions options = run_options();
    options.method = method;
    RunCase kase = case_start(text.at, options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    text_clear(&text);
    return kase;
}

static void compare(RunMethod method, double allowed)
{
    for (size_t i = 0; i < SYSTEMS; i++) {
        if (method != RUN_TAYLOR && strstr(systems[i], "coord u, v, w"))
            continue;
        RunCase plain = run_in(i, method, 1, 1, 1);
        for (uint64_t seed = 0; seed < 4 * test_size(); seed++) {
            Random random = random_seed(SYSTEMS * seed + i);
            // Beside metres angles have next to no inertia where lengths are far from 1.
            bool mixed = strstr(systems[i], "u'^2");
            double most = mixed ? 10 : 12, L = pow(10, uniform(&random, -9, most)),
                   T = pow(10, uniform(&random, -14, 14));
            RunCase kase = run_in(i, method, L, T, pow(10, uniform(&random, -30, 30)));
            assert_int_equal(case_row_count(&kase), case_row_count(&plain));
            assert_int_equal(kase.summary.steps > 4 * plain.summary.steps + 100, 0);
            for (size_t row = 0; row < case_row_count(&kase); row++)
                for (size_t column = 0; column < 2; column++) {
                    const char *name = column == 0 ? "a" : "b";
                    double miss = case_value(&kase, row, name) - case_value(&plain, row, name);
                    if (!(fabs(miss) <= allowed))
                        fail_msg("system %zu, seed %zu, L = %g, T = %g: %s is off by %g in row %zu",
                                 i, (size_t)seed, L, T, name, miss, row);
                }
            case_free(&kase);
        }
        case_free(&plain);
    }
}

static void test_series(void **state)
{
    (void)state;
    compare(RUN_TAYLOR, 1e-8);
}

static void test_runge_kutta(void **state)
{
    (void)state;
    compare(RUN_ERK, 1e-8);
}

static void test_multistep(void **state)
{
    (void)state;
    compare(RUN_BDF, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_runge_kutta),
        cmocka_unit_test(test_multistep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
