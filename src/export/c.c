// c.c: the motion as C99: a source and a header without dependencies beyond libm.
//
// What depends on parameters alone is worked out once (NAME_follow), so that a derivative costs
// what it costs in a run. Numbers are of the type REAL, double unless it is defined otherwise.
#include "export/c_impl.h"

#include <stdio.h>
#include <string.h>

// Keywords of C and C++, and macros of the headers that are included.
static const char *const words[] = {
    "auto",     "break",    "case",      "char",     "const",       "continue",   "default",
    "do",       "double",   "else",      "enum",     "extern",      "float",      "for",
    "goto",     "if",       "inline",    "int",      "long",        "register",   "restrict",
    "return",   "short",    "signed",    "sizeof",   "static",      "struct",     "switch",
    "typedef",  "union",    "unsigned",  "void",     "volatile",    "while",      "asm",
    "bool",     "catch",    "class",     "delete",   "explicit",    "export",     "false",
    "friend",   "mutable",  "namespace", "new",      "operator",    "private",    "protected",
    "public",   "template", "this",      "throw",    "true",        "try",        "typename",
    "using",    "virtual",  "and",       "or",       "not",         "xor",        "bitand",
    "bitor",    "compl",    "typeof",    "alignas",  "alignof",     "constexpr",  "decltype",
    "noexcept", "nullptr",  "concept",   "requires", "static_cast", "const_cast", "wchar_t",
    "NULL",     "NAN",      "INFINITY",  "HUGE_VAL", "EOF",         "BUFSIZ",     "stdin",
    "stdout",   "stderr",   "errno",     "REAL",     "linux",       "unix",       "i386",
    "main",     "M_PI",     "M_E",       "DOMAIN",   "SING",        "OVERFLOW",   "UNDERFLOW",
    "PLOSS",    "TLOSS",    "HUGE",      "FP_NAN",   "FP_ZERO",     "FP_NORMAL",  "FP_INFINITE",
    "X_TLOSS",  "I",        NULL};

// prepare_derivative is there already.
static const char *const calls[] = {"prepare", NULL};

const Language export_c_language = {
    .tongue = {.indent = "    ", .definition = "    const REAL ", .end = ";"},
    .open = "[",
    .close = "]",
    .comment = " *",
    .words = words,
    .calls = calls};

// ---- The header: types.

// REAL a, b; with its number in the model's spelling.
static void add_members(const Exported *exported, const char *const *names,
                        const char *const *spellings, size_t count, const char *indent, Text *out)
{
    for (size_t i = 0; i < count; i++) {
        text_addf(out, "%sREAL %s;", indent, names[i]);
        if (strcmp(names[i], spellings[i]) != 0)
            text_addf(out, " /* %s */", comment_plain(exported->arena, spellings[i]));
        text_add(out, "\n");
    }
}

static void add_union(const Exported *exported, const char *comment, const char *const *names,
                      const char *const *spellings, size_t count, const char *type, Text *out)
{
    if (count == 0)
        return;
    text_addf(out, "/* %s, by name and by number. */\ntypedef union {\n    struct {\n", comment);
    add_members(exported, names, spellings, count, "        ", out);
    text_addf(out, "    } by;\n    REAL at[%zu];\n} %s_%s;\n\n", count, exported->system, type);
}

// The names of something, as the model spells them.
#define SPELLINGS(exported, count, expression)                                                     \
    const char **spellings = arena_alloc((exported)->arena, ((count) + 1) * sizeof(const char *)); \
    for (size_t i = 0; i < (count); i++)                                                           \
        spellings[i] = (expression);

static void add_params(const Exported *exported, size_t worked_out, Text *out)
{
    SPELLINGS(exported, exported->params, exported_param(exported, i)->name)
    text_addf(out,
              "/* Parameters. After a change call %s_follow. */\n"
              "typedef struct {\n",
              exported->system);
    add_members(exported, exported->param_names, spellings, exported->params, "    ", out);
    if (exported_iterates(exported))
        name_template(exported,
                      "    REAL near[@_UNKNOWNS]; /* the accelerations of the branch, nearly */\n",
                      out);
    if (exported->modes.count)
        text_addf(out, "    REAL mode[%zu]; /* signs of what functions switch by */\n",
                  exported->modes.count);
    if (exported_inputs(exported))
        text_addf(out, "    REAL along[%zu]; /* how the inputs change along a direction */\n",
                  exported_inputs(exported));
    text_addf(out, "    REAL worked_out[%zu]; /* by %s_follow */\n} %s_params;\n\n",
              worked_out ? worked_out : 1, exported->system, exported->system);
}

static void add_inputs(const Exported *exported, Text *out)
{
    SPELLINGS(exported, exported->inputs, exported_input(exported, i)->name)
    add_union(exported, "The inputs", exported->input_names, spellings, exported->inputs, "inputs",
              out);
}

static void add_state(const Exported *exported, Text *out)
{
    size_t n = exported->n, count = n + exported->k;
    const char **names = arena_alloc(exported->arena, (count + 1) * sizeof *names);
    memcpy(names, exported->coord_names, n * sizeof *names);
    memcpy(names + n, exported->speed_names, exported->k * sizeof *names);
    SPELLINGS(exported, count,
              i < n ? exported->model->coords.at[i].name : exported->formulas.speed_names[i - n])
    add_union(exported, "The state: coordinates, then independent speeds; or its rate", names,
              spellings, count, "state", out);
}

static void add_coordinates(const Exported *exported, Text *out)
{
    SPELLINGS(exported, exported->n, exported->model->coords.at[i].name)
    add_union(exported, "A number for each coordinate", exported->coord_names, spellings,
              exported->n, "coordinates", out);
}

static void add_multipliers(const Exported *exported, Text *out)
{
    SPELLINGS(exported, exported->m, exported->conditions[i]->constraint->name)
    add_union(exported, "A multiplier for each condition", exported->condition_names, spellings,
              exported->m, "multipliers", out);
}

static void add_residuals(const Exported *exported, Text *out)
{
    add_union(exported, "What each condition misses, as it is written: left minus right",
              exported->residual_names, exported->residual_names, exported->residuals, "residuals",
              out);
}

static void add_outputs(const Exported *exported, Text *out)
{
    SPELLINGS(exported, exported->model->outputs.count, exported->model->outputs.at[i].name)
    add_union(exported, "The model's outputs", exported->output_names, spellings,
              exported->model->outputs.count, "outputs", out);
}

void c_write_state_types(const Exported *exported, size_t worked_out, Text *out)
{
    const char *name = exported->system;
    text_addf(out, "enum {\n    %s_COORDINATES = %zu,\n    %s_SPEEDS = %zu,\n    %s_STATE = %zu,\n",
              name, exported->n, name, exported->k, name, exported->n + exported->k);
    if (exported->inputs)
        text_addf(out, "    %s_INPUTS = %zu,\n", name, exported->inputs);
    if (exported->drift_count)
        text_addf(out, "    %s_DRIFTS = %zu,\n", name, exported->drift_count);
    if (!exported->formulas.solved || exported->sides)
        text_addf(out, "    %s_UNKNOWNS = %zu,\n", name, exported->unknowns);
    text_addf(out, "    %s_CONDITIONS = %zu,\n    %s_SIDES = %zu\n};\n\n", name, exported->m, name,
              exported->sides);
    add_params(exported, worked_out, out);
    add_inputs(exported, out);
    add_state(exported, out);
}

static void add_types(const Exported *exported, size_t worked_out, Text *out)
{
    c_write_state_types(exported, worked_out, out);
    add_coordinates(exported, out);
    add_multipliers(exported, out);
    add_residuals(exported, out);
    add_outputs(exported, out);
    name_template(exported,
                  "/* Everything at an instant. */\ntypedef struct {\n"
                  "    @_coordinates velocity, acceleration;\n",
                  out);
    if (exported->m)
        name_template(exported, "    @_multipliers multiplier;\n", out);
    if (exported->has_energy)
        text_add(out, "    REAL energy; /* kinetic and potential */\n");
    if (exported->residuals)
        name_template(exported, "    @_residuals residual;\n", out);
    if (exported->model->outputs.count)
        name_template(exported, "    @_outputs output;\n", out);
    name_template(exported, "} @_instant;\n\n", out);
    if (exported->sides)
        name_template(
            exported,
            exported->parted
                ? "/* A one-sided condition f <= 0: f, its rate, what f'' is in the motion that\n"
                  "   only the equations restrict, how its rate changes with each speed, and how\n"
                  "   its reaction acts. */\n"
                  "typedef struct {\n    REAL f, rate, phi0, row[@_SPEEDS], push[@_UNKNOWNS];\n"
                  "} @_side;\n\n"
                : "/* A one-sided condition f <= 0: f, its rate, what f'' is in the motion that\n"
                  "   only the equations restrict, and how its rate changes with each speed. */\n"
                  "typedef struct {\n    REAL f, rate, phi0, row[@_SPEEDS];\n} @_side;\n\n",
            out);
}

// ---- The header: functions.

static const char prototypes[] =
    "/* The parameters of the model. */\n"
    "void @_defaults(@_params *p);\n"
    "/* After a change: parameters that the model defines by others follow these. */\n"
    "void @_follow(@_params *p);\n"
    "/* After a change: every parameter stays as it is set. */\n"
    "void @_prepare(@_params *p);\n"
    "/* The start, for the parameters of the model. */\n"
    "void @_start(@_state *y);\n\n";

static const char signals_prototype[] = "/* The inputs at a time, as the model says. */\n"
                                        "void @_signals(const @_params *p, REAL t, @_inputs *u);\n";

static const char motion_prototypes[] =
    "/* y' = f(t, y). What is read and what is written may not be the same. */\n"
    "void @_derivative(const @_params *p, REAL t, const @_state *y$*, @_state *rate);\n"
    "/* How the rate changes when y changes by `direction`. */\n"
    "void @_derivative_along(const @_params *p, REAL t, const @_state *y$*,\n"
    "                        const @_state *direction, @_state *change);\n"
    "/* The exact Jacobian: jacobian[i][j] is the derivative of rate i by state j. */\n"
    "void @_jacobian(const @_params *p, REAL t, const @_state *y$*,\n"
    "                REAL jacobian[@_STATE][@_STATE]);\n"
    "/* Velocities, accelerations, multipliers, energy, residuals, outputs. */\n"
    "void @_at(const @_params *p, REAL t, const @_state *y$*, @_instant *instant);\n";

static const char branch_prototype[] =
    "/* After every step that is taken: the branch is followed from here on. 0: it has ended. */\n"
    "int @_follow_branch(@_params *p, REAL t, const @_state *y$*);\n";

static const char drift_prototypes[] =
    "/* What y misses of the conditions that integration lets drift (finite ones, and those on\n"
    "   velocities where all of these are in y), and how that changes with y. */\n"
    "void @_drift(const @_params *p, REAL t, const @_state *y$*, REAL miss[@_DRIFTS],\n"
    "             REAL slope[@_DRIFTS][@_STATE]);\n"
    "/* After a step: moves y the least onto these conditions. 0 where it is too far away. */\n"
    "int @_project(const @_params *p, REAL t, @_state *y$*);\n";

static const char side_comment[] =
    "/* Mayer's data of the instant, and the matrix M of inertia in the speeds: with G the rows "
    "of\n"
    "   the conditions that touch, multipliers l >= 0 give f'' = phi0 - G M^-1 G' l <= 0, and "
    "each\n"
    "   l f'' is 0. */\n";

static const char parted_comment[] =
    "/* Mayer's data of the instant, and the matrix M of the equations for the speeds: with G the\n"
    "   rows and P the pushes of the conditions that touch, multipliers l >= 0 give\n"
    "   f'' = phi0 - G M^-1 P' l <= 0, and each l f'' is 0. */\n";

static const char side_prototypes[] =
    "void @_sides(const @_params *p, REAL t, const @_state *y$*, @_side sides[@_SIDES],\n"
    "             REAL inertia[@_UNKNOWNS][@_UNKNOWNS]);\n";

static const char valid_prototype[] =
    "/* 0 once something happened that this code does not follow. */\n"
    "int @_valid(const @_params *p, REAL t, const @_state *y$*);\n";

static void write_header(const Exported *exported, size_t worked_out, Text *out)
{
    name_template(exported, "#ifndef ZWANG_@_H\n#define ZWANG_@_H\n\n", out);
    text_add(out, "#ifndef REAL\n#define REAL double\n#endif\n\n"
                  "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    add_types(exported, worked_out, out);
    name_template(exported, prototypes, out);
    if (exported->inputs)
        name_template(exported, signals_prototype, out);
    name_template(exported, motion_prototypes, out);
    if (exported->drift_count)
        name_template(exported, drift_prototypes, out);
    if (exported_iterates(exported))
        name_template(exported, branch_prototype, out);
    if (exported->sides) {
        text_add(out, exported->parted ? parted_comment : side_comment);
        name_template(exported, side_prototypes, out);
    }
    if (exported_leaves_out(exported))
        name_template(exported, valid_prototype, out);
    text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

void export_c(const Exported *exported, Text *source, Text *header)
{
    CPrograms programs;
    c_programs_init(&programs, exported);
    bool apart = exported->origin->header != NULL;
    text_add(source, "/*\n");
    comment_head(exported,
                 "C99, without dependencies beyond libm. Compile with -DZWANG_MAIN for an "
                 "example that integrates\nand prints rows:  cc -O2 -DZWANG_MAIN FILE.c "
                 "-lm",
                 source);
    text_add(source, " */\n");
    if (apart)
        text_addf(source, "#include \"%s\"\n\n", exported->origin->header);
    if (apart)
        text_addf(header, "/* %s: see the source beside this header. */\n", exported->system);
    write_header(exported, programs.worked_out, apart ? header : source);
    text_add(source, apart ? "#include <math.h>\n\n" : "\n#include <math.h>\n\n");
    c_write_functions(&programs, source);
    c_write_main(exported, source);
    c_programs_clear(&programs);
}
