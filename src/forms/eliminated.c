// eliminated.c: Appell's equations with conditions that are not affine in the accelerations, which
// are put into S before it is differentiated (Hamel 252).
//
//     u'_e = F_e(u'_α),   ∂S/∂u'_α = Q_α + Σ_e Q_e ∂F_e/∂u'_α
//
// S holds the free accelerations u'_α alone then, and is not quadratic in them: there may be
// several solutions. Those of Gauss's principle are stationary points of Z = S − Σ Q u', and the
// least is the motion.
#include "forms/steps_impl.h"

#include <string.h>

typedef struct {
    Motion *motion;
    Form *form;
    size_t s, free_count;
    Expr *bound, *F; // s: the accelerations that the conditions give, and what they are
    Expr *free;      // k − s
    size_t *which;   // k − s: their numbers among the speeds
    Expr S, *left, *right;
} Eliminated;

static Expr rate_of(const Motion *motion, size_t alpha)
{
    return motion->state.speeds[alpha].rate;
}

static Expr put_in(const Eliminated *in, Expr e)
{
    return expr_replace(in->motion->pool, e, in->bound, in->F, in->s);
}

// f = c·rate + rest for one of the accelerations, the last if possible, c free of accelerations: a
// number, or else any function.
static bool solve_one(Eliminated *in, Expr f, bool number)
{
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    Expr *rates = base_alloc((motion->k + 1) * sizeof *rates);
    bool solved = false;
    for (size_t i = 0; i < motion->k; i++)
        rates[i] = rate_of(motion, i);
    for (size_t i = motion->k; i-- > 0 && !solved;) {
        Expr c, rest;
        if (!expr_linear(pool, f, &rates[i], 1, &c, &rest) || expr_is_zero(pool, c) ||
            expr_holds_any(pool, c, rates, motion->k) || (number && !expr_is_number(pool, c)))
            continue;
        Expr F = algebra_simplify(motion->algebra, expr_neg(pool, expr_div(pool, rest, c)));
        for (size_t j = 0; j < in->s; j++)
            in->F[j] = expr_replace(pool, in->F[j], &rates[i], &F, 1);
        in->bound[in->s] = rates[i];
        in->F[in->s++] = F;
        solved = true;
    }
    base_free(rates);
    return solved;
}

static bool solve(Eliminated *in)
{
    Motion *motion = in->motion;
    for (size_t j = 0; j < motion->second_count; j++) {
        Expr f = put_in(in, motion_in_speeds(motion, motion->seconds[j].f));
        if (!solve_one(in, f, true) && !solve_one(in, f, false))
            return false;
    }
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        bool is_bound = false;
        for (size_t j = 0; j < in->s; j++)
            is_bound = is_bound || expr_same(in->bound[j], rate_of(motion, alpha));
        if (is_bound)
            continue;
        in->which[in->free_count] = alpha;
        in->free[in->free_count++] = rate_of(motion, alpha);
    }
    return true;
}

// Q_α + Σ_e Q_e ∂F_e/∂u'_α
static Expr force_on(const Eliminated *in, size_t index)
{
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    Expr sum = motion_force_on(motion, &motion->state, in->which[index]);
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        for (size_t e = 0; e < in->s; e++)
            if (expr_same(in->bound[e], rate_of(motion, alpha)))
                sum = expr_add(pool, sum,
                               expr_mul(pool, motion_force_on(motion, &motion->state, alpha),
                                        expr_diff(pool, in->F[e], in->free[index])));
    return sum;
}

// ---- Steps.

static void record(const Eliminated *in, Expr unreduced)
{
    Form *form = in->form;
    const ExprPool *pool = in->motion->pool;
    if (form_begin_step(form, STEP_ACCELERATION_ENERGY))
        form_add_line(form, (FormLine){.of = "S₀", .value = unreduced});
    if (form_begin_step(form, STEP_ELIMINATED_RATES))
        for (size_t e = 0; e < in->s; e++)
            form_add_line(form, (FormLine){.of = expr_name(pool, in->bound[e]), .value = in->F[e]});
    if (form_begin_step(form, STEP_ELIMINATED_S))
        form_add_line(form, (FormLine){.of = "S", .value = in->S});
    if (form_begin_step(form, STEP_ACCELERATION_PARTIALS))
        for (size_t i = 0; i < in->free_count; i++)
            form_add_line(
                form,
                (FormLine){.of = "S", .by = expr_name(pool, in->free[i]), .value = in->left[i]});
    if (form_begin_step(form, STEP_ELIMINATED_FORCES))
        for (size_t i = 0; i < in->free_count; i++)
            line_named(form, in->right[i], "Q_{%s}", in->motion->state.speeds[in->which[i]].name);
    step_equations(form, STEP_ELIMINATED_EQUATIONS, 0);
}

// ---- Its solutions, where one equation gives one of two accelerations.

typedef struct {
    Expr given, value; // the acceleration that is put in, or none
    Expr x;            // the other
    AlgebraFactors factors;
} Resolvent;

static Expr residual_of(const Eliminated *in, size_t i)
{
    return expr_sub(in->motion->pool, in->left[i], in->right[i]);
}

static bool find_resolvent(const Eliminated *in, Resolvent *found)
{
    ExprPool *pool = in->motion->pool;
    Algebra *algebra = in->motion->algebra;
    *found = (Resolvent){.x = in->free[0]};
    if (in->free_count == 1)
        return algebra_factors(algebra, residual_of(in, 0), found->x, &found->factors);
    for (size_t i = 0; i < 2; i++) {
        Expr c, rest, given = in->free[i];
        if (!expr_linear(pool, residual_of(in, i), &given, 1, &c, &rest) || expr_is_zero(pool, c))
            continue;
        *found = (Resolvent){.given = given, .x = in->free[1 - i]};
        found->value = algebra_simplify(algebra, expr_neg(pool, expr_div(pool, rest, c)));
        Expr other = expr_replace(pool, residual_of(in, 1 - i), &given, &found->value, 1);
        return algebra_factors(algebra, other, found->x, &found->factors);
    }
    return false;
}

static Expr polynomial_of(const Eliminated *in, const AlgebraFactor *factor, Expr x)
{
    ExprPool *pool = in->motion->pool;
    Expr sum = expr_int(pool, 0);
    for (size_t i = 0; i <= factor->degree; i++)
        sum = expr_add(pool, sum,
                       expr_mul(pool, factor->coefficients[i], expr_pow_int(pool, x, (int64_t)i)));
    return sum;
}

// A root that can be written down: of degree 1, or of a square.
static bool find_root(const Eliminated *in, const AlgebraFactor *factor, Expr *root)
{
    ExprPool *pool = in->motion->pool;
    const Expr *c = factor->coefficients;
    if (factor->degree == 1) {
        *root = expr_neg(pool, expr_div(pool, c[0], c[1]));
        return true;
    }
    if (factor->degree != 2 || !expr_is_zero(pool, c[1]))
        return false;
    *root = expr_sqrt(pool, expr_neg(pool, expr_div(pool, c[0], c[2])));
    return true;
}

// Z = S − Σ Q u' at a root, where Z is seen not to hold the root itself but its square.
static Expr least_at(const Eliminated *in, const Resolvent *by, Expr root)
{
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    Expr Z = in->S;
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        Z = expr_sub(pool, Z,
                     expr_mul(pool, motion_force_on(motion, &motion->state, alpha),
                              put_in(in, rate_of(motion, alpha))));
    if (!expr_is_none(by->given))
        Z = expr_replace(pool, Z, &by->given, &by->value, 1);
    return algebra_simplify(motion->algebra, expr_replace(pool, Z, &by->x, &root, 1));
}

static void record_least(const Eliminated *in, const Resolvent *by)
{
    bool begun = false;
    for (size_t i = 0; i < by->factors.count; i++) {
        Expr root;
        if (!find_root(in, &by->factors.factors[i], &root))
            continue;
        begun = begun || form_begin_step(in->form, STEP_ELIMINATED_LEAST);
        form_add_line(in->form,
                      (FormLine){.of = expr_name(in->motion->pool, by->x), .value = root});
        line_named(in->form, least_at(in, by, root), "Z_%zu", i + 1);
    }
}

static void record_solutions(const Eliminated *in)
{
    Form *form = in->form;
    Resolvent by;
    if (form->detail < FORM_IN_STEPS || in->free_count > 2 || !find_resolvent(in, &by))
        return;
    ExprPool *pool = in->motion->pool;
    form_begin_step(form, STEP_ELIMINATED_RESOLVENT);
    if (!expr_is_none(by.given))
        form_add_line(form, (FormLine){.of = expr_name(pool, by.given), .value = by.value});
    for (size_t i = 0; i < by.factors.count; i++)
        form_add_line(form, (FormLine){.left = polynomial_of(in, &by.factors.factors[i], by.x),
                                       .value = expr_int(pool, 0)});
    record_least(in, &by);
    algebra_factors_clear(&by.factors);
}

// ---- The form.

static void derive(Eliminated *in)
{
    Motion *motion = in->motion;
    Form *form = in->form;
    Expr unreduced = motion_acceleration_energy(motion);
    form->in_speeds = true;
    form->eliminated = in->s;
    in->S = put_in(in, motion_in_speeds(motion, unreduced));
    form_add_function(form, "S", in->S);
    expr_gradient(motion->pool, in->S, in->free, in->free_count, in->left);
    for (size_t i = 0; i < in->free_count; i++) {
        in->right[i] = force_on(in, i);
        form_add_equation(form, motion->state.speeds[in->which[i]].name, in->left[i], in->right[i]);
    }
    for (size_t e = 0; e < in->s; e++)
        form_add_equation(form, motion->seconds[e].row.constraint->name, in->bound[e], in->F[e]);
    form_add_note(form, "the conditions on the accelerations are put into S; these equations may "
                        "have several solutions, of which the one of least constraint is the "
                        "motion; the instant at the start lists them");
    record(in, unreduced);
    record_solutions(in);
}

void form_appell_eliminated(Motion *motion, Form *form)
{
    size_t k = motion->k, bytes = (k + motion->second_count + 1) * sizeof(Expr);
    Eliminated in = {.motion = motion, .form = form};
    in.bound = base_alloc(bytes);
    in.F = base_alloc(bytes);
    in.free = base_alloc(bytes);
    in.left = base_alloc(bytes);
    in.right = base_alloc(bytes);
    in.which = base_alloc((k + 1) * sizeof *in.which);
    if (motion->servos)
        form_refuse(form,
                    "%s, so that S is not differentiated with the conditions on the accelerations "
                    "put into it",
                    motion_driven(motion));
    else if (solve(&in))
        derive(&in);
    else
        form_refuse(form, "the conditions on the accelerations give no acceleration as a function "
                          "of the others, so that they cannot be put into S (Hamel 252); 'gauss' "
                          "and 'multipliers' do without");
    base_free(in.bound);
    base_free(in.F);
    base_free(in.free);
    base_free(in.left);
    base_free(in.right);
    base_free(in.which);
}
