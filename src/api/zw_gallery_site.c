// zw_gallery_site.c: the gallery as a folder of pages.
#include "api/api_impl.h"
#include "show/show.h"

#include <math.h>
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

// ---- A model: its page, its picture, its card in the index.

static void add_card(Site *site, const char *name, const char *title)
{
    text_addf(&site->cards,
              "<li><a href=\"%s.html\"><img src=\"%s.svg\" alt=\"\" loading=\"lazy\">", name, name);
    text_add(&site->cards, "<strong>");
    show_html_escaped(name, &site->cards);
    text_add(&site->cards, "</strong> ");
    show_html_escaped(title, &site->cards);
    text_add(&site->cards, "</a></li>\n");
}

static bool write_model(Site *site, const char *name, const char *title)
{
    zw_model *model;
    const char *text = zw_gallery_text(name);
    char *page = path_in(site->folder, name, ".html"), *plot = path_in(site->folder, name, ".svg");
    const char *plots[] = {plot};
    char *report = NULL, *viewed = NULL;
    // The card says what it is; on it the picture is small.
    const zw_plot_style style = {.title = "", .font = "20px"};
    zw_run_options run = zw_run_defaults();
    run.plots = plots;
    run.plot_count = 1;
    run.plot_styles = &style;
    zw_view_options view = {.out = page, .shared = true, .to = NAN, .every = NAN, .tolerance = NAN};
    zw_status status = zw_model_read(name, text, strlen(text), NULL, 0, &model);
    if (status == ZW_DONE)
        status = zw_run(model, &run, &report);
    if (status == ZW_DONE || status == ZW_NEGATIVE)
        status = zw_view(model, &view, &viewed);
    bool written = viewed != NULL;
    if (written)
        add_card(site, name, title);
    char *messages = written ? NULL : zw_messages(model, ZW_ERROR);
    if (!written)
        text_addf(&site->said, "%s is left out:\n%s", name, messages ? messages : "");
    zw_free(messages);
    zw_free(report);
    zw_free(viewed);
    zw_free(page);
    zw_free(plot);
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
    "</style>\n</head>\n<body>\n<header><h1>The gallery of zwang</h1></header>\n"
    "<main style=\"display: block\">\n<p>Each system with its picture; its page shows it moving, "
    "with plots and its equations.</p>\n<ul class=\"gallery\">\n";

static Status write_site(Site *site, bool (*progress)(void *context, double part), void *context)
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
        if (progress && !progress(context, (double)i / (double)zw_gallery_count()))
            return STATUS_NEGATIVE;
        site->count += write_model(site, zw_gallery_name(i), zw_gallery_title(i));
    }
    text_add(&site->cards, "</ul>\n</main>\n</body>\n</html>\n");
    return write_file(site, "index.html", (Str){site->cards.at, site->cards.length});
}

zw_status zw_gallery_site(const char *folder, bool (*progress)(void *context, double part),
                          void *context, char **report)
{
    Site site = {.folder = folder, .diag = diag_new()};
    Status status = write_site(&site, progress, context);
    diag_render(site.diag, DIAG_WARNING, &site.said);
    if (status == STATUS_OK)
        text_addf(&site.said, "%zu pages in %s; open index.html there in a browser\n", site.count,
                  folder);
    *report = api_hand_out(&site.said);
    text_clear(&site.cards);
    diag_free(site.diag);
    return api_status(status);
}
