// orthonormal_speeds.c: what the speeds that the program finds make of T.
#include "show/derivation_impl.h"

#include "show/short_forms_impl.h"
#include "show/show_impl.h"

bool show_are_orthonormal(const Show *show)
{
    const Motion *motion = show->motion;
    return motion->k > 0 && motion->state.speeds[0].orthonormal;
}

// What T⁺ has besides the squares: a function of q and t, 0 where nothing is rheonomic.
static Expr rest_of(const Show *show)
{
    Motion *motion = show->motion;
    ExprPool *pool = motion->pool;
    Expr *u = base_alloc((2 * motion->k + 1) * sizeof *u), *zeros = u + motion->k;
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        u[alpha] = motion->state.speeds[alpha].u;
        zeros[alpha] = expr_int(pool, 0);
    }
    Expr rest = expr_replace(pool, motion_in_speeds(motion, motion->T), u, zeros, motion->k);
    base_free(u);
    return show_short(show, rest);
}

void show_orthonormal(const Show *show, Text *out)
{
    const Motion *motion = show->motion;
    Text rest = {0};
    text_add(out, show->latex ? "T^{+} = \\tfrac{1}{2} (" : "T⁺ = ½·(");
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        text_add(out, alpha ? " + " : "");
        show_expr(show, motion->state.speeds[alpha].u, out);
        text_add(out, show->latex ? "^{2}" : "²");
    }
    text_add(out, ")");
    Expr besides = rest_of(show);
    if (!expr_is_zero(motion->pool, besides)) {
        show_expr(show, besides, &rest);
        text_addf(out, " + %s", rest.at);
    }
    text_clear(&rest);
}
