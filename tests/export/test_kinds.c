// test_kinds.c: exported code of every kind of condition that the gallery has no model of; that the
// example at the end of exported C gives the run; and that a model's names and texts do no harm.
#include "export_case.h"

// ---- Kinds.

static const struct {
    const char *name, *text;
} kinds[] = {
    // Three parallel cranks on one coupler: the last condition follows from the others.
    {"cranks", "param m = 1, g = 9.81, K = 2\ncoord a, b, c, d\n"
               "point P = [cos(a), 0, sin(a)]\npoint Q = [3 + cos(b), 0, sin(b)]\n"
               "point R = [1.5 + cos(c), 0, sin(c)]\nmass m at P\nmass 2*m at Q\nmass 3*m at R\n"
               "gravity [0, 0, -g]\nforce K along c\n"
               "constraint close: P + 3*[cos(d), 0, sin(d)] = Q\n"
               "constraint middle: P + 1.5*[cos(d), 0, sin(d)] = R\n"
               "initial a = -1, a' = 0.5\ninitial approx b = -1, c = -1\n"},
    // The same, and a servo that turns them.
    {"driven_cranks", "param m = 1, g = 9.81\ncoord a, b, c, d, s, w\n"
                      "point P = [cos(a), 0, sin(a)]\npoint Q = [3 + cos(b), 0, sin(b)]\n"
                      "point R = [1.5 + cos(c), 0, sin(c)]\nmass m at P\nmass m at Q\nmass m at R\n"
                      "kinetic (s'^2 + w'^2)/2 + s'*w'*cos(a)/4\ngravity [0, 0, -g]\n"
                      "constraint close: P + 3*[cos(d), 0, sin(d)] = Q\n"
                      "constraint middle: P + 1.5*[cos(d), 0, sin(d)] = R\n"
                      "servo swing: s' = 0.5*cos(t) by w\n"
                      "initial a = -1, a' = 0.5\ninitial approx b = -1, c = -1\n"},
    // A speed that is kept by a push along x: not linear, and by a servo.
    {"kept_speed", "param m = 2, g = 1\ncoord x, y\npoint P = [x, y, 0]\nmass m at P\n"
                   "gravity [0, -g, 0]\nservo keep: x'^2 + y'^2 = 1 by force [1, 0, 0] at P\n"
                   "initial x' = 0.8, y' = 0.6\n"},
    // More speeds than are solved for on the graph, and nothing symmetric.
    {"row_of_masses", "const N = 12\nparam k = 30\ncoord x[N]\n"
                      "for i in 1..N { mass 1 + i/10 at [x[i], 0, 0] }\n"
                      "kinetic sum(i in 1..N-1, x[i]'*x[i+1]'/5)\n"
                      "potential sum(i in 1..N-1, k*(x[i+1] - x[i])^2/2 + (x[i+1] - x[i])^4)\n"
                      "servo lead: x[1] = sin(t) by x[2]\ninitial x[1]' = 1\n"},
    // Linear conditions, and a speed that is not linear: all velocities are in use.
    {"curved_speed", "coord x, y, z\nmass 1 at [x, y, z]\ngravity [0, 0, -1]\n"
                     "constraint slip: z' = x*y'\nconstraint floor: x >= -1\n"
                     "speed s = x'^2 + y'^2\nspeed c = x'\n"
                     "initial x = 0.4, x' = 1, y' = 0.5\n"},
    // Accelerations: one condition that is affine in them and one that is not, beside a finite one.
    {"accelerations",
     "param F = 2\ncoord x, y, z, w\nmass 1 at [x, y, z]\nkinetic w'^2/2 + w'*x'/4\n"
     "force F along x\nforce 1 along z\nforce x along y\n"
     "constraint plane: z = x + y^2/10\n"
     "constraint slow: w'' + x''/3 = -w + sin(t)\n"
     "constraint product: x''*y'' = 1 + w'/10\ninitial w = 0.2, w' = 0.1\n"},
    // Conditions on accelerations beside a servo, and beside what is one-sided.
    {"driven_accelerations",
     "coord x, y, z\nmass 1 at [x, y, z]\nmass 2 at [0, y + z, x*z]\ngravity [0, 0, -2]\n"
     "servo drive: x = sin(t) by force [1, 0.5, 0.2] at [x, y, z]\n"
     "constraint tie: y'' + z*x'' = 2*z'' + y'*x' - t\nconstraint floor: z >= -3\n"
     "initial y' = 1\n"},
    {"cone_turning", "coord x, y, z\nmass 2 at [x, y, z]\nforce 3 along z\n"
                     "constraint cone: x'^2 + y'^2 = z'^2\nconstraint turn: x'' = -y'\n"
                     "initial x' = 0.6, y' = 0.8, z' = 1\n"},
    // Forces that hold reactions: as factors, and in lengths, where they are solved for by Newton's
    // method.
    {"loaded_guides",
     "param m = 2, mu = 0.3\ncoord x, y, z\nmass m at [x, y, z]\ngravity [0, 0, -9.81]\n"
     "constraint rail: z = x^2 - 0.3*y*x\nconstraint wall: y = 0.2*sin(x)\n"
     "force -mu*lambda.rail*x' + 0.1*lambda.wall*y along x\nforce 0.05*lambda.rail*x along y\n"
     "output n = lambda.rail\ninitial x = 0.1, x' = 1\n"},
    {"worn_guides",
     "param m = 2, mu = 0.3\ncoord x, y, z\nmass m at [x, y, z]\ngravity [0, 0, -9.81]\n"
     "constraint rail: z = x^2 - 0.3*y*x\nconstraint wall: y = 0.2*sin(x)\n"
     "force -mu*sqrt(lambda.rail^2 + lambda.wall^2 + 0.1)*x' along x\n"
     "force -0.01*abs(lambda.wall)*y along y\noutput n = lambda.rail\n"
     "initial x = 0.1, x' = 1\n"},
    // Functions that switch, and powers.
    {"switches",
     "param c = 0.3\ncoord x, y\nmass 1 at [x, y, 0]\n"
     "force -c*sign(x')*abs(x)^1.5 along x\nforce min(x, y) + max(y, 0.1)^(1/3) along y\n"
     "constraint wheel: y' = tan(x)*x'*atan2(x, 2)\ninitial x = 0.5, y = 0.7, x' = 1\n"},
    // Tables of every kind.
    {"tables", "function f(s) = table(\"t.csv\", \"s\", \"a\", cubic, hold)\n"
               "function g(s) = table(\"t.csv\", \"s\", \"b\", linear, repeat)\n"
               "function h(s) = table(\"t.csv\", \"s\", \"a\", previous, hold)\n"
               "function k(s) = table(\"t.csv\", \"s\", \"b\", cubic)\n"
               "input u = table(\"t.csv\", \"s\", \"a\", hold)\n"
               "coord x, y\nmass 2 at [x, y, 0]\nforce f(2*x + t) + u along x\n"
               "force g(3*y - t) + h(x) + k(0.5 + 0.1*sin(x)) along y\n"
               "initial x = 0.33, y = 0.1, x' = 0.2\nrun to 1\n"
               "#= table \"t.csv\"\n#|s,a,b\n#|0,1,-2\n#|0.3,0.5,1\n#|0.35,-1,0.2\n"
               "#|0.9,0.4,0.3\n#|1.4,2,-1\n#|2,0.1,0.6\n"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void check(Case *kase, const char *system, size_t number)
{
    Code code;
    write_export(kase, EXPORT_C, "code.c");
    code_load(&code, kase, system);
    for (int turn = 0; turn < STATES; turn++) {
        draw_state(kase, 0.1 * turn);
        // How reactions are shared is a question of states that meet the conditions.
        if (turn % 2 == 1 || kase->run->base->eq->independent.count < kase->run->base->eq->m)
            check_projection(kase, &code);
        check_motion(kase, &code);
        if (turn == 0)
            check_jacobian(kase, &code);
        if (turn == 0)
            keep_values(kase, &code, number);
    }
    code_clear(&code);
}

static void write_scripts(Case *kase, size_t number)
{
    char file[64];
    snprintf(file, sizeof file, "model_%zu.py", number);
    write_export(kase, EXPORT_PYTHON, file);
    snprintf(file, sizeof file, "model_%zu.m", number);
    write_export(kase, EXPORT_MATLAB, file);
}

static void kinds_of_conditions(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++)
        for (int whole = 0; whole < 2; whole++) {
            Case kase;
            case_init(&kase, kinds[i].name, kinds[i].text, whole);
            check(&kase, kase.model->name, 2 * i + (size_t)whole);
            write_scripts(&kase, 2 * i + (size_t)whole);
            case_clear(&kase);
        }
}

// Parameters as numbers: the same motion.
static void numbers_in_the_place_of_parameters(void **state)
{
    (void)state;
    Case kase;
    case_init(&kase, kinds[0].name, kinds[0].text, false);
    kase.fixed = true;
    check(&kase, kase.model->name, 2 * KINDS);
    write_scripts(&kase, 2 * KINDS);
    case_clear(&kase);
}

// ---- The example.

typedef struct {
    double row[64];
    size_t count;
} LastRow;

static bool keep_row(void *context, const double *row)
{
    LastRow *last = context;
    memcpy(last->row, row, last->count * sizeof *row);
    return true;
}

// What it prints last against the run's last row, t and the coordinates.
static void check_example(const char *name, bool whole)
{
    Case kase;
    char path[512], text[1 << 16];
    snprintf(path, sizeof path, "%s/models/%s.zw", ZWANG_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    case_init(&kase, name, text, whole);
    write_export(&kase, EXPORT_C, "code.c");
    LastRow last = {.count = 1 + kase.n};
    RunSummary summary;
    RunListener listener = {.row = keep_row, .context = &last};
    assert_int_equal(run_go(kase.run, &listener, kase.diag, &summary), STATUS_OK);
    run_command("cc %s -O1 -DZWANG_MAIN -o %s/example %s/code.c -lm", WARNINGS, folder, folder);
    run_command("%s/example > %s/rows.csv", folder, folder);
    snprintf(path, sizeof path, "tail -1 %s/rows.csv", folder);
    FILE *rows = popen(path, "r");
    assert_non_null(rows);
    double found[64];
    for (size_t i = 0; i < last.count; i++)
        assert_int_equal(fscanf(rows, "%lf,", &found[i]), 1);
    pclose(rows);
    // Errors grow along the way, in both of them.
    double tolerance = 30 * run_settings(kase.run).tolerance;
    assert_within(&kase, "of the example, column", found, last.row, last.count,
                  tolerance * (1 + largest(last.row, last.count)));
    case_clear(&kase);
}

static void the_example_gives_the_run(void **state)
{
    (void)state;
    check_example("hoop", false);
    check_example("fourbar", false);
    check_example("cone", false);
    check_example("second_class", false);
    check_example("held_pendulum", false);
    // A run changes the speeds of these on its way.
    check_example("bead", true);
    check_example("delassus_ball", true);
}

// ---- Names that are words of a language, and texts that would end a comment or a string.

static const char hostile[] =
    "system start \"</script><script>alert(1)</script> */ int x; /* \\input{x} ?"
    "?/ %{ #= ''' $(x) @x \"\n"
    "param int = 1, for = 2, M_PI = 3, lambda = 4, end = 5, NAN = 1, worked_out = 2, near = 1\n"
    "param p = 1, function = 1, sin = 2, None = 1, I = 3, type = 1, self = 1, t_ = 1\n"
    "coord while, x, q[2], y, v0\n"
    "mass int*p*near at [while, x, q[1]]\n"
    "mass for*function at [0, 0, q[2] + q[1]]\n"
    "kinetic sin*y'^2/2 + None*v0'^2 + I*type*self*t_*v0'*y'/9\n"
    "gravity [0, -NAN, 0]\n"
    "force -end*sign(x') along x\n"
    "constraint return: y = sin(q[1])\n"
    "output double = while*for + worked_out + lambda.return\n"
    "initial x = 1, x' = 3\n"
    "# */ \" \\ \"\"\" =# %} \n"
    "run to 0.5\n";

static const char python_harmless[] =
    "import importlib.util as u; s = u.spec_from_file_location('m', 'evil.py'); "
    "m = u.module_from_spec(s); s.loader.exec_module(m); p = m.parameters(lambda_=5); "
    "assert p.lambda_ == 5; m.derivative(0, m.start(), p); m.quantities(0, m.start(), p)";

static void texts_of_a_model_do_no_harm(void **state)
{
    (void)state;
    Case kase;
    case_init(&kase, "*/ evil \n \" .zw", hostile, false);
    check(&kase, "start", 2 * KINDS + 1);
    write_scripts(&kase, 2 * KINDS + 1);
    static const char *const compilers[] = {"cc", "clang", "cc -DREAL=float", "cc -DZWANG_MAIN"};
    for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
        if (i != 1 || is_found("clang --version", "clang"))
            run_command("%s %s -O1 -o %s/code.o %s/code.c %s", compilers[i], WARNINGS, folder,
                        folder, i == 3 ? "-lm" : "-c");
    run_command("%s/code.o | tail -1 | grep -q '^0.5,'", folder);
    write_export(&kase, EXPORT_PYTHON, "evil.py");
    write_export(&kase, EXPORT_MATLAB, "start_.m");
    write_export(&kase, EXPORT_JULIA, "evil.jl");
    if (is_found("/usr/bin/python3 -c 'import numpy'", "NumPy"))
        run_command("cd %s && /usr/bin/python3 -W error -c \"%s\"", folder, python_harmless);
    if (is_found("octave-cli --version", "Octave"))
        run_command("cd %s && octave-cli --norc --eval 'f = start_(); p = f.parameters(); "
                    "assert(all(isfinite(f.derivative(0, f.start(), p)))); [e, r, o] = "
                    "f.quantities(0, f.start(), p);' 2>&1 | grep -v '^error: ignoring' | "
                    "(! grep .)",
                    folder);
    case_clear(&kase);
}

static void python_agrees_with_c(void **state)
{
    (void)state;
    compare_python(2 * KINDS + 2);
}

static void matlab_agrees_with_c(void **state)
{
    (void)state;
    compare_matlab(2 * KINDS + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_of_conditions),
        cmocka_unit_test(numbers_in_the_place_of_parameters),
        cmocka_unit_test(the_example_gives_the_run),
        cmocka_unit_test(texts_of_a_model_do_no_harm),
        cmocka_unit_test(python_agrees_with_c),
        cmocka_unit_test(matlab_agrees_with_c),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
