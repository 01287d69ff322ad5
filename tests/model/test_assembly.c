// Joints against frames and conditions, springs against energies: two texts of one model.
#include "same_model.h"

#define HEAD "param m = 2, l = 3, k = 5, c = 7\ncoord x, y, z, p\npoint P = [x, 0, z]\n"

static void springs_are_energies(void **state)
{
    (void)state;
    assert_same_models(HEAD "spring s: between origin and P stiffness k rest l damping c\n"
                            "spring along y stiffness m rest t\n"
                            "spring between [l, y, 0] and P stiffness 4\n"
                            "damper d: between [0, l, 0] and P damping x^2\n"
                            "damper along p damping 3\n"
                            "output u = spring.s\n",
                       HEAD "let d = norm(P - origin)\nlet e = norm(P - origin - [0, l, 0])\n"
                            "potential k*(d - l)^2/2; dissipation c*d'^2/2\n"
                            "potential m*(y - t)^2/2\n"
                            "potential 4*((l - x)^2 + y^2 + z^2)/2\n"
                            "dissipation x^2*e'^2/2\n"
                            "dissipation 3*p'^2/2\n"
                            "output u = k*(d - l) + c*d'\n");
}

static void bushings_are_energies(void **state)
{
    (void)state;
    assert_same_models(HEAD "frame F = world rotate y about z\nframe G = F rotate p about x\n"
                            "body A frame F mass 1 at P\nbody B frame G mass 1 at origin\n"
                            "bushing between A and B at P and [l, y, z] stiffness [1, k, 3]"
                            " damping c torsion [2, 0, m]\n",
                       HEAD "frame F = world rotate y about z\nframe G = F rotate p about x\n"
                            "body A frame F mass 1 at P\nbody B frame G mass 1 at origin\n"
                            "let r = [l, y, z] - (P - origin)\n"
                            "let s = (cross(F.x, G.x) + cross(F.y, G.y) + cross(F.z, G.z))/2\n"
                            "potential dot(r, F.x)^2/2 + k*dot(r, F.y)^2/2 + 3*dot(r, F.z)^2/2\n"
                            "dissipation c*dot(r, F.x)'^2/2 + c*dot(r, F.y)'^2/2\n"
                            "dissipation c*dot(r, F.z)'^2/2\n"
                            "potential 2*dot(s, F.x)^2/2 + m*dot(s, F.z)^2/2\n");
}

// Two bodies, the second on the first by each kind of joint.
#define PARAMS "param m = 2, l = 3, I = 5\n"
#define FIRST  "body A center [l, 0, 1] mass m inertia [I, 1, 2]\n"
#define SECOND "body B center [0, l, 0] mass 3 inertia [1, 1, I, 0, 1/2, 0]\n"
#define FRAMES(TURN, MOVE)                                                                         \
    "frame F = world rotate j_angle about y\npoint O = [l, 0, 0]\n"                                \
    "body A frame F mass m at O + [l, 0, 1] in F inertia [I, 1, 2]\n"                              \
    "point P = O + l*F.z\nframe G = F" TURN "\npoint Q = P" MOVE " - [1, 0, l] in G\n"             \
    "body B frame G mass 3 at Q + [0, l, 0] in G inertia [1, 1, I, 0, 1/2, 0]\n"

static const struct {
    const char *joint, *coords, *frames;
} kinds[] = {
    {"fixed", "", FRAMES("", "")},
    {"hinge axis [1, 0, l]", "coord b_angle\n", FRAMES(" rotate b_angle about [1, 0, l]", "")},
    {"slider axis x", "coord b_distance\n", FRAMES("", " + b_distance*F.x")},
    {"cylinder axis z", "coord b_angle, b_distance\n",
     FRAMES(" rotate b_angle about z", " + b_distance*F.z")},
    {"universal axis x and [0, 1, 1]", "coord b_angle1, b_angle2\n",
     FRAMES(" rotate b_angle1 about x rotate b_angle2 about [0, 1, 1]", "")},
    {"planar axis y", "coord b_distance1, b_distance2, b_angle\n",
     FRAMES(" rotate b_angle about y", " + b_distance1*F.z + b_distance2*F.x")},
};

static void joints_are_frames(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Text joints = {0}, frames = {0};
        size_t word = strcspn(kinds[i].joint, " ");
        text_addf(&joints,
                  PARAMS FIRST SECOND
                  "joint j: hinge between world and A at [l, 0, 0] axis y\n"
                  "joint b: %.*s between A and B at A.origin + l*A.frame.z and [1, 0, l] %s\n"
                  "output u = B.center\noutput v = velocity(B.origin)\noutput w = omega(B)\n",
                  (int)word, kinds[i].joint, kinds[i].joint + word);
        text_addf(&frames,
                  PARAMS "coord j_angle\n%s%soutput u = Q + [0, l, 0] in G\noutput v = "
                         "velocity(Q)\noutput w = omega(G)\n",
                  kinds[i].coords, kinds[i].frames);
        assert_same_models(joints.at, frames.at);
        text_clear(&joints);
        text_clear(&frames);
    }
}

static void quaternions_are_frames(void **state)
{
    (void)state;
    assert_same_models(PARAMS SECOND
                       "coord e[0..3]\n"
                       "joint b: ball between world and B at [1, 2, l] by e[0], e[1], e[2], e[3]\n",
                       PARAMS "coord e[0..3]\nframe b = world quaternion (e[0], e[1], e[2], e[3])\n"
                              "body B frame b mass 3 at [1, 2, l] + [0, l, 0] in b"
                              " inertia [1, 1, I, 0, 1/2, 0]\n");
    assert_same_models(PARAMS SECOND "joint b: free between world and B\n", PARAMS
                       "coord b_distance1, b_distance2, b_distance3, b_e0, b_e1, b_e2, b_e3\n"
                       "frame b = world quaternion (b_e0, b_e1, b_e2, b_e3)\n"
                       "body B frame b mass 3 at [b_distance1, b_distance2, b_distance3]\n"
                       " + [0, l, 0] in b inertia [1, 1, I, 0, 1/2, 0]\n");
}

#define PLACED                                                                                     \
    "param l = 3\ncoord x, y, a, b\nframe F = world rotate a about z rotate x about x\n"           \
    "frame G = world rotate b about y\nbody A frame F mass 1 at [x, y, 0]\n"                       \
    "body B frame G mass 1 at [0, x, y]\npoint P = [x, y, 0] + F.x\npoint Q = [0, x, y] + l*G.z\n"
#define MEET     "constraint j: P = Q\n"
#define PARALLEL "constraint j_axis1: dot(F.z, G.y) = 0\nconstraint j_axis2: dot(F.x, G.y) = 0\n"
#define ACROSS                                                                                     \
    "constraint j_across1: dot(F.z, P - Q) = 0\nconstraint j_across2: dot(F.x, P - Q) = 0\n"
#define TURNED                                                                                     \
    "constraint j_turn1: dot(F.x, G.y) = 0\nconstraint j_turn2: dot(F.y, G.z) = 0\n"               \
    "constraint j_turn3: dot(F.z, G.x) = 0\n"

static void closing_joints_are_conditions(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"ball between A and B at P and Q", MEET},
        {"hinge between A and B at P and Q axis y", MEET PARALLEL},
        {"hinge between A and B at P and Q axis [0, 2, 0] and y", MEET PARALLEL},
        {"universal between A and B at P and Q axis x and z",
         MEET "constraint j_axis1: dot(F.x, G.z) = 0\n"},
        {"fixed between A and B at P and Q", MEET TURNED},
        {"slider between A and B at P and Q axis y", ACROSS TURNED},
        {"cylinder between A and B at P and Q axis y", ACROSS PARALLEL},
        {"planar between A and B at P and Q axis y",
         "constraint j_along: dot(F.y, P - Q) = 0\n" PARALLEL},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        Text one = {0}, other = {0};
        text_addf(&one, PLACED "joint j: %s\n", pairs[i][0]);
        text_addf(&other, PLACED "%s", pairs[i][1]);
        assert_same_models(one.at, other.at);
        text_clear(&one);
        text_clear(&other);
    }
}

static void joints_stand_in_parts(void **state)
{
    (void)state;
    Reading reading = read_good("part link(A, P) { body B center [1, 0, 0] mass 1\n"
                                "  joint j: hinge between A and B at P axis y\n"
                                "  point E = B.origin + 2*B.frame.x\n"
                                "  spring s: between P and E stiffness 2; output f = spring.s }\n"
                                "part one = link(world, origin)\n"
                                "part two = link(one.B, one.E)\n"
                                "initial two.j.angle = 0.1\noutput u = spring.two.s\n");
    assert_string_equal(reading.model->coords.at[1].name, "two.j.angle");
    assert_int_equal(reading.model->starts.at[0].target, 1);
    assert_means(&reading, output_of(&reading, "u"), "4");
    finish(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_are_energies),
        cmocka_unit_test(bushings_are_energies),
        cmocka_unit_test(joints_are_frames),
        cmocka_unit_test(quaternions_are_frames),
        cmocka_unit_test(closing_joints_are_conditions),
        cmocka_unit_test(joints_stand_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
