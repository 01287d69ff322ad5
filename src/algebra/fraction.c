// fraction.c: the arithmetic of fraction_impl.h.
//
// Numerators and denominators are both kept reduced by the relations; a greatest common
// divisor of the two as polynomials may be cancelled, since it is not zero in the field.
// Denominators are freed of cosines and roots only when a unique form is asked for: the
// product with all conjugates makes them grow.
#include "algebra/fraction_impl.h"

#include <flint/ulong_extras.h>
#include <stdlib.h>

// What is too large. Beyond this the prime field is the quicker judge.
enum {
    MOST_TERMS = 1500, // of a numerator or a denominator
    MOST_DEGREE = 256, // in one generator
    MOST_COEFFICIENT_BITS = 8192,
    MOST_TERM_PRODUCTS = 200000, // in one multiplication
    MOST_SPARE_ROOTS = 16,
    FIXED_WORK = 10 // of one operation, in products of terms
};
static const double MOST_WORK = 3e6; // products of terms, in one question

static const char too_large[] = "its canonical form is too large";
static const char divides_by_zero[] = "it divides by zero";
static const char dependent_roots[] = "its square roots depend on each other";

static fmpz_mpoly_struct *num_of(Fraction *a)
{
    return fmpz_mpoly_q_numref(a);
}

static fmpz_mpoly_struct *den_of(Fraction *a)
{
    return fmpz_mpoly_q_denref(a);
}

// ---- The field.

// A free symbol, or the two of a circle, in the order of what they stand for: that is the
// asker's own order, whatever was asked before.
typedef struct {
    uint32_t order;
    Expr symbol, cosine; // the second is none but for circles
} Entrant;

static int entrant_order(const void *a, const void *b)
{
    const Entrant *left = a, *right = b;
    return (left->order > right->order) - (left->order < right->order);
}

static void gather_symbols(Fractions *field, const Expr *roots, size_t count)
{
    ExprList held = expr_symbols(field->algebra->pool, roots, count);
    Entrant *entrants = base_alloc((held.count + 1) * sizeof *entrants);
    size_t kept = 0;
    for (size_t i = 0; i < held.count; i++) {
        Entrant entrant = {.symbol = {held.at[i]}};
        const Circle *circle = atoms_circle(field->algebra, entrant.symbol);
        if (circle) {
            // A circle's two symbols were made one after the other.
            if (kept > 0 && expr_same(entrants[kept - 1].cosine, circle->cosine))
                continue;
            entrant = (Entrant){.symbol = circle->sine, .cosine = circle->cosine};
        }
        entrant.order = atoms_meaning(field->algebra, entrant.symbol).at;
        entrants[kept++] = entrant;
    }
    expr_list_free(&held);
    qsort(entrants, kept, sizeof *entrants, entrant_order);
    field->symbol = base_alloc((2 * kept + MOST_SPARE_ROOTS + 1) * sizeof *field->symbol);
    for (size_t i = 0; i < kept; i++) {
        Expr both[2] = {entrants[i].symbol, entrants[i].cosine};
        for (int k = 0; k < 2 && !expr_is_none(both[k]); k++) {
            index_map_put(&field->generator_of, both[k].at, (uint32_t)field->generators);
            field->symbol[field->generators++] = both[k];
        }
    }
    base_free(entrants);
}

static bool has_roots(const Fractions *field, const Expr *roots, size_t count)
{
    const ExprPool *pool = field->algebra->pool;
    ExprList nodes = expr_nodes(pool, roots, count);
    bool found = false;
    for (size_t i = 0; i < nodes.count && !found; i++) {
        Expr e = {nodes.at[i]};
        for (size_t k = 0; expr_op(pool, e) == EXPR_PRODUCT && k < expr_arg_count(pool, e); k++)
            found = found || !fmpz_is_one(&expr_arg_weight(pool, e, k)->den);
    }
    expr_list_free(&nodes);
    return found;
}

// c² = 1 − s².
static void add_circle(Fractions *field, slong sine)
{
    Relation relation = {.generator = sine + 1};
    fmpz_mpoly_q_init(&relation.square, field->ctx);
    fmpz_mpoly_struct *square = num_of(&relation.square);
    fmpz_mpoly_gen(square, sine, field->ctx);
    fmpz_mpoly_mul(square, square, square, field->ctx);
    fmpz_mpoly_neg(square, square, field->ctx);
    fmpz_mpoly_add_si(square, square, 1, field->ctx);
    array_push(&field->relations, relation);
    array_push(&field->circles, ((CircleAt){sine, sine + 1}));
}

void fractions_init(Fractions *field, Algebra *algebra, const Expr *roots, size_t count)
{
    *field = (Fractions){.algebra = algebra};
    gather_symbols(field, roots, count);
    field->next_root = field->generators;
    if (has_roots(field, roots, count))
        field->generators += MOST_SPARE_ROOTS;
    field->meaning = base_alloc(((size_t)field->generators + 1) * sizeof *field->meaning);
    fmpz_mpoly_ctx_init(field->ctx, field->generators, ORD_LEX);
    for (slong i = 0; i < field->next_root; i++) {
        field->meaning[i] = atoms_meaning(algebra, field->symbol[i]);
        const Circle *circle = atoms_circle(algebra, field->symbol[i]);
        if (circle && expr_same(circle->sine, field->symbol[i]))
            add_circle(field, i);
    }
}

void fractions_clear(Fractions *field)
{
    for (size_t i = 0; i < field->relations.count; i++)
        fmpz_mpoly_q_clear(&field->relations.at[i].square, field->ctx);
    array_clear(&field->relations);
    array_clear(&field->circles);
    for (size_t i = 0; i < field->written.count; i++) {
        fmpz_mpoly_clear(&field->written.at[i].n, field->ctx);
        fmpz_mpoly_clear(&field->written.at[i].d, field->ctx);
    }
    array_clear(&field->written);
    index_map_clear(&field->generator_of);
    base_free(field->symbol);
    base_free(field->meaning);
    fmpz_mpoly_ctx_clear(field->ctx);
}

Fraction *fractions_vector(Fractions *field, size_t count)
{
    Fraction *vector = base_alloc((count + 1) * sizeof *vector);
    for (size_t i = 0; i < count; i++)
        fmpz_mpoly_q_init(vector + i, field->ctx);
    return vector;
}

void fractions_vector_free(Fractions *field, Fraction *vector, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fmpz_mpoly_q_clear(vector + i, field->ctx);
    base_free(vector);
}

// ---- Sizes.

static bool refuse(Fractions *field, const char *why)
{
    if (!field->trouble)
        field->trouble = why;
    return false;
}

static bool poly_fits(const Fractions *field, const fmpz_mpoly_struct *a)
{
    if (fmpz_mpoly_length(a, field->ctx) > MOST_TERMS)
        return false;
    slong bits = fmpz_mpoly_max_bits(a);
    if (bits > MOST_COEFFICIENT_BITS || bits < -MOST_COEFFICIENT_BITS)
        return false;
    if (!fmpz_mpoly_degrees_fit_si(a, field->ctx))
        return false;
    for (slong i = 0; i < field->generators; i++)
        if (fmpz_mpoly_degree_si(a, i, field->ctx) > MOST_DEGREE)
            return false;
    return true;
}

bool fraction_fits(Fractions *field, const Fraction *a)
{
    if (field->trouble)
        return false;
    if (poly_fits(field, fmpz_mpoly_q_numref(a)) && poly_fits(field, fmpz_mpoly_q_denref(a)))
        return true;
    return refuse(field, too_large);
}

// Adds to the work that was spent, in products of terms; an operation costs as much as a few.
static bool may_work(Fractions *field, double terms)
{
    field->work += terms + 1;
    bool fine = algebra_spend(field->algebra, terms + FIXED_WORK);
    if (field->trouble)
        return false;
    if (!fine || field->work > MOST_WORK)
        return refuse(field, too_large);
    return true;
}

// Whether a product of polynomials may be worked out.
static bool may_multiply(Fractions *field, const fmpz_mpoly_struct *a, const fmpz_mpoly_struct *b)
{
    double terms =
        (double)fmpz_mpoly_length(a, field->ctx) * (double)fmpz_mpoly_length(b, field->ctx);
    return may_work(field, terms) && (terms <= MOST_TERM_PRODUCTS || refuse(field, too_large));
}

static bool poly_mul(Fractions *field, fmpz_mpoly_struct *product, const fmpz_mpoly_struct *a,
                     const fmpz_mpoly_struct *b)
{
    if (!may_multiply(field, a, b))
        return false;
    fmpz_mpoly_mul(product, a, b, field->ctx);
    return true;
}

// ---- Reduction.

// base^power·factor added to sum.
static bool add_power(Fractions *field, fmpz_mpoly_struct *sum, const fmpz_mpoly_struct *factor,
                      const fmpz_mpoly_struct *base, slong power, const fmpz_mpoly_struct *below,
                      slong below_power)
{
    fmpz_mpoly_t term;
    fmpz_mpoly_init(term, field->ctx);
    fmpz_mpoly_set(term, factor, field->ctx);
    bool fine = true;
    for (slong i = 0; i < power && fine; i++)
        fine = poly_mul(field, term, term, base);
    for (slong i = 0; i < below_power && fine; i++)
        fine = poly_mul(field, term, term, below);
    if (fine)
        fmpz_mpoly_add(sum, sum, term, field->ctx);
    fmpz_mpoly_clear(term, field->ctx);
    return fine;
}

// Σ aₖ·gᵏ with g² = n/d becomes Σ aₖ·g^(k mod 2)·n^⌊k/2⌋·d^(m−⌊k/2⌋), times d^(-m).
static bool reduce_by(Fractions *field, Relation *relation, fmpz_mpoly_struct *a,
                      fmpz_mpoly_struct *scale)
{
    fmpz_mpoly_univar_t parts;
    fmpz_mpoly_univar_init(parts, field->ctx);
    fmpz_mpoly_to_univar(parts, a, relation->generator, field->ctx);
    fmpz_mpoly_t coefficient, generator;
    fmpz_mpoly_init(coefficient, field->ctx);
    fmpz_mpoly_init(generator, field->ctx);
    fmpz_mpoly_gen(generator, relation->generator, field->ctx);
    fmpz_mpoly_struct *n = num_of(&relation->square), *d = den_of(&relation->square);
    slong length = fmpz_mpoly_univar_length(parts, field->ctx);
    slong most = fmpz_mpoly_univar_get_term_exp_si(parts, 0, field->ctx) / 2;
    fmpz_mpoly_zero(a, field->ctx);
    bool fine = true;
    for (slong i = 0; i < length && fine; i++) {
        slong degree = fmpz_mpoly_univar_get_term_exp_si(parts, i, field->ctx);
        fmpz_mpoly_univar_get_term_coeff(coefficient, parts, i, field->ctx);
        if (degree % 2)
            fmpz_mpoly_mul(coefficient, coefficient, generator, field->ctx);
        bool whole = fmpz_mpoly_is_one(d, field->ctx);
        fine = add_power(field, a, coefficient, n, degree / 2, d, whole ? 0 : most - degree / 2);
    }
    for (slong i = 0; i < most && fine && !fmpz_mpoly_is_one(d, field->ctx); i++)
        fine = poly_mul(field, scale, scale, d);
    fmpz_mpoly_clear(coefficient, field->ctx);
    fmpz_mpoly_clear(generator, field->ctx);
    fmpz_mpoly_univar_clear(parts, field->ctx);
    return fine && (poly_fits(field, a) || refuse(field, too_large));
}

bool fraction_reduce(Fractions *field, fmpz_mpoly_struct *a, fmpz_mpoly_struct *scale)
{
    // Later squares hold earlier generators, never the other way round.
    for (size_t i = field->relations.count; i-- > 0;) {
        Relation *relation = &field->relations.at[i];
        if (fmpz_mpoly_degree_si(a, relation->generator, field->ctx) > 1 &&
            !reduce_by(field, relation, a, scale))
            return false;
    }
    return true;
}

static bool needs_reduction(const Fractions *field, const fmpz_mpoly_struct *a)
{
    for (size_t i = 0; i < field->relations.count; i++)
        if (fmpz_mpoly_degree_si(a, field->relations.at[i].generator, field->ctx) > 1)
            return true;
    return false;
}

// Reduces both parts of a value and cancels what they share.
static bool settle(Fractions *field, Fraction *a)
{
    if (!fraction_fits(field, a))
        return false;
    if (!needs_reduction(field, num_of(a)) && !needs_reduction(field, den_of(a)))
        return true;
    fmpz_mpoly_t above, below;
    fmpz_mpoly_init(above, field->ctx);
    fmpz_mpoly_init(below, field->ctx);
    fmpz_mpoly_one(above, field->ctx);
    fmpz_mpoly_one(below, field->ctx);
    bool fine = fraction_reduce(field, num_of(a), below) &&
                fraction_reduce(field, den_of(a), above) &&
                poly_mul(field, num_of(a), num_of(a), above) &&
                poly_mul(field, den_of(a), den_of(a), below);
    fmpz_mpoly_clear(above, field->ctx);
    fmpz_mpoly_clear(below, field->ctx);
    if (fine && fmpz_mpoly_is_zero(den_of(a), field->ctx))
        fine = refuse(field, divides_by_zero);
    fine = fine && fraction_fits(field, a);
    if (fine)
        fmpz_mpoly_q_canonicalise(a, field->ctx);
    return fine && settle(field, a);
}

// ---- Operations.

bool fraction_is_zero(const Fractions *field, const Fraction *a)
{
    return fmpz_mpoly_q_is_zero(a, field->ctx);
}

static bool may_add(Fractions *field, const Fraction *a, const Fraction *b)
{
    if (fmpz_mpoly_equal(&a->den, &b->den, field->ctx))
        return may_work(field, (double)(fmpz_mpoly_length(&a->num, field->ctx) +
                                        fmpz_mpoly_length(&b->num, field->ctx)));
    return may_multiply(field, &a->num, &b->den) && may_multiply(field, &a->den, &b->num) &&
           may_multiply(field, &a->den, &b->den);
}

bool fraction_add(Fractions *field, Fraction *sum, const Fraction *a, const Fraction *b)
{
    if (!may_add(field, a, b))
        return false;
    fmpz_mpoly_q_add(sum, a, b, field->ctx);
    return settle(field, sum);
}

bool fraction_sub(Fractions *field, Fraction *difference, const Fraction *a, const Fraction *b)
{
    if (!may_add(field, a, b))
        return false;
    fmpz_mpoly_q_sub(difference, a, b, field->ctx);
    return settle(field, difference);
}

bool fraction_mul(Fractions *field, Fraction *product, const Fraction *a, const Fraction *b)
{
    if (!may_multiply(field, &a->num, &b->num) || !may_multiply(field, &a->den, &b->den))
        return false;
    fmpz_mpoly_q_mul(product, a, b, field->ctx);
    return settle(field, product);
}

bool fraction_inv(Fractions *field, Fraction *inverse, const Fraction *a)
{
    if (field->trouble)
        return false;
    if (fraction_is_zero(field, a))
        return refuse(field, divides_by_zero);
    fmpz_mpoly_q_inv(inverse, a, field->ctx);
    return true;
}

bool fraction_pow(Fractions *field, Fraction *power, const Fraction *a, const fmpz_t exponent)
{
    if (fmpz_cmp_si(exponent, MOST_DEGREE) > 0 || fmpz_cmp_si(exponent, -MOST_DEGREE) < 0)
        return refuse(field, too_large);
    slong e = fmpz_get_si(exponent);
    Fraction *base = fractions_vector(field, 1);
    fmpz_mpoly_q_set(base, a, field->ctx);
    bool fine = e >= 0 || fraction_inv(field, base, base);
    fmpz_mpoly_q_one(power, field->ctx);
    ulong rest = e < 0 ? (ulong)-e : (ulong)e, bit = 1;
    while (bit <= rest / 2)
        bit *= 2;
    for (; bit && rest && fine; bit /= 2) {
        fine = fraction_mul(field, power, power, power);
        if (fine && (rest & bit))
            fine = fraction_mul(field, power, power, base);
    }
    fractions_vector_free(field, base, 1);
    return fine;
}

// ---- Square roots.

// The generator whose square this is.
static bool root_generator(Fractions *field, Fraction *root, const Fraction *square)
{
    slong generator = -1;
    for (size_t i = field->circles.count; i < field->relations.count && generator < 0; i++)
        if (fmpz_mpoly_q_equal(&field->relations.at[i].square, square, field->ctx))
            generator = field->relations.at[i].generator;
    if (generator < 0) {
        if (field->next_root == field->generators)
            return refuse(field, too_large);
        generator = field->next_root++;
        Relation relation = {.generator = generator};
        fmpz_mpoly_q_init(&relation.square, field->ctx);
        fmpz_mpoly_q_set(&relation.square, square, field->ctx);
        array_push(&field->relations, relation);
        fmpz_t one;
        fmpz_init_set_ui(one, 1);
        Expr above = fractions_expr(field, &square->num, one);
        Expr below = fractions_expr(field, &square->den, one);
        ExprPool *pool = field->algebra->pool;
        field->meaning[generator] = expr_sqrt(pool, expr_div(pool, above, below));
        fmpz_clear(one);
    }
    fmpz_mpoly_q_gen(root, generator, field->ctx);
    return true;
}

static bool multiply_root_of(Fractions *field, Fraction *product, const fmpz_t number)
{
    Fraction *parts = fractions_vector(field, 2);
    fmpz_mpoly_q_set_fmpz(parts, number, field->ctx);
    bool fine =
        root_generator(field, parts + 1, parts) && fraction_mul(field, product, product, parts + 1);
    fractions_vector_free(field, parts, 2);
    return fine;
}

// √n for n > 0, prime by prime, so that √2·√3 and √6 are one; product *= √n.
static bool multiply_root_of_integer(Fractions *field, Fraction *product, const fmpz_t n)
{
    fmpz_t part;
    fmpz_init(part);
    bool fine = true;
    if (fmpz_is_square(n)) {
        fmpz_sqrt(part, n);
        fmpz_mpoly_q_mul_fmpz(product, product, part, field->ctx);
    } else if (fmpz_bits(n) > 60) {
        fine = multiply_root_of(field, product, n);
    } else {
        n_factor_t factors;
        n_factor_init(&factors);
        n_factor(&factors, fmpz_get_ui(n), 1);
        for (int i = 0; i < factors.num && fine; i++) {
            fmpz_ui_pow_ui(part, factors.p[i], (ulong)(factors.exp[i] / 2));
            fmpz_mpoly_q_mul_fmpz(product, product, part, field->ctx);
            fmpz_set_ui(part, factors.p[i]);
            if (factors.exp[i] % 2)
                fine = multiply_root_of(field, product, part);
        }
    }
    fmpz_clear(part);
    return fine;
}

// √(c·r) = √c·√r for a rational c > 0, and √(m/n) = √(m·n)/n.
bool fraction_sqrt(Fractions *field, Fraction *root, const Fraction *a)
{
    Fraction *parts = fractions_vector(field, 2);
    fmpz_mpoly_q_set(parts, a, field->ctx);
    bool fine = fraction_rationalize(field, parts);
    if (fine && fraction_is_zero(field, parts)) {
        fmpz_mpoly_q_zero(root, field->ctx);
    } else if (fine) {
        fmpq_t content;
        fmpz_t product;
        fmpq_init(content);
        fmpz_init(product);
        fmpz_mpoly_q_content(content, parts, field->ctx);
        fmpz_mpoly_q_div_fmpq(parts, parts, content, field->ctx);
        fmpz_mul(product, fmpq_numref(content), fmpq_denref(content));
        fmpz_mpoly_q_one(root, field->ctx);
        fine = multiply_root_of_integer(field, root, product);
        if (fine)
            fmpz_mpoly_q_div_fmpz(root, root, fmpq_denref(content), field->ctx);
        if (fine && !fmpz_mpoly_q_is_one(parts, field->ctx))
            fine = root_generator(field, parts + 1, parts) &&
                   fraction_mul(field, root, root, parts + 1);
        fmpq_clear(content);
        fmpz_clear(product);
    }
    fractions_vector_free(field, parts, 2);
    return fine;
}

// ---- Unique form.

// The polynomial with −g for g, where g stands at degree one.
static void conjugate(Fractions *field, fmpz_mpoly_struct *result, const fmpz_mpoly_struct *a,
                      slong generator)
{
    fmpz_mpoly_univar_t parts;
    fmpz_mpoly_t odd, gen;
    fmpz_mpoly_univar_init(parts, field->ctx);
    fmpz_mpoly_init(odd, field->ctx);
    fmpz_mpoly_init(gen, field->ctx);
    fmpz_mpoly_gen(gen, generator, field->ctx);
    fmpz_mpoly_to_univar(parts, a, generator, field->ctx);
    fmpz_mpoly_univar_get_term_coeff(odd, parts, 0, field->ctx);
    fmpz_mpoly_mul(odd, odd, gen, field->ctx);
    fmpz_mpoly_scalar_mul_si(odd, odd, 2, field->ctx);
    fmpz_mpoly_sub(result, a, odd, field->ctx);
    fmpz_mpoly_clear(odd, field->ctx);
    fmpz_mpoly_clear(gen, field->ctx);
    fmpz_mpoly_univar_clear(parts, field->ctx);
}

bool fraction_rationalize(Fractions *field, Fraction *a)
{
    if (field->trouble)
        return false;
    fmpz_mpoly_t other;
    fmpz_mpoly_init(other, field->ctx);
    bool fine = true;
    for (size_t i = field->relations.count; i-- > 0 && fine;) {
        slong generator = field->relations.at[i].generator;
        if (fmpz_mpoly_degree_si(den_of(a), generator, field->ctx) < 1)
            continue;
        conjugate(field, other, den_of(a), generator);
        fine = poly_mul(field, num_of(a), num_of(a), other) &&
               poly_mul(field, den_of(a), den_of(a), other) && settle(field, a);
        if (!fine && field->trouble == divides_by_zero)
            field->trouble = dependent_roots;
    }
    fmpz_mpoly_clear(other, field->ctx);
    return fine;
}
