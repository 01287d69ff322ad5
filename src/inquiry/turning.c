// turning.c: two speeds with u' = α w², w' = −β u w (Hamel 229: the blade, and all that turns
// like it), which quadratures solve.
//
// β u² + α w² = β V² is constant, so that u' = β(V² − u²): u = V tanh(κ(t − t₀)), κ = βV, and
// w = ±V√(β/α)/cosh(κ(t − t₀)). ∫ w dt from t₀ on is ½π/√(αβ). Where u drives a point along an
// angle ϑ with ϑ' = w, its path turns back at t₀: u ≈ Vκτ and ϑ ≈ ϑ₀ + w₀τ, a cusp.
#include "inquiry/inquiry_impl.h"
#include "inquiry/normal.h"

// e without these factors, where nothing of speeds, coordinates and time is left; else none.
static Expr constant_factor(const Motion *motion, Expr e, Expr factors)
{
    ExprPool *pool = motion->pool;
    Expr rest = algebra_simplify(motion->algebra, expr_div(pool, e, factors));
    bool constant = !expr_is_zero(pool, rest) && !expr_holds(pool, rest, motion->model->t) &&
                    !expr_holds_any(pool, rest, motion->q, motion->n);
    for (size_t alpha = 0; alpha < motion->k && constant; alpha++)
        constant = !expr_holds(pool, rest, motion->state.speeds[alpha].u);
    return constant ? rest : (Expr){0};
}

static bool match(const Motion *motion, const Expr *rates, size_t along, InquiryTurning *found)
{
    ExprPool *pool = motion->pool;
    Expr u = motion->state.speeds[along].u, w = motion->state.speeds[1 - along].u;
    found->along = along;
    found->alpha = constant_factor(motion, rates[along], expr_pow_int(pool, w, 2));
    found->beta = constant_factor(motion, expr_neg(pool, rates[1 - along]), expr_mul(pool, u, w));
    return !expr_is_none(found->alpha) && !expr_is_none(found->beta);
}

// u' of both speeds.
static bool find_rates(Motion *motion, Expr *rates)
{
    Form *form = form_derive_in(FORM_APPELL, motion, FORM_TO_RUN);
    InquiryNormal normal = {0};
    bool found = !form->reason && inquiry_normal(motion, form, &normal) && normal.size == 2 &&
                 algebra_solve(motion->algebra, normal.matrix, normal.right, normal.size, 1, rates);
    inquiry_normal_clear(&normal);
    form_free(form);
    return found;
}

// A coordinate whose velocity this is; n where there is none.
static size_t coordinate_with(Motion *motion, Expr velocity)
{
    size_t nu = 0;
    while (nu < motion->n &&
           inquiry_is_zero(motion, expr_sub(motion->pool, velocity,
                                            motion_in_speeds(motion, motion->v[nu]))) != ANSWER_YES)
        nu++;
    return nu;
}

// ϑ with ϑ' = w, and x, y with x' = u cos ϑ, y' = u sin ϑ.
static void find_path(Motion *motion, InquiryTurning *found)
{
    ExprPool *pool = motion->pool;
    Expr u = motion->state.speeds[found->along].u, w = motion->state.speeds[1 - found->along].u;
    found->angle = coordinate_with(motion, w);
    found->x = found->y = motion->n;
    if (found->angle == motion->n)
        return;
    Expr angle = motion->q[found->angle];
    found->x =
        coordinate_with(motion, expr_mul(pool, u, expr_call(pool, EXPR_COS, angle, (Expr){0})));
    found->y =
        coordinate_with(motion, expr_mul(pool, u, expr_call(pool, EXPR_SIN, angle, (Expr){0})));
}

bool inquiry_turning(Motion *motion, InquiryTurning *found)
{
    Expr rates[2];
    if (motion->k != 2 || !motion->state.linear || motion->second_count > 0 ||
        inquiry_stranger(motion) || !find_rates(motion, rates))
        return false;
    if (!match(motion, rates, 0, found) && !match(motion, rates, 1, found))
        return false;
    find_path(motion, found);
    return true;
}
