// mjcf_geoms.c: the geoms of MJCF: shapes, and the masses that they give to bodies.
#include "robots/mjcf_impl.h"

#include <math.h>
#include <string.h>

static const double usual_density = 1000;

typedef struct {
    const char *type;
    RobotShape shape;
    double mass;
    bool counts, drawn;
} Geom;

// From one point to another: the middle, and z along the way.
static bool read_ends(Mjcf *mjcf, const XmlElement *element, Geom *geom, double *length)
{
    double ends[6], z[3];
    if (!robot_numbers(mjcf->robot, element, "fromto", 6, ends))
        return false;
    for (int i = 0; i < 3; i++) {
        geom->shape.pose.place[i] = (ends[i] + ends[3 + i]) / 2;
        // The program that these files are for has z from the second to the first.
        z[i] = ends[i] - ends[3 + i];
    }
    *length = hypot(hypot(z[0], z[1]), z[2]);
    if (!triple_unit(z))
        return robot_fail(mjcf->robot, element, "fromto goes from a point to itself");
    pose_turn_z_to(&geom->shape.pose, z);
    return true;
}

static bool read_size(Mjcf *mjcf, const XmlElement *element, Geom *geom)
{
    static const struct {
        const char *type;
        ShapeKind kind;
        size_t count; // of numbers
    } kinds[] = {{"sphere", SHAPE_SPHERE, 1},
                 {"capsule", SHAPE_CAPSULE, 2},
                 {"cylinder", SHAPE_CYLINDER, 2},
                 {"ellipsoid", SHAPE_ELLIPSOID, 3},
                 {"box", SHAPE_BOX, 3}};
    double size[3] = {0}, length = 0;
    size_t given;
    bool ends = xml_value(element, "fromto") != NULL;
    if (!mjcf_read_pose(mjcf, element, &geom->shape.pose) ||
        !robot_list(mjcf->robot, element, "size", 3, size, &given) ||
        (ends && !read_ends(mjcf, element, geom, &length)))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].type, geom->type) != 0)
            continue;
        bool between =
            ends && kinds[i].count > 1; // then the first number is across, for all of them
        size_t needed = between ? 1 : kinds[i].count;
        geom->shape.kind = kinds[i].kind;
        bool round = kinds[i].kind == SHAPE_CAPSULE || kinds[i].kind == SHAPE_CYLINDER;
        if (between && !round)
            size[1] = size[0];
        if (between)
            size[round ? 1 : 2] = length / 2;
        for (size_t k = 0; k < kinds[i].count; k++)
            if (size[k] <= 0 || given < needed)
                return robot_fail(mjcf->robot, element, "a geom of type %s needs %zu sizes above 0",
                                  geom->type, needed);
        geom->shape.size[0] = round || kinds[i].count == 1 ? size[0] : 2 * size[0];
        geom->shape.size[1] = 2 * size[1];
        geom->shape.size[2] = 2 * size[2];
        geom->drawn = true;
    }
    return true;
}

static bool read_mesh(Mjcf *mjcf, const XmlElement *element, Geom *geom)
{
    const char *name = xml_value(element, "mesh");
    uint32_t index;
    double scale[3] = {1, 1, 1};
    geom->shape.kind = SHAPE_MESH;
    if (!name || !name_map_get(mjcf->meshes, str_of(name), &index))
        return true;
    const XmlElement *asset = mjcf->assets.at[index];
    const char *file = xml_value(asset, "file");
    if (!robot_numbers(mjcf->robot, asset, "scale", 3, scale))
        return false;
    geom->shape.size[0] = scale[0];
    geom->drawn = file && scale[0] == scale[1] && scale[0] == scale[2] && scale[0] > 0 &&
                  robot_find_mesh(mjcf->robot, mjcf->mesh_folder, file, &geom->shape.file);
    return true;
}

static bool read_paint(Mjcf *mjcf, const XmlElement *element, RobotShape *shape)
{
    const char *name = xml_value(element, "material");
    uint32_t index;
    const XmlElement *from = element;
    if (!xml_value(element, "rgba") && name && name_map_get(mjcf->materials, str_of(name), &index))
        from = mjcf->assets.at[index];
    shape->coloured = xml_value(from, "rgba") != NULL;
    return robot_numbers(mjcf->robot, from, "rgba", 4, shape->colour);
}

static bool read_geom(Mjcf *mjcf, XmlElement *element, const char *outer, Geom *geom)
{
    Maybe mass = {0}, density = {0}, group = {0};
    if (!mjcf_inherit(mjcf, element, outer))
        return false;
    geom->type = xml_value(element, "type");
    if (!geom->type)
        geom->type = xml_value(element, "mesh") ? "mesh" : "sphere";
    bool mesh = strcmp(geom->type, "mesh") == 0 || strcmp(geom->type, "sdf") == 0;
    bool plane = strcmp(geom->type, "plane") == 0 || strcmp(geom->type, "hfield") == 0;
    if (!read_size(mjcf, element, geom) || (mesh && !read_mesh(mjcf, element, geom)) ||
        !read_paint(mjcf, element, &geom->shape) ||
        !robot_number(mjcf->robot, element, "mass", &mass) ||
        !robot_number(mjcf->robot, element, "density", &density) ||
        !robot_number(mjcf->robot, element, "group", &group))
        return false;
    if (!geom->drawn && !mesh && !plane)
        return robot_fail(mjcf->robot, element, "a geom of type '%s' is not known", geom->type);
    if (xml_is(element, "shellinertia", "true"))
        return robot_fail_unread(mjcf->robot, element, "shellinertia");
    geom->mass = mass.given      ? mass.at
                 : density.given ? density.at * shape_volume(&geom->shape)
                                 : usual_density * shape_volume(&geom->shape);
    bool heavy = mass.given ? mass.at > 0 : !density.given || density.at > 0;
    geom->counts = heavy && !plane && group.at >= mjcf->groups[0] && group.at <= mjcf->groups[1];
    geom->drawn = geom->drawn && group.at < 3;
    return true;
}

// ---- Masses.

static void add_mass(RobotBody *body, const RobotShape *shape, double mass)
{
    // Both tensors are moved to the common centre.
    double whole = body->mass + mass, from[3], to[3];
    if (whole <= 0)
        return;
    for (int i = 0; i < 3; i++) {
        double way = shape->pose.place[i] - body->center[i];
        from[i] = way * mass / whole;
        to[i] = way - from[i];
    }
    Tensor own = shape_inertia(shape, mass), turned = pose_tensor(&shape->pose, &own);
    tensor_add_point(&body->inertia, body->mass, from);
    tensor_add_point(&turned, mass, to);
    for (int i = 0; i < 6; i++)
        body->inertia.at[i] += turned.at[i];
    for (int i = 0; i < 3; i++)
        body->center[i] += from[i];
    body->mass = whole;
}

bool mjcf_read_geoms(Mjcf *mjcf, const XmlElement *element, const char *outer, const Pose *around,
                     int body, bool massive)
{
    Robot *robot = mjcf->robot;
    XML_EACH(child, element, "geom")
    {
        Geom geom = {.shape = {.body = body, .colour = {0, 0, 0, 1}}};
        if (!read_geom(mjcf, child, outer, &geom))
            return false;
        geom.shape.pose = pose_compose(around, &geom.shape.pose);
        if (massive && geom.counts && geom.shape.kind == SHAPE_MESH &&
            strcmp(geom.type, "mesh") == 0)
            return robot_fail(robot, child,
                              "the mass of '%s' would come from a mesh, which is not read; give "
                              "the body an <inertial>",
                              robot->bodies.at[body].given ? robot->bodies.at[body].given
                                                           : "a body without a name");
        if (massive && geom.counts)
            add_mass(&robot->bodies.at[body], &geom.shape, geom.mass);
        if (geom.drawn)
            array_push(&robot->shapes, geom.shape);
    }
    return true;
}

bool mjcf_read_inertial(Mjcf *mjcf, const XmlElement *element, RobotBody *body)
{
    Robot *robot = mjcf->robot;
    Tensor own = {{0}};
    double full[6];
    Pose pose;
    if (!mjcf_read_pose(mjcf, element, &pose) ||
        !robot_numbers(robot, element, "mass", 1, &body->mass) ||
        !robot_numbers(robot, element, "diaginertia", 3, own.at))
        return false;
    if (body->mass < 0)
        return robot_fail(robot, element, "this mass is negative");
    if (xml_value(element, "fullinertia")) {
        // xx, yy, zz, xy, xz, yz
        if (!robot_numbers(robot, element, "fullinertia", 6, full))
            return false;
        memcpy(own.at, full, 4 * sizeof *full);
        own.at[4] = full[5];
        own.at[5] = full[4];
    }
    memcpy(body->center, pose.place, sizeof body->center);
    body->inertia = pose_tensor(&pose, &own);
    return true;
}
