// sensitivity_impacts.c: the derivative of a jump of velocities.
//
// With p = ∂T/∂q' an impact has p⁺ − p⁻ = Σ Λ·d + P and b·q'⁺ + c = −e·(b·q'⁻ + c) for what is
// struck, with e = 0 for equations. A friction at what is struck sticks, with a row of its own, or
// slides, which turns d. The velocities after it tell which: they have to satisfy all of this, and
// then it is differentiated.
#include "base/text_builder.h"
#include "simulate/sensitivity/sensitivity_impl.h"

#include "dynamics/equations.h"
#include "expr/arithmetic.h"
#include "linalg/dense.h"
#include "linalg/tolerances.h"
#include "model/constraint.h"
#include "model/friction.h"
#include "motion/frictions.h"
#include "motion/holds.h"
#include "simulate/contact_event_impl.h"
#include "simulate/contact_mode_impl.h"
#include "simulate/simulation_impl.h"
#include "simulate/simulation_run_impl.h"

#include <math.h>
#include <string.h>

// One way in which the velocities may have jumped.
typedef enum { SHOCK_SMOOTH, SHOCK_STICKS, SHOCK_FORWARD, SHOCK_BACKWARD, SHOCK_WAYS } ShockWay;

typedef struct {
    SimulationRun *run;
    size_t n, rows;
    Evaluator numbers; // p (n); of each row: d (n), b·q' + c, e
    double *inputs[2]; // before and after
    double *values[2], *room;
    double *matrix, *right, *impulses;
    double *given; // n: P, or NULL
} Jump;

static Expr *push_row(const MotionRow *row, size_t n, const Expr *direction, Expr restitution,
                      Expr *out)
{
    memcpy(out, direction ? direction : row->d, n * sizeof *out);
    out[n] = row->velocity;
    out[n + 1] = restitution;
    return out + n + 2;
}

static const MotionFriction *friction_of(const Motion *motion, size_t side)
{
    for (size_t i = 0; i < motion->friction_count; i++)
        if (motion->frictions[i].side == side)
            return &motion->frictions[i];
    return NULL;
}

// False where one of the conditions is not followed.
static bool lower(Jump *jump, ShockWay way)
{
    SimulationRun *run = jump->run;
    Motion *motion = run->sim->motion;
    const ContactEvent *event = run->event;
    ExprPool *pool = motion->pool;
    size_t n = jump->n, most = motion->m + 2 * event->at.count;
    Expr *outputs = base_alloc((n + most * (n + 2) + n) * sizeof *outputs), *at = outputs + n;
    Expr zero = expr_int(pool, 0), *turned = at + most * (n + 2);
    bool good = true, rubs = false;
    memcpy(outputs, motion->p, n * sizeof *outputs);
    for (size_t i = 0; i < motion->m && good; i++) {
        good = motion->rows[i].linear;
        at = push_row(&motion->rows[i], n, NULL, zero, at);
    }
    for (size_t i = 0; i < event->at.count && good; i++) {
        const TouchingContact *contact = &event->at.at[i];
        if (!(contact->impulse > 0))
            continue;
        good = contact->index < motion->side_count;
        if (!good)
            break;
        const MotionRow *side = motion_side(motion, contact->index);
        const MotionFriction *friction = friction_of(motion, contact->index);
        rubs = rubs || friction;
        good = !friction || (friction->rows == 1 && friction->also_count == 0);
        for (size_t k = 0; k < motion->friction_count; k++)
            good = good && (&motion->frictions[k] == friction ||
                            !motion_friction_presses(&motion->frictions[k], side->constraint));
        for (size_t j = 0; j < n && good; j++) {
            turned[j] = side->b[j];
            // λ of what is struck is below 0 along b.
            if (friction && way >= SHOCK_FORWARD)
                turned[j] =
                    expr_add(pool, turned[j],
                             expr_mul(pool,
                                      expr_mul(pool, expr_int(pool, way == SHOCK_FORWARD ? 1 : -1),
                                               expr_mul(pool, friction->bound, friction->pressure)),
                                      friction->sticks[0].b[j]));
        }
        if (good)
            at = push_row(side, n, turned, side->constraint->restitution, at);
        if (good && friction && way == SHOCK_STICKS)
            at = push_row(&friction->sticks[0], n, friction->sticks[0].b, zero, at);
    }
    good = good && (rubs || way == SHOCK_SMOOTH);
    jump->rows = ((size_t)(at - outputs) - n) / (n + 2);
    const Equations *eq = run->sim->base->eq;
    good = good && equations_lower(eq, "an impact holds", outputs, (size_t)(at - outputs),
                                   eq->params + 1 + 2 * n, run->diag, &jump->numbers) == STATUS_OK;
    base_free(outputs);
    return good;
}

static double *row_of(double *values, size_t n, size_t row)
{
    return values + n + row * (n + 2);
}

// Λ of all rows, by the momenta; whether these and the velocities after satisfy the law.
static bool holds(Jump *jump)
{
    size_t n = jump->n, rows = jump->rows, size = n > rows ? n : rows;
    double *columns = base_alloc((n * rows + size + 1) * sizeof *columns);
    size_t velocities = jump->run->sim->sensitivity->params + 1 + n;
    double *right = columns + n * rows, *before = jump->values[0], *after = jump->values[1];
    double most = 0, miss = 0, speed = 0;
    for (size_t j = 0; j < n; j++) {
        right[j] = after[j] - before[j] - (jump->given ? jump->given[j] : 0);
        most = fmax(most, fmax(fabs(after[j]), fabs(before[j])));
        for (size_t i = 0; i < rows; i++)
            columns[i * n + j] = row_of(before, n, i)[j];
    }
    least_squares(columns, n, rows, TOL_RANK, right);
    memcpy(jump->impulses, right, rows * sizeof *right);
    for (size_t j = 0; j < n; j++) {
        double left = after[j] - before[j] - (jump->given ? jump->given[j] : 0);
        for (size_t i = 0; i < rows; i++)
            left -= jump->impulses[i] * row_of(before, n, i)[j];
        miss = fmax(miss, fabs(left));
    }
    bool met = miss <= TOL_AGREEMENT * most;
    miss = 0;
    for (size_t i = 0; i < rows; i++) {
        double rate = row_of(before, n, i)[n], left = row_of(after, n, i)[n];
        speed = fmax(speed, fmax(fabs(rate), fabs(left)));
        // Of conditions both are roundings of their terms.
        for (size_t j = 0; j < 2 * n; j++)
            speed = fmax(speed, fabs(row_of(jump->values[j / n], n, i)[j % n] *
                                     jump->inputs[j / n][velocities + j % n]));
        miss = fmax(miss, fabs(left + row_of(before, n, i)[n + 1] * rate));
    }
    base_free(columns);
    return met && miss <= TOL_AGREEMENT * speed;
}

static void look(Jump *jump)
{
    double *changes = jump->room;
    for (size_t k = 0; k < 2; k++) {
        memset(changes, 0, jump->numbers.outputs * sizeof *changes);
        evaluator_run(&jump->numbers, jump->inputs[k]);
        memcpy(jump->values[k], jump->numbers.out, jump->numbers.outputs * sizeof *changes);
    }
}

// The matrix of dq'⁺ and dΛ, column after column.
static void make_matrix(Jump *jump, double *direction, size_t input_count)
{
    size_t n = jump->n, rows = jump->rows, size = n + rows;
    const Sensitivity *own = jump->run->sim->sensitivity;
    double *changes = jump->room, *values = changes + jump->numbers.outputs;
    memset(jump->matrix, 0, size * size * sizeof *jump->matrix);
    for (size_t j = 0; j < n; j++) {
        memset(direction, 0, input_count * sizeof *direction);
        direction[own->params + 1 + n + j] = 1;
        sensitivity_along(&jump->numbers, jump->inputs[1], direction, values, changes);
        memcpy(jump->matrix + j * size, changes, n * sizeof *changes);
        for (size_t i = 0; i < rows; i++)
            jump->matrix[j * size + n + i] = row_of(changes, n, i)[n];
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++)
            jump->matrix[(n + i) * size + j] = -row_of(jump->values[0], n, i)[j];
}

// dq'⁺ of one direction, from dt, dq, dq'⁻ and dp among the inputs.
static void differentiate(Jump *jump, double *direction, const double *given_change, double *out)
{
    size_t n = jump->n, rows = jump->rows, size = n + rows, outputs = jump->numbers.outputs;
    const Sensitivity *own = jump->run->sim->sensitivity;
    double *after = jump->room, *before = after + outputs, *values = before + outputs;
    double *matrix = values + outputs, *right = jump->right;
    sensitivity_along(&jump->numbers, jump->inputs[0], direction, values, before);
    memset(direction + own->params + 1 + n, 0, n * sizeof *direction);
    sensitivity_along(&jump->numbers, jump->inputs[1], direction, values, after);
    for (size_t j = 0; j < n; j++) {
        right[j] = before[j] - after[j] + (given_change ? given_change[j] : 0);
        for (size_t i = 0; i < rows; i++)
            right[j] += jump->impulses[i] * row_of(before, n, i)[j];
    }
    for (size_t i = 0; i < rows; i++) {
        const double *was = row_of(jump->values[0], n, i), *change = row_of(before, n, i);
        right[n + i] = -row_of(after, n, i)[n] - was[n + 1] * change[n] - change[n + 1] * was[n];
    }
    memcpy(matrix, jump->matrix, size * size * sizeof *matrix);
    least_squares(matrix, size, size, TOL_RANK, right);
    memcpy(out, right, n * sizeof *out);
}

// ---- All of it.

// What is struck has to be so where the event has moved, too: else others are struck there.
static void check_struck(SimulationRun *run, const State *state)
{
    Sensitivity *own = run->sim->sensitivity;
    const Motion *motion = run->sim->motion;
    const ContactEvent *event = run->event;
    for (size_t i = 0; i < event->at.count; i++) {
        size_t side = event->at.at[i].index;
        const Equations *eq = run->sim->base->eq;
        Evaluator gap = {0};
        if (!(event->at.at[i].impulse > 0) || side >= motion->side_count ||
            equations_lower(eq, "a condition holds", &motion->sides[side].position, 1,
                            eq->params + 1 + own->n, run->diag, &gap) != STATUS_OK)
            continue;
        for (size_t k = 0; k < own->count; k++) {
            double value, change, *y = own->y + 2 * own->n * k, most = 0;
            const double *along = sensitivity_moves(run, state, k, own->tau[k], y);
            sensitivity_along(&gap, state->inputs, along, &value, &change);
            for (size_t j = 0; j < own->n; j++)
                most = fmax(most, fabs(y[j]));
            if (fabs(change) > TOL_SMALL * fmax(most, fabs(own->tau[k])))
                sensitivity_refuse(own, run->mode->t,
                                   "the motion does not depend smoothly on %s: '%s' is struck "
                                   "there at the same time as something else",
                                   own->names.at[k].name, motion->sides[side].constraint->name);
        }
        evaluator_clear(&gap);
    }
}

static void jump_clear(Jump *jump)
{
    evaluator_clear(&jump->numbers);
    base_free(jump->inputs[0]);
    base_free(jump->values[0]);
    jump->inputs[0] = jump->values[0] = NULL;
}

// The first way that the velocities satisfy.
static bool find_way(Jump *jump, const State *state)
{
    const Equations *eq = jump->run->sim->base->eq;
    const ContactEvent *event = jump->run->event;
    size_t n = jump->n, bytes = eq->input_count * sizeof(double);
    for (int way = 0; way < SHOCK_WAYS; way++) {
        if (!lower(jump, (ShockWay)way)) {
            evaluator_clear(&jump->numbers);
            continue;
        }
        size_t outputs = jump->numbers.outputs, size = n + jump->rows;
        jump->inputs[0] = base_alloc(2 * bytes);
        jump->inputs[1] = jump->inputs[0] + eq->input_count;
        jump->values[0] = base_alloc((5 * outputs + 2 * size * size + 2 * size) * sizeof(double));
        jump->values[1] = jump->values[0] + outputs;
        jump->room = jump->values[1] + outputs;
        jump->matrix = jump->room + 3 * outputs + size * size;
        jump->right = jump->matrix + size * size;
        jump->impulses = jump->right + size;
        for (size_t k = 0; k < 2; k++) {
            double *inputs = memcpy(jump->inputs[k], state->inputs, bytes);
            inputs[eq->params] = event->t;
            memcpy(inputs + eq->params + 1, event->q, n * sizeof *inputs);
            memcpy(inputs + eq->params + 1 + n, k ? event->after : event->before,
                   n * sizeof *inputs);
        }
        look(jump);
        if (holds(jump))
            return true;
        jump_clear(jump);
    }
    return false;
}

// By the names of what is struck.
static void refuse_impact(SimulationRun *run)
{
    const Motion *motion = run->sim->motion;
    const ContactEvent *event = run->event;
    Text struck = {0};
    for (size_t i = 0; i < event->at.count; i++)
        if (event->at.at[i].impulse > 0 && event->at.at[i].index < motion->side_count)
            text_addf(&struck, "%s'%s'", struck.length > 0 ? ", " : " at ",
                      motion->sides[event->at.at[i].index].constraint->name);
    sensitivity_refuse(run->sim->sensitivity, event->t,
                       "the derivatives through this impact%s are not known to this version",
                       struck.length > 0 ? struck.at : "");
    text_clear(&struck);
}

void sensitivity_impact(SimulationRun *run, const double *impulse)
{
    Sensitivity *own = run->sim->sensitivity;
    const ContactEvent *event = run->event;
    if (!own || own->reason || !own->inside || !event->impact)
        return;
    const Equations *eq = run->sim->base->eq;
    size_t n = own->n, bytes = eq->input_count * sizeof(double);
    Jump jump = {.run = run, .n = n, .given = impulse ? own->given : NULL};
    if (impulse)
        memcpy(own->given, impulse, n * sizeof *impulse);
    State before = *run->mode->state;
    before.inputs = base_alloc(2 * bytes);
    memcpy(before.inputs, run->mode->state->inputs, bytes);
    before.t = before.inputs + eq->params;
    before.q = before.t + 1;
    before.v = before.q + n;
    *before.t = event->t;
    memcpy(before.q, event->q, n * sizeof(double));
    memcpy(before.v, event->before, n * sizeof(double));
    double *direction = before.inputs + eq->input_count;
    if (!sensitivity_take_mode(run)) {
        base_free(before.inputs);
        return;
    }
    check_struck(run, &before);
    if (!own->reason && !find_way(&jump, &before))
        refuse_impact(run);
    for (size_t i = 0; i < own->count && !own->reason; i++) {
        double *y = own->y + 2 * n * i;
        if (i == 0)
            make_matrix(&jump, direction, eq->input_count);
        memcpy(direction, sensitivity_moves(run, &before, i, own->tau[i], y), bytes);
        const double *change = impulse ? own->given_changes + n * i : NULL;
        differentiate(&jump, direction, change, y + n);
    }
    jump_clear(&jump);
    base_free(before.inputs);
}

// How a given impulse changes, in the frame of its event, before the velocities jump.
void sensitivity_take_impulse(SimulationRun *run)
{
    Sensitivity *own = run->sim->sensitivity;
    if (!own || own->reason || !own->impulse || !sensitivity_take_mode(run))
        return;
    size_t count = own->impulse->outputs, n = own->n;
    double *values = base_alloc(2 * count * sizeof *values), *changes = values + count;
    for (size_t i = 0; i < own->count; i++) {
        const double *along =
            sensitivity_inputs(run, run->mode->state, i, own->tau[i], own->y + 2 * n * i);
        sensitivity_along(own->impulse, run->mode->state->inputs, along, values, changes);
        memcpy(own->given_changes + n * i, changes, n * sizeof *changes);
    }
    base_free(values);
}
