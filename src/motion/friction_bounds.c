// friction_bounds.c: reactions in the bounds of frictions: what presses on a law.
//
// A bound is a sum, R + Σ μ|λ|, of lengths of the reactions of one condition, or of two or three
// equations. Where it is one of them alone, μ|λ|, which no other friction has taken, the law shares
// a contact with it as friction on a condition does.
#include "motion/frictions.h"
#include "motion/motion_impl.h"

#include <string.h>

Expr friction_with_normals(const Motion *motion, Expr e)
{
    ExprList symbols = expr_symbols(motion->pool, &e, 1);
    for (size_t k = 0; k < symbols.count; k++)
        for (size_t i = 0; i < motion->friction_count; i++) {
            const MotionFriction *friction = &motion->frictions[i];
            Expr symbol = friction->friction->normal;
            if (friction->friction->kind != FRICTION_ON_CONDITION || symbol.at != symbols.at[k])
                continue;
            Expr size = expr_call(motion->pool, EXPR_ABS, friction->constraint->lambda, (Expr){0});
            Expr value = expr_mul(motion->pool, friction->pressure, size);
            e = expr_replace(motion->pool, e, &symbol, &value, 1);
        }
    expr_list_free(&symbols);
    return e;
}

// ---- The terms of a bound.

// Conditions whose reactions an expression holds; how many, or more than there is room for.
static size_t find_reactions(const Motion *motion, Expr e, const ModelConstraint **found)
{
    const Model *model = motion->model;
    ExprList symbols = expr_symbols(motion->pool, &e, 1);
    size_t count = 0;
    for (size_t i = 0; i < model->constraints.count; i++)
        for (size_t k = 0; k < symbols.count; k++)
            if (model->constraints.at[i].lambda.at == symbols.at[k]) {
                if (count < FRICTION_NORMALS)
                    found[count] = &model->constraints.at[i];
                count++;
            }
    expr_list_free(&symbols);
    return count;
}

// A bound as the sum of factors times atoms, which hold reactions, and of what holds none.
typedef struct {
    size_t count;
    Expr factors[2 * FRICTION_TERMS], atoms[2 * FRICTION_TERMS];
    Expr rest;
} Parts;

static bool is_free(const Motion *motion, Expr e)
{
    const ModelConstraint *found[FRICTION_NORMALS];
    return find_reactions(motion, e, found) == 0;
}

static bool add_parts(const Motion *motion, Expr factor, Expr e, Parts *parts);

static bool add_sum(const Motion *motion, Expr factor, Expr e, Parts *parts)
{
    ExprPool *pool = motion->pool;
    size_t count = expr_arg_count(pool, e);
    Expr *args = base_alloc((3 * count + 1) * sizeof *args), *symbols = args + count;
    Expr *factors = symbols + count, rest;
    for (size_t i = 0; i < count; i++) {
        args[i] = expr_arg(pool, e, i);
        symbols[i] = expr_placeholder(pool, 'r', i);
    }
    Expr sum = expr_replace(pool, e, args, symbols, count);
    bool good = expr_linear(pool, sum, symbols, count, factors, &rest) &&
                add_parts(motion, factor, rest, parts);
    for (size_t i = 0; i < count && good; i++)
        good = add_parts(motion, expr_mul(pool, factor, factors[i]), args[i], parts);
    base_free(args);
    return good;
}

// One of the factors holds reactions, as it is or its root.
static bool add_product(const Motion *motion, Expr factor, Expr e, Parts *parts)
{
    ExprPool *pool = motion->pool;
    size_t i = 0;
    while (is_free(motion, expr_arg(pool, e, i)))
        i++;
    Expr base = expr_arg(pool, e, i), root = expr_sqrt(pool, base),
         others = expr_div(pool, e, base);
    if (is_free(motion, others))
        return add_parts(motion, expr_mul(pool, factor, others), base, parts);
    others = expr_div(pool, e, root);
    if (!is_free(motion, others) || parts->count == 2 * FRICTION_TERMS)
        return false;
    parts->factors[parts->count] = expr_mul(pool, factor, others);
    parts->atoms[parts->count++] = root;
    return true;
}

// Adds factor·e; false where it is no such sum.
static bool add_parts(const Motion *motion, Expr factor, Expr e, Parts *parts)
{
    ExprPool *pool = motion->pool;
    if (is_free(motion, e)) {
        parts->rest = expr_add(pool, parts->rest, expr_mul(pool, factor, e));
        return true;
    }
    if (expr_op(pool, e) == EXPR_SUM)
        return add_sum(motion, factor, e, parts);
    if (expr_op(pool, e) == EXPR_PRODUCT)
        return add_product(motion, factor, e, parts);
    if (parts->count == 2 * FRICTION_TERMS)
        return false;
    parts->factors[parts->count] = factor;
    parts->atoms[parts->count++] = e;
    return true;
}

// The factor of |λ| in an atom: of one-sided conditions λ itself may stand, as it is 0 or more.
// False where it has another form.
static bool find_factor(Motion *motion, const FrictionTerm *term, Expr atom, Expr *factor)
{
    ExprPool *pool = motion->pool;
    Expr one = expr_int(pool, 1), zero = expr_int(pool, 0), squares[FRICTION_NORMALS];
    *factor = one;
    if (expr_same(atom, term->by[0]->lambda))
        return term->side != SIZE_MAX;
    if (expr_op(pool, atom) == EXPR_ABS && expr_same(expr_arg(pool, atom, 0), term->by[0]->lambda))
        return true;
    // atom² = factor²·(λ₁² + …): it is compared with that.
    *factor = atom;
    for (size_t i = 0; i < term->count; i++) {
        Expr lambda = term->by[i]->lambda;
        *factor = expr_replace(pool, *factor, &lambda, i == 0 ? &one : &zero, 1);
        squares[i] = expr_pow_int(pool, lambda, 2);
    }
    *factor = algebra_simplify(motion->algebra, *factor);
    Expr length2 = expr_sum(pool, squares, term->count);
    Expr square = expr_mul(pool, expr_pow_int(pool, *factor, 2), length2);
    return motion_is_zero(motion, expr_sub(pool, expr_pow_int(pool, atom, 2), square));
}

static Status refuse_bound(const MotionFriction *out, const char *why, Diag *diag)
{
    return diag_error(diag, out->friction->bound_place, "the bound of '%s' %s", out->friction->name,
                      why);
}

static Status refuse_form(const MotionFriction *out, Diag *diag)
{
    return refuse_bound(out,
                        "holds reactions in another way than in a sum of at most seven multiples "
                        "of abs(lambda.NAME), normal(NAME) or sqrt(lambda.A^2 + lambda.B^2)",
                        diag);
}

static Status find_side(Motion *motion, const MotionFriction *out, FrictionTerm *term, Diag *diag)
{
    term->side = SIZE_MAX;
    for (size_t k = 0; k < term->count; k++) {
        bool two_sided = motion_row_of(motion, term->by[k]);
        for (size_t i = 0; i < motion->side_count; i++)
            if (motion->sides[i].constraint == term->by[k])
                term->side = i;
        if (term->side != SIZE_MAX && term->count > 1)
            return refuse_bound(out,
                                "holds the length of several reactions, one of them of a "
                                "one-sided condition; they have to be those of equations",
                                diag);
        if (term->side == SIZE_MAX && !two_sided)
            return diag_error(diag, out->friction->bound_place,
                              "the bound of '%s' holds the reaction of '%s', which follows from "
                              "the other conditions, so that it is not determined",
                              out->friction->name, term->by[k]->name);
    }
    return STATUS_OK;
}

// ---- Which reactions press on what.

static bool is_same_set(const FrictionTerm *a, const FrictionTerm *b)
{
    return a->count == b->count && memcmp(a->by, b->by, a->count * sizeof *a->by) == 0;
}

static bool overlaps(const FrictionTerm *a, const FrictionTerm *b)
{
    bool found = false;
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            found = found || a->by[i] == b->by[k];
    return found;
}

// Whether a reaction of the term is among other ones in a length of another friction, or of this
// one; *taken where a friction has the contact of this term.
static bool is_divided(const Motion *motion, const MotionFriction *out, const FrictionTerm *term,
                       bool *taken)
{
    bool divided = false;
    for (size_t i = 0; i < motion->friction_count; i++) {
        const MotionFriction *other = &motion->frictions[i];
        FrictionTerm own;
        bool has = other != out && motion_friction_own(other, &own);
        *taken = *taken || (has && is_same_set(&own, term));
        divided = divided || (has && overlaps(&own, term) && !is_same_set(&own, term));
        for (size_t k = 0; k < other->term_count; k++)
            divided = divided ||
                      (overlaps(&other->terms[k], term) && !is_same_set(&other->terms[k], term));
    }
    return divided;
}

// One more term, or more of one that is there.
static Status add_term(Motion *motion, MotionFriction *out, FrictionTerm term, Diag *diag)
{
    ExprPool *pool = motion->pool;
    bool taken = false;
    for (size_t i = 0; i < out->term_count; i++)
        if (is_same_set(&out->terms[i], &term)) {
            out->terms[i].bound = expr_add(pool, out->terms[i].bound, term.bound);
            out->terms[i].hold = expr_add(pool, out->terms[i].hold, term.hold);
            return STATUS_OK;
        }
    if (out->term_count == FRICTION_TERMS)
        return refuse_form(out, diag);
    if (is_divided(motion, out, &term, &taken))
        return refuse_bound(out,
                            "holds a reaction that presses together with others elsewhere, as one "
                            "of a length; let both hold the same length",
                            diag);
    out->terms[out->term_count++] = term;
    return STATUS_OK;
}

// The terms of one of the bounds: that of sliding, or of sticking.
static Status add_terms(Motion *motion, MotionFriction *out, Expr bound, bool sticks, Diag *diag)
{
    ExprPool *pool = motion->pool;
    Expr zero = expr_int(pool, 0);
    Parts parts = {.rest = zero};
    if (!add_parts(motion, expr_int(pool, 1), bound, &parts))
        return refuse_form(out, diag);
    *(sticks ? &out->hold : &out->bound) = parts.rest;
    for (size_t i = 0; i < parts.count; i++) {
        const ModelConstraint *found[FRICTION_NORMALS];
        FrictionTerm term = {.count = find_reactions(motion, parts.atoms[i], found)};
        Expr factor;
        if (term.count > FRICTION_NORMALS)
            return refuse_bound(out, "holds the length of more than three reactions", diag);
        memcpy(term.by, found, term.count * sizeof *found);
        TRY(find_side(motion, out, &term, diag));
        if (!find_factor(motion, &term, parts.atoms[i], &factor))
            return refuse_form(out, diag);
        factor = expr_mul(pool, parts.factors[i], factor);
        term.bound = sticks ? zero : factor;
        term.hold = sticks ? factor : zero;
        TRY(add_term(motion, out, term, diag));
    }
    return STATUS_OK;
}

// A bound that is one length alone: the law shares its contact, unless another friction does.
static void take_contact(const Motion *motion, MotionFriction *out)
{
    const FrictionTerm *term = &out->terms[0];
    bool taken = false;
    if (out->term_count != 1 || !expr_is_zero(motion->pool, out->bound) ||
        !expr_is_zero(motion->pool, out->hold))
        return;
    is_divided(motion, out, term, &taken);
    if (taken)
        return;
    out->constraint = term->by[0];
    out->side = term->side;
    out->also_count = term->count - 1;
    for (size_t i = 1; i < term->count; i++)
        out->also[i - 1] = term->by[i];
    out->bound = term->bound;
    out->hold = term->hold;
    out->term_count = 0;
}

// Reactions of what holds by itself are 0.
static Expr without_identities(const Motion *motion, Expr e)
{
    Expr zero = expr_int(motion->pool, 0);
    for (size_t i = 0; i < motion->aside.count; i++)
        if (motion->aside.at[i].identity)
            e = expr_replace(motion->pool, e, &motion->aside.at[i].constraint->lambda, &zero, 1);
    return e;
}

Status friction_take_reactions(Motion *motion, MotionFriction *out, Diag *diag)
{
    // Most are like the one before.
    const MotionFriction *last = out > motion->frictions ? out - 1 : NULL;
    out->bound = out->friction->bound;
    out->hold = out->friction->hold;
    out->free = last && last->free && expr_same(last->friction->bound, out->bound) &&
                expr_same(last->friction->hold, out->hold);
    if (out->free)
        return STATUS_OK;
    Expr slide = without_identities(motion, friction_with_normals(motion, out->bound)),
         stick = without_identities(motion, friction_with_normals(motion, out->hold));
    out->free = is_free(motion, expr_add(motion->pool, slide, stick));
    if (out->free)
        return STATUS_OK;
    if (out->friction->kind == FRICTION_ON_CONDITION)
        return refuse_bound(out, "is a coefficient, which may not hold reactions", diag);
    out->terms = arena_array(motion->arena, FrictionTerm, FRICTION_TERMS);
    TRY(add_terms(motion, out, slide, false, diag));
    TRY(add_terms(motion, out, stick, true, diag));
    take_contact(motion, out);
    return STATUS_OK;
}

// ---- What presses.

bool motion_friction_own(const MotionFriction *friction, FrictionTerm *own)
{
    if (!friction->constraint)
        return false;
    *own = (FrictionTerm){.by = {friction->constraint},
                          .count = friction->also_count + 1,
                          .side = friction->side,
                          .bound = friction->bound,
                          .hold = friction->hold};
    for (size_t i = 0; i < friction->also_count; i++)
        own->by[i + 1] = friction->also[i];
    return true;
}

bool motion_friction_is_pressed(const MotionFriction *friction)
{
    return friction->constraint || friction->term_count > 0;
}

bool motion_friction_has_length(const MotionFriction *friction)
{
    bool found = friction->also_count > 0;
    for (size_t i = 0; i < friction->term_count; i++)
        found = found || friction->terms[i].count > 1;
    return found;
}

bool motion_friction_presses(const MotionFriction *friction, const ModelConstraint *constraint)
{
    FrictionTerm own;
    bool found = false;
    for (size_t i = 0; i <= friction->term_count; i++) {
        const FrictionTerm *term = i < friction->term_count ? &friction->terms[i] : &own;
        if (i == friction->term_count && !motion_friction_own(friction, &own))
            break;
        for (size_t k = 0; k < term->count; k++)
            found = found || term->by[k] == constraint;
    }
    return found;
}

bool motion_friction_acts(const Motion *motion, const MotionFriction *friction, const bool *held)
{
    if (friction->side != SIZE_MAX)
        return held[friction->side];
    bool acts = friction->constraint || friction->term_count == 0 ||
                !expr_is_zero(motion->pool, friction->hold);
    for (size_t i = 0; i < friction->term_count && !acts; i++)
        acts = friction->terms[i].side == SIZE_MAX || held[friction->terms[i].side];
    return acts;
}
