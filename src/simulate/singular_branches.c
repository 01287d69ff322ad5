// singular_branches.c: the branches by which a motion can leave a singular position, the one that
// was asked for, and what is said of the position.
//
// A motion that leaves by another branch than its own has a series about a state beside the
// position: the one whose polynomial has the position and the velocities of the branch there.
#include "base/text_builder.h"
#include "dynamics/equations_types.h"
#include "dynamics/independent_rows.h"
#include "dynamics/pattern.h"
#include "dynamics/projection.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "ode/ode.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/mode_inside_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/narrow_functions_impl.h"
#include "simulate/recording_impl.h"
#include "simulate/run_leave.h"
#include "simulate/run_options.h"
#include "simulate/run_report.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/singular_parts_impl.h"
#include "simulate/switch_functions_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// The state at the position, as the polynomial has it.
static void go_to_position(SingularPositions *singular, ContactMode *mode)
{
    singular_nearest(singular, mode, singular->at);
}

// At both ends of the last step: at the position itself they may vanish.
static void measure_spares(SingularPositions *singular, ContactMode *mode)
{
    size_t n = mode->eq->n, count = mode->eq->motion->spare_count;
    double *rows = base_alloc((count * (n + 2) + 1) * sizeof *rows);
    for (int end = 0; end < 2 && count > 0; end++) {
        singular_nearest(singular, mode, end ? mode->t : mode->from);
        spare_rows_evaluate(mode->eq, mode_first_probe(mode), rows);
        for (size_t i = 0; i < count; i++)
            singular->spares[i] = fmax(singular->spares[i], real_largest(rows + i * (n + 2), n));
    }
    base_free(rows);
}

const TangentCone *singular_cone(SingularPositions *singular, ContactMode *mode)
{
    if (singular->arena)
        return &singular->cone;
    singular->arena = arena_new();
    measure_spares(singular, mode);
    go_to_position(singular, mode);
    double *v = real_alloc(singular->arena, mode->eq->n);
    memcpy(v, singular->rate, mode->eq->n * sizeof *v);
    tangent_cone_find(mode->eq, mode_first_probe(mode), v, singular->longest,
                      singular_known(singular, mode), singular->spares, singular->arena,
                      &singular->cone);
    return &singular->cone;
}

bool singular_is_only_of_kept(SingularPositions *singular, ContactMode *mode)
{
    const TangentCone *at = singular_cone(singular, mode);
    return at->at >= at->before;
}

// The rows' sizes, by what is known in the order of the needed ones and those left out, and back.
static void order_sizes(const Equations *eq, double *by_row, double *longest, bool back)
{
    size_t next = eq->independent.count;
    for (size_t i = 0; i < eq->m; i++) {
        size_t place = eq->independent.place[i] < eq->m ? eq->independent.place[i] : next++;
        *(back ? &longest[place] : &by_row[i]) = back ? by_row[i] : longest[place];
    }
}

bool singular_takes_others(SingularPositions *singular, ContactMode *mode)
{
    Equations *eq = mode->eq;
    if (eq->m != singular->all || eq->independent.count == eq->m ||
        singular->chosen >= mode->from || !singular_is_only_of_kept(singular, mode))
        return false;
    double *sizes = base_alloc((eq->m + 1) * sizeof *sizes);
    go_to_position(singular, mode);
    order_sizes(eq, sizes, singular->longest, false);
    bool others = independent_rows_choose(eq, mode->state, mode_first_probe(mode), sizes);
    if (others) {
        order_sizes(eq, sizes, singular->longest, true);
        memset(singular->pivots, 0, singular->all * sizeof *singular->pivots);
        memset(singular->paces, 0, 2 * eq->n * sizeof *singular->paces);
        singular->chosen = singular->seen = mode->from;
        singular->at = INFINITY;
        singular->length = 0;
        singular->sampled = NAN;
    }
    singular_clear(singular);
    base_free(sizes);
    return others;
}

// What was asked for at this position: the number of a branch; 1 is the motion's own.
static size_t wanted_branch(const SingularPositions *singular, const RunOptions *settings)
{
    for (size_t i = 0; i < settings->leave_count; i++)
        if (fabs(settings->leaves[i].t - singular->at) <= TOL_COARSE * singular->length)
            return settings->leaves[i].number;
    return 1;
}

void singular_take_branch(SingularPositions *singular, ContactMode *mode)
{
    size_t wanted = wanted_branch(singular, mode->settings), n = mode->eq->n;
    singular->branch = NULL;
    if (wanted == 1 || singular->at > mode->settings->to || singular->at <= mode->from)
        return;
    const TangentCone *at = singular_cone(singular, mode);
    if (wanted > at->found)
        return;
    singular->branch = at->branches + (wanted - 1) * n;
    mode_cut_across(mode, singular->at);
}

// How far the polynomial of the last step is from the position and its branch, there; the state
// from which it began is then moved by that (q, v).
static double improve_leaving(SingularPositions *singular, ContactMode *mode, const double *from,
                              double length, double *q, double *v)
{
    double miss = 0, fastest = 0, *scale = mode_first_probe(mode)->scale;
    ode_integrator_interpolate(mode->integrator, singular->at, singular->y, singular->rate);
    for (size_t j = 0; j < mode->eq->n; j++) {
        double moved = from[j] - singular->y[j], turned = singular->branch[j] - singular->rate[j];
        miss = fmax(miss, fmax(fabs(moved) / length, fabs(turned)) / scale[j]);
        fastest = fmax(fastest, fabs(singular->branch[j]) / scale[j]);
        q[j] += moved + length * turned;
        v[j] += turned;
    }
    return isfinite(miss) && fastest > 0 ? miss / fastest : INFINITY;
}

// A step that begins so far behind the position, from a state on the conditions.
static bool step_beside(ContactMode *mode, double t, double end, const double *q, const double *v)
{
    const Equations *eq = mode->eq;
    State *probe = mode_first_probe(mode);
    size_t bytes = eq->n * sizeof *q;
    *probe->t = t;
    memcpy(probe->q, q, bytes);
    memcpy(probe->v, v, bytes);
    return (eq->finite == 0 || positions_project(eq, probe, LIMIT_STEPS) <= TOL_CONDITION) &&
           velocities_project(eq, probe) && mode_begin(mode, t, probe->q, probe->v, end - t) &&
           mode_step(mode, end) == ODE_STEPPED;
}

// The motion that leaves the position `from` by the branch: the one whose series about a state at
// this distance behind has the position and the velocities of the branch there.
static bool leave_by(SingularPositions *singular, ContactMode *mode, const double *from,
                     double length)
{
    const Equations *eq = mode->eq;
    double t = singular->at, last = INFINITY, miss = INFINITY;
    double *q = base_alloc((2 * eq->n + 1) * sizeof *q), *v = q + eq->n;
    memcpy(q, from, eq->n * sizeof *q);
    memcpy(v, singular->branch, eq->n * sizeof *v);
    real_add_times(length, v, eq->n, q);
    for (size_t i = 0; i < LIMIT_STEPS && (i == 0 || miss < last / 2); i++) {
        last = miss;
        miss = step_beside(mode, t + length, t + 2 * length, q, v)
                   ? improve_leaving(singular, mode, from, length, q, v)
                   : INFINITY;
    }
    base_free(q);
    return miss <= fmax(TOL_AGREEMENT, mode->settings->tolerance);
}

// From the position by its branch, in a step that is looked at as others are.
static bool leave(SimulationRun *run)
{
    SingularPositions *singular = run->singular;
    ContactMode *mode = run->mode;
    assert(singular->branch && mode->t == singular->at);
    double t = singular->at, *from = base_alloc((mode->eq->n + 1) * sizeof *from);
    double end = switches_step_end(run->switches, mode, fmin(mode->settings->to, events_next(run)));
    double length = fmin(singular->length, end - t) / 2;
    bool left = false;
    memcpy(from, mode->y, mode->eq->n * sizeof *from);
    for (size_t i = 0; i < LIMIT_STEPS / LIMIT_PATIENCE && !left; i++, length /= 2) {
        narrow_begin_step(run->switches->narrow, mode->y);
        left = leave_by(singular, mode, from, length);
        if (!left)
            continue;
        singular->at = INFINITY;
        singular->seen = t + length / 2;
        mode_leave(mode, t);
        left = narrow_step_end(run->switches->narrow, mode, true) >= mode->t &&
               !singular_lies_ahead(singular, mode);
        singular->at = left ? singular->at : t;
    }
    base_free(from);
    return left;
}

// ---- What is said of it.

// The constraints that become dependent there.
static void add_names(SingularPositions *singular, ContactMode *mode, Text *text)
{
    DependentRow dependent = singular_nearest(singular, mode, singular->at);
    independent_rows_add_names(mode->eq, mode_first_probe(mode), &dependent, text);
}

// With the row behind it.
static void record(SimulationRun *run, double t, const char *names, const double *state)
{
    SingularPositions *singular = run->singular;
    const TangentCone *at = singular_cone(singular, run->mode);
    record_event(run, &(RunEvent){.t = t,
                                  .kind = RUN_SINGULAR,
                                  .what = names,
                                  .before = at->branches,
                                  .after = singular->branch ? singular->branch : at->branches,
                                  .state = state,
                                  .cone = at});
}

static RunResult cannot_leave(SimulationRun *run, double t)
{
    Text reason = {0};
    text_add(&reason, "there no motion was found that leaves by the branch asked for");
    return failure_report(run, t, &reason);
}

// The rows on both sides, and the step that leaves.
static RunResult turn(SimulationRun *run)
{
    ContactMode *mode = run->mode;
    double t = mode->t;
    bool last;
    RunResult result = record_rows(run, run->mode->t);
    bool is_row = record_is_row(run, t);
    if (result == RESULT_CONTINUE && !mode_evaluate(mode, t))
        result = RESULT_FAILED;
    if (result == RESULT_CONTINUE)
        result = record_row(run, !is_row);
    if (result != RESULT_CONTINUE)
        return result;
    record_next_row(run, &last);
    run->rows.next += is_row;
    Text names = {0};
    singular_cone(run->singular, mode);
    add_names(run->singular, mode, &names);
    bool ends = is_row && last, leaves = !ends && leave(run);
    bool known = leaves && mode_evaluate(mode, t);
    record(run, t, names.at, known || ends ? record_state(run) : NULL);
    text_clear(&names);
    if (ends)
        return RESULT_FINISHED;
    if (!leaves)
        return cannot_leave(run, t);
    run->singular->branch = NULL;
    result = known ? record_row(run, true) : RESULT_FAILED;
    return result == RESULT_CONTINUE ? events_process(run) : result;
}

static void pass(SimulationRun *run)
{
    SingularPositions *singular = run->singular;
    Text names = {0};
    singular_cone(singular, run->mode);
    add_names(singular, run->mode, &names);
    record(run, singular->at, names.at, record_state_at(run, singular->at));
    text_clear(&names);
}

bool singular_passes(SimulationRun *run, RunResult *result)
{
    SingularPositions *singular = run->singular;
    // A step across may end behind the end of the run.
    if (!singular || !singular->crossed ||
        singular->at > fmin(run->mode->t, run->mode->settings->to))
        return false;
    bool turns = singular->branch != NULL;
    singular->crossed = false;
    if (turns)
        *result = turn(run);
    else if (!singular_is_only_of_kept(singular, run->mode))
        pass(run);
    return turns;
}

// Whether the last step ended so near to one that this is why there is no other.
static bool ends_near(SingularPositions *singular, ContactMode *mode)
{
    // Conditions that are not linear in the velocities have their own reason.
    if (!mode->stepped || mode->eq->nonlinear)
        return false;
    singular->at = mode->t;
    double left = singular_nearest(singular, mode, mode->t).distance;
    singular_count_as_none(singular, left);
    return left <= TOL_COARSE;
}

// Where a balance of forces is among them.
static void add_balance(const Motion *motion, const char *names, Text *reason)
{
    for (size_t i = 0; i < motion->m; i++)
        if (strstr(names, motion->rows[i].constraint->name) &&
            failure_add_balance(motion, motion->rows[i].constraint, ": ", reason))
            return;
}

bool singular_fails(SimulationRun *run, bool otherwise, RunResult *result)
{
    SingularPositions *singular = run->singular;
    if (!singular || !(singular->fails || (otherwise && ends_near(singular, run->mode))))
        return false;
    Text reason = {0};
    const TangentCone *at = singular_cone(singular, run->mode);
    Text names = {0};
    add_names(singular, run->mode, &names);
    bool several = strchr(names.at, ',');
    text_addf(&reason,
              "there the constraint%s %s become%s dependent (rank %zu → %zu), and the motion does "
              "not continue smoothly",
              several ? "s" : "", names.at, several ? "" : "s", at->before, at->at);
    if (at->at >= at->before)
        text_add(&reason, " without the constraints that follow from the others elsewhere and were "
                          "left out or set aside");
    if (run->mode->settings->method != RUN_TAYLOR)
        text_add(&reason, " by this method; the default one, 'taylor', goes across where it does");
    add_balance(run->mode->eq->motion, names.at, &reason);
    text_clear(&names);
    *result = failure_report(run, singular->at, &reason);
    return true;
}

bool *singular_at_jump(SimulationRun *run, Text *names)
{
    ContactMode *mode = run->mode;
    const Equations *eq = mode->eq;
    if (!run->singular || !mode->stepped || eq->nonlinear)
        return NULL;
    DependentRow dependent = singular_nearest(run->singular, mode, mode->t);
    if (dependent.distance > TOL_RANK)
        return NULL;
    independent_rows_add_names(eq, mode_first_probe(mode), &dependent, names);
    const Pattern *filled = &eq->patterns->velocity;
    size_t row = eq->independent.rows[dependent.row];
    bool *holds = base_alloc(eq->n * sizeof *holds);
    memset(holds, 0, eq->n * sizeof *holds);
    for (size_t l = filled->begins[row]; l < filled->begins[row + 1]; l++)
        holds[filled->places[l]] = true;
    return holds;
}
