// seconds.c: conditions of the second class as numbers: rows, and Newton's method.
//
// With 𝓜a − bᵀμ − Σ λ ∂f/∂a = K − h, b·a = −γ and f(a) = 0 in the unknowns (a, μ, λ) a stationary
// point of Gauss's function on f = 0 is a root (Hamel 252). At a regular one that is not degenerate
// the derivatives are a regular matrix.
#include "run/run_impl.h"

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

static Status lower(const Numbers *numbers, const Expr *outputs, size_t count, size_t inputs,
                    Diag *diag, Lowered *lowered)
{
    Expr missing = {0};
    if (lowered_init(lowered, numbers->motion->pool, numbers->symbols, inputs, outputs, count,
                     &missing))
        return STATUS_OK;
    return diag_error(diag, place_none(),
                      "a constraint on accelerations holds '%s', which has no value in a run",
                      expr_name(numbers->motion->pool, missing));
}

static Status lower_rows(Seconds *seconds, Diag *diag)
{
    const Numbers *numbers = seconds->numbers;
    const MotionSecond *at = numbers->motion->seconds;
    size_t n = numbers->n, count = seconds->affine;
    Expr *outputs = base_alloc((count * (n + 1) + 1) * sizeof *outputs);
    for (size_t i = 0; i < count; i++) {
        memcpy(outputs + i * n, at[i].row.b, n * sizeof *outputs);
        outputs[count * n + i] = at[i].row.gamma;
    }
    Status status =
        lower(numbers, outputs, count * (n + 1), numbers->params + 1 + 2 * n, diag, &seconds->rows);
    base_free(outputs);
    return status;
}

// Σ λ g by each coordinate.
static void reactions(const Seconds *seconds, Expr *out)
{
    const Motion *motion = seconds->numbers->motion;
    Expr *terms = base_alloc((seconds->curved + 1) * sizeof *terms);
    for (size_t nu = 0; nu < motion->n; nu++) {
        for (size_t i = 0; i < seconds->curved; i++) {
            const MotionRow *row = &motion->seconds[seconds->affine + i].row;
            terms[i] = expr_mul(motion->pool, row->constraint->lambda, row->b[nu]);
        }
        out[nu] = expr_sum(motion->pool, terms, seconds->curved);
    }
    base_free(terms);
}

static Status lower_curved(Seconds *seconds, Diag *diag)
{
    const Numbers *numbers = seconds->numbers;
    const Motion *motion = numbers->motion;
    size_t n = numbers->n, s = seconds->curved, at = s + s * n;
    Expr *outputs = base_alloc((at + n * n + n + 1) * sizeof *outputs);
    Expr *pushes = outputs + at + n * n;
    reactions(seconds, pushes);
    for (size_t i = 0; i < s; i++) {
        const MotionSecond *second = &motion->seconds[seconds->affine + i];
        outputs[i] = second->f;
        memcpy(outputs + s + i * n, second->row.b, n * sizeof *outputs);
    }
    for (size_t nu = 0; nu < n; nu++)
        expr_gradient(motion->pool, pushes[nu], motion->a, n, outputs + at + nu * n);
    Status status =
        lower(numbers, outputs, at + n * n, numbers->input_count, diag, &seconds->local);
    memcpy(outputs + s, pushes, n * sizeof *outputs);
    if (status == STATUS_OK)
        status = lower(numbers, outputs, s + n, numbers->input_count, diag, &seconds->implicit);
    base_free(outputs);
    return status;
}

Status seconds_new(Numbers *numbers, Diag *diag)
{
    const Motion *motion = numbers->motion;
    size_t n = motion->n, rows = motion->m + motion->affine_count;
    if (motion->second_count == 0)
        return STATUS_OK;
    Seconds *seconds = base_alloc(sizeof *seconds);
    numbers->seconds = seconds;
    *seconds = (Seconds){.numbers = numbers,
                         .affine = motion->affine_count,
                         .curved = motion->second_count - motion->affine_count,
                         .size = n + rows + motion->second_count - motion->affine_count};
    seconds->packed = room(rows * (2 * n + 1));
    seconds->inputs = room(numbers->input_count);
    seconds->x = room(seconds->size);
    seconds->step = room(seconds->size);
    seconds->trial = room(seconds->size);
    seconds->matrix = room(seconds->size * seconds->size);
    seconds->pivots = base_alloc((seconds->size + 1) * sizeof *seconds->pivots);
    TRY(lower_rows(seconds, diag));
    return seconds->curved > 0 ? lower_curved(seconds, diag) : STATUS_OK;
}

void seconds_free(Seconds *seconds)
{
    if (!seconds)
        return;
    lowered_clear(&seconds->rows);
    lowered_clear(&seconds->local);
    lowered_clear(&seconds->implicit);
    branch_question_free(seconds->question);
    base_free(seconds->packed);
    base_free(seconds->inputs);
    base_free(seconds->x);
    base_free(seconds->step);
    base_free(seconds->trial);
    base_free(seconds->matrix);
    base_free(seconds->pivots);
    base_free(seconds);
}

// ---- Rows.

void seconds_append(Seconds *seconds, const double *inputs, KktProblem *problem)
{
    size_t n = seconds->numbers->n, before = problem->row_count, count = before + seconds->affine;
    double *drift = seconds->packed + count * n;
    lowered_run(&seconds->rows, inputs);
    memcpy(seconds->packed, problem->rows, before * n * sizeof *drift);
    memcpy(drift, problem->drift, before * sizeof *drift);
    memcpy(seconds->packed + before * n, seconds->rows.out, seconds->affine * n * sizeof *drift);
    memcpy(drift + before, seconds->rows.out + seconds->affine * n,
           seconds->affine * sizeof *drift);
    // Theirs are ideal, whatever keeps the others.
    double *directions = drift + count;
    if (problem->directions) {
        memcpy(directions, problem->directions, before * n * sizeof *directions);
        memcpy(directions + before * n, seconds->rows.out,
               seconds->affine * n * sizeof *directions);
        problem->directions = directions;
    }
    problem->rows = seconds->packed;
    problem->drift = drift;
    problem->row_count = count;
}

double seconds_reaction(const Seconds *seconds, const double *lambda, size_t nu)
{
    size_t n = seconds->numbers->n;
    double sum = 0;
    for (size_t i = 0; i < seconds->affine; i++)
        sum += lambda[i] * seconds->rows.out[i * n + nu];
    for (size_t i = 0; i < seconds->curved; i++)
        sum += lambda[seconds->affine + i] * seconds->local.out[seconds->curved + i * n + nu];
    return sum;
}

// ---- Newton.

size_t seconds_size(const Seconds *seconds, const KktProblem *problem)
{
    return seconds->numbers->n + problem->row_count + seconds->curved;
}

void seconds_look(Seconds *seconds, const KktProblem *problem, const double *inputs,
                  const double *x)
{
    const Numbers *numbers = seconds->numbers;
    const Motion *motion = numbers->motion;
    size_t n = numbers->n, given = numbers->params + 1 + 2 * n;
    const ModelConstraint *first = motion->model->constraints.at;
    memcpy(seconds->inputs, inputs, given * sizeof *inputs);
    memcpy(seconds->inputs + given, x, n * sizeof *x);
    for (size_t i = 0; i < seconds->curved; i++) {
        const ModelConstraint *own = motion->seconds[seconds->affine + i].row.constraint;
        seconds->inputs[given + n + (size_t)(own - first)] = x[n + problem->row_count + i];
    }
    lowered_run(&seconds->local, seconds->inputs);
}

void seconds_matrix(const Seconds *seconds, const KktProblem *problem, double *matrix)
{
    size_t n = seconds->numbers->n, m = problem->row_count, s = seconds->curved, size = n + m + s;
    const double *g = seconds->local.out + s, *H = g + s * n;
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
static void misses(const Seconds *seconds, const KktProblem *problem, const double *x,
                   double *right)
{
    size_t n = seconds->numbers->n, m = problem->row_count, s = seconds->curved;
    const double *f = seconds->local.out, *g = f + s;
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
static double find_step(Seconds *seconds, const KktProblem *problem, const double *inputs,
                        const double *x)
{
    size_t n = seconds->numbers->n, size = seconds_size(seconds, problem);
    lapack_int order = (lapack_int)size;
    seconds_look(seconds, problem, inputs, x);
    misses(seconds, problem, x, seconds->step);
    seconds_matrix(seconds, problem, seconds->matrix);
    if (!all_finite(seconds->matrix, size * size) || !all_finite(seconds->step, size) ||
        LAPACKE_dgesv_work(LAPACK_ROW_MAJOR, order, 1, seconds->matrix, order, seconds->pivots,
                           seconds->step, 1) != 0 ||
        !all_finite(seconds->step, size))
        return INFINITY;
    // Where the conditions stop all motion it is measured by what would be without them.
    double change = 0, largest = 0;
    for (size_t i = 0; i < n; i++) {
        double inertia = fabs(problem->inertia[i * n + i]);
        double free = inertia > 0 ? fabs(problem->force[i]) / inertia : 0;
        change = fmax(change, fabs(seconds->step[i]));
        largest = fmax(largest, fmax(fabs(x[i]), free));
    }
    return change > 0 ? change / largest : 0;
}

bool seconds_newton(Seconds *seconds, const KktProblem *problem, const double *inputs, double *x)
{
    size_t size = seconds_size(seconds, problem);
    double former = INFINITY;
    for (int round = 0; round < MOST_NEWTON; round++) {
        double change = find_step(seconds, problem, inputs, x);
        if (!isfinite(change))
            return false;
        // Rounding: steps that no longer become smaller.
        if (former <= NEARLY && change >= former / 2)
            break;
        for (size_t i = 0; i < size; i++)
            x[i] += seconds->step[i];
        former = change;
        if (change <= ARRIVED)
            break;
    }
    seconds_look(seconds, problem, inputs, x);
    return former <= NEARLY;
}

void seconds_multipliers(Seconds *seconds, const KktProblem *problem, const double *inputs,
                         double *x)
{
    size_t n = seconds->numbers->n, m = problem->row_count, s = seconds->curved, count = m + s;
    lapack_int rank = 0, rows = (lapack_int)n, columns = (lapack_int)count;
    size_t longer = n > count ? n : count;
    seconds_look(seconds, problem, inputs, x);
    const double *g = seconds->local.out + s;
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
    if (all_finite(matrix, n * count) && all_finite(right, n) &&
        LAPACKE_dgelsd(LAPACK_COL_MAJOR, rows, columns, 1, matrix, rows, right, (lapack_int)longer,
                       singular, 1e-12, &rank) == 0)
        memcpy(x + n, right, count * sizeof *x);
    seconds_look(seconds, problem, inputs, x);
    base_free(matrix);
    base_free(right);
    base_free(singular);
}
