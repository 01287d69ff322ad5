// finite_relations.c: the finite relations themselves.
//
// A function f(q, t) is constant along every motion where and only where it does not change in
// any direction that can be reached: Z(f) = 0 for all the fields Z of the closure. That is linear
// in f, so that f is sought as a sum of functions with constant coefficients; an integrating
// factor need not be known. Each relation is proved by putting it in.
#include "inquiry/inquiry_impl.h"

#include <string.h>

enum { HIGHEST_DEGREE = 4, MOST_FUNCTIONS = 260 };

typedef ARRAY(Expr) ExprArray;

// The variables that a combination of the conditions can hold at all.
static void used_variables(Motion *motion, ExprArray *variables)
{
    size_t width = motion->n + 1;
    for (size_t nu = 0; nu < width; nu++) {
        bool used = false;
        for (size_t i = 0; i < motion->m && !used; i++)
            used = !expr_is_zero(motion->pool,
                                 nu < motion->n ? motion->rows[i].b[nu] : motion->rows[i].c);
        if (used)
            array_push(variables, nu < motion->n ? motion->q[nu] : motion->model->t);
    }
}

static void gradient_of(Motion *motion, Expr value, Expr *gradient)
{
    expr_gradient(motion->pool, value, motion->q, motion->n, gradient);
    gradient[motion->n] = expr_diff(motion->pool, value, motion->model->t);
}

// Z_i(f_j) for all directions i and functions j.
static Expr *changes_of(Motion *motion, const InquiryKind *kind, const Ansatz *ansatz)
{
    size_t width = motion->n + 1, count = ansatz->count;
    Expr *changes = base_alloc((kind->direction_count * count + 1) * sizeof *changes);
    Expr *gradient = base_alloc(2 * width * sizeof *gradient), *terms = gradient + width;
    for (size_t j = 0; j < count; j++) {
        gradient_of(motion, ansatz->at[j], gradient);
        for (size_t i = 0; i < kind->direction_count; i++) {
            for (size_t nu = 0; nu < width; nu++)
                terms[nu] = expr_mul(motion->pool, gradient[nu], kind->directions[i * width + nu]);
            changes[i * count + j] = expr_sum(motion->pool, terms, width);
        }
    }
    base_free(gradient);
    return changes;
}

// Takes a relation where its gradient is no combination of those of the finite conditions and of
// the relations that were found before.
static void take_if_new(Motion *motion, InquiryKind *kind, Expr value)
{
    size_t width = motion->n + 1, rows = 0;
    size_t most = motion->m + kind->relations.count + 1;
    Expr *matrix = base_alloc(most * width * sizeof *matrix);
    bool *independent = base_alloc(most * sizeof *independent);
    for (size_t i = 0; i < motion->m; i++)
        if (!expr_is_none(motion->rows[i].position))
            gradient_of(motion, motion->rows[i].constraint->residual, matrix + rows++ * width);
    for (size_t i = 0; i < kind->relations.count; i++)
        memcpy(matrix + rows++ * width, kind->relations.at[i].gradient, width * sizeof *matrix);
    InquiryRelation relation = {value, arena_alloc(kind->arena, width * sizeof(Expr))};
    gradient_of(motion, value, relation.gradient);
    memcpy(matrix + rows++ * width, relation.gradient, width * sizeof *matrix);
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, rows, width, NULL, independent, NULL);
    if (rank > 0 && independent[rows - 1] &&
        algebra_shows_independent(motion->algebra, matrix, rows, width))
        array_push(&kind->relations, relation);
    base_free(matrix);
    base_free(independent);
}

static void try_degree(Motion *motion, InquiryKind *kind, AnsatzWish *wish)
{
    Ansatz ansatz;
    AlgebraRelations found;
    size_t constant_count;
    Expr *constants = ansatz_constants(motion, &constant_count);
    ansatz_init(&ansatz, motion, wish);
    Expr *changes = changes_of(motion, kind, &ansatz);
    algebra_relations(motion->algebra, changes, kind->direction_count, ansatz.count, constants,
                      constant_count, &found);
    for (size_t i = 0; i < found.count && kind->relations.count < kind->hidden; i++)
        take_if_new(
            motion, kind,
            ansatz_value(motion, found.coefficients + i * found.columns, ansatz.at, ansatz.count));
    algebra_relations_clear(&found);
    base_free(changes);
    base_free(constants);
    ansatz_clear(&ansatz);
}

void relations_find(Motion *motion, InquiryKind *kind)
{
    ExprArray variables = {0}, exprs = {0};
    used_variables(motion, &variables);
    for (size_t i = 0; i < motion->m; i++)
        for (size_t nu = 0; nu < motion->n; nu++)
            array_push(&exprs, motion->rows[i].b[nu]);
    for (size_t i = 0; i < kind->direction_count * (motion->n + 1); i++)
        array_push(&exprs, kind->directions[i]);
    AnsatzWish wish = {.variables = variables.at,
                       .variable_count = variables.count,
                       .exprs = exprs.at,
                       .expr_count = exprs.count,
                       .most = MOST_FUNCTIONS,
                       .integrals = true};
    for (size_t d = 1; d <= HIGHEST_DEGREE && kind->relations.count < kind->hidden; d++) {
        wish.degree = d;
        try_degree(motion, kind, &wish);
    }
    array_clear(&variables);
    array_clear(&exprs);
}
