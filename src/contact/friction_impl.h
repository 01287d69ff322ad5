// friction_impl.h: the parts of the solver for dry friction. Never leaves the room.
#ifndef ZWANG_FRICTION_IMPL_H
#define ZWANG_FRICTION_IMPL_H

#include "contact/friction.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"

#include <string.h>

// ---- The scaled problem: rows of length 1, one-sided ones turned round, rates of size 1.
//
// With the forces p of the rows the rates are ρ = b + Ap, and a one-sided contact has
// 0 ≤ p ⊥ ρ ≥ 0.
typedef struct {
    FrictionLaw law;
    uint8_t normals, tangents;
    bool slides;
    bool presses; // on the friction of another contact
    double direction[FRICTION_TANGENTS];
    double kinetic, limit; // μ_k, μ_s, or R_k, R_s
    double least;          // of λ of a one-sided one: 0 but in the expansion of an impact
    double unit;           // of its friction, in the user's units
    size_t row;            // the first of its rows
    size_t column;         // the first of those of the equations at hand that are its own
} FrictionPart;

// What a contact does: with its mode and directions the equations are linear.
typedef struct {
    FrictionMode mode;
    bool held; // one-sided: λ is the least, and the contact opens; friction acts on
    double d[FRICTION_TANGENTS]; // slips: of the sliding
    double e[3];                 // two-sided: of the normal reaction, where friction goes with it
    // Slips in several rows: |F|, where the direction is unknown too, and `along` is u'·d; else 0.
    double turns, along;
} FrictionPiece;

typedef struct Friction {
    size_t count, rows, press_count;
    FrictionPart *parts;
    FrictionPress *presses; // with μ_k, μ_s of the scaled problem
    const double *matrix;   // A
    const double *free;     // b
    const double *sizes;    // of the terms of b
    double added;           // to the diagonal of A in the equations, and the p that belongs to it
    const double *former;
    // The answer for the pieces at hand:
    double *forces, *rates;
    double far; // |y|, as large as forces make the terms of a rate
    // Workspace of the equations: `unknowns` columns, each of several forces.
    size_t unknowns, share_count;
    struct FrictionColumn *columns;
    struct FrictionShare *shares; // what presses on the friction of other contacts
    const FrictionPiece *pieces;  // whose equations they are
    double *equations, *solved;
    int *pivots;
    size_t *order; // of changes
    FrictionPiece *trial;
} Friction;

typedef struct FrictionColumn {
    size_t row; // the first force,
    uint8_t forces;
    double share[3 + FRICTION_TANGENTS]; // and how much of each
    uint8_t tests;                       // the rates that vanish, from `at` on,
    size_t at;
    double test[FRICTION_TANGENTS]; // and how much of each
    double own;                     // what is added on the diagonal
} FrictionColumn;

// A further force that goes with a column.
typedef struct FrictionShare {
    size_t column, row;
    double share;
} FrictionShare;

void friction_alloc(Friction *friction, Arena *arena, size_t count, size_t rows,
                    size_t press_count);

// ---- friction_system.c: the equations of given pieces.
// Unit vectors across a unit vector d of this many parts, and across each other: one fewer.
void friction_across(const double *d, size_t tangents, double across[][FRICTION_TANGENTS]);
// Forces and rates. False where the equations are singular; `far` is then as it was.
bool friction_system_solve(Friction *friction, const FrictionPiece *pieces);
// The equations themselves, column after column, with their right sides in `solved`.
void friction_system_equations(Friction *friction, const FrictionPiece *pieces);
// What the entries of a column are sums of, at most, rows being of length 1.
double friction_column_size(const Friction *friction, size_t c);
// The bound of a contact's friction in these forces, sticking or sliding.
double friction_bound(const Friction *friction, size_t l, const double *forces, bool sticks);
// Whether the direction of its normal reaction is one of a friction that slides in these pieces.
bool friction_needs_direction(const Friction *friction, const FrictionPiece *pieces, size_t l);
// Whether other reactions than its own press on it.
bool friction_is_pressed(const Friction *friction, size_t l);
// Lays out the columns; returns how many. Forces that are given stand in `forces`, all others 0.
size_t friction_system_columns(Friction *friction, const FrictionPiece *pieces);
// ρ = b + Ap and |y| for the forces at hand.
void friction_system_rates(Friction *friction);
// Forces from what was solved for.
void friction_system_forces(Friction *friction, const double *solved);
// Whether x < 0 by more than rounding.
static inline bool friction_is_negative(double x, double size)
{
    return x < -TOL_RATE * size;
}
// Whether the forces and rates at hand are those of the piece; else what it becomes.
bool friction_system_fits(const Friction *friction, size_t l, const FrictionPiece *piece,
                          FrictionPiece *becomes);
// How large the forces of a part may be, for rounding.
double friction_force_size(const Friction *friction, size_t l);

// ---- friction_newton.c: pieces are exchanged until all fit.
typedef enum { FRICTION_FITS, FRICTION_SINGULAR, FRICTION_ENDLESS } FrictionSearch;
FrictionSearch friction_newton(Friction *friction, FrictionPiece *pieces, size_t rounds);

// ---- friction_statics.c: pieces whose equations are singular, rows being dependent.
typedef struct {
    bool
        feasible; // some forces fit the pieces: the least of them stand in `forces`, with the rates
    bool wedged;  // others of them give another motion
    double margin; // of all that stick, bound − |F| at its least, in the user's units, at its best
} FrictionStatics;
FrictionStatics friction_statics(Friction *friction, const FrictionPiece *pieces);

// ---- friction_motions.c: the motions found, each once.
typedef struct {
    FrictionPiece *pieces;
    double *forces, *rates;
    FrictionStatics statics; // `feasible` where the forces are not unique
    bool shared;             // other modes with other forces have the same motion
} FrictionMotion;
typedef struct {
    Arena *arena;
    ARRAY(FrictionMotion) list;
} FrictionMotions;
// Takes the forces at hand, unless their motion is known already.
void friction_motions_take(FrictionMotions *motions, const Friction *friction,
                           const FrictionPiece *pieces, const FrictionStatics *statics);
// Where μ_s > μ_k: drops those in which a contact slides that sticks in another one by μ_s alone.
void friction_motions_keep_sticking(FrictionMotions *motions, const Friction *friction);
// Every motion, contacts that know nothing of each other apart, so that all choices among theirs
// are motions. False where there might be others.
bool friction_motions_find(FrictionMotions *motions, Friction *friction,
                           const FrictionPiece *guess);

// ---- friction_count.c: every motion of contacts that are coupled.
// How many modes there are to try.
double friction_count_modes(const Friction *friction);
// Tries them all. False where there might be others.
bool friction_count_all(Friction *friction, FrictionMotions *motions);

// ---- friction_search.c: one motion.
// From a guess, or without one. False where none is found.
bool friction_search(Friction *friction, FrictionPiece *pieces, FrictionStatics *statics);

// ---- friction_space.c: a contact in space of which the sliding begins.
// Directions φ within [−π, π) in which c₀ + c₁cos φ + c₂sin φ + c₃cos 2φ + c₄sin 2φ vanishes.
size_t friction_trigonometric_roots(const double *c, double *angles, size_t most);

// ---- friction_minor.c: as friction_least_minor.
double friction_minor(Friction *friction, const FrictionPiece *pieces);

// ---- friction_routh.c: the impact of one contact that no other is coupled to.
typedef struct {
    double phi, psi[2], theta[2][2], mu; // Φ, Ψ, Θ
} FrictionRouth;
// f'⁻ and u⁻ become those after it, with the percussions; Θ is regular. False where it does not
// come to an end.
bool friction_routh(const FrictionRouth *contact, size_t tangents, double restitution,
                    double *approach, double *u, double *P, double *Q);

// ---- friction.c: friction_instant with λ ≥ least of each contact, in the user's units.
FrictionReport friction_solve(FrictionSolver *solver, const FrictionProblem *problem,
                              const double *least, const FrictionAnswer *answer);

#endif
