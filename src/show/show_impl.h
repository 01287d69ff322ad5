// show_impl.h: the inside of a Show. Never leaves the room.
#ifndef ZWANG_SHOW_IMPL_H
#define ZWANG_SHOW_IMPL_H

#include "show/show.h"

#include <stdio.h>

// The order in which a textbook writes factors.
typedef enum {
    RANK_NUMBER,
    RANK_PARAMETER,
    RANK_COORDINATE,
    RANK_FUNCTION,
    RANK_VELOCITY,
    RANK_ACCELERATION,
    RANK_MULTIPLIER
} Rank;

typedef struct Shortening Shortening;
typedef struct Quantities Quantities;

struct Show {
    Motion *motion;
    const ExprPool *pool;
    size_t width;
    bool latex;               // expressions in LaTeX instead of Unicode
    bool expand;              // everything written out, without named quantities
    const Form *reactions_by; // the form that they end with, or NULL
    uint8_t *ranks;           // of every symbol that the model knows, by node index
    size_t rank_count;
    Shortening *shortening;      // what is remembered while reports are written
    MotionReactions **reactions; // found on first use
    Quantities *quantities;
};

Rank show_rank_of_symbol(const Show *show, Expr symbol);

// ---- shorten.c
Shortening *shortening_new(void);
void shortening_free(Shortening *shortening);
// The shortest form of e, as far as the allowance goes.
Expr show_short(const Show *show, Expr e);
Expr show_short_function(const Show *show, Expr e); // the same for T, S, …: what equations leave
// e = Σ coefficients·symbols + rest, where it is linear to the eye.
typedef struct {
    bool linear;
    const Expr *coefficients;
    Expr rest;
} ShowParts;
ShowParts show_parts(const Show *show, Expr e, const Expr *symbols, size_t count);
// Whether a report is only heard: what it writes is not read.
bool show_listens(const Show *show);
// Writes a report with its expressions made short.
typedef void (*Report)(const Show *show, Form *const *forms, size_t count, bool naive, Text *out);
void show_in_short(const Show *show, Report report, Form *const *forms, size_t count, bool naive,
                   Text *out);
// The nodes of the tree that the graph of e stands for, as far as they are below 2^31.
size_t show_tree_size(const Show *show, Expr e);
size_t show_graph_size(const Show *show, Expr e); // each node once

// ---- quantities.c: names for parts of what is too long to be read.
Quantities *quantities_new(void);
void quantities_free(Quantities *quantities);
void quantities_hear(const Show *show); // from now on a report is only heard
void quantities_spell(const Show *show, bool for_programs);
size_t quantities_readable(const Show *show); // nodes of a line that goes without names
// Chooses the names for what was heard. False where it is too much to be written out in full.
bool quantities_choose(const Show *show, double *effort);
void quantities_forget(const Show *show); // the report is written
// Whether a report is only heard. Then e is remembered as a part of a line of so many nodes,
// which has so many parts.
bool show_hears(const Show *show, Expr e, size_t line, size_t in_line);
// Puts in the place of e what this report writes for it, where that was settled.
bool show_named(const Show *show, Expr *e);
bool show_is_quantity(const Show *show, Expr symbol);
typedef struct {
    Expr symbol, value;
} ShowQuantity;
typedef ARRAY(ShowQuantity) ShowQuantities;
// The next quantity that was used by what was written until now and is not defined yet.
bool show_next_quantity(const Show *show, ShowQuantity *quantity);
void show_definition(const Show *show, const ShowQuantity *quantity, Text *out); // z₁ = …
// All quantities of the report.
size_t show_quantity_count(const Show *show);
ShowQuantity show_quantity_at(const Show *show, size_t index);

// ---- naming.c
typedef struct {
    Expr e, image;  // the image is e with names in it
    size_t in_line; // so many parts stand on its line
} ShowPart;
// Gives names (the letter with a number) to parts of these expressions, so that each line can
// be read. Each name uses only earlier ones.
void show_name_parts(const Show *show, ShowPart *parts, size_t count, const char *letter,
                     double *effort, ShowQuantities *made);

// ---- instant_report.c
void show_number(double value, Text *out);
void show_padded(const char *text, size_t width, Text *out); // spaces up to this width, at least 1
void show_end_line(Text *out);                               // without spaces at its end
void show_json_number(double value, Text *out);              // null where it is not finite
void show_json_entry(bool first, const char *name, double value, Text *out);

// ---- instant_contacts.c: one-sided conditions at an instant; nothing where there are none.
void show_shock_text(const Show *show, const RunStart *start, const RunSides *sides, Text *out);
void show_sides_text(const Show *show, const RunSides *sides, Text *out);
void show_sides_json_active(const RunSides *sides, Text *out);
void show_sides_json(const Show *show, const RunSides *sides, Text *out);

// ---- stability_json.c
// Σ M·u' of an equation of very slow motions.
Expr show_slow_left(const Show *show, const ShowStability *stability, size_t row);

// ---- instant_branches.c: stationary points at an instant; no text where there are none.
void show_branches_text(const Show *show, const RunBranches *branches, Text *out);
void show_branches_json(const Show *show, const RunBranches *branches, Text *out);

// ---- orthonormal_speeds.c
// Whether the state's speeds are those that the program finds; and T in them: ½·(ω₁² + ω₂²).
bool show_are_orthonormal(const Show *show);
void show_orthonormal(const Show *show, Text *out);

// ---- nonlinear_conditions.c: where conditions or speeds are not linear in the velocities.
// Those conditions one after the other; NULL behind the last.
const MotionRow *show_curved_row(const Show *show, size_t index);
// "NAME: …·δx + … = 0", and whether the reaction of the condition does work.
void show_curved_displacements(const Show *show, const MotionRow *row, Text *out);
void show_curved_work(const Show *show, const MotionRow *row, Text *out);
// How the velocities were found as functions of the speeds; NULL where all is linear.
const char *show_curved_velocities(const Show *show);
void show_curved_latex(const Show *show, Text *out); // nothing where all is linear
void show_curved_json(const Show *show, Text *out);  // ,"nonlinear":{…}, or nothing

// ---- check_kind.c: of what kind the conditions are, and the order of non-holonomy.
void show_kind_text(const Show *show, const ShowCheck *check, Text *out);
// Accelerations of the speeds that conditions on accelerations leave free.
size_t show_free_accelerations(const Motion *motion);
void show_kind_json_constraints(const Show *show, const InquiryKind *kind, Text *out);
void show_kind_json(const Show *show, const InquiryKind *kind, Text *out); // holonomic … growth
void show_order_json(const Show *show, const InquiryOrder *order, Text *out);
// true, false or null.
const char *show_json_answer(Answer answer);

// e in its short form, or that it is too long to be read.
void show_readable(const Show *show, Expr e, Text *out);
bool show_is_readable(const Show *show, Expr e);

// ---- check_integrals.c
void show_integrals_text(const Show *show, const ShowCheck *check, Text *out);
void show_integrals_json(const Show *show, const ShowCheck *check, Text *out);

// ---- check_jacobi.c
void show_jacobi_text(const Show *show, const InquiryJacobi *jacobi, Text *out);
void show_jacobi_json(const Show *show, const InquiryJacobi *jacobi, Text *out);

// ---- check_report.c
const char *show_proof_name(ProofKind proof); // exact, modular, none

// ---- derivation_least_action.c: what stands beside Hamel's equations where it was asked for.
void show_least_action_text(const Show *show, const Form *form, Text *out);
void show_least_action_latex(const Show *show, const Form *form, Text *out);
void show_least_action_json(const Show *show, const Form *form, Text *out);

// ---- derivation_text.c
// "  label: left = right", wrapped.
void show_equation_text(const Show *show, const char *name, const char *left, const char *right,
                        Text *out);
// Its kind, or why it was set aside.
const char *show_about_condition(const Motion *motion, const ModelConstraint *constraint);
// A string in the model's own syntax; null where it would be endless.
void show_json_expr(const Show *show, Expr e, Text *out);

// ---- derivation_latex.c
void show_latex_display(const char *equation, Text *out);
void show_latex_equation(const Show *show, const Form *form, const FormEquation *equation,
                         Text *out);
void show_latex_name(const char *name, Text *out);
void show_latex_function(const char *name, Text *out);
void show_latex_escaped(const char *text, Text *out); // words

// ---- reaction_report.c
const MotionReactions *show_reactions(const Show *show);
void show_reactions_text(const Show *show, Text *out);
// With the multipliers solved for, where that can be read; `form` is the one of multipliers.
void show_reactions_latex(const Show *show, const Form *form, Text *out);
void show_reactions_json(const Show *show, const Form *form, Text *out);
void show_json_reaction_head(const MotionReaction *reaction, Text *out);

// ---- file.c: a file that appears under its name when it is whole.
typedef struct {
    char *path;      // what was asked for; "-" is standard output
    char *temporary; // what is written; NULL where it is written directly
    FILE *stream;    // a writer of its own may close it and write `temporary`; NULL then
} ShowFile;
BASE_MUST_USE Status show_file_open(ShowFile *file, const char *path, Diag *diag);
// Puts the file in its place; without keep it is taken away, and nothing is said.
BASE_MUST_USE Status show_file_close(ShowFile *file, bool keep, Diag *diag);
// Whether the path is no regular file, nor to become one: written directly, from front to back.
bool show_file_is_direct(const char *path);
// "cannot write …", with the reason and a remedy: STATUS_FAILED where the machine is to blame.
Status show_file_error(const char *path, int error, Diag *diag);

// ---- table.c
typedef enum { SHOW_CSV, SHOW_JSON, SHOW_JSONL, SHOW_HDF5 } ShowFormat;
// What the ending says; `otherwise` where it says nothing.
ShowFormat show_format_of(const char *path, ShowFormat otherwise);
void show_csv_text(const char *text, Text *out); // quoted where it must be

// ---- event_records.c: what is written of one event.
typedef struct {
    char **keys; // the velocities, as JSON strings
    size_t count;
} EventNames;
void event_names_init(EventNames *names, const ShowRun *run);
void event_names_clear(EventNames *names);
void event_add_json(const EventNames *names, const RunEvent *event, Text *out); // an object
void event_add_csv_head(const ShowRun *run, Text *out);                         // a line
void event_add_csv(const EventNames *names, const RunEvent *event, Text *out);  // a line

// ---- hdf5.c: rows as datasets, where there are `rows`, and events as a group.
typedef struct ShowHdf5 ShowHdf5;
BASE_MUST_USE Status show_hdf5_open(const char *path, const ShowRun *run, bool rows, Diag *diag,
                                    ShowHdf5 **out);
BASE_MUST_USE Status show_hdf5_row(ShowHdf5 *hdf5, const double *row, Diag *diag);
BASE_MUST_USE Status show_hdf5_event(ShowHdf5 *hdf5, const RunEvent *event, Diag *diag);
BASE_MUST_USE Status show_hdf5_audit(ShowHdf5 *hdf5, const char *json, Diag *diag);
BASE_MUST_USE Status show_hdf5_close(ShowHdf5 *hdf5, ShowEnd end, Diag *diag);

// ---- curve.c: a line through many points, of which those that can be seen are kept.
typedef struct {
    double x, y;
} CurvePoint; // x is NAN where the line breaks
typedef ARRAY(CurvePoint) CurvePoints;
typedef enum {
    CURVE_GRAPH, // x never decreases
    CURVE_PATH   // goes anywhere
} CurveKind;
typedef struct {
    double least, most; // NAN where there is none
} CurveRange;
typedef struct Curve Curve;
Curve *curve_new(CurveKind kind);
void curve_free(Curve *curve);
// Before the first point: what lies outside of these ranges is cut off; NAN cuts nothing.
void curve_show_only(Curve *curve, CurveRange x, CurveRange y);
void curve_add(Curve *curve, double x, double y);     // what is not finite breaks the line
void curve_points(Curve *curve, CurvePoints *points); // added to what is there
CurveRange curve_range_x(const Curve *curve);         // of what is kept
CurveRange curve_range_y(const Curve *curve);

// ---- axes.c: which part of a line of numbers is shown, and what is written at it.
typedef enum {
    AXIS_LINEAR,
    AXIS_DECADES, // of logarithms: ticks at powers of ten
    AXIS_WITHIN   // of logarithms in a small range: ticks as on a linear axis, at their logarithms
} AxisScale;
typedef struct {
    AxisScale scale;
    double low, high; // what is shown; logarithms to the base 10 but on a linear axis
    double step;      // between ticks: 1, 2 or 5 times a power of ten; ticks are its multiples
    double offset;    // is taken from what is written at a tick: 0 but for narrow ranges far away
    int power;        // of ten, by which that is divided
    int decimals;     // that are written
} Axis;
// A range that holds `range`, with `margin` as a part of it on either side.
Axis axis_around(CurveRange range, double margin);
void axis_show(Axis *axis, double low, double high, size_t ticks);     // with about so many ticks
void axis_show_log(Axis *axis, double low, double high, size_t ticks); // of logarithms
size_t axis_tick_count(const Axis *axis);
double axis_tick(const Axis *axis, size_t index);
void axis_tick_text(const Axis *axis, double tick, Text *out);
// What is left to say once at the axis: "×10⁻³ + 0.525", or nothing.
void axis_rest_text(const Axis *axis, Text *out);

// ---- plot.c
bool show_is_called(const char *column, Str name); // theta', or θ′ as it is shown
// Takes the name at the beginning of a list with commas; an index may hold some: q[1,2].
Str show_next_name(Str *names);

// ---- plot_style.c: how a picture is to look.
#define SVG_PLACE(NAME, word) NAME,
typedef enum {
#include "show/legend_places.def"
    LEGEND_PLACES
} LegendPlace;
#undef SVG_PLACE
typedef enum { COLOURS_AUTO, COLOURS_LIGHT, COLOURS_DARK } PlotColours;
typedef struct {
    char *label;      // in the place of its name; NULL
    CurveRange range; // of its axis; NAN where it follows from the curves
    bool log;
} PlotName;
typedef struct {
    double width, height; // pixels, 96 an inch; 0: as they need to be
    char size[2][32];     // the same as they were given: "86mm"
    double font;          // its size in pixels; 0: as it fits the picture
    char *family;         // NULL: the reader's
    char *title, *axis;   // NULL: none was given
    LegendPlace legend;
    PlotColours colours;
    PlotName *names; // of what can be named
    size_t count;
} PlotStyle;
// `names` are what labels, ranges and logarithms may speak of. On an error nothing is to be
// cleared. `wanted` may be NULL.
BASE_MUST_USE Status plot_style_read(const ShowPlotStyle *wanted, const char *const *names,
                                     size_t count, Diag *diag, PlotStyle *style);
void plot_style_clear(PlotStyle *style);
// The number that is drawn for a value: itself, or its logarithm.
double plot_scaled(const PlotName *name, double value);

// ---- svg.c: a picture of curves.
typedef struct {
    const char *about;        // what it is, for those who cannot see it
    const char *title;        // "": none
    const char *across;       // the name of the axis across
    const char *axis;         // of the axis up; NULL: that of a curve that is alone
    const char *const *names; // of the curves
    Curve *const *curves;
    size_t count;
    bool path; // one curve, which goes anywhere
    // Events: times, or the places of a path.
    const CurvePoint *marks;
    size_t mark_count;
    const PlotStyle *style;
    CurveRange across_range, up_range; // NAN: as the curves are
    bool across_log, up_log;           // the curves are logarithms
} SvgPlot;
void svg_write(const SvgPlot *plot, Text *out);
// An error where what is to be written at it does not fit into its size.
BASE_MUST_USE Status svg_check_size(const SvgPlot *plot, Diag *diag);

// Breaks a line that is too long before + − = and indents what follows.
void show_wrapped(const Show *show, const char *line, size_t indent, Text *out);

// What an equation is collected by: the accelerations first, then the multipliers. There is room
// for n + m; how many they are.
size_t show_unknowns(const Show *show, const Form *form, Expr *unknowns);

// ---- derivation_steps.c: the derivation of a form, where its steps were recorded.
void show_steps_text(const Show *show, const Form *form, Text *out);
// Steps that a form before this one has too are only named there.
typedef struct {
    const Form *form;
    size_t step;
    char *body;
} ShowToldStep;
typedef ARRAY(ShowToldStep) ShowTold;
void show_steps_latex(const Show *show, const Form *form, ShowTold *told, Text *out);
void show_told_clear(ShowTold *told);
void show_steps_json(const Show *show, const Form *form, Text *out); // ,"steps":[…], or nothing

// The equation `left = right` with the unknowns of its form collected.
void show_equation(const Show *show, const Form *form, const FormEquation *equation, Text *left,
                   Text *right);

#endif
