// column_names_impl.h: names of columns as a person writes them.
#ifndef ZWANG_SHOW_COLUMN_NAMES_IMPL_H
#define ZWANG_SHOW_COLUMN_NAMES_IMPL_H

#include "base/base.h"

bool show_is_column(const char *column, Str name); // theta', or θ′ as it is shown
// Takes the name at the beginning of a list with commas; an index may hold some: q[1,2].
Str show_next_column(Str *names);

#endif
