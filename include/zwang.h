// zwang.h: the public library. Read a model, derive its equations, prove that the forms
// agree, run it.
//
//     zw_model *model;
//     zw_result *result;
//     if (zw_model_open("blade.zw", NULL, &model) == ZW_DONE &&
//         zw_derive(model, &(zw_derive_options){.forms = "appell"}, &result) == ZW_DONE) {
//         puts(zw_result_text(result));
//         zw_result_free(result);
//     }
//     zw_model_free(model);
//
// Every question has one shape: (model, options, result).
//
//   options  may be NULL. Zero is the default of every field. The first field, `size`, is 0 or the
//            sizeof of the struct: with 0 the fields that version 1.0 has are read, so that whoever
//            sets a field that a later version has added gives the size. Texts are copied.
//   result   what was found, owned by the caller until zw_result_free: a report, and numbers. What
//            accessors return lives as long. It is set to NULL where there is none.
//
// NULL where it is not allowed, and calls in a wrong order, are ZW_WRONG with a message. Nothing
// here prints or exits, depends on the locale, or handles signals. What there is to say is
// collected as messages.
//
// Where memory ends a call is ZW_FAILED, and its object (model, system, simulation) is spoiled: all
// that it held is freed, every further call on it fails, and it is to be freed as usual. Others are
// as they were. FLINT and GMP take their memory by hooks for this, which are malloc; some blocks
// that they were working on are not given back then.
#ifndef ZWANG_H
#define ZWANG_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZW_VERSION_MAJOR  1
#define ZW_VERSION_MINOR  0
#define ZW_VERSION_PATCH  0
#define ZW_VERSION_NUMBER (ZW_VERSION_MAJOR * 10000 + ZW_VERSION_MINOR * 100 + ZW_VERSION_PATCH)
const char *zw_version(void); // of the library that runs: "1.0.0"

typedef struct zw_model zw_model; // opaque; one thread at a time
typedef struct zw_result zw_result;

// How a call ended; the values are the program's exit codes.
typedef enum {
    ZW_DONE = 0,
    ZW_NEGATIVE = 1, // the question has a negative answer, or a run stopped early
    ZW_WRONG = 2,    // the input is wrong; the messages say where
    ZW_FAILED = 3    // the machine failed: memory, disk
} zw_status;

typedef enum { ZW_NO, ZW_YES, ZW_UNKNOWN } zw_answer;
// By canonical forms; in prime fields, wrong with a probability that is told; by numbers alone.
typedef enum { ZW_PROOF_NONE, ZW_PROOF_EXACT, ZW_PROOF_MODULAR, ZW_PROOF_NUMERIC } zw_proof;

// LaTeX: derivations only; CSV: curves of stability only.
typedef enum { ZW_TEXT, ZW_JSON, ZW_LATEX, ZW_CSV } zw_format;

void zw_free(void *text); // what a call has returned as char *

// ---- Results.
void zw_result_free(zw_result *result);              // NULL is allowed, as in every zw_…_free
const char *zw_result_text(const zw_result *result); // the report, in the format asked for; ""

// ---- Models. *model is never NULL after a call that could have one, so that its messages can be
// read; free it in any case. A model that is wrong answers ZW_WRONG to every question.
typedef struct {
    size_t size;
    const char *const *settings; // "NAME=VALUE[,NAME=VALUE…]" each
    size_t setting_count;
    // Fewer coordinates: those that finite relations give, hidden ones too, become abbreviations,
    // as far as a relation is linear in one.
    bool reduce;
    // Which coordinates' velocities the reduced forms keep, "theta,phi", in the place of what the
    // model says.
    const char *independent;
    // Speeds that the program finds, in the place of those that the model declares: "orthonormal"
    // has T = ½ Σ ω².
    const char *speeds;
    // Of which motion derive and check speak, where conditions are one-sided: while those named,
    // "string,floor", act as equations; "all" or "none". Else those that act at the start do.
    const char *acting;
    // Which stationary point of Gauss's function is the motion, where conditions are not affine in
    // the accelerations: its number in the list of zw_at, from 1; 0: the least.
    size_t branch;
    // Told whenever a part of the work begins, in words that follow "while": "proving 'hamel'". May
    // be NULL. The text lives during the call.
    void (*stage)(void *context, const char *what);
    void *context;
} zw_model_options;
zw_status zw_model_open(const char *path, const zw_model_options *options, zw_model **model);
// The same of a text in memory, of so many bytes, which messages call by this name.
zw_status zw_model_read(const char *name, const char *text, size_t length,
                        const zw_model_options *options, zw_model **model);
void zw_model_free(zw_model *model);
// Other parameters, and another start, for what comes next: the settings that the model was opened
// with, then these, in the place of those of the last call. What a run has derived and compiled
// serves the next one, where that would derive the same; its numbers are in any case those of a
// model that was opened with all these settings. Not for a model that was reduced. A setting that
// is wrong leaves a model that is wrong, until another call.
zw_status zw_model_set(zw_model *model, const char *const *settings, size_t setting_count);
// The value of an expression in numbers, pi and the model's parameters, "300*2*pi/w"; messages call
// the text by this name.
zw_status zw_model_number(zw_model *model, const char *name, const char *text, double *number);

// ---- Messages: file:line:column: error: …, with the line and a caret. Takes those of at least
// this level that have come since the last call; NULL where there are none.
typedef enum { ZW_NOTE, ZW_WARNING, ZW_ERROR } zw_level;
char *zw_messages(zw_model *model, zw_level least);
// The same for a program that has its own words for what a call can be told. A message that is
// about such a thing ends with them, in parentheses: `words` is given the name of the field or of
// the function that takes it ("tolerance", "plot_size", "independent"), and may return NULL.
char *zw_messages_with(zw_model *model, zw_level least, const char *(*words)(const char *name));
// One by one, without taking them: the message of this index, in the order in which they came; NULL
// beyond the last. It lives until the next call with this model.
typedef struct {
    zw_level level;
    const char *text;    // without place and caret
    const char *file;    // in which it is: the model, "setting"; NULL where it is in no text
    size_t line, column; // from 1; 0 where it is in no text. Columns count characters
    const char *about;   // the field that it is about, as zw_messages_with has it; NULL
} zw_message;
const zw_message *zw_message_at(zw_model *model, size_t index);

// ---- Text for a terminal: reports, messages and what a program says itself. Lines are broken
// between words (formulas before + and −), columns that are too wide are drawn together or stacked.
typedef struct {
    size_t size;
    size_t width; // 0: lines stay as long as they are
    bool ascii;   // θ′ is theta', m·v² is m*v^2
    bool colour;  // errors, notes, verdicts and carets by escape sequences
} zw_terminal;
char *zw_for_terminal(const char *text, const zw_terminal *terminal); // NULL: memory ended
// What was probably meant by a word, one of these by spelling; NULL where none is near.
const char *zw_nearest(const char *word, const char *const *known, size_t count);
const char *zw_unit(size_t index); // the words of units, "m" the first; NULL behind the last

// ---- Questions. `width` is where lines of a text are wrapped; 0: never.
typedef struct {
    size_t size;
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
zw_status zw_derive(zw_model *model, const zw_derive_options *options, zw_result **result);

// Kind, integrals, Jacobi's theorem, agreement of the forms. ZW_NEGATIVE where some form disagrees.
typedef struct {
    size_t size;
    const char *only; // some of "forms,kind,integrals,jacobi"; NULL: all four
    zw_format as;     // ZW_TEXT or ZW_JSON
    size_t width;
} zw_check_options;
zw_status zw_check(zw_model *model, const zw_check_options *options, zw_result **result);
typedef struct {
    // Whether all forms give the same motion; ZW_UNKNOWN where that was not asked, or not decided.
    zw_answer forms_agree;
    // Of each form against the yardstick, the first that applies: answers, proofs, log2 of the
    // probability that a modular proof is wrong, reasons (NULL for none) why nothing is known.
    size_t form_count;
    const char *const *form_names;
    const bool *form_applies;
    const zw_answer *form_answers; // ZW_YES of the yardstick
    const zw_proof *form_proofs;   // ZW_PROOF_NONE of the yardstick
    const double *form_log2_errors;
    const char *const *form_reasons;
    zw_answer percussions_agree; // whether all forms give the same jumps at given impulses
    // Kind; all 0 where it was not asked.
    zw_answer holonomic;
    const char *kind_reason; // why nothing can be said; NULL where it can
    size_t finite, hidden;   // finite relations in the text, and in conditions on velocities
    size_t freedoms;         // at the start; 0 where it is not known
    const size_t *growth;    // dimensions of directions with brackets of 0, 1, … rounds
    size_t growth_count;     // how many
    // First integrals: each proved. Values as zwang writes expressions.
    size_t integral_count;
    const char *const *integral_names;  // "energy", "momentum of theta", "linear 1"
    const char *const *integral_labels; // "energy", "momentum.theta": as in names of columns
    const char *const *integral_values; // NULL where it has more than a million terms
    const zw_proof *integral_proofs;
    zw_answer jacobi; // whether Jacobi's theorem extends; ZW_UNKNOWN where it was not asked
    const char *jacobi_reason; // NULL where it does
} zw_check_answers;
const zw_check_answers *zw_result_check(const zw_result *result); // NULL: of another question

// Does each of these equations follow from the motion? They hold names of the model, multipliers
// lambda.NAME, and quantities of the forms: T, T+, U, S, P_v, p_theta, R_theta, beta[1,2,3], H.
// ZW_NEGATIVE where one is refuted or undecided, ZW_WRONG where one cannot be read; the report
// answers the others all the same.
typedef struct {
    size_t size;
    const char *const *equations; // "I*w' + m*s*v*w = 0", or "NAME: a = b"
    size_t count;
    const char *file; // one equation a line, with # comments; may be NULL
    zw_format as;     // ZW_TEXT or ZW_JSON
    size_t width;
} zw_equation_options;
zw_status zw_equations(zw_model *model, const zw_equation_options *options, zw_result **result);
typedef struct {
    size_t count;             // of those that could be read, in their order
    const char *const *names; // NULL where one has none
    const zw_answer *follow;
    const zw_proof *proofs;
    const double *log2_errors;
    const char *const *reasons; // of ZW_UNKNOWN; else NULL
} zw_equation_answers;
const zw_equation_answers *zw_result_equations(const zw_result *result);

// The instant at the start, or at a time of the run: accelerations, multipliers, reactions at
// points and on bodies, energies, Gauss's function, conditioning, and which conditions are
// redundant there.
typedef struct {
    size_t size;
    zw_format as;
    size_t width;
    bool steps; // also Mayer's procedure: which sets of one-sided conditions are tried, and why not
    size_t digits; // at most so many of each number in the text; 0: 10
    double time;   // that of the run, as zw_run has it by its defaults; behind the events there
    double to;     // the run's end; 0: as the model says
} zw_at_options;
zw_status zw_at(zw_model *model, const zw_at_options *options, zw_result **result);
typedef struct {
    size_t coordinate_count;
    const char *const *coordinates;
    const double *q, *v, *a;
    const double *free; // accelerations without reactions; NULL where there are none
    size_t speed_count;
    const char *const *speed_names;
    const double *speeds;
    // Conditions that are in force, with λ and what their reactions do in a unit of time.
    size_t condition_count;
    const char *const *conditions;
    const double *multipliers, *powers;
    const bool *redundant; // depends here on those before it
    // One-sided ones: f ≤ 0, f', λ, and which act.
    size_t side_count;
    const char *const *sides;
    const double *side_values, *side_rates, *side_multipliers;
    const bool *side_acts;
    size_t output_count;
    const char *const *output_names;
    const double *outputs;
    double kinetic, potential; // NAN where there are none
    double gauss;              // ½(a − a°)·M(a − a°); NAN where there is no a°
    size_t rank;               // of the conditions in force
    double conditioning, inertia_conditioning; // largest to smallest; 1 is best
} zw_instant;
const zw_instant *zw_result_instant(const zw_result *result);

// How a picture looks; NULL: as the picture needs it.
typedef struct {
    size_t size;
    const char *extent;  // "86x60mm"
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
    size_t size;
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
zw_status zw_stability(zw_model *model, const zw_stability_options *options, zw_result **result);
typedef enum {
    ZW_ASYMPTOTICALLY_STABLE,
    ZW_STABLE_FIRST_ORDER, // in the first approximation
    ZW_UNSTABLE,
    ZW_UNDECIDED
} zw_verdict;
// A real eigenvalue passes 0; a pair passes the imaginary axis; imaginary pairs meet and leave it.
typedef enum { ZW_ZERO_CROSSES, ZW_PAIR_CROSSES, ZW_PAIRS_MEET } zw_crossing;
// M·u' + C·u + K·q = F·δp and q', or together x' = A·x + B·δp, x = (q, u), all counted from their
// steady values. Matrices stand row by row.
typedef struct {
    zw_verdict verdict;
    const char *reason; // a sentence
    size_t coordinate_count, speed_count, size;
    const char *const *names; // of x
    const double *state;      // steady values
    size_t input_count;
    const char *const *inputs;
    const double *A, *B;             // size × size, size × inputs
    const double *M, *C;             // speeds × speeds
    const double *K, *F;             // speeds × coordinates, speeds × inputs
    const double *re, *im;           // eigenvalues: pairs together
    const double *mode_re, *mode_im; // size × size: mode j is column j, its largest part 1
    size_t family;                   // so many zeros belong to the family of steady motions
    // Over a range, where one was asked for: eigenvalues points × size, a column is a branch.
    size_t point_count;
    const double *values, *curve_re, *curve_im;
    const size_t *growing; // how many modes grow
    size_t critical_count;
    const double *critical_values, *critical_frequencies;
    const zw_crossing *crossings;
} zw_steady_motion;
const zw_steady_motion *zw_result_stability(const zw_result *result);

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
    const char *event;  // the model's event, by its label; NULL where it is none
} zw_event;

typedef struct {
    size_t size;
    double to, every, tolerance; // 0: as the model says
    double step;                 // of the method "timestepping"; 0: a tenth of `every`, or less
    bool keep;                   // rows and events stay in the result
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
    const zw_plot_style *const *plot_styles; // of each picture; NULL: none has one
    // The system as it looks at the start, "FILE.svg", or at instants, "T[,T…]:FILE.svg"; NULL.
    const char *picture;
    // A second run by another method and a tighter tolerance, from which the error is estimated;
    // the report says what was found, and so does zw_result_audit.
    bool audit;
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
    size_t digits; // of numbers in CSV and JSON; 0: as many as read back to the same number
    // A file that the whole run goes to, every so many seconds (0: 60), with its rows in
    // CHECKPOINT.rows; and such a file, from which the run goes on: with the same model, settings
    // and outputs, which are then those of a run that was never broken off.
    const char *checkpoint;
    double checkpoint_every;
    const char *resume;
    // Where no consistent contact forces exist: "stop" or "impact", by which velocities jump
    // without a collision; NULL: stop.
    const char *paradox;
    // Ends the run where it becomes true: "x >= 5", "y = 0"; NULL: as the model says.
    const char *until;
    // Parameters and start values, "m,x'": with a column diff(x,m), diff(x,x'(0)) for the exact
    // derivative of every coordinate, velocity, speed, state and output; NULL: none.
    const char *sensitivity;
} zw_run_options;
// ZW_NEGATIVE where the run stopped early; what was reached has been written whole. That is so too
// where memory ends after the first row, but the model is then spoiled. `result` may be NULL.
zw_status zw_run(zw_model *model, const zw_run_options *options, zw_result **result);
// The columns of that run alone, without numbers: for the row function.
zw_status zw_run_columns(zw_model *model, const zw_run_options *options, zw_result **result);
typedef struct {
    bool complete;  // the end was reached
    double reached; // the last time
    size_t steps, rejected, evaluations, rows, events;
    size_t columns;
    double largest_residual;
    double energy_drift; // NAN where the energy is not constant
    double energy_lost;  // in impacts
} zw_run_facts;
const zw_run_facts *zw_result_run(const zw_result *result);
// Columns by their index: its name, NULL beyond the last; its numbers, zw_run_facts.rows of them,
// NULL where they were not kept. The index of a name; the number of columns where there is none.
const char *zw_result_column_name(const zw_result *result, size_t column);
const double *zw_result_column(const zw_result *result, size_t column);
size_t zw_result_find_column(const zw_result *result, const char *name);
const zw_event *zw_result_event(const zw_result *result, size_t index); // NULL beyond the last
const char *zw_result_audit(const zw_result *result); // JSON; NULL where none was made

// ---- A system as functions of t, the state y = (q, u) and parameters p: for one's own integrator,
// optimizer or controller. One-sided conditions do not act in them, and impulses do not.
//
// A system is const once it is made: any number of threads use it, each with a workspace of its
// own. No call allocates. It lives on when its model is freed. Calls return ZW_NEGATIVE where there
// is no such value: the speeds do not determine the velocities there, or it is not finite.
typedef struct zw_system zw_system;
typedef struct zw_workspace zw_workspace;
typedef struct {
    size_t size;
    bool velocities; // u are all velocities q': nothing is divided by that could vanish elsewhere.
                     // Conditions on velocities then hold where y meets them. Else u are
                     // independent speeds, and these conditions hold whatever they are
} zw_system_options;
zw_status zw_system_new(zw_model *model, const zw_system_options *options, zw_system **system);
void zw_system_free(zw_system *system); // after its workspaces
typedef struct {
    size_t coordinate_count, speed_count, state_count; // state_count is the sum of the others
    const char *const *state_names;                    // "x", "theta", …, "v", or "theta'"
    const double *start;                               // the state at t = 0
    size_t parameter_count;                            // those that are not given by others
    const char *const *parameter_names;
    const double *parameter_values; // as the model has them
    size_t condition_count;         // in force
    const char *const *condition_names;
} zw_layout;
const zw_layout *zw_system_layout(const zw_system *system); // lives as long as the system
zw_status zw_workspace_new(const zw_system *system, zw_workspace **workspace);
void zw_workspace_free(zw_workspace *workspace);
// y' = f(t, y, p). p may be NULL here and below: the parameters of the model.
zw_status zw_rates(const zw_system *system, zw_workspace *workspace, double t, const double *y,
                   const double *p, double *rates);
// Exact derivatives of f, row by row: by y (states × states) and by p (states × parameters).
zw_status zw_rates_by_state(const zw_system *system, zw_workspace *workspace, double t,
                            const double *y, const double *p, double *matrix);
zw_status zw_rates_by_parameters(const zw_system *system, zw_workspace *workspace, double t,
                                 const double *y, const double *p, double *matrix);
// ∂f/∂t·dt + ∂f/∂y·dy + ∂f/∂p·dp, in the time of about two rates; dy and dp may be NULL: 0.
zw_status zw_rates_along(const zw_system *system, zw_workspace *workspace, double t,
                         const double *y, const double *p, double dt, const double *dy,
                         const double *dp, double *change);
// M·q'' + bias = Jᵀ·λ and J·q'' + gamma = 0 (where no servo keeps a condition), and what solves
// them. Each pointer may be NULL. In systems of many bodies, where no such matrices are formed in a
// run, p must be NULL.
typedef struct {
    size_t size;
    double *velocities, *accelerations; // coordinates
    double *mass, *bias;                // coordinates × coordinates, coordinates
    double *jacobian, *gamma;           // conditions × coordinates, conditions
    double *multipliers;                // conditions
} zw_parts;
zw_status zw_system_parts(const zw_system *system, zw_workspace *workspace, double t,
                          const double *y, const double *p, const zw_parts *parts);

// ---- A simulation that is followed step by step, with all events: for a controller in the loop, a
// game, a co-simulation. It lives on when its model is freed. One thread at a time.
typedef struct zw_sim zw_sim;
typedef struct {
    size_t size;
    double tolerance; // 0: as the model says
    // As of a run. "timestepping" needs no_watch, for nobody can tell its error step by step; its
    // dense output is the end of the last step alone.
    const char *method, *engine, *form;
    bool no_watch, residuals, integrals, fixed;
    // Called between the steps of zw_sim_to with the part of the way that is done; may be NULL.
    // Returning false ends that call with ZW_NEGATIVE; the simulation stays where it is and can go
    // on.
    bool (*progress)(void *context, double part);
    void *context;
    double step; // of "timestepping"; 0: as of a run without watch
} zw_sim_options;
zw_status zw_sim_new(zw_model *model, const zw_sim_options *options, zw_sim **sim);
void zw_sim_free(zw_sim *sim);
// One step of the integrator, as long as the tolerance allows, to the first event in it.
// ZW_NEGATIVE where the motion cannot be followed further, here and below, or where an event of the
// model has stopped it: messages say why. Another state, set or restored, goes on from there.
zw_status zw_sim_step(zw_sim *sim);
// As many steps as lead to this time, exactly.
zw_status zw_sim_to(zw_sim *sim, double t);
// The time, and coordinates and velocities in the order of the text; each may be NULL.
zw_status zw_sim_state(zw_sim *sim, double *t, double *q, double *v);
size_t zw_sim_coordinates(const zw_sim *sim); // how many
// The columns of a run at a time within the last step, which begins at zw_sim_from: behind an event
// that is the event. Names by index, NULL beyond the last.
zw_status zw_sim_row(zw_sim *sim, double t, double *row);
double zw_sim_from(const zw_sim *sim);
size_t zw_sim_columns(const zw_sim *sim);
const char *zw_sim_column_name(const zw_sim *sim, size_t column);
// What happened in the last call of zw_sim_new, zw_sim_step, zw_sim_to or zw_sim_set_…; NULL beyond
// the last. Lives until the next one.
const zw_event *zw_sim_event(const zw_sim *sim, size_t index);
// From here on with another state at the same time, which meets the conditions (v may be NULL: as
// they are), or with another value of a parameter. Contacts are then solved anew. What is wrong is
// ZW_WRONG, and nothing changes.
zw_status zw_sim_set_state(zw_sim *sim, const double *q, const double *v);
zw_status zw_sim_set_parameter(zw_sim *sim, const char *name, double value);
// The whole simulation as bytes for zw_free, or as a file, and the reverse, with a simulation of
// the same model and options. Whoever goes on after saving and whoever restores get the same
// numbers, bit for bit.
zw_status zw_sim_save(zw_sim *sim, char **bytes, size_t *count);
zw_status zw_sim_restore(zw_sim *sim, const char *bytes, size_t count);
zw_status zw_sim_save_file(zw_sim *sim, const char *path);
zw_status zw_sim_restore_file(zw_sim *sim, const char *path);
char *zw_sim_messages(zw_sim *sim, zw_level least); // as zw_messages

// ---- Sweeps: many runs of one model, by threads.
typedef struct {
    size_t size;
    // What is varied, one text each: "v=0:10:5" (5 values from 0 to 10), "v=1:100:3:log",
    // "m=[1, 2, 5]", "m=normal(1, 0.1)", "m=uniform(0, 1)", "m=sobol(0, 1)", or "table.csv", a run
    // in each row. Parameters and starts, as settings name them; their values are crossed.
    const char *const *vary;
    size_t vary_count;
    bool zip;       // paired: all have as many values
    size_t samples; // draws of the random ones, at each point of the others
    unsigned long long seed;
    // "final" (the last row; NULL), "rows", "events", "max(x)", "min(x)", "mean(x)", "last(x)",
    // "time(max(x))", "count(impact)", "section(strike)", with commas; x is an expression in
    // columns and parameters.
    const char *keep;
    const char *out;     // .csv, .h5, or "-"; NULL: none
    bool resume;         // goes on with OUT.part, which a sweep leaves that was broken off
    bool allow_failures; // runs that fail are no reason for ZW_NEGATIVE
    double limit_each;   // seconds that a run may take; 0: any
    size_t threads;      // 0: one a processor
    const char *device;  // "cpu" or "auto"; NULL: auto
    bool numbers;        // the result has all numbers, too, and not only the counts
    // Pictures, "FILE.svg" or "NAME[,NAME…]:FILE.svg" each, of what is kept: curves over one axis,
    // a map over two ranges, a histogram of random draws, dots for the items of a list.
    const char *const *plots;
    size_t plot_count;
    const zw_plot_style *const *plot_styles;      // of each picture; NULL: none has one
    bool (*progress)(void *context, double part); // of all runs; false ends with what is done
    void *context;
    // Of every run: to, every, tolerance, step, method, engine, form, until, paradox, no_watch,
    // residuals, integrals, fixed, digits, command. NULL: as the model says.
    const zw_run_options *run;
    bool ranks; // where mpirun has started several processes: one sweep of all of them
} zw_sweep_options;
// ZW_NEGATIVE where runs have failed, or it was ended early; what was done has been written. The
// numbers are those of single runs with the same values, whatever the number of threads.
zw_status zw_sweep(zw_model *model, const zw_sweep_options *options, zw_result **result);
typedef struct {
    size_t runs, done;                   // asked for, and made
    size_t ok, stopped, failed, limited; // by `stop` or `until`; beyond limit_each
    // With `numbers`; else 0 and NULL.
    size_t columns;
    const char *const *names;     // the axes, then what is kept as one number
    const double *const *numbers; // of each of them, a number a run: NAN where it has none
    const char *const *statuses;  // "ok", "stopped", "failed", "limit", or "" where it is not done
    const size_t *steps;
    const double *errors, *reached; // an error estimate, NAN where there is none; the last time
    const char *const *messages;    // "" for none
} zw_sweep_facts;
const zw_sweep_facts *zw_result_sweep(const zw_result *result); // NULL: of another question

// Least squares of the model's columns at the times of data, by runs with exact derivatives. Data
// are tables with names in the first line, one of them t; empty cells are left out. ZW_NEGATIVE
// where it did not converge, or is not determined.
typedef struct {
    size_t size;
    const char *const *data; // files: .csv; "-" is standard input
    size_t data_count;
    const char *vary;    // parameters, "m,I=0.1:10", with bounds or without; NULL: none
    const char *initial; // start values, "x,x'"; NULL: none
    const char *use;     // columns, "x, y=pos_mm/1000"; NULL: all of the data, by their names
    const char *sigma;   // standard deviations, "x=0.01,y=0.02"; NULL: by the residuals
    const char *loss;    // "huber": what is far off counts less; NULL: "squares"
    const char *out;     // a file for t, column, data and fit; NULL: none
    double tolerance;    // of the runs; 0: as the model says
    const char *method;  // likewise
    zw_format as;        // ZW_TEXT or ZW_JSON
    size_t width;
} zw_fit_options;
zw_status zw_fit(zw_model *model, const zw_fit_options *options, zw_result **result);
typedef struct {
    size_t count;
    const char *const *names;
    const double *values;
    // count × count; NULL where the rank falls short; NAN of what a bound holds.
    const double *covariance;
    double quantile;    // so many standard deviations to both sides are 95 %
    size_t value_count; // of the data
    double rms;
    size_t iterations, rank;
    bool converged;
    const char *undetermined; // what the data cannot tell apart, a line each; NULL: nothing
} zw_fit_values;
const zw_fit_values *zw_result_fit(const zw_result *result); // NULL: of another question

// ---- A page that shows a run in a browser: one HTML file that needs nothing else.
typedef struct {
    size_t size;
    const char *out;             // the file
    bool shared;                 // with zwang.css and zwang.js beside it, as zw_gallery_site writes
    double to, every, tolerance; // 0: as the model says
    const char *method;          // as of a run
    const char *forms;           // "hamel,appell", "all"; NULL: one good form
    bool proofs; // also the steps of these forms, and what zw_check says; takes its time
    bool (*progress)(void *context, double part); // may be NULL; returning false stops the run
    void *context;
} zw_view_options;
// The report says what was written. ZW_NEGATIVE where the run stopped early; the page then shows
// what was reached, and says so.
zw_status zw_view(zw_model *model, const zw_view_options *options, zw_result **result);

// ---- Code for others.
typedef struct {
    size_t size;
    const char *to;    // "c", "python", "julia", "matlab", "fmu", "latex"
    const char *forms; // of latex: "hamel,appell"; NULL: all
    bool fixed;        // parameters as numbers: shorter code that is for these alone
    bool velocities;   // the state holds all velocities: nothing is chosen that could fail later
    bool smooth; // what code cannot follow (impulses, one-sided conditions, switches) is left out
    const char *out; // a file; C writes FILE.h beside FILE.c. NULL or "-": the report is the text;
                     // an FMU is always a file, NAME.fmu where none is named
    bool sources_only; // of an FMU: no library for this machine
} zw_export_options;
// The report is the text, or says which files were written.
zw_status zw_export(zw_model *model, const zw_export_options *options, zw_result **result);

// ---- The gallery: models that come with the library, in the order of their names.
size_t zw_gallery_count(void);
const char *zw_gallery_name(size_t index);
const char *zw_gallery_title(size_t index);
const char *zw_gallery_text(const char *name); // of a model, or of a file that models read; or NULL
const char *zw_gallery_nearest(const char *name); // what was probably meant, or NULL
typedef struct {
    size_t size;
    bool (*progress)(void *context, double part); // as in zw_view_options
    void *context;
} zw_gallery_options;
// The whole gallery as a site in a folder: index.html, and of each model its page and picture.
// The report says what was written, and what was wrong.
zw_status zw_gallery_site(const char *folder, const zw_gallery_options *options,
                          zw_result **result);
// One SVG with all models at three instants each: the start, the middle and the end of their runs.
zw_status zw_gallery_sheet(const char *file, const zw_gallery_options *options, zw_result **result);

#ifdef __cplusplus
}
#endif

#endif
