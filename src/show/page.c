// page.c: one HTML page that shows a run: the bundle of web/ with the numbers and words in it.
//
// Numbers go as base64, columns as doubles and the scene as floats: short, and read at once. All
// of the data is one JSON text in which no < stands, so that nothing in a model can end its
// element.
#include "show/scene_impl.h"
#include "show/show.h"

#include <assert.h>
#include <string.h>

// More frames than a display shows in minutes are thinned.
enum { MOST_FRAMES = 10000 };

struct ShowPage {
    Simulation *run;
    Scene *scene;
    size_t columns, width;
    // Every stride-th row is kept; when there are too many, every second one of them goes.
    size_t stride, rows_seen, frames;
    double *rows; // frames × (columns + width)
    double *last; // the newest row, which is kept in any case
    bool last_kept;
};

ShowPage *show_page_new(Motion *motion, Simulation *run)
{
    assert(motion && run);
    ShowPage *page = base_alloc(sizeof *page);
    page->run = run;
    page->scene = scene_new(motion, run);
    page->columns = run_column_count(run);
    page->width = page->columns + scene_width(page->scene);
    page->stride = 1;
    page->rows = base_alloc((MOST_FRAMES + 2) * page->width * sizeof *page->rows);
    page->last = base_alloc((page->width + 1) * sizeof *page->last);
    return page;
}

void show_page_free(ShowPage *page)
{
    if (!page)
        return;
    scene_free(page->scene);
    base_free(page->rows);
    base_free(page->last);
    base_free(page);
}

static void keep_last(ShowPage *page)
{
    assert(page->frames < MOST_FRAMES + 2);
    memcpy(page->rows + page->frames * page->width, page->last, page->width * sizeof *page->rows);
    page->frames++;
    page->last_kept = true;
}

void show_page_row(ShowPage *page, const double *row)
{
    memcpy(page->last, row, page->columns * sizeof *row);
    if (page->width > page->columns)
        scene_evaluate(page->scene, page->run, page->last + page->columns);
    page->last_kept = false;
    if (page->rows_seen++ % page->stride == 0)
        keep_last(page);
    if (page->frames <= MOST_FRAMES)
        return;
    for (size_t i = 0; 2 * i < page->frames; i++)
        memmove(page->rows + i * page->width, page->rows + 2 * i * page->width,
                page->width * sizeof *page->rows);
    page->frames = (page->frames + 1) / 2;
    page->stride *= 2;
}

size_t show_page_frames(const ShowPage *page)
{
    return page->frames + !page->last_kept;
}

// ---- Writing.

static void add_base64(const unsigned char *bytes, size_t count, Text *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        uint32_t block = (uint32_t)bytes[i] << 16;
        block |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        block |= left > 2 ? bytes[i + 2] : 0;
        text_add_char(out, digits[block >> 18]);
        text_add_char(out, digits[block >> 12 & 63]);
        text_add_char(out, left > 1 ? digits[block >> 6 & 63] : '=');
        text_add_char(out, left > 2 ? digits[block & 63] : '=');
    }
}

// The bytes of a number, the lowest first.
static void put_bytes(uint64_t bits, size_t size, unsigned char *bytes)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
}

static void add_column(const ShowPage *page, size_t column, Text *out)
{
    unsigned char *bytes = base_alloc(8 * page->frames + 1);
    for (size_t i = 0; i < page->frames; i++) {
        uint64_t bits;
        memcpy(&bits, &page->rows[i * page->width + column], sizeof bits);
        put_bytes(bits, 8, bytes + 8 * i);
    }
    add_base64(bytes, 8 * page->frames, out);
    base_free(bytes);
}

static void add_scene(const ShowPage *page, Text *out)
{
    size_t width = page->width - page->columns;
    unsigned char *bytes = base_alloc(4 * width * page->frames + 1);
    for (size_t i = 0; i < page->frames; i++)
        for (size_t j = 0; j < width; j++) {
            float value = (float)page->rows[i * page->width + page->columns + j];
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            put_bytes(bits, 4, bytes + 4 * (i * width + j));
        }
    add_base64(bytes, 4 * width * page->frames, out);
    base_free(bytes);
}

static void add_entry(const char *key, const char *text, Text *out)
{
    text_addf(out, ",\"%s\":", key);
    show_json_string(text ? text : "", out);
}

static void add_data(const ShowPage *page, const ShowPageWords *words, Text *out)
{
    text_add(out, "{\"columns\":[");
    for (size_t i = 0; i < page->columns; i++) {
        text_add(out, i ? "," : "");
        show_json_string(run_column_name(page->run, i), out);
    }
    text_add(out, "],\"values\":[");
    for (size_t i = 0; i < page->columns; i++) {
        text_add(out, i ? ",\"" : "\"");
        add_column(page, i, out);
        text_add(out, "\"");
    }
    text_addf(out, "],\"frames\":%zu,\"width\":%zu,\"shapes\":", page->frames,
              page->width - page->columns);
    scene_json(page->scene, out);
    text_add(out, ",\"scene\":\"");
    add_scene(page, out);
    text_add(out, "\"");
    add_entry("name", words->name, out);
    add_entry("title", words->title, out);
    add_entry("model", words->model, out);
    add_entry("equations", words->equations, out);
    add_entry("check", words->check, out);
    add_entry("report", words->report, out);
    add_entry("note", words->note, out);
    add_entry("version", words->version, out);
    text_addf(out, ",\"events\":[%s]}", words->events ? words->events : "");
}

void show_html_escaped(const char *text, Text *out)
{
    for (; *text; text++)
        switch (*text) {
        case '<': text_add(out, "&lt;"); break;
        case '>': text_add(out, "&gt;"); break;
        case '&': text_add(out, "&amp;"); break;
        case '"': text_add(out, "&quot;"); break;
        default: text_add_char(out, *text);
        }
}

static void add_data_element(ShowPage *page, const ShowPageWords *words, Text *out)
{
    Text json = {0};
    if (!page->last_kept && page->rows_seen > 0)
        keep_last(page);
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

// ---- The bundle: <title>, styles, the place of the data, the script, in this order.

typedef struct {
    Str before_title, before_style, style, before_data, before_script, script, end;
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
    bool whole = cut(&rest, "<!--title-->", &bundle->before_title) &&
                 cut(&rest, "<style id=\"style\">", &bundle->before_style) &&
                 cut(&rest, "</style>", &bundle->style) &&
                 cut(&rest, "<!--data-->", &bundle->before_data) &&
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

bool show_page_write(ShowPage *page, const ShowPageWords *words, bool shared, Text *out)
{
    Bundle bundle;
    if (!cut_bundle(&bundle))
        return false;
    text_add_str(out, bundle.before_title);
    show_html_escaped(words->title && *words->title ? words->title : words->name, out);
    text_add_str(out, bundle.before_style);
    text_add(out, shared ? "<link rel=\"stylesheet\" href=\"zwang.css\">" : "<style>");
    text_add_str(out, shared ? str_of("") : bundle.style);
    text_add(out, shared ? "" : "</style>");
    text_add_str(out, bundle.before_data);
    add_data_element(page, words, out);
    text_add_str(out, bundle.before_script);
    text_add(out, shared ? "<script src=\"zwang.js\">" : "<script>");
    text_add_str(out, shared ? str_of("") : bundle.script);
    text_add(out, "</script>");
    text_add_str(out, bundle.end);
    return true;
}
