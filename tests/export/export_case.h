// export_case.h: a model, its exported C loaded into the test, and what the program finds at the
// same states.
#ifndef ZWANG_TESTS_EXPORT_CASE_H
#define ZWANG_TESTS_EXPORT_CASE_H

#include "program/program.h"
#include "support.h"

#include "dynamics/dynamics.h"
#include "dynamics/hidden/hidden_conditions.h"
#include "dynamics/rates.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"

#include "export/export.h"

#include <dlfcn.h>
#include <flint/flint.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { STATES = 4 };

// Where exported texts are put; each program has its own.
static char folder[] = "/tmp/zwang-export-XXXXXX";

typedef struct {
    const char *name;
    Source *source;
    Diag *diag;
    Model *model;
    Motion *motion;
    Simulation *run;
    bool whole;  // exported with all velocities in the state
    bool fixed;  // and with numbers in the place of parameters
    Rates rates; // as a run has them
    bool has_rates;
    Random random;
    size_t n, k, m;
    double t, *y;              // a state
    double *rate, *a, *lambda; // what the program finds there
    double *start;             // the state that it starts from
} Case;

static inline double *room_for(size_t count)
{
    return base_alloc((count + 1) * sizeof(double));
}

// ---- The program's side.

static inline void make_room(Case *kase)
{
    const Equations *eq = kase->run->base->eq;
    const State *state = kase->run->base->state;
    size_t n = kase->n = eq->n, k = kase->k = kase->whole ? n : eq->k;
    kase->m = kase->motion->in_force_count;
    kase->y = room_for(n + k);
    kase->rate = room_for(n + k);
    kase->a = room_for(n);
    kase->lambda = room_for(kase->m);
    kase->start = room_for(n + k);
    memcpy(kase->start, state->q, n * sizeof(double));
    if (kase->whole)
        memcpy(kase->start + n, state->v, n * sizeof(double));
    else
        dynamics_speeds(eq, state, kase->start + n);
}

// A model that can be run. The case keeps the text.
static inline void case_init(Case *kase, const char *name, const char *text, bool whole)
{
    *kase = (Case){.name = name, .diag = diag_new(), .random = random_seed(7), .whole = whole};
    kase->source = source_new(name, text, strlen(text));
    RunOptions options = run_options();
    if (model_read(kase->source, NULL, 0, kase->diag, &kase->model) != STATUS_OK ||
        hidden_motion_new(kase->model, false, kase->diag, &kase->motion) != STATUS_OK ||
        run_new(kase->motion, &options, kase->diag, &kase->run) != STATUS_OK) {
        print_message("%s\n", name);
        print_messages(kase->diag);
        fail();
    }
    make_room(kase);
    kase->has_rates =
        !whole && kase->motion->second_count == 0 &&
        rates_init(&kase->rates, kase->run->base->eq, kase->run->base->state, kase->motion) &&
        kase->rates.unsolved == 0;
}

static inline void case_clear(Case *kase)
{
    rates_clear(&kase->rates);
    run_free(kase->run);
    motion_free(kase->motion);
    model_free(kase->model);
    source_free(kase->source);
    diag_free(kase->diag);
    double *rooms[] = {kase->y, kase->rate, kase->a, kase->lambda, kase->start};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        base_free(rooms[i]);
}

static inline double around(Random *random, double value, double size)
{
    return value + size * (2 * ldexp((double)(random_next(random) >> 11), -53) - 1);
}

static inline void draw_state(Case *kase, double t)
{
    kase->t = t;
    for (size_t i = 0; i < kase->n + kase->k; i++)
        kase->y[i] = around(&kase->random, kase->start[i], i < kase->n ? 0.05 : 0.1);
}

// By the program that a run evaluates, where there is one.
static inline void run_rates(const Case *kase, double t, double *rate)
{
    size_t n = kase->n, k = kase->k;
    double *inputs = room_for(1 + n + k),
           *work = room_for(program_registers(kase->rates.program.program));
    inputs[0] = t;
    memcpy(inputs + 1, kase->y, (n + k) * sizeof *inputs);
    program_run_real(kase->rates.program.program, inputs, rate, work);
    base_free(inputs);
    base_free(work);
}

// How far roundings scatter its values, where a sum is far smaller than its terms: second
// differences over so little time that those of the rates themselves are below it.
static inline double scatter(const Case *kase)
{
    enum { SAMPLES = 16 };
    size_t size = kase->n + kase->k;
    double step = ldexp(1 + fabs(kase->t), -32), most = 0;
    double *rates = room_for(SAMPLES * size);
    for (int s = 0; s < SAMPLES && kase->has_rates; s++)
        run_rates(kase, kase->t + (s - SAMPLES / 2) * step, rates + (size_t)s * size);
    for (size_t i = size; i + size < SAMPLES * size && kase->has_rates; i++)
        most = fmax(most, fabs(rates[i - size] - 2 * rates[i] + rates[i + size]));
    base_free(rates);
    return most;
}

// The velocities at the state; of whole ones those that are given.
static inline void find_velocities(Case *kase)
{
    const Equations *eq = kase->run->base->eq;
    State *state = kase->run->base->state;
    double *u = room_for(kase->n);
    memcpy(u, kase->y + kase->n, kase->k * sizeof *u);
    if (kase->whole && !eq->nonlinear) {
        // The rows do not depend on velocities: any speeds evaluate them.
        memset(u, 0, kase->n * sizeof *u);
        assert_int_equal(dynamics_velocities(eq, state, kase->t, kase->y, u), DYNAMICS_FOUND);
        memcpy(state->v, kase->y + kase->n, kase->n * sizeof *u);
    } else {
        assert_int_equal(dynamics_velocities(eq, state, kase->t, kase->y, u), DYNAMICS_FOUND);
    }
    base_free(u);
}

// What the program finds at the state.
static inline void find_motion(Case *kase)
{
    const Equations *eq = kase->run->base->eq;
    State *state = kase->run->base->state;
    const Motion *motion = kase->motion;
    size_t n = kase->n;
    double *rates = room_for(n);
    find_velocities(kase);
    memcpy(kase->rate, state->v, n * sizeof(double));
    assert_int_equal(dynamics_accelerations(eq, state, rates), DYNAMICS_FOUND);
    memcpy(kase->a, state->a, n * sizeof(double));
    memcpy(kase->rate + n, kase->whole ? kase->a : rates, kase->k * sizeof(double));
    base_free(rates);
    if (kase->has_rates)
        run_rates(kase, kase->t, kase->rate);
    // Once more for how reactions are shared out.
    assert_int_equal(dynamics_accelerations(eq, state, NULL), DYNAMICS_FOUND);
    for (size_t i = 0; i < kase->m; i++)
        kase->lambda[i] = state->multipliers[motion->in_force[i] - motion->model->constraints.at];
}

// ---- Files and commands.

static inline void run_command(const char *format, ...) BASE_PRINTF(1, 2);
static inline void run_command(const char *format, ...)
{
    Text command = {0};
    va_list arguments;
    va_start(arguments, format);
    text_addv(&command, format, arguments);
    va_end(arguments);
    if (system(command.at) != 0) {
        print_message("this fails: %s\n", command.at);
        fail();
    }
    text_clear(&command);
}

// The command does its work here.
static inline bool is_there(const char *command)
{
    Text quiet = {0};
    text_addf(&quiet, "%s >/dev/null 2>&1", command);
    bool there = system(quiet.at) == 0;
    text_clear(&quiet);
    return there;
}

// The same, said where it is not so: `make test` lists what was skipped.
static inline bool is_found(const char *command, const char *name)
{
    bool there = is_there(command);
    if (!there)
        print_message("skipped: no %s\n", name);
    return there;
}

static inline void write_export(Case *kase, ExportTarget target, const char *file)
{
    ExportOrigin origin = {.file = kase->name,
                           .text = {kase->source->at, kase->source->length},
                           .version = "test",
                           .whole = kase->whole,
                           .fixed = kase->fixed,
                           .smooth = true,
                           .equations = "none */ \\ ?"
                                        "?/ here\n"};
    Text source = {0}, header = {0}, path = {0};
    Status status =
        export_write(target, kase->run, kase->motion, &origin, kase->diag, &source, &header);
    if (status != STATUS_OK)
        print_messages(kase->diag);
    assert_int_equal(status, STATUS_OK);
    text_addf(&path, "%s/%s", folder, file);
    FILE *out = fopen(path.at, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(source.at, 1, source.length, out), source.length);
    fclose(out);
    text_clear(&source);
    text_clear(&header);
    text_clear(&path);
}

// ---- Exported C.

#define WARNINGS "-std=c99 -Wall -Wextra -pedantic -Werror"

// States and instants are plain rows of doubles; parameters are whatever they are.
typedef struct {
    void *library;
    const char *system;
    double *p, *rate, *jacobian, *instant, *miss, *slope, *sides, *inertia;
    void (*derivative)(const void *p, double t, const double *y, double *rate);
    void (*jacobian_of)(const void *p, double t, const double *y, double *jacobian);
    void (*at)(const void *p, double t, const double *y, double *instant);
    // NULL where there is nothing of the kind.
    void (*drift)(const void *p, double t, const double *y, double *miss, double *slope);
    int (*project)(const void *p, double t, double *y);
    void (*sides_of)(const void *p, double t, const double *y, double *sides, double *inertia);
} Code;

static inline void *symbol(const Code *code, const char *name)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s_%s", code->system, name);
    return dlsym(code->library, whole);
}

// Compiles what was written as code.c. A test that fails leaves its library loaded: each has a name
// of its own.
static inline void code_load(Code *code, const Case *kase, const char *system)
{
    static int libraries;
    char path[64];
    snprintf(path, sizeof path, "%s/code_%d.so", folder, libraries++);
    run_command("cc %s -O0 -ffp-contract=off -shared -fPIC -o %s %s/code.c -lm", WARNINGS, path,
                folder);
    *code = (Code){.library = dlopen(path, RTLD_NOW | RTLD_LOCAL), .system = system};
    assert_non_null(code->library);
    void (*defaults)(void *) = NULL;
    *(void **)&defaults = symbol(code, "defaults");
    *(void **)&code->derivative = symbol(code, "derivative");
    *(void **)&code->jacobian_of = symbol(code, "jacobian");
    *(void **)&code->at = symbol(code, "at");
    *(void **)&code->drift = symbol(code, "drift");
    *(void **)&code->project = symbol(code, "project");
    *(void **)&code->sides_of = symbol(code, "sides");
    assert_true(defaults && code->derivative && code->jacobian_of && code->at);
    size_t size = kase->n + kase->k, most = 100000;
    code->p = room_for(most);
    code->rate = room_for(size);
    code->jacobian = room_for(size * size);
    code->instant = room_for(most);
    code->miss = room_for(size);
    code->slope = room_for(size * size);
    code->sides = room_for(most);
    code->inertia = room_for(most);
    defaults(code->p);
}

static inline void code_clear(Code *code)
{
    double *rooms[] = {code->p,    code->rate,  code->jacobian, code->instant,
                       code->miss, code->slope, code->sides,    code->inertia};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        base_free(rooms[i]);
    dlclose(code->library);
}

static inline double largest(const double *values, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

static inline void assert_within(const Case *kase, const char *what, const double *found,
                                 const double *expected, size_t count, double allowed)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs(found[i] - expected[i]) <= allowed)) {
            print_message("%s: %s %zu is %.17g, not %.17g (within %.3g)\n", kase->name, what, i,
                          found[i], expected[i], allowed);
            fail();
        }
}

// What rounding the state to doubles does to its rate.
static inline double rounding(const Case *kase, const double *jacobian)
{
    size_t size = kase->n + kase->k;
    double most = 0;
    for (size_t i = 0; i < size; i++) {
        double sum = 0;
        for (size_t j = 0; j < size; j++)
            sum += fabs(jacobian[i * size + j] * kase->y[j]);
        most = fmax(most, sum);
    }
    return DBL_EPSILON * most;
}

// The Jacobian against differences of the derivative, whose error is of the fourth order.
static inline void check_jacobian(const Case *kase, const Code *code)
{
    size_t size = kase->n + kase->k;
    double *at = room_for(size), *rates = room_for(4 * size), h = 1e-4;
    double most = largest(code->jacobian, size * size);
    for (size_t j = 0; j < size; j++) {
        static const double steps[] = {-2, -1, 1, 2};
        for (size_t s = 0; s < 4; s++) {
            memcpy(at, kase->y, size * sizeof *at);
            at[j] += steps[s] * h;
            code->derivative(code->p, kase->t, at, rates + s * size);
        }
        for (size_t i = 0; i < size; i++) {
            double slope =
                (rates[i] - 8 * rates[size + i] + 8 * rates[2 * size + i] - rates[3 * size + i]) /
                (12 * h);
            double found = code->jacobian[i * size + j];
            if (!(fabs(slope - found) <= 1e-6 * (1 + most))) {
                print_message("%s: the Jacobian's [%zu][%zu] is %.17g, not about %.17g\n",
                              kase->name, i, j, found, slope);
                fail();
            }
        }
    }
    base_free(at);
    base_free(rates);
}

// Derivative, accelerations, multipliers at the state.
static inline void check_motion(Case *kase, Code *code)
{
    size_t n = kase->n, k = kase->k, m = kase->m;
    find_motion(kase);
    code->derivative(code->p, kase->t, kase->y, code->rate);
    code->jacobian_of(code->p, kase->t, kase->y, code->jacobian);
    // By linear algebra the program itself has fewer digits.
    double within = (kase->has_rates ? 1e-14 : 2e-13) * largest(kase->rate, n + k) +
                    4 * rounding(kase, code->jacobian) + scatter(kase);
    assert_within(kase, "velocity", code->rate, kase->rate, n, within);
    assert_within(kase, "rate", code->rate + n, kase->rate + n, k, within);
    code->at(code->p, kase->t, kase->y, code->instant);
    double size = largest(kase->a, n);
    assert_within(kase, "acceleration", code->instant + n, kase->a, n, 1e-12 * size + within);
    // Multipliers that vanish have no size of their own.
    assert_within(kase, "multiplier", code->instant + 2 * n, kase->lambda, m,
                  1e-10 * (size + largest(kase->lambda, m)));
}

// Moves the state onto the conditions, which then hold.
static inline void check_projection(Case *kase, Code *code)
{
    size_t count = 0;
    if (!code->project)
        return;
    assert_true(code->project(code->p, kase->t, kase->y));
    code->drift(code->p, kase->t, kase->y, code->miss, code->slope);
    for (size_t i = 0; i < kase->run->base->eq->independent.count; i++) {
        const MotionRow *row = &kase->motion->rows[kase->run->base->eq->independent.rows[i]];
        count += !expr_is_none(row->position);
        count += kase->whole || kase->run->base->eq->nonlinear;
    }
    double none[64] = {0};
    assert_in_range(count, 1, 64);
    assert_within(kase, "what the projected state misses:", code->miss, none, count,
                  1e-13 * (1 + largest(kase->y, kase->n + kase->k)));
}

// Whether the pushes of one-sided conditions are told apart from their rows.
static inline bool is_parted(const Case *kase)
{
    return kase->whole || kase->run->base->eq->nonlinear || kase->motion->servos ||
           kase->motion->second_count > 0;
}

// Appends to values.txt what C has found, for the other languages: which model; the sizes; t, y,
// the rate, the Jacobian by rows, accelerations, multipliers, what drifts, and of every one-sided
// condition f, f', f''.
static inline void keep_values(const Case *kase, const Code *code, size_t number)
{
    char path[64];
    size_t size = kase->n + kase->k, sides = kase->motion->side_count, drifts = 0;
    for (size_t i = 0; i < kase->run->base->eq->independent.count; i++) {
        const MotionRow *row = &kase->motion->rows[kase->run->base->eq->independent.rows[i]];
        drifts += !expr_is_none(row->position);
        drifts += kase->whole || kase->run->base->eq->nonlinear;
    }
    size_t pushes = kase->k + (kase->whole ? kase->run->base->eq->independent.count : 0);
    bool parted = is_parted(kase);
    size_t width = 3 + kase->k + (parted ? pushes : 0);
    if (sides)
        code->sides_of(code->p, kase->t, kase->y, code->sides, code->inertia);
    snprintf(path, sizeof path, "%s/values.txt", folder);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fprintf(file, "%zu %zu %zu %zu %zu %zu %.17g", number, size, kase->n, kase->m, drifts, sides,
            kase->t);
    if (code->drift)
        code->drift(code->p, kase->t, kase->y, code->miss, code->slope);
    const double *parts[] = {kase->y, code->rate, code->jacobian, code->instant + kase->n,
                             code->miss};
    const size_t counts[] = {size, size, size * size, kase->n + kase->m, drifts};
    for (size_t part = 0; part < 5; part++)
        for (size_t i = 0; i < counts[part]; i++)
            fprintf(file, " %.17g", parts[part][i]);
    for (size_t i = 0; i < sides; i++)
        for (size_t part = 0; part < 3; part++)
            fprintf(file, " %.17g", code->sides[i * width + part]);
    fprintf(file, "\n");
    fclose(file);
}

// ---- The other languages, against C; skipped where they are not to be had.

static inline void compare_python(int least)
{
    const char *python = "python3";
    if (!is_there("python3 -c 'import numpy'"))
        python = "/usr/bin/python3";
    Text numpy = {0};
    text_addf(&numpy, "%s -c 'import numpy'", python);
    bool there = is_found(numpy.at, "NumPy");
    text_clear(&numpy);
    if (!there)
        skip();
    run_command("cd %s && %s -W error %s/tests/export/compare.py %d", folder, python,
                ZWANG_SOURCE_DIR, least);
}

// Octave may complain while it goes.
static inline void compare_matlab(int least)
{
    if (!is_found("octave-cli --version", "Octave"))
        skip();
    run_command("cd %s && rm -f compared && octave-cli --norc %s/tests/export/compare.m %d 2>&1 | "
                "grep -v '^error: ignoring'; test -e %s/compared",
                folder, ZWANG_SOURCE_DIR, least, folder);
}

static inline int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    run_command("rm -rf %s", folder);
    flint_cleanup();
    return 0;
}

#endif
