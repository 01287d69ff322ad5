// check_numbers.c: verdicts as enums in a result.
#include "api/numbers_impl.h"
#include "api/result_impl.h"
#include "base/strings.h"

#include <string.h>

// Agreement of all, worst first: a form that disagrees, one that is undecided.
static zw_answer all_of(const zw_answer *answers, const bool *applies, size_t count)
{
    zw_answer all = count > 0 ? ZW_YES : ZW_UNKNOWN;
    for (size_t i = 0; i < count; i++)
        if (applies[i] && answers[i] != ZW_YES && all != ZW_NO)
            all = answers[i];
    return all;
}

static void put_forms(const CheckFindings *found, zw_result *result, zw_check_answers *told)
{
    size_t count = told->form_count = found->form_count;
    Arena *arena = result->arena;
    const char **names = arena_array(arena, const char *, 2 * count + 1), **reasons = names + count;
    bool *applies = arena_array(arena, bool, count + 1), yardstick = true;
    zw_answer *answers = arena_array(arena, zw_answer, count + 1);
    zw_proof *proofs = arena_array(arena, zw_proof, count + 1);
    double *errors = arena_array(arena, double, count + 1);
    for (size_t i = 0; i < count; i++) {
        const Form *form = found->forms[i];
        const Verdict *verdict = &found->verdicts[i];
        names[i] = result_copy(result, form_name(form->kind));
        applies[i] = !form->reason;
        // The first that applies is what the others are compared with.
        bool first = applies[i] && yardstick;
        yardstick = yardstick && !applies[i];
        answers[i] = first ? ZW_YES : applies[i] ? (zw_answer)verdict->answer : ZW_UNKNOWN;
        proofs[i] = (zw_proof)verdict->proof;
        errors[i] = verdict->log2_error;
        reasons[i] = result_copy(result, form->reason ? form->reason : verdict->reason);
    }
    told->forms_agree = all_of(answers, applies, count);
    told->form_names = names;
    told->form_applies = applies;
    told->form_answers = answers;
    told->form_proofs = proofs;
    told->form_log2_errors = errors;
    told->form_reasons = reasons;
}

static void put_kind(const InquiryKind *kind, zw_result *result, zw_check_answers *told)
{
    told->holonomic = kind->reason ? ZW_UNKNOWN : kind->holonomic ? ZW_YES : ZW_NO;
    told->kind_reason = result_copy(result, kind->reason);
    told->finite = kind->finite;
    told->hidden = kind->hidden;
    size_t count = told->growth_count = kind->reason ? 0 : kind->growth.count;
    size_t *growth = arena_array(result->arena, size_t, count + 1);
    if (count)
        memcpy(growth, kind->growth.at, count * sizeof *growth);
    told->growth = growth;
}

static void put_integrals(const Motion *motion, const InquiryIntegrals *found, zw_result *result,
                          zw_check_answers *told)
{
    size_t count = told->integral_count = found->at.count;
    const char **names = arena_array(result->arena, const char *, 3 * count + 1);
    zw_proof *proofs = arena_array(result->arena, zw_proof, count + 1);
    for (size_t i = 0; i < count; i++) {
        const InquiryIntegral *integral = &found->at.at[i];
        Text value = {0};
        bool printable = expr_is_printable(motion->pool, integral->value);
        if (printable)
            expr_print(motion->pool, integral->value, &value);
        names[i] = result_copy(result, integral->name);
        names[count + i] = result_copy(result, integral->label);
        names[2 * count + i] = result_copy(result, printable ? value.at : NULL);
        proofs[i] = (zw_proof)integral->proof;
        text_clear(&value);
    }
    told->integral_names = names;
    told->integral_labels = names + count;
    told->integral_values = names + 2 * count;
    told->integral_proofs = proofs;
}

void result_put_check(const Motion *motion, const CheckFindings *found, zw_result *result)
{
    zw_check_answers *told = arena_alloc(result->arena, sizeof *told);
    told->percussions_agree =
        found->percussions ? (zw_answer)found->percussions->answer : ZW_UNKNOWN;
    told->holonomic = told->jacobi = ZW_UNKNOWN;
    put_forms(found, result, told);
    if (found->kind)
        put_kind(found->kind, result, told);
    if (found->freedom)
        told->freedoms = found->freedom->at_start;
    if (found->integrals)
        put_integrals(motion, found->integrals, result, told);
    if (found->jacobi) {
        told->jacobi = (zw_answer)found->jacobi->extends;
        told->jacobi_reason = result_copy(result, found->jacobi->reason);
    }
    result->check = told;
}
