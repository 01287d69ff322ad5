// terminal_text_impl.h: the parts of a text made fit for a terminal. Colours travel through them as
// single bytes that are no UTF-8 and take no column.
#ifndef ZWANG_SHOW_TERMINAL_TEXT_IMPL_H
#define ZWANG_SHOW_TERMINAL_TEXT_IMPL_H

#include "base/base.h"

typedef enum {
    COLOUR_NONE = 0xF8, // ends what was begun
    COLOUR_ERROR,
    COLOUR_WARNING,
    COLOUR_NOTE,
    COLOUR_PLACE,
    COLOUR_GOOD,
    COLOUR_BAD,
    COLOUR_OPEN
} TextColour;

// ---- text_colours.c
// The text with colours where it tells of errors, places and verdicts.
void colours_mark(const char *text, Text *out);
// Colours as a terminal takes them; none goes on over the end of a line.
void colours_write(const char *marked, Text *out);

// ---- ascii_text.c: what is not ASCII, spelled out.
void ascii_spell(Str text, Text *out);

// ---- line_wrap.c
size_t marked_width(Str text); // columns, colours not counted
// A caret below a line of the model: blanks, ^ and ~ alone.
bool is_caret_line(Str line);
// One line, broken between words where it is wider than `width`; what follows begins at column
// `indent`. A formula is broken before + − =, outside of brackets if that leaves a line that is
// full enough. A word that is wider stays whole.
void line_wrap(Str line, size_t width, size_t indent, Text *out);
// A line and the caret below it, broken together.
void caret_wrap(Str line, Str caret, size_t width, Text *out);

#endif
