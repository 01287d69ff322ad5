// tree_size_impl.h: how long an expression is when it is written.
#ifndef ZWANG_SHOW_TREE_SIZE_IMPL_H
#define ZWANG_SHOW_TREE_SIZE_IMPL_H

#include "show/show.h"

typedef struct TreeSizes TreeSizes; // of the expressions counted until now
TreeSizes *tree_sizes_new(void);
void tree_sizes_free(TreeSizes *sizes);

// The nodes of the tree that the graph of e stands for, as far as they are below 2^31.
size_t show_tree_size(const Show *show, Expr e);
size_t show_graph_size(const Show *show, Expr e); // each node once

#endif
