// zw_gallery_site.c: the gallery as a folder of pages.
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "api/result_impl.h"
#include "model/constraint.h"
#include "show/show.h"

#include <string.h>

typedef struct {
    const char *folder;
    Diag *diag; // of the folder; models have their own
    Text cards, said;
    size_t count;
} Site;

static char *path_in(const char *folder, const char *name, const char *ending)
{
    Text path = {0};
    text_addf(&path, "%s/%s%s", folder, name, ending);
    return api_hand_out(&path);
}

static Status write_file(const Site *site, const char *name, Str text)
{
    char *path = path_in(site->folder, name, "");
    const char *paths[] = {path};
    Status status = show_files_write(paths, &text, 1, site->diag);
    zw_free(path);
    return status;
}

// ---- What a model is, for the groups of the index.

static const char *kind_of(const Model *model)
{
    static const struct {
        ConstraintKind kind;
        const char *name;
    } kinds[] = {{CONSTRAINT_SECOND_CLASS, "conditions on accelerations"},
                 {CONSTRAINT_SERVO, "servos"},
                 {CONSTRAINT_ONE_SIDED, "one-sided conditions"},
                 {CONSTRAINT_NONLINEAR, "conditions not linear in the velocities"},
                 {CONSTRAINT_LINEAR, "non-holonomic conditions"},
                 {CONSTRAINT_FINITE, "finite conditions"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t j = 0; j < model->constraints.count; j++)
            if (!model->constraints.at[j].silent && model->constraints.at[j].kind == kinds[i].kind)
                return kinds[i].name;
    return "no conditions";
}

static const char *size_of(const Model *model)
{
    size_t count = model->coords.count + model->constraints.count;
    return count <= 4 ? "short" : count <= 9 ? "middling" : "long";
}

// A title ends with its sources in brackets; the first name in them.
static Str source_of(const char *title)
{
    static const char *const names[] = {"Appell", "Hamel",    "Mayer",     "Quanjel", "Routh",
                                        "Euler",  "Lagrange", "Guillaume", NULL};
    const char *open = strrchr(title, '('), *first = NULL;
    Str found = str_of("others");
    for (size_t i = 0; open && names[i]; i++) {
        const char *at = strstr(open, names[i]);
        if (at && (!first || at < first)) {
            first = at;
            found = str_of(names[i]);
        }
    }
    return found;
}

// ---- A model: its page, its picture, its card in the index.

static void add_card(Site *site, const char *name, const char *title, const Model *model)
{
    Str source = source_of(title);
    text_addf(&site->cards, "<li data-source=\"%.*s\" data-kind=\"%s\" data-size=\"%s\">",
              (int)source.length, source.at, kind_of(model), size_of(model));
    text_addf(&site->cards, "<a href=\"%s.html\"><img src=\"%s.svg\" alt=\"\" loading=\"lazy\">",
              name, name);
    text_add(&site->cards, "<strong>");
    show_html_escaped(name, &site->cards);
    text_add(&site->cards, "</strong> ");
    show_html_escaped(title, &site->cards);
    text_add(&site->cards, "</a></li>\n");
}

// The system at a third of its run, where most have left the start.
static Status write_picture(Site *site, zw_model *model, const char *name)
{
    ShowPicture *picture;
    TRY(api_run_picture(model, SIZE_MAX, model->diag, &picture));
    const ShowPanel panel = {.width = 400, .height = 250};
    Text svg = {0}, file = {0};
    show_picture_begin(panel.width, panel.height, &svg);
    show_picture_panel(picture, show_picture_finish(picture) / 3, &panel, &svg);
    show_picture_end(&svg);
    text_addf(&file, "%s.svg", name);
    Status status = write_file(site, file.at, (Str){svg.at, svg.length});
    text_clear(&svg);
    text_clear(&file);
    show_picture_free(picture);
    return status;
}

static bool write_model(Site *site, const char *name, const char *title)
{
    zw_model *model;
    const char *text = zw_gallery_text(name);
    char *page = path_in(site->folder, name, ".html");
    zw_result *viewed = NULL;
    zw_view_options view = {.out = page, .shared = true};
    zw_status status = zw_model_read(name, text, strlen(text), NULL, &model);
    if (status == ZW_DONE && write_picture(site, model, name) == STATUS_OK)
        zw_view(model, &view, &viewed);
    bool written = viewed != NULL;
    if (written)
        add_card(site, name, title, model->model);
    char *messages = written ? NULL : zw_messages(model, ZW_ERROR);
    if (!written)
        text_addf(&site->said, "%s is left out:\n%s", name, messages ? messages : "");
    zw_free(messages);
    zw_result_free(viewed);
    zw_free(page);
    zw_model_free(model);
    return written;
}

static const char index_head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>The gallery of zwang</title>\n<link rel=\"stylesheet\" href=\"zwang.css\">\n<style>\n"
    "ul.gallery { list-style: none; padding: 0; display: grid; gap: 1rem; grid-template-columns: "
    "repeat(auto-fill, minmax(18rem, 1fr)); }\n"
    "ul.gallery a { display: block; padding: .75rem; border-radius: 8px; background: var(--panel); "
    "color: var(--text); text-decoration: none; height: 100%; }\n"
    "ul.gallery img { width: 100%; aspect-ratio: 8 / 5; object-fit: contain; }\n"
    "form.gallery { display: flex; flex-wrap: wrap; gap: .75rem; }\n"
    "</style>\n</head>\n<body>\n<header><h1>The gallery of zwang</h1></header>\n"
    "<main style=\"display: block\">\n<p>Each system with its picture; its page shows it moving, "
    "with plots and its equations.</p>\n<form class=\"gallery\">\n"
    "<label>Search <input type=\"search\" id=\"words\"></label>\n"
    "<label>Source <select id=\"source\"></select></label>\n"
    "<label>Kind <select id=\"kind\"></select></label>\n"
    "<label>Length <select id=\"size\"></select></label>\n"
    "<output id=\"count\"></output>\n</form>\n<ul class=\"gallery\">\n";

// Without scripts all cards are there, and nothing is sought.
static const char index_end[] =
    "</ul>\n</main>\n<script>\n"
    "const cards = [...document.querySelectorAll('ul.gallery li')];\n"
    "const field = (id) => document.getElementById(id);\n"
    "const keys = ['source', 'kind', 'size'];\n"
    "for (const key of keys)\n"
    "  for (const value of ['', ...new Set(cards.map((card) => card.dataset[key]))].sort())\n"
    "    field(key).add(new Option(value || 'all', value));\n"
    "function seek() {\n"
    "  const words = field('words').value.toLowerCase().split(/\\s+/);\n"
    "  let count = 0;\n"
    "  for (const card of cards) {\n"
    "    const text = card.textContent.toLowerCase();\n"
    "    card.hidden = !words.every((word) => text.includes(word)) ||\n"
    "      keys.some((key) => field(key).value && card.dataset[key] !== field(key).value);\n"
    "    count += !card.hidden;\n"
    "  }\n"
    "  field('count').textContent = count + ' of ' + cards.length;\n"
    "}\n"
    "document.querySelector('form').addEventListener('input', seek);\n"
    "document.querySelector('form').addEventListener('submit', (event) => "
    "event.preventDefault());\nseek();\n</script>\n</body>\n</html>\n";

static Status write_site(Site *site, const zw_gallery_options *options)
{
    Str style, script;
    if (!show_page_shared(&style, &script))
        return diag_error(site->diag, place_none(),
                          "this program was built without its page; install Node.js 18 or later "
                          "with npm, then 'make clean' and 'make'");
    TRY(show_folder_make(site->folder, site->diag));
    TRY(write_file(site, "zwang.css", style));
    TRY(write_file(site, "zwang.js", script));
    text_add(&site->cards, index_head);
    for (size_t i = 0; i < zw_gallery_count(); i++) {
        if (!api_goes_on(options->progress, options->context,
                         (double)i / (double)zw_gallery_count()))
            return STATUS_NEGATIVE;
        site->count += write_model(site, zw_gallery_name(i), zw_gallery_title(i));
    }
    text_add(&site->cards, index_end);
    return write_file(site, "index.html", (Str){site->cards.at, site->cards.length});
}

static Status write_gallery(const char *folder, const zw_gallery_options *given, Text *said)
{
    zw_gallery_options options;
    Site site = {.folder = folder, .diag = diag_new()};
    Status status = api_take_options(given, &options, sizeof options, site.diag);
    if (status == STATUS_OK)
        status = write_site(&site, &options);
    diag_render(site.diag, DIAG_WARNING, &site.said);
    if (status == STATUS_OK)
        text_addf(&site.said, "%zu pages in %s; open index.html there in a browser\n", site.count,
                  folder);
    *said = site.said;
    text_clear(&site.cards);
    diag_free(site.diag);
    return status;
}

zw_status zw_gallery_site(const char *folder, const zw_gallery_options *options, zw_result **result)
{
    return api_write_gallery(folder, options, write_gallery, result);
}
