// jacobi.c: whether Jacobi's theorem extends to a non-holonomic system (Quanjel 14–17, corrected).
//
// p'_α = −∂H/∂q_α + R_α are the equations of a Hamiltonian only where R is a gradient −∂φ/∂q of a
// function of q and t. For conditions without time R is homogeneous of the second degree in the
// velocities, so that then all R must vanish; with time in them φ may be a true addition: a point
// with z' = c·x has φ = ½c²x², and the ordinary equation gives a wrong motion.
#include "inquiry/inquiry_impl.h"

#include <string.h>

// Beyond this H is not for reading.
enum { MOST_FREEDOMS = 6, MOST_NODES = 2000 };

typedef struct {
    Motion *motion;
    InquiryJacobi *out;
    MotionReduction *by;
    Form *lagrange, *canonical;
    Expr *q, *u, *R; // of the independent coordinates: k
} Question;

static bool refuse(Question *question, Answer answer, const char *format, const char *first,
                   const char *second)
{
    Text text = {0};
    text_addf(&text, "%s%s%s%s", first, format, second, second[0] ? " differ" : "");
    question->out->extends = answer;
    question->out->reason = arena_copy_text(question->out->arena, text.at, text.length);
    text_clear(&text);
    return false;
}

// The same where a function is not known to vanish, and only a real point makes that a NO.
static bool refuse_unless_zero(Question *question, Answer zero, const char *format,
                               const char *first, const char *second)
{
    Text text = {0};
    text_addf(&text, "it is not decided whether %s", first);
    bool known = zero == ANSWER_NO;
    refuse(question, known ? ANSWER_NO : ANSWER_UNKNOWN, format, known ? first : text.at, second);
    text_clear(&text);
    return false;
}

static const char *name_of(const Question *question, size_t alpha)
{
    return question->motion->model->coords.at[question->by->speeds[alpha].index].name;
}

// ---- What the theorem is about.

// A force that is 0 for the values given counts as none.
static bool forces_have_potential(Question *question, ExprSubst *values)
{
    Motion *motion = question->motion;
    for (size_t nu = 0; nu < motion->n; nu++) {
        Expr slope = expr_diff(motion->pool, motion->U, motion->q[nu]);
        Expr other = expr_add(motion->pool, motion->K[nu], slope);
        Answer none = inquiry_is_zero(motion, other);
        if (none != ANSWER_YES)
            none = inquiry_is_zero(motion, expr_subst(values, other));
        if (none != ANSWER_YES)
            return refuse_unless_zero(question, none,
                                      ": the force on it has no potential, and H needs one",
                                      motion->model->coords.at[nu].name, "");
    }
    return true;
}

// Whether a function holds no dependent coordinate; else which one.
static Answer holds_no_dependent(const Question *question, Expr e, const char **which)
{
    const Motion *motion = question->motion;
    for (size_t nu = 0; nu < motion->n; nu++) {
        bool independent = false;
        for (size_t alpha = 0; alpha < motion->k; alpha++)
            independent = independent || question->by->speeds[alpha].index == nu;
        *which = motion->model->coords.at[nu].name;
        Answer zero = ANSWER_YES;
        if (!independent && expr_holds(motion->pool, e, motion->q[nu]))
            zero = inquiry_is_zero(question->motion, expr_diff(motion->pool, e, motion->q[nu]));
        if (zero != ANSWER_YES)
            return zero;
    }
    return ANSWER_YES;
}

static bool no_dependent_coordinates(Question *question)
{
    Motion *motion = question->motion;
    const char *which;
    Expr T = motion_reduced(motion, question->by, motion->T);
    Answer none = holds_no_dependent(question, T, &which);
    if (none != ANSWER_YES)
        return refuse_unless_zero(
            question, none,
            ", a dependent coordinate, stands in T⁺, so that H is no function of the "
            "independent ones alone; a reduced model has its finite relations put in first",
            which, "");
    none = holds_no_dependent(question, motion->U, &which);
    if (none != ANSWER_YES)
        return refuse_unless_zero(
            question, none,
            ", a dependent coordinate, stands in U, so that H is no function of the "
            "independent ones alone; a reduced model has its finite relations put in first",
            which, "");
    return true;
}

static bool corrections_hold_no_dependent(Question *question)
{
    const char *which;
    for (size_t alpha = 0; alpha < question->motion->k; alpha++) {
        Answer none = holds_no_dependent(question, question->R[alpha], &which);
        if (none != ANSWER_YES)
            return refuse_unless_zero(question, none, ", a dependent coordinate, stands in R",
                                      which, "");
    }
    return true;
}

// ---- φ.

static bool corrections_hold_no_velocities(Question *question)
{
    Motion *motion = question->motion;
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        for (size_t beta = 0; beta < motion->k; beta++) {
            Expr slope = expr_diff(motion->pool, question->R[alpha], question->u[beta]);
            Answer none = inquiry_is_zero(motion, slope);
            if (none != ANSWER_YES) {
                Text name = {0};
                text_addf(&name, "R_%s", name_of(question, alpha));
                refuse_unless_zero(
                    question, none,
                    " holds velocities, so that it is no derivative of a function of q and t",
                    name.at, "");
                text_clear(&name);
                return false;
            }
        }
    return true;
}

static bool cross_derivatives_agree(Question *question)
{
    Motion *motion = question->motion;
    ExprPool *pool = motion->pool;
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        for (size_t beta = 0; beta < alpha; beta++) {
            Expr twist = expr_sub(pool, expr_diff(pool, question->R[alpha], question->q[beta]),
                                  expr_diff(pool, question->R[beta], question->q[alpha]));
            Answer none = inquiry_is_zero(motion, twist);
            if (none == ANSWER_YES)
                continue;
            Text first = {0}, second = {0};
            text_addf(&first, "∂R_%s/∂%s", name_of(question, alpha), name_of(question, beta));
            text_addf(&second, "∂R_%s/∂%s", name_of(question, beta), name_of(question, alpha));
            refuse_unless_zero(question, none, " and ", first.at, second.at);
            text_clear(&first);
            text_clear(&second);
            return false;
        }
    return true;
}

static bool find_phi(Question *question)
{
    Motion *motion = question->motion;
    InquiryJacobi *out = question->out;
    Expr *slopes = base_alloc((motion->k + 1) * sizeof *slopes);
    out->ordinary = true;
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        bool zero = inquiry_vanishes(motion, question->R[alpha]);
        out->ordinary = out->ordinary && zero;
        out->R[alpha] =
            zero ? expr_int(motion->pool, 0) : inquiry_short(motion, question->R[alpha]);
        slopes[alpha] = expr_neg(motion->pool, out->R[alpha]);
    }
    out->extends = ANSWER_YES;
    out->phi = out->ordinary ? expr_int(motion->pool, 0)
                             : antiderivative(motion, question->q, slopes, motion->k);
    if (!expr_is_none(out->phi))
        out->phi = inquiry_short(motion, out->phi);
    base_free(slopes);
    return true;
}

// ---- The equation, and the motion that the ordinary one would give.

static void find_hamiltonian(Question *question)
{
    Motion *motion = question->motion;
    ExprPool *pool = motion->pool;
    InquiryJacobi *out = question->out;
    ExprList nodes = expr_nodes(pool, &motion->T, 1);
    bool small = motion->k <= MOST_FREEDOMS && nodes.count <= MOST_NODES;
    expr_list_free(&nodes);
    if (!small)
        return;
    question->canonical = form_derive_in(FORM_CANONICAL, motion, FORM_TO_RUN);
    if (question->canonical->reason)
        return;
    Expr *p = base_alloc((motion->k + 1) * sizeof *p);
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        Text name = {0};
        text_addf(&name, "p_%s", name_of(question, alpha));
        p[alpha] = expr_symbol(pool, name.at);
        text_clear(&name);
        text_addf(&name, "V_%s", name_of(question, alpha));
        out->slopes[alpha] = inquiry_symbol(motion, name.at);
        text_clear(&name);
    }
    Expr K = question->canonical->functions.at[1].value;
    Expr H = expr_add(pool, expr_replace(pool, K, p, out->slopes, motion->k), motion->U);
    out->H = inquiry_short(motion, H);
    base_free(p);
}

// The accelerations from Lagrange's equations, with R or without.
static Expr *accelerations(Question *question, bool naive)
{
    Motion *motion = question->motion;
    ExprPool *pool = motion->pool;
    size_t k = motion->k;
    Expr *rates = base_alloc((k * k + 3 * k + 1) * sizeof *rates);
    Expr *right = rates + k, *matrix = right + k;
    Expr *solution = arena_alloc(question->out->arena, (k + 1) * sizeof *solution);
    bool solved = true;
    for (size_t alpha = 0; alpha < k; alpha++)
        rates[alpha] = question->by->speeds[alpha].rate;
    for (size_t alpha = 0; alpha < k && solved; alpha++) {
        const FormEquation *equation = &question->lagrange->equations.at[alpha];
        Expr rest,
            residual = expr_sub(pool, equation->left, naive ? equation->naive : equation->right);
        solved = expr_linear(pool, residual, rates, k, matrix + alpha * k, &rest);
        right[alpha] = solved ? expr_neg(pool, rest) : residual;
    }
    solved = solved && algebra_solve(motion->algebra, matrix, right, k, 1, solution);
    for (size_t alpha = 0; alpha < k && solved; alpha++)
        solution[alpha] = inquiry_short(motion, solution[alpha]);
    base_free(rates);
    return solved ? solution : NULL;
}

static void find_motions(Question *question)
{
    InquiryJacobi *out = question->out;
    if (out->ordinary || expr_is_none(out->H))
        return;
    out->right = accelerations(question, false);
    out->wrong = out->right ? accelerations(question, true) : NULL;
}

// The coordinates that are not independent, and their rates; m at most. Returns how many.
static size_t dependent_coordinates(const Question *question, Expr *q, Expr *rates)
{
    Motion *motion = question->motion;
    size_t count = 0;
    for (size_t nu = 0; nu < motion->n; nu++) {
        bool independent = false;
        for (size_t alpha = 0; alpha < motion->k; alpha++)
            independent = independent || question->by->speeds[alpha].index == nu;
        if (independent)
            continue;
        q[count] = motion->q[nu];
        rates[count++] = motion_reduced(motion, question->by, motion->v[nu]);
    }
    return count;
}

// ∂V/∂a = b and, where the quadratures close, the motion.
static void find_quadratures(Question *question, Expr H)
{
    Motion *motion = question->motion;
    ExprPool *pool = motion->pool;
    size_t k = motion->k;
    Expr *accelerations = base_alloc((3 * k + 2 * motion->n + 1) * sizeof *accelerations);
    Expr *momenta = accelerations + k, *residuals = momenta + k;
    Expr *dependent = residuals + k, *rates = dependent + motion->n;
    Expr T = motion_reduced(motion, question->by, motion->T);
    expr_gradient(pool, T, question->u, k, momenta);
    for (size_t alpha = 0; alpha < k; alpha++) {
        const FormEquation *equation = &question->lagrange->equations.at[alpha];
        accelerations[alpha] = question->by->speeds[alpha].rate;
        residuals[alpha] = expr_sub(pool, equation->left, equation->right);
    }
    QuadratureSystem system = {.count = k,
                               .q = question->q,
                               .velocity = question->u,
                               .acceleration = accelerations,
                               .p = question->out->slopes,
                               .momenta = momenta,
                               .residuals = residuals,
                               .H = H,
                               .dependent_q = dependent,
                               .dependent_rates = rates};
    system.dependent_count = dependent_coordinates(question, dependent, rates);
    quadratures_find(motion, question->out->arena, &system, question->out->separation);
    base_free(accelerations);
}

// Whether ∂²V/∂q_α²·q'_α is the rate of every momentum; V separates, so that nothing else of (29)
// is left.
static bool rates_follow(const Question *question, Expr H)
{
    const InquiryJacobi *out = question->out;
    Motion *motion = question->motion;
    ExprPool *pool = motion->pool;
    const Expr *momenta = out->separation->momenta;
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        Expr bend = expr_diff(pool, momenta[alpha], question->q[alpha]);
        Expr velocity = expr_diff(pool, H, out->slopes[alpha]);
        Expr off = expr_sub(pool, expr_mul(pool, bend, velocity), out->momentum_rates[alpha]);
        if (!inquiry_vanishes(motion, expr_replace(pool, off, out->slopes, momenta, motion->k)))
            return false;
    }
    return true;
}

static void find_momentum_rates(Question *question, Expr H)
{
    InquiryJacobi *out = question->out;
    Motion *motion = question->motion;
    out->momentum_rates = arena_alloc(out->arena, (motion->k + 1) * sizeof(Expr));
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        Expr slope = expr_diff(motion->pool, H, question->q[alpha]);
        out->momentum_rates[alpha] = inquiry_short(motion, expr_neg(motion->pool, slope));
    }
    out->rates_proved = out->separation && rates_follow(question, H);
}

static void separate(Question *question)
{
    InquiryJacobi *out = question->out;
    Motion *motion = question->motion;
    if (expr_is_none(out->H) || expr_is_none(out->phi))
        return;
    Expr H = inquiry_short(motion, expr_add(motion->pool, out->H, out->phi));
    if (!expr_holds(motion->pool, H, motion->model->t))
        out->separation = separation_of(motion, out->arena, H, question->q, out->slopes, motion->k);
    if (out->separation)
        find_quadratures(question, H);
    if (!out->ordinary)
        find_momentum_rates(question, H);
}

// ---- The question.

static bool is_about(Question *question)
{
    Motion *motion = question->motion;
    const char *stranger = inquiry_stranger(motion);
    if (motion->second_count > 0)
        return refuse(question, ANSWER_UNKNOWN,
                      " holds accelerations; the theorem is about conditions on velocities",
                      motion->seconds[0].row.constraint->name, "");
    if (stranger)
        return refuse(question, ANSWER_UNKNOWN,
                      " is not linear in the velocities, or kept by a servo; the theorem is about "
                      "ideal conditions that are linear",
                      stranger, "");
    question->by = motion_velocities(motion);
    question->lagrange = form_derive_in(FORM_LAGRANGE, motion, FORM_TO_RUN);
    if (question->lagrange->reason)
        return refuse(question, ANSWER_UNKNOWN, "", question->lagrange->reason, "");
    return true;
}

static void take_parts(Question *question)
{
    Motion *motion = question->motion;
    InquiryJacobi *out = question->out;
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        const MotionSpeed *speed = &question->by->speeds[alpha];
        out->coordinates[alpha] = speed->index;
        question->q[alpha] = motion->q[speed->index];
        question->u[alpha] = speed->u;
        question->R[alpha] = question->lagrange->functions.at[1 + alpha].value;
    }
}

InquiryJacobi *inquiry_jacobi(Motion *motion)
{
    size_t k = motion->k;
    InquiryJacobi *out = base_alloc(sizeof *out);
    out->arena = arena_new();
    out->coordinates = arena_alloc(out->arena, (k + 1) * sizeof *out->coordinates);
    out->slopes = arena_alloc(out->arena, (k + 1) * sizeof(Expr));
    out->R = arena_alloc(out->arena, (k + 1) * sizeof(Expr));
    Question question = {.motion = motion, .out = out};
    question.q = base_alloc((3 * k + 1) * sizeof(Expr));
    question.u = question.q + k;
    question.R = question.u + k;
    ExprSubst *values = inquiry_values(motion);
    if (is_about(&question)) {
        take_parts(&question);
        if (forces_have_potential(&question, values) && no_dependent_coordinates(&question) &&
            corrections_hold_no_velocities(&question) && corrections_hold_no_dependent(&question) &&
            cross_derivatives_agree(&question) && find_phi(&question)) {
            find_hamiltonian(&question);
            find_motions(&question);
            separate(&question);
        }
    }
    expr_subst_free(values);
    form_free(question.lagrange);
    form_free(question.canonical);
    base_free(question.q);
    return out;
}

void inquiry_jacobi_free(InquiryJacobi *jacobi)
{
    if (!jacobi)
        return;
    arena_free(jacobi->arena);
    base_free(jacobi);
}
