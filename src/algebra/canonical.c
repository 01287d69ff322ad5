// canonical.c: the canonical form of an expression, and the zero test that rests on it.
//
// The expression over atoms is worked out as a fraction N/D with D free of cosines and roots
// and N of degree one in each. In the basis of products of cosines and roots every
// coordinate is a rational function; D is their least common denominator, since nothing is
// left that divides D and every coordinate. Such a form is unique up to sign, and D's
// leading coefficient is positive. (Roots that depend on each other make more than one form
// of the same function; the zero test is not misled by that, for a NO is shown at a point.)
//
// One thing is left to choose: sin x can be written with x/2. Where a form in an angle φ/2
// changes by nothing when φ grows by 2π, it is a function of φ, and is written so.
#include "algebra/fraction_impl.h"

// Graphs of more nodes are not even tried.
enum { MOST_NODES = 1500 };

static const char not_small[] = "it is too large for a canonical form";
static const char not_seen[] =
    "it is not zero for free values of its parts, but no point was found that shows it";

// ---- Expressions become fractions.

static bool evaluate_sum(Fractions *field, Expr e, Fraction *values, const IndexMap *place,
                         Fraction *sum)
{
    const ExprPool *pool = field->algebra->pool;
    Fraction *term = fractions_vector(field, 1);
    fmpz_mpoly_q_set_fmpq(sum, expr_value(pool, e), field->ctx);
    bool fine = true;
    for (size_t k = 0; k < expr_arg_count(pool, e) && fine; k++) {
        uint32_t at = 0;
        index_map_get(place, expr_arg(pool, e, k).at, &at);
        fmpz_mpoly_q_mul_fmpq(term, values + at, expr_arg_weight(pool, e, k), field->ctx);
        fine = fraction_add(field, sum, sum, term);
    }
    fractions_vector_free(field, term, 1);
    return fine;
}

static bool evaluate_product(Fractions *field, Expr e, Fraction *values, const IndexMap *place,
                             Fraction *product)
{
    const ExprPool *pool = field->algebra->pool;
    Fraction *power = fractions_vector(field, 1);
    fmpz_mpoly_q_set_fmpq(product, expr_value(pool, e), field->ctx);
    bool fine = true;
    for (size_t k = 0; k < expr_arg_count(pool, e) && fine; k++) {
        uint32_t at = 0;
        index_map_get(place, expr_arg(pool, e, k).at, &at);
        const fmpq *exponent = expr_arg_weight(pool, e, k);
        if (fmpz_is_one(&exponent->den))
            fine = fraction_pow(field, power, values + at, &exponent->num);
        else // b^(n/2) = (√b)ⁿ
            fine = fraction_sqrt(field, power, values + at) &&
                   fraction_pow(field, power, power, &exponent->num);
        fine = fine && fraction_mul(field, product, product, power);
    }
    fractions_vector_free(field, power, 1);
    return fine;
}

static bool evaluate_node(Fractions *field, Expr e, Fraction *values, const IndexMap *place,
                          Fraction *value)
{
    const ExprPool *pool = field->algebra->pool;
    uint32_t generator = 0;
    switch (expr_op(pool, e)) {
    case EXPR_NUMBER: fmpz_mpoly_q_set_fmpq(value, expr_value(pool, e), field->ctx); return true;
    case EXPR_SYMBOL:
        index_map_get(&field->generator_of, e.at, &generator);
        fmpz_mpoly_q_gen(value, (slong)generator, field->ctx);
        return true;
    case EXPR_SUM: return evaluate_sum(field, e, values, place, value);
    default: return evaluate_product(field, e, values, place, value);
    }
}

bool fractions_evaluate(Fractions *field, const Expr *roots, size_t count, Fraction *results)
{
    ExprList nodes = expr_nodes(field->algebra->pool, roots, count);
    bool fine = nodes.count <= MOST_NODES;
    if (!fine)
        field->trouble = not_small;
    IndexMap place = {0};
    size_t held = fine ? nodes.count : 0;
    Fraction *values = fractions_vector(field, held);
    for (size_t i = 0; i < held && fine; i++) {
        index_map_put(&place, nodes.at[i], (uint32_t)i);
        fine = evaluate_node(field, (Expr){nodes.at[i]}, values, &place, values + i) &&
               fraction_fits(field, values + i);
    }
    for (size_t i = 0; i < count && fine; i++) {
        uint32_t at = 0;
        index_map_get(&place, roots[i].at, &at);
        fmpz_mpoly_q_set(results + i, values + at, field->ctx);
    }
    fractions_vector_free(field, values, held);
    index_map_clear(&place);
    expr_list_free(&nodes);
    return fine;
}

// ---- Fractions become expressions.

static Expr term_expr(Fractions *field, const fmpz_mpoly_struct *a, slong index,
                      const fmpz_t divisor, Expr *factors)
{
    ExprPool *pool = field->algebra->pool;
    fmpq_t value;
    fmpq_init(value);
    fmpz_mpoly_get_term_coeff_fmpz(fmpq_numref(value), a, index, field->ctx);
    fmpz_set(fmpq_denref(value), divisor);
    fmpq_canonicalise(value);
    size_t count = 0;
    factors[count++] = expr_number(pool, value);
    for (slong i = 0; i < field->generators; i++) {
        ulong power = fmpz_mpoly_get_term_var_exp_ui(a, index, i, field->ctx);
        if (power > 0)
            factors[count++] = expr_pow_int(pool, field->meaning[i], (int64_t)power);
    }
    fmpq_clear(value);
    return expr_product(pool, factors, count);
}

Expr fractions_expr(Fractions *field, const fmpz_mpoly_struct *a, const fmpz_t divisor)
{
    ExprPool *pool = field->algebra->pool;
    slong length = fmpz_mpoly_length(a, field->ctx);
    Expr *terms = base_alloc(((size_t)length + 1) * sizeof *terms);
    Expr *factors = base_alloc(((size_t)field->generators + 1) * sizeof *factors);
    for (slong i = 0; i < length; i++)
        terms[i] = term_expr(field, a, i, divisor, factors);
    Expr sum = expr_sum(pool, terms, (size_t)length);
    base_free(terms);
    base_free(factors);
    return sum;
}

static Expr quotient_expr(Fractions *field, const Fraction *a)
{
    ExprPool *pool = field->algebra->pool;
    fmpz_t divisor;
    fmpz_init_set_ui(divisor, 1);
    Expr form;
    if (fmpz_mpoly_is_fmpz(&a->den, field->ctx)) {
        fmpz_mpoly_get_fmpz(divisor, &a->den, field->ctx);
        form = fractions_expr(field, &a->num, divisor);
    } else {
        form = expr_div(pool, fractions_expr(field, &a->num, divisor),
                        fractions_expr(field, &a->den, divisor));
    }
    fmpz_clear(divisor);
    return form;
}

// ---- Half angles.

// 0 or 1 where all terms have that parity in the sine and cosine together, else -1.
static int parity_of(const Fractions *field, const fmpz_mpoly_struct *a, CircleAt circle)
{
    int parity = -1;
    slong length = fmpz_mpoly_length(a, field->ctx);
    for (slong i = 0; i < length; i++) {
        ulong degree = fmpz_mpoly_get_term_var_exp_ui(a, i, circle.sine, field->ctx) +
                       fmpz_mpoly_get_term_var_exp_ui(a, i, circle.cosine, field->ctx);
        if (parity >= 0 && parity != (int)(degree % 2))
            return -1;
        parity = (int)(degree % 2);
    }
    return parity;
}

// Writes a polynomial of even parity with the double angle: s² = (1 − C)/2, s·c = S/2. It is
// of degree one in c.
static Expr doubled_expr(Fractions *field, const fmpz_mpoly_struct *a, CircleAt circle)
{
    ExprPool *pool = field->algebra->pool;
    const Circle *half = atoms_circle(field->algebra, field->symbol[circle.sine]);
    Expr angle = expr_mul(pool, expr_int(pool, 2), half->angle);
    Expr sine = expr_call(pool, EXPR_SIN, angle, (Expr){0});
    Expr cosine = expr_call(pool, EXPR_COS, angle, (Expr){0});
    Expr square = expr_mul(pool, expr_ratio(pool, 1, 2), expr_sub(pool, expr_int(pool, 1), cosine));
    Expr mixed = expr_mul(pool, expr_ratio(pool, 1, 2), sine);
    fmpz_t one;
    fmpz_init_set_ui(one, 1);
    slong length = fmpz_mpoly_length(a, field->ctx);
    Expr *terms = base_alloc(((size_t)length + 1) * sizeof *terms);
    Expr *factors = base_alloc(((size_t)field->generators + 1) * sizeof *factors);
    Expr kept[2] = {field->meaning[circle.sine], field->meaning[circle.cosine]};
    field->meaning[circle.sine] = field->meaning[circle.cosine] = expr_int(pool, 1);
    for (slong i = 0; i < length; i++) {
        ulong s = fmpz_mpoly_get_term_var_exp_ui(a, i, circle.sine, field->ctx);
        ulong c = fmpz_mpoly_get_term_var_exp_ui(a, i, circle.cosine, field->ctx);
        Expr rest = term_expr(field, a, i, one, factors);
        Expr squares = expr_pow_int(pool, square, (int64_t)((s - c) / 2));
        terms[i] = expr_product(pool, (Expr[]){rest, squares, c ? mixed : expr_int(pool, 1)}, 3);
    }
    field->meaning[circle.sine] = kept[0];
    field->meaning[circle.cosine] = kept[1];
    Expr sum = expr_sum(pool, terms, (size_t)length);
    base_free(terms);
    base_free(factors);
    fmpz_clear(one);
    return sum;
}

static bool holds_circle(const Fractions *field, const fmpz_mpoly_struct *a, CircleAt circle)
{
    return fmpz_mpoly_degree_si(a, circle.sine, field->ctx) > 0 ||
           fmpz_mpoly_degree_si(a, circle.cosine, field->ctx) > 0;
}

// Whether the angle is half of something, and no square root needs it as it is.
static bool is_half_angle(Fractions *field, CircleAt circle)
{
    for (size_t i = field->circles.count; i < field->relations.count; i++) {
        const Fraction *square = &field->relations.at[i].square;
        if (holds_circle(field, &square->num, circle) || holds_circle(field, &square->den, circle))
            return false;
    }
    const Circle *at = atoms_circle(field->algebra, field->symbol[circle.sine]);
    fmpq_t factor;
    fmpq_init(factor);
    expr_strip(field->algebra->pool, at->angle, factor);
    bool half = fmpz_is_even(fmpq_denref(factor));
    fmpq_clear(factor);
    return half;
}

// Where the form is a function of twice a base angle, that form; else none.
static Expr double_an_angle(Fractions *field, Fraction *a)
{
    for (size_t i = 0; i < field->circles.count; i++) {
        CircleAt circle = field->circles.at[i];
        bool held = holds_circle(field, &a->num, circle) || holds_circle(field, &a->den, circle);
        if (!held || !is_half_angle(field, circle))
            continue;
        int above = parity_of(field, &a->num, circle), below = parity_of(field, &a->den, circle);
        if (above < 0 || above != below)
            continue;
        // c·s is of even parity where c is odd: an odd form is multiplied by s above and below.
        if (above == 1) {
            fmpz_mpoly_t sine;
            fmpz_mpoly_init(sine, field->ctx);
            fmpz_mpoly_gen(sine, circle.sine, field->ctx);
            fmpz_mpoly_mul(&a->num, &a->num, sine, field->ctx);
            fmpz_mpoly_mul(&a->den, &a->den, sine, field->ctx);
            fmpz_mpoly_clear(sine, field->ctx);
        }
        return expr_div(field->algebra->pool, doubled_expr(field, &a->num, circle),
                        doubled_expr(field, &a->den, circle));
    }
    return (Expr){0};
}

// ---- The form.

Expr fractions_canonical(Fractions *field, Fraction *value)
{
    if (!fraction_rationalize(field, value))
        return (Expr){0};
    Expr form = double_an_angle(field, value);
    if (expr_is_none(form))
        form = quotient_expr(field, value);
    else
        algebra_canonical(field->algebra, form, &form);
    return form;
}

static Expr find_form(Algebra *algebra, Expr e)
{
    Expr image, form = {0};
    atoms_rewrite(algebra, ATOMS_SPLIT, &e, 1, &image);
    Fractions field;
    fractions_init(&field, algebra, &image, 1);
    Fraction *value = fractions_vector(&field, 1);
    if (fractions_evaluate(&field, &image, 1, value))
        form = fractions_canonical(&field, value);
    fractions_vector_free(&field, value, 1);
    fractions_clear(&field);
    return form;
}

Answer algebra_canonical(Algebra *algebra, Expr e, Expr *form)
{
    uint32_t known;
    if (!index_map_get(&algebra->canonical, e.at, &known)) {
        known = algebra_nodes(algebra, e) > MOST_NODES ? 0 : find_form(algebra, e).at;
        if (known || algebra->effort > 0)
            index_map_put(&algebra->canonical, e.at, known);
        if (known)
            index_map_put(&algebra->canonical, known, known);
    }
    *form = known ? (Expr){known} : e;
    return known ? ANSWER_YES : ANSWER_UNKNOWN;
}

// ---- The zero test.

Verdict algebra_is_zero_canonical(Algebra *algebra, Expr e)
{
    if (algebra_nodes(algebra, e) > MOST_NODES)
        return verdict_unknown(not_small);
    Expr image;
    atoms_rewrite(algebra, ATOMS_SPLIT, &e, 1, &image);
    Fractions field;
    fractions_init(&field, algebra, &image, 1);
    Fraction *value = fractions_vector(&field, 1);
    bool fine = fractions_evaluate(&field, &image, 1, value);
    bool zero = fine && fraction_is_zero(&field, value);
    const char *trouble = field.trouble;
    fractions_vector_free(&field, value, 1);
    fractions_clear(&field);
    if (!fine)
        return verdict_unknown(trouble);
    if (zero)
        return verdict_yes(PROOF_EXACT, 0);
    char *witness;
    if (witness_find(algebra, &e, 1, WITNESS_THOROUGH, witness_excludes_zero, NULL, &witness))
        return verdict_no(PROOF_EXACT, witness);
    return verdict_unknown(not_seen);
}
