// outputs_impl.h: the files that a run writes. Never leaves the room.
#ifndef ZWANG_OUTPUTS_IMPL_H
#define ZWANG_OUTPUTS_IMPL_H

#include "api/api_impl.h"
#include "show/show.h"
#include "simulate/run_report.h"
#include "simulate/simulate.h"

// NULL: all as the picture needs it.
BASE_MUST_USE Status api_plot_style(const zw_plot_style *given, Diag *diag, ShowPlotStyle *style);

// free_spin.c: an undecided motion whose zeros belong to the family with the angular velocities of
// the bodies for speeds gets the verdict that it has then.
void api_find_free_spin(const Motion *motion, const InquirySmallOptions *options,
                        InquiryLinear *linear);

typedef struct {
    ShowTable *table; // NULL where no rows are written
    ShowEvents *events;
    ShowPlot **plots;
    size_t plot_count; // those that are open
    ShowPicture *picture;
    const char *picture_wanted;
    Status status; // of writing rows
} Outputs;

// Refuses a file that is named twice, or is the model, before anything is computed.
BASE_MUST_USE Status outputs_check(const zw_model *model, const zw_run_options *options);
// On an error nothing stays open.
BASE_MUST_USE Status outputs_open(Outputs *outputs, zw_model *model, const zw_run_options *options,
                                  Simulation *run);
bool outputs_row(Outputs *outputs, const double *row, Diag *diag); // false: it cannot be written
bool outputs_event(Outputs *outputs, const RunEvent *event, Diag *diag);
// Whether the file of the rows has the events, too.
bool outputs_keep_events(const Outputs *outputs);
// Keeps what an audit found, as JSON, where there is a place for it.
void outputs_audit(Outputs *outputs, const char *json, Diag *diag);
// Entries that a file in JSON ends with: ,"key":….
void outputs_facts(Outputs *outputs, const char *json, Diag *diag);
// Lets go of the pictures, which are drawn at the end.
void outputs_drop_pictures(Outputs *outputs, Diag *diag);
// The worst that happened to a file since it was opened.
BASE_MUST_USE Status outputs_close(Outputs *outputs, ShowEnd end, Diag *diag);

#endif
