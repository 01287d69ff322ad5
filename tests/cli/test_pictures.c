// test_pictures.c: what plots show: panels, critical values, the root locus, dots, PNG and PDF; and
// how documents are numbered.
#include "program.h"

#include <math.h>

#define HOOP    "'" ZWANG_SOURCE_DIR "/models/hoop.zw'"
#define BICYCLE "'" ZWANG_SOURCE_DIR "/models/bicycle.zw' --at \"phi=0,delta=0,chiR'=-v/rR\""
#define BALLS   "'" ZWANG_SOURCE_DIR "/models/two_balls.zw'"

static size_t count_of(const char *text, const char *piece)
{
    size_t count = 0;
    for (const char *at = strstr(text, piece); at; at = strstr(at + 1, piece))
        count++;
    return count;
}

static const char *picture(const char *words)
{
    assert_good(words);
    slurp("p.svg", outcome.out);
    return outcome.out;
}

// φ grows to 120, x and y to 10, ψ swings by 0.04: three panels. One where an axis was asked for.
static void test_panels(void **state)
{
    (void)state;
    assert_int_equal(count_of(picture("run " HOOP " --quiet --plot p.svg"), "class=\"frame\""), 3);
    assert_int_equal(
        count_of(picture("run " HOOP " --quiet --plot p.svg --plot-axis q"), "class=\"frame\""), 1);
    assert_int_equal(count_of(picture("run " HOOP " --quiet --plot x,y:p.svg"), "class=\"frame\""),
                     1);
}

// The values are those published (Meijaard and others 2007).
static void test_critical_values(void **state)
{
    (void)state;
    const char *svg = picture("stability " BICYCLE " --vary v=0:10:100 --plot p.svg");
    assert_int_equal(count_of(svg, "class=\"frame\""), 2);
    assert_int_equal(count_of(svg, "class=\"critical\""), 4);
    assert_int_equal(count_of(svg, "class=\"band\""), 2);
    assert_non_null(strstr(svg, ">v = 4.292<"));
    assert_non_null(strstr(svg, ">v = 6.024<"));
    assert_non_null(strstr(svg, ">Re λ<"));
    assert_non_null(strstr(svg, ">Im λ<"));
    svg = picture("stability " BICYCLE " --vary v=0:10:100 --root-locus --plot p.svg");
    assert_int_equal(count_of(svg, "class=\"frame\""), 1);
    assert_int_equal(count_of(svg, "<circle"), 3);
    assert_wrong("stability " BLADE " --root-locus", "the root locus is a picture");
}

// A system that its energies give has no place in space; it has one where it is said.
static void test_nothing_to_draw(void **state)
{
    (void)state;
    put_model("coord q\nkinetic q'^2/2\n");
    assert_good("run m.zw --quiet --picture p.svg");
    assert_non_null(strstr(outcome.err, "there is nothing to draw"));
    put_model("coord q\nkinetic q'^2/2\ndraw sphere at [q, 0, 0] radius 1\n");
    assert_good("run m.zw --quiet --picture p.svg");
    assert_string_equal(outcome.err, "");
}

static void test_dots_and_angles(void **state)
{
    (void)state;
    const char *svg = picture("run " BALLS " --quiet --plot \"a,a':p.svg\" --plot-points wall");
    assert_non_null(strstr(svg, "class=\"dot curve c0\""));
    // As many as the run tells of.
    size_t dots = count_of(svg, "h0");
    zwang("run " BALLS " --quiet --events -");
    assert_true(dots > 10 && dots <= count_of(outcome.out, "\"constraint\":\"wall\""));
    assert_good("run " BALLS " --plot a:p.svg --plot-points nothing");
    assert_non_null(strstr(outcome.err, "there was no event 'nothing'"));
    // 120 rad are 19 turns: a line for each.
    svg = picture("run " HOOP " --quiet --plot phi:p.svg --plot-wrap phi");
    const char *curve = strstr(svg, "class=\"curve c0\"");
    assert_non_null(curve);
    size_t lines = 0;
    for (const char *at = curve; *at != '>'; at++)
        lines += *at == 'M';
    assert_int_equal(lines, 20);
    assert_wrong("run " HOOP " --plot p.svg --plot-wrap fi", "fi");
}

static void test_png_and_pdf(void **state)
{
    (void)state;
    assert_wrong("run " BLADE " --plot p.gif", "ends in .svg, .png or .pdf");
    if (!is_found("rsvg-convert"))
        skip();
    assert_good("run " BLADE " --quiet --plot x,y:p.png --plot x,y:p.pdf");
    slurp("p.png", outcome.out);
    assert_memory_equal(outcome.out, "\x89PNG", 4);
    slurp("p.pdf", outcome.out);
    assert_memory_equal(outcome.out, "%PDF", 4);
}

// A weight at rest on a floor: m·g upwards at the contact, which is marked; none in the air.
static void test_reactions(void **state)
{
    (void)state;
    put_model("coord z\nmass 2 at [0, 0, z]\ngravity [0, 0, -9.81]\nconstraint floor: z >= 0\n"
              "param h = 0\ninitial z = h\n");
    const char *svg = picture("run m.zw --to 0.1 --quiet --picture p.svg");
    assert_non_null(strstr(svg, ">floor 19.62 (acts)<"));
    const char *ring = strstr(svg, "style=\"fill:none\" class=\"r1\"");
    const char *shaft = strstr(svg, "fill=\"none\" class=\"r1\"");
    assert_true(ring && shaft);
    double from[2], to[2], middle[2];
    while (*shaft != '<')
        shaft--;
    while (*ring != '<')
        ring--;
    assert_int_equal(
        sscanf(shaft, "<polyline points=\"%lf,%lf %lf,%lf", &from[0], &from[1], &to[0], &to[1]), 4);
    assert_int_equal(sscanf(ring, "<circle cx=\"%lf\" cy=\"%lf\"", &middle[0], &middle[1]), 2);
    assert_true(to[1] < from[1] - 20 && fabs(to[0] - from[0]) < 0.2);
    assert_true(fabs(middle[0] - from[0]) < 0.2 && fabs(middle[1] - from[1]) < 0.2);
    svg = picture("run m.zw --set h=1 --to 0.1 --quiet --picture p.svg");
    assert_null(strstr(svg, "class=\"r1\""));
    assert_null(strstr(svg, "acts"));
}

static void test_documents(void **state)
{
    (void)state;
    assert_good("derive " HOOP " --form appell,hamel --as latex");
    const char *tex = outcome.out;
    assert_int_equal(count_of(tex, "\\numberthis\\label{"), 6);
    assert_int_equal(count_of(tex, "\\ref{"), 4);
    assert_non_null(strstr(tex, "\\tableofcontents"));
    assert_non_null(strstr(tex, "lmodern"));
    assert_non_null(strstr(tex, "\\sin^{2} \\psi"));
    assert_null(strstr(tex, "\\sin\\left(\\psi \\right)"));
    assert_non_null(strstr(tex, "$m$ & $= "));
    // The picture is between the title and the contents.
    const char *drawn = strstr(tex, "\\zwdraw{q ");
    assert_true(drawn && drawn > strstr(tex, "\\section*{") && drawn < strstr(tex, "contents\n"));
    compile_document();
    // The bicycle's begins with its conditions and not with its quantities.
    assert_good("derive '" ZWANG_SOURCE_DIR "/models/bicycle.zw' --as latex");
    const char *conditions = strstr(outcome.out, "Conditions:");
    const char *quantities = strstr(outcome.out, "quantities stand for");
    assert_true(conditions && quantities && conditions < quantities);
    assert_non_null(strstr(outcome.out, "\\chi _{R}"));
    assert_non_null(strstr(outcome.out, "r_{F}"));
}

// Long conditions, roots and products: nothing is wider than the text.
static void test_long_documents(void **state)
{
    (void)state;
    static const char *const words[] = {"bicycle.zw'", "squeezer.zw' --form multipliers",
                                        "trailers.zw' --form canonical",
                                        "pendulum.zw' --form canonical"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char command[512];
        (void)snprintf(command, sizeof command, "derive '" ZWANG_SOURCE_DIR "/models/%s --as latex",
                       words[i]);
        assert_good(command);
        compile_document();
    }
}

// Friction: a cone in the colour of what it does, words that tell it, shaded times of plots and a
// curve of its own on paths.
static void test_friction(void **state)
{
    (void)state;
    static char text[MOST_OUTPUT];
    put_model("system m\ncoord s, n\nframe F = world rotate -0.3 about y\n"
              "point P = [s, 0, n] in F\nmass 1 at P\ngravity [0, 0, -9.81]\n"
              "constraint floor: n >= 0 friction 0.5 at P on P\ninitial s' = 2\n"
              "draw trace P\nrun to 0.5 every 0.01\n");
    assert_good(
        "run m.zw --quiet --out o.csv --picture 0.1,0.4:p.svg --plot s:s.svg --plot s,n:n.svg");
    slurp("p.svg", text);
    assert_non_null(strstr(text, "class=\"cone2\""));
    assert_non_null(strstr(text, "class=\"cone1\""));
    assert_non_null(strstr(text, ">floor 10.48 slips</text>"));
    assert_non_null(strstr(text, ">floor 9.81 sticks</text>"));
    assert_non_null(strstr(text, "class=\"slips\""));
    slurp("s.svg", text);
    assert_non_null(strstr(text, "class=\"band\""));
    slurp("n.svg", text);
    assert_non_null(strstr(text, ">sticks</text>"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_panels),          cmocka_unit_test(test_critical_values),
        cmocka_unit_test(test_dots_and_angles), cmocka_unit_test(test_png_and_pdf),
        cmocka_unit_test(test_documents),       cmocka_unit_test(test_long_documents),
        cmocka_unit_test(test_reactions),       cmocka_unit_test(test_nothing_to_draw),
        cmocka_unit_test(test_friction),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
