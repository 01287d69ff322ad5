// line_wrap.c: one line, broken between words.
#include "show/terminal_text_impl.h"

#include <string.h>

static bool is_colour(char c)
{
    return (unsigned char)c >= COLOUR_NONE;
}

size_t marked_width(Str text)
{
    size_t width = 0, from = 0;
    for (size_t i = 0; i <= text.length; i++)
        if (i == text.length || is_colour(text.at[i])) {
            width += text_width(text.at + from, i - from);
            from = i + 1;
        }
    return width;
}

bool is_caret_line(Str line)
{
    bool seen = false;
    for (size_t i = 0; i < line.length; i++) {
        seen |= line.at[i] == '^' || line.at[i] == '~';
        if (!line.at[i] || !strchr(seen ? "~^" : " ", line.at[i]))
            return false;
    }
    return seen;
}

// A sign that stands alone between blanks and belongs to what follows it.
static bool is_sign(Str word)
{
    static const char *const signs[] = {"+",  "−",  "-", "=", "·", "*",  "≤", "≥",
                                        "<=", ">=", "<", ">", "→", "->", "…", "..."};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (str_is(word, signs[i]))
            return true;
    return false;
}

// The word that begins at `at`, without the colour before it.
static Str word_at(Str line, size_t at)
{
    while (at < line.length && is_colour(line.at[at]))
        at++;
    size_t end = at;
    while (end < line.length && line.at[end] != ' ')
        end++;
    return (Str){line.at + at, end - at};
}

// Columns that a break is worth less, or more, than where it stands.
enum { PER_BRACKET = 12, BEFORE_EQUALS = 12, AFTER_COMMA = 6, BETWEEN_CELLS = 20 };

typedef struct {
    size_t end, next; // bytes: where the piece ends, where the rest begins
} Break;

// Where the piece of at most `room` columns ends; where no word does, behind the first one.
static Break find_break(Str line, size_t room, int *depth)
{
    Break best = {line.length, line.length};
    long best_score = 0;
    int open = *depth, best_depth = open;
    size_t measured = 0, columns = 0, word = 0;
    bool found = false;
    for (size_t i = 0; i < line.length; i++) {
        open += strchr("([{", line.at[i]) != NULL && line.at[i];
        open -= strchr(")]}", line.at[i]) != NULL && line.at[i];
        if (line.at[i] != ' ')
            continue;
        size_t next = i;
        while (next < line.length && line.at[next] == ' ')
            next++;
        columns += marked_width((Str){line.at + measured, i - measured});
        measured = i;
        bool glued = next - measured == 1 && is_sign(word_at(line, word));
        word = next;
        i = next - 1;
        if (columns > room && found)
            break;
        if (glued || next == line.length || columns == 0)
            continue;
        Str after = word_at(line, next);
        long score =
            (long)columns - PER_BRACKET * open -
            (is_sign(after) && after.at[0] == '=' ? BEFORE_EQUALS : 0) +
            (line.at[measured - 1] == ',' || line.at[measured - 1] == ';' ? AFTER_COMMA : 0) +
            (next - measured > 1 ? BETWEEN_CELLS : 0);
        if (!found || score >= best_score) {
            best = (Break){measured, next};
            best_score = score;
            best_depth = open;
            found = true;
        }
    }
    *depth = best_depth;
    return best;
}

static size_t leading_blanks(Str line)
{
    size_t count = 0;
    while (count < line.length && line.at[count] == ' ')
        count++;
    return count;
}

void line_wrap(Str line, size_t width, size_t indent, Text *out)
{
    size_t first = leading_blanks(line);
    int depth = 0;
    if (indent > width / 2)
        indent = first < width / 4 ? first + 2 : 2;
    if (first > width / 2)
        line = (Str){line.at + first, line.length - first}, first = 2, text_add(out, "  ");
    else
        text_add_str(out, (Str){line.at, first}), line.at += first, line.length -= first;
    for (size_t at = first; width > at && marked_width(line) > width - at; at = indent) {
        Break end = find_break(line, width - at, &depth);
        if (end.next == line.length)
            break;
        text_add_str(out, (Str){line.at, end.end});
        text_addf(out, "\n%*s", (int)indent, "");
        line = (Str){line.at + end.next, line.length - end.next};
    }
    text_add_str(out, line);
    text_add_char(out, '\n');
}

static void add_caret(Str piece, size_t indent, Text *out)
{
    if (is_caret_line(piece)) {
        text_addf(out, "%*s", (int)indent, "");
        text_add_str(out, piece);
        text_add_char(out, '\n');
    }
}

void caret_wrap(Str line, Str caret, size_t width, Text *out)
{
    size_t indent = leading_blanks(line), from = indent; // columns of the caret that were written
    line = (Str){line.at + indent, line.length - indent};
    while (line.length > 0) {
        int depth = 0;
        Break end = {line.length, line.length};
        if (width > indent && marked_width(line) > width - indent)
            end = find_break(line, width - indent, &depth);
        text_addf(out, "%*s", (int)indent, "");
        text_add_str(out, (Str){line.at, end.end});
        text_add_char(out, '\n');
        size_t columns = marked_width((Str){line.at, end.end});
        if (end.next == line.length || caret.length - from < columns)
            columns = caret.length - from;
        while (columns > 0 && caret.at[from + columns - 1] == ' ')
            columns--;
        add_caret((Str){caret.at + from, columns}, indent, out);
        from += marked_width((Str){line.at, end.next});
        from = from < caret.length ? from : caret.length;
        line = (Str){line.at + end.next, line.length - end.next};
    }
}
