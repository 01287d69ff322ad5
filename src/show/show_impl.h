// show_impl.h: the inside of a Show. Never leaves the room.
#ifndef ZWANG_SHOW_IMPL_H
#define ZWANG_SHOW_IMPL_H

#include "show/show.h"

// The order in which a textbook writes factors.
typedef enum {
    RANK_NUMBER,
    RANK_PARAMETER,
    RANK_COORDINATE,
    RANK_FUNCTION,
    RANK_VELOCITY,
    RANK_ACCELERATION,
    RANK_MULTIPLIER
} Rank;

struct Show {
    Motion *motion;
    const ExprPool *pool;
    size_t width;
    bool latex; // expressions in LaTeX instead of Unicode
    uint8_t *ranks; // of every symbol that the model knows, by node index
    size_t rank_count;
};

Rank show_rank_of_symbol(const Show *show, Expr symbol);

// ---- latex.c
void show_latex_name(const char *name, Text *out);
void show_latex_function(const char *name, Text *out);

// Breaks a line that is too long before + − = and indents what follows.
void show_wrapped(const Show *show, const char *line, size_t indent, Text *out);

// The equation `left = right` with the unknowns of its form collected.
void show_equation(const Show *show, const Form *form, const FormEquation *equation, Text *left,
                   Text *right);

#endif
