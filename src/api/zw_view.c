// zw_view.c: a page that shows a run.
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "api/result_impl.h"
#include "api/run_summary_impl.h"
#include "base/decimal.h"
#include "show/show.h"
#include "simulate/run_report.h"
#include "simulate/simulate.h"

#include <string.h>

typedef struct {
    ShowPage *page;
    const zw_view_options *options;
    double to;
    size_t rows;
    Text events;
    size_t event_count;
    bool ended; // somebody asked for it
} Viewing;

static bool take_row(void *context, const double *row)
{
    Viewing *viewing = context;
    show_page_row(viewing->page, row);
    viewing->rows++;
    return true;
}

static bool take_between(void *context, const double *row)
{
    Viewing *viewing = context;
    show_page_between(viewing->page, row);
    return true;
}

// A page lists no more events than a person reads; the account counts all.
enum { MOST_EVENTS = 2000 };

static void take_event(void *context, const RunEvent *event)
{
    Viewing *viewing = context;
    if (viewing->event_count++ >= MOST_EVENTS)
        return;
    text_add(&viewing->events, viewing->event_count > 1 ? ",{\"t\":" : "{\"t\":");
    text_add_decimal(&viewing->events, event->t);
    text_addf(&viewing->events, ",\"kind\":\"%s\",\"constraint\":", run_event_name(event->kind));
    if (event->constraint)
        show_json_string(event->constraint->name, &viewing->events);
    else
        text_add(&viewing->events, "null");
    if (event->what) {
        text_add(&viewing->events, ",\"what\":");
        show_json_string(event->what, &viewing->events);
    }
    text_add(&viewing->events, "}");
}

static bool take_progress(void *context, double t)
{
    Viewing *viewing = context;
    const zw_view_options *options = viewing->options;
    if (!api_goes_on(options->progress, options->context, t / viewing->to))
        viewing->ended = true;
    return !viewing->ended;
}

// What a reader must know before the rest.
static void add_notes(const Viewing *viewing, const RunSummary *summary, Text *out)
{
    text_add(out, "");
    if (summary->end != RUN_WHOLE)
        text_addf(out, "The run stopped early, at t = %.10g of %.10g. ", summary->reached,
                  viewing->to);
    if (show_page_rows(viewing->page) < viewing->rows)
        text_addf(out,
                  "Of %zu rows this page holds %zu; a run that writes its rows to a file keeps all "
                  "of them.",
                  viewing->rows, show_page_rows(viewing->page));
    if (viewing->event_count > MOST_EVENTS)
        text_addf(out, " Of %zu events it lists the first %d.", viewing->event_count, MOST_EVENTS);
}

static void add_report(const Motion *motion, const RunSummary *summary, Text *out)
{
    text_addf(out, "t = 0 … %.10g, %zu step%s of order %zu", summary->reached, summary->steps,
              summary->steps == 1 ? "" : "s", summary->order);
    if (motion->model->constraints.count > motion->side_count)
        text_addf(out, "; conditions hold to %.1e", summary->largest_residual);
    text_add(out, "\n");
    run_add_energy(motion, summary, NULL, out);
    for (int i = 0; i < RUN_EVENT_COUNT; i++)
        if (summary->events[i].count)
            text_addf(out, "%zu %s, from t = %.10g to %.10g\n", summary->events[i].count,
                      summary->events[i].count == 1 ? run_event_name((RunEventKind)i)
                                                    : run_event_names((RunEventKind)i),
                      summary->events[i].first, summary->events[i].last);
}

static Status write_page(zw_model *model, Viewing *viewing, const RunSummary *summary)
{
    Text note = {0}, report = {0}, html = {0}, text = {0}, equations = {0};
    const zw_view_options *options = viewing->options;
    zw_result *checked = NULL;
    // What cannot be derived is missing from the page, and the messages say why. Whoever has ended
    // the run waits for nothing more.
    const zw_derive_options wanted = {
        .forms = options->forms, .steps = options->proofs, .as = ZW_LATEX};
    if (!viewing->ended && api_derive(model, &wanted, &equations) == STATUS_OK)
        show_latex_for_screen(equations.at);
    else
        text_clear(&equations);
    if (options->proofs && !viewing->ended)
        (void)zw_check(model, &(zw_check_options){.as = ZW_JSON}, &checked);
    add_notes(viewing, summary, &note);
    add_report(model->motion, summary, &report);
    text_add_str(&text, (Str){model->source->at, model->source->length});
    ShowPageWords words = {.name = model->model->name,
                           .title = model->model->title,
                           .model = text.at,
                           .equations = equations.at,
                           .check = checked ? zw_result_text(checked) : NULL,
                           .report = report.at,
                           .note = note.at,
                           .events = viewing->events.at,
                           .version = zw_version()};
    Status status = STATUS_OK;
    if (!show_page_write(viewing->page, &words, options->shared, &html))
        status = diag_error(model->diag, place_none(), "the page could not be put together");
    const Str whole = {html.at, html.length};
    if (status == STATUS_OK)
        status = show_files_write(&options->out, &whole, 1, model->diag);
    zw_result_free(checked);
    text_clear(&equations);
    text_clear(&note);
    text_clear(&report);
    text_clear(&html);
    text_clear(&text);
    return status;
}

static Status view(zw_model *model, const zw_view_options *options, Text *out)
{
    if (show_page_bundle().length == 0)
        return diag_error(
            model->diag, place_none(),
            "this program was built without its page; install Node.js 18 or later "
            "with npm (Debian, Ubuntu: apt-get install nodejs npm), then 'make clean' "
            "and 'make'");
    TRY(api_check_outputs(model, &options->out, 1));
    zw_run_options asked = {.to = options->to,
                            .every = options->every,
                            .tolerance = options->tolerance,
                            .method = options->method};
    RunOptions wanted;
    TRY(api_run_options(model, &asked, &wanted));
    wanted.repeats = false;
    Simulation *run;
    TRY(api_motion(model));
    api_stage(model, "preparing the run");
    TRY(run_new(model->motion, &wanted, model->diag, &run));
    RunOptions settings = run_settings(run);
    Viewing viewing = {.options = options, .to = settings.to};
    Status made = show_page_new(model->motion, run, model->diag, &viewing.page);
    if (made != STATUS_OK) {
        run_free(run);
        return made;
    }
    double rows = settings.to / settings.every;
    RunListener listener = {
        .row = take_row,
        .progress = take_progress,
        .event = take_event,
        .between = take_between,
        .between_count = api_frames_between(rows, show_page_smooth(viewing.page, settings.to)),
        .context = &viewing};
    RunSummary summary = {0};
    Status status = run_go(run, &listener, model->diag, &summary);
    if (status == STATUS_OK || status == STATUS_NEGATIVE) {
        api_stage(model, "writing the page");
        (void)take_progress(&viewing, viewing.to);
        Status written = write_page(model, &viewing, &summary);
        status = written == STATUS_OK ? status : written;
        if (written == STATUS_OK)
            text_addf(out, "%s: t = 0 … %.10g, %zu frames; open it in a browser\n", options->out,
                      summary.reached, show_page_frames(viewing.page));
    }
    show_page_free(viewing.page);
    text_clear(&viewing.events);
    run_free(run);
    return status;
}

static Status answer(zw_model *model, const void *given, zw_result *result)
{
    const zw_view_options *options = given;
    TRY(model->status);
    if (!options->out)
        return diag_error(model->diag, place_hint(HINT_OUT), "a page needs a file that it goes to");
    Text text = {0};
    api_note_intervals(model, "run");
    Status status = view(model, options, &text);
    if (text.length)
        result_put_text(result, &text, ZW_TEXT, 0);
    text_clear(&text);
    return status;
}

zw_status zw_view(zw_model *model, const zw_view_options *given, zw_result **result)
{
    zw_view_options options;
    return api_ask(model, given, &options, sizeof options, answer, false, result);
}
