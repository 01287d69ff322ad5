// fmu_whiles.c: what holds for a while, in an FMU: loads are weighed by it, and conditions and
// frictions are rows that act as long as it is so, the two-sided ones behind the one-sided.
#include "export/fmu_impl.h"

#include "model/events.h"
#include "model/friction.h"
#include "motion/frictions.h"
#include "motion/motion.h"

#include <assert.h>

Status export_switched_motion(Model *model, Diag *diag, Motion **motion)
{
    *motion = NULL;
    if (!model_has_switched_rows(model))
        return STATUS_OK;
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *own = &model->constraints.at[i];
        if (own->waits && own->kind == CONSTRAINT_SECOND_CLASS)
            return diag_error(diag, model->whiles.at[own->waits - 1].place,
                              "the condition on accelerations '%s', which holds for a while, an "
                              "FMU cannot follow in this version; 'run' does",
                              own->name);
    }
    model_switch_rows(model);
    return motion_new(model, diag, motion);
}

size_t fmu_one_sided(const Exported *exported)
{
    size_t count = 0;
    while (count < exported->sides && !exported_is_two_sided(exported->side_rows[count]))
        count++;
    return count;
}

bool fmu_is_directed(const Exported *exported)
{
    bool directed = exported->sides > 0 && exported->parted;
    for (size_t i = 0; i < exported->sides && !directed; i++)
        directed = exported->side_rows[i]->servo;
    return directed;
}

static bool rows_wait(const Exported *exported)
{
    return exported->motion->model->rows_switch;
}

size_t fmu_waits(const Exported *exported)
{
    size_t rows = exported->sides + exported->motion->friction_count;
    return exported->model->events.count + (rows_wait(exported) ? rows : 0);
}

static void push_wait(const Exported *exported, size_t waits, ExprRow *values)
{
    const Model *model = exported->model;
    array_push(values, waits ? model->whiles.at[waits - 1].value : expr_int(model->pool, 1));
}

bool fmu_add_waits(const Exported *exported, Text *out)
{
    const Model *model = exported->model;
    FmuFunction function = {
        .name = "waits", .arguments = "", .outputs = {{"value", 0, fmu_waits(exported)}}};
    ExprRow inputs = {0}, moving = {0}, values = {0};
    exported_push_params(exported, &inputs);
    array_push(&inputs, model->t);
    for (size_t i = 0; i < model->events.count; i++)
        push_wait(exported, model->events.at[i].waits, &values);
    for (size_t i = 0; i < exported->sides && rows_wait(exported); i++)
        push_wait(exported, exported->side_rows[i]->constraint->waits, &values);
    for (size_t i = 0; i < exported->motion->friction_count && rows_wait(exported); i++)
        push_wait(exported, exported->motion->frictions[i].friction->waits, &values);
    assert(values.count == fmu_waits(exported));
    return fmu_add_function(exported, &function, &inputs, &moving, &values, out);
}

void fmu_write_sides(const Exported *exported, Text *out)
{
    text_add(out, "static const char *const model_side_names[] = {");
    for (size_t i = 0; i < exported->sides; i++)
        text_addf(out, "\"%s\", ", exported->side_rows[i]->constraint->name);
    text_add(out, "\"\"};\n/* Whether it is a condition on positions. */\n"
                  "static const unsigned char model_side_finite[] = {");
    for (size_t i = 0; i < exported->sides; i++)
        text_addf(out, "%d, ", !expr_is_none(exported->side_rows[i]->position));
    text_add(out, "0};\n\n");
}
