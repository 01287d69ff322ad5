// latex_display.c: equations as displays, over as many lines as they take.
//
// Long ones are broken before their outermost + and −, where nothing is open; where a term alone is
// too long, inside its longest brackets. Equations that follow each other share a display, and
// short ones a line.
#include "show/latex_impl.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum {
    LATEX_LINE = 58,     // letters in one line of an equation
    LATEX_LONGEST = 64,  // from here on a line is broken inside of brackets
    LATEX_SHORTEST = 16, // a line is not broken before it has so many
    LATEX_SHORT = 20     // equations of so many stand side by side
};

static bool begins(Str text, const char *word)
{
    return text.length >= strlen(word) && strncmp(text.at, word, strlen(word)) == 0;
}

// About how many letters wide the source is when it is set: a command counts as one, but a
// function as its name; brackets and marks of LaTeX count nothing.
static size_t printed_width(Str source)
{
    size_t width = 0;
    for (size_t i = 0; i < source.length; i++) {
        if (source.at[i] != '\\') {
            width += strchr("{}^_ &", source.at[i]) == NULL;
            width += strchr("+-=", source.at[i]) != NULL; // with room around them
            continue;
        }
        size_t begin = ++i;
        while (i < source.length && isalpha((unsigned char)source.at[i]))
            i++;
        Str command = {source.at + begin, i - begin};
        bool spelled = str_is(command, "sin") || str_is(command, "cos") || str_is(command, "tan");
        bool unseen = str_is(command, "left") || str_is(command, "right") ||
                      str_is(command, "frac") || command.length == 0;
        width += spelled ? 3 : unseen ? 0 : 1;
        i -= command.length > 0; // a sign behind the backslash, as in \, belongs to it
    }
    return width;
}

// Where the next outermost + or − stands behind `from`, the start or another one; the length
// where there is none.
static size_t next_break(Str text, size_t from)
{
    int open = 0;
    for (size_t i = from; i < text.length; i++) {
        const char *at = text.at + i;
        if (*at == '{' || *at == '(')
            open++;
        if (*at == '}' || *at == ')')
            open--;
        bool sign = i + 2 < text.length && *at == ' ' &&
                    (at[1] == '+' || at[1] == '-' || at[1] == '=') && at[2] == ' ';
        if (i > from && open == 0 && sign)
            return i;
    }
    return text.length;
}

// The content of the longest \left( … \right) of a line that is in no braces; none where there is
// none.
static Str longest_bracket(Str line)
{
    Str longest = {line.at, 0};
    size_t start = 0, depth = 0;
    for (size_t i = 0, braces = 0; i < line.length; i++) {
        Str rest = {line.at + i, line.length - i};
        braces += line.at[i] == '{';
        braces -= line.at[i] == '}' && braces > 0;
        if (braces == 0 && begins(rest, "\\left(") && depth++ == 0)
            start = i + strlen("\\left(");
        if (braces == 0 && begins(rest, "\\right)") && depth > 0 && --depth == 0 &&
            i - start > longest.length)
            longest = (Str){line.at + start, i - start};
    }
    return longest;
}

// Behind the brace that closes what is open at `at`.
static size_t closing(Str line, size_t at)
{
    for (int open = 1; at < line.length && open > 0; at++)
        open += (line.at[at] == '{') - (line.at[at] == '}');
    return at;
}

// Whether a line ends with a fraction, which only has a sign or "x = " before it: where that
// begins, and its numerator and denominator.
static bool is_fraction(Str line, size_t *begin, Str *top, Str *bottom)
{
    static const char word[] = "\\frac{";
    for (size_t i = 0; i < line.length; i++) {
        if (!begins((Str){line.at + i, line.length - i}, word))
            continue;
        size_t first = i + strlen(word), second = closing(line, first) + 1;
        *begin = i;
        *top = (Str){line.at + first, second - 2 - first};
        bool whole = second < line.length && closing(line, second) == line.length;
        *bottom = whole ? (Str){line.at + second, line.length - 1 - second} : *top;
        bool alone = i == 0 || line.at[i - 1] == ' ';
        return whole && alone;
    }
    return false;
}

static void add_pieces(Str sum, size_t used, Text *out);

// A line that is too long for one: the sum in its longest brackets goes over several. False where
// there is no such thing.
static bool add_opened(Str line, Text *out)
{
    size_t begin = 0;
    Str top = line, bottom = line;
    bool fraction = is_fraction(line, &begin, &top, &bottom);
    if (!fraction)
        top = line;
    Str inner = longest_bracket(top);
    const char *rest = inner.at + inner.length + strlen("\\right)");
    size_t behind = inner.length ? (size_t)(top.at + top.length - rest) : 0;
    if (2 * printed_width(inner) < printed_width(line) || next_break(inner, 0) == inner.length ||
        (fraction && printed_width(bottom) > LATEX_LINE / 2) ||
        printed_width((Str){rest, behind}) > LATEX_LINE / 2)
        return false;
    if (fraction) {
        text_add_str(out, (Str){line.at, begin});
        text_add(out, "\\frac{1}{");
        text_add_str(out, bottom);
        text_add(out, "}\\,");
    }
    Str before = {top.at, (size_t)(inner.at - top.at) - strlen("\\left(")};
    text_add_str(out, before);
    text_add(out, "\\Bigl(");
    size_t used = printed_width(before) + (fraction ? begin + printed_width(bottom) : 0);
    add_pieces(inner, used, out);
    text_add(out, "\\Bigr)");
    text_add_str(out, (Str){rest, (size_t)(top.at + top.length - rest)});
    return true;
}

// Where the next + or − stands that is in no braces, be it in brackets; the length where none is.
static size_t next_sign(Str text, size_t from)
{
    int braces = 0;
    for (size_t i = from; i + 2 < text.length; i++) {
        const char *at = text.at + i;
        braces += (*at == '{') - (*at == '}');
        bool sign = *at == ' ' && strchr("+-=", at[1]) && at[2] == ' ';
        bool quotient = begins((Str){at, text.length - i}, " \\big/ ");
        if (i > from && braces == 0 && (sign || quotient))
            return i;
    }
    return text.length;
}

// Brackets that need not close in the line in which they open, and wide fractions as quotients.
static void loosen(Str text, Text *out)
{
    static const char left[] = "\\left(", right[] = "\\right)", fraction[] = "\\frac{";
    for (size_t i = 0, braces = 0; i < text.length; i++) {
        Str rest = {text.at + i, text.length - i};
        if (braces == 0 && begins(rest, fraction)) {
            size_t first = strlen(fraction), second = closing(rest, first) + 1;
            size_t end = closing(rest, second);
            Str top = {rest.at + first, second - 2 - first};
            Str bottom = {rest.at + second, end - 1 - second};
            if (printed_width(top) > LATEX_LINE / 2 || printed_width(bottom) > LATEX_LINE / 2) {
                text_add(out, "\\bigl(");
                loosen(top, out);
                text_add(out, "\\bigr) \\big/ \\bigl(");
                loosen(bottom, out);
                text_add(out, "\\bigr)");
                i += end - 1;
                continue;
            }
        }
        braces += text.at[i] == '{';
        braces -= text.at[i] == '}' && braces > 0;
        bool opens = braces == 0 && begins(rest, left), closes = braces == 0 && begins(rest, right);
        if (opens || closes) {
            text_add(out, opens ? "\\bigl(" : "\\bigr)");
            i += strlen(opens ? left : right) - 1;
        } else {
            text_add_char(out, text.at[i]);
        }
    }
}

// A line that is still too long is broken at any sign, be it in brackets.
static void add_loosened(Str line, Text *out)
{
    Text loose = {0};
    loosen(line, &loose);
    Str all = {loose.at, loose.length};
    for (size_t start = 0; start < all.length;) {
        size_t end = next_sign(all, start);
        while (end < all.length) {
            size_t further = next_sign(all, end);
            if (printed_width((Str){all.at + start, further - start}) > LATEX_LINE - 4)
                break;
            end = further;
        }
        text_add(out, start ? "\\\\\n&\\quad\\quad {}" : "");
        text_add_str(out, (Str){all.at + start, end - start});
        start = end;
    }
    text_clear(&loose);
}

static void add_line(Str line, Text *out)
{
    if (printed_width(line) < LATEX_LONGEST)
        text_add_str(out, line);
    else if (!add_opened(line, out))
        add_loosened(line, out);
}

// A sum over as many lines as it takes; of the first so much is used already.
static void add_lines(Str sum, size_t used, size_t most, const char *between, Text *out)
{
    for (size_t start = 0; start < sum.length; used = 0) {
        size_t end = next_break(sum, start);
        while (end < sum.length) {
            size_t further = next_break(sum, end);
            size_t width = used + printed_width((Str){sum.at + start, end - start});
            if (used + printed_width((Str){sum.at + start, further - start}) > most &&
                width >= LATEX_SHORTEST)
                break;
            end = further;
        }
        add_line((Str){sum.at + start, end - start}, out);
        text_add(out, end < sum.length ? between : "");
        start = end;
    }
}

// Inside brackets that have been opened; what does not fit behind them begins a line.
static void add_pieces(Str sum, size_t used, Text *out)
{
    static const char between[] = "\\\\\n&\\quad\\quad {}";
    size_t most = LATEX_LINE - 8, first = printed_width((Str){sum.at, next_break(sum, 0)});
    bool begins_line = used > 4 && used + first > most;
    text_add(out, begins_line ? between : "");
    add_lines(sum, begins_line ? 0 : used, most, between, out);
}

static const char display_begin[] = "\\begin{align*}\n&", display_end[] = "\n\\end{align*}\n";

// The line that a display ends with, behind its mark; none where it is the rest of an equation.
static Str last_line(const Text *out)
{
    size_t start = out->length;
    while (start > 0 && out->at[start - 1] != '\n')
        start--;
    Str line = {out->at + start + 1, out->length - start - 1};
    bool rest = line.length > 0 && strncmp(line.at, "\\quad", strlen("\\quad")) == 0;
    return rest ? (Str){line.at, 0} : line;
}

// Opens a display, or goes on with the one that has just ended: what is short goes on in its line.
static void open_display(Str equation, Text *out)
{
    size_t ending = sizeof display_end - 1;
    if (out->length < ending || strcmp(out->at + out->length - ending, display_end) != 0) {
        text_add(out, display_begin);
        return;
    }
    out->length -= ending;
    Str line = last_line(out);
    size_t width = printed_width(line), own = printed_width(equation);
    // A rule stands by itself, and so does what has a number.
    bool rule = strstr(line.at, "\\sum") != NULL || strstr(line.at, "\\numberthis") != NULL;
    bool both = line.length > 0 && !rule && own <= LATEX_SHORT && width + own + 4 <= LATEX_LINE &&
                (width <= LATEX_SHORT || strstr(line.at, "\\qquad ") != NULL);
    text_add(out, both ? ",\\qquad " : "\\\\[3pt]\n&");
}

void show_latex_numbered(const char *equation, const char *label, Text *out)
{
    show_latex_display(equation, out);
    out->length -= sizeof display_end - 1;
    text_add(out, "\\numberthis");
    if (*label)
        text_addf(out, "\\label{%s}", label);
    text_add(out, display_end);
}

void show_latex_display(const char *equation, Text *out)
{
    assert(equation && out);
    Str whole = str_of(equation);
    open_display(whole, out);
    add_lines(whole, 0, LATEX_LINE, "\\\\\n&\\quad {}", out);
    text_add(out, display_end);
}
