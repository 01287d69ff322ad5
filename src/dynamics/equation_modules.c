// equation_modules.c: what hangs on the equations of few models: conditions that are not linear in
// the velocities, conditions on accelerations, a classical form that drives. Each is a table of
// hooks; equations.c knows no more of them.
#include "dynamics/equation_modules.h"
#include "dynamics/nonlinear/nonlinear.h"
#include "dynamics/second_class/second_class.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <string.h>

// ---- Not linear in the velocities.

static DynamicsOutcome check_rows(const Equations *eq, State *state)
{
    return nonlinear_find_below(eq, state, TOL_ZERO) ? DYNAMICS_VANISHED : DYNAMICS_FOUND;
}

static const EquationModule nonlinear_module = {.attach = nonlinear_new, .velocities = check_rows};

// ---- Conditions on accelerations.

static void append_rows(State *state, KktProblem *problem)
{
    second_class_append(state->second_class, state->inputs, problem);
}

// The stationary point that is followed, in the place of what the rows alone give.
static DynamicsOutcome follow(const Equations *eq, State *state, const KktProblem *problem)
{
    SecondClass *second_class = state->second_class;
    if (!second_class->follows)
        return DYNAMICS_FOUND;
    (void)problem;
    size_t size = second_class_size(second_class);
    memcpy(second_class->trial, second_class->x, size * sizeof(double));
    if (!second_class_newton(second_class, second_class->trial))
        return DYNAMICS_BRANCH;
    dynamics_put_point(eq, state, second_class->trial, size);
    return DYNAMICS_FOUND;
}

static const EquationModule second_class_module = {.release = second_class_release,
                                                   .attach = second_class_new,
                                                   .problem = append_rows,
                                                   .accelerations = follow};

// ---- All.

void equation_modules_add(Equations *eq, const EquationModule *module)
{
    size_t at = 0;
    while (eq->modules[at])
        at++;
    assert(at + 1 < sizeof eq->modules / sizeof *eq->modules && module->attach);
    eq->modules[at] = module;
}

Status equation_modules_prepare(Equations *eq, Motion *motion, Diag *diag)
{
    assert(!eq->modules[0]);
    if (eq->nonlinear)
        equation_modules_add(eq, &nonlinear_module);
    if (motion->second_count == 0)
        return STATUS_OK;
    equation_modules_add(eq, &second_class_module);
    return second_class_prepare(eq, motion, diag);
}
