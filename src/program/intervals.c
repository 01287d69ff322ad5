// intervals.c: a program run in intervals of doubles.
//
// Inclusion: if every operand lies in its interval, the result of an instruction lies in the
// interval made here, so by induction over the instructions each output lies in its own. Sums,
// products, quotients and roots are worked out in doubles and widened by the rounding that they may
// have. Functions that rise or fall have the values at the ends, sines and cosines those of their
// argument's middle and width, widened by more than the errors of the mathematical library; others
// take the balls of ops.def.
#include "program/intervals.h"

#include "program/balls.h"
#include "program/program_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static Interval whole(void)
{
    return (Interval){-INFINITY, INFINITY};
}

// By so many last digits, one of which covers the rounding on its side.
static inline Interval widened_by(double digits, double low, double high)
{
    if (!(low <= high))
        return whole();
    low = low < DBL_MAX ? low : DBL_MAX;
    high = high > -DBL_MAX ? high : -DBL_MAX;
    return (Interval){low - fabs(low) * (digits * DBL_EPSILON),
                      high + fabs(high) * (digits * DBL_EPSILON)};
}

// A sum that is tiny is exact, and one that is 0 too.
static inline Interval widened(double low, double high)
{
    return widened_by(1, low, high);
}

// A product or quotient that is tiny may have lost all its digits.
static inline Interval widened_far(double digits, double low, double high)
{
    Interval wide = widened_by(digits, low, high);
    if (fabs(low) < DBL_MIN)
        wide.low -= DBL_TRUE_MIN;
    if (fabs(high) < DBL_MIN)
        wide.high += DBL_TRUE_MIN;
    return wide;
}

static inline Interval add(Interval a, Interval b)
{
    return widened(a.low + b.low, a.high + b.high);
}

static inline Interval negative(Interval a)
{
    return (Interval){-a.high, -a.low};
}

// 0 times what has no bound is 0: every value there is finite.
static inline double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline Interval multiply(Interval a, Interval b)
{
    double p = times(a.low, b.low), q = times(a.low, b.high);
    double r = times(a.high, b.low), s = times(a.high, b.high);
    double low = lesser(lesser(p, q), lesser(r, s)), high = larger(larger(p, q), larger(r, s));
    Interval wide = widened_far(1, low, high);
    // The sign of a product is exact.
    return (Interval){low >= 0 ? larger(wide.low, 0) : wide.low,
                      high <= 0 ? lesser(wide.high, 0) : wide.high};
}

static inline Interval square(Interval a)
{
    double low = a.low > 0 ? a.low : a.high < 0 ? -a.high : 0;
    double high = larger(fabs(a.low), fabs(a.high));
    Interval wide = widened_far(1, low * low, high * high);
    return (Interval){larger(wide.low, 0), wide.high};
}

static Interval divide(Interval a, Interval b)
{
    if (!(b.low > 0 || b.high < 0) || isinf(a.low) || isinf(a.high))
        return whole();
    double p = a.low / b.low, q = a.low / b.high, r = a.high / b.low, s = a.high / b.high;
    return widened_far(1, fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

static Interval root(Interval a)
{
    if (!(a.low >= 0))
        return whole();
    Interval wide = widened(sqrt(a.low), sqrt(a.high));
    return (Interval){fmax(wide.low, 0), wide.high};
}

// ---- Functions of the language.

// Last digits by which a function of the mathematical library may be off, and more than that.
enum { LIBRARY_DIGITS = 8 };

static Interval widened_library(double low, double high)
{
    return widened_far(LIBRARY_DIGITS, low, high);
}

// A function that rises all over.
static Interval rising(Interval a, double (*f)(double))
{
    return widened_library(f(a.low), f(a.high));
}

// One that no slope of 1 is left by, and that stays within 1.
static Interval wave(Interval a, double (*f)(double))
{
    double half = (a.high - a.low) / 2, at = a.low + half;
    double off = LIBRARY_DIGITS * DBL_EPSILON * (1 + fabs(at) + half);
    double middle = f(at);
    if (!(half < 2))
        return (Interval){-1, 1};
    return (Interval){fmax(middle - half - off, -1), fmin(middle + half + off, 1)};
}

static Interval size_of(Interval a)
{
    if (a.low >= 0)
        return a;
    return a.high < 0 ? negative(a) : (Interval){0, fmax(-a.low, a.high)};
}

static Interval power(Interval a, Interval b)
{
    if (!(a.low > 0))
        return whole();
    double p = pow(a.low, b.low), q = pow(a.low, b.high);
    double r = pow(a.high, b.low), s = pow(a.high, b.high);
    if (isnan(p + q + r + s))
        return whole();
    return widened_library(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

// By the ball of the function's row.
static Interval call_ball(uint32_t op, Interval of_a, Interval of_b)
{
    const slong precision = 64;
    arb_t a, b, r;
    arf_t low, high;
    arb_init(a), arb_init(b), arb_init(r), arf_init(low), arf_init(high);
    arf_set_d(low, of_a.low), arf_set_d(high, of_a.high);
    arb_set_interval_arf(a, low, high, precision);
    arf_set_d(low, of_b.low), arf_set_d(high, of_b.high);
    arb_set_interval_arf(b, low, high, precision);
    switch ((ProgramOp)op) {
#define OP(NAME, word, arity, real_value, put, ...)                                                \
    case PROGRAM_CALL_##NAME:                                                                      \
        put;                                                                                       \
        break;
#include "expr/ops.def"
#undef OP
    default: arb_indeterminate(r);
    }
    Interval result = whole();
    if (arb_is_finite(r)) {
        arb_get_interval_arf(low, high, r, precision);
        result = (Interval){arf_get_d(low, ARF_RND_FLOOR), arf_get_d(high, ARF_RND_CEIL)};
    }
    arb_clear(a), arb_clear(b), arb_clear(r), arf_clear(low), arf_clear(high);
    return result;
}

static Interval call(uint32_t op, Interval a, Interval b)
{
    Interval size;
    switch ((ProgramOp)op) {
    case PROGRAM_SINE:
    case PROGRAM_CALL_SIN: return wave(a, sin);
    case PROGRAM_COSINE:
    case PROGRAM_CALL_COS: return wave(a, cos);
    case PROGRAM_CALL_ASIN: return rising(a, asin);
    case PROGRAM_CALL_ATAN: return rising(a, atan);
    case PROGRAM_CALL_SINH: return rising(a, sinh);
    case PROGRAM_CALL_TANH: return rising(a, tanh);
    case PROGRAM_CALL_EXP: return rising(a, exp);
    case PROGRAM_CALL_LOG: return a.low > 0 ? rising(a, log) : whole();
    case PROGRAM_CALL_COSH: size = size_of(a); return rising(size, cosh);
    case PROGRAM_CALL_ABS: return size_of(a);
    case PROGRAM_CALL_MIN: return (Interval){fmin(a.low, b.low), fmin(a.high, b.high)};
    case PROGRAM_CALL_MAX: return (Interval){fmax(a.low, b.low), fmax(a.high, b.high)};
    case PROGRAM_CALL_POW: return power(a, b);
    default: return call_ball(op, a, b);
    }
}

// ---- Tables.

static Interval piece_of(const ExprTables *tables, Interval u, Interval number)
{
    double first = expr_tables_piece(tables, u.low, number.low);
    double last = expr_tables_piece(tables, u.high, number.low);
    return isnan(first) || isnan(last) ? whole() : (Interval){first, last};
}

// The hull of a column over some pieces, in whose number no rounding counts.
static Interval column_of(const ExprTables *tables, Interval pieces, Interval number)
{
    const ExprTable *table = expr_table_at(tables, (size_t)number.low / TABLE_COLUMNS);
    bool finite = isfinite(pieces.low) && isfinite(pieces.high);
    if (table->numbers.kind == TABLE_UNIFORM && (size_t)number.low % TABLE_COLUMNS == 0)
        return (Interval){0, 1};
    if (!finite || pieces.high - pieces.low > (double)table->numbers.count + 1)
        return whole();
    Interval hull = {INFINITY, -INFINITY};
    for (double piece = pieces.low; piece <= pieces.high; piece++) {
        double found = expr_tables_column(tables, piece, number.low);
        hull = (Interval){fmin(hull.low, found), fmax(hull.high, found)};
    }
    return hull;
}

// ---- Programs.

// Of the operands a, b, c.
static Interval value(const ExprTables *tables, const Instruction *at, const Interval *operands)
{
    Interval a = operands[0], b = operands[1], c = operands[2], both = {0, 0};
    if (at->op == PROGRAM_MUL || at->op == PROGRAM_MUL_ADD || at->op == PROGRAM_MUL_SUB ||
        at->op == PROGRAM_SUB_MUL)
        both = at->a == at->b ? square(a) : multiply(a, b);
    switch ((ProgramOp)at->op) {
    case PROGRAM_ADD: return add(a, b);
    case PROGRAM_SUB: return at->a == at->b ? (Interval){0, 0} : add(a, negative(b));
    case PROGRAM_MUL: return both;
    case PROGRAM_DIV: return divide(a, b);
    case PROGRAM_NEG: return negative(a);
    case PROGRAM_SQRT: return root(a);
    case PROGRAM_MUL_ADD: return add(both, c);
    case PROGRAM_MUL_SUB: return add(both, negative(c));
    case PROGRAM_SUB_MUL: return add(c, negative(both));
    case PROGRAM_PIECE: return piece_of(tables, a, b);
    case PROGRAM_COLUMN: return column_of(tables, a, b);
    default: return call(at->op, a, b);
    }
}

// Distances are sums of squares of differences. Both ends at once, the lower one with the opposite
// sign, they take a small part of the time: both are then rounded upwards, by more than they may be
// off.
typedef double Ends __attribute__((vector_size(2 * sizeof(double)), aligned(8), may_alias));
typedef int64_t EndsBits __attribute__((vector_size(sizeof(Ends))));

static inline Ends larger_ends(Ends a, Ends b)
{
#ifdef __SSE2__
    return (Ends)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    return (Ends){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
#endif
}

static inline Ends turned(Ends a)
{
    return (Ends){a[1], a[0]};
}

// Also back from it.
static inline Ends ends_of(Ends a)
{
    const EndsBits sign = {INT64_MIN, 0};
    return (Ends)((EndsBits)a ^ sign);
}

static inline Interval interval_of(Ends a)
{
    return (Interval){-a[0], a[1]};
}

// Sums of infinite ends may be no number, and say nothing.
static inline Ends quick_sum(Ends sum)
{
    Ends size = (Ends)((EndsBits)sum & INT64_MAX);
    sum += size * DBL_EPSILON;
    return sum[0] + sum[1] >= 0 ? sum : (Ends){INFINITY, INFINITY};
}

// (−l², h²): h is the larger of −low and high, and l, where it is above 0, that of low and −high.
static inline Ends quick_square(Ends a)
{
    const Ends outwards = {-(1 - DBL_EPSILON), 1 + DBL_EPSILON}, tiny = {DBL_MIN, DBL_MIN};
    Ends high = larger_ends(a, turned(a)), low = larger_ends(-a, turned(-a));
    Ends both = larger_ends((Ends){low[0], high[0]}, (Ends){0, 0});
    Ends square = both * both * outwards + tiny;
    return -larger_ends(-square, (Ends){0, -INFINITY});
}

static inline Ends quick_value(const ExprTables *tables, const Instruction *at, const Ends *work)
{
    bool same = at->a == at->b;
    switch ((ProgramOp)at->op) {
    case PROGRAM_SUB:
        if (!same)
            return quick_sum(work[at->a] + turned(work[at->b]));
        break;
    case PROGRAM_ADD: return quick_sum(work[at->a] + work[at->b]);
    case PROGRAM_MUL:
        if (same)
            return quick_square(work[at->a]);
        break;
    case PROGRAM_MUL_ADD:
        if (same)
            return quick_sum(quick_square(work[at->a]) + work[at->c]);
        break;
    default: break;
    }
    const Interval operands[] = {interval_of(work[at->a]), interval_of(work[at->b]),
                                 interval_of(work[at->c])};
    Interval r = value(tables, at, operands);
    return (Ends){-r.low, r.high};
}

// The constants as doubles, and how far they are off: whole ones are exact.
static void put_constants(const Program *program, Ends *work)
{
    for (size_t i = 0; i < program->constant_count; i++) {
        double x = program->real[i];
        bool exact = (ptrdiff_t)i != program->pi_at &&
                     fmpz_is_one(fmpq_denref(program->exact + i)) && fabs(x) * DBL_EPSILON < 1;
        Interval known = exact ? (Interval){x, x} : widened_far(1, x, x);
        work[i] = (Ends){-known.low, known.high};
    }
}

void program_run_intervals(const Program *program, const Interval *inputs, Interval *outputs,
                           Interval *room)
{
    Ends *work = (Ends *)room;
    const Ends *given = (const Ends *)inputs;
    put_constants(program, work);
    for (size_t i = 0, at = program->constant_count; i < program->input_count; i++, at++)
        work[at] = given[i][0] <= given[i][1] ? ends_of(given[i]) : (Ends){INFINITY, INFINITY};
    for (size_t i = 0; i < program->code_count; i++)
        work[program->code[i].result] = quick_value(program->tables, program->code + i, work);
    for (size_t i = 0; i < program->output_count; i++)
        outputs[i] = interval_of(work[program->outputs[i]]);
}
