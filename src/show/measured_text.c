// measured_text.c: numbers with their units, in models that have such.
#include "show/json_impl.h"
#include "show/layout_impl.h"
#include "show/measured_text_impl.h"
#include "show/show.h"

#include <string.h>

const char *show_si(const Model *model, const char *unit)
{
    return model->units ? unit : "";
}

const char *show_column_unit(const Model *model, const char *column, double *scale)
{
    ColumnUnit unit;
    bool measured = model_column_unit(model, column, &unit);
    *scale = unit.shown.scale;
    return measured && strcmp(unit.shown.text, "1") != 0 ? unit.shown.text : "";
}

void show_measured(const Model *model, const char *column, double value, Text *out)
{
    double scale;
    const char *unit = show_column_unit(model, column, &scale);
    show_number(value / scale, out);
    text_addf(out, "%s%s", *unit ? " " : "", unit);
}

void show_json_unit(const Model *model, const char *column, bool *first, Text *out)
{
    ColumnUnit unit;
    if (!model_column_unit(model, column, &unit))
        return;
    text_add(out, *first ? ",\"units\":{" : ",");
    show_json_string(column, out);
    text_add(out, ":");
    show_json_string(unit.si, out);
    *first = false;
}
