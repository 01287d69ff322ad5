// power.c: the energy and what changes it.
//
// From d/dt ∂T/∂q'_ν − ∂T/∂q_ν = K_ν + Σ λ d_ν, multiplied by q'_ν and summed, with d = b and
// b·q' = −c where no servo is: d/dt (Σ q' ∂T/∂q' − T + U) = Σ Q_ν q'_ν − Σ λ c + Σ λ d·q' − ∂T/∂t +
// ∂U/∂t, Q the forces without potential, the last sum over the servos.
// For a T that is quadratic in the velocities the energy on the left is T + U. A condition that is
// not linear in the velocities does the work λ·∂f/∂q'·q' in a unit of time: none where it is
// homogeneous in them (Euler), which is c = −degree·f.
// The reaction of a condition of the second class does the work λ·∂f/∂q''·q'.
#include "expr/parity.h"
#include "model/paired_conditions.h"
#include "motion/motion_impl.h"

#include <assert.h>
#include <string.h>

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

bool motion_is_idle(const Motion *motion, const MotionRow *row)
{
    if (row->constraint->rated == 0 || row->servo)
        return false;
    size_t nu = row->constraint->rated - 1;
    const Expr own[] = {motion->q[nu], motion->v[nu]};
    bool idle = !expr_holds_any(motion->pool, motion->T, own, 2) &&
                !expr_holds_any(motion->pool, motion->U, own, 2) &&
                expr_is_zero(motion->pool, motion->K[nu]);
    for (size_t i = 0; i < motion->m && idle; i++)
        idle = &motion->rows[i] == row || expr_is_zero(motion->pool, motion->rows[i].b[nu]);
    for (size_t i = 0; i < motion->side_count && idle; i++)
        idle = !expr_holds(motion->pool, motion->sides[i].position, own[0]);
    return idle;
}

Expr motion_reaction_power(Motion *motion, const MotionRow *row)
{
    ExprPool *pool = motion->pool;
    Expr lambda = row->constraint->lambda;
    if (motion_is_idle(motion, row))
        return expr_int(pool, 0);
    if (row->linear && !row->servo)
        return expr_neg(pool, expr_mul(pool, lambda, row->c));
    if (!row->servo && motion_is_workless(motion, row))
        return expr_int(pool, 0);
    return expr_mul(pool, lambda, motion_along(motion, row->d, motion->v));
}

static Expr make_power(Motion *motion)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n, m = motion->m, s = motion->second_count;
    size_t sides = motion->held ? 0 : motion->side_count;
    Expr *terms = base_alloc((n + m + sides + s + 2) * sizeof *terms);
    motion_make_forces(motion, expr_int(pool, 0), terms);
    for (size_t nu = 0; nu < n; nu++)
        terms[nu] = expr_mul(pool, terms[nu], motion->v[nu]);
    for (size_t i = 0; i < m; i++)
        terms[n + i] = motion_reaction_power(motion, &motion->rows[i]);
    terms[n + m] = expr_neg(pool, expr_diff(pool, motion->T, motion->model->t));
    terms[n + m + 1] = expr_diff(pool, motion->U, motion->model->t);
    // One-sided: −λ·∂f/∂q while f' = 0. Where f does not hold t, nobody needs its row for that.
    for (size_t i = 0; i < sides; i++) {
        bool moves = expr_holds(pool, motion->sides[i].position, motion->model->t);
        terms[n + m + 2 + i] =
            moves ? expr_mul(pool, motion->sides[i].constraint->lambda, motion_side(motion, i)->c)
                  : expr_int(pool, 0);
    }
    for (size_t i = 0; i < s; i++) {
        const MotionRow *row = &motion->seconds[i].row;
        terms[n + m + 2 + sides + i] =
            expr_mul(pool, row->constraint->lambda, motion_along(motion, row->d, motion->v));
    }
    Expr power = expr_sum(pool, terms, n + m + 2 + sides + s);
    base_free(terms);
    return motion_is_zero(motion, power) ? expr_int(pool, 0) : power;
}

// Whether the energy is T + U: by Euler where T is seen to be quadratic, else by a proof.
static bool is_total(Motion *motion, Expr energy)
{
    if (expr_is_zero(motion->pool, motion->model->lagrangian) &&
        expr_homogeneity(motion->pool, motion->T, motion->v, motion->n) == 2)
        return true;
    return motion_is_zero(motion, expr_sub(motion->pool, energy, motion->energy));
}

// What was found out of the motion so far: sweeps ask before every run.
struct PowerFacts {
    bool has_power;
    MotionPower power;
    Answer keeps_energy, *keeps_momentum; // n
};

static struct PowerFacts *facts_of(Motion *motion)
{
    if (!motion->power_facts) {
        motion->power_facts = arena_alloc(motion->arena, sizeof *motion->power_facts);
        *motion->power_facts = (struct PowerFacts){
            .keeps_energy = ANSWER_UNKNOWN,
            .keeps_momentum = arena_array(motion->arena, Answer, motion->n + 1)};
        for (size_t i = 0; i < motion->n; i++)
            motion->power_facts->keeps_momentum[i] = ANSWER_UNKNOWN;
    }
    return motion->power_facts;
}

static MotionPower find_power(Motion *motion)
{
    MotionPower power = {0};
    if (expr_is_none(motion->energy))
        return power;
    power.energy = make_energy(motion);
    power.power = make_power(motion);
    power.is_total = is_total(motion, power.energy);
    if (power.is_total)
        power.energy = motion->energy;
    return power;
}

MotionPower motion_power(Motion *motion)
{
    struct PowerFacts *facts = facts_of(motion);
    if (!facts->has_power)
        facts->power = find_power(motion);
    facts->has_power = true;
    return facts->power;
}

// ---- What is plainly constant.

static bool any_holds(const ExprPool *pool, const Expr *exprs, size_t count, Expr symbol)
{
    ExprList symbols = expr_symbols(pool, exprs, count);
    bool found = false;
    for (size_t i = 0; i < symbols.count && !found; i++)
        found = symbols.at[i] == symbol.at;
    expr_list_free(&symbols);
    return found;
}

static bool holds(const ExprPool *pool, Expr e, Expr symbol)
{
    return !expr_is_none(e) && any_holds(pool, &e, 1, symbol);
}

// All that one-sided conditions hold, those over pairs included, in order.
struct SideSymbols {
    size_t count;
    uint32_t at[];
};

static void gather_side_symbols(Motion *motion)
{
    const Model *model = motion->model;
    ARRAY(Expr) roots = {0};
    for (size_t i = 0; i < motion->side_count; i++)
        array_push(&roots, motion->sides[i].position);
    for (size_t i = 0; i < model->pairs.count; i++) {
        const ModelPairs *pairs = &model->pairs.at[i];
        array_push(&roots, pairs->residual);
        for (size_t k = 0; k < pairs->elements * (pairs->first + pairs->second); k++)
            if (!expr_is_none(pairs->values[k]))
                array_push(&roots, pairs->values[k]);
    }
    ExprList symbols = expr_symbols(motion->pool, roots.at, roots.count);
    size_t bytes = symbols.count * sizeof *symbols.at;
    motion->side_symbols = arena_alloc(motion->arena, sizeof *motion->side_symbols + bytes);
    motion->side_symbols->count = symbols.count;
    if (symbols.count > 0)
        memcpy(motion->side_symbols->at, symbols.at, bytes);
    expr_list_free(&symbols);
    array_clear(&roots);
}

// Whether a one-sided condition holds a symbol.
static bool sides_hold(Motion *motion, Expr symbol)
{
    if (!motion->side_symbols)
        gather_side_symbols(motion);
    const struct SideSymbols *symbols = motion->side_symbols;
    size_t low = 0, high = symbols->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->at[middle] < symbol.at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < symbols->count && symbols->at[low] == symbol.at;
}

// Servos, friction and conditions of the second class have forces of their own kind.
static bool has_ideal_conditions(const Motion *motion)
{
    bool ideal = motion->second_count == 0 && motion->servos == 0 && motion->friction_count == 0;
    for (size_t i = 0; i < motion->m && ideal; i++)
        ideal = motion->rows[i].linear || motion_is_idle(motion, &motion->rows[i]);
    return ideal;
}

bool motion_is_autonomous(Motion *motion)
{
    ExprPool *pool = motion->pool;
    Expr t = motion->model->t;
    bool is = !holds(pool, motion->T, t) && motion->model->impulses.count == 0 &&
              !any_holds(pool, motion->K, motion->n, t);
    for (size_t i = 0; i < motion->m && is; i++)
        is = !holds(pool, motion->rows[i].velocity, t);
    return is && !sides_hold(motion, t);
}

// Whether an energy or a one-sided condition moves with the time.
static bool holds_time(Motion *motion)
{
    const ExprPool *pool = motion->pool;
    Expr t = motion->model->t;
    return holds(pool, motion->T, t) || holds(pool, motion->U, t) || sides_hold(motion, t);
}

// Whether a reaction may do work, to the eye.
static bool is_driven(Motion *motion)
{
    bool driven = !has_ideal_conditions(motion) || holds_time(motion);
    for (size_t i = 0; i < motion->m && !driven; i++)
        driven = !expr_is_zero(motion->pool, motion->rows[i].c) &&
                 !motion_is_idle(motion, &motion->rows[i]);
    return driven;
}

static bool keeps_energy(Motion *motion)
{
    const Model *model = motion->model;
    bool forces = model->forces_at.count + model->forces_along.count + model->torques.count > 0 ||
                  !expr_is_zero(motion->pool, model->dissipation);
    return !expr_is_none(motion->energy) && !forces && !model->whole && !is_driven(motion);
}

bool motion_keeps_energy(Motion *motion)
{
    Answer *answer = &facts_of(motion)->keeps_energy;
    if (*answer == ANSWER_UNKNOWN)
        *answer = keeps_energy(motion) ? ANSWER_YES : ANSWER_NO;
    return *answer == ANSWER_YES;
}

// As is_driven, but for conditions that are not linear in the velocities and do no work: that takes
// a proof.
static bool reactions_work(Motion *motion)
{
    ExprPool *pool = motion->pool;
    bool work = motion->second_count > 0 || motion->servos > 0 || holds_time(motion);
    for (size_t i = 0; i < motion->m && !work; i++) {
        const MotionRow *row = &motion->rows[i];
        work = !motion_is_idle(motion, row) &&
               (row->linear ? !expr_is_zero(pool, row->c) : !motion_is_workless(motion, row));
    }
    return work;
}

MotionWork motion_work(Motion *motion)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    Expr *all = base_alloc((2 * n + 1) * sizeof *all), *friction = all + n;
    MotionWork work = {.friction = expr_int(pool, 0), .driven = reactions_work(motion)};
    motion_make_forces(motion, expr_int(pool, 0), all);
    motion_make_friction(motion, friction);
    for (size_t nu = 0; nu < n; nu++) {
        work.forces = work.forces || !expr_same(all[nu], friction[nu]);
        work.friction = expr_add(pool, work.friction, expr_mul(pool, friction[nu], motion->v[nu]));
    }
    base_free(all);
    return work;
}

static bool keeps_momentum(Motion *motion, size_t coordinate)
{
    ExprPool *pool = motion->pool;
    size_t i = coordinate;
    bool keeps = !motion->model->whole && !expr_is_none(motion->energy) && !motion->sides_act &&
                 has_ideal_conditions(motion) && !sides_hold(motion, motion->q[i]) &&
                 !expr_is_zero(pool, motion->p[i]) && expr_is_zero(pool, motion->dT_dq[i]) &&
                 expr_is_zero(pool, motion->K[i]) && expr_is_zero(pool, motion->rest_of_S[i]);
    // A function that switches has the derivative 0 on both of its sides.
    keeps = keeps && !holds(pool, motion->T, motion->q[i]) && !holds(pool, motion->U, motion->q[i]);
    for (size_t j = 0; j < motion->m && keeps; j++)
        keeps = expr_is_zero(pool, motion->rows[j].b[i]);
    return keeps;
}

bool motion_keeps_momentum(Motion *motion, size_t coordinate)
{
    assert(coordinate < motion->n);
    Answer *answer = &facts_of(motion)->keeps_momentum[coordinate];
    if (*answer == ANSWER_UNKNOWN)
        *answer = keeps_momentum(motion, coordinate) ? ANSWER_YES : ANSWER_NO;
    return *answer == ANSWER_YES;
}
