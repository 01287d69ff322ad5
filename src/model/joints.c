// joints.c: joints. One between a placed body and one that is not placed makes that one's frame
// and place of coordinates; one between two placed bodies closes a loop and is conditions.
#include "model/joints_impl.h"
#include "model/model_impl.h"

#include <string.h>

static const struct {
    const char *word;
    size_t count;                          // of coordinates
    const char *members[MOST_COORDINATES]; // their names where `by` gives none
    int axes;
} kinds[JOINT_COUNT] = {
    [JOINT_FIXED] = {"fixed", 0, {0}, 0},
    [JOINT_HINGE] = {"hinge", 1, {"angle"}, 1},
    [JOINT_SLIDER] = {"slider", 1, {"distance"}, 1},
    [JOINT_CYLINDER] = {"cylinder", 2, {"angle", "distance"}, 1},
    [JOINT_UNIVERSAL] = {"universal", 2, {"angle1", "angle2"}, 2},
    [JOINT_BALL] = {"ball", 4, {"e0", "e1", "e2", "e3"}, 0},
    [JOINT_PLANAR] = {"planar", 3, {"distance1", "distance2", "angle"}, 1},
    [JOINT_FREE] = {"free", 7, {"distance1", "distance2", "distance3", "e0", "e1", "e2", "e3"}, 0},
};

static bool is_placed(const Elaborator *e, const Value *value)
{
    return value->kind == VALUE_FRAME || !e->model->bodies.at[value->body].unplaced;
}

// ---- What is said.

static bool read_kind(Elaborator *e, Joint *joint)
{
    const Part *part = statement_part(e, PART_SHAPE);
    Str word = syntax_name(e->syntax, e->syntax->nodes.at[part->span.root].name);
    Str words[JOINT_COUNT];
    for (int kind = 0; kind < JOINT_COUNT; kind++) {
        words[kind] = str_of(kinds[kind].word);
        if (str_equal(words[kind], word)) {
            joint->kind = (JointKind)kind;
            joint->word = kinds[kind].word;
            return true;
        }
    }
    return elaborate_fail_unknown(e, syntax_part_place(e->syntax, part), "kind of joint", word,
                                  words, JOINT_COUNT);
}

static bool read_side(Elaborator *e, PartRole role, Value *side)
{
    const Part *part = statement_part(e, role);
    Place place = syntax_part_place(e->syntax, part);
    e->placing = true;
    *side = elaborate_span(e, part->span);
    e->placing = false;
    if (side->kind == VALUE_BAD || side->kind == VALUE_BODY || side->kind == VALUE_FRAME)
        return side->kind != VALUE_BAD;
    return elaborate_fail(e, place,
                          "a joint is between bodies, or world and a body, and this is %s",
                          value_kind_name(side->kind));
}

static Shown shown_part(const Elaborator *e, PartRole role)
{
    const Part *part = statement_part(e, role);
    return text_shown(syntax_text(e->syntax, part->start, part->length));
}

static bool read_sides(Elaborator *e, Joint *joint)
{
    bool good = read_side(e, PART_BETWEEN, &joint->a);
    if (!read_side(e, PART_AND, &joint->b) || !good)
        return false;
    Place place = syntax_part_place(e->syntax, statement_part(e, PART_BETWEEN));
    Shown a = shown_part(e, PART_BETWEEN), b = shown_part(e, PART_AND);
    joint->b_placed = is_placed(e, &joint->b);
    if (joint->a.kind == VALUE_BODY && joint->b.kind == VALUE_BODY &&
        joint->a.body == joint->b.body)
        return elaborate_fail(e, place, "a joint is between two bodies, and both are '%s'", a.at);
    if (!is_placed(e, &joint->a) && joint->b_placed)
        return elaborate_fail(e, place,
                              "nothing places '%s' yet; write the placed one first: 'between %s "
                              "and %s'",
                              a.at, b.at, a.at);
    if (!is_placed(e, &joint->a))
        return elaborate_fail(e, place,
                              "nothing places the body '%s' above this line; put the joint that "
                              "places it first",
                              a.at);
    return true;
}

// Where it takes hold; where nothing is said, at the first body's own origin, or that of world.
static bool read_at(Elaborator *e, Joint *joint)
{
    const Part *at = statement_part(e, PART_AT);
    const ModelBody *body =
        joint->a.kind == VALUE_BODY ? &e->model->bodies.at[joint->a.body] : NULL;
    if (at) {
        Place place = syntax_part_place(e->syntax, at);
        joint->at = value_as_point(e, elaborate_span(e, at->span), place, "the place of a joint");
        if (joint->at.kind == VALUE_BAD ||
            !value_within(e, &joint->at, LEVEL_PLACE, place, "the place of a joint"))
            return false;
        keep_hold(e, at, "a joint", joint->at.vector, &joint->a);
        return true;
    }
    if (body && !body->has_origin)
        return elaborate_fail(e, joint->place, "say where the joint takes hold of '%s', with 'at'",
                              body->name);
    joint->at =
        body ? value_of_vector(VALUE_POINT, body->origin) : value_zero_vector(e, VALUE_POINT);
    joint->at.dim = dim_of(0, 1, 0);
    value_mark(&joint->at, &joint->a);
    return true;
}

static bool check_clauses(Elaborator *e, const Joint *joint)
{
    const Part *axis = statement_part(e, PART_AXIS), *second = statement_part(e, PART_AXIS_OTHER);
    if (!joint_may_rub(e, joint))
        return false;
    if (kinds[joint->kind].axes > 0 && !axis)
        return elaborate_fail(e, joint->place, "a %s needs its 'axis'", joint->word);
    if (kinds[joint->kind].axes == 2 && !second)
        return elaborate_fail(e, joint->place, "a %s needs two axes: 'axis u and w'", joint->word);
    if (kinds[joint->kind].axes == 0 && axis)
        return elaborate_fail(e, syntax_part_place(e->syntax, axis), "a %s joint has no axis",
                              joint->word);
    return true;
}

// ---- Coordinates.

bool joint_declare_label(Elaborator *e, const Joint *joint)
{
    const Part *label = statement_part(e, PART_LABEL);
    Target target;
    NameEntry *entry;
    if (label) {
        if (!elaborate_target(e, label, &target))
            return false;
        entry = declare_single(e, NAME_PART, &target);
    } else {
        size_t prefix = e->scope ? e->scope->prefix.length : 0;
        entry = names_declare(e, NAME_PART, str_of(joint->label + prefix), NULL, 0, joint->place);
    }
    if (entry)
        entry->value = (Value){.kind = VALUE_PART, .order = -1, .word = entry->name.at};
    return entry != NULL;
}

static bool make_coordinates(Elaborator *e, Joint *joint)
{
    size_t prefix = e->scope ? e->scope->prefix.length : 0;
    if (!joint_declare_label(e, joint))
        return false;
    for (size_t i = 0; i < kinds[joint->kind].count; i++) {
        Text name = {0};
        text_addf(&name, "%s.%s", joint->label + prefix, kinds[joint->kind].members[i]);
        Dim dim = dim_of(0, strncmp(kinds[joint->kind].members[i], "distance", 8) == 0, 0);
        bool good =
            declare_coordinate(e, (Str){name.at, name.length}, dim, joint->place, &joint->q[i]);
        text_clear(&name);
        joint->places[i] = joint->place;
        if (!good)
            return false;
    }
    return true;
}

static bool read_coordinates(Elaborator *e, Joint *joint)
{
    static const char *const counts[] = {"no",   "one",  "two", "three",
                                         "four", "five", "six", "seven"};
    size_t given = 0, count = kinds[joint->kind].count;
    for (uint32_t i = 0; i < e->statement->count; i++) {
        const Part *part = &e->syntax->parts.at[e->statement->first + i];
        if (part->role != PART_BY)
            continue;
        Place place = syntax_part_place(e->syntax, part);
        if (given == count)
            return elaborate_fail(e, place, "a %s has %s coordinate%s, and this is one more",
                                  joint->word, counts[count], count == 1 ? "" : "s");
        const NameEntry *entry = elaborate_along(e, part, "a joint", false);
        if (!entry)
            return false;
        Dim dim = dim_of(0, strncmp(kinds[joint->kind].members[given], "distance", 8) == 0, 0);
        if (!dim_check(e, entry->value.dim, dim, place, "this coordinate of a joint"))
            return false;
        for (size_t j = 0; j < given; j++)
            if (expr_same(joint->q[j], entry->value.scalar))
                return elaborate_fail(e, place, "this coordinate stands there already");
        joint->places[given] = place;
        joint->q[given++] = entry->value.scalar;
    }
    if (given > 0 && given < count)
        return elaborate_fail(e, joint->places[given - 1],
                              "a %s has %s coordinates, and %s %s named", joint->word,
                              counts[count], counts[given], given == 1 ? "is" : "are");
    return given == count || make_coordinates(e, joint);
}

// ---- Axes.

Vec joint_unit(Elaborator *e, int axis)
{
    Expr one = expr_int(e->pool, 1), zero = expr_int(e->pool, 0);
    return (Vec){axis == 0 ? one : zero, axis == 1 ? one : zero, axis == 2 ? one : zero};
}

// Two unit vectors across an axis and each other, right-handed with it.
void joint_across(Elaborator *e, Vec axis, Vec out[2])
{
    const Expr parts[] = {axis.x, axis.y, axis.z};
    int zero = -1, other = -1, nonzero = 0;
    for (int i = 0; i < 3; i++) {
        bool none = expr_is_zero(e->pool, parts[i]);
        nonzero += !none;
        other = none ? other : i;
        zero = none && zero < 0 ? i : zero;
    }
    if (nonzero == 1)
        zero = (other + 1) % 3;
    out[0] = zero >= 0 ? joint_unit(e, zero)
                       : elaborate_unit(e, vec_cross(e->pool, joint_unit(e, 0), axis));
    out[1] = vec_cross(e->pool, axis, out[0]);
}

// ---- Placing.

static Vector along(Elaborator *e, Frame frame, Vec direction, Expr distance)
{
    return vector_of(e->model->vectors, frame, vec_scale(e->pool, distance, direction));
}

// Turns the frame, and moves the place from P on.
static bool turn_and_move(Elaborator *e, Joint *joint, Frame *frame, Vector *place)
{
    Vectors *vectors = e->model->vectors;
    Frame a = joint->a.frame;
    const Expr *q = joint->q;
    Vec u = joint_unit(e, 0), w, sides[2];
    *frame = a;
    if (kinds[joint->kind].axes > 0 && !elaborate_axis(e, statement_part(e, PART_AXIS), a, &u))
        return false;
    joint->u = joint->w = vector_of(vectors, a, u);
    *place = vector_add(vectors, *place, joint_held_way(e, joint, u));
    switch (joint->kind) {
    case JOINT_HINGE: *frame = frame_turned(vectors, a, q[0], u); break;
    case JOINT_SLIDER: *place = vector_add(vectors, *place, along(e, a, u, q[0])); break;
    case JOINT_CYLINDER:
        *frame = frame_turned(vectors, a, q[0], u);
        *place = vector_add(vectors, *place, along(e, a, u, q[1]));
        break;
    case JOINT_UNIVERSAL:
        *frame = frame_turned(vectors, a, q[0], u);
        if (!elaborate_axis(e, statement_part(e, PART_AXIS_OTHER), *frame, &w))
            return false;
        joint->w = vector_of(vectors, *frame, w);
        *frame = frame_turned(vectors, *frame, q[1], w);
        break;
    case JOINT_BALL: *frame = elaborate_quaternion(e, a, q, joint->places, joint->label); break;
    case JOINT_PLANAR:
        joint_across(e, u, sides);
        *place = vector_add(vectors, *place, along(e, a, sides[0], q[0]));
        *place = vector_add(vectors, *place, along(e, a, sides[1], q[1]));
        *frame = frame_turned(vectors, a, q[2], u);
        break;
    case JOINT_FREE:
        *place = vector_add(vectors, *place, vector_of(vectors, a, (Vec){q[0], q[1], q[2]}));
        *frame = elaborate_quaternion(e, a, q + 3, joint->places + 3, joint->label);
        break;
    default: break;
    }
    return true;
}

// The point after `and`, in the body's own axes.
static bool read_own_point(Elaborator *e, Frame frame, Vector *origin)
{
    const Part *part = statement_part(e, PART_AT_OTHER);
    if (!part)
        return true;
    Place place = syntax_part_place(e->syntax, part);
    e->brackets = frame;
    Value own = elaborate_span(e, part->span);
    e->brackets = (Frame){0};
    own = value_as_vector(e, own, place, "a point in the axes of the body that is placed");
    if (own.kind == VALUE_BAD ||
        !value_within(e, &own, LEVEL_PARAM, place, "a point of the body that is placed") ||
        !dim_check(e, own.dim, dim_of(0, 1, 0), place, "a point of the body that is placed"))
        return false;
    *origin = vector_sub(e->model->vectors, *origin, own.vector);
    return true;
}

static bool place_body(Elaborator *e, Joint *joint)
{
    if (!read_at(e, joint) || !check_clauses(e, joint) || !read_coordinates(e, joint))
        return false;
    Frame frame;
    Vector origin = joint->at.vector;
    size_t first = e->model->constraints.count;
    if (!joint_hold(e, joint) || !turn_and_move(e, joint, &frame, &origin))
        return false;
    joint->b.frame = frame;
    if (!joint_rub(e, joint, first, origin))
        return false;
    ModelBody *body = &e->model->bodies.at[joint->b.body];
    if (frame.at != joint->a.frame.at) {
        Text name = {0};
        text_addf(&name, "%s.frame", body->name);
        frame_set_name(e->model->vectors, frame, arena_copy_text(e->arena, name.at, name.length));
        text_clear(&name);
    }
    if (!read_own_point(e, frame, &origin))
        return false;
    body->frame = body->inertia_frame = frame;
    body->origin = origin;
    body->has_origin = true;
    body->position =
        vector_add(e->model->vectors, origin, vector_of(e->model->vectors, frame, body->center));
    body->has_position = true;
    body->unplaced = false;
    Value *value = &e->names.at[joint->b.entry].value;
    value->frame = frame;
    value_mark(value, &joint->a);
    value_mark(value, &joint->at);
    if (kinds[joint->kind].count > 0 && value->order < 0)
        value->order = 0;
    return true;
}

// ---- Loops.

typedef struct {
    const Joint *joint;
    const char *names[2]; // of P and Q as they are written
    Vector p, q, a[3], u, sides[2], w, b[3];
    const char *members[6];
    size_t count;
} Closing;

static Vector carried(Elaborator *e, Vector v, const Value *by)
{
    return e->tracer ? trace_carried(e, v, by->frame) : v;
}

static void add_rotations(Elaborator *e, const Closing *closing, Expr *out, size_t *count)
{
    const Joint *joint = closing->joint;
    Vectors *vectors = e->model->vectors;
    for (int i = 0; i < 3; i++)
        out[(*count)++] = vector_dot(vectors, carried(e, closing->a[i], &joint->a),
                                     carried(e, closing->b[(i + 1) % 3], &joint->b));
}

static void add_parallel(Elaborator *e, const Closing *closing, Expr *out, size_t *count)
{
    const Joint *joint = closing->joint;
    for (int i = 0; i < 2; i++)
        out[(*count)++] = vector_dot(e->model->vectors, carried(e, closing->sides[i], &joint->a),
                                     carried(e, closing->w, &joint->b));
}

// A hinge that rubs: the force across its axis is told by conditions of its own.
static bool joint_rubs(const Elaborator *e, JointKind kind)
{
    return kind == JOINT_HINGE && statement_part(e, PART_FRICTION);
}

// What must vanish; points and axes are moved while places are sought.
static void residuals(Elaborator *e, const Closing *closing, Expr *out)
{
    const Joint *joint = closing->joint;
    Vectors *vectors = e->model->vectors;
    Vector p = closing->p, q = closing->q;
    size_t count = 0;
    if (e->tracer) {
        p = trace_point(e, p, closing->names[0]);
        q = trace_point(e, q, closing->names[1]);
    }
    Vector way = vector_sub(vectors, p, q);
    JointKind kind = joint->kind;
    bool across = kind == JOINT_SLIDER || kind == JOINT_CYLINDER || joint_rubs(e, kind);
    if (!across && (kind == JOINT_FIXED || kind == JOINT_HINGE || kind == JOINT_BALL ||
                    kind == JOINT_UNIVERSAL)) {
        Vec parts = vector_in(vectors, way, (Frame){0});
        out[count++] = parts.x, out[count++] = parts.y, out[count++] = parts.z;
    }
    for (int i = 0; i < 2 && across; i++)
        out[count++] = vector_dot(vectors, carried(e, closing->sides[i], &joint->a), way);
    if (kind == JOINT_PLANAR || joint_rubs(e, kind))
        out[count++] = vector_dot(vectors, carried(e, closing->u, &joint->a), way);
    if (kind == JOINT_FIXED || kind == JOINT_SLIDER)
        add_rotations(e, closing, out, &count);
    if (kind == JOINT_HINGE || kind == JOINT_CYLINDER || kind == JOINT_PLANAR)
        add_parallel(e, closing, out, &count);
    if (kind == JOINT_UNIVERSAL)
        out[count++] = vector_dot(vectors, carried(e, closing->u, &joint->a),
                                  carried(e, closing->w, &joint->b));
}

static const struct {
    size_t count;
    const char *members[6];
} closings[JOINT_COUNT] = {
    [JOINT_FIXED] = {6, {".x", ".y", ".z", ".turn1", ".turn2", ".turn3"}},
    [JOINT_HINGE] = {5, {".x", ".y", ".z", ".axis1", ".axis2"}},
    [JOINT_SLIDER] = {5, {".across1", ".across2", ".turn1", ".turn2", ".turn3"}},
    [JOINT_CYLINDER] = {4, {".across1", ".across2", ".axis1", ".axis2"}},
    [JOINT_UNIVERSAL] = {4, {".x", ".y", ".z", ".axis1"}},
    [JOINT_BALL] = {3, {".x", ".y", ".z"}},
    [JOINT_PLANAR] = {3, {".along", ".axis1", ".axis2"}},
};

static const char *const rubbing[] = {".across1", ".across2", ".along", ".axis1", ".axis2"};

static bool read_closing_axes(Elaborator *e, const Joint *joint, Closing *closing)
{
    Vectors *vectors = e->model->vectors;
    const Part *axis = statement_part(e, PART_AXIS), *second = statement_part(e, PART_AXIS_OTHER);
    Vec u, w, sides[2];
    for (int i = 0; i < 3; i++) {
        closing->a[i] = vector_of(vectors, joint->a.frame, joint_unit(e, i));
        closing->b[i] = vector_of(vectors, joint->b.frame, joint_unit(e, i));
    }
    if (kinds[joint->kind].axes == 0)
        return true;
    if (!elaborate_axis(e, axis, joint->a.frame, &u))
        return false;
    w = u; // the same letters along the other's axes
    if (second && !elaborate_axis(e, second, joint->b.frame, &w))
        return false;
    joint_across(e, u, sides);
    closing->u = vector_of(vectors, joint->a.frame, u);
    closing->w = vector_of(vectors, joint->b.frame, w);
    closing->sides[0] = vector_of(vectors, joint->a.frame, sides[0]);
    closing->sides[1] = vector_of(vectors, joint->a.frame, sides[1]);
    return true;
}

static bool close_loop(Elaborator *e, Joint *joint)
{
    const Part *other = statement_part(e, PART_AT_OTHER), *at = statement_part(e, PART_AT);
    const Part *by = statement_part(e, PART_BY);
    Closing closing = {.joint = joint};
    Vector q;
    if (joint->kind == JOINT_FREE)
        return elaborate_fail(e, joint->place,
                              "both bodies are placed, so that a free joint between them holds "
                              "nothing; leave it out");
    if (by)
        return elaborate_fail(
            e, syntax_part_place(e->syntax, by),
            "both bodies are placed, so that this joint has no coordinates of its "
            "own; leave out 'by'");
    if (!at || !other)
        return elaborate_fail(e, joint->place,
                              "this joint closes a loop: say where it takes hold on both bodies, "
                              "'at P and Q'");
    if (!check_clauses(e, joint) || !read_at(e, joint) ||
        !elaborate_point(e, other, LEVEL_PLACE, "the place of a joint", &q) ||
        !read_closing_axes(e, joint, &closing))
        return false;
    keep_hold(e, other, "a joint", q, &joint->b);
    Str names[] = {syntax_text(e->syntax, at->start, at->length),
                   syntax_text(e->syntax, other->start, other->length)};
    for (int i = 0; i < 2; i++)
        closing.names[i] = arena_copy_text(e->arena, names[i].at, names[i].length);
    closing.p = joint->at.vector;
    closing.q = q;
    size_t count = closings[joint->kind].count, first = e->model->constraints.count;
    const char *const *members =
        joint_rubs(e, joint->kind) ? rubbing : closings[joint->kind].members;
    Expr values[6];
    residuals(e, &closing, values);
    for (size_t i = 0; i < count; i++)
        if (!push_residual(
                e, joint->label, members[i], values[i],
                dim_of(0,
                       strncmp(members[i], ".turn", 5) != 0 && strncmp(members[i], ".axis", 5) != 0,
                       0),
                joint->place))
            return false;
    tracer_begin(e, false);
    residuals(e, &closing, values);
    for (size_t i = 0; i < count; i++)
        places_keep(e, values[i], &e->model->constraints.at[first + i]);
    tracer_end(e);
    joint->u = closing.u;
    joint->w = closing.w;
    return joint_rub(e, joint, first, q);
}

// ---- The statement.

static bool read_label(Elaborator *e, Joint *joint)
{
    const Part *part = statement_part(e, PART_LABEL);
    joint->place = part ? syntax_part_place(e->syntax, part)
                        : syntax_part_place(e->syntax, statement_part(e, PART_SHAPE));
    if (part)
        return elaborate_label(e, part, e->labels, "something called", &joint->label);
    Text text = {0};
    text_addf(&text, "j%u", ++e->unnamed_joints);
    Str label = names_own(e, (Str){text.at, text.length}, NULL, 0);
    text_clear(&text);
    joint->label = label.at;
    return name_map_put(e->labels, label, 1) ||
           elaborate_fail(e, joint->place,
                          "this joint would be called '%s', which is another's name; give it one",
                          label.at);
}

// What places a body does so always: its coordinates are those of the joint.
static bool check_while(Elaborator *e, const Joint *joint)
{
    const Part *part = statement_part(e, PART_WHILE);
    if (joint->b_placed || !part)
        return true;
    return elaborate_fail(e, syntax_part_place(e->syntax, part),
                          "this joint places the body, and does so always; give the body a 'frame' "
                          "and 'at', and a joint 'at P and Q' holds it for a while");
}

bool read_joint(Elaborator *e)
{
    Joint joint = {.kind = JOINT_FIXED};
    bool good = read_label(e, &joint) && read_kind(e, &joint) && read_sides(e, &joint) &&
                check_while(e, &joint) &&
                (joint.b_placed ? close_loop(e, &joint) : place_body(e, &joint));
    e->lost_joints = e->lost_joints || !good;
    return good;
}

void check_placed(Elaborator *e)
{
    for (size_t i = 0; i < e->model->bodies.count && !e->lost_joints; i++) {
        const ModelBody *body = &e->model->bodies.at[i];
        if (body->unplaced)
            elaborate_fail(
                e, body->place,
                "nothing places the body '%s'; give it 'frame' and 'at', or a joint to a "
                "placed body",
                body->name);
    }
}

Value body_member(Elaborator *e, const Value *body, Str member, Place place)
{
    const ModelBody *at = &e->model->bodies.at[body->body];
    Value value = value_bad();
    bool origin = str_is(member, "origin");
    if (str_is(member, "frame")) {
        value = (Value){.kind = VALUE_FRAME, .frame = at->frame, .order = -1};
    } else if (origin && !at->has_origin) {
        elaborate_fail(e, place,
                       "'%s' was placed by 'frame' and 'at', so that it has no origin of its own; "
                       "its centre is %s.center",
                       at->name, at->name);
        return value;
    } else if (origin ||
               ((str_is(member, "center") || str_is(member, "centre")) && at->has_position)) {
        Vector point = origin ? at->origin : at->position;
        Text name = {0};
        text_addf(&name, "%s.%s", at->name, origin ? "origin" : "center");
        if (e->tracer)
            point = trace_point(e, point, arena_copy_text(e->arena, name.at, name.length));
        text_clear(&name);
        value = value_of_vector(VALUE_POINT, point);
        value.dim = dim_of(0, 1, 0);
    } else {
        elaborate_fail(e, place,
                       "a body has no member '%s'; it has frame, origin and center, and its frame "
                       "has the axes x, y and z",
                       text_shown(member).at);
        return value;
    }
    value_mark(&value, body);
    return value;
}
