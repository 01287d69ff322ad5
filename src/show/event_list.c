// event_list.c: the events of a model with what they do, and its states, as lines and as JSON.
#include "show/event_list_impl.h"

#include "model/model.h"
#include "show/equation_text_impl.h"
#include "show/json_impl.h"
#include "show/short_forms_impl.h"
#include "show/show_impl.h"

#include <string.h>

static const char *const records[] = {[TRIGGER_IMPACT] = "impact",
                                      [TRIGGER_CONTACT] = "contact",
                                      [TRIGGER_RELEASE] = "release",
                                      [TRIGGER_STICK] = "stick",
                                      [TRIGGER_SLIP] = "slip"};

static const char *const times[] = {
    [SAMPLE_PERIOD] = "every ", [SAMPLE_FROM] = " from ", [SAMPLE_DELAY] = " delay "};

// "every h from t0 delay d".
static void add_sampling(const Show *show, const ModelSampling *sampling, Text *out)
{
    const ExprPool *pool = show->motion->pool;
    for (size_t i = 0; i < SAMPLE_TIMES; i++)
        if (i == SAMPLE_PERIOD || !expr_is_zero(pool, sampling->times[i])) {
            text_add(out, times[i]);
            show_expr(show, sampling->times[i], out);
        }
}

// "θ − γ − α rises through 0", "impact(floor)".
static void add_trigger(const Show *show, const ModelEvent *event, Text *out)
{
    if (event->sampling) {
        add_sampling(show, event->sampling, out);
        return;
    }
    if (event->trigger >= TRIGGER_IMPACT) {
        text_addf(out, "%s(%s)", records[event->trigger], event->label);
        return;
    }
    show_expr(show, show_short(show, event->value), out);
    text_add(out, event->trigger == TRIGGER_BECOMES ? " ≥ 0"
                  : event->direction > 0            ? " rises through 0"
                  : event->direction < 0            ? " falls through 0"
                                                    : " passes 0");
}

static void add_action(const Show *show, const ModelAction *action, Text *out)
{
    switch (action->kind) {
    case ACTION_SET:
        for (size_t i = 0; i < action->set_count; i++) {
            text_add(out, i ? ", " : "");
            show_name(action->sets[i].name, out);
            text_add(out, " → ");
            show_expr(show, show_short(show, action->sets[i].value), out);
        }
        return;
    case ACTION_IMPULSE: text_add(out, "an impulse"); return;
    case ACTION_STOP: text_add(out, "stop"); return;
    case ACTION_RECORD: text_add(out, "record"); return;
    }
}

void show_event_line(const Show *show, const ModelEvent *event, Text *out)
{
    text_addf(out, "%s: ", event->name);
    add_trigger(show, event, out);
    for (size_t i = 0; i < event->action_count; i++) {
        text_add(out, i ? "; " : ": ");
        add_action(show, &event->actions[i], out);
    }
}

static void add_json_action(const Show *show, const ModelAction *action, Text *out)
{
    static const char *const kinds[] = {[ACTION_SET] = "set",
                                        [ACTION_IMPULSE] = "impulse",
                                        [ACTION_STOP] = "stop",
                                        [ACTION_RECORD] = "record"};
    text_addf(out, "{\"kind\":\"%s\"", kinds[action->kind]);
    for (size_t i = 0; i < action->set_count; i++) {
        text_add(out, i ? ",{\"name\":" : ",\"set\":[{\"name\":");
        show_json_string(action->sets[i].name, out);
        text_add(out, ",\"value\":");
        show_json_expr(show, action->sets[i].value, out);
        text_add(out, "}");
    }
    text_add(out, action->set_count > 0 ? "]}" : "}");
}

static void add_json_states(const Model *model, const Show *show, Text *out)
{
    bool first = true;
    text_add(out, ",\"states\":[");
    for (size_t i = 0; i < model->params.count; i++) {
        if (!model->params.at[i].is_state)
            continue;
        text_add(out, first ? "{\"name\":" : ",{\"name\":");
        show_json_string(model->params.at[i].name, out);
        text_add(out, ",\"start\":");
        show_json_expr(show, model->params.at[i].value, out);
        text_add(out, "}");
        first = false;
    }
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        if (!constraint->rated)
            continue;
        text_add(out, first ? "{\"name\":" : ",{\"name\":");
        show_json_string(model->coords.at[constraint->rated - 1].name, out);
        text_add(out, ",\"rate\":");
        show_json_expr(show, constraint->right, out);
        text_add(out, "}");
        first = false;
    }
    text_add(out, "]");
}

void show_states_json(const Show *show, Text *out)
{
    const Model *model = show->motion->model;
    if (model->state_count + model->rated_count > 0)
        add_json_states(model, show, out);
}

static void add_json_sampling(const Show *show, const ModelSampling *sampling, Text *out)
{
    static const char *const keys[] = {
        [SAMPLE_PERIOD] = "period", [SAMPLE_FROM] = "from", [SAMPLE_DELAY] = "delay"};
    text_add(out, ",\"sample\":{");
    for (size_t i = 0; i < SAMPLE_TIMES; i++) {
        text_addf(out, "%s\"%s\":", i ? "," : "", keys[i]);
        show_json_expr(show, sampling->times[i], out);
    }
    text_add(out, "}");
}

void show_events_json(const Show *show, Text *out)
{
    const Model *model = show->motion->model;
    if (model->events.count == 0)
        return;
    text_add(out, ",\"events\":[");
    for (size_t i = 0; i < model->events.count; i++) {
        const ModelEvent *event = &model->events.at[i];
        text_add(out, i ? ",{\"name\":" : "{\"name\":");
        show_json_string(event->name, out);
        text_add(out, ",\"trigger\":");
        show_json_string(event->text, out);
        if (event->sampling)
            add_json_sampling(show, event->sampling, out);
        text_add(out, ",\"actions\":[");
        for (size_t k = 0; k < event->action_count; k++) {
            text_add(out, k ? "," : "");
            add_json_action(show, &event->actions[k], out);
        }
        text_add(out, "]}");
    }
    text_add(out, "]");
}
