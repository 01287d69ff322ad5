// report_passes.c: a report is gone through three times.
//
// First only to collect the expressions that it is going to show, which are then made short as far
// as the allowance goes (short_forms.c). Then to collect the lines that are still too long, which
// get named quantities (quantities.c). At last it is written. All passes ask for the same things in
// the same order.
#include "show/report_passes_impl.h"

#include "show/quantities_impl.h"
#include "show/short_forms_impl.h"

#include <assert.h>

enum {
    READABLE = 500,             // nodes of a line for the eye that goes without names
    READABLE_BY_PROGRAMS = 4000 // the same of a string for programs
};
static const double EFFORT = 2e6;  // for each form; a step takes some tenths of a microsecond
static const double RESERVE = 0.1; // of that, for what was not collected
static const double NAMING = 1;    // of that, for named quantities

ReportState *report_state_new(void)
{
    ReportState *state = base_alloc(sizeof *state);
    *state = (ReportState){.readable = READABLE, .effort = EFFORT};
    return state;
}

// Goes through the report for what it asks for; the text is dropped.
static void collect(const Show *show, ReportPass pass, ReportWriter write, const ReportForms *about)
{
    Text dropped = {0};
    show->report->pass = pass;
    write(show, about, &dropped);
    show->report->pass = PASS_WRITE;
    text_clear(&dropped);
}

void show_report_write(const Show *show, ReportWriter write, const ReportForms *about,
                       bool for_programs, Text *out)
{
    ReportState *state = show->report;
    assert(state->pass == PASS_WRITE);
    state->readable = for_programs ? READABLE_BY_PROGRAMS : READABLE;
    short_forms_begin(show);
    collect(show, PASS_EXPRESSIONS, write, about);
    state->effort = EFFORT * (double)about->count;
    short_forms_simplify(show);
    state->effort += RESERVE * EFFORT;
    quantities_begin(show);
    collect(show, PASS_PARTS, write, about);
    state->effort += NAMING * EFFORT;
    if (quantities_choose(show))
        write(show, about, out);
    quantities_clear(show);
    state->readable = READABLE;
}
