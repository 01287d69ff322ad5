// instant_events.c: the events of a model at an instant: what their expressions are, and whether
// they fire there.
#include "model/constraint.h"
#include "model/events.h"
#include "model/system.h"
#include "model/whiles.h"
#include "show/instant_impl.h"
#include "show/json_impl.h"
#include "show/layout_impl.h"
#include "show/show_impl.h"

#include <math.h>
#include <string.h>

enum { NAME_WIDTH = 14 };

// What waits for records of a condition fires where a shock at this instant writes one. What is
// true already fires only after it has been false.
static bool fires(const RunInstant *instant, const ModelEvent *event)
{
    for (size_t i = 0; i < instant->sides.count && event->trigger == TRIGGER_IMPACT; i++)
        if (instant->sides.at[i].impulse > 0 &&
            strcmp(instant->sides.at[i].constraint->name, event->label) == 0)
            return true;
    return false;
}

static bool holds(const ModelEvent *event, double value)
{
    return event->trigger == TRIGGER_BECOMES ? value >= 0
                                             : event->trigger == TRIGGER_CROSSES && value == 0;
}

// Those of the text, and what ends the run.
static size_t event_count(const Model *model)
{
    return model->events.count + (model->run.until != NULL);
}

static ModelEvent event_at(const Model *model, size_t i)
{
    if (i < model->events.count)
        return model->events.at[i];
    ModelEvent until = *model->run.until;
    until.name = "until";
    return until;
}

static void state_text(const RunInstant *instant, const ModelEvent *event, double value, Text *out)
{
    if (event->trigger >= TRIGGER_IMPACT) {
        text_add(out, fires(instant, event) ? "fires" : "waits");
        return;
    }
    text_add(out, "now ");
    show_number(value, out);
    if (holds(event, value))
        text_add(out, ", which holds: it fires after it has ceased to");
}

void show_instant_events_text(const Show *show, const RunInstant *instant, Text *out)
{
    const Model *model = show->motion->model;
    bool first = true;
    for (size_t i = 0; i < event_count(model); i++) {
        const ModelEvent own = event_at(model, i), *event = &own;
        Text line = {0};
        if (event->hidden)
            continue;
        text_add(out, first ? "\n" : "");
        show_padded(first ? "events" : "", NAME_WIDTH, &line);
        show_name(event->name, &line);
        text_addf(&line, ": %s, ", event->text ? event->text : "");
        if (!model_acts(model, event->waits))
            text_add(&line, "held off by its 'while'");
        else
            state_text(instant, event, instant->events[i], &line);
        show_line(line.at, out);
        text_clear(&line);
        first = false;
    }
}

void show_instant_events_json(const Show *show, const RunInstant *instant, Text *out)
{
    const Model *model = show->motion->model;
    bool first = true;
    if (event_count(model) == 0)
        return;
    text_add(out, ",\"events\":[");
    for (size_t i = 0; i < event_count(model); i++) {
        const ModelEvent own = event_at(model, i), *event = &own;
        if (event->hidden)
            continue;
        bool expression = event->trigger < TRIGGER_IMPACT;
        text_add(out, first ? "{\"name\":" : ",{\"name\":");
        show_json_string(event->name, out);
        text_add(out, ",\"trigger\":");
        show_json_string(event->text ? event->text : "", out);
        show_json_entry(false, "value", expression ? instant->events[i] : NAN, out);
        text_addf(out, ",\"holds\":%s,\"fires\":%s}",
                  expression && holds(event, instant->events[i]) ? "true" : "false",
                  model_acts(model, event->waits) && fires(instant, event) ? "true" : "false");
        first = false;
    }
    text_add(out, "]");
}
