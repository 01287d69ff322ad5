// events.c: the events of a run, a JSON record each, and an account of them for a person.
#include "show/show_impl.h"

#include <errno.h>
#include <math.h>
#include <string.h>

// An account of more lines is no page.
#define MOST_LINES 24

typedef struct {
    RunEventKind kind;
    const char *constraint; // NULL for none
    size_t count, doubtful;
    double first, last, impulse;
} Line;

struct ShowEvents {
    ShowFile file; // without a stream where none is written
    char **velocities;
    size_t velocity_count;
    ARRAY(Line) lines;
    double energy_lost, last_shock; // and the time of the last that was counted
    size_t total;
    Status status;
};

Status show_events_open(const char *path, const ShowRun *run, Diag *diag, ShowEvents **out)
{
    ShowEvents *events = base_alloc(sizeof *events);
    *out = NULL;
    events->last_shock = -1;
    Status status = path ? show_file_open(&events->file, path, diag) : STATUS_OK;
    if (status != STATUS_OK) {
        base_free(events);
        return status;
    }
    events->velocity_count = run->coordinates;
    events->velocities = base_alloc((run->coordinates + 1) * sizeof *events->velocities);
    for (size_t i = 0; i < run->coordinates; i++) {
        Text key = {0};
        show_json_string(run->columns[1 + run->coordinates + i], &key);
        events->velocities[i] = key.at;
    }
    *out = events;
    return STATUS_OK;
}

// ---- Records.

static void add_number(double value, Text *out)
{
    if (isfinite(value))
        text_addf(out, "%.17g", value == 0 ? 0 : value);
    else
        text_add(out, "null");
}

static void add_velocities(const ShowEvents *events, const char *key, const double *v, Text *out)
{
    text_addf(out, ",\"%s\":{", key);
    for (size_t i = 0; i < events->velocity_count; i++) {
        text_addf(out, "%s%s:", i ? "," : "", events->velocities[i]);
        add_number(v[i], out);
    }
    text_add(out, "}");
}

static void write_record(ShowEvents *events, const RunEvent *event, Diag *diag)
{
    Text line = {0};
    text_add(&line, "{\"t\":");
    add_number(event->t, &line);
    text_addf(&line, ",\"kind\":\"%s\",\"constraint\":", run_event_name(event->kind));
    if (event->constraint)
        show_json_string(event->constraint->name, &line);
    else
        text_add(&line, "null");
    add_velocities(events, "before", event->before, &line);
    add_velocities(events, "after", event->after, &line);
    if (event->kind == RUN_IMPACT) {
        text_add(&line, ",\"impulse\":");
        add_number(event->impulse, &line);
    }
    if (event->kind == RUN_IMPACT || event->kind == RUN_IMPULSE) {
        text_add(&line, ",\"energy_lost\":");
        add_number(event->energy_lost, &line);
    }
    if (event->what) {
        text_add(&line, ",\"what\":");
        show_json_string(event->what, &line);
    }
    if (event->doubtful)
        text_add(&line, ",\"doubtful\":true");
    text_add(&line, "}\n");
    fputs(line.at, events->file.stream);
    text_clear(&line);
    if (ferror(events->file.stream))
        events->status = show_file_error(events->file.path, errno, diag);
}

static void count(ShowEvents *events, const RunEvent *event)
{
    const char *name = event->constraint ? event->constraint->name : NULL;
    size_t at = 0;
    while (at < events->lines.count &&
           !(events->lines.at[at].kind == event->kind && events->lines.at[at].constraint == name))
        at++;
    if (at == events->lines.count)
        array_push(&events->lines,
                   ((Line){.kind = event->kind, .constraint = name, .first = event->t}));
    Line *line = &events->lines.at[at];
    line->count++;
    line->doubtful += event->doubtful;
    line->last = event->t;
    line->impulse += event->impulse;
    events->total++;
}

Status show_events_add(ShowEvents *events, const RunEvent *event, Diag *diag)
{
    count(events, event);
    // The records of one time share what was lost in it.
    if (event->t != events->last_shock && event->energy_lost != 0) {
        events->energy_lost += event->energy_lost;
        events->last_shock = event->t;
    }
    if (events->file.stream && events->status == STATUS_OK)
        write_record(events, event, diag);
    return events->status;
}

// ---- The account.

static void add_line(const Line *line, int width, Text *out)
{
    const char *what = line->count == 1 ? run_event_name(line->kind) : run_event_names(line->kind);
    const char *name = line->constraint ? line->constraint : "";
    text_addf(out, "  %6zu %-9s %-*s  t = %.10g", line->count, what, width, name, line->first);
    if (line->count > 1)
        text_addf(out, " … %.10g", line->last);
    if (line->impulse > 0)
        text_addf(out, ", impulse%s %.6g", line->count > 1 ? "s together" : "", line->impulse);
    if (line->doubtful > 0)
        text_addf(out, ", %zu doubtful", line->doubtful);
    text_add(out, "\n");
}

void show_events_account(const ShowEvents *events, Text *out)
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
        add_line(&events->lines.at[i], width, out);
    if (events->lines.count > shown)
        text_addf(out, "  … and those of %zu more conditions\n", events->lines.count - shown);
    if (events->last_shock >= 0)
        text_addf(out, "  energy lost in shocks: %.10g\n", events->energy_lost);
}

Status show_events_close(ShowEvents *events, ShowEnd end, Diag *diag)
{
    Status status = events->status;
    if (events->file.stream) {
        bool keep = end != SHOW_DROPPED && status == STATUS_OK;
        Status closed = show_file_close(&events->file, keep, diag);
        status = closed > status ? closed : status;
    }
    for (size_t i = 0; i < events->velocity_count; i++)
        base_free(events->velocities[i]);
    base_free(events->velocities);
    array_clear(&events->lines);
    base_free(events);
    return status;
}
