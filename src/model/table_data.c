// table_data.c: the numbers of a table, from the text of its file.
//
// A file has a row for each knot and a column for each quantity: separated by commas, semicolons,
// tabs or blanks, with or without a first row of names. Rows are counted as an editor does.
#include "base/decimal.h"
#include "expr/tables.h"
#include "model/model_impl.h"
#include "text/table_files.h"

#include <math.h>
#include <string.h>

enum { ARGUMENT, RESULT, USED_COLUMNS };

typedef struct {
    Elaborator *e;
    const Source *source; // with the file in it
    Str file;
    Place file_place, places[USED_COLUMNS]; // of what the text says of them
    Str names[USED_COLUMNS];                // of the columns; "" where the text gives none
    Str plain[USED_COLUMNS];                // the same without a unit in brackets
    const ModelUnit *units[USED_COLUMNS];   // NULL where none is given
    Text shown[USED_COLUMNS];               // as they are called in messages
    size_t columns[USED_COLUMNS];           // which
    char separator;                         // ' ' for blanks
    size_t row;
    ARRAY(double) numbers[USED_COLUMNS];
} TableReading;

// ---- Cells.

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static Str without_blanks(Str text)
{
    while (text.length > 0 && is_blank(text.at[0]))
        text = (Str){text.at + 1, text.length - 1};
    while (text.length > 0 && is_blank(text.at[text.length - 1]))
        text.length--;
    return text;
}

// The next cell of a line, and what is left of this; false behind the last.
static bool next_cell(const TableReading *reading, Str *line, Str *cell)
{
    Str rest = reading->separator == ' ' ? without_blanks(*line) : *line;
    if (rest.at == NULL || (reading->separator == ' ' && rest.length == 0))
        return false;
    bool quoted = false;
    size_t length = 0;
    for (; length < rest.length; length++) {
        char c = rest.at[length];
        quoted = c == '"' ? !quoted : quoted;
        if (!quoted && (reading->separator == ' ' ? is_blank(c) : c == reading->separator))
            break;
    }
    *cell = without_blanks((Str){rest.at, length});
    if (cell->length >= 2 && cell->at[0] == '"' && cell->at[cell->length - 1] == '"')
        *cell = without_blanks((Str){cell->at + 1, cell->length - 2});
    *line = length < rest.length ? (Str){rest.at + length + 1, rest.length - length - 1}
                                 : (Str){NULL, 0};
    return true;
}

static bool read_number(Str cell, double *number)
{
    Str digits = cell.length > 0 && cell.at[0] == '+' ? (Str){cell.at + 1, cell.length - 1} : cell;
    return digits.length > 0 && decimal_read(digits.at, digits.length, number) == digits.length &&
           isfinite(*number);
}

// ---- Names.

static void find_separator(TableReading *reading, Str line)
{
    static const char separators[] = {',', ';', '\t'};
    reading->separator = ' ';
    for (size_t i = 0; i < sizeof separators && reading->separator == ' '; i++)
        if (memchr(line.at, separators[i], line.length))
            reading->separator = separators[i];
}

static bool is_head(const TableReading *reading, Str line)
{
    Str cell;
    double number;
    bool head = false;
    while (next_cell(reading, &line, &cell))
        head = head || (!read_number(cell, &number) && cell.length > 0 && !str_is(cell, "nan") &&
                        !str_is(cell, "NaN") && !str_is(cell, "inf"));
    return head;
}

static bool fail_column(TableReading *reading, size_t which, Str line, bool head)
{
    Text all = {0};
    Str cell;
    while (head && next_cell(reading, &line, &cell)) {
        text_add(&all, all.length > 0 ? ", " : "");
        text_add_str(&all, cell);
    }
    Shown file = text_shown(reading->file);
    bool good =
        head ? elaborate_fail(reading->e, reading->places[which],
                              "'%s' has no column '%s'; it has %s", file.at,
                              text_shown(reading->names[which]).at, all.at ? all.at : "none")
             : elaborate_fail(reading->e, reading->places[which],
                              "'%s' has no column '%s': its first row are numbers, not names",
                              file.at, text_shown(reading->names[which]).at);
    text_clear(&all);
    return good;
}

// Which columns are meant, by the first row.
static bool find_columns(TableReading *reading, Str line, bool head)
{
    size_t count = 0, found[USED_COLUMNS] = {SIZE_MAX, SIZE_MAX};
    Str cell, rest = line;
    for (; next_cell(reading, &rest, &cell); count++)
        for (size_t which = 0; which < USED_COLUMNS; which++) {
            bool named = reading->names[which].length > 0;
            bool meant = named ? head && (str_equal(cell, reading->names[which]) ||
                                          str_equal(cell, reading->plain[which]))
                               : count == which;
            if (!meant || found[which] != SIZE_MAX)
                continue;
            found[which] = count;
            if (head)
                text_add_str(&reading->shown[which], cell);
            else
                text_addf(&reading->shown[which], "%zu", which + 1);
        }
    for (size_t which = 0; which < USED_COLUMNS; which++) {
        if (found[which] == SIZE_MAX && reading->names[which].length > 0)
            return fail_column(reading, which, line, head);
        if (found[which] == SIZE_MAX)
            return elaborate_fail(reading->e, reading->file_place,
                                  "'%s' has %zu column%s; a table needs two",
                                  text_shown(reading->file).at, count, count == 1 ? "" : "s");
        reading->columns[which] = found[which];
    }
    return true;
}

// ---- Rows.

static bool take_row(TableReading *reading, Str line)
{
    double numbers[USED_COLUMNS] = {0};
    bool have[USED_COLUMNS] = {false};
    Str cell;
    for (size_t i = 0; next_cell(reading, &line, &cell); i++)
        for (size_t which = 0; which < USED_COLUMNS; which++)
            if (reading->columns[which] == i)
                have[which] = read_number(cell, &numbers[which]);
    for (size_t which = 0; which < USED_COLUMNS; which++)
        if (!have[which])
            return elaborate_fail(
                reading->e, reading->places[which],
                "row %zu of '%s' has no number in column %s; fill it or remove "
                "the row",
                reading->row, text_shown(reading->file).at,
                text_shown((Str){reading->shown[which].at, reading->shown[which].length}).at);
    size_t count = reading->numbers[ARGUMENT].count;
    double last = count > 0 ? reading->numbers[ARGUMENT].at[count - 1] : -INFINITY;
    if (!(numbers[ARGUMENT] > last)) {
        Text pair = {0};
        text_add_decimal(&pair, numbers[ARGUMENT]);
        text_add(&pair, " comes after ");
        text_add_decimal(&pair, last);
        elaborate_fail(reading->e, reading->places[ARGUMENT],
                       "row %zu of '%s': %s; the first column of a table rises", reading->row,
                       text_shown(reading->file).at, pair.at);
        text_clear(&pair);
        return false;
    }
    for (size_t which = 0; which < USED_COLUMNS; which++)
        array_push(&reading->numbers[which], numbers[which]);
    return true;
}

static bool read_rows(TableReading *reading)
{
    size_t at;
    Str line;
    bool begun = false, good = true;
    if (!text_find_table(reading->source, reading->file, &at))
        return elaborate_fail(reading->e, reading->file_place,
                              "cannot read '%s': the model was opened without it; open it anew",
                              text_shown(reading->file).at);
    while (good && text_table_line(reading->source, &at, &line)) {
        reading->row++;
        line = without_blanks(line);
        if (line.length == 0 || line.at[0] == '#')
            continue;
        bool head = false;
        if (!begun) {
            find_separator(reading, line);
            head = is_head(reading, line);
            good = find_columns(reading, line, head);
        }
        begun = true;
        good = good && (head || take_row(reading, line));
    }
    size_t count = reading->numbers[ARGUMENT].count;
    if (good && count < 2)
        return elaborate_fail(reading->e, reading->file_place,
                              "'%s' has %zu row%s of numbers; a table needs at least two",
                              text_shown(reading->file).at, count, count == 1 ? "" : "s");
    return good;
}

// ---- The words behind them.

static bool take_word(Elaborator *e, const Part *part, ExprTable *table, bool *kind, bool *beyond)
{
    static const struct {
        const char *word;
        bool beyond;
        int means;
    } words[] = {{"linear", false, TABLE_LINEAR},
                 {"cubic", false, TABLE_CUBIC},
                 {"previous", false, TABLE_PREVIOUS},
                 {"hold", true, TABLE_HOLDS},
                 {"repeat", true, TABLE_REPEATS}};
    Str word = syntax_text(e->syntax, part->start, part->length);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!str_is(word, words[i].word))
            continue;
        bool *given = words[i].beyond ? beyond : kind;
        if (*given)
            return elaborate_fail(e, syntax_part_place(e->syntax, part),
                                  words[i].beyond
                                      ? "a table has one of 'hold' and 'repeat'"
                                      : "a table has one of 'linear', 'cubic' and 'previous'");
        *given = true;
        *(words[i].beyond ? &table->numbers.beyond : &table->numbers.kind) = words[i].means;
    }
    return true;
}

static bool take_parts(TableReading *reading, const Part *part, ExprTable *table)
{
    Elaborator *e = reading->e;
    const Part *end = e->syntax->parts.at + e->syntax->parts.count;
    bool kind = false, beyond = false, good = true;
    size_t quoted = 0;
    reading->file_place = syntax_part_place(e->syntax, part);
    for (part++; part < end && (part->role == PART_TITLE || part->role == PART_TABLE_WORD);
         part++) {
        Place place = syntax_part_place(e->syntax, part);
        if (part->role == PART_TABLE_WORD) {
            good = take_word(e, part, table, &kind, &beyond) && good;
        } else if (quoted++ == 0) {
            reading->file = syntax_text(e->syntax, part->start, part->length);
            reading->file_place = reading->places[ARGUMENT] = reading->places[RESULT] = place;
        } else {
            reading->names[quoted - 2] = syntax_text(e->syntax, part->start, part->length);
            reading->places[quoted - 2] = place;
        }
    }
    // One column alone is the value, over the first.
    if (quoted == 2) {
        reading->names[RESULT] = reading->names[ARGUMENT];
        reading->places[RESULT] = reading->places[ARGUMENT];
        reading->names[ARGUMENT] = (Str){"", 0};
        reading->places[ARGUMENT] = reading->file_place;
    }
    return good;
}

// "s [m]" is the column s in metres.
static bool read_units(TableReading *reading)
{
    Elaborator *e = reading->e;
    for (size_t which = 0; which < USED_COLUMNS; which++) {
        Str name = reading->names[which];
        const char *open = name.length > 2 && name.at[name.length - 1] == ']'
                               ? memchr(name.at, '[', name.length)
                               : NULL;
        reading->plain[which] = name;
        if (!open)
            continue;
        size_t before = (size_t)(open - name.at);
        Place place = reading->places[which];
        place.start += (uint32_t)before + 1;
        place.length = (uint32_t)(name.length - before - 2);
        Expr scale;
        if (!elaborate_unit_text(e, place, &reading->units[which], &scale))
            return false;
        reading->plain[which] = without_blanks((Str){name.at, before});
    }
    return true;
}

static void take_units(TableReading *reading, TableDims *dims)
{
    *dims = (TableDims){0};
    for (size_t which = 0; which < USED_COLUMNS; which++) {
        const ModelUnit *unit = reading->units[which];
        dims->places[which] = reading->places[which];
        if (!unit)
            continue;
        dims->given[which] = true;
        dims->dim[which] = unit->dim;
        for (size_t i = 0; i < reading->numbers[which].count && unit->scale != 1; i++)
            reading->numbers[which].at[i] *= unit->scale;
    }
}

bool table_read(Elaborator *e, const Part *part, ExprTable *table, TableDims *dims)
{
    TableReading reading = {.e = e, .source = e->file_syntax->source};
    *table = (ExprTable){0};
    bool good = take_parts(&reading, part, table) && read_units(&reading) && read_rows(&reading);
    take_units(&reading, dims);
    if (good) {
        table->numbers.count = reading.numbers[ARGUMENT].count;
        table->file = arena_copy_text(e->arena, reading.file.at, reading.file.length);
        table->argument =
            arena_copy_text(e->arena, reading.shown[ARGUMENT].at, reading.shown[ARGUMENT].length);
        size_t bytes = table->numbers.count * sizeof(double);
        table->numbers.knots =
            memcpy(arena_alloc(e->arena, bytes), reading.numbers[ARGUMENT].at, bytes);
        table->values = memcpy(arena_alloc(e->arena, bytes), reading.numbers[RESULT].at, bytes);
    }
    for (size_t which = 0; which < USED_COLUMNS; which++) {
        text_clear(&reading.shown[which]);
        array_clear(&reading.numbers[which]);
    }
    return good;
}
