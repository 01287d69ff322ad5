// Ranks, solutions and the comparison of systems: solutions are put back into their systems,
// ranks are those that the matrices were made with, systems are compared with multiples of
// themselves and with planted errors.
#include "algebra/algebra.h"

#include "rewriting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SEEDS = 25, MOST = 6 };

typedef struct {
    ExprPool *pool;
    Algebra *algebra;
} Desk;

static Desk desk_new(void)
{
    Desk desk = {.pool = expr_pool_new()};
    desk.algebra = algebra_new(desk.pool);
    return desk;
}

static void desk_free(Desk *desk)
{
    algebra_free(desk->algebra);
    expr_pool_free(desk->pool);
}

static Expr random_entry(ExprPool *pool, Random *random)
{
    switch (random_below(random, 5)) {
    case 0: return expr_int(pool, 0);
    case 1: return random_small_number(pool, random);
    default: return random_expr(pool, random, RANDOM_TRIGONOMETRY, 2);
    }
}

static Answer is_zero(Desk *desk, Expr e)
{
    Verdict verdict = algebra_is_zero(desk->algebra, e);
    Answer answer = verdict.answer;
    verdict_clear(&verdict);
    return answer;
}

// Row i of matrix·x − right.
static Expr residual(ExprPool *pool, const Expr *matrix, const Expr *x, Expr right, size_t row,
                     size_t size)
{
    Expr sum = expr_neg(pool, right);
    for (size_t j = 0; j < size; j++)
        sum = expr_add(pool, sum, expr_mul(pool, matrix[row * size + j], x[j]));
    return sum;
}

static void solutions_solve(void **state)
{
    (void)state;
    size_t solved = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Desk desk = desk_new();
        Random random = random_seed(seed);
        size_t n = 1 + random_below(&random, 4);
        Expr matrix[MOST * MOST], right[MOST], x[MOST];
        for (size_t i = 0; i < n * n; i++)
            matrix[i] = random_entry(desk.pool, &random);
        for (size_t i = 0; i < n; i++)
            right[i] = random_expr(desk.pool, &random, RANDOM_TRIGONOMETRY, 2);
        ptrdiff_t rank = algebra_rank(desk.algebra, matrix, n, n, NULL, NULL, NULL);
        bool regular = algebra_solve(desk.algebra, matrix, right, n, 1, x);
        if (regular != (rank == (ptrdiff_t)n))
            fail_msg("rank and solution disagree, seed %llu", (unsigned long long)seed);
        for (size_t i = 0; i < n && regular; i++)
            if (is_zero(&desk, residual(desk.pool, matrix, x, right[i], i, n)) != ANSWER_YES)
                fail_msg("a solution does not solve, seed %llu", (unsigned long long)seed);
        solved += regular;
        desk_free(&desk);
    }
    assert_true(solved > SEEDS / 2);
}

// A system that is no block of four: elimination with functions as pivots.
static void large_systems_are_solved(void **state)
{
    (void)state;
    Desk desk = desk_new();
    ExprPool *pool = desk.pool;
    enum { N = 6 };
    Expr matrix[N * N], right[N], x[N];
    char name[] = "a";
    for (size_t i = 0; i < N; i++) {
        name[0] = (char)('a' + i);
        Expr symbol = expr_symbol(pool, name);
        right[i] = expr_mul(pool, symbol, symbol);
        for (size_t j = 0; j < N; j++)
            matrix[i * N + j] = expr_int(pool, 0);
        matrix[i * N + i] = expr_add(pool, symbol, expr_int(pool, 3));
        matrix[i * N + (i + 1) % N] = rewriting_call(pool, EXPR_COS, symbol);
        matrix[i * N + (i + 2) % N] = symbol;
    }
    assert_true(algebra_solve(desk.algebra, matrix, right, N, 1, x));
    for (size_t i = 0; i < N; i++)
        assert_int_equal(is_zero(&desk, residual(pool, matrix, x, right[i], i, N)), ANSWER_YES);
    desk_free(&desk);
}

static bool holds_division(const ExprPool *pool, Expr e)
{
    ExprList nodes = expr_nodes(pool, &e, 1);
    bool found = false;
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        for (size_t k = 0; expr_op(pool, node) == EXPR_PRODUCT && k < expr_arg_count(pool, node);
             k++)
            found = found || fmpq_sgn(expr_arg_weight(pool, node, k)) < 0;
    }
    expr_list_free(&nodes);
    return found;
}

// A blade moves along itself: −x'·sin θ + y'·cos θ = 0, x'·cos θ + y'·sin θ = v.
static void the_blade_needs_no_division(void **state)
{
    (void)state;
    Desk desk = desk_new();
    ExprPool *pool = desk.pool;
    Expr angle = expr_symbol(pool, "theta"), v = expr_symbol(pool, "v"), x[2];
    Expr s = rewriting_call(pool, EXPR_SIN, angle), c = rewriting_call(pool, EXPR_COS, angle);
    Expr matrix[4] = {expr_neg(pool, s), c, c, s}, right[2] = {expr_int(pool, 0), v};
    assert_true(algebra_solve(desk.algebra, matrix, right, 2, 1, x));
    assert_true(expr_same(x[0], expr_mul(pool, v, c)));
    assert_true(expr_same(x[1], expr_mul(pool, v, s)));
    assert_false(holds_division(pool, x[0]) || holds_division(pool, x[1]));
    desk_free(&desk);
}

// Rows that are combinations of the rows before them, where the maker put them.
static void ranks_are_those_made(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Desk desk = desk_new();
        ExprPool *pool = desk.pool;
        Random random = random_seed(seed + 40);
        enum { ROWS = 5, COLUMNS = 7 };
        Expr matrix[ROWS * COLUMNS];
        bool made[ROWS], independent[ROWS];
        size_t pivots[ROWS], preference[COLUMNS], expected = 0;
        for (size_t j = 0; j < COLUMNS; j++)
            preference[j] = COLUMNS - 1 - j;
        for (size_t i = 0; i < ROWS; i++) {
            made[i] = i == 0 || random_below(&random, 3) > 0;
            expected += made[i];
            Expr angle = random_angle(pool, &random);
            Expr s = rewriting_call(pool, EXPR_SIN, angle),
                 c = rewriting_call(pool, EXPR_COS, angle);
            for (size_t j = 0; j < COLUMNS; j++) {
                // A row of its own has a symbol of its own at its place.
                Expr e = random_expr(pool, &random, RANDOM_TRIGONOMETRY, 2);
                if (made[i] && j == i)
                    e = expr_add(pool, e, expr_symbol_new(pool, "own"));
                if (!made[i]) {
                    e = expr_mul(pool, s, matrix[(i - 1) * COLUMNS + j]);
                    e = expr_add(pool, e, expr_mul(pool, c, matrix[j]));
                }
                matrix[i * COLUMNS + j] = e;
            }
        }
        ptrdiff_t rank =
            algebra_rank(desk.algebra, matrix, ROWS, COLUMNS, preference, independent, pivots);
        if (rank != (ptrdiff_t)expected)
            fail_msg("rank %td instead of %zu, seed %llu", rank, expected,
                     (unsigned long long)seed);
        // The square block of independent rows and their pivots is regular.
        Expr block[ROWS * ROWS];
        size_t rows = 0;
        for (size_t i = 0; i < ROWS; i++) {
            assert_int_equal(independent[i], made[i]);
            if (!independent[i])
                continue;
            for (size_t j = 0; j < expected; j++)
                block[rows * expected + j] = matrix[i * COLUMNS + pivots[j]];
            rows++;
        }
        assert_int_equal(algebra_rank(desk.algebra, block, rows, rows, NULL, NULL, NULL), rank);
        if (is_zero(&desk, matrix[COLUMNS - 1]) == ANSWER_NO)
            assert_int_equal(pivots[0], COLUMNS - 1);
        desk_free(&desk);
    }
}

// Conditions, then every velocity: the chosen rows are those that the rank shows, and none are
// found where a condition depends on those before it.
static void bases_are_chosen(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Desk desk = desk_new();
        ExprPool *pool = desk.pool;
        Random random = random_seed(seed + 80);
        enum { CONDITIONS = 3, COLUMNS = 6, ROWS = CONDITIONS + COLUMNS };
        Expr matrix[ROWS * COLUMNS];
        bool shown[ROWS], chosen[ROWS], twin = random_below(&random, 3) == 0;
        Expr factor = expr_add(pool, expr_int(pool, 2), random_angle(pool, &random));
        for (size_t i = 0; i < ROWS * COLUMNS; i++) {
            size_t row = i / COLUMNS, column = i % COLUMNS;
            Expr e = expr_int(pool, row >= CONDITIONS && row - CONDITIONS == column);
            if (row < CONDITIONS && random_below(&random, 2))
                e = random_expr(pool, &random, RANDOM_TRIGONOMETRY, 2);
            if (row < CONDITIONS && column == row)
                e = expr_symbol_new(pool, "own");
            if (row == CONDITIONS - 1 && twin)
                e = expr_mul(pool, factor, matrix[column]);
            matrix[i] = e;
        }
        assert_int_equal(algebra_rank(desk.algebra, matrix, ROWS, COLUMNS, NULL, shown, NULL),
                         COLUMNS);
        bool found = algebra_choose_basis(desk.algebra, matrix, ROWS, COLUMNS, CONDITIONS, chosen);
        assert_int_equal(found, !twin);
        for (size_t i = 0; i < ROWS && found; i++)
            assert_int_equal(chosen[i], shown[i]);
        // Without the velocities there are too few rows.
        assert_false(algebra_choose_basis(desk.algebra, matrix, CONDITIONS, COLUMNS, 0, chosen));
        desk_free(&desk);
    }
}

typedef Verdict (*SameRoad)(Algebra *, const LinearSystem *, const LinearSystem *, size_t);

// B = P·A and q = P·b for a regular P has the solution of A·x = b.
static void multiples_have_the_same_solution(void **state)
{
    (void)state;
    static const SameRoad roads[] = {algebra_same_solution, algebra_same_solution_modular};
    size_t compared = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Desk desk = desk_new();
        ExprPool *pool = desk.pool;
        Random random = random_seed(seed + 80);
        enum { N = 3 };
        Expr a[N * N], b[N], other[N * N], right[N], own = expr_symbol(pool, "own");
        for (size_t i = 0; i < N * N; i++)
            a[i] =
                expr_add(pool, random_entry(pool, &random), i % (N + 1) ? expr_int(pool, 0) : own);
        for (size_t i = 0; i < N; i++)
            b[i] = random_expr(pool, &random, RANDOM_TRIGONOMETRY | RANDOM_DIVISION, 2);
        // P: a rotation in the first two rows, and the third added to the first.
        Expr angle = random_angle(pool, &random);
        Expr s = rewriting_call(pool, EXPR_SIN, angle), c = rewriting_call(pool, EXPR_COS, angle);
        Expr zero = expr_int(pool, 0), one = expr_int(pool, 1);
        Expr p[N * N] = {c, s, one, expr_neg(pool, s), c, zero, zero, zero, own};
        for (size_t i = 0; i < N; i++) {
            right[i] = residual(pool, p, b, zero, i, N);
            for (size_t j = 0; j < N; j++) {
                Expr column[N] = {a[j], a[N + j], a[2 * N + j]};
                other[i * N + j] = residual(pool, p, column, zero, i, N);
            }
        }
        LinearSystem first = {N, a, b}, second = {N, other, right};
        if (algebra_rank(desk.algebra, a, N, N, NULL, NULL, NULL) != N) {
            desk_free(&desk);
            continue;
        }
        compared++;
        for (size_t r = 0; r < 2; r++) {
            Verdict verdict = roads[r](desk.algebra, &first, &second, N);
            if (verdict.answer != ANSWER_YES)
                fail_msg("same solutions not seen, road %zu, seed %llu: %s", r,
                         (unsigned long long)seed,
                         verdict.reason ? verdict.reason : verdict.witness);
            verdict_clear(&verdict);
        }
        // A planted sign error in one right side.
        right[0] = expr_sub(pool, right[0], expr_mul(pool, expr_int(pool, 2), own));
        for (size_t r = 0; r < 2; r++) {
            Verdict verdict = roads[r](desk.algebra, &first, &second, N);
            if (verdict.answer != ANSWER_NO || !verdict.witness)
                fail_msg("planted error not seen, road %zu, seed %llu", r,
                         (unsigned long long)seed);
            verdict_clear(&verdict);
        }
        desk_free(&desk);
    }
    assert_true(compared > SEEDS / 2);
}

static void singular_systems_are_named(void **state)
{
    (void)state;
    static const SameRoad roads[] = {algebra_same_solution, algebra_same_solution_modular};
    Desk desk = desk_new();
    ExprPool *pool = desk.pool;
    Expr x = expr_symbol(pool, "x"), one = expr_int(pool, 1);
    Expr s = rewriting_call(pool, EXPR_SIN, x), c = rewriting_call(pool, EXPR_COS, x);
    // s²·1 − (1 − c²)·1 = 0, not to the eye.
    Expr singular[4] = {expr_mul(pool, s, s), expr_sub(pool, one, expr_mul(pool, c, c)), one, one};
    Expr regular[4] = {s, c, expr_neg(pool, c), s}, right[2] = {x, one};
    LinearSystem bad = {2, singular, right}, good = {2, regular, right};
    Expr unknowns[2];
    assert_false(algebra_solve(desk.algebra, singular, right, 2, 1, unknowns));
    for (size_t r = 0; r < 2; r++) {
        Verdict verdict = roads[r](desk.algebra, &bad, &good, 2);
        assert_int_equal(verdict.answer, ANSWER_UNKNOWN);
        assert_string_equal(verdict.reason, "the first system is singular");
        verdict = roads[r](desk.algebra, &good, &bad, 2);
        assert_int_equal(verdict.answer, ANSWER_UNKNOWN);
        assert_string_equal(verdict.reason, "the second system is singular");
    }
    desk_free(&desk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_solve),
        cmocka_unit_test(large_systems_are_solved),
        cmocka_unit_test(the_blade_needs_no_division),
        cmocka_unit_test(ranks_are_those_made),
        cmocka_unit_test(bases_are_chosen),
        cmocka_unit_test(multiples_have_the_same_solution),
        cmocka_unit_test(singular_systems_are_named),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
