// text_domains.c: where the text has no value and simplified equations do not tell.
//
// sqrt(x)^2 is x as soon as it is read, and the square of the velocity of sqrt(0.9 - t)^3 has no
// root. What still holds a root, or the function itself, has no value where that has none, and a
// run finds it. All else is hidden, and must be watched.
#include "dynamics/text_domains.h"
#include "base/text_builder.h"
#include "expr/expr.h"
#include "model/domains.h"
#include "model/system.h"
#include "motion/motion_types.h"

#include <string.h>

// By nodes of the pool: which are there, and which stand under a root, so that nothing has a value
// where these have none.
typedef struct {
    bool *there, *rooted;
} Shown;

static Shown shown_by(const ExprPool *pool, const Expr *roots, size_t count)
{
    size_t size = expr_pool_size(pool);
    Shown shown = {.there = base_alloc(2 * size * sizeof(bool))};
    memset(shown.there, 0, 2 * size * sizeof(bool));
    shown.rooted = shown.there + size;
    ExprList nodes = expr_nodes(pool, roots, count);
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        shown.there[node.at] = true;
        for (size_t k = 0; expr_op(pool, node) == EXPR_PRODUCT && k < expr_arg_count(pool, node);
             k++)
            if (expr_arg_is_rooted(pool, node, k))
                shown.rooted[expr_arg(pool, node, k).at] = true;
    }
    expr_list_free(&nodes);
    return shown;
}

static bool is_shown(const ExprPool *pool, const Shown *shown, const ModelDomain *domain)
{
    Expr whole = domain->whole;
    // The slopes of an angle hold the root of its inside.
    if (shown->rooted[domain->inside.at])
        return true;
    if (expr_op(pool, whole) != EXPR_PRODUCT)
        return expr_arg_count(pool, whole) == 1 && shown->there[whole.at];
    bool any = false;
    for (size_t k = 0; k < expr_arg_count(pool, whole); k++) {
        if (expr_arg_is_rooted(pool, whole, k) && !shown->rooted[expr_arg(pool, whole, k).at])
            return false;
        any = any || expr_arg_is_rooted(pool, whole, k);
    }
    return any;
}

// What a motion is made of, and the potential, which is watched in every row. Not the kinetic
// energy, which may hold what no force has.
static size_t add_roots(const Motion *motion, Expr *roots)
{
    size_t count = 0;
    if (!expr_is_none(motion->U))
        roots[count++] = motion->U;
    for (size_t i = 0; i < motion->n; i++) {
        roots[count++] = motion->whole_K ? motion->whole_K[i] : motion->K[i];
        roots[count++] = motion->p[i];
        roots[count++] = motion->dT_dq[i];
    }
    for (size_t i = 0; i < motion->m; i++)
        roots[count++] = motion->rows[i].velocity;
    for (size_t i = 0; i < motion->side_count; i++)
        roots[count++] = motion->sides[i].position;
    return count;
}

size_t domains_hidden(Arena *arena, const Motion *motion, const ModelDomain **hidden)
{
    const Model *model = motion->model;
    if (model->domains.count == 0)
        return 0;
    size_t count = 0;
    Expr *roots = arena_array(arena, Expr, 3 * motion->n + motion->m + motion->side_count + 2);
    Shown shown = shown_by(motion->pool, roots, add_roots(motion, roots));
    for (size_t i = 0; i < model->domains.count; i++) {
        const ModelDomain *domain = &model->domains.at[i];
        bool known = !domain->used || is_shown(motion->pool, &shown, domain);
        for (size_t k = 0; k < count && !known; k++)
            known = expr_same(hidden[k]->inside, domain->inside);
        if (!known)
            hidden[count++] = domain;
    }
    base_free(shown.there);
    return count;
}

Expr domains_guard(const Motion *motion, Expr e, uint64_t domains)
{
    const Model *model = motion->model;
    ExprPool *pool = motion->pool;
    if (domains == 0)
        return e;
    Shown shown = shown_by(pool, &e, 1);
    Expr guarded = e;
    for (size_t i = 0; i < model->domains.count; i++) {
        const ModelDomain *domain = &model->domains.at[i];
        if (!(domains & domain_bit(i)) || is_shown(pool, &shown, domain))
            continue;
        // |r| − r is 0 where r has a value.
        Expr root = expr_sqrt(pool, domain->inside);
        Expr zero = expr_sub(pool, expr_call(pool, EXPR_ABS, root, (Expr){0}), root);
        guarded = expr_add(pool, guarded, zero);
    }
    base_free(shown.there);
    return guarded;
}

void domain_tell(const Motion *motion, const ModelDomain *domain, Text *text)
{
    bool arc = !expr_same(domain->inside, domain->argument);
    expr_print(motion->pool, domain->argument, text);
    text_addf(text, " is %s, where %s has no value, though it is simplified away",
              arc ? "not between -1 and 1" : "negative", domain->function);
}
