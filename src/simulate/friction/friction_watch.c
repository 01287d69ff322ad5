// friction_watch.c: functions of time whose roots are events of friction.
//
//     sliding in one row    the speed, with the sign that it has in the mode
//     in several            the speed along where it went
//     sticking              R − |F|²/R, R the bound: smooth, and 0 where |F| = R
//     sliding by equations that press also   |λ| of each, with the sign that it has in the mode
#include "dynamics/condition_multipliers.h"
#include "dynamics/equations_types.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/friction.h"
#include "model/system.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/friction/slip_start_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/run_options.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

size_t friction_watch_count(const ContactEvent *event)
{
    const FrictionEvent *friction = event->friction;
    return friction ? friction->count + friction->contacts->presser_count : 0;
}

const ModelConstraint *friction_watched_sign(const ContactEvent *event, size_t index)
{
    const FrictionEvent *friction = event->friction;
    assert(index < friction_watch_count(event));
    return index < friction->count ? NULL : friction->contacts->signs[index - friction->count];
}

// Whether something slides by what presses, and whether that pulls then.
static bool is_sliding_by(const FrictionEvent *friction, size_t presser, bool *pulls)
{
    const FrictionContacts *contacts = friction->contacts;
    bool found = false;
    for (size_t i = 0; i < friction->count && !found; i++) {
        size_t terms = contacts->motion->frictions[i].term_count;
        for (size_t k = 0; k <= terms && !found && friction->holds[i].mode >= HOLD_FORWARD; k++) {
            size_t at = k == 0 ? i : contacts->presser[FRICTION_TERMS * i + k - 1];
            found = at == presser;
            *pulls = friction->holds[i].pulls >> k & 1;
        }
    }
    return found;
}

bool friction_is_watched(const ContactEvent *event, size_t index)
{
    const FrictionEvent *friction = event->friction;
    bool pulls;
    if (index >= friction->count)
        return friction_watched_sign(event, index) &&
               is_sliding_by(friction, index - friction->count, &pulls);
    // What has just begun does not stop within the step in which it begins.
    return friction->holds[index].mode != HOLD_OPEN && !friction->begins[index];
}

bool friction_is_course(const ContactEvent *event, size_t index)
{
    return event->friction && index < event->friction->count &&
           event->friction->holds[index].mode == HOLD_TURNS;
}

static const double *stick_forces(const MotionFriction *own, const ContactMode *mode)
{
    const Model *model = mode->motion->model;
    return mode->state->multipliers + model->constraints.count + own->friction->stick;
}

static double pressing(const ModelConstraint *constraint, const ContactMode *mode)
{
    return mode->state->multipliers[dynamics_multiplier_index(mode->eq, constraint)];
}

// |λ|.
static double pressing_size(const FrictionTerm *term, const ContactMode *mode)
{
    double lambda[FRICTION_NORMALS];
    for (size_t k = 0; k < term->count; k++)
        lambda[k] = pressing(term->by[k], mode);
    return term->count == 1 ? fabs(lambda[0]) : real_length(lambda, term->count);
}

// Of what sticks.
static double bound_of(const FrictionNumbers *numbers, const MotionFriction *own,
                       const ContactMode *mode)
{
    FrictionTerm press;
    double bound = numbers->sticking;
    if (motion_friction_own(own, &press))
        bound *= numbers->pressure * pressing_size(&press, mode);
    for (size_t k = 0; k < own->term_count; k++)
        bound += numbers->by[2 * k + 1] * pressing_size(&own->terms[k], mode);
    return bound;
}

// R − |F|²/R.
static double margin(const FrictionNumbers *numbers, const MotionFriction *own,
                     const ContactMode *mode)
{
    const double *force = stick_forces(own, mode);
    double bound = bound_of(numbers, own, mode), square = 0;
    for (size_t k = 0; k < own->rows; k++)
        square += force[k] * force[k];
    return bound > DBL_MIN ? bound - square / bound : -sqrt(square);
}

// The speed along the direction that it had where the step began: it goes through 0 where the speed
// itself only touches it.
static double along_course(const FrictionEvent *friction, size_t i, size_t rows)
{
    double sum = 0;
    for (size_t k = 0; k < rows; k++)
        sum += friction->contacts->at[i].u[k] * friction->course[FRICTION_MOST * i + k];
    return sum;
}

// Where errors of the state turn the direction, a sliding goes on sideways with a rest of its
// speed, and stops late.
double friction_rest(const ContactMode *mode)
{
    double errors = EVENT_MARGIN * mode->settings->tolerance;
    bool exact = mode->settings->method == RUN_TAYLOR;
    return exact ? TOL_ZERO : real_max(TOL_ZERO, fmin(errors, TOL_COARSE / 8));
}

void friction_watch_begin(const ContactEvent *event, const ContactMode *mode)
{
    FrictionEvent *friction = event->friction;
    friction_contacts_evaluate(friction->contacts, mode->state);
    bool begins = slip_start_was_taken(mode);
    for (size_t i = 0; i < friction->count; i++) {
        const FrictionNumbers *numbers = &friction->contacts->at[i];
        size_t rows = friction->contacts->motion->frictions[i].rows;
        friction->begins[i] =
            friction->begins[i] && begins && friction->holds[i].mode == HOLD_TURNS;
        double speed = friction_speed(numbers, rows);
        friction->fastest[i] = fmax(friction->fastest[i], speed);
        for (size_t k = 0; k < rows; k++)
            friction->course[FRICTION_MOST * i + k] = speed > 0 ? numbers->u[k] / speed : 0;
    }
}

// What sticks because the equations hold it, and not by a row of its own, may be moved by them: how
// far it is from that.
static double held_by_others(const ContactEvent *event, const ContactMode *mode, size_t i)
{
    const FrictionContacts *contacts = event->friction->contacts;
    size_t rows = contacts->motion->frictions[i].rows;
    double usual = event->gaps->length / event->gaps->interval;
    usual = fmax(usual, real_largest(mode->state->v, contacts->n));
    return TOL_CONDITION * usual - friction_speed(&contacts->at[i], rows);
}

// Of a speed in one row, by its terms, and by what it gains within the last digits of the time:
// what has just begun to slide has no speed yet.
static double speed_noise(const ContactEvent *event, const ContactMode *mode,
                          const FrictionNumbers *numbers)
{
    double rate = numbers->eta[0], time = fmax(fabs(*mode->state->t), event->gaps->interval);
    for (size_t j = 0; j < event->friction->contacts->n; j++)
        rate += numbers->w[j] * mode->state->a[j];
    return TOL_ROUNDING * fmax(numbers->terms[0], fabs(rate) * time);
}

void friction_watch(const ContactEvent *event, const ContactMode *mode, double *values,
                    double *noise)
{
    FrictionEvent *friction = event->friction;
    FrictionContacts *contacts = friction->contacts;
    double common = friction_share(event, mode);
    friction_contacts_evaluate(contacts, mode->state);
    for (size_t i = 0; i < friction->count; i++) {
        const MotionFriction *own = &contacts->motion->frictions[i];
        const FrictionNumbers *numbers = &contacts->at[i];
        FrictionHold hold = friction->holds[i];
        values[i] = 0;
        if (hold.mode == HOLD_OPEN)
            continue;
        if (hold.mode == HOLD_STICKS)
            values[i] =
                isfinite(common) && friction->together[i] ? common : margin(numbers, own, mode);
        double rest = hold.without ? held_by_others(event, mode, i) : 0;
        if (hold.mode == HOLD_STICKS)
            values[i] = rest < 0 ? rest : values[i];
        else if (own->rows == 1)
            values[i] = hold.mode == HOLD_BACKWARD ? -numbers->u[0] : numbers->u[0];
        else
            values[i] =
                along_course(friction, i, own->rows) - friction_rest(mode) * friction->fastest[i];
        if (hold.mode != HOLD_STICKS)
            noise[i] = fmax(noise[i], speed_noise(event, mode, numbers));
    }
    for (size_t p = 0; p < contacts->presser_count; p++) {
        bool pulls = false;
        bool watched = contacts->signs[p] && is_sliding_by(friction, p, &pulls);
        values[friction->count + p] =
            watched ? pressing(contacts->signs[p], mode) * (pulls ? -1 : 1) : 0;
    }
}

size_t friction_undetermined(const ContactEvent *event)
{
    return friction_watch_count(event);
}

void friction_keep_stuck(const ContactEvent *event, const ContactMode *mode)
{
    FrictionEvent *friction = event->friction;
    friction_contacts_evaluate(friction->contacts, mode->state);
    for (size_t i = 0; i < friction->count; i++) {
        const MotionFriction *own = &friction->contacts->motion->frictions[i];
        double *stuck = friction->stuck + (FRICTION_MOST + 1) * i;
        memset(stuck, 0, (FRICTION_MOST + 1) * sizeof *stuck);
        if (friction->holds[i].mode != HOLD_STICKS || motion_friction_is_massless(own))
            continue;
        memcpy(stuck, stick_forces(own, mode), own->rows * sizeof *stuck);
        FrictionTerm press;
        if (motion_friction_own(own, &press))
            stuck[FRICTION_MOST] = friction->contacts->at[i].pressure * pressing_size(&press, mode);
        for (size_t k = 0; k < own->term_count; k++)
            stuck[FRICTION_MOST] += pressing_size(&own->terms[k], mode);
    }
}

void friction_found(ContactEvent *event, size_t index)
{
    FrictionEvent *friction = event->friction;
    size_t i = index;
    if (index == friction_undetermined(event)) {
        friction->undetermined = true;
        return;
    }
    if (index >= friction->count) {
        friction->crosses[index - friction->count] = true;
        return;
    }
    bool sticks = friction->holds[i].mode == HOLD_STICKS;
    bool all = friction->shared && friction->together[i];
    for (size_t k = 0; k < friction->count && all && sticks; k++)
        friction->slips[k] = friction->holds[k].mode == HOLD_STICKS && friction->together[k];
    if (sticks)
        friction->slips[i] = true;
    else
        friction->stopped[i] = true;
}
