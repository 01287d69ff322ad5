// script_impl.h: what exported Python, Julia and MATLAB have in common: functions of (t, y, p) on
// plain vectors. Only for their files.
#ifndef ZWANG_EXPORT_SCRIPT_IMPL_H
#define ZWANG_EXPORT_SCRIPT_IMPL_H

#include "export/export_impl.h"

// Writes a text with marks, line by line:
//     ?FLAGS line     where all flags hold: s the rates are formulas; n they are solved for in
//                     numbers, l at once, i by iteration (b because forces hold reactions
//                     not linearly); m there are conditions, w each with a
//                     multiplier of its own, h some sharing theirs, d left out beside servos;
//                     c conditions that drift; o one-sided ones, p whose pushes are not their
//                     rows, q are; e there is an energy, a there is none; v
//                     something is left out, x by limits, g by conditions that are held, f by
//                     cones of friction, r by either of these; u there are inputs, z none
//     =BLOCK          statements, which read p.NAME, t, y and write
//         parameters      a line for each, in the language's frame
//         tables          a row for each, in the language's frame
//         follow          p.NAME, of those that follow others
//         rates           rate, or also matrix and right (of x where it is iterated)
//         slopes          of direction: change, or also these
//         accelerations   a; of rate where that was solved for
//         reactions       of v, a (and x): b and rest
//         quantities      of v, a, l: energy, residual, out
//         drifts          miss, slope
//         sides           side, inertia
//         validity        over
//         cones           of v, a, l: cone
//         signals         u
//     <n>             numbers: of coordinates n, speeds k, conditions m, one-sided ones s, all of
//                     the state y, residuals r, outputs o, unknowns u, numbers a side w,
//                     conditions that drift c, limits v, cones f, inputs i
//     <in> <then>     "u, " where there are inputs, and the model's own: "signals(t, p), "
//     <coordinates>   names in quotes: also speeds, inputs, conditions, residuals, sides, outputs;
//                     <follows> parameters that follow others
//     <to> <every>    numbers of the run, also <tolerance>
//     <start> <near>  numbers; <kept> <left> <held> indices of conditions; <system>
void script_write(const Exported *exported, const char *template, Text *out);
// The comment that it begins with, whose use is such a text.
void script_head(const Exported *exported, const char *use, Text *out);

#endif
