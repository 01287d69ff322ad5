// switch_arguments.c: what decides the branches of abs, sign, min, max and tables in the equations.
//
// Exactly on a switch such a function has neither of its two branches: sign(0) = 0 is the mean of
// them, and so is the slope of abs. A motion that goes through is on one side of it, so that a
// state there is moved to that side, by the least that can be told.
#include "dynamics/switch_arguments.h"
#include "base/text_builder.h"
#include "dynamics/evaluator.h"
#include "dynamics/projection.h"
#include "expr/expr.h"
#include "expr/tables.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/paired_conditions.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

Expr *motion_roots(Arena *arena, const Motion *motion, size_t *count)
{
    size_t most = motion->n + 2 + 2 * motion->m + motion->side_count;
    Expr *roots = arena_array(arena, Expr, most);
    size_t added = 0;
    for (size_t i = 0; i < motion->n; i++)
        roots[added++] = motion->K[i];
    roots[added++] = motion->T;
    if (!expr_is_none(motion->U))
        roots[added++] = motion->U;
    for (size_t i = 0; i < motion->m; i++) {
        roots[added++] = motion->rows[i].velocity;
        if (!expr_is_none(motion->rows[i].position))
            roots[added++] = motion->rows[i].position;
    }
    for (size_t i = 0; i < motion->side_count; i++)
        roots[added++] = motion->sides[i].position;
    *count = added;
    assert(added <= most);
    return roots;
}

Expr *motion_roots_with_pairs(Arena *arena, const Motion *motion, const Expr *roots, size_t *count)
{
    const Model *model = motion->model;
    size_t most = *count;
    for (size_t i = 0; i < model->pairs.count; i++) {
        const ModelPairs *pairs = &model->pairs.at[i];
        most += 1 + pairs->elements * (pairs->first + pairs->second);
    }
    Expr *all = arena_array(arena, Expr, most + 1);
    memcpy(all, roots, *count * sizeof *roots);
    for (size_t i = 0; i < model->pairs.count; i++) {
        const ModelPairs *pairs = &model->pairs.at[i];
        all[(*count)++] = pairs->residual;
        for (size_t k = 0; k < pairs->elements * (pairs->first + pairs->second); k++)
            if (!expr_is_none(pairs->values[k]))
                all[(*count)++] = pairs->values[k];
    }
    return all;
}

static const char *name_of(Arena *arena, const ExprPool *pool, Expr e)
{
    Text text = {0};
    expr_print(pool, e, &text);
    const char *name = arena_copy_text(arena, text.at, text.length);
    text_clear(&text);
    return name;
}

// Tables of the same knots switch together.
static bool is_known(const SwitchArguments *known, Expr e, const ExprTable *table)
{
    for (size_t i = 0; i < known->count; i++)
        if (known->at[i].at == e.at && (known->tables[i] != NULL) == (table != NULL) &&
            (!table || known->tables[i]->pieces == table->pieces))
            return true;
    return false;
}

// Whether an argument changes only where others switch, as that of max(0, sign(x)): it has no
// surface of its own.
static bool is_piecewise_constant(ExprPool *pool, Expr argument)
{
    ExprList symbols = expr_symbols(pool, &argument, 1);
    bool constant = true;
    for (size_t i = 0; i < symbols.count && constant; i++)
        constant = expr_is_zero(pool, expr_diff(pool, argument, (Expr){symbols.at[i]}));
    expr_list_free(&symbols);
    return constant;
}

// Those reactions that stand in any of the nodes: mostly none.
static Expr *reactions_in(Arena *arena, const Motion *motion, const ExprList *nodes, size_t *count)
{
    const Model *model = motion->model;
    Expr *reactions = arena_array(arena, Expr, model->constraints.count + 1);
    bool *stands = arena_array(arena, bool, expr_pool_size(motion->pool));
    *count = 0;
    for (size_t i = 0; i < nodes->count; i++)
        stands[nodes->at[i]] = true;
    for (size_t i = 0; i < model->constraints.count; i++) {
        Expr lambda = model->constraints.at[i].lambda;
        if (!expr_is_none(lambda) && stands[lambda.at])
            reactions[(*count)++] = lambda;
    }
    return reactions;
}

SwitchArguments switch_arguments(Arena *arena, const Motion *motion)
{
    size_t root_count;
    Expr *roots = motion_roots(arena, motion, &root_count);
    ExprList nodes = expr_nodes(motion->pool, roots, root_count);
    // An argument that holds a reaction, as that of abs(lambda.rail), is left out: the reactions
    // are solved for with such forces, and velocities go on.
    size_t reaction_count;
    Expr *reactions = reactions_in(arena, motion, &nodes, &reaction_count);
    SwitchArguments found = {.at = arena_array(arena, Expr, nodes.count + 1),
                             .functions = arena_array(arena, Expr, nodes.count + 1),
                             .names = arena_array(arena, const char *, nodes.count + 1),
                             .tables = arena_array(arena, const ExprTable *, nodes.count + 1),
                             .pieces = arena_array(arena, double, nodes.count + 1),
                             .raw = arena_array(arena, double, nodes.count + 1)};
    for (size_t i = 0; i < nodes.count; i++) {
        const ExprTable *table = expr_table_of(motion->pool, (Expr){nodes.at[i]});
        Expr argument = table ? expr_arg(motion->pool, (Expr){nodes.at[i]}, 0)
                              : expr_switch_argument(motion->pool, (Expr){nodes.at[i]});
        if (expr_is_none(argument) || is_known(&found, argument, table) ||
            is_piecewise_constant(motion->pool, argument) ||
            (reaction_count > 0 &&
             expr_holds_any(motion->pool, argument, reactions, reaction_count)))
            continue;
        found.tables[found.count] = table;
        found.functions[found.count] = (Expr){nodes.at[i]};
        found.names[found.count] = name_of(arena, motion->pool, (Expr){nodes.at[i]});
        found.at[found.count++] = argument;
    }
    expr_list_free(&nodes);
    return found;
}

// ---- Tables.

static int parity(double piece)
{
    return fmod(piece, 2) == 0 ? 1 : -1;
}

static double value_in_piece(const ExprTable *table, double piece, double u)
{
    double low = expr_table_start(table, piece), high = expr_table_end(table, piece);
    // Beyond a table that ends there are no pieces.
    if (isnan(piece))
        return NAN;
    if (isinf(low) || isinf(high))
        return parity(piece) * (isinf(low) ? high - u : u - low);
    return parity(piece) * ((u - low) * (high - u) / (high - low));
}

double switch_factor(const SwitchArguments *found, size_t which)
{
    const ExprTable *table = found->tables[which];
    if (!table)
        return 1;
    double piece = found->pieces[which], u = found->raw[which];
    double low = expr_table_start(table, piece), high = expr_table_end(table, piece);
    if (isnan(piece))
        return NAN;
    if (isinf(low) || isinf(high))
        return isinf(low) ? -parity(piece) : parity(piece);
    return parity(piece) * ((high - u) - (u - low)) / (high - low);
}

const double *switch_values(const SwitchArguments *found, Evaluator *arguments,
                            const double *inputs)
{
    evaluator_run(arguments, inputs);
    memcpy(found->raw, arguments->out, found->count * sizeof *found->raw);
    for (size_t i = 0; i < found->count; i++)
        if (found->tables[i])
            arguments->out[i] =
                value_in_piece(found->tables[i], found->pieces[i], arguments->out[i]);
    return arguments->out;
}

void switch_hold_piece(SwitchArguments *found, size_t which)
{
    if (found->tables[which])
        found->pieces[which] = expr_table_piece(found->tables[which], found->raw[which]);
}

void switch_hold(SwitchArguments *found)
{
    for (size_t i = 0; i < found->count; i++)
        switch_hold_piece(found, i);
}

// ---- Slopes.

void switch_slopes_init(Evaluator *slopes, const Equations *eq, Expr argument)
{
    size_t count = 1 + 2 * eq->n;
    ExprPool *pool = eq->motion->pool;
    Expr *partials = base_alloc(count * sizeof *partials), missing;
    expr_gradient(pool, argument, eq->symbols + eq->params, count, partials);
    bool lowered =
        evaluator_init(slopes, pool, eq->symbols, eq->params + count, partials, count, &missing);
    base_free(partials);
    assert(lowered);
}

bool switch_leave(const Equations *eq, State *state, const SwitchArguments *found,
                  Evaluator *argument, size_t which, const double *slopes, int side)
{
    size_t n = eq->n;
    const double *by_q = slopes + 1;
    double steepest = real_largest(by_q, n), most = TOL_SMALL * fmax(real_largest(state->q, n), 1);
    double *from = base_alloc(2 * n * sizeof *from), *sizes = from + n;
    bool left = false;
    assert(side == 1 || side == -1);
    memcpy(from, state->q, n * sizeof *from);
    for (size_t j = 0; j < n; j++)
        sizes[j] = fabs(from[j]) + fabs(state->v[j] * *state->t);
    for (double by = DBL_MIN / DBL_EPSILON; steepest > 0 && !left && by <= most; by *= 8) {
        for (size_t j = 0; j < n; j++)
            state->q[j] = from[j] + side * by * (by_q[j] / steepest);
        bool met = eq->finite == 0 ||
                   positions_project_among(eq, state, LIMIT_PATIENCE, sizes) <= TOL_CONDITION;
        left = met && side * switch_values(found, argument, state->inputs)[which] > 0;
    }
    if (!left)
        memcpy(state->q, from, n * sizeof *from);
    base_free(from);
    return left;
}
