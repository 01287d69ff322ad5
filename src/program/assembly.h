// assembly.h: a program put together value by value, where canonical sums would expand.
//
// What is 0 is dropped, what is 1 multiplies nothing, constants are worked out, equal work is done
// once, and a sign costs nothing before somebody must see it.
#ifndef ZWANG_PROGRAM_ASSEMBLY_H
#define ZWANG_PROGRAM_ASSEMBLY_H

#include "base/memory.h"
#include "expr/expr_types.h"

typedef struct Program Program; // program.h
typedef struct Assembly Assembly;

typedef struct {
    uint32_t at;   // a value of the program in the making
    bool negative; // meant with the other sign
} ProgramValue;

// The inputs are symbols. Constants are worked out exactly, or rounded where they grow long and
// `exact` is false.
Assembly *assembly_new(const ExprPool *pool, const Expr *inputs, size_t count, bool exact);
void assembly_free(Assembly *assembly);
// The first so many inputs are parameters: what they determine will be worked out once.
void assembly_set_parameters(Assembly *assembly, size_t count);
// The value of an expression in inputs and in symbols that were defined; false where it holds
// another symbol.
bool assembly_lower(Assembly *assembly, Expr e, ProgramValue *value);
void assembly_define(Assembly *assembly, Expr symbol, ProgramValue value);

ProgramValue assembly_int(Assembly *assembly, int64_t value);
ProgramValue assembly_real(Assembly *assembly, double value); // exactly; finite
ProgramValue assembly_add(Assembly *assembly, ProgramValue a, ProgramValue b);
ProgramValue assembly_sub(Assembly *assembly, ProgramValue a, ProgramValue b);
ProgramValue assembly_mul(Assembly *assembly, ProgramValue a, ProgramValue b);
ProgramValue assembly_div(Assembly *assembly, ProgramValue a, ProgramValue b);
// The value where a power series begins, for all of its orders.
ProgramValue assembly_hold(Assembly *assembly, ProgramValue a);
// The value with 0 in the place of the inputs that series solve for.
ProgramValue assembly_miss(Assembly *assembly, ProgramValue a);
ProgramValue assembly_cosine(Assembly *assembly, ProgramValue angle);
ProgramValue assembly_sine(Assembly *assembly, ProgramValue angle);
static inline ProgramValue assembly_negated(ProgramValue a)
{
    return (ProgramValue){a.at, !a.negative};
}
// A number with very many digits as a double, where constants may be rounded; else e.
Expr assembly_short(const Assembly *assembly, ExprPool *pool, Expr e);
// What is known of a value before any number is.
bool assembly_is_zero(const Assembly *assembly, ProgramValue a);
bool assembly_is_one(const Assembly *assembly, ProgramValue a);      // or minus 1
bool assembly_is_constant(const Assembly *assembly, ProgramValue a); // a rational number

// Numbers of the inputs, for samples: what a value comes to there.
void assembly_sample_at(Assembly *assembly, const double *inputs);
double assembly_sample(Assembly *assembly, ProgramValue a);
// With other samples the assembly would be another one.
void assembly_let_samples_decide(Assembly *assembly);
bool assembly_samples_decide(const Assembly *assembly);

size_t assembly_size(const Assembly *assembly); // instructions so far, used or not
// How many sums, differences, products and quotients these values take, without what parameters
// determine.
size_t assembly_operations(Assembly *assembly, const ProgramValue *values, size_t count);
// The program of these outputs, parametrized where there are parameters. The assembly stays as it
// is.
Program *assembly_program(Assembly *assembly, const ProgramValue *outputs, size_t count);

#endif
