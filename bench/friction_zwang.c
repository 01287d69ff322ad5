// Our side of bench/friction. friction_zwang instant OWN R…: for each R lines
//
//     instant OWN R SOLVER SECONDS SOLVED OF RATIO
//
// median seconds of the problems solved to 1e-8, and the median ratio to one Cholesky factorization
// of A; solvers cold and warm (begun from the modes of the answer). friction_zwang heap MU ACCURACY
// N:
//
//     heap MU ACCURACY N zwang SECONDS REACHED
#include "contact/friction.h"
#include "contact/friction_step.h"
#include "friction_problems.h"

#include <lapacke.h>

enum { TRIALS = 100, REPEATS = 20 };

typedef struct {
    FrictionSolver *solver;
    FrictionProblem problem;
    FrictionState *start, *states;
    double *forces, *rates;
} Instant;

static double least_time(Instant *it, FrictionReport *report)
{
    double least = INFINITY;
    FrictionAnswer answer = {.states = it->states, .forces = it->forces, .rates = it->rates};
    for (size_t k = 0; k < REPEATS; k++) {
        double begin = friction_now();
        for (size_t j = 0; j < REPEATS; j++) {
            memcpy(it->states, it->start, it->problem.count * sizeof *it->states);
            *report = friction_instant(it->solver, &it->problem, &answer);
        }
        least = fmin(least, (friction_now() - begin) / REPEATS);
    }
    return least;
}

static double factor_time(const FrictionDense *p)
{
    size_t bytes = p->rows * p->rows * sizeof(double);
    double least = INFINITY, *copy = malloc(bytes);
    for (size_t k = 0; k < REPEATS; k++) {
        double begin = friction_now();
        for (size_t j = 0; j < REPEATS; j++) {
            memcpy(copy, p->A, bytes);
            LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)p->rows, copy,
                                (lapack_int)p->rows);
        }
        least = fmin(least, (friction_now() - begin) / REPEATS);
    }
    free(copy);
    return least;
}

// Of the reactions: r = (λ, F), u = (−f'', u').
static double accuracy_of(const FrictionDense *p, const Instant *it)
{
    double *u = malloc(p->rows * sizeof *u), *squares = malloc(p->contacts * sizeof *squares);
    for (size_t i = 0; i < p->rows; i++) {
        u[i] = p->b[i];
        for (size_t k = 0; k < p->rows; k++)
            u[i] += p->A[i * p->rows + k] * it->forces[k];
    }
    for (size_t l = 0; l < p->contacts; l++) {
        squares[l] = 0;
        for (size_t k = 1; k < p->own; k++)
            squares[l] = fmax(squares[l], p->A[(l * p->own + k) * (p->rows + 1)]);
    }
    double accuracy = friction_accuracy(it->forces, u, p->b, p->contacts, p->own, p->mu, squares);
    free(u);
    free(squares);
    return accuracy;
}

static void measure_instants(size_t own, size_t count)
{
    double seconds[2][TRIALS], ratios[2][TRIALS];
    size_t solved[2] = {0, 0};
    for (size_t trial = 0; trial < TRIALS; trial++) {
        FrictionDense p = friction_dense(count, own, trial);
        FrictionContact *contacts = calloc(count, sizeof *contacts);
        Instant it = {.solver = friction_solver_new(),
                      .start = calloc(count, sizeof *it.start),
                      .states = calloc(count, sizeof *it.states),
                      .forces = calloc(p.rows, sizeof(double)),
                      .rates = calloc(p.rows, sizeof(double))};
        // Normal rows are turned round here: f'' = −u.
        double *A = malloc(p.rows * p.rows * sizeof *A), *b = malloc(p.rows * sizeof *b);
        for (size_t i = 0; i < p.rows; i++) {
            b[i] = i % own ? p.b[i] : -p.b[i];
            for (size_t k = 0; k < p.rows; k++)
                A[i * p.rows + k] =
                    (i % own == 0) != (k % own == 0) ? -p.A[i * p.rows + k] : p.A[i * p.rows + k];
        }
        for (size_t l = 0; l < count; l++)
            contacts[l] = (FrictionContact){
                .normals = 1, .tangents = (uint8_t)(own - 1), .sliding = p.mu, .sticking = p.mu};
        it.problem =
            (FrictionProblem){.count = count, .contacts = contacts, .delassus = A, .free_rates = b};
        double factor = factor_time(&p);
        for (size_t warm = 0; warm < 2; warm++) {
            FrictionReport report;
            double time = least_time(&it, &report);
            if (report.outcome == SOLVE_DONE && accuracy_of(&p, &it) <= 1e-8) {
                seconds[warm][solved[warm]] = time;
                ratios[warm][solved[warm]++] = time / factor;
            }
            memcpy(it.start, it.states, count * sizeof *it.start);
        }
        friction_solver_free(it.solver);
        free(contacts);
        free(it.start);
        free(it.states);
        free(it.forces);
        free(it.rates);
        free(A);
        free(b);
        friction_dense_free(&p);
    }
    for (size_t warm = 0; warm < 2; warm++)
        printf("instant %zu %zu %s %.3g %zu %d %.2f\n", own, count, warm ? "warm" : "cold",
               friction_median(seconds[warm], solved[warm]), solved[warm], TRIALS,
               friction_median(ratios[warm], solved[warm]));
}

static void measure_heap(double mu, double accuracy, size_t balls)
{
    FrictionHeap heap = friction_heap(balls, mu);
    SparseStore inertia = {0}, normals = {0}, sliding = {0}, none = {0};
    double *zero = calloc(2 * heap.contacts + 1, sizeof *zero);
    double *friction = calloc(heap.contacts + 1, sizeof *friction), least = INFINITY;
    sparse_store_begin(&inertia);
    sparse_store_begin(&normals);
    sparse_store_begin(&sliding);
    sparse_store_begin(&none);
    for (size_t i = 0; i < 6 * balls; i++) {
        sparse_store_push(&inertia, i, heap.mass[i]);
        sparse_store_end_row(&inertia);
    }
    for (size_t l = 0; l < heap.contacts; l++) {
        friction[l] = mu;
        for (size_t row = 0; row < 3; row++) {
            SparseStore *rows = row ? &sliding : &normals;
            for (size_t k = 0; k < 12; k++)
                if (heap.bodies[l][k / 6] >= 0 && heap.rows[l][row][k] != 0)
                    sparse_store_push(rows, 6 * (size_t)heap.bodies[l][k / 6] + k % 6,
                                      (row ? 1 : -1) * heap.rows[l][row][k]);
            sparse_store_end_row(rows);
        }
    }
    FrictionStepProblem problem = {.inertia = sparse_store_rows(&inertia),
                                   .impulse = heap.impulse,
                                   .equations = sparse_store_rows(&none),
                                   .equation_drift = zero,
                                   .contacts = heap.contacts,
                                   .normals = sparse_store_rows(&normals),
                                   .normal_drift = zero,
                                   .tangents = 2,
                                   .sliding = sparse_store_rows(&sliding),
                                   .sliding_drift = zero,
                                   .friction = friction,
                                   .accuracy = accuracy};
    FrictionStepReport report;
    for (size_t k = 0; k < 3; k++) {
        double begin = friction_now();
        report = friction_step(&problem, &(FrictionStepAnswer){0});
        least = fmin(least, friction_now() - begin);
    }
    printf("heap %g %g %zu zwang %.3g %.2g\n", mu, accuracy, balls, least, report.accuracy);
    sparse_store_clear(&inertia);
    sparse_store_clear(&normals);
    sparse_store_clear(&sliding);
    sparse_store_clear(&none);
    free(zero);
    free(friction);
    friction_heap_free(&heap);
}

int main(int argc, char **argv)
{
    if (argc > 3 && strcmp(argv[1], "instant") == 0)
        for (int k = 3; k < argc; k++)
            measure_instants(strtoul(argv[2], NULL, 10), strtoul(argv[k], NULL, 10));
    else if (argc == 5 && strcmp(argv[1], "heap") == 0)
        measure_heap(atof(argv[2]), atof(argv[3]), strtoul(argv[4], NULL, 10));
    else
        return 2;
    return 0;
}
