// export.h: code for others: the motion as source text that stands alone.
//
// What is written is the graph itself, lowered with sharing, with parameters as inputs: the state
// is y = (q, u), the coordinates and the independent speeds, as in a run.
#ifndef ZWANG_EXPORT_H
#define ZWANG_EXPORT_H

#include "show/show.h"
#include "simulate/simulate.h"

typedef enum {
#define TARGET(NAME, word, function) EXPORT_##NAME,
#include "export/targets.def"
#undef TARGET
    EXPORT_TARGET_COUNT
} ExportTarget;
// By its word, as after --to.
const char *export_target_word(ExportTarget target);
bool export_target_find(Str word, ExportTarget *target);

// What the head of a text says of its origin.
typedef struct {
    const char *file;      // the model, as it was named
    Str text;              // and what it says
    const char *version;   // of the program
    const char *equations; // how they were derived, as text for a person
    bool fixed;            // the parameters are numbers in the code
    bool whole;            // all velocities are in the state
    bool contacts;         // of an FMU: contacts, impacts and impulses are followed
    bool smooth;           // what the code cannot follow is left out; else it is refused
    // With what acts at the start as equations; of an FMU, with conditions and frictions that may
    // act; NULL: the motion itself.
    Motion *acting;
    const char *header; // of C: the name of the header's file; NULL: it is part of the source
} ExportOrigin;

// Whether the motion needs to know how an input changes, which no host tells; of a model that was
// read with MODEL_HOST_INPUTS.
bool export_needs_rate(Motion *motion, const ModelParam *input);

// An error for what code cannot follow: impulses, one-sided conditions, functions that switch.
BASE_MUST_USE Status export_check(const Motion *motion, Diag *diag);
// The same for friction in the smooth motion (NULL: that of the model), which has to slide.
BASE_MUST_USE Status export_check_friction(const Motion *acting, Diag *diag);

// The source text; of C also its header, where that is a file of its own. Both may be used as
// names of files: `name` is the system's as an identifier. An error where the motion is no set of
// formulas.
BASE_MUST_USE Status export_write(ExportTarget target, Simulation *run, Motion *motion,
                                  const ExportOrigin *origin, Diag *diag, Text *source,
                                  Text *header);

// The motion of a model whose loads are weighed, in which conditions and frictions with a `while`
// are rows that may act; NULL where there are none. An error for what an FMU cannot follow.
BASE_MUST_USE Status export_switched_motion(Model *model, Diag *diag, Motion **motion);

// The FMU: a zip file of the description, the source in C and, unless it is to be left out, the
// source compiled for this machine. An error for what it cannot follow.
BASE_MUST_USE Status export_fmu(Simulation *run, Motion *motion, const ExportOrigin *given,
                                bool binary, Diag *diag, Text *file);

#endif
