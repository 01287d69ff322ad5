// forms.h: the classical equations of motion, a file a form, behind one small interface.
//
// A form is derived from motion/ by its own road and knows no other form, so that their
// agreement is a proof. Its equations are affine in its unknowns.
#ifndef ZWANG_FORMS_H
#define ZWANG_FORMS_H

#include "algebra/algebra.h"
#include "forms/form_kinds.h"
#include "motion/motion.h"

typedef struct {
    const char *name; // "T", "S": as in the sources
    Expr value;
} FormFunction;

// How much a form works out: the equations alone, also what a reader wants to see with them, or
// also the way to them.
typedef enum { FORM_TO_RUN, FORM_TO_READ, FORM_IN_STEPS } FormDetail;

typedef enum {
#define STEP(NAME, words, source, formula, latex) STEP_##NAME,
#include "forms/steps.def"
#undef STEP
    STEP_COUNT
} FormStepKind;

// A line of a step, in one of two shapes:
//     of = value     where `of` may be differentiated: ∂of/∂by, d/dt ∂of/∂by, [∂of/∂by]
//     left = value   an equation; `of` is what it is for, or NULL
typedef struct {
    const char *of, *by;
    bool rate;     // its derivative by time
    bool brackets; // the conditions were put in afterwards
    Expr left;
    Expr value;
} FormLine;

typedef struct {
    FormStepKind kind;
    size_t first, count; // lines
} FormStep;

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
    FormDetail detail;
    Arena *arena;
    const char *reason; // why it does not apply; NULL where it does
    bool in_speeds;     // written in q, u, u'; else in q, q', q''
    bool multipliers;   // the multipliers are unknowns too, one equation a coordinate
    size_t sets;        // how many complete sets of equations it gives; Tzénoff gives two
    ARRAY(FormFunction) functions; // what the equations rest on
    ARRAY(FormEquation) equations;
    ARRAY(const char *) notes;     // what is worth saying about them
    FormLeastAction *least_action; // NULL where it was not asked for
    ARRAY(FormStep) steps;         // the derivation, where it was asked for
    ARRAY(FormLine) lines;         // of the steps
} Form;

const char *form_name(FormKind kind);
const char *form_title(FormKind kind);
bool form_find(Str name, FormKind *kind);

Form *form_derive(FormKind kind, Motion *motion); // to read
Form *form_derive_in(FormKind kind, Motion *motion, FormDetail detail);
void form_free(Form *form);

// Puts beside Hamel's equations, or those of least action, what least action gives where it is
// taken too lightly; only on demand. False for another form, or where it cannot be worked out.
bool form_add_least_action(Motion *motion, Form *form);

// What a step says: why it is taken, its source and its general formula, or NULL.
const char *form_step_words(FormStepKind kind);
const char *form_step_source(FormStepKind kind);
const char *form_step_formula(FormStepKind kind, bool latex);

// How many equations determine the motion in this form.
size_t form_size(const Form *form, const Motion *motion);

// ---- For the forms themselves.
void form_add_function(Form *form, const char *name, Expr value);
void form_add_equation(Form *form, const char *label, Expr left, Expr right);
void form_add_note(Form *form, const char *note);
// Begins a step, whose lines follow. False where no steps are wanted: nothing that is only for
// the eye may be worked out then.
bool form_begin_step(Form *form, FormStepKind kind);
void form_add_line(Form *form, FormLine line);
// That the form does not apply, and why.
void form_refuse(Form *form, const char *format, ...) BASE_PRINTF(2, 3);
// second_class.c: whether a form holds with conditions on accelerations, else it is refused; and
// what they add to its equations, after it was derived without them.
bool form_can_take_seconds(const Motion *motion, Form *form);
void form_take_seconds(Motion *motion, Form *form);
#define FORM(NAME, name, title, function) void function(Motion *motion, Form *form);
#include "forms/forms.def"
#undef FORM

#endif
