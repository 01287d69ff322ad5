// zw_check.c: which questions are asked of a system, and their answers shown.
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "api/numbers_impl.h"
#include "api/result_impl.h"
#include "show/show.h"

#include <string.h>

typedef struct {
    bool forms, kind, integrals, jacobi;
} Questions;

typedef struct {
    Form *forms[FORM_COUNT];
    Verdict verdicts[FORM_COUNT];
    size_t form_count;
    InquiryKind *kind;
    InquiryOrder *order;
    InquiryExact *exact;
    InquiryRealization realizations[INQUIRY_REALIZATIONS];
    size_t realization_count;
    InquiryTurning turning;
    bool has_turning;
    InquiryIntegrals *integrals;
    Expr measure;
    const char *no_measure;
    InquiryJacobi *jacobi;
    InquiryFreedom freedom;
    bool freedom_known;
    InquiryPercussions percussions;
    bool has_percussions;
    InquirySmall *internal; // what servos leave, near a steady state; NULL: none was found
    InquiryLinear linear;
} Answers;

static Status unknown_question(Str word, Diag *diag)
{
    return diag_error(diag, place_none(),
                      "unknown question '%.*s'; there are forms, kind, integrals and jacobi",
                      (int)word.length, word.at);
}

static Status read_questions(const char *only, Diag *diag, Questions *questions)
{
    Status status = STATUS_OK;
    Str word;
    if (!only)
        *questions = (Questions){true, true, true, true};
    while (only && api_next_word(&only, &word)) {
        if (str_is(word, "forms"))
            questions->forms = true;
        else if (str_is(word, "kind"))
            questions->kind = true;
        else if (str_is(word, "integrals"))
            questions->integrals = true;
        else if (str_is(word, "jacobi"))
            questions->jacobi = true;
        else
            status = unknown_question(word, diag);
    }
    return status;
}

// ---- What the general verdict does not say of the start.

static void warn_of_ranks(zw_model *model, const InquiryKind *kind, const InquiryRanks *ranks)
{
    const Motion *motion = model->under;
    size_t m = motion->m - motion->model->rated_count;
    if (ranks->conditions < m)
        diag_add(model->diag, DIAG_WARNING, place_none(),
                 "at the start only %zu of the %zu conditions are independent: the verdict about "
                 "integrability is for other states",
                 ranks->conditions, m);
    else if (ranks->directions < kind->direction_count)
        diag_add(model->diag, DIAG_WARNING, place_none(),
                 "at the start brackets open %zu directions and not %zu: the verdict about "
                 "integrability is for other states",
                 ranks->directions - 1, kind->direction_count - 1);
}

// Where there is no start, or nothing has a value there, nothing is said.
static void look_at_start(zw_model *model, Answers *answers)
{
    const InquiryKind *kind = answers->kind;
    Diag *unheard = diag_new();
    RunOptions options = run_options();
    options.instant = true;
    Simulation *run = NULL;
    InquiryRanks ranks;
    double *params = base_alloc((model->model->params.count + 1) * sizeof *params);
    // While one-sided conditions act the start says nothing that is not said already.
    bool free = model->under == model->motion;
    bool known = run_new(model->motion, &options, unheard, &run) == STATUS_OK &&
                 model_param_values(model->model, unheard, params) == STATUS_OK;
    answers->freedom_known =
        known && inquiry_freedom(model->under, params, run_start(run).q, &answers->freedom);
    // Conditions that depend on each other at other positions too are told with the freedoms.
    bool alike = answers->freedom_known && answers->freedom.moves && !answers->freedom.exact;
    if (free && known && kind && !kind->reason && !alike &&
        inquiry_kind_at(model->under, kind, params, run_start(run).q, &ranks))
        warn_of_ranks(model, kind, &ranks);
    run_free(run);
    base_free(params);
    diag_free(unheard);
}

// ---- Asking.

static void prove_begins(void *context, const Form *form)
{
    api_stage(context, "proving '%s'", form_name(form->kind));
}

static Status ask_forms(zw_model *model, Answers *answers)
{
    for (int i = 0; i < FORM_COUNT; i++) {
        api_stage(model, "deriving '%s'", form_name((FormKind)i));
        answers->forms[answers->form_count++] =
            form_derive_in((FormKind)i, model->under, FORM_TO_RUN);
    }
    bool agree = inquiry_all_agree(model->under, answers->forms, answers->form_count, prove_begins,
                                   model, answers->verdicts);
    answers->has_percussions = model->model->impulses.count > 0;
    if (answers->has_percussions)
        answers->percussions = inquiry_percussions(model->under);
    bool jump = answers->has_percussions && answers->percussions.answer == ANSWER_NO;
    return agree && !jump ? STATUS_OK : STATUS_NEGATIVE;
}

static bool holds_finite(const Motion *motion)
{
    for (size_t i = 0; i < motion->m; i++)
        if (!expr_is_none(motion->rows[i].position))
            return true;
    return false;
}

static Status ask(zw_model *model, const Questions *questions, Answers *answers)
{
    Status status = questions->forms ? ask_forms(model, answers) : STATUS_OK;
    if (status != STATUS_OK && status != STATUS_NEGATIVE)
        return status;
    if (questions->kind) {
        api_stage(model, "finding the kind of the conditions");
        answers->kind = inquiry_kind(model->under);
        answers->order = inquiry_order(model->under);
        if (!answers->kind->reason && !answers->kind->holonomic)
            answers->exact = inquiry_exact(model->under);
        answers->realization_count =
            inquiry_realizations(model->under, answers->kind, answers->realizations);
        if (model->under->servos > 0 && model->under == model->motion &&
            !api_small_at_start(model, &answers->internal, &answers->linear)) {
            inquiry_small_free(answers->internal);
            answers->internal = NULL;
        }
    }
    if (questions->kind || holds_finite(model->under))
        look_at_start(model, answers);
    if (questions->integrals) {
        api_stage(model, "finding first integrals");
        answers->integrals = inquiry_integrals(model->under, INQUIRY_BETWEEN_EVENTS);
        answers->has_turning = inquiry_turning(model->under, &answers->turning);
        answers->measure = inquiry_measure(model->under, &answers->no_measure);
    }
    if (questions->jacobi) {
        api_stage(model, "trying Jacobi's theorem");
        answers->jacobi = inquiry_jacobi(model->under);
    }
    return status;
}

static void answers_clear(Answers *answers)
{
    for (size_t i = 0; i < answers->form_count; i++) {
        verdict_clear(&answers->verdicts[i]);
        form_free(answers->forms[i]);
    }
    inquiry_small_free(answers->internal);
    inquiry_kind_free(answers->kind);
    inquiry_order_free(answers->order);
    inquiry_exact_free(answers->exact);
    inquiry_integrals_free(answers->integrals);
    inquiry_jacobi_free(answers->jacobi);
}

static void put_report(zw_model *model, const Questions *questions, const Answers *answers,
                       const zw_check_options *options, zw_result *result)
{
    ShowCheck check = {.forms = answers->forms,
                       .verdicts = answers->verdicts,
                       .count = answers->form_count,
                       .agree = questions->forms,
                       .freedom = answers->freedom_known ? &answers->freedom : NULL,
                       .kind = answers->kind,
                       .order = answers->order,
                       .exact = answers->exact,
                       .realizations = answers->realizations,
                       .realization_count = answers->realization_count,
                       .integrals = answers->integrals,
                       .turning = answers->has_turning ? &answers->turning : NULL,
                       .measure = answers->measure,
                       .no_measure = answers->no_measure,
                       .percussions = answers->has_percussions ? &answers->percussions : NULL,
                       .jacobi = answers->jacobi,
                       .internal = answers->internal ? &answers->linear : NULL};
    Show *show = show_new(model->under);
    Text text = {0};
    if (options->as == ZW_JSON) {
        show_check_json(show, &check, &text);
        api_sign_json(&text);
    } else
        show_check_text(show, &check, &text);
    show_free(show);
    result_put_text(result, &text, options->as, options->width);
}

static void put_numbers(const zw_model *model, const Answers *answers, zw_result *result)
{
    CheckFindings found = {.forms = answers->forms,
                           .verdicts = answers->verdicts,
                           .form_count = answers->form_count,
                           .percussions = answers->has_percussions ? &answers->percussions : NULL,
                           .kind = answers->kind,
                           .freedom = answers->freedom_known ? &answers->freedom : NULL,
                           .integrals = answers->integrals,
                           .jacobi = answers->jacobi};
    result_put_check(model->under, &found, result);
}

static Status answer(zw_model *model, const void *given, zw_result *result)
{
    const zw_check_options *options = given;
    Questions questions = {0};
    Answers answers = {0};
    Status status = api_check_format(options->as, ZW_TEXT, model->diag);
    if (status == STATUS_OK)
        status = read_questions(options->only, model->diag, &questions);
    if (status == STATUS_OK)
        status = api_acting(model);
    if (status == STATUS_OK) {
        api_note_events(model, "is left out: what is asked is of the motion between events");
        if (!questions.forms)
            api_note_impulses(model, "is left out: what is asked is of the motion between blows");
        status = ask(model, &questions, &answers);
    }
    if (status == STATUS_OK || status == STATUS_NEGATIVE) {
        put_report(model, &questions, &answers, options, result);
        put_numbers(model, &answers, result);
    }
    answers_clear(&answers);
    return status;
}

zw_status zw_check(zw_model *model, const zw_check_options *given, zw_result **result)
{
    zw_check_options options;
    return api_ask(model, given, &options, sizeof options, answer, false, result);
}
