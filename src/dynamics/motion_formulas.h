// motion_formulas.h: the equations of motion as formulas, for exported code.
#ifndef ZWANG_DYNAMICS_MOTION_FORMULAS_H
#define ZWANG_DYNAMICS_MOTION_FORMULAS_H

#include "base/memory.h"
#include "expr/expr_types.h"

typedef struct Motion Motion;                       // motion.h
typedef struct ProgramDefinition ProgramDefinition; // program.h

// ---- The motion as formulas, for those who take it elsewhere: in t, q, the speeds in use and the
// parameters, with pivots that are good at the start.
typedef struct RunFormulas {
    const ProgramDefinition *definitions; // of q' (the motion's symbols) among others
    size_t definition_count;
    size_t n, k;
    const Expr *speeds;             // k symbols: the speeds that are in use at the start
    const char *const *speed_names; // "v", "theta'"
    const double *u;                // their values there
    bool solved;                    // else `rates` are symbols, matrix·rates = right
    const Expr *rates;              // k: u'
    const Expr *matrix, *right;     // k × k; k
    const Expr *basis;              // n × k: q' = basis·u + what is free of u
    const Expr *accelerations;      // n: q'', in rates
    // The displacements on which no reaction does work, n × free: what acts on q by g has
    // gᵀ·displacements on the right, in the last places of it. Those of `basis`, but under servos,
    // conditions that are not linear in the velocities and conditions on accelerations.
    const Expr *displacements;
    size_t free;
    // Multipliers that are unknown beside the rates: matrix and right are larger by these, whose
    // columns come last.
    const Expr *multipliers;
    const struct ModelConstraint **conditions; // whose multipliers they are
    size_t multiplier_count;
    // Where a condition is not affine in q'', or a force in reactions: `right`, which holds the
    // rates and these multipliers, has to vanish, and `matrix` is how it changes with them.
    bool implicit;
    const double *stationary; // what they are at the start
    // The conditions that the others follow from along the motion, as the motion's rows.
    const size_t *kept;
    size_t kept_count;
    // Of every pivot that moves: what it is, and what it is measured by.
    const Expr *pivots;
    size_t pivot_count;
} RunFormulas;
struct Equations;
struct State;
typedef struct RatesBuilder RunFormulasRoom; // its arena owns what the formulas point to
// At the present state, which has velocities. The room owns what the formulas point to. An error
// where the motion is no set of formulas. With `fixed` the parameters have their numbers, which
// makes them shorter; with `whole` all velocities are the speeds and all multipliers unknown, so
// that nothing is divided by.
BASE_MUST_USE Status motion_formulas(const struct Equations *eq, struct State *state,
                                     Motion *motion, bool fixed, bool whole, Diag *diag,
                                     RunFormulasRoom **room, RunFormulas *formulas);
void run_formulas_free(RunFormulasRoom *room);

#endif
