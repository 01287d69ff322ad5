// flow_native.c: the power series of y' = f(y), interpreted or compiled.
#include "base/strings.h"
#include "program/native_impl.h"
#include "program/series_impl.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Beyond so many operations a compiler takes longer (a minute) than most runs do.
enum { MOST_OPERATIONS = 50000 };

// Numbers in a line of the cache. Vectors that lie across two lines take longer: how many do so is
// not left to where memory happens to be.
enum { LINE = 8 };

typedef void (*BeginFn)(const double *y, double *work, double *out);
typedef int (*RestFn)(double *y, long order, double *work);
typedef void (*SumFn)(const double *y, long order, double s, double *sum, double *slope);

struct ProgramFlow {
    const Program *program;
    ProgramSeries *series; // interpreted
    int *rates;
    size_t most_order;
    // Compiled; NULL: interpreted.
    NativeCode *code;
    BeginFn begin;
    RestFn rest;
    SumFn sum;
    double *work, *room; // a line of the cache begins at the first number of work, within room
    size_t constants;    // where those of the program stand in it
};

// POSIX: a function's address fits.
static bool find_function(const NativeCode *code, const char *name, const char *end, void *function)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s%s", name, end);
    void *symbol = native_code_symbol(code, whole);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

ProgramFlow *program_flow_new(const Program *program, const int *rates, size_t most_order)
{
    size_t count = program_inputs(program);
    ProgramFlow *flow = base_alloc(sizeof *flow);
    flow->program = program;
    flow->most_order = most_order;
    flow->rates = base_alloc((count + 1) * sizeof *flow->rates);
    memcpy(flow->rates, rates, count * sizeof *rates);
    flow->series = series_new(program, flow->rates, most_order, true);
    return flow;
}

static void forget_code(ProgramFlow *flow)
{
    native_code_free(flow->code);
    base_free(flow->room);
    flow->code = NULL;
    flow->work = flow->room = NULL;
}

static const char name[] = "zwang_flow";

// Whether it can be compiled at all.
static bool can_compile(const ProgramFlow *flow, Text *why)
{
    size_t operations = program_operations(flow->program);
    if (program_has_switches(flow->program))
        text_add(why, "power series with abs, sign, min or max are not compiled");
    else if (operations > MOST_OPERATIONS)
        text_addf(why, "the power series of %zu operations would take too long to compile",
                  operations);
    else
        return true;
    return false;
}

// The work of a series is that of a few programs.
static NativeKind kind_of(const ProgramFlow *flow)
{
    return program_operations(flow->program) > NATIVE_LONG / 4 ? NATIVE_SERIES_LONG : NATIVE_FAST;
}

bool program_flow_start(const ProgramFlow *flow, NativeJobs *jobs)
{
    Text source = {0}, why = {0};
    bool started = true;
    if (!flow->code && can_compile(flow, &why)) {
        size_t constants;
        program_print_c_flow(flow->program, flow->rates, flow->most_order, name, &constants,
                             &source);
        started = compiler_goes_on() && native_jobs_add(jobs, source.at, kind_of(flow));
    }
    text_clear(&source);
    text_clear(&why);
    return started;
}

static void put_constants(const ProgramFlow *flow)
{
    memcpy(flow->work + flow->constants, flow->program->real,
           flow->program->constant_count * sizeof *flow->work);
}

bool program_flow_compile(ProgramFlow *flow, NativeHow how, Text *why)
{
    if (flow->code || !can_compile(flow, why))
        return flow->code;
    Text source = {0};
    size_t room = program_print_c_flow(flow->program, flow->rates, flow->most_order, name,
                                       &flow->constants, &source);
    if (compiler_goes_on())
        flow->code = native_code_new(source.at, kind_of(flow), how, why);
    text_clear(&source);
    if (!flow->code)
        return false;
    flow->room = base_alloc((room + LINE) * sizeof *flow->room);
    flow->work = flow->room + (LINE - (uintptr_t)flow->room / sizeof(double) % LINE) % LINE;
    put_constants(flow);
    if (find_function(flow->code, name, "_begin", &flow->begin) &&
        find_function(flow->code, name, "", &flow->rest) &&
        find_function(flow->code, name, "_sum", &flow->sum))
        return true;
    text_add(why, "the compiled program lacks a function");
    forget_code(flow);
    return false;
}

void program_flow_renew(ProgramFlow *flow)
{
    if (flow->code)
        put_constants(flow);
}

void program_flow_free(ProgramFlow *flow)
{
    if (!flow)
        return;
    forget_code(flow);
    program_series_free(flow->series);
    base_free(flow->rates);
    base_free(flow);
}

void program_flow_begin(ProgramFlow *flow, const double *inputs, double *outputs)
{
    if (flow->code)
        flow->begin(inputs, flow->work, outputs);
    else
        program_series_next(flow->series, 0, inputs, outputs);
}

// Row k + 1 of the table from the rates of order k, by the interpreter; whether it is finite.
static bool put_row(const ProgramFlow *flow, size_t k, double unit, double *row)
{
    size_t count = program_flow_width(flow->rates, program_inputs(flow->program));
    double inverse = unit / (double)(k + 1), check = 0;
    for (size_t i = 0; i < count; i++) {
        int rate = flow->rates[i];
        row[i] = rate >= 0 ? series_output(flow->series, (size_t)rate) * inverse : 0;
        if (rate == PROGRAM_RATE_ONE && k == 0)
            row[i] = unit;
        check += row[i] * 0;
    }
    return check == 0;
}

static size_t interpret(ProgramFlow *flow, size_t order, double unit, double *table)
{
    size_t count = program_flow_width(flow->rates, program_inputs(flow->program)), k = 0;
    while (k < order && put_row(flow, k, unit, table + (k + 1) * count)) {
        if (++k < order)
            series_next(flow->series, k, table + k * count);
    }
    return k;
}

size_t program_flow_run(ProgramFlow *flow, size_t order, double unit, double *table)
{
    assert(order > 0 && order <= flow->most_order);
    if (flow->code && unit == 1 && flow->rest(table, (long)order, flow->work) != 0)
        return order;
    // What is no number is left to the interpreter, which looks at what rests.
    if (flow->code || unit != 1)
        series_next(flow->series, 0, table);
    return interpret(flow, order, unit, table);
}

size_t program_flow_summed(const int *rates, size_t count)
{
    return count > FLOW_BLOCK && count % FLOW_BLOCK == 1 && rates[0] == PROGRAM_RATE_ONE;
}

void program_flow_sum(const ProgramFlow *flow, const double *table, size_t order, double s,
                      double *sums, double *slopes)
{
    size_t width = program_flow_width(flow->rates, program_inputs(flow->program));
    if (flow->code)
        flow->sum(table, (long)order, s, sums, slopes);
    else
        series_kernels()->sum(table, width, program_flow_summed(flow->rates, width), order, s, sums,
                              slopes);
}

void program_bends(const double *table, size_t width, size_t count, size_t order, double s,
                   double *most)
{
    assert(count <= width);
    series_kernels()->bends(table, width, count, order, s, most);
}
