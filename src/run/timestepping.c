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
#include "run/journey_impl.h"

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
    Numbers *numbers;
    const RunListener *listener;
    RunSummary *summary;
    Diag *diag;
    Many many;
    Shapes *shapes; // of the one-sided conditions
    ContactSolver *gauss;
    Percussions percussions;
    double t;
    double energy;     // what it should be
    double percussion; // when one acted in this step; else 0
    // n each: the state, and room.
    double *q, *v, *force, *next, *impulse;
    double *mu, *drift; // of the equations
    // For each one-sided condition: the impulse of the last step, and f.
    double *push, *positions;
    Asked reached; // in a step, with the old velocities
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
    Numbers *numbers = stepping->numbers;
    size_t n = numbers->n;
    stepping->q = room(n, sizeof(double));
    stepping->v = room(n, sizeof(double));
    stepping->force = room(n, sizeof(double));
    stepping->next = room(n, sizeof(double));
    stepping->impulse = room(n, sizeof(double));
    stepping->mu = room(numbers->m, sizeof(double));
    stepping->drift = room(numbers->m, sizeof(double));
    stepping->push = room(run->motion->side_count, sizeof(double));
    stepping->positions = room(run->motion->side_count, sizeof(double));
    stepping->gauss = contact_solver_new(n);
    stepping->shapes = &run->sides.shapes;
    TRY(percussions_init(&stepping->percussions, numbers, run->motion, stepping->diag));
    return many_init(&stepping->many, numbers, run->motion, stepping->diag);
}

static void stepping_clear(Stepping *stepping)
{
    double *owned[] = {stepping->q,    stepping->v,       stepping->force,
                       stepping->next, stepping->mu,      stepping->drift,
                       stepping->push, stepping->impulse, stepping->positions};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        base_free(owned[i]);
    many_clear(&stepping->many);
    percussions_clear(&stepping->percussions);
    contact_solver_free(stepping->gauss);
    asked_clear(&stepping->reached);
    array_clear(&stepping->side_drift);
    array_clear(&stepping->pushed);
    array_clear(&stepping->lambda);
    array_clear(&stepping->acting);
}

// The start, as it was found; numbers has it with accelerations and multipliers.
static void begin(Stepping *stepping)
{
    Run *run = stepping->run;
    Numbers *numbers = stepping->numbers;
    size_t n = numbers->n;
    const ModelConstraint *first = run->motion->model->constraints.at;
    numbers->evaluations = 0;
    *numbers->t = 0;
    memcpy(numbers->q, run->q, n * sizeof(double));
    memcpy(numbers->v, run->v, n * sizeof(double));
    memcpy(numbers->a, run->a, n * sizeof(double));
    memcpy(numbers->lambda, run->lambda, numbers->m * sizeof(double));
    for (size_t i = 0; i < numbers->m; i++)
        numbers->multipliers[run->motion->rows[i].constraint - first] = run->lambda[i];
    for (size_t i = 0; i < run->sides.told.count; i++) {
        const RunSide *side = &run->sides.at[i];
        numbers->multipliers[side->constraint - first] = side->lambda;
        stepping->push[i] = side->lambda;
    }
    memcpy(stepping->q, run->q, n * sizeof(double));
    memcpy(stepping->v, run->v, n * sizeof(double));
}

// ---- One step.

// Lists the conditions that are reached at numbers' position, with their rows.
static void find_reached(Stepping *stepping, double h)
{
    Numbers *numbers = stepping->numbers;
    Shapes *shapes = stepping->shapes;
    asked_begin(&stepping->reached);
    shapes_positions(shapes, *numbers->t, numbers->q, stepping->positions);
    stepping->side_drift.count = stepping->acting.count = stepping->pushed.count = 0;
    for (size_t i = 0; i < shapes->count; i++) {
        bool pushed = stepping->push[i] > 0;
        stepping->push[i] = 0;
        // What is not a number is taken along, so that the solver finds it.
        if (stepping->positions[i] < 0)
            continue;
        ShapeNumbers side =
            asked_add(&stepping->reached, shapes, i, *numbers->t, numbers->q, numbers->v);
        array_push(&stepping->acting, pushed);
        array_push(&stepping->pushed, pushed);
        // f' of the old velocities at the beginning of the step, and of the new ones at its end.
        double turn = pushed ? h / 2 * side.gamma : 0;
        array_push(&stepping->side_drift,
                   side.partial_t + turn + side.restitution * (side.rate - turn));
    }
    array_reserve(&stepping->lambda, stepping->reached.which.count + 1);
}

static ContactProblem problem_of(const Stepping *stepping, bool with_sides)
{
    ContactProblem problem = asked_problem(&stepping->reached, &stepping->many);
    problem.force = stepping->force;
    problem.equation_drift = stepping->drift;
    problem.unilateral_drift = stepping->side_drift.at;
    problem.any_lambda = true;
    if (!with_sides)
        problem.unilateral.count = 0;
    return problem;
}

// Given impulses of this step, together; those of the start have acted.
static void add_percussions(Stepping *stepping, double until)
{
    Numbers *numbers = stepping->numbers;
    double t;
    while ((t = percussions_time(&stepping->percussions)) <= until) {
        percussions_take(&stepping->percussions, numbers, stepping->impulse);
        for (size_t i = 0; i < numbers->n && t > 0; i++)
            stepping->force[i] += stepping->impulse[i];
        stepping->percussion = fmax(stepping->percussion, t);
    }
}

// The velocities after the change, in `next`; impulses of the conditions in `push` and `mu`.
static ContactReport change(Stepping *stepping, double h)
{
    Numbers *numbers = stepping->numbers;
    Many *many = &stepping->many;
    many_evaluate(many);
    numbers->evaluations++;
    find_reached(stepping, h);
    for (size_t i = 0; i < many->n; i++)
        stepping->force[i] = -h * many->bias[i];
    many_add_momentum(many, numbers->v, stepping->force);
    stepping->percussion = 0;
    add_percussions(stepping, stepping->t + h);
    for (size_t i = 0; i < many->m; i++)
        stepping->drift[i] = many->c[i] + h / 2 * many->gamma[i];
    ContactProblem problem = problem_of(stepping, true);
    ContactAnswer answer = {.accelerations = stepping->next,
                            .multipliers = stepping->mu,
                            .lambda = stepping->lambda.at,
                            .acting = stepping->acting.at};
    ContactReport report = contact_accelerations(stepping->gauss, &problem, &answer);
    for (size_t k = 0; k < stepping->reached.which.count && report.outcome == SOLVE_DONE; k++)
        stepping->push[stepping->reached.which.at[k]] = stepping->lambda.at[k];
    return report;
}

// Onto the finite equations, and the velocities onto all of them, at the end of the step.
static bool settle(Stepping *stepping)
{
    Numbers *numbers = stepping->numbers;
    Many *many = &stepping->many;
    if (numbers->finite > 0 &&
        !(projector_newton(&stepping->run->projector, numbers, MOST_NEWTON) <= SETTLED))
        return false;
    many_evaluate(many);
    memset(stepping->force, 0, many->n * sizeof *stepping->force);
    many_add_momentum(many, numbers->v, stepping->force);
    memcpy(stepping->drift, many->c, many->m * sizeof *stepping->drift);
    ContactProblem problem = problem_of(stepping, false);
    bool none[1] = {false};
    ContactAnswer answer = {.accelerations = stepping->next, .acting = none};
    ContactReport report = contact_accelerations(stepping->gauss, &problem, &answer);
    memcpy(numbers->v, stepping->next, many->n * sizeof *numbers->v);
    return report.outcome == SOLVE_DONE;
}

// The equations' reactions in the last step, and its accelerations.
static void keep_reactions(Stepping *stepping, double h)
{
    Numbers *numbers = stepping->numbers;
    const Motion *motion = numbers->motion;
    const ModelConstraint *first = motion->model->constraints.at;
    memset(numbers->lambda, 0, numbers->m * sizeof *numbers->lambda);
    for (size_t i = 0; i < stepping->many.m; i++)
        numbers->lambda[numbers->needed_rows[i]] = stepping->mu[i] / h;
    for (size_t i = 0; i < numbers->m; i++)
        numbers->multipliers[motion->rows[i].constraint - first] = numbers->lambda[i];
    for (size_t i = 0; i < numbers->n; i++)
        numbers->a[i] = (numbers->v[i] - stepping->v[i]) / h;
}

// Those of the one-sided conditions, for the row to come.
static void keep_pushes(Stepping *stepping, double h)
{
    Numbers *numbers = stepping->numbers;
    const Motion *motion = numbers->motion;
    const ModelConstraint *first = motion->model->constraints.at;
    for (size_t i = 0; i < motion->side_count; i++)
        numbers->multipliers[motion->sides[i].constraint - first] = stepping->push[i] / h;
}

// ---- What a step did, for those who listen.

static void tell(Stepping *stepping, const RunEvent *event)
{
    RunEventTally *tally = &stepping->summary->events[event->kind];
    if (tally->count++ == 0)
        tally->first = event->t;
    tally->last = event->t;
    if (stepping->listener->event)
        stepping->listener->event(stepping->listener->context, event);
}

// Impacts are what is reached with f' > 0 and did not push before; what all pushes take of the
// energy is ½ Σ λ(f'⁻ + f'⁺ − 2 ∂f/∂t).
static void tell_step(Stepping *stepping, double h)
{
    RunEvent event = {.t = stepping->t + h / 2, .before = stepping->v, .after = stepping->next};
    const Asked *reached = &stepping->reached;
    for (size_t k = 0; k < reached->which.count; k++) {
        double partial_t = reached->partial_t.at[k], terms;
        double after = asked_along(reached, k, stepping->next, partial_t, &terms);
        event.energy_lost +=
            stepping->lambda.at[k] * ((reached->rate.at[k] + after) / 2 - partial_t);
    }
    stepping->summary->energy_lost += event.energy_lost;
    stepping->energy -= event.energy_lost;
    for (size_t k = 0; k < reached->which.count; k++) {
        if (stepping->pushed.at[k] || !(stepping->lambda.at[k] > 0) || !(reached->rate.at[k] > 0))
            continue;
        event.kind = RUN_IMPACT;
        event.constraint = stepping->numbers->motion->sides[reached->which.at[k]].constraint;
        event.impulse = stepping->lambda.at[k];
        tell(stepping, &event);
    }
    if (stepping->percussion > 0) {
        event = (RunEvent){.t = stepping->percussion,
                           .kind = RUN_IMPULSE,
                           .before = stepping->v,
                           .after = stepping->next};
        tell(stepping, &event);
    }
}

typedef enum { STEPPED, NO_POSITION, NO_VELOCITY } StepOutcome;

// From stepping's state to that after `h`, which numbers then has too.
static StepOutcome step(Stepping *stepping, double h, ContactReport *report)
{
    Numbers *numbers = stepping->numbers;
    size_t n = numbers->n;
    *numbers->t = stepping->t + h / 2;
    for (size_t i = 0; i < n; i++)
        numbers->q[i] = stepping->q[i] + h / 2 * stepping->v[i];
    memcpy(numbers->v, stepping->v, n * sizeof *numbers->v);
    *report = change(stepping, h);
    if (report->outcome != SOLVE_DONE)
        return NO_VELOCITY;
    tell_step(stepping, h);
    for (size_t i = 0; i < n; i++)
        numbers->q[i] += h / 2 * stepping->next[i];
    memcpy(numbers->v, stepping->next, n * sizeof *numbers->v);
    *numbers->t = stepping->t + h;
    if (numbers->m > 0 && !settle(stepping))
        return NO_POSITION;
    keep_reactions(stepping, h);
    memcpy(stepping->q, numbers->q, n * sizeof *numbers->q);
    memcpy(stepping->v, numbers->v, n * sizeof *numbers->v);
    return STEPPED;
}

// ---- Where it cannot go on.

static Status strand(Stepping *stepping, StepOutcome outcome, const ContactReport *report)
{
    Text reason = {0};
    if (outcome == NO_POSITION)
        strand_add_reason(stepping->numbers, NUMBERS_POSITION, &reason);
    else if (report->outcome == SOLVE_NOT_FINITE)
        strand_add_reason(stepping->numbers, NUMBERS_NOT_FINITE, &reason);
    else
        asked_add_reason(&stepping->reached, &stepping->many, report, stepping->lambda.at, &reason);
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
    ColumnsCheck check = columns_fill(&stepping->run->columns, stepping->numbers);
    if (summary->rows == 0)
        stepping->energy = check.energy;
    summary->rows++;
    summary->largest_residual = fmax(summary->largest_residual, check.residual);
    summary->deepest = fmax(summary->deepest, check.depth);
    summary->energy_drift = fmax(summary->energy_drift, fabs(check.energy - stepping->energy));
    if (stepping->run->audit)
        audit_row(stepping->run->audit, stepping->numbers, stepping->run->columns.row);
    const RunListener *listener = stepping->listener;
    return !listener->row || listener->row(listener->context, stepping->run->columns.row);
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
        ContactReport report;
        StepOutcome outcome = step(stepping, way / steps, &report);
        if (outcome != STEPPED)
            return strand(stepping, outcome, &report);
        stepping->t = k < steps ? from + way * (k / steps) : until;
        *stepping->numbers->t = stepping->t;
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
                         .numbers = &run->numbers,
                         .listener = listener,
                         .summary = summary,
                         .diag = diag};
    summary->order = 1;
    if (run->audit)
        ledger_begin(&run->audit->ledger, false);
    Status status = stepping_init(&stepping);
    if (status == STATUS_OK)
        status = go(&stepping);
    summary->evaluations = run->numbers.evaluations;
    stepping_clear(&stepping);
    return status;
}
