// expression_frames.c: what is open in an expression, and the nodes that closing it makes.
#include "text/expression_impl.h"

#include <assert.h>

State builder_open(Builder *builder, FrameKind kind, uint32_t name, uint32_t start)
{
    Parser *parser = builder->parser;
    if (builder->frames.count >= TEXT_MOST_OPEN) {
        parser_fail(parser, parser_place(parser, parser->token),
                    "this expression is nested deeper than %d levels", TEXT_MOST_OPEN);
        return STATE_FAILED;
    }
    Frame frame = {.kind = kind, .name = name, .start = start};
    frame.base = (uint32_t)builder->operands.count;
    array_push(&builder->frames, frame);
    if (kind > FRAME_ROOT)
        parser->open++;
    return STATE_WANT;
}

void builder_close(Builder *builder)
{
    assert(builder->frames.count > 1);
    if (builder_top(builder)->kind > FRAME_ROOT)
        builder->parser->open--;
    builder->frames.count--;
}

void builder_leaf(Builder *builder, NodeKind kind, uint32_t name, Token token)
{
    Node node = {.kind = kind, .name = name, .start = token.start, .length = token.length};
    uint32_t end = token.start + token.length;
    builder->have = (Operand){syntax_add_node(builder->syntax, node), token.start, end, false};
}

void builder_push(Builder *builder)
{
    array_push(&builder->operands, builder->have);
}

void builder_parent(Builder *builder, Node node, uint32_t base, uint32_t start, uint32_t end)
{
    Syntax *syntax = builder->syntax;
    node.first = (uint32_t)syntax->children.count;
    node.count = (uint32_t)(builder->operands.count - base);
    node.start = start;
    node.length = end - start;
    for (size_t i = base; i < builder->operands.count; i++) {
        Operand operand = builder->operands.at[i];
        array_push(&syntax->children, ((Child){operand.node, operand.inverse}));
    }
    builder->operands.count = base;
    builder->have = (Operand){syntax_add_node(syntax, node), start, end, false};
}

void builder_reduce_top(Builder *builder)
{
    static const NodeKind kinds[] = {[FRAME_SIGN] = NODE_NEGATIVE,
                                     [FRAME_POWER] = NODE_POWER,
                                     [FRAME_PRODUCT] = NODE_PRODUCT,
                                     [FRAME_SUM] = NODE_SUM,
                                     [FRAME_IN] = NODE_IN};
    Frame frame = *builder_top(builder);
    builder_close(builder);
    if (frame.kind == FRAME_SIGN && !frame.inverse) {
        builder->have.start = frame.start;
        return;
    }
    builder->have.inverse = frame.inverse && frame.kind != FRAME_SIGN;
    builder_push(builder);
    uint32_t start = frame.start, end = builder->have.end;
    builder_parent(builder, (Node){.kind = kinds[frame.kind]}, frame.base, start, end);
}

void builder_reduce(Builder *builder, FrameKind loosest)
{
    while (builder_top(builder)->kind <= loosest)
        builder_reduce_top(builder);
}
