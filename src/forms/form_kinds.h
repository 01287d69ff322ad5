// form_kinds.h: the classical forms by name, for those who do not derive them.
#ifndef ZWANG_FORMS_KINDS_H
#define ZWANG_FORMS_KINDS_H

typedef enum {
#define FORM(NAME, name, title, function) FORM_##NAME,
#include "forms/forms.def"
#undef FORM
    FORM_COUNT
} FormKind;

const char *form_name(FormKind kind);

#endif
