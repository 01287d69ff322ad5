// The roads to the rates of a run: one program, interpreted or compiled, and linear solves order by
// order (where a form drives). All lead to the same motion, also past pivots and speeds that fail.
#include "files.h"
#include "run_case.h"

#include "dynamics/equations_types.h"
#include "expr/expr.h"
#include "program/native.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"

#include <stdio.h>
#include <stdlib.h>

static RunCase travel(const char *text, bool driven, double to)
{
    RunOptions options = run_options();
    options.to = to;
    options.every = to / 10;
    options.tolerance = 1e-11;
    options.driven = driven;
    options.form = FORM_MULTIPLIERS;
    RunCase kase = case_start(text, options);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    return kase;
}

static void compare_roads(const char *name, double to)
{
    char *text = read_file(ZWANG_SOURCE_DIR "/models/", name, ".zw").at;
    RunCase one = travel(text, false, to), other = travel(text, true, to);
    assert_int_equal(one.rows.count, other.rows.count);
    size_t n = one.run->base->eq->n;
    for (size_t row = 0; row < case_row_count(&one); row++)
        for (size_t i = 0; i < 1 + 2 * n; i++) {
            double a = one.rows.at[row * one.columns + i], b = other.rows.at[row * one.columns + i];
            if (!(fabs(a - b) <= 1e-8 * (1 + fabs(b))))
                fail_msg("%s, row %zu, %s: %.17g and %.17g", name, row, run_column_name(one.run, i),
                         a, b);
        }
    case_free(&one);
    case_free(&other);
    base_free(text);
}

static void test_roads(void **state)
{
    (void)state;
    compare_roads("hoop", 5);
    compare_roads("bead", 2);       // its speeds fail on the way
    compare_roads("table", 1);      // its pivots do
    compare_roads("snakeboard", 5); // many changes
    compare_roads("fourbar", 2);    // finite conditions
}

// ---- A program that is compiled on the way.

static const char pendulum[] = "system pendulum\nparam g = 9.81\ncoord q\n"
                               "kinetic q'^2/2\npotential -g*cos(q)\n"
                               "initial q = 1.5\nrun to 100000 every 1\n";

typedef struct {
    RunCase *kase;
    size_t left;
} Some;

static bool keep_some(void *context, const double *row)
{
    Some *some = context;
    case_keep_row(some->kase, row);
    return some->left-- > 0;
}

static RunCase go_some_way(RunEngine engine)
{
    RunOptions options = run_options();
    options.engine = engine;
    RunCase kase = case_start(pendulum, options);
    assert_int_equal(kase.status, STATUS_OK);
    Some some = {&kase, 60};
    RunListener listener = {.row = keep_some, .context = &some};
    assert_int_equal(run_go(kase.run, &listener, kase.diag, &kase.summary), STATUS_NEGATIVE);
    return kase;
}

static bool same_rows(const RunCase *a, const RunCase *b)
{
    assert_int_equal(a->rows.count, b->rows.count);
    return memcmp(a->rows.at, b->rows.at, a->rows.count * sizeof(double)) == 0;
}

// The same bytes every time, whether the compiler ran, the cache had it, or nothing is compiled.
static void test_auto_is_the_same(void **state)
{
    (void)state;
    Text why = {0};
    NativeCode *code = native_code_new("int zwang_here = 1;\n", NATIVE_EXACT, NATIVE_COMPILE, &why);
    text_clear(&why);
    if (!code)
        skip();
    native_code_free(code);
    RunCase first = go_some_way(RUN_AUTO), again = go_some_way(RUN_AUTO);
    RunCase plain = go_some_way(RUN_INTERPRET);
    assert_true(same_rows(&first, &again));
    assert_true(same_rows(&first, &plain));
    case_free(&first);
    case_free(&again);
    case_free(&plain);
}

// ---- A run that one step ends.

// It derives no rates, and has the rows of a run that goes on behind it; also where its first step
// turns out to be too short.
static void test_one_step(void **state)
{
    (void)state;
    static const char *const names[] = {"hoop", "blade", "top", "pendulum_space"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *text = read_file(ZWANG_SOURCE_DIR "/models/", names[i], ".zw").at;
        RunOptions options = run_options();
        options.every = options.to = 1e-4;
        RunCase brief = case_start(text, options);
        size_t before = expr_pool_size(brief.model->pool);
        case_go(&brief);
        case_expect(&brief, STATUS_OK);
        size_t grown = expr_pool_size(brief.model->pool) - before;
        options.to = 1;
        RunCase whole = case_start(text, options);
        before = expr_pool_size(whole.model->pool);
        case_go(&whole);
        case_expect(&whole, STATUS_OK);
        assert_true(grown < (expr_pool_size(whole.model->pool) - before) / 2);
        for (size_t j = 0; j < 2 * brief.columns; j++)
            if (!(fabs(brief.rows.at[j] - whole.rows.at[j]) <=
                  1e-11 * (1 + fabs(whole.rows.at[j]))))
                fail_msg("%s, %s: %.17g and %.17g", names[i],
                         run_column_name(brief.run, j % brief.columns), brief.rows.at[j],
                         whole.rows.at[j]);
        case_free(&brief);
        case_free(&whole);
        base_free(text);
    }
}

// ---- Notes.

// Elimination at linear cost does not take every condition: in systems that are not small a note
// says which one it is.
static void test_dense_solves_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *condition, *says;
    } cases[] = {{"constraint c: x[1]'^2 + y[1]'^2 = 1\n", "not linear in the velocities"},
                 {"constraint c: x[1]'' = 2\n", "constraints on accelerations"},
                 {"servo c: x[1] = t by force [1, 1, 0] at [x[1], y[1], 0]\n", NULL},
                 {"constraint c: x[1]' = 1\n", NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t count = 2; count <= 6; count += 4) {
            Text text = {0};
            text_addf(&text,
                      "system masses\nconst N = %zu\ncoord x[N], y[N]\nfor i in 1..N {\n"
                      "  mass 1 at [x[i], y[i], 0]\n}\n%sinitial x[1]' = 1\nrun to 0.1\n",
                      count, cases[i].condition);
            RunCase kase = case_run(text.at);
            case_expect(&kase, STATUS_OK);
            bool told = case_says(&kase, DIAG_NOTE, "dense linear solves");
            assert_int_equal(told, cases[i].says && count == 6);
            assert_true(!told || case_says(&kase, DIAG_NOTE, cases[i].says));
            case_free(&kase);
            text_clear(&text);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roads),
        cmocka_unit_test(test_auto_is_the_same),
        cmocka_unit_test(test_one_step),
        cmocka_unit_test(test_dense_solves_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
