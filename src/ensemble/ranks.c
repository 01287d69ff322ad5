// ranks.c: one sweep on several processes.
#define _GNU_SOURCE // RTLD_DEFAULT
#include "ensemble/ranks.h"
#include "base/diag.h"
#include "base/strings.h"
#include "base/text_builder.h"
#include "ensemble/ranks_module.h"

#include <assert.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A rank gets a part of what is left as often as this; and at most so many runs at once.
enum { PARTS = 8, MOST_AT_ONCE = 4096 };

enum { ASKS, GIVES, LEAVES, W_KIND = 0, W_FIRST, W_SECOND };

struct Ranks {
    const RanksModule *module;
    void *library;
    size_t number, count, runs, threads;
    // This rank's own.
    bool asked, over;
    // Of rank 0: what is handed out next, whom nothing is left for, what others have made.
    size_t next, left;
    bool *told;
    size_t told_count, *made;
    const RunStore *store;
};

bool ranks_are_asked_for(void)
{
    static const char *const counts[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *text = getenv(counts[i]);
        if (text && strtol(text, NULL, 10) > 1)
            return true;
    }
    return false;
}

// Beside the program, and where it is installed.
static void *open_module(Text *tried)
{
    static const char *const places[] = {"zwang_mpi.so", "../lib/zwang/zwang_mpi.so",
                                         "../" ZWANG_LIBRARY_FOLDER "/zwang/zwang_mpi.so"};
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) : 0;
    void *library = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && !library; i++) {
        tried->length = 0;
        text_addf(tried, "%.*s/%s", (int)folder, path, places[i]);
        library = dlopen(tried->at, RTLD_NOW | RTLD_GLOBAL);
    }
    return library;
}

Status ranks_open(Diag *diag, Ranks **out)
{
    Text tried = {0};
    void *library = open_module(&tried);
    const char *why = library ? "" : dlerror();
    RanksModuleFn *function = NULL;
    if (library)
        *(void **)&function = dlsym(library, RANKS_MODULE_FUNCTION);
    const RanksModule *module = function ? function() : NULL;
    int number = 0, count = 0;
    bool works = module && module->version == RANKS_VERSION && module->begin(&number, &count);
    if (!works)
        diag_error(diag, place_none(),
                   "mpirun has started several processes, and this zwang does not speak MPI (%s); "
                   "build it where OpenMPI or MPICH is installed, or start one process",
                   library ? "the module does not begin"
                   : why   ? why
                           : tried.at);
    text_clear(&tried);
    *out = NULL;
    if (!works)
        return STATUS_FAILED;
    Ranks *ranks = base_alloc(sizeof *ranks);
    *ranks = (Ranks){
        .module = module, .library = library, .number = (size_t)number, .count = (size_t)count};
    ranks->told = base_alloc(((size_t)count + 1) * sizeof *ranks->told);
    ranks->made = base_alloc(((size_t)count + 1) * sizeof *ranks->made);
    *out = ranks;
    return STATUS_OK;
}

void ranks_close(Ranks *ranks)
{
    if (!ranks)
        return;
    ranks->module->end();
    base_free(ranks->told);
    base_free(ranks->made);
    base_free(ranks);
}

size_t ranks_number(const Ranks *ranks)
{
    return ranks->number;
}

size_t ranks_count(const Ranks *ranks)
{
    return ranks->count;
}

Status ranks_agree(const Ranks *ranks, Status status)
{
    return (Status)ranks->module->largest((int)status);
}

size_t ranks_other(const Ranks *ranks, const char *text)
{
    int own = (int)(hash_bytes(text, strlen(text), 1) & INT_MAX);
    int first = ranks->module->largest(ranks->number == 0 ? own : -1);
    return (size_t)ranks->module->largest(own == first ? 0 : (int)ranks->number);
}

// ---- Handing out.

void ranks_begin(Ranks *ranks, size_t runs, size_t threads, const RunStore *store)
{
    assert(threads > 0);
    ranks->runs = runs;
    ranks->threads = threads;
    ranks->store = store;
    ranks->left = runs - run_store_done(store);
}

// The next runs that are not made: a block of them that follow each other; empty where none is
// left.
static void hand_out(Ranks *ranks, size_t threads, size_t *from, size_t *to)
{
    size_t size = ranks->left / (PARTS * ranks->count);
    size = size > MOST_AT_ONCE ? MOST_AT_ONCE : size < threads ? threads : size;
    while (ranks->next < ranks->runs && run_store_has(ranks->store, ranks->next))
        ranks->next++;
    *from = ranks->next;
    while (ranks->next < ranks->runs && ranks->next - *from < size &&
           !run_store_has(ranks->store, ranks->next))
        ranks->next++;
    *to = ranks->next;
    ranks->left -= *to - *from < ranks->left ? *to - *from : ranks->left;
}

static void tell_over(Ranks *ranks, size_t who)
{
    ranks->told_count += !ranks->told[who];
    ranks->told[who] = true;
}

static void answer(Ranks *ranks, size_t who, const uint64_t *words)
{
    size_t from, to;
    ranks->made[who] = words[W_FIRST];
    if (words[W_KIND] == LEAVES) {
        tell_over(ranks, who);
        return;
    }
    hand_out(ranks, words[W_SECOND], &from, &to);
    if (from == to)
        tell_over(ranks, who);
    ranks->module->send((int)who, (uint64_t[RANKS_WORDS]){GIVES, from, to});
}

static bool take(Ranks *ranks, size_t from, size_t to)
{
    ranks->asked = false;
    ranks->over = from == to;
    return from < to;
}

bool ranks_look(Ranks *ranks, bool wants, size_t done, size_t *from, size_t *to)
{
    int who;
    uint64_t words[RANKS_WORDS];
    bool came = false;
    while (!came && ranks->module->receive(&who, words)) {
        if (words[W_KIND] != GIVES) {
            answer(ranks, (size_t)who, words);
            continue;
        }
        *from = words[W_FIRST];
        *to = words[W_SECOND];
        came = take(ranks, *from, *to);
    }
    if (came || !wants || ranks->asked || ranks->over)
        return came;
    if (ranks->number == 0) {
        hand_out(ranks, ranks->threads, from, to);
        return take(ranks, *from, *to);
    }
    ranks->asked = ranks->module->send(0, (uint64_t[RANKS_WORDS]){ASKS, done, ranks->threads});
    return false;
}

bool ranks_have_no_more(const Ranks *ranks)
{
    return ranks->over;
}

void ranks_leave(Ranks *ranks)
{
    if (ranks->number == 0)
        ranks->next = ranks->runs;
    else if (!ranks->over)
        ranks->module->send(0, (uint64_t[RANKS_WORDS]){LEAVES});
    ranks->over = true;
}

size_t ranks_done(const Ranks *ranks, size_t own)
{
    size_t done = own;
    for (size_t i = 1; i < ranks->count; i++)
        done += ranks->made[i];
    return done < ranks->runs ? done : ranks->runs;
}

bool ranks_are_served(const Ranks *ranks)
{
    return ranks->number > 0 || ranks->told_count + 1 == ranks->count;
}
