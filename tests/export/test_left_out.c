// What exported code cannot follow is refused by name, or left out where the smooth motion is asked
// for, and 'valid' tells how far that goes. Examples end with a message and an exit code where
// something is not finite.
#include "export_case.h"
#include "test_size.h"

#include <sys/wait.h>

// ---- Refusals.

static void assert_said(const char *text, const char *expected)
{
    Loaded loaded = load_good("m.zw", text);
    Diag *diag = diag_new();
    Text said = {0};
    text_add(&said, "");
    Status status = export_check(loaded.motion, diag);
    diag_render(diag, DIAG_NOTE, &said);
    assert_string_equal(said.at, expected);
    assert_int_equal(status, *expected ? STATUS_WRONG : STATUS_OK);
    text_clear(&said);
    diag_free(diag);
    unload(&loaded);
}

#define POINT "param a = 2\ncoord x, y\nmass 1 at [x, y, 0]\n"

static void what_code_cannot_follow_is_named(void **state)
{
    (void)state;
    assert_said(POINT "impulse 1 along x when t = 1\n",
                "m.zw:4:1: error: the model has an impulse, which this code cannot follow; the "
                "smooth motion leaves it out, and an FMU follows it\n"
                "    impulse 1 along x when t = 1\n"
                "    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~\n");
    assert_said(POINT "constraint low: y >= 0\nconstraint high: y <= 3\n",
                "m.zw:4:17: error: the model has one-sided conditions ('low', 'high'), which this "
                "code cannot follow; the smooth motion leaves them out, and an FMU follows them\n"
                "    constraint low: y >= 0\n"
                "                    ^~~~~~\n");
    assert_said(POINT "for i in 1..5 { constraint c[i]: y >= -i }\n",
                "m.zw:4:34: error: the model has one-sided conditions ('c[1]', 'c[2]', 'c[3]' and "
                "2 more), which this code cannot follow; the smooth motion leaves them out, and an "
                "FMU follows them\n"
                "    for i in 1..5 { constraint c[i]: y >= -i }\n"
                "                                     ^~~~~~~\n");
    assert_said(
        POINT "force -sign(x') along x\n",
        "m.zw:4:1: error: the model has a function that switches (sign(x')), which this "
        "code cannot follow; the smooth motion steps over the switches, and an FMU follows them\n"
        "    force -sign(x') along x\n"
        "    ^~~~~~~~~~~~~~~~~~~~~~~\n");
    assert_said(
        POINT "potential abs(x) + max(y, t)\n",
        "error: the model has functions that switch (abs(x), max(t, y)), which this code "
        "cannot follow; the smooth motion steps over the switches, and an FMU follows them\n");
    assert_said(
        POINT "speed u = x'*(2 + sign(y - 1))\n",
        "error: the model has a function that switches (sign(y - 1)), which this code "
        "cannot follow; the smooth motion steps over the switches, and an FMU follows them\n");
    assert_said(
        "coord x\nacceleration_energy x''^2/2 - x''*abs(x)\n",
        "error: the model has a function that switches (abs(x)), which this code "
        "cannot follow; the smooth motion steps over the switches, and an FMU follows them\n");
    // What never switches, what is in the start already, and what is only looked at.
    assert_said(POINT "force abs(a - 1)*x along x\nimpulse 1 along x when t = 0\n"
                      "output far = max(x, y)\n",
                "");
}

// ---- The smooth motion.

// Each turn starts the compilers and interpreters of all targets.
static int turns(void)
{
    return test_size() > 1 ? 3 : 1;
}

// How a command ends; what it prints goes to rows.csv and said.txt.
static int ends(const char *command)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s > %s/rows.csv 2> %s/said.txt", command, folder, folder);
    int status = system(whole);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void assert_holds(const char *file, const char *pattern, bool expected)
{
    char command[512];
    snprintf(command, sizeof command, "grep -q -e '%s' %s/%s", pattern, folder, file);
    if (is_there(command) != expected) {
        snprintf(command, sizeof command, "cat %s/%s", folder, file);
        print_message("'%s' %s in %s:\n", pattern, expected ? "is missing" : "stands", file);
        fflush(stdout);
        assert_int_equal(system(command), 0);
        fail();
    }
}

// The last row that was printed: t and the coordinates.
static void last_row(double *row, size_t count)
{
    char command[512];
    snprintf(command, sizeof command, "tail -1 %s/rows.csv", folder);
    FILE *rows = popen(command, "r");
    assert_non_null(rows);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(fscanf(rows, "%lf,", &row[i]), 1);
    pclose(rows);
}

// The program itself writes it, so that what acts at the start is held.
static void export_model(const char *text, const char *target, const char *file)
{
    char path[512];
    snprintf(path, sizeof path, "%s/m.zw", folder);
    FILE *model = fopen(path, "wb");
    assert_non_null(model);
    fputs(text, model);
    fclose(model);
    run_command("cd %s && " ZWANG_PROGRAM " export m.zw --smooth --to %s --out %s >told.txt 2>&1",
                folder, target, file);
}

// Ends of the example in C, and in Python where it can be run: both must say the same.
static void run_examples(const char *text, int code, const char *message)
{
    char command[512];
    if (is_found("/usr/bin/python3 -c 'import numpy'", "NumPy")) {
        export_model(text, "python", "m.py");
        snprintf(command, sizeof command, "/usr/bin/python3 -W error %s/m.py", folder);
        assert_int_equal(ends(command), code);
        if (message)
            assert_holds("said.txt", message, true);
        assert_holds("rows.csv", "nan\\|inf", false);
    }
    if (is_found("octave-cli --version", "Octave")) {
        export_model(text, "matlab", "m.m");
        snprintf(command, sizeof command,
                 "cd %s && octave-cli --norc --eval 'f = m(); f.example()'", folder);
        assert_int_equal(ends(command), code);
        assert_holds("rows.csv", "NaN\\|Inf", false);
    }
    export_model(text, "c", "m.c");
    run_command("cc %s -O1 -DZWANG_MAIN -o %s/example %s/m.c -lm", WARNINGS, folder, folder);
    snprintf(command, sizeof command, "timeout 60 %s/example", folder);
    assert_int_equal(ends(command), code);
    if (message)
        assert_holds("said.txt", message, true);
    assert_holds("rows.csv", "nan\\|inf", false);
}

// A particle slides down a ball of radius R from its top, where it begins with v, and leaves it
// where cos = 2/3 + v²/(3 g R). Up to the row before that it has the energy of its start and stays
// on the ball; the code then says that it does not follow further.
static void what_acts_at_the_start_is_held(void **state)
{
    (void)state;
    Random random = random_seed(5);
    for (int turn = 0; turn < turns(); turn++) {
        char text[1024];
        double R = around(&random, 1, 0.5), v = around(&random, 0.8, 0.3), g = 9.81, row[4];
        snprintf(text, sizeof text,
                 "system m\nparam R = %.17g, g = 9.81\ncoord x, z\nmass 1 at [x, 0, z]\n"
                 "gravity [0, 0, -g]\nconstraint ball: x^2 + z^2 >= R^2\n"
                 "constraint floor: z >= -5\ninitial z = R, x' = %.17g\nrun to 3 every 0.01\n",
                 R, v);
        run_examples(text, 1, "before t = .* something happened that this code does not follow");
        assert_holds("told.txt", "the code leaves out a one-sided condition (.floor.)", true);
        assert_holds("told.txt", "has as an equation, as at the start, .* (.ball.)", true);
        last_row(row, 4);
        double height = R * (2 + v * v / (g * R)) / 3;
        assert_true(fabs(hypot(row[1], row[2]) - R) <= 1e-9);
        // The height at the row before it leaves: within what it falls in a row.
        assert_true(row[2] >= height - 1e-9 && row[2] <= height + 0.01 * 10);
    }
}

static void impulses_and_switches_end_validity(void **state)
{
    (void)state;
    double row[3];
    run_examples("system m\ncoord x\nmass 1 at [x, 0, 0]\nimpulse 1 along x when t = 0\n"
                 "impulse 1 along x when t = 0.75\nrun to 2 every 0.25\n",
                 1, "before t = 1[.0]* something happened");
    last_row(row, 2);
    assert_true(row[0] == 0.75 && fabs(row[1] - 0.75) <= 1e-12);
    // x' = cos t - 0.1 sin t up to its first 0.
    static const char friction[] =
        "system m\ncoord x\nmass 1 at [x, 0, 0]\nforce -x - 0.1*sign(x') along x\n"
        "initial x' = 1\nrun to %s every 0.25\n";
    char text[512];
    snprintf(text, sizeof text, friction, "2");
    run_examples(text, 1, "before t = 1.* something happened");
    last_row(row, 2);
    assert_true(row[0] == 1.25 && fabs(row[1] - sin(1.25) - 0.1 * (cos(1.25) - 1)) <= 1e-9);
    snprintf(text, sizeof text, friction, "1.25");
    run_examples(text, 0, NULL);
}

// A bead on a wire that turns with 2t, by its x': that says nothing of y' where the wire stands
// along y. Its distance is 0.1·cosh 2t.
// x = sin t: an event at x = 1/2 that acts, t = pi/6, and one that only records before it.
static void events_end_validity(void **state)
{
    (void)state;
    double row[3];
    static const char text[] =
        "system m\ncoord x\nstate n = 0\nmass 1 at [x, 0, 0]\nforce -x along x\n"
        "event low: x = 1/4 rising { record }\nevent up: %s { %s }\n"
        "initial x' = 1\nrun to 1 every 0.125\n";
    static const char *const cases[][2] = {
        {"x = 1/2 rising", "set n = 1"}, {"x >= 1/2", "stop"}, {"x' = cos(pi/6)", "set x' = 0"}};
    for (size_t i = 0; i < 3; i++) {
        char whole[512];
        snprintf(whole, sizeof whole, text, cases[i][0], cases[i][1]);
        run_examples(whole, 1, "before t = 0.6.* something happened");
        last_row(row, 2);
        assert_true(row[0] == 0.5 && fabs(row[1] - sin(0.5)) <= 1e-9);
    }
    char whole[512];
    snprintf(whole, sizeof whole, text, "x = 1/2", "record");
    run_examples(whole, 0, NULL);
}

static void speeds_that_say_nothing_end_validity(void **state)
{
    (void)state;
    double row[3];
    run_examples("system m\ncoord x, y\nmass 1 at [x, y, 0]\n"
                 "constraint wire: x*sin(2*t) = y*cos(2*t)\ninitial x = 0.1, x' = 0\n"
                 "run to 3 every 0.25\n",
                 1, "before t = 0\\.[78].* its speeds ceased to determine the velocities");
    last_row(row, 3);
    assert_true(row[0] == 0.75 && fabs(hypot(row[1], row[2]) - 0.1 * cosh(1.5)) <= 1e-9);
}

// Where the determinant of conditions and speeds touches 0, is 0 with the state on another branch
// beyond, or has a pole: no sign tells, and no row is beyond that time.
static void no_step_crosses_where_speeds_say_nothing(void **state)
{
    (void)state;
    static const char *const models[] = {
        "constraint d: x^2 + y^2 = (a - c*t)^2\ninitial x = a, y = 0\n",
        "constraint d: (x^2 + y^2 - a^2)*((x - 2*a)^2 + y^2 - a^2) = 0\n"
        "initial x = 0, y = a, x' = c\n",
        "speed v = (x*x' + y*y')/sqrt(x^2 + y^2)\nspeed w = (x*y' - y*x')/(x^2 + y^2)\n"
        "initial x = -a*cos(b), y = -a*sin(b), x' = c*cos(b), y' = c*sin(b)\n"};
    Random random = random_seed(17);
    for (int turn = 0; turn < 3 * turns(); turn++) {
        int kind = turn % 3;
        double a = around(&random, 1, 0.4), c = around(&random, 1, 0.3), row[3];
        double b = turn < 3 ? 0 : around(&random, 0, 3), every = turn < 3 ? a / c / 2 : 0.1;
        char text[1024];
        snprintf(text, sizeof text,
                 "system m\nparam a = %.17g\nparam b = %.17g\nparam c = %.17g\ncoord x, y\n"
                 "mass 1 at [x, y, 0]\n%srun to %.17g every %.17g\n",
                 a, b, c, models[kind], 4 * a / c, every);
        double end = (kind == 1 ? acos(0) : 1) * a / c, left;
        run_examples(text, 1, kind == 2 ? "cannot go on from t = " : "its speeds ceased to");
        last_row(row, 3);
        left = kind == 1 ? a * sin(c * row[0] / a) : (a - c * row[0]) * (kind == 2 ? -cos(b) : 1);
        assert_true(row[0] <= end * (1 + 1e-9) && row[0] >= end * (1 - 1e-9) - every);
        assert_true(fabs(row[1] - left) <= 1e-6);
    }
}

// ---- What is not finite.

// x'' = -x holds up to x = c, where a root ends: at asin(c/v) without it. No row is beyond.
static void roots_end_an_example(void **state)
{
    (void)state;
    Random random = random_seed(11);
    for (int turn = 0; turn < turns(); turn++) {
        char text[1024];
        double c = around(&random, 0.6, 0.3), row[2];
        // The order of the coordinates must not matter: one of them stays finite.
        snprintf(text, sizeof text,
                 "system m\nparam c = %.17g\ncoord %s\nmass 1 at [x, y, 0]\n"
                 "force -x + (c - x)^1.5/1e9 along x\ninitial x' = 1\n"
                 "run to 4 every 0.125\n",
                 c, turn % 2 ? "x, y" : "y, x");
        run_examples(text, 1, "cannot go on from t = ");
        last_row(row, 1);
        assert_true(row[0] <= asin(c) + 1e-6 && row[0] >= asin(c) - 0.125 - 1e-6);
    }
}

// The start itself has no rate; and Euler's angles over one long row, which once never ended.
// The last multiple of the time between rows is at a distance from the end that is drawn: as in a
// run it is a row of its own unless it is nearer than 1e-12 of the end. In float as in double.
static void rows_are_at_the_times_of_a_run(void **state)
{
    (void)state;
    Random random = random_seed(11);
    for (int turn = 0; turn < 2 * turns(); turn++) {
        int count = 2 + (int)random_below(&random, 5);
        double every = around(&random, 0.5, 0.4), row[2];
        double before =
            turn % 2 ? pow(10, around(&random, -10.5, 1)) : around(&random, 1e-14, 1e-14);
        double to = every * count * (1 + before);
        char text[256], command[512];
        snprintf(text, sizeof text,
                 "system m\ncoord x\nmass 1 at [x, 0, 0]\nforce -x along x\ninitial x = 1\n"
                 "run to %.17g every %.17g\n",
                 to, every);
        run_examples(text, 0, NULL);
        last_row(row, 2);
        assert_true(row[0] == to && fabs(row[1] - cos(to)) <= 1e-9);
        int lines = 2 + count + (turn % 2);
        snprintf(command, sizeof command, "test $(wc -l < %s/rows.csv) = %d", folder, lines);
        run_command("%s", command);
        run_command("cc -O1 -DREAL=float -DZWANG_MAIN -o %s/example %s/m.c -lm", folder, folder);
        snprintf(command, sizeof command, "timeout 60 %s/example", folder);
        assert_int_equal(ends(command), 0);
        last_row(row, 2);
        assert_true(fabs(row[0] - to) <= FLT_EPSILON * to && fabs(row[1] - cos(to)) <= 1e-4);
    }
}

static void starts_and_long_rows_end(void **state)
{
    (void)state;
    double row[4];
    run_examples("system m\ncoord x, y\nmass 1 at [x, y, 0]\nforce 1/(x - t*1e-3 - 1)^2 along y\n"
                 "initial x = 0, x' = 1\nrun to 3 every 3\n",
                 1, "cannot go on from t = ");
    run_examples(
        "system m\ncoord a, b, c\nframe F = world rotate a about z rotate b about x rotate "
        "c about z\nbody B frame F mass 1 at origin inertia [1, 2, 2.5]\n"
        "initial b = 0.3, a' = 1, b' = 2, c' = 3\nrun to 2 every 2\n",
        0, NULL);
    last_row(row, 4);
    // The energy of the start is kept by what is printed; these are the angles of a run.
    assert_true(fabs(row[1] - 12.050083811) <= 1e-7 && fabs(row[2] - 0.534837255) <= 1e-7);
}

// What decays within less than a millionth of the time to the next row ends an explicit example,
// which would take years.
static void stiff_examples_end(void **state)
{
    (void)state;
    Random random = random_seed(13);
    for (int turn = 0; turn < turns(); turn++) {
        char text[256];
        snprintf(text, sizeof text,
                 "system m\ncoord x\nmass 1 at [x, 0, 0]\nforce -%.17g*x' - x along x\n"
                 "initial x = 1, x' = 1\nrun to 3 every 1\n",
                 pow(10, around(&random, 12, 2)));
        run_examples(text, 1, "would take millions of them");
    }
}

// A block thrown up a slope slides with −g(sin a + mu cos a) until it stops: up to the row before
// that, and no further.
static void sliding_ends_where_it_stops(void **state)
{
    (void)state;
    Random random = random_seed(7);
    char text[1024];
    for (int turn = 0; turn < turns(); turn++) {
        double a = around(&random, 0.4, 0.3), mu = around(&random, 0.3, 0.2), row[2];
        double v = around(&random, 2, 1), slows = 9.81 * (sin(a) + mu * cos(a)), stop = v / slows;
        snprintf(text, sizeof text,
                 "system m\ncoord s, n\nframe F = world rotate -%.17g about y\n"
                 "point P = [s, 0, n] in F\nmass 2 at P\ngravity [0, 0, -9.81]\n"
                 "constraint floor: n >= 0 friction %.17g at P on P\ninitial s' = %.17g\n"
                 "run to 2 every 0.01\n",
                 a, mu, v);
        run_examples(text, 1, "something happened that this code does not follow");
        last_row(row, 2);
        assert_true(row[0] <= stop + 1e-9 && row[0] > stop - 0.0101);
        assert_true(fabs(row[1] - (v - slows * row[0] / 2) * row[0]) < 1e-9);
    }
}

// Pulled by P t a block sticks up to P t = mu m g. Thrown across a force it slides in two
// directions until it stops. A rail that is pulled up by 12 t lets the sign of its reaction change
// at m g = 12 t.
static void cones_end_validity(void **state)
{
    (void)state;
    double row[2], P = 3, mu = 0.37, stop = mu * 2 * 9.81 / P;
    char text[1024];
    snprintf(text, sizeof text,
             "system m\ncoord x, z\npoint K = [x, 0, z]\nmass 2 at K\ngravity [0, 0, -9.81]\n"
             "force %.17g*t along x\nconstraint floor: z >= 0 friction %.17g at K on K\n"
             "run to 9 every 0.01\n",
             P, mu);
    run_examples(text, 1, "something happened that this code does not follow");
    last_row(row, 2);
    assert_true(row[0] <= stop + 1e-9 && row[0] > stop - 0.0101 && row[1] == 0);
    run_examples("system m\ncoord x, y, z\npoint K = [x, y, z]\nmass 2 at K\n"
                 "gravity [0, 0, -10]\nforce 1 along y\n"
                 "constraint floor: z >= 0 friction 0.3 at K on K\ninitial x' = 3\n"
                 "run to 2 every 0.01\n",
                 1, "something happened that this code does not follow");
    last_row(row, 2);
    // Sliding v = |v|(cos, sin) with F = 1 across: it ends after v0 f/(f^2 - F^2), f = mu m g.
    stop = 3 * 2 * 6 / (36. - 1);
    assert_true(row[0] <= stop && row[0] > stop - 0.0101);
    run_examples("system m\ncoord x, z\npoint K = [x, 0, z]\nmass 2 at K\ngravity [0, 0, -10]\n"
                 "force 12*t along z\nconstraint rail: z = 0 friction 0.2 at K on K\n"
                 "initial x' = 30\nrun to 3 every 0.01\n",
                 1, "something happened that this code does not follow");
    last_row(row, 2);
    assert_true(row[0] <= 20. / 12 && row[0] > 20. / 12 - 0.0101);
    // x' = 30 - mu (g t - 3 t^2).
    double t = row[0];
    assert_true(fabs(row[1] - (30 * t - 0.2 * (5 * t * t - t * t * t))) < 1e-9);
}

// A wire by straight lines: the velocity turns at each row of the table, which the code does not
// follow. Up to the first one it slides with its speed; the end of a cubic table is such a row too.
static void rows_of_tables_end_validity(void **state)
{
    (void)state;
    Random random = random_seed(29);
    for (int turn = 0; turn < 2 * turns(); turn++) {
        double slope = around(&random, 0.5, 0.5), knot = around(&random, 1, 0.3), row[3];
        bool cubic = turn % 2, stays = random_below(&random, 3) == 0;
        char text[512];
        snprintf(text, sizeof text, "%s/f.csv", folder);
        FILE *table = fopen(text, "wb");
        assert_non_null(table);
        fprintf(table, "s,y\n-1,%.17g\n0,0\n%.17g,%.17g\n", -slope, knot / 2, slope * knot / 2);
        fprintf(table, "%.17g,%.17g\n", knot, slope * knot);
        if (!cubic)
            fprintf(table, "%.17g,0\n", knot + 9);
        fclose(table);
        // Straight rows are no kinks for a spline.
        double from = cubic ? 0 : knot / 2, end = knot - from;
        snprintf(text, sizeof text,
                 "system m\nfunction f(s) = table(\"f.csv\"%s)\ncoord x, y\n"
                 "mass 1 at [x, y, 0]\nconstraint wire: y = f(x)\n"
                 "initial x = %.17g, x' = 1\nrun to %.17g every %.17g\n",
                 cubic ? ", cubic, hold" : "", from, end * (stays ? 0.75 : 1.5), end / 8);
        run_examples(text, stays ? 0 : 1, NULL);
        last_row(row, 3);
        assert_true(row[0] <= end * (1 + 1e-6) && fabs(row[1] - from - row[0]) <= 1e-9 &&
                    fabs(row[2] - slope * row[1]) <= 1e-9);
    }
    char path[512];
    snprintf(path, sizeof path, "%s/f.csv", folder);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_code_cannot_follow_is_named),
        cmocka_unit_test(what_acts_at_the_start_is_held),
        cmocka_unit_test(sliding_ends_where_it_stops),
        cmocka_unit_test(cones_end_validity),
        cmocka_unit_test(impulses_and_switches_end_validity),
        cmocka_unit_test(events_end_validity),
        cmocka_unit_test(rows_of_tables_end_validity),
        cmocka_unit_test(speeds_that_say_nothing_end_validity),
        cmocka_unit_test(no_step_crosses_where_speeds_say_nothing),
        cmocka_unit_test(roots_end_an_example),
        cmocka_unit_test(rows_are_at_the_times_of_a_run),
        cmocka_unit_test(starts_and_long_rows_end),
        cmocka_unit_test(stiff_examples_end),
    };
    return cmocka_run_group_tests_name("export/left_out", tests, make_folder, remove_folder);
}
