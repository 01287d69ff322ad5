// spare_rows.c: the rows of conditions that were set aside, as numbers.
//
// Where such a condition is made of the others with coefficients that depend on the position, it
// may stand for one of them where these become dependent. The motion does not go by it, but it
// tells whether all conditions are dependent there, and whether the motion still keeps them.
#include "dynamics/dynamics.h"
#include "dynamics/equations.h"
#include "dynamics/independent_rows.h"
#include "linalg/real.h"
#include "motion/motion_types.h"

#include <math.h>
#include <string.h>

Status spare_rows_make(Equations *eq, Diag *diag)
{
    const Motion *motion = eq->motion;
    size_t n = eq->n, count = motion->spare_count;
    if (count == 0)
        return STATUS_OK;
    Expr *outputs = base_alloc(count * (n + 2) * sizeof *outputs);
    for (size_t i = 0; i < count; i++) {
        memcpy(outputs + i * (n + 2), motion->spares[i].b, n * sizeof *outputs);
        outputs[i * (n + 2) + n] = motion->spares[i].c;
        outputs[i * (n + 2) + n + 1] = motion->spares[i].gamma;
    }
    Status status = equations_lower(eq, "the constraints hold", outputs, count * (n + 2),
                                    eq->params + 1 + 2 * n, diag, &eq->spares);
    base_free(outputs);
    return status;
}

void spare_rows_evaluate(const Equations *eq, State *state, double *rows)
{
    size_t n = eq->n, count = eq->motion->spare_count;
    Arena *arena = arena_new();
    Evaluator spares;
    evaluator_share(&eq->spares, arena, &spares);
    evaluator_run(&spares, state->inputs);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < n + 2; j++)
            rows[i * (n + 2) + j] = spares.out[i * (n + 2) + j] * (j < n ? state->scale[j] : 1);
    arena_free(arena);
}

double spare_rows_miss(const Equations *eq, State *state)
{
    size_t n = eq->n, count = eq->motion->spare_count;
    double *rows = base_alloc((count * (n + 2) + 1) * sizeof *rows), worst = 0;
    spare_rows_evaluate(eq, state, rows);
    for (size_t i = 0; i < count; i++) {
        const double *row = rows + i * (n + 2);
        double sum = row[n], size = fabs(row[n]);
        for (size_t j = 0; j < n; j++) {
            double term = row[j] * state->v[j] / state->scale[j];
            sum += term;
            size = fmax(size, fabs(term));
        }
        worst = size > 0 ? fmax(worst, fabs(sum) / size) : worst;
    }
    base_free(rows);
    return worst;
}
