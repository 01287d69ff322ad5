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
    ITEM_PIECES,
    ITEM_BALL,
    ITEM_WORDS
} ItemKind; // pieces: two
            // spots each
typedef struct {
    ItemKind kind;
    double depth;
    size_t first, count; // its spots
    uint32_t colour;     // 0xRRGGBB
    const char *style;   // a class of the picture: its colour is the style's; NULL: `colour`
    double opacity, width, radius;
    const char *words;
    bool closed;
} Item;
typedef struct {
    ARRAY(Item) items;
    ARRAY(Spot) spots;
} Items;
void items_clear(Items *items);
// Begins an item; spots follow by items_spot.
Item *items_begin(Items *items, ItemKind kind, uint32_t colour);
void items_spot(Items *items, Spot spot);
// Sorted, clipped to numbers that can be written.
void items_write(Items *items, Text *out);

// The colour that a shape has by itself.
uint32_t picture_colour(const SceneShape *shape);

// ---- picture_shapes.c
void picture_shape(const SceneFrames *frames, size_t frame, const SceneShape *shape,
                   const Camera *camera, Items *items);
// ---- picture_solids.c: faces with light on them.
void picture_solid(const SceneFrames *frames, const SceneShape *shape, const double *numbers,
                   const Camera *camera, Items *items);
// ---- picture_ground.c
void picture_ground(const SceneShape *shape, const double *numbers, const Camera *camera,
                    Items *items);

#endif
