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
    show_wrapped(show->width, line.at, 6, out);
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
        line_of(show, "  completed: ∂V/∂t + ", expr_add(pool, jacobi->H, jacobi->phi), " = 0", out);
    line_of(show, jacobi->ordinary ? "  ∂V/∂t + " : "  ordinary:  ∂V/∂t + ", jacobi->H, " = 0",
            out);
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
        show_wrapped(show->width, line.at, 8, out);
        text_clear(&line);
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
}

void show_jacobi_text(const Show *show, const InquiryJacobi *jacobi, Text *out)
{
    if (jacobi->extends != ANSWER_YES) {
        text_addf(out, "Jacobi's theorem %s: %s\n",
                  jacobi->extends == ANSWER_NO ? "does not extend" : "is not known to extend",
                  jacobi->reason);
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
    equation_text(show, jacobi, out);
    motions_text(show, jacobi, out);
    separation_text(show, jacobi, out);
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
    text_add(out, "}");
}
