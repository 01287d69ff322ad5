// test_reduce.c: coordinates that finite relations give, and those that must stay.
#include "support.h"

#include "inquiry/inquiry.h"

#include <flint/flint.h>

static void reduces(const char *text, const char *coordinate, const char *value, size_t left)
{
    Loaded loaded = load_good("reduced", text);
    InquiryKind *kind = inquiry_kind(loaded.motion);
    InquiryReduction reduction;
    inquiry_reduce(loaded.motion, kind, &reduction);
    assert_int_equal(reduction.left, left);
    assert_int_equal(reduction.at.count, coordinate != NULL);
    if (coordinate) {
        const InquiryReplaced *one = &reduction.at.at[0];
        assert_string_equal(loaded.model->coords.at[one->coordinate].name, coordinate);
        Source *source = source_new("value", value, strlen(value));
        Expr wanted;
        assert_int_equal(model_read_expression(loaded.model->pool, source, loaded.diag, &wanted),
                         STATUS_OK);
        Expr difference = expr_sub(loaded.model->pool, one->value, wanted);
        Verdict zero = algebra_is_zero(loaded.motion->algebra, difference);
        assert_int_equal(zero.answer, ANSWER_YES);
        verdict_clear(&zero);
        source_free(source);
    }
    inquiry_reduction_clear(&reduction);
    inquiry_kind_free(kind);
    unload(&loaded);
}

static void test_which_coordinate(void **state)
{
    (void)state;
    static const char finite[] = "param a = 2\ncoord x, y, z\nkinetic x'^2 + y'^2 + z'^2\n"
                                 "constraint c: z = a*sin(x) + y\n%s";
    char text[256];
    snprintf(text, sizeof text, finite, "");
    reduces(text, "z", "a*sin(x) + y", 0);
    // Where a force, a velocity or `independent` names it, another one goes.
    snprintf(text, sizeof text, finite, "force 1 along z\n");
    reduces(text, "y", "z - a*sin(x)", 0);
    snprintf(text, sizeof text, finite, "initial z' = 1\n");
    reduces(text, "y", "z - a*sin(x)", 0);
    snprintf(text, sizeof text, finite, "independent z, y\n");
    reduces(text, NULL, NULL, 1);
    // A circle is linear in none.
    reduces("coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x^2 + y^2 = 1\ninitial x = 1\n", NULL,
            NULL, 1);
    // A coordinate would jump with sign, and its rate would not; a kink is followed.
    reduces("coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x + y = sign(t - 1)\n", NULL, NULL, 1);
    // Of what the time gives as a whole one coordinate stays.
    reduces("coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x = sin(t)\nconstraint d: y = t\n", "x",
            "sin(t)", 1);
    reduces("coord x\nkinetic x'^2\nconstraint c: x = sin(t)\n", NULL, NULL, 1);
    reduces("coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x + y = abs(t - 1)\n", "y",
            "abs(t - 1) - x", 0);
}

// A hidden relation keeps the value that it has at the start.
static void test_the_value_at_the_start(void **state)
{
    (void)state;
    reduces("param c = 2, x0 = 3\ncoord x, y\nkinetic x'^2 + y'^2\n"
            "constraint a: y' = 2*c*x*x' + cos(t)\ninitial x = x0, y = 5\n",
            "y", "c*x^2 + sin(t) + 5 - c*x0^2", 0);
    reduces("coord x, y, z\nkinetic x'^2 + y'^2 + z'^2\nconstraint a: z' = y*x'\n", NULL, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_coordinate),
        cmocka_unit_test(test_the_value_at_the_start),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
