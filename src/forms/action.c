// action.c: the principle of least action with its correction (Tzénoff (23), Hamel 246).
//
//     ∫ [δ(T⁺ − U) + Σ_μ P_μ δω_μ + δA] dt = 0
//
// for all δϑ that vanish at both ends; δA is the work of forces without a potential. Coordinates
// are varied along the displacements that the conditions allow, δq = B·δϑ, and dδq = δdq for every
// one of them. Then the neighbouring paths do not obey the conditions: what these set to 0,
// ω_μ = b_μ·q' + c_μ, varies by
//
//     δω_μ = Σ_ν [b_μν (δq_ν)' + (∂ω_μ/∂q_ν) δq_ν],
//
// which is −Σ β_μ^{τρ} ω_τ δϑ_ρ, and its momentum P_μ must be counted. Here no β is made: the
// variations are written out, and what stands at δϑ' and at δϑ gives Euler's equations.
#include "forms/action_impl.h"
#include "forms/steps_impl.h"

// δϑ of a speed: "delta.v", and "delta.x" for x'.
static void name_variations(Action *action)
{
    Motion *motion = action->motion;
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        const MotionSpeed *speed = &motion->state.speeds[alpha];
        Text name = {0};
        text_addf(&name, "delta.%s",
                  speed->declared ? speed->name : motion->model->coords.at[speed->index].name);
        action->theta[alpha] = expr_symbol(motion->pool, name.at);
        text_add(&name, "'");
        action->rate[alpha] = expr_symbol(motion->pool, name.at);
        text_clear(&name);
    }
}

static void vary_coordinates(Action *action)
{
    Motion *motion = action->motion;
    ExprPool *pool = motion->pool;
    size_t k = motion->k;
    Expr *terms = base_alloc((2 * k + 1) * sizeof *terms);
    for (size_t nu = 0; nu < motion->n; nu++) {
        for (size_t alpha = 0; alpha < k; alpha++) {
            Expr B = motion->state.B[nu * k + alpha];
            Expr moving = motion_rate_along(motion, &motion->state, B);
            terms[alpha] = expr_mul(pool, B, action->rate[alpha]);
            terms[k + alpha] = expr_mul(pool, moving, action->theta[alpha]);
        }
        action->dv[nu] = expr_sum(pool, terms, 2 * k);
        for (size_t alpha = 0; alpha < k; alpha++)
            terms[alpha] = expr_mul(pool, motion->state.B[nu * k + alpha], action->theta[alpha]);
        action->dq[nu] = expr_sum(pool, terms, k);
    }
    base_free(terms);
}

// Σ_ν [y_ν (δq_ν)' + (∂u/∂q_ν) δq_ν], in speeds: how a function u = y·q' + y0 varies.
static Expr variation_of(Action *action, Expr u, const Expr *y)
{
    Motion *motion = action->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    Expr *terms = base_alloc((2 * n + 1) * sizeof *terms);
    expr_gradient(pool, u, motion->q, n, terms);
    for (size_t nu = 0; nu < n; nu++) {
        terms[nu] = expr_mul(pool, motion_in_speeds(motion, terms[nu]), action->dq[nu]);
        terms[n + nu] = expr_mul(pool, y[nu], action->dv[nu]);
    }
    Expr sum = expr_sum(pool, terms, 2 * n);
    base_free(terms);
    return sum;
}

static Expr readable(Action *action, Expr e)
{
    return action->to_read ? algebra_simplify(action->motion->algebra, e) : e;
}

// P_μ = Σ_ν p_ν ∂q'_ν/∂ω_μ, the conditions put in afterwards; and δω_μ.
static bool vary_conditions(Action *action)
{
    Motion *motion = action->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n, m = motion->m, k = motion->k;
    Expr *across = base_alloc((n * m + n + 1) * sizeof *across), *terms = across + n * m;
    bool solved = conditions_across(motion, across);
    for (size_t mu = 0; mu < m && solved; mu++) {
        for (size_t nu = 0; nu < n; nu++)
            terms[nu] =
                expr_mul(pool, motion_in_speeds(motion, motion->p[nu]), across[nu * m + mu]);
        action->P[mu] = expr_sum(pool, terms, n);
        Expr varied = variation_of(action, motion->rows[mu].velocity, motion->rows[mu].b);
        // b·B = 0: the rates of δϑ fall out.
        Expr *parts = base_alloc((k + 1) * sizeof *parts);
        expr_gradient(pool, varied, action->theta, k, parts);
        for (size_t alpha = 0; alpha < k; alpha++)
            parts[alpha] = expr_mul(pool, readable(action, parts[alpha]), action->theta[alpha]);
        action->omega[mu] = expr_sum(pool, parts, k);
        base_free(parts);
    }
    base_free(across);
    return solved;
}

Expr action_speed_variation(Action *action, size_t alpha)
{
    const MotionSpeed *speed = &action->motion->state.speeds[alpha];
    return variation_of(action, speed->value, speed->y);
}

// δT⁺ + Σ P_μ δω_μ
static void make_integrand(Action *action)
{
    Motion *motion = action->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n, m = motion->m, k = motion->k;
    Expr *terms = base_alloc((n + m + k + 1) * sizeof *terms);
    Expr *u = base_alloc((k + 1) * sizeof *u);
    for (size_t alpha = 0; alpha < k; alpha++)
        u[alpha] = motion->state.speeds[alpha].u;
    action->T = motion_in_speeds(motion, motion->T);
    expr_gradient(pool, action->T, u, k, action->slope);
    expr_gradient(pool, action->T, motion->q, n, terms);
    for (size_t nu = 0; nu < n; nu++)
        terms[nu] = expr_mul(pool, terms[nu], action->dq[nu]);
    action->slopes_work = expr_sum(pool, terms, n);
    for (size_t mu = 0; mu < m; mu++)
        terms[n + mu] = expr_mul(pool, action->P[mu], action->omega[mu]);
    for (size_t alpha = 0; alpha < k; alpha++)
        terms[n + m + alpha] =
            expr_mul(pool, action->slope[alpha], action_speed_variation(action, alpha));
    action->integrand = expr_sum(pool, terms, n + m + k);
    base_free(terms);
    base_free(u);
}

void action_equations(Action *action, Expr integrand, Form *form)
{
    Motion *motion = action->motion;
    ExprPool *pool = motion->pool;
    size_t k = motion->k;
    Expr *at_rates = base_alloc((2 * k + 1) * sizeof *at_rates), *at_rest = at_rates + k;
    expr_gradient(pool, integrand, action->rate, k, at_rates);
    expr_gradient(pool, integrand, action->theta, k, at_rest);
    for (size_t alpha = 0; alpha < k; alpha++) {
        Expr moving = motion_rate_along(motion, &motion->state, at_rates[alpha]);
        form_add_equation(form, motion->state.speeds[alpha].name,
                          expr_sub(pool, moving, at_rest[alpha]), form_force_on(motion, alpha));
    }
    base_free(at_rates);
}

// ---- What is told.

static bool has_other_forces(Motion *motion)
{
    bool any = false;
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr slope = expr_diff(motion->pool, motion->U, motion->q[nu]);
        Expr rest = expr_add(motion->pool, motion->K[nu], slope);
        Verdict zero = algebra_is_zero(motion->algebra, rest);
        any =
            any || zero.answer != ANSWER_YES || !expr_is_zero(motion->pool, motion->rest_of_S[nu]);
        verdict_clear(&zero);
    }
    return any;
}

static void add_principle(Action *action, Form *form)
{
    Motion *motion = action->motion;
    bool potential = !expr_is_zero(motion->pool, motion->U);
    Text text = {0};
    text_add(&text, potential ? "∫ [δ(T⁺ − U)" : "∫ [δT⁺");
    for (size_t mu = 0; mu < motion->m; mu++) {
        const char *name = motion->rows[mu].constraint->name;
        if (!expr_is_zero(motion->pool, action->omega[mu]))
            text_addf(&text, " + P_%s·δω_%s", name, name);
    }
    text_addf(&text,
              "%s] dt = 0 for all variations that vanish at both ends, with dδq = δdq for every "
              "coordinate",
              has_other_forces(motion) ? " + δA" : "");
    form_add_note(form, text.at);
    text_clear(&text);
}

static void add_functions(Action *action, Form *form)
{
    Motion *motion = action->motion;
    form_add_function(form, "T⁺", action->T);
    if (!expr_is_zero(motion->pool, motion->U))
        form_add_function(form, "U", motion->U);
    for (size_t mu = 0; mu < motion->m; mu++) {
        if (expr_is_zero(motion->pool, action->omega[mu]))
            continue;
        Text name = {0};
        text_addf(&name, "P_%s", motion->rows[mu].constraint->name);
        form_add_function(form, name.at, action->P[mu]);
        text_clear(&name);
        text_addf(&name, "δω_%s", motion->rows[mu].constraint->name);
        form_add_function(form, name.at, action->omega[mu]);
        text_clear(&name);
    }
}

static void record(Action *action, Form *form)
{
    Motion *motion = action->motion;
    size_t m = motion->m;
    step_in_speeds(form, motion);
    if (form_begin_step(form, STEP_REDUCED_ENERGY))
        form_add_line(form, (FormLine){.of = "T⁺", .value = action->T});
    step_displacements(form, motion);
    if (m > 0 && form_begin_step(form, STEP_ACTION_CONDITIONS))
        for (size_t mu = 0; mu < m; mu++)
            line_named(form, action->omega[mu], "δω_%s", motion->rows[mu].constraint->name);
    if (m > 0 && form_begin_step(form, STEP_ACTION_MOMENTA))
        for (size_t mu = 0; mu < m; mu++)
            line_named(form, action->P[mu], "P_%s", motion->rows[mu].constraint->name);
    if (form_begin_step(form, STEP_ACTION_INTEGRAND))
        form_add_line(form, (FormLine){.of = "δT", .value = action->integrand});
    step_speed_forces(form, STEP_SPEED_FORCES, motion);
    step_equations(form, STEP_ACTION_EQUATIONS, 0);
}

bool action_init(Action *action, Motion *motion, bool to_read)
{
    size_t n = motion->n, m = motion->m, k = motion->k;
    Expr *room = base_alloc((3 * k + 2 * n + 2 * m + 1) * sizeof *room);
    *action = (Action){.motion = motion,
                       .to_read = to_read,
                       .theta = room,
                       .rate = room + k,
                       .slope = room + 2 * k,
                       .dq = room + 3 * k,
                       .dv = room + 3 * k + n,
                       .P = room + 3 * k + 2 * n,
                       .omega = room + 3 * k + 2 * n + m,
                       .room = room};
    name_variations(action);
    vary_coordinates(action);
    if (!vary_conditions(action))
        return false;
    make_integrand(action);
    return true;
}

void action_clear(Action *action)
{
    base_free(action->room);
}

void form_action(Motion *motion, Form *form)
{
    if (!form_may_reduce(motion, form))
        return;
    if (!form_needs_linear(motion, &motion->state, form,
                           "the variations of this form are written with coefficients of q′ that "
                           "hold coordinates and time alone"))
        return;
    form->in_speeds = true;
    Action action;
    if (action_init(&action, motion, form->detail > FORM_TO_RUN)) {
        add_functions(&action, form);
        if (action.to_read)
            add_principle(&action, form);
        action_equations(&action, action.integrand, form);
        record(&action, form);
    } else {
        form_refuse(form, "the speeds of the conditions cannot be told apart from the others");
    }
    action_clear(&action);
}
