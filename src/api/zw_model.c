// zw_model.c: handles, reading, messages.
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "api/result_impl.h"
#include "dynamics/hidden/hidden_conditions.h"
#include "model/paired_conditions.h"
#include "motion/start_numbers.h"
#include "show/show.h"
#include "simulate/simulate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void zw_free(void *text)
{
    base_free(text);
}

char *api_hand_out(Text *text)
{
    char *handed = base_alloc_apart(text->length + 1);
    if (text->length)
        memcpy(handed, text->at, text->length);
    text_clear(text);
    return handed;
}

typedef struct {
    const char *text;
    const zw_terminal *given;
    char *shown;
} Terminal;

static Status show_terminal(void *context)
{
    Terminal *call = context;
    zw_terminal terminal;
    Text out = {0};
    TRY(api_take_options(call->given, &terminal, sizeof terminal, diag_new()));
    show_for_terminal(call->text,
                      &(ShowTerminal){.width = terminal.width,
                                      .ascii = terminal.ascii,
                                      .colour = terminal.colour},
                      &out);
    call->shown = api_hand_out(&out);
    return STATUS_OK;
}

char *zw_for_terminal(const char *text, const zw_terminal *given)
{
    Terminal *call = &(Terminal){text ? text : "", given, NULL};
    return api_alone(show_terminal, call) == STATUS_OK ? call->shown : NULL;
}

const char *zw_unit(size_t index)
{
    return unit_word(index);
}

const char *zw_nearest(const char *word, const char *const *known, size_t count)
{
    if (!word || !known)
        return NULL;
    Str *candidates = api_new((count + 1) * sizeof *candidates);
    for (size_t i = 0; candidates && i < count; i++)
        candidates[i] = str_of(known[i] ? known[i] : "");
    ptrdiff_t at = candidates ? api_nearest(str_of(word), candidates, count) : -1;
    base_free(candidates);
    return at >= 0 ? known[at] : NULL;
}

void api_sign_json(Text *json)
{
    json->length = (size_t)(strrchr(json->at, '}') - json->at);
    text_addf(json, ",\"zwang_version\":\"%s\"}\n", zw_version());
}

// ---- Reading.

bool api_next_word(const char **at, Str *word)
{
    if (!**at)
        return false;
    const char *end = strchr(*at, ',');
    size_t length = end ? (size_t)(end - *at) : strlen(*at);
    *word = (Str){*at, length};
    *at += length + (end != NULL);
    return true;
}

Source **api_sources_of(const char *const *settings, size_t count)
{
    Source **sources = base_alloc((count + 1) * sizeof(Source *));
    for (size_t i = 0; i < count; i++)
        sources[i] = source_new("setting", settings[i], strlen(settings[i]));
    return sources;
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

static Status find_coordinate(const Model *model, Str name, Diag *diag, size_t *index)
{
    ARRAY(Str) names = {0};
    for (size_t i = 0; i < model->coords.count; i++)
        array_push(&names, str_of(model->coords.at[i].name));
    Status status = STATUS_WRONG;
    for (*index = 0; *index < names.count; ++*index)
        if (str_equal(names.at[*index], name)) {
            status = STATUS_OK;
            break;
        }
    ptrdiff_t nearest = str_nearest(name, names.at, names.count);
    if (status != STATUS_OK && nearest >= 0)
        diag_error(diag, place_hint(HINT_INDEPENDENT),
                   "unknown independent coordinate '%.*s'; did you mean '%s'?", (int)name.length,
                   name.at, names.at[nearest].at);
    else if (status != STATUS_OK)
        diag_error(diag, place_hint(HINT_INDEPENDENT), "unknown independent coordinate '%.*s'",
                   (int)name.length, name.at);
    array_clear(&names);
    return status;
}

// The coordinates named in the place of those that the text names.
static Status put_independent(const char *names, Model *model, Diag *diag)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < model->independent.count && !model->independent_asked; i++)
        array_push(&model->independent_said, model->independent.at[i]);
    model->independent_asked = true;
    model->independent.count = 0;
    model->independent_place = place_none();
    Str name;
    while (api_next_word(&names, &name)) {
        size_t index;
        if (find_coordinate(model, name, diag, &index) != STATUS_OK)
            status = STATUS_WRONG;
        else
            array_push(&model->independent, index);
    }
    return status;
}

Status api_choose_independent(zw_model *model, const char *names)
{
    TRY(model->status);
    model->independent = arena_copy_text(model->arena, names, strlen(names));
    return model->status = put_independent(names, model->model, model->diag);
}

Status api_read_model(const zw_model *model, Diag *diag, Model **out)
{
    size_t count = model->setting_count + model->set_count;
    ModelSetting *settings = base_alloc((count + 1) * sizeof *settings);
    for (size_t i = 0; i < count; i++)
        settings[i].source = i < model->setting_count
                                 ? model->setting_sources[i]
                                 : model->set_sources[i - model->setting_count];
    Status status =
        model_read_replacing(model->source, settings, count, model->replacements,
                             model->replacement_count + model->zero_count,
                             (model->written_out ? 0 : MODEL_KEEP_PAIRS) | model->inputs |
                                 (model->weighs_loads ? MODEL_WEIGH_LOADS : 0),
                             diag, out);
    base_free(settings);
    if (status == STATUS_OK)
        status = api_check_method(*out, diag);
    if (status == STATUS_OK)
        put_starts(model, *out);
    if (status == STATUS_OK && model->independent)
        status = put_independent(model->independent, *out, diag);
    return status;
}

// ---- Reading again.

static void forget_derived(zw_model *model)
{
    run_free(model->kept);
    if (model->under != model->motion)
        motion_free(model->under);
    motion_free(model->motion);
    model->kept = NULL;
    model->under = model->motion = NULL;
    model->derived = false;
}

// Puts the settings of zw_model_set into a model that is there; *same as in model_set.
static Status put_settings(zw_model *model, Diag *diag, bool *same)
{
    ModelSetting *settings = base_alloc((model->set_count + 1) * sizeof *settings);
    for (size_t i = 0; i < model->set_count; i++)
        settings[i].source = model->set_sources[i];
    Status status = model_set(model->model, settings, model->set_count, diag, same);
    base_free(settings);
    return status;
}

// With the settings of zw_model_set as a part of it, or without them.
static Status read_anew(zw_model *model, bool with, Diag *diag)
{
    size_t count = model->set_count;
    forget_derived(model);
    model_free(model->model);
    model->model = NULL;
    model->set_count = with ? count : 0;
    Status status = api_read_model(model, diag, &model->model);
    model->set_count = count;
    model->read_with_set = with;
    return status;
}

Status api_read_again(zw_model *model, Diag *diag)
{
    bool same = true;
    model->status = read_anew(model, false, diag);
    if (model->status == STATUS_OK && model->set_count > 0)
        model->status = put_settings(model, diag, &same);
    if (!same)
        model->status = read_anew(model, true, diag);
    return model->status;
}

Status api_read_inputs(zw_model *model, unsigned how)
{
    if (!model->model || model->model->input_count == 0 || model->inputs == how)
        return STATUS_OK;
    model->inputs = how;
    return api_read_again(model, model->diag);
}

Status api_weigh_loads(zw_model *model, bool weigh)
{
    if (!model->model || model->model->whiles.count == 0 || model->weighs_loads == weigh)
        return STATUS_OK;
    model->weighs_loads = weigh;
    return api_read_again(model, model->diag);
}

// Messages may point into texts of settings before.
static void put_aside(zw_model *model, Source **sources, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (diag_total(model->diag) == 0)
            source_free(sources[i]);
        else
            array_push(&model->asked, sources[i]);
    base_free(sources);
}

Status api_set(zw_model *model, const char *const *settings, size_t count)
{
    if (!model->source || api_check_texts("setting", settings, count, model->diag) != STATUS_OK)
        return STATUS_WRONG;
    if (model->replacement_count > 0)
        return diag_error(model->diag, place_none(),
                          "settings are given before coordinates are reduced");
    Source **former = model->set_sources;
    size_t former_count = model->set_count;
    model->set_sources = api_sources_of(settings, count);
    model->set_count = count;
    bool same = model->model && model->status == STATUS_OK && !model->read_with_set;
    if (same)
        model->status = put_settings(model, model->diag, &same);
    // A motion that is there chose its speeds by numbers.
    if (same && model->status == STATUS_OK && model->motion)
        same = motion_start_stands(model->motion);
    if (!same)
        model->status = api_read_again(model, model->diag);
    if (model->under != model->motion)
        motion_free(model->under);
    model->under = NULL;
    put_aside(model, former, former_count);
    return model->status;
}

typedef struct {
    zw_model *model;
    const char *const *settings;
    size_t count;
} SetCall;

static Status set(void *context)
{
    const SetCall *call = context;
    return api_set(call->model, call->settings, call->count);
}

zw_status zw_model_set(zw_model *model, const char *const *settings, size_t count)
{
    SetCall *call = &(SetCall){model, settings, count};
    return model ? api_status(api_guarded(&model->heap, &model->spoiled, set, call)) : ZW_WRONG;
}

typedef struct {
    zw_model *model;
    const char *name, *text;
    double *number;
} NumberCall;

static Status read_number(void *context)
{
    const NumberCall *call = context;
    zw_model *model = call->model;
    TRY(model->status);
    Source *source = source_new(call->name, call->text, strlen(call->text));
    array_push(&model->asked, source); // messages speak of it
    return model_read_number(model->model, source, model->diag, call->number);
}

zw_status zw_model_number(zw_model *model, const char *name, const char *text, double *number)
{
    if (!model || !name || !text || !number)
        return ZW_WRONG;
    NumberCall *call = &(NumberCall){model, name, text, number};
    return api_status(api_guarded(&model->heap, &model->spoiled, read_number, call));
}

// ---- Files.

static void close_file(void *file)
{
    fclose(file);
}

FILE *api_open_to_read(const char *path)
{
    FILE *file = fopen(path, "rbe");
    if (!file && errno == ENOMEM)
        base_no_memory(sizeof *file);
    return file;
}

const char *api_file_text(const char *path, Text *text)
{
    struct stat there;
    if (stat(path, &there) != 0)
        return strerror(errno);
    if (S_ISDIR(there.st_mode))
        return "it is a directory; name a file in it";
    FILE *file = api_open_to_read(path);
    if (!file)
        return strerror(errno);
    BaseCleanup cleanup;
    base_cleanup_add(&cleanup, close_file, file);
    char block[1 << 16];
    size_t count;
    // Past what any model needs, reading more would only cost memory.
    const size_t longest = (size_t)64 << 20;
    while (text->length <= longest && (count = fread(block, 1, sizeof block, file)) > 0)
        text_add_str(text, (Str){block, count});
    const char *why = NULL;
    if (ferror(file))
        why = strerror(errno);
    else if (text->length > longest)
        why = "it is longer than 64 MiB, and no model is";
    base_cleanup_remove(&cleanup);
    fclose(file);
    return why;
}

Status api_read_file(const char *path, Diag *diag, Text *text)
{
    const char *why = api_file_text(path, text);
    return why ? diag_error(diag, place_none(), "cannot read '%s': %s", path, why) : STATUS_OK;
}

void api_clear(zw_model *model)
{
    forget_derived(model);
    model_free(model->model);
    arena_free(model->arena);
    source_free(model->source);
    for (size_t i = 0; i < model->setting_count; i++)
        source_free(model->setting_sources[i]);
    base_free(model->setting_sources);
    for (size_t i = 0; i < model->set_count; i++)
        source_free(model->set_sources[i]);
    base_free(model->set_sources);
    for (size_t i = 0; i < model->asked.count; i++)
        source_free(model->asked.at[i]);
    array_clear(&model->asked);
    diag_free(model->motion_notes);
    diag_free(model->diag);
}

void zw_model_free(zw_model *model)
{
    if (!model)
        return;
    if (!model->spoiled)
        api_clear(model);
    base_heap_clear(&model->heap);
    base_free(model);
}

// ---- Messages.

static const char memory_ended[] = "error: the memory ended; what was asked can only be freed\n";

static void spell(const void *context, const char *message, Text *out)
{
    show_spelled(context, message, out);
}

char *api_messages(zw_model *model, zw_level least, const char *(*words)(const char *name))
{
    Text text = {0};
    DiagWords how = {.hint = words, .spell = model->model ? spell : NULL, .context = model->model};
    diag_render_with(model->diag, (DiagKind)least, how, &text);
    diag_free(model->diag);
    model->diag = diag_new();
    return text.length ? api_hand_out(&text) : (text_clear(&text), NULL);
}

typedef struct {
    zw_model *model;
    zw_level least;
    const char *(*words)(const char *name);
    char *text;
} MessageCall;

static Status take_messages(void *context)
{
    MessageCall *call = context;
    call->text = api_messages(call->model, call->least, call->words);
    return STATUS_OK;
}

static Status say_memory_ended(void *context)
{
    Text text = {0};
    text_add(&text, memory_ended);
    *(char **)context = api_hand_out(&text);
    return STATUS_OK;
}

char *api_memory_message(void)
{
    char *text = NULL;
    return api_alone(say_memory_ended, &text) == STATUS_OK ? text : NULL;
}

char *zw_messages(zw_model *model, zw_level least)
{
    return zw_messages_with(model, least, NULL);
}

char *zw_messages_with(zw_model *model, zw_level least, const char *(*words)(const char *name))
{
    if (!model)
        return NULL;
    if (model->spoiled)
        return api_memory_message();
    MessageCall *call = &(MessageCall){model, least, words, NULL};
    (void)api_guarded(&model->heap, &model->spoiled, take_messages, call);
    return call->text;
}

const zw_message *zw_message_at(zw_model *model, size_t index)
{
    if (model && model->spoiled && index == 0) {
        model->message = (zw_message){.level = ZW_ERROR, .text = "the memory ended"};
        return &model->message;
    }
    if (!model || model->spoiled || index >= diag_total(model->diag))
        return NULL;
    zw_message *told = &model->message;
    DiagKind kind;
    Place place;
    uint32_t line = 0, column = 0;
    *told = (zw_message){.text = diag_message(model->diag, index, &kind, &place)};
    if (place.source)
        place_position(place, &line, &column);
    told->level = (zw_level)kind;
    told->file = place.source ? place.source->name : NULL;
    told->line = line;
    told->column = column;
    told->about = diag_hint_name(place.hint);
    return told;
}

static Status make_motion(zw_model *model)
{
    if (model->status == STATUS_OK && !model->motion) {
        api_stage(model, "finding velocities and energies");
        model->status =
            hidden_motion_new(model->model, !model->orthonormal, model->diag, &model->motion);
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
        model->status = api_read_again(model, model->diag);
    }
    return make_motion(model);
}

Status api_motion(zw_model *model)
{
    TRY(api_motion_to_run(model));
    api_stage(model, "solving the conditions for velocities");
    return model->status = motion_solve(model->motion, model->diag);
}
