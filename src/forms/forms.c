// forms.c: the list of forms, and what they share: names and bookkeeping, no mechanics.
#include "forms/forms.h"

#include <string.h>

static const struct {
    const char *name, *title;
    void (*derive)(Motion *motion, Form *form);
} forms[FORM_COUNT] = {
#define FORM(NAME, name, title, function) {name, title, function},
#include "forms/forms.def"
#undef FORM
};

const char *form_name(FormKind kind)
{
    return forms[kind].name;
}

const char *form_title(FormKind kind)
{
    return forms[kind].title;
}

bool form_find(Str name, FormKind *kind)
{
    for (int i = 0; i < FORM_COUNT; i++)
        if (str_is(name, forms[i].name)) {
            *kind = (FormKind)i;
            return true;
        }
    return false;
}

Form *form_derive(FormKind kind, Motion *motion)
{
    Form *form = base_alloc(sizeof *form);
    form->kind = kind;
    form->arena = arena_new();
    form->sets = 1;
    forms[kind].derive(motion, form);
    return form;
}

void form_free(Form *form)
{
    if (!form)
        return;
    array_clear(&form->functions);
    array_clear(&form->equations);
    array_clear(&form->notes);
    arena_free(form->arena);
    base_free(form);
}

void form_add_function(Form *form, const char *name, Expr value)
{
    array_push(&form->functions,
               ((FormFunction){arena_copy_text(form->arena, name, strlen(name)), value}));
}

void form_add_equation(Form *form, const char *label, Expr left, Expr right)
{
    array_push(&form->equations, ((FormEquation){arena_copy_text(form->arena, label, strlen(label)),
                                                 left, right, (Expr){0}, (Expr){0}}));
}

void form_add_note(Form *form, const char *note)
{
    const char *copy = arena_copy_text(form->arena, note, strlen(note));
    array_push(&form->notes, copy);
}

size_t form_size(const Form *form, const Motion *motion)
{
    return form->multipliers ? motion->n : motion->k;
}

void form_refuse(Form *form, const char *format, ...)
{
    Text text = {0};
    va_list args;
    va_start(args, format);
    text_addv(&text, format, args);
    va_end(args);
    form->reason = arena_copy_text(form->arena, text.at, text.length);
    text_clear(&text);
}
