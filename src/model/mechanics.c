// mechanics.c: statements that say what acts: mass, kinetic, potential, gravity, force; and
// what is asked: output. Also the system's name.
#include "model/model_impl.h"

bool read_mass(Elaborator *e)
{
    ModelMass mass = {.place = syntax_statement_place(e->syntax, e->statement)};
    bool good = elaborate_measure(e, statement_part(e, PART_VALUE), LEVEL_PARAM, "a mass",
                                  dim_of(1, 0, 0), &mass.mass, NULL);
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
    int seconds; // the power of them in its dimension
} energies[ENERGY_COUNT] = {
    [ENERGY_KINETIC] = {STATEMENT_KINETIC, LEVEL_VELOCITY, "a kinetic energy", -2},
    [ENERGY_POTENTIAL] = {STATEMENT_POTENTIAL, LEVEL_PLACE, "a potential energy", -2},
    [ENERGY_LAGRANGIAN] = {STATEMENT_LAGRANGIAN, LEVEL_VELOCITY, "a Lagrangian", -2},
    [ENERGY_ACCELERATION] = {STATEMENT_ACCELERATION_ENERGY, LEVEL_ALL, "an energy of acceleration",
                             -4},
    [ENERGY_DISSIPATION] = {STATEMENT_DISSIPATION, LEVEL_VELOCITY, "a dissipation function", -3},
};

bool read_energy(Elaborator *e)
{
    int kind = 0;
    while (energies[kind].statement != e->statement->kind)
        kind++;
    Expr energy;
    if (!elaborate_measure(e, statement_part(e, PART_VALUE), energies[kind].level,
                           energies[kind].what, dim_of(1, 2, energies[kind].seconds), &energy,
                           NULL))
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
    const Part *value = statement_part(e, PART_VALUE);
    return elaborate_directed(e, value, LEVEL_TIME, "gravity, as in [0, 0, -9.81],",
                              dim_of(0, 1, -2), &e->model->gravity, NULL);
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
        elaborate_fail(e, target.place, "%s acts along a coordinate%s, and '%s' is %s%s", what,
                       speeds ? " or a speed" : "", text_shown(target.base).at,
                       names_kind(entry->kind), names_in_part(e, entry));
    else
        return entry;
    return NULL;
}

Dim dim_along(const NameEntry *entry, int seconds)
{
    Dim energy = dim_of(1, 2, seconds - (entry->kind == NAME_SPEED ? 1 : 0));
    return dim_over(energy, entry->value.dim);
}

// A column along an array: an entry along each element.
static bool read_forces_along(Elaborator *e, const NameEntry *family)
{
    const Part *part = statement_part(e, PART_VALUE);
    Place place = syntax_part_place(e->syntax, part);
    Value column = elaborate_span(e, part->span);
    if (column.kind == VALUE_VECTOR || value_is_matrix(e, &column))
        value_to_matrix(e, &column);
    size_t count = element_count(e, family), given = (size_t)column.rows * column.columns, at = 0;
    if (column.kind == VALUE_BAD)
        return false;
    Shown text = text_shown(syntax_text(e->syntax, place.start, place.length));
    if (column.kind != VALUE_MATRIX || given != count)
        return elaborate_fail(e, place,
                              "'%s' has %zu element%s and '%s' has %zu; a force along an array has "
                              "one for each",
                              text.at, column.kind == VALUE_MATRIX ? given : 1,
                              column.kind == VALUE_MATRIX && given != 1 ? "s" : "",
                              text_shown(family->name).at, count);
    if (!value_within(e, &column, LEVEL_VELOCITY, place, "a force along a coordinate"))
        return false;
    for (uint32_t i = family->first; i; i = e->names.at[i].next, at++) {
        const NameEntry *entry = &e->names.at[i];
        ModelForceAlong force = {.place = syntax_statement_place(e->syntax, e->statement),
                                 .force = column.entries[at],
                                 .on_speed = entry->kind == NAME_SPEED,
                                 .target = entry->index,
                                 .waits = e->waits};
        if (entry->replaced)
            return elaborate_fail(e, place, "'%s' is an abbreviation here",
                                  text_shown(entry->name).at);
        if (!dim_check_along(e, entry, column.dims[at], -2, part, "force"))
            return false;
        array_push(&e->model->forces_along, force);
    }
    return true;
}

// The array that a force acts along as a whole; NULL where it is none.
static const NameEntry *find_along_array(Elaborator *e, const Part *along)
{
    const Node *root = &e->syntax->nodes.at[along->span.root];
    const NameEntry *entry =
        root->kind == NODE_NAME ? names_find(e, syntax_name(e->syntax, root->name)) : NULL;
    bool moves = entry && entry->family && entry->first &&
                 (e->names.at[entry->first].kind == NAME_COORD ||
                  e->names.at[entry->first].kind == NAME_SPEED);
    return moves ? entry : NULL;
}

static bool read_force_along(Elaborator *e, const Part *along)
{
    const NameEntry *family = find_along_array(e, along);
    if (family)
        return read_forces_along(e, family);
    ModelForceAlong force = {.place = syntax_statement_place(e->syntax, e->statement)};
    const Part *value = statement_part(e, PART_VALUE);
    Dim dim;
    bool good = elaborate_measure(e, value, LEVEL_VELOCITY, "a force along a coordinate", dim_any(),
                                  &force.force, &dim);
    const NameEntry *entry = elaborate_along(e, along, "a force", true);
    if (!entry || !good || !dim_check_along(e, entry, dim, -2, value, "force"))
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
    bool good = elaborate_directed(e, statement_part(e, PART_VALUE), LEVEL_VELOCITY, "a force",
                                   dim_of(1, 1, -2), &force.force, NULL);
    good = elaborate_load_point(e, "a force", &force.point) && good;
    if (good)
        array_push(&e->model->forces_at, force);
    return good;
}

bool dim_check_along(Elaborator *e, const NameEntry *entry, Dim have, int seconds,
                     const Part *value, const char *load)
{
    Text what = {0}, over = {0};
    dim_add_words(entry->value.dim, &over);
    text_addf(&what, "a%s %s along %s, which is %s,", load[0] == 'i' ? "n" : "", load,
              entry->name.at, over.at);
    bool good =
        dim_check(e, have, dim_along(entry, seconds), syntax_part_place(e->syntax, value), what.at);
    text_clear(&what);
    text_clear(&over);
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
                        const ModelOutput *like)
{
    Text name = {0};
    text_addf(&name, "%s%s", label, member);
    ModelOutput output = *like;
    output.value = value;
    output.name = arena_copy_text(e->arena, name.at, name.length);
    text_clear(&name);
    array_push(&e->model->outputs, output);
}

// A column for each entry.
static bool push_outputs(Elaborator *e, const char *label, const Part *name, const Part *part,
                         const Value *matrix)
{
    for (uint32_t at = 0; at < matrix->rows * matrix->columns; at++) {
        Text index = {0};
        Expr value = matrix->entries[at];
        ModelOutput like = {.place = syntax_part_place(e->syntax, name),
                            .dim = matrix->dims[at],
                            .domains = matrix->domains};
        if (!dim_take_declared(e, name, part->span, syntax_part_place(e->syntax, part), &value,
                               &like.dim, &like.unit))
            return false;
        text_addf(&index, matrix->columns > 1 ? "[%u,%u]" : "[%u]", at / matrix->columns + 1,
                  at % matrix->columns + 1);
        push_output(e, label, index.at, value, &like);
        text_clear(&index);
    }
    return true;
}

static bool read_output_item(Elaborator *e, const Part *name, const Part *part)
{
    Place place = syntax_part_place(e->syntax, name);
    Value value = elaborate_span(e, part->span);
    const char *label;
    bool named = elaborate_label(e, name, e->output_labels, "an output", &label);
    bool whole = value.kind == VALUE_VECTOR || value.kind == VALUE_POINT;
    if (value_is_matrix(e, &value) && value_to_matrix(e, &value))
        return named && push_outputs(e, label, name, part, &value);
    if (!whole)
        value = value_as_scalar(e, value, syntax_part_place(e->syntax, part), "an output");
    ModelOutput like = {.place = place};
    if (value.kind == VALUE_BAD || !named ||
        !dim_take_declared(e, name, part->span, syntax_part_place(e->syntax, part), &value.scalar,
                           &value.dim, &like.unit))
        return false;
    like.dim = value.dim;
    like.domains = value.domains;
    if (!whole) {
        push_output(e, label, "", value.scalar, &like);
        return true;
    }
    Vec parts = vector_in(e->model->vectors, value.vector, (Frame){0});
    push_output(e, label, ".x", parts.x, &like);
    push_output(e, label, ".y", parts.y, &like);
    push_output(e, label, ".z", parts.z, &like);
    return true;
}

bool read_output(Elaborator *e)
{
    bool good = true;
    for (uint32_t i = 0; i + 1 < e->statement->count; i++) {
        const Part *name = &e->syntax->parts.at[e->statement->first + i];
        if (name->role == PART_LABEL)
            good = read_output_item(e, name, part_behind(e, name, PART_VALUE)) && good;
    }
    return good;
}
