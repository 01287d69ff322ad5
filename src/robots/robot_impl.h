// robot_impl.h: a robot, whichever file it comes from. Never leaves this room.
//
// A body hangs on its parent by a chain of joints, none of them for a body that is fixed to it. All
// coordinates are 0 where the file has it.
#ifndef ZWANG_ROBOTS_ROBOT_IMPL_H
#define ZWANG_ROBOTS_ROBOT_IMPL_H

#include "robots/pose_impl.h"
#include "robots/robots.h"
#include "robots/xml_impl.h"

enum { ROBOT_WORLD = -1 };
// A number that the file does not give.
typedef struct {
    bool given;
    double at;
} Maybe;

typedef enum {
    SHAPE_BOX,
    SHAPE_CYLINDER,
    SHAPE_CAPSULE,
    SHAPE_SPHERE,
    SHAPE_ELLIPSOID,
    SHAPE_MESH
} ShapeKind;
typedef struct {
    ShapeKind kind;
    int body;
    Pose pose;
    double size[3]; // edges; radius and length; axes of an ellipsoid; the scale of a mesh
    const char *file;
    bool coloured;
    double colour[4];
} RobotShape;

typedef struct {
    const char *given; // its name in the file, or NULL
    const char *name;
    const char *fixed; // what a joint is called that has no coordinates; NULL: after the body
    const XmlElement *element;
    int parent;
    Pose pose;
    size_t first_joint, joint_count; // in the order in which they move it
    double mass, center[3];
    Tensor inertia; // about the centre, along the body's axes
} RobotBody;

typedef enum { MOVES_HINGE, MOVES_SLIDER, MOVES_BALL, MOVES_PLANAR, MOVES_FREE } JointMove;
typedef struct {
    JointMove move;
    const char *given, *name;
    const XmlElement *element;
    double anchor[3], axis[3]; // in the body's axes
    double reference;          // what the file calls the coordinate's value where it is 0
    Maybe lower, upper, damping, friction, stiffness, rest, armature;
    const char *follows; // the name of the joint that it mimics
    double multiplier, offset;
} RobotJoint;

typedef enum { ACTUATOR_MOTOR, ACTUATOR_POSITION, ACTUATOR_VELOCITY } ActuatorKind;
typedef struct {
    ActuatorKind kind;
    const char *given, *name;
    size_t joint;
    double gear, stiffness, damping;
} RobotActuator;

typedef enum { CLOSING_CONNECT, CLOSING_WELD, CLOSING_JOINTS } ClosingKind;
enum { ROBOT_POLYNOMIAL = 5 };
typedef struct {
    ClosingKind kind;
    const char *given, *name;
    int body[2];
    double point[2][3];
    Pose turn;       // of a weld: of the second body, seen from the first
    size_t joint[2]; // of one between coordinates; the second may be missing
    bool alone;
    double polynomial[ROBOT_POLYNOMIAL];
} RobotClosing;

typedef struct {
    const RobotFile *file;
    Arena *arena;
    Text *why; // what is wrong
    const char *name;
    ARRAY(RobotBody) bodies; // parents first
    ARRAY(RobotJoint) joints;
    ARRAY(RobotShape) shapes;
    ARRAY(RobotActuator) actuators;
    ARRAY(RobotClosing) closings;
    NameMap *taken; // names of the part
    NameMap *left_names;
    Text renamed, left; // further things for the note
} Robot;

// ---- robot.c: what both readers need.
// False, for `return robot_fail(…)`: the file and the line of the element, and what is wrong there.
bool robot_fail(Robot *robot, const XmlElement *at, const char *format, ...) BASE_PRINTF(3, 4);
// Names one more thing, once, that is not read.
void robot_leave(Robot *robot, const char *what, const char *name);
bool robot_fail_unread(Robot *robot, const XmlElement *at, const char *what);
// Exactly so many numbers of an attribute, where it is there; else `out` stays.
bool robot_numbers(Robot *robot, const XmlElement *element, const char *name, size_t count,
                   double *out);
// At most so many, and how many there are.
bool robot_list(Robot *robot, const XmlElement *element, const char *name, size_t most, double *out,
                size_t *count);
bool robot_number(Robot *robot, const XmlElement *element, const char *name, Maybe *out);
// The body or joint of this name in the file, or −1.
int robot_find_body(const Robot *robot, const char *given);
int robot_find_joint(const Robot *robot, const char *given);
// Where a body is in the file's position.
Pose robot_pose(const Robot *robot, int body);
// A mesh is drawn where its file is there and of a kind that can be; false where it is not.
bool robot_find_mesh(Robot *robot, const char *folder, const char *written, const char **file);
// Bodies that move have a mass in them or behind them.
bool robot_check_masses(Robot *robot);

// ---- shape_inertia.c
// The mass of a shape, and its tensor about its own centre and axes.
double shape_volume(const RobotShape *shape);
Tensor shape_inertia(const RobotShape *shape, double mass);

// ---- urdf.c, mjcf.c
bool urdf_read(Robot *robot, XmlElement *root);
bool mjcf_read(Robot *robot, XmlElement *root);

// ---- robot_names.c: gives all of it names that the language can have, each once.
void robot_choose_names(Robot *robot);
// A name like this one that is none of the robot's yet.
const char *robot_new_name(Robot *robot, const char *wanted);

// ---- robot_text.c
void robot_write_text(Robot *robot, const char *name, Text *templates);

#endif
