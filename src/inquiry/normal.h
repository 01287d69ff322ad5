// normal.h: the equations of a form as linear equations.
#ifndef ZWANG_INQUIRY_NORMAL_H
#define ZWANG_INQUIRY_NORMAL_H

#include "expr/expr_types.h"

#include <stddef.h>

typedef struct Form Form;     // form.h
typedef struct Motion Motion; // motion.h

// The equations of a form as matrix·x = right in q, u, t; x holds u', then the multipliers where
// the form has them. False where they are not affine.
typedef struct {
    size_t size;
    Expr *matrix, *right;
} InquiryNormal;
bool inquiry_normal(Motion *motion, const Form *form, InquiryNormal *normal);
void inquiry_normal_clear(InquiryNormal *normal);

#endif
