// compiler.c: the system's C compiler, called without a shell and not for ever.
#include "program/native_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A compiler that needs longer is stopped.
#define MOST_SECONDS 120.0
#define ASK_SECONDS  0.02

extern char **environ;

// ---- Which compiler.

static bool is_program(const char *path, struct stat *status)
{
    return stat(path, status) == 0 && S_ISREG(status->st_mode) && access(path, X_OK) == 0;
}

// The file that a word names, by way of PATH where it has no slash.
static bool find_program(Str word, Text *path, struct stat *status)
{
    if (memchr(word.at, '/', word.length)) {
        text_add_str(path, word);
        return is_program(path->at, status);
    }
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t length = strcspn(at, ":");
        path->length = 0;
        text_add_str(path, (Str){at, length});
        text_add_char(path, '/');
        text_add_str(path, word);
        if (*at == '/' && is_program(path->at, status))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

// The words of a command: the first becomes the path of its program.
static bool take_words(Compiler *compiler, const char *command, Text *why)
{
    for (const char *at = command; *(at += strspn(at, " "));) {
        Str word = {at, strcspn(at, " ")};
        struct stat status;
        if (compiler->count++ > 0) {
            text_add_str(&compiler->words, word);
        } else if (find_program(word, &compiler->words, &status)) {
            text_addf(&compiler->identity, "%s %lld %lld.%09ld\n", compiler->words.at,
                      (long long)status.st_size, (long long)status.st_mtim.tv_sec,
                      status.st_mtim.tv_nsec);
        } else {
            text_addf(why, "there is no C compiler '%.*s'", (int)word.length, word.at);
            return false;
        }
        text_add_char(&compiler->words, '\0');
        at += word.length;
    }
    text_addf(&compiler->identity, "%s\n", command);
    return true;
}

bool compiler_find(Compiler *compiler, Text *why)
{
    *compiler = (Compiler){0};
    const char *command = getenv("CC");
    bool given = command && command[strspn(command, " ")] != '\0';
    return take_words(compiler, given ? command : "cc", why);
}

void compiler_clear(Compiler *compiler)
{
    text_clear(&compiler->words);
    text_clear(&compiler->identity);
}

void compiler_add_processor(Text *identity)
{
    char line[4096];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file) && line[0] != '\n')
        if (strncmp(line, "model", 5) == 0 || strncmp(line, "flags", 5) == 0 ||
            strncmp(line, "Features", 8) == 0 || strncmp(line, "CPU", 3) == 0)
            text_add(identity, line);
    if (file)
        fclose(file);
}

// ---- Compiling.

// Rounding is as written: no function of a constant is evaluated by other means than at run
// time (-frounding-math), no product is fused with a sum. Where a processor can fuse them, gcc does
// so in vectors of its own (-ftree-slp-vectorize) whatever is said of contraction.
#define ROUNDING                                                                                   \
    "-ffp-contract=off", "-frounding-math", "-fno-math-errno", "-fno-trapping-math",               \
        "-fno-builtin-pow", NULL
// Expensive optimizations are those after which no upper half of a vector is left behind: all that
// runs later would wait for it.
#define AVX2 "-mavx2", "-fexpensive-optimizations"
enum { EXACT_AVX2 = NATIVE_LIBRARY_LONG + 1, EXACT_LONG_AVX2 };
static const char *const options[][11] = {
    [NATIVE_EXACT] = {"-O2", ROUNDING},
    [EXACT_AVX2] = {"-O2", AVX2, ROUNDING},
    [NATIVE_FAST] = {"-O2", "-march=native", "-fno-tree-slp-vectorize", ROUNDING},
    [NATIVE_EXACT_LONG] = {"-O1", ROUNDING},
    [EXACT_LONG_AVX2] = {"-O1", AVX2, ROUNDING},
    [NATIVE_FAST_LONG] = {"-O1", "-fexpensive-optimizations", "-march=native", ROUNDING},
    [NATIVE_SERIES_LONG] = {"-Og", "-fexpensive-optimizations", "-march=native", ROUNDING},
    [NATIVE_LIBRARY] = {"-O2", "-fvisibility=hidden", "-s", ROUNDING},
    [NATIVE_LIBRARY_LONG] = {"-O1", "-fvisibility=hidden", "-s", ROUNDING},
};

// Instructions of three operands make shorter code, which takes up to a sixth less of time.
static bool has_avx2(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

const char *const *compiler_options(NativeKind kind)
{
    bool avx2 = has_avx2();
    return options[kind == NATIVE_EXACT && avx2        ? EXACT_AVX2
                   : kind == NATIVE_EXACT_LONG && avx2 ? EXACT_LONG_AVX2
                                                       : (int)kind];
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static _Thread_local struct {
    bool (*goes_on)(void *context);
    void *context;
} waiting;

void program_native_wait(bool (*goes_on)(void *context), void *context)
{
    waiting.goes_on = goes_on;
    waiting.context = context;
}

bool compiler_goes_on(void)
{
    return !waiting.goes_on || waiting.goes_on(waiting.context);
}

// Ends the process with all that it has started.
void compiler_end(CompilerRun *run)
{
    int status;
    if (run->process == 0)
        return;
    kill(-run->process, SIGKILL);
    while (waitpid(run->process, &status, 0) < 0 && errno == EINTR)
        continue;
    run->process = 0;
}

bool compiler_ended(CompilerRun *run, bool *made, Text *why)
{
    int status = 0;
    *made = false;
    pid_t ended = waitpid(run->process, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) {
        if (now() - run->start <= MOST_SECONDS)
            return false;
        compiler_end(run);
        text_addf(why, "the C compiler needed more than %g s", MOST_SECONDS);
        return true;
    }
    run->process = 0;
    if (ended < 0)
        text_add(why, "the C compiler could not be waited for");
    else if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        *made = true;
    else
        text_add(why, "the C compiler failed");
    return true;
}

bool compiler_wait(CompilerRun *run, Text *why)
{
    double asked = now();
    bool made;
    while (!compiler_ended(run, &made, why)) {
        if (waiting.goes_on && now() - asked > ASK_SECONDS) {
            asked = now();
            if (!waiting.goes_on(waiting.context)) {
                compiler_end(run);
                text_add(why, "the C compiler was stopped");
                return false;
            }
        }
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    }
    return made;
}

static bool spawn(char *const *words, CompilerRun *run, Text *why)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    pid_t process = 0;
    if (posix_spawn_file_actions_init(&files) != 0)
        return false;
    if (posix_spawnattr_init(&how) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return false;
    }
    // Silent; in a group of its own, so that what it starts ends with it.
    int error = 0;
    for (int stream = 0; stream <= 2 && error == 0; stream++)
        error = posix_spawn_file_actions_addopen(&files, stream, "/dev/null",
                                                 stream == 0 ? O_RDONLY : O_WRONLY, 0);
    if (error == 0)
        error = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    if (error == 0)
        error = posix_spawn(&process, words[0], &files, &how, words, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    *run = (CompilerRun){error == 0 ? process : 0, now()};
    if (error == 0)
        return true;
    text_addf(why, "the C compiler could not be started: %s", strerror(error));
    return false;
}

bool compiler_start(const Compiler *compiler, NativeKind kind, const char *source,
                    const char *object, CompilerRun *run, Text *why)
{
    ARRAY(const char *) words = {0};
    const char *word = compiler->words.at;
    for (size_t i = 0; i < compiler->count; i++, word += strlen(word) + 1)
        array_push(&words, word);
    for (const char *const *option = compiler_options(kind); *option; option++)
        array_push(&words, *option);
    const char *const rest[] = {"-w", "-fPIC", "-shared", "-o", object, source, "-lm", NULL};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        array_push(&words, rest[i]);
    // posix_spawn takes the words as char * and leaves them alone.
    char **copy = base_alloc(words.count * sizeof *copy);
    memcpy(copy, words.at, words.count * sizeof *copy);
    bool done = spawn(copy, run, why);
    base_free(copy);
    array_clear(&words);
    return done;
}
