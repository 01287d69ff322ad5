// system_matrices.c: the inertia, the forces and the equations of a motion as sparse numbers, in
// one program.
//
// What vanishes as an expression is not there; the rest keeps its place from state to state.
#include "dynamics/system_matrices.h"

#include <math.h>

// The places of a row's entries, and the entries onto `outputs`.
static size_t take_row(const ExprPool *pool, const Expr *row, size_t n, uint32_t *columns,
                       Expr *outputs)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (expr_is_zero(pool, row[i]))
            continue;
        columns[count] = (uint32_t)i;
        outputs[count++] = row[i];
    }
    return count;
}

static size_t count_entries(const ExprPool *pool, const Expr *row, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += !expr_is_zero(pool, row[i]);
    return count;
}

// ---- Which equations, in which order.

static const MotionRow *row_of(const SystemMatrices *matrices, size_t i)
{
    const Equations *eq = matrices->eq;
    size_t at = matrices->which[i];
    return at < eq->independent.count ? &eq->motion->rows[eq->independent.rows[at]]
                                      : &eq->motion->seconds[at - eq->independent.count].row;
}

static bool is_second(const SystemMatrices *matrices, size_t i)
{
    return matrices->which[i] >= matrices->eq->independent.count;
}

static void choose_rows(SystemMatrices *matrices)
{
    const Equations *eq = matrices->eq;
    size_t all = eq->independent.count + eq->motion->affine_count;
    matrices->which = base_alloc((all + 1) * sizeof *matrices->which);
    for (int kept = 0; kept < 2; kept++) {
        for (size_t i = 0; i < all; i++) {
            matrices->which[matrices->m] = i;
            matrices->m += (row_of(matrices, matrices->m)->servo != NULL) == kept;
        }
        matrices->ideal = kept ? matrices->ideal : matrices->m;
    }
}

const ModelConstraint *matrices_condition(const SystemMatrices *matrices, size_t row)
{
    return row_of(matrices, row)->constraint;
}

// All at once: nodes that they share are seen once.
static bool hold_velocities(const Motion *motion, const Expr *exprs, size_t count)
{
    ExprList symbols = expr_symbols(motion->pool, exprs, count);
    bool found = false;
    for (size_t i = 0; i < symbols.count && !found; i++)
        for (size_t nu = 0; nu < motion->n && !found; nu++)
            found = symbols.at[i] == motion->v[nu].at;
    expr_list_free(&symbols);
    return found;
}

static void find_bent(SystemMatrices *matrices, const Expr *matrix)
{
    const Motion *motion = matrices->eq->motion;
    matrices->bent_rows = base_alloc((matrices->m + 1) * sizeof *matrices->bent_rows);
    matrices->bent = hold_velocities(motion, matrix, matrices->n * matrices->n);
    for (size_t i = 0; i < matrices->m; i++) {
        const MotionRow *row = row_of(matrices, i);
        matrices->bent_rows[i] = !row->linear && hold_velocities(motion, row->b, matrices->n);
        matrices->bent = matrices->bent || (i < matrices->ideal && matrices->bent_rows[i]);
    }
}

bool matrices_do_work(const SystemMatrices *matrices)
{
    bool works = matrices->bent;
    for (size_t i = 0; i < matrices->m; i++)
        works = works || is_second(matrices, i);
    return works;
}

// ---- Their numbers.

// The rows b, or d, onto `outputs`; how many numbers they are.
static size_t list_rows(const SystemMatrices *matrices, bool directions, uint32_t *first,
                        uint32_t *columns, Expr *outputs)
{
    size_t entries = 0;
    for (size_t i = 0; i < matrices->m; i++) {
        const MotionRow *row = row_of(matrices, i);
        first[i] = (uint32_t)entries;
        entries += take_row(matrices->eq->motion->pool, directions ? row->d : row->b, matrices->n,
                            columns + entries, outputs + entries);
    }
    first[matrices->m] = (uint32_t)entries;
    return entries;
}

// All outputs; returns how many.
static size_t list_outputs(SystemMatrices *matrices, Motion *motion, const Expr *matrix,
                           Expr *outputs)
{
    size_t n = matrices->n, at = 0;
    for (size_t i = 0; i < n; i++) {
        matrices->inertia_first[i] = (uint32_t)at;
        at +=
            take_row(motion->pool, matrix + i * n, n, matrices->inertia_column + at, outputs + at);
    }
    matrices->inertia_first[n] = (uint32_t)at;
    at += list_rows(matrices, false, matrices->row_first, matrices->row_column, outputs + at);
    if (matrices->ideal < matrices->m)
        at += list_rows(matrices, true, matrices->direction_first, matrices->direction_column,
                        outputs + at);
    motion_bias(motion, outputs + at);
    at += n;
    for (size_t i = 0; i < matrices->m; i++) {
        outputs[at + i] = row_of(matrices, i)->c;
        outputs[at + matrices->m + i] = row_of(matrices, i)->gamma;
    }
    return at + 2 * matrices->m;
}

static Status lower(SystemMatrices *matrices, const Expr *outputs, size_t count, Diag *diag)
{
    const Equations *eq = matrices->eq;
    Expr missing = {0};
    if (evaluator_init(&matrices->program, eq->motion->pool, eq->symbols,
                       eq->params + 1 + 2 * matrices->n, outputs, count, &missing))
        return STATUS_OK;
    return diag_error(diag, place_none(),
                      "the equations of motion hold '%s', which has no value in a run",
                      expr_name(eq->motion->pool, missing));
}

// Where the program leaves what.
static void find_places(SystemMatrices *matrices)
{
    const double *out = matrices->program.out;
    size_t n = matrices->n, m = matrices->m;
    matrices->inertia = (SparseRows){n, matrices->inertia_first, matrices->inertia_column, out};
    out += matrices->inertia_first[n];
    matrices->rows = (SparseRows){m, matrices->row_first, matrices->row_column, out};
    out += matrices->row_first[m];
    if (matrices->ideal < m) {
        matrices->directions =
            (SparseRows){m, matrices->direction_first, matrices->direction_column, out};
        out += matrices->direction_first[m];
    }
    matrices->bias = out;
    matrices->given = out + n;
    matrices->gamma = matrices->given + m;
}

static uint32_t *places(size_t count)
{
    return base_alloc((count + 1) * sizeof(uint32_t));
}

Status matrices_init(SystemMatrices *matrices, const Equations *eq, State *state, Motion *motion,
                     Diag *diag)
{
    size_t n = eq->n, entries = 0, row_entries = 0, direction_entries = 0;
    *matrices = (SystemMatrices){.eq = eq, .state = state, .n = n};
    choose_rows(matrices);
    Expr *matrix = base_alloc((n * n + 1) * sizeof *matrix);
    motion_mass_matrix(motion, matrix);
    entries = count_entries(motion->pool, matrix, n * n);
    for (size_t i = 0; i < matrices->m; i++) {
        row_entries += count_entries(motion->pool, row_of(matrices, i)->b, n);
        direction_entries += count_entries(motion->pool, row_of(matrices, i)->d, n);
    }
    find_bent(matrices, matrix);
    matrices->inertia_first = places(n);
    matrices->inertia_column = places(entries);
    matrices->row_first = places(matrices->m);
    matrices->row_column = places(row_entries);
    matrices->direction_first = places(matrices->m);
    matrices->direction_column = places(direction_entries);
    matrices->c = base_alloc((matrices->m + 1) * sizeof(double));
    matrices->force = base_alloc((n + 1) * sizeof(double));
    size_t most = entries + row_entries + direction_entries + n + 2 * matrices->m;
    Expr *outputs = base_alloc((most + 1) * sizeof *outputs);
    size_t count = list_outputs(matrices, motion, matrix, outputs);
    Status status = lower(matrices, outputs, count, diag);
    if (status == STATUS_OK)
        find_places(matrices);
    base_free(matrix);
    base_free(outputs);
    return status;
}

void matrices_clear(SystemMatrices *matrices)
{
    evaluator_clear(&matrices->program);
    base_free(matrices->which);
    base_free(matrices->bent_rows);
    base_free(matrices->inertia_first);
    base_free(matrices->inertia_column);
    base_free(matrices->row_first);
    base_free(matrices->row_column);
    base_free(matrices->direction_first);
    base_free(matrices->direction_column);
    base_free(matrices->c);
    base_free(matrices->force);
    *matrices = (SystemMatrices){0};
}

double matrices_row_times(const SystemMatrices *matrices, size_t row, const double *v,
                          double *terms)
{
    double sum = 0;
    *terms = fabs(matrices->c[row]);
    for (uint32_t at = matrices->rows.first[row]; at < matrices->rows.first[row + 1]; at++) {
        double term = matrices->rows.value[at] * v[matrices->rows.column[at]];
        sum += term;
        *terms += fabs(term);
    }
    return sum;
}

void matrices_evaluate(SystemMatrices *matrices)
{
    double terms;
    evaluator_run(&matrices->program, matrices->state->inputs);
    for (size_t i = 0; i < matrices->n; i++)
        matrices->force[i] = -matrices->bias[i];
    for (size_t i = 0; i < matrices->m; i++)
        matrices->c[i] = is_second(matrices, i)
                             ? -matrices_row_times(matrices, i, matrices->state->v, &terms)
                             : matrices->given[i];
}

void matrices_add_momentum(const SystemMatrices *matrices, const double *v, double *sum)
{
    for (size_t i = 0; i < matrices->n; i++)
        for (uint32_t at = matrices->inertia.first[i]; at < matrices->inertia.first[i + 1]; at++)
            sum[i] += matrices->inertia.value[at] * v[matrices->inertia.column[at]];
}
