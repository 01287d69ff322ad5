// kkt_impl.h: what the files of the KKT equations share. Never leaves the room.
#ifndef ZWANG_LINALG_KKT_IMPL_H
#define ZWANG_LINALG_KKT_IMPL_H

#include "linalg/kkt.h"

#include <lapacke.h>

// gᵀP = Q(R₁₁ R₁₂; 0 0) of scaled rows.
typedef struct {
    double *axes;       // n × rows: the scaled gᵀ, then its factors
    double *tau;        // min(n, rows): factors of the reflectors
    double *scale;      // rows: scaled row = scale · row
    lapack_int *pivots; // rows, from 1
} RowFactors;

struct Kkt {
    size_t n, most_n, most_rows;
    Arena *arena;
    double *scale;        // n: coordinate = scale · scaled coordinate
    double *inertia;      // n × n: scaled 𝓜, then Qᵀ𝓜Q
    double *diagonal;     // n: what Cholesky's factors overwrite
    bool is_diagonal;     // these factors are
    lapack_int *order;    // n, from 1: in which they were made
    RowFactors rows;      // g
    RowFactors reactions; // d, made on first need
    double *along;        // n: the acceleration in the axes Q
    double *force;        // n: the force in the axes Q
    double *asked;        // rows: −γ scaled, in the order of the pivots
    double *dependent;    // rows × rows: R₁₁⁻¹R₁₂, and then what least norm needs
    double *normal;       // rows × (rows + 1)
    double *witness;      // max(n, rows)
    double *work;
    lapack_int work_size;
};

static inline lapack_int lapack(size_t size)
{
    return (lapack_int)size;
}

// The leading dimension of a matrix with this many rows.
static inline lapack_int leading(size_t rows)
{
    return lapack(rows > 0 ? rows : 1);
}

void kkt_alloc_factors(Kkt *kkt, RowFactors *factors);
// Measures each coordinate so that its inertia is near 1: the scaled inertia and force.
void kkt_scale_inertia(Kkt *kkt, const KktProblem *problem);
// Factors the rows in scaled coordinates, each made of a length near 1; returns their rank.
size_t kkt_factor_rows(Kkt *kkt, RowFactors *factors, const double *rows, size_t count);
// The row that stands at a place in the order of the pivots.
static inline size_t kkt_row_at(const Kkt *kkt, const RowFactors *factors, size_t place)
{
    return kkt->n > 0 ? (size_t)factors->pivots[place] - 1 : place;
}
// Multiplies n × columns numbers by Q ('N') or Qᵀ ('T') from the left or right, in place.
void kkt_turn(Kkt *kkt, const RowFactors *factors, char side, char transposed, size_t rank,
              double *matrix, size_t columns);
// Solves R₁₁x = x or R₁₁ᵀx = x for several columns of `rank` numbers.
void kkt_back_substitute(const Kkt *kkt, const RowFactors *factors, char transposed, size_t rank,
                         double *columns, size_t count);

// ---- kkt_directed.c: rows that forces of given directions keep, after kkt_move has found what
// ideal ones could do. SOLVE_DONE, or SOLVE_UNCONTROLLABLE where the rows or the directions depend
// on each other, or the directions cannot keep the rows. The inputs are finite.
SolveOutcome kkt_directed(Kkt *kkt, const KktProblem *problem, size_t rank, double *accelerations,
                          double *multipliers, double *power);

#endif
