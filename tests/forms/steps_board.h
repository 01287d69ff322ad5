// steps_board.h: the lines of a derivation so far, what they say, and another road to its
// derivatives.
#ifndef ZWANG_TEST_STEPS_BOARD_H
#define ZWANG_TEST_STEPS_BOARD_H

#include "support.h"

#include "forms/forms.h"

#include <string.h>

// ---- The lines so far, and what they say.

typedef ARRAY(Expr) Proved; // of one model: forms share many of their steps

typedef struct {
    Loaded *loaded;
    Motion *motion;
    ExprPool *pool;
    const Form *form;
    const char *model;
    Proved *proved;
    size_t upto;                 // lines that have been written
    ARRAY(Expr) symbols, values; // velocities and accelerations that were expressed by others
} Board;

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

// The latest line of this kind; NULL where there is none.
static const FormLine *find(const Board *board, const char *of, const char *by, bool rate,
                            bool brackets)
{
    for (size_t i = board->upto; i-- > 0;) {
        const FormLine *line = &board->form->lines.at[i];
        if (expr_is_none(line->left) && is_same_text(line->of, of) && is_same_text(line->by, by) &&
            line->rate == rate && line->brackets == brackets)
            return line;
    }
    return NULL;
}

// Its value; what is left out vanishes.
static Expr value(const Board *board, const char *of, const char *by, bool rate, bool brackets)
{
    const FormLine *line = find(board, of, by, rate, brackets);
    return line ? line->value : expr_int(board->pool, 0);
}

static Expr BASE_PRINTF(2, 3) named(const Board *board, const char *format, ...)
{
    Text name = {0};
    va_list args;
    va_start(args, format);
    text_addv(&name, format, args);
    va_end(args);
    Expr found = value(board, name.at, NULL, false, false);
    text_clear(&name);
    return found;
}

static const char *q(const Board *board, size_t nu)
{
    return expr_name(board->pool, board->motion->q[nu]);
}

static const char *v(const Board *board, size_t nu)
{
    return expr_name(board->pool, board->motion->v[nu]);
}

static const char *a(const Board *board, size_t nu)
{
    return expr_name(board->pool, board->motion->a[nu]);
}

static Expr plus(const Board *board, Expr x, Expr y)
{
    return expr_add(board->pool, x, y);
}

static Expr minus(const Board *board, Expr x, Expr y)
{
    return expr_sub(board->pool, x, y);
}

static Expr times(const Board *board, Expr x, Expr y)
{
    return expr_mul(board->pool, x, y);
}

// ---- Another road: derivatives by the chain rule, symbol by symbol.

static Expr total(const Board *board, Expr e)
{
    const Motion *motion = board->motion;
    Expr sum = expr_diff(board->pool, e, motion->model->t);
    for (size_t nu = 0; nu < motion->n; nu++) {
        sum =
            plus(board, sum, times(board, expr_diff(board->pool, e, motion->q[nu]), motion->v[nu]));
        sum =
            plus(board, sum, times(board, expr_diff(board->pool, e, motion->v[nu]), motion->a[nu]));
    }
    for (size_t i = 0; i < motion->k; i++) {
        const MotionSpeed *speed = &motion->state.speeds[i];
        if (speed->declared)
            sum = plus(board, sum, times(board, expr_diff(board->pool, e, speed->u), speed->rate));
    }
    return sum;
}

// e with everything that was expressed by others put in. What was put in may hold more of it.
static Expr put_in(const Board *board, Expr e)
{
    for (int round = 0; round < 2; round++)
        e = expr_replace(board->pool, e, board->symbols.at, board->values.at, board->symbols.count);
    return e;
}

static void learn(Board *board, Expr symbol, Expr expressed)
{
    array_push(&board->symbols, symbol);
    array_push(&board->values, expressed);
}

// A line x' = … says what a velocity is, and so what the acceleration is.
static void learn_velocity(Board *board, const FormLine *line)
{
    const Motion *motion = board->motion;
    for (size_t nu = 0; nu < motion->n; nu++) {
        if (strcmp(line->of, v(board, nu)) != 0 || expr_same(line->value, motion->v[nu]))
            continue;
        learn(board, motion->v[nu], line->value);
        // What is expressed by momenta has no acceleration here.
        Text momentum = {0};
        text_addf(&momentum, "p_%s", q(board, nu));
        if (!find(board, momentum.at, NULL, false, false))
            learn(board, motion->a[nu], total(board, line->value));
        text_clear(&momentum);
    }
}

static size_t node_count(const ExprPool *pool, Expr e)
{
    ExprList nodes = expr_nodes(pool, &e, 1);
    size_t count = nodes.count;
    expr_list_free(&nodes);
    return count;
}

static void assert_zero(const Board *board, Expr e, const FormLine *line)
{
    enum { SMALL = 150 };
    if (expr_is_zero(board->pool, e))
        return;
    for (size_t i = 0; i < board->proved->count; i++)
        if (expr_same(board->proved->at[i], e))
            return;
    Algebra *algebra = board->motion->algebra;
    Verdict verdict = node_count(board->pool, e) < SMALL ? algebra_is_zero(algebra, e)
                                                         : algebra_is_zero_modular(algebra, e);
    if (verdict.answer != ANSWER_YES)
        print_message("%s, %s: %s%s%s%s%s %s %s\n", board->model, form_name(board->form->kind),
                      line->brackets ? "[] " : "", line->rate ? "d/dt " : "", line->of,
                      line->by ? " by " : "", line->by ? line->by : "",
                      verdict.witness ? verdict.witness : "", verdict.reason ? verdict.reason : "");
    assert_int_equal(verdict.answer, ANSWER_YES);
    verdict_clear(&verdict);
    array_push(board->proved, e);
}

// Hamel's speed of this number; ϑ' is what it is called where ω₁ has a number of its own.
static Expr omega_of(const Board *board, size_t mu)
{
    Expr omega = named(board, "ω_%zu", mu);
    return expr_is_zero(board->pool, omega) ? named(board, "ϑ'_%zu", mu) : omega;
}

// What Hamel's conditions say, ω_1 = … = ω_m = 0.
static Expr on_conditions(const Board *board, Expr e)
{
    for (size_t mu = 1; mu <= board->motion->m; mu++) {
        Expr omega = omega_of(board, mu), zero = expr_int(board->pool, 0);
        e = expr_replace(board->pool, e, &omega, &zero, 1);
    }
    return e;
}

// Hamel puts the conditions in once he has differentiated by all speeds.
static Expr reduced(const Board *board, Expr e)
{
    e = put_in(board, e);
    return find(board, "P_1", NULL, false, false) ? on_conditions(board, e) : e;
}

static void assert_same(const Board *board, Expr x, Expr y, const FormLine *line)
{
    assert_zero(board, minus(board, reduced(board, x), reduced(board, y)), line);
}

// ---- Derivatives that are no plain ones.

// ∂T₁/∂q_α, ∂T₁/∂q'_α and ∂S₁/∂q''_α as Tzénoff defines them: a function of the dependent
// velocities (accelerations) only, and these functions of the independent ones. Everything else
// is held by other symbols meanwhile.
static Expr through_dependent(const Board *board, Expr e, Expr by)
{
    const Motion *motion = board->motion;
    ExprSubst *hold = expr_subst_new(board->pool), *release = expr_subst_new(board->pool);
    for (size_t nu = 0; nu < motion->n; nu++) {
        const Expr own[] = {motion->q[nu], motion->v[nu], motion->a[nu]};
        bool dependent = false;
        for (size_t i = 0; i < board->symbols.count; i++)
            dependent = dependent || expr_same(board->symbols.at[i], motion->v[nu]);
        for (int i = 0; i < 3; i++) {
            Expr held = expr_symbol_new(board->pool, "held");
            expr_subst_set(release, held, own[i]);
            if (!dependent || i == 0)
                expr_subst_set(hold, own[i], held);
        }
    }
    Expr seen = put_in(board, expr_subst(hold, e));
    Expr derivative = expr_subst(release, expr_diff(board->pool, seen, by));
    expr_subst_free(hold);
    expr_subst_free(release);
    return derivative;
}

static bool is_independent(const Board *board, const char *name)
{
    Expr symbol = expr_symbol(board->pool, name);
    for (size_t i = 0; i < board->symbols.count; i++)
        if (expr_same(board->symbols.at[i], symbol))
            return false;
    return true;
}

static Expr derivative_again(const Board *board, const FormLine *line, Expr function)
{
    Expr by = line->by ? expr_symbol(board->pool, line->by) : (Expr){0};
    bool chained = strcmp(line->of, "T₁") == 0 || strcmp(line->of, "S₁") == 0;
    if (!line->by)
        return function;
    if (chained && !line->brackets && is_independent(board, line->by))
        return through_dependent(board, function, by);
    return expr_diff(board->pool, function, by);
}

#endif
