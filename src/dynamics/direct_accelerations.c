// direct_accelerations.c: q'' and λ at a state by one program of linear length, where long chains
// would fill n² entries of 𝓜. Where a pivot nearly vanishes the dense equations are asked.
#include "dynamics/direct_accelerations.h"
#include "dynamics/dense_forces.h"
#include "dynamics/elimination.h"
#include "expr/arithmetic.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/system.h"
#include "motion/definitions.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What is made of the definitions, and where.
typedef struct {
    Motion *motion;
    Arena *arena;
    Definitions *definitions;
    EliminationSample sample;
    Assembly *assembly;
    EliminationResult result;
} Making;

// One elimination; its samples are those of `state`, or of some state where that is NULL.
// Conditions that hold many coordinates are on the velocities that they speak of.
static bool begin(Making *making, Motion *motion, EliminationOptions options, const double *state)
{
    const char *why;
    *making = (Making){.motion = motion, .arena = arena_new()};
    bool known = elimination_sample(motion, making->arena, &making->sample);
    making->definitions = known ? definitions_new(motion, &why) : NULL;
    if (!making->definitions)
        return false;
    if (definitions_have_long_rows(making->definitions))
        options =
            (EliminationOptions){.regrouped = true, .vectors = true, .diagonal = options.diagonal};
    making->assembly =
        assembly_new(motion->pool, making->sample.inputs, making->sample.count, false);
    assembly_sample_at(making->assembly, state ? state : making->sample.state);
    return eliminate(making->definitions, options, making->assembly, making->sample.fixed,
                     making->arena, &making->result);
}

static void end(Making *making)
{
    assembly_free(making->assembly);
    expr_subst_free(making->sample.fixed);
    definitions_free(making->definitions);
    arena_free(making->arena);
}

// q'' | λ | du/dt for q'' = 0 | pivots and what they are measured by.
static bool finish(Making *making, Evaluator *direct)
{
    const Motion *motion = making->motion;
    const EliminationResult *result = &making->result;
    size_t n = motion->n, m = motion->m, k = motion->k, at = n + m + k;
    size_t count = at + result->pivot_count;
    ProgramValue *outputs = arena_array(making->arena, ProgramValue, count + 1);
    memcpy(outputs, result->accelerations, n * sizeof *outputs);
    memcpy(outputs + n, result->multipliers, m * sizeof *outputs);
    memcpy(outputs + at, result->pivots, result->pivot_count * sizeof *outputs);
    for (size_t i = 0; i < k; i++) {
        Expr drift = expr_rate(motion->dt_still, motion->state.speeds[i].value);
        drift = expr_subst(making->sample.fixed, drift);
        if (!assembly_lower(making->assembly, drift, &outputs[n + m + i]))
            return false;
    }
    evaluator_adopt(direct, assembly_program(making->assembly, outputs, count));
    return true;
}

bool direct_init(Equations *eq, Motion *motion)
{
    static const EliminationOptions way = {.still = true, .regrouped = true, .moved = true};
    Making making;
    assert(!eq->direct.program && motion->state.speeds);
    bool made = begin(&making, motion, way, NULL) && finish(&making, &eq->direct);
    end(&making);
    return made;
}

bool direct_solve(const Equations *eq, State *state)
{
    size_t n = eq->n, m = eq->m, pivots = n + m + eq->motion->k;
    assert(state->direct.program && eq->independent.count == m);
    evaluator_run(&state->direct, state->t);
    const double *out = state->direct.out;
    if (!evaluator_is_finite(&state->direct))
        return false;
    for (size_t i = pivots; i < state->direct.outputs; i += 2)
        if (!(out[i] / out[i + 1] > TOL_RANK))
            return false;
    memcpy(state->a, out, n * sizeof *out);
    memcpy(state->lambda, out + n, m * sizeof *out);
    return true;
}

const double *direct_drift(const Equations *eq, const State *state)
{
    return state->direct.out + eq->n + eq->m;
}

bool direct_inertias(const Equations *eq, const State *state, double *inertias)
{
    Making making;
    assert(eq->direct.program && inertias);
    bool found =
        begin(&making, dense_forces_motion(eq), (EliminationOptions){.diagonal = true}, state->t);
    for (size_t i = 0; i < eq->n && found; i++)
        inertias[i] = assembly_sample(making.assembly, making.result.accelerations[i]);
    end(&making);
    return found;
}
