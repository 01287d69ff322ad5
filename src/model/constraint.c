// constraint.c: conditions, what kind each is, and the multipliers that outputs ask for.
//
// A kind is seen from what the condition holds: accelerations, velocities (linearly or not),
// or coordinates and t alone.
#include "model/model_impl.h"

#include <string.h>

const char *constraint_kind_name(ConstraintKind kind)
{
    static const char *const names[] = {
#define KIND(NAME, name) [CONSTRAINT_##NAME] = name,
#include "model/constraint_kinds.def"
#undef KIND
    };
    return names[kind];
}

// ---- Kinds.

// The velocities (primes 1) or accelerations (primes 2) that e holds, in the order of symbols.
static void gather_symbols(Elaborator *e, Expr value, size_t primes)
{
    ExprList list = expr_symbols(e->pool, &value, 1);
    e->exprs.count = 0;
    for (size_t i = 0; i < list.count; i++) {
        const char *name = expr_name(e->pool, (Expr){list.at[i]});
        size_t length = strlen(name), count = 0;
        while (count < length && name[length - 1 - count] == '\'')
            count++;
        if (count == primes)
            array_push(&e->exprs, ((Expr){list.at[i]}));
    }
    expr_list_free(&list);
}

static ConstraintKind find_kind(Elaborator *e, Expr residual)
{
    gather_symbols(e, residual, 2);
    if (e->exprs.count > 0)
        return CONSTRAINT_SECOND_CLASS;
    gather_symbols(e, residual, 1);
    size_t count = e->exprs.count;
    if (count == 0)
        return CONSTRAINT_FINITE;
    Expr *coefficients = base_alloc(count * sizeof *coefficients);
    Expr rest;
    bool linear = expr_linear(e->pool, residual, e->exprs.at, count, coefficients, &rest);
    base_free(coefficients);
    return linear ? CONSTRAINT_LINEAR : CONSTRAINT_NONLINEAR;
}

// ---- One equation, or three.

typedef struct {
    const char *label;
    Place place; // of the whole condition
    Value left, right;
    ConstraintKind kind; // CONSTRAINT_KIND_COUNT: seen from what it holds
    bool at_least;
    Expr restitution;
    Frame axes; // along which an equation of vectors is split
} Condition;

// Whether any coordinate is left in the condition, so that it can be one.
static bool holds_coordinates(Elaborator *e, Expr residual)
{
    ExprList list = expr_symbols(e->pool, &residual, 1);
    bool holds = false;
    for (size_t i = 0; i < list.count && !holds; i++) {
        Str name = str_of(expr_name(e->pool, (Expr){list.at[i]}));
        while (name.length > 0 && name.at[name.length - 1] == '\'')
            name.length--;
        const NameEntry *entry = names_find_full(e, name);
        holds = entry && entry->kind == NAME_COORD;
    }
    expr_list_free(&list);
    return holds;
}

// The work of a reaction is λ times the change of the condition: of its residual, or where that
// holds velocities, of what they are the rates of.
static Dim dim_of_multiplier(const ModelConstraint *row)
{
    int order = row->kind == CONSTRAINT_SECOND_CLASS                                  ? 2
                : row->kind == CONSTRAINT_LINEAR || row->kind == CONSTRAINT_NONLINEAR ? 1
                                                                                      : 0;
    return dim_over(dim_of(1, 2, -2 - order), row->dim);
}

static bool push_condition(Elaborator *e, const Condition *condition, const char *member, Expr left,
                           Expr right)
{
    Text name = {0};
    text_addf(&name, "%s%s", condition->label, member);
    ModelConstraint row = {.left = left, .right = right, .place = condition->place};
    row.name = arena_copy_text(e->arena, name.at, name.length);
    row.residual = expr_sub(e->pool, left, right);
    row.kind =
        condition->kind == CONSTRAINT_KIND_COUNT ? find_kind(e, row.residual) : condition->kind;
    row.keeps = row.kind == CONSTRAINT_SERVO ? find_kind(e, row.residual) : row.kind;
    row.at_least = condition->at_least;
    row.restitution = condition->restitution;
    row.waits = e->waits;
    text_clear(&name);
    // One that holds identically stays: it is set aside where redundant ones are.
    if (!expr_is_zero(e->pool, row.residual) && !holds_coordinates(e, row.residual))
        return elaborate_fail(e, condition->place,
                              "the condition '%s' holds no coordinate and no velocity; nothing in "
                              "it can move",
                              text_shown(str_of(row.name)).at);
    bool one_sided = row.kind == CONSTRAINT_ONE_SIDED;
    size_t equations = e->model->constraints.count - e->side_count;
    if (one_sided ? e->side_count >= MODEL_MOST_SIDES : equations >= MODEL_MOST_CONDITIONS)
        return elaborate_fail(e, condition->place, "a model has at most %d %sconditions",
                              one_sided ? MODEL_MOST_SIDES : MODEL_MOST_CONDITIONS,
                              one_sided ? "one-sided " : "");
    e->side_count += one_sided;
    text_addf(&name, "lambda.%s", row.name);
    row.lambda = expr_symbol(e->pool, name.at);
    text_clear(&name);
    row.dim = dim_either(condition->left.dim, condition->right.dim);
    row.dim.any = false;
    if (row.kind != CONSTRAINT_SERVO)
        reaction_dim_put(e, "lambda.", row.name, dim_of_multiplier(&row));
    array_push(&e->model->constraints, row);
    return true;
}

static Vec components(Elaborator *e, const Condition *condition, Value side)
{
    return vector_in(e->model->vectors, side.vector, condition->axes);
}

static bool push_conditions(Elaborator *e, const Condition *condition, bool whole)
{
    if (!whole)
        return push_condition(e, condition, "", condition->left.scalar, condition->right.scalar);
    Vec a = components(e, condition, condition->left),
        b = components(e, condition, condition->right);
    return push_condition(e, condition, ".x", a.x, b.x) &&
           push_condition(e, condition, ".y", a.y, b.y) &&
           push_condition(e, condition, ".z", a.z, b.z);
}

bool push_residual(Elaborator *e, const char *label, const char *member, Expr residual, Dim dim,
                   Place place)
{
    Condition condition = {.label = label,
                           .left = {.dim = dim},
                           .right = {.dim = dim},
                           .place = place,
                           .kind = CONSTRAINT_KIND_COUNT,
                           .restitution = expr_int(e->pool, 0)};
    return push_condition(e, &condition, member, residual, expr_int(e->pool, 0));
}

void push_silent(Elaborator *e, const char *name, Expr left, Expr right, Place place)
{
    ModelConstraint row = {.left = left, .right = right, .place = place};
    Text text = {0};
    row.name = arena_copy_text(e->arena, name, strlen(name));
    text_addf(&text, "lambda.%s", row.name);
    row.lambda = expr_symbol(e->pool, text.at);
    text_clear(&text);
    row.residual = expr_sub(e->pool, row.left, row.right);
    row.kind = row.keeps = find_kind(e, row.residual);
    row.silent = true;
    array_push(&e->model->constraints, row);
}

// Brings both sides to one type: points where one side is a point, else vectors, else scalars.
static bool match_sides(Elaborator *e, Condition *condition, const Place *places, bool *whole)
{
    Value *left = &condition->left, *right = &condition->right;
    if (left->kind == VALUE_BAD || right->kind == VALUE_BAD)
        return false;
    if (left->kind == VALUE_FRAME || left->kind == VALUE_BODY)
        return elaborate_fail(e, places[0],
                              "a condition is between scalars, vectors or points, and this is %s",
                              value_kind_name(left->kind));
    bool point = left->kind == VALUE_POINT || right->kind == VALUE_POINT;
    bool vector = left->kind == VALUE_VECTOR || right->kind == VALUE_VECTOR;
    const char *what = "the other side";
    *whole = point || vector;
    Value (*as)(Elaborator *, Value, Place, const char *) = point    ? value_as_point
                                                            : vector ? value_as_vector
                                                                     : value_as_scalar;
    *left = as(e, *left, places[0], what);
    *right = as(e, *right, places[1], what);
    return left->kind != VALUE_BAD && right->kind != VALUE_BAD &&
           dim_check_sides(e, left->dim, right->dim, places[1], "a condition");
}

static bool find_label(Elaborator *e, Condition *condition)
{
    const Part *part = statement_part(e, PART_LABEL);
    if (part)
        return elaborate_label(e, part, e->labels, "a constraint", &condition->label);
    Text text = {0};
    text_addf(&text, "c%u", ++e->unnamed);
    Str label = {arena_copy_text(e->arena, text.at, text.length), text.length};
    text_clear(&text);
    condition->label = label.at;
    if (name_map_put(e->labels, label, 1))
        return true;
    return elaborate_fail(e, condition->place,
                          "this constraint would be called '%s', which is another's name; give it "
                          "one",
                          label.at);
}

// An equation whose right side is a bracket in F is split along F's axes, else along world's.
// The right side is the expression in hand.
static Frame axes_of(Elaborator *e, const Part *right)
{
    const Node *root = &e->syntax->nodes.at[right->span.root];
    if (root->kind != NODE_IN)
        return (Frame){0};
    return elaborate_child(e, syntax_children(e->syntax, root)[1].node).frame;
}

// Reads both sides; false after a message.
static bool read_sides(Elaborator *e, Condition *condition, const Part *right, bool *whole)
{
    const Part *left = statement_part(e, PART_LEFT);
    Place places[] = {syntax_part_place(e->syntax, left), syntax_part_place(e->syntax, right)};
    condition->place = place_between(places[0], places[1]);
    condition->restitution = expr_int(e->pool, 0);
    bool named = find_label(e, condition);
    condition->left = elaborate_span(e, left->span);
    condition->right = elaborate_span(e, right->span);
    condition->axes = axes_of(e, right);
    if (!match_sides(e, condition, places, whole) || !named) {
        if (named)
            name_map_put(e->lost_labels, str_of(condition->label), 1);
        return false;
    }
    if (condition->left.order < 0 && condition->right.order < 0)
        return elaborate_fail(e, condition->place,
                              "a condition is about coordinates or velocities, and this one holds "
                              "none");
    return true;
}

// Reads both sides again, for where they take hold or with points apart, and gives it to the
// conditions just made.
static void trace(Elaborator *e, const Condition *condition, const Part *right, bool whole,
                  bool apart)
{
    void (*keep)(Elaborator *, Expr, ModelConstraint *) = apart ? velocities_keep : places_keep;
    const Part *left = statement_part(e, PART_LEFT);
    Place places[] = {syntax_part_place(e->syntax, left), syntax_part_place(e->syntax, right)};
    size_t steps = e->steps;
    Condition moved = *condition;
    bool still_whole;
    // What is read twice counts once.
    e->steps = 0;
    tracer_begin(e, apart);
    moved.left = elaborate_span(e, left->span);
    moved.right = elaborate_span(e, right->span);
    if (match_sides(e, &moved, places, &still_whole) && still_whole == whole) {
        ModelConstraint *row =
            &e->model->constraints.at[e->model->constraints.count - (whole ? 3 : 1)];
        if (!whole) {
            keep(e, expr_sub(e->pool, moved.left.scalar, moved.right.scalar), row);
        } else {
            Vec a = components(e, &moved, moved.left), b = components(e, &moved, moved.right);
            keep(e, expr_sub(e->pool, a.x, b.x), &row[0]);
            keep(e, expr_sub(e->pool, a.y, b.y), &row[1]);
            keep(e, expr_sub(e->pool, a.z, b.z), &row[2]);
        }
    }
    tracer_end(e);
    e->steps = steps;
    e->turns = vectors_turns(e->model->vectors);
}

static void find_places(Elaborator *e, const Condition *condition, const Part *right, bool whole)
{
    trace(e, condition, right, whole, false);
    const ModelConstraint *last = &e->model->constraints.at[e->model->constraints.count - 1];
    if (last->kind == CONSTRAINT_LINEAR && last->place_count > 0)
        trace(e, condition, right, whole, true);
}

// A number is checked here; parameters have their values only when one-sided conditions are run.
static bool read_restitution(Elaborator *e, const Part *part, Expr *restitution)
{
    if (!elaborate_measure(e, part, LEVEL_PARAM, "a restitution", dim_pure(), restitution, NULL))
        return false;
    Expr at_most = expr_call(e->pool, EXPR_MIN, *restitution, expr_int(e->pool, 1));
    Expr within = expr_call(e->pool, EXPR_MAX, at_most, expr_int(e->pool, 0));
    if (!expr_is_number(e->pool, *restitution) || expr_same(within, *restitution))
        return true;
    return elaborate_fail(e, syntax_part_place(e->syntax, part),
                          "a restitution lies between 0 (no rebound) and 1 (no loss)");
}

static bool read_one_sided(Elaborator *e, Condition *condition, bool whole)
{
    const Part *restitution = statement_part(e, PART_RESTITUTION);
    condition->kind = CONSTRAINT_ONE_SIDED;
    if (whole)
        return elaborate_fail(e, condition->place,
                              "a one-sided condition compares scalars, not vectors");
    if (condition->left.order > 0 || condition->right.order > 0)
        return elaborate_fail(e, condition->place,
                              "a one-sided condition is about coordinates and t; it may not hold "
                              "velocities");
    if (restitution && !read_restitution(e, restitution, &condition->restitution))
        return false;
    return push_conditions(e, condition, false);
}

bool read_constraint(Elaborator *e)
{
    const Part *equal = statement_part(e, PART_EQUAL);
    const Part *at_most = statement_part(e, PART_AT_MOST);
    const Part *at_least = statement_part(e, PART_AT_LEAST);
    Condition condition = {.kind = CONSTRAINT_KIND_COUNT, .at_least = at_least != NULL};
    bool whole;
    if (!read_sides(e, &condition, equal ? equal : at_most ? at_most : at_least, &whole))
        return false;
    bool pushed =
        equal ? push_conditions(e, &condition, whole) : read_one_sided(e, &condition, whole);
    if (pushed)
        find_places(e, &condition, equal ? equal : at_most ? at_most : at_least, whole);
    return pushed && read_condition_friction(e, whole);
}

// ---- Conditions that an active force keeps.

// *lambda: the dimension of its multiplier.
static bool read_servo_force(Elaborator *e, ModelServo *servo, Dim *lambda)
{
    Dim dim;
    const Part *force = statement_part(e, PART_BY_FORCE), *by = statement_part(e, PART_BY);
    const Part *torque = statement_part(e, PART_BY_TORQUE);
    if (force) {
        servo->by = SERVO_FORCE;
        if (!elaborate_directed(e, force, LEVEL_VELOCITY, "a servo's force", dim_any(),
                                &servo->direction, &dim))
            return false;
        *lambda = dim_over(dim_of(1, 1, -2), dim);
        return elaborate_load_point(e, "a servo's force", &servo->point);
    }
    if (torque) {
        servo->by = SERVO_TORQUE;
        if (!elaborate_directed(e, torque, LEVEL_VELOCITY, "a servo's couple", dim_any(),
                                &servo->direction, &dim))
            return false;
        *lambda = dim_over(dim_of(1, 2, -2), dim);
        return elaborate_body(e, statement_part(e, PART_ON), "what a couple acts on",
                              &servo->target);
    }
    servo->by = SERVO_ALONG;
    const NameEntry *entry = elaborate_along(e, by, "a servo", false);
    servo->target = entry ? entry->index : 0;
    *lambda = entry ? dim_along(entry, -2) : dim_any();
    return entry != NULL;
}

// The force, or couple, takes hold where it was written; one along a coordinate has no place.
static void place_servo(Elaborator *e, const ModelServo *servo)
{
    Model *model = e->model;
    ModelConstraint *row = &model->constraints.at[servo->constraint];
    const ModelLoadPoint *point = &servo->point;
    ModelPlace place = {.kind = point->on == LOAD_ON_BODY ? PLACE_PARTICLE : PLACE_POINT,
                        .name = point->name,
                        .position = point->position,
                        .body = point->body};
    if (servo->by == SERVO_ALONG)
        return;
    if (servo->by == SERVO_TORQUE) {
        place.kind = PLACE_FRAME;
        place.frame = model->bodies.at[servo->target].frame;
        place.name = model->bodies.at[servo->target].name;
    }
    place.along = servo->direction;
    row->places = arena_alloc(e->arena, sizeof place);
    row->places[0] = place;
    row->place_count = 1;
}

bool read_servo(Elaborator *e)
{
    Condition condition = {.kind = CONSTRAINT_SERVO};
    ModelServo servo = {.constraint = e->model->constraints.count};
    bool whole;
    if (!read_sides(e, &condition, statement_part(e, PART_EQUAL), &whole))
        return false;
    if (whole)
        return elaborate_fail(e, condition.place,
                              "a servo keeps one scalar condition; write one for each component");
    Dim lambda;
    if (!read_servo_force(e, &servo, &lambda) || !push_conditions(e, &condition, false))
        return false;
    reaction_dim_put(e, "lambda.", condition.label, lambda);
    array_push(&e->model->servos, servo);
    place_servo(e, &servo);
    return true;
}

// ---- Multipliers in outputs.

static bool is_constraint(const Elaborator *e, Str name)
{
    for (size_t i = 0; i < e->model->constraints.count; i++)
        if (str_is(name, e->model->constraints.at[i].name))
            return true;
    return false;
}

static bool is_lost_label(const Elaborator *e, Str name)
{
    for (size_t end = 1; end <= name.length; end++) {
        bool word = end == name.length || name.at[end] == '[' || name.at[end] == '.';
        if (word && name_map_get(e->lost_labels, (Str){name.at, end}, NULL))
            return true;
    }
    return false;
}

bool elaborate_constraint_name(Elaborator *e, Str name, Place place)
{
    if (is_constraint(e, name) || is_lost_label(e, name))
        return true;
    ARRAY(Str) candidates = {0};
    for (size_t i = 0; i < e->model->constraints.count; i++)
        array_push(&candidates, str_of(e->model->constraints.at[i].name));
    elaborate_fail_unknown(e, place, "constraint", name, candidates.at, candidates.count);
    array_clear(&candidates);
    return false;
}

static void fail_lambda(Elaborator *e, const LambdaUse *use)
{
    Shown shown = text_shown(str_of(use->name));
    if (name_map_get(e->labels, str_of(use->name), NULL))
        elaborate_fail(e, use->place,
                       "'%s' is three conditions; their multipliers are lambda.%s.x, .y and .z",
                       shown.at, shown.at);
    else
        elaborate_constraint_name(e, str_of(use->name), use->place);
}

void check_lambdas(Elaborator *e)
{
    for (size_t i = 0; i < e->lambda_uses.count; i++) {
        const LambdaUse *use = &e->lambda_uses.at[i];
        Str name = str_of(use->name);
        if (use->what == USE_LAMBDA && !is_constraint(e, name) && !pairs_name(e, name) &&
            !is_lost_label(e, name))
            fail_lambda(e, use);
    }
    for (size_t i = 0; i < e->model->constraints.count && e->model->pairs.count > 0; i++)
        pairs_name(e, str_of(e->model->constraints.at[i].name));
}
