// test_statements.c: every statement of the language against every command. Nothing that a model
// says is passed over in silence: with the statement a command answers otherwise, or refuses it, or
// names it in a note; or the table below says that the statement is no part of the question.
#include "program.h"

#include "text/text.h"

// a: acts on it · n: a note or a warning alone · r: refused · -: no part of the question
typedef struct {
    const char *name, *without, *with;
    const char *cells; // derive check at run stability export
} Row;

static const char *const commands[] = {
    "derive m.zw --form all", "check m.zw",     "at m.zw",
    "run m.zw --out -",       "stability m.zw", "export m.zw --to c",
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char base[] = "system s\n"
                           "param m = 2, k = 3\n"
                           "coord x, y, th\n"
                           "frame F = world rotate th about z\n"
                           "point P = [x, y, 0]\n"
                           "body B frame F mass m at P inertia [1, 1, 1]\n"
                           "potential k*x^2/2 + x*y\n"
                           "initial x = 1, y = 2, th = 0.3, x' = 0.5, th' = 0.7\n";

#define CURVE "constraint c: y' = x*x'\n"
#define ROOT  "coord z\nkinetic z'^2\nconstraint c: z^2 = 2\n"
#define FLOOR "constraint c: y >= 2"

static const Row rows[] = {
    // What there is, and what acts on it.
    {"system", "", "system t\n", "rrrrrr"}, // it stands first
    {"coord", "", "coord z\nkinetic z'^2\n", "aaaaaa"},
    {"param", "force 3 along x\n", "param J = 3\nforce J along x\n", "aa---a"}, // the same number
    {"param without a value", "", "param J\nforce J along x\n", "aarrrr"},
    {"include", "", "include \"p.zw\"\n", "aaaaaa"},
    {"read", "", "read urdf \"p.urdf\" as r\n", "aaaaaa"},
    {"read with a limit", "", "read mjcf \"p.xml\"\n", "aaaaar"},
    {"part", "", "part h(u) { coord z; kinetic z'^2; potential u*z^2 }\npart b = h(3)\n", "aaaaaa"},
    {"let", "", "let e = x^2\npotential e\n", "aaaaaa"},
    {"const", "", "const N = 2\nforce N along x\n", "aaaaaa"},
    {"input", "", "input u = t\nforce u along x\n", "aaaana"},
    {"table", "", "input u = table(\"p.csv\")\nforce u along x\n", "aaaana"},
    {"random", "", "input u = random(normal(1, 1), 0.1, 3)\nforce u along x\n", "aaaaar"},
    {"function", "", "function f(s) = s^2\npotential f(x)\n", "aaaaaa"},
    {"function left open", "", "function f(s)\npotential f(x)\n", "aarrrr"},
    {"frame, point, body", "",
     "frame E = F rotate x about y\npoint Q = P + [1, 0, 0] in E\nbody C frame E mass 1 at Q\n",
     "aaaaaa"},
    {"mass", "", "mass 3 at P\n", "aaaaaa"},
    {"kinetic", "", "kinetic th'^2\n", "aaaaaa"},
    {"lagrangian", "", "lagrangian x*th'^2\n", "aaaaaa"},
    {"acceleration_energy", "", "acceleration_energy x''^2\n", "aaaaaa"},
    {"potential", "", "potential y^4\n", "aaaaaa"},
    {"gravity", "", "gravity [0, -9.81, 0]\n", "aaaaaa"},
    {"spring", "", "spring between P and [3, 0, 0] stiffness 2 rest 1\n", "aaaaaa"},
    {"damper", "", "damper along x damping 2\n", "aaaaaa"},
    {"bushing", "", "bushing between B and world at P and origin stiffness 2 torsion 1\n",
     "aaaaaa"},
    {"joint", "", "body C center [1, 0, 0] mass 1\njoint j: hinge between B and C at P axis z\n",
     "aaaaaa"},
    {"joint that closes a loop", "",
     "joint j: ball between world and B at [1 + sin(th - 0.3)*5/7, 2, 0] and P\n", "aaaaaa"},
    {"force at", "", "force [3, 0, 0] at P\n", "aaaaaa"},
    {"force along", "", "force 3 along y\n", "aaaaaa"},
    {"torque", "", "torque [0, 0, -th] on B\n", "aaaaaa"},
    {"dissipation", "", "dissipation x'^2\n", "aaaaaa"},
    {"for", "", "for i in 1..2 { force i along x }\n", "aaaaaa"},
    // Conditions.
    {"constraint, finite", "", "constraint c: y = 2*x\n", "aaaaaa"},
    {"constraint, linear", "", CURVE, "aaaaaa"},
    {"constraint, not linear", "", "constraint c: y'^2 = x'^2 + x\n", "aaaara"},
    {"constraint, second class", "", "constraint c: y'' = x''\n", "aaaara"},
    {"constraint, one-sided, open", "", "constraint c: y >= 0\n", "anaarr"},
    {"constraint, one-sided, touching", "", FLOOR "\n", "aaaarr"},
    {"restitution", FLOOR "\n", FLOOR " restitution 0.5\n", "a---rr"},
    {"restitution at a shock", "initial y' = -1\n" FLOOR "\n",
     "initial y' = -1\n" FLOOR " restitution 0.5\n", "aaaarr"},
    {"servo", "", "servo s: y = 2*x by force [0, 1, 0] at P\n", "aaaaaa"},
    {"friction", "", "friction f: 0.5 along x\n", "aaaarr"},
    {"friction at a contact", FLOOR "\n", FLOOR " friction 0.3 at P on B\n", "aaaarr"},
    {"lambda in a force", "constraint c: y = 2*x\n",
     "constraint c: y = 2*x\nforce lambda.c/10 along x\n", "aaaaaa"},
    // Blows.
    {"impulse", "", "impulse 3 along x when t = 0.1\n", "aananr"},
    {"impulse at the start", "", "impulse 3 along x when t = 0\n", "aaaana"},
    {"impulse after the end", "", "impulse 3 along x when t = 99\n", "aannnr"},
    {"impulse before the start", "", "impulse 3 along x when t = -1\n", "aannnr"},
    // Events.
    {"state", "", "state mode = 1\nforce mode along x\n", "aaaaaa"},
    {"state, continuous", "", "state xi' = x - xi\nforce xi along x\n", "aaaaaa"},
    {"while", "force 1 along x\n", "force 1 along x while t <= 0.1\n", "nn-anr"},
    {"until", "", "run until x <= 0.9\n", "nnaanr"},
    {"event, set", "", "event e: x = 0.9 { set x' = 2 }\n", "anaanr"},
    {"event, impulse", "", "event e: x = 0.9 { impulse 2 along x }\n", "anaanr"},
    {"event, record", "", "event e: x = 0.9 { record }\n", "anaanr"},
    {"event, stop", "", "event e: x = 0.9 { stop }\n", "anaanr"},
    {"sample", "state u = 0\nforce u along x\n",
     "state u = 0\nforce u along x\nsample 0.1 { set u = 1 - x }\n", "anaarr"},
    {"matrix", "force 3*x + 2*y along x\nforce x + y along y\n",
     "param K[2,2] = [[3, 2], [1, 1]]\nlet u = K*[x, y]\nforce u[1] along x\n"
     "force u[2] along y\n",
     "a---aa"},
    {"function, a table", "", "function f(s) = table(\"p.csv\")\npotential f(x + 50)\n", "aaaaaa"},
    {"pairs", "", "for i, j in pairs(1..3) { force i*j along x }\n", "aaaaaa"},
    {"interval", "param J = 3\nforce -J*th along th\n",
     "param J = 3 +/- 0.1\nforce -J*th along th\n", "--nnaa"},
    {"unit of an angle", "output e = th\n", "output e in deg = th\n", "--a--a"},
    {"while at a condition", "constraint c: y = 2*x\n", "constraint c: y = 2*x while t <= 0.1\n",
     "nn-anr"},
    {"sample with an impulse", "", "sample 0.1 { impulse 2 along x }\n", "anaarr"},
    {"run with a method", "run to 0.1\n", "run to 0.1 method erk\n", "---a-a"},
    {"initial of a state", "state xi' = x - xi\nforce xi along x\n",
     "state xi' = x - xi\nforce xi along x\ninitial xi = 2\n", "--aa-a"},
    // How it is described, where it begins, and what is shown of it.
    {"speed", "", "speed v = x' + y'\n", "aaaaaa"},
    {"independent", CURVE, CURVE "independent x\n", "aa-aaa"},
    {"initial", "", "initial y' = 3\n", "--aa-a"},
    {"initial approx", ROOT, ROOT "initial approx z = -1\n", "--aa-a"},
    {"output", "", "output e = x^2\n", "--aa-a"},
    {"run", "", "run to 0.1\n", "---a-a"},
    {"draw", "", "draw trace P\n", "-----a"}, // the code tells the model
};
enum { ROWS = sizeof rows / sizeof *rows };

static Outcome before;

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

static char cell_of(void)
{
    static char said[MOST_OUTPUT], said_before[MOST_OUTPUT];
    keep_messages(outcome.err, said);
    keep_messages(before.err, said_before);
    if (outcome.code == 2)
        return 'r';
    if (strcmp(outcome.out, before.out) != 0)
        return 'a';
    return strcmp(said, said_before) != 0 ? 'n' : '-';
}

static void put(const char *lines)
{
    char model[2048];
    snprintf(model, sizeof model, "%s%s", base, lines);
    put_model(model);
}

static void test_every_statement(void **state)
{
    (void)state;
    static const char included[] = "potential x^2\n";
    bool good = true;
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
    for (size_t i = 0; i < ROWS; i++) {
        char found[COMMANDS + 1] = {0};
        for (size_t c = 0; c < COMMANDS; c++) {
            put(rows[i].without);
            zwang(commands[c]);
            before = outcome;
            put(rows[i].with);
            zwang(commands[c]);
            found[c] = cell_of();
        }
        if (strcmp(found, rows[i].cells) != 0) {
            print_message("%s: %s, and not %s\n", rows[i].name, found, rows[i].cells);
            good = false;
        }
    }
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
