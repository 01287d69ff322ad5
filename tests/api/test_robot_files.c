// Models that read a robot's file beside twins that say the same with frames, energies and
// conditions: the same rows.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "folder.h"
#include "zwang.h"

typedef struct {
    const char *name, *file, *robot, *model, *twin;
    size_t outputs; // u1, u2, … of both
} Twins;

static const Twins twins[] = {
    // Two links in a plane that the first joint's turned origin makes; the second link's tensor is
    // given along turned axes.
    {"double pendulum", "arm.urdf",
     "<robot name='arm'>"
     "<link name='base'/>"
     "<link name='upper'><inertial><origin xyz='0 0 -0.4'/><mass value='2'/>"
     "<inertia ixx='0.3' iyy='0.02' izz='0.3' ixy='0' ixz='0' iyz='0'/></inertial></link>"
     "<link name='lower'><inertial><origin xyz='0 0 -0.3' rpy='0 0 1.5707963267948966'/>"
     "<mass value='1.5'/><inertia ixx='0.05' iyy='0.1' izz='0.2' ixy='0' ixz='0' iyz='0'/>"
     "</inertial></link>"
     "<joint name='shoulder' type='continuous'><parent link='base'/><child link='upper'/>"
     "<origin xyz='0 0 1' rpy='0 0 1.5707963267948966'/><axis xyz='0 1 0'/>"
     "<dynamics damping='0.3'/></joint>"
     "<joint name='elbow' type='revolute'><parent link='upper'/><child link='lower'/>"
     "<origin xyz='0 0 -0.8'/><axis xyz='0 -2 0'/><limit lower='-0.4' upper='3' effort='1' "
     "velocity='1'/></joint></robot>",
     "system arm \"a\"\nread urdf \"arm.urdf\"\ngravity [0, 0, -9.81]\n"
     "initial arm.shoulder.angle = 0.7, arm.elbow.angle = 0.5\n"
     "output u1 = arm.shoulder.angle, u2 = arm.elbow.angle\nrun to 2 every 0.1\n",
     "system twin \"b\"\ncoord a, b\nlet c = a - b\n"
     "point G = [0.4*sin(a), 0, 0.4*cos(a)], E = [0.8*sin(a), 0, 0.8*cos(a)]\n"
     "point H = E + 0.3*[sin(c), 0, cos(c)]\n"
     "mass 2 at G; mass 1.5 at H\n"
     "kinetic 0.02*a'^2/2 + 0.05*c'^2/2\n"
     "gravity [0, 0, 9.81]\ndissipation 0.3*a'^2/2\n"
     "constraint lower: b >= -0.4; constraint upper: b <= 3\n"
     "initial a = 0.7, b = 0.5\noutput u1 = a, u2 = b\nrun to 2 every 0.1\n",
     2},
    // Fingers of which one follows the other, on a hand that slides.
    {"gripper", "hand.urdf",
     "<robot name='hand'><link name='rail'/><link name='palm'><inertial><mass "
     "value='1'/></inertial>"
     "</link><link name='left'><inertial><mass value='0.2'/></inertial></link>"
     "<link name='right'><inertial><mass value='0.3'/></inertial></link>"
     "<joint name='lift' type='prismatic'><parent link='rail'/><child link='palm'/>"
     "<axis xyz='0 0 1'/><limit lower='-9' upper='9'/></joint>"
     "<joint name='l' type='prismatic'><parent link='palm'/><child link='left'/>"
     "<axis xyz='0 3 4'/><limit lower='-9' upper='9'/></joint>"
     "<joint name='r' type='prismatic'><parent link='palm'/><child link='right'/>"
     "<axis xyz='0 -1 0'/><limit lower='-9' upper='9'/><mimic joint='l' multiplier='0.5' "
     "offset='0.1'/></joint></robot>",
     "system hand \"a\"\nread urdf \"hand.urdf\" as g\ngravity [0, 0, -9.81]\n"
     "force 3 along g.lift.distance\nforce 1.5 along g.l.distance\n"
     "initial g.l.distance = 0.2\n"
     "output u1 = g.lift.distance, u2 = g.l.distance, u3 = g.r.distance\nrun to 0.5 every 0.1\n",
     "system twin \"b\"\ncoord z, y\n"
     "mass 1 at [0, 0, z]; mass 0.2 at [0, 0.6*y, z + 0.8*y]; mass 0.3 at [0, -0.5*y - 0.1, z]\n"
     "gravity [0, 0, -9.81]\nforce 3 along z; force 1.5 along y\n"
     "initial y = 0.2\noutput u1 = z, u2 = y, u3 = 0.5*y + 0.1\nrun to 0.5 every 0.1\n",
     3},
    // In a model with units what is read has its dimensions, and moves as in one without.
    {"units", "slide.xml",
     "<mujoco model='slide'><compiler inertiafromgeom='false'/><worldbody>"
     "<body name='cart'><joint name='x' type='slide' axis='1 0 0' stiffness='3' springref='0.1' "
     "damping='0.4' armature='0.2' range='-2 2' limited='true'/>"
     "<inertial mass='1' pos='0 0 0' diaginertia='0.1 0.1 0.1'/>"
     "<body name='pole'><joint name='q' axis='0 1 0' stiffness='2' damping='0.1' armature='0.3' "
     "frictionloss='0.01'/><inertial mass='0.5' pos='0 0 0.5' diaginertia='0.1 0.1 0.1'/></body>"
     "<body name='side'><joint name='y' type='slide' axis='0 1 0'/>"
     "<inertial mass='0.3' pos='0 0 0' diaginertia='0.1 0.1 0.1'/></body></body></worldbody>"
     "<equality><joint joint1='y' joint2='q' polycoef='0 0.2 0.1 0 0'/></equality>"
     "<actuator><position joint='x' kp='5' gear='2' ctrlrange='-1 1'/>"
     "<velocity joint='x' kv='0.5'/><motor joint='q' gear='3'/></actuator></mujoco>",
     "system s\nparam g = 9.81 m/s^2\nread mjcf \"slide.xml\" as r\ngravity [0, 0, -g]\n"
     "input tau in N*m = 0.2 N*m\nforce tau along r.q.angle\n"
     "initial r.q.angle = 0.3, r.x.distance = 5 cm\n"
     "output u1 in mm = r.x.distance, u2 in deg = r.q.angle, u3 = r.x.damping*r.x.distance'\n"
     "run to 1 s every 100 ms\n",
     "system s\nread mjcf \"slide.xml\" as r\ngravity [0, 0, -9.81]\nforce 0.2 along r.q.angle\n"
     "initial r.q.angle = 0.3, r.x.distance = 0.05\n"
     "output u1 = r.x.distance, u2 = r.q.angle, u3 = r.x.damping*r.x.distance'\n"
     "run to 1 every 0.1\n",
     3},
    {"units of a hand", "hand2.urdf",
     "<robot name='hand'><link name='rail'/><link name='palm'><inertial><mass value='1'/>"
     "</inertial></link><link name='left'><inertial><origin xyz='0.1 0 0'/><mass value='0.2'/>"
     "</inertial></link><link name='right'><inertial><mass value='0.3'/></inertial></link>"
     "<joint name='lift' type='prismatic'><parent link='rail'/><child link='palm'/>"
     "<axis xyz='0 0 1'/><limit lower='-9' upper='9'/><dynamics damping='2' "
     "friction='0.1'/></joint>"
     "<joint name='l' type='revolute'><parent link='palm'/><child link='left'/>"
     "<axis xyz='0 3 4'/><limit lower='-9' upper='9'/><dynamics damping='0.2'/></joint>"
     "<joint name='r' type='prismatic'><parent link='palm'/><child link='right'/>"
     "<axis xyz='0 -1 0'/><limit lower='-9' upper='9'/><mimic joint='l' multiplier='0.5' "
     "offset='0.1'/></joint></robot>",
     "system hand\nparam g = 9.81 m/s^2\nread urdf \"hand2.urdf\" as g1\ngravity [0, 0, -g]\n"
     "initial g1.l.angle = 0.2\noutput u1 = g1.lift.distance, u2 = g1.l.angle\n"
     "run to 0.5 s every 0.1 s\n",
     "system hand\nread urdf \"hand2.urdf\" as g1\ngravity [0, 0, -9.81]\n"
     "initial g1.l.angle = 0.2\noutput u1 = g1.lift.distance, u2 = g1.l.angle\n"
     "run to 0.5 every 0.1\n",
     2},
    // A four-bar of MJCF, closed by `connect`, with classes, armature, a motor and a spring.
    {"four-bar", "bars.xml",
     "<mujoco model='bars'><compiler angle='degree' inertiafromgeom='false'/>"
     "<default><joint axis='0 1 0' armature='0.1'/></default><worldbody>"
     "<body name='crank' pos='0 0.3 0'><joint name='a'/>"
     "<inertial mass='1' pos='0 0 0.5' diaginertia='0.1 0.1 0.1'/>"
     "<body name='bar' pos='0 0.1 1'><joint name='b' armature='0' stiffness='2' springref='10'/>"
     "<inertial mass='2' pos='0.5 0 0' diaginertia='0.2 0.2 0.2'/></body></body>"
     "<body name='rocker' pos='1 -0.7 0'><joint name='c' armature='0' damping='0.2'/>"
     "<inertial mass='1.5' pos='0 0 0.5' diaginertia='0.1 0.1 0.1'/></body></worldbody>"
     "<equality><connect name='pin' body1='bar' body2='rocker' anchor='1 0 0'/></equality>"
     "<actuator><motor name='m' joint='a' gear='2'/></actuator></mujoco>",
     "system bars \"a\"\nread mjcf \"bars.xml\"\ngravity [0, 0, -9.81]\n"
     "initial bars.a.angle = 0.2\n"
     "output u1 = bars.a.angle, u2 = bars.b.angle, u3 = bars.c.angle\nrun to 1 every 0.1\n",
     "system twin \"b\"\ncoord a, b, c\nlet d = a + b\n"
     "mass 1 at 0.5*[sin(a), 0, cos(a)]\n"
     "mass 2 at [sin(a) + 0.5*cos(d), 0, cos(a) - 0.5*sin(d)]\n"
     "mass 1.5 at [1 + 0.5*sin(c), 0, 0.5*cos(c)]\n"
     "kinetic 0.1*a'^2/2 + 0.2*d'^2/2 + 0.1*c'^2/2 + 0.1*a'^2/2\n"
     "potential 2*(b - pi/18)^2/2\ndissipation 0.2*c'^2/2\ngravity [0, 0, -9.81]\n"
     "constraint x: sin(a) + cos(d) = 1 + sin(c)\nconstraint z: cos(a) - sin(d) = cos(c)\n"
     "initial a = 0.2\noutput u1 = a, u2 = b, u3 = c\nrun to 1 every 0.1\n",
     3},
    // A weight on a ball joint, and one that slides on two rails and turns, of one body.
    {"ball and chain of joints", "toy.xml",
     "<mujoco model='toy'><worldbody>"
     "<body name='bob' pos='0 0 2'><joint name='w' type='ball' damping='0.1'/>"
     "<inertial mass='1' pos='0 0 -1' diaginertia='0.1 0.1 0.1'/></body>"
     "<body name='cart' pos='3 0 0'><joint name='x' type='slide' axis='1 0 0'/>"
     "<joint name='z' type='slide' axis='0 0 2'/><joint name='p' axis='0 1 0' pos='0 0 0.5'/>"
     "<inertial mass='2' pos='0 0 1' diaginertia='0.1 0.3 0.1'/></body></worldbody></mujoco>",
     "system toy \"a\"\nread mjcf \"toy.xml\" as r\ngravity [1, 0, -9.81]\n"
     "initial r.w.e1' = 0.4, r.x.distance' = 1, r.p.angle = 0.3\n"
     "output u1 = r.bob.center.x, u2 = r.bob.center.y, u3 = r.cart.center.x, u4 = r.cart.center.z\n"
     "run to 1 every 0.1\n",
     "system twin \"b\"\ncoord e0, e1, e2, e3, x, z, p\n"
     "frame B = world quaternion (e0, e1, e2, e3)\n"
     "body bob frame B mass 1 at [0, 0, 2] - B.z inertia [0.1, 0.1, 0.1]\n"
     "dissipation 0.1*dot(omega(B), omega(B))/2\n"
     "point G = [3 + x + 0.5*sin(p), 0, z + 0.5 + 0.5*cos(p)]\n"
     "mass 2 at G; kinetic 0.3*p'^2/2\ngravity [1, 0, -9.81]\n"
     "initial e1' = 0.4, x' = 1, p = 0.3\n"
     "point H = [0, 0, 2] - B.z\n"
     "output u1 = H.x, u2 = H.y, u3 = G.x, u4 = G.z\nrun to 1 every 0.1\n",
     4},
};

static void write_file(const char *name, const char *text, char *path, size_t room)
{
    snprintf(path, room, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static zw_result *run(const char *what, const char *name, const char *text)
{
    char path[256];
    zw_model *model;
    zw_result *result = NULL;
    write_file(name, text, path, sizeof path);
    zw_status status = zw_model_open(path, NULL, &model);
    zw_run_options options = {.keep = true};
    if (status == ZW_DONE)
        status = zw_run(model, &options, &result);
    char *said = zw_messages(model, ZW_ERROR);
    if (status != ZW_DONE)
        fail_msg("%s: %s", what, said ? said : "");
    zw_free(said);
    zw_model_free(model);
    return result;
}

static void same_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
        const Twins *pair = &twins[i];
        char path[256];
        write_file(pair->file, pair->robot, path, sizeof path);
        zw_result *robot = run(pair->name, "robot.zw", pair->model);
        zw_result *twin = run(pair->name, "twin.zw", pair->twin);
        size_t rows = zw_result_run(robot)->rows;
        assert_int_equal(rows, zw_result_run(twin)->rows);
        for (size_t k = 1; k <= pair->outputs; k++) {
            char name[8];
            snprintf(name, sizeof name, "u%zu", k);
            const double *a = zw_result_column(robot, zw_result_find_column(robot, name));
            const double *b = zw_result_column(twin, zw_result_find_column(twin, name));
            assert_true(a && b);
            for (size_t row = 0; row < rows; row++)
                if (!(fabs(a[row] - b[row]) < 1e-8))
                    fail_msg("%s: %s in row %zu: %.12g, its twin %.12g", pair->name, name, row,
                             a[row], b[row]);
        }
        zw_result_free(robot);
        zw_result_free(twin);
    }
}

// Messages about the statement itself.
static void told_at_the_statement(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"system s \"s\"\nread urdf \"gone.urdf\"\n", "beside the model: No such file"},
        {"system s \"s\"\nread urdf \"wrong.urdf\" as arm\n",
         "wrong.urdf:2: there are two links 'a'"},
        {"system s \"s\"\nbody arm frame world\nread urdf \"arm.urdf\" as arm\n",
         ":3:25: error: 'arm' is already declared as a body, in line 2"},
        {"system s \"s\"\nread \"arm.urdf\"\n", "is read with its kind before it"},
        {"system s \"s\"\nread urdf arm.urdf\n", "a file's name in quotes"},
        {"system s \"s\"\nread urdf \"arm.urdf\" as\n", "a name is missing after 'as'"},
        {"system s \"s\"\nread urdf \"arm.urdf\" fre\n", "did you mean 'free'?"},
        {"system s \"s\"\nfor i in 1..2 { read urdf \"arm.urdf\" }\n", "stands outside of blocks"},
    };
    char path[256];
    write_file("wrong.urdf", "<robot><link name='a'/>\n<link name='a'/></robot>", path,
               sizeof path);
    write_file("arm.urdf", twins[0].robot, path, sizeof path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_model *model;
        write_file("model.zw", cases[i].text, path, sizeof path);
        assert_int_not_equal(zw_model_open(path, NULL, &model), ZW_DONE);
        char *said = zw_messages(model, ZW_ERROR);
        if (!strstr(said, cases[i].says))
            fail_msg("'%s' and not '%s'", said, cases[i].says);
        zw_free(said);
        zw_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_rows),
        cmocka_unit_test(told_at_the_statement),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
