// Arenas, growable arrays and the allocators: zeroed, aligned, kept apart, kept whole.
#include "base/base.h"
#include "base/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static bool is_filled(const unsigned char *bytes, size_t count, unsigned char with)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != with)
            return false;
    return true;
}

static void allocations_are_zeroed(void **state)
{
    (void)state;
    for (size_t bytes = 0; bytes < 300; bytes += 7) {
        unsigned char *block = base_alloc(bytes);
        assert_non_null(block);
        assert_true(is_filled(block, bytes, 0));
        block = base_realloc(block, bytes + 1);
        block[bytes] = 1;
        base_free(block);
    }
    base_free(NULL);
}

// Every piece is zeroed and aligned when it comes, and still holds its own mark at the end.
static void arena_pieces_are_apart(void **state)
{
    (void)state;
    enum { PIECES = 3000 };
    Arena *arena = arena_new();
    Random random = random_seed(1);
    unsigned char *pieces[PIECES];
    size_t sizes[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        // Mostly small, some larger than any block.
        sizes[i] = (size_t)random_below(&random, i % 1000 == 999 ? 3 << 20 : 200);
        pieces[i] = arena_alloc(arena, sizes[i]);
        assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
        assert_true(is_filled(pieces[i], sizes[i], 0));
        memset(pieces[i], (int)(i % 255) + 1, sizes[i]);
    }
    for (size_t i = 0; i < PIECES; i++)
        assert_true(is_filled(pieces[i], sizes[i], (unsigned char)(i % 255 + 1)));
    arena_free(arena);
    arena_free(NULL);
}

static void arena_copies_text(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    const char *copy = arena_copy_text(arena, "blade on ice", 5);
    assert_string_equal(copy, "blade");
    assert_string_equal(arena_copy_text(arena, NULL, 0), "");
    arena_free(arena);
}

static void arrays_grow_and_keep(void **state)
{
    (void)state;
    ARRAY(uint64_t) numbers = {0};
    for (uint64_t i = 0; i < 100000; i++) {
        array_push(&numbers, i * i);
        assert_true(numbers.count <= numbers.capacity);
    }
    assert_int_equal(numbers.count, 100000);
    for (uint64_t i = 0; i < numbers.count; i++)
        assert_true(numbers.at[i] == i * i);
    size_t capacity = numbers.capacity;
    array_reserve(&numbers, 10);
    assert_int_equal(numbers.capacity, capacity);
    array_reserve(&numbers, 300000);
    assert_true(numbers.capacity >= 300000);
    assert_true(numbers.at[99999] == 99999ull * 99999ull);
    array_clear(&numbers);
    assert_null(numbers.at);
    assert_int_equal(numbers.count + numbers.capacity, 0);
}

// Growth is geometric: a push seldom moves the array.
static void arrays_move_seldom(void **state)
{
    (void)state;
    ARRAY(char) bytes = {0};
    size_t moves = 0, capacity = 0;
    for (size_t i = 0; i < 1000000; i++) {
        array_push(&bytes, 'x');
        moves += bytes.capacity != capacity;
        capacity = bytes.capacity;
    }
    assert_true(moves < 60);
    array_clear(&bytes);
}

typedef struct {
    BaseCleanup cleanup;
    int *runs;
} Closed;

static void close_it(void *object)
{
    ++*((Closed *)object)->runs;
}

// Memory ends deep inside: what is open is closed, and all blocks of the heap are freed, but for
// those that are apart.
static void guards_return_without_memory(void **state)
{
    (void)state;
    BaseHeap heap;
    BaseGuard guard;
    int runs = 0;
    char *volatile apart = NULL;
    base_heap_init(&heap);
    for (volatile int round = 0; round < 3; round++) {
        if (base_guard(&guard, &heap)) {
            Closed *closed = base_alloc(sizeof *closed);
            closed->runs = &runs;
            base_cleanup_add(&closed->cleanup, close_it, closed);
            apart = base_alloc_apart(10);
            apart = base_realloc(apart, 1000);
            Arena *arena = arena_new();
            ARRAY(int) numbers = {0};
            for (int i = 0; i < 1000; i++)
                array_push(&numbers, i);
            size_t capacity = 0;
            if (round == 0)
                arena_alloc(arena, SIZE_MAX - 5);
            else if (round == 1)
                base_grow(NULL, &capacity, SIZE_MAX / 2, 8);
            else
                base_realloc(numbers.at, SIZE_MAX - 3);
            fail();
        }
        assert_true(guard.bytes > SIZE_MAX / 4);
        assert_null(base_guard_heap());
        assert_int_equal(runs, round + 1);
        assert_true(heap.blocks.next != &heap.blocks);
        base_heap_clear(&heap);
        assert_true(heap.blocks.next == &heap.blocks);
        apart[999] = 1;
        base_free(apart);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_zeroed), cmocka_unit_test(arena_pieces_are_apart),
        cmocka_unit_test(arena_copies_text),      cmocka_unit_test(arrays_grow_and_keep),
        cmocka_unit_test(arrays_move_seldom),     cmocka_unit_test(guards_return_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
