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

typedef struct Shortening Shortening;

struct Show {
    Motion *motion;
    const ExprPool *pool;
    size_t width;
    bool latex;     // expressions in LaTeX instead of Unicode
    uint8_t *ranks; // of every symbol that the model knows, by node index
    size_t rank_count;
    Shortening *shortening; // what is remembered while reports are written
};

Rank show_rank_of_symbol(const Show *show, Expr symbol);

// ---- shorten.c
Shortening *shortening_new(void);
void shortening_free(Shortening *shortening);
// The shortest form of e, as far as the allowance goes.
Expr show_short(const Show *show, Expr e);
Expr show_short_function(const Show *show, Expr e); // the same for T, S, …: what equations leave
// e = Σ coefficients·symbols + rest, where it is linear to the eye.
typedef struct {
    bool linear;
    const Expr *coefficients;
    Expr rest;
} ShowParts;
ShowParts show_parts(const Show *show, Expr e, const Expr *symbols, size_t count);
// Whether a report is only heard: what it writes is not read.
bool show_listens(const Show *show);
// Writes a report with its expressions made short.
typedef void (*Report)(const Show *show, Form *const *forms, size_t count, bool naive, Text *out);
void show_in_short(const Show *show, Report report, Form *const *forms, size_t count, bool naive,
                   Text *out);
// The nodes of the tree that the graph of e stands for, as far as they are below 2^31.
size_t show_tree_size(const Show *show, Expr e);

// ---- latex.c
void show_latex_name(const char *name, Text *out);
void show_latex_function(const char *name, Text *out);

// Breaks a line that is too long before + − = and indents what follows.
void show_wrapped(const Show *show, const char *line, size_t indent, Text *out);

// The equation `left = right` with the unknowns of its form collected.
void show_equation(const Show *show, const Form *form, const FormEquation *equation, Text *left,
                   Text *right);

#endif
