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

// Registers are made and cleared inside. An output that is not finite is an indeterminate ball.
void program_run_ball(const Program *program, slong precision, arb_srcptr inputs, arb_ptr outputs);

#endif
