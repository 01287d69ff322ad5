// kkt.c: least constraint under equations, by the null-space method.
//
// Coordinates and rows are first scaled by powers of two (units then matter little and no digit
// is lost). With the pivoted factorization gᵀP = Q(R₁₁ R₁₂; 0 0) everything is said in the axes
// Q: the first `rank` parts of the acceleration follow from the rows, the others from the
// inertia that is left, T₂₂ = (Qᵀ𝓜Q)₂₂, and the multipliers by back substitution.
// Source of the method: Gill, Murray, Wright, Practical Optimization (1981), 5.1.
#include "linalg/kkt.h"
#include "linalg/dense.h"
#include "linalg/dense_factors.h"
#include "linalg/lapack.h"
#include "linalg/tolerances.h"

#include <assert.h>
#include <float.h>
#include <string.h>

// gᵀP = Q(R₁₁ R₁₂; 0 0) of scaled rows.
typedef struct {
    double *axes;  // n × rows: the scaled gᵀ, then its factors
    double *tau;   // min(n, rows): factors of the reflectors
    double *scale; // rows: scaled row = scale · row
    int *pivots;   // rows, from 1
} RowFactors;

typedef enum { ROOT_DIAGONAL, ROOT_LOWER, ROOT_AXES } RootKind;

struct Kkt {
    size_t n, most_n, most_rows;
    size_t rank, row_count; // of the equations moved under last
    Arena *arena;
    double *scale;         // n: coordinate = scale · scaled coordinate
    double *inertia;       // n × n: scaled 𝓜, then Q_dᵀ𝓜Q_g, the block at its end factored
    double *diagonal;      // n: of that block, or its moments; then scratch
    RootKind kind;         // of these factors
    RowFactors rows;       // g
    RowFactors directions; // d, made on first need
    RowFactors *reactions; // whichever of them the reactions lie along
    int *order;            // 2n: pivots of LU
    double *along;         // n: the acceleration in the axes Q_g
    double *force;         // n: the force in the axes Q_d
    double *asked;         // rows: −γ scaled, in the order of the pivots
    double *dependent;     // rows × rows: R₁₁⁻¹R₁₂, and then what least norm needs
    double *normal;        // rows × (rows + 1)
    double *witness;       // max(n, rows)
    double *work;
    size_t work_size;
};

static lapack_int lapack(size_t size)
{
    return (lapack_int)size;
}

// The leading dimension of a matrix with this many rows.
static lapack_int leading(size_t rows)
{
    return lapack(rows > 0 ? rows : 1);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void alloc_factors(Kkt *kkt, RowFactors *factors)
{
    size_t n = kkt->most_n, m = kkt->most_rows;
    factors->axes = real_alloc(kkt->arena, n * m);
    real_alloc_each(kkt->arena, m, &factors->tau, &factors->scale);
    factors->pivots = arena_array(kkt->arena, int, m + 1);
}

// The workspace that LAPACK wishes for.
static void alloc_work(Kkt *kkt)
{
    size_t n = kkt->most_n, factors = qr_workspace(n, kkt->most_rows);
    double x = 0, axes = 0;
    if (n > SIZE_SMALL)
        LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', lapack(n), &x, lapack(n), &x, &axes, -1);
    // Small principal axes take 3n, condition numbers 4n.
    kkt->work_size = larger(factors, (size_t)axes) + 4 * n;
    kkt->work = real_alloc(kkt->arena, kkt->work_size);
}

Kkt *kkt_new(Arena *arena, size_t n, size_t m)
{
    Kkt *kkt = arena_alloc(arena, sizeof *kkt);
    *kkt = (Kkt){.n = n, .most_n = n, .most_rows = m, .arena = arena};
    kkt->inertia = real_alloc(arena, n * n);
    real_alloc_each(arena, n, &kkt->scale, &kkt->diagonal, &kkt->along, &kkt->force);
    kkt->order = arena_array(arena, int, 2 * n + 1);
    alloc_factors(kkt, &kkt->rows);
    kkt->asked = real_alloc(arena, m);
    kkt->dependent = real_alloc(arena, m * m);
    kkt->normal = real_alloc(arena, m * (m + 1));
    kkt->witness = real_alloc(arena, larger(n, m));
    alloc_work(kkt);
    return kkt;
}

void kkt_resize(Kkt *kkt, size_t coordinates)
{
    assert(coordinates <= kkt->most_n);
    kkt->n = coordinates;
}

const double *kkt_witness(const Kkt *kkt)
{
    assert(kkt && kkt->witness);
    return kkt->witness;
}

// ---- Scaling.

// A power of two near 1/x, by the exponent in its digits: the library's functions for that take
// longer than all else that is done to a coordinate.
static double near_inverse(double x)
{
    if (!(x >= DBL_MIN && x <= 1 / DBL_MIN))
        return x > 0 ? ldexp(1, -ilogb(x)) : 1;
    uint64_t digits;
    memcpy(&digits, &x, sizeof digits);
    digits = (2046 - (digits >> 52)) << 52;
    memcpy(&x, &digits, sizeof x);
    return x;
}

// Measures each coordinate so that its inertia is near 1: the scaled inertia and force.
static void scale_inertia(Kkt *kkt, const KktProblem *problem)
{
    size_t n = kkt->n;
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = real_max(most, fabs(problem->inertia[i * n + i]));
    // Beyond this span scaling for inertia would hide that rows are independent.
    for (size_t i = 0; i < n; i++) {
        double own = fabs(problem->inertia[i * n + i]);
        own = own > 0 ? real_max(own, TOL_ZERO * most) : most;
        kkt->scale[i] = near_inverse(sqrt(own));
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            kkt->inertia[i * n + j] = kkt->scale[i] * problem->inertia[i * n + j] * kkt->scale[j];
    for (size_t i = 0; i < n; i++)
        kkt->force[i] = kkt->scale[i] * problem->force[i];
}

// The rows in scaled coordinates, each of a length near 1; a row after the other is gᵀ to LAPACK.
// One that is rounding beside the longest is none.
static void scale_rows(const Kkt *kkt, RowFactors *factors, const double *rows, size_t m)
{
    size_t n = kkt->n;
    double most = 0;
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++)
            factors->axes[i * n + j] = rows[i * n + j] * kkt->scale[j];
        factors->scale[i] = real_largest(factors->axes + i * n, n);
        most = real_max(most, factors->scale[i]);
    }
    for (size_t i = 0; i < m; i++) {
        double length = factors->scale[i];
        bool vanishes = length <= TOL_ZERO * most;
        factors->scale[i] = near_inverse(vanishes ? most : length);
        for (size_t j = 0; j < n; j++)
            factors->axes[i * n + j] *= vanishes ? 0 : factors->scale[i];
    }
}

// ---- Rows.

// The row that stands at a place in the order of the pivots.
static size_t row_at(const Kkt *kkt, const RowFactors *factors, size_t place)
{
    return kkt->n > 0 ? (size_t)factors->pivots[place] - 1 : place;
}

// Factors the rows in scaled coordinates; returns their rank.
static size_t factor_rows(Kkt *kkt, RowFactors *factors, const double *rows, size_t count)
{
    size_t n = kkt->n, m = count, rank = 0;
    scale_rows(kkt, factors, rows, m);
    if (m == 0)
        return 0;
    qr_factor(n, m, factors->axes, n, factors->pivots, factors->tau, kkt->work, kkt->work_size);
    while (rank < n && rank < m && factors->axes[0] != 0 &&
           fabs(factors->axes[rank * n + rank]) > TOL_RANK * fabs(factors->axes[0]))
        rank++;
    return rank;
}

// Solves R₁₁x = x or R₁₁ᵀx = x for several columns of `rank` numbers.
static void back_substitute(const Kkt *kkt, const RowFactors *factors, bool transposed, size_t rank,
                            double *columns, size_t count)
{
    QrFactors qr = {factors->axes, factors->tau, kkt->n, rank};
    if (rank > 0 && count > 0)
        qr_solve_upper(&qr, transposed, columns, count);
}

// What the rows fix, R₁₁ᵀy = −γ, and how each dependent row is combined of the independent ones,
// R₁₁⁻¹R₁₂; `asked` is −γ in the order of the pivots.
static void fix_along(Kkt *kkt, const double *drift, size_t rank, size_t m)
{
    const RowFactors *rows = &kkt->rows;
    for (size_t k = 0; k < m; k++) {
        size_t row = row_at(kkt, rows, k);
        kkt->asked[k] = -rows->scale[row] * drift[row];
    }
    memcpy(kkt->along, kkt->asked, rank * sizeof *kkt->along);
    back_substitute(kkt, rows, true, rank, kkt->along, 1);
    for (size_t k = rank; k < m; k++)
        for (size_t i = 0; i < rank; i++)
            kkt->dependent[(k - rank) * rank + i] = rows->axes[k * kkt->n + i];
    back_substitute(kkt, rows, false, rank, kkt->dependent, m - rank);
}

// Do the dependent rows ask for what they then get? If not, *row is the last of the rows that
// disagree, and the witness their combination.
static bool rows_agree(Kkt *kkt, size_t rank, size_t m, size_t *row)
{
    const RowFactors *rows = &kkt->rows;
    double scale = real_largest(kkt->asked, m) + real_largest(kkt->along, rank) +
                   real_largest(kkt->force, kkt->n);
    double worst = TOL_AGREEMENT * scale + TOL_SUM;
    size_t worst_at = m;
    for (size_t k = rank; k < m; k++) {
        double miss = kkt->asked[k] - real_dot(rows->axes + k * kkt->n, kkt->along, rank);
        if (fabs(miss) > worst) {
            worst = fabs(miss);
            worst_at = k;
        }
    }
    if (worst_at == m)
        return true;

    const double *weights = kkt->dependent + (worst_at - rank) * rank;
    memset(kkt->witness, 0, m * sizeof *kkt->witness);
    *row = row_at(kkt, rows, worst_at);
    double own_scale = rows->scale[*row];
    kkt->witness[*row] = 1;
    for (size_t i = 0; i < rank; i++) {
        size_t other = row_at(kkt, rows, i);
        if (fabs(weights[i]) <= TOL_AGREEMENT)
            continue;
        kkt->witness[other] = -weights[i] * rows->scale[other] / own_scale;
        *row = larger(*row, other);
    }
    return false;
}

// The multipliers of least norm that give the same reactions as `sigma` on the independent rows
// alone, in unscaled rows.
static void spread_multipliers(Kkt *kkt, double *sigma, double *multipliers)
{
    const RowFactors *rows = kkt->reactions;
    size_t rank = kkt->rank, rest = kkt->row_count - rank;
    for (size_t k = 0; k < rest; k++)
        for (size_t i = 0; i < rank; i++)
            kkt->dependent[k * rank + i] *=
                rows->scale[row_at(kkt, rows, i)] / rows->scale[row_at(kkt, rows, rank + k)];
    if (rest > 0)
        least_norm_share(kkt->dependent, rest, rank, sigma, kkt->normal);
    for (size_t i = 0; i < rank; i++)
        multipliers[row_at(kkt, rows, i)] = sigma[i];
    for (size_t k = 0; k < rest; k++)
        multipliers[row_at(kkt, rows, rank + k)] = real_dot(kkt->dependent + k * rank, sigma, rank);
}

// ---- Inertia.

// Multiplies n × columns numbers by Q or Qᵀ from the left, or by Q from the right, in place.
typedef enum { LEFT, LEFT_TRANSPOSED, RIGHT } Turn;
static void turn(Kkt *kkt, const RowFactors *factors, Turn how, double *matrix, size_t columns)
{
    QrFactors qr = {factors->axes, factors->tau, kkt->n, kkt->rank};
    if (kkt->rank > 0)
        qr_times(&qr, how != RIGHT, how == LEFT_TRANSPOSED, kkt->n, columns, matrix, kkt->work,
                 kkt->work_size);
}

// The block at the end of the inertia's diagonal, on the velocities that the rows leave free.
static double *free_block(const Kkt *kkt)
{
    return kkt->inertia + kkt->rank * (kkt->n + 1);
}

// From the axes Q back to the coordinates of the caller.
static void unscale(Kkt *kkt, double *vector, double *out)
{
    turn(kkt, &kkt->rows, LEFT, vector, 1);
    for (size_t i = 0; i < kkt->n; i++)
        out[i] = kkt->scale[i] * vector[i];
}

// The velocity without inertia, from a column of principal axes.
static void keep_null_velocity(Kkt *kkt, size_t column)
{
    size_t n = kkt->n, rank = kkt->rank, at = 0;
    memset(kkt->along, 0, n * sizeof *kkt->along);
    memcpy(kkt->along + rank, free_block(kkt) + column * n, (n - rank) * sizeof *kkt->along);
    unscale(kkt, kkt->along, kkt->witness);
    for (size_t i = 1; i < n; i++)
        if (fabs(kkt->witness[i]) > fabs(kkt->witness[at]))
            at = i;
    double most = kkt->witness[at];
    for (size_t i = 0; i < n; i++)
        kkt->witness[i] /= most;
}

// With block = U·sign·Uᵀ: U⁻¹x, or U⁻ᵀx. U is Cholesky's L; or, by principal axes V and moments,
// V√|moments|, of which V/√|moments| is kept.
static void solve_root(const Kkt *kkt, bool transposed, double *x)
{
    size_t n = kkt->n, size = n - kkt->rank;
    const double *block = free_block(kkt);
    if (kkt->kind == ROOT_LOWER && !transposed)
        cholesky_solve_lower(block, size, n, x);
    else if (kkt->kind == ROOT_LOWER)
        cholesky_solve_upper(block, size, n, x);
    else if (kkt->kind == ROOT_DIAGONAL)
        for (size_t i = 0; i < size; i++)
            x[i] /= block[i * (n + 1)];
    else {
        memcpy(kkt->work, x, size * sizeof *x);
        memset(x, 0, size * sizeof *x);
        for (size_t k = 0; k < size && transposed; k++)
            real_add_times(kkt->work[k], block + k * n, size, x);
        for (size_t k = 0; k < size && !transposed; k++)
            x[k] = real_dot(block + k * n, kkt->work, size);
    }
}

// Cholesky's factors of the block, which take half of it. False, with that half put back, where the
// block is not safely positive.
static bool factor_positive(Kkt *kkt, double most)
{
    size_t n = kkt->n, size = n - kkt->rank;
    double *block = free_block(kkt);
    bool coupled = false, safe = true;
    for (size_t i = 0; i < size; i++) {
        kkt->diagonal[i] = block[i * (n + 1)];
        safe = safe && kkt->diagonal[i] > TOL_RANK * most;
        for (size_t j = 0; j < i && !coupled; j++)
            coupled = block[i * n + j] != 0;
    }
    kkt->kind = coupled ? ROOT_LOWER : ROOT_DIAGONAL;
    for (size_t i = 0; i < size && safe && !coupled; i++)
        block[i * (n + 1)] = sqrt(kkt->diagonal[i]);
    if (!safe || !coupled)
        return safe;
    safe = cholesky_factor(block, size, n, 0);
    for (size_t i = 0; i < size && safe; i++)
        safe = pow(block[i * (n + 1)], 2) * TOL_RANK * most < 1;
    for (size_t i = 0; i < size && !safe; i++)
        for (size_t j = 0; j <= i; j++)
            block[i * n + j] = i == j ? kkt->diagonal[i] : block[j * n + i];
    return safe;
}

// The block's principal axes in its place, each by the root of its moment. False where one has no
// moment: the witness.
static bool find_axes(Kkt *kkt, double most)
{
    size_t n = kkt->n, size = n - kkt->rank, least = 0;
    double *block = free_block(kkt), *moments = kkt->diagonal;
    kkt->kind = ROOT_AXES;
    LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', lapack(size), block, leading(n), moments,
                       kkt->work, lapack(kkt->work_size));
    for (size_t k = 1; k < size; k++)
        least = fabs(moments[k]) < fabs(moments[least]) ? k : least;
    if (fabs(moments[least]) <= TOL_ZERO * most) {
        keep_null_velocity(kkt, least);
        return false;
    }
    for (size_t k = 0; k < size; k++)
        for (size_t i = 0; i < size; i++)
            block[k * n + i] /= sqrt(fabs(moments[k]));
    return true;
}

// Solves block·x = x. False where the block is singular.
static bool solve_free(Kkt *kkt, double most, double *x, bool *positive)
{
    size_t size = kkt->n - kkt->rank;
    bool factored = factor_positive(kkt, most);
    if (!factored && !find_axes(kkt, most))
        return false;
    solve_root(kkt, false, x);
    for (size_t k = 0; k < size && !factored; k++)
        if (kkt->diagonal[k] < 0) {
            *positive = false;
            x[k] = -x[k];
        }
    solve_root(kkt, true, x);
    return true;
}

// The same where active forces keep the rows: Z_dᵀ𝓜Z_g, which is not symmetric, and regular just
// where the forces can do so. *power is how well.
static bool solve_directed(Kkt *kkt, double *x, double *power)
{
    size_t n = kkt->n;
    double *block = free_block(kkt);
    size_t size = n - kkt->rank;
    int *pivots = kkt->order;
    *power = size == 0;
    if (size == 0)
        return true;
    // What is left of the inertia is measured by the whole of it, all of whose parts are about 1.
    double norm = 1;
    for (size_t j = 0; j < size; j++) {
        double sum = 0;
        for (size_t i = 0; i < size; i++)
            sum += fabs(block[j * n + i]);
        norm = real_max(norm, sum);
    }
    if (!lu_factor(size, block, n, pivots))
        return false;
    *power = lu_reciprocal_condition(size, block, n, norm, kkt->work, pivots + n);
    lu_solve(false, size, block, n, pivots, x);
    return *power > TOL_ZERO;
}

// ---- The steps of a solve.

static bool is_finite(const KktProblem *problem, size_t n)
{
    size_t m = problem->row_count;
    return real_all_finite(problem->inertia, n * n) && real_all_finite(problem->force, n) &&
           real_all_finite(problem->rows, m * n) && real_all_finite(problem->drift, m) &&
           (!problem->directions || real_all_finite(problem->directions, m * n));
}

// Whether directions stand off each other, as many as there are rows; their factors.
static bool factor_directions(Kkt *kkt, const KktProblem *problem)
{
    kkt->reactions = &kkt->directions;
    if (!kkt->directions.axes)
        alloc_factors(kkt, &kkt->directions);
    return kkt->rank == problem->row_count &&
           factor_rows(kkt, &kkt->directions, problem->directions, kkt->rank) == kkt->rank;
}

// What the inertia decides: T₂₂z = f₂ − T₂₁y.
static SolveOutcome find_free(Kkt *kkt, bool directed, KktReport *report)
{
    size_t n = kkt->n, rank = kkt->rank;
    double *along = kkt->along, most = real_largest(kkt->inertia, n * n);
    turn(kkt, kkt->reactions, LEFT_TRANSPOSED, kkt->inertia, n);
    turn(kkt, &kkt->rows, RIGHT, kkt->inertia, n);
    turn(kkt, kkt->reactions, LEFT_TRANSPOSED, kkt->force, 1);
    memcpy(along + rank, kkt->force + rank, (n - rank) * sizeof *along);
    for (size_t i = 0; i < rank; i++)
        real_add_times(-along[i], kkt->inertia + i * n + rank, n - rank, along + rank);
    if (directed)
        return solve_directed(kkt, along + rank, &report->power) ? SOLVE_DONE
                                                                 : SOLVE_UNCONTROLLABLE;
    return solve_free(kkt, most, along + rank, &report->positive) ? SOLVE_DONE : SOLVE_SINGULAR;
}

KktReport kkt_move(Kkt *kkt, const KktProblem *problem)
{
    size_t m = kkt->row_count = problem->row_count;
    assert(m <= kkt->most_rows);
    KktReport report = {.outcome = SOLVE_NOT_FINITE, .positive = true};
    if (!is_finite(problem, kkt->n))
        return report;
    // What the rows fix: y = R₁₁⁻ᵀ(−γ).
    scale_inertia(kkt, problem);
    kkt->rank = report.rank = factor_rows(kkt, &kkt->rows, problem->rows, m);
    kkt->reactions = &kkt->rows;
    fix_along(kkt, problem->drift, kkt->rank, m);
    if (!rows_agree(kkt, kkt->rank, m, &report.row))
        report.outcome = SOLVE_CONTRADICTION;
    else if (problem->directions && !factor_directions(kkt, problem))
        report.outcome = SOLVE_UNCONTROLLABLE;
    else
        report.outcome = find_free(kkt, problem->directions, &report);
    return report;
}

void kkt_accelerations(Kkt *kkt, double *accelerations)
{
    memcpy(kkt->diagonal, kkt->along, kkt->n * sizeof *kkt->diagonal);
    unscale(kkt, kkt->diagonal, accelerations);
}

void kkt_normals(Kkt *kkt, const double *rows, size_t count, double *normals, double *sizes)
{
    assert(kkt->reactions == &kkt->rows && (count == 0 || (normals && sizes)));
    size_t n = kkt->n, rank = kkt->rank, size = n - rank;
    double *row = kkt->diagonal, most = 0;
    double motion = real_largest(kkt->along, n) + real_largest(kkt->force, n);
    for (size_t l = 0; l < count; l++) {
        double sum = 0, length = 0;
        for (size_t j = 0; j < n; j++) {
            double part = fabs(rows[l * n + j]) * kkt->scale[j];
            sum += part;
            length = real_max(length, part);
        }
        sizes[l] = sum * motion;
        most = real_max(most, length);
    }
    for (size_t l = 0; l < count; l++) {
        double *normal = normals + l * size;
        for (size_t j = 0; j < n; j++)
            row[j] = rows[l * n + j] * kkt->scale[j];
        double length = real_largest(row, n);
        turn(kkt, &kkt->rows, LEFT_TRANSPOSED, row, 1);
        bool depends = length <= TOL_ZERO * most ||
                       (rank > 0 && real_largest(row + rank, size) <= TOL_RANK * length);
        for (size_t i = 0; i < size; i++)
            normal[i] = depends ? 0 : row[rank + i];
        solve_root(kkt, false, normal);
    }
}

void kkt_depart(Kkt *kkt, double *y, const double *pull)
{
    size_t n = kkt->n;
    solve_root(kkt, true, y);
    real_add_times(1, y, n - kkt->rank, kkt->along + kkt->rank);
    for (size_t i = 0; i < n; i++)
        kkt->diagonal[i] = kkt->scale[i] * pull[i];
    turn(kkt, &kkt->rows, LEFT_TRANSPOSED, kkt->diagonal, 1);
    real_add_times(-1, kkt->diagonal, n, kkt->force);
}

// R₁₁σ = T₁₁y + T₁₂z − f₁.
void kkt_multipliers(Kkt *kkt, double *multipliers)
{
    assert(kkt->reactions && kkt->rank <= kkt->n);
    size_t n = kkt->n, rank = kkt->rank;
    const RowFactors *factors = kkt->reactions;
    double *reaction = kkt->asked;
    for (size_t i = 0; i < rank; i++)
        reaction[i] = -kkt->force[i];
    for (size_t k = 0; k < n; k++)
        real_add_times(kkt->along[k], kkt->inertia + k * n, rank, reaction);
    back_substitute(kkt, factors, false, rank, reaction, 1);
    for (size_t i = 0; i < rank; i++)
        reaction[i] *= factors->scale[row_at(kkt, factors, i)];
    spread_multipliers(kkt, reaction, multipliers);
}

// ---- The whole.

KktReport kkt_solve(Kkt *kkt, const KktProblem *problem, double *accelerations, double *multipliers)
{
    // What ideal reactions could not do either is no fault of the directions.
    KktProblem ideal = *problem;
    ideal.directions = NULL;
    KktReport report = kkt_move(kkt, &ideal);
    bool positive = report.positive;
    if (report.outcome == SOLVE_DONE && problem->directions)
        report = kkt_move(kkt, problem);
    report.positive = positive;
    if (report.outcome == SOLVE_DONE) {
        kkt_multipliers(kkt, multipliers);
        kkt_accelerations(kkt, accelerations);
    }
    return report;
}

bool kkt_gauss_measure(Kkt *kkt, const KktProblem *problem, const double *accelerations,
                       double *measure)
{
    assert(accelerations != kkt->witness);
    size_t n = kkt->n;
    KktProblem free = {.inertia = problem->inertia, .force = problem->force};
    KktReport report = kkt_solve(kkt, &free, kkt->witness, NULL);
    if (report.outcome != SOLVE_DONE || !report.positive)
        return false;
    real_add_times(-1, accelerations, n, kkt->witness);
    *measure = 0;
    for (size_t i = 0; i < n; i++)
        *measure += kkt->witness[i] * real_dot(problem->inertia + i * n, kkt->witness, n) / 2;
    return true;
}
