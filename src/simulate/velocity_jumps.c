// velocity_jumps.c: what jumps where a function switches, and what the velocities do then
// (jump_laws.c).
#include "base/text_builder.h"
#include "dynamics/dynamics.h"
#include "dynamics/pattern.h"
#include "dynamics/projection.h"
#include "expr/arithmetic.h"
#include "linalg/kkt.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "motion/motion_types.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/jump_laws_impl.h"
#include "simulate/mode_integration_impl.h"
#include "simulate/run_options.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"
#include "simulate/switch_functions_impl.h"
#include "simulate/velocity_jumps_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

// Both sides of a switch.
typedef struct {
    JumpProblem problem;
    const Equations *eq;
    State *state;
    Evaluator energies; // U − T, ∂T/∂q'
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
    evaluator_run(&sides->energies, state->inputs);
    memcpy(side.inertia, state_forces(eq, state), n * n * sizeof *q);
    for (size_t i = 0; i < m; i++) {
        size_t row = eq->independent.rows[i];
        memcpy(side.rows + i * n, state->velocities.out + row * n, n * sizeof *q);
        side.drift[i] = state->velocities.out[n * n + row];
    }
    memcpy(side.momentum, sides->energies.out + 1, n * sizeof *q);
    // Without what is quadratic in the velocities.
    side.potential = sides->energies.out[0] + real_dot(side.momentum, sides->v, n);
    for (size_t i = 0; i < n; i++)
        side.potential -= sides->v[i] * real_dot(side.inertia + i * n, sides->v, n) / 2;
    return side;
}

// From one point, t and q, to another one; the state is at the latter.
static JumpChanges compare(SwitchSides *sides, const double *from, const double *to)
{
    JumpProblem *problem = &sides->problem;
    size_t count = sides->eq->n + 1;
    double *farther = arena_array(problem->arena, double, count);
    for (size_t i = 0; i < count; i++)
        farther[i] = to[i] + (to[i] - from[i]);
    problem->farther = look(sides, farther[0], farther + 1).drift;
    problem->sides[0] = look(sides, from[0], from + 1);
    problem->sides[1] = look(sides, to[0], to + 1);
    return jump_changes(problem);
}

// t and q as a point.
static double *point_at(SwitchSides *sides, double t, const double *q)
{
    double *point = arena_array(sides->problem.arena, double, sides->eq->n + 1);
    point[0] = t;
    memcpy(point + 1, q, sides->eq->n * sizeof *q);
    return point;
}

// ---- Conditions that jump themselves.

// By how much a finite condition, which is not met behind the switch, has moved the state, though
// no time has passed, beyond what is usual, relative to the coordinates; infinite where a gap
// jumps.
static double jump_of_conditions(const SimulationRun *run, SwitchSides *sides)
{
    const Equations *eq = sides->eq;
    const ContactMode *mode = run->mode;
    if (gaps_jump(run, sides->t, sides->q, mode->t, mode->y))
        return INFINITY;
    if (eq->finite == 0)
        return 0;
    // Where all terms of a condition are about 0, what it misses says nothing: what would mend it
    // does.
    State *state = sides->state;
    double *change = arena_array(sides->problem.arena, double, eq->n);
    positions_evaluate(state);
    if (positions_miss(eq, state, NULL) > TOL_SMALL)
        positions_least_change(eq, state, positions_f(state), state->scale, change);
    // A coordinate that was always 0 is measured by the others, but by no more than 1.
    const double *largest = error_scale_coordinates(mode->scale);
    double least = fmin(real_largest(largest, eq->n), 1), jump = 0,
           way = TOL_SMALL * (mode->t - mode->from);
    for (size_t i = 0; i < eq->n && isfinite(jump); i++) {
        double moved = fabs(mode->y[i] - sides->q[i]) + fabs(change[i]) - way * fabs(sides->v[i]);
        double own = moved <= 0 ? 0 : moved / fmax(largest[i], fmax(fabs(sides->q[i]), least));
        jump = own == own ? fmax(jump, own) : INFINITY;
    }
    return jump;
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
    outputs[0] = expr_sub(motion->pool, motion->U, motion->T);
    memcpy(outputs + 1, motion->p, n * sizeof *outputs);
    sides->problem.slope = switches_slopes(run->switches, sides->state, which);
    bool *rates = arena_array(sides->problem.arena, bool, eq->independent.count + 1);
    for (size_t i = 0; i < eq->independent.count; i++)
        rates[i] = eq->motion->rows[eq->independent.rows[i]].constraint->rated > 0;
    sides->problem.rates = rates;
    return evaluator_init(&sides->energies, motion->pool, eq->symbols, eq->params + 1 + 2 * n,
                          outputs, n + 1, &missing);
}

// ---- Two functions that switch at once.

// A point is t and q.
enum { BEFORE, BEHIND_FIRST, BEHIND_SECOND, BEHIND_BOTH, POINTS };

static bool is_parallel(const double *a, const double *b, size_t count)
{
    double ab = real_dot(a, b, count), aabb = real_dot(a, a, count) * real_dot(b, b, count);
    return aabb - ab * ab <= TOL_SMALL * aabb;
}

// What decides another switch and has another sign behind this one, on another surface. The number
// of them; the last.
static size_t others(const SimulationRun *run, SwitchSides *sides, size_t which, double *const *at,
                     size_t *other)
{
    Switches *switches = run->switches;
    size_t n = sides->eq->n, found = 0;
    double *before = arena_array(sides->problem.arena, double, switches->count);
    look(sides, at[BEFORE][0], at[BEFORE] + 1);
    memcpy(before, switches_values(switches, sides->state), switches->count * sizeof *before);
    look(sides, at[BEHIND_BOTH][0], at[BEHIND_BOTH] + 1);
    const double *behind = switches_values(switches, sides->state);
    const double *slope = switches_slopes(switches, sides->state, which);
    for (size_t i = 0; i < switches->count; i++)
        if (i != which && before[i] * behind[i] < 0 &&
            !is_parallel(slope, switches_slopes(switches, sides->state, i), n + 1)) {
            found++;
            *other = i;
        }
    return found;
}

// Behind one switch another may be 0 but for rounding, on neither of its sides, or about to be so:
// the state goes on as far as it has come since before the switch. The time that this takes.
static double leave_zeros(const SimulationRun *run, SwitchSides *sides, size_t which)
{
    Switches *switches = run->switches;
    double *q = run->mode->y;
    size_t n = sides->eq->n;
    look(sides, sides->t, sides->q);
    double *before = arena_array(sides->problem.arena, double, switches->count);
    memcpy(before, switches_values(switches, sides->state), switches->count * sizeof *before);
    look(sides, run->mode->t, q);
    const double *values = switches_values(switches, sides->state);
    bool any = false;
    for (size_t i = 0; i < switches->count; i++)
        any = any ||
              (i != which && values[i] * before[i] >= 0 && 2 * fabs(values[i]) < fabs(before[i]) &&
               switches_is_rounding(switches, sides->state, i, values[i]));
    for (size_t j = 0; j < n && any; j++)
        q[j] += q[j] - sides->q[j];
    return any ? run->mode->t - sides->t : 0;
}

// The same on finite conditions, which may turn there: the state goes on along the conditions
// behind the switch, as far as it takes to tell the side of each. One that is nested, as abs(x) in
// abs(abs(x)), has the same side as before. No way leads to another side of what holds the time
// alone. The time that this takes.
static double go_on(const SimulationRun *run, SwitchSides *sides, size_t which)
{
    Switches *switches = run->switches;
    JumpProblem *problem = &sides->problem;
    State *state = sides->state;
    double *q = run->mode->y, t = run->mode->t, way = fmax(t - sides->t, TOL_STATE * t), taken = 0;
    double *after = arena_array(problem->arena, double, sides->eq->n);
    const double *from = point_at(sides, sides->t, sides->q);
    if (switches->of_time[which])
        return taken;
    for (int i = 0; i < LIMIT_PATIENCE; i++, way *= 8) {
        JumpChanges changes = compare(sides, from, point_at(sides, t, q));
        if (!switches_are_any_zero(switches, state))
            return taken;
        JumpKind kind = jump_by_law(problem, &changes, after);
        if (kind == JUMP_REFUSED || kind == JUMP_REFLECTED)
            return taken;
        for (size_t j = 0; j < sides->eq->n; j++)
            state->q[j] = q[j] + way * (kind == JUMP_NONE ? sides->v : after)[j];
        if (!(positions_project(sides->eq, state, LIMIT_PATIENCE) <= TOL_CONDITION) ||
            switches_values(switches, state)[which] * switches->signs[which] <= 0)
            return taken;
        memcpy(q, state->q, sides->eq->n * sizeof *q);
        taken += way;
    }
    return taken;
}

// The point from which the motion has gone behind one surface, and not behind the other.
static void go_behind(SwitchSides *sides, double *const *at, const double *one, const double *other,
                      double *point)
{
    size_t count = sides->eq->n + 1;
    double aa = real_dot(one, one, count), ab = real_dot(one, other, count),
           bb = real_dot(other, other, count), way = 0;
    for (size_t i = 0; i < count; i++)
        way += one[i] * (at[BEHIND_BOTH][i] - at[BEFORE][i]);
    for (size_t i = 0; i < count; i++)
        point[i] = at[BEFORE][i] + way * (bb * one[i] - ab * other[i]) / (aa * bb - ab * ab);
}

// From a point to another one, with the velocities of the sides, which become those behind it.
static JumpKind cross(SwitchSides *sides, const double *slope, const double *from, const double *to)
{
    JumpProblem *problem = &sides->problem;
    double *after = arena_array(problem->arena, double, problem->n);
    problem->slope = slope;
    JumpChanges changes = compare(sides, from, to);
    JumpKind kind = jump_by_law(problem, &changes, after);
    if (kind == JUMP_PASSES || kind == JUMP_REFLECTED)
        memcpy(sides->v, after, problem->n * sizeof *after);
    return kind;
}

// One after the other. Where one lets it pass and the other does not, nobody knows where it is.
static JumpKind cross_both(SwitchSides *sides, double *const *at, const double *const *slopes,
                           bool swapped)
{
    size_t first = swapped ? BEHIND_SECOND : BEHIND_FIRST,
           second = swapped ? BEHIND_FIRST : BEHIND_SECOND;
    JumpKind one = cross(sides, slopes[swapped], at[BEFORE], at[first]);
    bool turned = one == JUMP_REFLECTED;
    JumpKind two = one == JUMP_REFUSED
                       ? one
                       : cross(sides, slopes[!swapped], turned ? at[BEFORE] : at[first],
                               turned ? at[second] : at[BEHIND_BOTH]);
    if (one == JUMP_REFUSED || two == JUMP_REFUSED || turned != (two == JUMP_REFLECTED))
        return JUMP_REFUSED;
    return one == JUMP_NONE ? two : one;
}

// The same in both orders, or the limit is not unique.
static JumpKind decide_two(const SimulationRun *run, SwitchSides *sides, const size_t *both,
                           double *const *at, SwitchJump *out)
{
    size_t n = sides->eq->n, bytes = n * sizeof(double);
    double *start = arena_array(sides->problem.arena, double, 2 * n), *former = start + n;
    const double *slopes[2];
    for (size_t i = 0; i < 2; i++)
        slopes[i] = switches_slopes(run->switches, sides->state, both[i]);
    go_behind(sides, at, slopes[0], slopes[1], at[BEHIND_FIRST]);
    go_behind(sides, at, slopes[1], slopes[0], at[BEHIND_SECOND]);
    memcpy(start, sides->v, bytes);
    JumpKind kind = cross_both(sides, at, slopes, false);
    memcpy(former, sides->v, bytes);
    memcpy(sides->v, start, bytes);
    bool same = cross_both(sides, at, slopes, true) == kind;
    double size = TOL_SMALL * fmax(real_largest(former, n), real_largest(sides->v, n));
    for (size_t i = 0; i < n; i++)
        same = same && fabs(former[i] - sides->v[i]) <= size;
    memcpy(sides->v, start, bytes);
    memcpy(out->after, former, bytes);
    if (same && kind != JUMP_REFUSED)
        return kind;
    text_addf(&out->reason,
              "%s and %s switch there at once, and what happens depends on their "
              "order",
              run->switches->found.names[both[0]], run->switches->found.names[both[1]]);
    return JUMP_REFUSED;
}

// An equation whose reaction a force holds, as friction along a wire does; NULL: none.
static const ModelConstraint *held_reaction(const Equations *eq)
{
    for (size_t i = 0; i < eq->motion->m; i++) {
        const MotionRow *row = &eq->motion->rows[i];
        if (!row->servo && row->d != row->b)
            return row->constraint;
    }
    return NULL;
}

// The servo behind an independent row, of a condition that it keeps or that is hidden in it; NULL:
// the row has a reaction.
static const ModelConstraint *servo_of(const Equations *eq, size_t row)
{
    const MotionRow *own = &eq->motion->rows[eq->independent.rows[row]];
    bool hidden = own->constraint->hidden && own->constraint->hidden->servo_count > 0;
    return own->servo || hidden ? own->constraint : NULL;
}

static void drop_row(SwitchSide *side, size_t row, size_t m, size_t n)
{
    memmove(side->rows + row * n, side->rows + (row + 1) * n, (m - row - 1) * n * sizeof(double));
    memmove(side->drift + row, side->drift + row + 1, (m - row - 1) * sizeof(double));
}

// What a servo keeps and the jump breaks: its force is finite, so that the others jump without it.
// NULL: none.
static const ModelConstraint *broken_servo(const SwitchSides *sides)
{
    const JumpProblem *problem = &sides->problem;
    JumpProblem others = *problem;
    size_t n = problem->n, rows = (problem->m + 1) * n;
    for (size_t k = 0; k < 2; k++) {
        const SwitchSide *side = &problem->sides[k];
        others.sides[k].rows = arena_array(problem->arena, double, rows);
        others.sides[k].drift = arena_array(problem->arena, double, problem->m + 1);
        memcpy(others.sides[k].rows, side->rows, problem->m * n * sizeof(double));
        memcpy(others.sides[k].drift, side->drift, problem->m * sizeof(double));
    }
    double *farther = arena_array(problem->arena, double, problem->m + 1);
    bool *rates = arena_array(problem->arena, bool, problem->m + 1);
    for (size_t i = 0, kept = 0; i < problem->m; i++)
        if (!servo_of(sides->eq, i)) {
            farther[kept] = problem->farther[i];
            rates[kept++] = problem->rates[i];
        }
    others.farther = farther;
    others.rates = rates;
    for (size_t i = problem->m; i-- > 0;)
        if (servo_of(sides->eq, i)) {
            for (size_t k = 0; k < 2; k++)
                drop_row(&others.sides[k], i, others.m, n);
            others.m--;
        }
    if (others.m == problem->m)
        return NULL;
    double *after = arena_array(problem->arena, double, n);
    memcpy(after, problem->v, n * sizeof *after);
    JumpChanges changes = jump_changes(&others);
    JumpKind kind = jump_by_law(&others, &changes, after);
    const SwitchSide *behind = &problem->sides[kind == JUMP_REFLECTED ? 0 : 1];
    for (size_t i = 0; i < problem->m; i++) {
        double rate = behind->drift[i], size = fabs(rate);
        for (size_t k = 0; k < n; k++) {
            rate += behind->rows[i * n + k] * after[k];
            size = fmax(size, fabs(behind->rows[i * n + k] * after[k]));
        }
        if (servo_of(sides->eq, i) && (kind == JUMP_REFUSED || fabs(rate) > TOL_SMALL * size))
            return servo_of(sides->eq, i);
    }
    return NULL;
}

// Whether an equation is not linear in the velocities; the rates of states have no reactions.
static bool is_nonlinear(const Equations *eq)
{
    for (size_t i = 0; eq->nonlinear && i < eq->motion->m; i++)
        if (!eq->motion->rows[i].linear && eq->motion->rows[i].constraint->rated == 0)
            return true;
    return false;
}

// A step that begins at the switch but for roundings has no state before it: back along the motion.
static void go_before(SwitchSides *sides, Switches *switches, size_t which)
{
    size_t n = sides->eq->n;
    double way = TOL_STATE * fmax(fabs(sides->t), DBL_MIN),
           *from = arena_array(sides->problem.arena, double, n);
    memcpy(from, sides->q, n * sizeof *from);
    for (look(sides, sides->t, sides->q);
         switches_values(switches, sides->state)[which] * switches->signs[which] >= 0 &&
         way <= TOL_CONDITION * fabs(sides->t);
         look(sides, sides->t, sides->q), way *= 8)
        for (size_t j = 0; j < n; j++)
            sides->q[j] = from[j] - way * sides->v[j];
}

static JumpKind decide(SimulationRun *run, size_t which, SwitchSides *sides, SwitchJump *out)
{
    JumpProblem *problem = &sides->problem;
    go_before(sides, run->switches, which);
    out->taken = sides->eq->finite == 0 ? leave_zeros(run, sides, which) : go_on(run, sides, which);
    look(sides, run->mode->t, run->mode->y);
    double jump = jump_of_conditions(run, sides);
    if (jump > TOL_AGREEMENT) {
        // A step without a series has passed a kink, and tells the place by its tolerance only.
        bool kink = jump < TOL_SMALL && run->sim->settings.method != RUN_TAYLOR;
        text_addf(&out->reason,
                  kink ? "a condition has a kink there at %s, which this method does not locate "
                         "well enough; the method 'taylor' does"
                       : "a condition itself jumps there with %s, and no motion meets it",
                  run->switches->found.names[which]);
        return JUMP_REFUSED;
    }
    double *at[POINTS];
    for (size_t i = 0; i < POINTS; i++)
        at[i] = i == BEFORE ? point_at(sides, sides->t, sides->q)
                            : point_at(sides, run->mode->t, run->mode->y);
    size_t both[2] = {which, which}, more = others(run, sides, which, at, &both[1]);
    JumpChanges changes = compare(sides, at[BEFORE], at[BEHIND_BOTH]);
    if (changes.rows == 1 && !changes.kinetic && is_side(sides->eq, changes.row, &out->side))
        return JUMP_CONTACT;
    JumpKind kind = jump_by_law(problem, &changes, out->after);
    // The laws take rows and inertia as they are at the velocities before.
    bool bent = sides->eq->patterns->inertia_holds_velocities;
    if ((bent || is_nonlinear(sides->eq)) && kind != JUMP_NONE) {
        text_addf(&out->reason, "velocities jump there, and %s in them",
                  bent ? "the kinetic energy is not quadratic" : "a condition is not linear");
        return JUMP_REFUSED;
    }
    const ModelConstraint *held = kind == JUMP_NONE ? NULL : held_reaction(sides->eq);
    if (held) {
        text_addf(&out->reason,
                  "velocities jump there, and a force holds the reaction of '%s', which then has a "
                  "percussion",
                  held->name);
        return JUMP_REFUSED;
    }
    const ModelConstraint *servo = kind == JUMP_NONE ? NULL : broken_servo(sides);
    if (servo) {
        text_addf(&out->reason,
                  "the velocities jump there, and what the servo '%s' keeps breaks: its force is "
                  "finite and does nothing in a jump; a constraint in its place would have its "
                  "part in it",
                  servo->name);
        return JUMP_REFUSED;
    }
    if (more == 1)
        return decide_two(run, sides, both, at, out);
    if (more > 1 && kind != JUMP_NONE)
        kind = JUMP_REFUSED;
    bool asked = changes.drift && changes.rows == 0 && !changes.kinetic && !changes.potential;
    if (kind == JUMP_REFUSED)
        text_add(&out->reason, asked && more == 0
                                   ? "a condition on velocities jumps there, and those that it "
                                     "asks for beyond lead back"
                                   : "the inertia or several conditions jump there, and the limit "
                                     "of smooth functions is not unique");
    return kind;
}

static void find_impulse(const SimulationRun *run, SwitchSides *sides, const SwitchJump *out)
{
    bool back = out->kind == JUMP_REFLECTED;
    size_t n = sides->eq->n;
    SwitchSide before = look(sides, sides->t, sides->q);
    memcpy(sides->v, out->after, n * sizeof *sides->v);
    SwitchSide behind = look(sides, back ? sides->t : run->mode->t, back ? sides->q : run->mode->y);
    for (size_t i = 0; i < n; i++)
        out->impulse[i] = behind.momentum[i] - before.momentum[i];
}

void velocity_jump(SimulationRun *run, size_t which, double before, SwitchJump *out)
{
    const ContactMode *mode = run->mode;
    const Equations *eq = mode->eq;
    size_t n = eq->n, m = eq->independent.count;
    assert(which < run->switches->count && out->after && out->impulse);
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
    if (out->kind == JUMP_PASSES || out->kind == JUMP_REFLECTED)
        find_impulse(run, &sides, out);
    evaluator_clear(&sides.energies);
    arena_free(arena);
}
