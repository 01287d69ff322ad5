// A system is the same whether its T is given or its S (Appell 14): `check` says the same of it.
//
// Gallery models are written out anew from their parts: once with T, once with the S that their
// masses have by their accelerations.
#include "support.h"

#include "algebra/algebra.h"
#include "expr/arithmetic.h"
#include "expr/expr.h"
#include "zwang.h"

#include <math.h>

static void add_expr(const Motion *motion, const char *before, Expr e, const char *after, Text *out)
{
    text_add(out, before);
    expr_print(motion->pool, e, out);
    text_add(out, after);
}

static void add_names(const Motion *motion, Text *out)
{
    const Model *model = motion->model;
    for (size_t i = 0; i < model->params.count; i++) {
        text_addf(out, "param %s = ", model->params.at[i].name);
        add_expr(motion, "", model->params.at[i].value, "\n", out);
    }
    for (size_t i = 0; i < motion->n; i++)
        text_addf(out, "coord %s\n", model->coords.at[i].name);
    for (size_t i = 0; i < model->speeds.count; i++) {
        text_addf(out, "speed %s = ", model->speeds.at[i].name);
        add_expr(motion, "", model->speeds.at[i].value, "\n", out);
    }
}

static void add_conditions(Motion *motion, Text *out)
{
    for (size_t i = 0; i < motion->m; i++) {
        const MotionRow *row = &motion->rows[i];
        bool finite = !expr_is_none(row->position);
        text_addf(out, "constraint c%zu: ", i);
        add_expr(motion, "", finite ? row->position : row->velocity, " = 0\n", out);
    }
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr slope = expr_diff(motion->pool, motion->U, motion->q[nu]);
        Expr force = expr_add(motion->pool, motion->K[nu], slope);
        if (expr_is_zero(motion->pool, force))
            continue;
        add_expr(motion, "force ", force, " along ", out);
        text_addf(out, "%s\n", motion->model->coords.at[nu].name);
    }
}

static Text written(Motion *motion, bool by_S)
{
    Text out = {0};
    text_add(&out, "system same \"same\"\n");
    add_names(motion, &out);
    if (by_S)
        add_expr(motion, "acceleration_energy ", motion_acceleration_energy(motion), "\n", &out);
    else
        add_expr(motion, "kinetic ", motion->T, "\n", &out);
    add_expr(motion, "potential ", motion->U, "\n", &out);
    add_conditions(motion, &out);
    return out;
}

// The report of `check`, for free.
static char *checked(const char *name, const Text *text)
{
    zw_model *model;
    zw_result *report = NULL;
    zw_status status = zw_model_read("same", text->at, text->length, NULL, &model);
    if (status == ZW_DONE)
        status = zw_check(model, &(zw_check_options){.width = 1 << 20}, &report);
    if (status != ZW_DONE)
        fail_msg("%s: %s\n%s", name, zw_messages(model, ZW_ERROR), text->at);
    zw_model_free(model);
    char *text_of = strdup(zw_result_text(report));
    zw_result_free(report);
    return text_of;
}

static int failures;

// Up to here lines must be the same: a function may be written in another order, and a proof in a
// prime field may have another probability.
static size_t label_of(const char *line, size_t length)
{
    static const char *const ends[] = {"∂V/∂t + ", "2^-", " N = ", ": "};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *at = strstr(line, ends[i]);
        bool listed = strncmp(line, "  ", 2) == 0 || ends[i][0] != ':';
        if (at && listed && (size_t)(at - line) < length)
            return (size_t)(at - line) + strlen(ends[i]);
    }
    return length;
}

// Counts a failure and prints the first lines that differ.
static void compare(const char *name, const char *one, const char *other)
{
    while (*one || *other) {
        size_t length = strcspn(one, "\n"), its = strcspn(other, "\n");
        size_t label = label_of(one, length), its_label = label_of(other, its);
        if (label != its_label || strncmp(one, other, label)) {
            print_error("%s\nby T: %.*s\nby S: %.*s\n", name, (int)length, one, (int)its, other);
            failures++;
            return;
        }
        one += length + (one[length] != 0);
        other += its + (other[its] != 0);
    }
}

// T and the energy as functions: exactly the same.
static void compare_energies(const char *name, const Text *by_T, const Text *by_S)
{
    Loaded one = load_good(name, by_T->at), other = load_good(name, by_S->at);
    Text energy = {0}, claim = {0};
    assert_null(motion_no_T(other.motion));
    expr_print(one.motion->pool, one.motion->energy, &energy);
    text_addf(&claim, "%s\noutput before = %s\n", by_S->at, energy.at);
    Loaded both = load_good(name, claim.at);
    Expr before = both.model->outputs.at[0].value;
    Verdict same = algebra_is_zero(both.motion->algebra,
                                   expr_sub(both.motion->pool, before, both.motion->energy));
    if (same.answer != ANSWER_YES)
        print_error("%s: the energies differ\n", name);
    failures += same.answer != ANSWER_YES;
    verdict_clear(&same);
    text_clear(&energy);
    text_clear(&claim);
    unload(&one);
    unload(&other);
    unload(&both);
}

static void test_gallery_models_given_by_S(void **state)
{
    (void)state;
    static const char *const names[] = {
        "blade", "cart",   "hoop", "caster", "polar_area", "sliding_top", "top",       "chaplygin",
        "euler", "sledge", "tire", "polar",  "fourbar",    "hoop_hamel",  "snakeboard"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Loaded loaded = load_model(names[i]);
        Text by_T = written(loaded.motion, false), by_S = written(loaded.motion, true);
        char *one = checked(names[i], &by_T), *other = checked(names[i], &by_S);
        compare(names[i], one, other);
        compare_energies(names[i], &by_T, &by_S);
        free(one);
        free(other);
        text_clear(&by_T);
        text_clear(&by_S);
        unload(&loaded);
    }
    assert_int_equal(failures, 0);
}

// ---- Parameters that are no true coordinates, and an S that no T belongs to.

static char *report_of(const char *text)
{
    Text copy = {0};
    text_add(&copy, text);
    char *report = checked("text", &copy);
    text_clear(&copy);
    return report;
}

static void assert_says(const char *text, const char *line)
{
    char *report = report_of(text);
    if (!strstr(report, line))
        fail_msg("not found: %s\n%s", line, report);
    free(report);
}

// Appell 9: r and the area σ that the radius sweeps. With σ' = r²θ'/2 his S is this one; the point
// is holonomic, these parameters are of order 2.
static void test_areas(void **state)
{
    (void)state;
    const char *text = "coord r, sigma\ninitial r = 1\nparam m = 1, Q = 0, P = 0\n"
                       "acceleration_energy m/2*((r'' - 4*sigma'^2/r^3)^2 + 4*sigma''^2/r^2)\n"
                       "force Q along r\nforce 2*P/r along sigma\n";
    assert_says(text, "order of non-holonomy 2 for the parameters r, σ");
    assert_says(text, "R_r = 8·m·σ′²/r³");
    assert_says(text, "not holonomic in these parameters: nothing constrains it");
    assert_says(text, "R_σ = −8·m·r′·σ′/r³");
}

static void test_no_energy(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line;
    } cases[] = {
        {"coord x\nacceleration_energy x''^2/2 + x'*x''\n", "Σ ψ q' − E = x'^2"},
        {"coord x\nacceleration_energy x''^2/2*(1 + x'^2)\n", "hold velocities"},
        {"coord x\nacceleration_energy x''^2/2 + x''^4/4\n", "not quadratic in the accelerations"},
        {"coord x\nacceleration_energy x''^2/2 + abs(x'')\n", "not quadratic in the accelerations"},
        // (38) asks for ψ = x x'².
        {"coord x\nacceleration_energy x''^2/2*(1 + x^2)\n", "Σ ψ q' − E = -x*x'^3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_says(cases[i].text, cases[i].line);
    assert_says("coord x\nacceleration_energy x''^2/2*(1 + x^2) + x*x'^2*x''\n",
                "every R vanishes");
}

// ---- An S that is not quadratic runs.

typedef struct {
    double last[16];
    size_t count;
} LastRow;

static bool keep_last(void *context, const double *values, size_t count)
{
    LastRow *row = context;
    assert_true(count <= sizeof row->last / sizeof *row->last);
    row->count = count;
    memcpy(row->last, values, count * sizeof *values);
    return true;
}

static LastRow end_of(const char *text, double to, const char *method)
{
    LastRow row = {0};
    zw_model *model;
    zw_run_options options = {0};
    options.row = keep_last;
    options.context = &row;
    options.to = to;
    options.every = to;
    options.method = method;
    zw_status status = zw_model_read("S", text, strlen(text), NULL, &model);
    if (status == ZW_DONE)
        status = zw_run(model, &options, NULL);
    if (status == ZW_FAILED)
        fail_msg("%s\n%s", zw_messages(model, ZW_ERROR), text);
    zw_model_free(model);
    return row;
}

// x'' + x''³ = t: with a = x'' as the parameter t = a + a³, x' = a²/2 + 3a⁴/4 and
// x = a³/6 + 9a⁵/20 + 9a⁷/28; at t = 2 a is 1. sinh(x'') = t has x' = t·asinh t − √(1 + t²) + 1.
static void test_runs_in_closed_form(void **state)
{
    (void)state;
    static const char *const methods[] = {"taylor", "erk", "bdf"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        LastRow row = end_of("coord x\nacceleration_energy x''^2/2 + x''^4/4\nforce t along x\n"
                             "run to 2 every 2 tolerance 1e-11\n",
                             2, methods[i]);
        assert_true(fabs(row.last[1] - (1.0 / 6 + 9.0 / 20 + 9.0 / 28)) < 1e-8);
        assert_true(fabs(row.last[2] - 1.25) < 1e-8);
        row = end_of("coord x\nacceleration_energy cosh(x'')\nforce t along x\n"
                     "run to 2 every 2 tolerance 1e-11\n",
                     2, methods[i]);
        assert_true(fabs(row.last[2] - (2 * asinh(2) - sqrt(5) + 1)) < 1e-8);
    }
}

// x'' + sign(x'') = 2: the second derivative of |x''| vanishes, and yet it counts.
static void test_a_kink(void **state)
{
    (void)state;
    LastRow row =
        end_of("coord x\nacceleration_energy x''^2/2 + abs(x'')\nforce 2 along x\n", 1, NULL);
    assert_true(fabs(row.last[2] - 1) < 1e-12);
    row = end_of("coord x\nacceleration_energy x''^2/2 + x''^4/4 + abs(x'')\nforce 3 along x\n", 1,
                 NULL);
    assert_true(fabs(row.last[2] - 1) < 1e-12);
}

// y'' = x''² + |x''| for a unit mass: with x'' = a > 0 the function ½(a − 3)² + ½(a² + a + 1)² is
// stationary where 2a³ + 3a² + 4a = 2.
static void test_a_condition_with_a_kink(void **state)
{
    (void)state;
    LastRow row = end_of("coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                         "constraint c: y'' = x''^2 + abs(x'')\nforce 3 along x\n"
                         "force -1 along y\n",
                         1, NULL);
    double a = row.last[3];
    assert_true(a > 0 && fabs(2 * a * a * a + 3 * a * a + 4 * a - 2) < 1e-9);
}

// A pendulum whose S is ½J² + ¼J⁴: with a finite condition, and by its angle, J² = θ''² + θ'⁴.
static void test_a_finite_condition(void **state)
{
    (void)state;
    LastRow one = end_of("coord x, y\nlet J2 = x''^2 + y''^2\nacceleration_energy J2/2 + J2^2/4\n"
                         "constraint rod: x^2 + y^2 = 1\nforce -1 along y\n"
                         "initial x = 1, y' = 0.2\nrun to 3 every 3 tolerance 1e-12\n",
                         3, NULL);
    LastRow other = end_of("coord theta\nlet J2 = theta''^2 + theta'^4\n"
                           "acceleration_energy J2/2 + J2^2/4\nforce -cos(theta) along theta\n"
                           "initial theta' = 0.2\nrun to 3 every 3 tolerance 1e-12\n",
                           3, NULL);
    assert_true(fabs(one.last[1] - cos(other.last[1])) < 1e-9);
    assert_true(fabs(one.last[2] - sin(other.last[1])) < 1e-9);
}

// S = x''⁴/4 − x''²/2 and the force 0.1·cos t: the least point changes its side where the force
// does, at π/2. Until then x'' = a with a³ − a = 0.1 cos t, a > 0; behind it is −a at π − t.
static void test_least_points_change(void **state)
{
    (void)state;
    const char *text = "coord x\nacceleration_energy x''^4/4 - x''^2/2\n"
                       "force 0.1*cos(t) along x\nrun to 3 every 3 tolerance 1e-11\n";
    double pi = acos(-1);
    LastRow middle = end_of(text, pi / 2, NULL), last = end_of(text, pi, NULL);
    assert_true(middle.last[2] > 1);
    assert_true(fabs(last.last[2]) < 1e-9);
    assert_true(fabs(last.last[1] - 2 * middle.last[1]) < 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gallery_models_given_by_S),
                                       cmocka_unit_test(test_areas),
                                       cmocka_unit_test(test_no_energy),
                                       cmocka_unit_test(test_runs_in_closed_form),
                                       cmocka_unit_test(test_a_kink),
                                       cmocka_unit_test(test_a_condition_with_a_kink),
                                       cmocka_unit_test(test_a_finite_condition),
                                       cmocka_unit_test(test_least_points_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
