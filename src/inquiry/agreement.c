// agreement.c: the normal form of a form's equations, u' as a function of (q, u, t), and the
// proof that two forms have the same one.
//
// A form written in coordinates becomes one in (u', λ) by putting q' = B·u + C and
// q'' = B·u' + D into it: n equations for k + m = n unknowns, in which the conditions hold by
// construction. Conditions on the accelerations are equations more, their multipliers unknowns
// more.
#include "inquiry/inquiry_impl.h"

#include <string.h>

void inquiry_normal_clear(InquiryNormal *normal)
{
    base_free(normal->matrix);
    base_free(normal->right);
    *normal = (InquiryNormal){0};
}

size_t inquiry_unknowns(const Motion *motion, const Form *form, Expr *unknowns)
{
    size_t count = 0;
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        unknowns[count++] = motion->state.speeds[alpha].rate;
    for (size_t mu = 0; mu < motion->m && form->multipliers; mu++)
        unknowns[count++] = motion->rows[mu].constraint->lambda;
    for (size_t i = 0; i < motion->second_count; i++)
        unknowns[count++] = motion->seconds[i].row.constraint->lambda;
    return count;
}

// Where the graph does not show it, the derivatives at 0 are the coefficients, and that nothing
// else is left is proved.
bool inquiry_affine_parts(Motion *motion, Expr residual, const Expr *unknowns, size_t count,
                          Expr *coefficients, Expr *rest)
{
    ExprPool *pool = motion->pool;
    if (expr_linear(pool, residual, unknowns, count, coefficients, rest))
        return true;
    Expr *zeros = base_alloc(count * sizeof *zeros);
    Expr *terms = base_alloc((count + 2) * sizeof *terms);
    for (size_t j = 0; j < count; j++)
        zeros[j] = expr_int(pool, 0);
    expr_gradient(pool, residual, unknowns, count, coefficients);
    for (size_t j = 0; j < count; j++) {
        coefficients[j] = expr_replace(pool, coefficients[j], unknowns, zeros, count);
        terms[j] = expr_neg(pool, expr_mul(pool, coefficients[j], unknowns[j]));
    }
    *rest = expr_replace(pool, residual, unknowns, zeros, count);
    terms[count] = expr_neg(pool, *rest);
    terms[count + 1] = residual;
    Verdict left = algebra_is_zero(motion->algebra, expr_sum(pool, terms, count + 2));
    bool affine = left.answer == ANSWER_YES;
    verdict_clear(&left);
    base_free(zeros);
    base_free(terms);
    return affine;
}

Expr inquiry_residual(Motion *motion, const Form *form, const FormEquation *equation)
{
    Expr residual = equation->residual;
    if (expr_is_none(residual))
        residual = expr_sub(motion->pool, equation->left, equation->right);
    return form->in_speeds ? residual : motion_in_speeds(motion, residual);
}

static size_t begin_normal(Motion *motion, const Form *form, Expr *unknowns, InquiryNormal *normal)
{
    size_t size = inquiry_unknowns(motion, form, unknowns);
    normal->size = size;
    normal->matrix = base_alloc((size * size + 1) * sizeof(Expr));
    normal->right = base_alloc((size + 1) * sizeof(Expr));
    return size;
}

// The set of equations that begins with number `first`.
static bool normal_of(Motion *motion, const Form *form, size_t first, InquiryNormal *normal)
{
    Expr *unknowns = base_alloc((motion->n + motion->second_count + 1) * sizeof *unknowns);
    size_t size = begin_normal(motion, form, unknowns, normal);
    bool good = form->equations.count == size * form->sets;
    for (size_t i = 0; i < size && good; i++) {
        Expr rest, residual = inquiry_residual(motion, form, &form->equations.at[first + i]);
        good = inquiry_affine_parts(motion, residual, unknowns, size, &normal->matrix[i * size],
                                    &rest);
        if (good)
            normal->right[i] = expr_neg(motion->pool, rest);
    }
    base_free(unknowns);
    return good;
}

// Equations E that are not affine in the accelerations: the derivatives where every unknown is
// `at`, and E itself as the right side. All forms are the same equations times matrices that hold
// no accelerations; such a matrix falls out of what solves this, Newton's step.
static bool newton_of(Motion *motion, const Form *form, size_t first, int at, InquiryNormal *normal)
{
    ExprPool *pool = motion->pool;
    Expr *unknowns = base_alloc(2 * (motion->n + motion->second_count + 1) * sizeof *unknowns);
    size_t size = begin_normal(motion, form, unknowns, normal);
    Expr *values = unknowns + size;
    bool good = form->equations.count == size * form->sets;
    for (size_t i = 0; i < size; i++)
        values[i] = expr_int(pool, at);
    for (size_t i = 0; i < size && good; i++) {
        Expr *slopes = &normal->matrix[i * size];
        normal->right[i] = inquiry_residual(motion, form, &form->equations.at[first + i]);
        expr_gradient(pool, normal->right[i], unknowns, size, slopes);
        for (size_t j = 0; j < size; j++)
            slopes[j] = expr_replace(pool, slopes[j], unknowns, values, size);
    }
    base_free(unknowns);
    return good;
}

static Verdict unknown(const char *reason)
{
    return (Verdict){.answer = ANSWER_UNKNOWN, .reason = reason};
}

static Expr residual_of(Motion *motion, const Form *form, size_t index)
{
    const FormEquation *equation = &form->equations.at[index];
    return expr_sub(motion->pool, equation->left, equation->right);
}

static const char not_affine[] = "the equations are not affine in the accelerations";

// ---- Where conditions on the accelerations were put in: b gives them as u'_e = F_e, which stand
// behind its other equations.

// ∂q''_ν/∂u'_α where the u'_e follow.
static Expr tangent(Motion *motion, const Form *b, size_t nu, Expr rate)
{
    ExprPool *pool = motion->pool;
    Expr a = motion_in_speeds(motion, motion->a[nu]), sum = expr_diff(pool, a, rate);
    for (size_t i = b->equations.count - b->eliminated; i < b->equations.count; i++) {
        const FormEquation *given = &b->equations.at[i];
        sum = expr_add(
            pool, sum,
            expr_mul(pool, expr_diff(pool, a, given->left), expr_diff(pool, given->right, rate)));
    }
    return sum;
}

static Expr put_in(Motion *motion, const Form *b, Expr e)
{
    for (size_t i = b->equations.count - b->eliminated; i < b->equations.count; i++)
        e = expr_replace(motion->pool, e, &b->equations.at[i].left, &b->equations.at[i].right, 1);
    return e;
}

// Σ_ν (equation of q_ν in a)·∂q''_ν/∂u'_α is the equation of u'_α in b: there no reaction is left.
// The conditions themselves must hold when the u'_e are put in; the equations of a that are not
// seen by this give the multipliers.
static Verdict eliminated_agree(Motion *motion, const Form *a, const Form *b)
{
    ExprPool *pool = motion->pool;
    Verdict verdict = {.answer = ANSWER_YES, .proof = PROOF_EXACT};
    size_t own = b->equations.count - b->eliminated;
    for (size_t i = 0, alpha = 0; i < b->equations.count && verdict.answer == ANSWER_YES; i++) {
        Expr apart;
        if (i < own) {
            while (strcmp(motion->state.speeds[alpha].name, b->equations.at[i].label) != 0)
                alpha++;
            apart = residual_of(motion, b, i);
            for (size_t nu = 0; nu < motion->n; nu++)
                apart =
                    expr_sub(pool, apart,
                             expr_mul(pool, motion_in_speeds(motion, residual_of(motion, a, nu)),
                                      tangent(motion, b, nu, motion->state.speeds[alpha].rate)));
        } else {
            apart = motion_in_speeds(motion, residual_of(motion, a, motion->n + i - own));
        }
        Verdict next = algebra_is_zero(motion->algebra, put_in(motion, b, apart));
        if (next.answer == ANSWER_YES && next.proof == PROOF_EXACT) {
            verdict_clear(&next);
            continue;
        }
        verdict_clear(&verdict);
        verdict = next;
    }
    return verdict;
}

// Under conditions that are not affine in the accelerations `multipliers` and `gauss` apply, which
// have the same reactions: they agree where they do so one by one.
static Verdict equations_agree(Motion *motion, const Form *a, const Form *b)
{
    Verdict verdict = {.answer = ANSWER_YES, .proof = PROOF_EXACT};
    if (a->multipliers && !a->in_speeds && b->eliminated > 0)
        return eliminated_agree(motion, a, b);
    if (a->multipliers != b->multipliers || a->equations.count != b->equations.count)
        return unknown(not_affine);
    for (size_t i = 0; i < a->equations.count && verdict.answer == ANSWER_YES; i++) {
        verdict_clear(&verdict);
        verdict = algebra_is_zero(motion->algebra, expr_sub(motion->pool, residual_of(motion, a, i),
                                                            residual_of(motion, b, i)));
    }
    return verdict;
}

// Whether Newton's steps are the same, from 0 or from 1 where that is singular at 0.
static Verdict newton_agrees(Motion *motion, const Form *a, size_t first_a, const Form *b,
                             size_t first_b)
{
    Verdict verdict = unknown(not_affine);
    for (int at = 0; at < 2 && verdict.answer == ANSWER_UNKNOWN; at++) {
        InquiryNormal first = {0}, second = {0};
        verdict_clear(&verdict);
        verdict = unknown(not_affine);
        if (newton_of(motion, a, first_a, at, &first) &&
            newton_of(motion, b, first_b, at, &second)) {
            LinearSystem one = {first.size, first.matrix, first.right};
            LinearSystem two = {second.size, second.matrix, second.right};
            verdict = algebra_same_solution(motion->algebra, &one, &two, motion->k);
        }
        inquiry_normal_clear(&first);
        inquiry_normal_clear(&second);
    }
    return verdict;
}

static Verdict sets_agree(Motion *motion, const Form *a, size_t first_a, const Form *b,
                          size_t first_b)
{
    InquiryNormal first = {0}, second = {0};
    Verdict verdict = unknown(not_affine);
    if (motion_has_curved_conditions(motion))
        return equations_agree(motion, a, b);
    if (!motion_is_affine(motion))
        return newton_agrees(motion, a, first_a, b, first_b);
    if (normal_of(motion, a, first_a, &first) && normal_of(motion, b, first_b, &second)) {
        LinearSystem one = {first.size, first.matrix, first.right};
        LinearSystem two = {second.size, second.matrix, second.right};
        verdict = algebra_same_solution(motion->algebra, &one, &two, motion->k);
        if (verdict.answer == ANSWER_UNKNOWN && motion->curved &&
            inquiry_agree_numerically(motion, &first, &second)) {
            verdict_clear(&verdict);
            verdict = (Verdict){.answer = ANSWER_YES, .proof = PROOF_NUMERIC};
        }
    }
    inquiry_normal_clear(&first);
    inquiry_normal_clear(&second);
    return verdict;
}

Verdict inquiry_forms_agree(Motion *motion, const Form *a, const Form *b)
{
    Verdict verdict = sets_agree(motion, a, 0, b, 0);
    for (size_t set = 1; set < b->sets && verdict.answer == ANSWER_YES; set++) {
        verdict_clear(&verdict);
        verdict = sets_agree(motion, a, 0, b, set * form_size(b, motion));
    }
    return verdict;
}

bool inquiry_all_agree(Motion *motion, Form *const *forms, size_t count,
                       void (*begins)(void *context, const Form *form), void *context,
                       Verdict *verdicts)
{
    const Form *yardstick = NULL;
    bool agree = true;
    for (size_t i = 0; i < count; i++) {
        if (forms[i]->reason)
            continue;
        if (!yardstick) {
            yardstick = forms[i];
            continue;
        }
        if (begins)
            begins(context, forms[i]);
        verdicts[i] = inquiry_forms_agree(motion, yardstick, forms[i]);
        agree = agree && verdicts[i].answer != ANSWER_NO;
    }
    return agree;
}

void inquiry_judge_readings(Motion *motion, Form *form)
{
    Form *yardstick =
        form->readings.count ? form_derive_in(FORM_MULTIPLIERS, motion, FORM_TO_RUN) : NULL;
    for (size_t i = 0; i < form->readings.count && !yardstick->reason; i++) {
        FormReading *reading = &form->readings.at[i];
        Verdict verdict = inquiry_forms_agree(motion, yardstick, reading->form);
        reading->is_motion = verdict.answer;
        reading->proof = verdict.proof;
        verdict_clear(&verdict);
    }
    form_free(yardstick);
}

// Up to here a person may want to read what comes out.
enum { MOST_UNKNOWNS = 6 };

// Where the multiplier of a condition stands among all of them.
static size_t place_of(const Motion *motion, const ModelConstraint *constraint)
{
    for (size_t i = 0; i < motion->m; i++)
        if (motion->rows[i].constraint == constraint)
            return i;
    size_t i = 0;
    while (motion->seconds[i].row.constraint != constraint)
        i++;
    return motion->m + i;
}

bool inquiry_multipliers(Motion *motion, const Form *form, Expr *lambdas)
{
    InquiryNormal normal = {0};
    if (!form->multipliers || motion->n > MOST_UNKNOWNS || motion->in_force_count == 0)
        return false;
    Expr *solution = base_alloc((form_size(form, motion) + 1) * sizeof *solution);
    bool solved =
        normal_of(motion, form, 0, &normal) &&
        algebra_solve(motion->algebra, normal.matrix, normal.right, normal.size, 1, solution);
    for (size_t i = 0; i < motion->in_force_count && solved; i++)
        lambdas[i] = solution[motion->k + place_of(motion, motion->in_force[i])];
    base_free(solution);
    inquiry_normal_clear(&normal);
    return solved;
}

bool inquiry_normal(Motion *motion, const Form *form, InquiryNormal *normal)
{
    return normal_of(motion, form, 0, normal);
}
