// delassus.c: the sparse Φ = WWᵀ of many rows: a rope on pegs, a heap of balls.
#include "contact/delassus_impl.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <string.h>

void delassus_clear(Delassus *delassus)
{
    islands_clear(&delassus->blocks);
    array_clear(&delassus->factor_at);
    array_clear(&delassus->factors);
    array_clear(&delassus->block);
    sparse_store_clear(&delassus->normals);
    sparse_store_clear(&delassus->columns);
    array_clear(&delassus->sum);
    array_clear(&delassus->mark);
}

// ---- The blocks of the inertia.

static size_t size_of(const Delassus *delassus, size_t block)
{
    return delassus->blocks.first[block + 1] - delassus->blocks.first[block];
}

bool delassus_factor_inertia(Delassus *delassus, const SparseRows *inertia)
{
    const Islands *blocks = &delassus->blocks;
    delassus->n = inertia->count;
    array_reserve(&delassus->block, delassus->n + 1);
    islands_part(&delassus->blocks, delassus->n);
    islands_tie_rows(&delassus->blocks, inertia, 0);
    islands_number(&delassus->blocks);
    delassus->factors.count = 0;
    array_reserve(&delassus->factor_at, blocks->islands + 1);
    for (size_t block = 0; block < blocks->islands; block++) {
        size_t size = size_of(delassus, block), at = delassus->factors.count;
        array_reserve(&delassus->factors, at + size * size);
        delassus->factors.count += size * size;
        delassus->factor_at.at[block] = at;
        double *factor = delassus->factors.at + at;
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
static void solve(Delassus *delassus, size_t block, bool whole)
{
    const double *factor = delassus->factors.at + delassus->factor_at.at[block];
    size_t size = size_of(delassus, block);
    if (size == 1)
        delassus->block.at[0] =
            (whole ? delassus->block.at[0] / *factor : delassus->block.at[0]) / *factor;
    else if (whole)
        cholesky_solve(factor, size, delassus->block.at);
    else
        cholesky_solve_lower(factor, size, size, delassus->block.at);
}

void delassus_accelerations(Delassus *delassus, const double *force, double *accelerations)
{
    const Islands *blocks = &delassus->blocks;
    for (size_t block = 0; block < blocks->islands; block++) {
        const uint32_t *members = blocks->members + blocks->first[block];
        size_t size = size_of(delassus, block);
        for (size_t i = 0; i < size; i++)
            delassus->block.at[i] = force[members[i]];
        solve(delassus, block, true);
        for (size_t i = 0; i < size; i++)
            accelerations[members[i]] = delassus->block.at[i];
    }
}

// ---- W and Φ.

// The row's normal: whole blocks of numbers, for the blocks that the row knows.
static void find_normal(Delassus *delassus, const SparseRows *rows, size_t l)
{
    assert(l < rows->count);
    const Islands *blocks = &delassus->blocks;
    for (uint32_t at = rows->first[l]; at < rows->first[l + 1]; at++) {
        uint32_t block = blocks->of[rows->column[at]];
        bool known = false;
        for (uint32_t k = rows->first[l]; k < at && !known; k++)
            known = blocks->of[rows->column[k]] == block;
        if (known)
            continue;
        size_t size = size_of(delassus, block);
        memset(delassus->block.at, 0, size * sizeof *delassus->block.at);
        for (uint32_t k = at; k < rows->first[l + 1]; k++)
            if (blocks->of[rows->column[k]] == block)
                delassus->block.at[blocks->place[rows->column[k]]] = rows->value[k];
        solve(delassus, block, false);
        for (size_t i = 0; i < size; i++)
            if (delassus->block.at[i] != 0)
                sparse_store_push(&delassus->normals, blocks->members[blocks->first[block] + i],
                                  delassus->block.at[i]);
    }
    sparse_store_end_row(&delassus->normals);
}

// One row of Φ, its diagonal first; `sum` is 0 before and after.
static void fill_row(Delassus *delassus, SparseStore *phi, const SparseRows *normals,
                     const SparseRows *columns, size_t l)
{
    size_t begin = phi->column.count, end = begin, most = begin + 1;
    for (uint32_t k = normals->first[l]; k < normals->first[l + 1]; k++)
        most += columns->first[normals->column[k] + 1] - columns->first[normals->column[k]];
    array_reserve(&phi->column, most);
    array_reserve(&phi->value, most);
    uint32_t mark = (uint32_t)l + 1, *marks = delassus->mark.at, *found = phi->column.at;
    double *sum = delassus->sum.at;
    found[end++] = (uint32_t)l;
    marks[l] = mark;
    for (uint32_t k = normals->first[l]; k < normals->first[l + 1]; k++) {
        uint32_t i = normals->column[k];
        double factor = normals->value[k];
        for (uint32_t c = columns->first[i]; c < columns->first[i + 1]; c++) {
            uint32_t other = columns->column[c];
            found[end] = other;
            end += marks[other] != mark;
            marks[other] = mark;
            sum[other] += factor * columns->value[c];
        }
    }
    assert(end <= most);
    for (size_t k = begin; k < end; k++) {
        phi->value.at[k] = sum[found[k]];
        sum[found[k]] = 0;
    }
    phi->column.count = phi->value.count = end;
    sparse_store_end_row(phi);
}

void delassus_find(Delassus *delassus, const SparseRows *rows, SparseStore *phi)
{
    size_t count = rows->count;
    sparse_store_begin(&delassus->normals);
    for (size_t l = 0; l < count; l++)
        find_normal(delassus, rows, l);
    SparseRows normals = sparse_store_rows(&delassus->normals);
    sparse_store_transpose(&delassus->columns, &normals, delassus->n);
    SparseRows columns = sparse_store_rows(&delassus->columns);
    array_reserve(&delassus->mark, count + 1);
    array_reserve(&delassus->sum, count + 1);
    memset(delassus->mark.at, 0, count * sizeof *delassus->mark.at);
    memset(delassus->sum.at, 0, count * sizeof *delassus->sum.at);
    for (size_t l = 0; l < count; l++)
        fill_row(delassus, phi, &normals, &columns, l);
}
