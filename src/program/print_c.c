// print_c.c: a program as C text.
//
// An operation's text is the expression of its row in the tables, the same that the interpreter
// is made of. Every instruction defines a name of its own, so that a compiler sees what lives how
// long; only sines, cosines and what a later function of a long program reads go through an array.
#include "program/flow_impl.h"
#include "program/print_order.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Instructions in one function. Longer: the compiler's time grows faster than the program.
// Shorter: more values go through memory.
enum { PIECE = 1000 };

// As the programs here are compiled.
static const ProgramTongue in_c = {
    .indent = "    ", .definition = "    const double ", .end = ";", .words = {{NULL, NULL}}};

typedef struct {
    const Program *program;
    const ProgramTongue *tongue;
    const char *const *inputs, *const *outputs; // their names; else in[…], out[…]
    PrintOrder order;
    Text *out;
} Printer;

static const char *operation_text(uint32_t op)
{
    static const char *const texts[] = {
#define INSTRUCTION(NAME, operands, value, ...) [PROGRAM_##NAME] = #value,
#include "program/instructions.def"
#undef INSTRUCTION
#define OP(NAME, word, arity, value, ...) [PROGRAM_CALL_##NAME] = #value,
#include "expr/ops.def"
#undef OP
    };
    return texts[op];
}

// The shortest decimal that reads back as the same double.
void program_print_c_number(double value, Text *out)
{
    char digits[40];
    if (isinf(value)) {
        text_add(out, value < 0 ? "(-HUGE_VAL)" : "HUGE_VAL");
        return;
    }
    for (int places = 1; places <= 17; places++) {
        snprintf(digits, sizeof digits, "%.*g", places, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    bool plain = strpbrk(digits, ".e") == NULL;
    text_addf(out, value < 0 ? "(%s%s)" : "%s%s", digits, plain ? ".0" : "");
}

// A word of the tables as the language has it.
static void print_word(const ProgramTongue *tongue, Str word, Text *out)
{
    for (size_t i = 0; tongue && tongue->words[i][0]; i++)
        if (str_is(word, tongue->words[i][0])) {
            text_add(out, tongue->words[i][1]);
            return;
        }
    text_add_str(out, word);
}

// ---- Values.

static void print_infinity(const Printer *printer, double value)
{
    text_add(printer->out, value < 0 ? "(-" : "");
    print_word(printer->tongue, str_of("HUGE_VAL"), printer->out);
    text_add(printer->out, value < 0 ? ")" : "");
}

static void print_value(const Printer *printer, PrintSource source)
{
    const Program *program = printer->program;
    size_t place = source.place, input = place - program->constant_count;
    uint32_t slot = source.writer == PRINT_NONE ? PRINT_NONE : printer->order.slots[source.writer];
    if (slot != PRINT_NONE)
        text_addf(printer->out, "r[%u]", slot);
    else if (source.writer != PRINT_NONE)
        text_addf(printer->out, "v%u", source.writer);
    else if (place < program->constant_count && program->later[place] != PROGRAM_LITERAL)
        text_addf(printer->out, "c[%zu]", place);
    else if (place < program->constant_count && isinf(program->real[place]))
        print_infinity(printer, program->real[place]);
    else if (place < program->constant_count)
        program_print_c_number(program->real[place], printer->out);
    else if (printer->inputs)
        text_add(printer->out, printer->inputs[input]);
    else
        text_addf(printer->out, "in[%zu]", input);
}

static void print_text(const ProgramTongue *tongue, const char *text,
                       void (*operand)(const void *context, int which), const void *context,
                       Text *out)
{
    while (*text) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
        if (length == 1 && *text >= 'a' && *text <= 'z')
            operand(context, *text - 'a');
        else if (length > 0)
            print_word(tongue, (Str){text, length}, out);
        else
            text_add_char(out, *text);
        text += length ? length : 1;
    }
}

void program_print_c_operation(uint32_t op, void (*operand)(const void *context, int which),
                               const void *context, Text *out)
{
    print_text(NULL, operation_text(op), operand, context, out);
}

void program_print_c_text(const char *text, void (*operand)(const void *context, int which),
                          const void *context, Text *out)
{
    print_text(NULL, text, operand, context, out);
}

typedef struct {
    const Printer *printer;
    const PrintSource *reads;
} Operands;

static void print_operand(const void *context, int which)
{
    const Operands *operands = context;
    print_value(operands->printer, operands->reads[which]);
}

static void print_result(const Printer *printer, uint32_t index)
{
    if (printer->order.slots[index] != PRINT_NONE)
        text_addf(printer->out, "    r[%u] = ", printer->order.slots[index]);
    else
        text_addf(printer->out, "%sv%u = ", printer->tongue->definition, index);
}

// Two roots, or two quotients.
static void print_two(const Printer *printer, uint32_t first, uint32_t second)
{
    uint32_t op = printer->program->code[first].op;
    const uint32_t both[] = {first, second};
    text_addf(printer->out, "    double w%u[2];\n    two_%s(w%u", first,
              op == PROGRAM_DIV ? "quotients" : "roots", first);
    for (size_t i = 0; i < 2; i++)
        for (int k = 0; k < program_operands(op); k++) {
            text_add(printer->out, ", ");
            print_value(printer, printer->order.reads[both[i]][k]);
        }
    text_add(printer->out, ");\n");
    for (size_t i = 0; i < 2; i++) {
        print_result(printer, both[i]);
        text_addf(printer->out, "w%u[%zu];\n", first, i);
    }
}

static void print_instruction(const Printer *printer, uint32_t index)
{
    print_result(printer, index);
    print_text(printer->tongue, operation_text(printer->program->code[index].op), print_operand,
               &(Operands){printer, printer->order.reads[index]}, printer->out);
    text_addf(printer->out, "%s\n", printer->tongue->end);
}

// What fills the last four angles is 0.
static void print_waves(const Printer *printer, const PrintWaves *waves)
{
    const PrintOrder *order = &printer->order;
    size_t stretch = print_order_stretch(waves->count);
    for (size_t i = 0; i < stretch; i++) {
        text_addf(printer->out, "    r[%zu] = ", waves->room + i);
        if (i < waves->count)
            print_value(printer, order->angles.at[waves->first + i]);
        else
            text_add(printer->out, "0.0");
        text_add(printer->out, ";\n");
    }
    text_addf(printer->out, "    waves(r + %zu, r + %zu, r + %zu, %zu);\n", waves->room,
              waves->room + stretch, waves->room + 2 * stretch, stretch);
}

// More outputs that are 0 than this are set together.
enum { MANY_ZEROS = 32 };

// Whether an output is the number 0, whatever the inputs are.
static bool is_nothing(const Program *program, size_t output)
{
    uint32_t value = program->outputs[output];
    return value < program->constant_count && program->later[value] == PROGRAM_LITERAL &&
           program->real[value] == 0;
}

// A large matrix is mostly 0; a compiler would take minutes for as many lines.
static void print_outputs(const Printer *printer)
{
    const Program *program = printer->program;
    size_t nothing = 0;
    for (size_t i = 0; i < program->output_count; i++)
        nothing += is_nothing(program, i);
    bool together = nothing > MANY_ZEROS && printer->tongue == &in_c && !printer->outputs;
    if (together)
        text_addf(printer->out, "    for (int i = 0; i < %zu; i++)\n        out[i] = 0;\n",
                  program->output_count);
    for (size_t i = 0; i < program->output_count; i++) {
        if (together && is_nothing(program, i))
            continue;
        if (printer->outputs)
            text_addf(printer->out, "%s%s = ", printer->tongue->indent, printer->outputs[i]);
        else
            text_addf(printer->out, "%sout[%zu] = ", printer->tongue->indent, i);
        print_value(printer, printer->order.results[i]);
        text_addf(printer->out, "%s\n", printer->tongue->end);
    }
}

// ---- Pieces.

static void print_waves_at(const Printer *printer, size_t at)
{
    for (size_t i = 0; i < printer->order.waves.count; i++)
        if (printer->order.waves.at[i].at == at)
            print_waves(printer, printer->order.waves.at + i);
}

static void print_piece(const Printer *printer, size_t piece)
{
    const PrintOrder *order = &printer->order;
    size_t first = piece * order->piece, end = first + order->piece;
    for (size_t at = first; at < end && at < order->count; at++) {
        print_waves_at(printer, at);
        uint32_t index = order->order[at], partner = order->partners[index];
        if (printer->tongue == &in_c && partner != PRINT_NONE && at + 1 < end)
            print_two(printer, index, order->order[++at]);
        else
            print_instruction(printer, index);
    }
    if (end < order->count)
        return;
    print_waves_at(printer, order->count);
    print_outputs(printer);
}

// ---- The texts.

void program_print(const Program *program, const ProgramTongue *tongue, const char *const *inputs,
                   const char *const *outputs, Text *out)
{
    Printer printer = {
        .program = program, .tongue = tongue, .inputs = inputs, .outputs = outputs, .out = out};
    print_order_init(&printer.order, program, program->code_count + 1);
    print_piece(&printer, 0);
    print_order_clear(&printer.order);
}

void program_print_c_helpers(const char *real, Text *out)
{
    text_addf(out,
              "static inline %s real_sign(%s a)\n{\n    return (%s)((a > 0) - (a < 0));\n}\n\n",
              real, real, real);
}

static void print_long(Printer *printer, const char *name, size_t pieces)
{
    for (size_t i = 0; i < pieces; i++) {
        text_addf(printer->out,
                  "static __attribute__((noinline)) void %s_%zu(const double *restrict in, "
                  "double *restrict out, const double *restrict c, double *restrict r)\n{\n"
                  "    (void)in, (void)out, (void)c;\n",
                  name, i);
        print_piece(printer, i);
        text_add(printer->out, "}\n\n");
    }
    text_addf(printer->out,
              "void %s(const double *restrict in, double *restrict out, const double *restrict c)\n"
              "{\n    double r[%zu];\n",
              name, printer->order.room + 1);
    for (size_t i = 0; i < pieces; i++)
        text_addf(printer->out, "    %s_%zu(in, out, c, r);\n", name, i);
    text_add(printer->out, "}\n\n");
}

void program_print_c(const Program *program, const char *name, Text *out)
{
    Printer printer = {.program = program, .tongue = &in_c, .out = out};
    print_order_init(&printer.order, program, PIECE);
    size_t pieces = print_order_pieces(&printer.order), room = printer.order.room;
    if (pieces > 1) {
        print_long(&printer, name, pieces);
    } else {
        text_addf(out,
                  "void %s(const double *restrict in, double *restrict out, const double *restrict "
                  "c)\n{\n    (void)in, (void)out, (void)c;\n",
                  name);
        if (room > 0)
            text_addf(out, "    double r[%zu];\n", room);
        print_piece(&printer, 0);
        text_add(out, "}\n\n");
    }
    print_order_clear(&printer.order);
}
