// greek.c: Greek letters and their English names. A letter and its name are the same name.
#include "text/text_impl.h"

typedef struct {
    uint32_t code;
    const char *letter, *english;
} GreekLetter;

// The letter that is printed for a name comes first; variants of it follow further down.
static const GreekLetter letters[] = {
    {0x3B1, "α", "alpha"},  {0x3B2, "β", "beta"},    {0x3B3, "γ", "gamma"},
    {0x3B4, "δ", "delta"},  {0x3B5, "ε", "epsilon"}, {0x3B6, "ζ", "zeta"},
    {0x3B7, "η", "eta"},    {0x3B8, "θ", "theta"},   {0x3B9, "ι", "iota"},
    {0x3BA, "κ", "kappa"},  {0x3BB, "λ", "lambda"},  {0x3BC, "μ", "mu"},
    {0x3BD, "ν", "nu"},     {0x3BE, "ξ", "xi"},      {0x3BF, "ο", "omicron"},
    {0x3C0, "π", "pi"},     {0x3C1, "ρ", "rho"},     {0x3C3, "σ", "sigma"},
    {0x3C4, "τ", "tau"},    {0x3C5, "υ", "upsilon"}, {0x3C6, "φ", "phi"},
    {0x3C7, "χ", "chi"},    {0x3C8, "ψ", "psi"},     {0x3C9, "ω", "omega"},
    {0x391, "Α", "Alpha"},  {0x392, "Β", "Beta"},    {0x393, "Γ", "Gamma"},
    {0x394, "Δ", "Delta"},  {0x395, "Ε", "Epsilon"}, {0x396, "Ζ", "Zeta"},
    {0x397, "Η", "Eta"},    {0x398, "Θ", "Theta"},   {0x399, "Ι", "Iota"},
    {0x39A, "Κ", "Kappa"},  {0x39B, "Λ", "Lambda"},  {0x39C, "Μ", "Mu"},
    {0x39D, "Ν", "Nu"},     {0x39E, "Ξ", "Xi"},      {0x39F, "Ο", "Omicron"},
    {0x3A0, "Π", "Pi"},     {0x3A1, "Ρ", "Rho"},     {0x3A3, "Σ", "Sigma"},
    {0x3A4, "Τ", "Tau"},    {0x3A5, "Υ", "Upsilon"}, {0x3A6, "Φ", "Phi"},
    {0x3A7, "Χ", "Chi"},    {0x3A8, "Ψ", "Psi"},     {0x3A9, "Ω", "Omega"},
    {0x3D1, "ϑ", "theta"},  {0x3D5, "ϕ", "phi"},     {0x3F5, "ϵ", "epsilon"},
    {0x0B5, "µ", "mu"},     {0x3D6, "ϖ", "pi"},      {0x3F1, "ϱ", "rho"},
    {0x3C2, "ς", "sigma"},  {0x3F0, "ϰ", "kappa"},   {0x3F4, "ϴ", "Theta"},
    {0x2126, "Ω", "Omega"},
};
enum { LETTER_COUNT = sizeof letters / sizeof *letters };

bool greek_is_letter(uint32_t code, const char **english)
{
    *english = NULL;
    if ((code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z'))
        return true;
    if (code < 0x80)
        return false;
    for (size_t i = 0; i < LETTER_COUNT; i++)
        if (letters[i].code == code)
            *english = letters[i].english;
    return *english != NULL;
}

int greek_raised_digit(uint32_t code)
{
    switch (code) {
    case 0xB9: return 1;
    case 0xB2: return 2;
    case 0xB3: return 3;
    case 0x2070: return 0;
    default: return code >= 0x2074 && code <= 0x2079 ? (int)(code - 0x2070) : -1;
    }
}

void greek_spell(Str written, Text *out)
{
    while (written.length) {
        uint32_t bytes;
        uint32_t code = str_decode(written, &bytes);
        const char *english;
        if (greek_is_letter(code, &english) && english)
            text_add(out, english);
        else if (code >= 0x2080 && code <= 0x2089)
            text_add_char(out, (char)('0' + (code - 0x2080)));
        else if (greek_raised_digit(code) >= 0)
            text_add_char(out, (char)('0' + greek_raised_digit(code)));
        else
            text_add_str(out, (Str){written.at, bytes});
        written.at += bytes;
        written.length -= bytes;
    }
}

const char *text_greek_letter(Str english)
{
    for (size_t i = 0; i < LETTER_COUNT; i++)
        if (str_is(english, letters[i].english))
            return letters[i].letter;
    return NULL;
}
