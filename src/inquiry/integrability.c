// integrability.c: how many finite relations the conditions hide, and in which conditions.
//
// The question is put to the whole set of conditions: none of the cart's three is integrable by
// itself, and still 2bϑ + r(φ₁ − φ₂) is constant (Hamel 234). In the n + 1 variables (q, t) the
// allowed directions (q', 1) span a distribution; where brackets close it with r directions
// missing there are r finite relations, the model's own among them.
#include "inquiry/inquiry_impl.h"
#include "linalg/lapack.h"
#include "program/program.h"

#include <math.h>
#include <string.h>

static const char not_linear[] = "is not linear in the velocities: integrability in the sense of "
                                 "Frobenius is a question about conditions that are";

static const char *said(InquiryKind *kind, const char *name, const char *words)
{
    Text text = {0};
    text_addf(&text, "'%s' %s", name, words);
    const char *copy = arena_copy_text(kind->arena, text.at, text.length);
    text_clear(&text);
    return copy;
}

// ---- Conditions in the integrable part.

// The form b·dq + c·dt of a condition; false where it is none.
static bool form_of(Motion *motion, const ModelConstraint *constraint, Expr *form)
{
    Expr velocity = constraint->residual;
    if (constraint->kind == CONSTRAINT_ONE_SIDED)
        return false;
    ExprPool *pool = motion->pool;
    if (!expr_holds_any(pool, velocity, motion->v, motion->n))
        velocity = expr_rate(motion->dt_still, velocity);
    return expr_linear(pool, velocity, motion->v, motion->n, form, &form[motion->n]);
}

// Whether the form vanishes on every direction that can be reached.
static Answer in_integrable_part(Motion *motion, const InquiryKind *kind, const Expr *form)
{
    ExprPool *pool = motion->pool;
    size_t width = motion->n + 1, count = kind->direction_count;
    Expr *products = base_alloc((count + 1) * sizeof *products);
    Expr *terms = base_alloc(width * sizeof *terms);
    for (size_t i = 0; i < count; i++) {
        for (size_t nu = 0; nu < width; nu++)
            terms[nu] = expr_mul(pool, form[nu], kind->directions[i * width + nu]);
        products[i] = expr_sum(pool, terms, width);
    }
    ptrdiff_t rank = algebra_rank(motion->algebra, products, 1, count, NULL, NULL, NULL);
    bool shown = rank > 0 && algebra_shows_independent(motion->algebra, products, 1, count);
    base_free(products);
    base_free(terms);
    return rank == 0 ? ANSWER_YES : shown ? ANSWER_NO : ANSWER_UNKNOWN;
}

static void find_integrable(Motion *motion, InquiryKind *kind, ExprSubst *values)
{
    const Model *model = motion->model;
    size_t width = motion->n + 1;
    Expr *form = base_alloc(width * sizeof *form);
    kind->integrable = arena_alloc(kind->arena, (model->constraints.count + 1) * sizeof(Answer));
    for (size_t i = 0; i < model->constraints.count; i++) {
        const ModelConstraint *constraint = &model->constraints.at[i];
        kind->integrable[i] = ANSWER_UNKNOWN;
        if (constraint->rated > 0)
            continue;
        if (constraint->keeps == CONSTRAINT_FINITE || constraint->kind == CONSTRAINT_ONE_SIDED) {
            kind->integrable[i] = ANSWER_YES;
        } else if (!kind->reason && form_of(motion, constraint, form)) {
            for (size_t nu = 0; nu < width && values; nu++)
                form[nu] = expr_subst(values, form[nu]);
            kind->integrable[i] = in_integrable_part(motion, kind, form);
        }
    }
    base_free(form);
}

// ---- The whole set.

// Whether the fields that were found for all parameters are independent for the values given.
static bool same_with_values(Motion *motion, const Closure *closure, ExprSubst *values)
{
    size_t count = closure->fields * closure->variables;
    Expr *matrix = base_alloc((count + 1) * sizeof *matrix);
    for (size_t i = 0; i < count; i++)
        matrix[i] = expr_subst(values, closure->entries.at[i]);
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, closure->fields, closure->variables,
                                  NULL, NULL, NULL);
    base_free(matrix);
    return rank < 0 || rank == (ptrdiff_t)closure->fields;
}

static void take_closure(InquiryKind *kind, const Closure *closure)
{
    size_t count = closure->fields * closure->variables;
    kind->directions = arena_alloc(kind->arena, (count + 1) * sizeof(Expr));
    memcpy(kind->directions, closure->entries.at, count * sizeof(Expr));
    kind->direction_count = closure->fields;
    for (size_t i = 0; i < closure->growth.count; i++)
        array_push(&kind->growth, closure->growth.at[i] - 1);
    kind->hidden = closure->variables - closure->fields - kind->finite;
    kind->holonomic = kind->growth.at[0] == kind->growth.at[kind->growth.count - 1];
}

static void close_up(Motion *motion, InquiryKind *kind, ExprSubst *values)
{
    MotionReduction *reduction = motion_velocities(motion);
    if (!reduction)
        reduction = &motion->state;
    Closure closure;
    closure_of_motion(&closure, motion, reduction, false, NULL);
    bool known = closure_grow(&closure, motion);
    if (known && !same_with_values(motion, &closure, values)) {
        closure_clear(&closure);
        closure_of_motion(&closure, motion, reduction, false, values);
        known = closure_grow(&closure, motion);
        kind->special = true;
    }
    if (known && motion_shows_rows(motion) && closure_is_shown(&closure, motion, values))
        take_closure(kind, &closure);
    else if (known)
        kind->reason = "no real point was found that shows whether the directions that brackets "
                       "give are new; functions in the conditions may be related";
    else
        kind->reason = "the conditions cannot be evaluated exactly, or their brackets become too "
                       "large, so that ranks cannot be decided";
    closure_clear(&closure);
}

void inquiry_kind_free(InquiryKind *kind)
{
    if (!kind)
        return;
    array_clear(&kind->growth);
    array_clear(&kind->relations);
    arena_free(kind->arena);
    base_free(kind);
}

// Whether an energy of acceleration was given whose Δ do not vanish (Appell 19).
static bool has_apparent_forces(Motion *motion)
{
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        if (!inquiry_vanishes(motion, motion_apparent_force_on(motion, &motion->state, alpha)))
            return true;
    return false;
}

InquiryKind *inquiry_kind(Motion *whole)
{
    InquiryKind *kind = base_alloc(sizeof *kind);
    Motion *part = inquiry_without_states(whole), *motion = part ? part : whole;
    kind->arena = arena_new();
    for (size_t i = 0; i < motion->m; i++)
        kind->finite += !expr_is_none(motion->rows[i].position);
    const char *stranger = motion->curved ? inquiry_stranger(motion) : NULL;
    ExprSubst *values = inquiry_values(motion);
    if (motion->second_count > 0)
        kind->reason = said(kind, motion->seconds[0].row.constraint->name,
                            "holds accelerations, and only conditions on positions and "
                            "velocities are asked");
    else if (!part)
        kind->reason = inquiry_rated;
    else if (stranger)
        kind->reason = said(kind, stranger, not_linear);
    else
        close_up(motion, kind, values);
    kind->apparent = kind->holonomic && has_apparent_forces(motion);
    find_integrable(motion, kind, kind->special ? values : NULL);
    if (!kind->reason && kind->hidden > 0)
        relations_find(motion, kind);
    expr_subst_free(values);
    inquiry_part_free(part, whole);
    return kind;
}

// ---- At one state.

// The numerical rank of a rows × columns matrix, by its singular values.
static size_t rank_of_numbers(double *matrix, size_t rows, size_t columns)
{
    const double small = 1e-9;
    size_t least = rows < columns ? rows : columns, rank = 0;
    if (least == 0)
        return 0;
    double *values = base_alloc(least * sizeof *values);
    // Column after column it is the transpose, of the same rank.
    bool found = lapack_singular_values(columns, rows, matrix, values, NULL);
    for (size_t i = 0; i < least && found; i++)
        rank += values[i] > small * values[0] && values[i] > 0;
    base_free(values);
    return rank;
}

static bool numbers_at(Motion *motion, const Expr *exprs, size_t count, const double *params,
                       const double *q, double *numbers)
{
    const Model *model = motion->model;
    size_t p = model->params.count, total = p + motion->n + 1;
    Expr *inputs = base_alloc(total * sizeof *inputs);
    double *values = base_alloc(total * sizeof *values);
    for (size_t i = 0; i < p; i++) {
        inputs[i] = model->params.at[i].symbol;
        values[i] = params[i];
    }
    memcpy(inputs + p, motion->q, motion->n * sizeof *inputs);
    memcpy(values + p, q, motion->n * sizeof *values);
    inputs[total - 1] = model->t;
    Program *program = program_new(motion->pool, inputs, total, exprs, count, NULL);
    bool finite = program_run_once(program, values, numbers);
    base_free(inputs);
    base_free(values);
    for (size_t i = 0; i < count && finite; i++)
        finite = isfinite(numbers[i]);
    return finite;
}

bool inquiry_kind_at(Motion *whole, const InquiryKind *kind, const double *params, const double *q,
                     InquiryRanks *ranks)
{
    Motion *motion = inquiry_without_states(whole);
    if (!motion)
        return false;
    size_t n = motion->n, m = motion->m, count = kind->direction_count * (n + 1);
    double *numbers = base_alloc((count + m * n + 1) * sizeof *numbers);
    Expr *rows = base_alloc((m * n + 1) * sizeof *rows);
    for (size_t i = 0; i < m; i++)
        memcpy(rows + i * n, motion->rows[i].b, n * sizeof *rows);
    bool known = numbers_at(motion, rows, m * n, params, q, numbers);
    if (known)
        ranks->conditions = rank_of_numbers(numbers, m, n);
    known = known && numbers_at(motion, kind->directions, count, params, q, numbers);
    if (known)
        ranks->directions = rank_of_numbers(numbers, kind->direction_count, n + 1);
    base_free(numbers);
    base_free(rows);
    inquiry_part_free(motion, whole);
    return known;
}
