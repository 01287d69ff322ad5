// dimensions.h: dimensions while a model is read. Never leaves this room.
#ifndef ZWANG_MODEL_DIMENSIONS_H
#define ZWANG_MODEL_DIMENSIONS_H

#include "expr/expr.h"
#include "model/units.h"
#include "text/text.h"

struct Elaborator;
struct Value;
struct NameEntry;

// All of these hold where the model has no units, and where one of two dimensions is that of 0.
// False after a message that says what `what` is to be: "a mass".
bool dim_check(struct Elaborator *e, Dim have, Dim want, Place place, const char *what);
// Of the two sides of `what`, "a condition"; the message is at the right one.
bool dim_check_sides(struct Elaborator *e, Dim left, Dim right, Place place, const char *what);
Dim dim_either(Dim a, Dim b);
// The one dimension of many; `format` has places for what the wrong one is, which are others, and
// what these are.
bool dim_sum(struct Elaborator *e, const struct Value *terms, size_t count, const Place *places,
             const char *format, Dim *sum);
bool dim_raise(struct Elaborator *e, struct Value base, struct Value exponent, Place place,
               Dim *power);
// Of a function of the language.
bool dim_call(struct Elaborator *e, ExprOp op, const struct Value *args, size_t count,
              const Place *places, Dim *value);

struct ReactionDims *reactions_new(void);
void reactions_free(struct ReactionDims *reactions);
// Of lambda.NAME and its like, by the name of the symbol; that of 0 where it is not known yet.
Dim reaction_dim(const struct Elaborator *e, const char *name);
void reaction_dim_put(struct Elaborator *e, const char *prefix, const char *name, Dim dim);

// ---- Units.
// Whether a model must be read for the dimensions of its reactions before it is read.
bool units_need_reactions(const Source *source);
// Whether the model has units, which makes all of it checked; false after a message.
bool units_find(struct Elaborator *e);
// The unit that stands at a place, and its size, exactly.
bool elaborate_unit_text(struct Elaborator *e, Place place, const ModelUnit **unit, Expr *scale);
// The value of a number with a unit behind it.
struct Value elaborate_in_unit(struct Elaborator *e, const Node *node, struct Value number,
                               Place place);
// The part of this role that belongs to the name before it, or NULL.
const Part *part_behind(const struct Elaborator *e, const Part *name, PartRole role);
// `m [kg]`: the place of the unit in a bracket that holds no constant.
bool bracket_unit(const Syntax *syntax, const Statement *statement, const Part *part, Place *unit);
// Whether what stands there is of a robot's file, whose numbers are in SI units, in a model that
// has units.
bool dim_is_of_robot(const struct Elaborator *e, uint32_t at);
// The unit of the name that is declared here, NULL for none.
bool elaborate_declared_unit(struct Elaborator *e, const Part *name, const ModelUnit **unit,
                             Expr *scale);
// Whether an expression is made of numbers alone, without units.
bool is_bare_number(const struct Elaborator *e, Span span);
// False: `what` is to have a unit, and the number at this place has none.
bool dim_fail_bare(struct Elaborator *e, const char *what, Dim want, Place place);
// Whether a value may be that of a name, or of its derivative: of its dimension, and with a unit.
bool dim_check_value(struct Elaborator *e, const struct NameEntry *entry, uint32_t primes,
                     Span span, Dim have, Place place);
// The value that a name is declared with: numbers alone are in the unit that is declared there.
// The unit is the one that it is shown in.
bool dim_take_declared(struct Elaborator *e, const Part *name, Span span, Place place, Expr *value,
                       Dim *dim, const ModelUnit **unit);

#endif
