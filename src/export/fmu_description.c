// fmu_description.c: modelDescription.xml of an FMU: its variables, by the names of a run's
// columns, and how they hang together.
//
// theta' is der(theta). Where all names follow FMI's grammar they are told to be structured.
#include "export/fmu_impl.h"
#include "model/events.h"
#include "model/friction.h"
#include "motion/frictions.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

typedef struct {
    const Exported *exported;
    FmuPlaces at;
    Text variables, outputs, derivatives, unknowns, indicators;
    NameSet names;
    FmuUnits units;
    bool structured;
} Description;

static void add_escaped(const char *text, Text *out)
{
    for (size_t hidden; *text; text += hidden ? hidden : 1) {
        hidden = str_hidden(text);
        switch (hidden ? ' ' : *text) {
        case '&': text_add(out, "&amp;"); break;
        case '<': text_add(out, "&lt;"); break;
        case '>': text_add(out, "&gt;"); break;
        case '"': text_add(out, "&quot;"); break;
        default: text_add_char(out, hidden || (unsigned char)*text < ' ' ? ' ' : *text);
        }
    }
}

// ---- Names.

// name, name[1,2], name.part
static bool is_identifier(const char *name)
{
    do {
        if (!isalpha((unsigned char)*name) && *name != '_')
            return false;
        while (isalnum((unsigned char)*name) || *name == '_')
            name++;
        if (*name == '[') {
            name += 1 + strspn(name + 1, "0123456789,");
            if (*name++ != ']')
                return false;
        }
    } while (*name == '.' && *++name);
    return *name == '\0';
}

// "theta" and 1 are der(theta), "theta'" and 1 der(theta,2).
static const char *name_of(Description *description, const char *name, int order)
{
    Arena *arena = description->exported->arena;
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == '\'') {
        length--;
        order++;
    }
    const char *base = arena_copy_text(arena, name, length);
    Text text = {0};
    description->structured = description->structured && is_identifier(base);
    if (order == 0)
        text_add(&text, base);
    else if (order == 1)
        text_addf(&text, "der(%s)", base);
    else
        text_addf(&text, "der(%s,%d)", base, order);
    const char *full = arena_copy_text(arena, text.at, text.length);
    text_clear(&text);
    return full;
}

// What is called like something else gets a line behind it.
static const char *unlike_others(Description *description, const char *name)
{
    Text text = {0};
    text_add(&text, name);
    for (size_t i = 0; i < description->names.count; i++)
        if (strcmp(description->names.at[i], text.at) == 0) {
            text_add_char(&text, '_');
            i = (size_t)-1;
        }
    const char *own = arena_copy_text(description->exported->arena, text.at, text.length);
    text_clear(&text);
    array_push(&description->names, own);
    return own;
}

// ---- Variables.

typedef enum { PARAMETER, CALCULATED, INPUT, STATE, DISCRETE, OUTPUT, MODE, LOCAL } Role;
static const struct {
    const char *attributes;
    bool has_start;
} roles[] = {
    [PARAMETER] = {"causality=\"parameter\" variability=\"tunable\"", true},
    [CALCULATED] = {"causality=\"calculatedParameter\" variability=\"tunable\" "
                    "initial=\"calculated\"",
                    false},
    [INPUT] = {"causality=\"input\" variability=\"continuous\"", true},
    [STATE] = {"causality=\"output\" variability=\"continuous\" initial=\"exact\"", true},
    [DISCRETE] = {"causality=\"output\" variability=\"discrete\" initial=\"exact\"", true},
    [OUTPUT] = {"causality=\"output\" variability=\"continuous\" initial=\"calculated\"", false},
    [MODE] = {"causality=\"output\" variability=\"discrete\" initial=\"calculated\"", false},
    [LOCAL] = {"causality=\"local\" variability=\"continuous\" initial=\"calculated\"", false},
};

static void add_unit(Description *description, const char *name, Text *out)
{
    ColumnUnit unit;
    if (!fmu_unit(description->exported, name, &unit))
        return;
    text_addf(out, " unit=\"%s\"", unit.si);
    if (unit.shown.scale != 1)
        text_addf(out, " displayUnit=\"%s\"", unit.shown.text);
    array_push(&description->units, unit);
}

// `of` is the state that it is the derivative of, 0: of none.
static void add_variable(Description *description, const char *name, Role role, size_t at,
                         double start, size_t of)
{
    Text *out = &description->variables;
    text_add(out, "    <Float64 name=\"");
    add_escaped(unlike_others(description, name), out);
    text_addf(out, "\" valueReference=\"%zu\" %s", at, roles[role].attributes);
    add_unit(description, name, out);
    if (of)
        text_addf(out, " derivative=\"%zu\"", of);
    if (roles[role].has_start)
        text_addf(out, " start=\"%.17g\"", start);
    text_add(out, "/>\n");
    if (role == STATE || role == DISCRETE || role == OUTPUT || role == MODE)
        text_addf(&description->outputs, "    <Output valueReference=\"%zu\"/>\n", at);
    if (role == CALCULATED || role == OUTPUT || role == MODE || (role == LOCAL && of))
        text_addf(&description->unknowns, "    <InitialUnknown valueReference=\"%zu\"/>\n", at);
}

static void add_parameters(Description *description)
{
    const Exported *exported = description->exported;
    for (size_t i = 0; i < exported->params; i++) {
        const ModelParam *param = &exported->model->params.at[i];
        Role role = param->is_state                  ? DISCRETE
                    : exported_is_input(exported, i) ? INPUT
                    : exported_follows(exported, i)  ? CALCULATED
                                                     : PARAMETER;
        add_variable(description, name_of(description, param->name, 0), role,
                     description->at.parameters + i, exported->param_values[i], 0);
    }
}

// The speed that is a coordinate's velocity, or none.
static bool find_speed(const Exported *exported, const char *coordinate, size_t *speed)
{
    size_t length = strlen(coordinate);
    for (size_t i = 0; i < exported->k; i++) {
        const char *name = exported->formulas.speed_names[i];
        if (strncmp(name, coordinate, length) == 0 && strcmp(name + length, "'") == 0) {
            *speed = i;
            return true;
        }
    }
    return false;
}

static void add_states(Description *description)
{
    const Exported *exported = description->exported;
    const FmuPlaces *at = &description->at;
    size_t n = exported->n, speed;
    size_t *of = base_alloc((exported->k + 1) * sizeof *of);
    memset(of, 0, (exported->k + 1) * sizeof *of);
    for (size_t i = 0; i < n; i++) {
        const char *name = exported->model->coords.at[i].name;
        bool in_state = find_speed(exported, name, &speed);
        size_t derivative = in_state ? at->states + n + speed : at->velocities + i;
        if (in_state)
            of[speed] = at->states + i;
        add_variable(description, name_of(description, name, 0), STATE, at->states + i,
                     exported->q[i], 0);
        if (!in_state)
            add_variable(description, name_of(description, name, 1), OUTPUT, derivative, 0,
                         at->states + i);
        text_addf(&description->derivatives,
                  "    <ContinuousStateDerivative valueReference=\"%zu\"/>\n", derivative);
    }
    for (size_t i = 0; i < exported->k; i++) {
        const char *name = exported->formulas.speed_names[i];
        const char *rate = name_of(description, name, 1);
        add_variable(description, name_of(description, name, 0), STATE, at->states + n + i,
                     exported->u[i], of[i]);
        add_variable(description, rate, LOCAL, at->rates + i, 0, at->states + n + i);
        text_addf(&description->derivatives,
                  "    <ContinuousStateDerivative valueReference=\"%zu\"/>\n", at->rates + i);
    }
    base_free(of);
}

static void add_prefixed(Description *description, const char *before, const char *name, size_t at)
{
    Text text = {0};
    text_addf(&text, "%s%s", before, name);
    add_variable(description, name_of(description, text.at, 0), OUTPUT, at, 0, 0);
    text_clear(&text);
}

static void add_frictions(Description *description)
{
    static const char *const axes[] = {".x", ".y", ".z"};
    const Motion *motion = description->exported->motion;
    size_t next = description->at.forces, count = motion->friction_count;
    for (size_t i = 0; i < count; i++) {
        const ModelFriction *own = motion->frictions[i].friction;
        bool law = own->kind == FRICTION_AGAINST;
        for (size_t axis = 0; axis < (law ? 1 : 3); axis++) {
            Text name = {0};
            text_addf(&name, "%s%s", own->name, law ? "" : axes[axis]);
            add_prefixed(description, "friction.", name.at, next++);
            text_clear(&name);
        }
    }
    next = description->at.slips;
    for (size_t i = 0; i < count; i++)
        add_prefixed(description, "slip.", motion->frictions[i].friction->name, next++);
    for (size_t i = 0; i < count; i++) {
        Text name = {0};
        text_addf(&name, "mode.%s", motion->frictions[i].friction->name);
        add_variable(description, name_of(description, name.at, 0), MODE, next++, 0, 0);
        text_clear(&name);
    }
    assert(next == description->at.indicators);
}

static void add_columns(Description *description)
{
    const Exported *exported = description->exported;
    const Model *model = exported->model;
    const FmuPlaces *at = &description->at;
    size_t next = at->quantities + 1;
    for (size_t i = 0; i < exported->m; i++)
        add_prefixed(description, "lambda.", exported->conditions[i]->constraint->name,
                     at->conditions + i);
    for (size_t i = 0; i < exported->sides; i++)
        add_prefixed(description, "lambda.", exported->side_rows[i]->constraint->name,
                     at->sides + i);
    if (exported->has_energy)
        add_variable(description, "energy", OUTPUT, at->quantities, 0, 0);
    for (size_t i = 0; i < model->constraints.count; i++)
        if (!model->constraints.at[i].silent)
            add_prefixed(description, "residual.", model->constraints.at[i].name, next++);
    for (size_t i = 0; i < model->outputs.count; i++)
        add_variable(description, name_of(description, model->outputs.at[i].name, 0), OUTPUT,
                     next++, 0, 0);
    for (size_t i = 0; i < model->speeds.count; i++)
        if (!fmu_in_state(exported, i))
            add_variable(description, name_of(description, model->speeds.at[i].name, 0), OUTPUT,
                         next++, 0, 0);
    assert(next == at->forces);
    add_frictions(description);
}

static void add_indicator(Description *description, const char *name, size_t i)
{
    add_variable(description, name_of(description, name, 0), LOCAL, description->at.indicators + i,
                 0, 0);
    text_addf(&description->indicators, "    <EventIndicator valueReference=\"%zu\"/>\n",
              description->at.indicators + i);
}

static void add_prefixed_indicator(Description *description, const char *before, const char *name,
                                   size_t *next)
{
    Text text = {0};
    text_addf(&text, "%s%s", before, name);
    add_indicator(description, text.at, (*next)++);
    text_clear(&text);
}

// In the order of fmu/fmu_types.h.
static void add_indicators(Description *description)
{
    const Exported *exported = description->exported;
    const Motion *motion = exported->motion;
    size_t next = 0;
    for (size_t i = 0; i < exported->sides; i++)
        add_prefixed_indicator(description, "event.", exported->side_rows[i]->constraint->name,
                               &next);
    for (size_t i = 0; i < motion->friction_count; i++)
        add_prefixed_indicator(description, "event.friction.", motion->frictions[i].friction->name,
                               &next);
    for (size_t i = 0; i < motion->friction_count; i++)
        if (fmu_has_sign(&motion->frictions[i]))
            add_prefixed_indicator(description, "event.normal.",
                                   motion->frictions[i].friction->name, &next);
    for (size_t i = 0; i < exported->switches.count; i++) {
        Text name = {0};
        text_addf(&name, "event.switch[%zu]", i + 1);
        add_indicator(description, name.at, next++);
        text_clear(&name);
    }
    for (size_t i = 0; i < exported->model->events.count; i++)
        add_prefixed_indicator(description, "event.", exported->model->events.at[i].name, &next);
}

// ---- Together.

static void add_kind(const Exported *exported, const char *kind, const char *own, Text *out)
{
    text_addf(out,
              "  <%s modelIdentifier=\"%s\" canGetAndSetFMUState=\"true\" "
              "canSerializeFMUState=\"true\" providesDirectionalDerivatives=\"true\" "
              "providesAdjointDerivatives=\"true\"%s/>\n",
              kind, exported->system, own);
}

static void add_piece(const Text *piece, Text *out)
{
    if (piece->length)
        text_add(out, piece->at);
}

void fmu_description(const Exported *exported, const char *token, Text *out)
{
    Description description = {
        .exported = exported, .at = fmu_places(exported), .structured = true};
    array_push(&description.names, "t");
    add_parameters(&description);
    add_states(&description);
    add_columns(&description);
    add_indicators(&description);
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"");
    add_escaped(exported->model->name, out);
    text_addf(out, "\" instantiationToken=\"%s\"", token);
    if (*exported->model->title) {
        text_add(out, " description=\"");
        add_escaped(exported->model->title, out);
        text_add(out, "\"");
    }
    text_addf(out, " generationTool=\"zwang %s\" variableNamingConvention=\"%s\">\n",
              exported->origin->version, description.structured ? "structured" : "flat");
    add_kind(exported, "ModelExchange", " needsCompletedIntegratorStep=\"true\"", out);
    add_kind(exported, "CoSimulation", " canHandleVariableCommunicationStepSize=\"true\"", out);
    ColumnUnit time;
    bool timed = fmu_unit(exported, "t", &time);
    if (timed)
        array_push(&description.units, time);
    fmu_unit_definitions(&description.units, out);
    text_addf(out,
              "  <LogCategories>\n    <Category name=\"logStatusError\" description=\"what went "
              "wrong, and where\"/>\n  </LogCategories>\n"
              "  <DefaultExperiment startTime=\"0\" stopTime=\"%.17g\" tolerance=\"%.17g\" "
              "stepSize=\"%.17g\"/>\n  <ModelVariables>\n    <Float64 name=\"t\" "
              "valueReference=\"0\" causality=\"independent\" variability=\"continuous\"%s/>\n",
              exported->to, exported->tolerance, exported->every, timed ? " unit=\"s\"" : "");
    add_piece(&description.variables, out);
    text_add(out, "  </ModelVariables>\n  <ModelStructure>\n");
    add_piece(&description.outputs, out);
    add_piece(&description.derivatives, out);
    add_piece(&description.unknowns, out);
    add_piece(&description.indicators, out);
    text_add(out, "  </ModelStructure>\n</fmiModelDescription>\n");
    text_clear(&description.variables);
    text_clear(&description.outputs);
    text_clear(&description.derivatives);
    text_clear(&description.unknowns);
    text_clear(&description.indicators);
    array_clear(&description.names);
    array_clear(&description.units);
}

void fmu_build_description(const Exported *exported, Text *out)
{
    text_addf(out,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<fmiBuildDescription fmiVersion=\"3.0\">\n"
              "  <BuildConfiguration modelIdentifier=\"%s\">\n"
              "    <SourceFileSet language=\"C99\">\n"
              "      <SourceFile name=\"fmu.c\"/>\n"
              "    </SourceFileSet>\n"
              "    <Library name=\"m\" external=\"true\"/>\n"
              "  </BuildConfiguration>\n"
              "</fmiBuildDescription>\n",
              exported->system);
}
