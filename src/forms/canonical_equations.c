// canonical_equations.c: canonical equations with the correction (Quanjel (21)–(25)).
//
//     p_α = ∂T⁺/∂q'_α,  𝒦 = Σ p q' − T⁺
//     q'_α = ∂𝒦/∂p_α,   p'_α = −∂𝒦/∂q_α + Q_α + R_α
//
// With a potential energy U, which is Quanjel's force function with its sign changed, H = 𝒦 + U is
// his K − U, and Q*_α = Q_α + ∂U/∂q_α are the forces that are left outside of it:
//
//     q'_α = ∂H/∂p_α,   p'_α = −∂H/∂q_α + Q*_α + R_α
//
// ∂/∂q_α keeps the dependent coordinates fixed; they follow from the conditions.
#include "forms/steps_impl.h"

// Solving for more velocities takes minutes.
enum { MOST_FREEDOMS = 400 };

typedef struct {
    TrueCoordinates in;
    Expr *p, *rate;                        // k symbols each: the momenta and their derivatives
    Expr *velocity;                        // q'_α in q, p, t
    Expr K;                                // 𝒦
    Expr *dK_dp;                           // k
    Expr *dK_dq;                           // by the independent coordinates, k
    Expr *dU_dq;                           // the same of the potential energy
    ExprSubst *to_momenta, *to_velocities; // q' in q, p, t; and p as what it is
} Canonical;

static void make_symbols(Canonical *canonical)
{
    ExprPool *pool = canonical->in.motion->pool;
    for (size_t alpha = 0; alpha < canonical->in.motion->k; alpha++) {
        Text name = {0};
        text_addf(&name, "p_%s", true_name(&canonical->in, alpha));
        canonical->p[alpha] = expr_symbol(pool, name.at);
        text_add(&name, "'");
        canonical->rate[alpha] = expr_symbol(pool, name.at);
        text_clear(&name);
    }
}

// T⁺ is positive on the free velocities, so that Gauss's elimination needs no search for pivots:
// none of them is 0 anywhere. From here on, and where formulas to be read have been 0/0 along a
// run, it is done on the graph as it is.
enum { MOST_SEARCHED = 4 };

static bool is_regular(Motion *motion, const Expr *matrix, size_t k)
{
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, k, k, NULL, NULL, NULL);
    return rank < 0 || rank == (ptrdiff_t)k;
}

// e − Σ a_i·b_i over count terms, b taken in steps: one sum, whatever its length.
static Expr less_products(ExprPool *pool, Expr e, const Expr *a, const Expr *b, size_t step,
                          size_t count)
{
    Expr *terms = base_alloc((count + 1) * sizeof *terms);
    terms[count] = e;
    for (size_t i = 0; i < count; i++)
        terms[i] = expr_neg(pool, expr_mul(pool, a[i], b[i * step]));
    Expr sum = expr_sum(pool, terms, count + 1);
    base_free(terms);
    return sum;
}

// matrix·x = right for a symmetric positive matrix, which becomes L and U of Gauss's elimination;
// right is used up. False where a pivot vanishes after all.
static bool eliminate(ExprPool *pool, Expr *matrix, Expr *right, size_t k, Expr *x)
{
    for (size_t i = 0; i < k; i++) {
        Expr *row = &matrix[i * k];
        for (size_t p = 0; p < i; p++)
            row[p] = expr_div(pool, matrix[p * k + i], matrix[p * k + p]);
        for (size_t j = i; j < k; j++)
            row[j] = less_products(pool, row[j], row, &matrix[j], k, i);
        right[i] = less_products(pool, right[i], row, right, 1, i);
        if (expr_is_zero(pool, row[i]))
            return false;
    }
    for (size_t p = k; p-- > 0;) {
        const Expr *row = &matrix[p * k];
        Expr rest = less_products(pool, right[p], row + p + 1, x + p + 1, 1, k - p - 1);
        x[p] = expr_div(pool, rest, row[p]);
    }
    return true;
}

// x from matrix·x = right; a Lagrangian that was given need not be positive.
static bool solve(Motion *motion, Expr *matrix, Expr *right, Expr *x)
{
    size_t k = motion->k;
    bool positive = expr_is_zero(motion->pool, motion->model->lagrangian);
    if (!positive)
        return algebra_solve(motion->algebra, matrix, right, k, 1, x);
    if (k <= MOST_SEARCHED && !motion->pivots)
        return algebra_solve_positive(motion->algebra, matrix, right, k, x);
    return is_regular(motion, matrix, k) && eliminate(motion->pool, matrix, right, k, x);
}

// q' from p = ∂²T⁺/∂q'∂q'·q' + ∂T⁺/∂q' at rest. False where T⁺ is not quadratic or singular.
static bool invert(Canonical *canonical)
{
    TrueCoordinates *in = &canonical->in;
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    size_t k = motion->k;
    Expr *matrix = base_alloc((k * k + 1) * sizeof *matrix);
    Expr *right = base_alloc((k + 1) * sizeof *right);
    bool good = true;
    for (size_t alpha = 0; alpha < k && good; alpha++) {
        Expr rest;
        good = expr_linear(pool, in->dT_dv[alpha], in->velocity, k, &matrix[alpha * k], &rest);
        right[alpha] = expr_sub(pool, canonical->p[alpha], rest);
    }
    good = good && solve(motion, matrix, right, canonical->velocity);
    base_free(matrix);
    base_free(right);
    return good;
}

// e with the velocities expressed by the momenta.
static Expr in_momenta(Canonical *canonical, Expr e)
{
    return expr_subst(canonical->to_momenta, e);
}

static void make_energy(Canonical *canonical)
{
    TrueCoordinates *in = &canonical->in;
    ExprPool *pool = in->motion->pool;
    size_t k = in->motion->k;
    Expr *terms = base_alloc((k + 1) * sizeof *terms);
    Expr *q = base_alloc((k + 1) * sizeof *q);
    for (size_t alpha = 0; alpha < k; alpha++) {
        terms[alpha] = expr_mul(pool, canonical->p[alpha], canonical->velocity[alpha]);
        q[alpha] = in->motion->q[in->independent[alpha]];
    }
    terms[k] = expr_neg(pool, in_momenta(canonical, in->T));
    canonical->K = expr_sum(pool, terms, k + 1);
    expr_gradient(pool, canonical->K, canonical->p, k, canonical->dK_dp);
    expr_gradient(pool, canonical->K, q, k, canonical->dK_dq);
    expr_gradient(pool, in->motion->U, q, k, canonical->dU_dq);
    base_free(terms);
    base_free(q);
}

static void add_equation(Canonical *canonical, Form *form, size_t alpha)
{
    TrueCoordinates *in = &canonical->in;
    ExprPool *pool = in->motion->pool;
    Expr load = expr_add(pool, true_force(in, alpha), true_correction(in, alpha));
    Expr right = expr_sub(pool, in_momenta(canonical, load), canonical->dK_dq[alpha]);
    form_add_equation(form, true_name(in, alpha), canonical->rate[alpha], right);
    // The same in velocities: the momenta are what they are.
    Expr slope = expr_subst(canonical->to_velocities, canonical->dK_dq[alpha]);
    Expr parts[] = {true_rate(in, in->dT_dv[alpha]), slope, expr_neg(pool, load)};
    form->equations.at[form->equations.count - 1].residual = expr_sum(pool, parts, 3);
}

static void make_substitutions(Canonical *canonical)
{
    const TrueCoordinates *in = &canonical->in;
    canonical->to_momenta = expr_subst_new(in->motion->pool);
    canonical->to_velocities = expr_subst_new(in->motion->pool);
    for (size_t alpha = 0; alpha < in->motion->k; alpha++) {
        expr_subst_set(canonical->to_momenta, in->velocity[alpha], canonical->velocity[alpha]);
        expr_subst_set(canonical->to_velocities, canonical->p[alpha], in->dT_dv[alpha]);
    }
}

static const char *velocity_name(const Canonical *canonical, size_t alpha)
{
    return expr_name(canonical->in.motion->pool, canonical->in.velocity[alpha]);
}

// ---- H, and the forces outside of it (Quanjel (24), (25)).

static bool has_potential(const Canonical *canonical)
{
    const Motion *motion = canonical->in.motion;
    return !expr_is_zero(motion->pool, motion->U);
}

static Expr hamiltonian(const Canonical *canonical)
{
    const Motion *motion = canonical->in.motion;
    return expr_add(motion->pool, canonical->K, motion->U);
}

static Expr hamiltonian_slope(const Canonical *canonical, size_t alpha)
{
    return expr_add(canonical->in.motion->pool, canonical->dK_dq[alpha], canonical->dU_dq[alpha]);
}

// Q*_α: what the forces are besides those of U by the independent coordinates. Without a U it is
// Q_α.
static Expr outside_force(Canonical *canonical, size_t alpha)
{
    return expr_add(canonical->in.motion->pool, true_force(&canonical->in, alpha),
                    canonical->dU_dq[alpha]);
}

static void add_load(Canonical *canonical, Form *form, const char *letter, size_t alpha, Expr load)
{
    Text name = {0};
    text_addf(&name, "%s_%s", letter, true_name(&canonical->in, alpha));
    form_add_function(form, name.at, in_momenta(canonical, load));
    text_clear(&name);
}

// R and the forces outside of H, each by itself; what vanishes is left out, R only where there are
// no conditions. Without any, an S that was given may have apparent forces (Appell 15).
static void add_loads(Canonical *canonical, Form *form)
{
    TrueCoordinates *in = &canonical->in;
    const Motion *motion = in->motion;
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        if (motion->m > 0 || !algebra_vanishes(motion->algebra, true_correction(in, alpha)))
            add_load(canonical, form, "R", alpha, true_correction(in, alpha));
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        Expr outside = outside_force(canonical, alpha);
        if (!algebra_vanishes(motion->algebra, outside))
            add_load(canonical, form, has_potential(canonical) ? "Q*" : "Q", alpha, outside);
    }
}

// Whether T⁺ has no terms of first and zeroth degree in the velocities, so that 𝒦 = T⁺.
static bool is_homogeneous(const Canonical *canonical)
{
    const TrueCoordinates *in = &canonical->in;
    const Motion *motion = in->motion;
    Expr *zeros = base_alloc((motion->k + 1) * sizeof *zeros);
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        zeros[alpha] = expr_int(motion->pool, 0);
    bool yes = true;
    for (size_t alpha = 0; alpha <= motion->k && yes; alpha++) {
        Expr part = alpha < motion->k ? in->dT_dv[alpha] : in->T;
        yes = algebra_vanishes(motion->algebra,
                               expr_replace(motion->pool, part, in->velocity, zeros, motion->k));
    }
    base_free(zeros);
    return yes;
}

static void add_notes(Canonical *canonical, Form *form)
{
    bool potential = has_potential(canonical);
    if (potential)
        form_add_note(form, "U is the potential energy, Quanjel's force function with its sign "
                            "changed; H is his K − U (24)");
    if (is_homogeneous(canonical))
        form_add_note(form, potential ? "𝒦 is T⁺, so that H is the energy T⁺ + U (Quanjel no. 13)"
                                      : "𝒦 is T⁺, the kinetic energy (Quanjel no. 13)");
    else
        form_add_note(form, "𝒦 is not T⁺, which is not homogeneous in the velocities (Quanjel no. "
                            "11)");
}

// ---- The derivation, step by step.

// The equation of second order, as it stands before the momenta.
static void record_order(Canonical *canonical, Form *form)
{
    TrueCoordinates *in = &canonical->in;
    if (!form_begin_step(form, STEP_CANONICAL_ORDER))
        return;
    for (size_t alpha = 0; alpha < in->motion->k; alpha++)
        form_add_line(form, (FormLine){.left = true_lagrange(in, alpha),
                                       .value = expr_add(in->motion->pool, true_force(in, alpha),
                                                         true_correction(in, alpha))});
}

// p, q' in p, 𝒦, and its derivatives.
static void record_energy(Canonical *canonical, Form *form)
{
    TrueCoordinates *in = &canonical->in;
    const ExprPool *pool = in->motion->pool;
    size_t k = in->motion->k;
    if (form_begin_step(form, STEP_CANONICAL_MOMENTA))
        for (size_t alpha = 0; alpha < k; alpha++)
            form_add_line(form, (FormLine){.of = expr_name(pool, canonical->p[alpha]),
                                           .value = in->dT_dv[alpha]});
    if (form_begin_step(form, STEP_INVERSION))
        for (size_t alpha = 0; alpha < k; alpha++)
            form_add_line(form, (FormLine){.of = velocity_name(canonical, alpha),
                                           .value = canonical->velocity[alpha]});
    if (form_begin_step(form, STEP_POISSON))
        form_add_line(form, (FormLine){.of = "𝒦", .value = canonical->K});
    if (form_begin_step(form, STEP_CANONICAL_VELOCITIES))
        for (size_t alpha = 0; alpha < k; alpha++)
            form_add_line(form, (FormLine){.of = "𝒦",
                                           .by = expr_name(pool, canonical->p[alpha]),
                                           .value = canonical->dK_dp[alpha]});
    if (form_begin_step(form, STEP_CANONICAL_SLOPES))
        for (size_t alpha = 0; alpha < k; alpha++)
            form_add_line(form, (FormLine){.of = "𝒦",
                                           .by = true_name(in, alpha),
                                           .value = canonical->dK_dq[alpha]});
}

static void record_hamiltonian(Canonical *canonical, Form *form)
{
    if (!has_potential(canonical))
        return;
    if (form_begin_step(form, STEP_HAMILTONIAN)) {
        form_add_line(form, (FormLine){.of = "U", .value = canonical->in.motion->U});
        form_add_line(form, (FormLine){.of = "H", .value = hamiltonian(canonical)});
    }
    if (form_begin_step(form, STEP_HAMILTONIAN_SLOPES))
        for (size_t alpha = 0; alpha < canonical->in.motion->k; alpha++)
            form_add_line(form, (FormLine){.of = "H",
                                           .by = true_name(&canonical->in, alpha),
                                           .value = hamiltonian_slope(canonical, alpha)});
}

static void line_in_momenta(Canonical *canonical, Form *form, const char *letter, size_t alpha,
                            Expr value)
{
    Text name = {0};
    text_addf(&name, "%s_%s", letter, true_name(&canonical->in, alpha));
    form_add_line(
        form, (FormLine){.of = name.at, .brackets = true, .value = in_momenta(canonical, value)});
    text_clear(&name);
}

static void record(Canonical *canonical, Form *form)
{
    TrueCoordinates *in = &canonical->in;
    step_solved(form, in);
    step_energy(form, STEP_ENERGY, in->motion, "T");
    step_reduced_energy(form, in);
    step_correction(form, in);
    step_reduced_forces(form, in);
    record_order(canonical, form);
    record_energy(canonical, form);
    record_hamiltonian(canonical, form);
    bool potential = has_potential(canonical);
    if (form_begin_step(form, potential ? STEP_HAMILTONIAN_LOADS : STEP_CANONICAL_LOADS))
        for (size_t alpha = 0; alpha < in->motion->k; alpha++) {
            line_in_momenta(canonical, form, "R", alpha, true_correction(in, alpha));
            line_in_momenta(canonical, form, potential ? "Q*" : "Q", alpha,
                            outside_force(canonical, alpha));
        }
    step_equations(form, potential ? STEP_HAMILTONIAN_EQUATIONS : STEP_CANONICAL_EQUATIONS, 0);
}

static void derive(Canonical *canonical, Form *form)
{
    TrueCoordinates *in = &canonical->in;
    make_symbols(canonical);
    if (!invert(canonical)) {
        form_refuse(form, "the velocities cannot be expressed by the momenta: T⁺ is not a regular "
                          "quadratic function of them");
        return;
    }
    make_substitutions(canonical);
    make_energy(canonical);
    form_add_function(form, "T⁺", in->T);
    form_add_function(form, "𝒦", canonical->K);
    if (has_potential(canonical)) {
        form_add_function(form, "U", in->motion->U);
        form_add_function(form, "H", hamiltonian(canonical));
    }
    for (size_t alpha = 0; alpha < in->motion->k; alpha++)
        form_add_function(form, velocity_name(canonical, alpha), canonical->dK_dp[alpha]);
    for (size_t alpha = 0; alpha < in->motion->k; alpha++)
        add_equation(canonical, form, alpha);
    if (form->detail > FORM_TO_RUN) {
        add_loads(canonical, form);
        add_notes(canonical, form);
    }
    record(canonical, form);
}

void form_canonical(Motion *motion, Form *form)
{
    size_t k = motion->k;
    Canonical canonical = {0};
    if (!form_may_reduce(motion, form))
        return;
    if (k > MOST_FREEDOMS) {
        form_refuse(form,
                    "the velocities of %zu degrees of freedom as functions of the momenta are too "
                    "long; they are worked out for up to %d",
                    k, MOST_FREEDOMS);
        return;
    }
    if (!form_needs_linear(motion, motion_velocities(motion), form,
                           "the correction R, which stands beside the momenta here, then holds "
                           "accelerations"))
        return;
    if (!true_init(&canonical.in, motion, form))
        return;
    Expr *room = base_alloc((6 * k + 1) * sizeof *room);
    canonical.p = room;
    canonical.rate = room + k;
    canonical.velocity = room + 2 * k;
    canonical.dK_dp = room + 3 * k;
    canonical.dK_dq = room + 4 * k;
    canonical.dU_dq = room + 5 * k;
    derive(&canonical, form);
    base_free(room);
    expr_subst_free(canonical.to_momenta);
    expr_subst_free(canonical.to_velocities);
    true_clear(&canonical.in);
}
