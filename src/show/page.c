// page.c: one HTML page that shows a run: the bundle of web/ with the numbers and words in it.
//
// Numbers go as base64, columns as doubles, the scene as differences, which are short. The scene
// has frames of its own, at rows and between them. All of the data is one JSON text in which no <
// stands, so that nothing in a model can end its element.
#include "show/base64_impl.h"
#include "show/json_impl.h"
#include "show/measured_text_impl.h"
#include "show/scene_impl.h"
#include "show/show.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct ShowPage {
    Simulation *run;
    Scene *scene;
    SceneFrames rows;   // the columns
    SceneFrames frames; // t and the scene's numbers
};

Status show_page_new(Motion *motion, Simulation *run, Diag *diag, ShowPage **made)
{
    assert(motion && run);
    Scene *scene;
    *made = NULL;
    TRY(scene_new(motion, run, true, diag, &scene));
    ShowPage *page = base_alloc(sizeof *page);
    page->run = run;
    page->scene = scene;
    scene_frames_init(&page->rows, NULL, run_column_count(run));
    scene_frames_init(&page->frames, scene, 1);
    *made = page;
    return STATUS_OK;
}

void show_page_free(ShowPage *page)
{
    if (!page)
        return;
    scene_frames_clear(&page->rows);
    scene_frames_clear(&page->frames);
    scene_free(page->scene);
    base_free(page);
}

void show_page_row(ShowPage *page, const double *row)
{
    scene_frames_add(&page->rows, row);
    scene_frames_add(&page->frames, row);
}

void show_page_between(ShowPage *page, const double *row)
{
    scene_frames_add(&page->frames, row);
}

double show_page_smooth(const ShowPage *page, double to)
{
    // A turn is seen as such by a few frames; so many numbers make a page that is not too large.
    const double usual = 400, frames_a_turn = 6, most_numbers = 60000, turn = 6.283185307179586;
    double turns = page->scene->spin * to / turn;
    return fmax(usual, fmin(frames_a_turn * turns, most_numbers / (double)page->frames.width));
}

size_t show_page_rows(const ShowPage *page)
{
    return page->rows.count + !page->rows.last_kept;
}

size_t show_page_frames(const ShowPage *page)
{
    return page->frames.count + !page->frames.last_kept;
}

// ---- Writing.

static void add_doubles(const SceneFrames *frames, size_t column, Text *out)
{
    text_add(out, "\"");
    base64_add_doubles(frames->at + column, frames->count, frames->width, out);
    text_add(out, "\"");
}

// ---- The scene's numbers. Each goes on its own through all frames, as whole multiples of a
// millionth of its range: smooth as it is, the second differences of these are short. They are
// written in groups of seven bits, the lowest first; 128 marks that another group follows. What is
// constant has a step of 0, and nothing is written of it.

enum { SCENE_BITS = 20 };

static void add_varint(int64_t value, Text *out)
{
    uint64_t rest = value < 0 ? 2 * (uint64_t)(-(value + 1)) + 1 : 2 * (uint64_t)value;
    for (; rest >= 128; rest >>= 7)
        text_add_char(out, (char)((rest & 127) | 128));
    text_add_char(out, (char)rest);
}

// Where there is no value: −1.
static void add_number(const double *numbers, size_t count, double low, double step, Text *out)
{
    int64_t last = 0, change = 0;
    for (size_t i = 0; i < count; i++) {
        double value = numbers[i];
        int64_t whole = isfinite(value) ? llround((value - low) / step) : -1;
        int64_t next = whole - last;
        add_varint(next - change, out);
        change = next;
        last = whole;
    }
}

static void add_scene(ShowPage *page, Text *out)
{
    const SceneFrames *frames = &page->frames;
    size_t width = page->scene->width, count = frames->count;
    double *numbers = base_alloc((count + 1) * sizeof *numbers);
    double *ranges = base_alloc((2 * width + 1) * sizeof *ranges);
    Text bytes = {0};
    for (size_t j = 0; j < width; j++) {
        double low = INFINITY, high = -INFINITY;
        bool whole = true;
        for (size_t i = 0; i < count; i++) {
            // As the page holds it.
            double value = numbers[i] = (float)scene_frame(frames, i)[j];
            whole = whole && isfinite(value);
            low = isfinite(value) ? fmin(low, value) : low;
            high = isfinite(value) ? fmax(high, value) : high;
        }
        ranges[2 * j] = high >= low ? low : 0;
        ranges[2 * j + 1] = high > low ? (high - low) / ((1 << SCENE_BITS) - 1) : !whole;
        if (ranges[2 * j + 1] > 0)
            add_number(numbers, count, low, ranges[2 * j + 1], &bytes);
    }
    SceneView view = scene_view(&page->frames);
    text_addf(out, "\"frames\":%zu,\"times\":", count);
    add_doubles(frames, 0, out);
    text_addf(out, ",\"width\":%zu,", width);
    scene_json(page->scene, &view, out);
    text_add(out, ",\"ranges\":\"");
    base64_add_floats(ranges, 2 * width, out);
    text_add(out, "\",\"scene\":\"");
    base64_add_bytes((const unsigned char *)bytes.at, bytes.length, out);
    text_add(out, "\"");
    text_clear(&bytes);
    base_free(ranges);
    base_free(numbers);
}

// ---- The data.

static void add_entry(const char *key, const char *text, Text *out)
{
    text_addf(out, ",\"%s\":", key);
    show_json_string(text ? text : "", out);
}

// In what the columns are shown; nothing where none has a unit.
static void add_units(const ShowPage *page, Text *out)
{
    const Model *model = page->scene->motion->model;
    bool any = false;
    Text units = {0}, scales = {0};
    for (size_t i = 0; i < page->rows.width; i++) {
        double scale;
        const char *unit = show_column_unit(model, run_column_name(page->run, i), &scale);
        any = any || *unit;
        text_add(&units, i ? "," : "");
        show_json_string(unit, &units);
        text_add(&scales, i ? "," : "");
        show_json_number(scale, &scales);
    }
    if (any)
        text_addf(out, "],\"units\":[%s],\"scales\":[%s", units.at, scales.at);
    text_clear(&units);
    text_clear(&scales);
}

static void add_data(ShowPage *page, const ShowPageWords *words, Text *out)
{
    text_add(out, "{\"columns\":[");
    for (size_t i = 0; i < page->rows.width; i++) {
        text_add(out, i ? "," : "");
        show_json_string(run_column_name(page->run, i), out);
    }
    add_units(page, out);
    text_addf(out, "],\"rows\":%zu,\"values\":[", page->rows.count);
    for (size_t i = 0; i < page->rows.width; i++) {
        text_add(out, i ? "," : "");
        add_doubles(&page->rows, i, out);
    }
    text_add(out, "],");
    add_scene(page, out);
    add_entry("name", words->name, out);
    add_entry("title", words->title, out);
    add_entry("model", words->model, out);
    add_entry("equations", words->equations, out);
    add_entry("report", words->report, out);
    add_entry("note", words->note, out);
    add_entry("version", words->version, out);
    text_addf(out, ",\"check\":%s,\"events\":[%s]}", words->check ? words->check : "null",
              words->events ? words->events : "");
}

void show_html_escaped(const char *text, Text *out)
{
    for (size_t hidden; *text; text += hidden ? hidden : 1)
        switch ((hidden = str_hidden(text)) ? ' ' : *text) {
        case '<': text_add(out, "&lt;"); break;
        case '>': text_add(out, "&gt;"); break;
        case '&': text_add(out, "&amp;"); break;
        case '"': text_add(out, "&quot;"); break;
        default: text_add_char(out, hidden ? ' ' : *text);
        }
}

static void add_data_element(ShowPage *page, const ShowPageWords *words, Text *out)
{
    Text json = {0};
    scene_frames_end(&page->rows);
    scene_frames_end(&page->frames);
    add_data(page, words, &json);
    text_add(out, "<script type=\"application/json\" id=\"data\">");
    // < stands only inside of strings, where it can be written otherwise.
    for (size_t i = 0; i < json.length; i++)
        if (json.at[i] == '<')
            text_add(out, "\\u003c");
        else
            text_add_char(out, json.at[i]);
    text_add(out, "</script>");
    text_clear(&json);
}

// ---- The bundle: what may run, <title>, styles, the place of the data, the script, in this order.

typedef struct {
    Str before_policy, policy, before_title, before_style, style, before_data, before_script,
        script, end;
} Bundle;

// What stands before a mark; the rest begins behind it.
static bool cut(Str *rest, const char *mark, Str *before)
{
    const char *at = rest->length ? strstr(rest->at, mark) : NULL;
    if (!at)
        return false;
    *before = (Str){rest->at, (size_t)(at - rest->at)};
    size_t taken = before->length + strlen(mark);
    *rest = (Str){rest->at + taken, rest->length - taken};
    return true;
}

static bool cut_bundle(Bundle *bundle)
{
    Str rest = show_page_bundle();
    bool whole =
        cut(&rest, "<meta http-equiv=", &bundle->before_policy) &&
        cut(&rest, ">", &bundle->policy) && cut(&rest, "<!--title-->", &bundle->before_title) &&
        cut(&rest, "<style id=\"style\">", &bundle->before_style) &&
        cut(&rest, "</style>", &bundle->style) && cut(&rest, "<!--data-->", &bundle->before_data) &&
        cut(&rest, "<script id=\"script\">", &bundle->before_script) &&
        cut(&rest, "</script>", &bundle->script);
    bundle->end = rest;
    return whole;
}

bool show_page_shared(Str *style, Str *script)
{
    Bundle bundle;
    bool whole = cut_bundle(&bundle);
    *style = whole ? bundle.style : str_of("");
    *script = whole ? bundle.script : str_of("");
    return whole;
}

// Nothing runs in a page but the bundle: a page that holds it names its hashes; one that shares it
// takes it from files beside it.
static const char shared_policy[] =
    "\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self' file:; style-src "
    "'self' file:; font-src data:; img-src data: blob:; media-src blob:; base-uri 'none'; "
    "form-action "
    "'none'\"";

// On a site a page leads back to the index, before its title.
static void add_top(Str top, bool shared, Text *out)
{
    Str rest = top, before = {0};
    bool titled = shared && cut(&rest, "<h1", &before) && before.length < top.length;
    if (titled) {
        text_add_str(out, before);
        text_add(out, "<a href=\"index.html\" title=\"All systems\">Gallery</a>");
    }
    text_add_str(out, (Str){top.at + before.length * titled, top.length - before.length * titled});
}

bool show_page_write(ShowPage *page, const ShowPageWords *words, bool shared, Text *out)
{
    Bundle bundle;
    if (!cut_bundle(&bundle))
        return false;
    text_add_str(out, bundle.before_policy);
    text_add(out, "<meta http-equiv=");
    text_add_str(out, shared ? str_of(shared_policy) : bundle.policy);
    text_add(out, ">");
    text_add_str(out, bundle.before_title);
    show_html_escaped(words->title && *words->title ? words->title : words->name, out);
    text_add_str(out, bundle.before_style);
    text_add(out, shared ? "<link rel=\"stylesheet\" href=\"zwang.css\">" : "<style>");
    text_add_str(out, shared ? str_of("") : bundle.style);
    text_add(out, shared ? "" : "</style>");
    add_top(bundle.before_data, shared, out);
    add_data_element(page, words, out);
    text_add_str(out, bundle.before_script);
    text_add(out, shared ? "<script src=\"zwang.js\">" : "<script>");
    text_add_str(out, shared ? str_of("") : bundle.script);
    text_add(out, "</script>");
    text_add_str(out, bundle.end);
    return true;
}
