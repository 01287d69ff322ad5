// robot.c: numbers, names and places that both kinds of file have.
#include "robots/robot_impl.h"

#include "base/decimal.h"

#include <math.h>
#include <string.h>
#include <strings.h>

// ---- What is wrong.

bool robot_fail(Robot *robot, const XmlElement *at, const char *format, ...)
{
    const char *slash = strrchr(robot->file->path, '/');
    va_list args;
    if (robot->why->length)
        return false;
    text_addf(robot->why, "%s:%u: ", slash ? slash + 1 : robot->file->path, at ? at->line : 1);
    va_start(args, format);
    text_addv(robot->why, format, args);
    va_end(args);
    return false;
}

bool robot_fail_unread(Robot *robot, const XmlElement *at, const char *what)
{
    return robot_fail(robot, at,
                      "'%s' is not read: this robot would move otherwise; remove it or describe it "
                      "here",
                      what);
}

void robot_leave(Robot *robot, const char *what, const char *name)
{
    Text word = {0};
    text_addf(&word, "%s %s", what, name);
    if (name_map_put(robot->left_names, (Str){word.at, word.length}, 1))
        text_addf(&robot->left, "%s%s", robot->left.length ? ", " : "", word.at);
    text_clear(&word);
}

// ---- Numbers.

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

bool robot_list(Robot *robot, const XmlElement *element, const char *name, size_t most, double *out,
                size_t *count)
{
    const char *at = xml_value(element, name);
    *count = 0;
    if (!at)
        return true;
    for (at = skip_blanks(at); *at; at = skip_blanks(at)) {
        const char *digits = at + (*at == '+');
        size_t length = strcspn(digits, " \t\r\n");
        double value;
        if (decimal_read(digits, length, &value) != length || !isfinite(value))
            return robot_fail(robot, element, "'%.*s' in %s of <%s> is no number",
                              (int)(length > 40 ? 40 : length), digits, name, element->name);
        if (*count == most)
            return robot_fail(robot, element, "%s of <%s> has more than %zu number%s", name,
                              element->name, most, most == 1 ? "" : "s");
        out[(*count)++] = value;
        at = digits + length;
    }
    return true;
}

bool robot_numbers(Robot *robot, const XmlElement *element, const char *name, size_t count,
                   double *out)
{
    double values[16];
    size_t there;
    if (!robot_list(robot, element, name, count, values, &there))
        return false;
    if (there == 0 && !xml_value(element, name))
        return true;
    if (there != count)
        return robot_fail(robot, element, "%s of <%s> has %zu number%s and needs %zu", name,
                          element->name, there, there == 1 ? "" : "s", count);
    memcpy(out, values, count * sizeof *values);
    return true;
}

bool robot_number(Robot *robot, const XmlElement *element, const char *name, Maybe *out)
{
    if (!element || !xml_value(element, name))
        return true;
    out->given = true;
    return robot_numbers(robot, element, name, 1, &out->at);
}

// ---- Names and places.

int robot_find_body(const Robot *robot, const char *given)
{
    for (size_t i = 0; i < robot->bodies.count && given; i++)
        if (robot->bodies.at[i].given && strcmp(robot->bodies.at[i].given, given) == 0)
            return (int)i;
    return ROBOT_WORLD;
}

int robot_find_joint(const Robot *robot, const char *given)
{
    for (size_t i = 0; i < robot->joints.count && given; i++)
        if (robot->joints.at[i].given && strcmp(robot->joints.at[i].given, given) == 0)
            return (int)i;
    return -1;
}

Pose robot_pose(const Robot *robot, int body)
{
    Pose pose = pose_none();
    for (; body != ROBOT_WORLD; body = robot->bodies.at[body].parent)
        pose = pose_compose(&robot->bodies.at[body].pose, &pose);
    return pose;
}

// ---- Meshes.

static bool can_be_drawn(const char *file)
{
    size_t length = strlen(file);
    return length > 4 && (strcasecmp(file + length - 4, ".stl") == 0 ||
                          strcasecmp(file + length - 4, ".obj") == 0);
}

// Tries FOLDER/PATH; the folder of the model's text is what a picture begins at.
static bool try_mesh(Robot *robot, const char *inside, const char *path, const char **file)
{
    Text opened = {0}, drawn = {0};
    const char *slash = strrchr(robot->file->path, '/');
    bool absolute = path[0] == '/';
    if (slash && !absolute)
        text_add_str(&opened, (Str){robot->file->path, (size_t)(slash - robot->file->path) + 1});
    text_addf(&opened, "%s%s", absolute ? "" : inside, path);
    text_addf(&drawn, "%s%s%s", absolute ? "" : robot->file->folder, absolute ? "" : inside, path);
    bool there = !strpbrk(drawn.at, "\"\n") && robot->file->exists(opened.at);
    if (there)
        *file = arena_copy_text(robot->arena, drawn.at, drawn.length);
    text_clear(&opened);
    text_clear(&drawn);
    return there;
}

// package://NAME/PATH is in the nearest folder above that has it, with or without NAME.
static bool find_in_package(Robot *robot, const char *written, const char **file)
{
    enum { MOST_FOLDERS = 8 };
    const char *behind = strchr(written, '/');
    Text inside = {0};
    bool found = false;
    text_add(&inside, "");
    for (int i = 0; i < MOST_FOLDERS && !found; i++, text_add(&inside, "../"))
        found = try_mesh(robot, inside.at, written, file) ||
                (behind && try_mesh(robot, inside.at, behind + 1, file));
    text_clear(&inside);
    return found;
}

bool robot_find_mesh(Robot *robot, const char *folder, const char *written, const char **file)
{
    bool package = strncmp(written, "package://", 10) == 0;
    if (strncmp(written, "file://", 7) == 0)
        written += 7;
    if (!can_be_drawn(written))
        return false;
    return package ? find_in_package(robot, written + 10, file)
                   : try_mesh(robot, folder, written, file);
}

// ---- Masses.

bool robot_check_masses(Robot *robot)
{
    size_t count = robot->bodies.count;
    bool *heavy = base_alloc(count + 1), good = true;
    for (size_t i = count; i-- > 0;) {
        const RobotBody *body = &robot->bodies.at[i];
        heavy[i] = heavy[i] || body->mass > 0 || body->inertia.at[0] > 0 ||
                   body->inertia.at[1] > 0 || body->inertia.at[2] > 0;
        if (heavy[i] && body->parent != ROBOT_WORLD)
            heavy[body->parent] = true;
        if (!heavy[i] && body->joint_count > 0 && good)
            good = robot_fail(robot, body->element,
                              "the %s '%s' has no inertia and no fixed joint; give it a mass",
                              robot->file->format == ROBOT_URDF ? "link" : "body",
                              body->given ? body->given : "without a name");
    }
    base_free(heavy);
    return good;
}
