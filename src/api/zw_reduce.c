// zw_reduce.c: zw_model_reduce: the model read again, with fewer coordinates.
#include "api/api_impl.h"
#include "dynamics/equations.h"
#include "inquiry/inquiry.h"

#include <string.h>

static const char *kept_text(Arena *arena, const char *text)
{
    return arena_copy_text(arena, text, strlen(text));
}

static void take(zw_model *model, const InquiryReduction *reduction)
{
    Arena *arena = model->arena;
    model->replacements =
        arena_alloc(arena, (reduction->at.count + 1) * sizeof *model->replacements);
    for (size_t i = 0; i < reduction->at.count; i++) {
        const InquiryReplaced *one = &reduction->at.at[i];
        Text value = {0};
        expr_print(model->model->pool, one->value, &value);
        ModelReplacement *replacement = &model->replacements[model->replacement_count++];
        replacement->name = kept_text(arena, model->model->coords.at[one->coordinate].name);
        replacement->value = kept_text(arena, value.at);
        diag_add(model->diag, DIAG_NOTE, place_none(), "reduced: '%s = %s'", replacement->name,
                 replacement->value);
        text_clear(&value);
    }
    if (reduction->left > 0)
        diag_add(model->diag, DIAG_NOTE, place_none(),
                 "finite relations that stay as they are, since %s: %zu",
                 reduction->at.count + 1 == model->model->coords.count
                     ? "one coordinate has to stay"
                     : "no coordinate that could be replaced stands in them linearly",
                 reduction->left);
    if (reduction->at.count + reduction->left == 0)
        diag_add(model->diag, DIAG_NOTE, place_none(),
                 "nothing to reduce: the ideal conditions hold no finite relation");
}

static void keep_start(zw_model *model, const State *state)
{
    const Model *from = model->model;
    model->starts = arena_array(model->arena, ReducedStart, from->coords.count);
    for (size_t nu = 0; nu < from->coords.count; nu++)
        model->starts[nu] =
            (ReducedStart){.name = kept_text(model->arena, from->coords.at[nu].name),
                           .q = state->q[nu],
                           .v = state->v[nu]};
    for (size_t i = 0; i < from->starts.count; i++) {
        const ModelStart *start = &from->starts.at[i];
        if (start->of == START_COORD)
            model->starts[start->target].q_given = !start->approx;
        if (start->of == START_VELOCITY)
            model->starts[start->target].v_given = !start->approx;
    }
    model->start_count = from->coords.count;
}

static Status find_start(zw_model *model, Motion *motion, Diag *diag)
{
    Equations eq = {0};
    State state = {0};
    Status status = equations_init(&eq, motion, diag);
    if (status == STATUS_OK) {
        state_init(&state, &eq);
        status = start_complete(&eq, &state, diag);
        if (status == STATUS_OK)
            keep_start(model, &state);
        state_clear(&state);
    }
    equations_clear(&eq);
    return status;
}

// The start that the model as it stands has: fewer coordinates would lead to another one, nearest
// to other values and with other velocities free. A model whose parameters have no values has none.
static Status take_start(zw_model *model, Motion *motion)
{
    Diag *diag = diag_new();
    double *params = base_alloc((model->model->params.count + 1) * sizeof *params);
    bool has_start = model_param_values(model->model, diag, params) == STATUS_OK;
    Status status = has_start ? find_start(model, motion, diag) : STATUS_OK;
    for (size_t i = 0; i < diag_total(diag); i++) {
        DiagKind kind;
        Place place;
        const char *message = diag_message(diag, i, &kind, &place);
        if (strncmp(message, START_MOVED, strlen(START_MOVED)) == 0)
            diag_add(model->diag, kind, place, "%s", message);
    }
    base_free(params);
    diag_free(diag);
    return status;
}

// What the model as it stands tells; messages about it come again with the reduced one.
static Status look(zw_model *model)
{
    Diag *unheard = diag_new();
    Motion *motion;
    Status status = motion_new(model->model, unheard, &motion);
    if (status == STATUS_OK) {
        InquiryKind *kind = inquiry_kind(motion);
        // A relation that is a coordinate's value would have to be one of the states, too.
        if (motion->model->rated_count > 0)
            kind->relations.count = 0;
        InquiryReduction reduction;
        inquiry_reduce(motion, kind, &reduction);
        if (reduction.at.count > 0)
            status = take_start(model, motion);
        if (status == STATUS_OK)
            take(model, &reduction);
        inquiry_reduction_clear(&reduction);
        inquiry_kind_free(kind);
        motion_free(motion);
    }
    diag_free(unheard);
    return status;
}

Status api_reduce(zw_model *model)
{
    TRY(model->status);
    // A model that is wrong says so when it is asked.
    if (look(model) == STATUS_OK && model->replacement_count > 0) {
        model_free(model->model);
        model->status = api_read_model(model, model->diag, &model->model);
    }
    return model->status;
}
