// c_functions.c: the functions of exported C.
#include "export/c_impl.h"

#include <stdio.h>
#include <string.h>

void c_programs_init(CPrograms *programs, const Exported *exported)
{
    *programs = (CPrograms){.exported = exported};
    programs->rates_prepared = program_split(exported->rates, exported->params, &programs->rates);
    programs->slopes_prepared =
        program_split(exported->slopes, exported->params, &programs->slopes);
    programs->worked_out =
        program_outputs(programs->rates_prepared) + program_outputs(programs->slopes_prepared);
}

void c_programs_clear(CPrograms *programs)
{
    program_free(programs->rates_prepared);
    program_free(programs->rates);
    program_free(programs->slopes_prepared);
    program_free(programs->slopes);
}

// ---- Statements.

static void add_params(const Exported *exported, NameList *names)
{
    names_add_members(names, "p->", exported->param_names, exported->params);
}

// p | t | y, as inputs.
static NameList state_inputs(const Exported *exported)
{
    NameList names = {.arena = exported->arena};
    add_params(exported, &names);
    names_add(&names, "t");
    names_add_places(&names, exported->language, "y->at", 0, exported->n + exported->k);
    return names;
}

static void add_places(const Exported *exported, NameList *names, const char *array, size_t from,
                       size_t count)
{
    names_add_places(names, exported->language, array, from, count);
}

// Prints the statements and lets go of the names.
static void statements(const Exported *exported, const Program *program, NameList *inputs,
                       NameList *outputs, Text *out)
{
    program_print(program, &exported->language->tongue, inputs->at.at, outputs->at.at, out);
    names_clear(inputs);
    names_clear(outputs);
}

static const char unused[] = "    (void)p, (void)t, (void)y;\n";

// ---- Linear algebra, where numbers are solved for.

static void write_solve(Text *out)
{
    text_add(out,
             "/* matrix x = right by elimination with pivots; x comes in the place of right. */\n"
             "static void solve(REAL *matrix, REAL *right, int size)\n"
             "{\n"
             "    for (int s = 0; s < size; s++) {\n"
             "        int pivot = s;\n"
             "        for (int i = s + 1; i < size; i++)\n"
             "            if (fabs(matrix[i * size + s]) > fabs(matrix[pivot * size + s]))\n"
             "                pivot = i;\n"
             "        for (int j = 0; j < size; j++) {\n"
             "            REAL kept = matrix[s * size + j];\n"
             "            matrix[s * size + j] = matrix[pivot * size + j];\n"
             "            matrix[pivot * size + j] = kept;\n"
             "        }\n"
             "        REAL last = right[s];\n"
             "        right[s] = right[pivot];\n"
             "        right[pivot] = last;\n"
             "        for (int i = s + 1; i < size; i++) {\n"
             "            REAL factor = matrix[i * size + s] / matrix[s * size + s];\n"
             "            for (int j = s + 1; j < size; j++)\n"
             "                matrix[i * size + j] -= factor * matrix[s * size + j];\n"
             "            right[i] -= factor * right[s];\n"
             "        }\n"
             "    }\n"
             "    for (int s = size - 1; s >= 0; s--) {\n"
             "        for (int j = s + 1; j < size; j++)\n"
             "            right[s] -= matrix[s * size + j] * right[j];\n"
             "        right[s] /= matrix[s * size + s];\n"
             "    }\n"
             "}\n\n");
}

static void write_combine(const Exported *exported, Text *out)
{
    name_template(exported,
                  "/* x of least |right - x b| for `count` rows b of `length`, by orthogonal rows\n"
                  "   (Gram and Schmidt, twice); b and right are used up. */\n"
                  "static void combine(REAL *b, REAL *right, int count, int length, REAL *x)\n"
                  "{\n"
                  "    REAL upper[@_CONDITIONS * @_CONDITIONS];\n"
                  "    for (int i = 0; i < count; i++) {\n"
                  "        REAL *row = b + i * length, size = 0;\n"
                  "        for (int j = 0; j < i; j++)\n"
                  "            upper[j * count + i] = 0;\n"
                  "        for (int turn = 0; turn < 2; turn++)\n"
                  "            for (int j = 0; j < i; j++) {\n"
                  "                REAL part = 0;\n"
                  "                for (int s = 0; s < length; s++)\n"
                  "                    part += b[j * length + s] * row[s];\n"
                  "                for (int s = 0; s < length; s++)\n"
                  "                    row[s] -= part * b[j * length + s];\n"
                  "                upper[j * count + i] += part;\n"
                  "            }\n"
                  "        for (int s = 0; s < length; s++)\n"
                  "            size += row[s] * row[s];\n"
                  "        size = sqrt(size);\n"
                  "        for (int s = 0; s < length; s++)\n"
                  "            row[s] /= size;\n"
                  "        upper[i * count + i] = size;\n"
                  "        x[i] = 0;\n"
                  "        for (int s = 0; s < length; s++)\n"
                  "            x[i] += row[s] * right[s];\n"
                  "        for (int s = 0; s < length; s++)\n"
                  "            right[s] -= x[i] * row[s];\n"
                  "    }\n"
                  "    for (int i = count - 1; i >= 0; i--) {\n"
                  "        for (int j = i + 1; j < count; j++)\n"
                  "            x[i] -= upper[i * count + j] * x[j];\n"
                  "        x[i] /= upper[i * count + i];\n"
                  "    }\n"
                  "}\n\n",
                  out);
}

// ---- Parameters and the start.

static void write_number(double value, Text *out)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", value);
    text_add(out, digits);
}

// What a program takes from the parameters alone, from worked_out[first] on.
static void write_preparing(const Exported *exported, const char *begin, const Program *prepared,
                            size_t first, Text *out)
{
    NameList inputs = {.arena = exported->arena}, outputs = {.arena = exported->arena};
    add_params(exported, &inputs);
    add_places(exported, &outputs, "p->worked_out", first, program_outputs(prepared));
    name_template(exported, begin, out);
    text_add(out, "    (void)p;\n");
    statements(exported, prepared, &inputs, &outputs, out);
    text_add(out, "}\n\n");
}

static void write_defaults(const Exported *exported, Text *out)
{
    name_template(exported, "void @_defaults(@_params *p)\n{\n", out);
    for (size_t i = 0; i < exported->params; i++) {
        text_addf(out, "    p->%s = ", exported->param_names[i]);
        write_number(exported->param_values[i], out);
        text_add(out, ";\n");
    }
    name_template(exported, "    @_prepare(p);\n}\n\n", out);
}

static void write_params(const CPrograms *programs, Text *out)
{
    const Exported *exported = programs->exported;
    write_preparing(exported, "static void prepare_derivative(@_params *p)\n{\n",
                    programs->rates_prepared, 0, out);
    write_preparing(exported, "static void prepare_slopes(@_params *p)\n{\n",
                    programs->slopes_prepared, program_outputs(programs->rates_prepared), out);
    name_template(exported,
                  "void @_prepare(@_params *p)\n{\n    prepare_derivative(p);\n"
                  "    prepare_slopes(p);\n}\n\nvoid @_follow(@_params *p)\n{\n",
                  out);
    NameList inputs = {.arena = exported->arena}, outputs = {.arena = exported->arena};
    add_params(exported, &inputs);
    add_params(exported, &outputs);
    statements(exported, exported->follow, &inputs, &outputs, out);
    name_template(exported, "    @_prepare(p);\n}\n\n", out);
    write_defaults(exported, out);
}

static void write_start(const Exported *exported, Text *out)
{
    text_addf(out, "void %s_start(%s_state *y)\n{\n", exported->system, exported->system);
    for (size_t i = 0; i < exported->n + exported->k; i++) {
        bool coordinate = i < exported->n;
        text_addf(out, "    y->by.%s = ",
                  coordinate ? exported->coord_names[i] : exported->speed_names[i - exported->n]);
        write_number(coordinate ? exported->q[i] : exported->u[i - exported->n], out);
        text_add(out, ";\n");
    }
    text_add(out, "}\n\n");
}

// ---- Rates.

// What the rates program gives: rates, or velocities and equations for the rest.
static NameList rate_outputs(const Exported *exported, const char *rate, const char *matrix,
                             const char *right)
{
    size_t n = exported->n, k = exported->k;
    NameList names = {.arena = exported->arena};
    add_places(exported, &names, rate, 0, exported->formulas.solved ? n + k : n);
    if (!exported->formulas.solved) {
        add_places(exported, &names, matrix, 0, k * k);
        add_places(exported, &names, right, 0, k);
    }
    return names;
}

static const char solving_derivative[] =
    "void @_derivative(const @_params *p, REAL t, const @_state *y, @_state *rate)\n"
    "{\n"
    "    REAL matrix[@_SPEEDS * @_SPEEDS];\n"
    "    @_equations(p, t, y, rate, matrix, rate->at + @_COORDINATES);\n"
    "    solve(matrix, rate->at + @_COORDINATES, @_SPEEDS);\n"
    "}\n\n";

static void write_derivative(const CPrograms *programs, Text *out)
{
    const Exported *exported = programs->exported;
    bool solved = exported->formulas.solved;
    NameList inputs = state_inputs(exported);
    add_places(exported, &inputs, "p->worked_out", 0, program_outputs(programs->rates_prepared));
    NameList outputs = rate_outputs(exported, "rate->at", "matrix", "right");
    name_template(exported,
                  solved ? "void @_derivative(const @_params *p, REAL t, const @_state *y,\n"
                           "                  @_state *rate)\n{\n"
                         : "/* Velocities, and matrix u' = right. */\n"
                           "static void @_equations(const @_params *p, REAL t, const @_state *y,\n"
                           "                        @_state *rate, REAL *matrix, REAL *right)\n{\n",
                  out);
    text_add(out, unused);
    statements(exported, programs->rates, &inputs, &outputs, out);
    text_add(out, "}\n\n");
    if (!solved)
        name_template(exported, solving_derivative, out);
}

// matrix u' = right, differentiated: matrix du' = dright - dmatrix u'.
static const char solving_along[] =
    "    @_state rate;\n"
    "    REAL matrix[@_SPEEDS * @_SPEEDS];\n"
    "    @_derivative(p, t, y, &rate);\n"
    "    for (int i = 0; i < @_SPEEDS; i++)\n"
    "        for (int j = 0; j < @_SPEEDS; j++)\n"
    "            right[i] -= dmatrix[i * @_SPEEDS + j] * rate.at[@_COORDINATES + j];\n"
    "    @_state kept;\n"
    "    REAL unused[@_SPEEDS];\n"
    "    @_equations(p, t, y, &kept, matrix, unused);\n"
    "    solve(matrix, right, @_SPEEDS);\n";

static const char jacobian[] = "void @_jacobian(const @_params *p, REAL t, const @_state *y,\n"
                               "                REAL jacobian[@_STATE][@_STATE])\n"
                               "{\n"
                               "    for (int j = 0; j < @_STATE; j++) {\n"
                               "        @_state direction = {{0}}, change;\n"
                               "        direction.at[j] = 1;\n"
                               "        @_derivative_along(p, t, y, &direction, &change);\n"
                               "        for (int i = 0; i < @_STATE; i++)\n"
                               "            jacobian[i][j] = change.at[i];\n"
                               "    }\n"
                               "}\n\n";

static void write_slopes(const CPrograms *programs, Text *out)
{
    const Exported *exported = programs->exported;
    bool solved = exported->formulas.solved;
    size_t first = program_outputs(programs->rates_prepared);
    NameList inputs = state_inputs(exported);
    add_places(exported, &inputs, "direction->at", 0, exported->n + exported->k);
    add_places(exported, &inputs, "p->worked_out", first, programs->worked_out - first);
    NameList outputs = rate_outputs(exported, "change->at", "dmatrix", "right");
    name_template(exported,
                  "void @_derivative_along(const @_params *p, REAL t, const @_state *y,\n"
                  "                        const @_state *direction, @_state *change)\n{\n",
                  out);
    text_add(out, unused);
    text_add(out, "    (void)direction;\n");
    if (!solved)
        name_template(
            exported,
            "    REAL dmatrix[@_SPEEDS * @_SPEEDS], *right = change->at + @_COORDINATES;\n", out);
    statements(exported, programs->slopes, &inputs, &outputs, out);
    if (!solved)
        name_template(exported, solving_along, out);
    text_add(out, "}\n\n");
    name_template(exported, jacobian, out);
}

// ---- The instant.

// u' among the inputs where it is solved for in numbers.
static NameList found_inputs(const Exported *exported)
{
    NameList names = state_inputs(exported);
    if (!exported->formulas.solved)
        add_places(exported, &names, "rate.at", exported->n, exported->k);
    return names;
}

static void write_reactions(const Exported *exported, Text *out)
{
    size_t n = exported->n, m = exported->m;
    NameList inputs = {.arena = exported->arena}, outputs = {.arena = exported->arena};
    add_params(exported, &inputs);
    names_add(&inputs, "t");
    add_places(exported, &inputs, "y->at", 0, n);
    add_places(exported, &inputs, "instant->velocity.at", 0, n);
    add_places(exported, &inputs, "instant->acceleration.at", 0, n);
    add_places(exported, &outputs, "b", 0, m * n);
    add_places(exported, &outputs, "rest", 0, n);
    name_template(exported,
                  "/* The rows b of the conditions, and what the reactions have to be: rest = l b. "
                  "*/\n"
                  "static void @_reactions(const @_params *p, REAL t, const @_state *y,\n"
                  "                        @_instant *instant)\n{\n"
                  "    REAL b[@_CONDITIONS * @_COORDINATES], rest[@_COORDINATES];\n",
                  out);
    text_add(out, unused);
    statements(exported, exported->reactions, &inputs, &outputs, out);
    name_template(exported,
                  "    combine(b, rest, @_CONDITIONS, @_COORDINATES, instant->multiplier.at);\n"
                  "}\n\n",
                  out);
}

static void write_quantities(const Exported *exported, Text *out)
{
    size_t n = exported->n;
    NameList inputs = {.arena = exported->arena}, outputs = {.arena = exported->arena};
    add_params(exported, &inputs);
    names_add(&inputs, "t");
    add_places(exported, &inputs, "y->at", 0, n);
    add_places(exported, &inputs, "instant->velocity.at", 0, n);
    add_places(exported, &inputs, "instant->acceleration.at", 0, n);
    add_places(exported, &inputs, "instant->multiplier.at", 0, exported->m);
    names_add(&outputs, exported->has_energy ? "instant->energy" : "REAL no_energy");
    add_places(exported, &outputs, "instant->residual.at", 0, exported->residuals);
    add_places(exported, &outputs, "instant->output.at", 0, exported->model->outputs.count);
    name_template(exported,
                  "static void @_quantities(const @_params *p, REAL t, const @_state *y,\n"
                  "                         @_instant *instant)\n{\n",
                  out);
    text_add(out, unused);
    text_add(out, "    (void)instant;\n");
    statements(exported, exported->quantities, &inputs, &outputs, out);
    if (!exported->has_energy)
        text_add(out, "    (void)no_energy;\n");
    text_add(out, "}\n\n");
}

static void write_at(const Exported *exported, Text *out)
{
    NameList inputs = found_inputs(exported), outputs = {.arena = exported->arena};
    add_places(exported, &outputs, "instant->acceleration.at", 0, exported->n);
    if (exported->m)
        write_reactions(exported, out);
    write_quantities(exported, out);
    name_template(exported,
                  "void @_at(const @_params *p, REAL t, const @_state *y, @_instant *instant)\n{\n"
                  "    @_state rate;\n"
                  "    @_derivative(p, t, y, &rate);\n"
                  "    for (int i = 0; i < @_COORDINATES; i++)\n"
                  "        instant->velocity.at[i] = rate.at[i];\n",
                  out);
    statements(exported, exported->accelerations, &inputs, &outputs, out);
    if (exported->m)
        name_template(exported, "    @_reactions(p, t, y, instant);\n", out);
    name_template(exported, "    @_quantities(p, t, y, instant);\n}\n\n", out);
}

static void write_sides(const Exported *exported, Text *out)
{
    NameList inputs = found_inputs(exported), outputs = {.arena = exported->arena};
    for (size_t i = 0; i < exported->sides; i++) {
        static const char *const members[] = {"].f", "].rate", "].phi0"};
        char name[64];
        for (int part = 0; part < 3; part++) {
            snprintf(name, sizeof name, "sides[%zu%s", i, members[part]);
            names_add(&outputs, name);
        }
        snprintf(name, sizeof name, "sides[%zu].row", i);
        add_places(exported, &outputs, name, 0, exported->k);
    }
    for (size_t i = 0; i < exported->k; i++) {
        char name[64];
        snprintf(name, sizeof name, "inertia[%zu]", i);
        add_places(exported, &outputs, name, 0, exported->k);
    }
    name_template(
        exported,
        "void @_sides(const @_params *p, REAL t, const @_state *y, @_side sides[@_SIDES],\n"
        "             REAL inertia[@_SPEEDS][@_SPEEDS])\n{\n",
        out);
    text_add(out, unused);
    if (!exported->formulas.solved)
        name_template(exported, "    @_state rate;\n    @_derivative(p, t, y, &rate);\n", out);
    statements(exported, exported->instant, &inputs, &outputs, out);
    text_add(out, "}\n\n");
}

void c_write_functions(const CPrograms *programs, Text *out)
{
    const Exported *exported = programs->exported;
    Text body = {0};
    if (!exported->formulas.solved)
        write_solve(&body);
    if (exported->m)
        write_combine(exported, &body);
    write_params(programs, &body);
    write_start(exported, &body);
    write_derivative(programs, &body);
    write_slopes(programs, &body);
    write_at(exported, &body);
    if (exported->sides)
        write_sides(exported, &body);
    // A function that nobody calls is a warning to some compilers.
    if (strstr(body.at, "real_sign("))
        program_print_c_helpers("REAL", out);
    text_add(out, body.at);
    text_clear(&body);
}
