// test_disguises.c: y' = z' in disguise is holonomic or undecided, never the contrary.
//
// Each model is drawn: an identity between functions that holds for real arguments, what stands in
// it, and the place where both sides enter. Whoever takes functions of the same argument for
// independent finds brackets that lead further, corrections, and integrals that change. A control
// spoils the identity: then the answer must be a NO.
#include "support.h"

#include "inquiry/inquiry.h"

#include <flint/flint.h>
#include <stdarg.h>

enum { SEEDS = 150, CONTROLS = 40 };

static const struct {
    const char *left, *right; // of the argument #
} identities[] = {
    {"(#)*sign(#)", "abs(#)"},
    {"tanh(#)", "sinh(#)/cosh(#)"},
    {"log((#)^2)", "2*log(abs(#))"},
    {"max(#, z) + min(#, z)", "# + z"},
    {"max(#, 2*y)", "((#) + 2*y + abs((#) - 2*y))/2"},
    {"cosh(2*(#))", "2*cosh(#)^2 - 1"},
    {"sinh(2*(#))", "2*sinh(#)*cosh(#)"},
    {"exp(# + y)", "exp(#)*exp(y)"},
    {"exp(#)", "cosh(#) + sinh(#)"},
    {"exp(-(#))*exp(3*(#))", "exp(#)^2"},
    {"sqrt((#)^2)", "abs(#)"},
    {"abs(#)^2", "(#)^2"},
    {"abs((#)*y)", "abs(#)*abs(y)"},
    {"sign(#)^2*(1 + y^2)", "1 + y^2"},
    {"asin((#)/9)", "pi/2 - acos((#)/9)"},
    {"sin(asin((#)/9))", "(#)/9"},
    {"cos(asin((#)/9))", "sqrt(1 - (#)^2/81)"},
    {"atan(exp(#)) + atan(exp(-(#)))", "pi/2"},
    {"atan2(#, 1)", "atan(#)"},
    {"tan(atan(#))", "#"},
    {"cos(abs(#))", "cos(#)"},
    {"sin(abs(#))", "sign(#)*sin(#)"},
    {"log(exp(#)*(1 + y^2))", "# + log(1 + y^2)"},
    {"exp(log(2 + y^2)*3)", "(2 + y^2)^3"},
    {"sqrt(1 + y^2)*sqrt(2 + (#)^2)", "sqrt((1 + y^2)*(2 + (#)^2))"},
    {"tanh((#)/2)", "(exp(#) - 1)/(exp(#) + 1)"},
    {"abs(max(#, -(#)))", "abs(#)"},
    {"sqrt((#)^2 + 1)*sqrt((#)^2 + 2)", "sqrt(((#)^2 + 1)*((#)^2 + 2))"},
    {"((#)^2 + 1)^(1/3)*((#)^2 + 1)^(2/3)", "(#)^2 + 1"},
    {"(((#)^2 + 1)^3)^(1/3)", "(#)^2 + 1"},
    {"((#)^2 + 1)^(1/2)", "sqrt((#)^2 + 1)"},
    {"sqrt(exp(2*(#)))", "exp(#)"},
    {"exp(2*log(1 + (#)^2))", "(1 + (#)^2)^2"},
    {"log(((#)^2 + 1)*(2 + y^2))", "log((#)^2 + 1) + log(2 + y^2)"},
    {"log(((#)^2 + 1)/(2 + y^2))", "log((#)^2 + 1) - log(2 + y^2)"},
    {"log(sqrt(1 + (#)^2))", "log(1 + (#)^2)/2"},
    {"atan(#) + atan(1/(#))", "sign(#)*pi/2"},
    {"sin(2*atan(#))", "2*(#)/(1 + (#)^2)"},
    {"tan((#)/2)", "sin(#)/(1 + cos(#))"},
    {"log((#) + sqrt((#)^2 + 1))", "-log(sqrt((#)^2 + 1) - (#))"},
    {"abs(sin(#))", "sqrt(1 - cos(#)^2)"},
    {"max(exp(#), 0)", "exp(#)"},
    {"max(#, 0) - max(-(#), 0)", "#"},
    {"sign((#)*y)", "sign(#)*sign(y)"},
    {"sign((#)^3)", "sign(#)"},
    {"abs((#)^3)", "abs(#)^3"},
    {"sqrt(2)*sqrt(3)*(1 + (#)^2)", "sqrt(6)*(1 + (#)^2)"},
    {"sqrt(5 + 2*sqrt(6))*(1 + (#)^2)", "(sqrt(2) + sqrt(3))*(1 + (#)^2)"},
    {"sqrt((#)^2 + 2*sqrt((#)^2 + 1) + 2)", "1 + sqrt((#)^2 + 1)"},
    {"acos(-(#)/9)", "pi - acos((#)/9)"},
    {"atan(sinh(#))", "2*atan(tanh((#)/2))"},
    {"tanh(log(1 + (#)^2))", "((1 + (#)^2)^2 - 1)/((1 + (#)^2)^2 + 1)"},
    {"min(#, max(#, y))", "#"},
    {"sqrt((#)^2*(1 + y^2))", "abs(#)*sqrt(1 + y^2)"},
    {"1/sqrt(1 + (#)^2)", "sqrt(1/(1 + (#)^2))"},
    {"asin(tanh(#))", "atan(sinh(#))"},
    {"log(cosh(#) + sinh(#))", "#"},
    {"(4 + (#)^2)^(1/4)", "sqrt(sqrt(4 + (#)^2))"},
    {"exp(y*log(2 + (#)^2))", "(2 + (#)^2)^y"},
    {"cos(atan2(#, 2))", "2/sqrt(4 + (#)^2)"},
};

static const char *const arguments[] = {"x",      "2*x",     "x/3", "x - y", "x^2 + 1",
                                        "sin(x)", "x + 2*t", "y",   "a*x",   "x*y/4"};

// {L} and {R} stand for the sides of the identity.
static const char *const places[] = {
    "constraint c: {L}*y' = {R}*z'\n",
    "constraint c: y' + {L}*x' = z' + {R}*x'\n",
    "constraint c: (1 + {L} - {R})*y' = z'\n",
    "constraint c: y' + {L} = z' + {R}\n",
    "constraint c: ({L} + 3)^2*y' = ({R} + 3)^2*z'\n",
    "constraint c: exp(x)*{L}*y' - {R}*exp(x)*z' = 0\n",
    "constraint c: y' = z'\nconstraint d: {L}*x' + y' = {R}*x' + z'\n",
    "constraint c: y' + x' = z' + {R}*x'/{L}\n",
    "constraint c: {L}*y' = {R}*y*z'\n",
    "constraint c: {L}*y*x' + {R}*x*y' = (3 + sin(z))*z'*{L}\n",
};

static void replace(Text *out, const char *pattern, const char *mark, const char *by)
{
    const char *at;
    while ((at = strstr(pattern, mark)) != NULL) {
        text_addf(out, "%.*s(%s)", (int)(at - pattern), pattern, by);
        pattern = at + strlen(mark);
    }
    text_add(out, pattern);
}

// The sides, with the argument put in; the right one spoiled by a factor that holds y and z.
static void draw_sides(Random *random, bool spoiled, Text *left, Text *right)
{
    size_t i = random_below(random, sizeof identities / sizeof *identities);
    const char *argument = arguments[random_below(random, sizeof arguments / sizeof *arguments)];
    replace(left, identities[i].left, "#", argument);
    if (spoiled)
        text_add(right, "(1 + x^2 + y*z/5)*(");
    replace(right, identities[i].right, "#", argument);
    if (spoiled)
        text_add(right, ")");
}

static void draw_model(Random *random, bool spoiled, Text *model, Text *factor)
{
    Text left = {0}, right = {0}, half = {0};
    draw_sides(random, spoiled, &left, &right);
    size_t place = spoiled ? 0 : random_below(random, sizeof places / sizeof *places);
    replace(&half, places[place], "{L}", left.at);
    text_add(model, "param a = 2\ncoord x, y, z\nkinetic (x'^2 + y'^2 + 2*z'^2)/2\n");
    replace(model, half.at, "{R}", right.at);
    text_addf(factor, "1 + (%s) - (%s)", left.at, right.at);
    text_clear(&left);
    text_clear(&right);
    text_clear(&half);
}

static void complain(uint64_t seed, const char *model, const char *what)
{
    fail_msg("%s, seed %llu:\n%s", what, (unsigned long long)seed, model);
}

static void check_kind(Motion *motion, uint64_t seed, const char *model)
{
    InquiryKind *kind = inquiry_kind(motion);
    if (!kind->reason && !kind->holonomic)
        complain(seed, model, "told not to be holonomic");
    for (size_t i = 0; i < motion->model->constraints.count; i++)
        if (kind->integrable[i] == ANSWER_NO)
            complain(seed, model, "a condition is told not to be integrable");
    inquiry_kind_free(kind);
    InquiryOrder *order = inquiry_order(motion);
    if (!order->reason && order->order > 0)
        complain(seed, model, "an order above 0");
    for (size_t i = 0; i < order->choices.count; i++)
        if (order->choices.at[i].order > 0)
            complain(seed, model, "an order above 0 for other parameters");
    inquiry_order_free(order);
    if (motion->m > 1 && motion_shows_rows(motion))
        complain(seed, model, "the same condition twice is shown to be two");
    InquiryJacobi *jacobi = inquiry_jacobi(motion);
    if (jacobi->extends == ANSWER_NO && strstr(jacobi->reason, "R"))
        complain(seed, model, "Jacobi's theorem is told not to extend");
    inquiry_jacobi_free(jacobi);
}

// y − z, times what is 1 in disguise, is constant.
static void check_integral(Loaded *loaded, uint64_t seed, const char *model, const char *factor)
{
    Text text = {0};
    text_addf(&text, "(%s)*x'", factor);
    Source *source = source_new("integral", text.at, text.length);
    Expr value, plain;
    assert_int_equal(model_read_expression(loaded->motion->pool, source, loaded->diag, &value),
                     STATUS_OK);
    plain = expr_sub(loaded->motion->pool, value, loaded->motion->v[0]);
    // x' itself changes where the condition holds x'; its disguise differs from it by nothing.
    Verdict verdict = algebra_is_zero(loaded->motion->algebra, plain);
    if (verdict.answer == ANSWER_NO)
        complain(seed, model, "equal functions are told apart");
    verdict_clear(&verdict);
    Verdict still = inquiry_is_integral(loaded->motion, loaded->motion->v[0], true);
    Verdict disguised = inquiry_is_integral(loaded->motion, value, true);
    if (still.answer == ANSWER_YES && disguised.answer == ANSWER_NO)
        complain(seed, model, "an integral is told to change");
    verdict_clear(&still);
    verdict_clear(&disguised);
    source_free(source);
    text_clear(&text);
}

static void check_forms(Motion *motion, uint64_t seed, const char *model)
{
    static const FormKind kinds[] = {FORM_LAGRANGE, FORM_APPELL, FORM_HAMEL};
    Form *yardstick = form_derive(FORM_MULTIPLIERS, motion);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        Form *form = form_derive(kinds[i], motion);
        Verdict verdict = {0};
        if (!form->reason && !yardstick->reason)
            verdict = inquiry_forms_agree(motion, yardstick, form);
        if (verdict.answer == ANSWER_NO)
            complain(seed, model, "two forms are told to differ");
        verdict_clear(&verdict);
        form_free(form);
    }
    form_free(yardstick);
}

// A condition twice, of which it is not known whether it is the same.
static bool is_undecided(const Diag *diag)
{
    for (size_t i = 0; i < diag_total(diag); i++)
        if (strstr(diag_message(diag, i, NULL, NULL), "it cannot be decided whether"))
            return true;
    return false;
}

static void check_all(Loaded *loaded, uint64_t seed, const char *model, const char *factor)
{
    check_kind(loaded->motion, seed, model);
    check_integral(loaded, seed, model, factor);
    if (seed % 4 == 0)
        check_forms(loaded->motion, seed, model);
}

static void test_disguises(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS * test_size(); seed++) {
        Text model = {0}, factor = {0};
        Random random = random_seed(seed * 7919);
        draw_model(&random, false, &model, &factor);
        Loaded loaded = load_text("disguise", model.at);
        if (!loaded.motion && !is_undecided(loaded.diag))
            complain(seed, model.at, "refused");
        if (loaded.motion)
            check_all(&loaded, seed, model.at, factor.at);
        unload(&loaded);
        text_clear(&model);
        text_clear(&factor);
    }
}

static void test_spoiled_ones_are_seen(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CONTROLS * test_size(); seed++) {
        Text model = {0}, factor = {0};
        Random random = random_seed(seed * 104729);
        draw_model(&random, true, &model, &factor);
        Loaded loaded = load_good("spoiled", model.at);
        InquiryKind *kind = inquiry_kind(loaded.motion);
        if (kind->reason || kind->holonomic)
            complain(seed, model.at, "not seen to be non-holonomic");
        inquiry_kind_free(kind);
        unload(&loaded);
        text_clear(&model);
        text_clear(&factor);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disguises),
        cmocka_unit_test(test_spoiled_ones_are_seen),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
