// Siconos's side of bench/heap: heap_siconos COLUMNS ROWS MU STEP TO TOLERANCE, balls that fall in a
// box, in the plane, by the steps of Moreau and Jean (half a step, contacts, half a step), each
// solved by Siconos's Gauss–Seidel for blocks from the forces of the step before. It prints
//
//     heap SECONDS MEDIAN MOST WORST ENERGY DEEPEST
//
// processor time; by how much the law is missed in a step, a part of the largest velocity: the
// median, what 95 of 100 steps do not exceed, and the worst; the energy at the end, and the deepest
// penetration at any of 100 rows.
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

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

typedef std::vector<double> Vector;

static const double radius = 0.05, gap = 0.01, g = 9.81, mass = 0.2;
static const double turning = 2 * mass * radius * radius / 5;

struct Contact {
    int body, other; // other < 0: the floor or a wall
    double n[2];     // from the other to the body
};

struct Discs {
    size_t count;
    double width;
    Vector q, v; // x, z, phi of each
};

static void find(const Discs &discs, std::vector<Contact> &found)
{
    found.clear();
    for (size_t i = 0; i < discs.count; i++) {
        double x = discs.q[3 * i], z = discs.q[3 * i + 1];
        if (z <= radius)
            found.push_back({(int)i, -1, {0, 1}});
        if (x <= radius)
            found.push_back({(int)i, -2, {1, 0}});
        if (x >= discs.width - radius)
            found.push_back({(int)i, -3, {-1, 0}});
        for (size_t j = 0; j < i; j++) {
            double dx = x - discs.q[3 * j], dz = z - discs.q[3 * j + 1];
            if (dx * dx + dz * dz > 4 * radius * radius)
                continue;
            double d = sqrt(dx * dx + dz * dz);
            found.push_back({(int)i, (int)j, {dx / d, dz / d}});
        }
    }
}

// Row k (normal, tangent) of a contact for one of its bodies: on x, z, phi.
static void row_of(const Contact &c, int k, bool other, double *row)
{
    double sign = other ? -1 : 1;
    row[0] = sign * (k == 0 ? c.n[0] : c.n[1]);
    row[1] = sign * (k == 0 ? c.n[1] : -c.n[0]);
    row[2] = k == 0 ? 0 : -radius; // the point of contact is on opposite sides of both
}

struct Problem {
    std::map<std::pair<size_t, size_t>, Vector> blocks;
    Vector b, r, u, mu, squares;
};

static void assemble(const Discs &discs, const std::vector<Contact> &contacts, const Vector &free,
                     double mu, Problem &p)
{
    size_t c = contacts.size();
    static const double inverse[3] = {1 / mass, 1 / mass, 1 / turning};
    p.blocks.clear();
    p.b.assign(2 * c, 0);
    p.u.assign(2 * c, 0);
    p.mu.assign(c, mu);
    p.squares.assign(c, 0);
    std::vector<std::vector<size_t>> of(discs.count);
    for (size_t l = 0; l < c; l++) {
        of[(size_t)contacts[l].body].push_back(2 * l);
        if (contacts[l].other >= 0)
            of[(size_t)contacts[l].other].push_back(2 * l + 1);
    }
    for (size_t body = 0; body < discs.count; body++)
        for (size_t first : of[body])
            for (size_t second : of[body]) {
                Vector &block = p.blocks[{first / 2, second / 2}];
                block.resize(4);
                for (int i = 0; i < 2; i++)
                    for (int k = 0; k < 2; k++) {
                        double a[3], d[3];
                        row_of(contacts[first / 2], i, first % 2, a);
                        row_of(contacts[second / 2], k, second % 2, d);
                        for (int j = 0; j < 3; j++)
                            block[(size_t)(i + 2 * k)] += a[j] * d[j] * inverse[j];
                    }
            }
    for (size_t l = 0; l < c; l++) {
        p.squares[l] = p.blocks[{l, l}][3];
        for (int k = 0; k < 2; k++)
            for (int side = 0; side < 2; side++) {
                int body = side ? contacts[l].other : contacts[l].body;
                double row[3];
                row_of(contacts[l], k, side, row);
                for (int j = 0; j < 3 && body >= 0; j++)
                    p.b[2 * l + (size_t)k] += row[j] * free[3 * (size_t)body + (size_t)j];
            }
    }
}

static void solve(Problem &p, double tolerance)
{
    size_t c = p.mu.size(), row = 0, at = 0;
    SparseBlockStructuredMatrix *matrix = SBM_new();
    std::vector<unsigned> sizes(c);
    std::vector<double *> blocks;
    std::vector<size_t> first(c + 1), second;
    for (auto &block : p.blocks) {
        while (row < block.first.first)
            first[++row] = at;
        blocks.push_back(block.second.data());
        second.push_back(block.first.second);
        at++;
    }
    while (row < c)
        first[++row] = at;
    for (size_t l = 0; l < c; l++)
        sizes[l] = (unsigned)(2 * (l + 1));
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
    M->size0 = M->size1 = (int)(2 * c);
    M->matrix1 = matrix;
    FrictionContactProblem problem = {};
    problem.dimension = 2;
    problem.numberOfContacts = (int)c;
    problem.M = M;
    problem.q = p.b.data();
    problem.mu = p.mu.data();
    SolverOptions *options = solver_options_create(SICONOS_FRICTION_2D_NSGS);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 20000;
    fc2d_driver(&problem, p.r.data(), p.u.data(), options);
    solver_options_delete(options);
}

static double accuracy_of(Problem &p, double mu)
{
    Vector u = p.b;
    for (auto &block : p.blocks)
        for (size_t i = 0; i < 2; i++)
            for (size_t k = 0; k < 2; k++)
                u[2 * block.first.first + i] +=
                    block.second[i + 2 * k] * p.r[2 * block.first.second + k];
    return friction_accuracy(p.r.data(), u.data(), p.b.data(), p.mu.size(), 2, mu,
                             p.squares.data());
}

static double deepest(const Discs &discs)
{
    double most = 0;
    for (size_t i = 0; i < discs.count; i++) {
        double x = discs.q[3 * i], z = discs.q[3 * i + 1];
        most = fmax(most, fmax(radius - z, fmax(radius - x, x - discs.width + radius)));
        for (size_t j = 0; j < i; j++)
            most = fmax(most, 2 * radius - hypot(x - discs.q[3 * j], z - discs.q[3 * j + 1]));
    }
    return most;
}

int main(int argc, char **argv)
{
    if (argc != 7)
        return 2;
    numerics_set_verbose(0);
    size_t columns = strtoul(argv[1], NULL, 10), rows = strtoul(argv[2], NULL, 10);
    double mu = atof(argv[3]), h = atof(argv[4]), to = atof(argv[5]), tolerance = atof(argv[6]);
    Discs discs = {columns * rows, (double)columns * (2 * radius + gap), {}, {}};
    discs.q.assign(3 * discs.count, 0);
    discs.v.assign(3 * discs.count, 0);
    for (size_t i = 0; i < discs.count; i++) {
        discs.q[3 * i] = (2 * radius + gap) * ((double)(i % columns) + 0.5) +
                         0.003 * sin(3 * (double)(i + 1));
        discs.q[3 * i + 1] = radius + (2 * radius + gap) * (double)(i / columns);
    }
    size_t steps = (size_t)llround(to / h);
    std::map<std::pair<int, int>, std::pair<double, double>> before;
    std::vector<Contact> contacts;
    Problem p;
    Vector missed;
    double seconds = 0, deep = 0;
    for (size_t step = 0; step < steps; step++) {
        double begin = friction_now();
        for (size_t j = 0; j < discs.q.size(); j++)
            discs.q[j] += h / 2 * discs.v[j];
        find(discs, contacts);
        Vector free = discs.v;
        for (size_t i = 0; i < discs.count; i++)
            free[3 * i + 1] -= h * g;
        discs.v = free;
        if (!contacts.empty()) {
            assemble(discs, contacts, free, mu, p);
            p.r.assign(2 * contacts.size(), 0);
            for (size_t l = 0; l < contacts.size(); l++) {
                auto known = before.find({contacts[l].body, contacts[l].other});
                if (known != before.end()) {
                    p.r[2 * l] = known->second.first;
                    p.r[2 * l + 1] = known->second.second;
                }
            }
            solve(p, tolerance);
            seconds += friction_now() - begin;
            missed.push_back(accuracy_of(p, mu));
            begin = friction_now();
            before.clear();
            for (size_t l = 0; l < contacts.size(); l++) {
                before[{contacts[l].body, contacts[l].other}] = {p.r[2 * l], p.r[2 * l + 1]};
                for (int side = 0; side < 2; side++) {
                    int body = side ? contacts[l].other : contacts[l].body;
                    for (int k = 0; k < 2 && body >= 0; k++) {
                        double row[3];
                        row_of(contacts[l], k, side, row);
                        for (int j = 0; j < 3; j++)
                            discs.v[3 * (size_t)body + (size_t)j] +=
                                row[j] * p.r[2 * l + (size_t)k] / (j < 2 ? mass : turning);
                    }
                }
            }
        }
        for (size_t j = 0; j < discs.q.size(); j++)
            discs.q[j] += h / 2 * discs.v[j];
        seconds += friction_now() - begin;
        if ((step + 1) % (steps / 100) == 0)
            deep = fmax(deep, deepest(discs));
    }
    double energy = 0;
    for (size_t i = 0; i < discs.count; i++)
        energy += mass * g * discs.q[3 * i + 1] +
                  mass / 2 * (pow(discs.v[3 * i], 2) + pow(discs.v[3 * i + 1], 2)) +
                  turning / 2 * pow(discs.v[3 * i + 2], 2);
    std::sort(missed.begin(), missed.end());
    printf("heap %.4g %.2g %.2g %.2g %.9g %.2g\n", seconds, missed[missed.size() / 2],
           missed[missed.size() * 95 / 100], missed.back(), energy, deep);
    return 0;
}
