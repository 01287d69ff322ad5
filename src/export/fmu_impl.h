// fmu_impl.h: the parts of an FMU. Only for fmu*.c.
#ifndef ZWANG_EXPORT_FMU_IMPL_H
#define ZWANG_EXPORT_FMU_IMPL_H

#include "export/c_impl.h"

// ---- fmu_places.c
// The order of values, as in fmu/fmu_types.h.
typedef struct {
    size_t parameters, states, velocities, rates, conditions, sides, quantities, forces, slips,
        modes, indicators;
} FmuPlaces;
FmuPlaces fmu_places(const Exported *exported);

// Speeds of the model that are not in the state are outputs, behind the model's own.
bool fmu_in_state(const Exported *exported, size_t speed);
size_t fmu_other_speeds(const Exported *exported);

// Rows that slide; indicators of the sign of a reaction that presses alone, which a friction may
// have; numbers of their forces.
// (fmu_frictions.c) A friction for each term of a bound, in the place of those of the motion; and
// what an FMU does not follow of them.
void fmu_split_frictions(Motion *motion);
BASE_MUST_USE Status fmu_check_frictions(const Motion *motion, Diag *diag);
size_t fmu_slides(const Motion *motion);
bool fmu_has_sign(const MotionFriction *friction);
size_t fmu_signs(const Motion *motion);
size_t fmu_force_parts(const Motion *motion);

// ---- fmu_programs.c
// What stands in a program: arrays of the function that is written, in order.
typedef struct {
    const char *name;
    size_t first, count;
} FmuArray;
enum { FMU_ARRAYS = 6 };

typedef struct {
    const char *name;
    const char *arguments; // of the function, behind p and t
    bool defined;          // the formulas' definitions hold in it
    FmuArray inputs[FMU_ARRAYS], outputs[FMU_ARRAYS];
    // Arguments and arrays of the function along a direction, in the order of what moves.
    const char *along_arguments;
    FmuArray moving[FMU_ARRAYS];
} FmuFunction;
// The function of these values, and how they change along a direction; the rows are let go. False
// where something has no value.
bool fmu_add_function(const Exported *exported, const FmuFunction *function, ExprRow *inputs,
                      ExprRow *moving, ExprRow *values, Text *out);
// The same of the state: p | t | q | u, and u' where that is solved for in numbers; of q, q', q'',
// reactions and what frictions are.
bool fmu_add_of_state(const Exported *exported, const char *name, const char *output,
                      bool with_changes, ExprRow *values, Text *out);
bool fmu_add_of_instant(const Exported *exported, const char *name, bool with_changes,
                        ExprRow *values, Text *out);
// p | t | q | q', and q'' with the accelerations; q | q' | q'' move.
void fmu_push_place_moving(const Exported *exported, bool accelerations, ExprRow *inputs,
                           ExprRow *moving);

// ---- fmu_knots.c
// Tables and noise over the time, whose knots end steps: how many, and a function of their
// arguments. An error for those that jump where no step can end.
BASE_MUST_USE Status fmu_check_tables(const Exported *exported, Diag *diag);
size_t fmu_knots(const Exported *exported);
bool fmu_add_knots(const Exported *exported, Text *out);

// ---- fmu_events.c
// What fires events, a value each; numbers of what they set and of their impulses, as a function;
// tables of all. The orders are those of fmu/fmu_events.h.
void fmu_push_triggers(const Exported *exported, ExprRow *values);
size_t fmu_event_blows(const Model *model);
size_t fmu_samples(const Model *model);
size_t fmu_action_values(const Exported *exported);
bool fmu_add_actions(const Exported *exported, Text *out);
void fmu_write_events(const Exported *exported, Text *out);
BASE_MUST_USE Status fmu_check_events(const Exported *exported, Diag *diag);

// ---- fmu_whiles.c
// Two-sided conditions are behind the one-sided.
size_t fmu_one_sided(const Exported *exported);
// Whether reactions act along something else than what they keep: of servos, and beside them.
bool fmu_is_directed(const Exported *exported);
// Of events, and where rows wait of sides and of frictions: 1 where they may act, else 0.
size_t fmu_waits(const Exported *exported);
bool fmu_add_waits(const Exported *exported, Text *out);
void fmu_write_sides(const Exported *exported, Text *out);

// ---- fmu_source.c
BASE_MUST_USE Status fmu_source(const Exported *exported, const char *token, Diag *diag,
                                Text *source);
// ---- fmu_description.c
void fmu_description(const Exported *exported, const char *token, Text *out);
void fmu_build_description(const Exported *exported, Text *out);

// ---- zip.c: files in one, stored as they are; the same files give the same bytes.
typedef struct {
    const char *name;
    Str bytes;
    bool runs; // may be executed
} ZipEntry;
void zip_write(const ZipEntry *entries, size_t count, Text *out);

// fmu_units.c: the unit of a variable, by its name in FMI; false where it has none.
bool fmu_unit(const Exported *exported, const char *variable, ColumnUnit *unit);
typedef ARRAY(ColumnUnit) FmuUnits;
void fmu_unit_definitions(const FmuUnits *units, Text *out);

#endif
