// event_records.c: what is written of one event, in JSON and in CSV.
#include "base/decimal.h"
#include "show/event_records_impl.h"

#include "dynamics/tangent_cone.h"
#include "show/file_formats_impl.h"
#include "show/json_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST_BRANCHES = 12 }; // that are listed

// Of the derivative of the first coordinate: what it is taken by, and the bracket behind it, "m)";
// NULL: another column.
static const char *event_diff_of(const ShowRun *run, size_t column)
{
    const char *at = run->columns[column];
    size_t length = strlen("diff("), name = strlen(run->columns[1]);
    bool is_one = strncmp(at, "diff(", length) == 0 &&
                  strncmp(at + length, run->columns[1], name) == 0 && at[length + name] == ',';
    return is_one ? at + length + name + 1 : NULL;
}

void event_names_init(EventNames *names, const ShowRun *run)
{
    assert(run->count >= 1 + 2 * run->coordinates);
    names->count = run->coordinates;
    names->rubs = false;
    names->diffs = 0;
    names->keys = base_alloc((run->count + 1) * sizeof *names->keys);
    names->width = run->count; // after it: where memory ends, what there is is cleared
    for (size_t i = 0; i < names->width; i++) {
        Text key = {0};
        show_json_string(run->columns[i], &key);
        names->keys[i] = key.at;
        names->diffs += event_diff_of(run, i) != NULL;
        names->rubs = names->rubs || strncmp(run->columns[i], "mode.", strlen("mode.")) == 0;
    }
}

void event_names_clear(EventNames *names)
{
    for (size_t i = 0; i < names->width; i++)
        base_free(names->keys[i]);
    base_free(names->keys);
    *names = (EventNames){0};
}

// Whether there is an impulse of a reaction, and an energy that was lost, to speak of.
static bool strikes(const RunEvent *event)
{
    return event->kind == RUN_IMPACT;
}

static bool is_shock(const RunEvent *event)
{
    return event->kind == RUN_IMPACT || event->kind == RUN_IMPULSE ||
           event->kind == RUN_PERCUSSION || event->kind == RUN_EVENT;
}

// ---- JSON.

// The values of columns.
static void add_object(char *const *names, size_t count, const double *values, Text *out)
{
    text_add(out, "{");
    for (size_t i = 0; i < count; i++) {
        text_addf(out, "%s%s:", i ? "," : "", names[i]);
        show_json_number(values[i], out);
    }
    text_add(out, "}");
}

static void add_values(const char *key, char *const *names, size_t count, const double *values,
                       Text *out)
{
    text_addf(out, ",\"%s\":", key);
    add_object(names, count, values, out);
}

// The first ones of many.
void event_add_branches(const EventNames *names, const TangentCone *cone, Text *out)
{
    text_add(out, "[");
    for (size_t i = 0; i < cone->found && i < MOST_BRANCHES; i++) {
        text_add(out, i ? "," : "");
        add_object(names->keys + 1 + names->count, names->count, cone->branches + i * names->count,
                   out);
    }
    text_add(out, "]");
}

static void add_names(const char *key, const char *const *names, size_t count, Text *out)
{
    text_addf(out, ",\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        text_add(out, i ? "," : "");
        show_json_string(names[i], out);
    }
    text_add(out, "]");
}

void event_add_speeds(const char *const *names, size_t count, Text *out)
{
    for (size_t i = 0; i < count; i++)
        text_addf(out, "%s%s", i ? " " : "", names[i]);
}

void event_add_modes(const RunFriction *friction, Text *out)
{
    if (friction->parts > 0)
        text_addf(out, "%s %s", friction->mode_before, friction->mode_after);
}

static void add_vector(const char *key, const double *parts, size_t count, Text *out)
{
    text_addf(out, ",\"%s\":", key);
    for (size_t i = 0; i < count; i++) {
        text_add(out, count == 1 ? "" : i ? "," : "[");
        show_json_number(parts[i], out);
    }
    text_add(out, count == 1 ? "" : "]");
}

static void add_cone(const EventNames *names, const TangentCone *cone, Text *out)
{
    text_addf(out, ",\"rank\":[%zu,%zu],\"cone\":%zu,\"branches\":", cone->before, cone->at,
              cone->dimension);
    event_add_branches(names, cone, out);
    text_add(out, ",\"branch_count\":");
    show_json_number(cone->most > (double)cone->found ? NAN : cone->most, out);
}

void event_add_json(const EventNames *names, const RunEvent *event, Text *out)
{
    assert(names->keys && event->before && event->after);
    text_add(out, "{\"t\":");
    show_json_number(event->t, out);
    text_addf(out, ",\"kind\":\"%s\",\"constraint\":", run_event_name(event->kind));
    show_json_string_or_null(event->constraint ? event->constraint->name : NULL, out);
    char *const *velocities = names->keys + 1 + names->count;
    add_values("before", velocities, names->count, event->before, out);
    add_values("after", velocities, names->count, event->after, out);
    if (strikes(event)) {
        text_add(out, ",\"impulse\":");
        show_json_number(event->impulse, out);
    }
    if (event->impulses)
        add_values("impulse", names->keys + 1, names->count, event->impulses, out);
    if (is_shock(event)) {
        text_add(out, ",\"energy_lost\":");
        show_json_number(event->energy_lost, out);
    }
    if (event->event) {
        text_add(out, ",\"event\":");
        show_json_string(event->event, out);
    }
    if (event->kind == RUN_EVENT)
        add_names("set", event->sets, event->set_count, out);
    if (event->what) {
        text_add(out, event->kind == RUN_STOP ? ",\"text\":" : ",\"what\":");
        show_json_string(event->what, out);
    }
    if (event->kind == RUN_REST) {
        text_add(out, ",\"uncertainty\":");
        show_json_number(event->uncertainty, out);
    }
    if (event->cone)
        add_cone(names, event->cone, out);
    if (event->from) {
        add_names("from", event->from, event->speed_count, out);
        add_names("to", event->to, event->speed_count, out);
    }
    if (event->friction.parts > 0) {
        add_vector("slip", event->friction.slip, event->friction.parts, out);
        add_vector("friction", event->friction.force, event->friction.parts, out);
        text_add(out, ",\"normal\":");
        show_json_number(event->friction.normal, out);
        text_addf(out, ",\"mode\":[\"%s\",\"%s\"]", event->friction.mode_before,
                  event->friction.mode_after);
    }
    if (event->doubtful)
        text_add(out, ",\"doubtful\":true");
    for (size_t i = 0; i < event->diff_count; i++) {
        text_addf(out, ",\"diff(t,%s)\":", event->diff_names[i]);
        show_json_number(event->diffs[i], out);
    }
    if (event->state)
        add_values("state", names->keys, names->width, event->state, out);
    text_add(out, "}");
}

// ---- CSV.

static void add_csv_number(double value, Text *out)
{
    text_add_char(out, ',');
    text_add_decimal(out, value == 0 ? 0 : value);
}

static void add_csv_names(const char *when, const char *const *names, size_t count, Text *out)
{
    for (size_t i = 0; i < count; i++) {
        Text name = {0};
        text_addf(&name, "%s.%s", when, names[i]);
        text_add_char(out, ',');
        show_csv_text(name.at, out);
        text_clear(&name);
    }
}

static void add_csv_speeds(const char *const *names, size_t count, Text *out)
{
    Text text = {0};
    event_add_speeds(names, names ? count : 0, &text);
    text_add_char(out, ',');
    show_csv_text(text.at ? text.at : "", out);
    text_clear(&text);
}

// 0 where there is none; of a law against a scalar its one number comes first.
static void add_csv_friction(const RunFriction *friction, Text *out)
{
    for (size_t i = 0; i < 3; i++)
        add_csv_number(friction->slip[i], out);
    for (size_t i = 0; i < 3; i++)
        add_csv_number(friction->force[i], out);
    add_csv_number(friction->normal, out);
    text_add_char(out, ',');
    event_add_modes(friction, out);
}

// diff(t,m) for each derivative of the first coordinate, diff(x,m).
static void add_csv_diffs(const ShowRun *run, Text *out)
{
    for (size_t i = 0; i < run->count; i++) {
        const char *by = event_diff_of(run, i);
        Text name = {0};
        text_addf(&name, "diff(t,%s", by ? by : "");
        if (by) {
            text_add_char(out, ',');
            show_csv_text(name.at, out);
        }
        text_clear(&name);
    }
}

void event_add_csv_head(const EventNames *names, const ShowRun *run, Text *out)
{
    text_add(out, "t,kind,constraint");
    const char *const *velocities = run->columns + 1 + run->coordinates;
    add_csv_names("before", velocities, run->coordinates, out);
    add_csv_names("after", velocities, run->coordinates, out);
    text_add(out, ",impulse,energy_lost,what,doubtful,rank,cone,branches,event,from,to");
    if (names->rubs)
        text_add(out, ",slip.x,slip.y,slip.z,friction.x,friction.y,friction.z,normal,mode");
    add_csv_diffs(run, out);
    add_csv_names("state", run->columns, run->count, out);
    text_add(out, "\n");
}

void event_add_csv(const EventNames *names, const RunEvent *event, Text *out)
{
    assert(event->before && event->after);
    text_add_decimal(out, event->t);
    text_addf(out, ",%s,", run_event_name(event->kind));
    show_csv_text(event->constraint ? event->constraint->name : "", out);
    for (size_t i = 0; i < names->count; i++)
        add_csv_number(event->before[i], out);
    for (size_t i = 0; i < names->count; i++)
        add_csv_number(event->after[i], out);
    add_csv_number(event->impulse, out);
    add_csv_number(event->energy_lost, out);
    text_add_char(out, ',');
    show_csv_text(event->what ? event->what : "", out);
    text_addf(out, ",%d,", event->doubtful);
    if (event->cone) {
        Text branches = {0};
        event_add_branches(names, event->cone, &branches);
        text_addf(out, "%zu %zu,%zu,", event->cone->before, event->cone->at,
                  event->cone->dimension);
        show_csv_text(branches.at, out);
        text_clear(&branches);
    } else {
        text_add(out, ",,");
    }
    text_add_char(out, ',');
    show_csv_text(event->event ? event->event : "", out);
    add_csv_speeds(event->from, event->speed_count, out);
    add_csv_speeds(event->to, event->speed_count, out);
    if (names->rubs)
        add_csv_friction(&event->friction, out);
    for (size_t i = 0; i < names->diffs && event->diffs; i++)
        add_csv_number(event->diffs[i], out);
    for (size_t i = 0; i < names->diffs && !event->diffs; i++)
        text_add_char(out, ',');
    for (size_t i = 0; i < names->width; i++)
        add_csv_number(event->state ? event->state[i] : NAN, out);
    text_add(out, "\n");
}
