// keeps_impl.h: what is kept of every run, once it is read.
#ifndef ZWANG_ENSEMBLE_KEEPS_IMPL_H
#define ZWANG_ENSEMBLE_KEEPS_IMPL_H

#include "ensemble/keeps.h"
#include "program/narrow_levels.h"

typedef enum {
    KEEP_FINAL,
    KEEP_LAST,
    KEEP_MAX, // from here on of the whole motion, between rows too
    KEEP_MIN,
    KEEP_TIME_MAX,
    KEEP_TIME_MIN,
    KEEP_MEAN, // to here
    KEEP_COUNT,
    KEEP_AT_EVENT
} KeepKind;

// Of a row: a column, or a program of the parameters and the columns.
typedef struct {
    const char *word;
    size_t column;
    Program *program; // NULL: the column
} KeepFunction;

typedef struct {
    const char *name;
    KeepKind kind;
    size_t of;         // a function; a column of the last row
    const char *event; // of a count
} KeepNumber;

// What tells where functions may be what samples do not show: where it is 0 they may jump or have a
// kink; where the level that follows from it is high they may be narrow.
typedef struct {
    size_t function;  // of which it tells
    Program *program; // of the inputs of functions
    bool has_level;
    NarrowFunction level;
} KeepGuide;

struct KeepPlan {
    Arena *arena;
    ARRAY(KeepNumber) numbers;
    ARRAY(KeepList) lists;
    ARRAY(KeepFunction) functions;
    ARRAY(KeepGuide) guides;
    const char **columns, **labels;
    size_t column_count, label_count, param_count;
    bool pieces; // something is asked of the whole motion
    bool *read;  // which columns functions are made of
    bool rows;
};

// ---- keep_guides.c: the guides of the next function, of so many inputs; the last are columns.
void keep_guides_add(KeepPlan *plan, ExprPool *pool, const Expr *inputs, size_t count, Expr value);

// ---- piece_samples.c: functions along a smooth piece of a motion.

// Extrema and integral of a function so far.
typedef struct {
    double max, min, max_time, min_time; // NAN before the first value
    double integral;
    bool open; // it changes faster than it was sampled
} FunctionRange;

// Values of `count` functions at a time; false where there are none.
typedef bool (*SampleFn)(void *context, double t, double *values);
typedef struct PieceSamples PieceSamples;
// Of so many functions, and of their guides, whose values are behind theirs.
PieceSamples *piece_samples_new(Arena *arena, size_t functions, const KeepGuide *guides,
                                size_t guide_count);
void piece_samples_add(PieceSamples *samples, double from, double to, SampleFn sample,
                       void *context, FunctionRange *ranges);
void function_range_add(FunctionRange *range, double t, double value);

#endif
