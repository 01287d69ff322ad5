// Stationary points of Gauss's function on polynomial conditions: Hamel's example (no. 252, as
// corrected), closed forms, continua, and random conditions against a search by Newton's method.
#include "algebra/algebra.h"
#include "base/strings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 4, MOST_TERMS = 40 };

typedef struct {
    StationaryProblem problem;
    AlgebraPolynomial f[2];
    double inertia[MOST * MOST], force[MOST], rows[MOST * MOST], drift[MOST];
    uint8_t exponents[2][MOST_TERMS * MOST];
    double coefficients[2][MOST_TERMS];
    Stationary found;
} Case;

static void begin(Case *c, size_t n, const double *force)
{
    *c = (Case){.problem = {.unknowns = n}};
    for (size_t i = 0; i < n; i++) {
        c->inertia[i * n + i] = 1;
        c->force[i] = force ? force[i] : 0;
    }
}

static void add_term(Case *c, size_t condition, double coefficient, const uint8_t *exponents)
{
    AlgebraPolynomial *f = &c->f[condition];
    size_t n = c->problem.unknowns;
    memcpy(&c->exponents[condition][f->count * n], exponents, n);
    c->coefficients[condition][f->count++] = coefficient;
    if (condition >= c->problem.condition_count)
        c->problem.condition_count = condition + 1;
}
#define TERM(c, coefficient, ...) add_term(c, 0, coefficient, (const uint8_t[]){__VA_ARGS__})

static Answer ask(Case *c)
{
    for (size_t i = 0; i < 2; i++) {
        c->f[i].exponents = c->exponents[i];
        c->f[i].coefficients = c->coefficients[i];
    }
    c->problem.conditions = c->f;
    c->problem.inertia = c->inertia;
    c->problem.force = c->force;
    c->problem.rows = c->rows;
    c->problem.drift = c->drift;
    return algebra_stationary(&c->problem, &c->found);
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        print_error("%.17g is not %.17g\n", value, expected);
    assert_true(fabs(value - expected) <= tolerance);
}

static void assert_point(const Case *c, size_t index, StationaryKind kind, double measure,
                         const double *a)
{
    const StationaryPoint *point = &c->found.at[index];
    assert_int_equal(point->kind, kind);
    assert_near(point->measure, measure, 1e-14 * (1 + measure));
    for (size_t i = 0; a && i < c->problem.unknowns; i++)
        assert_near(point->a[i], a[i], 1e-15 + 4e-16 * fabs(a[i]));
    assert_true(point->error <= 1e-15 * (1 + measure));
}
#define AT(...) ((const double[]){__VA_ARGS__})

// x₃'' = x₁''x₂'', a force K along x₃: G = ½K² at 0, and |K| − ½ at the two mirror minima.
static void hamel_has_one_or_three(void **state)
{
    (void)state;
    const double forces[] = {0, 0.5, -0.999999, 1, -1, 1.0000001, 2, -5, 1e6};
    for (size_t i = 0; i < sizeof forces / sizeof *forces; i++) {
        double K = forces[i], size = fabs(K), root = size > 1 ? sqrt(size - 1) : 0;
        Case c;
        begin(&c, 3, AT(0, 0, K));
        TERM(&c, 1, 0, 0, 1);
        TERM(&c, -1, 1, 1, 0);
        assert_int_equal(ask(&c), ANSWER_YES);
        if (size <= 1) {
            assert_int_equal(c.found.count, 1);
            assert_point(&c, 0, STATIONARY_REGULAR, K * K / 2, AT(0, 0, 0));
        } else if (size < 1.1) {
            // The values differ by the square of a ten-millionth: a tie in doubles.
            assert_int_equal(c.found.count, 3);
        } else {
            double sign = K > 0 ? 1 : -1;
            assert_int_equal(c.found.count, 3);
            assert_point(&c, 0, STATIONARY_REGULAR, size - 0.5,
                         AT(root, sign * root, sign * (size - 1)));
            assert_point(&c, 1, STATIONARY_REGULAR, size - 0.5,
                         AT(-root, -sign * root, sign * (size - 1)));
            assert_point(&c, 2, STATIONARY_REGULAR, K * K / 2, AT(0, 0, 0));
            assert_true(stationary_ties(c.found.at[0].measure, c.found.at[1].measure));
        }
        stationary_clear(&c.found);
    }
}

// A cone under a force along its axis: a circle of minima, and the vertex.
static void cone_has_a_circle_and_a_vertex(void **state)
{
    (void)state;
    Case c;
    begin(&c, 3, AT(0, 0, 3));
    TERM(&c, 1, 0, 0, 2);
    TERM(&c, -1, 2, 0, 0);
    TERM(&c, -1, 0, 2, 0);
    assert_int_equal(ask(&c), ANSWER_YES);
    assert_int_equal(c.found.count, 2);
    assert_point(&c, 0, STATIONARY_CONTINUUM, 2.25, NULL);
    assert_int_equal(c.found.at[0].freedom, 1);
    const double *a = c.found.at[0].a;
    assert_near(a[2], 1.5, 1e-15);
    assert_near(hypot(a[0], a[1]), 1.5, 1e-15);
    assert_point(&c, 1, STATIONARY_SINGULAR, 4.5, AT(0, 0, 0));
    stationary_clear(&c.found);
    // Off the axis it is two points on each side, and the vertex.
    begin(&c, 3, AT(1, 0, 3));
    TERM(&c, 1, 0, 0, 2);
    TERM(&c, -1, 2, 0, 0);
    TERM(&c, -1, 0, 2, 0);
    assert_int_equal(ask(&c), ANSWER_YES);
    assert_int_equal(c.found.count, 3);
    assert_point(&c, 0, STATIONARY_REGULAR, 1, AT(2, 0, 2));
    assert_point(&c, 1, STATIONARY_REGULAR, 4, AT(-1, 0, 1));
    assert_point(&c, 2, STATIONARY_SINGULAR, 5, AT(0, 0, 0));
    stationary_clear(&c.found);
}

static void sphere_about_the_free_motion_is_one_continuum(void **state)
{
    (void)state;
    Case c;
    begin(&c, 3, AT(0, 0, 0));
    TERM(&c, 1, 2, 0, 0);
    TERM(&c, 1, 0, 2, 0);
    TERM(&c, 1, 0, 0, 2);
    TERM(&c, -4, 0, 0, 0);
    assert_int_equal(ask(&c), ANSWER_YES);
    assert_int_equal(c.found.count, 1);
    assert_point(&c, 0, STATIONARY_CONTINUUM, 2, NULL);
    assert_int_equal(c.found.at[0].freedom, 2);
    stationary_clear(&c.found);
}

static void without_real_solution_there_is_none(void **state)
{
    (void)state;
    Case c;
    begin(&c, 2, AT(0.1, 0.7));
    TERM(&c, 1, 2, 0);
    TERM(&c, 1, 0, 4);
    TERM(&c, 0.3, 0, 0);
    assert_int_equal(ask(&c), ANSWER_YES);
    assert_int_equal(c.found.count, 0);
    stationary_clear(&c.found);
    // A whole complex curve about the free motion, with no real point.
    begin(&c, 2, AT(0, 0));
    TERM(&c, 1, 2, 0);
    TERM(&c, 1, 0, 2);
    TERM(&c, 1, 0, 0);
    assert_int_equal(ask(&c), ANSWER_YES);
    assert_int_equal(c.found.count, 0);
    stationary_clear(&c.found);
    // … and with one, which is alone.
    begin(&c, 2, AT(0, 0));
    TERM(&c, 1, 2, 0);
    TERM(&c, 1, 0, 2);
    assert_int_equal(ask(&c), ANSWER_YES);
    assert_int_equal(c.found.count, 1);
    assert_point(&c, 0, STATIONARY_SINGULAR, 0, AT(0, 0));
    stationary_clear(&c.found);
}

// y² = x³ has a cusp, which is nearest to everything before it.
static void cusp_may_be_the_least(void **state)
{
    (void)state;
    Case c;
    begin(&c, 2, AT(-2, 0.25));
    TERM(&c, 1, 0, 2);
    TERM(&c, -1, 3, 0);
    assert_int_equal(ask(&c), ANSWER_YES);
    assert_point(&c, 0, STATIONARY_SINGULAR, 2 + 1.0 / 32, AT(0, 0));
    stationary_clear(&c.found);
}

// Masses 2 and 3 and a row x + y = 1 that binds what the condition holds: x² = 4 has two points.
static void rows_and_masses_count(void **state)
{
    (void)state;
    Case c;
    begin(&c, 3, AT(0, 0, 6));
    c.inertia[0] = 2;
    c.inertia[4] = 3;
    c.problem.row_count = 1;
    c.rows[0] = c.rows[1] = 1;
    c.drift[0] = -1;
    TERM(&c, 1, 2, 0, 0);
    TERM(&c, 1, 1, 1, 0);
    TERM(&c, -2, 0, 0, 0);
    // On x + y = 1: x² + x(1 − x) = x = 2.
    assert_int_equal(ask(&c), ANSWER_YES);
    assert_int_equal(c.found.count, 1);
    // a₀ = (3/5, 2/5, 6); ½(2·1.4² + 3·1.4²).
    assert_point(&c, 0, STATIONARY_REGULAR, 2.5 * 1.96, AT(2, -1, 6));
    stationary_clear(&c.found);
}

// A circle in space, by two conditions: the nearest and the farthest point.
static void two_conditions(void **state)
{
    (void)state;
    Case c;
    begin(&c, 3, AT(3, 4, 5));
    const uint8_t squares[][3] = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {0, 0, 0}};
    const double factors[] = {1, 1, 1, -5};
    for (size_t i = 0; i < 4; i++)
        add_term(&c, 0, factors[i], squares[i]);
    add_term(&c, 1, 1, (const uint8_t[]){0, 0, 2});
    add_term(&c, 1, -4, (const uint8_t[]){0, 0, 0});
    assert_int_equal(ask(&c), ANSWER_YES);
    assert_int_equal(c.found.count, 4);
    assert_point(&c, 0, STATIONARY_REGULAR, 12.5, AT(0.6, 0.8, 2));
    assert_point(&c, 1, STATIONARY_REGULAR, 22.5, AT(-0.6, -0.8, 2));
    assert_point(&c, 2, STATIONARY_REGULAR, 32.5, AT(0.6, 0.8, -2));
    assert_point(&c, 3, STATIONARY_REGULAR, 42.5, AT(-0.6, -0.8, -2));
    stationary_clear(&c.found);
}

// ---- Random conditions, against Newton's method from many places.

typedef struct {
    double f, gradient[MOST], second[MOST * MOST];
} Local;

static double power(double x, int k)
{
    double value = 1;
    for (; k > 0; k--)
        value *= x;
    return k < 0 ? 0 : value;
}

static Local look(const Case *c, const double *a)
{
    size_t n = c->problem.unknowns;
    Local local = {0};
    for (size_t k = 0; k < c->f[0].count; k++) {
        const uint8_t *e = &c->exponents[0][k * n];
        for (size_t i = 0; i <= n; i++)
            for (size_t j = 0; j <= n; j++) {
                // i = n: none; the derivative by i and by j.
                double value = c->coefficients[0][k];
                for (size_t l = 0; l < n; l++) {
                    int times = (i == l) + (j == l), exponent = e[l];
                    for (int r = 0; r < times; r++)
                        value *= exponent - r;
                    value *= exponent < times ? 0 : power(a[l], exponent - times);
                }
                if (i == n && j == n)
                    local.f += value;
                else if (j == n)
                    local.gradient[i] += value;
                else if (i < n)
                    local.second[i * n + j] += value;
            }
    }
    return local;
}

static bool solve(double *m, double *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        size_t best = i;
        for (size_t j = i + 1; j < size; j++)
            if (fabs(m[j * size + i]) > fabs(m[best * size + i]))
                best = j;
        if (fabs(m[best * size + i]) < 1e-13)
            return false;
        for (size_t k = 0; k < size; k++) {
            double t = m[i * size + k];
            m[i * size + k] = m[best * size + k];
            m[best * size + k] = t;
        }
        double t = b[i];
        b[i] = b[best];
        b[best] = t;
        for (size_t j = 0; j < size; j++) {
            if (j == i)
                continue;
            double factor = m[j * size + i] / m[i * size + i];
            for (size_t k = i; k < size; k++)
                m[j * size + k] -= factor * m[i * size + k];
            b[j] -= factor * b[i];
        }
    }
    for (size_t i = 0; i < size; i++)
        b[i] /= m[i * size + i];
    return true;
}

// Newton on a − F = λ∇f, f = 0, in (a, λ). False where it does not arrive.
static bool newton(const Case *c, double *x)
{
    size_t n = c->problem.unknowns, size = n + 1;
    double step = 1;
    for (int round = 0; round < 80 && step > 1e-13; round++) {
        double m[(MOST + 1) * (MOST + 1)] = {0}, b[MOST + 1];
        Local local = look(c, x);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++)
                m[i * size + j] = (i == j) - x[n] * local.second[i * n + j];
            m[i * size + n] = -local.gradient[i];
            m[n * size + i] = local.gradient[i];
            b[i] = -(x[i] - c->force[i] - x[n] * local.gradient[i]);
        }
        b[n] = -local.f;
        if (!solve(m, b, size))
            return false;
        step = 0;
        for (size_t i = 0; i < size; i++) {
            x[i] += b[i];
            step = fmax(step, fabs(b[i]) / (1 + fabs(x[i])));
        }
    }
    return step <= 1e-13;
}

static double uniform(Random *random)
{
    return (double)(random_next(random) >> 40) / (1 << 23) - 1;
}

static void random_case(Random *random, Case *c)
{
    size_t n = 2 + random_below(random, 2);
    int degree = n == 2 ? 2 + (int)random_below(random, 2) : 2;
    double force[MOST];
    for (size_t i = 0; i < n; i++)
        force[i] = 2 * uniform(random);
    begin(c, n, force);
    uint8_t e[MOST] = {0};
    for (e[0] = 0; e[0] <= degree; e[0]++)
        for (e[1] = 0; e[0] + e[1] <= degree; e[1]++)
            for (e[2] = 0; e[0] + e[1] + e[2] <= degree && (n > 2 || e[2] == 0); e[2]++)
                add_term(c, 0, uniform(random), e);
}

static void random_conditions_hide_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        Random random = random_seed(seed);
        Case c;
        random_case(&random, &c);
        assert_int_equal(ask(&c), ANSWER_YES);
        size_t n = c.problem.unknowns, arrived = 0;
        bool *met = test_calloc(c.found.count + 1, sizeof *met);
        for (size_t i = 0; i < c.found.count; i++) {
            assert_true(fabs(look(&c, c.found.at[i].a).f) < 1e-11 * (1 + c.found.at[i].measure));
            double apart = 0;
            for (size_t j = 0; j < n; j++)
                apart += pow(c.found.at[i].a[j] - c.force[j], 2) / 2;
            assert_near(apart, c.found.at[i].measure, 1e-13 * (1 + apart));
        }
        for (int start = 0; start < 300; start++) {
            double x[MOST + 1];
            for (size_t i = 0; i <= n; i++)
                x[i] = 8 * pow(uniform(&random), 3);
            if (!newton(&c, x))
                continue;
            arrived++;
            bool known = false;
            for (size_t i = 0; i < c.found.count; i++) {
                double apart = 0, size = 1;
                for (size_t j = 0; j < n; j++) {
                    apart = fmax(apart, fabs(x[j] - c.found.at[i].a[j]));
                    size = fmax(size, fabs(x[j]));
                }
                if (apart < 1e-7 * size)
                    known = met[i] = true;
            }
            if (!known)
                print_error("seed %d: a point was missed\n", (int)seed);
            assert_true(known);
        }
        assert_true(arrived > 0 || c.found.count == 0);
        // What no search meets would be an invention; those far away are hard to meet.
        for (size_t i = 0; i < c.found.count; i++)
            assert_true(met[i] || c.found.at[i].measure > 8);
        test_free(met);
        stationary_clear(&c.found);
    }
}

// σ = ¼a⁴ − a² beside ½a²: a³ − a = F has three roots for F = 0, −1, 0 and 1; one for F = 6, 2.
// And σ = ½a₁²a₂² with a₂ = a₁ and the forces 3 and 1: 2a + 2a³ = 4, so a = 1.
static void energies_that_are_not_quadratic(void **state)
{
    (void)state;
    Case c;
    for (int strong = 0; strong < 2; strong++) {
        begin(&c, 1, AT(strong ? 6 : 0));
        TERM(&c, 0.25, 4);
        TERM(&c, -1, 2);
        c.problem.condition_count = 0;
        c.problem.energy = &c.f[0];
        assert_int_equal(ask(&c), ANSWER_YES);
        assert_int_equal(c.found.count, strong ? 1 : 3);
        if (strong) {
            // ½(2 − 6)² + 4 − 4
            assert_point(&c, 0, STATIONARY_REGULAR, 8, AT(2));
        } else {
            assert_point(&c, 0, STATIONARY_REGULAR, -0.25, AT(1));
            assert_point(&c, 1, STATIONARY_REGULAR, -0.25, AT(-1));
            assert_point(&c, 2, STATIONARY_REGULAR, 0, AT(0));
        }
        stationary_clear(&c.found);
    }
    begin(&c, 2, AT(3, 1));
    TERM(&c, 1, 1, 0);
    TERM(&c, -1, 0, 1);
    add_term(&c, 1, 0.5, (const uint8_t[]){2, 2});
    c.problem.condition_count = 1;
    c.problem.energy = &c.f[1];
    assert_int_equal(ask(&c), ANSWER_YES);
    assert_int_equal(c.found.count, 1);
    // ½(1 − 3)² + ½
    assert_point(&c, 0, STATIONARY_REGULAR, 2.5, AT(1, 1));
    stationary_clear(&c.found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hamel_has_one_or_three),
        cmocka_unit_test(cone_has_a_circle_and_a_vertex),
        cmocka_unit_test(sphere_about_the_free_motion_is_one_continuum),
        cmocka_unit_test(without_real_solution_there_is_none),
        cmocka_unit_test(cusp_may_be_the_least),
        cmocka_unit_test(rows_and_masses_count),
        cmocka_unit_test(two_conditions),
        cmocka_unit_test(random_conditions_hide_nothing),
        cmocka_unit_test(energies_that_are_not_quadratic),
    };
    return cmocka_run_group_tests_name("algebra/stationary", tests, NULL, NULL);
}
