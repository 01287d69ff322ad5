// show_impl.h: what a Show holds. Each part belongs to the source that its header names; a Show is
// const to whoever writes with it, so that what changes along a report stands behind pointers.
#ifndef ZWANG_SHOW_SHOW_IMPL_H
#define ZWANG_SHOW_SHOW_IMPL_H

#include "show/show.h"

// A report is gone through three times (report_passes.c).
typedef enum {
    PASS_WRITE,       // what is written is read
    PASS_EXPRESSIONS, // what is written is dropped: collects the expressions to be made short
    PASS_PARTS        // the same: collects the parts of lines that may need names
} ReportPass;

typedef struct {
    ReportPass pass;
    size_t readable; // nodes of a line that goes without named quantities
    double effort;   // steps of simplification that are left
} ReportState;

struct Show {
    Motion *motion;
    const ExprPool *pool;
    bool latex;                     // expressions in LaTeX instead of Unicode
    bool expand;                    // everything written out, without named quantities
    const Form *reactions_by;       // the form that reports end with, or NULL
    struct SymbolClasses *classes;  // symbol_class_impl.h
    struct TreeSizes *sizes;        // tree_size_impl.h
    struct ShortForms *short_forms; // short_forms_impl.h
    struct Quantities *quantities;  // quantities_impl.h
    ReportState *report;            // report_passes_impl.h
    MotionReactions **reactions;    // reaction_report_impl.h: found on first use
};

#endif
