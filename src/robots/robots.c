// robots.c: from a file to parts of the language, and to the note of what was left.
#include "robots/robot_impl.h"

#include <string.h>
#include <unistd.h>

static void add_note(Robot *robot, const XmlElement *root, Text *note)
{
    Text unread = {0};
    xml_list_unread(root, &unread);
    bool soft = robot->file->format == ROBOT_MJCF;
    if (unread.length || robot->left.length)
        text_addf(note, "not read: %s%s%s", unread.at ? unread.at : "",
                  unread.length && robot->left.length ? ", " : "",
                  robot->left.at ? robot->left.at : "");
    if (soft)
        text_addf(note, "%ssoft contacts and solver parameters are never read",
                  note->length ? "; " : "");
    if (robot->renamed.length)
        text_addf(note, "%scalled otherwise here: %s", note->length ? "; " : "", robot->renamed.at);
    text_clear(&unread);
}

static bool read_robot(Robot *robot, Text *name, Text *templates, Text *note)
{
    Text why = {0};
    uint32_t line;
    XmlElement *root = xml_read(robot->arena, robot->file->text, &why, &line);
    XmlElement at = {.line = line};
    if (!root)
        robot_fail(robot, &at, "%s", why.at);
    text_clear(&why);
    if (!root)
        return false;
    bool urdf = robot->file->format == ROBOT_URDF;
    if (!(urdf ? urdf_read(robot, root) : mjcf_read(robot, root)) || !robot_check_masses(robot))
        return false;
    robot_choose_names(robot);
    text_add(name, robot->name);
    robot_write_text(robot, robot->name, templates);
    add_note(robot, root, note);
    return true;
}

bool robot_write(const RobotFile *file, Text *name, Text *templates, Text *note)
{
    Robot robot = {.file = file,
                   .arena = arena_new(),
                   .taken = name_map_new(),
                   .left_names = name_map_new(),
                   .why = note};
    bool good = read_robot(&robot, name, templates, note);
    array_clear(&robot.bodies);
    array_clear(&robot.joints);
    array_clear(&robot.shapes);
    array_clear(&robot.actuators);
    array_clear(&robot.closings);
    text_clear(&robot.renamed);
    text_clear(&robot.left);
    name_map_free(robot.taken);
    name_map_free(robot.left_names);
    arena_free(robot.arena);
    return good;
}

// ---- As a statement says.

static bool file_exists(const char *path)
{
    return access(path, R_OK) == 0;
}

bool robot_write_read(const TextRobot *robot, Text *name, Text *templates, Text *note)
{
    RobotFile file = {.format = str_is(robot->format, "urdf") ? ROBOT_URDF : ROBOT_MJCF,
                      .path = robot->path,
                      .text = robot->content,
                      .name = robot->name,
                      .free = robot->free,
                      .exists = file_exists};
    Text folder = {0};
    size_t length = robot->written.length;
    while (length > 0 && robot->written.at[length - 1] != '/')
        length--;
    text_add_str(&folder, (Str){robot->written.at, length});
    file.folder = folder.at ? folder.at : "";
    bool good = robot_write(&file, name, templates, note);
    text_clear(&folder);
    return good;
}
