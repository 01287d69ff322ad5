// heap.c: 0 ≤ λ ⊥ Φλ − Φ⁰ ≥ 0 where Φ is sparse, equations among it.
//
// Whole blocks of conditions change sides, as in blocks.c, the part of Φ that acts being factored
// as a sparse matrix. Where that meets conditions that depend on each other, or goes in circles,
// something is added to Φ's diagonal: ½ λ·Φλ − λ·Φ⁰ + ½δ|λ|² has one least place under λ ≥ 0, and
// for a small δ that is next to the λ of least norm (Tikhonov 1963). It is gone down to step by
// step: to the least place for those that act now, what becomes negative put to 0 where that is
// still lower (Bertsekas, SIAM J. Control Optim. 20 (1982) 221), and else only as far as the first
// that ceases to push. Then what δ falsifies is taken back for those that act. Where that leaves
// somebody on the wrong side, conditions nearly depend on each other, and δ was too large.
#include "gauss/gauss_impl.h"

#include <math.h>
#include <string.h>

// So many exchanges of whole blocks may fail to make progress in a row.
#define PATIENCE 4
// So many factorizations for each δ, and one for each few conditions.
#define LEAST_ROUNDS 100
#define FEW          8
// What counts as the wrong side, against the terms at hand.
#define WRONG 4e-14
// A pivot, against the diagonal that it began as, below which conditions depend on each other.
#define LEAST_PIVOT 1e-9
// A condition that does not push touches where its f'' is this part of its terms at most.
#define TOUCHES 1e-11
// What is added to Φ's diagonal, as a part of its largest entry, one after the other.
// Larger: nearly dependent conditions deceive it. Smaller: rounding does, by 1e-16 of it.
static const double soft[] = {1e-7, 1e-9, 1e-11, 1e-12};
// A step that goes down is lower by this part of what the slope promises.
#define LOWER 1e-4
// Of f'' so much may be left where a condition pushes, or be above 0 where it does not; and where
// that is all the same, more in the end.
#define SOLVED       1e-12
#define ROUGHLY      1e-10
#define ROUGHLY_LATE 1e-9
// A push of no more than this part of the terms at hand may be rounding along what is dependent.
#define IDLE 1e-8
// With those that act known, so much less is left to rounding, and so many steps get there.
#define ENOUGH     0.02
#define MOST_STEPS 30
// Unless one of so many steps in a row lessens it to a part, or |λ|² grows to a multiple.
#define HOPE    4
#define LESSENS 0.3
#define GROWS   100

struct Heap {
    SparseCholesky *phi;
    const HeapProblem *problem;
    size_t most_count;
    // For each condition:
    double *own, *lambda, *rates, *held, *work;
    double *turned, *towards, *pushed, *moved, *back, *saved;
    bool *kept, *wrong;
    double square; // λ·Φλ
    double added;  // to Φ's diagonal
    // What Φ's factors are those of, where there are some: they often serve again.
    bool *factored, has_factors;
    double factored_added;
};

Heap *heap_new(void)
{
    Heap *heap = base_alloc(sizeof *heap);
    heap->phi = sparse_cholesky_new();
    return heap;
}

SparseCholesky *heap_phi(Heap *heap)
{
    return heap->phi;
}

static void free_room(Heap *heap)
{
    double *real[] = {heap->own,   heap->lambda, heap->rates,   heap->held,
                      heap->work,  heap->turned, heap->towards, heap->pushed,
                      heap->moved, heap->back,   heap->saved};
    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++)
        base_free(real[i]);
    base_free(heap->kept);
    base_free(heap->wrong);
    base_free(heap->factored);
}

void heap_free(Heap *heap)
{
    if (!heap)
        return;
    free_room(heap);
    sparse_cholesky_free(heap->phi);
    base_free(heap);
}

static void reserve(Heap *heap, size_t count)
{
    if (count <= heap->most_count)
        return;
    free_room(heap);
    heap->most_count = 2 * count;
    double **real[] = {&heap->own,   &heap->lambda, &heap->rates,   &heap->held,
                       &heap->work,  &heap->turned, &heap->towards, &heap->pushed,
                       &heap->moved, &heap->back,   &heap->saved};
    for (size_t i = 0; i < sizeof real / sizeof real[0]; i++)
        *real[i] = base_alloc((heap->most_count + 1) * sizeof(double));
    bool **marks[] = {&heap->kept, &heap->wrong, &heap->factored};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        *marks[i] = base_alloc((heap->most_count + 1) * sizeof(bool));
}

// ---- The motion that belongs to those that act.

// Whether x exceeds a part of the terms that f''_l is a sum of.
static bool exceeds(const Heap *heap, size_t l, double x, double part)
{
    return x > part * heap->problem->sizes[l] && x * x > part * part * heap->own[l] * heap->square;
}

// f'' = Φ⁰ − Φλ, and λ·Φλ.
static void find_rates(Heap *heap)
{
    size_t count = heap->problem->count;
    memcpy(heap->rates, heap->problem->phi0, count * sizeof *heap->rates);
    sparse_cholesky_subtract_times(heap->phi, heap->lambda, heap->rates);
    double square = 0;
    for (size_t l = 0; l < count; l++)
        square += heap->lambda[l] * (heap->problem->phi0[l] - heap->rates[l]);
    heap->square = real_max(square, 0);
}

// Factors of the part of Φ that acts.
static bool factor(Heap *heap)
{
    size_t bytes = heap->problem->count * sizeof *heap->kept;
    if (heap->has_factors && heap->factored_added == heap->added &&
        memcmp(heap->factored, heap->kept, bytes) == 0)
        return true;
    double least = heap->added > 0 ? 0 : LEAST_PIVOT;
    heap->has_factors = sparse_cholesky_factor(heap->phi, heap->kept, heap->added, least);
    heap->factored_added = heap->added;
    memcpy(heap->factored, heap->kept, bytes);
    return heap->has_factors;
}

// (Φ + added)⁻¹·x of those that act, 0 of the others.
static void turn(Heap *heap, const double *x, double *turned)
{
    for (size_t l = 0; l < heap->problem->count; l++)
        turned[l] = heap->kept[l] ? x[l] : 0;
    sparse_cholesky_solve(heap->phi, turned);
}

// λ where those kept act and no others.
static bool let_act(Heap *heap)
{
    if (!factor(heap))
        return false;
    turn(heap, heap->problem->phi0, heap->lambda);
    find_rates(heap);
    return true;
}

// What rounding left is taken off once.
static void refine(Heap *heap)
{
    turn(heap, heap->rates, heap->work);
    real_add_times(1, heap->work, heap->problem->count, heap->lambda);
    find_rates(heap);
}

static bool is_wrong(const Heap *heap, size_t l)
{
    if (l < heap->problem->equations)
        return false;
    if (heap->kept[l])
        return heap->lambda[l] < 0 &&
               heap->lambda[l] * heap->lambda[l] * heap->own[l] > WRONG * WRONG * heap->square;
    return heap->rates[l] > 0 && exceeds(heap, l, heap->rates[l], WRONG);
}

// Marks who is on the wrong side, and counts them.
static size_t find_wrong(Heap *heap)
{
    size_t wrong = 0;
    for (size_t l = 0; l < heap->problem->count; l++)
        wrong += heap->wrong[l] = is_wrong(heap, l);
    return wrong;
}

// ---- Whole blocks.

typedef enum { NOT_FOUND, FOUND, DEPENDENT } Search;

// Exchanges blocks as long as that makes progress.
static Search exchange(Heap *heap)
{
    size_t count = heap->problem->count, best = count + 1, patience = PATIENCE;
    while (true) {
        if (!let_act(heap))
            return DEPENDENT;
        size_t wrong = find_wrong(heap);
        if (wrong == 0)
            return FOUND;
        patience = wrong < best ? PATIENCE : patience - 1;
        best = wrong < best ? wrong : best;
        if (patience == 0)
            return NOT_FOUND;
        for (size_t l = 0; l < count; l++)
            heap->kept[l] = heap->kept[l] != heap->wrong[l];
    }
}

// ---- Downwards.

// ½ λ·Φλ − λ·Φ⁰ + ½δ|λ|², its rates being those of λ.
static double height(const Heap *heap)
{
    const double *lambda = heap->lambda, *phi0 = heap->problem->phi0;
    double sum = 0;
    for (size_t l = 0; l < heap->problem->count; l++)
        sum += lambda[l] * (heap->added * lambda[l] - phi0[l] - heap->rates[l]);
    return sum / 2;
}

// Those act that push, or would have to.
static void choose(Heap *heap)
{
    for (size_t l = heap->problem->equations; l < heap->problem->count; l++)
        heap->kept[l] = heap->lambda[l] > 0 || exceeds(heap, l, heap->rates[l], WRONG);
}

// No negative λ.
static void clip(Heap *heap)
{
    for (size_t l = heap->problem->equations; l < heap->problem->count; l++)
        heap->lambda[l] = real_max(heap->lambda[l], 0);
    find_rates(heap);
}

// From `held` towards λ, the least place for those that act, as far as all still push. Those that
// cease to do so are left out.
static void go_as_far(Heap *heap)
{
    size_t count = heap->problem->count;
    double part = 1;
    for (size_t l = 0; l < count; l++)
        if (heap->wrong[l] && heap->kept[l])
            part = fmin(part, heap->held[l] / (heap->held[l] - heap->lambda[l]));
    for (size_t l = 0; l < count; l++) {
        double before = heap->held[l], step = heap->lambda[l] - before;
        bool ceases = heap->wrong[l] && heap->kept[l] && before + part * step <= 1e-10 * before;
        heap->held[l] = ceases ? 0 : before + part * step;
        heap->kept[l] = heap->kept[l] && !ceases;
        if (l >= heap->problem->equations)
            heap->held[l] = real_max(heap->held[l], 0);
    }
}

// Whether λ without its negative parts is lower than `held`, which was at `from`.
static bool is_lower(Heap *heap, double from, const double *slope)
{
    clip(heap);
    double promised = 0;
    for (size_t l = 0; l < heap->problem->count; l++)
        promised += slope[l] * (heap->lambda[l] - heap->held[l]);
    return height(heap) < from - LOWER * fabs(promised);
}

// Goes down from λ, which is ≥ 0, to the least place of all.
static bool descend(Heap *heap)
{
    size_t count = heap->problem->count, bytes = count * sizeof *heap->lambda;
    double *slope = heap->turned, *least = heap->towards;
    for (size_t round = 0; round < LEAST_ROUNDS + count / FEW; round++) {
        double from = height(heap);
        for (size_t l = 0; l < count; l++)
            slope[l] = heap->added * heap->lambda[l] - heap->rates[l];
        memcpy(heap->held, heap->lambda, bytes);
        if (!let_act(heap))
            return false;
        if (find_wrong(heap) == 0)
            return true;
        bool stays = true;
        for (size_t l = 0; l < count; l++)
            stays = stays && !(heap->wrong[l] && heap->kept[l]);
        memcpy(least, heap->lambda, bytes);
        if (is_lower(heap, from, slope) || stays) {
            choose(heap);
            continue;
        }
        memcpy(heap->lambda, least, bytes);
        go_as_far(heap);
        memcpy(heap->lambda, heap->held, bytes);
        find_rates(heap);
    }
    return false;
}

// ---- Taking back what was added.

// What f''_l and the terms of its motion may be as large as.
static double size_of(const Heap *heap, size_t l)
{
    return real_max(heap->problem->sizes[l], sqrt(heap->own[l] * heap->square));
}

// How far the motion is from obeying every condition, against the terms of each, at its largest:
// f'' of those that act, what pulls in the place of pushing, and f'' > 0 of the others.
static double miss(const Heap *heap)
{
    double worst = 0;
    for (size_t l = 0; l < heap->problem->count; l++) {
        bool pulls = l >= heap->problem->equations && heap->lambda[l] < 0;
        double off = heap->kept[l] ? fabs(heap->rates[l]) : heap->rates[l];
        off = pulls ? real_max(off, -heap->lambda[l] * heap->own[l]) : off;
        if (off > 0 && off > worst * heap->problem->sizes[l])
            worst = real_max(worst, off / size_of(heap, l));
    }
    return worst;
}

// Φλ = Φ⁰ of those that act, by conjugate residuals (Stiefel, Comment. Math. Helv. 29 (1955) 157)
// after the factors at hand, which are right but along what is nearly dependent. Along what is
// dependent nothing but rounding is added, so that the norm stays least; conjugate gradients would
// enlarge that. What is dependent but for rounding makes λ grow without end: before that the best
// so far, in `held`, has to do.
static void take_back(Heap *heap, double enough)
{
    size_t count = heap->problem->count, bytes = count * sizeof *heap->lambda, hope = HOPE;
    double *turned = heap->turned, *towards = heap->towards, *back = heap->back;
    double *pushed = heap->pushed, *moved = heap->moved, former = 0;
    double best = miss(heap), most = GROWS * real_dot(heap->lambda, heap->lambda, count);
    memcpy(heap->held, heap->lambda, bytes);
    if (best > enough)
        turn(heap, heap->rates, turned);
    for (size_t step = 0; step < MOST_STEPS && best > enough && hope > 0; step++) {
        memset(pushed, 0, count * sizeof *pushed);
        sparse_cholesky_subtract_times(heap->phi, turned, pushed);
        double along = -real_dot(turned, pushed, count), ratio = step > 0 ? along / former : 0;
        for (size_t l = 0; l < count; l++) {
            towards[l] = turned[l] + (step > 0 ? ratio * towards[l] : 0);
            moved[l] = pushed[l] + (step > 0 ? ratio * moved[l] : 0);
        }
        former = along;
        turn(heap, moved, back);
        double size = real_dot(moved, back, count);
        if (!(along > 0 && size > 0))
            break;
        real_add_times(along / size, towards, count, heap->lambda);
        real_add_times(along / size, moved, count, heap->rates);
        real_add_times(along / size, back, count, turned);
        if (!(real_dot(heap->lambda, heap->lambda, count) < most))
            break;
        double left = miss(heap);
        hope = left < LESSENS * best ? HOPE : hope - 1;
        if (left < best)
            memcpy(heap->held, heap->lambda, bytes);
        best = fmin(best, left);
    }
    memcpy(heap->lambda, heap->held, bytes);
}

// Takes back what was added. Whether that leaves no more than may be left.
static bool is_solved(Heap *heap, double enough)
{
    take_back(heap, ENOUGH * enough);
    clip(heap);
    return miss(heap) <= enough;
}

// Lets those that push by no more than rounding, or pull by that, not act; whether the others can
// do without.
static bool leave_idle(Heap *heap, double enough)
{
    size_t count = heap->problem->count, idle = 0, bytes = count * sizeof *heap->lambda;
    for (size_t l = heap->problem->equations; l < count; l++) {
        heap->wrong[l] = heap->kept[l] && heap->lambda[l] * heap->own[l] <= IDLE * size_of(heap, l);
        idle += heap->wrong[l];
    }
    if (idle == 0)
        return false;
    memcpy(heap->saved, heap->lambda, bytes);
    for (size_t l = heap->problem->equations; l < count; l++)
        heap->kept[l] = heap->kept[l] && !heap->wrong[l];
    if (let_act(heap) && is_solved(heap, enough))
        return true;
    for (size_t l = heap->problem->equations; l < count; l++)
        heap->kept[l] = heap->kept[l] || heap->wrong[l];
    memcpy(heap->lambda, heap->saved, bytes);
    find_rates(heap);
    return false;
}

// With a small δ, the one at `until`, rounding lengthens λ along what is dependent. Those that act
// being known, a larger one leaves it shorter.
static void shorten(Heap *heap, size_t until, double most, double enough)
{
    size_t bytes = heap->problem->count * sizeof *heap->lambda;
    memcpy(heap->work, heap->lambda, bytes);
    for (size_t i = 0; i < until; i++) {
        heap->added = soft[i] * most;
        if (let_act(heap) && is_solved(heap, enough))
            return;
    }
    memcpy(heap->lambda, heap->work, bytes);
    find_rates(heap);
}

// Conditions that depend on each other, or do so nearly.
static bool soften(Heap *heap)
{
    size_t bytes = heap->problem->count * sizeof *heap->lambda;
    double most = 0;
    for (size_t l = 0; l < heap->problem->count; l++)
        most = real_max(most, heap->own[l]);
    for (size_t i = 0, last = sizeof soft / sizeof soft[0] - 1; i <= last; i++) {
        heap->added = soft[i] * most;
        Search search = i == 0 ? exchange(heap) : NOT_FOUND;
        if (search == NOT_FOUND) {
            clip(heap);
            choose(heap);
            search = descend(heap) ? FOUND : NOT_FOUND;
        }
        if (search != FOUND)
            return false;
        memcpy(heap->work, heap->lambda, bytes);
        double roughly = i == last ? ROUGHLY_LATE : ROUGHLY;
        double enough = heap->problem->rough ? roughly : SOLVED;
        bool solved = is_solved(heap, enough);
        if (!heap->problem->rough)
            solved = leave_idle(heap, enough) || solved;
        if (solved && !heap->problem->rough)
            shorten(heap, i, most, enough);
        if (solved)
            return true;
        memcpy(heap->lambda, heap->work, bytes);
        find_rates(heap);
    }
    return false;
}

// ---- The whole.

// Whether all conditions with f'' = 0, those that push among them, are independent.
static bool touch_independently(Heap *heap)
{
    size_t count = heap->problem->count;
    bool more_touch = false;
    for (size_t l = 0; l < count; l++) {
        double away = -heap->rates[l];
        heap->wrong[l] = !heap->kept[l] && !(away > 0 && exceeds(heap, l, away, TOUCHES));
        more_touch = more_touch || heap->wrong[l];
    }
    for (size_t l = 0; l < count && more_touch; l++)
        heap->kept[l] = heap->kept[l] || heap->wrong[l];
    heap->added = 0;
    bool independent = factor(heap);
    for (size_t l = 0; l < count && more_touch; l++)
        heap->kept[l] = heap->kept[l] && !heap->wrong[l];
    return independent;
}

// Φ⁰ where the equations act: the motion that is free of one-sided conditions.
static bool find_free_rates(Heap *heap, double *phi0)
{
    size_t count = heap->problem->count, equations = heap->problem->equations;
    for (size_t l = 0; l < count; l++)
        heap->kept[l] = l < equations;
    if (equations > 0 && !let_act(heap))
        return false;
    if (equations > 0)
        refine(heap);
    memcpy(phi0, equations > 0 ? heap->rates : heap->problem->phi0, count * sizeof *phi0);
    return true;
}

// Where nobody is known to act, begins from those that the free motion does not release: a rope
// whose upper end is held would else learn of it string by string.
static void begin(Heap *heap, const bool *acting, const double *phi0)
{
    size_t count = heap->problem->count, equations = heap->problem->equations;
    bool any = false;
    for (size_t l = equations; l < count; l++)
        any = any || acting[l];
    for (size_t l = 0; l < count; l++)
        heap->kept[l] =
            l < equations || (any ? acting[l] : phi0[l] >= -WRONG * heap->problem->sizes[l]);
}

bool heap_solve(Heap *heap, const HeapProblem *problem, HeapAnswer *answer)
{
    size_t count = problem->count;
    reserve(heap, count);
    heap->problem = problem;
    heap->has_factors = false;
    heap->added = heap->square = 0;
    for (size_t l = 0; l < count; l++)
        heap->own[l] = sparse_cholesky_diagonal(heap->phi, l);
    if (!find_free_rates(heap, answer->phi0))
        return false;
    begin(heap, answer->acting, answer->phi0);
    bool found = exchange(heap) == FOUND;
    if (found) {
        refine(heap);
        clip(heap);
    } else if (!soften(heap)) {
        return false;
    }
    answer->unique = (found || !problem->rough) && touch_independently(heap);
    answer->square = heap->square;
    for (size_t l = 0; l < count; l++) {
        answer->lambda[l] = heap->lambda[l];
        answer->rates[l] = heap->kept[l] ? 0 : heap->rates[l];
    }
    return true;
}
