// fit_rank.c: what the data of a fit determine: by the equations, for any data; and by the numbers
// of the derivatives at the values that were found.
#include "api/fit_impl.h"
#include "inquiry/inquiry.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"
#include "model/model.h"
#include "motion/motion.h"
#include "show/show.h"

#include <math.h>
#include <string.h>

static void begin_sentence(Text *out)
{
    text_add(out, out->length ? "\n" : "");
}

// ---- By the equations.

static void tell_names(const Fit *fit, const InquiryDirection *own, const size_t *unknowns,
                       const char *last, Text *out)
{
    size_t total = 0, told = 0;
    for (size_t j = 0; j <= own->pivot; j++)
        total += own->moves[j];
    for (size_t j = 0; j <= own->pivot; j++)
        if (own->moves[j]) {
            text_add(out, told == 0 ? "" : told + 1 == total ? last : ", ");
            show_name(fit->data.unknowns[unknowns[j]].column, out);
            told++;
        }
}

static void tell_direction(const Fit *fit, const Show *show, const InquiryDirection *own,
                           const size_t *unknowns, Text *out)
{
    size_t moved = 0;
    for (size_t j = 0; j <= own->pivot; j++)
        moved += own->moves[j];
    begin_sentence(out);
    for (size_t i = 0; i < own->alone.count; i++) {
        text_add(out, i ? ", " : "");
        show_expr(show, own->alone.at[i], out);
    }
    if (moved == 1) {
        tell_names(fit, own, unknowns, "", out);
        text_add(out, " does not matter to them; hold it");
        return;
    }
    if (own->alone.count > 0) {
        text_addf(out, " alone %s; hold %s", own->alone.count > 1 ? "are" : "is",
                  moved > 2 ? "one of " : "");
        tell_names(fit, own, unknowns, " or ", out);
        return;
    }
    tell_names(fit, own, unknowns, " and ", out);
    text_add(out, " cannot be told apart; hold one of them");
}

// The parameters among what is varied, as symbols, and which of it each is.
static size_t parameters_of(const Fit *fit, Expr *symbols, size_t *unknowns)
{
    const Model *model = fit->model->model;
    size_t count = 0;
    for (size_t j = 0; j < fit->data.count; j++)
        for (size_t i = 0; i < model->params.count; i++)
            if (strcmp(fit->data.unknowns[j].column, model->params.at[i].name) == 0) {
                symbols[count] = model->params.at[i].symbol;
                unknowns[count++] = j;
            }
    return count;
}

static size_t outputs_of(const Fit *fit, Expr *seen)
{
    const Model *model = fit->model->model;
    size_t count = 0;
    for (size_t k = 0; k < fit->data.used_count; k++)
        for (size_t i = 0; i < model->outputs.count; i++)
            if (strcmp(fit->data.used[k], model->outputs.at[i].name) == 0)
                seen[count++] = model->outputs.at[i].value;
    return count;
}

// Whether the derivatives of a run depend on each other as the direction says. They do not where
// the start was completed in a way that holds the parameters.
static bool is_seen(const Fit *fit, const InquiryDirection *own, const size_t *unknowns,
                    const double *columns)
{
    size_t values = fit->data.values.count;
    Basis basis;
    basis_init(&basis, fit->data.arena, values, own->pivot + 1);
    for (size_t j = 0; j < own->pivot; j++)
        if (own->moves[j])
            (void)basis_take(&basis, columns + unknowns[j] * values, TOL_REGULARIZATION);
    return basis_take(&basis, columns + unknowns[own->pivot] * values, TOL_SMALL);
}

// Marks one of the unknowns for every direction that cannot be seen, whatever the data.
void fit_judge_equations(Fit *fit, const double *columns)
{
    zw_model *model = fit->model;
    size_t params = model->model->params.count, outputs = model->model->outputs.count;
    Arena *arena = fit->data.arena;
    Expr *symbols = arena_array(arena, Expr, params + 1),
         *seen = arena_array(arena, Expr, outputs + 1);
    size_t *unknowns = arena_array(arena, size_t, params + 1);
    size_t count = parameters_of(fit, symbols, unknowns);
    fit->left = arena_array(arena, bool, fit->data.count + 1);
    Diag *before = model->diag;
    InquiryUnseen unseen = {0};
    model->diag = diag_new();
    bool known =
        api_motion(model) == STATUS_OK && motion_solve(model->motion, model->diag) == STATUS_OK &&
        inquiry_unseen(model->motion, symbols, count, seen, outputs_of(fit, seen), &unseen);
    diag_free(model->diag);
    model->diag = before;
    if (!known)
        return;
    Show *show = show_new(model->motion);
    for (size_t i = 0; i < unseen.count; i++) {
        if (is_seen(fit, &unseen.at[i], unknowns, columns))
            continue;
        fit->left[unknowns[unseen.at[i].pivot]] = true;
        tell_direction(fit, show, &unseen.at[i], unknowns, &fit->missing);
    }
    show_free(show);
    inquiry_unseen_clear(&unseen);
}

// ---- By the numbers.

// p_i + c·p_j alone matters near the values found: as a product or a quotient, where c is that.
static void name_pair(const FitUnknown *a, const FitUnknown *b, double c, Text *out)
{
    if (fabs(c + a->value / b->value) <= TOL_SMALL * fabs(c))
        text_addf(out, "%s/%s", a->column, b->column);
    else if (fabs(c - a->value / b->value) <= TOL_SMALL * fabs(c))
        text_addf(out, "%s·%s", a->column, b->column);
    else if (fabs(fabs(c) - 1) <= TOL_SMALL)
        text_addf(out, "%s %s %s", a->column, c > 0 ? "+" : "−", b->column);
    else
        text_addf(out, "%s %s %.6g·%s", a->column, c > 0 ? "+" : "−", fabs(c), b->column);
}

// A column that follows from others tells what is not determined.
size_t fit_rank(Fit *fit, const double *columns, const double *lengths)
{
    Arena *arena = fit->data.arena;
    Text *out = &fit->missing;
    size_t values = fit->data.values.count, count = fit->data.count;
    size_t *taken = arena_array(arena, size_t, count + 1);
    Basis basis;
    basis_init(&basis, arena, values, count);
    for (size_t j = 0; j < count; j++) {
        const FitUnknown *own = &fit->data.unknowns[j];
        if (fit->left[j])
            continue;
        if (lengths[j] == 0 || !isfinite(lengths[j])) {
            begin_sentence(out);
            text_addf(out, "%s does not matter to them; hold it", own->column);
            continue;
        }
        if (basis_take(&basis, columns + j * values, TOL_REGULARIZATION)) {
            taken[basis.count - 1] = j;
            continue;
        }
        size_t others = 0, other = 0;
        for (size_t i = 0; i < basis.count; i++)
            if (fabs(basis.parts[i]) > TOL_SMALL) {
                others++;
                other = i;
            }
        begin_sentence(out);
        if (others == 1) {
            const FitUnknown *first = &fit->data.unknowns[taken[other]];
            name_pair(first, own, basis.parts[other] * lengths[j] / lengths[taken[other]], out);
            text_addf(out, " alone is (near these values); hold %s or %s", first->column,
                      own->column);
            continue;
        }
        text_addf(out, "%s changes with", own->column);
        for (size_t i = 0, told = 0; i < basis.count; i++)
            if (fabs(basis.parts[i]) > TOL_SMALL)
                text_addf(out, "%s%s", told++ ? ", " : " ", fit->data.unknowns[taken[i]].column);
        text_add(out, " and cannot be told from these; hold one of them");
    }
    return basis.count;
}
