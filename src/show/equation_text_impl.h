// equation_text_impl.h: one equation of a form.
#ifndef ZWANG_SHOW_EQUATION_TEXT_IMPL_H
#define ZWANG_SHOW_EQUATION_TEXT_IMPL_H

#include "show/show.h"

// What an equation is collected by: the accelerations first, then the multipliers. There is room
// for n + m; how many they are.
size_t show_unknowns(const Show *show, const Form *form, Expr *unknowns);
// The equation itself; of a continuous state its rate.
FormEquation show_rated(const Motion *motion, FormEquation equation);
// The equation `left = right` with the unknowns of its form collected.
void show_equation(const Show *show, const Form *form, const FormEquation *given, Text *left,
                   Text *right);
// "  label: left = right", wrapped.
void show_equation_text(const char *name, const char *left, const char *right, Text *out);
// With a number and this label ("": none), or without both where it is NULL.
void show_equation_latex(const Show *show, const Form *form, const FormEquation *equation,
                         const char *label, Text *out);

// ---- Expressions in the model's own syntax.
// As it stands, with the names of quantities where it is long.
void show_syntax(const Show *show, Expr e, Text *out);
void show_json_expr(const Show *show, Expr e, Text *out); // in its short form, as a JSON string

#endif
