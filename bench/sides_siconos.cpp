// Siconos's side of bench/sides. sides_siconos KIND SECONDS R…: lines as sides_zwang prints,
// without the ratio, for its solvers of linear complementarity problems: Lemke, Murty, Newton-min,
// projected Gauss–Seidel, each called directly. A solver that has used more than SECONDS for the
// problems of one R is given no more of them, and no larger R.
#include "sides_problems.h"

extern "C" {
#include <lcp_cst.h>
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
}

#include <vector>

typedef void Solver(LinearComplementarityProblem *, double *, double *, int *, SolverOptions *);

struct Peer {
    const char *name;
    int id;
    Solver *solve;
    int iterations, for_each; // at most, and so many more for each condition
    bool out_of_time;
};

static Peer peers[] = {
    {"lemke", SICONOS_LCP_LEMKE, lcp_lexicolemke, 100, 10, false},
    {"murty", SICONOS_LCP_MURTY, lcp_pivot, 100, 10, false},
    {"newton-min", SICONOS_LCP_NEWTONMIN, lcp_newton_min, 200, 0, false},
    {"pgs", SICONOS_LCP_PGS, lcp_pgs, 10000, 0, false},
};

struct Work {
    Solver *solve;
    LinearComplementarityProblem problem;
    SolverOptions *options;
    std::vector<double> z, w;
    int info;
};

static void call(void *what)
{
    Work *work = static_cast<Work *>(what);
    work->z.assign(work->z.size(), 0);
    work->w.assign(work->w.size(), 0);
    work->solve(&work->problem, work->z.data(), work->w.data(), &work->info, work->options);
}

static void measure(const char *kind, size_t count, Peer &peer, double limit)
{
    size_t trials = sides_trials(count), tried = 0;
    std::vector<double> seconds;
    double start = sides_now();
    while (tried < trials && sides_now() - start < limit) {
        SidesProblem given = sides_problem(count, strcmp(kind, "degenerate") == 0, tried++);
        std::vector<double> q(count);
        for (size_t l = 0; l < count; l++)
            q[l] = -given.phi0[l];
        Work work = {peer.solve, {}, solver_options_create(peer.id), {}, {}, 0};
        work.z.resize(count);
        work.w.resize(count);
        work.options->dparam[SICONOS_DPARAM_TOL] = 1e-12;
        work.options->iparam[SICONOS_IPARAM_MAX_ITER] =
            peer.iterations + peer.for_each * (int)count;
        work.problem.size = (int)count;
        work.problem.M = NM_create_from_data(NM_DENSE, (int)count, (int)count, given.phi);
        work.problem.q = q.data();
        double least = sides_time(call, &work);
        if (sides_residual(&given, work.z.data()) <= 1e-12)
            seconds.push_back(least);
        work.problem.M->matrix0 = nullptr; // it is ours
        NM_clear(work.problem.M);
        free(work.problem.M);
        solver_options_delete(work.options);
        free(work.options);
        sides_problem_free(&given);
    }
    peer.out_of_time = tried < trials;
    printf("%s %zu %s %.4g %zu %zu\n", kind, count, peer.name,
           sides_median(seconds.data(), seconds.size()), seconds.size(), tried);
    fflush(stdout);
}

int main(int count, char **words)
{
    if (count < 4) {
        fprintf(stderr, "usage: sides_siconos independent|degenerate SECONDS R…\n");
        return 2;
    }
    numerics_set_verbose(0);
    for (int i = 3; i < count; i++)
        for (Peer &peer : peers)
            if (!peer.out_of_time)
                measure(words[1], strtoul(words[i], nullptr, 10), peer, strtod(words[2], nullptr));
    return 0;
}
