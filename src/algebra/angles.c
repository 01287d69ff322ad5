// angles.c: sines and cosines of combinations of terms, from those of base angles.
//
// An argument is split as Σ (pᵢ/qᵢ)·τᵢ. All arguments of one question are met first; then
// the base angle of τ is τ/L with L the least common multiple of the denominators, so that
// every argument is a whole combination of base angles, and the theorems of addition
//     sin(a+b) = sin a cos b + cos a sin b,   cos(a+b) = cos a cos b − sin a sin b
// write its sine and cosine as polynomials in those of the base angles. Twelfths of π have
// values of their own, in √2 and √3.
#include "algebra/algebra_impl.h"

#include <assert.h>

// Multiples and denominators above this are not worked out: such a part is then an angle of its
// own. Degrees grow with the product of both.
enum { LARGEST_MULTIPLE = 64 };

typedef struct {
    Expr term; // τ, without rational factor
    fmpq_t factor;
} Part;

typedef ARRAY(Part *) Parts;

typedef struct {
    Expr term;
    ulong denominator; // L
} Base;

struct Angles {
    Algebra *algebra;
    AtomMode mode;
    ARRAY(Base) bases;
    IndexMap base_of_term;
    ARRAY(Parts) splits;
    IndexMap split_of_argument; // → index in splits
};

Angles *angles_new(Algebra *algebra, AtomMode mode)
{
    Angles *angles = base_alloc(sizeof *angles);
    angles->algebra = algebra;
    angles->mode = mode;
    return angles;
}

static void parts_clear(Parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        fmpq_clear(parts->at[i]->factor);
        base_free(parts->at[i]);
    }
    array_clear(parts);
}

void angles_free(Angles *angles)
{
    for (size_t i = 0; i < angles->splits.count; i++)
        parts_clear(&angles->splits.at[i]);
    array_clear(&angles->splits);
    array_clear(&angles->bases);
    index_map_clear(&angles->base_of_term);
    index_map_clear(&angles->split_of_argument);
    base_free(angles);
}

// ---- Splitting.

static void parts_add(ExprPool *pool, Parts *parts, Expr term, const fmpq *factor)
{
    Part *part = base_alloc(sizeof *part);
    fmpq_init(part->factor);
    part->term = expr_strip(pool, term, part->factor);
    fmpq_mul(part->factor, part->factor, factor);
    array_push(parts, part);
}

// Where the term is a sum times other factors, the index of that sum; else the count.
static size_t sum_factor(const ExprPool *pool, Expr term)
{
    size_t count = expr_arg_count(pool, term), found = count;
    for (size_t i = 0; i < count; i++) {
        if (expr_op(pool, expr_arg(pool, term, i)) != EXPR_SUM ||
            !fmpq_is_one(expr_arg_weight(pool, term, i)))
            continue;
        if (found < count)
            return count; // two sums: multiplying out would be a decision
        found = i;
    }
    return found;
}

// The product without one of its sums, times one term of that sum.
static Expr with_term(ExprPool *pool, Expr product, size_t sum_at, Expr term)
{
    size_t count = expr_arg_count(pool, product);
    Expr *args = base_alloc(count * sizeof *args);
    for (size_t i = 0; i < count; i++)
        args[i] = i == sum_at ? term : expr_arg(pool, product, i);
    Expr result = expr_rebuild(pool, product, args);
    base_free(args);
    return result;
}

// Splits a sum, the sums in it, and a sum over a common denominator.
static void split_terms(ExprPool *pool, Expr argument, Parts *parts)
{
    Parts waiting = {0};
    fmpq_t one;
    fmpq_init(one);
    fmpq_one(one);
    parts_add(pool, &waiting, argument, one);
    while (waiting.count > 0) {
        Part *part = waiting.at[--waiting.count];
        Expr term = part->term;
        ExprOp op = expr_op(pool, term);
        size_t sum_at = op == EXPR_PRODUCT ? sum_factor(pool, term) : 0;
        bool divided = op == EXPR_PRODUCT && sum_at < expr_arg_count(pool, term);
        if (op != EXPR_SUM && !divided) {
            array_push(parts, part);
            continue;
        }
        Expr sum = divided ? expr_arg(pool, term, sum_at) : term;
        size_t count = expr_arg_count(pool, sum);
        for (size_t i = 0; i <= count; i++) {
            Expr piece = i < count ? expr_arg(pool, sum, i) : expr_int(pool, 1);
            fmpq_t factor;
            fmpq_init(factor);
            fmpq_mul(factor, part->factor,
                     i < count ? expr_arg_weight(pool, sum, i) : expr_value(pool, sum));
            if (divided)
                piece = with_term(pool, term, sum_at, piece);
            if (!fmpq_is_zero(factor))
                parts_add(pool, &waiting, piece, factor);
            fmpq_clear(factor);
        }
        fmpq_clear(part->factor);
        base_free(part);
    }
    array_clear(&waiting);
    fmpq_clear(one);
}

// factor·e, with the factor carried into a sum's terms.
static Expr scale(ExprPool *pool, const fmpq *factor, Expr e)
{
    Expr number = expr_number(pool, factor);
    if (expr_op(pool, e) != EXPR_SUM)
        return expr_mul(pool, number, e);
    size_t count = expr_arg_count(pool, e);
    Expr *terms = base_alloc((count + 1) * sizeof *terms);
    for (size_t i = 0; i < count; i++) {
        Expr weight = expr_number(pool, expr_arg_weight(pool, e, i));
        terms[i] = expr_product(pool, (Expr[]){number, weight, expr_arg(pool, e, i)}, 3);
    }
    terms[count] = expr_mul(pool, number, expr_number(pool, expr_value(pool, e)));
    Expr sum = expr_sum(pool, terms, count + 1);
    base_free(terms);
    return sum;
}

// The argument as one part: a sum is scaled so that its first term has the factor 1, and
// arguments that are multiples of each other share their base.
static void split_whole(ExprPool *pool, Expr argument, Parts *parts)
{
    fmpq_t factor;
    fmpq_init(factor);
    fmpq_one(factor);
    if (expr_op(pool, argument) == EXPR_SUM) {
        fmpq_t inverse;
        fmpq_init(inverse);
        fmpq_set(factor, expr_arg_weight(pool, argument, 0));
        fmpq_inv(inverse, factor);
        argument = scale(pool, inverse, argument);
        fmpq_clear(inverse);
    }
    parts_add(pool, parts, argument, factor);
    fmpq_clear(factor);
}

// ---- Base angles.

static Base *base_at(Angles *angles, Expr term)
{
    uint32_t index;
    if (!index_map_get(&angles->base_of_term, term.at, &index)) {
        index = (uint32_t)angles->bases.count;
        array_push(&angles->bases, ((Base){term, 1}));
        index_map_put(&angles->base_of_term, term.at, index);
    }
    return &angles->bases.at[index];
}

static bool is_twelfth_of_pi(const ExprPool *pool, const Part *part)
{
    return expr_op(pool, part->term) == EXPR_PI &&
           fmpz_cmp_ui(fmpq_denref(part->factor), 12) <= 0 &&
           12 % fmpz_get_ui(fmpq_denref(part->factor)) == 0;
}

static ulong gcd_of(ulong a, ulong b)
{
    while (b) {
        ulong rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Takes a part's denominator into its base. False where that makes it too large.
static bool base_take(Angles *angles, const Part *part)
{
    if (is_twelfth_of_pi(angles->algebra->pool, part))
        return true;
    const fmpz *num = fmpq_numref(part->factor), *den = fmpq_denref(part->factor);
    if (fmpz_cmp_si(num, LARGEST_MULTIPLE) > 0 || fmpz_cmp_si(num, -LARGEST_MULTIPLE) < 0 ||
        fmpz_cmp_ui(den, LARGEST_MULTIPLE) > 0)
        return false;
    Base *base = base_at(angles, part->term);
    ulong q = fmpz_get_ui(den), common = base->denominator / gcd_of(base->denominator, q) * q;
    if (common > LARGEST_MULTIPLE)
        return false;
    base->denominator = common;
    return true;
}

// The part as an angle of its own, or minus that: sin(x - 100·y) is made of x and 100·y.
static void base_take_alone(Angles *angles, Part *part)
{
    bool negative = fmpq_sgn(part->factor) < 0;
    fmpq_abs(part->factor, part->factor);
    part->term = scale(angles->algebra->pool, part->factor, part->term);
    fmpq_one(part->factor);
    if (negative)
        fmpq_neg(part->factor, part->factor);
    base_at(angles, part->term);
}

void angles_meet(Angles *angles, Expr argument)
{
    ExprPool *pool = angles->algebra->pool;
    uint32_t known;
    if (index_map_get(&angles->split_of_argument, argument.at, &known))
        return;
    Parts parts = {0};
    if (angles->mode == ATOMS_SPLIT)
        split_terms(pool, atoms_argument(angles->algebra, argument), &parts);
    else
        split_whole(pool, argument, &parts);
    for (size_t i = 0; i < parts.count; i++)
        if (!base_take(angles, parts.at[i]))
            base_take_alone(angles, parts.at[i]);
    index_map_put(&angles->split_of_argument, argument.at, (uint32_t)angles->splits.count);
    array_push(&angles->splits, parts);
}

// ---- Pairs.

static SinePair pair_add(ExprPool *pool, SinePair a, SinePair b)
{
    return (SinePair){
        expr_add(pool, expr_mul(pool, a.sine, b.cosine), expr_mul(pool, a.cosine, b.sine)),
        expr_sub(pool, expr_mul(pool, a.cosine, b.cosine), expr_mul(pool, a.sine, b.sine))};
}

// The pair of k times the angle, k ≥ 0, by the binary digits of k from the top.
static SinePair pair_multiple(ExprPool *pool, SinePair pair, ulong k)
{
    SinePair result = {expr_int(pool, 0), expr_int(pool, 1)};
    ulong bit = 1;
    while (bit <= k / 2)
        bit *= 2;
    for (; bit && k; bit /= 2) {
        result = pair_add(pool, result, result);
        if (k & bit)
            result = pair_add(pool, result, pair);
    }
    return result;
}

// sin(k·π/12): in √2 and √3.
static Expr sine_of_twelfths(ExprPool *pool, ulong k)
{
    k %= 24;
    if (k >= 12)
        return expr_neg(pool, sine_of_twelfths(pool, k - 12));
    ulong acute = k > 6 ? 12 - k : k;
    if (acute != 1 && acute != 5) {
        Expr angle = expr_mul(pool, expr_ratio(pool, (int64_t)acute, 12), expr_pi(pool));
        return expr_call(pool, EXPR_SIN, angle, (Expr){0});
    }
    Expr root2 = expr_sqrt(pool, expr_int(pool, 2)), root3 = expr_sqrt(pool, expr_int(pool, 3));
    Expr sum = expr_add(pool, root3, expr_int(pool, acute == 1 ? -1 : 1));
    return expr_product(pool, (Expr[]){expr_ratio(pool, 1, 4), root2, sum}, 3);
}

static SinePair pair_of_twelfths(ExprPool *pool, const fmpq_t turns)
{
    fmpz_t twelfths;
    fmpz_init(twelfths);
    fmpz_mul_ui(twelfths, fmpq_numref(turns), 12);
    fmpz_divexact(twelfths, twelfths, fmpq_denref(turns));
    ulong k = fmpz_fdiv_ui(twelfths, 24);
    fmpz_clear(twelfths);
    return (SinePair){sine_of_twelfths(pool, k), sine_of_twelfths(pool, k + 6)};
}

static SinePair pair_of_part(Angles *angles, const Part *part)
{
    ExprPool *pool = angles->algebra->pool;
    if (is_twelfth_of_pi(pool, part))
        return pair_of_twelfths(pool, part->factor);
    const Base *base = base_at(angles, part->term);
    fmpq_t share;
    fmpq_init(share);
    fmpq_set_si(share, 1, base->denominator);
    Circle circle = atoms_circle_at(angles->algebra, scale(pool, share, base->term));
    SinePair pair = {circle.sine, circle.cosine};
    ulong size = base->denominator / fmpz_get_ui(fmpq_denref(part->factor));
    fmpq_clear(share);
    slong multiple = fmpz_get_si(fmpq_numref(part->factor)) * (slong)size;
    pair = pair_multiple(pool, pair, multiple < 0 ? (ulong)-multiple : (ulong)multiple);
    if (multiple < 0)
        pair.sine = expr_neg(pool, pair.sine);
    return pair;
}

SinePair angles_pair(Angles *angles, Expr argument)
{
    ExprPool *pool = angles->algebra->pool;
    uint32_t index = 0;
    bool met = index_map_get(&angles->split_of_argument, argument.at, &index);
    assert(met);
    (void)met;
    const Parts *parts = &angles->splits.at[index];
    SinePair pair = {expr_int(pool, 0), expr_int(pool, 1)};
    for (size_t i = 0; i < parts->count; i++)
        pair = pair_add(pool, pair, pair_of_part(angles, parts->at[i]));
    return pair;
}
