// test_field.c: large systems with few entries: the electromagnetic field on a grid of 8 x 8 x 8
// cells, and a string of rods, which must move as they do beside nothing.
#include "files.h"
#include "run_case.h"

#define PI 3.14159265358979323846

// ---- The field.

static RunCase field_of(const char *setting)
{
    Text text = read_file(ZWANG_SOURCE_DIR "/models/", "field", ".zw");
    RunCase kase = {.diag = diag_new()};
    kase.source = source_new("field.zw", text.at, text.length);
    Source *set = source_new("setting", setting, strlen(setting));
    ModelSetting settings[] = {{set}};
    kase.status = model_read(kase.source, settings, 1, kase.diag, &kase.model);
    if (kase.status == STATUS_OK)
        kase.status = motion_new(kase.model, kase.diag, &kase.motion);
    RunOptions options = run_options();
    options.to = 3;
    options.every = 1;
    options.residuals = true;
    if (kase.status == STATUS_OK)
        kase.status = run_new(kase.motion, &options, kase.diag, &kase.run);
    if (kase.status == STATUS_OK)
        kase.columns = run_column_count(kase.run);
    case_go(&kase);
    source_free(set);
    text_clear(&text);
    return kase;
}

// Columns by their place: t, then 3·N³ coordinates, as many velocities, the multipliers, the
// energy.
static void plane_wave_travels(void **state)
{
    (void)state;
    enum { N = 8, CELLS = N * N * N, P = 1, Q = 2 };
    RunCase kase = field_of("N=8,p=1,q=2");
    case_expect(&kase, STATUS_OK);
    assert_int_equal(kase.motion->n, 3 * CELLS);
    assert_int_equal(kase.motion->m, CELLS - 1);
    assert_int_equal(kase.motion->aside.count, 1);
    double omega = 2 * sqrt(pow(sin(PI * P / N), 2) + pow(sin(PI * Q / N), 2));
    for (size_t row = 0; row < case_row_count(&kase); row++) {
        const double *at = kase.rows.at + row * kase.columns, *a = at + 1, *h = a + 3 * CELLS;
        for (size_t cell = 0; cell < 2 * CELLS; cell++)
            assert_near(a[cell], 0, 1e-13);
        for (size_t cell = 0; cell < CELLS; cell++) {
            double i = (double)(cell / (N * N)) + 1, j = (double)(cell / N % N) + 1;
            double phase = 2 * PI * (P * i + Q * j) / N - omega * at[0];
            assert_near(a[2 * CELLS + cell], 0.1 * cos(phase), 1e-12);
            assert_near(h[2 * CELLS + cell], 0.1 * omega * sin(phase), 1e-12);
        }
        // Nothing has to push.
        for (size_t i = 0; i < CELLS - 1; i++)
            assert_near(h[3 * CELLS + i], 0, 1e-13);
    }
    assert_true(kase.summary.largest_residual < 1e-15);
    assert_true(kase.summary.energy_drift < 1e-12);
    case_free(&kase);
}

// ---- A string of rods in the plane, and particles that have nothing to do with it.

static Text write_string(int rods, int others)
{
    Text text = {0};
    text_addf(&text,
              "const R = %d, S = %d\nparam g = 9.81, l = 0.1\ncoord x[R], z[R], s[S]\n"
              "point P[0] = origin\n"
              "for i in 1..R {\n point P[i] = [x[i], 0, z[i]]\n mass 1 + i/R at P[i]\n"
              " constraint rod[i]: dot(P[i] - P[i-1], P[i] - P[i-1]) = l^2\n"
              " initial x[i] = 0.06*i, z[i] = -0.08*i\n}\n"
              "for j in 1..S {\n kinetic s[j]'^2/2\n potential s[j]^2/2\n initial s[j] = 1\n}\n"
              "gravity [0, 0, -g]\nrun to 0.4 every 0.1 tolerance 1e-10\n"
              "output tip = P[R]\noutput pull = lambda.rod[1]\n",
              rods, others);
    return text;
}

static RunCase string_of(int rods, int others, RunMethod method)
{
    Text text = write_string(rods, others);
    RunOptions options = run_options();
    options.method = method;
    RunCase kase = case_start(text.at, options);
    case_go(&kase);
    text_clear(&text);
    case_expect(&kase, STATUS_OK);
    return kase;
}

// 29 coordinates are solved whole, 148 by what is in them.
static void string_moves_alike(void **state)
{
    (void)state;
    static const char *const columns[] = {"x[14]", "z[14]", "x[7]'", "tip.x", "pull"};
    RunCase alone = string_of(14, 1, RUN_TAYLOR);
    const RunMethod methods[] = {RUN_TAYLOR, RUN_ERK};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        RunCase beside = string_of(14, 120, methods[i]);
        assert_int_equal(case_row_count(&beside), case_row_count(&alone));
        for (size_t row = 0; row < case_row_count(&alone); row++) {
            for (size_t j = 0; j < sizeof columns / sizeof *columns; j++) {
                double expected = case_value(&alone, row, columns[j]);
                assert_near(case_value(&beside, row, columns[j]), expected,
                            1e-7 * fmax(1, fabs(expected)));
            }
            double t = case_value(&beside, row, "t");
            assert_near(case_value(&beside, row, "s[7]"), cos(t), 1e-9);
        }
        assert_true(beside.summary.largest_residual < 1e-12);
        case_free(&beside);
    }
    case_free(&alone);
}

// What is given too much is named in large systems as in small ones.
static void large_starts_clash(void **state)
{
    (void)state;
    Text text = write_string(14, 120);
    text_add(&text, "initial x[1]' = 4, z[1]' = 0\n");
    RunCase kase = case_start(text.at, run_options());
    case_expect(&kase, STATUS_WRONG);
    assert_true(case_says(&kase, DIAG_ERROR,
                          "the initial value z[1]' = 0 contradicts the constraint 'rod[1]' "
                          "together with x[1]' = 4"));
    text_clear(&text);
    case_free(&kase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_wave_travels),
        cmocka_unit_test(string_moves_alike),
        cmocka_unit_test(large_starts_clash),
    };
    return cmocka_run_group_tests_name("simulate/field", tests, NULL, NULL);
}
