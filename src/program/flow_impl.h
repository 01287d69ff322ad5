// flow_impl.h: a program as steps of power series, sorted by what they cost; only for this room.
#ifndef ZWANG_PROGRAM_FLOW_IMPL_H
#define ZWANG_PROGRAM_FLOW_IMPL_H

#include "program/native.h"
#include "program/program_impl.h"

// How a step's coefficient of order k is found.
typedef enum {
    FLOW_FLAT,     // constant in time: the plain value, once
    FLOW_LINEAR,   // sums, and products with what is constant
    FLOW_PRODUCT,  // a·b, or with ± c: a sum over all orders
    FLOW_QUOTIENT, // a/b
    FLOW_ROOT,     // √a
    FLOW_SLOPE,    // k·a_k
    FLOW_WAVE,     // r = sin a and partner = cos a, from the slope
    FLOW_EXP,      // e^a, from the slope
    FLOW_OTHER     // as the row of the table says
} FlowKind;

enum { FLOW_NONE = UINT32_MAX };

typedef struct {
    FlowKind kind;
    uint32_t op;
    uint32_t a, b, c, r;     // values; FLOW_NONE where there is none
    uint32_t slope, partner; // values of FLOW_WAVE, FLOW_EXP
    uint32_t helpers;        // FLOW_OTHER: how many
} FlowStep;

// Constants first, then inputs, then what the steps make.
typedef struct {
    bool moves;
    bool stored;    // its coefficients are read again by later orders
    bool swept;     // … four at a time
    uint32_t piece; // which piece of the steps makes it
    uint32_t slope; // the value k·a_k, FLOW_NONE before there is one
    uint32_t sine, cosine;
} FlowValue;

typedef struct {
    const Program *program;
    const int *rates;
    ARRAY(FlowValue) values;
    ARRAY(FlowStep) steps;
    uint32_t *outputs; // the value of each
    size_t products;   // sums over all orders: what the work is made of
    bool has_other;
} Flow;

void flow_init(Flow *flow, const Program *program, const int *rates);
void flow_clear(Flow *flow);
// Cuts the steps into pieces of `size`; what one piece makes and another reads is stored.
void flow_cut(Flow *flow, size_t size);
// The pair of values whose products a step sums up over all orders; false where it does not.
// A FLOW_WAVE has two: `which` is 0 for the sine, 1 for the cosine.
bool flow_factors(const FlowStep *step, int which, uint32_t *left, uint32_t *right);

// ---- print_flow_steps.c: one order of all steps. Orders come in blocks of so many.
enum { FLOW_BLOCK = 4 };
typedef struct {
    const Flow *flow;
    Text *out;
    size_t piece_size; // of the steps, where every piece of an order is a function; else 0
    uint32_t piece;    // which is printed
    bool first;        // orders 0 … 3; else K … K + 3
    unsigned order;    // within the block
    size_t row_count;  // of the work array
    size_t series;     // Row structures used by FLOW_OTHER so far
    uint32_t *sweeps;  // of every value: which of the block's sums is its first
} FlowPrinter;
// The piece's steps, or all.
void flow_print_order(FlowPrinter *p);
bool flow_moves(const FlowPrinter *p, uint32_t value);
uint32_t flow_input(const FlowPrinter *p, size_t input); // its value
void flow_print_flat(const FlowPrinter *p, uint32_t value);
void flow_begin_constant(const FlowPrinter *p, uint32_t value);

// ---- print_c.c
// An operation's value in doubles; `operand` prints what stands for a (0), b (1) or c (2).
void program_print_c_operation(uint32_t op, void (*operand)(const void *context, int which),
                               const void *context, Text *out);
void program_print_c_number(double value, Text *out);

#endif
