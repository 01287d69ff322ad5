// rank.c: the generic rank of a matrix of functions.
//
// At any point of any field the rank is at most the generic one, and it is the generic one
// wherever one certain minor does not vanish: bounds.c says how often that can fail. The
// point of greatest rank among enough random ones tells which rows are independent of those
// before them. (Where square roots occur, the rank is that of the choice of signs which makes
// it greatest.)
#include "algebra/algebra_impl.h"

#include <flint/nmod_vec.h>
#include <flint/ulong_extras.h>
#include <string.h>

enum { FOR_SIGNS = 40 }; // points more where the signs of roots may matter

typedef struct {
    size_t rows, columns;
    const size_t *preference; // NULL: from the left
    uint64_t *entries;        // rows × columns, worked on in place
    bool *independent;
    size_t *pivots; // the column of each independent row, in order
    size_t rank;
    // Where each pivot row is not 0: numbers of columns, one row after the other.
    ARRAY(uint32_t) filled;
    size_t *begins; // rank + 1
    // The functions that are not 0 to the eye, over atoms, and where they stand, in order.
    Expr *images;
    size_t *places, image_count;
} Elimination;

// Takes away from a row what pivot rows above it explain; `pivot_rows` are scaled to 1.
static void reduce_row(Elimination *work, const size_t *pivot_rows, size_t row, nmod_t mod)
{
    uint64_t *at = work->entries + row * work->columns;
    for (size_t k = 0; k < work->rank; k++) {
        uint64_t factor = at[work->pivots[k]];
        if (factor == 0)
            continue;
        const uint64_t *pivot = work->entries + pivot_rows[k] * work->columns;
        for (size_t l = work->begins[k]; l < work->begins[k + 1]; l++) {
            size_t j = work->filled.at[l];
            at[j] = nmod_sub(at[j], nmod_mul(factor, pivot[j], mod), mod);
        }
    }
}

static void eliminate(Elimination *work, uint64_t prime)
{
    nmod_t mod;
    nmod_init(&mod, prime);
    size_t *pivot_rows = base_alloc((work->rows + 1) * sizeof *pivot_rows);
    work->rank = work->filled.count = 0;
    for (size_t i = 0; i < work->rows; i++) {
        reduce_row(work, pivot_rows, i, mod);
        uint64_t *row = work->entries + i * work->columns;
        size_t k = 0, column = 0;
        for (; k < work->columns; k++) {
            column = work->preference ? work->preference[k] : k;
            if (row[column] != 0)
                break;
        }
        work->independent[i] = k < work->columns;
        if (!work->independent[i])
            continue;
        uint64_t inverse = n_invmod(row[column], prime);
        for (size_t j = 0; j < work->columns; j++) {
            if (row[j] == 0)
                continue;
            row[j] = nmod_mul(row[j], inverse, mod);
            array_push(&work->filled, (uint32_t)j);
        }
        work->begins[work->rank + 1] = work->filled.count;
        pivot_rows[work->rank] = i;
        work->pivots[work->rank++] = column;
    }
    base_free(pivot_rows);
}

// How many points make it certain enough that the deciding minor is seen; 0 where none do.
static size_t trials_for(const Algebra *algebra, const Elimination *work, const Bounds *bounds,
                         Sample *sample)
{
    size_t for_signs, at = 0;
    if (!square_roots_sign_trials(sample, &for_signs))
        return 0;
    double *total = base_alloc(bounds_width(bounds) * sizeof *total);
    size_t *entries = base_alloc(work->columns * sizeof *entries);
    for (size_t i = 0; i < work->rows; i++) {
        size_t count = 0, end = (i + 1) * work->columns;
        for (; at < work->image_count && work->places[at] < end; at++)
            if (!expr_is_zero(algebra->pool, work->images[at]))
                entries[count++] = at;
        bounds_add_row(bounds, entries, count, total);
    }
    size_t trials = bounds_trials(bounds_log2_error(bounds, sample, total));
    base_free(entries);
    base_free(total);
    return trials && for_signs ? trials + FOR_SIGNS : trials;
}

// The rank at one more point. False where none was found.
static bool try_point(Elimination *work, Sample *sample)
{
    if (!sample_draw(sample))
        return false;
    memset(work->entries, 0, work->rows * work->columns * sizeof *work->entries);
    for (size_t i = 0; i < work->image_count; i++)
        work->entries[work->places[i]] = sample->outputs[i];
    eliminate(work, sample->prime);
    return true;
}

static bool best_of(Elimination *work, Sample *sample, size_t trials, bool *independent,
                    size_t *pivots, size_t *rank)
{
    size_t most = work->rows < work->columns ? work->rows : work->columns;
    bool seen = false;
    *rank = 0;
    for (size_t i = 0; i < trials && !(seen && *rank == most); i++) {
        if (!try_point(work, sample))
            return false;
        if (seen && work->rank <= *rank)
            continue;
        seen = true;
        *rank = work->rank;
        if (independent)
            memcpy(independent, work->independent, work->rows * sizeof *independent);
        if (pivots)
            memcpy(pivots, work->pivots, work->rank * sizeof *pivots);
    }
    return seen;
}

// How many points are enough. Where all rows are independent at one, that is certain already, and
// nothing need be bounded.
static size_t points_for(const Algebra *algebra, Elimination *work, Sample *sample)
{
    Random start = sample->random;
    bool full = try_point(work, sample) && work->rank == work->rows;
    sample->random = start;
    if (full)
        return 1;
    Bounds *bounds = bounds_new(algebra, work->images, work->image_count);
    size_t trials = bounds ? trials_for(algebra, work, bounds, sample) : 0;
    bounds_free(bounds);
    return trials;
}

static void elimination_open(Elimination *work, Sample *sample, Algebra *algebra,
                             const Expr *matrix)
{
    size_t count = work->rows * work->columns, filled = 0;
    for (size_t i = 0; i < count; i++)
        filled += !expr_is_zero(algebra->pool, matrix[i]);
    Expr *given = base_alloc((filled + 1) * sizeof *given);
    work->images = base_alloc((filled + 1) * sizeof *work->images);
    work->places = base_alloc((filled + 1) * sizeof *work->places);
    for (size_t i = 0; i < count; i++)
        if (!expr_is_zero(algebra->pool, matrix[i])) {
            work->places[work->image_count] = i;
            given[work->image_count++] = matrix[i];
        }
    atoms_rewrite(algebra, ATOMS_SPLIT, given, filled, work->images);
    sample_init(sample, algebra, work->images, filled);
    base_free(given);
    work->entries = base_alloc(count * sizeof *work->entries);
    work->independent = base_alloc(work->rows * sizeof *work->independent);
    work->pivots = base_alloc(work->rows * sizeof *work->pivots);
    work->begins = base_alloc((work->rows + 1) * sizeof *work->begins);
}

static void elimination_close(Elimination *work, Sample *sample)
{
    base_free(work->entries);
    base_free(work->independent);
    base_free(work->pivots);
    base_free(work->begins);
    base_free(work->images);
    base_free(work->places);
    array_clear(&work->filled);
    sample_clear(sample);
}

ptrdiff_t algebra_rank(Algebra *algebra, const Expr *matrix, size_t rows, size_t columns,
                       const size_t *preference, bool *independent_rows, size_t *pivot_columns)
{
    size_t rank = 0;
    for (size_t i = 0; i < rows && independent_rows; i++)
        independent_rows[i] = false;
    if (rows * columns == 0)
        return 0;
    Sample sample;
    Elimination work = {.rows = rows, .columns = columns, .preference = preference};
    elimination_open(&work, &sample, algebra, matrix);
    size_t trials = points_for(algebra, &work, &sample);
    bool known =
        trials > 0 && best_of(&work, &sample, trials, independent_rows, pivot_columns, &rank);
    elimination_close(&work, &sample);
    return known ? (ptrdiff_t)rank : -1;
}

bool algebra_choose_basis(Algebra *algebra, const Expr *matrix, size_t rows, size_t columns,
                          size_t first, bool *chosen)
{
    Sample sample;
    Elimination work = {.rows = rows, .columns = columns};
    elimination_open(&work, &sample, algebra, matrix);
    bool found = try_point(&work, &sample) && work.rank == columns;
    memcpy(chosen, work.independent, rows * sizeof *chosen);
    for (size_t i = 0; i < first; i++)
        found = found && chosen[i];
    elimination_close(&work, &sample);
    return found;
}
