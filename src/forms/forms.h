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
} FormEquation;

// What the equations are written in, and what they determine.
typedef enum {
    FORM_IN_COORDINATES, // q, q'; unknown q'' and the multipliers; the rows complete them
    FORM_IN_SPEEDS       // q, u; unknown u'
} FormVariables;

typedef struct {
    FormKind kind;
    Arena *arena;
    const char *reason; // why it does not apply; NULL where it does
    FormVariables variables;
    ARRAY(FormFunction) functions; // what the equations rest on
    ARRAY(FormEquation) equations;
} Form;

const char *form_name(FormKind kind);
const char *form_title(FormKind kind);
bool form_find(Str name, FormKind *kind);

Form *form_derive(FormKind kind, Motion *motion);
void form_free(Form *form);

// ---- For the forms themselves.
void form_add_function(Form *form, const char *name, Expr value);
void form_add_equation(Form *form, const char *label, Expr left, Expr right);
#define FORM(NAME, name, title, function) void function(Motion *motion, Form *form);
#include "forms/forms.def"
#undef FORM

#endif
