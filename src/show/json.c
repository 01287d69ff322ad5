// json.c: the pieces that every JSON output is made of: strings, numbers, answers.
#include "show/json_impl.h"

#include "base/decimal.h"

#include <assert.h>
#include <math.h>

// Written so that it is seen; by two halves where one has no room for it.
static void add_hidden(const char *text, Text *out)
{
    uint32_t bytes, code = str_decode((Str){text, 4}, &bytes);
    if (code < 0x10000)
        text_addf(out, "\\u%04x", (unsigned)code);
    else
        text_addf(out, "\\u%04x\\u%04x", 0xD800 + (unsigned)((code - 0x10000) >> 10),
                  0xDC00 + (unsigned)(code & 0x3FF));
}

void show_json_string(const char *text, Text *out)
{
    assert(text && out);
    text_add_char(out, '"');
    for (uint32_t hidden; *text; text += hidden ? hidden : 1) {
        unsigned char c = (unsigned char)*text;
        hidden = (uint32_t)str_hidden(text);
        if (hidden)
            add_hidden(text, out);
        else if (c == '"' || c == '\\')
            text_addf(out, "\\%c", c);
        else if (c == '\n')
            text_add(out, "\\n");
        else if (c < 0x20)
            text_addf(out, "\\u%04x", c);
        else
            text_add_char(out, (char)c);
    }
    text_add_char(out, '"');
}

void show_json_string_or_null(const char *text, Text *out)
{
    if (text)
        show_json_string(text, out);
    else
        text_add(out, "null");
}

void show_json_number(double value, Text *out)
{
    if (isfinite(value))
        text_add_decimal(out, value == 0 ? 0 : value);
    else
        text_add(out, "null");
}

void show_json_entry(bool first, const char *name, double value, Text *out)
{
    assert(name && out);
    text_add(out, first ? "" : ",");
    show_json_string(name, out);
    text_add_char(out, ':');
    show_json_number(value, out);
}

const char *show_json_answer(Answer answer)
{
    return answer == ANSWER_YES ? "true" : answer == ANSWER_NO ? "false" : "null";
}

const char *show_proof_name(ProofKind proof)
{
    switch (proof) {
    case PROOF_EXACT: return "exact";
    case PROOF_MODULAR: return "modular";
    case PROOF_NUMERIC: return "numeric";
    case PROOF_NONE: break;
    }
    return "none";
}
