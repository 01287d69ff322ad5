// run_audit.c: a second opinion: the same motion by another method and a tighter tolerance, row for
// row against the run as asked. Where they differ, the first digits that differ are not sure.
//
// Of a long run every second row is dropped as often as there is no room, so that memory does not
// grow with its length.
#include "model/constraint.h"
#include "motion/motion_types.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/run_audit_impl.h"
#include "simulate/simulation_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_KEPT 4096
// The second run is asked for so much less error, as far as rounding lets it: series leave the
// first run a hundredth of its tolerance or less. What is stiff is left with fewer digits.
#define TIGHTER       1e-4
#define TIGHTER_STIFF 1e-2
#define LEAST_ALLOWED 1e-14
// A column counts with at least this part of the largest of its kind: one that is 0 but for
// rounding has no digits to lose.
#define LEAST_PART 1e-6
// A condition counts with at least this part of what the velocities (coordinates, accelerations)
// could make of it.
#define LEAST_CHANGE 1e-3
// Where two runs differ by this part of how far a column ranges, none of its digits is sure.
#define NOT_SURE 0.25
// An error of so many tolerances is a warning.
#define MANY_TOLERANCES 1000

Status run_audit_new(Simulation *sim, Diag *diag, RunAudit **out)
{
    RunAudit *audit = base_alloc(sizeof *audit);
    *out = NULL;
    audit->sim = sim;
    audit->stride = 1;
    audit->width = sim->base->columns->energy_at;
    audit->columns = base_alloc(audit->width * sizeof *audit->columns);
    audit->last = base_alloc(audit->width * sizeof *audit->last);
    Status status = invariants_init(&audit->invariants, sim->base->eq, sim->motion, diag);
    if (status != STATUS_OK) {
        run_audit_free(audit);
        return status;
    }
    sim->audit = audit;
    *out = audit;
    return STATUS_OK;
}

void run_audit_follow(RunAudit *audit, const RunIntegral *integrals, size_t count, ExprPool *pool)
{
    invariants_follow(&audit->invariants, audit->sim->base->eq, integrals, count, pool);
}

void run_audit_free(RunAudit *audit)
{
    if (!audit)
        return;
    audit->sim->audit = NULL;
    invariants_clear(&audit->invariants);
    array_clear(&audit->kept);
    array_clear(&audit->points);
    base_free(audit->columns);
    base_free(audit->last);
    base_free(audit);
}

// ---- The run as asked.

static void forget_every_second(RunAudit *audit)
{
    size_t width = audit->width, rows = audit->kept.count / width;
    for (size_t i = 1; 2 * i < rows; i++)
        memcpy(audit->kept.at + i * width, audit->kept.at + 2 * i * width, width * sizeof(double));
    audit->kept.count = (rows + 1) / 2 * width;
    audit->stride *= 2;
}

// That force, the rows of the conditions being as large as they are.
static void see_force(RunAudit *audit, const Equations *eq, const State *state)
{
    size_t n = eq->n;
    double momentum = 0, row = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += state->forces.out[i * n + j] * state->v[j];
        momentum = fmax(momentum, fabs(sum));
    }
    for (size_t i = 0; i < eq->m * n; i++)
        row = fmax(row, fabs(state->velocities.out[i]));
    if (row > 0)
        audit->force = fmax(audit->force, momentum / audit->sim->settings.every / row);
}

void audit_row(RunAudit *audit, const Equations *eq, const State *state, const double *row)
{
    size_t width = audit->width;
    invariants_row(&audit->invariants, eq, state);
    see_force(audit, eq, state);
    for (size_t i = 0; i < width; i++) {
        AuditColumn *column = &audit->columns[i];
        column->least = audit->rows ? fmin(column->least, row[i]) : row[i];
        column->most = audit->rows ? fmax(column->most, row[i]) : row[i];
    }
    memcpy(audit->last, row, width * sizeof *row);
    if (audit->rows++ % audit->stride != 0)
        return;
    if (audit->kept.count / width == MOST_KEPT)
        forget_every_second(audit);
    if ((audit->rows - 1) % audit->stride == 0)
        for (size_t i = 0; i < width; i++)
            array_push(&audit->kept, row[i]);
}

// ---- Sizes.

static size_t group_begin(const RunAudit *audit, size_t group)
{
    const Columns *columns = audit->sim->base->columns;
    size_t n = audit->sim->motion->n;
    const size_t begin[] = {1, 1 + n, columns->speeds_at, columns->lambdas_at, audit->width};
    return begin[group];
}

static double size_of(const AuditColumn *column)
{
    return fmax(fabs(column->least), fabs(column->most));
}

// Multipliers count with as much, too, as would stop the largest momentum from a row to the next.
static double least_size(const RunAudit *audit, size_t group)
{
    double most = group == RUN_MULTIPLIERS ? audit->force : 0;
    for (size_t i = group_begin(audit, group); i < group_begin(audit, group + 1); i++)
        most = fmax(most, size_of(&audit->columns[i]));
    return LEAST_PART * most;
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
        double size = fmax(fmax(column->so_far, LEAST_PART * range), least);
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
    for (size_t group = 0; group < RUN_MULTIPLIERS; group++)
        compare_group(audit, group, candidates, other, &apart, &lost);
    double unread = 0;
    compare_group(audit, RUN_MULTIPLIERS, candidates, other, &unread, &unread);
    audit->report.compared = candidates[0];
    if (lost >= NOT_SURE && isnan(audit->report.horizon))
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

// Another method, as far as there is one that is good for this motion.
static RunMethod other_method(RunMethod method, bool stiff)
{
    if (method == RUN_TAYLOR)
        return RUN_ERK;
    return method == RUN_BDF && stiff ? RUN_BDF : RUN_TAYLOR;
}

static RunOptions other_options(const RunAudit *audit, const RunSummary *summary)
{
    RunOptions options = audit->sim->settings;
    options.method = other_method(options.method, summary->stiff);
    options.step = NAN;
    // A series takes little more time for the last digits.
    double wanted = options.method == RUN_TAYLOR ? 0
                    : options.method == RUN_BDF  ? TIGHTER_STIFF * options.tolerance
                                                 : TIGHTER * options.tolerance;
    options.tolerance = fmin(options.tolerance, fmax(wanted, LEAST_ALLOWED));
    return options;
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
    ErrorGrowth growth = error_growth_fit(audit->points.at, audit->points.count);
    report->e_fold = growth.e_fold;
    report->power = growth.power;
    if (isnan(report->horizon))
        report->expected = report->compared + growth.e_fold * log(NOT_SURE / at_end);
}

static void warn(const RunAudit *audit, Diag *diag)
{
    const RunAuditReport *report = &audit->report;
    double tolerance = audit->sim->settings.tolerance;
    if (report->error <= MANY_TOLERANCES * tolerance)
        return;
    size_t worst = 0;
    for (size_t group = 1; group < RUN_MULTIPLIERS; group++)
        if (report->groups[group].difference > report->groups[worst].difference)
            worst = group;
    diag_add(diag, DIAG_WARNING, place_hint(HINT_TOLERANCE),
             "the estimated error of %s, %.1e of its size, is %.1g times the tolerance; a smaller "
             "tolerance or an earlier end leaves more digits",
             report->groups[worst].worst, report->error, report->error / tolerance);
}

Status run_audit_compare(RunAudit *audit, const RunListener *listener, const RunSummary *summary,
                         Diag *diag)
{
    RunOptions options = other_options(audit, summary);
    RunAuditReport *report = &audit->report;
    report->method = options.method;
    report->tolerance = options.tolerance;
    report->horizon = report->expected = report->e_fold = report->power = NAN;
    if (summary->end == RUN_ASKED || audit->rows == 0)
        return STATUS_OK;
    // What it says has been said of the run as asked.
    Diag *own = diag_new();
    Simulation *sim;
    Status status = run_new(audit->sim->motion, &options, own, &sim);
    RunSummary second = {0};
    audit->listener = listener;
    audit->row = 0;
    // Both runs meet an event, but at times that differ in their last digits.
    RunListener listens = {
        .row = compare_row, .progress = pass_progress, .context = audit, .regular = true};
    if (status == STATUS_OK)
        status = run_go(sim, &listens, own, &second);
    run_free(sim);
    diag_free(own);
    if (status == STATUS_FAILED)
        return diag_error(diag, place_none(), "the second run of the audit failed"), status;
    sum_up(audit);
    warn(audit, diag);
    bool all = audit->row >= audit->rows || second.end == RUN_STRANDED;
    return all ? STATUS_OK : STATUS_NEGATIVE;
}

// ---- What was found.

static void worst_check(const Invariants *invariants, InvariantLevel level, const char **name,
                        double *miss)
{
    for (size_t i = 0; i < invariants->check_count; i++) {
        const InvariantCheck *check = &invariants->checks[i];
        double least = check->measure == CHECK_BY_CHANGE ? 1 : LEAST_CHANGE;
        double own = part(check->residual, fmax(check->scale, least * check->change));
        if (check->level != level || (*name && own <= *miss))
            continue;
        *name = check->constraint->name;
        *miss = own;
    }
}

RunAuditReport run_audit_report(const RunAudit *audit)
{
    const Invariants *invariants = &audit->invariants;
    RunAuditReport report = audit->report;
    report.has_energy = invariants->has_energy;
    report.is_total = invariants->is_total;
    report.has_balance = invariants->rate.program != NULL;
    report.is_followed = invariants->follows;
    report.work = invariants->work;
    report.energy = invariants->energy;
    report.energy.name = "energy";
    report.integrals = invariants->integrals;
    report.integral_count = invariants->integral_count;
    worst_check(invariants, LEVEL_POSITION, &report.position, &report.position_miss);
    worst_check(invariants, LEVEL_VELOCITY, &report.velocity, &report.velocity_miss);
    worst_check(invariants, LEVEL_ACCELERATION, &report.acceleration, &report.acceleration_miss);
    return report;
}
