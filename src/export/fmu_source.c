// fmu_source.c: the source of an FMU, one file of C99: the motion as exported C has it, programs of
// what an instant holds and how it changes, and behind these fmu/*.h, which is the same for all
// models: values, contacts, steps, the functions of FMI 3.0.
#include "export/fmu_impl.h"

#include "model/events.h"
#include "model/friction.h"
#include "model/vectors.h"
#include "motion/frictions.h"
#include "motion/motion.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static bool add_accelerations(const Exported *exported, Text *out)
{
    ExprRow values = {0};
    exported_push(&values, exported->formulas.accelerations, exported->n);
    return fmu_add_of_state(exported, "accelerations", "acceleration", true, &values, out);
}

// f, f', f'' without contacts, restitution, f' by the speeds, the reaction, f by the coordinates.
static void push_row(const Exported *exported, const MotionRow *row, Expr position,
                     Expr restitution, ExprRow *values)
{
    ExprPool *pool = exported->motion->pool;
    size_t n = exported->n;
    Expr *terms = base_alloc((n + 1) * sizeof *terms);
    Expr zero = expr_int(pool, 0);
    array_push(values, expr_is_none(position) ? zero : position);
    array_push(values, row->velocity);
    for (size_t nu = 0; nu < n; nu++)
        terms[nu] = expr_mul(pool, row->b[nu], exported->formulas.accelerations[nu]);
    terms[n] = row->gamma;
    array_push(values, expr_sum(pool, terms, n + 1));
    base_free(terms);
    array_push(values, expr_is_none(restitution) ? zero : restitution);
    const RunFormulas *formulas = &exported->formulas;
    exported_push_products(exported, row->b, formulas->basis, exported->k, values);
    for (size_t i = formulas->free; i < exported->unknowns; i++)
        array_push(values, zero);
    const Expr *along = row->servo ? row->d : row->b;
    exported_push_products(exported, along, formulas->displacements, formulas->free, values);
    exported_push(values, row->b, n);
    if (fmu_is_directed(exported))
        exported_push(values, along, n);
}

// Bounds by the pressing reaction, sliding and sticking, and the normal force by it.
static void push_bounds(const Exported *exported, const MotionFriction *friction, ExprRow *values)
{
    const Motion *motion = exported->motion;
    ExprPool *pool = motion->pool;
    Expr symbol = friction->friction->slip, rest = expr_int(pool, 0);
    Expr speed = motion_friction_speed(motion, friction, (FrictionHold){.mode = HOLD_FORWARD});
    if (friction->rows == 1)
        speed = expr_call(pool, EXPR_ABS, speed, (Expr){0});
    Expr pressure = friction->constraint ? friction->pressure : expr_int(pool, 1);
    Expr slide = expr_replace(pool, friction->bound, &symbol, &speed, 1);
    Expr hold = expr_replace(pool, friction->hold, &symbol, &rest, 1);
    array_push(values, expr_mul(pool, slide, pressure));
    array_push(values, expr_mul(pool, hold, pressure));
    array_push(values, pressure);
}

static bool add_sides(const Exported *exported, Text *out)
{
    const Motion *motion = exported->motion;
    ExprRow values = {0};
    Expr zero = expr_int(motion->pool, 0);
    for (size_t i = 0; i < exported->sides; i++) {
        const MotionRow *side = exported->side_rows[i];
        push_row(exported, side, side->position, side->constraint->restitution, &values);
    }
    for (size_t i = 0; i < motion->friction_count; i++)
        for (size_t k = 0; k < motion->frictions[i].rows; k++)
            push_row(exported, &motion->frictions[i].sticks[k], zero, zero, &values);
    exported_push(&values, exported->formulas.matrix, exported->unknowns * exported->unknowns);
    exported_push(&values, exported->formulas.basis, exported->n * exported->k);
    for (size_t i = 0; i < motion->friction_count; i++)
        push_bounds(exported, &motion->frictions[i], &values);
    return fmu_add_of_state(exported, "sides", "side", true, &values, out);
}

static bool add_switches(const Exported *exported, Text *out)
{
    ExprRow values = {0};
    exported_push(&values, exported->switches.at, exported->switches.count);
    return fmu_add_of_state(exported, "switches", "value", true, &values, out);
}

static bool add_reactions(const Exported *exported, Text *out)
{
    size_t n = exported->n;
    FmuFunction function = {.name = "reactions",
                            .arguments = ", const double *q, const double *v, const double *a",
                            .inputs = {{"q", 0, n}, {"v", 0, n}, {"a", 0, n}},
                            .outputs = {{"b", 0, exported->m * n}, {"rest", 0, n}},
                            .along_arguments =
                                ", const double *dq, const double *dv, const double *da",
                            .moving = {{"dq", 0, n}, {"dv", 0, n}, {"da", 0, n}}};
    ExprRow inputs = {0}, moving = {0}, values = {0};
    fmu_push_place_moving(exported, true, &inputs, &moving);
    exported_push_reactions(exported, &values);
    return fmu_add_function(exported, &function, &inputs, &moving, &values, out);
}

// Along the world's axes, of a law itself.
// The force along one row; of the first of several that are terms of one friction, that of all.
static Expr row_force(const Motion *motion, size_t i, size_t k)
{
    const MotionFriction *frictions = motion->frictions;
    Expr sum = frictions[i].sticks[k].constraint->lambda;
    bool first = i == 0 || frictions[i - 1].sticks[k].b != frictions[i].sticks[k].b;
    for (size_t j = i + 1; j < motion->friction_count && first &&
                           frictions[j].sticks[k].b == frictions[i].sticks[k].b;
         j++)
        sum = expr_add(motion->pool, sum, frictions[j].sticks[k].constraint->lambda);
    return sum;
}

static void push_friction_forces(const Motion *motion, ExprRow *values)
{
    ExprPool *pool = motion->pool;
    for (size_t i = 0; i < motion->friction_count; i++) {
        const MotionFriction *own = &motion->frictions[i];
        Expr zero = expr_int(pool, 0);
        Vec sum = {zero, zero, zero};
        for (size_t k = 0; k < own->rows; k++)
            sum = vec_plus(pool, sum, vec_scale(pool, row_force(motion, i, k), own->axes[k]));
        if (own->friction->kind == FRICTION_AGAINST)
            array_push(values, row_force(motion, i, 0));
        else
            exported_push(values, (Expr[]){sum.x, sum.y, sum.z}, 3);
    }
}

static bool add_quantities(const Exported *exported, Text *out)
{
    ExprRow values = {0};
    exported_push_quantities(exported, &values);
    for (size_t i = 0; i < exported->model->speeds.count; i++)
        if (!fmu_in_state(exported, i))
            array_push(&values, exported->model->speeds.at[i].value);
    push_friction_forces(exported->motion, &values);
    fmu_push_triggers(exported, &values);
    return fmu_add_of_instant(exported, "quantities", true, &values, out);
}

// ---- Given impulses.

static bool add_impulses(const Exported *exported, Text *out)
{
    const Model *model = exported->model;
    size_t n = exported->n, count = model->impulses.count;
    FmuFunction parts = {.name = "impulses",
                         .arguments = ", const double *q, const double *v",
                         .inputs = {{"q", 0, n}, {"v", 0, n}},
                         .outputs = {{"part", 0, count * n}}};
    FmuFunction times = {
        .name = "impulse_times_at", .arguments = "", .outputs = {{"time", 0, count}}};
    ExprRow inputs = {0}, moving = {0}, values = {0};
    Expr *impulse = base_alloc((n + 1) * sizeof *impulse);
    fmu_push_place_moving(exported, false, &inputs, &moving);
    for (size_t i = 0; i < count; i++) {
        motion_percussion(exported->motion, &model->impulses.at[i], impulse);
        exported_push(&values, impulse, n);
    }
    base_free(impulse);
    bool whole = fmu_add_function(exported, &parts, &inputs, &moving, &values, out);
    exported_push_params(exported, &inputs);
    array_push(&inputs, model->t);
    for (size_t i = 0; i < count; i++)
        array_push(&values, model->impulses.at[i].when);
    whole = fmu_add_function(exported, &times, &inputs, &moving, &values, out) && whole;
    text_add(out, "#define model_impulse_times(p, times) model_impulse_times_at(p, 0, times)\n\n");
    return whole;
}

// ---- Samples.

static bool add_samples(const Exported *exported, Text *out)
{
    const Model *model = exported->model;
    FmuFunction times = {.name = "sample_times_at",
                         .arguments = "",
                         .outputs = {{"time", 0, SAMPLE_TIMES * model->events.count}}};
    ExprRow inputs = {0}, moving = {0}, values = {0};
    exported_push_params(exported, &inputs);
    array_push(&inputs, model->t);
    for (size_t i = 0; i < model->events.count; i++)
        for (size_t k = 0; k < SAMPLE_TIMES; k++) {
            const ModelSampling *sampling = model->events.at[i].sampling;
            array_push(&values, sampling ? sampling->times[k] : expr_int(model->pool, 0));
        }
    bool whole = fmu_add_function(exported, &times, &inputs, &moving, &values, out);
    text_add(out, "#define model_sample_times(p, times) model_sample_times_at(p, 0, times)\n\n");
    return whole;
}

// What an impulse meets: the matrix of the equations, and what reactions act along.
static bool add_inertia(const Exported *exported, Text *out)
{
    ExprRow values = {0};
    exported_push(&values, exported->formulas.matrix, exported->unknowns * exported->unknowns);
    exported_push(&values, exported->formulas.displacements, exported->n * exported->formulas.free);
    return fmu_add_of_state(exported, "inertia", "value", false, &values, out);
}

// Rows of the velocities, each with what it has beside them: conditions, then the speeds.
static bool add_velocity_rows(const Exported *exported, Text *out)
{
    const Motion *motion = exported->motion;
    ExprRow values = {0};
    for (size_t i = 0; i < motion->m; i++) {
        exported_push(&values, motion->rows[i].b, exported->n);
        array_push(&values, motion->rows[i].c);
    }
    for (size_t i = 0; i < motion->k; i++) {
        exported_push(&values, motion->state.speeds[i].y, exported->n);
        array_push(&values, motion->state.speeds[i].y0);
    }
    return fmu_add_of_state(exported, "velocity_rows", "value", false, &values, out);
}

// ---- Inputs.

// Those that have a formula in t or in parameters.
static bool has_formula(const Exported *exported, size_t param)
{
    return exported_is_input(exported, param) &&
           !expr_is_number(exported->motion->pool, exported->model->params.at[param].signal);
}

static size_t count_formulas(const Exported *exported)
{
    size_t count = 0;
    for (size_t i = 0; i < exported->params; i++)
        count += has_formula(exported, i);
    return count;
}

static bool add_formulas(const Exported *exported, Text *out)
{
    FmuFunction function = {
        .name = "formulas", .arguments = "", .outputs = {{"value", 0, count_formulas(exported)}}};
    ExprRow inputs = {0}, moving = {0}, values = {0};
    exported_push_params(exported, &inputs);
    array_push(&inputs, exported->model->t);
    for (size_t i = 0; i < exported->params; i++)
        if (has_formula(exported, i))
            array_push(&values, exported->model->params.at[i].signal);
    return fmu_add_function(exported, &function, &inputs, &moving, &values, out);
}

// ---- Tables.

static void write_places(const Exported *exported, const char *name,
                         bool (*which)(const Exported *exported, size_t param), Text *out)
{
    text_addf(out, "static const int model_%s[] = {", name);
    for (size_t i = 0; i < exported->params; i++)
        if (which(exported, i))
            text_addf(out, "%zu, ", i);
    text_add(out, "-1};\n");
}

// Whether forces are searched for as with friction: it acts somewhere, Poisson's law was named, or
// two-sided conditions are among the rows.
static bool rubs(const Exported *exported)
{
    bool found = exported->motion->friction_count > 0 || fmu_one_sided(exported) < exported->sides;
    for (size_t i = 0; i < exported->sides && !found; i++)
        found = exported->side_rows[i]->constraint->law == SHOCK_POISSON;
    return found;
}

static size_t condition_place(const Exported *exported, const ModelConstraint *constraint)
{
    size_t at = 0;
    while (at < exported->m && exported->conditions[at]->constraint != constraint)
        at++;
    assert(at < exported->m);
    return at;
}

// The fields are those of fmu/fmu_types.h.
static void write_friction(const Exported *exported, const MotionFriction *friction, size_t first,
                           size_t sign, Text *out)
{
    bool pressed = friction->constraint && friction->side == SIZE_MAX;
    FrictionTerm own = {0};
    motion_friction_own(friction, &own);
    size_t count = pressed ? own.count : 0;
    text_addf(out, "    {%zu, %zu, %d, %zu, ", first, friction->rows,
              friction->side == SIZE_MAX ? -1 : (int)friction->side, count);
    for (size_t k = 0; k < FRICTION_NORMALS; k++)
        text_addf(out, "%zu, ", k < count ? condition_place(exported, own.by[k]) : 0);
    text_addf(out, "%d, %d},\n", fmu_has_sign(friction) ? (int)sign : -1,
              friction->friction->kind == FRICTION_AGAINST);
}

static void write_frictions(const Exported *exported, Text *out)
{
    const Motion *motion = exported->motion;
    size_t first = 0, sign = 0;
    text_add(out, "static const int model_friction_table[][9] = {\n");
    for (size_t i = 0; i < motion->friction_count; i++) {
        write_friction(exported, &motion->frictions[i], first, sign, out);
        first += motion->frictions[i].rows;
        sign += fmu_has_sign(&motion->frictions[i]);
    }
    text_add(out, "    {0}};\nstatic const char *const model_friction_names[] = {");
    for (size_t i = 0; i < motion->friction_count; i++)
        text_addf(out, "\"%s\", ", motion->frictions[i].friction->name);
    text_add(out, "\"\"};\n/* 1: Newton's law of impacts was named; 2: Poisson's. */\n"
                  "static const unsigned char model_side_laws[] = {");
    for (size_t i = 0; i < exported->sides; i++) {
        ShockLaw law = exported->side_rows[i]->constraint->law;
        text_addf(out, "%d, ", law == SHOCK_NEWTON ? 1 : law == SHOCK_POISSON ? 2 : 0);
    }
    text_add(out, "0};\n\n");
}

static void write_tables(const Exported *exported, Text *out)
{
    name_template(exported, "static double *model_parameter(@_params *p, int which)\n{\n", out);
    text_add(out, "    switch (which) {\n");
    for (size_t i = 0; i < exported->params; i++)
        text_addf(out, "    case %zu: return &p->%s;\n", i, exported->param_names[i]);
    text_add(out, "    }\n    return p->worked_out;\n}\n\n"
                  "/* 0: it follows from others; 2: an input; 3: a discrete state. */\n"
                  "static const unsigned char model_settable[] = {");
    for (size_t i = 0; i < exported->params; i++)
        text_addf(out, "%d, ",
                  exported->model->params.at[i].is_state ? 3
                  : exported_is_input(exported, i)       ? 2
                                                         : !exported_follows(exported, i));
    text_add(out, "0};\n");
    if (exported_inputs(exported))
        write_places(exported, "input_places", exported_is_input, out);
    if (count_formulas(exported))
        write_places(exported, "formula_places", has_formula, out);
    bool rows = exported->sides + exported->motion->friction_count > 0;
    if (rows)
        fmu_write_sides(exported, out);
    if (rubs(exported))
        write_frictions(exported, out);
    if (exported->model->events.count)
        fmu_write_events(exported, out);
}

static void write_sizes(const Exported *exported, const char *token, Text *out)
{
    const Motion *own = exported->motion;
    size_t slides = fmu_slides(own), pressed = 0, signs = fmu_signs(own);
    for (size_t i = 0; i < own->friction_count; i++)
        pressed += own->frictions[i].constraint && own->frictions[i].side == SIZE_MAX;
    const struct {
        const char *name;
        size_t value;
    } sizes[] = {{"PARAMETERS", exported->params},
                 {"INPUTS", exported_inputs(exported)},
                 {"FORMULAS", count_formulas(exported)},
                 {"KNOTS", fmu_knots(exported)},
                 {"COORDINATES", exported->n},
                 {"SPEEDS", exported->k},
                 {"UNKNOWNS", exported->unknowns},
                 {"FREE", exported->formulas.free},
                 {"CONDITIONS", exported->m},
                 {"SHARED", !exported->shared              ? 0
                            : exported->motion->servos > 0 ? 2
                                                           : 1},
                 {"SIDES", exported->sides},
                 {"ONE_SIDED", fmu_one_sided(exported)},
                 {"DIRECTED", fmu_is_directed(exported)},
                 {"ROWS", exported->sides + slides},
                 {"SLIDES", slides},
                 {"FRICTIONS", own->friction_count},
                 {"PRESSED", pressed},
                 {"SIGNS", signs},
                 {"FORCE_PARTS", fmu_force_parts(own)},
                 {"RUBS", rubs(exported)},
                 {"SWITCHES", exported->switches.count},
                 {"WATCHES", exported->sides + own->friction_count + exported->switches.count +
                                 exported->model->events.count},
                 {"IMPULSES", exported->model->impulses.count},
                 {"BLOWS", exported->model->impulses.count + fmu_event_blows(exported->model)},
                 {"EVENTS", exported->model->events.count},
                 {"WAITS", fmu_waits(exported)},
                 {"SAMPLES", fmu_samples(exported->model)},
                 {"ACTIONS", fmu_action_values(exported)},
                 {"VELOCITY_ROWS", exported->motion->m},
                 {"OWN_SPEEDS", exported->motion->k},
                 {"ALL_VELOCITIES", exported->all},
                 {"DRIFTS", exported->drift_count},
                 {"RESIDUALS", exported->residuals},
                 {"OUTPUTS", exported->model->outputs.count + fmu_other_speeds(exported)},
                 {"ITERATES", exported_iterates(exported)},
                 {"LIMITS", exported->limits}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        text_addf(out, "#define MODEL_%s %zu\n", sizes[i].name, sizes[i].value);
    // A whole number of seconds is no integer of C, whose quotients are rounded.
    text_addf(out, "#define MODEL_EVERY ((double)%.17g)\n#define MODEL_TOKEN \"%s\"\n",
              exported->every, token);
}

// The functions that exported C has, by names that are the same for all models.
static void write_names(const Exported *exported, Text *out)
{
    static const char *const names[] = {
        "params",           "state",   "defaults",      "follow", "prepare", "start", "derivative",
        "derivative_along", "project", "follow_branch", "valid"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        text_addf(out, "#define model_%s %s_%s\n", names[i], exported->system, names[i]);
    text_add(out, "\n");
}

// ---- Together.

static const char types_text[] =
#include "export/fmu_types.txt"
    ;
static const char algebra_text[] =
#include "export/fmu_algebra.txt"
    ;
static const char contacts_text[] =
#include "export/fmu_contacts.txt"
    ;
static const char friction_text[] =
#include "export/fmu_friction.txt"
    ;
static const char modes_text[] =
#include "export/fmu_modes.txt"
    ;
static const char impacts_text[] =
#include "export/fmu_impacts.txt"
    ;
static const char motion_text[] =
#include "export/fmu_motion.txt"
    ;
static const char changes_text[] =
#include "export/fmu_changes.txt"
    ;
static const char settle_text[] =
#include "export/fmu_settle.txt"
    ;
static const char events_text[] =
#include "export/fmu_events.txt"
    ;
static const char steps_text[] =
#include "export/fmu_steps.txt"
    ;
static const char functions_text[] =
#include "export/fmu_functions.txt"
    ;
static const char simulation_text[] =
#include "export/fmu_simulation.txt"
    ;
static const char *const runtime[] = {types_text,     algebra_text, contacts_text, friction_text,
                                      modes_text,     impacts_text, motion_text,   changes_text,
                                      settle_text,    events_text,  steps_text,    functions_text,
                                      simulation_text};

static bool add_all(const Exported *exported, Text *out)
{
    bool whole = add_accelerations(exported, out) && add_quantities(exported, out);
    if (exported->m)
        whole = add_reactions(exported, out) && whole;
    if (exported->sides + exported->motion->friction_count)
        whole = add_sides(exported, out) && whole;
    if (exported->switches.count)
        whole = add_switches(exported, out) && whole;
    if (exported->model->impulses.count)
        whole = add_impulses(exported, out) && whole;
    if (fmu_samples(exported->model))
        whole = add_samples(exported, out) && whole;
    if (exported->model->impulses.count + fmu_event_blows(exported->model))
        whole = add_inertia(exported, out) && whole;
    if (exported->model->events.count)
        whole = add_velocity_rows(exported, out) && fmu_add_actions(exported, out) && whole;
    if (fmu_waits(exported))
        whole = fmu_add_waits(exported, out) && whole;
    if (count_formulas(exported))
        whole = add_formulas(exported, out) && whole;
    if (fmu_knots(exported))
        whole = fmu_add_knots(exported, out) && whole;
    return whole;
}

Status fmu_source(const Exported *exported, const char *token, Diag *diag, Text *source)
{
    CPrograms programs;
    Text body = {0};
    c_programs_init(&programs, exported);
    c_write_state_functions(&programs, &body);
    bool whole = add_all(exported, &body);
    text_add(source, "/*\n");
    comment_head(exported,
                 "An FMU of FMI 3.0, Model Exchange and Co-Simulation: C99, without dependencies "
                 "beyond libm.\ncc -O2 -shared -fPIC fmu.c -lm",
                 source);
    text_add(source, " */\n#include <math.h>\n\n#define REAL double\n\n");
    c_write_state_types(exported, programs.worked_out, source);
    c_write_helpers(exported, &body, source);
    text_add(source, body.at);
    write_tables(exported, source);
    write_sizes(exported, token, source);
    write_names(exported, source);
    for (size_t i = 0; i < sizeof runtime / sizeof *runtime; i++)
        text_add(source, runtime[i]);
    c_programs_clear(&programs);
    text_clear(&body);
    return whole ? STATUS_OK
                 : diag_error(diag, place_none(),
                              "an output holds the multiplier of a condition that was set aside, "
                              "which has no value in an FMU; remove that output");
}
