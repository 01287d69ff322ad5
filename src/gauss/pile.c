// pile.c: a large island: a rope on pegs, a heap of balls.
//
// The inertia falls into blocks 𝓜 = LLᵀ, so that Φ = WWᵀ with W = gL⁻ᵀ stays sparse; heap.c finds
// who acts.
#include "gauss/gauss_impl.h"

#include <math.h>
#include <string.h>

// A multiplier of no more than this part of the terms at hand is rounding.
#define NO_PUSH 1e-13
// The inertia along a velocity, against its diagonal, below which it is none.
#define NO_INERTIA 1e-12
// With more of Φ filled than this it is no sparse matrix.
#define FULL_PART 0.25
#define FULL_SIZE 400

typedef struct {
    uint32_t row;
    double value;
} Entry;

struct Pile {
    Heap *heap;
    SparseCholesky *phi; // the heap's
    const PileProblem *problem;
    size_t most_n, most_count;
    Islands blocks;    // of the inertia
    size_t *factor_at; // where each block's factors begin
    double *block, *pull;
    ARRAY(double) factors;
    // W, row after row, and the same by coordinates.
    uint32_t *normal_first, *column_first;
    ARRAY(Entry) normals; // row: the coordinate here
    ARRAY(Entry) columns;
    ARRAY(Entry) filled; // Φ's entries while they are found, and where each row begins
    ARRAY(int) row_first;
    // For each condition:
    double *phi0, *sizes, *sum;
    uint32_t *mark;
};

Pile *pile_new(void)
{
    Pile *pile = base_alloc(sizeof *pile);
    pile->heap = heap_new();
    pile->phi = heap_phi(pile->heap);
    return pile;
}

static void free_room(Pile *pile)
{
    uint32_t *whole[] = {pile->normal_first, pile->column_first, pile->mark};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        base_free(whole[i]);
    double *real[] = {pile->block, pile->pull, pile->phi0, pile->sizes, pile->sum};
    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++)
        base_free(real[i]);
    islands_clear(&pile->blocks);
    base_free(pile->factor_at);
}

void pile_free(Pile *pile)
{
    if (!pile)
        return;
    free_room(pile);
    array_clear(&pile->factors);
    array_clear(&pile->normals);
    array_clear(&pile->columns);
    array_clear(&pile->filled);
    array_clear(&pile->row_first);
    heap_free(pile->heap);
    base_free(pile);
}

static void reserve(Pile *pile, size_t n, size_t count)
{
    if (n <= pile->most_n && count <= pile->most_count)
        return;
    free_room(pile);
    n = pile->most_n = 2 * (n > pile->most_n ? n : pile->most_n);
    count = pile->most_count = 2 * (count > pile->most_count ? count : pile->most_count);
    islands_init(&pile->blocks, n);
    pile->column_first = base_alloc((n + 1) * sizeof *pile->column_first);
    double **of_count[] = {&pile->phi0, &pile->sizes, &pile->sum};
    for (size_t i = 0; i < sizeof of_count / sizeof of_count[0]; i++)
        *of_count[i] = base_alloc((count + 1) * sizeof(double));
    pile->block = base_alloc((n + 1) * sizeof(double));
    pile->pull = base_alloc((n + 1) * sizeof(double));
    pile->factor_at = base_alloc((n + 1) * sizeof *pile->factor_at);
    pile->normal_first = base_alloc((count + 2) * sizeof *pile->normal_first);
    pile->mark = base_alloc((count + 1) * sizeof *pile->mark);
}

// ---- The blocks of the inertia.

static void find_blocks(Pile *pile)
{
    const SparseRows *inertia = &pile->problem->inertia;
    islands_part(&pile->blocks, pile->problem->n);
    for (size_t i = 0; i < pile->problem->n; i++)
        for (uint32_t at = inertia->first[i]; at < inertia->first[i + 1]; at++)
            if (inertia->value[at] != 0)
                islands_tie(&pile->blocks, i, inertia->column[at]);
    islands_number(&pile->blocks);
}

static size_t size_of(const Pile *pile, size_t block)
{
    return pile->blocks.first[block + 1] - pile->blocks.first[block];
}

// 𝓜 = LLᵀ of a block, L row after row. False where it is not positive.
static bool factor_block(double *factor, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        double *row = factor + i * size, own = row[i], pivot = own;
        for (size_t j = 0; j < i; j++) {
            const double *other = factor + j * size;
            row[j] = (row[j] - real_dot(row, other, j)) / other[j];
            pivot -= row[j] * row[j];
        }
        if (!(pivot > NO_INERTIA * own))
            return false;
        row[i] = sqrt(pivot);
    }
    return true;
}

static bool factor_inertia(Pile *pile)
{
    const SparseRows *inertia = &pile->problem->inertia;
    const Islands *blocks = &pile->blocks;
    pile->factors.count = 0;
    for (size_t block = 0; block < blocks->islands; block++) {
        size_t size = size_of(pile, block), at = pile->factors.count;
        array_reserve(&pile->factors, at + size * size);
        pile->factors.count += size * size;
        pile->factor_at[block] = at;
        double *factor = pile->factors.at + at;
        memset(factor, 0, size * size * sizeof *factor);
        for (size_t place = 0; place < size; place++) {
            uint32_t i = blocks->members[blocks->first[block] + place];
            for (uint32_t k = inertia->first[i]; k < inertia->first[i + 1]; k++)
                if (inertia->value[k] != 0)
                    factor[place * size + blocks->place[inertia->column[k]]] = inertia->value[k];
        }
        if (!factor_block(factor, size))
            return false;
    }
    return true;
}

// L⁻¹ of a block's part of something, in `block`.
static void solve_lower(Pile *pile, size_t block)
{
    size_t size = size_of(pile, block);
    const double *factor = pile->factors.at + pile->factor_at[block];
    for (size_t i = 0; i < size; i++)
        pile->block[i] =
            (pile->block[i] - real_dot(factor + i * size, pile->block, i)) / factor[i * size + i];
}

static void solve_upper(Pile *pile, size_t block)
{
    size_t size = size_of(pile, block);
    const double *factor = pile->factors.at + pile->factor_at[block];
    for (size_t i = size; i-- > 0;) {
        pile->block[i] /= factor[i * size + i];
        real_add_times(-pile->block[i], factor + i * size, i, pile->block);
    }
}

// 𝓜⁻¹·force.
static void accelerations_of(Pile *pile, const double *force, double *accelerations)
{
    const Islands *blocks = &pile->blocks;
    for (size_t block = 0; block < blocks->islands; block++) {
        const uint32_t *members = blocks->members + blocks->first[block];
        size_t size = size_of(pile, block);
        for (size_t i = 0; i < size; i++)
            pile->block[i] = force[members[i]];
        solve_lower(pile, block);
        solve_upper(pile, block);
        for (size_t i = 0; i < size; i++)
            accelerations[members[i]] = pile->block[i];
    }
}

// ---- W and Φ.

// The row's normal: whole blocks of numbers, for the blocks that the row knows.
static void find_normal(Pile *pile, size_t l)
{
    const SparseRows *rows = &pile->problem->rows;
    const Islands *blocks = &pile->blocks;
    for (uint32_t at = rows->first[l]; at < rows->first[l + 1]; at++) {
        uint32_t block = blocks->of[rows->column[at]];
        bool known = false;
        for (uint32_t k = rows->first[l]; k < at && !known; k++)
            known = blocks->of[rows->column[k]] == block;
        if (known)
            continue;
        size_t size = size_of(pile, block);
        memset(pile->block, 0, size * sizeof *pile->block);
        for (uint32_t k = at; k < rows->first[l + 1]; k++)
            if (blocks->of[rows->column[k]] == block)
                pile->block[blocks->place[rows->column[k]]] = rows->value[k];
        solve_lower(pile, block);
        for (size_t i = 0; i < size; i++)
            if (pile->block[i] != 0)
                array_push(&pile->normals,
                           ((Entry){blocks->members[blocks->first[block] + i], pile->block[i]}));
    }
}

static void find_normals(Pile *pile)
{
    pile->normals.count = 0;
    for (size_t l = 0; l < pile->problem->count; l++) {
        pile->normal_first[l] = (uint32_t)pile->normals.count;
        find_normal(pile, l);
    }
    pile->normal_first[pile->problem->count] = (uint32_t)pile->normals.count;
}

// The same numbers by coordinates.
static void turn_over(Pile *pile)
{
    size_t n = pile->problem->n, count = pile->problem->count, entries = pile->normals.count;
    array_reserve(&pile->columns, entries);
    memset(pile->column_first, 0, (n + 1) * sizeof *pile->column_first);
    for (size_t k = 0; k < entries; k++)
        pile->column_first[pile->normals.at[k].row + 1]++;
    for (size_t i = 0; i < n; i++)
        pile->column_first[i + 1] += pile->column_first[i];
    for (size_t l = 0; l < count; l++)
        for (uint32_t k = pile->normal_first[l]; k < pile->normal_first[l + 1]; k++) {
            Entry entry = pile->normals.at[k];
            pile->columns.at[pile->column_first[entry.row]++] = (Entry){(uint32_t)l, entry.value};
        }
    for (size_t i = n; i > 0; i--)
        pile->column_first[i] = pile->column_first[i - 1];
    pile->column_first[0] = 0;
}

// One row of Φ onto `filled`; `sum` is 0 before and after.
static void fill_row(Pile *pile, size_t l)
{
    size_t begin = pile->filled.count;
    array_push(&pile->filled, ((Entry){(uint32_t)l, 0}));
    pile->mark[l] = (uint32_t)l + 1;
    for (uint32_t k = pile->normal_first[l]; k < pile->normal_first[l + 1]; k++) {
        Entry mine = pile->normals.at[k];
        for (uint32_t c = pile->column_first[mine.row]; c < pile->column_first[mine.row + 1]; c++) {
            Entry other = pile->columns.at[c];
            if (pile->mark[other.row] != (uint32_t)l + 1) {
                pile->mark[other.row] = (uint32_t)l + 1;
                array_push(&pile->filled, ((Entry){other.row, 0}));
            }
            pile->sum[other.row] += mine.value * other.value;
        }
    }
    for (size_t k = begin; k < pile->filled.count; k++) {
        Entry *entry = &pile->filled.at[k];
        entry->value = pile->sum[entry->row];
        pile->sum[entry->row] = 0;
    }
}

// False where it is full, or nothing orders it.
static bool find_phi(Pile *pile)
{
    size_t count = pile->problem->count;
    find_normals(pile);
    turn_over(pile);
    pile->filled.count = pile->row_first.count = 0;
    memset(pile->mark, 0, count * sizeof *pile->mark);
    memset(pile->sum, 0, count * sizeof *pile->sum);
    for (size_t l = 0; l < count; l++) {
        array_push(&pile->row_first, (int)pile->filled.count);
        fill_row(pile, l);
        if (count > FULL_SIZE &&
            (double)pile->filled.count > FULL_PART * (double)count * (double)count)
            return false;
    }
    SparseMatrix rows = sparse_cholesky_rows(pile->phi, count, pile->filled.count);
    memcpy(rows.first, pile->row_first.at, count * sizeof *rows.first);
    rows.first[count] = (int)pile->filled.count;
    for (size_t k = 0; k < pile->filled.count; k++) {
        rows.column[k] = (int)pile->filled.at[k].row;
        rows.value[k] = pile->filled.at[k].value;
    }
    return sparse_cholesky_begin(pile->phi);
}

// Φ⁰ of the motion without any condition, and the terms that it is a sum of.
static void find_phi0(Pile *pile, const double *free)
{
    const PileProblem *problem = pile->problem;
    for (size_t l = 0; l < problem->count; l++) {
        double sum = problem->drift[l], size = fabs(sum);
        for (uint32_t at = problem->rows.first[l]; at < problem->rows.first[l + 1]; at++) {
            double term = problem->rows.value[at] * free[problem->rows.column[at]];
            sum += term;
            size += fabs(term);
        }
        pile->phi0[l] = sum;
        pile->sizes[l] = size;
    }
}

// ---- The whole.

// Whether x exceeds what is rounding in the terms that f''_l is a sum of; `square` is λ·Φλ.
static bool exceeds(const Pile *pile, size_t l, double x, double square)
{
    double own = sparse_cholesky_diagonal(pile->phi, l);
    return x > NO_PUSH * pile->sizes[l] && x * x > NO_PUSH * NO_PUSH * own * square;
}

static void keep_answer(Pile *pile, double square, PileAnswer *answer)
{
    const PileProblem *problem = pile->problem;
    memcpy(pile->pull, problem->force, problem->n * sizeof *pile->pull);
    for (size_t l = 0; l < problem->count; l++) {
        bool equal = l < problem->equations;
        double push = answer->lambda[l], own = sparse_cholesky_diagonal(pile->phi, l);
        bool pushes = push != 0 && (equal || exceeds(pile, l, push * own, square));
        push = pushes ? push : 0;
        for (uint32_t at = problem->rows.first[l]; at < problem->rows.first[l + 1] && pushes; at++)
            pile->pull[problem->rows.column[at]] -= push * problem->rows.value[at];
        answer->lambda[l] = push;
        answer->acting[l] = !equal && push > 0;
        answer->rates[l] = equal || pushes || answer->rates[l] > 0 ? 0 : answer->rates[l];
    }
    accelerations_of(pile, pile->pull, answer->accelerations);
}

bool pile_solve(Pile *pile, const PileProblem *problem, PileAnswer *answer)
{
    reserve(pile, problem->n, problem->count);
    pile->problem = problem;
    find_blocks(pile);
    if (!factor_inertia(pile))
        return false;
    accelerations_of(pile, problem->force, answer->accelerations);
    if (!find_phi(pile))
        return false;
    find_phi0(pile, answer->accelerations);
    HeapProblem sides = {.count = problem->count,
                         .equations = problem->equations,
                         .phi0 = pile->phi0,
                         .sizes = pile->sizes,
                         .rough = problem->rough};
    HeapAnswer found = {.lambda = answer->lambda,
                        .phi0 = answer->phi0,
                        .rates = answer->rates,
                        .acting = answer->acting};
    if (!heap_solve(pile->heap, &sides, &found))
        return false;
    answer->unique = found.unique;
    keep_answer(pile, found.square, answer);
    return true;
}
