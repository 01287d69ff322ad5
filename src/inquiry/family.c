// family.c: how many parameters the family of steady motions has.
//
// The steady motions near the one found are the zeros of G without what is held. Their tangents lie
// in the kernel of ∂G/∂y, whose dimension d is an upper bound. It is reached where G says no more
// than its rank: variables that an equation forces to 0 are put in, equations that then hold by
// themselves are dropped (both exactly), and where as many are left, with the variables, as ∂G/∂y
// has rank, their zeros form a manifold of dimension d (implicit functions). Where this does not
// come out, numbers speak: the family is a graph over the kernel, y(s) = y₀ + s·v + …, whose power
// series must solve G in every order (Lyapunov, Schmidt; a potential −q⁴ does not), neighbours are
// looked for along the kernel, and the rank is taken there.
#include "inquiry/small_impl.h"
#include "linalg/lapack.h"
#include "program/program.h"

#include <math.h>
#include <string.h>

#define RANK 1e-9
// A steady value below this is 0, and so is a derivative against the largest of its equation.
#define NOTHING 1e-9
// How far along the kernel neighbours are looked for.
#define ASIDE 1e-2
// At which distance the terms of power series are compared with what G changes by.
#define REACH 0.1
// Against the terms of an equation: less of it is rounding.
#define ROUNDING 1e-12

enum { NEIGHBOURS = 8, MOST_ORDER = 14 };

// The rank of ∂G/∂y, as the program has left it, without what is held; and its kernel, unknowns
// rows of which the last ones count, where that is not NULL.
static size_t rank_here(const InquirySmall *small, double *rows_of_v)
{
    size_t rows = small->rows - small->held_count, unknowns = small->unknowns, rank = 0;
    size_t tall = rows > unknowns ? rows : unknowns;
    const double *J = small->program.out + small_jacobian_at(small);
    double *matrix = base_alloc((tall * unknowns + 1) * sizeof *matrix);
    double *values = base_alloc((unknowns + 1) * sizeof *values);
    for (size_t i = 0; i < rows; i++) {
        double scale = small_scale(small, i);
        for (size_t j = 0; j < unknowns && scale > 0; j++)
            matrix[i * unknowns + j] = J[i * unknowns + j] / scale;
    }
    double *v = rows_of_v ? rows_of_v : base_alloc((unknowns * unknowns + 1) * sizeof *v);
    lapack_axes(tall, unknowns, matrix, values, v);
    while (rank < unknowns && values[rank] > RANK * fmax(values[0], 1))
        rank++;
    if (v != rows_of_v)
        base_free(v);
    base_free(matrix);
    base_free(values);
    return rank;
}

// ---- Exactly.

typedef struct {
    InquirySmall *small;
    Expr *equations; // none where it was dropped
    size_t count;
    bool *is_zero; // of the unknowns: put in
    size_t zeros;
} Elimination;

static bool holds_by_itself(const InquirySmall *small, Expr equation)
{
    if (expr_is_zero(small->motion->pool, equation))
        return true;
    // Most of what is asked here is large, and the prime fields are the quicker judge.
    Verdict zero = algebra_is_zero_modular(small->motion->algebra, equation);
    if (zero.answer == ANSWER_UNKNOWN) {
        verdict_clear(&zero);
        zero = algebra_is_zero(small->motion->algebra, equation);
    }
    bool holds = zero.answer == ANSWER_YES;
    verdict_clear(&zero);
    return holds;
}

// The one unknown, of those not put in, that an equation changes with to first order; it is 0
// here. unknowns where there is none, or several.
static size_t only_unknown(const Elimination *elimination, size_t row)
{
    const InquirySmall *small = elimination->small;
    size_t unknowns = small->unknowns, only = unknowns;
    const double *J = small->program.out + small_jacobian_at(small) + row * unknowns;
    double largest = 0;
    for (size_t j = 0; j < unknowns; j++)
        largest = fmax(largest, fabs(J[j]));
    for (size_t j = 0; j < unknowns; j++) {
        if (elimination->is_zero[j] || fabs(J[j]) <= NOTHING * largest)
            continue;
        if (only < unknowns || fabs(small->state[j]) > NOTHING)
            return unknowns;
        only = j;
    }
    return only;
}

// An equation that holds where this unknown is 0, and changes with it, forces it to 0.
static bool eliminate_by(Elimination *elimination, size_t row)
{
    const InquirySmall *small = elimination->small;
    ExprPool *pool = small->motion->pool;
    Expr zero = expr_int(pool, 0);
    if (expr_is_none(elimination->equations[row]))
        return false;
    size_t j = only_unknown(elimination, row);
    if (j == small->unknowns ||
        !holds_by_itself(small,
                         expr_replace(pool, elimination->equations[row], &small->y[j], &zero, 1)))
        return false;
    elimination->is_zero[j] = true;
    elimination->zeros++;
    elimination->equations[row] = (Expr){0};
    for (size_t i = 0; i < elimination->count; i++)
        if (!expr_is_none(elimination->equations[i]))
            elimination->equations[i] =
                expr_replace(pool, elimination->equations[i], &small->y[j], &zero, 1);
    return true;
}

// Forces that are there only to be given a value are not there while they have none.
static void put_zero_params(const InquirySmall *small, Expr *equations, size_t count)
{
    const Model *model = small->motion->model;
    Expr zero = expr_int(model->pool, 0);
    for (size_t i = 0; i < model->params.count; i++)
        for (size_t row = 0; row < count && expr_is_zero(model->pool, model->params.at[i].value);
             row++)
            equations[row] =
                expr_replace(model->pool, equations[row], &model->params.at[i].symbol, &zero, 1);
}

// Whether G comes to `rank` independent equations, exactly. The program was run at the state.
static bool prove_rank(InquirySmall *small, size_t rank)
{
    Elimination elimination = {.small = small, .count = small->f + small->e + small->k};
    elimination.equations = base_alloc((elimination.count + 1) * sizeof(Expr));
    elimination.is_zero = base_alloc((small->unknowns + 1) * sizeof(bool));
    memcpy(elimination.equations, small->finite, small->f * sizeof(Expr));
    memcpy(elimination.equations + small->f, small->rates, small->e * sizeof(Expr));
    memcpy(elimination.equations + small->f + small->e, small->force, small->k * sizeof(Expr));
    put_zero_params(small, elimination.equations, elimination.count);
    bool again = true;
    while (again) {
        again = false;
        // The rates come before the forces: most of them are speeds.
        for (size_t row = small->f; row < elimination.count; row++)
            again = eliminate_by(&elimination, row) || again;
    }
    size_t left = 0;
    for (size_t row = 0; row < elimination.count; row++)
        left += !expr_is_none(elimination.equations[row]) &&
                !holds_by_itself(small, elimination.equations[row]);
    base_free(elimination.equations);
    base_free(elimination.is_zero);
    return elimination.zeros + left == rank;
}

// ---- In numbers.

static double distance(const double *a, const double *b, size_t count)
{
    double square = 0;
    for (size_t i = 0; i < count; i++)
        square += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(square);
}

// The equations to first order, each divided by its scale; those that nothing changes to first
// order have none, and any other term of theirs counts as 1.
typedef struct {
    size_t rows, unknowns;
    double *J, *scale;
    double *matrix, *right; // room for least norm
} Orders;

static Orders orders_new(const InquirySmall *small)
{
    Orders orders = {.rows = small->rows - small->held_count, .unknowns = small->unknowns};
    size_t rows = orders.rows, unknowns = orders.unknowns;
    orders.J = base_alloc((rows * unknowns + 1) * sizeof(double));
    orders.matrix = base_alloc((rows * unknowns + 1) * sizeof(double));
    orders.scale = base_alloc((rows + 1) * sizeof(double));
    orders.right = base_alloc((rows + unknowns + 1) * sizeof(double));
    const double *J = small->program.out + small_jacobian_at(small);
    for (size_t i = 0; i < rows; i++) {
        orders.scale[i] = small_scale(small, i);
        for (size_t j = 0; j < unknowns && orders.scale[i] > 0; j++)
            orders.J[i * unknowns + j] = J[i * unknowns + j] / orders.scale[i];
    }
    return orders;
}

static void orders_clear(Orders *orders)
{
    base_free(orders->J);
    base_free(orders->matrix);
    base_free(orders->scale);
    base_free(orders->right);
}

// The next coefficient of y, in `right`, from what the known ones leave in G; false where none
// makes this 0.
static bool solve_order(Orders *orders, const double *left)
{
    size_t rows = orders->rows, unknowns = orders->unknowns;
    memcpy(orders->matrix, orders->J, rows * unknowns * sizeof(double));
    for (size_t i = 0; i < rows; i++) {
        double scale = orders->scale[i] > 0 ? orders->scale[i] : fabs(left[i]);
        orders->right[i] = scale > 0 ? -left[i] / scale : 0;
    }
    small_least(orders->matrix, orders->right, rows, unknowns);
    for (size_t i = 0; i < rows; i++) {
        double scale = orders->scale[i] > 0 ? orders->scale[i] : fabs(left[i]);
        double rest = scale > 0 ? left[i] / scale : 0, terms = fmax(fabs(rest), 1);
        for (size_t j = 0; j < unknowns; j++) {
            double term = orders->J[i * unknowns + j] * orders->right[j];
            rest += term;
            terms = fmax(terms, fabs(term));
        }
        if (fabs(rest) > ROUNDING * terms)
            return false;
    }
    return true;
}

// Whether no order of the power series says that there are no steady motions in a direction of the
// kernel. The program was run at the state.
static bool goes_on(const InquirySmall *small, const double *direction)
{
    size_t unknowns = small->unknowns;
    double *inputs = base_alloc((unknowns + 1) * sizeof *inputs);
    double *out = base_alloc((small_output_count(small) + 1) * sizeof *out);
    Orders orders = orders_new(small);
    ProgramSeries *series = program_series_new(small->program.folded, 0, MOST_ORDER);
    memcpy(inputs, small->state, unknowns * sizeof *inputs);
    inputs[unknowns] = small->base;
    program_series_next(series, 0, inputs, out);
    memcpy(inputs, direction, unknowns * sizeof *inputs);
    inputs[unknowns] = 0;
    program_series_next(series, 1, inputs, out);
    bool good = true, known = true;
    for (size_t k = 2; k <= MOST_ORDER && good && known; k++) {
        memset(inputs, 0, unknowns * sizeof *inputs);
        program_series_next(series, k, inputs, out);
        for (size_t i = 0; i < orders.rows; i++)
            known = known && isfinite(out[i]);
        good = !known || solve_order(&orders, out);
        memcpy(inputs, orders.right, unknowns * sizeof *inputs);
        if (good && known)
            program_series_next(series, k, inputs, out);
    }
    program_series_free(series);
    orders_clear(&orders);
    base_free(inputs);
    base_free(out);
    return good;
}

// A random direction of the kernel, so long. Cubed, so that some directions count much less than
// others.
static void draw_direction(const InquirySmall *small, size_t rank, const double *rows_of_v,
                           double length, Random *random, double *direction)
{
    size_t unknowns = small->unknowns;
    double square = 0;
    memset(direction, 0, unknowns * sizeof *direction);
    for (size_t i = rank; i < unknowns; i++) {
        double part = pow((double)(random_below(random, 1000) + 1) / 1000, 3);
        part = random_below(random, 2) ? part : -part;
        square += part * part;
        for (size_t j = 0; j < unknowns; j++)
            direction[j] += part * rows_of_v[i * unknowns + j];
    }
    for (size_t j = 0; j < unknowns; j++)
        direction[j] *= length / sqrt(square);
}

// Whether the family can have the dimension of the kernel. The program was run at the state.
static bool is_whole(const InquirySmall *small, size_t rank, const double *rows_of_v)
{
    double *direction = base_alloc((small->unknowns + 1) * sizeof *direction);
    Random random = random_seed(1);
    bool whole = true;
    for (size_t i = rank; i < small->unknowns && whole; i++) {
        draw_direction(small, rank, rows_of_v, REACH, &random, direction);
        whole = goes_on(small, direction);
    }
    base_free(direction);
    return whole;
}

// The largest rank at steady motions near by; all unknowns where there are none. Those that fall
// back to where they came from tell nothing.
static size_t rank_near(InquirySmall *small, size_t rank, const double *rows_of_v)
{
    size_t unknowns = small->unknowns, largest = rank, told = 0;
    double *y = base_alloc((unknowns + 1) * sizeof *y);
    double *direction = base_alloc((unknowns + 1) * sizeof *direction);
    Random random = random_seed(1);
    for (int neighbour = 0; neighbour < NEIGHBOURS; neighbour++) {
        memcpy(y, small->state, unknowns * sizeof *y);
        draw_direction(small, rank, rows_of_v, ASIDE, &random, direction);
        for (size_t j = 0; j < unknowns; j++)
            y[j] += direction[j];
        double aside = distance(y, small->state, unknowns);
        if (!small_newton(small, false, small->base, y) ||
            distance(y, small->state, unknowns) < aside / 4)
            continue;
        small_run(&small->program, y, small->base, unknowns);
        size_t here = rank_here(small, NULL);
        largest = here > largest ? here : largest;
        told++;
    }
    base_free(direction);
    base_free(y);
    return told > 0 ? largest : unknowns;
}

size_t small_kernel(const InquirySmall *small)
{
    return small->unknowns - rank_here(small, NULL);
}

size_t small_family(InquirySmall *small, bool *proved)
{
    size_t unknowns = small->unknowns;
    double *rows_of_v = base_alloc((unknowns * unknowns + 1) * sizeof *rows_of_v);
    small_run(&small->program, small->state, small->base, unknowns);
    size_t rank = rank_here(small, rows_of_v), largest = rank;
    *proved = rank == unknowns || prove_rank(small, rank);
    if (!*proved) {
        bool whole = is_whole(small, rank, rows_of_v);
        largest = rank_near(small, rank, rows_of_v);
        // Neighbours that are none: the tolerance took them for steady.
        if (!whole && largest == rank)
            largest = unknowns;
    }
    base_free(rows_of_v);
    return unknowns - largest;
}
