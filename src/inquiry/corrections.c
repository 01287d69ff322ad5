// corrections.c: R_α at a point of a prime field, and as a function.
//
// With other parameters w = G·u + c, G and c the rows of B and C that belong to them, q' = B G⁻¹ w
// + …; at fixed w the old speeds change with the coordinates by −G⁻¹(∂G u + ∂c).
#include "inquiry/order_impl.h"

#include <string.h>

// ---- Numbers of a field.

static uint64_t sum_of(const OrderBase *base, uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;
    return sum >= base->prime ? sum - base->prime : sum;
}

static uint64_t difference(const OrderBase *base, uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a + (base->prime - b);
}

static uint64_t product(const OrderBase *base, uint64_t a, uint64_t b)
{
    return a == 0 || b == 0 ? 0 : algebra_field_mul(a, b, base->prime);
}

// Σ a_i·b_i with strides.
static uint64_t dot(const OrderBase *base, const uint64_t *a, size_t step_a, const uint64_t *b,
                    size_t step_b, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = sum_of(base, sum, product(base, a[i * step_a], b[i * step_b]));
    return sum;
}

static void scale_row(const OrderBase *base, uint64_t *row, size_t width, uint64_t factor)
{
    for (size_t j = 0; j < width; j++)
        row[j] = product(base, row[j], factor);
}

static void subtract_row(const OrderBase *base, uint64_t *row, const uint64_t *other, size_t width,
                         uint64_t factor)
{
    for (size_t j = 0; j < width && factor; j++)
        row[j] = difference(base, row[j], product(base, factor, other[j]));
}

// Makes column `column` a unit column with its 1 in row `at`, by rows from `at` on. False where
// they are all zero there.
static bool pivot(const OrderBase *base, uint64_t *matrix, size_t rows, size_t width, size_t at,
                  size_t column)
{
    size_t row = at;
    while (row < rows && matrix[row * width + column] == 0)
        row++;
    if (row == rows)
        return false;
    for (size_t j = 0; j < width && row != at; j++) {
        uint64_t swapped = matrix[at * width + j];
        matrix[at * width + j] = matrix[row * width + j];
        matrix[row * width + j] = swapped;
    }
    uint64_t *own = matrix + at * width;
    scale_row(base, own, width, algebra_field_inverse(own[column], base->prime));
    for (size_t i = 0; i < rows; i++)
        if (i != at)
            subtract_row(base, matrix + i * width, own, width, matrix[i * width + column]);
    return true;
}

// ---- The parts of R.

typedef struct {
    const OrderBase *base;
    const size_t *choice;
    uint64_t *inverse;  // G⁻¹, k × k
    uint64_t *along;    // directions by the parameters, directions × variables, the first k count
    uint64_t *velocity; // q', variables
    uint64_t *B;        // for the choice, n × k
} Choice;

static const uint64_t *B_row(const OrderBase *base, size_t variable)
{
    return base->at + base->B + variable * (base->k + 1);
}

static const uint64_t *dB_row(const OrderBase *base, size_t sigma, size_t variable)
{
    return base->at + base->dB + (sigma * base->variables + variable) * (base->k + 1);
}

// A row of (B, C), or of its derivative, times (u, 1).
static uint64_t times_speeds(const OrderBase *base, const uint64_t *row)
{
    return sum_of(base, dot(base, row, 1, base->at + base->u, 1, base->k), row[base->k]);
}

static bool invert(Choice *choice)
{
    const OrderBase *base = choice->base;
    size_t k = base->k;
    uint64_t *both = base_alloc((2 * k * k + 1) * sizeof *both);
    for (size_t i = 0; i < k; i++) {
        memcpy(both + 2 * k * i, B_row(base, choice->choice[i]), k * sizeof *both);
        both[2 * k * i + k + i] = 1;
    }
    bool regular = true;
    for (size_t i = 0; i < k && regular; i++)
        regular = pivot(base, both, k, 2 * k, i, i);
    for (size_t i = 0; i < k; i++)
        memcpy(choice->inverse + i * k, both + 2 * k * i + k, k * sizeof *both);
    base_free(both);
    return regular;
}

static bool is_chosen(const Choice *choice, size_t variable)
{
    for (size_t i = 0; i < choice->base->k; i++)
        if (choice->choice[i] == variable)
            return true;
    return false;
}

// The direction in which one parameter changes and the others do not. Dependent coordinates that
// nothing holds stay where they are first, so that those that are held go along.
static bool find_directions(Choice *choice)
{
    const OrderBase *base = choice->base;
    size_t width = base->variables, rows = base->directions, at = 0;
    memcpy(choice->along, base->at + base->W, rows * width * sizeof *choice->along);
    bool regular = true;
    for (; at < base->k && regular; at++)
        regular = pivot(base, choice->along, rows, width, at, choice->choice[at]);
    for (int round = 0; round < 2 && regular; round++)
        for (size_t i = 0; i < width && at < rows; i++)
            if (!is_chosen(choice, i) && base->held[i] == (round == 1))
                at += pivot(base, choice->along, rows, width, at, i);
    return regular;
}

// dB/dt of the choice for one coordinate: (dB₀/dt − B·dG/dt)·G⁻¹.
static void rate_of_B(const Choice *choice, size_t nu, uint64_t *rate)
{
    const OrderBase *base = choice->base;
    size_t k = base->k, n = base->n;
    uint64_t *row = base_alloc((k + 1) * sizeof *row);
    for (size_t beta = 0; beta < k; beta++) {
        for (size_t i = 0; i <= k; i++) {
            size_t variable = i == k ? nu : choice->choice[i];
            uint64_t own = dB_row(base, n, variable)[beta];
            for (size_t sigma = 0; sigma < n; sigma++)
                own = sum_of(
                    base, own,
                    product(base, dB_row(base, sigma, variable)[beta], choice->velocity[sigma]));
            row[beta] =
                i == k ? sum_of(base, row[beta], own)
                       : difference(base, row[beta], product(base, choice->B[nu * k + i], own));
        }
    }
    for (size_t alpha = 0; alpha < k; alpha++)
        rate[alpha] = dot(base, row, 1, choice->inverse + alpha, k, k);
    base_free(row);
}

// ∂q'_ν/∂q_σ at fixed w, summed over σ along a direction: first as if u were fixed, of every
// variable, then the change of u.
static void change_along(const Choice *choice, const uint64_t *direction, uint64_t *change)
{
    const OrderBase *base = choice->base;
    size_t k = base->k;
    uint64_t *first = base_alloc((base->variables + k + 1) * sizeof *first);
    uint64_t *speeds = first + base->variables;
    for (size_t i = 0; i < base->variables; i++)
        for (size_t sigma = 0; sigma < base->n; sigma++)
            if (direction[sigma])
                first[i] = sum_of(
                    base, first[i],
                    product(base, direction[sigma], times_speeds(base, dB_row(base, sigma, i))));
    for (size_t beta = 0; beta < k; beta++)
        for (size_t i = 0; i < k; i++)
            speeds[beta] =
                sum_of(base, speeds[beta],
                       product(base, choice->inverse[beta * k + i], first[choice->choice[i]]));
    for (size_t nu = 0; nu < base->n; nu++)
        change[nu] = difference(base, first[nu], dot(base, B_row(base, nu), 1, speeds, 1, k));
    base_free(first);
}

static void add_corrections(const Choice *choice, uint64_t *R)
{
    const OrderBase *base = choice->base;
    size_t n = base->n, k = base->k;
    uint64_t *rate = base_alloc((n * k + n + 1) * sizeof *rate), *change = rate + n * k;
    for (size_t nu = 0; nu < n; nu++)
        rate_of_B(choice, nu, rate + nu * k);
    for (size_t alpha = 0; alpha < k; alpha++) {
        const uint64_t *direction = choice->along + alpha * base->variables;
        change_along(choice, direction, change);
        R[alpha] = 0;
        for (size_t nu = 0; nu < n; nu++) {
            uint64_t twist = difference(base, rate[nu * k + alpha], change[nu]);
            uint64_t shift = difference(base, choice->B[nu * k + alpha], direction[nu]);
            R[alpha] = sum_of(base, R[alpha], product(base, base->at[base->p + nu], twist));
            R[alpha] = sum_of(base, R[alpha], product(base, base->at[base->T + nu], shift));
            R[alpha] =
                difference(base, R[alpha],
                           product(base, base->at[base->rest + nu], choice->B[nu * k + alpha]));
        }
    }
    base_free(rate);
}

bool order_corrections_at(const OrderBase *base, const size_t *chosen, uint64_t *R)
{
    size_t k = base->k, v = base->variables;
    Choice choice = {.base = base, .choice = chosen};
    choice.inverse = base_alloc((k * k + 1) * sizeof(uint64_t));
    choice.along = base_alloc((base->directions * v + 1) * sizeof(uint64_t));
    choice.velocity = base_alloc((v + 1) * sizeof(uint64_t));
    choice.B = base_alloc((base->n * k + 1) * sizeof(uint64_t));
    bool regular = invert(&choice) && find_directions(&choice);
    if (regular) {
        for (size_t i = 0; i < v; i++)
            choice.velocity[i] = times_speeds(base, B_row(base, i));
        for (size_t nu = 0; nu < base->n; nu++)
            for (size_t alpha = 0; alpha < k; alpha++)
                choice.B[nu * k + alpha] =
                    dot(base, B_row(base, nu), 1, choice.inverse + alpha, k, k);
        add_corrections(&choice, R);
    }
    base_free(choice.inverse);
    base_free(choice.along);
    base_free(choice.velocity);
    base_free(choice.B);
    return regular;
}

// ---- As functions.

// The pivot columns that the elimination at a point chose: they say what stays fixed.
static bool find_fixed(const OrderBase *base, const size_t *chosen, size_t *fixed)
{
    size_t width = base->variables, rows = base->directions;
    Choice choice = {.base = base, .choice = chosen};
    choice.along = base_alloc((rows * width + 1) * sizeof(uint64_t));
    bool regular = find_directions(&choice);
    for (size_t i = 0, count = 0; i < width && regular; i++) {
        size_t ones = 0, others = 0, at = 0;
        for (size_t row = 0; row < rows; row++) {
            uint64_t entry = choice.along[row * width + i];
            ones += entry == 1;
            others += entry > 1;
            at = entry == 1 ? row : at;
        }
        if (ones == 1 && others == 0 && fixed[at] == SIZE_MAX && count < rows) {
            fixed[at] = i;
            count++;
        }
    }
    for (size_t row = 0; row < rows && regular; row++)
        regular = fixed[row] != SIZE_MAX;
    base_free(choice.along);
    return regular;
}

// Directions as functions: the combination of those that can be reached which has 1 at the
// parameter and 0 at everything else that stays fixed; k × variables.
static bool directions_of(Motion *motion, const OrderBase *base, const size_t *fixed,
                          Expr *directions)
{
    ExprPool *pool = motion->pool;
    size_t rows = base->directions, k = base->k, width = base->variables;
    const Expr *W = base->outputs.at + base->W;
    Expr *matrix = base_alloc((rows * rows + 1) * sizeof *matrix);
    Expr *right = base_alloc((2 * rows * k + 1) * sizeof *right), *factors = right + rows * k;
    Expr *terms = base_alloc((rows + 1) * sizeof *terms);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < rows; j++)
            matrix[i * rows + j] = W[j * width + fixed[i]];
        for (size_t alpha = 0; alpha < k; alpha++)
            right[i * k + alpha] = expr_int(pool, i == alpha);
    }
    bool solved = algebra_solve(motion->algebra, matrix, right, rows, k, factors);
    for (size_t alpha = 0; alpha < k && solved; alpha++)
        for (size_t i = 0; i < width; i++) {
            for (size_t j = 0; j < rows; j++)
                terms[j] = expr_mul(pool, factors[j * k + alpha], W[j * width + i]);
            directions[alpha * width + i] = expr_sum(pool, terms, rows);
        }
    base_free(matrix);
    base_free(right);
    base_free(terms);
    return solved;
}

// d/dt ∂T⁺/∂u_α − (T⁺ along the direction) − ∂S/∂u'_α, without accelerations.
static Expr correction_along(Motion *motion, size_t alpha, const Expr *direction)
{
    ExprPool *pool = motion->pool;
    MotionReduction *state = &motion->state;
    size_t n = motion->n, k = motion->k;
    ExprRates *along = expr_rates_new(pool);
    for (size_t nu = 0; nu < n; nu++)
        expr_rates_set(along, motion->q[nu], direction[nu]);
    Expr *terms = base_alloc((2 * n + 2) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++) {
        Expr B = state->B[nu * k + alpha];
        Expr change = expr_rate(along, motion_in_speeds(motion, motion->v[nu]));
        Expr twist = expr_sub(pool, motion_rate_along(motion, state, B), change);
        Expr shift = expr_sub(pool, B, direction[nu]);
        terms[2 * nu] = expr_mul(pool, motion_in_speeds(motion, motion->p[nu]), twist);
        terms[2 * nu + 1] = expr_mul(pool, motion_in_speeds(motion, motion->dT_dq[nu]), shift);
    }
    terms[2 * n] = motion_apparent_force_on(motion, state, alpha);
    Expr R = expr_sum(pool, terms, 2 * n + 1);
    expr_rates_free(along);
    base_free(terms);
    return R;
}

bool order_corrections(Motion *motion, OrderBase *base, const size_t *choice, Expr *R)
{
    size_t *fixed = base_alloc((base->directions + 1) * sizeof *fixed);
    Expr *directions = base_alloc((base->k * base->variables + 1) * sizeof *directions);
    for (size_t i = 0; i < base->directions; i++)
        fixed[i] = SIZE_MAX;
    bool known = find_fixed(base, choice, fixed) && directions_of(motion, base, fixed, directions);
    for (size_t alpha = 0; alpha < base->k && known; alpha++)
        R[alpha] = correction_along(motion, alpha, directions + alpha * base->variables);
    base_free(fixed);
    base_free(directions);
    return known;
}
