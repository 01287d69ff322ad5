// print_flow_shared.c: the pieces of a long program as functions, of which equal ones are one.
//
// The links of a chain have the same steps on other numbers. So the text of a piece is read again:
// places in the work array and constants become entries T[i], C[i] of tables, names of its own
// values are counted from 0. Pieces that read alike then are one function, which is called in a
// loop over its tables. What is compiled thus grows with the text of the model, and not with how
// often a part of it stands there; every coefficient is the same operations as before.
#include "base/strings.h"
#include "program/flow_impl.h"
#include "program/native_impl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char flow_signs[] = "#define PLUS(a, b) ((a) + (b))\n#define LESS(a, b) ((a) - (b))\n"
                          "#define SIGNED(sign, a, b) FMA(sign, b, a)\n"
                          "#define SAME\n#define OPPOSITE -\n\n";

// A function for fewer pieces is not worth its tables.
enum { LEAST_USES = 3 };

typedef struct {
    char *text;                // as printed
    ARRAY(long) places;        // T
    ARRAY(Str) constants;      // C, in the text
    uint32_t function, number; // which of them, and which of its uses
} Piece;

typedef struct {
    char *text; // that all its pieces share
    uint32_t uses;
} Function;

typedef struct {
    ARRAY(Piece) pieces;
    ARRAY(Function) functions;
} Pieces;

// ---- Reading a piece again.

typedef struct {
    const FlowPrinter *printer;
    Piece *piece;
    ARRAY(long) values; // its own, in the order in which they are named
    bool of_inputs;     // within the brackets of the table of inputs
    Text *out;
} Reader;

static bool is_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void put_place(Reader *reader, long place)
{
    text_addf(reader->out, "T[%zu]", reader->piece->places.count);
    array_push(&reader->piece->places, place);
}

// What stands for this value in all pieces that are equal.
static size_t own_number(Reader *reader, long value)
{
    size_t i = reader->values.count;
    while (i > 0 && reader->values.at[i - 1] != value)
        i--;
    if (i > 0)
        return i - 1;
    array_push(&reader->values, value);
    return reader->values.count - 1;
}

static void put_constant(Reader *reader, Str number)
{
    text_addf(reader->out, "C[%zu]", reader->piece->constants.count);
    array_push(&reader->piece->constants, number);
}

// A sign is a constant, with which is multiplied.
static const char *read_sign(Reader *reader, Str name, const char *end)
{
    bool plus = str_is(name, "PLUS"), adds = plus || str_is(name, "LESS");
    text_add(reader->out, adds ? "SIGNED(" : "");
    put_constant(reader, str_of(plus || str_is(name, "SAME") ? "1.0" : "-1.0"));
    text_add(reader->out, adds ? ", " : " *");
    return adds ? end + 1 : end;
}

static bool is_sign(Str name)
{
    return str_is(name, "PLUS") || str_is(name, "LESS") || str_is(name, "SAME") ||
           str_is(name, "OPPOSITE");
}

// A name: of a row, of a part of the work array before its place, of a value of the piece.
static const char *read_name(Reader *reader, const char *at)
{
    const char *end = at;
    while (is_in_word(*end))
        end++;
    size_t length = (size_t)(end - at);
    char *after;
    long number = strtol(at + 1, &after, 10);
    bool part = (length == 1 && (*at == 'A' || *at == 'F')) || strncmp(at, "work[", 5) == 0;
    if (is_sign((Str){at, length}))
        return read_sign(reader, (Str){at, length}, end);
    if (*at == 'R' && length > 1 && after == end) {
        text_add(reader->out, "(work + ");
        put_place(reader, reader->printer->rows[number]);
        text_add(reader->out, ")");
    } else if (strchr("vst", *at) && length > 1 && isdigit((unsigned char)at[1]) && *after == '_') {
        text_addf(reader->out, "%c%zu", *at, own_number(reader, number));
        text_add_str(reader->out, (Str){after, (size_t)(end - after)});
    } else {
        text_add_str(reader->out, (Str){at, length});
        reader->of_inputs = reader->of_inputs || (length == 1 && *at == 'y');
        if (part && *end == '[' && isdigit((unsigned char)end[1])) {
            number = strtol(end + 1, &after, 10);
            text_add(reader->out, "[");
            put_place(reader, number);
            return after;
        }
    }
    return end;
}

// A number: a constant of the model, the place of an input, or one of the recurrence.
static const char *read_number(Reader *reader, const char *at)
{
    const char *end = at;
    while (is_in_word(*end) || *end == '.' ||
           ((*end == '-' || *end == '+') && strchr("eEpP", end[-1])))
        end++;
    Str number = {at, (size_t)(end - at)};
    bool whole = strspn(at, "0123456789") >= number.length;
    bool usual = str_is(number, "0.0") || str_is(number, "0.5") || str_is(number, "1.0") ||
                 str_is(number, "2.0");
    if (whole && reader->of_inputs && *end == ']') {
        put_place(reader, strtol(at, NULL, 10));
    } else if (whole || usual) {
        text_add_str(reader->out, number);
    } else {
        put_constant(reader, number);
    }
    return end;
}

static void read_piece(const FlowPrinter *p, Piece *piece, Text *out)
{
    Reader reader = {.printer = p, .piece = piece, .out = out};
    for (const char *at = piece->text; *at;) {
        if (isdigit((unsigned char)*at)) {
            at = read_number(&reader, at);
        } else if (is_in_word(*at)) {
            at = read_name(&reader, at);
        } else {
            reader.of_inputs = reader.of_inputs && *at != ']';
            text_add_str(out, (Str){at++, 1});
        }
    }
    array_clear(&reader.values);
}

// ---- Printing.

// The text of a piece is the reader's from now on.
static void add_piece(const FlowPrinter *p, Pieces *pieces, NameMap *known, Text *printed)
{
    Piece piece = {0};
    Text shared = {0};
    text_add(printed, "");
    piece.text = printed->at;
    if (p->shares)
        read_piece(p, &piece, &shared);
    else
        text_addf(&shared, "%zu", pieces->pieces.count);
    text_add(&shared, "");
    Str look = {shared.at, shared.length};
    if (name_map_get(known, look, &piece.function)) {
        text_clear(&shared);
    } else {
        Function function = {.text = shared.at};
        piece.function = (uint32_t)pieces->functions.count;
        name_map_put(known, look, piece.function);
        array_push(&pieces->functions, function);
    }
    piece.number = pieces->functions.at[piece.function].uses++;
    array_push(&pieces->pieces, piece);
}

static bool is_shared(const Pieces *pieces, const Piece *piece)
{
    return pieces->functions.at[piece->function].uses >= LEAST_USES;
}

static void print_tables(const FlowPrinter *p, const Pieces *pieces, const char *name,
                         const Piece *first)
{
    uint32_t uses = pieces->functions.at[first->function].uses;
    for (int constants = 0; constants < 2; constants++) {
        size_t width = constants ? first->constants.count : first->places.count;
        text_addf(p->out, "static const %s %s%u_%c[%u][%zu] = {", constants ? "double" : "int",
                  name, first->function, constants ? 'C' : 'T', uses, width > 0 ? width : 1);
        for (const Piece *piece = first; piece < pieces->pieces.at + pieces->pieces.count;
             piece++) {
            if (piece->function != first->function)
                continue;
            text_add(p->out, width > 0 ? "{" : "{0");
            for (size_t i = 0; i < width && constants; i++) {
                text_add_str(p->out, piece->constants.at[i]);
                text_add(p->out, ", ");
            }
            for (size_t i = 0; i < width && !constants; i++)
                text_addf(p->out, "%ld, ", piece->places.at[i]);
            text_add(p->out, "},\n");
        }
        text_add(p->out, "};\n");
    }
}

static void print_function(const FlowPrinter *p, const Pieces *pieces, const char *name,
                           const char *parameters, const Piece *piece)
{
    bool shared = is_shared(pieces, piece);
    if (shared && piece->number > 0)
        return;
    if (shared)
        print_tables(p, pieces, name, piece);
    text_addf(p->out, "static __attribute__((noinline)) void %s_%zu(%s%s)\n{\n", name,
              (size_t)(piece - pieces->pieces.at), parameters,
              shared ? ", const int *restrict T, const double *restrict C" : "");
    text_add(p->out, shared ? pieces->functions.at[piece->function].text : piece->text);
    text_add(p->out, "}\n\n");
}

// Those that follow each other on the same function in a loop.
static void print_calls(const Pieces *pieces, const char *name, const char *arguments, Text *calls)
{
    const Piece *all = pieces->pieces.at;
    uint32_t *first = base_alloc((pieces->functions.count + 1) * sizeof *first);
    for (size_t i = pieces->pieces.count; i-- > 0;)
        first[all[i].function] = (uint32_t)i;
    for (size_t i = 0, end; i < pieces->pieces.count; i = end) {
        end = i + 1;
        if (!is_shared(pieces, all + i)) {
            text_addf(calls, "    %s_%zu(%s);\n", name, i, arguments);
            continue;
        }
        while (end < pieces->pieces.count && all[end].function == all[i].function)
            end++;
        uint32_t function = all[i].function;
        text_addf(calls,
                  "    for (long i = %u; i < %u; i++)\n"
                  "        %s_%u(%s, %s%u_T[i], %s%u_C[i]);\n",
                  all[i].number, all[end - 1].number + 1, name, first[function], arguments, name,
                  function, name, function);
    }
    base_free(first);
}

void flow_print_pieces(FlowPrinter *p, size_t count, const char *name, const char *parameters,
                       const char *arguments, Text *calls)
{
    Pieces pieces = {0};
    NameMap *known = name_map_new();
    Text *out = p->out;
    // Where nobody waits any more, what is printed is not used.
    for (p->piece = 0; p->piece < count && compiler_goes_on(); p->piece++) {
        Text printed = {0};
        p->out = &printed;
        flow_print_order(p);
        p->out = out;
        add_piece(p, &pieces, known, &printed);
    }
    for (size_t i = 0; i < pieces.pieces.count; i++)
        print_function(p, &pieces, name, parameters, pieces.pieces.at + i);
    print_calls(&pieces, name, arguments, calls);
    for (size_t i = 0; i < pieces.pieces.count; i++) {
        array_clear(&pieces.pieces.at[i].places);
        array_clear(&pieces.pieces.at[i].constants);
        base_free(pieces.pieces.at[i].text);
    }
    for (size_t i = 0; i < pieces.functions.count; i++)
        base_free(pieces.functions.at[i].text);
    array_clear(&pieces.pieces);
    array_clear(&pieces.functions);
    name_map_free(known);
}
