// many.c: the inertia, the forces and the equations of a motion as sparse numbers, in one program.
//
// What vanishes as an expression is not there; the rest keeps its place from state to state.
#include "run/many_impl.h"

#include <string.h>

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

static const MotionRow *needed_row(const Many *many, size_t i)
{
    return &many->numbers->motion->rows[many->numbers->needed_rows[i]];
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
    size_t entries = 0;
    for (size_t i = 0; i < many->m; i++) {
        many->row_first[i] = (uint32_t)entries;
        size_t count = take_row(motion->pool, needed_row(many, i)->b, n, many->row_column + entries,
                                outputs + at);
        entries += count;
        at += count;
    }
    many->row_first[many->m] = (uint32_t)entries;
    motion_bias(motion, outputs + at);
    at += n;
    for (size_t i = 0; i < many->m; i++) {
        outputs[at + i] = needed_row(many, i)->c;
        outputs[at + many->m + i] = needed_row(many, i)->gamma;
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
    many->inertia = (GaussRows){n, many->inertia_first, many->inertia_column, out};
    out += many->inertia_first[n];
    many->rows = (GaussRows){m, many->row_first, many->row_column, out};
    out += many->row_first[m];
    many->bias = out;
    many->c = out + n;
    many->gamma = many->c + m;
}

Status many_init(Many *many, Numbers *numbers, Motion *motion, Diag *diag)
{
    size_t n = numbers->n, m = numbers->needed, entries = 0, row_entries = 0;
    *many = (Many){.numbers = numbers, .n = n, .m = m};
    Expr *matrix = base_alloc((n * n + 1) * sizeof *matrix);
    motion_mass_matrix(motion, matrix);
    entries = count_entries(motion->pool, matrix, n * n);
    for (size_t i = 0; i < m; i++)
        row_entries += count_entries(motion->pool, needed_row(many, i)->b, n);
    many->inertia_first = base_alloc((n + 1) * sizeof(uint32_t));
    many->inertia_column = base_alloc((entries + 1) * sizeof(uint32_t));
    many->row_first = base_alloc((m + 1) * sizeof(uint32_t));
    many->row_column = base_alloc((row_entries + 1) * sizeof(uint32_t));
    many->force = base_alloc((n + 1) * sizeof(double));
    Expr *outputs = base_alloc((entries + row_entries + n + 2 * m + 1) * sizeof *outputs);
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
    base_free(many->inertia_first);
    base_free(many->inertia_column);
    base_free(many->row_first);
    base_free(many->row_column);
    base_free(many->force);
    *many = (Many){0};
}

void many_evaluate(Many *many)
{
    lowered_run(&many->program, many->numbers->inputs);
    for (size_t i = 0; i < many->n; i++)
        many->force[i] = -many->bias[i];
}

void many_add_momentum(const Many *many, const double *v, double *sum)
{
    for (size_t i = 0; i < many->n; i++)
        for (uint32_t at = many->inertia.first[i]; at < many->inertia.first[i + 1]; at++)
            sum[i] += many->inertia.value[at] * v[many->inertia.column[at]];
}
