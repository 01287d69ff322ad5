// mjcf_impl.h: what the readers of MJCF share. Never leaves this room.
#ifndef ZWANG_ROBOTS_MJCF_IMPL_H
#define ZWANG_ROBOTS_MJCF_IMPL_H

#include "robots/robot_impl.h"

typedef struct {
    const char *name;
    int body;
    Pose pose;
} MjcfSite;

typedef struct {
    Robot *robot;
    XmlElement *root;
    bool degrees, auto_limits;
    char sequence[4]; // of Euler's angles
    bool always_from_geoms, never_from_geoms;
    double groups[2]; // of geoms whose masses count
    const char *mesh_folder;
    NameMap *classes; // to `defaults`
    ARRAY(XmlElement *) defaults;
    size_t inherited; // attributes so far
    ARRAY(MjcfSite) sites;
    NameMap *meshes, *materials; // to `assets`
    ARRAY(XmlElement *) assets;
} Mjcf;

// ---- mjcf_settings.c
bool mjcf_read_settings(Mjcf *mjcf);
// Gives an element what its class has; `outer` is the class of the body around it, or NULL.
bool mjcf_inherit(Mjcf *mjcf, XmlElement *element, const char *outer);
// pos, and one of quat, axisangle, euler, xyaxes and zaxis.
bool mjcf_read_pose(Mjcf *mjcf, const XmlElement *element, Pose *pose);
double mjcf_angle(const Mjcf *mjcf, double angle);

// ---- mjcf_geoms.c
// The geoms of a body: pictures, and its mass where it has no other.
bool mjcf_read_geoms(Mjcf *mjcf, const XmlElement *element, const char *outer, const Pose *around,
                     int body, bool massive);
bool mjcf_read_inertial(Mjcf *mjcf, const XmlElement *element, RobotBody *body);

// ---- mjcf_forces.c
bool mjcf_read_equalities(Mjcf *mjcf);
bool mjcf_read_actuators(Mjcf *mjcf);

#endif
