// series_kernels.h: the orders above 0 of a program's series; part of series_plain.c and
// series_fused.c, which name its functions by KERNEL and say with TARGET for which processor.
//
// Orders come in blocks of four, as in print_flow_sums.c, and every coefficient is the same
// sequence of operations as there: at the beginning of a block the terms of every sum whose factors
// are both known, newest last; then each new coefficient with the low ones of its partner.
#include "program/series_impl.h"

#include <math.h>
#include <string.h>

#include "program/series_rows.h"
#include "program/series_vectors.h"
#define WAVES TARGET
#include "program/waves.h"

typedef int64_t Bits __attribute__((vector_size(sizeof(Four))));
// Orders of a table at most, in pairs; k·(k − 1) of each.
enum { SERIES_MOST_ORDERS = 64 };
#define FALLING(k) (k) * ((k)-1.0)
#define EIGHT(k)                                                                                   \
    FALLING(k), FALLING(k + 1), FALLING(k + 2), FALLING(k + 3), FALLING(k + 4), FALLING(k + 5),    \
        FALLING(k + 6), FALLING(k + 7)
static const double falling[SERIES_MOST_ORDERS] = {EIGHT(0),  EIGHT(8),  EIGHT(16), EIGHT(24),
                                                   EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56)};
#undef EIGHT
#undef FALLING

// So many sums are swept together: none waits for its own last term.
enum { TOGETHER = 4 };

// How far the left factor's coefficients reach, below order K; 0 where one factor is constant: a
// term with a factor 0 changes nothing.
static size_t reach(const SeriesSum *sum, size_t K)
{
    return is_flat(sum->right) ? 0 : smaller(sum->left->last, K - 1);
}

// Σ a_i·b_{K+j−i} for 0 < i < K, j = 0 … 3, of four sums; b is 0 from K on.
TARGET static void KERNEL(sweep_some)(const SeriesSum *sums, size_t K)
{
    const double *a[TOGETHER], *b[TOGETHER];
    Four s0 = ALL(0.0), s1 = s0, s2 = s0, s3 = s0;
    size_t last = 0;
    for (size_t c = 0; c < TOGETHER; c++) {
        a[c] = sums[c].left->at;
        b[c] = sums[c].right->at + K;
        last = larger(last, reach(sums + c, K));
    }
    for (ptrdiff_t i = (ptrdiff_t)last; i > 0; i--) {
        s0 = FMA4(ALL(a[0][i]), AT(b[0] - i), s0);
        s1 = FMA4(ALL(a[1][i]), AT(b[1] - i), s1);
        s2 = FMA4(ALL(a[2][i]), AT(b[2] - i), s2);
        s3 = FMA4(ALL(a[3][i]), AT(b[3] - i), s3);
    }
    *(Four *)sums[0].at = s0;
    *(Four *)sums[1].at = s1;
    *(Four *)sums[2].at = s2;
    *(Four *)sums[3].at = s3;
}

// Of a square: the products of two different coefficients once, then all twice.
TARGET static void KERNEL(sweep_square)(const SeriesSum *sum, size_t K)
{
    const double *a = sum->left->at, x = a[K / 2 + 1], y = a[K / 2];
    const Four first = {x, x, 0.5 * x, 0}, second = {0.5 * y, 0, 0, 0};
    Four s = ALL(0.0);
    for (ptrdiff_t i = (ptrdiff_t)reach(sum, K); i > (ptrdiff_t)(K / 2 + 1); i--)
        s = FMA4(ALL(a[i]), AT(a + K - i), s);
    s = FMA4(first, AT(a + K / 2 - 1), s);
    s = FMA4(second, AT(a + K / 2), s);
    *(Four *)sum->at = s + s;
}

// Squares come first. The list of sums ends with as many that nobody reads as fill the last four.
TARGET static void KERNEL(sweep)(ProgramSeries *series, size_t K)
{
    for (size_t c = 0; c < series->sum_count; c++)
        *(Four *)(series->sums[c].right->at + K) = ALL(0.0);
    for (size_t c = 0; c < series->squares; c++)
        KERNEL(sweep_square)(series->sums + c, K);
    for (size_t c = series->squares; c < series->sum_count; c += TOGETHER)
        KERNEL(sweep_some)(series->sums + c, K);
}

// What the coefficients of order k − 1 give to the later orders of its block.
TARGET static void KERNEL(share)(ProgramSeries *series, size_t k)
{
    for (size_t c = 0; c < series->sum_count; c++) {
        const SeriesSum *sum = series->sums + c;
        const double *a = sum->first, *b = sum->second;
        Four *later = (Four *)(sum->at + k % FLOW_BLOCK), total = *later;
        total = FMA4(ALL(a == b ? 2 * a[k - 1] : a[k - 1]), AT(b + 1), total);
        *later = a == b ? total : FMA4(ALL(b[k - 1]), AT(a + 1), total);
    }
}

// Of the first block: products of order 1 with each other.
static void begin_block(ProgramSeries *series)
{
    for (size_t c = 0; c < series->sum_count; c++) {
        const SeriesSum *sum = series->sums + c;
        sum->at[2] = sum->first[1] * sum->second[1];
        sum->at[3] = 0;
    }
}

TARGET static void KERNEL(prepare)(ProgramSeries *series, size_t k)
{
    if (k == 1)
        memset(series->totals, 0, series->sum_count * SERIES_SUM * sizeof *series->totals);
    else if (k == 2)
        begin_block(series);
    else if (k % FLOW_BLOCK == 0)
        KERNEL(sweep)(series, k);
    else
        KERNEL(share)(series, k);
}

// A step's sum at order K + j, with its ends.
TARGET static inline double KERNEL(sum_of)(const SeriesStep *at, const double *now, size_t j,
                                           int ends)
{
    double s = at->sum[j];
    if (ends > 1 && at->left_row == at->right_row)
        return FMA(2 * now[at->left], at->right_row[0], s);
    if (ends > 1)
        s = FMA(now[at->left], at->right_row[0], s);
    return ends > 2 ? FMA(now[at->right], at->left_row[0], s) : s;
}

// The cosine, after the sine.
TARGET static inline void KERNEL(cosine)(const SeriesStep *at, double *now, size_t k, double i)
{
    double s = FMA(now[at->left], at->row->at[0], at->sum[SERIES_SUM + k % FLOW_BLOCK]);
    now[at->partner] = -(s * i);
    put(at->partner_row, k, now[at->partner]);
}

// A step of the operation's own table.
static double other_value(const ProgramSeries *series, const SeriesStep *at, size_t k)
{
    const Row *zero = &series->zero;
    const Row *a = at->operands[0], *b = at->operands[1];
    Row *r = at->row, *x = at->helpers;
    (void)zero;
    // What is constant so far stays so, whatever the function does elsewhere.
    if (k > 0 && is_flat(a) && is_flat(b)) {
        for (size_t i = 0; i < at->helper_count; i++)
            put(x + i, k, 0);
        return 0;
    }
    switch (at->op) {
#define OP(NAME, word, arity, real, ball, rate_a, rate_b, helpers, partner, value)                 \
    case PROGRAM_CALL_##NAME:                                                                      \
        return (value);
#include "expr/ops.def"
#undef OP
    }
    return NAN;
}

TARGET static inline void KERNEL(step)(ProgramSeries *series, const SeriesStep *at, size_t order,
                                       double i)
{
    double *now = series->now, value = 0, k = (double)order;
    const double a = now[at->a], b = now[at->b], c = now[at->c];
    const double f = series->fixed[at->a], x = series->fixed[at->r];
    const double w = at->power + 1, y = series->fixed[at->kept];
    switch ((FlowKind)at->kind) {
    case FLOW_FLAT:
    case FLOW_HELD: return;
#define FLOW(NAME, ends, text)                                                                     \
    case FLOW_##NAME: {                                                                            \
        const double s = ends > 0 ? KERNEL(sum_of)(at, now, order % FLOW_BLOCK, ends) : 0;         \
        const double t = at->sum[SERIES_SUM + order % FLOW_BLOCK];                                 \
        (void)s, (void)t;                                                                          \
        value = (text);                                                                            \
        break;                                                                                     \
    }
#include "program/flow_kinds.def"
#undef FLOW
    case FLOW_OTHER: value = other_value(series, at, order); break;
    }
    now[at->r] = value;
    if (at->row)
        put(at->row, order, value);
    if (at->kind == FLOW_WAVE)
        KERNEL(cosine)(at, now, order, i);
}

// Where something is no number at order 0: what is constant so far stays so.
TARGET static void KERNEL(careful_step)(ProgramSeries *series, const SeriesStep *at, size_t order,
                                        double i)
{
    bool *moved = series->moved;
    if (order == 1)
        moved[at->r] = moved[at->partner] = false;
    if (at->kind == FLOW_FLAT || at->kind == FLOW_HELD)
        return;
    if (moved[at->a] || moved[at->b] || moved[at->c]) {
        KERNEL(step)(series, at, order, i);
    } else {
        series->now[at->r] = series->now[at->partner] = 0;
        if (at->row)
            put(at->row, order, 0);
        if (at->partner_row)
            put(at->partner_row, order, 0);
    }
    moved[at->r] = moved[at->r] || series->now[at->r] != 0;
    if (at->partner_row)
        moved[at->partner] = moved[at->partner] || series->now[at->partner] != 0;
}

TARGET static void KERNEL(order)(ProgramSeries *series, size_t k)
{
    size_t count = series->flow.steps.count;
    double i = 1.0 / (double)k;
    for (size_t at = 0; at < count && !series->careful; at++)
        KERNEL(step)(series, series->steps + at, k, i);
    for (size_t at = 0; at < count && series->careful; at++)
        KERNEL(careful_step)(series, series->steps + at, k, i);
}

// ---- Sums of the series.

// Of four inputs: even and odd orders by themselves, as in print_flow.c.
TARGET static inline void KERNEL(sum_four)(const double *y, size_t width, size_t order, double s,
                                           double *sums, double *slopes)
{
    const Four none = ALL(0.0), t = ALL(s), u = t * t;
    ptrdiff_t k = (ptrdiff_t)(order - order % 2), row = (ptrdiff_t)width;
    Four e = k > 0 ? AT(y + k * row) : none;
    Four o = order % 2 ? AT(y + (ptrdiff_t)order * row) : none;
    Four f = none, g = none;
    for (k -= 2; k >= 0; k -= 2) {
        f = FMA4(f, u, e);
        e = FMA4(e, u, k > 0 ? AT(y + k * row) : none);
        g = FMA4(g, u, o);
        o = FMA4(o, u, AT(y + (k + 1) * row));
    }
    f = FMA4(2.0 * t, f, o);
    *(Four *)slopes = FMA4(2.0 * u, g, f);
    *(Four *)sums = FMA4(t, o, e);
}

TARGET static void KERNEL(sum)(const double *y, size_t width, size_t first, size_t order, double s,
                               double *sums, double *slopes)
{
    if (first > 0) {
        *sums = s;
        *slopes = 1;
    }
    for (size_t at = first; width >= 4 && at < width; at += 4) {
        size_t i = at + 4 <= width ? at : width - 4;
        KERNEL(sum_four)(y + i, width, order, s, sums + i, slopes + i);
    }
    for (size_t i = 0; width < 4 && i < width; i++) {
        double a = y[order * width + i], b = 0;
        for (size_t k = order - 1; k > 0; k--) {
            b = FMA(b, s, a);
            a = FMA(a, s, y[k * width + i]);
        }
        slopes[i] = FMA(b, s, a);
        sums[i] = a * s;
    }
}

// ---- Their second derivatives, at most.

// Of the first `count` columns, Σ k·(k − 1)·|y_k|·s^k.
TARGET static void KERNEL(bends)(const double *y, size_t width, size_t count, size_t order,
                                 double s, double *most)
{
    const Bits sizes = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    const Four t = ALL(s), u = t * t;
    for (size_t at = 0; at < count; at += FLOW_BLOCK) {
        Four low = ALL(0.0), high = low;
        // Even and odd orders by themselves.
        for (size_t k = order - order % 2; k >= 2; k -= 2) {
            const double *even = y + k * width + at;
            low = FMA4(low, u, ALL(falling[k]) * (Four)((Bits)AT(even) & sizes));
            if (k < order)
                high = FMA4(high, u, ALL(falling[k + 1]) * (Four)((Bits)AT(even + width) & sizes));
        }
        low = FMA4(t, high, low) * u;
        for (size_t i = 0; i < FLOW_BLOCK && at + i < count; i++)
            most[at + i] = low[i];
    }
}
