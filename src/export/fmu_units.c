// fmu_units.c: the units of an FMU's variables: numbers are in SI units, and shown in those that
// the model declares.
#include "export/fmu_impl.h"

#include <string.h>

static const char *const attributes[DIM_BASES] = {"kg", "m", "s", "A", "K", "mol", "cd"};

// The column that a variable is: der(theta) is theta', der(theta,2) theta''.
static void column_of(const char *variable, Text *column)
{
    size_t length = strlen(variable), primes = 0;
    if (strncmp(variable, "der(", 4) != 0 || variable[length - 1] != ')') {
        text_add(column, variable);
        return;
    }
    bool twice = length > 6 && strcmp(variable + length - 3, ",2)") == 0;
    primes = twice ? 2 : 1;
    text_add_str(column, (Str){variable + 4, length - 5 - (twice ? 2 : 0)});
    for (size_t i = 0; i < primes; i++)
        text_add_char(column, '\'');
}

// FMI has whole powers alone.
static bool is_whole(Dim dim)
{
    for (int i = 0; i < DIM_BASES; i++)
        if (dim.of[i] % DIM_WHOLE != 0)
            return false;
    return true;
}

bool fmu_unit(const Exported *exported, const char *variable, ColumnUnit *unit)
{
    Text column = {0};
    column_of(variable, &column);
    bool known = model_column_unit(exported->model, column.at, unit) &&
                 strcmp(unit->si, "1") != 0 && is_whole(unit->shown.dim);
    text_clear(&column);
    return known;
}

static void add_base(const ColumnUnit *unit, Text *out)
{
    text_add(out, "<BaseUnit");
    for (int i = 0; i < DIM_BASES; i++)
        if (unit->shown.dim.of[i] != 0)
            text_addf(out, " %s=\"%d\"", attributes[i], unit->shown.dim.of[i] / DIM_WHOLE);
    text_add(out, strncmp(unit->si, "rad", 3) == 0 ? " rad=\"1\"/>" : "/>");
}

void fmu_unit_definitions(const FmuUnits *units, Text *out)
{
    if (units->count > 0)
        text_add(out, "  <UnitDefinitions>\n");
    for (size_t i = 0; i < units->count; i++) {
        const ColumnUnit *unit = &units->at[i];
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again = again || strcmp(units->at[k].si, unit->si) == 0;
        if (again)
            continue;
        text_addf(out, "    <Unit name=\"%s\">", unit->si);
        add_base(unit, out);
        // Every unit that one of these is shown in, once.
        for (size_t k = i; k < units->count; k++) {
            const ColumnUnit *other = &units->at[k];
            bool shown = strcmp(other->si, unit->si) == 0 && other->shown.scale != 1;
            for (size_t j = i; j < k; j++)
                shown = shown && strcmp(units->at[j].shown.text, other->shown.text) != 0;
            if (shown)
                text_addf(out, "<DisplayUnit name=\"%s\" factor=\"%.17g\"/>", other->shown.text,
                          1 / other->shown.scale);
        }
        text_add(out, "</Unit>\n");
    }
    if (units->count > 0)
        text_add(out, "  </UnitDefinitions>\n");
}
