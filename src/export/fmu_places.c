// fmu_places.c: which variables an FMU has, and their places in the row of its values.
#include "export/fmu_impl.h"

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

FmuPlaces fmu_places(const Exported *exported)
{
    FmuPlaces at = {.parameters = 1};
    at.states = at.parameters + exported->params;
    at.velocities = at.states + exported->n + exported->k;
    at.rates = at.velocities + exported->n;
    at.conditions = at.rates + exported->k;
    at.sides = at.conditions + exported->m;
    at.quantities = at.sides + exported->sides;
    at.indicators = at.quantities + 1 + exported->residuals + exported->model->outputs.count +
                    fmu_other_speeds(exported);
    return at;
}
