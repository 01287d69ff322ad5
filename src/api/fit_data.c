// fit_data.c: what a fit is asked for, and the data.
#include "api/fit_impl.h"
#include "expr/expr.h"
#include "model/model_equation.h"
#include "model/units.h"
#include "program/program.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The next piece of a list, up to a comma outside of brackets.
static Str next_piece(const char **at)
{
    const char *begin = *at, *end = begin;
    for (int depth = 0; *end && (*end != ',' || depth > 0); end++)
        depth += *end == '(' ? 1 : *end == ')' ? -1 : 0;
    *at = *end ? end + 1 : end;
    return str_trim((Str){begin, (size_t)(end - begin)});
}

static const char *copy(const FitData *data, Str text)
{
    return arena_copy_text(data->arena, text.at, text.length);
}

static bool read_real(Str text, double *value)
{
    char *end, *room = base_alloc(text.length + 1);
    memcpy(room, text.at, text.length);
    *value = strtod(room, &end);
    bool whole = end != room && *end == '\0';
    base_free(room);
    return whole;
}

// ---- What is varied.

void fit_add_value(const FitUnknown *own, double value, Text *out)
{
    text_addf(out, "%.6g%s%s", value / own->scale, *own->unit ? " " : "", own->unit);
}

static void find_unit(const FitData *data, const zw_model *model, FitUnknown *own)
{
    ColumnUnit unit;
    own->unit = own->si = "";
    own->scale = 1;
    if (!model_column_unit(model->model, own->name, &unit) || strcmp(unit.shown.text, "1") == 0)
        return;
    own->unit = copy(data, str_of(unit.shown.text));
    own->si = copy(data, str_of(unit.si));
    own->scale = unit.shown.scale;
}

static Status read_bound(zw_model *model, const FitUnknown *own, Str text, double *value)
{
    if (!model_has_units(model->model))
        return read_real(text, value) ? STATUS_OK : STATUS_WRONG;
    Source *source = source_new("vary", text.at, text.length);
    array_push(&model->asked, source);
    return model_read_value(model->model, source, str_of(own->name), model->diag, value);
}

// "0.1:10", or "0.1 N/m:10 N/m".
static Status read_bounds(zw_model *model, FitUnknown *own, Str bounds)
{
    const char *colon = memchr(bounds.at, ':', bounds.length);
    size_t told = diag_total(model->diag);
    own->bounded = true;
    Status status = STATUS_WRONG;
    if (colon) {
        Str low = {bounds.at, (size_t)(colon - bounds.at)};
        Str high = {colon + 1, bounds.length - low.length - 1};
        status = read_bound(model, own, str_trim(low), &own->low);
        if (status == STATUS_OK)
            status = read_bound(model, own, str_trim(high), &own->high);
    }
    if (status == STATUS_OK && own->low < own->high && isfinite(own->low) && isfinite(own->high))
        return STATUS_OK;
    if (diag_total(model->diag) > told)
        return STATUS_WRONG;
    return diag_error(model->diag, place_hint(HINT_VARY),
                      "the bounds of '%s' are written %s=LOW:HIGH, two numbers%s%s", own->name,
                      own->name, *own->unit ? " with units, as in 1 " : "", own->unit);
}

static Status add_unknown(FitData *data, Str piece, bool is_start, zw_model *model)
{
    Diag *diag = model->diag;
    FitUnknown *own = &data->unknowns[data->count];
    const char *equals = memchr(piece.at, '=', piece.length);
    Str name = equals ? str_trim((Str){piece.at, (size_t)(equals - piece.at)}) : piece;
    *own = (FitUnknown){.name = copy(data, name)};
    Text column = {0};
    text_addf(&column, "%s%s", own->name, is_start ? "(0)" : "");
    own->column = arena_copy_text(data->arena, column.at, column.length);
    text_clear(&column);
    if (name.length == 0)
        return diag_error(diag, place_hint(HINT_VARY), "a name is missing in what is to be varied");
    for (size_t i = 0; i < data->count; i++)
        if (strcmp(data->unknowns[i].name, own->name) == 0)
            return diag_error(diag, place_hint(HINT_VARY), "'%s' is varied twice", own->name);
    data->count++;
    find_unit(data, model, own);
    if (!equals)
        return STATUS_OK;
    return read_bounds(model, own,
                       str_trim((Str){equals + 1, (size_t)(piece.at + piece.length - equals - 1)}));
}

Status fit_read_unknowns(FitData *data, const char *vary, const char *initial, zw_model *model)
{
    size_t most = 2;
    for (const char *at = vary ? vary : ""; *at; at++)
        most += *at == ',';
    for (const char *at = initial ? initial : ""; *at; at++)
        most += *at == ',';
    data->unknowns = arena_array(data->arena, FitUnknown, most);
    for (const char *at = vary; at && *at;)
        TRY(add_unknown(data, next_piece(&at), false, model));
    for (const char *at = initial; at && *at;)
        TRY(add_unknown(data, next_piece(&at), true, model));
    return data->count > 0 ? STATUS_OK
                           : diag_error(model->diag, place_hint(HINT_VARY),
                                        "nothing is varied; name parameters, as in \"m,I\"");
}

// ---- A file of data.

typedef struct {
    const char *path;
    char *text;
    size_t columns, rows;
    char **names;  // columns
    double *cells; // rows × columns; NAN: empty
} Table;

static void table_clear(Table *table)
{
    for (size_t i = 0; i < table->columns; i++)
        base_free(table->names[i]);
    base_free(table->names);
    base_free(table->cells);
    base_free(table->text);
}

static Status read_file(Table *table, Diag *diag)
{
    bool given = strcmp(table->path, "-") == 0;
    FILE *file = given ? stdin : fopen(table->path, "rb");
    if (!file)
        return diag_error(diag, place_none(), "%s: %s", table->path, strerror(errno));
    size_t length = 0, room = 0;
    for (size_t got = 1; got > 0; length += got) {
        if (room < length + 4097)
            table->text = base_realloc(table->text, room = 2 * length + 8192);
        got = fread(table->text + length, 1, 4096, file);
    }
    bool failed = ferror(file);
    if (!given)
        fclose(file);
    table->text[length] = '\0';
    if (strlen(table->text) < length || failed)
        return diag_error(diag, place_none(), "%s is no table of text", table->path);
    return STATUS_OK;
}

// The next cell of a line; *at is behind its comma, or NULL behind the last.
static char *next_cell(char **at)
{
    char *begin = *at, *out;
    while (*begin == ' ' || *begin == '\t')
        begin++;
    if (*begin != '"') {
        char *end = strchr(begin, ',');
        *at = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        for (end = begin + strlen(begin); end > begin && isspace((unsigned char)end[-1]);)
            *--end = '\0';
        return begin;
    }
    char *from = out = ++begin;
    for (; *from && (*from != '"' || from[1] == '"'); from++) {
        from += *from == '"';
        *out++ = *from;
    }
    char *comma = strchr(*from ? from + 1 : from, ',');
    *at = comma ? comma + 1 : NULL;
    *out = '\0';
    return begin;
}

static char *next_line(char **at)
{
    while (*at && **at) {
        char *line = *at, *end = strpbrk(line, "\r\n");
        *at = end ? end + 1 : NULL;
        if (end)
            *end = '\0';
        if (line[strspn(line, " \t")] != '\0' && line[0] != '#')
            return line;
    }
    return NULL;
}

static Status read_row(Table *table, char *line, Diag *diag)
{
    double *row = table->cells + table->rows++ * table->columns;
    char *at = line;
    for (size_t i = 0; i < table->columns; i++) {
        char *cell = at ? next_cell(&at) : NULL;
        if (!cell)
            return diag_error(diag, place_none(), "row %zu of %s has %zu values for %zu columns",
                              table->rows, table->path, i, table->columns);
        row[i] = NAN;
        if (*cell && (!read_real(str_of(cell), &row[i]) || !isfinite(row[i])))
            return diag_error(diag, place_none(), "row %zu of %s: '%s' is no number", table->rows,
                              table->path, cell);
    }
    if (at)
        return diag_error(diag, place_none(), "row %zu of %s has more than %zu values", table->rows,
                          table->path, table->columns);
    return STATUS_OK;
}

static Status read_table(Table *table, Diag *diag)
{
    TRY(read_file(table, diag));
    char *at = table->text, *head = next_line(&at), *line;
    if (head && strncmp(head, "\xEF\xBB\xBF", 3) == 0)
        head += 3;
    while (head) {
        table->names = base_realloc(table->names, (table->columns + 1) * sizeof *table->names);
        char *name = next_cell(&head), *kept = base_alloc(strlen(name) + 1);
        memcpy(kept, name, strlen(name));
        table->names[table->columns++] = kept;
    }
    size_t room = 0;
    while ((line = next_line(&at))) {
        if (table->rows == room)
            table->cells = base_realloc(table->cells, (room = 2 * room + 64) * table->columns *
                                                          sizeof *table->cells);
        TRY(read_row(table, line, diag));
    }
    return table->rows > 0
               ? STATUS_OK
               : diag_error(diag, place_none(),
                            "%s has no rows: names in the first line, values below", table->path);
}

static size_t find_name(char *const *names, size_t count, Str name)
{
    size_t i = 0;
    while (i < count && !str_is(name, names[i]))
        i++;
    return i;
}

// ---- Which columns.

// "x, y=pos_mm/1000": the column of the run, and an expression of the data's columns.
typedef struct {
    const char *column, *value; // NULL: the column of the same name
} Use;

typedef struct {
    Use *at;
    size_t count;
} Uses;

static Uses read_uses(const FitData *data, const char *text)
{
    size_t most = 1;
    for (const char *at = text; *at; at++)
        most += *at == ',';
    Uses uses = {.at = arena_array(data->arena, Use, most)};
    for (const char *at = text; *at;) {
        Str piece = next_piece(&at);
        const char *equals = memchr(piece.at, '=', piece.length);
        Str name = equals ? str_trim((Str){piece.at, (size_t)(equals - piece.at)}) : piece;
        Str value = {equals ? equals + 1 : NULL,
                     equals ? (size_t)(piece.at + piece.length - equals - 1) : 0};
        if (name.length > 0)
            uses.at[uses.count++] =
                (Use){copy(data, name), equals ? copy(data, str_trim(value)) : NULL};
    }
    return uses;
}

// Whether a run has the column, and not its derivatives.
static bool is_without_derivatives(const char *name, const char *const *columns, size_t count)
{
    size_t length = strlen(name);
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        found = found || strcmp(columns[i], name) == 0;
        if (strncmp(columns[i], "diff(", 5) == 0 && strncmp(columns[i] + 5, name, length) == 0 &&
            columns[i][5 + length] == ',')
            return false;
    }
    return found;
}

// Without words: every column of the file but t, and but those that runs write beside the motion.
static Uses all_uses(const FitData *data, const Table *table, const char *const *columns,
                     size_t column_count, Diag *diag)
{
    Uses uses = {.at = arena_array(data->arena, Use, table->columns)};
    Text left = {0};
    for (size_t i = 0; i < table->columns; i++) {
        const char *name = table->names[i];
        if (strcmp(name, "t") == 0)
            continue;
        if (is_without_derivatives(name, columns, column_count))
            text_addf(&left, "%s%s", left.length ? ", " : "", name);
        else
            uses.at[uses.count++] = (Use){copy(data, str_of(name)), NULL};
    }
    if (left.length > 0)
        diag_add(diag, DIAG_NOTE, place_none(), "%s: left out, without derivatives: %s",
                 table->path, left.at);
    text_clear(&left);
    return uses;
}

static Status no_column(const Use *use, const char *const *columns, size_t count, Diag *diag)
{
    if (!use->value)
        return diag_error(diag, place_hint(HINT_USE),
                          "the model has no column '%s'; write \"x=%s\"", use->column, use->column);
    Text known = {0};
    for (size_t i = 0; i < count; i++)
        if (strcmp(columns[i], "t") != 0)
            text_addf(&known, "%s%s", known.length > 0 ? ", " : "", columns[i]);
    Status status =
        diag_error(diag, place_hint(HINT_USE), "the model has no column '%s'; it has %s",
                   use->column, known.length > 0 ? known.at : "none");
    text_clear(&known);
    return status;
}

static Status find_use(FitData *data, const Use *wanted, const char *const *columns,
                       size_t column_count, Diag *diag, size_t *use)
{
    const char *name = wanted->column;
    size_t i = 0;
    while (i < column_count && strcmp(columns[i], name) != 0)
        i++;
    if (i == column_count || strcmp(name, "t") == 0)
        return no_column(wanted, columns, column_count, diag);
    for (*use = 0; *use < data->used_count; ++*use)
        if (strcmp(data->used[*use], name) == 0)
            return STATUS_OK;
    data->used[data->used_count] = arena_copy_text(data->arena, name, strlen(name));
    data->sigmas[data->used_count++] = 1;
    return STATUS_OK;
}

// One used column of a file, by an expression of its columns.
static Status add_values(FitData *data, const Table *table, const Use *use, size_t column,
                         size_t time, Diag *diag)
{
    const char *text = use->value ? use->value : use->column;
    size_t same = find_name(table->names, table->columns, str_of(text));
    Program *program = NULL;
    if (same == table->columns) {
        ExprPool *pool = expr_pool_new();
        Source *source = source_new("use", text, strlen(text));
        Expr *inputs = base_alloc((table->columns + 1) * sizeof *inputs), value, missing;
        Diag *own = diag_new();
        for (size_t i = 0; i < table->columns; i++)
            inputs[i] = expr_symbol(pool, table->names[i]);
        if (model_read_expression(pool, source, own, &value) == STATUS_OK)
            program = program_new(pool, inputs, table->columns, &value, 1, &missing);
        if (!program)
            diag_error(diag, place_hint(HINT_USE),
                       "%s has no column '%s', and it is no expression "
                       "in its columns",
                       table->path, text);
        base_free(inputs);
        diag_free(own);
        source_free(source);
        expr_pool_free(pool);
        if (!program)
            return STATUS_WRONG;
    }
    double *work = program ? base_alloc((program_registers(program) + 1) * sizeof *work) : NULL;
    size_t begins[2], *cells_used = program ? program_depends(program, begins) : NULL, wrong = 0;
    for (size_t row = 0; row < table->rows; row++) {
        const double *cells = table->cells + row * table->columns;
        FitValue own = {.t = cells[time], .sigma = 1, .column = column};
        own.value = program ? 0 : cells[same];
        if (program)
            program_run_real(program, cells, &own.value, work);
        bool filled = isfinite(own.t);
        for (size_t k = 0; program && k < begins[1]; k++)
            filled = filled && isfinite(cells[cells_used[k]]);
        if (isfinite(own.value) && filled)
            array_push(&data->values, own);
        else if (program && filled && wrong == 0)
            wrong = row + 1;
    }
    base_free(cells_used);
    base_free(work);
    program_free(program);
    if (wrong > 0)
        return diag_error(diag, place_hint(HINT_USE), "%s, row %zu: '%s' has no value there",
                          table->path, wrong, text);
    return STATUS_OK;
}

// Two rows of one time that agree in some column and not in others are the sides of an event, as
// runs write them. Which side a value of the model is on changes with what is varied: what differs
// is left out.
static void leave_out_sides(Table *table, size_t time, Diag *diag)
{
    size_t pairs = 0;
    for (size_t i = 0; i + 1 < table->rows; i++) {
        double *one = table->cells + i * table->columns, *other = one + table->columns;
        bool agrees = false, differs = false;
        for (size_t k = 0; k < table->columns && one[time] == other[time]; k++) {
            agrees = agrees || (k != time && one[k] == other[k]);
            differs = differs || (isfinite(one[k]) && isfinite(other[k]) && one[k] != other[k]);
        }
        if (!agrees || !differs)
            continue;
        pairs++;
        for (size_t k = 0; k < table->columns; k++)
            if (one[k] != other[k])
                one[k] = other[k] = NAN;
    }
    if (pairs > 0)
        diag_add(diag, DIAG_NOTE, place_none(),
                 "%s: what differs between two rows of one time, the sides of an event, is left "
                 "out, %zu times",
                 table->path, pairs);
}

static Status take_table(FitData *data, Table *table, const char *use, const char *const *columns,
                         size_t column_count, Diag *diag)
{
    size_t time = find_name(table->names, table->columns, str_of("t"));
    if (time == table->columns)
        return diag_error(diag, place_none(), "%s has no column 't'", table->path);
    for (size_t i = 0; i < table->rows; i++) {
        double t = table->cells[i * table->columns + time];
        if (!(t >= 0))
            return diag_error(diag, place_none(), "%s, row %zu: a time is a number, 0 or more",
                              table->path, i + 1);
        if (i > 0 && t < table->cells[(i - 1) * table->columns + time])
            return diag_error(diag, place_none(), "%s, row %zu: times must not fall", table->path,
                              i + 1);
    }
    leave_out_sides(table, time, diag);
    Uses uses = use ? read_uses(data, use) : all_uses(data, table, columns, column_count, diag);
    for (size_t i = 0; i < uses.count; i++) {
        size_t which = 0;
        TRY(find_use(data, &uses.at[i], columns, column_count, diag, &which));
        TRY(add_values(data, table, &uses.at[i], which, time, diag));
    }
    return STATUS_OK;
}

// "x=0.01": of all columns that are used, or of none.
static Status read_sigmas(FitData *data, const char *text, Diag *diag)
{
    Uses given = read_uses(data, text);
    bool *has = arena_array(data->arena, bool, data->used_count + 1);
    for (size_t i = 0; i < given.count; i++) {
        size_t k = 0;
        double sigma = 0;
        while (k < data->used_count && strcmp(data->used[k], given.at[i].column) != 0)
            k++;
        if (k == data->used_count || !given.at[i].value ||
            !read_real(str_of(given.at[i].value), &sigma) || !(sigma > 0) || !isfinite(sigma))
            return diag_error(diag, place_hint(HINT_SIGMA),
                              "'%s': the standard deviation of a column that is used is written "
                              "x=0.01, above 0",
                              given.at[i].column);
        data->sigmas[k] = sigma;
        has[k] = true;
    }
    for (size_t k = 0; k < data->used_count; k++)
        if (!has[k])
            return diag_error(diag, place_hint(HINT_SIGMA),
                              "the standard deviation of '%s' is missing", data->used[k]);
    data->has_sigmas = true;
    for (size_t i = 0; i < data->values.count; i++)
        data->values.at[i].sigma = data->sigmas[data->values.at[i].column];
    return STATUS_OK;
}

static int by_time(const void *a, const void *b)
{
    const FitValue *one = a, *other = b;
    if (one->t != other->t)
        return one->t < other->t ? -1 : 1;
    if (one->column != other->column)
        return one->column < other->column ? -1 : 1;
    return (one->value > other->value) - (one->value < other->value);
}

Status fit_read_data(FitData *data, const zw_fit_options *options, const char *const *columns,
                     size_t column_count, Diag *diag)
{
    data->used = arena_array(data->arena, const char *, column_count + 1);
    data->sigmas = arena_array(data->arena, double, column_count + 1);
    for (size_t i = 0; i < options->data_count; i++) {
        Table table = {.path = options->data[i]};
        Status status = read_table(&table, diag);
        if (status == STATUS_OK)
            status = take_table(data, &table, options->use, columns, column_count, diag);
        table_clear(&table);
        TRY(status);
    }
    if (options->sigma)
        TRY(read_sigmas(data, options->sigma, diag));
    if (data->values.count < data->count)
        return diag_error(diag, place_none(), "%zu values cannot determine %zu parameters",
                          data->values.count, data->count);
    qsort(data->values.at, data->values.count, sizeof *data->values.at, by_time);
    if (!(data->values.at[data->values.count - 1].t > 0))
        return diag_error(diag, place_none(), "the data have no time after the start");
    return STATUS_OK;
}

void fit_data_clear(FitData *data)
{
    array_clear(&data->values);
    arena_free(data->arena);
}
