// event_samples.c: sampled controllers along a run: their times, and what waits to be applied.
//
// An instant is from + k·h, in whole numbers where both are decimals or fractions, so that no
// rounding adds up. A sample with a delay has two instants in each period: it computes, and the
// delay later it applies.
#include "simulate/events/event_samples_impl.h"

#include "base/decimal.h"
#include "base/diag.h"
#include "dynamics/equations_types.h"
#include "linalg/tolerances.h"
#include "model/events.h"
#include "model/system.h"
#include "model/whiles.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/events/event_triggers_impl.h"
#include "simulate/simulation_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>

typedef struct {
    size_t event; // among the triggers
    double times[SAMPLE_TIMES];
    double denominator; // of all of them as fractions; 0: none is known
    size_t next;        // which instant comes next
    double at;          // its time, or when what waits is applied
    bool waits;         // what was computed is applied next
    bool computes;      // what is due now
} Sample;

struct EventSamples {
    size_t count;
    Sample *at;
    double next; // the first instant of all
};

// ---- Their times.

static double common_divisor(double a, double b)
{
    while (b > 0) {
        double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    return a;
}

// All three as fractions with one denominator; 0 where there is none.
static double common_denominator(const double times[SAMPLE_TIMES])
{
    double all = 1;
    for (size_t i = 0; i < SAMPLE_TIMES && all > 0; i++) {
        double own = times[i] == 0 ? 1 : decimal_denominator(fabs(times[i]));
        all = own > 0 ? all / common_divisor(all, own) * own : 0;
        all = all < 1 / DBL_EPSILON ? all : 0;
    }
    return all;
}

// from + k·h, and `delay` later: the nearest double.
static double instant(const Sample *sample, size_t k, bool delayed)
{
    const double *times = sample->times;
    double count = (double)k, over = sample->denominator;
    double later = times[SAMPLE_FROM] + (delayed ? times[SAMPLE_DELAY] : 0);
    double whole = rint(times[SAMPLE_FROM] * over) + count * rint(times[SAMPLE_PERIOD] * over);
    if (delayed)
        whole += rint(times[SAMPLE_DELAY] * over);
    bool exact = over > 0 && fabs(whole) < 1 / DBL_EPSILON;
    return exact ? whole / over : later + count * times[SAMPLE_PERIOD];
}

static void find_next(EventSamples *samples)
{
    samples->next = INFINITY;
    for (size_t i = 0; i < samples->count; i++)
        samples->next = fmin(samples->next, samples->at[i].at);
}

// The first instant at or, where a run goes on from a later time than 0, behind that time.
static void begin(Sample *sample, double from)
{
    double behind = (from - sample->times[SAMPLE_FROM]) / sample->times[SAMPLE_PERIOD];
    sample->next = behind > 1 ? (size_t)behind - 1 : 0;
    while (instant(sample, sample->next, false) < from ||
           (from > 0 && instant(sample, sample->next, false) <= from))
        sample->next++;
    sample->at = instant(sample, sample->next, false);
}

// ---- Making.

// What was computed before the time at which a run goes on, and is to be applied after it, nobody
// has kept.
static Status check_begin(const ModelEvent *event, const Sample *sample, double from, Diag *diag)
{
    double at = sample->next > 0 ? instant(sample, sample->next - 1, true) : from;
    if (at <= from)
        return STATUS_OK;
    return diag_error(diag, event->place,
                      "t = %.10g lies between an instant of '%s' and t = %.10g, where what it has "
                      "computed is applied: a simulation cannot begin anew there",
                      from, event->name, at);
}

Status samples_check(const Simulation *sim, Diag *diag)
{
    const Model *model = sim->motion->model;
    double from = sim->settings.from;
    for (size_t i = 0; i < model->events.count; i++) {
        const ModelEvent *event = &model->events.at[i];
        Sample sample = {0};
        if (!event->sampling)
            continue;
        TRY(model_sample_times(model, event, sim->base->eq->param_values, diag, sample.times));
        sample.denominator = common_denominator(sample.times);
        begin(&sample, from);
        if (from > 0 && sample.times[SAMPLE_DELAY] > 0 && !sim->settings.instant)
            TRY(check_begin(event, &sample, from, diag));
    }
    return STATUS_OK;
}

EventSamples *samples_new(Arena *arena, const Simulation *sim, const EventTriggers *triggers)
{
    const Model *model = sim->motion->model;
    EventSamples *samples = arena_array(arena, EventSamples, 1);
    samples->at = arena_array(arena, Sample, triggers->count + 1);
    Diag *unheard = diag_new();
    for (size_t i = 0; i < triggers->count; i++) {
        Sample *sample = &samples->at[samples->count];
        const ModelEvent *event = triggers->events[i];
        if (!event->sampling || model_sample_times(model, event, sim->base->eq->param_values,
                                                   unheard, sample->times) != STATUS_OK)
            continue;
        sample->event = i;
        sample->denominator = common_denominator(sample->times);
        begin(sample, sim->settings.from);
        samples->count++;
    }
    diag_free(unheard);
    find_next(samples);
    return samples->count > 0 ? samples : NULL;
}

// ---- Along the run.

double samples_time(const EventSamples *samples)
{
    return samples ? samples->next : INFINITY;
}

double samples_snap(const EventSamples *samples, double t, double length)
{
    double next = samples_time(samples);
    return fabs(next - t) <= TOL_ROUNDING * fmax(fabs(t), length) ? next : t;
}

bool samples_take(const EventSamples *all, EventTriggers *triggers, double t)
{
    EventSamples *samples = (EventSamples *)all;
    bool any = false;
    assert(samples && samples->next <= t);
    for (size_t i = 0; i < samples->count; i++) {
        Sample *sample = &samples->at[i];
        if (sample->at > t)
            continue;
        sample->computes = !sample->waits;
        if (sample->computes)
            sample->next++;
        sample->waits = false;
        sample->at = instant(sample, sample->next, false);
        // What was computed is applied in any case.
        triggers->at[sample->event].due =
            !sample->computes ||
            model_acts(triggers->model, triggers->events[sample->event]->waits);
        any = any || triggers->at[sample->event].due;
    }
    find_next(samples);
    return any;
}

static Sample *sample_of(const EventSamples *samples, size_t event)
{
    for (size_t i = 0; samples && i < samples->count; i++)
        if (samples->at[i].event == event)
            return &samples->at[i];
    return NULL;
}

bool samples_has_delay(const EventSamples *samples, size_t event)
{
    const Sample *sample = sample_of(samples, event);
    return sample && sample->times[SAMPLE_DELAY] > 0;
}

bool samples_is_computing(const EventSamples *samples, size_t event)
{
    return samples_has_delay(samples, event) && sample_of(samples, event)->computes;
}

void samples_hold(const EventSamples *samples, size_t event)
{
    Sample *sample = sample_of(samples, event);
    assert(sample && sample->computes);
    sample->waits = true;
    sample->at = instant(sample, sample->next - 1, true);
    find_next((EventSamples *)samples);
}
