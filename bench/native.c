// native.c (bench): programs interpreted, compiled, and written by hand.
//
//     native MODEL.zw…
//
// All times are of the processor; microseconds are the least of several turns.
#include "expr/expr.h"
#include "measure.h"

#include "dynamics/equations_types.h"
#include "dynamics/rates.h"
#include "motion/motion.h"
#include "program/native.h"
#include "program/program.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulate.h"
#include "simulate/simulation_impl.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

enum { STATES = 8, WIDTH = STATES + 1, ORDER = 20, ROWS = ORDER + 1 };
#define MASS    2.0
#define RADIUS  0.35
#define GRAVITY 9.81

// Seconds that compilers have used so far.
static double compiling(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// Microseconds of one call, the least of many turns.
static double microseconds(void (*call)(void *context), void *context, int calls)
{
    double best = INFINITY;
    for (int turn = 0; turn < 40; turn++) {
        double start = measure_now();
        for (int i = 0; i < calls; i++)
            call(context);
        best = fmin(best, (measure_now() - start) / calls);
    }
    return 1e6 * best;
}

// ---- The hoop as expressions. State: x, y, θ, ψ, φ and the speeds θ', ψ', φ' (models/hoop.zw,
// the equations of Appell that stand there).

static Expr product(ExprPool *pool, Expr factor, Expr a, Expr b, Expr c)
{
    Expr factors[] = {factor, a, b, c};
    return expr_product(pool, factors, 4);
}

static Program *hoop_program(ExprPool *pool)
{
    static const char *names[] = {"t", "x", "y", "theta", "psi", "phi", "w1", "w2", "w3"};
    Expr in[WIDTH], one = expr_int(pool, 1), radius = expr_ratio(pool, 7, 20);
    for (size_t i = 0; i < WIDTH; i++)
        in[i] = expr_symbol(pool, names[i]);
    Expr sine = expr_call(pool, EXPR_SIN, in[4], (Expr){0});
    Expr cosine = expr_call(pool, EXPR_COS, in[4], (Expr){0});
    Expr ahead = expr_call(pool, EXPR_COS, in[3], (Expr){0});
    Expr aside = expr_call(pool, EXPR_SIN, in[3], (Expr){0});
    Expr w1 = in[6], w2 = in[7], w3 = in[8];
    // With A = mr²/2, C = mr²: cos ψ θ'' = 2·ψ'φ', 3/2·ψ'' = (g/r)·sin ψ + 3/2·sin ψ cos ψ θ'²
    // − 2·cos ψ φ'θ', φ'' = sin ψ θ'' + 3/2·cos ψ θ'ψ'.
    Expr a1 = expr_div(pool, product(pool, expr_int(pool, 2), w2, w3, one), cosine);
    Expr a2 =
        expr_sub(pool,
                 expr_add(pool, product(pool, expr_ratio(pool, 1962, 105), sine, one, one),
                          expr_mul(pool, expr_mul(pool, sine, cosine), expr_mul(pool, w1, w1))),
                 product(pool, expr_ratio(pool, 4, 3), cosine, w3, w1));
    Expr a3 = expr_add(pool, expr_mul(pool, sine, a1),
                       product(pool, expr_ratio(pool, 3, 2), cosine, w1, w2));
    Expr out[STATES] = {product(pool, radius, ahead, w3, one),
                        product(pool, radius, aside, w3, one),
                        w1,
                        w2,
                        w3,
                        a1,
                        a2,
                        a3};
    return program_new(pool, in, WIDTH, out, STATES, NULL);
}

// ---- The same in C, as one writes it.

static void hoop_by_hand(const double *in, double *out)
{
    double sine = sin(in[4]), cosine = cos(in[4]), w1 = in[6], w2 = in[7], w3 = in[8];
    out[0] = RADIUS * cos(in[3]) * w3;
    out[1] = RADIUS * sin(in[3]) * w3;
    out[2] = w1;
    out[3] = w2;
    out[4] = w3;
    out[5] = 2 * w2 * w3 / cosine;
    out[6] = GRAVITY / RADIUS / 1.5 * sine + sine * cosine * w1 * w1 - 2 / 1.5 * cosine * w3 * w1;
    out[7] = sine * out[5] + 1.5 * cosine * w1 * w2;
}

// Σ a_i·b_{k−i} from i = first.
static double sum(const double *a, const double *b, int first, int k)
{
    double even = 0, odd = 0;
    int i = first;
    for (; i < k; i += 2) {
        even += a[i] * b[k - i];
        odd += a[i + 1] * b[k - i - 1];
    }
    return i == k ? even + odd + a[i] * b[k - i] : even + odd;
}

static void wave_by_hand(const double *a, double *slope, double *s, double *c, int k)
{
    slope[k] = k * a[k];
    s[k] = k == 0 ? sin(a[0]) : sum(slope, c, 1, k) / k;
    c[k] = k == 0 ? cos(a[0]) : -sum(slope, s, 1, k) / k;
}

// y[i][k], from y[i][0].
static void expand_by_hand(double y[STATES][ROWS])
{
    double e[2][ROWS], s[ROWS], c[ROWS], aside[ROWS], ahead[ROWS], w12[ROWS], w13[ROWS], w11[ROWS];
    double sc[ROWS], a1[ROWS];
    const double *w1 = y[5], *w2 = y[6], *w3 = y[7];
    for (int k = 0; k < ORDER; k++) {
        wave_by_hand(y[3], e[0], s, c, k);
        wave_by_hand(y[2], e[1], aside, ahead, k);
        w12[k] = sum(w1, w2, 0, k);
        w13[k] = sum(w1, w3, 0, k);
        w11[k] = sum(w1, w1, 0, k);
        sc[k] = sum(s, c, 0, k);
        a1[k] = (2 * sum(w2, w3, 0, k) - sum(c, a1, 1, k)) / c[0];
        double a2 =
            GRAVITY / RADIUS / 1.5 * s[k] + sum(sc, w11, 0, k) - 2 / 1.5 * sum(c, w13, 0, k);
        double a3 = sum(s, a1, 0, k) + 1.5 * sum(c, w12, 0, k);
        const double rates[STATES] = {RADIUS * sum(ahead, w3, 0, k),
                                      RADIUS * sum(aside, w3, 0, k),
                                      w1[k],
                                      w2[k],
                                      w3[k],
                                      a1[k],
                                      a2,
                                      a3};
        for (int i = 0; i < STATES; i++)
            y[i][k + 1] = rates[i] / (k + 1);
    }
}

// ---- Measuring the hoop.

typedef struct {
    Program *program;
    ProgramNative *native;
    ProgramFlow *flow;
    ProgramSeries *series;
    double *work, *table;
    double in[WIDTH], out[STATES], by_hand[STATES][ROWS];
} Hoop;

static void call_interpreted(void *context)
{
    Hoop *hoop = context;
    program_run_real(hoop->program, hoop->in, hoop->out, hoop->work);
}

static void call_native(void *context)
{
    Hoop *hoop = context;
    program_native_run(hoop->native, 0, hoop->in, hoop->out);
}

static void call_hand(void *context)
{
    Hoop *hoop = context;
    hoop_by_hand(hoop->in, hoop->out);
}

static void expand_interpreted(void *context)
{
    Hoop *hoop = context;
    double *row = hoop->table;
    memcpy(row, hoop->in, sizeof hoop->in);
    for (size_t k = 0; k < ORDER; k++, row += WIDTH) {
        program_series_next(hoop->series, k, row, hoop->out);
        row[WIDTH] = k == 0;
        for (size_t i = 0; i < STATES; i++)
            row[WIDTH + 1 + i] = hoop->out[i] / (double)(k + 1);
    }
}

static void expand_native(void *context)
{
    Hoop *hoop = context;
    memcpy(hoop->table, hoop->in, sizeof hoop->in);
    program_flow_begin(hoop->flow, hoop->in, hoop->out);
    program_flow_run(hoop->flow, ORDER, 1, hoop->table);
}

static void expand_hand(void *context)
{
    Hoop *hoop = context;
    for (size_t i = 0; i < STATES; i++)
        hoop->by_hand[i][0] = hoop->in[1 + i];
    expand_by_hand(hoop->by_hand);
}

// The largest difference between the last two expansions, against the size of each coefficient.
static double difference(const Hoop *hoop)
{
    double worst = 0;
    for (size_t k = 0; k <= ORDER; k++)
        for (size_t i = 0; i < STATES; i++) {
            double value = hoop->by_hand[i][k], other = hoop->table[k * WIDTH + 1 + i];
            worst = fmax(worst, fabs(value - other) / fmax(1, fabs(value)));
        }
    return worst;
}

static void row(const char *what, double interpreted, double native, double hand)
{
    printf("| %s | %.3f | %.3f | %.3f | %.1f | %.2f |\n", what, interpreted, native, hand,
           interpreted / native, native / hand);
}

static bool measure_hoop(void)
{
    ExprPool *pool = expr_pool_new();
    Hoop hoop = {.program = hoop_program(pool), .in = {0, 0, 0, 0, 0.2, 0, 0.3, 0.1, 6}};
    int rates[WIDTH] = {PROGRAM_RATE_ONE, 0, 1, 2, 3, 4, 5, 6, 7};
    Text why = {0};
    double start = compiling();
    hoop.native =
        program_native_new((const Program *const *)&hoop.program, 1, NATIVE_COMPILE, &why);
    double real_seconds = compiling() - start;
    start = compiling();
    hoop.flow = program_flow_new(hoop.program, rates, ORDER);
    bool done = hoop.native && program_flow_compile(hoop.flow, NATIVE_COMPILE, &why);
    double flow_seconds = compiling() - start;
    if (done) {
        hoop.series = program_series_new(hoop.program, 0, ORDER);
        hoop.work = base_alloc((program_registers(hoop.program) + 1) * sizeof(double));
        hoop.table = base_alloc(program_flow_rows(ORDER) * WIDTH * sizeof(double));
        puts("| hoop | interpreted µs | native µs | by hand µs | native gains | native/by hand |\n"
             "| :--- | ---: | ---: | ---: | ---: | ---: |");
        row("rates", microseconds(call_interpreted, &hoop, 10000),
            microseconds(call_native, &hoop, 10000), microseconds(call_hand, &hoop, 10000));
        row("series of order 20", microseconds(expand_interpreted, &hoop, 500),
            microseconds(expand_native, &hoop, 500), microseconds(expand_hand, &hoop, 500));
        expand_native(&hoop);
        printf("\n%zu operations; compiled in %.2f s and %.2f s; the series differ by %.0e.\n",
               program_operations(hoop.program), real_seconds, flow_seconds, difference(&hoop));
    } else {
        fprintf(stderr, "native: %s\n", why.at);
    }
    program_series_free(hoop.series);
    program_flow_free(hoop.flow);
    program_native_free(hoop.native);
    program_free(hoop.program);
    base_free(hoop.work);
    base_free(hoop.table);
    expr_pool_free(pool);
    text_clear(&why);
    return done;
}

// ---- That the hoop written by hand is the hoop of the gallery.

static void check_hoop(const Equations *eq, State *state, Motion *motion)
{
    Rates rates = {0};
    double in[WIDTH] = {0, 0.1, 0.2, 0.3, 0.2, 0.4, 0.3, 0.1, 6}, by_hand[STATES], worst = 0;
    if (motion->n != 5 || !rates_init(&rates, eq, state, motion))
        return;
    hoop_by_hand(in, by_hand);
    evaluator_run(&rates.program, in);
    for (size_t i = 0; i < STATES; i++)
        worst = fmax(worst, fabs(rates.program.out[i] - by_hand[i]));
    fprintf(stderr, "native: the hoop by hand differs from models/hoop.zw by %.0e\n", worst);
    rates_clear(&rates);
}

// ---- Gallery models: velocities and forces, as every evaluation of a run needs them.

static void call_lowered(void *context)
{
    State *state = context;
    evaluator_run(&state->velocities, state->inputs);
    evaluator_run(&state->forces, state->inputs);
}

static void measure_state(const char *name, State *state)
{
    const Program *programs[] = {state->velocities.program, state->forces.program};
    Text why = {0};
    double interpreted = microseconds(call_lowered, state, 200), start = compiling();
    ProgramNative *native = program_native_new(programs, 2, NATIVE_COMPILE, &why);
    double seconds = compiling() - start;
    state->velocities.native = state->forces.native = native;
    state->forces.which = 1;
    double compiled = microseconds(call_lowered, state, 200);
    printf("| %s | %zu | %.3f | %.3f | %.1f | %.2f |\n", name,
           program_operations(programs[0]) + program_operations(programs[1]), interpreted, compiled,
           interpreted / compiled, seconds);
    state->velocities.native = state->forces.native = NULL;
    program_native_free(native);
    text_clear(&why);
}

static void measure_model(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "native: cannot open %s\n", path);
        exit(2);
    }
    size_t length = fread(text, 1, sizeof text, file);
    fclose(file);
    Source *source = source_new(path, text, length);
    Diag *diag = diag_new();
    Model *model = NULL;
    Motion *motion = NULL;
    Simulation *run = NULL;
    RunOptions options = run_options();
    if (model_read(source, NULL, 0, diag, &model) == STATUS_OK &&
        motion_new(model, diag, &motion) == STATUS_OK &&
        run_new(motion, &options, diag, &run) == STATUS_OK) {
        measure_state(model->name, run->base->state);
        if (strcmp(model->name, "hoop") == 0)
            check_hoop(run->base->eq, run->base->state, motion);
    }
    run_free(run);
    motion_free(motion);
    model_free(model);
    diag_free(diag);
    source_free(source);
}

int main(int count, char **words)
{
    if (!measure_hoop())
        return 1;
    puts("\n| model | operations | interpreted µs | native µs | native gains | compiled in s |\n"
         "| :--- | ---: | ---: | ---: | ---: | ---: |");
    for (int i = 1; i < count; i++)
        measure_model(words[i]);
    return 0;
}
