// pretty_impl.h: names and expressions in the style of a Show, beside show_expr and show_collected.
#ifndef ZWANG_SHOW_PRETTY_IMPL_H
#define ZWANG_SHOW_PRETTY_IMPL_H

#include "show/naming_impl.h"

void show_styled_name(const Show *show, const char *name, Text *out);            // Unicode or LaTeX
void show_definition(const Show *show, const ShowQuantity *quantity, Text *out); // z₁ = …
// e simplified within a small allowance, or that it is too long to be read.
void show_readable(const Show *show, Expr e, Text *out);
bool show_is_readable(const Show *show, Expr e);

#endif
