// rates_decisions.c: what numbers have decided while rates were derived.
//
// A derivation works on symbols. Numbers decide three things in it: which entries of a matrix are
// pivots, whether a pivot of the elimination on the definitions is one (and which number a mean of
// inertias is there), and whether formulas for u' lose too many digits. Each is kept with the
// program of its numbers.
#include "dynamics/rates_decisions.h"
#include "dynamics/elimination.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "program/program.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef enum { DECIDES_PIVOTS, DECIDES_SIZES, DECIDES_QUOTIENTS, DECIDES_MEAN } DecisionKind;

typedef struct {
    DecisionKind kind;
    Program *program;
    double part; // of sizes and quotients; a mean
    // Of pivots:
    size_t count, n; // of the matrix
    bool scaled;     // its columns
    size_t steps;    // made
    double *costs;   // of every step: count × n
    size_t *choices; // of every step: row · n + column
} Decision;

struct RatesDecisions {
    Arena *arena;
    ARRAY(Decision) at;
    bool refused;
};

RatesDecisions *decisions_new(void)
{
    RatesDecisions *decisions = base_alloc(sizeof *decisions);
    decisions->arena = arena_new();
    return decisions;
}

void decisions_free(RatesDecisions *decisions)
{
    if (!decisions)
        return;
    for (size_t i = 0; i < decisions->at.count; i++)
        program_free(decisions->at.at[i].program);
    array_clear(&decisions->at);
    arena_free(decisions->arena);
    base_free(decisions);
}

void decisions_refuse(RatesDecisions *decisions)
{
    decisions->refused = true;
}

// ---- Pivots.

static double largest_in_row(const PivotSearch *search, size_t row)
{
    size_t n = search->n;
    double largest = 0;
    for (size_t j = 0; j < n; j++)
        if (!search->column_done[j])
            largest = fmax(largest, fabs(search->values[row * n + j]));
    return largest;
}

// Of one row: the entry of an eighth of the largest at least that costs least; of equals the
// largest. What it costs.
static double choose_in_row(const PivotSearch *search, size_t row, size_t *column)
{
    size_t n = search->n;
    const double *values = search->values + row * n, *costs = search->costs + row * n;
    double largest = largest_in_row(search, row), least = INFINITY, most = 0;
    for (size_t j = 0; j < n; j++) {
        double part = fabs(values[j]) / largest;
        bool taken = !search->column_done[j] && isfinite(costs[j]) && 8 * part >= 1;
        if (taken && (costs[j] < least || (costs[j] == least && part > most))) {
            least = costs[j];
            most = part;
            *column = j;
        }
    }
    return least;
}

bool pivots_choose(const PivotSearch *search, size_t *row, size_t *column)
{
    double least = INFINITY;
    for (size_t i = 0; i < search->count; i++) {
        size_t here = 0;
        double cost = search->row_done[i] ? INFINITY : choose_in_row(search, i, &here);
        if (cost < least) {
            least = cost;
            *row = i;
            *column = here;
        }
    }
    return isfinite(least);
}

void pivots_eliminate(const PivotSearch *search, size_t row, size_t column)
{
    size_t n = search->n;
    const double *from = search->values + row * n, *costs = search->costs;
    for (size_t i = 0; i < search->count; i++) {
        if (search->row_done[i] || isinf(costs[i * n + column]))
            continue;
        double number = search->values[i * n + column] / from[column];
        for (size_t j = 0; j < n; j++)
            if (!search->column_done[j] && !isinf(costs[row * n + j]))
                search->values[i * n + j] -= number * from[j];
    }
}

void decisions_begin_pivots(RatesDecisions *decisions, Program *matrix, size_t count, size_t n,
                            bool scaled)
{
    assert(matrix && count <= n);
    Decision decision = {
        .kind = DECIDES_PIVOTS, .program = matrix, .count = count, .n = n, .scaled = scaled};
    // The steps of a large search would fill the memory.
    if (n > SIZE_SMALL)
        decisions->refused = true;
    else {
        decision.costs = real_alloc(decisions->arena, count * count * n);
        decision.choices = arena_array(decisions->arena, size_t, count);
    }
    array_push(&decisions->at, decision);
}

void decisions_add_pivot(RatesDecisions *decisions, const PivotSearch *search, size_t row,
                         size_t column)
{
    Decision *decision = &decisions->at.at[decisions->at.count - 1];
    size_t entries = search->count * search->n;
    assert(decision->count == search->count && decision->n == search->n);
    if (!decision->costs)
        return;
    memcpy(decision->costs + decision->steps * entries, search->costs, entries * sizeof(double));
    decision->choices[decision->steps++] = row * search->n + column;
}

static bool same_pivots(const Decision *decision, const double *scale, double *values)
{
    size_t count = decision->count, n = decision->n;
    Arena *arena = arena_new();
    PivotSearch search = {.count = count,
                          .n = n,
                          .row_done = arena_array(arena, bool, count),
                          .column_done = arena_array(arena, bool, n),
                          .values = values};
    for (size_t i = 0; i < count * n && decision->scaled; i++)
        values[i] *= scale[i % n];
    bool same = decision->steps == count;
    for (size_t s = 0; s < count && same; s++) {
        size_t row = 0, column = 0;
        search.costs = decision->costs + s * count * n;
        same = pivots_choose(&search, &row, &column) && decision->choices[s] == row * n + column;
        search.row_done[row] = search.column_done[column] = true;
        pivots_eliminate(&search, row, column);
    }
    arena_free(arena);
    return same;
}

// ---- Sizes.

void decisions_add_sizes(RatesDecisions *decisions, Program *pairs, double part)
{
    assert(pairs && part > 0 && program_outputs(pairs) % 2 == 0);
    array_push(&decisions->at, ((Decision){.kind = DECIDES_SIZES, .program = pairs, .part = part}));
}

void decisions_add_quotients(RatesDecisions *decisions, Program *pairs, double part)
{
    decisions_add_sizes(decisions, pairs, part);
    decisions->at.at[decisions->at.count - 1].kind = DECIDES_QUOTIENTS;
}

static bool same_sizes(const Decision *decision, const double *values)
{
    bool same = true;
    for (size_t i = 0; i < program_outputs(decision->program) && same; i += 2)
        same = decision->kind == DECIDES_SIZES
                   ? fabs(values[i]) > decision->part * fabs(values[i + 1])
                   : values[i] / values[i + 1] > decision->part;
    return same;
}

// ---- A mean.

void decisions_add_mean(RatesDecisions *decisions, Program *moments, double mean)
{
    assert(moments);
    array_push(&decisions->at,
               ((Decision){.kind = DECIDES_MEAN, .program = moments, .part = mean}));
}

static bool same_mean(const Decision *decision, const double *values)
{
    return elimination_mean(values, program_outputs(decision->program)) == decision->part;
}

// ---- Asking again.

static bool stands(const Decision *decision, const double *parameters, const double *scale,
                   const double *inputs)
{
    Program *program = decision->program;
    size_t outputs = program_outputs(program);
    double *values = base_alloc((outputs + program_registers(program) + 1) * sizeof *values);
    program_set_parameters(program, parameters);
    program_run_real(program, inputs, values, values + outputs);
    bool same = decision->kind == DECIDES_PIVOTS ? same_pivots(decision, scale, values)
                : decision->kind == DECIDES_MEAN ? same_mean(decision, values)
                                                 : same_sizes(decision, values);
    base_free(values);
    return same;
}

bool decisions_stand(const RatesDecisions *decisions, const double *parameters, const double *scale,
                     const double *inputs)
{
    for (size_t i = 0; i < decisions->at.count && !decisions->refused; i++)
        if (!stands(&decisions->at.at[i], parameters, scale, inputs))
            return false;
    return !decisions->refused;
}
