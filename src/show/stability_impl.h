// stability_impl.h: what the stability reports share.
#ifndef ZWANG_SHOW_STABILITY_IMPL_H
#define ZWANG_SHOW_STABILITY_IMPL_H

#include "show/show.h"

// Σ M·u' of an equation of very slow motions.
Expr show_slow_left(const Show *show, const ShowStability *stability, size_t row);

// ---- small_motions.c: the linearized equations, where they can be read; else nothing.
void show_small_motions(const Show *show, const ShowStability *stability, Text *out);

#endif
