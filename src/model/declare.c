// declare.c: statements that make names: const, param, input, let, coord, speed, point.
#include "model/model_impl.h"

#include <string.h>

// The part behind `name` where it is its value, else NULL.
static const Part *value_behind(const Elaborator *e, const Part *name)
{
    static const PartRole roles[] = {PART_VALUE, PART_TABLE, PART_RANDOM};
    const Part *value = NULL;
    for (int i = 0; i < 3 && !value; i++)
        value = part_behind(e, name, roles[i]);
    return value;
}

typedef bool (*ReadItem)(Elaborator *, const Target *, const Part *name, const Part *value);

// All NAME = VALUE of the statement in hand; a wrong one does not stop the others.
static bool read_items(Elaborator *e, ReadItem read)
{
    bool good = true;
    for (uint32_t i = 0; i < e->statement->count; i++) {
        const Part *part = &e->syntax->parts.at[e->statement->first + i];
        if (part->role != PART_NAME)
            continue;
        Target target;
        bool item =
            elaborate_target(e, part, &target) && read(e, &target, part, value_behind(e, part));
        if (!item)
            names_lose(e, target.base);
        good = good && item;
    }
    return good;
}

static bool no_range(Elaborator *e, const Target *target)
{
    if (!target->ranges)
        return true;
    return elaborate_fail(e, target->place,
                          "a range of indices makes an array of coordinates or parameters; "
                          "elsewhere use 'for'");
}

NameEntry *declare_single(Elaborator *e, NameKind kind, const Target *target)
{
    if (!no_range(e, target))
        return NULL;
    return names_declare(e, kind, target->base, target->low, target->rank, target->place);
}

// ---- Constants.

static bool read_const_item(Elaborator *e, const Target *target, const Part *name,
                            const Part *value)
{
    (void)name;
    if (target->rank > 0)
        return elaborate_fail(e, target->place, "a constant is a single integer, without indices");
    const Setting *setting = settings_take(e, names_own(e, target->base, NULL, 0), false);
    const Syntax *file = e->syntax;
    if (setting) {
        e->syntax = setting->syntax;
        value = setting->value;
    }
    Value number = elaborate_span(e, value->span);
    int64_t integer;
    bool good = number.kind != VALUE_BAD;
    if (good && !value_integer(e, &number, &integer))
        good = setting
                   ? elaborate_fail(e, syntax_part_place(e->syntax, value),
                                    "a constant is an integer, in numbers and earlier constants")
                   : elaborate_fail(e, syntax_part_place(e->syntax, value),
                                    "a constant is an integer for indices; write 'param %s = %.*s'",
                                    text_shown(target->base).at, (int)value->length,
                                    e->syntax->source->at + value->start);
    e->syntax = file;
    if (!good)
        return false;
    NameEntry *entry = declare_single(e, NAME_CONST, target);
    if (entry)
        entry->value = number;
    return entry != NULL;
}

bool read_const(Elaborator *e)
{
    return read_items(e, read_const_item);
}

// ---- Arrays: `name[N]` runs from 1 to N, `name[a..b]` from a to b, the last index fastest.

typedef struct {
    size_t rank, count;
    int64_t low[MODEL_MOST_INDICES], high[MODEL_MOST_INDICES], now[MODEL_MOST_INDICES];
} Grid;

// An array is made at once; in a loop `name[i]` would make i elements in every round.
static bool check_outside_loops(Elaborator *e, const Target *target)
{
    if (target->rank == 0 || e->loops.count == 0)
        return true;
    Shown name = text_shown(target->base);
    const char *word = statement_word(e->statement->kind);
    return elaborate_fail(e, target->place,
                          "'%s %s[N]' makes %s[1] to %s[N] at once; write it outside of the loop",
                          word, name.at, name.at, name.at);
}

// How many there may be, and of what.
typedef struct {
    size_t now, most;
    const char *what;
} Room;

static bool check_room(Elaborator *e, const Target *target, const Grid *grid, Room room)
{
    if (grid->count <= room.most && room.now + grid->count <= room.most)
        return true;
    return elaborate_fail(e, target->place,
                          "with '%s' there would be more than %zu %s, the most that a model may "
                          "have",
                          text_shown(target->base).at, room.most, room.what);
}

static bool grid_init(Elaborator *e, const Part *name, const Target *target, Room room, Grid *grid)
{
    const Node *node = &e->syntax->nodes.at[name->span.root];
    const Child *children = syntax_children(e->syntax, node);
    *grid = (Grid){.rank = target->rank, .count = 1};
    for (size_t i = 0; i < target->rank; i++) {
        bool range = e->syntax->nodes.at[children[i + 1].node].kind == NODE_RANGE;
        grid->low[i] = grid->now[i] = range ? target->low[i] : 1;
        grid->high[i] = target->high[i];
        int64_t length = grid->high[i] - grid->low[i] + 1;
        if (length < 0 || (!range && length == 0))
            return elaborate_fail(e, syntax_node_place(e->syntax, children[i + 1].node),
                                  range ? "a range of indices runs upwards, as in 0..3"
                                        : "an array has at least one element");
        // Beyond any room the product might overflow.
        size_t count = (size_t)length < room.most + 1 ? (size_t)length : room.most + 1;
        grid->count *= count;
        if (!check_room(e, target, grid, room))
            return false;
    }
    return check_room(e, target, grid, room) && check_outside_loops(e, target);
}

static void grid_next(Grid *grid)
{
    for (size_t i = grid->rank; i-- > 0;) {
        if (++grid->now[i] <= grid->high[i])
            return;
        grid->now[i] = grid->low[i];
    }
}

// What makes one element, number `at` of its array.
typedef bool (*MakeElement)(Elaborator *, NameEntry *, size_t at, const void *context);

static bool declare_array(Elaborator *e, NameKind kind, const Target *target, Grid *grid,
                          MakeElement make, const void *context)
{
    for (size_t i = 0; i < grid->count; i++, grid_next(grid)) {
        NameEntry *entry =
            names_declare(e, kind, target->base, grid->now, grid->rank, target->place);
        if (!entry || !make(e, entry, i, context))
            return false;
    }
    uint32_t index;
    if (grid->rank == 0 || !name_map_get(e->name_map, names_own(e, target->base, NULL, 0), &index))
        return true;
    int64_t *bounds = arena_alloc(e->arena, 2 * grid->rank * sizeof *bounds);
    memcpy(bounds, grid->low, grid->rank * sizeof *bounds);
    memcpy(bounds + grid->rank, grid->high, grid->rank * sizeof *bounds);
    e->names.at[index].low = bounds;
    e->names.at[index].high = bounds + grid->rank;
    return true;
}

// ---- Parameters.

// What parameters are declared with.
typedef struct {
    Expr *values, radius; // NULL: they have none
    Dim *dims;
    const ModelUnit *unit;
} ParamDefaults;

// Whether it is named among the replacements, without a value.
static bool is_named_alone(const Elaborator *e, const NameEntry *entry)
{
    bool named = false;
    for (size_t i = 0; i < e->replacement_count && !named; i++)
        named = !e->replacements[i].value && strcmp(e->replacements[i].name, entry->name.at) == 0;
    return named;
}

// Whether it is read as the number 0: it was asked for, and its value is that.
static bool is_zero_number(Elaborator *e, NameEntry *entry, Expr value)
{
    entry->replaced = entry->replaced || is_named_alone(e, entry);
    bool zero = !expr_is_none(value) && expr_is_zero(e->pool, value);
    return entry->replaced && settings_take_zero(e, entry->name, zero);
}

static bool make_param(Elaborator *e, NameEntry *entry, size_t at, const void *context)
{
    const ParamDefaults *defaults = context;
    if (e->replacement_count > 0 && expr_is_none(defaults->radius) &&
        is_zero_number(e, entry, defaults->values ? defaults->values[at] : (Expr){0})) {
        entry->kind = NAME_CONST;
        entry->value = value_scalar(expr_int(e->pool, 0));
        entry->value.dim = defaults->dims[at];
        entry->unit = defaults->unit;
        return true;
    }
    entry->index = (uint32_t)e->model->params.count;
    entry->value = value_scalar(expr_symbol(e->pool, entry->name.at));
    entry->value.dim = defaults->dims[at];
    entry->unit = defaults->unit;
    ModelParam param = {.name = entry->name.at,
                        .symbol = entry->value.scalar,
                        .radius = defaults->radius,
                        .unit = entry->unit,
                        .dim = entry->value.dim};
    param.place = entry->place;
    if (defaults->values)
        param.value = defaults->values[at];
    array_push(&e->model->params, param);
    return true;
}

// The values, each in the unit that is declared, and the interval around them.
static bool read_defaults(Elaborator *e, const Part *name, const Part *value, size_t count,
                          ParamDefaults *defaults)
{
    Expr none = expr_int(e->pool, 0);
    Span span = value ? value->span : (Span){0, 0};
    Place place = syntax_part_place(e->syntax, value ? value : name);
    if (value && !elaborate_each(e, value, count, LEVEL_PARAM, "a parameter's value",
                                 defaults->values, defaults->dims))
        return false;
    const Node *root = &e->syntax->nodes.at[span.root];
    bool bracket = value && root->kind == NODE_VECTOR && root->count == count;
    for (size_t i = 0; i < count; i++) {
        if (bracket)
            place = syntax_node_place(e->syntax, syntax_children(e->syntax, root)[i].node);
        if (!dim_take_declared(e, name, span, place, value ? &defaults->values[i] : &none,
                               &defaults->dims[i], &defaults->unit))
            return false;
    }
    return count == 0 ||
           elaborate_interval(e, name, defaults->dims[0], defaults->unit, &defaults->radius);
}

// Rows are given for a matrix of that size.
static bool check_rows(Elaborator *e, const Target *target, const Grid *grid, const Part *value)
{
    const Node *root = &e->syntax->nodes.at[value->span.root];
    const Child *rows = syntax_children(e->syntax, root);
    if (root->kind != NODE_VECTOR || root->count == 0 ||
        e->syntax->nodes.at[rows[0].node].kind != NODE_VECTOR)
        return true;
    Shown name = text_shown(target->base);
    Place place = syntax_part_place(e->syntax, value);
    if (grid->rank != 2)
        return elaborate_fail(e, place, "rows are given for a matrix, declared as '%s[%u,%u]'",
                              name.at, root->count, e->syntax->nodes.at[rows[0].node].count);
    int64_t size[2] = {grid->high[0] - grid->low[0] + 1, grid->high[1] - grid->low[1] + 1};
    uint32_t columns = e->syntax->nodes.at[rows[0].node].count;
    if (root->count != size[0] || columns != size[1])
        return elaborate_fail(e, place, "'%s' is a %d×%d matrix, and %u×%u entries are given",
                              name.at, (int)size[0], (int)size[1], root->count, columns);
    return true;
}

static bool read_param_item(Elaborator *e, const Target *target, const Part *name,
                            const Part *value)
{
    Grid grid;
    Room room = {e->model->params.count, MODEL_MOST_NAMES, "parameters"};
    if (!grid_init(e, name, target, room, &grid))
        return false;
    if (value && !check_rows(e, target, &grid, value))
        return false;
    ParamDefaults defaults = {.dims = base_alloc((grid.count + 1) * sizeof *defaults.dims)};
    if (value)
        defaults.values = base_alloc((grid.count + 1) * sizeof *defaults.values);
    bool good = read_defaults(e, name, value, grid.count, &defaults) &&
                declare_array(e, NAME_PARAM, target, &grid, make_param, &defaults);
    base_free(defaults.values);
    base_free(defaults.dims);
    return good;
}

bool declare_parameter(Elaborator *e, Str name, const Value *value, Place place)
{
    NameEntry *entry = names_declare(e, NAME_PARAM, name, NULL, 0, place);
    Expr number = value->scalar;
    Dim dim = value->dim;
    dim.any = false;
    return entry && make_param(e, entry, 0, &(ParamDefaults){.values = &number, .dims = &dim});
}

bool read_param(Elaborator *e)
{
    return read_items(e, read_param_item);
}

static Expr primed_symbol(Elaborator *e, const char *name, const char *primes)
{
    Text text = {0};
    text_addf(&text, "%s%s", name, primes);
    Expr symbol = expr_symbol(e->pool, text.at);
    text_clear(&text);
    return symbol;
}

// ---- Inputs: signals from outside, expressions in t and parameters.

// What a host sets is a parameter to the model: it changes in no way that the model knows. So is an
// input whose signal is constant: it can be set, and linear systems have a column for it.
static void push_input(Elaborator *e, NameEntry *entry, Expr signal, bool hosted)
{
    Expr start = expr_replace(e->pool, signal, &e->model->t, (Expr[]){expr_int(e->pool, 0)}, 1);
    Dim dim = entry->value.dim;
    entry->index = (uint32_t)e->model->params.count;
    entry->value = value_scalar(expr_symbol(e->pool, entry->name.at));
    entry->value.dim = dim;
    ModelParam param = {.name = entry->name.at,
                        .symbol = entry->value.scalar,
                        .value = start,
                        .unit = entry->unit,
                        .dim = dim,
                        .signal = hosted ? signal : (Expr){0},
                        .place = entry->place};
    if (hosted && !e->held_inputs) {
        param.rate = primed_symbol(e, entry->name.at, "'");
        expr_rates_set(e->model->dt, param.symbol, param.rate);
        expr_rates_set(e->model->dt, param.rate, param.rate);
    }
    array_push(&e->model->params, param);
}

// An input is worth what its unit says: numbers alone, and those of tables and noise without units,
// are in it.
static bool measure_input(Elaborator *e, const Target *target, const Part *value, bool setting,
                          const ModelUnit *unit, Expr scale, Value *meaning)
{
    bool bare = value->role != PART_VALUE || is_bare_number(e, value->span);
    Place place = syntax_part_place(e->syntax, value);
    NameEntry declared = {.name = target->base, .unit = unit, .value = *meaning};
    if (!unit)
        return true;
    declared.value.dim = unit->dim;
    if (bare && dim_is_pure(meaning->dim) && (!setting || value->role != PART_VALUE)) {
        meaning->scalar = expr_mul(e->pool, meaning->scalar, scale);
        meaning->dim = unit->dim;
        return true;
    }
    return dim_check_value(e, &declared, 0, value->span, meaning->dim, place);
}

static bool read_input_item(Elaborator *e, const Target *target, const Part *name,
                            const Part *value)
{
    const Setting *setting = settings_take(e, names_own(e, target->base, NULL, 0), false);
    const Syntax *file = e->syntax;
    const ModelUnit *unit;
    Expr scale;
    Value meaning = value_scalar(expr_int(e->pool, 0));
    if (!elaborate_declared_unit(e, name, &unit, &scale))
        return false;
    if (setting) {
        e->syntax = setting->syntax;
        value = setting->value;
    }
    if (value) {
        Place place = syntax_part_place(e->syntax, value);
        if (value->role == PART_VALUE)
            meaning = value_as_scalar(e, elaborate_span(e, value->span), place, "an input");
        else if (!elaborate_signal(e, value, names_own(e, target->base, NULL, 0), &meaning))
            meaning.kind = VALUE_BAD;
        if (meaning.kind != VALUE_BAD && !value_within(e, &meaning, LEVEL_TIME, place, "an input"))
            meaning.kind = VALUE_BAD;
        if (meaning.kind != VALUE_BAD &&
            !measure_input(e, target, value, setting != NULL, unit, scale, &meaning))
            meaning.kind = VALUE_BAD;
    }
    e->syntax = file;
    NameEntry *entry = meaning.kind == VALUE_BAD ? NULL : declare_single(e, NAME_INPUT, target);
    if (!entry)
        return false;
    meaning.dim = unit ? unit->dim : meaning.dim;
    meaning.dim.any = false;
    entry->value = meaning;
    entry->unit = unit;
    e->model->input_count++;
    bool hosted = e->host_inputs && !is_named_alone(e, entry);
    if (hosted || !expr_holds(e->pool, meaning.scalar, e->model->t))
        push_input(e, entry, meaning.scalar, hosted);
    ModelInput input = {.name = entry->name.at,
                        .value = entry->value.scalar,
                        .place = entry->place,
                        .unit = unit,
                        .dim = meaning.dim};
    if (!hosted)
        array_push(&e->model->inputs, input);
    return true;
}

bool read_input(Elaborator *e)
{
    return read_items(e, read_input_item);
}

// ---- Coordinates.

// A coordinate that is an abbreviation now: it has a value and a column, and no equation.
static bool make_replaced(Elaborator *e, NameEntry *entry, const ModelReplacement *by)
{
    Expr value;
    Source *source = source_new(by->name, by->value, strlen(by->value));
    Status status = model_read_expression(e->pool, source, e->diag, &value);
    source_free(source);
    if (status != STATUS_OK)
        return false;
    Dim dim = entry->value.dim;
    entry->replaced = true;
    entry->value = value_scalar(value);
    entry->value.order = 0;
    entry->value.dim = dim;
    ModelOutput output = {.name = entry->name.at,
                          .value = value,
                          .place = entry->place,
                          .unit = entry->unit,
                          .dim = dim};
    array_push(&e->model->outputs, output);
    return true;
}

ModelCoord make_moving(Elaborator *e, NameEntry *entry)
{
    ModelCoord coord = {.name = entry->name.at, .place = entry->place};
    coord.q = expr_symbol(e->pool, coord.name);
    coord.v = primed_symbol(e, coord.name, "'");
    coord.a = primed_symbol(e, coord.name, "''");
    coord.unit = entry->unit;
    coord.dim = entry->value.dim;
    entry->value = value_scalar(coord.q);
    entry->value.order = 0;
    entry->value.dim = coord.dim;
    expr_rates_set(e->model->dt, coord.q, coord.v);
    expr_rates_set(e->model->dt, coord.v, coord.a);
    return coord;
}

static bool make_coord(Elaborator *e, NameEntry *entry, size_t at, const void *context)
{
    (void)at;
    entry->unit = context;
    if (entry->unit)
        entry->value.dim = entry->unit->dim;
    for (size_t i = 0; i < e->replacement_count; i++)
        if (e->replacements[i].value && strcmp(e->replacements[i].name, entry->name.at) == 0)
            return make_replaced(e, entry, &e->replacements[i]);
    entry->index = (uint32_t)e->model->coords.count;
    ModelCoord coord = make_moving(e, entry);
    array_push(&e->model->coords, coord);
    return true;
}

bool declare_coordinate(Elaborator *e, Str name, Dim dim, Place place, Expr *q)
{
    if (e->model->coords.count >= MODEL_MOST_COORDS)
        return elaborate_fail(e, place, "a model has at most %d coordinates", MODEL_MOST_COORDS);
    NameEntry *entry = names_declare(e, NAME_COORD, name, NULL, 0, place);
    if (entry)
        entry->value.dim = dim;
    if (!entry || !make_coord(e, entry, 0, NULL))
        return false;
    *q = entry->value.scalar;
    return true;
}

static bool read_coord_item(Elaborator *e, const Target *target, const Part *name,
                            const Part *value)
{
    (void)value;
    Grid grid;
    const ModelUnit *unit;
    Expr scale;
    Room room = {e->model->coords.count, MODEL_MOST_COORDS, "coordinates"};
    if (!grid_init(e, name, target, room, &grid) ||
        !elaborate_declared_unit(e, name, &unit, &scale))
        return false;
    return declare_array(e, NAME_COORD, target, &grid, make_coord, unit);
}

bool read_coord(Elaborator *e)
{
    return read_items(e, read_coord_item);
}

// ---- Abbreviations, speeds, points.

static bool make_let(Elaborator *e, NameEntry *entry, size_t at, const void *context)
{
    (void)e;
    const Value *matrix = context;
    entry->value = value_scalar(matrix->entries[at]);
    entry->value.dim = matrix->dims[at];
    value_mark(&entry->value, matrix);
    return true;
}

// `let u = -K*z` makes u[1], u[2] …
static bool declare_matrix(Elaborator *e, const Target *target, Value *matrix)
{
    Grid grid = {.rank = matrix->columns > 1 ? 2 : 1,
                 .count = (size_t)matrix->rows * matrix->columns,
                 .low = {1, 1},
                 .now = {1, 1},
                 .high = {matrix->rows, matrix->columns}};
    if (target->rank > 0)
        return elaborate_fail(e, target->place, "an element is a scalar, not %s",
                              value_size_name(e, matrix));
    return declare_array(e, NAME_LET, target, &grid, make_let, matrix);
}

static bool read_let_item(Elaborator *e, const Target *target, const Part *name, const Part *value)
{
    (void)name;
    Place place = syntax_part_place(e->syntax, value);
    Value meaning = elaborate_span(e, value->span);
    if (value_is_matrix(e, &meaning) && value_to_matrix(e, &meaning))
        return declare_matrix(e, target, &meaning);
    if (meaning.kind == VALUE_POINT)
        return elaborate_fail(e, place,
                              "an abbreviation must be a scalar or a vector, not a point; write "
                              "'point %s = …'",
                              text_shown(target->base).at);
    if (meaning.kind != VALUE_SCALAR && meaning.kind != VALUE_VECTOR)
        meaning = value_as_scalar(e, meaning, place, "an abbreviation");
    if (meaning.kind == VALUE_BAD)
        return false;
    NameEntry *entry = declare_single(e, NAME_LET, target);
    if (entry)
        entry->value = meaning;
    return entry != NULL;
}

bool read_let(Elaborator *e)
{
    return read_items(e, read_let_item);
}

static bool read_speed_item(Elaborator *e, const Target *target, const Part *name,
                            const Part *value)
{
    const ModelUnit *unit;
    Place place = syntax_part_place(e->syntax, value);
    Value meaning = value_as_scalar(e, elaborate_span(e, value->span), place, "a speed");
    if (meaning.kind == VALUE_BAD || !value_within(e, &meaning, LEVEL_VELOCITY, place, "a speed") ||
        !dim_take_declared(e, name, value->span, place, &meaning.scalar, &meaning.dim, &unit))
        return false;
    if (meaning.order < 1)
        return elaborate_fail(e, place,
                              "a speed is made of velocities, and there is none here; write 'let' "
                              "for an abbreviation");
    NameEntry *entry = declare_single(e, NAME_SPEED, target);
    if (!entry)
        return false;
    ModelSpeed speed = {.name = entry->name.at,
                        .value = meaning.scalar,
                        .place = entry->place,
                        .unit = unit,
                        .dim = meaning.dim};
    entry->unit = unit;
    speed.u = expr_symbol(e->pool, speed.name);
    speed.rate = primed_symbol(e, speed.name, "'");
    entry->index = (uint32_t)e->model->speeds.count;
    entry->value = meaning;
    array_push(&e->model->speeds, speed);
    return true;
}

bool read_speed(Elaborator *e)
{
    return read_items(e, read_speed_item);
}

static bool read_point_item(Elaborator *e, const Target *target, const Part *name,
                            const Part *value)
{
    (void)name;
    Place place = syntax_part_place(e->syntax, value);
    Value position = value_as_point(e, elaborate_span(e, value->span), place, "a point's position");
    if (position.kind == VALUE_BAD ||
        !value_within(e, &position, LEVEL_PLACE, place, "a point's position"))
        return false;
    NameEntry *entry = declare_single(e, NAME_POINT, target);
    if (!entry)
        return false;
    entry->index = (uint32_t)e->model->points.count;
    entry->value = position;
    ModelPoint point = {entry->name.at, position.vector, entry->place};
    array_push(&e->model->points, point);
    return true;
}

bool read_point(Elaborator *e)
{
    return read_items(e, read_point_item);
}
