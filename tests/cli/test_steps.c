// test_steps.c: derivations as the program writes them out: in order, with the sources' numbers,
// as text, as JSON that is well-formed, and as LaTeX that compiles.
#include "cli/program.h"

#define HOOP  "'" ZWANG_SOURCE_DIR "/models/hoop.zw'"
#define BLADE "'" ZWANG_SOURCE_DIR "/models/blade.zw'"

// Behind the JSON value that begins here; NULL where it is none.
static const char *skip_json(const char *at)
{
    if (*at == '"') {
        for (at++; *at && *at != '"'; at++)
            at += *at == '\\' && at[1];
        return *at ? at + 1 : NULL;
    }
    if (*at != '{' && *at != '[') {
        size_t length = strcspn(at, ",]}\n");
        return length ? at + length : NULL;
    }
    char close = *at == '{' ? '}' : ']';
    for (at++; at && *at != close;) {
        if (close == '}') {
            at = *at == '"' ? skip_json(at) : NULL;
            at = at && *at == ':' ? at + 1 : NULL;
        }
        at = at ? skip_json(at) : NULL;
        if (at && *at != close)
            at = *at == ',' ? at + 1 : NULL;
    }
    return at ? at + 1 : NULL;
}

// The derivation, with the source's numbers, in the source's order; labels with Greek letters.
static void test_steps(void **state)
{
    (void)state;
    assert_good("derive " HOOP " --form tzenoff,hamel --steps");
    const char *at = outcome.out;
    static const char *const order[] = {"1. The conditions are solved",
                                        "(Tzénoff (8))",
                                        "x′ = r·cos(θ)·φ′",
                                        "S₁ = ",
                                        "∂S₁/∂φ″ = ",
                                        "(Tzénoff (11))",
                                        "θ (11): ",
                                        "T₁ = ",
                                        "∂T₁/∂θ = m·r²·cos(ψ)·ψ′·φ′",
                                        "d/dt ∂T₁/∂φ′ = ",
                                        "(Tzénoff (10))",
                                        "θ (10): ",
                                        "masses at their centres",
                                        "ω_1 = ω.roll.x",
                                        "β_1^{3,5} = r·sin(θ)",
                                        "P_4 = A·ψ′ + m·r²·ψ′",
                                        "(Hamel (II) of no. 235)"};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const char *found = strstr(at, order[i]);
        if (!found)
            print_message("not there, or too early: %s\n", order[i]);
        assert_non_null(found);
        at = found;
    }
    assert_good("derive " HOOP " --form all --steps --as json");
    at = skip_json(outcome.out);
    assert_non_null(at);
    assert_string_equal(at, "\n");
    assert_non_null(strstr(outcome.out, "\"steps\":[{\"words\":"));
    assert_non_null(strstr(outcome.out, "\"source\":\"Quanjel (8)\",\"formula\":\"R_α = "));
    assert_non_null(strstr(outcome.out, "{\"left\":\"∂T⁺/∂theta\",\"right\":\"0\"}"));
    assert_good("derive " HOOP " --form all --as json");
    assert_null(strstr(outcome.out, "\"steps\""));
    assert_wrong("check " HOOP " --steps", "does not take --steps");
    assert_wrong("derive " HOOP " --steps=3", "--steps takes no value");
}

static void assert_shown(const char *const *shown, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!strstr(outcome.out, shown[i]))
            print_message("not there: %s\n", shown[i]);
        assert_non_null(strstr(outcome.out, shown[i]));
    }
}

// Speeds called ω₁, ω₂ are not taken for the first and second of all; the common mistakes follow
// the derivation.
static void test_with_other_options(void **state)
{
    (void)state;
    assert_good("derive " BLADE " --form hamel,lagrange --steps --speeds orthonormal --naive");
    static const char *const shown[] = {
        "ϑ′_2 = ω₁\n",          "P_2 = ω₁\n",        "(Hamel (1), (2) of no. 232, no. 236)",
        "The common mistake: ", "Another problem: ", "wrong: the right side lacks "};
    assert_shown(shown, sizeof shown / sizeof *shown);
    assert_null(strstr(outcome.out, "ω_2 = ω₁"));
    assert_good("derive " BLADE " --form hamel --steps --naive --as json");
    const char *end = skip_json(outcome.out);
    assert_non_null(end);
    assert_string_equal(end, "\n");
    static const char *const keys[] = {"\"steps\":[", "\"obeying\":[", "\"left\":\"ω_2\""};
    assert_shown(keys, sizeof keys / sizeof *keys);
}

// What --form tzenoff and voronets show without their steps.
static void test_functions(void **state)
{
    (void)state;
    assert_good("derive " HOOP " --form tzenoff,voronets");
    static const char *const shown[] = {"  T₁ = ", "  S₁ = ", "  a_{x,φ} = r·cos(θ)\n",
                                        "  A^{(x)}_{θ,φ} = r·sin(θ)\n", "  θ (11): "};
    assert_shown(shown, sizeof shown / sizeof *shown);
    assert_null(strstr(outcome.out, "theta"));
}

// A root of a square has the signs of the start: x' = ±2z', and the force (1, 0, 2) gives
// (1 + 4)z'' = ±2 + 2.
static void test_roots(void **state)
{
    (void)state;
    const char *model = "coord x, z\nmass 1 at [x, 0, z]\nforce [1, 0, 2] at [x, 0, z]\n"
                        "constraint c: x'^2 = 4*z'^2\ninitial x' = -2, z' = -1\n";
    assert_good_model(model, "derive --form appell");
    assert_non_null(strstr(outcome.out, "x′ = 2·z′\n"));
    assert_non_null(strstr(outcome.out, "5·z″ = 4\n"));
    assert_non_null(strstr(outcome.out, "c: its reaction does no work on the actual motion\n"));
    assert_good_model(model, "derive --form appell --set \"x'=2\"");
    assert_non_null(strstr(outcome.out, "x′ = −2·z′\n"));
    assert_non_null(strstr(outcome.out, "5·z″ = 0\n"));
    assert_good_model("coord x, y, z\nspeed u = z', a = x'/z'\nmass 1 at [x, y, z]\n"
                      "constraint c: x'^2 + y'^2 = z'^2\ninitial u = 1, a = 0.6\n",
                      "check --only forms");
    assert_null(strstr(outcome.out, "undecided"));
    assert_good_model("coord x, y, z\nspeed u = z', a = x'/z'\nmass 1 at [x, y, z]\n"
                      "constraint c: x'^2 + y'^2 = z'^2\ninitial u = 1, a = 0.6\n",
                      "derive");
    assert_non_null(strstr(outcome.out, "y′ = sqrt(−a² + 1)·u\n"));
}

// Hamel 252: S with the condition put in, its two solutions, and Gauss's function on them.
static void test_eliminated(void **state)
{
    (void)state;
    assert_good("derive '" ZWANG_SOURCE_DIR "/models/second_class.zw' --form appell --steps");
    static const char *const lines[] = {"S = m·(x₁″² + x₂″² + x₁″²·x₂″²)/2\n",
                                        "x₁′: m·x₁″·x₂″² + m·x₁″ = K·x₂″\n",
                                        "x₁″ = K·x₂″/(m·x₂″² + m)\n",
                                        "m·x₂″² + m − K = 0\n",
                                        "Z_1 = 0\n",
                                        "Z_3 = −(m − K)²/(2·m)\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_non_null(strstr(outcome.out, lines[i]));
    assert_good("check '" ZWANG_SOURCE_DIR "/models/second_class.zw' --only forms");
    assert_non_null(
        strstr(outcome.out, "appell and multipliers give the same motion: proved exactly"));
    // An affine one beside it, with a coefficient; by hand z'' = x''(2x'' + x')/(1 + x^2).
    assert_good_model("coord x, y, z\nmass 1 at [x, y, z]\n"
                      "constraint c: z''*(1 + x^2) = x''*y''\nconstraint d: y'' = 2*x'' + x'\n",
                      "derive --form appell");
    assert_non_null(strstr(outcome.out, "z″ = (2·x″ + x′)·x″/(x² + 1)"));
    // None is given as a function of the others.
    assert_good_model("coord x, y\nmass 1 at [x, y, 0]\nconstraint c: x''^2 + y''^2 = 1\n",
                      "derive --form appell");
    assert_non_null(strstr(outcome.out,
                           "does not apply: the conditions on the accelerations give no "
                           "acceleration as a function of the others"));
}

// The last step has the equations of the form, those of continuous states as they were given.
static void test_states(void **state)
{
    (void)state;
    static const char *const questions[] = {
        "derive m.zw --form all --steps --as latex", "derive m.zw --form all --steps --as json",
        "export m.zw --to latex --form all", "derive m.zw --form all --steps"};
    put_model("coord x, y\nmass 1 at [x, y, 0]\nconstraint c: y' = x*x'\n"
              "state a' = b - x, b' = -a\nforce a along x\n");
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        assert_good(questions[i]);
    assert_non_null(strstr(outcome.out, "       a: a′ = b − x\n"));
}

// Compiled where pdflatex is there.
static void test_latex(void **state)
{
    (void)state;
    assert_good("derive " HOOP " --form all --as latex --steps");
    assert_non_null(strstr(outcome.out, "\\frac{\\partial T^{+}}{\\partial \\theta '}"));
    compile_document();
    assert_good("derive " BLADE " --form hamel --as latex --steps --naive --speeds orthonormal");
    assert_non_null(strstr(outcome.out, "\\vartheta '_2 = \\omega _{1}"));
    compile_document();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),      cmocka_unit_test(test_with_other_options),
        cmocka_unit_test(test_functions),  cmocka_unit_test(test_roots),
        cmocka_unit_test(test_eliminated), cmocka_unit_test(test_states),
        cmocka_unit_test(test_latex),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
