// tables.c: functions given by numbers: tables, and noise.
//
// The spline is the one of de Boor (A Practical Guide to Splines, 1978, chapter IV) with the
// "not-a-knot" condition: the third derivative is continuous at the second knot and at the last but
// one. Its slopes at the knots solve a tridiagonal system.
#include "expr/tables.h"

#include "base/counter_random.h"
#include "expr/expr_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- Splines.

static double rise(const ExprTable *table, size_t piece)
{
    return (table->values[piece + 1] - table->values[piece]) /
           (table->numbers.knots[piece + 1] - table->numbers.knots[piece]);
}

static double width(const ExprTable *table, size_t piece)
{
    return table->numbers.knots[piece + 1] - table->numbers.knots[piece];
}

// The parabola through three points.
static void parabola(const ExprTable *table, double *slopes)
{
    double h = width(table, 0), k = width(table, 1), a = rise(table, 0), b = rise(table, 1);
    double bend = (b - a) / (h + k);
    slopes[0] = a - bend * h;
    slopes[1] = a + bend * h;
    slopes[2] = b + bend * k;
}

// Row i: below·s_{i−1} + middle·s_i + above·s_{i+1} = right.
typedef struct {
    double below, middle, above, right;
} SplineRow;

static SplineRow spline_row(const ExprTable *table, size_t i)
{
    size_t last = table->numbers.count - 1;
    if (i == 0 || i == last) {
        size_t outer = i == 0 ? 0 : last - 1, inner = i == 0 ? 1 : last - 2;
        double h = width(table, outer), k = width(table, inner), both = h + k;
        double right =
            ((h + 2 * both) * k * rise(table, outer) + h * h * rise(table, inner)) / both;
        return (SplineRow){i == 0 ? 0 : both, k, i == 0 ? both : 0, right};
    }
    double h = width(table, i - 1), k = width(table, i);
    return (SplineRow){k, 2 * (h + k), h, 3 * (k * rise(table, i - 1) + h * rise(table, i))};
}

static void spline_slopes(const ExprTable *table, double *slopes)
{
    size_t count = table->numbers.count;
    double *above = base_alloc(count * sizeof *above);
    for (size_t i = 0; i < count; i++) {
        SplineRow row = spline_row(table, i);
        double middle = row.middle - (i > 0 ? row.below * above[i - 1] : 0);
        above[i] = row.above / middle;
        slopes[i] = (row.right - (i > 0 ? row.below * slopes[i - 1] : 0)) / middle;
    }
    for (size_t i = count - 1; i-- > 0;)
        slopes[i] -= above[i] * slopes[i + 1];
    base_free(above);
}

static void fit_cubics(const ExprTable *table, double *const *coefficients)
{
    size_t count = table->numbers.count;
    double *slopes = base_alloc(count * sizeof *slopes);
    if (count == 2)
        slopes[0] = slopes[1] = rise(table, 0);
    else if (count == 3)
        parabola(table, slopes);
    else
        spline_slopes(table, slopes);
    for (size_t i = 0; i + 1 < count; i++) {
        double h = width(table, i), mean = rise(table, i), a = slopes[i], b = slopes[i + 1];
        coefficients[1][i] = a;
        coefficients[2][i] = (3 * mean - 2 * a - b) / h;
        coefficients[3][i] = (a + b - 2 * mean) / (h * h);
    }
    base_free(slopes);
}

// ---- Making.

int expr_table_degree(const ExprTable *table)
{
    return table->numbers.kind == TABLE_LINEAR  ? 1
           : table->numbers.kind == TABLE_CUBIC ? TABLE_MOST_DEGREE
                                                : 0;
}

static bool is_noise(const ExprTable *table)
{
    return table_is_noise(&table->numbers);
}

static bool has_same_pieces(const ExprTable *a, const ExprTable *b)
{
    if (is_noise(a) || is_noise(b)) // their steps are given later
        return false;
    return a->numbers.beyond == b->numbers.beyond && a->numbers.count == b->numbers.count &&
           memcmp(a->numbers.knots, b->numbers.knots,
                  a->numbers.count * sizeof *a->numbers.knots) == 0;
}

static const double *copied(ExprPool *pool, const double *from, size_t count)
{
    return memcpy(arena_alloc(pool->arena, (count + 1) * sizeof *from), from, count * sizeof *from);
}

static void fill(ExprPool *pool, ExprTable *table)
{
    size_t count = table->numbers.count;
    double *rows[TABLE_MOST_DEGREE + 1] = {NULL};
    table->numbers.knots = copied(pool, table->numbers.knots, count);
    table->values = copied(pool, table->values, count);
    table->numbers.coefficients[0] = table->values;
    for (int j = 1; j <= expr_table_degree(table); j++)
        table->numbers.coefficients[j] = rows[j] =
            arena_alloc(pool->arena, count * sizeof *rows[j]);
    if (table->numbers.kind == TABLE_CUBIC)
        fit_cubics(table, rows);
    for (size_t i = 0; table->numbers.kind == TABLE_LINEAR && i + 1 < count; i++)
        rows[1][i] = rise(table, i);
}

const ExprTable *expr_table_new(ExprPool *pool, const ExprTable *given)
{
    assert(is_noise(given) || given->numbers.count >= 2);
    ExprTable *table = arena_alloc(pool->arena, sizeof *table);
    *table = *given;
    if (!is_noise(table))
        fill(pool, table);
    table->number = table->pieces = pool->tables.all.count;
    for (size_t i = 0; i < table->number && table->pieces == table->number; i++)
        if (has_same_pieces(pool->tables.all.at[i], table))
            table->pieces = i;
    array_push(&pool->tables.all, table);
    return table;
}

void expr_table_bind(ExprPool *pool, const char *name, const ExprTable *table)
{
    open_bind(pool, name, table);
}

const ExprTable *expr_table_of(const ExprPool *pool, Expr e)
{
    return expr_op(pool, e) == EXPR_OPEN ? expr_open_of(pool, e)->table : NULL;
}

const ExprTables *expr_tables(const ExprPool *pool)
{
    return &pool->tables;
}

size_t expr_table_count(const ExprTables *tables)
{
    return tables->all.count;
}

const ExprTable *expr_table_at(const ExprTables *tables, size_t number)
{
    assert(number < tables->all.count);
    return tables->all.at[number];
}

// ---- Pieces.

double expr_table_piece(const ExprTable *table, double u)
{
    return table_piece_of(&table->numbers, u);
}

double expr_table_column(const ExprTable *table, double piece, int column)
{
    const TableNumbers *numbers = &table->numbers;
    if (!is_noise(table) || column > 0 || isnan(piece))
        return table_column_of(numbers, piece, column);
    uint64_t count = (uint64_t)(int64_t)piece;
    return numbers->kind == TABLE_NORMAL ? counter_normal(numbers->seed, 0, count)
                                         : counter_uniform(numbers->seed, 0, count);
}

static bool is_outside(const ExprTable *table, double piece)
{
    return table->numbers.beyond != TABLE_REPEATS && !is_noise(table) &&
           (piece < 0 || piece > (double)table->numbers.count - 1);
}

double expr_table_start(const ExprTable *table, double piece)
{
    return is_outside(table, piece) ? -INFINITY : expr_table_column(table, piece, TABLE_START);
}

double expr_table_end(const ExprTable *table, double piece)
{
    return is_outside(table, piece + 1) ? INFINITY
                                        : expr_table_column(table, piece + 1, TABLE_START);
}

int expr_table_continuity(const ExprTable *table, double piece, double u)
{
    const TableNumbers *numbers = &table->numbers;
    double pieces = (double)numbers->count - 1;
    bool end = fabs(u - expr_table_end(table, piece)) < fabs(u - expr_table_start(table, piece));
    double knot = end ? piece + 1 : piece;
    if (is_noise(table) || numbers->kind == TABLE_PREVIOUS)
        return -1;
    // A table that repeats itself begins anew with another slope, or with another value.
    if (numbers->beyond == TABLE_REPEATS && fmod(knot, pieces) == 0)
        return table->values[0] == table->values[numbers->count - 1] ? 0 : -1;
    bool outer = numbers->beyond != TABLE_REPEATS && (knot <= 0 || knot >= pieces);
    return numbers->kind == TABLE_LINEAR || outer ? 0 : TABLE_MOST_DEGREE - 1;
}

double expr_tables_piece(const ExprTables *tables, double u, double number)
{
    return expr_table_piece(expr_table_at(tables, (size_t)number), u);
}

double expr_tables_column(const ExprTables *tables, double piece, double number)
{
    size_t all = (size_t)number;
    return expr_table_column(expr_table_at(tables, all / TABLE_COLUMNS), piece,
                             (int)(all % TABLE_COLUMNS));
}
