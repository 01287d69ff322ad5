// Parts against the same models written out, and what is wrong with them.
#include "same_model.h"

static void a_part_is_what_it_stands_for(void **state)
{
    (void)state;
    assert_same_models("param g = 9.81\n"
                       "part bob(P, l = 1, m = 2*l) {\n"
                       "  coord q; param c = 3; let s = sin(q)\n"
                       "  point B = P + l*[s, 0, -cos(q)]\n"
                       "  mass m at B; force -c*q' along q\n"
                       "  constraint end: B.z <= l; output r = lambda.end + g\n"
                       "  initial q = 0.1\n}\n"
                       "part a = bob(origin)\n"
                       "part b = bob(a.B, m = 5, l = 1/2)\n"
                       "potential a.q^2*b.q; initial b.q' = 3\n"
                       "constraint tie: a.q' = b.q'; output u = lambda.a.end + b.c\n",
                       "param g = 9.81\n"
                       "param a_l = 1\ncoord a_q\nparam a_c = 3\n"
                       "point a_B = [a_l*sin(a_q), 0, -a_l*cos(a_q)]\nmass 2*a_l at a_B\n"
                       "force -a_c*a_q' along a_q\nconstraint a_end: a_B.z <= a_l\n"
                       "output a_r = lambda.a_end + g\ninitial a_q = 0.1\n"
                       "param b_l = 1/2, b_m = 5\ncoord b_q\nparam b_c = 3\n"
                       "point b_B = a_B + b_l*[sin(b_q), 0, -cos(b_q)]\nmass b_m at b_B\n"
                       "force -b_c*b_q' along b_q\nconstraint b_end: b_B.z <= b_l\n"
                       "output b_r = lambda.b_end + g\ninitial b_q = 0.1\n"
                       "potential a_q^2*b_q; initial b_q' = 3\n"
                       "constraint tie: a_q' = b_q'; output u = lambda.a_end + b_c\n");
}

static const char link_and_two[] =
    "const N = 2\n"
    "part link(F, P, n) {\n"
    "  coord q[n]\n"
    "  frame G = F rotate q[1] about y\n"
    "  point E = P + [q[n], 0, 1] in G\n"
    "  for i in 1..n { mass i at E; constraint c[i]: q[i]' = i*q[1]*q[n]' }\n}\n"
    "part two(F, n) {\n"
    "  part first = link(F, origin, n)\n"
    "  part second = link(first.G, first.E, n)\n"
    "  output tip = second.E.z + lambda.second.c[1]\n}\n";

static void parts_stand_in_parts(void **state)
{
    (void)state;
    Text text = {0};
    text_addf(&text, "%spart x = two(world, N)\ninitial x.second.q = [1, 2], x.first.q[2] = 3\n",
              link_and_two);
    assert_same_models(
        text.at, "const N = 2\ncoord x_first_q[2]\n"
                 "frame G = world rotate x_first_q[1] about y\n"
                 "point E = [x_first_q[2], 0, 1] in G\n"
                 "for i in 1..N { mass i at E\n"
                 "constraint x_first_c[i]: x_first_q[i]' = i*x_first_q[1]*x_first_q[2]' }\n"
                 "coord x_second_q[2]\n"
                 "frame H = G rotate x_second_q[1] about y\n"
                 "point D = E + [x_second_q[2], 0, 1] in H\n"
                 "for i in 1..N { mass i at D\n"
                 "constraint x_second_c[i]: x_second_q[i]' = i*x_second_q[1]*x_second_q[2]' }\n"
                 "output x_tip = D.z + lambda.x_second_c[1]\n"
                 "initial x_second_q = [1, 2], x_first_q[2] = 3\n");
    text_clear(&text);
}

static void parts_are_made_in_loops(void **state)
{
    (void)state;
    Text text = {0};
    text_addf(
        &text,
        "%sfor k in 1..3 { part arm[k] = two(world, N) }\n"
        "initial arm[2].second.q[2] = 5\noutput u = arm[3].first.q[2] + arm[1].second.q[1]'\n",
        link_and_two);
    Reading reading = read_good(text.at);
    assert_int_equal(reading.model->coords.count, 12);
    assert_string_equal(reading.model->coords.at[7].name, "arm[2].second.q[2]");
    assert_int_equal(reading.model->starts.at[0].target, 7);
    assert_means(&reading, output_of(&reading, "u"), "arm[3].first.q[2] + arm[1].second.q[1]'");
    assert_means(&reading, reading.model->constraints.at[11].residual,
                 "arm[3].second.q[2]' - 2*arm[3].second.q[1]*arm[3].second.q[2]'");
    finish(&reading);
    text_clear(&text);
}

static void settings_reach_into_parts(void **state)
{
    (void)state;
    const char *text = "part box(w = 2, P) { const n = 2; coord q[n]; param k = w\n"
                       "  for i in 1..n { mass k at P + [q[i], 0, 0] } }\n"
                       "part a = box(P = origin)\nfor i in 1..2 { part b[i] = box(i/3, origin) }\n";
    const char *const settings[] = {"a.n=3,a.w=7", "b[2].n=1", "a.q[3]'=4,b[1].q=9", NULL};
    Reading reading = read_good_with(text, settings);
    const Model *model = reading.model;
    assert_int_equal(model->coords.count, 3 + 2 + 1);
    assert_int_equal(model->masses.count, 6);
    assert_string_equal(model->params.at[0].name, "a.w");
    assert_means(&reading, model->params.at[0].value, "7");
    assert_means(&reading, model->params.at[2].value, "1/3"); // i/3 was put in its place
    assert_int_equal(model->starts.count, 3);
    finish(&reading);
}

// A line that begins with such a word goes on; `by` is a name, and a word behind an expression.
static void test_lines_that_go_on(void **state)
{
    (void)state;
    assert_same_models(
        "coord x, by\nmass 2\n  at [x, by, 0]\nforce 3*by # a comment\n\n  along x\n"
        "servo s: x = by by x\nframe F = world rotate by\n about z\nimpulse 1\n"
        "along by\nwhen t = 1\nrun\nto 4\n",
        "coord x, by\nmass 2 at [x, by, 0]\nforce 3*by along x\nservo s: x = by by x\n"
        "frame F = world rotate by about z\nimpulse 1 along by when t = 1\nrun to 4\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_that_go_on),     cmocka_unit_test(a_part_is_what_it_stands_for),
        cmocka_unit_test(parts_stand_in_parts),      cmocka_unit_test(parts_are_made_in_loops),
        cmocka_unit_test(settings_reach_into_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
