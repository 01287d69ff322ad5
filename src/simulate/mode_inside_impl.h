// mode_inside_impl.h: a contact mode inside its last step, and across singular positions: what few
// ask for.
#ifndef ZWANG_SIMULATE_MODE_INSIDE_IMPL_H
#define ZWANG_SIMULATE_MODE_INSIDE_IMPL_H

#include <stdbool.h>

typedef struct ContactMode ContactMode; // contact_mode_impl.h

// A step across a singular position ends at the position, as its polynomial has it; a step behind
// the position begins there, likewise.
void mode_cut_across(ContactMode *mode, double t);
void mode_leave(ContactMode *mode, double t);
// Coordinates and velocities at a time within the last step or near to it, as the integrator has
// them.
void mode_interpolate(ContactMode *mode, double t, double *q, double *v);
// For a row between states that have values: the time alone.
void mode_set_time(ContactMode *mode, double t);
// As mode_evaluate, without accelerations and reactions, after a step.
bool mode_evaluate_velocities(ContactMode *mode, double t);
// Without velocities, too.
bool mode_evaluate_coordinates(ContactMode *mode, double t);
// As mode_evaluate, for a row: in fewer operations where these find the same.
bool mode_evaluate_row(ContactMode *mode, double t);
// As mode_evaluate, for somebody beside the run: it is not counted.
bool mode_evaluate_uncounted(ContactMode *mode, double t);

#endif
