// vector_types.h: frames and vectors, for those who hand them on.
#ifndef ZWANG_MODEL_VECTOR_TYPES_H
#define ZWANG_MODEL_VECTOR_TYPES_H

#include "expr/expr_types.h"

typedef struct {
    uint32_t at;
} Frame; // 0 is world

typedef struct {
    uint32_t at;
} Vector; // 0 is none

typedef struct {
    Expr x, y, z;
} Vec; // components along the axes of some frame

typedef struct Vectors Vectors; // what owns them; vectors.h

#endif
