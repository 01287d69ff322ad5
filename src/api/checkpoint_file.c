// checkpoint_file.c: a checkpoint as text.
//
//     zwang run 1
//     version 1.0.0
//     model 9c1f…            a hash of the text
//     command zwang run …
//     journal 8200 1f0a…     how long FILE.rows is, and its hash
//     settings 12            and so many lines, "m = 2"
//     messages 1
//     numbers 40             t, q, v, rows, events, the rest: bit for bit
//     sum 66b1…              a hash of all that stands before
#include "api/checkpoint_impl.h"
#include "base/decimal.h"
#include "show/show.h"

#include <math.h>
#include <string.h>

// ---- What has to be the same.

static void add_value(Text *out, const char *name, double value)
{
    text_addf(out, "%s = ", name);
    text_add_decimal(out, value);
    text_add_char(out, '\n');
}

// A text of the caller, in one line.
static void add_line(Text *out, const char *text)
{
    for (; *text; text++)
        text_add_char(out, *text == '\n' ? ' ' : *text);
    text_add_char(out, '\n');
}

static void add_text(Text *out, const char *name, const char *text)
{
    text_addf(out, "%s = ", name);
    add_line(out, text ? text : "none");
}

static void add_flag(Text *out, const char *name, bool flag)
{
    text_addf(out, "%s = %s\n", name, flag ? "yes" : "no");
}

static void add_start(Text *out, const Model *model, const RunStart *start)
{
    for (size_t i = 0; i < start->n; i++) {
        Text name = {0};
        text_addf(&name, "%s at the start", model->coords.at[i].name);
        add_value(out, name.at, start->q[i]);
        name.length = 0;
        text_addf(&name, "%s' at the start", model->coords.at[i].name);
        add_value(out, name.at, start->v[i]);
        text_clear(&name);
    }
}

void checkpoint_describe(Checkpoint *checkpoint, const Going *going)
{
    const zw_run_options *options = going->options;
    const RunOptions *settings = &going->settings;
    const Model *model = going->model->model;
    Text *out = &checkpoint->settings;
    RunStart start = run_start(going->run);
    double *params = base_alloc((model->params.count + 1) * sizeof *params);
    Diag *unheard = diag_new();
    if (model_param_values(model, unheard, params) == STATUS_OK)
        for (size_t i = 0; i < model->params.count; i++)
            add_value(out, model->params.at[i].name, params[i]);
    add_start(out, model, &start);
    add_value(out, "to", settings->to);
    add_value(out, "every", settings->every);
    add_value(out, "tolerance", settings->tolerance);
    add_text(out, "method", run_method_name(settings->method));
    add_value(out, "step", isnan(settings->step) ? 0 : settings->step);
    add_text(out, "form", options->form);
    add_flag(out, "watched", !options->no_watch);
    add_flag(out, "fixed", options->fixed);
    add_flag(out, "residuals", options->residuals);
    add_flag(out, "integrals", options->integrals);
    add_text(out, "branches", options->branches);
    add_text(out, "independent", going->model->independent);
    add_flag(out, "orthonormal speeds", going->model->orthonormal);
    add_text(out, "out", options->out);
    add_text(out, "events", options->events);
    add_text(out, "rows", options->rows);
    add_value(out, "digits", (double)options->digits);
    for (size_t i = 0; i < options->plot_count; i++)
        add_text(out, "plot", options->plots[i]);
    add_text(out, "picture", options->picture);
    add_value(out, "columns", (double)going->columns);
    diag_free(unheard);
    base_free(params);
}

static uint64_t model_hash(const zw_model *model)
{
    return hash_bytes(model->source->at, model->source->length, 1);
}

// ---- Writing.

typedef unsigned long long Bits;

static Bits bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void add_numbers(const Checkpoint *checkpoint, Text *out)
{
    const RunBegin *begin = &checkpoint->begin;
    const double counts[] = {(double)checkpoint->rows, (double)checkpoint->events};
    const struct {
        const double *at;
        size_t count;
    } parts[] = {{&begin->t, 1},
                 {begin->q, checkpoint->n},
                 {begin->v, checkpoint->n},
                 {&begin->length, 1},
                 {counts, 2},
                 {checkpoint->carry.at.at, checkpoint->carry.at.count}};
    text_addf(out, "numbers %zu\n", 2 * checkpoint->n + 4 + checkpoint->carry.at.count);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (size_t j = 0; j < parts[i].count; j++)
            text_addf(out, "%016llx\n", bits_of(parts[i].at[j]));
}

static void add_messages(const Checkpoint *checkpoint, const zw_model *model, Text *out)
{
    size_t total = diag_total(model->diag);
    text_addf(out, "messages %zu\n", total - checkpoint->messages);
    for (size_t i = checkpoint->messages; i < total; i++) {
        DiagKind kind;
        Place place;
        const char *text = diag_message(model->diag, i, &kind, &place);
        text_addf(out, "%d", (int)kind);
        add_line(out, text);
    }
}

Status checkpoint_write(Checkpoint *checkpoint, const zw_model *model)
{
    const char *path = checkpoint->options->checkpoint;
    Text out = {0};
    size_t lines = 0;
    TRY(journal_write(&checkpoint->journal, model->diag));
    for (size_t i = 0; i < checkpoint->settings.length; i++)
        lines += checkpoint->settings.at[i] == '\n';
    text_addf(&out, "zwang run 1\nversion %s\nmodel %016llx\ncommand ", zw_version(),
              (Bits)model_hash(model));
    add_line(&out, checkpoint->command.at ? checkpoint->command.at : "");
    text_addf(&out, "journal %zu %016llx\n", checkpoint->journal.length,
              (Bits)checkpoint->journal.hash);
    text_addf(&out, "settings %zu\n%s", lines, checkpoint->settings.at);
    add_messages(checkpoint, model, &out);
    add_numbers(checkpoint, &out);
    text_addf(&out, "sum %016llx\n", (Bits)hash_bytes(out.at, out.length, 1));
    Str whole = {out.at, out.length};
    Status status = show_files_write(&path, &whole, 1, model->diag);
    text_clear(&out);
    return status;
}

// ---- Reading.

typedef struct {
    const char *path, *at, *end;
    Diag *diag;
} Saved;

static Status damaged(const Saved *saved, const char *what)
{
    return diag_error(saved->diag, place_hint(HINT_RESUME), "'%s' is no run that can go on: %s",
                      saved->path, what);
}

static bool next_line(Saved *saved, Str *line)
{
    const char *end =
        saved->at < saved->end ? memchr(saved->at, '\n', (size_t)(saved->end - saved->at)) : NULL;
    if (!end)
        return false;
    *line = (Str){saved->at, (size_t)(end - saved->at)};
    saved->at = end + 1;
    return true;
}

// What follows the word of the next line.
static bool read_word(Saved *saved, const char *word, Str *rest)
{
    Str line;
    size_t length = strlen(word);
    if (!next_line(saved, &line) || line.length < length + 1 ||
        memcmp(line.at, word, length) != 0 || line.at[length] != ' ')
        return false;
    *rest = (Str){line.at + length + 1, line.length - length - 1};
    return true;
}

static bool read_digits(Str text, unsigned base, uint64_t *value)
{
    static const char digits[] = "0123456789abcdef";
    enum { MOST = 16 }; // of 16, and fewer than there is room for of 10
    *value = 0;
    for (size_t i = 0; i < text.length; i++) {
        const char *digit = text.at[i] ? strchr(digits, text.at[i]) : NULL;
        if (!digit || (unsigned)(digit - digits) >= base)
            return false;
        *value = *value * base + (uint64_t)(digit - digits);
    }
    return text.length > 0 && text.length <= MOST;
}

static bool read_count(Saved *saved, const char *word, uint64_t *count)
{
    Str rest;
    // Each of what is counted takes a line.
    return read_word(saved, word, &rest) && read_digits(rest, 10, count) &&
           *count <= (uint64_t)(saved->end - saved->at);
}

static Status check_sum(Saved *saved)
{
    static const char word[] = "sum ";
    size_t tail = strlen(word) + 16 + 1, length = (size_t)(saved->end - saved->at);
    uint64_t sum;
    if (length < tail || memcmp(saved->end - tail, word, strlen(word)) != 0 ||
        saved->end[-1] != '\n' || !read_digits((Str){saved->end - 17, 16}, 16, &sum) ||
        sum != hash_bytes(saved->at, length - tail, 1))
        return damaged(saved, "it is not whole, or was changed");
    saved->end -= tail;
    return STATUS_OK;
}

static Status check_settings(const Checkpoint *checkpoint, Saved *saved)
{
    uint64_t count;
    Str line;
    const char *own = checkpoint->settings.at;
    if (!read_count(saved, "settings", &count))
        return damaged(saved, "it has no settings");
    for (uint64_t i = 0; i < count; i++) {
        if (!next_line(saved, &line))
            return damaged(saved, "its settings cannot be read");
        size_t length = strcspn(own, "\n");
        if (length != line.length || memcmp(own, line.at, length) != 0)
            return diag_error(saved->diag, place_hint(HINT_RESUME),
                              "'%s' was made with %.*s, and this run has %.*s", saved->path,
                              (int)line.length, line.at, (int)length, own);
        own += length + (own[length] == '\n');
    }
    if (*own)
        return diag_error(saved->diag, place_hint(HINT_RESUME),
                          "'%s' was made without %.*s, which this run has", saved->path,
                          (int)strcspn(own, "\n"), own);
    return STATUS_OK;
}

static Status read_head(Checkpoint *checkpoint, const zw_model *model, Saved *saved, bool *same)
{
    Str rest;
    uint64_t hash = 0, length = 0;
    if (!read_word(saved, "zwang run", &rest))
        return damaged(saved, "it does not begin as one");
    if (!str_is(rest, "1") || !read_word(saved, "version", &rest) || !str_is(rest, zw_version()))
        return diag_error(saved->diag, place_hint(HINT_RESUME),
                          "'%s' was made by version %.*s, and this is %s", saved->path,
                          (int)rest.length, rest.at, zw_version());
    *same = read_word(saved, "model", &rest) && read_digits(rest, 16, &hash) &&
            hash == model_hash(model);
    if (!read_word(saved, "command", &rest))
        return damaged(saved, "it has no command");
    text_add_str(&checkpoint->command, rest);
    if (!read_word(saved, "journal", &rest) || rest.length < 18 ||
        !read_digits((Str){rest.at, rest.length - 17}, 10, &length) ||
        !read_digits((Str){rest.at + rest.length - 16, 16}, 16, &hash))
        return damaged(saved, "it has no rows");
    checkpoint->journal.length = (size_t)length;
    checkpoint->journal.hash = hash;
    return STATUS_OK;
}

static Status read_messages(Checkpoint *checkpoint, Saved *saved)
{
    uint64_t count;
    Str line;
    if (!read_count(saved, "messages", &count))
        return damaged(saved, "it has no messages");
    for (uint64_t i = 0; i < count; i++) {
        if (!next_line(saved, &line) || line.length == 0 || line.at[0] < '0' || line.at[0] > '2')
            return damaged(saved, "its messages cannot be read");
        Text text = {0};
        text_add_str(&text, line);
        array_push(&checkpoint->said, text.at);
    }
    return STATUS_OK;
}

static Status read_numbers(Checkpoint *checkpoint, Saved *saved)
{
    uint64_t count, bits;
    Str line;
    size_t n = checkpoint->n;
    if (!read_count(saved, "numbers", &count) || count < 2 * n + 4)
        return damaged(saved, "it has no state");
    checkpoint->begin.q = base_alloc((2 * n + 1) * sizeof(double));
    checkpoint->begin.v = checkpoint->begin.q + n;
    for (uint64_t i = 0; i < count; i++) {
        double value;
        if (!next_line(saved, &line) || line.length != 16 || !read_digits(line, 16, &bits))
            return damaged(saved, "its state cannot be read");
        memcpy(&value, &bits, sizeof value);
        if (i < 2 * n + 4 && !isfinite(value))
            return damaged(saved, "its state is not finite");
        if (i == 0)
            checkpoint->begin.t = value;
        else if (i <= 2 * n)
            checkpoint->begin.q[i - 1] = value;
        else if (i == 2 * n + 1)
            checkpoint->begin.length = fmax(value, 0);
        else if (i == 2 * n + 2)
            checkpoint->rows = (size_t)fmax(value, 0);
        else if (i == 2 * n + 3)
            checkpoint->events = (size_t)fmax(value, 0);
        else
            array_push(&checkpoint->carry.at, value);
    }
    return saved->at == saved->end ? STATUS_OK : damaged(saved, "something follows its end");
}

static Status read_all(Checkpoint *checkpoint, const zw_model *model, Saved *saved)
{
    bool same = false;
    TRY(check_sum(saved));
    TRY(read_head(checkpoint, model, saved, &same));
    TRY(check_settings(checkpoint, saved));
    if (!same)
        return diag_error(saved->diag, place_hint(HINT_RESUME),
                          "'%s' was made of another text of the model", saved->path);
    TRY(read_messages(checkpoint, saved));
    return read_numbers(checkpoint, saved);
}

Status checkpoint_read(Checkpoint *checkpoint, const zw_model *model)
{
    const char *path = checkpoint->options->resume;
    Text text = {0};
    Status status = api_read_file(path, model->diag, &text);
    Saved saved = {path, text.at, text.at + text.length, model->diag};
    if (status == STATUS_OK)
        status = text.length ? read_all(checkpoint, model, &saved) : damaged(&saved, "it is empty");
    text_clear(&text);
    return status;
}
