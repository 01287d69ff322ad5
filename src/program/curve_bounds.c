// curve_bounds.c: a function along a polynomial curve, bounded between all samples.
//
// Over a piece of the curve f, f' and f''/2 are enclosed as the first coefficients of its series in
// balls. With c above f''/2, f(x) ≤ f(a) + f'(a)(x − a) + c(x − a)² from the left end a, and alike
// from the right end. So a flight from one contact to the next is one piece, and near a root or a
// turning point the pieces shrink in proportion to their distance from it. Where f stays 0 along
// the curve that is not enough: short pieces are bounded by a Taylor form of high order, too.
#include "program/curve_bounds.h"

#include "program/ball_series.h"
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
    MOST_PIECES = 20000
};

typedef struct {
    double x, value, slope; // no more than these are below f; its slope, NAN for none
} CurvePoint;

typedef struct {
    const Program *program;
    const ProgramCurve *curve;
    double level, *highest, *at;
    double *shifted;                     // the polynomials about the middle of a piece
    arb_ptr inputs, outputs, difference; // inputs: the constants, then LONG of each polynomial
    int8_t *signs;
    size_t pieces;
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

// The first coefficients of f about all points of a piece, and about all within their roundings.
static void enclose(CurveSearch *search, double from, double to, slong length)
{
    const ProgramCurve *curve = search->curve;
    double middle = from + (to - from) / 2, h = (to - from) / 2;
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
    ProgramBallBranches branches = {.signs = search->signs, .difference = search->difference};
    memset(search->signs, 0, program_switches(search->program));
    program_run_ball_series(search->program, PRECISION, length, search->inputs, curve->count,
                            &branches, search->outputs);
}

// No value in the ball is larger, or smaller for sign < 0.
static double bound(const arb_t ball, int sign)
{
    arf_t edge;
    if (!arb_is_finite(ball))
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
    return (CurvePoint){x, bound(search->outputs, 1),
                        arf_get_d(arb_midref(search->outputs + 1), ARF_RND_NEAR)};
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
    double curvature = bound(search->outputs + 2, 1), top = bound(search->outputs, 1);
    top = fmin(top, parabola_top(left.value, left.slope, curvature, length));
    return fmin(top, parabola_top(right.value, -right.slope, curvature, length));
}

// By a Taylor polynomial about the middle, and the last coefficient over all of the piece.
static bool is_below_closely(CurveSearch *search, double from, double to)
{
    double middle = from + (to - from) / 2, h = (to - from) / 2, power = 1;
    enclose(search, from, to, LONG);
    arb_ptr last = search->outputs + LONG - 1;
    double rest = fmax(bound(last, 1), -bound(last, -1)), sum = 0;
    enclose(search, middle, middle, LONG - 1);
    for (slong k = 0; k < LONG - 1; k++, power *= h) {
        arb_ptr own = search->outputs + k;
        sum += k == 0 ? bound(own, 1) : power * fmax(bound(own, 1), -bound(own, -1));
    }
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
    if (++search->pieces > MOST_PIECES)
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

CurveAnswer curve_stays_below(const Program *program, const ProgramCurve *curve, double level,
                              double *highest, double *at)
{
    assert(program && curve->count > 0 && curve->resolution > 0 &&
           curve->constant_count + curve->count == program->input_count);
    size_t inputs = curve->constant_count + curve->count * LONG,
           outputs = program->output_count * LONG;
    CurveSearch search = {
        .program = program, .curve = curve, .level = level, .highest = highest, .at = at};
    search.shifted = base_alloc((curve->degree + 1) * sizeof(double));
    search.signs = base_alloc(program_switches(program) + 1);
    search.inputs = _arb_vec_init((slong)(inputs + outputs + LONG));
    search.outputs = search.inputs + inputs;
    search.difference = search.outputs + outputs;
    for (size_t i = 0; i < curve->constant_count; i++)
        arb_set_d(search.inputs + i, curve->constants[i]);
    // Most functions are far below all along.
    enclose(&search, 0, 1, 1);
    CurveAnswer answer = CURVE_BELOW;
    if (!accept(&search, bound(search.outputs, 1)))
        answer = examine(&search, point_at(&search, 0), point_at(&search, 1), 0);
    _arb_vec_clear(search.inputs, (slong)(inputs + outputs + LONG));
    base_free(search.signs);
    base_free(search.shifted);
    return answer;
}
