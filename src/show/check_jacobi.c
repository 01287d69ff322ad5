// check_jacobi.c: Jacobi's theorem, its equation, and complete integrals, for the eye and as JSON.
#include "show/check_impl.h"

#include "show/equation_text_impl.h"
#include "show/json_impl.h"
#include "show/layout_impl.h"
#include "show/pretty_impl.h"
#include "show/show_impl.h"

static void line_of(const Show *show, const char *before, Expr e, const char *after, Text *out)
{
    Text line = {0};
    text_add(&line, before);
    show_readable(show, e, &line);
    text_add(&line, after);
    show_line(line.at, out);
    text_clear(&line);
}

static void equation_text(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    ExprPool *pool = show->motion->pool;
    if (expr_is_none(jacobi->H) || !show_is_readable(show, jacobi->H)) {
        text_add(out, "  its equation is too long to be read\n");
        return;
    }
    if (!jacobi->ordinary && !expr_is_none(jacobi->phi))
        line_of(show, "  completed: ∂V/∂t + ", expr_add(pool, jacobi->H, jacobi->phi),
                " = 0   (Quanjel (26′))", out);
    line_of(show, jacobi->ordinary ? "  ∂V/∂t + " : "  ordinary:  ∂V/∂t + ", jacobi->H,
            " = 0   (Quanjel (26))", out);
    text_add(out, "  with ");
    for (size_t i = 0; i < show->motion->k; i++) {
        const char *name = show->motion->model->coords.at[jacobi->coordinates[i]].name;
        text_add(out, i ? ", " : "");
        show_expr(show, jacobi->slopes[i], out);
        text_add(out, " = ∂V/∂");
        show_name(name, out);
    }
    text_add(out, "\n");
}

// −R = ∂φ/∂q, one by one.
static void corrections_text(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    for (size_t i = 0; i < show->motion->k && !jacobi->ordinary; i++) {
        Text before = {0}, after = {0};
        const char *name = show->motion->model->coords.at[jacobi->coordinates[i]].name;
        text_add(&before, "  R_");
        show_name(name, &before);
        text_add(&before, " = ");
        text_add(&after, " = −∂φ/∂");
        show_name(name, &after);
        text_add(&after, i ? "" : "   (Quanjel (31))");
        line_of(show, before.at, jacobi->R[i], after.at, out);
        text_clear(&before);
        text_clear(&after);
    }
}

// ∂R_α/∂q_β = ∂R_β/∂q_α, which φ needs.
static void curl_text(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    ExprPool *pool = show->motion->pool;
    const Motion *motion = show->motion;
    bool first = true;
    for (size_t i = 0; i < motion->k && !jacobi->ordinary; i++)
        for (size_t j = i + 1; j < motion->k; j++) {
            size_t a = jacobi->coordinates[i], b = jacobi->coordinates[j];
            Text before = {0};
            text_add(&before, "  ∂R_");
            show_name(motion->model->coords.at[a].name, &before);
            text_add(&before, "/∂");
            show_name(motion->model->coords.at[b].name, &before);
            text_add(&before, " = ∂R_");
            show_name(motion->model->coords.at[b].name, &before);
            text_add(&before, "/∂");
            show_name(motion->model->coords.at[a].name, &before);
            text_add(&before, " = ");
            Expr slope = expr_diff(pool, jacobi->R[i], motion->q[b]);
            line_of(show, before.at, slope, first ? "   (Quanjel no. 16 (α))" : "", out);
            text_clear(&before);
            first = false;
        }
}

static void motions_text(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    if (!jacobi->wrong)
        return;
    text_add(out, "  the motion that each gives:\n");
    for (size_t i = 0; i < show->motion->k; i++) {
        Text line = {0};
        text_add(&line, "    ");
        show_expr(show, show->motion->a[jacobi->coordinates[i]], &line);
        text_add(&line, " = ");
        show_readable(show, jacobi->right[i], &line);
        if (!expr_same(jacobi->right[i], jacobi->wrong[i])) {
            text_add(&line, ", but by the ordinary one, wrongly, ");
            show_readable(show, jacobi->wrong[i], &line);
        }
        show_line(line.at, out);
        text_clear(&line);
    }
}

// What the constants are.
static void constants_text(const Show *show, const InquirySeparation *separation, Text *out)
{
    for (size_t j = 0; j < separation->constant_count; j++) {
        Text before = {0};
        text_add(&before, "    ");
        show_expr(show, separation->constants[j], &before);
        text_add(&before, " = ");
        line_of(show, before.at, separation->integrals[j + 1],
                j + 1 < separation->constant_count ? "," : ", constant along every motion", out);
        text_clear(&before);
    }
}

static void separation_text(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    const InquirySeparation *separation = jacobi->separation;
    if (!separation)
        return;
    text_add(out, "  it separates: V = −");
    show_expr(show, separation->energy, out);
    text_add(out, "·t");
    for (size_t i = 0; i < show->motion->k; i++) {
        const char *name = show->motion->model->coords.at[jacobi->coordinates[i]].name;
        text_add(out, " + ∫ ");
        show_expr(show, jacobi->slopes[i], out);
        text_add(out, " d");
        show_name(name, out);
    }
    text_add(out, ", a complete integral, proved by putting it in\n");
    for (size_t i = 0; i < show->motion->k; i++) {
        Text before = {0};
        text_add(&before, "    ");
        show_expr(show, jacobi->slopes[i], &before);
        text_add(&before, " = ");
        line_of(show, before.at, separation->momenta[i], "", out);
        text_clear(&before);
    }
    constants_text(show, separation, out);
}

static const char *dependent_name(const Show *show, const InquiryJacobi *jacobi, size_t index)
{
    const Motion *motion = show->motion;
    for (size_t nu = 0; nu < motion->n; nu++) {
        bool independent = false;
        for (size_t alpha = 0; alpha < motion->k; alpha++)
            independent = independent || jacobi->coordinates[alpha] == nu;
        if (!independent && index-- == 0)
            return motion->model->coords.at[nu].name;
    }
    return "";
}

// ∫ f dq, and q itself for f = 1.
static void integral_text(const Show *show, Expr f, const char *name, Text *out)
{
    if (!expr_is_one(show->pool, f)) {
        bool sum = expr_op(show->pool, f) == EXPR_SUM;
        text_add(out, sum ? "∫ (" : "∫ ");
        show_readable(show, f, out);
        text_add(out, sum ? ") d" : " d");
    }
    show_name(name, out);
}

// ∂V/∂a = b, as sums of integrals.
static void quadrature_text(const Show *show, const InquiryJacobi *jacobi,
                            const InquiryQuadrature *quadrature, Text *out)
{
    const InquirySeparation *separation = jacobi->separation;
    bool timed = expr_same(quadrature->constant, separation->energy);
    bool any = timed;
    Text line = {0};
    text_add(&line, "    ∂V/∂");
    show_expr(show, quadrature->constant, &line);
    text_add(&line, timed ? " = −t" : " = ");
    for (size_t i = 0; i < show->motion->k; i++) {
        if (expr_is_zero(show->pool, quadrature->integrands[i]))
            continue;
        text_add(&line, any ? " + " : "");
        integral_text(show, quadrature->integrands[i],
                      show->motion->model->coords.at[jacobi->coordinates[i]].name, &line);
        any = true;
    }
    text_add(&line, " = ");
    show_expr(show, quadrature->b, &line);
    show_line(line.at, out);
    text_clear(&line);
}

// The dependent coordinates, by the conditions along the motion.
static void dependent_text(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    const InquirySeparation *separation = jacobi->separation;
    for (size_t i = 0; i < separation->dependent_count; i++) {
        Text before = {0};
        text_add(&before, "    ");
        show_name(dependent_name(show, jacobi, i), &before);
        text_add(&before, " = ");
        if (!expr_is_none(separation->dependent[i]))
            line_of(show, before.at, separation->dependent[i], "   (by the conditions)", out);
        text_clear(&before);
    }
}

static void path_text(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    const InquirySeparation *separation = jacobi->separation;
    if (expr_is_none(separation->path_by)) {
        text_add(out, "  these quadratures were not found to close\n");
        return;
    }
    bool timed = expr_same(separation->path_by, show->motion->model->t);
    text_addf(out, "  they close: the %s, proved by putting it into the equations of motion\n",
              timed ? "motion" : "path");
    for (size_t i = 0; i < show->motion->k; i++) {
        const char *name = show->motion->model->coords.at[jacobi->coordinates[i]].name;
        Text before = {0};
        text_add(&before, "    ");
        show_name(name, &before);
        text_add(&before, " = ");
        if (!expr_same(separation->path[i], separation->path_by))
            line_of(show, before.at, separation->path[i], "", out);
        text_clear(&before);
    }
    dependent_text(show, jacobi, out);
}

// dp/dt from V and from the completed equation.
static void momentum_rates_text(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    for (size_t i = 0; i < show->motion->k && jacobi->momentum_rates; i++) {
        const char *name = show->motion->model->coords.at[jacobi->coordinates[i]].name;
        Text q = {0}, before = {0};
        show_name(name, &q);
        text_addf(&before, "  dp_%s/dt = ", q.at);
        if (jacobi->rates_proved)
            text_addf(&before, "∂²V/∂%s²·%s′ = ", q.at, q.at);
        text_addf(&before, "−∂H/∂%s − ∂φ/∂%s = ", q.at, q.at);
        line_of(show, before.at, jacobi->momentum_rates[i],
                i                      ? ""
                : jacobi->rates_proved ? "   (Quanjel (29), (30))"
                                       : "   (Quanjel (30))",
                out);
        text_clear(&q);
        text_clear(&before);
    }
}

static void quadratures_text(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    const InquirySeparation *separation = jacobi->separation;
    if (!separation || !separation->quadratures)
        return;
    text_add(out, "  ∂V/∂q = p and ∂V/∂a = b (Quanjel (28)): ");
    for (size_t i = 0; i < show->motion->k; i++) {
        text_add(out, i ? ", p_" : "p_");
        show_name(show->motion->model->coords.at[jacobi->coordinates[i]].name, out);
        text_add(out, " = ");
        show_expr(show, jacobi->slopes[i], out);
    }
    text_add(out, ", and\n");
    for (size_t j = 0; j < show->motion->k; j++)
        quadrature_text(show, jacobi, &separation->quadratures[j], out);
    path_text(show, jacobi, out);
}

void show_jacobi_text(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    if (jacobi->extends != ANSWER_YES) {
        text_addf(out, "Jacobi's theorem %s: ",
                  jacobi->extends == ANSWER_NO ? "does not extend" : "is not known to extend");
        show_spelled(show->motion->model, jacobi->reason, out);
        text_add(out, "\n");
        return;
    }
    if (jacobi->ordinary) {
        text_add(out, "Jacobi's theorem holds as it is: every R vanishes\n");
    } else if (expr_is_none(jacobi->phi)) {
        text_add(out, "Jacobi's theorem extends: R is a gradient, but φ was not found in closed "
                      "form\n");
    } else {
        line_of(show, "Jacobi's theorem extends, with φ = ", jacobi->phi,
                "; with H + φ in the place of H the equation has its ordinary form (Quanjel 17)",
                out);
    }
    corrections_text(show, jacobi, out);
    curl_text(show, jacobi, out);
    equation_text(show, jacobi, out);
    motions_text(show, jacobi, out);
    separation_text(show, jacobi, out);
    momentum_rates_text(show, jacobi, out);
    quadratures_text(show, jacobi, out);
}

// ---- JSON.

static void json_or_null(const Show *show, const char *key, Expr e, Text *out)
{
    text_addf(out, ",\"%s\":", key);
    if (expr_is_none(e))
        text_add(out, "null");
    else
        show_json_expr(show, e, out);
}

static void json_separation(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    text_add(out, ",\"separation\":");
    if (!jacobi->separation) {
        text_add(out, "null");
        return;
    }
    text_add(out, "{");
    for (size_t i = 0; i < show->motion->k; i++) {
        text_add(out, i ? "," : "");
        show_json_string(show->motion->model->coords.at[jacobi->coordinates[i]].name, out);
        text_add(out, ":");
        show_json_expr(show, jacobi->separation->momenta[i], out);
    }
    text_add(out, "}");
}

static void json_quadrature(const Show *show, const InquiryJacobi *jacobi,
                            const InquiryQuadrature *quadrature, Text *out)
{
    bool any = false;
    text_add(out, "{\"constant\":");
    show_json_expr(show, quadrature->constant, out);
    text_add(out, ",\"b\":");
    show_json_expr(show, quadrature->b, out);
    text_add(out, ",\"integrands\":{");
    for (size_t i = 0; i < show->motion->k; i++) {
        if (expr_is_zero(show->pool, quadrature->integrands[i]))
            continue;
        text_add(out, any ? "," : "");
        show_json_string(show->motion->model->coords.at[jacobi->coordinates[i]].name, out);
        text_add(out, ":");
        show_json_expr(show, quadrature->integrands[i], out);
        any = true;
    }
    text_add(out, "}}");
}

static void json_path(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    const InquirySeparation *separation = jacobi->separation;
    text_add(out, ",\"motion\":");
    if (expr_is_none(separation->path_by)) {
        text_add(out, "null");
        return;
    }
    bool any = false;
    text_add(out, "{");
    for (size_t i = 0; i < show->motion->k; i++) {
        if (expr_same(separation->path[i], separation->path_by))
            continue;
        text_add(out, any ? "," : "");
        show_json_string(show->motion->model->coords.at[jacobi->coordinates[i]].name, out);
        text_add(out, ":");
        show_json_expr(show, separation->path[i], out);
        any = true;
    }
    for (size_t i = 0; i < separation->dependent_count; i++) {
        if (expr_is_none(separation->dependent[i]))
            continue;
        text_add(out, ",");
        show_json_string(dependent_name(show, jacobi, i), out);
        text_add(out, ":");
        show_json_expr(show, separation->dependent[i], out);
    }
    text_add(out, "},\"motion_by\":");
    show_json_expr(show, separation->path_by, out);
}

// ∂V/∂a = b and the motion, as members of their own.
static void json_quadratures(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    const InquirySeparation *separation = jacobi->separation;
    if (!separation || !separation->quadratures)
        return;
    text_add(out, ",\"quadratures\":[");
    for (size_t j = 0; j < show->motion->k; j++) {
        text_add(out, j ? "," : "");
        json_quadrature(show, jacobi, &separation->quadratures[j], out);
    }
    text_add(out, "]");
    json_path(show, jacobi, out);
}

void show_jacobi_json(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    if (!jacobi) {
        text_add(out, ",\"jacobi\":null");
        return;
    }
    text_addf(out, ",\"jacobi\":{\"extends\":%s", show_json_answer(jacobi->extends));
    json_or_null(show, "phi", jacobi->phi, out);
    text_add(out, ",\"reason\":");
    show_json_string_or_null(jacobi->reason, out);
    json_or_null(show, "H", jacobi->H, out);
    json_separation(show, jacobi, out);
    json_quadratures(show, jacobi, out);
    text_add(out, "}");
}
