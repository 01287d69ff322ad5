// naming_table_impl.h: the names that are tried while long expressions are written, for naming.c
// and naming_lines.c. Sizes are in nodes of the tree as it is
// written, of which a line of text holds about forty.
#ifndef ZWANG_SHOW_NAMING_TABLE_IMPL_H
#define ZWANG_SHOW_NAMING_TABLE_IMPL_H

#include "show/naming_impl.h"

enum {
    LINE = 120,               // a definition: about three lines of text
    SHORTEST_PART = 36,       // what a part of a line may have, however many parts there are
    WORTH_A_NAME = 12,        // what a name must stand for
    WORTH_TRYING = 24,        // what a name would save at least, seen from the graph
    WORTH_SHARING = 50,       // what a name must save where the line is not too long
    SHORTEST_SHARED = 5,      // what a name may stand for where it saves much more:
    WORTH_SHARING_SHORT = 120 // so much
};

typedef struct {
    Expr symbol, value;
    Expr written; // the value without names that are not kept
    double uses;  // how often it would be written
    bool kept;
} Name;

typedef ARRAY(uint32_t) Places; // by the index of an expression one more than a place; 0: none

typedef struct {
    const Show *show;
    ExprPool *pool;
    ShowPart *parts;
    size_t part_count;
    uint32_t *image; // of a node of the graph, by its index
    uint32_t *uses;  // by its parents, and as a part
    ARRAY(Name) names;
    Places owner; // where in `names`, by the symbol
    Places known; // the same by the value
    Places lines; // the same by the value as it is written
    ARRAY(Expr) args;
    ARRAY(Expr) stack;
    double *effort, share; // of it, for one expression
} Naming;

uint32_t naming_get(const Places *places, Expr e);
void naming_set(Places *places, Expr e, size_t place);
Name *naming_name(const Naming *naming, Expr symbol); // NULL where it is none
size_t naming_size(const Naming *naming, Expr e);
size_t naming_size_limit(const ShowPart *part); // how long a part may be
// The shortest form of e, as far as the allowance goes.
Expr naming_simplify(Naming *naming, Expr e);
// The node over the images of its children.
Expr naming_rebuilt(Naming *naming, Expr node);

// ---- naming_lines.c
// Decides which names are kept, and writes what they stand for and the parts with them.
void naming_write_lines(Naming *naming);
void naming_share_short_sums(Naming *naming);

#endif
