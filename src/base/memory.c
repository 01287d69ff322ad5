// memory.c: allocation that never returns NULL, arenas and growable arrays.
#include "base/base.h"
#include "base/guard.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// ---- Lists.

static void link_begin(BaseLink *list)
{
    list->next = list->prev = list;
}

static void link_add(BaseLink *list, BaseLink *link)
{
    link->next = list->next;
    link->prev = list;
    list->next->prev = link;
    list->next = link;
}

static void link_remove(BaseLink *link)
{
    if (!link->next)
        return;
    link->prev->next = link->next;
    link->next->prev = link->prev;
    link->next = link->prev = NULL;
}

// ---- Guards.

bool base_libraries_wait;
void (*_Atomic base_library_opened)(const char *file);

// The innermost one in force on this thread, as long as a call of the library is under way.
static _Thread_local BaseGuard *in_force;

void base_guard_begin(BaseGuard *guard, BaseHeap *heap)
{
    guard->heap = heap;
    guard->outer = in_force;
    guard->bytes = 0;
    in_force = guard;
}

void base_guard_end(BaseGuard *guard)
{
    assert(in_force == guard);
    in_force = guard->outer;
}

const BaseHeap *base_guard_heap(void)
{
    return in_force ? in_force->heap : NULL;
}

BaseGuard *base_guard_pause(void)
{
    BaseGuard *guard = in_force;
    in_force = NULL;
    return guard;
}

void base_guard_resume(BaseGuard *guard)
{
    in_force = guard;
}

static void clean_up(BaseHeap *heap)
{
    while (heap->cleanups.next != &heap->cleanups) {
        BaseCleanup *cleanup = (BaseCleanup *)heap->cleanups.next;
        base_cleanup_remove(cleanup);
        cleanup->run(cleanup->object);
    }
}

void base_guard_clean_up(void)
{
    for (BaseGuard *guard = in_force; guard; guard = guard->outer)
        clean_up(guard->heap);
}

void base_no_memory(size_t bytes)
{
    BaseGuard *guard = in_force;
    if (!guard)
        abort();
    // What is to be closed may stand on the stack that is left.
    clean_up(guard->heap);
    guard->bytes = bytes;
    in_force = guard->outer;
    longjmp(guard->back, 1);
}

void base_cleanup_add(BaseCleanup *cleanup, void (*run)(void *object), void *object)
{
    *cleanup = (BaseCleanup){.run = run, .object = object};
    if (in_force)
        link_add(&in_force->heap->cleanups, &cleanup->link);
}

void base_cleanup_remove(BaseCleanup *cleanup)
{
    link_remove(&cleanup->link);
}

// ---- Blocks: a link to the others of their heap stands before each.

typedef union {
    BaseLink link;
    max_align_t aligned;
} Block;

static Block *block_of(void *place)
{
    return (Block *)place - 1;
}

static void *allocate(size_t bytes, bool apart)
{
    Block *block = bytes < SIZE_MAX - sizeof *block ? calloc(1, sizeof *block + bytes) : NULL;
    if (!block)
        base_no_memory(bytes);
    if (in_force && !apart)
        link_add(&in_force->heap->blocks, &block->link);
    return block + 1;
}

void *base_alloc(size_t bytes)
{
    return allocate(bytes, false);
}

void *base_alloc_apart(size_t bytes)
{
    return allocate(bytes, true);
}

void *base_realloc(void *old, size_t bytes)
{
    if (!old)
        return base_alloc(bytes);
    Block *block = block_of(old);
    bool linked = block->link.next != NULL;
    BaseLink *before = block->link.prev;
    link_remove(&block->link);
    Block *moved = bytes < SIZE_MAX - sizeof *block ? realloc(block, sizeof *block + bytes) : NULL;
    if (linked)
        link_add(before, moved ? &moved->link : &block->link);
    if (!moved)
        base_no_memory(bytes);
    return moved + 1;
}

void base_free(void *place)
{
    if (!place)
        return;
    link_remove(&block_of(place)->link);
    free(block_of(place));
}

void base_heap_init(BaseHeap *heap)
{
    link_begin(&heap->blocks);
    link_begin(&heap->cleanups);
}

void base_heap_clear(BaseHeap *heap)
{
    clean_up(heap);
    while (heap->blocks.next != &heap->blocks)
        base_free((Block *)heap->blocks.next + 1);
}

static void link_join(BaseLink *list, BaseLink *other)
{
    while (other->next != other) {
        BaseLink *link = other->next;
        link_remove(link);
        link_add(list, link);
    }
}

void base_heap_join(BaseHeap *heap, BaseHeap *other)
{
    link_join(&heap->blocks, &other->blocks);
    link_join(&heap->cleanups, &other->cleanups);
}

void *base_grow(void *old, size_t *capacity, size_t wanted, size_t item_bytes)
{
    if (wanted <= *capacity)
        return old;
    size_t grown = *capacity < 8 ? 8 : *capacity + *capacity / 2;
    if (grown < wanted)
        grown = wanted;
    if (grown > SIZE_MAX / item_bytes)
        base_no_memory(SIZE_MAX);
    void *moved = base_realloc(old, grown * item_bytes);
    *capacity = grown;
    return moved;
}

// ---- Arenas: a list of blocks, the newest first.

typedef struct ArenaBlock {
    struct ArenaBlock *next;
    size_t used, size;
    max_align_t data[];
} ArenaBlock;

struct Arena {
    ArenaBlock *newest;
    bool apart;
};

enum { ARENA_FIRST_BLOCK = 4096, ARENA_LARGEST_BLOCK = 1 << 20 };

Arena *arena_new(void)
{
    return base_alloc(sizeof(Arena));
}

Arena *arena_new_apart(void)
{
    Arena *arena = base_alloc_apart(sizeof *arena);
    arena->apart = true;
    return arena;
}

void arena_free(Arena *arena)
{
    if (!arena)
        return;
    for (ArenaBlock *block = arena->newest, *next; block; block = next) {
        next = block->next;
        base_free(block);
    }
    base_free(arena);
}

void *arena_alloc(Arena *arena, size_t bytes)
{
    const size_t align = _Alignof(max_align_t);
    if (bytes > SIZE_MAX / 2)
        base_no_memory(bytes);
    bytes = (bytes + align - 1) / align * align;
    ArenaBlock *block = arena->newest;
    if (!block || block->size - block->used < bytes) {
        size_t size = block ? block->size * 2 : ARENA_FIRST_BLOCK;
        if (size > ARENA_LARGEST_BLOCK)
            size = ARENA_LARGEST_BLOCK;
        if (size < bytes)
            size = bytes;
        block = allocate(sizeof(ArenaBlock) + size, arena->apart);
        block->size = size;
        block->next = arena->newest;
        arena->newest = block;
    }
    void *place = (char *)block->data + block->used;
    block->used += bytes;
    return place;
}

char *arena_copy_text(Arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}
