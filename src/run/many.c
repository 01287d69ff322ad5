// many.c: the inertia, the forces and the equations of a motion as sparse numbers, in one program.
//
// What vanishes as an expression is not there; the rest keeps its place from state to state.
#include "run/many_impl.h"

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

static const MotionRow *row_of(const Many *many, size_t i)
{
    const Numbers *numbers = many->numbers;
    size_t at = many->which[i];
    return at < numbers->needed ? &numbers->motion->rows[numbers->needed_rows[at]]
                                : &numbers->motion->seconds[at - numbers->needed].row;
}

static bool is_second(const Many *many, size_t i)
{
    return many->which[i] >= many->numbers->needed;
}

static void choose_rows(Many *many)
{
    const Numbers *numbers = many->numbers;
    size_t all = numbers->needed + numbers->motion->affine_count;
    many->which = base_alloc((all + 1) * sizeof *many->which);
    for (int kept = 0; kept < 2; kept++) {
        for (size_t i = 0; i < all; i++) {
            many->which[many->m] = i;
            many->m += (row_of(many, many->m)->servo != NULL) == kept;
        }
        many->ideal = kept ? many->ideal : many->m;
    }
}

const ModelConstraint *many_condition(const Many *many, size_t row)
{
    return row_of(many, row)->constraint;
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

static void find_bent(Many *many, const Expr *matrix)
{
    const Motion *motion = many->numbers->motion;
    many->bent_rows = base_alloc((many->m + 1) * sizeof *many->bent_rows);
    many->bent = hold_velocities(motion, matrix, many->n * many->n);
    for (size_t i = 0; i < many->m; i++) {
        const MotionRow *row = row_of(many, i);
        many->bent_rows[i] = !row->linear && hold_velocities(motion, row->b, many->n);
        many->bent = many->bent || (i < many->ideal && many->bent_rows[i]);
    }
}

bool many_works(const Many *many)
{
    bool works = many->bent;
    for (size_t i = 0; i < many->m; i++)
        works = works || is_second(many, i);
    return works;
}

// ---- Their numbers.

// The rows b, or d, onto `outputs`; how many numbers they are.
static size_t list_rows(const Many *many, bool directions, uint32_t *first, uint32_t *columns,
                        Expr *outputs)
{
    size_t entries = 0;
    for (size_t i = 0; i < many->m; i++) {
        const MotionRow *row = row_of(many, i);
        first[i] = (uint32_t)entries;
        entries += take_row(many->numbers->motion->pool, directions ? row->d : row->b, many->n,
                            columns + entries, outputs + entries);
    }
    first[many->m] = (uint32_t)entries;
    return entries;
}

// All outputs; returns how many.
static size_t list_outputs(Many *many, Motion *motion, const Expr *matrix, Expr *outputs)
{
    size_t n = many->n, at = 0;
    for (size_t i = 0; i < n; i++) {
        many->inertia_first[i] = (uint32_t)at;
        at += take_row(motion->pool, matrix + i * n, n, many->inertia_column + at, outputs + at);
    }
    many->inertia_first[n] = (uint32_t)at;
    at += list_rows(many, false, many->row_first, many->row_column, outputs + at);
    if (many->ideal < many->m)
        at += list_rows(many, true, many->direction_first, many->direction_column, outputs + at);
    motion_bias(motion, outputs + at);
    at += n;
    for (size_t i = 0; i < many->m; i++) {
        outputs[at + i] = row_of(many, i)->c;
        outputs[at + many->m + i] = row_of(many, i)->gamma;
    }
    return at + 2 * many->m;
}

static Status lower(Many *many, const Expr *outputs, size_t count, Diag *diag)
{
    const Numbers *numbers = many->numbers;
    Expr missing = {0};
    if (lowered_init(&many->program, numbers->motion->pool, numbers->symbols,
                     numbers->params + 1 + 2 * many->n, outputs, count, &missing))
        return STATUS_OK;
    return diag_error(diag, place_none(),
                      "the equations of motion hold '%s', which has no value in a run",
                      expr_name(numbers->motion->pool, missing));
}

// Where the program leaves what.
static void find_places(Many *many)
{
    const double *out = many->program.out;
    size_t n = many->n, m = many->m;
    many->inertia = (SparseRows){n, many->inertia_first, many->inertia_column, out};
    out += many->inertia_first[n];
    many->rows = (SparseRows){m, many->row_first, many->row_column, out};
    out += many->row_first[m];
    if (many->ideal < m) {
        many->directions = (SparseRows){m, many->direction_first, many->direction_column, out};
        out += many->direction_first[m];
    }
    many->bias = out;
    many->given = out + n;
    many->gamma = many->given + m;
}

static uint32_t *places(size_t count)
{
    return base_alloc((count + 1) * sizeof(uint32_t));
}

Status many_init(Many *many, Numbers *numbers, Motion *motion, Diag *diag)
{
    size_t n = numbers->n, entries = 0, row_entries = 0, direction_entries = 0;
    *many = (Many){.numbers = numbers, .n = n};
    choose_rows(many);
    Expr *matrix = base_alloc((n * n + 1) * sizeof *matrix);
    motion_mass_matrix(motion, matrix);
    entries = count_entries(motion->pool, matrix, n * n);
    for (size_t i = 0; i < many->m; i++) {
        row_entries += count_entries(motion->pool, row_of(many, i)->b, n);
        direction_entries += count_entries(motion->pool, row_of(many, i)->d, n);
    }
    find_bent(many, matrix);
    many->inertia_first = places(n);
    many->inertia_column = places(entries);
    many->row_first = places(many->m);
    many->row_column = places(row_entries);
    many->direction_first = places(many->m);
    many->direction_column = places(direction_entries);
    many->c = base_alloc((many->m + 1) * sizeof(double));
    many->force = base_alloc((n + 1) * sizeof(double));
    size_t most = entries + row_entries + direction_entries + n + 2 * many->m;
    Expr *outputs = base_alloc((most + 1) * sizeof *outputs);
    size_t count = list_outputs(many, motion, matrix, outputs);
    Status status = lower(many, outputs, count, diag);
    if (status == STATUS_OK)
        find_places(many);
    base_free(matrix);
    base_free(outputs);
    return status;
}

void many_clear(Many *many)
{
    lowered_clear(&many->program);
    base_free(many->which);
    base_free(many->bent_rows);
    base_free(many->inertia_first);
    base_free(many->inertia_column);
    base_free(many->row_first);
    base_free(many->row_column);
    base_free(many->direction_first);
    base_free(many->direction_column);
    base_free(many->c);
    base_free(many->force);
    *many = (Many){0};
}

double many_row_times(const Many *many, size_t row, const double *v, double *terms)
{
    double sum = 0;
    *terms = fabs(many->c[row]);
    for (uint32_t at = many->rows.first[row]; at < many->rows.first[row + 1]; at++) {
        double term = many->rows.value[at] * v[many->rows.column[at]];
        sum += term;
        *terms += fabs(term);
    }
    return sum;
}

void many_evaluate(Many *many)
{
    double terms;
    lowered_run(&many->program, many->numbers->inputs);
    for (size_t i = 0; i < many->n; i++)
        many->force[i] = -many->bias[i];
    for (size_t i = 0; i < many->m; i++)
        many->c[i] = is_second(many, i) ? -many_row_times(many, i, many->numbers->v, &terms)
                                        : many->given[i];
}

void many_add_momentum(const Many *many, const double *v, double *sum)
{
    for (size_t i = 0; i < many->n; i++)
        for (uint32_t at = many->inertia.first[i]; at < many->inertia.first[i + 1]; at++)
            sum[i] += many->inertia.value[at] * v[many->inertia.column[at]];
}
