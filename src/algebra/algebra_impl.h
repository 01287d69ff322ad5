// algebra_impl.h: what the files of this room share. Never leaves it.
//
// A question is answered in three languages. The asker's expressions are rewritten over
// *atoms* (atoms.c), so that only rational operations and square roots are left. The result
// is either worked out with polynomials (fraction.c, canonical.c) or evaluated in prime
// fields (sample.c), where bounds.c says what a zero there is worth. A NO is always shown at
// a real point in the asker's own language (witness.c).
#ifndef ZWANG_ALGEBRA_IMPL_H
#define ZWANG_ALGEBRA_IMPL_H

#include "algebra/algebra.h"
#include "base/base.h"
#include "program/balls.h"
#include "program/program.h"

// ---- algebra.c: a map from node (never 0) to number.
typedef struct {
    uint32_t *keys, *values;
    size_t count, slot_count;
} IndexMap;
bool index_map_get(const IndexMap *map, uint32_t key, uint32_t *value);
void index_map_put(IndexMap *map, uint32_t key, uint32_t value);
void index_map_clear(IndexMap *map);

// The sine and the cosine of one angle: a free point of the circle s² + c² = 1.
typedef struct {
    Expr angle, sine, cosine; // the last two are symbols that the room made
} Circle;

// Anything that is no rational function of the rest, under a symbol that the room made.
typedef struct {
    Expr symbol, meaning;
} FreeAtom;

struct Algebra {
    ExprPool *pool;
    ARRAY(Circle) circles;
    ARRAY(FreeAtom) atoms;
    IndexMap circle_of_angle;  // angle → index
    IndexMap circle_of_symbol; // sine or cosine → index
    IndexMap atom_of_meaning, atom_of_symbol;
    IndexMap canonical;  // e → its canonical form, 0 where there is none
    IndexMap simplified; // e → its shortest form
    double effort;       // what may still be spent on the question in hand; endless for most
};

// ---- algebra.c
// Takes the work off what may be spent. False where nothing is left.
bool algebra_spend(Algebra *algebra, double work);

// How many nodes e is made of.
size_t algebra_nodes(const Algebra *algebra, Expr e);

// ---- atoms.c
typedef enum {
    ATOMS_SPLIT, // angles are split into their terms, arguments made canonical: decides
    ATOMS_WHOLE  // arguments are kept as they are: reads well
} AtomMode;
// Rewrites the roots over atoms, all together, so that they share their angles.
void atoms_rewrite(Algebra *algebra, AtomMode mode, const Expr *roots, size_t count, Expr *images);
// The circle of a symbol; NULL where it belongs to none.
const Circle *atoms_circle(const Algebra *algebra, Expr symbol);
// What a symbol stands for in the asker's language; the symbol itself where it is his own.
Expr atoms_meaning(Algebra *algebra, Expr symbol);
Circle atoms_circle_at(Algebra *algebra, Expr angle);
// The canonical form of a function's argument, or the argument where that is too large.
Expr atoms_argument(Algebra *algebra, Expr argument);

// Whether all functions in these are sines, cosines and tangents of rational combinations of
// symbols, and no roots are taken unless they are allowed: no relations are left but those of
// circles and of roots.
bool atoms_are_free(const Algebra *algebra, const Expr *exprs, size_t count, bool with_roots);

// ---- angles.c: sines and cosines of combinations, from those of base angles.
typedef struct Angles Angles;
typedef struct {
    Expr sine, cosine;
} SinePair;
Angles *angles_new(Algebra *algebra, AtomMode mode);
void angles_free(Angles *angles);
void angles_meet(Angles *angles, Expr argument); // all of them before the first pair
SinePair angles_pair(Angles *angles, Expr argument);

// ---- bounds.c: how much a zero in a prime field is worth.
typedef struct Bounds Bounds;
// For roots that were rewritten over atoms. NULL where there is too much to bound.
Bounds *bounds_new(const Algebra *algebra, const Expr *roots, size_t count);
void bounds_free(Bounds *bounds);
size_t bounds_width(const Bounds *bounds);
// The bound of a root: bounds_width numbers. That of a product is the sum of the bounds of
// its factors, that of a sum their greatest, each number for itself, and log2 of how many
// terms there are on top of BOUND_HEIGHT.
enum { BOUND_HEIGHT = 1 };
const double *bounds_root(const Bounds *bounds, size_t index);
// Adds the bound of one row of a matrix to that of its determinants: these are sums of products
// with one entry of each row. `entries` counts roots.
void bounds_add_row(const Bounds *bounds, const size_t *entries, size_t count, double *total);
// log2 of the probability that something that is not zero, with this bound, is zero at one
// random point of one random field, drawn by the sample. 0 where nothing can be said.
typedef struct Sample Sample;
double bounds_log2_error(const Bounds *bounds, Sample *sample, const double *bound);
// How many trials bring the error below 2^-102; 0 where none do. (With the same again for the
// signs of roots it stays below 2^-100.)
size_t bounds_trials(double log2_error);

// ---- sample.c: expressions over atoms at random points of random prime fields.
typedef struct {
    uint32_t node; // under the root
    Program *radicand;
    bool *holds;      // which symbols, the first of a circle for both
    size_t stage;     // in which it is made to exist
    bool failed;      // it did not exist at a point of the stage where those before it did
    bool independent; // of those before it: that was seen once
    uint64_t value;   // of what is under the root
    bool copy;        // it was the value of one before it at every point
} SampleRoot;
struct Sample {
    const Algebra *algebra;
    Program *program;
    ExprList symbols;
    size_t *twin;  // of a symbol: the first symbol of the same circle, or itself
    size_t *stage; // in which a symbol is drawn
    size_t stages; // the last one; 0 is that of the prime, and of symbols that no root holds
    ARRAY(SampleRoot) roots; // by stages
    bool independent;        // all of them: seen at every point from now on
    bool hopeless;           // too many of them share their symbols: no point is found
    uint64_t *parameters, *inputs, *work;
    uint64_t *outputs; // what the last draw gave
    uint64_t prime;    // the field of the last draw
    Random random;
};
bool sample_init(Sample *sample, const Algebra *algebra, const Expr *roots, size_t count);
void sample_clear(Sample *sample);
// Evaluates at a new point of a new field. False where no point was found with all divisors
// different from zero and all roots in the field.
bool sample_draw(Sample *sample);
// At another point of the same field, which keeps the values of the symbols that are held.
bool sample_draw_holding(Sample *sample, const bool *held);

// Draws a new prime where the stage is 0 and a new field is wanted, and values for the symbols of
// the stage but those that are held (NULL: none is).
void sample_draw_stage(Sample *sample, const bool *held, bool new_field, size_t stage);

// ---- square_roots.c: points at which square roots exist.
void square_roots_init(Sample *sample, const Expr *symbols, const Expr *exprs, size_t count);
void square_roots_clear(Sample *sample);
// Draws a stage until its roots exist; signs of roots under them as drawn. False where that does
// not come to pass.
bool square_roots_draw(Sample *sample, const bool *held, bool new_field, size_t stage,
                       uint64_t signs);
// How many points more let every choice of signs be drawn that may matter, with a certainty of
// 1 − 2^-102; 0 where no choice does. False where too many roots depend on each other.
enum { MOST_DEPENDENT_ROOTS = 6 };
bool square_roots_sign_trials(Sample *sample, size_t *trials);
// log2 of how much more often a polynomial can vanish because of the roots, where all are
// independent.
double square_roots_log2_weight(Sample *sample);

// ---- witness.c: real rational points.
typedef enum { WITNESS_QUICK, WITNESS_THOROUGH } WitnessEffort;
// Whether the values that the expressions take show what is asked.
typedef bool (*WitnessTest)(void *context, arb_srcptr values, slong precision);
// Looks for a point where the test succeeds; then *text names it, and the caller frees it.
bool witness_find(const Algebra *algebra, const Expr *exprs, size_t count, WitnessEffort effort,
                  WitnessTest test, void *context, char **text);

// The values of one expression: not zero for certain.
bool witness_excludes_zero(void *context, arb_srcptr values, slong precision);

// ---- simplify.c: what an expression costs its reader, in things to read.
double algebra_cost(const ExprPool *pool, Expr e);
enum { ALGEBRA_BRACKETS = 2 }; // of a pair of brackets, and as much again for each pair inside

// ---- algebra.c: verdicts.
Verdict verdict_yes(ProofKind proof, double log2_error);
Verdict verdict_no(ProofKind proof, char *witness);
Verdict verdict_unknown(const char *reason);

#endif
