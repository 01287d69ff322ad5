// Extrema and integrals of functions along pieces of a motion, against their closed forms.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/strings.h"
#include "ensemble/keeps_impl.h"
#include "uniform.h"

// a·sin(wt + p) + c, and its absolute value.
typedef struct {
    double a, w, p, c;
    size_t calls;
} Wave;

static bool sample_wave(void *context, double t, double *values)
{
    Wave *wave = context;
    values[0] = wave->a * sin(wave->w * t + wave->p) + wave->c;
    values[1] = fabs(values[0]);
    wave->calls++;
    return true;
}

static double wave_integral(const Wave *wave, double t)
{
    return wave->c * t - wave->a / wave->w * cos(wave->w * t + wave->p);
}

// Where wt + p first is at the phase, behind t.
static double first_time(const Wave *wave, double phase, double t)
{
    double turn = 2 * acos(-1), at = (phase - wave->p) / wave->w;
    return at + turn / wave->w * ceil((t - at) * wave->w / turn);
}

static void check(Random *random)
{
    double turn = 2 * acos(-1);
    Wave wave = {.a = uniform(random, 0.1, 2),
                 .w = uniform(random, 0.5, 6),
                 .p = uniform(random, 0, turn),
                 .c = uniform(random, -3, 3)};
    double from = uniform(random, -2, 2), to = from;
    Arena *arena = arena_new();
    PieceSamples *samples = piece_samples_new(arena, 2);
    FunctionRange ranges[2] = {{NAN, NAN, NAN, NAN, 0}, {NAN, NAN, NAN, NAN, 0}};
    double value;
    for (int i = 0; i < 5; i++) {
        double next = to + uniform(random, 0.01, 3);
        piece_samples_add(samples, to, next, sample_wave, &wave, ranges);
        to = next;
    }
    double tops[2] = {turn / 4, 3 * turn / 4}, times[2], ends[2];
    const double found[2] = {ranges[0].max, -ranges[0].min};
    const double found_times[2] = {ranges[0].max_time, ranges[0].min_time};
    for (int i = 0; i < 2; i++) {
        double sign = i ? -1 : 1;
        times[i] = first_time(&wave, tops[i], from);
        double both[2];
        sample_wave(&wave, from, both);
        ends[0] = sign * both[0];
        sample_wave(&wave, to, both);
        ends[1] = sign * both[0];
        bool inside = times[i] <= to;
        double best = inside ? wave.a + sign * wave.c : fmax(ends[0], ends[1]);
        assert_true(fabs(found[i] - best) < 1e-12);
        double at = inside ? times[i] : ends[0] > ends[1] ? from : to;
        assert_true(fabs(found_times[i] - at) < 1e-8);
    }
    value = wave_integral(&wave, to) - wave_integral(&wave, from);
    assert_true(fabs(ranges[0].integral - value) < 1e-11);
    // With kinks, where the wave passes 0: from root to root.
    double last = from, sum = 0, depth = -wave.c / wave.a;
    for (double t = from; t < to;) {
        double next = to;
        if (fabs(depth) < 1) {
            double up = first_time(&wave, asin(depth), t + 1e-12);
            double down = first_time(&wave, turn / 2 - asin(depth), t + 1e-12);
            next = fmin(next, fmin(up, down));
        }
        sum += fabs(wave_integral(&wave, next) - wave_integral(&wave, last));
        last = t = next;
    }
    assert_true(fabs(ranges[1].integral - sum) < 1e-9);
    assert_true(fabs(ranges[1].max - fmax(ranges[0].max, -ranges[0].min)) < 1e-12);
    arena_free(arena);
}

static void test_waves(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Random random = random_seed(seed);
        check(&random);
    }
}

// Noise of rounding is not sampled for ever.
static bool sample_noise(void *context, double t, double *values)
{
    Wave *wave = context;
    wave->calls++;
    values[0] = 1e-17 * sin(1e9 * t);
    return true;
}

static void test_noise(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Wave wave = {0};
    FunctionRange range = {NAN, NAN, NAN, NAN, 0};
    piece_samples_add(piece_samples_new(arena, 1), 0, 1, sample_noise, &wave, &range);
    assert_true(wave.calls < 300);
    assert_true(fabs(range.max) <= 1e-17);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waves),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
