// test_at.c: `zwang at`, and the reactions that `zwang derive` prints, from the command line.
#include "cli/program.h"

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
    assert_non_null(strstr(outcome.err, "y' cannot be independent: at this state the constraint "
                                        "'wire' fixes it"));
    assert_non_null(strstr(outcome.out, "wire at P"));
}

static void test_at_goes_wrong(void **state)
{
    (void)state;
    assert_wrong("at " BLADE " --as latex", "unknown format 'latex'; there are text and json");
    assert_wrong("at " BLADE " --to 3", "'zwang at' does not take --to");
    assert_wrong("at", "which model?");
    assert_wrong("at " BLADE " --set v=x", "v=x");
    assert_wrong_model("coord x\nmass 1 at [x, 0, 0]\nconstraint c: x <= 1\n", "at",
                       "the constraint 'c' is one-sided, which this version cannot use yet");
    assert_wrong_model("coord x, y\nmass 1 at [x, y, 0]\nconstraint a: x' = 1\n"
                       "constraint b: x' = 2\n",
                       "at", "the constraint 'b' contradicts the ones before it");
    assert_wrong_model("coord x, y\nmass 1 at [x, y, 0]\nconstraint a: x = y\n"
                       "initial x' = 1, y' = 2\n",
                       "at", "contradicts the constraint");
    assert_wrong_model("param m\ncoord x\nmass m at [x, 0, 0]\n", "at", "'m'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reactions),
        cmocka_unit_test(test_at),
        cmocka_unit_test(test_at_goes_wrong),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
