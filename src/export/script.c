// script.c: what exported Python, Julia and MATLAB have in common.
#include "export/script_impl.h"

#include <stdio.h>

static void add_places(const Exported *exported, NameList *names, const char *array, size_t from,
                       size_t count)
{
    names_add_places(names, exported->language, array, from, count);
}

static void statements(const Exported *exported, const Program *program, NameList *inputs,
                       NameList *outputs, Text *out)
{
    program_print(program, &exported->language->tongue, inputs->at.at, outputs->at.at, out);
    names_clear(inputs);
    names_clear(outputs);
}

// p | t | y, of which so many.
static NameList state_names(const Exported *exported, size_t count)
{
    NameList names = {.arena = exported->arena};
    names_add_members(&names, "p.", exported->param_names, exported->params);
    names_add(&names, "t");
    add_places(exported, &names, "y", 0, count);
    return names;
}

static NameList rate_names(const Exported *exported, const char *rate)
{
    size_t n = exported->n, k = exported->k;
    bool solved = exported->formulas.solved;
    NameList names = {.arena = exported->arena};
    add_places(exported, &names, rate, 0, solved ? n + k : n);
    if (!solved) {
        add_places(exported, &names, "matrix", 0, k * k);
        add_places(exported, &names, "right", 0, k);
    }
    return names;
}

void script_rates(const Exported *exported, Text *out)
{
    NameList inputs = state_names(exported, exported->n + exported->k);
    NameList outputs = rate_names(exported, "rate");
    statements(exported, exported->rates, &inputs, &outputs, out);
}

void script_slopes(const Exported *exported, Text *out)
{
    NameList inputs = state_names(exported, exported->n + exported->k);
    add_places(exported, &inputs, "direction", 0, exported->n + exported->k);
    NameList outputs = rate_names(exported, "change");
    statements(exported, exported->slopes, &inputs, &outputs, out);
}

// p | t | y, and u' where it was solved for in numbers.
static NameList found_names(const Exported *exported)
{
    NameList names = state_names(exported, exported->n + exported->k);
    if (!exported->formulas.solved)
        add_places(exported, &names, "rate", exported->n, exported->k);
    return names;
}

void script_accelerations(const Exported *exported, Text *out)
{
    NameList inputs = found_names(exported), outputs = {.arena = exported->arena};
    add_places(exported, &outputs, "a", 0, exported->n);
    statements(exported, exported->accelerations, &inputs, &outputs, out);
}

void script_reactions(const Exported *exported, Text *out)
{
    size_t n = exported->n;
    NameList inputs = state_names(exported, n), outputs = {.arena = exported->arena};
    add_places(exported, &inputs, "v", 0, n);
    add_places(exported, &inputs, "a", 0, n);
    add_places(exported, &outputs, "b", 0, exported->m * n);
    add_places(exported, &outputs, "rest", 0, n);
    statements(exported, exported->reactions, &inputs, &outputs, out);
}

void script_quantities(const Exported *exported, Text *out)
{
    size_t n = exported->n;
    NameList inputs = state_names(exported, n), outputs = {.arena = exported->arena};
    add_places(exported, &inputs, "v", 0, n);
    add_places(exported, &inputs, "a", 0, n);
    add_places(exported, &inputs, "l", 0, exported->m);
    names_add(&outputs, "energy");
    add_places(exported, &outputs, "residual", 0, exported->residuals);
    add_places(exported, &outputs, "out", 0, exported->model->outputs.count);
    statements(exported, exported->quantities, &inputs, &outputs, out);
}

void script_sides(const Exported *exported, Text *out)
{
    size_t k = exported->k;
    NameList inputs = found_names(exported), outputs = {.arena = exported->arena};
    add_places(exported, &outputs, "side", 0, exported->sides * (3 + k));
    add_places(exported, &outputs, "inertia", 0, k * k);
    statements(exported, exported->instant, &inputs, &outputs, out);
}

void script_follow(const Exported *exported, Text *out)
{
    NameList inputs = {.arena = exported->arena}, outputs = {.arena = exported->arena};
    names_add_members(&inputs, "p.", exported->param_names, exported->params);
    names_add_members(&outputs, "p.", exported->param_names, exported->params);
    statements(exported, exported->follow, &inputs, &outputs, out);
}

// ---- Lists.

// What stands between quotes: nothing that could end them.
static void add_quoted(const char *name, Text *out)
{
    text_add_char(out, '"');
    for (; *name; name++)
        text_add_char(out, *name == '"' || *name == '\\' || *name == '$' ? '_' : *name);
    text_add_char(out, '"');
}

void script_names(const char *const *names, size_t count, Text *out)
{
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? ", " : "");
        add_quoted(names[i], out);
    }
}

void script_numbers(const double *values, size_t count, Text *out)
{
    for (size_t i = 0; i < count; i++)
        text_addf(out, "%s%.17g", i ? ", " : "", values[i]);
}

#define SPELLED(count, expression)                                                                 \
    const char **names = arena_alloc(exported->arena, ((count) + 1) * sizeof *names);              \
    for (size_t i = 0; i < (count); i++)                                                           \
        names[i] = (expression);                                                                   \
    return names

const char **script_coordinates(const Exported *exported)
{
    SPELLED(exported->n, exported->model->coords.at[i].name);
}

const char **script_conditions(const Exported *exported)
{
    SPELLED(exported->m, exported->motion->rows[i].constraint->name);
}

const char **script_outputs(const Exported *exported)
{
    SPELLED(exported->model->outputs.count, exported->model->outputs.at[i].name);
}

const char **script_side_names(const Exported *exported)
{
    SPELLED(exported->sides, exported->motion->sides[i].constraint->name);
}

const char **script_residuals(const Exported *exported)
{
    const Model *model = exported->model;
    const char **names = arena_alloc(exported->arena, (exported->residuals + 1) * sizeof *names);
    size_t at = 0;
    for (size_t i = 0; i < model->constraints.count; i++)
        if (!model->constraints.at[i].silent)
            names[at++] = model->constraints.at[i].name;
    return names;
}

// ---- Templates.

static size_t count_of(const Exported *exported, char mark)
{
    switch (mark) {
    case 'n': return exported->n;
    case 'k': return exported->k;
    case 'm': return exported->m;
    case 's': return exported->sides;
    case 'y': return exported->n + exported->k;
    case 'r': return exported->residuals;
    default: return exported->model->outputs.count;
    }
}

void script_template(const Exported *exported, const char *template, Text *out)
{
    for (; *template; template ++)
        if (*template == '@')
            text_add(out, exported->system);
        else if (*template == '$')
            text_addf(out, "%zu", count_of(exported, *++template));
        else
            text_add_char(out, *template);
}
