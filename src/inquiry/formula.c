// formula.c: the linearized system, and its critical values, as formulas.
//
// Steady values that are exactly 0 are put in, so that the graph collapses; the others stay as the
// symbols of their variables, as do parameters. For up to four eigenvalues outside the family, what
// vanishes at a crossing is worked out from det(λ − A), factored, and solved for what is varied
// where a factor is of first or second degree in it, or of second in its square. A formula is kept
// where its number is the critical value.
#include "inquiry/small_impl.h"

#include <math.h>
#include <string.h>

enum {
    MOST_VARIABLES = 8,      // of a determinant that is worked out
    MOST_ESSENTIAL = 4,      // eigenvalues that have formulas
    MOST_ENTRY_NODES = 2500, // of an entry that is simplified
    MOST_CANDIDATES = 64
};
static const double EFFORT = 3e6;   // for all entries together
static const double MATCHES = 1e-9; // of a formula's number and the value found

// ---- Entries.

typedef struct {
    InquirySmall *small;
    ExprSubst *at_state; // puts in what is known of the state
    double effort;
    bool good;
} Work;

// Zeros, and numbers for what nothing needs.
static void begin_work(InquirySmall *small, Work *work)
{
    Motion *motion = small->motion;
    *work = (Work){.small = small, .effort = EFFORT, .good = true};
    work->at_state = expr_subst_new(motion->pool);
    expr_subst_set(work->at_state, motion->model->t, expr_int(motion->pool, 0));
    for (size_t j = 0; j < small->unknowns; j++)
        if (small->state[j] == 0)
            expr_subst_set(work->at_state, small->y[j], expr_int(motion->pool, 0));
    for (size_t nu = 0; nu < motion->n; nu++)
        if (!small->is_needed[nu])
            expr_subst_set(work->at_state, motion->q[nu],
                           expr_double(motion->pool, small->options.position[nu]));
}

static void end_work(Work *work)
{
    expr_subst_free(work->at_state);
}

static Expr shortened(Work *work, Expr e)
{
    Motion *motion = work->small->motion;
    ExprList nodes = expr_nodes(motion->pool, &e, 1);
    work->good = work->good && nodes.count <= MOST_ENTRY_NODES;
    expr_list_free(&nodes);
    return work->good ? algebra_simplify_within(motion->algebra, e, &work->effort) : e;
}

// The derivatives of e by all unknowns, at the state.
static void slopes_of(Work *work, Expr e, Expr *slopes)
{
    InquirySmall *small = work->small;
    expr_gradient(small->motion->pool, e, small->y, small->unknowns, slopes);
    for (size_t j = 0; j < small->unknowns; j++)
        slopes[j] = expr_subst(work->at_state, slopes[j]);
}

// δq of the dependent coordinates by the independent ones, f × (e − f).
static bool dependent_slopes(Work *work, Expr *dependent)
{
    InquirySmall *small = work->small;
    size_t f = small->f, free = small->e - f;
    if (f == 0 || free == 0)
        return true;
    Expr *matrix = base_alloc((f * f + 1) * sizeof *matrix);
    Expr *right = base_alloc((f * free + 1) * sizeof *right);
    Expr *slopes = base_alloc((small->unknowns + 1) * sizeof *slopes);
    for (size_t i = 0; i < f; i++) {
        slopes_of(work, small->finite[i], slopes);
        for (size_t j = 0; j < f; j++)
            matrix[i * f + j] = slopes[small->dependent[j]];
        for (size_t j = 0; j < free; j++)
            right[i * free + j] = expr_neg(small->motion->pool, slopes[small->independent[j]]);
    }
    bool solved = algebra_solve(small->motion->algebra, matrix, right, f, free, dependent);
    base_free(matrix);
    base_free(right);
    base_free(slopes);
    return solved;
}

// The derivatives of e by (q, u).
static void reduced_row(Work *work, Expr e, const Expr *dependent, Expr *row)
{
    InquirySmall *small = work->small;
    ExprPool *pool = small->motion->pool;
    size_t f = small->f, free = small->e - f;
    Expr *slopes = base_alloc((small->unknowns + 1) * sizeof *slopes);
    slopes_of(work, e, slopes);
    for (size_t j = 0; j < free; j++) {
        row[j] = slopes[small->independent[j]];
        for (size_t i = 0; i < f; i++)
            row[j] = expr_add(pool, row[j],
                              expr_mul(pool, slopes[small->dependent[i]], dependent[i * free + j]));
        row[j] = shortened(work, row[j]);
    }
    for (size_t alpha = 0; alpha < small->k; alpha++)
        row[free + alpha] = shortened(work, slopes[small->e + alpha]);
    base_free(slopes);
}

// M, C, K and B; and the rows of q' = N·q + B·u in `rates`, (e − f) × size.
typedef struct {
    Expr *M, *C, *K, *B, *rates;
} Entries;

static void fill_entries(Work *work, Entries *entries)
{
    InquirySmall *small = work->small;
    ExprPool *pool = small->motion->pool;
    size_t k = small->k, free = small->e - small->f, size = small->size;
    Expr *dependent = base_alloc((small->f * free + 1) * sizeof *dependent);
    Expr *row = base_alloc((size + 1) * sizeof *row);
    work->good = dependent_slopes(work, dependent);
    for (size_t j = 0; j < free && work->good; j++)
        reduced_row(work, small->rates[small->independent[j]], dependent,
                    entries->rates + j * size);
    for (size_t alpha = 0; alpha < k && work->good; alpha++) {
        reduced_row(work, expr_neg(pool, small->force[alpha]), dependent, row);
        for (size_t j = 0; j < free; j++)
            entries->K[alpha * free + j] = row[j];
        for (size_t beta = 0; beta < k; beta++) {
            entries->C[alpha * k + beta] = row[free + beta];
            entries->M[alpha * k + beta] =
                shortened(work, expr_subst(work->at_state, small->matrix[alpha * k + beta]));
        }
        for (size_t p = 0; p < small->input_count; p++) {
            ExprRates *by = small_input_rates(small, small->inputs[p]);
            entries->B[alpha * small->input_count + p] =
                shortened(work, expr_subst(work->at_state, expr_rate(by, small->force[alpha])));
            expr_rates_free(by);
        }
    }
    base_free(dependent);
    base_free(row);
}

static Expr *entries_of(InquirySmall *small, size_t count)
{
    return arena_alloc(small->arena, (count + 1) * sizeof(Expr));
}

static bool find_entries(InquirySmall *small)
{
    if (!small->entries) {
        size_t k = small->k, free = small->e - small->f;
        Entries *entries = arena_alloc(small->arena, sizeof *entries);
        *entries = (Entries){.M = entries_of(small, k * k),
                             .C = entries_of(small, k * k),
                             .K = entries_of(small, k * free),
                             .B = entries_of(small, k * small->input_count),
                             .rates = entries_of(small, free * small->size)};
        Work work;
        begin_work(small, &work);
        fill_entries(&work, entries);
        end_work(&work);
        small->entries = entries;
        small->entries_known = work.good;
    }
    return small->entries_known;
}

InquiryLinearForm inquiry_small_form(InquirySmall *small)
{
    InquiryLinearForm form = {.known = find_entries(small)};
    const Entries *entries = small->entries;
    if (form.known)
        form = (InquiryLinearForm){true, entries->M, entries->C, entries->K, entries->B};
    return form;
}

// ---- det(λ − A) times det M.

typedef struct {
    ExprPool *pool;
    const Expr *matrix;
    size_t size;
    Expr *known; // minors of the last rows, by their columns
    bool *is_known;
} Minors;

// The minor of the last `left` rows and of the columns in `columns`.
static Expr minor(Minors *minors, size_t left, uint32_t columns)
{
    ExprPool *pool = minors->pool;
    if (left == 0)
        return expr_int(pool, 1);
    if (minors->is_known[columns])
        return minors->known[columns];
    const Expr *row = minors->matrix + (minors->size - left) * minors->size;
    Expr sum = expr_int(pool, 0);
    bool minus = false;
    for (size_t j = 0; j < minors->size; j++) {
        if (!(columns >> j & 1))
            continue;
        if (!expr_is_zero(pool, row[j])) {
            Expr term = expr_mul(pool, row[j], minor(minors, left - 1, columns & ~(1u << j)));
            sum = expr_add(pool, sum, minus ? expr_neg(pool, term) : term);
        }
        minus = !minus;
    }
    minors->is_known[columns] = true;
    return minors->known[columns] = sum;
}

static Expr determinant(ExprPool *pool, const Expr *matrix, size_t size)
{
    Minors minors = {.pool = pool, .matrix = matrix, .size = size};
    minors.known = base_alloc(((size_t)1 << size) * sizeof(Expr));
    minors.is_known = base_alloc(((size_t)1 << size) * sizeof(bool));
    Expr value = minor(&minors, size, (uint32_t)(((size_t)1 << size) - 1));
    base_free(minors.known);
    base_free(minors.is_known);
    return value;
}

// The coefficients of det(λ − A)·det M, from the constant one up: size + 1 of them.
static void polynomial(InquirySmall *small, Expr *coefficients)
{
    ExprPool *pool = small->motion->pool;
    const Entries *entries = small->entries;
    size_t size = small->size, k = small->k, free = size - k;
    Expr lambda = expr_symbol_new(pool, "lambda"), zero = expr_int(pool, 0);
    Expr *matrix = base_alloc((size * size + 1) * sizeof *matrix);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++) {
            Expr with = i < free   ? expr_int(pool, i == j)
                        : j < free ? zero
                                   : entries->M[(i - free) * k + j - free];
            Expr rest = i < free   ? expr_neg(pool, entries->rates[i * size + j])
                        : j < free ? entries->K[(i - free) * free + j]
                                   : entries->C[(i - free) * k + j - free];
            matrix[i * size + j] = expr_add(pool, expr_mul(pool, lambda, with), rest);
        }
    Expr value = determinant(pool, matrix, size);
    // Taylor's coefficients at λ = 0.
    int64_t factorial = 1;
    for (size_t i = 0; i <= size; i++) {
        coefficients[i] = expr_mul(pool, expr_ratio(pool, 1, factorial),
                                   expr_replace(pool, value, &lambda, &zero, 1));
        value = expr_diff(pool, value, lambda);
        factorial *= (int64_t)i + 1;
    }
    base_free(matrix);
}

bool small_polynomial(InquirySmall *small, Expr *coefficients)
{
    if (small->size - small->family > MOST_ESSENTIAL || small->size > MOST_VARIABLES ||
        !find_entries(small))
        return false;
    polynomial(small, coefficients);
    return true;
}

// ---- Critical values.

typedef struct {
    Work work;
    Expr x; // what is solved for
    Expr candidates[MOST_CANDIDATES];
    size_t count;
} Solving;

static void offer(Solving *solving, Expr candidate)
{
    if (solving->count < MOST_CANDIDATES)
        solving->candidates[solving->count++] = candidate;
}

static void offer_roots(Solving *solving, Expr square)
{
    ExprPool *pool = solving->work.small->motion->pool;
    Expr root = expr_sqrt(pool, shortened(&solving->work, square));
    offer(solving, root);
    offer(solving, expr_neg(pool, root));
}

// The roots of a + b·z + c·z².
static void offer_quadratic(Solving *solving, Expr a, Expr b, Expr c, bool squares)
{
    ExprPool *pool = solving->work.small->motion->pool;
    Expr ac = expr_mul(pool, expr_int(pool, 4), expr_mul(pool, a, c));
    Expr under = shortened(&solving->work, expr_sub(pool, expr_mul(pool, b, b), ac));
    for (int sign = -1; sign <= 1; sign += 2) {
        Expr root = expr_mul(pool, expr_int(pool, sign), expr_sqrt(pool, under));
        Expr above = expr_sub(pool, root, b);
        Expr value = expr_div(pool, above, expr_mul(pool, expr_int(pool, 2), c));
        if (squares)
            offer_roots(solving, value);
        else
            offer(solving, value);
    }
}

static void solve_factor(Solving *solving, const AlgebraFactor *factor)
{
    ExprPool *pool = solving->work.small->motion->pool;
    const Expr *c = factor->coefficients;
    bool even = true;
    for (size_t i = 1; i <= factor->degree; i += 2)
        even = even && expr_is_zero(pool, c[i]);
    if (factor->degree == 1)
        offer(solving, shortened(&solving->work, expr_neg(pool, expr_div(pool, c[0], c[1]))));
    else if (factor->degree == 2 && even)
        offer_roots(solving, expr_neg(pool, expr_div(pool, c[0], c[2])));
    else if (factor->degree == 2)
        offer_quadratic(solving, c[0], c[1], c[2], false);
    else if (factor->degree == 4 && even)
        offer_quadratic(solving, c[0], c[2], c[4], true);
}

static void solve_for(Solving *solving, Expr e)
{
    AlgebraFactors factors;
    if (algebra_factors(solving->work.small->motion->algebra, e, solving->x, &factors))
        for (size_t i = 0; i < factors.count; i++)
            solve_factor(solving, &factors.factors[i]);
    algebra_factors_clear(&factors);
}

static bool is_zero(Solving *solving, Expr e)
{
    Verdict verdict = algebra_is_zero(solving->work.small->motion->algebra, e);
    bool zero = verdict.answer == ANSWER_YES;
    verdict_clear(&verdict);
    return zero;
}

// What vanishes at crossings, of p with the coefficients c from the constant one up.
static void solve_crossings(Solving *solving, const Expr *c, size_t degree)
{
    ExprPool *pool = solving->work.small->motion->pool;
    bool even = degree % 2 == 0;
    for (size_t i = 1; i < degree && even; i += 2)
        even = is_zero(solving, c[i]);
    solve_for(solving, c[0]);
    if (even && degree == 4)
        solve_for(solving, expr_sub(pool, expr_mul(pool, c[2], c[2]),
                                    expr_mul(pool, expr_int(pool, 4), expr_mul(pool, c[0], c[4]))));
    if (even)
        return;
    if (degree == 2)
        solve_for(solving, c[1]);
    else if (degree == 3)
        solve_for(solving, expr_sub(pool, expr_mul(pool, c[2], c[1]), expr_mul(pool, c[3], c[0])));
    else if (degree == 4) {
        Expr terms[] = {expr_product(pool, (Expr[]){c[3], c[2], c[1]}, 3),
                        expr_neg(pool, expr_product(pool, (Expr[]){c[4], c[1], c[1]}, 3)),
                        expr_neg(pool, expr_product(pool, (Expr[]){c[3], c[3], c[0]}, 3))};
        solve_for(solving, expr_sum(pool, terms, 3));
    }
}

// Takes the first formula that has the value.
static void match(Solving *solving, InquiryCritical *critical)
{
    InquirySmall *small = solving->work.small;
    for (size_t i = 0; i < solving->count && expr_is_none(critical->formula); i++) {
        SmallProgram program = {0};
        if (expr_holds(small->motion->pool, solving->candidates[i], solving->x) ||
            !small_make_values(small, &solving->candidates[i], 1, &program))
            continue;
        small_run(&program, small->state, critical->value, small->unknowns);
        double size = fmax(fabs(critical->value), 1e-6);
        if (fabs(program.out[0] - critical->value) <= MATCHES * size)
            critical->formula = solving->candidates[i];
        small_clear_program(&program);
    }
}

// The symbol that the varied value has in the equations: the parameter's, or the speed's that is
// held at it. None where it is no symbol there.
static Expr varied_symbol(const InquirySmall *small)
{
    for (size_t i = 0; i < small->held_count; i++)
        if (expr_same(small->starts[i].given, small->varied))
            return expr_is_symbol(small->motion->pool, small->starts[i].value)
                       ? small->starts[i].value
                       : (Expr){0};
    return small->varied;
}

void small_formulas(InquirySmall *small, InquiryCritical *critical, size_t count)
{
    size_t size = small->size, essential = size - small->family;
    Expr x = varied_symbol(small);
    if (count == 0 || essential == 0 || expr_is_none(x))
        return;
    Expr *coefficients = base_alloc((size + 1) * sizeof *coefficients);
    if (small_polynomial(small, coefficients)) {
        Solving solving = {.x = x};
        begin_work(small, &solving.work);
        solve_crossings(&solving, coefficients + small->family, essential);
        for (size_t i = 0; i < count; i++)
            match(&solving, &critical[i]);
        end_work(&solving.work);
    }
    base_free(coefficients);
}
