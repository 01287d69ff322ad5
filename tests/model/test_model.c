// Models become the data that their lines mean.
#include "model/vectors.h"
#include "reading.h"

#include <math.h>

static Vec in_world(const Model *model, Vector v)
{
    return vector_in(model->vectors, v, (Frame){0});
}

static const char blade[] =
    "system blade \"The blade on ice (Hamel 229)\"\n"
    "param m = 1, s = 0.3, I = 0.2          # I is about the contact point\n"
    "coord x, y, theta\n"
    "kinetic m*(x'^2 + y'^2)/2 + m*s*theta'*(y'*cos(theta) - x'*sin(theta)) + I*theta'^2/2\n"
    "constraint edge: y'*cos(theta) - x'*sin(theta) = 0\n"
    "speed v = x'*cos(theta) + y'*sin(theta)\n"
    "speed w = theta'\n"
    "initial theta = 0.1, v = -1, w = 0.5\n"
    "run to 10 every 0.05 tolerance 1e-11\n";

static void the_blade_is_read(void **state)
{
    (void)state;
    Reading r = read_good(blade);
    const Model *model = r.model;
    assert_string_equal(model->name, "blade");
    assert_string_equal(model->title, "The blade on ice (Hamel 229)");
    assert_int_equal(model->params.count, 3);
    assert_int_equal(model->coords.count, 3);
    assert_string_equal(model->coords.at[2].name, "theta");
    assert_means(&r, model->coords.at[2].a, "theta''");
    assert_means(&r, model->kinetic,
                 "m*(x'^2 + y'^2)/2 + m*s*theta'*(y'*cos(theta) - "
                 "x'*sin(theta)) + I*theta'^2/2");
    assert_means(&r, model->potential, "0");
    assert_int_equal(model->constraints.count, 1);
    assert_string_equal(model->constraints.at[0].name, "edge");
    assert_int_equal(model->constraints.at[0].kind, CONSTRAINT_LINEAR);
    assert_means(&r, model->constraints.at[0].residual, "y'*cos(theta) - x'*sin(theta)");
    assert_means(&r, model->constraints.at[0].lambda, "lambda.edge");
    assert_means(&r, model->speeds.at[0].value, "x'*cos(theta) + y'*sin(theta)");
    assert_means(&r, model->speeds.at[1].rate, "w'");
    assert_int_equal(model->starts.count, 3);
    assert_int_equal(model->starts.at[0].of, START_COORD);
    assert_int_equal(model->starts.at[0].target, 2);
    assert_int_equal(model->starts.at[1].of, START_SPEED);
    assert_means(&r, model->starts.at[1].value, "-1");
    assert_means(&r, model->run.every, "1/20");
    double values[3];
    assert_int_equal(model_param_values(model, r.diag, values), STATUS_OK);
    assert_true(values[1] == 0.3);
    finish(&r);
}

static void points_masses_and_forces(void **state)
{
    (void)state;
    Reading r = read_good("param m = 2, L, g = 9.81\n"
                          "coord theta\n"
                          "point A = [1, 0, t]\n"
                          "point P = A + L*[sin(theta), 0, -cos(theta)]\n"
                          "mass m at P\n"
                          "mass 2*m at [L, theta, 0]\n"
                          "gravity [0, 0, -g]\n"
                          "force -3*velocity(P) at P\n"
                          "force -theta' along theta\n"
                          "potential theta^2; potential m*theta\n"
                          "kinetic theta'^2; kinetic theta'^2/2\n");
    const Model *model = r.model;
    assert_int_equal(model->points.count, 2);
    assert_means(&r, in_world(model, model->points.at[1].position).z, "t - L*cos(theta)");
    assert_int_equal(model->masses.count, 2);
    assert_means(&r, in_world(model, model->masses.at[0].position).x, "1 + L*sin(theta)");
    assert_means(&r, model->masses.at[1].mass, "2*m");
    assert_means(&r, in_world(model, model->masses.at[1].position).y, "theta");
    assert_means(&r, in_world(model, model->gravity).z, "-g");
    assert_means(&r, in_world(model, model->forces_at.at[0].force).x, "-3*L*theta'*cos(theta)");
    assert_means(&r, in_world(model, model->forces_at.at[0].force).z,
                 "-3*(1 + L*theta'*sin(theta))");
    assert_means(&r, model->forces_along.at[0].force, "-theta'");
    assert_means(&r, model->potential, "theta^2 + m*theta");
    assert_means(&r, model->kinetic, "3*theta'^2/2");
    double values[3];
    assert_int_equal(model_param_values(model, r.diag, values), STATUS_WRONG);
    assert_messages(
        &r, "m.zw:1:14: error: parameter 'L' has no value; give one in the model, or L=… as a "
            "setting\n"
            "    param m = 2, L, g = 9.81\n"
            "                 ^\n");
    finish(&r);
}

static void primes_are_total_derivatives(void **state)
{
    (void)state;
    Reading r = read_good("param a\n"
                          "coord x, y\n"
                          "kinetic x'^2 + y'^2\n"
                          "let c = x*sin(a*t)\n"
                          "let v = [x^2, t, a]\n"
                          "speed u = y*x'\n"
                          "output o1 = c'\n"
                          "output o2 = (x*y)''\n"
                          "output o3 = u'\n"
                          "output o4 = t' + a' + pi'\n"
                          "output o5 = v'\n"
                          "output o6 = acceleration([x, 0, y^2])\n"
                          "output o7 = u + 1\n");
    assert_means(&r, output_of(&r, "o1"), "x'*sin(a*t) + a*x*cos(a*t)");
    assert_means(&r, output_of(&r, "o2"), "x''*y + 2*x'*y' + x*y''");
    assert_means(&r, output_of(&r, "o3"), "x'*y' + x''*y");
    assert_means(&r, output_of(&r, "o4"), "1");
    assert_means(&r, output_of(&r, "o5.x"), "2*x*x'");
    assert_means(&r, output_of(&r, "o5.y"), "1");
    assert_means(&r, output_of(&r, "o5.z"), "0");
    assert_means(&r, output_of(&r, "o6.z"), "2*y'^2 + 2*y*y''");
    assert_means(&r, output_of(&r, "o7"), "x'*y + 1");
    finish(&r);
}

static void vectors_and_points(void **state)
{
    (void)state;
    Reading r = read_good("coord x, y\n"
                          "kinetic x'^2 + y'^2\n"
                          "point P = [x, 1, 0]; point Q = [y, 0, 2]\n"
                          "let d = P - Q\n"
                          "output a = dot(d, [1, 2, 3])\n"
                          "output b = cross([x, y, 0], world.z)\n"
                          "output c = norm([3, 4, 0])\n"
                          "output e = P + 2*d - [1, 1, 1]/2\n"
                          "output f = (P - origin).y + Q.z - d.x\n"
                          "output g = P + Q - P\n"
                          "output h = 0 + d\n"
                          "output i = [1, 2, 3] in world\n"
                          "output j = -d.y\n");
    assert_means(&r, output_of(&r, "a"), "x - y - 4");
    assert_means(&r, output_of(&r, "b.x"), "y");
    assert_means(&r, output_of(&r, "b.y"), "-x");
    assert_means(&r, output_of(&r, "c"), "5");
    assert_means(&r, output_of(&r, "e.x"), "3*x - 2*y - 1/2");
    assert_means(&r, output_of(&r, "f"), "3 - x + y");
    assert_means(&r, output_of(&r, "g.x"), "y");
    assert_means(&r, output_of(&r, "h.z"), "-2");
    assert_means(&r, output_of(&r, "i.z"), "3");
    assert_means(&r, output_of(&r, "j"), "-1");
    finish(&r);
}

static void constraints_have_names_and_kinds(void **state)
{
    (void)state;
    Reading r = read_good("param a = 1\n"
                          "coord x, y, z\n"
                          "kinetic x'^2 + y'^2 + z'^2\n"
                          "point P = [x, y, z]\n"
                          "constraint x^2 + y^2 = a^2\n"
                          "constraint roll: velocity(P) = [a, t*x', 0]\n"
                          "constraint x' = (x*y)'\n"
                          "constraint here: P = [t, 0, z]\n"
                          "output n = 2*lambda.c1 + lambda.roll.y\n");
    static const struct {
        const char *name, *residual;
        ConstraintKind kind;
    } rows[] = {{"c1", "x^2 + y^2 - a^2", CONSTRAINT_FINITE},
                {"roll.x", "x' - a", CONSTRAINT_LINEAR},
                {"roll.y", "y' - t*x'", CONSTRAINT_LINEAR},
                {"roll.z", "z'", CONSTRAINT_LINEAR},
                {"c2", "x' - x*y' - x'*y", CONSTRAINT_LINEAR},
                {"here.x", "x - t", CONSTRAINT_FINITE},
                {"here.y", "y", CONSTRAINT_FINITE},
                {"here.z", "0", CONSTRAINT_FINITE}};
    assert_int_equal(r.model->constraints.count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(r.model->constraints.at[i].name, rows[i].name);
        assert_int_equal(r.model->constraints.at[i].kind, rows[i].kind);
        assert_means(&r, r.model->constraints.at[i].residual, rows[i].residual);
    }
    assert_means(&r, output_of(&r, "n"), "2*lambda.c1 + lambda.roll.y");
    assert_string_equal(constraint_kind_name(CONSTRAINT_SECOND_CLASS), "second_class");
    finish(&r);
}

static void arrays_loops_and_sums(void **state)
{
    (void)state;
    Reading r = read_good("const N = 3\n"
                          "param m[N] = 1, k[2] = [7, N], h[0..1, 2]\n"
                          "coord q[N], x\n"
                          "point P[0] = origin\n"
                          "for i in 1..N {\n"
                          "  point P[i] = P[i-1] + [q[i], 0, i]\n"
                          "  mass m[i] at P[i]\n"
                          "}\n"
                          "kinetic sum(i in 1..N, j in i..N, q[i]'*q[j]')/2 + x'^2\n"
                          "potential sum(i in 1..N, k[mod(i, 2) + 1]*q[i]) + sum(i in 1..0, x)\n"
                          "for i in 1..2, j in 1..i { output o[i,j] = div(7, i) + j }\n"
                          "for i in 2..1 { output nothing = unknown }\n"
                          "constraint c[2]: q[2] = x\n"
                          "independent q\n"
                          "initial q = [1, 2, 3], q[2] = 5, q' = 0\n"
                          "output l = lambda.c[2]\n"
                          "output v = sum(i in 1..N, [i, 0, x])\n");
    const Model *model = r.model;
    assert_int_equal(model->params.count, 9);
    assert_string_equal(model->params.at[5].name, "h[0,1]");
    assert_string_equal(model->params.at[6].name, "h[0,2]");
    assert_means(&r, model->params.at[4].value, "3");
    assert_int_equal(model->masses.count, 3);
    assert_means(&r, model->masses.at[2].mass, "m[3]");
    assert_means(&r, in_world(model, model->masses.at[2].position).x, "q[1] + q[2] + q[3]");
    assert_means(&r, in_world(model, model->masses.at[2].position).z, "6");
    assert_means(&r, model->kinetic,
                 "(q[1]'^2 + q[2]'^2 + q[3]'^2 + q[1]'*q[2]' + q[1]'*q[3]' + q[2]'*q[3]')/2 + "
                 "x'^2");
    assert_means(&r, model->potential, "k[2]*q[1] + k[1]*q[2] + k[2]*q[3]");
    assert_means(&r, output_of(&r, "o[2,2]"), "5");
    assert_means(&r, output_of(&r, "v.x"), "6");
    assert_means(&r, output_of(&r, "v.z"), "3*x");
    assert_string_equal(model->constraints.at[0].name, "c[2]");
    assert_int_equal(model->independent.count, 3);
    assert_int_equal(model->starts.count, 6);
    assert_means(&r, model->starts.at[1].value, "5");
    finish(&r);
}

static void pairs_are_those_below_each_other(void **state)
{
    (void)state;
    Reading r = read_good("const N = 4\n"
                          "coord q[N]\n"
                          "potential sum(k in 1..2, i, j in pairs(1..N), 10^(i + j)*k*q[i]*q[j])\n"
                          "output none = sum(i, j in pairs(2..2), q[i]*q[j]) + 0*q[1]\n"
                          "for i, j in pairs(2..N) { constraint c[i,j]: q[j] - q[i] >= i*j }\n"
                          "for i, j in pairs(3..1) { constraint none[i,j]: q[j] >= q[i] }\n"
                          "for k in 1..2, i, j in pairs(k..3) { output o[k,i,j] = 100*k+10*i+j }\n"
                          "for i, j in pairs(1..3) { for k in 1..i { output p[i,j,k] = q[j] } }\n");
    const Model *model = r.model;
    assert_means(&r, model->potential,
                 "3000*q[1]*q[2] + 30000*q[1]*q[3] + 300000*q[1]*q[4] + 300000*q[2]*q[3] + "
                 "3000000*q[2]*q[4] + 30000000*q[3]*q[4]");
    assert_means(&r, output_of(&r, "none"), "0");
    assert_int_equal(model->constraints.count, 3);
    const char *names[] = {"c[2,3]", "c[2,4]", "c[3,4]"};
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(model->constraints.at[i].name, names[i]);
    assert_means(&r, model->constraints.at[1].residual, "q[4] - q[2] - 8");
    assert_int_equal(model->outputs.count, 1 + 3 + 1 + 4);
    assert_means(&r, output_of(&r, "o[2,2,3]"), "223");
    assert_means(&r, output_of(&r, "p[2,3,2]"), "q[3]");
    finish(&r);
}

static void pasted_equations_are_read(void **state)
{
    (void)state;
    Reading r = read_good("param μ = 2\n"
                          "coord θ, ω₁\n"
                          "kinetic μ·θ′^2/2 − ω1'^2\n"
                          "output a = θ″ + theta''\n");
    assert_string_equal(r.model->params.at[0].name, "mu");
    assert_string_equal(r.model->coords.at[1].name, "omega1");
    assert_means(&r, r.model->kinetic, "mu*theta'^2/2 - omega1'^2");
    assert_means(&r, output_of(&r, "a"), "2*theta''");
    finish(&r);
}

static void parameters_follow_each_other(void **state)
{
    (void)state;
    Reading r = read_good("param a = 2, b = a^2, c = b*a + pi, d = sqrt(b)\n"
                          "coord x\nkinetic x'^2\n");
    double values[4];
    assert_int_equal(model_param_values(r.model, r.diag, values), STATUS_OK);
    assert_true(values[1] == 4);
    assert_true(fabs(values[2] - 8 - 3.14159265358979323846) < 1e-14);
    assert_true(values[3] == 2);
    finish(&r);
    r = read_good("param a = 1, b = log(a - 2)\ncoord x\nkinetic x'^2\n");
    assert_int_equal(model_param_values(r.model, r.diag, values), STATUS_WRONG);
    assert_messages(&r, "m.zw:1:14: error: the value of parameter 'b' is not a real number\n"
                        "    param a = 1, b = log(a - 2)\n"
                        "                 ^\n");
    finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_blade_is_read),
        cmocka_unit_test(points_masses_and_forces),
        cmocka_unit_test(primes_are_total_derivatives),
        cmocka_unit_test(vectors_and_points),
        cmocka_unit_test(constraints_have_names_and_kinds),
        cmocka_unit_test(arrays_loops_and_sums),
        cmocka_unit_test(pairs_are_those_below_each_other),
        cmocka_unit_test(pasted_equations_are_read),
        cmocka_unit_test(parameters_follow_each_other),
    };
    return cmocka_run_group_tests_name("model/model", tests, NULL, NULL);
}
