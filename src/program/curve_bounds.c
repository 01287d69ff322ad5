// curve_bounds.c: a function along a polynomial curve, bounded between all samples.
//
// Over a piece of the curve f, f' and f''/2 are enclosed as the first coefficients of its series in
// balls. With c above f''/2, f(x) ≤ f(a) + f'(a)(x − a) + c(x − a)² from the left end a, and alike
// from the right end. So a flight from one contact to the next is one piece, and near a root or a
// turning point the pieces shrink in proportion to their distance from it. Where f stays 0 along
// the curve that is not enough: short pieces are bounded by a Taylor form of high order, too.
//
// Where f is a polynomial along the curve, its coefficients in doubles come before balls: a few
// pieces of it mostly show that it is below.
#include "program/curve_bounds.h"

#include "program/ball_series.h"
#include "program/curve_polynomial.h"
#include "program/program_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    PRECISION = 64, // bits of a ball's midpoint
    ROUNDINGS = 4,  // of the curve's place, by which it may be off
    LENGTH = 3,     // of the series over a piece
    LONG = 13,      // the same in a form of high order,
    LONG_FROM = 5,  // which is tried after so many halvings,
    LONG_TO = 9,    // and not after so many
    FEW_PIECES = 100,
    MOST_PIECES = 20000,
    // Tables, and pieces of one, that are looked at apart.
    MOST_TABLES = 3
};

typedef struct {
    double x, value, slope; // no more than these are below f; its slope, NAN for none
} CurvePoint;

typedef struct {
    const Program *program;
    const ProgramCurve *curve;
    double level, *highest, *at;
    double *shifted;                     // the polynomials about the middle of a piece
    CurvePolynomial own;                 // f itself; without coefficients: it is none
    double middles[LONG], radii[LONG];   // of its coefficients about a piece
    arb_ptr inputs, outputs, difference; // inputs: the constants, then LONG of each polynomial
    int64_t *signs;
    size_t pieces, most;
} CurveSearch;

// ---- Enclosures.

static void shift(const double *coefficients, size_t degree, double x, double *shifted)
{
    memcpy(shifted, coefficients, (degree + 1) * sizeof *shifted);
    for (size_t i = 0; i < degree && x != 0; i++)
        for (size_t k = degree; k-- > i;)
            shifted[k] += x * shifted[k + 1];
}

// By how much coefficient k changes within h of where these are.
static double radius(const double *shifted, size_t degree, size_t k, double h)
{
    double binomial = 1, power = 1, sum = 0;
    for (size_t l = k + 1; l <= degree; l++) {
        binomial *= (double)l / (double)(l - k);
        power *= h;
        sum += binomial * power * fabs(shifted[l]);
    }
    return sum * (1 + 64 * DBL_EPSILON);
}

static void enclose_own(CurveSearch *search, double middle, double h, size_t length)
{
    const CurvePolynomial *own = &search->own;
    shift(own->coefficients, own->degree, middle, search->shifted);
    for (size_t k = 0; k < length; k++) {
        search->middles[k] = k <= own->degree ? search->shifted[k] : 0;
        search->radii[k] =
            (h > 0 ? radius(search->shifted, own->degree, k, h) : 0) + (k == 0 ? own->error : 0);
    }
}

// With the branches that are given. Where a table may be in two or three pieces, the hull of what f
// is in each of them.
static void run_branches(CurveSearch *search, slong length, size_t depth)
{
    ProgramBallBranches branches = {.signs = search->signs, .difference = search->difference};
    program_run_ball_series(search->program, PRECISION, length, search->inputs,
                            search->curve->count, &branches, search->outputs);
    if (branches.unknown < 0 || branches.last == 0 || depth == MOST_TABLES ||
        branches.last - branches.first >= MOST_TABLES)
        return;
    size_t count = program_switches(search->program);
    int64_t *kept =
        memcpy(base_alloc((count + 1) * sizeof *kept), search->signs, count * sizeof *kept);
    arb_ptr hull = _arb_vec_init(length);
    for (int64_t branch = branches.first; branch <= branches.last; branch++) {
        if (branch == 0)
            continue;
        memcpy(search->signs, kept, count * sizeof *kept);
        // What came behind the unknown one may be otherwise now.
        memset(search->signs + branches.unknown, 0,
               (count - (size_t)branches.unknown) * sizeof *kept);
        search->signs[branches.unknown] = branch;
        run_branches(search, length, depth + 1);
        for (slong k = 0; k < length; k++)
            if (branch == branches.first)
                arb_set(hull + k, search->outputs + k);
            else
                arb_union(hull + k, hull + k, search->outputs + k, PRECISION);
    }
    _arb_vec_set(search->outputs, hull, length);
    _arb_vec_clear(hull, length);
    memcpy(search->signs, kept, count * sizeof *kept);
    base_free(kept);
}

// The first coefficients of f about all points of a piece, and about all within their roundings.
static void enclose(CurveSearch *search, double from, double to, slong length)
{
    const ProgramCurve *curve = search->curve;
    double middle = from + (to - from) / 2, h = (to - from) / 2;
    if (search->own.coefficients) {
        enclose_own(search, middle, h, (size_t)length);
        return;
    }
    arb_ptr ball = search->inputs + curve->constant_count;
    for (size_t i = 0; i < curve->count; i++) {
        shift(curve->coefficients + i * (curve->degree + 1), curve->degree, middle,
              search->shifted);
        for (size_t k = 0; k < (size_t)length; k++, ball++) {
            double roundings = k == 0 ? ROUNDINGS * DBL_EPSILON * fabs(search->shifted[0]) : 0;
            arf_set_d(arb_midref(ball), k <= curve->degree ? search->shifted[k] : 0);
            mag_set_d(arb_radref(ball),
                      h > 0 ? radius(search->shifted, curve->degree, k, h) + roundings : 0);
        }
    }
    memset(search->signs, 0, program_switches(search->program) * sizeof *search->signs);
    run_branches(search, length, 0);
}

// No value of coefficient k is larger, or smaller for sign < 0.
static double bound(const CurveSearch *search, slong k, int sign)
{
    arb_srcptr ball = search->own.coefficients ? NULL : search->outputs + k;
    arf_t edge;
    double own = search->middles[k] + sign * search->radii[k];
    if (search->own.coefficients && isfinite(own))
        return own;
    if (search->own.coefficients || !arb_is_finite(ball))
        return sign > 0 ? INFINITY : -INFINITY;
    arf_init(edge);
    if (sign > 0)
        arb_get_ubound_arf(edge, ball, PRECISION);
    else
        arb_get_lbound_arf(edge, ball, PRECISION);
    double value = arf_get_d(edge, sign > 0 ? ARF_RND_CEIL : ARF_RND_FLOOR);
    arf_clear(edge);
    return value;
}

static CurvePoint point_at(CurveSearch *search, double x)
{
    enclose(search, x, x, 2);
    double slope = search->own.coefficients
                       ? search->middles[1]
                       : arf_get_d(arb_midref(search->outputs + 1), ARF_RND_NEAR);
    return (CurvePoint){x, bound(search, 0, 1), slope};
}

// ---- Bounds.

// The largest of f + slope·s + curvature·s² for 0 ≤ s ≤ length; infinite where they are no numbers.
static double parabola_top(double f, double slope, double curvature, double length)
{
    double end = f + length * (slope + length * curvature), top = fmax(f, end);
    if (curvature < 0 && slope > 0 && slope < -2 * curvature * length)
        top = f - slope * slope / (4 * curvature);
    return isfinite(end) ? top : INFINITY;
}

static bool accept(CurveSearch *search, double top)
{
    if (top <= search->level)
        *search->highest = fmax(*search->highest, top);
    return top <= search->level;
}

// No value of f over a piece is larger.
static double piece_top(CurveSearch *search, CurvePoint left, CurvePoint right)
{
    double length = right.x - left.x;
    enclose(search, left.x, right.x, LENGTH);
    double curvature = bound(search, 2, 1), top = bound(search, 0, 1);
    top = fmin(top, parabola_top(left.value, left.slope, curvature, length));
    return fmin(top, parabola_top(right.value, -right.slope, curvature, length));
}

// By a Taylor polynomial about the middle, and the last coefficient over all of the piece.
static bool is_below_closely(CurveSearch *search, double from, double to)
{
    double middle = from + (to - from) / 2, h = (to - from) / 2, power = 1;
    enclose(search, from, to, LONG);
    double rest = fmax(bound(search, LONG - 1, 1), -bound(search, LONG - 1, -1)), sum = 0;
    enclose(search, middle, middle, LONG - 1);
    for (slong k = 0; k < LONG - 1; k++, power *= h)
        sum +=
            k == 0 ? bound(search, k, 1) : power * fmax(bound(search, k, 1), -bound(search, k, -1));
    return accept(search, sum + rest * power);
}

// A piece that is one instant, and is not shown to be below. Where f may turn above the level
// inside it, with less at both ends and no slope that explains it, no time tells.
static CurveAnswer judge_instant(CurveSearch *search, CurvePoint left, CurvePoint right, double top)
{
    double ends = fmax(left.value, right.value),
           rise = 2 * fmax(right.slope, 0) * (right.x - left.x);
    *search->at = right.x;
    if (ends > search->level)
        return CURVE_ABOVE;
    return top <= ends + rise + fabs(search->level) && accept(search, ends) ? CURVE_BELOW
                                                                            : CURVE_UNDECIDED;
}

// The first halves first: all that lies to the left of a piece is below.
static CurveAnswer examine(CurveSearch *search, CurvePoint left, CurvePoint right, size_t depth)
{
    *search->at = left.x;
    if (left.value > search->level)
        return CURVE_ABOVE;
    if (++search->pieces > search->most)
        return CURVE_UNDECIDED;
    double top = piece_top(search, left, right);
    if (accept(search, top) ||
        (depth >= LONG_FROM && depth < LONG_TO && is_below_closely(search, left.x, right.x)))
        return CURVE_BELOW;
    if (right.x - left.x <= search->curve->resolution)
        return judge_instant(search, left, right, top);
    CurvePoint middle = point_at(search, left.x + (right.x - left.x) / 2);
    CurveAnswer answer = examine(search, left, middle, depth + 1);
    return answer == CURVE_BELOW ? examine(search, middle, right, depth + 1) : answer;
}

static CurveAnswer examine_all(CurveSearch *search)
{
    // Most functions are far below all along.
    enclose(search, 0, 1, 1);
    if (accept(search, bound(search, 0, 1)))
        return CURVE_BELOW;
    return examine(search, point_at(search, 0), point_at(search, 1), 0);
}

static CurveAnswer examine_balls(CurveSearch *search)
{
    const Program *program = search->program;
    const ProgramCurve *curve = search->curve;
    size_t inputs = curve->constant_count + curve->count * LONG,
           outputs = program->output_count * LONG;
    search->most = MOST_PIECES;
    search->shifted = base_alloc((curve->degree + 1) * sizeof(double));
    search->signs = base_alloc((program_switches(program) + 1) * sizeof *search->signs);
    search->inputs = _arb_vec_init((slong)(inputs + outputs + LONG));
    search->outputs = search->inputs + inputs;
    search->difference = search->outputs + outputs;
    for (size_t i = 0; i < curve->constant_count; i++)
        arb_set_d(search->inputs + i, curve->constants[i]);
    CurveAnswer answer = examine_all(search);
    _arb_vec_clear(search->inputs, (slong)(inputs + outputs + LONG));
    base_free(search->signs);
    base_free(search->shifted);
    return answer;
}

// By a few pieces of the polynomial that it is; undecided where it is none.
static CurveAnswer examine_polynomial(CurveSearch search)
{
    if (!curve_compose(search.program, search.curve, &search.own))
        return CURVE_UNDECIDED;
    search.most = FEW_PIECES;
    search.shifted = base_alloc((search.own.degree + 1) * sizeof(double));
    CurveAnswer answer = examine_all(&search);
    base_free(search.shifted);
    curve_polynomial_clear(&search.own);
    return answer;
}

// What a polynomial does not show is left to balls: whether it is above, where its answer is not
// `trusted` with that, or nothing at all.
static CurveAnswer decide(const Program *program, const ProgramCurve *curve, double level,
                          bool trusted, double *highest, double *at)
{
    assert(program && curve->count > 0 && curve->resolution > 0 &&
           curve->constant_count + curve->count == program->input_count);
    double top = *highest;
    CurveSearch search = {
        .program = program, .curve = curve, .level = level, .highest = &top, .at = at};
    CurveAnswer answer = examine_polynomial(search);
    if (answer == CURVE_UNDECIDED || (answer == CURVE_ABOVE && !trusted)) {
        top = *highest;
        answer = examine_balls(&search);
    }
    *highest = fmax(*highest, top);
    return answer;
}

CurveAnswer curve_stays_below(const Program *program, const ProgramCurve *curve, double level,
                              double *highest, double *at)
{
    return decide(program, curve, level, false, highest, at);
}

CurveAnswer curve_stays_clearly_below(const Program *program, const ProgramCurve *curve,
                                      double level, double *at)
{
    double highest = -INFINITY;
    return decide(program, curve, level, true, &highest, at);
}
