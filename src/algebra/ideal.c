// ideal.c: Gröbner bases, and the components into which factoring splits a system.
//
// Where an element of a basis is a product, every zero of the system is one of a factor: the system
// is the union of what it is with each factor in its place. That goes on until nothing factors any
// more. Squares go away on the way.
#include "algebra/ideal_impl.h"

#include <string.h>

// What a question at one instant may grow to; beyond it there is no answer.
enum { MOST_ELEMENTS = 400, MOST_TERMS = 4000, MOST_BITS = 60000, MOST_COMPONENTS = 64 };

bool ideal_basis(fmpz_mpoly_vec_t basis, const fmpz_mpoly_vec_t system, const fmpz_mpoly_ctx_t ctx)
{
    fmpz_mpoly_vec_t raw;
    fmpz_mpoly_vec_init(raw, 0, ctx);
    bool found = fmpz_mpoly_buchberger_naive_with_limits(raw, system, MOST_ELEMENTS, MOST_TERMS,
                                                         MOST_BITS, ctx);
    if (found)
        fmpz_mpoly_vec_autoreduction_groebner(basis, raw, ctx);
    fmpz_mpoly_vec_clear(raw, ctx);
    return found;
}

bool ideal_is_whole_ring(const fmpz_mpoly_vec_t basis, const fmpz_mpoly_ctx_t ctx)
{
    for (slong i = 0; i < basis->length; i++)
        if (fmpz_mpoly_is_fmpz(basis->p + i, ctx) && !fmpz_mpoly_is_zero(basis->p + i, ctx))
            return true;
    return false;
}

// Which unknowns the leading monomial of an element holds, a bit each.
static unsigned held_by_leading(const fmpz_mpoly_struct *element, const fmpz_mpoly_ctx_t ctx)
{
    ulong exponents[IDEAL_MOST_UNKNOWNS] = {0};
    unsigned held = 0;
    fmpz_mpoly_get_term_exp_ui(exponents, element, 0, ctx);
    for (slong i = 0; i < fmpz_mpoly_ctx_nvars(ctx); i++)
        held |= exponents[i] > 0 ? 1u << i : 0;
    return held;
}

// The most unknowns among which no leading monomial lies.
static slong dimension_of(const fmpz_mpoly_vec_t basis, const fmpz_mpoly_ctx_t ctx)
{
    unsigned all = 1u << fmpz_mpoly_ctx_nvars(ctx);
    slong most = 0;
    for (unsigned set = 0; set < all; set++) {
        slong size = 0;
        bool free = true;
        for (unsigned rest = set; rest; rest &= rest - 1)
            size++;
        for (slong i = 0; i < basis->length && free; i++)
            free = (held_by_leading(basis->p + i, ctx) & ~set) != 0;
        if (free && size > most)
            most = size;
    }
    return most;
}

// ---- Splitting.

typedef struct {
    Components *components;
    const fmpz_mpoly_ctx_struct *ctx;
    fmpz_mpoly_vec_struct *waiting; // systems still to be looked at
    size_t count, capacity;
} Splitter;

static void wait_for(Splitter *splitter, const fmpz_mpoly_vec_t system,
                     const fmpz_mpoly_struct *more)
{
    splitter->waiting = base_grow(splitter->waiting, &splitter->capacity, splitter->count + 1,
                                  sizeof *splitter->waiting);
    fmpz_mpoly_vec_struct *next = &splitter->waiting[splitter->count++];
    fmpz_mpoly_vec_init(next, 0, splitter->ctx);
    fmpz_mpoly_vec_set(next, system, splitter->ctx);
    if (more)
        fmpz_mpoly_vec_append(next, more, splitter->ctx);
}

// Whether an element is a product, or a power; its factors then wait, each with the basis.
static bool splits(Splitter *splitter, const fmpz_mpoly_vec_t basis)
{
    bool split = false;
    for (slong i = 0; i < basis->length && !split; i++) {
        fmpz_mpoly_factor_t factors;
        fmpz_mpoly_factor_init(factors, splitter->ctx);
        if (!fmpz_mpoly_factor(factors, basis->p + i, splitter->ctx))
            splitter->components->whole = false;
        else if (factors->num > 1 || (factors->num == 1 && !fmpz_is_one(factors->exp)))
            split = true;
        for (slong j = 0; split && j < factors->num; j++)
            wait_for(splitter, basis, factors->poly + j);
        fmpz_mpoly_factor_clear(factors, splitter->ctx);
    }
    return split;
}

static bool same_basis(const fmpz_mpoly_vec_t a, const fmpz_mpoly_vec_t b,
                       const fmpz_mpoly_ctx_t ctx)
{
    bool same = a->length == b->length;
    for (slong i = 0; i < a->length && same; i++) {
        bool found = false;
        for (slong j = 0; j < b->length && !found; j++)
            found = fmpz_mpoly_equal(a->p + i, b->p + j, ctx);
        same = found;
    }
    return same;
}

static void keep(Splitter *splitter, const fmpz_mpoly_vec_t basis)
{
    Components *components = splitter->components;
    for (size_t i = 0; i < components->count; i++)
        if (same_basis(components->at[i].basis, basis, splitter->ctx))
            return;
    components->at = base_realloc(components->at, (components->count + 1) * sizeof *components->at);
    Component *component = &components->at[components->count++];
    fmpz_mpoly_vec_init(component->basis, 0, splitter->ctx);
    fmpz_mpoly_vec_set(component->basis, basis, splitter->ctx);
    component->dimension = dimension_of(basis, splitter->ctx);
}

void components_of(const fmpz_mpoly_vec_t system, const fmpz_mpoly_ctx_t ctx,
                   Components *components)
{
    Splitter splitter = {.components = components, .ctx = ctx};
    *components = (Components){.whole = true};
    wait_for(&splitter, system, NULL);
    while (splitter.count > 0) {
        fmpz_mpoly_vec_struct next = splitter.waiting[--splitter.count];
        fmpz_mpoly_vec_t basis;
        fmpz_mpoly_vec_init(basis, 0, ctx);
        if (components->count + splitter.count > MOST_COMPONENTS || !components->whole ||
            !ideal_basis(basis, &next, ctx))
            components->whole = false;
        else if (!ideal_is_whole_ring(basis, ctx) && !splits(&splitter, basis))
            keep(&splitter, basis);
        fmpz_mpoly_vec_clear(basis, ctx);
        fmpz_mpoly_vec_clear(&next, ctx);
    }
    base_free(splitter.waiting);
}

void components_clear(Components *components, const fmpz_mpoly_ctx_t ctx)
{
    for (size_t i = 0; i < components->count; i++)
        fmpz_mpoly_vec_clear(components->at[i].basis, ctx);
    base_free(components->at);
    *components = (Components){0};
}

// ---- Matrices of polynomials.

fmpz_mpoly_struct *ideal_matrix(size_t count, const fmpz_mpoly_ctx_t ctx)
{
    fmpz_mpoly_struct *matrix = base_alloc((count + 1) * sizeof *matrix);
    for (size_t i = 0; i < count; i++)
        fmpz_mpoly_init(matrix + i, ctx);
    return matrix;
}

void ideal_matrix_free(fmpz_mpoly_struct *matrix, size_t count, const fmpz_mpoly_ctx_t ctx)
{
    for (size_t i = 0; i < count; i++)
        fmpz_mpoly_clear(matrix + i, ctx);
    base_free(matrix);
}

// The determinant of the chosen rows and columns, by expansion along the first row: sizes are
// small.
static void minor(fmpz_mpoly_struct *value, const fmpz_mpoly_struct *matrix, size_t columns,
                  const size_t *rows_of, const size_t *columns_of, size_t size,
                  const fmpz_mpoly_ctx_t ctx)
{
    if (size == 0) {
        fmpz_mpoly_one(value, ctx);
        return;
    }
    fmpz_mpoly_t below, term;
    size_t rest[IDEAL_MOST_UNKNOWNS + 1];
    fmpz_mpoly_init(below, ctx);
    fmpz_mpoly_init(term, ctx);
    fmpz_mpoly_zero(value, ctx);
    for (size_t j = 0; j < size; j++) {
        const fmpz_mpoly_struct *entry = matrix + rows_of[0] * columns + columns_of[j];
        if (fmpz_mpoly_is_zero(entry, ctx))
            continue;
        memcpy(rest, columns_of, j * sizeof *rest);
        memcpy(rest + j, columns_of + j + 1, (size - 1 - j) * sizeof *rest);
        minor(below, matrix, columns, rows_of + 1, rest, size - 1, ctx);
        fmpz_mpoly_mul(term, entry, below, ctx);
        if (j % 2 == 0)
            fmpz_mpoly_add(value, value, term, ctx);
        else
            fmpz_mpoly_sub(value, value, term, ctx);
    }
    fmpz_mpoly_clear(below, ctx);
    fmpz_mpoly_clear(term, ctx);
}

// The next choice of `size` numbers below `bound`, ascending; false after the last.
static bool next_choice(size_t *chosen, size_t size, size_t bound)
{
    for (size_t i = size; i-- > 0;)
        if (chosen[i] < bound - (size - i)) {
            chosen[i]++;
            for (size_t j = i + 1; j < size; j++)
                chosen[j] = chosen[j - 1] + 1;
            return true;
        }
    return false;
}

static void first_choice(size_t *chosen, size_t size)
{
    for (size_t i = 0; i < size; i++)
        chosen[i] = i;
}

void ideal_add_minors(fmpz_mpoly_vec_t system, const fmpz_mpoly_struct *matrix, size_t rows,
                      size_t columns, size_t size, const fmpz_mpoly_ctx_t ctx)
{
    size_t rows_of[IDEAL_MOST_UNKNOWNS + 1], columns_of[IDEAL_MOST_UNKNOWNS + 1];
    if (size > rows || size > columns)
        return;
    fmpz_mpoly_t value;
    fmpz_mpoly_init(value, ctx);
    first_choice(rows_of, size);
    do {
        first_choice(columns_of, size);
        do {
            minor(value, matrix, columns, rows_of, columns_of, size, ctx);
            if (!fmpz_mpoly_is_zero(value, ctx))
                fmpz_mpoly_vec_append(system, value, ctx);
        } while (next_choice(columns_of, size, columns));
    } while (next_choice(rows_of, size, rows));
    fmpz_mpoly_clear(value, ctx);
}
