// naming_impl.h: names for parts of long expressions.
#ifndef ZWANG_SHOW_NAMING_IMPL_H
#define ZWANG_SHOW_NAMING_IMPL_H

#include "show/show.h"

typedef struct {
    Expr symbol, value;
} ShowQuantity;
typedef ARRAY(ShowQuantity) ShowQuantities;

typedef struct {
    Expr e, image;  // the image is e with names in it
    size_t in_line; // so many parts stand on its line
} ShowPart;
// Gives names (the letter with a number) to parts of these expressions, so that each line can
// be read. Each name uses only earlier ones.
void show_name_parts(const Show *show, ShowPart *parts, size_t count, const char *letter,
                     double *effort, ShowQuantities *made);

#endif
