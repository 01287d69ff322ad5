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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hamel_tire),
        cmocka_unit_test(test_blade),
        cmocka_unit_test(test_hoop),
        cmocka_unit_test(test_canonical),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
