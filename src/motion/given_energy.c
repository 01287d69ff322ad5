// given_energy.c: what belongs to an energy of acceleration that was given (Appell 14–16).
//
// Where S = φ(q'') + Σ ψ_ν q''_ν + …, φ quadratic with coefficients that hold no velocities,
// T = φ(q') belongs to it, and in
//
//     d/dt ∂T/∂q'_ν − ∂T/∂q_ν − ∂S/∂q''_ν = Δ_ν                              (Appell (40))
//
// no accelerations are left: the motion is that of a system with this T on which the Δ_ν act as
// well. T is an energy only where they do no work, Σ Δ_ν q'_ν = 0 (Appell (44), which is (38));
// else no T belongs to S.
//
// An S that is not of the second degree (Hamel 252) is split: q''·𝓜q''/2 + …, and the rest σ.
#include "algebra/simplify.h"
#include "motion/motion_impl.h"

static Expr *room_for(Motion *motion, size_t count)
{
    return arena_alloc(motion->arena, (count + 1) * sizeof(Expr));
}

// ∂²S/∂q''∂q'', n × n.
static Expr *second_derivatives(Motion *motion, Expr S)
{
    size_t n = motion->n;
    Expr *slopes = base_alloc((n + 1) * sizeof *slopes), *matrix = room_for(motion, n * n);
    expr_gradient(motion->pool, S, motion->a, n, slopes);
    for (size_t nu = 0; nu < n; nu++)
        expr_gradient(motion->pool, slopes[nu], motion->a, n, matrix + nu * n);
    base_free(slopes);
    return matrix;
}

// Whether a function of q'' or q' depends on none of these: where it is not seen, it is proved.
static bool is_free_of(Motion *motion, Expr e, const Expr *symbols)
{
    for (size_t i = 0; i < motion->n; i++)
        if (expr_holds(motion->pool, e, symbols[i]) &&
            !motion_is_zero(motion, expr_diff(motion->pool, e, symbols[i])))
            return false;
    return true;
}

static bool are_free_of(Motion *motion, const Expr *matrix, const Expr *symbols)
{
    for (size_t i = 0; i < motion->n * motion->n; i++)
        if (!is_free_of(motion, matrix[i], symbols))
            return false;
    return true;
}

// e for q'' = 0.
static Expr at_rest(const Motion *motion, Expr e)
{
    Expr *zeros = base_alloc((motion->n + 1) * sizeof *zeros);
    for (size_t i = 0; i < motion->n; i++)
        zeros[i] = expr_int(motion->pool, 0);
    Expr value = expr_replace(motion->pool, e, motion->a, zeros, motion->n);
    base_free(zeros);
    return value;
}

// ½ x·matrix·x
static Expr half_form(const Motion *motion, const Expr *matrix, const Expr *x)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    Expr *terms = base_alloc((n * n + 1) * sizeof *terms);
    for (size_t i = 0; i < n * n; i++)
        terms[i] =
            expr_product(pool, (Expr[]){expr_ratio(pool, 1, 2), matrix[i], x[i / n], x[i % n]}, 4);
    Expr sum = expr_sum(pool, terms, n * n);
    base_free(terms);
    return sum;
}

// S less ½ q''·matrix·q'', its linear terms and what it is for q'' = 0.
static Expr beyond(Motion *motion, Expr S, const Expr *matrix)
{
    ExprPool *pool = motion->pool;
    Expr *linear = base_alloc((motion->n + 1) * sizeof *linear);
    expr_gradient(pool, S, motion->a, motion->n, linear);
    for (size_t nu = 0; nu < motion->n; nu++)
        linear[nu] = at_rest(motion, linear[nu]);
    Expr parts[] = {S, expr_neg(pool, half_form(motion, matrix, motion->a)),
                    expr_neg(pool, motion_along(motion, linear, motion->a)),
                    expr_neg(pool, at_rest(motion, S))};
    base_free(linear);
    return expr_sum(pool, parts, 4);
}

// Second derivatives without accelerations are not enough: those of |q''| vanish.
static bool is_quadratic(Motion *motion, Expr S, const Expr *matrix)
{
    return are_free_of(motion, matrix, motion->a) &&
           motion_is_zero(motion, beyond(motion, S, matrix));
}

// ---- T = φ(q').

// −Δ_ν for this T, 0 where that is proved.
static void find_corrections(Motion *motion, Expr T, Expr *out)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    Expr *p = base_alloc((2 * n + 1) * sizeof *p), *slopes = p + n;
    expr_gradient(pool, T, motion->v, n, p);
    expr_gradient(pool, T, motion->q, n, slopes);
    expr_gradient(pool, motion->model->acceleration_energy, motion->a, n, out);
    for (size_t nu = 0; nu < n; nu++) {
        Expr parts[] = {at_rest(motion, out[nu]), slopes[nu],
                        expr_neg(pool, expr_rate(motion->dt_still, p[nu]))};
        Expr rest = expr_sum(pool, parts, 3);
        out[nu] = motion_is_zero(motion, rest) ? expr_int(pool, 0)
                                               : algebra_simplify(motion->algebra, rest);
    }
    base_free(p);
}

static const char *works(Motion *motion, Expr power, Answer none)
{
    Text text = {0};
    bool known = none == ANSWER_NO;
    text_addf(&text,
              "no T %s to the S given: Σ ψ q' − E = ", known ? "belongs" : "is known to belong");
    expr_print(motion->pool, algebra_simplify(motion->algebra, power), &text);
    text_add(&text, known ? " does not vanish (Appell (38)); give what does work as a force"
                          : " cannot be shown to vanish (Appell (38))");
    const char *reason = arena_copy_text(motion->arena, text.at, text.length);
    text_clear(&text);
    return reason;
}

// Why T = φ(q') does not belong to S; NULL where it does.
static const char *find_energy(Motion *motion, const Expr *matrix, bool quadratic)
{
    if (!quadratic)
        return "no T belongs to the S given: it is not quadratic in the accelerations (Appell 14)";
    if (!are_free_of(motion, matrix, motion->v))
        return "no T belongs to the S given: the coefficients of its quadratic terms hold "
               "velocities (Appell 14)";
    Expr *constant = base_alloc((motion->n * motion->n + 1) * sizeof *constant);
    for (size_t i = 0; i < motion->n * motion->n; i++)
        constant[i] = at_rest(motion, matrix[i]);
    Expr T = algebra_simplify(motion->algebra, half_form(motion, constant, motion->v));
    Expr *rest = room_for(motion, motion->n);
    base_free(constant);
    find_corrections(motion, T, rest);
    Expr power = motion_along(motion, rest, motion->v);
    Verdict none = algebra_is_zero(motion->algebra, motion_in_speeds(motion, power));
    Answer answer = none.answer;
    verdict_clear(&none);
    if (answer != ANSWER_YES)
        return works(motion, power, answer);
    motion->given->T = T;
    motion->rest_of_S = rest;
    return NULL;
}

// ---- Without a T.

// Whether a number, or a parameter times one, is seen to be 0 or less.
static bool is_not_positive(const Motion *motion, Expr e)
{
    ExprPool *pool = motion->pool;
    if (expr_is_zero(pool, e))
        return true;
    Expr opposite = expr_neg(pool, e);
    return motion_is_plainly_positive(motion, opposite);
}

// 𝓜 is the second derivatives for q'' = 0. Where these are not positive to the eye, the
// coordinate's row is 1 and all the rest of it is σ's: only their sum counts.
static void split(Motion *motion, Expr *matrix)
{
    ExprPool *pool = motion->pool;
    size_t n = motion->n;
    Expr S = motion->given->S;
    for (size_t i = 0; i < n * n; i++)
        matrix[i] = at_rest(motion, matrix[i]);
    for (size_t nu = 0; nu < n; nu++) {
        if (!expr_holds(pool, S, motion->a[nu]) || !is_not_positive(motion, matrix[nu * n + nu]))
            continue;
        for (size_t mu = 0; mu < n; mu++)
            matrix[nu * n + mu] = matrix[mu * n + nu] = expr_int(pool, mu == nu);
    }
    motion->given->sigma = beyond(motion, S, matrix);
    motion->given->dsigma = room_for(motion, n);
    expr_gradient(pool, motion->given->sigma, motion->a, n, motion->given->dsigma);
    motion->given->inertia = matrix;
}

void motion_take_given_energy(Motion *motion)
{
    ExprPool *pool = motion->pool;
    Expr S = motion->model->acceleration_energy, zero = expr_int(pool, 0);
    size_t n = motion->n;
    if (expr_is_zero(pool, S))
        return;
    MotionGiven *given = motion->given = arena_alloc(motion->arena, sizeof *given);
    *given = (MotionGiven){.T = zero, .S = zero, .sigma = zero};
    Expr *matrix = second_derivatives(motion, S);
    bool quadratic = is_quadratic(motion, S, matrix);
    given->no_T = find_energy(motion, matrix, quadratic);
    if (!given->no_T) {
        motion->T = expr_add(pool, motion->T, given->T);
        motion->energy = expr_add(pool, motion->energy, given->T);
        expr_gradient(pool, motion->T, motion->v, n, motion->p);
        expr_gradient(pool, motion->T, motion->q, n, motion->dT_dq);
        return;
    }
    given->S = S;
    motion->energy = (Expr){0};
    expr_gradient(pool, S, motion->a, n, motion->rest_of_S);
    if (quadratic)
        given->inertia = matrix;
    else
        split(motion, matrix);
}

// ---- What is asked for.

Expr motion_apparent_force_on(Motion *motion, MotionReduction *reduction, size_t alpha)
{
    return motion_no_T(motion) ? expr_int(motion->pool, 0)
                               : expr_neg(motion->pool, motion_on_speed(motion, reduction,
                                                                        motion->rest_of_S, alpha));
}

Expr motion_T_of_S(const Motion *motion)
{
    return motion->given ? motion->given->T : expr_int(motion->pool, 0);
}

const char *motion_no_T(const Motion *motion)
{
    return motion->given ? motion->given->no_T : NULL;
}

Expr motion_S_without_T(const Motion *motion)
{
    return motion->given ? motion->given->S : expr_int(motion->pool, 0);
}

Expr motion_sigma(const Motion *motion)
{
    return motion->given ? motion->given->sigma : expr_int(motion->pool, 0);
}

const Expr *motion_dsigma(const Motion *motion)
{
    return motion->given ? motion->given->dsigma : NULL;
}
