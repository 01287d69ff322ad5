// result_impl.h: what a zw_result is, and how every question is asked. Never leaves the room.
#ifndef ZWANG_API_RESULT_IMPL_H
#define ZWANG_API_RESULT_IMPL_H

#include "base/memory.h"
#include "zwang.h"

typedef struct KeptRows KeptRows; // kept_rows.c

struct zw_result {
    Arena *arena;     // of all that it points to, but the rows
    const char *text; // NULL: there is nothing to hand out
    const char *audit;
    const zw_check_answers *check;
    const zw_equation_answers *equations;
    const zw_instant *instant;
    const zw_steady_motion *stability;
    const zw_sweep_facts *sweep;
    const zw_fit_values *fit;
    zw_run_facts *run;
    const char *const *columns;
    KeptRows *rows; // NULL: none were kept
};

// ---- questions.c
// A question, with options that are whole. What it puts into the result is handed out where the
// result has a text then.
typedef Status ApiAnswer(zw_model *model, const void *options, zw_result *result);
// Takes the options and asks; `options` is room for so many bytes of them. Where `optional` nobody
// need take the result.
zw_status api_ask(zw_model *model, const void *given, void *options, size_t bytes,
                  ApiAnswer *answer, bool optional, zw_result **result);
// The same where there is no model: `write` puts what there is to say into a text.
typedef Status ApiGalleryWriter(const char *path, const zw_gallery_options *options, Text *said);
zw_status api_write_gallery(const char *path, const zw_gallery_options *options,
                            ApiGalleryWriter *write, zw_result **result);

// ---- result.c
zw_result *result_new(void);
// Takes a text over as the report, broken into lines of this width where it is plain text; 0: as
// they are.
void result_put_text(zw_result *result, Text *text, zw_format as, size_t width);
const char *result_copy(zw_result *result, const char *text); // NULL stays NULL
const double *result_numbers(zw_result *result, const double *from, size_t count);

// ---- kept_rows.c: the rows and events of a run in memory.
KeptRows *kept_rows_new(size_t columns);
void kept_rows_free(KeptRows *rows);
void kept_rows_add(KeptRows *rows, const double *row);
void kept_rows_add_event(KeptRows *rows, const zw_event *event);
size_t kept_rows_count(const KeptRows *rows);
size_t kept_rows_events(const KeptRows *rows);
const double *kept_rows_column(const KeptRows *rows, size_t column);
const zw_event *kept_rows_event(const KeptRows *rows, size_t index);

#endif
