// show.h: what people and other programs read: equations as text and JSON, verdicts, rows of
// a run as CSV. Nothing computed here is used on the way to a run.
//
// The order of its sources: each calls only those on lines above its own, or before it on its line.
//     text         json  layout  unicode_names  latex_names  latex_display  file_formats
//     expressions  symbol_class  tree_size  short_forms  naming_table  naming_lines  naming
//                  quantities  pretty  report_passes  show
//     equations    equation_text  condition_kind  nonlinear_conditions  orthonormal_speeds
//                  reaction_report  derivation_steps  derivation_least_action
//     reports      derivation_text  derivation_json  derivation_latex
//                  check_kind  check_integrals  check_jacobi  check_report  equation_report
//                  instant_contacts  instant_branches  instant_report
//                  stability_json  stability_report  audit_report
//     files        file  event_records  hdf5_attributes  hdf5_events  hdf5  table  event_log
//                  hdf5_sweep  hdf5_ranks  sweep_table
//     pictures     curve  axes  column_names  plot_style  svg_layout  svg  plot  stability_plot
//                  png_data  sweep_plot
//     pages        bundle  scene  page
#ifndef ZWANG_SHOW_H
#define ZWANG_SHOW_H

#include "forms/forms.h"
#include "inquiry/inquiry.h"
#include "simulate/instant.h"
#include "simulate/run_audit.h"
#include "simulate/run_report.h"
#include "simulate/simulate.h"

// ---- Names and expressions for the eye: θ′, ω₁, m·s·sin(θ). What is printed can be pasted
// back into a model.
void show_name(const char *name, Text *out);
// Leaves so many digits of every number that has more, columns where they are; whole numbers stay.
void show_round(Text *report, size_t digits);
// Words for people in which names of the model stand: these as show_name writes them, but as they
// are typed where they stand in quotes.
void show_spelled(const Model *model, const char *words, Text *out);

typedef struct Show Show; // knows which symbols are parameters, velocities, …
Show *show_new(Motion *motion);
void show_free(Show *show);

// Everything that follows is written out in full, however long, without named quantities.
void show_expand(Show *show);
// Reports then end with the multipliers solved for and the reactions, by this form with
// multipliers, whatever forms they show; NULL: only with that form itself.
void show_with_reactions(Show *show, const Form *multipliers);

// An expression as it is, in the textbook's order. In a report, what is too long to be read is
// written with named quantities, which the report defines; elsewhere its size is said instead.
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

// Takes away what is for paper alone: contents, numbers of equations, tables.
void show_latex_for_screen(char *document);
// Puts something for paper alone behind the title of such a document.
void show_latex_for_paper(const char *what, Text *document);
// Puts a section of plain words before the end of such a document, a paragraph a line.
void show_latex_append(const char *title, const char *words, Text *document);

// With show_expand: how many operations the last report would have had, where these are too
// many and nothing was written; 0 where it was written.
double show_unwritten(const Show *show);

// What was found about each form: compared with the first that applies.
typedef struct {
    Form *const *forms;
    const Verdict *verdicts; // one a form; of the first one, with which the others are compared
    size_t count;
    bool agree;                    // say whether the forms agree
    const InquiryFreedom *freedom; // NULL: as the conditions are counted
    // What was asked about the system; NULL where it was not.
    const InquiryKind *kind;
    const InquiryOrder *order;
    const InquiryExact *exact; // with the order; NULL where it is no question
    const InquiryRealization *realizations;
    size_t realization_count;
    const InquiryIntegrals *integrals;
    const InquiryTurning *turning; // with the integrals; NULL where there is none
    Expr measure;                  // with the integrals: N(q), or none and why it was not sought
    const char *no_measure;
    const InquiryJacobi *jacobi;
    const InquiryLinear *internal; // what servos leave, near a steady state; NULL: none was found
    const InquiryPercussions *percussions; // NULL where there are none
} ShowCheck;

void show_check_text(const Show *show, const ShowCheck *check, Text *out);
void show_check_json(const Show *show, const ShowCheck *check, Text *out);

// A published equation, and what was found about it.
typedef struct {
    const char *label;            // NULL where it has none
    Str text;                     // as it was asked
    const char *wrong;            // what is wrong with it; NULL where it could be read
    const InquiryEquation *found; // NULL where it is wrong
} ShowEquation;
void show_equations_text(const Show *show, const ShowEquation *equations, size_t count, Text *out);
void show_equations_json(const Show *show, const ShowEquation *equations, size_t count, Text *out);

// One state: accelerations, multipliers, reactions, energies, Gauss's function, conditioning.
void show_instant_text(const Show *show, const RunStart *start, const RunInstant *instant,
                       Text *out);
void show_instant_json(const Show *show, const RunStart *start, const RunInstant *instant,
                       Text *out);

// How a picture is to look, as it is written by a person; NULL: as the picture needs it.
typedef struct {
    const char *size;          // "86x60mm"; "86mm" is its width
    const char *font;          // "8pt", "8pt Latin Modern Roman"
    const char *title;         // "": none
    const char *axis;          // the name of the axis up
    const char *legend;        // "above", "none", or in a corner: "top-left"
    const char *colours;       // "light", "dark", "auto": as the reader's screen
    const char *ranges;        // "t=0:5,x=-1:1"
    const char *log;           // "t,x": on logarithmic axes
    const char *wrap;          // "theta": angles, between −π and π
    const char *points;        // dots at the events of this kind or condition, no curves
    const char *const *labels; // "x=position x [m]"
    size_t label_count;
} ShowPlotStyle;

// A steady motion and what is near it.
typedef struct {
    const InquiryLinear *linear;
    InquiryLinearForm form;
    const InquiryEnclosed *enclosed;   // one an eigenvalue; NULL where they were not asked for
    size_t digits;                     // of these
    const InquiryCurve *curve;         // NULL where nothing is varied
    const char *varied;                // the name of what is
    const InquiryIntervals *intervals; // what holds for all values of these; NULL
    bool root_locus;                   // the plot shows the complex plane
    const Expr *slow_matrix;           // k × k; NULL where slow motions were not asked for
    const Expr *slow_right;            // k
    InquiryFrequency frequencies[INQUIRY_FREQUENCIES];
    size_t frequency_count;
} ShowStability;
void show_stability_text(const Show *show, const ShowStability *stability, Text *out);
void show_stability_json(const Show *show, const ShowStability *stability, Text *out);
// The curve: what is varied, then re1, im1, … of every branch.
void show_stability_csv(const ShowStability *stability, Text *out);
// The curve drawn: real and imaginary parts.
BASE_MUST_USE Status show_stability_plot(const Show *show, const ShowStability *stability,
                                         const char *path, const ShowPlotStyle *style, Diag *diag);

// What an audit found; the run was to go up to `to`.
void show_audit_text(const RunAuditReport *report, double to, Text *out);
void show_audit_json(const RunAuditReport *report, Text *out);

// ---- A report or messages as a terminal can show them.
typedef struct {
    size_t width; // lines are broken here, between words; 0: never
    bool ascii;   // θ′ is theta', m·v² is m*v^2
    bool colour;  // of errors, notes, verdicts and carets, by escape sequences
} ShowTerminal;
void show_for_terminal(const char *text, const ShowTerminal *terminal, Text *out);

// ---- JSON pieces.
void show_json_string(const char *text, Text *out);
// "name":value, with a comma before it unless it is the first of its object.
void show_json_entry(bool first, const char *name, double value, Text *out);

// ---- Texts in files, which appear when all of them are whole. Errors go to diag.
// Whether two names lead to one regular file, or will where neither is there yet.
bool show_same_file(const char *a, const char *b);
// Whether a file could be written there; nothing stays of the attempt.
BASE_MUST_USE Status show_file_try(const char *path, Diag *diag);
// "cannot write …", with the reason, an errno, and a remedy: STATUS_FAILED where the machine is to
// blame.
Status show_file_error(const char *path, int error, Diag *diag);
BASE_MUST_USE Status show_files_write(const char *const *paths, const Str *texts, size_t count,
                                      Diag *diag);

// Makes a folder where there is none yet.
BASE_MUST_USE Status show_folder_make(const char *path, Diag *diag);

// ---- A page that shows a run: the system moving, plots, equations; one file that needs nothing.
typedef struct ShowPage ShowPage;
// Both must outlive the page. An error where a file that the model draws cannot be read.
BASE_MUST_USE Status show_page_new(Motion *motion, Simulation *run, Diag *diag, ShowPage **page);
void show_page_free(ShowPage *page);
// How many frames of a run to this time make a motion that is smooth, fast turns too.
double show_page_smooth(const ShowPage *page, double to);
void show_page_row(ShowPage *page, const double *row);     // as the run tells it
void show_page_between(ShowPage *page, const double *row); // a state that is drawn, and no row
// How many of both are kept: too many are thinned.
size_t show_page_rows(const ShowPage *page);
size_t show_page_frames(const ShowPage *page);
typedef struct {
    const char *name, *title;
    const char *model;     // its text
    const char *equations; // a LaTeX document
    const char *check;     // what `check` says, as JSON; NULL: it was not asked
    const char *report;    // of the run
    const char *note;      // what a reader must know first: that it stopped early, was thinned
    const char *events;    // JSON objects with commas between them
    const char *version;
} ShowPageWords;
// With `shared` styles and script are files beside it, zwang.css and zwang.js. False where this
// program was built without the page's bundle.
bool show_page_write(ShowPage *page, const ShowPageWords *words, bool shared, Text *out);
bool show_page_shared(Str *style, Str *script); // what these files hold
// Markup in a text becomes text.
void show_html_escaped(const char *text, Text *out);
// The bundle of web/; empty where it was not built.
Str show_page_bundle(void);

// ---- A picture of the system at instants of a run, as SVG.
typedef struct ShowPicture ShowPicture;
// Both must live until it is finished. An error where a file that the model draws cannot be read.
// With `forces` it shows the reactions.
BASE_MUST_USE Status show_picture_new(Motion *motion, Simulation *run, bool forces, Diag *diag,
                                      ShowPicture **picture);
void show_picture_free(ShowPicture *picture);
void show_picture_row(ShowPicture *picture, const double *row); // as the run tells it
double show_picture_finish(ShowPicture *picture); // there are no more rows; when the last one is
// How many shapes it has, forces not counted.
size_t show_picture_shapes(const ShowPicture *picture);
typedef struct {
    double left, top, width, height; // in pixels
    const char *words;               // below it; NULL: none
} ShowPanel;
// An SVG is begun, has panels, and is ended. A panel shows the row nearest to t.
void show_picture_begin(double width, double height, Text *out);
void show_picture_panel(ShowPicture *picture, double t, const ShowPanel *panel, Text *out);
void show_picture_end(Text *out);
// FILE.svg, the start, or T[,T…]:FILE.svg, a panel for each instant.
const char *show_picture_path(const char *wanted); // FILE.svg
BASE_MUST_USE Status show_picture_check(const char *wanted, Diag *diag);
void show_picture_svg(ShowPicture *picture, const char *wanted, Text *out);
// The row nearest to t, in a LaTeX document.
void show_picture_latex(ShowPicture *picture, double t, Text *out);

// ---- What a run leaves behind: rows of numbers and plots, in files that appear when whole.
typedef struct {
    const char *const *columns; // their names; the first is t
    size_t count;
    size_t coordinates; // the columns after t
    // In what the columns are, and in what they are shown: a number over its scale; NULL where the
    // model has no units, "" of a column that has none.
    const char *const *si, *const *units;
    const double *scales;
    const char *title;
    // What the result can be reproduced from.
    const char *file; // the model, as it was named
    Str text;         // and what it says
    const char *version, *command;
    const char *const *settings;
    size_t setting_count;
    const char *const *param_names;
    const double *params;
    size_t param_count;
    double to, every, tolerance;
    const char *method; // of integration
    bool float32;       // rows in single precision, all but t
    size_t digits;      // of numbers in texts; 0: those that read back to the same number
} ShowRun;

// How a file ends: taken away, with what a run reached that stopped early, or whole.
typedef enum { SHOW_DROPPED, SHOW_PARTIAL, SHOW_COMPLETE } ShowEnd;

// path "-" is standard output; the ending chooses the format. Errors go to diag.
typedef struct ShowTable ShowTable;
BASE_MUST_USE Status show_table_open(const char *path, const ShowRun *run, Diag *diag,
                                     ShowTable **table);
BASE_MUST_USE Status show_table_row(ShowTable *table, const double *row, Diag *diag);
// Whether whole rows of it can be kept where there is no room for all.
bool show_table_can_be_cut(const ShowTable *table);
// Keeps the event with the rows, where the format has a place for it.
bool show_table_keeps_events(const ShowTable *table);
BASE_MUST_USE Status show_table_event(ShowTable *table, const RunEvent *event, Diag *diag);
// Keeps the audit's JSON with the rows, where the format has a place for it.
BASE_MUST_USE Status show_table_audit(ShowTable *table, const char *json, Diag *diag);
// Entries that JSON ends with: ,"key":….
BASE_MUST_USE Status show_table_facts(ShowTable *table, const char *json, Diag *diag);
BASE_MUST_USE Status show_table_close(ShowTable *table, ShowEnd end, Diag *diag);

// The events of a run: records in a file, where a path is given (HDF5 or CSV where it ends so,
// else a JSON object a line); and a summary of them.
typedef struct ShowEvents ShowEvents;
BASE_MUST_USE Status show_events_open(const char *path, const ShowRun *run, Diag *diag,
                                      ShowEvents **events);
BASE_MUST_USE Status show_events_add(ShowEvents *events, const RunEvent *event, Diag *diag);
// Nothing where there were none.
void show_events_summary(const ShowEvents *events, const Model *model, Text *out);
// This unit, as " J", behind a number in a model whose dimensions are checked; else "".
const char *show_si(const Model *model, const char *unit);
// One entry of `,"units":{…`: the SI unit of a column of a run, where it has one.
void show_json_unit(const Model *model, const char *column, bool *first, Text *out);
BASE_MUST_USE Status show_events_close(ShowEvents *events, ShowEnd end, Diag *diag);

// A picture of columns, FILE.svg or NAME[,NAME…]:FILE.svg: without names the coordinates against
// t; with two names the second against the first; with one or several against t, which may be
// named first. The run need not outlive the call.
typedef struct ShowPlot ShowPlot;
BASE_MUST_USE Status show_plot_open(const char *wanted, const ShowPlotStyle *style,
                                    const ShowRun *run, Diag *diag, ShowPlot **plot);
const char *show_plot_path(const char *wanted); // FILE.svg
void show_plot_row(ShowPlot *plot, const double *row);
void show_plot_event(ShowPlot *plot, const RunEvent *event); // is marked
BASE_MUST_USE Status show_plot_close(ShowPlot *plot, ShowEnd end, Diag *diag);

#endif
