// model_equation.h: equations that are asked about, in the names of a model.
#ifndef ZWANG_MODEL_MODEL_EQUATION_H
#define ZWANG_MODEL_MODEL_EQUATION_H

#include "model/model.h"

// A name that is none of the model's may be a quantity of the forms: T+, P_v, beta[1,2,3].
typedef struct {
    Expr value;
    int order; // the highest derivative of a coordinate in it
} ModelQuantity;
typedef struct ModelQuantities {
    // False where there is no such quantity; `why`, where something is added to it, is the message.
    bool (*find)(void *context, Str word, ModelQuantity *quantity, Text *why);
    // Whether a speed of the model, by its number, stands for itself and not for its value.
    bool (*is_speed)(void *context, size_t speed);
    void *context;
} ModelQuantities;

typedef struct {
    const char *label; // NULL where it has none; the model owns it
    Place place;       // the whole of it, without its label
    Expr left, right;  // none where it is wrong, which has been said
} ModelEquation;
// Reads the next equation, `a = b` or `NAME: a = b`, from *at on and moves *at behind it. False
// where only blanks and comments are left. Speeds are replaced by what they stand for, but for
// those that the quantities say stand for themselves; what the quantities hold stays as it is.
bool model_read_equation(Model *model, const Source *source, uint32_t *at,
                         const ModelQuantities *quantities, Diag *diag, ModelEquation *equation);

// The value of an expression in numbers, pi and parameters, at their values; not finite: an error.
BASE_MUST_USE Status model_read_number(Model *model, const Source *source, Diag *diag,
                                       double *number);

// The same of a value for a name, "m", "x'", of its dimension and with its unit.
BASE_MUST_USE Status model_read_value(Model *model, const Source *source, Str name, Diag *diag,
                                      double *number);

// Whether any name has a unit, so that numbers that are set are written with one, or with SI.
bool model_has_units(const Model *model);
// Whether any value is an interval; the interval of a parameter or a start, in SI units, or false.
bool model_has_intervals(const Model *model);
bool model_interval(const Model *model, Str name, double *low, double *high);

#endif
