// native_impl.h: between the files that compile and keep programs; only for this room.
#ifndef ZWANG_PROGRAM_NATIVE_IMPL_H
#define ZWANG_PROGRAM_NATIVE_IMPL_H

#include "program/digest.h"
#include "program/native.h"

#include <sys/types.h>

// ---- cache.c: a folder of shared objects, by the hash of what they were made of.
//
// The folder belongs to the user alone. Each file ends with the hash of its name and of all that
// stands before, so that what is damaged, cut off or misnamed is seen before it is loaded.
typedef struct {
    Text folder;    // "" where there is none that can be used
    bool temporary; // made for this once, removed when it is closed
} Cache;
// False where no folder can be used; `why` then gets one line.
bool cache_open(Cache *cache, Text *why);
// Goes on in a temporary folder, because the usual one does not do.
bool cache_open_temporary(Cache *cache, Text *why);
void cache_close(Cache *cache);
// The sound file of this name, open: what is loaded is what was looked at, whatever becomes of the
// name meanwhile. -1: there is none.
int cache_find(const Cache *cache, const char *name);
// Takes a finished file into the cache under this name, at once or not at all; the same, or -1.
int cache_keep(const Cache *cache, const char *file, const char *name);
// A new empty folder in the cache, to work in; and its removal with the files named.
bool cache_workshop(const Cache *cache, Text *folder);
void cache_remove_workshop(const char *folder);
bool cache_write(const char *path, const char *bytes, size_t count);

// ---- compiler.c: the system's C compiler.
typedef struct {
    Text words; // the command's words, each with its NUL
    size_t count;
    Text identity; // its path, and the size and date of that file
} Compiler;
// $CC, else cc. False where there is none.
bool compiler_find(Compiler *compiler, Text *why);
void compiler_clear(Compiler *compiler);
const char *const *compiler_options(NativeKind kind); // ends with NULL
// A compiler at work, in a process group of its own.
typedef struct {
    pid_t process; // 0: none
    double start;  // when, in seconds
} CompilerRun;
bool compiler_start(const Compiler *compiler, NativeKind kind, const char *source,
                    const char *object, CompilerRun *run, Text *why);
// Whether it has ended, by itself or because it took too long; *made is then whether it did well.
bool compiler_ended(CompilerRun *run, bool *made, Text *why);
// Waits for that; false where it failed or is not waited for any more (program_native_wait).
bool compiler_wait(CompilerRun *run, Text *why);
void compiler_end(CompilerRun *run); // at once
// Asks whether to go on, as program_native_wait says; once that is denied it stays so.
bool compiler_goes_on(void);
// What code for the processor at hand depends on besides the compiler.
void compiler_add_processor(Text *identity);

#endif
