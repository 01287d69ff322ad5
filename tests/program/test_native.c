// Compiled programs give the interpreter's numbers, bit for bit; the cache is trusted only as far
// as it can be; where nothing can be compiled the reason is said and nothing breaks.
#include "compiler_case.h"
#include "program/digest.h"
#include "program/native.h"
#include "test_size.h"

#include "../random_expr.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PROGRAMS = 60, OUTPUTS = 3, POINTS = 5 };

static char cache_home[] = "/tmp/zwang-test-XXXXXX";

// ---- A cache of the test's own.

static void in_cache(Text *path, const char *name)
{
    path->length = 0;
    text_addf(path, "%s/zwang/%s", cache_home, name);
}

// The only file kept, or how many there are.
static size_t kept_files(char *name, size_t size)
{
    Text path = {0};
    in_cache(&path, "");
    DIR *folder = opendir(path.at);
    size_t count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        count++;
        if (name)
            snprintf(name, size, "%s", entry->d_name);
    }
    if (folder)
        closedir(folder);
    text_clear(&path);
    return count;
}

static int empty_cache(void **state)
{
    (void)state;
    char name[256];
    Text path = {0};
    while (kept_files(name, sizeof name) > 0) {
        in_cache(&path, name);
        if (unlink(path.at) != 0)
            break;
    }
    text_clear(&path);
    return 0;
}

static int make_cache(void **state)
{
    (void)state;
    return mkdtemp(cache_home) && setenv("XDG_CACHE_HOME", cache_home, 1) == 0 ? 0 : -1;
}

static int remove_cache(void **state)
{
    empty_cache(state);
    Text path = {0};
    in_cache(&path, "");
    rmdir(path.at);
    text_clear(&path);
    return rmdir(cache_home);
}

// A compiler, and a cache that is empty.
static void need_compiler_and_no_cache(void)
{
    need_compiler();
    empty_cache(NULL);
}

// ---- The same numbers.

typedef struct {
    ExprPool *pool;
    Expr inputs[RANDOM_SYMBOLS];
} Symbols;

static Symbols symbols_new(void)
{
    static const char *names[RANDOM_SYMBOLS] = {"x", "y", "theta", "phi"};
    Symbols symbols = {.pool = expr_pool_new()};
    for (size_t i = 0; i < RANDOM_SYMBOLS; i++)
        symbols.inputs[i] = expr_symbol(symbols.pool, names[i]);
    return symbols;
}

static Program *random_program(Symbols *symbols, uint64_t seed, size_t steps)
{
    Random random = random_seed(seed);
    Expr outputs[OUTPUTS];
    unsigned kinds = RANDOM_DIVISION | RANDOM_TRIGONOMETRY | RANDOM_ROOTS | RANDOM_FUNCTIONS;
    for (size_t i = 0; i < OUTPUTS; i++)
        outputs[i] = random_expr(symbols->pool, &random, kinds, steps);
    Program *program =
        program_new(symbols->pool, symbols->inputs, RANDOM_SYMBOLS, outputs, OUTPUTS, NULL);
    assert_non_null(program);
    return program;
}

static bool same_bits(double left, double right)
{
    return (isnan(left) && isnan(right)) || memcmp(&left, &right, sizeof left) == 0;
}

static void compare(const Program *program, const ProgramNative *native, size_t which,
                    uint64_t seed)
{
    Random random = random_seed(seed);
    size_t in = program_inputs(program), out = program_outputs(program);
    double *work = base_alloc((program_registers(program) + 1) * sizeof *work);
    double *inputs = base_alloc((in + 1) * sizeof *inputs);
    double *expected = base_alloc((2 * out + 1) * sizeof *expected), *got = expected + out;
    for (size_t point = 0; point < POINTS; point++) {
        for (size_t i = 0; i < in; i++)
            inputs[i] = ((double)random_below(&random, 4000001) - 2000000) / 700001;
        program_run_real(program, inputs, expected, work);
        program_native_run(native, which, inputs, got);
        for (size_t i = 0; i < out; i++)
            if (!same_bits(expected[i], got[i]))
                fail_msg("seed %lu, output %zu: %.17g interpreted, %.17g compiled",
                         (unsigned long)seed, i, expected[i], got[i]);
    }
    base_free(work);
    base_free(inputs);
    base_free(expected);
}

static void compare_programs(bool batched)
{
    need_compiler_and_no_cache();
    Symbols symbols = symbols_new();
    Program *programs[PROGRAMS];
    // The last is so long that it is cut into several functions.
    for (size_t i = 0; i < PROGRAMS; i++) {
        programs[i] = random_program(&symbols, i + 1, i + 1 < PROGRAMS ? 4 + i : 1500);
        if (batched)
            program_batch_waves(programs[i]);
    }
    Text why = {0};
    ProgramNative *native =
        program_native_new((const Program *const *)programs, PROGRAMS, NATIVE_COMPILE, &why);
    assert_non_null(native);
    for (size_t i = 0; i < PROGRAMS; i++)
        compare(programs[i], native, i, i + 1);
    program_native_free(native);
    for (size_t i = 0; i < PROGRAMS; i++)
        program_free(programs[i]);
    expr_pool_free(symbols.pool);
    text_clear(&why);
}

static void compiled_equals_interpreted(void **state)
{
    (void)state;
    compare_programs(false);
}

// Sines and cosines that stand together are compiled for the processor at hand.
static void batched_waves_are_interpreted_alike(void **state)
{
    (void)state;
    compare_programs(true);
}

// What a compiler could be tempted to evaluate itself, with other roundings.
static void functions_of_constants(void **state)
{
    (void)state;
    need_compiler_and_no_cache();
    Symbols symbols = symbols_new();
    ExprPool *pool = symbols.pool;
    enum { COUNT = 200 };
    Expr outputs[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        Expr number = expr_ratio(pool, (int64_t)i + 1, 37);
        Expr x = expr_add(pool, symbols.inputs[0], number);
        static const ExprOp ops[] = {EXPR_SIN, EXPR_COS, EXPR_TAN, EXPR_EXP, EXPR_LOG, EXPR_ATAN};
        Expr value = expr_call(pool, ops[i % 6], number, (Expr){0});
        outputs[i] = expr_mul(pool, value, x);
    }
    Program *program = program_new(pool, symbols.inputs, RANDOM_SYMBOLS, outputs, COUNT, NULL);
    Text why = {0};
    ProgramNative *native =
        program_native_new((const Program *const *)&program, 1, NATIVE_COMPILE, &why);
    assert_non_null(native);
    compare(program, native, 0, 7);
    program_native_free(native);
    program_free(program);
    expr_pool_free(pool);
    text_clear(&why);
}

// gcc forms one instruction of a product and a difference beside a product and a sum, whatever it
// is told of contraction.
static void products_beside_each_other_are_not_fused(void **state)
{
    (void)state;
    need_compiler_and_no_cache();
    Symbols symbols = symbols_new();
    ExprPool *pool = symbols.pool;
    enum { COUNT = 2 };
    Expr *in = symbols.inputs;
    Expr a = expr_call(pool, EXPR_SIN, in[0], (Expr){0});
    Expr b = expr_call(pool, EXPR_SIN, in[1], (Expr){0});
    Expr outputs[] = {expr_sub(pool, expr_mul(pool, a, in[2]), a),
                      expr_add(pool, expr_mul(pool, b, in[3]), b)};
    Program *program = program_new(pool, symbols.inputs, RANDOM_SYMBOLS, outputs, COUNT, NULL);
    program_batch_waves(program);
    Text why = {0};
    ProgramNative *native =
        program_native_new((const Program *const *)&program, 1, NATIVE_COMPILE, &why);
    assert_non_null(native);
    for (uint64_t seed = 1; seed <= 20; seed++)
        compare(program, native, 0, seed);
    program_native_free(native);
    program_free(program);
    expr_pool_free(pool);
    text_clear(&why);
}

// ---- Power series.

// The series of y' = f(y) order by order, fed with its own rates.
static void expand(const Program *program, const int *rates, size_t order, double *table)
{
    size_t in = program_inputs(program);
    ProgramSeries *series = program_series_new(program, 0, order);
    double outputs[OUTPUTS];
    for (size_t k = 0; k < order; k++) {
        const double *now = table + k * in;
        double *next = table + (k + 1) * in;
        program_series_next(series, k, now, outputs);
        for (size_t i = 0; i < in; i++)
            next[i] = rates[i] >= 0                            ? outputs[rates[i]] / (double)(k + 1)
                      : rates[i] == PROGRAM_RATE_ONE && k == 0 ? 1
                                                               : 0;
    }
    program_series_free(series);
}

// Order 0 is the program itself.
static void check_begin(const Program *program, const double *inputs, const double *got,
                        uint64_t seed)
{
    double expected[OUTPUTS];
    double *work = base_alloc((program_registers(program) + 1) * sizeof *work);
    program_run_real(program, inputs, expected, work);
    for (size_t i = 0; i < OUTPUTS; i++)
        if (!same_bits(expected[i], got[i]))
            fail_msg("seed %lu, output %zu: %.17g interpreted, %.17g compiled", (unsigned long)seed,
                     i, expected[i], got[i]);
    base_free(work);
}

// Its sums against plain ones.
static void check_sums(const ProgramFlow *flow, const ProgramFlow *other, size_t order,
                       const double *table, size_t width)
{
    const double s = 0.125;
    double sums[RANDOM_SYMBOLS], slopes[RANDOM_SYMBOLS];
    double same[RANDOM_SYMBOLS], same_slopes[RANDOM_SYMBOLS];
    program_flow_sum(flow, table, order, s, sums, slopes);
    program_flow_sum(other, table, order, s, same, same_slopes);
    for (size_t i = 0; i < width; i++) {
        double sum = 0, slope = 0, size = 0;
        for (size_t k = order; k > 0; k--) {
            sum += table[k * width + i] * pow(s, (double)k);
            slope += (double)k * table[k * width + i] * pow(s, (double)k - 1);
            size += (double)k * fabs(table[k * width + i]) * pow(s, (double)k - 1);
        }
        assert_true(fabs(sum - sums[i]) <= 1e-13 * size);
        assert_true(fabs(slope - slopes[i]) <= 1e-13 * size);
        assert_true(same_bits(sums[i], same[i]) && same_bits(slopes[i], same_slopes[i]));
    }
}

// Two tables: the same bits, or near each other; how many coefficients could be compared.
static size_t compare_tables(const double *expected, const double *got, size_t width, size_t order,
                             bool same, uint64_t seed)
{
    size_t compared = 0;
    for (size_t i = 0; i < width; i++) {
        double scale = 1;
        for (size_t k = 0; k <= order; k++, compared++) {
            double left = expected[k * width + i], right = got[k * width + i];
            if (!isfinite(left))
                break;
            scale = fmax(2 * scale, fabs(left));
            if (same ? !same_bits(left, right) : !(fabs(left - right) <= 1e-9 * scale))
                fail_msg("seed %lu, input %zu, order %zu of %zu: %.17g expected, %.17g",
                         (unsigned long)seed, i, k, order, left, right);
        }
    }
    return compared;
}

// How many coefficients could be compared.
static size_t compare_flow(const Program *program, uint64_t seed)
{
    enum { MOST = 21, IN = RANDOM_SYMBOLS };
    // x follows output 0 and y output 2; theta is the time; phi rests.
    static const int rates[IN] = {0, 2, PROGRAM_RATE_ONE, PROGRAM_RATE_NONE};
    static const size_t orders[] = {1, 3, 4, 5, 12, 20, 21};
    Text why = {0};
    ProgramFlow *flow = program_flow_new(program, rates, MOST);
    ProgramFlow *interpreted = program_flow_new(program, rates, MOST);
    if (!program_flow_compile(flow, NATIVE_COMPILE, &why))
        fail_msg("%s", why.at);
    Random random = random_seed(seed);
    double expected[(MOST + 1) * IN], got[(MOST + 4) * IN], same[(MOST + 4) * IN];
    double begin[IN], outputs[OUTPUTS];
    size_t compared = 0;
    for (size_t at = 0; at < sizeof orders / sizeof *orders; at++) {
        size_t order = orders[at];
        assert_true(program_flow_rows(order) <= MOST + 4);
        for (size_t i = 0; i < IN; i++)
            begin[i] = 0.3 + (double)random_below(&random, 1000) / 700;
        memcpy(expected, begin, sizeof begin);
        memcpy(got, begin, sizeof begin);
        memcpy(same, begin, sizeof begin);
        expand(program, rates, order, expected);
        program_flow_begin(interpreted, same, outputs);
        size_t finite = program_flow_run(interpreted, order, 1, same);
        program_flow_begin(flow, got, outputs);
        check_begin(program, got, outputs, seed);
        assert_int_equal(program_flow_run(flow, order, 1, got), finite);
        for (size_t i = 0; i < finite * IN; i++)
            assert_true(isfinite(got[IN + i]));
        if (finite == order)
            check_sums(flow, interpreted, order, got, IN);
        compare_tables(same, got, IN, finite, true, seed);
        compared += compare_tables(expected, got, IN, order, false, seed);
    }
    program_flow_free(flow);
    program_flow_free(interpreted);
    text_clear(&why);
    return compared;
}

static void compiled_series_agree(void **state)
{
    (void)state;
    need_compiler_and_no_cache();
    Symbols symbols = symbols_new();
    size_t compared = 0;
    for (uint64_t seed = 1; seed <= 5 * test_size(); seed++) {
        Program *program = random_program(&symbols, 10 * seed, 5 + 2 * (size_t)seed);
        if (!program_has_switches(program))
            compared += compare_flow(program, seed);
        program_free(program);
    }
    assert_true(compared > 200);
    expr_pool_free(symbols.pool);
}

// So many products that every order is a function of its own.
static void long_series_agree(void **state)
{
    (void)state;
    need_compiler_and_no_cache();
    Symbols symbols = symbols_new();
    ExprPool *pool = symbols.pool;
    const Expr *in = symbols.inputs;
    Expr outputs[OUTPUTS] = {in[3], in[0], in[1]};
    for (int64_t i = 1; i <= 20; i++) {
        Expr left = expr_add(pool, in[0], expr_ratio(pool, 1, i));
        Expr right = expr_sub(pool, in[1], expr_mul(pool, expr_int(pool, i), in[2]));
        Expr both = expr_mul(pool, expr_ratio(pool, 1, 40 * i), expr_mul(pool, left, right));
        Expr root = expr_sqrt(pool, expr_add(pool, expr_int(pool, 3), expr_mul(pool, both, both)));
        Expr part = i % 2 ? expr_div(pool, both, root) : expr_mul(pool, both, in[3]);
        outputs[i % 3] = expr_add(pool, outputs[i % 3], part);
    }
    outputs[0] = expr_add(pool, outputs[0], expr_call(pool, EXPR_TANH, outputs[2], (Expr){0}));
    Program *program = program_new(pool, in, RANDOM_SYMBOLS, outputs, OUTPUTS, NULL);
    assert_true(compare_flow(program, 3) > 200);
    program_free(program);
    expr_pool_free(pool);
}

// So many links, each made of the one before by other numbers, every other one with another sign.
static Program *chain_program(const Symbols *symbols, size_t links, uint64_t seed)
{
    ExprPool *pool = symbols->pool;
    const Expr *in = symbols->inputs;
    Random random = random_seed(seed);
    Expr x = in[0], y = in[1];
    for (size_t i = 0; i < links; i++) {
        Expr c = expr_ratio(pool, 101 + 2 * (int64_t)random_below(&random, 400), 1024);
        Expr half = expr_mul(pool, expr_ratio(pool, 1, 2), x), part = expr_mul(pool, c, y);
        Expr angle = i % 2 ? expr_add(pool, part, half) : expr_sub(pool, part, half);
        x = expr_call(pool, EXPR_SIN, angle, (Expr){0});
        Expr both = expr_mul(pool, x, expr_mul(pool, expr_ratio(pool, 3, 7), y));
        y = expr_add(pool, expr_mul(pool, both, in[2]), c);
    }
    return program_new(pool, in, RANDOM_SYMBOLS, (Expr[]){x, in[0], y}, OUTPUTS, NULL);
}

static size_t functions_of_chain(const Symbols *symbols, size_t links)
{
    static const int rates[RANDOM_SYMBOLS] = {0, 2, PROGRAM_RATE_ONE, PROGRAM_RATE_NONE};
    Program *program = chain_program(symbols, links, links);
    Text text = {0};
    size_t constants, count = 0;
    program_print_c_flow(program, rates, 20, "f", &constants, &text);
    for (const char *at = text.at; (at = strstr(at, "noinline")); at++)
        count++;
    text_clear(&text);
    program_free(program);
    return count;
}

// The links of a long chain share their code: the same bits, and as many functions for twice as
// many.
static void links_share_code(void **state)
{
    (void)state;
    need_compiler_and_no_cache();
    Symbols symbols = symbols_new();
    for (uint64_t seed = 1; seed <= 3; seed++) {
        Program *program = chain_program(&symbols, 500, seed);
        assert_true(compare_flow(program, seed) > 200);
        program_free(program);
    }
    size_t count = functions_of_chain(&symbols, 500);
    assert_true(count <= 12);
    assert_int_equal(functions_of_chain(&symbols, 1000), count);
    expr_pool_free(symbols.pool);
}

// Forces of so many centres as 1/r² and 1/r⁴: powers of sums of squares, with factors that move and
// that rest. Many centres are alike.
static void check_attraction(int64_t centres)
{
    Symbols symbols = symbols_new();
    ExprPool *pool = symbols.pool;
    const Expr *in = symbols.inputs;
    Expr outputs[OUTPUTS] = {in[1], in[2], in[0]};
    for (int64_t i = 1; i <= centres; i++) {
        Expr x = expr_sub(pool, in[0], expr_ratio(pool, 5 * i, 2));
        Expr y = expr_add(pool, in[1], expr_ratio(pool, i, 3));
        Expr square = expr_add(pool, expr_mul(pool, x, x), expr_mul(pool, y, y));
        Expr cube = expr_mul(pool, square, expr_sqrt(pool, square));
        Expr below = i % 5 == 4 ? expr_mul(pool, cube, square) : cube;
        outputs[0] = expr_sub(pool, outputs[0], expr_div(pool, x, below));
        outputs[1] = expr_add(pool, outputs[1], expr_div(pool, in[3], below));
        outputs[2] = expr_add(pool, outputs[2], expr_div(pool, y, below));
    }
    Program *program = program_new(pool, in, RANDOM_SYMBOLS, outputs, OUTPUTS, NULL);
    assert_true(compare_flow(program, (uint64_t)centres) > 200);
    program_free(program);
    expr_pool_free(pool);
}

static void attractions_agree(void **state)
{
    (void)state;
    need_compiler_and_no_cache();
    const int64_t centres[] = {1, 2, 4, 21};
    for (size_t i = 0; i < sizeof centres / sizeof *centres; i++)
        check_attraction(centres[i]);
}

// x' = Σ (x + a_i)·(y + b_i), as it stands and multiplied out: factors that differ at order 0 alone
// share a sum over all orders, and squares of them too.
static void neighbours_share_sums(void **state)
{
    (void)state;
    need_compiler_and_no_cache();
    static const int rates[RANDOM_SYMBOLS] = {0, 2, PROGRAM_RATE_ONE, PROGRAM_RATE_NONE};
    enum { ORDER = 20, TERMS = 5 };
    Symbols symbols = symbols_new();
    ExprPool *pool = symbols.pool;
    const Expr *in = symbols.inputs;
    Expr forms[2][OUTPUTS] = {{in[2], in[0], in[1]}, {in[2], in[0], in[1]}};
    for (int64_t i = 1; i <= TERMS; i++) {
        Expr a = expr_ratio(pool, i, 3), b = expr_ratio(pool, 7 - 3 * i, 4);
        Expr x = expr_add(pool, in[0], a), y = expr_add(pool, b, in[1]),
             z = expr_sub(pool, in[0], b);
        Expr far[] = {expr_mul(pool, in[0], b),
                      expr_mul(pool, a, b),
                      expr_mul(pool, in[0], in[1]),
                      expr_mul(pool, a, in[1]),
                      expr_mul(pool, in[0], in[0]),
                      expr_mul(pool, b, b),
                      expr_mul(pool, expr_int(pool, -2), expr_mul(pool, in[0], b))};
        Expr near[] = {expr_mul(pool, x, y), expr_mul(pool, z, z)};
        Expr eighth = expr_ratio(pool, 1, 8);
        forms[0][0] = expr_add(pool, forms[0][0], expr_mul(pool, eighth, expr_sum(pool, near, 2)));
        forms[1][0] = expr_add(pool, forms[1][0], expr_mul(pool, eighth, expr_sum(pool, far, 7)));
    }
    double tables[2][(ORDER + 4) * RANDOM_SYMBOLS] = {{0.3, -0.2}, {0.3, -0.2}};
    for (size_t i = 0; i < 2; i++) {
        Program *program = program_new(pool, in, RANDOM_SYMBOLS, forms[i], OUTPUTS, NULL);
        assert_int_equal(program_flow_sums(program, rates), 2);
        assert_true(compare_flow(program, 5) > 200);
        expand(program, rates, ORDER, tables[i]);
        program_free(program);
    }
    compare_tables(tables[0], tables[1], RANDOM_SYMBOLS, ORDER, false, 5);
    expr_pool_free(pool);
}

// Every operation of the language but those that switch, moving and at rest: one sum of all.
static void every_operation_has_a_series(void **state)
{
    (void)state;
    need_compiler_and_no_cache();
    Symbols symbols = symbols_new();
    ExprPool *pool = symbols.pool;
    const Expr *in = symbols.inputs;
    Expr small = expr_ratio(pool, 1, 8), moving = expr_int(pool, 0), half = moving;
    Expr a = expr_mul(pool, small, expr_mul(pool, in[0], in[2])), b = expr_mul(pool, small, in[1]);
    for (int op = 0; op < EXPR_OPEN; op++) {
        int arity = expr_op_arity((ExprOp)op);
        if (arity < 1 || op == EXPR_ABS || op == EXPR_SIGN || op == EXPR_MIN || op == EXPR_MAX)
            continue;
        Expr other = arity > 1 ? b : (Expr){0};
        moving = expr_add(pool, moving, expr_call(pool, (ExprOp)op, a, other));
        Expr at_rest = expr_mul(pool, small, in[3]);
        half = expr_add(pool, half, expr_call(pool, (ExprOp)op, at_rest, other));
    }
    Expr root = expr_sqrt(pool, expr_add(pool, in[0], expr_mul(pool, in[1], in[1])));
    Expr outputs[OUTPUTS] = {expr_mul(pool, small, moving), half,
                             expr_div(pool, expr_add(pool, half, in[0]), root)};
    Program *program = program_new(pool, in, RANDOM_SYMBOLS, outputs, OUTPUTS, NULL);
    assert_true(compare_flow(program, 1) > 100);
    program_free(program);

    // What switches has a series of its own on each side, and is left to the interpreter.
    Expr switching = expr_call(pool, EXPR_ABS, in[0], (Expr){0});
    program = program_new(pool, in, RANDOM_SYMBOLS, &switching, 1, NULL);
    Text why = {0};
    ProgramFlow *flow = program_flow_new(program, (int[]){0, -1, -1, -1}, 8);
    assert_false(program_flow_compile(flow, NATIVE_COMPILE, &why));
    assert_non_null(strstr(why.at, "abs"));
    program_flow_free(flow);
    text_clear(&why);
    program_free(program);
    expr_pool_free(pool);
}

// ---- The cache.

static const char answer[] = "int zwang_answer(void) { return 42; }\n";

// Compiles, loads and calls it; what it answers, or -1 where it could not be had.
static int ask(Text *why)
{
    NativeCode *code = native_code_new(answer, NATIVE_EXACT, NATIVE_COMPILE, why);
    if (!code)
        return -1;
    void *symbol = native_code_symbol(code, "zwang_answer");
    assert_non_null(symbol);
    assert_null(native_code_symbol(code, "zwang_question"));
    int (*function)(void);
    memcpy(&function, &symbol, sizeof symbol);
    int said = function();
    native_code_free(code);
    return said;
}

static void assert_answers(void)
{
    Text why = {0};
    int said = ask(&why);
    if (said != 42)
        print_message("%s\n", why.at);
    assert_int_equal(said, 42);
    assert_null(why.at);
}

static ino_t kept_inode(Text *path)
{
    char name[256];
    struct stat status;
    assert_int_equal(kept_files(name, sizeof name), 1);
    in_cache(path, name);
    assert_int_equal(lstat(path->at, &status), 0);
    return status.st_ino;
}

static void kept_and_found(void **state)
{
    (void)state;
    need_compiler_and_no_cache();
    Text path = {0};
    assert_answers();
    ino_t first = kept_inode(&path);
    assert_answers();
    assert_true(kept_inode(&path) == first); // the same file: nothing was compiled
    struct stat status;
    in_cache(&path, "");
    assert_int_equal(stat(path.at, &status), 0);
    assert_int_equal(status.st_mode & 077, 0);
    text_clear(&path);
}

static void damage(const char *path, off_t at, const char *bytes, size_t count)
{
    int file = open(path, O_WRONLY);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, bytes, count, at), count);
    close(file);
}

static void damaged_files_are_made_anew(void **state)
{
    (void)state;
    need_compiler_and_no_cache();
    Text path = {0};
    assert_answers();
    kept_inode(&path);
    damage(path.at, 5000, "?????", 5); // somewhere inside
    assert_answers();
    kept_inode(&path);
    assert_int_equal(truncate(path.at, 4096), 0);
    assert_answers();
    kept_inode(&path);
    assert_int_equal(truncate(path.at, 0), 0);
    assert_answers();
    // A file that others may write to is not ours to trust.
    kept_inode(&path);
    assert_int_equal(chmod(path.at, 0722), 0);
    assert_answers();
    struct stat status;
    assert_int_equal(stat(path.at, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    text_clear(&path);
}

// A link in the place of a kept file is replaced; what it leads to is neither read nor touched.
static void links_are_not_followed(void **state)
{
    (void)state;
    need_compiler_and_no_cache();
    Text path = {0}, elsewhere = {0};
    assert_answers();
    kept_inode(&path);
    text_addf(&elsewhere, "%s/elsewhere", cache_home);
    assert_int_equal(rename(path.at, elsewhere.at), 0);
    assert_int_equal(symlink(elsewhere.at, path.at), 0);
    assert_answers();
    struct stat status;
    assert_int_equal(lstat(path.at, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(unlink(elsewhere.at), 0);
    text_clear(&path);
    text_clear(&elsewhere);
}

// Several at once, each from its own file, though they are opened by the same descriptor.
static void many_at_once(void **state)
{
    (void)state;
    need_compiler_and_no_cache();
    enum { COUNT = 5 };
    NativeCode *codes[COUNT];
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < COUNT; i++) {
            char source[100];
            Text why = {0};
            snprintf(source, sizeof source, "int zwang_answer(void) { return %d; }\n", 100 + i);
            codes[i] = native_code_new(source, NATIVE_EXACT, NATIVE_COMPILE, &why);
            assert_non_null(codes[i]);
        }
        for (int i = 0; i < COUNT; i++) {
            void *symbol = native_code_symbol(codes[i], "zwang_answer");
            int (*function)(void);
            memcpy(&function, &symbol, sizeof symbol);
            assert_int_equal(function(), 100 + i);
        }
        for (int i = 0; i < COUNT; i++)
            native_code_free(codes[i]);
    }
}

// ---- Where there is nothing to be had.

static void set_or_unset(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void assert_refused(const char *name, const char *value, const char *part)
{
    const char *before = getenv(name);
    char *kept = before ? strdup(before) : NULL;
    Text why = {0};
    setenv(name, value, 1);
    assert_int_equal(ask(&why), -1);
    set_or_unset(name, kept);
    free(kept);
    assert_non_null(why.at);
    if (!strstr(why.at, part))
        fail_msg("'%s' does not say '%s'", why.at, part);
    text_clear(&why);
    assert_int_equal(kept_files(NULL, 0), 0); // nothing is left behind
}

static void no_compiler(void **state)
{
    (void)state;
    set_or_unset("CC", NULL);
    empty_cache(NULL);
    assert_refused("PATH", "", "no C compiler 'cc'");
    assert_refused("CC", "no-such-compiler -O1", "no C compiler 'no-such-compiler'");
    assert_refused("CC", "false", "the C compiler failed");
    assert_refused("CC", "true", "could not be kept"); // says nothing, makes nothing
}

// A folder that cannot be written to, or that others can: the work is done elsewhere.
static void other_folders(void **state)
{
    (void)state;
    need_compiler_and_no_cache();
    Text path = {0};
    in_cache(&path, "");
    assert_int_equal(chmod(path.at, 0777), 0);
    assert_answers();
    assert_int_equal(kept_files(NULL, 0), 0);
    assert_int_equal(chmod(path.at, 0500), 0);
    assert_answers();
    assert_int_equal(chmod(path.at, 0700), 0);
    if (geteuid() != 0)
        assert_int_equal(kept_files(NULL, 0), 0);
    else
        print_message(
            "skipped: a folder that may not be written to, for root may write anywhere\n");
    // One that is ours, where others could exchange it.
    empty_cache(NULL);
    assert_int_equal(chmod(cache_home, 0777), 0);
    assert_answers();
    assert_int_equal(kept_files(NULL, 0), 0);
    assert_int_equal(chmod(cache_home, 01777), 0);
    assert_answers();
    assert_int_equal(kept_files(NULL, 0), 1);
    assert_int_equal(chmod(cache_home, 0700), 0);
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    assert_answers();
    // Not even a temporary one.
    empty_cache(NULL);
    setenv("TMPDIR", "/dev/null", 1);
    Text why = {0};
    assert_int_equal(ask(&why), -1);
    assert_non_null(strstr(why.at, "no folder"));
    unsetenv("TMPDIR");
    setenv("XDG_CACHE_HOME", cache_home, 1);
    text_clear(&why);
    text_clear(&path);
}

static void known_digests(void **state)
{
    (void)state;
    // From FIPS 180-4's examples.
    static const struct {
        const char *text, *digest;
    } known[] = {{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
                 {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
                 {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        unsigned char digest[DIGEST_BYTES];
        char text[2 * DIGEST_BYTES + 1];
        digest_bytes(known[i].text, strlen(known[i].text), digest);
        digest_print(digest, text);
        assert_string_equal(text, known[i].digest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_digests),
        cmocka_unit_test_teardown(compiled_equals_interpreted, empty_cache),
        cmocka_unit_test_teardown(batched_waves_are_interpreted_alike, empty_cache),
        cmocka_unit_test_teardown(products_beside_each_other_are_not_fused, empty_cache),
        cmocka_unit_test_teardown(functions_of_constants, empty_cache),
        cmocka_unit_test_teardown(compiled_series_agree, empty_cache),
        cmocka_unit_test_teardown(long_series_agree, empty_cache),
        cmocka_unit_test_teardown(links_share_code, empty_cache),
        cmocka_unit_test_teardown(attractions_agree, empty_cache),
        cmocka_unit_test_teardown(neighbours_share_sums, empty_cache),
        cmocka_unit_test_teardown(every_operation_has_a_series, empty_cache),
        cmocka_unit_test_teardown(kept_and_found, empty_cache),
        cmocka_unit_test_teardown(damaged_files_are_made_anew, empty_cache),
        cmocka_unit_test_teardown(links_are_not_followed, empty_cache),
        cmocka_unit_test_teardown(many_at_once, empty_cache),
        cmocka_unit_test_teardown(no_compiler, empty_cache),
        cmocka_unit_test_teardown(other_folders, empty_cache),
    };
    return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
