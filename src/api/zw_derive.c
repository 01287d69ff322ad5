// zw_derive.c: which forms are asked for, derived and shown.
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "api/result_impl.h"
#include "show/show.h"

#include <string.h>

typedef struct {
    Form *at[FORM_COUNT];
    size_t count;
} FormList;

static void form_list_clear(FormList *list)
{
    for (size_t i = 0; i < list->count; i++)
        form_free(list->at[i]);
    list->count = 0;
}

// ---- Words separated by commas.

// What others call the forms.
static const Synonym form_synonyms[] = {
    {"newton", "multipliers"},      {"newton-euler", "multipliers"},
    {"routh", "multipliers"},       {"vierkandt", "multipliers"},
    {"ferrers", "multipliers"},     {"lambda", "multipliers"},
    {"euler-lagrange", "lagrange"}, {"euler_lagrange", "lagrange"},
    {"lagrangian", "lagrange"},     {"quanjel", "lagrange"},
    {"chaplygin", "voronets"},      {"gibbs", "appell"},
    {"gibbs-appell", "appell"},     {"gibbs_appell", "appell"},
    {"jourdain", "kane"},           {"dalembert", "kane"},
    {"boltzmann", "hamel"},         {"boltzmann-hamel", "hamel"},
    {"boltzmann_hamel", "hamel"},   {"quasi", "hamel"},
    {"poincare", "hamel"},          {"hamilton", "canonical"},
    {"hamiltonian", "canonical"},   {"least_constraint", "gauss"},
    {"udwadia", "gauss"},           {"mayer", "gauss"},
    {"least_action", "action"},     {"variational", "action"},
    {"johnsen", "johnsen1"},
};

Status api_unknown_form(Str word, Diag *diag)
{
    Str names[FORM_COUNT];
    Text known = {0};
    for (int i = 0; i < FORM_COUNT; i++) {
        names[i] = str_of(form_name((FormKind)i));
        text_addf(&known, "%s%s", i ? ", " : "", form_name((FormKind)i));
    }
    ptrdiff_t nearest = str_nearest(word, names, FORM_COUNT);
    const char *meant =
        str_synonym(word, form_synonyms, sizeof form_synonyms / sizeof *form_synonyms);
    if (meant || nearest >= 0)
        diag_error(diag, place_none(), "unknown form '%.*s'; did you mean '%s'?", (int)word.length,
                   word.at, meant ? meant : form_name((FormKind)nearest));
    else
        diag_error(diag, place_none(), "unknown form '%.*s'; this version derives: %s",
                   (int)word.length, word.at, known.at);
    text_clear(&known);
    return STATUS_WRONG;
}

// Which forms the words name, in the order of the list of forms, each once.
static Status wanted_forms(const char *words, Diag *diag, bool *wanted)
{
    if (!*words)
        return diag_error(diag, place_none(), "no form is named; 'all' means every one");
    Status status = STATUS_OK;
    Str word;
    while (api_next_word(&words, &word)) {
        FormKind kind;
        if (str_is(word, "all"))
            memset(wanted, true, FORM_COUNT * sizeof *wanted);
        else if (form_find(word, &kind))
            wanted[kind] = true;
        else
            status = api_unknown_form(word, diag);
    }
    return status;
}

static Status derive_forms(zw_model *model, const char *words, FormDetail detail, FormList *list)
{
    bool wanted[FORM_COUNT] = {false};
    if (words)
        TRY(wanted_forms(words, model->diag, wanted));
    TRY(api_acting(model));
    if (!words)
        wanted[motion_has_curved_conditions(model->motion) ? FORM_GAUSS : FORM_APPELL] = true;
    for (int i = 0; i < FORM_COUNT; i++)
        if (wanted[i]) {
            api_stage(model, "deriving '%s'", form_name((FormKind)i));
            list->at[list->count++] = form_derive_in((FormKind)i, model->under, detail);
        }
    return STATUS_OK;
}

// The form that multipliers and reactions come from where they are asked for and it is not among
// those shown; NULL where it is, or does not apply.
static Form *reactions_form(zw_model *model, const FormList *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i]->kind == FORM_MULTIPLIERS)
            return NULL;
    Form *form = form_derive_in(FORM_MULTIPLIERS, model->under, FORM_TO_RUN);
    if (!form->reason && model->model->constraints.count > 0)
        return form;
    diag_add(model->diag, DIAG_NOTE, place_none(), "no reactions: %s",
             form->reason ? form->reason : "nothing constrains this system");
    form_free(form);
    return NULL;
}

static Status too_long(double operations, Diag *diag)
{
    return diag_error(diag, place_hint(HINT_EXPAND),
                      "written out in full these equations have about %.3g operations, which is "
                      "more than can be held; print them with named quantities, or ask for fewer "
                      "forms",
                      operations);
}

const char *zw_form_nearest(const char *name, size_t length)
{
    Str names[FORM_COUNT + 1];
    if (!name)
        return NULL;
    for (int i = 0; i < FORM_COUNT; i++)
        names[i] = str_of(form_name((FormKind)i));
    names[FORM_COUNT] = str_of("all");
    Str word = {name, length};
    for (int i = 0; i <= FORM_COUNT; i++)
        if (str_equal(names[i], word))
            return names[i].at;
    ptrdiff_t nearest = api_nearest(word, names, FORM_COUNT + 1);
    return nearest < 0 ? NULL : names[nearest].at;
}

Status api_derive(zw_model *model, const zw_derive_options *options, Text *report)
{
    FormList list = {0};
    FormDetail detail = options->steps ? FORM_IN_STEPS : FORM_TO_READ;
    Status status = derive_forms(model, options->forms, detail, &list);
    for (size_t i = 0; i < list.count && status == STATUS_OK && options->naive; i++)
        if (form_add_least_action(model->under, list.at[i])) {
            form_add_readings(model->under, list.at[i]);
            inquiry_judge_readings(model->under, list.at[i]);
        }
    if (status == STATUS_OK) {
        api_stage(model, "writing the equations");
        Show *show = show_new(model->under);
        if (options->expand)
            show_expand(show);
        Form *reactions = options->reactions ? reactions_form(model, &list) : NULL;
        show_with_reactions(show, reactions);
        if (options->as == ZW_JSON) {
            show_derivation_json(show, list.at, list.count, options->naive, report);
            api_sign_json(report);
        } else if (options->as == ZW_LATEX)
            show_derivation_latex(show, list.at, list.count, options->naive, report);
        else
            show_derivation_text(show, list.at, list.count, options->naive, report);
        if (show_unwritten(show) > 0)
            status = too_long(show_unwritten(show), model->diag);
        show_free(show);
        form_free(reactions);
    }
    form_list_clear(&list);
    return status;
}

// The system as it looks in its motion, where it has a start and something to draw.
static void add_picture(zw_model *model, Text *document)
{
    enum { MOST_STEPS = 2000 };
    ShowPicture *picture;
    Diag *unheard = diag_new();
    Status status = api_run_picture(model, MOST_STEPS, unheard, &picture);
    if (status == STATUS_OK && show_picture_shapes(picture) > 0) {
        Text drawn = {0};
        show_picture_latex(picture, show_picture_finish(picture) / 3, &drawn);
        show_latex_for_paper(drawn.at, document);
        text_clear(&drawn);
    }
    show_picture_free(picture);
    diag_free(unheard);
}

static Status answer(zw_model *model, const void *given, zw_result *result)
{
    const zw_derive_options *options = given;
    Text text = {0};
    TRY(api_check_format(options->as, ZW_LATEX, model->diag));
    Status status = api_derive(model, options, &text);
    if (status == STATUS_OK)
        api_note_events(model, "is listed with what it does; it is not in the equations");
    if (status == STATUS_OK && options->as == ZW_LATEX)
        add_picture(model, &text);
    if (status == STATUS_OK)
        result_put_text(result, &text, options->as, options->width);
    text_clear(&text);
    return status;
}

zw_status zw_derive(zw_model *model, const zw_derive_options *given, zw_result **result)
{
    zw_derive_options options;
    return api_ask(model, given, &options, sizeof options, answer, false, result);
}
