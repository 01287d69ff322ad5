// pattern.c: which entries of a matrix of expressions are filled, so that nobody looks at the
// others. What vanishes at one state only is filled, too: places do not change on the way.
#include "dynamics/pattern.h"
#include "expr/expr.h"

#include <assert.h>
#include <string.h>

void pattern_of_outputs(Pattern *filled, Arena *arena, const SparseOutputs *outputs, size_t from,
                        size_t rows, size_t columns)
{
    assert(columns < UINT32_MAX);
    const Expr *exprs;
    size_t count = outputs_between(outputs, from, from + rows * columns, &exprs);
    const size_t *places = outputs->places.at + (exprs - outputs->filled.at);
    assert(count < UINT32_MAX);
    *filled = (Pattern){.rows = rows};
    filled->begins = arena_alloc(arena, (rows + 1) * sizeof *filled->begins);
    filled->places = arena_alloc(arena, (count + 1) * sizeof *filled->places);
    size_t l = 0;
    for (size_t i = 0; i < rows; i++) {
        for (; l < count && places[l] < from + (i + 1) * columns; l++)
            filled->places[l] = (uint32_t)(places[l] - from - i * columns);
        filled->begins[i + 1] = (uint32_t)l;
    }
}

void pattern_init(Pattern *filled, Arena *arena, const ExprPool *pool, const Expr *matrix,
                  size_t rows, size_t columns)
{
    SparseOutputs outputs = {0};
    outputs_push(&outputs, pool, matrix, rows * columns);
    pattern_of_outputs(filled, arena, &outputs, 0, rows, columns);
    outputs_clear(&outputs);
}

size_t pattern_count(const Pattern *filled)
{
    return filled->begins[filled->rows];
}

void pattern_transpose(const Pattern *filled, Arena *arena, size_t rows, size_t columns,
                       Pattern *turned)
{
    assert(rows <= filled->rows);
    size_t count = filled->begins[rows];
    *turned = (Pattern){.rows = columns};
    turned->begins = arena_alloc(arena, (columns + 2) * sizeof *turned->begins);
    turned->places = arena_alloc(arena, (count + 1) * sizeof *turned->places);
    // First how many there are before each column, one place on; then each moves its own end.
    for (size_t l = 0; l < count; l++)
        turned->begins[filled->places[l] + 2]++;
    for (size_t j = 2; j <= columns; j++)
        turned->begins[j] += turned->begins[j - 1];
    for (size_t i = 0; i < rows; i++)
        for (size_t l = filled->begins[i]; l < filled->begins[i + 1]; l++)
            turned->places[turned->begins[filled->places[l] + 1]++] = (uint32_t)i;
}

// ---- What sums and matrices are made of.

// A factor before a sum, as in −(x − 2), belongs to its terms.
size_t equations_terms(ExprPool *pool, Expr sum, Expr *terms)
{
    assert(!expr_is_none(sum));
    fmpq_t number;
    fmpq_init(number);
    Expr rest = expr_strip(pool, sum, number), factor = expr_number(pool, number);
    fmpq_clear(number);
    if (expr_op(pool, rest) != EXPR_SUM) {
        if (terms)
            terms[0] = sum;
        return 1;
    }
    size_t count = expr_arg_count(pool, rest);
    for (size_t i = 0; terms && i < count; i++) {
        Expr weight = expr_number(pool, expr_arg_weight(pool, rest, i));
        terms[i] = expr_mul(pool, expr_mul(pool, factor, weight), expr_arg(pool, rest, i));
    }
    if (terms)
        terms[count] = expr_mul(pool, factor, expr_number(pool, expr_value(pool, rest)));
    return count + 1;
}

// Which expressions are among some symbols.
typedef struct {
    bool *marked; // up to the last of them
    size_t count;
} SymbolMarks;

static SymbolMarks mark_symbols(const Expr *symbols, size_t count)
{
    SymbolMarks marks = {0};
    for (size_t i = 0; i < count; i++)
        if (symbols[i].at >= marks.count)
            marks.count = symbols[i].at + 1;
    marks.marked = base_alloc(marks.count + 1);
    for (size_t i = 0; i < count; i++)
        marks.marked[symbols[i].at] = true;
    return marks;
}

static bool is_marked(const SymbolMarks *marks, uint32_t e)
{
    return e < marks->count && marks->marked[e];
}

size_t equations_count_held(const ExprPool *pool, const Expr *exprs, size_t count,
                            const Expr *symbols)
{
    SymbolMarks marks = mark_symbols(symbols, count);
    size_t held = 0, looks = 0, most = 8 * expr_pool_size(pool);
    for (size_t i = 0; i < count && looks <= most; i++) {
        ExprList nodes = expr_nodes(pool, &exprs[i], 1);
        looks += nodes.count;
        for (size_t j = 0; j < nodes.count; j++)
            held += is_marked(&marks, nodes.at[j]);
        expr_list_free(&nodes);
    }
    base_free(marks.marked);
    return looks <= most ? held : SIZE_MAX;
}

bool equations_hold_any(const ExprPool *pool, const Expr *exprs, size_t count, const Expr *symbols,
                        size_t symbol_count)
{
    SymbolMarks marks = mark_symbols(symbols, symbol_count);
    bool found = false;
    ExprList held = expr_symbols(pool, exprs, count);
    for (size_t i = 0; i < held.count && !found; i++)
        found = is_marked(&marks, held.at[i]);
    expr_list_free(&held);
    base_free(marks.marked);
    return found;
}
