// test_least_action.c: least action in its readings (Hamel 245, 246, Tzénoff (23), (24)) against
// equations made by hand; and done wrong, two ways, against a derivation of its
// own: Euler's and Lagrange's equations of the functions that are said to be made stationary.
#include "agree_case.h"

#include <flint/flint.h>

// A sled's sloping floor, a rheonomic condition, and energies of all kinds; forces have a
// potential, as least action wants it.
static const char mixed[] = "param m = 2, k = 3, c = 1/2\n"
                            "coord x, y, z\n"
                            "mass m at [x, y + x*z, 0]\n"
                            "kinetic z'^2*(1 + x^2)/2\n"
                            "potential k*x^2*z + cos(y)\n"
                            "speed w = x' + y*z'\n"
                            "constraint a: z' = c*t*x' + y*y' + x\n";
// Hamel's two wheels (240), the conditions as he has them.
static const char *const models[] = {"blade", "hoop", "wheels"};

static Form *hamel_with_action(Motion *motion)
{
    Form *form = form_derive(FORM_HAMEL, motion);
    assert_true(form_add_least_action(motion, form));
    return form;
}

// d/dt ∂L/∂q'_ν − ∂L/∂q_ν − (forces without a potential), in speeds; μ' is the rate of μ.
static Expr euler_lagrange(Motion *motion, const FormLeastAction *action, Expr L, size_t nu)
{
    ExprPool *pool = motion->pool;
    ExprRates *dt = expr_rates_new(pool);
    expr_rates_set(dt, motion->model->t, expr_int(pool, 1));
    for (size_t i = 0; i < motion->n; i++) {
        expr_rates_set(dt, motion->q[i], motion->v[i]);
        expr_rates_set(dt, motion->v[i], motion->a[i]);
    }
    for (size_t i = 0; i < motion->m; i++)
        expr_rates_set(dt, action->multipliers[i], action->rates[i]);
    Expr applied = expr_add(pool, motion->K[nu], expr_diff(pool, motion->U, motion->q[nu]));
    Expr parts[] = {expr_rate(dt, expr_diff(pool, L, motion->v[nu])),
                    expr_neg(pool, expr_diff(pool, L, motion->q[nu])), expr_neg(pool, applied)};
    expr_rates_free(dt);
    return motion_in_speeds(motion, expr_sum(pool, parts, 3));
}

// ---- T⁺ with the speeds as functions of q and q', varied along the virtual displacements.

static void check_naive(Motion *motion, const char *name)
{
    ExprPool *pool = motion->pool;
    Form *form = hamel_with_action(motion);
    Expr *u = calloc(2 * motion->k + 1, sizeof *u), *values = u + motion->k;
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        u[alpha] = motion->state.speeds[alpha].u;
        values[alpha] = motion->state.speeds[alpha].value;
    }
    Expr T = expr_replace(pool, motion_in_speeds(motion, motion->T), u, values, motion->k);
    Expr L = expr_sub(pool, T, motion->U);
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        Expr sum = expr_int(pool, 0);
        for (size_t nu = 0; nu < motion->n; nu++)
            sum = expr_add(pool, sum,
                           expr_mul(pool, motion->state.B[nu * motion->k + alpha],
                                    euler_lagrange(motion, form->least_action, L, nu)));
        Expr shown =
            expr_sub(pool, form->equations.at[alpha].left, form->least_action->naive[alpha]);
        assert_zero(motion, name, "naive", expr_sub(pool, sum, shown));
    }
    free(u);
    form_free(form);
}

// ---- T − U − Σ μ f, varied freely: n equations for u' and μ'.

static void linear_row(Motion *motion, Expr e, const Expr *unknowns, Expr *row, Expr *right)
{
    Expr rest;
    assert_true(expr_linear(motion->pool, e, unknowns, motion->n, row, &rest));
    *right = expr_neg(motion->pool, rest);
}

static void check_obeying(Motion *motion, const char *name)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n, k = motion->k, m = motion->m;
    Form *form = hamel_with_action(motion);
    const FormLeastAction *action = form->least_action;
    Expr *room = calloc(2 * n * n + 3 * n, sizeof *room), *own = room, *theirs = room + n * n;
    Expr *own_right = theirs + n * n, *their_right = own_right + n, *unknowns = their_right + n;
    Expr L = expr_sub(pool, motion->T, motion->U);
    for (size_t i = 0; i < m; i++)
        L = expr_sub(pool, L, expr_mul(pool, action->multipliers[i], motion->rows[i].velocity));
    for (size_t i = 0; i < n; i++)
        unknowns[i] = i < k ? motion->state.speeds[i].rate : action->rates[i - k];
    for (size_t i = 0; i < n; i++) {
        Expr shown = i < k ? expr_sub(pool, form->equations.at[i].left, action->obeying[i])
                           : expr_sub(pool, action->rates[i - k], action->growth[i - k]);
        linear_row(motion, shown, unknowns, own + i * n, own_right + i);
        linear_row(motion, euler_lagrange(motion, action, L, i), unknowns, theirs + i * n,
                   their_right + i);
    }
    Verdict verdict = algebra_same_solution(motion->algebra, &(LinearSystem){n, own, own_right},
                                            &(LinearSystem){n, theirs, their_right}, n);
    if (verdict.answer != ANSWER_YES)
        print_message("%s: obeying: %s %s\n", name, verdict.reason ? verdict.reason : "",
                      verdict.witness ? verdict.witness : "");
    assert_int_equal(verdict.answer, ANSWER_YES);
    verdict_clear(&verdict);
    free(room);
    form_free(form);
}

static void test_against_variations(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        Loaded loaded = load_model(models[i]);
        check_naive(loaded.motion, models[i]);
        check_obeying(loaded.motion, models[i]);
        unload(&loaded);
    }
    Loaded loaded = load_good("mixed", mixed);
    check_naive(loaded.motion, "mixed");
    check_obeying(loaded.motion, "mixed");
    unload(&loaded);
}

// ---- Integrable conditions make no difference, whatever factor hides them.

static void test_integrable_conditions(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "coord x, y, z\nkinetic (x'^2 + y'^2 + (1 + x^2)*z'^2)/2 + x'*z'*y\npotential x*y*z\n"
        "constraint c: x*z' - z*x' = 0\n",
        "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint c: z = x^2*y + t*x\n",
        "coord x, y, z, w\nkinetic (x'^2 + y'^2 + z'^2 + w'^2)/2\n"
        "constraint a: z' = y*x' + x*y'\nconstraint b: w' = z*x' + x*z'\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Loaded loaded = load_good("integrable", texts[i]);
        Motion *motion = loaded.motion;
        Form *form = hamel_with_action(motion);
        for (size_t alpha = 0; alpha < motion->k; alpha++) {
            Expr right = form->equations.at[alpha].right;
            assert_zero(motion, "integrable", "naive",
                        expr_sub(motion->pool, form->least_action->naive[alpha], right));
            assert_zero(motion, "integrable", "obeying",
                        expr_sub(motion->pool, form->least_action->obeying[alpha], right));
        }
        form_free(form);
        unload(&loaded);
    }
}

// ---- The blade moves in three ways.

static void assert_differs(Motion *motion, Expr a, Expr b)
{
    Verdict verdict = algebra_is_zero(motion->algebra, expr_sub(motion->pool, a, b));
    assert_int_equal(verdict.answer, ANSWER_NO);
    assert_non_null(verdict.witness);
    verdict_clear(&verdict);
}

static void test_the_blade_moves_in_three_ways(void **state)
{
    (void)state;
    Loaded loaded = load_model("blade");
    Motion *motion = loaded.motion;
    Form *form = hamel_with_action(motion);
    const FormLeastAction *action = form->least_action;
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        Expr right = form->equations.at[alpha].right;
        assert_differs(motion, action->naive[alpha], right);
        assert_differs(motion, action->obeying[alpha], right);
        assert_differs(motion, action->obeying[alpha], action->naive[alpha]);
    }
    form_free(form);
    unload(&loaded);
}

// ---- The readings of Hamel 245 and 246 and of Tzénoff (23) and (24).

typedef struct {
    FormReadingKind kind;
    Answer is_motion;
    const char *residuals[3]; // by hand, each left − right
} Read;

static void assert_readings(const char *model, const Read *known, size_t count)
{
    Loaded loaded = load_model(model);
    Motion *motion = loaded.motion;
    Form *form = form_derive(FORM_ACTION, motion);
    assert_true(form_add_least_action(motion, form));
    form_add_readings(motion, form);
    inquiry_judge_readings(motion, form);
    assert_int_equal(form->readings.count, READING_COUNT);
    for (size_t i = 0; i < count; i++) {
        const FormReading *reading = &form->readings.at[known[i].kind];
        assert_int_equal(reading->kind, known[i].kind);
        if (reading->is_motion != known[i].is_motion)
            print_message("%s: %s\n", model, form_reading_integral(reading->kind, false));
        assert_int_equal(reading->is_motion, known[i].is_motion);
        for (size_t j = 0; j < 3 && known[i].residuals[j]; j++) {
            const FormEquation *equation = &reading->form->equations.at[j];
            const char *text = known[i].residuals[j];
            Source *source = source_new("expected", text, strlen(text));
            Expr expected, found = expr_sub(motion->pool, equation->left, equation->right);
            assert_int_equal(model_read_expression(motion->pool, source, loaded.diag, &expected),
                             STATUS_OK);
            source_free(source);
            assert_zero(motion, model, form_reading_integral(reading->kind, false),
                        expr_sub(motion->pool, found, expected));
        }
    }
    form_free(form);
    unload(&loaded);
}

// m v' = m s w², I w' = −m s v w (Hamel 238); in x and θ by v = x'/cos θ.
static void test_readings_of_the_blade(void **state)
{
    (void)state;
#define BLADE "m*v' - m*s*w^2", "I*w' + m*s*v*w"
#define BLADE_IN_X                                                                                 \
    "m*x''/cos(theta)^2 + m*x'*theta'*sin(theta)/cos(theta)^3 - m*s*theta'^2/cos(theta)",          \
        "I*theta'' + m*s*x'*theta'/cos(theta)"
    static const Read known[] = {
        {READING_HOELDER, ANSWER_YES, {BLADE}},
        {READING_ALL_SPEEDS, ANSWER_YES, {BLADE}},
        {READING_CONDITIONS, ANSWER_YES, {BLADE}},
        {READING_MIXED, ANSWER_YES, {BLADE}}, // β_2 and β_3 need the speed of the condition
        {READING_VORONETS, ANSWER_YES, {BLADE_IN_X}},
        {READING_TZENOFF, ANSWER_YES, {BLADE_IN_X}},
        {READING_LEFT_OUT, ANSWER_NO, {"m*v'", "I*w'"}},
        {READING_OBEYING, ANSWER_NO, {NULL}}};
    assert_readings("blade", known, sizeof known / sizeof *known);
}

// A body about a point has no conditions, so that Hamel's second sum is empty. It gives Euler's
// equations only with dδq = δdq; with dδϑ = δdϑ their products are missing.
static void test_readings_of_a_body(void **state)
{
    (void)state;
#define EULER "A*p' + (C - B)*q*r - L", "B*q' + (A - C)*r*p - M", "C*r' + (B - A)*p*q - N"
    static const Read known[] = {{READING_HOELDER, ANSWER_YES, {EULER}},
                                 {READING_ALL_SPEEDS, ANSWER_YES, {EULER}},
                                 {READING_CONDITIONS, ANSWER_YES, {EULER}},
                                 {READING_MIXED, ANSWER_NO, {"A*p' - L", "B*q' - M", "C*r' - N"}},
                                 {READING_TZENOFF, ANSWER_YES, {NULL}},
                                 {READING_LEFT_OUT, ANSWER_YES, {EULER}},
                                 {READING_OBEYING, ANSWER_YES, {EULER}}};
    assert_readings("euler", known, sizeof known / sizeof *known);
}

// A condition with time, and rolling.
static void test_readings_of_others(void **state)
{
    (void)state;
    static const Read known[] = {
        {READING_HOELDER, ANSWER_YES, {NULL}},    {READING_ALL_SPEEDS, ANSWER_YES, {NULL}},
        {READING_CONDITIONS, ANSWER_YES, {NULL}}, {READING_VORONETS, ANSWER_YES, {NULL}},
        {READING_TZENOFF, ANSWER_YES, {NULL}},    {READING_LEFT_OUT, ANSWER_NO, {NULL}},
        {READING_OBEYING, ANSWER_NO, {NULL}}};
    assert_readings("hoop", known, sizeof known / sizeof *known);
    assert_readings("wheels", known, sizeof known / sizeof *known);
}

static void test_only_for_hamel(void **state)
{
    (void)state;
    Loaded loaded = load_model("blade");
    Form *form = form_derive(FORM_APPELL, loaded.motion);
    assert_false(form_add_least_action(loaded.motion, form));
    assert_null(form->least_action);
    form_free(form);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_variations),
        cmocka_unit_test(test_integrable_conditions),
        cmocka_unit_test(test_the_blade_moves_in_three_ways),
        cmocka_unit_test(test_readings_of_the_blade),
        cmocka_unit_test(test_readings_of_a_body),
        cmocka_unit_test(test_readings_of_others),
        cmocka_unit_test(test_only_for_hamel),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
