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
size_t fmu_slides(const Motion *motion);
bool fmu_has_sign(const MotionFriction *friction);
size_t fmu_signs(const Motion *motion);
size_t fmu_force_parts(const Motion *motion);

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

#endif
