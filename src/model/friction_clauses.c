// friction_clauses.c: dry friction: clauses of conditions, laws of their own, and the names that
// speak of them, slip.NAME and normal(NAME).
#include "model/model_impl.h"

#include <string.h>

static bool text_is(const Elaborator *e, const Part *part, const char *word)
{
    return str_is(syntax_text(e->syntax, part->start, part->length), word);
}

static const char *copy_text(Elaborator *e, const Part *part)
{
    Str text = syntax_text(e->syntax, part->start, part->length);
    return arena_copy_text(e->arena, text.at, text.length);
}

// ---- Coefficients and bounds.

// Of two numbers; false where one of them is none.
static bool is_below(Elaborator *e, Expr a, Expr b)
{
    return expr_is_number(e->pool, a) && expr_is_number(e->pool, b) && !expr_same(a, b) &&
           expr_same(expr_call(e->pool, EXPR_MIN, a, b), a);
}

static bool check_sign(Elaborator *e, Expr value, Place place, const char *what)
{
    return !is_below(e, value, expr_int(e->pool, 0)) ||
           elaborate_fail(e, place, "%s is 0 or more, and this is %s", what,
                          text_shown(syntax_text(e->syntax, place.start, place.length)).at);
}

// Numbers are compared here; parameters have their values only at the start of a run.
static bool read_bounds(Elaborator *e, const Part *bound, const char *what, Dim dim,
                        ModelFriction *friction)
{
    const Part *hold = statement_part(e, PART_STATIC);
    Place sliding = syntax_part_place(e->syntax, bound), sticking = sliding;
    if (hold)
        sticking = syntax_part_place(e->syntax, hold);
    friction->bound_place = sliding;
    friction->hold_place = sticking;
    if (!elaborate_measure(e, bound, LEVEL_VELOCITY, what, dim, &friction->bound, NULL) ||
        (hold && !elaborate_measure(e, hold, LEVEL_VELOCITY, what, dim, &friction->hold, NULL)))
        return false;
    if (!hold)
        friction->hold = friction->bound;
    if (!check_sign(e, friction->bound, sliding, what) ||
        !check_sign(e, friction->hold, sticking, what))
        return false;
    if (!is_below(e, friction->hold, friction->bound))
        return true;
    Str low = syntax_text(e->syntax, sticking.start, sticking.length),
        high = syntax_text(e->syntax, sliding.start, sliding.length);
    return elaborate_fail(e, sticking, "the static %s %s is below the sliding one, %s",
                          friction->kind == FRICTION_ON_CONDITION ? "coefficient" : "bound",
                          text_shown(low).at, text_shown(high).at);
}

// ---- Where it acts.

static bool is_mass(Elaborator *e, Vector position)
{
    for (size_t i = 0; i < e->model->masses.count; i++)
        if (is_same_vector(e, e->model->masses.at[i].position, position))
            return true;
    return false;
}

// What follows `on` or `and`: a body, or world; for `on` also the point itself, for `and` the place
// of a mass, which `position` becomes.
static bool read_whose(Elaborator *e, const Part *part, Vector *position, bool may_be_point,
                       size_t *body)
{
    Value value = elaborate_span(e, part->span);
    if (value.kind == VALUE_BAD)
        return false;
    *body = FRICTION_WORLD;
    if (value.kind == VALUE_BODY) {
        *body = value.body;
        return true;
    }
    if (value.kind == VALUE_FRAME && value.frame.at == 0 && !may_be_point)
        return true;
    bool place = value.kind == VALUE_POINT || value.kind == VALUE_VECTOR;
    *body = FRICTION_POINT;
    if (may_be_point && place && is_same_vector(e, value.vector, *position))
        return true;
    if (!may_be_point && place && is_mass(e, value.vector)) {
        *position = value.vector;
        return true;
    }
    return elaborate_fail(e, syntax_part_place(e->syntax, part),
                          "friction acts between particles of bodies, and '%s' is %s; name the "
                          "body",
                          text_shown(syntax_text(e->syntax, part->start, part->length)).at,
                          place ? "another point" : value_kind_name(value.kind));
}

static bool read_place(Elaborator *e, ModelFriction *friction)
{
    const Part *at = statement_part(e, PART_AT), *other = statement_part(e, PART_AND);
    friction->other = FRICTION_WORLD;
    friction->at = friction->place;
    if (!at)
        return true;
    friction->placed = true;
    friction->at = syntax_part_place(e->syntax, at);
    friction->point = copy_text(e, at);
    return elaborate_point(e, at, LEVEL_PLACE, "the point where friction acts",
                           &friction->position) &&
           read_whose(e, statement_part(e, PART_ON), &friction->position, true, &friction->body) &&
           (!other || read_whose(e, other, &friction->other_position, false, &friction->other));
}

// The one point that the condition names, where nothing was said.
static void take_place(const ModelConstraint *constraint, ModelFriction *friction)
{
    if (friction->placed || constraint->place_count != 1)
        return;
    const ModelPlace *place = &constraint->places[0];
    if (place->kind == PLACE_FRAME)
        return;
    friction->placed = true;
    friction->position = place->position;
    friction->point = place->name;
    friction->body = place->kind == PLACE_PARTICLE ? place->body : FRICTION_POINT;
}

// ---- Names.

// The conditions that it has while it sticks, with their multipliers.
void push_friction(Elaborator *e, ModelFriction *friction)
{
    Model *model = e->model;
    Text text = {0};
    text_addf(&text, "slip.%s", friction->name);
    friction->slip = expr_symbol(e->pool, text.at);
    text_clear(&text);
    text_addf(&text, "normal.%s", friction->name);
    friction->normal = expr_symbol(e->pool, text.at);
    text_clear(&text);
    reaction_dim_put(e, "slip.", friction->name, friction->speed);
    reaction_dim_put(e, "normal.", friction->name, dim_of(1, 1, -2));
    friction->stick = model->sticks.count;
    friction->waits = e->waits;
    Expr zero = expr_int(e->pool, 0);
    for (int axis = 1; axis <= FRICTION_ROWS; axis++) {
        ModelConstraint row = {.name = friction->name,
                               .kind = CONSTRAINT_LINEAR,
                               .keeps = CONSTRAINT_LINEAR,
                               .left = zero,
                               .right = zero,
                               .residual = zero,
                               .restitution = zero,
                               .silent = true,
                               .place = friction->place};
        text_addf(&text, "friction.%s.%d", friction->name, axis);
        row.lambda = expr_symbol(e->pool, text.at);
        text_clear(&text);
        array_push(&model->sticks, row);
    }
    array_push(&model->frictions, *friction);
}

static bool name_law(Elaborator *e, ModelFriction *friction)
{
    const Part *part = statement_part(e, PART_LABEL);
    if (part)
        return elaborate_label(e, part, e->labels, "a constraint or friction", &friction->name);
    Text text = {0};
    text_addf(&text, "f%u", ++e->frictions);
    Str label = {arena_copy_text(e->arena, text.at, text.length), text.length};
    text_clear(&text);
    friction->name = label.at;
    return name_map_put(e->labels, label, 1) ||
           elaborate_fail(e, friction->place,
                          "this friction would be called '%s', which is another's name; give it "
                          "one",
                          label.at);
}

// ---- Statements.

static bool read_law_of_shocks(Elaborator *e, ModelConstraint *row)
{
    const Part *law = statement_part(e, PART_LAW);
    if (law)
        row->law = text_is(e, law, "newton") ? SHOCK_NEWTON : SHOCK_POISSON;
    return true;
}

bool read_condition_friction(Elaborator *e, bool whole)
{
    Model *model = e->model;
    const Part *bound = statement_part(e, PART_FRICTION);
    size_t last = model->constraints.count - 1;
    ModelConstraint *row = &model->constraints.at[last];
    read_law_of_shocks(e, row);
    if (!bound)
        return true;
    ModelFriction friction = {.kind = FRICTION_ON_CONDITION,
                              .speed = dim_of(0, 1, -1),
                              .constraint = last,
                              .name = row->name,
                              .place = syntax_part_place(e->syntax, bound)};
    if (whole) {
        Str name = {row->name, strlen(row->name) - 2};
        return elaborate_fail(e, row->place,
                              "'%s' is three conditions; friction belongs to a scalar condition or "
                              "to a 'joint'",
                              text_shown(name).at);
    }
    if (row->kind == CONSTRAINT_SECOND_CLASS || row->kind == CONSTRAINT_NONLINEAR)
        return elaborate_fail(e, row->place,
                              "'%s' holds %s; friction belongs to a condition of positions, or one "
                              "that is linear in the velocities",
                              row->name,
                              row->kind == CONSTRAINT_NONLINEAR ? "velocities not linearly"
                                                                : "accelerations");
    if (!read_bounds(e, bound, "a friction coefficient", dim_pure(), &friction) ||
        !read_place(e, &friction))
        return false;
    row = &model->constraints.at[last];
    take_place(row, &friction);
    if (!friction.placed)
        return elaborate_fail(e, friction.place,
                              "'%s' does not say where it touches; write 'friction mu at P on B' "
                              "with the point and body, or 'at P on P' where P is a mass",
                              row->name);
    push_friction(e, &friction);
    return true;
}

// Linear in the velocities, not free of them.
static bool read_against(Elaborator *e, const Part *part, ModelFriction *friction)
{
    friction->kind = FRICTION_AGAINST;
    friction->against_count = 1;
    if (!elaborate_measure(e, part, LEVEL_VELOCITY, "what friction acts against", dim_any(),
                           &friction->against[0], &friction->speed))
        return false;
    size_t count = e->model->coords.count;
    Expr *v = base_alloc((2 * count + 1) * sizeof *v), rest;
    for (size_t i = 0; i < count; i++)
        v[i] = e->model->coords.at[i].v;
    bool linear = expr_linear(e->pool, friction->against[0], v, count, v + count, &rest);
    bool moves = expr_holds_any(e->pool, friction->against[0], v, count);
    base_free(v);
    return (linear && moves) ||
           elaborate_fail(e, syntax_part_place(e->syntax, part),
                          "friction acts against a velocity, a scalar that is linear in the "
                          "velocities, and this is %s",
                          moves ? "not linear in them" : "none");
}

bool read_friction(Elaborator *e)
{
    const Part *along = statement_part(e, PART_ALONG), *against = statement_part(e, PART_AGAINST);
    ModelFriction friction = {.kind = FRICTION_AT,
                              .place = syntax_statement_place(e->syntax, e->statement)};
    bool good = name_law(e, &friction);
    friction.speed = dim_of(0, 1, -1);
    if (along) {
        friction.kind = FRICTION_AGAINST;
        friction.against_count = 1;
        const NameEntry *entry = elaborate_along(e, along, "a friction", false);
        good = good && entry;
        if (entry) {
            friction.against[0] = e->model->coords.at[entry->index].v;
            friction.speed = dim_over(entry->value.dim, dim_of(0, 0, 1));
        }
    } else if (against) {
        good = read_against(e, against, &friction) && good;
    }
    good = read_bounds(e, statement_part(e, PART_VALUE), "the bound of a friction",
                       dim_over(dim_of(1, 2, -3), friction.speed), &friction) &&
           good;
    good = read_place(e, &friction) && good;
    if (good)
        push_friction(e, &friction);
    else if (friction.name)
        name_map_put(e->lost_labels, str_of(friction.name), 1);
    return good;
}

// ---- Names that were used.

static const ModelFriction *find_friction(const Model *model, const char *name)
{
    for (size_t i = 0; i < model->frictions.count; i++)
        if (strcmp(model->frictions.at[i].name, name) == 0)
            return &model->frictions.at[i];
    return NULL;
}

static void fail_use(Elaborator *e, const LambdaUse *use)
{
    Str name = str_of(use->name);
    bool label = name_map_get(e->labels, name, NULL);
    if (label && use->what == USE_NORMAL)
        elaborate_fail(e, use->place,
                       "'%s' has no place in space, so that it has no normal force; lambda.%s is "
                       "its multiplier",
                       use->name, use->name);
    else if (label)
        elaborate_fail(e, use->place, "'%s' has no friction, so that it has no speed of sliding",
                       use->name);
    else
        elaborate_constraint_name(e, name, use->place);
}

void check_frictions(Elaborator *e)
{
    for (size_t i = 0; i < e->lambda_uses.count; i++) {
        const LambdaUse *use = &e->lambda_uses.at[i];
        if (use->what == USE_LAMBDA || name_map_get(e->lost_labels, str_of(use->name), NULL))
            continue;
        const ModelFriction *friction = find_friction(e->model, use->name);
        bool has = friction && (use->what == USE_SLIP || friction->kind == FRICTION_ON_CONDITION);
        if (!has)
            fail_use(e, use);
    }
}
