// reaction_forces.c: reactions on which forces depend: rope over a drum, rail creep, bearings.
//
// Γ(λ) = Φλ + gNκ(λ) + Γ⁰ vanishes, or is complementary to λ ≥ 0. Where κ is affine that is one
// linear system, or one for each set of conditions that act. One unknown is followed along the
// whole line, where every change of sign is a solution. Else Newton's method begins from several
// sides, and what was found is divided out (deflation: Farrell, Birkisson, Funke, SIAM J. Sci.
// Comput. 37 (2015) A2026), so that the number is one from below.
#include "contact/reaction_forces.h"
#include "linalg/dense_factors.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <string.h>

typedef struct {
    const ReactionProblem *problem;
    ReactionAnswer *answer;
    Arena *arena;
    size_t n;
    double *gamma, *slope; // Γ, and ∂Γ/∂λ row after row
    double *equations, *residual, *trial, *unit;
    int *pivots;
    double far; // the size of λ
} Reactions;

// Γ(λ) with its derivatives; false where a force is not defined there.
static bool evaluate(Reactions *it, const double *lambda)
{
    const ReactionProblem *problem = it->problem;
    size_t n = it->n;
    memset(it->gamma, 0, n * sizeof *it->gamma);
    memset(it->slope, 0, n * n * sizeof *it->slope);
    if (!problem->law(problem->context, lambda, it->gamma, it->slope))
        return false;
    for (size_t i = 0; i < n; i++) {
        it->gamma[i] += problem->free_rates[i] + real_dot(problem->delassus + i * n, lambda, n);
        for (size_t k = 0; k < n; k++)
            it->slope[i * n + k] += problem->delassus[i * n + k];
    }
    return real_all_finite(it->gamma, n) && real_all_finite(it->slope, n * n);
}

static bool is_one_sided(const Reactions *it, size_t i)
{
    return it->problem->one_sided && it->problem->one_sided[i];
}

// What vanishes: Γ, or the lesser of λ and Γ where it is one-sided, in the units of λ.
static double residual_of(Reactions *it, const double *lambda)
{
    double most = 0;
    for (size_t i = 0; i < it->n; i++) {
        double scaled = it->gamma[i] / it->unit[i];
        it->residual[i] = is_one_sided(it, i) && lambda[i] < scaled ? lambda[i] : scaled;
        most = real_max(most, fabs(it->residual[i]));
    }
    return most;
}

static bool is_solved(Reactions *it, const double *lambda)
{
    return evaluate(it, lambda) &&
           residual_of(it, lambda) <= TOL_ZERO * (it->far + real_largest(lambda, it->n));
}

static bool is_known(const Reactions *it, const double *lambda)
{
    const ReactionAnswer *answer = it->answer;
    for (size_t k = 0; k < answer->found; k++) {
        double far = 0;
        for (size_t i = 0; i < it->n; i++)
            far = real_max(far, fabs(lambda[i] - answer->lambda[k * it->n + i]));
        if (far <= TOL_SMALL * (it->far + real_largest(lambda, it->n)))
            return true;
    }
    return false;
}

static void take(Reactions *it, const double *lambda)
{
    ReactionAnswer *answer = it->answer;
    if (is_known(it, lambda))
        return;
    if (answer->found < answer->most)
        memcpy(answer->lambda + answer->found * it->n, lambda, it->n * sizeof *lambda);
    answer->found += answer->found < answer->most;
}

// ---- Newton's method.

// The step from λ in `trial`; false where it is not determined.
static bool find_step(Reactions *it, const double *lambda)
{
    size_t n = it->n;
    for (size_t i = 0; i < n; i++) {
        bool bound = is_one_sided(it, i) && lambda[i] < it->gamma[i] / it->unit[i];
        for (size_t k = 0; k < n; k++)
            it->equations[k * n + i] =
                bound ? (i == k ? 1 : 0) : it->slope[i * n + k] / it->unit[i];
        it->trial[i] = -it->residual[i];
    }
    if (!lu_factor(n, it->equations, n, it->pivots))
        return false;
    lu_solve(false, n, it->equations, n, it->pivots, it->trial);
    return real_all_finite(it->trial, n);
}

// How much deflation stretches a step: 1/(1 − ∇(ln M)·step), M = Π(1/|λ − λ_k|² + 1).
static double stretch(const Reactions *it, const double *lambda)
{
    double slope = 0;
    for (size_t k = 0; k < it->answer->found; k++) {
        const double *known = it->answer->lambda + k * it->n;
        double square = 0, along = 0, unit = it->far * it->far;
        for (size_t i = 0; i < it->n; i++) {
            square += (lambda[i] - known[i]) * (lambda[i] - known[i]);
            along += (lambda[i] - known[i]) * it->trial[i];
        }
        square = real_max(square, TOL_ROUNDING * unit);
        slope += -2 * along * unit / (square * (square + unit));
    }
    return 1 / (1 - slope);
}

static void follow(Reactions *it, double *lambda)
{
    for (size_t step = 0; step < LIMIT_SEARCH && evaluate(it, lambda); step++) {
        double before = residual_of(it, lambda), part = 1;
        if (before <= TOL_ZERO * (it->far + real_largest(lambda, it->n))) {
            take(it, lambda);
            return;
        }
        if (!find_step(it, lambda))
            return;
        double factor = it->answer->found > 0 ? stretch(it, lambda) : 1;
        for (size_t i = 0; i < it->n; i++)
            it->trial[i] *= factor;
        // Halved until less is left; a kink is crossed by the whole step.
        for (size_t halving = 0; halving < LIMIT_PATIENCE; halving++, part /= 2) {
            for (size_t i = 0; i < it->n; i++)
                lambda[i] += (halving == 0 ? 1 : -part) * it->trial[i];
            if (it->answer->found > 0 || !evaluate(it, lambda) || residual_of(it, lambda) < before)
                break;
        }
        if (real_largest(lambda, it->n) * TOL_SMALL > it->far)
            return;
    }
}

// ---- One unknown: the whole line.

static double value_at(Reactions *it, double lambda)
{
    return evaluate(it, &lambda) ? it->gamma[0] : NAN;
}

static void bisect(Reactions *it, double low, double high, double left)
{
    for (size_t step = 0; step < LIMIT_SEARCH; step++) {
        double middle = (low + high) / 2, value = value_at(it, middle);
        if (!(middle > low && middle < high))
            break;
        if (value == 0) {
            low = high = middle;
            break;
        }
        if ((value < 0) == (left < 0))
            low = middle;
        else
            high = middle;
    }
    double lambda = fabs(value_at(it, low)) < fabs(value_at(it, high)) ? low : high;
    take(it, &lambda);
}

#define LINE_PARTS 32 // of a factor of 2

// From 0 outwards in small steps, up to a million times the reaction without these forces.
static void follow_line(Reactions *it, double sign)
{
    double before = 0, left = value_at(it, 0), most = it->far / TOL_SMALL;
    double ratio = exp2(1.0 / LINE_PARTS);
    for (double size = it->far * TOL_SMALL; size <= most; size *= ratio) {
        double here = sign * size, value = value_at(it, here);
        if (value == 0)
            take(it, &here);
        else if (left != 0 && (value < 0) != (left < 0))
            bisect(it, fmin(before, here), fmax(before, here), before < here ? left : value);
        before = here;
        left = value;
    }
}

static void solve_line(Reactions *it)
{
    double zero = 0, at_zero = value_at(it, 0);
    if (at_zero == 0 || (is_one_sided(it, 0) && at_zero > 0))
        take(it, &zero);
    follow_line(it, 1);
    if (!is_one_sided(it, 0))
        follow_line(it, -1);
}

// ---- Affine forces.

static void solve_affine(Reactions *it)
{
    size_t n = it->n, sided = 0;
    double *lambda = real_alloc(it->arena, n), *start = real_alloc(it->arena, n);
    if (!evaluate(it, start))
        return;
    for (size_t i = 0; i < n; i++)
        sided += is_one_sided(it, i);
    if (sided > LIMIT_SETS) {
        it->answer->counted = false;
        follow(it, lambda);
        return;
    }
    for (size_t set = 0; set < (size_t)1 << sided; set++) {
        evaluate(it, start);
        for (size_t i = 0, bit = 0; i < n; i++) {
            bool acts = !is_one_sided(it, i) || (set >> bit & 1);
            bit += is_one_sided(it, i);
            for (size_t k = 0; k < n; k++)
                it->equations[k * n + i] =
                    acts ? it->slope[i * n + k] / it->unit[i] : (i == k ? 1 : 0);
            lambda[i] = acts ? -it->gamma[i] / it->unit[i] : 0;
        }
        if (!lu_factor(n, it->equations, n, it->pivots))
            continue;
        lu_solve(false, n, it->equations, n, it->pivots, lambda);
        if (real_all_finite(lambda, n) && is_solved(it, lambda))
            take(it, lambda);
    }
}

// ---- The whole.

// From the reactions at hand, from none, from those without these forces, and from their mirrors.
static void solve_from_sides(Reactions *it)
{
    size_t n = it->n;
    double *lambda, *plain;
    real_alloc_each(it->arena, n, &lambda, &plain);
    memcpy(lambda, it->answer->guess, n * sizeof *lambda);
    follow(it, lambda);
    for (size_t i = 0; i < n; i++)
        plain[i] = -it->problem->free_rates[i] / it->unit[i];
    for (size_t round = 0; round < LIMIT_PATIENCE; round++)
        for (size_t side = 0; side < 2 * n + 2; side++) {
            double size = exp2((double)round - 1);
            for (size_t i = 0; i < n; i++)
                lambda[i] = size * (side == 0 ? 0 : plain[i]);
            if (side >= 2)
                lambda[(side - 2) / 2] = (side % 2 ? -size : size) * it->far;
            follow(it, lambda);
        }
}

// det(Φ + C)/det Φ where the first solution is.
static double determinant_ratio(Reactions *it)
{
    size_t n = it->n;
    double ratio = 1;
    if (it->answer->found == 0 || !evaluate(it, it->answer->lambda))
        return NAN;
    for (size_t pass = 0; pass < 2; pass++) {
        memcpy(it->equations, pass ? it->problem->delassus : it->slope, n * n * sizeof(double));
        if (!lu_factor(n, it->equations, n, it->pivots))
            return pass ? NAN : 0;
        for (size_t i = 0; i < n; i++) {
            double pivot = it->equations[i * n + i] * (it->pivots[i] != (int)i + 1 ? -1 : 1);
            ratio = pass ? ratio / pivot : ratio * pivot;
        }
    }
    return ratio;
}

void reaction_forces_solve(const ReactionProblem *problem, ReactionAnswer *answer)
{
    assert(problem->law && answer->lambda && answer->guess && answer->most > 0);
    size_t n = problem->count;
    Arena *arena = arena_new();
    Reactions it = {.problem = problem, .answer = answer, .arena = arena, .n = n};
    real_alloc_each(arena, n, &it.gamma, &it.residual, &it.trial, &it.unit);
    real_alloc_each(arena, n * n, &it.slope, &it.equations);
    it.pivots = arena_array(arena, int, n + 1);
    answer->found = 0;
    for (size_t i = 0; i < n; i++) {
        double own = problem->delassus[i * n + i];
        it.unit[i] = own > 0 ? own : 1;
        it.far = real_max(it.far, fabs(problem->free_rates[i]) / it.unit[i]);
    }
    it.far = real_max(it.far, real_largest(answer->guess, n));
    it.far = it.far > 0 ? it.far : 1;
    answer->counted = problem->affine || n == 1;
    if (problem->affine)
        solve_affine(&it);
    else if (n == 1)
        solve_line(&it);
    else
        solve_from_sides(&it);
    answer->determinant = determinant_ratio(&it);
    arena_free(arena);
}
