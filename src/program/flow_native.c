// flow_native.c: the compiled power series of y' = f(y).
#include "program/native.h"

#include <assert.h>
#include <string.h>

// Beyond so many operations a compiler takes longer (several seconds) than most runs do.
enum { MOST_OPERATIONS = 500 };

typedef void (*FlowFn)(double *y, long order, double *work);

struct ProgramFlow {
    NativeCode *code;
    FlowFn run;
    size_t most_order;
    double *work;
};

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
    void *symbol = native_code_symbol(code, name);
    memcpy(&flow->run, &symbol, sizeof symbol); // POSIX: a function's address fits
    if (symbol)
        return flow;
    text_add(why, "the compiled program lacks its function");
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

void program_flow_run(ProgramFlow *flow, size_t order, double *table)
{
    assert(order <= flow->most_order);
    flow->run(table, (long)order, flow->work);
}
