// test_order.c: orders of non-holonomy by Appell's own verdicts, and the corrections by a second
// road, through the energy of acceleration.
#include "support.h"

#include "inquiry/inquiry.h"

#include <flint/flint.h>

static void order_is(const char *model, size_t order, const char *holds)
{
    Loaded loaded = load_model(model);
    InquiryOrder *found = inquiry_order(loaded.motion);
    assert_null(found->reason);
    if (found->order != order)
        print_error("%s has order %zu and not %zu\n", model, found->order, order);
    assert_int_equal(found->order, order);
    for (size_t alpha = 0; alpha < loaded.motion->k; alpha++) {
        const char *name = loaded.motion->state.speeds[alpha].name;
        assert_int_equal(found->holds[alpha], strstr(holds, name) != NULL);
    }
    inquiry_order_free(found);
    unload(&loaded);
}

static void test_verdicts_of_the_sources(void **state)
{
    (void)state;
    order_is("polar", 0, "r' theta'"); // Appell 1
    order_is("polar_area", 2, "");     // Appell 1
    order_is("hoop", 2, "psi'");       // Appell 2: the lean, his theta
    order_is("euler", 3, "");          // Appell 10, corrected: three moments differ
    order_is("sliding_top", 0, "xi' eta' theta' phi' psi'");
}

static void order_of_body(const char *moments, size_t order)
{
    char text[512];
    snprintf(text, sizeof text,
             "param A = 1, B = 2, C = 3\ncoord a, b, c\n"
             "frame F = world rotate a about z rotate b about x rotate c about z\n"
             "body solid frame F inertia [%s]\n"
             "speed p = dot(omega(solid), F.x)\nspeed q = dot(omega(solid), F.y)\n"
             "speed r = dot(omega(solid), F.z)\n",
             moments);
    Loaded loaded = load_good("body", text);
    InquiryOrder *found = inquiry_order(loaded.motion);
    assert_int_equal(found->order, order);
    assert_int_equal(found->general, order);
    assert_int_equal(found->least, 0); // in Euler's angles
    inquiry_order_free(found);
    unload(&loaded);
}

static void test_rigid_bodies(void **state)
{
    (void)state;
    order_of_body("A, B, C", 3);
    order_of_body("A, A, C", 2);
    order_of_body("A, A, A", 0);
}

// Values may make a body one of revolution although its moments have three names.
static void test_values_count(void **state)
{
    (void)state;
    static const char text[] =
        "param A = 1, B = A, C = 3\ncoord a, b, c\n"
        "frame F = world rotate a about z rotate b about x rotate c about z\n"
        "body solid frame F inertia [A, B, C]\n"
        "speed p = dot(omega(solid), F.x)\nspeed q = dot(omega(solid), F.y)\n"
        "speed r = dot(omega(solid), F.z)\n";
    Loaded loaded = load_good("body", text);
    InquiryOrder *found = inquiry_order(loaded.motion);
    assert_int_equal(found->order, 2);
    assert_int_equal(found->general, 3);
    inquiry_order_free(found);
    unload(&loaded);
}

// A speed that is the rate of a function of one coordinate is a true coordinate's: order 0.
static void test_speeds_that_are_integrable(void **state)
{
    (void)state;
    Loaded loaded = load_good("true", "coord x, y\nkinetic (1 + x^2)*x'^2 + sin(x*y)*x'*y' + y'^2\n"
                                      "speed u = 3*x^2*x'\nspeed w = 2*y'\n");
    InquiryOrder *found = inquiry_order(loaded.motion);
    assert_int_equal(found->order, 0);
    inquiry_order_free(found);
    unload(&loaded);
}

// A dependent coordinate in T⁺ that a finite relation gives is no reason for a correction, though
// it is hidden in a condition on velocities.
static void test_finite_relations_are_used_first(void **state)
{
    (void)state;
    Loaded loaded = load_good("hidden", "coord x, y, z\nkinetic (1 + z^2)*x'^2 + y'^2 + z*z'^2\n"
                                        "constraint a: z' = cos(x)*x' + 2*y*y'\n"
                                        "independent x, y\n");
    InquiryOrder *found = inquiry_order(loaded.motion);
    assert_int_equal(found->order, 0);
    inquiry_order_free(found);
    unload(&loaded);
}

// ---- The second road: R_α = d/dt ∂T⁺/∂q'_α − ∂T⁺/∂q_α − ∂S/∂q''_α.
static void corrections_agree(const char *model)
{
    Loaded loaded = load_model(model);
    Motion *motion = loaded.motion;
    ExprPool *pool = motion->pool;
    MotionReduction *velocities = motion_velocities(motion);
    assert_true(velocities == &motion->state);
    InquiryOrder *found = inquiry_order(motion);
    Expr T = motion_in_speeds(motion, motion->T);
    Expr S = motion_in_speeds(motion, motion_acceleration_energy(motion));
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        const MotionSpeed *speed = &motion->state.speeds[alpha];
        Expr momentum = expr_diff(pool, T, speed->u);
        Expr R = expr_sub(pool, motion_rate_along(motion, velocities, momentum),
                          expr_add(pool, expr_diff(pool, T, motion->q[speed->index]),
                                   expr_diff(pool, S, speed->rate)));
        Verdict verdict = algebra_is_zero(motion->algebra, expr_sub(pool, R, found->R[alpha]));
        assert_int_equal(verdict.answer, ANSWER_YES);
        verdict_clear(&verdict);
        Verdict zero = algebra_is_zero(motion->algebra, R);
        assert_int_equal(zero.answer == ANSWER_YES, found->holds[alpha]);
        verdict_clear(&zero);
    }
    inquiry_order_free(found);
    unload(&loaded);
}

static void test_corrections_by_the_energy_of_acceleration(void **state)
{
    (void)state;
    corrections_agree("hoop");
    corrections_agree("rattleback");
    corrections_agree("snakeboard");
    corrections_agree("wheels");
}

// Every choice of coordinates, asked for singly.
static void test_choices_agree_with_those_asked_for(void **state)
{
    (void)state;
    static const char text[] = "coord x, y, z, w\n%s"
                               "kinetic x'^2 + y'^2 + (1 + x^2)*z'^2 + w'^2 + x*w'*y'\n"
                               "constraint a: z' = y*x' + t*w'\nconstraint b: w' = x*y'\n";
    char model[512];
    snprintf(model, sizeof model, text, "");
    Loaded loaded = load_good("choices", model);
    InquiryOrder *all = inquiry_order(loaded.motion);
    assert_int_equal(all->choices.count, 5); // y' and w' are not independent
    for (size_t i = 0; i < all->choices.count; i++) {
        const InquiryChoice *choice = &all->choices.at[i];
        char independent[64];
        snprintf(independent, sizeof independent, "independent %s, %s\n",
                 loaded.model->coords.at[choice->parameters[0]].name,
                 loaded.model->coords.at[choice->parameters[1]].name);
        snprintf(model, sizeof model, text, independent);
        Loaded single = load_good("choice", model);
        InquiryOrder *one = inquiry_order(single.motion);
        assert_int_equal(one->order, choice->order);
        inquiry_order_free(one);
        unload(&single);
    }
    inquiry_order_free(all);
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts_of_the_sources),
        cmocka_unit_test(test_rigid_bodies),
        cmocka_unit_test(test_values_count),
        cmocka_unit_test(test_speeds_that_are_integrable),
        cmocka_unit_test(test_finite_relations_are_used_first),
        cmocka_unit_test(test_corrections_by_the_energy_of_acceleration),
        cmocka_unit_test(test_choices_agree_with_those_asked_for),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
