// shifts.c: shorter expressions with as many digits.
//
// 1/(1 + ((t − 4.3)/w)²) is narrow, and t − 4.3 has all digits where it matters. Multiplied out,
// 1 + t²/w² − … has lost them: numbers of the size of (4.3/w)² cancel. So does ((x − y)/w)². Below
// a line, under a root and inside functions a sum that is squared is one symbol while it is
// simplified.
#include "algebra/algebra_impl.h"
#include "algebra/simplify.h"
#include "expr/expr.h"

#include <assert.h>

typedef struct {
    ExprPool *pool;
    ExprSubst *to_symbols, *back;
    IndexMap inside;   // nodes below a line or inside a function
    ARRAY(Expr) kept;  // shifts, and
    ARRAY(Expr) names; // the symbols for them
} Shifts;

// What may be far smaller than its terms: c + k·x, x − y, √(x² + y²) − c.
static bool is_shift(const ExprPool *pool, Expr e)
{
    return expr_op(pool, e) == EXPR_SUM &&
           (expr_arg_count(pool, e) > 1 || !fmpq_is_zero(expr_value(pool, e)));
}

static bool is_natural(const fmpq *power)
{
    return fmpz_is_one(fmpq_denref(power)) && fmpz_sgn(fmpq_numref(power)) > 0;
}

static void keep(Shifts *shifts, Expr shift)
{
    Expr symbol = expr_symbol_new(shifts->pool, "shift");
    expr_subst_set(shifts->to_symbols, shift, symbol);
    expr_subst_set(shifts->back, symbol, shift);
    array_push(&shifts->kept, shift);
    array_push(&shifts->names, symbol);
}

// Whether e is a multiple of the sum, and of which number.
static bool is_multiple(const ExprPool *pool, Expr e, Expr sum, fmpq_t by)
{
    size_t count = expr_arg_count(pool, sum);
    bool multiple = expr_arg_count(pool, e) == count;
    fmpq_t scaled;
    fmpq_init(scaled);
    for (size_t i = 0; i < count && multiple; i++) {
        if (i == 0)
            fmpq_div(by, expr_arg_weight(pool, e, 0), expr_arg_weight(pool, sum, 0));
        fmpq_mul(scaled, by, expr_arg_weight(pool, sum, i));
        multiple = expr_same(expr_arg(pool, e, i), expr_arg(pool, sum, i)) &&
                   fmpq_equal(scaled, expr_arg_weight(pool, e, i));
    }
    fmpq_mul(scaled, by, expr_value(pool, sum));
    multiple = multiple && fmpq_equal(scaled, expr_value(pool, e));
    fmpq_clear(scaled);
    return multiple;
}

// A multiple of a shift that is kept is one of its symbol: 2·(t − 1/2) is 2·t − 1.
static void keep_multiple(Shifts *shifts, Expr e)
{
    ExprPool *pool = shifts->pool;
    if (!is_shift(pool, e))
        return;
    fmpq_t by;
    fmpq_init(by);
    for (size_t i = shifts->kept.count; i-- > 0;) {
        if (!is_multiple(pool, e, shifts->kept.at[i], by))
            continue;
        Expr multiple = expr_mul(pool, expr_number(pool, by), shifts->names.at[i]);
        expr_subst_set(shifts->to_symbols, e, multiple);
        break;
    }
    fmpq_clear(by);
}

// Whether what stands in e as child i is inside; a power of a shift that is inside is kept.
static void look_at(Shifts *shifts, Expr e)
{
    ExprPool *pool = shifts->pool;
    ExprOp op = expr_op(pool, e);
    uint32_t inside;
    bool function = expr_op_arity(op) > 0, held = index_map_get(&shifts->inside, e.at, &inside);
    for (size_t i = 0; i < expr_arg_count(pool, e); i++) {
        Expr arg = expr_arg(pool, e, i);
        bool power = op == EXPR_PRODUCT && !fmpq_is_pm1(expr_arg_weight(pool, e, i));
        bool below = op == EXPR_PRODUCT && !is_natural(expr_arg_weight(pool, e, i));
        if (power && held && is_shift(pool, arg))
            keep(shifts, arg);
        if (held || function || below)
            index_map_put(&shifts->inside, arg.at, true);
    }
}

Expr algebra_simplify_numeric(Algebra *algebra, Expr e, double *effort)
{
    ExprPool *pool = algebra->pool;
    assert(*effort >= 0);
    ExprList nodes = expr_nodes(pool, &e, 1);
    Shifts shifts = {
        .pool = pool, .to_symbols = expr_subst_new(pool), .back = expr_subst_new(pool)};
    // Parents before children.
    for (size_t i = nodes.count; i-- > 0;)
        look_at(&shifts, (Expr){nodes.at[i]});
    for (size_t i = 0; i < nodes.count && shifts.kept.count > 0; i++)
        keep_multiple(&shifts, (Expr){nodes.at[i]});
    Expr kept = shifts.kept.count > 0 ? expr_subst(shifts.to_symbols, e) : e;
    Expr form = algebra_simplify_within(algebra, kept, effort);
    form = shifts.kept.count > 0 ? expr_subst(shifts.back, form) : form;
    // What vanishes may do so because a symbol and what it stands for are both there.
    if (shifts.kept.count > 0 && algebra_vanishes(algebra, e))
        form = expr_int(pool, 0);
    expr_subst_free(shifts.to_symbols);
    expr_subst_free(shifts.back);
    index_map_clear(&shifts.inside);
    array_clear(&shifts.kept);
    array_clear(&shifts.names);
    expr_list_free(&nodes);
    return form;
}
