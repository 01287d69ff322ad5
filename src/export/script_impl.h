// script_impl.h: what exported Python, Julia and MATLAB have in common: functions of (t, y, p) on
// plain vectors. Only for their files.
#ifndef ZWANG_EXPORT_SCRIPT_IMPL_H
#define ZWANG_EXPORT_SCRIPT_IMPL_H

#include "export/export_impl.h"

// The statements of the programs. They read p.NAME, t, y and write
void script_rates(const Exported *exported, Text *out);  // rate, or also matrix and right
void script_slopes(const Exported *exported, Text *out); // of direction: change, or also these
void script_accelerations(const Exported *exported, Text *out); // a; of rate where it was solved
void script_reactions(const Exported *exported, Text *out);     // of v, a: b and rest
void script_quantities(const Exported *exported, Text *out);    // of v, a, l: energy, residual, out
void script_sides(const Exported *exported, Text *out);         // side (3 + k a condition), inertia
void script_follow(const Exported *exported, Text *out);        // p.NAME, of those that follow

// A list of names in quotes: "x", "y"
void script_names(const char *const *names, size_t count, Text *out);
// The names as the model spells them, in the arena.
const char **script_coordinates(const Exported *exported);
const char **script_conditions(const Exported *exported);
const char **script_residuals(const Exported *exported);
const char **script_outputs(const Exported *exported);
const char **script_side_names(const Exported *exported);
// Numbers with commas between them, which read back.
void script_numbers(const double *values, size_t count, Text *out);

// A template's marks: @ the system's name, $n $k $m $s how many of each there are, $y the size of
// the state, $r conditions that are told, $o outputs.
void script_template(const Exported *exported, const char *template, Text *out);

#endif
