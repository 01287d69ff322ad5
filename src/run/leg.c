// leg.c: the motion under one set of conditions: what its integrator asks, where it sets out, and
// changes of speeds on the way.
#include "run/journey_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Of a state that was settled, the finite conditions miss no more than this part.
#define SETTLED     1e-9
#define MOST_NEWTON 5
// The speeds are looked at again after so many steps at the latest: at first, with every so many
// steps of the run one more, and in the end; and where a step of a series has become so much
// shorter, because the speeds' singularity bounds it.
#define FIRST_UNSEEN 16
#define STEPS_A_LOOK 2
#define MOST_UNSEEN  256
#define SHORTER      0.5
// Speeds that were poor once will be so again: then a look is due after so many steps; and of how
// fast the condition has changed so much is kept from one look to the next.
#define FEW_UNSEEN 1
#define PACE_KEPT  0.75
// A step covers no more than this part of the way, and no more than a row to the next, where only
// its ends are seen: a force that acts for a while is not passed over.
#define LONGEST_PART 0.01

// ---- What the integrator asks.

static bool rate(void *context, double t, const double *y, double *out)
{
    Leg *leg = context;
    Numbers *numbers = leg->numbers;
    size_t n = numbers->n;
    NumbersOutcome outcome = numbers_velocities(numbers, t, y, y + n);
    if (outcome == NUMBERS_FOUND)
        outcome = numbers_accelerations(numbers, out + n);
    if (outcome != NUMBERS_FOUND) {
        leg->why = outcome;
        return false;
    }
    memcpy(out, numbers->v, n * sizeof *out);
    return true;
}

// What is wrong with the rates in one program is found by the other road.
static bool any_rate(void *context, double t, const double *y, double *out)
{
    Leg *leg = context;
    size_t n = leg->numbers->n;
    if (asker_stops(leg->run->asker, (double)(n * n)))
        return false;
    return course_rate(&leg->course, t, y, out) || rate(leg, t, y, out);
}

static bool series(void *context, size_t k, const double *ty, double *out)
{
    Leg *leg = context;
    if (course_series(&leg->course, k, ty, out))
        return true;
    bool stopped = leg->run->asker && leg->run->asker->stopped;
    if (k == 0 && !stopped && rate(leg, ty[0], ty + 1, leg->rate_row))
        leg->why = NUMBERS_NOT_FINITE;
    return false;
}

static size_t expand(void *context, size_t order, double *ty)
{
    Leg *leg = context;
    return course_expand(&leg->course, order, ty);
}

static bool sum(const void *context, size_t order, const double *ty, double s, double *sums,
                double *slopes)
{
    const Leg *leg = context;
    return course_sum(&leg->course, order, ty, s, sums, slopes);
}

static bool jacobian(void *context, double t, const double *y, double *columns)
{
    Leg *leg = context;
    return course_jacobian(&leg->course, t, y, columns);
}

static const OdeSparseJacobian *sparse_jacobian(void *context)
{
    const Newton *newton = course_newton(&((const Leg *)context)->course);
    return newton ? &newton->jacobian : NULL;
}

static double clear_of_switches(void *context, size_t order, double most)
{
    Leg *leg = context;
    leg->clear = course_clear_of_switches(&leg->course, order, most);
    return leg->clear;
}

static bool settle(void *context, double t, double *y)
{
    Leg *leg = context;
    Numbers *numbers = leg->numbers;
    size_t bytes = numbers->n * sizeof *y;
    *numbers->t = t;
    memcpy(numbers->q, y, bytes);
    double miss = projector_newton(&leg->run->projector, numbers, MOST_NEWTON);
    if (!(miss <= SETTLED)) {
        leg->why = NUMBERS_POSITION;
        return false;
    }
    memcpy(y, numbers->q, bytes);
    if (!numbers->whole)
        return true;
    memcpy(numbers->v, y + numbers->n, bytes);
    if (!keeper_meet(numbers)) {
        leg->why = NUMBERS_VELOCITY;
        return false;
    }
    memcpy(y + numbers->n, numbers->v, bytes);
    return true;
}

// After a step: a row that has turned round has vanished on the way.
static bool settle_step(void *context, double t, double *y)
{
    Leg *leg = context;
    if (!settle(leg, t, y))
        return false;
    if (leg->numbers->curved && keeper_turns(leg->numbers)) {
        leg->why = NUMBERS_VANISHED;
        return false;
    }
    return true;
}

static bool has_to_settle(const Numbers *numbers)
{
    return numbers->finite > 0 || numbers->whole;
}

static void allowance(void *context, const double *y, double *out)
{
    const Leg *leg = context;
    sizes_allow(&leg->sizes, y, ode_integrator_next_step(leg->integrator), out);
}

// ---- Making.

// A multistep method sees no more of a step than its ends; what a stage sees is the inside.
static double longest_step(const RunOptions *settings)
{
    double longest = LONGEST_PART * settings->to;
    return settings->method == RUN_ERK ? longest : fmin(settings->every, longest);
}

bool leg_init(Leg *leg, Run *run, Diag *diag)
{
    const RunOptions *settings = &run->settings;
    size_t count = run->numbers.n + run->numbers.k;
    *leg = (Leg){.run = run, .numbers = &run->numbers};
    leg->y = base_alloc((count + 1) * sizeof(double));
    leg->y_row = base_alloc((count + 1) * sizeof(double));
    leg->rate_row = base_alloc((count + 1) * sizeof(double));
    leg->chosen = base_alloc((count + 1) * sizeof *leg->chosen);
    sizes_init(&leg->sizes, &run->numbers, settings->tolerance, settings->every);
    turns_init(&leg->turns, run);
    course_init(&leg->course, run, diag);
    OdeProblem problem = {.count = count,
                          .tolerance = settings->tolerance,
                          .max_step = longest_step(settings),
                          .context = leg,
                          .rate = any_rate,
                          .series = series,
                          .expand = expand,
                          .sum = sum,
                          .order = ode_taylor_order(settings->tolerance),
                          .expand_order = ode_taylor_compiled_order(settings->tolerance),
                          .switch_distance = clear_of_switches,
                          .jacobian = jacobian,
                          .sparse_jacobian = sparse_jacobian,
                          .project = has_to_settle(&run->numbers) ? settle_step : NULL,
                          .error_scale = allowance};
    leg->integrator = ode_integrator_new((OdeMethod)settings->method, &problem);
    run->numbers.evaluations = 0;
    run->numbers.own_speeds = numbers_can_own(&run->numbers);
    return leg->integrator != NULL;
}

void leg_clear(Leg *leg)
{
    ode_integrator_free(leg->integrator);
    course_clear(&leg->course);
    base_free(leg->y);
    base_free(leg->y_row);
    base_free(leg->rate_row);
    base_free(leg->chosen);
    sizes_clear(&leg->sizes);
    turns_clear(&leg->turns);
}

// ---- Setting out.

// In large systems: how loud the roundings of the coordinates are in the rates, which are those at
// the present state. Neighbours are rounded differently.
static void hear(Leg *leg, const double *rates)
{
    Numbers *numbers = leg->numbers;
    size_t n = numbers->n, evaluations = numbers->evaluations;
    if (!numbers->few_in_velocities || !numbers->few_in_forces)
        return;
    memcpy(leg->y_row, leg->y, (n + numbers->k) * sizeof *leg->y);
    for (size_t j = 0; j < n; j++)
        leg->y_row[j] *= 1 + (j % 3 == 0 ? -1 : 1) * DBL_EPSILON;
    if (rate(leg, leg->t, leg->y_row, leg->rate_row))
        sizes_hear(&leg->sizes, rates + n, leg->rate_row + n);
    rate(leg, leg->t, leg->y, leg->rate_row);
    numbers->evaluations = evaluations;
}

// From the present q, v and speeds in use; with other rates, where the speeds are new.
static bool set_out(Leg *leg, bool same_speeds, double step)
{
    Numbers *numbers = leg->numbers;
    size_t n = numbers->n;
    memcpy(leg->y, numbers->q, n * sizeof *leg->y);
    numbers_speeds(numbers, leg->y + n);
    double *rates = base_alloc((n + numbers->k + 1) * sizeof *rates);
    bool found = rate(leg, leg->t, leg->y, rates);
    if (found && same_speeds)
        sizes_see(&leg->sizes, numbers, leg->y + n);
    if (found && !same_speeds) {
        sizes_begin(&leg->sizes, numbers, leg->y + n, rates + n);
        course_make(&leg->course, leg->t, leg->y);
    }
    if (found)
        hear(leg, rates);
    base_free(rates);
    return found && ode_integrator_start(leg->integrator, leg->t, leg->y, step);
}

// From the same state by another road.
static bool start_anew(Leg *leg)
{
    return leg->run->settings.method != RUN_TAYLOR ||
           ode_integrator_start(leg->integrator, leg->t, leg->y,
                                ode_integrator_next_step(leg->integrator));
}

// What does not act has no reaction, whatever it had at the start or in a row before.
static void clear_sides(const Leg *leg)
{
    const Motion *motion = leg->run->motion;
    const ModelConstraint *first = motion->model->constraints.at;
    for (size_t i = 0; i < motion->side_count; i++)
        leg->numbers->multipliers[motion->sides[i].constraint - first] = 0;
}

bool leg_begin(Leg *leg, double t, const double *q, const double *v, double step)
{
    Numbers *numbers = leg->numbers;
    size_t n = numbers->n;
    leg->t = leg->from = t;
    leg->stepped = false;
    if (numbers->curved)
        keeper_begin(numbers);
    clear_sides(leg);
    memcpy(leg->y, q, n * sizeof *q);
    if (numbers->whole)
        memcpy(leg->y + n, v, n * sizeof *v);
    if (!leg->is_base && numbers->finite > 0 && !settle(leg, t, leg->y))
        return false;
    if (numbers->whole && !numbers->curved)
        v = leg->y + n;
    *numbers->t = t;
    memcpy(numbers->q, leg->y, n * sizeof *q);
    memcpy(numbers->v, v, n * sizeof *v);
    if (driver_has_other_root(numbers, &numbers->other_root)) {
        leg->why = NUMBERS_ROOT;
        return false;
    }
    lowered_run(&numbers->velocities, numbers->inputs);
    numbers_speeds(numbers, leg->y + n);
    NumbersOutcome outcome = numbers_velocities(numbers, t, leg->y, leg->y + n);
    double now = outcome == NUMBERS_FOUND ? conditioning_now(numbers) : 0;
    memcpy(numbers->v, v, n * sizeof *v);
    bool same = !conditioning_improve(numbers, now) && leg->made;
    leg->made = true;
    leg->good = leg->unseen = 0;
    return set_out(leg, same, step);
}

// ---- On the way.

OdeOutcome leg_step(Leg *leg, double until)
{
    double from = leg->t;
    leg->clear = INFINITY;
    OdeOutcome outcome = ode_integrator_step(leg->integrator, until, &leg->t, leg->y);
    if (outcome == ODE_STEPPED) {
        leg->from = from;
        leg->stepped = true;
    }
    return outcome;
}

void leg_cut(Leg *leg, double t, const double *y)
{
    leg->t = t;
    memmove(leg->y, y, (leg->numbers->n + leg->numbers->k) * sizeof *y);
}

bool leg_set_out_again(Leg *leg)
{
    return ode_integrator_start(leg->integrator, leg->t, leg->y, 0);
}

// Accelerations and multipliers at the state whose velocities numbers has.
static bool accelerate(Leg *leg)
{
    leg->why = numbers_accelerations(leg->numbers, NULL);
    if (leg->why == NUMBERS_FOUND && leg->numbers->apart > NEEDED_APART)
        leg->why = NUMBERS_APART;
    return leg->why == NUMBERS_FOUND;
}

// Brings numbers to a state, accelerations included.
static bool evaluate(Leg *leg, double t, const double *y)
{
    leg->why = numbers_velocities(leg->numbers, t, y, y + leg->numbers->n);
    return leg->why == NUMBERS_FOUND && accelerate(leg);
}

// The condition of the speeds at a state, with the velocities there; 0 where there are none.
static double condition_at(Leg *leg, double t, const double *y)
{
    Numbers *numbers = leg->numbers;
    leg->why = numbers_velocities(numbers, t, y, y + numbers->n);
    return leg->why == NUMBERS_FOUND ? conditioning_now(numbers) : 0;
}

// Velocities that follow from speeds of a condition below this have lost more digits than those of
// the last step's own slope.
#define SLOPE_IS_BETTER 0.005

static void take_slope(Leg *leg)
{
    memcpy(leg->numbers->v, leg->rate_row, leg->numbers->n * sizeof(double));
}

// The state at a time within the last step, and its rate, in leg's room for rows. What that takes
// is none of the evaluations that the steps take, and is not broken off.
static void look_inside(Leg *leg, double t)
{
    size_t evaluations = leg->numbers->evaluations, rates = leg->course.evaluations;
    Asker *asker = leg->run->asker;
    if (asker)
        asker->deaf = true;
    ode_integrator_interpolate(leg->integrator, t, leg->y_row, leg->rate_row);
    if (asker)
        asker->deaf = false;
    leg->numbers->evaluations = evaluations;
    leg->course.evaluations = rates;
}

// For how many steps the speeds stay good, at the pace at which their condition has changed. Steps
// that are not of a series reach beyond a singularity of the speeds.
static size_t good_for(Leg *leg, double now)
{
    if (leg->run->settings.method != RUN_TAYLOR)
        return 0;
    double pace = fabs(now - leg->condition) / (double)(leg->unseen + 1);
    // Where it is best it hardly changes, and falls soon after. The first look tells no pace.
    bool first = leg->condition == 0;
    pace = fmax(pace, PACE_KEPT * leg->pace);
    leg->pace = first ? 0 : pace;
    leg->condition = now;
    size_t most = leg->changed ? FEW_UNSEEN : FIRST_UNSEEN + leg->course.steps / STEPS_A_LOOK;
    double steps = fmin((now - CONDITIONING_POOR) / (2 * pace), (double)most);
    return steps > 0 ? (size_t)fmin(steps, MOST_UNSEEN) : 0;
}

// After an accepted step: other rates where these have become poor.
static bool look_at_rates(Leg *leg)
{
    if (!course_is_poor(&leg->course, leg->t, leg->y))
        return true;
    if (evaluate(leg, leg->t, leg->y))
        course_renew(&leg->course, leg->t, leg->y);
    else
        course_give_up(&leg->course);
    return start_anew(leg);
}

// The same for sizes and speeds; *changed where other speeds were taken.
static bool look_at_speeds(Leg *leg, bool *changed)
{
    Numbers *numbers = leg->numbers;
    double step = ode_integrator_next_step(leg->integrator);
    *changed = false;
    if (leg->unseen < leg->good && !(step < SHORTER * leg->step)) {
        leg->unseen++;
        return true;
    }
    leg->step = step;
    double now = condition_at(leg, leg->t, leg->y);
    leg->good = good_for(leg, now);
    leg->unseen = 0;
    if (now < SLOPE_IS_BETTER) {
        look_inside(leg, leg->t);
        take_slope(leg);
    }
    *changed = conditioning_improve(numbers, now);
    if (*changed) {
        ++*leg->speed_changes;
        leg->changed = true;
        leg->good = 0;
        return set_out(leg, false, ode_integrator_next_step(leg->integrator));
    }
    // Where this fails, the next step will find out and say so.
    if (leg->why == NUMBERS_FOUND && accelerate(leg))
        sizes_see(&leg->sizes, numbers, leg->y + numbers->n);
    return true;
}

// Angles that have gone round are turned back. Multistep methods live on their past states.
static bool look_at_angles(Leg *leg)
{
    return leg->run->settings.method != RUN_TAYLOR || !turns_take(&leg->turns, leg->y) ||
           start_anew(leg);
}

// The speeds first: they may need what the integrator knows of its last step.
bool leg_look_around(Leg *leg)
{
    bool changed;
    return look_at_speeds(leg, &changed) && (changed || look_at_rates(leg)) && look_at_angles(leg);
}

// ---- Inside the last step.

const double *leg_state(Leg *leg, double t)
{
    if (t == leg->t)
        return leg->y;
    look_inside(leg, t);
    if (has_to_settle(leg->numbers) && !settle(leg, t, leg->y_row))
        return NULL;
    return leg->y_row;
}

// The speeds may be poor inside a step though the step is good.
bool leg_evaluate(Leg *leg, double t)
{
    const double *state = leg_state(leg, t);
    if (!state || !leg->stepped)
        return state && evaluate(leg, t, state);
    Numbers *numbers = leg->numbers;
    size_t bytes = numbers->k * sizeof *numbers->chosen;
    double *y = leg->y_row;
    if (t == leg->t) {
        look_inside(leg, t);
        memcpy(y, leg->y, (numbers->n + numbers->k) * sizeof *y);
    }
    double now = condition_at(leg, t, y);
    if (now >= SLOPE_IS_BETTER)
        return accelerate(leg);
    bool own = numbers->own_speeds;
    memcpy(leg->chosen, numbers->chosen, bytes);
    take_slope(leg);
    if (conditioning_improve(numbers, now))
        numbers_speeds(numbers, y + numbers->n);
    bool found = evaluate(leg, t, y);
    numbers->own_speeds = own;
    memcpy(numbers->chosen, leg->chosen, bytes);
    return found;
}

bool leg_vanishes(Leg *leg)
{
    Numbers *numbers = leg->numbers;
    bool vanished = leg->why == NUMBERS_VANISHED;
    numbers_velocities(numbers, leg->t, leg->y, leg->y + numbers->n);
    if (keeper_find_vanishing(numbers) || vanished)
        leg->why = NUMBERS_VANISHED;
    return leg->why == NUMBERS_VANISHED;
}
