// zw_fit.c: parameters and start values by least squares of runs to data, with exact derivatives.
#include "api/call_impl.h"
#include "api/fit_impl.h"
#include "api/result_impl.h"
#include "base/decimal.h"
#include "linalg/dense.h"
#include "linalg/levenberg_marquardt.h"
#include "linalg/tolerances.h"
#include "model/model_equation.h"
#include "show/show.h"
#include "simulate/run_report.h"
#include "simulate/simulate.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- One run.

static void take(Fit *fit, const double *row)
{
    size_t count = fit->data.values.count, i = fit->next++, used = fit->data.values.at[i].column;
    fit->given[i] = row[fit->columns[used]];
    for (size_t j = 0; j < fit->data.count; j++)
        fit->slopes[j * count + i] = row[fit->derivatives[j * fit->data.used_count + used]];
}

static bool take_start(void *context, const double *row)
{
    Fit *fit = context;
    while (fit->next < fit->data.values.count && fit->data.values.at[fit->next].t <= row[0] &&
           row[0] == 0)
        take(fit, row);
    return true;
}

static void take_piece(void *context, SimulationRun *run, double from, double to)
{
    Fit *fit = context;
    const double *row = NULL;
    double at = NAN;
    (void)from;
    while (fit->next < fit->data.values.count && fit->data.values.at[fit->next].t <= to) {
        double t = fit->data.values.at[fit->next].t;
        if (t != at)
            row = run_row_inside(run, at = t, ROW_WHOLE);
        if (!row)
            return;
        take(fit, row);
    }
}

static zw_run_options run_options_of(const Fit *fit)
{
    zw_run_options run = {.tolerance = fit->options->tolerance,
                          .method = fit->options->method,
                          .sensitivity = fit->names,
                          .no_watch = true};
    if (fit->data.values.count > 0)
        run.to = run.every = fit->data.values.at[fit->data.values.count - 1].t;
    return run;
}

// The settings that the model had, and these values; false where they are wrong.
static bool put_values(Fit *fit, const double *values)
{
    size_t count = fit->data.count;
    const char **settings = base_alloc((fit->kept_count + count + 1) * sizeof *settings);
    Text *texts = base_alloc((count + 1) * sizeof *texts);
    memcpy(settings, fit->kept, fit->kept_count * sizeof *settings);
    const char *si = model_has_units(fit->model->model) ? " SI" : "";
    for (size_t i = 0; i < count; i++) {
        text_addf(&texts[i], "%s=%.17g%s", fit->data.unknowns[i].name, values[i], si);
        settings[fit->kept_count + i] = texts[i].at;
    }
    bool put = zw_model_set(fit->model, settings, fit->kept_count + count) == ZW_DONE;
    for (size_t i = 0; i < count; i++)
        text_clear(&texts[i]);
    base_free(texts);
    base_free(settings);
    return put;
}

static void keep_settings(Fit *fit)
{
    const zw_model *model = fit->model;
    fit->kept_count = model->set_count;
    fit->kept = arena_array(fit->data.arena, const char *, fit->kept_count + 1);
    for (size_t i = 0; i < fit->kept_count; i++)
        fit->kept[i] = arena_copy_text(fit->data.arena, model->set_sources[i]->at,
                                       strlen(model->set_sources[i]->at));
}

static void note_failure(Fit *fit, const double *values, double reached)
{
    text_clear(&fit->failure);
    text_add(&fit->failure, "a run with ");
    for (size_t i = 0; i < fit->data.count; i++) {
        text_addf(&fit->failure, "%s%s = ", i ? ", " : "", fit->data.unknowns[i].name);
        fit_add_value(&fit->data.unknowns[i], values[i], &fit->failure);
    }
    text_addf(&fit->failure, " failed at t = %.6g", reached);
    for (size_t i = 0; zw_message_at(fit->model, i); i++) {
        const zw_message *said = zw_message_at(fit->model, i);
        if (said->level != ZW_ERROR)
            continue;
        text_addf(&fit->failure, ": %s", said->text);
        break;
    }
    const FitUnknown *first = &fit->data.unknowns[0];
    text_addf(&fit->failure, "; give it bounds, as in \"%s=", first->name);
    fit_add_value(first, 0.1 * first->scale, &fit->failure);
    text_add(&fit->failure, ":");
    fit_add_value(first, 10 * first->scale, &fit->failure);
    text_add(&fit->failure, "\"");
}

// A parameter as a whole may change all values by no more than their rounding: its derivatives are
// rounding, too.
static void leave_out_rounding(Fit *fit, const double *values)
{
    size_t count = fit->data.values.count;
    double size = 0;
    for (size_t i = 0; i < count; i++)
        size = hypot(size, fit->given[i] / fit->data.values.at[i].sigma);
    for (size_t j = 0; j < fit->data.count; j++) {
        double *slopes = fit->slopes + j * count, change = 0;
        double whole = fmax(fabs(values[j]), fabs(fit->data.unknowns[j].start));
        for (size_t i = 0; i < count; i++)
            change = hypot(change, whole * slopes[i] / fit->data.values.at[i].sigma);
        if (change <= TOL_ZERO * size && whole > 0)
            memset(slopes, 0, count * sizeof *slopes);
    }
}

// Runs with these values; false where that ends early.
static bool run_with(Fit *fit, const double *values)
{
    zw_model *model = fit->model;
    if (fit->known && memcmp(fit->x, values, fit->data.count * sizeof *values) == 0)
        return true;
    Diag *before = model->diag;
    Simulation *run = NULL;
    RunSummary summary = {0};
    zw_run_options options = run_options_of(fit);
    model->diag = diag_new();
    fit->next = 0;
    fit->known = false;
    RunListener listener = {.row = take_start, .piece = take_piece, .context = fit};
    bool found = put_values(fit, values) && api_make_new_run(model, &options, &run) == STATUS_OK &&
                 run_go(run, &listener, model->diag, &summary) == STATUS_OK &&
                 fit->next == fit->data.values.count;
    if (!found)
        note_failure(fit, values, summary.reached);
    run_free(run);
    diag_free(model->diag);
    model->diag = before;
    memcpy(fit->x, values, fit->data.count * sizeof *values);
    for (size_t i = 0; i < fit->data.values.count && found; i++)
        found = isfinite(fit->given[i]);
    if (found)
        leave_out_rounding(fit, values);
    return fit->known = found;
}

// ---- Least squares.

// Bounded ones are low + (high − low)·(1 + sin x)/2.
static double value_of(const FitUnknown *own, double x)
{
    return own->bounded ? own->low + (own->high - own->low) * (1 + sin(x)) / 2 : x;
}

static double slope_of(const FitUnknown *own, double x)
{
    return own->bounded ? (own->high - own->low) * cos(x) / 2 : 1;
}

static double residual(const Fit *fit, size_t i)
{
    const FitValue *own = &fit->data.values.at[i];
    return (fit->given[i] - own->value) / own->sigma;
}

// With what is far off counted linearly (Huber).
static double bent(const Fit *fit, double r, double *slope)
{
    double size = fabs(r);
    *slope = 1;
    if (fit->bend == 0 || size <= fit->bend)
        return r;
    double root = sqrt(2 * fit->bend * size - fit->bend * fit->bend);
    *slope = fit->bend / root;
    return r < 0 ? -root : root;
}

static bool evaluate(void *context, const double *x, double *rows, double *columns)
{
    Fit *fit = context;
    size_t count = fit->data.count, values = fit->data.values.count;
    double *p = base_alloc(count * sizeof *p), slope;
    for (size_t j = 0; j < count; j++)
        p[j] = value_of(&fit->data.unknowns[j], x[j]);
    bool found = run_with(fit, p);
    base_free(p);
    for (size_t i = 0; i < values && rows; i++)
        rows[i] = found ? bent(fit, residual(fit, i), &slope) : 1 / TOL_ZERO;
    for (size_t i = 0; i < values && columns && found; i++) {
        bent(fit, residual(fit, i), &slope);
        for (size_t j = 0; j < count; j++)
            columns[j * values + i] = fit->left[j] ? 0
                                                   : slope * fit->slopes[j * values + i] /
                                                         fit->data.values.at[i].sigma *
                                                         slope_of(&fit->data.unknowns[j], x[j]);
    }
    // A step to where there is no motion is too long; that is no end.
    return found || rows;
}

static LeastOutcome solve(Fit *fit, size_t *steps)
{
    size_t count = fit->data.count;
    double *x = base_alloc(count * sizeof *x);
    for (size_t j = 0; j < count; j++) {
        const FitUnknown *own = &fit->data.unknowns[j];
        double part = own->bounded ? 2 * (own->value - own->low) / (own->high - own->low) - 1 : 0;
        x[j] = own->bounded ? asin(fmax(fmin(part, 1 - TOL_COARSE), TOL_COARSE - 1)) : own->value;
    }
    LeastSquaresProblem problem = {.residuals = fit->data.values.count,
                                   .unknowns = count,
                                   .context = fit,
                                   .evaluate = evaluate,
                                   .accuracy = TOL_AGREEMENT,
                                   .most = LIMIT_SEARCH};
    LeastOutcome outcome = levenberg_marquardt(&problem, x, steps);
    for (size_t j = 0; j < count; j++)
        fit->data.unknowns[j].value = value_of(&fit->data.unknowns[j], x[j]);
    base_free(x);
    return outcome;
}

static int by_size(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

// A standard deviation that outliers do not change: by the median of the residuals' sizes.
static double robust_deviation(const Fit *fit)
{
    size_t count = fit->data.values.count;
    double *sizes = base_alloc(count * sizeof *sizes);
    for (size_t i = 0; i < count; i++)
        sizes[i] = fabs(residual(fit, i));
    qsort(sizes, count, sizeof *sizes, by_size);
    double median = sizes[count / 2];
    base_free(sizes);
    return median / 0.6744897501960817;
}

// Plainly, and then with outliers counted less, by what the residuals have been found to be.
static LeastOutcome solve_all(Fit *fit, bool huber, size_t *steps)
{
    size_t more = 0;
    LeastOutcome outcome = solve(fit, steps);
    for (int pass = 0; pass < LIMIT_PATIENCE && huber && outcome == LEAST_FOUND; pass++) {
        double *p = base_alloc(fit->data.count * sizeof *p);
        for (size_t j = 0; j < fit->data.count; j++)
            p[j] = fit->data.unknowns[j].value;
        bool found = run_with(fit, p);
        base_free(p);
        fit->bend = found ? 1.345 * (fit->data.has_sigmas ? 1 : robust_deviation(fit)) : 0;
        if (!(fit->bend > 0))
            break;
        outcome = solve(fit, &more);
        *steps += more;
    }
    return outcome;
}

// ---- What the data determine.

// J of the last run in units of σ, each column of length 1, row by row of its transpose; the
// lengths.
static double *unit_columns(const Fit *fit, Arena *arena, double *lengths)
{
    size_t values = fit->data.values.count;
    double *columns = real_alloc(arena, values * fit->data.count);
    for (size_t j = 0; j < fit->data.count; j++) {
        double *column = columns + j * values;
        for (size_t i = 0; i < values; i++)
            column[i] = fit->slopes[j * values + i] / fit->data.values.at[i].sigma;
        lengths[j] = real_length(column, values);
        for (size_t i = 0; i < values && lengths[j] > 0; i++)
            column[i] /= lengths[j];
    }
    return columns;
}

// What Huber's estimate makes of normal errors with the standard deviation 1: E(ψ²)/E(ψ')².
static double normal_factor(double bend)
{
    double inside = erf(bend / sqrt(2)), density = exp(-bend * bend / 2) / sqrt(2 * acos(-1));
    double square = inside - 2 * bend * density + bend * bend * (1 - inside);
    return square / (inside * inside);
}

// Those that only their bounds hold: the step that would be best for one alone leads out of them.
static void find_held(Fit *fit, const double *columns, const double *lengths)
{
    size_t values = fit->data.values.count;
    double *rows = base_alloc((values + 1) * sizeof *rows), slope;
    for (size_t i = 0; i < values; i++) {
        rows[i] = bent(fit, residual(fit, i), &slope);
        rows[i] *= slope;
    }
    for (size_t j = 0; j < fit->data.count; j++) {
        FitUnknown *own = &fit->data.unknowns[j];
        double width = own->high - own->low;
        if (!own->bounded || !(lengths[j] > 0))
            continue;
        double step = -real_dot(columns + j * values, rows, values) / lengths[j];
        double left = step < 0 ? own->value - own->low : own->high - own->value;
        own->held = left <= TOL_COARSE * width && fabs(step) > left + TOL_SMALL * width;
        if (!own->held)
            continue;
        Text bound = {0};
        fit_add_value(own, step < 0 ? own->low : own->high, &bound);
        diag_add(fit->model->diag, DIAG_WARNING, place_hint(HINT_VARY),
                 "'%s' is held by its bound %s: the data want %s, so that no interval is known",
                 own->column, bound.at, step < 0 ? "less" : "more");
        text_clear(&bound);
    }
    base_free(rows);
}

// An interval far larger than the value in it and than the one at the start: the motion does not
// follow from the values in it as it does near the one found.
static bool tells_nothing(const FitUnknown *own, double half)
{
    double size = fmax(fabs(own->value), fabs(own->start));
    return !own->held && size > 0 && !(half <= size / TOL_SMALL);
}

static void judge_intervals(Fit *fit, const double *covariance, double quantile)
{
    size_t count = fit->data.count;
    for (size_t j = 0; j < count && isfinite(quantile); j++) {
        const FitUnknown *own = &fit->data.unknowns[j];
        double half = quantile * sqrt(covariance[j * count + j]);
        if (!tells_nothing(own, half))
            continue;
        text_addf(&fit->missing, "%s%s: its interval is a million times as large as it",
                  fit->missing.length > 0 ? "\n" : "", own->column);
    }
}

// s²·(JᵀJ)⁻¹, with Huber's factor where outliers count less; no less than what deviations that were
// given make of it.
static double *find_covariance(const Fit *fit, const double *columns, const double *lengths,
                               Arena *arena)
{
    size_t values = fit->data.values.count, count = fit->data.count;
    double *matrix = real_alloc(arena, count * count), *out = real_alloc(arena, count * count);
    double sum = 0, inside = 0, freedom = (double)(values - count);
    for (size_t i = 0; i < values; i++) {
        double r = fabs(residual(fit, i)), cut = fit->bend > 0 ? fmin(r, fit->bend) : r;
        sum += cut * cut;
        inside += fit->bend == 0 || r <= fit->bend;
    }
    double part = inside / (double)values, scale = freedom > 0 ? sum / freedom : NAN;
    if (fit->data.has_sigmas && fit->bend == 0)
        scale = 1;
    scale /= part * part;
    if (fit->data.has_sigmas && fit->bend > 0)
        scale = fmax(scale, normal_factor(fit->bend));
    const FitUnknown *own = fit->data.unknowns;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++)
            matrix[i * count + j] =
                own[i].held || own[j].held
                    ? i == j
                    : real_dot(columns + i * values, columns + j * values, values);
    if (!cholesky_factor(matrix, count, count, DBL_EPSILON))
        return NULL;
    double *unit = real_alloc(arena, count);
    for (size_t i = 0; i < count; i++) {
        memset(unit, 0, count * sizeof *unit);
        unit[i] = 1;
        cholesky_solve(matrix, count, unit);
        for (size_t j = 0; j < count; j++)
            out[i * count + j] =
                own[i].held || own[j].held ? NAN : scale * unit[j] / (lengths[i] * lengths[j]);
    }
    return out;
}

// ---- All of it.

static Status prepare(Fit *fit)
{
    FitData *data = &fit->data;
    zw_model *model = fit->model;
    Text names = {0};
    Simulation *run = NULL;
    for (size_t i = 0; i < data->count; i++)
        text_addf(&names, "%s%s", i ? "," : "", data->unknowns[i].name);
    fit->names = arena_copy_text(data->arena, names.at, names.length);
    text_clear(&names);
    zw_run_options options = run_options_of(fit);
    TRY(api_make_new_run(model, &options, &run));
    size_t columns = run_column_count(run);
    const char **all = arena_array(data->arena, const char *, columns + 1);
    for (size_t i = 0; i < columns; i++)
        all[i] =
            arena_copy_text(data->arena, run_column_name(run, i), strlen(run_column_name(run, i)));
    const double *row = run_start(run).row, *params = run_start(run).params;
    for (size_t j = 0; j < data->count; j++) {
        FitUnknown *own = &data->unknowns[j];
        for (size_t i = 0; i < model->model->params.count; i++)
            if (strcmp(own->column, model->model->params.at[i].name) == 0)
                own->start = params[i];
        for (size_t i = 0; i < columns && strcmp(own->column, own->name) != 0; i++)
            if (strcmp(own->name, all[i]) == 0)
                own->start = row[i];
        own->value = own->start;
    }
    run_free(run);
    TRY(fit_read_data(data, fit->options, all, columns, model->diag));
    fit->columns = arena_array(data->arena, size_t, data->used_count + 1);
    fit->derivatives = arena_array(data->arena, size_t, data->used_count * data->count + 1);
    for (size_t k = 0; k < data->used_count; k++) {
        while (strcmp(all[fit->columns[k]], data->used[k]) != 0)
            fit->columns[k]++;
        for (size_t j = 0; j < data->count; j++) {
            Text title = {0};
            size_t *at = &fit->derivatives[j * data->used_count + k];
            text_addf(&title, "diff(%s,%s)", data->used[k], data->unknowns[j].column);
            while (*at < columns && strcmp(all[*at], title.at) != 0)
                ++*at;
            text_clear(&title);
            if (*at == columns)
                return diag_error(model->diag, place_hint(HINT_USE),
                                  "the column '%s' has no derivatives; coordinates, velocities, "
                                  "speeds, states and outputs have",
                                  data->used[k]);
        }
    }
    size_t values = data->values.count;
    real_alloc_each(data->arena, values, &fit->given);
    real_alloc_each(data->arena, values * data->count, &fit->slopes);
    fit->x = real_alloc(data->arena, data->count);
    return STATUS_OK;
}

static Status check(const Fit *fit)
{
    const zw_fit_options *options = fit->options;
    Diag *diag = fit->model->diag;
    TRY(api_check_format(options->as, ZW_TEXT, diag));
    if (options->data_count == 0)
        return diag_error(diag, place_none(), "which data? Name a file: fit MODEL DATA.csv");
    if (options->loss && strcmp(options->loss, "huber") != 0 &&
        strcmp(options->loss, "squares") != 0)
        return diag_error(diag, place_hint(HINT_LOSS),
                          "unknown loss '%s'; there are squares and huber", options->loss);
    TRY(api_check_texts("file of data", options->data, options->data_count, diag));
    for (size_t i = 0; i < options->data_count; i++)
        TRY(api_spare_input(fit->model, &options->out, 1, options->data[i]));
    return api_check_outputs(fit->model, &options->out, 1);
}

static Status write_values(const Fit *fit)
{
    const char *path = fit->options->out;
    Text text = {0};
    text_add(&text, "t,column,data,fit\n");
    for (size_t i = 0; i < fit->data.values.count; i++) {
        const FitValue *own = &fit->data.values.at[i];
        text_add_decimal(&text, own->t);
        text_addf(&text, ",\"%s\",", fit->data.used[own->column]);
        text_add_decimal(&text, own->value);
        text_add_char(&text, ',');
        text_add_decimal(&text, fit->given[i]);
        text_add_char(&text, '\n');
    }
    const Str whole = {text.at, text.length};
    Status status = show_files_write(&path, &whole, 1, fit->model->diag);
    text_clear(&text);
    return status;
}

static void put_numbers(const FitFindings *found, zw_result *result)
{
    const FitData *data = found->data;
    size_t count = data->count;
    zw_fit_values *out = arena_alloc(result->arena, sizeof *out);
    const char **names = arena_array(result->arena, const char *, count);
    double *values = arena_array(result->arena, double, count);
    for (size_t i = 0; i < count; i++) {
        names[i] = result_copy(result, data->unknowns[i].column);
        values[i] = data->unknowns[i].value;
    }
    *out = (zw_fit_values){.count = count,
                           .names = names,
                           .values = values,
                           .value_count = data->values.count,
                           .iterations = found->steps,
                           .converged = found->converged,
                           .rank = found->rank,
                           .rms = found->rms,
                           .quantile = found->quantile,
                           .undetermined = result_copy(result, found->undetermined)};
    if (found->covariance)
        out->covariance = result_numbers(result, found->covariance, count * count);
    result->fit = out;
}

static Status report(Fit *fit, LeastOutcome outcome, size_t steps, zw_result *result)
{
    FitData *data = &fit->data;
    size_t count = data->count, values = data->values.count;
    double *lengths = real_alloc(data->arena, count), sum = 0;
    double *p = real_alloc(data->arena, count);
    for (size_t j = 0; j < count; j++)
        p[j] = data->unknowns[j].value;
    if (!run_with(fit, p))
        return diag_error(fit->model->diag, place_hint(HINT_VARY), "%s", fit->failure.at);
    const double *columns = unit_columns(fit, data->arena, lengths);
    Text text = {0};
    for (size_t i = 0; i < values; i++)
        sum += residual(fit, i) * residual(fit, i);
    FitFindings found = {
        .data = data,
        .converged = outcome == LEAST_FOUND,
        .steps = steps,
        .rms = sqrt(sum / (double)values),
        .quantile = values > count ? student_quantile(0.95, (double)(values - count)) : NAN};
    find_held(fit, columns, lengths);
    found.rank = fit_rank(fit, columns, lengths);
    if (found.rank == count)
        found.covariance = find_covariance(fit, columns, lengths, data->arena);
    if (found.covariance)
        judge_intervals(fit, found.covariance, found.quantile);
    found.undetermined = fit->missing.length > 0 ? fit->missing.at : NULL;
    if (fit->options->as == ZW_JSON) {
        fit_add_json(&found, &text);
        api_sign_json(&text);
    } else
        fit_add_text(&found, &text);
    put_numbers(&found, result);
    result_put_text(result, &text, fit->options->as, fit->options->width);
    text_clear(&text);
    if (fit->options->out)
        TRY(write_values(fit));
    return found.converged && !found.undetermined && found.rank == count ? STATUS_OK
                                                                         : STATUS_NEGATIVE;
}

static Status find(Fit *fit, zw_result *result)
{
    TRY(check(fit));
    TRY(fit_read_unknowns(&fit->data, fit->options->vary, fit->options->initial, fit->model));
    TRY(prepare(fit));
    FitData *data = &fit->data;
    double *p = real_alloc(data->arena, data->count);
    for (size_t j = 0; j < data->count; j++) {
        const FitUnknown *own = &data->unknowns[j];
        p[j] = own->start;
        if (own->bounded && !(own->start >= own->low && own->start <= own->high))
            return diag_error(fit->model->diag, place_hint(HINT_VARY),
                              "'%s' starts at %.6g%s%s, outside of its bounds", own->name,
                              own->start / own->scale, *own->unit ? " " : "", own->unit);
    }
    if (!run_with(fit, p))
        return diag_error(fit->model->diag, place_hint(HINT_VARY), "%s", fit->failure.at);
    fit_judge_equations(fit, unit_columns(fit, data->arena, real_alloc(data->arena, data->count)));
    bool huber = fit->options->loss && strcmp(fit->options->loss, "huber") == 0;
    size_t steps;
    LeastOutcome outcome = solve_all(fit, huber, &steps);
    return report(fit, outcome, steps, result);
}

static Status answer(zw_model *model, const void *given, zw_result *result)
{
    TRY(model->status);
    Fit fit = {.model = model, .options = given, .data = {.arena = arena_new()}};
    keep_settings(&fit);
    size_t told = diag_total(model->diag);
    Status status = find(&fit, result);
    // What is fitted is what runs are differentiated by.
    diag_replace_hint(model->diag, told, HINT_SENSITIVITY, HINT_VARY);
    // The model is as it was.
    Diag *before = model->diag;
    model->diag = diag_new();
    (void)zw_model_set(model, fit.kept, fit.kept_count);
    diag_free(model->diag);
    model->diag = before;
    text_clear(&fit.failure);
    text_clear(&fit.missing);
    fit_data_clear(&fit.data);
    return status;
}

zw_status zw_fit(zw_model *model, const zw_fit_options *given, zw_result **result)
{
    zw_fit_options options;
    return api_ask(model, given, &options, sizeof options, answer, false, result);
}

const zw_fit_values *zw_result_fit(const zw_result *result)
{
    return result ? result->fit : NULL;
}
