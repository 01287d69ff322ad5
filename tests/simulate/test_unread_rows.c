// Rows that nobody reads are not made, and the run says the same of itself as with a reader. Where
// only the first and the last are wanted, the last one is the same, too.
#include "files.h"
#include "run_case.h"

typedef enum { NONE, ENDS, ALL } Reader;

// By the options, with a reader of these rows.
static RunCase run_for(const char *text, RunOptions options, Reader reader)
{
    RunCase kase = case_start(text, options);
    RunListener listener = {
        .row = reader ? case_keep_row : NULL, .context = &kase, .ends = reader == ENDS};
    if (kase.status == STATUS_OK)
        kase.status = run_go(kase.run, &listener, kase.diag, &kase.summary);
    return kase;
}

static void expect_same(double a, double b, const char *what, const char *name)
{
    if (memcmp(&a, &b, sizeof a) != 0 && !(isnan(a) && isnan(b)))
        fail_msg("%s: %s is %.17g with a reader and %.17g without", name, what, a, b);
}

static void compare_last(const RunCase *all, const RunCase *ends, const char *name)
{
    if (all->status != ends->status || all->summary.steps != ends->summary.steps)
        fail_msg("%s: status %d, %zu steps with all rows; %d, %zu with the last", name, all->status,
                 all->summary.steps, ends->status, ends->summary.steps);
    for (size_t i = 1; all->status == STATUS_OK && i <= all->columns; i++)
        expect_same(all->rows.at[all->rows.count - i], ends->rows.at[ends->rows.count - i],
                    "the last row", name);
}

static void compare(const char *text, RunOptions options, const char *name)
{
    RunCase read = run_for(text, options, ALL), unread = run_for(text, options, NONE),
            ends = run_for(text, options, ENDS);
    compare_last(&read, &ends, name);
    const RunSummary *a = &read.summary, *b = &unread.summary;
    if (read.status != unread.status)
        fail_msg("%s: status %d with a reader, %d without", name, read.status, unread.status);
    if (a->rows != b->rows || a->steps != b->steps)
        fail_msg("%s: %zu rows, %zu steps with a reader; %zu, %zu without", name, a->rows, a->steps,
                 b->rows, b->steps);
    // Values around those that are missing are looked for only where somebody reads them.
    if (a->evaluations < b->evaluations)
        fail_msg("%s: %zu evaluations with a reader; %zu without", name, a->evaluations,
                 b->evaluations);
    expect_same(a->reached, b->reached, "the time reached", name);
    expect_same(a->largest_residual, b->largest_residual, "the largest residual", name);
    expect_same(a->energy_drift, b->energy_drift, "the energy's change", name);
    expect_same(a->deepest, b->deepest, "the depth", name);
    case_free(&read);
    case_free(&unread);
    case_free(&ends);
}

static void gallery_says_the_same(void **state)
{
    (void)state;
    const ModelNames *models = model_names(ZWANG_SOURCE_DIR "/models");
    for (size_t i = 0; i < models->count; i++) {
        const char *name = models->at[i];
        Text text = read_file(ZWANG_SOURCE_DIR "/models/", name, ".zw");
        RunOptions options = run_options();
        options.to = 0.5;
        compare(text.at, options, name);
        if (i % 4 == 0) {
            options.method = RUN_ERK;
            compare(text.at, options, name);
        }
        text_clear(&text);
    }
    assert_true(models->count > 50);
}

// Fine rows, so that most lie inside steps: poor speeds (a blade that turns), a projection (a rod),
// whole turns, an output without a value, all of which rows have to do with.
static void fine_rows_say_the_same(void **state)
{
    (void)state;
    static const char blade[] = "coord x, y, theta\nkinetic (x'^2 + y'^2 + theta'^2)/2\n"
                                "constraint edge: x'*sin(theta) = y'*cos(theta)\n"
                                "force sin(t) along x\ninitial x' = 1, y' = 0, theta' = 3\n"
                                "run to 6 every 0.003\n";
    static const char rod[] = "coord x, y\npoint P = [x, y, 0]\nmass 1 at P\n"
                              "gravity [0, -9.81, 0]\nconstraint rod: x^2 + y^2 = 1\n"
                              "initial x = 0.6, y = -0.8\nrun to 4 every 0.004\n";
    static const char turns[] = "coord phi\nkinetic phi'^2/2\npotential cos(phi)\n"
                                "initial phi' = 9\nrun to 40 every 0.01\n";
    static const char output[] = "coord x\nkinetic x'^2/2\noutput s = sqrt(x - 1)\n"
                                 "initial x' = 1\nrun to 2 every 0.002\n";
    static const char *const texts[] = {blade, rod, turns, output};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (RunMethod method = 0; method < RUN_METHOD_COUNT; method++) {
            char name[64];
            RunOptions options = run_options();
            options.method = method;
            snprintf(name, sizeof name, "text %zu by %s", i, run_method_name(method));
            compare(texts[i], options, name);
        }
}

// A tolerance that asks for nothing lets the energy go, which is seen in rows that nobody reads.
static void energy_is_watched(void **state)
{
    (void)state;
    RunOptions options = run_options();
    options.method = RUN_TIMESTEPPING;
    options.step = 0.2;
    const char *text = "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential -1/sqrt(x^2 + y^2)\n"
                       "initial x = 1, y' = 0.3\nrun to 20 every 0.1\n";
    RunCase kase = run_for(text, options, NONE);
    case_expect(&kase, STATUS_NEGATIVE);
    assert_true(case_says(&kase, DIAG_ERROR, "the energy, which is constant, has changed by"));
    case_free(&kase);
    options = run_options();
    options.method = RUN_ERK;
    compare(text, options, "an ellipse by erk");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gallery_says_the_same),
        cmocka_unit_test(fine_rows_say_the_same),
        cmocka_unit_test(energy_is_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
