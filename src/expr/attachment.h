// attachment.h: what another room keeps together with a pool.
#ifndef ZWANG_EXPR_ATTACHMENT_H
#define ZWANG_EXPR_ATTACHMENT_H

#include "expr/expr_types.h"

// ---- pool.c
// What a later room keeps of these expressions, one object: it is released with the pool. NULL
// before it is attached.
void *expr_pool_attached(const ExprPool *pool);
void expr_pool_attach(ExprPool *pool, void *object, void (*release)(void *object));

#endif
