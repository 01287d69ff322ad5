// zw_model.c: handles, reading, messages.
#include "api/api_impl.h"
#include "dynamics/inertia_regular.h"
#include "model/paired_conditions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *zw_version(void)
{
    return "0.1.0";
}

void zw_free(void *text)
{
    base_free(text);
}

void zw_on_no_memory(void (*hook)(size_t bytes))
{
    base_on_no_memory(hook);
}

zw_status api_status(Status status)
{
    return (zw_status)status;
}

char *api_hand_out(Text *text)
{
    text_add(text, "");
    char *handed = text->at;
    *text = (Text){0};
    return handed;
}

void api_sign_json(Text *json)
{
    json->length = (size_t)(strrchr(json->at, '}') - json->at);
    text_addf(json, ",\"zwang_version\":\"%s\"}\n", zw_version());
}

// ---- Reading.

static void keep_settings(zw_model *model, const char *const *settings, size_t count)
{
    model->setting_sources = base_alloc((count + 1) * sizeof *model->setting_sources);
    for (size_t i = 0; i < count; i++)
        model->setting_sources[i] = source_new("setting", settings[i], strlen(settings[i]));
    model->setting_count = count;
}

// What the model fixes stays. What was found is put as what may move: it need not, and is told as
// what was not given.
static void put_start(const ReducedStart *start, StartOf of, size_t target, Model *model)
{
    double value = of == START_COORD ? start->q : start->v;
    ModelStart given = {.of = of,
                        .target = target,
                        .value = expr_double(model->pool, value),
                        .approx = !(of == START_COORD ? start->q_given : start->v_given),
                        .place = model->coords.at[target].place};
    for (size_t i = 0; i < model->starts.count; i++)
        if (model->starts.at[i].of == of && model->starts.at[i].target == target) {
            if (model->starts.at[i].approx)
                model->starts.at[i] = given;
            return;
        }
    array_push(&model->starts, given);
}

static void put_starts(const zw_model *from, Model *model)
{
    for (size_t i = 0; i < from->start_count; i++)
        for (size_t nu = 0; nu < model->coords.count; nu++)
            if (strcmp(from->starts[i].name, model->coords.at[nu].name) == 0) {
                put_start(&from->starts[i], START_COORD, nu, model);
                put_start(&from->starts[i], START_VELOCITY, nu, model);
            }
}

Status api_read_model(const zw_model *model, Diag *diag, Model **out)
{
    ModelSetting *settings = base_alloc((model->setting_count + 1) * sizeof *settings);
    for (size_t i = 0; i < model->setting_count; i++)
        settings[i].source = model->setting_sources[i];
    Status status =
        model_read_replacing(model->source, settings, model->setting_count, model->replacements,
                             model->replacement_count, !model->written_out, diag, out);
    base_free(settings);
    if (status == STATUS_OK)
        put_starts(model, *out);
    return status;
}

static zw_model *empty_model(const char *const *settings, size_t count)
{
    zw_model *model = base_alloc(sizeof *model);
    model->diag = diag_new();
    model->arena = arena_new();
    keep_settings(model, settings, count);
    return model;
}

zw_status zw_model_read(const char *name, const char *text, size_t length,
                        const char *const *settings, size_t setting_count, zw_model **out)
{
    zw_model *model = empty_model(settings, setting_count);
    model->source = source_new(name, text, length);
    model->status = api_read_model(model, model->diag, &model->model);
    *out = model;
    return api_status(model->status);
}

static Status cannot_read(Diag *diag, const char *path, const char *why)
{
    return diag_error(diag, place_none(), "cannot read '%s': %s", path, why);
}

Status api_read_file(const char *path, Diag *diag, Text *text)
{
    struct stat there;
    if (stat(path, &there) != 0)
        return cannot_read(diag, path, strerror(errno));
    if (S_ISDIR(there.st_mode))
        return cannot_read(diag, path, "it is a directory; name a file in it");
    FILE *file = fopen(path, "rbe");
    if (!file)
        return cannot_read(diag, path, strerror(errno));
    char block[1 << 16];
    size_t count;
    // Past what any model needs, reading more would only cost memory.
    const size_t longest = (size_t)64 << 20;
    while (text->length <= longest && (count = fread(block, 1, sizeof block, file)) > 0)
        text_add_str(text, (Str){block, count});
    Status status = STATUS_OK;
    if (ferror(file))
        status = cannot_read(diag, path, strerror(errno));
    else if (text->length > longest)
        status = cannot_read(diag, path, "it is longer than 64 MiB, and no model is");
    fclose(file);
    return status;
}

zw_status zw_model_open(const char *path, const char *const *settings, size_t setting_count,
                        zw_model **out)
{
    zw_model *model = empty_model(settings, setting_count);
    Text text = {0};
    model->status = api_read_file(path, model->diag, &text);
    if (model->status == STATUS_OK) {
        model->source = source_new(path, text.at ? text.at : "", text.length);
        model->status = api_read_model(model, model->diag, &model->model);
    }
    text_clear(&text);
    *out = model;
    return api_status(model->status);
}

void zw_model_free(zw_model *model)
{
    if (!model)
        return;
    if (model->under != model->motion)
        motion_free(model->under);
    motion_free(model->motion);
    model_free(model->model);
    arena_free(model->arena);
    source_free(model->source);
    for (size_t i = 0; i < model->setting_count; i++)
        source_free(model->setting_sources[i]);
    base_free(model->setting_sources);
    for (size_t i = 0; i < model->asked.count; i++)
        source_free(model->asked.at[i]);
    array_clear(&model->asked);
    diag_free(model->diag);
    base_free(model);
}

char *zw_messages(zw_model *model, zw_level least)
{
    return zw_messages_with(model, least, NULL);
}

char *zw_messages_with(zw_model *model, zw_level least, const char *(*words)(const char *name))
{
    Text text = {0};
    diag_render_with(model->diag, (DiagKind)least, words, &text);
    diag_free(model->diag);
    model->diag = diag_new();
    if (text.length == 0) {
        text_clear(&text);
        return NULL;
    }
    return api_hand_out(&text);
}

static Status make_motion(zw_model *model)
{
    if (model->status == STATUS_OK && !model->motion) {
        model->status = (model->orthonormal ? motion_new : motion_new_to_run)(
            model->model, model->diag, &model->motion);
        if (model->status == STATUS_OK)
            model->status = inertia_check_regular(model->motion, model->diag);
        if (model->status == STATUS_OK && model->orthonormal)
            model->status = motion_orthonormal(model->motion, model->diag);
    }
    return model->status;
}

Status api_motion_of_pairs(zw_model *model)
{
    for (size_t i = 0; model->status == STATUS_OK && i < model->model->pairs.count; i++)
        if (model->model->pairs.at[i].named)
            return api_motion_to_run(model);
    return make_motion(model);
}

Status api_motion_to_run(zw_model *model)
{
    bool kept = model->status == STATUS_OK && model->model->pairs.count > 0;
    model->written_out = true;
    if (kept) {
        motion_free(model->motion);
        model_free(model->model);
        model->motion = NULL;
        model->status = api_read_model(model, model->diag, &model->model);
    }
    return make_motion(model);
}

Status api_motion(zw_model *model)
{
    TRY(api_motion_to_run(model));
    return model->status = motion_solve(model->motion, model->diag);
}
