// branch_watch.c: whether the stationary point that a run follows stays the least (Hamel 252).
//
// The others are followed too, by Newton's method from where they were; now and then all are asked
// for, since new ones come up in pairs. What is followed is left where another has less constraint,
// or where it is no longer a minimum: there two mirror points may part from it, which are a tie.
#include "run/run_impl.h"

#include <math.h>
#include <string.h>

// All are asked for after so many steps: where the answer is certified, which is cheap, and where
// it has to be searched for.
#define STEPS_CERTIFIED 1
#define STEPS_SEARCHED  64
// A constraint that is less by this part is less; where both were the same before, by this one.
#define LESS      1e-13
#define LESS_TIED 1e-9
// A second derivative below this, against the inertia, shows that it is no minimum.
#define NO_MINIMUM -1e-8
// Points this near to each other, against their size, are one.
#define SAME     1e-6
#define NEAR_END 1e-2
// Of distances that are the same the first in order is taken.
#define NEARER 1e-6

void branch_watch_init(BranchWatch *watch, Run *run)
{
    Numbers *numbers = &run->numbers;
    *watch = (BranchWatch){0};
    if (!numbers->seconds || numbers->seconds->curved == 0)
        return;
    const RunBranches *told = &run->branches_told;
    watch->numbers = numbers;
    watch->keeps = run->settings.branch > told->tied;
    watch->certified = told->certified;
    watch->changed_at = -INFINITY;
    watch->free = base_alloc((numbers->n + 1) * sizeof(double));
    size_t bytes = numbers->seconds->size * sizeof(double);
    memcpy(numbers->seconds->x, run->branches.x[told->taken], bytes);
}

static void forget_rivals(BranchWatch *watch)
{
    for (size_t i = 0; i < watch->rivals.count; i++)
        base_free(watch->rivals.at[i].x);
    watch->rivals.count = 0;
}

void branch_watch_clear(BranchWatch *watch)
{
    forget_rivals(watch);
    array_clear(&watch->rivals);
    base_free(watch->free);
    *watch = (BranchWatch){0};
}

bool branch_watch_is_on(const BranchWatch *watch)
{
    return watch->numbers != NULL;
}

// ---- Values.

static bool find_free(BranchWatch *watch, const KktProblem *problem)
{
    double *unused = base_alloc((problem->row_count + 1) * sizeof *unused);
    KktReport report = kkt_solve(watch->numbers->gauss, problem, watch->free, unused);
    base_free(unused);
    return report.outcome == SOLVE_DONE;
}

// ½(a − a₀)·𝓜(a − a₀)
static double measure_of(const BranchWatch *watch, const KktProblem *problem, const double *a)
{
    size_t n = watch->numbers->n;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            sum += (a[i] - watch->free[i]) * problem->inertia[i * n + j] * (a[j] - watch->free[j]);
    return sum / 2;
}

static double distance(const BranchWatch *watch, const double *a, const double *b, double *size)
{
    double apart = 0;
    *size = 0;
    for (size_t i = 0; i < watch->numbers->n; i++) {
        apart = fmax(apart, fabs(a[i] - b[i]));
        *size = fmax(*size, fmax(fabs(a[i]), fmax(fabs(b[i]), fabs(watch->free[i]))));
    }
    return apart;
}

static bool is_same(const BranchWatch *watch, const double *a, const double *b)
{
    double size, apart = distance(watch, a, b, &size);
    return apart <= SAME * size;
}

// ---- The others.

static void add_rival(BranchWatch *watch, const double *x, bool tied)
{
    size_t bytes = (watch->numbers->seconds->size + 1) * sizeof(double);
    BranchRival rival = {base_alloc(bytes), tied};
    memcpy(rival.x, x, watch->numbers->seconds->size * sizeof(double));
    array_push(&watch->rivals, rival);
}

// All points at this state become the others, but what is followed; true where one that cannot be
// followed is less.
static bool ask(BranchWatch *watch, const KktProblem *problem, const double *followed)
{
    Seconds *seconds = watch->numbers->seconds;
    Branches all;
    branches_find(seconds, problem, watch->numbers->inputs, &all);
    double own = measure_of(watch, problem, followed);
    bool less = false;
    forget_rivals(watch);
    for (size_t i = 0; i < all.count; i++) {
        double value = measure_of(watch, problem, all.x[i]);
        if (!all.at[i].lambda)
            less = less || value < own * (1 - LESS_TIED);
        else if (!is_same(watch, all.x[i], followed))
            add_rival(watch, all.x[i], stationary_ties(value, own));
    }
    watch->unasked = 0;
    watch->certified = all.certified;
    branches_clear(&all);
    return less;
}

// Whether one of the others is less here.
static bool is_beaten(BranchWatch *watch, const KktProblem *problem, double own)
{
    Seconds *seconds = watch->numbers->seconds;
    size_t size = seconds_size(seconds, problem);
    double *x = base_alloc((size + 1) * sizeof *x);
    bool beaten = false;
    for (size_t i = 0; i < watch->rivals.count && !beaten; i++) {
        memcpy(x, watch->rivals.at[i].x, size * sizeof *x);
        if (!seconds_newton(seconds, problem, watch->numbers->inputs, x))
            continue;
        double value = measure_of(watch, problem, x);
        double margin = watch->rivals.at[i].tied ? LESS_TIED : LESS;
        beaten = value < own - margin * fmax(own, value);
    }
    base_free(x);
    return beaten;
}

bool branch_watch_holds(BranchWatch *watch, bool at_end)
{
    Numbers *numbers = watch->numbers;
    Seconds *seconds = numbers->seconds;
    if (watch->keeps)
        return true;
    KktProblem problem = numbers_problem(numbers);
    size_t size = seconds_size(seconds, &problem);
    double *followed = base_alloc((size + 1) * sizeof *followed), least = 1;
    memcpy(followed, seconds->trial, size * sizeof *followed);
    bool holds = find_free(watch, &problem);
    if (holds && at_end &&
        ++watch->unasked >= (watch->certified ? STEPS_CERTIFIED : STEPS_SEARCHED))
        holds = !ask(watch, &problem, followed);
    holds = holds && !is_beaten(watch, &problem, measure_of(watch, &problem, followed));
    branch_kind(seconds, &problem, numbers->inputs, followed, &least);
    holds = holds && least >= NO_MINIMUM;
    memcpy(seconds->trial, followed, size * sizeof *followed);
    base_free(followed);
    return holds;
}

bool branch_watch_ends(BranchWatch *watch, double later)
{
    Numbers *numbers = watch->numbers;
    Seconds *seconds = numbers->seconds;
    size_t n = numbers->n, given = 1 + 2 * n;
    double *kept = base_alloc(given * sizeof *kept), size;
    memcpy(kept, numbers->t, given * sizeof *kept);
    *numbers->t += later;
    for (size_t i = 0; i < n; i++) {
        numbers->q[i] += later * numbers->v[i];
        numbers->v[i] += later * numbers->a[i];
    }
    lowered_run(&numbers->velocities, numbers->inputs);
    KktProblem problem = numbers_problem(numbers);
    bool ends = find_free(watch, &problem);
    if (ends) {
        Branches all;
        branches_find(seconds, &problem, numbers->inputs, &all);
        for (size_t i = 0; i < all.count; i++)
            ends = ends && !(all.at[i].lambda &&
                             distance(watch, all.x[i], seconds->trial, &size) <= NEAR_END * size);
        branches_clear(&all);
    }
    memcpy(numbers->t, kept, given * sizeof *kept);
    lowered_run(&numbers->velocities, numbers->inputs);
    base_free(kept);
    return ends;
}

void branch_watch_accept(BranchWatch *watch)
{
    Seconds *seconds = watch->numbers->seconds;
    KktProblem problem = numbers_problem(watch->numbers);
    size_t size = seconds_size(seconds, &problem);
    memcpy(seconds->x, seconds->trial, size * sizeof *seconds->x);
    if (watch->keeps || !find_free(watch, &problem))
        return;
    double own = measure_of(watch, &problem, seconds->x);
    for (size_t i = 0; i < watch->rivals.count; i++) {
        BranchRival *rival = &watch->rivals.at[i];
        if (seconds_newton(seconds, &problem, watch->numbers->inputs, rival->x))
            rival->tied = stationary_ties(measure_of(watch, &problem, rival->x), own);
    }
}

// ---- A change.

// The least minimum beside what was followed, of several the one nearest to it; all.count where
// there is none.
static size_t choose(const BranchWatch *watch, const Branches *all, const double *followed,
                     bool ended, size_t *tied)
{
    size_t best = all->count, first = all->count;
    double nearest = INFINITY, size;
    *tied = 0;
    for (size_t i = 0; i < all->count; i++) {
        // Near a point that has ended there is nothing to go on with.
        double apart = distance(watch, all->x[i], followed, &size);
        bool gone = apart <= (ended ? NEAR_END : SAME) * size;
        if (!all->at[i].lambda || all->at[i].kind != BRANCH_MINIMUM || gone)
            continue;
        if (first == all->count)
            first = i;
        if (!stationary_ties(all->at[i].constraint, all->at[first].constraint))
            break;
        if (apart < nearest - NEARER * size) {
            nearest = apart;
            best = i;
        }
        ++*tied;
    }
    return best;
}

// Whether the other has no more constraint, or what was followed is no minimum.
static bool is_better(const BranchWatch *watch, const KktProblem *problem, const double *other,
                      const double *followed)
{
    double own = measure_of(watch, problem, followed), value = measure_of(watch, problem, other);
    double least = 1;
    branch_kind(watch->numbers->seconds, problem, watch->numbers->inputs, followed, &least);
    return value <= own || stationary_ties(value, own) || least < NO_MINIMUM;
}

// Whether a point that cannot be followed is less than the one to go on with; what has ended may be
// one for an instant.
static bool blocks(const BranchWatch *watch, const Branches *all, size_t index, size_t best,
                   const double *ended)
{
    double size;
    if (all->at[index].lambda ||
        stationary_ties(all->at[index].constraint, all->at[best].constraint))
        return false;
    return !ended || distance(watch, all->x[index], ended, &size) > NEAR_END * size;
}

BranchChange branch_watch_change(BranchWatch *watch, bool ended, size_t *tied)
{
    Seconds *seconds = watch->numbers->seconds;
    KktProblem problem = numbers_problem(watch->numbers);
    size_t size = seconds_size(seconds, &problem);
    *tied = 0;
    if (watch->keeps || !find_free(watch, &problem))
        return BRANCH_LOST;
    Branches all;
    branches_find(seconds, &problem, watch->numbers->inputs, &all);
    double *followed = base_alloc((size + 1) * sizeof *followed);
    memcpy(followed, ended ? seconds->x : seconds->trial, size * sizeof *followed);
    size_t best = choose(watch, &all, followed, ended, tied);
    BranchChange change = BRANCH_LOST;
    if (best < all.count) {
        bool better = ended || is_better(watch, &problem, all.x[best], followed);
        change = better ? BRANCH_CHANGED : BRANCH_SAME;
        for (size_t i = 0; i < best; i++)
            if (blocks(watch, &all, i, best, ended ? followed : NULL))
                change = BRANCH_LOST;
    }
    if (change == BRANCH_CHANGED) {
        memcpy(seconds->x, all.x[best], size * sizeof *seconds->x);
        ask(watch, &problem, seconds->x);
    }
    base_free(followed);
    branches_clear(&all);
    return change;
}
