// derivation_impl.h: the parts of a derivation that text, LaTeX and JSON have in common.
#ifndef ZWANG_SHOW_DERIVATION_IMPL_H
#define ZWANG_SHOW_DERIVATION_IMPL_H

#include "show/show.h"

// ---- orthonormal_speeds.c
// Whether the state's speeds are those that the program finds; and T in them: ½·(ω₁² + ω₂²).
bool show_are_orthonormal(const Show *show);
void show_orthonormal(const Show *show, Text *out);

// ---- derivation_steps.c: the derivation of a form, where its steps were recorded.
void show_steps_text(const Show *show, const Form *form, Text *out);
// Steps that a form before this one has too are only named there.
typedef struct {
    const Form *form;
    size_t step;
    char *body;
} WrittenStep;
typedef ARRAY(WrittenStep) WrittenSteps;
void show_steps_latex(const Show *show, const Form *form, WrittenSteps *written, Text *out);
void written_steps_clear(WrittenSteps *written);
void show_steps_json(const Show *show, const Form *form, Text *out); // ,"steps":[…], or nothing

// ---- derivation_least_action.c: what stands beside Hamel's equations where it was asked for.
void show_least_action_text(const Show *show, const Form *form, Text *out);
void show_least_action_latex(const Show *show, const Form *form, Text *out);
void show_least_action_json(const Show *show, const Form *form, Text *out);

#endif
