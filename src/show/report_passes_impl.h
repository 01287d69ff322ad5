// report_passes_impl.h: a report with its expressions made short and its long lines named.
#ifndef ZWANG_SHOW_REPORT_PASSES_IMPL_H
#define ZWANG_SHOW_REPORT_PASSES_IMPL_H

#include "show/show_impl.h"

ReportState *report_state_new(void); // freed by base_free

// What a report is about.
typedef struct {
    Form *const *forms;
    size_t count;
    bool naive; // with the classical mistake
} ReportForms;
typedef void (*ReportWriter)(const Show *show, const ReportForms *about, Text *out);

// Goes through a report until it can be written. Programs read longer lines
// than people: for them more goes without names.
void show_report_write(const Show *show, ReportWriter write, const ReportForms *about,
                       bool for_programs, Text *out);

#endif
