// test_many_roots.c: rods written with norm are told as rods written with squares: any number of
// square roots, in chains, in loops, and with roots that depend on each other.
#include "support.h"

#include "inquiry/inquiry.h"

#include <flint/flint.h>

// A chain of rods between pins in a plane; `more` adds rods.
static Loaded load_rods(int count, const char *more)
{
    char text[1024];
    snprintf(text, sizeof text,
             "const N = %d\nparam l = 1, g = 9.81\ncoord x[N], y[N]\npoint P[0] = origin\n"
             "for i in 1..N {\n    point P[i] = [x[i], y[i], 0]\n    mass i at P[i]\n"
             "    constraint rod[i]: norm(P[i] - P[i-1]) = l\n}\n"
             "gravity [0, -g, 0]\n%s",
             count, more);
    return load_good("rods", text);
}

static void tell_all(const char *name, Loaded *loaded, size_t freedom)
{
    Motion *motion = loaded->motion;
    assert_int_equal(motion->k, freedom);
    Form *yardstick = form_derive(FORM_MULTIPLIERS, motion);
    static const FormKind others[] = {FORM_LAGRANGE, FORM_APPELL, FORM_MAGGI, FORM_HAMEL};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        Form *form = form_derive(others[i], motion);
        Verdict verdict = inquiry_forms_agree(motion, yardstick, form);
        if (verdict.answer != ANSWER_YES)
            print_error("%s, %s: %s\n", name, form_name(others[i]),
                        verdict.reason ? verdict.reason : verdict.witness);
        assert_int_equal(verdict.answer, ANSWER_YES);
        assert_true(verdict.proof == PROOF_EXACT || verdict.log2_error <= -100);
        verdict_clear(&verdict);
        form_free(form);
    }
    form_free(yardstick);
    InquiryKind *kind = inquiry_kind(motion);
    assert_null(kind->reason);
    assert_true(kind->holonomic);
    inquiry_kind_free(kind);
}

static void test_chains(void **state)
{
    (void)state;
    static const int counts[] = {3, 6, 7, 9, 12};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        Loaded loaded = load_rods(counts[i], "");
        tell_all("chain", &loaded, (size_t)counts[i]);
        unload(&loaded);
    }
}

static void test_loops(void **state)
{
    (void)state;
    // Every pin with three rods: no coordinate belongs to one rod alone.
    Loaded loaded = load_rods(8, "constraint a: norm(P[8] - P[0]) = l\n"
                                 "constraint b: norm(P[1] - P[4]) = l\n"
                                 "constraint c: norm(P[5] - P[8]) = l\n"
                                 "constraint d: norm(P[2] - P[6]) = 2*l\n"
                                 "constraint e: norm(P[3] - P[7]) = 2*l\n");
    tell_all("loop", &loaded, 3);
    unload(&loaded);
}

static void test_one_rod_twice(void **state)
{
    (void)state;
    // The same rod again, as a multiple and by its expanded square: two roots that depend.
    Loaded loaded = load_rods(7, "constraint a: norm(3*(P[7] - P[6])) = 3*l\n"
                                 "constraint b: (x[7] - x[6])^2 + (y[7] - y[6])^2 = l^2\n");
    assert_int_equal(loaded.motion->aside.count, 2);
    tell_all("twice", &loaded, 7);
    unload(&loaded);
}

// ---- Single expressions.

typedef struct {
    ExprPool *pool;
    Algebra *algebra;
} Desk;

static Answer is_zero(Desk *desk, Expr e)
{
    Verdict verdict = algebra_is_zero_modular(desk->algebra, e);
    Answer answer = verdict.answer;
    verdict_clear(&verdict);
    return answer;
}

// (Σ r_i)² = Σ a_i + 2·Σ r_i·r_j for r_i = √a_i, a_i = x_i² + x_{i+1}² + …; another sign is a NO.
static void test_sums_of_roots(void **state)
{
    (void)state;
    enum { COUNT = 14 };
    Desk desk = {.pool = expr_pool_new()};
    ExprPool *pool = desk.pool;
    desk.algebra = algebra_new(pool);
    Expr x[COUNT + 2], r[COUNT], sum = expr_int(pool, 0), square = sum;
    for (int i = 0; i < COUNT + 2; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        x[i] = expr_symbol(pool, name);
    }
    for (int i = 0; i < COUNT; i++) {
        Expr under = expr_int(pool, 1);
        for (int k = 0; k < 3; k++)
            under = expr_add(pool, under, expr_mul(pool, x[i + k], x[i + k]));
        r[i] = expr_sqrt(pool, under);
        sum = expr_add(pool, sum, r[i]);
        square = expr_add(pool, square, under);
        for (int k = 0; k < i; k++)
            square = expr_add(pool, square,
                              expr_mul(pool, expr_int(pool, 2), expr_mul(pool, r[i], r[k])));
    }
    Expr difference = expr_sub(pool, expr_mul(pool, sum, sum), square);
    assert_int_equal(is_zero(&desk, difference), ANSWER_YES);
    Expr wrong = expr_sub(pool, difference, expr_mul(pool, r[0], r[1]));
    assert_int_equal(is_zero(&desk, wrong), ANSWER_NO);
    algebra_free(desk.algebra);
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_one_rod_twice),
        cmocka_unit_test(test_sums_of_roots),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
