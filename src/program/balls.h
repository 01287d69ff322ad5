// balls.h: a program run in ball arithmetic (Arb): every output encloses the true value.
//
// Apart from program.h because only rooms that know Arb may include it.
#ifndef ZWANG_PROGRAM_BALLS_H
#define ZWANG_PROGRAM_BALLS_H

#include "program/program.h"

#if __has_include(<flint/arb.h>)
#include <flint/arb.h>
#else
#include <arb.h>
#endif

// 1/(1 + exp(−a)) over all of a ball.
void ball_logistic(arb_t r, const arb_t a, slong precision);

// The branch of a table of this number that a ball of arguments is in, not 0; 0 where it may be in
// several. The number of its piece, indeterminate where it has none.
typedef struct ExprTables ExprTables;
void ball_table_branches(const ExprTables *tables, const arb_t u, const arb_t number,
                         int64_t *first, int64_t *last); // those that it may be in
int64_t ball_table_branch(const ExprTables *tables, const arb_t u, const arb_t number);
void ball_branch_piece(arb_t r, int64_t branch);
// A number of a piece; indeterminate unless the piece is known.
void ball_column(arb_t r, const ExprTables *tables, const arb_t piece, const arb_t number);

// Registers are made and cleared inside. An output that is not finite is an indeterminate ball.
void program_run_ball(const Program *program, slong precision, arb_srcptr inputs, arb_ptr outputs);

#endif
