// test_threads.c: several threads evaluate one set of equations of motion, each with its own state,
// and find the same numbers, bit for bit, as one thread alone. Built with -fsanitize=thread this
// also shows that evaluation shares nothing that is written.
#include "chain_text.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/form_driver.h"
#include "dynamics/independent_rows.h"
#include "dynamics/second_class/second_class.h"
#include "support.h"

#include <math.h>
#include <pthread.h>

// States that each thread goes through, and threads at once.
enum { STATES = 40, MOST_THREADS = 4 };

// ---- Equations at their start.

typedef struct {
    Loaded loaded;
    Equations eq;
    double *q, *u; // at the start
    size_t size;   // of what is found at one state
} System;

static void system_init(System *system, Loaded loaded, const FormKind *form)
{
    *system = (System){.loaded = loaded};
    Equations *eq = &system->eq;
    State state;
    Diag *diag = loaded.diag;
    assert_int_equal(equations_init(eq, loaded.motion, diag), STATUS_OK);
    if (form)
        assert_int_equal(form_driver_prepare(eq, loaded.motion, *form, diag), STATUS_OK);
    state_init(&state, eq);
    assert_int_equal(start_complete(eq, &state, diag), STATUS_OK);
    assert_int_equal(independent_rows_find(eq, &state, false, diag), STATUS_OK);
    system->q = base_alloc(2 * (eq->n + 1) * sizeof(double));
    system->u = system->q + eq->n + 1;
    memcpy(system->q, state.q, eq->n * sizeof(double));
    state.speeds.own = dynamics_can_use_own_speeds(eq, false);
    evaluator_run(&state.velocities, state.inputs);
    if (eq->all_velocities)
        memcpy(system->u, state.v, eq->n * sizeof(double));
    else
        dynamics_speeds(eq, &state, system->u);
    system->size = 3 + 3 * eq->n + loaded.model->constraints.count;
    state_clear(&state);
}

static void system_clear(System *system)
{
    base_free(system->q);
    equations_clear(&system->eq);
    unload(&system->loaded);
}

// ---- One thread.

typedef struct {
    const System *system;
    double *found; // STATES times: outcomes, v, a, multipliers, rates of the speeds
} Walk;

// The stationary point that is followed, where a condition is not affine in the accelerations.
static void take_branch(State *state)
{
    SecondClass *second_class = state->second_class;
    if (!second_class || second_class->follows)
        return;
    RunBranches branches;
    if (branches_find(second_class, &branches) && branches.count > 0) {
        memcpy(second_class->x, branches.at[0].a, second_class_size(second_class) * sizeof(double));
        second_class->follows = true;
    }
    branches_clear(&branches);
}

// A state near the start, always the same one for a step.
static double aside(size_t step, size_t i)
{
    return 0.02 * sin(1 + 0.7 * (double)step + 1.3 * (double)i) * (double)(step > 0);
}

static void *walk(void *context)
{
    const Walk *walk = context;
    const System *system = walk->system;
    const Equations *eq = &system->eq;
    State state;
    state_init(&state, eq);
    state.speeds.own = dynamics_can_use_own_speeds(eq, false);
    for (size_t i = 0; i < eq->k && !state.speeds.own; i++)
        state.speeds.chosen[i] = i;
    double *q = base_alloc(2 * (eq->n + 1) * sizeof *q), *u = q + eq->n + 1;
    for (size_t step = 0; step < STATES; step++) {
        double *out = walk->found + step * system->size;
        for (size_t i = 0; i < eq->n; i++)
            q[i] = system->q[i] + aside(step, i);
        for (size_t i = 0; i < eq->k; i++)
            u[i] = system->u[i] + aside(step, i + eq->n);
        DynamicsOutcome outcome = dynamics_velocities(eq, &state, 0.1 * (double)step, q, u);
        out[0] = outcome;
        memcpy(out + 2, state.v, eq->n * sizeof *out);
        if (outcome != DYNAMICS_FOUND)
            continue;
        take_branch(&state);
        out[1] = dynamics_accelerations(eq, &state, step % 2 ? out + 2 + 2 * eq->n : NULL);
        memcpy(out + 2 + eq->n, state.a, eq->n * sizeof *out);
        memcpy(out + 2 + 3 * eq->n, state.multipliers,
               (system->size - 3 - 3 * eq->n) * sizeof *out);
        // All threads ask for the dense inertia at about the same time.
        out[system->size - 1] = step >= STATES / 2 ? state_forces(eq, &state)[eq->n] : 0;
    }
    base_free(q);
    state_clear(&state);
    return NULL;
}

// ---- Runs of their own: one set of equations, other parameters in every thread.

typedef struct {
    const Equations *made;
    const double *q, *u;
    double *found; // accelerations of some states
    size_t which;
} OwnRun;

static void *run_on_own(void *context)
{
    const OwnRun *run = context;
    size_t n = run->made->n;
    Arena *arena = arena_new();
    Equations eq;
    State state;
    double *parameters = base_alloc((run->made->params + 1) * sizeof *parameters);
    for (size_t i = 0; i < run->made->params; i++)
        parameters[i] = run->made->param_values[i] * (1 + 0.1 * (double)(run->which + 1));
    equations_share(run->made, arena, &eq);
    equations_renew(run->made, parameters, &eq);
    state_init(&state, &eq);
    state.speeds.own = dynamics_can_use_own_speeds(&eq, false);
    for (size_t step = 0; step < STATES; step++) {
        assert_int_equal(dynamics_velocities(&eq, &state, 0.1 * (double)step, run->q, run->u),
                         DYNAMICS_FOUND);
        assert_int_equal(dynamics_accelerations(&eq, &state, NULL), DYNAMICS_FOUND);
        memcpy(run->found + step * n, state.a, n * sizeof *state.a);
    }
    state_clear(&state);
    base_free(parameters);
    arena_free(arena);
    return NULL;
}

// Each finds what it finds alone, and others find something else.
static void own_parameters(void **unused)
{
    (void)unused;
    System system;
    system_init(&system, load_model("hoop"), NULL);
    const Equations *made = &system.eq;
    size_t numbers = STATES * made->n;
    double *found = base_alloc(2 * MOST_THREADS * numbers * sizeof *found);
    OwnRun runs[2 * MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    for (size_t i = 0; i < 2 * MOST_THREADS; i++)
        runs[i] = (OwnRun){made, system.q, system.u, found + i * numbers, i % MOST_THREADS};
    for (size_t i = 0; i < MOST_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_on_own, &runs[i]), 0);
    for (size_t i = 0; i < MOST_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = MOST_THREADS; i < 2 * MOST_THREADS; i++) {
        run_on_own(&runs[i]);
        assert_memory_equal(runs[i].found, runs[i - MOST_THREADS].found, numbers * sizeof *found);
    }
    assert_memory_not_equal(runs[0].found, runs[1].found, numbers * sizeof *found);
    base_free(found);
    system_clear(&system);
}

// ---- Several.

static void compare(const System *system, const Walk *alone, const Walk *other)
{
    for (size_t i = 0; i < STATES * system->size; i++)
        if (memcmp(alone->found + i, other->found + i, sizeof(double)) != 0)
            fail_msg("state %zu, number %zu of %zu: %.17g alone, %.17g beside other threads",
                     i / system->size, i % system->size, system->size, alone->found[i],
                     other->found[i]);
}

static void same_in_threads(System *system)
{
    size_t numbers = STATES * system->size, found = 0;
    Walk walks[MOST_THREADS + 1];
    for (size_t i = 0; i <= MOST_THREADS; i++)
        walks[i] = (Walk){system, base_alloc(numbers * sizeof(double))};
    const Walk *alone = &walks[MOST_THREADS];
    walk(&walks[MOST_THREADS]);
    for (size_t step = 0; step < STATES; step++)
        found += alone->found[step * system->size] == DYNAMICS_FOUND &&
                 alone->found[step * system->size + 1] == DYNAMICS_FOUND;
    if (found < STATES / 2)
        fail_msg("only %zu of %d states have accelerations", found, STATES);
    for (size_t count = 2; count <= MOST_THREADS; count *= 2) {
        pthread_t threads[MOST_THREADS];
        for (size_t i = 0; i < count; i++) {
            memset(walks[i].found, 0, numbers * sizeof(double));
            assert_int_equal(pthread_create(&threads[i], NULL, walk, &walks[i]), 0);
        }
        for (size_t i = 0; i < count; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        for (size_t i = 0; i < count; i++)
            compare(system, alone, &walks[i]);
    }
    for (size_t i = 0; i <= MOST_THREADS; i++)
        base_free(walks[i].found);
}

static void same_in_threads_of(Loaded loaded, const FormKind *form)
{
    System system;
    system_init(&system, loaded, form);
    same_in_threads(&system);
    system_clear(&system);
}

static void gallery_models(void **unused)
{
    (void)unused;
    static const char *const names[] = {
        "pendulum_space",            // holonomic
        "blade",                     // non-holonomic
        "snakeboard",     "fourbar", // closed loops
        "squeezer",       "bicycle",
        "cone",          // not linear in the velocities
        "held_pendulum", // servos
        "second_affine", // conditions on accelerations
        "second_class",  // … that are not affine in them
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        same_in_threads_of(load_model(names[i]), NULL);
}

// Sparse factors, for velocities and accelerations.
static void large_system(void **unused)
{
    (void)unused;
    System system;
    system_init(&system,
                load_good("chain", "const N = 80\ncoord x[N], z[N]\n"
                                   "for i in 1..N {\n  mass 1 at [x[i], 0, z[i]]\n"
                                   "  initial x[i] = i, z[i]' = i/N\n}\n"
                                   "for i in 2..N {\n  constraint rod[i]: (x[i] - x[i-1])^2 + "
                                   "(z[i] - z[i-1])^2 = 1\n}\n"
                                   "gravity [0, 0, -9.81]\n"),
                NULL);
    assert_true(system.eq.sparse_velocities && system.eq.sparse_forces);
    same_in_threads(&system);
    system_clear(&system);
}

// Accelerations by elimination, and an inertia that is made when the threads ask for it.
static void long_chain(void **unused)
{
    (void)unused;
    System system;
    system_init(&system, load_chain("spatial 30"), NULL);
    assert_non_null(system.eq.direct.program);
    same_in_threads(&system);
    system_clear(&system);
}

static void driven_by_a_form(void **unused)
{
    (void)unused;
    same_in_threads_of(load_model("blade"), &(FormKind){FORM_APPELL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gallery_models), cmocka_unit_test(large_system),
        cmocka_unit_test(long_chain),     cmocka_unit_test(driven_by_a_form),
        cmocka_unit_test(own_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
