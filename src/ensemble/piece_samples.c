// piece_samples.c: the largest and least values of functions along a smooth piece of a motion, and
// their integrals.
//
// A piece is sampled at Chebyshev's points, 17, 33, 65, until the functions are the polynomials
// through them. It is cut where arguments of abs, sign, min and max are 0, the guides, which are
// sampled, too, and round a maximum of the level of a narrow function, down to a part in which it
// is wide. Where 65 points are not enough for a function, its part is cut at a jump, between
// two neighbouring numbers; around a kink, whose part becomes very short; else in halves. The
// extrema of the polynomial are where its derivative changes sign; the values there are those of
// the motion (L. N. Trefethen, "Approximation theory and approximation practice", 2013, chapters 3,
// 18 and 19; jumps and kinks: R. Pachón, R. B. Platte and L. N. Trefethen, IMA J. Numer. Anal. 30
// (2010) 898).
#include "ensemble/keeps_impl.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <float.h>
#include <math.h>

enum { FEWEST = 16, MOST = 64, CUTS = 200, BISECTIONS = 60, STANDS_OUT = 4, PROBES = 8 };

struct PieceSamples {
    size_t count, ranged; // functions; those that are not guides, the first ones
    const KeepGuide *guides;
    size_t *guided;      // cuts that are left to each guide,
    size_t cuts;         // and to a function, for this piece,
    double length;       // which is so long
    double *values;      // (MOST + 1) × count
    double *one, *tails; // count each
    double *sizes;       // of the functions along this piece
    bool *resolved;
    double c[MOST + 1];     // coefficients of one of them
    double slope[MOST + 1]; // of its derivative
    double cosine[2 * MOST];
};

PieceSamples *piece_samples_new(Arena *arena, size_t functions, const KeepGuide *guides,
                                size_t guide_count)
{
    PieceSamples *samples = arena_alloc(arena, sizeof *samples);
    size_t count = functions + guide_count;
    samples->guides = guides;
    samples->guided = arena_array(arena, size_t, guide_count + 1);
    samples->count = count;
    samples->ranged = functions;
    samples->values = arena_array(arena, double, (MOST + 1) * (count + 1));
    samples->one = arena_array(arena, double, count + 1);
    samples->tails = arena_array(arena, double, count + 1);
    samples->sizes = arena_array(arena, double, count + 1);
    samples->resolved = arena_array(arena, bool, count + 1);
    for (size_t i = 0; i < 2 * MOST; i++)
        samples->cosine[i] = cos((double)i * acos(-1) / MOST);
    return samples;
}

// Of values that are the same but for rounding the first counts.
static bool exceeds(double value, double known)
{
    return isnan(known) ? !isnan(value) : value - known > TOL_ZERO * fabs(known);
}

void function_range_add(FunctionRange *range, double t, double value)
{
    if (exceeds(value, range->max)) {
        range->max = value;
        range->max_time = t;
    }
    if (exceeds(-value, -range->min)) {
        range->min = value;
        range->min_time = t;
    }
}

// Point i of n + 1, from −1 to 1.
static double point(const PieceSamples *samples, size_t i, size_t n)
{
    return -samples->cosine[i * (MOST / n)];
}

// Chebyshev's coefficients of the polynomial of degree n through the samples of function f.
static void find_coefficients(PieceSamples *samples, size_t f, size_t n)
{
    for (size_t k = 0; k <= n; k++) {
        double sum = 0;
        for (size_t i = 0; i <= n; i++) {
            // Sample i stands at −cos(πi/n), and T_k of that is (−1)^k·cos(πik/n).
            double value = samples->values[i * samples->count + f];
            double part = value * samples->cosine[i * k * (MOST / n) % (2 * MOST)];
            sum += i == 0 || i == n ? part / 2 : part;
        }
        samples->c[k] = (k % 2 ? -2 : 2) * sum / (double)n / (k == 0 || k == n ? 2 : 1);
    }
}

typedef struct {
    double from, to;
    SampleFn sample;
    void *context;
} Piece;

static double time_of(const Piece *piece, double x)
{
    return x <= -1  ? piece->from
           : x >= 1 ? piece->to
                    : piece->from + (piece->to - piece->from) * (x + 1) / 2;
}

// Whether a function is as large a way apart within a very short part of the piece as in the whole
// of it, as rounding is.
static bool is_noise(PieceSamples *samples, const Piece *piece, size_t f, double size)
{
    double low = INFINITY, high = -INFINITY, length = TOL_SMALL * (piece->to - piece->from);
    for (int i = 0; i <= PROBES; i++) {
        double t = (piece->from + piece->to) / 2 + length * i / PROBES;
        if (!piece->sample(piece->context, t, samples->one))
            return false;
        low = fmin(low, samples->one[f]);
        high = fmax(high, samples->one[f]);
    }
    return high - low > TOL_POOR * size;
}

// Whether the last coefficients are as good as nothing; or are rounding, of which four times as
// many points make no less than half: all of them, or what is far below the first ones, or what the
// rounding of the times makes of a short piece. Those of a function with a kink, or a jump, are
// between that.
static bool is_resolved(PieceSamples *samples, const Piece *piece, size_t f, size_t n)
{
    double size = samples->sizes[f], tail = 0, last = 0;
    find_coefficients(samples, f, n);
    for (size_t k = 0; k <= n; k++)
        size = fmax(size, fabs(samples->c[k]));
    samples->sizes[f] = size;
    for (size_t k = n - n / 4; k <= n; k++) {
        tail = fmax(tail, fabs(samples->c[k]));
        last = k + 2 < n ? 0 : fmax(last, fabs(samples->c[k]));
    }
    if (n == MOST / 4)
        samples->tails[f] = tail;
    if (last <= TOL_ZERO * size)
        return true;
    if (n < MOST || 3 * tail <= samples->tails[f])
        return false;
    double latest = fmax(fabs(piece->from), fabs(piece->to));
    double rounding = EVENT_MARGIN * DBL_EPSILON * latest / (piece->to - piece->from);
    return tail < fmax(TOL_AGREEMENT, rounding) * size ||
           (tail > TOL_POOR * size && is_noise(samples, piece, f, size));
}

static double chebyshev_sum(const double *c, size_t n, double x)
{
    double b = 0, b_next = 0;
    for (size_t k = n + 1; k-- > 1;) {
        double former = b;
        b = c[k] + 2 * x * b - b_next;
        b_next = former;
    }
    return c[0] + x * b - b_next;
}

static void find_slope(PieceSamples *samples, size_t n)
{
    double next = 0, after = 0;
    for (size_t k = n; k-- > 0;) {
        double value = after + 2 * (double)(k + 1) * samples->c[k + 1];
        after = next;
        next = value;
        samples->slope[k] = k == 0 ? value / 2 : value;
    }
}

// Where the derivative vanishes between two points.
static double find_extremum(const PieceSamples *samples, size_t n, double low, double high)
{
    bool rises = chebyshev_sum(samples->slope, n - 1, low) > 0;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        bool up = chebyshev_sum(samples->slope, n - 1, middle) > 0;
        *(up == rises ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

// Where the polynomial is 0 between two points, at which it has other signs.
static double find_zero(const PieceSamples *samples, size_t n, double low, double high)
{
    bool rises = chebyshev_sum(samples->c, n, high) > 0;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        bool above = chebyshev_sum(samples->c, n, middle) > 0;
        *(above == rises ? &high : &low) = middle;
    }
    return (low + high) / 2;
}

// How far the function can go beyond two neighbouring samples between them: by an eighth of the
// second difference; eight times as much is allowed for.
static double find_overshoot(const PieceSamples *samples, size_t f, size_t n)
{
    const double *v = samples->values + f;
    size_t count = samples->count;
    double beyond = 0;
    for (size_t i = 2; i <= n; i++)
        beyond = fmax(beyond, fabs(v[i * count] - 2 * v[(i - 1) * count] + v[(i - 2) * count]));
    return beyond;
}

// Whether there is an extremum between two points, and not at one of them.
static bool has_extremum(const PieceSamples *samples, size_t n, double a, double b)
{
    return chebyshev_sum(samples->slope, n - 1, a) * chebyshev_sum(samples->slope, n - 1, b) < 0;
}

// Extrema between the samples of a function: only those that could be the largest or least so far
// are looked at.
static void add_extrema(PieceSamples *samples, const Piece *piece, size_t f, size_t n,
                        FunctionRange *range)
{
    const double *v = samples->values + f;
    size_t count = samples->count;
    double beyond = find_overshoot(samples, f, n);
    for (size_t i = 0; i <= n; i++)
        function_range_add(range, time_of(piece, point(samples, i, n)), v[i * count]);
    find_slope(samples, n);
    for (size_t i = 0; i < n; i++) {
        double high = fmax(v[i * count], v[(i + 1) * count]) + beyond;
        double low = fmin(v[i * count], v[(i + 1) * count]) - beyond;
        double a = point(samples, i, n), b = point(samples, i + 1, n);
        bool matters = exceeds(high, range->max) || exceeds(-low, -range->min);
        if (!matters || !has_extremum(samples, n, a, b))
            continue;
        double t = time_of(piece, find_extremum(samples, n, a, b));
        if (piece->sample(piece->context, t, samples->one))
            function_range_add(range, t, samples->one[f]);
    }
}

// The integral of the polynomial: of T_k it is 2/(1 − k²) for even k (C. W. Clenshaw and A. R.
// Curtis, 1960).
static double find_integral(const PieceSamples *samples, size_t n, double length)
{
    double sum = 0;
    for (size_t k = 0; k <= n; k += 2)
        sum += 2 * samples->c[k] / (1 - (double)k * (double)k);
    return sum * length / 2;
}

// All samples of n + 1 points, or those that n/2 + 1 have not.
static bool fill(PieceSamples *samples, const Piece *piece, size_t n, bool anew)
{
    size_t count = samples->count;
    for (size_t i = n / 2 + 1; !anew && i-- > 0;)
        for (size_t f = 0; f < count; f++)
            samples->values[2 * i * count + f] = samples->values[i * count + f];
    for (size_t i = anew ? 0 : 1; i <= n; i += anew ? 1 : 2)
        if (!piece->sample(piece->context, time_of(piece, point(samples, i, n)),
                           samples->values + i * count))
            return false;
    return true;
}

// ---- Where a piece is cut.

// The first part ends at a time, and the last one begins at a time; between them is the part where
// the function does what no polynomial does, or nothing, as at a jump.
typedef struct {
    double first_end, last_begin;
} Cut;

// The largest difference of the function, of an order, over its samples: at the first of them;
// whether it stands out from those that have no sample in common with it.
static bool find_largest_difference(const PieceSamples *samples, size_t f, size_t n, size_t order,
                                    size_t *at)
{
    const double *v = samples->values + f;
    size_t count = samples->count;
    double largest = 0, other = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i + order <= n; i++) {
            double change = v[(i + 1) * count] - v[i * count];
            if (order == 2)
                change = v[(i + 2) * count] - v[(i + 1) * count] - change;
            bool near = i + order > *at && i < *at + order;
            if (pass == 0 && fabs(change) > largest) {
                largest = fabs(change);
                *at = i;
            }
            if (pass == 1 && !near)
                other = fmax(other, fabs(change));
        }
    return largest > STANDS_OUT * other;
}

// A jump: two neighbouring numbers between which the function changes by most of what it does
// between two samples.
static bool find_jump(PieceSamples *samples, const Piece *piece, size_t f, Cut *cut)
{
    size_t at = 0;
    if (!find_largest_difference(samples, f, MOST, 1, &at))
        return false;
    double low = time_of(piece, point(samples, at, MOST)), middle;
    double high = time_of(piece, point(samples, at + 1, MOST));
    double below = samples->values[at * samples->count + f];
    double above = samples->values[(at + 1) * samples->count + f], jump = fabs(above - below);
    while (middle = (low + high) / 2, low < middle && middle < high) {
        if (!piece->sample(piece->context, middle, samples->one))
            return false;
        bool is_below = fabs(samples->one[f] - below) > fabs(above - samples->one[f]);
        *(is_below ? &above : &below) = samples->one[f];
        *(is_below ? &high : &low) = middle;
    }
    *cut = (Cut){low, high};
    return fabs(above - below) > jump / 2;
}

static Cut find_cut(PieceSamples *samples, const Piece *piece, size_t f)
{
    double middle = (piece->from + piece->to) / 2;
    Cut cut;
    size_t at = 0;
    if (find_jump(samples, piece, f, &cut))
        return cut;
    // A kink between these three samples; perhaps beside them.
    if (find_largest_difference(samples, f, MOST, 2, &at))
        return (Cut){time_of(piece, at < 1 ? -1 : point(samples, at - 1, MOST)),
                     time_of(piece, at + 3 > MOST ? 1 : point(samples, at + 3, MOST))};
    return (Cut){middle, middle};
}

// ---- Functions along a piece.

// Samples until functions, from the first on so many, are resolved; at how many points less one,
// 0 where there are no values.
static size_t fill_enough(PieceSamples *samples, const Piece *piece, size_t first, size_t count)
{
    for (size_t n = FEWEST;; n *= 2) {
        if (!fill(samples, piece, n, n == FEWEST))
            return 0;
        bool all = true;
        for (size_t f = first; f < first + count; f++) {
            samples->resolved[f] = is_resolved(samples, piece, f, n);
            all = all && samples->resolved[f];
        }
        if (all || n == MOST)
            return n;
    }
}

static void add_samples(PieceSamples *samples, const Piece *piece, size_t f, size_t n,
                        FunctionRange *range)
{
    find_coefficients(samples, f, n);
    range->integral += find_integral(samples, n, piece->to - piece->from);
    add_extrema(samples, piece, f, n, range);
}

// One function, piece by piece.
static void add_parts(PieceSamples *samples, const Piece *piece, size_t f, FunctionRange *range)
{
    size_t n = fill_enough(samples, piece, f, 1);
    bool resolved = samples->resolved[f];
    bool is_short = piece->to - piece->from <= TOL_ZERO * samples->length;
    if (n == 0) {
        range->integral = NAN;
        return;
    }
    if (resolved || is_short || samples->cuts == 0) {
        range->open = range->open || !(resolved || is_short);
        add_samples(samples, piece, f, n, range);
        return;
    }
    samples->cuts--;
    Cut cut = find_cut(samples, piece, f);
    const double ends[] = {piece->from, cut.first_end, cut.last_begin, piece->to};
    for (size_t i = 0; i < 3; i++) {
        Piece part = {ends[i], ends[i + 1], piece->sample, piece->context};
        bool empty = ends[i + 1] - ends[i] <= 2 * DBL_EPSILON * fabs(ends[i]);
        if (!empty)
            add_parts(samples, &part, f, range);
    }
}

// ---- Guides.

static int sign_of(double value)
{
    return (value > 0) - (value < 0);
}

// Between two times at which a guide has other signs: neighbouring numbers.
static Cut find_root(PieceSamples *samples, const Piece *piece, size_t guide, double low,
                     double high)
{
    double middle;
    int below = piece->sample(piece->context, low, samples->one) ? sign_of(samples->one[guide]) : 0;
    while (middle = (low + high) / 2, low < middle && middle < high) {
        bool known = piece->sample(piece->context, middle, samples->one);
        *(known && sign_of(samples->one[guide]) == below ? &low : &high) = middle;
    }
    return (Cut){low, high};
}

// The first root of a guide that is beyond a time; false where there is none. Twice between two
// samples it is 0 on both sides of an extremum.
static bool find_next_root(PieceSamples *samples, const Piece *piece, size_t guide, size_t n,
                           double beyond, Cut *root)
{
    const double *v = samples->values + guide;
    size_t count = samples->count;
    double near = find_overshoot(samples, guide, n);
    find_coefficients(samples, guide, n);
    find_slope(samples, n);
    for (size_t i = 0; i < n; i++) {
        if (fabs(v[i * count]) > near && fabs(v[(i + 1) * count]) > near &&
            sign_of(v[i * count]) == sign_of(v[(i + 1) * count]))
            continue;
        double a = point(samples, i, n), b = point(samples, i + 1, n), ends[3] = {a, b, b};
        int signs[3] = {sign_of(v[i * count]), sign_of(v[(i + 1) * count])};
        size_t last = 1;
        if (has_extremum(samples, n, a, b)) {
            last = 2;
            ends[1] = find_extremum(samples, n, a, b);
            signs[2] = signs[1];
            signs[1] = sign_of(chebyshev_sum(samples->c, n, ends[1]));
        }
        for (size_t k = 0; k < last; k++) {
            if (signs[k] * signs[k + 1] >= 0 || time_of(piece, ends[k + 1]) <= beyond)
                continue;
            *root = find_root(samples, piece, guide, time_of(piece, ends[k]),
                              time_of(piece, ends[k + 1]));
            if (root->first_end >= beyond)
                return true;
        }
    }
    return false;
}

// Whether a guide may cut once more; else its function is open.
static bool may_cut(const PieceSamples *samples, size_t guide, FunctionRange *ranges)
{
    if (samples->guided[guide] > 0)
        return true;
    ranges[samples->guides[guide].function].open = true;
    return false;
}

// Up to the first root of a guide, and from there.
static bool find_first_root(PieceSamples *samples, const Piece *piece, size_t n,
                            FunctionRange *ranges, Cut *cut, size_t *by)
{
    Cut root;
    *cut = (Cut){piece->to, piece->to};
    for (size_t guide = 0, f = samples->ranged; f < samples->count; guide++, f++)
        if (samples->resolved[f] && !samples->guides[guide].has_level &&
            find_next_root(samples, piece, f, n, piece->from, &root) &&
            root.first_end > piece->from && root.last_begin < cut->last_begin &&
            may_cut(samples, guide, ranges)) {
            *cut = root;
            *by = guide;
        }
    return cut->last_begin < piece->to;
}

// Where a level stands highest above the lowest that it has at the samples, between two of these
// and above both: where its argument, which is the polynomial, is 0 or has an extremum.
static bool find_peak(PieceSamples *samples, const Piece *piece, size_t f, size_t n, Cut *cut)
{
    const NarrowFunction *level = &samples->guides[f - samples->ranged].level;
    const double *v = samples->values + f;
    size_t count = samples->count;
    double lowest = INFINITY, highest = -INFINITY, at = 0;
    for (size_t i = 0; i <= n; i++)
        lowest = fmin(lowest, narrow_visible(level, v[i * count]));
    find_coefficients(samples, f, n);
    find_slope(samples, n);
    for (size_t i = 0; i < n; i++) {
        double a = point(samples, i, n), b = point(samples, i + 1, n);
        bool root = v[i * count] * v[(i + 1) * count] < 0;
        if (!root && !has_extremum(samples, n, a, b))
            continue;
        double x = root ? find_zero(samples, n, a, b) : find_extremum(samples, n, a, b);
        if (!piece->sample(piece->context, time_of(piece, x), samples->one))
            continue;
        double top = narrow_visible(level, samples->one[f]);
        bool peak = top > narrow_visible(level, v[i * count]) &&
                    top > narrow_visible(level, v[(i + 1) * count]);
        if (peak && top > highest) {
            highest = top;
            at = x;
        }
    }
    *cut = (Cut){time_of(piece, at - TOL_COARSE), time_of(piece, at + TOL_COARSE)};
    return highest - lowest > MOST_RISE;
}

// Parts in which guides tell more: from kink to kink of theirs, and round the peak of a level.
static bool find_guided_cut(PieceSamples *samples, const Piece *piece, size_t n,
                            FunctionRange *ranges, Cut *cut, size_t *by)
{
    for (size_t guide = 0, f = samples->ranged; f < samples->count; guide++, f++) {
        bool known = samples->resolved[f];
        bool tells =
            !known || (samples->guides[guide].has_level && find_peak(samples, piece, f, n, cut));
        if (!tells || !may_cut(samples, guide, ranges))
            continue;
        if (!known)
            *cut = find_cut(samples, piece, f);
        *by = guide;
        return true;
    }
    return false;
}

static void add_piece(PieceSamples *samples, const Piece *piece, FunctionRange *ranges)
{
    size_t n = fill_enough(samples, piece, 0, samples->count), functions = samples->ranged, by = 0;
    bool is_long = piece->to - piece->from > TOL_ZERO * samples->length;
    Cut cut;
    if (n > 0 && (find_first_root(samples, piece, n, ranges, &cut, &by) ||
                  (is_long && find_guided_cut(samples, piece, n, ranges, &cut, &by)))) {
        const double ends[] = {piece->from, cut.first_end, cut.last_begin, piece->to};
        samples->guided[by]--;
        for (size_t i = 0; i < 3; i++)
            if (ends[i + 1] - ends[i] > 2 * DBL_EPSILON * fabs(ends[i]))
                add_piece(samples, &(Piece){ends[i], ends[i + 1], piece->sample, piece->context},
                          ranges);
        return;
    }
    for (size_t f = 0; f < functions; f++) {
        if (n == 0)
            ranges[f].integral = NAN;
        else if (samples->resolved[f])
            add_samples(samples, piece, f, n, &ranges[f]);
    }
    for (size_t f = 0; f < functions && n > 0; f++)
        if (!samples->resolved[f] && !ranges[f].open) {
            samples->cuts = CUTS;
            add_parts(samples, piece, f, &ranges[f]);
        }
}

void piece_samples_add(PieceSamples *samples, double from, double to, SampleFn sample,
                       void *context, FunctionRange *ranges)
{
    assert(from < to && samples->ranged > 0);
    samples->length = to - from;
    for (size_t guide = 0; guide + samples->ranged < samples->count; guide++)
        samples->guided[guide] = CUTS;
    for (size_t f = 0; f < samples->count; f++)
        samples->sizes[f] = 0;
    add_piece(samples, &(Piece){from, to, sample, context}, ranges);
}
