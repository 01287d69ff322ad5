// instant.c: everything about one state: energies, reactions, contacts and branches there.
#include "simulate/instant.h"
#include "dynamics/equations.h"
#include "expr/arithmetic.h"
#include "model/events.h"
#include "model/system.h"
#include "model/vectors.h"
#include "motion/given_energy.h"
#include "motion/motion_types.h"
#include "motion/power.h"
#include "motion/reactions.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/start_contacts_impl.h"

#include <assert.h>

struct RunInstantRoom {
    Arena *arena;
    MotionReactions *reactions;
    Evaluator quantities;
};

// ---- Quantities that are expressions.

typedef ARRAY(Expr) Outputs;

static void push_vec(Outputs *outputs, Vec v)
{
    array_push(outputs, v.x);
    array_push(outputs, v.y);
    array_push(outputs, v.z);
}

// As a RunWrench has them.
static void push_wrench(const Motion *motion, Vec force, Vec couple, Vector position,
                        Outputs *outputs)
{
    Expr zero = expr_int(motion->pool, 0);
    push_vec(outputs, force);
    push_vec(outputs, couple);
    push_vec(outputs, position.at ? vector_in(motion->model->vectors, position, (Frame){0})
                                  : (Vec){zero, zero, zero});
}

static void push_quantities(Motion *motion, const MotionReactions *reactions, Outputs *outputs)
{
    const Model *model = motion->model;
    bool has_energy = !expr_is_none(motion->energy);
    array_push(outputs, motion->U);
    array_push(outputs, has_energy ? expr_sub(motion->pool, motion->energy, motion->U) : motion->U);
    for (size_t i = 0; i < reactions->at.count; i++) {
        const MotionReaction *at = &reactions->at.at[i];
        push_wrench(motion, at->force, at->couple, at->position, outputs);
    }
    for (size_t i = 0; i < reactions->totals.count; i++) {
        const MotionTotal *at = &reactions->totals.at[i];
        push_wrench(motion, at->force, at->couple, at->position, outputs);
    }
    for (size_t i = 0; i < model->speeds.count; i++)
        array_push(outputs, model->speeds.at[i].value);
    for (size_t i = 0; i < motion->m; i++)
        array_push(outputs, motion_reaction_power(motion, &motion->rows[i]));
    for (size_t i = 0; i < reactions->generalized.count; i++)
        for (size_t nu = 0; nu < motion->n; nu++)
            array_push(outputs, reactions->generalized.at[i].parts[nu]);
    for (size_t i = 0; i < model->outputs.count; i++)
        array_push(outputs, model->outputs.at[i].value);
    for (size_t i = 0; i < model->inputs.count; i++)
        array_push(outputs, model->inputs.at[i].value);
    for (size_t i = 0; i < model->events.count + (model->run.until != NULL); i++) {
        const ModelEvent *event = i < model->events.count ? &model->events.at[i] : model->run.until;
        array_push(outputs, event->trigger < TRIGGER_IMPACT ? columns_resolve(motion, event->value)
                                                            : expr_int(motion->pool, 0));
    }
}

// In the same order.
static void read_quantities(const Motion *motion, const MotionReactions *reactions,
                            const double *out, RunInstant *instant)
{
    instant->U = out[0];
    instant->T = out[1];
    instant->at = (const RunWrench *)(out + 2);
    instant->totals = instant->at + reactions->at.count;
    instant->speeds = (const double *)(instant->totals + reactions->totals.count);
    instant->powers = instant->speeds + motion->model->speeds.count;
    instant->generalized = instant->powers + motion->m;
    instant->outputs = instant->generalized + reactions->generalized.count * motion->n;
    instant->inputs = instant->outputs + motion->model->outputs.count;
    instant->events = instant->inputs + motion->model->inputs.count;
}

static Status evaluate_quantities(const Simulation *sim, RunInstantRoom *own, Diag *diag,
                                  RunInstant *instant)
{
    Outputs outputs = {0};
    push_quantities(sim->motion, own->reactions, &outputs);
    const Equations *eq = sim->base->eq;
    Status status = equations_lower(eq, "a reaction holds", outputs.at, outputs.count,
                                    eq->input_count, diag, &own->quantities);
    array_clear(&outputs);
    TRY(status);
    evaluator_run(&own->quantities, sim->base->state->inputs);
    read_quantities(sim->motion, own->reactions, own->quantities.out, instant);
    Columns *columns = sim->base->columns;
    double *told = own->quantities.out + (instant->outputs - own->quantities.out);
    columns_fill(columns, eq, sim->base->state);
    for (size_t i = 0; i < columns->exact.outputs; i++)
        told[columns->exact_at[i] - columns->outputs_at] = columns->row[columns->exact_at[i]];
    return STATUS_OK;
}

// ---- The whole.

Status run_instant(Simulation *sim, Diag *diag, RunInstantRoom **out, RunInstant *instant)
{
    assert(sim && diag && out && instant);
    Arena *arena = arena_new();
    RunInstantRoom *own = *out = arena_alloc(arena, sizeof *own);
    bool *kept = arena_array(arena, bool, sim->contacts->told->count + 1);
    own->arena = arena;
    *instant =
        (RunInstant){.t = sim->settings.from, .has_energy = !expr_is_none(sim->motion->energy)};
    for (size_t i = 0; i < sim->contacts->told->count; i++)
        kept[i] = sim->contacts->at[i].kept;
    instant->reactions = own->reactions = motion_reactions(sim->motion, kept);
    TRY(evaluate_quantities(sim, own, diag, instant));
    instant_judge(sim->base->eq, sim->base->state, arena, instant);
    start_contacts_rule(sim->contacts);
    instant->sides = *sim->contacts->told;
    if (sim->branches)
        instant->branches = *sim->branches;
    if (instant->branches.count > 0)
        instant->constraint = instant->branches.at[instant->branches.taken].constraint;
    // What the motion is without reactions is another question for an S that is not quadratic.
    instant->has_free = instant->has_free && !motion_dsigma(sim->motion);
    return STATUS_OK;
}

Status run_instant_mayer(Simulation *sim, Diag *diag)
{
    return start_contacts_mayer(sim->contacts, diag);
}

void run_instant_free(RunInstantRoom *instant)
{
    if (!instant)
        return;
    motion_reactions_free(instant->reactions);
    evaluator_clear(&instant->quantities);
    arena_free(instant->arena);
}
