// time_bounds.c: functions of time alone, bounded between all samples by proof.
//
// If B_k ≥ |f⁽ᵏ⁾|/k! over an interval, the Taylor polynomial of degree p about any point of it
// differs from f by at most B_{p+1}·s^{p+1} at a distance s inside (Lagrange). The B_k are those of
// the enclosure of the series about the whole interval. Intervals between two switches form a tree
// of halves, made as far as the questions reach.
#include "program/time_bounds.h"

#include "program/ball_series.h"
#include "program/intervals.h"
#include "program/program_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// Bits that intervals and their series are computed with.
enum { PRECISION = 64 };
// An interval of this many last digits of the time is a point.
enum { POINT_DIGITS = 8 };
// So many from a switch on its sign is sure in doubles.
enum { SWITCH_DIGITS = 2 };
// Series of so many terms do not hold powers of what they hold.
enum { LOW_ORDER = 4 };
// Intervals that a question may add, at most.
enum { MOST_INTERVALS = 20000 };
// A step so many times as long as an interval is too long for what is inside that.
enum { PARTS_OF_A_STEP = 4 };
// An interval that has served serves so many questions more, before others are looked at.
enum { MOST_AGAIN = 64 };

// The interval that served last, a step that it allows, and for how many questions more it serves,
// of those that it was trusted with.
typedef struct {
    size_t at, left, trusted;
    double step;
} TimeServing;

typedef struct {
    double from, to;
    double *bounds; // of each output: log₂ of B_0 … B_order+1; NULL before it is asked for
    double *sizes;  // of each output: its value and its slope in the middle
    ptrdiff_t left, right; // halves; 0 for none
} TimeInterval;

struct TimeBounds {
    ARRAY(Expr) functions;
    Program *program;                         // of them
    size_t input_count, output_count, length; // of a series
    double to;
    arb_ptr inputs, outputs, difference;
    int64_t *signs;   // the branch of each switch of the program
    int64_t *segment; // the same, between the switches at hand
    size_t switch_count;
    double from;     // the beginning of what is between two switches; infinite: none is known
    TimeSwitch next; // its end; infinite where it is `to`
    double unknown;  // from here on nobody knows the next switch, after as many intervals as may be
    size_t asked;    // intervals looked at for the next switch
    size_t switching;         // a function that switches
    ARRAY(TimeInterval) tree; // the first is all of the segment
    double *largest;          // of each output: the largest value seen
    size_t narrow, count;
    double shortest;
    TimeServing serving;
};

// ---- Functions of the time alone.

// What a node depends on.
enum { ON_TIME = 1, ON_OTHERS = 2 };

typedef struct {
    ExprPool *pool;
    const Expr *symbols;
    size_t params;
    uint8_t *depends; // of every node of the pool
    bool *wanted;     // is no part of a function that is bounded whole
} Finding;

static uint8_t symbol_depends(const Finding *finding, Expr symbol)
{
    for (size_t i = 0; i < finding->params; i++)
        if (finding->symbols[i].at == symbol.at)
            return 0;
    return symbol.at == finding->symbols[finding->params].at ? ON_TIME : ON_OTHERS;
}

static uint8_t node_depends(const Finding *finding, Expr e)
{
    if (expr_is_symbol(finding->pool, e))
        return symbol_depends(finding, e);
    uint8_t depends = 0;
    for (size_t i = 0; i < expr_arg_count(finding->pool, e); i++)
        depends |= finding->depends[expr_arg(finding->pool, e, i).at];
    return depends;
}

static void add_function(TimeBounds *bounds, Expr f)
{
    for (size_t i = 0; i < bounds->functions.count; i++)
        if (bounds->functions.at[i].at == f.at)
            return;
    array_push(&bounds->functions, f);
}

// Of a low natural power: its series is right where that of its base is. Of a high one it is not:
// sin(t)^20000 is a row of narrow pulses, and so is a power of t.
static bool is_low_power(const fmpq *exponent)
{
    return fmpz_is_one(fmpq_denref(exponent)) && fmpz_sgn(fmpq_numref(exponent)) > 0 &&
           fmpz_cmp_ui(fmpq_numref(exponent), LOW_ORDER) <= 0;
}

static Expr factor_at(const Finding *finding, Expr product, size_t i)
{
    ExprPool *pool = finding->pool;
    Expr exponent = expr_number(pool, expr_arg_weight(pool, product, i));
    return expr_pow(pool, expr_arg(pool, product, i), exponent);
}

// Where several factors change with the time their product is one function: a wave in a pulse is 0
// where the pulse is, however short the wave. Of one alone its power is, and its base; a low power
// is not, but for low orders.
static void add_factors(TimeBounds *bounds, const Finding *finding, Expr product)
{
    ExprPool *pool = finding->pool;
    size_t changing = 0, count = expr_arg_count(pool, product);
    bool is_power = false;
    Expr whole = expr_int(pool, 1);
    for (size_t i = 0; i < count; i++) {
        Expr base = expr_arg(pool, product, i);
        const fmpq *exponent = expr_arg_weight(pool, product, i);
        if (finding->depends[base.at] != ON_TIME)
            continue;
        whole = expr_mul(pool, whole, factor_at(finding, product, i));
        bool low = is_low_power(exponent);
        changing += !expr_is_symbol(pool, base) || !low;
        is_power = is_power || (bounds->length <= LOW_ORDER ? !fmpq_is_one(exponent) : !low);
    }
    for (size_t i = 0; i < count; i++) {
        Expr base = expr_arg(pool, product, i);
        if (changing <= 1 || finding->depends[base.at] != ON_TIME)
            finding->wanted[base.at] = true;
    }
    if (changing > 1 || (changing == 1 && is_power))
        add_function(bounds, whole);
}

// The functions that a node is, or has as factors; which of its arguments hold others.
static void add_functions(TimeBounds *bounds, const Finding *finding, Expr e)
{
    ExprPool *pool = finding->pool;
    ExprOp op = expr_op(pool, e);
    if (op == EXPR_PRODUCT) {
        add_factors(bounds, finding, e);
        return;
    }
    for (size_t i = 0; i < expr_arg_count(pool, e); i++)
        finding->wanted[expr_arg(pool, e, i).at] = true;
    if (op != EXPR_SUM && op != EXPR_SYMBOL && finding->depends[e.at] == ON_TIME)
        add_function(bounds, e);
}

static void find_functions(TimeBounds *bounds, Finding *finding, const Expr *roots, size_t count)
{
    ExprList nodes = expr_nodes(finding->pool, roots, count);
    uint32_t last = 0;
    for (size_t i = 0; i < nodes.count; i++)
        last = nodes.at[i] > last ? nodes.at[i] : last;
    finding->depends = base_alloc((size_t)last + 1);
    finding->wanted = base_alloc(((size_t)last + 1) * sizeof *finding->wanted);
    for (size_t i = 0; i < nodes.count; i++)
        finding->depends[nodes.at[i]] = node_depends(finding, (Expr){nodes.at[i]});
    for (size_t i = 0; i < count; i++)
        finding->wanted[roots[i].at] = true;
    for (size_t i = nodes.count; i-- > 0;)
        if (finding->wanted[nodes.at[i]])
            add_functions(bounds, finding, (Expr){nodes.at[i]});
    base_free(finding->wanted);
    base_free(finding->depends);
    expr_list_free(&nodes);
}

// The last function that holds a switch: nothing in it, but for what has its own, does too.
static size_t find_switching(const TimeBounds *bounds, ExprPool *pool)
{
    for (size_t i = bounds->functions.count; i-- > 0;) {
        ExprList nodes = expr_nodes(pool, &bounds->functions.at[i], 1);
        bool found = false;
        for (size_t j = 0; j < nodes.count && !found; j++)
            found = expr_table_of(pool, (Expr){nodes.at[j]}) ||
                    !expr_is_none(expr_switch_argument(pool, (Expr){nodes.at[j]}));
        expr_list_free(&nodes);
        if (found)
            return i;
    }
    return 0;
}

// ---- Making.

TimeBounds *time_bounds_new(ExprPool *pool, const Expr *roots, size_t root_count,
                            const Expr *symbols, const double *values, size_t params, double to,
                            size_t order)
{
    assert(pool && roots && symbols && to >= 0);
    TimeBounds *bounds = base_alloc(sizeof *bounds);
    Finding finding = {.pool = pool, .symbols = symbols, .params = params};
    Expr *bounded = base_alloc((root_count + 1) * sizeof *bounded);
    expr_bounded(pool, roots, root_count, bounded);
    bounds->length = order + 2;
    find_functions(bounds, &finding, bounded, root_count);
    base_free(bounded);
    if (bounds->functions.count == 0) {
        base_free(bounds);
        return NULL;
    }
    bounds->output_count = bounds->functions.count;
    bounds->input_count = params + 1;
    bounds->program = program_new(pool, symbols, bounds->input_count, bounds->functions.at,
                                  bounds->output_count, NULL);
    assert(bounds->program);
    bounds->to = to;
    bounds->inputs = _arb_vec_init((slong)(params + bounds->length));
    arb_one(bounds->inputs + params + 1); // the time is c + s
    for (size_t i = 0; i < params; i++)
        arb_set_d(bounds->inputs + i, values[i]);
    bounds->outputs = _arb_vec_init((slong)(bounds->output_count * bounds->length));
    bounds->difference = _arb_vec_init((slong)bounds->length);
    bounds->switch_count = program_switches(bounds->program);
    bounds->switching = find_switching(bounds, pool);
    bounds->signs = base_alloc((bounds->switch_count + 1) * sizeof *bounds->signs);
    bounds->segment = base_alloc((bounds->switch_count + 1) * sizeof *bounds->segment);
    bounds->largest = base_alloc((bounds->output_count + 1) * sizeof *bounds->largest);
    bounds->from = INFINITY;
    bounds->unknown = INFINITY;
    bounds->shortest = INFINITY;
    return bounds;
}

bool time_bounds_hold(const TimeBounds *bounds, const ExprPool *pool, Expr symbol)
{
    for (size_t i = 0; i < bounds->functions.count; i++)
        if (expr_holds(pool, bounds->functions.at[i], symbol))
            return true;
    return false;
}

static void clear_tree(TimeBounds *bounds)
{
    for (size_t i = 0; i < bounds->tree.count; i++)
        base_free(bounds->tree.at[i].bounds);
    bounds->tree.count = 0;
}

void time_bounds_free(TimeBounds *bounds)
{
    if (!bounds)
        return;
    clear_tree(bounds);
    array_clear(&bounds->tree);
    array_clear(&bounds->functions);
    program_free(bounds->program);
    _arb_vec_clear(bounds->inputs, (slong)(bounds->input_count - 1 + bounds->length));
    _arb_vec_clear(bounds->outputs, (slong)(bounds->output_count * bounds->length));
    _arb_vec_clear(bounds->difference, (slong)bounds->length);
    base_free(bounds->signs);
    base_free(bounds->segment);
    base_free(bounds->largest);
    base_free(bounds);
}

// ---- Enclosures.

static bool is_point(double from, double to)
{
    return to - from <= fmax(POINT_DIGITS * DBL_EPSILON * fmax(fabs(from), fabs(to)), DBL_MIN);
}

// Series of `length` over the interval; the number of the first switch that is not decided, or −1.
static ptrdiff_t enclose(TimeBounds *bounds, double from, double to, slong length)
{
    arb_ptr time = bounds->inputs + bounds->input_count - 1;
    arf_t a, b;
    arf_init(a);
    arf_init(b);
    arf_set_d(a, from);
    arf_set_d(b, to);
    arb_set_interval_arf(time, a, b, PRECISION);
    arf_clear(a);
    arf_clear(b);
    ProgramBallBranches branches = {.signs = bounds->signs, .difference = bounds->difference};
    program_run_ball_series(bounds->program, PRECISION, length, bounds->inputs, 1, &branches,
                            bounds->outputs);
    return branches.unknown;
}

static ptrdiff_t enclose_freely(TimeBounds *bounds, double from, double to, slong length)
{
    memset(bounds->signs, 0, bounds->switch_count * sizeof *bounds->signs);
    return enclose(bounds, from, to, length);
}

// ---- Switches.

// The branch of a switch at an instant; 0 where not even that is known.
static int64_t sign_at(TimeBounds *bounds, double t, ptrdiff_t which)
{
    enclose_freely(bounds, t, t, 1);
    return bounds->signs[which];
}

// In doubles the sign is sure only some last digits away.
static TimeSwitch switch_at(double t)
{
    double margin = SWITCH_DIGITS * DBL_EPSILON * fabs(t);
    return (TimeSwitch){t - margin, t, t + margin};
}

// Where an argument that is monotone over the interval has its root; false where it has none.
static bool find_root(TimeBounds *bounds, double from, double to, ptrdiff_t which,
                      TimeSwitch *found)
{
    int64_t first = sign_at(bounds, from, which), last = sign_at(bounds, to, which);
    if (first == last && first != 0)
        return false;
    double low = from, high = to;
    for (double middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2)
        *(sign_at(bounds, middle, which) == first ? &low : &high) = middle;
    *found = switch_at(high);
    return true;
}

static bool is_only_unknown(const TimeBounds *bounds, ptrdiff_t which)
{
    for (size_t i = (size_t)which + 1; i < bounds->switch_count; i++)
        if (bounds->signs[i] == 0)
            return false;
    return true;
}

// The first switch in the interval; or a time up to which there is none, behind which it is not
// known.
static bool first_switch(TimeBounds *bounds, double from, double to, TimeSwitch *found)
{
    ptrdiff_t which = enclose_freely(bounds, from, to, 2);
    if (which < 0)
        return false;
    if (++bounds->asked > MOST_INTERVALS) {
        bounds->unknown = from;
        bounds->count += bounds->asked;
        bounds->narrow = bounds->switching;
        *found = switch_at(from);
        return true;
    }
    arb_srcptr slope = bounds->difference + 1;
    if (is_only_unknown(bounds, which) && arb_is_nonzero(slope) && !arb_contains_zero(slope) &&
        arb_is_finite(slope))
        return find_root(bounds, from, to, which, found);
    if (is_point(from, to)) {
        // Exactly 0 at one of these times, perhaps; or it has another sign from one of them on.
        double at = from;
        int64_t first = sign_at(bounds, from, which);
        while (at < to && first != 0 && sign_at(bounds, at, which) == first)
            at = nextafter(at, INFINITY);
        *found = switch_at(at);
        found->before = fmin(found->before, from);
        found->after = fmax(found->after, to);
        return true;
    }
    double middle = from + (to - from) / 2;
    return first_switch(bounds, from, middle, found) || first_switch(bounds, middle, to, found);
}

bool time_bounds_next_switch(TimeBounds *bounds, double t, TimeSwitch *found)
{
    if (bounds->switch_count == 0 || t >= bounds->to)
        return false;
    if (!(t >= bounds->from && t < bounds->next.after)) {
        // What is 0 at t itself has switched there.
        double after = t + POINT_DIGITS * DBL_EPSILON * fmax(fabs(t), DBL_EPSILON * bounds->to);
        bounds->from = INFINITY;
        bounds->asked = 0;
        if (!first_switch(bounds, after, bounds->to, &bounds->next))
            bounds->next = (TimeSwitch){INFINITY, INFINITY, INFINITY};
    }
    *found = bounds->next;
    found->after = fmin(found->after, bounds->to);
    return isfinite(found->at);
}

// Between which switches t is, and which branches are taken there.
static void enter_segment(TimeBounds *bounds, double t)
{
    TimeSwitch next;
    if (t >= bounds->from && t < bounds->next.after)
        return;
    if (!time_bounds_next_switch(bounds, t, &next))
        bounds->next = (TimeSwitch){INFINITY, INFINITY, INFINITY};
    double until = fmin(bounds->next.before, bounds->to), middle = t + (until - t) / 2;
    enclose_freely(bounds, middle, middle, 1);
    memcpy(bounds->segment, bounds->signs, bounds->switch_count * sizeof *bounds->segment);
    bounds->from = t;
    clear_tree(bounds);
    array_push(&bounds->tree, ((TimeInterval){.from = t, .to = until}));
    bounds->serving = (TimeServing){0};
}

// ---- The tree.

// log₂ of the largest size in a ball. The 32nd derivative of a pulse of a nanosecond is beyond all
// doubles, and the tails of one of an hour are below them.
static double log_size_of(const arb_t ball)
{
    mag_t size;
    mag_init(size);
    arb_get_mag(size, ball);
    double value = INFINITY;
    if (mag_is_zero(size))
        value = -INFINITY;
    else if (arb_is_finite(ball))
        value = log2((double)MAG_MAN(size)) - MAG_BITS + fmpz_get_d(MAG_EXPREF(size));
    mag_clear(size);
    return value;
}

// Fills in what is known of an interval.
static void bound(TimeBounds *bounds, TimeInterval *interval)
{
    size_t length = bounds->length;
    double middle = interval->from + (interval->to - interval->from) / 2;
    memcpy(bounds->signs, bounds->segment, bounds->switch_count * sizeof *bounds->signs);
    enclose(bounds, interval->from, interval->to, (slong)length);
    interval->bounds = base_alloc((bounds->output_count * (length + 2) + 1) * sizeof(double));
    interval->sizes = interval->bounds + bounds->output_count * length;
    for (size_t i = 0; i < bounds->output_count * length; i++)
        interval->bounds[i] = log_size_of(bounds->outputs + i);
    enclose(bounds, middle, middle, 2);
    for (size_t i = 0; i < bounds->output_count; i++) {
        interval->sizes[2 * i] = exp2(log_size_of(bounds->outputs + 2 * i));
        interval->sizes[2 * i + 1] = exp2(log_size_of(bounds->outputs + 2 * i + 1));
        if (isfinite(interval->sizes[2 * i]))
            bounds->largest[i] = fmax(bounds->largest[i], interval->sizes[2 * i]);
    }
    bounds->count++;
    bounds->shortest = fmin(bounds->shortest, interval->to - interval->from);
}

// How long a step inside may be so that every function is its Taylor polynomial. Its size is its
// value in the middle and what it changes by in `step`: B_0 may be far too large. What is smaller
// than a double can be is 0.
static double longest_step(TimeBounds *bounds, const TimeInterval *interval, double step,
                           size_t degree, double tolerance)
{
    double longest = INFINITY;
    for (size_t i = 0; i < bounds->output_count; i++) {
        double bound = interval->bounds[i * bounds->length + degree + 1];
        double size = interval->sizes[2 * i] + interval->sizes[2 * i + 1] * step;
        size = fmax(size, tolerance * bounds->largest[i]);
        double own = exp2((log2(fmax(tolerance * size, DBL_MIN)) - bound) / (double)(degree + 1));
        if (!isfinite(size) || !(own >= longest)) {
            bounds->narrow = i;
            longest = isfinite(size) && own > 0 ? own : 0;
        }
    }
    return longest;
}

static size_t half_with(TimeBounds *bounds, size_t at, double t)
{
    TimeInterval *interval = bounds->tree.at + at;
    double middle = interval->from + (interval->to - interval->from) / 2;
    if (interval->left == 0) {
        TimeInterval left = {.from = interval->from, .to = middle};
        TimeInterval right = {.from = middle, .to = interval->to};
        interval->left = (ptrdiff_t)bounds->tree.count;
        interval->right = interval->left + 1;
        array_push(&bounds->tree, left);
        array_push(&bounds->tree, right);
        interval = bounds->tree.at + at;
    }
    return (size_t)(t < middle ? interval->left : interval->right);
}

// The end of the largest interval about t over which the step is resolved; t where there is none
// that is not much shorter than the step. *longest is what the last interval allows.
static double resolved_until(TimeBounds *bounds, double t, double step, size_t degree,
                             double tolerance, double *longest)
{
    for (size_t at = 0;; at = half_with(bounds, at, t)) {
        TimeInterval *interval = bounds->tree.at + at;
        if (!interval->bounds)
            bound(bounds, interval);
        *longest = longest_step(bounds, interval, step, degree, tolerance);
        if (step <= *longest)
            return interval->to;
        double length = interval->to - interval->from;
        if (length * PARTS_OF_A_STEP < step || is_point(interval->from, interval->to))
            return t;
    }
}

// What an interval with t inside allows from there; 0 where that is not even `least`. What a step
// allows grows with it, so that a step which a shorter one allows, allows itself.
static double allowed(TimeBounds *bounds, size_t at, double t, double least, size_t degree,
                      double tolerance)
{
    const TimeInterval *interval = bounds->tree.at + at;
    if (!interval->bounds || !(interval->from <= t && t + least <= interval->to))
        return 0;
    double longest = longest_step(bounds, interval, least, degree, tolerance);
    return longest >= least ? fmin(longest, interval->to - t) : 0;
}

// By the interval that served last; 0 where it does not allow as much again.
static double reach_again(TimeBounds *bounds, double t, double step, size_t degree,
                          double tolerance)
{
    TimeServing *serving = &bounds->serving;
    if (serving->left == 0)
        return 0;
    serving->left--;
    return fmin(step, allowed(bounds, serving->at, t, serving->step, degree, tolerance));
}

// One of the known halves with t inside; 0 for none.
static size_t known_half(const TimeBounds *bounds, size_t at, double t)
{
    const TimeInterval *interval = bounds->tree.at + at;
    double middle = interval->from + (interval->to - interval->from) / 2;
    return (size_t)(t < middle ? interval->left : interval->right);
}

// The longest step that an interval allows, at least the one that was found, and the largest
// interval that allows nearly as much: one of waves serves for as long as they last. Where it does,
// others are looked at ever less often.
static double serve(TimeBounds *bounds, double t, double step, size_t degree, double tolerance)
{
    TimeServing former = bounds->serving, *serving = &bounds->serving;
    double longest = step;
    size_t at = 0;
    do {
        longest = fmax(longest, allowed(bounds, at, t, step, degree, tolerance));
        at = known_half(bounds, at, t);
    } while (at > 0);
    double least = longest - longest / PARTS_OF_A_STEP;
    bool same = former.trusted > 0 && least < 2 * former.step && former.step < 2 * least;
    size_t trusted = same ? 2 * former.trusted : 1;
    *serving = (TimeServing){.step = least, .trusted = trusted < MOST_AGAIN ? trusted : MOST_AGAIN};
    do {
        if (allowed(bounds, at, t, least, degree, tolerance) > 0) {
            serving->at = at;
            serving->left = serving->trusted;
            break;
        }
        at = known_half(bounds, at, t);
    } while (at > 0);
    return longest;
}

double time_bounds_reach(TimeBounds *bounds, double t, double step, size_t degree, double tolerance)
{
    assert(degree + 2 <= bounds->length && step > 0 && tolerance > 0);
    if (t >= bounds->to)
        return step;
    enter_segment(bounds, t);
    size_t most = bounds->tree.count + MOST_INTERVALS;
    double asked = step = fmin(step, fmin(bounds->next.before, bounds->to) - t);
    // Beyond that nobody knows which branches are taken.
    if (t + step >= bounds->next.before && bounds->unknown <= bounds->next.at)
        return 0;
    if (is_point(t, t + step))
        return step;
    double again = reach_again(bounds, t, step, degree, tolerance);
    if (again > 0)
        return again;
    for (double at = t, end, longest; at < t + step; at = end) {
        if (is_point(t, t + step) || bounds->tree.count > most)
            return 0;
        end = resolved_until(bounds, at, step, degree, tolerance, &longest);
        if (end == at && at > t) {
            step = at - t;
            break;
        }
        step = end == at ? fmax(longest, step / 2) : step;
    }
    return step < asked ? fmin(asked, serve(bounds, t, step, degree, tolerance)) : step;
}

size_t time_bounds_functions(const TimeBounds *bounds)
{
    return bounds ? bounds->output_count : 0;
}

// What a function has at most between two times, by `inputs` whose last is the time.
static double most_between(const TimeBounds *bounds, size_t which, double from, double to,
                           Interval *inputs, Interval *work)
{
    Interval *outputs = work + program_registers(bounds->program);
    inputs[bounds->input_count - 1] = (Interval){from, to};
    program_run_intervals(bounds->program, inputs, outputs, work);
    return fmax(fabs(outputs[which].low), fabs(outputs[which].high));
}

double time_bounds_peak(TimeBounds *bounds, size_t which, double *lasting)
{
    assert(which < bounds->output_count && lasting);
    size_t inputs = bounds->input_count;
    Interval *room = base_alloc(
        (inputs + program_registers(bounds->program) + bounds->output_count) * sizeof *room);
    for (size_t i = 0; i + 1 < inputs; i++)
        room[i].low = room[i].high = arf_get_d(arb_midref(bounds->inputs + i), ARF_RND_NEAR);
    double from = 0, to = bounds->to;
    while (!is_point(from, to)) {
        double middle = from + (to - from) / 2;
        bool left = most_between(bounds, which, from, middle, room, room + inputs) >=
                    most_between(bounds, which, middle, to, room, room + inputs);
        *(left ? &to : &from) = middle;
    }
    base_free(room);
    enclose_freely(bounds, to, to, 3);
    arb_srcptr series = bounds->outputs + 3 * which;
    double size = log_size_of(series), slope = log_size_of(series + 1);
    *lasting = fmin(exp2(size - slope), exp2((size - log_size_of(series + 2)) / 2));
    return to;
}

Expr time_bounds_narrow(const TimeBounds *bounds)
{
    return bounds->functions.at[bounds->narrow];
}

size_t time_bounds_count(const TimeBounds *bounds, double *shortest)
{
    *shortest = bounds->shortest;
    return bounds->count;
}
