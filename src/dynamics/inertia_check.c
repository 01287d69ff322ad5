// inertia_check.c: masses and moments of inertia that no body has. They are a slip more often than
// a wish, so it is said, and the run goes on.
#include "base/diag.h"
#include "dynamics/equations.h"
#include "expr/arithmetic.h"
#include "linalg/dense_factors.h"
#include "linalg/real.h"
#include "linalg/tolerances.h"
#include "model/model.h"
#include "model/vectors.h"
#include "motion/motion_types.h"
#include "program/program.h"

#include <math.h>
#include <string.h>

static void warn(Diag *diag, Place place, const char *what, double value)
{
    if (value < 0)
        diag_add(diag, DIAG_WARNING, place, "this %s is %.6g, below 0", what, value);
}

// Whether a body can turn in every direction. Else its inertia may be known only as far as it
// matters: [0, 0, C] of a body that moves in a plane.
static bool turns_freely(const Motion *motion, const ModelBody *body)
{
    Vectors *vectors = motion->model->vectors;
    Vec omega = vector_in(vectors, frame_omega(vectors, body->frame), body->inertia_frame);
    const Expr parts[] = {omega.x, omega.y, omega.z};
    size_t coordinates = 0, directions = 0;
    for (size_t i = 0; i < 3; i++)
        directions += expr_holds_any(motion->pool, parts[i], motion->v, motion->n);
    for (size_t nu = 0; nu < motion->n && directions == 3 && coordinates < 3; nu++)
        coordinates += expr_holds(motion->pool, parts[0], motion->v[nu]) ||
                       expr_holds(motion->pool, parts[1], motion->v[nu]) ||
                       expr_holds(motion->pool, parts[2], motion->v[nu]);
    return directions == 3 && coordinates >= 3;
}

// The principal moments of Ixx, Iyy, Izz, Ixy, Iyz, Izx, rising.
static bool principal_moments(const double *inertia, double *moments)
{
    double tensor[] = {inertia[0], inertia[3], inertia[5], inertia[3], inertia[1],
                       inertia[4], inertia[5], inertia[4], inertia[2]};
    if (!real_all_finite(inertia, 6))
        return false;
    symmetric_eigenvalues(3, tensor, moments);
    return true;
}

// Of masses that are spread out in space none of the principal moments is above the sum of the two
// others, and none below 0.
static void warn_of_inertia(Diag *diag, const Motion *motion, const ModelBody *body,
                            const double *inertia)
{
    double moments[3];
    for (size_t i = 0; i < 3; i++)
        warn(diag, body->place, "body's moment of inertia", inertia[i]);
    bool negative = inertia[0] < 0 || inertia[1] < 0 || inertia[2] < 0;
    if (negative || !principal_moments(inertia, moments))
        return;
    double rounding = TOL_ROUNDING * moments[2], sum = moments[0] + moments[1];
    bool alone = moments[1] <= rounding && !turns_freely(motion, body);
    if (moments[0] < -rounding)
        warn(diag, body->place, "body's principal moment of inertia", moments[0]);
    else if (moments[2] > sum + rounding && !alone)
        diag_add(diag, DIAG_WARNING, body->place,
                 "this body's principal moment of inertia is %.10g, above the sum of the two "
                 "others, %.10g; no body has such an inertia",
                 moments[2], fmax(sum, 0));
}

void inertia_check_at(const Motion *motion, const double *inputs, Diag *diag)
{
    const Model *model = motion->model;
    size_t masses = model->masses.count, params = model->params.count;
    Expr *symbols = base_alloc((params + 1 + motion->n) * sizeof *symbols);
    for (size_t i = 0; i < params; i++)
        symbols[i] = model->params.at[i].symbol;
    symbols[params] = model->t;
    memcpy(symbols + params + 1, motion->q, motion->n * sizeof *symbols);
    ARRAY(Expr) exprs = {0};
    for (size_t i = 0; i < masses; i++)
        array_push(&exprs, model->masses.at[i].mass);
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        array_push(&exprs, body->mass);
        for (size_t k = 0; k < 6; k++)
            array_push(&exprs, body->has_inertia ? body->inertia[k] : expr_int(model->pool, 0));
    }
    double *values = base_alloc((exprs.count + 1) * sizeof *values);
    Program *program =
        program_new(motion->pool, symbols, params + 1 + motion->n, exprs.at, exprs.count, NULL);
    bool known = program_run_once(program, inputs, values);
    for (size_t i = 0; i < masses && known; i++)
        warn(diag, model->masses.at[i].place, "mass", values[i]);
    for (size_t i = 0; i < model->bodies.count && known; i++) {
        const double *of_body = values + masses + 7 * i;
        warn(diag, model->bodies.at[i].place, "body's mass", of_body[0]);
        warn_of_inertia(diag, motion, &model->bodies.at[i], of_body + 1);
    }
    base_free(values);
    base_free(symbols);
    array_clear(&exprs);
}

void inertia_check(const Equations *eq, const State *state, Diag *diag)
{
    inertia_check_at(eq->motion, state->inputs, diag);
}
