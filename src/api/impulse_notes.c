// impulse_notes.c: impulses and events that a command does not act on are named, and why.
#include "api/api_impl.h"
#include "model/model_equation.h"
#include "program/program.h"
#include "simulate/simulate.h"

#include <math.h>

// One note for all of them, at the first.
static void say(const zw_model *model, Place first, size_t count, const char *what)
{
    if (count == 1)
        diag_add(model->diag, DIAG_NOTE, first, "this impulse %s", what);
    else if (count > 1)
        diag_add(model->diag, DIAG_NOTE, first, "this impulse and %zu more: each %s", count - 1,
                 what);
}

void api_note_impulses(const zw_model *model, const char *what)
{
    size_t count = model->model->impulses.count;
    if (count > 0)
        say(model, model->model->impulses.at[0].place, count, what);
}

void api_note_events(const zw_model *model, const char *what)
{
    const Model *read = model->model;
    const char *kind = read->events.count > 0 && read->events.at[0].sampling ? "sample" : "event";
    if (read->events.count == 1)
        diag_add(model->diag, DIAG_NOTE, read->events.at[0].place, "the %s '%s' %s", kind,
                 read->events.at[0].name, what);
    else if (read->events.count > 1)
        diag_add(model->diag, DIAG_NOTE, read->events.at[0].place,
                 "the %s '%s' and %zu more: each %s", kind, read->events.at[0].name,
                 read->events.count - 1, what);
    if (read->run.until)
        diag_add(model->diag, DIAG_NOTE, read->run.until->place,
                 "'until' ends a run, and is no part of this");
    for (size_t i = 0; i < read->params.count && read->state_count > 0; i++)
        if (read->params.at[i].is_state) {
            diag_add(model->diag, DIAG_NOTE, read->params.at[i].place,
                     read->state_count == 1 ? "the state has its value of the start"
                                            : "states have their values of the start");
            return;
        }
    if (read->whiles.count > 0)
        diag_add(model->diag, DIAG_NOTE, read->whiles.at[0].place,
                 "what holds for a while is as at the start");
}

// When an impulse acts; NAN where that has no number.
static double time_of(const zw_model *model, const Simulation *run, const ModelImpulse *impulse)
{
    RunState state = run_state(run);
    Program *program =
        program_new(model->model->pool, state.symbols, state.count, &impulse->when, 1, NULL);
    double t;
    return program_run_once(program, state.values, &t) ? t : NAN;
}

void api_note_later_impulses(const zw_model *model, const Simulation *run, double than,
                             const char *what)
{
    const Model *read = model->model;
    size_t count = 0;
    Place first = place_none();
    for (size_t i = 0; i < read->impulses.count; i++)
        if (time_of(model, run, &read->impulses.at[i]) > than && count++ == 0)
            first = read->impulses.at[i].place;
    say(model, first, count, what);
}

void api_note_intervals(const zw_model *model, const char *what)
{
    if (model->model && model_has_intervals(model->model))
        diag_add(model->diag, DIAG_NOTE, place_none(), "interval data: the midpoint was %s", what);
}
