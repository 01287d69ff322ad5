// text_places.h: where expressions stand in the text of a model.
#ifndef ZWANG_MODEL_TEXT_PLACES_H
#define ZWANG_MODEL_TEXT_PLACES_H

#include "base/place.h"
#include "expr/expr_types.h"

typedef struct Model Model; // system.h

typedef struct {
    Expr e;
    Place place;
} TextPlace;
// What the statements up to conditions have of quotients, powers and functions, inner ones before
// those that they stand in. It lives as long as the model.
const TextPlace *model_text_places(const Model *model, size_t *count);

#endif
