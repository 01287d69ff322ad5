// test_statements.c: every statement of the language against every command. Nothing that a model
// says is passed over in silence: with the statement a command answers otherwise, or refuses it, or
// names it in a note; or the table below says that the statement is no part of the question.
#include "program.h"

#include "text/text.h"

// a: acts on it · n: a note or a warning alone · r: refused · -: no part of the question. Pages,
// code and FMUs tell the model, so that a statement always acts there unless it is refused.
typedef struct {
    const char *name, *without, *with;
    const char *cells; // derive check at run stability export view sweep fmu
} Row;

// What is written to a file is told by its sum.
static const char *const commands[] = {
    "derive m.zw --form all",
    "check m.zw",
    "at m.zw",
    "run m.zw --out -",
    "stability m.zw",
    "export m.zw --to c",
    "view m.zw --out v.html && cksum v.html",
    "sweep m.zw --vary \"x'=[0.5]\" --out -",
    "export m.zw --to fmu --sources-only --out f.fmu && cksum f.fmu",
    // These answer as C does.
    "export m.zw --to python",
    "export m.zw --to julia",
    "export m.zw --to matlab",
};
enum { COMMANDS = sizeof commands / sizeof *commands, CELLS = 9, CODE = 5 };

static const char base[] = "system s\n"
                           "param m = 2, k = 3\n"
                           "coord x, y, th\n"
                           "frame F = world rotate th about z\n"
                           "point P = [x, y, 0]\n"
                           "body B frame F mass m at P inertia [1, 1, 1]\n"
                           "potential k*x^2/2 + x*y\n"
                           "initial x = 1, y = 2, th = 0.3, x' = 0.5, th' = 0.7\n";
static const char usual_run[] = "run to 0.7 every 0.1\n"; // where the row has none

#define CURVE "constraint c: y' = x*x'\n"
#define ROOT  "coord z\nkinetic z'^2\nconstraint c: z^2 = 2\n"
#define FLOOR "constraint c: y >= 2"

static const Row rows[] = {
    // What there is, and what acts on it.
    {"system", "", "system t\n", "rrrrrrrrr"}, // it stands first
    {"coord", "", "coord z\nkinetic z'^2\n", "aaaaaaaaa"},
    {"param", "force 3 along x\n", "param J = 3\nforce J along x\n",
     "aa---aa-a"}, // the same number
    {"param without a value", "", "param J\nforce J along x\n", "aarrrrrrr"},
    {"include", "", "include \"p.zw\"\n", "aaaaaaaaa"},
    {"read", "", "read urdf \"p.urdf\" as r\n", "aaaaaaaaa"},
    {"read with a limit", "", "read mjcf \"p.xml\"\n", "aaaaaraaa"},
    {"part", "", "part h(u) { coord z; kinetic z'^2; potential u*z^2 }\npart b = h(3)\n",
     "aaaaaaaaa"},
    {"let", "", "let e = x^2\npotential e\n", "aaaaaaaaa"},
    {"const", "", "const N = 2\nforce N along x\n", "aaaaaaaaa"},
    {"input", "", "input u = t\nforce u along x\n", "aaaanaaaa"},
    {"table", "", "input u = table(\"p.csv\")\nforce u along x\n", "aaaanaaaa"},
    {"random", "", "input u = random(normal(1, 1), 0.1, 3)\nforce u along x\n", "aaaaaraaa"},
    {"function", "", "function f(s) = s^2\npotential f(x)\n", "aaaaaaaaa"},
    {"function left open", "", "function f(s)\npotential f(x)\n", "aarrrrrrr"},
    {"frame, point, body", "",
     "frame E = F rotate x about y\npoint Q = P + [1, 0, 0] in E\nbody C frame E mass 1 at Q\n",
     "aaaaaaaaa"},
    {"mass", "", "mass 3 at P\n", "aaaaaaaaa"},
    {"kinetic", "", "kinetic th'^2\n", "aaaaaaaaa"},
    {"lagrangian", "", "lagrangian x*th'^2\n", "aaaaaaaaa"},
    {"acceleration_energy", "", "acceleration_energy x''^2\n", "aaaaaaaaa"},
    {"potential", "", "potential y^4\n", "aaaaaaaaa"},
    {"gravity", "", "gravity [0, -9.81, 0]\n", "aaaaaaaaa"},
    {"spring", "", "spring between P and [3, 0, 0] stiffness 2 rest 1\n", "aaaaaaaaa"},
    {"damper", "", "damper along x damping 2\n", "aaaaaaaaa"},
    {"bushing", "", "bushing between B and world at P and origin stiffness 2 torsion 1\n",
     "aaaaaaaaa"},
    {"joint", "", "body C center [1, 0, 0] mass 1\njoint j: hinge between B and C at P axis z\n",
     "aaaaaaaaa"},
    {"joint that closes a loop", "",
     "joint j: ball between world and B at [1 + sin(th - 0.3)*5/7, 2, 0] and P\n", "aaaaaaaaa"},
    {"force at", "", "force [3, 0, 0] at P\n", "aaaaaaaaa"},
    {"force along", "", "force 3 along y\n", "aaaaaaaaa"},
    {"torque", "", "torque [0, 0, -th] on B\n", "aaaaaaaaa"},
    {"dissipation", "", "dissipation x'^2\n", "aaaaaaaaa"},
    {"for", "", "for i in 1..2 { force i along x }\n", "aaaaaaaaa"},
    // Conditions.
    {"constraint, finite", "", "constraint c: y = 2*x\n", "aaaaaaaaa"},
    {"constraint, linear", "", CURVE, "aaaaaaaaa"},
    {"constraint, not linear", "", "constraint c: y'^2 = x'^2 + x\n", "aaaaraaaa"},
    {"constraint, second class", "", "constraint c: y'' = x''\n", "aaaaraaaa"},
    {"constraint, one-sided, open", "", "constraint c: y >= 0\n", "anaarraaa"},
    {"constraint, one-sided, touching", "", FLOOR "\n", "aaaarraaa"},
    {"restitution", FLOOR "\n", FLOOR " restitution 0.5\n", "a---rra-a"},
    {"restitution at a shock", "initial y' = -1\n" FLOOR "\n",
     "initial y' = -1\n" FLOOR " restitution 0.5\n", "aaaarraaa"},
    {"servo", "", "servo s: y = 2*x by force [0, 1, 0] at P\n", "aaaaaaaaa"},
    {"friction", "", "friction f: 0.5 along x\n", "aaaarraaa"},
    {"friction at a contact", FLOOR "\n", FLOOR " friction 0.3 at P on B\n", "aaaarraaa"},
    {"lambda in a force", "constraint c: y = 2*x\n",
     "constraint c: y = 2*x\nforce lambda.c/10 along x\n", "aaaaaaaaa"},
    // Blows.
    {"impulse", "", "impulse 3 along x when t = 0.1\n", "aananraaa"},
    {"impulse at the start", "", "impulse 3 along x when t = 0\n", "aaaanaaaa"},
    {"impulse after the end", "", "impulse 3 along x when t = 99\n", "aannnra-a"},
    {"impulse before the start", "", "impulse 3 along x when t = -1\n", "aannnra-a"},
    // Events.
    {"state", "", "state mode = 1\nforce mode along x\n", "aaaaaaaaa"},
    {"state, continuous", "", "state xi' = x - xi\nforce xi along x\n", "aaaaaaaaa"},
    {"while", "force 1 along x\n", "force 1 along x while t <= 0.1\n", "nn-anraaa"},
    {"until", "", "run to 0.7 every 0.1 until x <= 0.9\n", "nnaanraaa"},
    {"event, set", "", "event e: x = 0.9 { set x' = 2 }\n", "anaanraaa"},
    {"event, impulse", "", "event e: x = 0.9 { impulse 2 along x }\n", "anaanraaa"},
    {"event, record", "", "event e: x = 0.9 { record }\n", "anaanraaa"},
    {"event, stop", "", "event e: x = 0.9 { stop }\n", "anaanraaa"},
    {"sample", "state u = 0\nforce u along x\n",
     "state u = 0\nforce u along x\nsample 0.1 { set u = 1 - x }\n", "anaarraaa"},
    {"matrix", "force 3*x + 2*y along x\nforce x + y along y\n",
     "param K[2,2] = [[3, 2], [1, 1]]\nlet u = K*[x, y]\nforce u[1] along x\n"
     "force u[2] along y\n",
     "a---aaa-a"},
    {"function, a table", "", "function f(s) = table(\"p.csv\")\npotential f(x + 50)\n",
     "aaaaaaaaa"},
    {"pairs", "", "for i, j in pairs(1..3) { force i*j along x }\n", "aaaaaaaaa"},
    {"interval", "param J = 3\nforce -J*th along th\n",
     "param J = 3 +/- 0.1\nforce -J*th along th\n", "--nnaaana"},
    {"unit of an angle", "output e = th\n", "output e in deg = th\n", "--a--aa-a"},
    {"while at a condition", "constraint c: y = 2*x\n", "constraint c: y = 2*x while t <= 0.1\n",
     "nn-anraaa"},
    {"sample with an impulse", "", "sample 0.1 { impulse 2 along x }\n", "anaarraaa"},
    {"run with a method", "", "run to 0.7 every 0.1 method erk\n", "---a-aaaa"},
    {"initial of a state", "state xi' = x - xi\nforce xi along x\n",
     "state xi' = x - xi\nforce xi along x\ninitial xi = 2\n", "--aa-aaaa"},
    // How it is described, where it begins, and what is shown of it.
    {"speed", "", "speed v = x' + y'\n", "aaaaaaaaa"},
    {"independent", CURVE, CURVE "independent x\n", "aa-aaaaaa"},
    {"initial", "", "initial y' = 3\n", "--aa-aaaa"},
    {"initial approx", ROOT, ROOT "initial approx z = -1\n", "--aa-aaaa"},
    {"output", "", "output e = x^2\n", "--aa-aaaa"},
    {"run", "", "run to 0.1\n", "---a-aaaa"},
    {"draw", "", "draw trace P\n", "-----aa-a"}, // the code tells the model
};
enum { ROWS = sizeof rows / sizeof *rows };

// The lines of messages, without what only tells how long something took.
static void keep_messages(const char *err, char *kept)
{
    *kept = '\0';
    while (*err) {
        size_t length = strcspn(err, "\n");
        char line[4096];
        snprintf(line, sizeof line, "%.*s\n", (int)length, err);
        if (strstr(line, "note:") || strstr(line, "warning:") || strstr(line, "error:"))
            strcat(kept, line);
        err += length + (err[length] == '\n');
    }
}

// What each command said of a model.
typedef struct {
    const char *lines; // beside the base
    int codes[COMMANDS];
    char *out[COMMANDS], *err[COMMANDS];
} Answers;

static char *read_output(const char *kind, size_t command)
{
    char name[16];
    snprintf(name, sizeof name, "%s%zu", kind, command);
    slurp(name, outcome.out);
    return strdup(outcome.out);
}

// All commands, side by side.
static void ask(const char *lines, Answers *answers)
{
    static char model[2048], script[8192];
    size_t length = (size_t)snprintf(script, sizeof script, "cd %s", folder);
    snprintf(model, sizeof model, "%s%s%s", base, lines, strstr(lines, "run to") ? "" : usual_run);
    put_model(model);
    for (size_t c = 0; c < COMMANDS; c++)
        length += (size_t)snprintf(script + length, sizeof script - length,
                                   "\n{ '%s' %s; } >o%zu 2>e%zu </dev/null; echo $? >r%zu &",
                                   ZWANG_PROGRAM, commands[c], c, c, c);
    snprintf(script + length, sizeof script - length, "\nwait");
    assert_int_equal(system(script), 0);
    answers->lines = lines;
    for (size_t c = 0; c < COMMANDS; c++) {
        char *code = read_output("r", c);
        answers->codes[c] = atoi(code);
        free(code);
        answers->out[c] = read_output("o", c);
        answers->err[c] = read_output("e", c);
    }
}

static void forget(Answers *answers)
{
    for (size_t c = 0; c < COMMANDS; c++) {
        free(answers->out[c]);
        free(answers->err[c]);
    }
    *answers = (Answers){0};
}

static char cell_of(const Answers *before, const Answers *after, size_t command)
{
    static char said[MOST_OUTPUT], said_before[MOST_OUTPUT];
    keep_messages(after->err[command], said);
    keep_messages(before->err[command], said_before);
    if (after->codes[command] == 2)
        return 'r';
    if (strcmp(after->out[command], before->out[command]) != 0)
        return 'a';
    return strcmp(said, said_before) != 0 ? 'n' : '-';
}

static void put_files(void)
{
    static const char included[] = "potential x^2\n";
    static const char robot[] =
        "<robot><link name='a'/><link name='b'><inertial><origin xyz='0 0 1'/><mass value='2'/>"
        "</inertial></link><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
        "</joint></robot>";
    static const char machine[] =
        "<mujoco model='r'><worldbody><body name='b'><joint name='j' range='-9 9' axis='0 1 0'/>"
        "<geom size='0.1' pos='0 0 1'/></body></worldbody></mujoco>";
    put_file("p.urdf", robot, sizeof robot - 1);
    put_file("p.xml", machine, sizeof machine - 1);
    put_file("p.csv", "t,u\n0,0\n99,9\n", 13);
    put_file("p.zw", included, sizeof included - 1);
}

static void test_every_statement(void **state)
{
    (void)state;
    static Answers plain, before, after;
    bool good = true;
    put_files();
    ask("", &plain);
    for (size_t i = 0; i < ROWS; i++) {
        char found[COMMANDS + 1] = {0};
        if (*rows[i].without)
            ask(rows[i].without, &before);
        ask(rows[i].with, &after);
        for (size_t c = 0; c < COMMANDS; c++)
            found[c] = cell_of(*rows[i].without ? &before : &plain, &after, c);
        for (size_t c = CELLS; c < COMMANDS; c++)
            if (found[c] != found[CODE])
                found[CODE] = '!';
        found[CELLS] = '\0';
        if (strcmp(found, rows[i].cells) != 0) {
            print_message("%s: %s, and not %s\n", rows[i].name, found, rows[i].cells);
            good = false;
        }
        forget(&before);
        forget(&after);
    }
    forget(&plain);
    assert_true(good);
}

// No statement is missing in the table.
static void test_table_is_whole(void **state)
{
    (void)state;
    for (int kind = 0; kind < STATEMENT_SET; kind++) {
        const char *word = statement_word((StatementKind)kind);
        bool named = false;
        for (size_t i = 0; i < ROWS; i++) {
            const char *at = strstr(rows[i].name, word);
            named = named || at;
        }
        if (!named)
            fail_msg("the table has no row for '%s'", word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_is_whole),
        cmocka_unit_test(test_every_statement),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
