// bounds.c: how much a zero in a prime field is worth (Schwartz 1980, Zippel 1979).
//
// An expression over atoms is a polynomial in the free symbols x, in y_q = 1/q for every
// divisor q, and in 1/Λ, with Λ the common denominator of all rational numbers in it; a
// circle is s = 2t·y, c = (1−t²)·y with y = 1/(1+t²). For every node the degree in each of
// these, and log2 of the sum of the sizes of its integer coefficients, is bounded by plain
// rules: the greatest for a sum, the sum for a product. To the end, multiplying by q as often
// as the degree in y_q says, divisors from the last to the first, leaves a polynomial in x
// alone with integer coefficients: of degree d, its coefficients below 2^h. (A degree for
// each divisor costs memory, and saves the bound: a divisor that many terms share counts
// once.)
//
// If it is not zero, its coefficients are all divisible by at most h/60 primes above 2^60, of
// which there are more than 2^54 below 2^61; modulo another one it has at most a share of
// d/2^60 of zeros, twice that among the points where no divisor vanishes as long as d is
// below 2^59. Square roots weigh half of what they are the root of; the product over all 2^k
// choices of signs is again a polynomial, with 2^k times the weight, and the points where
// all roots exist are a share of about 2^-k, for which one half more is allowed. Where all roots
// are independent square_roots.c knows better.
#include "algebra/algebra_impl.h"

#include <math.h>

enum { DEGREE = 0, HEIGHT = BOUND_HEIGHT, RATIONAL = 2, FIRST_DIVISOR = 3 };

// At most so many numbers are held.
enum { MOST_NUMBERS = 1 << 24 };

struct Bounds {
    const Algebra *algebra;
    size_t width;
    double *rows; // one for every node
    ExprList nodes;
    IndexMap place;           // node → row
    IndexMap divisor;         // node that is divided by → column; the sine's symbol for a circle
    ARRAY(uint32_t) divisors; // in the order of their columns; 0 for a circle
    ARRAY(size_t) roots;      // rows of the roots that were asked for
    size_t square_roots;
    double log2_common; // log2 Λ
};

static double log2_size(const fmpz *n)
{
    return fmpz_is_zero(n) || fmpz_is_pm1(n) ? 0 : (double)fmpz_bits(n);
}

static bool is_half(const fmpq *exponent)
{
    return !fmpz_is_one(&exponent->den);
}

// ---- Columns, and what is common to all nodes.

static void column_for(Bounds *bounds, uint32_t key, uint32_t divisor)
{
    uint32_t known;
    if (index_map_get(&bounds->divisor, key, &known))
        return;
    index_map_put(&bounds->divisor, key, (uint32_t)(FIRST_DIVISOR + bounds->divisors.count));
    array_push(&bounds->divisors, divisor);
}

static size_t column_of(const Bounds *bounds, uint32_t key)
{
    uint32_t column = 0;
    index_map_get(&bounds->divisor, key, &column);
    return column;
}

static void take_denominator(fmpz_t common, const fmpq *number)
{
    if (!fmpz_is_one(&number->den))
        fmpz_lcm(common, common, &number->den);
}

static void survey_product(Bounds *bounds, Expr e, IndexMap *rooted)
{
    const ExprPool *pool = bounds->algebra->pool;
    for (size_t k = 0; k < expr_arg_count(pool, e); k++) {
        const fmpq *exponent = expr_arg_weight(pool, e, k);
        uint32_t base = expr_arg(pool, e, k).at;
        if (fmpq_sgn(exponent) < 0)
            column_for(bounds, base, base);
        if (is_half(exponent))
            index_map_put(rooted, base, 1);
    }
}

// Finds the divisors, circles, square roots and the common denominator.
static void survey(Bounds *bounds)
{
    const ExprPool *pool = bounds->algebra->pool;
    IndexMap rooted = {0};
    fmpz_t common;
    fmpz_init_set_ui(common, 1);
    for (size_t i = 0; i < bounds->nodes.count; i++) {
        Expr e = {bounds->nodes.at[i]};
        index_map_put(&bounds->place, e.at, (uint32_t)i);
        ExprOp op = expr_op(pool, e);
        if (op == EXPR_SYMBOL) {
            const Circle *circle = atoms_circle(bounds->algebra, e);
            if (circle)
                column_for(bounds, circle->sine.at, 0);
            continue;
        }
        take_denominator(common, expr_value(pool, e));
        if (op == EXPR_PRODUCT)
            survey_product(bounds, e, &rooted);
        for (size_t k = 0; op == EXPR_SUM && k < expr_arg_count(pool, e); k++)
            take_denominator(common, expr_arg_weight(pool, e, k));
    }
    bounds->log2_common = log2_size(common);
    bounds->square_roots = rooted.count;
    bounds->width = FIRST_DIVISOR + bounds->divisors.count;
    fmpz_clear(common);
    index_map_clear(&rooted);
}

// ---- Rows.

static double *row_of(const Bounds *bounds, uint32_t node)
{
    uint32_t place = 0;
    index_map_get(&bounds->place, node, &place);
    return bounds->rows + (size_t)place * bounds->width;
}

// A rational number as a factor: n/d is (n·Λ/d)·(1/Λ).
static void take_factor(const Bounds *bounds, const fmpq *factor, double *height, double *rational)
{
    *height += log2_size(&factor->num);
    if (!fmpz_is_one(&factor->den)) {
        *height += bounds->log2_common;
        *rational += 1;
    }
}

// row += times·other; what is endless stays so, and meets no 0.
static void add_times(const Bounds *bounds, double *row, double times, const double *other)
{
    for (size_t i = 0; i < bounds->width; i++)
        if (times > 0 && other[i] > 0)
            row[i] += times * other[i];
}

static void bound_sum(const Bounds *bounds, Expr e, double *row)
{
    const ExprPool *pool = bounds->algebra->pool;
    size_t count = expr_arg_count(pool, e);
    take_factor(bounds, expr_value(pool, e), &row[HEIGHT], &row[RATIONAL]);
    for (size_t k = 0; k < count; k++) {
        const double *term = row_of(bounds, expr_arg(pool, e, k).at);
        double height = term[HEIGHT], rational = term[RATIONAL];
        take_factor(bounds, expr_arg_weight(pool, e, k), &height, &rational);
        for (size_t i = 0; i < bounds->width; i++)
            row[i] = fmax(row[i], term[i]);
        row[HEIGHT] = fmax(row[HEIGHT], height);
        row[RATIONAL] = fmax(row[RATIONAL], rational);
    }
    row[HEIGHT] += log2((double)count + 1);
}

static void bound_product(const Bounds *bounds, Expr e, double *row)
{
    const ExprPool *pool = bounds->algebra->pool;
    take_factor(bounds, expr_value(pool, e), &row[HEIGHT], &row[RATIONAL]);
    for (size_t k = 0; k < expr_arg_count(pool, e); k++) {
        const fmpq *exponent = expr_arg_weight(pool, e, k);
        uint32_t node = expr_arg(pool, e, k).at;
        const double *base = row_of(bounds, node);
        double power = fmpz_get_d(&exponent->num) / fmpz_get_d(&exponent->den);
        if (power < 0) {
            // b^(-n) = y^n, and b^(-n/2) = b^(1/2)·y^((n+1)/2).
            power = is_half(exponent) ? 0.5 : 0;
            double times = -fmpz_get_d(&exponent->num) / fmpz_get_d(&exponent->den) + power;
            row[column_of(bounds, node)] += times;
        }
        add_times(bounds, row, power, base);
    }
}

static void bound_node(const Bounds *bounds, Expr e, double *row)
{
    const ExprPool *pool = bounds->algebra->pool;
    switch (expr_op(pool, e)) {
    case EXPR_NUMBER: take_factor(bounds, expr_value(pool, e), &row[HEIGHT], &row[RATIONAL]); break;
    case EXPR_SYMBOL: {
        const Circle *circle = atoms_circle(bounds->algebra, e);
        row[DEGREE] = circle ? 2 : 1;
        if (circle) {
            row[HEIGHT] = 1;
            row[column_of(bounds, circle->sine.at)] = 1;
        }
        break;
    }
    case EXPR_SUM: bound_sum(bounds, e, row); break;
    case EXPR_PRODUCT: bound_product(bounds, e, row); break;
    default: row[DEGREE] = HUGE_VAL; break;
    }
}

Bounds *bounds_new(const Algebra *algebra, const Expr *roots, size_t count)
{
    Bounds *bounds = base_alloc(sizeof *bounds);
    bounds->algebra = algebra;
    bounds->nodes = expr_nodes(algebra->pool, roots, count);
    survey(bounds);
    if (bounds->nodes.count > MOST_NUMBERS / bounds->width) {
        bounds_free(bounds);
        return NULL;
    }
    bounds->rows = base_alloc((bounds->nodes.count * bounds->width + 1) * sizeof *bounds->rows);
    for (size_t i = 0; i < bounds->nodes.count; i++)
        bound_node(bounds, (Expr){bounds->nodes.at[i]}, bounds->rows + i * bounds->width);
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)(row_of(bounds, roots[i].at) - bounds->rows);
        array_push(&bounds->roots, at);
    }
    return bounds;
}

void bounds_free(Bounds *bounds)
{
    if (!bounds)
        return;
    expr_list_free(&bounds->nodes);
    index_map_clear(&bounds->place);
    index_map_clear(&bounds->divisor);
    array_clear(&bounds->divisors);
    array_clear(&bounds->roots);
    base_free(bounds->rows);
    base_free(bounds);
}

size_t bounds_width(const Bounds *bounds)
{
    return bounds->width;
}

const double *bounds_root(const Bounds *bounds, size_t index)
{
    return bounds->rows + bounds->roots.at[index];
}

void bounds_add_row(const Bounds *bounds, const size_t *entries, size_t count, double *total)
{
    double *row = base_alloc(bounds->width * sizeof *row);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < bounds->width; k++)
            row[k] = fmax(row[k], bounds_root(bounds, entries[i])[k]);
    for (size_t k = 0; k < bounds->width; k++)
        total[k] += row[k];
    total[HEIGHT] += log2((double)count + 1);
    base_free(row);
}

// ---- Probabilities.

double bounds_log2_error(const Bounds *bounds, Sample *sample, const double *bound)
{
    double *total = base_alloc(bounds->width * sizeof *total);
    double signs = sample->independent ? 1 : ldexp(1.0, (int)bounds->square_roots);
    for (size_t i = 0; i < bounds->width; i++)
        total[i] = signs * bound[i];
    // Divisors hold only divisors that stand before them.
    for (size_t i = bounds->divisors.count; i-- > 0;) {
        double times = total[FIRST_DIVISOR + i];
        if (times <= 0)
            continue;
        uint32_t node = bounds->divisors.at[i];
        total[FIRST_DIVISOR + i] = 0;
        if (node == 0) {
            total[DEGREE] += 2 * times;
            total[HEIGHT] += times;
            continue;
        }
        add_times(bounds, total, times, row_of(bounds, node));
    }
    double height = total[HEIGHT] + total[RATIONAL] * bounds->log2_common;
    double degree = total[DEGREE];
    base_free(total);
    if (!(degree < 0x1p59) || !(height < 0x1p100))
        return 0;
    double share = ldexp(2 * degree, -60) + ldexp(height / 60 + 1, -54);
    // Doubles were rounded to nearest on the way: more than allowed for by this much.
    double log2_error = log2(share * 1.001);
    if (sample->independent)
        log2_error += square_roots_log2_weight(sample) + 1;
    else if (bounds->square_roots > 0)
        log2_error += (double)bounds->square_roots + 1;
    return log2_error < -0.5 ? log2_error : 0;
}

size_t bounds_trials(double log2_error)
{
    return log2_error < 0 ? (size_t)floor(102 / -log2_error) + 1 : 0;
}
