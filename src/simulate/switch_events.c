// switch_events.c: what happens where abs, sign, min or max switches.
#include "dynamics/dynamics.h"
#include "dynamics/equations_types.h"
#include "dynamics/projection.h"
#include "dynamics/switch_arguments.h"
#include "dynamics/unilaterals.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/system.h"
#include "motion/motion_types.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_events_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/event_detector_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/gap_bounds_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/mode_inside_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/recording_impl.h"
#include "simulate/run_report.h"
#include "simulate/sensitivity/sensitivity_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/switch_events_impl.h"
#include "simulate/switch_functions_impl.h"
#include "simulate/velocity_jumps_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// When the state just before a switch was, by the last step's own dense output: a little before,
// or as much more as roundings have moved the switch, or others on the same surface.
double switch_before(const SimulationRun *run, size_t which)
{
    ContactMode *mode = run->mode;
    Switches *switches = run->switches;
    bool timed = mode->t == switches->last.after;
    double length = mode->t - mode->from;
    double back = timed ? mode->t - switches->last.before : TOL_ZERO * length;
    while (back < length && mode_evaluate(mode, mode->t - back) &&
           switches_values(switches, mode->state)[which] * switches->signs[which] >= 0)
        back *= 4;
    double clear = back, most = fmin(fmax(TOL_SMALL * length, TOL_ZERO * mode->t), length);
    while (!timed && clear < most && mode_evaluate(mode, mode->t - clear) &&
           switches_are_any_zero(switches, mode->state))
        clear *= 4;
    back = !timed && clear < most ? clear : back;
    return fmax(mode->t - back, mode->from);
}

// To the side of a function that has switched, a little further on along the motion, where it holds
// velocities: positions that meet conditions do not tell these to the last digit.
static bool go_behind(SimulationRun *run, size_t which, int side)
{
    ContactMode *mode = run->mode;
    State *state = mode->state;
    Switches *switches = run->switches;
    size_t n = mode->eq->n;
    const double *slopes = switches_slopes(switches, state, which), *by = slopes + 1 + n;
    double value = switches_values(switches, state)[which], most = real_largest(by, n);
    double rate = slopes[0] + real_dot(slopes + 1, state->v, n) + real_dot(by, state->a, n);
    double way =
        2 * fabs(value) + TOL_STATE * (most * real_largest(state->v, n) + fabs(rate * mode->t));
    bool found = true, ahead = most > 0 && side * rate > 0;
    for (int i = 0; i < LIMIT_PATIENCE && ahead && found && side * value <= 0; i++, way *= 8) {
        real_add_times(way / fabs(rate), state->v, n, state->q);
        real_add_times(way / fabs(rate), state->a, n, state->v);
        memcpy(mode->y, state->q, n * sizeof *mode->y);
        dynamics_speeds(mode->eq, state, mode->y + n);
        found = (!mode_has_projection(mode->eq) || mode_project(mode, mode->t, mode->y)) &&
                mode_evaluate(mode, mode->t);
        value = switches_values(switches, state)[which];
    }
    return found;
}

// The velocities of the state gain what accelerations, n, give in a time. Not where the motion
// turns meanwhile, nor where the switch holds velocities, which would pass it once more.
static void gain(ContactMode *mode, const double *accelerations, double time, const double *slopes)
{
    State *state = mode->state;
    size_t n = mode->eq->n;
    double rate = slopes[0] + real_dot(slopes + 1, state->v, n);
    if (!(fabs(real_dot(slopes + 1, accelerations, n) * time) <= TOL_COARSE * fabs(rate)) ||
        real_largest(slopes + 1 + n, n) > 0)
        return;
    real_add_times(time, accelerations, n, state->v);
    dynamics_speeds(mode->eq, state, mode->y + n);
}

// Positions have been moved over a switch, from where its argument was `value` and the
// accelerations were `before`: the forces of both sides have acted on their parts of the way.
static bool accelerate_across(SimulationRun *run, size_t which, double value, const double *before)
{
    ContactMode *mode = run->mode;
    Switches *switches = run->switches;
    memcpy(mode->y, mode->state->q, mode->eq->n * sizeof *mode->y);
    double behind = switches_values(switches, mode->state)[which];
    if (!mode_evaluate_at(mode, mode->t, mode->y))
        return false;
    const double *slopes = switches_slopes(switches, mode->state, which);
    double rate = fabs(slopes[0] + real_dot(slopes + 1, mode->state->v, mode->eq->n));
    if (rate > 0) {
        gain(mode, before, fabs(value) / rate, slopes);
        gain(mode, mode->state->a, fabs(behind) / rate, slopes);
    }
    return true;
}

// What else switches on the same surface, as sign(x) beside max(0, x), has done so with it.
static void pass_others(Switches *switches, ContactMode *mode, size_t which)
{
    if (switches_leave(switches, mode, mode->y, which))
        memcpy(mode->y, mode->state->q, mode->eq->n * sizeof *mode->y);
    switches_look(switches, mode->state, NULL);
}

bool switch_pass(SimulationRun *run, size_t which)
{
    ContactMode *mode = run->mode;
    Switches *switches = run->switches;
    int sign = switches->signs[which] = -switches->signs[which];
    assert(sign != 0);
    if (!mode_evaluate(mode, mode->t))
        return false;
    const double *slopes = switches_slopes(switches, mode->state, which);
    double value = switches_values(switches, mode->state)[which];
    size_t n = mode->eq->n;
    double *before = memcpy(base_alloc(n * sizeof *before), mode->state->a, n * sizeof *before);
    bool left = sign * value <= 0 && switch_leave(mode->eq, mode->state, &switches->found,
                                                  switches->arguments, which, slopes, NULL, sign);
    bool found = left ? accelerate_across(run, which, value, before) : go_behind(run, which, sign);
    base_free(before);
    if (!found)
        return false;
    pass_others(switches, mode, which);
    return true;
}

// What stands exactly on a surface that holds velocities goes on along the motion.
static bool leave_velocities(SimulationRun *run)
{
    Switches *switches = run->switches;
    const State *state = run->mode->state;
    for (size_t i = 0; i < switches->count; i++) {
        int sign = switches->signs[i];
        if (sign == 0 || switches_values(switches, state)[i] != 0)
            continue;
        if (!go_behind(run, i, -sign))
            return false;
        switches->moved = switches->moved || switches_values(switches, state)[i] != 0;
    }
    return true;
}

// What stands on a surface but for rounding goes on to behind it, from the coordinates reached.
static bool leave_positions(SimulationRun *run, const double *reached)
{
    ContactMode *mode = run->mode;
    Switches *switches = run->switches;
    size_t n = mode->eq->n, count = switches->count;
    double *before = base_alloc((n + count) * sizeof *before), *values = before + n;
    memcpy(before, mode->state->a, n * sizeof *before);
    memcpy(values, switches_values(switches, mode->state), count * sizeof *values);
    bool found = true;
    switches->moved = switches_leave(switches, mode, reached, SIZE_MAX);
    if (switches->moved) {
        const double *behind = switches_values(switches, mode->state);
        size_t i = 0;
        while (i < count &&
               (switches->signs[i] * values[i] < 0 || switches->signs[i] * behind[i] >= 0))
            i++;
        memcpy(mode->y, mode->state->q, n * sizeof *mode->y);
        found = (i == count || accelerate_across(run, i, values[i], before)) &&
                mode_evaluate(mode, mode->t);
    }
    base_free(before);
    return found;
}

bool switch_leave_end(SimulationRun *run)
{
    ContactMode *mode = run->mode;
    double *reached = run->vector, *v = run->vector + mode->eq->n;
    assert(*mode->state->t == mode->t);
    if (!mode->stepped)
        return true;
    // Behind a jump at the end of the step the integrator has begun anew there.
    if (mode->inside.known)
        mode_interpolate(mode, mode->t, reached, v);
    else
        memcpy(reached, mode->y, mode->eq->n * sizeof *reached);
    return leave_positions(run, reached) && leave_velocities(run);
}

bool gaps_jump(const SimulationRun *run, double t, const double *q, double after,
               const double *q_after)
{
    assert(q && q_after);
    const GapFunctions *gaps = run->gaps;
    bool jumps = false;
    double *before = base_alloc((gaps->count + 1) * sizeof *before);
    gaps_evaluate(gaps, t, q, before);
    gaps_evaluate(gaps, after, q_after, gaps->f);
    for (size_t i = 0; i < gaps->count && !jumps; i++) {
        const double *v = run->mode->state->v;
        double change = fmin(gaps->f[i], gaps->f[i] - before[i]), most = TOL_SMALL * gaps->sizes[i];
        // It may be steep, and some time has passed.
        double rate = unilaterals_row(gaps->unilaterals, i, after, q_after, v).rate;
        jumps = change > most + 2 * fabs(rate) * (after - t);
    }
    base_free(before);
    return jumps;
}

// Whether a condition is violated between the places before and behind a switch, which is passed by
// some last digits. One that is violated behind it is struck there.
static bool gap_hides(SimulationRun *run, double before, size_t *which)
{
    ContactMode *mode = run->mode;
    size_t n = mode->eq->n;
    const double *y = mode_state(mode, before);
    double *q = base_alloc(n * sizeof *q);
    if (y)
        memcpy(q, y, n * sizeof *q);
    GapAnswer answer =
        y ? gaps_bound_line(run->detector, before, q, mode->t, mode->y, n, which) : GAPS_HOLD;
    base_free(q);
    gaps_evaluate(run->gaps, mode->t, mode->y, run->gaps->f);
    return answer != GAPS_HOLD && run->gaps->f[*which] <= 0;
}

bool switch_meets_impulse(SimulationRun *run, RunResult *result)
{
    const ContactMode *mode = run->mode;
    State *state = mode->state;
    size_t n = mode->eq->n;
    if (run->switches->count == 0 || !switches_touch(run->switches, state))
        return false;
    double energies[2], step = TOL_AGREEMENT * mode->t;
    double *kept = memcpy(base_alloc((n + 1) * sizeof *kept), state->q, n * sizeof *kept);
    for (int side = 0; side < 2; side++) {
        for (size_t j = 0; j < n; j++)
            state->q[j] = kept[j] + (side ? step : -step) * state->v[j];
        energies[side] = record_energy(run);
    }
    memcpy(state->q, kept, n * sizeof *kept);
    base_free(kept);
    double change = fabs(energies[1] - energies[0]);
    if (!(change > TOL_SMALL * fmax(fabs(energies[0]), fabs(energies[1]))))
        return false;
    Text reason = {0};
    text_addf(&reason,
              "an impulse acts exactly where the energy jumps by %.6g, and what happens depends "
              "on which comes first; move the time of the impulse a little",
              change);
    *result = failure_report(run, mode->t, &reason);
    return true;
}

// Others that were before their switch and are behind it have been passed at once with the one
// whose velocities are known.
static bool carry_others(SimulationRun *run, double before)
{
    ContactMode *mode = run->mode;
    Switches *switches = run->switches;
    if (!mode_evaluate(mode, before))
        return false;
    size_t bytes = switches->count * sizeof(double);
    double *values = memcpy(base_alloc(bytes), switches_values(switches, mode->state), bytes);
    bool known = mode_evaluate(mode, mode->t);
    if (known)
        switches_carry(switches, mode->state, values);
    base_free(values);
    return known;
}

// The velocities have jumped at a switch.
static RunResult process_jump(SimulationRun *run, size_t which, const SwitchJump *jump,
                              double before, double energy)
{
    ContactMode *mode = run->mode;
    Switches *switches = run->switches;
    // What turns back goes on from where it was before the switch: the surface may have moved.
    bool back = jump->kind == JUMP_REFLECTED;
    const double *q = back ? mode_state(mode, before) : mode->y;
    double *place = run->vector + mode->eq->n, since = back ? mode->t - before : 0;
    for (size_t j = 0; j < mode->eq->n; j++)
        place[j] = q[j] + since * jump->after[j];
    if (!back && !carry_others(run, before))
        return RESULT_FAILED;
    if (!mode_begin(mode, mode->t, place, jump->after, 0) || !mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    if (back)
        switches_look(switches, mode->state, NULL);
    switches->jumped = mode->t;
    switches->jumped_at = which;
    double gained = record_energy(run) - energy;
    record_energy_change(run, gained);
    record_event(run, &(RunEvent){.t = switches_shown_time(switches, mode->t),
                                  .kind = RUN_PERCUSSION,
                                  .what = switches->found.names[which],
                                  .before = run->vector,
                                  .after = mode->state->v,
                                  .impulses = jump->impulse,
                                  .energy_lost = -gained});
    return record_after_event(run);
}

// Whether it cannot be told what happens: velocities jump where another function switches at the
// same instant, and only one of both by the time. What goes back at once is not seen to be on its
// side: at a sharp kink positions are not told well enough.
static bool is_unordered(const SimulationRun *run, size_t which, bool jumps, Text *reason)
{
    const Switches *switches = run->switches;
    double t = run->mode->t;
    bool again = t - switches->jumped <= TOL_ZERO * t, back = again && switches->jumped_at == which;
    bool mixed = switches->mixed && jumps;
    if (!mixed && !(again && (jumps || back)))
        return false;
    text_add(reason, back && !mixed
                         ? "it cannot be told on which side of the kink it goes on; the method "
                           "'taylor' tells it best"
                         : "two functions switch there at once, the time in one of them, and what "
                           "happens depends on their order");
    return true;
}

double switch_shown_time(const SimulationRun *run, double t)
{
    return switches_shown_time(run->switches, t);
}

// Where declared speeds jump, the velocities do not: the speeds have other values behind it.
static bool keep_velocities(SimulationRun *run, size_t which)
{
    ContactMode *mode = run->mode;
    size_t n = mode->eq->n;
    double *place = run->vector + n;
    if (!run->switches->of_speeds[which])
        return true;
    memcpy(place, mode->y, n * sizeof *place);
    return mode_begin(mode, mode->t, place, run->vector, mode_next_step(mode)) &&
           mode_evaluate(mode, mode->t);
}

// The rates of states jump where all velocities are carried, too, and nothing else does.
static bool follow_states(ContactMode *mode)
{
    const Equations *eq = mode->eq;
    if (!eq->all_velocities || eq->motion->model->rated_count == 0)
        return true;
    velocities_follow_states(eq, mode->state);
    memcpy(mode->y + eq->n, mode->state->v, eq->n * sizeof *mode->y);
    return mode_evaluate_at(mode, mode->t, mode->y);
}

// The motion comes to where the text has no value: it ends, unless it only touches that.
static RunResult leave_domain(SimulationRun *run, size_t which, double before)
{
    ContactMode *mode = run->mode;
    Switches *switches = run->switches;
    if (mode_evaluate(mode, before) && switches_graze(switches, mode->state, which)) {
        switches->signs[which] = 1;
        if (!mode_evaluate(mode, mode->t))
            return RESULT_FAILED;
        return switch_go_on(run, which, record_after_event(run));
    }
    return failure_of_domain(run, switches->found.domains[which],
                             switches_shown_time(switches, mode->t));
}

// Something has switched: the motion goes on by another law. Unless the method is a series, which
// ends its step there, it sets out anew, since no method goes on smoothly from before.
RunResult switch_process(SimulationRun *run, size_t which, double before)
{
    ContactMode *mode = run->mode;
    size_t n = mode->eq->n;
    assert(which < run->switches->count);
    if (switches_is_domain(run->switches, which))
        return leave_domain(run, which, before);
    memcpy(run->vector, mode->state->v, n * sizeof *run->vector);
    double energy = record_energy(run);
    sensitivity_enter_switch(run, which);
    SwitchJump jump = {.after = run->vector + 2 * n, .impulse = run->vector + 3 * n};
    velocity_jump(run, which, before, &jump);
    if (jump.kind == JUMP_REFUSED)
        return failure_report(run, switches_shown_time(run->switches, mode->t), &jump.reason);
    if (jump.kind != JUMP_NONE && run->sim->sensitivity)
        sensitivity_refuse(run->sim->sensitivity, mode->t,
                           "derivatives through a jump of velocities at '%s' are not known to this "
                           "version",
                           run->switches->found.names[which]);
    if (jump.kind == JUMP_CONTACT)
        return contacts_process(
            run, &(DetectedEvent){.t = mode->t, .index = jump.side, .what = DETECTED_IMPACT});
    if (is_unordered(run, which, jump.kind != JUMP_NONE, &jump.reason))
        return failure_report(run, switches_shown_time(run->switches, mode->t), &jump.reason);
    if (jump.kind != JUMP_NONE)
        return process_jump(run, which, &jump, before, energy);
    size_t side;
    if (run->gaps->count > 0 && gap_hides(run, before, &side))
        return failure_of_bounds(run, event_constraint(run->event, side), mode->t);
    if (!mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    if (jump.taken > 0)
        gain(mode, mode->state->a, jump.taken, switches_slopes(run->switches, mode->state, which));
    if (!follow_states(mode) || !keep_velocities(run, which))
        return RESULT_FAILED;
    sensitivity_leave(run);
    // Knots of tables are no events.
    if (!run->switches->found.tables[which])
        record_event(run, &(RunEvent){.t = switches_shown_time(run->switches, mode->t),
                                      .kind = RUN_SWITCH,
                                      .what = run->switches->found.names[which],
                                      .before = run->vector,
                                      .after = mode->state->v});
    return switch_go_on(run, which, record_after_event(run));
}

bool switch_ends_steps(SimulationRun *run, RunResult *result)
{
    ContactMode *mode = run->mode;
    Switches *switches = run->switches;
    size_t which, count = mode->eq->n + mode->eq->k;
    if (switches->count == 0 || mode->inside.start || !mode_evaluate_at(mode, mode->t, mode->y) ||
        !switches_are_ahead(switches, mode->state, &which) ||
        (switches->met_at == which && mode->t - switches->met <= TOL_ZERO * mode->t))
        return false;
    switches->met = mode->t;
    switches->met_at = which;
    // What is inside the last step is no longer known.
    mode->stepped = false;
    mode->from = mode->t;
    *result = record_row(run, !record_is_row(run, mode->t));
    double *before = base_alloc(2 * count * sizeof *before), *behind = before + count;
    memcpy(before, mode->y, count * sizeof *before);
    if (*result == RESULT_CONTINUE && !switch_pass(run, which))
        *result = RESULT_FAILED;
    if (*result == RESULT_CONTINUE) {
        memcpy(behind, mode->y, count * sizeof *behind);
        bool found = mode_evaluate_at(mode, mode->t, before);
        memcpy(mode->y, behind, count * sizeof *behind);
        *result = found ? switch_process(run, which, mode->t) : RESULT_FAILED;
    }
    base_free(before);
    return true;
}

RunResult switch_pass_derivatives(SimulationRun *run, size_t which)
{
    ContactMode *mode = run->mode;
    if (!mode_evaluate(mode, switch_before(run, which)))
        return RESULT_FAILED;
    sensitivity_enter_switch(run, which);
    if (!mode_evaluate(mode, mode->t))
        return RESULT_FAILED;
    sensitivity_leave(run);
    return RESULT_CONTINUE;
}

RunResult switch_go_on(SimulationRun *run, size_t which, RunResult result)
{
    ContactMode *mode = run->mode;
    // Forces that lead back on both sides keep it there: it would switch to and fro for ever.
    if (result == RESULT_CONTINUE && switches_turn_back(run->switches, mode->state, which)) {
        run->outcome = ODE_STALLED;
        return RESULT_FAILED;
    }
    bool anew = run->switches->inside[which] || run->switches->moved;
    run->switches->moved = false;
    return result == RESULT_CONTINUE && anew && !mode_set_out(mode) ? RESULT_FAILED : result;
}

RunResult switch_catch_up(SimulationRun *run)
{
    size_t which;
    RunResult result = RESULT_CONTINUE;
    while (result == RESULT_CONTINUE &&
           switches_take_passed(run->switches, run->mode->state, &which))
        result = switch_process(run, which, run->mode->t);
    switches_look(run->switches, run->mode->state, NULL);
    return result;
}
