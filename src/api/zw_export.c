// zw_export.c: code and documents that stand alone.
#include "api/api_impl.h"
#include "api/result_impl.h"
#include "export/export.h"
#include "model/events.h"
#include "model/friction.h"
#include "motion/frictions.h"

#include <string.h>

// A document is no code: it is the derivation with what `check` says.
static const char latex[] = "latex";
// An FMU is no text.
static const char fmu[] = "fmu";

// What others call the targets.
static const Synonym target_synonyms[] = {
    {"tex", "latex"},    {"pdf", "latex"},     {"c++", "c"},        {"cpp", "c"},
    {"C", "c"},          {"py", "python"},     {"numpy", "python"}, {"jl", "julia"},
    {"m", "matlab"},     {"octave", "matlab"}, {"fmi", "fmu"},      {"simulink", "fmu"},
    {"modelica", "fmu"}, {"fmi3", "fmu"},
};

static const char *meant_target(Str word)
{
    Str names[EXPORT_TARGET_COUNT + 2] = {str_of(latex), str_of(fmu)};
    for (int i = 0; i < EXPORT_TARGET_COUNT; i++)
        names[i + 2] = str_of(export_target_word((ExportTarget)i));
    ptrdiff_t nearest = str_nearest(word, names, EXPORT_TARGET_COUNT + 2);
    const char *meant =
        str_synonym(word, target_synonyms, sizeof target_synonyms / sizeof *target_synonyms);
    return meant || nearest < 0 ? meant : names[nearest].at;
}

static Status unknown_target(const char *word, Diag *diag)
{
    Text known = {0};
    text_addf(&known, "%s, ", latex);
    for (int i = 0; i < EXPORT_TARGET_COUNT; i++)
        text_addf(&known, "%s, ", export_target_word((ExportTarget)i));
    text_add(&known, fmu);
    const char *meant = word ? meant_target(str_of(word)) : NULL;
    if (meant)
        diag_error(diag, place_hint(HINT_TO),
                   "unknown target '%s'; did you mean '%s'? There are "
                   "%s",
                   word, meant, known.at);
    else if (word)
        diag_error(diag, place_hint(HINT_TO), "unknown target '%s'; there are %s", word, known.at);
    else
        diag_error(diag, place_hint(HINT_TO), "say what to export to: %s", known.at);
    text_clear(&known);
    return STATUS_WRONG;
}

// What was said of the equations for the head. Which one-sided conditions act in them the head
// says; no choice of these changes the code.
static void pass_on(Diag *heard, bool notes, Diag *diag)
{
    for (size_t i = 0; i < diag_total(heard); i++) {
        DiagKind kind;
        Place place;
        const char *text = diag_message(heard, i, &kind, &place);
        if (place.hint != HINT_ACTING && (notes || kind != DIAG_NOTE))
            diag_add(diag, kind, place, "%s", text);
    }
    diag_free(heard);
}

// The equations for the head, as `zwang derive` prints them.
static char *equations_of(zw_model *model, bool notes)
{
    zw_result *derived;
    Diag *diag = model->diag;
    model->diag = diag_new();
    zw_status status = zw_derive(model, &(zw_derive_options){.width = 96}, &derived);
    pass_on(model->diag, notes, diag);
    model->diag = diag;
    Text text = {0};
    text_add(&text, status == ZW_DONE ? zw_result_text(derived)
                                      : "could not be written out; the derivation says why\n");
    zw_result_free(derived);
    return api_hand_out(&text);
}

// FILE.h for FILE.c, in the arena; NULL where the header is part of the source.
static const char *header_path(ExportTarget target, const char *out, Arena *arena)
{
    if (target != EXPORT_C || !out || strcmp(out, "-") == 0)
        return NULL;
    const char *slash = strrchr(out, '/'), *dot = strrchr(out, '.');
    size_t length = dot && dot > (slash ? slash + 1 : out) ? (size_t)(dot - out) : strlen(out);
    char *path = arena_alloc(arena, length + sizeof ".h");
    memcpy(path, out, length);
    strcpy(path + length, ".h");
    return path;
}

// A name that can stand between quotes in a source.
static bool is_plain(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == '"' || *name == '\\' || *name == 127)
            return false;
    return true;
}

static Status check_out(const char *out, const char *header, Diag *diag)
{
    if (!header)
        return STATUS_OK;
    if (strcmp(out, header) == 0)
        return diag_error(diag, place_hint(HINT_OUT),
                          "the file is the source, and its header stands beside it: name it '….c'");
    if (!is_plain(header))
        return diag_error(diag, place_hint(HINT_OUT),
                          "the source includes its header by name, and '%s' cannot stand "
                          "between quotes; choose a plain name",
                          header);
    return STATUS_OK;
}

// ---- Inputs.

// Whether an input can be a host's; else that is said, and an FMU is refused. Parameters that are
// made of one follow it where it is one of them.
static bool is_for_host(zw_model *model, const ModelParam *input, bool code, Diag *diag)
{
    const Model *read = model->model;
    for (size_t i = 0; i < read->params.count && code; i++)
        if (!expr_is_none(read->params.at[i].value) && !expr_is_none(input->signal) &&
            expr_holds(read->pool, read->params.at[i].value, input->symbol)) {
            diag_add(diag, DIAG_NOTE, input->place,
                     "the parameter '%s' is made of the input '%s', so that this is a parameter of "
                     "the code and no argument",
                     read->params.at[i].name, input->name);
            return false;
        }
    if (!export_needs_rate(model->motion, input))
        return true;
    diag_add(diag, code ? DIAG_NOTE : DIAG_ERROR, input->place,
             code ? "the motion needs the rate of the input '%s', so that it is no argument of "
                    "the code: it stays as the model says"
                  : "the motion needs the rate of the input '%s' (it stands in a condition, in the "
                    "kinetic energy, or with a prime), and a host gives none; in an FMU inputs "
                    "stand in forces, potentials, rates of states and outputs",
             input->name);
    return false;
}

// Reads the model so that a host sets its inputs, all whose rates the motion can do without; how
// many it cannot do without is told by the zeros that are added.
static Status hand_over_inputs(zw_model *model, bool code)
{
    Diag *diag = model->diag;
    model->diag = diag_new();
    const char **kept = NULL;
    size_t count = 0;
    Status status = api_read_inputs(model, MODEL_HOST_INPUTS);
    if (status == STATUS_OK && model->inputs)
        status = api_motion(model);
    if (status == STATUS_OK && model->inputs) {
        const Model *read = model->model;
        kept = base_alloc((read->params.count + 1) * sizeof *kept);
        for (size_t i = 0; i < read->params.count; i++)
            if (!is_for_host(model, &read->params.at[i], code, diag))
                kept[count++] = read->params.at[i].name;
        api_take_names(model, kept, count);
        status = count > 0 && !code ? STATUS_WRONG : api_read_inputs(model, MODEL_HOLD_INPUTS);
    } else if (status != STATUS_OK) {
        diag_copy(diag, model->diag, 0);
    }
    base_free(kept);
    diag_free(model->diag);
    model->diag = diag;
    return status;
}

// Reads the model as it is for others again.
static Status take_back_inputs(zw_model *model, size_t zeros, Status status)
{
    model->zero_count = zeros;
    Status again = api_read_inputs(model, 0);
    return status == STATUS_OK ? again : status;
}

// ---- Code.

static Status write_code(zw_model *model, ExportTarget target, const zw_export_options *options,
                         Arena *arena, Text *source, Text *header)
{
    RunOptions of_run = run_options();
    of_run.branch = model->branch;
    const char *out = options->out;
    Simulation *run;
    const char *path = header_path(target, out, arena);
    const char *paths[] = {out, path};
    TRY(check_out(out, path, model->diag));
    TRY(api_check_outputs(model, paths, 2));
    TRY(api_motion(model));
    if (!options->smooth && model->model->frictions.count > 0)
        return diag_error(
            model->diag, place_with_hint(model->model->frictions.at[0].place, HINT_SMOOTH),
            "the model has friction ('%s'), which this code cannot follow; the smooth "
            "motion has it as at the start, and an FMU follows it",
            model->model->frictions.at[0].name);
    if (!options->smooth)
        TRY(export_check(model->motion, model->diag));
    TRY(run_new(model->motion, &of_run, model->diag, &run));
    const char *slash = path ? strrchr(path, '/') : NULL;
    char *equations = equations_of(model, true);
    ExportOrigin origin = {.file = model->source->name,
                           .text = {model->source->at, model->source->length},
                           .version = zw_version(),
                           .equations = equations,
                           .fixed = options->fixed,
                           .whole = options->velocities,
                           .smooth = options->smooth,
                           .header = slash ? slash + 1 : path};
    Status status = options->smooth ? api_held_at_start(model, &origin.acting) : STATUS_OK;
    if (status == STATUS_OK)
        status = export_check_friction(origin.acting, model->diag);
    if (status == STATUS_OK)
        status = export_write(target, run, model->motion, &origin, model->diag, source, header);
    motion_free(origin.acting);
    base_free(equations);
    run_free(run);
    return status;
}

// ---- FMUs.

static Status make_fmu(zw_model *model, const zw_export_options *options, Text *file)
{
    RunOptions of_run = run_options();
    of_run.branch = model->branch;
    Simulation *run;
    TRY(api_motion(model));
    TRY(run_new(model->motion, &of_run, model->diag, &run));
    char *equations = equations_of(model, false); // what they leave out an FMU follows
    ExportOrigin origin = {.file = model->source->name,
                           .text = {model->source->at, model->source->length},
                           .version = zw_version(),
                           .equations = equations,
                           .whole = options->velocities,
                           .contacts = true};
    // What ends a run is an event of the FMU, the last.
    const ModelEvent *until = model->model->run.until;
    if (until) {
        ModelEvent event = *until;
        event.name = "until";
        array_push(&model->model->events, event);
    }
    Status status = export_switched_motion(model->model, model->diag, &origin.acting);
    if (status == STATUS_OK)
        status = export_fmu(run, model->motion, &origin, !options->sources_only, model->diag, file);
    motion_free(origin.acting);
    model->model->events.count -= until != NULL;
    zw_free(equations);
    run_free(run);
    return status;
}

static Status write_fmu(zw_model *model, const zw_export_options *options, Text *said)
{
    Text file = {0}, path = {0};
    if (options->forms || options->fixed || options->smooth)
        return diag_error(model->diag,
                          place_hint(options->forms   ? HINT_FORM
                                     : options->fixed ? HINT_NONE
                                                      : HINT_SMOOTH),
                          "an FMU is made from the motion itself, with parameters that can be set "
                          "and with its contacts: leave %s out",
                          options->forms   ? "the forms"
                          : options->fixed ? "'fixed'"
                                           : "'smooth'");
    if (options->out && strcmp(options->out, "-") == 0)
        return diag_error(model->diag, place_hint(HINT_OUT), "an FMU is a file: name it '….fmu'");
    TRY(api_motion(model));
    if (options->out)
        text_add(&path, options->out);
    else
        text_addf(&path, "%s.fmu", model->motion->model->name);
    const char *paths[] = {path.at};
    Status status = api_check_outputs(model, paths, 1);
    size_t zeros = model->zero_count;
    if (status == STATUS_OK)
        status = hand_over_inputs(model, false);
    if (status == STATUS_OK)
        status = api_weigh_loads(model, true);
    if (status == STATUS_OK)
        status = make_fmu(model, options, &file);
    Status lighter = model->model ? api_weigh_loads(model, false) : STATUS_OK;
    status = take_back_inputs(model, zeros, status == STATUS_OK ? lighter : status);
    const Str bytes = {file.at, file.length};
    if (status == STATUS_OK)
        status = show_files_write(paths, &bytes, 1, model->diag);
    if (status == STATUS_OK)
        text_addf(said, "%s\n", path.at);
    text_clear(&file);
    text_clear(&path);
    return status;
}

static Status answer_fmu(zw_model *model, const zw_export_options *options, zw_result *result)
{
    Text said = {0};
    Status status = write_fmu(model, options, &said);
    if (status == STATUS_OK)
        result_put_text(result, &said, ZW_TEXT, 0);
    text_clear(&said);
    return status;
}

static Status write_report(zw_model *model, const zw_export_options *options, Text *document)
{
    zw_result *derivation, *check = NULL;
    TRY(api_check_outputs(model, &options->out, 1));
    zw_status status = zw_derive(
        model,
        &(zw_derive_options){
            .forms = options->forms ? options->forms : "all", .as = ZW_LATEX, .steps = true},
        &derivation);
    if (status == ZW_DONE)
        status = zw_check(model, NULL, &check);
    if (status == ZW_DONE || status == ZW_NEGATIVE) {
        text_add(document, zw_result_text(derivation));
        show_latex_append("What kind of system it is, and what was proved", zw_result_text(check),
                          document);
    }
    zw_result_free(derivation);
    zw_result_free(check);
    return (Status)status;
}

// Puts the texts where they were asked for; both or none.
static Status deliver(zw_model *model, ExportTarget target, const char *out, Arena *arena,
                      Text *source, Text *header, Text *report)
{
    const char *path = header_path(target, out, arena);
    const char *paths[] = {out, path};
    const Str texts[] = {{source->at, source->length}, {header->at, header->length}};
    TRY(show_files_write(paths, texts, path ? 2 : 1, model->diag));
    text_addf(report, "%s%s%s\n", out, path ? " and " : "", path ? path : "");
    return STATUS_OK;
}

// Noise draws its numbers in runs and FMUs; tables are written out.
static Status refuse_noise(const zw_model *model, const char *to)
{
    const Model *read = model->model;
    if (read->noises.count == 0 || strcmp(to, fmu) == 0)
        return STATUS_OK;
    return diag_error(model->diag, read->noises.at[0].seed_place,
                      "export to %s: 'random' draws its numbers in a run or an FMU alone; give the "
                      "input a table or an expression",
                      to);
}

static Status answer(zw_model *model, const void *given, zw_result *result)
{
    const zw_export_options *options = given;
    ExportTarget target = EXPORT_TARGET_COUNT;
    bool document = options->to && strcmp(options->to, latex) == 0;
    TRY(model->status);
    if (!document)
        api_note_intervals(model, "written");
    if (options->to)
        TRY(refuse_noise(model, options->to));
    if (options->to && strcmp(options->to, fmu) == 0)
        return answer_fmu(model, options, result);
    if (!document && (!options->to || !export_target_find(str_of(options->to), &target)))
        return unknown_target(options->to, model->diag);
    if (!document && options->forms)
        return diag_error(model->diag, place_hint(HINT_FORM),
                          "forms are chosen for a document; code is made from the "
                          "motion itself: leave them out");
    bool direct = !options->out || strcmp(options->out, "-") == 0;
    Arena *arena = arena_new();
    Text source = {0}, header = {0}, said = {0};
    api_stage(model, document ? "writing the document" : "writing the code");
    size_t zeros = model->zero_count;
    Status status =
        document ? write_report(model, options, &source) : hand_over_inputs(model, true);
    if (!document && status == STATUS_OK)
        status = write_code(model, target, options, arena, &source, &header);
    status = take_back_inputs(model, zeros, status);
    if (status == STATUS_OK && !direct)
        status = deliver(model, target, options->out, arena, &source, &header, &said);
    if (status == STATUS_OK)
        result_put_text(result, direct ? &source : &said, ZW_TEXT, 0);
    text_clear(&source);
    text_clear(&header);
    text_clear(&said);
    arena_free(arena);
    return status;
}

zw_status zw_export(zw_model *model, const zw_export_options *given, zw_result **result)
{
    zw_export_options options;
    return api_ask(model, given, &options, sizeof options, answer, false, result);
}
