// libraries.c: libraries that are loaded when one of their functions is first called. Part of the
// program alone, which it may end.
//
// Loading all of them takes longer than many commands do: `zwang --version` needs none. The
// functions themselves are in libraries_x86_64.S; where that cannot be, the program is linked with
// its libraries as usual, and this file is left out.
#include "base/guard.h"
#include "base/loading/small_integers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const files[] = {
#define FUNCTION(name, number)
#define LIBRARY(number, file) [number] = file,
#include "base/loading/lazy_functions.def"
#undef LIBRARY
#undef FUNCTION
};
static _Atomic(void *) opened[sizeof files / sizeof *files];

// Where there is no room for it, the call ends as where an allocation fails. Without the library
// there is nothing to go on with, as where a program does not start for want of it.
static _Noreturn void end_without(const char *file, const char *why)
{
    why = why ? why : "there is no memory";
    fprintf(stderr,
            "zwang: error: %s is needed and cannot be used: %s; install it again, or give more "
            "memory\n",
            file, why);
    if (base_guard_heap() && !strstr(why, "cannot open"))
        base_no_memory(0);
    base_guard_clean_up();
    exit(STATUS_FAILED);
}

// Their own functions first: they are looked for thousands of times. The address sanitizer needs
// its own before all others.
#if defined RTLD_DEEPBIND && !defined __SANITIZE_ADDRESS__
enum { OWN_FIRST = RTLD_DEEPBIND };
#else
enum { OWN_FIRST = 0 };
#endif

// Two threads may do the same at once, with the same result. Each library looks for functions in
// those that it is linked with, and not in all that were loaded before: that takes less long.
static void *open_library(size_t number)
{
    void *library = atomic_load(&opened[number]);
    if (library)
        return library;
    library = dlopen(files[number], RTLD_LAZY | RTLD_LOCAL | OWN_FIRST);
    if (!library)
        end_without(files[number], dlerror());
    atomic_store(&opened[number], library);
    void (*tell)(const char *file) = base_library_opened;
    if (tell)
        tell(files[number]);
    return library;
}

void *library_resolve(LibrarySlot *slot)
{
    void *function = dlsym(open_library(slot->library), slot->name);
    if (!function)
        end_without(files[slot->library], dlerror());
    atomic_store(&slot->function, function);
    return function;
}

void libraries_begin(void)
{
    base_libraries_wait = true;
#define SMALL(type, name, ...)                                                                     \
    if (&slot_##name)                                                                              \
        atomic_store_explicit(&slot_##name.function, (void *)small_##name, memory_order_relaxed);
#include "base/loading/small_integers.def"
#undef SMALL
}
