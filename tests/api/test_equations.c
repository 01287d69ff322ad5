// test_equations.c: published equations follow from the motion, spoiled ones do not.
//
// The truth is what the sources print (Hamel, Appell, Tzénoff; misprints corrected), written down
// here by hand. A refusal is verified on a second road: at the state that it names, the
// simulation's own accelerations and multipliers give the same difference.
#include "support.h"

#include "inquiry/inquiry.h"
#include "model/model_equation.h"
#include "simulate/simulate.h"

#include <flint/flint.h>
#include <math.h>

typedef struct {
    Loaded *of;
    Source *source;
    InquiryQuantities *quantities;
    InquiryEquation found;
} Asked;

static Asked ask(Loaded *of, const char *text)
{
    Asked asked = {.of = of, .source = source_new("equation", text, strlen(text))};
    asked.quantities = inquiry_quantities_new(of->motion);
    ModelQuantities names = inquiry_quantities_names(asked.quantities);
    ModelEquation equation;
    uint32_t at = 0;
    assert_true(model_read_equation(of->model, asked.source, &at, &names, of->diag, &equation));
    if (expr_is_none(equation.left)) {
        print_messages(of->diag);
        fail_msg("'%s' cannot be read", text);
    }
    Expr residual = expr_sub(of->motion->pool, equation.left, equation.right);
    inquiry_equation(of->motion, inquiry_quantities_put(asked.quantities, residual), &asked.found);
    return asked;
}

static void clear(Asked *asked)
{
    inquiry_equation_clear(&asked->found);
    inquiry_quantities_free(asked->quantities);
    source_free(asked->source);
}

static void expect(Loaded *of, const char *text, Answer answer)
{
    Asked asked = ask(of, text);
    if (asked.found.verdict.answer != answer)
        fail_msg("'%s': %d and not %d (%s)", text, asked.found.verdict.answer, answer,
                 asked.found.verdict.reason ? asked.found.verdict.reason : "");
    assert_false(asked.found.special);
    clear(&asked);
}

// ---- What the sources print, and the same with one mistake.

static const struct {
    const char *model, *right, *spoiled;
} published[] = {
    {"blade", "m*v' - m*s*w^2 = 0", "m*v' + m*s*w^2 = 0"},
    {"blade", "I*w' + m*s*v*w = 0", "I*w' + m*v*w = 0"},
    {"blade", "lambda.edge = m*v*w + m*s*w'", "lambda.edge = m*v*w - m*s*w'"},
    {"blade", "(T+)' = 0", "(T+ + s*v)' = 0"},
    {"blade", "P_v = m*v", "P_v = m*v + m*s*w"},
    {"blade", "P_edge = m*s*w", "P_edge = m*s*v"},
    {"blade", "beta[1,2,3] = 1", "beta[1,2,3] = -1"},
    {"blade", "beta[1,3,2] = -1", "beta[1,3,2] = 1"},
    {"blade", "p_theta' = -m*s*v*w", "p_theta' = m*s*v*w"},
    {"blade", "H = T", "H = 2*T"},
    {"blade", "R_theta = -m*v^2*tan(theta) - m*s*v*w", "R_theta = m*v^2*tan(theta) - m*s*v*w"},
    {"blade", "T0 - T1 = m*x'^2/2 + I*w^2/2 - m*s*sin(theta)*x'*w", "T0 = T1"},
    {"blade", "a_y_x = tan(theta)", "a_y_x = 1/tan(theta)"},
    {"blade", "A_y_x_theta = 1/cos(theta)^2", "A_y_x_theta = -1/cos(theta)^2"},
    {"blade", "diff(T, x')' = -sin(theta)*lambda.edge", "diff(T, x')' = sin(theta)*lambda.edge"},
    {"blade", "diff(lagrange.T+, theta') = p_theta", "diff(T, theta') = p_theta + m*s*v"},
    {"blade", "diff(S, w') = Q_w", "diff(S, w') = Q_w + w'"},
    {"blade", "diff(T+, v)' = m*s*w^2", "diff(T+, v)' = diff(T+, w)'"},
    {"blade", "diff(K, p_x) = x'", "diff(K, p_x) = y'"},
    {"climb", "x1' = sqrt(omega3)*cos(omega2)", "x2' = sqrt(omega3)*cos(omega2)"},
    {"climb", "2*x3'' = X1*cos(omega2) + X2*sin(omega2) + X3",
     "x3'' = X1*cos(omega2) + X2*sin(omega2) + X3"},
    {"blade", "diff(m*v^2/2, v) = P_v", "diff(m*v^2, v) = P_v"},
    {"euler", "A*p' + (C - B)*q*r = L", "A*p' + (B - C)*q*r = L"},
    {"cart", "(I + 2*CR*b^2/r^2)*w' + m*a*v*w = 0", "(I + CR*b^2/r^2)*w' + m*a*v*w = 0"},
    {"hoop",
     "C*(phi'' - (sin(psi)*theta')') + m*r^2*(phi'' - theta''*sin(psi)) "
     "= 2*m*r^2*cos(psi)*theta'*psi'",
     "C*(phi'' - (sin(psi)*theta')') + m*r^2*(phi'' - theta''*sin(psi)) "
     "= m*r^2*cos(psi)*theta'*psi'"},
};

static void test_published(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        Loaded of = load_model(published[i].model);
        expect(&of, published[i].right, ANSWER_YES);
        expect(&of, published[i].spoiled, ANSWER_NO);
        unload(&of);
    }
}

// ---- A refusal names a state: there the simulation's numbers give the same difference.

static double difference_at(const char *model, const InquiryEquation *found, const char *text)
{
    char path[512], whole[1 << 14];
    snprintf(path, sizeof path, "%s/models/%s.zw", ZWANG_SOURCE_DIR, model);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(whole, 1, sizeof whole - 512, file);
    fclose(file);
    const char *equals = strstr(text, " = ");
    snprintf(whole + length, sizeof whole - length, "\noutput difference = (%.*s) - (%s)\n",
             (int)(equals - text), text, equals + 3);
    Text set = {0};
    for (size_t i = 0; i < found->state_count; i++)
        text_addf(&set, "%s%s=%.17g", i ? "," : "", found->state[i].name, found->state[i].value);
    Source *source = source_new(model, whole, strlen(whole));
    Source *setting = source_new("setting", set.at, set.length);
    Diag *diag = diag_new();
    Model *with;
    Motion *motion;
    Simulation *run;
    RunOptions options = run_options();
    options.instant = true;
    ModelSetting settings[] = {{setting}};
    assert_int_equal(model_read(source, settings, 1, diag, &with), STATUS_OK);
    assert_int_equal(motion_new(with, diag, &motion), STATUS_OK);
    assert_int_equal(run_new(motion, &options, diag, &run), STATUS_OK);
    double value = NAN;
    for (size_t i = 0; i < run_column_count(run); i++)
        if (strcmp(run_column_name(run, i), "difference") == 0)
            value = run_start(run).row[i];
    run_free(run);
    motion_free(motion);
    model_free(with);
    diag_free(diag);
    source_free(source);
    source_free(setting);
    text_clear(&set);
    return value;
}

static void test_states(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"blade", "I*w' - m*s*v*w = 0"},
        {"blade", "lambda.edge = m*v*w"},
        {"blade", "v'^2 + w'*x'' = theta*v*w"},
        {"euler", "A*p' = C*q*r"},
        {"cart", "(I + CR*b^2/r^2)*w' = -m*a*v*w"},
        {"caster", "roll' = turn^2 + theta"},
        {"fourbar", "beta' = -alpha'"},
        {"fourbar", "gamma'' = beta'*sin(alpha)"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        Loaded of = load_model(wrong[i][0]);
        Asked asked = ask(&of, wrong[i][1]);
        assert_int_equal(asked.found.verdict.answer, ANSWER_NO);
        double value = difference_at(wrong[i][0], &asked.found, wrong[i][1]);
        if (!(fabs(value - asked.found.value) <= 1e-11 * (1 + fabs(value))))
            fail_msg("%s: %.17g and not %.17g", wrong[i][1], value, asked.found.value);
        clear(&asked);
        unload(&of);
    }
}

// ---- Factors, values, what cannot be decided.

static void test_factor(void **state)
{
    (void)state;
    Loaded of = load_model("blade");
    Expr theta = expr_symbol(of.motion->pool, "theta");
    Asked asked = ask(&of, "m*cos(theta)*v' = m*s*cos(theta)*w^2");
    assert_int_equal(asked.found.verdict.answer, ANSWER_YES);
    assert_true(
        expr_same(asked.found.factor, expr_call(of.motion->pool, EXPR_COS, theta, (Expr){0})));
    clear(&asked);
    // A constant factor is none.
    asked = ask(&of, "v' = s*w^2");
    assert_true(expr_is_none(asked.found.factor));
    clear(&asked);
    unload(&of);
}

static void test_values(void **state)
{
    (void)state;
    Loaded of = load_good("drop", "param g = 9.81, a = sqrt(2)\ncoord x, y\n"
                                  "kinetic (x'^2 + y'^2)/2\nforce -g along x\nforce a along y\n");
    static const char *const special[] = {"x'' = -9.81", "y''^2 = 2"};
    for (size_t i = 0; i < 2; i++) {
        Asked asked = ask(&of, special[i]);
        assert_int_equal(asked.found.verdict.answer, ANSWER_YES);
        assert_true(asked.found.special);
        clear(&asked);
    }
    expect(&of, "x'' = -9.8", ANSWER_NO);
    expect(&of, "y'' = a", ANSWER_YES);
    unload(&of);
}

// Hamel 240, for every ratio f.
static void test_open_functions(void **state)
{
    (void)state;
    Loaded of = load_good("gears", "param I1, I2, M1, M2\nfunction f(t)\ncoord a, b\n"
                                   "kinetic I1*a'^2/2 + I2*b'^2/2\n"
                                   "constraint gear: a' = f(t)*b'\n"
                                   "force M1 along a\nforce M2 along b\n");
    expect(&of, "(I1*f(t)^2 + I2)*b'' + I1*f(t)*f'(t)*b' = M1*f(t) + M2", ANSWER_YES);
    Asked asked = ask(&of, "(I1*f(t)^2 + I2)*b'' + 2*I1*f(t)*f'(t)*b' = M1*f(t) + M2");
    assert_int_equal(asked.found.verdict.answer, ANSWER_NO);
    // The difference is I1·f·f'·b', at the numbers that the state names.
    double product = 1;
    for (size_t i = 0; i < asked.found.state_count; i++)
        if (strcmp(asked.found.state[i].name, "t") != 0)
            product *= asked.found.state[i].value;
    assert_int_equal(asked.found.state_count, 5);
    assert_true(fabs(product - asked.found.value) <= 1e-12 * fabs(product));
    clear(&asked);
    unload(&of);
}

// Finite conditions: the equation holds on them, and nowhere else.
static void test_finite(void **state)
{
    (void)state;
    Loaded of = load_good("bowl", "param m = 1, g = 10, R = 2\ncoord x, y, z\n"
                                  "kinetic m*(x'^2 + y'^2 + z'^2)/2\npotential m*g*z\n"
                                  "constraint bowl: x^2 + y^2 + z^2 = R^2\n");
    expect(&of, "2*lambda.bowl*R^2 = m*g*z - m*(x'^2 + y'^2 + z'^2)", ANSWER_YES);
    expect(&of, "2*lambda.bowl*(x^2 + y^2 + z^2) = m*g*z - m*(x'^2 + y'^2 + z'^2)", ANSWER_YES);
    expect(&of, "2*lambda.bowl*R = m*g*z - m*(x'^2 + y'^2 + z'^2)", ANSWER_NO);
    expect(&of, "x*y'' - y*x'' = 0", ANSWER_YES);
    expect(&of, "x*x' + y*y' + z*z' = 0", ANSWER_YES);
    unload(&of);
    // Conditions that no coordinate can be solved from: a state on them is met in balls.
    of = load_model("fourbar");
    expect(&of, "b*sin(beta - gamma)*beta' = -a*sin(alpha - gamma)*alpha'", ANSWER_YES);
    expect(&of, "b*sin(beta - gamma)*beta' = a*sin(alpha - gamma)*alpha'", ANSWER_NO);
    unload(&of);
    of = load_model("bead");
    expect(&of, "x'*sin(Omega*t) + x*Omega*cos(Omega*t) = y'*cos(Omega*t) - y*Omega*sin(Omega*t)",
           ANSWER_YES);
    expect(&of, "x*y'' = y*x''", ANSWER_NO);
    unload(&of);
}

// What vanishes on the conditions alone is no difference: no state of the motion shows it.
static void test_only_on_conditions(void **state)
{
    (void)state;
    Loaded of = load_good("curve", "param m = 1\ncoord x, y\nkinetic m*(x'^2 + y'^2)/2\n"
                                   "constraint curve: x^3 + y^3 = 1 + x*y\n");
    expect(&of, "(x^3 + y^3 - x*y)*m = m", ANSWER_UNKNOWN);
    expect(&of, "(x^3 + y^3 - x*y)*m = 2*m", ANSWER_NO);
    expect(&of, "(3*x^2 - y)*x' + (3*y^2 - x)*y' = 0", ANSWER_YES);
    unload(&of);
}

// States that the motion never has show nothing: off a finite condition with its parameters'
// values, with velocities that are not real, beyond a one-sided condition. What they name is a
// state.
static void test_only_states_of_motion(void **state)
{
    (void)state;
    Loaded of = load_good("circle", "param l = 2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                                    "constraint r: x^2 + y^2 = l^2\n");
    expect(&of, "log(x^2 + y^2) = 2*log(l)", ANSWER_UNKNOWN);
    expect(&of, "sqrt(l^2 - x^2) = abs(y)", ANSWER_UNKNOWN);
    Asked asked = ask(&of, "x^2 + y^2 = 5");
    assert_int_equal(asked.found.verdict.answer, ANSWER_NO);
    assert_true(fabs(asked.found.value + 1) < 1e-12);
    clear(&asked);
    unload(&of);
    of = load_good("steady", "param V = 2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                             "constraint n: x'^2 + y'^2 = V^2\ninitial x' = 1.2, y' = 1.6\n");
    expect(&of, "sign(y' + 3) = 1", ANSWER_UNKNOWN);
    expect(&of, "sign(y' + 1) = 1", ANSWER_NO);
    unload(&of);
    of = load_good("tube", "param h = 1\ncoord x, z\nkinetic (x'^2 + z'^2)/2\n"
                           "constraint floor: z >= h\nconstraint roof: z <= 3*h\ninitial z = 2\n");
    expect(&of, "abs(z) = z", ANSWER_UNKNOWN);
    expect(&of, "max(z, 4) = 4", ANSWER_UNKNOWN);
    expect(&of, "max(z, 2) = 2", ANSWER_NO);
    unload(&of);
}

// Conditions that are not affine in the accelerations: what a form prints, and nothing else.
static void test_second_class(void **state)
{
    (void)state;
    Loaded of = load_model("second_class");
    expect(&of, "m*x1'' = -x2''*lambda.bind", ANSWER_YES);
    expect(&of, "x3'' = x1''*x2''", ANSWER_YES);
    expect(&of, "m*x1'' = x2''*lambda.bind", ANSWER_UNKNOWN);
    unload(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_factor),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_finite),
        cmocka_unit_test(test_only_on_conditions),
        cmocka_unit_test(test_open_functions),
        cmocka_unit_test(test_second_class),
        cmocka_unit_test(test_only_states_of_motion),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
