// file.c: files that appear when they are whole.
//
// A regular file is written beside its place, as NAME.part.XXXXXX, and renamed when it is whole:
// nothing half-written stands under the name that was asked for, whatever happens. Anything else
// (a device, a pipe, standard output) is written directly. A file that is there already keeps its
// rights, and a symbolic link to it stays one.
#define _XOPEN_SOURCE 700 // realpath
#include "show/file_impl.h"

#include "show/show.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- What went wrong, and what to do.

// The folder that a file is to stand in.
static Str folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return str_of(".");
    return (Str){path, slash == path ? 1 : (size_t)(slash - path)};
}

// Adds the reason and the remedy; whether the user is to blame, and not the machine.
static bool add_reason(int error, const char *path, Text *why)
{
    Str folder = folder_of(path);
    int length = (int)folder.length;
    switch (error) {
    case ENOENT:
        return text_addf(why, "there is no folder '%.*s'; make it first", length, folder.at), true;
    case ENOTDIR: return text_addf(why, "'%.*s' is not a folder", length, folder.at), true;
    case EISDIR: return text_add(why, "it is a folder; name a file in it"), true;
    case EACCES:
    case EPERM:
        text_addf(why,
                  "you may not write there; name another place, or ask for the right to write "
                  "in '%.*s'",
                  length, folder.at);
        return true;
    case EROFS: return text_add(why, "the disk can only be read; name a file on another one"), true;
    case ENAMETOOLONG: return text_add(why, "the name is too long"), true;
    case ENOSPC:
        return text_add(why, "the disk is full; make room, or name a file on another one"), false;
    case EDQUOT: return text_add(why, "your share of the disk is used up; make room there"), false;
    case EFBIG:
        text_add(why, "files may not become that large here ('ulimit -f' says how large)");
        return false;
    default: return text_add(why, strerror(error)), false;
    }
}

// "cannot make the folder …", as for a file.
static Status folder_error(const char *path, int error, Diag *diag)
{
    Text why = {0};
    bool user = add_reason(error, path, &why);
    diag_error(diag, place_none(), "cannot make the folder '%s': %s", path, why.at);
    text_clear(&why);
    return user ? STATUS_WRONG : STATUS_FAILED;
}

Status show_file_error(const char *path, int error, Diag *diag)
{
    Text why = {0};
    bool user = add_reason(error, path, &why);
    diag_error(diag, place_none(), "cannot write '%s': %s", path, why.at);
    text_clear(&why);
    return user ? STATUS_WRONG : STATUS_FAILED;
}

Status show_folder_make(const char *path, Diag *diag)
{
    struct stat there;
    if (mkdir(path, 0777) != 0) {
        int error = errno;
        if (error != EEXIST || stat(path, &there) != 0)
            return folder_error(path, error, diag);
        if (!S_ISDIR(there.st_mode))
            return diag_error(diag, place_none(),
                              "cannot make the folder '%s': there is a file of that name; name "
                              "another folder",
                              path);
    }
    return STATUS_OK;
}

// ---- Names of one file.

static bool same_node(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// Whether the folders of both are one.
static bool same_folder(const char *a, const char *b)
{
    struct stat nodes[2];
    const char *const paths[] = {a, b};
    for (int i = 0; i < 2; i++) {
        Text folder = {0};
        text_add_str(&folder, folder_of(paths[i]));
        int seen = stat(folder.at, &nodes[i]);
        text_clear(&folder);
        if (seen != 0)
            return false;
    }
    return same_node(&nodes[0], &nodes[1]);
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool show_same_file(const char *a, const char *b)
{
    struct stat nodes[2];
    if (strcmp(a, b) == 0)
        return true;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return false;
    bool seen[] = {stat(a, &nodes[0]) == 0, stat(b, &nodes[1]) == 0};
    if (seen[0] && seen[1])
        return S_ISREG(nodes[0].st_mode) && same_node(&nodes[0], &nodes[1]);
    return !seen[0] && !seen[1] && strcmp(name_of(a), name_of(b)) == 0 && same_folder(a, b);
}

// ---- Opening.

static char *copy_of(const char *text, const char *ending)
{
    char *copy = base_alloc(strlen(text) + strlen(ending) + 1);
    strcpy(copy, text);
    return strcat(copy, ending);
}

// Large blocks take the system less time.
enum { BUFFER = 1 << 18 };

static mode_t rights_of_new_file(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

// Opens the temporary file, beside what the path leads to, with these rights.
static FILE *open_beside(ShowFile *file, const char *ending, mode_t rights)
{
    char real[PATH_MAX];
    file->target = copy_of(realpath(file->path, real) ? real : file->path, "");
    file->temporary = copy_of(file->target, ending ? ending : ".part.XXXXXX");
    int descriptor = ending ? open(file->temporary, O_WRONLY | O_CREAT | O_TRUNC, rights)
                            : mkstemp(file->temporary);
    if (descriptor < 0) {
        base_free(file->temporary);
        file->temporary = NULL;
        return NULL;
    }
    // Where this fails the file is private, and still whole.
    int unused = fchmod(descriptor, rights);
    (void)unused;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    FILE *stream = fdopen(descriptor, "w");
    if (stream) {
        setvbuf(stream, NULL, _IOFBF, BUFFER);
        return stream;
    }
    close(descriptor);
    unlink(file->temporary);
    return NULL;
}

bool show_file_is_direct(const char *path)
{
    struct stat there;
    return strcmp(path, "-") == 0 ||
           (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode));
}

static FILE *open_stream(ShowFile *file, const char *ending)
{
    if (strcmp(file->path, "-") == 0)
        return stdout;
    if (show_file_is_direct(file->path))
        return fopen(file->path, "we");
    struct stat there;
    if (stat(file->path, &there) != 0)
        return open_beside(file, ending, rights_of_new_file());
    if (S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return NULL;
    }
    return access(file->path, W_OK) == 0 ? open_beside(file, ending, there.st_mode & 07777) : NULL;
}

static void forget(ShowFile *file)
{
    base_cleanup_remove(&file->cleanup);
    base_free(file->path);
    base_free(file->target);
    base_free(file->temporary);
    *file = (ShowFile){0};
}

// Where memory ends nothing half-written stays.
static void drop(void *object)
{
    ShowFile *file = object;
    if (file->stream && file->stream != stdout)
        fclose(file->stream);
    if (file->temporary)
        unlink(file->temporary);
}

Status show_file_open_as(ShowFile *file, const char *path, const char *ending, Diag *diag)
{
    assert(path && diag);
    *file = (ShowFile){.path = copy_of(path, "")};
    file->stream = open_stream(file, ending);
    if (file->stream) {
        base_cleanup_add(&file->cleanup, drop, file);
        return STATUS_OK;
    }
    Status status = show_file_error(path, errno, diag);
    forget(file);
    return status;
}

Status show_file_open(ShowFile *file, const char *path, Diag *diag)
{
    return show_file_open_as(file, path, NULL, diag);
}

// ---- Closing.

Status show_file_close(ShowFile *file, bool keep, Diag *diag)
{
    assert(file->path);
    Status status = STATUS_OK;
    bool failed = false;
    if (file->stream) {
        failed = fflush(file->stream) != 0 || ferror(file->stream);
        if (file->stream != stdout)
            failed = fclose(file->stream) != 0 || failed;
    }
    if (file->temporary && keep && !failed)
        failed = rename(file->temporary, file->target) != 0;
    if (failed && keep)
        status = show_file_error(file->path, errno, diag);
    if (file->temporary && (failed || !keep))
        unlink(file->temporary);
    forget(file);
    return status;
}

// Where the last mark stands before a place; -1: nowhere.
static off_t find_last(int descriptor, const char *mark, off_t before)
{
    char block[4096];
    size_t length = strlen(mark);
    for (off_t end = before; end > 0;) {
        off_t from = end > (off_t)sizeof block ? end - (off_t)sizeof block : 0;
        ssize_t count = pread(descriptor, block, (size_t)(end - from), from);
        for (ssize_t i = count - (ssize_t)length; i >= 0; i--)
            if (memcmp(block + i, mark, length) == 0)
                return from + i;
        if (count < end - from || from == 0)
            return -1;
        end = from + (off_t)length - 1;
    }
    return -1;
}

static bool cut(int descriptor, const char *mark, Str ending)
{
    off_t size = lseek(descriptor, 0, SEEK_END), room = (off_t)ending.length;
    off_t before = size - room + (off_t)strlen(mark);
    off_t at = size > room ? find_last(descriptor, mark, before < size ? before : size) : -1;
    if (at < 0 || pwrite(descriptor, ending.at, ending.length, at) != (ssize_t)ending.length)
        return false;
    return ftruncate(descriptor, at + room) == 0;
}

bool show_file_close_cut(ShowFile *file, const char *mark, Str ending)
{
    bool kept = false;
    if (file->stream && file->stream != stdout)
        fclose(file->stream);
    if (file->temporary) {
        int descriptor = open(file->temporary, O_RDWR | O_CLOEXEC);
        kept = descriptor >= 0 && cut(descriptor, mark, ending);
        if (descriptor >= 0)
            kept = close(descriptor) == 0 && kept;
        kept = kept && rename(file->temporary, file->target) == 0;
        if (!kept)
            unlink(file->temporary);
    }
    forget(file);
    return kept;
}

Status show_file_try(const char *path, Diag *diag)
{
    if (show_file_is_direct(path))
        return STATUS_OK;
    ShowFile file;
    TRY(show_file_open(&file, path, diag));
    return show_file_close(&file, false, diag);
}

// ---- Whole texts.

// Lets go of what is open, or puts it in its place.
static Status close_all(ShowFile *files, size_t count, bool keep, Diag *diag)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < count; i++) {
        Status closed = show_file_close(&files[i], keep && status == STATUS_OK, diag);
        if (status == STATUS_OK)
            status = closed;
    }
    return status;
}

Status show_files_write(const char *const *paths, const Str *texts, size_t count, Diag *diag)
{
    ShowFile *files = base_alloc((count + 1) * sizeof *files);
    Status status = STATUS_OK;
    size_t open = 0;
    while (open < count && status == STATUS_OK) {
        status = show_file_open(&files[open], paths[open], diag);
        open += status == STATUS_OK;
    }
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        fwrite(texts[i].at, 1, texts[i].length, files[i].stream);
        // Before any file is in its place all of them are on the disk.
        if (fflush(files[i].stream) != 0 || ferror(files[i].stream))
            status = show_file_error(paths[i], errno, diag);
    }
    Status closed = close_all(files, open, status == STATUS_OK, diag);
    base_free(files);
    return status == STATUS_OK ? closed : status;
}
