// kept.h: programs that are asked for again and again, kept with the pool of their expressions.
#ifndef ZWANG_PROGRAM_KEPT_H
#define ZWANG_PROGRAM_KEPT_H

#include "program/program.h"

// ---- kept.c
// A program that was kept with the pool for the same expressions, or NULL; program_free gives it
// back. Nobody changes it. `bounded`: made of the outputs as expr_bounded has them.
typedef struct {
    const Expr *inputs;
    size_t input_count;
    const Expr *outputs;
    size_t output_count;
    bool bounded;
} ProgramKey;
Program *program_kept(const ExprPool *pool, const ProgramKey *key);
// Keeps one that was made for these, unless there are very many already. NULL: nothing.
void program_keep(ExprPool *pool, const ProgramKey *key, Program *program);
// As program_new, but kept.
Program *program_new_kept(ExprPool *pool, const Expr *inputs, size_t input_count,
                          const Expr *outputs, size_t output_count, Expr *missing);
// Whether an expression is a number, and which, as a program has it.
bool program_number(const ExprPool *pool, Expr e, double *number);

#endif
