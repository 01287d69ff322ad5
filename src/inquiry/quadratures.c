// quadratures.c: the motion from a complete integral, by ∂V/∂a = b (Quanjel (28)).
//
// V = −E·t + Σ ∫ V_α dq_α gives, for each of its constants a_j (E is the first),
//
//     Σ_α F_αj(q_α) = b_j  (+ t for E),     F_αj = ∫ ∂V_α/∂a_j dq_α.
//
// An equation with one unknown coordinate is solved for it where its integrand f is g'/√(A·g² + B·g
// + C) for some simple g(q): then g is a circular or hyperbolic function, a square or a line. What
// a coordinate that is known gives in other equations is in proportion, or an integral over time.
// Where t does not close, the path may, by a coordinate that H does not hold. Nothing is handed on
// that was not put into the equations of motion, and into the equations of the momenta, exactly.
#include "inquiry/inquiry_impl.h"

#include "motion/start_numbers.h"

#include <string.h>

enum { MOST_COORDINATES = 6 };

typedef struct {
    Motion *motion;
    const QuadratureSystem *system;
    InquirySeparation *out;
    size_t count;  // coordinates, and constants
    Expr by;       // t, or the coordinate that the path goes by
    Expr left_out; // the coordinate, none for t
    bool known[MOST_COORDINATES];
    Expr value[MOST_COORDINATES];    // q_α in `by` and the constants
    Expr argument[MOST_COORDINATES]; // F of the equation that gave it, in the same
    size_t from[MOST_COORDINATES];   // that equation
} Solution;

static Expr constant_of(const InquirySeparation *out, size_t j)
{
    return j ? out->constants[j - 1] : out->energy;
}

static Expr integrand(const Solution *work, size_t alpha, size_t j)
{
    return work->out->quadratures[j].integrands[alpha];
}

static bool is_nothing(const Solution *work, size_t alpha, size_t j)
{
    return expr_is_zero(work->motion->pool, integrand(work, alpha, j));
}

// ---- Signs, for the values of the parameters and the start that the model gives.

static int sign_at_start(const Solution *work, Expr e)
{
    ExprPool *pool = work->motion->pool;
    const InquirySeparation *out = work->out;
    for (size_t j = out->constant_count + 1; j-- > 0;) {
        Expr constant = constant_of(out, j);
        e = expr_replace(pool, e, &constant, &out->integrals[j], 1);
    }
    e = expr_replace(pool, e, work->system->p, work->system->momenta, work->count);
    double number = 0;
    if (!motion_numbers_at_start(work->motion, &e, 1, &number))
        return 0;
    return (number > 0) - (number < 0);
}

// ---- One quadrature: f = g'/√(A·g² + B·g + C).

typedef struct {
    Expr A, B, C;
} Quadratic;

// A function that is known to be constant in x, without it.
static Expr without(const Solution *work, Expr e, Expr x)
{
    ExprPool *pool = work->motion->pool;
    Expr one = expr_int(pool, 1);
    e = inquiry_short(work->motion, e);
    return expr_holds(pool, e, x) ? inquiry_short(work->motion, expr_replace(pool, e, &x, &one, 1))
                                  : e;
}

// Whether D is A·g² + B·g + C with coefficients that do not hold x.
static bool is_quadratic(const Solution *work, Expr D, Expr g, Expr x, Quadratic *of)
{
    Motion *motion = work->motion;
    ExprPool *pool = motion->pool;
    Expr slope = expr_diff(pool, g, x), two = expr_int(pool, 2);
    Expr first = inquiry_short(motion, expr_div(pool, expr_diff(pool, D, x), slope));
    Expr second = inquiry_short(motion, expr_div(pool, expr_diff(pool, first, x), slope));
    if (!inquiry_vanishes(motion, expr_diff(pool, second, x)))
        return false;
    of->A = expr_div(pool, without(work, second, x), two);
    Expr linear = expr_mul(pool, expr_mul(pool, two, of->A), g);
    of->B = without(work, expr_sub(pool, first, linear), x);
    Expr rest[] = {D, expr_neg(pool, expr_mul(pool, of->A, expr_pow_int(pool, g, 2))),
                   expr_neg(pool, expr_mul(pool, of->B, g))};
    of->C = without(work, expr_sum(pool, rest, 3), x);
    return true;
}

// −B/(2A) + √((B² − 4AC)/(4A²))·wave, the wave being circular for A < 0, hyperbolic for A > 0.
static Expr wave(const Solution *work, const Quadratic *of, Expr s)
{
    Motion *motion = work->motion;
    ExprPool *pool = motion->pool;
    int sign = sign_at_start(work, of->A);
    if (sign == 0)
        return (Expr){0};
    Expr four_A = expr_mul(pool, expr_int(pool, 4), of->A);
    Expr spread = expr_sub(pool, expr_pow_int(pool, of->B, 2), expr_mul(pool, four_A, of->C));
    spread = inquiry_short(motion, expr_div(pool, spread, expr_mul(pool, four_A, of->A)));
    bool sine = sign > 0 && sign_at_start(work, spread) < 0;
    Expr rate = expr_sqrt(pool, inquiry_short(motion, sign < 0 ? expr_neg(pool, of->A) : of->A));
    ExprOp op = sign < 0 ? EXPR_SIN : sine ? EXPR_SINH : EXPR_COSH;
    Expr height = expr_sqrt(pool, sine ? inquiry_short(motion, expr_neg(pool, spread)) : spread);
    Expr middle = expr_neg(pool, expr_div(pool, of->B, expr_mul(pool, expr_int(pool, 2), of->A)));
    Expr turn = expr_call(pool, op, expr_mul(pool, rate, s), (Expr){0});
    return expr_add(pool, inquiry_short(motion, middle), expr_mul(pool, height, turn));
}

// g with g'² = A·g² + B·g + C along s; none where a sign is not known.
static Expr grown(const Solution *work, const Quadratic *of, Expr s)
{
    Motion *motion = work->motion;
    ExprPool *pool = motion->pool;
    if (!inquiry_vanishes(motion, of->A))
        return wave(work, of, s);
    if (inquiry_vanishes(motion, of->B))
        return expr_mul(pool, expr_sqrt(pool, of->C), s);
    Expr quarter = expr_div(pool, of->B, expr_int(pool, 4));
    return expr_sub(pool, expr_mul(pool, quarter, expr_pow_int(pool, s, 2)),
                    expr_div(pool, of->C, of->B));
}

// Whether f is made of powers of functions of q, without sines and the like.
static bool is_algebraic(const ExprPool *pool, Expr f, Expr q)
{
    ExprList nodes = expr_nodes(pool, &f, 1);
    bool algebraic = true;
    for (size_t i = 0; i < nodes.count && algebraic; i++) {
        Expr node = {nodes.at[i]};
        ExprOp op = expr_op(pool, node);
        bool plain = op == EXPR_SUM || op == EXPR_PRODUCT || op == EXPR_SYMBOL;
        algebraic = plain || !expr_holds(pool, node, q);
    }
    expr_list_free(&nodes);
    return algebraic;
}

// q from F(q) = s, F' = f: by g = q, 1/q, q² or 1/q². None where it is none of these.
static Expr inverted(const Solution *work, Expr f, Expr q, Expr s)
{
    ExprPool *pool = work->motion->pool;
    static const int powers[] = {1, -1, 2, -2};
    if (!expr_holds(pool, f, q))
        return expr_div(pool, s, f);
    if (!is_algebraic(pool, f, q))
        return (Expr){0};
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
        Expr g = expr_pow_int(pool, q, powers[i]), slope = expr_diff(pool, g, q);
        Expr D = inquiry_short(work->motion, expr_pow_int(pool, expr_div(pool, slope, f), 2));
        Quadratic of;
        if (!is_quadratic(work, D, g, q, &of))
            continue;
        Expr value = grown(work, &of, s);
        if (expr_is_none(value))
            return value;
        bool squared = powers[i] % 2 == 0;
        return expr_pow_int(pool, squared ? expr_sqrt(pool, value) : value, powers[i] < 0 ? -1 : 1);
    }
    return (Expr){0};
}

// ---- What a coordinate that is known adds to other equations.

// ∫ h dx for h with h″ = c·h, c a constant: h′/c. None else.
static Expr integral_of_wave(const Solution *work, Expr h, Expr x)
{
    Motion *motion = work->motion;
    ExprPool *pool = motion->pool;
    Expr first = expr_diff(pool, h, x);
    Expr ratio = inquiry_short(motion, expr_div(pool, expr_diff(pool, first, x), h));
    if (expr_is_zero(pool, ratio) || !inquiry_vanishes(motion, expr_diff(pool, ratio, x)))
        return (Expr){0};
    return expr_div(pool, first, without(work, ratio, x));
}

// ∫ h dx for h a wave, a + b·x, or 1/h quadratic without real roots; none else.
static Expr integral_over(const Solution *work, Expr h, Expr x)
{
    Motion *motion = work->motion;
    ExprPool *pool = motion->pool;
    Quadratic of;
    Expr two = expr_int(pool, 2);
    if (expr_is_zero(pool, h))
        return h;
    Expr of_wave = integral_of_wave(work, h, x);
    if (!expr_is_none(of_wave))
        return of_wave;
    if (is_quadratic(work, h, x, x, &of) && inquiry_vanishes(motion, of.A))
        return expr_add(pool, expr_mul(pool, of.C, x),
                        expr_div(pool, expr_mul(pool, of.B, expr_pow_int(pool, x, 2)), two));
    Expr inverse = inquiry_short(motion, expr_pow_int(pool, h, -1));
    if (!is_quadratic(work, inverse, x, x, &of))
        return (Expr){0};
    Expr four_AC = expr_product(pool, (Expr[]){expr_int(pool, 4), of.A, of.C}, 3);
    Expr spread = inquiry_short(motion, expr_sub(pool, four_AC, expr_pow_int(pool, of.B, 2)));
    if (sign_at_start(work, spread) <= 0)
        return (Expr){0};
    Expr root = expr_sqrt(pool, spread);
    Expr slope = expr_add(pool, expr_product(pool, (Expr[]){two, of.A, x}, 3), of.B);
    Expr angle = expr_call(pool, EXPR_ATAN, expr_div(pool, slope, root), (Expr){0});
    return expr_div(pool, expr_mul(pool, two, angle), root);
}

// F_αj along the path of α.
static Expr known_term(const Solution *work, size_t alpha, size_t j)
{
    Motion *motion = work->motion;
    ExprPool *pool = motion->pool;
    Expr q = work->system->q[alpha];
    Expr ratio = inquiry_short(motion, expr_div(pool, integrand(work, alpha, j),
                                                integrand(work, alpha, work->from[alpha])));
    if (inquiry_vanishes(motion, expr_diff(pool, ratio, q)))
        return expr_mul(pool, without(work, ratio, q), work->argument[alpha]);
    Expr along = expr_replace(pool, ratio, &q, &work->value[alpha], 1);
    Expr rate = expr_diff(pool, work->argument[alpha], work->by);
    return integral_over(work, inquiry_short(motion, expr_mul(pool, along, rate)), work->by);
}

// ---- The equations, one after the other.

// Solves equation j, if exactly one coordinate in it is unknown.
static bool solve_equation(Solution *work, size_t j)
{
    ExprPool *pool = work->motion->pool;
    size_t unknown = work->count, unknowns = 0;
    Expr s = work->out->quadratures[j].b;
    if (j == 0)
        s = expr_add(pool, s, work->motion->model->t);
    for (size_t alpha = 0; alpha < work->count; alpha++) {
        if (is_nothing(work, alpha, j))
            continue;
        if (!work->known[alpha]) {
            unknown = alpha;
            unknowns++;
            continue;
        }
        Expr term = known_term(work, alpha, j);
        if (expr_is_none(term))
            return false;
        s = expr_sub(pool, s, term);
    }
    if (unknowns != 1)
        return false;
    Expr f = integrand(work, unknown, j), q = work->system->q[unknown];
    s = inquiry_short(work->motion, s);
    Expr value = inverted(work, f, q, s);
    if (expr_is_none(value))
        return false;
    work->known[unknown] = true;
    work->value[unknown] = value;
    work->argument[unknown] = s;
    work->from[unknown] = j;
    return true;
}

static bool solve_equations(Solution *work)
{
    bool timed = expr_is_none(work->left_out);
    for (size_t round = 0; round < work->count; round++)
        for (size_t j = timed ? 0 : 1; j < work->count; j++)
            solve_equation(work, j);
    for (size_t alpha = 0; alpha < work->count; alpha++)
        if (!work->known[alpha])
            return false;
    return true;
}

// ---- Proof.

// d/dt along the path: d/d(by) times the rate of what it goes by.
static Expr rate_along(const Solution *work, Expr e, Expr rate)
{
    ExprPool *pool = work->motion->pool;
    return expr_mul(pool, expr_diff(pool, e, work->by), rate);
}

// e with hyperbolic functions written by exponentials, whose relations the proofs know.
static Expr by_exponentials(ExprPool *pool, Expr e)
{
    ExprList nodes = expr_nodes(pool, &e, 1);
    Expr *images = base_alloc((e.at + 1) * sizeof *images), *args = NULL;
    for (size_t i = 0; i < nodes.count; i++) {
        Expr node = {nodes.at[i]};
        ExprOp op = expr_op(pool, node);
        size_t count = expr_arg_count(pool, node);
        args = base_realloc(args, (count + 1) * sizeof *args);
        for (size_t j = 0; j < count; j++)
            args[j] = images[expr_arg(pool, node, j).at];
        images[node.at] = count ? expr_rebuild(pool, node, args) : node;
        if (op != EXPR_SINH && op != EXPR_COSH)
            continue;
        Expr up = expr_call(pool, EXPR_EXP, args[0], (Expr){0});
        Expr down = expr_pow_int(pool, up, -1);
        Expr both = op == EXPR_SINH ? expr_sub(pool, up, down) : expr_add(pool, up, down);
        images[node.at] = expr_div(pool, both, expr_int(pool, 2));
    }
    Expr image = images[e.at];
    base_free(args);
    base_free(images);
    expr_list_free(&nodes);
    return image;
}

static bool is_proved(const Solution *work, Expr rate)
{
    const QuadratureSystem *system = work->system;
    Motion *motion = work->motion;
    ExprSubst *put = expr_subst_new(motion->pool);
    bool good = true;
    rate = by_exponentials(motion->pool, rate);
    for (size_t alpha = 0; alpha < work->count; alpha++) {
        Expr value = by_exponentials(motion->pool, work->value[alpha]);
        Expr velocity = rate_along(work, value, rate);
        expr_subst_set(put, system->q[alpha], value);
        expr_subst_set(put, system->velocity[alpha], velocity);
        expr_subst_set(put, system->acceleration[alpha], rate_along(work, velocity, rate));
    }
    for (size_t alpha = 0; alpha < work->count && good; alpha++) {
        Expr part = expr_replace(motion->pool, work->out->parts[alpha], system->p, system->momenta,
                                 work->count);
        good = inquiry_vanishes(motion, expr_subst(put, part)) &&
               inquiry_vanishes(motion, expr_subst(put, system->residuals[alpha]));
    }
    expr_subst_free(put);
    return good;
}

// The rate of a coordinate as a function of itself along the path: ∂H/∂p. False where it holds
// other momenta than constant ones.
static bool rate_of_path(const Solution *work, size_t chosen, Expr *rate)
{
    const QuadratureSystem *system = work->system;
    ExprPool *pool = work->motion->pool;
    *rate = inquiry_short(work->motion, expr_diff(pool, system->H, system->p[chosen]));
    for (size_t alpha = 0; alpha < work->count; alpha++) {
        bool constant = !expr_holds(pool, work->out->momenta[alpha], system->q[alpha]);
        if (constant)
            *rate = expr_replace(pool, *rate, &system->p[alpha], &work->out->momenta[alpha], 1);
    }
    *rate = expr_replace(pool, *rate, system->q, work->value, work->count);
    return !expr_holds_any(pool, *rate, system->p, work->count);
}

// ---- The dependent coordinates, by the conditions.

// Their rates along the motion, integrated one after the other; what is found is proved by
// differentiating.
static void follow_dependent(Solution *work)
{
    const QuadratureSystem *system = work->system;
    Motion *motion = work->motion;
    ExprPool *pool = motion->pool;
    InquirySeparation *out = work->out;
    for (size_t round = 0; round < system->dependent_count; round++)
        for (size_t i = 0; i < system->dependent_count; i++) {
            if (!expr_is_none(out->dependent[i]))
                continue;
            Expr rate = system->dependent_rates[i];
            for (size_t alpha = 0; alpha < work->count; alpha++) {
                Expr velocity = expr_diff(pool, work->value[alpha], work->by);
                rate = expr_replace(pool, rate, &system->velocity[alpha], &velocity, 1);
            }
            rate = expr_replace(pool, rate, system->q, work->value, work->count);
            for (size_t j = 0; j < system->dependent_count; j++)
                if (!expr_is_none(out->dependent[j]))
                    rate = expr_replace(pool, rate, &system->dependent_q[j], &out->dependent[j], 1);
            if (expr_holds_any(pool, rate, system->dependent_q, system->dependent_count))
                continue;
            Expr value = integral_over(work, inquiry_short(motion, rate), work->by);
            if (expr_is_none(value))
                continue;
            Expr left = expr_sub(pool, expr_diff(pool, value, work->by), rate);
            if (inquiry_vanishes(motion, by_exponentials(pool, left)))
                out->dependent[i] =
                    expr_add(pool, inquiry_short(motion, value), out->dependent_constants[i]);
        }
}

static bool keep(Solution *work)
{
    InquirySeparation *out = work->out;
    out->path_by = work->by;
    for (size_t alpha = 0; alpha < work->count; alpha++)
        out->path[alpha] = inquiry_short(work->motion, work->value[alpha]);
    return true;
}

static bool follow_time(const Solution *start)
{
    Solution work = *start;
    work.by = work.motion->model->t;
    if (!solve_equations(&work) || !is_proved(&work, expr_int(work.motion->pool, 1)))
        return false;
    follow_dependent(&work);
    return keep(&work);
}

// The path by a coordinate whose momentum is constant.
static bool follow_coordinate(const Solution *start, size_t chosen)
{
    Solution work = *start;
    ExprPool *pool = work.motion->pool;
    Expr q = work.system->q[chosen], rate;
    if (expr_holds(pool, work.out->momenta[chosen], q))
        return false;
    work.by = work.left_out = q;
    work.known[chosen] = true;
    work.value[chosen] = work.argument[chosen] = q;
    for (size_t j = 0; j < work.count; j++)
        if (!is_nothing(&work, chosen, j))
            work.from[chosen] = j;
    return solve_equations(&work) && rate_of_path(&work, chosen, &rate) && is_proved(&work, rate) &&
           keep(&work);
}

// ---- All of it.

static void write_out(Solution *work, Arena *arena)
{
    InquirySeparation *out = work->out;
    ExprPool *pool = work->motion->pool;
    for (size_t j = 0; j < work->count; j++) {
        Text name = {0};
        text_addf(&name, "b%zu", j);
        out->quadratures[j].constant = constant_of(out, j);
        out->quadratures[j].b = inquiry_symbol(work->motion, name.at);
        out->quadratures[j].integrands = arena_alloc(arena, (work->count + 1) * sizeof(Expr));
        text_clear(&name);
        for (size_t alpha = 0; alpha < work->count; alpha++)
            out->quadratures[j].integrands[alpha] = inquiry_short(
                work->motion, expr_diff(pool, out->momenta[alpha], constant_of(out, j)));
    }
}

// Symbols of the constants that the dependent coordinates begin with.
static void name_dependent(const Solution *work, Arena *arena)
{
    size_t count = work->system->dependent_count;
    work->out->dependent_count = count;
    work->out->dependent = arena_alloc(arena, (count + 1) * sizeof(Expr));
    work->out->dependent_constants = arena_alloc(arena, (count + 1) * sizeof(Expr));
    for (size_t i = 0; i < count; i++) {
        Text name = {0};
        text_addf(&name, "c%zu", i + 1);
        work->out->dependent_constants[i] = inquiry_symbol(work->motion, name.at);
        text_clear(&name);
    }
}

void quadratures_find(Motion *motion, Arena *arena, const QuadratureSystem *system,
                      InquirySeparation *separation)
{
    size_t count = system->count;
    Solution work = {.motion = motion, .system = system, .out = separation, .count = count};
    if (count > MOST_COORDINATES || separation->constant_count + 1 != count)
        return;
    separation->quadratures = arena_alloc(arena, (count + 1) * sizeof *separation->quadratures);
    separation->path = arena_alloc(arena, (count + 1) * sizeof(Expr));
    write_out(&work, arena);
    name_dependent(&work, arena);
    bool found = follow_time(&work);
    for (size_t chosen = 0; chosen < count && !found; chosen++)
        found = follow_coordinate(&work, chosen);
}
