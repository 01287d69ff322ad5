// Many impacts at once and long heaps, by steps of fixed length with conditions over pairs, against
// closed forms: a row of balls that hands a velocity on, a row that touches, the forces in a column
// at rest; and for a crowd of balls what holds of every one: momentum stays, the energy never
// grows, nobody passes a wall or another.
#include "model/paired_conditions.h"
#include "run_case.h"

static RunCase keep_pairs(const char *text, double step)
{
    RunCase kase = {.diag = diag_new()};
    RunOptions options = run_options();
    options.method = RUN_TIMESTEPPING;
    options.step = step;
    options.unwatched = true;
    kase.source = source_new("test.zw", text, strlen(text));
    kase.status = model_read_replacing(kase.source, NULL, 0, NULL, 0, true, kase.diag, &kase.model);
    case_expect(&kase, STATUS_OK);
    kase.status = motion_new(kase.model, kase.diag, &kase.motion);
    case_expect(&kase, STATUS_OK);
    kase.status = run_new(kase.motion, &options, kase.diag, &kase.run);
    case_expect(&kase, STATUS_OK);
    kase.columns = run_column_count(kase.run);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    assert_true(kase.model->pairs.count == 1);
    return kase;
}

static const double *row_of(const RunCase *kase, size_t row, const char *first)
{
    return kase->rows.at + row * kase->columns + case_column(kase, first);
}

// ---- Newton's cradle of N, with room between the balls: the velocity comes out at the other end.

static void cradle_with_room(void **state)
{
    (void)state;
    enum { N = 150 };
    RunCase kase = keep_pairs("const N = 150\n"
                              "param d = 0.1, gap = 0.004\n"
                              "coord x[N]\n"
                              "for i in 1..N {\n"
                              "  mass 0.3 at [x[i], 0, 0]\n"
                              "  initial x[i] = (d + gap)*i\n"
                              "}\n"
                              "initial x[1]' = 2\n"
                              "for i, j in pairs(1..N) {\n"
                              "  constraint ball[i,j]: (x[j] - x[i])^2 >= d^2 restitution 1\n"
                              "}\n"
                              "run to 0.5 every 0.05\n",
                              1e-3);
    const double *v = row_of(&kase, case_row_count(&kase) - 1, "x[1]'");
    for (size_t i = 0; i < N; i++)
        assert_near(v[i], i + 1 == N ? 2 : 0, 1e-12);
    case_free(&kase);
}

// ---- The same without room: one impact of all of them, f'⁺ = −f'⁻. The first one meets a body of
// N − 1 masses.

static void cradle_that_touches(void **state)
{
    (void)state;
    enum { N = 200 };
    RunCase kase = keep_pairs("const N = 200\n"
                              "param d = 1/8\n"
                              "coord x[N]\n"
                              "for i in 1..N {\n"
                              "  mass 0.3 at [x[i], 0, 0]\n"
                              "  initial x[i] = d*(i - 1)\n"
                              "}\n"
                              "initial x[1]' = 2\n"
                              "for i, j in pairs(1..N) {\n"
                              "  constraint ball[i,j]: (x[j] - x[i])^2 >= d^2 restitution 1\n"
                              "}\n"
                              "run to 0.001 every 0.001\n",
                              1e-3);
    const double *v = row_of(&kase, case_row_count(&kase) - 1, "x[1]'");
    double momentum = 0, energy = 0;
    for (size_t i = 0; i < N; i++) {
        assert_near(v[i], i == 0 ? 2 * (2.0 - N) / N : 4.0 / N, 2e-3 * 2);
        momentum += v[i];
        energy += v[i] * v[i];
    }
    assert_near(momentum, 2, 1e-12);
    assert_true(energy <= 4 * (1 + 1e-3));
    case_free(&kase);
}

// ---- A column at rest: the floor carries N balls, ball i those above it.

static void column_at_rest(void **state)
{
    (void)state;
    enum { N = 300 };
    RunCase kase = keep_pairs("const N = 300\n"
                              "param d = 1/8, g = 10, m = 0.5\n"
                              "coord z[N]\n"
                              "for i in 1..N {\n"
                              "  mass m at [0, 0, z[i]]\n"
                              "  constraint floor[i]: z[i] >= 0\n"
                              "  initial z[i] = d*(i - 1)\n"
                              "}\n"
                              "for i in 1..N-1 {\n"
                              "  constraint rest[i]: z[i+1] - z[i] >= d\n"
                              "}\n"
                              "for i, j in pairs(1..N) {\n"
                              "  constraint ball[i,j]: (z[j] - z[i])^2 >= d^2/2\n"
                              "}\n"
                              "gravity [0, 0, -g]\n"
                              "run to 0.2 every 0.1\n",
                              1e-3);
    size_t last = case_row_count(&kase) - 1;
    const double *z = row_of(&kase, last, "z[1]"), *v = row_of(&kase, last, "z[1]'");
    for (size_t i = 0; i < N; i++) {
        assert_near(z[i], (double)i / 8, 1e-12);
        assert_near(v[i], 0, 1e-12);
    }
    assert_near(case_last(&kase, "lambda.floor[1]"), N * 0.5 * 10, 1e-9 * N * 0.5 * 10);
    for (size_t i = 1; i < N; i += 23) {
        char name[32];
        snprintf(name, sizeof name, "lambda.rest[%zu]", i);
        assert_near(case_last(&kase, name), (double)(N - i) * 0.5 * 10, 1e-9 * N * 0.5 * 10);
    }
    case_free(&kase);
}

// ---- A crowd that runs to its middle: momentum stays, energy never grows, all stay apart.

static void crowd(void **state)
{
    (void)state;
    enum { N = 225 };
    RunCase kase = keep_pairs("const C = 15, N = C^2\n"
                              "param r = 0.05, e = 0.5\n"
                              "coord x[N], z[N]\n"
                              "for i in 1..N {\n"
                              "  mass 1 at [x[i], 0, z[i]]\n"
                              "  initial x[i] = 0.11*(mod(i - 1, C) - 7) + 0.003*sin(3*i)\n"
                              "  initial z[i] = 0.11*(div(i - 1, C) - 7) + 0.003*sin(5*i)\n"
                              "  initial x[i]' = 7 - mod(i - 1, C), z[i]' = 7 - div(i - 1, C)\n"
                              "}\n"
                              "for i, j in pairs(1..N) {\n"
                              "  constraint ball[i,j]: (x[i] - x[j])^2 + (z[i] - z[j])^2 >= 4*r^2 "
                              "restitution e\n"
                              "}\n"
                              "run to 0.3 every 0.01\n",
                              1e-3);
    double before = INFINITY;
    for (size_t row = 0; row < case_row_count(&kase); row++) {
        const double *x = row_of(&kase, row, "x[1]"), *v = row_of(&kase, row, "x[1]'");
        double momentum[2] = {0}, energy = 0;
        for (size_t i = 0; i < 2 * N; i++) {
            momentum[i / N] += v[i];
            energy += v[i] * v[i] / 2;
        }
        assert_near(momentum[0], 0, 1e-10);
        assert_near(momentum[1], 0, 1e-10);
        assert_true(energy <= before * (1 + 1e-12));
        before = energy;
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < i; j++)
                assert_true(hypot(x[i] - x[j], x[N + i] - x[N + j]) > 0.1 - 2 * 10 * 1e-3);
    }
    assert_true(before < N * 10);
    case_free(&kase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cradle_with_room),
        cmocka_unit_test(cradle_that_touches),
        cmocka_unit_test(column_at_rest),
        cmocka_unit_test(crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
