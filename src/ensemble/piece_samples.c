// piece_samples.c: the largest and least values of functions along a smooth piece of a motion, and
// their integrals.
//
// A piece is sampled at Chebyshev's points, 9, 17, 33, 65, until the functions are the polynomials
// through them; where 65 are not enough, in halves, which a kink makes very short. The extrema of
// the polynomial are where its derivative changes sign; the values there are those of the motion
// (L. N. Trefethen, "Approximation theory and approximation practice", 2013, chapters 3, 18 and
// 19).
#include "ensemble/keeps_impl.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <math.h>

enum { FEWEST = 8, MOST = 64, HALVINGS = 100, BISECTIONS = 60 };

struct PieceSamples {
    size_t count;           // functions
    size_t halvings;        // that are left for this piece,
    double length;          // which is so long
    double *values;         // (MOST + 1) × count
    double *one, *tails;    // count each
    double c[MOST + 1];     // coefficients of one of them
    double slope[MOST + 1]; // of its derivative
    double cosine[2 * MOST];
};

PieceSamples *piece_samples_new(Arena *arena, size_t count)
{
    PieceSamples *samples = arena_alloc(arena, sizeof *samples);
    samples->count = count;
    samples->values = arena_array(arena, double, (MOST + 1) * (count + 1));
    samples->one = arena_array(arena, double, count + 1);
    samples->tails = arena_array(arena, double, count + 1);
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

// Whether the last coefficients are as good as nothing; or are rounding, of which four times as
// many points make no less than half: all of them, or what is far below the first ones. Those of a
// function with a kink, or a jump, are between that.
static bool is_resolved(PieceSamples *samples, size_t f, size_t n)
{
    double size = 0, tail = 0, last = 0;
    find_coefficients(samples, f, n);
    for (size_t k = 0; k <= n; k++)
        size = fmax(size, fabs(samples->c[k]));
    for (size_t k = n - n / 4; k <= n; k++) {
        tail = fmax(tail, fabs(samples->c[k]));
        last = k + 2 < n ? 0 : fmax(last, fabs(samples->c[k]));
    }
    if (n == MOST / 4)
        samples->tails[f] = tail;
    bool rounding = tail > TOL_POOR * size || tail < TOL_AGREEMENT * size;
    return last <= TOL_ZERO * size || (n == MOST && rounding && 3 * tail > samples->tails[f]);
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

// Extrema between the samples of a function: only those that could be the largest or least so far
// are looked at.
static void add_extrema(PieceSamples *samples, const Piece *piece, size_t f, size_t n,
                        FunctionRange *range)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i <= n; i++) {
        double value = samples->values[i * samples->count + f];
        low = fmin(low, value);
        high = fmax(high, value);
        function_range_add(range, time_of(piece, point(samples, i, n)), value);
    }
    double between = (high - low) / 2;
    if (high + between < range->max && low - between > range->min)
        return;
    find_slope(samples, n);
    for (size_t i = 0; i < n; i++) {
        double a = point(samples, i, n), b = point(samples, i + 1, n);
        if (chebyshev_sum(samples->slope, n - 1, a) * chebyshev_sum(samples->slope, n - 1, b) > 0)
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

static void add_piece(PieceSamples *samples, const Piece *piece, FunctionRange *ranges)
{
    bool resolved = false, whole = true;
    size_t n = FEWEST;
    for (; whole && n <= MOST; n *= 2) {
        whole = fill(samples, piece, n, n == FEWEST);
        resolved = whole;
        for (size_t f = 0; f < samples->count && whole; f++)
            resolved = is_resolved(samples, f, n) && resolved;
        if (resolved || n == MOST)
            break;
    }
    double middle = (piece->from + piece->to) / 2;
    bool halves = samples->halvings > 0 && piece->to - piece->from > TOL_SMALL * samples->length;
    if (whole && !resolved && halves) {
        samples->halvings--;
        Piece first = *piece, second = *piece;
        first.to = second.from = middle;
        add_piece(samples, &first, ranges);
        add_piece(samples, &second, ranges);
        return;
    }
    for (size_t f = 0; f < samples->count; f++) {
        if (!whole) {
            ranges[f].integral = NAN;
            continue;
        }
        find_coefficients(samples, f, n);
        ranges[f].integral += find_integral(samples, n, piece->to - piece->from);
        add_extrema(samples, piece, f, n, &ranges[f]);
    }
}

void piece_samples_add(PieceSamples *samples, double from, double to, SampleFn sample,
                       void *context, FunctionRange *ranges)
{
    assert(from < to && samples->count > 0);
    samples->halvings = HALVINGS;
    samples->length = to - from;
    add_piece(samples, &(Piece){from, to, sample, context}, ranges);
}
