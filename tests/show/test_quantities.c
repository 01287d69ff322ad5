// Named quantities: each is defined once and before it is used, what a report writes with them
// is, with all of them put in, the expression that it stands for, and short reports have none.
#include "files.h"
#include "support.h"
#include "test_size.h"

#include "show/show.h"

// What a report says its names stand for.
typedef struct {
    ExprPool *pool;
    Motion *motion;
    ARRAY(Expr) symbols;
    ARRAY(Expr) values; // without names
    ARRAY(Expr) differences;
} Quantities;

static Expr read_text(ExprPool *pool, const char *text, size_t length)
{
    Source *source = source_new("printed", text, length);
    Diag *diag = diag_new();
    Expr value = {0};
    if (model_read_expression(pool, source, diag, &value) != STATUS_OK) {
        print_messages(diag);
        fail();
    }
    diag_free(diag);
    source_free(source);
    return value;
}

static Expr without_names(const Quantities *quantities, Expr e)
{
    return expr_replace(quantities->pool, e, quantities->symbols.at, quantities->values.at,
                        quantities->symbols.count);
}

// Whether a symbol is a name of this kind: a letter with a number that the model has not.
static bool is_name(const Quantities *quantities, Expr symbol, char letter)
{
    const char *name = expr_name(quantities->pool, symbol);
    return name[0] == letter && name[1] >= '0' && name[1] <= '9';
}

static bool is_defined(const Quantities *quantities, Expr symbol)
{
    for (size_t i = 0; i < quantities->symbols.count; i++)
        if (expr_same(quantities->symbols.at[i], symbol))
            return true;
    return false;
}

// Every name in e is defined already.
static void assert_defined(const Quantities *quantities, Expr e, char letter)
{
    ExprList symbols = expr_symbols(quantities->pool, &e, 1);
    for (size_t i = 0; i < symbols.count; i++) {
        Expr symbol = {symbols.at[i]};
        if (is_name(quantities, symbol, letter))
            assert_true(is_defined(quantities, symbol));
    }
    expr_list_free(&symbols);
}

static void define(Quantities *quantities, Expr symbol, Expr value, char letter)
{
    assert_true(expr_is_symbol(quantities->pool, symbol));
    assert_true(is_name(quantities, symbol, letter));
    assert_false(is_defined(quantities, symbol));
    assert_defined(quantities, value, letter);
    Expr written = without_names(quantities, value);
    array_push(&quantities->symbols, symbol);
    array_push(&quantities->values, written);
}

// What is written is what is meant: gathered with a symbol each, to be proved at once.
static void must_mean(Quantities *quantities, Expr written, Expr meant)
{
    ExprPool *pool = quantities->pool;
    Expr difference = expr_sub(pool, without_names(quantities, written), meant);
    Expr weight = expr_symbol_new(pool, "weight");
    array_push(&quantities->differences, expr_mul(pool, weight, difference));
}

static void assert_meant(const Quantities *quantities)
{
    Expr sum =
        expr_sum(quantities->pool, quantities->differences.at, quantities->differences.count);
    Verdict verdict = algebra_is_zero_modular(quantities->motion->algebra, sum);
    if (verdict.answer != ANSWER_YES)
        print_message("%s\n", verdict.reason ? verdict.reason : verdict.witness);
    assert_int_equal(verdict.answer, ANSWER_YES);
    verdict_clear(&verdict);
}

static void quantities_clear(Quantities *quantities)
{
    array_clear(&quantities->symbols);
    array_clear(&quantities->values);
    array_clear(&quantities->differences);
}

// ---- JSON. Its strings hold no quotes.

// The string behind the next `key`, read as an expression; *at is moved behind it.
static Expr next_expression(ExprPool *pool, const char **at, const char *key)
{
    const char *start = strstr(*at, key);
    assert_non_null(start);
    start += strlen(key);
    assert_int_equal(*start, '"');
    const char *end = strchr(++start, '"');
    *at = end;
    return read_text(pool, start, (size_t)(end - start));
}

static void read_json_quantities(Quantities *quantities, const char *json, char letter)
{
    const char *at = strstr(json, "\"quantities\":["), *end = strstr(at, "\"constraints\"");
    for (const char *next = strstr(at, "{\"name\":"); next && next < end;
         next = strstr(at, "{\"name\":")) {
        at = next;
        Expr symbol = next_expression(quantities->pool, &at, "\"name\":");
        Expr value = next_expression(quantities->pool, &at, "\"value\":");
        define(quantities, symbol, value, letter);
    }
}

static void read_json_form(Quantities *quantities, const char *json, const Form *form)
{
    Text key = {0};
    text_addf(&key, "\"%s\":{\"applies\":true", form_name(form->kind));
    const char *at = strstr(json, key.at);
    assert_non_null(at);
    for (size_t i = 0; i < form->functions.count; i++) {
        text_clear(&key);
        text_addf(&key, "\"%s\":", form->functions.at[i].name);
        Expr value = next_expression(quantities->pool, &at, key.at);
        must_mean(quantities, value, form->functions.at[i].value);
    }
    for (size_t i = 0; i < form->equations.count; i++) {
        const FormEquation *equation = &form->equations.at[i];
        Expr left = next_expression(quantities->pool, &at, "\"left\":");
        Expr right = next_expression(quantities->pool, &at, "\"right\":");
        must_mean(quantities, left, equation->left);
        must_mean(quantities, right, equation->right);
    }
    text_clear(&key);
}

// ---- Text: "  NAME = VALUE" and "  LABEL: LEFT = RIGHT".

static void read_text_form(Quantities *quantities, const char *text, const Form *form, char letter)
{
    Text heading = {0};
    text_addf(&heading, "\n%s: ", form_name(form->kind));
    const char *at = strstr(text, heading.at), *next;
    text_clear(&heading);
    assert_non_null(at);
    size_t equations = 0, functions = 0;
    for (at = strchr(at + 1, '\n') + 1; at[0] == ' '; at = next + 1) {
        next = strchr(at, '\n');
        const char *equal = strstr(at, " = "), *label = strstr(at, ": ");
        if (!equal || equal > next)
            continue;
        bool labelled = label && label < equal;
        if (labelled) {
            Expr left = read_text(quantities->pool, label + 2, (size_t)(equal - label - 2));
            Expr right = read_text(quantities->pool, equal + 3, (size_t)(next - equal - 3));
            const FormEquation *equation = &form->equations.at[equations++];
            assert_defined(quantities, left, letter);
            assert_defined(quantities, right, letter);
            must_mean(quantities, left, equation->left);
            must_mean(quantities, right, equation->right);
            continue;
        }
        Expr value = read_text(quantities->pool, equal + 3, (size_t)(next - equal - 3));
        bool quantity = at[2] == letter && strncmp(at + 3, "₁", 2) == 0;
        if (quantity)
            define(quantities, read_text(quantities->pool, at, (size_t)(equal - at)), value,
                   letter);
        else if (functions < form->functions.count)
            must_mean(quantities, value, form->functions.at[functions++].value);
    }
    assert_int_equal(equations, form->equations.count);
    assert_int_equal(functions, form->functions.count);
}

static void read_text_head(Quantities *quantities, const char *text, char letter)
{
    const char *end = strstr(text, "\nfreedom"), *at = strstr(text, "\nquantities");
    while (at && at < end) {
        const char *next = strchr(at + 1, '\n'), *equal = strstr(at, " = ");
        const char *name = at + strlen("\nquantities    ");
        define(quantities, read_text(quantities->pool, name, (size_t)(equal - name)),
               read_text(quantities->pool, equal + 3, (size_t)(next - equal - 3)), letter);
        at = next[1] == ' ' ? next : NULL;
    }
}

// ---- Models.

static Form *derived(const char *name, Motion *motion)
{
    FormKind kind;
    assert_true(form_find(str_of(name), &kind));
    return form_derive(kind, motion);
}

// Returns how many names the JSON and the text have.
static size_t assert_report(const char *text, const char *const *names, size_t count, char letter)
{
    Loaded loaded = load_text("long", text);
    assert_int_equal(loaded.status, STATUS_OK);
    Form *forms[4];
    for (size_t i = 0; i < count; i++)
        forms[i] = derived(names[i], loaded.motion);
    Show *show = show_new(loaded.motion);
    Text json = {0}, lines = {0};
    show_derivation_json(show, forms, count, false, &json);
    show_derivation_text(show, forms, count, false, &lines);
    assert_null(strstr(json.at, "null,\"right\""));
    assert_null(strstr(lines.at, "…"));
    Quantities in_json = {.pool = loaded.motion->pool, .motion = loaded.motion}, in_text = in_json;
    read_json_quantities(&in_json, json.at, letter);
    read_text_head(&in_text, lines.at, letter);
    for (size_t i = 0; i < count; i++) {
        if (forms[i]->reason)
            continue;
        read_json_form(&in_json, json.at, forms[i]);
        read_text_form(&in_text, lines.at, forms[i], letter);
    }
    assert_meant(&in_json);
    assert_meant(&in_text);
    size_t total = in_json.symbols.count + in_text.symbols.count;
    quantities_clear(&in_json);
    quantities_clear(&in_text);
    text_clear(&json);
    text_clear(&lines);
    show_free(show);
    for (size_t i = 0; i < count; i++)
        form_free(forms[i]);
    unload(&loaded);
    return total;
}

static size_t assert_gallery(const char *model, const char *const *names, size_t count, char letter)
{
    Text text = read_file(ZWANG_SOURCE_DIR "/models/", model, ".zw");
    size_t total = assert_report(text.at, names, count, letter);
    text_clear(&text);
    return total;
}

static void long_reports_mean_what_they_stand_for(void **state)
{
    (void)state;
    static const char *const bicycle[] = {"appell", "kane"};
    static const char *const rattleback[] = {"appell", "lagrange"};
    static const char *const cylinder[] = {"voronets", "kane", "multipliers"};
    const size_t all = test_size() > 1;
    assert_true(assert_gallery("bicycle", bicycle, 1 + all, 'z') > 0);
    assert_true(assert_gallery("rattleback", rattleback, 1 + all, 'z') > 0);
    assert_true(assert_gallery("cylinder", cylinder, 1 + 2 * all, 'w') > 0);
}

static void short_reports_have_no_names(void **state)
{
    (void)state;
    static const char *const models[] = {"hoop", "hoop_hamel", "blade", "cart", "top", "euler"};
    static const char *const forms[] = {"appell", "hamel"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        assert_int_equal(assert_gallery(models[i], forms, 2, 'z'), 0);
}

// The letter is one that the model has not: neither as a name nor with a number in an
// abbreviation.
static const char letters[] = "param g\nlet w1 = 2\ncoord z[4]\n"
                              "point P[0] = origin\n"
                              "for i in 1..4 {\n"
                              "  point P[i] = P[i-1] + [sin(z[i]), -w1*cos(z[i]), 0]\n"
                              "  mass i at P[i]\n"
                              "}\n"
                              "gravity [0, -g, 0]\n";

static void names_do_not_clash(void **state)
{
    (void)state;
    static const char *const forms[] = {"canonical"};
    assert_true(assert_report(letters, forms, 1, 'y') > 0);
}

// ---- Everything written out.

static Text report_of(const Loaded *loaded, const Form *form, bool expand)
{
    Show *show = show_new(loaded->motion);
    Text text = {0};
    Form *forms[] = {(Form *)form};
    if (expand)
        show_expand(show);
    show_derivation_text(show, forms, 1, false, &text);
    assert_true(show_unwritten(show) == 0);
    show_free(show);
    return text;
}

static void expanded_reports_have_no_names(void **state)
{
    (void)state;
    static const char *const models[] = {"hoop", "rattleback"};
    for (size_t i = 0; i < 2; i++) {
        Loaded loaded = load_model(models[i]);
        Form *form = derived("appell", loaded.motion);
        Text text = report_of(&loaded, form, true), usual = report_of(&loaded, form, false);
        assert_null(strstr(text.at, "…"));
        assert_null(strstr(text.at, "z₁"));
        assert_int_equal(strcmp(text.at, usual.at) == 0, i == 0);
        Quantities none = {.pool = loaded.motion->pool, .motion = loaded.motion};
        read_text_form(&none, text.at, form, 'z');
        assert_meant(&none);
        quantities_clear(&none);
        text_clear(&text);
        text_clear(&usual);
        form_free(form);
        unload(&loaded);
    }
}

static void what_cannot_be_held_is_not_written(void **state)
{
    (void)state;
    Loaded loaded = load_model("bicycle");
    Form *form = derived("appell", loaded.motion);
    Show *show = show_new(loaded.motion);
    Text text = {0};
    show_expand(show);
    show_derivation_text(show, &form, 1, false, &text);
    assert_true(show_unwritten(show) > 1e6);
    assert_int_equal(text.length, 0);
    text_clear(&text);
    show_free(show);
    form_free(form);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_reports_mean_what_they_stand_for),
        cmocka_unit_test(short_reports_have_no_names),
        cmocka_unit_test(names_do_not_clash),
        cmocka_unit_test(expanded_reports_have_no_names),
        cmocka_unit_test(what_cannot_be_held_is_not_written),
    };
    return cmocka_run_group_tests_name("show/quantities", tests, NULL, NULL);
}
