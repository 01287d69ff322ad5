// many.c: instants of many coordinates, island by island.
//
// Coordinates are tied together by the inertia, by equations and by conditions that touch; what
// nothing ties together does not know of each other. Each island is gathered with numbers of its
// own, and answered by instant.c where it is small, by pile.c where it is large; what pile.c cannot
// decide, instant.c can.
#include "gauss/gauss_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Up to so many coordinates an island is small.
#define FEW 24
// Up to so many, where conditions depend on each other, it is still worth to ask instant.c for the
// λ of least norm.
#define MODERATE 160

// A room for islands of one size.
typedef struct {
    GaussInstant *instant;
    size_t most_rows, most_sides;
} Small;

// The rows of an island, with its own numbers of coordinates.
typedef struct {
    ARRAY(uint32_t) first;
    ARRAY(uint32_t) column;
    ARRAY(double) value;
} Rows;

struct GaussMany {
    size_t n;
    Small small[FEW + 1];
    Small large; // of size large_n
    size_t large_n;
    Pile *pile;
    size_t sparse;
    Passes *passes; // made for the largest shock so far
    Islands ties;   // of coordinates
    // Equations and conditions, island after island; where each island's begin.
    uint32_t *row_first, *side_first;
    ARRAY(uint32_t) rows;
    ARRAY(uint32_t) sides;
    // One island's data: sparse, dense, and its answer.
    Rows inertia, conditions;
    ARRAY(double) dense;
    ARRAY(double) numbers;
    ARRAY(bool) acting;
};

GaussMany *gauss_many_new(size_t coordinates)
{
    GaussMany *many = base_alloc(sizeof *many);
    many->n = coordinates;
    many->pile = pile_new();
    islands_init(&many->ties, coordinates);
    many->row_first = base_alloc((coordinates + 2) * sizeof(uint32_t));
    many->side_first = base_alloc((coordinates + 2) * sizeof(uint32_t));
    return many;
}

static void rows_clear(Rows *rows)
{
    array_clear(&rows->first);
    array_clear(&rows->column);
    array_clear(&rows->value);
}

void gauss_many_free(GaussMany *many)
{
    if (!many)
        return;
    for (size_t i = 0; i <= FEW; i++)
        gauss_instant_free(many->small[i].instant);
    gauss_instant_free(many->large.instant);
    pile_free(many->pile);
    passes_free(many->passes);
    islands_clear(&many->ties);
    base_free(many->row_first);
    base_free(many->side_first);
    array_clear(&many->rows);
    array_clear(&many->sides);
    rows_clear(&many->inertia);
    rows_clear(&many->conditions);
    array_clear(&many->dense);
    array_clear(&many->numbers);
    array_clear(&many->acting);
    base_free(many);
}

size_t gauss_many_islands(const GaussMany *many, size_t *sparse)
{
    *sparse = many->sparse;
    return many->ties.islands;
}

// ---- Islands.

// Ties what each row knows to its first coordinate, or to `own` where the rows are coordinates'.
static void tie(GaussMany *many, const SparseRows *rows, bool own)
{
    for (uint32_t i = 0; i < rows->count; i++)
        for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++)
            if (rows->value[at] != 0)
                islands_tie(&many->ties, own ? i : rows->column[rows->first[i]], rows->column[at]);
}

// The island of a row: that of its first coordinate; a row that knows none goes to the first.
static uint32_t island_of(const GaussMany *many, const SparseRows *rows, size_t i)
{
    bool empty = rows->first[i] == rows->first[i + 1];
    return many->ties.of[empty ? 0 : rows->column[rows->first[i]]];
}

// Sorts rows by island, keeping their order.
static void sort_rows(GaussMany *many, const SparseRows *rows, uint32_t *first, uint32_t *sorted)
{
    memset(first, 0, (many->ties.islands + 2) * sizeof *first);
    for (size_t i = 0; i < rows->count; i++)
        first[island_of(many, rows, i) + 2]++;
    for (size_t k = 1; k <= many->ties.islands; k++)
        first[k + 1] += first[k];
    for (uint32_t i = 0; i < rows->count; i++)
        sorted[first[island_of(many, rows, i) + 1]++] = i;
}

static void find_islands(GaussMany *many, const GaussManyProblem *problem)
{
    islands_part(&many->ties, many->n);
    tie(many, &problem->inertia, true);
    tie(many, &problem->rows, false);
    tie(many, &problem->sides, false);
    islands_number(&many->ties);
    array_reserve(&many->rows, problem->rows.count + 1);
    array_reserve(&many->sides, problem->sides.count + 1);
    sort_rows(many, &problem->rows, many->row_first, many->rows.at);
    sort_rows(many, &problem->sides, many->side_first, many->sides.at);
}

// ---- One island.

typedef struct {
    size_t n, equations, sides;
    const uint32_t *coordinates, *rows, *which; // in the numbers of the whole
    PileProblem problem;
    PileAnswer answer;
    double *force, *drift;
} Island;

static void rows_begin(Rows *rows)
{
    rows->first.count = rows->column.count = rows->value.count = 0;
    array_push(&rows->first, 0);
}

static void rows_take(const GaussMany *many, Rows *rows, const SparseRows *from, size_t i)
{
    for (uint32_t at = from->first[i]; at < from->first[i + 1]; at++) {
        if (from->value[at] == 0)
            continue;
        array_push(&rows->column, many->ties.place[from->column[at]]);
        array_push(&rows->value, from->value[at]);
    }
    array_push(&rows->first, (uint32_t)rows->column.count);
}

static SparseRows rows_of(const Rows *rows)
{
    return (SparseRows){.count = rows->first.count - 1,
                        .first = rows->first.at,
                        .column = rows->column.at,
                        .value = rows->value.at};
}

static Island gather(GaussMany *many, const GaussManyProblem *problem,
                     const GaussInstantAnswer *answer, size_t k)
{
    const uint32_t *first = many->ties.first + k;
    Island island = {.n = first[1] - first[0],
                     .equations = many->row_first[k + 1] - many->row_first[k],
                     .sides = many->side_first[k + 1] - many->side_first[k],
                     .coordinates = many->ties.members + first[0],
                     .rows = many->rows.at + many->row_first[k],
                     .which = many->sides.at + many->side_first[k]};
    size_t n = island.n, count = island.equations + island.sides;
    array_reserve(&many->numbers, 2 * n + 4 * count + 1);
    array_reserve(&many->acting, count + 1);
    double *at = many->numbers.at;
    island.force = at;
    island.drift = at + n;
    island.answer = (PileAnswer){.accelerations = at + n + count,
                                 .lambda = at + 2 * n + count,
                                 .phi0 = at + 2 * n + 2 * count,
                                 .rates = at + 2 * n + 3 * count,
                                 .acting = many->acting.at,
                                 .unique = true};
    rows_begin(&many->inertia);
    rows_begin(&many->conditions);
    for (size_t i = 0; i < n; i++) {
        rows_take(many, &many->inertia, &problem->inertia, island.coordinates[i]);
        island.force[i] = problem->force[island.coordinates[i]];
    }
    for (size_t i = 0; i < island.equations; i++) {
        rows_take(many, &many->conditions, &problem->rows, island.rows[i]);
        island.drift[i] = problem->drift[island.rows[i]];
        island.answer.acting[i] = true;
    }
    for (size_t i = 0; i < island.sides; i++) {
        rows_take(many, &many->conditions, &problem->sides, island.which[i]);
        island.drift[island.equations + i] = problem->side_drift[island.which[i]];
        island.answer.acting[island.equations + i] = answer->acting[island.which[i]];
    }
    island.problem = (PileProblem){.n = n,
                                   .count = count,
                                   .equations = island.equations,
                                   .inertia = rows_of(&many->inertia),
                                   .rows = rows_of(&many->conditions),
                                   .force = island.force,
                                   .drift = island.drift,
                                   .rough = problem->any_lambda};
    return island;
}

// ---- By instant.c.

static GaussInstant *room_for(GaussMany *many, const Island *island)
{
    size_t n = island->n;
    Small *small = n <= FEW ? &many->small[n] : &many->large;
    bool fits = small->instant && island->equations <= small->most_rows &&
                island->sides <= small->most_sides && (n <= FEW || n == many->large_n);
    if (!fits) {
        gauss_instant_free(small->instant);
        small->most_rows = n <= FEW ? 2 * island->equations + 2 : island->equations;
        small->most_sides = n <= FEW ? 2 * island->sides + 4 : island->sides;
        small->instant = gauss_instant_new(n, small->most_rows, small->most_sides);
        many->large_n = n <= FEW ? many->large_n : n;
    }
    return small->instant;
}

static void scatter(const SparseRows *rows, size_t from, size_t count, size_t n, double *dense)
{
    memset(dense, 0, count * n * sizeof *dense);
    for (size_t i = 0; i < count; i++)
        for (uint32_t at = rows->first[from + i]; at < rows->first[from + i + 1]; at++)
            dense[i * n + rows->column[at]] = rows->value[at];
}

static GaussSidesReport solve_dense(GaussMany *many, Island *island)
{
    size_t n = island->n, m = island->equations, s = island->sides;
    array_reserve(&many->dense, (n + m + s) * n + 1);
    double *inertia = many->dense.at, *rows = inertia + n * n, *sides = rows + m * n;
    scatter(&island->problem.inertia, 0, n, n, inertia);
    scatter(&island->problem.rows, 0, m, n, rows);
    scatter(&island->problem.rows, m, s, n, sides);
    GaussInstantProblem problem = {.equal = {inertia, island->force, rows, island->drift, m},
                                   .sides = sides,
                                   .side_drift = island->drift + m,
                                   .side_count = s};
    PileAnswer *own = &island->answer;
    GaussInstantAnswer answer = {.accelerations = own->accelerations,
                                 .multipliers = own->lambda,
                                 .lambda = own->lambda + m,
                                 .phi0 = own->phi0 + m,
                                 .rates = own->rates + m,
                                 .acting = own->acting + m};
    GaussSidesReport report = gauss_instant_solve(room_for(many, island), &problem, &answer);
    for (size_t i = 0; i < m; i++)
        own->lambda[i] = -own->lambda[i];
    return report;
}

// ---- The whole.

static bool is_finite(const Island *island)
{
    const PileProblem *problem = &island->problem;
    double sum = 0;
    for (size_t i = 0; i < problem->n; i++)
        sum += problem->force[i] * 0;
    for (size_t i = 0; i < problem->inertia.first[problem->n]; i++)
        sum += problem->inertia.value[i] * 0;
    for (size_t l = 0; l < problem->count; l++)
        sum += problem->drift[l] * 0;
    for (size_t i = 0; i < problem->rows.first[problem->count]; i++)
        sum += problem->rows.value[i] * 0;
    return sum == 0;
}

static GaussSidesReport solve_island(GaussMany *many, Island *island, bool any_lambda)
{
    GaussSidesReport report = {.outcome = SOLVE_DONE, .unique = true};
    const PileProblem *problem = &island->problem;
    // A coordinate by itself.
    if (island->n == 1 && problem->count == 0 && problem->inertia.first[1] == 1 &&
        problem->inertia.value[0] > 0 && isfinite(problem->force[0])) {
        island->answer.accelerations[0] = problem->force[0] / problem->inertia.value[0];
        return report;
    }
    bool sparse = island->n > FEW && is_finite(island) &&
                  pile_solve(many->pile, problem, &island->answer) &&
                  (island->answer.unique || any_lambda || island->n > MODERATE);
    if (!sparse)
        return solve_dense(many, island);
    many->sparse++;
    report.unique = island->answer.unique;
    report.rank = island->equations;
    for (size_t l = island->equations; l < problem->count; l++) {
        report.acting += island->answer.acting[l];
        report.constraint += island->answer.lambda[l] * island->answer.phi0[l] / 2;
    }
    return report;
}

static void put(double *to, size_t at, double value)
{
    if (to)
        to[at] = value;
}

static void keep_answer(const Island *island, const GaussInstantAnswer *answer)
{
    const PileAnswer *own = &island->answer;
    size_t m = island->equations;
    for (size_t i = 0; i < island->n; i++)
        put(answer->accelerations, island->coordinates[i], own->accelerations[i]);
    for (size_t i = 0; i < m; i++)
        put(answer->multipliers, island->rows[i], -own->lambda[i]);
    for (size_t i = 0; i < island->sides; i++) {
        put(answer->lambda, island->which[i], own->lambda[m + i]);
        put(answer->phi0, island->which[i], own->phi0[m + i]);
        put(answer->rates, island->which[i], own->rates[m + i]);
        answer->acting[island->which[i]] = own->acting[m + i];
    }
}

// An island without an answer: its report, and its witness, in the numbers of the whole.
static GaussSidesReport keep_failure(const Island *island, GaussSidesReport report, size_t sides,
                                     const GaussInstantAnswer *answer)
{
    for (size_t i = 0; i < sides; i++)
        put(answer->lambda, i, 0);
    if (report.outcome == SOLVE_CONTRADICTION) {
        for (size_t i = 0; i < island->sides && !report.row_is_equal; i++)
            put(answer->lambda, island->which[i], island->answer.lambda[island->equations + i]);
        report.row = report.row_is_equal ? island->rows[report.row] : island->which[report.row];
    }
    return report;
}

GaussSidesReport gauss_many_solve(GaussMany *many, const GaussManyProblem *problem,
                                  const GaussInstantAnswer *answer)
{
    assert(problem->inertia.count == many->n);
    GaussSidesReport whole = {.outcome = SOLVE_DONE, .unique = true};
    many->sparse = 0;
    if (problem->directions.first)
        return directed_sides(problem, answer);
    find_islands(many, problem);
    for (size_t k = 0; k < many->ties.islands; k++) {
        Island island = gather(many, problem, answer, k);
        GaussSidesReport report = solve_island(many, &island, problem->any_lambda);
        if (report.outcome != SOLVE_DONE)
            return keep_failure(&island, report, problem->sides.count, answer);
        keep_answer(&island, answer);
        whole.acting += report.acting;
        whole.unique = whole.unique && report.unique;
        whole.constraint += report.constraint;
        whole.rank += report.rank;
    }
    return whole;
}

// ---- Shocks.

typedef struct {
    GaussMany *many;
    GaussManyProblem system;
} Pass;

static GaussSidesReport solve_pass(void *context, const double *force, const double *side_drift,
                                   size_t side_count, const GaussInstantAnswer *answer)
{
    const Pass *pass = context;
    GaussManyProblem problem = pass->system;
    problem.force = force;
    problem.side_drift = side_drift;
    problem.sides.count = side_count;
    return gauss_many_solve(pass->many, &problem, answer);
}

GaussShockReport gauss_many_shock(GaussMany *many, const GaussManyShockProblem *problem,
                                  const GaussShockAnswer *answer)
{
    const GaussManyProblem *system = &problem->system;
    Pass pass = {many, *system};
    Struck struck = {.inertia = {.some = system->inertia},
                     .sides = {.some = system->sides},
                     .velocities = problem->velocities,
                     .impulse = problem->impulse,
                     .row_drift = system->drift,
                     .side_drift = system->side_drift,
                     .restitution = problem->restitution,
                     .row_count = system->rows.count,
                     .side_count = system->sides.count,
                     .solve = solve_pass,
                     .context = &pass};
    if (!passes_fit(many->passes, &struck)) {
        passes_free(many->passes);
        many->passes = passes_new(many->n, 2 * struck.row_count, 2 * struck.side_count);
    }
    return passes_go(many->passes, &struck, answer);
}
