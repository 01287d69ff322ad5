// exact_differentials.c: for which parameters the displacements are exact differentials (Appell 8,
// (19)–(20); Quanjel 5 III), a sufficient test for the plain Lagrange equation.
//
// With x' = Σ a_j q'_j + a reduced, of every point, the test for q_α is ∂a_α/∂q_j = ∂a_j/∂q_α and
// ∂a_α/∂t = ∂a/∂q_α, that is d/dt ∂x'/∂q'_α = ∂x'/∂q_α. Then δx = δU + terms without q_α, where
// ∂U/∂q_α = a_α and ∂U/∂q_j = a_j − a_j(q_α = 0). A body's points are its centre and its axes.
#include "inquiry/inquiry_impl.h"
#include "model/vectors.h"

enum { MOST_COORDINATES = 8 };

typedef struct {
    Motion *motion;
    MotionReduction *by;
    InquiryExact *found;
} Exact;

static Vec velocity_of(const Exact *exact, Vector position)
{
    Vectors *vectors = exact->motion->model->vectors;
    Vec v = vector_in(vectors, vector_rate(vectors, position), (Frame){0});
    Expr *parts[] = {&v.x, &v.y, &v.z};
    for (size_t axis = 0; axis < 3; axis++)
        *parts[axis] = motion_reduced(exact->motion, exact->by, *parts[axis]);
    return v;
}

static Answer is_exact(const Exact *exact, size_t alpha, Vec v)
{
    Motion *motion = exact->motion;
    const MotionSpeed *speed = &exact->by->speeds[alpha];
    const Expr parts[] = {v.x, v.y, v.z};
    Answer answer = ANSWER_YES;
    for (size_t axis = 0; axis < 3 && answer == ANSWER_YES; axis++) {
        Expr a = expr_diff(motion->pool, parts[axis], speed->u);
        Expr apart = expr_sub(motion->pool, motion_rate_along(motion, exact->by, a),
                              expr_diff(motion->pool, parts[axis], motion->q[speed->index]));
        answer = inquiry_is_zero(motion, apart);
    }
    return answer;
}

// All that the position of a body's points is made of.
static Answer is_body_exact(const Exact *exact, size_t alpha, const ModelBody *body)
{
    Vectors *vectors = exact->motion->model->vectors;
    Answer answer = is_exact(exact, alpha, velocity_of(exact, body->position));
    for (size_t axis = 0; axis < 3 && answer == ANSWER_YES && body->has_inertia; axis++) {
        Expr one = expr_int(exact->motion->pool, 1), zero = expr_int(exact->motion->pool, 0);
        Vec unit = {axis == 0 ? one : zero, axis == 1 ? one : zero, axis == 2 ? one : zero};
        answer = is_exact(exact, alpha, velocity_of(exact, vector_of(vectors, body->frame, unit)));
    }
    return answer;
}

static Answer ask(const Exact *exact, size_t alpha)
{
    const Model *model = exact->motion->model;
    Answer answer = ANSWER_YES;
    for (size_t i = 0; i < model->masses.count && answer == ANSWER_YES; i++)
        answer = is_exact(exact, alpha, velocity_of(exact, model->masses.at[i].position));
    for (size_t i = 0; i < model->bodies.count && answer == ANSWER_YES; i++)
        answer = is_body_exact(exact, alpha, &model->bodies.at[i]);
    return answer;
}

// U of one component of the velocity of a point; none where it is not found.
static Expr differential_of(const Exact *exact, size_t alpha, Expr part)
{
    Motion *motion = exact->motion;
    ExprPool *pool = motion->pool;
    size_t k = motion->k;
    Expr zero = expr_int(pool, 0), own = motion->q[exact->by->speeds[alpha].index];
    Expr *variables = base_alloc((2 * k + 1) * sizeof *variables), *partials = variables + k;
    for (size_t j = 0; j < k; j++) {
        variables[j] = motion->q[exact->by->speeds[j].index];
        partials[j] = expr_diff(pool, part, exact->by->speeds[j].u);
        if (j != alpha)
            partials[j] =
                expr_sub(pool, partials[j], expr_replace(pool, partials[j], &own, &zero, 1));
        partials[j] = algebra_simplify(motion->algebra, partials[j]);
    }
    Expr U =
        expr_is_zero(pool, partials[alpha]) ? zero : antiderivative(motion, variables, partials, k);
    base_free(variables);
    return U;
}

static void add_differential(Exact *exact, size_t alpha, const char *of, Vector position)
{
    Vec v = velocity_of(exact, position);
    InquiryDifferential found = {.parameter = alpha, .of = of};
    const Expr parts[] = {v.x, v.y, v.z};
    for (size_t axis = 0; axis < 3; axis++) {
        found.U[axis] = differential_of(exact, alpha, parts[axis]);
        if (expr_is_none(found.U[axis]))
            return;
    }
    array_push(&exact->found->differentials, found);
}

static void find_differentials(Exact *exact, size_t alpha)
{
    const Model *model = exact->motion->model;
    for (size_t i = 0; i < model->masses.count; i++)
        add_differential(exact, alpha, NULL, model->masses.at[i].position);
    for (size_t i = 0; i < model->bodies.count; i++)
        if (!expr_is_zero(model->pool, model->bodies.at[i].mass))
            add_differential(exact, alpha, model->bodies.at[i].name, model->bodies.at[i].position);
}

InquiryExact *inquiry_exact(Motion *motion)
{
    const Model *model = motion->model;
    MotionReduction *by = motion_velocities(motion);
    Expr given = expr_add(model->pool, expr_add(model->pool, model->kinetic, model->lagrangian),
                          model->acceleration_energy);
    if (!by || !by->linear || !by->closed || motion->m == 0 || motion->n > MOST_COORDINATES ||
        inquiry_stranger(motion) || motion->second_count > 0 || !expr_is_zero(model->pool, given))
        return NULL;
    InquiryExact *found = base_alloc(sizeof *found);
    Exact exact = {motion, by, found};
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        array_push(&found->coordinates, by->speeds[alpha].index);
        array_push(&found->answers, ask(&exact, alpha));
        if (found->answers.at[alpha] == ANSWER_YES)
            find_differentials(&exact, alpha);
    }
    return found;
}

void inquiry_exact_free(InquiryExact *exact)
{
    if (!exact)
        return;
    array_clear(&exact->coordinates);
    array_clear(&exact->answers);
    array_clear(&exact->differentials);
    base_free(exact);
}
