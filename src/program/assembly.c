// assembly.c: a program put together value by value.
#include "program/assembly.h"
#include "program/program_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { NO_VALUE = UINT32_MAX, LONG_CONSTANT = 160, LONG_NUMBER = 1024 }; // bits

struct Assembly {
    const ExprPool *pool;
    Builder builder;
    uint32_t *values; // of every node of the pool, by its index
    size_t value_count, input_count, parameters;
    bool exact;
    fmpq_t number, other; // scratch
    const double *inputs; // of the samples
    bool samples_decide;  // with others it would be another one
    ARRAY(double) samples, constants;
    ARRAY(bool) fixed; // of every instruction: whether parameters determine it
    ARRAY(bool) held;  // … : whether it is constant along a power series
};

// ---- Making.

static void reserve(Assembly *assembly)
{
    size_t count = expr_pool_size(assembly->pool) + 1;
    if (count <= assembly->value_count)
        return;
    count *= 2;
    uint32_t *values = base_alloc(count * sizeof *values);
    memset(values, 0xFF, count * sizeof *values);
    if (assembly->value_count)
        memcpy(values, assembly->values, assembly->value_count * sizeof *values);
    base_free(assembly->values);
    assembly->values = values;
    assembly->value_count = count;
}

Assembly *assembly_new(const ExprPool *pool, const Expr *inputs, size_t count, bool exact)
{
    Assembly *assembly = base_alloc(sizeof *assembly);
    *assembly = (Assembly){.pool = pool,
                           .builder = {.pi_at = -1, .tables = expr_tables(pool)},
                           .input_count = count,
                           .exact = exact};
    fmpq_init(assembly->number);
    fmpq_init(assembly->other);
    reserve(assembly);
    for (size_t i = 0; i < count; i++)
        assembly->values[inputs[i].at] = VALUE_INPUT | (uint32_t)i;
    return assembly;
}

void assembly_free(Assembly *assembly)
{
    if (!assembly)
        return;
    builder_clear(&assembly->builder);
    array_clear(&assembly->samples);
    array_clear(&assembly->constants);
    array_clear(&assembly->fixed);
    array_clear(&assembly->held);
    fmpq_clear(assembly->number);
    fmpq_clear(assembly->other);
    base_free(assembly->values);
    base_free(assembly);
}

bool assembly_lower(Assembly *assembly, Expr e, ProgramValue *value)
{
    assert(!expr_is_none(e));
    reserve(assembly);
    if (!program_lower(assembly->pool, &assembly->builder, assembly->values, e))
        return false;
    *value = (ProgramValue){assembly->values[e.at], false};
    return true;
}

static uint32_t signed_value(Assembly *assembly, ProgramValue a)
{
    return a.negative ? builder_emit(&assembly->builder, PROGRAM_NEG, a.at, 0) : a.at;
}

void assembly_define(Assembly *assembly, Expr symbol, ProgramValue value)
{
    reserve(assembly);
    assembly->values[symbol.at] = signed_value(assembly, value);
}

// ---- Constants.

static const fmpq *constant_of(const Assembly *assembly, ProgramValue a)
{
    if ((a.at & VALUE_KIND) != VALUE_CONSTANT || (ptrdiff_t)a.at == assembly->builder.pi_at)
        return NULL;
    return assembly->builder.constants.at + a.at;
}

static void set_real(fmpq_t number, double value)
{
    int exponent;
    double part = frexp(value, &exponent);
    assert(isfinite(value));
    fmpq_set_si(number, (slong)ldexp(part, DBL_MANT_DIG), 1);
    exponent -= DBL_MANT_DIG;
    if (exponent < 0)
        fmpq_div_2exp(number, number, (flint_bitcnt_t)-exponent);
    else
        fmpq_mul_2exp(number, number, (flint_bitcnt_t)exponent);
}

static bool is_longer(const fmpq *number, size_t bits)
{
    return fmpz_bits(fmpq_numref(number)) > bits || fmpz_bits(fmpq_denref(number)) > bits;
}

Expr assembly_short(const Assembly *assembly, ExprPool *pool, Expr e)
{
    bool shortens =
        !assembly->exact && expr_is_number(pool, e) && is_longer(expr_value(pool, e), LONG_NUMBER);
    double number = shortens ? program_nearest_real(expr_value(pool, e)) : 0;
    return number != 0 && isfinite(number) ? expr_double(pool, number) : e;
}

// The size of a number, with its sign beside it.
static ProgramValue number_value(Assembly *assembly, fmpq_t number)
{
    bool negative = fmpq_sgn(number) < 0;
    if (negative)
        fmpq_neg(number, number);
    double real = program_nearest_real(number);
    if (!assembly->exact && is_longer(number, LONG_CONSTANT) && real != 0 && isfinite(real))
        set_real(number, real);
    return (ProgramValue){builder_constant(&assembly->builder, number), negative};
}

ProgramValue assembly_int(Assembly *assembly, int64_t value)
{
    fmpq_set_si(assembly->number, value, 1);
    return number_value(assembly, assembly->number);
}

ProgramValue assembly_real(Assembly *assembly, double value)
{
    set_real(assembly->number, value);
    return number_value(assembly, assembly->number);
}

static bool is_fixed_operand(const Assembly *assembly, uint32_t value)
{
    uint32_t index = value & ~(uint32_t)VALUE_KIND;
    if ((value & VALUE_KIND) == VALUE_RESULT)
        return assembly->fixed.at[index];
    return (value & VALUE_KIND) == VALUE_CONSTANT || index < assembly->parameters;
}

// Whether constants and parameters determine a value.
static bool is_fixed(Assembly *assembly, ProgramValue a)
{
    const Instructions *code = &assembly->builder.code;
    for (size_t i = assembly->fixed.count; i < code->count && assembly->parameters; i++) {
        const Instruction *at = &code->at[i];
        bool second = program_operands(at->op) < 2 || is_fixed_operand(assembly, at->b);
        array_push(&assembly->fixed, second && is_fixed_operand(assembly, at->a));
    }
    return assembly->parameters ? is_fixed_operand(assembly, a.at)
                                : assembly_is_constant(assembly, a);
}

void assembly_set_parameters(Assembly *assembly, size_t count)
{
    assert(count <= assembly->input_count);
    assembly->parameters = count;
}

bool assembly_is_constant(const Assembly *assembly, ProgramValue a)
{
    return constant_of(assembly, a) != NULL;
}

bool assembly_is_zero(const Assembly *assembly, ProgramValue a)
{
    const fmpq *number = constant_of(assembly, a);
    return number && fmpq_is_zero(number);
}

bool assembly_is_one(const Assembly *assembly, ProgramValue a)
{
    const fmpq *number = constant_of(assembly, a);
    return number && fmpq_is_pm1(number);
}

static void take(const Assembly *assembly, ProgramValue a, fmpq_t out)
{
    fmpq_set(out, constant_of(assembly, a));
    if (a.negative)
        fmpq_neg(out, out);
}

// ---- Arithmetic.

// The factors of a product, as far as they are few; 0 where they are not.
enum { MOST_FACTORS = 8 };
static size_t gather_factors(const Assembly *assembly, ProgramValue *a, uint32_t *factors)
{
    uint32_t open[MOST_FACTORS + 1] = {a->at};
    size_t count = 0;
    for (size_t left = 1; left > 0;) {
        uint32_t value = open[--left];
        const Instruction *at = (value & VALUE_KIND) == VALUE_RESULT
                                    ? &assembly->builder.code.at[value & ~VALUE_KIND]
                                    : NULL;
        bool product = at && at->op == PROGRAM_MUL, opposite = at && at->op == PROGRAM_NEG;
        if (left + count + 2 > MOST_FACTORS)
            return 0;
        if (product || opposite)
            open[left++] = at->a;
        if (product)
            open[left++] = at->b;
        a->negative = a->negative != opposite;
        if (!product && !opposite)
            factors[count++] = value;
    }
    return count;
}

// The instruction that makes a value; NULL for what is none.
static const Instruction *made_by(const Assembly *assembly, uint32_t value)
{
    bool result = (value & VALUE_KIND) == VALUE_RESULT;
    return result ? &assembly->builder.code.at[value & ~VALUE_KIND] : NULL;
}

// An angle, of values that are held or of those that are not.
typedef struct {
    uint32_t at;
    bool held;
} SquareAngle;

// Takes the square of a sine or cosine out of the factors, and gives its angle.
static bool take_square(const Assembly *assembly, uint32_t op, uint32_t *factors, size_t *count,
                        SquareAngle *angle)
{
    for (size_t i = 0; i < *count; i++) {
        const Instruction *at = made_by(assembly, factors[i]);
        bool held = at && at->op == PROGRAM_HOLD;
        if (held)
            at = made_by(assembly, at->a);
        if (!at || at->op != op)
            continue;
        *angle = (SquareAngle){at->a, held};
        for (size_t j = i + 1; j < *count; j++) {
            if (factors[j] != factors[i])
                continue;
            factors[j] = factors[--*count];
            factors[i] = factors[--*count];
            return true;
        }
    }
    return false;
}

static bool are_same(const uint32_t *a, const uint32_t *b, size_t count)
{
    bool used[MOST_FACTORS] = {false};
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < count && (used[j] || b[j] != a[i]))
            j++;
        if (j == count)
            return false;
        used[j] = true;
    }
    return true;
}

// c·sin² + c·cos² is c: so a factor that is constant is seen to be.
static bool add_squares(Assembly *assembly, ProgramValue a, ProgramValue b, ProgramValue *sum)
{
    uint32_t first[MOST_FACTORS], second[MOST_FACTORS];
    SquareAngle angle, other;
    size_t few = gather_factors(assembly, &a, first);
    size_t many = few > 1 ? gather_factors(assembly, &b, second) : 0;
    if (few != many || few < 2 || a.negative != b.negative)
        return false;
    bool sine = take_square(assembly, PROGRAM_CALL_SIN, first, &few, &angle);
    if (!sine && !take_square(assembly, PROGRAM_CALL_COS, first, &few, &angle))
        return false;
    if (!take_square(assembly, sine ? PROGRAM_CALL_COS : PROGRAM_CALL_SIN, second, &many, &other) ||
        angle.at != other.at || angle.held != other.held || !are_same(first, second, few))
        return false;
    *sum = assembly_int(assembly, 1);
    for (size_t i = 0; i < few; i++)
        *sum = assembly_mul(assembly, *sum, (ProgramValue){first[i], false});
    sum->negative = sum->negative != a.negative;
    return true;
}

ProgramValue assembly_add(Assembly *assembly, ProgramValue a, ProgramValue b)
{
    if (assembly_is_zero(assembly, a))
        return b;
    if (assembly_is_zero(assembly, b))
        return a;
    if (constant_of(assembly, a) && constant_of(assembly, b)) {
        take(assembly, a, assembly->number);
        take(assembly, b, assembly->other);
        fmpq_add(assembly->number, assembly->number, assembly->other);
        return number_value(assembly, assembly->number);
    }
    if (a.at == b.at && a.negative != b.negative)
        return assembly_int(assembly, 0);
    ProgramValue whole;
    if (add_squares(assembly, a, b, &whole))
        return whole;
    Builder *builder = &assembly->builder;
    if (a.negative == b.negative)
        return (ProgramValue){builder_emit(builder, PROGRAM_ADD, a.at, b.at), a.negative};
    // One order for both differences of two values, so that they are seen to be opposite.
    bool swap = a.at > b.at;
    ProgramValue first = swap ? b : a, second = swap ? a : b;
    return (ProgramValue){builder_emit(builder, PROGRAM_SUB, first.at, second.at), first.negative};
}

ProgramValue assembly_sub(Assembly *assembly, ProgramValue a, ProgramValue b)
{
    return assembly_add(assembly, a, assembly_negated(b));
}

// A constant times what is a constant times a value is one product.
static bool split_product(Assembly *assembly, ProgramValue a, ProgramValue *factor,
                          ProgramValue *rest)
{
    if ((a.at & VALUE_KIND) != VALUE_RESULT)
        return false;
    const Instruction *at = &assembly->builder.code.at[a.at & ~VALUE_KIND];
    bool second = at->op == PROGRAM_MUL && !is_fixed(assembly, (ProgramValue){at->a, false});
    *factor = (ProgramValue){second ? at->b : at->a, false};
    *rest = (ProgramValue){second ? at->a : at->b, a.negative};
    return at->op == PROGRAM_MUL && is_fixed(assembly, *factor);
}

static ProgramValue multiply_constants(Assembly *assembly, ProgramValue a, ProgramValue b)
{
    take(assembly, a, assembly->number);
    take(assembly, b, assembly->other);
    fmpq_mul(assembly->number, assembly->number, assembly->other);
    return number_value(assembly, assembly->number);
}

ProgramValue assembly_mul(Assembly *assembly, ProgramValue a, ProgramValue b)
{
    ProgramValue factor, rest;
    if (assembly_is_zero(assembly, a) || assembly_is_zero(assembly, b))
        return assembly_int(assembly, 0);
    bool constant_a = assembly_is_constant(assembly, a),
         constant_b = assembly_is_constant(assembly, b);
    if (constant_a && constant_b)
        return multiply_constants(assembly, a, b);
    if (constant_b)
        return assembly_mul(assembly, b, a);
    if (assembly_is_one(assembly, a)) {
        take(assembly, a, assembly->number);
        return (ProgramValue){b.at, b.negative != (fmpq_sgn(assembly->number) < 0)};
    }
    bool fixed_a = is_fixed(assembly, a), fixed_b = is_fixed(assembly, b);
    if (fixed_b && !fixed_a)
        return assembly_mul(assembly, b, a);
    if (fixed_a && !fixed_b && split_product(assembly, b, &factor, &rest))
        return assembly_mul(assembly, assembly_mul(assembly, a, factor), rest);
    return (ProgramValue){builder_emit(&assembly->builder, PROGRAM_MUL, a.at, b.at),
                          a.negative != b.negative};
}

ProgramValue assembly_div(Assembly *assembly, ProgramValue a, ProgramValue b)
{
    assert(!assembly_is_zero(assembly, b));
    if (assembly_is_zero(assembly, a))
        return a;
    if (assembly_is_constant(assembly, b)) {
        take(assembly, b, assembly->number);
        fmpq_inv(assembly->number, assembly->number);
        return assembly_mul(assembly, number_value(assembly, assembly->number), a);
    }
    if (is_fixed(assembly, b) && !is_fixed(assembly, a)) {
        uint32_t one = assembly_int(assembly, 1).at;
        ProgramValue inverse = {builder_emit(&assembly->builder, PROGRAM_DIV, one, b.at),
                                b.negative};
        return assembly_mul(assembly, inverse, a);
    }
    return (ProgramValue){builder_emit(&assembly->builder, PROGRAM_DIV, a.at, b.at),
                          a.negative != b.negative};
}

static bool is_held_operand(const Assembly *assembly, uint32_t value)
{
    uint32_t index = value & ~(uint32_t)VALUE_KIND;
    return (value & VALUE_KIND) == VALUE_RESULT
               ? assembly->held.at[index]
               : (value & VALUE_KIND) == VALUE_CONSTANT || index < assembly->parameters;
}

ProgramValue assembly_hold(Assembly *assembly, ProgramValue a)
{
    const Instructions *code = &assembly->builder.code;
    for (size_t i = assembly->held.count; i < code->count; i++) {
        const Instruction *at = &code->at[i];
        bool all = is_held_operand(assembly, at->a) &&
                   (program_operands(at->op) < 2 || is_held_operand(assembly, at->b));
        array_push(&assembly->held, all || at->op == PROGRAM_HOLD);
    }
    if (is_held_operand(assembly, a.at))
        return a;
    // Numbers and signs stay before it, and are merged there as they are with what is not held.
    const Instruction *made = made_by(assembly, a.at);
    if (made && made->op == PROGRAM_NEG)
        return assembly_hold(assembly, (ProgramValue){made->a, !a.negative});
    ProgramValue factor, rest;
    if (split_product(assembly, a, &factor, &rest))
        return assembly_mul(assembly, factor, assembly_hold(assembly, rest));
    return (ProgramValue){builder_emit(&assembly->builder, PROGRAM_HOLD, a.at, 0), a.negative};
}

ProgramValue assembly_miss(Assembly *assembly, ProgramValue a)
{
    if (is_fixed(assembly, a))
        return a;
    return (ProgramValue){builder_emit(&assembly->builder, PROGRAM_MISS, a.at, 0), a.negative};
}

ProgramValue assembly_cosine(Assembly *assembly, ProgramValue angle)
{
    return (ProgramValue){builder_emit(&assembly->builder, PROGRAM_CALL_COS, angle.at, 0), false};
}

ProgramValue assembly_sine(Assembly *assembly, ProgramValue angle)
{
    return (ProgramValue){builder_emit(&assembly->builder, PROGRAM_CALL_SIN, angle.at, 0),
                          angle.negative};
}

// ---- Samples.

void assembly_sample_at(Assembly *assembly, const double *inputs)
{
    assembly->inputs = inputs;
    assembly->samples.count = 0;
}

static double sample_of(Assembly *assembly, uint32_t value)
{
    const Builder *builder = &assembly->builder;
    uint32_t index = value & ~(uint32_t)VALUE_KIND;
    if ((value & VALUE_KIND) == VALUE_INPUT)
        return assembly->inputs[index];
    if ((value & VALUE_KIND) == VALUE_RESULT)
        return assembly->samples.at[index];
    for (size_t i = assembly->constants.count; i <= index; i++)
        array_push(&assembly->constants, (ptrdiff_t)i == builder->pi_at
                                             ? 3.14159265358979323846
                                             : program_nearest_real(builder->constants.at + i));
    return assembly->constants.at[index];
}

double assembly_sample(Assembly *assembly, ProgramValue a)
{
    const Instructions *code = &assembly->builder.code;
    assert(assembly->inputs);
    for (size_t i = assembly->samples.count; i < code->count; i++) {
        const Instruction *at = &code->at[i];
        double first = sample_of(assembly, at->a);
        double second = program_operands(at->op) > 1 ? sample_of(assembly, at->b) : 0;
        array_push(&assembly->samples,
                   program_real_value(assembly->builder.tables, at->op, first, second, 0));
    }
    double sample = sample_of(assembly, a.at);
    return a.negative ? -sample : sample;
}

void assembly_let_samples_decide(Assembly *assembly)
{
    assembly->samples_decide = true;
}

bool assembly_samples_decide(const Assembly *assembly)
{
    return assembly->samples_decide;
}

// ---- Programs.

// Marks what leads to these values; `live` has room for every instruction.
static void mark(const Assembly *assembly, const ProgramValue *values, size_t count, bool *live)
{
    const Instructions *code = &assembly->builder.code;
    for (size_t i = 0; i < count; i++)
        if ((values[i].at & VALUE_KIND) == VALUE_RESULT)
            live[values[i].at & ~VALUE_KIND] = true;
    for (size_t i = code->count; i-- > 0;) {
        const Instruction *at = &code->at[i];
        const uint32_t operands[] = {at->a, at->b};
        for (int j = 0; live[i] && j < program_operands(at->op); j++)
            if ((operands[j] & VALUE_KIND) == VALUE_RESULT)
                live[operands[j] & ~VALUE_KIND] = true;
    }
}

size_t assembly_size(const Assembly *assembly)
{
    return assembly->builder.code.count;
}

size_t assembly_operations(Assembly *assembly, const ProgramValue *values, size_t count)
{
    const Instructions *code = &assembly->builder.code;
    bool *live = base_alloc(code->count + 1);
    size_t operations = 0;
    mark(assembly, values, count, live);
    for (size_t i = 0; i < code->count; i++)
        operations += live[i] && code->at[i].op <= PROGRAM_DIV &&
                      !is_fixed(assembly, (ProgramValue){code->at[i].result, false});
    base_free(live);
    return operations;
}

// The same value in a program of its own.
static uint32_t copied(const Assembly *assembly, Builder *builder, const uint32_t *results,
                       uint32_t value)
{
    uint32_t index = value & ~(uint32_t)VALUE_KIND;
    if ((value & VALUE_KIND) == VALUE_RESULT)
        return results[index];
    if ((value & VALUE_KIND) == VALUE_INPUT)
        return value;
    return (ptrdiff_t)index == assembly->builder.pi_at
               ? builder_pi(builder)
               : builder_constant(builder, assembly->builder.constants.at + index);
}

Program *assembly_program(Assembly *assembly, const ProgramValue *outputs, size_t count)
{
    const Instructions *code = &assembly->builder.code;
    Builder builder = {.pi_at = -1, .tables = assembly->builder.tables};
    bool *live = base_alloc(code->count + 1);
    uint32_t *results = base_alloc((code->count + count + 1) * sizeof *results);
    uint32_t *values = results + code->count;
    mark(assembly, outputs, count, live);
    for (size_t i = 0; i < code->count; i++) {
        const Instruction *at = &code->at[i];
        if (!live[i])
            continue;
        uint32_t second =
            program_operands(at->op) > 1 ? copied(assembly, &builder, results, at->b) : 0;
        results[i] =
            builder_emit(&builder, at->op, copied(assembly, &builder, results, at->a), second);
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = copied(assembly, &builder, results, outputs[i].at);
        if (outputs[i].negative)
            values[i] = builder_emit(&builder, PROGRAM_NEG, values[i], 0);
    }
    Program *program = builder_finish(&builder, assembly->input_count, values, count);
    builder_clear(&builder);
    base_free(results);
    base_free(live);
    if (assembly->parameters == 0)
        return program;
    Program *parametrized = program_parametrized(program, assembly->parameters);
    program_free(program);
    return parametrized;
}
