// test_symbols.c: Hamel's three-index symbols against independently computed ones (reference
// problem 17), exactly; and Appell's corrections R, whose number is the order of the system.
#include "support.h"

#include "forms/forms.h"

#include <flint/flint.h>

typedef struct {
    const char *name, *value;
} Known;

typedef struct {
    const char *title, *model;
    Known known[8]; // all that do not vanish with the first upper index below the second
} Case;

static const Case cases[] = {
    {"blade",
     "coord x, y, theta\nkinetic x'^2 + y'^2 + theta'^2\n"
     "constraint a: -x'*sin(theta) + y'*cos(theta) = 0\n"
     "speed v = x'*cos(theta) + y'*sin(theta), w = theta'\n",
     {{"β_1^{2,3}", "1"}, {"β_2^{1,3}", "-1"}}},
    {"tire (no. 243)",
     "param r = 1\ncoord x, y, theta, psi, phi\n"
     "kinetic x'^2 + y'^2 + theta'^2 + psi'^2 + phi'^2\n"
     "constraint a: -x'*sin(theta) + y'*cos(theta) = 0\n"
     "constraint b: r*phi' - x'*cos(theta) - y'*sin(theta) = 0\n"
     "speed u3 = theta', u4 = psi', u5 = x'*cos(theta) + y'*sin(theta)\n",
     {{"β_1^{3,5}", "-1"}, {"β_2^{1,3}", "1"}, {"β_5^{1,3}", "-1"}}},
    {"tire, first choice of no. 234",
     "param r = 1\ncoord x, y, theta, psi, phi\n"
     "kinetic x'^2 + y'^2 + theta'^2 + psi'^2 + phi'^2\n"
     "constraint a: x' - r*phi'*cos(theta) = 0\nconstraint b: y' - r*phi'*sin(theta) = 0\n"
     "speed u3 = theta', u4 = psi', u5 = x'*cos(theta) + y'*sin(theta)\n",
     {{"β_1^{1,3}", "sin(2*theta)/2"},
      {"β_1^{2,3}", "sin(theta)^2"},
      {"β_1^{3,5}", "sin(theta)"},
      {"β_2^{1,3}", "-cos(theta)^2"},
      {"β_2^{2,3}", "-sin(2*theta)/2"},
      {"β_2^{3,5}", "-cos(theta)"},
      {"β_5^{1,3}", "sin(theta)"},
      {"β_5^{2,3}", "-cos(theta)"}}},
    {"cart (no. 239), its order: conditions first",
     "param r = 1, b = 2\ncoord x, y, theta, phi1, phi2\n"
     "kinetic x'^2 + y'^2 + theta'^2 + phi1'^2 + phi2'^2\n"
     "constraint a: -x'*sin(theta) + y'*cos(theta) = 0\n"
     "constraint d: r*(phi1' + phi2') + 2*(x'*cos(theta) + y'*sin(theta)) = 0\n"
     "constraint e: 2*b*theta' + r*(phi1' - phi2') = 0\n"
     "speed v = x'*cos(theta) + y'*sin(theta), w = theta'\n",
     {{"β_1^{4,5}", "1"}, {"β_4^{1,5}", "-1"}, {"β_2^{1,5}", "-2"}}},
    {"rheonomic wheels (no. 240), f = 1 + t^2",
     "coord phi1, phi2\nkinetic phi1'^2 + phi2'^2\n"
     "constraint a: phi1' - (1 + t^2)*phi2' = 0\nspeed w = phi2'\n",
     {{"β_1^{0,2}", "-2*t"}}},
    {"holonomic example (no. 241)",
     "coord q1, q2\nkinetic q1'^2 + q2'^2\nspeed w1 = q1' + q1*q2', w2 = q2'\n",
     {{"β_1^{1,2}", "1"}}},
    {"rigid body, body axes",
     "coord chi, varphi, psi\nkinetic chi'^2 + varphi'^2 + psi'^2\n"
     "speed p = chi'*cos(psi) + varphi'*sin(chi)*sin(psi)\n"
     "speed q = -chi'*sin(psi) + varphi'*sin(chi)*cos(psi)\n"
     "speed r = varphi'*cos(chi) + psi'\n",
     {{"β_1^{2,3}", "-1"}, {"β_2^{1,3}", "1"}, {"β_3^{1,2}", "-1"}}},
    {"rigid body, space axes",
     "coord chi, fi, psi\nkinetic chi'^2 + fi'^2 + psi'^2\n"
     "speed wx = chi'*cos(fi) + psi'*sin(chi)*sin(fi)\n"
     "speed wy = chi'*sin(fi) - psi'*sin(chi)*cos(fi)\nspeed wz = fi' + psi'*cos(chi)\n",
     {{"β_1^{2,3}", "1"}, {"β_2^{1,3}", "-1"}, {"β_3^{1,2}", "1"}}},
    {"Appell (31)",
     "coord theta, phi, psi\nkinetic theta'^2 + phi'^2 + psi'^2\n"
     "speed l = -psi'*sin(theta), m = theta', n = psi'*cos(theta) + phi'\n",
     {{"β_1^{1,2}", "-1/tan(theta)"}, {"β_3^{1,2}", "-1"}}},
    {"caster (no. 250)",
     "param a = 1\ncoord xi, eta, theta, phi\nkinetic xi'^2 + eta'^2 + theta'^2 + phi'^2\n"
     "constraint a1: -xi'*sin(theta) + eta'*cos(theta) = 0\n"
     "constraint a2: xi'*cos(theta) + eta'*sin(theta) - a*phi' = 0\n"
     "speed w3 = theta', w4 = phi'\n",
     {{"β_1^{2,3}", "1"}, {"β_1^{3,4}", "-a"}, {"β_2^{1,3}", "-1"}}},
};

static Expr read_value(Loaded *loaded, const char *text)
{
    Source *source = source_new("expected", text, strlen(text));
    Expr value;
    assert_int_equal(model_read_expression(loaded->model->pool, source, loaded->diag, &value),
                     STATUS_OK);
    source_free(source);
    return value;
}

static const FormFunction *find(const Form *form, const char *name)
{
    for (size_t i = 0; i < form->functions.count; i++)
        if (strcmp(form->functions.at[i].name, name) == 0)
            return &form->functions.at[i];
    return NULL;
}

static void assert_is(Loaded *loaded, Expr value, const char *expected)
{
    Expr other = read_value(loaded, expected);
    Verdict verdict =
        algebra_is_zero(loaded->motion->algebra, expr_sub(loaded->model->pool, value, other));
    assert_int_equal(verdict.answer, ANSWER_YES);
    verdict_clear(&verdict);
}

static void check_symbols(const Case *one)
{
    Loaded loaded = load_good(one->title, one->model);
    Form *form = form_derive(FORM_HAMEL, loaded.motion);
    size_t known = 0, shown = 0;
    for (; known < 8 && one->known[known].name; known++) {
        const FormFunction *beta = find(form, one->known[known].name);
        if (!beta)
            print_message("%s: no %s\n", one->title, one->known[known].name);
        assert_non_null(beta);
        assert_is(&loaded, beta->value, one->known[known].value);
    }
    for (size_t i = 0; i < form->functions.count; i++)
        shown += strncmp(form->functions.at[i].name, "β", strlen("β")) == 0;
    if (shown != known)
        print_message("%s: %zu symbols\n", one->title, shown);
    assert_int_equal(shown, known);
    form_free(form);
    unload(&loaded);
}

static void test_symbols(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_symbols(&cases[i]);
}

// Appell's Δ of the hoop in our angles: none for the lean, two others (Appell 2, errata 4).
static void test_corrections_of_the_hoop(void **state)
{
    (void)state;
    Loaded loaded = load_model("hoop");
    Form *form = form_derive(FORM_LAGRANGE, loaded.motion);
    static const Known known[] = {{"R_theta", "-m*r^2*cos(psi)*psi'*phi'"},
                                  {"R_psi", "0"},
                                  {"R_phi", "m*r^2*cos(psi)*theta'*psi'"}};
    for (size_t i = 0; i < 3; i++) {
        const FormFunction *R = find(form, known[i].name);
        assert_non_null(R);
        assert_is(&loaded, R->value, known[i].value);
    }
    form_free(form);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_corrections_of_the_hoop),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
