// call.c: the entry of every call: guarded against the end of memory, in the locale "C", with
// options as they are given.
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "expr/flint_memory.h"

#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WRITTEN(number)            #number
#define WRITE(major, minor, patch) WRITTEN(major) "." WRITTEN(minor) "." WRITTEN(patch)

const char *zw_version(void)
{
    return WRITE(ZW_VERSION_MAJOR, ZW_VERSION_MINOR, ZW_VERSION_PATCH);
}

zw_status api_status(Status status)
{
    return (zw_status)status;
}

// ---- The locale of this thread.

static locale_t plain;
// That of the caller, while a call is under way.
static _Thread_local locale_t of_caller;

static void make_plain(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t enter_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_plain);
    return plain ? uselocale(plain) : (locale_t)0;
}

static void leave_locale(locale_t former)
{
    if (former)
        uselocale(former);
}

// ---- Calls.

Status api_guarded(BaseHeap *heap, bool *spoiled, ApiBody *body, void *context)
{
    if (spoiled && *spoiled)
        return STATUS_FAILED;
    // Part of another call on the same object.
    if (base_guard_heap() == heap)
        return body(context);
    BaseGuard guard;
    flint_memory_guard();
    locale_t former = enter_locale(), outer = of_caller;
    of_caller = former;
    Status status;
    if (base_guard(&guard, heap)) {
        status = body(context);
        base_guard_end(&guard);
    } else {
        base_heap_clear(heap);
        if (spoiled)
            *spoiled = true;
        status = STATUS_FAILED;
    }
    leave_locale(former);
    of_caller = outer;
    return status;
}

Status api_alone(ApiBody *body, void *context)
{
    BaseHeap heap;
    base_heap_init(&heap);
    Status status = api_guarded(&heap, NULL, body, context);
    base_heap_clear(&heap);
    return status;
}

typedef struct {
    size_t bytes;
    void *block;
} Room;

static Status make_room(void *context)
{
    Room *room = context;
    room->block = base_alloc_apart(room->bytes);
    return STATUS_OK;
}

void *api_new(size_t bytes)
{
    Room *room = &(Room){bytes, NULL};
    (void)api_alone(make_room, room);
    return room->block;
}

static void free_arena(void *arena)
{
    arena_free(arena);
}

void *api_new_in_arena(size_t bytes, Arena **arena)
{
    BaseCleanup cleanup;
    *arena = arena_new_apart();
    base_cleanup_add(&cleanup, free_arena, *arena);
    void *block = arena_alloc(*arena, bytes);
    base_cleanup_remove(&cleanup);
    return block;
}

ApiPause api_pause(void)
{
    return (ApiPause){base_guard_pause(), of_caller ? uselocale(of_caller) : (locale_t)0};
}

void api_resume(ApiPause pause)
{
    leave_locale(pause.locale);
    base_guard_resume(pause.guard);
}

bool api_goes_on(bool (*progress)(void *context, double part), void *context, double part)
{
    if (!progress)
        return true;
    ApiPause pause = api_pause();
    bool goes_on = progress(context, part);
    api_resume(pause);
    return goes_on;
}

void api_stage(const zw_model *model, const char *format, ...)
{
    if (!model->stage)
        return;
    char what[100];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    ApiPause pause = api_pause();
    model->stage(model->stage_context, what);
    api_resume(pause);
}

typedef struct {
    Str word;
    const Str *known;
    size_t count;
    ptrdiff_t at;
} Nearest;

static Status find_nearest(void *context)
{
    Nearest *call = context;
    call->at = str_nearest(call->word, call->known, call->count);
    return STATUS_OK;
}

ptrdiff_t api_nearest(Str word, const Str *known, size_t count)
{
    Nearest *call = &(Nearest){word, known, count, -1};
    return api_alone(find_nearest, call) == STATUS_OK ? call->at : -1;
}

// ---- Options.

// No options struct of any version is larger.
enum { MOST_BYTES = 4096 };

Status api_take_options(const void *given, void *options, size_t bytes, Diag *diag)
{
    memset(options, 0, bytes);
    if (!given)
        return STATUS_OK;
    size_t told;
    memcpy(&told, given, sizeof told);
    size_t size = told ? told : bytes;
    if (size < sizeof told || size > MOST_BYTES)
        return diag_error(diag, place_none(),
                          "the size of these options is %zu; it is 0 or the sizeof of their struct",
                          told);
    const unsigned char *at = given;
    for (size_t i = bytes; i < size; i++)
        if (at[i] != 0)
            return diag_error(diag, place_none(),
                              "these options set something that version %s of the library does "
                              "not know; use a later one",
                              zw_version());
    memcpy(options, given, size < bytes ? size : bytes);
    return STATUS_OK;
}

Status api_check_texts(const char *what, const char *const *texts, size_t count, Diag *diag)
{
    for (size_t i = 0; i < count; i++)
        if (!texts || !texts[i])
            return diag_error(diag, place_none(), "%s %zu is NULL", what, i + 1);
    return STATUS_OK;
}

Status api_check_format(unsigned as, unsigned also, Diag *diag)
{
    static const char *const names[] = {
        [ZW_TEXT] = "text", [ZW_JSON] = "JSON", [ZW_LATEX] = "LaTeX", [ZW_CSV] = "CSV"};
    bool known = as <= ZW_CSV;
    if (as == ZW_TEXT || as == ZW_JSON || as == also)
        return STATUS_OK;
    return diag_error(diag, place_none(), "this cannot be told as %s; there are text%s%s",
                      known ? names[as] : "a format that there is not",
                      also == ZW_TEXT ? " and JSON" : ", JSON and ",
                      also == ZW_TEXT ? "" : names[also]);
}
