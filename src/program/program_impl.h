// program_impl.h: what a program is made of; only for this room.
//
// Registers are numbered in one row: first the constants, then the inputs, then what the
// instructions write. An instruction reads all its operands before it writes, so its result
// may take the register of an operand that is not needed again.
#ifndef ZWANG_PROGRAM_IMPL_H
#define ZWANG_PROGRAM_IMPL_H

#include "base/base.h"
#include "expr/expr.h"
#include "expr/tables.h"
#include "program/program.h"

typedef enum {
#define INSTRUCTION(NAME, operands, ...) PROGRAM_##NAME,
#include "program/instructions.def"
#undef INSTRUCTION
    PROGRAM_ARITHMETIC_COUNT,
    // The functions of the language follow; leaves, sums and products have a number too,
    // and are never emitted.
    PROGRAM_FUNCTIONS = PROGRAM_ARITHMETIC_COUNT,
#define OP(NAME, ...) PROGRAM_CALL_##NAME = PROGRAM_FUNCTIONS + EXPR_##NAME,
#include "expr/ops.def"
#undef OP
} ProgramOp;

typedef struct {
    uint32_t op; // a ProgramOp
    uint32_t result;
    uint32_t a, b, c; // 0 where unused
} Instruction;

struct Program {
    Instruction *code;
    size_t code_count;
    size_t constant_count, input_count, output_count, register_count;
    fmpq *exact;  // the constants; the value of pi is not among them, nor are later ones
    double *real; // the same, rounded to nearest; later ones when program_set_parameters was called
    uint32_t *later;   // of every constant: which output of the prologue it is, or PROGRAM_LITERAL
    Program *prologue; // of the parameters; NULL for none
    ptrdiff_t pi_at;   // which constant is pi, or -1
    uint32_t *outputs; // the register of each
    bool rational, has_roots;
    size_t shares;            // how many have it besides its first owner (kept.c)
    const ExprTables *tables; // of the pool that it was lowered from
};

// As the rows of instructions.def have them, where `tables` are at hand.
#define table_piece(u, number)      expr_tables_piece(tables, u, number)
#define table_column(piece, number) expr_tables_column(tables, piece, number)

enum { PROGRAM_LITERAL = UINT32_MAX };

// ---- builder.c: a constant of a program.
double program_real_of(const fmpq *value);

// Where a root is looked for, an interval of 2 to the power of minus this of the whole is a point.
enum { PROGRAM_POINT_LEVEL = 46 };

static inline double real_sign(double a)
{
    return (double)((a > 0) - (a < 0));
}

// ---- waves.c: sines and cosines as waves.h rounds them.
void program_wave(double angle, double *sine, double *cosine);
double program_sine(double angle);
double program_cosine(double angle);
bool program_has_waves(const Program *program);

// Whether it takes one of several branches.
static inline bool program_is_switch(uint32_t op)
{
    return op == PROGRAM_CALL_ABS || op == PROGRAM_CALL_SIGN || op == PROGRAM_CALL_MIN ||
           op == PROGRAM_CALL_MAX || op == PROGRAM_PIECE;
}

// How many operands an instruction reads.
int program_operands(uint32_t op);

// A program in the making. Every instruction defines one value and each value is defined
// once; a value's name says where it lives.
enum {
    VALUE_CONSTANT = 0x00000000u, // | index
    VALUE_INPUT = 0x40000000u,
    VALUE_RESULT = 0x80000000u,
    VALUE_KIND = 0xC0000000u
};

typedef ARRAY(Instruction) Instructions;

// builder.c: constants and instructions, each kept once. Starts as {.pi_at = -1}.
typedef struct {
    Instructions code;
    uint32_t *code_slots; // hash table of index + 1
    size_t code_slot_count;
    ARRAY(fmpq) constants;
    uint32_t *constant_slots;
    size_t constant_slot_count;
    ptrdiff_t pi_at;
    const ExprTables *tables; // for its program
} Builder;
// The values of a constant, of pi, and of an instruction (b is 0 where it reads one operand).
uint32_t builder_constant(Builder *builder, const fmpq *value);
uint32_t builder_pi(Builder *builder);
uint32_t builder_emit(Builder *builder, uint32_t op, uint32_t a, uint32_t b);
// The same of any instruction: products that were joined with sums are taken apart.
uint32_t builder_emit_whole(Builder *builder, uint32_t op, uint32_t a, uint32_t b, uint32_t c);
// A constant whose number comes later.
uint32_t builder_later(Builder *builder);
// The program of these values; the builder is left empty, to be cleared.
Program *builder_finish(Builder *builder, size_t input_count, const uint32_t *outputs,
                        size_t output_count);
void builder_clear(Builder *builder);

// pairs.c: how often two factors, given by their nodes, stand side by side. Starts as {0}.
typedef struct {
    uint64_t key;
    uint32_t times;
} Pair;
typedef struct {
    Pair *at; // hash table
    size_t room, count;
} Pairs;
void pairs_count(Pairs *pairs, const ExprPool *pool, const ExprList *nodes);
uint32_t pairs_times(const Pairs *pairs, uint32_t a, uint32_t b);
void pairs_clear(Pairs *pairs);

// lower.c: gives a value to every node that e is made of and that has none yet (UINT32_MAX), by its
// index; false where a symbol has none.
bool program_lower(const ExprPool *pool, Builder *builder, uint32_t *values, Expr e);

// real.c: the value of one instruction in doubles, of the operands that it reads.
double program_real_value(const ExprTables *tables, uint32_t op, double a, double b, double c);

// Joins products with the sums they flow into and gives every value a register. `outputs` are
// values on entry and registers on return. Returns the number of registers.
size_t program_allot(Instructions *code, size_t constant_count, size_t input_count,
                     uint32_t *outputs, size_t output_count);

#endif
