// urdf.c: reads URDF: links, and the joints between them.
#include "robots/robot_impl.h"

#include <math.h>
#include <string.h>

// More than any robot has; names are sought one by one.
enum { MOST_LINKS = 4096 };

typedef struct {
    XmlElement *element;
    const char *name;
    XmlElement *joint;  // that it hangs on; NULL for the root
    const char *parent; // the link that this joint is on
    int body;           // of the robot, once it is there; −1
} Link;

typedef struct {
    Robot *robot;
    ARRAY(Link) links;
    NameMap *names;
    NameMap *materials;
    ARRAY(XmlElement *) paints;
} Urdf;

// ---- Poses and inertias.

// Turned about x, y and z of the outer frame in this order, which is z, y', x''.
static bool read_origin(Robot *robot, const XmlElement *element, Pose *pose)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    XmlElement *origin = xml_child(element, "origin");
    double angles[3] = {0};
    *pose = pose_none();
    if (!origin)
        return true;
    if (!robot_numbers(robot, origin, "xyz", 3, pose->place) ||
        !robot_numbers(robot, origin, "rpy", 3, angles))
        return false;
    for (int i = 3; i-- > 0;)
        pose_turn(pose, angles[i], axes[i]);
    return true;
}

static bool read_tensor(Robot *robot, const XmlElement *inertia, Tensor *tensor)
{
    static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "iyz", "ixz"};
    for (int i = 0; i < 6; i++)
        if (!robot_numbers(robot, inertia, names[i], 1, &tensor->at[i]))
            return false;
    return true;
}

static bool read_inertial(Robot *robot, const XmlElement *link, RobotBody *body)
{
    XmlElement *inertial = xml_child(link, "inertial");
    XmlElement *mass = xml_child(inertial, "mass"), *inertia = xml_child(inertial, "inertia");
    Tensor own = {{0}};
    Pose pose;
    if (!inertial)
        return true;
    if (!read_origin(robot, inertial, &pose) ||
        (mass && !robot_numbers(robot, mass, "value", 1, &body->mass)) ||
        (inertia && !read_tensor(robot, inertia, &own)))
        return false;
    if (body->mass < 0)
        return robot_fail(robot, mass, "the mass of the link '%s' is negative", body->given);
    memcpy(body->center, pose.place, sizeof body->center);
    body->inertia = pose_tensor(&pose, &own);
    return true;
}

// ---- Pictures.

static bool read_paint(Urdf *urdf, const XmlElement *visual, RobotShape *shape)
{
    XmlElement *material = xml_child(visual, "material"), *color = xml_child(material, "color");
    const char *name = xml_value(material, "name");
    uint32_t index;
    if (material && !color && name && name_map_get(urdf->materials, str_of(name), &index))
        color = xml_child(urdf->paints.at[index], "color");
    shape->coloured = color && xml_value(color, "rgba");
    return !color || robot_numbers(urdf->robot, color, "rgba", 4, shape->colour);
}

static bool read_mesh(Urdf *urdf, const XmlElement *mesh, RobotShape *shape, bool *drawn)
{
    const char *file = xml_value(mesh, "filename");
    double scale[3] = {1, 1, 1};
    if (!robot_numbers(urdf->robot, mesh, "scale", 3, scale))
        return false;
    shape->kind = SHAPE_MESH;
    shape->size[0] = scale[0];
    *drawn = file && scale[0] == scale[1] && scale[0] == scale[2] && scale[0] > 0 &&
             robot_find_mesh(urdf->robot, "", file, &shape->file);
    if (!*drawn && file) {
        const char *slash = strrchr(file, '/');
        robot_leave(urdf->robot, "mesh", slash ? slash + 1 : file);
    }
    return true;
}

static bool read_visual(Urdf *urdf, XmlElement *visual, int body)
{
    Robot *robot = urdf->robot;
    XmlElement *geometry = xml_child(visual, "geometry");
    XmlElement *box = xml_child(geometry, "box"), *ball = xml_child(geometry, "sphere");
    XmlElement *tube = xml_child(geometry, "cylinder"), *mesh = xml_child(geometry, "mesh");
    XmlElement *capsule = tube ? NULL : xml_child(geometry, "capsule");
    RobotShape shape = {.body = body, .colour = {0, 0, 0, 1}};
    bool drawn = true;
    tube = tube ? tube : capsule;
    if (!read_origin(robot, visual, &shape.pose) || !read_paint(urdf, visual, &shape) ||
        !robot_numbers(robot, box, "size", 3, shape.size) ||
        !robot_numbers(robot, ball ? ball : tube, "radius", 1, &shape.size[0]) ||
        !robot_numbers(robot, tube, "length", 1, &shape.size[1]) ||
        (mesh && !read_mesh(urdf, mesh, &shape, &drawn)))
        return false;
    if (!mesh)
        shape.kind = box       ? SHAPE_BOX
                     : ball    ? SHAPE_SPHERE
                     : capsule ? SHAPE_CAPSULE
                               : SHAPE_CYLINDER;
    bool sized =
        shape.size[0] > 0 && (mesh || ball || shape.size[1] > 0) && (!box || shape.size[2] > 0);
    if (drawn && sized && (box || ball || tube || mesh))
        array_push(&robot->shapes, shape);
    return true;
}

// ---- Joints.

static bool read_limits(Robot *robot, const XmlElement *element, RobotJoint *joint)
{
    XmlElement *limit = xml_child(element, "limit");
    bool bounded = !xml_is(element, "type", "continuous");
    joint->lower.given = joint->upper.given = limit && bounded;
    if (limit && bounded &&
        (!robot_number(robot, limit, "lower", &joint->lower) ||
         !robot_number(robot, limit, "upper", &joint->upper)))
        return false;
    if (limit && bounded && joint->lower.at > joint->upper.at)
        return robot_fail(robot, limit, "the joint '%s' has a lower limit above its upper one",
                          joint->given);
    return true;
}

static bool read_resistance(Robot *robot, const XmlElement *element, RobotJoint *joint)
{
    XmlElement *dynamics = xml_child(element, "dynamics");
    if (!robot_number(robot, dynamics, "damping", &joint->damping) ||
        !robot_number(robot, dynamics, "friction", &joint->friction))
        return false;
    if (joint->damping.at < 0 || joint->friction.at < 0)
        return robot_fail(robot, dynamics, "the joint '%s' has negative damping or friction",
                          joint->given);
    bool several = joint->move != MOVES_HINGE && joint->move != MOVES_SLIDER;
    if (several &&
        (joint->friction.at != 0 || (joint->move == MOVES_PLANAR && joint->damping.at != 0)))
        return robot_fail_unread(robot, dynamics, "dynamics");
    return true;
}

static bool read_mimic(Robot *robot, const XmlElement *element, RobotJoint *joint)
{
    XmlElement *mimic = xml_child(element, "mimic");
    joint->multiplier = 1;
    if (!mimic)
        return true;
    joint->follows = xml_value(mimic, "joint");
    if (!joint->follows)
        return robot_fail(robot, mimic, "<mimic> does not name its 'joint'");
    return robot_numbers(robot, mimic, "multiplier", 1, &joint->multiplier) &&
           robot_numbers(robot, mimic, "offset", 1, &joint->offset);
}

// Whether there are coordinates, and of which kind.
static bool read_move(Robot *robot, const XmlElement *element, RobotJoint *joint, bool *moves)
{
    static const struct {
        const char *word;
        JointMove move;
    } kinds[] = {{"revolute", MOVES_HINGE},   {"continuous", MOVES_HINGE},
                 {"prismatic", MOVES_SLIDER}, {"planar", MOVES_PLANAR},
                 {"floating", MOVES_FREE},    {"spherical", MOVES_BALL},
                 {"ball", MOVES_BALL}};
    const char *type = xml_value(element, "type");
    *moves = !type || strcmp(type, "fixed") != 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && type; i++)
        if (strcmp(kinds[i].word, type) == 0) {
            joint->move = kinds[i].move;
            return true;
        }
    if (!*moves)
        return true;
    return robot_fail(robot, element,
                      "the joint '%s' has the type '%s'; there are revolute, continuous, "
                      "prismatic, planar, floating, spherical and fixed",
                      joint->given, type ? type : "");
}

static bool read_joint(Robot *robot, const XmlElement *element, RobotBody *body)
{
    RobotJoint joint = {.given = xml_value(element, "name"), .element = element, .axis = {1, 0, 0}};
    XmlElement *axis = xml_child(element, "axis");
    bool moves;
    if (!read_origin(robot, element, &body->pose) || !read_move(robot, element, &joint, &moves) ||
        !robot_numbers(robot, axis, "xyz", 3, joint.axis))
        return false;
    if (!moves) {
        body->fixed = joint.given;
        return true;
    }
    if (triple_is_zero(joint.axis) && joint.move != MOVES_FREE && joint.move != MOVES_BALL)
        return robot_fail(robot, axis, "the joint '%s' has an axis of length 0", joint.given);
    bool bounded = joint.move == MOVES_HINGE || joint.move == MOVES_SLIDER;
    if ((bounded && !read_limits(robot, element, &joint)) ||
        !read_resistance(robot, element, &joint) || !read_mimic(robot, element, &joint))
        return false;
    body->first_joint = robot->joints.count;
    body->joint_count = 1;
    array_push(&robot->joints, joint);
    return true;
}

// ---- The tree.

static bool read_links(Urdf *urdf, XmlElement *root)
{
    Robot *robot = urdf->robot;
    XML_EACH(material, root, "material")
    {
        const char *name = xml_value(material, "name");
        if (name && name_map_put(urdf->materials, str_of(name), (uint32_t)urdf->paints.count))
            array_push(&urdf->paints, material);
    }
    XML_EACH(element, root, "link")
    {
        const char *name = xml_value(element, "name");
        if (!name)
            return robot_fail(robot, element, "this <link> has no name");
        if (urdf->links.count == MOST_LINKS)
            return robot_fail(robot, element, "there are more than %d links", MOST_LINKS);
        if (!name_map_put(urdf->names, str_of(name), (uint32_t)urdf->links.count))
            return robot_fail(robot, element, "there are two links '%s'", name);
        array_push(&urdf->links, ((Link){.element = element, .name = name, .body = -1}));
    }
    return urdf->links.count > 0 || robot_fail(robot, root, "there is no <link> in it");
}

static bool find_link(Urdf *urdf, const XmlElement *joint, const char *which, uint32_t *index)
{
    XmlElement *end = xml_child(joint, which);
    const char *link = xml_value(end, "link");
    if (link && name_map_get(urdf->names, str_of(link), index))
        return true;
    if (!link)
        return robot_fail(urdf->robot, joint, "a joint needs its <%s link=\"…\">", which);
    return robot_fail(urdf->robot, end, "there is no link '%s'", link);
}

static bool read_joints(Urdf *urdf, XmlElement *root)
{
    Robot *robot = urdf->robot;
    XML_EACH(element, root, "joint")
    {
        uint32_t parent, child;
        if (!xml_value(element, "name"))
            return robot_fail(robot, element, "this <joint> has no name");
        if (!find_link(urdf, element, "parent", &parent) ||
            !find_link(urdf, element, "child", &child))
            return false;
        if (urdf->links.at[child].joint)
            return robot_fail(robot, element,
                              "the link '%s' is the child of two joints; a URDF file is a tree",
                              urdf->links.at[child].name);
        urdf->links.at[child].joint = element;
        urdf->links.at[child].parent = urdf->links.at[parent].name;
    }
    return true;
}

static bool add_body(Urdf *urdf, Link *link, int parent)
{
    Robot *robot = urdf->robot;
    RobotBody body = {
        .given = link->name, .element = link->element, .parent = parent, .pose = pose_none()};
    if (!read_inertial(robot, link->element, &body) ||
        (link->joint && !read_joint(robot, link->joint, &body)))
        return false;
    if (!link->joint && robot->file->free) {
        body.first_joint = robot->joints.count;
        body.joint_count = 1;
        array_push(&robot->joints,
                   ((RobotJoint){.move = MOVES_FREE, .given = "root", .element = link->element}));
    } else if (!link->joint) {
        body.fixed = "root";
    }
    link->body = (int)robot->bodies.count;
    array_push(&robot->bodies, body);
    XML_EACH(visual, link->element, "visual")
    if (!read_visual(urdf, visual, link->body))
        return false;
    return true;
}

// Parents first: each round adds the children of those that are there.
static bool add_bodies(Urdf *urdf)
{
    Robot *robot = urdf->robot;
    bool more = true;
    for (size_t i = 0; i < urdf->links.count; i++)
        if (!urdf->links.at[i].joint && !add_body(urdf, &urdf->links.at[i], ROBOT_WORLD))
            return false;
    while (more) {
        more = false;
        for (size_t i = 0; i < urdf->links.count; i++) {
            Link *link = &urdf->links.at[i];
            uint32_t parent;
            if (link->body >= 0 || !name_map_get(urdf->names, str_of(link->parent), &parent) ||
                urdf->links.at[parent].body < 0)
                continue;
            if (!add_body(urdf, link, urdf->links.at[parent].body))
                return false;
            more = true;
        }
    }
    for (size_t i = 0; i < urdf->links.count; i++)
        if (urdf->links.at[i].body < 0)
            return robot_fail(robot, urdf->links.at[i].joint,
                              "the link '%s' hangs on itself: its joints make a ring",
                              urdf->links.at[i].name);
    return true;
}

// Followed along the chain of joints, one that is met twice follows itself.
static bool check_mimics(Robot *robot)
{
    for (size_t i = 0; i < robot->joints.count; i++) {
        const RobotJoint *joint = &robot->joints.at[i];
        bool single = joint->move == MOVES_HINGE || joint->move == MOVES_SLIDER;
        size_t length = 0;
        for (int at = (int)i; robot->joints.at[at].follows;) {
            int next = robot_find_joint(robot, robot->joints.at[at].follows);
            if (next < 0 || ++length > robot->joints.count)
                return robot_fail(robot, joint->element, "the joint '%s' follows %s '%s'",
                                  joint->given, next < 0 ? "no joint with coordinates:" : "itself:",
                                  robot->joints.at[at].follows);
            JointMove move = robot->joints.at[next].move;
            single = single && (move == MOVES_HINGE || move == MOVES_SLIDER);
            at = next;
        }
        if (length > 0 && !single)
            return robot_fail(robot, joint->element,
                              "the joint '%s' follows another one; both must have one coordinate",
                              joint->given);
    }
    return true;
}

bool urdf_read(Robot *robot, XmlElement *root)
{
    Urdf urdf = {.robot = robot, .names = name_map_new(), .materials = name_map_new()};
    robot->name = xml_value(root, "name");
    bool good =
        strcmp(root->name, "robot") == 0 ||
        robot_fail(robot, root, "a URDF file begins with <robot>, and this is <%s>%s", root->name,
                   strcmp(root->name, "mujoco") == 0 ? "; write 'read mjcf'" : "");
    good = good && read_links(&urdf, root) && read_joints(&urdf, root) && add_bodies(&urdf) &&
           check_mimics(robot);
    name_map_free(urdf.names);
    name_map_free(urdf.materials);
    array_clear(&urdf.links);
    array_clear(&urdf.paints);
    return good;
}
