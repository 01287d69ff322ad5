// form_driver.c: a run whose accelerations come from one of the classical forms.
//
// The form's equations, brought to matrix·(u', …) = right for the state's speeds, are lowered and
// solved at every evaluation; q'' = B·u' + D. Multipliers stay those of least constraint.
#include "dynamics/form_driver.h"
#include "base/diag.h"
#include "dynamics/equation_modules.h"
#include "dynamics/equations.h"
#include "expr/arithmetic.h"
#include "forms/form.h"
#include "inquiry/normal.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// From q, u and t to q, q' and t: speeds that were declared are what they stand for.
static void speeds_to_velocities(Motion *motion, Expr *exprs, size_t count)
{
    ExprSubst *subst = expr_subst_new(motion->pool);
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        if (motion->state.speeds[alpha].declared)
            expr_subst_set(subst, motion->state.speeds[alpha].u, motion->state.speeds[alpha].value);
    for (size_t i = 0; i < count; i++)
        exprs[i] = expr_subst(subst, exprs[i]);
    expr_subst_free(subst);
}

static Status refuse(FormKind kind, const char *why, Diag *diag)
{
    return diag_error(diag, place_none(), "the form '%s' cannot drive this run: %s",
                      form_name(kind), why);
}

static Status lower(const Equations *eq, FormDriver *driver, Motion *motion,
                    const InquiryNormal *normal, Diag *diag)
{
    size_t s = normal->size, n = motion->n, k = motion->k, at = s * s + s;
    size_t count = at + n * k + n;
    Expr *outputs = base_alloc((count + 1) * sizeof *outputs);
    memcpy(outputs, normal->matrix, s * s * sizeof *outputs);
    memcpy(outputs + s * s, normal->right, s * sizeof *outputs);
    memcpy(outputs + at, motion->state.B, n * k * sizeof *outputs);
    memcpy(outputs + at + n * k, motion->state.D, n * sizeof *outputs);
    speeds_to_velocities(motion, outputs, count);
    driver->size = s;
    Status status = equations_lower(eq, "the equations hold", outputs, count,
                                    eq->params + 1 + 2 * n, diag, &driver->equations);
    base_free(outputs);
    return status;
}

// The velocities as functions of the speeds, at the velocities: roots have one sign there.
static void lower_roots(const Equations *eq, FormDriver *driver, Motion *motion)
{
    size_t n = motion->n;
    if (!eq->nonlinear || !motion->state.closed)
        return;
    Expr *velocities = base_alloc((n + 1) * sizeof *velocities);
    memcpy(velocities, motion->state.F, n * sizeof *velocities);
    speeds_to_velocities(motion, velocities, n);
    if (!evaluator_init(&driver->roots, motion->pool, eq->symbols, eq->params + 1 + 2 * n,
                        velocities, n, NULL))
        evaluator_clear(&driver->roots);
    base_free(velocities);
}

static void release(Equations *eq)
{
    evaluator_clear(&eq->driver->equations);
    evaluator_clear(&eq->driver->roots);
}

static void attach(const Equations *eq, State *state)
{
    assert(eq->driver && !state->driver);
    FormDriver *driver = arena_alloc(state->arena, sizeof *driver);
    size_t s = eq->driver->size;
    driver->size = s;
    driver->matrix = arena_alloc(state->arena, (s * s + 1) * sizeof *driver->matrix);
    driver->right = arena_alloc(state->arena, (s + 1) * sizeof *driver->right);
    driver->pivots = arena_alloc(state->arena, (s + 1) * sizeof *driver->pivots);
    evaluator_share(&eq->driver->equations, state->arena, &driver->equations);
    evaluator_share(&eq->driver->roots, state->arena, &driver->roots);
    state->driver = driver;
}

// Puts the form's accelerations in the place of those of least constraint.
static DynamicsOutcome drive(const Equations *eq, State *state)
{
    assert(state->driver && state->driver->size >= eq->motion->k);
    FormDriver *driver = state->driver;
    size_t s = driver->size, n = eq->n, k = eq->motion->k;
    evaluator_run(&driver->equations, state->inputs);
    const double *out = driver->equations.out;
    const double *B = out + s * s + s, *D = B + n * k;
    memcpy(driver->matrix, out, s * s * sizeof *driver->matrix);
    memcpy(driver->right, out + s * s, s * sizeof *driver->right);
    if (s > 0 && LAPACKE_dgesv_work(LAPACK_ROW_MAJOR, (lapack_int)s, 1, driver->matrix,
                                    (lapack_int)s, driver->pivots, driver->right, 1) != 0)
        return DYNAMICS_NOT_FINITE;
    for (size_t nu = 0; nu < n; nu++) {
        double sum = D[nu];
        for (size_t alpha = 0; alpha < k; alpha++)
            sum += B[nu * k + alpha] * driver->right[alpha];
        state->a[nu] = sum;
    }
    return real_all_finite(state->a, n) ? DYNAMICS_FOUND : DYNAMICS_NOT_FINITE;
}

static const EquationModule form_driver_module = {
    .release = release, .attach = attach, .accelerations = drive};

Status form_driver_prepare(Equations *eq, Motion *motion, FormKind kind, Diag *diag)
{
    assert(!eq->driver);
    FormDriver *driver = arena_alloc(eq->arena, sizeof *driver);
    Form *form = form_derive_in(kind, motion, FORM_TO_RUN);
    InquiryNormal normal = {0};
    Status status;
    eq->driver = driver;
    equations_add_module(eq, &form_driver_module);
    if (form->reason)
        status = refuse(kind, form->reason, diag);
    else if (!inquiry_normal(motion, form, &normal))
        status = refuse(kind, "its equations are not affine in the accelerations", diag);
    else
        status = lower(eq, driver, motion, &normal, diag);
    if (status == STATUS_OK)
        lower_roots(eq, driver, motion);
    inquiry_normal_clear(&normal);
    form_free(form);
    return status;
}

bool form_driver_has_other_root(const Equations *eq, State *state, size_t *which)
{
    assert(state && which);
    Evaluator *roots = state->driver ? &state->driver->roots : NULL;
    double most = 0, size = 0;
    if (!roots || !roots->program)
        return false;
    evaluator_run(roots, state->inputs);
    for (size_t j = 0; j < eq->n; j++) {
        double miss = fabs(roots->out[j] - state->v[j]);
        size = fmax(size, fabs(state->v[j]));
        if (!(miss <= most)) {
            most = isfinite(miss) ? miss : INFINITY;
            *which = j;
        }
    }
    // Velocities that differ by more belong to different roots.
    return !(most <= TOL_SMALL * size);
}
