// picture_items.c: faces, lines, balls and words on the screen, written from the furthest on.
#include "show/picture_impl.h"
#include "show/show.h"

#include <math.h>
#include <stdlib.h>

Spot camera_see(const Camera *camera, const double place[3])
{
    double d[3], x = 0, y = 0, depth = 0;
    for (int i = 0; i < 3; i++) {
        d[i] = place[i] - camera->middle[i];
        x += d[i] * camera->right[i];
        y += d[i] * camera->up[i];
        depth += d[i] * camera->towards[i];
    }
    return (Spot){camera->left + camera->width / 2 + camera->scale * x,
                  camera->top + camera->height / 2 - camera->scale * y, depth};
}

uint32_t picture_colour(const SceneShape *shape)
{
    // Okabe and Ito's, as in plots.
    static const uint32_t palette[SCENE_PALETTE] = {0x0072b2, 0xd55e00, 0x009e73, 0xa8478a,
                                                    0xb07d00, 0x2b9fd8, 0x5b5b5b, 0x7a3b10};
    if (shape->has_colour)
        return shape->colour;
    switch (shape->kind) {
    case SCENE_LINE: return shape->guessed ? palette[shape->palette] : 0x566270;
    case SCENE_SPRING:
    case SCENE_STRING:
    case SCENE_JOINT:
    case SCENE_PIVOT:
    case SCENE_POINT:
    case SCENE_CURVE: return 0x566270;
    case SCENE_SURFACE: return 0x7f95ad;
    default: return palette[shape->palette];
    }
}

void items_clear(Items *items)
{
    array_clear(&items->items);
    array_clear(&items->spots);
    arena_free(items->arena);
}

Item *items_begin(Items *items, ItemKind kind, uint32_t colour)
{
    Item item = {.kind = kind,
                 .colour = colour,
                 .first = items->spots.count,
                 .opacity = 1,
                 .width = 1,
                 .depth = -INFINITY};
    array_push(&items->items, item);
    return &items->items.at[items->items.count - 1];
}

void items_spot(Items *items, Spot spot)
{
    Item *item = &items->items.at[items->items.count - 1];
    // What lies far outside is no more than its direction.
    const double most = 1e5;
    spot.x = fmin(fmax(spot.x, -most), most);
    spot.y = fmin(fmax(spot.y, -most), most);
    array_push(&items->spots, spot);
    item->count++;
}

// ---- Order: the middle of an item, unless it was given.

static void find_depth(const Items *items, Item *item)
{
    if (item->depth > -INFINITY)
        return;
    double sum = 0;
    for (size_t i = 0; i < item->count; i++)
        sum += items->spots.at[item->first + i].depth;
    item->depth = item->count > 0 ? sum / (double)item->count : 0;
}

static int compare(const void *a, const void *b)
{
    const Item *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

void items_sort(Items *items)
{
    for (size_t i = 0; i < items->items.count; i++)
        find_depth(items, &items->items.at[i]);
    if (items->items.count > 0)
        qsort(items->items.at, items->items.count, sizeof *items->items.at, compare);
}

// ---- Writing.

const PictureStyle picture_styles[STYLE_COUNT] = {
#define STYLE(NAME, word, fill, stroke, dark_fill, dark_stroke, width, opacity)                    \
    [STYLE_##NAME] = {word, fill, stroke, dark_fill, dark_stroke, width, opacity},
#include "show/picture_styles.def"
#undef STYLE
};

void items_write_styles(Text *out)
{
    for (int dark = 0; dark < 2; dark++) {
        text_add(out, dark ? "@media (prefers-color-scheme:dark){\n" : "");
        for (int i = STYLE_NONE + 1; i < STYLE_COUNT; i++) {
            const PictureStyle *style = &picture_styles[i];
            int32_t fill = dark ? style->dark_fill : style->fill;
            int32_t stroke = dark ? style->dark_stroke : style->stroke;
            text_addf(out, ".%s{", style->word);
            if (fill >= 0)
                text_addf(out, "fill:#%06x;", (unsigned)fill);
            if (stroke >= 0)
                text_addf(out, "stroke:#%06x;", (unsigned)stroke);
            if (style->width > 0 && !dark)
                text_addf(out, "stroke-width:%.2g;", style->width);
            if (style->opacity < 1 && !dark)
                text_addf(out, "fill-opacity:%.2g;", style->opacity);
            text_add(out, "}\n");
        }
        text_add(out, dark ? "}\n" : "");
    }
}

// To a tenth of a pixel, in few letters.
static void write_spot(const Spot *spot, Text *out)
{
    text_addf(out, "%.7g,%.7g", round(10 * spot->x) / 10, round(10 * spot->y) / 10);
}

static void write_spots(const Items *items, const Item *item, Text *out)
{
    for (size_t i = 0; i < item->count; i++) {
        text_add(out, i ? " " : "");
        write_spot(&items->spots.at[item->first + i], out);
    }
}

static void write_paint(const Item *item, const char *what, Text *out)
{
    if (item->style)
        text_addf(out, " class=\"%s\"", picture_styles[item->style].word);
    else
        text_addf(out, " %s=\"#%06x\"", what, (unsigned)item->colour);
    if (item->opacity < 1)
        text_addf(out, " %s-opacity=\"%.2f\"", what, item->opacity);
}

static void write_words(const Items *items, const Item *item, Text *out)
{
    const Spot *spot = &items->spots.at[item->first];
    text_addf(out, "<text x=\"%.1f\" y=\"%.1f\" style=\"stroke:none\"%s", spot->x, spot->y,
              item->ends ? " text-anchor=\"end\"" : "");
    write_paint(item, "fill", out);
    text_add(out, ">");
    show_html_escaped(item->words, out);
    text_add(out, "</text>\n");
}

static void write_item(const Items *items, const Item *item, Text *out)
{
    const Spot *spot = &items->spots.at[item->first];
    switch (item->kind) {
    case ITEM_FACE:
        text_add(out, "<polygon points=\"");
        write_spots(items, item, out);
        text_add(out, "\"");
        // A thin edge closes the gaps between neighbours.
        if (item->style || item->opacity < 1)
            write_paint(item, "fill", out);
        else
            text_addf(out, " class=\"f\" color=\"#%06x\"", (unsigned)item->colour);
        text_add(out, "/>\n");
        break;
    case ITEM_LINE:
        text_addf(out, "<%s points=\"", item->closed ? "polygon" : "polyline");
        write_spots(items, item, out);
        text_add(out, "\" fill=\"none\"");
        write_paint(item, "stroke", out);
        text_addf(out, " stroke-width=\"%.1f\"/>\n", item->width);
        break;
    case ITEM_PIECES:
        text_add(out, "<path d=\"");
        for (size_t i = 0; i + 1 < item->count; i += 2) {
            text_add(out, "M");
            write_spot(&spot[i], out);
            text_add(out, "L");
            write_spot(&spot[i + 1], out);
        }
        text_add(out, "\"");
        write_paint(item, "stroke", out);
        text_addf(out, " stroke-width=\"%.1f\"/>\n", item->width);
        break;
    case ITEM_BALL:
        text_addf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", spot->x, spot->y,
                  item->radius);
        write_paint(item, "fill", out);
        text_addf(out, "/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" class=\"light\"/>\n", spot->x,
                  spot->y, item->radius);
        break;
    case ITEM_RING:
        text_addf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" style=\"fill:none\"", spot->x,
                  spot->y, item->radius);
        write_paint(item, "stroke", out);
        text_addf(out, " stroke-width=\"%.1f\"/>\n", item->width);
        break;
    case ITEM_WORDS: write_words(items, item, out); break;
    }
}

void items_write(const Items *items, Text *out)
{
    for (size_t i = 0; i < items->items.count; i++)
        if (items->items.at[i].count > 0)
            write_item(items, &items->items.at[i], out);
}
