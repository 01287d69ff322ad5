// inquiry_impl.h: what the questions share. Never leaves the room.
#ifndef ZWANG_INQUIRY_IMPL_H
#define ZWANG_INQUIRY_IMPL_H

#include "inquiry/inquiry.h"

// numeric.c: whether both systems have the same u' at random states, to 1e-12.
bool inquiry_agree_numerically(Motion *motion, const InquiryNormal *a, const InquiryNormal *b);

#endif
