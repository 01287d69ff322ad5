// Functions of the user's own: bodies, derivatives, settings; and diff.
#include "reading.h"

static const char head[] = "param k = 2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n";

static Reading read_lines(const char *lines, const char *const *settings)
{
    Text text = {0};
    text_add(&text, head);
    text_add(&text, lines);
    Reading reading = read_good_with(text.at, settings);
    text_clear(&text);
    return reading;
}

// The potential that these lines give means `wanted`.
static void assert_potential(const char *lines, const char *setting, const char *wanted)
{
    Reading r = read_lines(lines, setting ? (const char *const[]){setting, NULL} : NULL);
    assert_means(&r, r.model->potential, wanted);
    finish(&r);
}

static void bodies_are_put_in(void **state)
{
    (void)state;
    assert_potential("function f(s) = k*s^2\npotential f(x + y)", NULL, "k*(x + y)^2");
    assert_potential("function f(s) = k*s^2\npotential f'(x + y)", NULL, "2*k*(x + y)");
    assert_potential("function f(s) = k*s^2\npotential f\'\'(y)", NULL, "2*k");
    assert_potential("function U(a, b) = a*b^2\npotential U'[2](y, x)", NULL, "2*x*y");
    assert_potential("function U(a, b) = a*b^2\npotential U'[2,1](y, x)", NULL, "2*x");
    assert_potential("function U(a, b) = a*b^2\nfor i in 1..2 { potential U'[i](y, x) }", NULL,
                     "x^2 + 2*x*y");
    // An argument hides a name of the model; t is an argument here.
    assert_potential("function f(x, t) = x*t\npotential f(y, k)", NULL, "y*k");
    assert_potential("function f(s) = s^2\nfunction g(s) = f(f(s))\npotential g'(x)", NULL,
                     "4*x^3");
    assert_potential("let c = 3*k\nfunction f(s) = c*s\npotential f(x)", NULL, "3*k*x");
}

static void open_functions_stay(void **state)
{
    (void)state;
    assert_potential("function f(s)\npotential f(x)*f'(y)", NULL, "f(x)*f'(y)");
    assert_potential("function U(a, b)\npotential U'[2,1](x, k*y)", NULL, "U'[1,2](x, k*y)");
    assert_potential("function f(s)\nfunction g(s) = s*f(s)\npotential g'(x)", NULL,
                     "f(x) + x*f'(x)");
    assert_potential("function f(s)\npotential diff(f(x*y), x)", NULL, "y*f'(x*y)");
    // A total derivative goes through the arguments.
    Reading r = read_lines("function f(s)\nforce -f(x*t)' along x", NULL);
    assert_means(&r, r.model->forces_along.at[0].force, "-(x'*t + x)*f'(x*t)");
    finish(&r);
}

static void settings_give_bodies(void **state)
{
    (void)state;
    const char *open = "function f(s)\nfunction U(a, b) = a\npotential f(x) + U(x, y)";
    assert_potential(open, NULL, "f(x) + x");
    assert_potential(open, "f(z)=k*z", "k*x + x");
    assert_potential(open, "f(z)=z^2,U(p, q)=q", "x^2 + y");
    assert_potential("function f(s)\nfunction g(s)\npotential g(x)", "g(u)=f(u)^2", "f(x)^2");
}

// Which commands need a body: those that need numbers, of what is called.
static void numbers_need_bodies(void **state)
{
    (void)state;
    double values[1];
    Reading r = read_lines("function f(s)\nfunction unused(s)\npotential f(x)", NULL);
    assert_int_equal(model_param_values(r.model, r.diag, values), STATUS_WRONG);
    Text text = {0};
    diag_render(r.diag, DIAG_ERROR, &text);
    assert_non_null(strstr(text.at, "the function f(s) is open; give it a body"));
    assert_null(strstr(text.at, "unused"));
    assert_int_equal(model_param_numbers(r.model, r.diag, values), STATUS_OK);
    assert_true(values[0] == 2);
    text_clear(&text);
    finish(&r);
    r = read_lines("function f(s)\npotential f(x)", (const char *const[]){"f(s)=s", NULL});
    assert_int_equal(model_param_values(r.model, r.diag, values), STATUS_OK);
    finish(&r);
    r = read_good("function f(s)\nparam a = f(2)\ncoord x\nkinetic a*x'^2");
    assert_int_equal(model_param_numbers(r.model, r.diag, values), STATUS_WRONG);
    finish(&r);
}

static void diff_is_partial(void **state)
{
    (void)state;
    assert_potential("potential diff(k*x^2*y, x)", NULL, "2*k*x*y");
    assert_potential("potential diff(k*x^2*y, k)", NULL, "x^2*y");
    assert_potential("potential diff(x*x' + y, x')", NULL, "x"); // holds no velocity any more
    // By a speed, the others held fixed: x' = v, y' = w - v.
    const char *speeds = "speed v = x'\nspeed w = x' + y'\nlet T = x'^2 + y'^2\n"
                         "force diff(T, v) along x\nforce diff(w*x, w) along y\n";
    Reading r = read_lines(speeds, NULL);
    assert_means(&r, r.model->forces_along.at[0].force, "2*x' - 2*y'");
    assert_means(&r, r.model->forces_along.at[1].force, "x");
    finish(&r);
    assert_potential("function f(s) = diff(s^3, s)\npotential f(x)", NULL, "3*x^2");
    assert_potential("function f(s, t) = diff(s*t^2, t)\npotential f(x, y)", NULL, "2*x*y");
}

// The words that begin or follow nothing new stay names.
static void old_names_stay(void **state)
{
    (void)state;
    Reading r = read_good("param diff = 2\ncoord function, f\n"
                          "kinetic diff*(function'^2 + f'^2)\npotential function*f");
    assert_means(&r, r.model->potential, "function*f");
    finish(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_put_in),    cmocka_unit_test(open_functions_stay),
        cmocka_unit_test(settings_give_bodies), cmocka_unit_test(numbers_need_bodies),
        cmocka_unit_test(diff_is_partial),      cmocka_unit_test(old_names_stay),
    };
    return cmocka_run_group_tests_name("model/functions", tests, NULL, NULL);
}
