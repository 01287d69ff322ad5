// text_domains.h: where the text has no value and simplified equations do not tell.
#ifndef ZWANG_DYNAMICS_TEXT_DOMAINS_H
#define ZWANG_DYNAMICS_TEXT_DOMAINS_H

#include "base/memory.h"
#include "expr/expr_types.h"

#include <stdint.h>

typedef struct Motion Motion;           // motion_types.h
typedef struct ModelDomain ModelDomain; // domains.h

// The domains that the motion needs and that its forces, momenta and conditions do not show, each
// inside once; `hidden` has room for all of the model. How many.
size_t domains_hidden(Arena *arena, const Motion *motion, const ModelDomain **hidden);
// The expression, and no value where the text that it was made of has none: it has these domains.
Expr domains_guard(const Motion *motion, Expr e, uint64_t domains);
// Of a state where it has no value: what it is of which function.
void domain_tell(const Motion *motion, const ModelDomain *domain, Text *text);

#endif
