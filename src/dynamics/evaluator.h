// evaluator.h: a program together with the workspace that it needs.
#ifndef ZWANG_DYNAMICS_EVALUATOR_H
#define ZWANG_DYNAMICS_EVALUATOR_H

#include "base/memory.h"
#include "expr/expr_types.h"

typedef struct Program Program;             // program.h
typedef struct ProgramNative ProgramNative; // native.h
typedef struct ProgramSeries ProgramSeries; // program.h

// ---- evaluator.c: a program with its room.
typedef struct Evaluator {
    Arena *arena; // of what it owns; NULL where another one does
    Program *program;
    size_t outputs; // how many, with those that are 0
    // Where most outputs are 0 the program has the others alone; these are their places in `out`.
    size_t count, *places; // NULL: all of them, in their order
    // The workspace of one thread; NULL before the first evaluation.
    double *out; // what the last evaluation gave
    double *work;
    double *filled;              // what the program itself gave; `out` where it has all outputs
    const ProgramNative *native; // NULL: interpreted; not owned
    size_t which;                // among the native ones
    ProgramSeries *series;       // NULL before it is opened
} Evaluator;

// Outputs, of which most may be 0: those that are not, by rising places.
typedef struct {
    ARRAY(Expr) filled;
    ARRAY(size_t) places;
    size_t count; // with those that are 0
} SparseOutputs;
// As the next output; so many at once, one after the other; none but zeros.
void outputs_push(SparseOutputs *outputs, const ExprPool *pool, const Expr *exprs, size_t count);
void outputs_skip(SparseOutputs *outputs, size_t count);
// Those that stand from one place up to another; how many.
size_t outputs_between(const SparseOutputs *outputs, size_t from, size_t to, const Expr **filled);
void outputs_clear(SparseOutputs *outputs);

// False where an output holds a symbol that is no input; *missing is that symbol.
bool evaluator_init_sparse(Evaluator *evaluator, ExprPool *pool, const Expr *inputs,
                           size_t input_count, const SparseOutputs *outputs, Expr *missing);
// The same of all outputs.
bool evaluator_init(Evaluator *evaluator, ExprPool *pool, const Expr *inputs, size_t input_count,
                    const Expr *outputs, size_t output_count, Expr *missing);
// Of a program that is there, which it owns from now on.
void evaluator_adopt(Evaluator *evaluator, Program *program);
// The same program with a workspace of its own, in an arena: for one more thread. `of`, which may
// be without a program, outlives it. Of what is shared only the series are cleared.
void evaluator_share(const Evaluator *of, Arena *arena, Evaluator *evaluator);
void evaluator_clear(Evaluator *evaluator);
void evaluator_run(Evaluator *evaluator, const double *inputs);
// In power series, once opened (`constants` inputs do not move): coefficient k from the inputs'.
void evaluator_open_series(Evaluator *evaluator, size_t constants, size_t most_order);
void evaluator_next(Evaluator *evaluator, size_t k, const double *inputs);
// Whether abs, sign, min or max is in its program.
bool evaluator_has_switches(const Evaluator *evaluator);
// Whether what the last evaluation gave are numbers.
bool evaluator_is_finite(const Evaluator *evaluator);

#endif
