// digest.h: a strong hash of bytes (SHA-256).
#ifndef ZWANG_PROGRAM_DIGEST_H
#define ZWANG_PROGRAM_DIGEST_H

#include "base/base.h"

enum { DIGEST_BYTES = 32 };
void digest_bytes(const void *bytes, size_t count, unsigned char digest[DIGEST_BYTES]);
void digest_print(const unsigned char digest[DIGEST_BYTES], char text[2 * DIGEST_BYTES + 1]);

#endif
