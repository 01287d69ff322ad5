// tree.h: a syntax tree written out for the eye, so that tests compare text with text.
#ifndef ZWANG_TESTS_TREE_H
#define ZWANG_TESTS_TREE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "text/text.h"

static inline void write_node(const Syntax *syntax, uint32_t index, Text *out);

static inline void write_children(const Syntax *syntax, const Node *node, uint32_t from, Text *out)
{
    const Child *children = syntax_children(syntax, node);
    for (uint32_t i = from; i < node->count; i++) {
        const char *mark = node->kind == NODE_SUM ? "-" : node->kind == NODE_PRODUCT ? "/" : "";
        text_add(out, i == from ? "" : " ");
        text_add(out, children[i].inverse ? mark : "");
        write_node(syntax, children[i].node, out);
    }
}

// (+ a -b), (* a /b), (^ a b), (neg a), (' 2 a), (f a b), [a b c], name[i], a.x
static inline void write_node(const Syntax *syntax, uint32_t index, Text *out)
{
    static const char *const heads[] = {
        [NODE_NEGATIVE] = "(neg ", [NODE_POWER] = "(^ ",    [NODE_PRODUCT] = "(* ",
        [NODE_SUM] = "(+ ",        [NODE_VECTOR] = "(vec ", [NODE_IN] = "(in ",
        [NODE_ON] = "(on ",        [NODE_RANGE] = "(.. ",   [NODE_TOTAL] = "(sum "};
    const Node *node = &syntax->nodes.at[index];
    const Child *children = syntax_children(syntax, node);
    switch (node->kind) {
    case NODE_NUMBER: text_add_str(out, syntax_name(syntax, node->name)); return;
    case NODE_NAME: text_add_str(out, syntax_name(syntax, node->name)); return;
    case NODE_INDEX:
        write_node(syntax, children[0].node, out);
        text_add(out, "[");
        write_children(syntax, node, 1, out);
        text_add(out, "]");
        return;
    case NODE_MEMBER:
        write_node(syntax, children[0].node, out);
        text_add(out, ".");
        text_add_str(out, syntax_name(syntax, node->name));
        return;
    case NODE_PRIME: text_addf(out, "(' %u ", node->primes); break;
    case NODE_CALL:
    case NODE_EACH:
        text_add(out, node->kind == NODE_CALL ? "(" : "(each ");
        text_add_str(out, syntax_name(syntax, node->name));
        for (uint32_t i = 0; node->kind == NODE_CALL && i < node->primes; i++)
            text_add_char(out, '\'');
        if (node->by)
            text_addf(out, "[%u]", node->by);
        text_add(out, node->count ? " " : "");
        break;
    default: text_add(out, heads[node->kind]); break;
    }
    write_children(syntax, node, 0, out);
    text_add(out, ")");
}

static inline void write_messages(const Diag *diag, Text *out)
{
    text_add(out, "");
    diag_render(diag, DIAG_NOTE, out);
}

#endif
