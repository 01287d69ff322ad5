// instant_numbers.c: an instant as numbers in a result.
#include "api/api_impl.h"
#include "api/numbers_impl.h"
#include "api/result_impl.h"
#include "model/constraint.h"
#include "simulate/instant.h"
#include "simulate/run_start.h"

#include <math.h>

// The row of a condition in force; m where it has none, because it holds accelerations.
static size_t row_of(const Motion *motion, const ModelConstraint *constraint)
{
    size_t row = 0;
    while (row < motion->m && motion->rows[row].constraint != constraint)
        row++;
    return row;
}

static void put_conditions(const Motion *motion, const RunInstant *instant, zw_result *result,
                           zw_instant *told)
{
    size_t count = told->condition_count = motion->in_force_count;
    const char **names = arena_array(result->arena, const char *, count + 1);
    double *powers = arena_array(result->arena, double, count + 1);
    bool *redundant = arena_array(result->arena, bool, count + 1);
    for (size_t i = 0; i < count; i++) {
        size_t row = row_of(motion, motion->in_force[i]);
        names[i] = result_copy(result, motion->in_force[i]->name);
        powers[i] = row < motion->m ? instant->powers[row] : NAN;
        redundant[i] = row < motion->m && instant->redundant[row];
    }
    told->conditions = names;
    told->powers = powers;
    told->redundant = redundant;
}

static void put_sides(const RunSides *sides, zw_result *result, zw_instant *told)
{
    size_t count = told->side_count = sides->count;
    const char **names = arena_array(result->arena, const char *, count + 1);
    double *values = arena_array(result->arena, double, 3 * count + 1);
    bool *acts = arena_array(result->arena, bool, count + 1);
    for (size_t i = 0; i < count; i++) {
        const RunSide *side = &sides->at[i];
        names[i] = result_copy(result, side->constraint->name);
        values[i] = side->f;
        values[count + i] = side->rate;
        values[2 * count + i] = side->lambda;
        acts[i] = side->acts;
    }
    told->sides = names;
    told->side_values = values;
    told->side_rates = values + count;
    told->side_multipliers = values + 2 * count;
    told->side_acts = acts;
}

void result_put_instant(const Motion *motion, const RunStart *start, const RunInstant *instant,
                        zw_result *result)
{
    const Model *model = motion->model;
    zw_instant *told = arena_alloc(result->arena, sizeof *told);
    size_t n = told->coordinate_count = model->coords.count;
    told->speed_count = model->speeds.count;
    told->output_count = model->outputs.count;
    const char **names =
        arena_array(result->arena, const char *, n + told->speed_count + told->output_count + 1);
    told->coordinates = names;
    for (size_t i = 0; i < n; i++)
        *names++ = result_copy(result, model->coords.at[i].name);
    told->speed_names = names;
    for (size_t i = 0; i < told->speed_count; i++)
        *names++ = result_copy(result, model->speeds.at[i].name);
    told->output_names = names;
    for (size_t i = 0; i < told->output_count; i++)
        *names++ = result_copy(result, model->outputs.at[i].name);
    told->q = result_numbers(result, start->q, n);
    told->v = result_numbers(result, start->v, n);
    told->a = result_numbers(result, start->a, n);
    told->free = instant->has_free ? result_numbers(result, instant->free, n) : NULL;
    told->speeds = result_numbers(result, instant->speeds, told->speed_count);
    told->outputs = result_numbers(result, instant->outputs, told->output_count);
    told->multipliers = result_numbers(result, start->lambda, motion->in_force_count);
    told->kinetic = instant->has_energy ? instant->T : NAN;
    told->potential = instant->has_energy ? instant->U : NAN;
    told->gauss = instant->has_free ? instant->constraint : NAN;
    told->rank = instant->rank;
    told->conditioning = instant->conditions;
    told->inertia_conditioning = instant->inertia;
    put_conditions(motion, instant, result, told);
    put_sides(&instant->sides, result, told);
    result->instant = told;
}
