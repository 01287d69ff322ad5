// not_finite.c: which expression of the equations has no finite value at a state.
#include "base/strings.h"
#include "dynamics/equations_types.h"
#include "expr/expr.h"
#include "expr/tables.h"
#include "linalg/tolerances.h"
#include "model/system.h"
#include "model/text_places.h"
#include "motion/motion_types.h"
#include "program/program.h"
#include "simulate/failure_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// What balls are computed with.
enum { BALL_BITS = 64 };

// Everything that accelerations are made of.
static void add_roots(const Motion *motion, Expr *roots, size_t *count)
{
    size_t n = motion->n, at = 0;
    for (size_t i = 0; i < n; i++) {
        roots[at++] = motion->K[i];
        roots[at++] = motion->p[i];
        roots[at++] = motion->dT_dq[i];
    }
    for (size_t i = 0; i < motion->m; i++) {
        roots[at++] = motion->rows[i].velocity;
        roots[at++] = motion->rows[i].gamma;
    }
    *count = at;
}

// ---- By the text.

// Expressions that the text has, and the inputs at which they are looked at.
typedef struct {
    const Equations *eq;
    const TextPlace *at;
    size_t count, inputs;
    const double *values;
} Written;

// By every symbol that e holds but the parameters; how many.
static size_t differentiate(const Equations *eq, Expr e, Expr *partials)
{
    ExprPool *pool = eq->motion->pool;
    size_t count = 0;
    for (size_t i = eq->params; i < eq->params + 1 + 2 * eq->n; i++)
        if (expr_holds(pool, e, eq->symbols[i]))
            partials[count++] = expr_diff(pool, e, eq->symbols[i]);
    return count;
}

// Why programs without a finite value have none.
static const char *reason_of(const Evaluator *values, const double *inputs)
{
    return program_is_defined(values->program, inputs, BALL_BITS)
               ? " is there, in whole or in part, beyond the numbers that a run has, 1.8e308 at "
                 "most"
               : " divides by 0 or leaves the domain of its function";
}

// Why e, or one of its derivatives of this order, 0 to 2, has no value; NULL where it has.
static const char *undefined(const Written *written, Expr e, size_t order)
{
    const Equations *eq = written->eq;
    size_t most = 1 + 2 * eq->n, count = 1;
    Expr *exprs = base_alloc((most * most + most + 1) * sizeof *exprs), missing;
    exprs[0] = e;
    if (order >= 1)
        count = differentiate(eq, e, exprs);
    if (order == 2) {
        size_t firsts = count;
        Expr *slopes =
            memcpy(base_alloc((firsts + 1) * sizeof *slopes), exprs, firsts * sizeof *slopes);
        count = 0;
        for (size_t i = 0; i < firsts; i++)
            count += differentiate(eq, slopes[i], exprs + count);
        base_free(slopes);
    }
    Evaluator values = {0};
    const char *why = NULL;
    if (evaluator_init(&values, eq->motion->pool, eq->symbols, written->inputs, exprs, count,
                       &missing)) {
        evaluator_run(&values, written->values);
        if (!evaluator_is_finite(&values))
            why = reason_of(&values, written->values);
    }
    evaluator_clear(&values);
    base_free(exprs);
    return why;
}

// The innermost one that has no value, else one whose derivatives have none.
static bool add_written(const Written *written, Text *text, Place *place)
{
    for (size_t order = 0; order <= 2; order++)
        for (size_t i = 0; i < written->count; i++) {
            const char *why = undefined(written, written->at[i].e, order);
            if (!why)
                continue;
            text_add(text, order == 0 ? "" : "a derivative of ");
            expr_print(written->eq->motion->pool, written->at[i].e, text);
            text_add(text, why);
            *place = written->at[i].place;
            return true;
        }
    return false;
}

Place failure_place_of(const Motion *motion, Expr e)
{
    size_t count;
    const TextPlace *at = model_text_places(motion->model, &count);
    Place place = place_none();
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        ExprList nodes = expr_nodes(motion->pool, &at[i].e, 1);
        for (size_t k = 0; k < nodes.count && !found; k++)
            found = nodes.at[k] == e.at;
        expr_list_free(&nodes);
        if (found)
            place = at[i].place;
    }
    return place;
}

// ---- Tables that end.

// Whether a table is asked beyond its ends at these inputs.
static bool add_table(const Equations *eq, const double *values, Text *text, Place *place)
{
    const Motion *motion = eq->motion;
    const Model *model = motion->model;
    size_t count, inputs = eq->params + 1 + 2 * eq->n;
    if (model->tables.count == 0)
        return false;
    Expr *roots = base_alloc((3 * motion->n + 2 * motion->m + 1) * sizeof *roots), missing;
    add_roots(motion, roots, &count);
    ExprList nodes = expr_nodes(motion->pool, roots, count);
    bool found = false;
    for (size_t i = 0; i < nodes.count && !found; i++) {
        const ExprTable *table = expr_table_of(motion->pool, (Expr){nodes.at[i]});
        Evaluator argument = {0};
        Expr u = table ? expr_arg(motion->pool, (Expr){nodes.at[i]}, 0) : (Expr){0};
        if (!table ||
            !evaluator_init(&argument, motion->pool, eq->symbols, inputs, &u, 1, &missing))
            continue;
        evaluator_run(&argument, values);
        double at = argument.out[0];
        found = isfinite(at) && isnan(expr_table_piece(table, at));
        if (found) {
            bool low = at < table->numbers.knots[0];
            double end = table->numbers.knots[low ? 0 : table->numbers.count - 1];
            text_addf(text, "the table '%s' %s at %s = %.10g and is asked ", table->file,
                      low ? "begins" : "ends", table->argument, end);
            if (fabs(at - end) <= TOL_SMALL * fabs(end))
                text_add(text, low ? "before" : "beyond");
            else
                text_addf(text, "at %.10g", at);
            text_add(text, "; make it longer, or write 'hold' or 'repeat'");
            for (size_t k = 0; k < model->tables.count; k++)
                if (model->tables.at[k].table == table)
                    *place = model->tables.at[k].place;
        }
        evaluator_clear(&argument);
    }
    expr_list_free(&nodes);
    base_free(roots);
    return found;
}

static bool add_after(const Equations *eq, const State *state, double ahead, Text *text,
                      Place *place)
{
    size_t n = eq->n;
    double *values = base_alloc((eq->params + 1 + 2 * n) * sizeof *values);
    memcpy(values, state->inputs, (eq->params + 1 + 2 * n) * sizeof *values);
    values[eq->params] += ahead;
    for (size_t i = 0; i < n; i++)
        values[eq->params + 1 + i] += ahead * state->v[i];
    Written written = {.eq = eq, .inputs = eq->params + 1 + 2 * n, .values = values};
    written.at = model_text_places(eq->motion->model, &written.count);
    bool found = add_table(eq, values, text, place) || add_written(&written, text, place);
    base_free(values);
    return found;
}

bool failure_add_ahead(const Equations *eq, const State *state, double unit, Text *text,
                       Place *place)
{
    bool found = false;
    for (double ahead = TOL_ZERO; ahead <= 2 * TOL_SMALL && !found; ahead /= TOL_COARSE)
        found = add_after(eq, state, ahead * unit, text, place);
    return found;
}

bool failure_add_table(const Equations *eq, const State *state, double unit, Text *text,
                       Place *place)
{
    double *values = base_alloc((eq->params + 1 + 2 * eq->n) * sizeof *values);
    memcpy(values, state->inputs, (eq->params + 1 + 2 * eq->n) * sizeof *values);
    values[eq->params] += TOL_SMALL * unit;
    bool found = add_table(eq, values, text, place);
    base_free(values);
    return found;
}

// ---- By the equations.

static void add_cause(const Equations *eq, const State *state, Expr node, Text *text)
{
    Evaluator value = {0};
    Expr missing;
    size_t inputs = eq->params + 1 + 2 * eq->n;
    expr_print(eq->motion->pool, node, text);
    if (evaluator_init(&value, eq->motion->pool, eq->symbols, inputs, &node, 1, &missing))
        text_add(text, reason_of(&value, state->inputs));
    evaluator_clear(&value);
}

// A node comes after those that it is made of: the first one without a value is the cause.
static bool add_node(const Equations *eq, const State *state, Text *text)
{
    const Motion *motion = eq->motion;
    size_t count, found = 0, inputs = eq->params + 1 + 2 * eq->n;
    assert(state->inputs && text);
    Expr *roots = base_alloc((3 * motion->n + 2 * motion->m + 1) * sizeof *roots), missing;
    add_roots(motion, roots, &count);
    ExprList nodes = expr_nodes(motion->pool, roots, count);
    Expr *all = base_alloc((nodes.count + 1) * sizeof *all);
    for (size_t i = 0; i < nodes.count; i++)
        all[i] = (Expr){nodes.at[i]};
    Evaluator values = {0};
    if (evaluator_init(&values, motion->pool, eq->symbols, inputs, all, nodes.count, &missing)) {
        evaluator_run(&values, state->inputs);
        while (found < nodes.count && isfinite(values.out[found]))
            found++;
        if (found < nodes.count)
            add_cause(eq, state, all[found], text);
    }
    bool any = found < nodes.count && values.program;
    evaluator_clear(&values);
    expr_list_free(&nodes);
    base_free(all);
    base_free(roots);
    return any;
}

void failure_add_expression(const Equations *eq, const State *state, Text *text, Place *place)
{
    if (!add_after(eq, state, 0, text, place) && !add_node(eq, state, text))
        text_add(text, "something divides by 0 or leaves the domain of its function");
}
