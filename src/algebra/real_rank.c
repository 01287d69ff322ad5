// real_rank.c: rows that are shown to be independent, at a real point and in balls.
#include "algebra/algebra_impl.h"
#include "algebra/flint_impl.h"

#include <assert.h>
#include <string.h>

typedef struct {
    slong rows, columns, wanted;
    bool *independent; // of the rows before it
} Wish;

// The column with the largest entry of a row; -1 where none is seen not to be zero.
static slong pivot_column(const arb_mat_t matrix, slong row)
{
    slong best = -1;
    arf_t largest, size;
    arf_init(largest);
    arf_init(size);
    for (slong j = 0; j < arb_mat_ncols(matrix); j++) {
        arb_get_abs_lbound_arf(size, arb_mat_entry(matrix, row, j), MAG_BITS);
        if (arf_cmp(size, largest) > 0) {
            arf_set(largest, size);
            best = j;
        }
    }
    arf_clear(largest);
    arf_clear(size);
    return best;
}

// Takes multiples of a row off those below, so that their column becomes zero.
static void clear_below(arb_mat_t matrix, slong row, slong column, slong precision)
{
    arb_t factor;
    arb_init(factor);
    for (slong i = row + 1; i < arb_mat_nrows(matrix); i++) {
        arb_div(factor, arb_mat_entry(matrix, i, column), arb_mat_entry(matrix, row, column),
                precision);
        for (slong j = 0; j < arb_mat_ncols(matrix) && !arb_is_zero(factor); j++)
            arb_submul(arb_mat_entry(matrix, i, j), factor, arb_mat_entry(matrix, row, j),
                       precision);
        arb_zero(arb_mat_entry(matrix, i, column));
    }
    arb_clear(factor);
}

// Whether all numbers in these balls have as many independent rows as is wished.
static bool has_rank(void *context, arb_srcptr values, slong precision)
{
    const Wish *wish = context;
    slong rank = 0;
    arb_mat_t matrix;
    arb_mat_init(matrix, wish->rows, wish->columns);
    bool finite = true;
    for (slong i = 0; i < wish->rows * wish->columns && finite; i++) {
        finite = arb_is_finite(values + i);
        arb_set(arb_mat_entry(matrix, i / wish->columns, i % wish->columns), values + i);
    }
    for (slong i = 0; i < wish->rows && finite; i++) {
        slong column = pivot_column(matrix, i);
        wish->independent[i] = column >= 0;
        if (column >= 0)
            clear_below(matrix, i, column, precision);
        rank += column >= 0;
    }
    arb_mat_clear(matrix);
    return finite && rank == wish->wanted;
}

bool algebra_show_rank(Algebra *algebra, const Expr *matrix, size_t rows, size_t columns,
                       size_t rank, bool *independent)
{
    assert(rank <= rows && independent);
    char *text = NULL;
    Wish wish = {(slong)rows, (slong)columns, (slong)rank, independent};
    bool shown =
        witness_find(algebra, matrix, rows * columns, WITNESS_THOROUGH, has_rank, &wish, &text);
    base_free(text);
    return shown;
}

bool algebra_shows_independent(Algebra *algebra, const Expr *matrix, size_t rows, size_t columns)
{
    if (rows == 0)
        return true;
    if (rows > columns)
        return false;
    if (atoms_are_free(algebra, matrix, rows * columns, false))
        return algebra_rank(algebra, matrix, rows, columns, NULL, NULL, NULL) == (ptrdiff_t)rows;
    bool *independent = base_alloc(rows * sizeof *independent);
    bool shown = algebra_show_rank(algebra, matrix, rows, columns, rows, independent);
    base_free(independent);
    return shown;
}

bool algebra_shows_chosen(Algebra *algebra, const Expr *matrix, size_t rows, size_t columns,
                          const bool *chosen)
{
    size_t count = 0;
    Expr *kept = base_alloc((rows * columns + 1) * sizeof *kept);
    for (size_t i = 0; i < rows; i++)
        if (chosen[i])
            memcpy(kept + count++ * columns, matrix + i * columns, columns * sizeof *kept);
    bool shown = algebra_shows_independent(algebra, kept, count, columns);
    base_free(kept);
    return shown;
}
