// test_jacobi.c: where Jacobi's theorem extends, with which function, and why it does not; complete
// integrals by separation; and invariant measures against those of the literature.
#include "support.h"

#include "inquiry/inquiry.h"

#include <flint/flint.h>

static Expr read_value(Loaded *loaded, const char *text)
{
    Source *source = source_new("value", text, strlen(text));
    Expr value;
    assert_int_equal(model_read_expression(loaded->model->pool, source, loaded->diag, &value),
                     STATUS_OK);
    source_free(source);
    return value;
}

static bool vanishes(Loaded *loaded, Expr e)
{
    Verdict verdict = algebra_is_zero(loaded->motion->algebra, e);
    bool zero = verdict.answer == ANSWER_YES;
    verdict_clear(&verdict);
    return zero;
}

static bool same(Loaded *loaded, Expr a, const char *text)
{
    return vanishes(loaded, expr_sub(loaded->motion->pool, a, read_value(loaded, text)));
}

// ---- Quanjel's question.

static void test_the_point_that_rises(void **state)
{
    (void)state;
    Loaded loaded = load_model("point_spring");
    InquiryJacobi *jacobi = inquiry_jacobi(loaded.motion);
    assert_int_equal(jacobi->extends, ANSWER_YES);
    assert_false(jacobi->ordinary);
    assert_true(same(&loaded, jacobi->phi, "c^2*x^2/2"));
    assert_non_null(jacobi->wrong);
    assert_true(same(&loaded, jacobi->right[0], "-k*x"));
    assert_true(same(&loaded, jacobi->wrong[0], "c^2*x - k*x"));
    assert_non_null(jacobi->separation);
    inquiry_jacobi_free(jacobi);
    unload(&loaded);
}

// Hamilton's equations of H + φ are the motion, those of H alone are not.
static void hamilton_gives(const char *text, bool expected_ordinary)
{
    Loaded loaded = load_good("rheonomic", text);
    Motion *motion = loaded.motion;
    ExprPool *pool = motion->pool;
    InquiryJacobi *jacobi = inquiry_jacobi(motion);
    assert_int_equal(jacobi->extends, ANSWER_YES);
    assert_int_equal(jacobi->ordinary, expected_ordinary);
    assert_false(expr_is_none(jacobi->phi));
    MotionReduction *by = motion_velocities(motion);
    Expr T = motion_reduced(motion, by, motion->T);
    Form *right = form_derive(FORM_LAGRANGE, motion);
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        // p' = −∂(H + φ)/∂q, with p = ∂T⁺/∂q' put in.
        Expr q = motion->q[jacobi->coordinates[alpha]];
        Expr slope = expr_diff(pool, expr_add(pool, jacobi->H, jacobi->phi), q);
        Expr plain = expr_diff(pool, jacobi->H, q);
        for (size_t beta = 0; beta < motion->k; beta++) {
            Expr momentum = expr_diff(pool, T, by->speeds[beta].u);
            slope = expr_replace(pool, slope, &jacobi->slopes[beta], &momentum, 1);
            plain = expr_replace(pool, plain, &jacobi->slopes[beta], &momentum, 1);
        }
        Expr rate = motion_rate_along(motion, by, expr_diff(pool, T, by->speeds[alpha].u));
        const FormEquation *equation = &right->equations.at[alpha];
        Expr true_residual = expr_sub(pool, equation->left, equation->right);
        assert_true(vanishes(&loaded, expr_sub(pool, expr_add(pool, rate, slope), true_residual)));
        bool corrected = !vanishes(&loaded, right->functions.at[1 + alpha].value);
        assert_int_equal(
            vanishes(&loaded, expr_sub(pool, expr_add(pool, rate, plain), true_residual)),
            !corrected);
    }
    form_free(right);
    inquiry_jacobi_free(jacobi);
    unload(&loaded);
}

static void test_the_completed_hamiltonian_gives_the_motion(void **state)
{
    (void)state;
    hamilton_gives("param c = 2\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                   "potential x^2*y\nconstraint a: z' = c*x\nindependent x, y\n",
                   false);
    hamilton_gives("param c = 2\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                   "constraint a: z' = c*x*sin(y) + t*x\nindependent x, y\n",
                   false);
    hamilton_gives("coord x, y\nkinetic (x'^2*(1 + y^2) + y'^2)/2\npotential cos(y)*x\n", true);
}

static void reason_is(const char *text, const char *words)
{
    Loaded loaded = load_good("not", text);
    InquiryJacobi *jacobi = inquiry_jacobi(loaded.motion);
    assert_int_equal(jacobi->extends, ANSWER_NO);
    if (!strstr(jacobi->reason, words))
        print_error("'%s' does not say '%s'\n", jacobi->reason, words);
    assert_non_null(strstr(jacobi->reason, words));
    inquiry_jacobi_free(jacobi);
    unload(&loaded);
}

static void test_reasons(void **state)
{
    (void)state;
    reason_is("coord x, y, z\nkinetic x'^2 + y'^2 + z'^2\nconstraint a: z' = y*x'\n"
              "independent x, y\n",
              "holds velocities");
    reason_is("coord x, y\nkinetic x'^2 + y'^2\nforce y along x\n", "no potential");
    // Two conditions whose masses weigh differently: R_x = −2y·…, R_y = … is no gradient.
    reason_is("coord x, y, z, w\nkinetic (x'^2 + y'^2 + (1 + x^2)*z'^2)/2\n"
              "constraint a: z' = y\nconstraint b: w' = 0\nindependent x, y\n",
              "differ");
    reason_is("coord x, y, z\nkinetic x'^2 + y'^2 + z'^2\npotential z\nconstraint a: z' = x\n"
              "independent x, y\n",
              "stands in U");
}

// ---- Separation: the momenta in H are put in here once more, with numbers for the constants.

static void separates(const char *text, bool expected)
{
    Loaded loaded = load_good("separable", text);
    Motion *motion = loaded.motion;
    InquiryJacobi *jacobi = inquiry_jacobi(motion);
    assert_int_equal(jacobi->separation != NULL, expected);
    if (expected) {
        const InquirySeparation *by = jacobi->separation;
        Expr H = expr_add(motion->pool, jacobi->H, jacobi->phi);
        Expr value = expr_replace(motion->pool, H, jacobi->slopes, by->momenta, motion->k);
        assert_true(vanishes(&loaded, expr_sub(motion->pool, value, by->energy)));
        assert_int_equal(by->constant_count, motion->k - 1);
        for (size_t i = 0; i < motion->k; i++)
            for (size_t j = 0; j < motion->k; j++)
                if (i != j)
                    assert_false(expr_holds(motion->pool, by->momenta[i],
                                            motion->q[jacobi->coordinates[j]]));
    }
    inquiry_jacobi_free(jacobi);
    unload(&loaded);
}

static void test_separation(void **state)
{
    (void)state;
    separates("param m = 1, mu = 2\ncoord r, theta\nkinetic m*(r'^2 + r^2*theta'^2)/2\n"
              "potential -mu/r\n",
              true);
    separates("coord r, theta, phi\n"
              "kinetic (r'^2 + r^2*theta'^2 + r^2*sin(theta)^2*phi'^2)/2\npotential r^2\n",
              true);
    separates("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2 + cos(y)\n", true);
    // Parabolic coordinates: both share a factor (Liouville).
    separates("coord u, v\nkinetic (u^2 + v^2)*(u'^2 + v'^2)/2\npotential 1/(u^2 + v^2)\n", true);
    separates("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2*y\n", false);
}

// ---- Invariant measures.

static void measure_is(const char *model, const char *density)
{
    Loaded loaded = load_model(model);
    const char *reason;
    Expr N = inquiry_measure(loaded.motion, &reason);
    assert_null(reason);
    assert_int_equal(expr_is_none(N), density == NULL);
    // Equal but for a constant factor: their quotient does not change with any coordinate.
    for (size_t nu = 0; nu < loaded.motion->n && density; nu++) {
        Expr quotient = expr_div(loaded.motion->pool, N, read_value(&loaded, density));
        assert_true(
            vanishes(&loaded, expr_diff(loaded.motion->pool, quotient, loaded.motion->q[nu])));
    }
    unload(&loaded);
}

static void test_measures(void **state)
{
    (void)state;
    measure_is("polar", "r^2"); // the momentum is r² times the velocity
    measure_is("polar_area", "1");
    measure_is("euler", "sin(chi)"); // that of the group of turns
    measure_is("hoop", "cos(psi)^2");
    measure_is("table", "1");
    measure_is("blade", NULL); // it comes to rest behind its edge: no density of q is kept
    measure_is("rattleback", NULL);
}

// Chaplygin 1903: the square root of the determinant of the reduced inertia.
static void test_chaplygins_measure(void **state)
{
    (void)state;
    Loaded loaded = load_model("chaplygin");
    Motion *motion = loaded.motion;
    ExprPool *pool = motion->pool;
    const char *reason;
    Expr N = inquiry_measure(motion, &reason), T = motion_in_speeds(motion, motion->T), M[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M[i][j] = expr_diff(pool, expr_diff(pool, T, motion->state.speeds[i].u),
                                motion->state.speeds[j].u);
    Expr determinant = expr_int(pool, 0);
    for (int j = 0; j < 3; j++) {
        int b = (j + 1) % 3, c = (j + 2) % 3;
        Expr minor =
            expr_sub(pool, expr_mul(pool, M[1][b], M[2][c]), expr_mul(pool, M[1][c], M[2][b]));
        determinant = expr_add(pool, determinant, expr_mul(pool, M[0][j], minor));
    }
    assert_false(expr_is_none(N));
    assert_true(vanishes(&loaded, expr_sub(pool, expr_pow_int(pool, N, 2), determinant)));
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_point_that_rises),
        cmocka_unit_test(test_the_completed_hamiltonian_gives_the_motion),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_separation),
        cmocka_unit_test(test_measures),
        cmocka_unit_test(test_chaplygins_measure),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
