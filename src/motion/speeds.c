// speeds.c: which speeds the state carries, and the velocities in them.
//
// The candidates stand in the order that the language fixes: declared speeds, velocities named
// by `independent`, then the rest, well-conditioned ones at the start first. Those that are
// independent of the conditions and of the candidates before them are taken, by exact generic
// rank, until there are k.
#include "expr/open_functions.h"
#include "linalg/tolerances.h"
#include "motion/motion_impl.h"
#include "program/kept.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct {
    MotionSpeed *at;
    size_t count;
    size_t declared, named; // how many are declared speeds; how many velocities were named
    Expr *units;            // 2n: a 1 between zeros; all rows that are a velocity lie in it
} Candidates;

// The row that is 1 for coordinate nu alone.
static Expr *unit_row(Motion *motion, Candidates *candidates, size_t nu)
{
    size_t n = motion->n;
    if (!candidates->units) {
        candidates->units = arena_alloc(motion->arena, 2 * n * sizeof(Expr));
        for (size_t i = 0; i < 2 * n; i++)
            candidates->units[i] = expr_int(motion->pool, i == n);
    }
    return candidates->units + n - nu;
}

static MotionSpeed velocity_candidate(Motion *motion, Candidates *candidates, size_t nu)
{
    return (MotionSpeed){.name = expr_name(motion->pool, motion->v[nu]),
                         .u = motion->v[nu],
                         .rate = motion->a[nu],
                         .value = motion->v[nu],
                         .index = nu,
                         .y = unit_row(motion, candidates, nu),
                         .y0 = expr_int(motion->pool, 0),
                         .linear = true};
}

static MotionSpeed declared_candidate(Motion *motion, size_t index)
{
    const ModelSpeed *declared = &motion->model->speeds.at[index];
    MotionSpeed speed = {.name = declared->name,
                         .u = declared->u,
                         .rate = declared->rate,
                         .value = declared->value,
                         .declared = true,
                         .index = index};
    speed.y = arena_alloc(motion->arena, motion->n * sizeof(Expr));
    speed.linear = expr_linear(motion->pool, speed.value, motion->v, motion->n, speed.y, &speed.y0);
    if (!speed.linear)
        motion_linearize(motion, speed.value, speed.y, &speed.y0);
    return speed;
}

Expr motion_along(const Motion *motion, const Expr *a, const Expr *b)
{
    Expr *terms = base_alloc((motion->n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < motion->n; nu++)
        terms[nu] = expr_mul(motion->pool, a[nu], b[nu]);
    Expr sum = expr_sum(motion->pool, terms, motion->n);
    base_free(terms);
    return sum;
}

void motion_linearize(const Motion *motion, Expr e, Expr *y, Expr *y0)
{
    if (expr_linear(motion->pool, e, motion->v, motion->n, y, y0))
        return;
    expr_gradient(motion->pool, e, motion->v, motion->n, y);
    *y0 = expr_sub(motion->pool, e, motion_along(motion, y, motion->v));
}

// ---- Which velocities are well-conditioned at the start. Only a preference: whatever comes
// out here, independence itself is decided exactly.

// The start as far as it is given, velocities behind t; unset parameters count as 1, unset
// coordinates and velocities as 0.
static void start_guess(const Motion *motion, double *values)
{
    const Model *model = motion->model;
    size_t params = model->params.count;
    Diag *unheard = diag_new();
    if (model_param_numbers(model, unheard, values) != STATUS_OK)
        for (size_t i = 0; i < params; i++)
            values[i] = 1;
    diag_free(unheard);
    Expr *inputs = base_alloc((params + 1) * sizeof *inputs);
    for (size_t i = 0; i < params; i++)
        inputs[i] = model->params.at[i].symbol;
    for (size_t i = 0; i < model->starts.count; i++) {
        const ModelStart *start = &model->starts.at[i];
        if (start->of == START_SPEED)
            continue;
        size_t at = params + start->target + (start->of == START_VELOCITY ? motion->n + 1 : 0);
        if (!program_number(motion->pool, start->value, &values[at]))
            program_run_once(program_new_kept(motion->pool, inputs, params, &start->value, 1, NULL),
                             values, &values[at]);
    }
    base_free(inputs);
}

static bool find_numbers(const Motion *motion, const Expr *exprs, size_t count, double *numbers)
{
    const Model *model = motion->model;
    size_t n = motion->n, params = model->params.count, total = params + 2 * n + 1;
    Expr *inputs = base_alloc(total * sizeof *inputs);
    double *values = base_alloc(total * sizeof *values);
    for (size_t i = 0; i < params; i++)
        inputs[i] = model->params.at[i].symbol;
    for (size_t i = 0; i < n; i++) {
        inputs[params + i] = motion->q[i];
        inputs[params + n + 1 + i] = motion->v[i];
    }
    inputs[params + n] = model->t;
    start_guess(motion, values);
    Program *program = program_new_kept(motion->pool, inputs, total, exprs, count, NULL);
    bool known = program_run_once(program, values, numbers);
    base_free(inputs);
    base_free(values);
    return known;
}

// ---- What was asked.

typedef struct {
    const Expr *exprs;
    size_t count, outcome_count;
    StartDecide *decide;   // NULL: the numbers themselves were asked for
    const double *numbers; // then
    const size_t *outcome; // else
    bool known;
} StartQuestion;

struct StartQuestions {
    Arena *arena;
    ARRAY(StartQuestion) at;
};

struct StartQuestions *start_questions_new(Arena *arena)
{
    struct StartQuestions *asked = arena_alloc(arena, sizeof *asked);
    asked->arena = arena;
    return asked;
}

void start_questions_clear(struct StartQuestions *asked)
{
    array_clear(&asked->at);
}

static const void *keep(Arena *arena, const void *from, size_t bytes)
{
    void *kept = arena_alloc(arena, bytes + 1);
    if (bytes > 0)
        memcpy(kept, from, bytes);
    return kept;
}

static void note(const Motion *motion, StartQuestion question)
{
    struct StartQuestions *asked = motion->asked;
    assert(asked);
    question.exprs = keep(asked->arena, question.exprs, question.count * sizeof *question.exprs);
    if (question.decide)
        question.outcome =
            keep(asked->arena, question.outcome, question.outcome_count * sizeof *question.outcome);
    else
        question.numbers =
            keep(asked->arena, question.numbers, question.count * sizeof *question.numbers);
    array_push(&asked->at, question);
}

bool motion_numbers_at_start(const Motion *motion, const Expr *exprs, size_t count, double *numbers)
{
    bool known = find_numbers(motion, exprs, count, numbers);
    note(motion,
         (StartQuestion){.exprs = exprs, .count = count, .numbers = numbers, .known = known});
    return known;
}

static bool decide(const Motion *motion, const StartQuestion *question, size_t *outcome)
{
    double *numbers = base_alloc((question->count + 1) * sizeof *numbers);
    bool known = find_numbers(motion, question->exprs, question->count, numbers);
    if (known && question->decide)
        question->decide(motion->n, question->count, numbers, outcome);
    else if (known)
        *outcome = memcmp(numbers, question->numbers, question->count * sizeof *numbers) != 0;
    base_free(numbers);
    return known;
}

bool motion_decide_at_start(const Motion *motion, const Expr *exprs, size_t count, StartDecide *how,
                            size_t *outcome, size_t outcome_count)
{
    StartQuestion question = {.exprs = exprs,
                              .count = count,
                              .decide = how,
                              .outcome = outcome,
                              .outcome_count = outcome_count};
    memset(outcome, 0, outcome_count * sizeof *outcome);
    question.known = decide(motion, &question, outcome);
    note(motion, question);
    return question.known;
}

bool motion_start_stands(const Motion *motion)
{
    bool stands = true;
    for (size_t i = 0; stands && i < motion->asked->at.count; i++) {
        const StartQuestion *question = &motion->asked->at.at[i];
        size_t size = question->outcome_count * sizeof *question->outcome;
        size_t *outcome = base_alloc(size + sizeof *outcome);
        memset(outcome, 0, size + sizeof *outcome);
        stands = decide(motion, question, outcome) == question->known &&
                 (question->decide ? memcmp(outcome, question->outcome, size) == 0 : !*outcome);
        base_free(outcome);
    }
    return stands;
}

// The column to solve this row for: the first whose coefficient is not small among them.
static ptrdiff_t pivot_column(const double *row, size_t n, const size_t *taken)
{
    const double small = 0.25;
    double largest = 0;
    for (size_t nu = 0; nu < n; nu++)
        if (!taken[nu] && fabs(row[nu]) > largest)
            largest = fabs(row[nu]);
    for (size_t nu = 0; nu < n && largest > 0; nu++)
        if (!taken[nu] && fabs(row[nu]) >= small * largest)
            return (ptrdiff_t)nu;
    return -1;
}

// Marks the coordinates whose velocities the given rows are solved for.
static void choose_dependent(size_t n, size_t count, double *matrix, size_t *dependent)
{
    size_t rows = count / n;
    for (size_t i = 0; i < rows; i++) {
        double *row = matrix + i * n;
        ptrdiff_t column = pivot_column(row, n, dependent);
        if (column < 0)
            continue;
        dependent[column] = 1;
        for (size_t j = i + 1; j < rows; j++) {
            double factor = matrix[j * n + (size_t)column] / row[column];
            for (size_t nu = 0; nu < n && factor != 0; nu++)
                matrix[j * n + nu] -= factor * row[nu];
        }
    }
}

// Whether the start tells all velocities that a row holds. Where it does not, the row says nothing
// of how well it can be solved.
static bool is_told(const Motion *motion, const Expr *row, bool linear)
{
    const Model *model = motion->model;
    for (size_t nu = 0; nu < motion->n && !linear; nu++) {
        bool held = false, given = false;
        for (size_t i = 0; i < motion->n; i++)
            held = held || expr_holds(motion->pool, row[i], motion->v[nu]);
        for (size_t i = 0; i < model->starts.count; i++)
            given = given ||
                    (model->starts.at[i].of == START_VELOCITY && model->starts.at[i].target == nu);
        if (held && !given)
            return false;
    }
    return true;
}

// A coefficient that switches, as that of x' in y = max(0, x), may be 0 behind its switch: another
// one is better, where it is not far smaller.
static Expr unless_it_switches(ExprPool *pool, Expr coefficient)
{
    const long far = 1024;
    ExprList nodes = expr_nodes(pool, &coefficient, 1);
    bool switches = false;
    for (size_t i = 0; i < nodes.count && !switches; i++)
        switches = !expr_is_none(expr_switch_argument(pool, (Expr){nodes.at[i]}));
    expr_list_free(&nodes);
    return switches ? expr_div(pool, coefficient, expr_int(pool, far)) : coefficient;
}

// A coefficient that holds an open function may be 0 anywhere: a row is solved by another where it
// has one.
static void avoid_open(ExprPool *pool, size_t n, Expr *row)
{
    bool solid = false;
    for (size_t nu = 0; nu < n; nu++)
        solid = solid ||
                (!expr_is_zero(pool, row[nu]) && expr_is_none(expr_find_open(pool, &row[nu], 1)));
    for (size_t nu = 0; nu < n; nu++)
        if (!expr_is_none(expr_find_open(pool, &row[nu], 1)))
            row[nu] = expr_int(pool, solid ? 0 : 1);
}

static void mark_dependent(Motion *motion, const Candidates *candidates, size_t *dependent)
{
    size_t rows = motion->m + candidates->count, n = motion->n;
    Expr *exprs = base_alloc((rows * n + 1) * sizeof *exprs);
    for (size_t i = 0; i < rows; i++) {
        bool condition = i < motion->m;
        const Expr *row = condition ? motion->rows[i].b : candidates->at[i - motion->m].y;
        bool linear = condition ? motion->rows[i].linear : candidates->at[i - motion->m].linear;
        bool told = is_told(motion, row, linear);
        // The rate of a state is solved for that state.
        size_t rated = condition ? motion->rows[i].constraint->rated : 0;
        for (size_t nu = 0; nu < n; nu++)
            exprs[i * n + nu] = told && (!rated || nu == rated - 1)
                                    ? unless_it_switches(motion->pool, row[nu])
                                    : expr_int(motion->pool, 0);
        avoid_open(motion->pool, n, exprs + i * n);
    }
    motion_decide_at_start(motion, exprs, rows * n, choose_dependent, dependent, n);
    base_free(exprs);
}

// ---- Candidates and the choice among them.

// Velocities come first that are named.
static void make_candidates(Motion *motion, bool declared, const size_t *named, size_t named_count,
                            Candidates *candidates)
{
    const Model *model = motion->model;
    size_t most = model->speeds.count + named_count + motion->n;
    candidates->at = arena_alloc(motion->arena, most * sizeof *candidates->at);
    for (size_t i = 0; motion->pivots && i < motion->k; i++)
        candidates->at[candidates->count++] =
            velocity_candidate(motion, candidates, motion->pivots[2 * motion->m + i]);
    if (motion->pivots)
        return;
    bool *used = base_alloc((motion->n + 1) * sizeof *used);
    for (size_t nu = 0; nu < motion->n; nu++)
        used[nu] = model->coords.at[nu].is_state;
    for (size_t i = 0; i < model->speeds.count && declared; i++)
        candidates->at[candidates->count++] = declared_candidate(motion, i);
    candidates->declared = candidates->count;
    for (size_t i = 0; i < named_count; i++) {
        size_t nu = named[i];
        used[nu] = true;
        candidates->at[candidates->count++] = velocity_candidate(motion, candidates, nu);
    }
    candidates->named = candidates->count - candidates->declared;
    size_t *dependent = base_alloc((motion->n + 1) * sizeof *dependent);
    if (motion->m + candidates->declared > 0)
        mark_dependent(motion, candidates, dependent);
    // First the velocities that nothing was solved for, then the others.
    for (int round = 0; round < 2; round++)
        for (size_t nu = 0; nu < motion->n; nu++)
            if (!used[nu] && dependent[nu] == (round == 1))
                candidates->at[candidates->count++] = velocity_candidate(motion, candidates, nu);
    base_free(dependent);
    base_free(used);
}

static Status check_named(const Motion *motion, const Candidates *candidates,
                          const bool *independent, Diag *diag)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < candidates->named; i++) {
        const MotionSpeed *speed = &candidates->at[candidates->declared + i];
        // With speeds declared, and while one-sided conditions act, `independent` only says what
        // comes first.
        if (!independent[candidates->declared + i] && candidates->declared == 0 && !motion->held)
            status = diag_error(diag, motion->model->independent_place,
                                "%s cannot be independent: the constraints and the velocities "
                                "named before it fix it; the system has %zu degree%s of freedom",
                                speed->name, motion->k, motion->k == 1 ? "" : "s");
    }
    return status;
}

// Which of the conditions and candidates are independent of those before them; their rank.
static ptrdiff_t find_independent(Motion *motion, const Candidates *candidates, bool *independent)
{
    size_t n = motion->n, rows = motion->m + candidates->count;
    // Nothing but velocities, each once.
    if (motion->m == 0 && candidates->declared == 0 && candidates->count == n) {
        memset(independent, true, rows * sizeof *independent);
        return (ptrdiff_t)n;
    }
    Expr *matrix = base_alloc((rows * n + 1) * sizeof *matrix);
    for (size_t i = 0; i < rows; i++)
        for (size_t nu = 0; nu < n; nu++)
            matrix[i * n + nu] =
                i < motion->m ? motion->rows[i].b[nu] : candidates->at[i - motion->m].y[nu];
    size_t given = motion->m + candidates->declared + candidates->named;
    ptrdiff_t rank = (ptrdiff_t)n;
    if (!algebra_choose_basis(motion->algebra, matrix, rows, n, given, independent))
        rank = algebra_rank(motion->algebra, matrix, rows, n, NULL, independent, NULL);
    base_free(matrix);
    return rank;
}

static Status take_independent(Motion *motion, const Candidates *candidates,
                               MotionReduction *reduction, Diag *diag)
{
    size_t n = motion->n, rows = motion->m + candidates->count;
    bool *independent = base_alloc((rows + 1) * sizeof *independent);
    ptrdiff_t rank = find_independent(motion, candidates, independent);
    Status status = STATUS_OK;
    if (rank != (ptrdiff_t)n)
        status = diag_error(diag, place_none(),
                            "the coefficients of the constraints and speeds cannot be evaluated "
                            "exactly, so that independent speeds cannot be chosen");
    else
        status = check_named(motion, candidates, independent + motion->m, diag);
    reduction->speeds = arena_alloc(motion->arena, (motion->k + 1) * sizeof *reduction->speeds);
    size_t taken = 0;
    for (size_t i = 0; i < candidates->count && taken < motion->k; i++)
        if (independent[motion->m + i]) {
            reduction->speeds[taken] = candidates->at[i];
            reduction->speeds[taken++].chosen =
                i >= candidates->declared + candidates->named && motion->m > 0;
        }
    base_free(independent);
    return status;
}

// ---- q' = B·u + C, q'' = B·u' + D.

// Without conditions, and with velocities for speeds, there is nothing to solve.
static bool is_identity(const Motion *motion, const MotionReduction *reduction)
{
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        if (reduction->speeds[alpha].declared || reduction->speeds[alpha].orthonormal)
            return false;
    return motion->m == 0;
}

static void copy_velocities(const Motion *motion, MotionReduction *reduction)
{
    size_t k = motion->k;
    for (size_t nu = 0; nu < motion->n; nu++) {
        reduction->C[nu] = expr_int(motion->pool, 0);
        for (size_t alpha = 0; alpha < k; alpha++)
            reduction->B[nu * k + alpha] =
                expr_int(motion->pool, reduction->speeds[alpha].index == nu);
    }
}

// The same by Gauss's elimination in the order of the pivots, on the graph as it is; the velocities
// that are speeds are there.
static void solve_by_pivots(Motion *motion, const Expr *right, size_t columns, Expr *solution)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n, m = motion->m, width = n + columns;
    const size_t *rows = motion->pivots, *solved = rows + m, *speeds = solved + m;
    Expr *matrix = base_alloc((m * width + 1) * sizeof *matrix);
    for (size_t i = 0; i < m; i++) {
        memcpy(matrix + i * width, motion->rows[rows[i]].b, n * sizeof *matrix);
        memcpy(matrix + i * width + n, right + rows[i] * columns, columns * sizeof *matrix);
    }
    for (size_t p = 0; p < m; p++) {
        Expr *row = matrix + p * width, pivot = row[solved[p]];
        for (size_t j = 0; j < width; j++)
            row[j] = expr_div(pool, row[j], pivot);
        for (size_t i = 0; i < m; i++) {
            Expr *other = matrix + i * width, factor = other[solved[p]];
            for (size_t j = 0; j < width && i != p && !expr_is_zero(pool, factor); j++)
                other[j] = expr_sub(pool, other[j], expr_mul(pool, factor, row[j]));
            if (i != p)
                other[solved[p]] = expr_int(pool, 0);
        }
    }
    Expr *terms = base_alloc((motion->k + 1) * sizeof *terms);
    for (size_t j = 0; j < columns; j++) {
        for (size_t alpha = 0; alpha < motion->k; alpha++)
            solution[speeds[alpha] * columns + j] = right[(m + alpha) * columns + j];
        for (size_t p = 0; p < m; p++) {
            for (size_t alpha = 0; alpha < motion->k; alpha++)
                terms[alpha] = expr_neg(pool, expr_mul(pool, matrix[p * width + speeds[alpha]],
                                                       right[(m + alpha) * columns + j]));
            terms[motion->k] = matrix[p * width + n + j];
            solution[solved[p] * columns + j] = expr_sum(pool, terms, motion->k + 1);
        }
    }
    base_free(terms);
    base_free(matrix);
}

bool motion_solve_speeds(Motion *motion, const MotionReduction *reduction, const Expr *right,
                         size_t columns, Expr *solution)
{
    size_t n = motion->n, m = motion->m;
    if (motion->pivots) {
        solve_by_pivots(motion, right, columns, solution);
        return true;
    }
    Expr *matrix = base_alloc((n * n + 1) * sizeof *matrix);
    for (size_t i = 0; i < n; i++)
        memcpy(matrix + i * n, i < m ? motion->rows[i].b : reduction->speeds[i - m].y,
               n * sizeof *matrix);
    bool solved = algebra_solve(motion->algebra, matrix, right, n, columns, solution);
    base_free(matrix);
    return solved;
}

static Status solve_velocities(Motion *motion, MotionReduction *reduction, Diag *diag)
{
    size_t n = motion->n, k = motion->k, columns = k + 1;
    ExprPool *pool = motion->pool;
    if (is_identity(motion, reduction)) {
        copy_velocities(motion, reduction);
        return STATUS_OK;
    }
    Expr *right = base_alloc((n * columns + 1) * sizeof *right);
    Expr *solution = base_alloc((n * columns + 1) * sizeof *solution);
    for (size_t i = 0; i < n; i++) {
        bool condition = i < motion->m;
        Expr rest = condition ? motion->rows[i].c : reduction->speeds[i - motion->m].y0;
        for (size_t alpha = 0; alpha < k; alpha++)
            right[i * columns + alpha] = expr_int(pool, !condition && i - motion->m == alpha);
        right[i * columns + k] = expr_neg(pool, rest);
    }
    bool solved = motion_solve_speeds(motion, reduction, right, columns, solution);
    for (size_t nu = 0; nu < n && solved; nu++) {
        for (size_t alpha = 0; alpha < k; alpha++)
            reduction->B[nu * k + alpha] = solution[nu * columns + alpha];
        reduction->C[nu] = solution[nu * columns + k];
    }
    base_free(right);
    base_free(solution);
    return solved
               ? STATUS_OK
               : diag_error(diag, place_none(),
                            "the velocities cannot be expressed by the chosen speeds: it cannot be "
                            "decided whether the constraints are independent of each other; leave "
                            "out one that follows from the others");
}

// F, and D: how the velocities change for u' = 0.
void motion_make_drift(Motion *motion, MotionReduction *reduction)
{
    ExprPool *pool = motion->pool;
    size_t k = motion->k;
    Expr *terms = base_alloc((k + 1) * sizeof *terms);
    if (is_identity(motion, reduction)) {
        for (size_t nu = 0; nu < motion->n; nu++) {
            reduction->F[nu] = motion->v[nu];
            reduction->D[nu] = expr_int(pool, 0);
        }
        base_free(terms);
        return;
    }
    ExprRates *along = expr_rates_new(pool);
    expr_rates_set(along, motion->model->t, expr_int(pool, 1));
    for (size_t nu = 0; nu < motion->n; nu++) {
        for (size_t alpha = 0; alpha < k; alpha++)
            terms[alpha] = expr_mul(pool, reduction->B[nu * k + alpha], reduction->speeds[alpha].u);
        terms[k] = reduction->C[nu];
        reduction->F[nu] = expr_sum(pool, terms, k + 1);
        expr_rates_set(along, motion->q[nu], reduction->F[nu]);
    }
    for (size_t nu = 0; nu < motion->n; nu++) {
        for (size_t alpha = 0; alpha < k; alpha++)
            terms[alpha] = expr_mul(pool, expr_rate(along, reduction->B[nu * k + alpha]),
                                    reduction->speeds[alpha].u);
        terms[k] = expr_rate(along, reduction->C[nu]);
        reduction->D[nu] = expr_sum(pool, terms, k + 1);
    }
    expr_rates_free(along);
    base_free(terms);
}

static bool is_linear(const Motion *motion, const MotionReduction *reduction)
{
    bool linear = true;
    for (size_t i = 0; i < motion->m; i++)
        linear = linear && motion->rows[i].linear;
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        linear = linear && reduction->speeds[alpha].linear;
    return linear;
}

static Status solve(Motion *motion, MotionReduction *reduction, Diag *diag)
{
    reduction->F = arena_alloc(motion->arena, motion->n * sizeof(Expr));
    reduction->B = arena_alloc(motion->arena, (motion->n * motion->k + 1) * sizeof(Expr));
    reduction->D = arena_alloc(motion->arena, motion->n * sizeof(Expr));
    reduction->C = arena_alloc(motion->arena, motion->n * sizeof(Expr));
    TRY(solve_velocities(motion, reduction, diag));
    motion_make_drift(motion, reduction);
    return motion_make_displacements(motion, reduction, diag);
}

// A large system runs by sparse factors, or by elimination with its conditions, or its speeds are
// its velocities.
static bool may_wait(const Motion *motion, const MotionReduction *reduction)
{
    return motion->to_run && motion->n >= SIZE_SPARSE && !motion->servos &&
           (motion->m > 0 || is_identity(motion, reduction));
}

static Status reduce(Motion *motion, bool declared, MotionReduction *reduction, Diag *diag)
{
    Candidates candidates = {0};
    make_candidates(motion, declared, motion->model->independent.at,
                    motion->model->independent.count, &candidates);
    TRY(take_independent(motion, &candidates, reduction, diag));
    // Beside a state whose velocities stay in all expressions they do so here, too: what holds on
    // every f = const is not compared with what holds where f = 0. And beside one that is solved
    // they do so where this would be solved by roots, whose signs need not be the same.
    bool open =
        reduction != &motion->state && (!motion->state.closed || !is_linear(motion, reduction));
    reduction->linear = !open && is_linear(motion, reduction);
    if (!reduction->linear) {
        reduction->F = arena_alloc(motion->arena, motion->n * sizeof(Expr));
        reduction->B = arena_alloc(motion->arena, (motion->n * motion->k + 1) * sizeof(Expr));
        reduction->D = arena_alloc(motion->arena, motion->n * sizeof(Expr));
        TRY(motion_reduce_curved(motion, reduction, diag));
        return motion_make_displacements(motion, reduction, diag);
    }
    reduction->closed = true;
    reduction->postponed = may_wait(motion, reduction) && reduction == &motion->state;
    return reduction->postponed ? STATUS_OK : solve(motion, reduction, diag);
}

Status motion_solve(Motion *motion, Diag *diag)
{
    if (!motion->state.postponed)
        return STATUS_OK;
    TRY(solve(motion, &motion->state, diag));
    motion->state.postponed = false;
    return STATUS_OK;
}

// What an event does with velocities does not depend on what was asked for.
static void choose_kept(Motion *motion)
{
    const Model *model = motion->model;
    bool jumps = false;
    motion->kept = motion->state.speeds;
    for (size_t i = 0; i < model->events.count; i++)
        jumps = jumps || model_event_jumps(&model->events.at[i]);
    if (!jumps || !model->independent_asked || motion->pivots)
        return;
    Candidates candidates = {0};
    MotionReduction text = {0};
    Diag *unheard = diag_new();
    make_candidates(motion, true, model->independent_said.at, model->independent_said.count,
                    &candidates);
    if (take_independent(motion, &candidates, &text, unheard) == STATUS_OK)
        motion->kept = text.speeds;
    diag_free(unheard);
}

Status motion_make_speeds(Motion *motion, Diag *diag)
{
    motion->k = motion->n - motion->m;
    TRY(reduce(motion, true, &motion->state, diag));
    motion->curved = !motion->state.linear;
    choose_kept(motion);
    return STATUS_OK;
}

static bool only_velocities(const Motion *motion)
{
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        if (motion->state.speeds[alpha].declared)
            return false;
    return true;
}

MotionReduction *motion_velocities(Motion *motion)
{
    if (only_velocities(motion))
        return &motion->state;
    if (!motion->velocities.speeds) {
        // A choice that fails is not the user's: the form that asked says so.
        Diag *unheard = diag_new();
        Status status = reduce(motion, false, &motion->velocities, unheard);
        diag_free(unheard);
        if (status != STATUS_OK) {
            motion->velocities = (MotionReduction){0};
            return NULL;
        }
    }
    return &motion->velocities;
}
