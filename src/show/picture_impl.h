// picture_impl.h: a scene at an instant as an SVG: shapes become faces, lines and words on the
// screen, and what is further away is drawn first.
#ifndef ZWANG_SHOW_PICTURE_IMPL_H
#define ZWANG_SHOW_PICTURE_IMPL_H

#include "show/scene_impl.h"

typedef struct {
    double x, y, depth; // on the screen, in pixels, y downwards; nearer is larger
} Spot;

// How places are seen: parallel rays.
typedef struct {
    double right[3], up[3], towards[3];
    double scale;                    // pixels of a unit of length
    double middle[3];                // the place in the middle of the picture
    double left, top, width, height; // of the picture, in pixels
    double size;                     // of the system: of what has no size of its own
    bool planar;
} Camera;
Spot camera_see(const Camera *camera, const double place[3]);

// ---- picture_items.c: what is drawn, sorted by depth.
typedef enum {
    ITEM_FACE,
    ITEM_LINE,
    ITEM_PIECES, // two spots each
    ITEM_BALL,
    ITEM_RING,
    ITEM_WORDS
} ItemKind;
typedef enum {
    STYLE_NONE, // the item's own colour
#define STYLE(NAME, word, fill, stroke, dark_fill, dark_stroke, width, opacity) STYLE_##NAME,
#include "show/picture_styles.def"
#undef STYLE
    STYLE_COUNT
} ItemStyle;
typedef struct {
    const char *word;
    int32_t fill, stroke, dark_fill, dark_stroke; // 0xRRGGBB, -1: none
    double width, opacity;
} PictureStyle;
extern const PictureStyle picture_styles[STYLE_COUNT];
typedef struct {
    ItemKind kind;
    double depth;
    size_t first, count; // its spots
    uint32_t colour;     // 0xRRGGBB
    ItemStyle style;
    double opacity, width, radius;
    const char *words;
    bool closed;
    bool ends; // of words: the spot is where they end
} Item;
typedef struct {
    ARRAY(Item) items;
    ARRAY(Spot) spots;
    Arena *arena; // of words that were made for it; NULL: none
} Items;
void items_clear(Items *items);
// Begins an item; spots follow by items_spot.
Item *items_begin(Items *items, ItemKind kind, uint32_t colour);
void items_spot(Items *items, Spot spot);
// From the furthest on.
void items_sort(Items *items);
void items_write(const Items *items, Text *out);
void items_write_styles(Text *out); // the classes that they have
// ---- picture_paper.c: the same as operators of PDF, and the words as LaTeX sets them.
void items_write_paper(const Items *items, double width, double height, Text *out);

// In parts of the system's size as pixels, for what has no size of its own.
double camera_pixels(const Camera *camera, double part);

// The colour that a shape has by itself.
uint32_t picture_colour(const SceneShape *shape);

// ---- picture_shapes.c
void picture_shape(const SceneFrames *frames, size_t frame, const SceneShape *shape,
                   const Camera *camera, Items *items);
// ---- picture_solids.c: faces with light on them.
void picture_solid(const SceneFrames *frames, const SceneShape *shape, const double *numbers,
                   const Camera *camera, Items *items);
// ---- picture_forces.c: the reactions at an instant, over everything else.
void picture_forces(const SceneFrames *frames, size_t frame, const SceneView *view,
                    const Camera *camera, Items *items);
// ---- picture_ground.c
void picture_ground(const SceneShape *shape, const double *numbers, const Camera *camera,
                    Items *items);

#endif
