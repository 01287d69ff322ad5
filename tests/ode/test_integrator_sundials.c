// test_integrator_sundials.c: BDF on a stiff chain, its Newton equations dense and as larger ones
// with few entries; and the signs of stiffness that other methods see there.
#include "ode_case.h"

// Heat along a rod of COUNT cells: y_i' = D·(y_{i−1} − 2y_i + y_{i+1}), both ends held at 0. A mode
// sin(πki/(COUNT + 1)) decays with 4D·sin²(πk/2(COUNT + 1)).
enum { COUNT = 20 };
static const double D = 1e4;

static bool rod_rate(void *context, double t, const double *y, double *rate)
{
    (void)context, (void)t;
    for (size_t i = 0; i < COUNT; i++)
        rate[i] = D * ((i > 0 ? y[i - 1] : 0) - 2 * y[i] + (i + 1 < COUNT ? y[i + 1] : 0));
    return true;
}

static bool rod_jacobian(void *context, double t, const double *y, double *columns)
{
    (void)context, (void)t, (void)y;
    memset(columns, 0, COUNT * COUNT * sizeof *columns);
    for (size_t j = 0; j < COUNT; j++) {
        columns[j * COUNT + j] = -2 * D;
        if (j > 0)
            columns[j * COUNT + j - 1] = D;
        if (j + 1 < COUNT)
            columns[j * COUNT + j + 1] = D;
    }
    return true;
}

static void rod_error_scale(void *context, const double *y, double *scale)
{
    (void)context, (void)y;
    for (size_t i = 0; i < COUNT; i++)
        scale[i] = 1e-8;
}

// ---- The same with the flows w_i = D·(y_{i+1} − y_i), i = 0 … COUNT, as unknowns after x:
// x_i − γ·(w_i − w_{i−1}) = r_i, w_i − D·(x_{i+1} − x_i) = 0.
enum { SIZE = 2 * COUNT + 1, ENTRIES = 3 * COUNT + 3 * (COUNT + 1) - 2 };
typedef struct {
    OdeSparseJacobian jacobian;
    uint32_t begins[SIZE + 1], columns[ENTRIES];
    size_t linearized, filled;
} Rod;

static bool rod_linearize(void *context, double t, const double *y)
{
    (void)t, (void)y;
    ((Rod *)context)->linearized++;
    return true;
}

// The rows of the pattern; with entries where these are asked for.
static size_t rod_rows(Rod *rod, double gamma, double *entries)
{
    size_t count = 0;
#define ENTRY(column, value)                                                                       \
    (rod->columns[count] = (uint32_t)(column), entries ? entries[count] = (value) : 0, count++)
    for (size_t i = 0; i < COUNT; i++) {
        ENTRY(i, 1);
        ENTRY(COUNT + i, gamma);
        ENTRY(COUNT + i + 1, -gamma);
        rod->begins[i + 1] = (uint32_t)count;
    }
    for (size_t i = 0; i <= COUNT; i++) {
        if (i > 0)
            ENTRY(i - 1, D);
        if (i < COUNT)
            ENTRY(i, -D);
        ENTRY(COUNT + i, 1);
        rod->begins[COUNT + i + 1] = (uint32_t)count;
    }
#undef ENTRY
    return count;
}

static void rod_fill(void *context, double gamma, double *entries)
{
    ((Rod *)context)->filled++;
    rod_rows(context, gamma, entries);
}

static const OdeSparseJacobian *rod_sparse(void *context)
{
    Rod *rod = context;
    return rod->jacobian.id ? &rod->jacobian : NULL;
}

static OdeProblem rod_problem(Rod *rod)
{
    return (OdeProblem){.count = COUNT,
                        .tolerance = 1e-8,
                        .max_step = 0.1,
                        .context = rod,
                        .program = rod,
                        .rate = rod_rate,
                        .jacobian = rod_jacobian,
                        .sparse_jacobian = rod_sparse,
                        .error_scale = rod_error_scale};
}

static double mode(size_t k, size_t i)
{
    return sin(acos(-1) * (double)(k * (i + 1)) / (COUNT + 1));
}

static double decay(size_t k)
{
    return 4 * D * pow(sin(acos(-1) * (double)k / (2 * (COUNT + 1))), 2);
}

// Two modes, until the slow one has fallen by a factor of e^folds; checks the end.
static OdeStatistics cool(OdeMethod method, Rod *rod, double folds, double error)
{
    OdeProblem problem = rod_problem(rod);
    OdeIntegrator *integrator = ode_integrator_new(method, &problem);
    double t = 0, y[COUNT], end = folds / decay(1);
    for (size_t i = 0; i < COUNT; i++)
        y[i] = mode(1, i) + mode(COUNT, i);
    assert_true(ode_integrator_start(integrator, 0, y, 0));
    for (size_t steps = 1; t < end; steps++) {
        assert_int_equal(ode_integrator_step(integrator, end, &t, y), ODE_STEPPED);
        ode_integrator_check_stiffness(integrator, steps, t, y);
    }
    for (size_t i = 0; i < COUNT; i++)
        assert_near(y[i], mode(1, i) * exp(-folds), error);
    OdeStatistics made = ode_integrator_statistics(integrator);
    ode_integrator_free(integrator);
    return made;
}

static void same_by_few_entries(void **state)
{
    (void)state;
    Rod dense = {0}, sparse = {0};
    assert_int_equal(rod_rows(&sparse, 0, NULL), ENTRIES);
    sparse.jacobian = (OdeSparseJacobian){.id = 1,
                                          .size = SIZE,
                                          .begins = sparse.begins,
                                          .columns = sparse.columns,
                                          .context = &sparse,
                                          .linearize = rod_linearize,
                                          .fill = rod_fill};
    OdeStatistics by_dense = cool(ODE_BDF, &dense, 1, 1e-6);
    OdeStatistics by_sparse = cool(ODE_BDF, &sparse, 1, 1e-6);
    assert_true(sparse.linearized > 0 && sparse.filled >= sparse.linearized);
    assert_int_equal(dense.filled, 0);
    assert_near((double)by_sparse.steps, (double)by_dense.steps, 5);
    assert_int_equal(by_dense.order, by_sparse.order);
}

// A method whose steps stability limits sees it, and needs more of them than BDF.
static void stiffness_is_seen(void **state)
{
    (void)state;
    Rod rod = {0};
    OdeStatistics bdf = cool(ODE_BDF, &rod, 20, 1e-6), erk = cool(ODE_ERK, &rod, 20, 1e-6);
    assert_true(erk.stiff && !bdf.stiff);
    assert_near(erk.fastest_decay, decay(COUNT), 1e-6 * decay(COUNT));
    assert_true(erk.steps > bdf.steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_by_few_entries),
        cmocka_unit_test(stiffness_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
