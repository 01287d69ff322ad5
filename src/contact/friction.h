// friction.h: dry friction after Coulomb. Plain numbers in, plain numbers out.
//
// A contact has rows g of its normal reaction and rows w of its sliding velocity u, one of them in
// the plane and two, orthonormal, in space; a ball joint turns in three. With λ, F for the
// reactions −λg (one-sided, λ ≥ 0) or +λg (two-sided) and wᵀF, and Φ⁰, Θ⁰ for f'' and u' without
// them,
//
//     f'' = Φ⁰ ∓ gNgᵀλ + gNwᵀF,   u' = Θ⁰ ∓ wNgᵀλ + wNwᵀF,
//
//     |F| ≤ μ_s|λ| where u = 0 and stays so,   F = −μ_k|λ|·(direction of u, or of u') else.
//
// This is no question of a least departure: there may be none or several answers (Painlevé 1895),
// and they are counted. The same with velocities in the place of accelerations and percussions in
// the place of forces is an impact.
//
// Equations are eliminated by the caller: a row is given in axes where the inertia of the
// velocities that they leave free is 1 (kkt_normals), so that N is WWᵀ. The departure from the
// motion without these forces is y = Σ (force)·(row), to be handed to kkt_depart.
#ifndef ZWANG_FRICTION_H
#define ZWANG_FRICTION_H

#include "linalg/kkt_problem.h"

typedef enum {
    FRICTION_ONE_SIDED, // f ≤ 0 touches: one row g, λ ≥ 0, reaction −λg
    FRICTION_TWO_SIDED, // f = 0 is kept: 1 to 3 rows g (a guide, a pin), reaction +λg, bound μ|λ|
    FRICTION_GIVEN      // no row g: the bound of |F| is given
} FrictionLaw;

typedef enum {
    FRICTION_OPEN,   // one-sided: λ = 0, F = 0. The contact may touch on: then f'' = 0.
    FRICTION_STICKS, // the rows w are conditions with reactions F
    FRICTION_SLIPS   // goes on sliding, or begins to; or there is no friction and λ acts
} FrictionMode;

enum { FRICTION_TANGENTS = 3 }; // rows w of one contact, at most

typedef struct FrictionContact {
    FrictionLaw law;
    uint8_t normals, tangents; // rows g, and rows w behind them: 0 to 3, at 0 no friction
    bool slides;               // u ≠ 0, and then its direction s:
    double direction[FRICTION_TANGENTS];
    // μ_k ≤ μ_s. Of FRICTION_GIVEN the bounds R themselves. Of a pin of radius ρ μρ, the row w
    // being that of its angle.
    double sliding, sticking;
} FrictionContact;

// One reaction may press on several frictions, and several on one: the bound of |F| of the contact
// `on`, of FRICTION_GIVEN, is larger by μ|λ| of the contact `by`, which may have no rows w.
typedef struct FrictionPress {
    size_t on, by;
    double sliding, sticking;
} FrictionPress;

typedef struct FrictionProblem {
    size_t count; // of contacts
    const FrictionContact *contacts;
    size_t press_count;
    const FrictionPress *presses;
    size_t size;        // numbers of a row
    const double *rows; // W: contact after contact, its rows g and then its rows w
    // WWᵀ: of each force the rates of all rows that it makes; NULL: it is made. Where reactions
    // have other directions than their rows it need not be symmetric; W then is that of the rows.
    const double *delassus;
    const double *free_rates; // f'' and u' of each row where none of these forces acts
    const double *sizes;      // of the terms that these are sums of, for rounding; NULL: |rates|
    // Look for every answer. Where this is not set the first one found will do, as between events.
    bool count_all;
} FrictionProblem;

// Of each contact. In: where to begin, as of a state nearby, or all 0.
typedef struct FrictionState {
    FrictionMode mode;
    double direction[FRICTION_TANGENTS]; // of the sliding, or of the one that begins
    double normal; // λ, or |λ| where it is two-sided; of FRICTION_GIVEN the bound at rest
    // Sticks: bound − |F|, the least of the best distribution where forces are not unique. Slips:
    // λ, of FRICTION_GIVEN |u'|. Open: −f''.
    double margin;
} FrictionState;

// Where the answer goes; any but `states` may be NULL.
typedef struct FrictionAnswer {
    FrictionState *states; // count
    double *forces;        // of each row: λ and F
    double *rates;         // of each row: f'' and u'
    double *departure;     // y, `size` numbers
} FrictionAnswer;

typedef struct FrictionReport {
    // SOLVE_DONE; SOLVE_NO_SOLUTION: none, proved if `counted`, else none was found;
    // SOLVE_SEVERAL: more than one motion (the answer is the first of them);
    // SOLVE_NOT_FINITE; SOLVE_UNDECIDED: rounding hides it.
    SolveOutcome outcome;
    size_t solutions; // motions found; friction_solution shows each
    bool counted;     // there are no others
    bool unique;      // no other forces give this motion; else these are the least of them
    // Forces that cancel in all rows but those of the sliding may be added, and each gives a motion
    // of its own: a prestress is not known. Then `outcome` is SOLVE_SEVERAL.
    bool wedged;
} FrictionReport;

// Owns the workspace of its solves and what they found. One thread at a time.
typedef struct FrictionSolver FrictionSolver;
FrictionSolver *friction_solver_new(void);
void friction_solver_free(FrictionSolver *solver);

// The instant. Exact in the plane: modes are tried by pivoting, all of them where they are to be
// counted and few enough. In space a single contact is closed (a quartic, all of whose roots are
// looked at); several are found by Newton's method on the circular cone, and counted from below.
// Where μ_s > μ_k a contact at u = 0 sticks while |F| ≤ μ_s λ.
BASE_MUST_USE FrictionReport friction_instant(FrictionSolver *solver,
                                              const FrictionProblem *problem,
                                              const FrictionAnswer *answer);

// One of the motions that the last friction_instant found, from 0 on; valid until the next call.
typedef struct FrictionSolution {
    const FrictionState *states; // of each contact
    const double *forces, *rates;
} FrictionSolution;
FrictionSolution friction_solution(const FrictionSolver *solver, size_t which);

// How far the modes at hand are from a paradox: the least of all principal minors of Φ̂ = Φ + μΨs
// of the contacts that slip, each divided by the same minor of Φ (that of none of them is 1), the
// rows of those that stick being conditions. At 0 reactions grow without bound; below there may be
// none or several. `states` as they were answered.
double friction_least_minor(FrictionSolver *solver, const FrictionProblem *problem,
                            const FrictionState *states);

// ---- Impacts and impulses.
typedef enum { FRICTION_NEWTON, FRICTION_POISSON } FrictionImpactLaw;

typedef struct FrictionImpact {
    // Rates are velocities: free_rates are f'⁻ and u⁻ after the given impulses. `slides` and its
    // direction are not looked at, nor is μ_s. FRICTION_GIVEN: no percussion. Contacts that touch
    // and are not struck take part.
    FrictionProblem system;
    const double *restitution; // e of each contact, within [0, 1]; 0 unless it is one-sided
    const double *drift;       // ∂f/∂t and w's of each row, for the energy; NULL: all 0
    FrictionImpactLaw law;
    // With FRICTION_POISSON: those that follow Newton's restitution; NULL: none. One that is
    // coupled to others comes to f'⁺ ≤ −e f'⁻ in their expansion.
    const bool *newton;
    // Impact without collision: f'⁻ = 0 at a sliding contact of which friction_instant has said
    // that there is no force. One contact, in the plane or in space.
    bool without_collision;
} FrictionImpact;

typedef struct FrictionImpactAnswer { // any may be NULL
    double *percussions;              // P and Q of each row, with the signs of λ and F
    double *rates;                    // f'⁺ and u⁺
    double *departure;                // v⁺ − v⁻ in the axes of the rows
    FrictionState *states;            // as they end: open, sticks, slips with its direction
} FrictionImpactAnswer;

typedef struct FrictionImpactReport {
    SolveOutcome outcome; // as of FrictionReport
    size_t solutions;     // of the last phase that had to be solved as a whole
    bool counted, unique;
    size_t routh, coupled; // contacts by Routh's construction, and by phases together
    // ½ Σ (percussion)·(rate before + after), as seen from the contacts: above 0 the law has made
    // energy, which only FRICTION_NEWTON can; and the change of kinetic energy, without the drift.
    double work, energy;
    // By phases with several e energy could grow (1 of 10 000 random impacts): then every e counts
    // only for this part of it, with which none is made; else 1.
    double rebound;
} FrictionImpactReport;

// FRICTION_POISSON: a contact coupled to no other goes through Routh's construction (in space
// Keller's equation), coupled ones through compression and expansion (Pfeiffer and Glocker).
// FRICTION_NEWTON: f'⁺ = −e f'⁻ with Coulomb's cone on u⁺.
BASE_MUST_USE FrictionImpactReport friction_impact(FrictionSolver *solver,
                                                   const FrictionImpact *impact,
                                                   const FrictionImpactAnswer *answer);

#endif
