// event_log.c: the events of a run, a record each in a file, and a summary of them for a person.
#include "dynamics/tangent_cone.h"
#include "show/event_records_impl.h"
#include "show/file_formats_impl.h"
#include "show/file_impl.h"
#include "show/hdf5_impl.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

// A summary of more lines is not read.
#define MOST_LINES 24

typedef struct {
    RunEventKind kind;
    char *constraint; // its name; NULL for none
    size_t count, doubtful;
    double first, last, impulse;
    double uncertainty; // of the times, at most
} Line;

// Positions at which the rank fell.
typedef struct {
    size_t count;
    double first, second, last; // times
    size_t before, at;          // ranks
    double found, most;         // branches
    bool differ;                // in these
} Singular;

struct ShowEvents {
    ShowFormat format;
    ShowFile file;  // without a stream where none is written
    ShowHdf5 *hdf5; // instead of it, in that format
    EventNames names;
    ARRAY(Line) lines;
    NameMap *line_of; // from the kind of an event and its name
    Text key;         // into that
    size_t total;
    const char *second; // behind a time: " s" or ""
    Singular singular;
    Status status;
};

Status show_events_open(const char *path, const ShowRun *run, Diag *diag, ShowEvents **out)
{
    ShowEvents *events = base_alloc(sizeof *events);
    *out = NULL;
    events->format = path ? show_format_of(path, SHOW_JSONL) : SHOW_JSONL;
    Status status = !path ? STATUS_OK
                    : events->format == SHOW_HDF5
                        ? show_hdf5_open(path, run, false, diag, &events->hdf5)
                        : show_file_open(&events->file, path, diag);
    if (status != STATUS_OK) {
        base_free(events);
        return status;
    }
    event_names_init(&events->names, run);
    events->line_of = name_map_new();
    events->second = run->units && *run->units[0] ? " s" : "";
    if (events->file.stream && events->format == SHOW_CSV) {
        Text head = {0};
        event_add_csv_head(&events->names, run, &head);
        fputs(head.at, events->file.stream);
        text_clear(&head);
    }
    *out = events;
    return STATUS_OK;
}

// ---- Records.

static void write_record(ShowEvents *events, const RunEvent *event, Diag *diag)
{
    assert(events->file.stream);
    Text line = {0};
    if (events->format == SHOW_CSV) {
        event_add_csv(&events->names, event, &line);
    } else {
        event_add_json(&events->names, event, &line);
        text_add(&line, "\n");
    }
    fputs(line.at, events->file.stream);
    text_clear(&line);
    if (ferror(events->file.stream))
        events->status = show_file_error(events->file.path, errno, diag);
}

// The line of an event; what is new gets one. Names are copied: the model that has them may be read
// anew before they are shown.
static Line *line_of(ShowEvents *events, const RunEvent *event)
{
    const char *name = event->constraint ? event->constraint->name : event->event;
    uint32_t at = (uint32_t)events->lines.count;
    events->key.length = 0;
    text_add_char(&events->key, (char)('0' + event->kind));
    text_add_char(&events->key, name ? ' ' : '-');
    text_add(&events->key, name ? name : "");
    Str key = {events->key.at, events->key.length};
    if (!name_map_get(events->line_of, key, &at)) {
        Text copy = {0};
        if (name)
            text_add(&copy, name);
        array_push(&events->lines,
                   ((Line){.kind = event->kind, .constraint = copy.at, .first = event->t}));
        name_map_put(events->line_of, key, at);
    }
    return &events->lines.at[at];
}

static void count(ShowEvents *events, const RunEvent *event)
{
    Line *line = line_of(events, event);
    line->count++;
    line->doubtful += event->doubtful;
    line->last = event->t;
    line->uncertainty = fmax(line->uncertainty, event->uncertainty);
    line->impulse += event->impulse;
    events->total++;
}

static void count_singular(Singular *all, double t, const TangentCone *cone)
{
    if (all->count++ == 0)
        *all =
            (Singular){1, t, t, t, cone->before, cone->at, (double)cone->found, cone->most, false};
    if (all->count == 2)
        all->second = t;
    all->last = t;
    all->differ = all->differ || all->before != cone->before || all->at != cone->at ||
                  all->most != cone->most;
}

Status show_events_add(ShowEvents *events, const RunEvent *event, Diag *diag)
{
    if (event->kind != RUN_OTHER_SPEEDS)
        count(events, event);
    if (event->cone)
        count_singular(&events->singular, event->t, event->cone);
    if (events->hdf5 && events->status == STATUS_OK)
        events->status = show_hdf5_event(events->hdf5, event, diag);
    if (events->file.stream && events->status == STATUS_OK)
        write_record(events, event, diag);
    return events->status;
}

// ---- The summary.

static void add_impulse(const Model *model, const Line *line, Text *out)
{
    Text column = {0};
    ColumnUnit unit;
    text_addf(&column, "impulse.%s", line->constraint ? line->constraint : "");
    bool known = model_column_unit(model, column.at, &unit);
    text_clear(&column);
    text_addf(out, ", impulse%s %.6g%s%s", line->count > 1 ? "s together" : "", line->impulse,
              known ? " " : "", known ? unit.si : "");
}

static void add_line(const Line *line, const Model *model, const char *second, int width, Text *out)
{
    const char *what = line->count == 1 ? run_event_name(line->kind) : run_event_names(line->kind);
    const char *name = line->constraint ? line->constraint : "";
    text_addf(out, "  %6zu %-9s %-*s  t = %.10g", line->count, what, width, name, line->first);
    if (line->count > 1)
        text_addf(out, " … %.10g", line->last);
    text_add(out, second);
    if (line->impulse > 0)
        add_impulse(model, line, out);
    // Where it is seen among the digits that are shown.
    if (line->uncertainty > 1e-10 * line->last)
        text_addf(out, " ± %.1g", line->uncertainty);
    if (line->doubtful > 0)
        text_addf(out, ", %zu doubtful", line->doubtful);
    text_add(out, "\n");
}

static void add_singular(const Singular *all, Text *out)
{
    text_addf(out, "singular: %zu position%s passed, t = %.10g", all->count,
              all->count == 1 ? "" : "s", all->first);
    if (all->count > 2)
        text_addf(out, ", %.10g", all->second);
    if (all->count > 1)
        text_addf(out, "%s %.10g", all->count > 3 ? " …" : ",", all->last);
    if (all->differ) {
        text_add(out, "; ranks and branches differ, the events tell them\n");
        return;
    }
    text_addf(out, "; rank %zu → %zu, ", all->before, all->at);
    double others = all->most - 1;
    if (isinf(others))
        text_add(out, "other branches were not counted");
    else if (all->found < all->most)
        text_addf(out, "up to 2^%zu branches", all->before - all->at);
    else if (others == 1)
        text_add(out, "1 other branch, number 2");
    else
        text_addf(out,
                  others > 1 ? "%g other branches, numbers 2 to %g"
                             : "no branch in another direction",
                  others, all->most);
    text_add(out, all->count > 1 ? " each\n" : "\n");
}

void show_events_summary(const ShowEvents *events, const Model *model, Text *out)
{
    int width = 0;
    size_t shown = events->lines.count < MOST_LINES ? events->lines.count : MOST_LINES;
    if (events->total == 0)
        return;
    for (size_t i = 0; i < shown; i++)
        if (events->lines.at[i].constraint)
            width = (int)fmax(width, (double)strlen(events->lines.at[i].constraint));
    text_addf(out, "%zu event%s:\n", events->total, events->total == 1 ? "" : "s");
    for (size_t i = 0; i < shown; i++)
        add_line(&events->lines.at[i], model, events->second, width, out);
    if (events->lines.count > shown)
        text_addf(out, "  … and those of %zu more conditions\n", events->lines.count - shown);
    if (events->singular.count > 0)
        add_singular(&events->singular, out);
}

Status show_events_close(ShowEvents *events, ShowEnd end, Diag *diag)
{
    Status status = events->status;
    if (events->hdf5) {
        bool kept = status == STATUS_OK || show_hdf5_can_be_cut(events->hdf5);
        Status closed = show_hdf5_close(events->hdf5, kept ? end : SHOW_DROPPED, diag);
        status = closed > status ? closed : status;
    }
    if (events->file.stream && status != STATUS_OK && end != SHOW_DROPPED) {
        show_file_close_cut(&events->file, "\n", str_of("\n"));
    } else if (events->file.stream) {
        Status closed = show_file_close(&events->file, end != SHOW_DROPPED, diag);
        status = closed > status ? closed : status;
    }
    event_names_clear(&events->names);
    for (size_t i = 0; i < events->lines.count; i++)
        base_free(events->lines.at[i].constraint);
    array_clear(&events->lines);
    name_map_free(events->line_of);
    text_clear(&events->key);
    base_free(events);
    return status;
}
