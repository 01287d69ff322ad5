// robot_text.c: writes a robot as parts of the language: one for each joint with its coordinate,
// its limits and what resists it, and one for the robot, with its bodies, joints, loops, motors and
// shapes.
#include "robots/robot_impl.h"

#include "base/decimal.h"

#include <math.h>
#include <string.h>

static const double right_angle = 1.57079632679489661923;

typedef struct {
    Robot *robot;
    const char *name; // of the part
    Text *out;
} Writer;

// ---- Pieces.

static void add_number(Writer *writer, double value)
{
    text_add_decimal(writer->out, value == 0 ? 0 : value);
}

static void add_vector(Writer *writer, const double v[3])
{
    for (int i = 0; i < 3; i++) {
        text_add(writer->out, i ? ", " : "[");
        add_number(writer, v[i]);
    }
    text_add_char(writer->out, ']');
}

// A direction. Its length is a square root, which no exact answer can do without where it is not
// rational: so it is written as [2u, 2v, 1 − u² − v²], of length 1 + u² + v².
static void add_direction(Writer *writer, const double v[3])
{
    double unit[3] = {v[0], v[1], v[2]};
    int pole = 0, others = 0;
    for (int i = 0; i < 3; i++) {
        pole = fabs(v[i]) > fabs(v[pole]) ? i : pole;
        others += v[i] != 0;
    }
    triple_unit(unit);
    if (others < 2) {
        add_vector(writer, v);
        return;
    }
    double sign = unit[pole] < 0 ? -1 : 1;
    double share[2] = {unit[(pole + 1) % 3] / (1 + fabs(unit[pole])),
                       unit[(pole + 2) % 3] / (1 + fabs(unit[pole]))};
    for (int i = 0; i < 3; i++) {
        text_add(writer->out, i ? ", " : "[");
        if (i == pole) {
            text_add(writer->out, sign < 0 ? "-(1" : "(1");
            for (int k = 0; k < 2; k++) {
                text_add(writer->out, " - ");
                add_number(writer, fabs(share[k]));
                text_add(writer->out, "^2");
            }
            text_add_char(writer->out, ')');
        } else {
            text_add(writer->out, "2*");
            add_number(writer, share[(i - pole + 2) % 3]);
        }
    }
    text_add_char(writer->out, ']');
}

static const char *body_name(const Writer *writer, int body)
{
    return writer->robot->bodies.at[body].name;
}

static void add_frame(Writer *writer, int body)
{
    if (body == ROBOT_WORLD)
        text_add(writer->out, "world");
    else
        text_addf(writer->out, "%s.frame", body_name(writer, body));
}

// A point of a body, given along its axes or along those of a frame.
static void add_point(Writer *writer, const char *origin, const char *frame, const double at[3])
{
    text_add(writer->out, origin);
    if (triple_is_zero(at))
        return;
    text_add(writer->out, " + ");
    if (strcmp(frame, "world") != 0)
        text_add_char(writer->out, '(');
    add_vector(writer, at);
    if (strcmp(frame, "world") != 0)
        text_addf(writer->out, " in %s)", frame);
}

static void add_body_point(Writer *writer, int body, const double at[3])
{
    Text origin = {0}, frame = {0};
    if (body != ROBOT_WORLD) {
        text_addf(&origin, "%s.origin", body_name(writer, body));
        text_addf(&frame, "%s.frame", body_name(writer, body));
    }
    add_point(writer, origin.at ? origin.at : "origin", frame.at ? frame.at : "world", at);
    text_clear(&origin);
    text_clear(&frame);
}

// Right angles are exact.
static void add_angle(Writer *writer, double angle)
{
    double quarters = round(angle / right_angle);
    if (quarters == 0 || quarters * right_angle != angle) {
        add_number(writer, angle);
        return;
    }
    add_number(writer, quarters);
    text_add(writer->out, "*pi/2");
}

static void add_turn(Writer *writer, const Turn *turn)
{
    int axis = 0;
    while (axis < 3 && fabs(turn->axis[axis]) != 1)
        axis++;
    text_add(writer->out, " rotate ");
    add_angle(writer, axis < 3 ? turn->axis[axis] * turn->angle : turn->angle);
    text_add(writer->out, " about ");
    if (axis < 3)
        text_add_char(writer->out, "xyz"[axis]);
    else
        add_direction(writer, turn->axis);
}

// The frame of a pose: a body's own, or a new one that is written first.
static const char *frame_of(Writer *writer, int body, const Pose *pose, const char *wanted)
{
    if (pose->turn_count == 0) {
        Text own = {0};
        text_addf(&own, "%s%s", body == ROBOT_WORLD ? "world" : body_name(writer, body),
                  body == ROBOT_WORLD ? "" : ".frame");
        const char *name = arena_copy_text(writer->robot->arena, own.at, own.length);
        text_clear(&own);
        return name;
    }
    const char *name = robot_new_name(writer->robot, wanted);
    text_addf(writer->out, "    frame %s = ", name);
    add_frame(writer, body);
    for (int i = 0; i < pose->turn_count; i++)
        add_turn(writer, &pose->turns[i]);
    text_add_char(writer->out, '\n');
    return name;
}

// ---- Coordinates.

static const char *coordinate(const RobotJoint *joint)
{
    return joint->move == MOVES_HINGE ? "angle" : "distance";
}

static bool has_part(const RobotJoint *joint)
{
    return joint->move == MOVES_HINGE || joint->move == MOVES_SLIDER;
}

// The unit of a quantity of a slider, or of a hinge; angles need none.
static const char *in_unit(const RobotJoint *joint, const char *slider, const char *hinge)
{
    return joint->move == MOVES_HINGE ? hinge : slider;
}

// `param NAME in UNIT = VALUE` and what it does, where it is not 0.
static void add_effect(Writer *writer, Maybe number, const char *name, const char *unit,
                       const char *before, const char *q, const char *after)
{
    if (!number.given || number.at == 0)
        return;
    text_addf(writer->out, "    param %s%s = ", name, unit);
    add_number(writer, number.at);
    text_addf(writer->out, "\n    %s%s%s\n", before, q, after);
}

static void add_limit(Writer *writer, Maybe limit, const char *name, const char *unit,
                      const char *q, const char *sign)
{
    if (!limit.given)
        return;
    text_addf(writer->out, "    param %s%s = ", name, unit);
    add_number(writer, limit.at);
    text_addf(writer->out, "\n    constraint %s: %s %s %s\n", name, q, sign, name);
}

static void write_joint_part(Writer *writer, const RobotJoint *joint)
{
    const char *q = coordinate(joint), *length = in_unit(joint, " in m", "");
    text_addf(writer->out, "part %s__%s(%s) {\n    coord %s%s\n", writer->name, joint->name,
              joint->follows ? "other" : "", q, length);
    add_limit(writer, joint->lower, "lower", length, q, ">=");
    add_limit(writer, joint->upper, "upper", length, q, "<=");
    add_effect(writer, joint->friction, "friction", in_unit(joint, " in N", " in N*m"),
               "friction friction: friction along ", q, "");
    add_effect(writer, joint->damping, "damping", in_unit(joint, " in N*s/m", " in N*m*s"),
               "damper damping: along ", q, " damping damping");
    add_effect(writer, joint->armature, "armature", in_unit(joint, " in kg", " in kg*m^2"),
               "kinetic armature*", q, "'^2/2");
    if (joint->stiffness.given && joint->stiffness.at != 0) {
        text_addf(writer->out, "    param stiffness%s = ", in_unit(joint, " in N/m", " in N*m"));
        add_number(writer, joint->stiffness.at);
        text_addf(writer->out, ", rest%s = ", length);
        add_number(writer, joint->rest.at);
        text_addf(writer->out, "\n    spring spring: along %s stiffness stiffness rest rest\n", q);
    }
    if (joint->follows) {
        const RobotJoint *other =
            &writer->robot->joints.at[robot_find_joint(writer->robot, joint->follows)];
        const char *ratio = other->move == joint->move ? "" : in_unit(joint, " in m", " in 1/m");
        text_addf(writer->out, "    param multiplier%s = ", ratio);
        add_number(writer, joint->multiplier);
        text_addf(writer->out, ", offset%s = ", length);
        add_number(writer, joint->offset);
        text_addf(writer->out, "\n    constraint mimic: %s = multiplier*other + offset\n", q);
    }
    text_add(writer->out, "}\n");
}

// A joint that follows another one comes behind it.
static void write_coordinates(Writer *writer)
{
    Robot *robot = writer->robot;
    bool *written = base_alloc(robot->joints.count + 1), more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < robot->joints.count; i++) {
            const RobotJoint *joint = &robot->joints.at[i];
            int source = joint->follows ? robot_find_joint(robot, joint->follows) : -1;
            if (written[i] || !has_part(joint) || (source >= 0 && !written[source]))
                continue;
            text_addf(writer->out, "    part %s = %s__%s(", joint->name, writer->name, joint->name);
            if (source >= 0)
                text_addf(writer->out, "%s.%s", robot->joints.at[source].name,
                          coordinate(&robot->joints.at[source]));
            text_add(writer->out, ")\n");
            written[i] = more = true;
        }
    }
    base_free(written);
}

// ---- Bodies and joints.

static void write_body(Writer *writer, const RobotBody *body)
{
    const double *i = body->inertia.at;
    text_addf(writer->out, "    body %s", body->name);
    if (body->mass != 0) {
        text_add(writer->out, " center ");
        add_vector(writer, body->center);
        text_add(writer->out, " mass ");
        add_number(writer, body->mass);
    }
    if (i[0] != 0 || i[1] != 0 || i[2] != 0) {
        text_add(writer->out, " inertia [");
        for (int k = 0; k < 6; k++) {
            text_add(writer->out, k ? ", " : "");
            add_number(writer, i[k]);
        }
        text_add_char(writer->out, ']');
    }
    text_add_char(writer->out, '\n');
}

// What of all resists the turns of a ball, and of a free body also its way.
static void write_resistance(Writer *writer, const RobotJoint *joint, const char *word,
                             Maybe number, const char *frame, const char *moved)
{
    bool free = joint->move == MOVES_FREE;
    if (!number.given || number.at == 0)
        return;
    const char *w = robot_new_name(writer->robot, "turning");
    text_addf(writer->out, "    let %s = omega(%s)", w, moved);
    if (strcmp(frame, "world") != 0)
        text_addf(writer->out, " - omega(%s)", frame);
    text_addf(writer->out, "\n    %s ", word);
    add_number(writer, number.at);
    text_addf(writer->out, "/2*(dot(%s, %s)", w, w);
    if (free)
        text_addf(writer->out, " + dot(velocity(%s.origin), velocity(%s.origin))", moved, moved);
    text_add(writer->out, ")\n");
}

// Where a joint of a body's chain begins: what stands before it, the frame that its numbers are
// along, and the point that it starts from.
typedef struct {
    const char *side, *frame, *origin;
} Link;

static const char *keep(Writer *writer, Text *text)
{
    const char *kept = arena_copy_text(writer->robot->arena, text->at, text->length);
    text_clear(text);
    return kept;
}

static const char *add_word(Writer *writer, const char *name, const char *member)
{
    Text word = {0};
    text_addf(&word, "%s%s", name, member);
    return keep(writer, &word);
}

static void write_joint(Writer *writer, const RobotJoint *joint, Link link, const char *moved)
{
    static const char *const words[] = {"hinge", "slider", "ball", "planar", "free"};
    bool turns = joint->move == MOVES_HINGE || joint->move == MOVES_BALL;
    text_addf(writer->out, "    joint %s: %s between %s and %s at ", joint->name,
              words[joint->move], link.side, moved);
    add_point(writer, link.origin, link.frame, turns ? joint->anchor : (double[3]){0});
    if (turns && !triple_is_zero(joint->anchor)) {
        text_add(writer->out, " and ");
        add_vector(writer, joint->anchor);
    }
    if (joint->move != MOVES_BALL && joint->move != MOVES_FREE) {
        text_add(writer->out, " axis ");
        add_direction(writer, joint->axis);
    }
    if (has_part(joint))
        text_addf(writer->out, " by %s.%s", joint->name, coordinate(joint));
    text_add_char(writer->out, '\n');
    if (has_part(joint))
        return;
    write_resistance(writer, joint, "dissipation", joint->damping, link.frame, moved);
    write_resistance(writer, joint, "kinetic", joint->armature, link.frame, moved);
}

static Link first_link(Writer *writer, const RobotBody *body)
{
    Text origin = {0}, *out = writer->out;
    Link link;
    link.frame =
        frame_of(writer, body->parent, &body->pose, add_word(writer, body->name, "_place"));
    writer->out = &origin;
    add_body_point(writer, body->parent, body->pose.place);
    writer->out = out;
    link.origin = keep(writer, &origin);
    bool own = body->parent != ROBOT_WORLD && body->pose.turn_count == 0;
    link.side = own ? body_name(writer, body->parent) : link.frame;
    return link;
}

static void write_chain(Writer *writer, const RobotBody *body)
{
    Robot *robot = writer->robot;
    Link link = first_link(writer, body);
    if (body->joint_count == 0) {
        const char *label = robot_new_name(
            robot, body->fixed ? body->fixed : add_word(writer, body->name, "_fixed"));
        text_addf(writer->out, "    joint %s: fixed between %s and %s at %s\n", label, link.side,
                  body->name, link.origin);
    }
    for (size_t k = 0; k < body->joint_count; k++) {
        const RobotJoint *joint = &robot->joints.at[body->first_joint + k];
        const char *moved = body->name;
        if (k + 1 < body->joint_count) {
            moved = robot_new_name(robot, add_word(writer, joint->name, "_body"));
            text_addf(writer->out, "    body %s\n", moved);
        }
        write_joint(writer, joint, link, moved);
        link = (Link){moved, add_word(writer, moved, ".frame"), add_word(writer, moved, ".origin")};
    }
}

// ---- Loops and motors.

static void write_closing(Writer *writer, const RobotClosing *closing)
{
    Robot *robot = writer->robot;
    if (closing->kind == CLOSING_JOINTS) {
        const RobotJoint *a = &robot->joints.at[closing->joint[0]];
        text_addf(writer->out, "    constraint %s: %s.%s = ", closing->name, a->name,
                  coordinate(a));
        add_number(writer, closing->polynomial[0]);
        for (int i = 1; i < ROBOT_POLYNOMIAL && !closing->alone; i++) {
            const RobotJoint *b = &robot->joints.at[closing->joint[1]];
            if (closing->polynomial[i] == 0)
                continue;
            text_add(writer->out, " + ");
            add_number(writer, closing->polynomial[i]);
            text_addf(writer->out, "*%s.%s^%d", b->name, coordinate(b), i);
        }
        text_add_char(writer->out, '\n');
        return;
    }
    bool weld = closing->kind == CLOSING_WELD;
    Pose none = pose_none();
    const char *frame = frame_of(writer, closing->body[0], weld ? &closing->turn : &none,
                                 add_word(writer, closing->name, "_place"));
    text_addf(writer->out, "    joint %s: %s between %s and ", closing->name,
              weld ? "fixed" : "ball", frame);
    add_frame(writer, closing->body[1]);
    text_add(writer->out, " at ");
    add_body_point(writer, closing->body[0], closing->point[0]);
    text_add(writer->out, " and ");
    add_body_point(writer, closing->body[1], closing->point[1]);
    text_add_char(writer->out, '\n');
}

static void write_actuator(Writer *writer, const RobotActuator *actuator)
{
    const RobotJoint *joint = &writer->robot->joints.at[actuator->joint];
    const char *q =
        add_word(writer, joint->name, joint->move == MOVES_HINGE ? ".angle" : ".distance");
    const char *unit = actuator->kind == ACTUATOR_MOTOR      ? ""
                       : actuator->kind == ACTUATOR_POSITION ? in_unit(joint, " in m", "")
                                                             : in_unit(joint, " in m/s", " in 1/s");
    text_addf(writer->out, "    input %s%s\n    force ", actuator->name, unit);
    add_number(writer, actuator->gear);
    if (actuator->kind == ACTUATOR_MOTOR) {
        text_addf(writer->out, "*%s along %s\n", actuator->name, q);
        return;
    }
    text_add(writer->out, "*(");
    if (actuator->kind == ACTUATOR_POSITION) {
        add_number(writer, actuator->stiffness);
        text_addf(writer->out, "*(%s - ", actuator->name);
        add_number(writer, actuator->gear);
        text_addf(writer->out, "*(%s + ", q);
        add_number(writer, joint->reference);
        text_add(writer->out, ")) - ");
        add_number(writer, actuator->damping * actuator->gear);
        text_addf(writer->out, "*%s') along %s\n", q, q);
        return;
    }
    add_number(writer, actuator->damping);
    text_addf(writer->out, "*(%s - ", actuator->name);
    add_number(writer, actuator->gear);
    text_addf(writer->out, "*%s')) along %s\n", q, q);
}

// ---- Shapes.

static void add_paint(Writer *writer, const RobotShape *shape)
{
    const double *c = shape->colour;
    if (shape->coloured) {
        int rgb[3];
        for (int i = 0; i < 3; i++)
            rgb[i] = (int)lround(255 * fmin(1, fmax(0, c[i])));
        text_addf(writer->out, " colour \"#%02x%02x%02x\"", rgb[0], rgb[1], rgb[2]);
    }
    if (shape->coloured && c[3] < 1) {
        text_add(writer->out, " opacity ");
        add_number(writer, fmax(0, c[3]));
    }
    text_add_char(writer->out, '\n');
}

static void begin_shape(Writer *writer, const RobotShape *shape, const char *word, double along)
{
    double at[3] = {0, 0, along};
    pose_point(&shape->pose, at, at);
    text_addf(writer->out, "    draw %s at ", word);
    add_body_point(writer, shape->body, at);
}

static void write_round(Writer *writer, const RobotShape *shape)
{
    double axis[3] = {0, 0, 1};
    pose_rotate(&shape->pose, axis, axis);
    if (shape->kind != SHAPE_SPHERE) {
        begin_shape(writer, shape, "cylinder", 0);
        text_add(writer->out, " axis ");
        add_vector(writer, axis);
        if (shape->body != ROBOT_WORLD)
            text_addf(writer->out, " in %s.frame", body_name(writer, shape->body));
        text_add(writer->out, " radius ");
        add_number(writer, shape->size[0]);
        text_add(writer->out, " length ");
        add_number(writer, shape->size[1]);
        add_paint(writer, shape);
    }
    double ends[] = {-shape->size[1] / 2, shape->size[1] / 2};
    for (int i = 0; i < 2 && shape->kind != SHAPE_CYLINDER; i++) {
        if (shape->kind == SHAPE_SPHERE && i == 1)
            break;
        begin_shape(writer, shape, "sphere", shape->kind == SHAPE_SPHERE ? 0 : ends[i]);
        text_add(writer->out, " radius ");
        add_number(writer, shape->size[0]);
        add_paint(writer, shape);
    }
}

static void write_shape(Writer *writer, const RobotShape *shape)
{
    if (shape->kind == SHAPE_CYLINDER || shape->kind == SHAPE_CAPSULE ||
        shape->kind == SHAPE_SPHERE) {
        write_round(writer, shape);
        return;
    }
    const char *frame = frame_of(writer, shape->body, &shape->pose, "shape");
    Text word = {0};
    if (shape->kind == SHAPE_MESH)
        text_addf(&word, "mesh \"%s\"", shape->file);
    begin_shape(writer, shape,
                word.at                          ? word.at
                : shape->kind == SHAPE_ELLIPSOID ? "ellipsoid"
                                                 : "box",
                0);
    text_clear(&word);
    text_addf(writer->out, " frame %s ", frame);
    if (shape->kind == SHAPE_MESH) {
        text_add(writer->out, "scale ");
        add_number(writer, shape->size[0]);
    } else {
        text_add(writer->out, "size ");
        add_vector(writer, shape->size);
    }
    add_paint(writer, shape);
}

void robot_write_text(Robot *robot, const char *name, Text *templates)
{
    Writer writer = {robot, name, templates};
    for (size_t i = 0; i < robot->joints.count; i++)
        if (has_part(&robot->joints.at[i]))
            write_joint_part(&writer, &robot->joints.at[i]);
    text_addf(templates, "part %s__file() {\n", name);
    for (size_t i = 0; i < robot->bodies.count; i++)
        write_body(&writer, &robot->bodies.at[i]);
    write_coordinates(&writer);
    for (size_t i = 0; i < robot->bodies.count; i++)
        write_chain(&writer, &robot->bodies.at[i]);
    for (size_t i = 0; i < robot->closings.count; i++)
        write_closing(&writer, &robot->closings.at[i]);
    for (size_t i = 0; i < robot->actuators.count; i++)
        write_actuator(&writer, &robot->actuators.at[i]);
    for (size_t i = 0; i < robot->shapes.count; i++)
        write_shape(&writer, &robot->shapes.at[i]);
    text_add(templates, "}\n");
}
