// guard.h: what happens when memory ends. A call of the library is guarded: where an allocation in
// it fails, however deep, what has to be closed is closed, and control returns to its entry by
// longjmp. All blocks of the object that it worked on are then freed together.
#ifndef ZWANG_BASE_GUARD_H
#define ZWANG_BASE_GUARD_H

#include "base/memory.h"

#include <setjmp.h>
#include <stdbool.h>

typedef struct BaseLink {
    struct BaseLink *next, *prev; // NULL: in no list
} BaseLink;

// The blocks that guarded calls have allocated for one object, and what is to be done before they
// are freed.
typedef struct {
    BaseLink blocks, cleanups;
} BaseHeap;
void base_heap_init(BaseHeap *heap);
// Does what is to be done and frees all blocks.
void base_heap_clear(BaseHeap *heap);
// What the second one has belongs to the first from now on.
void base_heap_join(BaseHeap *heap, BaseHeap *other);

// A file, a process or a library that must not stay open. It lives in its owner, and is removed by
// whoever closes that.
typedef struct {
    BaseLink link;
    void (*run)(void *object);
    void *object;
} BaseCleanup;
void base_cleanup_add(BaseCleanup *cleanup, void (*run)(void *object), void *object);
void base_cleanup_remove(BaseCleanup *cleanup);

// `if (base_guard(&guard, &heap)) {…; base_guard_end(&guard);} else {memory has ended}`
typedef struct BaseGuard {
    jmp_buf back;
    BaseHeap *heap;
    struct BaseGuard *outer; // of a call that this one is part of
    size_t bytes;            // that were wanted
} BaseGuard;
#define base_guard(guard, heap) (base_guard_begin((guard), (heap)), setjmp((guard)->back) == 0)
void base_guard_begin(BaseGuard *guard, BaseHeap *heap);
void base_guard_end(BaseGuard *guard);
const BaseHeap *base_guard_heap(void); // of the innermost guard in force; NULL for none
// None is in force while a function of the caller runs; what is returned is for the resumption.
BaseGuard *base_guard_pause(void);
void base_guard_resume(BaseGuard *guard);

// For a program that ends in the midst of a call: what is to be closed is closed.
void base_guard_clean_up(void);
// So many bytes cannot be had: returns to the guard in force. Without one it aborts.
BASE_NO_RETURN void base_no_memory(size_t bytes);
// In a program that loads libraries at their first call (base/loading) `base_libraries_wait` is set
// at its start, and the other, once it is set, is told the file of each library that was opened.
extern bool base_libraries_wait;
extern void (*_Atomic base_library_opened)(const char *file);
// A block that belongs to no heap, for what is handed out; zeroed.
void *base_alloc_apart(size_t bytes);

#endif
