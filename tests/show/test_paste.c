// What is printed can be pasted: every equation that a derivation prints for the models in
// models/ is read back, and what show_expr prints means the expression that it printed.
#include "files.h"
#include "support.h"

#include "show/show.h"

static bool read_back(ExprPool *pool, const char *text, size_t length, Expr *value)
{
    Source *source = source_new("printed", text, length);
    Diag *diag = diag_new();
    bool good = model_read_expression(pool, source, diag, value) == STATUS_OK;
    if (!good)
        print_messages(diag);
    diag_free(diag);
    source_free(source);
    return good;
}

// ---- Expressions.

static void assert_same_meaning(Motion *motion, const Show *show, Expr e)
{
    Text text = {0};
    Expr value;
    show_expr(show, e, &text);
    if (!strstr(text.at, "…")) {
        assert_true(read_back(motion->pool, text.at, text.length, &value));
        Verdict verdict = algebra_is_zero(motion->algebra, expr_sub(motion->pool, e, value));
        if (verdict.answer != ANSWER_YES)
            print_message("%s\n", text.at);
        assert_int_equal(verdict.answer, ANSWER_YES);
        verdict_clear(&verdict);
    }
    text_clear(&text);
}

static void assert_expressions(Motion *motion, const Show *show)
{
    const Model *model = motion->model;
    assert_same_meaning(motion, show, motion->T);
    assert_same_meaning(motion, show, motion->U);
    for (size_t i = 0; i < model->constraints.count; i++) {
        assert_same_meaning(motion, show, model->constraints.at[i].left);
        assert_same_meaning(motion, show, model->constraints.at[i].right);
    }
    for (size_t i = 0; i < model->speeds.count; i++)
        assert_same_meaning(motion, show, model->speeds.at[i].value);
    for (size_t i = 0; i < model->outputs.count; i++)
        assert_same_meaning(motion, show, model->outputs.at[i].value);
}

// ---- Whole derivations: [LABEL:] LEFT = RIGHT [   (remark)].

static size_t assert_line(Motion *motion, const char *line, size_t length)
{
    char *text = strndup(line, length);
    size_t read = 0;
    char *remark = strstr(text, "   (");
    if (remark)
        *remark = '\0';
    char *label = strstr(text, ": ");
    char *left = label ? label + 2 : text;
    char *equal = strstr(left, " = ");
    Expr value;
    // What is too long to be printed cannot be pasted, and says so.
    if (equal && !strstr(text, "…")) {
        bool good = read_back(motion->pool, left, (size_t)(equal - left), &value) &&
                    read_back(motion->pool, equal + 3, strlen(equal + 3), &value);
        assert_true(good);
        read = 1;
    }
    free(text);
    return read;
}

// A block of equations begins with its heading.
static size_t heading_length(const char *line)
{
    static const char *const headings[] = {"so that", "states", "speeds", "conditions",
                                           "quantities"};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (strncmp(line, headings[i], strlen(headings[i])) == 0)
            return strlen(headings[i]);
    return 0;
}

static void assert_derivation(Motion *motion, const Show *show)
{
    static const char *const names[] = {"multipliers", "appell"};
    Form *forms[2];
    for (size_t i = 0; i < 2; i++) {
        FormKind kind;
        assert_true(form_find(str_of(names[i]), &kind));
        forms[i] = form_derive(kind, motion);
    }
    Text text = {0};
    show_derivation_text(show, forms, 2, false, &text);
    // Behind the names of the coordinates, lines hold equations or words.
    size_t equations = 0;
    for (const char *at = strstr(text.at, "\n\ncoordinates"); at && *at;) {
        const char *end = strchr(at, '\n');
        size_t length = end ? (size_t)(end - at) : strlen(at);
        size_t heading = heading_length(at);
        equations += assert_line(motion, at + heading, length - heading);
        at += length + (end != NULL);
    }
    assert_true(equations > 0);
    text_clear(&text);
    form_free(forms[0]);
    form_free(forms[1]);
}

// A model that this version cannot derive has no equations to print.
static size_t assert_model(const char *name)
{
    Text text = read_file(ZWANG_SOURCE_DIR "/models/", name, ".zw");
    Loaded loaded = load_text(name, text.at);
    bool derived = loaded.status == STATUS_OK;
    if (derived) {
        Show *show = show_new(loaded.motion);
        assert_expressions(loaded.motion, show);
        assert_derivation(loaded.motion, show);
        show_free(show);
    }
    unload(&loaded);
    text_clear(&text);
    return derived;
}

static void printed_equations_are_read_back(void **state)
{
    (void)state;
    const ModelNames *models = model_names(ZWANG_SOURCE_DIR "/models");
    size_t count = 0;
    for (size_t i = 0; i < models->count; i++)
        if (test_takes_model(i))
            count += assert_model(models->at[i]);
    assert_true(count >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(printed_equations_are_read_back)};
    return cmocka_run_group_tests_name("show/paste", tests, NULL, NULL);
}
