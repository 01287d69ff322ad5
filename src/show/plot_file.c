// plot_file.c: pictures in files. PNG and PDF are made from the SVG by rsvg-convert (librsvg),
// which many systems have; without it SVG is what can be written.
#include "show/plot_file_impl.h"

#include <assert.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char converter[] = "rsvg-convert";

static const char *ending_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".svg") == 0 || strcmp(dot, ".png") == 0 || strcmp(dot, ".pdf") == 0)
               ? dot + 1
               : NULL;
}

// Whether a folder of PATH holds the program.
static bool is_installed(void)
{
    const char *folders = getenv("PATH");
    bool found = false;
    while (folders && *folders && !found) {
        size_t length = strcspn(folders, ":");
        Text program = {0};
        text_add_str(&program, (Str){folders, length});
        text_addf(&program, "/%s", converter);
        found = length > 0 && access(program.at, X_OK) == 0;
        text_clear(&program);
        folders += length + (folders[length] == ':');
    }
    return found;
}

bool plot_file_follows_screen(const char *path)
{
    const char *ending = ending_of(path);
    return ending && strcmp(ending, "svg") == 0;
}

Status plot_file_check(const char *path, Diag *diag)
{
    if (!ending_of(path))
        return diag_error(diag, place_hint(HINT_PLOT),
                          "'%s' is no place for a plot: name a file that ends in .svg, .png or "
                          ".pdf, as in FILE.svg or x,y:FILE.svg",
                          path);
    if (!plot_file_follows_screen(path) && !is_installed())
        return diag_error(diag, place_hint(HINT_PLOT),
                          "'%s' needs the program %s, which was not found (Debian and Ubuntu: "
                          "librsvg2-bin, Fedora: librsvg2-tools); a file that ends in .svg needs "
                          "nothing",
                          path, converter);
    return STATUS_OK;
}

// Runs it from one file to the other; false where it did not do its work.
static bool convert(FILE *from, FILE *to, const char *format)
{
    char *png[] = {(char *)converter, "--unlimited", "--format=png", "--zoom=2", NULL};
    char *pdf[] = {(char *)converter, "--unlimited", "--format=pdf", NULL};
    posix_spawn_file_actions_t files;
    pid_t process;
    int state = -1;
    if (posix_spawn_file_actions_init(&files) != 0)
        return false;
    bool good = posix_spawn_file_actions_adddup2(&files, fileno(from), STDIN_FILENO) == 0 &&
                posix_spawn_file_actions_adddup2(&files, fileno(to), STDOUT_FILENO) == 0 &&
                posix_spawnp(&process, converter, &files, NULL,
                             strcmp(format, "png") == 0 ? png : pdf, environ) == 0;
    while (good && waitpid(process, &state, 0) < 0 && errno == EINTR)
        ;
    posix_spawn_file_actions_destroy(&files);
    return good && WIFEXITED(state) && WEXITSTATUS(state) == 0;
}

Status plot_file_write(const ShowFile *file, const Text *svg, Diag *diag)
{
    assert(file->stream && svg->at);
    if (plot_file_follows_screen(file->path)) {
        fputs(svg->at, file->stream);
        return STATUS_OK; // closing the file tells what went wrong
    }
    FILE *drawn = tmpfile();
    bool good = drawn && fwrite(svg->at, 1, svg->length, drawn) == svg->length &&
                fflush(drawn) == 0 && fseek(drawn, 0, SEEK_SET) == 0 &&
                convert(drawn, file->stream, ending_of(file->path));
    if (drawn)
        fclose(drawn);
    if (!good)
        diag_error(diag, place_none(), "%s could not make '%s'", converter, file->path);
    return good ? STATUS_OK : STATUS_FAILED;
}
