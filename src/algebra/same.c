// same.c: which of many expressions are equal, or opposite, or zero.
//
// Values at random points of prime fields tell who could be equal; that all of them are is then
// proved at once: a sum of differences, each with a free symbol of its own before it, is zero
// where and only where every difference is.
#include "algebra/algebra_impl.h"

#include <stdlib.h>

enum { LOOKS = 16 }; // points at which candidates must agree: roots may differ in their signs

typedef struct {
    uint64_t value; // the smaller one of v and −v
    size_t index;
} Seen;

static int by_value(const void *a, const void *b)
{
    const Seen *left = a, *right = b;
    if (left->value != right->value)
        return left->value < right->value ? -1 : 1;
    return (left->index > right->index) - (left->index < right->index);
}

// 0 for zero, 1 where both values are the same, −1 where they are opposite, 2 for neither.
static int relation(uint64_t a, uint64_t b, uint64_t prime)
{
    if (a == 0)
        return 0;
    return a == b ? 1 : a == prime - b ? -1 : 2;
}

// Candidates from the values of one point: for each the first with the same value or −value.
static void first_look(const Sample *sample, size_t count, AlgebraSame *same)
{
    Seen *seen = base_alloc((count + 1) * sizeof *seen);
    for (size_t i = 0; i < count; i++) {
        uint64_t value = sample->outputs[i], opposite = value ? sample->prime - value : 0;
        seen[i] = (Seen){value < opposite ? value : opposite, i};
    }
    qsort(seen, count, sizeof *seen, by_value);
    for (size_t i = 0, first = 0; i < count; i++) {
        if (seen[i].value != seen[first].value)
            first = i;
        size_t at = seen[i].index, as = seen[first].index;
        int sign = relation(sample->outputs[at], sample->outputs[as], sample->prime);
        same[at] = (AlgebraSame){sign == 0 ? at : as, sign};
    }
    base_free(seen);
}

// Gives up candidates that another point tells apart.
static void look_again(const Sample *sample, size_t count, AlgebraSame *same)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = sample->outputs[i], other = sample->outputs[same[i].as];
        bool still =
            same[i].sign == 0 ? value == 0 : relation(value, other, sample->prime) == same[i].sign;
        if (!still)
            same[i] = (AlgebraSame){i, 1};
    }
}

static bool look(Algebra *algebra, const Expr *exprs, size_t count, AlgebraSame *same)
{
    Expr *images = base_alloc((count + 1) * sizeof *images);
    atoms_rewrite(algebra, ATOMS_SPLIT, exprs, count, images);
    Sample sample;
    bool good = sample_init(&sample, algebra, images, count);
    for (int i = 0; i < LOOKS && good; i++) {
        good = sample_draw(&sample);
        if (good && i == 0)
            first_look(&sample, count, same);
        else if (good)
            look_again(&sample, count, same);
    }
    sample_clear(&sample);
    base_free(images);
    return good;
}

// Σ weight·difference.
static Expr all_differences(Algebra *algebra, const Expr *exprs, size_t count,
                            const AlgebraSame *same)
{
    ExprPool *pool = algebra->pool;
    Expr *terms = base_alloc((count + 1) * sizeof *terms);
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        if (same[i].as == i && same[i].sign == 1)
            continue;
        Expr other = expr_mul(pool, expr_int(pool, same[i].sign), exprs[same[i].as]);
        Expr difference = expr_sub(pool, exprs[i], other);
        terms[filled++] = expr_mul(pool, expr_symbol_new(pool, "weight"), difference);
    }
    Expr sum = expr_sum(pool, terms, filled);
    base_free(terms);
    return sum;
}

void algebra_find_same(Algebra *algebra, const Expr *exprs, size_t count, AlgebraSame *same)
{
    if (look(algebra, exprs, count, same)) {
        Expr sum = all_differences(algebra, exprs, count, same);
        Verdict verdict = algebra_is_zero_modular(algebra, sum);
        bool proved = verdict.answer == ANSWER_YES;
        verdict_clear(&verdict);
        if (proved)
            return;
    }
    for (size_t i = 0; i < count; i++)
        same[i] = (AlgebraSame){i, 1};
}
