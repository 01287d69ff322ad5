// vanishing_rows.c: where ∂f/∂q' of a condition vanishes.
//
// At the vertex of a cone of velocities the condition no longer says how the velocities may change,
// and there is no motion beyond. A step must not pass over such a place: the row may turn, from a
// step to the next, by less than a right angle.
#include "dynamics/equation_modules.h"
#include "dynamics/nonlinear/nonlinear.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct Nonlinear {
    double *former;  // m × n: rows of the last state that was kept; 0 before the first
    double *largest; // m: what the entries of each row have come to
};

static void attach(const Equations *eq, State *state)
{
    Nonlinear *nonlinear = arena_alloc(state->arena, sizeof *nonlinear);
    nonlinear->former = real_alloc(state->arena, eq->m * eq->n);
    nonlinear->largest = real_alloc(state->arena, eq->m);
    state->nonlinear = nonlinear;
}

void nonlinear_begin(const Equations *eq, State *state)
{
    memset(state->nonlinear->former, 0, eq->m * eq->n * sizeof(double));
    memset(state->nonlinear->largest, 0, eq->m * sizeof(double));
}

// A rate of a state has a 1 for it, whatever else changes.
static bool is_solid(const MotionRow *row)
{
    return row->linear || row->constraint->rated;
}

// 1 where the second one is 0.
static double cosine(const double *a, const double *b, const double *scale, size_t n)
{
    double aa = 0, bb = 0, ab = 0;
    for (size_t j = 0; j < n; j++) {
        double x = a[j] * scale[j], y = b[j] * scale[j];
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    return bb == 0 ? 1 : aa > 0 ? ab / sqrt(aa * bb) : 0;
}

bool nonlinear_row_turned(const Equations *eq, State *state)
{
    Nonlinear *nonlinear = state->nonlinear;
    size_t n = eq->n;
    assert(nonlinear);
    for (size_t i = 0; i < eq->m; i++) {
        if (is_solid(&eq->motion->rows[i]))
            continue;
        double turned =
            cosine(state->velocities.out + i * n, nonlinear->former + i * n, state->scale, n);
        if (!(turned > TOL_POOR)) {
            state->failure.singular_row = i;
            return true;
        }
    }
    memcpy(nonlinear->former, state->velocities.out, eq->m * n * sizeof(double));
    return false;
}

bool nonlinear_find_below(const Equations *eq, State *state, double part)
{
    assert(state->nonlinear);
    size_t n = eq->n;
    for (size_t i = 0; i < eq->m; i++) {
        double *most = &state->nonlinear->largest[i];
        double largest = real_largest(state->velocities.out + i * n, n);
        if (!is_solid(&eq->motion->rows[i]) && !(largest > part * *most)) {
            state->failure.singular_row = i;
            return true;
        }
        *most = fmax(*most, largest);
    }
    return false;
}

// ---- Hooks.

static DynamicsOutcome check_rows(const Equations *eq, State *state)
{
    return nonlinear_find_below(eq, state, TOL_ZERO) ? DYNAMICS_VANISHED : DYNAMICS_FOUND;
}

const EquationModule nonlinear_module = {.attach = attach, .velocities = check_rows};
