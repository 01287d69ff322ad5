// How plots look: sizes, words, ranges and logarithms as asked for, and whatever was asked for,
// nothing written lies outside of the picture or over something else that is written.
#include "files.h"
#include "folder.h"
#include "show/xml.h"
#include "support.h"

#include "show/svg_layout_impl.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const columns[] = {"t", "x", "a_rather_long_name_of_a_column", "x'", "theta'"};
enum { COLUMNS = sizeof columns / sizeof *columns };

static ShowRun example_run(void)
{
    return (ShowRun){.columns = columns,
                     .count = COLUMNS,
                     .coordinates = 2,
                     .title = "Beads & <rings>, and more words than go into one line"};
}

// What is drawn: a line through (t, slope·t + height).
static double slope = 1, height, length = 10;

static Status draw(const char *names, const ShowPlotStyle *style, Diag *diag)
{
    ShowRun run = example_run();
    ShowPlot *plot;
    char wanted[256];
    snprintf(wanted, sizeof wanted, "%s%s/p.svg", names, folder);
    TRY(show_plot_open(wanted, style, &run, diag, &plot));
    for (size_t i = 0; i <= 100; i++) {
        double row[COLUMNS] = {length * (double)i / 100};
        for (size_t j = 1; j < COLUMNS; j++)
            row[j] = slope * row[0] * (double)j + height;
        if (i == 50)
            show_plot_event(plot, &(RunEvent){.t = row[0]});
        show_plot_row(plot, row);
    }
    return show_plot_close(plot, SHOW_COMPLETE, diag);
}

static Text picture(const char *names, const ShowPlotStyle *style)
{
    Diag *diag = diag_new();
    assert_int_equal(draw(names, style, diag), STATUS_OK);
    assert_int_equal(diag_total(diag), 0);
    diag_free(diag);
    Text svg = read_file(folder, "/p.svg", "");
    assert_true(xml_is_well_formed(svg.at));
    return svg;
}

// ---- Reading a picture.

static double number_after(const char *text, const char *mark)
{
    const char *at = strstr(text, mark);
    assert_non_null(at);
    return strtod(at + strlen(mark), NULL);
}

typedef struct {
    double left, right, top, bottom;
    char text[256];
} Box;
typedef ARRAY(Box) Boxes;

// The text of an element, its markup undone.
static void read_content(const char *at, char *out, size_t size)
{
    static const char *const marks[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    size_t length_of = 0;
    while (*at != '<' && length_of + 1 < size) {
        char c = *at;
        size_t step = 1;
        for (size_t i = 0; i < 4; i++)
            if (strncmp(at, marks[i], strlen(marks[i])) == 0)
                c = "&<>\""[i], step = strlen(marks[i]);
        out[length_of++] = c;
        at += step;
    }
    out[length_of] = '\0';
}

static void read_boxes(const char *svg, Boxes *boxes)
{
    double em = number_after(svg, "text{font-size:"), bold = number_after(svg, ".title{font-size:");
    for (const char *at = strstr(svg, "<text "); at; at = strstr(at + 1, "<text ")) {
        Box box = {0};
        char tag[512], kind[16];
        snprintf(tag, sizeof tag, "%.*s", (int)strcspn(at, ">"), at);
        read_content(strchr(at, '>') + 1, box.text, sizeof box.text);
        assert_int_equal(sscanf(at, "<text class=\"%15[a-z]\"", kind), 1);
        bool title = strcmp(kind, "title") == 0, turned = strcmp(kind, "turned") == 0;
        double size = strstr(tag, "font-size:") ? number_after(tag, "font-size:")
                      : title                   ? bold * 1.15
                                                : em;
        double wide = size * svg_text_width(box.text, strlen(box.text));
        double x = number_after(tag, turned ? "translate(" : " x=\"");
        double y = turned ? strtod(strchr(strstr(tag, "translate("), ',') + 1, NULL)
                          : number_after(tag, " y=\"");
        double from = strcmp(kind, "start") == 0 ? 0 : strcmp(kind, "end") == 0 ? wide : wide / 2;
        if (turned)
            box.left = x - 0.75 * size, box.right = x, box.top = y - wide / 2,
            box.bottom = y + wide / 2;
        else
            box.left = x - from, box.right = x - from + wide, box.top = y - 0.75 * size,
            box.bottom = y;
        array_push(boxes, box);
    }
}

// Whether everything written stands inside, and nothing over another thing.
static bool is_tidy(const char *svg)
{
    double wide, high;
    assert_int_equal(sscanf(strstr(svg, "viewBox=\""), "viewBox=\"0 0 %lf %lf", &wide, &high), 2);
    Boxes boxes = {0};
    bool tidy = true;
    read_boxes(svg, &boxes);
    for (size_t i = 0; i < boxes.count; i++) {
        const Box *a = &boxes.at[i];
        bool inside =
            a->left > -0.5 && a->right < wide + 0.5 && a->top > -0.5 && a->bottom < high + 0.5;
        if (!inside)
            print_message("'%s' lies outside: %g…%g of %g, %g…%g of %g\n", a->text, a->left,
                          a->right, wide, a->top, a->bottom, high);
        tidy = tidy && inside;
        for (size_t j = 0; j < i; j++) {
            const Box *b = &boxes.at[j];
            bool over = a->left < b->right - 0.5 && b->left < a->right - 0.5 &&
                        a->top < b->bottom - 0.5 && b->top < a->bottom - 0.5;
            if (over)
                print_message("'%s' lies over '%s'\n", a->text, b->text);
            tidy = tidy && !over;
        }
    }
    assert_true(boxes.count > 4);
    array_clear(&boxes);
    return tidy;
}

// ---- What was asked for.

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *size, *attributes;
        double wide, high;
    } sizes[] = {
        {"86x60mm", " width=\"86mm\" height=\"60mm\" ", 86 * 96 / 25.4, 60 * 96 / 25.4},
        {"8.6x6cm", " width=\"8.6cm\" height=\"6cm\" ", 86 * 96 / 25.4, 60 * 96 / 25.4},
        {"4x3in", " width=\"4in\" height=\"3in\" ", 384, 288},
        {"300x200pt", " width=\"300pt\" height=\"200pt\" ", 400, 800.0 / 3},
        {"800x500px", " width=\"800px\" height=\"500px\" ", 800, 500},
        {"100mm", " width=\"100mm\" height=\"66mm\" ", 100 * 96 / 25.4, 66 * 96 / 25.4},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        Text svg = picture("", &(ShowPlotStyle){.size = sizes[i].size});
        double wide, high;
        assert_non_null(strstr(svg.at, sizes[i].attributes));
        sscanf(strstr(svg.at, "viewBox"), "viewBox=\"0 0 %lf %lf", &wide, &high);
        assert_true(fabs(wide - sizes[i].wide) < 1e-3 && fabs(high - sizes[i].high) < 1e-3);
        // Eight points, a point being 96/72 pixels.
        assert_true(fabs(number_after(svg.at, "text{font-size:") - 8 * 96.0 / 72) < 0.01);
        assert_true(is_tidy(svg.at));
        text_clear(&svg);
    }
}

static void test_words(void **state)
{
    (void)state;
    static const char *const labels[] = {"x=way <x> & \"more\" [m]", "θ′=turning"};
    ShowPlotStyle style = {.title = "Of <beads>",
                           .axis = "a < b",
                           .labels = labels,
                           .label_count = 2,
                           .font = "9pt Latin Modern Roman"};
    Text svg = picture("x,theta',x':", &style);
    assert_non_null(strstr(svg.at, ">way &lt;x&gt; &amp; &quot;more&quot; [m]</text>"));
    assert_non_null(strstr(svg.at, ">turning</text>"));
    assert_non_null(strstr(svg.at, ">x′</text>"));
    assert_non_null(strstr(svg.at, ">Of &lt;beads&gt;</text>"));
    assert_non_null(strstr(svg.at, ">a &lt; b</text>"));
    assert_non_null(strstr(svg.at, "font-size:12px;font-family:Latin Modern Roman,system-ui"));
    text_clear(&svg);
    svg = picture("x:", &(ShowPlotStyle){.title = "", .colours = "light"});
    assert_null(strstr(svg.at, "class=\"title\""));
    assert_null(strstr(svg.at, "prefers-color-scheme"));
    assert_non_null(strstr(svg.at, "<title>Beads &amp;")); // for those who cannot see it
    text_clear(&svg);
    svg = picture("x:", &(ShowPlotStyle){.colours = "dark"});
    assert_null(strstr(svg.at, ".back{fill:#fff}"));
    assert_non_null(strstr(svg.at, ".back{fill:#16181c}"));
    text_clear(&svg);
    svg = picture("x,x',theta':", &(ShowPlotStyle){.legend = "none"});
    assert_null(strstr(svg.at, ">x′</text>"));
    text_clear(&svg);
}

static void assert_refused(const ShowPlotStyle *style, const char *reason)
{
    Diag *diag = diag_new();
    Text text = {0};
    assert_int_equal(draw("t,x,x':", style, diag), STATUS_WRONG);
    diag_render(diag, DIAG_ERROR, &text);
    if (!strstr(text.at, reason))
        print_message("%s", text.at);
    assert_non_null(strstr(text.at, reason));
    text_clear(&text);
    diag_free(diag);
    char path[128];
    snprintf(path, sizeof path, "%s/p.svg", folder);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void test_wrong_wishes(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/p.svg", folder);
    remove(path);
    static const char *const sizes[] = {"",       "86",       "x60mm",     "86x60",    "86xmm",
                                        "86x60m", "86x60mm ", "86 x 60mm", "nanxnanmm"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_refused(&(ShowPlotStyle){.size = sizes[i]}, "as in 86x60mm");
    assert_refused(&(ShowPlotStyle){.size = "1x60mm"}, "between 10.6 and 5292 mm");
    assert_refused(&(ShowPlotStyle){.size = "-86x60mm"}, "between 10.6");
    assert_refused(&(ShowPlotStyle){.size = "86x1e300mm"}, "between 10.6");
    assert_refused(&(ShowPlotStyle){.size = "25x20mm"}, "too small for what is written");
    assert_refused(&(ShowPlotStyle){.size = "86x60mm", .font = "40pt"}, "smaller letters");
    static const char *const fonts[] = {"", "8", "pt", "8pt}</style>", "8ptX", "8pt x;y"};
    for (size_t i = 0; i < sizeof fonts / sizeof *fonts; i++)
        assert_refused(&(ShowPlotStyle){.font = fonts[i]}, "the size of the letters");
    assert_refused(&(ShowPlotStyle){.font = "0pt"}, "between 3 and 150 pt");
    assert_refused(&(ShowPlotStyle){.legend = "left"}, "bottom-left or bottom-right");
    assert_refused(&(ShowPlotStyle){.colours = "red"}, "auto, light or dark");
    static const char *const labels[] = {"x", "z=1", "tehta'=angle"};
    assert_refused(&(ShowPlotStyle){.labels = labels, .label_count = 1}, "NAME=TEXT");
    assert_refused(&(ShowPlotStyle){.labels = labels + 1, .label_count = 1}, "is called 'z'");
    assert_refused(&(ShowPlotStyle){.labels = labels + 2, .label_count = 1},
                   "did you mean 'theta''?");
    static const char *const ranges[] = {"t", "t=", "t=1", "t=1:1", "t=2:1", "t=0:nan", "t=0:1x"};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        assert_refused(&(ShowPlotStyle){.ranges = ranges[i]}, "LOW < HIGH");
    assert_refused(&(ShowPlotStyle){.ranges = "u=0:1"}, "is called 'u'");
    assert_refused(&(ShowPlotStyle){.log = "u"}, "is called 'u'");
    assert_refused(&(ShowPlotStyle){.log = "x", .ranges = "x'=0:1"}, "begin above 0");
}

// Sizes, fonts, legends and lengths of words at random: refused, or tidy.
static void test_tidy(void **state)
{
    (void)state;
    Random random = random_seed(11);
    static const char *const names[] = {"", "x:", "t,x,x',theta':", "x,theta':"};
    static const char *const legends[] = {"above", "none", "top-left", "bottom-right"};
    size_t drawn = 0;
    for (size_t i = 0; i < 600; i++) {
        char size[32], font[16], label[64];
        const char *labels[] = {label};
        snprintf(size, sizeof size, "%zux%zumm", 20 + random_below(&random, 180),
                 20 + random_below(&random, 120));
        snprintf(font, sizeof font, "%zupt", 5 + random_below(&random, 12));
        snprintf(label, sizeof label, "x=%.*s", (int)random_below(&random, 40),
                 "the distance from where it began, in metres");
        slope = pow(10, (double)random_below(&random, 20) - 10);
        height = random_below(&random, 2) ? 0 : 1e4 * slope;
        length = pow(10, (double)random_below(&random, 12) - 6);
        ShowPlotStyle style = {.size = size,
                               .font = font,
                               .title = random_below(&random, 2) ? "" : NULL,
                               .legend = legends[random_below(&random, 4)],
                               .log = random_below(&random, 4) ? NULL : "x",
                               .labels = labels,
                               .label_count = 1};
        Diag *diag = diag_new();
        Status status = draw(names[random_below(&random, 4)], &style, diag);
        assert_true(status == STATUS_OK || status == STATUS_WRONG);
        diag_free(diag);
        if (status == STATUS_WRONG)
            continue;
        drawn++;
        Text svg = read_file(folder, "/p.svg", "");
        assert_true(xml_is_well_formed(svg.at));
        if (!is_tidy(svg.at))
            print_message("--plot-size %s --plot-font %s --plot-legend %s: slope %g, height %g, to "
                          "%g (%zu)\n",
                          size, font, style.legend, slope, height, length, i);
        assert_true(is_tidy(svg.at));
        text_clear(&svg);
    }
    assert_true(drawn > 200);
    slope = 1, height = 0, length = 10;
}

// ---- Ranges.

// The line y = 2t, of which a window shows a piece whose ends are known.
static void test_ranges(void **state)
{
    (void)state;
    for (CurveKind kind = CURVE_GRAPH; kind <= CURVE_PATH; kind++) {
        Curve *curve = curve_new(kind);
        curve_set_window(curve, (CurveRange){1.05, 7}, (CurveRange){4, 11.3});
        for (size_t i = 0; i <= 100; i++)
            curve_add(curve, 0.1 * (double)i, 0.2 * (double)i);
        CurvePoints points = {0};
        curve_points(curve, &points);
        CurvePoint first = points.at[0], last = points.at[points.count - 1];
        assert_true(fabs(first.x - 2) < 1e-12 && fabs(first.y - 4) < 1e-12);
        assert_true(fabs(last.x - 5.65) < 1e-12 && fabs(last.y - 11.3) < 1e-12);
        assert_in_range(points.count, 37, 40);
        array_clear(&points);
        curve_free(curve);
    }
    // A wave that comes and goes, and one segment across the whole window.
    Curve *curve = curve_new(CURVE_PATH);
    curve_set_window(curve, (CurveRange){-1, 1}, (CurveRange){-1, 1});
    static const double there[][2] = {{-2, 0}, {2, 0}, {3, 5}, {0, 5}, {0, -5}, {9, 9}};
    for (size_t i = 0; i < 6; i++)
        curve_add(curve, there[i][0], there[i][1]);
    static const double expected[][2] = {{-1, 0}, {1, 0}, {NAN, NAN}, {0, 1}, {0, -1}};
    CurvePoints points = {0};
    curve_points(curve, &points);
    assert_int_equal(points.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_true(isnan(expected[i][0]) ? isnan(points.at[i].x)
                                          : fabs(points.at[i].x - expected[i][0]) < 1e-12 &&
                                                fabs(points.at[i].y - expected[i][1]) < 1e-12);
    array_clear(&points);
    curve_free(curve);
}

// Against t the curves are thinned; what a range shows is thinned after it was cut.
static void test_a_range_shows_detail(void **state)
{
    (void)state;
    Curve *curve = curve_new(CURVE_GRAPH);
    curve_set_window(curve, (CurveRange){500, 500.5}, (CurveRange){NAN, NAN});
    for (size_t i = 0; i < 1000000; i++)
        curve_add(curve, 1e-3 * (double)i, sin((double)i));
    CurvePoints points = {0};
    curve_points(curve, &points);
    assert_in_range(points.count, 500, 503);
    array_clear(&points);
    curve_free(curve);
}

// ---- Logarithms.

static double read_label(const char *text)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const char *ten = strstr(text, "10"), *at = ten ? ten + 2 : NULL;
    bool has_power = at && (unsigned char)*at >= 0x80;
    if (!has_power)
        return strtod(text, NULL);
    double digit = strstr(text, "·") ? strtod(text, NULL) : 1, power = 0, sign = 1;
    if (strncmp(at, "⁻", 3) == 0)
        sign = -1, at += 3;
    while (*at) {
        size_t i = 0;
        while (strncmp(at, raised[i], strlen(raised[i])) != 0)
            i++;
        power = 10 * power + (double)i;
        at += strlen(raised[i]);
    }
    return digit * pow(10, sign * power);
}

static void test_logarithms(void **state)
{
    (void)state;
    Random random = random_seed(3);
    for (size_t i = 0; i < 2000; i++) {
        double low = ((double)random_below(&random, 40000) - 20000) / 1000;
        double span = pow(10, (double)random_below(&random, 3000) / 1000 - 1.5);
        size_t ticks = 2 + random_below(&random, 7);
        Axis axis;
        axis_set_log_range(&axis, low, low + span, ticks);
        size_t count = axis_tick_count(&axis);
        assert_in_range(count, 2, ticks + 4);
        double before = -INFINITY;
        for (size_t j = 0; j < count; j++) {
            double tick = axis_tick(&axis, j);
            Text label = {0};
            axis_tick_text(&axis, tick, &label);
            double there = axis.scale == AXIS_DECADES
                               ? log10(read_label(label.at))
                               : log10(read_label(label.at) * pow(10, axis.power) + axis.offset);
            if (fabs(there - tick) > 1e-2 * fmin(span, 1))
                print_message("%s at 10^%g of %g…%g\n", label.at, tick, low, low + span);
            assert_true(fabs(there - tick) <= 1e-2 * fmin(span, 1));
            assert_true(tick >= low - 1e-6 && tick <= low + span + 1e-6 && tick > before);
            before = tick;
            text_clear(&label);
        }
    }
    // A power law is a straight line: at t = 1 and 10 of 0.1 to 10 it is at one half, and at the
    // end.
    length = 10;
    Text svg = picture("x:", &(ShowPlotStyle){.log = "t,x", .ranges = "t=0.1:10"});
    double left = number_after(svg.at, "class=\"frame\" x=\"");
    double wide = number_after(strstr(svg.at, "class=\"frame\""), " width=\"");
    const char *curve = strstr(svg.at, "class=\"curve");
    double x, y, first_x = number_after(curve, " d=\"M"),
                 first_y = strtod(strchr(curve, ',') + 1, NULL);
    assert_true(fabs(first_x - left) < 0.1);
    const char *last = strchr(curve, '/');
    while (*last != ' ')
        last--;
    assert_int_equal(sscanf(last, " %lf,%lf", &x, &y), 2);
    assert_true(fabs(x - left - wide) < 0.1);
    for (const char *at = strchr(strstr(curve, " d="), ' '); at < last; at = strchr(at + 1, ' '))
        if (sscanf(at, " %lf,%lf", &x, &y) == 2) {
            double part = (x - first_x) / wide;
            double end_y;
            sscanf(strchr(last, ','), ",%lf", &end_y);
            assert_true(fabs(y - first_y - part * (end_y - first_y)) < 0.05);
        }
    text_clear(&svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_words),
        cmocka_unit_test(test_wrong_wishes), cmocka_unit_test(test_tidy),
        cmocka_unit_test(test_ranges),       cmocka_unit_test(test_a_range_shows_detail),
        cmocka_unit_test(test_logarithms),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
