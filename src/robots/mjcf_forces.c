// mjcf_forces.c: loops and motors of MJCF.
#include "robots/mjcf_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- Loops.

static bool find_body(Mjcf *mjcf, const XmlElement *element, const char *attribute, int *body)
{
    const char *name = xml_value(element, attribute);
    *body = ROBOT_WORLD;
    if (!name || strcmp(name, "world") == 0)
        return true;
    *body = robot_find_body(mjcf->robot, name);
    return *body != ROBOT_WORLD || robot_fail(mjcf->robot, element, "there is no body '%s'", name);
}

static bool find_site(Mjcf *mjcf, const XmlElement *element, const char *attribute,
                      const MjcfSite **site)
{
    const char *name = xml_value(element, attribute);
    for (size_t i = 0; i < mjcf->sites.count && name; i++)
        if (mjcf->sites.at[i].name && strcmp(mjcf->sites.at[i].name, name) == 0) {
            *site = &mjcf->sites.at[i];
            return true;
        }
    return robot_fail(mjcf->robot, element, "there is no site '%s'", name ? name : "");
}

// Two sites that coincide, and of a weld are turned alike.
static bool read_sites(Mjcf *mjcf, const XmlElement *element, RobotClosing *closing)
{
    const MjcfSite *a, *b;
    if (!find_site(mjcf, element, "site1", &a) || !find_site(mjcf, element, "site2", &b))
        return false;
    closing->body[0] = a->body;
    closing->body[1] = b->body;
    memcpy(closing->point[0], a->pose.place, sizeof closing->point[0]);
    memcpy(closing->point[1], b->pose.place, sizeof closing->point[1]);
    Pose back = pose_inverse(&b->pose);
    closing->turn = pose_compose(&a->pose, &back);
    return true;
}

// Sums of decimals have few digits, and rounding adds more: where the loop's conditions follow from
// each other, these would contradict. What is left has as many digits as the largest number in it
// has beyond doubt.
static void take_off_rounding(double point[3], const double other[3], const double way[3])
{
    double size = 0;
    for (int i = 0; i < 3; i++)
        size = fmax(size, fmax(fabs(point[i]), fmax(fabs(other[i]), fabs(way[i]))));
    double unit = size > 0 ? pow(10, DBL_DIG - 1 - ceil(log10(size))) : 0;
    for (int i = 0; i < 3 && isfinite(unit) && unit > 0; i++)
        point[i] = round(point[i] * unit) / unit;
}

// The second body has its point where the first one has it in the file's position. A weld may say
// how the bodies are to lie instead.
static bool read_bodies(Mjcf *mjcf, const XmlElement *element, RobotClosing *closing)
{
    Robot *robot = mjcf->robot;
    bool weld = closing->kind == CLOSING_WELD;
    double relative[7] = {0};
    if (!find_body(mjcf, element, "body1", &closing->body[0]) ||
        !find_body(mjcf, element, "body2", &closing->body[1]) ||
        !robot_numbers(robot, element, "anchor", 3, closing->point[weld ? 1 : 0]) ||
        !robot_numbers(robot, element, "relpose", 7, relative))
        return false;
    if (closing->body[0] == closing->body[1])
        return robot_fail(robot, element, "this joins a body with itself");
    Pose a = robot_pose(robot, closing->body[0]), b = robot_pose(robot, closing->body[1]);
    Pose back = pose_inverse(&a);
    closing->turn = pose_compose(&back, &b);
    if (weld && (relative[3] != 0 || !triple_is_zero(relative + 4))) {
        memcpy(closing->turn.place, relative, sizeof closing->turn.place);
        pose_set_quaternion(&closing->turn, relative + 3);
    }
    if (weld) {
        pose_point(&closing->turn, closing->point[1], closing->point[0]);
        take_off_rounding(closing->point[0], closing->point[1], closing->turn.place);
    } else {
        Pose other = pose_inverse(&closing->turn);
        pose_point(&other, closing->point[0], closing->point[1]);
        take_off_rounding(closing->point[1], closing->point[0], closing->turn.place);
    }
    return true;
}

static bool find_joint(Mjcf *mjcf, const XmlElement *element, const char *attribute, size_t *joint)
{
    const char *name = xml_value(element, attribute);
    int found = robot_find_joint(mjcf->robot, name);
    if (found < 0)
        return robot_fail(mjcf->robot, element, "there is no joint '%s'", name ? name : "");
    JointMove move = mjcf->robot->joints.at[found].move;
    *joint = (size_t)found;
    return move == MOVES_HINGE || move == MOVES_SLIDER ||
           robot_fail(mjcf->robot, element, "the joint '%s' has more than one coordinate", name);
}

static bool read_coordinates(Mjcf *mjcf, const XmlElement *element, RobotClosing *closing)
{
    double given[ROBOT_POLYNOMIAL] = {0, 1, 0, 0, 0};
    size_t count;
    closing->alone = !xml_value(element, "joint2");
    if (!find_joint(mjcf, element, "joint1", &closing->joint[0]) ||
        (!closing->alone && !find_joint(mjcf, element, "joint2", &closing->joint[1])) ||
        !robot_list(mjcf->robot, element, "polycoef", ROBOT_POLYNOMIAL, given, &count))
        return false;
    memcpy(closing->polynomial, given, sizeof given);
    return true;
}

static bool read_equality(Mjcf *mjcf, XmlElement *element)
{
    RobotClosing closing = {.given = xml_value(element, "name"), .turn = pose_none()};
    bool connect = strcmp(element->name, "connect") == 0, weld = strcmp(element->name, "weld") == 0;
    bool good;
    element->read = true;
    if (xml_is(element, "active", "false"))
        return true;
    closing.kind = connect ? CLOSING_CONNECT : weld ? CLOSING_WELD : CLOSING_JOINTS;
    if (connect || weld)
        good = xml_value(element, "site1") ? read_sites(mjcf, element, &closing)
                                           : read_bodies(mjcf, element, &closing);
    else if (strcmp(element->name, "joint") == 0)
        good = read_coordinates(mjcf, element, &closing);
    else
        good = robot_fail_unread(mjcf->robot, element, element->name);
    if (good)
        array_push(&mjcf->robot->closings, closing);
    return good;
}

bool mjcf_read_equalities(Mjcf *mjcf)
{
    XML_EACH(section, mjcf->root, "equality")
    for (XmlElement *child = section->first; child; child = child->next)
        if (!read_equality(mjcf, child))
            return false;
    return true;
}

// ---- Motors.

// A motor gives no force of its own; others do, and without them the robot would move otherwise.
static bool leave_out(Mjcf *mjcf, const XmlElement *element, bool motor)
{
    if (!motor)
        return robot_fail_unread(mjcf->robot, element, element->name);
    const char *name = xml_value(element, "name");
    robot_leave(mjcf->robot, "motor", name ? name : "without a name");
    return true;
}

static bool read_actuator(Mjcf *mjcf, XmlElement *element)
{
    static const char *const words[] = {"motor", "position", "velocity"};
    Robot *robot = mjcf->robot;
    RobotActuator actuator = {.given = xml_value(element, "name"), .gear = 1};
    Maybe stiffness = {true, 1}, damping = {0};
    double gear[6] = {1};
    size_t kind = 0, count;
    element->read = true;
    while (kind < 3 && strcmp(words[kind], element->name) != 0)
        kind++;
    if (!mjcf_inherit(mjcf, element, NULL))
        return false;
    if (kind == 3 || !xml_value(element, "joint"))
        return leave_out(mjcf, element, kind == 0);
    damping.at = kind == ACTUATOR_VELOCITY ? 1 : 0;
    if (!find_joint(mjcf, element, "joint", &actuator.joint) ||
        !robot_list(robot, element, "gear", 6, gear, &count) ||
        !robot_number(robot, element, "kp", &stiffness) ||
        !robot_number(robot, element, "kv", &damping))
        return false;
    if (xml_value(element, "dampratio") || xml_value(element, "timeconst"))
        return robot_fail_unread(robot, element, "dampratio or timeconst");
    actuator.kind = (ActuatorKind)kind;
    actuator.gear = gear[0];
    actuator.stiffness = stiffness.at;
    actuator.damping = damping.at;
    array_push(&robot->actuators, actuator);
    return true;
}

bool mjcf_read_actuators(Mjcf *mjcf)
{
    XML_EACH(section, mjcf->root, "actuator")
    for (XmlElement *child = section->first; child; child = child->next)
        if (!read_actuator(mjcf, child))
            return false;
    return true;
}
