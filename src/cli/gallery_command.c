// gallery_command.c: the models that come with the program.
#include "cli/commands_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void list_gallery(void)
{
    size_t width = 0, bytes = 1;
    for (size_t i = 0; i < zw_gallery_count(); i++) {
        size_t length = strlen(zw_gallery_name(i));
        width = length > width ? length : width;
        bytes += strlen(zw_gallery_title(i)) + sizeof "  \n";
    }
    bytes += zw_gallery_count() * width;
    char *list = cli_alloc(bytes), *end = list;
    for (size_t i = 0; i < zw_gallery_count(); i++)
        end += sprintf(end, "%-*s  %s\n", (int)width, zw_gallery_name(i), zw_gallery_title(i));
    cli_print(stdout, list);
    free(list);
}

// Every file is written whole at its end, so that a signal ends the program at once.
static bool show_writing(void *context, double part)
{
    cli_progress_show(context, part);
    return true;
}

typedef zw_status GalleryWriter(const char *path, const zw_gallery_options *options,
                                zw_result **result);

static int gallery_written(GalleryWriter *write, const char *path)
{
    CliProgress progress = cli_progress_begin(true);
    zw_result *result = NULL;
    cli_listen_to_signals();
    zw_gallery_options options = {.progress = show_writing, .context = &progress};
    zw_status status = write(path, &options, &result);
    cli_progress_end(&progress);
    cli_print(status == ZW_DONE ? stdout : stderr, zw_result_text(result));
    zw_result_free(result);
    return cli_written(status);
}

// A model's text is printed; the files that it reads are named, each with what prints it.
static void name_files(const char *text)
{
    for (const char *start = strchr(text, '"'); start;) {
        const char *end = strchr(start + 1, '"');
        char name[64];
        if (!end)
            return;
        snprintf(name, sizeof name, "%.*s", (int)(end - start - 1), start + 1);
        if ((size_t)(end - start) < sizeof name && strchr(name, '.') && zw_gallery_text(name))
            fprintf(stderr, "note: it reads %s: 'zwang gallery %s > %s'\n", name, name, name);
        start = strchr(end + 1, '"');
    }
}

int cli_gallery(const CliWords *words)
{
    const char *site = words->values[OPTION_HTML], *sheet = words->values[OPTION_PICTURE];
    if (site && words->model)
        return cli_wrong("--html writes the whole gallery; for one model there is 'zwang view'");
    if (sheet && words->model)
        return cli_wrong("--picture draws the whole gallery; for one model there is 'zwang run'");
    if (site && sheet)
        return cli_wrong("give --html or --picture, one of them");
    if (site || sheet)
        return gallery_written(site ? zw_gallery_site : zw_gallery_sheet, site ? site : sheet);
    if (!words->model) {
        list_gallery();
        return cli_written(ZW_DONE);
    }
    const char *text = zw_gallery_text(words->model);
    if (text) {
        fputs(text, stdout);
        name_files(text);
        return cli_written(ZW_DONE);
    }
    const char *meant = zw_gallery_nearest(words->model);
    if (meant)
        return cli_wrong("the gallery has no '%s'; did you mean '%s'?", words->model, meant);
    return cli_wrong("the gallery has no '%s'; 'zwang gallery' lists what it has", words->model);
}
