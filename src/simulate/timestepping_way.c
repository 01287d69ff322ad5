// timestepping_way.c: what lies between two steps of fixed length.
//
// Conditions are reached in the middle of a step. From there to the middle of the next one the way
// is straight, and a post that stands between both is in neither: its impact would be missed. So f
// of every condition is bounded on that way (program, curve_bounds.c). Where it comes above 0 and
// above what it is in both middles, an impact was passed; if only its edge was grazed, so that the
// normal has hardly turned from where f comes above to where it comes below again, the impact is as
// small as other errors of a step. Else the run ends. So it does where what is first reached in a
// middle has another normal there, or another velocity, than where the way enters it: the impact of
// the step, which is made in the middle, would be that of another wall.
//
// Linear conditions have no such place. Those of degree 2, such as balls of any number, are a
// parabola on the way, which three values tell; others are bounded in intervals first, and so is
// the normal: mostly it cannot turn so far.
#include "dynamics/equations_types.h"
#include "dynamics/system_matrices.h"
#include "dynamics/unilateral_pairs.h"
#include "dynamics/unilaterals.h"
#include "linalg/real.h"
#include "linalg/sparse_rows.h"
#include "linalg/tolerances.h"
#include "program/curve_polynomial.h"
#include "program/intervals.h"
#include "program/program.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/failure_impl.h"
#include "simulate/gap_functions_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/start_contacts_impl.h"
#include "simulate/timestepping_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// From the middle of a step to its end, and to the middle of the next.
enum { PLACES = 3 };

struct PassedWay {
    size_t n, room;
    size_t *degrees;          // of each shape: 0 and 1 need not be looked at, 3 is any other
    bool straight;            // no equation brings the end of a step elsewhere
    double t[PLACES];         // of the places
    double *q[PLACES];        // coordinates there
    double *f[PLACES];        // of all conditions there
    double *rows;             // of a curve: the time, coordinates and constants
    double *inertia, *before; // of each coordinate by itself, at the start; a gradient
    double *fastest;          // of each coordinate: the largest velocity so far
};

// ---- Curves.

// A condition on the straight way between two places; the constants of pairs stay.
static ProgramCurve curve_between(const PassedWay *way, const Unilaterals *unilaterals, size_t i,
                                  size_t from, size_t to)
{
    const UnilateralShape *shape = unilaterals_shape(unilaterals, i);
    const UnilateralInstance *at = &unilaterals->at.at[i];
    double length = fabs(way->t[to] - way->t[from]), *row = way->rows;
    row[0] = way->t[from];
    row[1] = way->t[to] - way->t[from];
    for (size_t j = 0; j < shape->size; j++) {
        uint32_t which = unilaterals->coordinates.at[at->first + j];
        row[2 + 2 * j] = way->q[from][which];
        row[3 + 2 * j] = way->q[to][which] - way->q[from][which];
    }
    for (size_t k = 0; k < shape->constants; k++) {
        row[2 + 2 * (shape->size + k)] = unilaterals->constants.at[at->first_constant + k];
        row[3 + 2 * (shape->size + k)] = 0;
    }
    double last = fmax(fabs(way->t[from]), fabs(way->t[to]));
    return (ProgramCurve){.constant_count = unilaterals->params,
                          .count = 1 + shape->size + shape->constants,
                          .constants = shape->inputs,
                          .coefficients = row,
                          .degree = 1,
                          .resolution = TOL_STATE / 2 * fmax(last, length) / length};
}

// Of a shape on any straight way.
static size_t degree_of(const PassedWay *way, const Unilaterals *unilaterals,
                        const UnilateralShape *shape)
{
    size_t count = 1 + shape->size + shape->constants, degree = PLACES;
    CurvePolynomial polynomial;
    for (size_t i = 0; i < count; i++) {
        way->rows[2 * i] = sqrt((double)(2 + i));
        way->rows[2 * i + 1] = i <= shape->size ? sqrt((double)(3 + i)) : 0;
    }
    ProgramCurve curve = {.constant_count = unilaterals->params,
                          .count = count,
                          .constants = shape->inputs,
                          .coefficients = way->rows,
                          .degree = 1,
                          .resolution = 1};
    if (shape->f.program && curve_compose(shape->f.program, &curve, &polynomial)) {
        degree = polynomial.degree < PLACES ? polynomial.degree : PLACES;
        curve_polynomial_clear(&polynomial);
    }
    return degree;
}

PassedWay *way_new(SimulationRun *run)
{
    const Unilaterals *unilaterals = run->gaps->unilaterals;
    const Equations *eq = run->mode->eq;
    const Simulation *sim = run->sim;
    size_t shapes = unilaterals->shapes.count, widest = 0;
    if (shapes == 0 || (sim->settings.unwatched && !sim->step_error))
        return NULL;
    PassedWay *way = arena_array(run->arena, PassedWay, 1);
    way->n = eq->n;
    way->straight = eq->m == 0;
    way->degrees = arena_array(run->arena, size_t, shapes);
    real_alloc_each(run->arena, eq->n, &way->q[0], &way->q[1], &way->q[2], &way->inertia,
                    &way->before, &way->fastest);
    for (size_t i = 0; i < shapes; i++) {
        const UnilateralShape *shape = &unilaterals->shapes.at[i];
        size_t width = 1 + shape->size + shape->constants;
        widest = width > widest ? width : widest;
    }
    way->rows = real_alloc(run->arena, 2 * widest);
    for (size_t i = 0; i < shapes; i++)
        way->degrees[i] = degree_of(way, unilaterals, &unilaterals->shapes.at[i]);
    matrices_evaluate(run->event->contacts->matrices);
    sparse_rows_diagonal(&run->event->contacts->matrices->inertia, way->inertia);
    way_set(way, 0, 0, sim->start.q);
    way_set(way, 1, 0, sim->start.q);
    return way;
}

void way_set(PassedWay *way, size_t place, double t, const double *q)
{
    if (!way)
        return;
    way->t[place] = t;
    memcpy(way->q[place], q, way->n * sizeof *q);
}

// ---- What can be seen at little cost.

// What the square of an entry of a normal counts in the metric of the inertia.
static double part_of(const PassedWay *way, uint32_t coordinate)
{
    double inertia = way->inertia[coordinate];
    return inertia > 0 ? 1 / inertia : 1;
}

// The largest of a parabola through three values, the first and the last at the ends of the way.
static double parabola_top(const PassedWay *way, size_t i)
{
    double s = way->t[1] - way->t[0], length = way->t[2] - way->t[0], a = way->f[0][i];
    double b = way->f[1][i], c = way->f[2][i], top = fmax(a, c);
    if (s <= 0 || s >= length)
        return fmax(top, b);
    double slope = (b - a) / s, bend = ((c - a) / length - slope) / (length - s);
    double start = slope - bend * s, at = -start / (2 * bend);
    double rounding = TOL_ROUNDING * fmax(fabs(a), fmax(fabs(b), fabs(c)));
    if (bend < 0 && at > 0 && at < length)
        top = fmax(top, a + at * (start + at * bend) + rounding);
    return isfinite(slope + bend) ? fmax(top, b) : INFINITY;
}

// Intervals that hold all inputs of a condition's programs on the whole way; with room for what
// follows, and no velocities. The caller frees them.
static Interval *box_of(const PassedWay *way, const Unilaterals *unilaterals, size_t i,
                        const Program *program)
{
    const UnilateralShape *shape = unilaterals_shape(unilaterals, i);
    const UnilateralInstance *at = &unilaterals->at.at[i];
    size_t params = unilaterals->params;
    Interval *box = base_alloc(
        (program_inputs(program) + program_outputs(program) + program_registers(program)) *
        sizeof *box);
    for (size_t j = 0; j < program_inputs(program); j++)
        box[j] = (Interval){j < params ? shape->inputs[j] : 0, j < params ? shape->inputs[j] : 0};
    box[params] = (Interval){way->t[0], way->t[2]};
    for (size_t j = 0; j < shape->size; j++) {
        uint32_t which = unilaterals->coordinates.at[at->first + j];
        double a = way->q[0][which], b = way->q[1][which], c = way->q[2][which];
        box[params + 1 + j] = (Interval){fmin(a, fmin(b, c)), fmax(a, fmax(b, c))};
    }
    for (size_t k = 0; k < shape->constants; k++) {
        double constant = unilaterals->constants.at[at->first_constant + k];
        box[params + 1 + shape->size + k] = (Interval){constant, constant};
    }
    return box;
}

static double interval_top(const PassedWay *way, const Unilaterals *unilaterals, size_t i)
{
    const Program *program = unilaterals_shape(unilaterals, i)->f.program;
    Interval *box = box_of(way, unilaterals, i, program), *top = box + program_inputs(program);
    program_run_intervals(program, box, top, top + 1);
    double high = top->high;
    base_free(box);
    return high;
}

// Of all numbers in an interval the least size.
static double least_size(Interval of)
{
    return of.low > 0 ? of.low : of.high < 0 ? -of.high : 0;
}

// Whether intervals show that the normal cannot turn far, and the time cannot do much (`turns`).
static bool cannot_turn(const PassedWay *way, const Unilaterals *unilaterals, size_t i)
{
    const UnilateralShape *shape = unilaterals_shape(unilaterals, i);
    const Program *program = shape->row.program;
    if (!program)
        return false;
    Interval *box = box_of(way, unilaterals, i, program), *row = box + program_inputs(program);
    program_run_intervals(program, box, row, row + program_outputs(program));
    const uint32_t *which = unilaterals->coordinates.at + unilaterals->at.at[i].first;
    Interval given = row[shape->size + 1];
    double turn = 0, length = 0, terms = least_size(given);
    for (size_t k = 0; k < shape->size; k++) {
        double part = part_of(way, which[k]), width = row[k].high - row[k].low;
        double least = least_size(row[k]);
        turn += part * width * width;
        length += 2 * part * least * least;
        terms += least * way->fastest[which[k]];
    }
    bool cannot = turn <= TOL_POOR * TOL_POOR * length &&
                  given.high - given.low <= TOL_POOR * TOL_POOR * terms;
    base_free(box);
    return cannot;
}

// ---- An impact that was passed.

// The first place above a level on the way, or, from the end on, the last one. False: there is
// none, or `undecided` whether there is one.
static bool find_above(const PassedWay *way, const Unilaterals *unilaterals, size_t i, double level,
                       bool last, double *t, double *q, bool *undecided)
{
    const Program *program = unilaterals_shape(unilaterals, i)->f.program;
    for (size_t part = 0; part + 1 < PLACES; part++) {
        size_t from = last ? PLACES - 1 - part : part, to = last ? from - 1 : from + 1;
        double unused = -INFINITY, x;
        if (way->t[from] == way->t[to])
            continue;
        ProgramCurve curve = curve_between(way, unilaterals, i, from, to);
        CurveAnswer answer = curve_stays_below(program, &curve, level, &unused, &x);
        if (answer == CURVE_BELOW)
            continue;
        *undecided = answer == CURVE_UNDECIDED;
        *t = way->t[from] + x * (way->t[to] - way->t[from]);
        for (size_t j = 0; j < way->n; j++)
            q[j] = way->q[from][j] + x * (way->q[to][j] - way->q[from][j]);
        return answer == CURVE_ABOVE;
    }
    return false;
}

// Where f comes above 0.
typedef struct {
    double rate, terms, partial_t; // f', what its terms were so far, and ∂f/∂t
} Entrance;

// Whether the normal turns from there to a row, by its length in the metric of the inertia; or the
// time alone lets f rise and fall, by more than what moves along with it would notice.
static bool turns(const PassedWay *way, const UnilateralRow *row, const Entrance *at)
{
    double turn = 0, length = 0;
    for (size_t k = 0; k < row->size; k++) {
        double part = part_of(way, row->coordinates[k]);
        double now = row->gradient[k], was = way->before[k];
        turn += part * (now - was) * (now - was);
        length += part * (now * now + was * was);
    }
    return turn > TOL_POOR * TOL_POOR * length ||
           (fabs(row->partial_t - at->partial_t) > TOL_POOR * at->rate &&
            at->rate > TOL_POOR * at->terms);
}

// Whether the surface that is struck where f comes above 0 has another normal at a row, or another
// velocity; both rows may have any lengths.
static bool differs(const PassedWay *way, const UnilateralRow *row, const Entrance *at)
{
    double now = 0, was = 0, both = 0;
    for (size_t k = 0; k < row->size; k++) {
        double part = part_of(way, row->coordinates[k]), before = way->before[k];
        now += part * row->gradient[k] * row->gradient[k];
        was += part * before * before;
        both += part * row->gradient[k] * before;
    }
    double given = row->partial_t * sqrt(was / now) - at->partial_t;
    return now * was - both * both > TOL_POOR * TOL_POOR * now * was ||
           (fabs(given) > TOL_POOR * at->rate && at->rate > TOL_POOR * at->terms);
}

// Of f.
static double rounding_at(const GapFunctions *gaps, size_t i, double t, const double *q)
{
    UnilateralRow row = unilaterals_row(gaps->unilaterals, i, t, q, q);
    double size = real_largest(row.terms, row.term_count);
    for (size_t k = 0; k < row.size; k++)
        size = fmax(size, fabs(row.gradient[k] * q[row.coordinates[k]]));
    return TOL_ROUNDING * size;
}

// What does not count as above 0 where the way begins or ends: far below there nothing does.
static double level_of(const PassedWay *way, const GapFunctions *gaps, size_t i, size_t place)
{
    double f = way->f[place][i];
    double rounding = rounding_at(gaps, i, way->t[place], way->q[place]);
    return f + rounding < 0 ? 0 : fmax(f, 0) + rounding;
}

// From a place above a level to where f comes above it, or, from the end on, below it again.
static void find_edge(const PassedWay *way, const GapFunctions *gaps, size_t i, double level,
                      bool last, double *t, double *q)
{
    bool first_part = last ? *t < way->t[1] : *t <= way->t[1];
    size_t n = way->n, place = last ? (first_part ? 1 : PLACES - 1) : (first_part ? 0 : 1);
    const double *from = way->q[place];
    double start = way->t[place], low = 0, high = 1, length = *t - start;
    double *there = base_alloc(2 * n * sizeof *there), *at = there + n;
    memcpy(there, q, n * sizeof *there);
    for (double x = 0.5; x > low && x < high; x = low + (high - low) / 2) {
        for (size_t j = 0; j < n; j++)
            at[j] = from[j] + x * (there[j] - from[j]);
        UnilateralRow row = unilaterals_row(gaps->unilaterals, i, start + x * length, at, at);
        if (row.f > level) {
            high = x;
            memcpy(q, at, n * sizeof *q);
        } else {
            low = x;
        }
    }
    *t = start + high * length;
    base_free(there);
}

// Whether it is first reached in the last middle.
static bool is_struck(const SimulationRun *run, const PassedWay *way, size_t i)
{
    return !(way->f[0][i] > 0) && way->f[2][i] > 0 && !run->event->acts[i];
}

// Whether the way has passed an impact with a condition, or has met it so late that another surface
// is there: then the run ends.
static RunResult look_at(SimulationRun *run, PassedWay *way, size_t i)
{
    const GapFunctions *gaps = run->gaps;
    double *q = run->vector, *v = q + way->n, t = 0, until;
    bool struck = is_struck(run, way, i);
    double level = struck ? fmax(rounding_at(gaps, i, way->t[0], way->q[0]),
                                 rounding_at(gaps, i, way->t[2], way->q[2]))
                          : fmax(level_of(way, gaps, i, 0), level_of(way, gaps, i, 2));
    bool undecided = false;
    bool above = find_above(way, gaps->unilaterals, i, level, false, &t, q, &undecided);
    // What is 0 at a place far above its ends is measured there.
    double own = above ? rounding_at(gaps, i, t, q) : 0;
    if (own > level) {
        level = own;
        above = find_above(way, gaps->unilaterals, i, level, false, &t, q, &undecided);
    }
    const ModelConstraint *side = timestepping_condition(run, i);
    if (undecided)
        return failure_of_bounds(run, side, t);
    if (!above)
        return RESULT_CONTINUE;
    find_edge(way, gaps, i, level, false, &t, q);
    for (size_t j = 0; j < way->n; j++)
        v[j] = (way->q[2][j] - way->q[0][j]) / (way->t[2] - way->t[0]);
    UnilateralRow row = unilaterals_row(gaps->unilaterals, i, t, q, v);
    Entrance at = {row.rate, fabs(row.partial_t), row.partial_t};
    for (size_t k = 0; k < row.size; k++)
        at.terms += fabs(row.gradient[k]) * way->fastest[row.coordinates[k]];
    memcpy(way->before, row.gradient, row.size * sizeof *row.gradient);
    if (struck) {
        row = unilaterals_row(gaps->unilaterals, i, way->t[2], way->q[2], v);
        return differs(way, &row, &at) ? failure_of_depth(run, side, t) : RESULT_CONTINUE;
    }
    until = t;
    find_above(way, gaps->unilaterals, i, level, true, &until, q, &undecided);
    find_edge(way, gaps, i, level, true, &until, q);
    row = unilaterals_row(gaps->unilaterals, i, until, q, v);
    return turns(way, &row, &at) ? failure_of_passing(run, side, t) : RESULT_CONTINUE;
}

static bool may_have_passed(const SimulationRun *run, const PassedWay *way, size_t i)
{
    const Unilaterals *unilaterals = run->gaps->unilaterals;
    size_t degree = way->degrees[unilaterals->at.at[i].shape];
    double ends = fmax(fmax(way->f[0][i], way->f[2][i]), 0);
    if (degree < 2)
        return false;
    if (is_struck(run, way, i))
        return !cannot_turn(way, unilaterals, i);
    double top =
        degree == 2 && way->straight ? parabola_top(way, i) : interval_top(way, unilaterals, i);
    return !(top <= ends) && !cannot_turn(way, unilaterals, i);
}

// At the places of the way; those in its last middle are known. Pairs that are near now may not
// have been known in the first.
static void find_gaps(SimulationRun *run, PassedWay *way)
{
    const GapFunctions *gaps = run->gaps;
    bool first = gaps->unilaterals->pairs || !way->f[0];
    if (gaps->room > way->room || !way->f[0]) {
        way->room = gaps->room;
        real_alloc_each(run->arena, way->room, &way->f[0], &way->f[1], &way->f[2]);
    }
    for (size_t place = first ? 0 : 1; place + 1 < PLACES; place++)
        gaps_evaluate(gaps, way->t[place], way->q[place], way->f[place]);
    memcpy(way->f[2], gaps->f, gaps->count * sizeof *gaps->f);
    double length = way->t[2] - way->t[0];
    for (size_t j = 0; j < way->n; j++)
        way->fastest[j] = fmax(way->fastest[j], fabs(way->q[2][j] - way->q[0][j]) / length);
}

RunResult way_look(SimulationRun *run, double t, const double *q)
{
    PassedWay *way = run->gaps->way;
    const Unilaterals *unilaterals = run->gaps->unilaterals;
    RunResult result = RESULT_CONTINUE;
    size_t count;
    if (!way || t <= way->t[0])
        return result;
    way_set(way, PLACES - 1, t, q);
    const uint32_t *near = unilaterals_near(unilaterals, &count);
    find_gaps(run, way);
    for (size_t i = 0; i < unilaterals->single && result == RESULT_CONTINUE; i++)
        if (may_have_passed(run, way, i))
            result = look_at(run, way, i);
    for (size_t k = 0; k < count && result == RESULT_CONTINUE; k++)
        if (may_have_passed(run, way, near[k]))
            result = look_at(run, way, near[k]);
    way_set(way, 0, t, q);
    way_set(way, 1, t, q);
    double *former = way->f[0];
    way->f[0] = way->f[2];
    way->f[2] = former;
    return result;
}

RunResult way_look_at_order(SimulationRun *run, double h)
{
    const PassedWay *way = run->gaps->way;
    if (!way || run->gaps->unilaterals->pairs || bounce_sequence_agrees(run, h, way->fastest))
        return RESULT_CONTINUE;
    return failure_of_order(run, run->event->t);
}
