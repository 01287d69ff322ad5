// test_body_steps.c: the energy of acceleration of a body in Appell's letters, (25) and (30), has
// the derivatives of the one that vectors give.
#include "support.h"

#include "algebra/algebra.h"
#include "expr/arithmetic.h"
#include "expr/expr.h"
#include "forms/forms.h"

// Puts every letter's value in, the last ones first, and the rates of p, q, r.
static Expr in_coordinates(const Form *form, Motion *motion, size_t last, Expr e)
{
    ExprPool *pool = motion->pool;
    for (size_t i = last; i-- > 0;) {
        const FormLine *line = &form->lines.at[i];
        // Lines for velocities are no letters.
        if (!line->of || strchr(line->of, '\'') || line->by || !expr_is_none(line->left))
            continue;
        Text name = {0};
        text_addf(&name, "%s'", line->of);
        Expr letter = expr_symbol(pool, line->of), rate = expr_symbol(pool, name.at);
        e = expr_replace(pool, e, &rate, (Expr[]){expr_rate(motion->dt, line->value)}, 1);
        e = expr_replace(pool, e, &letter, &line->value, 1);
        text_clear(&name);
    }
    return e;
}

// Where the line of the energy stands; `source` is the step's.
static size_t energy_line(const Form *form, FormStepKind kind)
{
    for (size_t i = 0; i < form->steps.count; i++)
        if (form->steps.at[i].kind == kind)
            return form->steps.at[i].first;
    fail_msg("the step is missing");
    return 0;
}

static void check_energy(Loaded *loaded, FormStepKind kind)
{
    Motion *motion = loaded->motion;
    ExprPool *pool = motion->pool;
    Form *form = form_derive_in(FORM_APPELL, motion, FORM_IN_STEPS);
    size_t at = energy_line(form, kind);
    Expr twice = in_coordinates(form, motion, at, form->lines.at[at].value);
    Expr spin = expr_sub(pool, motion_acceleration_energy(motion),
                         motion_centre_acceleration_energy(motion));
    Expr apart = expr_sub(pool, twice, expr_mul(pool, expr_int(pool, 2), spin));
    for (size_t nu = 0; nu < motion->n; nu++) {
        Verdict zero = algebra_is_zero(motion->algebra, expr_diff(pool, apart, motion->a[nu]));
        assert_int_equal(zero.answer, ANSWER_YES);
        verdict_clear(&zero);
    }
    form_free(form);
}

static void test_gallery(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        FormStepKind kind;
    } cases[] = {{"top", STEP_REVOLUTION_ENERGY},
                 {"hoop", STEP_REVOLUTION_ENERGY},
                 {"euler", STEP_BODY_ENERGY},
                 {"chaplygin", STEP_BODY_ENERGY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Loaded loaded = load_model(cases[i].model);
        check_energy(&loaded, cases[i].kind);
        unload(&loaded);
    }
}

// Six inertias in the body, a ball in axes of its own and in axes that turn as given, and a name p
// that the model has for something else.
static void test_any_axes(void **state)
{
    (void)state;
    static const char frames[] =
        "param A, B, C, D, E, F, w\ncoord psi, theta, phi\n"
        "frame f = world rotate psi about z\nframe g = f rotate theta about x\n"
        "frame b = g rotate phi about z\nframe h = world rotate w*t about x\n";
    static const struct {
        const char *body;
        FormStepKind kind;
    } cases[] = {
        {"body K frame b mass 1 at origin inertia [A, B, C, D, E, F]\n", STEP_BODY_ENERGY},
        {"body K frame b mass 1 at origin inertia [A, A, A] in f\n", STEP_AXES_ENERGY},
        {"body K frame b mass 1 at origin inertia [A, A, A] in h\n", STEP_AXES_ENERGY},
        {"body K frame b mass 1 at origin inertia [A, A, C] in g\n", STEP_REVOLUTION_ENERGY},
        {"param p = 1\nbody K frame b mass p at origin inertia [A, A, C] in g\n",
         STEP_REVOLUTION_ENERGY},
        {"speed p = psi'\nbody K frame b mass 1 at origin inertia [A, B, C]\n", STEP_BODY_ENERGY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Text text = {0};
        text_addf(&text, "%s%s", frames, cases[i].body);
        Loaded loaded = load_good("body", text.at);
        check_energy(&loaded, cases[i].kind);
        unload(&loaded);
        text_clear(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gallery),
                                       cmocka_unit_test(test_any_axes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
