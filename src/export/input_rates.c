// input_rates.c: which inputs a host cannot set, since the motion needs to know how they change.
//
// The model is read with rates of inputs that are symbols (MODEL_HOST_INPUTS). Such a rate may
// stand in the second derivative of a continuous state; it does no harm there unless something
// needs that derivative.
#include "export/export_impl.h"

#include "model/events.h"
#include "model/friction.h"
#include "motion/frictions.h"

// Symbols that are not to be needed, in a motion that is asked about them.
typedef struct {
    Motion *motion;
    ExprRow symbols;
} Unknowns;

static bool holds(const Unknowns *unknown, Expr e)
{
    return !expr_is_none(e) &&
           expr_holds_any(unknown->motion->pool, e, unknown->symbols.at, unknown->symbols.count);
}

static bool rate_holds(const Unknowns *unknown, Expr e)
{
    return !expr_is_none(e) && holds(unknown, expr_rate(unknown->motion->dt, e));
}

static bool any_holds(const Unknowns *unknown, const Expr *row, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count && row && !found; i++)
        found = holds(unknown, row[i]);
    return found;
}

// Second derivatives of states whose rates hold the input, or a state like that.
static void add_states(Unknowns *unknown)
{
    Motion *motion = unknown->motion;
    for (size_t before = 0; before < unknown->symbols.count;) {
        before = unknown->symbols.count;
        for (size_t i = 0; i < motion->m; i++) {
            const MotionRow *row = &motion->rows[i];
            if (row->constraint->rated == 0)
                continue;
            Expr second = motion->a[row->constraint->rated - 1];
            if (!expr_holds_any(motion->pool, second, unknown->symbols.at,
                                unknown->symbols.count) &&
                rate_holds(unknown, row->velocity))
                array_push(&unknown->symbols, second);
        }
    }
}

static bool conditions_need(const Unknowns *unknown)
{
    Motion *motion = unknown->motion;
    bool found = false;
    for (size_t i = 0; i < motion->m && !found; i++)
        found = motion->rows[i].constraint->rated == 0 &&
                (rate_holds(unknown, motion->rows[i].velocity) ||
                 any_holds(unknown, motion->rows[i].d, motion->n));
    for (size_t i = 0; i < motion->second_count && !found; i++)
        found = holds(unknown, motion->seconds[i].f);
    for (size_t i = 0; i < motion->side_count && !found; i++)
        found = rate_holds(unknown, expr_rate(motion->dt, motion->sides[i].position));
    for (size_t i = 0; i < motion->friction_count && !found; i++) {
        const MotionFriction *friction = &motion->frictions[i];
        found =
            holds(unknown, friction->friction->bound) || holds(unknown, friction->friction->hold);
        for (size_t k = 0; k < friction->rows && !found; k++)
            found = rate_holds(unknown, friction->sticks[k].velocity);
    }
    return found;
}

static bool loads_need(const Unknowns *unknown)
{
    Motion *motion = unknown->motion;
    bool found = holds(unknown, motion->U) || any_holds(unknown, motion->K, motion->n) ||
                 any_holds(unknown, motion->whole_K, motion->n) ||
                 any_holds(unknown, motion->rest_of_S, motion->n);
    for (size_t i = 0; i < motion->n && !found; i++)
        found = rate_holds(unknown, motion->p[i]);
    for (size_t i = 0; i < motion->k && !found; i++)
        found = rate_holds(unknown, motion->state.speeds[i].value);
    return found;
}

static bool impulse_needs(const Unknowns *unknown, const ModelImpulse *impulse)
{
    Motion *motion = unknown->motion;
    Expr *parts = base_alloc((motion->n + 1) * sizeof *parts);
    motion_percussion(motion, impulse, parts);
    bool found = any_holds(unknown, parts, motion->n);
    base_free(parts);
    return found;
}

static bool event_needs(const Unknowns *unknown, const ModelEvent *event)
{
    bool found = holds(unknown, event->value);
    for (size_t i = 0; i < event->action_count && !found; i++) {
        const ModelAction *action = &event->actions[i];
        for (size_t k = 0; k < action->set_count && !found; k++)
            found = holds(unknown, action->sets[k].value);
        found = found || (action->impulse && impulse_needs(unknown, action->impulse));
    }
    return found;
}

static bool events_need(const Unknowns *unknown)
{
    const Model *model = unknown->motion->model;
    bool found = model->run.until && event_needs(unknown, model->run.until);
    for (size_t i = 0; i < model->impulses.count && !found; i++)
        found = impulse_needs(unknown, &model->impulses.at[i]);
    for (size_t i = 0; i < model->events.count && !found; i++)
        found = event_needs(unknown, &model->events.at[i]);
    for (size_t i = 0; i < model->outputs.count && !found; i++)
        found = holds(unknown, model->outputs.at[i].value);
    return found;
}

bool export_needs_rate(Motion *motion, const ModelParam *input)
{
    Unknowns unknown = {.motion = motion};
    if (expr_is_none(input->rate))
        return false;
    array_push(&unknown.symbols, input->rate);
    add_states(&unknown);
    bool needed = loads_need(&unknown) || conditions_need(&unknown) || events_need(&unknown);
    array_clear(&unknown.symbols);
    return needed;
}
