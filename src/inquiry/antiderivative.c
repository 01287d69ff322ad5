// antiderivative.c: a function from its partial derivatives.
//
// The unknown is a sum of functions with constant coefficients, and its derivatives are to be
// those given: a linear problem, whose solution proves itself by being put in.
#include "inquiry/inquiry_impl.h"

#include <string.h>

enum { HIGHEST_DEGREE = 4, MOST_FUNCTIONS = 220 };

static Expr try_degree(Motion *motion, const AnsatzWish *wish, const Expr *partials, size_t rows)
{
    ExprPool *pool = motion->pool;
    Ansatz ansatz;
    ansatz_init(&ansatz, motion, wish);
    size_t columns = ansatz.count + 1, constant_count;
    Expr *matrix = base_alloc((rows * columns + 1) * sizeof *matrix), found_value = {0};
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < ansatz.count; j++)
            matrix[i * columns + j] = expr_diff(pool, ansatz.at[j], wish->variables[i]);
        matrix[i * columns + ansatz.count] = expr_neg(pool, partials[i]);
    }
    Expr *constants = ansatz_constants(motion, &constant_count);
    AlgebraRelations found;
    algebra_relations(motion->algebra, matrix, rows, columns, constants, constant_count, &found);
    const Expr *last = found.coefficients + (found.count ? found.count - 1 : 0) * columns;
    if (found.count && expr_is_one(pool, last[ansatz.count])) {
        for (size_t j = 0; j < ansatz.count; j++)
            matrix[j] = expr_mul(pool, last[j], ansatz.at[j]);
        found_value = expr_sum(pool, matrix, ansatz.count);
    }
    algebra_relations_clear(&found);
    base_free(constants);
    base_free(matrix);
    ansatz_clear(&ansatz);
    return found_value;
}

Expr antiderivative(Motion *motion, const Expr *variables, const Expr *partials, size_t count)
{
    // Time may stand in the coefficients.
    Expr *all = base_alloc((count + 1) * sizeof *all), value = {0};
    memcpy(all, variables, count * sizeof *all);
    all[count] = motion->model->t;
    bool timed = false;
    for (size_t i = 0; i < count; i++)
        timed = timed || expr_holds(motion->pool, partials[i], motion->model->t);
    AnsatzWish wish = {.variables = all,
                       .variable_count = count + timed,
                       .exprs = partials,
                       .expr_count = count,
                       .most = MOST_FUNCTIONS,
                       .integrals = true};
    for (size_t d = 1; d <= HIGHEST_DEGREE && expr_is_none(value); d++) {
        wish.degree = d;
        value = try_degree(motion, &wish, partials, count);
    }
    base_free(all);
    return value;
}
