// Budgets of time and memory, and a standard output that is full.
#include "program.h"
#include "test_size.h"
#include "uniform.h"

#include <math.h>

static const char endless[] = "coord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -2]\ninitial z = 1\n"
                              "constraint floor: z >= 0 restitution 1\nrun to 1e9 every 10\n";

// A run ends with the whole rows that it has.
static void time_of_runs(void **state)
{
    (void)state;
    put_model(endless);
    zwang("run m.zw --limit-time 0.5 --out rows.csv --quiet");
    assert_int_equal(outcome.code, 1);
    assert_non_null(strstr(outcome.err, "the limit of 0.5 s was reached while following the"));
    assert_non_null(strstr(outcome.err, "--limit-time gives more"));
    slurp("rows.csv", outcome.out);
    size_t length = strlen(outcome.out);
    assert_true(length > 100 && outcome.out[length - 1] == '\n');
}

// All else ends; by far less time than it takes.
static void time_of_others(void **state)
{
    (void)state;
    zwang("gallery --html site --limit-time 0.05");
    assert_true(outcome.code == 3 || outcome.code == 1);
    assert_non_null(strstr(outcome.err, "--limit-time gives more"));
    zwang("check '" ZWANG_SOURCE_DIR "/models/bicycle.zw' --limit-time 0.3");
    assert_int_equal(outcome.code, 3);
    assert_non_null(strstr(outcome.err, "the limit of 0.3 s was reached while "));
    zwang("check " BLADE " --limit-time 1000");
    assert_int_equal(outcome.code, 0);
}

// A text that repeats a piece ten thousand times, and ten times as often with a larger size.
static void put_nest(const char *before, const char *open, const char *middle, const char *close)
{
    const int levels = test_size() > 1 ? 100000 : 10000;
    char path[300];
    snprintf(path, sizeof path, "%s/m.zw", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(before, file);
    for (int i = 0; i < levels; i++)
        fputs(open, file);
    fputs(middle, file);
    for (int i = 0; i < levels; i++)
        fputs(close, file);
    fputs("\n", file);
    assert_int_equal(fclose(file), 0);
}

// Short to write and long to derive: refused with their place, or done.
static void nests(void **state)
{
    (void)state;
    static const char mass[] = "coord x\nmass 1 at [x, 0, 0]\ninitial x = 1/2\nrun to 1\n"
                               "potential ";
    static const struct {
        const char *before, *open, *middle, *close, *said; // NULL: all is well
    } cases[] = {
        {mass, "sin(", "x", ")", "functions or powers"},
        {mass, "(", "x", "^2)", "more than 32 bits"},
        {mass, "", "x", "^2", "functions or powers"},
        {mass, "sqrt(1 + ", "x", ")", "functions or powers"},
        {mass, "1/(1 + ", "x", ")", "functions or powers"},
        {mass, "x*(1 + ", "x", ")", "2048 products"},
        {mass, "(", "x", ")", NULL},
        {mass, "-", "x", "", NULL},
        {mass, "-(", "x", ")", NULL},
        {mass, "x + ", "x", "", NULL},
        {"", "part p() { ", "coord x", " }", "nested deeper than 64 levels"},
        {"coord x\n", "for i in 1..2 { ", "", " }", "nested deeper than 64 levels"},
    };
    static const char *const commands[] = {"derive", "check", "run"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_nest(cases[i].before, cases[i].open, cases[i].middle, cases[i].close);
        for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
            char words[100];
            snprintf(words, sizeof words, "%s m.zw --width 0 --limit-time 60", commands[k]);
            zwang(words);
            assert_int_equal(outcome.code, cases[i].said ? 2 : 0);
            if (cases[i].said) {
                assert_non_null(strstr(outcome.err, cases[i].said));
                assert_non_null(strstr(outcome.err, "m.zw:"));
            }
        }
    }
}

// What the limits allow is done; many roots of one symbol have no common point in a field.
static void allowed_nests(void **state)
{
    (void)state;
    for (int roots = 0; roots < 2; roots++) {
        char text[4000];
        int length = snprintf(text, sizeof text,
                              "coord x\nmass 1 at [x, 0, 0]\ninitial x = 1/2\nrun to 1\n"
                              "potential ");
        for (int i = 0; i < 40; i++)
            length += snprintf(text + length, sizeof text - (size_t)length,
                               roots ? "sqrt(1 + " : "sin(1 + ");
        length += snprintf(text + length, sizeof text - (size_t)length, "x");
        for (int i = 0; i < 40; i++)
            length += snprintf(text + length, sizeof text - (size_t)length, ")");
        put_model(text);
        zwang("derive m.zw --limit-time 60");
        assert_int_equal(outcome.code, 0);
        zwang("check m.zw --limit-time 60");
        assert_int_equal(outcome.code, 0);
    }
}

static void memory(void **state)
{
    (void)state;
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    zwang("check '" ZWANG_SOURCE_DIR "/models/bicycle.zw' --limit-memory 20M");
    assert_int_equal(outcome.code, 3);
    assert_non_null(strstr(outcome.err, "the memory ended"));
#endif
    zwang("check " BLADE " --limit-memory 2G --only kind");
    assert_int_equal(outcome.code, 0);
}

// A run that needs more on its way, for OpenBLAS at a contact: the rows up to there are those of
// the whole run.
static void memory_of_runs(void **state)
{
    (void)state;
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define LADDER "'" ZWANG_SOURCE_DIR "/models/ladder.zw'"
    static char whole[MOST_OUTPUT];
    static const char *const kinds[] = {"csv", "jsonl", "json", "h5"};
    for (size_t i = 0; i < 4; i++) {
        char words[300];
        snprintf(words, sizeof words, "run " LADDER " --engine interpret --out whole.%s --quiet",
                 kinds[i]);
        zwang(words);
        assert_int_equal(outcome.code, 0);
        snprintf(words, sizeof words,
                 "run " LADDER " --engine interpret --limit-memory 20M --out part.%s "
                 "--plot p.svg",
                 kinds[i]);
        zwang(words);
        assert_int_equal(outcome.code, 1);
        assert_non_null(strstr(outcome.out, "the memory ended at t = 0.5"));
        assert_non_null(strstr(outcome.err, "the limit of 20M was reached; --limit-memory gives"));
        snprintf(words, sizeof words, "whole.%s", kinds[i]);
        slurp(words, whole);
        snprintf(words, sizeof words, "part.%s", kinds[i]);
        slurp(words, outcome.out);
        size_t length = strlen(outcome.out), same = 0;
        while (same < length && outcome.out[same] == whole[same])
            same++;
        assert_true(i >= 2 || (same == length && length > 2000));
        assert_true(i != 2 || (same > 2000 && strstr(outcome.out, "]\n],\"events\":[")));
        assert_true(i != 3 || strstr(outcome.out, "HDF"));
    }
#endif
}

// A command with so much address space ends by itself; where it does not succeed it says why.
static void with_space(const char *words, double megabytes)
{
    char command[1000];
    snprintf(command, sizeof command,
             "cd %s && rm -f s.h5.part && ulimit -c 0 && ulimit -v %.0f && exec timeout 20 '%s' %s "
             ">.out 2>.err "
             "</dev/null",
             folder, megabytes * 1024, ZWANG_PROGRAM, words);
    int status = system(command);
    slurp(".out", outcome.out);
    slurp(".err", outcome.err);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    // 127: the program itself does not start.
    bool good = outcome.code == 0 || (outcome.code == 1 && strstr(outcome.out, "memory ended")) ||
                ((outcome.code == 3 || outcome.code == 127) && outcome.err[0]);
    if (!good)
        fail_msg("%s with %.3f MB: exit %d\n%s", words, megabytes, outcome.code, outcome.err);
}

static bool leaves_part(void)
{
    char command[300];
    snprintf(command, sizeof command, "ls %s | grep -q '\\.part\\.'", folder);
    return system(command) == 0;
}

// OpenBLAS maps 128 MiB at its first call, and would try for ever; HDF5 needs memory to give up;
// libraries that find no room when they are loaded.
static void address_space(void **state)
{
    (void)state;
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define MODEL(name) "'" ZWANG_SOURCE_DIR "/models/" name ".zw' "
    static const char *const commands[] = {
        "stability " MODEL("bicycle"),
        "run " MODEL("ladder") "--out a.h5 --plot a.svg",
        "run " MODEL("blade") "--out a.csv --to 1",
        "check " MODEL("blade"),
        "sweep " MODEL("pendulum") "--vary m=1:2:3 --to 0.1 --keep rows --out s.h5",
        "export " MODEL("blade") "--to fmu --sources-only --out a.fmu"};
    enum { COMMANDS = sizeof commands / sizeof *commands };
    Random random = random_seed(2111);
    for (size_t i = 0; i < 30 * test_size(); i++)
        with_space(commands[i % COMMANDS], 10 * exp(uniform(&random, 0, log(40))));
    assert_false(leaves_part());
#endif
}

static void mistakes(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "--limit-time 0",    "--limit-time x",   "--limit-time -1",   "--limit-memory x",
        "--limit-memory 5X", "--limit-memory 0", "--limit-memory 1MM"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char words[200];
        snprintf(words, sizeof words, "run %s %s", BLADE, wrong[i]);
        zwang(words);
        assert_int_equal(outcome.code, 2);
    }
}

// What cannot be said is no success.
static void full_output(void **state)
{
    (void)state;
    static const char *const commands[] = {"--help", "--version", "help run", "run --help",
                                           "gallery"};
    if (access("/dev/full", W_OK) != 0)
        return;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char command[500];
        snprintf(command, sizeof command, "'%s' %s >/dev/full 2>/dev/null", ZWANG_PROGRAM,
                 commands[i]);
        int status = system(command);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_of_runs),  cmocka_unit_test(time_of_others),
        cmocka_unit_test(nests),         cmocka_unit_test(allowed_nests),
        cmocka_unit_test(memory),        cmocka_unit_test(memory_of_runs),
        cmocka_unit_test(address_space), cmocka_unit_test(mistakes),
        cmocka_unit_test(full_output)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
