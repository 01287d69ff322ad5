// What a model may say and this version cannot derive is refused by name, kind and place.
#include "expr/expr.h"
#include "support.h"

static void assert_refused(const char *line, const char *expected)
{
    char text[512];
    snprintf(text, sizeof text, "coord x, y\nmass 1 at [x, y, 0]\n%s\n", line);
    Loaded loaded = load_text("m.zw", text);
    assert_non_null(loaded.model);
    assert_int_equal(loaded.status, STATUS_WRONG);
    assert_null(loaded.motion);
    Text said = {0};
    diag_render(loaded.diag, DIAG_NOTE, &said);
    assert_string_equal(said.at, expected);
    text_clear(&said);
    unload(&loaded);
}

static void mixtures_are_refused_by_name(void **state)
{
    (void)state;
    assert_refused("constraint d: x''^2 = y\nconstraint f: y >= 0",
                   "m.zw:3:15: error: this version cannot use the constraint 'd', which is not "
                   "affine in the accelerations, together with a one-sided one ('f'): which "
                   "conditions act would be another question at each of its stationary points\n"
                   "    constraint d: x''^2 = y\n"
                   "                  ^~~~~~~~~\n");
    assert_refused("constraint d: x''^2 = y\nservo s: y = sin(t) by y",
                   "m.zw:3:15: error: this version cannot use the constraint 'd', which is not "
                   "affine in the accelerations, together with a servo's one ('s'): it is left to "
                   "Gauss's principle, and a servo's force is no reaction of least constraint\n"
                   "    constraint d: x''^2 = y\n"
                   "                  ^~~~~~~~~\n");
    assert_refused("servo s: y'' = sin(t) by y",
                   "m.zw:3:10: error: the servo 's' keeps a condition on accelerations, which this "
                   "version cannot use; a servo can keep positions and velocities\n"
                   "    servo s: y'' = sin(t) by y\n"
                   "             ^~~~~~~~~~~~\n");
}

// One reading says all of them.
static void all_are_said(void **state)
{
    (void)state;
    Loaded loaded = load_text("m.zw", "coord x, y\nmass 1 at [x, y, 0]\n"
                                      "constraint a: x''^2 = 1\nconstraint b: x >= y\n"
                                      "constraint c: y''*x'' = 1\n");
    assert_int_equal(diag_count(loaded.diag, DIAG_ERROR), 2);
    unload(&loaded);
}

// One-sided conditions become rows f ≤ 0, apart from the equations, and equations while they act.
static void one_sided_ones_are_rows_apart(void **state)
{
    (void)state;
    Loaded loaded = load_good("m.zw", "coord x, y\nmass 1 at [x, y, 0]\nconstraint a: x = y\n"
                                      "constraint floor: y >= x^2 restitution 0.5\n");
    const Motion *motion = loaded.motion;
    assert_int_equal(motion->m, 1);
    assert_int_equal(motion->side_count, 1);
    const MotionRow *floor = motion_side(motion, 0);
    Text text = {0};
    const Expr parts[] = {floor->position, floor->b[0], floor->b[1], floor->c, floor->gamma};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        expr_print(motion->pool, parts[i], &text);
        text_add(&text, "; ");
    }
    assert_string_equal(text.at, "-y + x^2; 2*x; -1; 0; 2*x'^2; ");
    text_clear(&text);
    // While it acts it is an equation, y − x² = 0, whose λ is the told one.
    const bool held[] = {true};
    Motion *holding;
    assert_int_equal(motion_holding(motion, (MotionHold){.held = held}, loaded.diag, &holding),
                     STATUS_OK);
    assert_int_equal(holding->m, 2);
    assert_int_equal(holding->k, 0);
    expr_print(motion->pool, holding->rows[1].position, &text);
    assert_string_equal(text.at, "-(-y + x^2)");
    text_clear(&text);
    motion_free(holding);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixtures_are_refused_by_name),
        cmocka_unit_test(all_are_said),
        cmocka_unit_test(one_sided_ones_are_rows_apart),
    };
    return cmocka_run_group_tests_name("motion/not_yet", tests, NULL, NULL);
}
