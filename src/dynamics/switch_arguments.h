// switch_arguments.h: what decides the branches of abs, sign, min, max and tables in the equations.
#ifndef ZWANG_DYNAMICS_SWITCH_ARGUMENTS_H
#define ZWANG_DYNAMICS_SWITCH_ARGUMENTS_H

#include "base/memory.h"
#include "dynamics/dynamics_outcome.h"
#include "expr/expr_types.h"

typedef struct Evaluator Evaluator; // evaluator.h
typedef struct Motion Motion;       // motion_types.h
typedef struct State State;         // dynamics.h

// ---- switch_arguments.c
typedef struct {
    size_t count;
    Expr *at;                        // the argument, or the difference of both; each once
    Expr *functions;                 // the first that each of them decides
    const char **names;              // of these, as they are written
    const struct ExprTable **tables; // whose pieces the argument decides; NULL of other functions
    double *pieces;                  // of tables: that which is held
    double *raw;                     // the arguments when they were last worked out
    // What the text has a value for as long as its argument is not negative; NULL of functions.
    const struct ModelDomain **domains;
} SwitchArguments;
// What is 0 where a function switches: the argument itself; of a table, how far it is inside the
// piece that is held, with the sign + in pieces of even numbers and − in the others, so that it has
// another sign in the next piece. Puts these into the results of the arguments' program.
const double *switch_values(const SwitchArguments *found, Evaluator *arguments,
                            const double *inputs);
// Holds the pieces of the arguments that were worked out last; `which` alone.
void switch_hold(SwitchArguments *found);
void switch_hold_piece(SwitchArguments *found, size_t which);
// What the slopes of an argument are multiplied with to be those of the value.
double switch_factor(const SwitchArguments *found, size_t which);
// All expressions of the equations. The first `forces` of them change accelerations alone: forces
// in all reactions, what friction is bounded by, energies of acceleration without a T, conditions
// on accelerations. The others give velocities and energies; one-sided
// conditions are the last.
Expr *motion_roots(Arena *arena, const Motion *motion, size_t *forces, size_t *count);
// The same and what the declared speeds of the state stand for. These may be narrow at a place:
// they come back to what they were, and poles are looked for by their conditioning.
Expr *motion_roots_with_speeds(Arena *arena, const Motion *motion, const Expr *roots,
                               size_t *count);
// The same and those of conditions over pairs, for what depends on the time alone.
Expr *motion_roots_with_pairs(Arena *arena, const Motion *motion, const Expr *roots, size_t *count);
// The functions that switch, and then the domains of the text that the equations show nothing of.
SwitchArguments switch_arguments(Arena *arena, const Motion *motion);
// The slopes of one of them by t, q and q' as a program.
void switch_slopes_init(Evaluator *slopes, const Equations *eq, Expr argument);
// Moves the coordinates of a state at which it is about 0, by little and on the finite conditions,
// to where it has the sign of `side`; false where that is not found near by.
// `slopes` are those at this state. Along `way`, which leads there; NULL: along the slopes.
bool switch_leave(const Equations *eq, State *state, const SwitchArguments *found,
                  Evaluator *argument, size_t which, const double *slopes, const double *way,
                  int side);

#endif
