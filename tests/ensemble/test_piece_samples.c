// Extrema and integrals of functions along pieces of a motion, against their closed forms.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/strings.h"
#include "ensemble/keeps_impl.h"
#include "test_size.h"
#include "uniform.h"

#define FRESH                                                                                      \
    {                                                                                              \
        NAN, NAN, NAN, NAN, 0, false                                                               \
    }

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
    PieceSamples *samples = piece_samples_new(arena, 2, NULL, 0);
    FunctionRange ranges[2] = {FRESH, FRESH};
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

// A wave, in turn with one sign and the other, and the sign alone: the second wave's.
typedef struct {
    Wave wave, turns;
} TurnedWave;

static bool sample_turned(void *context, double t, double *values)
{
    TurnedWave *both = context;
    double value[2], turn[2];
    sample_wave(&both->wave, t, value);
    sample_wave(&both->turns, t, turn);
    values[1] = (double)(turn[0] > 0) - (double)(turn[0] < 0);
    values[0] = value[0] * values[1];
    return true;
}

static void check_jumps(Random *random)
{
    double half = acos(-1);
    TurnedWave both = {
        .wave = {.a = uniform(random, 0.1, 2),
                 .w = uniform(random, 0.5, 6),
                 .p = uniform(random, 0, 2 * half),
                 .c = uniform(random, -3, 3)},
        .turns = {.a = 1, .w = uniform(random, 0.5, 40), .p = uniform(random, 0, 2 * half)}};
    const Wave *wave = &both.wave, *turns = &both.turns;
    double from = uniform(random, -2, 2), to = from, sums[2] = {0, 0}, most = -INFINITY;
    Arena *arena = arena_new();
    PieceSamples *samples = piece_samples_new(arena, 2, NULL, 0);
    FunctionRange ranges[2] = {FRESH, FRESH};
    for (int i = 0; i < 3; i++) {
        double next = to + uniform(random, 0.01, 3);
        piece_samples_add(samples, to, next, sample_turned, &both, ranges);
        to = next;
    }
    // From one zero of the second wave to the next; the largest values are at ends, or tops.
    for (double t = from, next; t < to; t = next) {
        double k = floor((turns->w * t + turns->p) / half + 1 + 1e-9);
        next = fmin(to, (k * half - turns->p) / turns->w);
        double sign = fmod(k, 2) == 0 ? -1 : 1, ends[2][2];
        sums[0] += sign * (wave_integral(wave, next) - wave_integral(wave, t));
        sums[1] += sign * (next - t);
        sample_wave(&both.wave, t, ends[0]);
        sample_wave(&both.wave, next, ends[1]);
        most = fmax(most, fmax(sign * ends[0][0], sign * ends[1][0]));
        if (first_time(wave, sign * half / 2, t) <= next)
            most = fmax(most, wave->a + sign * wave->c);
    }
    assert_true(!ranges[0].open && !ranges[1].open);
    assert_true(fabs(ranges[0].integral - sums[0]) < 1e-10);
    assert_true(fabs(ranges[1].integral - sums[1]) < 1e-10);
    assert_true(fabs(ranges[0].max - most) < 1e-11);
    arena_free(arena);
}

static void test_jumps(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100 * test_size(); seed++) {
        Random random = random_seed(seed);
        check_jumps(&random);
    }
}

// What jumps thousands of times is not told.
static void test_too_many_jumps(void **state)
{
    (void)state;
    TurnedWave both = {.wave = {.a = 1, .w = 1}, .turns = {.a = 1, .w = 1e4}};
    Arena *arena = arena_new();
    FunctionRange ranges[2] = {FRESH, FRESH};
    piece_samples_add(piece_samples_new(arena, 2, NULL, 0), 0, 1, sample_turned, &both, ranges);
    assert_true(ranges[0].open && ranges[1].open && both.wave.calls < 200000);
    arena_free(arena);
}

// A pulse of some width at a place that the motion passes once; and what tells of it.
typedef struct {
    size_t shape;
    double c, w;
} Pulse;

static const KeepGuide pulse_guides[] = {
    {.has_level = true, .level = {.op = EXPR_EXP}},
    {.has_level = true, .level = {.op = EXPR_POW, .power = -4}},
    {.has_level = true, .level = {.op = EXPR_TANH}},
};

static double place_of_time(double t)
{
    return t + 0.3 * sin(3 * t);
}

static bool sample_pulse(void *context, double t, double *values)
{
    const Pulse *pulse = context;
    double u = (place_of_time(t) - pulse->c) / pulse->w;
    switch (pulse->shape) {
    case 0:
        values[1] = -u * u;
        values[0] = exp(values[1]);
        break;
    case 1:
        values[1] = 1 + u * u;
        values[0] = pow(values[1], -4);
        break;
    default:
        values[1] = u;
        values[0] = 1 / pow(cosh(u), 2);
        break;
    }
    return true;
}

// The integral over the place is that of the shape times the width; over the time less by the
// velocity there.
static void check_pulse(Random *random)
{
    static const double wholes[] = {1.7724538509055160, 0.98174770424681039, 2};
    double until = uniform(random, 1, 20), at = uniform(random, 0.1, 0.9) * until;
    Pulse pulse = {.shape = (size_t)uniform(random, 0, 3),
                   .c = place_of_time(at),
                   .w = until * pow(10, uniform(random, -11, -3))};
    FunctionRange range = FRESH;
    Arena *arena = arena_new();
    double part = uniform(random, 0, 1) * until, slope = 1 + 0.9 * cos(3 * at);
    PieceSamples *samples = piece_samples_new(arena, 1, &pulse_guides[pulse.shape], 1);
    piece_samples_add(samples, 0, part, sample_pulse, &pulse, &range);
    piece_samples_add(samples, part, until, sample_pulse, &pulse, &range);
    double rounding = 1e-15 * until / pulse.w, whole = wholes[pulse.shape] * pulse.w / slope;
    assert_true(!range.open);
    assert_true(fabs(range.max - 1) < 1e-9 + rounding);
    assert_true(fabs(range.max_time - at) < pulse.w / slope * (1e-3 + sqrt(rounding)));
    double bend = pow(20 * pulse.w / slope / slope, 2); // the velocity changes within the pulse
    assert_true(fabs(range.integral - whole) < whole * (1e-8 + 30 * rounding + bend));
    arena_free(arena);
}

static void test_pulses(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200 * test_size(); seed++) {
        Random random = random_seed(seed);
        check_pulse(&random);
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
    FunctionRange range = FRESH;
    piece_samples_add(piece_samples_new(arena, 1, NULL, 0), 0, 1, sample_noise, &wave, &range);
    assert_true(wave.calls < 400);
    assert_true(fabs(range.max) <= 1e-17);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_waves),          cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_too_many_jumps), cmocka_unit_test(test_pulses),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
