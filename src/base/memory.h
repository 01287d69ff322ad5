// memory.h: status and memory, which every header of every room may need.
//
// Nothing here prints or exits: where memory ends, the call of the library that wanted it ends
// (guard.h).
#ifndef ZWANG_BASE_MEMORY_H
#define ZWANG_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BASE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define BASE_MUST_USE            __attribute__((warn_unused_result))
#define BASE_NO_RETURN           __attribute__((noreturn))
#else
#define BASE_PRINTF(text, first)
#define BASE_MUST_USE
#define BASE_NO_RETURN
#endif

// ---- Status: how a stage ended. Details are in a Diag.
typedef enum {
    STATUS_OK = 0,
    STATUS_NEGATIVE = 1, // the question has a negative answer; what was reached stands
    STATUS_WRONG = 2,    // the user's mistake; the Diag says which
    STATUS_FAILED = 3    // the machine failed: memory, disk
} Status;

// Returns early from the calling function unless the call succeeded.
#define TRY(call)                                                                                  \
    do {                                                                                           \
        Status try_status_ = (call);                                                               \
        if (try_status_ != STATUS_OK)                                                              \
            return try_status_;                                                                    \
    } while (0)

// ---- Answer: what mathematics can say of a question.
typedef enum { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN } Answer;

// ---- Memory. The allocators below never return NULL.
void *base_alloc(size_t bytes); // zeroed
void *base_realloc(void *old, size_t bytes);
void base_free(void *block);

// An arena: allocations that are freed together.
typedef struct Arena Arena;
Arena *arena_new(void);
Arena *arena_new_apart(void); // of blocks as base_alloc_apart has them (guard.h)
void arena_free(Arena *arena);
void *arena_alloc(Arena *arena, size_t bytes); // zeroed, aligned for any type
#define arena_array(arena, T, count) ((T *)arena_alloc((arena), (count) * sizeof(T)))
char *arena_copy_text(Arena *arena, const char *text, size_t length); // NUL-terminated

// A growable array of T: `ARRAY(int) a = {0}; array_push(&a, 3); array_clear(&a);`
#define ARRAY(T)                                                                                   \
    struct {                                                                                       \
        T *at;                                                                                     \
        size_t count, capacity;                                                                    \
    }
#define array_reserve(a, wanted)                                                                   \
    ((a)->at = base_grow((a)->at, &(a)->capacity, (wanted), sizeof *(a)->at))
#define array_push(a, value) (array_reserve((a), (a)->count + 1), (a)->at[(a)->count++] = (value))
#define array_clear(a)       (base_free((a)->at), (a)->at = NULL, (a)->count = (a)->capacity = 0)
void *base_grow(void *old, size_t *capacity, size_t wanted, size_t item_bytes);

// ---- For those who only hand them on.
typedef struct Diag Diag; // diag.h
typedef struct Text Text; // strings.h

#endif
