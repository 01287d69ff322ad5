// test_agreement.c: every form of every model gives the same motion, by exact proof; and a
// planted sign error in any of them is found.
#include "agree_case.h"

#include <flint/flint.h>

static const char *const models[] = {"blade", "polar", "polar_area", "cart", "bead"};

// A random system would not tell more here than one with everything in it: a rheonomic
// condition, a finite one, masses and a given kinetic energy, forces of all kinds.
static const char mixed[] = "param m = 2, k = 3, c = 1/2, g = 9.81\n"
                            "coord x, y, z, theta\n"
                            "point P = [x*cos(theta), y + x*sin(theta), z]\n"
                            "mass m at P\n"
                            "kinetic theta'^2*(1 + x^2)/2 + x'*z' + z'^2\n"
                            "potential k*x^2*z + cos(theta - y)\n"
                            "gravity [0, 0, -g]\n"
                            "force c*x' along y\n"
                            "force [x, 0, -z'*sin(t)] at P + [0, x, 0]\n"
                            "speed w = theta' + x*x'\n"
                            "force t*z along w\n"
                            "constraint a: z' = c*t*x' + y*theta'\n"
                            "constraint b: y = sin(t)*x + z\n";

static void test_forms_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        Loaded loaded = load_model(models[i]);
        assert_forms_agree(loaded.motion, models[i]);
        unload(&loaded);
    }
}

static void test_forms_agree_on_a_mixed_system(void **state)
{
    (void)state;
    Loaded loaded = load_good("mixed", mixed);
    assert_int_equal(loaded.motion->k, 2);
    assert_forms_agree(loaded.motion, "mixed");
    unload(&loaded);
}

// ---- Many conditions: a chain by the places of its masses.

static Loaded load_chain(int links)
{
    char text[512];
    snprintf(text, sizeof text,
             "const N = %d\nparam g = 9.81\ncoord x[N], y[N]\npoint P[0] = origin\n"
             "for i in 1..N {\n    point P[i] = [x[i], y[i], 0]\n    mass i at P[i]\n"
             "    initial x[i] = 0, y[i] = -i\n}\n"
             "constraint c[1]: x[1]^2 + y[1]^2 = 1\nfor i in 2..N {\n"
             "    constraint c[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n}\n"
             "gravity [0, -g, 0]\n",
             links);
    return load_good("chain", text);
}

// Determinants of an odd and of an even number of rows, by Laplace's rule and by the adjugate.
static void test_determinants_of_many_conditions(void **state)
{
    (void)state;
    for (int links = 3; links <= 6; links++) {
        Loaded loaded = load_chain(links);
        Form *multipliers = form_derive(FORM_MULTIPLIERS, loaded.motion);
        Form *korteweg = form_derive(FORM_KORTEWEG, loaded.motion);
        Verdict verdict = inquiry_forms_agree(loaded.motion, multipliers, korteweg);
        assert_int_equal(verdict.answer, ANSWER_YES);
        verdict_clear(&verdict);
        form_free(multipliers);
        form_free(korteweg);
        unload(&loaded);
    }
    Loaded loaded = load_chain(25);
    Form *korteweg = form_derive(FORM_KORTEWEG, loaded.motion);
    assert_non_null(korteweg->reason);
    assert_non_null(strstr(korteweg->reason, "up to 24 conditions"));
    form_free(korteweg);
    unload(&loaded);
}

// Freedoms enough for the canonical equations to be solved on the graph as it is.
static void test_momenta_of_many_freedoms(void **state)
{
    (void)state;
    Loaded loaded = load_good("chain", "const N = 5\nparam g = 9.81\ncoord q[N]\n"
                                       "point P[0] = origin\nfor i in 1..N {\n"
                                       "    point P[i] = P[i-1] + [sin(q[i]), -cos(q[i]), 0]\n"
                                       "    mass i at P[i]\n}\ngravity [0, -g, 0]\n");
    Form *multipliers = form_derive(FORM_MULTIPLIERS, loaded.motion);
    Form *canonical = form_derive(FORM_CANONICAL, loaded.motion);
    Verdict verdict = inquiry_forms_agree(loaded.motion, multipliers, canonical);
    assert_int_equal(verdict.answer, ANSWER_YES);
    verdict_clear(&verdict);
    form_free(multipliers);
    form_free(canonical);
    unload(&loaded);
}

// ---- Sabotage: one term of one equation with the wrong sign.

static Expr with_flipped_term(ExprPool *pool, Expr e, size_t which)
{
    if (expr_op(pool, e) != EXPR_SUM)
        return expr_neg(pool, e);
    Expr term = expr_mul(pool, expr_number(pool, expr_arg_weight(pool, e, which)),
                         expr_arg(pool, e, which));
    return expr_sub(pool, e, expr_mul(pool, expr_int(pool, 2), term));
}

static void sabotage_is_found(Motion *motion, const char *name, Form *good, Form *spoilt)
{
    for (size_t i = 0; i < spoilt->equations.count; i++) {
        // Simplified first: a term that cancels against others may have any sign.
        Expr whole = algebra_simplify(motion->algebra, spoilt->equations.at[i].left);
        size_t terms =
            expr_op(motion->pool, whole) == EXPR_SUM ? expr_arg_count(motion->pool, whole) : 1;
        // A left side of one term over a right side of 0 says the same with either sign.
        if (terms == 1 && expr_is_zero(motion->pool, spoilt->equations.at[i].right))
            continue;
        for (size_t j = 0; j < terms; j++) {
            spoilt->equations.at[i].left = with_flipped_term(motion->pool, whole, j);
            Verdict verdict = inquiry_forms_agree(motion, good, spoilt);
            if (verdict.answer != ANSWER_NO)
                print_message("%s, equation %zu, term %zu: not found (%s)\n", name, i, j,
                              verdict.reason ? verdict.reason : "it agrees");
            assert_int_equal(verdict.answer, ANSWER_NO);
            assert_non_null(verdict.witness);
            verdict_clear(&verdict);
        }
        spoilt->equations.at[i].left = whole;
    }
}

static void test_a_planted_sign_is_found(void **state)
{
    (void)state;
    static const char *const spoilt_models[] = {"blade", "polar", "polar_area"};
    for (size_t i = 0; i < sizeof spoilt_models / sizeof *spoilt_models; i++) {
        Loaded loaded = load_model(spoilt_models[i]);
        Form *multipliers = form_derive(FORM_MULTIPLIERS, loaded.motion);
        Form *appell = form_derive(FORM_APPELL, loaded.motion);
        sabotage_is_found(loaded.motion, spoilt_models[i], multipliers, appell);
        sabotage_is_found(loaded.motion, spoilt_models[i], appell, multipliers);
        form_free(multipliers);
        form_free(appell);
        unload(&loaded);
    }
}

// ---- An energy of acceleration that is not quadratic.

static const FormKind by_S[] = {FORM_KORTEWEG, FORM_MAGGI, FORM_APPELL, FORM_KANE, FORM_GAUSS};

// Adds x''³ to the first equation of a form, or nothing.
static Answer answer_for(const char *text, FormKind kind, bool spoiled)
{
    Loaded loaded = load_good("S", text);
    ExprPool *pool = loaded.motion->pool;
    Form *one = form_derive(FORM_MULTIPLIERS, loaded.motion);
    Form *other = form_derive(kind, loaded.motion);
    assert_null(other->reason);
    Expr cube = expr_pow(pool, loaded.motion->a[0], expr_int(pool, 3));
    if (other->in_speeds)
        cube = motion_in_speeds(loaded.motion, cube);
    FormEquation *first = &other->equations.at[0];
    if (spoiled)
        first->left = expr_add(pool, first->left, cube);
    Verdict verdict = inquiry_forms_agree(loaded.motion, one, other);
    Answer answer = verdict.answer;
    verdict_clear(&verdict);
    form_free(one);
    form_free(other);
    unload(&loaded);
    return answer;
}

static void test_energies_that_are_not_quadratic(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "coord x\nacceleration_energy x''^2/2 + x''^4/4\nforce 2 along x\n",
        "coord x\nacceleration_energy x''^4/4\nforce 2 along x\n",
        "coord x, y\nparam k\nacceleration_energy (x''^2 + y''^2)/2 + k*x''^2*y''^4\n"
        "constraint c: y' = x*x'\nforce x along y\n",
        "coord x, y, theta\nacceleration_energy x''^2 + y''^2 + theta''^2 + theta''^4\n"
        "constraint edge: y'*cos(theta) - x'*sin(theta) = 0\n"
        "speed v = x'*cos(theta) + y'*sin(theta)\nspeed w = theta'\nforce v along theta\n",
        "coord x, y\nacceleration_energy (x''^2 + y''^2)/2 + x''^4\nconstraint c: x'' = y + y''\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t j = 0; j < sizeof by_S / sizeof *by_S; j++) {
            // Korteweg's determinants eliminate velocities; the last condition binds none.
            if (by_S[j] == FORM_KORTEWEG && i == 4)
                continue;
            assert_int_equal(answer_for(texts[i], by_S[j], false), ANSWER_YES);
            assert_int_equal(answer_for(texts[i], by_S[j], true), ANSWER_NO);
        }
}

// Under a condition that is not affine either, two forms are left.
static void test_energy_and_condition_of_the_second_class(void **state)
{
    (void)state;
    const char *text = "coord x, y, z\nacceleration_energy (x''^2 + y''^2 + z''^2)/2 + x''^4/4\n"
                       "constraint c: z'' = x''*y''\nforce 2 along z\n";
    assert_int_equal(answer_for(text, FORM_GAUSS, false), ANSWER_YES);
    assert_int_equal(answer_for(text, FORM_GAUSS, true), ANSWER_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms_agree),
        cmocka_unit_test(test_forms_agree_on_a_mixed_system),
        cmocka_unit_test(test_determinants_of_many_conditions),
        cmocka_unit_test(test_momenta_of_many_freedoms),
        cmocka_unit_test(test_a_planted_sign_is_found),
        cmocka_unit_test(test_energies_that_are_not_quadratic),
        cmocka_unit_test(test_energy_and_condition_of_the_second_class),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
