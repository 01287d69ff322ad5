// program.h: straight-line programs lowered from expressions, and the
// arithmetics that one program can run in.
//
// A program is one flat array of instructions over numbered registers; work
// that several outputs share is done once. The same array runs in doubles, in
// a prime field, in balls and in power series: a new operation is one row of expr/ops.def.
#ifndef ZWANG_PROGRAM_H
#define ZWANG_PROGRAM_H

#include "base/memory.h"
#include "expr/expr_types.h"

#include <flint/fmpq.h>

typedef struct Program Program;
typedef struct Random Random; // strings.h

// Lowers the outputs as functions of the inputs (symbols). Where an output holds a symbol
// that is no input the value is NULL and *missing (may be NULL) is that symbol.
Program *program_new(const ExprPool *pool, const Expr *inputs, size_t input_count,
                     const Expr *outputs, size_t output_count, Expr *missing);
// The same where the outputs may also hold symbols that are defined: each by an expression in
// inputs and in symbols defined before it. Its value is worked out once, as it stands: no sum or
// product grows into another across a definition.
typedef struct ProgramDefinition {
    Expr symbol, value;
} ProgramDefinition;
Program *program_new_defined(const ExprPool *pool, const Expr *inputs, size_t input_count,
                             const ProgramDefinition *definitions, size_t definition_count,
                             const Expr *outputs, size_t output_count, Expr *missing);
// The same function for running in doubles, in fewer operations: what depends on constants alone
// is worked out, what adds 0 or multiplies by 1 or 0 is left out, and so is what nobody reads.
// Constants are then rounded, so that it proves nothing.
Program *program_folded(const Program *program);
// The same where the first inputs have these numbers, and are inputs no more.
Program *program_bound(const Program *program, const double *values, size_t count);
// The same where the first inputs are parameters, and are inputs no more. What they determine is
// worked out by program_set_parameters, once for all runs; the instructions do not depend on their
// numbers. Before that it has no value.
Program *program_parametrized(const Program *program, size_t count);
void program_set_parameters(Program *program, const double *parameters);
// In two: the value gives from the first `fixed` inputs alone what they determine; *rest takes all
// inputs and, after them, what that has given. Both belong to the caller.
Program *program_split(const Program *program, size_t fixed, Program **rest);
void program_free(Program *program);
size_t program_inputs(const Program *program);
size_t program_outputs(const Program *program);
size_t program_operations(const Program *program); // arithmetic instructions
size_t program_registers(const Program *program);  // how many numbers `work` holds

// The double nearest to a rational number (half to even; infinite beyond the range).
double program_nearest_real(const fmpq *value);

// In doubles. `work` holds program_registers numbers; nothing is allocated.
// inputs and outputs may not overlap.
// Whether an output is an input as it is.
bool program_passes(const Program *program, size_t input, size_t output);
// Takes sines and cosines that are worked out four at a time where the program is compiled. Their
// last digits differ from those of the C library.
void program_batch_waves(Program *program);
// The same with one quotient in the place of several that share a divisor, and products; frees it,
// or is it. Last digits differ.
Program *program_share_quotients(Program *program);
void program_run_real(const Program *program, const double *inputs, double *outputs, double *work);
// The same of a program that is needed once, and is freed; false where it is NULL.
bool program_run_once(Program *program, const double *inputs, double *outputs);
// The same for PROGRAM_LANES inputs at once: the numbers of all lanes stand together, those of each
// input, of each output and of each register of `work`.
enum { PROGRAM_LANES = 8 };
void program_run_lanes(const Program *program, const double *inputs, double *outputs, double *work);

// Whether all outputs are certainly not 0 at these inputs: in balls of so many bits.
bool program_excludes_zero(const Program *program, const double *inputs, long precision);
// Whether all outputs have a value at the inputs: one that has none in doubles is then too large or
// too small for these, or a part of it is.
bool program_is_defined(const Program *program, const double *inputs, long precision);
// exact_values.c: its values at these inputs to their last digit, however much cancels; NAN where
// that is not known, as at a jump.
void program_run_exactly(const Program *program, const double *inputs, double *outputs);

// Whether each output is a function that is not 0 everywhere: shown exactly, in a prime field, for
// rational operations, and sines and cosines of inputs. False where that does not show it.
bool program_outputs_are_not_zero(const Program *program);

// Which inputs each output can depend on, as far as the instructions tell: the inputs of output i,
// in order, from begins[i] up to begins[i + 1] (program_outputs + 1 of them) of the list returned,
// which the caller frees.
size_t *program_depends(const Program *program, size_t *begins);

// Whether all outputs stay the same where this input, an angle, grows by 2π, to the eye; false
// where that cannot be seen.
bool program_forgets_turns(const Program *program, size_t input);

// In the field of `prime` elements (an odd prime below 2^63). Only rational operations and
// square roots live there: false where the program holds another function, where a divisor
// is zero, or where a root does not exist. A root's sign is drawn from `signs`, the same for
// the same number under the root.
bool program_run_field(const Program *program, uint64_t prime, Random *signs,
                       const uint64_t *inputs, uint64_t *outputs, uint64_t *work);
// Whether every instruction can run in a prime field.
bool program_is_rational(const Program *program);
// Whether it takes roots.
bool program_has_roots(const Program *program);

// ---- In truncated power series. All room is made at once: most_order is the highest k. The first
// `constants` inputs are constant in time.
typedef struct ProgramSeries ProgramSeries;
ProgramSeries *program_series_new(const Program *program, size_t constants, size_t most_order);
void program_series_free(ProgramSeries *series);
// Coefficient k of every output from coefficient k of every input, for k = 0, 1, 2, … in turn;
// k = 0 begins anew, and any k may be done again with other inputs. Where a function has no series
// (sqrt at 0, a divisor that vanishes) the coefficients are not finite. The program must outlive
// the series.
void program_series_next(ProgramSeries *series, size_t k, const double *inputs, double *outputs);
// How far, at most `most`, the branches that abs, sign, min and max have taken stay the right ones,
// by the coefficients up to `order`: infinite where they stay so all the way, else just beyond the
// first switch, or as far as the coefficients can tell.
double program_series_clear(const ProgramSeries *series, size_t order, double most);
// How many of these functions it holds; whether any.
size_t program_switches(const Program *program);
bool program_has_switches(const Program *program);

// The first root of Σ c_k·s^k with 0 < s ≤ most, rounded up by less than 2⁻⁴⁵ of `most` where
// rounding lets it be known so well; infinite where there is none. A root at 0 does not count. The
// degree is at most 63.
double program_first_root(const double *coefficients, size_t degree, double most);

#endif
