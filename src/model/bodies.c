// bodies.c: frames, bodies, and couples on them.
#include "model/model_impl.h"

// ---- Axes.

int bare_axis(const Elaborator *e, uint32_t node)
{
    const Node *at = &e->syntax->nodes.at[node];
    Str name = at->kind == NODE_NAME ? syntax_name(e->syntax, at->name) : str_of("");
    return str_is(name, "x") ? 0 : str_is(name, "y") ? 1 : str_is(name, "z") ? 2 : -1;
}

static Vec unit_vec(Elaborator *e, int axis)
{
    Expr zero = expr_int(e->pool, 0), one = expr_int(e->pool, 1);
    return (Vec){axis == 0 ? one : zero, axis == 1 ? one : zero, axis == 2 ? one : zero};
}

Vec elaborate_unit(Elaborator *e, Vec v)
{
    Expr squares[] = {expr_pow_int(e->pool, v.x, 2), expr_pow_int(e->pool, v.y, 2),
                      expr_pow_int(e->pool, v.z, 2)};
    Expr norm = expr_sqrt(e->pool, expr_sum(e->pool, squares, 3));
    return (Vec){expr_div(e->pool, v.x, norm), expr_div(e->pool, v.y, norm),
                 expr_div(e->pool, v.z, norm)};
}

// Whether a component holds nothing but numbers and parameters.
static bool is_constant(Elaborator *e, Expr component)
{
    ExprList list = expr_symbols(e->pool, &component, 1);
    bool constant = true;
    for (size_t i = 0; i < list.count && constant; i++) {
        const NameEntry *entry = names_find_full(e, str_of(expr_name(e->pool, (Expr){list.at[i]})));
        constant = entry && entry->kind == NAME_PARAM;
    }
    expr_list_free(&list);
    return constant;
}

// An axis given by a vector. Bare brackets mean the axes of the frame that is turned, and what
// counts is that the vector stands still there.
static bool read_axis_vector(Elaborator *e, const Part *part, Frame frame, Vec *axis)
{
    Place place = syntax_part_place(e->syntax, part);
    e->brackets = frame;
    Value value = elaborate_span(e, part->span);
    e->brackets = (Frame){0};
    if (value.kind == VALUE_SCALAR)
        return elaborate_fail(e, place,
                              "an axis to rotate about is x, y, z or a constant vector, not a "
                              "scalar");
    value = value_as_vector(e, value, place, "an axis to rotate about");
    if (value.kind == VALUE_BAD)
        return false;
    *axis = vector_in(e->model->vectors, value.vector, frame);
    if (expr_is_zero(e->pool, axis->x) && expr_is_zero(e->pool, axis->y) &&
        expr_is_zero(e->pool, axis->z))
        return elaborate_fail(e, place, "the axis to rotate about is the zero vector");
    if (!is_constant(e, axis->x) || !is_constant(e, axis->y) || !is_constant(e, axis->z))
        return elaborate_fail(e, place,
                              "an axis to rotate about must stand still in the frame that is "
                              "turned; chain rotations about such axes instead");
    *axis = elaborate_unit(e, *axis);
    return true;
}

bool elaborate_axis(Elaborator *e, const Part *part, Frame frame, Vec *axis)
{
    const Node *root = &e->syntax->nodes.at[part->span.root];
    int bare = bare_axis(e, part->span.root);
    if (bare < 0 && root->kind == NODE_NEGATIVE &&
        bare_axis(e, syntax_children(e->syntax, root)[0].node) >= 0)
        return elaborate_fail(e, syntax_part_place(e->syntax, part),
                              "an axis is x, y, z or a constant vector; to turn the other way, "
                              "turn by the negative angle");
    if (bare < 0)
        return read_axis_vector(e, part, frame, axis);
    *axis = unit_vec(e, bare);
    return true;
}

// ---- Frames.

static bool rotate(Elaborator *e, const Part *angle_part, Value *frame)
{
    Place place = syntax_part_place(e->syntax, angle_part);
    Value angle =
        value_as_scalar(e, elaborate_span(e, angle_part->span), place, "an angle of rotation");
    Vec axis;
    if (angle.kind == VALUE_BAD || !elaborate_axis(e, angle_part + 1, frame->frame, &axis) ||
        !value_within(e, &angle, LEVEL_PLACE, place, "an angle of rotation") ||
        !dim_check(e, angle.dim, dim_pure(), place, "an angle of rotation"))
        return false;
    frame->frame = frame_turned(e->model->vectors, frame->frame, angle.scalar, axis);
    value_mark(frame, &angle);
    return true;
}

// The four parameters must be coordinates: their unit norm is a condition on them.
static bool read_quaternion(Elaborator *e, const Part *parts, Value *frame, Expr parameters[4])
{
    for (int i = 0; i < 4; i++) {
        Place place = syntax_part_place(e->syntax, &parts[i]);
        Value value = value_as_scalar(e, elaborate_span(e, parts[i].span), place,
                                      "a parameter of a quaternion");
        if (value.kind == VALUE_BAD)
            return false;
        if (value.order != 0 || !expr_is_symbol(e->pool, value.scalar))
            return elaborate_fail(e, place,
                                  "a quaternion is made of four coordinates, as in 'coord e0, e1, "
                                  "e2, e3'");
        if (!dim_check(e, value.dim, dim_pure(), place, "a parameter of a quaternion"))
            return false;
        for (int j = 0; j < i; j++)
            if (expr_same(parameters[j], value.scalar))
                return elaborate_fail(e, place,
                                      "a quaternion is made of four different coordinates, and "
                                      "this one stands there already");
        parameters[i] = value.scalar;
        value_mark(frame, &value);
    }
    return true;
}

// They start at (1, 0, 0, 0) unless a start is given before or later.
static void start_quaternion(Elaborator *e, const Place places[4], const Expr parameters[4])
{
    for (int i = 0; i < 4; i++) {
        uint32_t index;
        if (!name_map_get(e->name_map, str_of(expr_name(e->pool, parameters[i])), &index))
            continue;
        NameEntry *entry = &e->names.at[index];
        if (entry->start != NO_START)
            continue;
        ModelStart start = {.of = START_COORD, .target = entry->index, .approx = true};
        start.value = expr_int(e->pool, i == 0);
        start.place = places[i];
        start.from_array = true; // so that a start of its own may replace it
        entry->start = (uint32_t)e->model->starts.count;
        array_push(&e->model->starts, start);
    }
}

Frame elaborate_quaternion(Elaborator *e, Frame frame, const Expr parameters[4],
                           const Place places[4], const char *name)
{
    Expr squares[4];
    for (int i = 0; i < 4; i++)
        squares[i] = expr_pow_int(e->pool, parameters[i], 2);
    Text label = {0};
    text_addf(&label, "%s.unit", name);
    push_silent(e, label.at, expr_sum(e->pool, squares, 4), expr_int(e->pool, 1), places[0]);
    text_clear(&label);
    start_quaternion(e, places, parameters);
    return frame_quaternion(e->model->vectors, frame, parameters);
}

static bool turn_by_quaternion(Elaborator *e, const Part *parts, const Target *target, Value *frame)
{
    Expr parameters[4];
    Place places[4];
    if (!read_quaternion(e, parts, frame, parameters))
        return false;
    for (int i = 0; i < 4; i++)
        places[i] = syntax_part_place(e->syntax, &parts[i]);
    Str name = names_own(e, target->base, target->low, target->rank);
    frame->frame = elaborate_quaternion(e, frame->frame, parameters, places, name.at);
    e->model->constraints.at[e->model->constraints.count - 1].place = target->place;
    return true;
}

bool read_frame(Elaborator *e)
{
    const Part *parts = &e->syntax->parts.at[e->statement->first];
    Target target;
    Value frame;
    if (!elaborate_target(e, &parts[0], &target) ||
        !elaborate_frame(e, &parts[1], "what a frame is made from", &frame))
        return false;
    bool quaternion = e->statement->count > 2 && parts[2].role == PART_QUATERNION;
    bool good = true;
    for (uint32_t i = 2; i + 1 < e->statement->count && good && !quaternion; i += 2)
        good = rotate(e, &parts[i], &frame);
    if (!good || (quaternion && !turn_by_quaternion(e, &parts[2], &target, &frame)))
        return false;
    NameEntry *entry = declare_single(e, NAME_FRAME, &target);
    if (!entry)
        return false;
    entry->value = frame;
    frame_set_name(e->model->vectors, frame.frame, entry->name.at);
    return true;
}

// ---- Bodies.

// The moments stand in the bracket that is node `bracket`; the nodes before it are its own.
static bool read_moments(Elaborator *e, const Part *part, uint32_t bracket, ModelBody *body)
{
    const Node *node = &e->syntax->nodes.at[bracket];
    const Child *children = syntax_children(e->syntax, node);
    Place place = syntax_node_place(e->syntax, bracket);
    if (node->kind != NODE_VECTOR || (node->count != 3 && node->count != 6))
        return elaborate_fail(e, place,
                              "an inertia is three principal moments [A, B, C], or the six entries "
                              "[Ixx, Iyy, Izz, Ixy, Iyz, Izx]");
    if (!elaborate_below_root(e, (Span){part->span.first, bracket}))
        return false;
    for (uint32_t i = 0; i < 6; i++)
        body->inertia[i] = expr_int(e->pool, 0);
    for (uint32_t i = 0; i < node->count; i++) {
        Place where = syntax_node_place(e->syntax, children[i].node);
        Value moment =
            value_as_scalar(e, elaborate_child(e, children[i].node), where, "a moment of inertia");
        if (moment.kind == VALUE_BAD ||
            !value_within(e, &moment, LEVEL_PARAM, where, "a moment of inertia") ||
            !dim_check(e, moment.dim, dim_of(1, 2, 0), where, "a moment of inertia"))
            return false;
        body->inertia[i] = moment.scalar;
    }
    body->has_inertia = true;
    return true;
}

static bool read_inertia(Elaborator *e, const Part *part, ModelBody *body)
{
    const Node *root = &e->syntax->nodes.at[part->span.root];
    if (root->kind != NODE_IN)
        return read_moments(e, part, part->span.root, body);
    if (body->unplaced)
        return elaborate_fail(e, syntax_part_place(e->syntax, part),
                              "the inertia of a body that a joint places is along its own axes");
    const Child *children = syntax_children(e->syntax, root);
    if (!read_moments(e, part, children[0].node, body))
        return false;
    Part frame = *part;
    frame.span = (Span){children[0].node + 1, children[1].node};
    Value value;
    if (!elaborate_frame(e, &frame, "what an inertia is given in", &value))
        return false;
    body->inertia_frame = value.frame;
    return true;
}

// The centre of mass of a body that a joint places, in its own axes.
static bool read_center(Elaborator *e, const Part *part, ModelBody *body)
{
    Place place = syntax_part_place(e->syntax, part);
    if (!body->unplaced)
        return elaborate_fail(
            e, place,
            "'center' belongs to a body that a joint places; this one has 'frame' "
            "or 'at'");
    Value center = value_as_vector(e, elaborate_span(e, part->span), place, "a body's centre");
    if (center.kind == VALUE_BAD ||
        !value_within(e, &center, LEVEL_PARAM, place, "a body's centre") ||
        !dim_check(e, center.dim, dim_of(0, 1, 0), place, "a body's centre"))
        return false;
    body->center = vector_in(e->model->vectors, center.vector, (Frame){0});
    return true;
}

// All clauses but the name; marks of what the body depends on go to `value`.
static bool read_clauses(Elaborator *e, ModelBody *body, Value *value)
{
    const Part *frame = statement_part(e, PART_FRAME), *mass = statement_part(e, PART_MASS);
    const Part *at = statement_part(e, PART_AT), *inertia = statement_part(e, PART_INERTIA);
    const Part *center = statement_part(e, PART_CENTER);
    Value axes = {.kind = VALUE_FRAME, .order = -1};
    bool good = true;
    body->mass = expr_int(e->pool, 0);
    body->unplaced = !frame && !at;
    if (frame)
        good = elaborate_frame(e, frame, "a body's frame", &axes);
    else if (at)
        good = elaborate_fail(e, body->place,
                              "a body needs its frame: 'frame' with the axes that turn with it, "
                              "'frame world' where it does not turn, or a joint that places it");
    if (center)
        good = read_center(e, center, body) && good;
    body->frame = body->inertia_frame = axes.frame;
    value_mark(value, &axes);
    if (mass)
        good = elaborate_measure(e, mass, LEVEL_PARAM, "a body's mass", dim_of(1, 0, 0),
                                 &body->mass, NULL) &&
               good;
    body->position = vector_zero(e->model->vectors);
    if (at) {
        Place place = syntax_part_place(e->syntax, at);
        Value point = value_as_point(e, elaborate_span(e, at->span), place, "a body's place");
        good = point.kind != VALUE_BAD &&
               value_within(e, &point, LEVEL_PLACE, place, "a body's place") && good;
        body->position = point.vector;
        body->has_position = true;
        value_mark(value, &point);
    }
    if (inertia)
        good = read_inertia(e, inertia, body) && good;
    if (mass && !at && !body->unplaced)
        good = elaborate_fail(e, syntax_part_place(e->syntax, mass),
                              "a body with a mass needs a place: 'at' with its centre of mass");
    return good;
}

bool read_body(Elaborator *e)
{
    const Part *name = statement_part(e, PART_NAME);
    Target target;
    if (!elaborate_target(e, name, &target))
        return false;
    Expr zero = expr_int(e->pool, 0);
    ModelBody body = {.place = target.place, .center = {zero, zero, zero}};
    Value value = {.kind = VALUE_BODY, .order = -1};
    if (!read_clauses(e, &body, &value))
        return false;
    NameEntry *entry = declare_single(e, NAME_BODY, &target);
    if (!entry)
        return false;
    body.name = entry->name.at;
    value.frame = body.frame;
    value.body = (uint32_t)e->model->bodies.count;
    entry->value = value;
    array_push(&e->model->bodies, body);
    return true;
}

bool read_torque(Elaborator *e)
{
    ModelTorque torque = {.place = syntax_statement_place(e->syntax, e->statement)};
    bool good = elaborate_directed(e, statement_part(e, PART_VALUE), LEVEL_VELOCITY, "a couple",
                                   dim_of(1, 2, -2), &torque.torque, NULL);
    good = elaborate_body(e, statement_part(e, PART_ON), "what a couple acts on", &torque.body) &&
           good;
    torque.target = syntax_part_place(e->syntax, statement_part(e, PART_ON));
    torque.waits = e->waits;
    if (good)
        array_push(&e->model->torques, torque);
    return good;
}
