// branch_monitor.c: whether the stationary point that a run follows stays the least (Hamel 252).
//
// The others are followed too, by Newton's method from where they were; now and then all are
// searched for, since new ones appear in pairs. What is followed is left where another has less
// constraint, or where it is no longer a minimum: there two mirror points may part from it, which
// are a tie.
#include "algebra/algebra.h"
#include "dynamics/second_class/second_class.h"
#include "linalg/kkt.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/second_class/branches_impl.h"
#include "simulate/simulation_impl.h"

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

BranchMonitor *branch_monitor_new(Simulation *sim)
{
    const Equations *eq = sim->base->eq;
    State *state = sim->base->state;
    if (!sim->branches)
        return NULL;
    const RunBranches *told = &sim->branches->told;
    BranchMonitor *monitor = base_alloc(sizeof *monitor);
    *monitor = (BranchMonitor){.eq = eq,
                               .state = state,
                               .keeps = sim->settings.branch > told->tied,
                               .certified = told->certified,
                               .changed_at = -INFINITY};
    monitor->free = base_alloc((eq->n + 1) * sizeof(double));
    size_t bytes = state->second_class->size * sizeof(double);
    memcpy(state->second_class->x, sim->branches->found.x[told->taken], bytes);
    return monitor;
}

static void forget_rivals(BranchMonitor *monitor)
{
    for (size_t i = 0; i < monitor->rivals.count; i++)
        base_free(monitor->rivals.at[i].x);
    monitor->rivals.count = 0;
}

void branch_monitor_free(BranchMonitor *monitor)
{
    if (!monitor)
        return;
    forget_rivals(monitor);
    array_clear(&monitor->rivals);
    state_clear(&monitor->later);
    base_free(monitor->free);
    base_free(monitor);
}

// ---- Values.

static bool find_free(BranchMonitor *monitor, const KktProblem *problem)
{
    double *unused = base_alloc((problem->row_count + 1) * sizeof *unused);
    KktReport report = kkt_solve(monitor->state->kkt, problem, monitor->free, unused);
    base_free(unused);
    return report.outcome == SOLVE_DONE;
}

// ½(a − a₀)·𝓜(a − a₀)
static double measure_of(const BranchMonitor *monitor, const KktProblem *problem, const double *a)
{
    size_t n = monitor->eq->n;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            sum +=
                (a[i] - monitor->free[i]) * problem->inertia[i * n + j] * (a[j] - monitor->free[j]);
    return sum / 2;
}

static double distance(const BranchMonitor *monitor, const double *a, const double *b, double *size)
{
    double apart = 0;
    *size = 0;
    for (size_t i = 0; i < monitor->eq->n; i++) {
        apart = fmax(apart, fabs(a[i] - b[i]));
        *size = fmax(*size, fmax(fabs(a[i]), fmax(fabs(b[i]), fabs(monitor->free[i]))));
    }
    return apart;
}

static bool is_same(const BranchMonitor *monitor, const double *a, const double *b)
{
    double size, apart = distance(monitor, a, b, &size);
    return apart <= SAME * size;
}

// ---- The others.

static void add_rival(BranchMonitor *monitor, const double *x, bool tied)
{
    size_t bytes = (monitor->state->second_class->size + 1) * sizeof(double);
    BranchRival rival = {base_alloc(bytes), tied};
    memcpy(rival.x, x, monitor->state->second_class->size * sizeof(double));
    array_push(&monitor->rivals, rival);
}

// All points at this state become the others, but what is followed; true where one that cannot be
// followed is less.
static bool ask(BranchMonitor *monitor, const KktProblem *problem, const double *followed)
{
    SecondClass *second_class = monitor->state->second_class;
    Branches all;
    branches_find(second_class, problem, monitor->state->inputs, &all);
    double own = measure_of(monitor, problem, followed);
    bool less = false;
    forget_rivals(monitor);
    for (size_t i = 0; i < all.count; i++) {
        double value = measure_of(monitor, problem, all.x[i]);
        if (!all.at[i].lambda)
            less = less || value < own * (1 - LESS_TIED);
        else if (!is_same(monitor, all.x[i], followed))
            add_rival(monitor, all.x[i], stationary_ties(value, own));
    }
    monitor->unasked = 0;
    monitor->certified = all.certified;
    branches_clear(&all);
    return less;
}

// Whether one of the others is less here.
static bool is_beaten(BranchMonitor *monitor, const KktProblem *problem, double own)
{
    SecondClass *second_class = monitor->state->second_class;
    size_t size = second_class_size(second_class, problem);
    double *x = base_alloc((size + 1) * sizeof *x);
    bool beaten = false;
    for (size_t i = 0; i < monitor->rivals.count && !beaten; i++) {
        memcpy(x, monitor->rivals.at[i].x, size * sizeof *x);
        if (!second_class_newton(second_class, problem, monitor->state->inputs, x))
            continue;
        double value = measure_of(monitor, problem, x);
        double margin = monitor->rivals.at[i].tied ? LESS_TIED : LESS;
        beaten = value < own - margin * fmax(own, value);
    }
    base_free(x);
    return beaten;
}

bool branch_monitor_holds(BranchMonitor *monitor, bool at_end)
{
    State *state = monitor->state;
    SecondClass *second_class = state->second_class;
    const double *followed = second_class->trial;
    if (monitor->keeps)
        return true;
    KktProblem problem = dynamics_problem(monitor->eq, state);
    double least = 1;
    bool holds = find_free(monitor, &problem);
    if (holds && at_end &&
        ++monitor->unasked >= (monitor->certified ? STEPS_CERTIFIED : STEPS_SEARCHED))
        holds = !ask(monitor, &problem, followed);
    holds = holds && !is_beaten(monitor, &problem, measure_of(monitor, &problem, followed));
    branch_kind(second_class, &problem, state->inputs, followed, &least);
    return holds && least >= NO_MINIMUM;
}

// The state that is so much later, to first order.
static State *state_later(BranchMonitor *monitor, double later)
{
    const State *state = monitor->state;
    State *ahead = &monitor->later;
    if (!ahead->arena)
        state_init(ahead, monitor->eq);
    *ahead->t = *state->t + later;
    for (size_t i = 0; i < monitor->eq->n; i++) {
        ahead->q[i] = state->q[i] + later * state->v[i];
        ahead->v[i] = state->v[i] + later * state->a[i];
    }
    evaluator_run(&ahead->velocities, ahead->inputs);
    return ahead;
}

bool branch_monitor_ends(BranchMonitor *monitor, double later)
{
    SecondClass *second_class = monitor->state->second_class;
    State *ahead = state_later(monitor, later);
    KktProblem problem = dynamics_problem(monitor->eq, ahead);
    bool ends = find_free(monitor, &problem);
    if (!ends)
        return false;
    Branches all;
    double size;
    branches_find(second_class, &problem, ahead->inputs, &all);
    for (size_t i = 0; i < all.count; i++)
        ends = ends && !(all.at[i].lambda && distance(monitor, all.x[i], second_class->trial,
                                                      &size) <= NEAR_END * size);
    branches_clear(&all);
    return ends;
}

void branch_monitor_accept(BranchMonitor *monitor)
{
    SecondClass *second_class = monitor->state->second_class;
    KktProblem problem = dynamics_problem(monitor->eq, monitor->state);
    size_t size = second_class_size(second_class, &problem);
    memcpy(second_class->x, second_class->trial, size * sizeof *second_class->x);
    if (monitor->keeps || !find_free(monitor, &problem))
        return;
    double own = measure_of(monitor, &problem, second_class->x);
    for (size_t i = 0; i < monitor->rivals.count; i++) {
        BranchRival *rival = &monitor->rivals.at[i];
        if (second_class_newton(second_class, &problem, monitor->state->inputs, rival->x))
            rival->tied = stationary_ties(measure_of(monitor, &problem, rival->x), own);
    }
}

// ---- A change.

// The least minimum beside what was followed, of several the one nearest to it; all.count where
// there is none.
static size_t choose(const BranchMonitor *monitor, const Branches *all, const double *followed,
                     bool ended, size_t *tied)
{
    size_t best = all->count, first = all->count;
    double nearest = INFINITY, size;
    *tied = 0;
    for (size_t i = 0; i < all->count; i++) {
        // Near a point that has ended there is nothing to go on with.
        double apart = distance(monitor, all->x[i], followed, &size);
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
static bool is_better(const BranchMonitor *monitor, const KktProblem *problem, const double *other,
                      const double *followed)
{
    double own = measure_of(monitor, problem, followed),
           value = measure_of(monitor, problem, other);
    double least = 1;
    branch_kind(monitor->state->second_class, problem, monitor->state->inputs, followed, &least);
    return value <= own || stationary_ties(value, own) || least < NO_MINIMUM;
}

// Whether a point that cannot be followed is less than the one to go on with; what has ended may be
// one for an instant.
static bool blocks(const BranchMonitor *monitor, const Branches *all, size_t index, size_t best,
                   const double *ended)
{
    double size;
    if (all->at[index].lambda ||
        stationary_ties(all->at[index].constraint, all->at[best].constraint))
        return false;
    return !ended || distance(monitor, all->x[index], ended, &size) > NEAR_END * size;
}

BranchChange branch_monitor_change(BranchMonitor *monitor, bool ended, size_t *tied)
{
    SecondClass *second_class = monitor->state->second_class;
    KktProblem problem = dynamics_problem(monitor->eq, monitor->state);
    size_t size = second_class_size(second_class, &problem);
    *tied = 0;
    if (monitor->keeps || !find_free(monitor, &problem))
        return BRANCH_LOST;
    Branches all;
    branches_find(second_class, &problem, monitor->state->inputs, &all);
    double *followed = base_alloc((size + 1) * sizeof *followed);
    memcpy(followed, ended ? second_class->x : second_class->trial, size * sizeof *followed);
    size_t best = choose(monitor, &all, followed, ended, tied);
    BranchChange change = BRANCH_LOST;
    if (best < all.count) {
        bool better = ended || is_better(monitor, &problem, all.x[best], followed);
        change = better ? BRANCH_CHANGED : BRANCH_SAME;
        for (size_t i = 0; i < best; i++)
            if (blocks(monitor, &all, i, best, ended ? followed : NULL))
                change = BRANCH_LOST;
    }
    if (change == BRANCH_CHANGED) {
        memcpy(second_class->x, all.x[best], size * sizeof *second_class->x);
        ask(monitor, &problem, second_class->x);
    }
    base_free(followed);
    branches_clear(&all);
    return change;
}
