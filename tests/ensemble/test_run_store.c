// Records of runs: what was added comes back; a file that ends anywhere, or has a wrong byte, has
// the runs before that, and no others.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "ensemble/run_store.h"
#include "folder.h"

enum { RUNS = 40 };
static const size_t widths[] = {2};

static RunStore *open_store(const char *path, bool resume, const char *signature, const char *error)
{
    Diag *diag = diag_new();
    RunStore *store;
    RunStoreOptions options = {.path = path,
                               .resume = resume,
                               .signature = signature,
                               .runs = RUNS,
                               .numbers = 3,
                               .lists = 1,
                               .widths = widths};
    Status status = run_store_open(&options, diag, &store);
    Text text = {0};
    diag_render(diag, DIAG_NOTE, &text);
    assert_int_equal(status != STATUS_OK, error != NULL);
    if (error && !strstr(text.at, error))
        fail_msg("expected '%s', was '%s'", error, text.at);
    text_clear(&text);
    diag_free(diag);
    return store;
}

// Run k has k items, and a message of k letters.
static void add(RunStore *store, size_t run)
{
    double numbers[3], items[2 * RUNS];
    char message[RUNS + 1] = "";
    memset(message, 'a' + (int)(run % 26), run);
    for (size_t i = 0; i < 3; i++)
        numbers[i] = (double)(run * 10 + i);
    for (size_t i = 0; i < 2 * run; i++)
        items[i] = (double)(1000 * run + i);
    SweepRecord record = {.run = run,
                          .status = (SweepStatus)(run % SWEEP_STATUS_COUNT),
                          .steps = 7 * run,
                          .error = 1. / (double)(run + 1),
                          .t = (double)run / 3,
                          .message = message,
                          .numbers = numbers,
                          .items = (const double *const[]){items},
                          .counts = &run};
    Diag *diag = diag_new();
    assert_int_equal(run_store_add(store, run_store_words(store, &record), diag), STATUS_OK);
    diag_free(diag);
}

static void check(RunStore *store, size_t run)
{
    SweepRecord record;
    assert_true(run_store_read(store, run, &record));
    assert_int_equal(record.run, run);
    assert_int_equal(record.status, run % SWEEP_STATUS_COUNT);
    assert_int_equal(record.steps, 7 * run);
    assert_true(record.error == 1. / (double)(run + 1) && record.t == (double)run / 3);
    assert_int_equal(strlen(record.message), run);
    assert_int_equal(record.counts[0], run);
    for (size_t i = 0; i < 3; i++)
        assert_true(record.numbers[i] == (double)(run * 10 + i));
    for (size_t i = 0; i < 2 * run; i++)
        assert_true(record.items[0][i] == (double)(1000 * run + i));
}

static void test_back(void **state)
{
    (void)state;
    char path[300];
    snprintf(path, sizeof path, "%s/a.part", folder);
    for (int in_memory = 0; in_memory < 2; in_memory++) {
        RunStore *store = open_store(in_memory ? NULL : path, false, "model: a\n", NULL);
        for (size_t i = 0; i < RUNS; i++)
            add(store, i * 7 % RUNS);
        assert_int_equal(run_store_done(store), RUNS);
        for (size_t i = 0; i < RUNS; i++)
            check(store, i);
        run_store_close(store, true);
    }
    assert_int_equal(access(path, F_OK), -1);
}

static void copy_bytes(const char *from, const char *to, size_t count, size_t wrong)
{
    static char bytes[1 << 20];
    FILE *file = fopen(from, "rb");
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(count <= length);
    if (wrong < count)
        bytes[wrong] ^= 1;
    file = fopen(to, "wb");
    fwrite(bytes, 1, count, file);
    fclose(file);
}

static void test_broken(void **state)
{
    (void)state;
    char path[300], cut[300];
    snprintf(path, sizeof path, "%s/b.part", folder);
    snprintf(cut, sizeof cut, "%s/c.part", folder);
    RunStore *store = open_store(path, false, "model: a\nto: 3\n", NULL);
    long ends[RUNS / 2 + 1];
    for (size_t i = 0; i <= RUNS / 2; i++) {
        FILE *file = fopen(path, "rb");
        fseek(file, 0, SEEK_END);
        ends[i] = ftell(file);
        fclose(file);
        if (i < RUNS / 2)
            add(store, i);
    }
    run_store_close(store, false);
    Random random = random_seed(3);
    for (int round = 0; round < 60; round++) {
        size_t length = (size_t)ends[RUNS / 2], head = (size_t)ends[0];
        size_t at = head + random_below(&random, length - head), whole = 0;
        bool wrong = round % 2;
        copy_bytes(path, cut, wrong ? length : at, wrong ? at : SIZE_MAX);
        while (whole < RUNS / 2 && (size_t)ends[whole + 1] <= at)
            whole++;
        store = open_store(cut, true, "model: a\nto: 3\n", NULL);
        assert_int_equal(run_store_done(store), whole);
        for (size_t i = whole; i < RUNS; i++)
            add(store, i);
        for (size_t i = 0; i < RUNS; i++)
            check(store, i);
        run_store_close(store, true);
    }
    open_store(path, false, "model: a\nto: 3\n", "broken off");
    open_store(path, true, "model: a\nto: 4\n",
               "it was made with 'to: 3', and this sweep has 'to: 4'");
    copy_bytes(path, cut, 20, SIZE_MAX);
    open_store(cut, true, "model: a\nto: 3\n", "is spoiled");
    store = open_store(path, true, "model: a\nto: 3\n", NULL);
    open_store(path, true, "model: a\nto: 3\n", "another sweep is writing");
    run_store_close(store, false);
}

// Three ranks, each with a third of the runs; the file of one ends in a record.
static void test_ranks(void **state)
{
    (void)state;
    enum { RANKS = 3 };
    static const char signature[] = "model: a\n";
    char path[300], cut[320];
    snprintf(path, sizeof path, "%s/r.part", folder);
    Diag *diag = diag_new();
    for (size_t rank = 1; rank < RANKS; rank++) {
        Text own = {0};
        run_store_rank_path(path, rank, &own);
        RunStore *store = open_store(own.at, true, signature, NULL);
        for (size_t run = rank; run < RUNS; run += RANKS)
            add(store, run);
        run_store_close(store, false);
        text_clear(&own);
    }
    snprintf(cut, sizeof cut, "%s.2", path);
    FILE *file = fopen(cut, "rb");
    fseek(file, 0, SEEK_END);
    long end = ftell(file);
    fclose(file);
    assert_int_equal(truncate(cut, end - 8), 0);
    RunStore *store = open_store(path, false, signature, NULL);
    for (size_t run = 0; run < RUNS; run += RANKS)
        add(store, run);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(run_store_join(store, signature, RANKS, diag), STATUS_OK);
    size_t lost = RUNS - 1;
    while (lost % RANKS != 2)
        lost--;
    assert_int_equal(run_store_done(store), RUNS - 1);
    assert_false(run_store_has(store, lost));
    // What is written since is found by the next look.
    RunStore *other = open_store(cut, true, signature, NULL);
    add(other, lost);
    run_store_close(other, false);
    assert_int_equal(run_store_join(store, signature, RANKS, diag), STATUS_OK);
    for (size_t run = 0; run < RUNS; run++)
        check(store, run);
    run_store_close(store, true);
    assert_int_equal(access(cut, F_OK), -1);
    // Of another sweep.
    other = open_store(cut, true, "model: b\n", NULL);
    run_store_close(other, false);
    store = open_store(path, false, signature, NULL);
    assert_int_not_equal(run_store_join(store, signature, RANKS, diag), STATUS_OK);
    run_store_close(store, true);
    diag_free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_back),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_ranks),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
