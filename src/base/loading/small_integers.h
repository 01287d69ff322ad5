// small_integers.h: functions of FLINT for operands of one word, and the slots in which they stand.
#ifndef ZWANG_BASE_SMALL_INTEGERS_H
#define ZWANG_BASE_SMALL_INTEGERS_H

#include <stdatomic.h>
#include <stddef.h>

// ---- libraries.c
// A function of a library: where it is, at first what loads it; its name, and the library's number.
typedef struct {
    _Atomic(void *) function;
    const char *name;
    size_t library;
} LibrarySlot;
// Loads the library, puts the function into the slot and returns it.
void *library_resolve(LibrarySlot *slot);
// Before anything else is done.
void libraries_begin(void);

// ---- small_integers.c: an fmpz, an ulong, an fmpq.
typedef long Integer;
typedef unsigned long Natural;
typedef struct {
    Integer num, den;
} Fraction;
// small_NAME, the type of FLINT's NAME, and its slot, which is not there where nobody calls NAME.
#define SMALL(type, name, ...)                                                                     \
    type small_##name(__VA_ARGS__);                                                                \
    typedef type Large_##name(__VA_ARGS__);                                                        \
    extern LibrarySlot slot_##name __attribute__((weak, visibility("hidden")));
#include "base/loading/small_integers.def"
#undef SMALL
// FLINT's own function.
#ifndef LARGE
#define LARGE(name) ((Large_##name *)library_resolve(&slot_##name))
#endif

#endif
