// kept_rows.c: the rows of a run in memory, column after column, and its events.
#include "api/call_impl.h"
#include "api/result_impl.h"

#include <string.h>

struct KeptRows {
    Arena *arena; // of what events point to
    double *at;   // columns × room: a column stands together
    size_t columns, count, room;
    ARRAY(zw_event) events;
};

KeptRows *kept_rows_new(size_t columns)
{
    Arena *arena;
    KeptRows *rows = api_new_in_arena(sizeof *rows, &arena);
    rows->arena = arena;
    rows->columns = columns;
    return rows;
}

void kept_rows_free(KeptRows *rows)
{
    if (!rows)
        return;
    base_free(rows->at);
    array_clear(&rows->events);
    arena_free(rows->arena);
}

// Columns move apart where there are more rows than they have room for.
static void make_room(KeptRows *rows)
{
    size_t room = rows->room ? 2 * rows->room : 64, bytes = room * rows->columns * sizeof(double);
    rows->at = rows->at ? base_realloc(rows->at, bytes) : base_alloc_apart(bytes);
    for (size_t i = rows->columns; i-- > 1;)
        memmove(rows->at + i * room, rows->at + i * rows->room, rows->count * sizeof *rows->at);
    rows->room = room;
}

void kept_rows_add(KeptRows *rows, const double *row)
{
    if (rows->count == rows->room)
        make_room(rows);
    for (size_t i = 0; i < rows->columns; i++)
        rows->at[i * rows->room + rows->count] = row[i];
    rows->count++;
}

static const double *copy_numbers(KeptRows *rows, const double *from, size_t count)
{
    double *copy = arena_array(rows->arena, double, count + 1);
    if (from && count)
        memcpy(copy, from, count * sizeof *copy);
    return from ? copy : NULL;
}

static const char *copy_text(KeptRows *rows, const char *text)
{
    return text ? arena_copy_text(rows->arena, text, strlen(text)) : NULL;
}

void kept_rows_add_event(KeptRows *rows, const zw_event *event)
{
    zw_event copy = *event;
    copy.kind = copy_text(rows, event->kind);
    copy.constraint = copy_text(rows, event->constraint);
    copy.what = copy_text(rows, event->what);
    copy.event = copy_text(rows, event->event);
    copy.before = copy_numbers(rows, event->before, event->count);
    copy.after = copy_numbers(rows, event->after, event->count);
    if (!rows->events.at) {
        enum { FIRST = 8 };
        rows->events.at = base_alloc_apart(FIRST * sizeof copy);
        rows->events.capacity = FIRST;
    }
    array_push(&rows->events, copy);
}

size_t kept_rows_count(const KeptRows *rows)
{
    return rows->count;
}

size_t kept_rows_events(const KeptRows *rows)
{
    return rows->events.count;
}

const double *kept_rows_column(const KeptRows *rows, size_t column)
{
    return rows->at ? rows->at + column * rows->room : NULL;
}

const zw_event *kept_rows_event(const KeptRows *rows, size_t index)
{
    return index < rows->events.count ? &rows->events.at[index] : NULL;
}
