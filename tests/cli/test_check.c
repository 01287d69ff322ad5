// test_check.c: the questions of kind as a user asks them: keys of the JSON, warnings, --reduce,
// and what is not asked of conditions on accelerations.
#include "program.h"

#define MODEL(name) "'" ZWANG_SOURCE_DIR "/models/" name ".zw'"

static void says(const char *text)
{
    if (!strstr(outcome.out, text))
        fail_msg("no '%s' in %s", text, outcome.out);
}

static void test_json(void **state)
{
    (void)state;
    assert_good("check " MODEL("hoop") " --as json");
    static const char *const keys[] = {
        "{\"coordinates\":[\"x\",\"y\",\"theta\",\"psi\",\"phi\"],\"degrees_of_freedom\":3,",
        "{\"name\":\"roll.x\",\"kind\":\"linear\",\"integrable\":false}",
        "\"holonomic\":false,\"relations\":[],\"hidden_relations\":0,\"growth\":[3,4,5],",
        "\"independent\":[\"theta'\",\"psi'\",\"phi'\"],\"order\":2,\"orders\":[{\"parameters\":[",
        "{\"parameters\":[\"theta\",\"psi\",\"phi\"],\"order\":2}],\"lagrange_holds\":[\"psi\"],",
        "\"forms\":{\"multipliers\":{\"applies\":true,",
        "\"integrals\":[{\"name\":\"energy\",\"kind\":\"energy\",\"value\":\"",
        "\"measure\":\"cos(psi)^2\"",
        "\"jacobi\":{\"extends\":false,\"phi\":null,\"reason\":\"R_theta holds velocities",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        says(keys[i]);
    assert_good("check " MODEL("cart") " --as json --only kind");
    says("\"relations\":[\"r*phi1 + 2*b*theta - r*phi2\"],\"hidden_relations\":1,");
    says("\"forms\":{},\"integrals\":null,\"jacobi\":null");
    assert_good("check " MODEL("point_spring") " --as json --only jacobi");
    says("\"jacobi\":{\"extends\":true,\"phi\":\"c^2*x^2/2\",\"reason\":null,");
    assert_wrong("check " MODEL("cart") " --only kinds", "unknown question 'kinds'");
}

// Values make a body one of revolution.
static void test_values(void **state)
{
    (void)state;
    assert_good("check " MODEL("euler") " --only kind --set B=1");
    says("order of non-holonomy 2 for the parameters p, q, r and the values given; 3 for others");
    assert_good("check " MODEL("euler") " --only kind --set B=1,C=1 --as json");
    says("\"order\":0,");
}

static void test_warning_at_the_start(void **state)
{
    (void)state;
    put_model("coord x, y, z\nkinetic x'^2 + y'^2 + z'^2\nconstraint a: z' = y^2*x'\n");
    assert_good("check m.zw --only kind");
    assert_non_null(strstr(outcome.err, "warning: at the start brackets open 2 directions and not "
                                        "3: the verdict about integrability is for other states"));
    assert_good("check m.zw --only kind --set y=1");
    assert_null(strstr(outcome.err, "warning"));
}

// A controller with an integral changes no condition: all but the count is said as without it.
static void test_beside_states(void **state)
{
    (void)state;
    static char without[MOST_OUTPUT];
#define SLED                                                                                       \
    "coord x, y, th\nkinetic (x'^2 + y'^2 + th'^2)/2\nconstraint c: y'*cos(th) = x'*sin(th)\n"
    put_model("system s\n" SLED);
    assert_good("check m.zw --only kind");
    strcpy(without, strstr(outcome.out, "not holonomic"));
    put_model("system s\n" SLED "state xi' = 1 - x\nforce xi along x\n");
    assert_good("check m.zw --only kind");
    says(without);
    assert_null(strstr(outcome.err, "warning"));
    put_model("system s\n" SLED "state xi' = 1 - xi\nconstraint d: x = xi\n");
    assert_good("check m.zw --only kind");
    says("is not known: conditions, speeds or the kinetic energy hold continuous states");
}

static void test_one_sided(void **state)
{
    (void)state;
    assert_good("check " MODEL("string_pendulum"));
    assert_non_null(strstr(outcome.err, "the motion while string acts, as at the start"));
    says("holonomic: every condition is finite");
    assert_good("check " MODEL("string_pendulum") " --acting none");
    says("holonomic: nothing constrains it");
}

#define BALL                                                                                       \
    "param m = 1, r = 1/2, J = 2/5*m*r^2\ncoord x, y, psi, theta, phi\n"                           \
    "let p = theta'*cos(psi) + phi'*sin(theta)*sin(psi)\n"                                         \
    "let q = theta'*sin(psi) - phi'*sin(theta)*cos(psi)\nlet n = psi' + phi'*cos(theta)\n"         \
    "kinetic m*(x'^2 + y'^2)/2 + J*(p^2 + q^2 + n^2)/2\n"                                          \
    "constraint a: x' = r*q\nconstraint b: y' = -r*p\ninitial theta = 1\n"

// Crescini's ball (Quanjel 18): order 2 in Euler's angles, 0 in the components of the angular
// velocity. What is said of the essential order (Appell 1) does not contradict itself.
static void test_essential_order(void **state)
{
    (void)state;
    put_model(BALL);
    assert_good("check m.zw --only kind");
    says("order of non-holonomy 2 for the parameters ψ, θ, φ");
    says("(ψ, θ, φ) 2; the least of these choices is 2, so that the essential order (Appell 1) is "
         "at most that");
    assert_good("check m.zw --as json");
    says("\"essential_order_at_most\":2");
    put_model(BALL "speed wx = p\nspeed wy = q\nspeed wz = n\n");
    assert_good("check m.zw --only kind");
    says("order of non-holonomy 0 for the parameters wx, wy, wz");
    says("(ψ, θ, φ) 2; the essential order (Appell 1) is 0");
    assert_good("check " MODEL("polar_area"));
    says("parameters: (r, θ) 0; the essential order (Appell 1) is 0");
}

// Published equations: each line of the answers, keys of the JSON, and exit codes.
static void test_equations(void **state)
{
    (void)state;
    assert_good("check " BLADE " --equation \"I*w' + m*s*v*w = 0\"");
    assert_string_equal(outcome.out, "yes: I·w′ + m·s·v·w = 0   proved exactly\n");
    assert_good("check " BLADE " --equation \"sin(theta)*v' = s*w^2*sin(theta)\" --as json");
    says("\"follows\":true,\"proof\":\"exact\",\"factor\":\"sin(theta)/m\",\"special\":false}]");
    assert_good("check " BLADE " --equation \"diff(T, x')' = -sin(theta)*lambda.edge\" "
                "--equation \"diff(hamel.T + x^2, v) = m*v\"");
    assert_string_equal(outcome.out, "yes: (∂T/∂x′)′ = −sin(θ)·λ.edge   proved exactly\n"
                                     "yes: ∂(hamel.T + x²)/∂v = m·v   proved exactly\n");
    zwang("check " BLADE " --equation \"w' = 0\"");
    assert_int_equal(outcome.code, 1);
    assert_begins(outcome.out, "no: left − right = −m·s·v·w/I on the motion, for example left");
    zwang("check " BLADE " --equation \"w' = 0\" --as json");
    assert_int_equal(outcome.code, 1);
    says("\"follows\":false,\"difference\":\"-m*s*v*w/I\",\"witness\":{\"v\":");
    zwang("check " MODEL("second_class") " --equation \"x1'' = 0\" --as json");
    assert_int_equal(outcome.code, 1);
    says("\"follows\":null,\"reason\":\"the equations are not affine in the accelerations");
}

static void test_wrong_equations(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"wdot = 1", "'wdot' is unknown; the derivative of w is w'"},
        {"m = 2*I", "this equation holds no quantity of the motion"},
        {"t = 1", "this equation holds no quantity of the motion"},
        {"P_u = 0", "'P_u': hamel has P_v and P_w"},
        {"R_y = 0", "'R_y': lagrange has R_x and R_theta"},
        {"beta[1,2,4] = 0", "hamel's symbols are beta[1,2,3], with indices up to 3"},
        {"johnsen1.P_v = 0", "johnsen1 does not apply"},
        {"x''' = 0", "there are no derivatives above the second"},
        {"S' = 0", "there are no derivatives above the second"},
        {"lambda.edge' = 0", "a multiplier cannot be differentiated"},
        {"lambda.edg = 0", "unknown constraint 'edg'; did you mean 'edge'?"},
        {"lambda = 0", "a multiplier is written lambda.NAME"},
        {"v <= 1", "an equation is written with one '='"},
        {"v = 1 = w", "an equation is written with one '='"},
        {"v", "'=' with the other side"},
        {"v w = 1", "a ':' is missing"},
        {"[v, w, 0] = 0", "a side of an equation"},
        {"diff(T, v) = 0", "this holds velocities that the speeds declared above do not determine"},
        {"diff(S0, v') = 0", "this holds velocities; by the rate of a speed only"},
        {"diff(T+, x') = 0", "this is written in speeds, so that no velocity stands in it"},
        {"", "there is no equation; write a = b"},
        {"# v = 1", "there is no equation; write a = b"},
    };
    char words[256];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(words, sizeof words, "check " BLADE " --equation \"%s\"", wrong[i][0]);
        assert_wrong(words, wrong[i][1]);
    }
    assert_wrong("check " BLADE " --equation \"v = 1\" --only forms", "--only names questions");
    assert_wrong("check " BLADE " --equations none.txt", "cannot read 'none.txt'");
}

// A bad line does not keep the others from their answers.
static void test_equation_files(void **state)
{
    (void)state;
    static const char lines[] = "# of the blade\n"
                                "a: w' = -m*s*v*w/I   # right\n"
                                "b: w' = -m*s*(v*w\n"
                                "\n"
                                "c: (m*v)'\n"
                                "   = m*s*(w^2\n"
                                "     + 0)\n"
                                "d: unknown' = 3\n"
                                "e: T⁺' = T+'\n"
                                "T + U = T+ - 0 + U\n";
    put_file("some.txt", lines, strlen(lines));
    zwang("check " BLADE " --equations some.txt --equation \"v = v\"");
    assert_int_equal(outcome.code, 2);
    says("yes: v = v   proved exactly\na: yes: w′ = −m·s·v·w/I   proved exactly\n"
         "c: yes: (m·v)′ = m·s·(w² + 0)   proved exactly\ne: yes: ");
    says("\nyes: T + U = T+ − 0 + U   proved exactly\n");
    assert_non_null(strstr(outcome.err, "some.txt:3:14: error: this '(' is not closed"));
    assert_non_null(strstr(outcome.err, "some.txt:8:4: error: unknown name 'unknown'"));
    zwang("check " BLADE " --equations some.txt --as json");
    assert_int_equal(outcome.code, 2);
    says(
        "{\"label\":\"d\",\"equation\":\"unknown' = 3\",\"follows\":null,\"error\":\"unknown name");
    says("\"all_follow\":false");
}

// Every JSON of every command says which version wrote it.
static void test_versions(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "derive " BLADE " --as json",
        "derive " BLADE " --naive --as json",
        "derive " BLADE " --form hamel --steps --as json",
        "check " BLADE " --only kind --as json",
        "check " BLADE " --equation \"v = v\" --as json",
        "at " BLADE " --as json",
        "at " MODEL("bouncing_ball") " --steps --as json",
        "stability " BLADE " --at v=1,w=0 --as json",
        "stability " BLADE " --at v=1,w=0 --vary s=-0.5:0.5:5 --as json",
        "run " BLADE " --to 1 --quiet --out all.json && cat all.json"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        zwang(commands[i]);
        if (!strstr(outcome.out, ",\"zwang_version\":\""))
            print_message("%s\n", commands[i]);
        says(",\"zwang_version\":\"");
    }
}

// The same motion with fewer coordinates; what was replaced is an output.
static void test_reduce(void **state)
{
    (void)state;
    assert_good("run " MODEL("cart") " --to 1 --every 1 --out - --quiet");
    char whole[64];
    const char *last = strrchr(outcome.out, '\n');
    while (last[-1] != '\n')
        last--;
    snprintf(whole, sizeof whole, "%.20s", last);
    assert_good("run " MODEL("cart") " --reduce --to 1 --every 1 --out - --quiet");
    assert_begins(outcome.out, "t,x,y,theta,phi1,x',y',theta',phi1',v,w,lambda.right,lambda.side,"
                               "energy,phi2\n");
    char begin[16];
    snprintf(begin, sizeof begin, "\n%.12s", whole);
    says(begin);
    assert_good("check " MODEL("cart") " --reduce --only kind");
    says("4 coordinates, 2 independent conditions");
    assert_non_null(strstr(outcome.err, "note: reduced: 'phi2 = phi1 + 2*b*theta/r'"));
    assert_good("at " MODEL("sliding_top") " --reduce");
    assert_good("check " MODEL("hoop") " --reduce --only kind");
    assert_non_null(strstr(outcome.err, "nothing to reduce"));
    // What relations determine wholly: one coordinate stays with its condition.
    assert_good_model("coord x, y\nmass 1 at [x, y, 0]\nconstraint a: x + y = 1\n"
                      "constraint b: x - y = 3\n",
                      "run --reduce --to 1 --every 1 --out -");
    says("\n1,1.99999999");
    assert_non_null(strstr(outcome.err, "since one coordinate has to stay: 1"));
}

static void test_columns_of_integrals(void **state)
{
    (void)state;
    assert_good("run " MODEL("cylinder") " --to 0.5 --every 0.25 --integrals --out - --quiet");
    says(",energy,integral.linear.1,integral.linear.2\n");
}

// What is about conditions on velocities is not answered for one on accelerations.
static void test_second_class(void **state)
{
    (void)state;
    assert_good("check " MODEL("second_affine"));
    says("1 condition on the accelerations (second class, 1 affine), which binds no velocity; of "
         "the accelerations 2 stay free\n");
    says("whether the conditions are integrable is not known: 'edge' holds accelerations");
    says("order of non-holonomy: not known: a condition holds accelerations");
    says("first integrals: not sought: a condition holds accelerations\n");
    says("Jacobi's theorem is not known to extend: edge holds accelerations");
    says("each pair of the 9 forms gives the same motion");
    assert_good("run " MODEL("second_affine") " --to 0.5 --audit");
    says("conditions hold, against their largest terms, in accelerations to ");
}

// Ferrers' case: the centre of the hoop is at r sin psi across the track and r cos psi above it,
// and rolling adds r cos theta δφ, r sin theta δφ, which hold no psi.
static void test_exact_differentials(void **state)
{
    (void)state;
    assert_good("check '" ZWANG_SOURCE_DIR "/models/hoop.zw' --only kind");
    assert_non_null(strstr(outcome.out, "  θ: no\n  ψ: yes, so that its plain Lagrange equation is "
                                        "right\n    hoop: U = (−r·sin(θ)·sin(ψ), "
                                        "r·cos(θ)·sin(ψ), r·cos(ψ))\n  φ: no\n"));
    assert_good("check '" ZWANG_SOURCE_DIR "/models/hoop.zw' --only kind --as json");
    assert_non_null(strstr(outcome.out, "{\"parameter\":\"psi\",\"exact\":true,\"U\":[{\"of\":"
                                        "\"hoop\",\"value\":["));
    // By hand: x' = u' and z' = y u', so that a_z,u = y; ∂y/∂y is not ∂a_z,y/∂u = 0.
    assert_good_model("coord u, y, z\nmass 2 at [u, y, z]\nconstraint c: z' = y*u'\n",
                      "check --only kind --independent u,y");
    assert_non_null(strstr(outcome.out, "  u: no\n  y: no\n"));
    assert_good_model("coord u, y, z, w\nmass 2 at [u, y, z]\nmass 1 at [w, 0, 0]\n"
                      "constraint c: z' = y*u'\n",
                      "check --only kind --independent u,y,w");
    assert_non_null(
        strstr(outcome.out, "  w: yes, so that its plain Lagrange equation is right\n"));
}

// Hamel 229: the blade's motion; the run is compared with it in the gallery.
static void test_turning(void **state)
{
    (void)state;
    assert_good("check " BLADE " --only integrals");
    assert_non_null(strstr(outcome.out, "V² = v² + I·w²/m and κ = V·m·s/I:\n"
                                        "  v = V·tanh(κ·(t − t₀))\n"
                                        "  w = ±V·sqrt(m/I)/cosh(κ·(t − t₀))\n"
                                        "  θ turns from t₀ to ∞ by ½·π·sqrt(I/(m·s²))\n"
                                        "  the path of (x, y) has a cusp at t₀"));
    // A force along the edge makes it another motion.
    assert_good("check '" ZWANG_SOURCE_DIR "/models/cart.zw' --only integrals");
    assert_null(strstr(outcome.out, "by quadratures"));
}

// Delassus: the ball lets the point go anywhere at its height at once, the hoop along its plane
// alone; the caster's weight has any velocity, or in the limit those of a cone (Appell 3, 22).
static void test_realizations(void **state)
{
    (void)state;
#define MODELS "check --only kind '" ZWANG_SOURCE_DIR "/models/"
    assert_good(MODELS "delassus_ball.zw'");
    assert_non_null(strstr(outcome.out,
                           "  P: virtual displacements 2, velocities 2, accelerations 2, "
                           "of 2 directions that it can reach: perfect\n"));
    assert_good(MODELS "delassus_hoop.zw'");
    assert_non_null(strstr(outcome.out,
                           "  P: virtual displacements 1, velocities 2, accelerations 2, "
                           "of 2 directions that it can reach: imperfect"));
    assert_good(MODELS "caster.zw'");
    assert_non_null(strstr(outcome.out,
                           "  M: virtual displacements 2, velocities 3, accelerations 2, "
                           "of 3 "));
    assert_good(MODELS "caster_limit.zw' --as json");
    assert_non_null(strstr(outcome.out, "\"realizations\":[{\"of\":\"M\",\"displacements\":1,"
                                        "\"velocities\":2,\"accelerations\":2,\"reached\":3,"
                                        "\"perfect\":false}]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_beside_states),
        cmocka_unit_test(test_one_sided),
        cmocka_unit_test(test_essential_order),
        cmocka_unit_test(test_warning_at_the_start),
        cmocka_unit_test(test_equations),
        cmocka_unit_test(test_wrong_equations),
        cmocka_unit_test(test_equation_files),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_reduce),
        cmocka_unit_test(test_columns_of_integrals),
        cmocka_unit_test(test_exact_differentials),
        cmocka_unit_test(test_turning),
        cmocka_unit_test(test_realizations),
        cmocka_unit_test(test_second_class),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
