// quantities_impl.h: the named quantities of a report: names for parts of what is too long to be
// read.
#ifndef ZWANG_SHOW_QUANTITIES_IMPL_H
#define ZWANG_SHOW_QUANTITIES_IMPL_H

#include "show/naming_impl.h"

typedef struct Quantities Quantities;
Quantities *quantities_new(void);
void quantities_free(Quantities *quantities);

// ---- For report_passes.c.
void quantities_begin(const Show *show); // before PASS_PARTS
// Chooses the names for what was collected. False where it is too much to be written out in full.
bool quantities_choose(const Show *show);
void quantities_clear(const Show *show); // the report is written

// ---- While a report is gone through.
// In PASS_PARTS remembers e as a part of a line of so many nodes, which has so many parts. Returns
// whether this pass only collects: then nothing need be written.
bool quantities_collect(const Show *show, Expr e, size_t line, size_t in_line);
// Puts in the place of e what this report writes for it, where that was settled.
bool quantities_replace(const Show *show, Expr *e);
bool quantities_has(const Show *show, Expr symbol);
// The next quantity that was used by what was written until now and is not defined yet.
bool quantities_next(const Show *show, ShowQuantity *quantity);
// All quantities of the report.
size_t quantities_count(const Show *show);
ShowQuantity quantities_at(const Show *show, size_t index);

#endif
