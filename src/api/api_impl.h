// api_impl.h: what a zw_model is. Never leaves the room.
#ifndef ZWANG_API_IMPL_H
#define ZWANG_API_IMPL_H

#include "base/guard.h"
#include "expr/expr.h"
#include "model/model.h"
#include "motion/motion.h"
#include "zwang.h"

#include <stdio.h>

typedef struct Simulation Simulation; // simulate.h
typedef struct RunOptions RunOptions; // run_options.h

// Where a coordinate starts, and what of it was given.
typedef struct {
    const char *name;
    double q, v;
    bool q_given, v_given;
} ReducedStart;

// A state in which a run starts. Values that were given have to meet the conditions; others are
// brought onto them.
typedef struct {
    double t;
    double *q, *v; // n
    double length; // the largest coordinate before it
    bool given;
} RunBegin;

struct zw_model {
    BaseHeap heap; // of all that it points to; the model itself is apart
    bool spoiled;  // memory has ended in a call: nothing is left of it
    Diag *diag;
    Source *source;
    Source **setting_sources;
    size_t setting_count;
    Source **set_sources; // of zw_model_set, after those
    size_t set_count;
    bool read_with_set;             // they are a part of the model as it was read
    Model *model;                   // NULL where the text was wrong
    bool written_out;               // all its conditions are, also those over very many pairs
    unsigned inputs;                // how they are read: MODEL_HOST_INPUTS, MODEL_HOLD_INPUTS or 0
    bool weighs_loads;              // those that hold for a while always do, times 1 or 0
    bool orthonormal;               // speeds with T = ½ Σ ω² in the place of the model's
    size_t branch;                  // which stationary point is the motion; 0: the least
    Motion *motion;                 // made on the first question
    Arena *arena;                   // holds the replacements
    ModelReplacement *replacements; // coordinates that are abbreviations,
    size_t replacement_count;
    size_t zero_count;    // and behind them parameters that are numbers where they are 0
    ReducedStart *starts; // of the coordinates that are left, found before they were fewer
    size_t start_count;
    const char
        *acting;   // one-sided conditions that are equations; NULL: those that act at the start
    Motion *under; // with these, for derive and check; the motion itself where there are none
    Status status; // of reading and of making the motion
    const char *independent; // of zw_model_independent; NULL: as the text says
    Simulation *kept;        // of the last run, with the equations that the next one may take over
    Diag *motion_notes;      // what was said of the motion when it was made; NULL: nothing yet
    bool kept_integrals;     // its columns have first integrals
    double uses;             // how many runs will do so, as far as is known
    size_t served;           // runs so far that what was derived before them has served
    bool derived;            // a run has derived something of the model as it was read
    ARRAY(Source *) asked;   // texts of questions: messages point into them
    zw_message message;      // the last that was asked for by its index
    void (*stage)(void *context, const char *what); // of zw_model_options; may be NULL
    void *stage_context;
    const RunBegin *begin; // where runs start, in the place of the text's start; NULL
};

zw_status api_status(Status status);
// Says what begins, in words that follow "while".
void api_stage(const zw_model *model, const char *format, ...) BASE_PRINTF(2, 3);
// Makes the motion where it is not there yet, and checks that the masses determine it.
BASE_MUST_USE Status api_motion(zw_model *model);
// The same, where conditions over very many pairs may be kept together.
BASE_MUST_USE Status api_motion_of_pairs(zw_model *model);
// As api_motion, but a large system is not solved for its velocities: enough for a run.
BASE_MUST_USE Status api_motion_to_run(zw_model *model);
// run_picture.c: runs a model for a picture, for at most so many steps and rows. The motion must
// not be changed before it is freed.
typedef struct ShowPicture ShowPicture;
// outputs.c: how many states between two of so many rows make a path that is smooth: `smooth` in
// all.
enum { API_SMOOTH = 600 };
size_t api_frames_between(double rows, double smooth);
BASE_MUST_USE Status api_run_picture(zw_model *model, size_t most_steps, Diag *diag,
                                     ShowPicture **picture);
// zw_derive without the picture that a document for paper has.
BASE_MUST_USE Status api_derive(zw_model *model, const zw_derive_options *options, Text *report);
// The same with the one-sided conditions that act, in model->under.
BASE_MUST_USE Status api_acting(zw_model *model);
// acting.c: an error where the model has friction, or forces that hold reactions, which this cannot
// follow: "the linearization".
BASE_MUST_USE Status api_refuse_friction(const zw_model *model, const char *what);
// The motion with the one-sided conditions that act at the start, as equations; NULL where none do.
// The caller frees it.
BASE_MUST_USE Status api_held_at_start(zw_model *model, Motion **held);
// The motion in the mode of friction at the start, for who linearizes about it: an error where that
// is on the edge of a cone. `state` receives coordinates and velocities there.
BASE_MUST_USE Status api_steady_mode(Motion *base, Diag *diag, double *state, Motion **held);
// Errors alone are passed on.
void api_pass_errors(const Diag *from, Diag *to);
// ---- impulse_notes.c: notes that name the impulses, all or those after a time, of which a command
// says `what`: "acts later".
void api_note_impulses(const zw_model *model, const char *what);
// The same of the model's events and states.
void api_note_events(const zw_model *model, const char *what);
// Where values are intervals, "the midpoint was" + what.
void api_note_intervals(const zw_model *model, const char *what);
void api_note_later_impulses(const zw_model *model, const Simulation *run, double than,
                             const char *what);

// An error that names the forms, or the nearest one.
Status api_unknown_form(Str word, Diag *diag);
// An error that names the methods, or the one that is meant.
Status api_unknown_method(Str word, Place place, Diag *diag);
// Whether the method that a model names is known.
BASE_MUST_USE Status api_check_method(const Model *model, Diag *diag);
// The method of a run, from its options or its model; NULL: the program chooses.
const char *api_method(const zw_model *model, const zw_run_options *options);
// What a run is told; an error names an engine, a form or a method that there is not.
BASE_MUST_USE Status api_run_options(const zw_model *model, const zw_run_options *options,
                                     RunOptions *wanted);
// ---- zero_inertia.c
// Whether a parameter is 0 on which the kind of the equations depends: the inertia of something, or
// any beside hidden conditions.
bool api_has_zeros(const zw_model *model);
// Where `work` finds something wrong and there are such, it is done again with these as numbers.
BASE_MUST_USE Status api_with_zeros(zw_model *model, Status (*work)(zw_model *model, void *context),
                                    void *context);

// ---- run_making.c: a simulation as the options ask for, with what was derived before where that
// serves (*again); and its end, after which the next may take over what it has derived.
BASE_MUST_USE Status api_make_run(zw_model *model, const zw_run_options *options, bool *again,
                                  Simulation **run);
// The state in which runs are to start, if the model has one, as what the text would say.
void api_put_begin(const zw_model *model);
// As api_make_run, with all that is derived for it.
BASE_MUST_USE Status api_make_new_run(zw_model *model, const zw_run_options *options,
                                      Simulation **run);
void api_keep_run(zw_model *model, Simulation *run);
// The text of a file that a person names.
BASE_MUST_USE Status api_read_file(const char *path, Diag *diag, Text *text);
// The same; why not, or NULL.
const char *api_file_text(const char *path, Text *text);
// As fopen; where it has no memory, that is a failed allocation.
FILE *api_open_to_read(const char *path);
// The text of a file that models of the gallery read; NULL where there is none of this name.
const char *api_gallery_file(const char *name);
// Refuses an output that is the model or another of them, or that cannot be written; a path may be
// NULL, or "-". The first is what a caller calls `out`.
BASE_MUST_USE Status api_check_outputs(const zw_model *model, const char *const *paths,
                                       size_t count);
// Refuses one that is this file, which is read besides the model.
BASE_MUST_USE Status api_spare_input(const zw_model *model, const char *const *paths, size_t count,
                                     const char *read);
// Reads the model's text, with the coordinates replaced that are to be.
BASE_MUST_USE Status api_read_model(const zw_model *model, Diag *diag, Model **out);
// Inputs as parameters, which a host sets (MODEL_HOST_INPUTS) or which do not change
// (MODEL_HOLD_INPUTS), or as what the model says of them (0).
BASE_MUST_USE Status api_read_inputs(zw_model *model, unsigned how);
// The same of loads that hold for a while: as always, times 1 or 0.
BASE_MUST_USE Status api_weigh_loads(zw_model *model, bool weigh);
// Reads the model's text in the place of the one that is there, of which nothing stays.
BASE_MUST_USE Status api_read_again(zw_model *model, Diag *diag);
// Adds names to what is read otherwise (ModelReplacement without a value): zero_count tells them.
void api_take_names(zw_model *model, const char *const *names, size_t count);
// What the functions of zwang.h do, inside a call.
BASE_MUST_USE Status api_set(zw_model *model, const char *const *settings, size_t count);
char *api_messages(zw_model *model, zw_level least, const char *(*words)(const char *name));
char *api_memory_message(void);  // that memory has ended; NULL where it has
void api_clear(zw_model *model); // frees what it points to
// Another model with the same text, settings and choices, which shares nothing with it.
zw_model *api_copy(const zw_model *model);
// Messages of a copy, at the same places of the texts of the model that it was made of, which
// outlive it.
void api_pass_messages(zw_model *model, const zw_model *copy);
// The next of the words that commas separate.
bool api_next_word(const char **at, Str *word);
// Hands a text out to the caller.
char *api_hand_out(Text *text);
// ---- For zw_open.c: (zw_reduce.c) fewer coordinates; which are independent; settings as they are
// given, and an error where one is NULL.
BASE_MUST_USE Status api_reduce(zw_model *model);
BASE_MUST_USE Status api_choose_independent(zw_model *model, const char *names);
Source **api_sources_of(const char *const *settings, size_t count);
BASE_MUST_USE Status api_check_texts(const char *what, const char *const *texts, size_t count,
                                     Diag *diag);
// An object in JSON, which says at its end what it was written by.
void api_sign_json(Text *json);

#endif
