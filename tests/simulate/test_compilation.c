// Interpreted and compiled runs: the same bytes; where nothing can be compiled one note says so;
// compiled power series lead to the motion that is known.
#include "compiler_case.h"
#include "files.h"
#include "run_case.h"
#include "test_size.h"

#include "dynamics/compilation.h"
#include "dynamics/compile_progress.h"
#include "dynamics/rates.h"
#include "linalg/tolerances.h"
#include "ode/integrator_impl.h"
#include "program/native.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

// ---- A cache of the test's own.

static char cache_home[] = "/tmp/zwang-test-XXXXXX";

static int make_cache(void **state)
{
    (void)state;
    return mkdtemp(cache_home) && setenv("XDG_CACHE_HOME", cache_home, 1) == 0 ? 0 : -1;
}

static void empty_cache(char path[300])
{
    snprintf(path, 300, "%s/zwang", cache_home);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

static int remove_cache(void **state)
{
    (void)state;
    char path[300];
    empty_cache(path);
    rmdir(path);
    return rmdir(cache_home);
}

// ---- Every model of the gallery.

static size_t notes_with(const Diag *diag, const char *part)
{
    size_t found = 0;
    for (size_t i = 0; i < diag_total(diag); i++) {
        DiagKind kind;
        Place place;
        found += strstr(diag_message(diag, i, &kind, &place), part) != NULL;
    }
    return found;
}

// The rows of a run by this engine; NULL where the model does not run.
static RunCase *run_model(const char *text, RunEngine engine, RunCase *kase)
{
    RunOptions options = run_options();
    options.engine = engine;
    *kase = case_start(text, options);
    case_go(kase);
    return kase->rows.count > 0 ? kase : NULL;
}

static bool compare_runs(const char *text, const char *name)
{
    RunCase interpreted, native;
    bool runs = run_model(text, RUN_INTERPRET, &interpreted);
    if (runs) {
        run_model(text, RUN_NATIVE, &native);
        if (notes_with(native.diag, "compiler") > 0)
            fail_msg("%s was not compiled", name);
        assert_int_equal(interpreted.rows.count, native.rows.count);
        for (size_t i = 0; i < native.rows.count; i++)
            if (memcmp(interpreted.rows.at + i, native.rows.at + i, sizeof(double)) != 0)
                fail_msg("%s, row %zu: %.17g interpreted, %.17g compiled", name, i / native.columns,
                         interpreted.rows.at[i], native.rows.at[i]);
        assert_int_equal(interpreted.summary.steps, native.summary.steps);
        case_free(&native);
    }
    case_free(&interpreted);
    return runs;
}

static void test_gallery_in_both_engines(void **state)
{
    (void)state;
    need_compiler();
    const ModelNames *models = model_names(ZWANG_SOURCE_DIR "/models");
    size_t compared = 0;
    for (size_t i = 0; i < models->count; i++) {
        if (!test_takes_model(i))
            continue;
        Text text = read_file(ZWANG_SOURCE_DIR "/models/", models->at[i], ".zw");
        compared += compare_runs(text.at, models->at[i]);
        text_clear(&text);
    }
    assert_true(3 * compared > 50);
}

// Masses on springs whose forces are powers, between two walls or none: series of such nets have
// steps that are alike in vectors, with others at their ends.
static void test_nets_of_springs(void **state)
{
    (void)state;
    need_compiler();
    for (uint64_t seed = 1; seed <= 3 * test_size(); seed++) {
        Random random = random_seed(seed);
        size_t n = 30 + random_below(&random, 30), power = 3 + random_below(&random, 2);
        Text text = {0};
        text_addf(&text, "coord x[%zu]\nfor i in 1..%zu { mass 1 at [x[i], 0, 0] }\n", n, n);
        text_addf(&text,
                  "for i in 1..%zu { potential (x[i] - x[i+1])^2/2 + (x[i] - x[i+1])^%zu/4 }\n",
                  n - 1, power);
        if (seed % 3 > 0)
            text_addf(&text, "potential x[1]^2/2 + x[%zu]^2/2\n", n);
        for (size_t i = 1; i <= n; i++)
            text_addf(&text, "initial x[%zu] = %.3f\n", i,
                      (double)random_below(&random, 900) / 1000);
        text_add(&text, "run to 1 every 0.5\n");
        char name[32];
        snprintf(name, sizeof name, "net %d", (int)seed);
        assert_true(compare_runs(text.at, name));
        text_clear(&text);
    }
}

// ---- Runs.

static const char pendulum[] = "system pendulum\nparam g = 9.81\ncoord x, y\n"
                               "point P = [x, y, 0]\nmass 1 at P\ngravity [0, -g, 0]\n"
                               "constraint rod: x^2 + y^2 = 1\n"
                               "initial x = 0.6, y = -0.8\nrun to 2 every 0.25\n";

static RunCase run_by(RunEngine engine, RunMethod method, double to)
{
    RunOptions options = run_options();
    options.engine = engine;
    options.method = method;
    options.to = to;
    options.every = to / 8;
    RunCase kase = case_start(pendulum, options);
    case_go(&kase);
    assert_int_equal(kase.status, STATUS_OK);
    return kase;
}

static void test_same_rows(void **state)
{
    (void)state;
    need_compiler();
    for (RunMethod method = 0; method < RUN_METHOD_COUNT; method++) {
        if (method == RUN_TIMESTEPPING)
            continue; // it has programs of its own, which nobody compiles
        RunCase interpreted = run_by(RUN_INTERPRET, method, 2);
        RunCase native = run_by(RUN_NATIVE, method, 2);
        assert_null(interpreted.run->base->compilation->native);
        assert_non_null(native.run->base->compilation->native);
        assert_int_equal(interpreted.rows.count, native.rows.count);
        assert_memory_equal(interpreted.rows.at, native.rows.at,
                            native.rows.count * sizeof(double));
        case_free(&interpreted);
        case_free(&native);
    }
}

static void test_without_compiler(void **state)
{
    (void)state;
    char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
    unsetenv("CC");
    setenv("PATH", "", 1);
    RunCase native = run_by(RUN_NATIVE, RUN_ERK, 1);
    RunCase interpreted = run_by(RUN_INTERPRET, RUN_ERK, 1);
    setenv("PATH", path, 1);
    free(path);
    assert_int_equal(notes_with(native.diag, "there is no C compiler 'cc'"), 1);
    assert_int_equal(notes_with(interpreted.diag, "compiler"), 0);
    assert_memory_equal(interpreted.rows.at, native.rows.at, native.rows.count * sizeof(double));
    case_free(&native);
    case_free(&interpreted);
}

// As if a run had taken so many evaluations that the rest of the way is long. What is watched has a
// program, the last, that has ended with the run.
static Compilation *consider(RunCase *kase)
{
    Compilation *compilation = kase->run->base->compilation;
    assert_true(compilation->programs.count >= 4);
    compilation->programs.count = 4;
    compilation_consider(compilation, 100000000, LIMIT_STEPS, 0.5);
    return compilation;
}

static size_t files_kept(void)
{
    char path[300];
    snprintf(path, sizeof path, "%s/zwang", cache_home);
    DIR *folder = opendir(path);
    size_t count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return count;
}

// A run that is long goes over by itself, when a compiler beside it is done; a short one does not.
static void test_auto(void **state)
{
    (void)state;
    need_compiler();
    char path[300];
    empty_cache(path);
    RunCase first = run_by(RUN_AUTO, RUN_ERK, 1);
    Compilation *compilation = first.run->base->compilation;
    assert_int_equal(compilation->progress->stage, COMPILE_UNSEEN);
    // What is not brought to an end leaves nothing behind.
    RunCase left = run_by(RUN_AUTO, RUN_ERK, 1);
    assert_int_equal(consider(&left)->progress->stage, COMPILE_STARTED);
    case_free(&left);
    assert_int_equal(files_kept(), 0);
    assert_int_equal(consider(&first)->progress->stage, COMPILE_STARTED);
    for (int i = 0; i < 10000 && compilation->progress->stage == COMPILE_STARTED; i++) {
        assert_null(compilation->native);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        consider(&first);
    }
    assert_non_null(compilation->native);
    assert_int_equal(files_kept(), 1);
    // The cache has it now, and it is there at once.
    RunCase again = run_by(RUN_AUTO, RUN_ERK, 1);
    assert_non_null(consider(&again)->native);
    assert_int_equal(compilation->progress->stage, COMPILE_ENDED);
    case_free(&again);
    case_free(&first);
}

// Without a compiler, or with one that fails, such a run goes on interpreted and says nothing.
static void test_auto_without_compiler(void **state)
{
    (void)state;
    static const char *const compilers[] = {"none-such", "false"};
    for (size_t i = 0; i < 2; i++) {
        setenv("CC", compilers[i], 1);
        RunCase kase = run_by(RUN_AUTO, RUN_ERK, 1);
        for (int turn = 0; turn < 200 && consider(&kase)->progress->stage < COMPILE_ENDED; turn++)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        assert_int_equal(consider(&kase)->progress->stage, COMPILE_ENDED);
        assert_null(kase.run->base->compilation->native);
        assert_int_equal(notes_with(kase.diag, "compiler"), 0);
        case_free(&kase);
    }
    unsetenv("CC");
}

// ---- Power series.

typedef struct {
    Rates rates;
    size_t expanded;
} Swing;

static bool swing_series(void *context, size_t k, const double *ty, double *rate)
{
    Rates *rates = &((Swing *)context)->rates;
    return rates->flow ? k == 0 && rates_at(rates, ty, rate) : rates_next(rates, k, ty, rate);
}

static size_t swing_expand(void *context, size_t order, double unit, double *ty)
{
    Swing *swing = context;
    swing->expanded++;
    return rates_expand(&swing->rates, order, unit, ty);
}

static double swing_clear(void *context, size_t order, double most)
{
    return rates_switch_distance(&((Swing *)context)->rates, order, most);
}

static void swing_error(void *context, const double *y, double *allowance)
{
    (void)context, (void)y;
    allowance[0] = allowance[1] = 1e-13;
}

// The pendulum that just reaches its top: q'' = −sin q, q = 4 atan(e^t) − π. Its error at t = 5.
static double swing_to_the_top(Swing *swing, size_t order)
{
    OdeProblem problem = {.count = 2,
                          .tolerance = 1e-13,
                          .context = swing,
                          .program = swing,
                          .series = swing_series,
                          .expand = swing_expand,
                          .order = order,
                          .switch_distance = swing_clear,
                          .error_scale = swing_error};
    OdeIntegrator *integrator = ode_integrator_new(ODE_TAYLOR, &problem);
    double t = 0, y[2] = {0, 2};
    assert_true(ode_integrator_start(integrator, 0, y, 0));
    while (t < 5)
        assert_int_equal(ode_integrator_step(integrator, 5, &t, y), ODE_STEPPED);
    ode_integrator_free(integrator);
    return fabs(y[0] - (4 * atan(exp(5)) - 4 * atan(1)));
}

static void test_compiled_series(void **state)
{
    (void)state;
    need_compiler();
    ExprPool *pool = expr_pool_new();
    Expr inputs[3] = {expr_symbol(pool, "t"), expr_symbol(pool, "q"), expr_symbol(pool, "u")};
    Expr outputs[2] = {inputs[2], expr_neg(pool, expr_call(pool, EXPR_SIN, inputs[1], (Expr){0}))};
    Swing swing = {.rates = {.n = 1, .k = 1}};
    evaluator_adopt(&swing.rates.program, program_new(pool, inputs, 3, outputs, 2, NULL));
    enum { ORDER = 19 };
    rates_open_series(&swing.rates, ORDER, ORDER);
    assert_true(swing_to_the_top(&swing, ORDER) < 1e-10);
    Text why = {0};
    assert_true(rates_compile(&swing.rates, false, &why));
    assert_true(swing_to_the_top(&swing, ORDER) < 1e-10);
    assert_true(swing.expanded > 0);
    rates_clear(&swing.rates);
    expr_pool_free(pool);
    text_clear(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gallery_in_both_engines),
        cmocka_unit_test(test_nets_of_springs),
        cmocka_unit_test(test_same_rows),
        cmocka_unit_test(test_without_compiler),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_auto_without_compiler),
        cmocka_unit_test(test_compiled_series),
    };
    return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
