// check_turning.c: the motion of two speeds that quadratures solve (Hamel 229), written out.
#include "show/check_impl.h"
#include "show/equation_text_impl.h"
#include "show/json_impl.h"
#include "show/pretty_impl.h"
#include "show/show_impl.h"

// What stands in the formulas: V² = u² + (α/β)·w², κ = β·V, w₀ = V·√(β/α), ½π/√(αβ).
typedef struct {
    const MotionSpeed *u, *w;
    Expr square, rate, turn, angle; // V², κ/V, w₀/V, the total angle over ½π
} Formulas;

static Formulas formulas_of(const Show *show, const InquiryTurning *found)
{
    const Motion *motion = show->motion;
    ExprPool *pool = motion->pool;
    Formulas all = {.u = &motion->state.speeds[found->along],
                    .w = &motion->state.speeds[1 - found->along],
                    .rate = found->beta};
    Expr ratio = algebra_simplify(motion->algebra, expr_div(pool, found->alpha, found->beta));
    Expr product = algebra_simplify(motion->algebra, expr_mul(pool, found->alpha, found->beta));
    all.square = expr_add(pool, expr_pow_int(pool, all.u->u, 2),
                          expr_mul(pool, ratio, expr_pow_int(pool, all.w->u, 2)));
    all.turn = expr_sqrt(pool, expr_div(pool, expr_int(pool, 1), ratio));
    all.angle = expr_sqrt(pool, expr_div(pool, expr_int(pool, 1), product));
    return all;
}

static void turning_text(const Show *show, const InquiryTurning *found, const Formulas *all,
                         Text *out)
{
    const Model *model = show->motion->model;
    size_t n = show->motion->n;
    if (found->angle == n)
        return;
    text_add(out, "  ");
    show_name(model->coords.at[found->angle].name, out);
    text_add(out, " turns from t₀ to ∞ by ½·π·");
    show_readable(show, all->angle, out);
    text_add_char(out, '\n');
    if (found->x == n || found->y == n)
        return;
    text_add(out, "  the path of (");
    show_name(model->coords.at[found->x].name, out);
    text_add(out, ", ");
    show_name(model->coords.at[found->y].name, out);
    text_add(out, ") has a cusp at t₀, Neil's parabola: ½·V·κ·(t − t₀)² along it, "
                  "⅓·V²·κ·");
    show_readable(show, all->turn, out);
    text_add(out, "·(t − t₀)³ across\n");
}

void show_turning_text(const Show *show, const InquiryTurning *found, Text *out)
{
    if (!found)
        return;
    Formulas all = formulas_of(show, found);
    text_add(out, "by quadratures (Hamel 229), with V² = ");
    show_readable(show, all.square, out);
    text_add(out, " and κ = V·");
    show_readable(show, all.rate, out);
    text_add(out, ":\n  ");
    show_name(all.u->name, out);
    text_add(out, " = V·tanh(κ·(t − t₀))\n  ");
    show_name(all.w->name, out);
    text_add(out, " = ±V·");
    show_readable(show, all.turn, out);
    text_add(out, "/cosh(κ·(t − t₀))\n");
    turning_text(show, found, &all, out);
}

void show_turning_json(const Show *show, const InquiryTurning *found, Text *out)
{
    text_add(out, ",\"quadratures\":");
    if (!found) {
        text_add(out, "null");
        return;
    }
    Formulas all = formulas_of(show, found);
    text_add(out, "{\"tanh\":");
    show_json_string(all.u->name, out);
    text_add(out, ",\"cosh\":");
    show_json_string(all.w->name, out);
    const struct {
        const char *key;
        Expr value;
    } parts[] = {{"V_squared", all.square},
                 {"kappa_over_V", all.rate},
                 {"w0_over_V", all.turn},
                 {"turning_over_half_pi", all.angle}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        text_addf(out, ",\"%s\":", parts[i].key);
        show_json_expr(show, parts[i].value, out);
    }
    text_add(out, "}");
}
