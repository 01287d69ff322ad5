// test_kind.c: which conditions are integrable, by the sources' own verdicts and by sets whose
// finite relations are known because they were made from them.
#include "support.h"

#include "inquiry/inquiry.h"

#include <flint/flint.h>

typedef struct {
    size_t hidden, found;
    bool holonomic;
    size_t growth[8], steps;
} Expected;

static void check_kind(Motion *motion, const char *name, const Expected *expected)
{
    InquiryKind *kind = inquiry_kind(motion);
    if (kind->reason || kind->hidden != expected->hidden ||
        kind->relations.count != expected->found)
        print_error("%s: %s, %zu hidden, %zu found\n", name, kind->reason ? kind->reason : "",
                    kind->hidden, kind->relations.count);
    assert_null(kind->reason);
    assert_int_equal(kind->hidden, expected->hidden);
    assert_int_equal(kind->relations.count, expected->found);
    assert_int_equal(kind->holonomic, expected->holonomic);
    if (expected->steps) {
        assert_int_equal(kind->growth.count, expected->steps);
        assert_memory_equal(kind->growth.at, expected->growth,
                            expected->steps * sizeof *expected->growth);
    }
    inquiry_kind_free(kind);
}

// ---- The sources' verdicts.

static void test_verdicts_of_the_sources(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        Expected expected;
    } cases[] = {
        {"blade", {0, 0, false, {2, 3}, 2}},     // Hamel 234
        {"hoop", {0, 0, false, {3, 4, 5}, 3}},   // Hamel 234, Appell 2
        {"cart", {1, 1, false, {2, 3, 4}, 3}},   // Hamel 234: one combination is integrable
        {"chaplygin", {0, 0, false, {3, 5}, 2}}, // a ball on a plane: five dimensions, in two steps
        {"table", {0, 0, false, {3, 5}, 2}},     // the same, with time in the conditions
        {"wheels", {0, 0, false, {1, 2}, 2}},    // only time makes it so (Hamel 240)
        {"fourbar", {0, 0, true, {1}, 1}},       // finite conditions alone
        {"polar", {0, 0, true, {2}, 1}},         // none at all
        {"trailers", {0, 0, false, {2, 3, 4, 5, 6, 7}, 6}}, // a chain, one more in each step
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Loaded loaded = load_model(cases[i].model);
        check_kind(loaded.motion, cases[i].model, &cases[i].expected);
        unload(&loaded);
    }
}

// Whether `value` is constant where and only where the text is: their gradients are parallel.
static void same_relation(Loaded *loaded, const InquiryRelation *found, const char *text)
{
    Motion *motion = loaded->motion;
    Source *source = source_new("relation", text, strlen(text));
    Expr wanted;
    assert_int_equal(model_read_expression(motion->pool, source, loaded->diag, &wanted), STATUS_OK);
    size_t n = motion->n;
    Expr *matrix = base_alloc(2 * (n + 1) * sizeof *matrix);
    memcpy(matrix, found->gradient, (n + 1) * sizeof *matrix);
    expr_gradient(motion->pool, wanted, motion->q, n, matrix + n + 1);
    matrix[2 * n + 1] = expr_diff(motion->pool, wanted, motion->model->t);
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, 2, n + 1, NULL, NULL, NULL);
    if (rank != 1) {
        Text shown = {0};
        expr_print(motion->pool, found->value, &shown);
        print_error("found %s in the place of %s\n", shown.at, text);
        text_clear(&shown);
    }
    assert_int_equal(rank, 1);
    base_free(matrix);
    source_free(source);
}

// One hidden relation, and which it is.
static void one_relation(const char *model, const char *relation, bool holonomic)
{
    Loaded loaded = load_good("hidden", model);
    InquiryKind *kind = inquiry_kind(loaded.motion);
    if (kind->relations.count != 1)
        print_error("%s: %zu relations found\n", relation, kind->relations.count);
    assert_int_equal(kind->hidden, 1);
    assert_int_equal(kind->relations.count, 1);
    assert_int_equal(kind->holonomic, holonomic);
    same_relation(&loaded, &kind->relations.at[0], relation);
    inquiry_kind_free(kind);
    unload(&loaded);
}

static void test_the_relations_themselves(void **state)
{
    (void)state;
    Loaded cart = load_model("cart");
    InquiryKind *kind = inquiry_kind(cart.motion);
    assert_int_equal(kind->relations.count, 1);
    same_relation(&cart, &kind->relations.at[0], "2*b*theta + r*(phi1 - phi2)");
    inquiry_kind_free(kind);
    unload(&cart);
    // Appell (9): the height of the hoop's centre, as a condition on velocities.
    one_relation("param a = 1\ncoord z, theta\nkinetic z'^2 + theta'^2\n"
                 "constraint c: z' = a*cos(theta)*theta'\n",
                 "z - a*sin(theta)", true);
    // Exact, with time in it.
    one_relation("coord x, y\nkinetic x'^2 + y'^2\n"
                 "constraint c: (x^2*y + t*y + sin(t)*x)' = 0\n",
                 "x^2*y + t*y + sin(t)*x", true);
    // With an integrating factor: 1/x², 1/x, 1/(x² + y²).
    one_relation("coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x*y' = y*x'\n", "y/x", true);
    one_relation("coord x, y\nkinetic x'^2 + y'^2\nconstraint c: x' = x*y'\n", "log(x) - y", true);
    one_relation("coord x, y, z\nkinetic x'^2 + y'^2 + z'^2\n"
                 "constraint c: z'*(x^2 + y^2) = x*y' - y*x'\n",
                 "z - atan2(y, x)", true);
    one_relation("coord x, s\nkinetic x'^2 + s'^2\nconstraint c: x' = tan(s)*s'\n",
                 "x + log(cos(s))", true);
    // Hidden beside one that is not integrable.
    one_relation("coord x, y, z, w\nkinetic x'^2 + y'^2 + z'^2 + w'^2\n"
                 "constraint a: z' + y*x' + x*w' + w*x' = 0\nconstraint b: z' + y*x' = 0\n",
                 "x*w", false);
}

static void test_which_conditions_are_integrable(void **state)
{
    (void)state;
    Loaded loaded = load_good("mixed", "coord x, y, z, w\nkinetic x'^2 + y'^2 + z'^2 + w'^2\n"
                                       "constraint f: x^2 + w^2 = 1\n"
                                       "constraint a: z' + y*x' = 0\n"
                                       "constraint b: x*w' + w*x' = 2*x*x' + 2*w*w'\n"
                                       "initial x = 1\n");
    InquiryKind *kind = inquiry_kind(loaded.motion);
    assert_int_equal(kind->integrable[0], ANSWER_YES);
    // With x and w fixed by the others even z' + y x' = 0 is z' = 0.
    assert_int_equal(kind->integrable[1], ANSWER_YES);
    assert_int_equal(kind->integrable[2], ANSWER_YES);
    inquiry_kind_free(kind);
    unload(&loaded);
    Loaded cart = load_model("cart");
    kind = inquiry_kind(cart.motion);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(kind->integrable[i], ANSWER_NO);
    inquiry_kind_free(kind);
    unload(&cart);
}

// ---- Sets that were made.

static void random_term(Random *random, Text *text, bool angles)
{
    static const char *const names[] = {"x", "y", "z", "w", "s"};
    const char *a = names[random_below(random, 5)], *b = names[random_below(random, 5)];
    int factor = (int)random_below(random, 5) + 1;
    switch (random_below(random, angles ? 4 : 2)) {
    case 0: text_addf(text, "%d*%s*%s", factor, a, b); break;
    case 1: text_addf(text, "%d*%s", factor, a); break;
    case 2: text_addf(text, "%d*sin(%s)", factor, a); break;
    default: text_addf(text, "%d*%s*cos(%s)", factor, a, b); break;
    }
}

static void random_function(Random *random, Text *text, bool angles)
{
    text_add(text, "(");
    for (int i = 0; i < 3; i++) {
        text_add(text, i ? " + " : "");
        random_term(random, text, angles);
    }
    text_add(text, ")");
}

static const char head[] = "coord x, y, z, w, s\nkinetic x'^2 + y'^2 + z'^2 + w'^2 + s'^2\n";

// Finite relations, differentiated and mixed by an invertible matrix of functions, so that no
// condition is integrable by itself to the eye.
static void test_disguised_sets_are_integrable(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(seed);
        Text f = {0}, g = {0}, a = {0}, b = {0}, text = {0};
        random_function(&random, &f, true);
        random_function(&random, &g, true);
        random_function(&random, &a, true);
        random_function(&random, &b, true);
        text_addf(&text, "%sconstraint one: (%s)' + %s*(%s + t*x)' = 0\n", head, f.at, a.at, g.at);
        text_addf(&text, "constraint two: %s*(%s)' + (1 + %s*%s)*(%s + t*x)' = 0\n", b.at, f.at,
                  a.at, b.at, g.at);
        Loaded loaded = load_good("disguised", text.at);
        InquiryKind *kind = inquiry_kind(loaded.motion);
        if (kind->reason || !kind->holonomic || kind->hidden != 2)
            print_error("seed %llu:\n%s", (unsigned long long)seed, text.at);
        assert_true(kind->holonomic);
        assert_int_equal(kind->hidden, 2);
        assert_int_equal(kind->integrable[0], ANSWER_YES);
        assert_int_equal(kind->integrable[1], ANSWER_YES);
        inquiry_kind_free(kind);
        unload(&loaded);
        text_clear(&f);
        text_clear(&g);
        text_clear(&a);
        text_clear(&b);
        text_clear(&text);
    }
}

static void test_generic_sets_are_not(void **state)
{
    (void)state;
    static const char *const names[] = {"x", "y", "z", "w", "s"};
    for (uint64_t seed = 1; seed <= 6 * test_size(); seed++) {
        Random random = random_seed(seed);
        Text text = {0};
        text_add(&text, head);
        for (int row = 0; row < 2; row++) {
            text_addf(&text, "constraint c%d: ", row);
            for (int i = 0; i < 5; i++) {
                text_add(&text, i ? " + " : "");
                random_function(&random, &text, seed % 2);
                text_addf(&text, "*%s'", names[i]);
            }
            text_add(&text, " = 0\n");
        }
        Loaded loaded = load_good("generic", text.at);
        InquiryKind *kind = inquiry_kind(loaded.motion);
        assert_null(kind->reason);
        assert_false(kind->holonomic);
        assert_int_equal(kind->hidden, 0);
        assert_int_equal(kind->growth.at[kind->growth.count - 1], 5);
        assert_int_equal(kind->integrable[0], ANSWER_NO);
        inquiry_kind_free(kind);
        unload(&loaded);
        text_clear(&text);
    }
}

// ---- Values and states.

// Two balls that roll on each other turn holonomic in no case; but a wheel of radius 0 does.
static void test_values_that_make_it_special(void **state)
{
    (void)state;
    static const char text[] = "param c = %d\ncoord x, y, z\nkinetic x'^2 + y'^2 + z'^2\n"
                               "constraint a: z' = c*y*x' + x*x'\n";
    for (int c = 0; c <= 1; c++) {
        char model[256];
        snprintf(model, sizeof model, text, c);
        Loaded loaded = load_good("special", model);
        InquiryKind *kind = inquiry_kind(loaded.motion);
        assert_int_equal(kind->holonomic, c == 0);
        assert_int_equal(kind->special, c == 0);
        assert_int_equal(kind->integrable[0], c == 0 ? ANSWER_YES : ANSWER_NO);
        inquiry_kind_free(kind);
        unload(&loaded);
    }
}

// Martinet's condition z' = y² x': on y = 0 one round of brackets opens nothing.
static void test_ranks_at_a_state(void **state)
{
    (void)state;
    Loaded loaded = load_good("martinet", "coord x, y, z\nkinetic x'^2 + y'^2 + z'^2\n"
                                          "constraint a: z' = y^2*x'\n");
    InquiryKind *kind = inquiry_kind(loaded.motion);
    InquiryRanks there, elsewhere;
    assert_true(inquiry_kind_at(loaded.motion, kind, NULL, (double[]){1, 0, 2}, &there));
    assert_true(inquiry_kind_at(loaded.motion, kind, NULL, (double[]){1, 3, 2}, &elsewhere));
    assert_int_equal(kind->direction_count, 4);
    assert_int_equal(there.directions, 3);
    assert_int_equal(elsewhere.directions, 4);
    assert_int_equal(there.conditions, 1);
    inquiry_kind_free(kind);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts_of_the_sources),
        cmocka_unit_test(test_the_relations_themselves),
        cmocka_unit_test(test_which_conditions_are_integrable),
        cmocka_unit_test(test_disguised_sets_are_integrable),
        cmocka_unit_test(test_generic_sets_are_not),
        cmocka_unit_test(test_values_that_make_it_special),
        cmocka_unit_test(test_ranks_at_a_state),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
