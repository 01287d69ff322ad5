// test_program.c: the program as a user meets it: good commands, bad input, exit codes,
// streams, and that nothing is left behind.
#include "cli/program.h"

#include <math.h>

// ---- Good commands.

static void test_help(void **state)
{
    (void)state;
    static const char *const commands[] = {"derive", "check", "at", "run", "gallery"};
    assert_good("--help");
    for (size_t i = 0; i < 5; i++) {
        assert_non_null(strstr(outcome.out, commands[i]));
    }
    for (size_t i = 0; i < 5; i++) {
        char words[64];
        snprintf(words, sizeof words, "%s --help", commands[i]);
        assert_good(words);
        assert_non_null(strstr(outcome.out, "Example:"));
        assert_good("--help");
    }
    // Other ways to ask.
    assert_good("help run");
    assert_non_null(strstr(outcome.out, "zwang run MODEL"));
    assert_good("at --help");
    assert_non_null(strstr(outcome.out, "zwang at MODEL"));
}

static void test_derive(void **state)
{
    (void)state;
    assert_good("derive " BLADE " --form multipliers,appell");
    assert_non_null(strstr(outcome.out, "multipliers"));
    assert_non_null(strstr(outcome.out, "m·v′ − m·s·w² = 0"));
    assert_non_null(strstr(outcome.out, "λ.edge"));
    assert_good("derive " BLADE " --form all --as json");
    assert_int_equal(outcome.out[0], '{');
    assert_non_null(strstr(outcome.out, "\"forms\":{\"multipliers\":{\"applies\":true"));
}

static void test_naive(void **state)
{
    (void)state;
    assert_good("derive " BLADE " --form lagrange --naive");
    assert_non_null(strstr(outcome.out, "The common mistake"));
    assert_non_null(strstr(outcome.out, "(wrong: the right side lacks "));
    assert_good("derive " BLADE " --form hamel --naive");
    assert_non_null(strstr(outcome.out, "(wrong: the right side has too much: −m·s·w²)"));
    assert_non_null(strstr(outcome.out, "(another motion: the right side has besides: μ.edge·v)"));
    assert_non_null(strstr(outcome.out, "μ.edge′ = m·s·w′ + m·v·w"));
    assert_good("derive " BLADE " --form hamel --naive --as json");
    assert_non_null(strstr(outcome.out, "\"multiplier_rates\":{\"mu.edge\":\"m*s*w' + m*v*w\"}"));
    assert_good("derive " BLADE " --form hamel");
    assert_null(strstr(outcome.out, "μ.edge"));
}

static void test_reactions(void **state)
{
    (void)state;
    assert_good("derive " BLADE " --reactions");
    assert_non_null(strstr(outcome.out, "multipliers and reactions\n  λ.edge = "));
    assert_non_null(strstr(outcome.out, "edge: on x −sin(θ)·λ.edge"));
    assert_good("derive " BLADE " --form kane --reactions --as json");
    assert_non_null(strstr(outcome.out, "\"multipliers\":{\"edge\":"));
    assert_good("derive " BLADE " --form kane --as json");
    assert_null(strstr(outcome.out, "\"multipliers\":{\"edge\":"));
    put_model("coord x\nkinetic x'^2/2\n");
    assert_good("derive m.zw --reactions");
    assert_non_null(strstr(outcome.err, "no reactions: nothing constrains this system"));
}

static void test_orthonormal_speeds(void **state)
{
    (void)state;
    assert_good("derive " BLADE " --form hamel --speeds orthonormal");
    assert_non_null(strstr(outcome.out, "T⁺ = ½·(ω₁² + ω₂²)"));
    assert_non_null(strstr(outcome.out, "ω₁′ − sqrt(m)·s·ω₂²/I = 0"));
    assert_non_null(strstr(outcome.out, "(IIa)"));
    // What is besides the squares is shown too.
    assert_good("derive " BEAD " --form hamel --speeds orthonormal --as latex");
    assert_non_null(strstr(outcome.out, "T^{+} = "));
    assert_good("check " BLADE " --speeds orthonormal");
    assert_non_null(strstr(outcome.out, "each pair of the 12 forms gives the same motion"));
    assert_good("run " BLADE " --speeds orthonormal --to 0.1 --quiet");
    zwang("derive " BLADE " --speeds orthogonal");
    assert_int_equal(outcome.code, 2);
    assert_non_null(
        strstr(outcome.err, "unknown choice of speeds 'orthogonal'; there is 'orthonormal'"));
    zwang("gallery --speeds orthonormal");
    assert_int_equal(outcome.code, 2);
    put_model("coord x\nlagrangian -sqrt(1 - x'^2)\n");
    zwang("derive m.zw --speeds orthonormal");
    assert_int_equal(outcome.code, 2);
    assert_non_null(strstr(outcome.err, "T is not a quadratic function of the velocities"));
}

#define BICYCLE "'" ZWANG_SOURCE_DIR "/models/bicycle.zw'"

// What is too long to be read has names; written out in full it is said how long it would be.
static void test_expand(void **state)
{
    (void)state;
    assert_good("derive " BLADE " --expand");
    assert_non_null(strstr(outcome.out, "m·v′ − m·s·w² = 0"));
    assert_good("derive " BICYCLE);
    assert_non_null(strstr(outcome.out, "\nquantities    z₁ = "));
    assert_wrong("derive " BICYCLE " --expand", "error: written out in full these equations have");
    assert_wrong("run " BLADE " --expand", "does not take --expand");
}

// A title may hold anything.
static void test_latex(void **state)
{
    (void)state;
    put_model("system s \"\\\\input{x} $ # % & _ ^ ~ { } Größe – θ, ϵ, 𝄞, 力\"\n"
              "coord x, theta, phi1\nkinetic x'^2 + theta'^2 + phi1'^2\n"
              "constraint c: x' = cos(theta)*theta'\nconstraint d: 2*x' = 2*cos(theta)*theta'\n"
              "speed v_front = 2*theta'\n");
    assert_good("derive m.zw --form all --as latex --naive");
    assert_begins(outcome.out, "\\documentclass");
    assert_null(strstr(outcome.out, "\\input"));
    assert_non_null(strstr(outcome.out, "Coordinates: $x$, $\\theta $, $\\phi _{1}$. "));
    assert_non_null(strstr(outcome.out, "&\\text{c}\\colon\\quad x' = "));
    assert_non_null(strstr(outcome.out, "\\text{(set aside: it follows from the ones before it)}"));
    assert_non_null(strstr(outcome.out, "Speeds:"));
    assert_non_null(strstr(outcome.out, "&\\phi _{1}'\\colon\\quad "));
    assert_non_null(strstr(outcome.out, "This one is right: nothing is missing."));
    compile_document();
    assert_good("export m.zw --to latex --form hamel,appell");
    assert_null(strstr(outcome.out, "\\input"));
    assert_non_null(strstr(outcome.out, "What kind of system it is, and what was proved"));
    assert_non_null(strstr(outcome.out, "hamel and multipliers give the same motion: proved"));
    compile_document();
    assert_wrong("export m.zw --to c --form hamel", "leave them out (see --form)");
}

static void test_check(void **state)
{
    (void)state;
    assert_good("check " BLADE);
    assert_non_null(strstr(outcome.out, "proved exactly"));
    assert_good("check " BLADE " --as json --only forms");
    assert_non_null(strstr(outcome.out, "\"agrees\":true"));
}

static void test_rows_are_alone_on_stdout(void **state)
{
    (void)state;
    assert_good("run " BLADE " --to 1 --every 0.25 --out -");
    static const char head[] = "t,x,y,theta,x',y',theta',v,w,lambda.edge,energy\n";
    assert_begins(outcome.out, head);
    size_t lines = 0;
    for (const char *at = outcome.out; *at; at++)
        lines += *at == '\n';
    assert_int_equal(lines, 1 + 5);
    assert_non_null(strstr(outcome.err, "steps of order"));
    assert_good("run " BLADE " --to 1 --out - --quiet --residuals");
    assert_string_equal(outcome.err, "");
    assert_non_null(strstr(outcome.out, ",energy,residual.edge\n"));
}

// Who wants no notes may still want to know that the numbers were hard to get.
static void test_quiet_keeps_warnings(void **state)
{
    (void)state;
    put_model("coord x\nkinetic x'^2/2\npotential 1e5*x^2/2\ndissipation 1e5*x'^2/2\n"
              "initial x = 1\n");
    assert_good("run m.zw --to 0.1 --quiet");
    assert_begins(outcome.err, "warning: the motion is stiff");
    assert_string_equal(outcome.out, "");
}

static void test_files(void **state)
{
    (void)state;
    assert_good("run " BEAD " --to 1 --out b.csv");
    assert_true(exists("b.csv"));
    assert_non_null(strstr(outcome.out, "rows in b.csv"));
    assert_good("run " BEAD " --to 1 --out b.json --quiet");
    slurp("b.json", outcome.out);
    assert_begins(outcome.out, "{\"columns\":[\"t\",\"x\",");
    assert_good("run " BEAD " --to 1 --out b.jsonl --quiet");
    slurp("b.jsonl", outcome.out);
    assert_begins(outcome.out, "{\"t\":0,\"x\":");
    assert_good("run " BLADE " --to 1 --out /dev/null --quiet");
}

static void test_settings(void **state)
{
    (void)state;
    assert_good("run " BLADE " --to 1 --every 1 --set \"v=2,theta=0\" --set w=0 --out - --quiet");
    const char *last = strstr(outcome.out, "\n1,");
    assert_non_null(last);
    assert_true(fabs(strtod(last + 3, NULL) - 2) < 1e-12);
    assert_wrong("run " BLADE " --set thetta=1", "did you mean 'theta'?");
    assert_wrong("run " BLADE " --set theta", "setting:1:1: error: '=' with a value is missing");
}

// The same words give the same bytes.
static void test_same_bytes(void **state)
{
    (void)state;
    static char first[MOST_OUTPUT];
    static const char *const words[] = {"derive " BLADE " --form all --as json",
                                        "check " BLADE " --as json",
                                        "run " BLADE " --out - --quiet"};
    for (size_t i = 0; i < 3; i++) {
        assert_good(words[i]);
        strcpy(first, outcome.out);
        assert_good(words[i]);
        assert_string_equal(outcome.out, first);
    }
}

// The gallery is a list of models, each printed as its file is, byte for byte; what is printed is
// a model again.
static void test_gallery(void **state)
{
    (void)state;
    static char file[MOST_OUTPUT];
    assert_good("gallery");
    assert_non_null(strstr(outcome.out, "The blade on ice (Hamel 229)\n"));
    assert_good("gallery blade");
    FILE *model = fopen(ZWANG_SOURCE_DIR "/models/blade.zw", "rb");
    assert_non_null(model);
    file[fread(file, 1, sizeof file - 1, model)] = '\0';
    fclose(model);
    assert_string_equal(outcome.out, file);
    put_model(outcome.out);
    assert_good("run m.zw --to 1");
}

// ---- Bad input.

// Whatever a message of the library may be about has an option of the program.
static void test_hints_have_options(void **state)
{
    (void)state;
    static const char *const names[] = {
#define HINT(NAME, name) name,
#include "base/hints.def"
#undef HINT
    };
    static const char *const options[] = {
#define OPTION(NAME, word, value, commands, help) word,
#include "cli/options.def"
#undef OPTION
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char word[32];
        bool found = false;
        snprintf(word, sizeof word, "--%s", names[i]);
        for (char *at = word; *at; at++)
            *at = *at == '_' ? '-' : *at;
        for (size_t j = 0; j < sizeof options / sizeof *options; j++)
            found = found || strcmp(options[j], word) == 0;
        if (!found)
            print_message("no option for the hint '%s'\n", names[i]);
        assert_true(found);
    }
}

static void test_bad_words(void **state)
{
    (void)state;
    assert_wrong("derve " BLADE, "unknown command 'derve'");
    assert_wrong("derive", "which model?");
    assert_wrong("derive " BLADE " --forms appell",
                 "'zwang derive' does not take --forms; did you mean '--form'?");
    assert_wrong("view " BLADE " --form appell",
                 "'zwang view' does not take --form; did you mean '--forms'?");
    assert_wrong("view " BLADE " --forms hammel", "--forms hammel: did you mean 'hamel'?");
    assert_wrong("view " BLADE " --forms qqqq", "--forms qqqq: there is no such form");
    assert_wrong("view " BLADE " --forms appell,,kane", "--forms: no form is named");
    assert_wrong("view " BLADE " --method tailor", "unknown method 'tailor'");
    assert_wrong("derive " BLADE " --form appel", "did you mean 'appell'?");
    assert_wrong("derive " BLADE " --as pdf", "unknown format 'pdf'");
    assert_wrong("derive " BLADE " --to 3", "does not take --to");
    assert_wrong("run " BLADE " --to", "--to needs a value");
    assert_wrong("run " BLADE " --to three", "--to:1:1: error: unknown name 'three'");
    assert_wrong("run " BLADE " --every 1/0", "--every:1:3: error: this divides by zero");
    assert_wrong("run " BLADE " --to x", "--to:1:1: error: this number is made of numbers");
    assert_wrong("run " BLADE " --to -1", "positive");
    assert_wrong("run " BLADE " --every 0", "positive");
    assert_wrong("run " BLADE " --tolerance -3", "tolerance");
    assert_wrong("run " BLADE " --method euler",
                 "here are auto, taylor, bdf, adams, erk and timestepping");
    assert_wrong("run " BLADE " --tol 1e-9", "did you mean '--tolerance'?");
    assert_wrong("run " BLADE " --t 1", "did you mean '--to'?");
    assert_wrong("run " BLADE " --strange 1", "'zwang run --help' lists them");
    assert_wrong("at " BLADE " --t 1", "did you mean '--time T'?");
    assert_wrong("run " BLADE " --time 1", "does not take --time; did you mean '--to T'?");
    assert_wrong("run " BLADE " --tend 1", "did you mean '--to T'?");
    assert_wrong("run " BLADE " --method rk4", "did you mean 'erk'?");
    assert_wrong("run " BLADE " --method tailor", "did you mean 'taylor'?");
    assert_wrong("export " BLADE " --to matlb", "did you mean 'matlab'?");
    assert_wrong("export " BLADE " --to c++", "did you mean 'c'?");
    assert_wrong("hammel " BLADE, "did you mean 'zwang derive MODEL --form hamel'?");
    assert_wrong("eom " BLADE, "did you mean 'zwang derive MODEL'?");
    assert_wrong("run " BLADE " --engine fast", "unknown engine 'fast'");
    assert_wrong("export " BLADE,
                 "say what to export to: latex, c, python, julia, matlab, fmu (see --to)");
    assert_wrong("export " BLADE " --to cobol", "unknown target 'cobol'");
    assert_wrong("export " BLADE " --to c --out blade.h", "name it");
    assert_wrong("export " BLADE " --to c --out /nowhere/blade.c", "there is no folder");
    assert_wrong("gallery hop", "did you mean 'hoop'?");
    assert_wrong("blade.zw", "For example: zwang derive blade.zw");
    assert_wrong("gallery zzzzzzzzzzzz", "'zwang gallery' lists what it has");
    assert_wrong("gallery hoop blade", "one model at a time");
    assert_wrong("gallery hoop --to 3", "does not take --to");
    // Folders that cannot be made, each with the remedy; without npm there is no page to write.
    zwang("gallery --html no/where/site");
    if (!strstr(outcome.err, "built without its page")) {
        put_file("taken", "", 0);
        assert_wrong("gallery --html no/where/site",
                     "there is no folder 'no/where'; make it first");
        assert_wrong("gallery --html taken/site", "'taken' is not a folder");
        assert_wrong("gallery --html taken", "there is a file of that name; name another folder");
    }
}

static void test_bad_files(void **state)
{
    (void)state;
    assert_wrong("derive missing.zw", "cannot read 'missing.zw'");
    // Models of the gallery that were not made into files yet.
    assert_wrong("run hoop", "'zwang gallery hoop > hoop.zw' makes one");
    assert_wrong("at models/blade.zw", "'zwang gallery blade > blade.zw' makes one");
    assert_wrong("derive .", "directory");
    put_file("m.zw", "", 0);
    assert_wrong("derive m.zw", "coord");
    put_file("m.zw",
             "\x7f"
             "ELF\0\0\1\2\xff\xfe",
             10);
    assert_wrong("derive m.zw", "m.zw");
    size_t length = 10 << 20;
    char *brackets = malloc(length);
    assert_non_null(brackets);
    memset(brackets, '(', length);
    put_file("m.zw", brackets, length);
    free(brackets);
    assert_wrong("derive m.zw", "m.zw:1:");
    assert_true(strlen(outcome.err) < 2000);
}

static void test_bad_models(void **state)
{
    (void)state;
    assert_wrong_model("param m = 1\ncoord theta\nkinetic m*thetta'^2/2\n", "derive",
                       "unknown name 'thetta'; did you mean 'theta'?");
    assert_wrong_model("coordinate x\n", "derive", "did you mean 'coord'?");
    assert_wrong_model("coord x\nmass 1 at [x, 0, 0]\nrun to 1 method tailor\n", "check",
                       ":3:17: error: unknown method 'tailor'; did you mean 'taylor'?");
    assert_wrong_model("coord x\nkinetic x'^2\noutput x = 2*x\n", "run",
                       "m.zw:3:8: error: a run has a column 'x' already");
    assert_wrong_model("coord x\nkinetic x'^2\noutput energy = x\n", "run",
                       "a run has a column 'energy' already");
    assert_wrong_model("param a = 1\ncoord x\nkinetic x'^2/2\nconstraint c: a = 2\n", "derive",
                       "m.zw:4:");
    assert_wrong_model("coord x, y\nkinetic x'^2/2\n", "derive", "fewer equations than unknowns");
    assert_wrong_model("coord x, y\nkinetic (x' + y')^2/2\n", "derive", "inertia is singular");
    assert_wrong_model("coord x, y\nkinetic x'^2 + y'^2\nconstraint a: x' = 1\n"
                       "constraint b: 2*x' = 3\n",
                       "derive", "contradicts");
    assert_wrong_model("coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x^2 + y^2 = 1\n"
                       "initial x = 2, y = 0\n",
                       "run", "'c'");
    assert_wrong_model("coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x' = y'\n"
                       "initial x' = 2, y' = 1\n",
                       "run", "'c'");
    assert_wrong_model("param m\ncoord x\nkinetic m*x'^2/2\n", "run",
                       "give one in the model, or m=… as a setting (see --set)");
}

// A coordinate without inertia whose rate a condition fixes: a controller's integral.
static void test_integral_without_inertia(void **state)
{
    (void)state;
    put_model("coord x, z\nkinetic x'^2/2\nforce -x - z along x\nconstraint i: z' = x\n"
              "initial x = 1\n");
    assert_good("check m.zw");
    assert_good("run m.zw --to 1 --out - --quiet");
}

static void test_unwritable_output(void **state)
{
    (void)state;
    assert_wrong("run " BLADE " --out nowhere/b.csv", "cannot write 'nowhere/b.csv'");
    assert_wrong("run " BLADE " --out .", "cannot write '.'");
    zwang("run " BLADE " --out /dev/full");
    assert_int_equal(outcome.code, 3);
    assert_non_null(strstr(outcome.err, "cannot write"));
}

// A run that cannot go on says where, keeps what it reached, and exits 1.
static void test_early_stop(void **state)
{
    (void)state;
    put_model("coord x\nkinetic x'^2/2\npotential -1/x\ninitial x = 1\nrun to 5 every 0.1\n");
    zwang("run m.zw --out c.csv");
    assert_int_equal(outcome.code, 1);
    assert_non_null(strstr(outcome.err, "t = 1.1"));
    assert_true(exists("c.csv"));
}

static void test_nothing_is_left_behind(void **state)
{
    (void)state;
    zwang("run " BLADE " --out nowhere/b.csv");
    put_model("coord x\nkinetic x'^2\ninitial x = y\n");
    zwang("run m.zw --out d.csv");
    assert_int_equal(outcome.code, 2);
    assert_false(exists("d.csv"));
    char command[512];
    snprintf(command, sizeof command, "ls -A %s | grep -c 'csv\\.' >%s/.out", folder, folder);
    assert_true(system(command) != -1);
    slurp(".out", outcome.out);
    assert_string_equal(outcome.out, "0\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_derive),
        cmocka_unit_test(test_naive),
        cmocka_unit_test(test_expand),
        cmocka_unit_test(test_reactions),
        cmocka_unit_test(test_orthonormal_speeds),
        cmocka_unit_test(test_latex),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_rows_are_alone_on_stdout),
        cmocka_unit_test(test_quiet_keeps_warnings),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_gallery),
        cmocka_unit_test(test_hints_have_options),
        cmocka_unit_test(test_bad_words),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_bad_models),
        cmocka_unit_test(test_integral_without_inertia),
        cmocka_unit_test(test_unwritable_output),
        cmocka_unit_test(test_early_stop),
        cmocka_unit_test(test_nothing_is_left_behind),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
