// mjcf_settings.c: the compiler's settings and the classes of defaults, which all else in an MJCF
// file depends on.
#include "robots/mjcf_impl.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
// Attributes that classes may give in all; more is a generator gone wrong.
enum { MOST_INHERITED = 1 << 20 };

double mjcf_angle(const Mjcf *mjcf, double angle)
{
    // The same double as pi/2 for 90 degrees.
    return mjcf->degrees ? angle / 180 * pi : angle;
}

// ---- The compiler.

// What would change masses behind the reader's back.
static bool check_compiler(Mjcf *mjcf, const XmlElement *compiler)
{
    static const char *const masses[] = {"settotalmass", "boundmass", "boundinertia"};
    for (size_t i = 0; i < sizeof masses / sizeof *masses; i++) {
        Maybe value = {0};
        if (!robot_number(mjcf->robot, compiler, masses[i], &value))
            return false;
        if (value.at > 0)
            return robot_fail_unread(mjcf->robot, compiler, masses[i]);
    }
    if (xml_is(compiler, "balanceinertia", "true"))
        return robot_fail_unread(mjcf->robot, compiler, "balanceinertia");
    if (xml_is(compiler, "coordinate", "global"))
        return robot_fail(mjcf->robot, compiler, "global coordinates are not read");
    return true;
}

static bool read_compiler(Mjcf *mjcf, const XmlElement *compiler)
{
    const char *sequence = xml_value(compiler, "eulerseq"), *value;
    const char *folder = xml_value(compiler, "meshdir");
    if ((value = xml_value(compiler, "angle")))
        mjcf->degrees = strcmp(value, "radian") != 0;
    if ((value = xml_value(compiler, "autolimits")))
        mjcf->auto_limits = strcmp(value, "false") != 0;
    if ((value = xml_value(compiler, "inertiafromgeom"))) {
        mjcf->always_from_geoms = strcmp(value, "true") == 0;
        mjcf->never_from_geoms = strcmp(value, "false") == 0;
    }
    if (sequence && (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3))
        return robot_fail(mjcf->robot, compiler, "eulerseq '%s' is not made of three axes",
                          sequence);
    if (sequence)
        memcpy(mjcf->sequence, sequence, 3);
    folder = folder ? folder : xml_value(compiler, "assetdir");
    if (folder && *folder) {
        Text text = {0};
        text_addf(&text, "%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/");
        mjcf->mesh_folder = arena_copy_text(mjcf->robot->arena, text.at, text.length);
        text_clear(&text);
    }
    return check_compiler(mjcf, compiler) &&
           robot_numbers(mjcf->robot, compiler, "inertiagrouprange", 2, mjcf->groups);
}

// A medium would act on all that moves.
static bool check_option(Mjcf *mjcf, const XmlElement *option)
{
    static const char *const mediums[] = {"density", "viscosity"};
    for (size_t i = 0; i < sizeof mediums / sizeof *mediums; i++) {
        Maybe value = {0};
        if (!robot_number(mjcf->robot, option, mediums[i], &value))
            return false;
        if (value.at != 0)
            return robot_fail_unread(mjcf->robot, option, mediums[i]);
    }
    return true;
}

// ---- Classes of defaults.

static bool read_class(Mjcf *mjcf, XmlElement *element, bool outermost)
{
    const char *name = xml_value(element, "class");
    element->read = true;
    if (!name && !outermost)
        return robot_fail(mjcf->robot, element, "this <default> has no class");
    name = name ? name : "main";
    if (name_map_put(mjcf->classes, str_of(name), (uint32_t)mjcf->defaults.count))
        array_push(&mjcf->defaults, element);
    else if (!outermost)
        return robot_fail(mjcf->robot, element, "there are two classes '%s'", name);
    for (XmlElement *child = element->first; child; child = child->next)
        child->read = true;
    return true;
}

// All of them, however deep inside each other.
static bool read_classes(Mjcf *mjcf, XmlElement *outermost)
{
    XmlElement *at = outermost;
    while (at) {
        if (!read_class(mjcf, at, at == outermost))
            return false;
        XmlElement *next = xml_child(at, "default");
        while (!next && at != outermost) {
            next = xml_next(at->next, "default");
            at = at->parent;
        }
        at = next;
    }
    return true;
}

// Nearest first: what is there already stays.
static bool inherit_from(Mjcf *mjcf, XmlElement *element, const XmlElement *class)
{
    XML_EACH(given, class, element->name)
    for (XmlAttribute *attribute = given->attributes; attribute; attribute = attribute->next) {
        if (++mjcf->inherited > MOST_INHERITED)
            return robot_fail(mjcf->robot, element, "the classes give more than %d attributes",
                              MOST_INHERITED);
        xml_inherit(mjcf->robot->arena, element, attribute);
    }
    return true;
}

bool mjcf_inherit(Mjcf *mjcf, XmlElement *element, const char *outer)
{
    const char *own = xml_value(element, "class"), *name = own ? own : outer;
    uint32_t index = 0;
    if (name && !name_map_get(mjcf->classes, str_of(name), &index) && strcmp(name, "main") != 0)
        return robot_fail(mjcf->robot, element, "there is no class '%s'", name);
    if (index >= mjcf->defaults.count)
        return true;
    for (const XmlElement *class = mjcf->defaults.at[index];
         class && strcmp(class->name, "default") == 0; class = class->parent)
        if (!inherit_from(mjcf, element, class))
            return false;
    return true;
}

// ---- Poses.

static bool read_euler(Mjcf *mjcf, const XmlElement *element, Pose *pose)
{
    double angles[3];
    if (!robot_numbers(mjcf->robot, element, "euler", 3, angles))
        return false;
    // Capital letters are axes that stand still: the last turn of these is the first of the others.
    bool still = mjcf->sequence[0] < 'a';
    for (int i = 0; i < 3; i++) {
        if ((mjcf->sequence[i] < 'a') != still)
            return robot_fail(mjcf->robot, element, "eulerseq '%s' mixes axes that move and others",
                              mjcf->sequence);
        int at = still ? 2 - i : i;
        double axis[3] = {0};
        axis[(mjcf->sequence[at] | 0x20) - 'x'] = 1;
        pose_turn(pose, mjcf_angle(mjcf, angles[at]), axis);
    }
    return true;
}

static bool read_axes(Mjcf *mjcf, const XmlElement *element, Pose *pose)
{
    double axes[6], *x = axes, *y = axes + 3, z[3];
    if (!robot_numbers(mjcf->robot, element, "xyaxes", 6, axes))
        return false;
    triple_unit(x);
    double along = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    for (int i = 0; i < 3; i++)
        y[i] -= along * x[i];
    if (!triple_unit(y) || triple_is_zero(x))
        return robot_fail(mjcf->robot, element, "xyaxes does not give two directions");
    triple_cross(x, y, z);
    pose_set_axes(pose, x, y, z);
    return true;
}

bool mjcf_read_pose(Mjcf *mjcf, const XmlElement *element, Pose *pose)
{
    Robot *robot = mjcf->robot;
    double q[4] = {1, 0, 0, 0}, turn[4] = {0, 0, 1, 0}, z[3];
    *pose = pose_none();
    if (!robot_numbers(robot, element, "pos", 3, pose->place))
        return false;
    if (xml_value(element, "quat")) {
        if (!robot_numbers(robot, element, "quat", 4, q))
            return false;
        if (q[0] == 0 && triple_is_zero(q + 1))
            return robot_fail(robot, element, "a quaternion is not 0");
        pose_set_quaternion(pose, q);
    } else if (xml_value(element, "axisangle")) {
        if (!robot_numbers(robot, element, "axisangle", 4, turn))
            return false;
        if (!triple_unit(turn))
            return robot_fail(robot, element, "axisangle has an axis of length 0");
        pose_turn(pose, mjcf_angle(mjcf, turn[3]), turn);
    } else if (xml_value(element, "euler")) {
        return read_euler(mjcf, element, pose);
    } else if (xml_value(element, "xyaxes")) {
        return read_axes(mjcf, element, pose);
    } else if (xml_value(element, "zaxis")) {
        if (!robot_numbers(robot, element, "zaxis", 3, z))
            return false;
        if (!triple_unit(z))
            return robot_fail(robot, element, "zaxis has length 0");
        pose_turn_z_to(pose, z);
    }
    return true;
}

bool mjcf_read_settings(Mjcf *mjcf)
{
    mjcf->degrees = mjcf->auto_limits = true;
    memcpy(mjcf->sequence, "xyz", sizeof "xyz");
    mjcf->groups[1] = 5;
    mjcf->mesh_folder = "";
    XML_EACH(compiler, mjcf->root, "compiler")
    if (!read_compiler(mjcf, compiler))
        return false;
    XML_EACH(option, mjcf->root, "option")
    if (!check_option(mjcf, option))
        return false;
    XML_EACH(outermost, mjcf->root, "default")
    if (!read_classes(mjcf, outermost))
        return false;
    return true;
}
