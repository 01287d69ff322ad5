// friction_programs.c: the numbers of frictions by programs; those that differ only in which
// coordinates they speak of share one, and each is run when it is asked for.
#include "base/diag.h"
#include "dynamics/equations.h"
#include "expr/expr.h"
#include "linalg/real.h"
#include "motion/motion_types.h"
#include "simulate/friction/friction_contacts_impl.h"

#include <assert.h>
#include <string.h>

typedef struct {
    size_t own, count; // inputs of its own, and outputs
    Expr *outputs;     // in the programs' own symbols
    Evaluator program; // of parameters, t and these
    double *inputs;
} Shape;

struct FrictionPrograms {
    Arena *arena;
    const Equations *eq;
    uint32_t *index; // of each symbol in the pool, when there were so many: its input + 1
    size_t index_count;
    ARRAY(Expr) own; // symbols
    ARRAY(Shape) shapes;
    ARRAY(uint32_t) inputs; // of all frictions: where their own inputs are
    ARRAY(uint32_t) shape;  // of each friction, and
    ARRAY(uint32_t) first;  // where its inputs begin
};

FrictionPrograms *friction_programs_new(const Equations *eq)
{
    FrictionPrograms *programs = base_alloc(sizeof *programs);
    *programs = (FrictionPrograms){
        .arena = arena_new(), .eq = eq, .index_count = expr_pool_size(eq->motion->pool) + 1};
    programs->index = base_alloc(programs->index_count * sizeof *programs->index);
    for (size_t i = 0; i < eq->input_count; i++)
        programs->index[eq->symbols[i].at] = (uint32_t)(i + 1);
    return programs;
}

void friction_programs_free(FrictionPrograms *programs)
{
    if (!programs)
        return;
    for (size_t i = 0; i < programs->shapes.count; i++)
        evaluator_clear(&programs->shapes.at[i].program);
    array_clear(&programs->shapes);
    array_clear(&programs->own);
    array_clear(&programs->inputs);
    array_clear(&programs->shape);
    array_clear(&programs->first);
    base_free(programs->index);
    arena_free(programs->arena);
    base_free(programs);
}

// Inputs that every program has: the parameters and t.
static size_t common(const FrictionPrograms *programs)
{
    return programs->eq->params + 1;
}

// The inputs that stand in the outputs beside these, in their order; their symbols become own ones.
static size_t make_generic(FrictionPrograms *programs, Expr *outputs, size_t count)
{
    const Equations *eq = programs->eq;
    ExprPool *pool = eq->motion->pool;
    bool *known = base_alloc(eq->input_count + 1);
    ExprList symbols = expr_symbols(pool, outputs, count);
    for (size_t i = 0; i < symbols.count; i++)
        if (symbols.at[i] < programs->index_count && programs->index[symbols.at[i]] > 0)
            known[programs->index[symbols.at[i]] - 1] = true;
    expr_list_free(&symbols);
    ExprSubst *subst = expr_subst_new(pool);
    size_t own = 0;
    for (size_t i = common(programs); i < eq->input_count; i++) {
        if (!known[i])
            continue;
        if (programs->own.count == own) {
            Expr symbol = expr_placeholder(pool, 'q', own);
            array_push(&programs->own, symbol);
        }
        array_push(&programs->inputs, (uint32_t)i);
        expr_subst_set(subst, eq->symbols[i], programs->own.at[own++]);
    }
    for (size_t i = 0; i < count; i++)
        outputs[i] = expr_subst(subst, outputs[i]);
    expr_subst_free(subst);
    base_free(known);
    return own;
}

static size_t find_shape(const FrictionPrograms *programs, const Expr *outputs, size_t count,
                         size_t own)
{
    for (size_t i = programs->shapes.count; i-- > 0;) {
        const Shape *shape = &programs->shapes.at[i];
        if (shape->own == own && shape->count == count &&
            memcmp(shape->outputs, outputs, count * sizeof *outputs) == 0)
            return i;
    }
    return SIZE_MAX;
}

static Status add_shape(FrictionPrograms *programs, const Expr *outputs, size_t count, size_t own,
                        Diag *diag)
{
    const Equations *eq = programs->eq;
    Arena *arena = programs->arena;
    size_t given = common(programs);
    Expr *inputs = arena_array(arena, Expr, given + own + 1), missing = {0};
    Shape shape = {.own = own,
                   .count = count,
                   .outputs = arena_array(arena, Expr, count + 1),
                   .inputs = real_alloc(arena, given + own)};
    memcpy(shape.outputs, outputs, count * sizeof *outputs);
    memcpy(inputs, eq->symbols, given * sizeof *inputs);
    if (own > 0)
        memcpy(inputs + given, programs->own.at, own * sizeof *inputs);
    if (!evaluator_init(&shape.program, eq->motion->pool, inputs, given + own, outputs, count,
                        &missing))
        return diag_error(diag, place_none(), "friction holds '%s', which has no value in a run",
                          expr_name(eq->motion->pool, missing));
    array_push(&programs->shapes, shape);
    return STATUS_OK;
}

Status friction_programs_add(FrictionPrograms *programs, Expr *outputs, size_t count, Diag *diag)
{
    array_push(&programs->first, (uint32_t)programs->inputs.count);
    size_t own = make_generic(programs, outputs, count);
    size_t shape = find_shape(programs, outputs, count, own);
    if (shape == SIZE_MAX) {
        shape = programs->shapes.count;
        TRY(add_shape(programs, outputs, count, own, diag));
    }
    array_push(&programs->shape, (uint32_t)shape);
    return STATUS_OK;
}

void friction_programs_run(FrictionPrograms *programs, size_t friction, const double *inputs,
                           double *outputs)
{
    assert(friction < programs->shape.count);
    Shape *shape = &programs->shapes.at[programs->shape.at[friction]];
    const uint32_t *own = programs->inputs.at + programs->first.at[friction];
    size_t given = common(programs);
    memcpy(shape->inputs, inputs, given * sizeof *inputs);
    for (size_t i = 0; i < shape->own; i++)
        shape->inputs[given + i] = inputs[own[i]];
    evaluator_run(&shape->program, shape->inputs);
    memcpy(outputs, shape->program.out, shape->count * sizeof *outputs);
}
