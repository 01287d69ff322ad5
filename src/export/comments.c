// comments.c: what exported code says about itself.
//
// Everything that a model's author wrote goes through here, where nothing can end a comment:
// control characters, and all that hides or turns what is read, become blanks, and what some
// language takes for a sign of its own is parted.
#include "export/export_impl.h"

#include <string.h>

// Marks that mean something inside a comment: the ends of C's, its escapes and trigraphs.
static bool is_mark(const char *at)
{
    static const char *const marks[] = {"*/", "/*", "??", "\\"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strncmp(at, marks[i], strlen(marks[i])) == 0)
            return true;
    return false;
}

// How many bytes it has.
static size_t add_character(const char *at, Text *out)
{
    unsigned char c = (unsigned char)*at;
    size_t hidden = str_hidden(at);
    text_add_char(out, hidden || c < ' ' || c == 127 || c == '\\' ? ' ' : *at);
    if (is_mark(at) && c != '\\')
        text_add_char(out, ' ');
    return hidden ? hidden : 1;
}

void comment_add(const Language *language, const char *text, Text *out)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        text_add(out, language->comment);
        if (length > 0)
            text_add_char(out, ' ');
        for (size_t i = 0; i < length;)
            i += add_character(text + i, out);
        text_add_char(out, '\n');
        text += length + (text[length] == '\n');
    }
}

const char *comment_plain(Arena *arena, const char *text)
{
    Text plain = {0};
    while (*text)
        text += add_character(text, &plain);
    text_add(&plain, "");
    const char *copy = arena_copy_text(arena, plain.at, plain.length);
    text_clear(&plain);
    return copy;
}

// The model and the derivation, as far as they are short enough to be read.
enum { MOST_LINES = 400 };

static void add_quoted(const Exported *exported, const char *title, Str text, Text *out)
{
    Text lines = {0};
    size_t count = 0, at = 0;
    text_addf(&lines, "\n%s\n", title);
    while (at < text.length && count < MOST_LINES) {
        size_t length = 0;
        while (at + length < text.length && text.at[at + length] != '\n')
            length++;
        if (length)
            text_add(&lines, "    ");
        text_add_str(&lines, (Str){text.at + at, length});
        text_add_char(&lines, '\n');
        at += length + 1;
        count++;
    }
    if (at < text.length)
        text_add(&lines, "    … and more, which the derivation shows\n");
    comment_add(exported->language, lines.at, out);
    text_clear(&lines);
}

void comment_names(const char *const *names, size_t count, Text *out)
{
    for (size_t i = 0; i < count; i++)
        text_addf(out, "%s%s", i ? ", " : "", names[i]);
    if (count == 0)
        text_add(out, "none");
}

// How the state moves: what is in it, what holds by construction, what was divided by.
static void add_state(const Exported *exported, Text *out)
{
    const Model *model = exported->model;
    text_add(out, "The state y is coordinates, then speeds.\nCoordinates: ");
    for (size_t i = 0; i < exported->n; i++)
        text_addf(out, "%s%s", i ? ", " : "", model->coords.at[i].name);
    text_addf(out, "\n%s: ", exported->all ? "Velocities, all of them" : "Independent speeds");
    comment_names(exported->formulas.speed_names, exported->k, out);
    text_add(out, exported->all ? "\n"
                                : "\nThe velocities q' follow from them, so that conditions on "
                                  "velocities hold by construction.\n");
    if (exported->inputs) {
        text_add(out, "The inputs are an argument of their own, u, behind y; 'signals' gives what "
                      "the model says of them: ");
        comment_names(exported->input_names, exported->inputs, out);
        text_add(out, ".\n");
    }
    if (exported->drift_count)
        text_addf(out,
                  "%s are kept by their accelerations; what integration lets drift, 'project' "
                  "brings back.\n",
                  exported->all ? "The conditions" : "Finite conditions");
    if (exported_iterates(exported))
        text_add(out, "Accelerations are a stationary point of Gauss's function, found by Newton's "
                      "method from\nthose of an earlier state ('near'), first of the start; "
                      "'follow_branch' goes on from where it is.\n");
    else if (exported->formulas.solved || !exported->all)
        text_add(out,
                 "Divisors in the formulas were chosen at the start; where one vanishes on "
                 "the way,\nthe values are not finite (with all velocities in the state nothing is "
                 "divided by).\n");
    if (!exported->formulas.solved && !exported_iterates(exported))
        text_add(out, "The equations for the rates are solved in numbers, by pivots.\n");
}

static void add_left_out(const Exported *exported, Text *out)
{
    bool driven = exported->motion->servos > 0;
    if (!exported->shared)
        return;
    text_add(out, "Along the motion these conditions follow from the others and are left out: ");
    for (size_t i = 0, at = 0; i < exported->m; i++)
        if (!exported->kept[i])
            text_addf(out, "%s%s", at++ ? ", " : "", exported->conditions[i]->constraint->name);
    text_add(out, driven ? ".\nTheir multipliers are 0.\n"
                         : ".\nOf all multipliers that give the same reactions the least are "
                           "told.\n");
}

static void add_in_unit(const Model *model, const char *name, bool *first, Text *out)
{
    ColumnUnit unit;
    if (!model_column_unit(model, name, &unit) || strcmp(unit.si, "1") == 0)
        return;
    text_addf(out, "%s%s in %s", *first ? "Numbers are in SI units: " : ", ", name, unit.si);
    *first = false;
}

// In what parameters, coordinates, speeds and outputs are.
static void add_units(const Exported *exported, Text *out)
{
    const Model *model = exported->model;
    bool first = true;
    for (size_t i = 0; i < model->params.count; i++)
        add_in_unit(model, model->params.at[i].name, &first, out);
    for (size_t i = 0; i < model->coords.count; i++)
        add_in_unit(model, model->coords.at[i].name, &first, out);
    for (size_t i = 0; i < model->speeds.count; i++)
        add_in_unit(model, model->speeds.at[i].name, &first, out);
    for (size_t i = 0; i < model->outputs.count; i++)
        add_in_unit(model, model->outputs.at[i].name, &first, out);
    text_add(out, first ? "" : ".\n");
}

void comment_head(const Exported *exported, const char *use, Text *out)
{
    const Model *model = exported->model;
    const ExportOrigin *origin = exported->origin;
    Text text = {0};
    text_addf(&text, "%s: %s\n", exported->system,
              *model->title ? model->title : "equations of motion");
    text_addf(&text, "Made by zwang %s from %s.\n\n%s\n\n", origin->version, origin->file, use);
    add_state(exported, &text);
    add_units(exported, &text);
    add_left_out(exported, &text);
    if (origin->fixed) {
        text_add(&text, "The parameters are numbers in the code: ");
        for (size_t i = 0, count = 0; i < model->params.count; i++)
            if (expr_is_none(model->params.at[i].signal))
                text_addf(&text, "%s%s = %.17g", count++ ? ", " : "", model->params.at[i].name,
                          exported->param_values[i]);
        text_add(&text, ".\n");
    }
    if (exported->left_out.length)
        text_addf(&text,
                  "%sIts function 'valid' is false once one of these would have changed the "
                  "motion.\n",
                  exported->left_out.at);
    if (exported->guards_speeds)
        text_add(&text,
                 "Its function 'valid' is false once the speeds have ceased to determine the "
                 "velocities; code with all velocities in its state may go on there.\n");
    if (exported->sides)
        text_add(&text, "The instant's data of one-sided conditions (f, f', rows, phi0) say what "
                        "they would ask for.\n");
    comment_add(exported->language, text.at, out);
    text_clear(&text);
    add_quoted(exported, "The model:", origin->text, out);
    add_quoted(exported, "The equations:", str_of(origin->equations), out);
}
