// rates_builder.c: the velocities of the motion as expressions, and names for what is used more
// than once, so that nothing is worked out twice.
//
// [b; Y] q' = [−c; u − y0] is eliminated, which gives q' = B·u + C, and once more for
// q'' = B·u' + D, D from −γ and from how the speeds change by themselves.
#include "algebra/simplify.h"
#include "dynamics/dynamics.h"
#include "dynamics/rates_impl.h"
#include "expr/expr.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/system.h"

#include <assert.h>
#include <math.h>
#include <string.h>

Expr builder_fixed(RatesBuilder *builder, Expr e)
{
    return expr_subst(builder->fixed, e);
}

Expr builder_reduced(RatesBuilder *builder, Expr e)
{
    return expr_subst(builder->reduced, builder_fixed(builder, e));
}

// ---- Programs.

Expr builder_speed(const RatesBuilder *builder, size_t alpha)
{
    const Motion *motion = builder->motion;
    const SpeedChoice *speeds = &builder->state->speeds;
    assert(alpha < builder->k);
    if (builder->all_velocities)
        return motion->v[alpha];
    return speeds->own ? motion->state.speeds[alpha].u : motion->v[speeds->chosen[alpha]];
}

void builder_speeds(const RatesBuilder *builder, double *u)
{
    if (builder->all_velocities)
        memcpy(u, builder->state->v, builder->n * sizeof *u);
    else
        dynamics_speeds(builder->eq, builder->state, u);
}

size_t builder_parameter_count(const RatesBuilder *builder)
{
    return builder->eq->params + (builder->recipe.inputs ? builder->n : 0);
}

double *builder_parameters(const RatesBuilder *builder)
{
    assert(builder->state->scale);
    size_t params = builder->eq->params;
    double *values = arena_array(builder->arena, double, params + builder->n);
    memcpy(values, builder->state->inputs, params * sizeof *values);
    memcpy(values + params, builder->state->scale, builder->n * sizeof *values);
    return values;
}

void builder_parameter_symbols(const RatesBuilder *builder, Expr *symbols)
{
    size_t params = builder->eq->params;
    for (size_t i = 0; i < params; i++)
        symbols[i] = builder->motion->model->params.at[i].symbol;
    if (builder->recipe.inputs)
        memcpy(symbols + params, builder->parameters.scales, builder->n * sizeof *symbols);
}

// The names of constants, then all others, and the outputs after these.
static ProgramDefinition *gather_definitions(RatesBuilder *builder, Expr *outputs, size_t count,
                                             size_t *total)
{
    assert(builder->recipe.inputs && total);
    size_t names = builder->definitions.count;
    Expr *exprs = arena_array(builder->arena, Expr, names + count);
    for (size_t i = 0; i < names; i++)
        exprs[i] = builder->definitions.at[i].value;
    memcpy(exprs + names, outputs, count * sizeof *outputs);
    builder_gather_constants(builder, exprs, names + count);
    size_t constants = builder->parameters.names.count;
    ProgramDefinition *all = arena_array(builder->arena, ProgramDefinition, constants + names);
    for (size_t i = 0; i < constants; i++)
        all[i] = builder->parameters.names.at[i];
    for (size_t i = 0; i < names; i++)
        all[constants + i] = (ProgramDefinition){builder->definitions.at[i].symbol, exprs[i]};
    memcpy(outputs, exprs + names, count * sizeof *outputs);
    *total = constants + names;
    return all;
}

Program *builder_lower(RatesBuilder *builder, const Expr *outputs, size_t count)
{
    const Motion *motion = builder->motion;
    const Recipe *recipe = &builder->recipe;
    bool named = recipe->symbolic || recipe->bound_late || recipe->inputs;
    size_t params = named ? builder_parameter_count(builder) : 0, at = params;
    Expr *inputs = arena_array(builder->arena, Expr, params + 1 + builder->n + builder->k + count);
    Expr *own = inputs + params + 1 + builder->n + builder->k;
    if (named)
        builder_parameter_symbols(builder, inputs);
    inputs[at++] = motion->model->t;
    for (size_t nu = 0; nu < builder->n; nu++)
        inputs[at++] = motion->q[nu];
    for (size_t alpha = 0; alpha < builder->k; alpha++)
        inputs[at++] = builder_speed(builder, alpha);
    const ProgramDefinition *definitions = builder->definitions.at;
    size_t total = builder->definitions.count;
    for (size_t i = 0; i < count; i++)
        own[i] = outputs[i];
    if (recipe->inputs)
        definitions = gather_definitions(builder, own, count, &total);
    Program *program =
        program_new_defined(builder->pool, inputs, at, definitions, total, own, count, NULL);
    if (!program)
        return NULL;
    Program *folded = recipe->inputs ? program_parametrized(program, params)
                                     : program_bound(program, builder->state->inputs,
                                                     recipe->bound_late ? params : 0);
    program_set_parameters(folded, builder_parameters(builder));
    program_free(program);
    return folded;
}

double *builder_inputs(const RatesBuilder *builder, bool parameters)
{
    const State *state = builder->state;
    size_t params = parameters ? builder->eq->params : 0;
    size_t first = params + 1 + builder->n; // of the speeds
    double *inputs = arena_array(builder->arena, double, first + builder->k);
    memcpy(inputs, state->t - params, first * sizeof *inputs);
    builder_speeds(builder, inputs + first);
    return inputs;
}

// ---- Names.

// Whether a name would save nothing: what is a symbol, a number, or one function of a symbol.
static bool is_short(RatesBuilder *builder, Expr e)
{
    ExprPool *pool = builder->pool;
    if (expr_op_arity(expr_op(pool, e)) == 1)
        e = expr_arg(pool, e, 0);
    return expr_is_number(pool, e) || expr_is_symbol(pool, e) || builder_is_constant(builder, e);
}

static size_t operations_of(RatesBuilder *builder, const Expr *exprs, size_t count)
{
    Expr *gathered = arena_array(builder->arena, Expr, count);
    memcpy(gathered, exprs, count * sizeof *exprs);
    if (builder->recipe.inputs)
        builder_gather_constants(builder, gathered, count);
    exprs = gathered;
    ExprList symbols = expr_symbols(builder->pool, exprs, count);
    Expr *inputs = arena_array(builder->arena, Expr, symbols.count);
    for (size_t i = 0; i < symbols.count; i++)
        inputs[i] = (Expr){symbols.at[i]};
    Program *program = program_new(builder->pool, inputs, symbols.count, exprs, count, NULL);
    size_t operations = program_operations(program);
    program_free(program);
    expr_list_free(&symbols);
    return operations;
}

// Whether e is simplified and has no more than a few operations: then it goes on without a name, so
// that it may meet its like and cancel.
static bool simplify(RatesBuilder *builder, Expr *e)
{
    if (isnan(builder->effort))
        return false;
    bool is_short = builder->recipe.inputs && algebra_is_short(builder->pool, *e);
    if (builder->effort > 0 && !is_short)
        *e = algebra_simplify_numeric(builder->motion->algebra, *e, &builder->effort);
    return operations_of(builder, e, 1) <= SIZE_SMALL;
}

// The place of e's name, among those of all expressions so far.
static uint32_t *name_of(RatesBuilder *builder, Expr e)
{
    size_t count = 2 * (expr_pool_size(builder->pool) + 1);
    if (e.at >= builder->names.count) {
        uint32_t *names = arena_array(builder->arena, uint32_t, count);
        if (builder->names.count)
            memcpy(names, builder->names.at, builder->names.count * sizeof *names);
        builder->names.at = names;
        builder->names.count = count;
    }
    return &builder->names.at[e.at];
}

Expr builder_name(RatesBuilder *builder, Expr e)
{
    assert(!expr_is_none(e));
    if (simplify(builder, &e))
        return e;
    fmpq_t factor;
    fmpq_init(factor);
    Expr rest = expr_strip(builder->pool, e, factor), constant = expr_int(builder->pool, 1);
    if (builder->recipe.inputs)
        builder_take_constant(builder, rest, &constant, &rest);
    if (!is_short(builder, rest)) {
        uint32_t *name = name_of(builder, rest);
        if (*name == 0) {
            *name = expr_symbol_new(builder->pool, "part").at;
            array_push(&builder->definitions, ((ProgramDefinition){{*name}, rest}));
        }
        constant = expr_mul(builder->pool, expr_number(builder->pool, factor), constant);
        e = expr_mul(builder->pool, constant, (Expr){*name});
    }
    fmpq_clear(factor);
    return e;
}

Expr builder_name_constant(RatesBuilder *builder, Expr e)
{
    assert(builder_is_constant(builder, e));
    uint32_t *name = name_of(builder, e);
    if (*name == 0) {
        *name = expr_symbol_new(builder->pool, "constant").at;
        array_push(&builder->parameters.names, ((ProgramDefinition){{*name}, e}));
    }
    return (Expr){*name};
}

Expr builder_name_always(RatesBuilder *builder, Expr e)
{
    double effort = builder->effort;
    simplify(builder, &e);
    builder->effort = NAN;
    e = builder_name(builder, e);
    builder->effort = effort;
    return e;
}

// What is one product goes into the equations as it is, where it may meet its like and cancel.
static void define(RatesBuilder *builder, Expr symbol, Expr value)
{
    if (expr_op(builder->pool, value) != EXPR_SUM || !isnan(builder->effort))
        expr_subst_set(builder->reduced, symbol, value);
    array_push(&builder->definitions, ((ProgramDefinition){symbol, value}));
}

// ---- Velocities.

ExprRates *builder_along(const RatesBuilder *builder, const Expr *symbols, size_t alpha)
{
    ExprRates *along = expr_rates_new(builder->pool);
    for (size_t nu = 0; nu < builder->n; nu++)
        expr_rates_set(along, symbols[nu], builder->B[nu * builder->k + alpha]);
    return along;
}

// γ of all conditions: from the rows, or from the conditions as they were written, where what
// vectors share is not yet multiplied out; whichever is shorter.
static const Expr *make_gammas(RatesBuilder *builder)
{
    Motion *motion = builder->motion;
    size_t m = motion->m;
    ShorterWays *known = builder->recipe.shorter;
    Shorter shorter = known ? known->gammas : SHORTER_OPEN;
    Expr *gammas = arena_array(builder->arena, Expr, 2 * m), *written = gammas + m;
    for (size_t i = 0; i < m; i++) {
        const MotionRow *row = &motion->rows[i];
        Expr velocity = row->constraint->residual;
        if (!expr_is_none(row->position))
            velocity = expr_rate(motion->dt_still, row->position);
        else if (expr_is_zero(builder->pool, velocity)) // a friction sticks: nobody wrote it
            velocity = row->velocity;
        written[i] = builder_fixed(builder, expr_rate(motion->dt_still, velocity));
        gammas[i] = builder_fixed(builder, row->gamma);
    }
    if (shorter == SHORTER_OPEN) {
        bool first = operations_of(builder, written, m) < operations_of(builder, gammas, m);
        shorter = first ? SHORTER_FIRST : SHORTER_SECOND;
    }
    if (known)
        known->gammas = shorter;
    return shorter == SHORTER_FIRST ? written : gammas;
}

// Row i of [b; Y]; what it comes to, less u, and the same when differentiated, for q'' = 0.
static void make_row(RatesBuilder *builder, size_t i, const Expr *gammas, Expr *row, Expr *rest,
                     Expr *drift)
{
    Motion *motion = builder->motion;
    const IndependentRows *independent = &builder->eq->independent;
    const SpeedChoice *speeds = &builder->state->speeds;
    ExprPool *pool = builder->pool;
    size_t n = builder->n, m = independent->count;
    *rest = *drift = expr_int(pool, 0);
    if (i >= m && !speeds->own) {
        for (size_t j = 0; j < n; j++)
            row[j] = expr_int(pool, j == speeds->chosen[i - m]);
        return;
    }
    const MotionRow *condition = i < m ? &motion->rows[independent->rows[i]] : NULL;
    const MotionSpeed *speed = i < m ? NULL : &motion->state.speeds[i - m];
    const Expr *from = condition ? condition->b : speed->y;
    for (size_t j = 0; j < n; j++)
        row[j] = builder_name(builder, builder_fixed(builder, from[j]));
    *drift = condition ? gammas[independent->rows[i]]
                       : builder_fixed(builder, expr_rate(motion->dt_still, speed->value));
    *rest = expr_neg(pool, builder_fixed(builder, condition ? condition->c : speed->y0));
    *drift = expr_neg(pool, *drift);
}

// q' as definitions of its symbols, where they are not the speeds themselves; then those of q'' for
// u' = 0.
static void define_velocities(RatesBuilder *builder)
{
    size_t n = builder->n, k = builder->k;
    Expr *speeds = arena_array(builder->arena, Expr, k);
    for (size_t alpha = 0; alpha < k; alpha++)
        speeds[alpha] = builder_speed(builder, alpha);
    for (size_t nu = 0; nu < n; nu++) {
        Expr velocity = sum_affine(builder->pool, builder->B + nu * k, speeds, k, builder->C[nu]);
        if (!expr_same(velocity, builder->motion->v[nu]))
            define(builder, builder->motion->v[nu], velocity);
    }
}

static void define_accelerations(RatesBuilder *builder, const Expr *drift)
{
    for (size_t nu = 0; nu < builder->n; nu++)
        define(builder, builder->motion->a[nu], drift[nu]);
}

static bool eliminate_velocities(RatesBuilder *builder)
{
    assert(builder->k <= builder->n);
    size_t n = builder->n, k = builder->k;
    Expr *matrix = arena_array(builder->arena, Expr, n * n + 4 * n);
    Expr *rest = matrix + n * n, *drift = rest + n, *x = drift + n, *unit = x + n;
    const Expr *gammas = make_gammas(builder);
    for (size_t i = 0; i < n; i++)
        make_row(builder, i, gammas, matrix + i * n, &rest[i], &drift[i]);
    Elimination elimination;
    if (!elimination_init(&elimination, builder, n, n, matrix, builder->state->scale))
        return false;
    for (size_t alpha = 0; alpha < k; alpha++) {
        for (size_t i = 0; i < n; i++)
            unit[i] = expr_int(builder->pool, i == n - k + alpha);
        elimination_solve(&elimination, unit, x);
        for (size_t nu = 0; nu < n; nu++)
            builder->B[nu * k + alpha] = x[nu];
    }
    elimination_solve(&elimination, rest, builder->C);
    define_velocities(builder);
    elimination_solve(&elimination, drift, x);
    define_accelerations(builder, x);
    return true;
}

// As the motion itself has solved for its own speeds: short where that could be simplified.
static void take_velocities(RatesBuilder *builder)
{
    const MotionReduction *reduction = &builder->motion->state;
    size_t n = builder->n, k = builder->k;
    Expr *drift = arena_array(builder->arena, Expr, n);
    for (size_t i = 0; i < n * k; i++)
        builder->B[i] = builder_name(builder, builder_fixed(builder, reduction->B[i]));
    for (size_t nu = 0; nu < n; nu++) {
        builder->C[nu] = builder_name(builder, builder_fixed(builder, reduction->C[nu]));
        drift[nu] = builder_fixed(builder, reduction->D[nu]);
    }
    define_velocities(builder);
    define_accelerations(builder, drift);
}

// Where all velocities are in use they are what they are, and so are the accelerations.
static void leave_velocities(RatesBuilder *builder)
{
    size_t n = builder->n;
    for (size_t i = 0; i < n * n; i++)
        builder->B[i] = expr_int(builder->pool, i / n == i % n);
    for (size_t nu = 0; nu < n; nu++)
        builder->C[nu] = expr_int(builder->pool, 0);
    define_accelerations(builder, builder->C);
}

// How many operations it takes to know B, q' and q''.
static size_t velocity_operations(RatesBuilder *builder)
{
    size_t n = builder->n, count = n * builder->k;
    Expr *outputs = arena_array(builder->arena, Expr, count + 2 * n);
    memcpy(outputs, builder->B, count * sizeof *outputs);
    memcpy(outputs + count, builder->motion->v, n * sizeof *outputs);
    memcpy(outputs + count + n, builder->motion->a, n * sizeof *outputs);
    Program *program = builder_lower(builder, outputs, count + 2 * n);
    size_t operations = program ? program_operations(program) : SIZE_MAX;
    program_free(program);
    return operations;
}

// ---- Making.

// What stands for a parameter that is an input: what others determine is an expression in these; 0
// and 1 make the equations shorter, and are a part of their structure. States change on the way.
static Expr input_value(const RatesBuilder *builder, const ModelParam *param, Expr value,
                        double number)
{
    if (param->is_state)
        return param->symbol;
    ExprList symbols = expr_symbols(builder->pool, &value, 1);
    bool depends = symbols.count > 0;
    expr_list_free(&symbols);
    if (number == 0 || number == 1)
        return expr_int(builder->pool, number == 1);
    return depends ? value : param->symbol;
}

// Parameters to their numbers: rational ones exactly, others (pi/10) as the nearest double. A
// discrete state has its value of now, which is not that of its start.
static void fix_parameters(RatesBuilder *builder)
{
    const Model *model = builder->motion->model;
    size_t count = model->params.count;
    builder->fixed = expr_subst_new(builder->pool);
    builder->reduced = expr_subst_new(builder->pool);
    expr_subst_bound(builder->fixed);
    if (builder->recipe.symbolic || builder->recipe.bound_late)
        return;
    Expr *symbols = arena_array(builder->arena, Expr, 2 * count), *values = symbols + count;
    for (size_t i = 0; i < count; i++) {
        symbols[i] = model->params.at[i].symbol;
        values[i] = expr_replace(builder->pool, model->params.at[i].value, symbols, values, i);
        if (builder->recipe.inputs)
            values[i] =
                input_value(builder, &model->params.at[i], values[i], builder->state->inputs[i]);
        else if (model->params.at[i].is_state || !expr_is_number(builder->pool, values[i]))
            values[i] = expr_double(builder->pool, builder->state->inputs[i]);
        expr_subst_set(builder->fixed, symbols[i], values[i]);
    }
}

static void builder_init(RatesBuilder *builder, const Recipe *recipe)
{
    Motion *motion = recipe->motion;
    bool all = recipe->eq->nonlinear || recipe->all_velocities;
    size_t n = motion->n, k = all ? n : recipe->eq->k;
    *builder = (RatesBuilder){.arena = arena_new(),
                              .motion = motion,
                              .eq = recipe->eq,
                              .state = recipe->state,
                              .pool = motion->pool,
                              .n = n,
                              .k = k,
                              .all_velocities = all,
                              .recipe = *recipe,
                              .effort = recipe->effort};
    fix_parameters(builder);
    builder->parameters.scales = arena_array(builder->arena, Expr, n);
    for (size_t i = 0; i < n && recipe->inputs; i++)
        builder->parameters.scales[i] = expr_symbol_new(builder->pool, "scale");
}

static void make_room(RatesBuilder *builder)
{
    builder->B = arena_array(builder->arena, Expr, builder->n * builder->k);
    builder->C = arena_array(builder->arena, Expr, builder->n);
}

void rates_builder_clear(RatesBuilder *builder)
{
    expr_subst_free(builder->fixed);
    expr_subst_free(builder->reduced);
    array_clear(&builder->definitions);
    array_clear(&builder->pivots);
    array_clear(&builder->parameters.names);
    arena_free(builder->arena);
    *builder = (RatesBuilder){0};
}

// The velocities by elimination, or as the motion has them where that is shorter.
static bool make_velocities(RatesBuilder *builder)
{
    if (builder->all_velocities) {
        leave_velocities(builder);
        return true;
    }
    bool solved = builder->state->speeds.own && !builder->motion->state.postponed;
    ShorterWays *known = builder->recipe.shorter;
    if (solved && known && known->velocities == SHORTER_FIRST) {
        take_velocities(builder);
        return true;
    }
    if (!eliminate_velocities(builder))
        return false;
    if (!solved || (known && known->velocities == SHORTER_SECOND))
        return true;
    RatesBuilder other;
    builder_init(&other, &builder->recipe);
    make_room(&other);
    take_velocities(&other);
    bool shorter = velocity_operations(&other) <= velocity_operations(builder);
    if (known)
        known->velocities = shorter ? SHORTER_FIRST : SHORTER_SECOND;
    rates_builder_clear(shorter ? builder : &other);
    if (shorter)
        *builder = other;
    return true;
}

// Whether the speeds in use are all velocities, one for one.
static bool are_velocities(const RatesBuilder *builder)
{
    const SpeedChoice *speeds = &builder->state->speeds;
    bool same = !builder->all_velocities && builder->k == builder->n && speeds->own;
    for (size_t alpha = 0; alpha < builder->k && same; alpha++)
        same = expr_same(builder->motion->state.speeds[alpha].u, builder->motion->v[alpha]);
    return same;
}

void rates_builder_parameters(RatesBuilder *builder, const Recipe *recipe)
{
    builder_init(builder, recipe);
}

bool rates_builder_velocities(RatesBuilder *builder, const Recipe *recipe)
{
    builder_init(builder, recipe);
    if (are_velocities(builder))
        return true;
    make_room(builder);
    return make_velocities(builder);
}

bool rates_builder_make(RatesBuilder *builder, const Recipe *recipe)
{
    assert(recipe->eq->motion->n == recipe->motion->n);
    builder_init(builder, recipe);
    make_room(builder);
    if (!make_velocities(builder))
        return false;
    if (recipe->mixed)
        return builder_mixed(builder);
    return builder_equations(builder, recipe->together);
}
