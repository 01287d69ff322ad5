// test_newton.c: the equations of an implicit step with few entries: against the dense Jacobian,
// against closed forms, and against runs that go the dense way.
#include "run_case.h"

#include "dynamics/dynamics.h"
#include "dynamics/implicit_system.h"
#include "dynamics/rate_strategy.h"
#include "dynamics/speed_choice.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"

#include <flint/flint.h>
#include <lapacke.h>

#define PI 3.14159265358979323846

// Masses between springs and dampers, the first one held by a wall.
#define CHAIN(COUNT)                                                                               \
    "const N = " #COUNT "\nparam k = 1e4, d = 100\ncoord x[N]\n"                                   \
    "for i in 1..N { kinetic x[i]'^2/2 }\n"                                                        \
    "for i in 1..N-1 {\n"                                                                          \
    "    potential k*(x[i+1] - x[i])^2/2\n    dissipation d*(x[i+1]' - x[i]')^2/2\n}\n"            \
    "potential k*x[1]^2/2\ndissipation d*x[1]'^2/2\n"                                              \
    "for i in 1..N { initial x[i] = sin(pi*i/(2*N+1)) + sin(21*pi*i/(2*N+1))/10, x[i]' = 0 }\n"    \
    "run to 2 every 0.5\n"
// A bar of finite elements, whose masses belong to two coordinates each.
static const char banded[] =
    "const N = 40\nparam k = 1e4, d = 100\ncoord x[N]\n"
    "for i in 1..N-1 {\n"
    "    kinetic (x[i]'^2 + x[i]'*x[i+1]' + x[i+1]'^2)/6*(2 + sin(x[i]))\n"
    "    potential k*(x[i+1] - x[i])^2/2\n    dissipation d*(x[i+1]' - x[i]')^2/2\n}\n"
    "kinetic x[1]'^2/6\npotential k*x[1]^2/2\ndissipation d*x[1]'^2/2\n"
    "for i in 1..N { initial x[i] = sin(pi*i/(2*N+1))/5, x[i]' = 0 }\nrun to 2 every 0.5\n";
// Masses on rods, which are finite conditions, in a thick fluid.
static const char rods[] = "const N = 24\nparam d = 500\ncoord x[N], y[N]\n"
                           "mass 1 at [x[1], y[1], 0]\nconstraint rod[1]: x[1]^2 + y[1]^2 = 1\n"
                           "for i in 2..N {\n    mass 1 at [x[i], y[i], 0]\n"
                           "    constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n}\n"
                           "for i in 1..N {\n    dissipation d*(x[i]'^2 + y[i]'^2)/2\n"
                           "    initial x[i] = 0.6*i, y[i] = 0.8*i, x[i]' = 0, y[i]' = 0\n}\n"
                           "gravity [0, -9.81, 0]\nrun to 2 every 0.5\n";
// Diffusion along a line and a fast reaction: no inertia, all rates are conditions.
static const char reaction[] =
    "const N = 60\nparam D = 100, r = 1e4\ncoord c[N]\n"
    "for i in 1..N {\n"
    "    constraint s[i]: c[i]' = D*(c[max(i-1,1)] - 2*c[i] + c[min(i+1,N)])"
    " - r*c[i]^3\n"
    "    initial c[i] = 1 + i/N\n}\n"
    "kinetic 0*c[1]'^2\nrun to 1 every 0.1\n";
// A servo that keeps a distance by its own force.
static const char servo[] =
    "const N = 30\nparam k = 100, d = 10\ncoord x[N]\n"
    "for i in 1..N { kinetic x[i]'^2/2 }\n"
    "for i in 1..N-1 {\n"
    "    potential k*(x[i+1] - x[i])^2/2\n    dissipation d*(x[i+1]' - x[i]')^2/2\n}\n"
    "servo lead: x[N] - x[N-1] = sin(t)/10 by x[N]\n"
    "for i in 1..N { initial x[i] = 0 }\nrun to 2 every 0.5\n";
// Every mass pulls on every other.
static const char pulls[] =
    "const N = 30\ncoord x[N]\nfor i in 1..N { kinetic x[i]'^2/2\n initial x[i] = i^2 }\n"
    "for i in 1..N-1, j in i+1..N { potential -1/(x[j] - x[i]) }\nrun to 1 every 0.5\n";

static RunCase start(const char *text, double tolerance, bool dense)
{
    RunOptions options = run_options();
    options.method = RUN_BDF;
    options.tolerance = tolerance;
    RunCase kase = case_start(text, options);
    case_expect(&kase, STATUS_OK);
    kase.run->settings.dense = dense;
    return kase;
}

static RunCase go(const char *text, double tolerance, bool dense)
{
    RunCase kase = start(text, tolerance, dense);
    case_go(&kase);
    case_expect(&kase, STATUS_OK);
    return kase;
}

// ---- The equations.

// x of matrix·x = right, both row after row and used up.
static void solve(double *matrix, double *right, size_t size)
{
    lapack_int *pivots = base_alloc(size * sizeof *pivots);
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, (lapack_int)size, 1, matrix, (lapack_int)size,
                                   pivots, right, 1),
                     0);
    base_free(pivots);
}

static void by_newton(ImplicitSystem *newton, double t, const double *y, double gamma, double *x)
{
    size_t size = newton->size, count = newton->n + newton->k;
    double *entries =
        base_alloc((newton->filled.begins[size] + size * size + size) * sizeof *entries);
    double *matrix = entries + newton->filled.begins[size], *right = matrix + size * size;
    assert_true(newton->jacobian.linearize(newton, t, y));
    newton->jacobian.fill(newton, gamma, entries);
    for (size_t i = 0; i < size; i++)
        for (size_t e = newton->filled.begins[i]; e < newton->filled.begins[i + 1]; e++)
            matrix[i * size + newton->filled.places[e]] += entries[e];
    memcpy(right, x, count * sizeof *x);
    solve(matrix, right, size);
    memcpy(x, right, count * sizeof *x);
    base_free(entries);
}

static void by_jacobian(Simulation *run, double t, const double *y, double gamma, double *x)
{
    size_t count = run->base->eq->n + run->base->eq->k;
    double *columns = base_alloc(2 * count * count * sizeof *columns);
    double *matrix = columns + count * count;
    RateOptions by_solves = {.order = 1, .compilation = run->base->compilation};
    RateStrategy *strategy = strategy_new(run->base->eq, run->base->state, run->motion, by_solves);
    assert_true(strategy_jacobian(strategy, t, y, columns));
    strategy_free(strategy);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            matrix[i * count + j] = (i == j) - gamma * columns[j * count + i];
    solve(matrix, x, count);
    base_free(columns);
}

static void compare_solutions(const char *text, bool own_speeds)
{
    RunCase kase = start(text, 1e-8, false);
    Simulation *run = kase.run;
    const Equations *eq = run->base->eq;
    State *state = run->base->state;
    size_t n = eq->n, count = n + eq->k;
    double *y = base_alloc(3 * count * sizeof *y), *x = y + count, *expected = x + count;
    Random random = random_seed(5);
    // Other speeds: velocities that the elimination of the conditions leaves.
    if (!own_speeds) {
        dynamics_velocities(eq, state, 0, run->start.q, run->start.u);
        assert_true(conditioning_improve(eq, state, 0));
        assert_false(state->speeds.own);
    }
    memcpy(y, run->start.q, n * sizeof *y);
    memcpy(state->v, run->start.v, n * sizeof *y);
    dynamics_speeds(eq, state, y + n);
    for (size_t i = 0; i < count; i++) {
        if (eq->finite == 0)
            y[i] += 0.01 * ldexp((double)(random_next(&random) >> 11), -53);
        x[i] = expected[i] = ldexp((double)(random_next(&random) >> 11), -53) - 0.5;
    }
    dynamics_velocities(eq, state, 0.1, y, y + n);
    dynamics_accelerations(eq, state, NULL);
    ImplicitSystem *newton = implicit_system_new(eq, state, kase.motion, 1);
    assert_non_null(newton);
    by_newton(newton, 0.1, y, 0.01, x);
    by_jacobian(run, 0.1, y, 0.01, expected);
    for (size_t i = 0; i < count; i++)
        assert_near(x[i], expected[i], 1e-9);
    // Few series make all columns.
    assert_true(newton->colour_count < 40);
    implicit_system_free(newton);
    base_free(y);
    case_free(&kase);
}

static void same_solutions(void **state)
{
    (void)state;
    compare_solutions(CHAIN(40), true);
    compare_solutions(banded, true);
    compare_solutions(rods, true);
    compare_solutions(reaction, true);
    compare_solutions(servo, true);
    compare_solutions(rods, false);
}

static void full_ones_stay_dense(void **state)
{
    (void)state;
    RunCase kase = start(pulls, 1e-8, false);
    assert_null(implicit_system_new(kase.run->base->eq, kase.run->base->state, kase.motion, 1));
    case_free(&kase);
    kase = start(CHAIN(12), 1e-8, false);
    assert_null(implicit_system_new(kase.run->base->eq, kase.run->base->state, kase.motion, 1));
    case_free(&kase);
}

// ---- Runs.

// a'' + d·μ·a' + k·μ·a = 0 from a = 1, a' = 0.
static double mode(double mu, double t)
{
    double decay = 50 * mu, square = 2500 * mu * mu - 1e4 * mu, root = sqrt(fabs(square));
    if (square < 0)
        return exp(-decay * t) * (cos(root * t) + decay / root * sin(root * t));
    double slow = -1e4 * mu / (decay + root), fast = -decay - root;
    return (fast * exp(slow * t) - slow * exp(fast * t)) / (fast - slow);
}

static void chain_by_modes(void **state)
{
    (void)state;
    enum { N = 300 };
    RunCase kase = go(CHAIN(300), 1e-10, false);
    double slow = PI / (2 * N + 1), fast = 21 * slow;
    for (size_t row = 0; row < case_row_count(&kase); row++) {
        const double *at = kase.rows.at + row * kase.columns;
        for (size_t i = 1; i <= N; i++) {
            double exact = sin((double)i * slow) * mode(4 * pow(sin(slow / 2), 2), at[0]) +
                           sin((double)i * fast) / 10 * mode(4 * pow(sin(fast / 2), 2), at[0]);
            assert_near(at[i], exact, 1e-7);
        }
    }
    assert_true(kase.summary.steps < 5000);
    case_free(&kase);
}

static void compare_runs(const char *text, double tolerance, double within)
{
    RunCase sparse = go(text, tolerance, false), dense = go(text, tolerance, true);
    assert_int_equal(case_row_count(&sparse), case_row_count(&dense));
    assert_true(sparse.summary.largest_residual < 1e-11);
    for (size_t row = 0; row < case_row_count(&sparse); row++)
        for (size_t i = 0; i <= sparse.run->base->eq->n; i++)
            assert_near(sparse.rows.at[row * sparse.columns + i],
                        dense.rows.at[row * sparse.columns + i], within);
    case_free(&sparse);
    case_free(&dense);
}

static void same_runs(void **state)
{
    (void)state;
    compare_runs(CHAIN(40), 1e-9, 1e-7);
    compare_runs(banded, 1e-9, 1e-7);
    compare_runs(rods, 1e-8, 1e-6);
    compare_runs(reaction, 1e-9, 1e-7);
    compare_runs(servo, 1e-9, 1e-7);
}

// Where all have the same concentration, c = 1/√(1/c₀² + 2rt), whatever spreads.
static void reaction_alone(void **state)
{
    (void)state;
    RunCase kase = go("const N = 60\nparam D = 100, r = 1e4\ncoord c[N]\n"
                      "for i in 1..N {\n"
                      "    constraint s[i]: c[i]' = D*(c[max(i-1,1)] - 2*c[i] + c[min(i+1,N)])"
                      " - r*c[i]^3\n"
                      "    initial c[i] = 2\n}\n"
                      "kinetic 0*c[1]'^2\nrun to 1 every 0.1\n",
                      1e-9, false);
    for (size_t row = 0; row < case_row_count(&kase); row++) {
        const double *at = kase.rows.at + row * kase.columns;
        for (size_t i = 1; i <= 60; i++)
            assert_near(at[i], 1 / sqrt(0.25 + 2e4 * at[0]), 1e-8);
    }
    case_free(&kase);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_solutions), cmocka_unit_test(full_ones_stay_dense),
        cmocka_unit_test(chain_by_modes), cmocka_unit_test(same_runs),
        cmocka_unit_test(reaction_alone),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
