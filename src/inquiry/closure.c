// closure.c: the smallest integrable distribution that holds a given one (Frobenius).
//
// The velocities that the conditions allow are the directions of vector fields; what the brackets
// of these fields add are directions that can be reached although none of them is allowed. When
// nothing new comes, the directions that are still missing belong to finite relations. Ranks are
// those of functions, decided in prime fields.
#include "inquiry/inquiry_impl.h"

#include <string.h>

enum {
    SHORT_NODES = 120,   // up to so many a bracket's entry is put in its short form
    MOST_NODES = 1500000 // beyond so many new ones brackets of brackets are too large
};

static Expr *field_of(const Closure *closure, size_t index)
{
    return closure->entries.at + index * closure->variables;
}

void closure_clear(Closure *closure)
{
    base_free(closure->symbols);
    array_clear(&closure->entries);
    array_clear(&closure->growth);
    *closure = (Closure){0};
}

static void push_field(Closure *closure, const Expr *entries)
{
    for (size_t i = 0; i < closure->variables; i++)
        array_push(&closure->entries, entries[i]);
    closure->fields++;
}

Answer inquiry_is_zero(Motion *motion, Expr e)
{
    Verdict zero = algebra_is_zero(motion->algebra, e);
    Answer answer = zero.answer;
    verdict_clear(&zero);
    return answer;
}

bool inquiry_vanishes(Motion *motion, Expr e)
{
    return inquiry_is_zero(motion, e) == ANSWER_YES;
}

// ---- The fields of a motion.

static Expr valued(ExprSubst *values, Expr e)
{
    return values ? expr_subst(values, e) : e;
}

void closure_of_motion(Closure *closure, Motion *motion, const MotionReduction *reduction,
                       bool parameters, ExprSubst *values)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n, k = motion->k, extra = 0;
    for (size_t alpha = 0; alpha < k && parameters; alpha++)
        extra += reduction->speeds[alpha].declared;
    *closure = (Closure){.variables = n + extra + 1};
    closure->symbols = base_alloc(closure->variables * sizeof(Expr));
    memcpy(closure->symbols, motion->q, n * sizeof(Expr));
    for (size_t i = 0; i < extra; i++)
        closure->symbols[n + i] = expr_symbol_new(pool, "parameter");
    closure->symbols[n + extra] = motion->model->t;
    Expr *entries = base_alloc(closure->variables * sizeof *entries);
    for (size_t alpha = 0, seen = 0; alpha <= k; alpha++) {
        bool time = alpha == 0;
        for (size_t i = 0; i < closure->variables; i++)
            entries[i] = expr_int(pool, time && i == n + extra);
        for (size_t nu = 0; nu < n; nu++)
            entries[nu] =
                valued(values, time ? reduction->C[nu] : reduction->B[nu * k + alpha - 1]);
        if (!time && parameters && reduction->speeds[alpha - 1].declared)
            entries[n + seen++] = expr_int(pool, 1);
        push_field(closure, entries);
    }
    base_free(entries);
}

// ---- Brackets.

static Expr shortened(Motion *motion, Expr e)
{
    ExprList nodes = expr_nodes(motion->pool, &e, 1);
    size_t count = nodes.count;
    expr_list_free(&nodes);
    return count <= SHORT_NODES ? algebra_simplify(motion->algebra, e) : e;
}

// [X, Y] = X(Y) − Y(X), entry by entry, where nothing of it is seen to vanish: false where all is.
static bool bracket(const Closure *closure, Motion *motion, ExprRates *const *along, size_t x,
                    size_t y, Expr *entries)
{
    bool any = false;
    for (size_t i = 0; i < closure->variables; i++) {
        Expr first = expr_rate(along[x], field_of(closure, y)[i]);
        Expr second = expr_rate(along[y], field_of(closure, x)[i]);
        entries[i] = shortened(motion, expr_sub(motion->pool, first, second));
        any = any || !expr_is_zero(motion->pool, entries[i]);
    }
    return any;
}

static ExprRates *rates_along(const Closure *closure, Motion *motion, size_t index)
{
    ExprRates *rates = expr_rates_new(motion->pool);
    for (size_t i = 0; i < closure->variables; i++)
        expr_rates_set(rates, closure->symbols[i], field_of(closure, index)[i]);
    return rates;
}

// The fields and the candidates together; marks which candidates lead further. Where functions may
// be related a candidate can be new to a field alone; those that a real point shows are better.
static bool find_new(const Closure *closure, Motion *motion, const Expr *candidates, size_t count,
                     bool *is_new)
{
    size_t rows = closure->fields + count, width = closure->variables;
    Expr *matrix = base_alloc((rows * width + 1) * sizeof *matrix);
    bool *independent = base_alloc((rows + 1) * sizeof *independent);
    memcpy(matrix, closure->entries.at, closure->fields * width * sizeof *matrix);
    memcpy(matrix + closure->fields * width, candidates, count * width * sizeof *matrix);
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, rows, width, NULL, independent, NULL);
    memcpy(is_new, independent + closure->fields, count * sizeof *is_new);
    if (rank > (ptrdiff_t)closure->fields &&
        !algebra_shows_chosen(motion->algebra, matrix, rows, width, independent) &&
        algebra_show_rank(motion->algebra, matrix, rows, width, (size_t)rank, independent))
        memcpy(is_new, independent + closure->fields, count * sizeof *is_new);
    base_free(matrix);
    base_free(independent);
    return rank >= 0;
}

typedef ARRAY(ExprRates *) RateList;
typedef ARRAY(Expr) ExprArray;

// One round: brackets of the `given` fields with those from `from` on.
static bool add_round(Closure *closure, Motion *motion, RateList *along, size_t given, size_t from,
                      size_t most_nodes)
{
    size_t width = closure->variables, last = closure->fields, count = 0;
    ExprArray candidates = {0};
    Expr *entries = base_alloc(width * sizeof *entries);
    for (size_t i = along->count; i < last; i++)
        array_push(along, rates_along(closure, motion, i));
    bool known = true;
    for (size_t x = 0; x < given; x++)
        for (size_t y = from > x ? from : x + 1; y < last && known; y++) {
            known = expr_pool_size(motion->pool) < most_nodes;
            if (known && bracket(closure, motion, along->at, x, y, entries)) {
                for (size_t i = 0; i < width; i++)
                    array_push(&candidates, entries[i]);
                count++;
            }
        }
    bool *is_new = base_alloc((count + 1) * sizeof *is_new);
    known = known && (count == 0 || find_new(closure, motion, candidates.at, count, is_new));
    for (size_t i = 0; i < count && known; i++)
        if (is_new[i])
            push_field(closure, candidates.at + i * width);
    base_free(is_new);
    base_free(entries);
    array_clear(&candidates);
    return known;
}

bool closure_grow(Closure *closure, Motion *motion)
{
    RateList along = {0};
    size_t given = closure->fields, from = 0;
    bool known = true;
    array_push(&closure->growth, given);
    size_t most_nodes = expr_pool_size(motion->pool) + MOST_NODES;
    while (known && closure->fields < closure->variables) {
        size_t before = closure->fields;
        known = add_round(closure, motion, &along, given, from, most_nodes);
        if (closure->fields == before)
            break;
        array_push(&closure->growth, closure->fields);
        from = before;
    }
    for (size_t i = 0; i < along.count; i++)
        expr_rates_free(along.at[i]);
    array_clear(&along);
    return known;
}

bool closure_is_shown(const Closure *closure, Motion *motion, ExprSubst *values)
{
    size_t fields = closure->fields, width = closure->variables;
    if (closure->growth.at[0] == fields)
        return true;
    Expr *matrix = base_alloc(fields * width * sizeof *matrix);
    bool *independent = base_alloc(fields * sizeof *independent);
    for (size_t i = 0; i < fields * width; i++)
        matrix[i] = valued(values, closure->entries.at[i]);
    bool shown =
        algebra_rank(motion->algebra, matrix, fields, width, NULL, independent, NULL) >= 0 &&
        algebra_shows_chosen(motion->algebra, matrix, fields, width, independent);
    base_free(matrix);
    base_free(independent);
    return shown;
}
