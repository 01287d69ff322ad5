// curve.c: a line through many points, of which those that can be seen are kept.
//
// However many points come, memory stays bounded. A graph over x is kept as spans of consecutive
// points, each with its first, least, greatest and last; when there are too many spans, neighbours
// become one. Extremes are therefore never lost. A path keeps points that lie at least about a
// pixel apart; where that is too many, it also leaves out what runs over pixels drawn before.
#include "show/curve_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>

enum {
    MOST_SPANS = 800,         // four points each; a plot is about as many pixels wide
    FIRST_PATH_POINTS = 8192, // room before a path is thinned for the first time
    GRID_X = 320,             // the pixels that overdrawing is judged by are coarse
    GRID_Y = 240,
    JUST_NOW = 4 // segments: what was drawn so shortly before is the line itself
};
#define MOST_VALUE 1e300
// Points of a path nearer than this part of its extent are one.
#define NEAR (1.0 / 1024)

typedef struct {
    CurvePoint first, least, most, last;
    size_t points;
    bool breaks; // the line breaks before it
} Span;

struct Curve {
    CurveKind kind;
    CurveRange x, y;
    bool breaks; // before the next point
    // What is seen of it, and the point that came last, be it seen or not; NAN at a break.
    CurveRange only_x, only_y;
    CurvePoint before;
    ARRAY(Span) spans;
    size_t span_points; // that a span takes
    CurvePoints path;
    size_t room; // of the path, before it is thinned
};

Curve *curve_new(CurveKind kind)
{
    Curve *curve = base_alloc(sizeof *curve);
    *curve = (Curve){.kind = kind,
                     .x = {NAN, NAN},
                     .y = {NAN, NAN},
                     .only_x = {NAN, NAN},
                     .only_y = {NAN, NAN},
                     .before = {NAN, NAN},
                     .span_points = 1,
                     .room = FIRST_PATH_POINTS};
    return curve;
}

void curve_free(Curve *curve)
{
    if (!curve)
        return;
    array_clear(&curve->spans);
    array_clear(&curve->path);
    base_free(curve);
}

void curve_set_window(Curve *curve, CurveRange x, CurveRange y)
{
    curve->only_x = x;
    curve->only_y = y;
}

CurveRange curve_range_x(const Curve *curve)
{
    return curve->x;
}

CurveRange curve_range_y(const Curve *curve)
{
    return curve->y;
}

// ---- Graphs.

static Span span_join(Span a, Span b)
{
    if (b.least.y < a.least.y)
        a.least = b.least;
    if (b.most.y > a.most.y)
        a.most = b.most;
    a.last = b.last;
    a.points += b.points;
    return a;
}

static void join_neighbours(Curve *curve)
{
    size_t count = curve->spans.count / 2;
    for (size_t i = 0; i < count; i++)
        curve->spans.at[i] = span_join(curve->spans.at[2 * i], curve->spans.at[2 * i + 1]);
    curve->spans.count = count;
    curve->span_points *= 2;
}

static void add_to_graph(Curve *curve, CurvePoint point)
{
    Span span = {point, point, point, point, 1, curve->breaks};
    Span *last = curve->spans.count ? &curve->spans.at[curve->spans.count - 1] : NULL;
    if (last && !curve->breaks && last->points < curve->span_points) {
        *last = span_join(*last, span);
        return;
    }
    if (curve->spans.count == MOST_SPANS)
        join_neighbours(curve);
    array_push(&curve->spans, span);
}

// ---- Paths.

static CurvePoint the_break(void)
{
    return (CurvePoint){NAN, NAN};
}

static bool is_break(CurvePoint point)
{
    return isnan(point.x);
}

static double extent(CurveRange range)
{
    return fmax(range.most - range.least, DBL_MIN);
}

// Leaves out points that are near to the one kept last.
static void leave_out_near(Curve *curve)
{
    CurvePoint *at = curve->path.at;
    size_t kept = 0;
    for (size_t i = 0; i < curve->path.count; i++) {
        bool ends = i + 1 == curve->path.count || is_break(at[i + 1]);
        bool far = kept == 0 || is_break(at[i]) || is_break(at[kept - 1]) ||
                   hypot((at[i].x - at[kept - 1].x) / extent(curve->x),
                         (at[i].y - at[kept - 1].y) / extent(curve->y)) > NEAR;
        if (far || ends)
            at[kept++] = at[i];
    }
    curve->path.count = kept;
}

// Draws the segment on the grid, as the number `mark`; whether it touches a pixel that is empty or
// was drawn just now.
static bool draw_segment(const Curve *curve, CurvePoint a, CurvePoint b, uint32_t mark,
                         uint32_t *grid)
{
    assert(mark > 0);
    double ax = (a.x - curve->x.least) / extent(curve->x) * (GRID_X - 1);
    double ay = (a.y - curve->y.least) / extent(curve->y) * (GRID_Y - 1);
    double bx = (b.x - curve->x.least) / extent(curve->x) * (GRID_X - 1);
    double by = (b.y - curve->y.least) / extent(curve->y) * (GRID_Y - 1);
    size_t steps = (size_t)fmax(fabs(bx - ax), fabs(by - ay)) + 1;
    bool fresh = false;
    for (size_t i = 0; i <= steps; i++) {
        double part = (double)i / (double)steps;
        size_t x = (size_t)(ax + part * (bx - ax) + 0.5), y = (size_t)(ay + part * (by - ay) + 0.5);
        uint32_t *pixel = &grid[y * GRID_X + x];
        if (*pixel == 0 || mark - *pixel <= JUST_NOW) {
            fresh = true;
            *pixel = mark;
        }
    }
    return fresh;
}

// Leaves out segments that run over what was drawn before.
static void leave_out_overdrawn(Curve *curve)
{
    uint32_t *grid = base_alloc(sizeof *grid * GRID_X * GRID_Y), mark = 0;
    CurvePoints kept = {0};
    for (size_t i = 0; i < curve->path.count; i++) {
        CurvePoint here = curve->path.at[i];
        bool starts = i == 0 || is_break(curve->path.at[i - 1]);
        if (starts || is_break(here)) {
            array_push(&kept, here);
            continue;
        }
        CurvePoint before = curve->path.at[i - 1];
        bool last = i + 1 == curve->path.count; // the line goes on from here
        if (!draw_segment(curve, before, here, ++mark, grid) && !last)
            continue;
        const CurvePoint *end = &kept.at[kept.count - 1];
        if (!is_break(*end) && (end->x != before.x || end->y != before.y))
            array_push(&kept, the_break());
        if (is_break(kept.at[kept.count - 1]))
            array_push(&kept, before);
        array_push(&kept, here);
    }
    base_free(grid);
    array_clear(&curve->path);
    curve->path = kept;
}

static void thin_path(Curve *curve, size_t wanted)
{
    leave_out_near(curve);
    if (curve->path.count > wanted)
        leave_out_overdrawn(curve);
}

static void add_to_path(Curve *curve, CurvePoint point)
{
    if (curve->path.count + 2 > curve->room) {
        thin_path(curve, curve->room / 2);
        // What is left touches a pixel of its own each; there are only so many of these.
        if (curve->path.count > curve->room / 2)
            curve->room *= 2;
    }
    if (curve->breaks)
        array_push(&curve->path, the_break());
    array_push(&curve->path, point);
}

// ---- Both.

static void widen(CurveRange *range, double value)
{
    range->least = fmin(range->least, value); // which passes NAN over
    range->most = fmax(range->most, value);
}

// Of the way from a to b the part, between *from and *to, that lies in a range too.
static void cut(double a, double b, CurveRange range, double *from, double *to)
{
    double least = (range.least - a) / (b - a), most = (range.most - a) / (b - a);
    if (a == b && (a < range.least || a > range.most))
        *to = -1;
    if (a == b || isnan(range.least))
        return;
    *from = fmax(*from, fmin(least, most));
    *to = fmin(*to, fmax(least, most));
}

static void break_line(Curve *curve)
{
    curve->breaks = !isnan(curve->x.least);
}

static void add_seen(Curve *curve, CurvePoint point)
{
    widen(&curve->x, point.x);
    widen(&curve->y, point.y);
    if (curve->kind == CURVE_GRAPH)
        add_to_graph(curve, point);
    else
        add_to_path(curve, point);
    curve->breaks = false;
}

void curve_add(Curve *curve, double x, double y)
{
    CurvePoint point = {x, y}, before = curve->before;
    // Written so that what is not a number fails too.
    if (!(fabs(x) < MOST_VALUE && fabs(y) < MOST_VALUE)) {
        curve->before = the_break();
        break_line(curve);
        return;
    }
    curve->before = point;
    before = is_break(before) ? point : before;
    double from = 0, to = 1;
    cut(before.x, x, curve->only_x, &from, &to);
    cut(before.y, y, curve->only_y, &from, &to);
    if (from > to)
        return;
    // The line comes in, and goes out, where it crosses the border.
    if (from > 0) {
        break_line(curve);
        add_seen(curve,
                 (CurvePoint){before.x + from * (x - before.x), before.y + from * (y - before.y)});
    }
    add_seen(curve, to == 1 ? point
                            : (CurvePoint){before.x + to * (x - before.x),
                                           before.y + to * (y - before.y)});
}

static void add_point(CurvePoints *points, CurvePoint point)
{
    const CurvePoint *last = points->count ? &points->at[points->count - 1] : NULL;
    if (!last || last->x != point.x || last->y != point.y)
        array_push(points, point);
}

void curve_points(Curve *curve, CurvePoints *points)
{
    thin_path(curve, FIRST_PATH_POINTS / 4);
    for (size_t i = 0; i < curve->path.count; i++)
        add_point(points, curve->path.at[i]);
    for (size_t i = 0; i < curve->spans.count; i++) {
        const Span *span = &curve->spans.at[i];
        bool rises = span->least.x <= span->most.x;
        if (span->breaks)
            array_push(points, the_break());
        add_point(points, span->first);
        add_point(points, rises ? span->least : span->most);
        add_point(points, rises ? span->most : span->least);
        add_point(points, span->last);
    }
}
