// Plots: well-formed pictures whose ticks read back as what they stand at, and which hold what a
// person would see of all the points, however many there were.
#include "files.h"
#include "folder.h"
#include "show/xml.h"

#include "show/axes_impl.h"
#include "show/curve_impl.h"
#include "show/show.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const columns[] = {"t", "x", "y", "theta'", "energy", "q[1,2]"};
enum { COLUMNS = sizeof columns / sizeof *columns };

static ShowRun example_run(void)
{
    return (ShowRun){
        .columns = columns, .count = COLUMNS, .coordinates = 2, .title = "\"Beads\" & <rings>\n"};
}

typedef void (*RowFn)(size_t index, double *row);

static void gentle(size_t index, double *row)
{
    double t = 0.1 * (double)index;
    for (size_t i = 0; i < COLUMNS; i++)
        row[i] = i == 0 ? t : cos(t + (double)i);
}

// Draws `names` of so many rows; the caller clears the picture.
static Text picture(const char *names, RowFn fill, size_t rows)
{
    ShowRun run = example_run();
    Diag *diag = diag_new();
    ShowPlot *plot;
    char wanted[256];
    snprintf(wanted, sizeof wanted, "%s%s/p.svg", names, folder);
    assert_int_equal(show_plot_open(wanted, NULL, &run, diag, &plot), STATUS_OK);
    for (size_t i = 0; i < rows; i++) {
        double row[COLUMNS];
        fill(i, row);
        show_plot_row(plot, row);
    }
    assert_int_equal(show_plot_close(plot, SHOW_COMPLETE, diag), STATUS_OK);
    assert_int_equal(diag_total(diag), 0);
    diag_free(diag);
    return read_file(folder, "/p.svg", "");
}

static size_t count_of(const char *text, const char *piece)
{
    size_t count = 0;
    for (const char *at = strstr(text, piece); at; at = strstr(at + 1, piece))
        count++;
    return count;
}

// ---- What is drawn.

static void test_pictures_are_well_formed(void **state)
{
    (void)state;
    static const char *const names[] = {
        "", "x:", "x,y:", "t,x:", "t,x,y:", "x,y,θ′,energy,q[1,2]:"};
    static const size_t curves[] = {2, 1, 1, 1, 2, 5};
    for (size_t i = 0; i < 6; i++) {
        Text svg = picture(names[i], gentle, 200), again = picture(names[i], gentle, 200);
        assert_true(xml_is_well_formed(svg.at));
        assert_string_equal(svg.at, again.at);
        assert_null(strstr(svg.at, "<script"));
        assert_null(strstr(svg.at, "nan"));
        assert_non_null(strstr(svg.at, "prefers-color-scheme:dark"));
        assert_non_null(strstr(svg.at, "&quot;Beads&quot; &amp; &lt;rings&gt;"));
        // A curve alone is named at its axis, several in a legend, where each has a key.
        size_t keys = curves[i] > 1 ? curves[i] : 0;
        assert_int_equal(count_of(svg.at, "class=\"curve "), curves[i] + keys);
        text_clear(&svg);
        text_clear(&again);
    }
}

static void test_names_for_the_eye(void **state)
{
    (void)state;
    Text svg = picture("x,theta':", gentle, 100);
    assert_non_null(strstr(svg.at, ">x</text>"));
    assert_non_null(strstr(svg.at, ">θ′</text>"));
    text_clear(&svg);
}

static void assert_refused(const char *wanted, const char *reason)
{
    ShowRun run = example_run();
    Diag *diag = diag_new();
    ShowPlot *plot;
    assert_int_equal(show_plot_open(wanted, NULL, &run, diag, &plot), STATUS_WRONG);
    assert_null(plot);
    Text text = {0};
    diag_render(diag, DIAG_ERROR, &text);
    if (!strstr(text.at, reason))
        print_message("%s: %s", wanted, text.at);
    assert_non_null(strstr(text.at, reason));
    text_clear(&text);
    diag_free(diag);
}

static void test_wrong_wishes(void **state)
{
    (void)state;
    assert_refused("p.gif", "ends in .svg");
    assert_refused("-", "ends in .svg");
    assert_refused("x,y:p", "ends in .svg");
    assert_refused("x,z:p.svg", "no column 'z'");
    assert_refused("enrgy:p.svg", "did you mean 'energy'?");
    assert_refused("x,,y:p.svg", "no column ''");
    assert_refused(":p.svg", "no column ''");
    assert_refused("t:p.svg", "what is to be drawn against t?");
    assert_refused("x,t,y:p.svg", "name it first");
    assert_refused("x,y,x,y,x,y,x,y,x,y,x,y,x:p.svg", "cannot be told apart");
    assert_refused("/nowhere/p.svg", "there is no folder '/nowhere'");
}

static void silent(size_t index, double *row)
{
    gentle(index, row);
    for (size_t i = 1; i < COLUMNS; i++)
        row[i] = i == 1 ? NAN : i == 2 ? INFINITY : i == 3 ? -1e308 : i == 4 ? 0.525 : 0;
}

// Nothing to draw, nothing that varies, a single row, no row at all: there are axes all the same.
static void test_odd_rows(void **state)
{
    (void)state;
    static const char *const names[] = {
        "x:", "y:", "theta':", "energy:", "q[1,2]:", "x,y:", "energy,q[1,2]:"};
    for (size_t i = 0; i < 7; i++)
        for (size_t rows = 0; rows < 3; rows++) {
            Text svg = picture(names[i], silent, rows);
            assert_true(xml_is_well_formed(svg.at));
            assert_null(strstr(svg.at, "nan"));
            assert_null(strstr(svg.at, "inf"));
            assert_true(count_of(svg.at, "class=\"middle\"") >= 3);
            text_clear(&svg);
        }
}

// ---- Ticks.

static void assert_ticks(double low, double high)
{
    Axis axis = axis_around((CurveRange){low, high}, 0.04);
    assert_true(axis.low <= low && axis.high >= high);
    axis_set_range(&axis, axis.low, axis.high, 8);
    size_t count = axis_tick_count(&axis);
    assert_in_range(count, 3, 9);
    double mantissa = axis.step / pow(10, floor(log10(axis.step) + 1e-9));
    assert_true(fabs(mantissa - 1) < 1e-9 || fabs(mantissa - 2) < 1e-9 ||
                fabs(mantissa - 5) < 1e-9);
    for (size_t i = 0; i < count; i++) {
        double tick = axis_tick(&axis, i);
        double slack = 1e-6 * axis.step;
        assert_true(tick >= axis.low - slack && tick <= axis.high + slack);
        Text label = {0};
        axis_tick_text(&axis, tick, &label);
        if (text_width(label.at, label.length) > 9)
            print_message("%.17g…%.17g: %s\n", low, high, label.at);
        assert_true(text_width(label.at, label.length) <= 9);
        // The label says where it stands.
        bool minus = strncmp(label.at, "−", strlen("−")) == 0;
        double read = strtod(label.at + (minus ? strlen("−") : 0), NULL) * (minus ? -1 : 1);
        double there = read * pow(10, axis.power) + axis.offset;
        if (fabs(there - tick) > 0.01 * axis.step)
            print_message("%g…%g: %s at %.17g\n", low, high, label.at, tick);
        assert_true(fabs(there - tick) <= 0.01 * axis.step);
        text_clear(&label);
    }
}

static void test_ticks_read_back(void **state)
{
    (void)state;
    Random random = random_seed(5);
    assert_ticks(0, 1);
    assert_ticks(-1, 1);
    assert_ticks(0.525 - 1e-10, 0.525 + 1e-10);
    assert_ticks(-3e8 - 1, -3e8 + 1);
    assert_ticks(7, 7);
    assert_ticks(0, 0);
    assert_ticks(1e-200, 3e-200);
    assert_ticks(-1e299, 1e299);
    for (int i = 0; i < 2000; i++) {
        double size = pow(10, (double)random_below(&random, 24) - 12);
        double from = ((double)random_below(&random, 2000) - 1000) / 1000 * size;
        double width = pow(10, -(double)random_below(&random, 10)) * size;
        assert_ticks(from, from + width * (1 + (double)random_below(&random, 1000) / 100));
    }
}

static void test_what_is_said_once(void **state)
{
    (void)state;
    Axis axis;
    Text rest = {0};
    axis_set_range(&axis, 0.525, 0.525 + 1e-9, 8);
    axis_factor_text(&axis, &rest);
    assert_string_equal(rest.at, "×10⁻⁹ + 0.525");
    text_clear(&rest);
    axis_set_range(&axis, 0, 1, 8);
    axis_factor_text(&axis, &rest);
    assert_int_equal(rest.length, 0);
}

// ---- Thinning.

// A spike of one row among many, up and down.
static double noisy(size_t i)
{
    return i == 123457 ? 50 : i == 654321 ? -40 : sin(0.37 * (double)i);
}

static void test_graphs_keep_extremes(void **state)
{
    (void)state;
    Curve *curve = curve_new(CURVE_GRAPH);
    for (size_t i = 0; i < 1000000; i++)
        curve_add(curve, 1e-3 * (double)i, noisy(i));
    CurvePoints points = {0};
    curve_points(curve, &points);
    assert_in_range(points.count, 1000, 3200);
    size_t spikes = 0;
    for (size_t i = 0; i < points.count; i++) {
        size_t row = (size_t)(points.at[i].x * 1e3 + 0.5);
        assert_true(points.at[i].y == noisy(row)); // no point is invented
        assert_true(i == 0 || points.at[i].x >= points.at[i - 1].x);
        spikes += fabs(points.at[i].y) > 2;
    }
    assert_int_equal(spikes, 2);
    assert_true(points.at[0].x == 0 && points.at[points.count - 1].x == 1e-3 * 999999);
    array_clear(&points);
    curve_free(curve);
}

static void test_lines_break(void **state)
{
    (void)state;
    for (CurveKind kind = CURVE_GRAPH; kind <= CURVE_PATH; kind++) {
        static const double heights[] = {NAN, 1, 2, NAN, NAN, 3, INFINITY, 4, 5, -INFINITY};
        Curve *curve = curve_new(kind);
        for (size_t i = 0; i < 10; i++)
            curve_add(curve, (double)i, heights[i]);
        CurvePoints points = {0};
        curve_points(curve, &points);
        static const double expected[] = {1, 2, NAN, 3, NAN, 4, 5};
        assert_int_equal(points.count, 7);
        for (size_t i = 0; i < 7; i++)
            assert_true(isnan(expected[i]) ? isnan(points.at[i].x) : points.at[i].y == expected[i]);
        array_clear(&points);
        curve_free(curve);
    }
}

static double distance(CurvePoint p, CurvePoint a, CurvePoint b)
{
    double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    double part = square > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : 0;
    part = part < 0 ? 0 : part > 1 ? 1 : part;
    return hypot(p.x - a.x - part * dx, p.y - a.y - part * dy);
}

// A rosette that fills a ring: every point of it is drawn over, within a coarse pixel, and no point
// is drawn that was not there.
static void assert_rosette(double precession, size_t rows, size_t most)
{
    Curve *curve = curve_new(CURVE_PATH);
    for (size_t i = 0; i < rows; i++) {
        double angle = 0.05 * (double)i, radius = 2 + cos(precession * angle);
        curve_add(curve, radius * cos(angle), radius * sin(angle));
    }
    CurvePoints points = {0};
    curve_points(curve, &points);
    if (points.count > most)
        print_message("%zu points of %zu\n", points.count, rows);
    assert_true(points.count <= most);
    for (size_t i = 0; i < rows; i += rows / 500) {
        double angle = 0.05 * (double)i, radius = 2 + cos(precession * angle), nearest = 9;
        CurvePoint point = {radius * cos(angle), radius * sin(angle)};
        for (size_t j = 1; j < points.count; j++)
            if (!isnan(points.at[j].x) && !isnan(points.at[j - 1].x))
                nearest = fmin(nearest, distance(point, points.at[j - 1], points.at[j]));
        assert_true(nearest < 6.0 / 160); // the ring is 6 wide: two coarse pixels
    }
    array_clear(&points);
    curve_free(curve);
}

static void test_paths_keep_what_is_seen(void **state)
{
    (void)state;
    assert_rosette(1, 1000, 1000);
    assert_rosette(2, 200000, 3000);        // one closed line, drawn again and again
    assert_rosette(sqrt(2), 400000, 40000); // never closes
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pictures_are_well_formed),
        cmocka_unit_test(test_names_for_the_eye),
        cmocka_unit_test(test_wrong_wishes),
        cmocka_unit_test(test_odd_rows),
        cmocka_unit_test(test_ticks_read_back),
        cmocka_unit_test(test_what_is_said_once),
        cmocka_unit_test(test_graphs_keep_extremes),
        cmocka_unit_test(test_lines_break),
        cmocka_unit_test(test_paths_keep_what_is_seen),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
