// hdf5_events.c: the events of a run in HDF5: a group with one dataset for each thing that is
// known of an event, a row an event. docs/commands.md describes the layout.
#include "dynamics/tangent_cone.h"
#include "show/event_records_impl.h"
#include "show/hdf5_parts_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// In bytes: what a list of chunks may grow by, a block of texts, and what stands before a text.
enum { CHUNK_EVENTS = 64, LIST_BLOCK = 1024, TEXT_BLOCK = 8192, TEXT_HEAD = 32 };

// What is written of an event: NAME, its dataset, how many of it there are, and of which C type.
typedef enum {
    EVENT_T,
    EVENT_KIND,
    EVENT_CONSTRAINT,
    EVENT_BEFORE,
    EVENT_AFTER,
    EVENT_IMPULSE,
    EVENT_ENERGY_LOST,
    EVENT_DOUBTFUL,
    EVENT_WHAT,
    EVENT_RANK,
    EVENT_CONE,
    EVENT_BRANCHES,
    EVENT_LABEL,
    EVENT_FROM,
    EVENT_TO,
    EVENT_SLIP,
    EVENT_FRICTION,
    EVENT_NORMAL,
    EVENT_MODE,
    EVENT_STATE,
    EVENT_PARTS
} EventPart;

typedef enum { PART_NUMBER, PART_NUMBERS, PART_TEXT, PART_TRUTH } PartKind;

static const struct {
    const char *name;
    PartKind kind;
} parts[EVENT_PARTS] = {
    [EVENT_T] = {"t", PART_NUMBER},
    [EVENT_KIND] = {"kind", PART_TEXT},
    [EVENT_CONSTRAINT] = {"constraint", PART_TEXT},
    [EVENT_BEFORE] = {"before", PART_NUMBERS},
    [EVENT_AFTER] = {"after", PART_NUMBERS},
    [EVENT_IMPULSE] = {"impulse", PART_NUMBER},
    [EVENT_ENERGY_LOST] = {"energy_lost", PART_NUMBER},
    [EVENT_DOUBTFUL] = {"doubtful", PART_TRUTH},
    [EVENT_WHAT] = {"what", PART_TEXT},
    [EVENT_RANK] = {"rank", PART_TEXT},
    [EVENT_CONE] = {"cone", PART_NUMBER},
    [EVENT_BRANCHES] = {"branches", PART_TEXT},
    [EVENT_LABEL] = {"event", PART_TEXT},
    [EVENT_FROM] = {"from", PART_TEXT},
    [EVENT_TO] = {"to", PART_TEXT},
    [EVENT_SLIP] = {"slip", PART_NUMBERS},
    [EVENT_FRICTION] = {"friction", PART_NUMBERS},
    [EVENT_NORMAL] = {"normal", PART_NUMBER},
    [EVENT_MODE] = {"mode", PART_TEXT},
    [EVENT_STATE] = {"state", PART_NUMBERS},
};

struct Hdf5Events {
    hid_t group, text;
    hid_t datasets[EVENT_PARTS];
    size_t made; // datasets
    size_t velocities, columns;
    EventNames names;        // of these
    size_t written, pending; // events
    // What is gathered, of each part in an array of its own.
    double *numbers[EVENT_PARTS];
    char **texts[EVENT_PARTS];
    uint8_t truths[CHUNK_EVENTS];
};

static hid_t type_of(const Hdf5Events *events, PartKind kind)
{
    return kind == PART_TEXT    ? events->text
           : kind == PART_TRUTH ? H5T_NATIVE_UINT8
                                : H5T_NATIVE_DOUBLE;
}

// How many numbers of a part an event has.
static size_t width_of(const Hdf5Events *events, EventPart part)
{
    if (part == EVENT_SLIP || part == EVENT_FRICTION)
        return 3;
    return parts[part].kind != PART_NUMBERS ? 1
           : part == EVENT_STATE            ? events->columns
                                            : events->velocities;
}

// What is of friction where there is none.
static bool is_left_out(const Hdf5Events *events, EventPart part)
{
    return part >= EVENT_SLIP && part <= EVENT_MODE && !events->names.rubs;
}

static hid_t new_dataset(const Hdf5Events *events, EventPart part)
{
    size_t width = width_of(events, part);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    int rank = parts[part].kind == PART_NUMBERS ? 2 : 1;
    H5Pset_chunk(creation, rank, (hsize_t[]){CHUNK_EVENTS, width});
    H5Pset_obj_track_times(creation, false);
    hid_t space = H5Screate_simple(rank, (hsize_t[]){0, width}, (hsize_t[]){H5S_UNLIMITED, width});
    // Chunks are written once: those that HDF5 keeps have no place in the file yet.
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, 1, 0, 0);
    hid_t dataset = H5Dcreate2(events->group, parts[part].name, type_of(events, parts[part].kind),
                               space, H5P_DEFAULT, creation, access);
    H5Sclose(space);
    H5Pclose(creation);
    H5Pclose(access);
    return dataset;
}

static hid_t new_group(hid_t file, const char *name)
{
    hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    H5Pset_obj_track_times(creation, false);
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    return group;
}

bool hdf5_events_new(hid_t file, const char *name, const ShowRun *run, Hdf5Events **out)
{
    Hdf5Events *events = *out = base_alloc(sizeof *events);
    events->group = H5I_INVALID_HID;
    events->velocities = run->coordinates;
    events->columns = run->count;
    events->text = hdf5_text_type();
    event_names_init(&events->names, run);
    events->group = new_group(file, name);
    if (events->group < 0 ||
        !hdf5_put_texts(events->group, "velocities", run->columns + 1 + run->coordinates,
                        run->coordinates) ||
        !hdf5_put_texts(events->group, "columns", run->columns, run->count))
        return false;
    for (; events->made < EVENT_PARTS; events->made++) {
        EventPart part = (EventPart)events->made;
        if (is_left_out(events, part))
            continue;
        events->datasets[part] = new_dataset(events, part);
        if (events->datasets[part] < 0)
            return false;
        size_t width = width_of(events, part);
        if (parts[part].kind == PART_TEXT)
            events->texts[part] = base_alloc(CHUNK_EVENTS * sizeof **events->texts);
        else if (parts[part].kind != PART_TRUTH)
            events->numbers[part] = base_alloc(CHUNK_EVENTS * width * sizeof **events->numbers);
    }
    return true;
}

// ---- Writing.

static bool write_part(const Hdf5Events *events, EventPart part)
{
    size_t width = width_of(events, part);
    hsize_t start[] = {events->written, 0}, count[] = {events->pending, width};
    hsize_t size[] = {events->written + events->pending, width};
    const void *values = parts[part].kind == PART_TEXT    ? (const void *)events->texts[part]
                         : parts[part].kind == PART_TRUTH ? (const void *)events->truths
                                                          : events->numbers[part];
    hid_t dataset = events->datasets[part];
    if (H5Dset_extent(dataset, size) < 0)
        return false;
    hid_t there = H5Dget_space(dataset);
    hid_t here = H5Screate_simple(parts[part].kind == PART_NUMBERS ? 2 : 1, count, NULL);
    bool good =
        H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
        H5Dwrite(dataset, type_of(events, parts[part].kind), here, there, H5P_DEFAULT, values) >= 0;
    H5Sclose(here);
    H5Sclose(there);
    return good;
}

static bool write_pending(Hdf5Events *events, bool keep)
{
    bool good = true;
    for (size_t i = 0; i < EVENT_PARTS && keep && good && events->pending > 0; i++)
        good = is_left_out(events, (EventPart)i) || write_part(events, (EventPart)i);
    size_t count = events->pending;
    while (events->pending > 0)
        hdf5_events_drop_last(events);
    events->written += count;
    return good;
}

void hdf5_events_drop_last(Hdf5Events *events)
{
    assert(events->pending > 0);
    events->pending--;
    for (size_t i = 0; i < EVENT_PARTS; i++)
        if (events->texts[i])
            base_free(events->texts[i][events->pending]);
}

size_t hdf5_events_count(const Hdf5Events *events)
{
    return events->written + events->pending;
}

// A chunk of each dataset with its list, and the texts in blocks of their own.
size_t hdf5_events_room(const Hdf5Events *events)
{
    size_t room = events->pending > 0 ? TEXT_BLOCK : 0;
    for (size_t i = 0; i < events->made && events->pending > 0; i++) {
        room += LIST_BLOCK + CHUNK_EVENTS * width_of(events, (EventPart)i) * sizeof(hvl_t);
        for (size_t j = 0; events->texts[i] && j < events->pending; j++)
            room += TEXT_HEAD + strlen(events->texts[i][j]);
    }
    return room;
}

static char *copy_of(const char *text)
{
    char *copy = base_alloc(strlen(text ? text : "") + 1);
    return strcpy(copy, text ? text : "");
}

// Of singular positions.
static void add_cone(Hdf5Events *events, const TangentCone *cone, size_t at)
{
    Text rank = {0}, branches = {0};
    if (cone) {
        text_addf(&rank, "%zu %zu", cone->before, cone->at);
        event_add_branches(&events->names, cone, &branches);
    }
    events->texts[EVENT_RANK][at] = copy_of(rank.at);
    events->numbers[EVENT_CONE][at] = cone ? (double)cone->dimension : 0;
    events->texts[EVENT_BRANCHES][at] = copy_of(branches.at);
    text_clear(&rank);
    text_clear(&branches);
}

// Of other speeds.
static char *speeds_of(const char *const *names, size_t count)
{
    Text text = {0};
    event_add_speeds(names, names ? count : 0, &text);
    char *copy = copy_of(text.at);
    text_clear(&text);
    return copy;
}

static void add_friction(Hdf5Events *events, const RunFriction *friction, size_t at)
{
    Text modes = {0};
    event_add_modes(friction, &modes);
    memcpy(events->numbers[EVENT_SLIP] + 3 * at, friction->slip, sizeof friction->slip);
    memcpy(events->numbers[EVENT_FRICTION] + 3 * at, friction->force, sizeof friction->force);
    events->numbers[EVENT_NORMAL][at] = friction->normal;
    events->texts[EVENT_MODE][at] = copy_of(modes.at);
    text_clear(&modes);
}

void hdf5_events_add(Hdf5Events *events, const RunEvent *event)
{
    assert(events->pending < CHUNK_EVENTS);
    size_t at = events->pending, n = events->velocities;
    events->numbers[EVENT_T][at] = event->t;
    events->texts[EVENT_KIND][at] = copy_of(run_event_name(event->kind));
    events->texts[EVENT_CONSTRAINT][at] = copy_of(event->constraint ? event->constraint->name : "");
    memcpy(events->numbers[EVENT_BEFORE] + at * n, event->before, n * sizeof *event->before);
    memcpy(events->numbers[EVENT_AFTER] + at * n, event->after, n * sizeof *event->after);
    events->numbers[EVENT_IMPULSE][at] = event->impulse;
    events->numbers[EVENT_ENERGY_LOST][at] = event->energy_lost;
    events->truths[at] = event->doubtful;
    events->texts[EVENT_WHAT][at] = copy_of(event->what);
    add_cone(events, event->cone, at);
    events->texts[EVENT_LABEL][at] = copy_of(event->event);
    events->texts[EVENT_FROM][at] = speeds_of(event->from, event->speed_count);
    events->texts[EVENT_TO][at] = speeds_of(event->to, event->speed_count);
    if (events->names.rubs)
        add_friction(events, &event->friction, at);
    double *state = events->numbers[EVENT_STATE] + at * events->columns;
    for (size_t i = 0; i < events->columns; i++)
        state[i] = event->state ? event->state[i] : NAN;
    events->pending++; // at last: where memory ends before, it is none
}

bool hdf5_events_write_chunk(Hdf5Events *events)
{
    return events->pending < CHUNK_EVENTS || write_pending(events, true);
}

bool hdf5_events_close(Hdf5Events *events, bool keep)
{
    bool good = write_pending(events, keep);
    for (size_t i = 0; i < events->made; i++)
        good = (is_left_out(events, (EventPart)i) || H5Dclose(events->datasets[i]) >= 0) && good;
    good = (events->group < 0 || H5Gclose(events->group) >= 0) && good;
    H5Tclose(events->text);
    for (size_t i = 0; i < EVENT_PARTS; i++) {
        base_free(events->numbers[i]);
        base_free(events->texts[i]);
    }
    event_names_clear(&events->names);
    base_free(events);
    return good;
}
