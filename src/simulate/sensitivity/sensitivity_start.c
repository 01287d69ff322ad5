// sensitivity_start.c: how a start, completed by the conditions, changes with what is given.
//
// Without conditions the values are the start. With them the completion is differentiated by
// differences of order 8 at steps far above rounding, which leave about twelve digits.
#include "simulate/sensitivity/sensitivity_impl.h"

#include "base/diag.h"
#include "dynamics/equations.h"
#include "expr/expr.h"
#include "linalg/real.h"
#include "model/model.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The parameters that others give, as programs of all.
typedef struct {
    Evaluator *at; // of each; without a program where it has a number of its own
    size_t count;
} DependentParams;

static Status lower_params(const Sensitivity *own, DependentParams *out, Diag *diag)
{
    const Model *model = own->sim->motion->model;
    *out = (DependentParams){.at = arena_array(own->arena, Evaluator, own->params + 1),
                             .count = own->params};
    for (size_t i = 0; i < own->params; i++)
        if (!expr_is_number(model->pool, model->params.at[i].value))
            TRY(equations_lower(own->sim->base->eq, "a parameter holds", &model->params.at[i].value,
                                1, own->params, diag, &out->at[i]));
    return STATUS_OK;
}

static void params_clear(DependentParams *params)
{
    for (size_t i = 0; i < params->count; i++)
        evaluator_clear(&params->at[i]);
}

// How parameters change with one of them: those that it gives, too. Each is given by earlier ones.
static void find_params(Sensitivity *own, const DependentParams *params, size_t which)
{
    double *out = own->start_params + which * own->params, value;
    if (own->names.at[which].is_start)
        return;
    out[own->names.at[which].index] = 1;
    for (size_t i = 0; i < params->count; i++)
        if (params->at[i].program)
            sensitivity_along(&params->at[i], own->sim->base->state->inputs, out, &value, &out[i]);
}

// How the given values change: they hold parameters alone.
static Status find_values(Sensitivity *own, size_t which, double *shifts, Diag *diag)
{
    const Model *model = own->sim->motion->model;
    size_t count = model->starts.count;
    Expr *values = base_alloc((count + 1) * sizeof *values);
    double *room = base_alloc((count + 1) * sizeof *room);
    for (size_t i = 0; i < count; i++)
        values[i] = model->starts.at[i].value;
    Evaluator evaluator = {0};
    Status status = count == 0 ? STATUS_OK
                               : equations_lower(own->sim->base->eq, "an initial value holds",
                                                 values, count, own->params, diag, &evaluator);
    if (status == STATUS_OK && count > 0)
        sensitivity_along(&evaluator, own->sim->base->state->inputs,
                          own->start_params + which * own->params, room, shifts);
    if (own->names.at[which].is_start)
        shifts[own->names.at[which].index] = 1;
    evaluator_clear(&evaluator);
    base_free(room);
    base_free(values);
    return status;
}

// Whether nothing is to be completed.
static bool is_plain(const Sensitivity *own)
{
    const Model *model = own->sim->motion->model;
    for (size_t i = 0; i < model->starts.count; i++)
        if (model->starts.at[i].of == START_SPEED)
            return false;
    return own->sim->base->eq->m == 0 && own->sim->base->eq->finite == 0;
}

static void put_values(const Sensitivity *own, const double *shifts, double *out)
{
    const Model *model = own->sim->motion->model;
    for (size_t i = 0; i < model->starts.count; i++) {
        const ModelStart *start = &model->starts.at[i];
        out[(start->of == START_VELOCITY ? own->n : 0) + start->target] = shifts[i];
    }
}

// The start where what is differentiated by is moved by so much.
static bool complete(const Sensitivity *own, DependentParams *params, size_t which, double by,
                     double *out)
{
    const Equations *eq = own->sim->base->eq;
    const SensitivityOf *of = &own->names.at[which];
    size_t n = own->n;
    State state;
    Diag *unheard = diag_new();
    state_init(&state, eq);
    memcpy(state.inputs, own->sim->base->state->inputs, own->params * sizeof *out);
    *state.t = own->sim->settings.from;
    if (!of->is_start)
        state.inputs[of->index] += by;
    for (size_t i = 0; i < params->count; i++)
        if (params->at[i].program) {
            evaluator_run(&params->at[i], state.inputs);
            state.inputs[i] = params->at[i].out[0];
        }
    bool found = start_complete_moved(eq, &state, of->is_start ? of->index : SIZE_MAX, by,
                                      unheard) == STATUS_OK;
    memcpy(out, state.q, n * sizeof *out);
    memcpy(out + n, state.v, n * sizeof *out);
    state_clear(&state);
    diag_free(unheard);
    return found;
}

// By differences with this step; *error is how far those of order 6 are off.
static bool difference(const Sensitivity *own, DependentParams *params, size_t which, double step,
                       double *out, double *error)
{
    static const double eighth[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    static const double sixth[] = {3.0 / 4, -3.0 / 20, 1.0 / 60, 0};
    size_t size = 2 * own->n;
    double *room = base_alloc(3 * size * sizeof *room), *other = room + size, *low = other + size;
    bool found = true;
    memset(out, 0, size * sizeof *out);
    for (int k = 1; k <= 4 && found; k++) {
        found = complete(own, params, which, k * step, room) &&
                complete(own, params, which, -k * step, other);
        for (size_t j = 0; j < size && found; j++) {
            out[j] += eighth[k - 1] * (room[j] - other[j]) / step;
            low[j] += sixth[k - 1] * (room[j] - other[j]) / step;
        }
    }
    *error = 0;
    for (size_t j = 0; j < size; j++)
        *error = fmax(*error, fabs(out[j] - low[j]));
    base_free(room);
    return found;
}

// Of the parameter or the value that is given.
static Status find_size(Sensitivity *own, size_t which, Diag *diag)
{
    const SensitivityOf *of = &own->names.at[which];
    const State *state = own->sim->base->state;
    Evaluator evaluator = {0};
    double value = of->is_start ? 0 : state->inputs[of->index];
    if (of->is_start) {
        const Expr *given = &own->sim->motion->model->starts.at[of->index].value;
        TRY(equations_lower(own->sim->base->eq, "an initial value holds", given, 1, own->params,
                            diag, &evaluator));
        evaluator_run(&evaluator, state->inputs);
        value = evaluator.out[0];
    }
    evaluator_clear(&evaluator);
    own->by_sizes[which] = value == 0 ? 1 : fabs(value);
    return STATUS_OK;
}

static Status differentiate(Sensitivity *own, DependentParams *params, size_t which, Diag *diag)
{
    const SensitivityOf *of = &own->names.at[which];
    size_t size = 2 * own->n;
    double *out = own->start + which * size, *tried = base_alloc(size * sizeof *tried), error;
    double unit = own->by_sizes[which], best = INFINITY;
    for (int power = 4; power <= 16; power += 3)
        if (difference(own, params, which, ldexp(unit, -power), tried, &error) && error < best) {
            best = error;
            memcpy(out, tried, size * sizeof *out);
        }
    double most = real_largest(out, size);
    base_free(tried);
    if (best <= sqrt(DBL_EPSILON) * fmax(most, 1))
        return STATUS_OK;
    return diag_error(diag, place_hint(HINT_SENSITIVITY),
                      "the start, as the conditions complete it, does not depend smoothly on %s",
                      of->name);
}

Status sensitivity_start(Sensitivity *own, Diag *diag)
{
    size_t count = own->sim->motion->model->starts.count;
    double *shifts = base_alloc((count + 1) * sizeof *shifts);
    DependentParams params;
    Status status = lower_params(own, &params, diag);
    for (size_t i = 0; i < own->count && status == STATUS_OK; i++) {
        find_params(own, &params, i);
        status = find_size(own, i, diag);
        if (status != STATUS_OK)
            break;
        if (!is_plain(own)) {
            status = differentiate(own, &params, i, diag);
            continue;
        }
        memset(shifts, 0, (count + 1) * sizeof *shifts);
        status = find_values(own, i, shifts, diag);
        put_values(own, shifts, own->start + 2 * own->n * i);
    }
    params_clear(&params);
    base_free(shifts);
    return status;
}
