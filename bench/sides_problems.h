// sides_problems.h: the problems that both sides of bench/sides solve, and how they are timed.
// C and C++ alike.
//
// Φ = J𝓜⁻¹Jᵀ of `count` conditions on `size` degrees of freedom, 𝓜 diagonal after J was turned
// into its axes. "independent": three degrees of freedom for two conditions, Φ⁰ of either sign.
// "degenerate": half as many degrees of freedom as conditions, and Φ⁰ such that the conditions can
// hold together; half of them pass through one point.
#ifndef ZWANG_BENCH_SIDES_PROBLEMS_H
#define ZWANG_BENCH_SIDES_PROBLEMS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    size_t count, size;
    double *phi, *phi0, *normals; // Φ = WWᵀ, W of `size` numbers a condition
} SidesProblem;

// Evenly between −1 and 1, the same everywhere (splitmix64).
static inline double sides_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
}

static inline double *sides_numbers(size_t count)
{
    double *numbers = (double *)calloc(count + 1, sizeof(double));
    if (!numbers)
        exit(3);
    return numbers;
}

static inline SidesProblem sides_problem(size_t count, int degenerate, uint64_t seed)
{
    uint64_t state = seed * 1000003u + count;
    size_t size = degenerate ? (count + 1) / 2 : (3 * count + 1) / 2;
    SidesProblem problem = {count, size, sides_numbers(count * count), sides_numbers(count),
                            sides_numbers(count * size)};
    double *j = problem.normals, *point = sides_numbers(size);
    for (size_t k = 0; k < size; k++)
        point[k] = sides_random(&state);
    for (size_t l = 0; l < count; l++)
        for (size_t k = 0; k < size; k++)
            j[l * size + k] = sides_random(&state);
    // Masses between 1/2 and 2, taken into the rows.
    for (size_t k = 0; k < size; k++) {
        double root = exp2(sides_random(&state) / 2);
        for (size_t l = 0; l < count; l++)
            j[l * size + k] /= root;
    }
    for (size_t l = 0; l < count; l++) {
        for (size_t h = 0; h <= l; h++) {
            double sum = 0;
            for (size_t k = 0; k < size; k++)
                sum += j[l * size + k] * j[h * size + k];
            problem.phi[l * count + h] = problem.phi[h * count + l] = sum;
        }
        double along = 0, slack = sides_random(&state);
        for (size_t k = 0; k < size; k++)
            along += j[l * size + k] * point[k];
        problem.phi0[l] = !degenerate ? slack : slack < 0 ? along : along - slack;
    }
    free(point);
    return problem;
}

static inline void sides_problem_free(SidesProblem *problem)
{
    free(problem->phi);
    free(problem->phi0);
    free(problem->normals);
}

// |min(λ, Φλ − Φ⁰)| / |Φ⁰|.
static inline double sides_residual(const SidesProblem *problem, const double *lambda)
{
    double miss = 0, scale = 0;
    for (size_t l = 0; l < problem->count; l++) {
        double excess = -problem->phi0[l];
        for (size_t h = 0; h < problem->count; h++)
            excess += problem->phi[l * problem->count + h] * lambda[h];
        double least = fmin(excess, lambda[l]);
        miss += least * least;
        scale += problem->phi0[l] * problem->phi0[l];
    }
    return sqrt(miss / (scale > 0 ? scale : 1));
}

// Seconds of the processor that this program has used.
static inline double sides_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Least seconds of one call over several rounds, each of as many calls as make it long enough.
static inline double sides_time(void (*call)(void *), void *what)
{
    double start = sides_now(), once, best;
    call(what);
    once = sides_now() - start;
    size_t calls = once < 5e-5 ? (size_t)(1e-4 / (once > 1e-7 ? once : 1e-7)) : 1;
    best = once;
    for (int round = 0; round < (once > 0.2 ? 0 : 5); round++) {
        start = sides_now();
        for (size_t i = 0; i < calls; i++)
            call(what);
        double seconds = (sides_now() - start) / (double)calls;
        best = seconds < best ? seconds : best;
    }
    return best;
}

static inline int sides_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double sides_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, sides_compare);
    return count == 0 ? NAN : (values[(count - 1) / 2] + values[count / 2]) / 2;
}

// How many problems of a size are tried.
static inline size_t sides_trials(size_t count)
{
    return count <= 10 ? 200 : count <= 50 ? 60 : count <= 200 ? 20 : 5;
}

#endif
