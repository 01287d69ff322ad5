// percussion_agreement.c: whether all forms give the same jumps at the model's impulses.
//
// The jumps that the form with multipliers gives are put into the equations that every other form
// has for the same blow (Appell 23).
#include "inquiry/inquiry_impl.h"

#include <string.h>

// Σ_ν (∂u/∂q'_ν)·Δq'_ν for every declared speed, and the jumps themselves.
static ExprSubst *jumps_of(Motion *motion, const Form *percussion)
{
    ExprPool *pool = motion->pool;
    ExprSubst *subst = expr_subst_new(pool);
    for (size_t i = 0; i < percussion->jumps.count; i++)
        expr_subst_set(subst, expr_symbol(pool, percussion->jumps.at[i].name),
                       percussion->jumps.at[i].value);
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        const MotionSpeed *speed = &motion->state.speeds[alpha];
        Expr jump = expr_int(pool, 0);
        for (size_t nu = 0; nu < motion->n; nu++)
            jump =
                expr_add(pool, jump, expr_mul(pool, speed->y[nu], percussion->jumps.at[nu].value));
        Text name = {0};
        size_t prefix = strcspn(percussion->jumps.at[0].name, ".") + 1;
        text_add_str(&name, (Str){percussion->jumps.at[0].name, prefix});
        text_add(&name, speed->name);
        if (speed->declared)
            expr_subst_set(subst, expr_symbol(pool, name.at), jump);
        text_clear(&name);
    }
    return subst;
}

static Answer hold(Motion *motion, const Form *percussion, ExprSubst *jumps)
{
    Answer answer = ANSWER_YES;
    for (size_t i = 0; i < percussion->equations.count && answer == ANSWER_YES; i++) {
        const FormEquation *equation = &percussion->equations.at[i];
        Expr apart = expr_subst(jumps, expr_sub(motion->pool, equation->left, equation->right));
        Verdict verdict = algebra_is_zero(motion->algebra, motion_in_speeds(motion, apart));
        answer = verdict.answer;
        verdict_clear(&verdict);
    }
    return answer;
}

// How one form stands to the first.
static Answer compare(Motion *motion, const Form *first, const Form *form)
{
    bool both = first->percussions.count == form->percussions.count;
    Answer answer = both ? ANSWER_YES : ANSWER_UNKNOWN;
    for (size_t i = 0; i < form->percussions.count && answer == ANSWER_YES; i++) {
        if (first->percussions.at[i]->jumps.count < motion->n)
            return ANSWER_UNKNOWN; // they were not solved for
        ExprSubst *jumps = jumps_of(motion, first->percussions.at[i]);
        answer = hold(motion, form->percussions.at[i], jumps);
        expr_subst_free(jumps);
    }
    return answer;
}

InquiryPercussions inquiry_percussions(Motion *motion)
{
    InquiryPercussions all = {.forms = 1, .answer = ANSWER_YES};
    Form *first = form_derive(FORM_MULTIPLIERS, motion);
    if (first->reason || first->percussions.count == 0)
        all.answer = ANSWER_UNKNOWN;
    for (int kind = 0; kind < FORM_COUNT && all.answer == ANSWER_YES; kind++) {
        // The jumps of momenta are other unknowns.
        if (kind == FORM_MULTIPLIERS || kind == FORM_CANONICAL)
            continue;
        Form *form = form_derive((FormKind)kind, motion);
        if (!form->reason) {
            all.answer = compare(motion, first, form);
            all.forms++;
        }
        form_free(form);
    }
    form_free(first);
    return all;
}
