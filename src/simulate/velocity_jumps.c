// velocity_jumps.c: velocities that jump where a function switches.
//
// Forces may jump, and the velocities go on. But an inertia, a potential, or the row of a condition
// may jump too. Then the velocities jump as they do in the limit of ever steeper smooth functions:
//
//   with the time      the momenta are kept, but for the reactions of conditions whose rate jumps
//                      (an ideal percussion)
//   at a place, T, U   the momenta along the surface of the switch are kept, and the energy; where
//                      that does not suffice, the motion is reflected
//   at a place, rows   where one condition has a kink, the velocity turns with its normal, in the
//                      plane of both normals, and keeps its length in the metric of the inertia
//
// A condition that jumps itself is met by no motion. Where several of these happen at once, the
// limit is not unique. Both are refused.
#include "base/strings.h"
#include "dynamics/dynamics.h"
#include "dynamics/projection.h"
#include "dynamics/unilaterals.h"
#include "expr/arithmetic.h"
#include "linalg/kkt.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "motion/motion_types.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/switch_functions_impl.h"
#include "simulate/velocity_jumps_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// The equations on one side of the switch, at the velocities before it.
typedef struct {
    double *inertia;  // n × n
    double *rows;     // of the independent conditions
    double *drift;    // c of b·q' + c = 0
    double *momentum; // ∂T/∂q'
    double potential;
} SwitchSide;

typedef struct {
    Arena *arena;
    const Equations *eq;
    State *state;
    Kkt *kkt;
    Evaluator energies; // U, ∂T/∂q'
    double t, *q, *v;   // before
    SwitchSide sides[2];
    double *slope; // ∂s/∂t, ∂s/∂q of what decides the switch
} JumpProblem;

static size_t row_count(const JumpProblem *problem)
{
    return problem->eq->independent.count;
}

static SwitchSide look(JumpProblem *problem, double t, const double *q)
{
    const Equations *eq = problem->eq;
    State *state = problem->state;
    size_t n = eq->n, m = row_count(problem);
    SwitchSide side = {.inertia = arena_array(problem->arena, double, n *n),
                       .rows = arena_array(problem->arena, double, m *n + 1),
                       .drift = arena_array(problem->arena, double, m + 1),
                       .momentum = arena_array(problem->arena, double, n)};
    *state->t = t;
    memcpy(state->q, q, n * sizeof *q);
    memcpy(state->v, problem->v, n * sizeof *q);
    evaluator_run(&state->velocities, state->inputs);
    evaluator_run(&state->forces, state->inputs);
    evaluator_run(&problem->energies, state->inputs);
    memcpy(side.inertia, state->forces.out, n * n * sizeof *q);
    for (size_t i = 0; i < m; i++) {
        size_t row = eq->independent.rows[i];
        memcpy(side.rows + i * n, state->velocities.out + row * n, n * sizeof *q);
        side.drift[i] = state->velocities.out[n * n + row];
    }
    side.potential = problem->energies.out[0];
    memcpy(side.momentum, problem->energies.out + 1, n * sizeof *q);
    return side;
}

// Whether numbers differ by more than the state has moved.
static bool differ(const double *a, const double *b, size_t count, double size)
{
    for (size_t i = 0; i < count; i++)
        if (fabs(a[i] - b[i]) > TOL_SMALL * size)
            return true;
    return false;
}

static bool rows_differ(const JumpProblem *problem, size_t i)
{
    size_t n = problem->eq->n;
    const double *before = problem->sides[0].rows + i * n, *after = problem->sides[1].rows + i * n;
    return differ(before, after, n, fmax(real_largest(before, n), real_largest(after, n)));
}

// ---- Conditions that jump themselves.

static bool condition_jumps(SimulationRun *run, const JumpProblem *problem, Text *reason)
{
    const Equations *eq = problem->eq;
    State *state = problem->state;
    const ModelConstraint *broken = NULL;
    size_t worst = 0;
    if (eq->finite > 0) {
        positions_evaluate(state);
        if (positions_miss(eq, state, &worst) > TOL_SMALL)
            broken = eq->finite_conditions[worst].constraint;
    }
    const GapFunctions *gaps = run->gaps;
    size_t count = gaps ? gaps->count : 0;
    double *former = arena_array(problem->arena, double, count + 1);
    if (count > 0) {
        unilaterals_gaps(gaps->unilaterals, problem->t, problem->q, former);
        unilaterals_gaps(gaps->unilaterals, *state->t, state->q, gaps->f);
    }
    for (size_t i = 0; i < count && !broken; i++) {
        // It may be steep, and some time has passed.
        double rate = unilaterals_row(gaps->unilaterals, i, *state->t, state->q, problem->v).rate;
        double most = TOL_SMALL * gaps->sizes[i] + 2 * fabs(rate) * (*state->t - problem->t);
        if (gaps->f[i] > most && gaps->f[i] - former[i] > most)
            broken = run->sim->motion->sides[i].constraint;
    }
    if (broken)
        text_addf(reason, "the condition '%s' itself jumps there, and no motion meets it",
                  broken->name);
    return broken;
}

// Where the conditions have moved the state, though no time has passed.
static bool state_jumps(const SimulationRun *run, const JumpProblem *problem, size_t which,
                        Text *reason)
{
    const ContactMode *mode = run->mode;
    double way = TOL_SMALL * (mode->t - mode->from), farthest = 0;
    for (size_t i = 0; i < problem->eq->n; i++) {
        double usual = way * fabs(problem->v[i]) + TOL_AGREEMENT * fabs(problem->q[i]);
        farthest = fmax(farthest, fabs(mode->y[i] - problem->q[i]) - usual);
    }
    bool jumps = problem->eq->finite > 0 && farthest > TOL_AGREEMENT;
    if (jumps)
        text_addf(reason, "a condition itself jumps there with %s, and no motion meets it",
                  run->switches->names[which]);
    return jumps;
}

// ---- The laws.

// 𝓜v − bᵀλ = momentum, b·v + drift = 0 on a side.
static bool solve(JumpProblem *problem, const SwitchSide *side, const double *momentum,
                  const double *drift, double *v)
{
    size_t m = row_count(problem);
    double *lambda = arena_array(problem->arena, double, m + 1);
    KktProblem kkt = {.inertia = side->inertia,
                      .force = momentum,
                      .rows = side->rows,
                      .drift = drift,
                      .row_count = m};
    return kkt_solve(problem->kkt, &kkt, v, lambda).outcome == SOLVE_DONE;
}

static double product(const double *inertia, const double *v, const double *w, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i] * real_dot(inertia + i * n, w, n);
    return sum;
}

// The velocities behind the switch with the momenta before it, but for reactions. A T that is not
// homogeneous has momenta at rest, too.
static bool keep_momenta(JumpProblem *problem, double *after)
{
    const SwitchSide *before = &problem->sides[0], *behind = &problem->sides[1];
    size_t n = problem->eq->n;
    double *momentum = arena_array(problem->arena, double, n);
    for (size_t i = 0; i < n; i++)
        momentum[i] = before->momentum[i] -
                      (behind->momentum[i] - real_dot(behind->inertia + i * n, problem->v, n));
    return solve(problem, behind, momentum, behind->drift, after);
}

// Along the normal of the switch's surface the momentum changes so that the energy is kept.
static JumpKind refract(JumpProblem *problem, double *after)
{
    const SwitchSide *before = &problem->sides[0], *behind = &problem->sides[1];
    const double *slope = problem->slope + 1, *v = problem->v;
    size_t n = problem->eq->n, m = row_count(problem);
    double *w = arena_array(problem->arena, double, n),
           *still = arena_array(problem->arena, double, m + 1);
    if (!keep_momenta(problem, after) || !solve(problem, behind, slope, still, w))
        return JUMP_REFUSED;
    double energy = product(before->inertia, v, v, n) + 2 * (before->potential - behind->potential);
    double a = product(behind->inertia, w, w, n), b = product(behind->inertia, w, after, n),
           c = product(behind->inertia, after, after, n) - energy, root = b * b - a * c;
    double way = real_dot(slope, v, n), towards = way > 0 ? 1 : -1;
    if (root >= 0 && a > 0) {
        // b + a·μ is the speed across the surface.
        double mu = (towards * sqrt(root) - b) / a;
        for (size_t i = 0; i < n; i++)
            after[i] += mu * w[i];
        return JUMP_PASSES;
    }
    if (!solve(problem, before, slope, still, w))
        return JUMP_REFUSED;
    for (size_t i = 0; i < n; i++)
        after[i] = v[i] - 2 * way / real_dot(slope, w, n) * w[i];
    return JUMP_REFLECTED;
}

// The unit normal of a condition in the metric of the inertia, along the others.
static bool unit_normal(JumpProblem *problem, const SwitchSide *side, size_t row, double *normal)
{
    size_t n = problem->eq->n, m = row_count(problem);
    double *still = arena_array(problem->arena, double, m + 1);
    SwitchSide others = *side;
    others.rows = arena_array(problem->arena, double, m *n + 1);
    for (size_t i = 0; i < m; i++)
        if (i != row)
            memcpy(others.rows + i * n, side->rows + i * n, n * sizeof *normal);
    if (!solve(problem, &others, side->rows + row * n, still, normal))
        return false;
    double size = sqrt(product(side->inertia, normal, normal, n));
    for (size_t i = 0; i < n; i++)
        normal[i] /= size;
    return size > 0;
}

static bool turn(JumpProblem *problem, size_t row, double *after)
{
    size_t n = problem->eq->n;
    const double *inertia = problem->sides[0].inertia;
    double *first = arena_array(problem->arena, double, 2 * n), *second = first + n;
    if (!unit_normal(problem, &problem->sides[0], row, first) ||
        !unit_normal(problem, &problem->sides[1], row, second))
        return false;
    // A smooth row goes from one to the other on the straight line between them.
    double cosine = fmax(fmin(product(inertia, first, second, n), 1), -1);
    double sine = sqrt(1 - cosine * cosine), along = product(inertia, problem->v, second, n) / sine;
    // From the tangent at the first normal to the one at the second.
    for (size_t i = 0; i < n; i++)
        after[i] = problem->v[i] - along * (second[i] - cosine * first[i]) / sine +
                   along * (cosine * second[i] - first[i]) / sine;
    return sine > TOL_SMALL;
}

// ---- Which of them.

typedef struct {
    bool kinetic, potential, drift;
    size_t rows, row; // how many; the last
} Changes;

static Changes find_changes(const JumpProblem *problem)
{
    const SwitchSide *before = &problem->sides[0], *behind = &problem->sides[1];
    size_t n = problem->eq->n, m = row_count(problem);
    double T = product(before->inertia, problem->v, problem->v, n);
    double size = fmax(real_largest(before->inertia, n * n), real_largest(behind->inertia, n * n));
    double momenta = fmax(real_largest(before->momentum, n), real_largest(behind->momentum, n));
    Changes changes = {0};
    changes.kinetic = differ(before->inertia, behind->inertia, n * n, size) ||
                      differ(before->momentum, behind->momentum, n, momenta);
    changes.potential =
        differ(&before->potential, &behind->potential, 1, fmax(T, fabs(before->potential)));
    for (size_t i = 0; i < m; i++)
        if (rows_differ(problem, i)) {
            changes.rows++;
            changes.row = i;
        }
    double speed = fmax(real_largest(before->drift, m), real_largest(behind->drift, m));
    changes.drift = differ(before->drift, behind->drift, m, speed);
    return changes;
}

// Whether a row is a one-sided condition that acts.
static bool is_side(const JumpProblem *problem, size_t row, size_t *side)
{
    const Motion *motion = problem->eq->motion;
    const ModelConstraint *own = motion->rows[problem->eq->independent.rows[row]].constraint;
    for (*side = 0; motion->held && *side < motion->side_count; ++*side)
        if (motion->held[*side] && motion->sides[*side].constraint == own)
            return true;
    return false;
}

static JumpKind jump(JumpProblem *problem, bool at_place, VelocityJump *out)
{
    Changes changes = find_changes(problem);
    size_t n = problem->eq->n, m = row_count(problem);
    bool moves = problem->slope[0] != 0 || real_largest(problem->sides[0].drift, m) > 0 ||
                 real_largest(problem->sides[1].drift, m) > 0;
    if (!changes.kinetic && !(changes.potential && at_place) && !changes.drift && changes.rows == 0)
        return JUMP_NONE;
    if (changes.rows == 1 && !changes.kinetic && is_side(problem, changes.row, &out->side))
        return JUMP_CONTACT;
    bool kept = false;
    if (!at_place && changes.rows == 0)
        kept = keep_momenta(problem, out->after);
    else if (at_place && changes.rows == 0 && !moves)
        return refract(problem, out->after);
    else if (at_place && changes.rows == 1 && !changes.kinetic && !changes.potential && !moves)
        kept = turn(problem, changes.row, out->after);
    kept = kept && isfinite(real_largest(out->after, n));
    return kept ? JUMP_PASSES : JUMP_REFUSED;
}

static bool prepare(JumpProblem *problem, SimulationRun *run, size_t which)
{
    const Equations *eq = problem->eq;
    Motion *motion = run->sim->motion;
    size_t n = eq->n, inputs = eq->params + 1 + 2 * n;
    Expr *outputs = arena_array(problem->arena, Expr, n + 1), missing;
    Expr *by = arena_array(problem->arena, Expr, n + 1);
    outputs[0] = motion->U;
    memcpy(outputs + 1, motion->p, n * sizeof *outputs);
    by[0] = eq->symbols[eq->params];
    memcpy(by + 1, motion->q, n * sizeof *by);
    if (!evaluator_init(&problem->energies, motion->pool, eq->symbols, inputs, outputs, n + 1,
                        &missing))
        return false;
    Evaluator slopes;
    expr_gradient(motion->pool, run->switches->decides[which], by, n + 1, outputs);
    bool found =
        evaluator_init(&slopes, motion->pool, eq->symbols, inputs, outputs, n + 1, &missing);
    if (found) {
        evaluator_run(&slopes, problem->state->inputs);
        memcpy(problem->slope, slopes.out, (n + 1) * sizeof *problem->slope);
        evaluator_clear(&slopes);
    }
    return found;
}

void velocity_jump(SimulationRun *run, size_t which, double before, VelocityJump *out)
{
    ContactMode *mode = run->mode;
    const Equations *eq = mode->eq;
    size_t n = eq->n;
    assert(which < run->switches->count && out->after);
    out->kind = JUMP_NONE;
    Arena *arena = arena_new();
    JumpProblem problem = {.arena = arena,
                           .eq = eq,
                           .state = mode->state,
                           .t = before,
                           .q = arena_array(arena, double, 2 * n),
                           .slope = arena_array(arena, double, n + 1)};
    problem.v = problem.q + n;
    problem.kkt = kkt_new(arena, n, row_count(&problem));
    memcpy(problem.q, mode->state->q, n * sizeof *problem.q);
    memcpy(problem.v, mode->state->v, n * sizeof *problem.v);
    if (prepare(&problem, run, which)) {
        bool at_place = real_largest(problem.slope + 1, n) > 0;
        problem.sides[0] = look(&problem, problem.t, problem.q);
        problem.sides[1] = look(&problem, mode->t, mode->y);
        bool refused = condition_jumps(run, &problem, &out->reason) ||
                       state_jumps(run, &problem, which, &out->reason);
        out->kind = refused ? JUMP_REFUSED : jump(&problem, at_place, out);
        if (out->kind == JUMP_REFUSED && out->reason.length == 0)
            text_add(&out->reason, "the inertia or several conditions jump there, and the limit of "
                                   "smooth functions is not unique");
    }
    evaluator_clear(&problem.energies);
    arena_free(arena);
}
