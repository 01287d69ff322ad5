// cache.c: the folder where compiled programs are kept.
//
// $XDG_CACHE_HOME/zwang or ~/.cache/zwang, 0700, in a folder where nobody else can exchange it.
// Nothing is trusted because of its name: a file must be ours, writable by nobody else, and carry
// the hash of its own content and name. It is opened once, and loaded from that descriptor.
#define _XOPEN_SOURCE 700 // S_ISVTX
#include "program/native_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// The oldest files go where all together are larger than this.
#define MOST_BYTES ((size_t)64 << 20)
// A file larger than this was not written by us.
#define MOST_FILE ((size_t)32 << 20)
// Work that was left behind by a process that ended badly is removed after so many seconds.
#define STALE_SECONDS 3600

static const char ending[] = ".so";
static const char workshop[] = "work-";

// ---- The folder.

// Ours alone: a real folder, of this user, that no other can write to.
static bool is_private(const char *folder)
{
    struct stat status;
    return lstat(folder, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Of ours or the system's, where others can write at most if they cannot rename what is not theirs.
static bool is_safe_parent(const char *folder)
{
    struct stat status;
    return stat(folder, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0) &&
           ((status.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (status.st_mode & S_ISVTX) != 0);
}

static bool make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool find_home(Text *folder)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/') {
        text_add(folder, cache);
        return make_folder(folder->at) && is_safe_parent(folder->at);
    }
    if (!home || home[0] != '/')
        return false;
    text_addf(folder, "%s/.cache", home);
    return make_folder(folder->at) && is_safe_parent(folder->at);
}

bool cache_open_temporary(Cache *cache, Text *why)
{
    const char *base = getenv("TMPDIR");
    cache_close(cache);
    text_addf(&cache->folder, "%s/zwang-XXXXXX", base && base[0] == '/' ? base : "/tmp");
    if (mkdtemp(cache->folder.at)) {
        cache->temporary = true;
        return true;
    }
    text_clear(&cache->folder);
    text_add(why, "no folder to compile in can be written to");
    return false;
}

bool cache_open(Cache *cache, Text *why)
{
    *cache = (Cache){0};
    if (getuid() == geteuid() && find_home(&cache->folder)) {
        text_add(&cache->folder, "/zwang");
        if (make_folder(cache->folder.at) && is_private(cache->folder.at) &&
            access(cache->folder.at, R_OK | W_OK | X_OK) == 0)
            return true;
    }
    return cache_open_temporary(cache, why);
}

static void remove_folder(const char *folder, const char *which)
{
    DIR *open = opendir(folder);
    if (open) {
        for (struct dirent *entry; (entry = readdir(open));)
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                (!which || strstr(entry->d_name, which)))
                unlinkat(dirfd(open), entry->d_name, 0);
        closedir(open);
    }
    rmdir(folder);
}

void cache_close(Cache *cache)
{
    if (cache->temporary)
        remove_folder(cache->folder.at, ending);
    text_clear(&cache->folder);
    cache->temporary = false;
}

// ---- Work.

bool cache_workshop(const Cache *cache, Text *folder)
{
    text_addf(folder, "%s/%sXXXXXX", cache->folder.at, workshop);
    return mkdtemp(folder->at) != NULL;
}

void cache_remove_workshop(const char *folder)
{
    remove_folder(folder, NULL);
}

static bool write_all(int file, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

bool cache_write(const char *path, const char *bytes, size_t count)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    bool written = write_all(file, bytes, count);
    return close(file) == 0 && written;
}

// ---- Files.

static bool read_all(int file, char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t got = read(file, bytes, count);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        bytes += got;
        count -= (size_t)got;
    }
    return true;
}

// The whole content of a file that is ours; NULL where it is none. `flags` for open.
static char *read_file(const char *path, int flags, size_t *count, int *file)
{
    struct stat status;
    *file = open(path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (*file < 0)
        return NULL;
    char *bytes = NULL;
    if (fstat(*file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 && status.st_size > 0 &&
        (size_t)status.st_size <= MOST_FILE) {
        *count = (size_t)status.st_size;
        bytes = base_alloc(*count + 1);
        if (read_all(*file, bytes, *count))
            return bytes;
    }
    base_free(bytes);
    close(*file);
    return NULL;
}

// The hash of a name and of what stands before the seal.
static void seal_of(const char *name, const char *bytes, size_t count,
                    unsigned char seal[DIGEST_BYTES])
{
    unsigned char both[2 * DIGEST_BYTES];
    digest_bytes(name, strlen(name), both);
    digest_bytes(bytes, count, both + DIGEST_BYTES);
    digest_bytes(both, sizeof both, seal);
}

static void path_of(const Cache *cache, const char *name, Text *path)
{
    text_addf(path, "%s/%s%s", cache->folder.at, name, ending);
}

int cache_find(const Cache *cache, const char *name)
{
    size_t count;
    int file;
    Text path = {0};
    path_of(cache, name, &path);
    char *bytes = read_file(path.at, O_RDONLY, &count, &file);
    text_clear(&path);
    if (!bytes)
        return -1;
    unsigned char seal[DIGEST_BYTES];
    bool sound = count > DIGEST_BYTES;
    if (sound) {
        seal_of(name, bytes, count - DIGEST_BYTES, seal);
        sound = memcmp(seal, bytes + count - DIGEST_BYTES, DIGEST_BYTES) == 0;
    }
    if (sound)
        futimens(file, NULL); // used just now
    base_free(bytes);
    if (sound)
        return file;
    close(file);
    return -1;
}

// ---- Keeping, and room for it.

typedef struct {
    char *name;
    size_t bytes;
    struct timespec date;
} Kept;

static int older_first(const void *left, const void *right)
{
    const Kept *a = left, *b = right;
    if (a->date.tv_sec != b->date.tv_sec)
        return a->date.tv_sec < b->date.tv_sec ? -1 : 1;
    if (a->date.tv_nsec != b->date.tv_nsec)
        return a->date.tv_nsec < b->date.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), wanted = strlen(end);
    return length >= wanted && strcmp(name + length - wanted, end) == 0;
}

static void remove_stale(const Cache *cache, const char *name, const struct stat *status)
{
    if (strncmp(name, workshop, strlen(workshop)) != 0 || !S_ISDIR(status->st_mode) ||
        status->st_mtim.tv_sec + STALE_SECONDS > time(NULL))
        return;
    Text path = {0};
    text_addf(&path, "%s/%s", cache->folder.at, name);
    remove_folder(path.at, NULL);
    text_clear(&path);
}

static void make_room(const Cache *cache)
{
    ARRAY(Kept) all = {0};
    size_t total = 0;
    DIR *folder = opendir(cache->folder.at);
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        struct stat status;
        if (fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        remove_stale(cache, entry->d_name, &status);
        if (!S_ISREG(status.st_mode) || !ends_with(entry->d_name, ending))
            continue;
        Kept kept = {.bytes = (size_t)status.st_size, .date = status.st_mtim};
        kept.name = base_alloc(strlen(entry->d_name) + 1);
        strcpy(kept.name, entry->d_name);
        array_push(&all, kept);
        total += kept.bytes;
    }
    if (all.count > 1)
        qsort(all.at, all.count, sizeof *all.at, older_first);
    for (size_t i = 0; i < all.count; i++) {
        if (total > MOST_BYTES && unlinkat(dirfd(folder), all.at[i].name, 0) == 0)
            total -= all.at[i].bytes;
        base_free(all.at[i].name);
    }
    array_clear(&all);
    closedir(folder);
}

int cache_keep(const Cache *cache, const char *path_made, const char *name)
{
    size_t count;
    int file;
    char *bytes = read_file(path_made, O_RDWR, &count, &file);
    if (!bytes)
        return -1;
    unsigned char seal[DIGEST_BYTES];
    seal_of(name, bytes, count, seal);
    base_free(bytes);
    bool sealed = lseek(file, 0, SEEK_END) >= 0 &&
                  write_all(file, (const char *)seal, sizeof seal) && fchmod(file, 0700) == 0;
    Text path = {0};
    path_of(cache, name, &path);
    if (sealed)
        make_room(cache);
    bool kept = sealed && rename(path_made, path.at) == 0;
    text_clear(&path);
    if (kept)
        return file;
    close(file);
    return -1;
}
