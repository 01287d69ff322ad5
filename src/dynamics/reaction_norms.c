// reaction_norms.c: friction whose bound is the length of several reactions, while it slides.
//
// Along the direction n = λ/|λ| as it is now the force is n·λ: linear in λ, and its derivative is
// that of |λ|. Solving and taking the new direction, again and again, is Newton's method.
#include "dynamics/condition_multipliers.h"
#include "dynamics/dynamics.h"
#include "dynamics/equation_modules.h"
#include "dynamics/equations.h"
#include "linalg/kkt.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/friction.h"
#include "model/system.h"
#include "motion/frictions.h"

#include <assert.h>
#include <float.h>
#include <math.h>

static void attach(const Equations *eq, State *state)
{
    (void)eq;
    (void)state;
}

// λ of a condition as the last problem had it; 0 where it was left out.
static double lambda_of(const Equations *eq, const State *state, const ModelConstraint *constraint)
{
    for (size_t i = 0; i < eq->m; i++)
        if (eq->motion->rows[i].constraint == constraint &&
            eq->independent.place[i] < eq->independent.count)
            return state->lambda[eq->independent.place[i]];
    return 0;
}

// The direction of the reactions of one friction; by how much it has turned.
static double turn(const Equations *eq, State *state, const MotionFriction *friction)
{
    double lambda[FRICTION_NORMALS], turned = 0;
    size_t count = friction->also_count + 1;
    double *now =
        state->multipliers + eq->motion->model->constraints.count + friction->friction->stick;
    for (size_t i = 0; i < count; i++)
        lambda[i] = lambda_of(eq, state, motion_friction_presses(friction, i));
    double length = real_length(lambda, count);
    for (size_t i = 0; i < count && length > 0; i++) {
        turned = fmax(turned, fabs(lambda[i] / length - now[i]));
        now[i] = lambda[i] / length;
    }
    return turned;
}

static DynamicsOutcome accelerations(const Equations *eq, State *state)
{
    const Motion *motion = eq->motion;
    assert(motion->friction_holds);
    double before = INFINITY;
    for (int step = 0; step < LIMIT_STEPS; step++) {
        double turned = 0;
        for (size_t i = 0; i < motion->friction_count; i++)
            if (motion_friction_has_norm(&motion->frictions[i], motion->friction_holds[i]))
                turned = fmax(turned, turn(eq, state, &motion->frictions[i]));
        if (turned <= 4 * DBL_EPSILON || (turned <= TOL_ZERO && turned >= before))
            return DYNAMICS_FOUND;
        before = turned;
        state_need_dense(eq, state);
        KktProblem problem = dynamics_problem(eq, state);
        KktReport report = kkt_solve(state->kkt, &problem, state->a, state->lambda);
        if (report.outcome != SOLVE_DONE)
            return DYNAMICS_NOT_FINITE;
    }
    return DYNAMICS_NOT_FINITE;
}

const EquationModule reaction_norms_module = {.attach = attach, .accelerations = accelerations};
