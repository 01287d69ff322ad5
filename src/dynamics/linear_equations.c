// linear_equations.c: the linear equations for velocities and for accelerations, dense or sparse,
// in numbers or in power series. They are made here alone, from the places that are filled.
#include "dynamics/dynamics.h"
#include "dynamics/pattern.h"
#include "dynamics/workspace_impl.h"

#include <assert.h>

// Row `from` of a matrix with n columns as row `to`.
static void put_row(LinearSeries *system, size_t k, size_t to, const Pattern *filled,
                    const double *matrix, size_t from, size_t n)
{
    for (size_t l = filled->begins[from]; l < filled->begins[from + 1]; l++)
        linear_series_put(system, k, to, filled->places[l], matrix[from * n + filled->places[l]]);
}

void linear_equations_velocities(const Equations *eq, const SpeedChoice *speeds, const double *out,
                                 const double *u, size_t k, bool keep, LinearSeries *system,
                                 double *right)
{
    size_t n = eq->n, m = eq->independent.count;
    const double *rest = out + n * n;
    assert(system->size == n && out && !eq->all_velocities);
    if (!keep)
        linear_series_begin(system, k);
    for (size_t i = 0; i < n; i++) {
        bool unit = i >= m && !speeds->own;
        size_t from = i < m ? eq->independent.rows[i] : i;
        // What is constant beside a constant matrix has no more coefficients.
        double drift = unit || (keep && k > 0) ? 0 : rest[from];
        right[i] = i < m ? -drift : u[i - m] - drift;
        if (unit && k == 0)
            linear_series_put(system, k, i, speeds->chosen[i - m], 1);
        if (!unit && !keep)
            put_row(system, k, i, &eq->patterns->velocity, out, from, n);
    }
}

// Row i of 𝓜q'' − dᵀλ. Where only the forces move, it has no more coefficients.
static void put_balance(const Equations *eq, const double *along, const double *inertia, size_t k,
                        size_t i, LinearSeries *system)
{
    size_t n = eq->n, m = eq->independent.count;
    const Pattern *reactions = &eq->patterns->reaction;
    if (k == 0 || !eq->constant_matrices)
        put_row(system, k, i, &eq->patterns->inertia, inertia, i, n);
    for (size_t l = reactions->begins[i]; l < reactions->begins[i + 1]; l++) {
        size_t row = reactions->places[l], place = eq->independent.place[row];
        if (place < m)
            linear_series_put(system, k, i, n + place, -along[row * n + i]);
    }
}

void linear_equations_accelerations(const Equations *eq, const double *velocities,
                                    const double *forces, const double *loads, size_t k, bool keep,
                                    LinearSeries *system, double *right)
{
    size_t n = eq->n, m = eq->independent.count;
    const double *along = dynamics_directions(eq, forces);
    assert(system->size >= n + m);
    if (!keep)
        linear_series_begin(system, k);
    for (size_t i = 0; i < n; i++) {
        right[i] = -loads[i];
        if (!keep)
            put_balance(eq, along ? along : velocities, forces, k, i, system);
    }
    for (size_t i = 0; i < m; i++) {
        size_t row = eq->independent.rows[i];
        right[n + i] = -loads[n + row];
        if (!keep)
            put_row(system, k, n + i, &eq->patterns->velocity, velocities, row, n);
    }
}
