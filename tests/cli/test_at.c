// test_at.c: `zwang at`, and the reactions that `zwang derive` prints, from the command line.
#include "cli/program.h"
#include "uniform.h"

#include <math.h>

#define HOOP "'" ZWANG_SOURCE_DIR "/models/hoop.zw'"

// The multipliers and reactions go with the form of multipliers.
static void test_reactions(void **state)
{
    (void)state;
    assert_good("derive " HOOP " --form multipliers");
    assert_non_null(strstr(outcome.out, "roll at K on hoop: force (λ.roll.x, λ.roll.y, m·(−r·sin("
                                        "ψ)·ψ″ − r·cos(ψ)·ψ′² + g))"));
    assert_good("derive " BLADE " --form appell");
    assert_null(strstr(outcome.out, "reactions"));
    assert_good("derive " HOOP " --form multipliers --as json");
    assert_non_null(strstr(outcome.out, "\"reactions\":[{\"condition\":\"roll\",\"at\":\"K\","
                                        "\"on\":\"hoop\",\"balanced\":true,\"force\":[\"lambda."
                                        "roll.x\",\"lambda.roll.y\","));
    assert_good("derive " BLADE " --form multipliers --as json");
    assert_non_null(strstr(outcome.out, "\"multipliers\":{\"edge\":"));
    assert_non_null(
        strstr(outcome.out, "\"generalized\":[{\"condition\":\"edge\",\"forces\":{\"x\""));
}

static void test_at(void **state)
{
    (void)state;
    assert_good("at " HOOP);
    assert_non_null(strstr(outcome.out, "on hoop: force ("));
    assert_non_null(strstr(outcome.out, "Gauss's function"));
    assert_good("at " BLADE " --as json --set theta=0,v=2,w=3");
    // Hamel's edge: lambda = m v w (1 - m s^2/I); and s w^2 along it.
    assert_begins(outcome.out,
                  "{\"t\":0,\"q\":{\"x\":0,\"y\":0,\"theta\":0},\"v\":{\"x\":2,\"y\":0,"
                  "\"theta\":3},\"u\":{\"v\":2,\"w\":3},\"a\":{\"x\":2.6");
    static const char *const keys[] = {"lambda", "active",    "energy",    "constraint",
                                       "free",   "reactions", "totals",    "generalized",
                                       "rank",   "redundant", "set_aside", "conditioning"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char key[32];
        snprintf(key, sizeof key, "\"%s\":", keys[i]);
        assert_non_null(strstr(outcome.out, key));
    }
    assert_non_null(strstr(outcome.out, "\"lambda\":{\"edge\":3.3"));
    assert_non_null(strstr(outcome.out, "\"active\":[]"));
    // What it filled in is a note, apart from the answer.
    assert_non_null(strstr(outcome.err, "note: start"));
    // A singular choice is named, and the instant is told all the same.
    assert_good("at " BEAD " --independent y");
    assert_non_null(strstr(outcome.err, "y′ cannot be independent: at this state the constraint "
                                        "'wire' fixes it"));
    assert_non_null(strstr(outcome.out, "wire at P"));
}

// A ball that falls from 1 with g = 10: at t = 0.2 in flight; at 0.6 behind an impact at sqrt(0.2)
// with the velocity sqrt(20)/2; at rest in the end.
static void test_at_time(void **state)
{
    (void)state;
    put_model("system ball\nparam g = 10\ncoord z\nmass 1 at [0, 0, z]\n"
              "gravity [0, 0, -g]\nconstraint floor: z >= 0 restitution 0.5\n"
              "output h = z + 1\ninitial z = 1\nrun to 3\n");
    double height = 0, velocity = 0, after = 0.6 - sqrt(0.2);
    assert_good("at m.zw --time 0.2 --as json");
    assert_int_equal(
        sscanf(outcome.out, "{\"t\":0.2,\"q\":{\"z\":%lf},\"v\":{\"z\":%lf}", &height, &velocity),
        2);
    assert_true(fabs(height - (0.8)) < 1e-10);
    assert_true(fabs(velocity - (-2)) < 1e-10);
    assert_good("at m.zw --time 6/g --as json");
    assert_int_equal(
        sscanf(outcome.out, "{\"t\":0.6,\"q\":{\"z\":%lf},\"v\":{\"z\":%lf}", &height, &velocity),
        2);
    assert_true(fabs(height - (sqrt(5) * after - 5 * after * after)) < 1e-9);
    assert_true(fabs(velocity - (sqrt(5) - 10 * after)) < 1e-9);
    assert_non_null(strstr(outcome.out, "\"outputs\":{\"h\":1.2249"));
    assert_good("at m.zw --time 5 --to 5");
    assert_non_null(strstr(outcome.out, "at t = 5\n"));
    assert_non_null(strstr(outcome.out, "acts"));
    assert_good("at m.zw --time 0");
    assert_non_null(strstr(outcome.out, "at t = 0\n"));
}

// A condition or a servo that holds t: x = a*sin(w*t), held by lambda = m*x'' + k*x, at a time of
// the run, on a switch too.
static void test_at_time_of_conditions(void **state)
{
    (void)state;
    Random random = random_seed(17);
    static const char *const kinds[] = {"constraint drive: x = a*sin(w*t)",
                                        "servo drive: x = a*sin(w*t) by x",
                                        "constraint drive: x - y = a*sin(w*t) - y"};
    for (size_t i = 0; i < 6; i++) {
        double a = uniform(&random, 0.5, 2), w = uniform(&random, 1, 2);
        double k = uniform(&random, 2, 9), t = uniform(&random, 0.2, 1.9);
        double x, y, v, lambda;
        char text[512], words[64];
        snprintf(text, sizeof text,
                 "param a = %.17g, w = %.17g, k = %.17g\ncoord x, y\nmass 2 at [x, y, 0]\n"
                 "spring along x stiffness k\n%s\nforce abs(t - %.17g) along y\nrun to 2\n",
                 a, w, k, kinds[i % 3], t);
        put_model(text);
        snprintf(words, sizeof words, "at m.zw --as json --time %.17g", t);
        assert_good(words);
        const char *q = strstr(outcome.out, "\"q\":"), *l = strstr(outcome.out, "\"lambda\":");
        assert_true(q && l);
        assert_int_equal(sscanf(q, "\"q\":{\"x\":%lf,\"y\":%lf},\"v\":{\"x\":%lf", &x, &y, &v), 3);
        assert_int_equal(sscanf(l, "\"lambda\":{\"drive\":%lf", &lambda), 1);
        double goal = a * sin(w * t);
        assert_true(fabs(x - goal) < 1e-9);
        assert_true(fabs(v - a * w * cos(w * t)) < 1e-9);
        assert_true(fabs(lambda - (k - 2 * w * w) * goal) < 1e-8);
    }
}

static void test_at_goes_wrong(void **state)
{
    (void)state;
    assert_wrong("at " BLADE " --as latex", "unknown format 'latex'; there are text and json");
    assert_wrong("at " BLADE " --to 3", "takes --to with --time");
    assert_wrong("at " BLADE " --time -1", "is a time of the run, from 0 on, not -1");
    assert_wrong("at " BLADE " --time 40", "comes after the end of the run");
    assert_wrong("at " BLADE " --time x", "this number is made of numbers and parameters");
    assert_wrong("at", "which model?");
    assert_wrong("at " BLADE " --set v=x", "v=x");
    assert_wrong_model("coord x, y\nmass 1 at [x, y, 0]\nconstraint a: x' = 1\n"
                       "constraint b: x' = 2\n",
                       "at", "the constraint 'b' contradicts the ones before it");
    assert_wrong_model("coord x, y\nmass 1 at [x, y, 0]\nconstraint a: x = y\n"
                       "initial x' = 1, y' = 2\n",
                       "at", "contradicts the constraint");
    assert_wrong_model("param m\ncoord x\nmass m at [x, 0, 0]\n", "at", "'m'");
}

#define MODEL(name) "'" ZWANG_SOURCE_DIR "/models/" name ".zw'"
#define POINT       "coord x, y\nmass 1 at [x, y, 0]\n"

// Mayer's bookkeeping, and where Ostrogradsky's rule fails.
static void test_one_sided(void **state)
{
    (void)state;
    assert_good("at " MODEL("wedge"));
    assert_non_null(strstr(outcome.out, "floor         0              0              10"
                                        "             23.333333      0              acts\n"));
    assert_non_null(strstr(outcome.out, "would be wrong here: with floor, f″ of wall = 6 > 0; it "
                                        "gives x″ = -10, y″ = 0\n"));
    assert_good("at " MODEL("wedge") " --set a=3/5,b=-4/5,F=-3");
    assert_non_null(strstr(outcome.out, "leaves: f″ < 0"));
    assert_non_null(strstr(outcome.out, "with floor, wall, λ of wall = -5 < 0; it gives"));
    assert_good("at " MODEL("wedge") " --set a=3/5,b=-4/5,F=-3 --as json");
    assert_non_null(strstr(outcome.out, "\"lambda\":{\"floor\":10,\"wall\":0},"
                                        "\"active\":[\"floor\"]"));
    assert_non_null(strstr(outcome.out, "\"ostrogradsky\":{\"differs\":true,\"acts\":[\"floor\","
                                        "\"wall\"]"));
    assert_good("at " MODEL("string_pendulum") " --set x=0.5,z=0");
    assert_non_null(strstr(outcome.out, "does not touch"));
    assert_good_model(POINT "force [3, 0, 0] at [x, y, 0]\nconstraint a: x <= 0\n"
                            "constraint b: 2*x <= 0\nconstraint c: x >= 0\n",
                      "at");
    assert_non_null(strstr(outcome.out, "the multipliers are not: these are of least norm"));
}

static void test_shock_at_start(void **state)
{
    (void)state;
    assert_good("at " MODEL("string_pendulum") " --set x=0.6,z=-0.8,\"x'=3,z'=1\"");
    assert_non_null(strstr(outcome.out, "a shock at the start"));
    assert_non_null(strstr(outcome.out, "string: f′ 2 → 0, impulse λ = 0.5\n"));
    assert_non_null(strstr(outcome.out, "energy lost: 0.5\n"));
    assert_good("at " MODEL("string_pendulum") " --set x=0.6,z=-0.8,\"x'=3,z'=1\" --as json");
    assert_non_null(strstr(outcome.out, "\"shock\":{\"before\":{\"x\":3,\"z\":1},"
                                        "\"energy_lost\":0."));
    assert_good_model(POINT "impulse 2 along x when t = 0\n", "at");
    assert_non_null(strstr(outcome.out, "a percussion at the start"));
}

static void test_one_sided_goes_wrong(void **state)
{
    (void)state;
    assert_wrong_model(POINT "constraint c: x <= 1\ninitial x = 3\n", "at",
                       "the start violates the one-sided constraint 'c' by 2 (3e-12 would count");
    assert_wrong_model(POINT "constraint c: x^2 <= 0\n", "at",
                       "no coordinate changes it there to first order");
    assert_wrong_model("param e = 1.5\n" POINT "constraint c: x <= 0 restitution e\n", "at",
                       "the restitution of 'c' is 1.5; it lies between 0");
    assert_wrong_model(POINT "constraint a: x <= -t^2\nconstraint b: x >= t^2\n", "at",
                       "'b' cannot hold together with 'a': no acceleration");
    assert_wrong_model(POINT "constraint a: x = 0\nconstraint b: x >= t^2\n", "at",
                       "'b' cannot hold together with the equations");
    assert_wrong_model(POINT "constraint a: x <= -t\nconstraint b: x >= t\n", "at",
                       "'b' cannot hold together with 'a': no velocity");
    assert_wrong_model(POINT "constraint a: sqrt(x - 1) <= 1\n", "at",
                       "'a' has no finite value at the start");
    assert_wrong_model(POINT "constraint c: x <= 1\n", "derive --acting d",
                       "there is no one-sided constraint 'd'");
}

// Named to slip, a block slides the way that it does at the start: up the slope, and down.
static void test_acting_slip(void **state)
{
    (void)state;
    assert_good("derive " MODEL("friction_slope") " --acting floor:slip --form appell");
    assert_non_null(strstr(outcome.out, "m·s″ = −m·g·(sin(α) + μ·cos(α))"));
    assert_non_null(strstr(outcome.err, "floor slips (s′ > 0)"));
    assert_good("derive " MODEL("friction_slope") " --acting floor:slip --set \"s'=-1\"");
    assert_non_null(strstr(outcome.out, "m·s″ = m·g·μ·cos(α) − m·g·sin(α)"));
    assert_non_null(strstr(outcome.err, "floor slips (-s′ > 0)"));
    // A law alone has no one-sided condition that could be named.
    assert_good("derive " MODEL("friction_belt"));
    assert_non_null(strstr(outcome.err, "friction: belt"));
    assert_null(strstr(outcome.err, "one-sided"));
}

// Every combination of stick and slip, by hand: m = 4, g = 10, mu = 0.3, pulled by 10 and by 16.
// With 10 it sticks with F = -10 and the margin 2; sliding would brake by 12. With 16 the cone is
// left by 4.
static void test_friction_steps(void **state)
{
    (void)state;
    static const char text[] = "param P = 10\ncoord x, z\npoint K = [x, 0, z]\nmass 4 at K\n"
                               "gravity [0, 0, -10]\nforce P along x\nstate gear = 1\n"
                               "input u = 3 + t\nevent far: x >= 4 { set gear = 2 }\n"
                               "constraint floor: z >= 0 friction 0.3 at K on K\nrun to 1\n";
    put_model(text);
    assert_good("at m.zw --steps --as json");
    assert_non_null(strstr(outcome.out,
                           "\"steps\":[{\"acts\":[],\"sticks\":[],\"slips\":[],\"rejected_by\":"
                           "\"phi.floor\",\"value\":10},{\"acts\":[\"floor\"],\"sticks\":[],"
                           "\"slips\":[\"floor\"],\"rejected_by\":\"slip.floor\",\"value\":-0.5"));
    assert_non_null(strstr(outcome.out, "\"value\":-5.5},{\"acts\":[\"floor\"],\"sticks\":"
                                        "[\"floor\"],\"slips\":[],\"rejected_by\":null,"
                                        "\"value\":null}]"));
    assert_non_null(strstr(outcome.out, "\"inputs\":{\"u\":3}"));
    assert_non_null(strstr(outcome.out, "\"events\":[{\"name\":\"far\",\"trigger\":\"x >= 4\","
                                        "\"value\":-4,\"holds\":false,\"fires\":false}]"));
    assert_good("at m.zw --steps --set P=16 --width 0");
    assert_non_null(strstr(outcome.out, "false: μ_s N − |F| of floor = -4 < 0"));
    assert_non_null(strstr(outcome.out, "floor slips (λ = 40, F = -12): true"));
}

// Mayer's procedure: each set that is tried, and what rejects it. By hand: g = 10, F = −10, unit
// normals with cosine −4/5, so Φ¹ of the wall is aF = 6, and Φ¹ of the floor 10 − 2·4/5.
static void test_mayer(void **state)
{
    (void)state;
    assert_good("at " MODEL("wedge") " --steps");
    assert_non_null(strstr(outcome.out, "k = 0: none acts, false: Φ⁰ of floor = 10 > 0 (19)"));
    assert_non_null(strstr(outcome.out,
                           "k = 1: floor acts, Δ = 1, λ of floor = 10, false: Φ¹ of wall "
                           "= 6 > 0 (19)"));
    assert_non_null(strstr(outcome.out, "1·λ_floor − 0.8·λ_wall = 10\n"));
    assert_non_null(strstr(outcome.out, "> 0, but Φ⁰_2 ≤ 0, the motion is (1, 2)"));
    assert_non_null(strstr(outcome.out, "2Ω = Σ_gh Φ_gh·λ_g·λ_h = 200"));
    assert_good("at " MODEL("wedge") " --steps --as json");
    assert_non_null(strstr(outcome.out, "{\"acts\":[\"floor\"],\"rejected_by\":\"phi.wall\","
                                        "\"value\":6,"));
    assert_non_null(strstr(outcome.out, "{\"acts\":[\"floor\",\"wall\"],\"rejected_by\":null,"
                                        "\"value\":null,"));
    assert_good("at " MODEL("wedge") " --set F=0,a=0,b=-1,g=-1 --steps");
    assert_non_null(strstr(outcome.out, "the motion is the free one (0)"));
    // Nothing touches; nothing is asked.
    assert_good("at " BLADE " --steps --as json");
    assert_non_null(strstr(outcome.out, "\"steps\":[]"));
    assert_good("at " BLADE " --as json");
    assert_null(strstr(outcome.out, "\"steps\""));
    // The case tree as formulas: y >= 0 with weight mg.
    assert_good("derive " MODEL("bouncing_ball") " --form gauss --steps");
    assert_non_null(strstr(outcome.out, "floor: −z″ ≤ 0\n"));
    assert_non_null(strstr(outcome.out, "Φ_{floor,floor} = 1/m\n"));
    assert_non_null(strstr(outcome.out, "Φ⁰_{floor} = g\n"));
    assert_non_null(strstr(outcome.out, "λ_{floor} = m·g\n"));
    assert_good("derive " MODEL("wedge") " --form gauss --steps --as json");
    assert_non_null(strstr(outcome.out, "\"relation\":\"<=\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reactions),
        cmocka_unit_test(test_at),
        cmocka_unit_test(test_at_time),
        cmocka_unit_test(test_at_time_of_conditions),
        cmocka_unit_test(test_at_goes_wrong),
        cmocka_unit_test(test_one_sided),
        cmocka_unit_test(test_shock_at_start),
        cmocka_unit_test(test_mayer),
        cmocka_unit_test(test_one_sided_goes_wrong),
        cmocka_unit_test(test_friction_steps),
        cmocka_unit_test(test_acting_slip),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
