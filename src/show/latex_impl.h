// latex_impl.h: words, names and displayed equations in LaTeX.
#ifndef ZWANG_SHOW_LATEX_IMPL_H
#define ZWANG_SHOW_LATEX_IMPL_H

#include "base/base.h"

// ---- latex_names.c
void show_latex_escaped(const char *text, Text *out); // words
void show_latex_name(const char *name, Text *out);    // in mathematics
void show_latex_function(const char *name, Text *out);

// ---- latex_display.c
// An equation over as many lines as it takes; equations that follow each other share a display.
void show_latex_display(const char *equation, Text *out);
// The same with a number at its end, and a label to refer to it by; "": none.
void show_latex_numbered(const char *equation, const char *label, Text *out);

#endif
