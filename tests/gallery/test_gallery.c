// test_gallery.c: every model of the gallery does what it says of itself. README.md beside this
// file says how a model does so.
#include "expectations.h"
#include "files.h"
#include "simulate/run_report.h"

#include "dynamics/hidden/hidden_conditions.h"
#include "inquiry/inquiry.h"
#include "model/model_equation.h"
#include "simulate/simulate.h"

#include <dirent.h>
#include <flint/flint.h>
#include <unistd.h>

// ---- Models as files.

static char *read_whole(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s/%s.zw", ZWANG_SOURCE_DIR, folder, name);
    if (access(path, F_OK) != 0)
        return NULL;
    snprintf(path, sizeof path, "%s/%s/", ZWANG_SOURCE_DIR, folder);
    return read_file(path, name, ".zw").at;
}

// ---- A model under one part's settings, as far as it gets, and its rows.

typedef struct {
    const char *name;
    Text text;
    Source *source;
    ARRAY(Source *) set;
    Diag *diag;
    Model *model;
    Motion *motion;
    Simulation *run;
    Status status;
    size_t columns;
    ARRAY(double) rows;
    ARRAY(RunEvent) events; // without their velocities
} Case;

static void case_read(Case *kase)
{
    ARRAY(ModelSetting) settings = {0};
    for (size_t i = 0; i < kase->set.count; i++)
        array_push(&settings, (ModelSetting){kase->set.at[i]});
    kase->diag = diag_new();
    kase->source = source_new(kase->name, kase->text.at, kase->text.length);
    kase->status = model_read(kase->source, settings.at, settings.count, kase->diag, &kase->model);
    if (kase->status == STATUS_OK)
        kase->status = hidden_motion_new(kase->model, false, kase->diag, &kase->motion);
    array_clear(&settings);
}

static Case case_of_part(const Expectations *in, size_t part)
{
    Case kase = {.name = in->name};
    for (size_t i = 0; i < in->all.count; i++) {
        const Expectation *one = &in->all.at[i];
        if (one->kind == EXPECT_WITH && one->part == part)
            array_push(&kase.set, source_new("with", one->text, strlen(one->text)));
    }
    expectations_rewrite(in, part, &kase.text);
    case_read(&kase);
    return kase;
}

static bool keep_row(void *context, const double *row)
{
    Case *kase = context;
    for (size_t i = 0; i < kase->columns; i++)
        array_push(&kase->rows, row[i]);
    return true;
}

static void keep_event(void *context, const RunEvent *event)
{
    Case *kase = context;
    array_push(&kase->events, *event);
}

static void case_run(Case *kase, const RunOptions *options)
{
    RunListener listener = {.row = keep_row, .event = keep_event, .context = kase};
    RunSummary summary;
    if (kase->status == STATUS_OK)
        kase->status = run_new(kase->motion, options, kase->diag, &kase->run);
    if (kase->status != STATUS_OK)
        return;
    kase->columns = run_column_count(kase->run);
    kase->status = run_go(kase->run, &listener, kase->diag, &summary);
}

static void case_clear(Case *kase)
{
    run_free(kase->run);
    motion_free(kase->motion);
    model_free(kase->model);
    source_free(kase->source);
    for (size_t i = 0; i < kase->set.count; i++)
        source_free(kase->set.at[i]);
    diag_free(kase->diag);
    text_clear(&kase->text);
    array_clear(&kase->set);
    array_clear(&kase->rows);
    array_clear(&kase->events);
}

static void case_must_be_good(const Case *kase)
{
    if (kase->status == STATUS_OK)
        return;
    print_error("models/%s.zw does not get through:\n", kase->name);
    print_messages(kase->diag);
    fail();
}

static size_t column_of(const Case *kase, const char *name)
{
    for (size_t i = 0; i < kase->columns; i++)
        if (strcmp(run_column_name(kase->run, i), name) == 0)
            return i;
    print_error("models/%s.zw: no column %s\n", kase->name, name);
    fail();
    return 0;
}

// ---- What is expected of the equations.

typedef struct {
    const Expectations *in;
    Case *kase;
    Form *forms[FORM_COUNT]; // derived on first use
} Desk;

static Form *desk_form(Desk *desk, FormKind kind)
{
    if (!desk->forms[kind])
        desk->forms[kind] = form_derive(kind, desk->kase->motion);
    return desk->forms[kind];
}

static void must(const Desk *desk, const Expectation *one, bool holds, const char *why)
{
    if (!holds)
        expectation_wrong(desk->in, one, why);
}

static void must_be_yes(const Desk *desk, const Expectation *one, Verdict verdict)
{
    if (verdict.answer == ANSWER_NO)
        print_error("not equal, for example where %s\n", verdict.witness ? verdict.witness : "");
    if (verdict.answer == ANSWER_UNKNOWN)
        print_error("not decided: %s\n", verdict.reason);
    must(desk, one, verdict.answer == ANSWER_YES, "this is not so");
    verdict_clear(&verdict);
}

// The expected equation, read as the program reads one that is asked about.
static Expr expected_residual(Desk *desk, const Expectation *one)
{
    Case *kase = desk->kase;
    Text text = {0};
    text_addf(&text, "%s = %s", one->left, one->right);
    Source *source = source_new(one->label, text.at, text.length);
    InquiryQuantities *quantities = inquiry_quantities_new(kase->motion);
    ModelQuantities names = inquiry_quantities_names(quantities);
    ModelEquation equation;
    uint32_t at = 0;
    bool read = model_read_equation(kase->model, source, &at, &names, kase->diag, &equation) &&
                !expr_is_none(equation.left);
    if (!read)
        print_messages(kase->diag);
    must(desk, one, read, "it cannot be read");
    Expr residual = inquiry_quantities_put(
        quantities, expr_sub(kase->motion->pool, equation.left, equation.right));
    inquiry_quantities_free(quantities);
    source_free(source);
    text_clear(&text);
    return residual;
}

// It follows from the motion, and is this form's equation, not only a multiple of it.
static void verify_equation(Desk *desk, const Expectation *one)
{
    FormKind kind;
    Motion *motion = desk->kase->motion;
    must(desk, one, form_find(str_of(one->form), &kind), "unknown form");
    const Form *form = desk_form(desk, kind);
    must(desk, one, !form->reason, form->reason);
    size_t index = 0;
    while (index < form->equations.count &&
           strcmp(form->equations.at[index].label, one->label) != 0)
        index++;
    must(desk, one, index < form->equations.count, "there is no equation for this");
    Expr residual = expected_residual(desk, one), factor;
    InquiryEquation found;
    inquiry_equation(motion, residual, &found);
    must_be_yes(desk, one, found.verdict);
    found.verdict = (Verdict){0};
    inquiry_equation_clear(&found);
    must_be_yes(desk, one, inquiry_equation_is(motion, residual, form, index, &factor));
    must(desk, one, expr_same(factor, expr_int(motion->pool, 1)),
         "it is this form's equation times a factor");
}

// An expression of another model, in the symbols of the same names.
static Expr translate(ExprPool *pool, const ExprPool *from, Expr e)
{
    Text text = {0};
    Expr here = {0};
    if (expr_is_none(e))
        return e;
    Diag *diag = diag_new();
    expr_print(from, e, &text);
    Source *source = source_new("other", text.at, text.length);
    assert_int_equal(model_read_expression(pool, source, diag, &here), STATUS_OK);
    source_free(source);
    diag_free(diag);
    text_clear(&text);
    return here;
}

static Case case_of_other(const char *name)
{
    Case kase = {.name = name};
    kase.text.at = read_whole("models", name);
    if (!kase.text.at)
        kase.text.at = read_whole("tests/gallery/twins", name);
    if (!kase.text.at)
        fail_msg("there is no model %s", name);
    kase.text.length = strlen(kase.text.at);
    kase.text.capacity = kase.text.length + 1;
    return kase;
}

static void verify_equations_like(Desk *desk, const Expectation *one)
{
    Motion *motion = desk->kase->motion;
    Case other = case_of_other(one->text);
    case_read(&other);
    case_must_be_good(&other);
    Form *there = form_derive(FORM_APPELL, other.motion);
    Form *here = form_derive(FORM_APPELL, motion); // to be filled with what is there
    must(desk, one, here->equations.count == there->equations.count, "it has other equations");
    for (size_t i = 0; i < here->equations.count; i++) {
        FormEquation *to = &here->equations.at[i];
        const FormEquation *from = &there->equations.at[i];
        must(desk, one, strcmp(to->label, from->label) == 0, "it has other speeds");
        to->left = translate(motion->pool, other.motion->pool, from->left);
        to->right = translate(motion->pool, other.motion->pool, from->right);
        to->residual = translate(motion->pool, other.motion->pool, from->residual);
    }
    must_be_yes(desk, one, inquiry_forms_agree(motion, desk_form(desk, FORM_APPELL), here));
    form_free(here);
    form_free(there);
    case_clear(&other);
}

static void verify_aside(Desk *desk, const Expectation *one)
{
    const Motion *motion = desk->kase->motion;
    Text names = {0};
    text_add(&names, "");
    for (size_t i = 0; i < motion->aside.count; i++)
        text_addf(&names, "%s%s", i ? ", " : "", motion->aside.at[i].constraint->name);
    if (strcmp(names.at, one->text) != 0)
        print_error("set aside: %s\n", names.at);
    must(desk, one, strcmp(names.at, one->text) == 0, "other conditions are set aside");
    text_clear(&names);
}

// Every form that applies gives the same motion as the first that does.
static void prove_forms(Desk *desk)
{
    const Form *first = NULL;
    for (FormKind kind = 0; kind < FORM_COUNT; kind++) {
        const Form *form = desk_form(desk, kind);
        if (form->reason)
            continue;
        if (!first) {
            first = form;
            continue;
        }
        Verdict verdict = inquiry_forms_agree(desk->kase->motion, first, form);
        if (verdict.answer != ANSWER_YES)
            print_error("models/%s.zw: %s and %s do not agree: %s\n", desk->in->name,
                        form_name(first->kind), form_name(kind),
                        verdict.reason ? verdict.reason : "");
        assert_int_equal(verdict.answer, ANSWER_YES);
        verdict_clear(&verdict);
    }
    assert_non_null(first);
}

// ---- What is expected of the motion.

static void must_be_near(const Desk *desk, const Expectation *one, double t, double value,
                         double expected)
{
    if (fabs(value - expected) <= one->within)
        return;
    print_error("at t = %.6g: %.17g is not within %g of %.17g, but %.3g off\n", t, value,
                one->within, expected, value - expected);
    expectation_wrong(desk->in, one, "this is not so");
}

static void verify_rows(const Desk *desk, const Expectation *one)
{
    const Case *kase = desk->kase;
    char name[32];
    output_name(one, name, sizeof name);
    size_t column = column_of(kase, name), seen = 0;
    size_t energy = one->energy ? column_of(kase, "energy") : 0;
    double first = NAN;
    for (size_t row = 0; row < kase->rows.count; row += kase->columns) {
        const double *at = &kase->rows.at[row];
        if (!isnan(one->at) && fabs(at[0] - one->at) > 1e-12)
            continue;
        double value = at[column] + (one->energy ? at[energy] : 0);
        if (seen++ == 0)
            first = value;
        must_be_near(desk, one, at[0], value, one->kind == EXPECT_CONSERVED ? first : 0);
    }
    must(desk, one, seen > 0, "the run has no row at this time");
}

// Event K of the run, and the row after it.
static void verify_event(const Desk *desk, const Expectation *one)
{
    const Case *kase = desk->kase;
    size_t number = strtoul(one->form, NULL, 10);
    must(desk, one, number >= 1 && number <= kase->events.count, "the run has no such event");
    const RunEvent *event = &kase->events.at[number - 1];
    char told[80], name[32];
    const char *of = event->constraint ? event->constraint->name : event->event;
    snprintf(told, sizeof told, "%s%s%s", run_event_name(event->kind), of ? " " : "", of ? of : "");
    if (strcmp(told, one->label) != 0)
        print_error("the event is: %s\n", told);
    must(desk, one, strcmp(told, one->label) == 0, "it is another event");
    output_name(one, name, sizeof name);
    size_t column = column_of(kase, name);
    const double *row = NULL;
    for (size_t i = 0; i < kase->rows.count; i += kase->columns)
        if (kase->rows.at[i] == event->t)
            row = &kase->rows.at[i];
    must(desk, one, row != NULL, "the event has no row");
    must_be_near(desk, one, event->t, row[column], 0);
}

// The instant at the start, which a model with one-sided conditions has too.
static void verify_at(const Desk *desk, const Expectation *one)
{
    Case *kase = desk->kase;
    RunOptions options = run_options();
    options.instant = true;
    if (!kase->run)
        kase->status = run_new(kase->motion, &options, kase->diag, &kase->run);
    case_must_be_good(kase);
    kase->columns = run_column_count(kase->run);
    char name[32];
    output_name(one, name, sizeof name);
    must_be_near(desk, one, 0, run_start(kase->run).row[column_of(kase, name)], 0);
}

// The other model with this one's times, and the right sides as outputs.
static Case run_other(const Desk *desk, const char *name)
{
    Case other = case_of_other(name);
    text_add_char(&other.text, '\n');
    for (size_t i = 0; i < desk->in->all.count; i++) {
        const Expectation *one = &desk->in->all.at[i];
        if (one->kind == EXPECT_LIKE && strcmp(one->other, name) == 0)
            text_addf(&other.text, "output line%zu = %s\n", one->line, one->right);
    }
    case_read(&other);
    RunOptions options = run_settings(desk->kase->run);
    case_run(&other, &options);
    case_must_be_good(&other);
    return other;
}

static void verify_like(const Desk *desk, const Expectation *one, const Case *other)
{
    char name[32];
    output_name(one, name, sizeof name);
    const Case *own = desk->kase;
    size_t here = column_of(own, name), there = column_of(other, name);
    size_t rows = own->rows.count / own->columns;
    must(desk, one, rows == other->rows.count / other->columns, "the runs have other rows");
    for (size_t i = 0; i < rows; i++) {
        const double *row = &own->rows.at[i * own->columns];
        must_be_near(desk, one, row[0], row[here], other->rows.at[i * other->columns + there]);
    }
}

// All lines of a part that speak of one other model are verified with one run of it.
static void verify_all_like(const Desk *desk, size_t first)
{
    const Expectation *one = &desk->in->all.at[first];
    for (size_t i = 0; i < first; i++) {
        const Expectation *before = &desk->in->all.at[i];
        if (before->kind == EXPECT_LIKE && before->part == one->part &&
            strcmp(before->other, one->other) == 0)
            return;
    }
    Case other = run_other(desk, one->other);
    for (size_t i = first; i < desk->in->all.count; i++) {
        const Expectation *next = &desk->in->all.at[i];
        if (next->kind == EXPECT_LIKE && next->part == one->part &&
            strcmp(next->other, one->other) == 0)
            verify_like(desk, next, &other);
    }
    case_clear(&other);
}

// ---- A part, a model, the gallery.

static bool is_of_motion(const Expectation *one)
{
    return one->kind == EXPECT_MOTION || one->kind == EXPECT_CONSERVED ||
           one->kind == EXPECT_LIKE || one->kind == EXPECT_EVENT;
}

static void verify(Desk *desk, size_t index)
{
    const Expectation *one = &desk->in->all.at[index];
    switch (one->kind) {
    case EXPECT_FREEDOM:
        must(desk, one, desk->kase->motion->k == strtoul(one->text, NULL, 10),
             "it has other degrees of freedom");
        break;
    case EXPECT_ASIDE: verify_aside(desk, one); break;
    case EXPECT_EQUATION: verify_equation(desk, one); break;
    case EXPECT_EQUATIONS_LIKE: verify_equations_like(desk, one); break;
    case EXPECT_LIKE: verify_all_like(desk, index); break;
    case EXPECT_AT: verify_at(desk, one); break;
    case EXPECT_EVENT: verify_event(desk, one); break;
    case EXPECT_MOTION:
    case EXPECT_CONSERVED: verify_rows(desk, one); break;
    default: break;
    }
}

static void verify_part(const Expectations *in, size_t part)
{
    Case kase = case_of_part(in, part);
    Desk desk = {.in = in, .kase = &kase};
    bool moves = false;
    for (size_t i = 0; i < in->all.count; i++)
        moves = moves || (in->all.at[i].part == part && is_of_motion(&in->all.at[i]));
    RunOptions options = run_options();
    if (moves)
        case_run(&kase, &options);
    case_must_be_good(&kase);
    if (part == 0)
        prove_forms(&desk);
    for (size_t i = 0; i < in->all.count; i++)
        if (in->all.at[i].part == part)
            verify(&desk, i);
    for (FormKind kind = 0; kind < FORM_COUNT; kind++)
        if (desk.forms[kind])
            form_free(desk.forms[kind]);
    case_clear(&kase);
}

// What cannot be used says so.
static bool verify_says(const Expectations *in)
{
    for (size_t i = 0; i < in->all.count; i++) {
        const Expectation *one = &in->all.at[i];
        if (one->kind != EXPECT_SAYS)
            continue;
        Case kase = case_of_part(in, one->part);
        RunOptions options = run_options();
        case_run(&kase, &options);
        assert_int_equal(kase.status, STATUS_WRONG);
        Text said = {0};
        text_add(&said, "");
        diag_render(kase.diag, DIAG_ERROR, &said);
        if (!strstr(said.at, one->text)) {
            print_error("%s", said.at);
            expectation_wrong(in, one, "other things are said");
        }
        text_clear(&said);
        case_clear(&kase);
        return true;
    }
    return false;
}

static void verify_model(const char *name)
{
    char *text = read_whole("models", name);
    assert_non_null(text);
    Expectations in = expectations_read(name, text);
    if (in.all.count == 0)
        fail_msg("models/%s.zw says nothing of what is expected of it", name);
    if (!verify_says(&in))
        for (size_t part = 0; part < in.parts; part++)
            verify_part(&in, part);
    expectations_clear(&in);
    base_free(text);
}

static void test_model(void **state)
{
    verify_model(*state);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum { MOST_MODELS = 200 };

// The names of all models, without ending, sorted.
static size_t list_models(char **names)
{
    DIR *folder = opendir(ZWANG_SOURCE_DIR "/models");
    size_t count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder)) && count < MOST_MODELS;) {
        size_t length = strlen(entry->d_name);
        if (length > 3 && strcmp(entry->d_name + length - 3, ".zw") == 0)
            names[count++] = strndup(entry->d_name, length - 3);
    }
    if (folder)
        closedir(folder);
    qsort(names, count, sizeof *names, by_name);
    return count;
}

// One test a model; a name on the command line asks for that model alone.
int main(int count, char **words)
{
    char *names[MOST_MODELS];
    struct CMUnitTest tests[MOST_MODELS] = {0};
    size_t models = list_models(names), chosen = 0;
    for (size_t i = 0; i < models; i++)
        if (count < 2 || strcmp(words[1], names[i]) == 0)
            tests[chosen++] = (struct CMUnitTest){
                .name = names[i], .test_func = test_model, .initial_state = names[i]};
    int failed = chosen == 0 || _cmocka_run_group_tests("gallery", tests, chosen, NULL, NULL);
    for (size_t i = 0; i < models; i++)
        free(names[i]);
    flint_cleanup();
    return failed;
}
