// kkt_impl.h: what the files of the KKT equations share. Never leaves the room.
#ifndef ZWANG_LINALG_KKT_IMPL_H
#define ZWANG_LINALG_KKT_IMPL_H

#include "linalg/kkt.h"

// ---- kkt_directed.c: rows that forces of given directions keep.
typedef struct Directed Directed;
Directed *directed_new(size_t n, size_t most_rows);
void directed_free(Directed *directed);
// SOLVE_DONE, or SOLVE_UNCONTROLLABLE where the rows or the directions depend on each other, or the
// directions cannot keep the rows, or the inertia is singular. The inputs are finite.
// How well they do is *power, as in KktReport.
SolveOutcome directed_solve(Directed *directed, const KktProblem *problem, double *accelerations,
                            double *multipliers, double *power);

#endif
