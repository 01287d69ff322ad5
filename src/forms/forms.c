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

static const struct {
    const char *words, *source, *formula, *latex;
} steps[STEP_COUNT] = {
#define STEP(NAME, words, source, formula, latex) {words, source, formula, latex},
#include "forms/steps.def"
#undef STEP
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

const char *form_step_words(FormStepKind kind)
{
    return steps[kind].words;
}

const char *form_step_source(FormStepKind kind)
{
    return steps[kind].source;
}

const char *form_step_formula(FormStepKind kind, bool latex)
{
    return latex ? steps[kind].latex : steps[kind].formula;
}

Form *form_derive(FormKind kind, Motion *motion)
{
    return form_derive_in(kind, motion, FORM_TO_READ);
}

Form *form_new(FormKind kind, FormDetail detail)
{
    Form *form = base_alloc(sizeof *form);
    form->kind = kind;
    form->detail = detail;
    form->arena = arena_new();
    form->sets = 1;
    return form;
}

Form *form_derive_in(FormKind kind, Motion *motion, FormDetail detail)
{
    Form *form = form_derive_plain(kind, motion, detail);
    if (detail != FORM_TO_RUN && !form->reason)
        form_add_percussions(motion, form);
    return form;
}

Form *form_derive_plain(FormKind kind, Motion *motion, FormDetail detail)
{
    Form *form = form_new(kind, detail);
    if (form_can_take_seconds(motion, form)) {
        forms[kind].derive(motion, form);
        form_take_seconds(motion, form);
    }
    return form;
}

void form_free(Form *form)
{
    if (!form)
        return;
    for (size_t i = 0; i < form->readings.count; i++)
        form_free(form->readings.at[i].form);
    array_clear(&form->readings);
    array_clear(&form->functions);
    array_clear(&form->equations);
    array_clear(&form->notes);
    array_clear(&form->steps);
    array_clear(&form->lines);
    for (size_t i = 0; i < form->percussions.count; i++)
        form_free(form->percussions.at[i]);
    array_clear(&form->percussions);
    array_clear(&form->unknowns);
    array_clear(&form->jumps);
    arena_free(form->arena);
    base_free(form);
}

void form_add_function(Form *form, const char *name, Expr value)
{
    array_push(&form->functions,
               ((FormFunction){arena_copy_text(form->arena, name, strlen(name)), value}));
}

void form_add_numbers(Form *form, const char *letter, const Expr *named, size_t count)
{
    for (size_t i = 0; i < count && form->detail >= FORM_TO_READ; i++) {
        Text name = {0};
        text_addf(&name, "%s%zu", letter, i + 1);
        form_add_function(form, name.at, named[i]);
        text_clear(&name);
    }
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

bool form_begin_step(Form *form, FormStepKind kind)
{
    if (form->detail < FORM_IN_STEPS)
        return false;
    array_push(&form->steps, ((FormStep){kind, form->lines.count, 0}));
    return true;
}

static const char *keep_text(Form *form, const char *text)
{
    return text ? arena_copy_text(form->arena, text, strlen(text)) : NULL;
}

void form_add_line(Form *form, FormLine line)
{
    line.of = keep_text(form, line.of);
    line.by = keep_text(form, line.by);
    array_push(&form->lines, line);
    form->steps.at[form->steps.count - 1].count++;
}

size_t form_size(const Form *form, const Motion *motion)
{
    return (form->multipliers ? motion->n : motion->k) + motion->second_count - form->eliminated;
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
