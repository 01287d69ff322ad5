// test_inertia_check.c: an inertia that no masses have is told, and one that some masses have is
// not: masses drawn at random in space, in a plane and on a line, and principal moments drawn at
// random, in axes that are turned at random.
#include "dynamics/equations.h"
#include "random_system.h"

#include <math.h>

// Euler's angles; q and its rates matter to no inertia.
#define FREE                                                                                       \
    "coord a, b, c\nframe F = world rotate a about z rotate b about x rotate c about z\n"          \
    "initial b = 0.5\n"

// What is told of a body in these frames.
static Text told_of(const char *frames, const char *inertia)
{
    Text text = {0}, told = {0};
    text_addf(&text, "%sbody B frame F mass 1 at origin inertia %s\n", frames, inertia);
    Loaded loaded = load_good("m.zw", text.at);
    Equations eq;
    State state;
    assert_int_equal(equations_init(&eq, loaded.motion, loaded.diag), STATUS_OK);
    state_init(&state, &eq);
    inertia_check(&eq, &state, loaded.diag);
    text_add(&told, "");
    diag_render(loaded.diag, DIAG_WARNING, &told);
    state_clear(&state);
    equations_clear(&eq);
    unload(&loaded);
    text_clear(&text);
    return told;
}

// `expected` is a part of what must be told; NULL: nothing may be told.
static void assert_told(const char *frames, const char *inertia, const char *expected)
{
    Text told = told_of(frames, inertia);
    bool right = expected ? strstr(told.at, expected) != NULL : told.length == 0;
    if (!right)
        print_message("inertia %s: %s\n", inertia, told.at);
    assert_true(right);
    text_clear(&told);
}

static double uniform(Random *random)
{
    return (double)random_below(random, 1000001) / 500000 - 1;
}

// Three unit vectors across each other.
static void draw_axes(Random *random, double axes[3][3])
{
    double q[4], norm = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = uniform(random);
        norm += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(norm);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        axes[i][i] = q[0] * q[0] + q[i + 1] * q[i + 1] - q[j + 1] * q[j + 1] - q[k + 1] * q[k + 1];
        axes[i][j] = 2 * (q[i + 1] * q[j + 1] + q[0] * q[k + 1]);
        axes[i][k] = 2 * (q[i + 1] * q[k + 1] - q[0] * q[j + 1]);
    }
}

static Text entries(const double tensor[3][3])
{
    Text text = {0};
    text_addf(&text, "[%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", tensor[0][0], tensor[1][1],
              tensor[2][2], tensor[0][1], tensor[1][2], tensor[2][0]);
    return text;
}

// Masses in as many directions as asked for: a line, a plane, space.
static void masses_have_an_inertia(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 200 * test_size(); seed++) {
        Random random = random_seed(seed);
        double axes[3][3], tensor[3][3] = {{0}};
        int directions = 1 + (int)random_below(&random, 3);
        draw_axes(&random, axes);
        for (int point = 0; point < 6; point++) {
            double mass = 1 + uniform(&random), at[3] = {0}, square = 0;
            for (int k = 0; k < directions; k++) {
                double along = uniform(&random);
                for (int i = 0; i < 3; i++)
                    at[i] += along * axes[k][i];
            }
            for (int i = 0; i < 3; i++)
                square += at[i] * at[i];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    tensor[i][j] += mass * ((i == j ? square : 0) - at[i] * at[j]);
        }
        Text inertia = entries(tensor);
        assert_told(FREE, inertia.at, NULL);
        text_clear(&inertia);
    }
}

// One moment above the sum of the others, or below 0, by a part of 1e-6 … 1.
static void impossible_moments_are_told(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 200 * test_size(); seed++) {
        Random random = random_seed(1000 + seed);
        double axes[3][3], tensor[3][3] = {{0}}, excess = pow(10, 3 * uniform(&random) - 3);
        double moments[3] = {1 + uniform(&random), 1.1 + uniform(&random), 0};
        bool negative = random_below(&random, 2);
        moments[2] = negative ? -excess : (moments[0] + moments[1]) * (1 + excess);
        draw_axes(&random, axes);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    tensor[i][j] += moments[k] * axes[k][i] * axes[k][j];
        Text inertia = entries(tensor);
        assert_told(FREE, inertia.at, negative ? ", below 0" : ", above the sum of the two others");
        text_clear(&inertia);
    }
}

#define PLANE "coord a\nframe F = world rotate a about z\n"

static void plain_moments(void **unused)
{
    (void)unused;
    static const char five[] = "this body's principal moment of inertia is 5, above the sum of the "
                               "two others, 2; no body has such an inertia";
    assert_told(FREE, "[1, 1, 5]", five);
    assert_told(PLANE, "[1, 5, 1]", five);
    assert_told("param p = 2.5\n" FREE, "[2*p, 1, p - 1.5]", five);
    assert_told(FREE, "[0, 1, 5]", "is 5, above the sum of the two others, 1");
    assert_told(FREE, "[1, 1, 2.00000001]", "is 2.00000001, above the sum of the two others, 2");
    assert_told(FREE, "[1, 1, 1, 2, 0, 0]", "principal moment of inertia is -1, below 0");
    assert_told(FREE, "[1, 1, -1]", "this body's moment of inertia is -1, below 0");
    // A lamina, a rod and a ball.
    assert_told(FREE, "[0.1, 0.2, 0.3]", NULL);
    assert_told(FREE, "[0, 3, 3]", NULL);
    assert_told(FREE, "[2, 2, 2]", NULL);
    // In a plane one moment matters, and the others need not be known.
    assert_told(PLANE, "[0, 0, 5]", NULL);
    assert_told("coord a, b, c, d\nframe E = world rotate a + b about z\n"
                "frame F = E rotate c - d about z\n",
                "[0, 0, 5]", NULL);
    assert_told("coord a, b\nframe F = world rotate a + b about [1, 2, 3]\n", "[0, 0, 5]", NULL);
    assert_told(FREE, "[0, 0, 5]", "is 5, above the sum of the two others, 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_have_an_inertia),
        cmocka_unit_test(impossible_moments_are_told),
        cmocka_unit_test(plain_moments),
    };
    return cmocka_run_group_tests_name("dynamics/inertia_check", tests, NULL, NULL);
}
