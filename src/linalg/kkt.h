// kkt.h: least constraint under equations, kkt_problem.h, solved by dense factors.
#ifndef ZWANG_LINALG_KKT_H
#define ZWANG_LINALG_KKT_H

#include "linalg/kkt_problem.h"

// Workspace for a solve: it is made once, and no solve allocates. One thread at a time.
Kkt *kkt_new(Arena *arena, size_t coordinates, size_t most_rows);
// From now on for so many coordinates, no more than at first.
void kkt_resize(Kkt *kkt, size_t coordinates);

// The accelerations (n) and multipliers (row_count); unspecified unless SOLVE_DONE.
BASE_MUST_USE KktReport kkt_solve(Kkt *kkt, const KktProblem *problem, double *accelerations,
                                  double *multipliers);

// Why the last solve failed, until the next one. SOLVE_SINGULAR: n numbers, a velocity that the
// rows leave free and that has no inertia, its largest part 1. SOLVE_CONTRADICTION: row_count
// numbers w with Σ wᵢ·gᵢ = 0 but Σ wᵢ·γᵢ ≠ 0.
const double *kkt_witness(const Kkt *kkt);

// Gauss's measure ½(a − a°)·𝓜(a − a°) of these accelerations, a° = 𝓜⁻¹(K − h) being those
// without reactions. False where 𝓜 is not positive, so that there is no a°.
bool kkt_gauss_measure(Kkt *kkt, const KktProblem *problem, const double *accelerations,
                       double *measure);

// ---- In steps: for those who have more to ask of the factors.

// The motion under the equations alone; it stays in the axes of the factors. What follows asks
// about that motion, the inertia being positive.
KktReport kkt_move(Kkt *kkt, const KktProblem *problem);
// That motion as accelerations.
void kkt_accelerations(Kkt *kkt, double *accelerations);
// The normals of rows in axes where the inertia is 1 on the velocities that the equations leave
// free: n − rank numbers each. A row that depends on the equations has the normal 0. `sizes`: what
// the numbers in row·acceleration may be as large as; rounding is a part of that.
void kkt_normals(Kkt *kkt, const double *rows, size_t count, double *normals, double *sizes);
// The motion departs by y (n − rank numbers in those axes, overwritten) under the force −pull (n).
void kkt_depart(Kkt *kkt, double *y, const double *pull);
// What the equations push in that motion: multipliers of least norm.
void kkt_multipliers(Kkt *kkt, double *multipliers);

#endif
