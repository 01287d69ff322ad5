// inquiry.h: questions about a system. Here: do two forms give the same motion?
#ifndef ZWANG_INQUIRY_H
#define ZWANG_INQUIRY_H

#include "forms/forms.h"

// Whether both forms determine the same u' for every state. The proof is exact: both are
// brought to linear equations for u' (and the multipliers), and the solutions are compared as
// functions. Where conditions or speeds are not linear in the velocities, and hold functions that
// the proofs do not know, agreement to 1e-12 at random states counts, and is called numeric. The
// caller clears the verdict.
Verdict inquiry_forms_agree(Motion *motion, const Form *a, const Form *b);

// The verdict of every form against the first that applies, the yardstick; verdicts is zeroed and
// stays so for the yardstick and for forms that do not apply. Agreement is of functions, u' in
// q, u, t, so that forms which agree with the yardstick agree with each other: it is pairwise.
// Says whether all that were decided agree.
bool inquiry_all_agree(Motion *motion, Form *const *forms, size_t count, Verdict *verdicts);

// The equations of a form as matrix·x = right in q, u, t; x holds u', then the multipliers where
// the form has them. False where they are not affine.
typedef struct {
    size_t size;
    Expr *matrix, *right;
} InquiryNormal;
bool inquiry_normal(Motion *motion, const Form *form, InquiryNormal *normal);
void inquiry_normal_clear(InquiryNormal *normal);

// The multipliers as functions of q, u, t, in the order of the motion's rows; m of them. False
// where the system is too large to be solved for the eye.
bool inquiry_multipliers(Motion *motion, const Form *form, Expr *lambdas);

#endif
