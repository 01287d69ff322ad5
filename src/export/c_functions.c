// c_functions.c: the functions of exported C.
#include "export/c_impl.h"
#include "expr/tables.h"

#include <stdio.h>
#include <string.h>

void c_programs_init(CPrograms *programs, const Exported *exported)
{
    *programs = (CPrograms){.exported = exported};
    size_t given = exported->params + exported->modes.count;
    programs->rates_prepared = program_split(exported->rates, given, &programs->rates);
    programs->slopes_prepared = program_split(exported->slopes, given, &programs->slopes);
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
    names_add_places(exported, names, "p->mode", 0, exported->modes.count);
}

// t, and what the inputs are then.
static void add_time(const Exported *exported, NameList *names)
{
    names_add(names, "t");
    names_add_places(exported, names, "u->at", 0, exported->inputs);
}

// p | t | y, as inputs.
static NameList state_inputs(const Exported *exported)
{
    NameList names = {.arena = exported->arena};
    add_params(exported, &names);
    add_time(exported, &names);
    names_add_places(exported, &names, "y->at", 0, exported->n + exported->k);
    return names;
}

static const char unused[] = "    (void)p, (void)t, (void)y$v;\n";

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
    names_add_places(exported, &outputs, "p->worked_out", first, program_outputs(prepared));
    name_template(exported, begin, out);
    text_add(out, "    (void)p;\n");
    names_statements(exported, prepared, &inputs, &outputs, out);
    text_add(out, "}\n\n");
}

static void write_defaults(const Exported *exported, Text *out)
{
    name_template(exported, "void @_defaults(@_params *p)\n{\n", out);
    for (size_t i = 0; i < exported->params; i++) {
        text_addf(out, "    p->%s = ", exported->param_names[i]);
        write_number(exported->param_values[exported->param_at[i]], out);
        text_add(out, ";\n");
    }
    for (size_t i = 0; i < exported->unknowns && exported_iterates(exported); i++) {
        text_addf(out, "    p->near[%zu] = ", i);
        write_number(exported->formulas.stationary[i], out);
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
    names_add_members(&outputs, "p->", exported->param_names, exported->params);
    names_statements(exported, exported->follow, &inputs, &outputs, out);
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

static void write_signals(const Exported *exported, Text *out)
{
    NameList inputs = {.arena = exported->arena}, outputs = {.arena = exported->arena};
    add_params(exported, &inputs);
    names_add(&inputs, "t");
    names_add_places(exported, &outputs, "u->at", 0, exported->inputs);
    name_template(exported,
                  "void @_signals(const @_params *p, REAL t, @_inputs *u)\n{\n"
                  "    (void)p, (void)t;\n",
                  out);
    names_statements(exported, exported->signals, &inputs, &outputs, out);
    text_add(out, "}\n\n");
}

// ---- Rates.

// What the rates program gives: rates, or velocities and equations for the rest.
static NameList rate_outputs(const Exported *exported, const char *rate, const char *matrix,
                             const char *right)
{
    size_t n = exported->n, k = exported->k, count = exported->unknowns;
    NameList names = {.arena = exported->arena};
    names_add_places(exported, &names, rate, 0, exported->formulas.solved ? n + k : n);
    if (exported->formulas.solved)
        return names;
    if (matrix)
        names_add_places(exported, &names, matrix, 0, count * count);
    names_add_places(exported, &names, right, 0, count);
    return names;
}

// What an iteration has reached.
static void add_unknowns(const Exported *exported, NameList *names)
{
    if (exported_iterates(exported))
        names_add_places(exported, names, "x", 0, exported->unknowns);
}

static const char begin_misses[] =
    "/* Velocities; what the equations for x miss, and how that changes with x. */\n"
    "static void @_equations(const @_params *p, REAL t, const @_state *y$*, const REAL *x,\n"
    "                        @_state *rate, REAL *matrix, REAL *right)\n{\n"
    "    (void)x;\n";

static const char solving_derivative[] =
    "void @_derivative(const @_params *p, REAL t, const @_state *y$*, @_state *rate)\n"
    "{\n"
    "    REAL matrix[@_UNKNOWNS * @_UNKNOWNS], x[@_UNKNOWNS];\n"
    "    @_equations(p, t, y$u, rate, matrix, x);\n"
    "    solve(matrix, x, @_UNKNOWNS);\n"
    "    for (int i = 0; i < @_SPEEDS; i++)\n"
    "        rate->at[@_COORDINATES + i] = x[i];\n"
    "}\n\n";

static void write_derivative(const CPrograms *programs, Text *out)
{
    const Exported *exported = programs->exported;
    bool solved = exported->formulas.solved, iterates = exported_iterates(exported);
    NameList inputs = state_inputs(exported);
    add_unknowns(exported, &inputs);
    names_add_places(exported, &inputs, "p->worked_out", 0,
                     program_outputs(programs->rates_prepared));
    NameList outputs = rate_outputs(exported, "rate->at", "matrix", "right");
    name_template(exported,
                  solved     ? "void @_derivative(const @_params *p, REAL t, const @_state *y$*,\n"
                               "                  @_state *rate)\n{\n"
                  : iterates ? begin_misses
                             : "/* Velocities, and matrix x = right, the first of x being u'. */\n"
                               "static void @_equations(const @_params *p, REAL t, const @_state "
                               "*y$*,\n"
                               "                        @_state *rate, REAL *matrix, REAL *right)\n"
                               "{\n",
                  out);
    name_template(exported, unused, out);
    names_statements(exported, programs->rates, &inputs, &outputs, out);
    text_add(out, "}\n\n");
    if (iterates)
        c_write_iteration(exported, out);
    else if (!solved)
        name_template(exported, solving_derivative, out);
}

// matrix x = right, differentiated: matrix dx = dright - dmatrix x.
static const char solving_along[] = "    @_equations(p, t, y$u, &rate, matrix, x);\n"
                                    "    solve(matrix, x, @_UNKNOWNS);\n"
                                    "    for (int i = 0; i < @_UNKNOWNS; i++)\n"
                                    "        for (int j = 0; j < @_UNKNOWNS; j++)\n"
                                    "            right[i] -= dmatrix[i * @_UNKNOWNS + j] * x[j];\n"
                                    "    @_equations(p, t, y$u, &rate, matrix, x);\n"
                                    "    solve(matrix, right, @_UNKNOWNS);\n"
                                    "    for (int i = 0; i < @_SPEEDS; i++)\n"
                                    "        change->at[@_COORDINATES + i] = right[i];\n";

// right = 0, differentiated: matrix dx = -dright.
static const char iterating_along[] = "    @_equations(p, t, y$u, x, &rate, matrix, unused);\n"
                                      "    solve(matrix, right, @_UNKNOWNS);\n"
                                      "    for (int i = 0; i < @_SPEEDS; i++)\n"
                                      "        change->at[@_COORDINATES + i] = -right[i];\n";

static const char jacobian[] = "void @_jacobian(const @_params *p, REAL t, const @_state *y$*,\n"
                               "                REAL jacobian[@_STATE][@_STATE])\n"
                               "{\n"
                               "    for (int j = 0; j < @_STATE; j++) {\n"
                               "        @_state direction = {{0}}, change;\n"
                               "        direction.at[j] = 1;\n"
                               "        @_derivative_along(p, t, y$u, &direction, &change);\n"
                               "        for (int i = 0; i < @_STATE; i++)\n"
                               "            jacobian[i][j] = change.at[i];\n"
                               "    }\n"
                               "}\n\n";

static void write_slopes(const CPrograms *programs, Text *out)
{
    const Exported *exported = programs->exported;
    bool solved = exported->formulas.solved, iterates = exported_iterates(exported);
    size_t first = program_outputs(programs->rates_prepared);
    NameList inputs = state_inputs(exported);
    add_unknowns(exported, &inputs);
    names_add_places(exported, &inputs, "direction->at", 0, exported->n + exported->k);
    names_add_places(exported, &inputs, "p->along", 0, exported_inputs(exported));
    names_add_places(exported, &inputs, "p->worked_out", first, programs->worked_out - first);
    NameList outputs = rate_outputs(exported, "change->at", iterates ? NULL : "dmatrix", "right");
    name_template(exported,
                  "void @_derivative_along(const @_params *p, REAL t, const @_state *y$*,\n"
                  "                        const @_state *direction, @_state *change)\n{\n",
                  out);
    name_template(exported, unused, out);
    text_add(out, "    (void)direction;\n");
    if (!solved)
        name_template(
            exported,
            "    REAL x[@_UNKNOWNS], right[@_UNKNOWNS], matrix[@_UNKNOWNS * @_UNKNOWNS];\n"
            "    @_state rate;\n",
            out);
    if (iterates)
        name_template(exported,
                      "    REAL unused[@_UNKNOWNS];\n    stationary(p, t, y$u, &rate, x);\n", out);
    else if (!solved)
        name_template(exported, "    REAL dmatrix[@_UNKNOWNS * @_UNKNOWNS];\n", out);
    names_statements(exported, programs->slopes, &inputs, &outputs, out);
    if (iterates)
        name_template(exported, iterating_along, out);
    else if (!solved)
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
        names_add_places(exported, &names, "rate.at", exported->n, exported->k);
    return names;
}

static void write_reactions(const Exported *exported, Text *out)
{
    size_t n = exported->n, m = exported->m;
    NameList inputs = {.arena = exported->arena}, outputs = {.arena = exported->arena};
    add_params(exported, &inputs);
    add_time(exported, &inputs);
    names_add_places(exported, &inputs, "y->at", 0, n);
    names_add_places(exported, &inputs, "instant->velocity.at", 0, n);
    names_add_places(exported, &inputs, "instant->acceleration.at", 0, n);
    if (exported_bends(exported))
        names_add_places(exported, &inputs, "x", exported->k, exported->unknowns - exported->k);
    names_add_places(exported, &outputs, "b", 0, m * n);
    names_add_places(exported, &outputs, "rest", 0, n);
    name_template(exported,
                  "/* What the reactions act along, b, and what they have to be: rest = l b. "
                  "*/\n"
                  "static void @_reactions(const @_params *p, REAL t, const @_state *y$*,\n"
                  "                        @_instant *instant)\n{\n"
                  "    REAL b[@_CONDITIONS * @_COORDINATES], rest[@_COORDINATES];\n",
                  out);
    name_template(exported, unused, out);
    if (exported_bends(exported))
        name_template(exported,
                      "    @_state rate;\n    REAL x[@_UNKNOWNS];\n"
                      "    stationary(p, t, y$u, &rate, x);\n",
                      out);
    names_statements(exported, exported->reactions, &inputs, &outputs, out);
    name_template(exported,
                  exported->shared ? "    share(b, rest, instant->multiplier.at);\n}\n\n"
                                   : "    combine(b, rest, @_CONDITIONS, @_COORDINATES,\n"
                                     "            instant->multiplier.at);\n}\n\n",
                  out);
}

static void write_quantities(const Exported *exported, Text *out)
{
    size_t n = exported->n;
    NameList inputs = {.arena = exported->arena}, outputs = {.arena = exported->arena};
    add_params(exported, &inputs);
    add_time(exported, &inputs);
    names_add_places(exported, &inputs, "y->at", 0, n);
    names_add_places(exported, &inputs, "instant->velocity.at", 0, n);
    names_add_places(exported, &inputs, "instant->acceleration.at", 0, n);
    names_add_places(exported, &inputs, "instant->multiplier.at", 0, exported->m);
    names_add(&outputs, exported->has_energy ? "instant->energy" : "REAL no_energy");
    names_add_places(exported, &outputs, "instant->residual.at", 0, exported->residuals);
    names_add_places(exported, &outputs, "instant->output.at", 0, exported->model->outputs.count);
    name_template(exported,
                  "static void @_quantities(const @_params *p, REAL t, const @_state *y$*,\n"
                  "                         @_instant *instant)\n{\n",
                  out);
    name_template(exported, unused, out);
    text_add(out, "    (void)instant;\n");
    names_statements(exported, exported->quantities, &inputs, &outputs, out);
    if (!exported->has_energy)
        text_add(out, "    (void)no_energy;\n");
    text_add(out, "}\n\n");
}

static void write_at(const Exported *exported, Text *out)
{
    NameList inputs = found_inputs(exported), outputs = {.arena = exported->arena};
    names_add_places(exported, &outputs, "instant->acceleration.at", 0, exported->n);
    if (exported->m)
        write_reactions(exported, out);
    write_quantities(exported, out);
    name_template(
        exported,
        "void @_at(const @_params *p, REAL t, const @_state *y$*, @_instant *instant)\n{\n"
        "    @_state rate;\n"
        "    @_derivative(p, t, y$u, &rate);\n"
        "    for (int i = 0; i < @_COORDINATES; i++)\n"
        "        instant->velocity.at[i] = rate.at[i];\n",
        out);
    names_statements(exported, exported->accelerations, &inputs, &outputs, out);
    if (exported->m)
        name_template(exported, "    @_reactions(p, t, y$u, instant);\n", out);
    name_template(exported, "    @_quantities(p, t, y$u, instant);\n}\n\n", out);
}

// Least squares by the normal equations: the misses tell what is left, so that these do no harm.
static const char project[] =
    "int @_project(const @_params *p, REAL t, @_state *y$*)\n"
    "{\n"
    "    const REAL nearly = sizeof(REAL) < sizeof(double) ? (REAL)1e-3 : (REAL)1e-9;\n"
    "    REAL former = (REAL)HUGE_VAL, size = 0;\n"
    "    for (int round = 0; round < 50; round++) {\n"
    "        REAL miss[@_DRIFTS], slope[@_DRIFTS][@_STATE], normal[@_DRIFTS * @_DRIFTS];\n"
    "        REAL step[@_STATE], change = 0;\n"
    "        @_drift(p, t, y$u, miss, slope);\n"
    "        for (int i = 0; i < @_DRIFTS; i++)\n"
    "            for (int j = 0; j < @_DRIFTS; j++) {\n"
    "                normal[i * @_DRIFTS + j] = 0;\n"
    "                for (int s = 0; s < @_STATE; s++)\n"
    "                    normal[i * @_DRIFTS + j] += slope[i][s] * slope[j][s];\n"
    "            }\n"
    "        solve(normal, miss, @_DRIFTS);\n"
    "        for (int s = 0; s < @_STATE; s++) {\n"
    "            step[s] = 0;\n"
    "            for (int i = 0; i < @_DRIFTS; i++)\n"
    "                step[s] += slope[i][s] * miss[i];\n"
    "            if (!(fabs(step[s]) <= change) && change == change)\n"
    "                change = (REAL)fabs(step[s]);\n"
    "            if (fabs(y->at[s]) > size)\n"
    "                size = (REAL)fabs(y->at[s]);\n"
    "        }\n"
    "        if (!(change < former / 2))\n"
    "            break;\n"
    "        for (int s = 0; s < @_STATE; s++)\n"
    "            y->at[s] -= step[s];\n"
    "        former = change;\n"
    "    }\n"
    "    return former <= nearly * (1 + size);\n"
    "}\n\n";

static void write_drifts(const Exported *exported, Text *out)
{
    size_t size = exported->n + exported->k;
    NameList inputs = state_inputs(exported), outputs = {.arena = exported->arena};
    names_add_places(exported, &outputs, "miss", 0, exported->drift_count);
    for (size_t i = 0; i < exported->drift_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "slope[%zu]", i);
        names_add_places(exported, &outputs, name, 0, size);
    }
    name_template(
        exported,
        "void @_drift(const @_params *p, REAL t, const @_state *y$*, REAL miss[@_DRIFTS],\n"
        "             REAL slope[@_DRIFTS][@_STATE])\n{\n",
        out);
    name_template(exported, unused, out);
    names_statements(exported, exported->drifts, &inputs, &outputs, out);
    text_add(out, "}\n\n");
    name_template(exported, project, out);
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
        names_add_places(exported, &outputs, name, 0, exported->k);
        snprintf(name, sizeof name, "sides[%zu].push", i);
        if (exported->parted)
            names_add_places(exported, &outputs, name, 0, exported->unknowns);
    }
    for (size_t i = 0; i < exported->unknowns; i++) {
        char name[64];
        snprintf(name, sizeof name, "inertia[%zu]", i);
        names_add_places(exported, &outputs, name, 0, exported->unknowns);
    }
    name_template(
        exported,
        "void @_sides(const @_params *p, REAL t, const @_state *y$*, @_side sides[@_SIDES],\n"
        "             REAL inertia[@_UNKNOWNS][@_UNKNOWNS])\n{\n",
        out);
    name_template(exported, unused, out);
    if (!exported->formulas.solved)
        name_template(exported, "    @_state rate;\n    @_derivative(p, t, y$u, &rate);\n", out);
    names_statements(exported, exported->instant, &inputs, &outputs, out);
    text_add(out, "}\n\n");
}

// What touches may have rounding beyond its limit.
static const char check_limits[] = "    @_limits(p, t, y$u, over);\n"
                                   "    for (int i = 0; i < @_STATE; i++)\n"
                                   "        if (fabs(y->at[i]) > size)\n"
                                   "            size = (REAL)fabs(y->at[i]);\n"
                                   "    for (int i = 0; i < LIMITS; i++)\n"
                                   "        if (!(over[i] <= (i < @_SIDES ? nearly * size : 0)))\n"
                                   "            return 0;\n";

// Multipliers of one-sided conditions that are in force stay above 0.
static const char check_held[] = "    @_at(p, t, y$u, &instant);\n"
                                 "    size = 0;\n"
                                 "    for (int i = 0; i < @_CONDITIONS; i++)\n"
                                 "        if (fabs(instant.multiplier.at[i]) > size)\n"
                                 "            size = (REAL)fabs(instant.multiplier.at[i]);\n";

// What sticks stays within its cone.
static void write_cones(const Exported *exported, Text *out)
{
    size_t n = exported->n;
    NameList inputs = {.arena = exported->arena}, outputs = {.arena = exported->arena};
    add_params(exported, &inputs);
    add_time(exported, &inputs);
    names_add_places(exported, &inputs, "y->at", 0, n);
    names_add_places(exported, &inputs, "instant.velocity.at", 0, n);
    names_add_places(exported, &inputs, "instant.acceleration.at", 0, n);
    names_add_places(exported, &inputs, "instant.multiplier.at", 0, exported->m);
    names_add_places(exported, &outputs, "cone", 0, exported->cone_count);
    text_addf(out, "    {\n    REAL cone[%zu];\n", exported->cone_count);
    names_statements(exported, exported->cones, &inputs, &outputs, out);
    text_addf(out,
              "    for (int i = 0; i < %zu; i++)\n"
              "        if (!(cone[i] <= nearly * size))\n"
              "            return 0;\n    }\n",
              exported->cone_count);
}

static void write_limits(const Exported *exported, Text *out)
{
    NameList inputs = state_inputs(exported), outputs = {.arena = exported->arena};
    names_add_places(exported, &outputs, "over", 0, exported->limits);
    name_template(
        exported,
        "/* What is at most 0 as long as the code is valid. */\n"
        "static void @_limits(const @_params *p, REAL t, const @_state *y$*, REAL *over)\n"
        "{\n",
        out);
    name_template(exported, unused, out);
    names_statements(exported, exported->validity, &inputs, &outputs, out);
    text_add(out, "}\n\n");
}

static void write_valid(const Exported *exported, Text *out)
{
    if (exported->limits)
        write_limits(exported, out);
    name_template(exported, "int @_valid(const @_params *p, REAL t, const @_state *y$*)\n{\n", out);
    text_addf(out,
              "    const REAL nearly = sizeof(REAL) < sizeof(double) ? (REAL)1e-3 : (REAL)1e-9;\n"
              "    enum { LIMITS = %zu };\n    REAL over[LIMITS + 1], size = 0;\n",
              exported->limits);
    bool reacts = exported->held_count + exported->cone_count > 0;
    if (reacts)
        name_template(exported, "    @_instant instant;\n", out);
    name_template(exported, unused, out);
    if (exported->limits)
        name_template(exported, check_limits, out);
    else
        text_add(out, "    (void)over;\n");
    if (reacts)
        name_template(exported, check_held, out);
    if (exported->cone_count)
        write_cones(exported, out);
    for (size_t i = 0; i < exported->m; i++)
        if (exported_is_held(exported, i))
            text_addf(out,
                      "    if (!(instant.multiplier.at[%zu] >= -nearly * size))\n"
                      "        return 0;\n",
                      i);
    text_add(out, "    return 1;\n}\n\n");
}

void c_write_state_functions(const CPrograms *programs, Text *out)
{
    const Exported *exported = programs->exported;
    c_write_algebra(exported, out);
    write_params(programs, out);
    write_start(exported, out);
    if (exported->inputs)
        write_signals(exported, out);
    write_derivative(programs, out);
    write_slopes(programs, out);
    if (exported->drift_count)
        write_drifts(exported, out);
    if (exported_leaves_out(exported))
        write_valid(exported, out);
}

void c_write_helpers(const Exported *exported, const Text *body, Text *out)
{
    if (strstr(body->at, "table_piece("))
        program_print_c_tables(expr_tables(exported->motion->pool), out);
    // A function that nobody calls is a warning to some compilers.
    if (strstr(body->at, "real_sign("))
        program_print_c_helpers("REAL", out);
}

void c_write_functions(const CPrograms *programs, Text *out)
{
    const Exported *exported = programs->exported;
    Text body = {0};
    c_write_state_functions(programs, &body);
    write_at(exported, &body);
    if (exported->sides)
        write_sides(exported, &body);
    c_write_helpers(exported, &body, out);
    text_add(out, body.at);
    text_clear(&body);
}
