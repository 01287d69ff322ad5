// invariants.c: what should stay as it is along a run: energy or its balance, first integrals, and
// the conditions in positions, velocities and accelerations.
#include "dynamics/equations.h"
#include "dynamics/pattern.h"
#include "expr/arithmetic.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "motion/power.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/run_audit_impl.h"
#include "simulate/run_options.h"
#include "simulate/simulation_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// ---- Setting up.

// What a condition should be, by its own terms or parts; with neither, and at least in part, by how
// it changes over the size of coordinates, velocities or accelerations: where all terms stay 0 but
// for rounding, nothing can be measured by them.
struct InvariantCheck {
    const ModelConstraint *constraint;
    RunLevel level;
    size_t at;     // among the outputs: its residual, its derivatives, its terms
    size_t terms;  // that it is a sum of; 0 where it is not measured by the largest of them
    bool by_parts; // by the largest of ∂f/∂q'_ν·q'_ν
    double residual, scale, change; // the largest so far
};

typedef ARRAY(Expr) Outputs;

// Conditions that hold by themselves, everywhere, have nothing to be measured by.
static bool is_identity(const Motion *motion, const ModelConstraint *constraint)
{
    for (size_t i = 0; i < motion->aside.count; i++)
        if (motion->aside.at[i].constraint == constraint)
            return motion->aside.at[i].identity;
    return false;
}

// A condition of one term or part alone has nothing in itself to be measured by.
static void add_check(RunAudit *audit, const ModelConstraint *constraint, Expr residual,
                      RunLevel level, Outputs *outputs)
{
    const Motion *motion = audit->sim->motion;
    ExprPool *pool = motion->pool;
    if (is_identity(motion, constraint))
        return;
    size_t n = motion->n, terms = equations_terms(pool, residual, NULL), parts = 0;
    bool by_terms = level != RUN_VELOCITY && terms > 1;
    const Expr *by[] = {motion->q, motion->v, motion->a};
    InvariantCheck *check = &audit->checks[audit->check_count++];
    *check = (InvariantCheck){.constraint = constraint, .level = level, .at = outputs->count};
    check->terms = by_terms ? terms : 0;
    array_push(outputs, residual);
    array_reserve(outputs, outputs->count + n + terms);
    Expr *places = outputs->at + outputs->count;
    outputs->count += n + check->terms;
    expr_gradient(pool, residual, by[level], n, places);
    for (size_t i = 0; i < n; i++)
        parts += !expr_is_zero(pool, places[i]);
    if (by_terms)
        equations_terms(pool, residual, places + n);
    check->by_parts = level == RUN_VELOCITY && parts != 1;
}

// Finite ones at the level of positions first, then all equations at the highest that they keep.
static void add_checks(RunAudit *audit, Outputs *outputs)
{
    const Motion *motion = audit->sim->motion;
    const Model *model = motion->model;
    size_t count = model->constraints.count;
    audit->checks = arena_array(audit->arena, InvariantCheck, 2 * count + 1);
    for (size_t i = 0; i < 2 * count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i % count];
        bool finite = constraint->keeps == CONSTRAINT_FINITE, again = i >= count;
        bool second = constraint->keeps == CONSTRAINT_SECOND_CLASS;
        // What holds for a while is told by the run itself.
        if (constraint->waits > 0)
            continue;
        if (again ? constraint->kind == CONSTRAINT_ONE_SIDED : !finite)
            continue;
        Expr residual = finite && again ? expr_rate(motion->dt_still, constraint->residual)
                                        : constraint->residual;
        RunLevel level = !again ? RUN_POSITION : second ? RUN_ACCELERATION : RUN_VELOCITY;
        add_check(audit, constraint, residual, level, outputs);
    }
}

Status invariants_init(RunAudit *audit, Diag *diag)
{
    const Equations *eq = audit->sim->base->eq;
    Motion *motion = audit->sim->motion;
    ExprPool *pool = motion->pool;
    MotionPower power = motion_power(motion);
    assert(eq->n == motion->n && diag);
    bool has_energy = !expr_is_none(power.energy) && !motion->model->whole;
    bool has_balance = has_energy && !expr_is_zero(pool, power.power);
    // States inside steps can be had.
    bool dense = audit->sim->settings.method != RUN_TIMESTEPPING;
    audit->report = (RunAuditReport){.has_energy = has_energy,
                                     .changes = motion->model->whole != NULL,
                                     .is_total = power.is_total,
                                     .has_balance = has_balance,
                                     .is_followed = has_balance && dense,
                                     .rubs = motion->friction_count > 0,
                                     .energy.name = "energy"};
    Outputs outputs = {0};
    array_push(&outputs, has_energy ? power.energy : expr_int(pool, 0));
    array_push(&outputs, motion->T);
    array_push(&outputs, motion->U);
    add_checks(audit, &outputs);
    const char *what = "the energy's balance holds";
    Status status = equations_lower(eq, what, outputs.at, outputs.count, eq->input_count, diag,
                                    &audit->quantities);
    array_clear(&outputs);
    if (status == STATUS_OK && has_balance)
        status = equations_lower(eq, what, &power.power, 1, eq->input_count, diag, &audit->rate);
    return status;
}

// ---- Rows.

static void see(RunDrift *drift, double value, double size, double t, bool first)
{
    // In one row an expression may be 0/0.
    drift->unseen = isfinite(value) ? 0 : drift->unseen + 1;
    if (first || !isfinite(drift->first))
        drift->first = value;
    double change = drift->unseen > 1 ? NAN : fabs(value - drift->first);
    if (change > drift->drift || drift->unseen > 1) {
        drift->drift = change;
        drift->t = t;
    }
    drift->largest = fmax(drift->largest, isfinite(size) ? size : 0);
}

// How large it is by its own terms or parts; 0 where it is measured by its change alone.
static double scale_of(const InvariantCheck *check, const double *out, const double *of, size_t n)
{
    double scale = real_largest(out + n, check->terms);
    for (size_t i = 0; i < n && check->by_parts; i++)
        scale = fmax(scale, fabs(out[i] * of[i]));
    return scale;
}

static void see_checks(RunAudit *audit, const State *state)
{
    const double *out = audit->quantities.out, *values[] = {state->q, state->v, state->a};
    size_t n = audit->sim->motion->n;
    for (size_t i = 0; i < audit->check_count; i++) {
        InvariantCheck *check = &audit->checks[i];
        const double *of = values[check->level], *slopes = out + check->at + 1;
        check->residual = fmax(check->residual, fabs(out[check->at]));
        check->scale = fmax(check->scale, scale_of(check, slopes, of, n));
        check->change = fmax(check->change, real_largest(slopes, n) * real_largest(of, n));
    }
}

// Whether the tolerance explains how a first integral has changed: by a few times it in a step, of
// the largest part that a coordinate or a velocity has in it. Each of these is rounded as the
// largest of its kind is.
static void see_integral(const RunAudit *audit, RunDrift *integral, const double *out,
                         const State *state, double t, bool first)
{
    const RunOptions *settings = &audit->sim->settings;
    size_t n = audit->sim->motion->n;
    double size = fabs(out[0]);
    double rounded = TOL_STATE / settings->tolerance *
                     fmax(real_largest(out + 1, n) * real_largest(state->q, n),
                          real_largest(out + 1 + n, n) * real_largest(state->v, n));
    for (size_t j = 0; j < n; j++)
        size = fmax(size, fmax(fabs(out[1 + j] * state->q[j]), fabs(out[1 + n + j] * state->v[j])));
    size = fmax(size, rounded);
    see(integral, out[0], size, t, first);
    double change = fabs(out[0] - integral->first);
    double explained = 8 * settings->tolerance * (double)(audit->steps + EVENT_MARGIN);
    if (settings->method == RUN_TIMESTEPPING)
        explained = TOL_POOR;
    explained *= integral->largest;
    if (integral->unseen > 1)
        change = INFINITY;
    if (integral->change > 0 || integral->unseen == 1)
        return;
    if (change <= explained) {
        integral->since = t;
    } else {
        integral->change = change;
        integral->explained = explained;
    }
}

// First integrals at a state, with the angles of its row, which has their whole turns.
static void evaluate_constants(RunAudit *audit, const State *state, const double *row)
{
    const Equations *eq = audit->sim->base->eq;
    double *inputs = base_alloc(eq->input_count * sizeof *inputs);
    memcpy(inputs, state->inputs, eq->input_count * sizeof *inputs);
    memcpy(inputs + eq->params + 1, row + 1,
           (eq->n - eq->motion->model->rated_count) * sizeof *inputs);
    evaluator_run(&audit->constants, inputs);
    base_free(inputs);
}

void invariants_begin(RunAudit *audit, const State *state, const double *row)
{
    size_t count = audit->report.integral_count;
    if (count > 0)
        evaluate_constants(audit, state, row);
    for (size_t i = 0; i < count; i++)
        audit->integrals[i].first = audit->constants.out[i * (1 + 2 * audit->sim->motion->n)];
}

void invariants_row(RunAudit *audit, const State *state, const double *row)
{
    assert(audit->quantities.program);
    evaluator_run(&audit->quantities, state->inputs);
    const double *out = audit->quantities.out;
    double t = *state->t, size = fmax(fmax(fabs(out[1]), fabs(out[2])), fabs(audit->report.work));
    bool first = audit->rows == 0;
    see(&audit->report.energy, out[0] - audit->report.work, size, t, first);
    if (audit->report.integral_count > 0)
        evaluate_constants(audit, state, row);
    for (size_t i = 0; i < audit->report.integral_count; i++)
        see_integral(audit, &audit->integrals[i],
                     audit->constants.out + i * (1 + 2 * audit->sim->motion->n), state, t, first);
    see_checks(audit, state);
}

void invariants_report(const RunAudit *audit, RunAuditReport *report)
{
    for (size_t i = 0; i < audit->check_count; i++) {
        const InvariantCheck *check = &audit->checks[i];
        RunMiss *worst = &report->misses[check->level];
        // It counts with at least this part of what a change of the state could make of it.
        double least = check->by_parts || check->terms > 0 ? TOL_COARSE : 1;
        double size = fmax(check->scale, least * check->change);
        double own = check->residual > 0 ? check->residual / size : 0;
        if (!worst->name || !(own <= worst->part))
            *worst = (RunMiss){check->constraint->name, own};
    }
}
