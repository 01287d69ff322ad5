// linear.c: do two linear systems have the same solution in their first unknowns?
//
// Three roads, as for the zero test. At real points both systems are solved in balls: unknowns
// that differ there are a NO, with the point as witness. Small systems are solved exactly, by
// elimination over fractions. Others are solved at random points of prime fields: by Cramer's
// rule an unknown is a quotient of determinants, whose bound is the sum over the rows of the
// greatest bounds in each, and the difference of two such quotients has the product of the
// determinants below it and their bounds added above. One program evaluates both systems, so
// that a root has the same sign in both.
#include "algebra/fraction_impl.h"

#include <flint/nmod_mat.h>
#include <math.h>

enum { MOST_EXACT = 6 }; // unknowns of a system that is solved over fractions

static const char first_singular[] = "the first system is singular";
static const char second_singular[] = "the second system is singular";
static const char not_seen[] = "the solutions differ for free values of their parts, but no real "
                               "point was found that shows it";
static const char no_value[] = "no point was found where both systems have values";
static const char degree_too_large[] = "the degrees are too large for the prime fields";
static const char too_many_roots[] =
    "the systems hold too many square roots that depend on each other";

// Both systems in one row: matrix and right side of the first, then of the second.
typedef struct {
    Algebra *algebra;
    size_t size[2], shared;
    size_t start[2]; // of each system in the entries
    size_t count;
    Expr *entries;
} Pair;

static void pair_init(Pair *pair, Algebra *algebra, const LinearSystem *a, const LinearSystem *b,
                      size_t shared)
{
    const LinearSystem *systems[2] = {a, b};
    *pair = (Pair){.algebra = algebra, .shared = shared};
    pair->count = a->size * (a->size + 1) + b->size * (b->size + 1);
    pair->entries = base_alloc((pair->count + 1) * sizeof *pair->entries);
    size_t at = 0;
    for (int s = 0; s < 2; s++) {
        size_t n = systems[s]->size;
        pair->size[s] = n;
        pair->start[s] = at;
        for (size_t i = 0; i < n * n; i++)
            pair->entries[at++] = systems[s]->matrix[i];
        for (size_t i = 0; i < n; i++)
            pair->entries[at++] = systems[s]->right[i];
    }
}

// ---- At real points.

// Solves one system in balls; false where it is not seen to be regular.
static bool solve_balls(const Pair *pair, int s, arb_srcptr values, slong precision,
                        arb_mat_t solution)
{
    slong n = (slong)pair->size[s];
    arb_srcptr from = values + pair->start[s];
    arb_mat_t matrix, right;
    arb_mat_init(matrix, n, n);
    arb_mat_init(right, n, 1);
    for (slong i = 0; i < n; i++) {
        for (slong j = 0; j < n; j++)
            arb_set(arb_mat_entry(matrix, i, j), from + i * n + j);
        arb_set(arb_mat_entry(right, i, 0), from + n * n + i);
    }
    bool regular = arb_mat_solve(solution, matrix, right, precision);
    arb_mat_clear(matrix);
    arb_mat_clear(right);
    return regular;
}

static bool solutions_differ(void *context, arb_srcptr values, slong precision)
{
    const Pair *pair = context;
    for (size_t i = 0; i < pair->count; i++)
        if (!arb_is_finite(values + i))
            return false;
    arb_mat_t first, second;
    arb_mat_init(first, (slong)pair->size[0], 1);
    arb_mat_init(second, (slong)pair->size[1], 1);
    bool differ = false;
    if (solve_balls(pair, 0, values, precision, first) &&
        solve_balls(pair, 1, values, precision, second))
        for (slong i = 0; i < (slong)pair->shared && !differ; i++)
            differ = !arb_overlaps(arb_mat_entry(first, i, 0), arb_mat_entry(second, i, 0));
    arb_mat_clear(first);
    arb_mat_clear(second);
    return differ;
}

static Verdict show_or(Pair *pair, ProofKind proof, const char *reason)
{
    char *witness;
    if (witness_find(pair->algebra, pair->entries, pair->count, WITNESS_THOROUGH, solutions_differ,
                     pair, &witness))
        return verdict_no(proof, witness);
    return verdict_unknown(reason);
}

// ---- Over fractions.

typedef enum { SOLVED, SINGULAR, TOO_LARGE } Outcome;

static void swap_rows(Fractions *field, Fraction *matrix, Fraction *right, size_t n, size_t a,
                      size_t b)
{
    if (a == b)
        return;
    for (size_t j = 0; j < n; j++)
        fmpz_mpoly_q_swap(matrix + a * n + j, matrix + b * n + j, field->ctx);
    fmpz_mpoly_q_swap(right + a, right + b, field->ctx);
}

// The row, from k on, with the shortest entry in column k that is not zero; n where none is.
static size_t pivot_row(const Fractions *field, const Fraction *matrix, size_t n, size_t k)
{
    size_t best = n;
    slong shortest = 0;
    for (size_t i = k; i < n; i++) {
        const Fraction *at = matrix + i * n + k;
        if (fraction_is_zero(field, at))
            continue;
        slong length =
            fmpz_mpoly_length(&at->num, field->ctx) + fmpz_mpoly_length(&at->den, field->ctx);
        if (best == n || length < shortest) {
            best = i;
            shortest = length;
        }
    }
    return best;
}

// Gauss and Jordan: afterwards `right` is the solution.
static Outcome solve_fractions(Fractions *field, Fraction *matrix, Fraction *right, size_t n)
{
    Fraction *work = fractions_vector(field, 2);
    Outcome outcome = SOLVED;
    for (size_t k = 0; k < n && outcome == SOLVED; k++) {
        size_t pivot = pivot_row(field, matrix, n, k);
        if (pivot == n) {
            outcome = SINGULAR;
            break;
        }
        swap_rows(field, matrix, right, n, k, pivot);
        bool fine = fraction_inv(field, work, matrix + k * n + k);
        for (size_t j = k; j <= n && fine; j++) {
            Fraction *at = j < n ? matrix + k * n + j : right + k;
            fine = fraction_mul(field, at, at, work);
        }
        for (size_t i = 0; i < n && fine; i++) {
            if (i == k || fraction_is_zero(field, matrix + i * n + k))
                continue;
            fmpz_mpoly_q_set(work, matrix + i * n + k, field->ctx);
            for (size_t j = k; j <= n && fine; j++) {
                Fraction *at = j < n ? matrix + i * n + j : right + i;
                const Fraction *from = j < n ? matrix + k * n + j : right + k;
                fine = fraction_mul(field, work + 1, work, from) &&
                       fraction_sub(field, at, at, work + 1);
            }
        }
        if (!fine)
            outcome = TOO_LARGE;
    }
    fractions_vector_free(field, work, 2);
    return outcome;
}

static Outcome compare_exactly(const Pair *pair, Fractions *field, Fraction *values, bool *same,
                               const char **reason)
{
    for (int s = 0; s < 2; s++) {
        size_t n = pair->size[s];
        Fraction *matrix = values + pair->start[s];
        Outcome outcome = solve_fractions(field, matrix, matrix + n * n, n);
        *reason = s == 0 ? first_singular : second_singular;
        if (outcome != SOLVED)
            return outcome;
    }
    const Fraction *first = values + pair->start[0] + pair->size[0] * pair->size[0];
    const Fraction *second = values + pair->start[1] + pair->size[1] * pair->size[1];
    Fraction *difference = fractions_vector(field, 1);
    bool fine = true;
    *same = true;
    for (size_t i = 0; i < pair->shared && fine && *same; i++) {
        fine = fraction_sub(field, difference, first + i, second + i);
        *same = fine && fraction_is_zero(field, difference);
    }
    fractions_vector_free(field, difference, 1);
    return fine ? SOLVED : TOO_LARGE;
}

// False where it is too large to be decided here.
static bool decide_exactly(Pair *pair, const Expr *images, Verdict *verdict)
{
    if (pair->size[0] > MOST_EXACT || pair->size[1] > MOST_EXACT)
        return false;
    Fractions field;
    fractions_init(&field, pair->algebra, images, pair->count);
    Fraction *values = fractions_vector(&field, pair->count);
    bool same = false;
    const char *reason = NULL;
    Outcome outcome = TOO_LARGE;
    if (fractions_evaluate(&field, images, pair->count, values))
        outcome = compare_exactly(pair, &field, values, &same, &reason);
    fractions_vector_free(&field, values, pair->count);
    fractions_clear(&field);
    if (outcome == TOO_LARGE)
        return false;
    if (outcome == SINGULAR)
        *verdict = verdict_unknown(reason);
    else if (same)
        *verdict = verdict_yes(PROOF_EXACT, 0);
    else
        *verdict = show_or(pair, PROOF_EXACT, not_seen);
    return true;
}

// ---- In prime fields.

// Adds the bound of a determinant of one system, right side included, to total.
static void add_determinant(const Pair *pair, int s, const Bounds *bounds, double *total)
{
    size_t n = pair->size[s];
    size_t *entries = base_alloc((n + 1) * sizeof *entries);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            entries[j] = pair->start[s] + i * n + j;
        entries[n] = pair->start[s] + n * n + i;
        bounds_add_row(bounds, entries, n + 1, total);
    }
    base_free(entries);
}

static double log2_error_of(const Pair *pair, Sample *sample, const Bounds *bounds)
{
    double *total = base_alloc(bounds_width(bounds) * sizeof *total);
    add_determinant(pair, 0, bounds, total);
    add_determinant(pair, 1, bounds, total);
    total[BOUND_HEIGHT] += 1;
    double log2_error = bounds_log2_error(bounds, sample, total);
    base_free(total);
    return log2_error;
}

static bool solve_field(const Pair *pair, int s, const Sample *sample, nmod_mat_t solution)
{
    slong n = (slong)pair->size[s];
    const uint64_t *from = sample->outputs + pair->start[s];
    nmod_mat_t matrix, right;
    nmod_mat_init(matrix, n, n, sample->prime);
    nmod_mat_init(right, n, 1, sample->prime);
    for (slong i = 0; i < n; i++) {
        for (slong j = 0; j < n; j++)
            nmod_mat_entry(matrix, i, j) = from[i * n + j];
        nmod_mat_entry(right, i, 0) = from[n * n + i];
    }
    bool regular = nmod_mat_solve(solution, matrix, right);
    nmod_mat_clear(matrix);
    nmod_mat_clear(right);
    return regular;
}

typedef enum { POINT_SAME, POINT_DIFFERS, POINT_FIRST_SINGULAR, POINT_SECOND_SINGULAR } PointKind;

static PointKind compare_at_point(const Pair *pair, const Sample *sample)
{
    nmod_mat_t first, second;
    nmod_mat_init(first, (slong)pair->size[0], 1, sample->prime);
    nmod_mat_init(second, (slong)pair->size[1], 1, sample->prime);
    PointKind kind = POINT_SAME;
    if (!solve_field(pair, 0, sample, first))
        kind = POINT_FIRST_SINGULAR;
    else if (!solve_field(pair, 1, sample, second))
        kind = POINT_SECOND_SINGULAR;
    for (slong i = 0; i < (slong)pair->shared && kind == POINT_SAME; i++)
        if (nmod_mat_entry(first, i, 0) != nmod_mat_entry(second, i, 0))
            kind = POINT_DIFFERS;
    nmod_mat_clear(first);
    nmod_mat_clear(second);
    return kind;
}

static Verdict try_fields(Pair *pair, Sample *sample, const Bounds *bounds)
{
    enum { SINGULAR_POINTS = 8 }; // in a row, before a system is called singular
    size_t for_signs, singular = 0;
    if (!square_roots_sign_trials(sample, &for_signs))
        return show_or(pair, PROOF_MODULAR, too_many_roots);
    double log2_error = log2_error_of(pair, sample, bounds), total;
    size_t trials = bounds_trials(log2_error);
    bool enough = trials > 0;
    total = (double)trials * log2_error;
    if (!enough)
        trials = 1;
    if (for_signs > 0) {
        trials += for_signs;
        total = fmax(total, -102) + 1;
    }
    for (size_t i = 0; i < trials;) {
        if (!sample_draw(sample))
            return show_or(pair, PROOF_MODULAR, no_value);
        PointKind kind = compare_at_point(pair, sample);
        if (kind == POINT_DIFFERS)
            return show_or(pair, PROOF_MODULAR, not_seen);
        if (kind == POINT_SAME) {
            i++;
            singular = 0;
        } else if (++singular == SINGULAR_POINTS) {
            return verdict_unknown(kind == POINT_FIRST_SINGULAR ? first_singular : second_singular);
        }
    }
    return enough ? verdict_yes(PROOF_MODULAR, total)
                  : show_or(pair, PROOF_MODULAR, degree_too_large);
}

static Verdict decide_in_fields(Pair *pair, const Expr *images)
{
    Bounds *bounds = bounds_new(pair->algebra, images, pair->count);
    if (!bounds)
        return show_or(pair, PROOF_MODULAR, degree_too_large);
    Sample sample;
    sample_init(&sample, pair->algebra, images, pair->count);
    Verdict verdict = try_fields(pair, &sample, bounds);
    sample_clear(&sample);
    bounds_free(bounds);
    return verdict;
}

static Verdict decide(Pair *pair, bool exactly)
{
    Verdict verdict;
    char *witness;
    if (witness_find(pair->algebra, pair->entries, pair->count, WITNESS_QUICK, solutions_differ,
                     pair, &witness))
        return verdict_no(PROOF_EXACT, witness);
    Expr *images = base_alloc((pair->count + 1) * sizeof *images);
    atoms_rewrite(pair->algebra, ATOMS_SPLIT, pair->entries, pair->count, images);
    if (!exactly || !decide_exactly(pair, images, &verdict))
        verdict = decide_in_fields(pair, images);
    base_free(images);
    return verdict;
}

Verdict algebra_same_solution(Algebra *algebra, const LinearSystem *a, const LinearSystem *b,
                              size_t shared)
{
    Pair pair;
    pair_init(&pair, algebra, a, b, shared);
    Verdict verdict = decide(&pair, true);
    base_free(pair.entries);
    return verdict;
}

Verdict algebra_same_solution_modular(Algebra *algebra, const LinearSystem *a,
                                      const LinearSystem *b, size_t shared)
{
    Pair pair;
    pair_init(&pair, algebra, a, b, shared);
    Verdict verdict = decide(&pair, false);
    base_free(pair.entries);
    return verdict;
}
