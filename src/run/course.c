// course.c: by which road a run finds its rates.
//
// The rates in one program are the short road. They are made for the speeds in use, with pivots
// that are good at the state where they are made. Where a pivot goes towards 0 the series get a
// pole that the motion does not have, and steps become short before it: then other pivots are
// taken. Making them costs as much as many steps, so that a run that asks for them too often goes
// part of its way by linear solves (motion_series.c, numbers.c), which need no pivots that last.
// So does one that a form drives, and one whose rates are no program.
#include "run/run_impl.h"

#include <math.h>
#include <string.h>

// A pivot that has fallen to this part of what it was at first wants others, and what they gain
// must be this much.
#define FALLEN 0.3
#define GAIN   2
// After a stretch by linear solves the least pivot must be this much.
#define WORTH_A_TRY 0.02
// How often rates may be made: so often in any case, and once for so many steps.
#define MADE_AT_ONCE   4
#define STEPS_FOR_MORE 64

// What things take on a common machine, in seconds: an operation interpreted in doubles; in series,
// for each square of the order; starting the compiler; an operation compiled; its series in a short
// program, and in a long one, where each takes less. The way left must be this many times worth it.
#define REAL_SECONDS           2.5e-9
#define SERIES_SECONDS         0.6e-9
#define START_SECONDS          0.06
#define COMPILE_SECONDS        4e-4
#define COMPILE_SERIES_SECONDS 1e-2
#define LONG_SERIES_SECONDS    2e-3
#define LONG_START_SECONDS     0.4
#define WORTH_IT               2
// Looked at every so many steps.
#define STEPS_BETWEEN 64

void course_init(Course *course, Run *run, Diag *diag)
{
    const Numbers *numbers = &run->numbers;
    bool taylor = run->settings.method == RUN_TAYLOR;
    *course = (Course){.run = run, .numbers = &run->numbers, .diag = diag, .taylor = taylor};
    course->flow_order = taylor ? ode_taylor_compiled_order(run->settings.tolerance) : 0;
    course->ty = base_alloc((2 + numbers->n + numbers->k) * sizeof *course->ty);
    motion_series_init(&course->series, numbers,
                       taylor ? ode_taylor_order(run->settings.tolerance) : 1);
    motion_series_init(&course->slopes, numbers, 1);
    course->series.asker = course->slopes.asker = run->asker;
}

// ---- Making.

static void forget(Course *course)
{
    if (!course->ready)
        return;
    motion_series_take(&course->series, NULL);
    motion_series_take(&course->slopes, NULL);
    rates_clear(&course->rates);
    course->ready = false;
}

void course_clear(Course *course)
{
    forget(course);
    newton_free(course->newton);
    motion_series_clear(&course->series);
    motion_series_clear(&course->slopes);
    base_free(course->ty);
    *course = (Course){0};
}

static const double *inputs_of(Course *course, double t, const double *y)
{
    course->ty[0] = t;
    memcpy(course->ty + 1, y, (course->numbers->n + course->numbers->k) * sizeof *y);
    return course->ty;
}

static void compile(Course *course)
{
    RatesSeries *series = &course->series.one;
    const Engine *engine = &course->run->engine;
    course->compiled = true;
    // Where nothing can be compiled that was said already.
    if (engine->settled && !engine->native)
        return;
    Text why = {0};
    if (rates_series_compile(series, course->flow_order, &why) && course->rates.watch.program) {
        course->rates.watch.native = series->native;
        course->rates.watch.which = 1;
    }
    bool stopped = course->run->asker && course->run->asker->stopped;
    if (why.length && !course->said && !stopped)
        diag_add(course->diag, DIAG_NOTE, place_none(), "%s: the run goes on interpreted", why.at);
    course->said = course->said || why.length;
    text_clear(&why);
}

// Large systems with few entries go by sparse factors, which are sooner made than formulas.
static bool may_make(const Course *course)
{
    const Numbers *numbers = course->numbers;
    if (numbers->few_in_velocities && numbers->few_in_forces)
        return false;
    return !course->numbers->driver.equations.program && !course->numbers->seconds &&
           !course->given_up && course->made < MADE_AT_ONCE + course->steps / STEPS_FOR_MORE;
}

// With other speeds the equations are others.
static void make_newton(Course *course)
{
    Run *run = course->run;
    newton_free(course->newton);
    course->newton = NULL;
    if (run->settings.method == RUN_BDF && !run->dense)
        course->newton = newton_new(course->numbers, run->motion, ++course->newtons);
}

static void make(Course *course, double t, const double *y)
{
    forget(course);
    if (!may_make(course))
        return;
    course->made++;
    course->made_step = course->steps;
    course->made_evaluations = course->evaluations;
    course->made_t = t;
    course->compiled = false;
    if (!rates_init(&course->rates, course->numbers, course->run->motion))
        return;
    course->ready = true;
    motion_series_take(&course->series, &course->rates);
    course->pivot = rates_least_pivot(&course->rates, inputs_of(course, t, y));
    if (course->run->settings.engine == RUN_NATIVE)
        compile(course);
}

void course_make(Course *course, double t, const double *y)
{
    make_newton(course);
    make(course, t, y);
}

bool course_is_poor(Course *course, double t, const double *y)
{
    course->steps++;
    if (!course->ready) {
        course->present = WORTH_A_TRY / GAIN;
        return may_make(course) && course->steps - course->made_step >= STEPS_FOR_MORE;
    }
    course->present = rates_least_pivot(&course->rates, inputs_of(course, t, y));
    return !(course->present >= FALLEN * course->pivot);
}

void course_renew(Course *course, double t, const double *y)
{
    make(course, t, y);
    if (course->ready && !(course->pivot > GAIN * course->present))
        forget(course);
}

bool course_give_up(Course *course)
{
    bool ready = course->ready;
    forget(course);
    course->given_up = true;
    return ready;
}

// ---- Compiling.

// Seconds of the interpreter since the rates were made.
static double spent(const Course *course)
{
    double operations = (double)program_operations(course->rates.program);
    if (!course->taylor)
        return REAL_SECONDS * operations * (double)(course->evaluations - course->made_evaluations);
    double order = (double)course->series.most_order;
    return SERIES_SECONDS * operations * order * order *
           (double)(course->steps - course->made_step);
}

static double compiling(const Course *course)
{
    double operations = (double)program_operations(course->rates.program);
    double seconds = START_SECONDS + COMPILE_SECONDS * operations;
    if (course->taylor)
        seconds += START_SECONDS + lesser(COMPILE_SERIES_SECONDS * operations,
                                          LONG_START_SECONDS + LONG_SERIES_SECONDS * operations);
    return seconds;
}

void course_consider(Course *course, double t)
{
    const RunOptions *settings = &course->run->settings;
    size_t steps = course->steps - course->made_step;
    if (!course->ready || course->compiled || settings->engine != RUN_AUTO ||
        steps % STEPS_BETWEEN != 0 || !(t > course->made_t))
        return;
    if (course->taylor && !rates_series_can_flow(&course->rates))
        return;
    // Rates that were made anew before will be so again.
    double way = settings->to - t;
    if (course->made > 1)
        way = fmin(way, t / (double)course->made);
    if (spent(course) * way / (t - course->made_t) > WORTH_IT * compiling(course))
        compile(course);
}

// ---- Rates.

bool course_rate(Course *course, double t, const double *y, double *rate)
{
    const double *inputs = inputs_of(course, t, y);
    // Where only forces move, the series keep the factors of all else.
    bool is_still = course->numbers->still && !course->taylor;
    if (!course->ready && !is_still)
        return false;
    course->evaluations++;
    if (!course->ready)
        return motion_series_next(&course->series, 0, inputs, rate);
    return rates_series_rate(&course->series.one, inputs, rate);
}

bool course_series(Course *course, size_t k, const double *ty, double *rate)
{
    return motion_series_next(&course->series, k, ty, rate);
}

size_t course_expand(Course *course, size_t order, double *ty)
{
    return course->ready ? rates_series_expand(&course->series.one, order, ty) : 0;
}

bool course_sum(const Course *course, size_t order, const double *ty, double s, double *sums,
                double *slopes)
{
    return course->ready && rates_series_sum(&course->series.one, order, ty, s, sums, slopes);
}

double course_clear_of_switches(const Course *course, size_t order, double most)
{
    return motion_series_clear_of_switches(&course->series, order, most);
}

bool course_jacobian(Course *course, double t, const double *y, double *columns)
{
    size_t count = course->numbers->n + course->numbers->k;
    // The Taylor integrator's own series must stay where they are.
    MotionSeries *series = course->taylor ? &course->slopes : &course->series;
    if (course->ready && !series->one.rates)
        motion_series_take(series, &course->rates);
    double *room = base_alloc(2 * (1 + count) * sizeof *room);
    bool found = motion_series_jacobian(series, t, y, columns, room);
    base_free(room);
    return found;
}

Newton *course_newton(const Course *course)
{
    return course->newton;
}
