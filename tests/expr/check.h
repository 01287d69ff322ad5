// check.h: cmocka with what its header needs, checks that name the failing seed, and short hands.
#ifndef ZWANG_TESTS_CHECK_H
#define ZWANG_TESTS_CHECK_H

#include "base/base.h"
#include "expr/expr.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// A property that must hold for the case made from this seed.
#define CHECK(seed, truth)                                                                         \
    do {                                                                                           \
        if (!(truth))                                                                              \
            fail_msg("seed %" PRIu64 ": %s", (uint64_t)(seed), #truth);                            \
    } while (0)

#define assert_same(a, b) assert_int_equal((a).at, (b).at)

static inline Expr call(ExprPool *pool, ExprOp op, Expr a)
{
    return expr_call(pool, op, a, (Expr){0});
}

// Builds the node again from its own children.
static inline Expr rebuilt(ExprPool *pool, Expr e)
{
    size_t count = expr_arg_count(pool, e);
    Expr *args = base_alloc(count * sizeof *args);
    for (size_t i = 0; i < count; i++)
        args[i] = expr_arg(pool, e, i);
    Expr again = expr_rebuild(pool, e, args);
    base_free(args);
    return again;
}

// Puts the expressions into a random order.
static inline void shuffle(Random *random, Expr *list, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)random_below(random, i);
        Expr last = list[i - 1];
        list[i - 1] = list[j];
        list[j] = last;
    }
}

#endif
