// test_cache.c: what a run prints does not depend on what was compiled before, nor on when a
// compiler beside it is done, nor on whether there is one.
#include "cli/program.h"

#include "compiler_case.h"

// Chaotic motions, that forget no last digit; a compiler may be done on the way: by series, by erk,
// and through impacts.
static const struct {
    const char *name, *model;
} cases[] = {
    {"series",
     "param m = 1, l = 1, g = 9.81\ncoord a, b\n"
     "point P = [l*sin(a), 0, -l*cos(a)]\nmass m at P\nmass m at P + l*[sin(b), 0, -cos(b)]\n"
     "gravity [0, 0, -g]\ninitial a = 0.6, b = -0.4\nrun to 1000 every 20\n"},
    {"erk", "const N = 8\nparam l = 0.5, m = 1, g = 9.81\ncoord a[N]\n"
            "for i in 1..N { mass m at sum(j in 1..i, l*[sin(a[j]), 0, -cos(a[j])]) }\n"
            "gravity [0, 0, -g]\ninitial a[1] = 0.1\nrun to 600 every 20 tolerance 1e-6\n"},
    {"impacts",
     "param m = 1, g = 9.81\ncoord a, b\npoint P = [sin(a), 0, -cos(a)]\nmass m at P\n"
     "mass m at P + [sin(b), 0, -cos(b)]\ngravity [0, 0, -g]\n"
     "constraint stop: a <= 0.5 restitution 1\ninitial a = 0.4, b = 0.2\nrun to 1000 every 20\n"},
};

static char rows[MOST_OUTPUT], events[MOST_OUTPUT];

static size_t files_kept(void)
{
    FILE *list = popen("ls \"$XDG_CACHE_HOME/zwang\" 2>/dev/null | wc -l", "r");
    int count = 0;
    assert_non_null(list);
    assert_int_equal(fscanf(list, "%d", &count), 1);
    assert_int_equal(pclose(list), 0);
    return (size_t)count;
}

// Runs a model, with an empty cache or what an earlier run has left there.
static void run_with(const char *compiler, const char *cache, const char *words)
{
    char path[256], command[128];
    snprintf(path, sizeof path, "%s/%s", folder, cache);
    setenv("XDG_CACHE_HOME", path, 1);
    setenv("CC", compiler, 1);
    mkdir(path, 0700);
    snprintf(command, sizeof command, "run m.zw --out r.csv --events e.jsonl %s", words);
    assert_good(command);
    slurp("r.csv", rows);
    slurp("e.jsonl", events);
}

static void test_same_output(void **state)
{
    (void)state;
    need_compiler();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const struct {
            const char *compiler, *cache, *words;
        } ways[] = {{"cc", "new", ""},
                    {"cc", "kept", "--engine native"},
                    {"cc", "kept", ""},
                    {"false", "none", ""},
                    {"cc", "none", "--engine interpret"}};
        const char *const texts[] = {outcome.out, outcome.err, rows, events};
        char *first[4];
        put_model(cases[i].model);
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            run_with(ways[way].compiler, ways[way].cache, ways[way].words);
            if (way == 1)
                assert_true(files_kept() > 0);
            for (size_t k = 0; k < 4; k++) {
                if (way == 0)
                    first[k] = strdup(texts[k]);
                if (strcmp(first[k], texts[k]) != 0)
                    fail_msg("%s, way %zu prints\n%.2000s", cases[i].name, way, texts[k]);
            }
        }
        for (size_t k = 0; k < 4; k++)
            free(first[k]);
        assert_int_equal(system("cd \"$XDG_CACHE_HOME\"/.. && rm -rf new kept none"), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_output)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
