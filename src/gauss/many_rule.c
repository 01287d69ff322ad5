// many_rule.c: Ostrogradsky's rule, which Mayer refutes, where every row knows few coordinates.
#include "gauss/gauss_impl.h"

#include <math.h>
#include <string.h>

// As in instant.c.
#define SAME   1e-9
#define BREAKS 4e-14

typedef struct {
    ARRAY(uint32_t) first;
    ARRAY(uint32_t) column;
    ARRAY(double) value;
    ARRAY(double) drift;
} Rows;

static void add_row(Rows *rows, const SparseRows *from, size_t i, double drift)
{
    for (uint32_t at = from->first[i]; at < from->first[i + 1]; at++) {
        array_push(&rows->column, from->column[at]);
        array_push(&rows->value, from->value[at]);
    }
    array_push(&rows->first, (uint32_t)rows->column.count);
    array_push(&rows->drift, drift);
}

static void rows_clear(Rows *rows)
{
    array_clear(&rows->first);
    array_clear(&rows->column);
    array_clear(&rows->value);
    array_clear(&rows->drift);
}

// drift + row·a; *size is that of its terms.
static double rate_of(const SparseRows *rows, size_t i, double drift, const double *a, double *size)
{
    double sum = drift;
    *size = fabs(drift);
    for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++) {
        double term = rows->value[at] * a[rows->column[at]];
        sum += term;
        *size += fabs(term);
    }
    return sum;
}

// |a − other| in the metric of the masses; other may be NULL.
static double distance(const SparseRows *inertia, const double *a, const double *other)
{
    double sum = 0;
    for (size_t i = 0; i < inertia->count; i++)
        for (uint32_t at = inertia->first[i]; at < inertia->first[i + 1]; at++) {
            size_t j = inertia->column[at];
            sum += inertia->value[at] * (a[i] - (other ? other[i] : 0)) *
                   (a[j] - (other ? other[j] : 0));
        }
    return sqrt(real_max(sum, 0));
}

// The motion that only the equations restrict.
static GaussSidesReport move_freely(GaussMany *many, const GaussManyProblem *problem, double *free)
{
    static const uint32_t none[1] = {0};
    bool nobody[1] = {false};
    GaussManyProblem equal = *problem;
    equal.sides = (SparseRows){.first = none};
    GaussInstantAnswer answer = {.accelerations = free, .acting = nobody};
    return gauss_many_solve(many, &equal, &answer);
}

// Who acts by the rule; their rows follow those of the equations.
static void choose(const GaussManyProblem *problem, const double *free,
                   const GaussInstantAnswer *answer, Rows *rows, Rows *directions)
{
    array_push(&rows->first, 0);
    array_push(&directions->first, 0);
    for (size_t i = 0; i < problem->rows.count; i++) {
        add_row(rows, &problem->rows, i, problem->drift[i]);
        if (problem->directions.first)
            add_row(directions, &problem->directions, i, 0);
    }
    for (size_t l = 0; l < problem->sides.count; l++) {
        double size, phi0 = rate_of(&problem->sides, l, problem->side_drift[l], free, &size);
        answer->acting[l] = phi0 > BREAKS * size;
        if (answer->phi0)
            answer->phi0[l] = phi0;
        if (answer->acting[l]) {
            add_row(rows, &problem->sides, l, problem->side_drift[l]);
            add_row(directions, &problem->sides, l, 0);
        }
    }
}

static SparseRows rows_of(const Rows *rows)
{
    return (SparseRows){rows->first.count - 1, rows->first.at, rows->column.at, rows->value.at};
}

// λ and f'' of the conditions, from the accelerations and multipliers that were found.
static void keep_answer(const GaussManyProblem *problem, const double *a, const double *multipliers,
                        const GaussInstantAnswer *answer)
{
    size_t at = problem->rows.count;
    for (size_t l = 0; l < problem->sides.count; l++) {
        double size, rate = rate_of(&problem->sides, l, problem->side_drift[l], a, &size);
        bool acts = answer->acting[l];
        double push = acts ? -multipliers[at++] : 0;
        if (answer->lambda)
            answer->lambda[l] = push;
        if (answer->rates)
            answer->rates[l] = acts ? 0 : rate;
    }
    if (answer->accelerations)
        memcpy(answer->accelerations, a, problem->inertia.count * sizeof *a);
    if (answer->multipliers)
        memcpy(answer->multipliers, multipliers, problem->rows.count * sizeof *multipliers);
}

GaussSidesReport gauss_many_ostrogradsky(GaussMany *many, const GaussManyProblem *problem,
                                         const double *actual, const GaussInstantAnswer *answer,
                                         bool *differs)
{
    size_t n = problem->inertia.count, most = problem->rows.count + problem->sides.count;
    double *room = base_alloc((2 * n + most + 1) * sizeof *room);
    double *free = room, *a = room + n, *multipliers = room + 2 * n;
    Rows rows = {0}, directions = {0};
    *differs = true;
    GaussSidesReport report = move_freely(many, problem, free);
    if (report.outcome == SOLVE_DONE) {
        bool nobody[1] = {false};
        choose(problem, free, answer, &rows, &directions);
        GaussManyProblem rule = *problem;
        rule.rows = rows_of(&rows);
        if (problem->directions.first)
            rule.directions = rows_of(&directions);
        rule.drift = rows.drift.at;
        rule.sides.count = 0;
        GaussInstantAnswer found = {
            .accelerations = a, .multipliers = multipliers, .acting = nobody};
        report = gauss_many_solve(many, &rule, &found);
        report.acting = rule.rows.count - problem->rows.count;
        report.unique = report.rank == rule.rows.count;
    }
    if (report.outcome == SOLVE_DONE) {
        double scale =
            distance(&problem->inertia, a, NULL) + distance(&problem->inertia, free, NULL);
        *differs = distance(&problem->inertia, a, actual) > SAME * scale;
        keep_answer(problem, a, multipliers, answer);
    }
    rows_clear(&rows);
    rows_clear(&directions);
    base_free(room);
    return report;
}
