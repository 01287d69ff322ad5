// lasting_rows.c: conditions that are independent at every position.
//
// A row with a constant entry in a column that no other row holds stands off all others, wherever
// the motion goes; it is put aside, and the same is asked of those that are left. Rolling without
// slipping is so, and whatever else gives the velocity of a coordinate by the others.
#include "dynamics/dense_forces.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations_types.h"
#include "dynamics/independent_rows.h"
#include "dynamics/pattern.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <math.h>

typedef struct {
    const Equations *eq;
    uint32_t *held;  // n: how many of the rows that are left hold each column
    size_t *columns; // m: by which a row stands off; n: it is left
} Peeling;

// A row with such a column, of those that are left.
static bool stands_off(const Peeling *peeling, size_t row, size_t *column)
{
    const Equations *eq = peeling->eq;
    const Pattern *filled = &eq->patterns->velocity;
    for (uint32_t at = filled->begins[row]; at < filled->begins[row + 1]; at++) {
        *column = filled->places[at];
        if (peeling->held[*column] == 1 &&
            equations_are_constant(eq, &eq->motion->rows[row].b[*column], 1))
            return true;
    }
    return false;
}

void lasting_rows_find(Equations *eq)
{
    const Pattern *filled = &eq->patterns->velocity;
    Peeling peeling = {eq, arena_array(eq->arena, uint32_t, eq->n + 1),
                       arena_array(eq->arena, size_t, eq->m + 1)};
    size_t left = eq->m, former;
    for (size_t i = 0; i < eq->m; i++)
        peeling.columns[i] = eq->n;
    for (uint32_t at = 0; at < filled->begins[eq->m]; at++)
        peeling.held[filled->places[at]]++;
    do {
        former = left;
        for (size_t i = 0; i < eq->m; i++) {
            size_t column;
            if (peeling.columns[i] < eq->n || !stands_off(&peeling, i, &column))
                continue;
            peeling.columns[i] = column;
            for (uint32_t at = filled->begins[i]; at < filled->begins[i + 1]; at++)
                peeling.held[filled->places[at]]--;
            left--;
        }
    } while (left > 0 && left < former);
    // What events set is constant for a while only.
    bool lasts = left == 0 && eq->motion->model->state_count == 0;
    eq->patterns->lasting_columns = lasts ? peeling.columns : NULL;
}

bool independent_rows_last(const Equations *eq, State *state)
{
    if (!eq->patterns->lasting_columns)
        return false;
    bool last = true;
    evaluator_run(&state->velocities, state->inputs);
    for (size_t i = 0; i < eq->m && last; i++) {
        const double *row = state->velocities.out + i * eq->n;
        last = fabs(row[eq->patterns->lasting_columns[i]]) > TOL_COARSE * real_largest(row, eq->n);
    }
    return last;
}
