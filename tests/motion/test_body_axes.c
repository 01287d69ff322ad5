// An inertia may be given in axes that do not spin with the body only where it is constant in it.
#include "support.h"

#define BEFORE                                                                                     \
    "param A, B, C\ncoord a, b, c\nframe E = world rotate a about z\n"                             \
    "frame F = E rotate b about x\nframe L = F rotate c about [0, 3, 4]\n"

static void assert_said(const char *line, const char *expected)
{
    char text[512];
    snprintf(text, sizeof text, BEFORE "%s\n", line);
    Loaded loaded = load_text("m.zw", text);
    assert_non_null(loaded.model);
    assert_int_equal(loaded.status, expected[0] ? STATUS_WRONG : STATUS_OK);
    Text said = {0};
    diag_render(loaded.diag, DIAG_ERROR, &said);
    assert_string_equal(said.at ? said.at : "", expected);
    text_clear(&said);
    unload(&loaded);
}

static void test_turning_about_no_axis_of_symmetry(void **state)
{
    (void)state;
    assert_said("body rod frame F mass 1 at origin inertia [A, B, C] in E",
                "m.zw:6:6: error: the inertia of the body 'rod' would change in time: the frame "
                "after 'in' turns in the body about an axis that is no axis of symmetry of it; "
                "leave 'in' out, or give the two moments across that axis the same symbol\n"
                "    body rod frame F mass 1 at origin inertia [A, B, C] in E\n"
                "         ^~~\n");
}

// The same axis seen from either side; every axis of a ball; an axis that is none of the three,
// n = (0, 3, 4)/5 with J = A + (C − A)·n·nᵀ, and the same with one entry wrong.
static void test_axes_of_symmetry(void **state)
{
    (void)state;
    assert_said("body disc frame F mass 1 at origin inertia [A, B, B] in E", "");
    assert_said("body disc frame E mass 1 at origin inertia [A, B, B] in F", "");
    assert_said("body ball frame L mass 1 at origin inertia [A, A, A] in world", "");
    assert_said("frame G = E\nbody box frame E mass 1 at origin inertia [A, B, C] in G", "");
    assert_said("frame S = E rotate 1/3 about y\n"
                "body box frame E mass 1 at origin inertia [A, B, C] in S",
                "");
    assert_said("body top frame L mass 1 at origin inertia [A, A + (C-A)*9/25, A + (C-A)*16/25, "
                "0, (C-A)*12/25, 0] in F",
                "");
    assert_said("body top frame L mass 1 at origin inertia [A, A, C] in F",
                "m.zw:6:6: error: the inertia of the body 'top' would change in time: the frame "
                "after 'in' turns in the body about an axis that is no axis of symmetry of it; "
                "leave 'in' out, or give the two moments across that axis the same symbol\n"
                "    body top frame L mass 1 at origin inertia [A, A, C] in F\n"
                "         ^~~\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turning_about_no_axis_of_symmetry),
        cmocka_unit_test(test_axes_of_symmetry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
