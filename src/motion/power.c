// power.c: the energy, what changes it, and the momenta that nothing changes.
//
// From d/dt ∂T/∂q'_ν − ∂T/∂q_ν = K_ν + Σ λ b_ν, multiplied by q'_ν and summed, with b·q' = −c:
// d/dt (Σ q' ∂T/∂q' − T + U) = Σ Q_ν q'_ν − Σ λ c − ∂T/∂t + ∂U/∂t, Q the forces without potential.
// For a T that is quadratic in the velocities the energy on the left is T + U.
#include "motion/motion_impl.h"

static Expr make_energy(Motion *motion)
{
    size_t n = motion->n;
    Expr *terms = base_alloc((n + 2) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++)
        terms[nu] = expr_mul(motion->pool, motion->p[nu], motion->v[nu]);
    terms[n] = expr_neg(motion->pool, motion->T);
    terms[n + 1] = motion->U;
    Expr energy = expr_sum(motion->pool, terms, n + 2);
    base_free(terms);
    return energy;
}

static Expr make_power(Motion *motion)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n, m = motion->m;
    size_t sides = motion->held ? 0 : motion->side_count;
    Expr *terms = base_alloc((n + m + sides + 2) * sizeof *terms);
    motion_make_forces(motion, expr_int(pool, 0), terms);
    for (size_t nu = 0; nu < n; nu++)
        terms[nu] = expr_mul(pool, terms[nu], motion->v[nu]);
    for (size_t i = 0; i < m; i++)
        terms[n + i] =
            expr_neg(pool, expr_mul(pool, motion->rows[i].constraint->lambda, motion->rows[i].c));
    terms[n + m] = expr_neg(pool, expr_diff(pool, motion->T, motion->model->t));
    terms[n + m + 1] = expr_diff(pool, motion->U, motion->model->t);
    // One-sided: −λ·∂f/∂q while f' = 0.
    for (size_t i = 0; i < sides; i++)
        terms[n + m + 2 + i] =
            expr_mul(pool, motion->sides[i].constraint->lambda, motion_side(motion, i)->c);
    Expr power = expr_sum(pool, terms, n + m + sides + 2);
    base_free(terms);
    return motion_is_zero(motion, power) ? expr_int(pool, 0) : power;
}

MotionPower motion_power(Motion *motion)
{
    MotionPower power = {0};
    if (expr_is_none(motion->energy))
        return power;
    power.energy = make_energy(motion);
    power.power = make_power(motion);
    power.is_total = motion_is_zero(motion, expr_sub(motion->pool, power.energy, motion->energy));
    if (power.is_total)
        power.energy = motion->energy;
    return power;
}

// d/dt ∂T/∂q'_ν = ∂T/∂q_ν + K_ν + Σ λ b_ν: constant where each of these is 0.
static bool is_cyclic(Motion *motion, size_t nu)
{
    for (size_t i = 0; i < motion->m; i++)
        if (!motion_is_zero(motion, motion->rows[i].b[nu]))
            return false;
    for (size_t i = 0; i < motion->side_count; i++)
        if (!motion_is_zero(motion, motion_side(motion, i)->b[nu]))
            return false;
    // A percussion changes momenta.
    if (motion->model->impulses.count > 0)
        return false;
    return motion_is_zero(motion, motion->dS_da[nu]) && motion_is_zero(motion, motion->K[nu]) &&
           motion_is_zero(motion, motion->dT_dq[nu]);
}

size_t motion_integrals(Motion *motion, MotionIntegral *integrals)
{
    size_t count = 0;
    for (size_t nu = 0; nu < motion->n; nu++) {
        if (!is_cyclic(motion, nu))
            continue;
        Text name = {0};
        text_addf(&name, "momentum of %s", motion->model->coords.at[nu].name);
        integrals[count++] =
            (MotionIntegral){arena_copy_text(motion->arena, name.at, name.length), motion->p[nu]};
        text_clear(&name);
    }
    return count;
}
