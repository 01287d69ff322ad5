// forms.h: the classical equations of motion, a file a form, behind one small interface.
//
// A form is derived from motion/ by its own road and knows no other form, so that their
// agreement is a proof. Its equations are affine in its unknowns. form.h has what it consists of,
// for those who only ask for one.
#ifndef ZWANG_FORMS_H
#define ZWANG_FORMS_H

#include "algebra/algebra.h"
#include "forms/form.h"
#include "model/model.h"
#include "motion/motion.h"

typedef enum {
#define STEP(NAME, words, source, formula, latex) STEP_##NAME,
#include "forms/steps.def"
#undef STEP
    STEP_COUNT
} FormStepKind;

// A line of a step, in one of two shapes:
//     of = value     where `of` may be differentiated: ∂of/∂by, d/dt ∂of/∂by, [∂of/∂by]
//     left = value   an equation; `of` is what it is for, or NULL
//     left ≤ value   an inequality
struct FormLine {
    const char *of, *by;
    bool rate;     // its derivative by time
    bool brackets; // the conditions were put in afterwards
    bool at_most;  // an inequality
    bool as_it_is; // the value is shown in the form that it has, that of a source
    Expr left;
    Expr value;
};

struct FormStep {
    FormStepKind kind;
    size_t first, count; // lines
};

// Puts beside Hamel's equations, or those of least action, what least action gives where it is
// taken too lightly; only on demand. False for another form, or where it cannot be worked out.
bool form_add_least_action(Motion *motion, Form *form);

// The principle of least action as it is read.
typedef enum {
#define READING(NAME, source, integral, latex, rule) READING_##NAME,
#include "forms/readings.def"
#undef READING
    READING_COUNT
} FormReadingKind;
struct FormReading {
    FormReadingKind kind;
    Form *form;       // the equations that it gives
    Answer is_motion; // whether they are the motion; UNKNOWN until it is asked
    ProofKind proof;
};
const char *form_reading_source(FormReadingKind kind);
const char *form_reading_integral(FormReadingKind kind, bool latex);
const char *form_reading_rule(FormReadingKind kind); // for δ and d
// Puts every reading beside the equations of `action`, after form_add_least_action.
void form_add_readings(Motion *motion, Form *form);

// What a step says: why it is taken, its source and its general formula, or NULL.
const char *form_step_words(FormStepKind kind);
const char *form_step_source(FormStepKind kind);
const char *form_step_formula(FormStepKind kind, bool latex);

// ---- For the forms themselves.
// Without percussions.
Form *form_derive_plain(FormKind kind, Motion *motion, FormDetail detail);
// percussions.c: the equations of the model's impulses in a form.
void form_add_percussions(Motion *motion, Form *form);
Form *form_new(FormKind kind, FormDetail detail); // without equations
void form_add_function(Form *form, const char *name, Expr value);
// The key to numbers that stand in the place of names, ω_1 = v: for those who read.
void form_add_numbers(Form *form, const char *letter, const Expr *named, size_t count);
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
// eliminated.c: Appell's, with conditions that are not affine in the accelerations put into S.
void form_appell_eliminated(Motion *motion, Form *form);
#define FORM(NAME, name, title, function) void function(Motion *motion, Form *form);
#include "forms/forms.def"
#undef FORM

#endif
