// latex_display.c: equations as displays, over as many lines as they take.
//
// Long ones are broken before their outermost + and −, where nothing is open; where a term alone is
// too long, inside its longest brackets. Equations that follow each other share a display, and
// short ones a line.
#include "show/latex_impl.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

static const char times[] = "\\,"; // between factors

// In points of a document of 10 pt, whose text is 472 wide.
enum {
    LATEX_LINE = 390,    // of one line of an equation
    LATEX_LONGEST = 415, // from here on a line is broken inside of brackets
    LATEX_SHORTEST = 90, // a line is not broken before it has so many
    LATEX_SHORT = 110,   // equations of so many stand side by side
    LATEX_QUAD = 10
};

static bool begins(Str text, const char *word)
{
    return text.length >= strlen(word) && strncmp(text.at, word, strlen(word)) == 0;
}

// Behind the brace that closes what is open at `at`.
static size_t closing(Str line, size_t at)
{
    for (int open = 1; at < line.length && open > 0; at++)
        open += (line.at[at] == '{') - (line.at[at] == '}');
    return at;
}

// How long the command is that the text begins with, with its backslash.
static size_t command_length(Str text)
{
    size_t length = 1;
    while (length < text.length && isalpha((unsigned char)text.at[length]))
        length++;
    return length > 1 ? length : 2;
}

static double letter_width(char letter)
{
    if (strchr("{}&^_ ", letter) || ((unsigned char)letter & 0xc0) == 0x80)
        return 0;
    if (strchr("+-=", letter))
        return 12.3; // with room around them
    return isupper((unsigned char)letter) ? 7.5 : strchr("',()[]|", letter) ? 4 : 5.5;
}

// A command without what follows it in braces.
static double command_width(Str command)
{
    static const char *const unseen[] = {"\\bigl",   "\\bigr",        "\\Bigl", "\\Bigr",
                                         "\\mathit", "\\mathrm",      "\\text", "\\dot",
                                         "\\ddot",   "\\displaystyle"};
    static const char *const functions[] = {"\\sin", "\\cos", "\\tan", "\\exp", "\\ln", "\\log"};
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
        if (str_is(command, unseen[i]))
            return 0;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (str_is(command, functions[i]))
            return str_is(command, "\\ln") ? 10 : 15;
    // Brackets grow with what they hold.
    if (!isalpha((unsigned char)command.at[1]) || str_is(command, "\\left") ||
        str_is(command, "\\right"))
        return 1.7;
    return str_is(command, "\\quad") ? LATEX_QUAD : str_is(command, "\\qquad") ? 20 : 6.5;
}

// About how wide the source is when it is set.
static double set_width(Str source)
{
    double width = 0;
    for (size_t i = 0; i < source.length;) {
        Str rest = {source.at + i, source.length - i};
        bool script = *rest.at == '^' || *rest.at == '_';
        if (begins(rest, "\\frac{")) {
            size_t first = strlen("\\frac{"), second = closing(rest, first) + 1;
            size_t end = second < rest.length ? closing(rest, second) : rest.length;
            double top = set_width((Str){rest.at + first, second - first});
            width += fmax(top, second < end ? set_width((Str){rest.at + second, end - second}) : 0);
            width += 3;
            i += end;
        } else if (script && rest.length > 1 && rest.at[1] == '{') {
            size_t end = closing(rest, 2);
            width += 0.75 * set_width((Str){rest.at + 2, end - 2});
            i += end;
        } else if (*rest.at == '\\' && rest.length > 1) {
            Str command = {rest.at, command_length(rest)};
            width += command_width(command);
            i += command.length;
        } else {
            width += letter_width(*rest.at);
            i++;
        }
    }
    return width;
}

static size_t printed_width(Str source)
{
    return (size_t)set_width(source);
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

// What follows brackets that have been opened: in their last line, or in the next.
static void add_behind(Str factors, Text *out)
{
    size_t start = out->length;
    while (start > 0 && out->at[start - 1] != '\n')
        start--;
    size_t used = printed_width((Str){out->at + start, out->length - start});
    bool product = begins(factors, times);
    if (product && used + printed_width(factors) > LATEX_LINE) {
        text_add(out, "\\\\\n&\\quad\\quad {}\\cdot ");
        factors = (Str){factors.at + strlen(times), factors.length - strlen(times)};
    }
    text_add_str(out, factors);
}

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
    size_t used = printed_width(before);
    if (fraction)
        used += printed_width((Str){line.at, begin}) + printed_width(bottom);
    add_pieces(inner, used, out);
    text_add(out, "\\Bigr)");
    add_behind((Str){rest, behind}, out);
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

// Brackets that need not close in the line in which they open, wide fractions as quotients, and
// wide roots as powers.
static void loosen(Str text, Text *out)
{
    static const char left[] = "\\left(", right[] = "\\right)", fraction[] = "\\frac{";
    static const char root[] = "\\sqrt{";
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
        if (braces == 0 && begins(rest, root)) {
            size_t end = closing(rest, strlen(root));
            Str inner = {rest.at + strlen(root), end - 1 - strlen(root)};
            if (printed_width(inner) > LATEX_LINE / 2) {
                text_add(out, "\\bigl(");
                loosen(inner, out);
                text_add(out, "\\bigr)^{1/2}");
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

// Where a product that is too long is broken: before the last factor that fits, else behind the
// first one; the length where there is one factor alone.
static size_t product_break(Str text, size_t most)
{
    size_t found = text.length;
    int braces = 0;
    for (size_t i = 0; i + 1 < text.length; i++) {
        braces += (text.at[i] == '{') - (text.at[i] == '}');
        if (i == 0 || braces != 0 || !begins((Str){text.at + i, text.length - i}, times))
            continue;
        if (found < text.length && printed_width((Str){text.at, i}) > most)
            break;
        found = i;
    }
    return found;
}

// A line that is still too long is broken at any sign, be it in brackets, and between factors.
static void add_loosened(Str line, Text *out)
{
    Text loose = {0};
    loosen(line, &loose);
    size_t most = LATEX_LINE - 2 * LATEX_QUAD;
    for (Str rest = {loose.at, loose.length}; rest.length > 0;) {
        size_t end = next_sign(rest, 0), further = end;
        while (end < rest.length) {
            further = next_sign(rest, end);
            if (printed_width((Str){rest.at, further}) > most)
                break;
            end = further;
        }
        if (printed_width((Str){rest.at, end}) > most)
            end = product_break((Str){rest.at, end}, most);
        bool factor = begins(rest, times);
        text_add(out, rest.at > loose.at ? "\\\\\n&\\quad\\quad {}" : "");
        text_add(out, factor ? "\\cdot " : "");
        size_t skipped = factor ? strlen(times) : 0;
        text_add_str(out, (Str){rest.at + skipped, end - skipped});
        rest = (Str){rest.at + end, rest.length - end};
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
            size_t both = used + printed_width((Str){sum.at + start, further - start});
            if (both > most && (width >= LATEX_SHORTEST || both > LATEX_LONGEST))
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
    size_t most = LATEX_LINE - 3 * LATEX_QUAD,
           first = printed_width((Str){sum.at, next_break(sum, 0)});
    bool begins_line = used > 2 * LATEX_QUAD && used + first > most;
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
    bool both = line.length > 0 && !rule && own <= LATEX_SHORT &&
                width + own + 2 * LATEX_QUAD <= LATEX_LINE &&
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
