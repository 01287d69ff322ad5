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
    assert_true(jacobi->rates_proved);
    assert_true(same(&loaded, jacobi->momentum_rates[0], "-k*x"));
    assert_true(same(&loaded, jacobi->momentum_rates[1], "-k*y"));
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

// ---- Quadratures (Quanjel (28)), and the motion where they close.

typedef struct {
    const char *text;
    const char *rate;         // of what the path goes by, in q and the constants; "1" for t
    const char *equations[3]; // of motion, by hand, each to be 0
    const char *closed[3];    // the path as the textbooks have it, in the order of q
} Moves;

// An expression with the constants of the separation in the place of symbols of their names.
static Expr with_constants(Loaded *loaded, const InquirySeparation *by, Expr e)
{
    ExprPool *pool = loaded->motion->pool;
    for (size_t j = 0; j <= by->constant_count; j++) {
        char a[8], b[8];
        snprintf(a, sizeof a, j ? "a%zu" : "E", j);
        snprintf(b, sizeof b, "b%zu", j);
        Expr names[] = {expr_symbol(pool, a), expr_symbol(pool, b)};
        Expr symbols[] = {by->quadratures[j].constant, by->quadratures[j].b};
        e = expr_replace(pool, e, names, symbols, 2);
    }
    return e;
}

// The path is the textbook's, and obeys equations that were written by hand.
static void moves(const Moves *known)
{
    Loaded loaded = load_good("moves", known->text);
    Motion *motion = loaded.motion;
    ExprPool *pool = motion->pool;
    InquiryJacobi *jacobi = inquiry_jacobi(motion);
    const InquirySeparation *by = jacobi->separation;
    assert_non_null(by);
    assert_false(expr_is_none(by->path_by));
    Expr q[8], v[8], a[8], all = expr_int(pool, 0);
    Expr rate = with_constants(&loaded, by, read_value(&loaded, known->rate));
    for (size_t i = 0; i < motion->k; i++)
        rate = expr_replace(pool, rate, &motion->q[i], &by->path[i], 1);
    for (size_t i = 0; i < motion->k; i++) {
        q[i] = by->path[i];
        v[i] = expr_mul(pool, expr_diff(pool, q[i], by->path_by), rate);
        a[i] = expr_mul(pool, expr_diff(pool, v[i], by->path_by), rate);
        all = expr_add(pool, all, q[i]);
        Expr closed = with_constants(&loaded, by, read_value(&loaded, known->closed[i]));
        assert_true(vanishes(&loaded, expr_sub(pool, q[i], closed)));
    }
    for (size_t i = 0; i < motion->k; i++) {
        Expr residual = read_value(&loaded, known->equations[i]);
        residual = expr_replace(pool, residual, motion->a, a, motion->k);
        residual = expr_replace(pool, residual, motion->v, v, motion->k);
        residual = expr_replace(pool, residual, motion->q, q, motion->k);
        assert_true(vanishes(&loaded, residual));
    }
    // Every constant is there: of a motion all 2k, of a path one less.
    for (size_t j = expr_same(by->path_by, motion->model->t) ? 0 : 1; j < motion->k; j++) {
        assert_true(expr_holds(pool, all, by->quadratures[j].constant));
        assert_true(expr_holds(pool, all, by->quadratures[j].b));
    }
    inquiry_jacobi_free(jacobi);
    unload(&loaded);
}

static void test_motions_that_close(void **state)
{
    (void)state;
    static const Moves known[] = {
        {.text = "param m = 1, k = 4, g = 9\ncoord x, y\nkinetic m*(x'^2 + y'^2)/2\n"
                 "potential k*x^2/2 + m*g*y\n",
         .rate = "1",
         .equations = {"m*x'' + k*x", "y'' + g"},
         .closed = {"sqrt(2)*sqrt((E - a1)/k)*sin(sqrt(k/m)*(t + b0))",
                    "a1/(m*g) - g*(t + b0 + b1)^2/2"}},
        // Kepler's conic, by the angle.
        {.text = "param m = 1, mu = 1\ncoord r, phi\nkinetic m*(r'^2 + r^2*phi'^2)/2\n"
                 "potential -mu*m/r\ninitial r = 1, phi' = 1\n",
         .rate = "a1/(m*r^2)",
         .equations = {"r'' - r*phi'^2 + mu/r^2", "r*phi'' + 2*r'*phi'"},
         .closed = {"1/(m^2*mu/a1^2 - sqrt((m^4*mu^2 + 2*m*E*a1^2)/a1^4)*sin(phi - b1))", "phi"}},
        // A straight line in polar coordinates.
        {.text = "param m = 2\ncoord r, phi\nkinetic m*(r'^2 + r^2*phi'^2)/2\n"
                 "initial r = 1, phi' = 1\n",
         .rate = "1",
         .equations = {"r'' - r*phi'^2", "r*phi'' + 2*r'*phi'"},
         .closed = {"sqrt(2*E*(t + b0)^2/m + a1^2/(2*m*E))", "b1 + atan(2*E*(t + b0)/a1)"}},
        // It runs away; sinh and cosh by their exponentials.
        {.text = "param m = 2, k = 3, g = 10\ncoord x\nkinetic m*x'^2/2\n"
                 "potential m*g*x - k*x^2/2\ninitial x = 1\n",
         .rate = "1",
         .equations = {"0"},
         .closed = {"m*g/k + sqrt((m^2*g^2 - 2*k*E)/k^2)*cosh(sqrt(k/m)*(t + b0))"}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        moves(&known[i]);
}

// Quanjel's point that rises: R_x = −c²x, and the motion is that of the spring alone.
static void test_the_motion_of_the_point_that_rises(void **state)
{
    (void)state;
    Loaded loaded = load_model("point_spring");
    InquiryJacobi *jacobi = inquiry_jacobi(loaded.motion);
    const InquirySeparation *by = jacobi->separation;
    static const char *const closed[] = {"sqrt(2)*sqrt((E - a1)/k)*sin(sqrt(k)*(t + b0))",
                                         "sqrt(2)*sqrt(a1/k)*sin(sqrt(k)*(t + b0 + b1))"};
    // z' = c·x, integrated along it.
    Expr z = with_constants(&loaded, by,
                            read_value(&loaded, "-c/sqrt(k)*sqrt(2)*sqrt((E - a1)/k)"
                                                "*cos(sqrt(k)*(t + b0))"));
    assert_int_equal(by->dependent_count, 1);
    z = expr_add(loaded.motion->pool, z, by->dependent_constants[0]);
    assert_true(vanishes(&loaded, expr_sub(loaded.motion->pool, by->dependent[0], z)));
    for (size_t i = 0; i < 2; i++)
        assert_true(vanishes(
            &loaded, expr_sub(loaded.motion->pool, by->path[i],
                              with_constants(&loaded, by, read_value(&loaded, closed[i])))));
    inquiry_jacobi_free(jacobi);
    unload(&loaded);
}

// ∂V/∂a of the pendulum is an elliptic integral: it is written out, and no motion is claimed.
static void test_quadratures_that_do_not_close(void **state)
{
    (void)state;
    Loaded loaded =
        load_good("pendulum", "param m = 1, l = 1, g = 1\ncoord theta\n"
                              "kinetic m*l^2*theta'^2/2\npotential -m*g*l*cos(theta)\n");
    InquiryJacobi *jacobi = inquiry_jacobi(loaded.motion);
    const InquirySeparation *by = jacobi->separation;
    assert_true(expr_is_none(by->path_by));
    Expr integrand = with_constants(
        &loaded, by, read_value(&loaded, "m*l^2/sqrt(2*m*l^2*(E + m*g*l*cos(theta)))"));
    assert_true(vanishes(
        &loaded, expr_sub(loaded.motion->pool, by->quadratures[0].integrands[0], integrand)));
    inquiry_jacobi_free(jacobi);
    unload(&loaded);
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
        cmocka_unit_test(test_motions_that_close),
        cmocka_unit_test(test_the_motion_of_the_point_that_rises),
        cmocka_unit_test(test_quadratures_that_do_not_close),
        cmocka_unit_test(test_measures),
        cmocka_unit_test(test_chaplygins_measure),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
