// rates.c: the motion as y' = f(t, y), y = (q, u), in one program with few operations.
//
// On the graph, parameters being numbers already: [b; Y] q' = [−c; u − y0] is eliminated, which
// gives q' = B·u + C, and once more for q'' = B·u' + D, D from −γ and from how the speeds change
// by themselves. Then Kane's equations: partial velocities of every body, forward along the columns
// of B,
//
//     Σ_β [Σ m P_α·P_β + Ω_α·I·Ω_β] u'_β = Σ_ν K_ν B_να − Σ m P_α·J − Ω_α·(I·ω' + ω × I·ω),
//
// J and ω' taken for u' = 0. What is used more than once has a name (rates_impl.h), so that nothing
// is worked out twice.
#include "dynamics/rates.h"
#include "algebra/algebra.h"
#include "dynamics/rates_impl.h"

#include <math.h>
#include <string.h>

// Up to this size the equations for u' are solved on the graph; larger ones where elimination
// leaves no more than so many entries in a row.
enum { MOST_UNROLLED = 8, FEW_ENTRIES = 4 };
// Up to so many bodies it pays to try both ways.
enum { FEW_BODIES = 8 };
// Programs of no more operations are worth the work of simplifying, and so much of it; what has
// come out with more than a few operations gets a name.
enum { WORTH_SIMPLIFYING = 128, FEW_OPERATIONS = 24 };
#define MOST_EFFORT 1e5
// A pivot that is no more than this part of what it is measured by has lost too many digits.
#define POOR_PIVOT 1e-7

Expr builder_fixed(RatesBuilder *builder, Expr e)
{
    return expr_subst(builder->fixed, e);
}

Expr builder_reduced(RatesBuilder *builder, Expr e)
{
    return expr_subst(builder->reduced, builder_fixed(builder, e));
}

// Room for the names of all expressions so far.
static void reach_names(RatesBuilder *builder)
{
    size_t count = expr_pool_size(builder->pool) + 1;
    if (count <= builder->name_count)
        return;
    uint32_t *names = base_alloc(2 * count * sizeof *names);
    if (builder->name_count)
        memcpy(names, builder->names, builder->name_count * sizeof *names);
    base_free(builder->names);
    builder->names = names;
    builder->name_count = 2 * count;
}

// Whether a name would save nothing: what is a symbol, a number, or one function of a symbol.
static bool is_short(const RatesBuilder *builder, Expr e)
{
    ExprPool *pool = builder->pool;
    if (expr_op_arity(expr_op(pool, e)) == 1)
        e = expr_arg(pool, e, 0);
    return expr_is_number(pool, e) || expr_is_symbol(pool, e);
}

static size_t operations_of(const RatesBuilder *builder, const Expr *exprs, size_t count)
{
    ExprList symbols = expr_symbols(builder->pool, exprs, count);
    Expr *inputs = base_alloc((symbols.count + 1) * sizeof *inputs);
    for (size_t i = 0; i < symbols.count; i++)
        inputs[i] = (Expr){symbols.at[i]};
    Program *program = program_new(builder->pool, inputs, symbols.count, exprs, count, NULL);
    size_t operations = program_operations(program);
    program_free(program);
    base_free(inputs);
    expr_list_free(&symbols);
    return operations;
}

// Whether e is simplified and has no more than a few terms: then it goes on without a name, so that
// it may meet its like and cancel.
static bool simplify(RatesBuilder *builder, Expr *e)
{
    if (isnan(builder->effort))
        return false;
    if (builder->effort > 0)
        *e = algebra_simplify_within(builder->motion->algebra, *e, &builder->effort);
    return operations_of(builder, e, 1) <= FEW_OPERATIONS;
}

Expr builder_name(RatesBuilder *builder, Expr e)
{
    e = builder_on_circle(builder, e);
    if (simplify(builder, &e))
        return e;
    fmpq_t factor;
    fmpq_init(factor);
    Expr rest = expr_strip(builder->pool, e, factor);
    if (!is_short(builder, rest)) {
        reach_names(builder);
        Expr name = {builder->names[rest.at]};
        if (expr_is_none(name)) {
            name = expr_symbol_new(builder->pool, "part");
            array_push(&builder->definitions, ((ProgramDefinition){name, rest}));
            builder->names[rest.at] = name.at;
        }
        e = expr_mul(builder->pool, expr_number(builder->pool, factor), name);
    }
    fmpq_clear(factor);
    return e;
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
    ProgramDefinition definition = {symbol, value};
    array_push(&builder->definitions, definition);
}

// ---- Parameters.

// Rational ones exactly, others (pi/10) as the nearest double.
static void fix_parameters(RatesBuilder *builder)
{
    const Model *model = builder->motion->model;
    size_t count = model->params.count;
    builder->fixed = expr_subst_new(builder->pool);
    builder->reduced = expr_subst_new(builder->pool);
    if (builder->recipe.symbolic || builder->recipe.late)
        return;
    Expr *symbols = base_alloc((2 * count + 1) * sizeof *symbols), *values = symbols + count;
    for (size_t i = 0; i < count; i++) {
        symbols[i] = model->params.at[i].symbol;
        values[i] = expr_replace(builder->pool, model->params.at[i].value, symbols, values, i);
        if (!expr_is_number(builder->pool, values[i]))
            values[i] = expr_double(builder->pool, builder->state->inputs[i]);
        expr_subst_set(builder->fixed, symbols[i], values[i]);
    }
    base_free(symbols);
}

// ---- Velocities.

// Row i of [b; Y], its rest, and what it comes to for q'' = 0 when differentiated.
typedef struct {
    Expr rest, drift;
} RowEnd;

// γ of all conditions: from the rows, or from the conditions as they were written, where what
// vectors share is not yet multiplied out; whichever is shorter. The caller frees them.
static Expr *make_drifts(RatesBuilder *builder)
{
    Motion *motion = builder->motion;
    size_t m = motion->m;
    Expr *drifts = base_alloc((2 * m + 1) * sizeof *drifts), *written = drifts + m;
    for (size_t i = 0; i < m; i++) {
        const MotionRow *row = &motion->rows[i];
        Expr velocity = row->constraint->residual;
        if (!expr_is_none(row->position))
            velocity = expr_rate(motion->dt_still, row->position);
        written[i] = builder_fixed(builder, expr_rate(motion->dt_still, velocity));
        drifts[i] = builder_fixed(builder, row->gamma);
    }
    if (operations_of(builder, written, m) < operations_of(builder, drifts, m))
        memcpy(drifts, written, m * sizeof *drifts);
    return drifts;
}

static RowEnd make_row(RatesBuilder *builder, size_t i, const Expr *drifts, Expr *row)
{
    Motion *motion = builder->motion;
    const Equations *eq = builder->eq;
    const State *state = builder->state;
    ExprPool *pool = builder->pool;
    size_t n = builder->n, m = eq->independent.count;
    RowEnd end = {expr_int(pool, 0), expr_int(pool, 0)};
    if (i >= m && !state->speeds.own) {
        for (size_t j = 0; j < n; j++)
            row[j] = expr_int(pool, j == state->speeds.chosen[i - m]);
        return end;
    }
    size_t at = i < m ? eq->independent.rows[i] : 0;
    const Expr *from = i < m ? motion->rows[at].b : motion->state.speeds[i - m].y;
    for (size_t j = 0; j < n; j++)
        row[j] = builder_name(builder, builder_fixed(builder, from[j]));
    end.rest = i < m ? motion->rows[at].c : motion->state.speeds[i - m].y0;
    end.drift = i < m ? drifts[at]
                      : builder_fixed(builder, expr_rate(motion->dt_still,
                                                         motion->state.speeds[i - m].value));
    end.rest = expr_neg(pool, builder_fixed(builder, end.rest));
    end.drift = expr_neg(pool, end.drift);
    return end;
}

// The entries at the present state, velocities in units of their scale.
static double *row_values(const RatesBuilder *builder)
{
    const Equations *eq = builder->eq;
    const State *state = builder->state;
    size_t n = builder->n, m = eq->independent.count;
    double *values = base_alloc((n * n + 1) * sizeof *values);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            bool unit = i >= m && !state->speeds.own;
            size_t at = i < m ? eq->independent.rows[i] : i;
            double entry =
                unit ? j == state->speeds.chosen[i - m] : state->velocities.out[at * n + j];
            values[i * n + j] = entry * state->scale[j];
        }
    return values;
}

Expr builder_speed(const RatesBuilder *builder, size_t alpha)
{
    const State *state = builder->state;
    if (builder->all)
        return builder->motion->v[alpha];
    return state->speeds.own ? builder->motion->state.speeds[alpha].u
                             : builder->motion->v[state->speeds.chosen[alpha]];
}

static Program *lower(const RatesBuilder *builder, const Expr *outputs, size_t count)
{
    const Motion *motion = builder->motion;
    bool late = builder->recipe.late, named = builder->recipe.symbolic || late;
    size_t params = named ? motion->model->params.count : 0, at = 0;
    Expr *inputs = base_alloc((params + 1 + builder->n + builder->k) * sizeof *inputs);
    for (size_t i = 0; i < params; i++)
        inputs[at++] = motion->model->params.at[i].symbol;
    inputs[at++] = motion->model->t;
    for (size_t nu = 0; nu < builder->n; nu++)
        inputs[at++] = motion->q[nu];
    for (size_t alpha = 0; alpha < builder->k; alpha++)
        inputs[at++] = builder_speed(builder, alpha);
    Program *program = program_new_defined(builder->pool, inputs, at, builder->definitions.at,
                                           builder->definitions.count, outputs, count, NULL);
    base_free(inputs);
    if (!program)
        return NULL;
    Program *folded = program_bound(program, builder->state->inputs, late ? params : 0);
    program_free(program);
    return folded;
}

// The columns of B, then C, n numbers each.
static void solve_columns(RatesBuilder *builder, const Elimination *elimination, const RowEnd *ends)
{
    size_t n = builder->n, k = builder->k, m = n - k;
    Expr *right = base_alloc((2 * n + 1) * sizeof *right), *x = right + n;
    for (size_t alpha = 0; alpha <= k; alpha++) {
        for (size_t i = 0; i < n; i++)
            right[i] = alpha == k ? ends[i].rest : expr_int(builder->pool, i == m + alpha);
        elimination_solve(elimination, builder, right, x);
        for (size_t nu = 0; nu < n; nu++)
            *(alpha == k ? &builder->C[nu] : &builder->B[nu * k + alpha]) = x[nu];
    }
    base_free(right);
}

// q' as definitions of its symbols, where they are not the speeds themselves.
static void define_velocities(RatesBuilder *builder)
{
    size_t n = builder->n, k = builder->k;
    Expr *terms = base_alloc((k + 1) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++) {
        for (size_t alpha = 0; alpha < k; alpha++)
            terms[alpha] =
                expr_mul(builder->pool, builder->B[nu * k + alpha], builder_speed(builder, alpha));
        terms[k] = builder->C[nu];
        Expr velocity = expr_sum(builder->pool, terms, k + 1);
        if (!expr_same(velocity, builder->motion->v[nu]))
            define(builder, builder->motion->v[nu], velocity);
    }
    base_free(terms);
}

// q'' for u' = 0.
static void define_drift(RatesBuilder *builder, const Expr *drift)
{
    for (size_t nu = 0; nu < builder->n; nu++)
        define(builder, builder->motion->a[nu], drift[nu]);
}

static bool eliminate_velocities(RatesBuilder *builder)
{
    size_t n = builder->n;
    Expr *matrix = base_alloc((n * n + 2 * n + 1) * sizeof *matrix);
    Expr *right = matrix + n * n, *drift = right + n;
    RowEnd *ends = base_alloc((n + 1) * sizeof *ends);
    Expr *drifts = make_drifts(builder);
    for (size_t i = 0; i < n; i++)
        ends[i] = make_row(builder, i, drifts, matrix + i * n);
    base_free(drifts);
    double *values = row_values(builder);
    Elimination elimination;
    bool solved = elimination_init(&elimination, builder, n, matrix, builder->state->scale, values);
    if (solved) {
        solve_columns(builder, &elimination, ends);
        define_velocities(builder);
        for (size_t i = 0; i < n; i++)
            right[i] = ends[i].drift;
        elimination_solve(&elimination, builder, right, drift);
        define_drift(builder, drift);
    }
    elimination_clear(&elimination);
    base_free(values);
    base_free(ends);
    base_free(matrix);
    return solved;
}

// How many operations it takes to know B, q' and q''.
static size_t velocity_operations(RatesBuilder *builder)
{
    size_t n = builder->n, count = n * builder->k;
    Expr *outputs = base_alloc((count + 2 * n + 1) * sizeof *outputs);
    memcpy(outputs, builder->B, count * sizeof *outputs);
    memcpy(outputs + count, builder->motion->v, n * sizeof *outputs);
    memcpy(outputs + count + n, builder->motion->a, n * sizeof *outputs);
    Program *program = lower(builder, outputs, count + 2 * n);
    size_t operations = program ? program_operations(program) : SIZE_MAX;
    program_free(program);
    base_free(outputs);
    return operations;
}

// As the motion itself has solved for its own speeds: short where that could be simplified.
static void take_velocities(RatesBuilder *builder)
{
    const MotionReduction *reduction = &builder->motion->state;
    size_t n = builder->n, k = builder->k;
    Expr *drift = base_alloc((n + 1) * sizeof *drift);
    for (size_t i = 0; i < n * k; i++)
        builder->B[i] = builder_name(builder, builder_fixed(builder, reduction->B[i]));
    for (size_t nu = 0; nu < n; nu++) {
        builder->C[nu] = builder_name(builder, builder_fixed(builder, reduction->C[nu]));
        drift[nu] = builder_fixed(builder, reduction->D[nu]);
    }
    define_velocities(builder);
    define_drift(builder, drift);
    base_free(drift);
}

// ---- The program.

// u', or the equations for it.
static size_t push_accelerations(RatesBuilder *builder, size_t unsolved, Expr *outputs)
{
    size_t k = builder->k;
    if (!unsolved) {
        builder_solve_symmetric(builder, builder->matrix, builder->right, k, outputs);
        return k;
    }
    memcpy(outputs, builder->matrix, k * k * sizeof *outputs);
    memcpy(outputs + k * k, builder->right, k * sizeof *outputs);
    return k * k + k;
}

// The same program with what sums share taken out of them, where that is shorter.
static void factor(RatesBuilder *builder, Expr *outputs, size_t count, Rates *rates)
{
    size_t names = builder->definitions.count, total = names + count;
    Expr *exprs = base_alloc((2 * total + 1) * sizeof *exprs), *former = exprs + total;
    for (size_t i = 0; i < names; i++)
        exprs[i] = builder->definitions.at[i].value;
    memcpy(exprs + names, outputs, count * sizeof *outputs);
    memcpy(former, exprs, total * sizeof *exprs);
    builder_factor(builder->pool, exprs, total);
    for (size_t i = 0; i < names; i++)
        builder->definitions.at[i].value = exprs[i];
    Program *other = lower(builder, exprs + names, count);
    bool shorter = other && program_operations(other) < program_operations(rates->program);
    for (size_t i = 0; i < names && !shorter; i++)
        builder->definitions.at[i].value = former[i];
    program_free(shorter ? rates->program : other);
    rates->program = shorter ? other : rates->program;
    base_free(exprs);
}

static bool finish(RatesBuilder *builder, Rates *rates)
{
    size_t n = builder->n, k = builder->k;
    Expr *outputs = base_alloc((n + k * k + k + 1) * sizeof *outputs);
    memcpy(outputs, builder->motion->v, n * sizeof *outputs);
    size_t count = n + push_accelerations(builder, rates->unsolved, outputs + n);
    rates->program = lower(builder, outputs, count);
    if (rates->program)
        factor(builder, outputs, count, rates);
    base_free(outputs);
    if (!rates->program)
        return false;
    rates->pivots.program = lower(builder, builder->watched.at, builder->watched.count);
    rates->pivots.out = base_alloc((builder->watched.count + 1) * sizeof(double));
    rates->pivots.work =
        base_alloc((program_registers(rates->pivots.program) + 1) * sizeof(double));
    return true;
}

static void making_init(RatesBuilder *builder, const Equations *eq, const State *state,
                        Motion *motion, Recipe recipe)
{
    bool all = eq->nonlinear || recipe.whole;
    size_t n = motion->n, k = all ? n : eq->k;
    *builder = (RatesBuilder){.motion = motion,
                              .eq = eq,
                              .state = state,
                              .pool = motion->pool,
                              .n = n,
                              .k = k,
                              .all = all,
                              .recipe = recipe,
                              .effort = recipe.effort};
    builder->B = base_alloc((n * k + 1) * sizeof(Expr));
    builder->C = base_alloc((n + 1) * sizeof(Expr));
    builder->matrix = base_alloc((k * k + 1) * sizeof(Expr));
    builder->right = base_alloc((k + 1) * sizeof(Expr));
    for (size_t i = 0; i < k * k; i++)
        builder->matrix[i] = expr_int(builder->pool, 0);
    for (size_t i = 0; i < k; i++)
        builder->right[i] = expr_int(builder->pool, 0);
    fix_parameters(builder);
}

void rates_builder_clear(RatesBuilder *builder)
{
    expr_subst_free(builder->fixed);
    expr_subst_free(builder->reduced);
    array_clear(&builder->definitions);
    base_free(builder->names);
    array_clear(&builder->watched);
    base_free(builder->B);
    base_free(builder->C);
    base_free(builder->E);
    base_free(builder->unknown);
    base_free(builder->matrix);
    base_free(builder->right);
}

// Where all velocities are in use they are what they are, and so are the accelerations.
static void leave_velocities(RatesBuilder *builder)
{
    size_t n = builder->n;
    for (size_t nu = 0; nu < n; nu++) {
        for (size_t mu = 0; mu < n; mu++)
            builder->B[nu * n + mu] = expr_int(builder->pool, nu == mu);
        builder->C[nu] = expr_int(builder->pool, 0);
        define(builder, builder->motion->a[nu], builder->C[nu]);
    }
}

// The velocities by elimination, or as the motion has them where that is shorter.
static bool make_velocities(RatesBuilder *builder)
{
    if (builder->all) {
        leave_velocities(builder);
        return true;
    }
    if (!eliminate_velocities(builder))
        return false;
    if (!builder->state->speeds.own)
        return true;
    RatesBuilder other;
    making_init(&other, builder->eq, builder->state, builder->motion, builder->recipe);
    take_velocities(&other);
    if (velocity_operations(&other) <= velocity_operations(builder)) {
        RatesBuilder longer = *builder;
        *builder = other;
        other = longer;
    }
    rates_builder_clear(&other);
    return true;
}

bool rates_builder_make(RatesBuilder *builder, const Equations *eq, const State *state,
                        Motion *motion, Recipe recipe)
{
    making_init(builder, eq, state, motion, recipe);
    if (!make_velocities(builder))
        return false;
    if (recipe.mixed)
        return builder_mixed(builder);
    builder_equations(builder, recipe.together);
    return true;
}

// Whether the elimination of the matrix for u', in its own order, fills few entries.
static bool fills_few(const RatesBuilder *builder)
{
    size_t k = builder->k, filled = 0;
    bool *entries = base_alloc((k * k + 1) * sizeof *entries);
    for (size_t i = 0; i < k * k; i++)
        entries[i] = !expr_is_zero(builder->pool, builder->matrix[i]);
    for (size_t j = 0; j < k && filled <= FEW_ENTRIES * k; j++)
        for (size_t i = j + 1; i < k; i++) {
            filled += entries[i * k + j];
            for (size_t l = j + 1; l < k && entries[i * k + j]; l++)
                entries[i * k + l] = entries[i * k + l] || entries[j * k + l];
        }
    base_free(entries);
    return filled <= FEW_ENTRIES * k;
}

void builder_speeds(const RatesBuilder *builder, double *u)
{
    if (builder->all)
        memcpy(u, builder->state->v, builder->n * sizeof *u);
    else
        dynamics_speeds(builder->eq, builder->state, u);
}

void builder_values(const RatesBuilder *builder, const Expr *exprs, size_t count, double *values)
{
    const Equations *eq = builder->eq;
    const State *state = builder->state;
    Program *program = lower(builder, exprs, count);
    size_t params = builder->recipe.symbolic ? eq->params : 0;
    double *inputs = base_alloc((params + 1 + builder->n + builder->k) * sizeof *inputs);
    double *work = base_alloc((program_registers(program) + 1) * sizeof *work);
    memcpy(inputs, state->inputs, params * sizeof *inputs);
    inputs[params] = *state->t;
    memcpy(inputs + params + 1, state->q, builder->n * sizeof *inputs);
    builder_speeds(builder, inputs + params + 1 + builder->n);
    program_run_real(program, inputs, values, work);
    program_free(program);
    base_free(inputs);
    base_free(work);
}

static bool make(Rates *rates, const Equations *eq, State *state, Motion *motion, Recipe recipe)
{
    RatesBuilder builder;
    *rates = (Rates){.n = eq->n, .k = eq->k};
    bool made = rates_builder_make(&builder, eq, state, motion, recipe);
    bool solved = made && recipe.solved && (eq->k <= MOST_UNROLLED || fills_few(&builder));
    rates->unsolved = solved ? 0 : eq->k;
    made = made && finish(&builder, rates);
    rates_builder_clear(&builder);
    return made;
}

// By another recipe, where that is as short.
static void try(Rates *rates, const Equations *eq, State *state, Motion *motion, Recipe other,
                Recipe *recipe)
{
    Rates made = {0};
    if (make(&made, eq, state, motion, other) &&
        program_operations(made.program) <= program_operations(rates->program)) {
        Rates longer = *rates;
        *rates = made;
        made = longer;
        *recipe = other;
    }
    rates_clear(&made);
}

// Bodies together; where there are few, also each by itself, simplified where that is short, else
// with parameters that get their numbers last; and what is shortest.
static bool make_shortest(Rates *rates, const Equations *eq, State *state, Motion *motion,
                          bool may_be_late, Recipe *recipe)
{
    const Model *model = motion->model;
    recipe->together = true;
    recipe->effort = NAN;
    if (!make(rates, eq, state, motion, *recipe))
        return false;
    bool few = model->masses.count + model->bodies.count <= FEW_BODIES;
    if (!few)
        return true;
    Recipe apart = *recipe;
    apart.together = false;
    try(rates, eq, state, motion, apart, recipe);
    // Speeds that are taken on the way are soon left again.
    if (!state->speeds.own)
        return true;
    if (program_operations(rates->program) <= WORTH_SIMPLIFYING) {
        apart.effort = MOST_EFFORT;
        try(rates, eq, state, motion, apart, recipe);
    } else if (may_be_late) {
        Recipe late = *recipe;
        late.late = true;
        try(rates, eq, state, motion, late, recipe);
    }
    return true;
}

// The inputs of the present state.
static double least_pivot_now(Rates *rates, const Equations *eq, const State *state)
{
    double *inputs = base_alloc((1 + rates->n + rates->k) * sizeof *inputs);
    inputs[0] = *state->t;
    memcpy(inputs + 1, state->q, rates->n * sizeof *inputs);
    dynamics_speeds(eq, state, inputs + 1 + rates->n);
    double least = rates_least_pivot(rates, inputs);
    base_free(inputs);
    return least;
}

// Solved on the graph where that is short and its pivots are good at the present state.
static bool make_either(Rates *rates, const Equations *eq, State *state, Motion *motion)
{
    Recipe recipe = {.solved = true};
    if (!make_shortest(rates, eq, state, motion, true, &recipe))
        return false;
    // An inertia that is not positive (it may come from a Lagrangian) wants other pivots.
    if (rates->unsolved == 0 && !(least_pivot_now(rates, eq, state) > POOR_PIVOT)) {
        rates_clear(rates);
        recipe = (Recipe){0};
        return make_shortest(rates, eq, state, motion, true, &recipe);
    }
    return true;
}

bool rates_init(Rates *rates, const Equations *eq, State *state, Motion *motion)
{
    // Conditions that only follow from each other where the motion goes are no formulas to solve;
    // nor are those that are not linear, whichever velocities they leave. Reactions of given
    // directions leave nothing symmetric to solve.
    if (eq->independent.count < eq->m || eq->nonlinear || motion->servos)
        return false;
    // In large systems with few entries formulas would fill them.
    if (eq->sparse_velocities && eq->sparse_forces)
        return false;
    return make_either(rates, eq, state, motion);
}

bool rates_recipe(const Equations *eq, State *state, Motion *motion, Recipe *recipe)
{
    Rates rates;
    if (!make_either(&rates, eq, state, motion))
        return false;
    recipe->solved = rates.unsolved == 0;
    rates_clear(&rates);
    bool made = make_shortest(&rates, eq, state, motion, false, recipe);
    rates_clear(&rates);
    return made;
}

void rates_clear(Rates *rates)
{
    program_free(rates->program);
    evaluator_clear(&rates->pivots);
    *rates = (Rates){0};
}

double rates_least_pivot(Rates *rates, const double *inputs)
{
    double least = 1;
    evaluator_run(&rates->pivots, inputs);
    for (size_t i = 0; i < program_outputs(rates->pivots.program); i += 2) {
        double part = rates->pivots.out[i] / rates->pivots.out[i + 1];
        if (!(part >= least))
            least = isfinite(part) ? part : -INFINITY;
    }
    return least;
}
