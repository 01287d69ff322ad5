// integrals.c: the list of first integrals, and the proof that something is one.
#include "inquiry/inquiry_impl.h"

#include <string.h>

// The gradient of a function of q, u, t.
static void gradient_of(Motion *motion, const Setting *setting, Expr value, Expr *gradient)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n, k = motion->k;
    Expr *speeds = base_alloc((k + 1) * sizeof *speeds);
    for (size_t alpha = 0; alpha < k; alpha++)
        speeds[alpha] = motion->state.speeds[alpha].u;
    expr_gradient(pool, value, motion->q, n, gradient);
    expr_gradient(pool, value, speeds, k, gradient + n);
    gradient[n + k] = expr_diff(pool, value, motion->model->t);
    for (size_t i = 0; i <= n + k; i++)
        gradient[i] = setting_put(setting, gradient[i]);
    base_free(speeds);
}

// Whether no function of the integrals that are known, and of the finite conditions, gives it.
static bool says_something(const InquiryIntegrals *integrals, Motion *motion,
                           const Setting *setting, Expr reduced)
{
    size_t width = motion->n + motion->k + 1, rows = 0;
    size_t most = motion->m + integrals->at.count + 1;
    Expr *matrix = base_alloc(most * width * sizeof *matrix);
    bool *independent = base_alloc((most + 1) * sizeof *independent);
    for (size_t i = 0; i < motion->m; i++)
        if (!expr_is_none(motion->rows[i].position))
            gradient_of(motion, setting, motion->rows[i].position, matrix + rows++ * width);
    for (size_t i = 0; i < integrals->at.count; i++)
        gradient_of(motion, setting, integrals->at.at[i].reduced, matrix + rows++ * width);
    gradient_of(motion, setting, reduced, matrix + rows++ * width);
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, rows, width, NULL, independent, NULL);
    bool news = rank > 0 && independent[rows - 1];
    // A function of q and t alone is a finite relation and no integral of the motion.
    bool moves = false;
    for (size_t alpha = 0; alpha < motion->k && !moves; alpha++)
        moves = !expr_is_zero(motion->pool, matrix[(rows - 1) * width + motion->n + alpha]);
    base_free(matrix);
    base_free(independent);
    return news && moves;
}

// A symbol's value where a function of it and others, linear in it, is 0; none where it is not.
static Expr zero_by(ExprPool *pool, Expr function, Expr symbol)
{
    Expr slope, rest;
    if (!expr_holds(pool, function, symbol) ||
        !expr_linear(pool, function, &symbol, 1, &slope, &rest) || expr_is_zero(pool, slope))
        return (Expr){0};
    return expr_neg(pool, expr_div(pool, rest, slope));
}

// Whether what sign(…) makes of a function on its two sides is the same where it switches.
static bool is_continuous(Motion *motion, Expr value, Expr sign)
{
    ExprPool *pool = motion->pool;
    Expr sides[2], by = expr_switch_argument(pool, sign);
    for (int i = 0; i < 2; i++) {
        ExprSubst *side = expr_subst_new(pool);
        expr_subst_set(side, sign, expr_int(pool, i ? -1 : 1));
        sides[i] = expr_subst(side, value);
        expr_subst_free(side);
    }
    Expr jump = expr_sub(pool, sides[0], sides[1]);
    ExprList symbols = expr_symbols(pool, &by, 1);
    bool same = expr_is_zero(pool, jump);
    for (size_t i = 0; i < symbols.count && !same; i++) {
        Expr symbol = {symbols.at[i]}, zero = zero_by(pool, by, symbol);
        if (expr_is_none(zero))
            continue;
        Verdict verdict =
            algebra_is_zero(motion->algebra, expr_replace(pool, jump, &symbol, &zero, 1));
        same = verdict.answer == ANSWER_YES;
        verdict_clear(&verdict);
    }
    expr_list_free(&symbols);
    return same;
}

// What moves: coordinates, speeds and the time.
static bool moves(Motion *motion, Expr e)
{
    bool found = expr_holds(motion->pool, e, motion->model->t);
    for (size_t nu = 0; nu < motion->n && !found; nu++)
        found = expr_holds(motion->pool, e, motion->q[nu]);
    for (size_t alpha = 0; alpha < motion->k && !found; alpha++)
        found = expr_holds(motion->pool, e, motion->state.speeds[alpha].u);
    return found;
}

// Where an energy jumps velocities do, too, and momenta.c has seen to what remains.
static bool is_in_energy(Motion *motion, Expr sign)
{
    Expr energies[] = {motion->T, expr_is_none(motion->U) ? motion->T : motion->U};
    ExprList nodes = expr_nodes(motion->pool, energies, 2);
    bool found = false;
    for (size_t i = 0; i < nodes.count && !found; i++)
        found = nodes.at[i] == sign.at;
    expr_list_free(&nodes);
    return found;
}

static Expr find_jump(Motion *motion, Expr value)
{
    ExprPool *pool = motion->pool;
    ExprList nodes = expr_nodes(pool, &value, 1);
    Expr found = {0};
    for (size_t i = 0; i < nodes.count && expr_is_none(found); i++) {
        Expr node = {nodes.at[i]};
        if (expr_op(pool, node) == EXPR_SIGN && moves(motion, node) &&
            !is_in_energy(motion, node) && !is_continuous(motion, value, node))
            found = node;
    }
    expr_list_free(&nodes);
    return found;
}

static const double EFFORT = 1e5; // on the short form of one integral

void integrals_take(InquiryIntegrals *integrals, Motion *motion, const Setting *setting,
                    InquiryIntegral integral)
{
    ExprPool *pool = motion->pool;
    double effort = EFFORT;
    integral.reduced = motion_in_speeds(motion, integral.value);
    if (!says_something(integrals, motion, setting, integral.reduced))
        return;
    integral.special = setting->values != NULL;
    if (integral.field && setting->on_level)
        integral.reduced = momenta_polynomial(motion, setting, integral.reduced);
    integral.reduced = algebra_simplify_within(motion->algebra, integral.reduced, &effort);
    if (integral.field && integral.kind[0] == 'l') {
        Expr factor = ansatz_factor(motion, integral.reduced);
        integral.reduced = expr_div(pool, integral.reduced, factor);
        integral.value = expr_div(pool, integral.value, factor);
    }
    integral.jumps = find_jump(motion, integral.reduced);
    array_push(&integrals->at, integral);
}

static void look(Motion *motion, InquiryIntegrals *integrals, const Setting *setting,
                 InquirySpan span)
{
    Momenta momenta;
    momenta_init(&momenta, motion, setting, span);
    energy_find(&momenta, integrals);
    if (!expr_is_none(motion->energy))
        momenta_find(&momenta, integrals);
    momenta_clear(&momenta);
}

InquiryIntegrals *inquiry_integrals(Motion *motion, InquirySpan span)
{
    InquiryIntegrals *integrals = base_alloc(sizeof *integrals);
    integrals->arena = arena_new();
    if (motion_no_T(motion) || inquiry_stranger(motion)) {
        integrals->not_sought =
            motion_no_T(motion)        ? motion_no_T(motion)
            : motion->second_count > 0 ? "a condition holds accelerations"
            : motion_driven(motion)
                ? motion_driven(motion)
                : "a condition or a speed is not linear in the velocities, or a servo keeps one";
        return integrals;
    }
    Setting setting = {0};
    setting.level = level_of(motion, &setting.on_level, &setting.left);
    look(motion, integrals, &setting, span);
    // Special values may leave more constant: a body with A = B, a couple that is 0.
    if (motion->model->params.count > 0) {
        setting.values = inquiry_values(motion);
        look(motion, integrals, &setting, span);
        expr_subst_free(setting.values);
    }
    expr_subst_free(setting.level);
    return integrals;
}

void inquiry_integrals_free(InquiryIntegrals *integrals)
{
    if (!integrals)
        return;
    array_clear(&integrals->at);
    arena_free(integrals->arena);
    base_free(integrals);
}

// ---- A second road: through the accelerations.

// F is constant where ∂F/∂u·u' + s = 0 for the u' with matrix·u' = right: where the matrix, with
// (∂F/∂u, −s) as one more row to (matrix, right), keeps its rank.
static Answer keeps_rank(Motion *motion, const Setting *setting, const InquiryNormal *normal,
                         const Expr *gradient, Expr rest)
{
    size_t k = motion->k, width = k + 1;
    Expr *matrix = base_alloc(width * width * sizeof *matrix);
    for (size_t i = 0; i <= k; i++) {
        for (size_t j = 0; j < k; j++)
            matrix[i * width + j] =
                setting_put(setting, i < k ? normal->matrix[i * k + j] : gradient[j]);
        matrix[i * width + k] =
            setting_put(setting, i < k ? normal->right[i] : expr_neg(motion->pool, rest));
    }
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, width, width, NULL, NULL, NULL);
    bool changes =
        rank > (ptrdiff_t)k && algebra_shows_independent(motion->algebra, matrix, width, width);
    base_free(matrix);
    return changes ? ANSWER_NO : rank == (ptrdiff_t)k ? ANSWER_YES : ANSWER_UNKNOWN;
}

Verdict inquiry_is_integral(Motion *motion, Expr value, bool values)
{
    ExprPool *pool = motion->pool;
    size_t k = motion->k;
    if (inquiry_stranger(motion))
        return (Verdict){.answer = ANSWER_UNKNOWN,
                         .reason = "a condition is not linear in the velocities alone"};
    Expr reduced = motion_in_speeds(motion, value);
    Expr *gradient = base_alloc((3 * k + 1) * sizeof *gradient);
    Expr *speeds = gradient + k, *zeros = speeds + k;
    for (size_t alpha = 0; alpha < k; alpha++)
        speeds[alpha] = motion->state.speeds[alpha].u;
    expr_gradient(pool, reduced, speeds, k, gradient);
    Expr rest = motion_rate_along(motion, &motion->state, reduced);
    for (size_t alpha = 0; alpha < k; alpha++) {
        speeds[alpha] = motion->state.speeds[alpha].rate;
        zeros[alpha] = expr_int(pool, 0);
    }
    rest = expr_replace(pool, rest, speeds, zeros, k);
    InquiryNormal normal = {0};
    Form *form = form_derive_in(FORM_APPELL, motion, FORM_TO_RUN);
    Setting setting = {.values = values ? inquiry_values(motion) : NULL};
    setting.level = level_of(motion, &setting.on_level, &setting.left);
    Verdict verdict = {.answer = ANSWER_UNKNOWN, .reason = "the accelerations are not determined"};
    if (!form->reason && inquiry_normal(motion, form, &normal))
        verdict.answer = keeps_rank(motion, &setting, &normal, gradient, rest);
    if (verdict.answer != ANSWER_UNKNOWN) {
        verdict.reason = NULL;
        verdict.proof = PROOF_MODULAR;
        verdict.log2_error = -100;
    }
    expr_subst_free(setting.level);
    expr_subst_free(setting.values);
    inquiry_normal_clear(&normal);
    form_free(form);
    base_free(gradient);
    return verdict;
}
