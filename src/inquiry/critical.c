// critical.c: the motion followed over a range, and where it gains or loses its stability.
//
// Along the range eigenvalues are taken in doubles. Between two values where the sign of what
// vanishes at a crossing (hurwitz.c) differs, its root is found in balls: real parts are
// ill-conditioned where eigenvalues meet, these functions are not. Where the number of growing
// modes changes and no such root was found, that number itself is halved in.
#include "inquiry/small_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HALVINGS = 120, SAMPLES = 3 };
// Against the range: a root is known so well.
#define WELL_KNOWN 1e-15
// Against the largest eigenvalue, at a root that is known so well: on the imaginary axis.
#define ON_AXIS 1e-6

typedef ARRAY(InquiryCritical) Criticals;

typedef struct {
    InquirySmall *small;
    size_t count, size, unknowns;
    double *values, *re, *im, *y;
    bool *found;
    bool even; // eigenvalues come as ±λ
    Criticals critical;
} Curve;

// ---- One value.

// The steady motion at this value, from that at another.
static bool move_to(InquirySmall *small, double from, double to, double *y)
{
    small_shift(small, from, to, y);
    return small_newton(small, true, to, y);
}

static bool eigen_at(InquirySmall *small, const double *y, double value, double *re, double *im)
{
    size_t size = small->size;
    double *A = base_alloc((size * size + 1) * sizeof *A);
    small_run(&small->program, y, value, small->unknowns);
    bool good = small_reduce(small, small->program.out, A, NULL, NULL);
    if (good)
        small_eigen(A, size, small->family, re, im);
    base_free(A);
    return good;
}

// What vanishes at a crossing, at a value near one of the curve's; NAN where there is no motion.
static double function_at(const Curve *curve, size_t near, double value, HurwitzKind kind)
{
    InquirySmall *small = curve->small;
    double *y = base_alloc((curve->unknowns + 1) * sizeof *y), result = NAN;
    memcpy(y, curve->y + near * curve->unknowns, curve->unknowns * sizeof *y);
    AlgebraMatrix *A = NULL;
    if (move_to(small, curve->values[near], value, y)) {
        A = small_precise(small, y, value, false);
        // A motion that cannot be told from its neighbours has one zero eigenvalue more.
        result = !A && kind == HURWITZ_CONSTANT ? 0 : NAN;
    }
    if (A) {
        AlgebraMatrix *p = small_essential(small, A);
        result = hurwitz_value(kind, p, small->size - small->family);
        algebra_matrix_free(p);
    }
    algebra_matrix_free(A);
    base_free(y);
    return result;
}

static bool precise_at(const Curve *curve, size_t near, double value, double *re, double *im)
{
    InquirySmall *small = curve->small;
    double *y = base_alloc((curve->unknowns + 1) * sizeof *y);
    memcpy(y, curve->y + near * curve->unknowns, curve->unknowns * sizeof *y);
    bool good = move_to(small, curve->values[near], value, y) &&
                (small_precise_eigen(small, y, value, re, im) || eigen_at(small, y, value, re, im));
    base_free(y);
    return good;
}

// ---- Signs in doubles, by the eigenvalues.

typedef struct {
    double re, im;
} Number;

// Multiplies the direction of a product by another factor; a factor 0 makes it 0.
static Number turned(Number product, Number factor)
{
    double length = hypot(factor.re, factor.im);
    if (length == 0)
        return (Number){0, 0};
    return (Number){(product.re * factor.re - product.im * factor.im) / length,
                    (product.re * factor.im + product.im * factor.re) / length};
}

// The squares μ of eigenvalues that come as ±λ, one of each pair; how many there are.
static size_t squares_of(const double *re, const double *im, size_t count, Number *squares)
{
    bool *taken = base_alloc((count + 1) * sizeof *taken);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (taken[i])
            continue;
        size_t other = i;
        double nearest = INFINITY;
        for (size_t j = i + 1; j < count; j++)
            if (!taken[j] && hypot(re[i] + re[j], im[i] + im[j]) < nearest) {
                nearest = hypot(re[i] + re[j], im[i] + im[j]);
                other = j;
            }
        taken[i] = taken[other] = true;
        squares[found++] = (Number){re[i] * re[i] - im[i] * im[i], 2 * re[i] * im[i]};
    }
    base_free(taken);
    return found;
}

// The sign of the product of all eigenvalues, of all sums of two, or of all (μ_i − μ_j)²: those of
// the three functions but for a factor that never changes its sign.
static int sign_in_doubles(const Curve *curve, size_t at, HurwitzKind kind)
{
    size_t family = curve->small->family, size = curve->size, count = size - family;
    const double *re = curve->re + at * size + family, *im = curve->im + at * size + family;
    Number product = {1, 0}, *squares = base_alloc((count + 1) * sizeof *squares);
    if (kind == HURWITZ_CONSTANT)
        for (size_t i = 0; i < count; i++)
            product = turned(product, (Number){re[i], im[i]});
    if (kind == HURWITZ_DETERMINANT)
        for (size_t i = 0; i < count; i++)
            for (size_t j = i + 1; j < count; j++)
                product = turned(product, (Number){re[i] + re[j], im[i] + im[j]});
    size_t found = kind == HURWITZ_DISCRIMINANT ? squares_of(re, im, count, squares) : 0;
    for (size_t i = 0; i < found; i++)
        for (size_t j = i + 1; j < found; j++) {
            Number factor = {squares[i].re - squares[j].re, squares[i].im - squares[j].im};
            product = turned(turned(product, factor), factor);
        }
    base_free(squares);
    return (product.re > 0) - (product.re < 0);
}

static double largest_at(const Curve *curve, size_t at)
{
    size_t size = curve->size;
    double largest = 0;
    for (size_t i = at * size; i < (at + 1) * size; i++)
        largest = fmax(largest, hypot(curve->re[i], curve->im[i]));
    return largest;
}

static size_t growing_at(const Curve *curve, size_t at)
{
    size_t size = curve->size, count = 0;
    const double *re = curve->re + at * size;
    double largest = largest_at(curve, at);
    for (size_t i = curve->small->family; i < size; i++)
        count += re[i] > 1e-7 * largest;
    return count;
}

// ---- Roots.

// Whether eigenvalues lie on the imaginary axis there as the kind says; with their frequency.
static bool is_crossing(const Curve *curve, size_t near, double value, InquiryCriticalKind kind,
                        double *frequency)
{
    size_t size = curve->size, family = curve->small->family, on_axis = 0;
    double *re = base_alloc((2 * size + 1) * sizeof *re), *im = re + size;
    double largest = fmax(largest_at(curve, near), largest_at(curve, near + 1));
    bool known = precise_at(curve, near, value, re, im);
    *frequency = 0;
    for (size_t i = family; i < size && known; i++) {
        bool zero = hypot(re[i], im[i]) <= ON_AXIS * largest;
        if (kind == INQUIRY_ZERO_CROSSES) {
            // Of an even polynomial two meet at 0, and as a square root.
            on_axis += hypot(re[i], im[i]) <= (curve->even ? 1e-3 : ON_AXIS) * largest;
        } else if (kind == INQUIRY_PAIR_CROSSES && !zero && im[i] > 0 &&
                   fabs(re[i]) <= ON_AXIS * largest) {
            on_axis++;
            *frequency = im[i];
        } else if (kind == INQUIRY_PAIRS_MEET && im[i] > 0 && fabs(re[i]) <= 1e-3 * largest) {
            for (size_t j = i + 1; j < size; j++)
                if (hypot(re[i] - re[j], im[i] - im[j]) <= 1e-3 * largest) {
                    on_axis++;
                    *frequency = im[i];
                }
        }
    }
    base_free(re);
    return on_axis > 0;
}

static void add_critical(Curve *curve, size_t at, double value, InquiryCriticalKind kind)
{
    double frequency, range = fabs(curve->values[curve->count - 1] - curve->values[0]);
    for (size_t i = 0; i < curve->critical.count; i++)
        if (fabs(curve->critical.at[i].value - value) <= 1e-12 * fmax(fabs(value), range))
            return;
    if (!is_crossing(curve, at, value, kind, &frequency))
        return;
    array_push(&curve->critical,
               ((InquiryCritical){.kind = kind,
                                  .value = value,
                                  .frequency = frequency,
                                  .gains = growing_at(curve, at + 1) < growing_at(curve, at)}));
}

// Illinois' rule with a halving wherever it is slow: both ends keep their signs.
static void find_root(Curve *curve, size_t at, HurwitzKind kind, InquiryCriticalKind what)
{
    double a = curve->values[at], b = curve->values[at + 1];
    double fa = function_at(curve, at, a, kind), fb = function_at(curve, at + 1, b, kind);
    double range = fabs(curve->values[curve->count - 1] - curve->values[0]);
    if (fa == 0 || fb == 0)
        b = a = fa == 0 ? a : b;
    else if (!(fa * (fb / fabs(fb)) < 0))
        return;
    for (int i = 0; i < MOST_HALVINGS && fabs(b - a) > WELL_KNOWN * fmax(fabs(a), 1e-3 * range);
         i++) {
        double part = fa / (fa - fb), middle = a + (b - a) * part;
        if (i % 3 == 2 || !(part > 0 && part < 1))
            middle = a + (b - a) / 2;
        if (middle == a || middle == b) {
            a = b = middle; // the root lies within rounding of this end
            break;
        }
        double f = function_at(curve, at, middle, kind);
        if (isnan(f))
            return;
        if (f == 0) {
            a = b = middle;
        } else if ((f > 0) == (fb > 0)) {
            b = middle;
            fb = f;
            fa /= 2;
        } else {
            a = b;
            fa = fb;
            b = middle;
            fb = f;
        }
    }
    add_critical(curve, at, a + (b - a) / 2, what);
}

// The value where the number of growing modes changes, by halving.
static void find_change(Curve *curve, size_t at)
{
    size_t size = curve->size, family = curve->small->family;
    double a = curve->values[at], b = curve->values[at + 1];
    double *re = base_alloc((2 * size + 1) * sizeof *re), *im = re + size;
    bool known = precise_at(curve, at, a, re, im);
    size_t before = small_count(re, im, size, family).growing;
    known = known && precise_at(curve, at + 1, b, re, im) &&
            small_count(re, im, size, family).growing != before;
    for (int i = 0; i < MOST_HALVINGS && known; i++) {
        double middle = a + (b - a) / 2;
        if (middle == a || middle == b || !precise_at(curve, at, middle, re, im))
            break;
        if (small_count(re, im, size, family).growing == before)
            a = middle;
        else
            b = middle;
    }
    base_free(re);
    static const InquiryCriticalKind kinds[] = {INQUIRY_ZERO_CROSSES, INQUIRY_PAIR_CROSSES,
                                                INQUIRY_PAIRS_MEET};
    size_t found = curve->critical.count;
    for (size_t i = 0; i < 3 && known && curve->critical.count == found; i++)
        add_critical(curve, at, b, kinds[i]);
}

static void find_criticals(Curve *curve)
{
    size_t essential = curve->size - curve->small->family;
    for (size_t at = 0; at + 1 < curve->count; at++) {
        if (!curve->found[at] || !curve->found[at + 1])
            continue;
        size_t before = curve->critical.count;
        HurwitzKind second = curve->even ? HURWITZ_DISCRIMINANT : HURWITZ_DETERMINANT;
        InquiryCriticalKind meeting = curve->even ? INQUIRY_PAIRS_MEET : INQUIRY_PAIR_CROSSES;
        if (essential > 0 && sign_in_doubles(curve, at, HURWITZ_CONSTANT) !=
                                 sign_in_doubles(curve, at + 1, HURWITZ_CONSTANT))
            find_root(curve, at, HURWITZ_CONSTANT, INQUIRY_ZERO_CROSSES);
        if (essential > (curve->even ? 2u : 1u) &&
            sign_in_doubles(curve, at, second) != sign_in_doubles(curve, at + 1, second))
            find_root(curve, at, second, meeting);
        if (curve->critical.count == before && growing_at(curve, at) != growing_at(curve, at + 1))
            find_change(curve, at);
    }
}

// ---- The curve.

// Puts the eigenvalues of a point in the order of the branches: each takes what is nearest to where
// it was, or was going.
static void follow_branches(Curve *curve, size_t at)
{
    size_t size = curve->size;
    double *re = curve->re + at * size, *im = curve->im + at * size;
    const double *old_re = re - size, *old_im = im - size;
    bool straight = at > 1 && curve->found[at - 1] && curve->found[at - 2];
    double *sorted = base_alloc((2 * size + 1) * sizeof *sorted);
    bool *taken = base_alloc((2 * size + 1) * sizeof *taken), *placed = taken + size;
    for (size_t round = 0; round < size; round++) {
        size_t best_i = size, best_j = size;
        double best = INFINITY;
        for (size_t i = 0; i < size; i++) {
            double x = straight ? 2 * old_re[i] - old_re[i - size] : old_re[i];
            double y = straight ? 2 * old_im[i] - old_im[i - size] : old_im[i];
            for (size_t j = 0; j < size && !placed[i]; j++) {
                double distance = hypot(re[j] - x, im[j] - y);
                if (!taken[j] && distance < best) {
                    best = distance;
                    best_i = i;
                    best_j = j;
                }
            }
        }
        placed[best_i] = taken[best_j] = true;
        sorted[best_i] = re[best_j];
        sorted[size + best_i] = im[best_j];
    }
    memcpy(re, sorted, size * sizeof *re);
    memcpy(im, sorted + size, size * sizeof *im);
    base_free(sorted);
    base_free(taken);
}

// From the model's own value to the nearest of the range, and from there both ways.
static void follow_from(Curve *curve, size_t first, int way)
{
    InquirySmall *small = curve->small;
    double *y = base_alloc((curve->unknowns + 1) * sizeof *y), from = small->base;
    memcpy(y, small->state, curve->unknowns * sizeof *y);
    size_t at = first;
    // A parameter far away is approached in steps.
    for (int step = 1; step < 8; step++) {
        double to = small->base + (curve->values[first] - small->base) * step / 8;
        if (!move_to(small, from, to, y))
            break;
        from = to;
    }
    for (;; at = way > 0 ? at + 1 : at - 1) {
        double *here = curve->y + at * curve->unknowns;
        memcpy(here, y, curve->unknowns * sizeof *here);
        curve->found[at] = move_to(small, from, curve->values[at], here) &&
                           eigen_at(small, here, curve->values[at], curve->re + at * curve->size,
                                    curve->im + at * curve->size);
        if (curve->found[at]) {
            memcpy(y, here, curve->unknowns * sizeof *y);
            from = curve->values[at];
        }
        if ((way > 0 && at + 1 == curve->count) || (way < 0 && at == 0))
            break;
    }
    base_free(y);
}

static size_t nearest_to(const Curve *curve, double value)
{
    size_t nearest = 0;
    for (size_t i = 0; i < curve->count; i++)
        if (fabs(curve->values[i] - value) < fabs(curve->values[nearest] - value))
            nearest = i;
    return nearest;
}

// The family along the range, and whether eigenvalues come as ±λ, at values inside it: the model's
// own may be a special one.
static void take_samples(Curve *curve)
{
    InquirySmall *small = curve->small;
    size_t family = small->size;
    bool even = true, any = false;
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t at = (2 * i + 1) * curve->count / (2 * SAMPLES);
        if (!curve->found[at])
            continue;
        small_run(&small->program, curve->y + at * curve->unknowns, curve->values[at],
                  curve->unknowns);
        size_t kernel = small_kernel(small);
        family = kernel < family ? kernel : family;
    }
    small->family = family < small->family ? family : small->family;
    for (size_t i = 0; i < SAMPLES; i++) {
        size_t at = (2 * i + 1) * curve->count / (2 * SAMPLES);
        if (!curve->found[at])
            continue;
        AlgebraMatrix *A =
            small_precise(small, curve->y + at * curve->unknowns, curve->values[at], false);
        if (!A)
            continue;
        AlgebraMatrix *p = small_essential(small, A);
        even = even && hurwitz_is_even(p, small->size - small->family);
        any = true;
        algebra_matrix_free(p);
        algebra_matrix_free(A);
    }
    curve->even = even && any;
}

static int by_value(const void *a, const void *b)
{
    const InquiryCritical *left = a, *right = b;
    return (left->value > right->value) - (left->value < right->value);
}

static void make_points(InquirySmall *small, double a, double b, size_t count, Curve *curve)
{
    Arena *arena = small->arena;
    size_t size = small->size;
    *curve = (Curve){.small = small, .count = count, .size = size, .unknowns = small->unknowns};
    curve->values = arena_alloc(arena, (count + 1) * sizeof(double));
    curve->re = arena_alloc(arena, (count * size + 1) * sizeof(double));
    curve->im = arena_alloc(arena, (count * size + 1) * sizeof(double));
    curve->y = arena_alloc(arena, (count * small->unknowns + 1) * sizeof(double));
    curve->found = arena_alloc(arena, (count + 1) * sizeof(bool));
    for (size_t i = 0; i < count; i++)
        curve->values[i] = count > 1 ? a + (b - a) * ((double)i / (double)(count - 1)) : a;
    size_t first = nearest_to(curve, small->base);
    follow_from(curve, first, 1);
    follow_from(curve, first, -1);
}

// Branches in order; where the family turned out smaller, fewer zeros are split off. How many
// points were found.
static size_t make_branches(Curve *curve, bool again)
{
    size_t size = curve->size, found = 0;
    for (size_t at = 0; at < curve->count; at++) {
        double *re = curve->re + at * size, *im = curve->im + at * size;
        if (curve->found[at] && again)
            curve->found[at] =
                eigen_at(curve->small, curve->y + at * curve->unknowns, curve->values[at], re, im);
        found += curve->found[at];
        for (size_t i = 0; i < size && !curve->found[at]; i++)
            re[i] = im[i] = NAN;
        if (at > 0 && curve->found[at] && curve->found[at - 1])
            follow_branches(curve, at);
    }
    return found;
}

Status inquiry_small_follow(InquirySmall *small, double a, double b, size_t count, Diag *diag,
                            InquiryCurve *out)
{
    Curve curve;
    size_t family = small->family;
    make_points(small, a, b, count, &curve);
    take_samples(&curve);
    size_t found = make_branches(&curve, small->family != family);
    if (found == 0)
        return diag_error(diag, place_hint(HINT_VARY), "no steady motion was found in this range");
    if (found < count)
        diag_add(diag, DIAG_WARNING, place_hint(HINT_VARY),
                 "at %zu of %zu values no steady motion was found", count - found, count);
    find_criticals(&curve);
    size_t critical_count = curve.critical.count;
    InquiryCritical *critical = arena_alloc(small->arena, (critical_count + 1) * sizeof *critical);
    if (critical_count > 0) {
        memcpy(critical, curve.critical.at, critical_count * sizeof *critical);
        qsort(critical, critical_count, sizeof *critical, by_value);
        small_formulas(small, critical, critical_count);
    }
    array_clear(&curve.critical);
    small->family = family;
    size_t *growing = arena_array(small->arena, size_t, count + 1);
    for (size_t i = 0; i < count; i++)
        growing[i] = curve.found[i] ? growing_at(&curve, i) : 0;
    *out = (InquiryCurve){.count = count,
                          .growing = growing,
                          .size = curve.size,
                          .values = curve.values,
                          .re = curve.re,
                          .im = curve.im,
                          .found = curve.found,
                          .critical = critical,
                          .critical_count = critical_count};
    return STATUS_OK;
}
