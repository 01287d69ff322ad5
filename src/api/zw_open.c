// zw_open.c: opens models, with all that is chosen then.
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "api/result_impl.h"
#include "robots/robots.h"
#include "text/table_files.h"

#include <string.h>
#include <sys/stat.h>

static Status choose_speeds(zw_model *model, const char *which)
{
    TRY(model->status);
    model->orthonormal = strcmp(which, "orthonormal") == 0;
    if (!model->orthonormal)
        model->status = diag_error(model->diag, place_hint(HINT_SPEEDS),
                                   "unknown choice of speeds '%s'; there is 'orthonormal', which "
                                   "finds speeds with T = ½ Σ ω²",
                                   which);
    return model->status;
}

// The model of a text, with what was chosen.
static Status read_source(zw_model *model, const zw_model_options *options)
{
    TRY(model->status);
    model->branch = options->branch;
    model->status = api_read_model(model, model->diag, &model->model);
    if (options->reduce)
        TRY(api_reduce(model));
    if (options->independent)
        TRY(api_choose_independent(model, options->independent));
    if (options->acting)
        model->acting = arena_copy_text(model->arena, options->acting, strlen(options->acting));
    return options->speeds ? choose_speeds(model, options->speeds) : model->status;
}

typedef struct {
    zw_model *model;
    const zw_model_options *given;
    const char *name, *text, *path; // a text or a path
    size_t length;
} OpenCall;

// One file has one number on one device, whatever path leads to it.
static void identify(const char *path, Text *identity)
{
    struct stat there;
    if (stat(path, &there) == 0)
        text_addf(identity, "%llu:%llu", (unsigned long long)there.st_dev,
                  (unsigned long long)there.st_ino);
    else
        text_add(identity, path);
}

// ---- Texts.

// A text that is no file has no files beside it but those of the gallery.
static const char *read_of_gallery(const char *path, Text *text)
{
    const char *slash = strrchr(path, '/'), *file = api_gallery_file(slash ? slash + 1 : path);
    if (!file)
        return "this text is in no folder; open the model from a file";
    text_add(text, file);
    return NULL;
}

// Of a text that is no file: a table of the gallery, or beside where the program runs.
static const char *read_table(const char *path, Text *text)
{
    const char *why = api_file_text(path, text);
    return why && !read_of_gallery(path, text) ? NULL : why;
}

static void identify_by_name(const char *path, Text *identity)
{
    text_add(identity, path);
}

static Status take_source(const OpenCall *call)
{
    static const TextFiles beside = {api_file_text, identify, robot_write_read};
    static const TextFiles gallery = {read_of_gallery, identify_by_name, robot_write_read};
    static const TextFiles tables = {read_table, identify, robot_write_read};
    zw_model *model = call->model;
    Text text = {0};
    if (call->path) {
        TRY(api_read_file(call->path, model->diag, &text));
        model->source = source_new(call->path, text.at ? text.at : "", text.length);
        text_clear(&text);
    } else {
        model->source = source_new(call->name ? call->name : "model", call->text, call->length);
    }
    TRY(text_include(&model->source, call->path ? &beside : &gallery, model->diag));
    return text_add_tables(&model->source, model->setting_sources, model->setting_count,
                           call->path ? &beside : &tables, model->diag);
}

static Status open_model(void *context)
{
    const OpenCall *call = context;
    zw_model *model = call->model;
    zw_model_options options;
    model->diag = diag_new();
    model->arena = arena_new();
    model->status = api_take_options(call->given, &options, sizeof options, model->diag);
    if (model->status == STATUS_OK)
        model->status =
            api_check_texts("setting", options.settings, options.setting_count, model->diag);
    if (model->status != STATUS_OK)
        options = (zw_model_options){0};
    model->stage = options.stage;
    model->stage_context = options.context;
    api_stage(model, "reading the model");
    model->setting_sources = api_sources_of(options.settings, options.setting_count);
    model->setting_count = options.setting_count;
    if (!call->path && !call->text)
        model->status = diag_error(model->diag, place_none(), "no model was given: it is NULL");
    if (model->status == STATUS_OK)
        model->status = take_source(call);
    return model->status == STATUS_OK ? model->status = read_source(model, &options)
                                      : model->status;
}

static zw_status open_call(OpenCall *call, zw_model **out)
{
    if (!out)
        return ZW_WRONG;
    *out = call->model = api_new(sizeof **out);
    if (!*out)
        return ZW_FAILED;
    base_heap_init(&call->model->heap);
    return api_status(api_guarded(&call->model->heap, &call->model->spoiled, open_model, call));
}

zw_status zw_model_read(const char *name, const char *text, size_t length,
                        const zw_model_options *given, zw_model **out)
{
    return open_call(&(OpenCall){.given = given, .name = name, .text = text, .length = length},
                     out);
}

zw_status zw_model_open(const char *path, const zw_model_options *given, zw_model **out)
{
    return open_call(&(OpenCall){.given = given, .path = path}, out);
}

// ---- Copies.

static Source *setting_of(const zw_model *model, size_t i)
{
    return i < model->setting_count ? model->setting_sources[i]
                                    : model->set_sources[i - model->setting_count];
}

// The copy is opened with all settings, so that it can be set itself.
static void copy_settings(const zw_model *from, zw_model *to)
{
    to->setting_count = from->setting_count + from->set_count;
    to->setting_sources = base_alloc((to->setting_count + 1) * sizeof *to->setting_sources);
    for (size_t i = 0; i < to->setting_count; i++) {
        const Source *setting = setting_of(from, i);
        to->setting_sources[i] = source_new(setting->name, setting->at, setting->length);
    }
}

static const char *copy_text(zw_model *model, const char *text)
{
    return text ? arena_copy_text(model->arena, text, strlen(text)) : NULL;
}

static void copy_reduction(const zw_model *from, zw_model *to)
{
    to->replacement_count = from->replacement_count;
    to->zero_count = from->zero_count;
    size_t count = from->replacement_count + from->zero_count;
    to->replacements = arena_array(to->arena, ModelReplacement, count + 1);
    for (size_t i = 0; i < count; i++) {
        to->replacements[i].name = copy_text(to, from->replacements[i].name);
        to->replacements[i].value = copy_text(to, from->replacements[i].value);
    }
    to->start_count = from->start_count;
    to->starts = arena_array(to->arena, ReducedStart, from->start_count + 1);
    for (size_t i = 0; i < from->start_count; i++) {
        to->starts[i] = from->starts[i];
        to->starts[i].name = copy_text(to, from->starts[i].name);
    }
}

zw_model *api_copy(const zw_model *from)
{
    zw_model *model = base_alloc(sizeof *model);
    model->diag = diag_new();
    model->arena = arena_new();
    model->source = source_copy(from->source);
    copy_settings(from, model);
    model->orthonormal = from->orthonormal;
    model->branch = from->branch;
    model->stage = from->stage;
    model->stage_context = from->stage_context;
    model->independent = copy_text(model, from->independent);
    model->acting = copy_text(model, from->acting);
    copy_reduction(from, model);
    model->status = api_read_again(model, model->diag);
    return model;
}

// A text of the copy as that of the model that it was made of.
static const Source *original_source(const zw_model *from, const zw_model *copy, const Source *text)
{
    if (text == copy->source)
        return from->source;
    for (size_t i = 0; i < copy->source->file_count; i++)
        if (text == copy->source->files[i])
            return from->source->files[i];
    for (size_t i = 0; i < copy->setting_count; i++)
        if (text == copy->setting_sources[i])
            return setting_of(from, i);
    return NULL;
}

void api_pass_messages(zw_model *to, const zw_model *copy)
{
    for (size_t i = 0; i < diag_total(copy->diag); i++) {
        DiagKind kind;
        Place place;
        const char *message = diag_message(copy->diag, i, &kind, &place);
        place.source = original_source(to, copy, place.source);
        diag_add(to->diag, kind, place, "%s", message);
    }
}
