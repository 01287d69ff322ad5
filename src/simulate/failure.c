// failure.c: why a motion cannot be followed further, in words.
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/dynamics.h"
#include "dynamics/text_domains.h"
#include "expr/arithmetic.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/domains.h"
#include "model/events.h"
#include "model/model.h"
#include "motion/motion_types.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/modules_impl.h"
#include "simulate/narrow_functions_impl.h"
#include "simulate/run_report.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/switch_functions_impl.h"
#include "simulate/watch_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

const char *failure_names(const Equations *eq, const State *state, DynamicsOutcome why)
{
    const Motion *motion = eq->motion;
    const StateFailure *failure = &state->failure;
    switch (why) {
    case DYNAMICS_INERTIA:
        return expr_name(motion->pool, motion->v[dynamics_undetermined_velocity(eq, state)]);
    case DYNAMICS_CONTRADICTION: return dynamics_row(eq, failure->contradicting)->constraint->name;
    case DYNAMICS_APART: return motion->rows[failure->apart_row].constraint->name;
    default: return "";
    }
}

static const char beyond[] = "the equations of motion have no finite values beyond it: ";

// A coordinate or a velocity that has grown so large that its square is no number; NULL: none. What
// is made of it has no value then, and is not to blame.
static const char *unbounded_part(const Equations *eq, const State *state)
{
    const double *parts = state->inputs + eq->params + 1;
    for (size_t i = 2 * eq->n; i-- > 0;)
        if (!(fabs(parts[i]) < sqrt(DBL_MAX)))
            return expr_name(eq->motion->pool, eq->symbols[eq->params + 1 + i]);
    return NULL;
}

// Outcomes of modules have no reason here.
void failure_add_reason(const Equations *eq, const State *state, DynamicsOutcome why, Text *text,
                        Place *place)
{
    static const char *const reasons[] = {
        [DYNAMICS_INERTIA] =
            "the inertia becomes singular there: nothing determines how %s changes",
        [DYNAMICS_CONTRADICTION] =
            "the constraint '%s' comes to contradict the constraints before it",
        [DYNAMICS_SPEEDS] = "the constraints become dependent on each other, so that they no "
                            "longer determine the velocities",
        [DYNAMICS_APART] = "the constraint '%s', which followed from the constraints before it so "
                           "far, no longer does",
        [DYNAMICS_POSITION] = "no position near it meets the finite constraints",
        [DYNAMICS_VELOCITY] = "no velocities near those reached meet the constraints",
        [DYNAMICS_SLIDING] = "a sliding begins there from rest in two directions at once, and no "
                             "motion was found that begins so",
        [DYNAMICS_NOT_FINITE] = beyond};
    assert(text && why <= DYNAMICS_NOT_FINITE);
    if (modules_add_reason(eq, state, why, text))
        return;
    const char *unbounded =
        !reasons[why] || why == DYNAMICS_NOT_FINITE ? unbounded_part(eq, state) : NULL;
    if (unbounded) {
        text_addf(text, "%s grows there beyond all numbers", unbounded);
        return;
    }
    text_addf(text, reasons[reasons[why] ? why : DYNAMICS_NOT_FINITE],
              failure_names(eq, state, why));
    if (reasons[why] && why != DYNAMICS_NOT_FINITE)
        return;
    failure_add_expression(eq, state, text, place);
}

// ---- The run.

// Whether they did before a place that no power series crosses, though the motion may.
static bool add_singular_function(SimulationRun *run, Text *text, Place *place)
{
    ContactMode *mode = run->mode;
    Expr whole;
    double ahead = TOL_COARSE * run->sim->settings.every;
    if (run->outcome == ODE_STALLED || !mode_evaluate(mode, mode->t) ||
        !narrow_is_singular(run->switches->narrow, mode->state, ahead, &whole))
        return false;
    text_add(text, "the steps shrink below rounding: ");
    expr_print(run->sim->motion->pool, whole, text);
    *place = failure_place_of(run->sim->motion, whole);
    text_add(text, " has no power series there");
    if (run->sim->settings.method == RUN_TAYLOR)
        text_add(text, "; a method without series, such as 'erk', may go on");
    return true;
}

static const char chatter[] =
    "abs, sign, min or max switches to and fro there without end, as dry friction does where it "
    "sticks; a smooth law goes on, such as tanh(v/0.001) for sign(v)";

// Why the steps became short.
static void add_short_steps(const Equations *eq, const State *state, OdeOutcome outcome, Text *text)
{
    if (modules_add_reason(eq, state, DYNAMICS_FOUND, text))
        return;
    text_add(
        text,
        outcome != ODE_STALLED
            ? "the steps shrink below rounding: the motion changes there without bound"
        : evaluator_has_switches(state->forces.program ? &state->forces : &state->direct)
            ? chatter
            : "the steps have become so short that the next row would take millions of them; a "
              "looser tolerance may go further");
}

// Steps become short before a place where an expression has no value: it is looked for a little
// further on.
static bool add_cause_ahead(const SimulationRun *run, Text *text, Place *place)
{
    ContactMode *mode = run->mode;
    Text cause = {0};
    bool found = run->outcome != ODE_STALLED && mode_evaluate(mode, mode->t) &&
                 failure_add_ahead(mode->eq, mode->state, run->sim->settings.every, &cause, place);
    if (found)
        text_addf(text, "%s%s", beyond, cause.at);
    text_clear(&cause);
    return found;
}

bool failure_add_balance(const Motion *motion, const ModelConstraint *constraint,
                         const char *before, Text *text)
{
    const ModelHidden *hidden = constraint->hidden;
    if (!hidden || hidden->servo_count > 0)
        return false;
    text_addf(text,
              "%sthe balance of the forces on %s, which has no inertia, ends there or meets "
              "another one (a snap)",
              before, motion->model->coords.at[hidden->coordinate].name);
    return true;
}

// Whether steps become short before a place where such a balance no longer tells its coordinate:
// its slope along that vanishes.
static bool add_snap(const SimulationRun *run, Text *text)
{
    const ContactMode *mode = run->mode;
    const Equations *eq = mode->eq;
    State *state = mode->state;
    size_t n = eq->n;
    bool found = false;
    if (run->outcome == ODE_STALLED)
        return false;
    *state->t = mode->t;
    memcpy(state->q, mode->y, n * sizeof *state->q);
    evaluator_run(&state->velocities, state->inputs);
    for (size_t i = 0; i < eq->m && !found; i++) {
        const ModelConstraint *constraint = eq->motion->rows[i].constraint;
        const double *row = state->velocities.out + i * n;
        double most = 0, own = 0;
        for (size_t j = 0; j < n; j++) {
            double size = fabs(row[j]) * state->scale[j];
            most = fmax(most, size);
            own = constraint->hidden && constraint->hidden->coordinate == j ? size : own;
        }
        found = own <= TOL_COARSE * most && failure_add_balance(eq->motion, constraint, "", text);
    }
    return found;
}

// The part of the state that changes fastest, against its size.
static void add_fastest(const Equations *eq, const State *state, Text *text)
{
    const Motion *motion = eq->motion;
    size_t most = 0;
    double fastest = -1;
    for (size_t i = 0; i < eq->n; i++) {
        double pace = fabs(state->a[i]) / fmax(fabs(state->v[i]), DBL_MIN);
        if (pace > fastest) {
            fastest = pace;
            most = i;
        }
    }
    text_addf(text, " (%s = %.6g, %s = %.6g)", expr_name(motion->pool, motion->q[most]),
              state->q[most], expr_name(motion->pool, motion->v[most]), state->v[most]);
}

static RunResult report(SimulationRun *run, Place place, double t, Text *reason)
{
    RunSummary *summary = run->summary;
    assert(reason->length > 0);
    diag_error(run->diag, place,
               "the motion cannot be followed beyond t = %.10g: %s. %zu row%s up to there %s given",
               t, reason->at, summary->rows, summary->rows == 1 ? "" : "s",
               summary->rows == 1 ? "is" : "are");
    text_clear(reason);
    return RESULT_UNDECIDED;
}

RunResult failure_at(SimulationRun *run, Place place, double t, Text *reason)
{
    return report(run, place, t, reason);
}

RunResult failure_report(SimulationRun *run, double t, Text *reason)
{
    return report(run, place_none(), t, reason);
}

static RunResult failure_at_flat(SimulationRun *run, double t, const ModelConstraint *flat)
{
    Text reason = {0};
    text_addf(&reason,
              "the one-sided constraint '%s' touches, and no coordinate changes it there to first "
              "order, or without bound, so that it has no reaction; write it so that it does (x >= "
              "0 for x^3 >= 0)",
              flat->name);
    run->summary->reached = t;
    return report(run, flat->place, t, &reason);
}

RunResult failure_of_flat(SimulationRun *run, const ModelConstraint *flat)
{
    return failure_at_flat(run, run->mode->t, flat);
}

RunResult failure_of_mode(SimulationRun *run)
{
    Text reason = {0};
    ContactMode *mode = run->mode;
    assert(mode);
    const ModelConstraint *flat = mode->integrator ? failure_flat_condition(run, mode->t) : NULL;
    if (flat)
        return failure_of_flat(run, flat);
    Place place = place_none();
    bool by_state = modules_are_reason(mode) || run->outcome == ODE_NO_RATE;
    bool snaps = (!by_state || mode->why == DYNAMICS_INERTIA) && add_snap(run, &reason);
    if (by_state && !snaps)
        failure_add_reason(mode->eq, mode->state, mode->why, &reason, &place);
    else if (!snaps && !add_cause_ahead(run, &reason, &place) &&
             !add_singular_function(run, &reason, &place)) {
        add_short_steps(mode->eq, mode->state, run->outcome, &reason);
        if (mode_evaluate(mode, mode->t))
            add_fastest(mode->eq, mode->state, &reason);
    }
    if (run->sim->settings.driven)
        text_add(&reason, "; the velocities that the form keeps may not suffice there, and a run "
                          "without a form can take others");
    // A row inside the last step may have no value though its end has one.
    double t = *mode->state->t;
    bool inside = by_state && mode->stepped && t > mode->from && t < mode->t;
    return report(run, place, inside ? t : mode->t, &reason);
}

RunResult failure_of_row(SimulationRun *run, double t)
{
    Text reason = {0};
    Place place = place_none();
    failure_add_reason(run->mode->eq, run->mode->state, run->mode->why, &reason, &place);
    return report(run, place, t, &reason);
}

RunResult failure_of_input(SimulationRun *run)
{
    Text reason = {0};
    Place place = place_none();
    const ContactMode *mode = run->mode;
    if (!failure_add_table(mode->eq, mode->state, run->sim->settings.every, &reason, &place)) {
        switches_add_reason(run->switches, run->sim->motion->pool, &reason);
        place = failure_place_of(run->sim->motion, switches_narrow(run->switches));
    }
    return report(run, place, mode->t, &reason);
}

RunResult failure_of_place(SimulationRun *run, double t)
{
    Text reason = {0};
    expr_print(run->sim->motion->pool, narrow_function(run->switches->narrow), &reason);
    text_addf(
        &reason,
        " changes faster there than steps of %.2g can follow; smaller steps or another method "
        "may do better",
        run->sim->settings.step);
    run->summary->reached = t;
    Place place = failure_place_of(run->sim->motion, narrow_function(run->switches->narrow));
    return report(run, place, t, &reason);
}

RunResult failure_of_domain(SimulationRun *run, const ModelDomain *domain, double t)
{
    Text reason = {0};
    run->summary->reached = t;
    text_add(&reason, "beyond it ");
    domain_tell(run->sim->motion, domain, &reason);
    return failure_at(run, domain->place, t, &reason);
}

RunResult failure_of_chatter(SimulationRun *run, double t)
{
    Text reason = {0};
    text_add(&reason, chatter);
    run->summary->reached = t;
    return failure_report(run, t, &reason);
}

RunResult failure_of_constant(SimulationRun *run, double t)
{
    Text reason = {0};
    watch_add_alarm(run->watch, &reason);
    run->summary->reached = t;
    return report(run, place_hint(HINT_NO_WATCH), t, &reason);
}

RunResult failure_of_bounds(SimulationRun *run, const ModelConstraint *side, double t)
{
    Text reason = {0};
    const ModelConstraint *flat = failure_flat_condition(run, t);
    if (flat)
        return failure_at_flat(run, t, flat);
    text_addf(&reason,
              "the one-sided constraint '%s' changes faster than can be resolved there, so that it "
              "cannot be told whether it is violated",
              side->name);
    run->summary->reached = t;
    return report(run, side->place, t, &reason);
}

RunResult failure_of_lost_event(SimulationRun *run, const ModelEvent *event, double t)
{
    Text reason = {0};
    text_addf(&reason,
              "the event '%s' throws back there what returns at once, so that its further instants "
              "cannot be told apart; events that follow each other ever faster need one that lets "
              "come to rest what is slow",
              event->name);
    run->summary->reached = t;
    return report(run, event->place, t, &reason);
}

RunResult failure_of_passing(SimulationRun *run, const ModelConstraint *side, double t)
{
    Text reason = {0};
    text_addf(&reason,
              "the one-sided constraint '%s' is violated there, between two steps of %.2g, neither "
              "of which meets it; smaller steps or another method may do better",
              side->name, run->sim->settings.step);
    run->summary->reached = t;
    return report(run, side->place, t, &reason);
}

RunResult failure_of_depth(SimulationRun *run, const ModelConstraint *side, double t)
{
    Text reason = {0};
    text_addf(&reason,
              "the one-sided constraint '%s' is struck there, but met only in the middle of a step "
              "of %.2g, where its surface has another normal or velocity; smaller steps or another "
              "method may do better",
              side->name, run->sim->settings.step);
    run->summary->reached = t;
    return report(run, side->place, t, &reason);
}

RunResult failure_of_order(SimulationRun *run, double t)
{
    Text reason = {0};
    text_addf(&reason,
              "several one-sided constraints are struck within a step of %.2g: one after another "
              "they lead to other velocities than all at once; smaller steps or another method may "
              "do better",
              run->sim->settings.step);
    run->summary->reached = t;
    return failure_report(run, t, &reason);
}

RunResult failure_of_turns(SimulationRun *run, double t, bool endless)
{
    const ContactEvent *event = run->event;
    Text reason = {0};
    text_add(&reason, "the order of impacts cannot be told there: ");
    for (size_t i = 0; i < event->at.count && i < LIMIT_SETS; i++)
        text_addf(&reason, "%s'%s'", i > 0 ? ", " : "",
                  event_constraint(event, event->at.at[i].index)->name);
    text_addf(&reason, "%s %s", event->at.count > LIMIT_SETS ? ", …" : "",
              endless ? "are struck one after another, faster than any digit of the time shows, "
                        "and no end of it is seen"
                      : "touch without a force but for what counts as 0, and behind an impact of "
                        "all at once the velocities are others than behind impacts in turn");
    run->summary->reached = t;
    return failure_report(run, t, &reason);
}

RunResult failure_of_gap(SimulationRun *run, double t)
{
    Text reason = {0};
    text_addf(&reason, "a one-sided constraint is violated there by %.2g, which no event explains",
              run->summary->deepest);
    run->summary->reached = t;
    return failure_report(run, t, &reason);
}

RunResult failure_of_crowd(SimulationRun *run, double t)
{
    bool steps = !modules_apply(run->sim->motion);
    Text reason = {0};
    const ModelConstraint *flat = failure_flat_condition(run, t);
    if (flat)
        return failure_at_flat(run, t, flat);
    text_add(&reason, "events follow each other ever faster there and do not come to rest");
    if (steps)
        text_add(&reason, "; the method 'timestepping' goes over them");
    return report(run, steps ? place_hint(HINT_METHOD) : place_none(), t, &reason);
}
