// mayer.c: Mayer's procedure (1899, §§ 2–3): sets of conditions are tried, the smallest first.
//
// This is a second road to what contact.c finds: one elimination of 𝓜a − dᵀμ = K, b·a = −γ with a
// right side for each condition, then small systems (17) by the same elimination.
#include "contact/mayer.h"
#include "contact/contact_impl.h"

#include <assert.h>
#include <math.h>

// ---- Elimination with complete pivoting.

typedef struct {
    size_t size, sides; // unknowns, right sides
    double *at;         // size × (size + sides)
    size_t *column;     // size: which unknown stands in each column
    double determinant;
} Elimination;

static Elimination elimination_new(Arena *arena, size_t size, size_t sides)
{
    Elimination system = {.size = size, .sides = sides, .determinant = 1};
    system.at = real_alloc(arena, size * (size + sides));
    system.column = arena_array(arena, size_t, size + 1);
    for (size_t i = 0; i < size; i++)
        system.column[i] = i;
    return system;
}

static double *row_of(const Elimination *system, size_t row)
{
    return system->at + row * (system->size + system->sides);
}

// Brings the largest entry from (step, step) on to that place; its size.
static double bring_pivot(Elimination *system, size_t step)
{
    size_t row = step, column = step, width = system->size + system->sides;
    for (size_t i = step; i < system->size; i++)
        for (size_t j = step; j < system->size; j++)
            if (fabs(row_of(system, i)[j]) > fabs(row_of(system, row)[column])) {
                row = i;
                column = j;
            }
    for (size_t j = 0; j < width && row != step; j++) {
        double other = row_of(system, row)[j];
        row_of(system, row)[j] = row_of(system, step)[j];
        row_of(system, step)[j] = other;
    }
    for (size_t i = 0; i < system->size && column != step; i++) {
        double other = row_of(system, i)[column];
        row_of(system, i)[column] = row_of(system, i)[step];
        row_of(system, i)[step] = other;
    }
    size_t unknown = system->column[column];
    system->column[column] = system->column[step];
    system->column[step] = unknown;
    system->determinant *= (row != step) != (column != step) ? -1 : 1;
    return fabs(row_of(system, step)[step]);
}

// Returns the rank: a pivot that is not above `least` is none. Unknowns without one become 0.
static size_t eliminate(Elimination *system, double least, double *solutions)
{
    size_t rank = 0, width = system->size + system->sides;
    for (; rank < system->size && bring_pivot(system, rank) > least; rank++) {
        double *pivot = row_of(system, rank);
        system->determinant *= pivot[rank];
        for (size_t i = 0; i < system->size; i++) {
            double factor = row_of(system, i)[rank] / pivot[rank];
            if (i == rank || factor == 0)
                continue;
            for (size_t j = rank; j < width; j++)
                row_of(system, i)[j] -= factor * pivot[j];
        }
    }
    for (size_t side = 0; side < system->sides; side++)
        for (size_t i = 0; i < rank; i++)
            solutions[side * system->size + system->column[i]] =
                row_of(system, i)[system->size + side] / row_of(system, i)[i];
    if (rank < system->size)
        system->determinant = 0;
    return rank;
}

// ---- (14): the free accelerations, and what a unit of each λ takes away from them.

typedef struct {
    const ContactProblem *problem;
    size_t n, m, r;
    double *scale; // n + m: unknowns and equations are measured by these
    double *moved; // (1 + r) × (n + m): a and μ, free, and by each condition
    double *sizes; // r: of the terms of Φ⁰
    double *phi;   // r × r
    double *phi0;  // r
    Arena *arena;
} Mayer;

// Coordinates by their inertia, equations by their length then.
static void measure(Mayer *mayer)
{
    const ContactProblem *problem = mayer->problem;
    sparse_rows_diagonal(&problem->inertia, mayer->scale);
    for (size_t i = 0; i < mayer->n; i++)
        mayer->scale[i] = mayer->scale[i] > 0 ? 1 / sqrt(mayer->scale[i]) : 1;
    for (size_t i = 0; i < mayer->m; i++) {
        const SparseRows *rows = &problem->equations;
        double square = 0;
        for (uint32_t at = rows->first[i]; at < rows->first[i + 1]; at++)
            square += pow(rows->value[at] * mayer->scale[rows->column[at]], 2);
        mayer->scale[mayer->n + i] = square > 0 ? 1 / sqrt(square) : 1;
    }
}

// factor·row, scaled, to places that lie `step` apart.
static void put_row(const Mayer *mayer, const SparseRows *rows, size_t from, double factor,
                    double *at, size_t step)
{
    for (uint32_t i = rows->first[from]; i < rows->first[from + 1]; i++)
        at[rows->column[i] * step] = factor * rows->value[i] * mayer->scale[rows->column[i]];
}

static void fill(Mayer *mayer, Elimination *system)
{
    const ContactProblem *problem = mayer->problem;
    const SparseRows *d = problem->directions.first ? &problem->directions : &problem->equations;
    size_t n = mayer->n, size = system->size, width = size + system->sides;
    const double *scale = mayer->scale;
    for (size_t i = 0; i < n; i++)
        put_row(mayer, &problem->inertia, i, scale[i], row_of(system, i), 1);
    for (size_t i = 0; i < mayer->m; i++) {
        put_row(mayer, &problem->equations, i, scale[n + i], row_of(system, n + i), 1);
        put_row(mayer, d, i, -scale[n + i], system->at + n + i, width);
    }
    for (size_t i = 0; i < size; i++)
        row_of(system, i)[size] =
            scale[i] * (i < n ? problem->force[i] : -problem->equation_drift[i - n]);
    for (size_t l = 0; l < mayer->r; l++)
        put_row(mayer, &problem->unilateral, l, 1, system->at + size + 1 + l, width);
}

// (15) and (16).
static void find_phi(Mayer *mayer)
{
    size_t size = mayer->n + mayer->m, r = mayer->r;
    Elimination system = elimination_new(mayer->arena, size, 1 + r);
    measure(mayer);
    fill(mayer, &system);
    eliminate(&system, TOL_ZERO, mayer->moved);
    for (size_t side = 0; side < 1 + r; side++)
        for (size_t i = 0; i < size; i++)
            mayer->moved[side * size + i] *= mayer->scale[i];
    for (size_t l = 0; l < r; l++) {
        const SparseRows *rows = &mayer->problem->unilateral;
        mayer->phi0[l] = sparse_row_times(rows, l, mayer->moved,
                                          mayer->problem->unilateral_drift[l], &mayer->sizes[l]);
        for (size_t h = 0; h < r; h++)
            mayer->phi[l * r + h] =
                sparse_row_times(rows, l, mayer->moved + (1 + h) * size, 0, NULL);
    }
}

// ---- (17)–(20): one set.

// λ of those that act, and Δ_k.
static bool solve_set(Mayer *mayer, const bool *acts, MayerTrial *trial, double *lambda)
{
    size_t r = mayer->r, *which = arena_array(mayer->arena, size_t, r + 1);
    for (size_t l = 0; l < r; l++)
        if (acts[l])
            which[trial->k++] = l;
    size_t k = trial->k;
    double *units = real_alloc(mayer->arena, k), *found = real_alloc(mayer->arena, k), scale = 1;
    Elimination system = elimination_new(mayer->arena, k, 1);
    for (size_t g = 0; g < k; g++) {
        double own = fabs(mayer->phi[which[g] * r + which[g]]);
        units[g] = own > 0 ? 1 / sqrt(own) : 1;
        scale *= units[g] * units[g];
    }
    for (size_t g = 0; g < k; g++) {
        for (size_t h = 0; h < k; h++)
            row_of(&system, g)[h] = mayer->phi[which[g] * r + which[h]] * units[g] * units[h];
        row_of(&system, g)[k] = mayer->phi0[which[g]] * units[g];
    }
    bool regular = eliminate(&system, TOL_RANK, found) == k;
    trial->delta = system.determinant / scale;
    for (size_t g = 0; g < k; g++)
        lambda[which[g]] = found[g] * units[g];
    return regular;
}

// Φ_l^k, and the sum of the sizes of its terms.
static double rate_of(const Mayer *mayer, const double *lambda, size_t l, double *size)
{
    double rate = mayer->phi0[l];
    *size = mayer->sizes[l];
    for (size_t h = 0; h < mayer->r; h++) {
        double term = mayer->phi[l * mayer->r + h] * lambda[h];
        rate -= term;
        *size += fabs(term);
    }
    return rate;
}

static MayerTrial try_set(Mayer *mayer, const bool *acts)
{
    size_t r = mayer->r;
    double *lambda = real_alloc(mayer->arena, r), *rates = real_alloc(mayer->arena, r), size;
    MayerTrial trial = {.acts = acts, .lambda = lambda, .rates = rates};
    if (!solve_set(mayer, acts, &trial, lambda)) {
        trial.verdict = MAYER_DEPENDENT;
        return trial;
    }
    for (size_t l = r; l-- > 0;) {
        double rate = rate_of(mayer, lambda, l, &size);
        bool pulls = acts[l] && -lambda[l] * mayer->phi[l * r + l] > TOL_RATE * size;
        rates[l] = acts[l] || fabs(rate) <= TOL_RATE * size ? 0 : rate;
        if (!pulls && !(rates[l] > 0))
            continue;
        trial.verdict = pulls ? MAYER_PULLS : MAYER_BREAKS;
        trial.by = l;
    }
    return trial;
}

// ---- Which sets.

// The next set of as many members: {0, 1}, {0, 2}, {1, 2}. False after the last.
static bool next_set(bool *acts, size_t r)
{
    size_t last = r, behind = 0;
    while (last > 0 && acts[last - 1]) {
        acts[--last] = false;
        behind++;
    }
    while (last > 0 && !acts[last - 1])
        last--;
    if (last == 0)
        return false;
    acts[last - 1] = false;
    for (size_t i = 0; i <= behind; i++)
        acts[last + i] = true;
    return true;
}

// Tries a set, which goes on to change.
static MayerTrial *add_trial(Mayer *mayer, const bool *acts, MayerTrial *trials,
                             MayerProcedure *told)
{
    bool *own = arena_array(mayer->arena, bool, mayer->r + 1);
    memcpy(own, acts, mayer->r * sizeof *own);
    MayerTrial *trial = &trials[told->count++];
    *trial = try_set(mayer, own);
    told->found = trial->verdict == MAYER_TRUE;
    return trial;
}

static void try_all(Mayer *mayer, MayerProcedure *told)
{
    size_t r = mayer->r;
    MayerTrial *trials = arena_array(mayer->arena, MayerTrial, (size_t)1 << r);
    bool *acts = arena_array(mayer->arena, bool, r + 1);
    told->trials = trials;
    for (size_t k = 0; k <= r && !told->found; k++) {
        for (size_t l = 0; l < r; l++)
            acts[l] = l < k;
        do
            add_trial(mayer, acts, trials, told);
        while (!told->found && next_set(acts, r));
    }
}

// Murty's order: finite where Φ is positive definite.
static void try_some(Mayer *mayer, MayerProcedure *told)
{
    MayerTrial *trials = arena_array(mayer->arena, MayerTrial, LIMIT_EVENTS);
    bool *acts = arena_array(mayer->arena, bool, mayer->r + 1);
    const MayerTrial *trial;
    told->trials = trials;
    do {
        trial = add_trial(mayer, acts, trials, told);
        acts[trial->by] = !acts[trial->by];
    } while (!told->found && trial->verdict != MAYER_DEPENDENT && told->count < LIMIT_EVENTS);
}

const MayerProcedure *contact_mayer(Arena *arena, const ContactProblem *problem)
{
    Mayer mayer = {.problem = problem,
                   .n = problem->inertia.count,
                   .m = problem->equations.count,
                   .r = problem->unilateral.count,
                   .arena = arena};
    size_t size = mayer.n + mayer.m, r = mayer.r;
    assert(r > 0 && problem->force);
    mayer.scale = real_alloc(arena, size);
    mayer.moved = real_alloc(arena, (1 + r) * size);
    mayer.phi = real_alloc(arena, r * r);
    real_alloc_each(arena, r, &mayer.sizes, &mayer.phi0);
    MayerProcedure *told = arena_array(arena, MayerProcedure, 1);
    find_phi(&mayer);
    *told = (MayerProcedure){.r = r, .phi = mayer.phi, .phi0 = mayer.phi0};
    (r <= LIMIT_SETS ? try_all : try_some)(&mayer, told);
    told->accelerations = mayer.moved;
    told->size = real_largest(mayer.moved, mayer.n);
    for (size_t h = 0; h < r && told->found; h++) {
        const double lambda = told->trials[told->count - 1].lambda[h];
        const double *unit = mayer.moved + (1 + h) * size;
        told->size = real_max(told->size, fabs(lambda) * real_largest(unit, mayer.n));
        real_add_times(-lambda, unit, mayer.n, mayer.moved);
    }
    return told;
}
