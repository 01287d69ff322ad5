// run_case.h: a model from text, run to its end, with all rows kept. For the tests of this room.
#ifndef ZWANG_TESTS_RUN_CASE_H
#define ZWANG_TESTS_RUN_CASE_H
#include "dynamics/hidden/hidden_conditions.h"
#include "inquiry/inquiry.h"
#include "simulate/instant.h"
#include "simulate/run_audit.h"
#include "simulate/run_report.h"
#include "simulate/simulate.h"
#include "test_size.h"

#include "near.h"

#include <math.h>
#include <string.h>

typedef struct {
    Source *source;
    Diag *diag;
    Model *model;
    Motion *motion;
    Simulation *run;
    Status status; // of the first stage that did not succeed
    RunSummary summary;
    size_t columns;
    ARRAY(double) rows;
} RunCase;

static bool case_keep_row(void *context, const double *row)
{
    RunCase *kase = context;
    for (size_t i = 0; i < kase->columns; i++)
        array_push(&kase->rows, row[i]);
    return true;
}

// Up to the completed start.
static RunCase case_start(const char *text, RunOptions options)
{
    RunCase kase = {.diag = diag_new()};
    kase.source = source_new("test.zw", text, strlen(text));
    kase.status = model_read(kase.source, NULL, 0, kase.diag, &kase.model);
    if (kase.status == STATUS_OK)
        kase.status = hidden_motion_new(kase.model, false, kase.diag, &kase.motion);
    if (kase.status == STATUS_OK)
        kase.status = run_new(kase.motion, &options, kase.diag, &kase.run);
    if (kase.status == STATUS_OK)
        kase.columns = run_column_count(kase.run);
    return kase;
}

static inline void case_go(RunCase *kase)
{
    RunListener listener = {.row = case_keep_row, .context = kase};
    if (kase->status == STATUS_OK)
        kase->status = run_go(kase->run, &listener, kase->diag, &kase->summary);
}

static inline RunCase case_run(const char *text)
{
    RunCase kase = case_start(text, run_options());
    case_go(&kase);
    return kase;
}

static inline void case_free(RunCase *kase)
{
    array_clear(&kase->rows);
    run_free(kase->run);
    motion_free(kase->motion);
    model_free(kase->model);
    source_free(kase->source);
    diag_free(kase->diag);
}

// All that was said, for messages of failing tests and for looking into.
static inline bool case_says(const RunCase *kase, DiagKind kind, const char *piece)
{
    for (size_t i = 0; i < diag_total(kase->diag); i++) {
        DiagKind own = DIAG_NOTE;
        const char *message = diag_message(kase->diag, i, &own, NULL);
        if (own == kind && strstr(message, piece))
            return true;
    }
    Text all = {0};
    diag_render(kase->diag, DIAG_NOTE, &all);
    print_message("looked for: %s\nwas said:\n%s\n", piece, all.at ? all.at : "");
    text_clear(&all);
    return false;
}

static inline void case_expect(const RunCase *kase, Status status)
{
    if (kase->status != status) {
        Text all = {0};
        diag_render(kase->diag, DIAG_NOTE, &all);
        print_message("status %d, said:\n%s\n", kase->status, all.at ? all.at : "");
        text_clear(&all);
    }
    assert_int_equal(kase->status, status);
}

static inline size_t case_row_count(const RunCase *kase)
{
    return kase->rows.count / kase->columns;
}

static inline size_t case_column(const RunCase *kase, const char *name)
{
    for (size_t i = 0; i < kase->columns; i++)
        if (strcmp(run_column_name(kase->run, i), name) == 0)
            return i;
    fail_msg("no column %s", name);
    return 0;
}

static inline double case_value(const RunCase *kase, size_t row, const char *name)
{
    return kase->rows.at[row * kase->columns + case_column(kase, name)];
}

static inline double case_last(const RunCase *kase, const char *name)
{
    return case_value(kase, case_row_count(kase) - 1, name);
}

// The largest |column| of all rows.
static inline double case_largest(const RunCase *kase, const char *name)
{
    double most = 0;
    for (size_t i = 0; i < case_row_count(kase); i++)
        most = fmax(most, fabs(case_value(kase, i, name)));
    return most;
}

#endif
