// Operations of the rates: the accelerations of a model as one program, linear solve included.
//
//     rates MODEL.zw…         a table as Markdown
//
// Times are of the interpreter, of compiled code, and of C that was exported and compiled with -O2,
// with its ratio to the compiled code. "left to solve" counts unknowns of the linear
// equations that the program leaves to LAPACK; their solution is in the time, not among the
// operations.
#include "measure.h"

#include "dynamics/dynamics.h"
#include "dynamics/rates.h"
#include "program/native.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"

#include "export/export.h"

#include <dlfcn.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "rates: cannot open %s\n", path);
        exit(2);
    }
    Text text = {0};
    char part[4096];
    for (size_t count; (count = fread(part, 1, sizeof part, file)) > 0;)
        text_addf(&text, "%.*s", (int)count, part);
    fclose(file);
    return text.at;
}

// Each is repeated for so long, in lots of so many: the least of them counts.
#define SECONDS 0.3
enum { TURNS = 4000 };

// One evaluation of the rates at the present state of numbers, in seconds; interpreted where they
// are not native.
static double evaluate(const Rates *rates, const Equations *eq, const State *state,
                       const ProgramNative *native)
{
    size_t n = rates->n, s = rates->unsolved;
    double *in = base_alloc((1 + n + rates->k) * sizeof *in);
    double *out = base_alloc((program_outputs(rates->program.program) + 1) * sizeof *out);
    double *work = base_alloc((program_registers(rates->program.program) + 1) * sizeof *work);
    in[0] = *state->t;
    memcpy(in + 1, state->q, n * sizeof *in);
    dynamics_speeds(eq, state, in + 1 + n);
    double begin = measure_now(), now = begin, least = INFINITY;
    while (now - begin < SECONDS) {
        double before = now;
        for (int i = 0; i < TURNS; i++) {
            if (native)
                program_native_run(native, 0, in, out);
            else
                program_run_real(rates->program.program, in, out, work);
            if (s > 0)
                LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', (lapack_int)s, 1, out + n, (lapack_int)s,
                                   out + n + s * s, (lapack_int)s);
        }
        now = measure_now();
        least = fmin(least, (now - before) / TURNS);
    }
    base_free(in);
    base_free(out);
    base_free(work);
    return least;
}

// ---- Exported C.

typedef struct {
    void *library;
    void (*defaults)(void *p);
    void (*derivative)(const void *p, double t, const double *y, double *rate);
} Exported;

static bool compile_exported(Simulation *run, Motion *motion, bool fixed, Diag *diag,
                             Exported *exported)
{
    char folder[] = "/tmp/zwang-bench-XXXXXX", command[600], name[256];
    ExportOrigin origin = {.file = "", .version = "", .equations = "", .fixed = fixed};
    Text source = {0}, header = {0};
    *exported = (Exported){0};
    if (!mkdtemp(folder) ||
        export_write(EXPORT_C, run, motion, &origin, diag, &source, &header) != STATUS_OK)
        return false;
    snprintf(name, sizeof name, "%s/code.c", folder);
    FILE *file = fopen(name, "w");
    fwrite(source.at, 1, source.length, file);
    fclose(file);
    snprintf(command, sizeof command, "cc -std=c99 -O2 -shared -fPIC -o %s/code.so %s -lm", folder,
             name);
    bool compiled = system(command) == 0;
    snprintf(name, sizeof name, "%s/code.so", folder);
    exported->library = compiled ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (exported->library) {
        snprintf(name, sizeof name, "%s_defaults", motion->model->name);
        *(void **)&exported->defaults = dlsym(exported->library, name);
        snprintf(name, sizeof name, "%s_derivative", motion->model->name);
        *(void **)&exported->derivative = dlsym(exported->library, name);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        fprintf(stderr, "rates: %s stays\n", folder);
    text_clear(&source);
    text_clear(&header);
    return exported->derivative && exported->defaults;
}

// One evaluation of the derivative, in seconds.
static double evaluate_exported(const Exported *exported, const Equations *eq, const State *state)
{
    size_t n = eq->n, k = eq->k;
    double *p = base_alloc(100000 * sizeof *p);
    double *y = base_alloc(2 * (n + k) * sizeof *y), *rate = y + n + k;
    exported->defaults(p);
    memcpy(y, state->q, n * sizeof *y);
    dynamics_speeds(eq, state, y + n);
    double begin = measure_now(), now = begin, least = INFINITY;
    while (now - begin < SECONDS) {
        double before = now;
        for (int i = 0; i < TURNS; i++)
            exported->derivative(p, *state->t, y, rate);
        now = measure_now();
        least = fmin(least, (now - before) / TURNS);
    }
    base_free(p);
    base_free(y);
    return least;
}

static void measure_exported(Simulation *run, Motion *motion, bool fixed, double native, Diag *diag)
{
    Exported exported;
    if (!compile_exported(run, motion, fixed, diag, &exported)) {
        printf(" - | - |");
        return;
    }
    double seconds = evaluate_exported(&exported, run->base->eq, run->base->state);
    printf(" %.3f | %.2f |", 1e6 * seconds, seconds / native);
    dlclose(exported.library);
}

// ---- A row of the table.

static void measure(const char *path)
{
    char *text = read_whole(path);
    Diag *diag = diag_new();
    Source *source = source_new(path, text, strlen(text));
    Model *model = NULL;
    Motion *motion = NULL;
    Simulation *run = NULL;
    RunOptions options = run_options();
    Rates rates = {0};
    if (model_read(source, NULL, 0, diag, &model) == STATUS_OK &&
        motion_new(model, diag, &motion) == STATUS_OK &&
        run_new(motion, &options, diag, &run) == STATUS_OK) {
        double start = measure_now();
        if (rates_init(&rates, run->base->eq, run->base->state, motion)) {
            double making = measure_now() - start;
            Text why = {0};
            ProgramNative *native = program_native_new(
                (const Program *const *)&rates.program.program, 1, NATIVE_COMPILE, &why);
            printf("| %s | %zu | %zu | %zu | %zu | %.1f | %.2f |", model->name, rates.n, rates.k,
                   program_operations(rates.program.program), rates.unsolved, 1e3 * making,
                   1e6 * evaluate(&rates, run->base->eq, run->base->state, NULL));
            double seconds =
                native ? evaluate(&rates, run->base->eq, run->base->state, native) : NAN;
            printf(" %.3f |", 1e6 * seconds);
            measure_exported(run, motion, true, seconds, diag);
            measure_exported(run, motion, false, seconds, diag);
            printf("\n");
            program_native_free(native);
            text_clear(&why);
        }
    }
    rates_clear(&rates);
    run_free(run);
    motion_free(motion);
    model_free(model);
    source_free(source);
    diag_free(diag);
    base_free(text);
}

int main(int count, char **words)
{
    if (count < 2) {
        fprintf(stderr, "rates: which models? rates models/*.zw\n");
        return 2;
    }
    printf(
        "| model | coordinates | freedom | operations | left to solve | made in ms | "
        "interpreted µs | native µs | exported fixed µs | of native | exported µs | of native |\n"
        "| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (int i = 1; i < count; i++)
        measure(words[i]);
    return 0;
}
