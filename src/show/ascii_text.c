// ascii_text.c: text for terminals without Unicode. Names and formulas become those of the
// language: θ′ is theta', m·v² is m*v^2, φ₁ is phi1.
#include "show/terminal_text_impl.h"

#include "text/text.h"

#include <string.h>

static const struct {
    const char *written, *spelled;
} characters[] = {
#define ASCII(written, spelled) {written, spelled},
#include "show/ascii_text.def"
#undef ASCII
};

static const char *spelling(Str character, uint32_t code)
{
    const char *english = NULL;
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++)
        if (str_is(character, characters[i].written))
            return characters[i].spelled;
    greek_is_letter(code, &english);
    return english;
}

// ² is ^2, and ¹² is ^12; what is no exponent (Φ⁰, T₁⁰) reads the same.
static bool spell_digit(uint32_t code, bool goes_on, Text *out)
{
    int raised = greek_raised_digit(code);
    if (raised >= 0)
        text_addf(out, goes_on ? "%d" : "^%d", raised);
    else if (code >= 0x2080 && code <= 0x2089)
        text_add_char(out, (char)('0' + (code - 0x2080)));
    else
        return false;
    return true;
}

void ascii_spell(Str text, Text *out)
{
    bool raised = false;
    for (size_t at = 0; at < text.length;) {
        unsigned char c = (unsigned char)text.at[at];
        uint32_t bytes = 1, code = c;
        if (c >= 0x80 && c < COLOUR_NONE)
            code = str_decode((Str){text.at + at, text.length - at}, &bytes);
        bool is_ascii = c < 0x80 || c >= COLOUR_NONE;
        Str character = {text.at + at, bytes ? bytes : 1};
        const char *spelled = is_ascii ? NULL : spelling(character, code);
        if (is_ascii)
            text_add_char(out, (char)c);
        else if (!spell_digit(code, raised, out))
            text_add(out, spelled ? spelled : "?");
        raised = !is_ascii && greek_raised_digit(code) >= 0;
        at += character.length;
    }
}
