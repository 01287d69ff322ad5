// short_forms_impl.h: short forms for the expressions of a report, within an allowance.
#ifndef ZWANG_SHOW_SHORT_FORMS_IMPL_H
#define ZWANG_SHOW_SHORT_FORMS_IMPL_H

#include "show/show.h"

typedef struct ShortForms ShortForms;
ShortForms *short_forms_new(void);
void short_forms_free(ShortForms *forms);

// The shortest form of e, as far as the allowance goes. In PASS_EXPRESSIONS e is only collected.
Expr show_short(const Show *show, Expr e);
Expr show_short_function(const Show *show, Expr e); // the same for T, S, …: what equations leave

// e = Σ coefficients·symbols + rest, where it is linear to the eye.
typedef struct {
    bool linear;
    const Expr *coefficients;
    Expr rest;
} LinearParts;
LinearParts show_linear_parts(const Show *show, Expr e, const Expr *symbols, size_t count);

// ---- For report_passes.c.
void short_forms_begin(const Show *show);    // forgets the report before
void short_forms_simplify(const Show *show); // what was collected, while there is an allowance

#endif
