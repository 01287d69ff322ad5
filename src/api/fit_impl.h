// fit_impl.h: a fit of a model to data, in parts. Never leaves the room.
#ifndef ZWANG_API_FIT_IMPL_H
#define ZWANG_API_FIT_IMPL_H

#include "api/api_impl.h"
#include "base/base.h"

// What is varied: a parameter, or a start value.
typedef struct {
    const char *name;   // as in settings
    const char *column; // as in columns: diff(x,COLUMN)
    bool bounded;
    double low, high;
    double start, value;
} FitUnknown;

// One number of the data, and what the model gives for it.
typedef struct {
    double t, value, sigma;
    size_t column; // among those used
} FitValue;

typedef struct {
    Arena *arena;
    FitUnknown *unknowns;
    size_t count;
    const char **used; // columns of the run
    double *sigmas;    // of each; 1 where none was given
    size_t used_count;
    bool has_sigmas;
    ARRAY(FitValue) values; // in the order of time
} FitData;

// ---- fit_data.c
// What is varied: "m,I=0.1:10" and "x,x'".
BASE_MUST_USE Status fit_read_unknowns(FitData *data, const char *vary, const char *initial,
                                       Diag *diag);
// The values of all files; `columns` are those of the run.
BASE_MUST_USE Status fit_read_data(FitData *data, const zw_fit_options *options,
                                   const char *const *columns, size_t column_count, Diag *diag);
void fit_data_clear(FitData *data);

// ---- fit_report.c
typedef struct {
    const FitData *data;
    bool converged;
    size_t steps, rank;
    double rms, quantile;
    const double *covariance; // count × count; NULL where the rank falls short
    const char *undetermined; // a line; NULL where all is determined
} FitFindings;
void fit_add_text(const FitFindings *found, Text *out);
void fit_add_json(const FitFindings *found, Text *out);

#endif
