// test_random_systems.c: every form, proved equal on random systems; and every form with one
// planted sign error, caught.
#include "random_system.h"

#include "inquiry/inquiry.h"

#include <flint/flint.h>

// Each times ZWANG_TEST_SIZE, where that is set: a soak takes 20 or more.
enum { SYSTEMS = 100, SPOILT_SYSTEMS = 10 };

// ---- Proving.

static void fail_with(const char *model, uint64_t seed, FormKind kind, const Verdict *verdict)
{
    print_message("seed %llu, %s: %s %s\n%s", (unsigned long long)seed, form_name(kind),
                  verdict->reason ? verdict->reason : "disagrees at",
                  verdict->witness ? verdict->witness : "", model);
    fail();
}

static void prove_all(uint64_t seed)
{
    Text text = write_system(seed);
    Loaded loaded = load_text("random", text.at);
    if (loaded.status != STATUS_OK)
        print_messages(loaded.diag), print_message("%s", text.at);
    assert_int_equal(loaded.status, STATUS_OK);
    Form *yardstick = form_derive(FORM_MULTIPLIERS, loaded.motion);
    for (int i = 0; i < FORM_COUNT; i++) {
        // The last two are Hamel's equations for speeds that are not linear.
        if (i == FORM_MULTIPLIERS || i == FORM_JOHNSEN1 || i == FORM_JOHNSEN2)
            continue;
        Form *form = form_derive((FormKind)i, loaded.motion);
        assert_null(form->reason);
        Verdict verdict = inquiry_forms_agree(loaded.motion, yardstick, form);
        if (verdict.answer != ANSWER_YES)
            fail_with(text.at, seed, (FormKind)i, &verdict);
        verdict_clear(&verdict);
        form_free(form);
    }
    form_free(yardstick);
    unload(&loaded);
    text_clear(&text);
}

static void test_all_forms_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SYSTEMS * test_size(); seed++)
        prove_all(seed);
}

// ---- Sabotage.

// Flips the sign of one term in what vanishes, in the last equation of each set.
static bool spoil(Motion *motion, Form *form, size_t which)
{
    ExprPool *pool = motion->pool;
    FormEquation *equation = &form->equations.at[form->equations.count - 1];
    Expr residual = expr_is_none(equation->residual)
                        ? expr_sub(pool, equation->left, equation->right)
                        : equation->residual;
    residual = algebra_simplify(motion->algebra, residual);
    if (expr_op(pool, residual) != EXPR_SUM || which >= expr_arg_count(pool, residual))
        return false;
    Expr term = expr_mul(pool, expr_number(pool, expr_arg_weight(pool, residual, which)),
                         expr_arg(pool, residual, which));
    equation->residual = expr_sub(pool, residual, expr_mul(pool, expr_int(pool, 2), term));
    return true;
}

static size_t spoil_every_form(uint64_t seed)
{
    Text text = write_system(seed);
    Loaded loaded = load_good("random", text.at);
    Form *yardstick = form_derive(FORM_MULTIPLIERS, loaded.motion);
    size_t caught = 0;
    for (int i = 0; i < FORM_COUNT; i++) {
        Form *form = form_derive((FormKind)i, loaded.motion);
        if (!form->reason && spoil(loaded.motion, form, seed % 3)) {
            Verdict verdict = inquiry_forms_agree(loaded.motion, yardstick, form);
            if (verdict.answer == ANSWER_YES)
                fail_with(text.at, seed, (FormKind)i, &verdict);
            caught += verdict.answer == ANSWER_NO;
            verdict_clear(&verdict);
        }
        form_free(form);
    }
    form_free(yardstick);
    unload(&loaded);
    text_clear(&text);
    return caught;
}

static void test_a_planted_sign_is_caught_in_every_form(void **state)
{
    (void)state;
    size_t caught = 0;
    for (uint64_t seed = 1000; seed < 1000 + SPOILT_SYSTEMS * test_size(); seed++)
        caught += spoil_every_form(seed);
    assert_true(caught > SPOILT_SYSTEMS * test_size() * (FORM_COUNT - 2) / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_forms_agree),
        cmocka_unit_test(test_a_planted_sign_is_caught_in_every_form),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
