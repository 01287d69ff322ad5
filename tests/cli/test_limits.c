// Budgets of time and memory, and a standard output that is full.
#include "program.h"

static const char endless[] = "coord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -2]\ninitial z = 1\n"
                              "constraint floor: z >= 0 restitution 1\nrun to 1e9 every 10\n";

// A run ends with the whole rows that it has.
static void time_of_runs(void **state)
{
    (void)state;
    put_model(endless);
    zwang("run m.zw --limit-time 0.5 --out rows.csv --quiet");
    assert_int_equal(outcome.code, 1);
    assert_non_null(strstr(outcome.err, "the limit of 0.5 s was reached; --limit-time gives more"));
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
    zwang("check " BLADE " --limit-time 1000");
    assert_int_equal(outcome.code, 0);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(time_of_runs),
                                       cmocka_unit_test(time_of_others), cmocka_unit_test(memory),
                                       cmocka_unit_test(mistakes), cmocka_unit_test(full_output)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
