// elimination.h: accelerations and multipliers at a cost linear in the number of bodies, from
// Gauss's function of the accelerations as they are defined.
#ifndef ZWANG_DYNAMICS_ELIMINATION_H
#define ZWANG_DYNAMICS_ELIMINATION_H

#include "base/memory.h"
#include "expr/expr_types.h"
#include "program/assembly.h"

typedef struct Definitions Definitions; // motion/definitions.h
typedef struct Motion Motion;           // motion_types.h

// Which of several ways that give the same.
typedef struct {
    bool still;     // frames with parallel axes share their axes
    bool regrouped; // what a turn does not change belongs to the parent
    bool moved;     // after that: masses at points take the place of first moments
    bool vectors;   // conditions on velocities of points act on these, not on coordinates
    bool diagonal; // not the accelerations, but the inertia of each coordinate with all others at 0
} EliminationOptions;

typedef struct {
    ProgramValue *accelerations; // n; or 𝓜's diagonal
    ProgramValue *multipliers;   // m, λ of the reactions λ·b
    ProgramValue *pivots;        // what is divided by, and what that is measured by, in turn
    size_t pivot_count;          // of both
    ProgramValue *divisors;      // all that is divided by and is no number
    size_t divisor_count;
    ProgramValue *checks;  // all pivots, each with what its size was compared with
    size_t check_count;    // of both
    ProgramValue *moments; // of inertia, the mean of which has become a number; often none
    size_t moment_count;
} EliminationResult;

// In an assembly whose samples are set; false where some pivot is 0 or a symbol has no value.
// `fixed` gives parameters their numbers; NULL: they are inputs. The arena owns the result.
bool eliminate(const Definitions *definitions, EliminationOptions options, Assembly *assembly,
               ExprSubst *fixed, Arena *arena, EliminationResult *result);

// The same for power series: the accelerations (n) and what the form has for multipliers (m) are
// inputs, which stand for what is not known yet, and become what the equations miss with these,
// divided by factors that are held from order 0 on (assembly_hold).
bool eliminate_residual(const Definitions *definitions, EliminationOptions options,
                        const Expr *guesses, Assembly *assembly, ExprSubst *fixed, Arena *arena,
                        EliminationResult *result);

// About the mean of the moments' sizes, those that are not 0: a power of 2.
double elimination_mean(const double *moments, size_t count);

// A speed that determines the velocities with the conditions: y·q' + y0, or one velocity.
typedef struct {
    Expr symbol;   // an input
    const Expr *y; // n; NULL: it is a velocity
    Expr y0;
    size_t index; // which
} EliminationSpeed;
// Velocities in the place of accelerations, from conditions and k speeds: by the same definitions,
// without inertia. There are no multipliers.
bool eliminate_velocities(const Definitions *definitions, EliminationOptions options,
                          const EliminationSpeed *speeds, Assembly *assembly, ExprSubst *fixed,
                          Arena *arena, EliminationResult *result);

// A state that is nothing special, t | q | q', and numbers for the parameters: where generic
// questions are decided.
typedef struct {
    Expr *inputs;
    double *state;
    size_t count;
    ExprSubst *fixed; // the caller frees it
} EliminationSample;
// In an arena; false where a parameter has no number.
bool elimination_sample(const Motion *motion, Arena *arena, EliminationSample *sample);

#endif
