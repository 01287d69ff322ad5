// numbers_impl.h: what was found, as numbers in a result. Never leaves the room.
#ifndef ZWANG_API_NUMBERS_IMPL_H
#define ZWANG_API_NUMBERS_IMPL_H

#include "inquiry/inquiry.h"
#include "simulate/instant.h"
#include "simulate/run_start.h"
#include "zwang.h"

// ---- instant_numbers.c
void result_put_instant(const Motion *motion, const RunStart *start, const RunInstant *instant,
                        zw_result *result);
// ---- steady_numbers.c; there may be no curve.
void result_put_steady(const InquiryLinear *linear, const InquiryCurve *curve, zw_result *result);

// ---- zw_stability.c: the motion linearized about a steady state that the start leads to. False
// where there is none; free `small` in any case.
bool api_small_at_start(zw_model *model, InquirySmall **small, InquiryLinear *linear);

// ---- check_numbers.c: parts that were not asked are NULL, or empty.
typedef struct {
    Form *const *forms;
    const Verdict *verdicts;
    size_t form_count;
    const InquiryPercussions *percussions;
    const InquiryKind *kind;
    const InquiryFreedom *freedom;
    const InquiryIntegrals *integrals;
    const InquiryJacobi *jacobi;
} CheckFindings;
void result_put_check(const Motion *motion, const CheckFindings *found, zw_result *result);

#endif
