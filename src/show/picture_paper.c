// picture_paper.c: a picture in a LaTeX document: the operators of PDF (ISO 32000-1, 8.5) that
// pdfTeX, LuaTeX and XeTeX pass on, so that it needs no package, and words that LaTeX sets.
#include "show/latex_impl.h"
#include "show/picture_impl.h"

#include <math.h>

// Each engine's way to pass operators on.
static const char passing[] =
    "\\def\\zwdraw#1{\\special{pdf:literal #1}}\n"
    "\\ifdefined\\pdfextension\\def\\zwdraw#1{\\pdfextension literal{#1}}\\fi\n"
    "\\ifdefined\\pdfoutput\\ifnum\\pdfoutput>0 \\def\\zwdraw#1{\\pdfliteral{#1}}\\fi\\fi\n";

// What is seen through stands behind everything else: pages of paper have no transparency here.
static const double seen_through = 0.6;

// Over white.
static void write_colour(uint32_t colour, double opacity, const char *operator, Text * out)
{
    for (int shift = 16; shift >= 0; shift -= 8)
        text_addf(out, "%.3g ", 1 - opacity * (1 - (double)(colour >> shift & 255) / 255));
    text_addf(out, "%s\n", operator);
}

static void write_spots(const Items *items, const Item *item, size_t first, size_t count, Text *out)
{
    enum { A_LINE = 6 };
    for (size_t i = 0; i < count; i++) {
        const Spot *spot = &items->spots.at[item->first + first + i];
        text_addf(out, "%.5g %.5g %s%s", round(10 * spot->x) / 10, round(10 * spot->y) / 10,
                  i ? "l" : "m", (i + 1) % A_LINE == 0 || i + 1 == count ? "\n" : " ");
    }
}

// Four curves of Bézier.
static void write_circle(double x, double y, double r, const char *operator, Text * out)
{
    const double bend = 0.5523 * r, corners[5][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 0}};
    text_addf(out, "%.5g %.5g m\n", x + r, y);
    for (int i = 0; i < 4; i++) {
        const double *a = corners[i], *b = corners[i + 1];
        text_addf(out, "%.5g %.5g %.5g %.5g %.5g %.5g c\n", x + r * a[0] + bend * b[0],
                  y + r * a[1] + bend * b[1], x + r * b[0] + bend * a[0],
                  y + r * b[1] + bend * a[1], x + r * b[0], y + r * b[1]);
    }
    text_addf(out, "%s\n", operator);
}

// Lighter towards the light, from above on the left.
static void write_ball(const Items *items, const Item *item, Text *out)
{
    enum { RINGS = 4 };
    const Spot *spot = &items->spots.at[item->first];
    for (int i = 0; i < RINGS; i++) {
        double part = i / (double)RINGS;
        write_colour(item->colour, item->opacity * (1 - 0.6 * part), "rg", out);
        write_circle(spot->x - 0.3 * part * item->radius, spot->y - 0.35 * part * item->radius,
                     item->radius * (1 - part), "f", out);
    }
}

static double opacity_of(const Item *item)
{
    return item->opacity * (item->style ? picture_styles[item->style].opacity : 1);
}

static void write_face(const Items *items, const Item *item, Text *out)
{
    const PictureStyle *style = &picture_styles[item->style];
    bool edged = item->style && style->stroke >= 0;
    uint32_t fill = item->style ? (uint32_t)style->fill : item->colour;
    write_colour(fill, opacity_of(item), "rg", out);
    // A thin edge closes the gaps between neighbours.
    write_colour(edged ? (uint32_t)style->stroke : fill, edged ? 1 : opacity_of(item), "RG", out);
    text_addf(out, "%.2g w\n", edged && style->width > 0 ? style->width : 0.6);
    write_spots(items, item, 0, item->count, out);
    text_add(out, "b\n");
}

static void write_item(const Items *items, const Item *item, Text *out)
{
    const Spot *spot = &items->spots.at[item->first];
    const PictureStyle *style = &picture_styles[item->style];
    if (item->kind == ITEM_WORDS)
        return;
    if (item->kind == ITEM_FACE) {
        write_face(items, item, out);
        return;
    }
    if (item->kind == ITEM_BALL) {
        write_ball(items, item, out);
        return;
    }
    write_colour(item->style ? (uint32_t)style->stroke : item->colour, item->opacity, "RG", out);
    text_addf(out, "%.3g w\n", item->width);
    if (item->kind == ITEM_RING)
        write_circle(spot->x, spot->y, item->radius, "s", out);
    size_t piece = item->kind == ITEM_PIECES ? 2 : item->count;
    for (size_t i = 0; i + piece <= item->count && item->kind != ITEM_RING; i += piece)
        write_spots(items, item, i, piece, out);
    text_add(out, item->kind == ITEM_RING ? "" : item->closed ? "s\n" : "S\n");
}

static void write_words(const Items *items, const Item *item, double bottom, Text *out)
{
    const Spot *spot = &items->spots.at[item->first];
    text_addf(out, "\\put(%.1f,%.1f){\\makebox(0,0)[b%s]{\\footnotesize ", spot->x,
              bottom - spot->y, item->ends ? "r" : "l");
    show_latex_escaped(item->words, out);
    text_add(out, "}}\n");
}

// How far down things are, floors and what lies outside left out.
static void find_height(const Items *items, double width, double height, double *top,
                        double *bottom)
{
    enum { MARGIN = 12 };
    double low = height, high = 0;
    for (size_t i = 0; i < items->items.count; i++) {
        const Item *item = &items->items.at[i];
        bool ground =
            item->style == STYLE_BEYOND || item->style == STYLE_EDGE || item->style == STYLE_HATCH;
        double around = MARGIN + item->radius;
        for (size_t j = 0; j < item->count && !ground; j++) {
            const Spot *spot = &items->spots.at[item->first + j];
            if (spot->x < 0 || spot->x > width || spot->y < 0 || spot->y > height)
                continue;
            low = fmin(low, spot->y - around);
            high = fmax(high, spot->y + around);
        }
    }
    *top = low < high ? fmax(low, 0) : 0;
    *bottom = low < high ? fmin(high, height) : height;
}

void items_write_paper(const Items *items, double width, double height, Text *out)
{
    const double unit = 0.6; // points of a pixel
    double top, bottom;
    find_height(items, width, height, &top, &bottom);
    text_addf(out, "%s\\begin{center}\\setlength{\\unitlength}{%.2gbp}\n", passing, unit);
    text_addf(out, "\\begin{picture}(%.0f,%.0f)\n\\put(0,0){\\zwdraw{q 0 0 %.0f %.0f re W n\n",
              width, height, unit * width, unit * height);
    text_addf(out, "%.2g 0 0 -%.2g 0 %.0f cm 1 J 1 j\n", unit, unit, unit * bottom);
    for (int behind = 1; behind >= 0; behind--)
        for (size_t i = 0; i < items->items.count; i++) {
            const Item *item = &items->items.at[i];
            bool is_behind = item->kind == ITEM_FACE && opacity_of(item) < seen_through;
            if (item->count > 0 && is_behind == (behind == 1))
                write_item(items, item, out);
        }
    text_add(out, "Q}}\n");
    for (size_t i = 0; i < items->items.count; i++)
        if (items->items.at[i].kind == ITEM_WORDS)
            write_words(items, &items->items.at[i], bottom, out);
    text_add(out, "\\end{picture}\\end{center}\n");
}
