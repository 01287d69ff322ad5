// memory.c: allocation that never returns NULL, arenas and growable arrays.
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static void abort_without_memory(size_t bytes)
{
    (void)bytes;
    abort();
}

// The one hook of the library. It is set once, before work begins.
static BaseNoMemoryHook no_memory_hook = abort_without_memory;

void base_on_no_memory(BaseNoMemoryHook hook)
{
    no_memory_hook = hook ? hook : abort_without_memory;
}

BASE_NO_RETURN static void no_memory(size_t bytes)
{
    no_memory_hook(bytes);
    abort();
}

void *base_alloc(size_t bytes)
{
    void *block = calloc(1, bytes ? bytes : 1);
    if (!block)
        no_memory(bytes);
    return block;
}

void *base_realloc(void *old, size_t bytes)
{
    void *block = realloc(old, bytes ? bytes : 1);
    if (!block)
        no_memory(bytes);
    return block;
}

void base_free(void *block)
{
    free(block);
}

void *base_grow(void *old, size_t *capacity, size_t wanted, size_t item_bytes)
{
    if (wanted <= *capacity)
        return old;
    size_t grown = *capacity < 8 ? 8 : *capacity + *capacity / 2;
    if (grown < wanted)
        grown = wanted;
    if (grown > SIZE_MAX / item_bytes)
        no_memory(SIZE_MAX);
    *capacity = grown;
    return base_realloc(old, grown * item_bytes);
}

// ---- Arenas: a list of blocks, the newest first.

typedef struct ArenaBlock {
    struct ArenaBlock *next;
    size_t used, size;
    max_align_t data[];
} ArenaBlock;

struct Arena {
    ArenaBlock *newest;
};

enum { ARENA_FIRST_BLOCK = 4096, ARENA_LARGEST_BLOCK = 1 << 20 };

Arena *arena_new(void)
{
    return base_alloc(sizeof(Arena));
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
        no_memory(bytes);
    bytes = (bytes + align - 1) / align * align;
    ArenaBlock *block = arena->newest;
    if (!block || block->size - block->used < bytes) {
        size_t size = block ? block->size * 2 : ARENA_FIRST_BLOCK;
        if (size > ARENA_LARGEST_BLOCK)
            size = ARENA_LARGEST_BLOCK;
        if (size < bytes)
            size = bytes;
        block = base_alloc(sizeof(ArenaBlock) + size);
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
