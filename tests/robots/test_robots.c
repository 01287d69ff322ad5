// Robots' files: what is wrong with them is said with its line, names and notes are as promised,
// and no file, however broken, does more than give a message.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "robots/robots.h"
#include "test_size.h"
#include "text/text.h"

static bool exists(const char *path)
{
    return strstr(path, "there") != NULL;
}

typedef struct {
    bool good;
    Text name, templates, note;
} Written;

static Written answer(RobotFormat format, const char *text, size_t length, bool free)
{
    Written a = {0};
    RobotFile file = {.format = format,
                      .path = format == ROBOT_URDF ? "robots/r.urdf" : "robots/r.xml",
                      .folder = "robots/",
                      .text = {text, length},
                      .free = free,
                      .exists = exists};
    a.good = robot_write(&file, &a.name, &a.templates, &a.note);
    return a;
}

static void clear(Written *a)
{
    text_clear(&a->name);
    text_clear(&a->templates);
    text_clear(&a->note);
}

#define LINK(name) "<link name='" name "'><inertial><mass value='1'/></inertial></link>\n"
#define JOINT(name, type, a, b, more)                                                              \
    "<joint name='" name "' type='" type "'><parent link='" a "'/><child link='" b "'/>" more      \
    "</joint>\n"

static const struct {
    RobotFormat format;
    const char *text, *says;
} wrong[] = {
    {ROBOT_URDF, "", "r.urdf:1: the file is empty"},
    {ROBOT_URDF, "hello", "r.urdf:1: this is no XML"},
    {ROBOT_URDF, "<robot>\n<link>\n</robot>", "r.urdf:3: this is no XML"},
    {ROBOT_URDF, "<mujoco/>", "write 'read mjcf'"},
    {ROBOT_MJCF, "<robot/>", "write 'read urdf'"},
    {ROBOT_URDF, "<robot/>", "r.urdf:1: there is no <link> in it"},
    {ROBOT_URDF, "<robot>\n<link/></robot>", "r.urdf:2: this <link> has no name"},
    {ROBOT_URDF, "<robot>" LINK("a") LINK("a") "</robot>", "r.urdf:2: there are two links 'a'"},
    {ROBOT_URDF, "<robot>" LINK("a") JOINT("j", "fixed", "a", "b", "") "</robot>",
     "r.urdf:2: there is no link 'b'"},
    {ROBOT_URDF, "<robot>" LINK("a") LINK("b") JOINT("j", "hinge", "a", "b", "") "</robot>",
     "r.urdf:3: the joint 'j' has the type 'hinge'; there are revolute,"},
    {ROBOT_URDF,
     "<robot>" LINK("a") LINK("b")
         JOINT("j2", "revolute", "a", "b", "<axis xyz='0 0 0'/>") "</robot>",
     "r.urdf:3: the joint 'j2' has an axis of length 0"},
    {ROBOT_URDF,
     "<robot>" LINK("a") LINK("b") JOINT("j", "revolute", "a", "b", "<axis xyz='0 1'/>") "</robot>",
     "r.urdf:3: xyz of <axis> has 2 numbers and needs 3"},
    {ROBOT_URDF,
     "<robot>" LINK("a") LINK("b")
         JOINT("j", "revolute", "a", "b", "<axis xyz='0 1 1e'/>") "</robot>",
     "'1e' in xyz of <axis> is no number"},
    {ROBOT_URDF,
     "<robot>" LINK("a") LINK("b")
         JOINT("j", "revolute", "a", "b", "<axis xyz='0 1 nan'/>") "</robot>",
     "'nan' in xyz of <axis> is no number"},
    {ROBOT_URDF,
     "<robot>" LINK("a") "<link name='wrist'/>" JOINT("j", "revolute", "a", "wrist", "") "</robot>",
     "r.urdf:2: the link 'wrist' has no inertia and no fixed joint; give it a mass"},
    {ROBOT_URDF,
     "<robot>" LINK("a") LINK("b") JOINT("i", "fixed", "a", "b", "")
         JOINT("j", "fixed", "b", "a", "") "</robot>",
     "hangs on itself: its joints make a ring"},
    {ROBOT_URDF,
     "<robot>" LINK("a") LINK("b") JOINT("i", "fixed", "a", "b", "")
         JOINT("j", "fixed", "a", "b", "") "</robot>",
     "r.urdf:4: the link 'b' is the child of two joints"},
    {ROBOT_URDF,
     "<robot>" LINK("a") LINK("b")
         JOINT("j", "revolute", "a", "b", "<mimic joint='j'/>") "</robot>",
     "the joint 'j' follows itself"},
    {ROBOT_URDF,
     "<robot>" LINK("a") LINK("b")
         JOINT("j", "revolute", "a", "b", "<mimic joint='x'/>") "</robot>",
     "the joint 'j' follows no joint with coordinates: 'x'"},
    {ROBOT_URDF,
     "<robot>" LINK("a") LINK("b")
         JOINT("j", "revolute", "a", "b", "<limit lower='2' upper='1'/>") "</robot>",
     "has a lower limit above its upper one"},
    {ROBOT_URDF, "<robot><link name='a'><inertial><mass value='-1'/></inertial></link></robot>",
     "the mass of the link 'a' is negative"},
    {ROBOT_URDF,
     "<!DOCTYPE robot [<!ENTITY a 'x'><!ENTITY b '&a;&a;&a;&a;'>]>\n<robot name='&b;'/>",
     "r.urdf:1: a document type ('<!DOCTYPE') is not read"},
    {ROBOT_URDF, "<!DOCTYPE robot SYSTEM 'http://localhost/x.dtd'>\n<robot/>", "is not read"},
    {ROBOT_URDF, "<robot xmlns:xacro='http://x'>\n<xacro:macro name='m'/></robot>",
     "r.urdf:2: this file has macros; write it out first"},
    {ROBOT_URDF, "<robot name='&bomb;'/>", "this is no XML"},
    {ROBOT_MJCF, "<mujoco><worldbody/></mujoco>", "there is no <body> in it"},
    {ROBOT_MJCF, "<mujoco>\n<tendon><fixed/></tendon></mujoco>",
     "r.xml:2: 'tendon' is not read: this robot would move otherwise; remove it or describe it "
     "here"},
    {ROBOT_MJCF, "<mujoco><option density='1.2'/><worldbody/></mujoco>", "'density' is not read"},
    {ROBOT_MJCF, "<mujoco><include file='a.xml'/></mujoco>", "'include' is not read"},
    {ROBOT_MJCF, "<mujoco><compiler settotalmass='3'/></mujoco>", "'settotalmass' is not read"},
    {ROBOT_MJCF, "<mujoco><worldbody><body><joint/></body></worldbody></mujoco>",
     "has no inertia and no fixed joint"},
    {ROBOT_MJCF, "<mujoco><worldbody><body><joint type='screw'/></body></worldbody></mujoco>",
     "and not 'screw'"},
    {ROBOT_MJCF, "<mujoco><worldbody><body><geom class='x' size='1'/></body></worldbody></mujoco>",
     "there is no class 'x'"},
    {ROBOT_MJCF, "<mujoco><worldbody><body><geom type='box' size='1'/></body></worldbody></mujoco>",
     "a geom of type box needs 3 sizes above 0"},
    {ROBOT_MJCF,
     "<mujoco><worldbody><body><geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
     "would come from a mesh, which is not read"},
    {ROBOT_MJCF,
     "<mujoco><worldbody><body name='a'><geom size='1'/></body></worldbody>\n<equality><connect "
     "body1='a' body2='b'/></equality></mujoco>",
     "r.xml:2: there is no body 'b'"},
    {ROBOT_MJCF,
     "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='1'/></body></worldbody>"
     "<actuator><muscle joint='j'/></actuator></mujoco>",
     "'muscle' is not read: this robot would move otherwise"},
};

static void wrong_files_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Written a = answer(wrong[i].format, wrong[i].text, strlen(wrong[i].text), false);
        if (a.good || !a.note.at || !strstr(a.note.at, wrong[i].says))
            fail_msg("%s: '%s' and not '%s'", wrong[i].text, a.note.at ? a.note.at : "",
                     wrong[i].says);
        clear(&a);
    }
}

static void elements_have_a_depth(void **state)
{
    (void)state;
    for (size_t depth = 150; depth <= 100000; depth *= 8) {
        Text text = {0};
        text_add(&text, "<robot>" LINK("a"));
        for (size_t i = 0; i < depth; i++)
            text_add(&text, "<x>");
        for (size_t i = 0; i < depth; i++)
            text_add(&text, "</x>");
        text_add(&text, "</robot>");
        Written a = answer(ROBOT_URDF, text.at, text.length, false);
        assert_int_equal(a.good, depth < 200);
        if (!a.good)
            assert_non_null(strstr(a.note.at, "nested too deep"));
        clear(&a);
        text_clear(&text);
    }
}

static void classes_have_a_size(void **state)
{
    (void)state;
    Text text = {0};
    text_add(&text, "<mujoco><default>");
    for (int i = 0; i < 2000; i++)
        text_add(&text, "<geom size='1'/>");
    text_add(&text, "</default><worldbody><body>");
    for (int i = 0; i < 2000; i++)
        text_add(&text, "<geom/>");
    text_add(&text, "</body></worldbody></mujoco>");
    Written a = answer(ROBOT_MJCF, text.at, text.length, false);
    assert_false(a.good);
    assert_non_null(strstr(a.note.at, "the classes give more than"));
    clear(&a);
    text_clear(&text);
}

static const char arm[] =
    "<robot name='my-arm 2'>" LINK("base link") LINK("t") LINK("j1") LINK("1st")
        JOINT("j1", "revolute", "base link", "t",
              "<axis xyz='0 0 1'/><limit lower='-1' upper='2' effort='3'/><dynamics damping='0.5' "
              "friction='0.25'/>")
            JOINT("j2", "prismatic", "t", "j1", "<mimic joint='j1' multiplier='2'/>")
                JOINT("fix", "fixed", "j1", "1st", "") "<gazebo/><transmission name='x'/></robot>";

static void has(const Written *a, const char *line)
{
    if (!strstr(a->templates.at, line))
        fail_msg("no '%s' in\n%s", line, a->templates.at);
}

static void names_and_notes(void **state)
{
    (void)state;
    Written a = answer(ROBOT_URDF, arm, strlen(arm), false);
    if (!a.good)
        fail_msg("%s", a.note.at);
    assert_string_equal(a.name.at, "my_arm_2");
    has(&a, "part my_arm_2__file() {\n");
    has(&a, "    body base_link center [0, 0, 0] mass 1\n");
    has(&a, "joint root: fixed between world and base_link at origin\n");
    has(&a, "joint j1: hinge between base_link and t_ at base_link.origin axis [0, 0, 1] by "
            "j1.angle\n");
    has(&a, "    constraint lower: angle >= lower\n");
    has(&a, "    friction friction: friction along angle\n");
    has(&a, "    damper damping: along angle damping damping\n");
    has(&a, "    constraint mimic: distance = multiplier*other + offset\n");
    has(&a, "    part j2 = my_arm_2__j2(j1.angle)\n");
    has(&a, "joint fix: fixed between j1_2 and n1st at j1_2.origin\n");
    assert_string_equal(a.note.at, "not read: limit effort, gazebo, transmission; called otherwise "
                                   "here: 'j1' is j1_2");
    clear(&a);
    a = answer(ROBOT_URDF, arm, strlen(arm), true);
    has(&a, "joint root: free between world and base_link at origin\n");
    clear(&a);
}

static void meshes_are_looked_for(void **state)
{
    (void)state;
    static const char *const files[] = {"package://here/there.stl", "there.obj", "gone.stl",
                                        "there.dae", "file:///there.stl"};
    static const char *const drawn[] = {"draw mesh \"robots/here/there.stl\"",
                                        "draw mesh \"robots/there.obj\"", NULL, NULL,
                                        "draw mesh \"/there.stl\""};
    for (size_t i = 0; i < 5; i++) {
        Text text = {0};
        text_addf(&text,
                  "<robot><link name='a'><inertial><mass value='1'/></inertial><visual><geometry>"
                  "<mesh filename='%s'/></geometry></visual></link></robot>",
                  files[i]);
        Written a = answer(ROBOT_URDF, text.at, text.length, true);
        assert_true(a.good);
        if (drawn[i])
            has(&a, drawn[i]);
        else
            assert_non_null(strstr(a.note.at, "not read: mesh "));
        clear(&a);
        text_clear(&text);
    }
}

static const char machine[] =
    "<mujoco model='m'><compiler angle='radian' eulerseq='zyx'/><default><geom "
    "density='5'/><default "
    "class='c'><joint damping='2'/></default></default><asset><mesh name='x' file='there.stl'/>"
    "</asset><worldbody><geom type='plane' size='1 1 1'/><body name='a' euler='0.1 0.2 0.3'>"
    "<freejoint name='f'/><geom type='capsule' size='0.1' fromto='0 0 0 1 1 1'/><body name='b' "
    "childclass='c'><joint name='h' axis='1 2 3' range='-1 1' ref='0.5' stiffness='3'/><joint "
    "name='s' type='slide'/><inertial mass='1' fullinertia='1 1 1 0 0 0'/><site name='p'/><body "
    "name='d'><joint name='w' type='ball'/><geom size='0.2' rgba='1 0 0 0.5'/></body></body></body>"
    "</worldbody><equality><connect body1='b' anchor='1 0 0'/><weld body1='a' body2='d'/><joint "
    "joint1='h' joint2='s' polycoef='0 2'/></equality><actuator><motor joint='h' "
    "gear='3'/><position "
    "joint='s' kp='5'/></actuator></mujoco>";

// What is written for a robot is the language, whatever the file holds.
static void assert_reads(const Written *a)
{
    Diag *diag = diag_new();
    Source *source = source_new("templates", a->templates.at, a->templates.length);
    syntax_free(syntax_read(source, diag));
    Text said = {0};
    diag_render(diag, DIAG_ERROR, &said);
    if (said.length)
        fail_msg("%s", said.at);
    text_clear(&said);
    source_free(source);
    diag_free(diag);
}

// Cut off, with bytes changed, doubled or left out: a message, or a robot.
static void broken_files_give_messages(void **state)
{
    (void)state;
    Random random = random_seed(23);
    size_t rounds = 3000 * test_size();
    for (size_t round = 0; round < rounds; round++) {
        bool urdf = random_below(&random, 2);
        const char *from = urdf ? arm : machine;
        Text text = {0};
        text_add(&text, from);
        for (size_t i = 1 + random_below(&random, 6); i-- > 0;) {
            size_t at = random_below(&random, text.length);
            static const char signs[] = "<>/='&\" 0129-.eabxyz\n\xff";
            switch (random_below(&random, 4)) {
            case 0: text.at[at] = signs[random_below(&random, sizeof signs - 1)]; break;
            case 1:
                memmove(text.at + at, text.at + at + 1, text.length - at);
                text.length--;
                break;
            case 2: text.at[at] = (char)('0' + random_below(&random, 10)); break;
            default: {
                size_t other = random_below(&random, text.length);
                char kept = text.at[at];
                text.at[at] = text.at[other];
                text.at[other] = kept;
            }
            }
        }
        size_t length = random_below(&random, 8) ? text.length : random_below(&random, text.length);
        Written a = answer(random_below(&random, 9) ? (urdf ? ROBOT_URDF : ROBOT_MJCF) : ROBOT_URDF,
                           text.at, length, random_below(&random, 2));
        assert_true(a.good || (a.note.at && strncmp(a.note.at, "r.", 2) == 0));
        if (a.good)
            assert_reads(&a);
        clear(&a);
        text_clear(&text);
    }
}

static void whole_machine(void **state)
{
    (void)state;
    Written a = answer(ROBOT_MJCF, machine, strlen(machine), false);
    if (!a.good)
        fail_msg("%s", a.note.at);
    has(&a, "    joint f: free between a_place and a at origin\n");
    has(&a, "    param stiffness in N*m = 3, rest = -0.5\n");
    has(&a, "    param lower = -1.5\n");
    has(&a, "    input motor\n    force 3*motor along h.angle\n");
    has(&a, "    constraint loop_3: h.angle = 0 + 2*s.distance^1\n");
    assert_non_null(strstr(a.note.at, "soft contacts and solver parameters are never read"));
    clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files_are_told),       cmocka_unit_test(elements_have_a_depth),
        cmocka_unit_test(classes_have_a_size),        cmocka_unit_test(names_and_notes),
        cmocka_unit_test(meshes_are_looked_for),      cmocka_unit_test(whole_machine),
        cmocka_unit_test(broken_files_give_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
