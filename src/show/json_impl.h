// json_impl.h: the pieces of JSON beside show_json_string.
#ifndef ZWANG_SHOW_JSON_IMPL_H
#define ZWANG_SHOW_JSON_IMPL_H

#include "show/show.h"

void show_json_string_or_null(const char *text, Text *out);
void show_json_number(double value, Text *out); // null where it is not finite
const char *show_json_answer(Answer answer);    // true, false or null
const char *show_proof_name(ProofKind proof);   // exact, modular, numeric, none

#endif
