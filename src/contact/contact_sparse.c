// contact_sparse.c: one large island: a rope on pegs, a heap of balls.
//
// The inertia falls into blocks 𝓜 = LLᵀ, so that Φ = WWᵀ with W = gL⁻ᵀ stays sparse; lcp_sparse.c
// finds who acts.
#include "contact/contact_impl.h"
#include "linalg/islands.h"
#include "linalg/sparse.h"

#include <assert.h>

struct ContactSparse {
    SparseCholesky *phi;
    LcpSparse *lcp;
    const Island *island;
    size_t most_n, most_count;
    Arena *arena;
    Islands blocks;    // of the inertia
    size_t *factor_at; // where each block's factors begin
    ARRAY(double) factors;
    double *block, *pull;
    SparseStore normals, columns; // W, row after row, and the same by coordinates
    // For each condition:
    double *phi0, *sizes, *sum;
    uint32_t *mark;
};

ContactSparse *contact_sparse_new(void)
{
    ContactSparse *sparse = base_alloc(sizeof *sparse);
    sparse->phi = sparse_cholesky_new();
    return sparse;
}

void contact_sparse_free(ContactSparse *sparse)
{
    if (!sparse)
        return;
    islands_clear(&sparse->blocks);
    array_clear(&sparse->factors);
    sparse_store_clear(&sparse->normals);
    sparse_store_clear(&sparse->columns);
    sparse_cholesky_free(sparse->phi);
    arena_free(sparse->arena);
    base_free(sparse);
}

static void reserve(ContactSparse *sparse, size_t n, size_t count)
{
    if (n <= sparse->most_n && count <= sparse->most_count)
        return;
    n = sparse->most_n = 2 * (n > sparse->most_n ? n : sparse->most_n);
    count = sparse->most_count = 2 * (count > sparse->most_count ? count : sparse->most_count);
    arena_free(sparse->arena);
    islands_clear(&sparse->blocks);
    islands_init(&sparse->blocks, n);
    Arena *arena = sparse->arena = arena_new();
    sparse->lcp = lcp_sparse_new(arena, sparse->phi, count);
    sparse->factor_at = arena_alloc(arena, n * sizeof *sparse->factor_at);
    sparse->block = real_alloc(arena, n);
    sparse->pull = real_alloc(arena, n);
    sparse->phi0 = real_alloc(arena, count);
    sparse->sizes = real_alloc(arena, count);
    sparse->sum = real_alloc(arena, count);
    sparse->mark = arena_alloc(arena, count * sizeof *sparse->mark);
}

// ---- The blocks of the inertia.

static size_t size_of(const ContactSparse *sparse, size_t block)
{
    return sparse->blocks.first[block + 1] - sparse->blocks.first[block];
}

// False where a block is not positive.
static bool factor_inertia(ContactSparse *sparse)
{
    const SparseRows *inertia = &sparse->island->inertia;
    const Islands *blocks = &sparse->blocks;
    islands_part(&sparse->blocks, sparse->island->n);
    islands_tie_rows(&sparse->blocks, inertia, true);
    islands_number(&sparse->blocks);
    sparse->factors.count = 0;
    for (size_t block = 0; block < blocks->islands; block++) {
        size_t size = size_of(sparse, block), at = sparse->factors.count;
        array_reserve(&sparse->factors, at + size * size);
        sparse->factors.count += size * size;
        sparse->factor_at[block] = at;
        double *factor = sparse->factors.at + at;
        memset(factor, 0, size * size * sizeof *factor);
        for (size_t place = 0; place < size; place++) {
            uint32_t i = blocks->members[blocks->first[block] + place];
            for (uint32_t k = inertia->first[i]; k < inertia->first[i + 1]; k++)
                factor[place * size + blocks->place[inertia->column[k]]] = inertia->value[k];
        }
        if (!(size > 1 ? cholesky_factor(factor, size, size, TOL_ZERO) : *factor > 0))
            return false;
        // A coordinate by itself is divided by its root, so that what is symmetric stays so.
        *factor = size > 1 ? *factor : sqrt(*factor);
    }
    return true;
}

// L⁻¹ of a block's part of something, in `block`; 𝓜⁻¹ where it is to be whole.
static void solve(ContactSparse *sparse, size_t block, bool whole)
{
    const double *factor = sparse->factors.at + sparse->factor_at[block];
    size_t size = size_of(sparse, block);
    if (size == 1)
        sparse->block[0] = (whole ? sparse->block[0] / *factor : sparse->block[0]) / *factor;
    else if (whole)
        cholesky_solve(factor, size, sparse->block);
    else
        cholesky_solve_lower(factor, size, size, sparse->block);
}

// 𝓜⁻¹·force.
static void accelerations_of(ContactSparse *sparse, const double *force, double *accelerations)
{
    const Islands *blocks = &sparse->blocks;
    for (size_t block = 0; block < blocks->islands; block++) {
        const uint32_t *members = blocks->members + blocks->first[block];
        size_t size = size_of(sparse, block);
        for (size_t i = 0; i < size; i++)
            sparse->block[i] = force[members[i]];
        solve(sparse, block, true);
        for (size_t i = 0; i < size; i++)
            accelerations[members[i]] = sparse->block[i];
    }
}

// ---- W and Φ.

// The row's normal: whole blocks of numbers, for the blocks that the row knows.
static void find_normal(ContactSparse *sparse, size_t l)
{
    assert(l < sparse->island->count);
    const SparseRows *rows = &sparse->island->rows;
    const Islands *blocks = &sparse->blocks;
    for (uint32_t at = rows->first[l]; at < rows->first[l + 1]; at++) {
        uint32_t block = blocks->of[rows->column[at]];
        bool known = false;
        for (uint32_t k = rows->first[l]; k < at && !known; k++)
            known = blocks->of[rows->column[k]] == block;
        if (known)
            continue;
        size_t size = size_of(sparse, block);
        memset(sparse->block, 0, size * sizeof *sparse->block);
        for (uint32_t k = at; k < rows->first[l + 1]; k++)
            if (blocks->of[rows->column[k]] == block)
                sparse->block[blocks->place[rows->column[k]]] = rows->value[k];
        solve(sparse, block, false);
        for (size_t i = 0; i < size; i++)
            if (sparse->block[i] != 0)
                sparse_store_push(&sparse->normals, blocks->members[blocks->first[block] + i],
                                  sparse->block[i]);
    }
    sparse_store_end_row(&sparse->normals);
}

// One row of Φ, its diagonal first; `sum` is 0 before and after.
static void fill_row(ContactSparse *sparse, SparseStore *phi, const SparseRows *normals,
                     const SparseRows *columns, size_t l)
{
    size_t begin = phi->column.count;
    uint32_t mark = (uint32_t)l + 1;
    sparse_store_push(phi, l, 0);
    sparse->mark[l] = mark;
    for (uint32_t k = normals->first[l]; k < normals->first[l + 1]; k++) {
        uint32_t i = normals->column[k];
        for (uint32_t c = columns->first[i]; c < columns->first[i + 1]; c++) {
            uint32_t other = columns->column[c];
            if (sparse->mark[other] != mark) {
                sparse->mark[other] = mark;
                sparse_store_push(phi, other, 0);
            }
            sparse->sum[other] += normals->value[k] * columns->value[c];
        }
    }
    for (size_t k = begin; k < phi->column.count; k++) {
        uint32_t other = phi->column.at[k];
        phi->value.at[k] = sparse->sum[other];
        sparse->sum[other] = 0;
    }
    sparse_store_end_row(phi);
}

// False where no order of elimination is found.
static bool find_phi(ContactSparse *sparse)
{
    size_t count = sparse->island->count;
    sparse_store_begin(&sparse->normals);
    for (size_t l = 0; l < count; l++)
        find_normal(sparse, l);
    SparseRows normals = sparse_store_rows(&sparse->normals);
    sparse_store_transpose(&sparse->columns, &normals, sparse->island->n);
    SparseRows columns = sparse_store_rows(&sparse->columns);
    SparseStore *phi = sparse_cholesky_matrix(sparse->phi);
    memset(sparse->mark, 0, count * sizeof *sparse->mark);
    memset(sparse->sum, 0, count * sizeof *sparse->sum);
    for (size_t l = 0; l < count; l++)
        fill_row(sparse, phi, &normals, &columns, l);
    return sparse_cholesky_analyse(sparse->phi);
}

// ---- The whole.

// Takes rounding off what does not push, and moves by what does; `square` is λ·Φλ.
static void keep_answer(ContactSparse *sparse, double square, Island *island)
{
    const double *own = sparse_cholesky_diagonal(sparse->phi);
    memcpy(sparse->pull, island->force, island->n * sizeof *sparse->pull);
    for (size_t l = 0; l < island->count; l++) {
        bool equal = l < island->equations;
        double x = island->lambda[l] * own[l] / TOL_SUM;
        bool exceeds = x > sparse->sizes[l] && x * x > own[l] * square;
        bool pushes = island->lambda[l] != 0 && (equal || exceeds);
        island->lambda[l] = pushes ? island->lambda[l] : 0;
        if (pushes)
            sparse_row_add(&island->rows, l, -island->lambda[l], sparse->pull);
        island->acting[l] = !equal && pushes;
        island->rates[l] = equal || pushes || island->rates[l] > 0 ? 0 : island->rates[l];
    }
    accelerations_of(sparse, sparse->pull, island->accelerations);
}

bool contact_sparse_solve(ContactSparse *sparse, Island *island)
{
    assert(island->n > 0 && island->inertia.count == island->n);
    assert(island->rows.count == island->count && island->equations <= island->count);
    reserve(sparse, island->n, island->count);
    sparse->island = island;
    if (!factor_inertia(sparse))
        return false;
    accelerations_of(sparse, island->force, island->accelerations);
    if (!find_phi(sparse))
        return false;
    // Φ⁰ of the motion without any condition, and the terms that it is a sum of.
    for (size_t l = 0; l < island->count; l++)
        sparse->phi0[l] = sparse_row_times(&island->rows, l, island->accelerations,
                                           island->drift[l], &sparse->sizes[l]);
    double square;
    if (!lcp_sparse_solve(sparse->lcp, island, sparse->phi0, sparse->sizes, &square))
        return false;
    keep_answer(sparse, square, island);
    return true;
}
