// form.h: a form of the equations of motion, as it is derived.
#ifndef ZWANG_FORMS_FORM_H
#define ZWANG_FORMS_FORM_H

#include "base/strings.h"
#include "expr/expr_types.h"
#include "forms/form_kinds.h"

typedef struct FormLine FormLine; // forms.h
typedef struct FormStep FormStep;
typedef struct FormReading FormReading;
typedef struct Motion Motion; // motion.h

typedef struct {
    const char *name; // "T", "S": as in the sources
    Expr value;
} FormFunction;

// How much a form works out: the equations alone, also what a reader wants to see with them, or
// also the way to them.
typedef enum { FORM_TO_RUN, FORM_TO_READ, FORM_IN_STEPS } FormDetail;

typedef struct {
    const char *label; // what the equation is for: the coordinate or speed
    Expr left, right;
    Expr residual; // what vanishes, in q, q', q''; none where it is left − right
    Expr naive;    // the right side that the common mistake gives; none where there is none
} FormEquation;

// What least action gives where it is taken too lightly, beside Hamel's equations.
typedef struct {
    Expr *naive;       // right sides with the sum Σ P β ω over the conditions left out, k
    Expr *obeying;     // right sides for neighbouring paths that obey the conditions, k
    Expr *multipliers; // of those: symbols of μ, m
    Expr *rates;       // symbols of μ', m
    Expr *growth;      // what μ' is, in q, u, u', μ, t
} FormLeastAction;

typedef struct Form Form;
struct Form {
    FormKind kind;
    FormDetail detail;
    Arena *arena;
    const char *reason; // why it does not apply; NULL where it does
    bool in_speeds;     // written in q, u, u'; else in q, q', q''
    bool multipliers;   // the multipliers are unknowns too, one equation a coordinate
    size_t sets;        // how many complete sets of equations it gives; Tzénoff gives two
    size_t eliminated;  // conditions on accelerations that were put in: their λ is no unknown
    ARRAY(FormFunction) functions; // what the equations rest on
    ARRAY(FormEquation) equations;
    ARRAY(const char *) notes;     // what is worth saying about them
    FormLeastAction *least_action; // NULL where it was not asked for
    ARRAY(FormReading) readings;   // of least action, where they were asked for
    ARRAY(FormStep) steps;         // the derivation, where it was asked for
    ARRAY(FormLine) lines;         // of the steps
    ARRAY(Form *) percussions;     // what it says of the model's impulses, one for each time
    // Of a percussion: its time, the jumps that are its unknowns, and these solved for.
    Expr when;
    ARRAY(Expr) unknowns;
    ARRAY(FormFunction) jumps;
};

const char *form_title(FormKind kind);
bool form_find(Str name, FormKind *kind);

Form *form_derive(FormKind kind, Motion *motion); // to read
Form *form_derive_in(FormKind kind, Motion *motion, FormDetail detail);
void form_free(Form *form);

// How many equations determine the motion in this form.
size_t form_size(const Form *form, const Motion *motion);

#endif
