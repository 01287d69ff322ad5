// acceleration_conditions.c: conditions of the second class as numbers: rows, and Newton's method.
//
// With 𝓜a + ∂σ/∂a − bᵀμ − Σ λ ∂f/∂a = K − h, b·a = −γ and f(a) = 0 in the unknowns (a, μ, λ) a
// stationary
// point of Gauss's function on f = 0 is a root (Hamel 252). At a regular one that is not degenerate
// the derivatives are a regular matrix.
#include "dynamics/condition_multipliers.h"
#include "dynamics/dynamics.h"
#include "dynamics/equation_modules.h"
#include "dynamics/equations.h"
#include "dynamics/second_class/second_class.h"
#include "dynamics/speed_choice.h"
#include "expr/arithmetic.h"
#include "linalg/dense.h"
#include "linalg/kkt.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/given_energy.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- Programs.

static const MotionSecond *curved_of(const Equations *eq)
{
    return eq->motion->seconds + eq->motion->affine_count;
}

static Status lower_curved(const Equations *eq, SecondClassPrograms *programs, Diag *diag)
{
    const Motion *motion = eq->motion;
    const MotionSecond *curved = curved_of(eq);
    size_t n = eq->n, s = programs->curved, at = s + s * n, end = at + n * n;
    Expr *outputs = arena_array(eq->arena, Expr, end + n + 1), *H = outputs + at;
    Expr *implicit = arena_array(eq->arena, Expr, s + n), *pushes = implicit + s;
    Expr *terms = arena_array(eq->arena, Expr, s + 1);
    for (size_t i = 0; i < s; i++) {
        outputs[i] = implicit[i] = curved[i].f;
        memcpy(outputs + s + i * n, curved[i].row.b, n * sizeof *outputs);
    }
    for (size_t nu = 0; nu < n; nu++) {
        for (size_t i = 0; i < s; i++)
            terms[i] =
                expr_mul(motion->pool, curved[i].row.constraint->lambda, curved[i].row.b[nu]);
        if (programs->energy)
            terms[s] = expr_neg(motion->pool, outputs[end + nu] = motion_dsigma(motion)[nu]);
        pushes[nu] = expr_sum(motion->pool, terms, s + programs->energy);
        expr_gradient(motion->pool, pushes[nu], motion->a, n, H + nu * n);
    }
    outputs[end + n] = motion_sigma(motion);
    end += programs->energy ? n + 1 : 0;
    const char *holds =
        s > 0 ? "a constraint on accelerations holds" : "the energy of acceleration holds";
    TRY(equations_lower(eq, holds, outputs, end, eq->input_count, diag, &programs->local));
    return equations_lower(eq, holds, implicit, s + n, eq->input_count, diag, &programs->implicit);
}

static Status prepare(Equations *eq, Motion *motion, Diag *diag)
{
    SecondClassPrograms *programs = arena_alloc(eq->arena, sizeof *programs);
    programs->curved = motion->second_count - motion->affine_count;
    programs->energy = motion_dsigma(motion) != NULL;
    programs->sigma = motion_sigma(motion);
    assert(programs->curved > 0 || programs->energy);
    eq->second_class = programs;
    TRY(lower_curved(eq, programs, diag));
    branches_prepare(eq, programs, motion);
    return STATUS_OK;
}

static void release(Equations *eq)
{
    evaluator_clear(&eq->second_class->local);
    evaluator_clear(&eq->second_class->implicit);
    evaluator_clear(&eq->second_class->coefficients);
}

// ---- Workspace.

static void attach(const Equations *eq, State *state)
{
    const SecondClassPrograms *programs = eq->second_class;
    assert(programs && !state->second_class);
    SecondClass *second_class = arena_alloc(state->arena, sizeof *second_class);
    size_t n = eq->n, size = n + eq->m + eq->motion->affine_count + programs->curved;
    *second_class = (SecondClass){.eq = eq,
                                  .state = state,
                                  .curved = programs->curved,
                                  .energy = programs->energy,
                                  .size = size,
                                  .free = real_alloc(state->arena, n),
                                  .inputs = real_alloc(state->arena, eq->input_count),
                                  .x = real_alloc(state->arena, size),
                                  .next = real_alloc(state->arena, size),
                                  .trial = real_alloc(state->arena, size),
                                  .linear = real_alloc(state->arena, (size + 1) * (n + 1))};
    evaluator_share(&programs->local, state->arena, &second_class->local);
    evaluator_share(&programs->implicit, state->arena, &second_class->implicit);
    evaluator_share(&programs->coefficients, state->arena, &second_class->coefficients);
    state->second_class = second_class;
}

static void remember(State *state, const KktProblem *problem)
{
    state->second_class->problem = *problem;
    state->second_class->given = state->inputs;
}

// ---- Accelerations and Gauss's function.

bool second_class_look(SecondClass *second_class)
{
    State *state = second_class->state;
    state_need_dense(second_class->eq, state);
    KktProblem problem = dynamics_problem(second_class->eq, state);
    // The multipliers are not needed.
    return kkt_solve(state->kkt, &problem, second_class->free, second_class->next).outcome ==
           SOLVE_DONE;
}

// ∂σ/∂q'' where it was last evaluated, σ behind it; 0 without.
static const double *slopes_of(const SecondClass *second_class)
{
    size_t n = second_class->eq->n, s = second_class->curved;
    return second_class->local.out + s + s * n + n * n;
}

double second_class_measure(SecondClass *second_class, const double *a)
{
    size_t n = second_class->eq->n;
    const double *inertia = second_class->problem.inertia, *free = second_class->free;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            sum += (a[i] - free[i]) * inertia[i * n + j] * (a[j] - free[j]);
    if (!second_class->energy)
        return fmax(sum / 2, 0);
    second_class_evaluate(second_class, a);
    return sum / 2 + slopes_of(second_class)[n];
}

double second_class_distance(const SecondClass *second_class, const double *a, const double *b)
{
    double apart = 0, size = 0;
    for (size_t i = 0; i < second_class->eq->n; i++) {
        apart = fmax(apart, fabs(a[i] - b[i]));
        size = fmax(size, fmax(fabs(a[i]), fmax(fabs(b[i]), fabs(second_class->free[i]))));
    }
    return apart > 0 ? apart / size : 0;
}

// ---- Newton.

bool second_class_applies(const Motion *motion)
{
    return motion->second_count > 0 || motion_dsigma(motion);
}

void second_class_add_held(const SecondClass *second_class, Text *text)
{
    const MotionSecond *curved = curved_of(second_class->eq);
    ARRAY(Expr) held = {0};
    for (size_t i = 0; i < second_class->curved; i++)
        array_push(&held, curved[i].f);
    if (second_class->energy)
        array_push(&held, motion_sigma(second_class->eq->motion));
    state_add_held(second_class->eq, second_class->state, held.at, held.count, text);
    array_clear(&held);
}

const ModelConstraint *second_class_condition(const SecondClass *second_class)
{
    return second_class->curved > 0 ? curved_of(second_class->eq)->row.constraint : NULL;
}

Place second_class_place(const SecondClass *second_class)
{
    const ModelConstraint *condition = second_class_condition(second_class);
    return condition ? condition->place
                     : second_class->eq->motion->model->acceleration_energy_place;
}

size_t second_class_size(const SecondClass *second_class)
{
    return second_class->eq->n + second_class->problem.row_count + second_class->curved;
}

void second_class_evaluate(SecondClass *second_class, const double *x)
{
    const Equations *eq = second_class->eq;
    size_t n = eq->n, given = eq->params + 1 + 2 * n;
    memcpy(second_class->inputs, second_class->given, given * sizeof *x);
    memcpy(second_class->inputs + given, x, n * sizeof *x);
    for (size_t i = 0; i < second_class->curved; i++) {
        const ModelConstraint *own = curved_of(eq)[i].row.constraint;
        second_class->inputs[given + n + dynamics_multiplier_index(eq, own)] =
            x[n + second_class->problem.row_count + i];
    }
    evaluator_run(&second_class->local, second_class->inputs);
}

KktProblem second_class_linearize(SecondClass *second_class, const double *x)
{
    assert(second_class->curved > 0 || second_class->energy);
    const KktProblem *problem = &second_class->problem;
    size_t n = second_class->eq->n, m = problem->row_count, s = second_class->curved;
    double *inertia = second_class->linear, *force = inertia + n * n;
    double *rows = force + n, *drift = rows + (m + s) * n;
    second_class_evaluate(second_class, x);
    const double *f = second_class->local.out, *g = f + s, *H = g + s * n;
    for (size_t i = 0; i < n * n; i++)
        inertia[i] = problem->inertia[i] - H[i];
    for (size_t i = 0; i < n; i++)
        force[i] = problem->force[i] - real_dot(H + i * n, x, n);
    if (second_class->energy)
        real_add_times(-1, slopes_of(second_class), n, force);
    memcpy(rows, problem->rows, m * n * sizeof *rows);
    memcpy(rows + m * n, g, s * n * sizeof *rows);
    memcpy(drift, problem->drift, m * sizeof *drift);
    for (size_t i = 0; i < s; i++)
        drift[m + i] = f[i] - real_dot(g + i * n, x, n);
    return (KktProblem){
        .inertia = inertia, .force = force, .rows = rows, .drift = drift, .row_count = m + s};
}

// What is next after x; how far, against its size, and infinite where there is none.
static double find_next(SecondClass *second_class, const double *x)
{
    const KktProblem *problem = &second_class->problem,
                     linear = second_class_linearize(second_class, x);
    size_t n = second_class->eq->n;
    double *next = second_class->next, change = 0, largest = real_largest(x, n);
    KktReport report = kkt_solve(second_class->state->kkt, &linear, next, next + n);
    if (report.outcome != SOLVE_DONE || report.rank < linear.row_count)
        return INFINITY;
    // Where the conditions stop all motion it is measured by what would be without them.
    for (size_t i = 0; i < n; i++) {
        double inertia = fabs(problem->inertia[i * n + i]);
        change = fmax(change, fabs(next[i] - x[i]));
        largest = fmax(largest, inertia > 0 ? fabs(problem->force[i]) / inertia : 0);
    }
    return change > 0 ? change / largest : 0;
}

bool second_class_newton(SecondClass *second_class, double *x)
{
    size_t size = second_class_size(second_class);
    assert(size <= second_class->size);
    double former = INFINITY;
    for (int round = 0; round < LIMIT_STEPS && former > TOL_SUM; round++) {
        double change = find_next(second_class, x);
        if (!isfinite(change))
            return false;
        // Rounding: steps that no longer become smaller.
        if (former <= TOL_CONDITION && change >= former / 2)
            break;
        memcpy(x, second_class->next, size * sizeof *x);
        former = change;
    }
    second_class_evaluate(second_class, x);
    return former <= TOL_CONDITION;
}

bool second_class_least_squares(double *matrix, size_t rows, size_t columns, double *right)
{
    assert(rows > 0 && columns > 0);
    double size = real_largest(matrix, rows * columns);
    if (!real_all_finite(matrix, rows * columns) || !real_all_finite(right, rows))
        return false;
    // In units in which the largest number is 1; x has the same in all.
    for (size_t i = 0; i < rows * columns && size > 0; i++)
        matrix[i] /= size;
    for (size_t i = 0; i < rows && size > 0; i++)
        right[i] /= size;
    least_squares(matrix, rows, columns, TOL_RANK, right);
    return real_all_finite(right, columns);
}

void second_class_multipliers(SecondClass *second_class, double *x)
{
    const KktProblem *problem = &second_class->problem;
    KktProblem linear = second_class_linearize(second_class, x);
    size_t n = second_class->eq->n, count = linear.row_count;
    Arena *arena = arena_new();
    double *matrix = real_alloc(arena, n * count), *right = real_alloc(arena, n + count);
    memcpy(matrix, linear.rows, n * count * sizeof *matrix);
    for (size_t i = 0; i < n; i++)
        right[i] = real_dot(problem->inertia + i * n, x, n) - problem->force[i];
    if (second_class->energy)
        real_add_times(1, slopes_of(second_class), n, right);
    bool found = count > 0 && second_class_least_squares(matrix, n, count, right);
    for (size_t i = 0; i < count; i++)
        x[n + i] = found ? right[i] : 0;
    second_class_evaluate(second_class, x);
    arena_free(arena);
}

// ---- Hooks.

// The stationary point that is followed, in the place of what the rows alone give.
static DynamicsOutcome follow(const Equations *eq, State *state)
{
    SecondClass *second_class = state->second_class;
    if (!second_class->follows)
        return DYNAMICS_FOUND;
    size_t size = second_class_size(second_class);
    memcpy(second_class->trial, second_class->x, size * sizeof(double));
    if (!second_class_newton(second_class, second_class->trial))
        return DYNAMICS_BRANCH;
    dynamics_put_point(eq, state, second_class->trial, size);
    return DYNAMICS_FOUND;
}

const EquationModule second_class_module = {.prepare = prepare,
                                            .release = release,
                                            .attach = attach,
                                            .problem = remember,
                                            .accelerations = follow};
