// test_realization.c: how the material caster tends to an ideal one (Appell 22, Hamel 250–251):
// with A/ρ → 0 to the motion under z'² = k²(x'² + y'²), with A/ρ → α to another; and Delassus'
// point at the height a, on a hoop and on a ball (Appell 3).
#include "files.h"
#include "run_case.h"

#include <flint/flint.h>

// A model of the gallery with its first parameters replaced: "NAME = …" becomes "NAME = value".
static void set(Text *text, const char *name, double value)
{
    Text changed = {0};
    char key[32];
    snprintf(key, sizeof key, "%s = ", name);
    const char *at = strstr(text->at, "\nparam ");
    assert_non_null(at);
    at = strstr(at, key);
    assert_non_null(at);
    text_add_str(&changed, (Str){text->at, (size_t)(at - text->at)});
    text_addf(&changed, "%s%.17g", key, value);
    text_add(&changed, at + strcspn(at, ",\n"));
    text_clear(text);
    *text = changed;
}

typedef struct {
    double x, y, z; // of the weight, at the end
} End;

static End end_of_caster(const char *model, double eps, double alpha)
{
    Text text = read_file(ZWANG_SOURCE_DIR "/models/", model, ".zw");
    if (eps > 0)
        set(&text, "eps", eps);
    if (alpha >= 0)
        set(&text, "alpha", alpha);
    RunCase kase = case_run(text.at);
    case_expect(&kase, STATUS_OK);
    bool ideal = strcmp(model, "caster_ideal") == 0;
    End end = {case_last(&kase, ideal ? "x" : "xi"), case_last(&kase, ideal ? "y" : "eta"),
               ideal ? case_last(&kase, "z") : 0.25 * case_last(&kase, "phi")};
    case_free(&kase);
    text_clear(&text);
    return end;
}

static double distance(End a, End b)
{
    return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z);
}

static void test_caster(void **state)
{
    (void)state;
    End ideal = end_of_caster("caster_ideal", 0, -1), limit = end_of_caster("caster_limit", 0, 1);
    // They are two motions.
    assert_true(distance(ideal, limit) > 0.3);
    const double sizes[] = {0.1, 0.01, 0.001};
    double to_ideal[3], to_limit[3];
    for (int i = 0; i < 3; i++) {
        to_ideal[i] = distance(end_of_caster("caster", sizes[i], 0), ideal);
        to_limit[i] = distance(end_of_caster("caster", sizes[i], 1), limit);
    }
    // Each is approached in proportion to the size of the caster.
    for (int i = 0; i < 2; i++) {
        assert_near(to_ideal[i] / to_ideal[i + 1], 10, 1);
        assert_near(to_limit[i] / to_limit[i + 1], 10, 1);
    }
    assert_true(to_ideal[2] < 2e-3);
    assert_true(to_limit[2] < 2e-3);
    // And the limits themselves meet where alpha goes to zero.
    double near = distance(end_of_caster("caster_limit", 0, 1e-2), ideal);
    double nearer = distance(end_of_caster("caster_limit", 0, 1e-3), ideal);
    assert_near(near / nearer, 10, 1);
}

// The same force, the same first velocity: they part at once, and a lighter hoop does not help.
static void test_delassus(void **state)
{
    (void)state;
    double ends[3];
    const struct {
        const char *model;
        double mass;
    } cases[] = {{"delassus_ball", 1e-6}, {"delassus_hoop", 1e-2}, {"delassus_hoop", 1e-6}};
    for (int i = 0; i < 3; i++) {
        Text text = read_file(ZWANG_SOURCE_DIR "/models/", cases[i].model, ".zw");
        set(&text, "M", cases[i].mass);
        RunCase kase = case_run(text.at);
        case_expect(&kase, STATUS_OK);
        ends[i] = case_last(&kase, "x");
        case_free(&kase);
        text_clear(&text);
    }
    // The ball leaves the point as free as a smooth table: x = cos(0.2) t + X t²/2.
    assert_near(ends[0], 4 * cos(0.2) + 0.6 * 8, 1e-4);
    assert_true(fabs(ends[2] - ends[0]) > 2);
    assert_near(ends[2], ends[1], 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caster),
        cmocka_unit_test(test_delassus),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
