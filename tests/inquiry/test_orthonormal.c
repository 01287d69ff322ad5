// test_orthonormal.c: speeds with T = ½ Σ ω² (Hamel 236): they are what they promise, by exact
// proof, roots and all; and every form in them gives the same motion.
#include "agree_case.h"

#include <flint/flint.h>

static Loaded orthonormal_of(Loaded loaded)
{
    Status status = motion_orthonormal(loaded.motion, loaded.diag);
    if (status != STATUS_OK)
        print_messages(loaded.diag);
    assert_int_equal(status, STATUS_OK);
    return loaded;
}

// ∂T⁺/∂ω_α = ω_α: T⁺ is half the sum of squares, and a function of q and t.
static void check_energy(Motion *motion, const char *name)
{
    Expr T = motion_in_speeds(motion, motion->T);
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        Expr omega = motion->state.speeds[alpha].u;
        assert_zero(motion, name, "its T is no sum of squares",
                    expr_sub(motion->pool, expr_diff(motion->pool, T, omega), omega));
    }
}

// q' = B·ω + C obeys the conditions, and gives each speed its own value back.
static void check_velocities(Motion *motion, const char *name)
{
    for (size_t mu = 0; mu < motion->m; mu++)
        assert_zero(motion, name, "a condition is broken",
                    motion_in_speeds(motion, motion->rows[mu].velocity));
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        const MotionSpeed *speed = &motion->state.speeds[alpha];
        assert_zero(motion, name, "a speed is not its value",
                    expr_sub(motion->pool, motion_in_speeds(motion, speed->value), speed->u));
    }
}

static Expr function_of(const Form *form, const char *name)
{
    for (size_t i = 0; i < form->functions.count; i++)
        if (strcmp(form->functions.at[i].name, name) == 0)
            return form->functions.at[i].value;
    return (Expr){0};
}

// (IIa): P_μ = ω_μ for the free speeds, and 0 for the conditions where nothing is rheonomic.
static void check_momenta(Motion *motion, const char *name, bool scleronomic)
{
    Form *hamel = form_derive(FORM_HAMEL, motion);
    for (size_t mu = 0; mu < motion->n; mu++) {
        char symbol[32];
        snprintf(symbol, sizeof symbol, "P_%zu", mu + 1);
        Expr P = function_of(hamel, symbol);
        if (mu >= motion->m)
            P = expr_sub(motion->pool, P, motion->state.speeds[mu - motion->m].u);
        if (mu >= motion->m || scleronomic)
            assert_zero(motion, name, symbol, P);
    }
    form_free(hamel);
}

static void check_all(Loaded loaded, const char *name, bool scleronomic)
{
    Loaded own = orthonormal_of(loaded);
    check_energy(own.motion, name);
    check_velocities(own.motion, name);
    check_momenta(own.motion, name, scleronomic);
    assert_forms_agree(own.motion, name);
    unload(&own);
}

static void test_gallery(void **state)
{
    (void)state;
    static const char *const models[] = {"blade", "cart",  "hoop",      "hoop_hamel",
                                         "top",   "euler", "polar_area"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        check_all(load_model(models[i]), models[i], true);
}

static void test_rheonomic(void **state)
{
    (void)state;
    check_all(load_model("bead"), "bead", false);
    check_all(load_model("wheels"), "wheels", false);
    // Linear terms in T itself, and time in the condition.
    check_all(load_good("mixed", "param a = 2\ncoord x, y, z\n"
                                 "kinetic (x'^2 + a*y'^2 + 3*z'^2)/2 + sin(t)*x' + x*z' + t*x^2\n"
                                 "constraint c: z' = y*x' + cos(t)*x\n"
                                 "potential a*x*y\n"),
              "mixed", false);
}

// Random positive T and a random condition, from a seed that a failure names.
static void test_random_systems(void **state)
{
    (void)state;
    static const char *const functions[] = {"1", "q1", "cos(q2)", "q2*q3", "sin(q1)", "2"};
    for (uint64_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(seed);
        const char *f[6];
        for (size_t i = 0; i < 6; i++)
            f[i] = functions[random_below(&random, 6)];
        char text[512], name[32];
        snprintf(name, sizeof name, "seed %d", (int)seed);
        snprintf(text, sizeof text,
                 "param m = 2, k = 3\ncoord q1, q2, q3\n"
                 "kinetic (m*q1'^2 + q2'^2 + k*q3'^2)/2 + (%s*q1' + %s*q2' - %s*q3')^2/2\n"
                 "constraint c: q3' = %s*q1' + %s*q2'\npotential q1*q2*q3*%s\n",
                 f[0], f[1], f[2], f[3], f[4], f[5]);
        check_all(load_good(name, text), name, true);
    }
}

// ---- What is made is smooth and has a name of its own.

static void test_squares_lose_no_sign(void **state)
{
    (void)state;
    Loaded loaded = orthonormal_of(load_model("hoop"));
    Motion *motion = loaded.motion;
    Expr angle = expr_symbol(motion->pool, "psi"), A = expr_symbol(motion->pool, "A");
    Expr expected = expr_product(motion->pool,
                                 (Expr[]){expr_sqrt(motion->pool, A),
                                          expr_call(motion->pool, EXPR_COS, angle, (Expr){0}),
                                          expr_symbol(motion->pool, "theta'")},
                                 3);
    assert_zero(motion, "hoop", "sqrt(A) cos(psi) theta'",
                expr_sub(motion->pool, motion->state.speeds[0].value, expected));
    unload(&loaded);
}

static void test_names_that_are_taken(void **state)
{
    (void)state;
    Loaded loaded = orthonormal_of(
        load_good("names", "param omega2 = 1\ncoord x, y\nkinetic (x'^2 + omega2*y'^2)/2\n"));
    assert_string_equal(loaded.motion->state.speeds[0].name, "eta1");
    unload(&loaded);
    loaded = load_good("names", "param omega1 = 1, eta1 = 1, w1 = 1, o1 = 1\ncoord x\n"
                                "kinetic x'^2/2\n");
    assert_int_equal(motion_orthonormal(loaded.motion, loaded.diag), STATUS_WRONG);
    unload(&loaded);
}

static void check_refusal(const char *model, const char *text)
{
    Loaded loaded = load_good(model, text);
    assert_int_equal(motion_orthonormal(loaded.motion, loaded.diag), STATUS_WRONG);
    unload(&loaded);
}

static void test_refusals(void **state)
{
    (void)state;
    check_refusal("given", "coord x\nacceleration_energy x''^2/2 + x'*x''\n");
    check_refusal("fast", "coord x\nlagrangian -sqrt(1 - x'^2)\n");
    check_refusal("saddle", "coord x, y\nlagrangian x'*y'\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gallery),
        cmocka_unit_test(test_rheonomic),
        cmocka_unit_test(test_random_systems),
        cmocka_unit_test(test_squares_lose_no_sign),
        cmocka_unit_test(test_names_that_are_taken),
        cmocka_unit_test(test_refusals),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
