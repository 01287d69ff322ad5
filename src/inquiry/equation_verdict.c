// equation_verdict.c: whether a published equation follows from the equations of motion.
//
// The equation becomes e(q, u, u', λ, t) = 0. Where e = c·x + d is affine in x = (u', λ), a new
// unknown y = c·x + d is added to the linear equations of a form, and that y = 0 is proved as the
// agreement of forms is. Else the solution x is put into e. What is not 0 is shown at a real state.
#include "inquiry/inquiry_impl.h"

#include <assert.h>
#include <string.h>

typedef struct {
    Motion *motion;
    Form *form;
    Expr e;         // in q, u, u', λ, t
    Expr *unknowns; // size
    size_t size;
    InquiryNormal normal;
    bool affine;
    Expr *c, d; // e = c·unknowns + d
} Question;

static Verdict unknown(const char *reason)
{
    return (Verdict){.answer = ANSWER_UNKNOWN, .reason = reason};
}

// ---- The question.

static bool holds_multiplier(const Motion *motion, Expr e)
{
    for (size_t i = 0; i < motion->m; i++)
        if (expr_holds(motion->pool, e, motion->rows[i].constraint->lambda))
            return true;
    return false;
}

// One-sided conditions that do not act have no multiplier.
static Expr without_open_sides(Motion *motion, Expr e)
{
    Expr zero = expr_int(motion->pool, 0);
    for (size_t i = 0; i < motion->side_count; i++)
        if (!motion->held || !motion->held[i])
            e = expr_replace(motion->pool, e, &motion->sides[i].constraint->lambda, &zero, 1);
    return e;
}

// Equations with multipliers only where these are asked for.
static Form *form_for(Motion *motion, Expr e)
{
    FormKind first = holds_multiplier(motion, e) ? FORM_MULTIPLIERS : FORM_APPELL;
    FormKind second = first == FORM_APPELL ? FORM_MULTIPLIERS : FORM_APPELL;
    Form *form = form_derive_in(first, motion, FORM_TO_RUN);
    if (!form->reason)
        return form;
    form_free(form);
    return form_derive_in(second, motion, FORM_TO_RUN);
}

static bool question_init(Question *question, Motion *motion, Expr residual)
{
    *question = (Question){.motion = motion};
    question->e = motion_in_speeds(motion, without_open_sides(motion, residual));
    question->form = form_for(motion, question->e);
    question->unknowns = base_alloc((motion->n + motion->second_count + 1) * sizeof(Expr));
    question->size = inquiry_unknowns(motion, question->form, question->unknowns);
    question->c = base_alloc((question->size + 1) * sizeof(Expr));
    if (question->form->reason || !motion_is_affine(motion) ||
        !inquiry_normal(motion, question->form, &question->normal))
        return false;
    question->affine = inquiry_affine_parts(motion, question->e, question->unknowns, question->size,
                                            question->c, &question->d);
    return true;
}

static void question_clear(Question *question)
{
    inquiry_normal_clear(&question->normal);
    form_free(question->form);
    base_free(question->unknowns);
    base_free(question->c);
}

// A multiplier that no equation determines: that of a condition which is set aside.
static const char *undetermined(const Question *question)
{
    const Motion *motion = question->motion;
    for (size_t i = 0; i < motion->aside.count; i++)
        if (expr_holds(motion->pool, question->e, motion->aside.at[i].constraint->lambda))
            return "it holds the multiplier of a condition that is set aside";
    if (holds_multiplier(motion, question->e) && !question->form->multipliers)
        return "the form with multipliers does not apply";
    return NULL;
}

// ---- The proof.

static Verdict decide_affine(const Question *question, const Setting *setting)
{
    ExprPool *pool = question->motion->pool;
    size_t s = question->size, width = s + 1;
    Expr *matrix = base_alloc((width * width + width) * sizeof *matrix);
    Expr *right = matrix + width * width, zero = expr_int(pool, 0), one = expr_int(pool, 1);
    matrix[0] = one;
    right[0] = setting_put(setting, question->d);
    for (size_t j = 0; j < s; j++) {
        matrix[j + 1] = setting_put(setting, expr_neg(pool, question->c[j]));
        matrix[(j + 1) * width] = zero;
        right[j + 1] = setting_put(setting, question->normal.right[j]);
        for (size_t i = 0; i < s; i++)
            matrix[(i + 1) * width + j + 1] =
                setting_put(setting, question->normal.matrix[i * s + j]);
    }
    LinearSystem with = {width, matrix, right}, vanishes = {1, &one, &zero};
    Verdict verdict = algebra_same_solution(question->motion->algebra, &with, &vanishes, 1);
    base_free(matrix);
    return verdict;
}

// e with u' and λ as the equations of motion have them; none where these are singular.
static Expr on_motion(const Question *question, const Setting *setting)
{
    Motion *motion = question->motion;
    size_t s = question->size;
    Expr *matrix = base_alloc((s * s + 2 * s + 1) * sizeof *matrix);
    Expr *right = matrix + s * s, *solution = right + s, e = {0};
    for (size_t i = 0; i < s * s; i++)
        matrix[i] = setting_put(setting, question->normal.matrix[i]);
    for (size_t i = 0; i < s; i++)
        right[i] = setting_put(setting, question->normal.right[i]);
    if (s == 0 || algebra_solve(motion->algebra, matrix, right, s, 1, solution))
        e = expr_replace(motion->pool, setting_put(setting, question->e), question->unknowns,
                         solution, s);
    base_free(matrix);
    return e;
}

static bool holds_unknowns(const Question *question)
{
    return expr_holds_any(question->motion->pool, question->e, question->unknowns, question->size);
}

static Verdict decide(const Question *question, const Setting *setting)
{
    Algebra *algebra = question->motion->algebra;
    if (!holds_unknowns(question))
        return algebra_is_zero(algebra, setting_put(setting, question->e));
    if (question->affine)
        return decide_affine(question, setting);
    Expr e = on_motion(question, setting);
    return expr_is_none(e) ? unknown("the accelerations are not determined")
                           : algebra_is_zero(algebra, e);
}

// ---- A factor.

static bool vanishes(Motion *motion, Expr e, Verdict *proof)
{
    Verdict verdict = algebra_is_zero(motion->algebra, e);
    bool yes = verdict.answer == ANSWER_YES;
    if (yes && verdict.proof == PROOF_MODULAR)
        *proof = (Verdict){.answer = ANSWER_YES,
                           .proof = PROOF_MODULAR,
                           .log2_error = proof->proof == PROOF_MODULAR &&
                                                 proof->log2_error > verdict.log2_error
                                             ? proof->log2_error
                                             : verdict.log2_error};
    verdict_clear(&verdict);
    return yes;
}

// a = f·b for an f without the unknowns: ∂a/∂x·b = a·∂b/∂x for each, and some ∂b/∂x is not 0.
static bool is_multiple(Motion *motion, Expr a, Expr b, const Expr *unknowns, size_t count,
                        Verdict *proof, Expr *factor)
{
    ExprPool *pool = motion->pool;
    Expr over = {0};
    for (size_t j = 0; j < count; j++) {
        Expr da = expr_diff(pool, a, unknowns[j]), db = expr_diff(pool, b, unknowns[j]);
        Expr apart = expr_sub(pool, expr_mul(pool, da, b), expr_mul(pool, a, db));
        if (!vanishes(motion, apart, proof))
            return false;
        if (expr_is_none(over) && inquiry_is_zero(motion, db) == ANSWER_NO) {
            over = db;
            *factor = inquiry_short(motion, expr_div(pool, da, db));
        }
    }
    return !expr_is_none(over) && !expr_is_zero(pool, *factor) &&
           !expr_holds_any(pool, *factor, unknowns, count);
}

Verdict inquiry_equation_is(Motion *motion, Expr residual, const Form *form, size_t index,
                            Expr *factor)
{
    assert(index < form->equations.count);
    Verdict verdict = {.answer = ANSWER_YES, .proof = PROOF_EXACT};
    Expr *unknowns = base_alloc((motion->n + motion->second_count + 1) * sizeof *unknowns);
    size_t count = inquiry_unknowns(motion, form, unknowns);
    Expr e = motion_in_speeds(motion, residual);
    Expr derived = inquiry_residual(motion, form, &form->equations.at[index]);
    if (!is_multiple(motion, e, derived, unknowns, count, &verdict, factor))
        verdict = unknown("it is not seen to be this equation times a factor");
    base_free(unknowns);
    return verdict;
}

static bool holds_motion(const Motion *motion, Expr e)
{
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        if (expr_holds(motion->pool, e, motion->state.speeds[alpha].u))
            return true;
    return expr_holds_any(motion->pool, e, motion->q, motion->n) ||
           expr_holds_any(motion->pool, e, motion->v, motion->n) ||
           expr_holds(motion->pool, e, motion->model->t);
}

// The factor before an equation of the form, none where it is a constant. What is long is not
// worth the search.
enum { MOST_EQUATIONS = 12 };

static Expr factor_of(const Question *question)
{
    Motion *motion = question->motion;
    Expr factor;
    const Form *form = question->form;
    for (size_t i = 0; i < form->equations.count && form->equations.count <= MOST_EQUATIONS; i++) {
        Verdict verdict = {0};
        Expr derived = inquiry_residual(motion, form, &form->equations.at[i]);
        if (is_multiple(motion, question->e, derived, question->unknowns, question->size, &verdict,
                        &factor))
            return holds_motion(motion, factor) ? factor : (Expr){0};
    }
    return (Expr){0};
}

// Where the accelerations are not determined by linear equations: an equation of some form, times a
// factor.
static Verdict decide_by_forms(Motion *motion, Expr residual, Expr *factor)
{
    Verdict verdict =
        unknown("the equations are not affine in the accelerations, and it is none of "
                "them times a factor");
    for (int kind = 0; kind < FORM_COUNT && verdict.answer != ANSWER_YES; kind++) {
        Form *form = form_derive_in((FormKind)kind, motion, FORM_TO_RUN);
        for (size_t i = 0; i < form->equations.count && !form->reason; i++) {
            Verdict next = inquiry_equation_is(motion, residual, form, i, factor);
            if (next.answer != ANSWER_YES)
                continue;
            verdict = next;
            if (!holds_motion(motion, *factor))
                *factor = (Expr){0};
            break;
        }
        form_free(form);
    }
    return verdict;
}

// ---- A state that shows it.

typedef struct {
    Expr *at;
    size_t count;
} Variables;

// Time, coordinates, speeds, velocities that stay, parameters without a value, open functions.
static Variables variables_of(const Motion *motion, Expr e)
{
    const Model *model = motion->model;
    Variables held = {0};
    ExprList nodes = expr_nodes(motion->pool, &e, 1);
    size_t count = 0, most = 2 * motion->n + motion->k + model->params.count + nodes.count + 2;
    held.at = base_alloc(most * sizeof(Expr));
    Expr *all = base_alloc(most * sizeof *all);
    all[count++] = model->t;
    memcpy(all + count, motion->q, motion->n * sizeof *all);
    count += motion->n;
    memcpy(all + count, motion->v, motion->n * sizeof *all);
    count += motion->n;
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        if (motion->state.speeds[alpha].declared)
            all[count++] = motion->state.speeds[alpha].u;
    for (size_t i = 0; i < model->params.count; i++)
        all[count++] = model->params.at[i].symbol;
    for (size_t i = 0; i < count; i++)
        if (expr_holds(motion->pool, e, all[i]))
            held.at[held.count++] = all[i];
    for (size_t i = 0; i < nodes.count; i++)
        if (expr_op(motion->pool, (Expr){nodes.at[i]}) == EXPR_OPEN)
            held.at[held.count++] = (Expr){nodes.at[i]};
    expr_list_free(&nodes);
    base_free(all);
    return held;
}

static const char *name_of(const ExprPool *pool, Expr e, Arena *arena)
{
    Text text = {0};
    expr_print(pool, e, &text);
    const char *name = arena_copy_text(arena, text.at, text.length);
    text_clear(&text);
    return name;
}

// The difference at a real state of the motion: the finite conditions hold there with the values of
// the parameters. False where none is seen.
static bool show_state(Motion *motion, const Setting *setting, Expr difference,
                       InquiryEquation *equation)
{
    Variables held = variables_of(motion, difference);
    size_t count = 1 + held.count;
    Expr *exprs = base_alloc((count + motion->n + motion->side_count) * sizeof *exprs);
    exprs[0] = difference;
    memcpy(exprs + 1, held.at, held.count * sizeof *exprs);
    count += state_is_real(motion, difference, exprs + count);
    for (size_t i = 0; i < count; i++)
        exprs[i] = setting_put(setting, exprs[i]);
    double *values = base_alloc(count * sizeof *values);
    bool shown = algebra_nonzero_point(motion->algebra, exprs, count, values);
    equation->value = values[0];
    equation->state = arena_alloc(equation->arena, (held.count + 1) * sizeof *equation->state);
    for (size_t i = 0; i < held.count && shown; i++)
        equation->state[equation->state_count++] =
            (InquiryStateValue){name_of(motion->pool, held.at[i], equation->arena), values[i + 1]};
    base_free(held.at);
    base_free(exprs);
    base_free(values);
    return shown;
}

// Why a point where the difference is not 0 says nothing: it need not be one of the motion.
static const char *no_state(const Motion *motion)
{
    return motion->state.closed
               ? NULL
               : "no proof was found, and the velocities are no closed functions of the speeds";
}

// A state of the motion at which the difference, the values put in, is not 0. Where a finite
// condition could not be solved for a coordinate, it is met in balls.
static bool find_state(Motion *motion, const Setting *setting, Expr difference,
                       InquiryEquation *equation)
{
    return setting->left > 0 ? certified_state(motion, setting, difference, equation)
                             : show_state(motion, setting, difference, equation);
}

static Verdict refute(const Question *question, const Setting *setting, Verdict verdict,
                      InquiryEquation *equation)
{
    Motion *motion = question->motion;
    Setting everywhere = {.level = expr_subst_new(motion->pool)};
    Expr difference = on_motion(question, &everywhere);
    expr_subst_free(everywhere.level);
    const char *reason = no_state(motion);
    if (expr_is_none(difference))
        reason = "the accelerations are not determined";
    else
        difference = inquiry_short(motion, difference);
    if (!reason && !find_state(motion, setting, expr_subst(setting->values, difference), equation))
        reason = verdict.reason ? verdict.reason : "no state was found that shows a difference";
    verdict_clear(&verdict);
    if (reason)
        return unknown(reason);
    equation->difference = difference;
    return (Verdict){.answer = ANSWER_NO, .proof = PROOF_EXACT};
}

// ---- The answer.

static Verdict answer(const Question *question, InquiryEquation *equation)
{
    Motion *motion = question->motion;
    Setting setting = {0};
    setting.level = level_of(motion, &setting.on_level, &setting.left);
    Verdict verdict = decide(question, &setting);
    if (verdict.answer != ANSWER_YES) {
        setting.values = inquiry_all_values(motion);
        verdict_clear(&verdict);
        verdict = decide(question, &setting);
        equation->special = verdict.answer == ANSWER_YES;
    } else if (question->affine && holds_unknowns(question)) {
        equation->factor = factor_of(question);
    }
    if (verdict.answer != ANSWER_YES)
        verdict = refute(question, &setting, verdict, equation);
    expr_subst_free(setting.level);
    expr_subst_free(setting.values);
    return verdict;
}

void inquiry_equation(Motion *motion, Expr residual, InquiryEquation *equation)
{
    Question question;
    *equation = (InquiryEquation){.arena = arena_new()};
    bool normal = question_init(&question, motion, residual);
    const char *reason = undetermined(&question);
    if (reason)
        equation->verdict = unknown(reason);
    else if (normal)
        equation->verdict = answer(&question, equation);
    else
        equation->verdict = decide_by_forms(motion, residual, &equation->factor);
    question_clear(&question);
}

void inquiry_equation_clear(InquiryEquation *equation)
{
    verdict_clear(&equation->verdict);
    arena_free(equation->arena);
}
