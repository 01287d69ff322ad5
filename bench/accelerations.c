// accelerations.c (bench): the accelerations of a model by zwang's compiled rates, and of the same
// system by another program, at the same states, in turn.
//
//     accelerations MODEL.zw OTHER.so…
//
// OTHER.so has `int aba(const double **arg, double **res, long long *iw, double *w, int mem)` with
// arg = {q, q'} and res = {q''}, as CasADi writes it. Prints a line: coordinates, operations of the
// rates, ns of an evaluation of ours, ns of each other, the largest difference of accelerations
// against the largest of them, and seconds that making and compiling the rates took.
#include "measure.h"

#include "dynamics/equations_types.h"
#include "dynamics/rates.h"
#include "program/native.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulate.h"
#include "simulate/simulation_impl.h"

#include <dlfcn.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

typedef int (*Other)(const double **arg, double **res, long long *iw, double *w, int mem);

enum { STATES = 16, OTHERS = 4, LOT = 64 };
// For so long each is measured, in lots; the least of them counts.
#define SECONDS 0.6

typedef struct {
    const Rates *rates;
    const ProgramNative *native;
    Other others[OTHERS];
    size_t other_count, n;
    double *in;  // STATES rows of t | q | q'
    double *out; // of the rates: q' | q'', or what is left to solve
    double *theirs;
} Work;

static void run_ours(const Work *work, const double *in)
{
    lapack_int s = (lapack_int)work->rates->unsolved;
    double *matrix = work->out + work->n, *right = matrix + s * s;
    program_native_run(work->native, 0, in, work->out);
    if (s > 0) {
        LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', s, 1, matrix, s, right, s);
        memmove(matrix, right, (size_t)s * sizeof *right);
    }
}

static void run_other(const Work *work, size_t which, const double *in)
{
    const double *arg[] = {in + 1, in + 1 + work->n};
    double *res[] = {work->theirs};
    work->others[which](arg, res, NULL, NULL, 0);
}

// A few states beside the present one.
static void make_states(Work *work, const State *state)
{
    size_t width = 1 + 2 * work->n;
    unsigned seed = 1;
    for (size_t i = 0; i < STATES; i++)
        for (size_t j = 0; j < work->n; j++) {
            double *row = work->in + i * width;
            seed = seed * 1664525u + 1013904223u;
            row[1 + j] = state->q[j] + (double)(seed >> 8) / (1 << 24) - 0.5;
            seed = seed * 1664525u + 1013904223u;
            row[1 + work->n + j] = state->v[j] + (double)(seed >> 8) / (1 << 24) - 0.5;
        }
}

static double difference(const Work *work)
{
    double worst = 0, largest = 0;
    for (size_t i = 0; i < STATES && work->other_count; i++) {
        const double *in = work->in + i * (1 + 2 * work->n);
        run_ours(work, in);
        run_other(work, 0, in);
        for (size_t j = 0; j < work->n; j++) {
            worst = fmax(worst, fabs(work->out[work->n + j] - work->theirs[j]));
            largest = fmax(largest, fabs(work->theirs[j]));
        }
    }
    return largest > 0 ? worst / largest : 0;
}

// The least seconds of an evaluation, ours first, in turn.
static void measure(const Work *work, double *least)
{
    size_t width = 1 + 2 * work->n;
    for (size_t k = 0; k <= work->other_count; k++)
        least[k] = INFINITY;
    for (double begin = measure_wall(); measure_wall() - begin < SECONDS;)
        for (size_t k = 0; k <= work->other_count; k++) {
            double start = measure_wall();
            for (size_t i = 0; i < LOT; i++) {
                const double *in = work->in + i % STATES * width;
                if (k == 0)
                    run_ours(work, in);
                else
                    run_other(work, k - 1, in);
            }
            least[k] = fmin(least[k], (measure_wall() - start) / LOT);
        }
}

static void compare(Work *work, const State *state, double making)
{
    double least[OTHERS + 1];
    work->in = base_alloc(STATES * (1 + 2 * work->n) * sizeof *work->in);
    work->out = base_alloc((program_outputs(work->rates->program.program) + 1) * sizeof *work->out);
    work->theirs = base_alloc((work->n + 1) * sizeof *work->theirs);
    make_states(work, state);
    double differs = difference(work);
    measure(work, least);
    printf("%zu %zu", work->n, program_operations(work->rates->program.program));
    for (size_t k = 0; k <= work->other_count; k++)
        printf(" %.1f", 1e9 * least[k]);
    printf(" %.1e %.3f\n", differs, making);
    base_free(work->in);
    base_free(work->out);
    base_free(work->theirs);
}

static void open_others(Work *work, char **paths, int count)
{
    for (int i = 0; i < count && i < OTHERS; i++) {
        void *library = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
        *(void **)&work->others[i] = library ? dlsym(library, "aba") : NULL;
        if (!work->others[i]) {
            fprintf(stderr, "accelerations: %s: %s\n", paths[i], dlerror());
            exit(2);
        }
        work->other_count++;
    }
}

int main(int count, char **words)
{
    if (count < 2) {
        fprintf(stderr, "accelerations MODEL.zw OTHER.so…\n");
        return 2;
    }
    char *text = measure_read(words[1]);
    Diag *diag = diag_new();
    Source *source = source_new(words[1], text, strlen(text));
    Model *model = NULL;
    Motion *motion = NULL;
    Simulation *run = NULL;
    RunOptions options = run_options();
    Rates rates = {0};
    Text why = {0};
    if (model_read(source, NULL, 0, diag, &model) != STATUS_OK ||
        motion_new(model, diag, &motion) != STATUS_OK ||
        run_new(motion, &options, diag, &run) != STATUS_OK) {
        fprintf(stderr, "accelerations: %s was refused\n", words[1]);
        return 1;
    }
    double start = measure_now();
    Work work = {.n = motion->n, .rates = &rates};
    if (rates_init(&rates, run->base->eq, run->base->state, motion))
        work.native = program_native_new((const Program *const *)&rates.program.program, 1,
                                         NATIVE_COMPILE, &why);
    if (!work.native) {
        fprintf(stderr, "accelerations: %s: no compiled rates: %s\n", words[1],
                why.at ? why.at : "not in one program");
        return 1;
    }
    open_others(&work, words + 2, count - 2);
    compare(&work, run->base->state, measure_now() - start);
    return 0;
}
