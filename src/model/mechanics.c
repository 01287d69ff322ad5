// mechanics.c: statements that say what acts: mass, kinetic, potential, gravity, force; and
// what is asked: output. Also the system's name.
#include "model/model_impl.h"

bool read_mass(Elaborator *e)
{
    ModelMass mass = {.place = syntax_statement_place(e->syntax, e->statement)};
    bool good =
        elaborate_scalar(e, statement_part(e, PART_VALUE), LEVEL_PARAM, "a mass", &mass.mass);
    good = elaborate_point(e, statement_part(e, PART_AT), LEVEL_PLACE, "a mass's position",
                           &mass.position) &&
           good;
    if (good)
        array_push(&e->model->masses, mass);
    return good;
}

static const struct {
    StatementKind statement;
    Level level;
    const char *what;
} energies[ENERGY_COUNT] = {
    [ENERGY_KINETIC] = {STATEMENT_KINETIC, LEVEL_VELOCITY, "a kinetic energy"},
    [ENERGY_POTENTIAL] = {STATEMENT_POTENTIAL, LEVEL_PLACE, "a potential energy"},
    [ENERGY_LAGRANGIAN] = {STATEMENT_LAGRANGIAN, LEVEL_VELOCITY, "a Lagrangian"},
    [ENERGY_ACCELERATION] = {STATEMENT_ACCELERATION_ENERGY, LEVEL_ALL, "an energy of acceleration"},
    [ENERGY_DISSIPATION] = {STATEMENT_DISSIPATION, LEVEL_VELOCITY, "a dissipation function"},
};

bool read_energy(Elaborator *e)
{
    int kind = 0;
    while (energies[kind].statement != e->statement->kind)
        kind++;
    Expr energy;
    if (!elaborate_scalar(e, statement_part(e, PART_VALUE), energies[kind].level,
                          energies[kind].what, &energy))
        return false;
    Place *place = &e->model->acceleration_energy_place;
    if (kind == ENERGY_ACCELERATION && !place->source)
        *place = syntax_word_place(e->syntax, e->statement);
    array_push(&e->energy_terms[kind], energy);
    return true;
}

bool read_gravity(Elaborator *e)
{
    Place place = syntax_word_place(e->syntax, e->statement);
    if (e->gravity_place.source)
        return elaborate_fail(e, place, "gravity is already given in %s",
                              elaborate_line(e->gravity_place).at);
    e->gravity_place = place;
    return elaborate_vector(e, statement_part(e, PART_VALUE), LEVEL_TIME,
                            "gravity, as in [0, 0, -9.81],", &e->model->gravity);
}

const NameEntry *elaborate_along(Elaborator *e, const Part *along, const char *what, bool speeds)
{
    Target target;
    if (!elaborate_target(e, along, &target))
        return NULL;
    const NameEntry *entry = names_find_target(e, &target);
    if (!entry)
        return NULL;
    if (entry->family)
        elaborate_fail(e, target.place, "'%s' is an array; %s acts along one element",
                       text_shown(target.base).at, what);
    else if (entry->kind != NAME_COORD && !(speeds && entry->kind == NAME_SPEED))
        elaborate_fail(e, target.place, "%s acts along a coordinate%s, and '%s' is %s", what,
                       speeds ? " or a speed" : "", text_shown(target.base).at,
                       names_kind(entry->kind));
    else
        return entry;
    return NULL;
}

static bool read_force_along(Elaborator *e, const Part *along)
{
    ModelForceAlong force = {.place = syntax_statement_place(e->syntax, e->statement)};
    bool good = elaborate_scalar(e, statement_part(e, PART_VALUE), LEVEL_VELOCITY,
                                 "a force along a coordinate", &force.force);
    const NameEntry *entry = elaborate_along(e, along, "a force", true);
    if (!entry || !good)
        return false;
    force.on_speed = entry->kind == NAME_SPEED;
    force.target = entry->index;
    force.waits = e->waits;
    array_push(&e->model->forces_along, force);
    return true;
}

// `on` names a body, or the point again.
static bool read_load_target(Elaborator *e, const char *load, const Part *on, ModelLoadPoint *point)
{
    Value target = elaborate_span(e, on->span);
    point->target = syntax_part_place(e->syntax, on);
    if (target.kind == VALUE_BAD)
        return false;
    if (target.kind == VALUE_BODY) {
        point->on = LOAD_ON_BODY;
        point->body = target.body;
        return true;
    }
    bool place = target.kind == VALUE_POINT || target.kind == VALUE_VECTOR;
    if (place && is_same_vector(e, target.vector, point->position)) {
        point->on = LOAD_ON_POINT_SAID;
        return true;
    }
    Str text = syntax_text(e->syntax, point->target.start, point->target.length);
    return elaborate_fail(
        e, point->target, "%s acts on a body or on its point, and '%s' is %s; name the body", load,
        text_shown(text).at, place ? "another point" : value_kind_name(target.kind));
}

bool elaborate_load_point(Elaborator *e, const char *load, ModelLoadPoint *point)
{
    const Part *at = statement_part(e, PART_AT), *on = statement_part(e, PART_ON);
    Text what = {0};
    text_addf(&what, "the point of %s", load);
    bool good = elaborate_point(e, at, LEVEL_PLACE, what.at, &point->position);
    text_clear(&what);
    point->at = syntax_part_place(e->syntax, at);
    Str text = syntax_text(e->syntax, point->at.start, point->at.length);
    point->name = arena_copy_text(e->arena, text.at, text.length);
    return good && (!on || read_load_target(e, load, on, point));
}

bool read_force(Elaborator *e)
{
    const Part *along = statement_part(e, PART_ALONG);
    if (along)
        return read_force_along(e, along);
    ModelForceAt force = {.waits = e->waits,
                          .place = syntax_statement_place(e->syntax, e->statement)};
    bool good =
        elaborate_vector(e, statement_part(e, PART_VALUE), LEVEL_VELOCITY, "a force", &force.force);
    good = elaborate_load_point(e, "a force", &force.point) && good;
    if (good)
        array_push(&e->model->forces_at, force);
    return good;
}

bool read_include(Elaborator *e)
{
    const Part *path = statement_part(e, PART_TITLE);
    return elaborate_fail(e, syntax_part_place(e->syntax, path),
                          "this text is in no folder, so that it can %s no file; open the model "
                          "from a file, or put the text of %s in its place",
                          statement_word(e->statement->kind),
                          text_shown(syntax_text(e->syntax, path->start, path->length)).at);
}

bool read_system(Elaborator *e)
{
    Place place = syntax_word_place(e->syntax, e->statement);
    if (e->scope)
        return elaborate_fail(e, place, "'system' stands outside of parts");
    if (elaborate_is_included(place))
        return elaborate_fail(
            e, place, "'system' stands in the model itself, not in a file that it includes");
    if (e->statement != e->syntax->statements.at)
        return elaborate_fail(e, place, "'system' must be the first statement of the file");
    const Part *title = statement_part(e, PART_TITLE);
    const Part *label = statement_part(e, PART_LABEL);
    const Node *node = &e->syntax->nodes.at[label->span.root];
    if (node->kind != NODE_NAME)
        return elaborate_fail(e, syntax_part_place(e->syntax, label),
                              "a system's name has no indices");
    Str name = syntax_name(e->syntax, node->name);
    e->model->name = arena_copy_text(e->arena, name.at, name.length);
    if (title) {
        Str text = syntax_text(e->syntax, title->start, title->length);
        e->model->title = arena_copy_text(e->arena, text.at, text.length);
    }
    return true;
}

// ---- Outputs.

bool elaborate_label(Elaborator *e, const Part *part, NameMap *labels, const char *what,
                     const char **label)
{
    Target target;
    if (!elaborate_target(e, part, &target))
        return false;
    if (target.ranges)
        return elaborate_fail(e, target.place, "a name is expected here, not a range of names");
    Str full = names_own(e, target.base, target.low, target.rank);
    *label = full.at;
    if (name_map_put(labels, full, 1))
        return true;
    if (e->loops.count > 0 && target.rank == 0)
        return elaborate_fail(e, target.place,
                              "there is already %s '%s'; in a loop give it an index, as in %s[%s]",
                              what, text_shown(full).at, text_shown(full).at,
                              text_shown(e->loops.at[e->loops.count - 1].name).at);
    return elaborate_fail(e, target.place, "there is already %s '%s'", what, text_shown(full).at);
}

static void push_output(Elaborator *e, const char *label, const char *member, Expr value,
                        Place place)
{
    Text name = {0};
    text_addf(&name, "%s%s", label, member);
    ModelOutput output = {.value = value, .place = place};
    output.name = arena_copy_text(e->arena, name.at, name.length);
    text_clear(&name);
    array_push(&e->model->outputs, output);
}

static bool read_output_item(Elaborator *e, const Part *name, const Part *part)
{
    Place place = syntax_part_place(e->syntax, name);
    Value value = elaborate_span(e, part->span);
    const char *label;
    bool named = elaborate_label(e, name, e->output_labels, "an output", &label);
    bool whole = value.kind == VALUE_VECTOR || value.kind == VALUE_POINT;
    if (!whole)
        value = value_as_scalar(e, value, syntax_part_place(e->syntax, part), "an output");
    if (value.kind == VALUE_BAD || !named)
        return false;
    if (!whole) {
        push_output(e, label, "", value.scalar, place);
        return true;
    }
    Vec parts = vector_in(e->model->vectors, value.vector, (Frame){0});
    push_output(e, label, ".x", parts.x, place);
    push_output(e, label, ".y", parts.y, place);
    push_output(e, label, ".z", parts.z, place);
    return true;
}

bool read_output(Elaborator *e)
{
    bool good = true;
    for (uint32_t i = 0; i + 1 < e->statement->count; i += 2) {
        const Part *parts = &e->syntax->parts.at[e->statement->first + i];
        good = read_output_item(e, parts, parts + 1) && good;
    }
    return good;
}
