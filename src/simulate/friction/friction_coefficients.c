// friction_coefficients.c: coefficients of friction along a run: 0 or more, and the static one not
// below the sliding one. Where they hold coordinates, velocities or the time, each step is searched
// for a place where they are none.
#include "base/text_builder.h"
#include "dynamics/equations_types.h"
#include "expr/expr.h"
#include "linalg/tolerances.h"
#include "model/friction.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/mode_inside_impl.h"
#include "simulate/mode_stepping_impl.h"

#include <assert.h>
#include <math.h>

// The coefficients, sliding and sticking: the first pair, then those of the terms.
static const double *pair_of(const FrictionNumbers *numbers, size_t k)
{
    return k == 0 ? &numbers->sliding : &numbers->by[2 * k - 2];
}

bool friction_is_lawful(FrictionContacts *contacts, size_t i)
{
    const FrictionNumbers *numbers = &contacts->at[i];
    double *largest = &contacts->largest[i];
    bool lawful = true;
    for (size_t k = 0; k <= contacts->motion->frictions[i].term_count; k++) {
        const double *own = pair_of(numbers, k);
        if (!isfinite(own[0]) || !isfinite(own[1]))
            return false;
        *largest = fmax(*largest, fmax(fabs(own[0]), fabs(own[1])));
    }
    for (size_t k = 0; k <= contacts->motion->frictions[i].term_count; k++) {
        const double *own = pair_of(numbers, k);
        lawful = lawful && own[0] >= -TOL_ZERO * *largest && own[1] >= own[0] - TOL_ZERO * *largest;
    }
    return lawful;
}

void friction_add_unlawful(const FrictionContacts *contacts, size_t i, Text *text)
{
    const ModelFriction *friction = contacts->motion->frictions[i].friction;
    const FrictionNumbers *numbers = &contacts->at[i];
    bool finite = true, below = expr_same(friction->bound, friction->hold);
    for (size_t k = 0; k <= contacts->motion->frictions[i].term_count; k++) {
        const double *own = pair_of(numbers, k);
        finite = finite && isfinite(own[0]) && isfinite(own[1]);
        below = below || own[0] < fmin(own[1] - own[0], 0);
    }
    const char *what = friction->kind == FRICTION_ON_CONDITION ? "coefficient" : "bound";
    if (!finite)
        text_addf(text, "the %s of the friction '%s' has no finite value", what, friction->name);
    else if (below)
        text_addf(text,
                  "the %s of the friction '%s' falls below 0; let it end there, as in max(0, mu)",
                  what, friction->name);
    else
        text_addf(text,
                  "the static %s of the friction '%s' falls below the sliding one; let it be no "
                  "less, as in max(mu, mu_s)",
                  what, friction->name);
}

// ---- Along a step.

static bool varies(const Motion *motion, const ModelFriction *friction)
{
    const Expr exprs[] = {friction->bound, friction->hold};
    bool found = false;
    for (size_t i = 0; i < 2; i++)
        found = found || expr_holds(motion->pool, exprs[i], motion->model->t) ||
                expr_holds(motion->pool, exprs[i], friction->slip) ||
                expr_holds_any(motion->pool, exprs[i], motion->q, motion->n) ||
                expr_holds_any(motion->pool, exprs[i], motion->v, motion->n);
    return found;
}

typedef struct {
    FrictionContacts *contacts;
    ContactMode *mode;
    size_t i;
} Along;

// What may not be below 0, in parts of the largest coefficient.
static double room(const Along *along, double t)
{
    FrictionContacts *contacts = along->contacts;
    State *probe = mode_probe(along->mode);
    const FrictionNumbers *numbers = &contacts->at[along->i];
    *probe->t = t;
    mode_interpolate(along->mode, t, probe->q, probe->v);
    friction_contacts_evaluate_one(contacts, probe, along->i);
    if (!friction_is_lawful(contacts, along->i))
        return -1;
    // Where both are the same at all times only one tells something.
    const MotionFriction *own = &contacts->motion->frictions[along->i];
    bool same = expr_same(own->friction->bound, own->friction->hold);
    double least = INFINITY;
    for (size_t k = own->term_count > 0 && expr_is_zero(contacts->motion->pool, own->bound);
         k <= own->term_count; k++) {
        const double *pair = pair_of(numbers, k);
        least = fmin(least, same ? pair[0] : fmin(pair[0], pair[1] - pair[0]));
    }
    // What is lawful is so within rounding.
    return contacts->largest[along->i] > 0 ? fmax(least, 0) / contacts->largest[along->i] : 0;
}

// The least room between two times, by the golden section.
static double find_least(const Along *along, double from, double to, double *t)
{
    const double part = 0.3819660112501051;
    double a = from + part * (to - from), b = to - part * (to - from);
    double at_a = room(along, a), at_b = room(along, b);
    for (int i = 0; i < LIMIT_STEPS && fmin(at_a, at_b) >= 0; i++)
        if (at_a < at_b) {
            to = b, b = a, at_b = at_a;
            a = from + part * (to - from), at_a = room(along, a);
        } else {
            from = a, a = b, at_a = at_b;
            b = to - part * (to - from), at_b = room(along, b);
        }
    *t = at_a < at_b ? a : b;
    return fmin(at_a, at_b);
}

// Whether the room falls from a place towards another one; what begins or ends in between may have
// its least there.
static bool falls(const Along *along, double at, double value, double towards)
{
    return room(along, at + TOL_COARSE * (towards - at)) < value;
}

// The first place in a step where the coefficients of a friction are none.
static bool search(const Along *along, double end, double *t)
{
    enum { PIECES = 32 };
    double from = along->mode->from, before = from, left = from, values[PIECES + 1];
    for (int k = 0; k <= PIECES; k++) {
        double at = from + (end - from) * k / PIECES;
        values[k] = room(along, at);
        bool dips = k >= 2 && values[k - 1] <= values[k - 2] && values[k - 1] <= values[k];
        if (k == 1 && values[0] <= values[1])
            dips = falls(along, from, values[0], at);
        if (k == PIECES && values[k] < values[k - 1])
            dips = falls(along, at, values[k], before);
        if (dips && find_least(along, left, at, t) < 0)
            return true;
        *t = at;
        if (values[k] < 0)
            return true;
        left = before, before = at;
    }
    return false;
}

static double halve(const Along *along, double wrong)
{
    double good = along->mode->from;
    for (double middle = (good + wrong) / 2; good < middle && middle < wrong;
         middle = (good + wrong) / 2)
        *(room(along, middle) >= 0 ? &good : &wrong) = middle;
    return good;
}

bool friction_turns_unlawful(const ContactEvent *event, ContactMode *mode, double end, double *t)
{
    FrictionEvent *friction = event->friction;
    assert(friction && mode->from <= end);
    FrictionContacts *contacts = friction->contacts;
    contacts->wrong = SIZE_MAX;
    double until = end;
    for (size_t i = 0; i < friction->count && mode->from < end; i++) {
        Along along = {contacts, mode, i};
        double at;
        if (friction->holds[i].mode == HOLD_OPEN ||
            !varies(contacts->motion, contacts->motion->frictions[i].friction) ||
            !search(&along, until, &at))
            continue;
        contacts->wrong = i;
        until = *t = halve(&along, at);
    }
    return contacts->wrong != SIZE_MAX;
}
