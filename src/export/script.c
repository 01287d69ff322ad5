// script.c: what exported Python, Julia and MATLAB have in common: a text with marks, by lines.
//
// "?FLAGS line" is there where all flags hold, "=BLOCK" stands for the statements of a program or
// for a list, and inside a line <n> and its like are numbers.
#include "export/script_impl.h"
#include "expr/tables.h"

#include <string.h>

// ---- Statements.

// p | t | y, of which so many.
static NameList state_names(const Exported *exported, size_t count)
{
    NameList names = {.arena = exported->arena};
    names_add_members(&names, "p.", exported->param_names, exported->params);
    names_add(&names, "t");
    names_add_places(exported, &names, "u", 0, exported->inputs);
    names_add_places(exported, &names, "y", 0, count);
    return names;
}

// The whole state, and what an iteration has reached.
static NameList rate_inputs(const Exported *exported)
{
    NameList names = state_names(exported, exported->n + exported->k);
    if (exported_iterates(exported))
        names_add_places(exported, &names, "x", 0, exported->unknowns);
    return names;
}

static NameList rate_names(const Exported *exported, const char *rate, bool matrix)
{
    size_t n = exported->n, k = exported->k, count = exported->unknowns;
    bool solved = exported->formulas.solved;
    NameList names = {.arena = exported->arena};
    names_add_places(exported, &names, rate, 0, solved ? n + k : n);
    if (!solved && matrix)
        names_add_places(exported, &names, "matrix", 0, count * count);
    if (!solved)
        names_add_places(exported, &names, "right", 0, count);
    return names;
}

static void add_rates(const Exported *exported, Text *out)
{
    NameList inputs = rate_inputs(exported), outputs = rate_names(exported, "rate", true);
    names_statements(exported, exported->rates, &inputs, &outputs, out);
}

static void add_slopes(const Exported *exported, Text *out)
{
    NameList inputs = rate_inputs(exported);
    names_add_places(exported, &inputs, "direction", 0, exported->n + exported->k);
    NameList outputs = rate_names(exported, "change", !exported_iterates(exported));
    names_statements(exported, exported->slopes, &inputs, &outputs, out);
}

// p | t | y, and u' where it was solved for in numbers.
static NameList found_names(const Exported *exported)
{
    NameList names = state_names(exported, exported->n + exported->k);
    if (!exported->formulas.solved)
        names_add_places(exported, &names, "rate", exported->n, exported->k);
    return names;
}

static void add_accelerations(const Exported *exported, Text *out)
{
    NameList inputs = found_names(exported), outputs = {.arena = exported->arena};
    names_add_places(exported, &outputs, "a", 0, exported->n);
    names_statements(exported, exported->accelerations, &inputs, &outputs, out);
}

static void add_reactions(const Exported *exported, Text *out)
{
    size_t n = exported->n;
    NameList inputs = state_names(exported, n), outputs = {.arena = exported->arena};
    names_add_places(exported, &inputs, "v", 0, n);
    names_add_places(exported, &inputs, "a", 0, n);
    if (exported_bends(exported))
        names_add_places(exported, &inputs, "x", exported->k, exported->unknowns - exported->k);
    names_add_places(exported, &outputs, "b", 0, exported->m * n);
    names_add_places(exported, &outputs, "rest", 0, n);
    names_statements(exported, exported->reactions, &inputs, &outputs, out);
}

static void add_quantities(const Exported *exported, Text *out)
{
    size_t n = exported->n;
    NameList inputs = state_names(exported, n), outputs = {.arena = exported->arena};
    names_add_places(exported, &inputs, "v", 0, n);
    names_add_places(exported, &inputs, "a", 0, n);
    names_add_places(exported, &inputs, "l", 0, exported->m);
    names_add(&outputs, "energy");
    names_add_places(exported, &outputs, "residual", 0, exported->residuals);
    names_add_places(exported, &outputs, "out", 0, exported->model->outputs.count);
    names_statements(exported, exported->quantities, &inputs, &outputs, out);
}

// How many numbers there are for each one-sided condition.
static size_t side_width(const Exported *exported)
{
    return 3 + exported->k + (exported->parted ? exported->unknowns : 0);
}

static void add_sides(const Exported *exported, Text *out)
{
    NameList inputs = found_names(exported), outputs = {.arena = exported->arena};
    names_add_places(exported, &outputs, "side", 0, exported->sides * side_width(exported));
    if (exported->sides)
        names_add_places(exported, &outputs, "inertia", 0, exported->unknowns * exported->unknowns);
    names_statements(exported, exported->instant, &inputs, &outputs, out);
}

static void add_drifts(const Exported *exported, Text *out)
{
    size_t size = exported->n + exported->k;
    NameList inputs = state_names(exported, size), outputs = {.arena = exported->arena};
    names_add_places(exported, &outputs, "miss", 0, exported->drift_count);
    names_add_places(exported, &outputs, "slope", 0, exported->drift_count * size);
    names_statements(exported, exported->drifts, &inputs, &outputs, out);
}

static void add_validity(const Exported *exported, Text *out)
{
    NameList inputs = state_names(exported, exported->n + exported->k);
    NameList outputs = {.arena = exported->arena};
    names_add_places(exported, &outputs, "over", 0, exported->limits);
    names_statements(exported, exported->validity, &inputs, &outputs, out);
}

static void add_cones(const Exported *exported, Text *out)
{
    size_t n = exported->n;
    NameList inputs = state_names(exported, n), outputs = {.arena = exported->arena};
    names_add_places(exported, &inputs, "v", 0, n);
    names_add_places(exported, &inputs, "a", 0, n);
    names_add_places(exported, &inputs, "l", 0, exported->m);
    names_add_places(exported, &outputs, "cone", 0, exported->cone_count);
    names_statements(exported, exported->cones, &inputs, &outputs, out);
}

static void add_follow(const Exported *exported, Text *out)
{
    NameList inputs = {.arena = exported->arena}, outputs = {.arena = exported->arena};
    names_add_members(&inputs, "p.", exported->param_names, exported->params);
    names_add_members(&outputs, "p.", exported->param_names, exported->params);
    names_statements(exported, exported->follow, &inputs, &outputs, out);
}

static void add_signals(const Exported *exported, Text *out)
{
    NameList inputs = {.arena = exported->arena}, outputs = {.arena = exported->arena};
    names_add_members(&inputs, "p.", exported->param_names, exported->params);
    names_add(&inputs, "t");
    names_add_places(exported, &outputs, "u", 0, exported->inputs);
    names_statements(exported, exported->signals, &inputs, &outputs, out);
}

// ---- Lists.

static const char *coordinate(const Exported *exported, size_t i)
{
    return exported->model->coords.at[i].name;
}

static const char *speed(const Exported *exported, size_t i)
{
    return exported->formulas.speed_names[i];
}

static const char *input(const Exported *exported, size_t i)
{
    return exported_input(exported, i)->name;
}

static const char *condition(const Exported *exported, size_t i)
{
    return exported->conditions[i]->constraint->name;
}

static const char *residual(const Exported *exported, size_t i)
{
    const ModelConstraint *constraint = exported->model->constraints.at;
    for (;; constraint++)
        if (!constraint->silent && i-- == 0)
            return constraint->name;
}

static const char *side(const Exported *exported, size_t i)
{
    return exported->side_rows[i]->constraint->name;
}

static const char *output(const Exported *exported, size_t i)
{
    return exported->model->outputs.at[i].name;
}

// Names in the language's quotes; in them nothing can end these or mean something else.
static void add_names(const Exported *exported, const char *(*name)(const Exported *, size_t),
                      size_t count, Text *out)
{
    const char *quote = exported->language->quote;
    for (size_t i = 0; i < count; i++) {
        text_addf(out, "%s%s", i ? ", " : "", quote);
        for (const char *at = name(exported, i); *at; at++)
            if (*at == *quote)
                text_addf(out, "%s%s", *quote == '\'' ? quote : "\\", quote);
            else
                text_add_char(out, strchr("\"\\$", *at) ? '_' : *at);
        text_add(out, quote);
    }
}

static void add_numbers(const double *values, size_t count, Text *out)
{
    for (size_t i = 0; i < count; i++)
        text_addf(out, "%s%.17g", i ? ", " : "", values[i]);
}

static void add_start(const Exported *exported, Text *out)
{
    add_numbers(exported->q, exported->n, out);
    text_add(out, exported->k ? ", " : "");
    add_numbers(exported->u, exported->k, out);
}

// Which conditions are kept, or left out.
static void add_indices(const Exported *exported, bool kept, Text *out)
{
    for (size_t i = 0, at = 0; i < exported->m; i++)
        if (exported->kept[i] == kept)
            text_addf(out, "%s%zu", at++ ? ", " : "", i + exported->language->first);
}

// Which conditions are one-sided, and equations here.
static void add_held(const Exported *exported, Text *out)
{
    for (size_t i = 0, at = 0; i < exported->m; i++)
        if (exported_is_held(exported, i))
            text_addf(out, "%s%zu", at++ ? ", " : "", i + exported->language->first);
}

// A line for each parameter: `begin` NAME `between` VALUE `end`.
static void add_params(const Exported *exported, Text *out)
{
    const char *const *frame = exported->language->param;
    for (size_t i = 0; i < exported->params; i++)
        text_addf(out, "%s%s%s%.17g%s", frame[0], exported->param_names[i], frame[1],
                  exported->param_values[exported->param_at[i]], frame[2]);
}

static void add_following(const Exported *exported, Text *out)
{
    const char *quote = exported->language->quote;
    for (size_t i = 0, at = 0; i < exported->params; i++)
        if (exported_follows(exported, i))
            text_addf(out, "%s%s%s%s", at++ ? ", " : "", quote, exported->param_names[i], quote);
}

// ---- Tables.

static void add_row(const Language *language, const double *values, size_t count, Text *out)
{
    enum { IN_A_LINE = 4 };
    text_add(out, language->table[1]);
    for (size_t i = 0; i < count; i++)
        text_addf(out, "%s%.17g",
                  i == 0          ? ""
                  : i % IN_A_LINE ? ", "
                                  : language->table[3],
                  values[i]);
    text_add(out, language->table[2]);
}

static void add_tables(const Exported *exported, Text *out)
{
    const Language *language = exported->language;
    const ExprTables *tables = expr_tables(exported->motion->pool);
    for (size_t i = 0; i < expr_table_count(tables); i++) {
        const TableNumbers *table = &expr_table_at(tables, i)->numbers;
        text_addf(out, "%s%d, %d, ", language->table[0], table->beyond,
                  table->kind == TABLE_PREVIOUS);
        add_row(language, table->knots, table->count, out);
        text_addf(out, ", %s", language->table[4]);
        for (int j = 0; j <= TABLE_MOST_DEGREE; j++) {
            size_t count = table->coefficients[j] ? table->count - (j > 0) : 0;
            text_add(out, j ? ", " : "");
            add_row(language, table->coefficients[j], count, out);
        }
        text_addf(out, "%s%s", language->table[5], language->table[6]);
    }
}

// ---- Marks.

static bool holds(const Exported *exported, char flag)
{
    bool solved = exported->formulas.solved, iterates = exported_iterates(exported);
    bool driven = exported->motion->servos > 0;
    switch (flag) {
    case 's': return solved;
    case 'n': return !solved;              // in numbers:
    case 'l': return !solved && !iterates; // at once,
    case 'i': return iterates;             // or by iteration
    case 'b': return exported_bends(exported);
    case 'm': return exported->m > 0;
    case 'w': return exported->m > 0 && !exported->shared; // all conditions have their own
    case 'h': return exported->shared && !driven;
    case 'd': return exported->shared && driven;
    case 'c': return exported->drift_count > 0;
    case 'o': return exported->sides > 0;
    case 'p': return exported->parted;
    case 'q': return !exported->parted;
    case 'e': return exported->has_energy;
    case 'a': return !exported->has_energy;
    case 'u': return exported->inputs > 0;
    case 'z': return exported->inputs == 0;
    case 'v': return exported_leaves_out(exported);
    case 'x': return exported->limits > 0;
    case 't': return exported->guards_speeds;
    case 'j': return !exported->guards_speeds;
    case 'g': return exported->held_count > 0;
    case 'f': return exported->cone_count > 0;
    case 'r': return exported->held_count + exported->cone_count > 0;
    default: return false;
    }
}

typedef struct {
    const char *word;
    size_t value;
} Count;

static bool add_mark(const Exported *exported, const char *word, size_t length, Text *out)
{
    size_t n = exported->n, k = exported->k;
    const Count counts[] = {{"n", n},
                            {"k", k},
                            {"m", exported->m},
                            {"s", exported->sides},
                            {"y", n + k},
                            {"r", exported->residuals},
                            {"o", exported->model->outputs.count},
                            {"u", exported->unknowns},
                            {"w", side_width(exported)},
                            {"c", exported->drift_count},
                            {"f", exported->cone_count},
                            {"i", exported->inputs},
                            {"v", exported->limits}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (strlen(counts[i].word) == length && strncmp(word, counts[i].word, length) == 0) {
            text_addf(out, "%zu", counts[i].value);
            return true;
        }
    Str mark = {word, length};
    bool given = exported->inputs > 0;
    if (str_is(mark, "in"))
        text_add(out, given ? "u, " : "");
    else if (str_is(mark, "then"))
        text_add(out, given ? "signals(t, p), " : "");
    else if (str_is(mark, "inputs"))
        add_names(exported, input, exported->inputs, out);
    else if (str_is(mark, "system"))
        text_add(out, exported->system);
    else if (str_is(mark, "end"))
        text_add(out, exported_end(exported));
    else if (str_is(mark, "start"))
        add_start(exported, out);
    else if (str_is(mark, "to"))
        add_numbers(&exported->to, 1, out);
    else if (str_is(mark, "every"))
        add_numbers(&exported->every, 1, out);
    else if (str_is(mark, "tolerance"))
        add_numbers(&exported->tolerance, 1, out);
    else if (str_is(mark, "near"))
        add_numbers(exported->formulas.stationary, exported->unknowns, out);
    else if (str_is(mark, "kept") || str_is(mark, "left"))
        add_indices(exported, str_is(mark, "kept"), out);
    else if (str_is(mark, "held"))
        add_held(exported, out);
    else if (str_is(mark, "follows"))
        add_following(exported, out);
    else if (str_is(mark, "coordinates"))
        add_names(exported, coordinate, n, out);
    else if (str_is(mark, "speeds"))
        add_names(exported, speed, k, out);
    else if (str_is(mark, "conditions"))
        add_names(exported, condition, exported->m, out);
    else if (str_is(mark, "residuals"))
        add_names(exported, residual, exported->residuals, out);
    else if (str_is(mark, "sides"))
        add_names(exported, side, exported->sides, out);
    else if (str_is(mark, "outputs"))
        add_names(exported, output, exported->model->outputs.count, out);
    else
        return false;
    return true;
}

static void add_line(const Exported *exported, Str line, Text *out)
{
    for (size_t i = 0; i < line.length; i++) {
        const char *at = line.at + i;
        size_t length = 0;
        while (*at == '<' && i + 1 + length < line.length && at[1 + length] >= 'a' &&
               at[1 + length] <= 'z')
            length++;
        if (length && at[1 + length] == '>' && add_mark(exported, at + 1, length, out))
            i += length + 1;
        else
            text_add_char(out, *at);
    }
    text_add_char(out, '\n');
}

static const struct {
    const char *word;
    void (*add)(const Exported *exported, Text *out);
} blocks[] = {{"parameters", add_params},   {"tables", add_tables},
              {"follow", add_follow},       {"rates", add_rates},
              {"slopes", add_slopes},       {"accelerations", add_accelerations},
              {"reactions", add_reactions}, {"quantities", add_quantities},
              {"drifts", add_drifts},       {"sides", add_sides},
              {"validity", add_validity},   {"cones", add_cones},
              {"signals", add_signals}};

static void add_block(const Exported *exported, Str word, Text *out)
{
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (str_is(word, blocks[i].word))
            blocks[i].add(exported, out);
}

void script_write(const Exported *exported, const char *template, Text *out)
{
    while (*template) {
        Str line = {template, strcspn(template, "\n")};
        template += line.length + (template[line.length] == '\n');
        bool there = true;
        if (line.length && *line.at == '?') {
            for (line.at++, line.length--; line.length && *line.at != ' '; line.at++, line.length--)
                there = there && holds(exported, *line.at);
            line.at += line.length > 0;
            line.length -= line.length > 0;
        }
        if (!there)
            continue;
        if (line.length && *line.at == '=')
            add_block(exported, (Str){line.at + 1, line.length - 1}, out);
        else
            add_line(exported, line, out);
    }
}

void script_head(const Exported *exported, const char *use, Text *out)
{
    Text text = {0};
    script_write(exported, use, &text);
    text.at[text.length - 1] = '\0'; // its last end of a line
    comment_head(exported, text.at, out);
    text_clear(&text);
}
