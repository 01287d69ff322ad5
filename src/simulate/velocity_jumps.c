// velocity_jumps.c: what jumps where a function switches, and what the velocities do then
// (jump_laws.c).
#include "base/text_builder.h"
#include "dynamics/dynamics.h"
#include "dynamics/projection.h"
#include "expr/arithmetic.h"
#include "linalg/kkt.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/jump_laws_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/switch_functions_impl.h"
#include "simulate/velocity_jumps_impl.h"

#include <assert.h>
#include <math.h>
#include <string.h>

// Both sides of a switch.
typedef struct {
    JumpProblem problem;
    const Equations *eq;
    State *state;
    Evaluator energies; // U, ∂T/∂q'
    double t, *q, *v;   // before
} SwitchSides;

static SwitchSide look(SwitchSides *sides, double t, const double *q)
{
    const Equations *eq = sides->eq;
    State *state = sides->state;
    size_t n = eq->n, m = sides->problem.m;
    SwitchSide side = {.inertia = arena_array(sides->problem.arena, double, n *n),
                       .rows = arena_array(sides->problem.arena, double, m *n + 1),
                       .drift = arena_array(sides->problem.arena, double, m + 1),
                       .momentum = arena_array(sides->problem.arena, double, n)};
    *state->t = t;
    memcpy(state->q, q, n * sizeof *q);
    memcpy(state->v, sides->v, n * sizeof *q);
    evaluator_run(&state->velocities, state->inputs);
    evaluator_run(&state->forces, state->inputs);
    evaluator_run(&sides->energies, state->inputs);
    memcpy(side.inertia, state->forces.out, n * n * sizeof *q);
    for (size_t i = 0; i < m; i++) {
        size_t row = eq->independent.rows[i];
        memcpy(side.rows + i * n, state->velocities.out + row * n, n * sizeof *q);
        side.drift[i] = state->velocities.out[n * n + row];
    }
    side.potential = sides->energies.out[0];
    memcpy(side.momentum, sides->energies.out + 1, n * sizeof *q);
    return side;
}

// ---- Conditions that jump themselves.

// A finite condition is not met behind the switch, a gap is; or the conditions have moved the
// state, though no time has passed.
static bool conditions_jump(const SimulationRun *run, SwitchSides *sides)
{
    const Equations *eq = sides->eq;
    const ContactMode *mode = run->mode;
    if (gaps_jump(run, sides->t, sides->q, mode->t, mode->y))
        return true;
    if (eq->finite == 0)
        return false;
    positions_evaluate(sides->state);
    bool jumps = positions_miss(eq, sides->state, NULL) > TOL_SMALL;
    double way = TOL_SMALL * (mode->t - mode->from);
    for (size_t i = 0; i < eq->n && !jumps; i++) {
        double usual = way * fabs(sides->v[i]) + TOL_AGREEMENT * (1 + fabs(sides->q[i]));
        jumps = fabs(mode->y[i] - sides->q[i]) > usual;
    }
    return jumps;
}

// Whether a row is a one-sided condition that acts.
static bool is_side(const Equations *eq, size_t row, size_t *side)
{
    const Motion *motion = eq->motion;
    const ModelConstraint *own = motion->rows[eq->independent.rows[row]].constraint;
    for (*side = 0; motion->held && *side < motion->side_count; ++*side)
        if (motion->held[*side] && motion->sides[*side].constraint == own)
            return true;
    return false;
}

static bool prepare(SwitchSides *sides, SimulationRun *run, size_t which)
{
    const Equations *eq = sides->eq;
    const Motion *motion = run->sim->motion;
    size_t n = eq->n;
    Expr *outputs = arena_array(sides->problem.arena, Expr, n + 1), missing;
    outputs[0] = motion->U;
    memcpy(outputs + 1, motion->p, n * sizeof *outputs);
    sides->problem.slope = switches_slopes(run->switches, sides->state, which);
    return evaluator_init(&sides->energies, motion->pool, eq->symbols, eq->params + 1 + 2 * n,
                          outputs, n + 1, &missing);
}

static JumpKind decide(SimulationRun *run, size_t which, SwitchSides *sides, SwitchJump *out)
{
    JumpProblem *problem = &sides->problem;
    problem->sides[0] = look(sides, sides->t, sides->q);
    problem->sides[1] = look(sides, run->mode->t, run->mode->y);
    if (conditions_jump(run, sides)) {
        text_addf(&out->reason, "a condition itself jumps there with %s, and no motion meets it",
                  run->switches->names[which]);
        return JUMP_REFUSED;
    }
    JumpChanges changes = jump_changes(problem);
    if (changes.rows == 1 && !changes.kinetic && is_side(sides->eq, changes.row, &out->side))
        return JUMP_CONTACT;
    JumpKind kind = jump_by_law(problem, &changes, out->after);
    if (kind == JUMP_REFUSED)
        text_add(&out->reason, "the inertia or several conditions jump there, and the limit of "
                               "smooth functions is not unique");
    return kind;
}

void velocity_jump(SimulationRun *run, size_t which, double before, SwitchJump *out)
{
    const ContactMode *mode = run->mode;
    const Equations *eq = mode->eq;
    size_t n = eq->n, m = eq->independent.count;
    assert(which < run->switches->count && out->after);
    Arena *arena = arena_new();
    SwitchSides sides = {.problem = {.arena = arena, .n = n, .m = m},
                         .eq = eq,
                         .state = mode->state,
                         .t = before,
                         .q = arena_array(arena, double, 2 * n)};
    sides.v = sides.q + n;
    sides.problem.v = sides.v;
    sides.problem.kkt = kkt_new(arena, n, m);
    memcpy(sides.q, mode->state->q, n * sizeof *sides.q);
    memcpy(sides.v, mode->state->v, n * sizeof *sides.v);
    out->kind = prepare(&sides, run, which) ? decide(run, which, &sides, out) : JUMP_NONE;
    evaluator_clear(&sides.energies);
    arena_free(arena);
}
