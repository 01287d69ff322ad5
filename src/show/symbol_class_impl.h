// symbol_class_impl.h: what a symbol of a system stands for.
#ifndef ZWANG_SHOW_SYMBOL_CLASS_IMPL_H
#define ZWANG_SHOW_SYMBOL_CLASS_IMPL_H

#include "model/model.h"
#include "motion/motion.h"

// In the order in which a textbook writes factors.
typedef enum {
    CLASS_NUMBER,
    CLASS_PARAMETER,
    CLASS_COORDINATE,
    CLASS_FUNCTION,
    CLASS_VELOCITY,
    CLASS_ACCELERATION,
    CLASS_MULTIPLIER
} SymbolClass;

typedef struct SymbolClasses SymbolClasses;
SymbolClasses *symbol_classes_new(const Motion *motion);
void symbol_classes_free(SymbolClasses *classes);
// A symbol that the system does not know is a parameter.
SymbolClass symbol_class(const SymbolClasses *classes, Expr symbol);

#endif
