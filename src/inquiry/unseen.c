// unseen.c: which parameters no motion tells apart.
//
// A direction c in the space of the parameters, which may depend on them, cannot be seen where
// Σ c_j·∂f/∂p_j = 0 for all states, with f the rates of coordinates and speeds, the start, the
// conditions, and what is observed: along it the parameters change and no motion does. What is
// constant along c is what motions do tell: h with Σ c_j·∂h/∂p_j = 0. (That there is no such
// direction does not say that all parameters can be found: others may be compensated by states that
// nobody observes.)
#include "inquiry/inquiry_impl.h"

#include "model/model.h"

#include <string.h>

enum { MOST_SPEEDS = 8 };

typedef struct {
    Motion *motion;
    ExprPool *pool;
    const Expr *parameters;
    size_t count;
    ExprSubst *values; // of parameters that others give
    ARRAY(Expr) rows;  // by the parameters, count each
} Search;

// ---- What motions depend on.

// Whether all that happens is told by equations between rates: no impacts, events and switches.
static bool is_smooth(const Motion *motion)
{
    const Model *model = motion->model;
    return motion->side_count == 0 && motion->friction_count == 0 && motion->servos == 0 &&
           motion->second_count == 0 && !motion->curved && !motion->bends &&
           model->frictions.count == 0 && model->servos.count == 0 && model->impulses.count == 0 &&
           model->events.count == 0 && model->whiles.count == 0 && model->noises.count == 0 &&
           model->rated_count == 0 && model->state_count == 0 && model->pairs.count == 0 &&
           motion->k <= MOST_SPEEDS;
}

static bool is_varied(const Search *search, Expr symbol)
{
    for (size_t j = 0; j < search->count; j++)
        if (search->parameters[j].at == symbol.at)
            return true;
    return false;
}

// Parameters that are given by others, put in (the later ones may hold earlier ones), and those
// that are held at 0: what they would do is not there.
static ExprSubst *given_values(const Search *search)
{
    const Model *model = search->motion->model;
    ExprSubst *whole = expr_subst_new(search->pool);
    Expr *symbols = base_alloc((model->params.count + 1) * sizeof *symbols);
    Expr *values = base_alloc((model->params.count + 1) * sizeof *values);
    size_t count = 0;
    for (size_t i = 0; i < model->params.count; i++) {
        const ModelParam *own = &model->params.at[i];
        if (expr_is_none(own->value))
            continue;
        Expr value = expr_replace(search->pool, own->value, symbols, values, count);
        bool nothing = expr_is_zero(search->pool, value) && !is_varied(search, own->symbol);
        if (!nothing && !expr_holds_any(search->pool, value, search->parameters, search->count))
            continue;
        symbols[count] = own->symbol;
        values[count++] = value;
        expr_subst_set(whole, own->symbol, value);
    }
    base_free(symbols);
    base_free(values);
    return whole;
}

static void add_row(Search *search, Expr e)
{
    e = expr_subst(search->values, e);
    if (!expr_holds_any(search->pool, e, search->parameters, search->count))
        return;
    array_reserve(&search->rows, search->rows.count + search->count);
    expr_gradient(search->pool, e, search->parameters, search->count,
                  search->rows.at + search->rows.count);
    search->rows.count += search->count;
}

// u' as functions of q, u, t.
static bool add_rates(Search *search)
{
    Motion *motion = search->motion;
    Form *form = form_derive(FORM_APPELL, motion);
    InquiryNormal normal = {0};
    bool good = !form->reason && inquiry_normal(motion, form, &normal);
    if (good) {
        Expr *rates = base_alloc((normal.size + 1) * sizeof *rates);
        good = algebra_solve(motion->algebra, normal.matrix, normal.right, normal.size, 1, rates);
        for (size_t i = 0; i < motion->k && good; i++)
            add_row(search, rates[i]);
        base_free(rates);
    }
    inquiry_normal_clear(&normal);
    form_free(form);
    return good;
}

static bool add_all(Search *search, const Expr *seen, size_t seen_count)
{
    Motion *motion = search->motion;
    const Model *model = motion->model;
    for (size_t i = 0; i < motion->n; i++)
        add_row(search, motion_in_speeds(motion, motion->v[i]));
    for (size_t i = 0; i < model->starts.count; i++)
        add_row(search, model->starts.at[i].value);
    for (size_t i = 0; i < motion->m; i++) {
        const MotionRow *row = &motion->rows[i];
        add_row(search, expr_is_none(row->position) ? row->velocity : row->position);
    }
    for (size_t i = 0; i < seen_count; i++) {
        if (expr_holds_any(search->pool, seen[i], motion->a, motion->n))
            return false;
        for (size_t j = 0; j < motion->m; j++)
            if (expr_holds(search->pool, seen[i], motion->rows[j].constraint->lambda))
                return false;
        add_row(search, motion_in_speeds(motion, seen[i]));
    }
    return add_rates(search);
}

// ---- What alone matters.

typedef struct {
    Motion *motion;
    ExprPool *pool;
    Expr a, b; // two parameters
} Pair;

static Expr simple(const Pair *pair, Expr e)
{
    Expr form;
    algebra_canonical(pair->motion->algebra, e, &form);
    return form;
}

static bool is_free(const Pair *pair, Expr e)
{
    Algebra *algebra = pair->motion->algebra;
    return algebra_vanishes(algebra, expr_diff(pair->pool, e, pair->a)) &&
           algebra_vanishes(algebra, expr_diff(pair->pool, e, pair->b));
}

// f = (x + s)·g with s free of both, and g free of x: that s; none where it is not so.
static Expr shift_of(const Pair *pair, Expr f, Expr x)
{
    Expr slope = expr_diff(pair->pool, f, x);
    if (algebra_vanishes(pair->motion->algebra, slope))
        return (Expr){0};
    Expr shift = simple(pair, expr_sub(pair->pool, expr_div(pair->pool, f, slope), x));
    return is_free(pair, shift) ? shift : (Expr){0};
}

// x·f with f = s·xⁿ: ∫f dx; none where f is something else.
static Expr integral(const Pair *pair, Expr f, Expr x)
{
    ExprPool *pool = pair->pool;
    Expr power = simple(pair, expr_div(pool, expr_mul(pool, x, expr_diff(pool, f, x)), f));
    Expr next = expr_add(pool, power, expr_int(pool, 1));
    if (!expr_is_number(pool, power) || expr_is_zero(pool, next))
        return (Expr){0};
    return simple(pair, expr_div(pool, expr_mul(pool, x, f), next));
}

static bool has_divisor(const Pair *pair, Expr e)
{
    Text text = {0};
    expr_print(pair->pool, e, &text);
    bool found = text.at && strchr(text.at, '/');
    text_clear(&text);
    return found;
}

// h(a, b) with ∂h/∂b = f·∂h/∂a; none where it is none of those that have short names.
static Expr alone_of_pair(const Pair *pair, Expr f)
{
    ExprPool *pool = pair->pool;
    Algebra *algebra = pair->motion->algebra;
    f = simple(pair, f);
    Expr one = expr_int(pool, 1), other = simple(pair, expr_div(pool, one, f));
    bool has_a = !algebra_vanishes(algebra, expr_diff(pool, f, pair->a));
    bool has_b = !algebra_vanishes(algebra, expr_diff(pool, f, pair->b));
    if (!has_a && !has_b) // a + f·b, or b + a/f
        return has_divisor(pair, f) ? expr_add(pool, pair->b, expr_mul(pool, other, pair->a))
                                    : expr_add(pool, pair->a, expr_mul(pool, f, pair->b));
    if (!has_a || !has_b) {
        Expr part = has_b ? integral(pair, f, pair->b) : integral(pair, other, pair->a);
        return expr_is_none(part) ? part : expr_add(pool, has_b ? pair->a : pair->b, part);
    }
    Expr alpha = shift_of(pair, f, pair->a), beta = shift_of(pair, other, pair->b);
    if (expr_is_none(alpha) || expr_is_none(beta))
        return (Expr){0};
    Expr first = expr_add(pool, pair->a, alpha), second = expr_add(pool, pair->b, beta);
    Expr power = simple(pair, expr_div(pool, expr_mul(pool, f, second), first));
    if (!expr_is_number(pool, power))
        return (Expr){0};
    return expr_mul(pool, first, expr_pow(pool, second, power));
}

// Whether h does not change in the direction c.
static bool is_constant(const Search *search, const Expr *c, Expr h)
{
    ExprPool *pool = search->pool;
    Expr rate = expr_int(pool, 0);
    for (size_t j = 0; j < search->count; j++)
        rate =
            expr_add(pool, rate, expr_mul(pool, c[j], expr_diff(pool, h, search->parameters[j])));
    return algebra_vanishes(search->motion->algebra, rate);
}

// Of each other parameter that c changes, and the last one, a function that it does not change.
static void find_alone(const Search *search, const Expr *c, size_t pivot, InquiryAlone *alone)
{
    for (size_t j = 0; j < pivot; j++) {
        if (expr_is_zero(search->pool, c[j]))
            continue;
        Pair pair = {search->motion, search->pool, search->parameters[j],
                     search->parameters[pivot]};
        Expr found = alone_of_pair(&pair, expr_neg(search->pool, c[j]));
        if (expr_is_none(found) || !is_constant(search, c, found)) {
            alone->count = 0;
            return;
        }
        array_push(alone, found);
    }
}

// ---- All of it.

static void take(const Search *search, const AlgebraRelations *found, InquiryUnseen *unseen)
{
    unseen->at = base_alloc((found->count + 1) * sizeof *unseen->at);
    unseen->count = found->count;
    for (size_t i = 0; i < found->count; i++) {
        InquiryDirection *own = &unseen->at[i];
        const Expr *c = found->coefficients + i * search->count;
        own->moves = base_alloc((search->count + 1) * sizeof *own->moves);
        for (size_t j = 0; j < search->count; j++) {
            own->moves[j] = !expr_is_zero(search->pool, c[j]);
            own->pivot = own->moves[j] ? j : own->pivot;
        }
        find_alone(search, c, own->pivot, &own->alone);
    }
}

bool inquiry_unseen(Motion *motion, const Expr *parameters, size_t count, const Expr *seen,
                    size_t seen_count, InquiryUnseen *unseen)
{
    const Model *model = motion->model;
    Search search = {.motion = motion, .pool = motion->pool, .parameters = parameters};
    *unseen = (InquiryUnseen){0};
    if (!is_smooth(motion) || count == 0)
        return false;
    search.count = count;
    search.values = given_values(&search);
    bool good = add_all(&search, seen, seen_count);
    if (good) {
        AlgebraRelations found;
        Expr *constants = base_alloc((model->params.count + 1) * sizeof *constants);
        for (size_t i = 0; i < model->params.count; i++)
            constants[i] = model->params.at[i].symbol;
        // What nothing depends on: a row that says nothing.
        for (size_t j = 0; j < count && search.rows.count == 0; j++)
            array_push(&search.rows, expr_int(search.pool, 0));
        algebra_relations(motion->algebra, search.rows.at, search.rows.count / count, count,
                          constants, model->params.count, &found);
        take(&search, &found, unseen);
        algebra_relations_clear(&found);
        base_free(constants);
    }
    expr_subst_free(search.values);
    array_clear(&search.rows);
    return good;
}

void inquiry_unseen_clear(InquiryUnseen *unseen)
{
    for (size_t i = 0; i < unseen->count; i++) {
        base_free(unseen->at[i].moves);
        array_clear(&unseen->at[i].alone);
    }
    base_free(unseen->at);
    *unseen = (InquiryUnseen){0};
}
