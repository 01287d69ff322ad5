// robot_names.c: names that the language can have: a letter first, then letters, digits and '_', no
// reserved word, and each of them once.
#include "robots/robot_impl.h"

#include <string.h>

static const char *const reserved[] = {"t",  "pi", "world", "origin", "in",  "at",
                                       "on", "to", "about", "along",  "when"};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// One '_' for each sign that a name cannot have.
static void spell(const char *given, Text *out)
{
    if (!is_letter(given[0]))
        text_add(out, "n");
    for (const char *at = given; *at; at++) {
        bool inner = ((unsigned char)*at & 0xC0) == 0x80;
        bool known = is_letter(*at) || (*at >= '0' && *at <= '9');
        if (!inner)
            text_add_char(out, known ? *at : '_');
    }
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(out->at, reserved[i]) == 0) {
            text_add_char(out, '_');
            return;
        }
}

const char *robot_new_name(Robot *robot, const char *wanted)
{
    Text base = {0}, name = {0};
    spell(wanted, &base);
    text_add(&name, base.at);
    for (uint32_t i = 2; !name_map_put(robot->taken, (Str){name.at, name.length}, 1); i++) {
        name.length = 0;
        text_addf(&name, "%s_%u", base.at, i);
    }
    const char *chosen = arena_copy_text(robot->arena, name.at, name.length);
    text_clear(&base);
    text_clear(&name);
    return chosen;
}

// What the file calls it, or a word for what it is. Where the name is more than spelled otherwise,
// the note says so.
static const char *choose(Robot *robot, const char *given, const char *word)
{
    Text spelled = {0};
    const char *name = robot_new_name(robot, given && *given ? given : word);
    if (given && *given) {
        spell(given, &spelled);
        if (strcmp(spelled.at, name) != 0)
            text_addf(&robot->renamed, "%s'%s' is %s", robot->renamed.length ? ", " : "", given,
                      name);
    }
    text_clear(&spelled);
    return name;
}

void robot_choose_names(Robot *robot)
{
    Text own = {0};
    if (robot->file->name.length)
        text_add_str(&own, robot->file->name);
    else
        spell(robot->name && *robot->name ? robot->name : "robot", &own);
    robot->name = arena_copy_text(robot->arena, own.at, own.length);
    text_clear(&own);
    for (size_t i = 0; i < robot->joints.count; i++)
        robot->joints.at[i].name = choose(robot, robot->joints.at[i].given, "joint");
    for (size_t i = 0; i < robot->bodies.count; i++)
        robot->bodies.at[i].name = choose(robot, robot->bodies.at[i].given, "body");
    for (size_t i = 0; i < robot->actuators.count; i++)
        robot->actuators.at[i].name = choose(robot, robot->actuators.at[i].given, "motor");
    for (size_t i = 0; i < robot->closings.count; i++)
        robot->closings.at[i].name = choose(robot, robot->closings.at[i].given, "loop");
}
