// draw_shapes.h: what `draw` can show.
#ifndef ZWANG_TEXT_DRAW_SHAPES_H
#define ZWANG_TEXT_DRAW_SHAPES_H

typedef enum {
#define DRAWN(NAME, word, head, needs, may) DRAW_##NAME,
#include "text/draw_shapes.def"
#undef DRAWN
    DRAW_COUNT
} DrawShape;
const char *draw_shape_word(DrawShape shape);

#endif
