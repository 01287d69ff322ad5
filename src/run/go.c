// go.c: from the start to the end: steps, rows, changes of speeds, and where a run strands.
#include "run/run_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// A row this near to the end is the row at the end.
#define NEAR_END 1e-12
// Of a state that was settled, the finite conditions miss no more than this part.
#define SETTLED     1e-9
#define MOST_NEWTON 5
// Steps of so many decays are held down by stability: Adams' by going round, the others' by their
// stages or coefficients.
#define SHORT_LIMIT 0.5
#define LONG_LIMIT  2.5
// After so many looks for stiffness, none seen, there is none.
#define MANY_LOOKS 5
// The speeds are looked at again after so many steps at the latest: at first, with every so many
// steps of the run one more, and in the end; and where a step of a series has become so much
// shorter, because the speeds' singularity bounds it.
#define FIRST_UNSEEN 16
#define STEPS_A_LOOK 2
#define MOST_UNSEEN  256
#define SHORTER      0.5

typedef struct {
    Run *run;
    Numbers *numbers;
    const RunListener *listener;
    RunSummary *summary;
    Integrator *integrator;
    Course course;
    Stiffness stiffness;
    Sizes sizes;
    double *y; // q, then u
    double t;
    double *y_row, *rate_row; // the same at a row, and its rate there
    size_t row;               // which one comes next
    size_t *chosen;           // room for the coordinates whose velocities are the speeds
    // The speeds are looked at again where they may have become poor.
    double condition;    // when last looked at; 0 for never
    size_t good, unseen; // for how many steps from then; how many of these were made
    double step;         // when last looked at
    NumbersOutcome why;  // of the last rate that could not be evaluated
    double energy;       // at t = 0
} Journey;

// ---- What the integrator asks.

static bool rate(void *context, double t, const double *y, double *out)
{
    Journey *journey = context;
    Numbers *numbers = journey->numbers;
    size_t n = numbers->n;
    NumbersOutcome outcome = numbers_velocities(numbers, t, y, y + n);
    if (outcome == NUMBERS_FOUND)
        outcome = numbers_accelerations(numbers, out + n);
    if (outcome != NUMBERS_FOUND) {
        journey->why = outcome;
        return false;
    }
    memcpy(out, numbers->v, n * sizeof *out);
    return true;
}

// What is wrong with the rates in one program is found by the other road.
static bool any_rate(void *context, double t, const double *y, double *out)
{
    Journey *journey = context;
    return course_rate(&journey->course, t, y, out) || rate(journey, t, y, out);
}

static bool series(void *context, size_t k, const double *ty, double *out)
{
    Journey *journey = context;
    if (course_series(&journey->course, k, ty, out))
        return true;
    if (k == 0 && rate(journey, ty[0], ty + 1, journey->rate_row))
        journey->why = NUMBERS_NOT_FINITE;
    return false;
}

static size_t expand(void *context, size_t order, double *ty)
{
    Journey *journey = context;
    return course_expand(&journey->course, order, ty);
}

static bool jacobian(void *context, double t, const double *y, double *columns)
{
    Journey *journey = context;
    return course_jacobian(&journey->course, t, y, columns);
}

static double clear_of_switches(void *context, size_t order, double most)
{
    const Journey *journey = context;
    return course_clear_of_switches(&journey->course, order, most);
}

static bool settle(void *context, double t, double *y)
{
    Journey *journey = context;
    Numbers *numbers = journey->numbers;
    size_t bytes = numbers->n * sizeof *y;
    *numbers->t = t;
    memcpy(numbers->q, y, bytes);
    double miss = projector_newton(&journey->run->projector, numbers, MOST_NEWTON);
    if (!(miss <= SETTLED)) {
        journey->why = NUMBERS_POSITION;
        return false;
    }
    memcpy(y, numbers->q, bytes);
    return true;
}

static void allowance(void *context, const double *y, double *out)
{
    const Journey *journey = context;
    sizes_allow(&journey->sizes, y, out);
}

// ---- Setting out.

// From the present q, v and speeds in use.
static bool set_out(Journey *journey, double step)
{
    Numbers *numbers = journey->numbers;
    size_t n = numbers->n;
    memcpy(journey->y, numbers->q, n * sizeof *journey->y);
    numbers_speeds(numbers, journey->y + n);
    double *rates = base_alloc((n + numbers->k + 1) * sizeof *rates);
    bool found = rate(journey, journey->t, journey->y, rates);
    if (found) {
        sizes_begin(&journey->sizes, numbers, journey->y + n, rates + n);
        course_make(&journey->course, journey->t, journey->y);
    }
    base_free(rates);
    return found && integrator_start(journey->integrator, journey->t, journey->y, step);
}

// From the same state by another road.
static bool start_anew(Journey *journey)
{
    return journey->run->settings.method != RUN_TAYLOR ||
           integrator_start(journey->integrator, journey->t, journey->y,
                            integrator_next_step(journey->integrator));
}

static bool begin(Journey *journey)
{
    Run *run = journey->run;
    Numbers *numbers = journey->numbers;
    numbers->evaluations = 0;
    numbers->own_speeds = numbers->needed == numbers->m;
    *numbers->t = 0;
    memcpy(numbers->q, run->q, numbers->n * sizeof(double));
    NumbersOutcome outcome = numbers_velocities(numbers, 0, run->q, run->u);
    memcpy(numbers->v, run->v, numbers->n * sizeof(double));
    double now = outcome == NUMBERS_FOUND ? conditioning_now(numbers) : 0;
    conditioning_improve(numbers, now);
    return set_out(journey, 0);
}

// ---- On the way.

// Accelerations and multipliers at the state whose velocities numbers has.
static bool accelerate(Journey *journey)
{
    journey->why = numbers_accelerations(journey->numbers, NULL);
    if (journey->why == NUMBERS_FOUND && journey->numbers->apart > NEEDED_APART)
        journey->why = NUMBERS_APART;
    return journey->why == NUMBERS_FOUND;
}

// Brings numbers to a state, accelerations included.
static bool evaluate(Journey *journey, double t, const double *y)
{
    journey->why = numbers_velocities(journey->numbers, t, y, y + journey->numbers->n);
    return journey->why == NUMBERS_FOUND && accelerate(journey);
}

// False where the listener has had enough.
static bool tell_row(Journey *journey)
{
    RunSummary *summary = journey->summary;
    ColumnsCheck check = columns_fill(&journey->run->columns, journey->numbers);
    if (summary->rows == 0)
        journey->energy = check.energy;
    summary->rows++;
    summary->largest_residual = fmax(summary->largest_residual, check.residual);
    summary->energy_drift = fmax(summary->energy_drift, fabs(check.energy - journey->energy));
    if (journey->run->audit)
        audit_row(journey->run->audit, journey->numbers, journey->run->columns.row);
    const RunListener *listener = journey->listener;
    return !listener->row || listener->row(listener->context, journey->run->columns.row);
}

static bool tell_progress(const Journey *journey, double t)
{
    const RunListener *listener = journey->listener;
    return !listener->progress || listener->progress(listener->context, t);
}

// The condition of the speeds at a state, with the velocities there; 0 where there are none.
static double condition_at(Journey *journey, double t, const double *y)
{
    Numbers *numbers = journey->numbers;
    journey->why = numbers_velocities(numbers, t, y, y + numbers->n);
    return journey->why == NUMBERS_FOUND ? conditioning_now(numbers) : 0;
}

// Velocities that follow from speeds of a condition below this have lost more digits than those of
// the last step's own slope.
#define SLOPE_IS_BETTER 0.005

static void take_slope(Journey *journey)
{
    memcpy(journey->numbers->v, journey->rate_row, journey->numbers->n * sizeof(double));
}

// For how many steps the speeds stay good, at the pace at which their condition has changed.
static size_t good_for(Journey *journey, double now)
{
    double pace = fabs(now - journey->condition) / (double)(journey->unseen + 1);
    journey->condition = now;
    size_t most = FIRST_UNSEEN + journey->course.steps / STEPS_A_LOOK;
    double steps = fmin((now - CONDITIONING_POOR) / (2 * pace), (double)most);
    return steps > 0 ? (size_t)fmin(steps, MOST_UNSEEN) : 0;
}

// After an accepted step: other rates where these have become poor.
static bool look_at_rates(Journey *journey)
{
    if (!course_is_poor(&journey->course, journey->t, journey->y))
        return true;
    if (evaluate(journey, journey->t, journey->y))
        course_renew(&journey->course, journey->t, journey->y);
    else
        course_give_up(&journey->course);
    return start_anew(journey);
}

// The same for sizes and speeds; *changed where other speeds were taken.
static bool look_at_speeds(Journey *journey, bool *changed)
{
    Numbers *numbers = journey->numbers;
    double step = integrator_next_step(journey->integrator);
    *changed = false;
    if (journey->unseen < journey->good && !(step < SHORTER * journey->step)) {
        journey->unseen++;
        return true;
    }
    journey->step = step;
    double now = condition_at(journey, journey->t, journey->y);
    journey->good = good_for(journey, now);
    journey->unseen = 0;
    if (now < SLOPE_IS_BETTER && integrator_is_dense(journey->integrator)) {
        integrator_between(journey->integrator, journey->t, journey->y_row, journey->rate_row);
        take_slope(journey);
    }
    *changed = conditioning_improve(numbers, now);
    if (*changed) {
        journey->summary->speed_changes++;
        journey->good = 0;
        return set_out(journey, integrator_next_step(journey->integrator));
    }
    // Where this fails, the next step will find out and say so.
    if (journey->why == NUMBERS_FOUND && accelerate(journey))
        sizes_see(&journey->sizes, numbers, journey->y + numbers->n);
    return true;
}

// The speeds first: they may need what the integrator knows of its last step.
static bool look_around(Journey *journey)
{
    bool changed;
    return look_at_speeds(journey, &changed) && (changed || look_at_rates(journey));
}

// Numbers at a row of the last step. The speeds may be poor there though the step is good.
static bool evaluate_row(Journey *journey, double t)
{
    if (journey->row == 0 || !integrator_is_dense(journey->integrator))
        return evaluate(journey, t, journey->y);
    Numbers *numbers = journey->numbers;
    size_t bytes = numbers->k * sizeof *numbers->chosen;
    double *y = journey->y_row;
    integrator_between(journey->integrator, t, y, journey->rate_row);
    if (t == journey->t)
        memcpy(y, journey->y, (numbers->n + numbers->k) * sizeof *y);
    else if (numbers->finite > 0 && !settle(journey, t, y))
        return false;
    double now = condition_at(journey, t, y);
    if (now >= SLOPE_IS_BETTER)
        return accelerate(journey);
    bool own = numbers->own_speeds;
    memcpy(journey->chosen, numbers->chosen, bytes);
    take_slope(journey);
    if (conditioning_improve(numbers, now))
        numbers_speeds(numbers, y + numbers->n);
    bool found = evaluate(journey, t, y);
    numbers->own_speeds = own;
    memcpy(numbers->chosen, journey->chosen, bytes);
    return found;
}

// Integrates the power along the last step up to a time, for an audit: the run itself is not to
// notice.
static void add_work(Journey *journey, double until)
{
    Ledger *ledger = journey->run->audit ? &journey->run->audit->ledger : NULL;
    if (!ledger || !ledger->follows || until <= ledger->until)
        return;
    NumbersOutcome why = journey->why;
    size_t evaluations = journey->numbers->evaluations;
    size_t rates = journey->course.evaluations;
    for (size_t i = 0; i < LEDGER_NODES && ledger->follows; i++) {
        ledger->follows = evaluate_row(journey, ledger_node(ledger, until, i));
        ledger_add(ledger, until, i, journey->numbers);
    }
    ledger->until = until;
    journey->numbers->evaluations = evaluations;
    journey->course.evaluations = rates;
    journey->why = why;
}

// The time of the next row; *last where it is the one at the end.
static double next_row(const Journey *journey, bool *last)
{
    const RunOptions *settings = &journey->run->settings;
    double time = (double)journey->row * settings->every;
    *last = time >= settings->to - fmax(NEAR_END, 4 * DBL_EPSILON * settings->to);
    return *last ? settings->to : time;
}

static void look_for_stiffness(Journey *journey, size_t steps)
{
    size_t count = journey->numbers->n + journey->numbers->k;
    if (count == 0 || !stiffness_is_due(steps))
        return;
    double *columns = base_alloc((count * count + 8 * count) * sizeof *columns);
    if (jacobian(journey, journey->t, journey->y, columns))
        stiffness_look(&journey->stiffness, columns, count,
                       integrator_next_step(journey->integrator),
                       journey->run->settings.method == RUN_ADAMS ? SHORT_LIMIT : LONG_LIMIT,
                       columns + count * count);
    base_free(columns);
}

// What to do better next time.
static void advise(const Journey *journey, Diag *diag)
{
    RunMethod method = journey->run->settings.method;
    const Stiffness *stiffness = &journey->stiffness;
    if (stiffness->stiff && method != RUN_BDF)
        diag_add(diag, DIAG_WARNING, place_none(),
                 "the motion is stiff: what dies away within %.2g keeps the steps short, though "
                 "nothing changes as fast; '--method bdf' may need far fewer",
                 1 / stiffness->fastest);
    if (method == RUN_BDF && !stiffness->stiff && stiffness->looks >= MANY_LOOKS)
        diag_add(diag, DIAG_NOTE, place_none(),
                 "nothing stiff was seen: '--method taylor' needs fewer steps here");
}

typedef enum { ARRIVED, ON_THE_WAY, ENOUGH, STRANDED, BROKEN } Arrival;

// Tells the rows up to the state reached, from the inside of the last step where they lie there.
static Arrival tell_rows(Journey *journey)
{
    bool last;
    for (double time; time = next_row(journey, &last), time <= journey->t; journey->row++) {
        add_work(journey, time);
        if (!evaluate_row(journey, time))
            return STRANDED;
        bool more = tell_row(journey);
        if (last)
            return ARRIVED;
        // A step may hold many rows: whoever has had enough need not wait for its end.
        if (!more || (time < journey->t && !tell_progress(journey, time))) {
            journey->summary->reached = time;
            return ENOUGH;
        }
    }
    add_work(journey, journey->t);
    return ON_THE_WAY;
}

// A step covers no more than this part of the way, and no more than a row to the next, where only
// its ends are seen: a force that acts for a while is not passed over.
#define LONGEST_PART 0.01

// So many steps that cover less than this part of the way from a row to the next lead nowhere: a
// runaway whose rounding errors no tolerance can meet.
#define STALL_STEPS 5000
#define STALL_PART  1e-3

static Arrival travel(Journey *journey, IntegratorOutcome *outcome, Diag *diag)
{
    const RunOptions *settings = &journey->run->settings;
    bool dense = integrator_is_dense(journey->integrator), last;
    double mark = journey->t, way = fmin(settings->every, settings->to);
    *outcome = INTEGRATOR_RATE;
    Arrival arrival = tell_rows(journey);
    for (size_t steps = 1; arrival == ON_THE_WAY; steps++) {
        double until = dense ? settings->to : next_row(journey, &last);
        *outcome = integrator_step(journey->integrator, until, &journey->t, journey->y);
        if (*outcome == INTEGRATOR_FAILED)
            return BROKEN;
        // What one program cannot pass, the motion itself may.
        if (*outcome != INTEGRATOR_STEPPED && course_give_up(&journey->course) &&
            integrator_start(journey->integrator, journey->t, journey->y, 0))
            continue;
        if (*outcome != INTEGRATOR_STEPPED)
            return STRANDED;
        journey->summary->reached = journey->t;
        *outcome = INTEGRATOR_RATE;
        arrival = tell_rows(journey);
        if (arrival != ON_THE_WAY)
            break;
        if (!look_around(journey))
            return STRANDED;
        look_for_stiffness(journey, steps);
        if (!tell_progress(journey, journey->t))
            return ENOUGH;
        engine_consider(journey->run, steps, journey->t, diag);
        course_consider(&journey->course, journey->t);
        if (steps % STALL_STEPS == 0) {
            *outcome = INTEGRATOR_STALLED;
            if (journey->t - mark < STALL_PART * way)
                return STRANDED;
            mark = journey->t;
        }
    }
    return arrival;
}

static Status strand(Journey *journey, IntegratorOutcome outcome, Diag *diag)
{
    Text reason = {0};
    Numbers *numbers = journey->numbers;
    if (outcome == INTEGRATOR_RATE)
        strand_add_reason(numbers, journey->why, &reason);
    else
        text_add(&reason, strand_why_short(numbers, outcome));
    if (outcome != INTEGRATOR_RATE && evaluate(journey, journey->t, journey->y))
        strand_add_runaway(numbers, &reason);
    diag_error(diag, place_none(),
               "the motion cannot be followed beyond t = %.10g: %s. %zu row%s up to there %s given",
               journey->t, reason.at, journey->summary->rows,
               journey->summary->rows == 1 ? "" : "s", journey->summary->rows == 1 ? "is" : "are");
    text_clear(&reason);
    journey->summary->end = RUN_STRANDED;
    return STATUS_NEGATIVE;
}

// ---- The whole way.

static Status go(Journey *journey, Diag *diag)
{
    IntegratorOutcome outcome = INTEGRATOR_RATE;
    if (!begin(journey))
        return strand(journey, outcome, diag);
    switch (travel(journey, &outcome, diag)) {
    case ARRIVED: return STATUS_OK;
    case ON_THE_WAY:
    case ENOUGH: journey->summary->end = RUN_ASKED; return STATUS_NEGATIVE;
    case STRANDED: return strand(journey, outcome, diag);
    case BROKEN: break;
    }
    diag_error(diag, place_none(), "the integrator failed at t = %.10g: %s", journey->t,
               integrator_message(journey->integrator));
    return STATUS_FAILED;
}

static void journey_clear(Journey *journey)
{
    integrator_free(journey->integrator);
    course_clear(&journey->course);
    base_free(journey->y);
    base_free(journey->y_row);
    base_free(journey->rate_row);
    base_free(journey->chosen);
    sizes_clear(&journey->sizes);
}

Status run_go(Run *run, const RunListener *listener, Diag *diag, RunSummary *summary)
{
    RunListener deaf = {0};
    RunSummary unread = {0};
    const RunOptions *settings = &run->settings;
    Journey journey = {.run = run,
                       .numbers = &run->numbers,
                       .listener = listener ? listener : &deaf,
                       .summary = summary ? summary : &unread};
    size_t count = run->numbers.n + run->numbers.k, order = taylor_order(settings->tolerance);
    *journey.summary = (RunSummary){.end = RUN_WHOLE};
    journey.y = base_alloc((count + 1) * sizeof(double));
    journey.y_row = base_alloc((count + 1) * sizeof(double));
    journey.rate_row = base_alloc((count + 1) * sizeof(double));
    journey.chosen = base_alloc((count + 1) * sizeof *journey.chosen);
    sizes_init(&journey.sizes, &run->numbers, settings->tolerance, settings->every);
    course_init(&journey.course, run, diag);
    IntegratorProblem problem = {.count = count,
                                 .tolerance = settings->tolerance,
                                 .longest = fmin(settings->every, LONGEST_PART * settings->to),
                                 .context = &journey,
                                 .rate = any_rate,
                                 .series = series,
                                 .expand = expand,
                                 .order = order,
                                 .expand_order = taylor_compiled_order(settings->tolerance),
                                 .clear = clear_of_switches,
                                 .jacobian = jacobian,
                                 .settle = run->numbers.finite > 0 ? settle : NULL,
                                 .allowance = allowance};
    journey.integrator = integrator_new(settings->method, &problem);
    if (!journey.integrator) {
        journey_clear(&journey);
        diag_error(diag, place_none(), "the integrator could not be set up");
        return STATUS_FAILED;
    }
    if (run->audit)
        ledger_begin(&run->audit->ledger, integrator_is_dense(journey.integrator));
    engine_begin(run, diag);
    Status status = go(&journey, diag);
    advise(&journey, diag);
    IntegratorCounts counts = integrator_counts(journey.integrator);
    journey.summary->steps = counts.steps;
    journey.summary->rejected = counts.rejected;
    journey.summary->order = counts.order;
    journey.summary->stiff = journey.stiffness.stiff;
    journey.summary->evaluations = run->numbers.evaluations + journey.course.evaluations;
    journey_clear(&journey);
    return status;
}
