// orthonormal.c: speeds in which T is a sum of squares (Hamel 236).
//
// With T = ½ q'·𝓜q' + l·q' + T₀ and the velocities q' = B·u + C that the conditions leave, the
// reduced matrix BᵀMB = L D Lᵀ is factored on the graph (Cholesky's factorization with the roots
// kept apart: L is rational, D is its diagonal). The columns of E = B·L⁻ᵀ·D^{-1/2} are then n
// virtual displacements of unit length, at right angles as T measures them, and
//
//     ω_α = Σ_ν E_να ∂T/∂q'_ν,   T⁺ = ½ Σ ω_α² + a function of q and t
//
// On the conditions this is D^{1/2}·Lᵀ·u, the square completed where T⁺ has linear terms. Off
// them the momentum is taken and not another continuation, because then the displacements that
// the conditions forbid are at right angles to the free ones: without rheonomic terms the momenta
// P₁…P_m of the conditions vanish, and (II) becomes (IIa) as it stands, with free indices only.
#include "motion/motion_impl.h"

#include <string.h>

typedef struct {
    Motion *motion;
    Expr *mass;    // 𝓜, n × n
    Expr *rest;    // l, n
    Expr *reduced; // k × k: what is left to factor; the rows of D·Lᵀ once they are done
    Expr *root;    // of D, k
    Expr *inverse; // L⁻ᵀ, k × k
    Expr *F;       // B·L⁻ᵀ, n × k: E without the roots
    Expr *shift;   // ω·root at u = 0, k: what the rheonomic terms carry along
    size_t *order; // of the pivots
    double effort; // what may still be spent on short forms
} Orthonormal;

static const double EFFORT = 2e5; // on short forms, in one system
enum { SHORT = 200 };             // nodes of what is worth making short

static size_t nodes_of(const ExprPool *pool, Expr e)
{
    ExprList list = expr_nodes(pool, &e, 1);
    size_t count = list.count;
    expr_list_free(&list);
    return count;
}

static Expr tidy(Orthonormal *of, Expr e)
{
    if (of->effort <= 0 || nodes_of(of->motion->pool, e) > SHORT)
        return e;
    return algebra_simplify_within(of->motion->algebra, e, &of->effort);
}

// ---- T's own parts.

static bool find_parts(Orthonormal *of)
{
    Motion *motion = of->motion;
    size_t n = motion->n;
    Expr *zeros = base_alloc((n + 1) * sizeof *zeros);
    bool quadratic = true;
    motion_mass_matrix(motion, of->mass);
    for (size_t i = 0; i < n; i++)
        zeros[i] = expr_int(motion->pool, 0);
    for (size_t i = 0; i < n * n; i++)
        quadratic = quadratic && !expr_holds_any(motion->pool, of->mass[i], motion->v, n);
    for (size_t i = 0; i < n; i++)
        of->rest[i] = expr_replace(motion->pool, motion->p[i], motion->v, zeros, n);
    base_free(zeros);
    return quadratic;
}

// ---- L D Lᵀ. Any order of the pivots will do; short ones first keep the rest short.

static size_t next_pivot(const Orthonormal *of, const bool *done)
{
    size_t k = of->motion->k, best = k, least = 0;
    for (size_t i = 0; i < k; i++) {
        if (done[i])
            continue;
        size_t size = nodes_of(of->motion->pool, of->reduced[i * k + i]);
        if (best == k || size < least) {
            best = i;
            least = size;
        }
    }
    return best;
}

// Whether something that moves stands below a line in one of the nodes.
static bool has_pole(const Motion *motion, ExprList nodes, Expr base)
{
    for (size_t i = 0; i < nodes.count; i++) {
        Expr e = {nodes.at[i]};
        size_t count =
            expr_op(motion->pool, e) == EXPR_PRODUCT ? expr_arg_count(motion->pool, e) : 0;
        for (size_t j = 0; j < count; j++)
            if (expr_same(expr_arg(motion->pool, e, j), base) &&
                fmpq_sgn(expr_arg_weight(motion->pool, e, j)) < 0)
                return true;
    }
    return false;
}

// Whether a form of e has a pole that e has not: 1/sin(a − b) over one line with others may become
// sin(a + b)/(cos²b − cos²a).
static bool has_other_poles(const Motion *motion, Expr e, Expr form)
{
    ExprPool *pool = motion->pool;
    ExprList own = expr_nodes(pool, &e, 1), nodes = expr_nodes(pool, &form, 1);
    bool other = false;
    for (size_t i = 0; i < nodes.count && !other; i++) {
        Expr node = {nodes.at[i]};
        size_t count = expr_op(pool, node) == EXPR_PRODUCT ? expr_arg_count(pool, node) : 0;
        for (size_t j = 0; j < count && !other; j++) {
            Expr base = expr_arg(pool, node, j);
            other = fmpq_sgn(expr_arg_weight(pool, node, j)) < 0 &&
                    expr_holds_any(pool, base, motion->q, motion->n) &&
                    !has_pole(motion, own, base);
        }
    }
    expr_list_free(&own);
    expr_list_free(&nodes);
    return other;
}

// The canonical form of what is short and stays so, else e itself. A root in this form is not
// written in another way by anybody who makes short what it stands in.
static Expr as_canonical(Orthonormal *of, Expr e)
{
    Expr form;
    size_t size = nodes_of(of->motion->pool, e);
    if (size > SHORT || algebra_canonical(of->motion->algebra, e, &form) != ANSWER_YES)
        return e;
    bool keeps = nodes_of(of->motion->pool, form) <= 3 * size;
    return keeps && !has_other_poles(of->motion, e, form) ? form : e;
}

// A function whose square is `square`: what is a square already loses its exponent and not its
// sign, so that cos²ψ gives the smooth cos ψ; of the rest the root is kept, b^(−1/2) being
// b^(1/2)/b.
static Expr root_of(Orthonormal *of, Expr square)
{
    ExprPool *pool = of->motion->pool;
    // m + 2C/r² is (m r² + 2C)/r².
    if (expr_op(pool, square) == EXPR_SUM)
        square = as_canonical(of, square);
    if (expr_op(pool, square) != EXPR_PRODUCT)
        return as_canonical(of, expr_sqrt(pool, square));
    Expr outside = expr_int(pool, 1), inside = expr_number(pool, expr_value(pool, square));
    for (size_t i = 0; i < expr_arg_count(pool, square); i++) {
        Expr base = expr_arg(pool, square, i);
        Expr weight = expr_number(pool, expr_arg_weight(pool, square, i));
        int64_t whole;
        if (!expr_get_int(pool, weight, &whole)) {
            inside = expr_mul(pool, inside, expr_pow(pool, base, weight));
            continue;
        }
        int64_t odd = whole % 2 != 0;
        outside = expr_mul(pool, outside, expr_pow_int(pool, base, (whole - odd) / 2));
        inside = expr_mul(pool, inside, expr_pow_int(pool, base, odd));
    }
    return expr_mul(pool, outside, as_canonical(of, expr_sqrt(pool, inside)));
}

// False where the diagonal vanishes: T is not positive.
static bool factor(Orthonormal *of)
{
    ExprPool *pool = of->motion->pool;
    size_t k = of->motion->k;
    bool *done = base_alloc((k + 1) * sizeof *done);
    bool positive = true;
    for (size_t i = 0; i < k * k; i++)
        of->reduced[i] = tidy(of, of->reduced[i]);
    for (size_t step = 0; step < k && positive; step++) {
        size_t p = of->order[step] = next_pivot(of, done);
        Expr pivot = of->reduced[p * k + p];
        positive = !expr_is_zero(pool, pivot);
        done[p] = true;
        of->root[p] = root_of(of, pivot);
        for (size_t i = 0; i < k && positive; i++)
            for (size_t j = 0; j <= i; j++) {
                if (done[i] || done[j])
                    continue;
                Expr taken = expr_mul(pool, of->reduced[i * k + p],
                                      expr_div(pool, of->reduced[p * k + j], pivot));
                of->reduced[i * k + j] = of->reduced[j * k + i] =
                    tidy(of, expr_sub(pool, of->reduced[i * k + j], taken));
            }
    }
    base_free(done);
    return positive;
}

// L⁻ᵀ: from Lᵀ u = w, u_p = w_p − Σ_j (D Lᵀ)_pj / D_p · u_j over the pivots behind p.
static void invert(Orthonormal *of)
{
    ExprPool *pool = of->motion->pool;
    size_t k = of->motion->k;
    Expr *terms = base_alloc((k + 1) * sizeof *terms);
    for (size_t step = k; step-- > 0;) {
        size_t p = of->order[step];
        for (size_t column = 0; column < k; column++) {
            size_t count = 0;
            if (column == p)
                terms[count++] = expr_int(pool, 1);
            for (size_t behind = step + 1; behind < k; behind++) {
                size_t j = of->order[behind];
                Expr slope = expr_div(pool, of->reduced[p * k + j], of->reduced[p * k + p]);
                Expr term = expr_mul(pool, slope, of->inverse[j * k + column]);
                terms[count++] = expr_neg(pool, term);
            }
            of->inverse[p * k + column] = tidy(of, expr_sum(pool, terms, count));
        }
    }
    base_free(terms);
}

// ---- The speeds and the velocities in them.

// Σ_i a_i b_i, a and b taken in steps.
static Expr dot(ExprPool *pool, size_t count, const Expr *a, size_t step_a, const Expr *b,
                size_t step_b)
{
    Expr *terms = base_alloc((count + 1) * sizeof *terms);
    for (size_t i = 0; i < count; i++)
        terms[i] = expr_mul(pool, a[i * step_a], b[i * step_b]);
    Expr sum = expr_sum(pool, terms, count);
    base_free(terms);
    return sum;
}

static void make_directions(Orthonormal *of)
{
    Motion *motion = of->motion;
    size_t n = motion->n, k = motion->k;
    for (size_t nu = 0; nu < n; nu++)
        for (size_t alpha = 0; alpha < k; alpha++)
            of->F[nu * k + alpha] =
                tidy(of, dot(motion->pool, k, &motion->state.B[nu * k], 1, &of->inverse[alpha], k));
}

static void fill_speed(Orthonormal *of, const char *name, size_t alpha, MotionSpeed *speed)
{
    Motion *motion = of->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n, k = motion->k;
    Text rate = {0};
    text_addf(&rate, "%s'", name);
    *speed = (MotionSpeed){.name = arena_copy_text(motion->arena, name, strlen(name)),
                           .u = expr_symbol(pool, name),
                           .rate = expr_symbol(pool, rate.at),
                           .declared = true,
                           .orthonormal = true,
                           .linear = true,
                           .y = arena_alloc(motion->arena, n * sizeof(Expr))};
    text_clear(&rate);
    // The roots come last and alone, so that each is the same node wherever it stands.
    const Expr *direction = &of->F[alpha];
    Expr scale = expr_pow_int(pool, of->root[alpha], -1);
    Expr *y = base_alloc((n + 1) * sizeof *y);
    for (size_t nu = 0; nu < n; nu++) {
        y[nu] = tidy(of, dot(pool, n, direction, k, &of->mass[nu], n));
        speed->y[nu] = expr_mul(pool, y[nu], scale);
    }
    Expr y0 = tidy(of, dot(pool, n, direction, k, of->rest, 1));
    speed->y0 = expr_mul(pool, y0, scale);
    speed->value = expr_mul(pool, expr_add(pool, dot(pool, n, y, 1, motion->v, 1), y0), scale);
    of->shift[alpha] = tidy(of, expr_add(pool, dot(pool, n, y, 1, motion->state.C, 1), y0));
    base_free(y);
}

static bool is_named(const Model *model, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < model->params.count; i++)
        found = found || strcmp(model->params.at[i].name, name) == 0;
    for (size_t i = 0; i < model->coords.count; i++)
        found = found || strcmp(model->coords.at[i].name, name) == 0;
    for (size_t i = 0; i < model->speeds.count; i++)
        found = found || strcmp(model->speeds.at[i].name, name) == 0;
    return found;
}

// Whether the model uses one of the names stem1 … stemk.
static bool is_taken(const Motion *motion, const char *stem)
{
    bool taken = false;
    for (size_t alpha = 0; alpha < motion->k && !taken; alpha++) {
        Text name = {0};
        text_addf(&name, "%s%zu", stem, alpha + 1);
        taken = is_named(motion->model, name.at);
        text_clear(&name);
    }
    return taken;
}

static Status choose_stem(const Motion *motion, Diag *diag, const char **stem)
{
    static const char *const stems[] = {"omega", "eta", "w", "o"};
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (!is_taken(motion, stems[i])) {
            *stem = stems[i];
            return STATUS_OK;
        }
    return diag_error(diag, place_hint(HINT_SPEEDS),
                      "no orthonormal speeds: the model uses all of the names omega1, eta1, w1, o1 "
                      "…; call something else there");
}

static void take_speeds(Orthonormal *of, const char *stem)
{
    Motion *motion = of->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n, k = motion->k;
    MotionReduction *state = &motion->state;
    MotionSpeed *speeds = arena_alloc(motion->arena, (k + 1) * sizeof *speeds);
    for (size_t alpha = 0; alpha < k; alpha++) {
        Text name = {0};
        text_addf(&name, "%s%zu", stem, alpha + 1);
        fill_speed(of, name.at, alpha, &speeds[alpha]);
        text_clear(&name);
    }
    state->speeds = state->varied = speeds;
    // q' = F·(ω·root − shift)/D + C
    Expr *shift = base_alloc((k + 1) * sizeof *shift);
    for (size_t alpha = 0; alpha < k; alpha++)
        shift[alpha] = expr_div(pool, of->shift[alpha], of->reduced[alpha * k + alpha]);
    for (size_t nu = 0; nu < n; nu++) {
        Expr back = dot(pool, k, &of->F[nu * k], 1, shift, 1);
        state->C[nu] = tidy(of, expr_sub(pool, state->C[nu], back));
        for (size_t alpha = 0; alpha < k; alpha++)
            state->B[nu * k + alpha] = expr_div(pool, of->F[nu * k + alpha], of->root[alpha]);
    }
    base_free(shift);
    expr_subst_free(state->subst);
    expr_rates_free(state->along);
    state->subst = NULL;
    state->along = NULL;
    motion_make_drift(motion, state);
}

static Status replace_speeds(Orthonormal *of, Diag *diag)
{
    const char *stem = NULL;
    TRY(choose_stem(of->motion, diag, &stem));
    if (!find_parts(of))
        return diag_error(diag, place_hint(HINT_SPEEDS),
                          "no orthonormal speeds: T is not a quadratic function of the velocities, "
                          "so that it is no sum of squares of speeds");
    motion_reduced_mass_matrix(of->motion, of->reduced);
    if (!factor(of))
        return diag_error(diag, place_hint(HINT_SPEEDS),
                          "no orthonormal speeds: T is not positive on the velocities that the "
                          "constraints leave free, so that it is no sum of squares of speeds");
    invert(of);
    make_directions(of);
    take_speeds(of, stem);
    return STATUS_OK;
}

Status motion_orthonormal(Motion *motion, Diag *diag)
{
    size_t n = motion->n, k = motion->k;
    if (motion_no_T(motion))
        return diag_error(diag, place_hint(HINT_SPEEDS), "no orthonormal speeds, which need T: %s",
                          motion_no_T(motion));
    if (motion->curved)
        return diag_error(diag, place_hint(HINT_SPEEDS),
                          "no orthonormal speeds: a condition or a speed is not linear in the "
                          "velocities, and T is then no sum of squares of speeds");
    if (motion->servos)
        return diag_error(diag, place_hint(HINT_SPEEDS),
                          "no orthonormal speeds: %s, and these speeds are for ideal conditions",
                          motion_driven(motion));
    Orthonormal of = {.motion = motion, .effort = EFFORT};
    Expr *room = base_alloc((n * n + n + 2 * k * k + 2 * k + n * k + 1) * sizeof *room);
    of.order = base_alloc((k + 1) * sizeof *of.order);
    of.mass = room;
    of.rest = of.mass + n * n;
    of.reduced = of.rest + n;
    of.inverse = of.reduced + k * k;
    of.root = of.inverse + k * k;
    of.shift = of.root + k;
    of.F = of.shift + k;
    Status status = k == 0 ? STATUS_OK : replace_speeds(&of, diag);
    base_free(of.order);
    base_free(room);
    return status;
}
