// fmu_programs.c: programs as functions of an FMU's source, each with the function of how its
// values change along a direction.
#include "export/fmu_impl.h"

#include "model/friction.h"
#include "motion/frictions.h"

static void add_arrays(const Exported *exported, const FmuArray *arrays, NameList *names)
{
    for (int i = 0; i < FMU_ARRAYS; i++)
        if (arrays[i].name)
            names_add_places(exported, names, arrays[i].name, arrays[i].first, arrays[i].count);
}

static void write_function(const Exported *exported, const FmuFunction *function, bool along,
                           const Program *program, Text *out)
{
    NameList inputs = {.arena = exported->arena}, outputs = {.arena = exported->arena};
    names_add_members(&inputs, "p->", exported->param_names, exported->params);
    names_add_places(exported, &inputs, "p->mode", 0, exported->modes.count);
    names_add(&inputs, "t");
    add_arrays(exported, function->inputs, &inputs);
    if (along)
        add_arrays(exported, function->moving, &inputs);
    if (along)
        names_add_places(exported, &inputs, "p->along", 0, exported_inputs(exported));
    add_arrays(exported, function->outputs, &outputs);
    name_template(exported, "static void model_", out);
    text_addf(out, "%s%s", function->name, along ? "_along" : "");
    name_template(exported, "(const @_params *p, double t", out);
    text_addf(out, "%s%s", function->arguments, along ? function->along_arguments : "");
    for (int i = 0; i < FMU_ARRAYS; i++)
        if (function->outputs[i].name)
            text_addf(out, ", double *%s", function->outputs[i].name);
    text_add(out, ")\n{\n    (void)p, (void)t;\n");
    names_statements(exported, program, &inputs, &outputs, out);
    text_add(out, "}\n\n");
}

// The function of these values, and how they change along a direction; the rows are let go.
bool fmu_add_function(const Exported *exported, const FmuFunction *function, ExprRow *inputs,
                      ExprRow *moving, ExprRow *values, Text *out)
{
    ExprRow again = {0}, copy = {0};
    bool along = function->along_arguments != NULL;
    exported_push(&again, inputs->at, inputs->count);
    exported_push(&copy, values->at, values->count);
    Program *plain = exported_lower(exported, function->defined, &again, &copy);
    if (along)
        exported_push_inputs(exported, moving);
    Program *slopes =
        along && plain ? exported_lower_along(exported, function->defined, inputs, moving, values)
                       : NULL;
    if (plain)
        write_function(exported, function, false, plain, out);
    if (slopes)
        write_function(exported, function, true, slopes, out);
    bool whole = plain && (slopes || !along);
    program_free(plain);
    program_free(slopes);
    array_clear(inputs);
    array_clear(moving);
    array_clear(values);
    return whole;
}

// ---- Functions of the state: p | t | q | u, and u' where that is solved for in numbers.

bool fmu_add_of_state(const Exported *exported, const char *name, const char *output,
                      bool with_changes, ExprRow *values, Text *out)
{
    size_t n = exported->n, k = exported->k, found = exported->formulas.solved ? 0 : k;
    FmuFunction function = {.name = name,
                            .arguments = ", const double *y, const double *rate",
                            .defined = true,
                            .inputs = {{"y", 0, n + k}, {"rate", n, found}},
                            .outputs = {{output, 0, values->count}},
                            .along_arguments =
                                with_changes ? ", const double *dy, const double *drate" : NULL,
                            .moving = {{"dy", 0, n + k}, {"drate", n, found}}};
    ExprRow inputs = {0}, moving = {0};
    exported_push_state(exported, &inputs);
    exported_push_found_rates(exported, &inputs);
    exported_push(&moving, exported->motion->q, n);
    exported_push(&moving, exported->formulas.speeds, k);
    exported_push_found_rates(exported, &moving);
    return fmu_add_function(exported, &function, &inputs, &moving, values, out);
}

// ---- Functions of q, q' and q''.

void fmu_push_place_moving(const Exported *exported, bool accelerations, ExprRow *inputs,
                           ExprRow *moving)
{
    const Motion *motion = exported->motion;
    exported_push_place(exported, inputs);
    exported_push(inputs, motion->v, exported->n);
    exported_push(moving, motion->q, exported->n);
    exported_push(moving, motion->v, exported->n);
    if (accelerations)
        exported_push(inputs, motion->a, exported->n);
    if (accelerations)
        exported_push(moving, motion->a, exported->n);
}

// What stands for them in outputs: forces along their rows, speeds, normal forces.
static void push_friction_symbols(const Motion *motion, ExprRow *row)
{
    for (size_t i = 0; i < motion->friction_count; i++)
        for (size_t k = 0; k < motion->frictions[i].rows; k++)
            array_push(row, motion->frictions[i].sticks[k].constraint->lambda);
    for (size_t i = 0; i < motion->friction_count; i++)
        array_push(row, motion->frictions[i].friction->slip);
    for (size_t i = 0; i < motion->friction_count; i++)
        array_push(row, motion->frictions[i].friction->normal);
}

// A function of q, q', q'' and of what reactions and frictions are.
bool fmu_add_of_instant(const Exported *exported, const char *name, bool with_changes,
                        ExprRow *values, Text *out)
{
    const Motion *motion = exported->motion;
    size_t n = exported->n, reactions = exported->m + exported->sides;
    size_t all = reactions + fmu_slides(motion) + 2 * motion->friction_count;
    FmuFunction function = {
        .name = name,
        .arguments = ", const double *q, const double *v, const double *a, const double *l",
        .inputs = {{"q", 0, n}, {"v", 0, n}, {"a", 0, n}, {"l", 0, all}},
        .outputs = {{"value", 0, values->count}},
        .along_arguments =
            with_changes
                ? ", const double *dq, const double *dv, const double *da, const double *dl"
                : NULL,
        .moving = {{"dq", 0, n}, {"dv", 0, n}, {"da", 0, n}, {"dl", 0, all}}};
    ExprRow inputs = {0}, moving = {0};
    fmu_push_place_moving(exported, true, &inputs, &moving);
    for (size_t i = 0; i < reactions; i++) {
        const MotionRow *row =
            i < exported->m ? exported->conditions[i] : exported->side_rows[i - exported->m];
        array_push(&inputs, row->constraint->lambda);
        array_push(&moving, row->constraint->lambda);
    }
    push_friction_symbols(motion, &inputs);
    push_friction_symbols(motion, &moving);
    return fmu_add_function(exported, &function, &inputs, &moving, values, out);
}
