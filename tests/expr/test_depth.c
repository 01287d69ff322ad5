// A million levels: depth costs memory and nothing else. Everything runs on a thread with a small
// stack, so that recursion on depth would end the test.
#include "expr/expr.h"

#include "check.h"

#include <pthread.h>
#include <string.h>

// Builds for debugging are slower, and their stack frames are larger.
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
enum { LEVELS = 100000 };
#else
enum { LEVELS = 1000000 };
#endif
// A wide level costs about ten times as much as a narrow one, so that there are fewer of them.
enum { WIDE_LEVELS = LEVELS / 20, WIDTH = 8, SMALL_STACK = 256 * 1024 };

typedef struct {
    ExprPool *pool;
    Expr x[WIDTH];
    Expr deep;
} Tower;

static Tower tower_new(void)
{
    Tower tower = {.pool = expr_pool_new()};
    static const char *names[WIDTH] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (size_t i = 0; i < WIDTH; i++)
        tower.x[i] = expr_symbol(tower.pool, names[i]);
    tower.deep = tower.x[0];
    return tower;
}

// sin(sin(…(a)))
static Tower tower_of_sines(void)
{
    Tower tower = tower_new();
    for (size_t i = 0; i < LEVELS; i++)
        tower.deep = call(tower.pool, EXPR_SIN, tower.deep);
    return tower;
}

// (…((a + b)·c + b)·c + b…)·c: sums in products in sums, and what it is: a·c^n + b·(c + … + c^n).
static Tower tower_of_brackets(void)
{
    Tower tower = tower_new();
    for (size_t i = 0; i < LEVELS / 2; i++)
        tower.deep = expr_mul(tower.pool, expr_add(tower.pool, tower.deep, tower.x[1]), tower.x[2]);
    return tower;
}

// ((…a) + a + … + h) + a + … + h, too wide at every level to be merged into the next; products
// likewise.
static Tower tower_of(Expr (*build)(ExprPool *, const Expr *, size_t))
{
    Tower tower = tower_new();
    Expr parts[WIDTH + 1];
    memcpy(parts, tower.x, sizeof tower.x);
    tower.deep = build(tower.pool, parts, WIDTH);
    for (size_t i = 0; i < WIDE_LEVELS; i++) {
        parts[WIDTH] = tower.deep;
        tower.deep = build(tower.pool, parts, WIDTH + 1);
    }
    return tower;
}

static size_t printed_length(const ExprPool *pool, Expr e, const char *beginning)
{
    Text text = {0};
    expr_print(pool, e, &text);
    bool begins = strncmp(text.at, beginning, strlen(beginning)) == 0;
    size_t length = begins ? text.length : 0;
    text_clear(&text);
    return length;
}

static size_t node_count(const ExprPool *pool, Expr e)
{
    ExprList nodes = expr_nodes(pool, &e, 1);
    size_t count = nodes.count;
    expr_list_free(&nodes);
    return count;
}

// ---- What is checked, off the main thread: NULL, or what is wrong.

static const char *check_sines(void)
{
    Tower tower = tower_of_sines();
    ExprPool *pool = tower.pool;
    const char *wrong = NULL;
    if (node_count(pool, tower.deep) != LEVELS + 1)
        wrong = "a node for each level";
    // sin( and ) for each level, and the symbol.
    if (printed_length(pool, tower.deep, "sin(sin(sin(") != 5 * (size_t)LEVELS + 1)
        wrong = "what is printed";
    // At 0 all sines are 0, and every cosine is 1, so that the derivative is 1.
    Expr zero = expr_int(pool, 0), derivative = expr_diff(pool, tower.deep, tower.x[0]);
    if (!expr_is_zero(pool, expr_replace(pool, tower.deep, tower.x, &zero, 1)))
        wrong = "the value at 0";
    if (!expr_is_one(pool, expr_replace(pool, derivative, tower.x, &zero, 1)))
        wrong = "the derivative at 0";
    expr_pool_free(pool);
    return wrong;
}

static const char *check_brackets(void)
{
    Tower tower = tower_of_brackets();
    ExprPool *pool = tower.pool;
    const char *wrong = NULL;
    if (node_count(pool, tower.deep) != LEVELS + 3)
        wrong = "a node for each level";
    if (printed_length(pool, tower.deep, "") < 3 * (size_t)LEVELS)
        wrong = "what is printed";
    // At c = 1 it is a + n·b.
    Expr c = tower.x[2], one = expr_int(pool, 1), n = expr_int(pool, LEVELS / 2), slope;
    Expr line = expr_add(pool, tower.x[0], expr_mul(pool, n, tower.x[1]));
    if (!expr_same(expr_replace(pool, tower.deep, &c, &one, 1), line))
        wrong = "the value at c = 1";
    expr_gradient(pool, tower.deep, tower.x + 1, 1, &slope);
    if (!expr_same(expr_replace(pool, slope, &c, &one, 1), n))
        wrong = "the derivative by b at c = 1";
    expr_pool_free(pool);
    return wrong;
}

static const char *check_sums(void)
{
    Tower tower = tower_of(expr_sum);
    ExprPool *pool = tower.pool;
    const char *wrong = NULL;
    if (node_count(pool, tower.deep) < WIDE_LEVELS)
        wrong = "levels that stay apart";
    if (printed_length(pool, tower.deep, "") < 30 * (size_t)WIDE_LEVELS)
        wrong = "what is printed";
    Expr times = expr_int(pool, WIDE_LEVELS + 1), partials[WIDTH], coefficients[WIDTH], rest;
    if (!expr_same(expr_diff(pool, tower.deep, tower.x[3]), times))
        wrong = "the derivative";
    expr_gradient(pool, tower.deep, tower.x, WIDTH, partials);
    bool linear = expr_linear(pool, tower.deep, tower.x, WIDTH, coefficients, &rest);
    for (size_t i = 0; i < WIDTH; i++)
        if (!linear || !expr_same(partials[i], times) || !expr_same(coefficients[i], times))
            wrong = "the gradient or the coefficients";
    Expr ones[WIDTH];
    for (size_t i = 0; i < WIDTH; i++)
        ones[i] = expr_int(pool, 1);
    Expr value = expr_replace(pool, tower.deep, tower.x, ones, WIDTH);
    if (!expr_same(value, expr_int(pool, WIDTH * (WIDE_LEVELS + 1))))
        wrong = "the value at ones";
    expr_pool_free(pool);
    return wrong;
}

static const char *check_products(void)
{
    Tower tower = tower_of(expr_product);
    ExprPool *pool = tower.pool;
    const char *wrong = NULL;
    if (node_count(pool, tower.deep) < WIDE_LEVELS)
        wrong = "levels that stay apart";
    if (printed_length(pool, tower.deep, "") < 15 * (size_t)WIDE_LEVELS)
        wrong = "what is printed";
    Expr derivative = expr_diff(pool, tower.deep, tower.x[2]), ones[WIDTH];
    for (size_t i = 0; i < WIDTH; i++)
        ones[i] = expr_int(pool, 1);
    Expr value = expr_replace(pool, derivative, tower.x, ones, WIDTH);
    if (!expr_same(value, expr_int(pool, WIDE_LEVELS + 1)))
        wrong = "the derivative at ones";
    Expr zero = expr_int(pool, 0);
    if (!expr_is_zero(pool, expr_replace(pool, tower.deep, tower.x + 5, &zero, 1)))
        wrong = "a factor 0";
    expr_pool_free(pool);
    return wrong;
}

// ---- The thread.

typedef const char *(*Check)(void);

typedef struct {
    Check check;
    const char *wrong;
} Job;

static void *run_job(void *context)
{
    Job *job = context;
    job->wrong = job->check();
    flint_cleanup();
    return NULL;
}

static void check_with_small_stack(Check check)
{
    Job job = {check, NULL};
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, SMALL_STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run_job, &job), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    if (job.wrong)
        fail_msg("%s", job.wrong);
}

static void million_sines(void **state)
{
    (void)state;
    check_with_small_stack(check_sines);
}

static void million_brackets(void **state)
{
    (void)state;
    check_with_small_stack(check_brackets);
}

static void deep_wide_sums(void **state)
{
    (void)state;
    check_with_small_stack(check_sums);
}

static void deep_wide_products(void **state)
{
    (void)state;
    check_with_small_stack(check_products);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(million_sines),
        cmocka_unit_test(million_brackets),
        cmocka_unit_test(deep_wide_sums),
        cmocka_unit_test(deep_wide_products),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    flint_cleanup();
    return failed;
}
