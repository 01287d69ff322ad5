// test_step_sources.c: the sources' own intermediate results come out among the steps of a
// derivation: Hamel's momenta, symbols and transition terms, Tzénoff's and Voronets' functions.
#include "files.h"
#include "support.h"

#include "forms/forms.h"

#include <flint/flint.h>

typedef struct {
    const char *of, *by;
    bool rate, brackets;
    const char *value;
} Known;

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

// The last line of this kind; NULL where there is none.
static const FormLine *find(const Form *form, const Known *known)
{
    for (size_t i = form->lines.count; i-- > 0;) {
        const FormLine *line = &form->lines.at[i];
        if (expr_is_none(line->left) && is_same_text(line->of, known->of) &&
            is_same_text(line->by, known->by) && line->rate == known->rate &&
            line->brackets == known->brackets)
            return line;
    }
    return NULL;
}

static void assert_lines(const char *title, const char *text, FormKind kind, const Known *known,
                         size_t count)
{
    Loaded loaded = load_good(title, text);
    Form *form = form_derive_in(kind, loaded.motion, FORM_IN_STEPS);
    ExprPool *pool = loaded.motion->pool;
    for (size_t i = 0; i < count; i++) {
        const FormLine *line = find(form, &known[i]);
        if (!line)
            print_message("%s: no line %s\n", title, known[i].of);
        assert_non_null(line);
        Source *source = source_new("expected", known[i].value, strlen(known[i].value));
        Expr expected;
        assert_int_equal(model_read_expression(pool, source, loaded.diag, &expected), STATUS_OK);
        source_free(source);
        Expr difference = expr_sub(pool, line->value, expected);
        assert_int_equal(algebra_is_zero(loaded.motion->algebra, difference).answer, ANSWER_YES);
    }
    form_free(form);
    unload(&loaded);
}

// Hamel 243, with the corrections of the errata: the momenta, the transition terms, ∂T/∂ψ.
static void test_hamel_tire(void **state)
{
    (void)state;
    static const char tire[] =
        "param m = 1, r = 1, g = 1, A = 1, C = 1\ncoord x, y, theta, psi, phi\n"
        "kinetic m*(x'^2 + y'^2 + r^2*psi'^2 + r^2*sin(psi)^2*theta'^2)/2"
        " - m*r*x'*(psi'*cos(psi)*sin(theta) + theta'*sin(psi)*cos(theta))"
        " + m*r*y'*(psi'*cos(psi)*cos(theta) - theta'*sin(psi)*sin(theta))"
        " + A*(psi'^2 + cos(psi)^2*theta'^2)/2 + C*(phi' - theta'*sin(psi))^2/2\n"
        "potential m*g*r*cos(psi)\n"
        "constraint a: -x'*sin(theta) + y'*cos(theta) = 0\n"
        "constraint b: r*phi' - x'*cos(theta) - y'*sin(theta) = 0\n"
        "speed w3 = theta', w4 = psi', w5 = x'*cos(theta) + y'*sin(theta)\n";
    static const Known known[] = {
        {.of = "P_1", .value = "m*r*cos(psi)*w4"},
        {.of = "P_2", .value = "C/r^2*w5 - C/r*sin(psi)*w3"},
        {.of = "P_3",
         .value = "m*r^2*sin(psi)^2*w3 - m*r*sin(psi)*w5 + A*cos(psi)^2*w3 + C*sin(psi)^2*w3"
                  " - C/r*sin(psi)*w5"},
        {.of = "P_4", .value = "m*r^2*w4 + A*w4"},
        {.of = "P_5", .value = "m*w5 - m*r*sin(psi)*w3 + C/r^2*w5 - C/r*sin(psi)*w3"},
        {.of = "β_1^{3,5}", .value = "-1"},
        {.of = "β_2^{1,3}", .value = "1"},
        {.of = "β_5^{1,3}", .value = "-1"},
        {.of = "Gamma_3", .value = "m*r*cos(psi)*w4*w5"},
        {.of = "Gamma_4", .value = "0"},
        {.of = "Gamma_5", .value = "-m*r*cos(psi)*w4*w3"},
        {.of = "T",
         .by = "ϑ_4",
         .value = "m*r^2*sin(psi)*cos(psi)*w3^2 - m*r*cos(psi)*w5*w3 - A*cos(psi)*sin(psi)*w3^2"
                  " + C*sin(psi)*cos(psi)*w3^2 - C/r*cos(psi)*w5*w3"},
        {.of = "Q_{w4}", .value = "m*g*r*sin(psi)"}};
    assert_lines("tire", tire, FORM_HAMEL, known, sizeof known / sizeof *known);
}

// Hamel 238: the blade.
static void test_blade(void **state)
{
    (void)state;
    Text text = read_file(ZWANG_SOURCE_DIR "/models/", "blade", ".zw");
    static const Known hamel[] = {{.of = "P_1", .value = "m*s*w"},
                                  {.of = "P_2", .value = "m*v"},
                                  {.of = "P_3", .value = "I*w"},
                                  {.of = "Gamma_2", .value = "-m*s*w^2"},
                                  {.of = "Gamma_3", .value = "m*s*v*w"}};
    static const Known appell[] = {{.of = "S", .by = "v'", .value = "m*v' - m*s*w^2"},
                                   {.of = "S", .by = "w'", .value = "I*w' + m*s*v*w"}};
    assert_lines("blade", text.at, FORM_HAMEL, hamel, sizeof hamel / sizeof *hamel);
    assert_lines("blade", text.at, FORM_APPELL, appell, sizeof appell / sizeof *appell);
    text_clear(&text);
}

// The hoop: Appell's Δ's with what they are made of, Tzénoff's ∂S₁ of the whole mass at its
// centre and ∂T₁, Voronets' A's; worked out by hand from x' = r cos θ φ', y' = r sin θ φ'.
static void test_hoop(void **state)
{
    (void)state;
    Text text = read_file(ZWANG_SOURCE_DIR "/models/", "hoop", ".zw");
    static const Known lagrange[] = {
        {.of = "a_{x,phi}", .value = "r*cos(theta)"},
        {.of = "a_{x,phi}", .rate = true, .value = "-r*sin(theta)*theta'"},
        {.of = "y'", .by = "theta", .value = "r*cos(theta)*phi'"},
        {.of = "R_theta", .value = "-m*r^2*cos(psi)*psi'*phi'"},
        {.of = "R_psi", .value = "0"},
        {.of = "R_phi", .value = "m*r^2*cos(psi)*theta'*psi'"}};
    static const Known tzenoff[] = {
        {.of = "S₁",
         .by = "phi''",
         .value = "m*r^2*(phi'' - sin(psi)*theta'' - 2*cos(psi)*theta'*psi')"},
        {.of = "T₁", .by = "phi'", .value = "m*r^2*(phi' - sin(psi)*theta')"},
        {.of = "T₁", .by = "theta", .value = "m*r^2*cos(psi)*psi'*phi'"}};
    static const Known voronets[] = {{.of = "A^{(x)}_{theta,phi}", .value = "r*sin(theta)"},
                                     {.of = "A^{(y)}_{theta,phi}", .value = "-r*cos(theta)"}};
    assert_lines("hoop", text.at, FORM_LAGRANGE, lagrange, sizeof lagrange / sizeof *lagrange);
    assert_lines("hoop", text.at, FORM_TZENOFF, tzenoff, sizeof tzenoff / sizeof *tzenoff);
    assert_lines("hoop", text.at, FORM_VORONETS, voronets, sizeof voronets / sizeof *voronets);
    text_clear(&text);
}

// Quanjel (21)–(25) by hand: T⁺ = ((1 + y²)x'² + y'²)/2, z' = y·x'. U holds the dependent z, so
// that its force comes through a = y, outside of H; the friction is outside too.
static void test_canonical(void **state)
{
    (void)state;
    static const char text[] = "param g = 10, d = 1\ncoord x, y, z\n"
                               "kinetic (x'^2 + y'^2 + z'^2)/2\npotential g*z + x^2\n"
                               "constraint a: z' = y*x'\nindependent x, y\nforce -d*x' along x\n";
    static const Known known[] = {
        {.of = "𝒦", .value = "p_x^2/(2*(1 + y^2)) + p_y^2/2"},
        {.of = "U", .value = "g*z + x^2"},
        {.of = "H", .value = "p_x^2/(2*(1 + y^2)) + p_y^2/2 + g*z + x^2"},
        {.of = "H", .by = "x", .value = "2*x"},
        {.of = "H", .by = "y", .value = "-y*p_x^2/(1 + y^2)^2"},
        {.of = "R_x", .brackets = true, .value = "y*p_x*p_y/(1 + y^2)"},
        {.of = "R_y", .brackets = true, .value = "-y*p_x^2/(1 + y^2)^2"},
        {.of = "Q*_x", .brackets = true, .value = "-d*p_x/(1 + y^2) - g*y"},
        {.of = "Q*_y", .brackets = true, .value = "0"}};
    assert_lines("canonical", text, FORM_CANONICAL, known, sizeof known / sizeof *known);
}

// ---- Hamel 232–234 and 242: transition equations, by hand.

// d1, e1 and Cx stand for dϑ_1, δϑ_1 and (dδ − δd)x.
static Expr in_letters(const Motion *motion, Expr e)
{
    ExprPool *pool = motion->pool;
    for (size_t i = 1; i <= motion->n; i++) {
        Text names[6] = {0};
        text_addf(&names[0], "d%zu", i);
        text_addf(&names[1], "dϑ_%zu", i);
        text_addf(&names[2], "e%zu", i);
        text_addf(&names[3], "δϑ_%zu", i);
        text_addf(&names[4], "C%s", motion->model->coords.at[i - 1].name);
        text_addf(&names[5], "(dδ − δd)%s", motion->model->coords.at[i - 1].name);
        for (int j = 0; j < 6; j += 2) {
            Expr from = expr_symbol(pool, names[j].at), to = expr_symbol(pool, names[j + 1].at);
            e = expr_replace(pool, e, &from, &to, 1);
        }
        for (int j = 0; j < 6; j++)
            text_clear(&names[j]);
    }
    return e;
}

// The step of this kind has these lines, in order.
static void assert_step(const char *text, FormStepKind kind, const char *const *expected)
{
    Loaded loaded = load_good("transitions", text);
    Motion *motion = loaded.motion;
    Form *form = form_derive_in(FORM_HAMEL, motion, FORM_IN_STEPS);
    const FormStep *step = NULL;
    for (size_t i = 0; i < form->steps.count; i++)
        if (form->steps.at[i].kind == kind)
            step = &form->steps.at[i];
    assert_non_null(step);
    for (size_t i = 0; i < step->count; i++) {
        Source *source = source_new("expected", expected[i], strlen(expected[i]));
        Expr value;
        assert_int_equal(model_read_expression(motion->pool, source, loaded.diag, &value),
                         STATUS_OK);
        source_free(source);
        const FormLine *line = &form->lines.at[step->first + i];
        Expr found = line->value;
        if (!expr_is_none(line->left))
            found = expr_sub(motion->pool, line->left, line->value);
        Verdict zero = algebra_is_zero(motion->algebra,
                                       expr_sub(motion->pool, found, in_letters(motion, value)));
        if (zero.answer != ANSWER_YES)
            print_message("step %d, line %zu is not %s\n", (int)kind, i, expected[i]);
        assert_int_equal(zero.answer, ANSWER_YES);
        verdict_clear(&zero);
    }
    form_free(form);
    unload(&loaded);
}

static void assert_notes(const char *text, const char *first, const char *second)
{
    Loaded loaded = load_good("notes", text);
    Form *form = form_derive(FORM_HAMEL, loaded.motion);
    size_t found = 0;
    for (size_t i = 0; i < form->notes.count; i++)
        found += strstr(form->notes.at[i], first) || strstr(form->notes.at[i], second);
    if (found != 2)
        print_message("%s; %s\n", first, second);
    assert_int_equal(found, 2);
    form_free(form);
    unload(&loaded);
}

#define GROUP    "all symbols are constant"
#define NO_GROUP "the speeds generate no group"

static const char hamels_blade[] =
    "param m = 1, s = 1, I = 1\ncoord x, y, theta\n"
    "kinetic m*(x'^2 + y'^2)/2 + m*s*theta'*(y'*cos(theta) - x'*sin(theta)) + I*theta'^2/2\n"
    "constraint a: y'*cos(theta) - x'*sin(theta) = 0\n"
    "speed v = x'*cos(theta) + y'*sin(theta)\nspeed w = theta'\n";

static void test_transitions_of_the_blade(void **state)
{
    (void)state;
    static const char *const whole[] = {"-sin(theta)*Cx + cos(theta)*Cy - d3*e2 + e3*d2",
                                        "cos(theta)*Cx + sin(theta)*Cy + d3*e1 - e3*d1", "Ctheta"};
    static const char *const brief[] = {"-d3*e2 + e3*d2", "d3*e1 - e3*d1", "0"};
    static const char *const coordinates[] = {
        "-sin(theta)*(d3*e2 - e3*d2) - cos(theta)*(d3*e1 - e3*d1)",
        "cos(theta)*(d3*e2 - e3*d2) - sin(theta)*(d3*e1 - e3*d1)", "0"};
    static const char *const central[] = {"m*s*w*e1 + m*v*e2 + I*w*e3", "0"};
    static const char *const in_speeds[] = {"(m*v' - m*s*w^2)*e2 + (I*w' + m*s*v*w)*e3"};
    assert_step(hamels_blade, STEP_TRANSITION_EQUATIONS, whole);
    assert_step(hamels_blade, STEP_TRANSITION_BRIEF, brief);
    assert_step(hamels_blade, STEP_TRANSITION_COORDINATES, coordinates);
    assert_step(hamels_blade, STEP_CENTRAL, central);
    assert_step(hamels_blade, STEP_CENTRAL_IN_SPEEDS, in_speeds);
    assert_notes(hamels_blade, GROUP, "ϑ_3 is a true coordinate");
}

// Hamel's first choice, whose symbols hold θ, and his second, whose symbols are ±1.
static void test_transitions_of_the_tire(void **state)
{
    (void)state;
#define TIRE                                                                                       \
    "param m = 1, r = 1, A = 1\ncoord x, y, theta, psi, phi\n"                                     \
    "kinetic m*(x'^2 + y'^2 + r^2*psi'^2)/2 + A*(theta'^2 + phi'^2)/2\n"
#define TIRE_SPEEDS "speed w3 = theta'\nspeed w4 = psi'\nspeed w5 = x'*cos(theta) + y'*sin(theta)\n"
    static const char first[] = TIRE "constraint a: x' - r*phi'*cos(theta) = 0\n"
                                     "constraint b: y' - r*phi'*sin(theta) = 0\n" TIRE_SPEEDS;
    static const char second[] =
        TIRE "constraint a: y'*cos(theta) - x'*sin(theta) = 0\n"
             "constraint b: r*phi' - x'*cos(theta) - y'*sin(theta) = 0\n" TIRE_SPEEDS;
    // r dφ = dϑ₅ − cos θ dϑ₁ − sin θ dϑ₂ for the first.
    static const char *const of_first[] = {
        "Cx - r*cos(theta)*Cphi + sin(theta)*(d3*(e5 - cos(theta)*e1 - sin(theta)*e2)"
        " - e3*(d5 - cos(theta)*d1 - sin(theta)*d2))",
        "Cy - r*sin(theta)*Cphi - cos(theta)*(d3*(e5 - cos(theta)*e1 - sin(theta)*e2)"
        " - e3*(d5 - cos(theta)*d1 - sin(theta)*d2))",
        "Ctheta", "Cpsi",
        "cos(theta)*Cx + sin(theta)*Cy + d3*(cos(theta)*e2 - sin(theta)*e1)"
        " - e3*(cos(theta)*d2 - sin(theta)*d1)"};
    static const char *const of_second[] = {
        "-sin(theta)*Cx + cos(theta)*Cy - d3*e5 + e3*d5",
        "r*Cphi - cos(theta)*Cx - sin(theta)*Cy - d3*e1 + e3*d1", "Ctheta", "Cpsi",
        "cos(theta)*Cx + sin(theta)*Cy + d3*e1 - e3*d1"};
    assert_step(first, STEP_TRANSITION_EQUATIONS, of_first);
    assert_step(second, STEP_TRANSITION_EQUATIONS, of_second);
    assert_notes(first, NO_GROUP, "ϑ_3, ϑ_4 are true coordinates");
    assert_notes(second, GROUP, "ϑ_3, ϑ_4 are true coordinates");
}

// The wagon, the conditions first: side, rolling, and the integrable 2bθ + r(φ₁ − φ₂).
static void test_transitions_of_the_wagon(void **state)
{
    (void)state;
    static const char wagon[] =
        "param m = 1, r = 1, b = 1, A = 1\ncoord x, y, theta, phi1, phi2\n"
        "kinetic m*(x'^2 + y'^2)/2 + A*(theta'^2 + phi1'^2 + phi2'^2)/2\n"
        "constraint side: y'*cos(theta) - x'*sin(theta) = 0\n"
        "constraint roll: r*(phi1' + phi2') + 2*(x'*cos(theta) + y'*sin(theta)) = 0\n"
        "constraint turn: 2*b*theta' + r*(phi1' - phi2') = 0\n"
        "speed v = x'*cos(theta) + y'*sin(theta)\nspeed w = theta'\n";
    static const char *const whole[] = {
        "-sin(theta)*Cx + cos(theta)*Cy - d5*e4 + e5*d4",
        "r*(Cphi1 + Cphi2) + 2*cos(theta)*Cx + 2*sin(theta)*Cy + 2*(d5*e1 - e5*d1)",
        "2*b*Ctheta + r*(Cphi1 - Cphi2)", "cos(theta)*Cx + sin(theta)*Cy + d5*e1 - e5*d1",
        "Ctheta"};
    assert_step(wagon, STEP_TRANSITION_EQUATIONS, whole);
    assert_notes(wagon, GROUP, "ϑ_3, ϑ_5 are true coordinates");
}

// Hamel 242: −1 along the axes of the body, +1 along those of space.
static void test_transitions_of_a_body(void **state)
{
    (void)state;
#define BODY                                                                                       \
    "param A = 1\ncoord phi, chi, psi\n"                                                           \
    "kinetic A*(phi'^2 + chi'^2 + psi'^2 + 2*cos(chi)*phi'*psi')/2\n"
    static const char body[] = BODY "speed p = chi'*cos(psi) + phi'*sin(chi)*sin(psi)\n"
                                    "speed q = -chi'*sin(psi) + phi'*sin(chi)*cos(psi)\n"
                                    "speed r = phi'*cos(chi) + psi'\n";
    static const char space[] = BODY "speed p = chi'*cos(phi) + psi'*sin(chi)*sin(phi)\n"
                                     "speed q = chi'*sin(phi) - psi'*sin(chi)*cos(phi)\n"
                                     "speed r = phi' + psi'*cos(chi)\n";
    // d'δϑ − δ'dϑ = −dϑ × δϑ, and dδϑ − δdϑ = −δϑ × dϑ.
    static const char *const of_body[] = {"e2*d3 - d2*e3", "e3*d1 - d3*e1", "e1*d2 - d1*e2"};
    static const char *const of_space[] = {"d2*e3 - e2*d3", "d3*e1 - e3*d1", "d1*e2 - e1*d2"};
    assert_step(body, STEP_TRANSITION_BRIEF, of_body);
    assert_step(space, STEP_TRANSITION_BRIEF, of_space);
}

// Time as a coordinate: dϑ = dz − c·t·dx has β with dt.
static void test_transitions_with_time(void **state)
{
    (void)state;
    static const char text[] = "param c = 1\ncoord x, z\nkinetic (x'^2 + z'^2)/2\n"
                               "constraint a: z' - c*t*x' = 0\nspeed u = x'\n";
    static const char *const whole[] = {"Cz - c*t*Cx - c*dt*e2", "Cx"};
    assert_step(text, STEP_TRANSITION_EQUATIONS, whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hamel_tire),
        cmocka_unit_test(test_blade),
        cmocka_unit_test(test_hoop),
        cmocka_unit_test(test_canonical),
        cmocka_unit_test(test_transitions_of_the_blade),
        cmocka_unit_test(test_transitions_of_the_tire),
        cmocka_unit_test(test_transitions_of_the_wagon),
        cmocka_unit_test(test_transitions_of_a_body),
        cmocka_unit_test(test_transitions_with_time),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
