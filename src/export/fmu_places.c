// fmu_places.c: which variables an FMU has, and their places in the row of its values.
#include "export/fmu_impl.h"
#include "model/friction.h"
#include "motion/frictions.h"

#include <string.h>

bool fmu_in_state(const Exported *exported, size_t speed)
{
    for (size_t i = 0; i < exported->k; i++)
        if (strcmp(exported->formulas.speed_names[i], exported->model->speeds.at[speed].name) == 0)
            return true;
    return false;
}

size_t fmu_other_speeds(const Exported *exported)
{
    size_t count = 0;
    for (size_t i = 0; i < exported->model->speeds.count; i++)
        count += !fmu_in_state(exported, i);
    return count;
}

size_t fmu_slides(const Motion *motion)
{
    size_t count = 0;
    for (size_t i = 0; i < motion->friction_count; i++)
        count += motion->frictions[i].rows;
    return count;
}

bool fmu_has_sign(const MotionFriction *friction)
{
    return friction->constraint && friction->constraint->kind != CONSTRAINT_ONE_SIDED &&
           friction->also_count == 0;
}

size_t fmu_signs(const Motion *motion)
{
    size_t count = 0;
    for (size_t i = 0; i < motion->friction_count; i++)
        count += fmu_has_sign(&motion->frictions[i]);
    return count;
}

size_t fmu_force_parts(const Motion *motion)
{
    size_t count = 0;
    for (size_t i = 0; i < motion->friction_count; i++)
        count += motion->frictions[i].friction->kind == FRICTION_AGAINST ? 1 : 3;
    return count;
}

FmuPlaces fmu_places(const Exported *exported)
{
    FmuPlaces at = {.parameters = 1};
    at.states = at.parameters + exported->params;
    at.velocities = at.states + exported->n + exported->k;
    at.rates = at.velocities + exported->n;
    at.conditions = at.rates + exported->k;
    at.sides = at.conditions + exported->m;
    at.quantities = at.sides + exported->sides;
    at.forces = at.quantities + 1 + exported->residuals + exported->model->outputs.count +
                fmu_other_speeds(exported);
    at.slips = at.forces + fmu_force_parts(exported->motion) + exported->model->events.count;
    at.modes = at.slips + exported->motion->friction_count;
    at.indicators = at.modes + exported->motion->friction_count;
    return at;
}
