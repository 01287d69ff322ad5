// elimination_impl.h: Gauss's function of accelerations as they are defined, and its elimination.
// Only for the sources elimination*.c.
#ifndef ZWANG_DYNAMICS_ELIMINATION_IMPL_H
#define ZWANG_DYNAMICS_ELIMINATION_IMPL_H

#include "base/memory.h"
#include "dynamics/elimination.h"
#include "motion/definitions.h"
#include "program/assembly.h"

// ---- elimination_form.c: Z = ½ xᵀQx + bᵀx. Unknown 0 is known, and 0.

typedef struct {
    uint32_t unknown;
    ProgramValue value;
    bool cancelled; // of a row's entry: nothing but rounding is left of it at the samples' state
} GaussTerm;
typedef ARRAY(GaussTerm) GaussTerms;

typedef struct {
    GaussTerms entries; // of its row, but for the diagonal
    ProgramValue diagonal, bias;
    ProgramValue measure; // what the diagonal has been given, before others took of it
    bool multiplier;      // of a row
    bool grasped;         // the diagonal of a row has more than rounding
    bool driven;          // a servo's condition or force, which do not belong together: it waits
    bool left;            // it was eliminated
} GaussUnknown;

// unknown = Σ value·unknown + constant.
typedef struct {
    uint32_t unknown;
    size_t first, count; // among the log's terms
    ProgramValue constant;
} GaussStep;

typedef struct {
    ProgramValue value, measure;
    bool constant; // it is a number
} GaussPivot;

typedef struct {
    Assembly *assembly;
    ARRAY(GaussUnknown) unknowns;
    ARRAY(GaussStep) log;
    GaussTerms log_terms;
    ARRAY(GaussPivot) pivots;
    ProgramValue zero;
} GaussForm;
void quadratic_init(GaussForm *form, Assembly *assembly);
void quadratic_clear(GaussForm *form);
uint32_t quadratic_new_unknown(GaussForm *form, bool multiplier);
void quadratic_add(GaussForm *form, uint32_t x, uint32_t y, ProgramValue value);
void quadratic_add_bias(GaussForm *form, uint32_t x, ProgramValue value);
ProgramValue quadratic_entry(const GaussForm *form, uint32_t x, uint32_t y);
ProgramValue quadratic_bias(const GaussForm *form, uint32_t x);
// Holds all entries; there is no bias any more.
void quadratic_hold(GaussForm *form);
// x = Σ terms: x leaves.
void quadratic_substitute(GaussForm *form, uint32_t x, const GaussTerm *terms, size_t count);
// The same of up to three unknowns at once, which is shorter; the terms are used up.
void quadratic_substitute_vector(GaussForm *form, const uint32_t *x, GaussTerms *terms,
                                 size_t count);
// Pairs of unknowns (first, second) are those of the parent's axes (at + 2·count …), turned by an
// angle; they leave.
void quadratic_turn(GaussForm *form, const uint32_t *pairs, const uint32_t *above, size_t count,
                    ProgramValue cosine, ProgramValue sine);
// x minimizes, or λ maximizes; false where its pivot is 0, to the eye or to rounding.
bool quadratic_least(GaussForm *form, uint32_t x);
// A free unknown: from a row that has it with a constant, else the least.
bool quadratic_free(GaussForm *form, uint32_t x);
// The same without inertia: from any row that has it.
bool quadratic_row(GaussForm *form, uint32_t x);
// x is known.
void quadratic_set(GaussForm *form, uint32_t x, ProgramValue value);
// The values of all unknowns, from the log read backwards.
ProgramValue *quadratic_solve(const GaussForm *form);

// ---- Vectors.
typedef struct {
    ProgramValue at[3];
} Triple;

// One component of a definition: x = Σ terms. Where `inverted` it defines that term's coordinate.
typedef struct {
    uint32_t x;
    size_t first, count; // among the definitions' terms
    size_t inverted;     // count: none
} ScalarDefinition;

// The acceleration of a point along the axes of a frame.
typedef struct {
    uint32_t axes, next; // of the same point; 0 ends
    uint32_t ids[3];
    Triple bias;     // for q'' = 0
    Triple velocity; // of the point
    size_t item;     // where it is defined
} GaussView;

typedef struct {
    bool used, still; // still: its vectors are along the axes of its parent
    uint32_t axes;    // of its vectors: those of this frame
    int axis;         // that it is turned about in its parent; −1: some matrix
    // The turn from the axes of the parent's vectors to its own, or, where it stays still, from the
    // axes of its vectors to the frame itself.
    ProgramValue cosine, sine;
    ProgramValue angle; // the same
    Triple columns[3];
    Triple omega, alpha; // for q'' = 0
    uint32_t ids[3];
    ARRAY(size_t) group;       // points and views that are turned with it, in pairs
    size_t item, enter, leave; // + 1; the interval of what hangs on it
} GaussFrame;

typedef struct {
    uint32_t axes, views; // the first view is along its axes
    bool used;
} GaussPoint;

typedef enum { ITEM_FRAME, ITEM_POINT, ITEM_VIEW } GaussItemKind;
typedef struct {
    GaussItemKind kind;
    size_t index; // frame, or point
    uint32_t view;
    size_t scalars; // its first scalar definition
    size_t scalar_count;
    size_t closing; // first row that is closed after it, + 1
} GaussItem;

typedef struct Gauss {
    Arena *arena;
    const Definitions *definitions;
    Assembly *assembly;
    ExprSubst *fixed; // parameters to their numbers; NULL: none
    // Where velocities are looked for: those to 0, so that what is known "for q'' = 0" is known for
    // q' = 0, and vectors are velocities; else NULL.
    ExprSubst *at_rest;
    EliminationOptions options;
    // Inputs for accelerations and multipliers, which then stand in all that is known "for q'' =
    // 0"; or NULL.
    const Expr *guesses;
    GaussForm form;
    GaussFrame *frames;
    GaussPoint *points;
    ARRAY(GaussView) views; // [0] is none
    ARRAY(GaussItem) items; // in the order of definition; + 1 elsewhere
    ARRAY(ScalarDefinition) scalars;
    GaussTerms terms;
    ARRAY(DefinedBody) bodies, particles;
    ARRAY(size_t) next_body;             // of the same frame, + 1
    size_t *first_body;                  // of every frame, + 1
    uint32_t *coordinates, *multipliers; // unknowns
    uint32_t *reactions;         // what keeps the conditions: their multipliers, but for servos
    size_t *uses;                // of coordinates: scalar definitions that are left
    size_t *places;              // of coordinates: the first item that has them, + 1
    size_t *next_closing;        // of rows
    ProgramValue *inertias;      // of coordinates, where these are asked for
    ARRAY(ProgramValue) moments; // of inertia whose mean has become a number
    bool failed;
} Gauss;

ProgramValue gauss_lower(Gauss *gauss, Expr e);
// The form of an expression whose parameters have their numbers.
Expr gauss_fixed(Gauss *gauss, Expr e);

// The pairs of unknowns that an item turns, (own, own) …, and those above them, each with room for
// `gauss_turned_room`; how many pairs.
size_t gauss_turned_room(const Gauss *gauss, const GaussItem *item);
size_t gauss_turned(const Gauss *gauss, const GaussItem *item, uint32_t *own, uint32_t *above);
const GaussFrame *gauss_turning_frame(const Gauss *gauss, const GaussItem *item);

// ---- elimination_residual.c
// The guess for a coordinate's acceleration, or behind these for a multiplier; 0 where there is
// none.
ProgramValue gauss_guess(Gauss *gauss, size_t i);
// Σ factor·guess of a component.
ProgramValue gauss_guessed(Gauss *gauss, const DefinitionTerm *terms, size_t count);
// What the equations miss with the guesses goes to coordinates and multipliers; from then on all
// factors are held.
void gauss_settle(Gauss *gauss);

// What a condition acts on: vectors, and coordinates.
size_t gauss_row_forces(const Gauss *gauss, const DefinedRow *row);
const DefinitionTerm *gauss_row_terms(const Gauss *gauss, const DefinedRow *row, size_t *count);

// ---- elimination_order.c
void gauss_regroup(Gauss *gauss);
// Which vectors there are, along which axes, and the order of their definitions.
void gauss_order(Gauss *gauss);
uint32_t gauss_view(const Gauss *gauss, size_t point, uint32_t axes);
uint32_t gauss_parent(const Gauss *gauss, uint32_t frame);
uint32_t gauss_parent_axes(const Gauss *gauss, uint32_t axes);
// After which item each row is closed.
void gauss_close_rows(Gauss *gauss);

// ---- elimination_servos.c
// Two unknowns for a servo: λ of its condition, whose value is 0, and its force.
void gauss_new_servo(Gauss *gauss, size_t row);
// The forces of all servos, when nothing else is left; false where they cannot keep the conditions.
bool gauss_solve_servos(Gauss *gauss);

// ---- elimination_forward.c
// Velocities and accelerations for q'' = 0, and the definitions of all vectors.
void gauss_forward(Gauss *gauss);
// An entry of α⁰× + ωωᵀ − ω².
ProgramValue gauss_square(Gauss *gauss, uint32_t frame, int i, int j);
// A vector from the axes of one frame's vectors up to those of another above it.
Triple gauss_turn_up(Gauss *gauss, Triple v, uint32_t from, uint32_t to);
// What has components in a frame, along the axes of the frame's vectors.
Triple gauss_in_axes(Gauss *gauss, uint32_t frame, Triple v);

// ---- elimination_bodies.c
// What bodies, forces, energies and conditions give to the form.
void gauss_add_all(Gauss *gauss);
// What conditions and so many speeds say of velocities.
void gauss_add_velocities(Gauss *gauss, const EliminationSpeed *speeds, size_t count);

#endif
