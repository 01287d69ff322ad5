// zw_equations.c: published equations: read, asked about, and the answers shown.
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "api/result_impl.h"
#include "model/model_equation.h"
#include "show/show.h"
#include "text/text.h"

#include <string.h>

typedef struct {
    zw_model *model;
    InquiryQuantities *quantities;
    ARRAY(ShowEquation) shown;
    ARRAY(InquiryEquation) found; // one an equation, whether it could be read or not
    Status status;
} Answers;

static void worsen(Answers *answers, Status status)
{
    if (status > answers->status)
        answers->status = status;
}

// The first error since there were so many messages.
static const char *first_error(const Diag *diag, size_t before)
{
    for (size_t i = before; i < diag_total(diag); i++) {
        DiagKind kind;
        Place place;
        const char *message = diag_message(diag, i, &kind, &place);
        if (kind == DIAG_ERROR)
            return message;
    }
    return "it cannot be read";
}

static void ask(Answers *answers, const ModelEquation *equation, size_t messages)
{
    zw_model *model = answers->model;
    Place place = equation->place;
    ShowEquation shown = {.label = equation->label,
                          .text = {place.source->at + place.start, place.length}};
    InquiryEquation found = {0};
    if (expr_is_none(equation->left)) {
        shown.wrong = first_error(model->diag, messages);
        worsen(answers, STATUS_WRONG);
    } else {
        api_stage(model, "proving '%s'", text_shown(shown.text).at);
        Expr residual = expr_sub(model->model->pool, equation->left, equation->right);
        inquiry_equation(model->under, inquiry_quantities_put(answers->quantities, residual),
                         &found);
        worsen(answers, found.verdict.answer == ANSWER_YES ? STATUS_OK : STATUS_NEGATIVE);
    }
    array_push(&answers->shown, shown);
    array_push(&answers->found, found);
}

// All equations of a text.
static void ask_all(Answers *answers, const Source *source)
{
    zw_model *model = answers->model;
    ModelQuantities names = inquiry_quantities_names(answers->quantities);
    ModelEquation equation;
    size_t before = answers->shown.count;
    uint32_t at = 0;
    size_t messages = diag_total(model->diag);
    while (model_read_equation(model->model, source, &at, &names, model->diag, &equation)) {
        ask(answers, &equation, messages);
        messages = diag_total(model->diag);
    }
    if (answers->shown.count == before)
        worsen(answers, diag_error(model->diag, place_none(), "there is no equation; write a = b"));
}

static const Source *keep(zw_model *model, const char *name, const char *text, size_t length)
{
    Source *source = source_new(name, text, length);
    array_push(&model->asked, source);
    return source;
}

static void ask_file(Answers *answers, const char *path)
{
    Text text = {0};
    Status status = api_read_file(path, answers->model->diag, &text);
    if (status == STATUS_OK)
        ask_all(answers, keep(answers->model, path, text.at ? text.at : "", text.length));
    worsen(answers, status);
    text_clear(&text);
}

static void put_report(Answers *answers, const zw_equation_options *options, zw_result *result)
{
    for (size_t i = 0; i < answers->shown.count; i++)
        if (!answers->shown.at[i].wrong)
            answers->shown.at[i].found = &answers->found.at[i];
    Show *show = show_new(answers->model->under);
    Text text = {0};
    if (options->as == ZW_JSON)
        show_equations_json(show, answers->shown.at, answers->shown.count, &text);
    else
        show_equations_text(show, answers->shown.at, answers->shown.count, &text);
    show_free(show);
    if (options->as == ZW_JSON)
        api_sign_json(&text);
    result_put_text(result, &text, options->as, options->width);
}

static const zw_equation_answers *equation_numbers(const Answers *answers, zw_result *result)
{
    size_t count = answers->shown.count, read = 0;
    zw_equation_answers *told = arena_alloc(result->arena, sizeof *told);
    const char **names = arena_array(result->arena, const char *, 2 * count + 1);
    const char **reasons = names + count;
    zw_answer *follow = arena_array(result->arena, zw_answer, count + 1);
    zw_proof *proofs = arena_array(result->arena, zw_proof, count + 1);
    double *errors = arena_array(result->arena, double, count + 1);
    for (size_t i = 0; i < count; i++) {
        const ShowEquation *shown = &answers->shown.at[i];
        const Verdict *verdict = &answers->found.at[i].verdict;
        if (shown->wrong)
            continue;
        names[read] = result_copy(result, shown->label);
        follow[read] = (zw_answer)verdict->answer;
        proofs[read] = (zw_proof)verdict->proof;
        errors[read] = verdict->log2_error;
        reasons[read++] = result_copy(result, verdict->reason);
    }
    *told = (zw_equation_answers){read, names, follow, proofs, errors, reasons};
    return told;
}

static void answers_clear(Answers *answers)
{
    for (size_t i = 0; i < answers->found.count; i++)
        inquiry_equation_clear(&answers->found.at[i]);
    array_clear(&answers->found);
    array_clear(&answers->shown);
    inquiry_quantities_free(answers->quantities);
}

static Status answer(zw_model *model, const void *given, zw_result *result)
{
    const zw_equation_options *options = given;
    TRY(api_check_format(options->as, ZW_TEXT, model->diag));
    TRY(api_acting(model));
    TRY(api_check_texts("equation", options->equations, options->count, model->diag));
    Answers answers = {.model = model, .quantities = inquiry_quantities_new(model->under)};
    for (size_t i = 0; i < options->count; i++)
        ask_all(&answers,
                keep(model, "equation", options->equations[i], strlen(options->equations[i])));
    if (options->file)
        ask_file(&answers, options->file);
    put_report(&answers, options, result);
    result->equations = equation_numbers(&answers, result);
    Status status = answers.status;
    answers_clear(&answers);
    return status;
}

zw_status zw_equations(zw_model *model, const zw_equation_options *given, zw_result **result)
{
    zw_equation_options options;
    return api_ask(model, given, &options, sizeof options, answer, false, result);
}
