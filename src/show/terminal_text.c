// terminal_text.c: a finished report or message, made fit for a terminal: lines no wider than it,
// in its characters, with colours. Columns are seen where two blanks or more stand between cells
// that begin below each other; a table that is too wide is drawn together, then stacked.
#include "show/show.h"
#include "show/terminal_text_impl.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum { MOST_CELLS = 64, GAP = 2, FURTHER = 2, LONGEST_NAME = 24 };

// A cell and the column in which it was written.
typedef struct {
    Str text;
    size_t column;
} Cell;

typedef struct {
    Str line;
    size_t count; // cells; 0: none are told apart
    Cell cells[MOST_CELLS];
} Row;

typedef struct {
    size_t width;
    bool ascii;
    Arena *arena;
    Text *out;
} Layout;

static bool is_blank(Str line)
{
    for (size_t i = 0; i < line.length; i++)
        if (line.at[i] != ' ')
            return false;
    return true;
}

// Cells between gaps of at least two blanks.
static void split_row(Str line, Row *row)
{
    *row = (Row){.line = line};
    for (size_t at = 0; at < line.length && row->count < MOST_CELLS;) {
        while (at < line.length && line.at[at] == ' ')
            at++;
        size_t end = at;
        while (end < line.length &&
               !(line.at[end] == ' ' && (end + 1 == line.length || line.at[end + 1] == ' ')))
            end++;
        if (row->count + 1 == MOST_CELLS)
            end = line.length;
        if (end > at)
            row->cells[row->count++] =
                (Cell){{line.at + at, end - at}, marked_width((Str){line.at, at})};
        at = end;
    }
}

// ---- The columns that a run of rows has in common.

typedef ARRAY(size_t) Columns;

// Where at least two rows have a cell, in rising order.
static void find_columns(const Row *rows, size_t count, Columns *columns)
{
    Columns cells = {0}; // that begin in each column
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < rows[i].count; j++) {
            while (cells.count <= rows[i].cells[j].column)
                array_push(&cells, 0);
            cells.at[rows[i].cells[j].column]++;
        }
    for (size_t c = 0; c < cells.count; c++)
        if (cells.at[c] >= 2)
            array_push(columns, c);
    array_clear(&cells);
}

static bool is_in(const Columns *columns, size_t column)
{
    for (size_t i = 0; i < columns->count; i++)
        if (columns->at[i] == column)
            return true;
    return false;
}

// A gap that no other row has is part of its cell.
static void join_cells(const Columns *columns, Row *row)
{
    size_t kept = 0;
    for (size_t i = 0; i < row->count; i++) {
        Cell *cell = &row->cells[i];
        if (kept > 0 && !is_in(columns, cell->column))
            row->cells[kept - 1].text.length =
                (size_t)(cell->text.at + cell->text.length - row->cells[kept - 1].text.at);
        else
            row->cells[kept++] = *cell;
    }
    row->count = kept;
}

// ---- Rows in other columns.

static size_t index_of(const Columns *columns, size_t column)
{
    size_t at = 0;
    while (at < columns->count && columns->at[at] < column)
        at++;
    return at;
}

static const Cell *cell_in(const Row *row, size_t column)
{
    for (size_t i = 0; i < row->count; i++)
        if (row->cells[i].column == column)
            return &row->cells[i];
    return NULL;
}

// The cell that must end before this column: the one left of the row's cell in it; in a row of
// a table without one that in the column before, as a heading that is wider than its numbers.
static const Cell *left_of(const Row *row, size_t column, const size_t *before)
{
    const Cell *left = NULL;
    for (size_t j = 0; j < row->count && row->cells[j].column < column; j++)
        left = &row->cells[j];
    const Cell *own = cell_in(row, column);
    return own || (left && before && left->column == *before) ? left : NULL;
}

// Where each column begins now: where it did, further right where a cell needs that; or, drawn
// together, as far left as the cells allow.
static void place_columns(const Row *rows, size_t count, const Columns *columns, bool together,
                          size_t *places)
{
    for (size_t c = 0; c < columns->count; c++) {
        size_t before = c ? columns->at[c - 1] : 0, least = 0;
        bool indent = true;
        for (size_t i = 0; i < count; i++) {
            const Cell *left =
                left_of(&rows[i], columns->at[c], together && c ? &columns->at[c - 1] : NULL);
            if (!left)
                continue;
            size_t at = index_of(columns, left->column);
            bool moved = at < columns->count && columns->at[at] == left->column;
            size_t end = (moved ? places[at] : left->column) + marked_width(left->text) + GAP;
            least = end > least ? end : least;
            indent = false;
        }
        places[c] = columns->at[c] - before + (c ? places[c - 1] : 0);
        if ((together && !indent) || least > places[c])
            places[c] = least;
    }
}

static void write_row(const Row *row, const Columns *columns, const size_t *places, Text *line)
{
    for (size_t i = 0; i < row->count; i++) {
        const Cell *cell = &row->cells[i];
        size_t at = index_of(columns, cell->column);
        bool moved = at < columns->count && columns->at[at] == cell->column;
        size_t column = moved ? places[at] : cell->column;
        size_t now = marked_width((Str){line->at, line->length});
        if (i > 0 && now + 1 > column)
            column = now + 1;
        text_addf(line, "%*s", column > now ? (int)(column - now) : 0, "");
        text_add_str(line, cell->text);
    }
}

// ---- Tables.

static bool is_number(Str text)
{
    size_t at = text.length > 1 && (text.at[0] == '-' || text.at[0] == '+');
    return at < text.length && isdigit((unsigned char)text.at[at]);
}

static bool has_number(const Row *row)
{
    for (size_t j = 0; j < row->count; j++)
        if (is_number(row->cells[j].text))
            return true;
    return false;
}

// The first row says what the columns are: words, with numbers below them. A matrix begins with
// "M =", and its rows are all alike.
static bool has_heading(const Row *rows, size_t count)
{
    bool numbers = false, used = true;
    for (size_t i = 1; i < count; i++)
        numbers |= has_number(&rows[i]);
    for (size_t j = 0; j < rows[0].count; j++) {
        bool below = false;
        for (size_t i = 1; i < count; i++)
            below |= cell_in(&rows[i], rows[0].cells[j].column) != NULL;
        Str text = rows[0].cells[j].text;
        used &= below && text.length > 0 && text.at[text.length - 1] != '=';
    }
    return numbers && used && !has_number(&rows[0]);
}

// Each row by itself: its first cell, and below it a line for each of the others.
static void stack_table(const Layout *layout, const Row *rows, size_t count)
{
    const Row *heading = &rows[0];
    size_t widest = 0, first = rows[1].cells[0].column;
    for (size_t j = 0; j < heading->count; j++)
        if (heading->cells[j].column > first && marked_width(heading->cells[j].text) > widest)
            widest = marked_width(heading->cells[j].text);
    if (heading->cells[0].column == first) {
        text_addf(layout->out, "%*s", (int)first, "");
        text_add_str(layout->out, heading->cells[0].text);
        text_add_char(layout->out, '\n');
    }
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j < rows[i].count; j++) {
            const Cell *cell = &rows[i].cells[j], *title = cell_in(heading, cell->column);
            Text line = {0};
            size_t indent = first + (j ? FURTHER : 0);
            text_addf(&line, "%*s", (int)indent, "");
            if (j > 0 && title) {
                text_add_str(&line, title->text);
                text_addf(&line, "%*s", (int)(widest + GAP - marked_width(title->text)), "");
            }
            text_add_str(&line, cell->text);
            line_wrap((Str){line.at, line.length}, layout->width, indent + FURTHER, layout->out);
            text_clear(&line);
        }
}

// ---- Runs of lines.

// What follows a line begins below its second cell, where the first is a name, or a little
// further right than the line.
static size_t hanging(const Row *row, const Columns *columns, const size_t *places)
{
    size_t first = row->count ? row->cells[0].column : 0;
    if (row->count > 1) {
        size_t at = index_of(columns, row->cells[1].column);
        bool moved = at < columns->count && columns->at[at] == row->cells[1].column;
        return (moved ? places[at] : row->cells[1].column) + FURTHER;
    }
    Str text = row->count ? row->cells[0].text : (Str){0};
    for (size_t i = 1; i + 1 < text.length && i < LONGEST_NAME; i++)
        if (text.at[i] == ' ' && text.at[i + 1] == ' ') {
            while (text.at[i] == ' ')
                i++;
            return first + marked_width((Str){text.at, i}) + FURTHER;
        }
    // Below the words of a numbered line.
    size_t digits = 0;
    while (digits < text.length && isdigit((unsigned char)text.at[digits]))
        digits++;
    bool numbered =
        digits > 0 && digits + 1 < text.length && memcmp(text.at + digits, ". ", 2) == 0;
    return first + (numbered ? digits + strlen(". ") : FURTHER);
}

static bool fits(const Layout *layout, const Text *line)
{
    return layout->width == 0 || marked_width((Str){line->at, line->length}) <= layout->width;
}

static void write_rows(const Layout *layout, const Row *rows, size_t count, const Columns *columns,
                       const size_t *places)
{
    for (size_t i = 0; i < count; i++) {
        Text line = {0};
        write_row(&rows[i], columns, places, &line);
        if (fits(layout, &line))
            text_add_str(layout->out, (Str){line.at, line.length}),
                text_add_char(layout->out, '\n');
        else
            line_wrap((Str){line.at, line.length}, layout->width,
                      hanging(&rows[i], columns, places), layout->out);
        text_clear(&line);
    }
}

static size_t widest_row(const Row *rows, size_t count, const Columns *columns,
                         const size_t *places)
{
    size_t widest = 0;
    for (size_t i = 0; i < count; i++) {
        Text line = {0};
        write_row(&rows[i], columns, places, &line);
        size_t width = marked_width((Str){line.at, line.length});
        widest = width > widest ? width : widest;
        text_clear(&line);
    }
    return widest;
}

static void write_run(const Layout *layout, const Row *rows, size_t count, bool is_table)
{
    Columns columns = {0};
    find_columns(rows, count, &columns);
    size_t *places = arena_array(layout->arena, size_t, columns.count + 1);
    place_columns(rows, count, &columns, false, places);
    bool wide = layout->width && widest_row(rows, count, &columns, places) > layout->width;
    if (wide && is_table) {
        place_columns(rows, count, &columns, true, places);
        wide = widest_row(rows, count, &columns, places) > layout->width;
    }
    if (wide && is_table && has_heading(rows, count))
        stack_table(layout, rows, count);
    else
        write_rows(layout, rows, count, &columns, places);
    array_clear(&columns);
}

// A row of a table has three cells; of these the first may be empty.
static bool is_table_row(const Row *row, const Columns *columns)
{
    bool empty = row->count > 0 && columns->count > 0 && row->cells[0].column > columns->at[0];
    return row->count + empty >= 3;
}

static Str spelled(const Layout *layout, Str text)
{
    if (!layout->ascii)
        return text;
    Text plain = {0};
    ascii_spell(text, &plain);
    text =
        (Str){arena_copy_text(layout->arena, plain.at ? plain.at : "", plain.length), plain.length};
    text_clear(&plain);
    return text;
}

// Lines that follow each other: tables among them have columns of their own.
static void write_block(const Layout *layout, Row *rows, size_t count)
{
    Columns columns = {0};
    find_columns(rows, count, &columns);
    for (size_t i = 0; i < count; i++)
        join_cells(&columns, &rows[i]);
    for (size_t i = 0; layout->ascii && i < count; i++)
        for (size_t j = 0; j < rows[i].count; j++)
            rows[i].cells[j].text = spelled(layout, rows[i].cells[j].text);
    for (size_t i = 0, end; i < count; i = end) {
        bool is_table = is_table_row(&rows[i], &columns);
        for (end = i + 1; end < count && is_table_row(&rows[end], &columns) == is_table;)
            end++;
        write_run(layout, rows + i, end - i, is_table && end - i > 1);
    }
    array_clear(&columns);
}

// How many columns the first `columns` of a line grow by when it is spelled out.
static size_t growth(const Layout *layout, Str line, size_t columns)
{
    size_t at = 0, seen = 0, grown = 0;
    while (at < line.length && seen < columns) {
        size_t bytes = 1;
        while (at + bytes < line.length && ((unsigned char)line.at[at + bytes] & 0xC0) == 0x80)
            bytes++;
        Str character = {line.at + at, bytes};
        grown += marked_width(spelled(layout, character)) - marked_width(character);
        seen += marked_width(character);
        at += bytes;
    }
    return grown;
}

// A line of the model, and the caret below what it is about.
static void write_caret(const Layout *layout, Str line, Str caret)
{
    Text below = {0};
    size_t before = 0;
    while (before < caret.length && caret.at[before] == ' ')
        before++;
    if (layout->ascii)
        text_addf(&below, "%*s", (int)growth(layout, line, before), "");
    text_add_str(&below, caret);
    if (layout->ascii) {
        size_t more = growth(layout, line, caret.length) - growth(layout, line, before);
        while (more-- > 0)
            text_add_char(&below, '~');
    }
    caret_wrap(spelled(layout, line), (Str){below.at, below.length},
               layout->width ? layout->width : SIZE_MAX, layout->out);
    text_clear(&below);
}

static bool next_line(const char **text, Str *line)
{
    if (!**text)
        return false;
    *line = (Str){*text, strcspn(*text, "\n")};
    *text += line->length;
    *text += **text == '\n';
    return true;
}

static void lay_out(const Layout *layout, const char *text)
{
    ARRAY(Row) rows = {0};
    Str line;
    while (next_line(&text, &line)) {
        Str after = {text, strcspn(text, "\n")};
        bool caret = is_caret_line(after), blank = is_blank(line);
        if ((caret || blank) && rows.count > 0) {
            write_block(layout, rows.at, rows.count);
            rows.count = 0;
        }
        if (caret) {
            write_caret(layout, line, after);
            next_line(&text, &after);
        } else if (blank) {
            text_add_char(layout->out, '\n');
        } else {
            Row row;
            split_row(line, &row);
            array_push(&rows, row);
        }
    }
    if (rows.count > 0)
        write_block(layout, rows.at, rows.count);
    array_clear(&rows);
}

// Names, titles and lines of a model may hold what a terminal obeys or hides: controls, directions
// of writing, bytes that are no character. Each becomes one '?', so that carets stay below theirs.
static void add_seen(const char *text, Text *seen)
{
    for (uint32_t bytes; *text; text += bytes) {
        uint32_t code = str_decode((Str){text, strnlen(text, 4)}, &bytes);
        bool control = bytes == 1 && (code < ' ' || code == 0x7F) && code != '\n' && code != '\t';
        if (bytes == 0 || control || str_hidden(text))
            text_add_char(seen, '?');
        else
            text_add_str(seen, (Str){text, bytes});
        bytes += bytes == 0;
    }
}

void show_for_terminal(const char *given, const ShowTerminal *terminal, Text *out)
{
    assert(given && terminal && out);
    Text marked = {0}, lines = {0}, seen = {0};
    add_seen(given, &seen);
    const char *text = seen.at ? seen.at : "";
    if (terminal->colour)
        colours_mark(text, &marked);
    Layout layout = {.width = terminal->width,
                     .ascii = terminal->ascii,
                     .arena = arena_new(),
                     .out = terminal->colour ? &lines : out};
    lay_out(&layout, terminal->colour && marked.at ? marked.at : text);
    if (terminal->colour && lines.at)
        colours_write(lines.at, out);
    arena_free(layout.arena);
    text_clear(&marked);
    text_clear(&lines);
    text_clear(&seen);
}
