// run_statements.c: statements about a run: independent, initial, run.
#include "model/model_impl.h"

// ---- Values for one name or for every element of an array.

// A scalar for each of them, or a column or matrix with an entry for each.
static bool elaborate_whole(Elaborator *e, const Part *value, size_t count, Level level,
                            const char *what, Expr *values, Dim *dims)
{
    Place place = syntax_part_place(e->syntax, value);
    Value whole = elaborate_span(e, value->span);
    if (value_is_matrix(e, &whole) || (whole.kind == VALUE_VECTOR && count == 3))
        value_to_matrix(e, &whole);
    size_t given = (size_t)whole.rows * whole.columns;
    if (whole.kind == VALUE_MATRIX && given != count && !(given == 1 && count == 1))
        return elaborate_fail(e, place, "%zu values are given for %zu %s", given, count,
                              count == 1 ? "name" : "elements");
    if (whole.kind != VALUE_MATRIX)
        whole = value_as_scalar(e, whole, place, what);
    if (whole.kind == VALUE_BAD || !value_within(e, &whole, level, place, what))
        return false;
    for (size_t i = 0; i < count; i++) {
        values[i] = whole.kind == VALUE_MATRIX ? whole.entries[i] : whole.scalar;
        dims[i] = whole.kind == VALUE_MATRIX ? whole.dims[i] : whole.dim;
    }
    return true;
}

// Whether a bracket has rows, which are brackets.
static bool has_rows(const Elaborator *e, const Node *bracket)
{
    const Child *children = syntax_children(e->syntax, bracket);
    return bracket->count > 0 && e->syntax->nodes.at[children[0].node].kind == NODE_VECTOR;
}

bool elaborate_each(Elaborator *e, const Part *value, size_t count, Level level, const char *what,
                    Expr *values, Dim *dims)
{
    const Node *root = &e->syntax->nodes.at[value->span.root];
    if (root->kind != NODE_VECTOR || has_rows(e, root))
        return elaborate_whole(e, value, count, level, what, values, dims);
    if (root->count != count)
        return elaborate_fail(e, syntax_part_place(e->syntax, value),
                              "%u values are given for %zu %s", root->count, count,
                              count == 1 ? "name" : "elements");
    if (!elaborate_below_root(e, value->span))
        return false;
    const Child *children = syntax_children(e->syntax, root);
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        Place place = syntax_node_place(e->syntax, children[i].node);
        Value one = value_as_scalar(e, elaborate_child(e, children[i].node), place, what);
        good = one.kind != VALUE_BAD && value_within(e, &one, level, place, what) && good;
        values[i] = one.scalar;
        dims[i] = one.dim;
    }
    return good;
}

Place elaborate_each_place(const Elaborator *e, const Part *value, size_t count, size_t at)
{
    const Node *root = &e->syntax->nodes.at[value->span.root];
    bool bracket = root->kind == NODE_VECTOR && root->count == count;
    return bracket ? syntax_node_place(e->syntax, syntax_children(e->syntax, root)[at].node)
                   : syntax_part_place(e->syntax, value);
}

size_t element_count(const Elaborator *e, const NameEntry *entry)
{
    if (!entry->family)
        return 1;
    size_t count = 0;
    for (uint32_t i = entry->first; i; i = e->names.at[i].next)
        count++;
    return count;
}

// ---- Independent velocities.

static bool push_independent(Elaborator *e, const NameEntry *entry, Place place)
{
    if (entry->replaced)
        return true;
    for (size_t i = 0; i < e->model->independent.count; i++)
        if (e->model->independent.at[i] == entry->index)
            return elaborate_fail(e, place, "'%s' is already independent",
                                  text_shown(entry->name).at);
    array_push(&e->model->independent, entry->index);
    return true;
}

static bool read_independent_item(Elaborator *e, const Part *part)
{
    Target target;
    if (!elaborate_target(e, part, &target))
        return false;
    const NameEntry *entry = names_find_target(e, &target);
    if (!entry)
        return false;
    if (entry->kind != NAME_COORD)
        return elaborate_fail(e, target.place, "'independent' names coordinates, and '%s' is %s",
                              text_shown(target.base).at, names_kind(entry->kind));
    if (!e->model->independent_place.source)
        e->model->independent_place = syntax_statement_place(e->syntax, e->statement);
    if (!entry->family)
        return push_independent(e, entry, target.place);
    bool good = true;
    for (uint32_t i = entry->first; i && good; i = e->names.at[i].next)
        good = push_independent(e, &e->names.at[i], target.place);
    return good;
}

bool read_independent(Elaborator *e)
{
    bool good = true;
    for (uint32_t i = 0; i < e->statement->count; i++)
        good = read_independent_item(e, &e->syntax->parts.at[e->statement->first + i]) && good;
    return good;
}

// ---- The start.

// Who gives a start decides what it may replace.
typedef enum { GIVEN_ONE, GIVEN_ARRAY, GIVEN_SETTING } Given;

static bool put_start(Elaborator *e, NameEntry *entry, ModelStart start, Given given)
{
    if (entry->replaced)
        return true;
    start.of = entry->kind == NAME_SPEED ? START_SPEED : start.of;
    start.target = entry->index;
    uint32_t *slot = start.of == START_VELOCITY ? &entry->start_velocity : &entry->start;
    if (*slot == NO_START) {
        *slot = (uint32_t)e->model->starts.count;
        array_push(&e->model->starts, start);
        return true;
    }
    // An element may be given again behind its whole array, and a setting replaces anything.
    ModelStart *old = &e->model->starts.at[*slot];
    if (given == GIVEN_ONE && !old->from_array)
        return elaborate_fail(e, start.place, "the start of '%s%s' is already given in %s",
                              text_shown(entry->name).at, start.of == START_VELOCITY ? "'" : "",
                              elaborate_line(old->place).at);
    if (given != GIVEN_ARRAY || old->from_array)
        *old = start;
    return true;
}

static bool check_start(Elaborator *e, const NameEntry *entry, const Target *target)
{
    Shown name = text_shown(target->base);
    if (entry->kind != NAME_COORD && entry->kind != NAME_SPEED && entry->kind != NAME_STATE)
        return elaborate_fail(e, target->place,
                              "a start is given for coordinates, velocities, speeds and states, "
                              "and '%s' is %s%s",
                              name.at, names_kind(entry->kind), names_in_part(e, entry));
    if (entry->kind == NAME_STATE && target->primes > 0)
        return state_fail_primed(e, entry, target);
    if (target->primes > (entry->kind == NAME_COORD ? 1u : 0u))
        return elaborate_fail(e, target->place,
                              "a start has no accelerations; they follow from the equations");
    return true;
}

// A state has its start with it; another one takes its place.
static bool give_state(Elaborator *e, const NameEntry *entry, const Part *value)
{
    Expr start;
    Dim dim;
    if (!elaborate_measure(e, value, LEVEL_VELOCITY, "the start of a state", dim_any(), &start,
                           &dim) ||
        !dim_check_value(e, entry, 0, value->span, dim, syntax_part_place(e->syntax, value)))
        return false;
    e->model->params.at[entry->index].value = start;
    e->model->params.at[entry->index].place = syntax_part_place(e->syntax, value);
    return true;
}

// The interval around a start, or around all of an array's.
static bool read_start_radius(Elaborator *e, const NameEntry *entry, const Target *target,
                              const Part *value, Expr *radius)
{
    Dim dim = dim_over(entry->value.dim, dim_of(0, 0, (int)target->primes));
    if (entry->family && entry->first)
        dim = dim_over(e->names.at[entry->first].value.dim, dim_of(0, 0, (int)target->primes));
    return elaborate_interval(e, value, dim, NULL, radius);
}

bool give_start(Elaborator *e, const Target *target, const Part *value, bool approx, bool setting)
{
    NameEntry *entry = names_find_target(e, target);
    if (!entry || !check_start(e, entry, target))
        return false;
    if (entry->kind == NAME_STATE && !state_is_continuous(entry))
        return give_state(e, entry, value);
    size_t count = element_count(e, entry);
    uint32_t at = entry->family ? entry->first : (uint32_t)(entry - e->names.at);
    Given given = setting ? GIVEN_SETTING : entry->family ? GIVEN_ARRAY : GIVEN_ONE;
    Expr *values = base_alloc((count + 1) * sizeof *values), radius = {0};
    Dim *dims = base_alloc((count + 1) * sizeof *dims);
    bool good =
        elaborate_each(e, value, count, LEVEL_VELOCITY, "the value of a start", values, dims) &&
        read_start_radius(e, entry, target, value, &radius);
    for (size_t i = 0; i < count && good; i++, at = e->names.at[at].next) {
        if (!dim_check_value(e, &e->names.at[at], target->primes, value->span, dims[i],
                             elaborate_each_place(e, value, count, i))) {
            good = false;
            break;
        }
        ModelStart start = {
            .value = values[i], .radius = radius, .approx = approx, .place = target->place};
        start.of = target->primes ? START_VELOCITY : START_COORD;
        start.from_array = given == GIVEN_ARRAY;
        good = put_start(e, &e->names.at[at], start, given);
    }
    base_free(values);
    base_free(dims);
    return good;
}

bool read_initial(Elaborator *e)
{
    bool approx = statement_part(e, PART_APPROX) != NULL;
    bool good = true;
    for (uint32_t i = 0; i + 1 < e->statement->count; i++) {
        const Part *part = &e->syntax->parts.at[e->statement->first + i];
        Target target;
        if (part->role == PART_NAME)
            good = elaborate_target(e, part, &target) &&
                   give_start(e, &target, part + 1, approx, false) && good;
    }
    return good;
}

// All coordinates and velocities, and t; and their starts, none where nothing fixed is given.
typedef struct {
    Expr *symbols, *values;
    uint32_t *index; // of a symbol among these, + 1
    size_t count, known;
} StartSymbols;

// Which of them an expression holds, rising; how many.
static size_t find_held(const Elaborator *e, const StartSymbols *all, Expr value, size_t *held)
{
    ExprList symbols = expr_symbols(e->pool, &value, 1);
    size_t count = 0;
    for (size_t i = 0; i < symbols.count; i++) {
        size_t place = symbols.at[i] < all->known ? all->index[symbols.at[i]] : 0, at = count;
        if (place == 0)
            continue;
        for (; at > 0 && held[at - 1] > place - 1; at--)
            held[at] = held[at - 1];
        held[at] = place - 1;
        count++;
    }
    expr_list_free(&symbols);
    return count;
}

// A value may use others: these are put in, so that it is made of parameters. Where coordinates are
// replaced, who replaces them gives what cannot be known here: it is none. `held` and `pairs` are
// workspaces.
static bool order_start(Elaborator *e, ModelStart *start, const StartSymbols *all, size_t *held,
                        Expr *pairs)
{
    const Expr *lacking = NULL;
    for (size_t round = 0; round <= e->model->starts.count && !lacking; round++) {
        size_t count = find_held(e, all, start->value, held);
        if (count == 0)
            return true;
        for (size_t i = 0; i < count; i++) {
            pairs[i] = all->symbols[held[i]];
            pairs[all->count + i] = all->values[held[i]];
            if (expr_is_none(all->values[held[i]]) && !lacking)
                lacking = &all->symbols[held[i]];
        }
        if (!lacking)
            start->value = expr_replace(e->pool, start->value, pairs, pairs + all->count, count);
    }
    start->value = (Expr){0};
    if (e->reduced)
        return true;
    if (!lacking)
        return elaborate_fail(e, start->place, "this start depends on itself");
    return elaborate_fail(e, start->place,
                          "a start is made of numbers, parameters and other starts, without "
                          "coordinates that are not given; give one for '%s' in 'initial', without "
                          "'approx'",
                          expr_name(e->pool, *lacking));
}

static void find_symbols(Elaborator *e, StartSymbols *all)
{
    const Model *model = e->model;
    size_t n = model->coords.count;
    all->count = 2 * n + 1;
    all->symbols = base_alloc(2 * all->count * sizeof *all->symbols);
    all->values = all->symbols + all->count;
    for (size_t i = 0; i < n; i++) {
        all->symbols[i] = model->coords.at[i].q;
        all->symbols[n + i] = model->coords.at[i].v;
    }
    all->symbols[2 * n] = model->t;
    all->values[2 * n] = expr_int(e->pool, 0);
    for (size_t i = 0; i < model->starts.count; i++) {
        const ModelStart *start = &model->starts.at[i];
        if (start->of != START_SPEED && !start->approx)
            all->values[(start->of == START_VELOCITY ? n : 0) + start->target] = start->value;
    }
    all->known = expr_pool_size(e->pool) + 1;
    all->index = base_alloc(all->known * sizeof *all->index);
    for (size_t i = 0; i < all->count; i++)
        all->index[all->symbols[i].at] = (uint32_t)i + 1;
}

void order_starts(Elaborator *e)
{
    Model *model = e->model;
    StartSymbols all;
    size_t kept = 0;
    find_symbols(e, &all);
    size_t *held = base_alloc(all.count * sizeof *held);
    Expr *pairs = base_alloc(2 * all.count * sizeof *pairs);
    bool good = true;
    for (size_t i = 0; i < model->starts.count && good; i++)
        good = order_start(e, &model->starts.at[i], &all, held, pairs);
    for (size_t i = 0; i < model->params.count && good; i++) {
        ModelParam *state = &model->params.at[i];
        ModelStart start = {.value = state->value, .place = state->place};
        good = !state->is_state || order_start(e, &start, &all, held, pairs);
        state->value = state->is_state ? start.value : state->value;
    }
    for (size_t i = 0; i < model->starts.count; i++)
        if (!expr_is_none(model->starts.at[i].value))
            model->starts.at[kept++] = model->starts.at[i];
    model->starts.count = kept;
    base_free(all.symbols);
    base_free(all.index);
    base_free(held);
    base_free(pairs);
}

// ---- run to … every … tolerance …

// `method NAME` and `paradox NAME`.
static bool read_choices(Elaborator *e, ModelRun *run)
{
    const Part *method = statement_part(e, PART_METHOD);
    const Part *paradox = statement_part(e, PART_PARADOX);
    if (method) {
        Str name = syntax_text(e->syntax, method->start, method->length);
        run->method = arena_copy_text(e->arena, name.at, name.length);
        run->method_place = syntax_part_place(e->syntax, method);
    }
    if (!paradox)
        return true;
    Str name = syntax_text(e->syntax, paradox->start, paradox->length);
    run->paradox_impact = str_is(name, "impact");
    if (!run->paradox_impact && !str_is(name, "stop"))
        return elaborate_fail(e, syntax_part_place(e->syntax, paradox),
                              "'%s' is none of the ways out of a paradox; there are stop and "
                              "impact",
                              text_shown(name).at);
    return true;
}

bool read_run(Elaborator *e)
{
    ModelRun *run = &e->model->run;
    Place place = syntax_statement_place(e->syntax, e->statement);
    if (e->scope)
        return elaborate_fail(e, syntax_word_place(e->syntax, e->statement),
                              "'run' stands outside of parts");
    if (elaborate_is_included(place))
        return elaborate_fail(e, syntax_word_place(e->syntax, e->statement),
                              "'run' stands in the model itself, not in a file that it includes");
    if (run->place.source)
        return elaborate_fail(e, syntax_word_place(e->syntax, e->statement),
                              "'run' is already given in %s", elaborate_line(run->place).at);
    run->place = place;
    const struct {
        PartRole role;
        const char *what;
        Expr *value;
        Dim dim;
    } parts[] = {{PART_TO, "the end of a run", &run->to, dim_of(0, 0, 1)},
                 {PART_EVERY, "the step of a run", &run->every, dim_of(0, 0, 1)},
                 {PART_TOLERANCE, "a tolerance", &run->tolerance, dim_pure()}};
    bool good = read_choices(e, run);
    for (int i = 0; i < 3; i++) {
        const Part *part = statement_part(e, parts[i].role);
        if (part)
            good = elaborate_datum(e, part, parts[i].what, parts[i].dim, parts[i].value) && good;
    }
    const Part *until = statement_part(e, PART_UNTIL);
    if (until) {
        run->until = arena_alloc(e->arena, sizeof *run->until);
        good = elaborate_until(e, until, run->until) && good;
    }
    return good;
}
