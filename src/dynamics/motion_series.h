// motion_series.h: the rates of any motion, for any speeds, as power series by linear solves.
#ifndef ZWANG_DYNAMICS_MOTION_SERIES_H
#define ZWANG_DYNAMICS_MOTION_SERIES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Equations Equations; // dynamics.h
typedef struct MotionSeries MotionSeries;
typedef struct State State;

// Equations and state outlive the series.
MotionSeries *motion_series_new(const Equations *eq, State *state, size_t most_order);
void motion_series_free(MotionSeries *series); // may be NULL
// Coefficient k of (q', u') from coefficient k of t | q | u, these being the speeds that the state
// has in use; false where there is none.
bool motion_series_next(MotionSeries *series, size_t k, const double *ty, double *rate);
// How far no abs, sign, min or max switches: as program_series_clear.
double motion_series_switch_distance(const MotionSeries *series, size_t order, double most);

#endif
