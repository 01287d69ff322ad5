// friction_problems.h: the problems of bench/friction, the same for all: u = Ar + b with Coulomb's
// cone on the contacts, the normal first. Instants are dense and random; heaps are balls in a box.
#ifndef ZWANG_BENCH_FRICTION_PROBLEMS_H
#define ZWANG_BENCH_FRICTION_PROBLEMS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    size_t contacts, rows, own; // own: rows of a contact, 2 in the plane, 3 in space
    double *A, *b, mu;          // A row after row, symmetric
} FrictionDense;

static inline double friction_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Numbers within [−1, 1).
static inline double friction_random(unsigned long long *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static inline FrictionDense friction_dense(size_t contacts, size_t own, size_t seed)
{
    FrictionDense p;
    unsigned long long state = 977 * seed + 31 * contacts + own;
    p.contacts = contacts;
    p.own = own;
    p.rows = contacts * own;
    p.mu = 0.1 + 0.4 * (1 + friction_random(&state));
    p.A = (double *)calloc(p.rows * p.rows, sizeof(double));
    p.b = (double *)calloc(p.rows, sizeof(double));
    double *W = (double *)calloc(p.rows * p.rows, sizeof(double));
    for (size_t i = 0; i < p.rows * p.rows; i++)
        W[i] = friction_random(&state);
    for (size_t i = 0; i < p.rows; i++) {
        p.b[i] = friction_random(&state);
        p.b[i] = i % own == 0 ? -fabs(p.b[i]) : p.b[i];
        for (size_t k = 0; k < p.rows; k++) {
            p.A[i * p.rows + k] = i == k ? 0.1 : 0;
            for (size_t j = 0; j < p.rows; j++)
                p.A[i * p.rows + k] += W[i * p.rows + j] * W[k * p.rows + j];
        }
    }
    free(W);
    return p;
}

static inline void friction_dense_free(FrictionDense *p)
{
    free(p->A);
    free(p->b);
}

// ---- Balls of radius 1/2 and mass 1 in layers, each in the hollow of four, in a box with a floor
// and four walls; random velocities and one step of 0.01 s of gravity.

typedef struct {
    size_t balls, contacts;
    double *mass, *impulse; // 6 for each ball
    // Of each contact its two bodies (the second may be none), and 3 × 12 numbers: normal away from
    // the second, and two tangents.
    int (*bodies)[2];
    double (*rows)[3][12];
    double mu;
} FrictionHeap;

static inline void friction_heap_contact(FrictionHeap *heap, int i, int j, const double *n)
{
    double a[3] = {0, 0, 0}, t[3][3];
    a[fabs(n[0]) < 0.6 ? 0 : 1] = 1;
    memcpy(t[0], n, sizeof t[0]);
    for (int pass = 1; pass < 3; pass++) {
        const double *u = n, *v = pass == 1 ? a : t[1];
        double length = 0;
        for (int k = 0; k < 3; k++) {
            t[pass][k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
            length += t[pass][k] * t[pass][k];
        }
        for (int k = 0; k < 3; k++)
            t[pass][k] /= sqrt(length);
    }
    size_t at = heap->contacts++;
    heap->bodies[at][0] = i;
    heap->bodies[at][1] = j;
    for (int row = 0; row < 3; row++)
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++) {
                double sign = side ? -1 : 1, arm[3] = {-0.5 * n[0], -0.5 * n[1], -0.5 * n[2]};
                const double *d = t[row];
                heap->rows[at][row][6 * side + k] = sign * d[k];
                heap->rows[at][row][6 * side + 3 + k] =
                    arm[(k + 1) % 3] * d[(k + 2) % 3] - arm[(k + 2) % 3] * d[(k + 1) % 3];
            }
}

static inline FrictionHeap friction_heap(size_t balls, double mu)
{
    FrictionHeap heap;
    unsigned long long state = 1;
    double apart = 1.2, high = sqrt(1 - apart * apart / 2);
    size_t wide = 2, most = 16 * balls;
    while (wide * wide * (wide + 1) < balls)
        wide++;
    heap.balls = balls;
    heap.contacts = 0;
    heap.mu = mu;
    heap.mass = (double *)calloc(6 * balls, sizeof(double));
    heap.impulse = (double *)calloc(6 * balls, sizeof(double));
    heap.bodies = (int(*)[2])calloc(most, sizeof *heap.bodies);
    heap.rows = (double(*)[3][12])calloc(most, sizeof *heap.rows);
    double(*place)[3] = (double(*)[3])calloc(balls, sizeof *place);
    for (size_t i = 0, layer = 0; i < balls; layer++) {
        size_t side = wide - layer % 2;
        for (size_t r = 0; r < side * side && i < balls; r++, i++) {
            place[i][0] = (double)(r % side) * apart + (layer % 2 ? apart / 2 : 0);
            place[i][1] = (double)(r / side) * apart + (layer % 2 ? apart / 2 : 0);
            place[i][2] = (double)layer * high;
            for (int k = 0; k < 3; k++)
                place[i][k] += 0.005 * friction_random(&state);
        }
    }
    for (size_t i = 0; i < balls; i++) {
        for (size_t k = 0; k < 6; k++) {
            heap.mass[6 * i + k] = k < 3 ? 1 : 0.1;
            heap.impulse[6 * i + k] = heap.mass[6 * i + k] * 0.15 * friction_random(&state);
        }
        heap.impulse[6 * i + 2] -= 0.0981;
        for (size_t j = 0; j < i; j++) {
            double n[3], far = 0;
            for (int k = 0; k < 3; k++) {
                n[k] = place[i][k] - place[j][k];
                far += n[k] * n[k];
            }
            for (int k = 0; k < 3; k++)
                n[k] /= sqrt(far);
            if (far < 1.06)
                friction_heap_contact(&heap, (int)i, (int)j, n);
        }
        double end = apart * (double)(wide - 1);
        for (int k = 0; k < 3; k++) {
            double n[3] = {0, 0, 0};
            n[k] = 1;
            if (place[i][k] < 0.1)
                friction_heap_contact(&heap, (int)i, -1, n);
            n[k] = -1;
            if (k < 2 && place[i][k] > end - 0.1)
                friction_heap_contact(&heap, (int)i, -1, n);
        }
    }
    free(place);
    return heap;
}

static inline void friction_heap_free(FrictionHeap *heap)
{
    free(heap->mass);
    free(heap->impulse);
    free(heap->bodies);
    free(heap->rows);
}

// By how much a contact misses Coulomb's law, |x − Proj(x − ũ)| with x = (μλ, F) and ũ = (v/μ +
// |u|, u), where its sliding rows have the length `own` squared; in units of `unit`.
static inline double friction_miss(const double *r, const double *u, size_t own, double mu,
                                   double square, double unit)
{
    double scale = 1 / sqrt(square), x[3], y[3], p[3], off = 0, slide = 0, error;
    for (size_t k = 0; k < own; k++) {
        x[k] = r[k] / (k ? scale : scale / mu) / unit;
        y[k] = u[k] * (k ? scale : scale / mu) / unit;
        slide += k ? y[k] * y[k] : 0;
    }
    for (size_t k = 0; k < own; k++) {
        p[k] = x[k] - y[k] - (k ? 0 : sqrt(slide));
        off += k ? p[k] * p[k] : 0;
    }
    off = sqrt(off);
    double first = p[0], part = 1;
    if (off <= -first) {
        first = part = 0;
    } else if (off > first) {
        first = (first + off) / 2;
        part = first / off;
    }
    error = (x[0] - first) * (x[0] - first);
    for (size_t k = 1; k < own; k++)
        error += (x[k] - part * p[k]) * (x[k] - part * p[k]);
    return sqrt(error);
}

// The same of all contacts, r and u = Ar + b given; `squares`: of the longest sliding row of each.
static inline double friction_accuracy(const double *r, const double *u, const double *b,
                                       size_t contacts, size_t own, double mu,
                                       const double *squares)
{
    double unit = 0, worst = 0;
    for (size_t i = 0; i < contacts * own; i++)
        unit = fmax(unit, fabs(b[i]) / sqrt(squares[i / own]) / (i % own ? 1 : mu));
    for (size_t l = 0; l < contacts; l++)
        worst = fmax(worst, friction_miss(r + l * own, u + l * own, own, mu, squares[l], unit));
    return worst;
}

static inline int friction_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static inline double friction_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, friction_compare);
    return count ? values[count / 2] : NAN;
}

#endif
