// sweep_axes.c: reads what is varied, and gives its values.
#include "ensemble/sweep_axes.h"
#include "base/counter_random.h"
#include "base/decimal.h"
#include "base/diag.h"
#include "base/strings.h"
#include "ensemble/sobol.h"
#include "model/model_equation.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

// ---- Values.

size_t sweep_index(const SweepDesign *design, size_t group, size_t run)
{
    const SweepGroup *of = &design->groups[group];
    return run / design->samples / of->stride % of->count;
}

// The double nearest to ((n − k)·a + k·b)/n, but for a rounding of what is rounded.
static double between(double a, double b, double k, double n)
{
    double p = b * k, q = a * (n - k), sum = p + q, part = sum - p;
    double rest = fma(b, k, -p) + fma(a, n - k, -q) + ((p - (sum - part)) + (q - part));
    double value = sum / n;
    return value + (fma(-value, n, sum) + rest) / n;
}

// a·(b/a)^(k/n), with what rounding leaves out of k/n, so that powers of ten are these.
static double between_ratios(double a, double b, double k, double n)
{
    double ratio = b / a, part = k / n, power = pow(ratio, part);
    double rest = fma(-part, n, k) / n;
    return a * fma(power, rest * log(ratio), power);
}

static double range_value(const SweepAxis *axis, size_t index, size_t count)
{
    if (index == 0 || count == 1)
        return axis->a;
    if (index + 1 == count)
        return axis->b;
    double k = (double)index, n = (double)(count - 1);
    return axis->kind == SWEEP_RANGE ? between(axis->a, axis->b, k, n)
                                     : between_ratios(axis->a, axis->b, k, n);
}

double sweep_value(const SweepDesign *design, size_t at, size_t run)
{
    const SweepAxis *axis = &design->axes[at];
    uint64_t seed = design->seed;
    assert(at < design->axis_count && run < design->runs);
    switch (axis->kind) {
    case SWEEP_RANGE:
    case SWEEP_LOG_RANGE:
        return range_value(axis, sweep_index(design, axis->group, run),
                           design->groups[axis->group].count);
    case SWEEP_LIST: return axis->values[sweep_index(design, axis->group, run)];
    case SWEEP_NORMAL: return axis->a + axis->b * counter_normal(seed, axis->stream, run);
    case SWEEP_UNIFORM:
        return axis->a + (axis->b - axis->a) * counter_uniform(seed, axis->stream, run);
    case SWEEP_SOBOL: break;
    }
    // The shift of a coordinate is what no draw has: the last index of its stream.
    CounterBits bits = counter_bits(seed, axis->stream, UINT64_MAX);
    uint64_t shift = (uint64_t)bits.word[1] << 32 | bits.word[0];
    return axis->a + (axis->b - axis->a) * sobol_point(axis->stream, run, shift);
}

// ---- Reading.

// So many values are no mistake of typing; more could not be numbered.
enum { MOST_RUNS_BITS = 48 };

typedef struct {
    const SweepDesignOptions *options;
    Model *model;
    Diag *diag;
    Arena *arena;
    ARRAY(SweepAxis) axes;
    ARRAY(SweepGroup) groups;
    size_t streams, sobols;
    Str name; // of the axis in hand
} Reader;

// A piece of a text, without blanks around it.
typedef struct {
    const Source *source;
    size_t start, end;
} Piece;

static Piece trim(Piece piece)
{
    const char *at = piece.source->at;
    while (piece.start < piece.end && isspace((unsigned char)at[piece.start]))
        piece.start++;
    while (piece.end > piece.start && isspace((unsigned char)at[piece.end - 1]))
        piece.end--;
    return piece;
}

static Str text_of(Piece piece)
{
    return (Str){piece.source->at + piece.start, piece.end - piece.start};
}

static Place place_of(Piece piece)
{
    size_t length = piece.end - piece.start;
    return place_with_hint(
        place_at(piece.source, (uint32_t)piece.start, (uint32_t)(length ? length : 1)), HINT_VARY);
}

// The part up to the next `mark` outside of brackets; `rest` is what follows it, and begins beyond
// its end where there is none.
static Piece split(Piece whole, char mark, Piece *rest)
{
    int depth = 0;
    size_t at = whole.start;
    for (; at < whole.end; at++) {
        char c = whole.source->at[at];
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        if (c == mark && depth == 0)
            break;
    }
    *rest = (Piece){whole.source, at + 1, whole.end};
    return trim((Piece){whole.source, whole.start, at});
}

static bool has_rest(Piece rest)
{
    return rest.start <= rest.end;
}

static Status read_number(const Reader *reader, Piece piece, double *number)
{
    Str text = text_of(piece);
    bool measured = model_has_units(reader->model);
    if (!measured && text.length > 0 && decimal_read(text.at, text.length, number) == text.length &&
        isfinite(*number))
        return STATUS_OK;
    // At the same place of a line of its own.
    char *copy = arena_copy_text(reader->arena, piece.source->at, piece.end);
    memset(copy, ' ', piece.start);
    Source *source = source_new(piece.source->name, copy, piece.end);
    size_t known = diag_total(reader->diag);
    Status status = model_read_value(reader->model, source, reader->name, reader->diag, number);
    if (diag_total(reader->diag) == known)
        source_free(source); // else messages point into it, as long as the model lives
    return status;
}

static Status wrong_range(const Reader *reader, Piece piece)
{
    return diag_error(reader->diag, place_of(piece),
                      "a range is FROM:TO:COUNT, as in 0:10:5, or FROM:TO:COUNT:log; there are "
                      "[a, b, c], normal(m, s), uniform(a, b) and sobol(a, b), too");
}

static Status add_axis(Reader *reader, Piece name, SweepAxis axis)
{
    Str word = text_of(name);
    for (size_t i = 0; i < reader->axes.count; i++)
        if (str_is(word, reader->axes.at[i].name))
            return diag_error(reader->diag, place_of(name), "'%s' is varied twice",
                              reader->axes.at[i].name);
    if (word.length == 0)
        return diag_error(reader->diag, place_of(name), "what is varied has no name");
    axis.name = arena_copy_text(reader->arena, word.at, word.length);
    array_push(&reader->axes, axis);
    return STATUS_OK;
}

static size_t add_group(Reader *reader, size_t count)
{
    array_push(&reader->groups, ((SweepGroup){.count = count}));
    return reader->groups.count - 1;
}

static Status read_count(const Reader *reader, Piece piece, size_t *count)
{
    double number;
    Str text = text_of(piece);
    bool whole = text.length > 0 && decimal_read(text.at, text.length, &number) == text.length &&
                 number == floor(number) && number >= 1 && number < ldexp(1, MOST_RUNS_BITS);
    *count = whole ? (size_t)number : 0;
    return whole ? STATUS_OK
                 : diag_error(reader->diag, place_of(piece),
                              "the number of values is a whole number, 1 or more");
}

static Status read_range(Reader *reader, Piece name, Piece all)
{
    Piece rest, from = split(all, ':', &rest), to, count, scale = {0};
    if (!has_rest(rest))
        return wrong_range(reader, all);
    to = split(rest, ':', &rest);
    if (!has_rest(rest))
        return wrong_range(reader, all);
    count = split(rest, ':', &rest);
    bool scaled = has_rest(rest);
    if (scaled)
        scale = split(rest, ':', &rest);
    if (scaled && (has_rest(rest) || !str_is(text_of(scale), "log")))
        return wrong_range(reader, all);
    SweepAxis axis = {.kind = scaled ? SWEEP_LOG_RANGE : SWEEP_RANGE};
    size_t values;
    TRY(read_number(reader, from, &axis.a));
    TRY(read_number(reader, to, &axis.b));
    TRY(read_count(reader, count, &values));
    if (scaled && !(axis.a * axis.b > 0))
        return diag_error(reader->diag, place_of(all),
                          "a logarithmic range does not reach or pass 0");
    axis.group = add_group(reader, values);
    return add_axis(reader, name, axis);
}

static Status read_list(Reader *reader, Piece name, Piece all)
{
    ARRAY(double) values = {0};
    Status status = STATUS_OK;
    Piece rest = {all.source, all.start + 1, all.end - 1};
    bool empty = trim(rest).start >= trim(rest).end;
    while (status == STATUS_OK && !empty && has_rest(rest)) {
        double value;
        Piece piece = split(rest, ',', &rest);
        status = read_number(reader, piece, &value);
        array_push(&values, value);
    }
    SweepAxis axis = {.kind = SWEEP_LIST};
    double *kept = arena_array(reader->arena, double, values.count + 1);
    if (values.count > 0)
        memcpy(kept, values.at, values.count * sizeof *kept);
    axis.values = kept;
    if (status == STATUS_OK && empty)
        status = diag_error(reader->diag, place_of(all), "a list has at least one value");
    if (status == STATUS_OK) {
        axis.group = add_group(reader, values.count);
        status = add_axis(reader, name, axis);
    }
    array_clear(&values);
    return status;
}

static Status read_random(Reader *reader, Piece name, Piece all, SweepAxisKind kind)
{
    SweepAxis axis = {.kind = kind};
    size_t open = (size_t)((char *)memchr(all.source->at + all.start, '(', all.end - all.start) -
                           all.source->at);
    Piece rest, first = split((Piece){all.source, open + 1, all.end - 1}, ',', &rest), second;
    if (!has_rest(rest))
        return diag_error(reader->diag, place_of(all), "two numbers are expected: %s",
                          kind == SWEEP_NORMAL ? "the mean and the deviation"
                                               : "the least and the largest value");
    second = split(rest, ',', &rest);
    TRY(read_number(reader, first, &axis.a));
    TRY(read_number(reader, second, &axis.b));
    if (has_rest(rest))
        return diag_error(reader->diag, place_of(rest), "there are two numbers, and no third one");
    if (kind == SWEEP_NORMAL && !(axis.b >= 0))
        return diag_error(reader->diag, place_of(second), "a deviation is not below 0");
    if (kind != SWEEP_NORMAL && !(axis.a <= axis.b))
        return diag_error(reader->diag, place_of(all),
                          "the first number is the least value, the second the largest");
    if (kind == SWEEP_SOBOL && reader->sobols == SOBOL_DIMENSIONS)
        return diag_error(reader->diag, place_of(all),
                          "Sobol's sequence has %d coordinates here; take 'uniform' for the others",
                          SOBOL_DIMENSIONS);
    axis.stream = kind == SWEEP_SOBOL ? reader->sobols++ : SOBOL_DIMENSIONS + reader->streams++;
    return add_axis(reader, name, axis);
}

// ---- Tables.

static Piece next_line(const Source *source, size_t *at)
{
    size_t start = *at;
    const char *end = memchr(source->at + start, '\n', source->length - start);
    size_t stop = end ? (size_t)(end - source->at) : source->length;
    *at = stop + 1;
    return trim((Piece){source, start, stop});
}

static Piece unquoted(Piece cell)
{
    const char *at = cell.source->at;
    bool quoted = cell.end > cell.start + 1 && at[cell.start] == '"' && at[cell.end - 1] == '"';
    return quoted ? trim((Piece){cell.source, cell.start + 1, cell.end - 1}) : cell;
}

static Status read_cells(const Reader *reader, const char *path, Piece line, size_t row,
                         size_t columns, double *values)
{
    size_t count = 0;
    for (Piece rest = line; has_rest(rest); count++) {
        Str text = text_of(unquoted(split(rest, ',', &rest)));
        double value = NAN;
        if (text.length > 0 && decimal_read(text.at, text.length, &value) != text.length)
            value = NAN;
        if (!isfinite(value))
            return diag_error(reader->diag, place_hint(HINT_VARY),
                              "row %zu of %s: '%.*s' is no number", row, path, (int)text.length,
                              text.at);
        if (count < columns)
            values[count] = value;
    }
    if (count == columns)
        return STATUS_OK;
    return diag_error(reader->diag, place_hint(HINT_VARY),
                      "row %zu of %s has %zu values for %zu columns", row, path, count, columns);
}

// Its columns, row by row.
static Status read_rows(const Reader *reader, const char *path, const Source *source, size_t at,
                        size_t columns, size_t *rows, double **values)
{
    ARRAY(double) all = {0};
    Status status = STATUS_OK;
    *rows = 0;
    while (status == STATUS_OK && at < source->length) {
        Piece line = next_line(source, &at);
        if (line.start >= line.end)
            continue;
        array_reserve(&all, all.count + columns);
        status = read_cells(reader, path, line, ++*rows, columns, all.at + all.count);
        all.count += columns;
    }
    *values = arena_array(reader->arena, double, all.count + 1);
    for (size_t i = 0; i < *rows && status == STATUS_OK; i++)
        for (size_t j = 0; j < columns; j++)
            (*values)[j * *rows + i] = all.at[i * columns + j];
    array_clear(&all);
    if (status == STATUS_OK && *rows == 0)
        status =
            diag_error(reader->diag, place_hint(HINT_VARY),
                       "%s has no rows: names in the first line, a run in each line below", path);
    return status;
}

static Status take_table(Reader *reader, const char *path, const Source *source)
{
    // The byte order mark is no part of the first name.
    bool marked = source->length >= 3 && memcmp(source->at, "\xEF\xBB\xBF", 3) == 0;
    size_t at = marked ? 3 : 0, columns = 0, rows, first = reader->axes.count;
    double *values;
    Piece rest = next_line(source, &at);
    while (has_rest(rest)) {
        Piece name = unquoted(split(rest, ',', &rest));
        if (name.start >= name.end)
            return diag_error(reader->diag, place_hint(HINT_VARY),
                              "%s: column %zu has no name in the first line", path, columns + 1);
        TRY(add_axis(reader, name, (SweepAxis){.kind = SWEEP_LIST}));
        columns++;
    }
    TRY(read_rows(reader, path, source, at, columns, &rows, &values));
    size_t group = add_group(reader, rows);
    for (size_t i = 0; i < columns; i++) {
        reader->axes.at[first + i].group = group;
        reader->axes.at[first + i].values = values + i * rows;
    }
    return STATUS_OK;
}

static Status read_table(Reader *reader, Piece path)
{
    Text text = {0};
    Str name = text_of(path);
    char *copy = arena_copy_text(reader->arena, name.at, name.length);
    Status status = reader->options->read_file(copy, reader->diag, &text);
    size_t known = diag_total(reader->diag);
    Source *source = source_new(copy, text.at ? text.at : "", text.length);
    text_clear(&text);
    if (status == STATUS_OK)
        status = take_table(reader, copy, source);
    if (diag_total(reader->diag) == known)
        source_free(source); // else a message points into it
    return status;
}

// ---- The whole.

static bool ends_with(Str text, const char *ending)
{
    size_t length = strlen(ending);
    return text.length > length && memcmp(text.at + text.length - length, ending, length) == 0;
}

static Status read_axis(Reader *reader, const Source *source)
{
    static const struct {
        const char *word;
        SweepAxisKind kind;
    } kinds[] = {{"normal", SWEEP_NORMAL}, {"uniform", SWEEP_UNIFORM}, {"sobol", SWEEP_SOBOL}};
    Piece all = trim((Piece){source, 0, source->length}), rest, name = split(all, '=', &rest);
    SweepAxis axis = {.kind = SWEEP_UNIFORM};
    if (!has_rest(rest) && ends_with(text_of(all), ".csv"))
        return read_table(reader, all);
    reader->name = text_of(name);
    if (!has_rest(rest) && model_interval(reader->model, text_of(all), &axis.a, &axis.b)) {
        axis.stream = SOBOL_DIMENSIONS + reader->streams++;
        return add_axis(reader, name, axis);
    }
    if (!has_rest(rest) && memchr(text_of(all).at, ',', text_of(all).length))
        return diag_error(reader->diag, place_of(all),
                          "'%.*s' is more than one; each is varied by itself, with its values, as "
                          "in m=0:10:5",
                          (int)text_of(all).length, text_of(all).at);
    if (!has_rest(rest))
        return diag_error(reader->diag, place_of(all),
                          "'%.*s' has no interval that could be drawn from; give its values, as in "
                          "%.*s=0:10:5 or %.*s=normal(1, 0.1)",
                          (int)text_of(all).length, text_of(all).at, (int)text_of(all).length,
                          text_of(all).at, (int)text_of(all).length, text_of(all).at);
    Piece values = trim(rest);
    Str text = text_of(values);
    if (text.length > 1 && text.at[0] == '[' && text.at[text.length - 1] == ']')
        return read_list(reader, name, values);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].word);
        if (text.length > length + 1 && memcmp(text.at, kinds[i].word, length) == 0 &&
            text.at[length] == '(' && text.at[text.length - 1] == ')')
            return read_random(reader, name, values, kinds[i].kind);
    }
    return read_range(reader, name, values);
}

// The first axis of a group, for messages.
static const char *name_of_group(const SweepDesign *design, size_t group)
{
    for (size_t i = 0; i < design->axis_count; i++)
        if (design->axes[i].kind <= SWEEP_LIST && design->axes[i].group == group)
            return design->axes[i].name;
    return "";
}

static Status pair(SweepDesign *design, Diag *diag)
{
    for (size_t i = 0; i < design->group_count; i++) {
        design->groups[i].stride = 1;
        if (design->groups[i].count != design->groups[0].count)
            return diag_error(diag, place_hint(HINT_ZIP),
                              "%s has %zu values and %s has %zu; values that are paired are as "
                              "many",
                              name_of_group(design, 0), design->groups[0].count,
                              name_of_group(design, i), design->groups[i].count);
    }
    design->points = design->group_count > 0 ? design->groups[0].count : 1;
    return STATUS_OK;
}

static Status cross(SweepDesign *design, Diag *diag)
{
    double all = (double)design->samples;
    for (size_t i = 0; i < design->group_count; i++)
        all *= (double)design->groups[i].count;
    if (!(all < ldexp(1, MOST_RUNS_BITS)))
        return diag_error(diag, place_hint(HINT_VARY), "these are %.3g runs, which are too many",
                          all);
    design->points = 1;
    for (size_t i = design->group_count; i-- > 0;) {
        design->groups[i].stride = design->points;
        design->points *= design->groups[i].count;
    }
    return STATUS_OK;
}

static Status arrange(const SweepDesignOptions *options, SweepDesign *design, Diag *diag)
{
    for (size_t i = 0; i < design->axis_count; i++)
        design->random = design->random || design->axes[i].kind >= SWEEP_NORMAL;
    if (design->axis_count == 0)
        return diag_error(diag, place_hint(HINT_VARY),
                          "nothing is varied; say what, as in v=0:10:5");
    if (options->samples > 0 && !design->random)
        return diag_error(diag, place_hint(HINT_SAMPLES),
                          "a number of samples belongs to a random axis (normal, uniform, sobol)");
    if (options->samples == 0 && design->random)
        return diag_error(diag, place_hint(HINT_SAMPLES),
                          "a random axis needs a number of samples");
    design->samples = options->samples > 0 ? options->samples : 1;
    TRY((options->zip ? pair : cross)(design, diag));
    if (design->samples > ((size_t)1 << MOST_RUNS_BITS) / design->points)
        return diag_error(diag, place_hint(HINT_SAMPLES), "these runs are too many");
    design->runs = design->points * design->samples;
    return STATUS_OK;
}

Status sweep_design_new(const SweepDesignOptions *options, Model *model, Diag *diag,
                        SweepDesign **out)
{
    assert(options && model && diag && out);
    Arena *arena = arena_new();
    SweepDesign *design = arena_alloc(arena, sizeof *design);
    Reader reader = {.options = options, .model = model, .diag = diag, .arena = arena};
    Status status = STATUS_OK;
    for (size_t i = 0; i < options->count && status == STATUS_OK; i++)
        status = read_axis(&reader, options->axes[i]);
    *design = (SweepDesign){.arena = arena,
                            .seed = options->seed,
                            .si = model_has_units(model),
                            .axis_count = reader.axes.count,
                            .axes = arena_array(arena, SweepAxis, reader.axes.count + 1),
                            .group_count = reader.groups.count,
                            .groups = arena_array(arena, SweepGroup, reader.groups.count + 1)};
    if (reader.axes.count > 0)
        memcpy(design->axes, reader.axes.at, reader.axes.count * sizeof *design->axes);
    if (reader.groups.count > 0)
        memcpy(design->groups, reader.groups.at, reader.groups.count * sizeof *design->groups);
    array_clear(&reader.axes);
    array_clear(&reader.groups);
    if (status == STATUS_OK)
        status = arrange(options, design, diag);
    if (status != STATUS_OK) {
        sweep_design_free(design);
        design = NULL;
    }
    *out = design;
    return status;
}

void sweep_design_free(SweepDesign *design)
{
    if (design)
        arena_free(design->arena);
}
