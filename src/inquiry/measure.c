// measure.c: a density N(q) whose measure N·dq·du the motion keeps (Liouville; Chaplygin 1903).
//
// With q' = B·u + C and u' = M⁻¹ r the divergence of the flow is div = Σ ∂q'_ν/∂q_ν + tr(M⁻¹
// ∂r/∂u), and N is invariant where d(ln N)/dt + div = 0 along every motion: linear in ln N, which
// is sought as a sum of functions and of logarithms of det M and what else divides.
#include "inquiry/inquiry_impl.h"

#include <string.h>

enum { MOST_FREEDOMS = 4, MOST_NODES = 1200, HIGHEST_DEGREE = 1, MOST_FUNCTIONS = 120 };

typedef ARRAY(Expr) ExprArray;

// ---- The divergence.

static bool trace_of_speeds(Motion *motion, const InquiryNormal *normal, Expr *trace)
{
    ExprPool *pool = motion->pool;
    size_t k = motion->k;
    Expr *slopes = base_alloc((2 * k * k + 1) * sizeof *slopes), *solution = slopes + k * k;
    Expr *terms = base_alloc((k + 1) * sizeof *terms);
    for (size_t beta = 0; beta < k; beta++)
        for (size_t alpha = 0; alpha < k; alpha++)
            slopes[beta * k + alpha] =
                expr_diff(pool, normal->right[beta], motion->state.speeds[alpha].u);
    bool solved = algebra_solve(motion->algebra, normal->matrix, slopes, k, k, solution);
    for (size_t alpha = 0; alpha < k && solved; alpha++)
        terms[alpha] = solution[alpha * k + alpha];
    *trace = solved ? expr_sum(pool, terms, k) : expr_int(pool, 0);
    base_free(slopes);
    base_free(terms);
    return solved;
}

static bool divergence_of(Motion *motion, const InquiryNormal *normal, Expr *divergence)
{
    ExprPool *pool = motion->pool;
    Expr trace;
    if (!trace_of_speeds(motion, normal, &trace))
        return false;
    Expr *terms = base_alloc((motion->n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < motion->n; nu++)
        terms[nu] = expr_diff(pool, motion_in_speeds(motion, motion->v[nu]), motion->q[nu]);
    terms[motion->n] = trace;
    *divergence = expr_sum(pool, terms, motion->n + 1);
    base_free(terms);
    return true;
}

// ---- What the density may be made of.

// Laplace's rule along the first of the rows that are left.
static Expr determinant(ExprPool *pool, const Expr *matrix, size_t k, size_t row, unsigned columns)
{
    Expr sum = expr_int(pool, row == k);
    int sign = 1;
    for (size_t j = 0; j < k && row < k; j++) {
        if (!(columns >> j & 1))
            continue;
        Expr minor = determinant(pool, matrix, k, row + 1, columns & ~(1u << j));
        Expr term =
            expr_product(pool, (Expr[]){expr_int(pool, sign), matrix[row * k + j], minor}, 3);
        sum = expr_add(pool, sum, term);
        sign = -sign;
    }
    return sum;
}

// ln N from the linear problem; none where there is none.
static Expr logarithm_of_density(Motion *motion, const InquiryNormal *normal, Expr divergence)
{
    ExprPool *pool = motion->pool;
    size_t k = motion->k, constant_count;
    Expr mass = inquiry_short(motion, determinant(pool, normal->matrix, k, 0, (1u << k) - 1));
    ExprArray exprs = {0};
    array_push(&exprs, expr_pow_int(pool, mass, -1));
    array_push(&exprs, inquiry_short(motion, divergence));
    for (size_t i = 0; i < motion->n * k; i++)
        array_push(&exprs, motion->state.B[i]);
    Ansatz ansatz;
    ansatz_init(&ansatz, motion,
                &(AnsatzWish){.variables = motion->q,
                              .variable_count = motion->n,
                              .exprs = exprs.at,
                              .expr_count = exprs.count,
                              .degree = HIGHEST_DEGREE,
                              .most = MOST_FUNCTIONS,
                              .integrals = true});
    Expr *row = base_alloc((ansatz.count + 1) * sizeof *row), logarithm = {0};
    for (size_t j = 0; j < ansatz.count; j++)
        row[j] = motion_rate_along(motion, &motion->state, ansatz.at[j]);
    row[ansatz.count] = divergence;
    Expr *constants = ansatz_constants(motion, &constant_count);
    AlgebraRelations found;
    algebra_relations(motion->algebra, row, 1, ansatz.count + 1, constants, constant_count, &found);
    const Expr *last = found.coefficients + (found.count ? found.count - 1 : 0) * found.columns;
    if (found.count && expr_is_one(pool, last[ansatz.count])) {
        for (size_t j = 0; j < ansatz.count; j++)
            row[j] = expr_mul(pool, last[j], ansatz.at[j]);
        logarithm = expr_sum(pool, row, ansatz.count);
    }
    algebra_relations_clear(&found);
    base_free(constants);
    base_free(row);
    ansatz_clear(&ansatz);
    array_clear(&exprs);
    return logarithm;
}

// exp of Σ c·log(d) + rest, as Π d^c·exp(rest).
static Expr exponential(ExprPool *pool, Expr logarithm)
{
    Expr product = expr_int(pool, 1), rest = expr_int(pool, 0);
    bool sum = expr_op(pool, logarithm) == EXPR_SUM;
    size_t count = sum ? expr_arg_count(pool, logarithm) : 1;
    for (size_t i = 0; i < count; i++) {
        Expr term = sum ? expr_arg(pool, logarithm, i) : logarithm;
        Expr weight =
            sum ? expr_number(pool, expr_arg_weight(pool, logarithm, i)) : expr_int(pool, 1);
        fmpq_t factor;
        fmpq_init(factor);
        term = expr_strip(pool, term, factor);
        weight = expr_mul(pool, weight, expr_number(pool, factor));
        fmpq_clear(factor);
        if (expr_op(pool, term) == EXPR_LOG)
            product = expr_mul(pool, product, expr_pow(pool, expr_arg(pool, term, 0), weight));
        else
            rest = expr_add(pool, rest, expr_mul(pool, weight, term));
    }
    if (expr_is_zero(pool, rest))
        return product;
    return expr_mul(pool, product, expr_call(pool, EXPR_EXP, rest, (Expr){0}));
}

Expr inquiry_measure(Motion *motion, const char **reason)
{
    InquiryNormal normal = {0};
    Expr divergence, logarithm = {0};
    *reason = motion_dsigma(motion)      ? motion_no_T(motion)
              : motion->second_count > 0 ? "a condition holds accelerations"
              : motion_driven(motion)
                  ? motion_driven(motion)
                  : "a condition or a speed is not linear in the velocities, or a servo keeps one";
    if (motion_dsigma(motion) || inquiry_stranger(motion))
        return (Expr){0};
    *reason = NULL;
    Form *form = form_derive_in(FORM_APPELL, motion, FORM_TO_RUN);
    bool good = motion->k > 0 && motion->k <= MOST_FREEDOMS && !form->reason &&
                inquiry_normal(motion, form, &normal);
    if (good) {
        ExprList nodes = expr_nodes(motion->pool, normal.right, motion->k);
        good = nodes.count <= MOST_NODES;
        expr_list_free(&nodes);
    }
    if (!good || !divergence_of(motion, &normal, &divergence))
        *reason = "the system is too large to be solved for its accelerations";
    else if (inquiry_vanishes(motion, divergence))
        logarithm = expr_int(motion->pool, 0);
    else
        logarithm = logarithm_of_density(motion, &normal, divergence);
    inquiry_normal_clear(&normal);
    form_free(form);
    return expr_is_none(logarithm) ? logarithm : exponential(motion->pool, logarithm);
}
