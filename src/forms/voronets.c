// voronets.c: Voronets' equations, in which the curvature of the conditions shows:
//
//     d/dt ∂T⁺/∂q'_α − ∂T⁺/∂q_α − Σ_i a_iα ∂T⁺/∂q_{k+i}
//         − Σ_i [∂T₀/∂q'_{k+i}] (Σ_j A⁽ⁱ⁾_αj q'_j + A⁽ⁱ⁾_α) = Q_α         (Tzénoff (12), (13))
//
//     A⁽ⁱ⁾_αj = (∂a_iα/∂q_j + Σ_μ a_μj ∂a_iα/∂q_{k+μ}) − (∂a_ij/∂q_α + Σ_μ a_μα ∂a_ij/∂q_{k+μ})
//     A⁽ⁱ⁾_α  = (∂a_iα/∂t + Σ_μ a_μ ∂a_iα/∂q_{k+μ}) − (∂a_i/∂q_α + Σ_μ a_μα ∂a_i/∂q_{k+μ})
#include "forms/steps_impl.h"

// More of them take minutes.
enum { MOST_CURVATURES = 1 << 24 };

typedef struct {
    TrueCoordinates in;
    Expr *along; // a_iα, and a_i as α = k, along δq_j, and along time as j = k; m × (k+1) × (k+1)
    double effort; // left for making the coefficients short
} Voronets;

// For all coefficients of a system together; about a tenth of a second.
static const double EFFORT = 3e5;

static Expr *along(const Voronets *voronets, size_t i, size_t alpha, size_t j)
{
    size_t side = voronets->in.motion->k + 1;
    return &voronets->along[(i * side + alpha) * side + j];
}

// ∂e/∂q_j + Σ_μ a_μj ∂e/∂q_{k+μ}, and ∂e/∂t + Σ_μ a_μ ∂e/∂q_{k+μ} for j = k, from the slopes of e
// by the coordinates and by t.
static Expr along_displacement(const TrueCoordinates *in, const Expr *slopes, size_t j, Expr *terms)
{
    const Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    size_t count = 0;
    terms[count++] = slopes[j < motion->k ? in->independent[j] : motion->n];
    for (size_t mu = 0; mu < motion->m; mu++) {
        Expr slope = slopes[in->dependent[mu]];
        if (!expr_is_zero(pool, slope))
            terms[count++] =
                expr_mul(pool, j < motion->k ? true_a(in, mu, j) : true_a0(in, mu), slope);
    }
    return expr_sum(pool, terms, count);
}

static void make_table(Voronets *voronets)
{
    const TrueCoordinates *in = &voronets->in;
    Motion *motion = in->motion;
    size_t n = motion->n, k = motion->k, m = motion->m;
    Expr *by = base_alloc((n + 1) * sizeof *by), *slopes = base_alloc((n + 1) * sizeof *slopes);
    Expr *terms = base_alloc((m + 1) * sizeof *terms);
    for (size_t nu = 0; nu < n; nu++)
        by[nu] = motion->q[nu];
    by[n] = motion->model->t;
    voronets->along = base_alloc((m * (k + 1) * (k + 1) + 1) * sizeof(Expr));
    for (size_t i = 0; i < m; i++)
        for (size_t alpha = 0; alpha <= k; alpha++) {
            Expr a = alpha < k ? true_a(in, i, alpha) : true_a0(in, i);
            expr_gradient(motion->pool, a, by, n + 1, slopes);
            for (size_t j = 0; j <= k; j++)
                *along(voronets, i, alpha, j) = along_displacement(in, slopes, j, terms);
        }
    base_free(by);
    base_free(slopes);
    base_free(terms);
}

// A⁽ⁱ⁾_αj, antisymmetric in α and j; and A⁽ⁱ⁾_α as j = k.
static Expr curvature(const Voronets *voronets, size_t i, size_t alpha, size_t j)
{
    return expr_sub(voronets->in.motion->pool, *along(voronets, i, alpha, j),
                    *along(voronets, i, j, alpha));
}

// Σ_j A⁽ⁱ⁾_αj q'_j + A⁽ⁱ⁾_α
static Expr bend(const Voronets *voronets, size_t i, size_t alpha)
{
    const TrueCoordinates *in = &voronets->in;
    ExprPool *pool = in->motion->pool;
    size_t k = in->motion->k;
    Expr *terms = base_alloc((k + 1) * sizeof *terms);
    for (size_t j = 0; j < k; j++)
        terms[j] = expr_mul(pool, curvature(voronets, i, alpha, j), in->velocity[j]);
    terms[k] = curvature(voronets, i, alpha, k);
    Expr sum = expr_sum(pool, terms, k + 1);
    base_free(terms);
    return sum;
}

static Expr left_side(Voronets *voronets, size_t alpha)
{
    TrueCoordinates *in = &voronets->in;
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    size_t m = motion->m;
    Expr *terms = base_alloc((2 * m + 1) * sizeof *terms);
    terms[2 * m] = true_lagrange(in, alpha);
    for (size_t i = 0; i < m; i++) {
        size_t nu = in->dependent[i];
        Expr momentum = true_reduced(in, motion->p[nu]);
        terms[i] = expr_neg(pool, expr_mul(pool, true_a(in, i, alpha), in->dT_dq[nu]));
        terms[m + i] = expr_neg(pool, expr_mul(pool, momentum, bend(voronets, i, alpha)));
    }
    Expr left = expr_sum(pool, terms, 2 * m + 1);
    base_free(terms);
    return left;
}

// ---- What the reader sees.

// Shows what does not vanish, under a name from a format.
static void add_unless_zero(Voronets *voronets, Form *form, Expr value, const char *format, ...)
    BASE_PRINTF(4, 5);

static void add_unless_zero(Voronets *voronets, Form *form, Expr value, const char *format, ...)
{
    Algebra *algebra = voronets->in.motion->algebra;
    if (expr_is_zero(voronets->in.motion->pool, value))
        return;
    value = algebra_simplify_within(algebra, value, &voronets->effort);
    if (expr_is_zero(voronets->in.motion->pool, value))
        return;
    Text name = {0};
    va_list args;
    va_start(args, format);
    text_addv(&name, format, args);
    va_end(args);
    form_add_function(form, name.at, value);
    text_clear(&name);
}

static const char *dependent_name(const Voronets *voronets, size_t i)
{
    return voronets->in.motion->model->coords.at[voronets->in.dependent[i]].name;
}

static void add_coefficients(Voronets *voronets, Form *form)
{
    const TrueCoordinates *in = &voronets->in;
    for (size_t i = 0; i < in->motion->m; i++) {
        for (size_t alpha = 0; alpha < in->motion->k; alpha++)
            add_unless_zero(voronets, form, true_a(in, i, alpha), "a_{%s,%s}",
                            dependent_name(voronets, i), true_name(in, alpha));
        add_unless_zero(voronets, form, true_a0(in, i), "a_{%s}", dependent_name(voronets, i));
    }
}

// With the first lower index before the second; the others are their negatives.
static void add_curvatures(Voronets *voronets, Form *form)
{
    const TrueCoordinates *in = &voronets->in;
    size_t k = in->motion->k;
    for (size_t i = 0; i < in->motion->m; i++)
        for (size_t alpha = 0; alpha < k; alpha++) {
            for (size_t j = alpha + 1; j < k; j++)
                add_unless_zero(voronets, form, curvature(voronets, i, alpha, j),
                                "A^{(%s)}_{%s,%s}", dependent_name(voronets, i),
                                true_name(in, alpha), true_name(in, j));
            add_unless_zero(voronets, form, curvature(voronets, i, alpha, k), "A^{(%s)}_{%s}",
                            dependent_name(voronets, i), true_name(in, alpha));
        }
}

// The functions from `first` up to `last`, again as lines of a step.
static void record_functions(Form *form, FormStepKind kind, size_t first, size_t last)
{
    if (!form_begin_step(form, kind))
        return;
    for (size_t i = first; i < last; i++)
        form_add_line(form, (FormLine){.of = form->functions.at[i].name,
                                       .value = form->functions.at[i].value});
}

static void record_dependent_slopes(Voronets *voronets, Form *form)
{
    const TrueCoordinates *in = &voronets->in;
    if (!form_begin_step(form, STEP_DEPENDENT_REDUCED_SLOPES))
        return;
    for (size_t i = 0; i < in->motion->m; i++) {
        Expr slope = in->dT_dq[in->dependent[i]];
        if (!expr_is_zero(in->motion->pool, slope))
            form_add_line(
                form, (FormLine){.of = "T⁺", .by = dependent_name(voronets, i), .value = slope});
    }
}

static void derive(Voronets *voronets, Form *form)
{
    TrueCoordinates *in = &voronets->in;
    size_t m = in->motion->m;
    make_table(voronets);
    form_add_function(form, "T⁺", in->T);
    step_solved(form, in);
    if (form->detail >= FORM_TO_READ && m > 0) {
        size_t first = form->functions.count;
        add_coefficients(voronets, form);
        size_t middle = form->functions.count;
        add_curvatures(voronets, form);
        record_functions(form, STEP_COEFFICIENTS, first, middle);
        record_functions(form, STEP_CURVATURES, middle, form->functions.count);
    }
    for (size_t alpha = 0; alpha < in->motion->k; alpha++)
        form_add_equation(form, true_name(in, alpha), left_side(voronets, alpha),
                          true_force_and_apparent(in, alpha));
    step_energy(form, STEP_TZENOFF_ENERGY, in->motion, "T₀");
    step_reduced_energy(form, in);
    step_reduced_derivatives(form, in);
    if (m > 0)
        record_dependent_slopes(voronets, form);
    step_dependent_momenta(form, in, "T₀");
    step_reduced_forces(form, in);
    step_equations(form, STEP_VORONETS_EQUATIONS, 0);
}

void form_voronets(Motion *motion, Form *form)
{
    Voronets voronets = {.effort = EFFORT};
    if (!form_may_reduce(motion, form))
        return;
    if (motion->m * motion->k * motion->k > MOST_CURVATURES) {
        form_refuse(form, "its curvatures of %zu conditions in %zu degrees of freedom are too many",
                    motion->m, motion->k);
        return;
    }
    if (!form_needs_linear(motion, motion_velocities(motion), form,
                           "the terms of this form are made of coefficients of q′ that hold "
                           "coordinates and time alone"))
        return;
    if (!true_init(&voronets.in, motion, form))
        return;
    derive(&voronets, form);
    base_free(voronets.along);
    true_clear(&voronets.in);
}
