// test_stability.c: `zwang stability` from the command line: what it prints, writes and refuses.
#include "cli/program.h"

#include "test_size.h"
#include "uniform.h"

#include <math.h>

#define MODEL(name) "'" ZWANG_SOURCE_DIR "/models/" name ".zw'"
#define UPRIGHT     "--at \"psi=0,theta'=0,v=3\""

static void test_text(void **state)
{
    (void)state;
    assert_good("stability " MODEL("tire") " " UPRIGHT " --vary v=0.5:3:50 --slow --inputs m");
    static const char *const parts[] = {
        "coordinates  ψ = 0\n",
        "u = (v, θ′, ψ′),  q = (ψ)",
        "family of steady motions",
        "stable in the first approximation: 2 eigenvalues are imaginary",
        "a real eigenvalue passes 0; fewer growing modes above",
        "very slow motions (Appell 24)",
        "p = (m)",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_non_null(strstr(outcome.out, parts[i]));
    assert_good("stability " MODEL("tire") " " UPRIGHT " --digits 20");
    assert_non_null(strstr(outcome.out, "(all 20 digits are certain)"));
}

static void test_impossible_inertia(void **state)
{
    (void)state;
    for (int C = 1; C <= 4; C++) {
        char words[120];
        put_model("param C = 1\ncoord a, b, c\n"
                  "frame F = world rotate a about z rotate b about x rotate c about z\n"
                  "body top frame F mass 1 at [0, 0, 0] inertia [1, 1, C]\n"
                  "potential a^2 + (b - 1)^2 + c^2\ninitial b = 1\n");
        snprintf(words, sizeof words, "stability m.zw --set C=%d", C);
        assert_good(words);
        assert_int_equal(strstr(outcome.err, "above the sum") != NULL, C > 2);
    }
}

static void test_json_keys(void **state)
{
    (void)state;
    assert_good("stability " BLADE " --at v=1 --as json");
    static const char *const keys[] = {"state", "variables", "A",       "M",        "C",
                                       "K",     "family",    "verdict", "critical", "curve"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char key[32];
        snprintf(key, sizeof key, "\"%s\":", keys[i]);
        assert_non_null(strstr(outcome.out, key));
    }
    assert_non_null(strstr(outcome.out, "\"eigenvalues\":[[0,0],[-1.5,0]]"));
    assert_non_null(strstr(outcome.out, "\"critical\":[],\"curve\":[]"));
}

// The curve as rows and as a picture.
static void test_curve(void **state)
{
    (void)state;
    assert_good("stability " BLADE " --set s=1,I=1 --at v=1 --vary v=1:2:3 --as csv --plot c.svg");
    assert_string_equal(outcome.out, "v,re1,im1,re2,im2\n1,0,0,-1,0\n1.5,0,0,-1.5,0\n2,0,0,-2,0\n");
    assert_true(exists("c.svg"));
    char svg[MOST_OUTPUT];
    slurp("c.svg", svg);
    assert_non_null(strstr(svg, "Re λ2"));
    // From far away, and downwards.
    assert_good("stability " BLADE " --set I=1 --at v=1 --vary s=50:49:2 --as csv");
    assert_begins(outcome.out, "s,re1,im1,re2,im2\n50,0,0,-50,0\n49,0,0,-49,0\n");
}

// What is said of all values of intervals is what a closed form says: a pendulum held upright by a
// spring, k > m·g·l, beside an oscillator whose damping may have either sign.
static void test_intervals(void **state)
{
    (void)state;
    Random random = random_seed(23);
    for (size_t i = 0; i < 12 * test_size(); i++) {
        double k = uniform(&random, 8, 22), dk = uniform(&random, 0, 2);
        double m = uniform(&random, 0.8, 1.2), dm = uniform(&random, 0, 0.2);
        double c = uniform(&random, -0.3, 1), dc = uniform(&random, 0, 0.3);
        char model[600];
        snprintf(model, sizeof model,
                 "param k = %.17g +/- %.17g, m = %.17g +/- %.17g, c = %.17g +/- %.17g, g = 9.81\n"
                 "coord q, x\nmass m at [sin(q), 0, cos(q)]\nkinetic x'^2/2\n"
                 "potential k*q^2/2 + m*x^2 + x*q/100\ngravity [0, 0, -g]\n"
                 "dissipation q'^2/2 + c*x'^2/2\n",
                 k, dk, m, dm, c, dc);
        put_model(model);
        zwang("stability m.zw --as json");
        // k·2m > (1/100)² + 2m·m·g, where both springs are counted.
        double least = k - dk - (m + dm) * 9.81 - 1e-4 / (2 * (m + dm));
        double most = k + dk - (m - dm) * 9.81 - 1e-4 / (2 * (m - dm));
        bool stable = least > 0 && c - dc > 0, some = most > 0 && c + dc > 0;
        if (fabs(least) < 1e-2 || fabs(most) < 1e-2 || fabs(c - dc) < 2e-2 || fabs(c + dc) < 2e-2 ||
            fabs(k - m * 9.81) < 1e-2)
            continue;
        const char *verdict = stable ? "\"asymptotically_stable\"}"
                              : some ? "\"differs\"}"
                                     : "\"unstable\"}";
        if (strstr(outcome.out, "\"undecided\"}"))
            continue; // beside a double eigenvalue 0 nothing else can be said
        const char *told = strstr(outcome.out, "\"certified\":[{\"name\":\"k\"");
        if (outcome.code != 0 || !told || !strstr(told, verdict))
            fail_msg("%s\n%s: %s %s", model, verdict, outcome.err, told ? told : "nothing");
    }
    // Those that can be decided are.
    put_model(
        "param k = 20 +/- 5, m = 1 +/- 0.1, g = 9.81\ncoord q\nmass m at [sin(q), 0, cos(q)]\n"
        "potential k*q^2/2 + q/10\ngravity [0, 0, -g]\ndissipation q'^2/2\n");
    assert_good("stability m.zw");
    assert_non_null(strstr(outcome.out, "for k in [15, 25], m in [0.9, 1.1]: asymptotically stable "
                                        "for all values: proved\n"));
    assert_good("stability m.zw --set \"k=4 +/- 1\"");
    assert_non_null(strstr(outcome.out, "unstable for all values: proved\n"));
    assert_good("stability m.zw --set \"k=10 +/- 5\"");
    assert_non_null(strstr(outcome.out, "stable for some values, unstable for others: proved\n"));
}

// Units are those that were declared; a range has them.
static void test_units(void **state)
{
    (void)state;
    assert_good("stability " MODEL("units_bicycle") " --vary \"v=4 km/h:40 km/h:50\"");
    static const char *const parts[] = {"in SI units", "eigenvalues in 1/s\n",
                                        "critical values between v = 4 and 40 km/h\n",
                                        "  v = 15.4517425660"}; // 4.2921507… m/s
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_non_null(strstr(outcome.out, parts[i]));
    assert_wrong("stability " MODEL("units_bicycle") " --vary v=4:40:50", "4 has no unit");
    assert_good("stability " MODEL("units_mount") " --as json");
    assert_non_null(strstr(outcome.out, "\"units\":{\"z\":\"m\",\"z'\":\"m/s\","));
}

static void test_goes_wrong(void **state)
{
    (void)state;
    assert_wrong("stability " MODEL("hoop") " --at \"psi=0.2,phi'=6,theta'=0.3\"",
                 "no steady motion was found with the values that are held: the nearest state "
                 "that was reached still has psi''");
    assert_wrong("stability " MODEL("hoop") " --at \"psy=0\"", "did you mean 'psi'?");
    assert_wrong("stability " MODEL("hoop") " --at m=2",
                 "'m' is a parameter; give it as a setting (see --set)");
    static const char *const ranges[] = {"v",        "v=1",    "v=1:2",   "v=1:2:1",   "v=a:2:3",
                                         "v=1:2:3x", "=1:2:3", "v=1:1:3", "v=1:inf:3", "v=1:2:3.5"};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        char words[256];
        snprintf(words, sizeof words, "stability " BLADE " --at v=1 --vary %s", ranges[i]);
        assert_wrong(words, "is no range of values: write NAME=FROM:TO:COUNT");
    }
    assert_wrong("stability " BLADE " --vary v=1:2:3", "hold it: v=… (see --at)");
    assert_wrong("stability " MODEL("top_quaternion") " --vary psi_rat=1:2:3",
                 "unknown name 'psi_rat' of what is varied; did you mean 'psi_rate'? (see --vary)");
    assert_wrong("stability " BLADE " --at v=1 --vary zz=1:2:3",
                 "'zz' cannot be varied: it is neither a parameter nor");
    assert_wrong("stability " BLADE " --inputs F",
                 "inputs are parameters, and 'F' is none (see --inputs)");
    assert_wrong("stability " BLADE " --inputs m,m", "twice");
    assert_wrong("stability " BLADE " --as csv",
                 "say over what, as NAME=FROM:TO:COUNT (see --vary)");
    assert_wrong("stability " BLADE " --plot a.svg",
                 "say over what, as NAME=FROM:TO:COUNT (see --vary)");
    assert_wrong("stability " BLADE " --at v=1 --vary s=1:2:3 --plot a.gif", "ends in .svg");
    assert_false(exists("a.png"));
    assert_wrong("stability " BLADE " --at v=1 --vary s=1:2:3 --plot none/a.svg", "no folder");
    assert_wrong("stability " BLADE " --as latex", "there are text, json and csv");
    assert_wrong("stability " BLADE " --digits x", "--digits 'x'");
    assert_wrong("stability " BLADE " --digits 1000", "digits can be enclosed (see --digits)");
    assert_wrong("stability " BLADE " --to 3", "does not take --to");
    assert_wrong("stability " MODEL("top") " --at theta=0", "singular at this motion");
    assert_wrong("stability " MODEL("wheels"), "hold the time t, so that no motion is steady");
    assert_wrong_model("coord x\nmass 1 at [x, 0, 0]\nforce 1 along x\n", "stability",
                       "still has x'' = 1");
    assert_wrong_model("param m\ncoord x\nmass m at [x, 0, 0]\n", "stability", "'m'");
    assert_wrong_model("coord x\nmass 1 at [x, 0, 0]\nconstraint a: x = 1\n", "stability",
                       "the conditions leave no degree of freedom");
    assert_wrong_model("coord x\nmass 1 at [x, 0, 0]\nforce -sign(x') along x\n", "stability",
                       "'sign' switches there");
    assert_wrong("stability " MODEL("second_affine"),
                 "the constraint 'edge' holds accelerations; this version cannot linearize");
    // A one-sided condition counts only where it touches.
    static const char floor_below[] = "coord z\nmass 1 at [0, 0, z]\npotential (z - 1)^2\n"
                                      "constraint floor: z >= 0\ninitial z = 0.9\n";
    put_model(floor_below);
    assert_good("stability m.zw");
    assert_non_null(strstr(outcome.out, "±1.414213562 i"));
    assert_wrong_model("coord z\nmass 1 at [0, 0, z]\npotential z^2\nconstraint floor: z >= 0\n",
                       "stability", "the one-sided condition 'floor' touches");
}

// The frequency as a formula: by hand from Hamel 244, α² = (BD − AF)/AE with B = Cv/r, D = B + mrv,
// E = A + mr², F = mgr.
static void test_frequencies(void **state)
{
    (void)state;
    assert_good("stability '" ZWANG_SOURCE_DIR "/models/tire.zw' --at psi=0");
    assert_non_null(strstr(outcome.out, "α² = (m·r²·C·v² + C²·v² − m·r³·g·A)/(m·r⁴·A + r²·A²), "
                                        "which vanishes at v² = m·r³·g·A/(C² + m·r²·C)\n"));
    assert_non_null(strstr(outcome.out, "  A·θ″ − C·ψ′·v/r = 0\n"
                                        "  (A + m·r²)·ψ″ + (C·v/r + m·r·v)·θ′ − m·r·g·ψ = 0\n"));
    assert_good("stability '" ZWANG_SOURCE_DIR "/models/tire.zw' --at psi=0 --as json");
    assert_non_null(strstr(outcome.out, "\"speed\":\"v\",\"critical_square\":\""));
    assert_good_model("param m, k\ncoord x\nmass m at [x, 0, 0]\npotential k*x^2/2\n",
                      "stability --set m=2,k=3");
    assert_non_null(strstr(outcome.out, "α² = k/m\n"));
    // On a circle θ'² = μ/r³, so that no speed can be chosen at which 3θ'² − 2μ/r³ vanishes.
    assert_good("stability '" ZWANG_SOURCE_DIR "/models/polar.zw'");
    assert_non_null(strstr(outcome.out, "α² = 3·θ′² − 2·μ/r³\n"));
}

// A ball at rest in a bowl may turn about the vertical; that decides nothing. A quartic potential
// is another thing.
static void test_free_spin(void **state)
{
    (void)state;
    assert_good_model("param a = 0.1, R = 0.5\ncoord x, y, al, be, ga\n"
                      "frame A = world rotate al about z\nframe B = A rotate be about x\n"
                      "frame F = B rotate ga about y\nlet z = -sqrt((R - a)^2 - x^2 - y^2)\n"
                      "point G = [x, y, z]\n"
                      "point K = [x*R/(R - a), y*R/(R - a), z*R/(R - a)]\n"
                      "body ball frame F mass 1 at G inertia [2*a^2/5, 2*a^2/5, 2*a^2/5]\n"
                      "gravity [0, 0, -9.81]\nconstraint roll: velocity(K on ball) = 0\n",
                      "stability --at x=0,y=0");
    assert_non_null(strstr(outcome.out, "  free spin "));
    assert_non_null(strstr(outcome.out, "\nstable in the first approximation: what is 0 outside "
                                        "the family is a free spin"));
    assert_good_model("coord th\nframe F = world rotate th about z\npoint O = [0, 0, 0]\n"
                      "body wheel frame F mass 1 at O inertia [1, 1, 2]\npotential th^4\n",
                      "stability --at th=0");
    assert_non_null(strstr(outcome.out, "\nundecided: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impossible_inertia),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_json_keys),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_curve),
        cmocka_unit_test(test_frequencies),
        cmocka_unit_test(test_free_spin),
        cmocka_unit_test(test_goes_wrong),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
