// sweep_axes.h: what is varied, and the values that it has in every run.
#ifndef ZWANG_ENSEMBLE_SWEEP_AXES_H
#define ZWANG_ENSEMBLE_SWEEP_AXES_H

#include "base/memory.h"
#include "base/place.h"

typedef struct Model Model; // model/system.h

typedef enum {
    SWEEP_RANGE,
    SWEEP_LOG_RANGE, // equal ratios
    SWEEP_LIST,
    SWEEP_NORMAL,
    SWEEP_UNIFORM,
    SWEEP_SOBOL
} SweepAxisKind;

typedef struct {
    const char *name; // of a parameter or of a start, as a setting has it
    SweepAxisKind kind;
    double a, b;          // ends; mean and deviation
    const double *values; // of a list
    size_t group;         // those of one group go together
    size_t stream;        // of a random one: its number among those of its kind
} SweepAxis;

typedef struct {
    size_t count, stride; // values, and how many grid points go on with the same one
} SweepGroup;

typedef struct SweepDesign {
    Arena *arena;
    SweepAxis *axes;
    size_t axis_count;
    SweepGroup *groups;
    size_t group_count;
    size_t points, samples; // of the grid, and random draws at each of them
    size_t runs;            // their product
    bool random;
    bool si; // values are set with the unit SI
    uint64_t seed;
} SweepDesign;

typedef struct {
    // "v=0:10:5", "v=1:100:3:log", "m=[1, 2, 5]", "m=normal(1, 0.1)", "m=uniform(0, 1)",
    // "m=sobol(0, 1)", "table.csv". They outlive the diag.
    Source *const *axes;
    size_t count;
    bool zip;       // values are paired, not crossed
    size_t samples; // 0: none were asked for
    uint64_t seed;
    // The text of a file.
    Status (*read_file)(const char *path, Diag *diag, Text *text);
} SweepDesignOptions;

// Numbers may be expressions in the model's parameters. What is wrong is an error with its place.
BASE_MUST_USE Status sweep_design_new(const SweepDesignOptions *options, Model *model, Diag *diag,
                                      SweepDesign **design);
void sweep_design_free(SweepDesign *design);
// Runs count from 0. The last axis of a grid moves fastest, draws of one grid point stand together.
// A draw depends on the seed, the axis and the run alone.
double sweep_value(const SweepDesign *design, size_t axis, size_t run);
// The index of the run's value in its group.
size_t sweep_index(const SweepDesign *design, size_t group, size_t run);

#endif
