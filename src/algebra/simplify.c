// simplify.c: the shortest of several forms, for a reader.
//
// First the sums inside, then the whole, is worked out as a fraction twice: with its angles as
// they stand, and with its angles split into their terms. Each fraction is written with sin²
// or cos² eliminated, angle by angle, and once more group by group of terms, whichever takes
// fewer of them; each of these multiplied out, with angles joined and common factors drawn
// out (terms.c), and factored. The canonical form stands beside them: it alone joins half
// angles. All forms are equal to the expression; the cheapest is kept, and the expression
// itself where none is cheaper. What is cheap is decided by counting what a reader has to
// read, so the result depends on nothing but the expression and the order in which its
// symbols were made.
#include "algebra/fraction_impl.h"

enum {
    FEW_CIRCLES = 3,        // so many angles are tried in all combinations
    FEW_TERMS = 4,          // of a sum that may be seen to be short already
    MOST_GROUPED = 400,     // terms that are looked at group by group
    MOST_FACTORED = 120,    // terms of a polynomial that is factored
    MOST_PARTS = 64,        // sums inside that are looked at for themselves
    LARGEST_PART = 60,      // nodes of such a sum
    MOST_SIMPLIFIED = 2000, // nodes of what is looked at at all
    MOST_WRITTEN = 600,     // terms of a form that is written at all
    LONG_NUMBER = 32,       // bits, of which the reader of a number counts each as one more
    LOOKING = 10,           // what a node costs, in products of terms
    FACTORING = 10          // what a term in a generator costs that is factored
};

// ---- What a form costs its reader.

static const double MINUS = 0.125; // decides between forms that are alike but for signs

typedef struct {
    double cost;
    int brackets; // nested in each other
} Reading;

// Of a number: 1, and more for one that takes more digits than a reader takes in. So brackets with
// such numbers are not multiplied out, which would also cost a run their digits.
static double number_cost(const fmpq *value)
{
    size_t bits = fmpz_bits(fmpq_numref(value)) + fmpz_bits(fmpq_denref(value));
    return 1 + (double)(bits / LONG_NUMBER);
}

static Reading reading_of(const ExprPool *pool, Expr e, const Reading *readings,
                          const IndexMap *place)
{
    ExprOp op = expr_op(pool, e);
    size_t count = expr_arg_count(pool, e);
    Reading reading = {expr_op_arity(op) > 0 || count == 0 ? 1 : 0, 0};
    bool divides = false;
    for (size_t k = 0; k < count; k++) {
        Expr arg = expr_arg(pool, e, k);
        uint32_t at = 0;
        index_map_get(place, arg.at, &at);
        int brackets = readings[at].brackets;
        reading.cost += readings[at].cost;
        if (op == EXPR_SUM || op == EXPR_PRODUCT)
            reading.cost += fmpq_is_pm1(expr_arg_weight(pool, e, k))
                                ? 0
                                : number_cost(expr_arg_weight(pool, e, k));
        if (op == EXPR_SUM && fmpq_sgn(expr_arg_weight(pool, e, k)) < 0)
            reading.cost += MINUS;
        if (op == EXPR_PRODUCT) {
            divides = divides || fmpq_sgn(expr_arg_weight(pool, e, k)) < 0;
            if (expr_op(pool, arg) == EXPR_SUM)
                reading.cost += ALGEBRA_BRACKETS * ++brackets;
        }
        reading.brackets = brackets > reading.brackets ? brackets : reading.brackets;
    }
    if (op == EXPR_SUM)
        reading.cost +=
            (double)(count - 1) +
            (fmpq_is_zero(expr_value(pool, e)) ? 0 : 1 + number_cost(expr_value(pool, e)));
    if (op == EXPR_PRODUCT)
        reading.cost += (divides ? 1 : 0) +
                        (fmpq_is_pm1(expr_value(pool, e)) ? 0 : number_cost(expr_value(pool, e))) +
                        (fmpq_sgn(expr_value(pool, e)) < 0 ? MINUS : 0);
    return reading;
}

double algebra_cost(const ExprPool *pool, Expr e)
{
    ExprList nodes = expr_nodes(pool, &e, 1);
    Reading *readings = base_alloc((nodes.count + 1) * sizeof *readings);
    IndexMap place = {0};
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        index_map_put(&place, node.at, (uint32_t)i);
        readings[i] = reading_of(pool, node, readings, &place);
    }
    double cost = readings[nodes.count - 1].cost;
    index_map_clear(&place);
    base_free(readings);
    expr_list_free(&nodes);
    return cost;
}

typedef struct {
    Expr form;
    double cost;
} Best;

static void offer(const Algebra *algebra, Best *best, Expr form)
{
    double cost = algebra_cost(algebra->pool, form);
    if (cost < best->cost)
        *best = (Best){form, cost};
}

// ---- Writing a fraction down.

// Turns the sign of a polynomial with more minus than plus. True where it did.
static bool turn_sign(Fractions *field, fmpz_mpoly_struct *a)
{
    slong length = fmpz_mpoly_length(a, field->ctx), negative = 0;
    fmpz_t coefficient;
    fmpz_init(coefficient);
    for (slong i = 0; i < length; i++) {
        fmpz_mpoly_get_term_coeff_fmpz(coefficient, a, i, field->ctx);
        negative += fmpz_sgn(coefficient) < 0;
    }
    fmpz_clear(coefficient);
    if (2 * negative <= length)
        return false;
    fmpz_mpoly_neg(a, a, field->ctx);
    return true;
}

// The product of its irreducible factors, each as short as it can be; none where they were
// not found.
static Expr factored(Fractions *field, const fmpz_mpoly_struct *a, const fmpz_mpoly_struct *one)
{
    ExprPool *pool = field->algebra->pool;
    fmpz_mpoly_factor_t factors;
    fmpz_mpoly_factor_init(factors, field->ctx);
    Expr product = {0};
    if (fmpz_mpoly_factor(factors, a, field->ctx)) {
        fmpq_t constant;
        fmpz_mpoly_t base;
        fmpq_init(constant);
        fmpz_mpoly_init(base, field->ctx);
        fmpz_mpoly_factor_get_constant_fmpq(constant, factors, field->ctx);
        product = expr_number(pool, constant);
        slong count = fmpz_mpoly_factor_length(factors, field->ctx);
        for (slong i = 0; i < count; i++) {
            fmpz_mpoly_factor_get_base(base, factors, i, field->ctx);
            slong power = fmpz_mpoly_factor_get_exp_si(factors, i, field->ctx);
            if (turn_sign(field, base) && power % 2)
                product = expr_neg(pool, product);
            Expr factor = expr_pow_int(pool, terms_shortest(field, base, one), power);
            product = expr_mul(pool, product, factor);
        }
        fmpz_mpoly_clear(base, field->ctx);
        fmpq_clear(constant);
    }
    fmpz_mpoly_factor_clear(factors, field->ctx);
    return product;
}

static Expr shortest_of(Fractions *field, const fmpz_mpoly_struct *a)
{
    const ExprPool *pool = field->algebra->pool;
    fmpz_mpoly_t one;
    fmpz_mpoly_init(one, field->ctx);
    fmpz_mpoly_one(one, field->ctx);
    Expr best = terms_shortest(field, a, one);
    slong length = fmpz_mpoly_length(a, field->ctx);
    if (length <= MOST_FACTORED &&
        algebra_spend(field->algebra, FACTORING * (double)(length * field->generators))) {
        Expr form = factored(field, a, one);
        if (!expr_is_none(form) && algebra_cost(pool, form) < algebra_cost(pool, best))
            best = form;
    }
    fmpz_mpoly_clear(one, field->ctx);
    return best;
}

static void offer_fraction(Fractions *field, Best *best, const Fraction *a)
{
    ExprPool *pool = field->algebra->pool;
    const fmpz_mpoly_struct *n = &a->num, *d = &a->den;
    if (fmpz_mpoly_length(n, field->ctx) + fmpz_mpoly_length(d, field->ctx) > MOST_WRITTEN)
        return;
    if (fmpz_mpoly_length(d, field->ctx) == 1)
        offer(field->algebra, best, terms_shortest(field, n, d));
    offer(field->algebra, best, expr_div(pool, shortest_of(field, n), shortest_of(field, d)));
}

// ---- sin² against cos².

// 1 − g².
static void one_minus_square(Fractions *field, fmpz_mpoly_struct *result, slong generator)
{
    fmpz_mpoly_gen(result, generator, field->ctx);
    fmpz_mpoly_mul(result, result, result, field->ctx);
    fmpz_mpoly_neg(result, result, field->ctx);
    fmpz_mpoly_add_si(result, result, 1, field->ctx);
}

// Eliminates the squares of one generator of a circle in favour of the other.
static void trade(Fractions *field, fmpz_mpoly_struct *a, slong from, slong to)
{
    if (fmpz_mpoly_degree_si(a, from, field->ctx) < 2)
        return;
    fmpz_mpoly_univar_t parts;
    fmpz_mpoly_t square, term, part;
    fmpz_mpoly_univar_init(parts, field->ctx);
    fmpz_mpoly_init(square, field->ctx);
    fmpz_mpoly_init(term, field->ctx);
    fmpz_mpoly_init(part, field->ctx);
    one_minus_square(field, square, to);
    fmpz_mpoly_to_univar(parts, a, from, field->ctx);
    fmpz_mpoly_zero(a, field->ctx);
    for (slong i = 0; i < fmpz_mpoly_univar_length(parts, field->ctx); i++) {
        slong degree = fmpz_mpoly_univar_get_term_exp_si(parts, i, field->ctx);
        fmpz_mpoly_pow_ui(term, square, (ulong)degree / 2, field->ctx);
        fmpz_mpoly_univar_get_term_coeff(part, parts, i, field->ctx);
        fmpz_mpoly_mul(term, term, part, field->ctx);
        fmpz_mpoly_gen(part, from, field->ctx);
        if (degree % 2)
            fmpz_mpoly_mul(term, term, part, field->ctx);
        fmpz_mpoly_add(a, a, term, field->ctx);
    }
    fmpz_mpoly_clear(square, field->ctx);
    fmpz_mpoly_clear(term, field->ctx);
    fmpz_mpoly_clear(part, field->ctx);
    fmpz_mpoly_univar_clear(parts, field->ctx);
}

// Whether two terms differ at most in this circle.
static bool same_group(const Fractions *field, const ulong *a, const ulong *b, CircleAt circle)
{
    for (slong i = 0; i < field->generators; i++)
        if (a[i] != b[i] && i != circle.sine && i != circle.cosine)
            return false;
    return true;
}

// Takes the terms of the group that term `first` opens out of a; marks them as taken.
static void take_group(const Fractions *field, const fmpz_mpoly_struct *a, const ulong *exponents,
                       slong first, CircleAt circle, bool *taken, fmpz_mpoly_struct *group)
{
    slong length = fmpz_mpoly_length(a, field->ctx);
    size_t width = (size_t)field->generators;
    fmpz_t coefficient;
    fmpz_init(coefficient);
    fmpz_mpoly_zero(group, field->ctx);
    const ulong *opening = exponents + (size_t)first * width;
    for (slong i = first; i < length; i++) {
        const ulong *term = exponents + (size_t)i * width;
        if (taken[i] || !same_group(field, opening, term, circle))
            continue;
        taken[i] = true;
        fmpz_mpoly_get_term_coeff_fmpz(coefficient, a, i, field->ctx);
        fmpz_mpoly_push_term_fmpz_ui(group, coefficient, term, field->ctx);
    }
    fmpz_clear(coefficient);
}

// Chooses sin² or cos² for every group of terms that differ in one circle only.
static void trade_groups(Fractions *field, fmpz_mpoly_struct *a, CircleAt circle)
{
    slong length = fmpz_mpoly_length(a, field->ctx);
    size_t width = (size_t)field->generators;
    if (length > MOST_GROUPED ||
        !algebra_spend(field->algebra, (double)length * (double)field->generators))
        return;
    ulong *exponents = base_alloc(((size_t)length * width + 1) * sizeof *exponents);
    bool *taken = base_alloc(((size_t)length + 1) * sizeof *taken);
    for (slong i = 0; i < length; i++)
        fmpz_mpoly_get_term_exp_ui(exponents + (size_t)i * width, a, i, field->ctx);
    fmpz_mpoly_t sum, sines, cosines;
    fmpz_mpoly_init(sum, field->ctx);
    fmpz_mpoly_init(sines, field->ctx);
    fmpz_mpoly_init(cosines, field->ctx);
    for (slong i = 0; i < length; i++) {
        if (taken[i])
            continue;
        take_group(field, a, exponents, i, circle, taken, sines);
        fmpz_mpoly_set(cosines, sines, field->ctx);
        trade(field, sines, circle.cosine, circle.sine);
        trade(field, cosines, circle.sine, circle.cosine);
        bool shorter =
            fmpz_mpoly_length(cosines, field->ctx) < fmpz_mpoly_length(sines, field->ctx);
        fmpz_mpoly_add(sum, sum, shorter ? cosines : sines, field->ctx);
    }
    fmpz_mpoly_swap(a, sum, field->ctx);
    fmpz_mpoly_clear(sum, field->ctx);
    fmpz_mpoly_clear(sines, field->ctx);
    fmpz_mpoly_clear(cosines, field->ctx);
    base_free(exponents);
    base_free(taken);
}

// ---- The forms of one fraction.

// Fractions that were written down: choices that make no difference are many.
typedef struct {
    Fraction *at;
    size_t count;
} Seen;

static void offer_new(Fractions *field, Best *best, Seen *seen, const Fraction *a)
{
    for (size_t i = 0; i < seen->count; i++)
        if (fmpz_mpoly_q_equal(seen->at + i, a, field->ctx))
            return;
    fmpz_mpoly_q_set(seen->at + seen->count++, a, field->ctx);
    offer_fraction(field, best, a);
}

// With cos² for the circles whose bit is set, sin² for the others.
static void offer_choice(Fractions *field, Best *best, Seen *seen, const Fraction *a,
                         uint64_t cosines)
{
    Fraction *form = fractions_vector(field, 1);
    fmpz_mpoly_q_set(form, a, field->ctx);
    for (size_t i = 0; i < field->circles.count; i++) {
        if (i < 64 && !(cosines >> i & 1))
            continue;
        CircleAt circle = field->circles.at[i];
        trade(field, &form->num, circle.sine, circle.cosine);
        trade(field, &form->den, circle.sine, circle.cosine);
    }
    if (cosines && fraction_fits(field, form) && !fmpz_mpoly_is_zero(&form->den, field->ctx))
        fmpz_mpoly_q_canonicalise(form, field->ctx);
    offer_new(field, best, seen, form);
    // The same once more, with the choice made group by group.
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < field->circles.count; i++) {
            trade_groups(field, &form->num, field->circles.at[i]);
            trade_groups(field, &form->den, field->circles.at[i]);
        }
    offer_new(field, best, seen, form);
    fractions_vector_free(field, form, 1);
}

// With angles split into their terms the canonical form stands beside the others.
static void offer_forms(Algebra *algebra, Best *best, Expr image, bool is_split)
{
    Fractions field;
    fractions_init(&field, algebra, &image, 1);
    Fraction *value = fractions_vector(&field, 1);
    bool fine = fractions_evaluate(&field, &image, 1, value);
    if (fine && fraction_is_zero(&field, value)) {
        *best = (Best){expr_int(algebra->pool, 0), 0};
    } else if (fine) {
        size_t circles = field.circles.count;
        uint64_t last = circles <= FEW_CIRCLES ? ((uint64_t)1 << circles) - 1 : 1;
        Seen seen = {.at = fractions_vector(&field, 2 * (last + 1))};
        for (uint64_t choice = 0; choice <= last && algebra->effort > 0; choice++) {
            bool all = circles > FEW_CIRCLES && choice == 1;
            offer_choice(&field, best, &seen, value, all ? UINT64_MAX : choice);
        }
        fractions_vector_free(&field, seen.at, 2 * (last + 1));
        Expr form = is_split ? fractions_canonical(&field, value) : (Expr){0};
        if (!expr_is_none(form))
            offer(algebra, best, form);
    }
    fractions_vector_free(&field, value, 1);
    fractions_clear(&field);
}

// ---- What is short already.

// A symbol, or sine or cosine of one: the symbol; else none. A sine and a cosine of one angle are
// alike, for their squares may meet.
static Expr atom_of(const ExprPool *pool, Expr e)
{
    ExprOp op = expr_op(pool, e);
    Expr inside = op == EXPR_SIN || op == EXPR_COS ? expr_arg(pool, e, 0) : e;
    return expr_is_symbol(pool, inside) ? inside : (Expr){0};
}

// Whether e is a product of whole powers of such atoms, each with its own symbol; *plain: all of
// the powers are 1.
static bool is_monomial(const ExprPool *pool, Expr e, bool *plain)
{
    *plain = true;
    if (expr_op(pool, e) != EXPR_PRODUCT)
        return !expr_is_none(atom_of(pool, e));
    for (size_t i = 0; i < expr_arg_count(pool, e); i++) {
        const fmpq *power = expr_arg_weight(pool, e, i);
        Expr atom = atom_of(pool, expr_arg(pool, e, i));
        if (expr_is_none(atom) || !fmpz_is_one(fmpq_denref(power)))
            return false;
        for (size_t j = 0; j < i; j++)
            if (expr_same(atom_of(pool, expr_arg(pool, e, j)), atom))
                return false;
        *plain = *plain && fmpq_is_one(power);
    }
    return true;
}

static size_t atom_count(const ExprPool *pool, Expr monomial)
{
    return expr_op(pool, monomial) == EXPR_PRODUCT ? expr_arg_count(pool, monomial) : 1;
}

static Expr atom_at(const ExprPool *pool, Expr monomial, size_t i)
{
    return atom_of(pool, expr_op(pool, monomial) == EXPR_PRODUCT ? expr_arg(pool, monomial, i)
                                                                 : monomial);
}

static bool share_atoms(const ExprPool *pool, Expr a, Expr b)
{
    for (size_t i = 0; i < atom_count(pool, a); i++)
        for (size_t j = 0; j < atom_count(pool, b); j++)
            if (expr_same(atom_at(pool, a, i), atom_at(pool, b, j)))
                return true;
    return false;
}

// Whether two terms of a sum have nothing in common that could be taken out of both.
static bool are_apart(const ExprPool *pool, Expr sum, size_t i, size_t j)
{
    const fmpq *one = expr_arg_weight(pool, sum, i), *other = expr_arg_weight(pool, sum, j);
    bool alike = fmpz_cmpabs(fmpq_numref(one), fmpq_numref(other)) == 0 &&
                 fmpz_equal(fmpq_denref(one), fmpq_denref(other));
    bool ones = fmpq_is_pm1(one) && (fmpq_sgn(one) > 0 || fmpq_sgn(other) > 0);
    return (!alike || ones) && !share_atoms(pool, expr_arg(pool, sum, i), expr_arg(pool, sum, j));
}

// A product of atoms, or a sum of a few such products that have nothing in common and of which one
// at most has powers.
bool algebra_is_short(const ExprPool *pool, Expr e)
{
    bool plain;
    if (expr_op(pool, e) != EXPR_SUM)
        return expr_is_number(pool, e) || is_monomial(pool, e, &plain);
    size_t powers = 0, count = expr_arg_count(pool, e);
    for (size_t i = 0; i < count; i++) {
        if (count > FEW_TERMS || !is_monomial(pool, expr_arg(pool, e, i), &plain))
            return false;
        powers += !plain;
        for (size_t j = 0; j < i; j++)
            if (!are_apart(pool, e, i, j))
                return false;
    }
    // A square and a number may meet in that of another function.
    return powers == 0 || (powers == 1 && fmpq_is_zero(expr_value(pool, e)));
}

// Looks at e as a whole.
static Expr shortest_whole(Algebra *algebra, Expr e)
{
    Best best = {e, algebra_cost(algebra->pool, e)};
    Expr whole, split;
    atoms_rewrite(algebra, ATOMS_WHOLE, &e, 1, &whole);
    atoms_rewrite(algebra, ATOMS_SPLIT, &e, 1, &split);
    offer_forms(algebra, &best, whole, expr_same(whole, split));
    if (!expr_same(whole, split) && best.cost > 0 && algebra->effort > 0)
        offer_forms(algebra, &best, split, true);
    return best.form;
}

static Expr rebuilt(ExprPool *pool, Expr e, const IndexMap *images)
{
    size_t count = expr_arg_count(pool, e);
    if (count == 0)
        return e;
    Expr *args = base_alloc(count * sizeof *args);
    for (size_t k = 0; k < count; k++)
        index_map_get(images, expr_arg(pool, e, k).at, &args[k].at);
    Expr result = expr_rebuild(pool, e, args);
    base_free(args);
    return result;
}

// Whether e has at most LARGEST_PART nodes; `large` remembers those that have more, so that
// what holds one of them need not be counted.
static bool is_small(const Algebra *algebra, Expr e, IndexMap *large)
{
    const ExprPool *pool = algebra->pool;
    uint32_t yes;
    bool small = true;
    for (size_t k = 0; k < expr_arg_count(pool, e) && small; k++)
        small = !index_map_get(large, expr_arg(pool, e, k).at, &yes);
    small = small && algebra_nodes(algebra, e) <= LARGEST_PART;
    if (!small)
        index_map_put(large, e.at, 1);
    return small;
}

// The shortest form of a sum inside, remembered unless the search was cut short.
static Expr shortest_known(Algebra *algebra, Expr e)
{
    uint32_t known;
    if (index_map_get(&algebra->simplified, e.at, &known))
        return (Expr){known};
    Expr form = shortest_whole(algebra, e);
    if (algebra->effort > 0)
        index_map_put(&algebra->simplified, e.at, form.at);
    return form;
}

// The sums in e from the inside out, each for itself: what is short inside of something that
// is too long, or better left unexpanded, is found so.
static Expr shortest_parts(Algebra *algebra, Expr e)
{
    ExprPool *pool = algebra->pool;
    ExprList nodes = expr_nodes(pool, &e, 1);
    IndexMap images = {0}, large = {0};
    size_t looked_at = 0;
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]}, image = rebuilt(pool, node, &images);
        bool inner = i + 1 < nodes.count && expr_op(pool, image) == EXPR_SUM;
        if (is_small(algebra, image, &large) && inner && looked_at < MOST_PARTS &&
            algebra->effort > 0) {
            looked_at++;
            image = shortest_known(algebra, image);
        }
        index_map_put(&images, node.at, image.at);
    }
    uint32_t result = 0;
    index_map_get(&images, e.at, &result);
    index_map_clear(&images);
    index_map_clear(&large);
    expr_list_free(&nodes);
    return (Expr){result};
}

Expr algebra_simplify(Algebra *algebra, Expr e)
{
    uint32_t known;
    if (index_map_get(&algebra->simplified, e.at, &known))
        return (Expr){known};
    if (algebra_is_short(algebra->pool, e))
        return e;
    size_t nodes = algebra->effort > 0 ? algebra_nodes(algebra, e) : 0;
    if (!algebra_spend(algebra, (double)nodes * LOOKING))
        return e;
    Best best = {e, algebra_cost(algebra->pool, e)};
    if (nodes <= MOST_SIMPLIFIED) {
        offer(algebra, &best, shortest_parts(algebra, e));
        if (algebra->effort > 0)
            offer(algebra, &best, shortest_whole(algebra, best.form));
    }
    if (algebra->effort > 0) {
        index_map_put(&algebra->simplified, e.at, best.form.at);
        index_map_put(&algebra->simplified, best.form.at, best.form.at);
    }
    return best.form;
}

Expr algebra_simplify_within(Algebra *algebra, Expr e, double *effort)
{
    double outside = algebra->effort;
    algebra->effort = *effort;
    Expr form = algebra_simplify(algebra, e);
    *effort = algebra->effort > 0 ? algebra->effort : 0;
    algebra->effort = outside;
    return form;
}
