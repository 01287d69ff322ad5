// form_driver.c: a run whose accelerations come from one of the classical forms.
//
// The form's equations, brought to matrix·(u', …) = right for the state's speeds, are lowered and
// solved at every evaluation; q'' = B·u' + D. Multipliers stay those of least constraint.
#include "dynamics/form_driver.h"
#include "base/diag.h"
#include "dynamics/equation_modules.h"
#include "dynamics/equations.h"
#include "dynamics/speed_choice.h"
#include "expr/arithmetic.h"
#include "forms/form.h"
#include "inquiry/normal.h"
#include "linalg/dense_factors.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "motion/holds.h"
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

// ---- In a motion, which may have other speeds.

// The form in one more motion, which is its own but for the first; it stays where it fails, too.
static Status derive(Equations *eq, FormKind kind, Motion *motion, bool owned, Diag *diag)
{
    FormDriver *driver = arena_alloc(eq->arena, sizeof *driver);
    *driver = (FormDriver){.kind = kind, .motion = motion, .owned = owned, .next = eq->driver};
    Form *form = form_derive_in(kind, motion, FORM_TO_RUN);
    InquiryNormal normal = {0};
    Status status;
    eq->driver = driver;
    if (form->reason)
        status = refuse(kind, form->reason, diag);
    else if (!inquiry_normal(motion, form, &normal))
        status = refuse(kind, "its equations are not affine in the accelerations", diag);
    else
        status = lower(eq, driver, motion, &normal, diag);
    inquiry_normal_clear(&normal);
    form_free(form);
    return status;
}

static void release(Equations *eq)
{
    for (FormDriver *driver = eq->driver; driver; driver = driver->next) {
        evaluator_clear(&driver->equations);
        if (driver->owned)
            motion_free(driver->motion);
    }
}

// Puts one of a list first.
static void put_first(FormDriver **first, FormDriver **at)
{
    FormDriver *driver = *at;
    *at = driver->next;
    driver->next = *first;
    *first = driver;
}

// What a state has of the equations' driver.
static void attach(const Equations *eq, State *state)
{
    for (FormDriver **at = &state->driver; *at; at = &(*at)->next)
        if ((*at)->of == eq->driver) {
            put_first(&state->driver, at);
            return;
        }
    FormDriver *driver = arena_alloc(state->arena, sizeof *driver);
    size_t s = eq->driver->size;
    *driver = (FormDriver){.of = eq->driver, .size = s, .next = state->driver};
    driver->matrix = arena_alloc(state->arena, (s * s + 1) * sizeof *driver->matrix);
    driver->right = arena_alloc(state->arena, (s + 1) * sizeof *driver->right);
    driver->pivots = arena_alloc(state->arena, (s + 1) * sizeof *driver->pivots);
    evaluator_share(&eq->driver->equations, state->arena, &driver->equations);
    state->driver = driver;
}

// Puts the form's accelerations in the place of those of least constraint.
static DynamicsOutcome drive(const Equations *eq, State *state)
{
    if (state->driver->of != eq->driver)
        attach(eq, state);
    FormDriver *driver = state->driver;
    assert(driver->size >= eq->motion->k);
    size_t s = driver->size, n = eq->n, k = eq->motion->k;
    evaluator_run(&driver->equations, state->inputs);
    const double *out = driver->equations.out;
    const double *B = out + s * s + s, *D = B + n * k;
    memcpy(driver->matrix, out, s * s * sizeof *driver->matrix);
    memcpy(driver->right, out + s * s, s * sizeof *driver->right);
    // Column after column the matrix is its transpose.
    if (!lu_factor(s, driver->matrix, s, driver->pivots))
        return DYNAMICS_NOT_FINITE;
    lu_solve(true, s, driver->matrix, s, driver->pivots, driver->right);
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
    Motion *open = NULL;
    // Velocities in closed form have roots of one sign, which need not be those of the motion.
    if (motion->curved)
        TRY(motion_holding(motion, (MotionHold){.open = true}, diag, &open));
    equations_add_module(eq, &form_driver_module);
    return derive(eq, kind, open ? open : motion, open, diag);
}

// ---- Other speeds where those of the form become singular.

// Gauss's elimination of the conditions, in numbers: rows in an order, the coordinate that each is
// solved for, and the others. By the largest entry that is left, or in the order given.
typedef struct {
    size_t m, n;
    double *matrix; // m × n, the largest entry of a row being 1
    size_t *order;  // rows, then columns
    bool given;
} Elimination;

static void read_rows(Elimination *work, const State *state)
{
    for (size_t i = 0; i < work->m; i++) {
        double *row = work->matrix + i * work->n, largest = 0;
        for (size_t j = 0; j < work->n; j++) {
            row[j] = state->velocities.out[i * work->n + j] * state->scale[j];
            largest = fmax(largest, fabs(row[j]));
        }
        for (size_t j = 0; j < work->n && largest > 0; j++)
            row[j] /= largest;
    }
}

static void exchange(size_t *a, size_t *b)
{
    size_t kept = *a;
    *a = *b;
    *b = kept;
}

// The largest entry of the rows and columns from `step` on comes first among these.
static void find_pivot(const Elimination *work, size_t step)
{
    size_t m = work->m, n = work->n, *rows = work->order, *columns = rows + m, row = step,
           at = step;
    for (size_t i = step; i < m; i++)
        for (size_t j = step; j < n; j++)
            if (fabs(work->matrix[rows[i] * n + columns[j]]) >
                fabs(work->matrix[rows[row] * n + columns[at]])) {
                row = i;
                at = j;
            }
    exchange(&rows[step], &rows[row]);
    exchange(&columns[step], &columns[at]);
}

// The least pivot.
static double eliminate(const Elimination *work)
{
    size_t m = work->m, n = work->n, *rows = work->order, *columns = rows + m;
    double least = 1;
    for (size_t p = 0; p < m && least > 0; p++) {
        if (!work->given)
            find_pivot(work, p);
        const double *row = work->matrix + rows[p] * n;
        double pivot = row[columns[p]];
        least = fmin(least, fabs(pivot));
        for (size_t i = p + 1; i < m && least > 0; i++) {
            double *other = work->matrix + rows[i] * n, factor = other[columns[p]] / pivot;
            for (size_t j = p; j < n && factor != 0; j++)
                other[columns[j]] -= factor * row[columns[j]];
        }
    }
    return least;
}

static double least_pivot(const Equations *eq, const State *state, size_t *order, bool given)
{
    Elimination work = {.m = eq->m, .n = eq->n, .order = order, .given = given};
    work.matrix = base_alloc((work.m * work.n + 1) * sizeof *work.matrix);
    read_rows(&work, state);
    for (size_t i = 0; i < work.m + work.n && !given; i++)
        order[i] = i < work.m ? i : i - work.m;
    double least = eliminate(&work);
    base_free(work.matrix);
    return least;
}

// The worse of the speeds of the motion and of its velocities, where the form is written in them; 0
// where its equations have no values.
static double conditioning_of(const Equations *eq, State *state, const Motion *motion)
{
    attach(eq, state);
    evaluator_run(&state->driver->equations, state->inputs);
    if (!evaluator_is_finite(&state->driver->equations))
        return 0;
    size_t count = eq->m + eq->n, *chosen = base_alloc(count * sizeof *chosen);
    double found;
    if (motion->pivots) {
        memcpy(chosen, motion->pivots, count * sizeof *chosen);
        found = least_pivot(eq, state, chosen, true);
    } else {
        found = conditioning_by(eq, state, NULL);
        for (size_t i = 0; i < eq->k && motion->velocities.speeds; i++)
            chosen[i] = motion->velocities.speeds[i].index;
        if (motion->velocities.speeds)
            found = fmin(found, conditioning_by(eq, state, chosen));
    }
    base_free(chosen);
    return found;
}

// The form with its conditions solved in this order; where it fails the one in use stays.
static bool take(Equations *eq, const size_t *order)
{
    FormDriver *former = eq->driver;
    size_t bytes = (eq->m + eq->n) * sizeof *order;
    for (FormDriver **at = &eq->driver; *at; at = &(*at)->next)
        if ((*at)->motion->pivots && memcmp((*at)->motion->pivots, order, bytes) == 0) {
            if ((*at)->equations.program)
                put_first(&eq->driver, at);
            return eq->driver != former;
        }
    Motion *motion = NULL;
    Diag *unheard = diag_new();
    MotionHold wish = {.pivots = memcpy(arena_alloc(eq->arena, bytes), order, bytes)};
    bool found = motion_holding(eq->motion, wish, unheard, &motion) == STATUS_OK &&
                 derive(eq, former->kind, motion, true, unheard) == STATUS_OK;
    diag_free(unheard);
    if (!found && motion)
        put_first(&eq->driver, &eq->driver->next);
    return found;
}

bool form_driver_improve(Equations *eq, State *state, bool failed)
{
    if (!eq->driver || eq->all_velocities || eq->m == 0 || eq->k == 0 ||
        eq->independent.count < eq->m)
        return false;
    FormDriver *driver = eq->driver;
    double now = failed ? 0 : conditioning_of(eq, state, driver->motion);
    driver->most = fmax(driver->most, now);
    // Steps that are not of a series do not see a pole, so that it must be far.
    if (4 * now >= driver->most && now > 0)
        return false;
    size_t *order = base_alloc((eq->m + eq->n) * sizeof *order);
    bool better = least_pivot(eq, state, order, false) > 4 * now && take(eq, order);
    if (better)
        attach(eq, state);
    base_free(order);
    return better;
}
