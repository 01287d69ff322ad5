// islands.c: things that are tied together, directly or through others: the connected components
// of a graph, by merging.
#include "linalg/islands.h"

#include <assert.h>
#include <string.h>

void islands_clear(Islands *islands)
{
    base_free(islands->of);
    *islands = (Islands){0};
}

void islands_part(Islands *islands, size_t count)
{
    if (!islands->of || count > islands->most) {
        size_t most = count + count / 2, each = most + 1;
        islands_clear(islands);
        uint32_t *whole = base_alloc((4 * each + 1) * sizeof *whole);
        *islands = (Islands){.most = most,
                             .of = whole,
                             .place = whole + each,
                             .members = whole + 2 * each,
                             .first = whole + 3 * each};
    }
    islands->count = count;
    for (uint32_t i = 0; i < count; i++)
        islands->of[i] = i;
}

// While ties are made, `of` leads towards the first member.
static uint32_t root_of(uint32_t *of, uint32_t at)
{
    while (of[at] != at)
        at = of[at] = of[of[at]];
    return at;
}

// The root of both.
static inline uint32_t tie(uint32_t *of, uint32_t root, uint32_t b)
{
    uint32_t other = root_of(of, b), least = root < other ? root : other;
    of[root > other ? root : other] = least;
    return least;
}

void islands_tie(Islands *islands, size_t a, size_t b)
{
    assert(a < islands->count && b < islands->count);
    tie(islands->of, root_of(islands->of, (uint32_t)a), (uint32_t)b);
}

void islands_tie_rows(Islands *islands, const SparseRows *rows, size_t first)
{
    assert(first + rows->count <= islands->count);
    uint32_t *of = islands->of;
    for (size_t i = 0; i < rows->count; i++) {
        uint32_t root = root_of(of, (uint32_t)(first + i));
        for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++)
            if (rows->value[at] != 0 && rows->column[at] != first + i)
                root = tie(of, root, rows->column[at]);
    }
}

void islands_number(Islands *islands)
{
    assert(islands->of && islands->count <= UINT32_MAX);
    uint32_t count = (uint32_t)islands->count, found = 0, *first = islands->first;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t root = root_of(islands->of, i);
        islands->place[i] = root == i ? found++ : islands->place[root];
    }
    memcpy(islands->of, islands->place, count * sizeof *islands->of);
    islands->islands = found;
    memset(first, 0, (found + 2) * sizeof *first);
    for (uint32_t i = 0; i < count; i++)
        first[islands->of[i] + 2]++;
    for (uint32_t k = 1; k <= found; k++)
        first[k + 1] += first[k];
    for (uint32_t i = 0; i < count; i++)
        islands->members[first[islands->of[i] + 1]++] = i;
    for (uint32_t at = 0; at < count; at++) {
        uint32_t i = islands->members[at];
        islands->place[i] = at - first[islands->of[i]];
    }
}
