// Siconos's side of bench/friction: friction_siconos instant OWN R… and heap MU ACCURACY N, with the
// lines of friction_zwang, for its solvers of the same problems, each called through its driver. A
// heap's solver is asked for less and less until it has reached the accuracy or uses 5 s.
#include "friction_problems.h"

extern "C" {
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
}

#include <map>
#include <utility>
#include <vector>

struct Peer {
    const char *name;
    int id, iterations;
};

static const Peer plane[] = {{"nsgs", SICONOS_FRICTION_2D_NSGS, 10000},
                             {"lemke", SICONOS_FRICTION_2D_LEMKE, 1000}};
static const Peer space[] = {{"nsgs", SICONOS_FRICTION_3D_NSGS, 10000},
                             {"newton-ac", SICONOS_FRICTION_3D_NSN_AC, 200},
                             {"admm", SICONOS_FRICTION_3D_ADMM, 10000}};

// The Newton methods do not come to an end on heaps.
static const Peer heaps[] = {{"nsgs", SICONOS_FRICTION_3D_NSGS, 100000},
                             {"admm", SICONOS_FRICTION_3D_ADMM, 20000}};

typedef std::vector<double> Vector;

static int solve(FrictionContactProblem &problem, const Peer &peer, double tolerance, Vector &r,
                 Vector &u, double *seconds)
{
    SolverOptions *options = solver_options_create(peer.id);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = peer.iterations;
    r.assign(r.size(), 0);
    u.assign(u.size(), 0);
    double begin = friction_now();
    int info = problem.dimension == 3 ? fc3d_driver(&problem, r.data(), u.data(), options)
                                      : fc2d_driver(&problem, r.data(), u.data(), options);
    *seconds = friction_now() - begin;
    solver_options_delete(options);
    return info;
}

static void measure_instants(size_t own, size_t count, const Peer &peer)
{
    size_t trials = 100, solved = 0;
    Vector seconds;
    double start = friction_now();
    for (size_t trial = 0; trial < trials && friction_now() - start < 20; trial++) {
        FrictionDense p = friction_dense(count, own, trial);
        Vector r(p.rows), u(p.rows), mu(count, p.mu), A(p.A, p.A + p.rows * p.rows), squares(count);
        NumericsMatrix *M = NM_create_from_data(NM_DENSE, (int)p.rows, (int)p.rows, A.data());
        FrictionContactProblem problem = {};
        problem.dimension = (int)own;
        problem.numberOfContacts = (int)count;
        problem.M = M;
        problem.q = p.b;
        problem.mu = mu.data();
        double least = INFINITY, time;
        for (int repeat = 0; repeat < 5; repeat++) {
            solve(problem, peer, 1e-9, r, u, &time);
            least = fmin(least, time);
        }
        for (size_t i = 0; i < p.rows; i++) {
            u[i] = p.b[i];
            for (size_t k = 0; k < p.rows; k++)
                u[i] += p.A[i * p.rows + k] * r[k];
        }
        for (size_t l = 0; l < count; l++)
            for (size_t k = 1; k < own; k++)
                squares[l] = fmax(squares[l], p.A[(l * own + k) * (p.rows + 1)]);
        double miss =
            friction_accuracy(r.data(), u.data(), p.b, count, own, p.mu, squares.data());
        if (miss <= 1e-8) {
            seconds.push_back(least);
            solved++;
        }
        friction_dense_free(&p);
    }
    printf("instant %zu %zu %s %.3g %zu %zu -\n", own, count, peer.name,
           friction_median(seconds.data(), solved), solved, trials);
    fflush(stdout);
}

// ---- Heaps: A in blocks of 3 × 3.

struct Heap {
    FrictionHeap heap;
    std::map<std::pair<size_t, size_t>, Vector> blocks;
    Vector b, mu, squares;
};

static void gather(Heap &it)
{
    const FrictionHeap &heap = it.heap;
    std::map<int, std::vector<size_t>> of;
    it.b.assign(3 * heap.contacts, 0);
    it.mu.assign(heap.contacts, heap.mu);
    it.squares.assign(heap.contacts, 0);
    for (size_t l = 0; l < heap.contacts; l++)
        for (int side = 0; side < 2; side++)
            if (heap.bodies[l][side] >= 0)
                of[heap.bodies[l][side]].push_back(2 * l + (size_t)side);
    for (auto &body : of)
        for (size_t first : body.second)
            for (size_t second : body.second) {
                Vector &block = it.blocks[{first / 2, second / 2}];
                block.resize(9);
                for (int i = 0; i < 3; i++)
                    for (int k = 0; k < 3; k++)
                        for (size_t j = 0; j < 6; j++)
                            block[(size_t)(i + 3 * k)] +=
                                heap.rows[first / 2][i][6 * (first % 2) + j] *
                                heap.rows[second / 2][k][6 * (second % 2) + j] /
                                heap.mass[6 * (size_t)body.first + j];
            }
    for (size_t l = 0; l < heap.contacts; l++) {
        it.squares[l] = fmax(it.blocks[{l, l}][4], it.blocks[{l, l}][8]);
        for (int i = 0; i < 3; i++)
            for (size_t j = 0; j < 12; j++)
                if (heap.bodies[l][j / 6] >= 0) {
                    size_t at = 6 * (size_t)heap.bodies[l][j / 6] + j % 6;
                    it.b[3 * l + (size_t)i] += heap.rows[l][i][j] * heap.impulse[at] / heap.mass[at];
                }
    }
}

static double accuracy_of(Heap &it, const Vector &r)
{
    Vector u = it.b;
    for (auto &block : it.blocks)
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < 3; k++)
                u[3 * block.first.first + i] +=
                    block.second[i + 3 * k] * r[3 * block.first.second + k];
    return friction_accuracy(r.data(), u.data(), it.b.data(), it.heap.contacts, 3, it.heap.mu,
                             it.squares.data());
}

static void measure_heap(double mu, double accuracy, size_t balls, const Peer &peer)
{
    Heap it;
    it.heap = friction_heap(balls, mu);
    gather(it);
    size_t c = it.heap.contacts, row = 0, at = 0;
    SparseBlockStructuredMatrix *matrix = SBM_new();
    std::vector<unsigned> sizes(c);
    std::vector<double *> blocks;
    std::vector<size_t> first(c + 1), second;
    for (auto &block : it.blocks) {
        while (row < block.first.first)
            first[++row] = at;
        blocks.push_back(block.second.data());
        second.push_back(block.first.second);
        at++;
    }
    while (row < c)
        first[++row] = at;
    for (size_t l = 0; l < c; l++)
        sizes[l] = (unsigned)(3 * (l + 1));
    matrix->nbblocks = (unsigned)at;
    matrix->blocknumber0 = matrix->blocknumber1 = (unsigned)c;
    matrix->blocksize0 = matrix->blocksize1 = sizes.data();
    matrix->block = blocks.data();
    matrix->index1_data = first.data();
    matrix->index2_data = second.data();
    matrix->filled1 = c + 1;
    matrix->filled2 = at;
    matrix->diagonal_blocks = NULL;
    NumericsMatrix *M = NM_new();
    M->storageType = NM_SPARSE_BLOCK;
    M->size0 = M->size1 = (int)(3 * c);
    M->matrix1 = matrix;
    FrictionContactProblem problem = {};
    problem.dimension = 3;
    problem.numberOfContacts = (int)c;
    problem.M = M;
    problem.q = it.b.data();
    problem.mu = it.mu.data();
    Vector r(3 * c), u(3 * c);
    double reached = INFINITY, seconds = 0;
    for (double tolerance = 10 * accuracy; reached > accuracy && seconds < 5; tolerance /= 2) {
        solve(problem, peer, tolerance, r, u, &seconds);
        reached = accuracy_of(it, r);
        if (tolerance < 1e-3 * accuracy)
            break;
    }
    printf("heap %g %g %zu %s %.3g %.2g\n", mu, accuracy, balls, peer.name, seconds, reached);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    numerics_set_verbose(0);
    if (argc > 3 && strcmp(argv[1], "instant") == 0) {
        size_t own = strtoul(argv[2], NULL, 10);
        for (int k = 3; k < argc; k++)
            for (size_t i = 0; i < (own == 2 ? 2u : 3u); i++)
                measure_instants(own, strtoul(argv[k], NULL, 10), own == 2 ? plane[i] : space[i]);
    } else if (argc == 5 && strcmp(argv[1], "heap") == 0) {
        for (const Peer &peer : heaps)
            measure_heap(atof(argv[2]), atof(argv[3]), strtoul(argv[4], NULL, 10), peer);
    } else
        return 2;
    return 0;
}
