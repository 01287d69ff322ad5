// slip_start.c: a sliding that begins from rest in two directions at once.
#include "dynamics/condition_multipliers.h"
#include "dynamics/dynamics.h"
#include "dynamics/equations_types.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"
#include "model/friction.h"
#include "model/system.h"
#include "ode/ode.h"
#include "ode/singular_start.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/friction/friction_contacts_impl.h"
#include "simulate/friction/slip_start_impl.h"
#include "simulate/run_options.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// How a sliding grows at first: u = (rate·t + growth·t²/2)·onset, for steps of this length.
typedef struct {
    double length, rate, growth;
} Onset;

struct SlipStart {
    FrictionContacts *contacts;
    double t;
    double *q, *v, *a; // where it begins; accelerations there
    size_t rows;       // of those that begin
    size_t *which;     // of each: friction·FRICTION_MOST + row
    double *onset;     // of each: the direction in which they begin, together of length 1
    Onset grows;
    double *samples; // at each node: a | multipliers | λ | directions
    double first, from;
    bool sampled;
};

static SlipStart *make(ContactMode *mode, FrictionContacts *contacts)
{
    const Equations *eq = mode->eq;
    size_t n = eq->n, rows = FRICTION_MOST * contacts->count;
    size_t inputs = eq->input_count, width = n + inputs + eq->m + rows;
    SlipStart *start = arena_array(mode->arena, SlipStart, 1);
    *start = (SlipStart){.contacts = contacts};
    real_alloc_each(mode->arena, n, &start->q, &start->v, &start->a);
    start->which = arena_array(mode->arena, size_t, rows + 1);
    start->onset = real_alloc(mode->arena, rows + 1);
    start->samples = real_alloc(mode->arena, ODE_START_NODES * width + 1);
    return start;
}

void slip_start_prepare(ContactMode *mode, const ContactEvent *event)
{
    const FrictionEvent *friction = event->friction;
    size_t n = mode->eq->n, rows = 0;
    double square = 0;
    if (mode->inside.start)
        mode->inside.start->t = NAN;
    if (!friction)
        return;
    for (size_t i = 0; i < friction->count; i++)
        if (friction->begins[i] && friction->holds[i].mode == HOLD_TURNS)
            rows += friction->contacts->motion->frictions[i].rows;
    if (rows == 0)
        return;
    if (!mode->inside.start)
        mode->inside.start = make(mode, friction->contacts);
    SlipStart *start = mode->inside.start;
    start->t = event->t;
    start->sampled = false;
    start->rows = 0;
    memcpy(start->q, event->q, n * sizeof *start->q);
    memcpy(start->v, event->after, n * sizeof *start->v);
    memcpy(start->a, friction->accelerations, n * sizeof *start->a);
    for (size_t i = 0; i < friction->count; i++)
        for (size_t k = 0; k < friction->contacts->motion->frictions[i].rows; k++) {
            if (!friction->begins[i] || friction->holds[i].mode != HOLD_TURNS)
                continue;
            size_t at = FRICTION_MOST * i + k;
            start->which[start->rows] = at;
            start->onset[start->rows++] = friction->onset[at];
            square += friction->onset[at] * friction->onset[at];
        }
    for (size_t i = 0; i < start->rows; i++)
        start->onset[i] /= sqrt(square);
}

bool slip_start_is_due(const ContactMode *mode)
{
    return mode->inside.start && mode->inside.start->t == mode->t;
}

bool slip_start_was_taken(const ContactMode *mode)
{
    return mode->inside.start && mode->stepped && mode->from == mode->inside.start->t &&
           ode_integrator_is_singular_start(mode->integrator);
}

// ---- States near the beginning.

// The sliding velocities of those that begin, at a state.
static bool find_slips(ContactMode *mode, double t, const double *y, double *slips)
{
    SlipStart *start = mode->inside.start;
    if (dynamics_velocities(mode->eq, mode->state, t, y, y + mode->eq->n) != DYNAMICS_FOUND)
        return false;
    friction_contacts_evaluate(start->contacts, mode->state);
    for (size_t i = 0; i < start->rows; i++)
        slips[i] =
            start->contacts->at[start->which[i] / FRICTION_MOST].u[start->which[i] % FRICTION_MOST];
    return true;
}

// Of their sizes without cancelling: what rounding is a part of.
static double slip_terms(const SlipStart *start)
{
    double most = 0;
    for (size_t i = 0; i < start->rows; i++)
        most = fmax(most, start->contacts->at[start->which[i] / FRICTION_MOST]
                              .terms[start->which[i] % FRICTION_MOST]);
    return most;
}

// Changes the speeds of y, which have these slips, as little as possible until they are `wanted`.
static bool correct_slips(ContactMode *mode, double t, double *y, const double *slips,
                          const double *wanted)
{
    const Equations *eq = mode->eq;
    size_t rows = mode->inside.start->rows, k = eq->k, most = rows > k ? rows : k;
    double *matrix = base_alloc((rows * k + 2 * most + 1) * sizeof *matrix);
    double *change = matrix + rows * k, *other = change + most;
    bool found = true;
    for (size_t i = 0; i < k && found; i++) {
        double kept = y[eq->n + i];
        y[eq->n + i] = kept + 1;
        found = find_slips(mode, t, y, other);
        for (size_t r = 0; r < rows && found; r++)
            matrix[i * rows + r] = other[r] - slips[r];
        y[eq->n + i] = kept;
    }
    for (size_t r = 0; r < rows; r++)
        change[r] = wanted[r] - slips[r];
    if (found)
        least_squares(matrix, rows, k, TOL_RANK, change);
    for (size_t i = 0; i < k && found; i++)
        y[eq->n + i] += change[i];
    base_free(matrix);
    return found;
}

// The state so long after the beginning with the accelerations there, sliding along the onset.
static bool make_state(ContactMode *mode, double after, double speed, double *y)
{
    const SlipStart *start = mode->inside.start;
    const Equations *eq = mode->eq;
    State *state = mode->state;
    size_t n = eq->n;
    double slips[2 * FRICTION_MOST], t = start->t + after, *own = slips;
    *state->t = t;
    for (size_t j = 0; j < n; j++) {
        state->q[j] = y[j] = start->q[j] + after * (start->v[j] + after * start->a[j] / 2);
        state->v[j] = start->v[j] + after * start->a[j];
    }
    evaluator_run(&state->velocities, state->inputs);
    dynamics_speeds(eq, state, y + n);
    if (2 * start->rows > sizeof slips / sizeof *slips)
        own = base_alloc(2 * start->rows * sizeof *own);
    double *wanted = own + start->rows;
    for (size_t i = 0; i < start->rows; i++)
        wanted[i] = speed * start->onset[i];
    bool found = find_slips(mode, t, y, own) && correct_slips(mode, t, y, own, wanted);
    if (own != slips)
        base_free(own);
    return found;
}

// How fast the sliding grows along the onset at a state that slides so little; and the sizes of the
// accelerations that this is a sum of.
static bool find_growth(ContactMode *mode, double after, double speed, double *y, double *growth,
                        double *terms)
{
    const SlipStart *start = mode->inside.start;
    const Equations *eq = mode->eq;
    const State *state = mode->state;
    *growth = *terms = 0;
    if (!make_state(mode, after, speed, y) ||
        dynamics_velocities(eq, mode->state, start->t + after, y, y + eq->n) != DYNAMICS_FOUND ||
        dynamics_accelerations(eq, mode->state, NULL) != DYNAMICS_FOUND)
        return false;
    friction_contacts_evaluate(start->contacts, state);
    for (size_t i = 0; i < start->rows; i++) {
        const FrictionNumbers *numbers = &start->contacts->at[start->which[i] / FRICTION_MOST];
        size_t k = start->which[i] % FRICTION_MOST;
        double rate = numbers->eta[k];
        *terms = fmax(*terms, fabs(rate));
        for (size_t j = 0; j < eq->n; j++) {
            rate += numbers->w[k * eq->n + j] * state->a[j];
            *terms = fmax(*terms, fabs(numbers->w[k * eq->n + j] * state->a[j]));
        }
        *growth += rate * start->onset[i];
    }
    return isfinite(*growth);
}

// How the sliding grows in a step of this length: with a rate of its own where the accelerations
// jump, else by how these change.
static bool find_onset(ContactMode *mode, double length, double *y)
{
    SlipStart *start = mode->inside.start;
    double rate, later, terms;
    if (start->grows.length == length)
        return true;
    if (!make_state(mode, 0, 0, y) ||
        !find_growth(mode, 0, TOL_SMALL * fmax(slip_terms(start), length), y, &rate, &terms))
        return false;
    if (rate < TOL_SMALL * terms)
        rate = 0;
    double speed = fmax(rate * length, TOL_POOR * terms * length);
    for (int i = 0; i < LIMIT_PATIENCE; i++) {
        if (!find_growth(mode, length, speed, y, &later, &terms))
            return false;
        speed = (rate + later) * length / 2;
        if (!(speed > 0))
            return false;
    }
    start->grows = (Onset){length, rate, (later - rate) / length};
    return true;
}

static bool guess(void *context, double length, double after, double *y, double *size)
{
    ContactMode *mode = context;
    SlipStart *start = mode->inside.start;
    if (!find_onset(mode, length, y))
        return false;
    *size = after * (start->grows.rate + after * start->grows.growth / 2);
    return *size > 0 && make_state(mode, after, *size, y);
}

// ---- The first step.

static size_t sample_width(const ContactMode *mode)
{
    const Equations *eq = mode->eq;
    size_t multipliers = (size_t)(mode->state->inputs + eq->input_count - mode->state->multipliers);
    return eq->n + multipliers + eq->m + mode->inside.start->rows;
}

// Accelerations, multipliers and directions at the state, to or from a sample.
static void exchange(ContactMode *mode, double *sample, bool take)
{
    const Equations *eq = mode->eq;
    State *state = mode->state;
    size_t multipliers = (size_t)(state->inputs + eq->input_count - state->multipliers);
    double *parts[] = {state->a, state->multipliers, state->lambda};
    size_t sizes[] = {eq->n, multipliers, eq->m};
    for (size_t i = 0; i < 3; i++) {
        memcpy(take ? sample : parts[i], take ? parts[i] : sample, sizes[i] * sizeof *sample);
        sample += sizes[i];
    }
}

static double *directions_of(const ContactMode *mode, double *sample)
{
    return sample + sample_width(mode) - mode->inside.start->rows;
}

static bool take_samples(ContactMode *mode, double *y)
{
    SlipStart *start = mode->inside.start;
    const Equations *eq = mode->eq;
    size_t width = sample_width(mode);
    for (size_t node = 0; node < ODE_START_NODES; node++) {
        double t, *sample = start->samples + node * width, *slips = directions_of(mode, sample);
        ode_integrator_start_node(mode->integrator, node, &t, y);
        if (dynamics_velocities(eq, mode->state, t, y, y + eq->n) != DYNAMICS_FOUND ||
            dynamics_accelerations(eq, mode->state, NULL) != DYNAMICS_FOUND)
            return false;
        exchange(mode, sample, true);
        if (!find_slips(mode, t, y, slips))
            return false;
        for (size_t i = 0; i < start->rows; i++) {
            size_t friction = start->which[i] / FRICTION_MOST;
            double speed = friction_speed(&start->contacts->at[friction],
                                          start->contacts->motion->frictions[friction].rows);
            if (!(speed > 0))
                return false;
            slips[i] /= speed;
        }
    }
    return start->sampled = true;
}

bool slip_start_begin(ContactMode *mode, double *end, double *y)
{
    assert(slip_start_is_due(mode));
    const RunOptions *settings = mode->settings;
    OdeSingularStart start = {.context = mode, .guess = guess};
    double longest = fmin(settings->to - mode->t, settings->every);
    mode->inside.start->grows.length = 0;
    if (!(longest > 0))
        longest = settings->every;
    if (!ode_integrator_start_singular(mode->integrator, mode->t, mode->y, longest, &start) ||
        !take_samples(mode, y))
        return false;
    ode_integrator_start_node(mode->integrator, ODE_START_NODES - 1, end, y);
    ode_integrator_start_node(mode->integrator, 0, &mode->inside.start->first, mode->inside.y);
    return true;
}

// The polynomial through the samples, before the first of them.
static void extrapolate(ContactMode *mode, double t)
{
    const SlipStart *start = mode->inside.start;
    size_t width = sample_width(mode);
    double at[ODE_START_NODES], *sum = base_alloc((width + 1) * sizeof *sum);
    double *y = base_alloc((mode->eq->n + mode->eq->k + 1) * sizeof *y);
    for (size_t node = 0; node < ODE_START_NODES; node++)
        ode_integrator_start_node(mode->integrator, node, &at[node], y);
    for (size_t node = 0; node < ODE_START_NODES; node++) {
        double weight = 1;
        for (size_t other = 0; other < ODE_START_NODES; other++)
            if (other != node)
                weight *= (t - at[other]) / (at[node] - at[other]);
        real_add_times(weight, start->samples + node * width, width, sum);
    }
    exchange(mode, sum, false);
    // In the place of forces that hold it, the direction in which it begins, so large that the
    // sliding velocity itself is nothing beside it.
    const double *directions = directions_of(mode, sum);
    for (size_t i = 0; i < start->rows; i++) {
        size_t which = start->which[i], friction = which / FRICTION_MOST;
        const MotionFriction *own = &start->contacts->motion->frictions[friction];
        mode->state->multipliers[mode->motion->model->constraints.count + own->friction->stick +
                                 which % FRICTION_MOST] =
            directions[i] / (DBL_EPSILON * DBL_EPSILON);
    }
    base_free(y);
    base_free(sum);
}

bool slip_start_accelerate(ContactMode *mode)
{
    const SlipStart *start = mode->inside.start;
    double t = *mode->state->t;
    if (!start || !start->sampled || !(t >= start->t) ||
        !ode_integrator_is_singular_start(mode->integrator))
        return false;
    if (t < start->first) {
        extrapolate(mode, t);
        return true;
    }
    for (size_t i = 0; i < start->rows; i++) {
        size_t which = start->which[i];
        const MotionFriction *own = &start->contacts->motion->frictions[which / FRICTION_MOST];
        mode->state->multipliers[mode->motion->model->constraints.count + own->friction->stick +
                                 which % FRICTION_MOST] = 0;
    }
    return false;
}
