// compile.c: from C text to a loaded object: from the cache, or by the compiler into the cache.
#include "base/guard.h"
#include "program/native_impl.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct NativeCode {
    void *handle;
    BaseCleanup cleanup;
};

// ---- The name of what is wanted.

static void name_of(const char *source, NativeKind kind, const Compiler *compiler,
                    char name[2 * DIGEST_BYTES + 1])
{
    Text all = {0};
    text_add(&all, "zwang 1\n"); // changes where the meaning of a kept file does
    text_add(&all, compiler->identity.at);
    for (const char *const *option = compiler_options(kind); *option; option++)
        text_addf(&all, "%s\n", *option);
    if (kind == NATIVE_FAST || kind == NATIVE_FAST_LONG || kind == NATIVE_SERIES_LONG)
        compiler_add_processor(&all);
    text_add(&all, source);
    unsigned char digest[DIGEST_BYTES];
    digest_bytes(all.at, all.length, digest);
    digest_print(digest, name);
    text_clear(&all);
}

// ---- Making: in a folder of its own, by a compiler that runs beside us.

typedef struct {
    Text folder, source, object;
    char name[2 * DIGEST_BYTES + 1];
    CompilerRun run;
} Making;

static void making_clear(void *object)
{
    Making *making = object;
    compiler_end(&making->run);
    if (making->folder.length)
        cache_remove_workshop(making->folder.at);
    text_clear(&making->folder);
    text_clear(&making->source);
    text_clear(&making->object);
}

static bool making_start(Making *making, const Cache *cache, const char *source, NativeKind kind,
                         const Compiler *compiler, Text *why)
{
    *making = (Making){0};
    name_of(source, kind, compiler, making->name);
    if (!cache_workshop(cache, &making->folder)) {
        text_clear(&making->folder);
        text_add(why, "no folder to compile in can be made");
        return false;
    }
    text_addf(&making->source, "%s/program.c", making->folder.at);
    text_addf(&making->object, "%s/program.so", making->folder.at);
    if (!cache_write(making->source.at, source, strlen(source))) {
        text_add(why, "the folder for compiled programs is full or cannot be written to");
        return false;
    }
    return compiler_start(compiler, kind, making->source.at, making->object.at, &making->run, why);
}

// What the compiler has made goes into the cache: open, or -1.
static int making_keep(const Making *making, const Cache *cache, Text *why)
{
    int kept = cache_keep(cache, making->object.at, making->name);
    if (kept < 0)
        text_add(why, "the compiled program could not be kept");
    return kept;
}

// ---- Loading.

// An open file by a name that no other load has had: the loader takes equal names for one object,
// and descriptors are used again. The bits of a number are blanks of the path, which mean nothing.
static void *load_descriptor(int file)
{
    static atomic_uint loads;
    char path[300];
    int length = snprintf(path, sizeof path, "/proc/self");
    for (unsigned bits = atomic_fetch_add(&loads, 1); bits; bits >>= 1)
        length += snprintf(path + length, sizeof path - (size_t)length, bits & 1 ? "//." : "/.");
    snprintf(path + length, sizeof path - (size_t)length, "/fd/%d", file);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    close(file); // what is loaded needs its file no longer
    return handle;
}

static void *find(const Cache *cache, const char *source, NativeKind kind, const Compiler *compiler)
{
    char name[2 * DIGEST_BYTES + 1];
    name_of(source, kind, compiler, name);
    int file = cache_find(cache, name);
    return file >= 0 ? load_descriptor(file) : NULL;
}

static void *make(const Cache *cache, const char *source, NativeKind kind, const Compiler *compiler,
                  Text *why)
{
    Making making = {0};
    int file = -1;
    BaseCleanup cleanup;
    base_cleanup_add(&cleanup, making_clear, &making);
    if (making_start(&making, cache, source, kind, compiler, why) &&
        compiler_wait(&making.run, why))
        file = making_keep(&making, cache, why);
    void *handle = file >= 0 ? load_descriptor(file) : NULL;
    if (file >= 0 && !handle)
        text_add(why, "the compiled program cannot be loaded");
    base_cleanup_remove(&cleanup);
    making_clear(&making);
    return handle;
}

// Found or made, and loaded; NULL where the cache does not serve.
static void *load(const Cache *cache, const char *source, NativeKind kind, const Compiler *compiler,
                  Text *why)
{
    void *handle = find(cache, source, kind, compiler);
    return handle ? handle : make(cache, source, kind, compiler, why);
}

static void *load_or_compile(Cache *cache, const char *source, NativeKind kind,
                             const Compiler *compiler, Text *why)
{
    Text first = {0};
    void *handle = load(cache, source, kind, compiler, &first);
    // The usual folder may be full, or on a disk that nothing can be loaded from.
    if (!handle && !cache->temporary && cache_open_temporary(cache, why))
        handle = load(cache, source, kind, compiler, why);
    else if (!handle && first.length)
        text_add(why, first.at);
    text_clear(&first);
    return handle;
}

static void unload(void *code)
{
    void *handle = ((NativeCode *)code)->handle;
    if (handle)
        dlclose(handle);
}

static void close_cache(void *cache)
{
    cache_close(cache);
}

NativeCode *native_code_new(const char *source, NativeKind kind, NativeHow how, Text *why)
{
    Compiler compiler;
    Cache cache = {0};
    void *handle = NULL;
    NativeCode *code = base_alloc(sizeof *code);
    BaseCleanup cleanup;
    base_cleanup_add(&cleanup, close_cache, &cache);
    if (compiler_find(&compiler, why) && cache_open(&cache, why)) {
        if (how == NATIVE_COMPILE)
            handle = load_or_compile(&cache, source, kind, &compiler, why);
        else if (!cache.temporary)
            handle = find(&cache, source, kind, &compiler);
    }
    code->handle = handle;
    base_cleanup_add(&code->cleanup, unload, code);
    compiler_clear(&compiler);
    base_cleanup_remove(&cleanup);
    cache_close(&cache); // what is loaded needs its file no longer
    if (handle)
        return code;
    native_code_free(code);
    return NULL;
}

static bool read_file(const char *path, Text *bytes)
{
    char part[4096];
    FILE *file = fopen(path, "rbe");
    size_t count;
    while (file && (count = fread(part, 1, sizeof part, file)) > 0)
        text_add_str(bytes, (Str){part, count});
    bool whole = file && !ferror(file);
    if (file)
        fclose(file);
    return whole && bytes->length > 0;
}

bool native_object(const char *source, NativeKind kind, Text *object, Text *why)
{
    Compiler compiler;
    Cache cache = {0};
    bool done = false;
    if (compiler_find(&compiler, why) && cache_open(&cache, why)) {
        Making making;
        done = making_start(&making, &cache, source, kind, &compiler, why) &&
               compiler_wait(&making.run, why);
        if (done && !read_file(making.object.at, object)) {
            text_add(why, "the compiled program cannot be read");
            done = false;
        }
        making_clear(&making);
    }
    compiler_clear(&compiler);
    cache_close(&cache);
    return done;
}

void native_code_free(NativeCode *code)
{
    if (!code)
        return;
    base_cleanup_remove(&code->cleanup);
    unload(code);
    base_free(code);
}

void *native_code_symbol(const NativeCode *code, const char *name)
{
    return dlsym(code->handle, name);
}

// ---- Compilers beside us.

struct NativeJobs {
    Cache cache;
    Compiler compiler;
    bool usable;
    ARRAY(Making) all;
    BaseCleanup cleanup;
};

// All compilers end, and what they have made is gone.
static void end_jobs(void *object)
{
    NativeJobs *jobs = object;
    for (size_t i = 0; i < jobs->all.count; i++)
        making_clear(jobs->all.at + i);
    cache_close(&jobs->cache);
}

NativeJobs *native_jobs_new(void)
{
    Text why = {0};
    NativeJobs *jobs = base_alloc(sizeof *jobs);
    base_cleanup_add(&jobs->cleanup, end_jobs, jobs);
    jobs->usable = compiler_find(&jobs->compiler, &why) && cache_open(&jobs->cache, &why) &&
                   !jobs->cache.temporary;
    text_clear(&why);
    return jobs;
}

bool native_jobs_add(NativeJobs *jobs, const char *source, NativeKind kind)
{
    Text why = {0};
    if (!jobs->usable)
        return false;
    array_push(&jobs->all, ((Making){0}));
    Making *making = &jobs->all.at[jobs->all.count - 1];
    bool started = making_start(making, &jobs->cache, source, kind, &jobs->compiler, &why);
    if (!started) {
        making_clear(making);
        jobs->all.count--;
    }
    text_clear(&why);
    return started;
}

bool native_jobs_ended(NativeJobs *jobs)
{
    bool ended = true;
    for (size_t i = 0; i < jobs->all.count; i++) {
        Making *making = jobs->all.at + i;
        Text why = {0};
        bool made = false;
        if (making->run.process == 0)
            continue;
        if (!compiler_ended(&making->run, &made, &why))
            ended = false;
        int file = made ? making_keep(making, &jobs->cache, &why) : -1;
        if (file >= 0)
            close(file);
        text_clear(&why);
    }
    return ended;
}

void native_jobs_free(NativeJobs *jobs)
{
    if (!jobs)
        return;
    base_cleanup_remove(&jobs->cleanup);
    end_jobs(jobs);
    array_clear(&jobs->all);
    compiler_clear(&jobs->compiler);
    base_free(jobs);
}
