// Our side of bench/sides. sides_zwang KIND R…: for each R a line
//
//     KIND R SOLVER SECONDS SOLVED OF RATIO
//
// with the median seconds of the problems that were solved to 1e-12, and the median ratio to one
// Cholesky factorization of the same Φ. Solvers: cold, warm (begun from the answer), instant (from
// inertia and rows, begun from the answer; up to ten conditions).
#include "contact/contact_impl.h"
#include "sides_problems.h"

#include <lapacke.h>

enum { MOST_TRIALS = 200 };

typedef struct {
    const SidesProblem *problem;
    LcpDense *lcp;
    ContactDense *dense;
    bool *acting, *start;
    double *lambda, *rates, *factor, *accelerations, *free_rates, *inertia, *force, *rows;
    bool solved;
} Work;

static void solve(void *what)
{
    Work *work = what;
    const SidesProblem *problem = work->problem;
    LcpProblem asked = {.count = problem->count,
                        .normals = problem->normals,
                        .size = problem->size,
                        .phi = problem->phi,
                        .phi0 = problem->phi0};
    memcpy(work->acting, work->start, problem->count * sizeof *work->acting);
    ContactReport report =
        lcp_dense_solve(work->lcp, &asked, work->acting, work->lambda, work->rates, NULL);
    work->solved = report.outcome == SOLVE_DONE;
}

static void solve_instant(void *what)
{
    Work *work = what;
    size_t count = work->problem->count;
    Island island = {.n = count,
                     .count = count,
                     .force = work->force,
                     .drift = work->problem->phi0,
                     .accelerations = work->accelerations,
                     .lambda = work->lambda,
                     .free_rates = work->free_rates,
                     .rates = work->rates,
                     .acting = work->acting};
    memcpy(work->acting, work->start, count * sizeof *work->acting);
    ContactReport report = contact_dense_solve(work->dense, work->inertia, work->rows, &island);
    work->solved = report.outcome == SOLVE_DONE;
}

static void copy_phi(void *what)
{
    Work *work = what;
    size_t count = work->problem->count;
    memcpy(work->factor, work->problem->phi, count * count * sizeof *work->factor);
}

static void factor(void *what)
{
    Work *work = what;
    lapack_int order = (lapack_int)work->problem->count;
    copy_phi(what);
    LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', order, work->factor, order);
}

// The same Φ as an instant: coordinates with inertia Φ⁻¹ would be unkind; r coordinates with the
// inertia 1 and Cholesky's rows instead, whose products are Φ.
static void make_instant(Work *work)
{
    size_t count = work->problem->count;
    factor(work);
    for (size_t l = 0; l < count; l++)
        for (size_t k = 0; k < count; k++) {
            work->rows[l * count + k] = k <= l ? work->factor[k * count + l] : 0;
            work->inertia[l * count + k] = l == k;
        }
}

typedef struct {
    double seconds[MOST_TRIALS], ratios[MOST_TRIALS];
    size_t solved;
} Times;

static void take(Times *times, Work *work, void (*call)(void *), double unit)
{
    double seconds = sides_time(call, work);
    if (!work->solved || !(sides_residual(work->problem, work->lambda) <= 1e-12))
        return;
    times->seconds[times->solved] = seconds;
    times->ratios[times->solved++] = seconds / unit;
}

static void print(const char *kind, size_t count, const char *solver, Times *times, size_t trials)
{
    printf("%s %zu %s %.4g %zu %zu %.3g\n", kind, count, solver,
           sides_median(times->seconds, times->solved), times->solved, trials,
           sides_median(times->ratios, times->solved));
    fflush(stdout);
}

static void measure(const char *kind, size_t count)
{
    bool degenerate = strcmp(kind, "degenerate") == 0;
    size_t trials = sides_trials(count), square = count * count;
    Times cold = {.solved = 0}, warm = cold, instant = cold;
    Arena *arena = arena_new();
    Work work = {.lcp = lcp_dense_new(arena, 2 * count, count),
                 .dense = contact_dense_new(),
                 .acting = base_alloc(count * sizeof(bool)),
                 .start = base_alloc(count * sizeof(bool)),
                 .lambda = sides_numbers(count),
                 .rates = sides_numbers(count),
                 .factor = sides_numbers(square),
                 .accelerations = sides_numbers(count),
                 .free_rates = sides_numbers(count),
                 .inertia = sides_numbers(square),
                 .force = sides_numbers(count),
                 .rows = sides_numbers(square)};
    for (size_t trial = 0; trial < trials; trial++) {
        SidesProblem problem = sides_problem(count, degenerate, trial);
        work.problem = &problem;
        double unit = sides_time(factor, &work) - sides_time(copy_phi, &work);
        memset(work.start, 0, count * sizeof *work.start);
        take(&cold, &work, solve, unit);
        memcpy(work.start, work.acting, count * sizeof *work.start);
        take(&warm, &work, solve, unit);
        if (count <= 10 && !degenerate) {
            make_instant(&work);
            take(&instant, &work, solve_instant, unit);
        }
        sides_problem_free(&problem);
    }
    print(kind, count, "cold", &cold, trials);
    print(kind, count, "warm", &warm, trials);
    if (instant.solved > 0)
        print(kind, count, "instant", &instant, trials);
    arena_free(arena);
    contact_dense_free(work.dense);
    base_free(work.acting);
    base_free(work.start);
    double *owned[] = {work.lambda,     work.rates,   work.factor, work.accelerations,
                       work.free_rates, work.inertia, work.force,  work.rows};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
}

int main(int count, char **words)
{
    if (count < 3) {
        fprintf(stderr, "usage: sides_zwang independent|degenerate R…\n");
        return 2;
    }
    for (int i = 2; i < count; i++)
        measure(words[1], (size_t)strtoul(words[i], NULL, 10));
    return 0;
}
