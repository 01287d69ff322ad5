// simulation_values.c: what a simulation is asked for: options, columns, start, state, formulas.
#include "dynamics/equations_types.h"
#include "dynamics/motion_formulas.h"
#include "dynamics/system_functions.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulate.h"
#include "simulate/simulation_impl.h"

#include <assert.h>
#include <string.h>

RunOptions run_settings(const Simulation *sim)
{
    return sim->settings;
}

size_t run_column_count(const Simulation *sim)
{
    return sim->base->columns->count;
}

const char *run_column_name(const Simulation *sim, size_t column)
{
    assert(column < sim->base->columns->count);
    return sim->base->columns->names[column];
}

RowPart run_column_part(const Simulation *sim, size_t column)
{
    const Columns *columns = sim->base->columns;
    assert(column < columns->count);
    if (column <= (columns->speeds_at - 1) / 2)
        return ROW_COORDINATES;
    if (column < columns->speeds_at)
        return ROW_VELOCITIES;
    return columns->kinematic[column] ? ROW_KINEMATIC : ROW_WHOLE;
}

void run_row_state(const Simulation *sim, const double *row, double *q, double *v)
{
    const Columns *columns = sim->base->columns;
    size_t states = sim->motion->model->rated_count, n = sim->motion->n - states;
    if (q) {
        memcpy(q, row + 1, n * sizeof *q);
        memcpy(q + n, row + columns->states_at, states * sizeof *q);
    }
    if (v) {
        memcpy(v, row + 1 + n, n * sizeof *v);
        memcpy(v + n, row + columns->rates_at, states * sizeof *v);
    }
}

RunStart run_start(const Simulation *sim)
{
    return sim->start;
}

RunState run_state(const Simulation *sim)
{
    // What holds unilateral conditions has the same symbols in the same order.
    const State *told = sim->told ? sim->told : sim->base->state;
    return (RunState){sim->base->eq->symbols, told->inputs, sim->base->eq->input_count};
}

Status run_formulas(Simulation *sim, bool fixed, bool whole, Diag *diag, RunFormulasRoom **room,
                    RunFormulas *formulas)
{
    return motion_formulas(sim->base->eq, sim->base->state, sim->motion, fixed, whole, diag, room,
                           formulas);
}

Status run_functions(Simulation *sim, bool velocities, Diag *diag, SystemFunctions **functions)
{
    return functions_new(sim->base->eq, sim->base->state, sim->motion, velocities, diag, functions);
}
