// zw_reduce.c: zw_model_reduce: the model read again, with fewer coordinates.
#include "api/api_impl.h"
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
        diag_add(model->diag, DIAG_NOTE, place_none(), "reduced: %s = %s", replacement->name,
                 replacement->value);
        text_clear(&value);
    }
    if (reduction->left > 0)
        diag_add(model->diag, DIAG_NOTE, place_none(),
                 "finite relations that stay as they are, since no coordinate that could be "
                 "replaced stands in them linearly: %zu",
                 reduction->left);
    if (reduction->at.count + reduction->left == 0)
        diag_add(model->diag, DIAG_NOTE, place_none(),
                 "nothing to reduce: the ideal conditions hold no finite relation");
}

// What the model as it stands tells; messages about it come again with the reduced one.
static Status look(zw_model *model)
{
    Diag *unheard = diag_new();
    Motion *motion;
    Status status = motion_new(model->model, unheard, &motion);
    if (status == STATUS_OK) {
        InquiryKind *kind = inquiry_kind(motion);
        InquiryReduction reduction;
        inquiry_reduce(motion, kind, &reduction);
        take(model, &reduction);
        inquiry_reduction_clear(&reduction);
        inquiry_kind_free(kind);
        motion_free(motion);
    }
    diag_free(unheard);
    return status;
}

zw_status zw_model_reduce(zw_model *model)
{
    if (model->status != STATUS_OK)
        return api_status(model->status);
    // A model that is wrong says so when it is asked.
    if (look(model) == STATUS_OK && model->replacement_count > 0) {
        model_free(model->model);
        model->status = api_read_model(model, model->diag, &model->model);
    }
    return api_status(model->status);
}
