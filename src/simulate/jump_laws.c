// jump_laws.c: the velocities behind a jump of the equations, from those before it.
//
// Forces may jump, and the velocities go on. But an inertia, a potential, or the row of a condition
// may jump too. Then the velocities jump as they do in the limit of ever steeper smooth functions:
//
//   with the time      the momenta are kept, but for the reactions of conditions whose rate jumps
//                      (an ideal percussion)
//   at a place, T, U   the momenta along the surface of the switch are kept, and the energy as it
//   is
//                      seen from that surface, which may move; where that does not suffice, the
//                      motion is reflected
//   at a place, drift  the momenta are kept, too, but for the reactions of conditions on velocities
//                      that ask for others behind it; the velocities in between lie on a straight
//                      line, and all of them have to go on across the surface
//   at a place, rows   where one condition has a kink, the velocity turns with its normal, in the
//                      plane of both normals, and keeps its length in the metric of the inertia
//
// A condition that jumps itself is met by no motion. Where several of these happen at once, the
// limit is not unique. Both are refused.
#include "linalg/kkt.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "simulate/jump_laws_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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
    size_t n = problem->n;
    if (problem->rates[i])
        return false;
    const double *before = problem->sides[0].rows + i * n, *after = problem->sides[1].rows + i * n;
    return differ(before, after, n, fmax(real_largest(before, n), real_largest(after, n)));
}

// A drift that begins at 0 differs from 0 by how far the state has moved, and twice as far by twice
// as much; one that jumps does not.
static bool drift_jumps(const JumpProblem *problem)
{
    const double *before = problem->sides[0].drift, *behind = problem->sides[1].drift;
    double size = 0;
    for (size_t i = 0; i < problem->m; i++)
        size = problem->rates[i] ? size : fmax(size, fmax(fabs(before[i]), fabs(behind[i])));
    for (size_t i = 0; i < problem->m; i++) {
        double change = fabs(behind[i] - before[i]);
        if (!problem->rates[i] && change > TOL_SMALL * size &&
            2 * fabs(problem->farther[i] - before[i]) < 3 * change)
            return true;
    }
    return false;
}

// ---- The laws.

// How fast the surface is passed.
static double way_across(const JumpProblem *problem, const double *v)
{
    return problem->slope[0] + real_dot(problem->slope + 1, v, problem->n);
}

// 𝓜v − bᵀλ = momentum, b·v + drift = 0 on a side.
static bool solve_reactions(JumpProblem *problem, const SwitchSide *side, const double *momentum,
                            const double *drift, double *v, double *lambda)
{
    KktProblem kkt = {.inertia = side->inertia,
                      .force = momentum,
                      .rows = side->rows,
                      .drift = drift,
                      .row_count = problem->m};
    return kkt_solve(problem->kkt, &kkt, v, lambda).outcome == SOLVE_DONE;
}

static bool solve(JumpProblem *problem, const SwitchSide *side, const double *momentum,
                  const double *drift, double *v)
{
    double *lambda = arena_array(problem->arena, double, problem->m + 1);
    return solve_reactions(problem, side, momentum, drift, v, lambda);
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
    size_t n = problem->n;
    double *momentum = arena_array(problem->arena, double, n);
    for (size_t i = 0; i < n; i++)
        momentum[i] = before->momentum[i] -
                      (behind->momentum[i] - real_dot(behind->inertia + i * n, problem->v, n));
    return solve(problem, behind, momentum, behind->drift, after);
}

// Along the normal of the switch's surface the momentum changes by μ, so that what is constant
// within the switch stays so. With H the energy, s = 0 the surface and u any velocity that the
// conditions allow, dp = ∇s·dμ + bᵀ·dΛ and dH = −∂s/∂t·dμ − c·dΛ leave
//
//     H − u·p + (∂s/∂t + ∇s·u)·μ
//
// as it is. Here u is the velocity behind the switch with the momenta before it.
static JumpKind refract(JumpProblem *problem, double *after)
{
    const SwitchSide *before = &problem->sides[0], *behind = &problem->sides[1];
    const double *slope = problem->slope + 1, *v = problem->v;
    size_t n = problem->n, m = problem->m;
    double *w = arena_array(problem->arena, double, n),
           *still = arena_array(problem->arena, double, m + 1);
    if (!keep_momenta(problem, after) || !solve(problem, behind, slope, still, w))
        return JUMP_REFUSED;
    // H − u·p on both sides, for μ = 0.
    double change = behind->potential - before->potential - product(before->inertia, v, v, n) / 2 -
                    product(behind->inertia, after, after, n) / 2 +
                    product(behind->inertia, after, v, n);
    for (size_t i = 0; i < n; i++)
        change += after[i] * (before->momentum[i] - behind->momentum[i]);
    double way = way_across(problem, v), towards = way > 0 ? 1 : -1;
    double a = product(behind->inertia, w, w, n), b = way_across(problem, after),
           root = b * b - 2 * a * change;
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

// The unit normal of a condition in the metric of the inertia, along the others. *speed: how fast
// what keeps all of them goes along it. False where there is none.
static bool unit_normal(JumpProblem *problem, const SwitchSide *side, size_t row, double *normal,
                        double *speed)
{
    size_t n = problem->n, m = problem->m;
    double *still = arena_array(problem->arena, double, 2 * m + 2), *lambda = still + m + 1;
    SwitchSide others = *side;
    others.rows = arena_array(problem->arena, double, m *n + 1);
    for (size_t i = 0; i < m; i++)
        if (i != row)
            memcpy(others.rows + i * n, side->rows + i * n, n * sizeof *normal);
    if (!solve_reactions(problem, &others, side->rows + row * n, still, normal, lambda))
        return false;
    double size = sqrt(product(side->inertia, normal, normal, n));
    for (size_t i = 0; i < n; i++)
        normal[i] /= size;
    lambda[row] = 1;
    *speed = -real_dot(lambda, side->drift, m) / size;
    return size > 0;
}

static bool turn(JumpProblem *problem, size_t row, double *after)
{
    size_t n = problem->n;
    const double *inertia = problem->sides[0].inertia;
    double *first = arena_array(problem->arena, double, 2 * n), *second = first + n;
    double speed, unused;
    if (!unit_normal(problem, &problem->sides[1], row, second, &speed) ||
        !unit_normal(problem, &problem->sides[0], row, first, &unused))
        return false;
    // A smooth row goes from one to the other on the straight line between them. What turns is the
    // velocity as it is seen from the kink, which may move.
    double cosine = fmax(fmin(product(inertia, first, second, n), 1), -1);
    double sine = sqrt(1 - cosine * cosine);
    double along = (product(inertia, problem->v, second, n) - speed) / sine;
    // From the tangent at the first normal to the one at the second.
    for (size_t i = 0; i < n; i++)
        after[i] = problem->v[i] - along * (second[i] - cosine * first[i]) / sine +
                   along * (cosine * second[i] - first[i]) / sine;
    return sine > TOL_SMALL;
}

// ---- Which of them.

JumpChanges jump_changes(const JumpProblem *problem)
{
    const SwitchSide *before = &problem->sides[0], *behind = &problem->sides[1];
    size_t n = problem->n, m = problem->m;
    double T = product(before->inertia, problem->v, problem->v, n);
    double size = fmax(real_largest(before->inertia, n * n), real_largest(behind->inertia, n * n));
    double momenta = fmax(real_largest(before->momentum, n), real_largest(behind->momentum, n));
    JumpChanges changes = {0};
    changes.kinetic = differ(before->inertia, behind->inertia, n * n, size) ||
                      differ(before->momentum, behind->momentum, n, momenta);
    changes.potential =
        differ(&before->potential, &behind->potential, 1, fmax(T, fabs(before->potential)));
    for (size_t i = 0; i < m; i++)
        if (rows_differ(problem, i)) {
            changes.rows++;
            changes.row = i;
        }
    changes.drift = drift_jumps(problem);
    return changes;
}

JumpKind jump_by_law(JumpProblem *problem, const JumpChanges *changes, double *after)
{
    size_t n = problem->n;
    assert(problem->kkt && after);
    bool at_place = real_largest(problem->slope + 1, n) > 0, kept = false;
    bool potential = changes->potential && at_place;
    if (!changes->kinetic && !potential && !changes->drift && changes->rows == 0)
        return JUMP_NONE;
    if (!at_place && changes->rows == 0)
        kept = keep_momenta(problem, after);
    else if (at_place && changes->rows == 0 && !changes->drift)
        return refract(problem, after);
    else if (at_place && changes->rows == 0 && !changes->kinetic && !potential)
        kept = keep_momenta(problem, after) &&
               way_across(problem, after) * way_across(problem, problem->v) > 0;
    else if (at_place && changes->rows == 1 && !changes->kinetic && !potential)
        kept = turn(problem, changes->row, after);
    return kept && isfinite(real_largest(after, n)) ? JUMP_PASSES : JUMP_REFUSED;
}
