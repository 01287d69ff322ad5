// fmu_events.c: the events of a model in an FMU: what fires them and what they do, as tables and
// programs for fmu/fmu_events.h.
#include "export/fmu_impl.h"

#include "model/events.h"
#include "model/friction.h"
#include "motion/frictions.h"
#include "motion/motion.h"

#include <string.h>

void fmu_push_triggers(const Exported *exported, ExprRow *values)
{
    const Model *model = exported->model;
    for (size_t i = 0; i < model->events.count; i++) {
        const ModelEvent *event = &model->events.at[i];
        bool record = event->trigger >= TRIGGER_IMPACT;
        array_push(values, record ? expr_int(model->pool, 0) : event->value);
    }
}

size_t fmu_event_blows(const Model *model)
{
    size_t count = 0;
    for (size_t i = 0; i < model->events.count; i++)
        for (size_t k = 0; k < model->events.at[i].action_count; k++)
            count += model->events.at[i].actions[k].kind == ACTION_IMPULSE;
    return count;
}

size_t fmu_samples(const Model *model)
{
    size_t count = 0;
    for (size_t i = 0; i < model->events.count; i++)
        count += model->events.at[i].sampling != NULL;
    return count;
}

// What is set is a value; of velocities also their row, and what it has beside them.
static bool is_velocity(const ModelAssignment *set)
{
    return set->of == SET_VELOCITY || set->of == SET_SPEED;
}

static size_t set_size(const Exported *exported, const ModelAssignment *set)
{
    return is_velocity(set) ? exported->n + 2 : 1;
}

static size_t action_size(const Exported *exported, const ModelAction *action)
{
    size_t size = action->kind == ACTION_IMPULSE ? exported->n : 0;
    for (size_t i = 0; i < action->set_count; i++)
        size += set_size(exported, &action->sets[i]);
    return size;
}

size_t fmu_action_values(const Exported *exported)
{
    size_t size = 0;
    for (size_t i = 0; i < exported->model->events.count; i++)
        for (size_t k = 0; k < exported->model->events.at[i].action_count; k++)
            size += action_size(exported, &exported->model->events.at[i].actions[k]);
    return size;
}

static void push_set(const Exported *exported, const ModelAssignment *set, ExprRow *values)
{
    const Motion *motion = exported->motion;
    array_push(values, set->value);
    if (!is_velocity(set))
        return;
    Expr velocity = set->of == SET_VELOCITY ? motion->v[set->target]
                                            : exported->model->speeds.at[set->target].value;
    Expr *row = base_alloc((exported->n + 1) * sizeof *row), rest;
    motion_linearize(motion, velocity, row, &rest);
    exported_push(values, row, exported->n);
    array_push(values, rest);
    base_free(row);
}

bool fmu_add_actions(const Exported *exported, Text *out)
{
    ExprRow values = {0};
    Expr *parts = base_alloc((exported->n + 1) * sizeof *parts);
    for (size_t i = 0; i < exported->model->events.count; i++)
        for (size_t k = 0; k < exported->model->events.at[i].action_count; k++) {
            const ModelAction *action = &exported->model->events.at[i].actions[k];
            for (size_t j = 0; j < action->set_count; j++)
                push_set(exported, &action->sets[j], &values);
            if (action->kind == ACTION_IMPULSE) {
                motion_percussion(exported->motion, action->impulse, parts);
                exported_push(&values, parts, exported->n);
            }
        }
    base_free(parts);
    return fmu_add_of_instant(exported, "actions", false, &values, out);
}

// The one-sided condition or friction whose records fire an event; -1 where another one does.
static int label_place(const Exported *exported, const ModelEvent *event)
{
    const Motion *motion = exported->motion;
    bool rubs = event->trigger >= TRIGGER_STICK;
    if (!model_event_is_record(event))
        return -1;
    for (size_t i = 0; i < exported->sides && !rubs; i++)
        if (strcmp(exported->side_rows[i]->constraint->name, event->label) == 0)
            return (int)i;
    for (size_t i = 0; i < motion->friction_count && rubs; i++)
        if (strcmp(motion->frictions[i].friction->name, event->label) == 0)
            return (int)i;
    return -1;
}

void fmu_write_events(const Exported *exported, Text *out)
{
    const Model *model = exported->model;
    Text actions = {0}, sets = {0};
    size_t set_count = 0, value = 0;
    text_add(out, "static const int model_event_table[][4] = {\n");
    for (size_t i = 0; i < model->events.count; i++) {
        const ModelEvent *event = &model->events.at[i];
        text_addf(out, "    {%d, %d, %d, %d},\n", (int)event->trigger, event->direction,
                  event->equation, label_place(exported, event));
        for (size_t k = 0; k < event->action_count; k++) {
            const ModelAction *action = &event->actions[k];
            text_addf(&actions, "    {%zu, %d, %zu, %zu, %zu},\n", i, (int)action->kind, set_count,
                      action->set_count, value);
            for (size_t j = 0; j < action->set_count; j++) {
                text_addf(&sets, "    {%d, %zu, %zu},\n", (int)action->sets[j].of,
                          action->sets[j].target, value);
                value += set_size(exported, &action->sets[j]);
            }
            set_count += action->set_count;
            value += action->kind == ACTION_IMPULSE ? exported->n : 0;
        }
    }
    text_addf(out,
              "    {0}};\nstatic const int model_action_table[][5] = {\n%s    {-1, 0, 0, 0, 0}};\n"
              "static const int model_set_table[][3] = {\n%s    {0, 0, 0}};\n"
              "static const char *const model_event_names[] = {",
              actions.length ? actions.at : "", sets.length ? sets.at : "");
    for (size_t i = 0; i < model->events.count; i++)
        text_addf(out, "\"%s\", ", model->events.at[i].name);
    text_add(out, "\"\"};\n\n");
    text_clear(&actions);
    text_clear(&sets);
}

static bool sets_velocities(const ModelEvent *event)
{
    for (size_t k = 0; k < event->action_count; k++)
        for (size_t j = 0; j < event->actions[k].set_count; j++)
            if (is_velocity(&event->actions[k].sets[j]))
                return true;
    return false;
}

Status fmu_check_events(const Exported *exported, Diag *diag)
{
    for (size_t i = 0; i < exported->model->events.count && exported->motion->curved; i++)
        if (sets_velocities(&exported->model->events.at[i]))
            return diag_error(diag, exported->model->events.at[i].place,
                              "an FMU does not set velocities beside conditions or speeds that "
                              "are not linear in these");
    for (size_t i = 0; i < exported->model->events.count; i++)
        if (exported->motion->kept != exported->motion->state.speeds &&
            model_event_jumps(&exported->model->events.at[i]))
            return diag_error(diag, exported->model->events.at[i].place,
                              "an event of an FMU keeps the speeds of its state, and these were "
                              "chosen otherwise than by the model");
    for (size_t i = 0; i < exported->model->events.count; i++) {
        const ModelEvent *event = &exported->model->events.at[i];
        if (model_event_is_record(event) && label_place(exported, event) < 0)
            return diag_error(diag, event->place,
                              "an FMU has no records of '%s', for which the event '%s' waits",
                              event->label, event->name);
    }
    return STATUS_OK;
}
