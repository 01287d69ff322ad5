// check_impl.h: the parts of a check: the kind of the conditions, integrals, Jacobi's theorem.
#ifndef ZWANG_SHOW_CHECK_IMPL_H
#define ZWANG_SHOW_CHECK_IMPL_H

#include "show/show.h"

// ---- check_kind.c: of what kind the conditions are, and the order of non-holonomy.
void show_kind_text(const Show *show, const ShowCheck *check, Text *out);
// Accelerations of the speeds that conditions on accelerations leave free.
size_t show_free_accelerations(const Motion *motion);
void show_kind_json_constraints(const Show *show, const InquiryKind *kind, Text *out);
void show_kind_json(const Show *show, const InquiryKind *kind, Text *out); // holonomic … growth
void show_order_json(const Show *show, const InquiryOrder *order, Text *out);

// ---- check_integrals.c
void show_integrals_text(const Show *show, const ShowCheck *check, Text *out);
void show_integrals_json(const Show *show, const ShowCheck *check, Text *out);

// ---- check_turning.c; nothing, in JSON null, where there are none.
void show_turning_text(const Show *show, const InquiryTurning *found, Text *out);
void show_turning_json(const Show *show, const InquiryTurning *found, Text *out);

// ---- check_jacobi.c
void show_jacobi_text(const Show *show, const InquiryJacobi *jacobi, Text *out);
void show_jacobi_json(const Show *show, const InquiryJacobi *jacobi, Text *out);

// ---- check_realization.c; nothing where there is no mass to ask about.
void show_realizations_text(const ShowCheck *check, Text *out);
void show_realizations_json(const ShowCheck *check, Text *out);

// ---- check_exact.c; nothing, in JSON null, where it was no question.
void show_exact_text(const Show *show, const InquiryExact *exact, Text *out);
void show_exact_json(const Show *show, const InquiryExact *exact, Text *out);

// ---- check_servos.c: of servos and hidden conditions.
void show_servos_text(const Show *show, const ShowCheck *check, Text *out);
void show_servos_json(const Show *show, const ShowCheck *check, Text *out);

#endif
