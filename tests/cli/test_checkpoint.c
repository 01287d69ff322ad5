// Runs that are killed at any moment and go on from their checkpoint: the files have the bytes of a
// run that was never broken off, by every method, in every format, through impacts and switches.
#include "program.h"

#include "base/base.h"
#include "test_size.h"

static const char *const models[] = {
    "param m = 2\ncoord x\nmass m at [x, 0, 0]\npotential x^2/2\ninitial x = 1, x' = 0\n"
    "run to 200000 every 100\n",
    "param m = 2\ncoord z, x\nmass m at [x, 0, z]\ngravity [0, 0, -2]\npotential x^2/2\n"
    "initial z = 1, x = 1, z' = 0, x' = 0\nconstraint floor: z >= 0 restitution 1\n"
    "run to 12000 every 25\n",
    "param m = 2\ncoord x\nmass m at [x, 0, 0]\npotential x^2/2 + abs(x)/10\n"
    "initial x = 1, x' = 0\nrun to 20000 every 25\n",
    // Every step ends in an impact.
    "param m = 2\ncoord z\nmass m at [0, 0, z]\ngravity [0, 0, -2]\ninitial z = 1, z' = 0\n"
    "constraint floor: z >= 0 restitution 1\nrun to 60000 every 10\n"};

// Runs `zwang run m.zw WORDS` and kills it after so many milliseconds; 0: never.
static int run(const char *words, unsigned milliseconds)
{
    char command[1000];
    snprintf(command, sizeof command,
             "cd %s && timeout -s KILL %g '%s' run m.zw --quiet %s >.out 2>.err </dev/null", folder,
             milliseconds ? milliseconds / 1000.0 : 100.0, ZWANG_PROGRAM, words);
    int status = system(command);
    slurp(".out", outcome.out);
    slurp(".err", outcome.err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 137;
}

static int shell(const char *words)
{
    char command[1000];
    snprintf(command, sizeof command, "cd %s && %s", folder, words);
    return system(command);
}

static bool is_there(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void killed(const char *options, const char *ending, Random *random)
{
    char begin[300], again[400], words[400];
    snprintf(begin, sizeof begin,
             "%s --out r.%s --events e.%s --checkpoint c --checkpoint-every 1e-9", options, ending,
             ending);
    snprintf(again, sizeof again, "%s --resume c", begin);
    assert_int_equal(shell("rm -f c c.rows r.* e.*"), 0);
    int whole = run(begin, 0);
    if (whole != 0)
        print_message("%s: %s\n", begin, outcome.err);
    assert_int_equal(whole, 0);
    assert_true(is_there("c"));
    snprintf(words, sizeof words, "mv r.%s whole.r && mv e.%s whole.e && rm -f c c.rows", ending,
             ending);
    assert_int_equal(shell(words), 0);
    int code = 137;
    for (int i = 0; i < 4 && code != 0; i++)
        code = run(is_there("c") ? again : begin,
                   i < 3 ? 30 + (unsigned)random_below(random, 400) : 0);
    if (code != 0)
        print_message("%s: %s\n", again, outcome.err);
    assert_int_equal(code, 0);
    snprintf(words, sizeof words, "cmp r.%s whole.r && cmp e.%s whole.e", ending, ending);
    if (shell(words) != 0)
        fail_msg("%s: other bytes", begin);
}

static void killed_and_resumed(void **state)
{
    (void)state;
    static const char *const methods[] = {"--method taylor", "--method erk --tolerance 1e-6",
                                          "--method adams --tolerance 1e-7 --to 3000",
                                          "--method bdf --tolerance 1e-5 --to 3200 --no-watch",
                                          "--method timestepping --step 0.05 --no-watch --to 3000"};
    static const char *const endings[] = {"csv", "h5", "json", "jsonl"};
    Random random = random_seed(2113);
    for (size_t i = 0; i < 6 * test_size(); i++) {
        put_model(models[i < 6 ? (size_t[]){0, 1, 2, 0, 1, 3}[i] : random_below(&random, 4)]);
        killed(methods[i % 5], endings[random_below(&random, 4)], &random);
    }
}

// A checkpoint of a run that was killed, to be spoiled.
static void make_checkpoint(void)
{
    put_model(models[0]);
    assert_int_equal(shell("rm -f c c.rows r.csv"), 0);
    assert_int_equal(run("--out r.csv --checkpoint c --checkpoint-every 1e-9", 0), 0);
    assert_true(is_there("c") && is_there("c.rows"));
    assert_int_equal(shell("cp c c.good && cp c.rows rows.good && cp r.csv whole.r"), 0);
}

static void refused(const char *words, const char *part)
{
    int code = run(words, 0);
    if (code != 2 || !strstr(outcome.err, part))
        fail_msg("%s: exit %d, said: %s", words, code, outcome.err);
    // What stood there before is untouched.
    assert_int_equal(shell("cmp -s r.csv whole.r"), 0);
}

static void others_are_refused(void **state)
{
    (void)state;
    make_checkpoint();
    refused("--out r.csv --resume c --set m=3", "was made with m = 2, and this run has m = 3");
    refused("--out r.csv --resume c --set x=2", "was made with x at the start = 1");
    refused("--out r.csv --resume c --to 70000", "was made with to = 200000");
    refused("--out r.csv --resume c --method erk", "was made with method = taylor");
    refused("--out other.csv --resume c",
            "was made with out = r.csv, and this run has out = other");
    refused("--out r.csv --resume c --plot x:p.svg", "was made with");
    refused("--out r.csv --resume nothing", "nothing");
    refused("--out r.csv --checkpoint c --audit", "audit");
    refused("--out c --checkpoint c", "is asked for twice");
    refused("--out r.csv --checkpoint c --checkpoint-every -1", "seconds");
    refused("--out r.csv --checkpoint-every 1", "goes with --checkpoint");
    refused("--out r.csv --method timestepping --checkpoint c", "timestepping");
    assert_int_equal(shell("mkdir d.rows"), 0);
    refused("--out r.csv --checkpoint d", "'d.rows': it is a folder");
    assert_int_equal(shell("sed -i 's/^version .*/version 0.9.0/' c"), 0);
    refused("--out r.csv --resume c", "is no run that can go on");
    assert_int_equal(shell("cp c.good c"), 0);
    put_model("param m = 2\ncoord x\nmass m at [x, 0, 0]\npotential x^2/2 # another text\n"
              "initial x = 1, x' = 0\nrun to 200000 every 100\n");
    refused("--out r.csv --resume c", "another text of the model");
}

// Cut off anywhere, or with another byte: refused, or as if nothing had been.
static void damaged_ones_are_refused(void **state)
{
    (void)state;
    make_checkpoint();
    Random random = random_seed(7);
    static const char *const files[] = {"c", "c.rows"};
    for (size_t i = 0; i < 12 * test_size(); i++) {
        char words[300];
        const char *file = files[i % 2];
        assert_int_equal(shell("cp c.good c && cp rows.good c.rows"), 0);
        unsigned at = (unsigned)random_below(&random, 1000);
        if (i % 4 < 2)
            snprintf(words, sizeof words, "truncate -s %u %s", at, file);
        else
            snprintf(words, sizeof words,
                     "printf '\\%03o' | dd of=%s bs=1 seek=%u conv=notrunc "
                     "status=none",
                     (unsigned)random_below(&random, 256), file, at);
        assert_int_equal(shell(words), 0);
        int code = run("--out r.csv --resume c", 0);
        if (code != 2 && code != 0)
            fail_msg("%s: exit %d, said: %s", words, code, outcome.err);
        assert_int_equal(shell("cmp -s r.csv whole.r"), 0);
    }
    // Rows behind those that the checkpoint knows do not matter.
    assert_int_equal(shell("cp c.good c && cp rows.good c.rows && echo more >> c.rows"), 0);
    assert_int_equal(run("--out r.csv --resume c --checkpoint c", 0), 0);
    assert_int_equal(shell("cmp -s r.csv whole.r"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(killed_and_resumed),
                                       cmocka_unit_test(others_are_refused),
                                       cmocka_unit_test(damaged_ones_are_refused)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
