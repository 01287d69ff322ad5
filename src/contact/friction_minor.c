// friction_minor.c: how far the modes at hand are from Painlevé's paradox.
//
// For contacts that slide there is one motion whatever the forces are if and only if all principal
// minors of Φ̂ = Φ + μΨs are positive. Each is divided by that of Φ, so that it is 1 without
// friction, and rows that depend on others are left out of both. The minors come by elimination: a
// contact takes part, and is eliminated, or does not (Griffin, Tsatsomeros, Linear Algebra Appl.
// 419 (2006) 107).
#include "contact/friction_impl.h"

#include <assert.h>

// Two matrices of `size` rows that are eliminated alike: with friction and without.
typedef struct {
    size_t size;
    double *with, *without; // row after row
} Pair;

// Eliminates the first row of both; the ratio of the pivots, or 1 where the row is dependent and
// left out.
static double eliminate_first(const Pair *from, Pair *to)
{
    size_t n = from->size;
    double pivot = from->with[0], plain = from->without[0];
    bool dependent = !(plain > TOL_RANK);
    to->size = n - 1;
    for (size_t i = 1; i < n; i++)
        for (size_t k = 1; k < n; k++) {
            double a = from->with[i * n + k], b = from->without[i * n + k];
            if (!dependent && pivot != 0)
                a -= from->with[i * n] * from->with[k] / pivot;
            if (!dependent)
                b -= from->without[i * n] * from->without[k] / plain;
            to->with[(i - 1) * (n - 1) + k - 1] = a;
            to->without[(i - 1) * (n - 1) + k - 1] = b;
        }
    return dependent ? 1 : pivot / plain;
}

static void leave_first(const Pair *from, Pair *to)
{
    size_t n = from->size;
    to->size = n - 1;
    for (size_t i = 1; i < n; i++)
        for (size_t k = 1; k < n; k++) {
            to->with[(i - 1) * (n - 1) + k - 1] = from->with[i * n + k];
            to->without[(i - 1) * (n - 1) + k - 1] = from->without[i * n + k];
        }
}

// The least of all minors of what is left, times `ratio`. Of more than can be tried all together
// only those without a contact, and with one, are looked at beside the whole.
static double least_of(Arena *arena, const Pair *pair, double ratio, size_t left_out)
{
    if (pair->size == 0)
        return ratio;
    size_t n = pair->size - 1;
    Pair next = {.with = real_alloc(arena, n * n), .without = real_alloc(arena, n * n)};
    double share = eliminate_first(pair, &next), least = ratio * share;
    if (least > 0)
        least = fmin(least, least_of(arena, &next, ratio * share, left_out));
    if (left_out == 0)
        return least;
    leave_first(pair, &next);
    return fmin(least, least_of(arena, &next, ratio, left_out - 1));
}

double friction_minor(Friction *friction, const FrictionPiece *pieces)
{
    friction_system_equations(friction, pieces);
    size_t n = friction->unknowns, always = 0;
    Arena *arena = arena_new();
    size_t *order = arena_array(arena, size_t, n + 1);
    // Conditions first: rows that stick, and two-sided ones.
    for (size_t pass = 0, at = 0; pass < 2; pass++)
        for (size_t c = 0; c < n; c++) {
            const FrictionColumn *column = &friction->columns[c];
            bool slips = false;
            for (size_t l = 0; l < friction->count; l++)
                slips |= friction->parts[l].row == column->row &&
                         pieces[l].mode == FRICTION_SLIPS &&
                         friction->parts[l].law == FRICTION_ONE_SIDED;
            if (slips == (pass == 1))
                order[at++] = c;
            always += pass == 0 && !slips;
        }
    Pair pair = {.size = n, .with = real_alloc(arena, n * n), .without = real_alloc(arena, n * n)};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            size_t row = friction->columns[order[i]].at, other = friction->columns[order[k]].row;
            pair.with[i * n + k] = friction->equations[order[k] * n + order[i]];
            pair.without[i * n + k] = friction->matrix[other * friction->rows + row];
        }
    double ratio = 1;
    for (size_t i = 0; i < always; i++) {
        size_t rest = pair.size - 1;
        Pair next = {.with = real_alloc(arena, rest * rest),
                     .without = real_alloc(arena, rest * rest)};
        ratio *= eliminate_first(&pair, &next);
        pair = next;
    }
    bool few = pair.size <= LIMIT_SETS;
    double least = least_of(arena, &pair, ratio, few ? pair.size : 1);
    arena_free(arena);
    return least;
}
