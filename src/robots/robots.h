// robots.h: robots' files, written as statements of the language. Knows URDF and MJCF, and how a
// part of bodies and joints is written; knows no expressions.
#ifndef ZWANG_ROBOTS_H
#define ZWANG_ROBOTS_H

#include "text/include.h"

typedef enum { ROBOT_URDF, ROBOT_MJCF } RobotFormat;

typedef struct {
    RobotFormat format;
    const char *path;   // of the file, as it is opened
    const char *folder; // of it, as paths in the model begin: "" or "robots/"
    Str text;
    Str name;  // of the part; none: the robot's own
    bool free; // the root moves
    bool (*exists)(const char *path);
} RobotFile;

// Writes the templates of a robot: the last one, NAME__file, has no arguments and is the robot.
// `name` is what the part is called. `note` names what was not read; where the result is false it
// is what is wrong, with the file and the line before it.
bool robot_write(const RobotFile *file, Text *name, Text *templates, Text *note);
// The same of a `read` statement: for TextFiles.
bool robot_write_read(const TextRobot *robot, Text *name, Text *templates, Text *note);

#endif
