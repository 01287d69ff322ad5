// show.h: what people and other programs read: equations as text and JSON, verdicts, rows of
// a run as CSV. Nothing computed here is used on the way to a run.
#ifndef ZWANG_SHOW_H
#define ZWANG_SHOW_H

#include "forms/forms.h"
#include "inquiry/inquiry.h"

// ---- Names and expressions for the eye: θ′, ω₁, m·s·sin(θ). What is printed can be pasted
// back into a model.
void show_name(const char *name, Text *out);

typedef struct Show Show;                     // knows which symbols are parameters, velocities, …
Show *show_new(Motion *motion, size_t width); // lines are wrapped to width columns; 0: never
void show_free(Show *show);

// An expression as it is, in the textbook's order. Too long to be read: says so instead.
void show_expr(const Show *show, Expr e, Text *out);
// The same simplified, and collected by the given symbols.
void show_collected(const Show *show, Expr e, const Expr *symbols, size_t count, Text *out);

// ---- Reports.

// With `naive` also what one would get by putting the conditions into T too early.
void show_derivation_text(const Show *show, Form *const *forms, size_t count, bool naive,
                          Text *out);
void show_derivation_json(const Show *show, Form *const *forms, size_t count, bool naive,
                          Text *out);

// A LaTeX document that compiles by itself.
void show_derivation_latex(Show *show, Form *const *forms, size_t count, bool naive, Text *out);

// What was found about each form: compared with the first that applies.
typedef struct {
    Form *const *forms;
    const Verdict *verdicts; // one a form; of the first one: that it is the yardstick
    size_t count;
    bool kind;  // say what the system is
    bool agree; // say whether the forms agree
} ShowCheck;

void show_check_text(const Show *show, const ShowCheck *check, Text *out);
void show_check_json(const Show *show, const ShowCheck *check, Text *out);

// ---- JSON pieces.
void show_json_string(const char *text, Text *out);

// ---- Rows of numbers, in a file that appears when it is whole.
typedef struct ShowTable ShowTable;
// path "-" is standard output; the ending chooses the format. Errors go to diag.
BASE_MUST_USE Status show_table_open(const char *path, const char *const *columns, size_t count,
                                     Diag *diag, ShowTable **table);
BASE_MUST_USE Status show_table_row(ShowTable *table, const double *row, Diag *diag);
// Puts the file in its place; without keep it is taken away.
BASE_MUST_USE Status show_table_close(ShowTable *table, bool keep, Diag *diag);

#endif
