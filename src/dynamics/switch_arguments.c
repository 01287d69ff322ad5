// switch_arguments.c: what decides the branches of abs, sign, min, max and tables in the equations.
//
// Exactly on a switch such a function has neither of its two branches: sign(0) = 0 is the mean of
// them, and so is the slope of abs. A motion that goes through is on one side of it, so that a
// state there is moved to that side, by the least that can be told.
#include "dynamics/switch_arguments.h"
#include "base/text_builder.h"
#include "dynamics/evaluator.h"
#include "dynamics/projection.h"
#include "dynamics/text_domains.h"
#include "expr/expr.h"
#include "expr/tables.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/domains.h"
#include "model/paired_conditions.h"
#include "model/system.h"
#include "motion/frictions.h"
#include "motion/given_energy.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

typedef struct {
    Expr *at;
    size_t count;
} Roots;

static void add_root(Roots *roots, Expr e)
{
    if (!expr_is_none(e))
        roots->at[roots->count++] = e;
}

static void add_roots(Roots *roots, const Expr *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_root(roots, at[i]);
}

// Coefficients and bounds, and the directions of sliding.
static void add_friction(Roots *roots, const MotionFriction *friction)
{
    add_root(roots, friction->bound);
    add_root(roots, friction->hold);
    add_root(roots, friction->pressure);
    for (size_t i = 0; i < friction->term_count; i++) {
        add_root(roots, friction->terms[i].bound);
        add_root(roots, friction->terms[i].hold);
    }
    for (size_t i = 0; i < friction->rows; i++)
        add_root(roots, friction->sticks[i].velocity);
}

static size_t count_in_forces(const Motion *motion)
{
    size_t n = motion->n, count = n * (2 + motion->m) + motion->second_count + 1;
    for (size_t i = 0; i < motion->friction_count; i++)
        count += 3 + 2 * motion->frictions[i].term_count + motion->frictions[i].rows;
    return count;
}

// What changes accelerations alone.
static void add_forces(Roots *roots, const Motion *motion)
{
    size_t n = motion->n;
    add_roots(roots, motion->whole_K ? motion->whole_K : motion->K, n);
    for (size_t i = 0; i < motion->m && motion->servos > 0; i++)
        add_roots(roots, motion->rows[i].d, n);
    if (motion->given) {
        add_root(roots, motion->given->S);
        add_roots(roots, motion->rest_of_S, n);
    }
    for (size_t i = 0; i < motion->second_count; i++)
        add_root(roots, motion->seconds[i].f);
    for (size_t i = 0; i < motion->friction_count; i++)
        add_friction(roots, &motion->frictions[i]);
}

Expr *motion_roots(Arena *arena, const Motion *motion, size_t *forces, size_t *count)
{
    size_t most = count_in_forces(motion) + 2 + 2 * motion->m + motion->side_count;
    Roots roots = {.at = arena_array(arena, Expr, most)};
    add_forces(&roots, motion);
    *forces = roots.count;
    add_root(&roots, motion->T);
    add_root(&roots, motion->U);
    for (size_t i = 0; i < motion->m; i++) {
        add_root(&roots, motion->rows[i].velocity);
        add_root(&roots, motion->rows[i].position);
    }
    for (size_t i = 0; i < motion->side_count; i++)
        add_root(&roots, motion->sides[i].position);
    assert(roots.count <= most);
    *count = roots.count;
    return roots.at;
}

Expr *motion_roots_with_speeds(Arena *arena, const Motion *motion, const Expr *roots, size_t *count)
{
    Roots all = {.at = arena_array(arena, Expr, *count + motion->k + 1)};
    add_roots(&all, roots, *count);
    for (size_t i = 0; i < motion->k && motion->state.speeds; i++)
        if (motion->state.speeds[i].declared)
            add_root(&all, motion->state.speeds[i].value);
    *count = all.count;
    return all.at;
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

// Which of the nodes, arguments before what holds them, hold reactions or accelerations: these are
// solved for, and velocities go on where they come to 0.
static bool *solved_in(Arena *arena, const Motion *motion, const ExprList *nodes)
{
    const Model *model = motion->model;
    const ExprPool *pool = motion->pool;
    bool *known = arena_array(arena, bool, 2 * expr_pool_size(pool));
    bool *solved = known + expr_pool_size(pool);
    for (size_t i = 0; i < model->params.count; i++)
        known[model->params.at[i].symbol.at] = true;
    known[model->t.at] = true;
    for (size_t i = 0; i < motion->n; i++)
        known[motion->q[i].at] = known[motion->v[i].at] = true;
    for (size_t i = 0; i < nodes->count; i++) {
        Expr node = {nodes->at[i]};
        solved[node.at] = expr_op(pool, node) == EXPR_SYMBOL && !known[node.at];
        for (size_t k = 0; k < expr_arg_count(pool, node) && !solved[node.at]; k++)
            solved[node.at] = solved[expr_arg(pool, node, k).at];
    }
    return solved;
}

static void add_domains(Arena *arena, const Motion *motion, SwitchArguments *found)
{
    size_t functions = found->count;
    ExprPool *pool = motion->pool;
    const ModelDomain **hidden =
        arena_array(arena, const ModelDomain *, motion->model->domains.count + 1);
    size_t count = domains_hidden(arena, motion, hidden);
    Expr *inside = arena_array(arena, Expr, count + 1);
    for (size_t i = 0; i < count; i++)
        inside[i] = hidden[i]->inside;
    ExprList nodes = expr_nodes(pool, inside, count);
    const bool *solved = solved_in(arena, motion, &nodes);
    expr_list_free(&nodes);
    for (size_t i = 0; i < count; i++) {
        if (solved[inside[i].at] || is_piecewise_constant(pool, inside[i]))
            continue;
        found->domains[found->count] = hidden[i];
        found->names[found->count] = name_of(arena, pool, hidden[i]->whole);
        found->at[found->count++] = inside[i];
    }
    // A switch like others, for what looks for these.
    for (size_t k = functions; k < found->count; k++)
        found->functions[k] = expr_call(pool, EXPR_ABS, found->at[k], (Expr){0});
}

SwitchArguments switch_arguments(Arena *arena, const Motion *motion)
{
    size_t forces, root_count;
    Expr *roots = motion_roots(arena, motion, &forces, &root_count);
    roots = motion_roots_with_speeds(arena, motion, roots, &root_count);
    ExprList nodes = expr_nodes(motion->pool, roots, root_count);
    bool *solved = solved_in(arena, motion, &nodes);
    size_t most = nodes.count + motion->model->domains.count + 1;
    SwitchArguments found = {.at = arena_array(arena, Expr, most),
                             .functions = arena_array(arena, Expr, most),
                             .names = arena_array(arena, const char *, most),
                             .tables = arena_array(arena, const ExprTable *, most),
                             .pieces = arena_array(arena, double, most),
                             .raw = arena_array(arena, double, most),
                             .domains = arena_array(arena, const ModelDomain *, most)};
    for (size_t i = 0; i < nodes.count; i++) {
        const ExprTable *table = expr_table_of(motion->pool, (Expr){nodes.at[i]});
        Expr argument = table ? expr_arg(motion->pool, (Expr){nodes.at[i]}, 0)
                              : expr_switch_argument(motion->pool, (Expr){nodes.at[i]});
        if (expr_is_none(argument) || is_known(&found, argument, table) ||
            is_piecewise_constant(motion->pool, argument) || solved[nodes.at[i]])
            continue;
        found.tables[found.count] = table;
        found.functions[found.count] = (Expr){nodes.at[i]};
        found.names[found.count] = name_of(arena, motion->pool, (Expr){nodes.at[i]});
        found.at[found.count++] = argument;
    }
    expr_list_free(&nodes);
    add_domains(arena, motion, &found);
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
                  Evaluator *argument, size_t which, const double *slopes, const double *way,
                  int side)
{
    size_t n = eq->n;
    const double *by_q = way ? way : slopes + 1;
    int towards = way ? 1 : side;
    double steepest = real_largest(by_q, n), most = TOL_SMALL * fmax(real_largest(state->q, n), 1);
    double *from = base_alloc(2 * n * sizeof *from), *sizes = from + n;
    bool left = false;
    assert(side == 1 || side == -1);
    memcpy(from, state->q, n * sizeof *from);
    for (size_t j = 0; j < n; j++)
        sizes[j] = fabs(from[j]) + fabs(state->v[j] * *state->t);
    for (double by = DBL_MIN / DBL_EPSILON; steepest > 0 && !left && by <= most; by *= 8) {
        for (size_t j = 0; j < n; j++)
            state->q[j] = from[j] + towards * by * (by_q[j] / steepest);
        bool met = eq->finite == 0 ||
                   positions_project_among(eq, state, LIMIT_PATIENCE, sizes) <= TOL_CONDITION;
        left = met && side * switch_values(found, argument, state->inputs)[which] > 0;
    }
    if (!left)
        memcpy(state->q, from, n * sizeof *from);
    base_free(from);
    return left;
}
