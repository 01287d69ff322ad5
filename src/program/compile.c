// compile.c: from C text to a loaded object: from the cache, or by the compiler into the cache.
#include "program/native_impl.h"

#include <dlfcn.h>
#include <string.h>

struct NativeCode {
    void *handle;
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
    if (kind == NATIVE_FAST)
        compiler_add_processor(&all);
    text_add(&all, source);
    unsigned char digest[DIGEST_BYTES];
    digest_bytes(all.at, all.length, digest);
    digest_print(digest, name);
    text_clear(&all);
}

// ---- Making.

static bool make_in(const Cache *cache, const char *workshop, const char *source, NativeKind kind,
                    const Compiler *compiler, const char *name, Text *path, Text *why)
{
    Text text = {0}, object = {0};
    text_addf(&text, "%s/program.c", workshop);
    text_addf(&object, "%s/program.so", workshop);
    bool made = cache_write(text.at, source, strlen(source));
    if (!made)
        text_add(why, "the folder for compiled programs is full or cannot be written to");
    made = made && compiler_run(compiler, kind, text.at, object.at, why);
    if (made && !cache_keep(cache, object.at, name, path)) {
        text_add(why, "the compiled program could not be kept");
        made = false;
    }
    text_clear(&text);
    text_clear(&object);
    return made;
}

static bool make(const Cache *cache, const char *source, NativeKind kind, const Compiler *compiler,
                 const char *name, Text *path, Text *why)
{
    Text workshop = {0};
    bool made = false;
    if (cache_workshop(cache, &workshop)) {
        made = make_in(cache, workshop.at, source, kind, compiler, name, path, why);
        cache_remove_workshop(workshop.at);
    } else {
        text_add(why, "no folder to compile in can be made");
    }
    text_clear(&workshop);
    return made;
}

// Found or made, and loaded; NULL where the cache does not serve.
static void *load(const Cache *cache, const char *source, NativeKind kind, const Compiler *compiler,
                  Text *why)
{
    char name[2 * DIGEST_BYTES + 1];
    Text path = {0};
    void *handle = NULL;
    name_of(source, kind, compiler, name);
    if (cache_find(cache, name, &path))
        handle = dlopen(path.at, RTLD_NOW | RTLD_LOCAL);
    if (!handle && make(cache, source, kind, compiler, name, &path, why)) {
        handle = dlopen(path.at, RTLD_NOW | RTLD_LOCAL);
        if (!handle)
            text_add(why, "the compiled program cannot be loaded");
    }
    text_clear(&path);
    return handle;
}

NativeCode *native_code_new(const char *source, NativeKind kind, Text *why)
{
    Compiler compiler;
    Cache cache = {0};
    void *handle = NULL;
    if (compiler_find(&compiler, why) && cache_open(&cache, why)) {
        Text first = {0};
        handle = load(&cache, source, kind, &compiler, &first);
        // The usual folder may be full, or on a disk that nothing can be loaded from.
        if (!handle && !cache.temporary && cache_open_temporary(&cache, why))
            handle = load(&cache, source, kind, &compiler, why);
        else if (!handle && first.length)
            text_add(why, first.at);
        text_clear(&first);
    }
    compiler_clear(&compiler);
    cache_close(&cache); // what is loaded needs its file no longer
    if (!handle)
        return NULL;
    NativeCode *code = base_alloc(sizeof *code);
    code->handle = handle;
    return code;
}

void native_code_free(NativeCode *code)
{
    if (!code)
        return;
    dlclose(code->handle);
    base_free(code);
}

void *native_code_symbol(const NativeCode *code, const char *name)
{
    return dlsym(code->handle, name);
}
