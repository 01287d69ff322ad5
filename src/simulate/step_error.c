// step_error.c: what steps of fixed length leave undone, by comparison with steps twice as long.
//
// The same motion is gone through before, with half as many steps. Where both differ in a
// coordinate by d, the error of the shorter steps is about d where they are of first order, about
// d/3 where they are of second. Velocities are compared where nothing strikes: near an impact they
// are those before it or behind it.
//
// An impact is late by any part of a step, so that errors of several impacts may be the same in
// shorter and in longer steps. So the motion is gone through once more, with steps twice as long
// that are divided at impacts: it errs otherwise, and where impacts stand apart far less.
#include "base/diag.h"
#include "base/text_builder.h"
#include "dynamics/system_matrices.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "motion/power.h"
#include "simulate/failure_impl.h"
#include "simulate/run_report.h"
#include "simulate/run_sides.h"
#include "simulate/simulate.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/start_contacts_impl.h"
#include "simulate/step_error_impl.h"
#include "simulate/timestepping_impl.h"

#include <assert.h>
#include <math.h>

// Of a pass, and where another one comes in its place, of that one up to the present row.
typedef struct {
    ARRAY(double) at;
    size_t known; // numbers of the former pass
    double step;  // of the pass; 0: there was none
} KeptRows;

struct StepError {
    size_t n, width;         // coordinates; with their velocities, where these are compared
    size_t every;            // of the rows one in so many is kept
    double *largest;         // over the steps of this pass, and
    double *size;            // over those of the pass before
    KeptRows plain, divided; // those of the pass before; with steps divided at impacts
    bool strikes;            // something may
    bool divides;            // this pass divides its steps
    size_t steps, divisions; // of this pass
    double difference;       // the largest of this pass, of its size
    size_t worst, row;       // whose; the next row
    const KeptRows *against; // which of them
    double allowed;          // difference
    bool asked;              // this is the run as asked, not one for comparison
    bool hopeless;           // no step is short enough
};

static void begin_pass(StepError *error)
{
    error->plain.known = error->plain.at.count;
    error->divided.known = error->divided.at.count;
    error->row = error->worst = error->steps = error->divisions = 0;
    error->difference = 0;
    for (size_t i = 0; i < error->width; i++) {
        error->size[i] = error->largest[i];
        error->largest[i] = 0;
    }
}

// Of a state: its coordinates, then their velocities.
static double value_of(const StepError *error, const double *q, const double *v, size_t i)
{
    return i < error->n ? q[i] : v[i - error->n];
}

void step_error_step(StepError *error, const double *q, const double *v)
{
    for (size_t i = 0; error && i < error->width; i++)
        error->largest[i] = fmax(error->largest[i], fabs(value_of(error, q, v, i)));
    if (error)
        error->steps++;
}

// To divide a step takes some tries: where most steps would be, it does not pay.
bool step_error_divides(const StepError *error)
{
    return error && error->divides && LIMIT_SETS * error->divisions <= LIMIT_EVENTS + error->steps;
}

void step_error_note_division(StepError *error)
{
    assert(error && error->divides);
    error->divisions++;
}

// A coordinate that is 0 but for small errors has no digits to lose.
static double size_of(const StepError *error, size_t i)
{
    size_t from = i < error->n ? 0 : error->n;
    double most = 0;
    for (size_t j = from; j < from + error->n; j++)
        most = fmax(most, error->size[j]);
    return fmax(error->size[i], TOL_COARSE * most);
}

// Against the row of a pass before.
static void compare(StepError *error, const double *q, const double *v, const KeptRows *before,
                    size_t at)
{
    if (before->step > 0 && at >= before->known) {
        error->difference = INFINITY;
        error->against = before;
    }
    if (at >= before->known)
        return;
    for (size_t i = 0; i < error->width; i++) {
        double apart = fabs(value_of(error, q, v, i) - before->at.at[at + i]);
        if (apart > error->difference * size_of(error, i)) {
            error->difference = apart / size_of(error, i);
            error->worst = i;
            error->against = before;
        }
    }
}

// In the place of the row of the pass before.
static void keep(StepError *error, const double *q, const double *v, KeptRows *rows, size_t at)
{
    for (size_t i = 0; i < error->width; i++)
        if (at + i < rows->known)
            rows->at.at[at + i] = value_of(error, q, v, i);
        else
            array_push(&rows->at, value_of(error, q, v, i));
}

bool step_error_row(StepError *error, const double *q, const double *v)
{
    if (!error || error->row++ % error->every != 0)
        return true;
    size_t at = (error->row - 1) / error->every * error->width;
    if (!error->divides) {
        compare(error, q, v, &error->plain, at);
        compare(error, q, v, &error->divided, at);
    }
    keep(error, q, v, error->divides ? &error->divided : &error->plain, at);
    return !error->asked || error->difference <= error->allowed;
}

void step_error_give_up(StepError *error)
{
    if (error)
        error->hopeless = true;
}

RunResult step_error_fails(SimulationRun *run, double t)
{
    const StepError *error = run->sim->step_error;
    double step = run->sim->settings.step;
    const KeptRows *against = error->against;
    Text reason = {0};
    assert(against);
    if (isinf(error->difference))
        text_addf(&reason, "steps of %.2g cannot follow it", against->step);
    else
        text_addf(&reason, "steps of %.2g and of %.2g%s differ there in %s by %.2g of its size",
                  step, against->step, against == &error->divided ? ", divided at impacts," : "",
                  run_column_name(run->sim, 1 + error->worst), error->difference);
    text_addf(&reason,
              ", so that the error of steps of %.2g is not known to be below %g of it; smaller "
              "steps or another method may do better",
              step, TOL_POOR);
    run->summary->reached = t;
    return failure_report(run, t, &reason);
}

// ---- Passes.

static bool pass_stop(void *context, double t)
{
    const RunListener *listener = context;
    (void)t;
    return !listener || !listener->progress || listener->progress(listener->context, 0);
}

// Goes through the motion for comparison alone; what it differs by from the pass before.
static double pass(Simulation *sim, double steps, bool divides, const RunListener *listener)
{
    StepError *error = sim->step_error;
    KeptRows *rows = divides ? &error->divided : &error->plain;
    RunOptions settings = sim->settings;
    RunAudit *audit = sim->audit;
    RunListener quiet = {.progress = pass_stop, .context = (void *)listener};
    Diag *own = diag_new();
    error->divides = divides;
    begin_pass(error);
    sim->audit = NULL;
    sim->settings.unwatched = true;
    sim->settings.step = fmin(settings.every, settings.to) / steps;
    Status status = run_pass(sim, &quiet, own, NULL);
    rows->step = sim->settings.step;
    error->divides = false;
    rows->at.count = (error->row + error->every - 1) / error->every * error->width;
    sim->settings = settings;
    sim->audit = audit;
    diag_free(own);
    return status == STATUS_OK ? error->difference : INFINITY;
}

// How many steps from a row to the next leave a small error: twice as many as differ little from
// half of these. Where something may strike, these steps themselves: an impact may be less late in
// longer ones. It is given up where the differences do not become smaller.
static double choose(Simulation *sim, double steps, const RunListener *listener)
{
    const StepError *error = sim->step_error;
    double least = INFINITY, longer = error->strikes ? 1 : 2;
    pass(sim, floor(steps / longer / 2), false, listener);
    for (int i = 0, worse = 0; i < 2 * LIMIT_PATIENCE && worse < LIMIT_PATIENCE; i++) {
        if (error->strikes)
            pass(sim, floor(steps / 2), true, listener);
        double difference = pass(sim, floor(steps / longer), false, listener);
        if (difference <= error->allowed || error->hopeless)
            return steps;
        worse = difference < least ? 0 : worse + 1;
        least = fmin(least, difference);
        steps *= 2;
    }
    return error->strikes ? steps : steps / 2;
}

// A state of equilibrium stays; there is no motion whose size an error could be a part of.
static bool is_equilibrium(const Simulation *sim)
{
    const RunStart *start = &sim->start;
    SystemMatrices *matrices = sim->contacts->matrices;
    double *rate = base_alloc(start->n * sizeof *rate);
    assert(matrices->n == start->n);
    matrices_evaluate(matrices);
    matrices_add_momentum(matrices, start->a, rate);
    double most = real_largest(matrices->force, start->n);
    bool is = real_largest(start->v, start->n) == 0 &&
              real_largest(rate, start->n) <= TOL_AGREEMENT * most;
    base_free(rate);
    return is && motion_is_autonomous(sim->motion);
}

bool step_error_compares(const Simulation *sim)
{
    const RunOptions *settings = &sim->settings;
    return settings->method == RUN_TIMESTEPPING && !settings->unwatched && !is_equilibrium(sim);
}

Status step_error_go(Simulation *sim, const RunListener *listener, Diag *diag, RunSummary *summary)
{
    RunOptions *settings = &sim->settings;
    double span = fmin(settings->every, settings->to), steps = run_options_steps(settings, span);
    size_t n = sim->start.n;
    StepError error = {.n = n, .strikes = sim->contacts->told->count > 0};
    error.width = error.strikes ? n : 2 * n;
    error.largest = base_alloc(2 * error.width * sizeof *error.largest);
    error.size = error.largest + error.width;
    // Where something strikes, errors do not follow the step's length smoothly.
    error.allowed = error.strikes ? TOL_POOR / 2 : TOL_POOR;
    error.every = 1 + (size_t)(settings->to / settings->every / LIMIT_EVENTS);
    assert(steps >= 1);
    sim->step_error = &error;
    double other = steps > 1 ? floor(steps / 2) : 2;
    if (settings->chooses_step)
        steps = choose(sim, steps, listener);
    else
        pass(sim, other, false, listener);
    if (!settings->chooses_step && error.strikes)
        pass(sim, other, true, listener);
    settings->step = span / steps;
    begin_pass(&error);
    error.asked = true;
    Status status = run_pass(sim, listener, diag, summary);
    if (summary)
        summary->step_error = error.difference;
    sim->step_error = NULL;
    array_clear(&error.plain.at);
    array_clear(&error.divided.at);
    base_free(error.largest);
    return status;
}
