// flow_impl.h: a program as steps of power series, sorted by what they cost; only for this room.
#ifndef ZWANG_PROGRAM_FLOW_IMPL_H
#define ZWANG_PROGRAM_FLOW_IMPL_H

#include "program/native.h"
#include "program/program_impl.h"

// How a step's coefficient of order k is found.
typedef enum {
    FLOW_FLAT, // constant in time: the plain value, once
    FLOW_HELD, // the same of what order 0 has found
#define FLOW(NAME, ...) FLOW_##NAME,
#include "program/flow_kinds.def"
#undef FLOW
    FLOW_OTHER // as the row of the operation's table says
} FlowKind;

enum { FLOW_NONE = UINT32_MAX };

typedef struct {
    FlowKind kind;
    uint32_t op;
    // Values; FLOW_NONE where there is none. Of what scales, a is the constant factor; of
    // FLOW_WAVE, r is the sine of a.
    uint32_t a, b, c, r;
    uint32_t slope, partner; // of FLOW_WAVE, FLOW_EXP, FLOW_POWER: a's slope; the cosine
    uint32_t helpers;        // FLOW_OTHER: how many
    // Of FLOW_POWER, which is a^power: the power, and the constant that keeps power·r_0/a_0.
    double power;
    uint32_t kept;
    uint32_t
        below;    // at order 0 it is 1/below, and a product with such a power a/below; or FLOW_NONE
    bool begins;  // no more than its order 0 is read
    uint32_t sum; // the first of its sums; set by flow_find_sums
} FlowStep;

// Constants first, then inputs, then what the steps make.
typedef struct {
    bool moves;
    bool held;      // does not move, and is known once order 0 is
    bool stored;    // its coefficients are read again by later orders
    bool passed;    // … by the next one
    bool swept;     // … four at a time, in a sweep
    uint32_t piece; // which piece of the steps makes it
    uint32_t slope; // the value k·a_k, FLOW_NONE before there is one
    uint32_t sine, cosine;
    // base^power, where it is known to be one; the value 1 over it, FLOW_NONE before there is one.
    uint32_t base, inverse;
    double power;
    uint32_t pack, lane; // where it stands in a vector; FLOW_NONE where in none
    uint32_t whole;      // itself; or, of what is found without solved inputs, the value with them
    uint32_t like;       // itself; or a value that differs from it at order 0 alone
} FlowValue;

// Values that stand side by side; the last one fills up where there are fewer.
typedef struct {
    uint32_t lanes[4], count;
} FlowPack;

// A sum Σ left_i·right_{k−i} of whole values over 0 < i < k; the right factor is the one that is
// read four at a time. In a short program steps whose factors differ at order 0 alone share it.
typedef struct {
    uint32_t left, right;
    uint32_t last; // of the steps that read it: what the last one makes
} FlowSum;

// Orders come in blocks of so many.
enum { FLOW_BLOCK = 4 };

// So many sums are swept at once where a processor has 32 registers for vectors of four; elsewhere
// so few that 16 registers hold them and three factors. A program of more sums than the last number
// is cut into functions and its sums are swept one by one.
enum { FLOW_SWEEPS = 16, FLOW_FEW_SWEEPS = 13, FLOW_MOST_TOGETHER = 64 };

typedef struct {
    const Program *program;
    const int *rates;
    ARRAY(FlowValue) values;
    ARRAY(FlowStep) steps;
    ARRAY(FlowSum) sums;    // what the work is made of
    ARRAY(uint32_t) sweeps; // the sums in the order in which they are swept
    ARRAY(FlowPack) packs;
    uint32_t *outputs; // the value of each
    size_t width;      // parts of the state among the inputs
    bool has_other;
    bool merges;    // steps may share a sum
    bool is_linear; // in solved inputs
} Flow;

// Inputs whose rate is PROGRAM_RATE_NONE are constant in time. With `powers` a quotient by a power
// that takes several steps, as r³ of r², is a product with its inverse, which takes one.
void flow_init(Flow *flow, const Program *program, const int *rates, bool powers);
void flow_clear(Flow *flow);
// Adds a value, which is whole; one that a step makes has to be told so.
uint32_t flow_add_value(Flow *flow, bool moves);
// (flow_solved.c) Adds the steps that set right what depends on solved inputs.
void flow_solve(Flow *flow);
// (flow_native.c) From which of so many inputs on sums of series are worked out: 1 where the first
// is the time, of which the sum is known, and those of the others fill whole vectors; else 0.
size_t program_flow_summed(const int *rates, size_t count);
// (flow_pieces.c) Cuts the steps into pieces of `size`, or, to share them, of what repeats, a pack
// being one step; what one piece makes and another reads is stored.
void flow_cut(Flow *flow, size_t size, bool shares);
// The sums of the steps, and which of them each step has.
void flow_find_sums(Flow *flow);
// The value whose row has a factor's coefficients above order 0.
uint32_t flow_row_of(const Flow *flow, uint32_t factor);
// What is in a step's sums over all orders, as the table says; and the pair of values whose
// products these are; false where there is none. A FLOW_WAVE has two: `which` is 0 for the sine, 1
// for the cosine. So has a FLOW_POWER: with the slope of its base, and with the base.
int flow_ends(const FlowStep *step);
// As they are at the order at hand; of former orders there are whole values.
bool flow_factors(const FlowStep *step, int which, uint32_t *left, uint32_t *right);

// ---- flow_packs.c: steps that do the same, side by side; none where that does not gain.
void flow_pack(Flow *flow);

// ---- print_flow_lanes.c: the sums of a long program, four side by side.
// Where a coefficient of order 0 goes in the work array; those of the others follow every four.
typedef struct {
    uint32_t place, next; // the next one of the same value, counted from 1; 0 for none
    bool whole;           // a pack stands there, whose coefficients go there together
} FlowLane;
// Rows of four values, and of a group of four sums those of its factors.
typedef struct {
    uint32_t values[4], place;
} FlowRows;
typedef struct {
    uint32_t left, right; // places
} FlowGroup;
typedef struct {
    size_t squares;         // groups of four sums; those of squares come first
    size_t at, block, room; // where the factors are; numbers of four rows; of all
    uint32_t *slots;        // of every sum: what it has so far, of the block's first order
    uint32_t *first;        // of every value: its first lane, counted from 1; 0 for none
    ARRAY(FlowGroup) groups;
    ARRAY(FlowRows) rows;
    ARRAY(FlowLane) all;
} FlowLanes;
// Rows have so many orders.
void flow_lanes_init(FlowLanes *lanes, const Flow *flow, size_t length, size_t at);
void flow_lanes_clear(FlowLanes *lanes);

// ---- Printing.
typedef enum {
    FLOW_BEGIN, // order 0
    FLOW_FIRST, // orders 1 … 3, each in its own words
    FLOW_LATER, // orders K … K + 3, the same
    FLOW_ANY    // order N = K + J, in words that hold for all
} FlowPhase;
typedef struct {
    const Flow *flow;
    Text *out;
    FlowPhase phase;
    size_t piece_size; // of the steps, where every piece of an order is a function; else 0
    bool shares;       // equal pieces are one function
    uint32_t piece;    // which is printed
    unsigned order;    // within the block; 0 for FLOW_ANY
    size_t room;       // numbers of the work array so far
    size_t flat;       // where in it what is constant in time begins, constants first
    size_t length;     // of a row
    size_t series;     // Row structures used by FLOW_OTHER so far
    uint32_t *rows;    // of every value that is stored: where its row is in the work array
    FlowLanes *lanes;  // where every piece of an order is a function; else NULL
    size_t vectors;    // where in the work array what packs keep begins
    size_t packs;      // where the coefficients at hand of packs are
} FlowPrinter;

// ---- print_flow_steps.c: one order of the piece's steps, or of all.
void flow_print_order(FlowPrinter *p);
bool flow_moves(const FlowPrinter *p, uint32_t value);
uint32_t flow_input(const FlowPrinter *p, size_t input); // its value
void flow_print_flat(const FlowPrinter *p, uint32_t value);
void flow_begin_constant(const FlowPrinter *p, uint32_t value);
// A value's coefficient of this block's order `order`, or of the order at hand.
void flow_print_new(const FlowPrinter *p, uint32_t value, unsigned order);
void flow_print_now(const FlowPrinter *p, uint32_t value);
void flow_print_in_pack(const FlowPrinter *p, uint32_t value);

// ---- print_flow_shared.c: sums and differences in words that tell the sign; all pieces of the
// phase, equal ones as one function; the calls of all.
extern const char flow_signs[];
void flow_print_pieces(FlowPrinter *p, size_t count, const char *name, const char *parameters,
                       const char *arguments, Text *calls);

// ---- print_flow_sums.c: sums over all orders.
// Σ … of a step's pair of factors, with the ends that belong to it.
void flow_print_sum(const FlowPrinter *p, const FlowStep *step, int which);
// What a step's new coefficients give to the block's later orders: after the step, or, where inputs
// are solved for, after all steps.
void flow_print_share(const FlowPrinter *p, const FlowStep *step);
// What the four orders of a block can know at its beginning.
void flow_print_sweeps(const FlowPrinter *p);
// The functions and tables for that, where sums have lanes; and a new coefficient into its lanes.
void flow_print_lane_tools(const FlowPrinter *p);
void flow_print_lane_stores(const FlowPrinter *p, uint32_t value);

// ---- print_flow_packs.c: the steps of a pack, at an order above 0. Of order 0 a pack keeps so
// many numbers.
enum { FLOW_KEPT = 3 * FLOW_BLOCK };
bool flow_is_packed(const FlowPrinter *p, uint32_t value); // … at the order at hand
void flow_print_pack(const FlowPrinter *p, const FlowStep *first);
// After order 0: what packs keep of it.
void flow_print_pack_constants(const FlowPrinter *p);
// How a step's coefficient is found: text as in flow_kinds.def.
const char *flow_kind_text(FlowKind kind);

// ---- print_c.c
// An operation's value in doubles, or a text as those of the tables; `operand` prints what stands
// for a (0), b (1), …, z.
void program_print_c_operation(uint32_t op, void (*operand)(const void *context, int which),
                               const void *context, Text *out);
void program_print_c_text(const char *text, void (*operand)(const void *context, int which),
                          const void *context, Text *out);
void program_print_c_number(double value, Text *out);

#endif
