// keeps.c: reads what is to be kept of every run.
#include "base/diag.h"
#include "base/strings.h"
#include "base/text_builder.h"
#include "ensemble/keeps_impl.h"
#include "expr/arithmetic.h"
#include "expr/expr.h"
#include "model/model.h"
#include "program/program.h"
#include "simulate/run_report.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

typedef struct {
    const Source *source;
    const KeepNames *names;
    Diag *diag;
    KeepPlan *plan;
} Reader;

static const struct {
    const char *word;
    KeepKind kind;
} kinds[] = {
    {"max", KEEP_MAX},   {"min", KEEP_MIN},     {"mean", KEEP_MEAN},
    {"last", KEEP_LAST}, {"count", KEEP_COUNT}, {"section", KEEP_AT_EVENT},
};

static Place place_of(const Reader *reader, Str word)
{
    return place_with_hint(place_at(reader->source, (uint32_t)(word.at - reader->source->at),
                                    (uint32_t)(word.length ? word.length : 1)),
                           HINT_KEEP);
}

// What stands in the parentheses of word(…); false where it is written otherwise.
static bool inside(Str text, const char *word, Str *argument)
{
    size_t length = strlen(word);
    if (text.length < length + 2 || memcmp(text.at, word, length) != 0 || text.at[length] != '(' ||
        text.at[text.length - 1] != ')')
        return false;
    *argument = str_trim((Str){text.at + length + 1, text.length - length - 2});
    return true;
}

static const char *copy(const Reader *reader, Str text)
{
    return arena_copy_text(reader->plan->arena, text.at, text.length);
}

static void add_number(const Reader *reader, Str word, KeepNumber number)
{
    number.name = copy(reader, word);
    array_push(&reader->plan->numbers, number);
}

// ---- Events.

static Status find_event(const Reader *reader, Str word, const char **event)
{
    const KeepNames *names = reader->names;
    Text known = {0};
    bool found = false;
    for (size_t i = 0; i < RUN_EVENT_COUNT; i++)
        found = found || str_is(word, run_event_name((RunEventKind)i));
    for (size_t i = 0; i < names->label_count; i++) {
        found = found || str_is(word, names->labels[i]);
        text_addf(&known, "%s%s", i ? ", " : "; this model has ", names->labels[i]);
    }
    *event = copy(reader, word);
    Status status = STATUS_OK;
    if (!found)
        status = diag_error(reader->diag, place_of(reader, word),
                            "'%s' is no kind of event (impact, contact, release, …), no event and "
                            "no condition%s",
                            *event, known.at ? known.at : "");
    text_clear(&known);
    return status;
}

// ---- Derivatives.

// diff(x, m) without its spaces.
static void put_plain(Str word, Text *plain)
{
    plain->length = 0;
    text_add(plain, "");
    for (size_t i = 0; i < word.length; i++)
        if (!isspace((unsigned char)word.at[i]))
            text_add_char(plain, word.at[i]);
}

static bool is_listed(const Text *names, Str name)
{
    for (const char *at = names->at; at && *at; at += strcspn(at, ",") + (strchr(at, ',') != NULL))
        if (str_equal((Str){at, strcspn(at, ",")}, name))
            return true;
    return false;
}

void keep_diff_names(const char *wanted, Text *names)
{
    static const char word[] = "diff(", start[] = "(0)";
    for (const char *at = wanted; at && (at = strstr(at, word)); at++) {
        const char *comma = NULL, *end = at + sizeof word - 1;
        for (int depth = 1; *end && depth > 0; end++) {
            depth += (*end == '(') - (*end == ')');
            comma = *end == ',' && depth == 1 ? end : comma;
        }
        if (!comma)
            continue;
        Str name = str_trim((Str){comma + 1, (size_t)(end - comma) - 2});
        size_t tail = sizeof start - 1;
        if (name.length > tail && memcmp(name.at + name.length - tail, start, tail) == 0)
            name.length -= tail;
        if (is_listed(names, name))
            continue;
        text_add(names, names->length ? "," : "");
        text_add_str(names, name);
    }
}

// ---- Functions of a row.

// In an expression a derivative is one name, diff_7 of diff(x,m) in column 7.
static void put_symbol(const char *column, size_t i, Text *symbol)
{
    if (strncmp(column, "diff(", 5) == 0)
        text_addf(symbol, "diff_%zu", i);
    else
        text_add(symbol, column);
}

static size_t find_column(const KeepNames *names, Str word)
{
    Text plain = {0};
    size_t i = 0;
    put_plain(word, &plain);
    while (i < names->column_count && strcmp(plain.at, names->columns[i]) != 0)
        i++;
    text_clear(&plain);
    return i;
}

// The symbol of the name in the pool, as expressions have it.
static void make_inputs(const Reader *reader, ExprPool *pool, Expr *inputs)
{
    const KeepNames *names = reader->names;
    for (size_t i = 0; i < names->param_count; i++)
        inputs[i] = expr_symbol(pool, names->params[i]);
    for (size_t i = 0; i < names->column_count; i++) {
        Text symbol = {0};
        put_symbol(names->columns[i], i, &symbol);
        inputs[names->param_count + i] = expr_symbol(pool, symbol.at);
        text_clear(&symbol);
    }
}

static Status unknown_name(const Reader *reader, Str word, const char *name)
{
    const KeepNames *names = reader->names;
    Str *known = base_alloc((names->column_count + 1) * sizeof *known);
    for (size_t i = 0; i < names->column_count; i++)
        known[i] = str_of(names->columns[i]);
    ptrdiff_t nearest = str_nearest(str_of(name), known, names->column_count);
    Status status =
        nearest >= 0
            ? diag_error(reader->diag, place_of(reader, word),
                         "the run has no column '%s'; did you mean '%s'?", name, known[nearest].at)
            : diag_error(reader->diag, place_of(reader, word),
                         "the run has no column '%s', and the model no parameter", name);
    base_free(known);
    return status;
}

// Puts a name, as long as it was, for every derivative in the text.
static Status name_derivatives(const Reader *reader, char *text)
{
    for (char *at = text; (at = strstr(at, "diff(")); at++) {
        char *end = at + 5;
        for (int depth = 1; *end && depth > 0; end++)
            depth += (*end == '(') - (*end == ')');
        Str word = {at, (size_t)(end - at)};
        size_t column = find_column(reader->names, word);
        Text symbol = {0};
        put_symbol("diff(", column, &symbol);
        bool found = column < reader->names->column_count && symbol.length <= word.length;
        if (!found)
            diag_error(reader->diag, place_hint(HINT_KEEP), "the run has no column '%.*s'",
                       (int)word.length, word.at);
        memset(at, ' ', found ? word.length : 0);
        memcpy(at, symbol.at, found ? symbol.length : 0);
        text_clear(&symbol);
        if (!found)
            return STATUS_WRONG;
    }
    return STATUS_OK;
}

// An expression with what columns are by the model in their place; of what cannot be read, as the
// tables of the model, the column stays.
static Expr define_columns(const Reader *reader, ExprPool *pool, const Expr *columns, Expr value)
{
    const KeepNames *names = reader->names;
    for (size_t i = 0; i < names->column_count; i++) {
        const char *text = names->definitions[i];
        Expr definition;
        if (!text || !expr_holds(pool, value, columns[i]))
            continue;
        Diag *unheard = diag_new();
        Source *source = source_new("definition", text, strlen(text));
        if (model_read_expression(pool, source, unheard, &definition) == STATUS_OK)
            value = expr_replace(pool, value, &columns[i], &definition, 1);
        source_free(source);
        diag_free(unheard);
    }
    return value;
}

// In the pool, whose symbols of inputs are made.
static void add_guides(const Reader *reader, ExprPool *pool, const Expr *inputs, Expr value)
{
    size_t params = reader->names->param_count, count = params + reader->names->column_count;
    value = define_columns(reader, pool, inputs + params, value);
    keep_guides_add(reader->plan, pool, inputs, count, value);
}

static Status lower(const Reader *reader, Str word, KeepFunction *function)
{
    const KeepNames *names = reader->names;
    size_t count = names->param_count + names->column_count;
    // At the same place of a line of its own.
    size_t start = (size_t)(word.at - reader->source->at), end = start + word.length;
    char *line = arena_copy_text(reader->plan->arena, reader->source->at, end);
    memset(line, ' ', start);
    TRY(name_derivatives(reader, line + start));
    Source *source = source_new(reader->source->name, line, end);
    ExprPool *pool = expr_pool_new();
    Expr *inputs = base_alloc((count + 1) * sizeof *inputs), value, missing;
    size_t known = diag_total(reader->diag);
    Status status = model_read_expression(pool, source, reader->diag, &value);
    make_inputs(reader, pool, inputs);
    if (status == STATUS_OK) {
        function->program = program_new(pool, inputs, count, &value, 1, &missing);
        if (function->program)
            add_guides(reader, pool, inputs, value);
        else
            status = unknown_name(reader, word, expr_name(pool, missing));
    }
    base_free(inputs);
    expr_pool_free(pool);
    if (diag_total(reader->diag) == known)
        source_free(source); // else messages point into it
    return status;
}

// What the model says of a column tells where it is narrow.
static void add_column_guides(const Reader *reader, size_t column)
{
    const KeepNames *names = reader->names;
    if (!names->definitions[column])
        return;
    ExprPool *pool = expr_pool_new();
    Expr *inputs = base_alloc((names->param_count + names->column_count + 1) * sizeof *inputs);
    make_inputs(reader, pool, inputs);
    add_guides(reader, pool, inputs, inputs[names->param_count + column]);
    base_free(inputs);
    expr_pool_free(pool);
}

// A function is there once, however often it is asked for.
static Status find_function(const Reader *reader, Str word, size_t *function)
{
    KeepPlan *plan = reader->plan;
    const KeepNames *names = reader->names;
    KeepFunction made = {.word = copy(reader, word)};
    for (*function = 0; *function < plan->functions.count; ++*function)
        if (str_is(word, plan->functions.at[*function].word))
            return STATUS_OK;
    made.column = find_column(names, word);
    if (word.length == 0)
        return diag_error(reader->diag, place_of(reader, word), "of what? Name a column");
    if (made.column == names->column_count)
        TRY(lower(reader, word, &made));
    else
        add_column_guides(reader, made.column);
    array_push(&plan->functions, made);
    return STATUS_OK;
}

// ---- One word.

static void add_final(const Reader *reader)
{
    // Its t is that of the run's end.
    for (size_t i = 1; i < reader->names->column_count; i++)
        add_number(reader, str_of(reader->names->columns[i]),
                   (KeepNumber){.kind = KEEP_FINAL, .of = i});
}

static void add_list(const Reader *reader, Str word, KeepListKind kind, const char *event)
{
    static const char *const of_events[KEEP_EVENT_WIDTH] = {"time", "kind", "name", "impulse",
                                                            "energy_lost"};
    const KeepNames *names = reader->names;
    KeepPlan *plan = reader->plan;
    bool events = kind == KEEP_EVENTS;
    size_t width = events ? KEEP_EVENT_WIDTH + names->diff_count : names->column_count;
    const char **columns = arena_array(plan->arena, const char *, width + 1);
    for (size_t i = 0; i < width; i++) {
        Text title = {0};
        if (events && i >= KEEP_EVENT_WIDTH)
            text_addf(&title, "diff(t,%s)", names->diffs[i - KEEP_EVENT_WIDTH]);
        else
            text_add(&title, events ? of_events[i] : i == 0 ? "time" : names->columns[i]);
        columns[i] = copy(reader, (Str){title.at, title.length});
        text_clear(&title);
    }
    KeepList list = {.kind = kind,
                     .word = copy(reader, word),
                     .event = event,
                     .width = width,
                     .columns = columns};
    array_push(&plan->lists, list);
}

static Status read_function(const Reader *reader, Str word, KeepKind kind, Str argument)
{
    KeepNumber number = {.kind = kind};
    if (kind == KEEP_COUNT || kind == KEEP_AT_EVENT)
        TRY(find_event(reader, argument, &number.event));
    else
        TRY(find_function(reader, argument, &number.of));
    if (kind == KEEP_AT_EVENT)
        add_list(reader, word, KEEP_SECTION, number.event);
    else
        add_number(reader, word, number);
    return STATUS_OK;
}

static Status read_word(const Reader *reader, Str word)
{
    Str argument;
    if (str_is(word, "final"))
        return add_final(reader), STATUS_OK;
    if (str_is(word, "rows"))
        return add_list(reader, word, KEEP_ROWS, NULL), STATUS_OK;
    if (str_is(word, "events"))
        return add_list(reader, word, KEEP_EVENTS, NULL), STATUS_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (inside(word, kinds[i].word, &argument))
            return read_function(reader, word, kinds[i].kind, argument);
    if (inside(word, "diff", &argument))
        return read_function(reader, word, KEEP_LAST, word);
    Str of;
    if (inside(word, "time", &argument) && inside(argument, "max", &of))
        return read_function(reader, word, KEEP_TIME_MAX, of);
    if (inside(word, "time", &argument) && inside(argument, "min", &of))
        return read_function(reader, word, KEEP_TIME_MIN, of);
    return diag_error(reader->diag, place_of(reader, word),
                      "'%.*s' is nothing that can be kept; there are final, rows, events, max(x), "
                      "min(x), mean(x), last(x), time(max(x)), count(impact), section(EVENT) and "
                      "diff(x,m)",
                      (int)word.length, word.at);
}

static Status refuse_twice(const Reader *reader)
{
    const KeepPlan *plan = reader->plan;
    for (size_t i = 0; i < plan->numbers.count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(plan->numbers.at[i].name, plan->numbers.at[j].name) == 0)
                return diag_error(reader->diag, place_hint(HINT_KEEP), "'%s' is kept twice",
                                  plan->numbers.at[i].name);
    for (size_t i = 0; i < plan->lists.count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(plan->lists.at[i].word, plan->lists.at[j].word) == 0)
                return diag_error(reader->diag, place_hint(HINT_KEEP), "'%s' is kept twice",
                                  plan->lists.at[i].word);
    return STATUS_OK;
}

static Status read_words(const Reader *reader)
{
    const Source *source = reader->source;
    size_t start = 0;
    int depth = 0;
    for (size_t at = 0; at <= source->length; at++) {
        char c = at < source->length ? source->at[at] : ',';
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        if (c != ',' || (depth > 0 && at < source->length))
            continue;
        TRY(read_word(reader, str_trim((Str){source->at + start, at - start})));
        start = at + 1;
    }
    return refuse_twice(reader);
}

static void keep_names(KeepPlan *plan, const KeepNames *names)
{
    plan->columns = arena_array(plan->arena, const char *, names->column_count + 1);
    plan->labels = arena_array(plan->arena, const char *, names->label_count + 1);
    plan->column_count = names->column_count;
    plan->label_count = names->label_count;
    plan->param_count = names->param_count;
    for (size_t i = 0; i < names->column_count; i++)
        plan->columns[i] =
            arena_copy_text(plan->arena, names->columns[i], strlen(names->columns[i]));
    for (size_t i = 0; i < names->label_count; i++)
        plan->labels[i] = arena_copy_text(plan->arena, names->labels[i], strlen(names->labels[i]));
}

static void find_read_by(KeepPlan *plan, const Program *program)
{
    size_t begins[2], *inputs = program_depends(program, begins);
    for (size_t k = begins[0]; k < begins[1]; k++)
        if (inputs[k] >= plan->param_count)
            plan->read[inputs[k] - plan->param_count] = true;
    base_free(inputs);
}

static void find_read(KeepPlan *plan)
{
    plan->read = arena_array(plan->arena, bool, plan->column_count + 1);
    for (size_t i = 0; i < plan->functions.count; i++) {
        const KeepFunction *function = &plan->functions.at[i];
        if (function->program)
            find_read_by(plan, function->program);
        else
            plan->read[function->column] = true;
    }
    for (size_t i = 0; i < plan->guides.count; i++)
        find_read_by(plan, plan->guides.at[i].program);
}

Status keep_plan_new(const Source *wanted, const KeepNames *names, Diag *diag, KeepPlan **out)
{
    Arena *arena = arena_new();
    KeepPlan *plan = arena_alloc(arena, sizeof *plan);
    plan->arena = arena;
    keep_names(plan, names);
    Reader reader = {wanted, names, diag, plan};
    Status status = STATUS_OK;
    if (wanted)
        status = read_words(&reader);
    else
        add_final(&reader);
    find_read(plan);
    for (size_t i = 0; i < plan->numbers.count; i++) {
        KeepKind kind = plan->numbers.at[i].kind;
        plan->pieces = plan->pieces || (kind >= KEEP_MAX && kind <= KEEP_MEAN);
    }
    for (size_t i = 0; i < plan->lists.count; i++)
        plan->rows = plan->rows || plan->lists.at[i].kind == KEEP_ROWS;
    if (status != STATUS_OK) {
        keep_plan_free(plan);
        plan = NULL;
    }
    *out = plan;
    return status;
}

void keep_plan_free(KeepPlan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->functions.count; i++)
        program_free(plan->functions.at[i].program);
    for (size_t i = 0; i < plan->guides.count; i++)
        program_free(plan->guides.at[i].program);
    array_clear(&plan->guides);
    array_clear(&plan->functions);
    array_clear(&plan->numbers);
    array_clear(&plan->lists);
    arena_free(plan->arena);
}

size_t keep_number_count(const KeepPlan *plan)
{
    return plan->numbers.count;
}

const char *keep_number_name(const KeepPlan *plan, size_t number)
{
    return plan->numbers.at[number].name;
}

bool keep_is_final(const KeepPlan *plan, size_t number)
{
    return plan->numbers.at[number].kind == KEEP_FINAL;
}

size_t keep_list_count(const KeepPlan *plan)
{
    return plan->lists.count;
}

const KeepList *keep_list(const KeepPlan *plan, size_t list)
{
    return &plan->lists.at[list];
}

const char *keep_label(const KeepPlan *plan, size_t label)
{
    assert(label <= plan->label_count);
    return label == 0 ? "" : plan->labels[label - 1];
}
