// fraction_impl.h: exact arithmetic in the field that a question lives in. Never leaves the room.
//
// The field is that of fractions of integer polynomials in generators: the asker's symbols,
// the atoms, and for every square root a generator. Generators with a relation g² = r (the
// cosine of a circle, with 1 − s²; a root, with what stands under it) are kept at degree one.
// Every operation may find that things become too large; then `trouble` says so and the
// values that were made mean nothing.
#ifndef ZWANG_ALGEBRA_FRACTION_IMPL_H
#define ZWANG_ALGEBRA_FRACTION_IMPL_H

#include "algebra/algebra_impl.h"
#include "algebra/flint_impl.h"

typedef fmpz_mpoly_q_struct Fraction;

typedef struct {
    slong generator;
    Fraction square; // in generators of relations before this one, and free ones
} Relation;

typedef struct {
    slong sine, cosine; // generators
} CircleAt;

// What terms.c has written: forms that come again and again are.
typedef struct {
    fmpz_mpoly_struct n, d;
    Expr form;
} Written;

typedef struct {
    Algebra *algebra;
    fmpz_mpoly_ctx_t ctx;
    slong generators;
    Expr *symbol;  // of each generator; none for a square root
    Expr *meaning; // in the asker's language
    IndexMap generator_of;
    ARRAY(Relation) relations;
    ARRAY(CircleAt) circles;
    ARRAY(Written) written;
    slong next_root;     // the generators from here on are not used yet
    double work;         // spent so far, in products of terms
    const char *trouble; // NULL while all is well
} Fractions;

// The field of these expressions over atoms.
void fractions_init(Fractions *field, Algebra *algebra, const Expr *roots, size_t count);
void fractions_clear(Fractions *field);
Fraction *fractions_vector(Fractions *field, size_t count); // zeros
void fractions_vector_free(Fractions *field, Fraction *vector, size_t count);

// All return whether all is still well. Results may be operands.
bool fraction_add(Fractions *field, Fraction *sum, const Fraction *a, const Fraction *b);
bool fraction_sub(Fractions *field, Fraction *difference, const Fraction *a, const Fraction *b);
bool fraction_mul(Fractions *field, Fraction *product, const Fraction *a, const Fraction *b);
bool fraction_inv(Fractions *field, Fraction *inverse, const Fraction *a);
bool fraction_pow(Fractions *field, Fraction *power, const Fraction *a, const fmpz_t exponent);
bool fraction_sqrt(Fractions *field, Fraction *root, const Fraction *a);
bool fraction_is_zero(const Fractions *field, const Fraction *a);

// Makes the denominator free of all generators with a relation, and so the form unique: each
// coordinate of the numerator, in the basis of products of such generators, is then a reduced
// fraction over their least common denominator.
bool fraction_rationalize(Fractions *field, Fraction *a);
// Brings a polynomial to degree one in every generator with a relation; what it was multiplied
// by on the way is multiplied to `scale`.
bool fraction_reduce(Fractions *field, fmpz_mpoly_struct *a, fmpz_mpoly_struct *scale);
// Checks the size of a value.
bool fraction_fits(Fractions *field, const Fraction *a);

// canonical.c: evaluates expressions over atoms.
bool fractions_evaluate(Fractions *field, const Expr *roots, size_t count, Fraction *values);
// The canonical form of a value over atoms with split angles; none where it is too large. The
// value is used up.
Expr fractions_canonical(Fractions *field, Fraction *value);
// A polynomial in the asker's language, divided by an integer: one flat sum.
Expr fractions_expr(Fractions *field, const fmpz_mpoly_struct *a, const fmpz_t divisor);

// terms.c: n/d in the asker's language, where d has one term, as short as joined angles and
// common factors make it.
Expr terms_shortest(Fractions *field, const fmpz_mpoly_struct *n, const fmpz_mpoly_struct *d);

#endif
