// timestepping.c: very many shocks, without looking for their times (Moreau 1988; Jean 1999).
//
// A step of fixed length h: half of the way with the old velocities, to the middle; there the
// forces, and the conditions that are reached, change the velocities once; half of the way with the
// new ones. The change obeys, as a shock does,
//
//     𝓜(v⁺ − v⁻) = h·F − gᵀλ + bᵀμ,   b·v⁺ + c = 0,   0 ≤ λ ⊥ f'⁺ + e f'⁻ ≤ 0   where f ≥ 0,
//
// so that shocks of any number within a step are one. Where a condition pushes on from the step
// before, and for equations, f'⁻ and f'⁺ are those of the beginning and the end of the step, to
// first order: between these f' changes by γ = f'' − g·q'' even if the velocities do not. Errors
// are of first order in h where something is struck, of second order between.
#include "dynamics/projection.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/given_impulses_impl.h"
#include "simulate/run_audit_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/start_contacts_impl.h"
#include "simulate/timestepping_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A row this near to the end is the row at the end.
#define NEAR_END   1e-12
#define NEAR_WHOLE 1e-9
// Of a state that was settled, the finite conditions miss no more than this part.
#define SETTLED     1e-9
#define MOST_NEWTON 5

typedef struct {
    Run *run;
    const Equations *eq;
    State *state;
    const RunListener *listener;
    RunSummary *summary;
    Diag *diag;
    SystemMatrices matrices;
    Unilaterals *unilaterals; // of the one-sided conditions
    GaussMany *gauss;
    GivenImpulses impulses;
    double t;
    double energy;     // what it should be
    double percussion; // when one acted in this step; else 0
    // n each: the state, and room.
    double *q, *v, *force, *next, *impulse;
    double *mu, *drift; // of the equations
    // For each one-sided condition: the impulse of the last step, and f.
    double *push, *positions;
    ContactSet reached; // in a step, with the old velocities
    ARRAY(double) side_drift;
    ARRAY(bool) pushed; // in the step before
    ARRAY(double) lambda;
    ARRAY(bool) acting;
} Stepping;

// ---- Setting out.

static void *room(size_t count, size_t bytes)
{
    return base_alloc((count + 1) * bytes);
}

static Status stepping_init(Stepping *stepping)
{
    Run *run = stepping->run;
    const Equations *eq = stepping->eq;
    State *state = stepping->state;
    size_t n = eq->n;
    stepping->q = room(n, sizeof(double));
    stepping->v = room(n, sizeof(double));
    stepping->force = room(n, sizeof(double));
    stepping->next = room(n, sizeof(double));
    stepping->impulse = room(n, sizeof(double));
    stepping->mu = room(eq->m, sizeof(double));
    stepping->drift = room(eq->m, sizeof(double));
    stepping->push = room(run->motion->side_count, sizeof(double));
    stepping->positions = room(run->motion->side_count, sizeof(double));
    stepping->gauss = gauss_many_new(n);
    stepping->unilaterals = &run->contacts->unilaterals;
    stepping->impulses = run->contacts->impulses;
    matrices_init(&stepping->matrices, eq, state);
    return STATUS_OK;
}

static void stepping_clear(Stepping *stepping)
{
    double *owned[] = {stepping->q,    stepping->v,       stepping->force,
                       stepping->next, stepping->mu,      stepping->drift,
                       stepping->push, stepping->impulse, stepping->positions};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        base_free(owned[i]);
    matrices_clear(&stepping->matrices);
    gauss_many_free(stepping->gauss);
    contact_set_clear(&stepping->reached);
    array_clear(&stepping->side_drift);
    array_clear(&stepping->pushed);
    array_clear(&stepping->lambda);
    array_clear(&stepping->acting);
}

// The start, as it was found; numbers has it with accelerations and multipliers.
static void begin(Stepping *stepping)
{
    Run *run = stepping->run;
    const Equations *eq = stepping->eq;
    State *state = stepping->state;
    size_t n = eq->n;
    const ModelConstraint *first = run->motion->model->constraints.at;
    state->evaluations = 0;
    *state->t = 0;
    memcpy(state->q, run->start.q, n * sizeof(double));
    memcpy(state->v, run->start.v, n * sizeof(double));
    memcpy(state->a, run->start.a, n * sizeof(double));
    memcpy(state->lambda, run->start.lambda, eq->m * sizeof(double));
    for (size_t i = 0; i < eq->m; i++)
        state->multipliers[run->motion->rows[i].constraint - first] = run->start.lambda[i];
    for (size_t i = 0; i < run->contacts->told.count; i++) {
        const RunSide *side = &run->contacts->at[i];
        state->multipliers[side->constraint - first] = side->lambda;
        stepping->push[i] = side->lambda;
    }
    memcpy(stepping->q, run->start.q, n * sizeof(double));
    memcpy(stepping->v, run->start.v, n * sizeof(double));
}

// ---- One step.

// Lists the conditions that are reached at numbers' position, with their rows.
static void find_reached(Stepping *stepping, double h)
{
    State *state = stepping->state;
    Unilaterals *unilaterals = stepping->unilaterals;
    contact_set_begin(&stepping->reached);
    unilaterals_gaps(unilaterals, *state->t, state->q, stepping->positions);
    stepping->side_drift.count = stepping->acting.count = stepping->pushed.count = 0;
    for (size_t i = 0; i < unilaterals->count; i++) {
        bool pushed = stepping->push[i] > 0;
        stepping->push[i] = 0;
        // What is not a number is taken along, so that the solver finds it.
        if (stepping->positions[i] < 0)
            continue;
        UnilateralRow side =
            contact_set_add(&stepping->reached, unilaterals, i, *state->t, state->q, state->v);
        array_push(&stepping->acting, pushed);
        array_push(&stepping->pushed, pushed);
        // f' of the old velocities at the beginning of the step, and of the new ones at its end.
        double turn = pushed ? h / 2 * side.gamma : 0;
        array_push(&stepping->side_drift,
                   side.partial_t + turn + side.restitution * (side.rate - turn));
    }
    array_reserve(&stepping->lambda, stepping->reached.which.count + 1);
}

static GaussManyProblem problem_of(const Stepping *stepping, bool with_sides)
{
    GaussManyProblem problem = contact_set_problem(&stepping->reached, &stepping->matrices);
    problem.force = stepping->force;
    problem.drift = stepping->drift;
    problem.side_drift = stepping->side_drift.at;
    problem.any_lambda = true;
    if (!with_sides)
        problem.sides.count = 0;
    return problem;
}

// Given impulses of this step, together; those of the start have acted.
static void add_percussions(Stepping *stepping, double until)
{
    const Equations *eq = stepping->eq;
    State *state = stepping->state;
    double t;
    while ((t = impulses_time(&stepping->impulses)) <= until) {
        impulses_take(&stepping->impulses, eq, state, stepping->impulse);
        for (size_t i = 0; i < eq->n && t > 0; i++)
            stepping->force[i] += stepping->impulse[i];
        stepping->percussion = fmax(stepping->percussion, t);
    }
}

// The velocities after the change, in `next`; impulses of the conditions in `push` and `mu`.
static GaussSidesReport change(Stepping *stepping, double h)
{
    State *state = stepping->state;
    SystemMatrices *matrices = &stepping->matrices;
    matrices_evaluate(matrices);
    state->evaluations++;
    find_reached(stepping, h);
    for (size_t i = 0; i < matrices->n; i++)
        stepping->force[i] = h * matrices->force[i];
    matrices_add_momentum(matrices, state->v, stepping->force);
    stepping->percussion = 0;
    add_percussions(stepping, stepping->t + h);
    for (size_t i = 0; i < matrices->m; i++)
        stepping->drift[i] = matrices->c[i] + h / 2 * matrices->gamma[i];
    GaussManyProblem problem = problem_of(stepping, true);
    GaussInstantAnswer answer = {.accelerations = stepping->next,
                                 .multipliers = stepping->mu,
                                 .lambda = stepping->lambda.at,
                                 .acting = stepping->acting.at};
    GaussSidesReport report = gauss_many_solve(stepping->gauss, &problem, &answer);
    for (size_t k = 0; k < stepping->reached.which.count && report.outcome == SOLVE_DONE; k++)
        stepping->push[stepping->reached.which.at[k]] = stepping->lambda.at[k];
    return report;
}

// Onto the finite equations, and the velocities onto all of them, at the end of the step.
static bool settle(Stepping *stepping)
{
    const Equations *eq = stepping->eq;
    State *state = stepping->state;
    SystemMatrices *matrices = &stepping->matrices;
    if (eq->finite > 0 &&
        !(projector_project(stepping->run->base->projector, eq, state, MOST_NEWTON) <= SETTLED))
        return false;
    matrices_evaluate(matrices);
    memset(stepping->force, 0, matrices->n * sizeof *stepping->force);
    matrices_add_momentum(matrices, state->v, stepping->force);
    memcpy(stepping->drift, matrices->c, matrices->m * sizeof *stepping->drift);
    GaussManyProblem problem = problem_of(stepping, false);
    bool none[1] = {false};
    GaussInstantAnswer answer = {.accelerations = stepping->next, .acting = none};
    GaussSidesReport report = gauss_many_solve(stepping->gauss, &problem, &answer);
    memcpy(state->v, stepping->next, matrices->n * sizeof *state->v);
    return report.outcome == SOLVE_DONE;
}

// The equations' reactions in the last step, and its accelerations.
static void keep_reactions(Stepping *stepping, double h)
{
    const Equations *eq = stepping->eq;
    State *state = stepping->state;
    const Motion *motion = eq->motion;
    const ModelConstraint *first = motion->model->constraints.at;
    memset(state->lambda, 0, eq->m * sizeof *state->lambda);
    for (size_t i = 0; i < stepping->matrices.m; i++)
        state->lambda[eq->independent.rows[i]] = stepping->mu[i] / h;
    for (size_t i = 0; i < eq->m; i++)
        state->multipliers[motion->rows[i].constraint - first] = state->lambda[i];
    for (size_t i = 0; i < eq->n; i++)
        state->a[i] = (state->v[i] - stepping->v[i]) / h;
}

// Those of the one-sided conditions, for the row to come.
static void keep_pushes(Stepping *stepping, double h)
{
    const Equations *eq = stepping->eq;
    State *state = stepping->state;
    const Motion *motion = eq->motion;
    const ModelConstraint *first = motion->model->constraints.at;
    for (size_t i = 0; i < motion->side_count; i++)
        state->multipliers[motion->sides[i].constraint - first] = stepping->push[i] / h;
}

// ---- What a step did, for those who listen.

static void tell(Stepping *stepping, const RunEvent *record)
{
    RunEventTally *tally = &stepping->summary->events[record->kind];
    if (tally->count++ == 0)
        tally->first = record->t;
    tally->last = record->t;
    if (stepping->listener->event)
        stepping->listener->event(stepping->listener->context, record);
}

// Impacts are what is reached with f' > 0 and did not push before; what all pushes take of the
// energy is ½ Σ λ(f'⁻ + f'⁺ − 2 ∂f/∂t).
static void tell_step(Stepping *stepping, double h)
{
    RunEvent record = {.t = stepping->t + h / 2, .before = stepping->v, .after = stepping->next};
    const ContactSet *reached = &stepping->reached;
    for (size_t k = 0; k < reached->which.count; k++) {
        double partial_t = reached->partial_t.at[k], terms;
        double after = contact_set_rate(reached, k, stepping->next, partial_t, &terms);
        record.energy_lost +=
            stepping->lambda.at[k] * ((reached->rate.at[k] + after) / 2 - partial_t);
    }
    stepping->summary->energy_lost += record.energy_lost;
    stepping->energy -= record.energy_lost;
    for (size_t k = 0; k < reached->which.count; k++) {
        if (stepping->pushed.at[k] || !(stepping->lambda.at[k] > 0) || !(reached->rate.at[k] > 0))
            continue;
        record.kind = RUN_IMPACT;
        record.constraint = stepping->eq->motion->sides[reached->which.at[k]].constraint;
        record.impulse = stepping->lambda.at[k];
        tell(stepping, &record);
    }
    if (stepping->percussion > 0) {
        record = (RunEvent){.t = stepping->percussion,
                            .kind = RUN_IMPULSE,
                            .before = stepping->v,
                            .after = stepping->next};
        tell(stepping, &record);
    }
}

typedef enum { STEPPED, NO_POSITION, NO_VELOCITY } StepOutcome;

// From stepping's state to that after `h`, which numbers then has too.
static StepOutcome step(Stepping *stepping, double h, GaussSidesReport *report)
{
    const Equations *eq = stepping->eq;
    State *state = stepping->state;
    size_t n = eq->n;
    *state->t = stepping->t + h / 2;
    for (size_t i = 0; i < n; i++)
        state->q[i] = stepping->q[i] + h / 2 * stepping->v[i];
    memcpy(state->v, stepping->v, n * sizeof *state->v);
    *report = change(stepping, h);
    if (report->outcome != SOLVE_DONE)
        return NO_VELOCITY;
    tell_step(stepping, h);
    for (size_t i = 0; i < n; i++)
        state->q[i] += h / 2 * stepping->next[i];
    memcpy(state->v, stepping->next, n * sizeof *state->v);
    *state->t = stepping->t + h;
    if (eq->m > 0 && !settle(stepping))
        return NO_POSITION;
    keep_reactions(stepping, h);
    memcpy(stepping->q, state->q, n * sizeof *state->q);
    memcpy(stepping->v, state->v, n * sizeof *state->v);
    return STEPPED;
}

// ---- Where it cannot go on.

static Status strand(Stepping *stepping, StepOutcome outcome, const GaussSidesReport *report)
{
    Text reason = {0};
    if (outcome == NO_POSITION)
        failure_add_reason(stepping->eq, stepping->state, DYNAMICS_POSITION, &reason);
    else if (report->outcome == SOLVE_NOT_FINITE)
        failure_add_reason(stepping->eq, stepping->state, DYNAMICS_NOT_FINITE, &reason);
    else
        contact_set_add_reason(&stepping->reached, &stepping->matrices, report, stepping->lambda.at,
                               &reason);
    diag_error(stepping->diag, place_none(),
               "the motion cannot be followed beyond t = %.10g: %s. %zu row%s up to there %s given",
               stepping->t, reason.at, stepping->summary->rows,
               stepping->summary->rows == 1 ? "" : "s",
               stepping->summary->rows == 1 ? "is" : "are");
    text_clear(&reason);
    stepping->summary->end = RUN_STRANDED;
    return STATUS_NEGATIVE;
}

// ---- The whole way.

// False where the listener has had enough.
static bool tell_state(Stepping *stepping)
{
    RunSummary *summary = stepping->summary;
    ColumnsCheck check = columns_fill(stepping->run->base->columns, stepping->eq, stepping->state);
    if (summary->rows == 0)
        stepping->energy = check.energy;
    summary->rows++;
    summary->largest_residual = fmax(summary->largest_residual, check.residual);
    summary->deepest = fmax(summary->deepest, check.depth);
    summary->energy_drift = fmax(summary->energy_drift, fabs(check.energy - stepping->energy));
    if (stepping->run->audit)
        audit_row(stepping->run->audit, stepping->eq, stepping->state,
                  stepping->run->base->columns->row);
    const RunListener *listener = stepping->listener;
    return !listener->row || listener->row(listener->context, stepping->run->base->columns->row);
}

// To the next row, in equal steps no longer than asked for. *more is false where the listener has
// had enough.
static Status stride(Stepping *stepping, double until, bool *more)
{
    const RunListener *listener = stepping->listener;
    double from = stepping->t, way = until - from;
    // A step that is longer by a rounding is no other one.
    double steps = fmax(ceil(way / stepping->run->settings.step * (1 - NEAR_WHOLE)), 1);
    for (double k = 1; k <= steps && *more; k++) {
        GaussSidesReport report;
        StepOutcome outcome = step(stepping, way / steps, &report);
        if (outcome != STEPPED)
            return strand(stepping, outcome, &report);
        stepping->t = k < steps ? from + way * (k / steps) : until;
        *stepping->state->t = stepping->t;
        stepping->summary->steps++;
        stepping->summary->reached = stepping->t;
        *more = !listener->progress || listener->progress(listener->context, stepping->t);
    }
    keep_pushes(stepping, way / steps);
    return STATUS_OK;
}

static Status go(Stepping *stepping)
{
    const RunOptions *settings = &stepping->run->settings;
    double end = settings->to - fmax(NEAR_END, 4 * DBL_EPSILON * settings->to);
    begin(stepping);
    bool more = tell_state(stepping), last = false;
    for (double row = 1; more && !last; row++) {
        last = row * settings->every >= end;
        TRY(stride(stepping, last ? settings->to : row * settings->every, &more));
        if (more)
            more = tell_state(stepping) || last;
    }
    if (more)
        return STATUS_OK;
    stepping->summary->end = RUN_ASKED;
    return STATUS_NEGATIVE;
}

Status timestepping_go(Run *run, const RunListener *listener, Diag *diag, RunSummary *summary)
{
    Stepping stepping = {.run = run,
                         .eq = run->base->eq,
                         .state = run->base->state,
                         .listener = listener,
                         .summary = summary,
                         .diag = diag};
    summary->order = 1;
    if (run->audit)
        invariants_begin(&run->audit->invariants, false);
    Status status = stepping_init(&stepping);
    if (status == STATUS_OK)
        status = go(&stepping);
    summary->evaluations = run->base->state->evaluations;
    stepping_clear(&stepping);
    return status;
}
