// terms.c: a polynomial written as a person would: the terms of
//     u·sin a·sin b + u·cos a·cos b = u·cos(a − b)
// and its three sisters joined, and what several terms share drawn in front of brackets.
//
// Both are greedy and never make a sum longer; whether the result reads better than the plain
// sum is judged by the caller. Terms lie in a table, a row of exponents each; the sines and
// cosines of joined angles get columns behind those of the generators, so that joined angles
// can be joined again. Exponents may be negative: a denominator of one term is divided into
// every term, so that each keeps only what it needs of it.
#include "algebra/fraction_impl.h"

#include <string.h>

enum { MOST_JOINED = 12, MOST_TERMS = 250 };

typedef struct {
    size_t sine, cosine; // columns
    Expr angle;
} CircleColumns;

typedef struct {
    Fractions *field;
    size_t count, width; // rows, columns
    fmpq *coefficients;
    int32_t *exponents; // row after row
    bool *gone;         // rows that were joined with another one
    Expr *meaning;      // of a column
    double *cost;       // of reading it once
    ARRAY(CircleColumns) circles;
    size_t used; // columns
} Terms;

static int32_t *row_of(const Terms *terms, size_t row)
{
    return terms->exponents + row * terms->width;
}

static void add_column(Terms *terms, Expr meaning)
{
    terms->meaning[terms->used] = meaning;
    terms->cost[terms->used++] = algebra_cost(terms->field->algebra->pool, meaning);
}

// The terms of n/d, where d has one term.
static void terms_init(Terms *terms, Fractions *field, const fmpz_mpoly_struct *n,
                       const fmpz_mpoly_struct *d)
{
    *terms = (Terms){.field = field};
    size_t generators = (size_t)field->generators;
    terms->count = (size_t)fmpz_mpoly_length(n, field->ctx);
    terms->width = generators + 2 * MOST_JOINED;
    terms->coefficients = base_alloc((terms->count + 1) * sizeof *terms->coefficients);
    terms->exponents = base_alloc((terms->count * terms->width + 1) * sizeof *terms->exponents);
    terms->gone = base_alloc((terms->count + 1) * sizeof *terms->gone);
    terms->meaning = base_alloc((terms->width + 1) * sizeof *terms->meaning);
    terms->cost = base_alloc((terms->width + 1) * sizeof *terms->cost);
    for (size_t i = 0; i < terms->count; i++) {
        fmpq *coefficient = terms->coefficients + i;
        fmpq_init(coefficient);
        fmpz_mpoly_get_term_coeff_fmpz(&coefficient->num, n, (slong)i, field->ctx);
        fmpz_mpoly_get_term_coeff_fmpz(&coefficient->den, d, 0, field->ctx);
        fmpq_canonicalise(coefficient);
        for (slong j = 0; j < field->generators; j++)
            row_of(terms, i)[j] =
                (int32_t)fmpz_mpoly_get_term_var_exp_si(n, (slong)i, j, field->ctx) -
                (int32_t)fmpz_mpoly_get_term_var_exp_si(d, 0, j, field->ctx);
    }
    // Generators that stand for no root yet have no meaning, and occur in no term.
    for (size_t j = 0; j < generators; j++)
        add_column(terms, (slong)j < field->next_root ? field->meaning[j]
                                                      : expr_int(field->algebra->pool, 1));
    for (size_t i = 0; i < field->circles.count; i++) {
        CircleAt at = field->circles.at[i];
        Expr angle = atoms_circle(field->algebra, field->symbol[at.sine])->angle;
        array_push(&terms->circles, ((CircleColumns){(size_t)at.sine, (size_t)at.cosine, angle}));
    }
}

static void terms_clear(Terms *terms)
{
    for (size_t i = 0; i < terms->count; i++)
        fmpq_clear(terms->coefficients + i);
    base_free(terms->coefficients);
    base_free(terms->exponents);
    base_free(terms->gone);
    base_free(terms->meaning);
    base_free(terms->cost);
    array_clear(&terms->circles);
}

static void *copied(const void *from, size_t bytes)
{
    return memcpy(base_alloc(bytes), from, bytes);
}

static void terms_copy(Terms *copy, const Terms *terms)
{
    *copy = *terms;
    copy->coefficients = base_alloc((terms->count + 1) * sizeof *copy->coefficients);
    for (size_t i = 0; i < terms->count; i++) {
        fmpq_init(copy->coefficients + i);
        fmpq_set(copy->coefficients + i, terms->coefficients + i);
    }
    copy->exponents =
        copied(terms->exponents, (terms->count * terms->width + 1) * sizeof *copy->exponents);
    copy->gone = copied(terms->gone, (terms->count + 1) * sizeof *copy->gone);
    copy->meaning = copied(terms->meaning, (terms->width + 1) * sizeof *copy->meaning);
    copy->cost = copied(terms->cost, (terms->width + 1) * sizeof *copy->cost);
    memset(&copy->circles, 0, sizeof copy->circles);
    for (size_t i = 0; i < terms->circles.count; i++)
        array_push(&copy->circles, terms->circles.at[i]);
}

// ---- Joining angles.

// The circle of this angle; its number, or the count where there is no room for a new one.
static size_t circle_of(Terms *terms, Expr angle)
{
    ExprPool *pool = terms->field->algebra->pool;
    for (size_t i = 0; i < terms->circles.count; i++)
        if (expr_same(terms->circles.at[i].angle, angle))
            return i;
    if (terms->used + 2 > terms->width || expr_is_zero(pool, angle))
        return terms->circles.count;
    CircleColumns circle = {terms->used, terms->used + 1, angle};
    add_column(terms, expr_call(pool, EXPR_SIN, angle, (Expr){0}));
    add_column(terms, expr_call(pool, EXPR_COS, angle, (Expr){0}));
    array_push(&terms->circles, circle);
    return terms->circles.count - 1;
}

// The row that has `gain` where this one has `loss`, in two columns, and the same elsewhere.
static size_t partner_of(const Terms *terms, size_t row, const size_t loss[2], const size_t gain[2])
{
    int32_t *wanted = base_alloc(terms->width * sizeof *wanted);
    memcpy(wanted, row_of(terms, row), terms->width * sizeof *wanted);
    for (int k = 0; k < 2; k++) {
        wanted[loss[k]]--;
        wanted[gain[k]]++;
    }
    size_t found = terms->count;
    for (size_t i = 0; i < terms->count && found == terms->count; i++)
        if (!terms->gone[i] && memcmp(row_of(terms, i), wanted, terms->width * sizeof *wanted) == 0)
            found = i;
    base_free(wanted);
    return found;
}

// Joins a row that holds the first pair of columns with the one that holds the second pair
// instead: s·s with c·c, or s·c with c·s. True where it did.
static bool join_row(Terms *terms, size_t row, size_t first, size_t second, bool to_cosine)
{
    ExprPool *pool = terms->field->algebra->pool;
    CircleColumns a = terms->circles.at[first], b = terms->circles.at[second];
    size_t loss[2] = {a.sine, to_cosine ? b.sine : b.cosine};
    size_t gain[2] = {a.cosine, to_cosine ? b.cosine : b.sine};
    if (terms->gone[row] || row_of(terms, row)[loss[0]] < 1 || row_of(terms, row)[loss[1]] < 1)
        return false;
    size_t other = partner_of(terms, row, loss, gain);
    if (other == terms->count || other == row)
        return false;
    fmpq *mine = terms->coefficients + row, *its = terms->coefficients + other;
    if (!fmpz_equal(&mine->den, &its->den) || fmpz_cmpabs(&mine->num, &its->num) != 0)
        return false;
    // cc + ss and sc − cs belong to the difference of the angles, the others to the sum.
    bool equal = fmpq_equal(mine, its);
    bool sum = equal != to_cosine;
    size_t target =
        circle_of(terms, sum ? expr_add(pool, a.angle, b.angle) : expr_sub(pool, a.angle, b.angle));
    if (target == terms->circles.count)
        return false;
    CircleColumns joined = terms->circles.at[target];
    int32_t *exponents = row_of(terms, row);
    exponents[loss[0]]--;
    exponents[loss[1]]--;
    exponents[to_cosine ? joined.cosine : joined.sine]++;
    if (to_cosine)
        fmpq_set(mine, its);
    terms->gone[other] = true;
    return true;
}

// True where it joined any.
static bool join_angles(Terms *terms)
{
    bool joined = false;
    for (size_t j = 1; j < terms->circles.count; j++)
        for (size_t i = 0; i < j; i++)
            for (size_t row = 0; row < terms->count; row++) {
                joined = join_row(terms, row, i, j, true) || joined;
                joined = join_row(terms, row, i, j, false) || joined;
            }
    return joined;
}

// ---- Drawing out.

static Expr monomial(const Terms *terms, const int32_t *exponents, const fmpq *coefficient)
{
    ExprPool *pool = terms->field->algebra->pool;
    Expr *factors = base_alloc((terms->used + 1) * sizeof *factors);
    size_t count = 0;
    factors[count++] = expr_number(pool, coefficient);
    for (size_t j = 0; j < terms->used; j++)
        if (exponents[j])
            factors[count++] = expr_pow_int(pool, terms->meaning[j], exponents[j]);
    Expr product = expr_product(pool, factors, count);
    base_free(factors);
    return product;
}

// The greatest number that divides the rows' coefficients to integers, negative where all of
// them are.
static void common_number(const Terms *terms, const size_t *rows, size_t count, fmpq_t common)
{
    bool negative = true;
    fmpq_set(common, terms->coefficients + rows[0]);
    for (size_t i = 0; i < count; i++) {
        const fmpq *coefficient = terms->coefficients + rows[i];
        fmpz_gcd(fmpq_numref(common), fmpq_numref(common), &coefficient->num);
        fmpz_lcm(fmpq_denref(common), fmpq_denref(common), &coefficient->den);
        negative = negative && fmpq_sgn(coefficient) < 0;
    }
    if (negative)
        fmpq_neg(common, common);
}

// Divides the rows by what they have in common, and returns it.
static Expr draw_out(Terms *terms, const size_t *rows, size_t count)
{
    int32_t *common = base_alloc((terms->width + 1) * sizeof *common);
    fmpq_t number;
    fmpq_init(number);
    common_number(terms, rows, count, number);
    memcpy(common, row_of(terms, rows[0]), terms->width * sizeof *common);
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < terms->used; j++)
            if (row_of(terms, rows[i])[j] < common[j])
                common[j] = row_of(terms, rows[i])[j];
    for (size_t i = 0; i < count; i++) {
        fmpq *coefficient = terms->coefficients + rows[i];
        fmpq_div(coefficient, coefficient, number);
        for (size_t j = 0; j < terms->used; j++)
            row_of(terms, rows[i])[j] -= common[j];
    }
    Expr factor = monomial(terms, common, number);
    fmpq_clear(number);
    base_free(common);
    return factor;
}

// A power of a column: what is drawn out at once, so that u² is not torn into u·u.
typedef struct {
    size_t column;
    int32_t power;
    size_t holding; // rows
} Shared;

// Counts the rows that hold each power of a column, powers in the order of their first rows.
static size_t count_powers(const Terms *terms, const size_t *rows, size_t count, size_t column,
                           Shared *powers)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t power = row_of(terms, rows[i])[column];
        if (power == 0)
            continue;
        size_t k = 0;
        while (k < found && powers[k].power != power)
            k++;
        if (k == found)
            powers[found++] = (Shared){column, power, 0};
        powers[k].holding++;
    }
    return found;
}

// The power that saves most when it is drawn out of the rows that hold it; false where none
// saves more than brackets cost.
static bool best_shared(const Terms *terms, const size_t *rows, size_t count, Shared *best)
{
    double most = ALGEBRA_BRACKETS;
    bool found = false;
    Shared *powers = base_alloc((count + 1) * sizeof *powers);
    for (size_t j = 0; j < terms->used; j++) {
        size_t different = count_powers(terms, rows, count, j, powers);
        for (size_t k = 0; k < different; k++) {
            double once = terms->cost[j] + (powers[k].power != 1);
            double saved = (double)(powers[k].holding - 1) * once;
            if (saved > most) {
                *best = powers[k];
                most = saved;
                found = true;
            }
        }
    }
    base_free(powers);
    return found;
}

// Sorts the rows that hold the power to the front; how many they are.
static size_t part_rows(const Terms *terms, size_t *rows, size_t count, Shared shared)
{
    size_t *rest = base_alloc((count + 1) * sizeof *rest);
    size_t holding = 0, without = 0;
    for (size_t i = 0; i < count; i++) {
        if (row_of(terms, rows[i])[shared.column] == shared.power)
            rows[holding++] = rows[i];
        else
            rest[without++] = rows[i];
    }
    memcpy(rows + holding, rest, without * sizeof *rows);
    base_free(rest);
    return holding;
}

// What is done to a sum. Drawing out of the whole and into brackets inside of it are two
// things: S = m·v²/2 + I·w²/2 is better left alone by the first.
enum { JOIN = 1, BRACKETS = 2, FRONT = 4 };

// The sum of the rows. With FRONT, as in every call inside, a power that all of them hold is
// drawn out before another is chosen: so each call but the first has fewer rows.
static Expr collected(Terms *terms, size_t *rows, size_t count, unsigned what)
{
    ExprPool *pool = terms->field->algebra->pool;
    Expr front = (what & FRONT) && count > 1 ? draw_out(terms, rows, count) : expr_int(pool, 1);
    ARRAY(Expr) parts = {0};
    Shared shared;
    while ((what & BRACKETS) && count > 1 && best_shared(terms, rows, count, &shared)) {
        size_t holding = part_rows(terms, rows, count, shared);
        array_push(&parts, collected(terms, rows, holding, what | FRONT));
        rows += holding;
        count -= holding;
    }
    for (size_t i = 0; i < count; i++)
        array_push(&parts, monomial(terms, row_of(terms, rows[i]), terms->coefficients + rows[i]));
    Expr sum = expr_sum(pool, parts.at, parts.count);
    array_clear(&parts);
    return expr_mul(pool, front, sum);
}

// Writes a copy of the terms: drawing out changes them.
static Expr written(const Terms *terms, unsigned what)
{
    Terms copy;
    terms_copy(&copy, terms);
    size_t *rows = base_alloc((copy.count + 1) * sizeof *rows), count = 0;
    for (size_t i = 0; i < copy.count; i++)
        if (!copy.gone[i])
            rows[count++] = i;
    Expr sum = collected(&copy, rows, count, what);
    base_free(rows);
    terms_clear(&copy);
    return sum;
}

// The cheapest of the ways to write the terms, as they are and joined.
static Expr cheapest(const Terms *plain)
{
    static const unsigned choices[] = {JOIN,
                                       FRONT,
                                       FRONT | JOIN,
                                       BRACKETS,
                                       BRACKETS | JOIN,
                                       BRACKETS | FRONT,
                                       BRACKETS | FRONT | JOIN};
    const ExprPool *pool = plain->field->algebra->pool;
    Terms joined;
    terms_copy(&joined, plain);
    bool joins = join_angles(&joined);
    Expr best = written(plain, 0);
    double least = algebra_cost(pool, best);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        bool join = choices[i] & JOIN;
        if (join && !joins)
            continue;
        if (!algebra_spend(plain->field->algebra, (double)(plain->count * plain->used)))
            break;
        Expr form = written(join ? &joined : plain, choices[i]);
        double cost = algebra_cost(pool, form);
        if (cost < least) {
            best = form;
            least = cost;
        }
    }
    terms_clear(&joined);
    return best;
}

static bool find_written(const Fractions *field, const fmpz_mpoly_struct *n,
                         const fmpz_mpoly_struct *d, Expr *form)
{
    for (size_t i = 0; i < field->written.count; i++) {
        const Written *known = &field->written.at[i];
        if (fmpz_mpoly_equal(&known->n, n, field->ctx) &&
            fmpz_mpoly_equal(&known->d, d, field->ctx)) {
            *form = known->form;
            return true;
        }
    }
    return false;
}

static void keep_written(Fractions *field, const fmpz_mpoly_struct *n, const fmpz_mpoly_struct *d,
                         Expr form)
{
    Written written = {.form = form};
    fmpz_mpoly_init(&written.n, field->ctx);
    fmpz_mpoly_init(&written.d, field->ctx);
    fmpz_mpoly_set(&written.n, n, field->ctx);
    fmpz_mpoly_set(&written.d, d, field->ctx);
    array_push(&field->written, written);
}

Expr terms_shortest(Fractions *field, const fmpz_mpoly_struct *n, const fmpz_mpoly_struct *d)
{
    Expr form;
    if (find_written(field, n, d, &form))
        return form;
    Terms terms;
    terms_init(&terms, field, n, d);
    form = terms.count < 2 || terms.count > MOST_TERMS ? written(&terms, 0) : cheapest(&terms);
    terms_clear(&terms);
    keep_written(field, n, d, form);
    return form;
}
