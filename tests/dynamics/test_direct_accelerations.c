// test_direct_accelerations.c: in large systems the accelerations and multipliers come from
// elimination on the definitions. They satisfy 𝓜 q'' + h = Σ λ d, b·q'' + γ = 0 with the dense
// entries, which are made here only afterwards; so do the rates of declared speeds, and the
// diagonal of 𝓜 is what the dense one has.
#include "chain_text.h"
#include "dynamics/direct_accelerations.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "linalg/kkt_problem.h"

#include <math.h>

static void draw_state(const Equations *eq, State *state, uint64_t seed)
{
    Random random = random_seed(seed);
    *state->t = 0.3;
    for (size_t i = 0; i < eq->n; i++) {
        state->q[i] = (double)random_below(&random, 2000) / 1000 - 1;
        state->v[i] = (double)random_below(&random, 2000) / 1000 - 1;
    }
    evaluator_run(&state->velocities, state->inputs);
}

// What is left of a sum, as a part of its terms.
typedef struct {
    double sum, terms;
} Balance;

static void add(Balance *balance, double term)
{
    balance->sum += term;
    balance->terms += fabs(term);
}

static void assert_balanced(const char *name, Balance balance)
{
    if (!(fabs(balance.sum) <= 1e-11 * balance.terms))
        fail_msg("%s: %g of %g is left", name, balance.sum, balance.terms);
}

static void check_equations(const char *name, const Equations *eq, State *state)
{
    KktProblem problem = dynamics_problem(eq, state);
    size_t n = eq->n, m = eq->m;
    for (size_t i = 0; i < n; i++) {
        Balance balance = {0};
        add(&balance, -problem.force[i]);
        for (size_t j = 0; j < n; j++)
            add(&balance, problem.inertia[i * n + j] * state->a[j]);
        for (size_t j = 0; j < m; j++)
            add(&balance, -problem.rows[j * n + i] * state->lambda[j]);
        assert_balanced(name, balance);
    }
    for (size_t j = 0; j < m; j++) {
        Balance balance = {0};
        add(&balance, problem.drift[j]);
        for (size_t i = 0; i < n; i++)
            add(&balance, problem.rows[j * n + i] * state->a[i]);
        assert_balanced(name, balance);
    }
}

static void check_rates(const char *name, const Equations *eq, State *state, const double *u_rate)
{
    const double *drift = state_forces(eq, state) + eq->n * eq->n + eq->n + eq->m;
    for (size_t i = 0; i < eq->k; i++) {
        Balance balance = {0};
        add(&balance, drift[i]);
        for (size_t j = 0; j < eq->n; j++)
            add(&balance, state->velocities.out[(eq->m + i) * eq->n + j] * state->a[j]);
        add(&balance, -u_rate[i]);
        assert_balanced(name, balance);
    }
}

static void check_inertias(const char *name, const Equations *eq, State *state)
{
    double *inertias = calloc(eq->n, sizeof *inertias);
    assert_true(direct_inertias(eq, state, inertias));
    const double *matrix = state_forces(eq, state);
    for (size_t i = 0; i < eq->n; i++)
        if (!(fabs(inertias[i] - matrix[i * eq->n + i]) <= 1e-12 * matrix[i * eq->n + i]))
            fail_msg("%s: inertia %zu is %.17g, not %.17g", name, i, inertias[i],
                     matrix[i * eq->n + i]);
    free(inertias);
}

static void check(const char *name, Loaded loaded)
{
    Equations eq;
    State state;
    assert_int_equal(equations_init(&eq, loaded.motion, loaded.diag), STATUS_OK);
    assert_non_null(eq.direct.program);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        state_init(&state, &eq);
        state.speeds.own = true;
        double *u_rate = calloc(eq.k, sizeof *u_rate);
        draw_state(&eq, &state, seed);
        assert_int_equal(dynamics_accelerations(&eq, &state, u_rate), DYNAMICS_FOUND);
        assert_null(state.forces.program);
        check_equations(name, &eq, &state);
        check_rates(name, &eq, &state, u_rate);
        check_inertias(name, &eq, &state);
        free(u_rate);
        state_clear(&state);
    }
    equations_clear(&eq);
    unload(&loaded);
}

static void test_chains(void **state)
{
    (void)state;
    static const char *const chains[] = {"planar 40", "absolute 40", "spatial 30",
                                         "full 26",   "ladder 26",   "trailers 42"};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
        check(chains[i], load_chain(chains[i]));
}

// A speed that is no velocity, parameters, loads that move with the time.
static void test_speeds(void **state)
{
    (void)state;
    Text text = chain_text("spatial 26");
    text_add(&text, "param c = 2\nspeed u = q[1]' + c*sin(q[3])*q[2]'\n"
                    "force c*sin(t)*q[5]' along q[4]\npotential c*q[1]^2*q[26]\n");
    check("declared speed", load_good("speed.zw", text.at));
    text_clear(&text);
}

// Near the pole of polar angles a pivot nearly vanishes, and loses no digits; at the pole it does
// vanish, and the dense equations say what is undetermined.
static void test_pole(void **unused)
{
    (void)unused;
    Text text = chain_text("planar 26");
    text_add(&text, "coord r, theta, phi\nframe A = world rotate phi about z\n"
                    "frame D = A rotate theta about y\nmass 2 at r*D.z\n");
    Loaded loaded = load_good("pole.zw", text.at);
    Equations eq;
    assert_int_equal(equations_init(&eq, loaded.motion, loaded.diag), STATUS_OK);
    assert_non_null(eq.direct.program);
    static const double angles[] = {0.5, 1e-3, 1e-6, 0};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
        State state;
        state_init(&state, &eq);
        draw_state(&eq, &state, 7);
        state.q[26] = 1;
        state.q[27] = angles[i];
        evaluator_run(&state.velocities, state.inputs);
        bool pole = angles[i] == 0;
        assert_int_equal(dynamics_accelerations(&eq, &state, NULL),
                         pole ? DYNAMICS_INERTIA : DYNAMICS_FOUND);
        assert_true(pole == (state.forces.program != NULL));
        if (pole)
            assert_int_equal(dynamics_undetermined_velocity(&eq, &state), 28);
        else
            check_equations("pole", &eq, &state);
        state_clear(&state);
    }
    equations_clear(&eq);
    unload(&loaded);
    text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_speeds),
        cmocka_unit_test(test_pole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
