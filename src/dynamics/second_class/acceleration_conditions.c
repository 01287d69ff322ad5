// acceleration_conditions.c: conditions of the second class as numbers: rows, and Newton's method.
//
// With 𝓜a − bᵀμ − Σ λ ∂f/∂a = K − h, b·a = −γ and f(a) = 0 in the unknowns (a, μ, λ) a stationary
// point of Gauss's function on f = 0 is a root (Hamel 252). At a regular one that is not degenerate
// the derivatives are a regular matrix.
#include "dynamics/second_class/second_class.h"

#include <math.h>
#include <string.h>

// Steps of Newton; when a step is this small against x the next would be rounding.
#define MOST_NEWTON 50
#define ARRIVED     1e-13
// What may be left where rounding lets no step become as small as that.
#define NEARLY 1e-9

static double *room(size_t count)
{
    return base_alloc((count + 1) * sizeof(double));
}

// ---- Programs.

static Status lower(const Equations *eq, const Expr *outputs, size_t count, size_t inputs,
                    Diag *diag, Evaluator *evaluator)
{
    Expr missing = {0};
    if (evaluator_init(evaluator, eq->motion->pool, eq->symbols, inputs, outputs, count, &missing))
        return STATUS_OK;
    return diag_error(diag, place_none(),
                      "a constraint on accelerations holds '%s', which has no value in a run",
                      expr_name(eq->motion->pool, missing));
}

static Status lower_rows(SecondClass *second_class, Diag *diag)
{
    const Equations *eq = second_class->eq;
    const MotionSecond *at = eq->motion->seconds;
    size_t n = eq->n, count = second_class->affine;
    Expr *outputs = base_alloc((count * (n + 1) + 1) * sizeof *outputs);
    for (size_t i = 0; i < count; i++) {
        memcpy(outputs + i * n, at[i].row.b, n * sizeof *outputs);
        outputs[count * n + i] = at[i].row.gamma;
    }
    Status status =
        lower(eq, outputs, count * (n + 1), eq->params + 1 + 2 * n, diag, &second_class->rows);
    base_free(outputs);
    return status;
}

// Σ λ g by each coordinate.
static void reactions(const SecondClass *second_class, Expr *out)
{
    const Motion *motion = second_class->eq->motion;
    Expr *terms = base_alloc((second_class->curved + 1) * sizeof *terms);
    for (size_t nu = 0; nu < motion->n; nu++) {
        for (size_t i = 0; i < second_class->curved; i++) {
            const MotionRow *row = &motion->seconds[second_class->affine + i].row;
            terms[i] = expr_mul(motion->pool, row->constraint->lambda, row->b[nu]);
        }
        out[nu] = expr_sum(motion->pool, terms, second_class->curved);
    }
    base_free(terms);
}

static Status lower_curved(SecondClass *second_class, Diag *diag)
{
    const Equations *eq = second_class->eq;
    const Motion *motion = eq->motion;
    size_t n = eq->n, s = second_class->curved, at = s + s * n;
    Expr *outputs = base_alloc((at + n * n + n + 1) * sizeof *outputs);
    Expr *pushes = outputs + at + n * n;
    reactions(second_class, pushes);
    for (size_t i = 0; i < s; i++) {
        const MotionSecond *second = &motion->seconds[second_class->affine + i];
        outputs[i] = second->f;
        memcpy(outputs + s + i * n, second->row.b, n * sizeof *outputs);
    }
    for (size_t nu = 0; nu < n; nu++)
        expr_gradient(motion->pool, pushes[nu], motion->a, n, outputs + at + nu * n);
    Status status = lower(eq, outputs, at + n * n, eq->input_count, diag, &second_class->local);
    memcpy(outputs + s, pushes, n * sizeof *outputs);
    if (status == STATUS_OK)
        status = lower(eq, outputs, s + n, eq->input_count, diag, &second_class->implicit);
    base_free(outputs);
    return status;
}

Status second_class_new(const Equations *eq, State *state, Diag *diag)
{
    const Motion *motion = eq->motion;
    size_t n = motion->n, rows = motion->m + motion->affine_count;
    if (motion->second_count == 0)
        return STATUS_OK;
    SecondClass *second_class = base_alloc(sizeof *second_class);
    state->second_class = second_class;
    *second_class = (SecondClass){.eq = eq,
                                  .state = state,
                                  .affine = motion->affine_count,
                                  .curved = motion->second_count - motion->affine_count,
                                  .size = n + rows + motion->second_count - motion->affine_count};
    second_class->packed = room(rows * (2 * n + 1));
    second_class->inputs = room(eq->input_count);
    second_class->x = room(second_class->size);
    second_class->step = room(second_class->size);
    second_class->trial = room(second_class->size);
    second_class->matrix = room(second_class->size * second_class->size);
    second_class->pivots = base_alloc((second_class->size + 1) * sizeof *second_class->pivots);
    TRY(lower_rows(second_class, diag));
    return second_class->curved > 0 ? lower_curved(second_class, diag) : STATUS_OK;
}

void second_class_free(SecondClass *second_class)
{
    if (!second_class)
        return;
    evaluator_clear(&second_class->rows);
    evaluator_clear(&second_class->local);
    evaluator_clear(&second_class->implicit);
    branch_question_free(second_class->question);
    base_free(second_class->packed);
    base_free(second_class->inputs);
    base_free(second_class->x);
    base_free(second_class->step);
    base_free(second_class->trial);
    base_free(second_class->matrix);
    base_free(second_class->pivots);
    base_free(second_class);
}

// ---- Rows.

void second_class_append(SecondClass *second_class, const double *inputs, KktProblem *problem)
{
    size_t n = second_class->eq->n, before = problem->row_count,
           count = before + second_class->affine;
    double *drift = second_class->packed + count * n;
    evaluator_run(&second_class->rows, inputs);
    memcpy(second_class->packed, problem->rows, before * n * sizeof *drift);
    memcpy(drift, problem->drift, before * sizeof *drift);
    memcpy(second_class->packed + before * n, second_class->rows.out,
           second_class->affine * n * sizeof *drift);
    memcpy(drift + before, second_class->rows.out + second_class->affine * n,
           second_class->affine * sizeof *drift);
    // Theirs are ideal, whatever keeps the others.
    double *directions = drift + count;
    if (problem->directions) {
        memcpy(directions, problem->directions, before * n * sizeof *directions);
        memcpy(directions + before * n, second_class->rows.out,
               second_class->affine * n * sizeof *directions);
        problem->directions = directions;
    }
    problem->rows = second_class->packed;
    problem->drift = drift;
    problem->row_count = count;
}

double second_class_reaction(const SecondClass *second_class, const double *lambda, size_t nu)
{
    size_t n = second_class->eq->n;
    double sum = 0;
    for (size_t i = 0; i < second_class->affine; i++)
        sum += lambda[i] * second_class->rows.out[i * n + nu];
    for (size_t i = 0; i < second_class->curved; i++)
        sum += lambda[second_class->affine + i] *
               second_class->local.out[second_class->curved + i * n + nu];
    return sum;
}

// ---- Newton.

size_t second_class_size(const SecondClass *second_class, const KktProblem *problem)
{
    return second_class->eq->n + problem->row_count + second_class->curved;
}

void second_class_evaluate(SecondClass *second_class, const KktProblem *problem,
                           const double *inputs, const double *x)
{
    const Equations *eq = second_class->eq;
    const Motion *motion = eq->motion;
    size_t n = eq->n, given = eq->params + 1 + 2 * n;
    const ModelConstraint *first = motion->model->constraints.at;
    memcpy(second_class->inputs, inputs, given * sizeof *inputs);
    memcpy(second_class->inputs + given, x, n * sizeof *x);
    for (size_t i = 0; i < second_class->curved; i++) {
        const ModelConstraint *own = motion->seconds[second_class->affine + i].row.constraint;
        second_class->inputs[given + n + (size_t)(own - first)] = x[n + problem->row_count + i];
    }
    evaluator_run(&second_class->local, second_class->inputs);
}

void second_class_matrix(const SecondClass *second_class, const KktProblem *problem, double *matrix)
{
    size_t n = second_class->eq->n, m = problem->row_count, s = second_class->curved,
           size = n + m + s;
    const double *g = second_class->local.out + s, *H = g + s * n;
    memset(matrix, 0, size * size * sizeof *matrix);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            matrix[i * size + j] = problem->inertia[i * n + j] - H[i * n + j];
    for (size_t i = 0; i < m + s; i++) {
        const double *row = i < m ? problem->rows + i * n : g + (i - m) * n;
        for (size_t j = 0; j < n; j++) {
            matrix[(n + i) * size + j] = row[j];
            matrix[j * size + n + i] = -row[j];
        }
    }
}

// What the equations miss, with the sign changed.
static void misses(const SecondClass *second_class, const KktProblem *problem, const double *x,
                   double *right)
{
    size_t n = second_class->eq->n, m = problem->row_count, s = second_class->curved;
    const double *f = second_class->local.out, *g = f + s;
    for (size_t i = 0; i < n; i++) {
        right[i] = problem->force[i];
        for (size_t j = 0; j < n; j++)
            right[i] -= problem->inertia[i * n + j] * x[j];
        for (size_t j = 0; j < m + s; j++)
            right[i] += (j < m ? problem->rows[j * n + i] : g[(j - m) * n + i]) * x[n + j];
    }
    for (size_t i = 0; i < m; i++) {
        right[n + i] = -problem->drift[i];
        for (size_t j = 0; j < n; j++)
            right[n + i] -= problem->rows[i * n + j] * x[j];
    }
    for (size_t i = 0; i < s; i++)
        right[n + m + i] = -f[i];
}

// A step of Newton in `step`; its size against x, infinite where there is none.
static double find_step(SecondClass *second_class, const KktProblem *problem, const double *inputs,
                        const double *x)
{
    size_t n = second_class->eq->n, size = second_class_size(second_class, problem);
    lapack_int order = (lapack_int)size;
    second_class_evaluate(second_class, problem, inputs, x);
    misses(second_class, problem, x, second_class->step);
    second_class_matrix(second_class, problem, second_class->matrix);
    if (!real_all_finite(second_class->matrix, size * size) ||
        !real_all_finite(second_class->step, size) ||
        LAPACKE_dgesv_work(LAPACK_ROW_MAJOR, order, 1, second_class->matrix, order,
                           second_class->pivots, second_class->step, 1) != 0 ||
        !real_all_finite(second_class->step, size))
        return INFINITY;
    // Where the conditions stop all motion it is measured by what would be without them.
    double change = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
        double inertia = fabs(problem->inertia[i * n + i]);
        double free = inertia > 0 ? fabs(problem->force[i]) / inertia : 0;
        change = fmax(change, fabs(second_class->step[i]));
        largest = fmax(largest, fmax(fabs(x[i]), free));
    }
    return change > 0 ? change / largest : 0;
}

bool second_class_newton(SecondClass *second_class, const KktProblem *problem, const double *inputs,
                         double *x)
{
    size_t size = second_class_size(second_class, problem);
    double former = INFINITY;
    for (int round = 0; round < MOST_NEWTON; round++) {
        double change = find_step(second_class, problem, inputs, x);
        if (!isfinite(change))
            return false;
        // Rounding: steps that no longer become smaller.
        if (former <= NEARLY && change >= former / 2)
            break;
        for (size_t i = 0; i < size; i++)
            x[i] += second_class->step[i];
        former = change;
        if (change <= ARRIVED)
            break;
    }
    second_class_evaluate(second_class, problem, inputs, x);
    return former <= NEARLY;
}

void second_class_multipliers(SecondClass *second_class, const KktProblem *problem,
                              const double *inputs, double *x)
{
    size_t n = second_class->eq->n, m = problem->row_count, s = second_class->curved, count = m + s;
    lapack_int rank = 0, rows = (lapack_int)n, columns = (lapack_int)count;
    size_t longer = n > count ? n : count;
    second_class_evaluate(second_class, problem, inputs, x);
    const double *g = second_class->local.out + s;
    double *matrix = room(n * count), *right = room(longer), *singular = room(longer);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < n; i++)
            matrix[j * n + i] = j < m ? problem->rows[j * n + i] : g[(j - m) * n + i];
    for (size_t i = 0; i < n; i++) {
        right[i] = -problem->force[i];
        for (size_t j = 0; j < n; j++)
            right[i] += problem->inertia[i * n + j] * x[j];
    }
    memset(x + n, 0, count * sizeof *x);
    if (real_all_finite(matrix, n * count) && real_all_finite(right, n) &&
        LAPACKE_dgelsd(LAPACK_COL_MAJOR, rows, columns, 1, matrix, rows, right, (lapack_int)longer,
                       singular, 1e-12, &rank) == 0)
        memcpy(x + n, right, count * sizeof *x);
    second_class_evaluate(second_class, problem, inputs, x);
    base_free(matrix);
    base_free(right);
    base_free(singular);
}
