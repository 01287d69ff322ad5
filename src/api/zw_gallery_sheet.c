// zw_gallery_sheet.c: all models of the gallery in one picture, at three instants each.
#include "api/api_impl.h"
#include "api/call_impl.h"
#include "api/result_impl.h"
#include "show/show.h"

#include <string.h>

enum { COLUMNS = 3, INSTANTS = 3, WIDTH = 208, HEIGHT = 156, HEAD = 42, GAP = 16 };

typedef struct {
    Text svg, said;
    size_t drawn;
} Sheet;

// Over two lines where it is long.
static void add_title(Sheet *sheet, double left, double top, const char *name, const char *title)
{
    enum { MOST = 86, LINE = 17 };
    size_t room = MOST - strlen(name) - 2, first = strlen(title);
    while (first > room) {
        do
            first--;
        while (first > 0 && title[first] != ' ');
        if (first == 0)
            first = strlen(title), room = first;
    }
    Text part = {0};
    text_add_str(&part, (Str){title, first});
    text_addf(&sheet->svg, "<text x=\"%.0f\" y=\"%.0f\"><tspan font-weight=\"bold\">", left + 6,
              top + LINE);
    show_html_escaped(name, &sheet->svg);
    text_add(&sheet->svg, "</tspan>  ");
    show_html_escaped(part.at, &sheet->svg);
    if (title[first]) {
        text_addf(&sheet->svg, "<tspan x=\"%.0f\" dy=\"%d\">", left + 6, LINE);
        show_html_escaped(title + first + 1, &sheet->svg);
        text_add(&sheet->svg, "</tspan>");
    }
    text_add(&sheet->svg, "</text>\n");
    text_clear(&part);
}

static void add_model(Sheet *sheet, size_t index)
{
    const char *name = zw_gallery_name(index), *text = zw_gallery_text(name);
    double left = (double)(index % COLUMNS) * (INSTANTS * WIDTH + GAP);
    double top = (double)(index / COLUMNS) * (HEAD + HEIGHT + GAP);
    zw_model *model;
    ShowPicture *picture = NULL;
    zw_status status = zw_model_read(name, text, strlen(text), NULL, &model);
    add_title(sheet, left, top, name, zw_gallery_title(index));
    if (status == ZW_DONE && api_run_picture(model, SIZE_MAX, model->diag, &picture) == STATUS_OK) {
        double last = show_picture_finish(picture);
        for (int i = 0; i < INSTANTS; i++) {
            ShowPanel panel = {left + i * WIDTH, top + HEAD, WIDTH - 4, HEIGHT, NULL};
            show_picture_panel(picture, last * i / (INSTANTS - 1), &panel, &sheet->svg);
        }
        sheet->drawn++;
    } else {
        char *messages = zw_messages(model, ZW_ERROR);
        text_addf(&sheet->said, "%s is left out:\n%s", name, messages ? messages : "");
        zw_free(messages);
    }
    show_picture_free(picture);
    zw_model_free(model);
}

static Status write_sheet(const char *file, const zw_gallery_options *given, Text *said)
{
    Sheet sheet = {0};
    zw_gallery_options options;
    size_t count = zw_gallery_count();
    Diag *diag = diag_new();
    Status status = api_take_options(given, &options, sizeof options, diag);
    show_picture_begin(COLUMNS * (INSTANTS * WIDTH + GAP),
                       (double)((count + COLUMNS - 1) / COLUMNS) * (HEAD + HEIGHT + GAP),
                       &sheet.svg);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (!api_goes_on(options.progress, options.context, (double)i / (double)count))
            status = STATUS_NEGATIVE;
        else
            add_model(&sheet, i);
    }
    show_picture_end(&sheet.svg);
    const Str whole = {sheet.svg.at, sheet.svg.length};
    if (status == STATUS_OK)
        status = show_files_write(&file, &whole, 1, diag);
    diag_render(diag, DIAG_WARNING, &sheet.said);
    if (status == STATUS_OK)
        text_addf(&sheet.said, "%zu models in %s\n", sheet.drawn, file);
    *said = sheet.said;
    text_clear(&sheet.svg);
    diag_free(diag);
    return status;
}

zw_status zw_gallery_sheet(const char *file, const zw_gallery_options *options, zw_result **result)
{
    return api_write_gallery(file, options, write_sheet, result);
}
