// zwang.h: the public library. Read a model, derive its equations, prove that the forms
// agree, run it.
//
//     zw_model *model;
//     char *report;
//     if (zw_model_open("blade.zw", NULL, 0, &model) == ZW_DONE &&
//         zw_derive(model, &(zw_derive_options){.forms = "appell"}, &report) == ZW_DONE) {
//         puts(report);
//         zw_free(report);
//     }
//     zw_model_free(model);
//
// Nothing here prints or exits. What there is to say is collected as messages.
#ifndef ZWANG_H
#define ZWANG_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_model zw_model; // opaque; one thread at a time

// How a call ended; the values are the program's exit codes.
typedef enum {
    ZW_DONE = 0,
    ZW_NEGATIVE = 1, // the question has a negative answer, or a run stopped early
    ZW_WRONG = 2,    // the input is wrong; the messages say where
    ZW_FAILED = 3    // the machine failed: memory, disk
} zw_status;

// LaTeX: derivations only; CSV: curves of stability only.
typedef enum { ZW_TEXT, ZW_JSON, ZW_LATEX, ZW_CSV } zw_format;

const char *zw_version(void);
void zw_free(void *text); // what a call has handed out as char **
// Called when memory ends; must not return. The default aborts.
void zw_on_no_memory(void (*hook)(size_t bytes));

// ---- Models. `settings` are texts NAME=VALUE[,NAME=VALUE…]. *model is never NULL, so that
// its messages can be read; free it in any case. A model that is wrong answers ZW_WRONG to
// every question.
zw_status zw_model_open(const char *path, const char *const *settings, size_t setting_count,
                        zw_model **model);
zw_status zw_model_read(const char *name, const char *text, size_t length,
                        const char *const *settings, size_t setting_count, zw_model **model);
void zw_model_free(zw_model *model);
// Other parameters, and another start, for what comes next: the settings that the model was opened
// with, then these, in the place of those of the last call. What a run has derived and compiled
// serves the next one, where that would derive the same; its numbers are in any case those of a
// model that was opened with all these settings. Not after zw_model_reduce. A setting that is wrong
// leaves a model that is wrong, until another call.
zw_status zw_model_set(zw_model *model, const char *const *settings, size_t setting_count);

// ---- Messages: file:line:column: error: …, with the line and a caret. Takes those of at least
// this level that have come since the last call; NULL where there are none.
typedef enum { ZW_NOTE, ZW_WARNING, ZW_ERROR } zw_level;
char *zw_messages(zw_model *model, zw_level least);
// The same for a program that has its own words for what a call can be told. A message that is
// about such a thing ends with them, in parentheses: `words` is given the name of the field or of
// the function that takes it ("tolerance", "plot_size", "independent"), and may return NULL.
char *zw_messages_with(zw_model *model, zw_level least, const char *(*words)(const char *name));

// Fewer coordinates: those that finite relations give, hidden ones too, become abbreviations, as
// far as a relation is linear in one. Before everything else.
zw_status zw_model_reduce(zw_model *model);

// Which coordinates' velocities the reduced forms keep, "theta,phi", in the place of what the
// model says. Before the first question.
zw_status zw_model_independent(zw_model *model, const char *names);

// Speeds that the program finds, in the place of those that the model declares: "orthonormal" has
// T = ½ Σ ω². Before the first question.
zw_status zw_model_speeds(zw_model *model, const char *which);

// Of which motion derive and check speak, where conditions are one-sided: while those named,
// "string,floor", act as equations; "all" or "none". Else those that act at the start do. The
// names must outlive the model's use. Before the first question.
zw_status zw_model_acting(zw_model *model, const char *names);

// Which stationary point of Gauss's function is the motion, where conditions are not affine in the
// accelerations: its number in the list of zw_at, from 1; 0, the default: the least. Before the
// first question.
void zw_model_branch(zw_model *model, size_t number);

// ---- Text for a terminal: reports, messages and what a program says itself. Lines are broken
// between words (formulas before + and −), columns that are too wide are drawn together or stacked.
typedef struct {
    size_t width; // 0: lines stay as long as they are
    bool ascii;   // θ′ is theta', m·v² is m*v^2
    bool colour;  // errors, notes, verdicts and carets by escape sequences
} zw_terminal;
char *zw_for_terminal(const char *text, const zw_terminal *terminal);
// What was probably meant by a word, one of these by spelling; NULL where none is near.
const char *zw_nearest(const char *word, const char *const *known, size_t count);

// ---- Questions. `width` is where text lines are wrapped; 0: never. Options may be NULL: the
// defaults.
typedef struct {
    const char *forms; // "multipliers,appell", "all", or NULL for one good form
    zw_format as;
    size_t width;
    bool naive;     // also what the common mistake gives, where a form has one
    bool steps;     // the derivation, step by step
    bool reactions; // also the multipliers and reactions, with whatever forms
    bool expand;    // everything written out in full, however long, without named quantities
} zw_derive_options;
// The name of a form, or "all", that is or was probably meant by these letters; NULL: none is near.
const char *zw_form_nearest(const char *name, size_t length);
zw_status zw_derive(zw_model *model, const zw_derive_options *options, char **report);
// only: some of "forms,kind,integrals,jacobi", or NULL for all four. ZW_NEGATIVE where some form
// disagrees.
zw_status zw_check(zw_model *model, const char *only, zw_format as, size_t width, char **report);

// Does each of these equations follow from the motion? They hold names of the model, multipliers
// lambda.NAME, and quantities of the forms: T, T+, U, S, P_v, p_theta, R_theta, beta[1,2,3], H.
// ZW_NEGATIVE where one is refuted or undecided, ZW_WRONG where one cannot be read; the report
// answers the others all the same.
typedef struct {
    const char *const *equations; // "I*w' + m*s*v*w = 0", or "NAME: a = b"
    size_t count;
    const char *file; // one equation a line, with # comments; may be NULL
    zw_format as;     // ZW_TEXT or ZW_JSON
    size_t width;
} zw_equation_options;
zw_status zw_equations(zw_model *model, const zw_equation_options *options, char **report);

// The instant at the start: accelerations, multipliers, reactions at points and on bodies,
// energies, Gauss's function, conditioning, and which conditions are redundant there.
zw_status zw_at(zw_model *model, zw_format as, size_t width, char **report);
typedef struct {
    zw_format as;
    size_t width;
    bool steps; // also Mayer's procedure: which sets of one-sided conditions are tried, and why not
} zw_at_options;
zw_status zw_at_instant(zw_model *model, const zw_at_options *options, char **report);

// How a picture looks; NULL: as the picture needs it.
typedef struct {
    const char *size;    // "86x60mm"
    const char *font;    // "8pt", "8pt Latin Modern Roman"
    const char *title;   // "": none
    const char *axis;    // the name of the axis up
    const char *legend;  // "above", "none", or a corner: "top-left"
    const char *colours; // "auto", "light", "dark"
    const char *range;   // "t=0:5,x=-1:1"
    const char *log;     // "t,x"; of a run
    const char *wrap;    // "theta": angles, between −π and π; of a run
    const char *points;  // "impact": dots at these events, or at those of a condition; of a run
    const char *const *labels; // "x=position x [m]"
    size_t label_count;
} zw_plot_style;

// A steady motion, the equations linearized about it, eigenvalues and modes, and what they say of
// its stability. Steady: the speeds, and every coordinate that their equations need, are constant.
typedef struct {
    const char *at;     // "psi=0,phi'=6": held there; the rest is found from the start. NULL: none
    const char *vary;   // "v=0:10:200": a parameter, or a speed or velocity that is held; NULL
    const char *inputs; // "F,tau": parameters for the matrix B; NULL
    const char *plot;   // FILE.svg: the curve; NULL
    const zw_plot_style *plot_style; // may be NULL
    size_t digits;                   // of the eigenvalues that are to be certain; 0: doubles
    bool root_locus;                 // the plot shows the complex plane
    bool slow;                       // also the equations of very slow motions
    zw_format as;
    size_t width;
} zw_stability_options;
zw_status zw_stability(zw_model *model, const zw_stability_options *options, char **report);

// ---- Runs.
// An event: the motion goes on by another law, or with other velocities. What it points to lives
// until the function returns that was called with it.
typedef struct {
    double t;
    const char *kind;             // "impact", "contact", "release", "rest", "impulse", "switch"
    const char *constraint;       // its name; NULL where it is no condition's
    const char *what;             // that which switches, as it is written; else NULL
    const double *before, *after; // the velocities, in the order of the coordinates
    size_t count;
    double impulse;     // of a one-sided condition that is struck: −impulse·∂f/∂q
    double energy_lost; // by all shocks at this t together
    bool doubtful;      // it is within the tolerance that there is none
    double uncertainty; // of a rest: how far its time may be off
} zw_event;

typedef struct {
    double to, every, tolerance; // NAN: as the model says
    double step;                 // of the method "timestepping"; NAN: a tenth of `every`, or less
    bool residuals;              // with a column residual.NAME for each condition
    bool no_watch;      // goes on where something that is constant changes, or fixed steps have an
                        // unknown error
    bool integrals;     // with a column integral.NAME for each first integral found
    const char *form;   // which form drives the motion; NULL: the cheapest way
    const char *method; // "auto", "taylor", "bdf", "adams", "erk", "timestepping"; NULL: auto
    const char *engine; // "interpret", "native" (compiled), "auto"; NULL: auto
    const char *out;    // a file, "-" for standard output, NULL: no rows are written
    const char *rows;   // of that file: "float32", all but t in single precision; NULL: doubles
    const char *events; // the same for events: .csv, .h5, else a JSON object a line
    const char *const *plots; // pictures: "FILE.svg" or "NAME[,NAME…]:FILE.svg" each
    size_t plot_count;
    const zw_plot_style *plot_styles; // of each picture; NULL: none has one
    // The system as it looks at the start, "FILE.svg", or at instants, "T[,T…]:FILE.svg"; NULL.
    const char *picture;
    // A second run by another method and a tighter tolerance, from which the error is estimated;
    // the report says what was found, and so does *audit_json, which may be NULL.
    bool audit;
    char **audit_json;
    const char *command; // what HDF5 files say that they were made by; may be NULL
    // Both may be NULL; returning false stops the run. At an event two rows have the same t.
    bool (*row)(void *context, const double *values, size_t count);
    bool (*progress)(void *context, double part); // of the run's time, from 0 to 1
    void *context;
    void (*event)(void *context, const zw_event *event); // may be NULL
    // At singular positions: "0.8:2,1.6:3" leaves the one nearest to t = 0.8 by its branch 2, and
    // so on; NULL: by the first ones, which continue smoothly.
    const char *branches;
    // Parameters are numbers of the formulas: these are sometimes shorter, but serve no other
    // numbers. Else they are constants of a run, and other numbers need no other formulas.
    bool fixed;
} zw_run_options;
zw_run_options zw_run_defaults(void);
// *report says what was done, for a person; may be NULL. ZW_NEGATIVE where the run stopped
// early; what was reached has been written whole.
zw_status zw_run(zw_model *model, const zw_run_options *options, char **report);
// The names of a run's columns, for the row function. *names is one block for zw_free.
zw_status zw_run_columns(zw_model *model, const zw_run_options *options, char ***names,
                         size_t *count);

// ---- A page that shows a run in a browser: one HTML file that needs nothing else.
typedef struct {
    const char *out;             // the file
    bool shared;                 // with zwang.css and zwang.js beside it, as zw_gallery_site writes
    double to, every, tolerance; // NAN: as the model says
    const char *method;          // as of a run
    const char *forms;           // "hamel,appell", "all"; NULL: one good form
    bool proofs; // also the steps of these forms, and what zw_check says; takes its time
    bool (*progress)(void *context, double part); // may be NULL; returning false stops the run
    void *context;
} zw_view_options;
// *report says what was written. ZW_NEGATIVE where the run stopped early; the page then shows what
// was reached, and says so.
zw_status zw_view(zw_model *model, const zw_view_options *options, char **report);

// ---- Code for others.
typedef struct {
    const char *to;    // "c", "python", "julia", "matlab", "latex"
    const char *forms; // of latex: "hamel,appell"; NULL: all
    bool fixed;        // parameters as numbers: shorter code that is for these alone
    bool velocities;   // the state holds all velocities: nothing is chosen that could fail later
    bool smooth; // what code cannot follow (impulses, one-sided conditions, switches) is left out
    const char *out; // a file; C writes FILE.h beside FILE.c. NULL or "-": the report is the text
} zw_export_options;
// *report is the text, or says which files were written.
zw_status zw_export(zw_model *model, const zw_export_options *options, char **report);

// ---- The gallery: models that come with the library, in the order of their names.
size_t zw_gallery_count(void);
const char *zw_gallery_name(size_t index);
const char *zw_gallery_title(size_t index);
const char *zw_gallery_text(const char *name);    // NULL where there is no such model
const char *zw_gallery_nearest(const char *name); // what was probably meant, or NULL
// The whole gallery as a site in a folder: index.html, and of each model its page and picture.
// *report says what was written, and what was wrong; progress as in zw_view_options.
zw_status zw_gallery_site(const char *folder, bool (*progress)(void *context, double part),
                          void *context, char **report);
// One SVG with all models at three instants each: the start, the middle and the end of their runs.
zw_status zw_gallery_sheet(const char *file, bool (*progress)(void *context, double part),
                           void *context, char **report);

#ifdef __cplusplus
}
#endif

#endif
