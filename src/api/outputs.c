// outputs.c: the files that a run writes: rows and plots.
#include "api/call_impl.h"
#include "api/outputs_impl.h"
#include "api/result_impl.h"

#include <math.h>
#include <string.h>

// The file that the model includes and that this path leads to, or NULL.
static const char *find_included(const zw_model *model, const char *path)
{
    for (size_t i = 1; i < model->source->file_count; i++)
        if (show_same_file(path, model->source->files[i]->name))
            return model->source->files[i]->name;
    return NULL;
}

Status api_check_outputs(const zw_model *model, const char *const *paths, size_t count)
{
    const char *text = model->source->name;
    for (size_t i = 0; i < count; i++) {
        if (!paths[i])
            continue;
        if (strcmp(paths[i], "-") != 0 && show_same_file(paths[i], text))
            return diag_error(model->diag, i == 0 ? place_hint(HINT_OUT) : place_none(),
                              "'%s' is the model; name another file", paths[i]);
        if (strcmp(paths[i], "-") != 0 && find_included(model, paths[i]))
            return diag_error(model->diag, i == 0 ? place_hint(HINT_OUT) : place_none(),
                              "'%s' is a file that the model includes; name another file",
                              paths[i]);
        for (size_t j = 0; j < i; j++)
            if (paths[j] && show_same_file(paths[i], paths[j]))
                return diag_error(model->diag, place_none(),
                                  strcmp(paths[i], "-") == 0
                                      ? "rows and events cannot both go to standard output; name a "
                                        "file for one of them"
                                      : "'%s' is asked for twice; each output needs a file of its "
                                        "own",
                                  paths[i]);
        TRY(show_file_try(paths[i], model->diag));
    }
    return STATUS_OK;
}

Status api_spare_input(const zw_model *model, const char *const *paths, size_t count,
                       const char *read)
{
    for (size_t i = 0; i < count; i++)
        if (paths[i] && strcmp(paths[i], "-") != 0 && show_same_file(paths[i], read))
            return diag_error(model->diag, i == 0 ? place_hint(HINT_OUT) : place_none(),
                              "'%s' is read by this command; name another file", paths[i]);
    return STATUS_OK;
}

Status outputs_check(const zw_model *model, const zw_run_options *options)
{
    size_t count = options->plot_count + 4;
    const char **paths = base_alloc(count * sizeof *paths);
    paths[0] = options->out;
    paths[1] = options->events;
    paths[count - 2] = options->checkpoint;
    paths[count - 1] = options->picture ? show_picture_path(options->picture) : NULL;
    for (size_t i = 0; i < options->plot_count; i++)
        paths[i + 2] = show_plot_path(options->plots[i]);
    Status status = api_check_outputs(model, paths, count);
    base_free(paths);
    return status;
}

size_t api_frames_between(double rows, double smooth)
{
    return rows < smooth && rows >= 1 ? (size_t)ceil(smooth / rows) - 1 : 0;
}

Status api_plot_style(const zw_plot_style *given, Diag *diag, ShowPlotStyle *out)
{
    zw_plot_style taken, *style = &taken;
    TRY(api_take_options(given, style, sizeof *style, diag));
    *out = (ShowPlotStyle){.size = style->extent,
                           .font = style->font,
                           .title = style->title,
                           .axis = style->axis,
                           .legend = style->legend,
                           .colours = style->colours,
                           .ranges = style->range,
                           .log = style->log,
                           .wrap = style->wrap,
                           .points = style->points,
                           .labels = style->labels,
                           .label_count = style->label_count};
    return STATUS_OK;
}

static Status check_rows(const zw_run_options *options, Diag *diag)
{
    if (options->digits > 0 && !options->out)
        return diag_error(diag, place_hint(HINT_DIGITS),
                          "a number of digits is for the file that rows go to");
    if (!options->rows)
        return STATUS_OK;
    if (strcmp(options->rows, "float32") != 0)
        return diag_error(diag, place_none(), "unknown kind of rows '%s'; there is float32",
                          options->rows);
    if (!options->out)
        return diag_error(diag, place_none(),
                          "rows in single precision need a file that they go to");
    return STATUS_OK;
}

static Status open_files(Outputs *outputs, const zw_run_options *options, const ShowRun *show,
                         Diag *diag)
{
    TRY(check_rows(options, diag));
    if (options->picture)
        TRY(show_picture_check(options->picture, diag));
    TRY(show_events_open(options->events, show, diag, &outputs->events));
    outputs->plots = base_alloc((options->plot_count + 1) * sizeof *outputs->plots);
    for (size_t i = 0; i < options->plot_count; i++) {
        ShowPlotStyle style;
        TRY(api_plot_style(options->plot_styles ? options->plot_styles[i] : NULL, diag, &style));
        TRY(show_plot_open(options->plots[i], &style, show, diag, &outputs->plots[i]));
        outputs->plot_count++;
    }
    return options->out ? show_table_open(options->out, show, diag, &outputs->table) : STATUS_OK;
}

// In what the columns are; nothing where no column has a unit.
static void api_column_units(const Model *model, const char *const *columns, size_t count,
                             Arena *arena, ShowRun *show)
{
    const char **si = arena_alloc(arena, (count + 1) * sizeof *si);
    const char **units = arena_alloc(arena, (count + 1) * sizeof *units);
    double *scales = arena_alloc(arena, (count + 1) * sizeof *scales);
    bool any = false;
    *show = (ShowRun){0};
    for (size_t i = 0; i < count; i++) {
        ColumnUnit unit;
        bool known = model_column_unit(model, columns[i], &unit);
        any = any || known;
        si[i] = known ? unit.si : "";
        units[i] = known && strcmp(unit.shown.text, "1") != 0 ? unit.shown.text : "";
        scales[i] = unit.shown.scale;
    }
    if (any)
        *show = (ShowRun){.si = si, .units = units, .scales = scales};
}

// What the files say of the run; the arrays live in the arena.
static Status describe(const zw_model *model, const zw_run_options *options, const Simulation *run,
                       Arena *arena, ShowRun *show)
{
    const Model *read = model->model;
    size_t count = run_column_count(run);
    const char **columns = arena_alloc(arena, count * sizeof *columns);
    for (size_t i = 0; i < count; i++)
        columns[i] = run_column_name(run, i);
    size_t setting_count = model->setting_count + model->set_count;
    const char **settings = arena_alloc(arena, (setting_count + 1) * sizeof *settings);
    for (size_t i = 0; i < model->setting_count; i++)
        settings[i] = model->setting_sources[i]->at;
    for (size_t i = 0; i < model->set_count; i++)
        settings[model->setting_count + i] = model->set_sources[i]->at;
    const char **names = arena_alloc(arena, (read->params.count + 1) * sizeof *names);
    for (size_t i = 0; i < read->params.count; i++)
        names[i] = read->params.at[i].name;
    double *values = arena_alloc(arena, (read->params.count + 1) * sizeof *values);
    api_column_units(read, columns, count, arena, show);
    const ShowRun units = *show;
    RunOptions used = run_settings(run);
    *show = (ShowRun){.columns = columns,
                      .count = count,
                      .si = units.si,
                      .units = units.units,
                      .scales = units.scales,
                      .coordinates = read->coords.count - read->rated_count,
                      .title = read->title[0] ? read->title : read->name,
                      .file = model->source->name,
                      .text = {model->source->at, model->source->length},
                      .version = zw_version(),
                      .command = options->command ? options->command : "",
                      .settings = settings,
                      .setting_count = setting_count,
                      .param_names = names,
                      .params = values,
                      .param_count = read->params.count,
                      .to = used.to,
                      .every = used.every,
                      .tolerance = used.tolerance,
                      .method = run_method_name(used.method),
                      .float32 = options->rows != NULL,
                      .digits = options->digits};
    return model_param_values(read, model->diag, values);
}

Status outputs_open(Outputs *outputs, zw_model *model, const zw_run_options *options,
                    Simulation *run)
{
    *outputs = (Outputs){0};
    Arena *arena = arena_new();
    ShowRun show;
    Status status = describe(model, options, run, arena, &show);
    if (status == STATUS_OK)
        status = open_files(outputs, options, &show, model->diag);
    outputs->picture_wanted = options->picture;
    if (status == STATUS_OK && options->picture)
        status = show_picture_new(model->motion, run, true, model->diag, &outputs->picture);
    arena_free(arena);
    if (status == STATUS_OK)
        return STATUS_OK;
    Status closed = outputs_close(outputs, SHOW_DROPPED, model->diag);
    return closed > status ? closed : status;
}

bool outputs_row(Outputs *outputs, const double *row, Diag *diag)
{
    if (outputs->table)
        outputs->status = show_table_row(outputs->table, row, diag);
    for (size_t i = 0; i < outputs->plot_count; i++)
        show_plot_row(outputs->plots[i], row);
    if (outputs->picture)
        show_picture_row(outputs->picture, row);
    return outputs->status == STATUS_OK;
}

bool outputs_event(Outputs *outputs, const RunEvent *event, Diag *diag)
{
    // Other speeds are no event of the motion: only the file of events has them.
    bool moves = event->kind != RUN_OTHER_SPEEDS;
    for (size_t i = 0; i < outputs->plot_count && moves; i++)
        show_plot_event(outputs->plots[i], event);
    Status status = show_events_add(outputs->events, event, diag);
    if (outputs->table && moves && status == STATUS_OK && outputs->status == STATUS_OK)
        status = show_table_event(outputs->table, event, diag);
    outputs->status = status > outputs->status ? status : outputs->status;
    return outputs->status == STATUS_OK;
}

bool outputs_keep_events(const Outputs *outputs)
{
    return outputs->table && show_table_keeps_events(outputs->table);
}

void outputs_audit(Outputs *outputs, const char *json, Diag *diag)
{
    if (outputs->table && outputs->status == STATUS_OK)
        outputs->status = show_table_audit(outputs->table, json, diag);
}

void outputs_facts(Outputs *outputs, const char *json, Diag *diag)
{
    if (outputs->table && outputs->status == STATUS_OK)
        outputs->status = show_table_facts(outputs->table, json, diag);
}

static Status write_picture(const Outputs *outputs, Diag *diag)
{
    Text svg = {0};
    const char *path = show_picture_path(outputs->picture_wanted);
    show_picture_svg(outputs->picture, outputs->picture_wanted, &svg);
    const Str whole = {svg.at, svg.length};
    Status status = show_files_write(&path, &whole, 1, diag);
    text_clear(&svg);
    return status;
}

void outputs_drop_pictures(Outputs *outputs, Diag *diag)
{
    for (size_t i = 0; i < outputs->plot_count; i++) {
        Status closed = show_plot_close(outputs->plots[i], SHOW_DROPPED, diag);
        outputs->status = closed > outputs->status ? closed : outputs->status;
    }
    outputs->plot_count = 0;
    show_picture_free(outputs->picture);
    outputs->picture = NULL;
}

Status outputs_close(Outputs *outputs, ShowEnd end, Diag *diag)
{
    Status worst = outputs->status;
    if (outputs->table) {
        ShowEnd kept =
            worst == STATUS_OK || show_table_can_be_cut(outputs->table) ? end : SHOW_DROPPED;
        Status closed = show_table_close(outputs->table, kept, diag);
        worst = closed > worst ? closed : worst;
    }
    if (outputs->events) {
        Status closed = show_events_close(outputs->events, end, diag);
        worst = closed > worst ? closed : worst;
    }
    for (size_t i = 0; i < outputs->plot_count; i++) {
        Status closed = show_plot_close(outputs->plots[i], end, diag);
        worst = closed > worst ? closed : worst;
    }
    if (outputs->picture && end != SHOW_DROPPED) {
        Status closed = write_picture(outputs, diag);
        worst = closed > worst ? closed : worst;
    }
    show_picture_free(outputs->picture);
    base_free(outputs->plots);
    *outputs = (Outputs){0};
    return worst;
}
