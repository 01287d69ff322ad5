// print_c.c: a program as C text.
//
// An operation's text is the expression of its row in the tables, the same that the interpreter
// is made of. Every instruction defines a name of its own, so that a compiler sees what lives how
// long; only what a later function of a long program reads goes through an array.
#include "program/flow_impl.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Instructions in one function. Longer: the compiler's time grows faster than the program.
// Shorter: more values go through memory.
enum { PIECE = 1000 };

enum { NO_DEFINITION = UINT32_MAX };

// As the programs here are compiled.
static const ProgramTongue in_c = {
    .indent = "    ", .definition = "    const double ", .end = ";", .words = {{NULL, NULL}}};

typedef struct {
    const Program *program;
    const ProgramTongue *tongue;
    const char *const *inputs, *const *outputs; // their names; else in[…], out[…]
    size_t piece;                               // instructions in one function
    uint32_t *defined; // of every register: the instruction that wrote it last
    bool *crosses;     // of every instruction: whether a later function reads it
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

static void print_value(const Printer *printer, uint32_t place)
{
    const Program *program = printer->program;
    size_t input = place - program->constant_count;
    if (place < program->constant_count && isinf(program->real[place]))
        print_infinity(printer, program->real[place]);
    else if (place < program->constant_count)
        program_print_c_number(program->real[place], printer->out);
    else if (input < program->input_count && printer->inputs)
        text_add(printer->out, printer->inputs[input]);
    else if (input < program->input_count)
        text_addf(printer->out, "in[%zu]", input);
    else if (printer->crosses[printer->defined[place]])
        text_addf(printer->out, "r[%u]", place);
    else
        text_addf(printer->out, "v%u", printer->defined[place]);
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
    const Instruction *at;
} Operands;

static void print_operand(const void *context, int which)
{
    const Operands *operands = context;
    const uint32_t places[] = {operands->at->a, operands->at->b, operands->at->c};
    print_value(operands->printer, places[which]);
}

static void print_instruction(Printer *printer, size_t index)
{
    const Instruction *at = printer->program->code + index;
    if (printer->crosses[index])
        text_addf(printer->out, "    r[%u] = ", at->result);
    else
        text_addf(printer->out, "%sv%zu = ", printer->tongue->definition, index);
    print_text(printer->tongue, operation_text(at->op), print_operand, &(Operands){printer, at},
               printer->out);
    text_addf(printer->out, "%s\n", printer->tongue->end);
    printer->defined[at->result] = (uint32_t)index;
}

// More outputs that are 0 than this are set together.
enum { MANY_ZEROS = 32 };

// Whether an output is the number 0, whatever the inputs are.
static bool is_nothing(const Program *program, size_t output)
{
    uint32_t value = program->outputs[output];
    return value < program->constant_count && program->real[value] == 0;
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
        print_value(printer, printer->program->outputs[i]);
        text_addf(printer->out, "%s\n", printer->tongue->end);
    }
}

// ---- Pieces.

static void note_reading(Printer *printer, uint32_t place, size_t piece)
{
    uint32_t writer = printer->defined[place];
    if (writer != NO_DEFINITION && writer / printer->piece != piece)
        printer->crosses[writer] = true;
}

// Outputs are written by the last piece.
static void find_crossing(Printer *printer, size_t pieces)
{
    const Program *program = printer->program;
    for (size_t i = 0; i < program->code_count; i++) {
        const Instruction *at = program->code + i;
        const uint32_t operands[] = {at->a, at->b, at->c};
        int count = program_operands(at->op);
        for (int k = 0; k < count; k++)
            note_reading(printer, operands[k], i / printer->piece);
        printer->defined[at->result] = (uint32_t)i;
    }
    for (size_t i = 0; i < program->output_count; i++)
        note_reading(printer, program->outputs[i], pieces - 1);
    memset(printer->defined, 0xFF, program->register_count * sizeof *printer->defined);
}

static size_t printer_init(Printer *printer, const Program *program, const ProgramTongue *tongue,
                           size_t piece, Text *out)
{
    *printer = (Printer){.program = program, .tongue = tongue, .piece = piece, .out = out};
    printer->defined = base_alloc((program->register_count + 1) * sizeof *printer->defined);
    printer->crosses = base_alloc((program->code_count + 1) * sizeof *printer->crosses);
    memset(printer->defined, 0xFF, program->register_count * sizeof *printer->defined);
    size_t pieces = program->code_count ? (program->code_count + piece - 1) / piece : 1;
    find_crossing(printer, pieces);
    return pieces;
}

static void printer_clear(Printer *printer)
{
    base_free(printer->defined);
    base_free(printer->crosses);
}

static void print_piece(Printer *printer, size_t piece)
{
    size_t first = piece * printer->piece, end = first + printer->piece;
    for (size_t i = first; i < end && i < printer->program->code_count; i++)
        print_instruction(printer, i);
    if (end >= printer->program->code_count)
        print_outputs(printer);
}

// ---- The texts.

void program_print(const Program *program, const ProgramTongue *tongue, const char *const *inputs,
                   const char *const *outputs, Text *out)
{
    Printer printer;
    printer_init(&printer, program, tongue, program->code_count + 1, out);
    printer.inputs = inputs;
    printer.outputs = outputs;
    print_piece(&printer, 0);
    printer_clear(&printer);
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
                  "double *restrict out, double *restrict r)\n{\n    (void)in, (void)out;\n",
                  name, i);
        print_piece(printer, i);
        text_add(printer->out, "}\n\n");
    }
    text_addf(printer->out,
              "void %s(const double *restrict in, double *restrict out)\n{\n    double r[%zu];\n",
              name, printer->program->register_count);
    for (size_t i = 0; i < pieces; i++)
        text_addf(printer->out, "    %s_%zu(in, out, r);\n", name, i);
    text_add(printer->out, "}\n\n");
}

void program_print_c(const Program *program, const char *name, Text *out)
{
    Printer printer;
    size_t pieces = printer_init(&printer, program, &in_c, PIECE, out);
    if (pieces > 1) {
        print_long(&printer, name, pieces);
    } else {
        text_addf(out,
                  "void %s(const double *restrict in, double *restrict out)\n{\n    (void)in, "
                  "(void)out;\n",
                  name);
        print_piece(&printer, 0);
        text_add(out, "}\n\n");
    }
    printer_clear(&printer);
}
