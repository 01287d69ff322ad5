// flow_native.c: the compiled power series of y' = f(y).
#include "base/strings.h"
#include "program/native.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// Beyond so many operations a compiler takes longer (several seconds) than most runs do.
enum { MOST_OPERATIONS = 5000 };

typedef void (*BeginFn)(const double *y, double *work, double *out);
typedef int (*RestFn)(double *y, long order, double *work);
typedef void (*SumFn)(const double *y, long order, double s, double *sum, double *slope);

struct ProgramFlow {
    NativeCode *code;
    BeginFn begin;
    RestFn rest;
    SumFn sum;
    size_t most_order;
    double *work;
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

ProgramFlow *program_flow_new(const Program *program, const int *rates, size_t most_order,
                              Text *why)
{
    static const char name[] = "zwang_flow";
    if (program_has_switches(program)) {
        text_add(why, "power series with abs, sign, min or max are not compiled");
        return NULL;
    }
    if (program_operations(program) > MOST_OPERATIONS) {
        text_addf(why, "the power series of %zu operations would take too long to compile",
                  program_operations(program));
        return NULL;
    }
    Text source = {0};
    size_t room = program_print_c_flow(program, rates, most_order, name, &source);
    NativeCode *code = native_code_new(source.at, NATIVE_FAST, why);
    text_clear(&source);
    if (!code)
        return NULL;
    ProgramFlow *flow = base_alloc(sizeof *flow);
    flow->code = code;
    flow->most_order = most_order;
    flow->work = base_alloc(room * sizeof *flow->work);
    if (find_function(code, name, "_begin", &flow->begin) &&
        find_function(code, name, "", &flow->rest) && find_function(code, name, "_sum", &flow->sum))
        return flow;
    text_add(why, "the compiled program lacks a function");
    program_flow_free(flow);
    return NULL;
}

void program_flow_free(ProgramFlow *flow)
{
    if (!flow)
        return;
    native_code_free(flow->code);
    base_free(flow->work);
    base_free(flow);
}

void program_flow_begin(ProgramFlow *flow, const double *inputs, double *outputs)
{
    flow->begin(inputs, flow->work, outputs);
}

bool program_flow_run(ProgramFlow *flow, size_t order, double *table)
{
    assert(order <= flow->most_order);
    return flow->rest(table, (long)order, flow->work) != 0;
}

void program_flow_sum(const ProgramFlow *flow, const double *table, size_t order, double s,
                      double *sums, double *slopes)
{
    flow->sum(table, (long)order, s, sums, slopes);
}
