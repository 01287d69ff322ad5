// test_sources.c: the equations that the sources print, recognised exactly.
#include "support.h"

#include "forms/forms.h"

#include <flint/flint.h>

typedef struct {
    ExprPool *pool;
    Algebra *algebra;
} Desk;

static Expr sym(const Desk *desk, const char *name)
{
    return expr_symbol(desk->pool, name);
}

static Expr times(const Desk *desk, Expr a, Expr b)
{
    return expr_mul(desk->pool, a, b);
}

static Expr squared(const Desk *desk, Expr a)
{
    return expr_pow_int(desk->pool, a, 2);
}

static void assert_equation(const Desk *desk, const Form *form, size_t index, Expr left, Expr right)
{
    const FormEquation *equation = &form->equations.at[index];
    Expr printed = expr_sub(desk->pool, left, right);
    Expr derived = expr_sub(desk->pool, equation->left, equation->right);
    Verdict verdict = algebra_is_zero(desk->algebra, expr_sub(desk->pool, printed, derived));
    assert_int_equal(verdict.answer, ANSWER_YES);
    verdict_clear(&verdict);
}

// Appell 9, with the corrections of the errata: m(r'' − 4σ'²/r³) = Q and 4mσ''/r² = 2P/r.
static void test_appell_9(void **state)
{
    (void)state;
    Loaded loaded = load_model("polar_area");
    Desk desk = {loaded.motion->pool, loaded.motion->algebra};
    Form *form = form_derive(FORM_APPELL, loaded.motion);
    assert_int_equal(form->equations.count, 2);
    assert_string_equal(form->equations.at[0].label, "s");
    assert_string_equal(form->equations.at[1].label, "r'");
    Expr m = sym(&desk, "m"), r = sym(&desk, "r"), s = sym(&desk, "s");
    Expr four = expr_int(desk.pool, 4), two = expr_int(desk.pool, 2);
    Expr areal = expr_div(desk.pool, times(&desk, four, times(&desk, m, sym(&desk, "s'"))),
                          squared(&desk, r));
    assert_equation(&desk, form, 0, areal,
                    expr_div(desk.pool, times(&desk, two, sym(&desk, "P")), r));
    Expr centrifugal =
        expr_div(desk.pool, times(&desk, four, squared(&desk, s)), expr_pow_int(desk.pool, r, 3));
    Expr radial = times(&desk, m, expr_sub(desk.pool, sym(&desk, "r''"), centrifugal));
    assert_equation(&desk, form, 1, radial, sym(&desk, "Q"));
    form_free(form);
    unload(&loaded);
}

// Hamel 238: m v' − m s ϑ'² = 0 and I ϑ'' + m s v ϑ' = 0 for the blade without forces.
static void test_hamel_blade(void **state)
{
    (void)state;
    Loaded loaded = load_model("blade");
    Desk desk = {loaded.motion->pool, loaded.motion->algebra};
    Form *form = form_derive(FORM_APPELL, loaded.motion);
    assert_int_equal(form->equations.count, 2);
    Expr m = sym(&desk, "m"), s = sym(&desk, "s"), zero = expr_int(desk.pool, 0);
    Expr v = sym(&desk, "v"), w = sym(&desk, "w"), ms = times(&desk, m, s);
    assert_equation(
        &desk, form, 0,
        expr_sub(desk.pool, times(&desk, m, sym(&desk, "v'")), times(&desk, ms, squared(&desk, w))),
        zero);
    assert_equation(&desk, form, 1,
                    expr_add(desk.pool, times(&desk, sym(&desk, "I"), sym(&desk, "w'")),
                             times(&desk, ms, times(&desk, v, w))),
                    zero);
    form_free(form);
    unload(&loaded);
}

// Hamel 239: with the whole inertia in the speeds, (m + 2C/r²) v' − m a w² = Z and
// (I + 2Cb²/r²) w' + m a v w = 0.
static void test_hamel_cart(void **state)
{
    (void)state;
    Loaded loaded = load_model("cart");
    Desk desk = {loaded.motion->pool, loaded.motion->algebra};
    Form *form = form_derive(FORM_APPELL, loaded.motion);
    assert_int_equal(form->equations.count, 2);
    Expr m = sym(&desk, "m"), a = sym(&desk, "a"), b = sym(&desk, "b");
    Expr v = sym(&desk, "v"), w = sym(&desk, "w"), ma = times(&desk, m, a);
    Expr wheels = expr_div(desk.pool, times(&desk, expr_int(desk.pool, 2), sym(&desk, "CR")),
                           squared(&desk, sym(&desk, "r")));
    Expr along = times(&desk, expr_add(desk.pool, m, wheels), sym(&desk, "v'"));
    assert_equation(&desk, form, 0, expr_sub(desk.pool, along, times(&desk, ma, squared(&desk, w))),
                    sym(&desk, "Z"));
    Expr inertia = expr_add(desk.pool, sym(&desk, "I"), times(&desk, wheels, squared(&desk, b)));
    assert_equation(&desk, form, 1,
                    expr_add(desk.pool, times(&desk, inertia, sym(&desk, "w'")),
                             times(&desk, ma, times(&desk, v, w))),
                    expr_int(desk.pool, 0));
    form_free(form);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_appell_9),
        cmocka_unit_test(test_hamel_blade),
        cmocka_unit_test(test_hamel_cart),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
