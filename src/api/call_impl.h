// call_impl.h: the entry of every call. Never leaves the room.
#ifndef ZWANG_API_CALL_IMPL_H
#define ZWANG_API_CALL_IMPL_H

#include "base/guard.h"
#include "base/strings.h"

#include <locale.h>

// What a call does; STATUS_FAILED where memory ends in it.
typedef Status ApiBody(void *context);
// On an object with this heap: where memory ends all its blocks are freed, and it is spoiled; after
// that every call on it fails. A call inside another one on the same object is a part of that.
Status api_guarded(BaseHeap *heap, bool *spoiled, ApiBody *body, void *context);
// Of no object: all that is not apart is freed at the end.
Status api_alone(ApiBody *body, void *context);

// Room for an object that is no part of a heap; NULL where memory ends. For base_free.
void *api_new(size_t bytes);

// The same inside a call, in an arena of its own, which is apart and frees it.
void *api_new_in_arena(size_t bytes, Arena **arena);
// As str_nearest, in a call of its own; none is near where memory ends.
ptrdiff_t api_nearest(Str word, const Str *known, size_t count);

// What is given of the options, and 0 for the rest; an error where their size is none.
BASE_MUST_USE Status api_take_options(const void *given, void *options, size_t bytes, Diag *diag);

// The format of a report: text, JSON, or this one, which may be ZW_TEXT; an error where it is
// another.
BASE_MUST_USE Status api_check_format(unsigned as, unsigned also, Diag *diag);

// While a function of the caller runs it has its own locale, and may call the library.
typedef struct {
    BaseGuard *guard;
    locale_t locale;
} ApiPause;
ApiPause api_pause(void);
void api_resume(ApiPause pause);
// Asks a progress function, which may be NULL: then it goes on.
bool api_goes_on(bool (*progress)(void *context, double part), void *context, double part);

#endif
