// A system as functions: against the equations of motion themselves, differences, closed forms, and
// from several threads at once.
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "test_size.h"
#include "uniform.h"
#include "zwang.h"

typedef struct {
    zw_system *system;
    zw_workspace *workspace;
    const zw_layout *layout;
} Opened;

static Opened open_text(const char *name, const char *text, bool velocities)
{
    zw_model *model;
    Opened opened = {0};
    assert_int_equal(zw_model_read(name, text, strlen(text), NULL, &model), ZW_DONE);
    zw_system_options options = {.velocities = velocities};
    zw_status status = zw_system_new(model, &options, &opened.system);
    char *said = zw_messages(model, ZW_ERROR);
    if (status != ZW_DONE)
        fail_msg("%s: %s", name, said ? said : "no message");
    zw_free(said);
    zw_model_free(model); // the system does not need it
    assert_int_equal(zw_workspace_new(opened.system, &opened.workspace), ZW_DONE);
    opened.layout = zw_system_layout(opened.system);
    return opened;
}

static void close_opened(Opened *opened)
{
    zw_workspace_free(opened->workspace);
    zw_system_free(opened->system);
}

// ---- A closed form: a pendulum on a spring, with a parameter that another gives.

static void closed_form(void **state)
{
    (void)state;
    static const char text[] = "param m = 2, l = 1.5, k = 7, c = 3*k, g = 9\ncoord r, a\n"
                               "kinetic m*(r'^2 + r^2*a'^2)/2\n"
                               "potential c*(r - l)^2/2 - m*g*r*cos(a)\nforce sin(2*t) along r\n"
                               "initial r = 1.6, a = 0.3, a' = 0.2\n";
    Opened opened = open_text("pendulum", text, false);
    assert_int_equal(opened.layout->state_count, 4);
    assert_int_equal(opened.layout->parameter_count, 4); // c is given by k
    assert_string_equal(opened.layout->parameter_names[2], "k");
    assert_string_equal(opened.layout->state_names[3], "a'");
    Random random = random_seed(11);
    for (int round = 0; round < 50; round++) {
        double y[4], p[4], rates[4], expected[4], t = uniform(&random, 0, 5);
        for (int i = 0; i < 4; i++) {
            y[i] = uniform(&random, i ? -2 : 0.5, 2);
            p[i] = uniform(&random, 0.5, 3);
        }
        double m = p[0], l = p[1], c = 3 * p[2], g = p[3];
        expected[0] = y[2];
        expected[1] = y[3];
        expected[2] = y[0] * y[3] * y[3] + g * cos(y[1]) - c * (y[0] - l) / m + sin(2 * t) / m;
        expected[3] = (-2 * y[2] * y[3] - g * sin(y[1])) / y[0];
        assert_int_equal(zw_rates(opened.system, opened.workspace, t, y, p, rates), ZW_DONE);
        for (int i = 0; i < 4; i++)
            assert_true(fabs(rates[i] - expected[i]) < 1e-12 * (1 + fabs(expected[i])));
        double by_p[16], change[4], dt[4];
        assert_int_equal(zw_rates_by_parameters(opened.system, opened.workspace, t, y, p, by_p),
                         ZW_DONE);
        assert_true(fabs(by_p[2 * 4 + 2] + 3 * (y[0] - l) / m) < 1e-11); // through c = 3·k
        assert_true(fabs(by_p[3 * 4 + 3] + sin(y[1]) / y[0]) < 1e-12);
        assert_int_equal(
            zw_rates_along(opened.system, opened.workspace, t, y, p, 1, NULL, NULL, change),
            ZW_DONE);
        memcpy(dt, change, sizeof dt);
        assert_true(fabs(dt[2] - 2 * cos(2 * t) / m) < 1e-12 && dt[3] == 0);
    }
    double y[4] = {0, 0, 0, 0}, rates[4];
    assert_int_equal(zw_rates(opened.system, opened.workspace, 0, y, NULL, rates), ZW_NEGATIVE);
    close_opened(&opened);
}

// ---- The equations of motion hold at random states, and derivatives are those of the rates.

typedef struct {
    double *y, *p, *rates, *matrix, *v, *a, *mass, *bias, *jacobian, *gamma, *lambda;
} Room;

static Room room_new(const zw_layout *layout, double *at)
{
    size_t n = layout->coordinate_count, s = layout->state_count, m = layout->condition_count;
    Room room = {.y = at};
    room.p = room.y + s;
    room.rates = room.p + layout->parameter_count;
    room.matrix = room.rates + 3 * s;
    room.v = room.matrix + s * (s + layout->parameter_count);
    room.a = room.v + n;
    room.mass = room.a + n;
    room.bias = room.mass + n * n;
    room.jacobian = room.bias + n;
    room.gamma = room.jacobian + m * n;
    room.lambda = room.gamma + m;
    return room;
}

// Largest part of M·a + bias − Jᵀλ and of J·a + γ, against their terms.
static double imbalance(const zw_layout *layout, const Room *room)
{
    size_t n = layout->coordinate_count, m = layout->condition_count;
    double worst = 0;
    for (size_t i = 0; i < n + m; i++) {
        bool row = i >= n;
        double sum = row ? room->gamma[i - n] : room->bias[i], size = 1 + fabs(sum);
        for (size_t j = 0; j < n; j++) {
            double term = (row ? room->jacobian[(i - n) * n + j] : room->mass[i * n + j]);
            sum += term * room->a[j];
            size += fabs(term * room->a[j]);
        }
        for (size_t j = 0; j < m && !row; j++) {
            sum -= room->jacobian[j * n + i] * room->lambda[j];
            size += fabs(room->jacobian[j * n + i] * room->lambda[j]);
        }
        worst = fmax(worst, fabs(sum) / size);
    }
    return worst;
}

// Largest difference between columns of a matrix and central differences of the rates.
static double off_differences(const Opened *opened, const Room *room, double t, bool by_state)
{
    const zw_layout *layout = opened->layout;
    size_t s = layout->state_count, columns = by_state ? s : layout->parameter_count;
    double *moved = by_state ? room->y : room->p, *plus = room->rates + s, *minus = plus + s;
    double worst = 0;
    for (size_t j = 0; j < columns; j++) {
        double kept = moved[j], h = 1e-6 * (1 + fabs(kept));
        moved[j] = kept + h;
        zw_status up = zw_rates(opened->system, opened->workspace, t, room->y, room->p, plus);
        moved[j] = kept - h;
        zw_status down = zw_rates(opened->system, opened->workspace, t, room->y, room->p, minus);
        moved[j] = kept;
        if (up != ZW_DONE || down != ZW_DONE)
            continue;
        for (size_t i = 0; i < s; i++) {
            double slope = (plus[i] - minus[i]) / (2 * h), exact = room->matrix[i * columns + j];
            double size = 1 + fabs(exact) + fabs(plus[i]);
            worst = fmax(worst, fabs(slope - exact) / size);
        }
    }
    return worst;
}

static void compare_model(const char *name, bool velocities, Random *random, size_t rounds)
{
    Opened opened = open_text(name, zw_gallery_text(name), velocities);
    const zw_layout *layout = opened.layout;
    size_t n = layout->coordinate_count, s = layout->state_count, found = 0;
    size_t m = layout->condition_count, params = layout->parameter_count;
    double *numbers =
        calloc(4 * s + params + s * (s + params) + n * (n + m + 3) + 2 * m + 8, sizeof *numbers);
    Room room = room_new(layout, numbers);
    for (size_t round = 0; round < rounds; round++) {
        double t = round ? uniform(random, 0, 1) : 0;
        for (size_t i = 0; i < s; i++)
            room.y[i] = layout->start[i] + (round ? uniform(random, -0.2, 0.2) : 0);
        for (size_t i = 0; i < params; i++)
            room.p[i] = layout->parameter_values[i] * (round ? uniform(random, 0.9, 1.1) : 1);
        zw_parts parts = {.velocities = room.v,
                          .accelerations = room.a,
                          .mass = room.mass,
                          .bias = room.bias,
                          .jacobian = room.jacobian,
                          .gamma = room.gamma,
                          .multipliers = room.lambda};
        zw_status solved =
            zw_system_parts(opened.system, opened.workspace, t, room.y, room.p, &parts);
        zw_status rated = zw_rates(opened.system, opened.workspace, t, room.y, room.p, room.rates);
        if (solved != ZW_DONE || rated != ZW_DONE)
            continue;
        found++;
        // With all velocities the conditions need not hold at a random state.
        double worst = imbalance(layout, &room);
        for (size_t i = 0; i < n; i++)
            worst = fmax(worst, fabs(room.rates[i] - room.v[i]) / (1 + fabs(room.v[i])));
        for (size_t i = 0; i < n && velocities; i++)
            worst = fmax(worst, fabs(room.rates[n + i] - room.a[i]) / (1 + fabs(room.a[i])));
        if (worst > 1e-8)
            fail_msg("%s, round %zu: the equations of motion are off by %g", name, round, worst);
        for (int by_state = 0; by_state < 2; by_state++) {
            if ((by_state ? zw_rates_by_state : zw_rates_by_parameters)(
                    opened.system, opened.workspace, t, room.y, room.p, room.matrix) != ZW_DONE)
                continue;
            worst = off_differences(&opened, &room, t, by_state);
            if (worst > 1e-5)
                fail_msg("%s, round %zu: derivatives are off by %g", name, round, worst);
        }
    }
    if (found < 1)
        fail_msg("%s: no state has rates", name);
    free(numbers);
    close_opened(&opened);
}

static void gallery(void **state)
{
    (void)state;
    static const char *const names[] = {"blade",     "hoop",      "bicycle",  "top",
                                        "cart",      "tire",      "trailers", "holonomic",
                                        "pendulums", "snakeboard"};
    Random random = random_seed(5);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (zw_gallery_text(names[i]))
            for (int velocities = 0; velocities < 2; velocities++)
                compare_model(names[i], velocities, &random, 3 * test_size());
}

// ---- Threads.

enum { THREADS = 4, STATES = 200 };

typedef struct {
    const zw_system *system;
    double sums[STATES];
} Work;

static void *evaluate(void *context)
{
    Work *work = context;
    const zw_layout *layout = zw_system_layout(work->system);
    zw_workspace *workspace;
    if (zw_workspace_new(work->system, &workspace) != ZW_DONE)
        return NULL;
    size_t s = layout->state_count;
    double *y = calloc(s * (s + 2), sizeof *y), *rates = y + s, *matrix = rates + s;
    for (size_t i = 0; y && i < STATES; i++) {
        for (size_t j = 0; j < s; j++)
            y[j] = layout->start[j] + 1e-3 * (double)(i * (j + 1));
        zw_rates(work->system, workspace, 0, y, NULL, rates);
        zw_rates_by_state(work->system, workspace, 0, y, NULL, matrix);
        for (size_t j = 0; j < s; j++)
            work->sums[i] += rates[j] + matrix[j * s + (i % s)];
    }
    free(y);
    zw_workspace_free(workspace);
    return work;
}

static void threads(void **state)
{
    (void)state;
    Opened opened = open_text("hoop", zw_gallery_text("hoop"), false);
    static Work work[THREADS + 1];
    pthread_t running[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        work[i] = (Work){.system = opened.system};
        assert_int_equal(pthread_create(&running[i], NULL, evaluate, &work[i]), 0);
    }
    work[THREADS] = (Work){.system = opened.system};
    evaluate(&work[THREADS]);
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(running[i], NULL);
        assert_memory_equal(work[i].sums, work[THREADS].sums, sizeof work[i].sums);
    }
    close_opened(&opened);
}

static void misuse(void **state)
{
    (void)state;
    Opened opened = open_text("hoop", zw_gallery_text("hoop"), false);
    Opened other = open_text("blade", zw_gallery_text("blade"), false);
    double numbers[64];
    zw_system *system;
    zw_workspace *workspace;
    assert_int_equal(zw_system_new(NULL, NULL, &system), ZW_WRONG);
    assert_null(system);
    assert_int_equal(zw_workspace_new(NULL, &workspace), ZW_WRONG);
    assert_int_equal(zw_rates(NULL, opened.workspace, 0, numbers, NULL, numbers), ZW_WRONG);
    assert_int_equal(zw_rates(opened.system, NULL, 0, numbers, NULL, numbers), ZW_WRONG);
    assert_int_equal(zw_rates(opened.system, other.workspace, 0, numbers, NULL, numbers), ZW_WRONG);
    assert_int_equal(zw_rates(opened.system, opened.workspace, 0, NULL, NULL, numbers), ZW_WRONG);
    assert_int_equal(zw_rates(opened.system, opened.workspace, 0, numbers, NULL, NULL), ZW_WRONG);
    assert_int_equal(zw_system_parts(opened.system, opened.workspace, 0, numbers, NULL, NULL),
                     ZW_WRONG);
    assert_null(zw_system_layout(NULL));
    zw_system_free(NULL);
    zw_workspace_free(NULL);
    close_opened(&opened);
    close_opened(&other);
}

// Messages outlive the system and the simulation that could not be made.
static void refused(void **state)
{
    (void)state;
    const char *text = "param m, k\ncoord x\nkinetic m*x'^2/2\npotential k*x^2/2\n",
               *setting = "m=1";
    zw_model *model;
    assert_int_equal(zw_model_read("m.zw", text, strlen(text), NULL, &model), ZW_DONE);
    assert_int_equal(zw_model_set(model, &setting, 1), ZW_DONE);
    for (int i = 0; i < 2; i++) {
        zw_system *system = NULL;
        zw_sim *sim = NULL;
        zw_status status = i ? zw_sim_new(model, NULL, &sim) : zw_system_new(model, NULL, &system);
        assert_int_equal(status, ZW_WRONG);
        assert_true(!system && !sim);
        char *messages = zw_messages(model, ZW_ERROR);
        assert_non_null(messages);
        assert_non_null(strstr(messages, "m.zw:1:10: error: parameter 'k' has no value"));
        assert_non_null(strstr(messages, "param m, k"));
        zw_free(messages);
    }
    zw_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_form), cmocka_unit_test(gallery),
                                       cmocka_unit_test(threads), cmocka_unit_test(misuse),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
