// mjcf.c: reads MJCF: bodies inside bodies, each with the joints that move it.
#include "robots/mjcf_impl.h"

#include <string.h>

// More than any robot has; names are sought one by one.
enum { MOST_BODIES = 4096 };

// ---- Joints.

static bool read_limits(Mjcf *mjcf, const XmlElement *element, RobotJoint *joint)
{
    const char *limited = xml_value(element, "limited");
    bool ranged = xml_value(element, "range") != NULL;
    bool automatic = !limited || strcmp(limited, "auto") == 0;
    bool acts = automatic ? ranged && mjcf->auto_limits : strcmp(limited, "true") == 0;
    double range[2] = {0};
    if (!robot_numbers(mjcf->robot, element, "range", 2, range) || !acts)
        return mjcf->robot->why->length == 0;
    if (joint->move == MOVES_BALL)
        return robot_fail_unread(mjcf->robot, element, "range of a ball joint");
    if (joint->move == MOVES_FREE)
        return true;
    for (int i = 0; i < 2; i++)
        range[i] =
            (joint->move == MOVES_HINGE ? mjcf_angle(mjcf, range[i]) : range[i]) - joint->reference;
    if (range[0] >= range[1])
        return robot_fail(mjcf->robot, element, "the range of a joint runs upwards");
    joint->lower = (Maybe){true, range[0]};
    joint->upper = (Maybe){true, range[1]};
    return true;
}

static bool read_resistance(Mjcf *mjcf, const XmlElement *element, RobotJoint *joint)
{
    Robot *robot = mjcf->robot;
    bool hinge = joint->move == MOVES_HINGE;
    if (!robot_number(robot, element, "damping", &joint->damping) ||
        !robot_number(robot, element, "frictionloss", &joint->friction) ||
        !robot_number(robot, element, "armature", &joint->armature) ||
        !robot_number(robot, element, "stiffness", &joint->stiffness) ||
        !robot_number(robot, element, "springref", &joint->rest))
        return false;
    joint->rest.at = (hinge ? mjcf_angle(mjcf, joint->rest.at) : joint->rest.at) - joint->reference;
    if (joint->damping.at < 0 || joint->friction.at < 0 || joint->armature.at < 0)
        return robot_fail(robot, element, "damping, frictionloss and armature are 0 or more");
    bool several = joint->move == MOVES_BALL || joint->move == MOVES_FREE;
    if (several && joint->friction.at != 0)
        return robot_fail_unread(robot, element, "frictionloss of a ball or free joint");
    if (several && joint->stiffness.at != 0)
        return robot_fail_unread(robot, element, "stiffness of a ball or free joint");
    if (xml_value(element, "springdamper"))
        return robot_fail_unread(robot, element, "springdamper");
    return true;
}

static bool read_joint(Mjcf *mjcf, XmlElement *element, const char *outer, const Pose *around)
{
    static const struct {
        const char *word;
        JointMove move;
    } kinds[] = {{"hinge", MOVES_HINGE},
                 {"slide", MOVES_SLIDER},
                 {"ball", MOVES_BALL},
                 {"free", MOVES_FREE}};
    Robot *robot = mjcf->robot;
    bool free = strcmp(element->name, "freejoint") == 0;
    RobotJoint joint = {.move = free ? MOVES_FREE : MOVES_HINGE,
                        .given = xml_value(element, "name"),
                        .element = element,
                        .axis = {0, 0, 1}};
    Pose pose = pose_none();
    if (!free && !mjcf_inherit(mjcf, element, outer))
        return false;
    const char *type = free ? NULL : xml_value(element, "type");
    size_t i = 0;
    while (type && i < 4 && strcmp(kinds[i].word, type) != 0)
        i++;
    if (i == 4)
        return robot_fail(robot, element, "a joint is hinge, slide, ball or free, and not '%s'",
                          type);
    joint.move = type ? kinds[i].move : joint.move;
    if (joint.given && robot_find_joint(robot, joint.given) >= 0)
        return robot_fail(robot, element, "there are two joints '%s'", joint.given);
    if (!robot_numbers(robot, element, "pos", 3, pose.place) ||
        !robot_numbers(robot, element, "axis", 3, joint.axis) ||
        !robot_numbers(robot, element, "ref", 1, &joint.reference))
        return false;
    if (triple_is_zero(joint.axis) && joint.move != MOVES_BALL && joint.move != MOVES_FREE)
        return robot_fail(robot, element, "the joint '%s' has an axis of length 0",
                          joint.given ? joint.given : "without a name");
    if (joint.move == MOVES_HINGE)
        joint.reference = mjcf_angle(mjcf, joint.reference);
    pose_rotate(around, joint.axis, joint.axis);
    if (joint.move != MOVES_FREE)
        pose_point(around, pose.place, joint.anchor);
    if (!read_limits(mjcf, element, &joint) || !read_resistance(mjcf, element, &joint))
        return false;
    array_push(&robot->joints, joint);
    return true;
}

// ---- Bodies.

static bool check_unread(Mjcf *mjcf, const XmlElement *element)
{
    static const char *const words[] = {"composite", "flexcomp", "replicate",
                                        "attach",    "include",  "plugin"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const XmlElement *found = xml_child(element, words[i]);
        if (found)
            return robot_fail_unread(mjcf->robot, found, words[i]);
    }
    return true;
}

static bool read_sites(Mjcf *mjcf, const XmlElement *element, const char *outer, const Pose *around,
                       int body)
{
    XML_EACH(child, element, "site")
    {
        MjcfSite site = {.name = xml_value(child, "name"), .body = body};
        if (!mjcf_inherit(mjcf, child, outer) || !mjcf_read_pose(mjcf, child, &site.pose))
            return false;
        site.pose = pose_compose(around, &site.pose);
        array_push(&mjcf->sites, site);
    }
    return true;
}

static bool joins_here(const XmlElement *element)
{
    return strcmp(element->name, "joint") == 0 || strcmp(element->name, "freejoint") == 0;
}

// What stands in a body, or in a frame inside it; `around` is where that frame is. Frames in frames
// are as deep as elements may be.
static bool read_inside(Mjcf *mjcf, XmlElement *element, const char *outer, const Pose *around,
                        int body, bool massive)
{
    for (XmlElement *child = element->first; child; child = child->next) {
        if (!joins_here(child))
            continue;
        child->read = true;
        if (body == ROBOT_WORLD)
            return robot_fail(mjcf->robot, child, "a joint stands in a body");
        if (!read_joint(mjcf, child, outer, around))
            return false;
        mjcf->robot->bodies.at[body].joint_count++;
    }
    if (!check_unread(mjcf, element) ||
        !mjcf_read_geoms(mjcf, element, outer, around, body, massive) ||
        !read_sites(mjcf, element, outer, around, body))
        return false;
    XML_EACH(frame, element, "frame")
    {
        const char *class = xml_value(frame, "childclass");
        Pose pose;
        if (!mjcf_read_pose(mjcf, frame, &pose))
            return false;
        pose = pose_compose(around, &pose);
        if (!read_inside(mjcf, frame, class ? class : outer, &pose, body, massive))
            return false;
    }
    return true;
}

static bool add_body(Mjcf *mjcf, XmlElement *element, const char *outer, const Pose *pose,
                     int parent, int *index)
{
    Robot *robot = mjcf->robot;
    RobotBody body = {.given = xml_value(element, "name"),
                      .element = element,
                      .parent = parent,
                      .pose = *pose,
                      .first_joint = robot->joints.count};
    XmlElement *inertial = xml_child(element, "inertial");
    Maybe lift = {0};
    Pose none = pose_none();
    if (robot->bodies.count == MOST_BODIES)
        return robot_fail(robot, element, "there are more than %d bodies", MOST_BODIES);
    if (body.given && robot_find_body(robot, body.given) != ROBOT_WORLD)
        return robot_fail(robot, element, "there are two bodies '%s'", body.given);
    if (!robot_number(robot, element, "gravcomp", &lift))
        return false;
    if (lift.at != 0)
        return robot_fail_unread(robot, element, "gravcomp");
    bool geoms = mjcf->always_from_geoms || (!inertial && !mjcf->never_from_geoms);
    if (inertial && !geoms && !mjcf_read_inertial(mjcf, inertial, &body))
        return false;
    *index = (int)robot->bodies.count;
    array_push(&robot->bodies, body);
    if (!read_inside(mjcf, element, outer, &none, *index, geoms))
        return false;
    RobotBody *made = &robot->bodies.at[*index];
    if (parent == ROBOT_WORLD && robot->file->free && made->joint_count == 0) {
        made->joint_count = 1;
        array_push(&robot->joints,
                   ((RobotJoint){.move = MOVES_FREE, .given = "root", .element = element}));
    }
    return true;
}

static bool read_bodies(Mjcf *mjcf, XmlElement *element, const char *outer, const Pose *around,
                        int parent);

static bool read_body(Mjcf *mjcf, XmlElement *element, const char *outer, const Pose *around,
                      int parent)
{
    const char *class = xml_value(element, "childclass");
    bool frame = strcmp(element->name, "frame") == 0;
    Pose pose, none = pose_none();
    int index = parent;
    outer = class ? class : outer;
    if (!mjcf_read_pose(mjcf, element, &pose))
        return false;
    pose = pose_compose(around, &pose);
    if (!frame && !add_body(mjcf, element, outer, &pose, parent, &index))
        return false;
    return read_bodies(mjcf, element, outer, frame ? &pose : &none, index);
}

// The bodies in an element, and those in its frames. As deep as elements may be.
static bool read_bodies(Mjcf *mjcf, XmlElement *element, const char *outer, const Pose *around,
                        int parent)
{
    for (XmlElement *child = element->first; child; child = child->next) {
        bool inner = strcmp(child->name, "body") == 0 || strcmp(child->name, "frame") == 0;
        child->read = child->read || inner;
        if (inner && !read_body(mjcf, child, outer, around, parent))
            return false;
    }
    return true;
}

// ---- The whole.

static void read_assets(Mjcf *mjcf)
{
    XML_EACH(asset, mjcf->root, "asset")
    for (XmlElement *child = asset->first; child; child = child->next) {
        bool mesh = strcmp(child->name, "mesh") == 0;
        if (!mesh && strcmp(child->name, "material") != 0)
            continue;
        child->read = true;
        const char *name = xml_value(child, "name"), *file = mesh ? xml_value(child, "file") : NULL;
        // A mesh without a name has that of its file.
        if (!name && file) {
            const char *slash = strrchr(file, '/'), *start = slash ? slash + 1 : file;
            const char *dot = strrchr(start, '.');
            name = arena_copy_text(mjcf->robot->arena, start,
                                   dot ? (size_t)(dot - start) : strlen(start));
        }
        if (name && name_map_put(mesh ? mjcf->meshes : mjcf->materials, str_of(name),
                                 (uint32_t)mjcf->assets.count))
            array_push(&mjcf->assets, child);
    }
}

static bool check_sections(Mjcf *mjcf)
{
    static const char *const words[] = {"tendon", "deformable", "extension"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const XmlElement *found = xml_child(mjcf->root, words[i]);
        if (found && found->first)
            return robot_fail_unread(mjcf->robot, found, words[i]);
    }
    return check_unread(mjcf, mjcf->root);
}

static bool read_all(Mjcf *mjcf)
{
    Robot *robot = mjcf->robot;
    Pose none = pose_none();
    if (strcmp(mjcf->root->name, "mujoco") != 0)
        return robot_fail(robot, mjcf->root,
                          "an MJCF file begins with <mujoco>, and this is <%s>%s", mjcf->root->name,
                          strcmp(mjcf->root->name, "robot") == 0 ? "; write 'read urdf'" : "");
    robot->name = xml_value(mjcf->root, "model");
    if (!check_sections(mjcf) || !mjcf_read_settings(mjcf))
        return false;
    read_assets(mjcf);
    XML_EACH(world, mjcf->root, "worldbody")
    if (!read_inside(mjcf, world, NULL, &none, ROBOT_WORLD, false) ||
        !read_bodies(mjcf, world, NULL, &none, ROBOT_WORLD))
        return false;
    if (robot->bodies.count == 0)
        return robot_fail(robot, mjcf->root, "there is no <body> in it");
    return mjcf_read_equalities(mjcf) && mjcf_read_actuators(mjcf);
}

bool mjcf_read(Robot *robot, XmlElement *root)
{
    Mjcf mjcf = {.robot = robot,
                 .root = root,
                 .classes = name_map_new(),
                 .meshes = name_map_new(),
                 .materials = name_map_new()};
    bool good = read_all(&mjcf);
    name_map_free(mjcf.classes);
    name_map_free(mjcf.meshes);
    name_map_free(mjcf.materials);
    array_clear(&mjcf.defaults);
    array_clear(&mjcf.sites);
    array_clear(&mjcf.assets);
    return good;
}
