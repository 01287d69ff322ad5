// delassus_impl.h: the sparse Φ = g𝓜⁻¹gᵀ of many rows. Never leaves the room.
#ifndef ZWANG_DELASSUS_IMPL_H
#define ZWANG_DELASSUS_IMPL_H

#include "linalg/islands.h"
#include "linalg/sparse_rows.h"

// The inertia falls into blocks 𝓜 = LLᵀ, so that Φ = WWᵀ with W = gL⁻ᵀ stays sparse.
// `Delassus d = {0};` and delassus_clear at the end.
typedef struct {
    size_t n;
    Islands blocks;          // of the inertia
    ARRAY(size_t) factor_at; // where each block's factors begin
    ARRAY(double) factors;
    ARRAY(double) block;
    SparseStore normals, columns; // W, row after row, and the same by coordinates
    ARRAY(double) sum;            // of each row
    ARRAY(uint32_t) mark;
} Delassus;
void delassus_clear(Delassus *delassus);
// The inertia, both halves. False where a block is not positive.
bool delassus_factor_inertia(Delassus *delassus, const SparseRows *inertia);
// 𝓜⁻¹·force.
void delassus_accelerations(Delassus *delassus, const double *force, double *accelerations);
// Φ of these rows, whole rows of it, the diagonal of each first.
void delassus_find(Delassus *delassus, const SparseRows *rows, SparseStore *phi);

#endif
