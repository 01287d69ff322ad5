// measured_text_impl.h: numbers with their units, in models that have such.
#ifndef ZWANG_SHOW_MEASURED_TEXT_IMPL_H
#define ZWANG_SHOW_MEASURED_TEXT_IMPL_H

#include "base/base.h"
#include "model/model.h"

// The unit in which a column of a run is shown, "" where it has none; numbers in SI units are to be
// divided by *scale.
const char *show_column_unit(const Model *model, const char *column, double *scale);
// A value of such a column, with its unit.
void show_measured(const Model *model, const char *column, double value, Text *out);

#endif
