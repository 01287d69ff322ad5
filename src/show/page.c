// page.c: one HTML page that shows a run: the bundle of web/ with the numbers and words in it.
//
// Numbers go as base64, columns as doubles and the scene as floats: short, and read at once. All
// of the data is one JSON text in which no < stands, so that nothing in a model can end its
// element.
#include "show/base64_impl.h"
#include "show/scene_impl.h"
#include "show/show.h"

#include <assert.h>
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
    TRY(scene_new(motion, run, diag, &scene));
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

static void add_scene(ShowPage *page, Text *out)
{
    const SceneFrames *frames = &page->frames;
    size_t width = page->scene->width, count = frames->count;
    double *numbers = base_alloc((width * count + 1) * sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        memcpy(numbers + i * width, scene_frame(frames, i), width * sizeof *numbers);
    SceneView view = scene_view(&page->frames);
    text_addf(out, "\"frames\":%zu,\"times\":", count);
    add_doubles(frames, 0, out);
    text_addf(out, ",\"width\":%zu,", width);
    scene_json(page->scene, &view, out);
    text_add(out, ",\"scene\":\"");
    base64_add_floats(numbers, width * count, out);
    text_add(out, "\"");
    base_free(numbers);
}

static void add_entry(const char *key, const char *text, Text *out)
{
    text_addf(out, ",\"%s\":", key);
    show_json_string(text ? text : "", out);
}

static void add_data(ShowPage *page, const ShowPageWords *words, Text *out)
{
    text_add(out, "{\"columns\":[");
    for (size_t i = 0; i < page->rows.width; i++) {
        text_add(out, i ? "," : "");
        show_json_string(run_column_name(page->run, i), out);
    }
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
