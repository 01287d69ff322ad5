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
    bool held; // the value found is a bound, beyond which the data want it
    // In a model with units: the one that it is shown in, in which a value is the number over
    // `scale`, and the SI unit of the numbers; else "" and 1.
    const char *unit, *si;
    double scale;
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

// "2 N/m", of a number in SI units.
void fit_add_value(const FitUnknown *own, double value, Text *out);

// ---- fit_data.c
// What is varied: "m,I=0.1:10" and "x,x'"; bounds have units where the model has some.
BASE_MUST_USE Status fit_read_unknowns(FitData *data, const char *vary, const char *initial,
                                       zw_model *model);
// The values of all files; `columns` are those of the run.
BASE_MUST_USE Status fit_read_data(FitData *data, const zw_fit_options *options,
                                   const char *const *columns, size_t column_count, Diag *diag);
void fit_data_clear(FitData *data);

typedef struct {
    zw_model *model;
    const zw_fit_options *options;
    FitData data;
    const char **kept; // the settings of the model, before
    size_t kept_count;
    const char *names;   // of what is varied, for derivatives
    size_t *columns;     // of each used one, in the run's rows
    size_t *derivatives; // count × used: likewise
    // The last run: what it gives for each value, and the derivatives, column after column.
    double *x, *given, *slopes;
    bool known;
    size_t next; // value that comes next
    double bend; // beyond it residuals count linearly; 0: nowhere
    Text failure;
    bool *left;   // what no data determine: it stays as it is
    Text missing; // in words, with what these data do not determine, a line each
} Fit;

// ---- fit_rank.c
// Which unknowns the equations leave open, whatever the data; the columns are those of a run.
void fit_judge_equations(Fit *fit, const double *columns);
// The rank of the derivatives at the values found, `columns` of length 1 that had these lengths,
// and what else these data leave open.
size_t fit_rank(Fit *fit, const double *columns, const double *lengths);

// ---- fit_report.c
typedef struct {
    const FitData *data;
    bool converged;
    size_t steps, rank;
    double rms, quantile;
    const double *covariance; // count × count; NULL where the rank falls short
    const char *undetermined; // lines; NULL where all is determined
} FitFindings;
void fit_add_text(const FitFindings *found, Text *out);
void fit_add_json(const FitFindings *found, Text *out);

#endif
