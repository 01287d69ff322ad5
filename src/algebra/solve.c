// solve.c: linear systems of functions, solved so that the solution stays short.
//
// Gauss's elimination, with the pivot that costs least: a number first (no division by what
// might vanish), then an entry that stands alone in its row or column (nothing to eliminate).
// What is left falls into blocks that share no unknowns; a small block whose determinant is
// short is solved by determinants, so that −sin² − cos² is −1 before anybody divides by it;
// another one by elimination again, which makes the shorter graph. Among pivots that cost the same
// the one with the least possible fill is taken (Markowitz 1957), and among those the first. Each
// row has a list of where it is filled, so that large systems of short rows cost what is in them.
#include "algebra/algebra_impl.h"

enum {
    LARGEST_BLOCK = 4,     // solved by determinants
    SHORT = 80,            // nodes of what is made short in small blocks
    SHORT_IN_LARGE = 30,   // the same in elimination, where there is much of it
    SHORT_DETERMINANT = 12 // its cost, in blocks of more than two
};

typedef struct {
    size_t row, column;
} Pivot;

typedef ARRAY(size_t) Places;

typedef struct {
    Algebra *algebra;
    size_t size, columns;
    Expr *matrix, *right, *solution;
    Places *places; // of each row: the columns that may be filled, in order
    bool *row_done, *column_done;
    ARRAY(Pivot) pivots; // in the order of elimination
    bool positive;       // pivots stand on the diagonal, where none of them vanishes
    bool grown;          // functions were pivots, and what is left is long
    double effort;       // what may still be spent on short forms
} Solver;

static const double EFFORT = 1e5; // on short forms, in one system

static Expr *entry(const Solver *solver, size_t row, size_t column)
{
    return solver->matrix + row * solver->size + column;
}

static Expr *right_side(const Solver *solver, size_t row, size_t column)
{
    return solver->right + row * solver->columns + column;
}

static bool is_filled(const Solver *solver, size_t row, size_t column)
{
    return !expr_is_zero(solver->algebra->pool, *entry(solver, row, column));
}

// Short where that is cheap.
static Expr tidy_if_short(Solver *solver, Expr e, size_t limit)
{
    if (algebra_nodes(solver->algebra, e) > limit)
        return e;
    return algebra_simplify_numeric(solver->algebra, e, &solver->effort);
}

// The same, and zero where it is zero.
static Expr tidy(Solver *solver, Expr e, size_t limit)
{
    Algebra *algebra = solver->algebra;
    if (expr_is_number(algebra->pool, e) || expr_is_symbol(algebra->pool, e))
        return e;
    if (algebra_nodes(algebra, e) <= limit && solver->effort > 0) {
        e = algebra_simplify_numeric(algebra, e, &solver->effort);
        if (solver->effort > 0)
            return e;
    }
    Verdict verdict = algebra_is_zero(algebra, e);
    Answer zero = verdict.answer;
    verdict_clear(&verdict);
    return zero == ANSWER_YES ? expr_int(algebra->pool, 0) : e;
}

// ---- Choosing.

static bool is_open(const Solver *solver, size_t row, size_t column)
{
    return !solver->row_done[row] && !solver->column_done[column] && is_filled(solver, row, column);
}

static void count_filled(const Solver *solver, size_t *rows, size_t *columns)
{
    for (size_t i = 0; i < solver->size; i++)
        rows[i] = columns[i] = 0;
    for (size_t i = 0; i < solver->size; i++)
        for (size_t l = 0; l < solver->places[i].count; l++) {
            size_t j = solver->places[i].at[l];
            if (is_open(solver, i, j)) {
                rows[i]++;
                columns[j]++;
            }
        }
}

// Takes note of an entry that is filled from now on.
static void note_place(Solver *solver, size_t row, size_t column)
{
    Places *places = &solver->places[row];
    size_t at = places->count;
    for (size_t l = 0; l < places->count; l++)
        if (places->at[l] == column)
            return;
    array_push(places, column);
    for (; at > 0 && places->at[at - 1] > column; at--)
        places->at[at] = places->at[at - 1];
    places->at[at] = column;
}

typedef enum { ONLY_NUMBERS, ONLY_LONE, ANY_ENTRY } PivotKind;

// The entry of this kind with the least possible fill; false where there is none.
static bool choose(const Solver *solver, PivotKind kind, Pivot *best)
{
    ExprPool *pool = solver->algebra->pool;
    size_t *rows = base_alloc((2 * solver->size + 1) * sizeof *rows),
           *columns = rows + solver->size;
    count_filled(solver, rows, columns);
    size_t least = SIZE_MAX;
    double cheapest = 0;
    for (size_t i = 0; i < solver->size; i++)
        for (size_t l = 0; l < solver->places[i].count; l++) {
            size_t j = solver->places[i].at[l];
            if (!is_open(solver, i, j) || (solver->positive && i != j))
                continue;
            Expr e = *entry(solver, i, j);
            size_t fill = (rows[i] - 1) * (columns[j] - 1);
            if ((kind == ONLY_NUMBERS && !expr_is_number(pool, e)) ||
                (kind == ONLY_LONE && fill > 0) || fill > least)
                continue;
            double cost = algebra_cost(pool, e);
            if (fill == least && cost >= cheapest)
                continue;
            least = fill;
            cheapest = cost;
            *best = (Pivot){i, j};
        }
    base_free(rows);
    return least < SIZE_MAX;
}

// ---- Elimination.

// Row i minus factor times the pivot's row.
static void subtract_row(Solver *solver, size_t row, Pivot pivot)
{
    ExprPool *pool = solver->algebra->pool;
    Expr factor = *entry(solver, row, pivot.column);
    const Places *places = &solver->places[pivot.row];
    for (size_t l = 0; l < places->count; l++) {
        size_t j = places->at[l];
        if (solver->column_done[j] || j == pivot.column || !is_filled(solver, pivot.row, j))
            continue;
        Expr *at = entry(solver, row, j);
        Expr taken = expr_mul(pool, factor, *entry(solver, pivot.row, j));
        *at = tidy(solver, expr_sub(pool, *at, taken), SHORT_IN_LARGE);
        note_place(solver, row, j);
    }
    for (size_t j = 0; j < solver->columns; j++) {
        Expr *at = right_side(solver, row, j), other = *right_side(solver, pivot.row, j);
        if (!expr_is_zero(pool, other))
            *at = expr_sub(pool, *at, expr_mul(pool, factor, other));
    }
    *entry(solver, row, pivot.column) = expr_int(pool, 0);
}

// Makes the pivot 1 and clears its column in the rows that are not done.
static void eliminate(Solver *solver, Pivot pivot)
{
    ExprPool *pool = solver->algebra->pool;
    Expr value = *entry(solver, pivot.row, pivot.column);
    for (size_t l = 0; l < solver->places[pivot.row].count; l++) {
        size_t j = solver->places[pivot.row].at[l];
        Expr *at = entry(solver, pivot.row, j);
        if (!solver->column_done[j] && is_filled(solver, pivot.row, j))
            *at = tidy_if_short(solver, expr_div(pool, *at, value), SHORT_IN_LARGE);
    }
    for (size_t j = 0; j < solver->columns; j++) {
        Expr *at = right_side(solver, pivot.row, j);
        if (!expr_is_zero(pool, *at))
            *at = expr_div(pool, *at, value);
    }
    solver->row_done[pivot.row] = true;
    for (size_t i = 0; i < solver->size; i++)
        if (!solver->row_done[i] && is_filled(solver, i, pivot.column))
            subtract_row(solver, i, pivot);
    solver->column_done[pivot.column] = true;
    array_push(&solver->pivots, pivot);
}

// What the pivot's row says of its unknown in one column, the others being known.
static Expr known_by(Solver *solver, Pivot pivot, size_t column, Expr *terms)
{
    ExprPool *pool = solver->algebra->pool;
    const Places *places = &solver->places[pivot.row];
    size_t count = 0;
    Expr right = *right_side(solver, pivot.row, column);
    if (!expr_is_zero(pool, right))
        terms[count++] = right;
    for (size_t l = 0; l < places->count; l++) {
        size_t j = places->at[l];
        if (j == pivot.column || !is_filled(solver, pivot.row, j))
            continue;
        Expr known = solver->solution[j * solver->columns + column];
        if (expr_is_zero(pool, known))
            continue;
        Expr term = expr_mul(pool, *entry(solver, pivot.row, j), known);
        terms[count++] = expr_neg(pool, term);
    }
    if (count == 0)
        return right;
    return tidy_if_short(solver, expr_sum(pool, terms, count), SHORT_IN_LARGE);
}

// From the last pivot to the first: its row holds unknowns that are known by then.
static void substitute_back(Solver *solver)
{
    Expr *terms = base_alloc((solver->size + 1) * sizeof *terms);
    for (size_t k = solver->pivots.count; k-- > 0;) {
        Pivot pivot = solver->pivots.at[k];
        for (size_t column = 0; column < solver->columns; column++)
            solver->solution[pivot.column * solver->columns + column] =
                known_by(solver, pivot, column, terms);
    }
    base_free(terms);
}

// ---- Blocks.

typedef struct {
    size_t rows[LARGEST_BLOCK], columns[LARGEST_BLOCK];
    size_t size;
} Block;

static size_t limit_in(const Solver *solver, const Block *block)
{
    return block->size <= 2 && !solver->grown ? SHORT : SHORT_IN_LARGE;
}

// The rows and columns that hang together with the first row that is not done. False where
// they are more than a block may have, or not as many rows as columns.
static bool find_block(const Solver *solver, Block *block)
{
    size_t n = solver->size;
    bool *row_in = base_alloc((2 * n + 1) * sizeof *row_in), *column_in = row_in + n;
    size_t first = 0;
    while (solver->row_done[first])
        first++;
    row_in[first] = true;
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = 0; i < n; i++)
            for (size_t l = 0; l < solver->places[i].count; l++) {
                size_t j = solver->places[i].at[l];
                if (is_open(solver, i, j) && row_in[i] != column_in[j]) {
                    row_in[i] = column_in[j] = true;
                    grown = true;
                }
            }
    }
    size_t rows = 0, columns = 0;
    for (size_t i = 0; i < n; i++) {
        if (row_in[i] && rows++ < LARGEST_BLOCK)
            block->rows[rows - 1] = i;
        if (column_in[i] && columns++ < LARGEST_BLOCK)
            block->columns[columns - 1] = i;
    }
    base_free(row_in);
    block->size = rows;
    return rows == columns && rows <= LARGEST_BLOCK;
}

static Block without(const Block *block, size_t row, size_t column)
{
    Block rest = {.size = block->size - 1};
    for (size_t i = 0, r = 0, c = 0; i < block->size; i++) {
        if (i != row)
            rest.rows[r++] = block->rows[i];
        if (i != column)
            rest.columns[c++] = block->columns[i];
    }
    return rest;
}

// By the first row (Laplace); the depth is at most LARGEST_BLOCK.
static Expr determinant(Solver *solver, const Block *block)
{
    ExprPool *pool = solver->algebra->pool;
    if (block->size == 0)
        return expr_int(pool, 1);
    Expr terms[LARGEST_BLOCK];
    size_t count = 0;
    for (size_t j = 0; j < block->size; j++) {
        if (!is_filled(solver, block->rows[0], block->columns[j]))
            continue;
        Block rest = without(block, 0, j);
        Expr minor = determinant(solver, &rest);
        Expr term = expr_mul(pool, *entry(solver, block->rows[0], block->columns[j]), minor);
        terms[count++] = j % 2 ? expr_neg(pool, term) : term;
    }
    return tidy(solver, expr_sum(pool, terms, count), limit_in(solver, block));
}

static Expr cofactor(Solver *solver, const Block *block, size_t row, size_t column)
{
    Block rest = without(block, row, column);
    Expr minor = determinant(solver, &rest);
    return (row + column) % 2 ? expr_neg(solver->algebra->pool, minor) : minor;
}

// The row of the inverse for one unknown: as quotients where they cancel, else as cofactors
// over the common determinant. Returns what the sum is to be divided by.
static Expr inverse_row(Solver *solver, const Block *block, size_t column, Expr det, Expr *factors)
{
    ExprPool *pool = solver->algebra->pool;
    Expr quotients[LARGEST_BLOCK];
    double apart = 0, together = algebra_cost(pool, det);
    for (size_t i = 0; i < block->size; i++) {
        factors[i] = cofactor(solver, block, i, column);
        quotients[i] =
            tidy_if_short(solver, expr_div(pool, factors[i], det), limit_in(solver, block));
        if (expr_is_zero(pool, factors[i]))
            continue;
        apart += algebra_cost(pool, quotients[i]);
        together += algebra_cost(pool, factors[i]);
    }
    if (apart > together && !expr_is_number(pool, det))
        return det;
    for (size_t i = 0; i < block->size; i++)
        factors[i] = quotients[i];
    return expr_int(pool, 1);
}

// By Cramer's rule.
static void solve_block(Solver *solver, const Block *block, Expr det)
{
    ExprPool *pool = solver->algebra->pool;
    for (size_t j = 0; j < block->size; j++) {
        Expr factors[LARGEST_BLOCK], terms[LARGEST_BLOCK];
        Expr divisor = inverse_row(solver, block, j, det, factors);
        for (size_t column = 0; column < solver->columns; column++) {
            for (size_t i = 0; i < block->size; i++)
                terms[i] = expr_mul(pool, factors[i], *right_side(solver, block->rows[i], column));
            Expr value = expr_div(pool, expr_sum(pool, terms, block->size), divisor);
            solver->solution[block->columns[j] * solver->columns + column] =
                tidy_if_short(solver, value, limit_in(solver, block));
        }
    }
    for (size_t i = 0; i < block->size; i++)
        solver->row_done[block->rows[i]] = solver->column_done[block->columns[i]] = true;
}

// ---- The whole.

static bool all_done(const Solver *solver)
{
    for (size_t i = 0; i < solver->size; i++)
        if (!solver->row_done[i])
            return false;
    return true;
}

static bool solve_all(Solver *solver)
{
    ExprPool *pool = solver->algebra->pool;
    while (!all_done(solver)) {
        Pivot pivot;
        if (choose(solver, ONLY_NUMBERS, &pivot) || choose(solver, ONLY_LONE, &pivot)) {
            eliminate(solver, pivot);
            continue;
        }
        Block block;
        Expr det = expr_int(pool, 1);
        bool small = find_block(solver, &block);
        if (small)
            det = determinant(solver, &block);
        if (expr_is_zero(pool, det))
            return false;
        if (small && (block.size <= 2 || algebra_cost(pool, det) <= SHORT_DETERMINANT))
            solve_block(solver, &block, det);
        else if (choose(solver, ANY_ENTRY, &pivot)) {
            eliminate(solver, pivot);
            solver->grown = true;
        } else
            return false;
    }
    substitute_back(solver);
    return true;
}

static bool solve(Algebra *algebra, const Expr *matrix, const Expr *right, size_t size,
                  size_t columns, bool positive, Expr *solution)
{
    ptrdiff_t rank = algebra_rank(algebra, matrix, size, size, NULL, NULL, NULL);
    if (rank >= 0 && (size_t)rank < size)
        return false;
    Solver solver = {.algebra = algebra, .size = size, .columns = columns, .solution = solution};
    solver.effort = EFFORT;
    solver.positive = positive;
    solver.matrix = base_alloc((size * size + 1) * sizeof *solver.matrix);
    solver.right = base_alloc((size * columns + 1) * sizeof *solver.right);
    solver.row_done = base_alloc((size + 1) * sizeof *solver.row_done);
    solver.column_done = base_alloc((size + 1) * sizeof *solver.column_done);
    solver.places = base_alloc((size + 1) * sizeof *solver.places);
    for (size_t i = 0; i < size * size; i++) {
        solver.matrix[i] = tidy(&solver, matrix[i], SHORT);
        if (!expr_is_zero(algebra->pool, solver.matrix[i]))
            array_push(&solver.places[i / size], i % size);
    }
    for (size_t i = 0; i < size * columns; i++)
        solver.right[i] = right[i];
    bool solved = solve_all(&solver);
    array_clear(&solver.pivots);
    for (size_t i = 0; i < size; i++)
        array_clear(&solver.places[i]);
    base_free(solver.places);
    base_free(solver.matrix);
    base_free(solver.right);
    base_free(solver.row_done);
    base_free(solver.column_done);
    return solved;
}

bool algebra_solve(Algebra *algebra, const Expr *matrix, const Expr *right, size_t size,
                   size_t columns, Expr *solution)
{
    return solve(algebra, matrix, right, size, columns, false, solution);
}

bool algebra_solve_positive(Algebra *algebra, const Expr *matrix, const Expr *right, size_t size,
                            Expr *solution)
{
    return solve(algebra, matrix, right, size, 1, true, solution);
}
