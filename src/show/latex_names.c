// latex_names.c: words and names in LaTeX. Whatever a model says is only ever text.
#include "show/latex_impl.h"
#include "text/text.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

// A Greek letter, where `text` begins with one; returns its bytes, else 0.
static size_t add_greek(const char *text, Text *out)
{
    static const char *const greek[] = {
        "alpha",   "beta",   "gamma", "delta", "epsilon", "zeta",  "eta",   "theta", "iota",
        "kappa",   "lambda", "mu",    "nu",    "xi",      "pi",    "rho",   "sigma", "tau",
        "upsilon", "phi",    "chi",   "psi",   "omega",   "Gamma", "Delta", "Theta", "Lambda",
        "Xi",      "Pi",     "Sigma", "Phi",   "Psi",     "Omega"};
    for (size_t i = 0; i < sizeof greek / sizeof *greek; i++) {
        const char *letter = text_greek_letter(str_of(greek[i]));
        if (letter && strncmp(text, letter, strlen(letter)) == 0) {
            text_addf(out, "$\\%s$", greek[i]);
            return strlen(letter);
        }
    }
    return 0;
}

// A character outside of ASCII; returns its bytes. European letters, dashes and quotation marks
// are in LaTeX's fonts; what is not becomes a question mark, so that the document compiles.
static size_t add_character(const char *text, Text *out)
{
    static const char *const punctuation[] = {"–", "—", "‘", "’", "“", "”", "„", "…"};
    size_t length = add_greek(text, out);
    if (length > 0)
        return length;
    do
        length++;
    while (((unsigned char)text[length] & 0xC0) == 0x80);
    bool known = (unsigned char)text[0] <= 0xC5; // up to U+017F
    for (size_t i = 0; i < sizeof punctuation / sizeof *punctuation; i++)
        known = known || strncmp(text, punctuation[i], length) == 0;
    text_add_str(out, known ? (Str){text, length} : str_of("?"));
    return length;
}

// Whether a letter alone stands before `at`, as in R_theta.
static bool is_single(const char *begin, const char *at)
{
    size_t letters = 0;
    while (at > begin && (isalnum((unsigned char)at[-1]) || (at[-1] & 0x80) || at[-1] == '_')) {
        at--;
        letters += (*at & 0xC0) != 0x80; // a letter of several bytes is one
    }
    return letters == 1 && !isdigit((unsigned char)*at);
}

// The bytes of an index with the line before it, as in R_theta or P_roll.x; 0 where there is none.
static size_t subscript(const char *begin, const char *text)
{
    size_t length = 1;
    if (*text != '_' || !is_single(begin, text))
        return 0;
    while (isalnum((unsigned char)text[length]) ||
           (text[length] & 0x80 && text[length] != '\xE2' && text[length] != '\xC2') ||
           (text[length] == '.' && isalnum((unsigned char)text[length + 1])))
        length++;
    return length > 1 ? length : 0;
}

static void add_index(Str index, Text *out)
{
    Text word = {0};
    text_add_str(&word, index);
    bool greek = text_greek_letter(index) != NULL;
    text_add(out, "\\textsubscript{");
    if (greek)
        text_addf(out, "$\\%s$", word.at);
    else
        show_latex_escaped(word.at, out);
    text_add(out, "}");
    text_clear(&word);
}

void show_latex_escaped(const char *text, Text *out)
{
    assert(text && out);
    static const char *const special[][2] = {{"\\", "\\textbackslash{}"},
                                             {"{", "\\{"},
                                             {"}", "\\}"},
                                             {"$", "\\$"},
                                             {"&", "\\&"},
                                             {"#", "\\#"},
                                             {"%", "\\%"},
                                             {"_μ", "$_\\mu$"},
                                             {"_", "\\_"},
                                             {"^", "\\textasciicircum{}"},
                                             {"<", "$<$"},
                                             {">", "$>$"},
                                             {"⁺", "$^{+}$"},
                                             {"𝒦", "$\\mathcal{K}$"},
                                             {"𝒫", "$\\mathcal{P}$"},
                                             {"𝒬", "$\\mathcal{Q}$"},
                                             {"ℛ", "$\\mathcal{R}$"},
                                             {"~", "\\textasciitilde{}"},
                                             {"⁰", "$^{0}$"},
                                             {"₀", "$_{0}$"},
                                             {"₁", "$_{1}$"},
                                             {"₂", "$_{2}$"},
                                             {"₃", "$_{3}$"},
                                             {"−", "$-$"},
                                             {"″", "$''$"},
                                             {"′", "$'$"},
                                             {"½", "$\\frac{1}{2}$"},
                                             {"²", "$^{2}$"},
                                             {"⁰", "$^{0}$"},
                                             {"¹", "$^{1}$"},
                                             {"⁴", "$^{4}$"},
                                             {"≤", "$\\le$"},
                                             {"≥", "$\\ge$"},
                                             {"√", "$\\surd$"},
                                             {"∂", "$\\partial$"},
                                             {"Σ", "$\\sum$"},
                                             {"∫", "$\\int$"},
                                             {"·", "$\\cdot$"},
                                             {"ω", "$\\omega$"},
                                             {"ϑ", "$\\vartheta$"}};
    const char *begin = text;
    while (*text) {
        size_t i = 0, count = sizeof special / sizeof *special, index = subscript(begin, text);
        if (index > 0) {
            add_index((Str){text + 1, index - 1}, out);
            text += index;
            continue;
        }
        while (i < count && strncmp(text, special[i][0], strlen(special[i][0])) != 0)
            i++;
        if (i < count) {
            text_add(out, special[i][1]);
            text += strlen(special[i][0]);
        } else if (str_hidden(text)) {
            text += str_hidden(text);
        } else if ((unsigned char)*text >= 0x80) {
            text += add_character(text, out);
        } else {
            text_add_char(out, *text++);
        }
    }
}

static bool is_capital_like_latin(const char *greek)
{
    // These capitals look like Latin ones and have no command of their own.
    static const char *const same[] = {"Alpha", "Beta", "Epsilon", "Zeta", "Eta", "Iota", "Kappa",
                                       "Mu",    "Nu",   "Omicron", "Rho",  "Tau", "Chi"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(greek, same[i]) == 0)
            return true;
    return strcmp(greek, "omicron") == 0;
}

static bool add_known(const char *name, Text *out);

// One word of a name: a letter, a Greek letter, a name that a form makes, or letters set together.
static void add_stem(Str stem, Text *out)
{
    char word[32];
    if (stem.length < sizeof word) {
        memcpy(word, stem.at, stem.length);
        word[stem.length] = '\0';
        size_t begun = out->length;
        text_add(out, "{");
        if (add_known(word, out)) {
            text_add(out, "}");
            return;
        }
        out->at[out->length = begun] = '\0';
        if (text_greek_letter(stem) && !is_capital_like_latin(word)) {
            text_addf(out, "\\%s ", word);
            return;
        }
    }
    if (stem.length == 1) {
        text_add_str(out, stem);
        return;
    }
    if (str_is(stem, "Q*")) { // of the canonical equations
        text_add(out, "Q^{*}");
        return;
    }
    text_add(out, "\\mathit{");
    text_add_str(out, stem);
    text_add(out, "}");
}

// (dδ − δd)x of a coordinate, and dδϑ_1 − δdϑ_1.
static bool add_commutator(const char *name, Text *out)
{
    static const char of_coordinate[] = "(dδ − δd)", of_speed[] = "dδϑ_";
    if (strncmp(name, of_coordinate, strlen(of_coordinate)) == 0) {
        text_add(out, "(d\\delta - \\delta d)");
        show_latex_name(name + strlen(of_coordinate), out);
        return true;
    }
    if (strncmp(name, of_speed, strlen(of_speed)) != 0)
        return false;
    const char *index = name + strlen(of_speed);
    int length = (int)strcspn(index, " ");
    text_addf(out, "d\\delta\\vartheta_{%.*s} - \\delta d\\vartheta_{%.*s}", length, index, length,
              index);
    return true;
}

// Names that the forms make for their functions, with signs that fonts lack.
static bool add_known(const char *name, Text *out)
{
    static const char *const known[][2] = {{"T⁺", "T^{+}"},
                                           {"δT", "\\delta T"},
                                           {"Σ p_ν·δq_ν", "\\sum p_{\\nu}\\,\\delta q_{\\nu}"},
                                           {"T₀", "T_{0}"},
                                           {"S₀", "S_{0}"},
                                           {"T₁", "T_{1}"},
                                           {"S₁", "S_{1}"},
                                           {"𝒦", "\\mathcal{K}"},
                                           {"Φ⁰", "\\Phi^{0}"},
                                           {"𝒫", "\\mathcal{P}"},
                                           {"𝒬", "\\mathcal{Q}"},
                                           {"ℛ", "\\mathcal{R}"},
                                           {"𝒫₁", "\\mathcal{P}_{1}"},
                                           {"𝒬₁", "\\mathcal{Q}_{1}"},
                                           {"ℛ₁", "\\mathcal{R}_{1}"},
                                           {"Φ¹", "\\Phi^{1}"},
                                           {"Φ²", "\\Phi^{2}"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i][0]) == 0) {
            text_add(out, known[i][1]);
            return true;
        }
    if (add_commutator(name, out))
        return true;
    if (strncmp(name, "δω_", strlen("δω_")) == 0) {
        text_add(out, "\\delta\\omega_{\\mathrm{");
        show_latex_escaped(name + strlen("δω_"), out);
        text_add(out, "}}");
        return true;
    }
    // Letters of their own, with numbers for indices.
    static const char *const letters[][2] = {{"β", "\\beta "},
                                             {"ϑ", "\\vartheta "},
                                             {"dϑ", "d\\vartheta "},
                                             {"δϑ", "\\delta\\vartheta "},
                                             {"ω", "\\omega "}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (strncmp(name, letters[i][0], strlen(letters[i][0])) == 0) {
            text_addf(out, "%s%s", letters[i][1], name + strlen(letters[i][0]));
            return true;
        }
    // The variation of something that has a name.
    if (strncmp(name, "δ", strlen("δ")) == 0) {
        text_add(out, "\\delta ");
        show_latex_name(name + strlen("δ"), out);
        return true;
    }
    return false;
}

// Names with indices in braces, a_{x,theta} or A^{(x)}_{theta,phi}: each word is a name itself.
static bool add_indexed(const char *name, Text *out)
{
    if (!strchr(name, '{'))
        return false;
    while (*name) {
        size_t end = strcspn(name, "_^{}(),");
        Text word = {0};
        text_add_str(&word, (Str){name, end});
        if (end > 0)
            show_latex_name(word.at, out);
        text_clear(&word);
        name += end;
        if (*name)
            text_add_char(out, *name++);
    }
    return true;
}

// A letter with or without digits is set as one; a word, upright.
static void add_subscript(Str tail, Text *out)
{
    size_t digits = 0;
    while (digits < tail.length && isdigit((unsigned char)tail.at[tail.length - 1 - digits]))
        digits++;
    Str stem = {tail.at, tail.length - digits}, number = {tail.at + stem.length, digits};
    if (stem.length <= 1 || text_greek_letter(stem)) {
        if (stem.length > 0)
            add_stem(stem, out);
        text_add(out, stem.length > 0 && digits ? "_{" : "");
        text_add_str(out, number);
        text_add(out, stem.length > 0 && digits ? "}" : "");
        return;
    }
    Text word = {0};
    text_add_str(&word, tail);
    text_add(out, "\\mathrm{");
    show_latex_escaped(word.at, out);
    text_add(out, "}");
    text_clear(&word);
}

// The jump of something is written before it: Δx', dx'.
static const char *without_jump(const char *name, Text *out)
{
    static const char *const jumps[][2] = {{"Delta.", "\\Delta "}, {"d.", "d"}};
    for (int i = 0; i < 2; i++)
        if (strncmp(name, jumps[i][0], strlen(jumps[i][0])) == 0) {
            text_add(out, jumps[i][1]);
            return name + strlen(jumps[i][0]);
        }
    return name;
}

// The bytes of capitals behind a letter, Latin or Greek, that are its index: rF, chiR, IXX.
static size_t capital_index(Str stem)
{
    size_t capitals = 0;
    while (capitals < stem.length && isupper((unsigned char)stem.at[stem.length - 1 - capitals]))
        capitals++;
    if (capitals == stem.length)
        capitals--; // the first of them is the letter
    Str letter = {stem.at, stem.length - capitals};
    bool single = letter.length == 1 && isalpha((unsigned char)letter.at[0]);
    return capitals <= 2 && (single || text_greek_letter(letter)) ? capitals : 0;
}

void show_latex_name(const char *name, Text *out)
{
    assert(name && out);
    name = without_jump(name, out);
    if (add_known(name, out) || add_indexed(name, out))
        return;
    size_t length = strlen(name), primes = 0;
    while (primes < length && name[length - 1 - primes] == '\'')
        primes++;
    Str rest = {name, length - primes};
    size_t end = 0;
    while (end < rest.length && rest.at[end] != '.' && rest.at[end] != '_' && rest.at[end] != '[')
        end++;
    size_t digits = 0;
    while (digits + 1 < end && isdigit((unsigned char)rest.at[end - 1 - digits]))
        digits++;
    size_t capitals = end > digits ? capital_index((Str){rest.at, end - digits}) : 0;
    add_stem((Str){rest.at, end - digits - capitals}, out);
    digits += capitals;
    // Digits, and what stands behind a dot, an underscore or in brackets, is one subscript.
    bool more = end < rest.length, opens = more && rest.at[end] == '[';
    // Behind the brackets a name of a part may go on: w[2].phi.
    bool bracket = opens && memchr(rest.at, ']', rest.length) == rest.at + rest.length - 1;
    if (digits || more) {
        text_add(out, "_{");
        text_add_str(out, (Str){rest.at + end - digits, digits});
        if (more && digits)
            text_add(out, ",");
        size_t begin = end + (bracket || !opens), tail = rest.length - begin - bracket;
        if (bracket)
            text_add_str(out, (Str){rest.at + begin, tail});
        else if (more)
            add_subscript((Str){rest.at + begin, tail}, out);
        text_add(out, "}");
    }
    for (; primes > 0; primes--)
        text_add_char(out, '\'');
}

void show_latex_function(const char *name, Text *out)
{
    static const char *const own[] = {"sin",  "cos", "tan", "sinh", "cosh",
                                      "tanh", "exp", "log", "min",  "max"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0) {
            text_addf(out, "\\%s", name);
            return;
        }
    if (strcmp(name, "asin") == 0 || strcmp(name, "acos") == 0 || strcmp(name, "atan") == 0)
        text_addf(out, "\\arc%s", name + 1);
    else
        text_addf(out, "\\operatorname{%s}", name);
}
