// test_steps.c: derivations written out step by step. Every line that claims an identity is
// proved by another road, from the lines before it: a derivative of a function that was shown is
// taken again, the conditions are put in again, and the last step is put together from its parts
// as its formula says. For every model of the gallery and every form.
#include "files.h"
#include "support.h"

#include "forms/forms.h"

#include <dirent.h>
#include <flint/flint.h>

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

// ---- Lines.

static bool BASE_PRINTF(2, 3) is_called(const FormLine *line, const char *format, ...)
{
    Text name = {0};
    va_list args;
    va_start(args, format);
    text_addv(&name, format, args);
    va_end(args);
    bool same = strcmp(line->of, name.at) == 0;
    text_clear(&name);
    return same;
}

static Expr inertia(const Board *board, size_t nu)
{
    Expr W = minus(board, value(board, "T", v(board, nu), true, false),
                   value(board, "T", q(board, nu), false, false));
    return plus(board, W, value(board, "S", a(board, nu), false, false));
}

// R from its parts: Σ_i [∂T/∂q'_{k+i}] (d a_iα/dt − ∂q'_{k+i}/∂q_α) + Σ_i [∂T/∂q_{k+i}] a_iα.
static Expr correction(const Board *board, size_t alpha)
{
    Expr sum = expr_int(board->pool, 0);
    for (size_t nu = 0; nu < board->motion->n; nu++) {
        Text name = {0};
        text_addf(&name, "a_{%s,%s}", q(board, nu), q(board, alpha));
        Expr rate = value(board, name.at, NULL, true, false);
        Expr twist = minus(board, rate, value(board, v(board, nu), q(board, alpha), false, false));
        sum = plus(board, sum, times(board, value(board, "T", v(board, nu), false, true), twist));
        sum = plus(board, sum,
                   times(board, value(board, "T", q(board, nu), false, true),
                         value(board, name.at, NULL, false, false)));
        text_clear(&name);
    }
    return sum;
}

// Q_α = K_α + Σ_i a_iα K_{k+i}.
static Expr reduced_force(const Board *board, size_t alpha)
{
    Expr sum = named(board, "K_%s", q(board, alpha));
    for (size_t nu = 0; nu < board->motion->n; nu++) {
        Expr a_nu = named(board, "a_{%s,%s}", q(board, nu), q(board, alpha));
        sum = plus(board, sum, times(board, a_nu, named(board, "K_%s", q(board, nu))));
    }
    return sum;
}

// Σ p q' − T⁺.
static Expr poisson(const Board *board)
{
    const Motion *motion = board->motion;
    Expr sum = expr_neg(board->pool, value(board, "T⁺", NULL, false, false));
    for (size_t nu = 0; nu < motion->n; nu++) {
        Text name = {0};
        text_addf(&name, "p_%s", q(board, nu));
        if (find(board, name.at, NULL, false, false))
            sum = plus(board, sum, times(board, expr_symbol(board->pool, name.at), motion->v[nu]));
        text_clear(&name);
    }
    return sum;
}

// What a name with one coordinate in it stands for; none where the line is the definition.
static Expr defined_for(const Board *board, const FormLine *line, size_t nu)
{
    const Motion *motion = board->motion;
    if (is_called(line, "rho_%s", q(board, nu)))
        return minus(board, inertia(board, nu), named(board, "K_%s", q(board, nu)));
    if (is_called(line, "R_%s", q(board, nu)))
        return correction(board, nu);
    if (is_called(line, "Q_%s", q(board, nu)))
        return reduced_force(board, nu);
    if (is_called(line, "p_%s", q(board, nu)))
        return expr_diff(board->pool, value(board, "T⁺", NULL, false, false), motion->v[nu]);
    for (size_t alpha = 0; alpha < motion->n; alpha++)
        if (is_called(line, "a_{%s,%s}", q(board, nu), q(board, alpha)))
            return expr_diff(board->pool, named(board, "%s", v(board, nu)), motion->v[alpha]);
    return (Expr){0};
}

// Σ_ν K_ν ∂q'_ν/∂u.
static Expr speed_force(const Board *board, const MotionSpeed *speed)
{
    Expr sum = expr_int(board->pool, 0);
    for (size_t nu = 0; nu < board->motion->n; nu++)
        sum = plus(board, sum,
                   times(board, named(board, "K_%s", q(board, nu)),
                         expr_diff(board->pool, put_in(board, board->motion->v[nu]), speed->u)));
    return sum;
}

static bool is_johnsen(const Form *form)
{
    return form->kind == FORM_JOHNSEN1 || form->kind == FORM_JOHNSEN2;
}

// A_να, or B_να where all conditions are ideal.
static Expr displacement(const Board *board, size_t nu, const char *name)
{
    return plus(board, named(board, "A_{%s,%s}", q(board, nu), name),
                named(board, "B_{%s,%s}", q(board, nu), name));
}

// Σ_ν K_ν A_να.
static Expr displaced_force(const Board *board, const char *name)
{
    Expr sum = expr_int(board->pool, 0);
    for (size_t nu = 0; nu < board->motion->n; nu++)
        sum = plus(board, sum,
                   times(board, named(board, "K_%s", q(board, nu)), displacement(board, nu, name)));
    return sum;
}

// δϑ of the speed of this number, or its rate.
static Expr variation(const Board *board, size_t alpha, bool rate)
{
    const MotionSpeed *speed = &board->motion->state.speeds[alpha];
    Text name = {0};
    text_addf(&name, "delta.%s%s", speed->declared ? speed->name : q(board, speed->index),
              rate ? "'" : "");
    Expr symbol = expr_symbol(board->pool, name.at);
    text_clear(&name);
    return symbol;
}

// Least action: Σ p_ν (δq_ν)' + (∂T/∂q_ν) δq_ν of the unreduced T, δq_ν = Σ B_να δϑ_α.
static Expr central(const Board *board)
{
    const Motion *motion = board->motion;
    Expr sum = expr_int(board->pool, 0);
    for (size_t nu = 0; nu < motion->n; nu++)
        for (size_t alpha = 0; alpha < motion->k; alpha++) {
            Expr B = displacement(board, nu, motion->state.speeds[alpha].name);
            Expr dq = times(board, B, variation(board, alpha, false));
            Expr dv = plus(board, times(board, total(board, B), variation(board, alpha, false)),
                           times(board, B, variation(board, alpha, true)));
            sum = plus(board, sum, times(board, motion->p[nu], dv));
            sum = plus(board, sum, times(board, motion->dT_dq[nu], dq));
        }
    return sum;
}

// What a name stands for, from earlier lines or from the motion itself; none where the line is
// the definition.
static Expr defined(const Board *board, const FormLine *line)
{
    Motion *motion = board->motion;
    bool hamel = board->form->kind == FORM_HAMEL || is_johnsen(board->form);
    if (strcmp(line->of, "T⁺") == 0 || (strcmp(line->of, "T") == 0 && hamel))
        return put_in(board, motion->T);
    if (strcmp(line->of, "S") == 0 && find(board, "S₀", NULL, false, false))
        return value(board, "S₀", NULL, false, false);
    if (strcmp(line->of, "𝒦") == 0)
        return poisson(board);
    if (strcmp(line->of, "δT") == 0)
        return central(board);
    Expr found = {0};
    for (size_t nu = 0; nu < motion->n && expr_is_none(found); nu++)
        found = defined_for(board, line, nu);
    for (size_t alpha = 0; alpha < motion->k && expr_is_none(found); alpha++)
        if (is_called(line, "Q_{%s}", motion->state.varied[alpha].name))
            found = motion->servos ? displaced_force(board, motion->state.varied[alpha].name)
                                   : speed_force(board, &motion->state.speeds[alpha]);
    return found;
}

// ∂S₀/∂q''_ν is the inertia force that T gives.
static void check_acceleration_energy(const Board *board, const FormLine *line)
{
    Motion *motion = board->motion;
    for (size_t nu = 0; nu < motion->n; nu++)
        assert_zero(board,
                    minus(board, expr_diff(board->pool, line->value, motion->a[nu]),
                          motion_inertia_force(motion, nu)),
                    line);
}

static void check_line(Board *board, const FormLine *line)
{
    if (!expr_is_none(line->left))
        return;
    if (strncmp(line->by ? line->by : "", "ϑ", strlen("ϑ")) == 0)
        return; // Hamel's: along the displacements, see below
    if (!line->by && !line->rate && !line->brackets) {
        Expr again = defined(board, line);
        if (!expr_is_none(again))
            assert_same(board, again, line->value, line);
        if (strcmp(line->of, "S₀") == 0)
            check_acceleration_energy(board, line);
        learn_velocity(board, line);
        return;
    }
    const FormLine *base = find(board, line->of, NULL, false, false);
    if (!base)
        print_message("%s, %s: nothing says what %s is\n", board->model,
                      form_name(board->form->kind), line->of);
    assert_non_null(base);
    Expr again = derivative_again(board, line, base->value);
    if (line->rate && !line->brackets && line->by)
        again = put_in(board, again);
    if (line->rate)
        again = total(board, again);
    assert_same(board, again, line->value, line);
}

// ---- The last steps, put together again.

static Expr reaction(const Board *board, size_t nu)
{
    return named(board, "Lambda_%s", q(board, nu));
}

static Expr reduced_lagrange(const Board *board, size_t nu)
{
    return minus(board, value(board, "T⁺", v(board, nu), true, false),
                 value(board, "T⁺", q(board, nu), false, false));
}

// Σ_j A⁽ⁱ⁾_αj q'_j + A⁽ⁱ⁾_α; the A's are antisymmetric.
static Expr bend(const Board *board, size_t nu, size_t alpha)
{
    Expr sum = named(board, "A^{(%s)}_{%s}", q(board, nu), q(board, alpha));
    for (size_t j = 0; j < board->motion->n; j++) {
        Expr A = minus(
            board, named(board, "A^{(%s)}_{%s,%s}", q(board, nu), q(board, alpha), q(board, j)),
            named(board, "A^{(%s)}_{%s,%s}", q(board, nu), q(board, j), q(board, alpha)));
        sum = plus(board, sum, times(board, A, board->motion->v[j]));
    }
    return sum;
}

static Expr voronets_rest(const Board *board, size_t alpha)
{
    Expr sum = expr_int(board->pool, 0);
    for (size_t nu = 0; nu < board->motion->n; nu++) {
        Expr a_nu = named(board, "a_{%s,%s}", q(board, nu), q(board, alpha));
        sum = plus(board, sum, times(board, a_nu, value(board, "T⁺", q(board, nu), false, false)));
        sum = plus(
            board, sum,
            times(board, value(board, "T₀", v(board, nu), false, true), bend(board, nu, alpha)));
    }
    return sum;
}

// m J or M that belongs to a line v_{…} or omega_{…}.
static Expr inertia_beside(const Board *board, const FormLine *line)
{
    const Model *model = board->motion->model;
    bool spin = line->of[0] == 'o';
    const char *owner = strchr(line->of, '{') + 1;
    Expr vector = named(board, spin ? "M_{%s" : "J_{%s", owner), mass = expr_int(board->pool, 1);
    size_t length = strcspn(owner, ",");
    for (size_t j = 0; j < model->bodies.count && !spin; j++)
        if (str_is((Str){owner, length}, model->bodies.at[j].name))
            mass = model->bodies.at[j].mass;
    if (!spin && strtol(owner, NULL, 10) > 0)
        mass = model->masses.at[strtol(owner, NULL, 10) - 1].mass;
    return times(board, mass, vector);
}

// Σ m J·∂v/∂u + Σ M·∂ω/∂u over all lines v_{…} and omega_{…} that have such a derivative.
static Expr kane_inertia(const Board *board, const char *speed)
{
    Expr sum = expr_int(board->pool, 0);
    for (size_t i = 0; i < board->upto; i++) {
        const FormLine *line = &board->form->lines.at[i];
        if (line->by && strcmp(line->by, speed) == 0)
            sum = plus(board, sum, times(board, inertia_beside(board, line), line->value));
    }
    for (size_t nu = 0; nu < board->motion->n; nu++) {
        Expr velocity = put_in(board, board->motion->v[nu]);
        sum = plus(board, sum,
                   times(board, named(board, "W_%s", q(board, nu)),
                         expr_diff(board->pool, velocity, expr_symbol(board->pool, speed))));
    }
    return sum;
}

// The same along the displacements on which no servo works.
static Expr displaced_inertia(const Board *board, const char *name)
{
    const Motion *motion = board->motion;
    Expr sum = expr_int(board->pool, 0);
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr work = named(board, "W_%s", q(board, nu));
        for (size_t i = 0; i < board->upto; i++) {
            const FormLine *line = &board->form->lines.at[i];
            if (line->of &&
                (strncmp(line->of, "v_{", 3) == 0 || strncmp(line->of, "omega_{", 7) == 0))
                work = plus(board, work,
                            times(board, inertia_beside(board, line),
                                  expr_diff(board->pool, line->value, motion->v[nu])));
        }
        sum = plus(board, sum, times(board, displacement(board, nu, name), work));
    }
    return sum;
}

// Σ_ρτ β_ρ^{τ,μ} P_ρ ω_τ from the table, ω_0 = 1.
static Expr transition(const Board *board, size_t mu)
{
    size_t n = board->motion->n, m = board->motion->m;
    Expr sum = expr_int(board->pool, 0);
    for (size_t rho = 1; rho <= n; rho++)
        for (size_t tau = 0; tau <= n; tau++) {
            if (tau >= 1 && tau <= m)
                continue;
            Expr beta = tau < mu
                            ? named(board, "β_%zu^{%zu,%zu}", rho, tau, mu)
                            : expr_neg(board->pool, named(board, "β_%zu^{%zu,%zu}", rho, mu, tau));
            Expr omega = tau ? omega_of(board, tau) : expr_int(board->pool, 1);
            sum = plus(board, sum,
                       times(board, beta, times(board, named(board, "P_%zu", rho), omega)));
        }
    return sum;
}

// P_μ = ∂T/∂ω_μ and ∂T/∂ϑ_μ = Σ ∂T/∂q_ν ∂q'_ν/∂ω_μ, the conditions afterwards; Γ_μ by the table.
static void check_hamel(const Board *board)
{
    const Motion *motion = board->motion;
    Expr T = value(board, "T", NULL, false, false);
    static const FormLine shown = {.of = "ω, P, ∂T/∂ϑ or Γ"};
    for (size_t mu = 1; mu <= motion->n; mu++) {
        Expr omega = omega_of(board, mu);
        const FormLine *meaning = find(board, expr_name(board->pool, omega), NULL, false, false);
        if (meaning) // the velocities put into what it means give it back
            assert_zero(board, minus(board, put_in(board, meaning->value), omega), &shown);
        Expr P = on_conditions(board, expr_diff(board->pool, T, omega));
        assert_zero(board, minus(board, P, named(board, "P_%zu", mu)), &shown);
        if (mu <= motion->m)
            continue;
        Expr slope = expr_int(board->pool, 0);
        for (size_t nu = 0; nu < motion->n; nu++)
            slope = plus(board, slope,
                         times(board, expr_diff(board->pool, T, motion->q[nu]),
                               expr_diff(board->pool, put_in(board, motion->v[nu]), omega)));
        char name[32];
        snprintf(name, sizeof name, "ϑ_%zu", mu);
        assert_zero(
            board, minus(board, on_conditions(board, slope), value(board, "T", name, false, false)),
            &shown);
        assert_zero(board, minus(board, transition(board, mu), named(board, "Gamma_%zu", mu)),
                    &shown);
    }
}

// ---- Speeds that are not linear in the velocities.

// f_ν, as the line of its speed says; a velocity is itself.
static Expr speed_meaning(const Board *board, size_t nu)
{
    const Motion *motion = board->motion;
    Expr omega = omega_of(board, nu);
    for (size_t i = 0; i < motion->n; i++)
        if (expr_same(omega, motion->v[i]))
            return omega;
    return named(board, "%s", expr_name(board->pool, omega));
}

// F_{σ,μ} = ∂q'_σ/∂ω_μ, the conditions afterwards.
static Expr inverse_partial(const Board *board, size_t sigma, size_t mu)
{
    return on_conditions(
        board, expr_diff(board->pool, put_in(board, board->motion->v[sigma]), omega_of(board, mu)));
}

// Γ_μ of either form, from f and F taken again.
static Expr johnsen_transition(const Board *board, size_t mu)
{
    const Motion *motion = board->motion;
    bool first = board->form->kind == FORM_JOHNSEN1;
    Expr sum = expr_int(board->pool, 0);
    for (size_t nu = 1; nu <= motion->n; nu++)
        for (size_t sigma = 0; sigma < motion->n; sigma++) {
            Expr f = speed_meaning(board, nu), P = named(board, "P_%zu", nu);
            Expr by = expr_diff(board->pool, f, motion->v[sigma]);
            Expr turn = minus(board, total(board, by), expr_diff(board->pool, f, motion->q[sigma]));
            Expr F = inverse_partial(board, sigma, mu);
            if (first) {
                sum = plus(board, sum, times(board, P, times(board, turn, F)));
                continue;
            }
            turn = total(board, F);
            for (size_t tau = 0; tau < motion->n; tau++)
                turn = minus(
                    board, turn,
                    times(board,
                          expr_diff(board->pool, put_in(board, motion->v[sigma]), motion->q[tau]),
                          inverse_partial(board, tau, mu)));
            sum = minus(board, sum, times(board, P, times(board, by, turn)));
        }
    return sum;
}

static void check_johnsen(const Board *board)
{
    const Motion *motion = board->motion;
    Expr T = value(board, "T", NULL, false, false);
    static const FormLine shown = {.of = "P, F, ∂T/∂ϑ or Γ"};
    for (size_t mu = 1; mu <= motion->n; mu++) {
        Expr P = on_conditions(board, expr_diff(board->pool, T, omega_of(board, mu)));
        assert_zero(board, minus(board, P, named(board, "P_%zu", mu)), &shown);
        if (mu <= motion->m)
            continue;
        Expr slope = expr_int(board->pool, 0);
        for (size_t nu = 0; nu < motion->n; nu++) {
            Expr F = inverse_partial(board, nu, mu);
            assert_zero(board, minus(board, F, named(board, "F_{%s,%zu}", q(board, nu), mu)),
                        &shown);
            slope = plus(board, slope, times(board, expr_diff(board->pool, T, motion->q[nu]), F));
        }
        char name[32];
        snprintf(name, sizeof name, "ϑ_%zu", mu);
        assert_same(board, slope, value(board, "T", name, false, false), &shown);
        assert_same(board, johnsen_transition(board, mu), named(board, "Gamma_%zu", mu), &shown);
    }
}

static Expr residual_again(const Board *board, const FormEquation *equation, size_t index)
{
    const Motion *motion = board->motion;
    const MotionReduction *by = board->form->in_speeds ? &motion->state : NULL;
    size_t alpha = 0;
    while (!by && alpha + 1 < motion->n &&
           (strncmp(q(board, alpha), equation->label, strlen(q(board, alpha))) != 0 ||
            (equation->label[strlen(q(board, alpha))] != '\0' &&
             equation->label[strlen(q(board, alpha))] != ' ')))
        alpha++;
    const char *name = equation->label;
    Expr Q = named(board, "Q_%s", q(board, alpha)), Qu = named(board, "Q_{%s}", name);
    Expr sum = expr_int(board->pool, 0);
    switch (board->form->kind) {
    case FORM_MULTIPLIERS:
        return minus(board, inertia(board, index),
                     plus(board, named(board, "K_%s", name), reaction(board, index)));
    case FORM_KORTEWEG:
        for (size_t nu = 0; nu < motion->n; nu++)
            sum = plus(board, sum,
                       times(board, named(board, "D_{%s,%s}", name, q(board, nu)),
                             named(board, "rho_%s", q(board, nu))));
        return sum;
    case FORM_MAGGI:
        for (size_t nu = 0; nu < motion->n; nu++)
            sum = plus(
                board, sum,
                times(board, displacement(board, nu, name), named(board, "rho_%s", q(board, nu))));
        return sum;
    case FORM_LAGRANGE:
        return minus(board, reduced_lagrange(board, alpha),
                     plus(board, Q, named(board, "R_%s", name)));
    case FORM_APPELL:
        for (size_t nu = 0; nu < motion->n && motion->servos; nu++)
            sum = plus(board, sum,
                       times(board, displacement(board, nu, name),
                             value(board, "S₀", a(board, nu), false, false)));
        if (motion->servos)
            return minus(board, sum, Qu);
        return minus(
            board, value(board, "S", expr_name(board->pool, by->speeds[index].rate), false, false),
            Qu);
    case FORM_KANE:
        sum = motion->servos ? displaced_inertia(board, name) : kane_inertia(board, name);
        return minus(board, sum, Qu);
    case FORM_TZENOFF:
        sum = minus(board, value(board, "S₁", a(board, alpha), false, false), Q);
        if (strstr(name, "(11)"))
            return plus(board, sum,
                        minus(board, value(board, "T₀", v(board, alpha), true, true),
                              value(board, "T₀", q(board, alpha), false, true)));
        sum = plus(board, sum, reduced_lagrange(board, alpha));
        sum = minus(board, sum, value(board, "T₁", v(board, alpha), true, false));
        return plus(board, sum, value(board, "T₁", q(board, alpha), false, false));
    case FORM_VORONETS:
        return minus(board, reduced_lagrange(board, alpha),
                     plus(board, voronets_rest(board, alpha), Q));
    case FORM_JOHNSEN1:
    case FORM_JOHNSEN2:
    case FORM_HAMEL: {
        char by_theta[32], P[32];
        snprintf(by_theta, sizeof by_theta, "ϑ_%zu", motion->m + index + 1);
        snprintf(P, sizeof P, "P_%zu", motion->m + index + 1);
        sum = plus(board, value(board, P, NULL, true, false),
                   named(board, "Gamma_%zu", motion->m + index + 1));
        return minus(board, minus(board, sum, value(board, "T", by_theta, false, false)), Qu);
    }
    case FORM_GAUSS:
        assert_same(board, value(board, "Z", a(board, index), false, false),
                    minus(board, inertia(board, index), named(board, "K_%s", name)),
                    &(FormLine){.of = "∂Z/∂q″"});
        return minus(board, value(board, "Z", a(board, index), false, false),
                     reaction(board, index));
    case FORM_CANONICAL: {
        char R[64], load[64];
        snprintf(R, sizeof R, "R_%s", name);
        snprintf(load, sizeof load, "Q_%s", name);
        sum =
            plus(board, value(board, R, NULL, false, true), value(board, load, NULL, false, true));
        sum = minus(board, sum, value(board, "𝒦", name, false, false));
        return minus(board, equation->left, sum);
    }
    case FORM_ACTION: {
        Expr I = value(board, "δT", NULL, false, false);
        sum = total(board, expr_diff(board->pool, I, variation(board, index, true)));
        sum = minus(board, sum, expr_diff(board->pool, I, variation(board, index, false)));
        return minus(board, sum, Qu);
    }
    default: fail();
    }
    return sum;
}

// The lines of the last steps are the form's equations, and follow from their parts.
static void check_equations(const Board *board)
{
    const Form *form = board->form;
    size_t index = 0;
    for (size_t i = 0; i < form->lines.count; i++) {
        const FormLine *line = &form->lines.at[i];
        if (expr_is_none(line->left) || !line->of)
            continue;
        const FormEquation *equation = &form->equations.at[index];
        assert_string_equal(line->of, equation->label);
        assert_true(expr_same(line->left, equation->left));
        assert_true(expr_same(line->value, equation->right));
        Expr residual = minus(board, line->left, line->value);
        assert_same(board, residual, residual_again(board, equation, index), line);
        index++;
    }
    assert_int_equal(index, form->equations.count);
}

// Where the velocities are not known as functions, later lines are derivatives of what no line
// shows; that their equations are right is proved against other forms (inquiry/test_curved.c). The
// derivatives of the velocities are checked here: they leave every condition as it is.
static bool check_open(const Board *board)
{
    const Form *form = board->form;
    const Motion *motion = board->motion;
    const FormStep *open = NULL;
    for (size_t i = 0; i < form->steps.count; i++)
        if (form->steps.at[i].kind == STEP_CURVED_OPEN)
            open = &form->steps.at[i];
    for (size_t i = 0; open && i < open->count; i++) {
        const FormLine *first = &form->lines.at[open->first + i];
        for (size_t mu = 0; mu < motion->m; mu++) {
            Expr sum = expr_diff(board->pool, motion->rows[mu].velocity,
                                 expr_symbol(board->pool, first->by));
            for (size_t j = 0; j < open->count; j++) {
                const FormLine *line = &form->lines.at[open->first + j];
                if (strcmp(line->by, first->by) == 0)
                    sum = plus(board, sum,
                               times(board, line->value,
                                     expr_diff(board->pool, motion->rows[mu].velocity,
                                               expr_symbol(board->pool, line->of))));
            }
            assert_zero(board, sum, first);
        }
    }
    return open != NULL;
}

static size_t check_form(Loaded *loaded, FormKind kind, const char *model, Proved *proved)
{
    // Conditions on accelerations add a last step of their own to a derivation without them.
    if (loaded->motion->second_count > 0)
        return 0;
    Form *form = form_derive_in(kind, loaded->motion, FORM_IN_STEPS);
    Board board = {.loaded = loaded,
                   .motion = loaded->motion,
                   .pool = loaded->motion->pool,
                   .form = form,
                   .model = model,
                   .proved = proved};
    size_t steps = form->reason || check_open(&board) ? 0 : form->steps.count;
    for (size_t i = 0; i < form->lines.count && steps; i++) {
        board.upto = i;
        check_line(&board, &form->lines.at[i]);
    }
    board.upto = form->lines.count;
    if (steps && kind == FORM_HAMEL)
        check_hamel(&board);
    if (steps && is_johnsen(form) && !form->reason)
        check_johnsen(&board);
    if (steps)
        check_equations(&board);
    array_clear(&board.symbols);
    array_clear(&board.values);
    form_free(form);
    return steps;
}

static size_t check_all_forms(Loaded *loaded, const char *name)
{
    size_t steps = 0;
    Proved proved = {0};
    for (int kind = 0; kind < FORM_COUNT; kind++)
        steps += check_form(loaded, (FormKind)kind, name, &proved);
    array_clear(&proved);
    return steps;
}

// Sanitizers take their share of time: without the model whose proofs take half of it.
#if defined(__SANITIZE_ADDRESS__)
static const char LEFT_OUT[] = "bicycle";
#else
static const char LEFT_OUT[] = "";
#endif

static void test_gallery(void **state)
{
    (void)state;
    DIR *folder = opendir(ZWANG_SOURCE_DIR "/models");
    assert_non_null(folder);
    size_t steps = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char name[256];
        size_t length = strlen(entry->d_name);
        if (length < 4 || length > 255 || strcmp(entry->d_name + length - 3, ".zw") != 0)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(length - 3), entry->d_name);
        // The field has long lists of short lines.
        if (strcmp(name, LEFT_OUT) == 0 || strcmp(name, "field") == 0)
            continue;
        Text text = read_file(ZWANG_SOURCE_DIR "/models/", name, ".zw");
        Loaded loaded = load_text(name, text.at);
        if (loaded.status == STATUS_OK)
            steps += check_all_forms(&loaded, name);
        unload(&loaded);
        text_clear(&text);
    }
    closedir(folder);
    assert_true(steps > 1000);
}

// With roots in the coefficients, and speeds that have numbers in their names.
static void test_orthonormal(void **state)
{
    (void)state;
    static const char *const models[] = {"blade", "cart", "hoop", "bead"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        Loaded loaded = load_model(models[i]);
        assert_int_equal(motion_orthonormal(loaded.motion, loaded.diag), STATUS_OK);
        assert_true(check_all_forms(&loaded, models[i]) > 50);
        unload(&loaded);
    }
}

// Nothing is recorded where nobody asks, and the equations are the same.
static void test_costs_nothing(void **state)
{
    (void)state;
    Loaded loaded = load_model("hoop");
    for (int kind = 0; kind < FORM_COUNT; kind++) {
        Form *bare = form_derive_in((FormKind)kind, loaded.motion, FORM_TO_RUN);
        Form *read = form_derive((FormKind)kind, loaded.motion);
        size_t size = expr_pool_size(loaded.motion->pool);
        Form *again = form_derive_in((FormKind)kind, loaded.motion, FORM_TO_RUN);
        assert_int_equal(expr_pool_size(loaded.motion->pool), size);
        assert_int_equal(bare->steps.count + read->steps.count + again->steps.count, 0);
        assert_int_equal(bare->equations.count, read->equations.count);
        for (size_t i = 0; i < bare->equations.count; i++) {
            assert_true(expr_same(bare->equations.at[i].left, read->equations.at[i].left));
            assert_true(expr_same(bare->equations.at[i].right, read->equations.at[i].right));
        }
        form_free(bare);
        form_free(read);
        form_free(again);
    }
    unload(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gallery),
        cmocka_unit_test(test_orthonormal),
        cmocka_unit_test(test_costs_nothing),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
