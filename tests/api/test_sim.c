// A simulation step by step: against closed forms and whole runs, with a controller in the loop,
// through impacts, saved and restored.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/base.h"
#include "uniform.h"
#include "zwang.h"

static zw_sim *sim_of(const char *text, const zw_sim_options *options)
{
    zw_model *model;
    zw_sim *sim;
    (void)zw_model_read("m", text, strlen(text), NULL, &model);
    zw_status status = zw_sim_new(model, options, &sim);
    char *said = zw_messages(model, ZW_ERROR);
    if (status != ZW_DONE)
        fail_msg("%s", said ? said : "no message");
    zw_free(said);
    zw_model_free(model);
    return sim;
}

static void must(zw_sim *sim, zw_status status)
{
    char *said = zw_sim_messages(sim, ZW_ERROR);
    if (status != ZW_DONE)
        fail_msg("status %d: %s", (int)status, said ? said : "no message");
    zw_free(said);
}

static void expect_message(zw_sim *sim, const char *part)
{
    char *said = zw_sim_messages(sim, ZW_ERROR);
    if (!said || !strstr(said, part))
        fail_msg("'%s' is not in: %s", part, said ? said : "nothing");
    zw_free(said);
}

#define OSCILLATOR                                                                                 \
    "param k = 4, F = 0\ncoord x\nmass 1 at [x, 0, 0]\nforce F - k*x along x\ninitial x = 1\n"     \
    "run to 5 every 0.1 tolerance 1e-12\n"

// x at the end of a run of 1 s with this setting.
static double driven_end(zw_model *model, const char *setting)
{
    zw_result *result;
    assert_int_equal(zw_model_set(model, &setting, 1), ZW_DONE);
    assert_int_equal(zw_run(model, &(zw_run_options){.keep = true}, &result), ZW_DONE);
    double x = zw_result_column(result, 1)[zw_result_run(result)->rows - 1];
    zw_result_free(result);
    return x;
}

// An input that is constant is a parameter; one that is set to a signal is not, and may be both in
// turn: m x'' = F.
static void driven(void **state)
{
    (void)state;
    static const char text[] = "param m = 2\ninput F, w = sin(t)\ncoord x\nkinetic m*x'^2/2\n"
                               "force F + w along x\nrun to 1 every 1 tolerance 1e-12\n";
    double swung = (1 - sin(1)) / 2, x = 0, v = 0, y, w;
    Random random = random_seed(21);
    zw_model *model;
    zw_sim *sim;
    assert_int_equal(zw_model_read("m", text, strlen(text), NULL, &model), ZW_DONE);
    assert_true(fabs(driven_end(model, "F=3") - 0.75 - swung) < 1e-11);
    assert_true(fabs(driven_end(model, "F=6*t") - 0.5 - swung) < 1e-11);
    assert_true(fabs(driven_end(model, "F=2*m") - 1 - swung) < 1e-11);
    assert_true(fabs(driven_end(model, "w=5") - 1.25) < 1e-11);
    assert_int_equal(zw_model_set(model, &(const char *){"w=0"}, 1), ZW_DONE);
    assert_int_equal(zw_sim_new(model, NULL, &sim), ZW_DONE);
    for (int i = 1; i <= 10; i++) {
        double force = uniform(&random, -3, 3);
        must(sim, zw_sim_set_parameter(sim, "F", force));
        must(sim, zw_sim_to(sim, i));
        x += v + force / 4;
        v += force / 2;
        must(sim, zw_sim_state(sim, NULL, &y, &w));
        assert_true(fabs(y - x) < 1e-9 && fabs(w - v) < 1e-9);
    }
    zw_sim_free(sim);
    zw_model_free(model);
}

// How often it was asked, the last part, and after how many it ends the call.
typedef struct {
    int asked, most;
    double part;
} Asked;

static bool count_steps(void *context, double part)
{
    Asked *asked = context;
    asked->part = part;
    return ++asked->asked != asked->most;
}

// A call that was ended in the middle leaves a simulation that goes on with the same bits.
static void stopped_on_the_way(void **state)
{
    (void)state;
    Asked asked = {.most = 3};
    zw_sim_options options = {.progress = count_steps, .context = &asked};
    zw_sim *sim = sim_of(OSCILLATOR, &options), *whole = sim_of(OSCILLATOR, NULL);
    double t, x, v, y, w;
    assert_int_equal(zw_sim_to(sim, 40), ZW_NEGATIVE);
    must(sim, zw_sim_state(sim, &t, &x, &v));
    assert_true(asked.asked == 3 && t > 0 && t < 40 && asked.part == t / 40);
    assert_true(fabs(x - cos(2 * t)) < 1e-9);
    must(sim, zw_sim_to(sim, 40));
    assert_true(asked.asked > 3 && asked.part < 1);
    must(whole, zw_sim_to(whole, 40));
    must(sim, zw_sim_state(sim, &t, &x, &v));
    must(whole, zw_sim_state(whole, &t, &y, &w));
    assert_true(t == 40 && x == y && v == w);
    zw_sim_free(sim);
    zw_sim_free(whole);
}

// What zw_model_set gave holds in a simulation that is set further, saved and restored: cos 3t.
static void settings(void **state)
{
    (void)state;
    zw_model *model;
    zw_sim *sim, *other;
    const char *set = "k=9";
    double t, x, v;
    (void)zw_model_read("m", OSCILLATOR, strlen(OSCILLATOR), NULL, &model);
    assert_int_equal(zw_sim_new(model, NULL, &other), ZW_DONE);
    assert_int_equal(zw_model_set(model, &set, 1), ZW_DONE);
    assert_int_equal(zw_sim_new(model, NULL, &sim), ZW_DONE);
    zw_model_free(model);
    must(sim, zw_sim_set_parameter(sim, "F", 0));
    must(sim, zw_sim_to(sim, 1));
    char *saved;
    size_t length;
    must(sim, zw_sim_save(sim, &saved, &length));
    must(sim, zw_sim_restore(sim, saved, length));
    must(sim, zw_sim_to(sim, 2));
    must(sim, zw_sim_state(sim, &t, &x, &v));
    assert_true(fabs(x - cos(6)) < 1e-9 && fabs(v + 3 * sin(6)) < 1e-9);
    assert_int_equal(zw_sim_restore(other, saved, length), ZW_WRONG);
    zw_free(saved);
    zw_sim_free(sim);
    zw_sim_free(other);
}

// cos 2t: by steps, to given times, beyond the end of the model's run, and inside steps.
static void harmonic(void **state)
{
    (void)state;
    zw_sim *sim = sim_of(OSCILLATOR, NULL);
    double t, x, v, row[8];
    assert_int_equal(zw_sim_columns(sim), 4);
    assert_string_equal(zw_sim_column_name(sim, 2), "x'");
    assert_null(zw_sim_column_name(sim, 4));
    for (int i = 0; i < 60; i++) {
        must(sim, i % 3 ? zw_sim_step(sim) : zw_sim_to(sim, 0.37 * i));
        must(sim, zw_sim_state(sim, &t, &x, &v));
        assert_true(fabs(x - cos(2 * t)) < 1e-9 && fabs(v + 2 * sin(2 * t)) < 1e-9);
        if (i % 3 == 0)
            assert_true(t == 0.37 * i);
        double inside = (zw_sim_from(sim) + 2 * t) / 3;
        must(sim, zw_sim_row(sim, inside, row));
        assert_true(row[0] == inside && fabs(row[1] - cos(2 * inside)) < 1e-9);
        if (t > 0.37 * (3 * (i / 3 + 1)))
            i = 3 * (int)ceil(t / 0.37 / 3) - 1;
    }
    assert_true(t > 5);
    assert_int_equal(zw_sim_row(sim, t + 1, row), ZW_WRONG);
    expect_message(sim, "not within the last step");
    assert_int_equal(zw_sim_to(sim, t - 1), ZW_WRONG);
    expect_message(sim, "cannot go to");
    zw_sim_free(sim);
}

// A force that a controller holds over each interval: the motion from one to the next is known.
static void controlled(void **state)
{
    (void)state;
    zw_sim *sim = sim_of(OSCILLATOR, NULL);
    Random random = random_seed(3);
    double x = 1, v = 0, h = 0.11, t;
    for (int i = 1; i <= 40; i++) {
        double F = uniform(&random, -3, 3);
        must(sim, zw_sim_set_parameter(sim, "F", F));
        must(sim, zw_sim_to(sim, i * h));
        double c = cos(2 * h), s = sin(2 * h), e = x - F / 4;
        x = F / 4 + e * c + v * s / 2;
        v = v * c - 2 * e * s;
        double found[2];
        must(sim, zw_sim_state(sim, &t, &found[0], &found[1]));
        assert_true(fabs(found[0] - x) < 1e-9 && fabs(found[1] - v) < 1e-9);
    }
    assert_int_equal(zw_sim_set_parameter(sim, "G", 1), ZW_WRONG);
    expect_message(sim, "no parameter 'G'");
    assert_int_equal(zw_sim_set_parameter(sim, "F", NAN), ZW_WRONG);
    expect_message(sim, "not finite");
    must(sim, zw_sim_to(sim, 41 * h));
    zw_sim_free(sim);
}

// The same with damping: what friction takes is summed up from where a simulation begins anew, on
// every method, whether a parameter or a state is set, or the simulation is only asked further.
static void controlled_and_damped(void **state)
{
    (void)state;
    static const char *const methods[] = {"taylor", "erk", "bdf", "adams"};
    for (uint64_t seed = 0; seed < 12; seed++) {
        Random random = random_seed(seed);
        double k = uniform(&random, 2, 9), c = uniform(&random, 0.1, 1), F = 0, w = sqrt(k - c * c);
        double x = 1, v = 0, t = 0, found[2];
        char text[300];
        snprintf(text, sizeof text,
                 "param F = 0\ncoord x\nmass 1 at [x, 0, 0]\nforce F along x\n"
                 "potential %.17g/2*x^2\ndissipation %.17g*x'^2\ninitial x = 1\n"
                 "run to 5 every %g tolerance 1e-12\n",
                 k, c, uniform(&random, 0.01, 2));
        zw_sim *sim = sim_of(text, &(zw_sim_options){.method = methods[seed % 4]});
        for (int i = 1; i <= 12; i++) {
            double h = uniform(&random, 0.05, 0.9);
            if (random_below(&random, 2))
                must(sim, zw_sim_set_parameter(sim, "F", F = uniform(&random, -3, 3)));
            if (random_below(&random, 3) == 0)
                must(sim, zw_sim_set_state(sim, &x, &v));
            must(sim, zw_sim_to(sim, t + h));
            double e = x - F / k, cosine = exp(-c * h) * cos(w * h),
                   sine = exp(-c * h) * sin(w * h) / w;
            x = F / k + e * cosine + (v + c * e) * sine;
            v = v * cosine - (k * e + c * v) * sine;
            must(sim, zw_sim_state(sim, &t, &found[0], &found[1]));
            assert_true(fabs(found[0] - x) < 1e-7 && fabs(found[1] - v) < 1e-7);
        }
        zw_sim_free(sim);
    }
}

// Blows at random times, and random times that are asked for, some of them those of a blow: the
// velocity is the sum of what was struck so far.
static void struck_on_the_way(void **state)
{
    (void)state;
    static const char *const methods[] = {"taylor", "erk", "bdf", "adams"};
    for (uint64_t seed = 0; seed < 24; seed++) {
        Random random = random_seed(seed);
        double at[3], size[3], x, v, t = 0;
        char text[500] = "coord x\nmass 1 at [x, 0, 0]\ninitial x' = 1\nrun to 1 every 0.25\n";
        for (int i = 0; i < 3; i++) {
            at[i] = (i ? at[i - 1] : 0) + uniform(&random, 0.05, 1);
            size[i] = uniform(&random, -2, 2);
            size_t end = strlen(text);
            snprintf(text + end, sizeof text - end, "impulse %.17g along x when t = %.17g\n",
                     size[i], at[i]);
        }
        zw_sim *sim = sim_of(text, &(zw_sim_options){.method = methods[seed % 4]});
        for (int i = 0; i < 6; i++) {
            double next = t + uniform(&random, 0.01, 1), place = next, speed = 1;
            for (int k = 0; k < 3; k++)
                next = random_below(&random, 4) == 0 && at[k] > t ? at[k] : next;
            must(sim, zw_sim_to(sim, next));
            must(sim, zw_sim_state(sim, &t, &x, &v));
            place = t;
            for (int k = 0; k < 3; k++)
                if (at[k] < t || (at[k] == t && fabs(v - speed - size[k]) < 1e-9)) {
                    place += size[k] * (t - at[k]);
                    speed += size[k];
                }
            assert_true(t == next && fabs(x - place) < 1e-9 && fabs(v - speed) < 1e-9);
        }
        zw_sim_free(sim);
    }
}

// A ball that loses half its speed at each impact on the floor; a state set in flight.
static void bounces(void **state)
{
    (void)state;
    zw_sim *sim = sim_of("coord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -2]\ninitial z = 1\n"
                         "constraint floor: z >= 0 restitution 1/2\nrun to 1 every 0.1\n",
                         NULL);
    double t = 0, z, v, impacts = 0;
    while (impacts < 2) {
        must(sim, zw_sim_step(sim));
        must(sim, zw_sim_state(sim, &t, &z, &v));
        const zw_event *event = zw_sim_event(sim, 0);
        if (!event)
            continue;
        assert_string_equal(event->kind, "impact");
        assert_true(fabs(event->t - (impacts == 0 ? 1 : 2)) < 1e-9);
        assert_true(fabs(v - (impacts == 0 ? 1 : 0.5)) < 1e-8);
        impacts++;
    }
    must(sim, zw_sim_to(sim, 2.1));
    must(sim, zw_sim_state(sim, &t, &z, &v));
    z = 4;
    v = 0;
    must(sim, zw_sim_set_state(sim, &z, &v));
    must(sim, zw_sim_to(sim, 3.9));
    must(sim, zw_sim_state(sim, &t, &z, &v));
    assert_true(fabs(z - (4 - 1.8 * 1.8)) < 1e-9);
    must(sim, zw_sim_to(sim, 4.2));
    assert_non_null(zw_sim_event(sim, 0));
    assert_true(fabs(zw_sim_event(sim, 0)->t - 4.1) < 1e-9);
    z = -1;
    assert_int_equal(zw_sim_set_state(sim, &z, NULL), ZW_WRONG);
    expect_message(sim, "violates");
    must(sim, zw_sim_to(sim, 4.3)); // it is where it was
    must(sim, zw_sim_state(sim, &t, &z, &v));
    assert_true(t == 4.3 && z > 0);
    // To rest, and on.
    must(sim, zw_sim_to(sim, 20));
    must(sim, zw_sim_state(sim, &t, &z, &v));
    assert_true(fabs(z) < 1e-9 && fabs(v) < 1e-9);
    zw_sim_free(sim);
}

// At rest on a floor z is 0 but for rounding: of the heights from which it fell, not of itself. Its
// own state can be set, it can be saved and restored, and goes on with another gravity.
static void rests(void **state)
{
    (void)state;
    srand(1);
    for (int i = 0; i < 20; i++) {
        char text[300], *bytes;
        double height = pow(10, -3 + 6.0 * rand() / RAND_MAX), t, z, v;
        size_t count;
        snprintf(text, sizeof text,
                 "param g = 10\ncoord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -g]\n"
                 "initial z = %.17g\nconstraint floor: z >= 0 restitution 1/2\nrun to %.17g\n",
                 height, 3 * sqrt(height));
        zw_sim *sim = sim_of(text, NULL);
        must(sim, zw_sim_to(sim, 2 * sqrt(height)));
        must(sim, zw_sim_state(sim, &t, &z, &v));
        must(sim, zw_sim_set_state(sim, &z, &v));
        must(sim, zw_sim_set_parameter(sim, "g", 5));
        must(sim, zw_sim_save(sim, &bytes, &count));
        must(sim, zw_sim_restore(sim, bytes, count));
        zw_free(bytes);
        must(sim, zw_sim_to(sim, 10 * sqrt(height)));
        must(sim, zw_sim_state(sim, &t, &z, &v));
        assert_true(fabs(z) < 1e-12 * height && v == 0);
        zw_sim_free(sim);
    }
}

// A sampled loop to drawn times, saved and restored on the way, is that of the run; what waits to
// be applied cannot be left behind.
static void sampled(void **state)
{
    (void)state;
    static const char text[] = "coord x\nmass 1 at [x, 0, 0]\nstate u = 0\nforce 4*x + u along x\n"
                               "sample loop: 0.05 { set u = -12*x - 6*x' }\ninitial x = 0.1\n"
                               "run to 2 every 2\n";
    Random random = random_seed(23);
    zw_model *model;
    zw_result *run;
    assert_int_equal(zw_model_read("m", text, strlen(text), NULL, &model), ZW_DONE);
    assert_int_equal(zw_run(model, &(zw_run_options){.keep = true}, &run), ZW_DONE);
    double expected = zw_result_column(run, 1)[zw_result_run(run)->rows - 1], t, x, v;
    zw_result_free(run);
    zw_model_free(model);
    for (int round = 0; round < 8; round++) {
        zw_sim *sim = sim_of(text, NULL);
        double at = round == 0 ? 0.75 : uniform(&random, 0.1, 1.9);
        char *bytes;
        size_t count;
        must(sim, zw_sim_to(sim, at / 2));
        must(sim, zw_sim_to(sim, at));
        must(sim, zw_sim_save(sim, &bytes, &count));
        must(sim, zw_sim_to(sim, 1.95));
        must(sim, zw_sim_restore(sim, bytes, count));
        must(sim, zw_sim_to(sim, 2));
        must(sim, zw_sim_state(sim, &t, &x, &v));
        assert_true(fabs(x - expected) < 1e-11);
        zw_free(bytes);
        zw_sim_free(sim);
    }
    zw_sim *sim = sim_of("coord x\nmass 1 at [x, 0, 0]\nstate u = 0\nforce u along x\n"
                         "sample loop: 0.1 delay 0.05 { set u = 1 - x }\nparam p = 1\n",
                         NULL);
    must(sim, zw_sim_to(sim, 0.37));
    must(sim, zw_sim_set_parameter(sim, "p", 2));
    must(sim, zw_sim_to(sim, 0.52));
    assert_int_not_equal(zw_sim_set_parameter(sim, "p", 3), ZW_DONE);
    expect_message(sim, "cannot begin anew there");
    zw_sim_free(sim);
}

// Numbers are in SI units; one that is wrong is told, with its place, and leaves all as it was.
static void numbers_are_si(void **state)
{
    (void)state;
    double x, v, t;
    zw_sim *sim =
        sim_of("param m = 2 kg, k = 5 kN/m, phi in deg = 30\ninput F in kN\ncoord x in cm\n"
               "mass m at [x, 0, 0]\nspring along x stiffness k\nforce F along x\n"
               "initial x = 3 cm\noutput s = sin(phi)\n",
               NULL);
    must(sim, zw_sim_set_parameter(sim, "m", 1));
    must(sim, zw_sim_set_parameter(sim, "F", 50));
    must(sim, zw_sim_set_parameter(sim, "phi", 0.1));
    must(sim, zw_sim_to(sim, 0.1));
    must(sim, zw_sim_state(sim, &t, &x, &v));
    double w = sqrt(5000.0), rest = 50 / 5000.0;
    assert_true(fabs(x - (rest + (0.03 - rest) * cos(w * 0.1))) < 1e-11);
    zw_sim_free(sim);
    sim =
        sim_of("param e = 0.5\ncoord x\nmass 1 at [x, 0, 0]\nconstraint floor: x >= 0 restitution "
               "e\ninitial x = 1\n",
               NULL);
    assert_int_not_equal(zw_sim_set_parameter(sim, "e", 7), ZW_DONE);
    expect_message(sim, "restitution");
    must(sim, zw_sim_to(sim, 0.1));
    zw_sim_free(sim);
}

// The same state as a run has, for models with conditions; by chunks and after restarts.
static void like_runs(void **state)
{
    (void)state;
    static const char *const names[] = {"blade", "hoop", "bouncing_ball", "top", "cart"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = zw_gallery_text(names[i]);
        zw_model *model;
        zw_result *run;
        assert_int_equal(zw_model_read(names[i], text, strlen(text), NULL, &model), ZW_DONE);
        assert_int_equal(zw_run(model, &(zw_run_options){.to = 2, .every = 1, .keep = true}, &run),
                         ZW_DONE);
        zw_sim *sim;
        assert_int_equal(zw_sim_new(model, NULL, &sim), ZW_DONE);
        zw_model_free(model);
        size_t n = zw_sim_coordinates(sim), last = zw_result_run(run)->rows - 1;
        double *q = calloc(2 * n, sizeof *q), *v = q + n;
        must(sim, zw_sim_to(sim, 0.7));
        char *saved;
        size_t bytes;
        must(sim, zw_sim_save(sim, &saved, &bytes));
        must(sim, zw_sim_to(sim, 1.3));
        must(sim, zw_sim_to(sim, 2));
        must(sim, zw_sim_state(sim, NULL, q, v));
        for (size_t j = 0; j < n; j++) {
            double x = zw_result_column(run, 1 + j)[last],
                   w = zw_result_column(run, 1 + n + j)[last];
            if (fabs(q[j] - x) > 1e-6 * (1 + fabs(x)) || fabs(v[j] - w) > 1e-6 * (1 + fabs(w)))
                fail_msg("%s: coordinate %zu is %.12g, %.12g and not %.12g, %.12g", names[i], j,
                         q[j], v[j], x, w);
        }
        // Whoever restores gets the same bits as whoever went on.
        double *other = calloc(2 * n, sizeof *other);
        must(sim, zw_sim_restore(sim, saved, bytes));
        must(sim, zw_sim_to(sim, 1.3));
        must(sim, zw_sim_to(sim, 2));
        must(sim, zw_sim_state(sim, NULL, other, other + n));
        assert_memory_equal(q, other, 2 * n * sizeof *q);
        free(other);
        free(q);
        zw_free(saved);
        zw_sim_free(sim);
        zw_result_free(run);
    }
}

// Steps, and what is saved behind them.
static char *step_and_save(zw_sim *sim, size_t steps, size_t *count)
{
    char *saved;
    for (size_t i = 0; i < steps; i++)
        must(sim, zw_sim_step(sim));
    must(sim, zw_sim_save(sim, &saved, count));
    return saved;
}

// Whoever goes on, whoever begins with what was saved, and whoever comes back to it come to the
// same: beyond the end that the model says, where a step ends, and where the speeds change.
static void saved_at_each_step(void **state)
{
    (void)state;
    const char *const texts[] = {
        "coord x\nmass 1 at [x, 0, 0]\nforce -4*x along x\ninitial x = 1\nrun to 1\n"
        "constraint wall: x >= -1/2 restitution 1/2\n",
        "coord x, y\nmass 1 at [x, y, 0]\nconstraint c: x^2 + y^2 = 1\nforce -1 along y\n"
        "initial x = 1\n"};
    for (size_t i = 0; i < 2; i++) {
        zw_sim *sim = sim_of(texts[i], NULL);
        for (int k = 0; k < 40; k++) {
            zw_sim *others[] = {sim_of(texts[i], NULL), sim};
            size_t count, first, second;
            char *saved = step_and_save(sim, 1, &count), *on = step_and_save(sim, 2, &first);
            for (int j = 0; j < 2; j++) {
                must(others[j], zw_sim_restore(others[j], saved, count));
                char *again = step_and_save(others[j], 2, &second);
                assert_int_equal(first, second);
                assert_memory_equal(on, again, first);
                zw_free(again);
            }
            zw_free(saved);
            zw_free(on);
            zw_sim_free(others[0]);
        }
        double t;
        must(sim, zw_sim_state(sim, &t, NULL, NULL));
        assert_true(t > 20); // several ends were passed
        zw_sim_free(sim);
    }
}

static void files_and_mistakes(void **state)
{
    (void)state;
    char path[] = "/tmp/zwang-sim-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    zw_sim *sim = sim_of(OSCILLATOR, NULL), *other = sim_of(OSCILLATOR, NULL);
    double t, x[2];
    must(sim, zw_sim_set_parameter(sim, "k", 9));
    must(sim, zw_sim_to(sim, 1));
    must(sim, zw_sim_save_file(sim, path));
    must(sim, zw_sim_to(sim, 2));
    must(other, zw_sim_restore_file(other, path));
    must(other, zw_sim_state(other, &t, NULL, NULL));
    assert_true(t == 1);
    must(other, zw_sim_to(other, 2));
    zw_sim_state(sim, NULL, &x[0], NULL);
    zw_sim_state(other, NULL, &x[1], NULL);
    assert_memory_equal(&x[0], &x[1], sizeof x[0]);
    zw_sim *third = sim_of("coord x\nmass 1 at [x, 0, 0]\n", NULL);
    assert_int_equal(zw_sim_restore_file(third, path), ZW_WRONG);
    expect_message(third, "another model");
    char *saved;
    size_t count;
    must(sim, zw_sim_save(sim, &saved, &count));
    for (size_t length = 0; length < count; length++)
        assert_int_equal(zw_sim_restore(sim, saved, length), ZW_WRONG);
    zw_free(zw_sim_messages(sim, ZW_NOTE));
    for (size_t i = 0; i + 1 < count; i++) { // one character is another one
        char kept = saved[i];
        saved[i] = '~';
        assert_int_equal(zw_sim_restore(sim, saved, count), ZW_WRONG);
        saved[i] = kept;
    }
    zw_free(zw_sim_messages(sim, ZW_NOTE));
    must(sim, zw_sim_restore(sim, saved, count));
    zw_free(saved);
    assert_int_equal(zw_sim_step(NULL), ZW_WRONG);
    assert_int_equal(zw_sim_to(NULL, 1), ZW_WRONG);
    assert_int_equal(zw_sim_save(sim, NULL, NULL), ZW_WRONG);
    assert_int_equal(zw_sim_set_state(sim, NULL, NULL), ZW_WRONG);
    assert_int_equal(zw_sim_to(sim, NAN), ZW_WRONG);
    assert_int_equal(zw_sim_to(sim, INFINITY), ZW_WRONG);
    assert_null(zw_sim_event(NULL, 0));
    zw_sim_free(NULL);
    zw_sim_free(sim);
    zw_sim_free(other);
    zw_sim_free(third);
    unlink(path);
}

// Bytes that were changed anywhere, to anything, are no simulation.
static void changed_bytes(void **state)
{
    (void)state;
    Random random = random_seed(2102);
    zw_sim *sim = sim_of(OSCILLATOR, NULL);
    char *saved;
    size_t count;
    must(sim, zw_sim_set_parameter(sim, "k", 9));
    must(sim, zw_sim_to(sim, 1));
    must(sim, zw_sim_save(sim, &saved, &count));
    for (int i = 0; i < 2000; i++) {
        char *copy = malloc(count);
        memcpy(copy, saved, count);
        for (uint64_t j = 1 + random_below(&random, 3); j > 0; j--)
            copy[random_below(&random, count)] = (char)random_next(&random);
        zw_status status = zw_sim_restore(sim, copy, count);
        assert_true(status == ZW_WRONG || memcmp(copy, saved, count) == 0);
        free(copy);
    }
    zw_free(zw_sim_messages(sim, ZW_NOTE));
    must(sim, zw_sim_restore(sim, saved, count));
    zw_free(saved);
    zw_sim_free(sim);
}

// Steps of fixed length: the rows of a run with the same steps, bit for bit, through impacts.
static void fixed_steps(void **state)
{
    (void)state;
    static const char ball[] = "coord x, z\nmass 1 at [x, 0, z]\ngravity [0, 0, -2]\n"
                               "initial z = 1, x' = 1\nconstraint floor: z >= 0 restitution 0.5\n"
                               "run to 4 every 0.25\n";
    zw_model *model;
    zw_result *result;
    zw_sim *sim;
    assert_int_equal(zw_model_read("m", ball, strlen(ball), NULL, &model), ZW_DONE);
    zw_run_options run = {.method = "timestepping", .step = 0.01, .no_watch = true, .keep = true};
    assert_int_equal(zw_run(model, &run, &result), ZW_DONE);
    zw_sim_options options = {.method = "timestepping"};
    assert_int_equal(zw_sim_new(model, &options, &sim), ZW_WRONG);
    char *said = zw_messages(model, ZW_ERROR);
    assert_non_null(strstr(said, "no_watch"));
    zw_free(said);
    options.no_watch = true;
    options.step = 0.01;
    assert_int_equal(zw_sim_new(model, &options, &sim), ZW_DONE);
    size_t rows = zw_result_run(result)->rows, events = 0;
    const double *t = zw_result_column(result, 0), *z = zw_result_column(result, 2);
    assert_int_equal(rows, 17);
    for (size_t i = 1; i < rows; i++) {
        double q[2], now;
        must(sim, zw_sim_to(sim, t[i]));
        while (zw_sim_event(sim, 0) && zw_sim_event(sim, events % 1000))
            events++;
        must(sim, zw_sim_state(sim, &now, q, NULL));
        assert_true(now == t[i]);
        assert_memory_equal(&q[1], &z[i], sizeof *z);
    }
    assert_true(events > 0);
    // Beyond the end of the run, and to a time inside a step.
    double now;
    must(sim, zw_sim_to(sim, 7.1234567));
    must(sim, zw_sim_state(sim, &now, NULL, NULL));
    assert_true(now == 7.1234567);
    zw_sim_free(sim);
    zw_result_free(result);
    zw_model_free(model);
}

// The same with friction: a ball that skids and then rolls, with one event, and again from a state
// that was saved while it skids.
static void fixed_steps_with_friction(void **state)
{
    (void)state;
    static const char ball[] =
        "param r = 0.1, m = 7, I = 2*m*r^2/5\ncoord x, z, phi\nframe F = world rotate phi about y\n"
        "point G = [x, 0, z]\npoint K = G - r*world.z\n"
        "body ball frame F mass m at G inertia [I, I, I]\ngravity [0, 0, -9.81]\n"
        "constraint lane: K.z >= 0 friction 0.15 at K on ball\n"
        "initial x' = 7, z = r\nrun to 2 every 0.25\n";
    zw_model *model;
    zw_result *result;
    zw_sim *sim;
    assert_int_equal(zw_model_read("m", ball, strlen(ball), NULL, &model), ZW_DONE);
    zw_run_options run = {.method = "timestepping", .step = 0.01, .no_watch = true, .keep = true};
    assert_int_equal(zw_run(model, &run, &result), ZW_DONE);
    zw_sim_options options = {.method = "timestepping", .step = 0.01, .no_watch = true};
    assert_int_equal(zw_sim_new(model, &options, &sim), ZW_DONE);
    const double *t = zw_result_column(result, 0), *x = zw_result_column(result, 1);
    size_t rows = zw_result_run(result)->rows, events = 0, size = 0;
    double q[3], v[3], now;
    char *saved = NULL;
    for (size_t i = 1; i < rows; i++) {
        must(sim, zw_sim_to(sim, t[i]));
        for (size_t k = 0; zw_sim_event(sim, k); k++)
            events++;
        must(sim, zw_sim_state(sim, &now, q, v));
        assert_memory_equal(&q[0], &x[i], sizeof *x);
        if (i == 3)
            must(sim, zw_sim_save(sim, &saved, &size));
    }
    assert_int_equal(events, 1);
    assert_true(fabs(v[0] - 5) < 1e-12 && fabs(v[2] - 50) < 1e-10);
    double end = q[0];
    must(sim, zw_sim_restore(sim, saved, size));
    must(sim, zw_sim_to(sim, 2));
    must(sim, zw_sim_state(sim, &now, q, v));
    assert_true(fabs(q[0] - end) < 1e-12);
    zw_free(saved);
    zw_sim_free(sim);
    zw_result_free(result);
    zw_model_free(model);
}

// A motion that ends says so, again and again, until another state is set.
static void ends(void **state)
{
    (void)state;
    zw_sim *sim = sim_of("coord x\nmass 1 at [x, 0, 0]\npotential -1/(1 - x)\ninitial x = 0\n"
                         "run to 100 every 1\n",
                         NULL);
    zw_status status = ZW_DONE;
    for (int i = 0; i < 10000 && status == ZW_DONE; i++)
        status = zw_sim_step(sim);
    assert_int_equal(status, ZW_NEGATIVE);
    zw_free(zw_sim_messages(sim, ZW_NOTE));
    assert_int_equal(zw_sim_step(sim), ZW_NEGATIVE);
    expect_message(sim, "the motion ended");
    double x = 0, v = 0, t;
    must(sim, zw_sim_set_state(sim, &x, &v));
    must(sim, zw_sim_step(sim));
    must(sim, zw_sim_state(sim, &t, &x, &v));
    assert_true(x > 0 && x < 1);
    zw_sim_free(sim);
}

// A force that an event turns round wherever x passes 0: parabolas with the period 4·√2, far beyond
// the end of the model's run, by steps, saved and restored on the way.
// A stop of the model ends it where it happens, however it is followed and as often as it is asked;
// another state goes on. `until` ends runs alone.
static void stopped_by_an_event(void **state)
{
    (void)state;
    static const char thrown[] =
        "coord z\nmass 1 at [0, 0, z]\ngravity [0, 0, -2]\ninitial z' = 4\n"
        "event top: z' = 0 falling { stop \"at the top\" }\n"
        "run to 10 every 1 until z >= 3\n";
    static const char *const methods[] = {NULL, "erk", "adams", "bdf"};
    for (size_t i = 0; i < 8; i++) {
        zw_sim *sim = sim_of(thrown, &(zw_sim_options){.method = methods[i / 2]});
        zw_status status = ZW_DONE;
        for (int steps = 0; status == ZW_DONE && steps < 1000; steps++)
            status = i % 2 ? zw_sim_step(sim) : zw_sim_to(sim, 100);
        double t, z, v;
        assert_int_equal(status, ZW_NEGATIVE);
        expect_message(sim, "the event 'top' stopped the motion at t = 2: at the top");
        must(sim, zw_sim_state(sim, &t, &z, &v));
        assert_true(fabs(t - 2) < 1e-8 && fabs(z - 4) < 1e-8 && fabs(v) < 1e-8);
        assert_int_equal(zw_sim_to(sim, 3), ZW_NEGATIVE);
        expect_message(sim, "stopped the motion");
        must(sim, zw_sim_set_state(sim, &(double){0}, &(double){-1}));
        must(sim, zw_sim_to(sim, 3));
        must(sim, zw_sim_state(sim, NULL, &z, NULL));
        assert_true(fabs(z + 2) < 1e-7);
        zw_sim_free(sim);
    }
}

static void states_go_on(void **state)
{
    (void)state;
    zw_sim *sim = sim_of("coord x\nmass 1 at [x, 0, 0]\nstate u = -1, n = 0\nforce u along x\n"
                         "event turn: x = 0 { set u = -u, n = n + 1 }\n"
                         "initial x = 1\nrun to 3\n",
                         NULL);
    double t, q, v, quarter = sqrt(2);
    must(sim, zw_sim_to(sim, 6 * quarter));
    char *saved = NULL;
    size_t length;
    must(sim, zw_sim_save(sim, &saved, &length));
    for (int round = 0; round < 2; round++) {
        size_t turns = 0;
        for (int k = 7; k <= 20; k++) {
            must(sim, zw_sim_to(sim, k * quarter - 0.1));
            for (size_t i = 0; zw_sim_event(sim, i); i++)
                turns +=
                    zw_sim_event(sim, i)->event && strcmp(zw_sim_event(sim, i)->event, "turn") == 0;
        }
        // At 7, 9, …, 19 quarters.
        assert_int_equal(turns, 7);
        must(sim, zw_sim_to(sim, 20 * quarter));
        must(sim, zw_sim_state(sim, &t, &q, &v));
        assert_true(fabs(q - 1) < 1e-11 && fabs(v) < 1e-11);
        if (round == 0)
            must(sim, zw_sim_restore(sim, saved, length));
    }
    zw_free(saved);
    zw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(harmonic),
                                       cmocka_unit_test(numbers_are_si),
                                       cmocka_unit_test(states_go_on),
                                       cmocka_unit_test(stopped_by_an_event),
                                       cmocka_unit_test(settings),
                                       cmocka_unit_test(stopped_on_the_way),
                                       cmocka_unit_test(driven),
                                       cmocka_unit_test(controlled),
                                       cmocka_unit_test(controlled_and_damped),
                                       cmocka_unit_test(struck_on_the_way),
                                       cmocka_unit_test(bounces),
                                       cmocka_unit_test(rests),
                                       cmocka_unit_test(sampled),
                                       cmocka_unit_test(like_runs),
                                       cmocka_unit_test(saved_at_each_step),
                                       cmocka_unit_test(files_and_mistakes),
                                       cmocka_unit_test(changed_bytes),
                                       cmocka_unit_test(fixed_steps),
                                       cmocka_unit_test(fixed_steps_with_friction),
                                       cmocka_unit_test(ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
