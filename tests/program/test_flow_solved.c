// Series of programs that solve for some of their inputs: against the series of the program that
// has the solution as a formula, and interpreted against compiled to the last bit.
#include "compiler_case.h"
#include "program/assembly.h"
#include "program/native.h"

#include "../random_expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// t | x | v | z, and g where it is solved for.
typedef struct {
    ExprPool *pool;
    Expr *inputs;
    size_t links, width;
    double *numbers; // two of each link
} Chain;

static Chain chain_new(size_t links, uint64_t seed)
{
    Chain chain = {.pool = expr_pool_new(), .links = links, .width = 2 * links + 2};
    Random random = random_seed(seed);
    chain.inputs = base_alloc((chain.width + links) * sizeof *chain.inputs);
    chain.numbers = base_alloc(2 * links * sizeof *chain.numbers);
    for (size_t i = 0; i < chain.width + links; i++) {
        char name[32];
        snprintf(name, sizeof name, "in%zu", i);
        chain.inputs[i] = expr_symbol(chain.pool, name);
    }
    for (size_t i = 0; i < 2 * links; i++)
        chain.numbers[i] = 0.1 + (double)random_below(&random, 1000) / 4096;
    return chain;
}

static void chain_free(Chain *chain)
{
    base_free(chain->inputs);
    base_free(chain->numbers);
    expr_pool_free(chain->pool);
}

typedef struct {
    Assembly *assembly;
    const Chain *chain;
    bool solves;
} Making;

static ProgramValue input(Making *making, size_t i)
{
    ProgramValue value = {0};
    assert_true(assembly_lower(making->assembly, making->chain->inputs[i], &value));
    return value;
}

static ProgramValue mul(Making *making, ProgramValue a, ProgramValue b)
{
    return assembly_mul(making->assembly, a, b);
}

static ProgramValue add(Making *making, ProgramValue a, ProgramValue b)
{
    return assembly_add(making->assembly, a, b);
}

// Forces are handed on from link to link, y_i = c_i·g_i + s_i·y_{i−1} with c_i = 2 + a·cos x_i,
// s_i = b·sin x_i, and y_i = h_i, h_i of the state, is what g must meet; v' = g, x' = v, and
// z' = Σ (x_i·y_i − y_i/c_i). Where g is an input that is solved for, what y_i misses with it, r_i,
// and the orders 0 of s and c give it.
static Program *chain_program(const Chain *chain, bool solves)
{
    size_t n = chain->links;
    Making making = {
        assembly_new(chain->pool, chain->inputs, chain->width + (solves ? n : 0), true), chain,
        solves};
    Assembly *assembly = making.assembly;
    ProgramValue *outputs = base_alloc((2 * n + 1) * sizeof *outputs);
    ProgramValue y = assembly_int(assembly, 0), miss = y, z = y, met = y;
    for (size_t i = 0; i < n; i++) {
        ProgramValue x = input(&making, 1 + i), v = input(&making, 1 + n + i);
        ProgramValue number = assembly_real(assembly, chain->numbers[2 * i]);
        ProgramValue c = add(&making, assembly_int(assembly, 2),
                             mul(&making, number, assembly_cosine(assembly, x)));
        ProgramValue s = mul(&making, assembly_real(assembly, chain->numbers[2 * i + 1]),
                             assembly_sine(assembly, x));
        ProgramValue h = assembly_sub(assembly, mul(&making, v, s), x), g;
        outputs[i] = v;
        if (solves) {
            g = input(&making, chain->width + i);
            y = add(&making, mul(&making, c, g), mul(&making, s, y));
            ProgramValue r = assembly_miss(assembly, assembly_sub(assembly, y, h));
            ProgramValue before = mul(&making, assembly_hold(assembly, s), miss);
            outputs[n + i] = assembly_div(assembly, assembly_sub(assembly, before, r),
                                          assembly_hold(assembly, c));
            miss = r;
        } else {
            outputs[n + i] =
                assembly_div(assembly, assembly_sub(assembly, h, mul(&making, s, met)), c);
            y = met = h;
        }
        z = add(&making, z,
                assembly_sub(assembly, mul(&making, x, y), assembly_div(assembly, y, c)));
    }
    outputs[2 * n] = z;
    Program *program = assembly_program(assembly, outputs, 2 * n + 1);
    base_free(outputs);
    assembly_free(assembly);
    return program;
}

static int *rates_of(const Chain *chain, bool solves)
{
    size_t n = chain->links;
    int *rates = base_alloc((chain->width + n) * sizeof *rates);
    rates[0] = PROGRAM_RATE_ONE;
    for (size_t i = 1; i < chain->width; i++)
        rates[i] = (int)i - 1;
    for (size_t i = 0; i < n && solves; i++)
        rates[chain->width + i] = PROGRAM_RATE_SOLVED - (int)(n + i);
    return rates;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

enum { MOST = 21 };

// The table of a series from the state.
static double *table_of(ProgramFlow *flow, const Chain *chain, const double *state, size_t order)
{
    double *table = base_alloc((MOST + 4) * chain->width * sizeof *table);
    double *rates = base_alloc((2 * chain->links + 1) * sizeof *rates);
    memcpy(table, state, chain->width * sizeof *table);
    program_flow_begin(flow, table, rates);
    for (size_t i = 1; i < chain->width; i++)
        table[chain->width + i] = NAN;
    assert_int_equal(program_flow_run(flow, order, 1, table), order);
    for (size_t i = 1; i < chain->width; i++)
        assert_true(same_bits(table[chain->width + i], rates[i - 1]));
    base_free(rates);
    return table;
}

static void compare(const Chain *chain, ProgramFlow *const flows[3], const double *state,
                    size_t order)
{
    double *tables[3];
    for (size_t i = 0; i < 3; i++)
        tables[i] = table_of(flows[i], chain, state, order);
    for (size_t i = 0; i < chain->width; i++) {
        double scale = 1;
        for (size_t k = 0; k <= order; k++) {
            size_t at = k * chain->width + i;
            scale = fmax(2 * scale, fabs(tables[0][at]));
            if (!(fabs(tables[0][at] - tables[1][at]) <= 1e-10 * scale))
                fail_msg("input %zu, order %zu of %zu: %.17g by a formula, %.17g solved", i, k,
                         order, tables[0][at], tables[1][at]);
            if (!same_bits(tables[1][at], tables[2][at]))
                fail_msg("input %zu, order %zu of %zu: %.17g interpreted, %.17g compiled", i, k,
                         order, tables[1][at], tables[2][at]);
        }
    }
    for (size_t i = 0; i < 3; i++)
        base_free(tables[i]);
}

static void check_chain(size_t links, uint64_t seed)
{
    static const size_t orders[] = {1, 2, 3, 4, 7, 12, 20, 21};
    Chain chain = chain_new(links, seed);
    Random random = random_seed(seed + 100);
    Program *programs[] = {chain_program(&chain, false), chain_program(&chain, true)};
    int *rates[] = {rates_of(&chain, false), rates_of(&chain, true)};
    size_t products = program_flow_sums(programs[1], rates[1]);
    assert_true(products != SIZE_MAX);
    ProgramFlow *flows[] = {program_flow_new(programs[0], rates[0], MOST),
                            program_flow_new(programs[1], rates[1], MOST),
                            program_flow_new(programs[1], rates[1], MOST)};
    Text why = {0};
    if (!program_flow_compile(flows[2], NATIVE_COMPILE, &why))
        fail_msg("%s", why.at);
    double *state = base_alloc(chain.width * sizeof *state);
    for (size_t at = 0; at < sizeof orders / sizeof *orders; at++) {
        for (size_t i = 0; i < chain.width; i++)
            state[i] = 0.1 + (double)random_below(&random, 1000) / 1024;
        compare(&chain, flows, state, orders[at]);
    }
    base_free(state);
    text_clear(&why);
    for (size_t i = 0; i < 3; i++)
        program_flow_free(flows[i]);
    for (size_t i = 0; i < 2; i++) {
        program_free(programs[i]);
        base_free(rates[i]);
    }
    chain_free(&chain);
}

// Words of their own for each order; then pieces that are functions, which are shared.
static void chains_agree(void **state)
{
    (void)state;
    need_compiler();
    for (uint64_t seed = 1; seed <= 4; seed++)
        check_chain(seed, seed);
    check_chain(9, 5);
    check_chain(40, 6);
    check_chain(200, 7);
}

// What is not linear in what is solved for is told.
static void other_programs_are_told(void **state)
{
    (void)state;
    ExprPool *pool = expr_pool_new();
    Expr inputs[] = {expr_symbol(pool, "t"), expr_symbol(pool, "x"), expr_symbol(pool, "g")};
    Expr g = inputs[2], x = inputs[1];
    static const int rates[] = {PROGRAM_RATE_ONE, 0, PROGRAM_RATE_SOLVED - 1};
    const Expr outputs[] = {expr_mul(pool, g, g), expr_call(pool, EXPR_SIN, g, (Expr){0}),
                            expr_div(pool, x, g), expr_sqrt(pool, g),
                            expr_mul(pool, expr_add(pool, g, x), g)};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const Expr both[] = {outputs[i], x};
        Program *program = program_new(pool, inputs, 3, both, 2, NULL);
        assert_true(program_flow_sums(program, rates) == SIZE_MAX);
        program_free(program);
    }
    expr_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_agree),
        cmocka_unit_test(other_programs_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
