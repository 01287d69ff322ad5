// run_audit.c: a second opinion: the same motion by another method and a tighter tolerance, row for
// row against the run as asked. Where they differ, the first digits that differ are not sure. Where
// a run by series differs by no more than its tolerance, a third one, by tighter series, tells how
// much of that is its own error.
//
// Of a long run every second row is dropped as often as there is no room, so that memory does not
// grow with its length.
#include "simulate/run_audit.h"
#include "base/diag.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations_types.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/events/event_states_impl.h"
#include "simulate/run_audit_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulate.h"
#include "simulate/simulation_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

struct AuditColumn {
    double least, most; // over all rows
    double so_far;      // the largest of the rows that were compared
    double difference, at, at_end;
};

Status run_audit_new(Simulation *sim, Diag *diag, RunAudit **out)
{
    assert(sim && !sim->audit && diag);
    size_t width = sim->base->columns->energy_at;
    Arena *arena = arena_new();
    RunAudit *audit = arena_alloc(arena, sizeof *audit);
    *out = NULL;
    *audit = (RunAudit){.arena = arena,
                        .sim = sim,
                        .width = width,
                        .columns = arena_array(arena, AuditColumn, width),
                        .stride = 1,
                        .last = arena_array(arena, double, width)};
    Status status = invariants_init(audit, diag);
    if (status != STATUS_OK) {
        run_audit_free(audit);
        return status;
    }
    sim->audit = audit;
    *out = audit;
    return STATUS_OK;
}

void run_audit_free(RunAudit *audit)
{
    if (!audit)
        return;
    audit->sim->audit = NULL;
    evaluator_clear(&audit->constants);
    evaluator_clear(&audit->quantities);
    evaluator_clear(&audit->rate);
    array_clear(&audit->kept);
    array_clear(&audit->jumps);
    array_clear(&audit->points);
    arena_free(audit->arena);
}

// ---- The run as asked.

static void forget_every_second(RunAudit *audit)
{
    size_t width = audit->width, rows = audit->kept.count / width;
    assert(audit->kept.count == rows * width);
    for (size_t i = 1; 2 * i < rows; i++)
        memcpy(audit->kept.at + i * width, audit->kept.at + 2 * i * width, width * sizeof(double));
    audit->kept.count = (rows + 1) / 2 * width;
    audit->stride *= 2;
}

// That force, the rows of the conditions being as large as they are.
static void see_force(RunAudit *audit, const Equations *eq, State *state)
{
    size_t n = eq->n;
    const double *inertia = state_forces(eq, state);
    double momentum = 0, row = real_largest(state->velocities.out, eq->m * n);
    for (size_t i = 0; i < n; i++)
        momentum = fmax(momentum, fabs(real_dot(inertia + i * n, state->v, n)));
    if (row > 0)
        audit->force = fmax(audit->force, momentum / audit->sim->settings.every / row);
}

void audit_row(RunAudit *audit, const Equations *eq, State *state, const double *row)
{
    size_t width = audit->width;
    // The time that is shown beside a switch may differ in its last digits.
    assert(fabs(row[0] - *state->t) <= TOL_STATE * fabs(row[0]));
    invariants_row(audit, state, row);
    see_force(audit, eq, state);
    for (size_t i = 0; i < width; i++) {
        AuditColumn *column = &audit->columns[i];
        column->least = audit->rows ? fmin(column->least, row[i]) : row[i];
        column->most = audit->rows ? fmax(column->most, row[i]) : row[i];
    }
    memcpy(audit->last, row, width * sizeof *row);
    if (audit->rows++ % audit->stride != 0)
        return;
    if (audit->kept.count / width == LIMIT_EVENTS)
        forget_every_second(audit);
    if ((audit->rows - 1) % audit->stride == 0)
        for (size_t i = 0; i < width; i++)
            array_push(&audit->kept, row[i]);
}

// About how far apart events of two runs may lie that are the same.
static double jump_margin(const RunAudit *audit, double t)
{
    const RunOptions *settings = &audit->sim->settings;
    return fmax(TOL_AGREEMENT * settings->every, TOL_STATE * fabs(t));
}

void audit_jump(RunAudit *audit, double t)
{
    double every = audit->sim->settings.every, row = round(t / every) * every;
    bool known = audit->jumps.count > 0 && audit->jumps.at[audit->jumps.count - 1] == row;
    if (!known && fabs(t - row) <= jump_margin(audit, t))
        array_push(&audit->jumps, row);
}

// Both are in order.
static bool is_at_jump(const RunAudit *audit, double t)
{
    size_t low = 0, high = audit->jumps.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fabs(audit->jumps.at[middle] - t) <= 2 * jump_margin(audit, t))
            return true;
        *(audit->jumps.at[middle] < t ? &low : &high) =
            audit->jumps.at[middle] < t ? middle + 1 : middle;
    }
    return false;
}

// ---- Sizes.

static size_t group_begin(const RunAudit *audit, size_t group)
{
    const Columns *columns = audit->sim->base->columns;
    size_t n = audit->sim->motion->n;
    assert(group <= RUN_GROUP_COUNT);
    n -= audit->sim->motion->model->rated_count;
    const size_t begin[] = {1, 1 + n, columns->speeds_at, columns->lambdas_at, audit->width};
    return begin[group];
}

static double size_of(const AuditColumn *column)
{
    return fmax(fabs(column->least), fabs(column->most));
}

// A column counts with at least a small part of the largest of its kind, and with as much as makes
// the rounding of that one an error within the tolerance: one that is 0 but for rounding has no
// digits to lose. Multipliers count with as much, too, as would stop the largest
// momentum from a row to the next.
static double least_size(const RunAudit *audit, size_t group)
{
    double most = group == RUN_MULTIPLIERS ? audit->force : 0;
    for (size_t i = group_begin(audit, group); i < group_begin(audit, group + 1); i++)
        most = fmax(most, size_of(&audit->columns[i]));
    size_t count = group_begin(audit, group + 1) - group_begin(audit, group);
    double rounding = TOL_STATE * sqrt((double)count) / audit->sim->settings.tolerance;
    return fmin(fmax(TOL_SMALL, rounding), 1) * most;
}

static double part(double difference, double size)
{
    return difference > 0 ? difference / size : 0;
}

// ---- Row against row.

static const double *row_to_compare(const RunAudit *audit)
{
    if (audit->row + 1 == audit->rows)
        return audit->last;
    size_t at = audit->row / audit->stride * audit->width;
    return audit->row % audit->stride == 0 && at < audit->kept.count ? audit->kept.at + at : NULL;
}

// The columns of one kind at a row; the largest difference against what they were so far, and
// against how far they range, into *apart and *lost.
static void compare_group(RunAudit *audit, size_t group, const double *candidates,
                          const double *other, double *apart, double *lost)
{
    double least = least_size(audit, group);
    for (size_t i = group_begin(audit, group); i < group_begin(audit, group + 1); i++) {
        AuditColumn *column = &audit->columns[i];
        double difference = fabs(candidates[i] - other[i]), range = column->most - column->least;
        column->so_far = fmax(column->so_far, fabs(candidates[i]));
        column->at_end = difference;
        if (difference > column->difference) {
            column->difference = difference;
            column->at = candidates[0];
        }
        double size = fmax(fmax(column->so_far, TOL_SMALL * range), least);
        *apart = fmax(*apart, part(difference, size));
        *lost = fmax(*lost, part(difference, fmax(range, least)));
    }
}

static bool compare_row(void *context, const double *other)
{
    RunAudit *audit = context;
    const double *candidates = row_to_compare(audit);
    audit->row++;
    if (!candidates)
        return true;
    double apart = 0, lost = 0;
    // Coordinates do not jump.
    bool jumps = is_at_jump(audit, candidates[0]);
    for (size_t group = 0; group < (jumps ? 1 : RUN_MULTIPLIERS); group++)
        compare_group(audit, group, candidates, other, &apart, &lost);
    double unread = 0;
    if (!jumps)
        compare_group(audit, RUN_MULTIPLIERS, candidates, other, &unread, &unread);
    audit->report.compared = candidates[0];
    // Where they differ by half of how far a column ranges, none of its digits is sure.
    if (lost >= 0.5 && isnan(audit->report.horizon))
        audit->report.horizon = candidates[0];
    if (audit->points.count > 0)
        apart = fmax(apart, audit->points.at[audit->points.count - 1].d);
    if (candidates[0] > 0 && apart > 0)
        array_push(&audit->points, ((ErrorGrowthPoint){candidates[0], apart}));
    return audit->row < audit->rows;
}

static bool pass_progress(void *context, double t)
{
    const RunListener *listener = ((RunAudit *)context)->listener;
    return !listener->progress || listener->progress(listener->context, t);
}

// ---- The second run.

// Another method, as far as there is one that is good for this motion, and less error, as far as
// rounding lets it: series leave the first run a hundredth of its tolerance or less, and take
// little more time for the last digits. What is stiff is left with fewer digits.
static RunOptions other_options(const RunAudit *audit, const RunSummary *summary)
{
    RunOptions options = audit->sim->settings;
    options.sensitivity = NULL;
    double tighter = EVENT_MARGIN * EVENT_MARGIN;
    if (options.method == RUN_TAYLOR) {
        options.method = RUN_ERK;
    } else if (options.method == RUN_BDF && summary->stiff) {
        tighter = EVENT_MARGIN;
    } else {
        options.method = RUN_TAYLOR;
        tighter = INFINITY;
    }
    options.step = NAN;
    options.tolerance = fmin(options.tolerance, fmax(options.tolerance / tighter, TOL_ROUNDING));
    return options;
}

// ---- How the difference grows: like a power of the time, as errors of orderly motions do, or like
// an exponential, as those of chaotic and unstable ones.

// The line through log d over x by least squares: its slope, and what it misses.
typedef struct {
    double slope, miss;
} Line;

static Line fit(const ErrorGrowthPoint *points, size_t count, bool logarithmic)
{
    double x_mean = 0, y_mean = 0, xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < count; i++) {
        x_mean += (logarithmic ? log(points[i].t) : points[i].t) / (double)count;
        y_mean += log(points[i].d) / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        double x = (logarithmic ? log(points[i].t) : points[i].t) - x_mean;
        double y = log(points[i].d) - y_mean;
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    return (Line){.slope = xy / xx, .miss = yy - xy * xy / xx};
}

// As exp(t/e_fold), or as t^power; both stay as they are where too little is known.
static void fit_growth(const ErrorGrowthPoint *points, size_t count, RunAuditReport *report)
{
    assert(points || count == 0);
    // The least differences are rounding, the largest have nearly grown out.
    for (; count > 0 && points[0].d < TOL_ROUNDING; count--)
        points++;
    while (count > 0 && points[count - 1].d > TOL_POOR)
        count--;
    if (count < 8)
        return;
    Line exponential = fit(points, count, false), power = fit(points, count, true);
    // What is called exponential has grown very much, or it could be anything.
    if (TOL_COARSE * points[count - 1].d > points[0].d && exponential.miss < power.miss)
        report->e_fold = 1 / exponential.slope;
    else
        report->power = power.slope;
}

static void sum_up_group(RunAudit *audit, size_t group)
{
    static const char *const names[] = {"coordinates", "velocities", "speeds", "multipliers"};
    RunGroup *out = &audit->report.groups[group];
    double least = least_size(audit, group);
    size_t begin = group_begin(audit, group), end = group_begin(audit, group + 1);
    *out = (RunGroup){.name = names[group], .count = end - begin};
    for (size_t i = begin; i < end; i++) {
        const AuditColumn *column = &audit->columns[i];
        double size = fmax(size_of(column), least);
        double difference = part(column->difference, size);
        out->at_end = fmax(out->at_end, part(column->at_end, size));
        if (out->worst && difference <= out->difference)
            continue;
        out->worst = run_column_name(audit->sim, i);
        out->difference = difference;
        out->t = column->at;
    }
}

static void sum_up(RunAudit *audit)
{
    RunAuditReport *report = &audit->report;
    double at_end = DBL_EPSILON;
    for (size_t group = 0; group < RUN_GROUP_COUNT; group++) {
        sum_up_group(audit, group);
        if (group == RUN_MULTIPLIERS)
            continue;
        report->error = fmax(report->error, report->groups[group].difference);
        at_end = fmax(at_end, report->groups[group].at_end);
    }
    // Half a unit of the last digit.
    report->digits = fmax(0, floor(-log10(2 * at_end)));
    fit_growth(audit->points.at, audit->points.count, report);
    if (isnan(report->horizon))
        report->expected = report->compared + report->e_fold * log(0.5 / at_end);
}

// Whether the error is what the tolerance led to expect; an error where it is not. Steps of fixed
// length have no tolerance: what they do is worth a warning.
static bool is_as_expected(const RunAudit *audit, Diag *diag)
{
    const RunAuditReport *report = &audit->report;
    const RunOptions *settings = &audit->sim->settings;
    bool fixed = settings->method == RUN_TIMESTEPPING;
    if (TOL_COARSE * report->error <= settings->tolerance)
        return true;
    size_t worst = 0;
    for (size_t group = 1; group < RUN_MULTIPLIERS; group++)
        if (report->groups[group].difference > report->groups[worst].difference)
            worst = group;
    diag_add(diag, fixed ? DIAG_WARNING : DIAG_ERROR, place_hint(HINT_TOLERANCE),
             "the estimated error of %s, %.1e of its size, is %.1g times the tolerance; a smaller "
             "tolerance or an earlier end leaves more digits",
             report->groups[worst].worst, report->error, report->error / settings->tolerance);
    return fixed;
}

// Whether first integrals stay as they are; an error where one does not.
static bool are_constant(const RunAudit *audit, Diag *diag)
{
    bool constant = true;
    for (size_t i = 0; i < audit->report.integral_count; i++) {
        const RunDrift *integral = &audit->integrals[i];
        if (integral->change == 0)
            continue;
        constant = false;
        if (isinf(integral->change))
            diag_add(diag, DIAG_ERROR, place_none(),
                     "%s, which is constant, has no finite value since t = %.10g, so that it does "
                     "not tell whether the motion is right",
                     integral->name, integral->since);
        else
            diag_add(diag, DIAG_ERROR, place_hint(HINT_TOLERANCE),
                     "%s, which is constant, has changed by %.2g since t = %.10g (the tolerance "
                     "explains %.1g); a smaller tolerance or another method may do better",
                     integral->name, integral->change, integral->since, integral->explained);
    }
    return constant;
}

// Nothing was compared yet with the run by these options.
static void begin_report(RunAudit *audit, const RunOptions *options)
{
    RunAuditReport *report = &audit->report;
    report->method = options->method;
    report->tolerance = options->tolerance;
    report->compared = report->error = report->digits = 0;
    report->agreement = NAN;
    report->e_fold = report->power = report->horizon = report->expected = NAN;
    memset(report->groups, 0, sizeof report->groups);
    audit->row = audit->points.count = 0;
    for (size_t i = 0; i < audit->width; i++)
        audit->columns[i] =
            (AuditColumn){.least = audit->columns[i].least, .most = audit->columns[i].most};
}

// From the start; its rows are compared as they come.
static Status run_again(RunAudit *audit, const RunOptions *options, RunSummary *second)
{
    begin_report(audit, options);
    // What it says has been said of the run as asked.
    Diag *own = diag_new();
    Simulation *sim;
    // Both runs meet an event, but at times that differ in their last digits.
    RunListener listens = {
        .row = compare_row, .progress = pass_progress, .context = audit, .regular = true};
    Status status = run_new(audit->sim->motion, options, own, &sim);
    if (status == STATUS_OK)
        status = run_go(sim, &listens, own, second);
    run_free(sim);
    diag_free(own);
    return status;
}

// Whether the run as asked may have less error than the second one, whose method is then a second
// opinion, but no measure: series leave so little that a Runge–Kutta method adds more of its own.
// They must agree to the tolerance, or to what that method mostly reaches.
static bool may_be_the_better_one(const RunAudit *audit)
{
    const RunOptions *settings = &audit->sim->settings;
    const RunAuditReport *report = &audit->report;
    bool agrees =
        report->error <= settings->tolerance || TOL_COARSE * report->error <= report->tolerance;
    return settings->method == RUN_TAYLOR && agrees && settings->tolerance > TOL_ROUNDING;
}

// Where they agree, series at the last digits measure the error.
static Status compare_with_series(RunAudit *audit, const RunOptions *former, RunSummary *third)
{
    RunAuditReport opinion = audit->report;
    RunOptions options = *former;
    options.method = RUN_TAYLOR;
    options.tolerance = TOL_ROUNDING;
    Status status = run_again(audit, &options, third);
    if (status == STATUS_OK && audit->row >= audit->rows) {
        sum_up(audit);
        audit->report.opinion = opinion.method;
        audit->report.agreement = opinion.error;
    } else {
        audit->report = opinion;
    }
    return status == STATUS_FAILED ? STATUS_OK : status;
}

Status run_audit_compare(RunAudit *audit, const RunListener *listener, const RunSummary *summary,
                         Diag *diag)
{
    assert(listener && summary && diag);
    // Events may have left it somewhere else than at the start.
    if (audit->sim->origin)
        states_restore(audit->sim, diag);
    RunOptions options = other_options(audit, summary);
    RunSummary second = {0};
    audit->listener = listener;
    begin_report(audit, &options);
    if (summary->end == RUN_ASKED || audit->rows == 0)
        return STATUS_OK;
    Status status = run_again(audit, &options, &second);
    // Where rounding does not let it, it is asked for less.
    while (second.end == RUN_STRANDED && audit->row < audit->rows &&
           options.tolerance < audit->sim->settings.tolerance) {
        options.tolerance = fmin(EVENT_MARGIN * options.tolerance, audit->sim->settings.tolerance);
        status = run_again(audit, &options, &second);
    }
    if (status == STATUS_FAILED)
        return diag_error(diag, place_none(), "the second run of the audit failed"), status;
    sum_up(audit);
    if (status == STATUS_OK && may_be_the_better_one(audit))
        status = compare_with_series(audit, &options, &second);
    bool all = audit->row >= audit->rows || second.end == RUN_STRANDED;
    bool constant = are_constant(audit, diag);
    return is_as_expected(audit, diag) && constant && all ? STATUS_OK : STATUS_NEGATIVE;
}

// ---- What was found.

RunAuditReport run_audit_report(const RunAudit *audit)
{
    RunAuditReport report = audit->report;
    invariants_report(audit, &report);
    return report;
}
