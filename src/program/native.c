// native.c: programs compiled together, one function each, in one object.
#include "program/native.h"
#include "base/strings.h"
#include "program/program_impl.h"

#include <stdio.h>
#include <string.h>

typedef void (*RealFn)(const double *in, double *out, const double *constants);

struct ProgramNative {
    NativeCode *code;
    RealFn *run;
    const double **constants; // of each program
};

static const char waves[] = "#ifdef __FMA__\n#define FUSED\n#endif\n"
#include "program/series_vectors.txt"
                            "#define KERNEL(name) name\n#define WAVES\n"
#include "program/waves.txt"
                            "\n";

// Both at once where there are vectors: each is rounded as by itself.
static const char pairs[] =
    "#if defined __GNUC__ && !defined __TINYC__\n"
    "typedef double Two __attribute__((vector_size(2 * sizeof(double))));\n"
    "static inline void two_quotients(double *q, double a, double b, double c, double d)\n"
    "{\n    Two both = (Two){a, c} / (Two){b, d};\n    q[0] = both[0], q[1] = both[1];\n}\n"
    "#else\n"
    "static inline void two_quotients(double *q, double a, double b, double c, double d)\n"
    "{\n    q[0] = a / b, q[1] = c / d;\n}\n"
    "#endif\n"
    "static inline void two_roots(double *r, double a, double b)\n{\n"
    "#if defined __SSE2__ && defined __GNUC__ && !defined __clang__ && !defined __TINYC__\n"
    "    Two both = __builtin_ia32_sqrtpd((Two){a, b});\n    r[0] = both[0], r[1] = both[1];\n"
    "#else\n    r[0] = sqrt(a), r[1] = sqrt(b);\n#endif\n}\n\n";

static bool any_has_waves(const Program *const *programs, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any = any || program_has_waves(programs[i]);
    return any;
}

static bool any_has_noise(const Program *const *programs, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any = any || program_has_noise(programs[i]);
    return any;
}

// No operation is fused whose text does not say so, for whatever processor it is compiled. What is
// waited for unasked is worth the compiler's effort: with less, rates of 1,000 to 4,000 operations
// take a quarter longer.
static NativeKind kind_of(const Program *const *programs, size_t count)
{
    size_t operations = 0;
    for (size_t i = 0; i < count; i++)
        operations += program_operations(programs[i]);
    bool is_long = operations > NATIVE_QUICK;
    if (any_has_waves(programs, count))
        return is_long ? NATIVE_FAST_LONG : NATIVE_FAST;
    return is_long ? NATIVE_EXACT_LONG : NATIVE_EXACT;
}

static void print_all(const Program *const *programs, size_t count, Text *source)
{
    text_add(source, "#include <math.h>\n\n");
    program_print_c_helpers("double", source);
    text_add(source, pairs);
    text_add(source, any_has_waves(programs, count) ? waves : "");
    for (size_t i = 0; i < count; i++)
        if (program_has_tables(programs[i])) {
            program_print_c_tables(programs[i]->tables, source); // those of all: they have one pool
            break;
        }
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "zwang_%zu", i);
        program_print_c(programs[i], name, source);
    }
}

bool program_native_start(const Program *const *programs, size_t count, NativeJobs *jobs)
{
    Text source = {0};
    if (any_has_noise(programs, count))
        return false;
    print_all(programs, count, &source);
    bool started = native_jobs_add(jobs, source.at, kind_of(programs, count));
    text_clear(&source);
    return started;
}

ProgramNative *program_native_new(const Program *const *programs, size_t count, NativeHow how,
                                  Text *why)
{
    Text source = {0};
    if (any_has_noise(programs, count)) {
        text_add(why, "programs with random inputs are not compiled");
        return NULL;
    }
    print_all(programs, count, &source);
    NativeCode *code = native_code_new(source.at, kind_of(programs, count), how, why);
    text_clear(&source);
    if (!code)
        return NULL;
    ProgramNative *native = base_alloc(sizeof *native);
    native->code = code;
    native->run = base_alloc((count + 1) * sizeof *native->run);
    native->constants = base_alloc((count + 1) * sizeof *native->constants);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "zwang_%zu", i);
        native->constants[i] = programs[i]->real;
        void *symbol = native_code_symbol(code, name);
        memcpy(native->run + i, &symbol, sizeof symbol); // POSIX: a function's address fits
        if (!symbol) {
            text_add(why, "the compiled program lacks a function");
            program_native_free(native);
            return NULL;
        }
    }
    return native;
}

void program_native_free(ProgramNative *native)
{
    if (!native)
        return;
    native_code_free(native->code);
    base_free(native->run);
    base_free(native->constants);
    base_free(native);
}

void program_native_run(const ProgramNative *native, size_t which, const double *inputs,
                        double *outputs)
{
    native->run[which](inputs, outputs, native->constants[which]);
}
