// run_stepper.c: a pass of a simulation, held open between its steps.
#include "simulate/run_stepper.h"
#include "base/diag.h"
#include "dynamics/equations_types.h"
#include "dynamics/stop_request.h"
#include "simulate/columns_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/contact_modes_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/mode_stepping_impl.h"
#include "simulate/recording_impl.h"
#include "simulate/run_carry.h"
#include "simulate/run_carry_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/switch_functions_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct RunStepper {
    SimulationRun run;
    RunListener listener;
    RunSummary summary;
    ContactModes modes;
    StopRequest stop;
    bool ended;
};

static Status told(RunStepper *stepper, RunResult result)
{
    if (result == RESULT_CONTINUE)
        return STATUS_OK;
    stepper->ended = true;
    return pass_end(&stepper->run, result);
}

static bool is_fixed(const RunStepper *stepper)
{
    return stepper->run.sim->settings.method == RUN_TIMESTEPPING;
}

Status stepper_new(Simulation *sim, const RunListener *listener, Diag *diag, RunCarry *carry,
                   RunStepper **out)
{
    RunStepper *stepper = *out = base_alloc(sizeof *stepper);
    stepper->listener = *listener;
    stepper->run = (SimulationRun){
        .sim = sim, .listener = &stepper->listener, .summary = &stepper->summary, .diag = diag};
    pass_open(&stepper->run, &stepper->modes, &stepper->stop);
    if (carry) {
        carry_begin(carry, true);
        carry_run(carry, &stepper->run);
        carry_summary(carry, &stepper->summary);
    }
    return told(stepper, pass_begin(&stepper->run));
}

void stepper_free(RunStepper *stepper)
{
    if (!stepper)
        return;
    pass_close(&stepper->run);
    base_free(stepper);
}

void stepper_leave(RunStepper *stepper, RunCarry *carry)
{
    assert(!stepper->ended);
    carry_begin(carry, false);
    carry_run(carry, &stepper->run);
    switches_add_counts(stepper->run.switches, &stepper->summary);
    pass_close(&stepper->run);
    carry_summary(carry, &stepper->summary);
    base_free(stepper);
}

RunSummary stepper_end(RunStepper *stepper)
{
    pass_close(&stepper->run);
    RunSummary summary = stepper->summary;
    base_free(stepper);
    return summary;
}

Status stepper_step(RunStepper *stepper, double until)
{
    assert(!stepper->ended && until > stepper_time(stepper));
    stepper->run.pace.until = until;
    return told(stepper, pass_step(&stepper->run));
}

bool stepper_has_ended(const RunStepper *stepper)
{
    return stepper->ended;
}

RunStop stepper_stop(const RunStepper *stepper)
{
    return stepper->ended ? stepper->summary.stop : (RunStop){0};
}

double stepper_time(const RunStepper *stepper)
{
    const ContactMode *mode = stepper->run.mode;
    return mode ? mode->t : stepper->run.sim->settings.from;
}

double stepper_last(const RunStepper *stepper)
{
    const ContactMode *mode = stepper->run.mode;
    return mode && mode->stepped ? mode->from : stepper_time(stepper);
}

double stepper_length(const RunStepper *stepper)
{
    const GapFunctions *gaps = stepper->run.gaps;
    return gaps ? gaps->length : 0;
}

const double *stepper_row(RunStepper *stepper, double t)
{
    ContactMode *mode = stepper->run.mode;
    if (!mode || !(stepper_last(stepper) <= t && t <= mode->t))
        return NULL;
    if (is_fixed(stepper))
        return record_state(&stepper->run);
    if (mode->stepped)
        return record_state_at(&stepper->run, t);
    return mode_evaluate(mode, t) ? record_state(&stepper->run) : NULL;
}

bool stepper_state(RunStepper *stepper, double *q, double *v)
{
    ContactMode *mode = stepper->run.mode;
    if (!mode || stepper->ended)
        return false;
    if (!is_fixed(stepper) && (!mode->stepped || !mode_evaluate(mode, mode->t)))
        return false;
    const Equations *eq = mode->eq;
    memcpy(q, mode->state->q, eq->n * sizeof *q);
    memcpy(v, mode->state->v, eq->n * sizeof *v);
    if (mode->turns)
        turns_give_back(mode->turns, q);
    return true;
}
