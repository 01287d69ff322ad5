// json_impl.h: the pieces of JSON beside show_json_string.
#ifndef ZWANG_SHOW_JSON_IMPL_H
#define ZWANG_SHOW_JSON_IMPL_H

#include "show/show.h"

void show_json_string_or_null(const char *text, Text *out);
void show_json_number(double value, Text *out); // null where it is not finite
// "name":value, with a comma before it unless it is the first of its object.
void show_json_entry(bool first, const char *name, double value, Text *out);
const char *show_json_answer(Answer answer);  // true, false or null
const char *show_proof_name(ProofKind proof); // exact, modular, numeric, none

#endif
