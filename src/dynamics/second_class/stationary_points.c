// stationary_points.c: all stationary points of Gauss's function at a state (Hamel 252).
//
// Where the conditions are polynomials in the accelerations the question goes to the algebra room,
// with the numbers of the state, and the answer is certified; else it is searched for. The list is
// in the order of Gauss's function, mirror points the greater acceleration first.
#include "algebra/algebra.h"
#include "dynamics/second_class/second_class.h"
#include "linalg/kkt.h"
#include "motion/motion_types.h"

#include <math.h>
#include <string.h>

// Polynomials of at most this degree in all, and of so many terms.
enum { MOST_DEGREE = 12, MOST_TERMS = 400 };
// A second derivative, against the inertia, that tells nothing.
#define NONE 1e-9
// Two points this near to each other, against their size, are one.
#define SAME 1e-7

static const char *const words[] = {
#define BRANCH(NAME, word, meaning) word,
#include "dynamics/branch_kinds.def"
#undef BRANCH
};
static const char *const meanings[] = {
#define BRANCH(NAME, word, meaning) meaning,
#include "dynamics/branch_kinds.def"
#undef BRANCH
};

const char *run_branch_word(RunBranchKind kind)
{
    return words[kind];
}

const char *run_branch_meaning(RunBranchKind kind)
{
    return meanings[kind];
}

// ---- Polynomials.

// f = Σ (∂^α f at 0)/α!·a^α: derivatives until nothing is left.
typedef struct {
    Motion *motion;
    ARRAY(Expr) terms;
    ARRAY(uint8_t) exponents;
    Expr *zeros;
    bool polynomial;
} Expansion;

static void push_term(Expansion *expansion, Expr derivative, const uint8_t *exponents)
{
    const Motion *motion = expansion->motion;
    ExprPool *pool = motion->pool;
    Expr at_0 = expr_replace(pool, derivative, motion->a, expansion->zeros, motion->n);
    if (expr_is_zero(pool, at_0))
        return;
    double factorials = 1;
    for (size_t i = 0; i < motion->n; i++)
        for (uint8_t k = 2; k <= exponents[i]; k++)
            factorials *= k;
    array_push(&expansion->terms, expr_div(pool, at_0, expr_double(pool, factorials)));
    for (size_t i = 0; i < motion->n; i++)
        array_push(&expansion->exponents, exponents[i]);
}

// All terms whose first exponents are given, from acceleration `from` on. The depth is the number
// of accelerations and the degree.
static void expand(Expansion *expansion, Expr derivative, uint8_t *exponents, size_t from,
                   size_t degree)
{
    Motion *motion = expansion->motion;
    if (degree > MOST_DEGREE || expansion->terms.count > MOST_TERMS)
        expansion->polynomial = false;
    if (!expansion->polynomial)
        return;
    push_term(expansion, derivative, exponents);
    for (size_t i = from; i < motion->n; i++) {
        Expr next = expr_diff(motion->pool, derivative, motion->a[i]);
        if (expr_is_zero(motion->pool, next))
            continue;
        // What vanishes without looking so would go on for ever.
        if (degree >= 2) {
            Verdict zero = algebra_is_zero_modular(motion->algebra, next);
            bool vanishes = zero.answer == ANSWER_YES;
            verdict_clear(&zero);
            if (vanishes)
                continue;
        }
        exponents[i]++;
        expand(expansion, next, exponents, i, degree + 1);
        exponents[i]--;
    }
}

void branches_prepare(const Equations *eq, SecondClassPrograms *programs, Motion *motion)
{
    size_t n = motion->n;
    Expansion expansion = {.motion = motion, .polynomial = true};
    expansion.zeros = base_alloc((n + 1) * sizeof(Expr));
    for (size_t i = 0; i < n; i++)
        expansion.zeros[i] = expr_int(motion->pool, 0);
    uint8_t *exponents = base_alloc(n + 1);
    programs->term_counts = arena_alloc(eq->arena, (programs->curved + 1) * sizeof(size_t));
    for (size_t i = 0; i < programs->curved; i++) {
        size_t before = expansion.terms.count;
        expand(&expansion, motion->seconds[programs->affine + i].f, exponents, 0, 0);
        programs->term_counts[i] = expansion.terms.count - before;
    }
    programs->polynomial =
        expansion.polynomial &&
        evaluator_prepare(&programs->coefficients, motion->pool, eq->symbols,
                          eq->params + 1 + 2 * n, expansion.terms.at, expansion.terms.count, NULL);
    programs->exponents = arena_alloc(eq->arena, expansion.exponents.count + 1);
    if (expansion.exponents.count > 0)
        memcpy(programs->exponents, expansion.exponents.at, expansion.exponents.count);
    array_clear(&expansion.terms);
    array_clear(&expansion.exponents);
    base_free(exponents);
    base_free(expansion.zeros);
}

static Answer ask_exactly(SecondClass *second_class, const KktProblem *problem,
                          const double *inputs, Stationary *stationary)
{
    const SecondClassPrograms *programs = second_class->eq->second_class;
    size_t n = second_class->eq->n, at = 0;
    *stationary = (Stationary){0};
    if (!programs->polynomial)
        return ANSWER_UNKNOWN;
    evaluator_run(&second_class->coefficients, inputs);
    AlgebraPolynomial *conditions = base_alloc((second_class->curved + 1) * sizeof *conditions);
    for (size_t i = 0; i < second_class->curved; i++) {
        conditions[i] = (AlgebraPolynomial){.count = programs->term_counts[i],
                                            .exponents = programs->exponents + at * n,
                                            .coefficients = second_class->coefficients.out + at};
        at += programs->term_counts[i];
    }
    StationaryProblem exact = {.unknowns = n,
                               .inertia = problem->inertia,
                               .force = problem->force,
                               .row_count = problem->row_count,
                               .rows = problem->rows,
                               .drift = problem->drift,
                               .condition_count = second_class->curved,
                               .conditions = conditions};
    Answer answer = algebra_stationary(&exact, stationary);
    base_free(conditions);
    return answer;
}

// ---- What kind of point it is.

// A basis of what the rows leave free, a row each; how many there are.
static size_t free_directions(const SecondClass *second_class, const KktProblem *problem,
                              double *basis)
{
    size_t n = second_class->eq->n, m = problem->row_count, s = second_class->curved, rows = m + s;
    const double *g = second_class->local.out + s;
    size_t shorter = n < rows ? n : rows, rank = 0;
    double *matrix = base_alloc((rows * n + 1) * sizeof *matrix);
    double *singular = base_alloc((n + rows + 1) * sizeof *singular);
    double *rest = base_alloc((shorter + 1) * sizeof *rest), none[1] = {0};
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++)
            matrix[j * rows + i] = i < m ? problem->rows[i * n + j] : g[(i - m) * n + j];
    lapack_int failed = LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', (lapack_int)rows, (lapack_int)n,
                                       matrix, (lapack_int)rows, singular, none, (lapack_int)rows,
                                       basis, (lapack_int)n, rest);
    while (!failed && rank < shorter && singular[rank] > 1e-12 * singular[0])
        rank++;
    // Vᵀ column after column: its last rows, brought to the front.
    size_t left = n - rank;
    double *turned = base_alloc((n * n + 1) * sizeof *turned);
    for (size_t i = 0; i < left; i++)
        for (size_t j = 0; j < n; j++)
            turned[i * n + j] = basis[j * n + rank + i];
    memcpy(basis, turned, left * n * sizeof *basis);
    base_free(turned);
    base_free(matrix);
    base_free(singular);
    base_free(rest);
    return left;
}

// basisᵀ·matrix·basis, for symmetric matrices.
static void project(const double *matrix, const double *basis, size_t n, size_t count, double *out)
{
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count; b++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    sum += basis[a * n + i] * matrix[i * n + j] * basis[b * n + j];
            out[a * count + b] = sum;
        }
}

RunBranchKind branch_kind(SecondClass *second_class, const KktProblem *problem,
                          const double *inputs, const double *x, double *least)
{
    size_t n = second_class->eq->n, s = second_class->curved;
    second_class_evaluate(second_class, problem, inputs, x);
    const double *H = second_class->local.out + s + s * n;
    double *basis = base_alloc((n * n + 1) * sizeof *basis);
    double *curvature = base_alloc((n * n + 1) * sizeof *curvature);
    double *reduced = base_alloc((2 * n * n + n + 1) * sizeof *reduced);
    double *inertia = reduced + n * n, *moments = inertia + n * n;
    size_t count = free_directions(second_class, problem, basis), down = 0, up = 0;
    for (size_t i = 0; i < n * n; i++)
        curvature[i] = problem->inertia[i] - H[i];
    project(curvature, basis, n, count, reduced);
    project(problem->inertia, basis, n, count, inertia);
    *least = 1;
    lapack_int size = (lapack_int)count;
    // In units of the inertia: that is 1 where nothing is curved.
    bool told = count == 0 || LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', size, reduced, size,
                                            inertia, size, moments) == 0;
    for (size_t i = 0; i < count && told; i++) {
        *least = i == 0 ? moments[i] : fmin(*least, moments[i]);
        down += moments[i] < -NONE;
        up += moments[i] > NONE;
    }
    base_free(basis);
    base_free(curvature);
    base_free(reduced);
    if (!told || down + up < count)
        return BRANCH_DEGENERATE;
    return down == 0 ? BRANCH_MINIMUM : up == 0 ? BRANCH_MAXIMUM : BRANCH_SADDLE;
}

// ---- The list.

typedef struct {
    SecondClass *second_class;
    const KktProblem *problem;
    const double *inputs;
    Branches *branches;
    double offset; // what Gauss's function is without the curved conditions
    size_t capacity;
    double *free; // accelerations without them
    bool measured;
} Listing;

// ½(a − a₀)·𝓜(a − a₀)
static double measure_of(const Listing *listing, const double *a)
{
    size_t n = listing->second_class->eq->n;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            sum += (a[i] - listing->free[i]) * listing->problem->inertia[i * n + j] *
                   (a[j] - listing->free[j]);
    return fmax(sum / 2, 0);
}

static const double *in_order_of_conditions(const Listing *listing, const double *x)
{
    const Equations *eq = listing->second_class->eq;
    const Motion *motion = eq->motion;
    double *lambda =
        arena_alloc(listing->branches->arena, (motion->in_force_count + 1) * sizeof *lambda);
    size_t rows = listing->problem->row_count + listing->second_class->curved;
    for (size_t i = 0; i < rows; i++) {
        const ModelConstraint *own = dynamics_row(eq, i)->constraint;
        for (size_t j = 0; j < motion->in_force_count; j++)
            if (motion->in_force[j] == own)
                lambda[j] = x[eq->n + i];
    }
    return lambda;
}

static void add_branch(Listing *listing, RunBranch branch, const double *a)
{
    Branches *branches = listing->branches;
    SecondClass *second_class = listing->second_class;
    size_t n = second_class->eq->n, size = second_class_size(second_class, listing->problem);
    double *x = arena_alloc(branches->arena, (size + 1) * sizeof *x), least;
    memcpy(x, a, n * sizeof *x);
    second_class_multipliers(second_class, listing->problem, listing->inputs, x);
    if (branch.kind == BRANCH_MINIMUM) {
        branch.kind = branch_kind(second_class, listing->problem, listing->inputs, x, &least);
        branch.lambda = in_order_of_conditions(listing, x);
    }
    branch.a = x;
    branches->at = base_realloc(branches->at, (branches->count + 1) * sizeof *branches->at);
    branches->x = base_realloc(branches->x, (branches->count + 1) * sizeof *branches->x);
    branches->at[branches->count] = branch;
    branches->x[branches->count++] = x;
}

static void list_exactly(Listing *listing, const Stationary *stationary)
{
    for (size_t i = 0; i < stationary->count; i++) {
        const StationaryPoint *point = &stationary->at[i];
        RunBranch branch = {.kind = point->kind == STATIONARY_REGULAR    ? BRANCH_MINIMUM
                                    : point->kind == STATIONARY_SINGULAR ? BRANCH_SINGULAR
                                                                         : BRANCH_CONTINUUM,
                            .constraint = listing->offset + point->measure,
                            .error = point->error,
                            .freedom = point->freedom};
        add_branch(listing, branch, point->a);
    }
}

// ---- What a search tells.

static bool is_known(const Listing *listing, const double *a)
{
    size_t n = listing->second_class->eq->n;
    for (size_t i = 0; i < listing->branches->count; i++) {
        double apart = 0, size = 0;
        for (size_t j = 0; j < n; j++) {
            double other = listing->branches->at[i].a[j];
            apart = fmax(apart, fabs(a[j] - other));
            size = fmax(size, fmax(fabs(other), fabs(a[j] - listing->free[j])));
        }
        if (apart <= SAME * size)
            return true;
    }
    return false;
}

static void hear(void *context, bool singular, const double *x)
{
    Listing *listing = context;
    if (is_known(listing, x))
        return;
    RunBranch branch = {.kind = singular ? BRANCH_SINGULAR : BRANCH_MINIMUM,
                        .constraint = listing->offset + measure_of(listing, x),
                        .error = NAN};
    add_branch(listing, branch, x);
}

// By insertion, in the order that the exact answer has.
static void sort(Branches *branches, size_t n)
{
    for (size_t i = 1; i < branches->count; i++)
        for (size_t j = i; j > 0; j--) {
            RunBranch *a = &branches->at[j - 1], *b = &branches->at[j];
            StationaryPoint first = {.a = branches->x[j - 1], .measure = a->constraint};
            StationaryPoint second = {.a = branches->x[j], .measure = b->constraint};
            if (stationary_order(&first, &second, n) <= 0)
                break;
            RunBranch kept = *a;
            double *x = branches->x[j - 1];
            *a = *b;
            *b = kept;
            branches->x[j - 1] = branches->x[j];
            branches->x[j] = x;
        }
}

void branches_find(SecondClass *second_class, const KktProblem *problem, const double *inputs,
                   Branches *branches)
{
    const Equations *eq = second_class->eq;
    const State *state = second_class->state;
    Listing listing = {
        .second_class = second_class, .problem = problem, .inputs = inputs, .branches = branches};
    Stationary stationary;
    *branches = (Branches){.arena = arena_new()};
    double *unused = base_alloc((problem->row_count + 1) * sizeof *unused);
    listing.free = base_alloc((eq->n + 1) * sizeof *listing.free);
    KktReport report = kkt_solve(state->kkt, problem, listing.free, unused);
    if (report.outcome == SOLVE_DONE &&
        !kkt_gauss_measure(state->kkt, problem, listing.free, &listing.offset))
        listing.offset = 0;
    branches->certified = report.outcome == SOLVE_DONE &&
                          ask_exactly(second_class, problem, inputs, &stationary) == ANSWER_YES;
    if (branches->certified) {
        list_exactly(&listing, &stationary);
    } else if (report.outcome == SOLVE_DONE) {
        branch_search(second_class, problem, inputs, hear, &listing);
        sort(branches, eq->n);
    }
    if (report.outcome == SOLVE_DONE)
        stationary_clear(&stationary);
    base_free(listing.free);
    base_free(unused);
}

void branches_clear(Branches *branches)
{
    arena_free(branches->arena);
    base_free(branches->at);
    base_free(branches->x);
    *branches = (Branches){0};
}
