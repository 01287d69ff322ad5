// expression_impl.h: expressions while they are read: what is open, and the operands so far.
#ifndef ZWANG_TEXT_EXPRESSION_IMPL_H
#define ZWANG_TEXT_EXPRESSION_IMPL_H

#include "text/text_impl.h"

typedef enum {
    FRAME_SIGN,
    FRAME_POWER,
    FRAME_PRODUCT,
    FRAME_SUM,
    FRAME_IN, // [a, b, c] in …
    FRAME_ROOT,
    FRAME_ROUND,  // ( … )
    FRAME_CALL,   // name( … )
    FRAME_INDEX,  // name[ … ]
    FRAME_VECTOR, // [ … ]
    FRAME_TOTAL   // sum( … )
} FrameKind;

typedef enum { STAGE_FIRST, STAGE_SECOND, STAGE_TERM } FrameStage;

typedef struct {
    FrameKind kind;
    FrameStage stage; // behind `on` or `..` a call or an index is in its second stage;
                      // a total reads low, then high, and at last its term
    bool inverse;     // the operand to come is subtracted, divided by, negated
    uint32_t name;    // of a call, or of a total's variable
    uint32_t second;  // of a total: the second variable of pairs, where `pairs`
    bool pairs;
    uint32_t primes; // of a call f''(…)
    uint32_t by;     // of a call U'[1,2](…): how many numbers there are
    uint32_t start;  // where its first character stands
    uint32_t base;   // its first operand on the stack
} Frame;

typedef struct {
    uint32_t node, start, end;
    bool inverse;
} Operand;

typedef enum { STATE_WANT, STATE_HAVE, STATE_DONE, STATE_FAILED } State;

typedef struct {
    Parser *parser;
    Syntax *syntax;
    ARRAY(Frame) frames;
    ARRAY(Operand) operands;
    Operand have; // the newest operand; it is not on the stack
} Builder;

static inline Frame *builder_top(Builder *builder)
{
    return &builder->frames.at[builder->frames.count - 1];
}

// ---- expression_frames.c
State builder_open(Builder *builder, FrameKind kind, uint32_t name, uint32_t start);
void builder_close(Builder *builder);
// The newest operand: a node without children; then onto the stack.
void builder_leaf(Builder *builder, NodeKind kind, uint32_t name, Token token);
void builder_push(Builder *builder);
// Makes a node whose children are the operands from `base` on; it becomes the newest operand.
void builder_parent(Builder *builder, Node node, uint32_t base, uint32_t start, uint32_t end);
// Closes the topmost sign, power, product, sum or `in`.
void builder_reduce_top(Builder *builder);
// Closes all frames that bind as tightly, or tighter.
void builder_reduce(Builder *builder, FrameKind loosest);

// ---- expression_brackets.c
// Whether a call begins here: f(…), f''(…) or U'[1,2](…).
bool bracket_is_call(const Parser *parser);
State bracket_open_call(Builder *builder);
// One step inside a bracket, with a complete operand before it.
State bracket_step(Builder *builder);
State bracket_fail(Builder *builder); // says what is wrong with the innermost one

#endif
