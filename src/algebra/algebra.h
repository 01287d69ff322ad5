// algebra.h: exactness. Decides, canonicalizes and solves; never rounds.
//
// Expressions are read as rational functions of free symbols. Sines and cosines
// of rational combinations of terms are points of circles (s² + c² = 1); square
// roots are roots; every other function of the same argument is one more free
// symbol. A YES is a theorem (exact), or has a stated probability of error
// below 2^-100 (modular). A NO has a real rational point as witness where balls
// exclude zero. Everything else is UNKNOWN.
#ifndef ZWANG_ALGEBRA_H
#define ZWANG_ALGEBRA_H

#include "algebra/simplify.h"
#include "algebra/stationary.h"
#include "expr/expr.h"

typedef struct Program Program; // program.h

// Numeric is no proof, and algebra never gives it: later rooms may say that numbers agree.
typedef enum { PROOF_NONE, PROOF_EXACT, PROOF_MODULAR, PROOF_NUMERIC } ProofKind;

typedef struct {
    Answer answer;
    ProofKind proof;    // how a YES was reached, or a NO first seen
    double log2_error;  // for a modular YES: log2 of the probability that it is wrong
    const char *reason; // for UNKNOWN: a short sentence; else NULL
    char *witness;      // for NO: "x = 3/7, theta = 2"; owned, free with verdict_clear
} Verdict;
void verdict_clear(Verdict *verdict);

typedef struct Algebra Algebra; // holds the pool, remembers what it has canonicalized
Algebra *algebra_new(ExprPool *pool);
void algebra_free(Algebra *algebra);

// Is e zero for all values of its symbols?
Verdict algebra_is_zero(Algebra *algebra, Expr e);
bool algebra_vanishes(Algebra *algebra, Expr e); // that is proved
// The same by one road only, for tests and for graphs known to be large.
Verdict algebra_is_zero_canonical(Algebra *algebra, Expr e);
Verdict algebra_is_zero_modular(Algebra *algebra, Expr e);

// A real rational point at which the first of these is certainly not 0, and about what all of them
// are there. False where none was found that shows it.
bool algebra_nonzero_point(Algebra *algebra, const Expr *exprs, size_t count, double *values);

// Which of these are equal, or opposite, or zero: exprs[i] = sign·exprs[as], with `as` the first
// that this is true of; 0 as sign where it is zero, itself and 1 where nothing else was proved.
// Equality has a probability of error below 2^-100, as above.
typedef struct {
    size_t as;
    int sign;
} AlgebraSame;
void algebra_find_same(Algebra *algebra, const Expr *exprs, size_t count, AlgebraSame *same);

// The canonical form of e: equal rational functions (with s² + c² = 1) have the same form.
// UNKNOWN as answer, and *form = e, where it would be too large or the exponents too high.
// Angles that are thirds, fifths … of each other (x/3 and x) are seen to be related within one
// expression, not between two; algebra_is_zero of the difference sees both.
Answer algebra_canonical(Algebra *algebra, Expr e, Expr *form);

// A square linear system matrix·x = right, row-major.
typedef struct {
    size_t size;
    const Expr *matrix; // size × size
    const Expr *right;  // size
} LinearSystem;

// Do both systems (generically regular; a singular one gives UNKNOWN with that reason) have
// the same values for their first `shared` unknowns?
Verdict algebra_same_solution(Algebra *algebra, const LinearSystem *a, const LinearSystem *b,
                              size_t shared);
// The same without trying exact elimination, for tests and for systems known to be large.
Verdict algebra_same_solution_modular(Algebra *algebra, const LinearSystem *a,
                                      const LinearSystem *b, size_t shared);

// Generic rank of a rows × columns matrix over the field of functions, by evaluation in prime
// fields: understated with probability < 2^-100. It takes functions that no atom relates for
// independent, and roots with the signs that make it greatest, so that it may be overstated:
// algebra_shows_independent tells whether the independent rows are.
// independent_rows[i] says whether row i is independent of the rows before it; pivot_columns
// holds for each independent row, in order, a column, so that the square block is regular:
// columns are tried in the order given by `preference` (may be NULL: from the left).
// Either output may be NULL. -1 where the entries cannot be evaluated, or their degrees are
// too large for the fields.
ptrdiff_t algebra_rank(Algebra *algebra, const Expr *matrix, size_t rows, size_t columns,
                       const size_t *preference, bool *independent_rows, size_t *pivot_columns);

// Chooses as many independent rows as there are columns, those that stand first before others, with
// all of the `first` ones among them. What is independent at one point of one field is so in
// general, so that nothing need be bounded; false where the first point that is tried shows no such
// choice.
bool algebra_choose_basis(Algebra *algebra, const Expr *matrix, size_t rows, size_t columns,
                          size_t first, bool *chosen);

// Whether the rows of a matrix are shown to be independent functions. Its rank in prime fields is
// that of free functions; those that are given may be related in ways that atoms do not know
// (|x| = x·sign x, tanh = sinh/cosh), and the rank is then at most that. Where sines and cosines of
// sums of symbols are all there is, no such relation exists; else balls show it at a real point.
// False where nothing shows it.
bool algebra_shows_independent(Algebra *algebra, const Expr *matrix, size_t rows, size_t columns);
// The same of those rows that are chosen.
bool algebra_shows_chosen(Algebra *algebra, const Expr *matrix, size_t rows, size_t columns,
                          const bool *chosen);
// Looks for a real point at which so many rows are independent, and tells which ones, each of those
// before it. False where none is found.
bool algebra_show_rank(Algebra *algebra, const Expr *matrix, size_t rows, size_t columns,
                       size_t rank, bool *independent);

// Linear relations with constant coefficients between columns of functions: every c with
// Σ_j c_j·e_ij = 0 in each row i, where c may hold the constants and nothing else does. Each is
// proved by putting it in; what could not be proved is left out. A basis: each has 1 in a column
// that is 0 in the others, and is 0 after that column.
typedef struct {
    size_t count, columns;
    Expr *coefficients; // count × columns
    ProofKind *proofs;  // how each was proved
    size_t unproved;    // how many more there seem to be
} AlgebraRelations;
void algebra_relations(Algebra *algebra, const Expr *matrix, size_t rows, size_t columns,
                       const Expr *constants, size_t constant_count, AlgebraRelations *relations);
void algebra_relations_clear(AlgebraRelations *relations);
// Which columns are independent of those before them in this sense; by one field, so that a
// column may be missed, with a probability below 2^-40. False where nothing can be evaluated.
bool algebra_constant_rank(Algebra *algebra, const Expr *matrix, size_t rows, size_t columns,
                           const Expr *constants, size_t constant_count, bool *independent);

// Values of expressions at random points of random prime fields, for questions about rational
// functions of many values that would be too large to be written down.
typedef struct AlgebraPoints AlgebraPoints;
// NULL where they cannot be evaluated so.
AlgebraPoints *algebra_points_new(Algebra *algebra, const Expr *exprs, size_t count);
void algebra_points_free(AlgebraPoints *points);
// How many points bring the probability that a polynomial in the values vanishes at all of them,
// but not everywhere, below 2^-100; 0 where none do.
size_t algebra_points_enough(AlgebraPoints *points, double degree, double log2_terms);
// Whether no functions in the expressions can be related in a way that the fields do not know, as
// above, and all roots are independent: then what is not zero in a field is not zero.
bool algebra_points_are_free(const AlgebraPoints *points);
// A new point of a new field; the values hold until the next. False where none is found.
bool algebra_points_next(AlgebraPoints *points, uint64_t *prime, const uint64_t **values);
uint64_t algebra_field_mul(uint64_t a, uint64_t b, uint64_t prime);
uint64_t algebra_field_inverse(uint64_t a, uint64_t prime);

// Solves matrix·X = right symbolically (right has `columns` columns), keeping the graph small:
// pivots that are constants first, then small blocks by determinants where these are short, so
// that no division is introduced that the solution does not need. Any other pivot is a function
// that is not zero everywhere, and may be so somewhere. False where the matrix is singular.
bool algebra_solve(Algebra *algebra, const Expr *matrix, const Expr *right, size_t size,
                   size_t columns, Expr *solution);
// The same, for one column and a symmetric matrix that is positive wherever it is regular, as an
// inertia is: its pivots stand on the diagonal, so that the solution is finite there, too.
bool algebra_solve_positive(Algebra *algebra, const Expr *matrix, const Expr *right, size_t size,
                            Expr *solution);

// ---- Polynomials in one symbol.
// The numerator of e as a product of powers of polynomials in x with coefficients that do not hold
// it; factors without x are left out. False where e is too large, or no rational function of x.
typedef struct {
    size_t degree;
    Expr *coefficients; // degree + 1, from the constant one up
} AlgebraFactor;
typedef struct {
    size_t count;
    AlgebraFactor *factors;
} AlgebraFactors;
bool algebra_factors(Algebra *algebra, Expr e, Expr x, AlgebraFactors *factors);
void algebra_factors_clear(AlgebraFactors *factors);

// ---- Matrices of balls (Arb), all to the same number of bits: every entry encloses the true one.
typedef struct AlgebraMatrix AlgebraMatrix;
enum { ALGEBRA_BITS = 384 };
AlgebraMatrix *algebra_matrix_new(size_t rows, size_t columns); // zeros
void algebra_matrix_free(AlgebraMatrix *matrix);
void algebra_matrix_set(AlgebraMatrix *matrix, size_t row, size_t column, double value); // exactly
double algebra_matrix_get(const AlgebraMatrix *matrix, size_t row, size_t column); // of its middle
// -1 or 1 where that is sure, else 0.
int algebra_matrix_sign(const AlgebraMatrix *matrix, size_t row, size_t column);
void algebra_matrix_copy(AlgebraMatrix *to, size_t row, size_t column, const AlgebraMatrix *from,
                         size_t from_row, size_t from_column);
// Only the middles of its balls are left; or balls of radius 2^-bits of themselves around them.
void algebra_matrix_middle(AlgebraMatrix *matrix);
void algebra_matrix_widen(AlgebraMatrix *matrix, size_t bits);
// The least ball that holds all from `low` to `high`.
void algebra_matrix_set_interval(AlgebraMatrix *matrix, size_t row, size_t column, double low,
                                 double high);
// Balls around the middles of `middle` that reach `factor` times as far as what `ball` holds.
void algebra_matrix_reach(AlgebraMatrix *middle, const AlgebraMatrix *ball, unsigned factor);
// Whether every ball of `inner` lies inside that of `outer`.
bool algebra_matrix_within(const AlgebraMatrix *inner, const AlgebraMatrix *outer);
void algebra_matrix_subtract(AlgebraMatrix *a, const AlgebraMatrix *b); // a − b in the place of a
void algebra_matrix_multiply(AlgebraMatrix *product, const AlgebraMatrix *a,
                             const AlgebraMatrix *b);
// a·x = b; false where a is not seen to be regular.
bool algebra_matrix_solve(AlgebraMatrix *x, const AlgebraMatrix *a, const AlgebraMatrix *b);
// A program run in balls: columns in and out.
void algebra_matrix_run(const Program *program, const AlgebraMatrix *inputs,
                        AlgebraMatrix *outputs);
// det(λ − a) as a column, from the constant coefficient up: one more than a has rows.
void algebra_matrix_polynomial(const AlgebraMatrix *a, AlgebraMatrix *coefficients);
void algebra_matrix_determinant(const AlgebraMatrix *a, AlgebraMatrix *value); // 1 × 1
// Eigenvalues rounded to doubles from an approximation to all bits, which proves nothing; real
// and imaginary parts that are nothing beside the largest eigenvalue, within a fifth of the bits
// (a root of order five is known no better), are 0. False where the iteration does not end.
bool algebra_matrix_eigenvalues(const AlgebraMatrix *a, double *re, double *im);
// How many eigenvalues have a positive real part, all others having a negative one, for every
// matrix in the balls; -1 where that is not certain. By Gershgorin's discs of V⁻¹·a·V, with the
// modes V of the middle.
int algebra_matrix_growing(const AlgebraMatrix *a);
// The roots of a polynomial (a column, from the constant coefficient up) as decimals of which all
// `digits` are certain, by falling real part. False where two cannot be told apart so well.
bool algebra_matrix_roots(const AlgebraMatrix *coefficients, size_t digits, Text *re, Text *im);

#endif
