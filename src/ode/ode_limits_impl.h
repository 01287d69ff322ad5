// ode_limits_impl.h: the numerical thresholds of this room: scale, usual value, what breaks. What
// belongs to one method alone stands in its file. Never leaves the room.
#ifndef ZWANG_ODE_LIMITS_IMPL_H
#define ZWANG_ODE_LIMITS_IMPL_H

// ---- Steps.
// Roundings of t, t·2⁻⁵²: nearer times cannot be told apart, and a step this short makes no
// progress. Less: a step onto a switch may not pass it, and values that differ by the rounding of
// their times count as misfits. More: switches are found late.
#define ODE_TIME_ROUNDINGS 8
// How often in a row a step may be rejected, each time with a third of it or less (0.3 to this
// power is below rounding), or be too short. Less: sharp changes end the run. More: it ends late.
#define ODE_MAX_TRIES 40
// What a step shrinks to where the rate cannot be evaluated or its inside shows a miss, and at the
// least where its error is too large. More: many tries at a wall. Less: far too short a step.
#define ODE_STEP_CUT 0.1
// A step that is so many times longer than the one before it is looked at inside, at the ends of so
// many parts. Fewer parts: a force that acts only for a while, or only somewhere, is stepped over.
#define ODE_LEAP       2
#define ODE_LEAP_PARTS 32
// Against the size of a part of the state: what a defect that no shorter step makes smaller may
// move it by in a step. Less: noise in the rates ends the run. More: a wrong step passes for noise.
#define ODE_MAX_NOISE 1e-9

// ---- Functions of time.
// Against the largest coefficient: the last ones of an interpolating polynomial. Less: rounding
// counts as a misfit. More: events are located less well.
#define ODE_INTERPOLANT_ERROR 1e-13

// ---- Stiffness.
// So many times in a row it must be seen. Fewer: transients count.
#define ODE_STIFF_CHECKS 3
// Parts of the state: spectra of larger Jacobians take longer than many steps do.
#define ODE_MAX_SPECTRUM 600

#endif
