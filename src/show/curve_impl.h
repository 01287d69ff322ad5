// curve_impl.h: a line through many points, of which those that can be seen are kept.
#ifndef ZWANG_SHOW_CURVE_IMPL_H
#define ZWANG_SHOW_CURVE_IMPL_H

#include "base/base.h"

typedef struct {
    double x, y;
} CurvePoint; // x is NAN where the line breaks
typedef ARRAY(CurvePoint) CurvePoints;
typedef enum {
    CURVE_GRAPH, // x never decreases
    CURVE_PATH   // goes anywhere
} CurveKind;
typedef struct {
    double least, most; // NAN where there is none
} CurveRange;
typedef struct Curve Curve;
Curve *curve_new(CurveKind kind);
void curve_free(Curve *curve);
// Before the first point: what lies outside of these ranges is cut off; NAN cuts nothing.
void curve_set_window(Curve *curve, CurveRange x, CurveRange y);
void curve_add(Curve *curve, double x, double y);     // what is not finite breaks the line
void curve_points(Curve *curve, CurvePoints *points); // added to what is there
CurveRange curve_range_x(const Curve *curve);         // of what is kept
CurveRange curve_range_y(const Curve *curve);

#endif
