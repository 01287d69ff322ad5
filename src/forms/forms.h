// forms.h: the classical equations of motion, a file a form, behind one small interface.
//
// A form is derived from motion/ by its own road and knows no other form, so that their
// agreement is a proof. Its equations are affine in its unknowns.
#ifndef ZWANG_FORMS_H
#define ZWANG_FORMS_H

#include "motion/motion.h"

typedef enum {
#define FORM(NAME, name, title, function) FORM_##NAME,
#include "forms/forms.def"
#undef FORM
    FORM_COUNT
} FormKind;

typedef struct {
    const char *name; // "T", "S": as in the sources
    Expr value;
} FormFunction;

typedef struct {
    const char *label; // what the equation is for: the coordinate or speed
    Expr left, right;
    Expr residual; // what vanishes, in q, q', q''; none where it is left − right
    Expr naive;    // the right side that the common mistake gives; none where there is none
} FormEquation;

// What least action gives where it is taken too lightly (Hamel 245), beside Hamel's equations.
typedef struct {
    Expr *naive;       // right sides with the sum Σ P β ω over the conditions left out, k
    Expr *obeying;     // right sides for neighbouring paths that obey the conditions, k
    Expr *multipliers; // of those: symbols of μ, m
    Expr *rates;       // symbols of μ', m
    Expr *growth;      // what μ' is, in q, u, u', μ, t
} FormLeastAction;

typedef struct {
    FormKind kind;
    Arena *arena;
    const char *reason; // why it does not apply; NULL where it does
    bool in_speeds;     // written in q, u, u'; else in q, q', q''
    bool multipliers;   // the multipliers are unknowns too, one equation a coordinate
    size_t sets;        // how many complete sets of equations it gives; Tzénoff gives two
    ARRAY(FormFunction) functions; // what the equations rest on
    ARRAY(FormEquation) equations;
    ARRAY(const char *) notes;     // what is worth saying about them
    FormLeastAction *least_action; // NULL where it was not asked for
} Form;

const char *form_name(FormKind kind);
const char *form_title(FormKind kind);
bool form_find(Str name, FormKind *kind);

Form *form_derive(FormKind kind, Motion *motion);
void form_free(Form *form);

// Puts beside Hamel's equations what least action gives where it is taken too lightly; only on
// demand. False for another form, or where it cannot be worked out.
bool form_add_least_action(Motion *motion, Form *form);

// How many equations determine the motion in this form.
size_t form_size(const Form *form, const Motion *motion);

// ---- For the forms themselves.
void form_add_function(Form *form, const char *name, Expr value);
void form_add_equation(Form *form, const char *label, Expr left, Expr right);
void form_add_note(Form *form, const char *note);
// That the form does not apply, and why.
void form_refuse(Form *form, const char *format, ...) BASE_PRINTF(2, 3);
#define FORM(NAME, name, title, function) void function(Motion *motion, Form *form);
#include "forms/forms.def"
#undef FORM

#endif
