// compile_progress.h: programs that are compiled beside the run that they are for.
#ifndef ZWANG_DYNAMICS_COMPILE_PROGRESS_H
#define ZWANG_DYNAMICS_COMPILE_PROGRESS_H

#include "base/memory.h"

typedef struct NativeJobs NativeJobs; // native.h

// How far some programs are on their way to being compiled, in a run that decides by itself.
typedef struct CompileProgress {
    enum {
        COMPILE_UNSEEN,  // not even looked for in the cache
        COMPILE_MISSING, // they are not there
        COMPILE_STARTED, // compilers are at work beside the run
        COMPILE_ENDED    // nothing is left to do
    } stage;
    NativeJobs *jobs;
} CompileProgress;
// What is to be compiled: from the cache alone, or by compilers that are waited for; and started.
// All say whether that was so.
typedef struct {
    void *context;
    bool (*compile)(void *context, bool find);
    bool (*start)(void *context, NativeJobs *jobs);
} Compilable;
// After a step. So many operations of the interpreter were done in these steps, and such a part of
// the way is left, in times of what was covered. Loads what is compiled, or has it compiled, where
// what is left is likely to take longer than that does. Whatever it does when, numbers stay the
// same.
void compile_progress(CompileProgress *progress, const Compilable *what, double operations,
                      double done, size_t steps, double part_left);
bool compile_progress_is_over(const CompileProgress *progress); // it does nothing any more
void compile_progress_clear(CompileProgress *progress);         // also to begin anew

#endif
