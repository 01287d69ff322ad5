// flint_memory.c: hooks of FLINT and GMP that are malloc, but for a failure.
#include "expr/flint_memory.h"
#include "base/guard.h"

#include <flint/flint.h>
#include <gmp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t bytes)
{
    void *block = malloc(bytes);
    if (!block)
        base_no_memory(bytes);
    return block;
}

static void *allocate_zeroed(size_t count, size_t bytes)
{
    void *block = calloc(count, bytes);
    if (!block)
        base_no_memory(bytes);
    return block;
}

static void *reallocate(void *old, size_t bytes)
{
    void *block = realloc(old, bytes);
    if (!block)
        base_no_memory(bytes);
    return block;
}

static void *reallocate_sized(void *old, size_t former, size_t bytes)
{
    (void)former;
    return reallocate(old, bytes);
}

static void free_sized(void *block, size_t bytes)
{
    (void)bytes;
    free(block);
}

// A program that has its own allocator in GMP goes on with it.
static void guard_gmp(void)
{
    void *(*given)(size_t), *(*usual)(size_t);
    void *(*given_re)(void *, size_t, size_t);
    void (*given_free)(void *, size_t);
    mp_get_memory_functions(&given, &given_re, &given_free);
    mp_set_memory_functions(NULL, NULL, NULL);
    mp_get_memory_functions(&usual, NULL, NULL);
    if (given == usual)
        mp_set_memory_functions(allocate, reallocate_sized, free_sized);
    else
        mp_set_memory_functions(given, given_re, given_free);
}

static void guard_both(void)
{
    guard_gmp();
    __flint_set_memory_functions(allocate, allocate_zeroed, reallocate, free);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

// GMP comes with each of the others, and is opened by the call that guards it.
static void guard_opened(const char *file)
{
    if (begins(file, "libgmp."))
        guard_gmp();
    else if (begins(file, "libflint") || begins(file, "libarb") || begins(file, "libcalcium"))
        guard_both();
}

void flint_memory_guard(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (base_libraries_wait)
        base_library_opened = guard_opened;
    else
        pthread_once(&once, guard_both);
}
