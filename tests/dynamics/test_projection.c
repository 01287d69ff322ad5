// test_projection.c: projection onto the conditions does not depend on their units.
#include "dynamics/equations.h"
#include "dynamics/projection.h"
#include "support.h"

#include <math.h>

typedef struct {
    Loaded loaded;
    Equations eq;
    State state;
} Case;

static void case_init(Case *kase, const char *text)
{
    kase->loaded = load_good("projection", text);
    assert_int_equal(equations_init(&kase->eq, kase->loaded.motion, kase->loaded.diag), STATUS_OK);
    state_init(&kase->state, &kase->eq);
}

static void case_clear(Case *kase)
{
    state_clear(&kase->state);
    equations_clear(&kase->eq);
    unload(&kase->loaded);
}

// A circle in one unit and a paraboloid in another: the same point, whichever units these are.
static void positions_in_any_units(void **unused)
{
    (void)unused;
    static const char *const units[][2] = {{"1", "1"}, {"1e9", "1e-9"}, {"1e-12", "1e3"}};
    double first[3] = {0};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                 "constraint circle: %s*(x^2 + y^2) = %s\nconstraint bowl: %s*(z - x^2) = 0\n",
                 units[i][0], units[i][0], units[i][1]);
        Case kase;
        case_init(&kase, text);
        double *q = kase.state.q;
        q[0] = 0.8, q[1] = 0.7, q[2] = 0.5;
        assert_true(positions_project(&kase.eq, &kase.state, 50) <= 1e-14);
        assert_true(fabs(q[0] * q[0] + q[1] * q[1] - 1) <= 1e-15);
        assert_true(fabs(q[2] - q[0] * q[0]) <= 1e-15);
        for (size_t j = 0; j < 3; j++) {
            first[j] = i == 0 ? q[j] : first[j];
            assert_true(fabs(q[j] - first[j]) <= 1e-14);
        }
        case_clear(&kase);
    }
}

// Held coordinates stay; the others take up what is missing.
static void held_coordinates_stay(void **unused)
{
    (void)unused;
    Case kase;
    case_init(&kase, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint x^2 + y^2 = 1\n");
    double *q = kase.state.q;
    q[0] = 0.6, q[1] = 0.5;
    positions_moves(&kase.state)[0] = 0;
    assert_true(positions_project(&kase.eq, &kase.state, 50) <= 1e-15);
    assert_true(q[0] == 0.6 && fabs(q[1] - 0.8) <= 1e-15);
    positions_moves(&kase.state)[1] = 0;
    q[1] = 0.5;
    assert_true(positions_project(&kase.eq, &kase.state, 50) > 0.1);
    assert_true(q[0] == 0.6 && q[1] == 0.5);
    case_clear(&kase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_in_any_units),
        cmocka_unit_test(held_coordinates_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
