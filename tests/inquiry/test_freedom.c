// test_freedom.c: mechanisms that move although the count of their conditions says that they do
// not, at positions from closed forms or, for Bricard's, from 40 digits worked out elsewhere.
#include "support.h"

#include "inquiry/inquiry.h"

#include <flint/flint.h>
#include <math.h>

static InquiryFreedom freedom_of(const char *text, const double *q)
{
    Loaded loaded = load_good("mechanism", text);
    InquiryFreedom freedom;
    double params[8];
    assert_int_equal(model_param_values(loaded.model, loaded.diag, params), STATUS_OK);
    assert_true(inquiry_freedom(loaded.motion, params, q, &freedom));
    unload(&loaded);
    return freedom;
}

// More freedoms than the count says, wherever the conditions hold.
static void moves_beyond_count(const char *name, InquiryFreedom freedom, size_t least, size_t seen)
{
    if (freedom.least != least || freedom.exact || !freedom.moves || freedom.seen != seen)
        fail_msg("%s: count %zu%s, %zu at the start, %s %zu", name, freedom.least,
                 freedom.exact ? " exactly" : "", freedom.at_start,
                 freedom.moves ? "moves with" : "stays;", freedom.seen);
}

static const char bricard[] = "coord a, b, c, d, e\n"
                              "frame F1 = world rotate a about y\nframe F2 = F1 rotate b about z\n"
                              "frame F3 = F2 rotate c about x\nframe F4 = F3 rotate d about y\n"
                              "frame F5 = F4 rotate e about z\n"
                              "point P1 = origin + F1.x\npoint P2 = P1 - F2.y\n"
                              "point P3 = P2 + F3.z\npoint P4 = P3 - F4.x\npoint P5 = P4 + F5.y\n"
                              "mass 1 at P1\nmass 1 at P2\nmass 1 at P3\nmass 1 at P4\n"
                              "constraint cx: P5.x = 0\nconstraint cy: P5.y = 0\n"
                              "constraint cz: P5.z = 1\n"
                              "constraint ay: dot(F5.x, world.y) = 0\n"
                              "constraint az: dot(F5.x, world.z) = 0\n";

static void test_bricard(void **state)
{
    (void)state;
    const double flat[5] = {0};
    const double third[] = {0.299999999999999989, -0.23013534196515772, 0.299999999999999989,
                            -0.23013534196515772, 0.299999999999999989};
    const double seven[] = {0.699999999999999956, -0.402595918224122519, 0.699999999999999956,
                            -0.402595918224122519, 0.699999999999999956};
    moves_beyond_count("bricard", freedom_of(bricard, flat), 0, 1);
    moves_beyond_count("bricard at 0.3", freedom_of(bricard, third), 0, 1);
    moves_beyond_count("bricard at 0.7", freedom_of(bricard, seven), 0, 1);
}

// Bennett: tan(p/2)·tan(q/2) = sin((β + α)/2)/sin((β − α)/2), r = −p.
static void test_bennett(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12 * test_size(); seed++) {
        Random random = random_seed(seed);
        double al = 0.2 + (double)random_below(&random, 60) / 100;
        double be = 1 + (double)random_below(&random, 50) / 100;
        double p = 0.3 + (double)random_below(&random, 200) / 100;
        double ratio = sin((be + al) / 2) / sin((be - al) / 2);
        const double q[] = {p, 2 * atan(ratio / tan(p / 2)), -p};
        char text[1024];
        snprintf(text, sizeof text,
                 "param al = %.17g, be = %.17g, l = sin(be)/sin(al)\ncoord p, q, r\n"
                 "frame A = world rotate p about z\nframe A1 = A rotate al about x\n"
                 "frame B = A1 rotate q about z\nframe B1 = B rotate be about x\n"
                 "frame C = B1 rotate r about z\npoint P1 = origin + A.x\n"
                 "point P2 = P1 + l*B.x\npoint P3 = P2 + C.x\nmass 1 at P1\nmass 1 at P2\n"
                 "constraint x: P3.x = -l\nconstraint y: P3.y = 0\nconstraint z: P3.z = 0\n",
                 al, be);
        char name[32];
        snprintf(name, sizeof name, "bennett, seed %llu", (unsigned long long)seed);
        moves_beyond_count(name, freedom_of(text, q), 0, 1);
    }
}

// Parallel cranks of length 1, each pair joined by a rod.
static void test_parallel_cranks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8 * test_size(); seed++) {
        Random random = random_seed(seed);
        size_t count = 3 + random_below(&random, 2);
        double angle = 0.2 + (double)random_below(&random, 250) / 100, q[4];
        Text text = {0};
        text_addf(&text, "const N = %zu\ncoord a[N]\nfor i in 1..N {\n", count);
        text_add(&text,
                 "    point P[i] = [2*i + cos(a[i]), sin(a[i]), 0]\n    mass 1 at P[i]\n}\n");
        for (size_t i = 1; i <= count; i++)
            for (size_t k = 1; k < i; k++)
                text_addf(&text, "constraint c%zu%zu: norm(P[%zu] - P[%zu]) = %zu\n", i, k, i, k,
                          2 * (i - k));
        for (size_t i = 0; i < count; i++)
            q[i] = angle;
        char name[32];
        snprintf(name, sizeof name, "cranks, seed %llu", (unsigned long long)seed);
        moves_beyond_count(name, freedom_of(text.at, q), 0, 1);
        text_clear(&text);
    }
}

static void test_counts_that_are_right(void **state)
{
    (void)state;
    const char flat[] = "coord x1, y1, x2, y2\npoint P = [x1, y1, 0]\npoint Q = [x2, y2, 0]\n"
                        "mass 1 at P\nmass 1 at Q\npoint O = [1, 0, 0]\n"
                        "constraint a: dot(P - origin, P - origin) = 1\n"
                        "constraint b: dot(P - Q, P - Q) = 1\n"
                        "constraint c: dot(Q - O, Q - O) = 1\n";
    // Upright, and flat, where one direction more is open.
    InquiryFreedom freedom = freedom_of(flat, (double[]){0, 1, 1, 1});
    assert_true(freedom.exact && freedom.least == 1 && freedom.at_start == 1);
    freedom = freedom_of(flat, (double[]){1, 0, 2, 0});
    assert_true(freedom.exact && freedom.least == 1 && freedom.at_start == 2);
    // Two rods stretched between fixed points are stiff, though one direction is open.
    freedom = freedom_of("coord x, y\npoint P = [x, y, 0]\nmass 1 at P\npoint Q = [2, 0, 0]\n"
                         "constraint a: dot(P - origin, P - origin) = 1\n"
                         "constraint b: dot(P - Q, P - Q) = 1\n",
                         (double[]){1, 0});
    assert_true(!freedom.exact && !freedom.moves && freedom.least == 0 && freedom.at_start == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bricard),
        cmocka_unit_test(test_bennett),
        cmocka_unit_test(test_parallel_cranks),
        cmocka_unit_test(test_counts_that_are_right),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
