// body_axes.c: whether the axes that an inertia is given in suit its body.
//
// They need not spin with the body (Appell 10), as long as the tensor J is constant in it. With ω
// the angular velocity of the axes relative to the body, J changes there at the rate ω × J − J × ω:
// axes may turn about an axis of symmetry only. Else the kinetic energy and Newton's and Euler's
// equations would mean different bodies. Decided exactly, for all positions and velocities.
#include "motion/motion_impl.h"
#include "motion/spin.h"

// The angular velocity of the inertia's axes relative to the body, along these axes.
static Vec slip(const Model *model, const ModelBody *body)
{
    Vectors *vectors = model->vectors;
    Vec axes = vector_in(vectors, frame_omega(vectors, body->inertia_frame), body->inertia_frame);
    Vec own = vector_in(vectors, frame_omega(vectors, body->frame), body->inertia_frame);
    ExprPool *pool = model->pool;
    return (Vec){expr_sub(pool, axes.x, own.x), expr_sub(pool, axes.y, own.y),
                 expr_sub(pool, axes.z, own.z)};
}

// ω × J − J × ω, a symmetric tensor: its entries on and above the diagonal.
static void tensor_rate(Motion *motion, const ModelBody *body, Vec w, Expr rate[6])
{
    ExprPool *pool = motion->pool;
    Expr zero = expr_int(pool, 0);
    const Expr spin[3][3] = {{zero, expr_neg(pool, w.z), w.y},
                             {w.z, zero, expr_neg(pool, w.x)},
                             {expr_neg(pool, w.y), w.x, zero}};
    Expr product[3][3]; // [ω]·J, column after column
    for (int j = 0; j < 3; j++) {
        Expr unit[3] = {zero, zero, zero};
        unit[j] = expr_int(pool, 1);
        Vec column = motion_inertia_times(motion, body, (Vec){unit[0], unit[1], unit[2]});
        for (int i = 0; i < 3; i++)
            product[i][j] = vec_dot(pool, (Vec){spin[i][0], spin[i][1], spin[i][2]}, column);
    }
    // J·[ω] is −([ω]·J) transposed.
    for (int i = 0, at = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            rate[at++] = expr_add(pool, product[i][j], product[j][i]);
}

static bool is_constant(Motion *motion, const ModelBody *body)
{
    Expr rate[6];
    tensor_rate(motion, body, slip(motion->model, body), rate);
    for (int i = 0; i < 6; i++) {
        Verdict zero = algebra_is_zero_modular(motion->algebra, rate[i]);
        Answer answer = zero.answer;
        verdict_clear(&zero);
        if (answer == ANSWER_NO)
            return false;
    }
    return true;
}

Status motion_check_axes(Motion *motion, Diag *diag)
{
    const Model *model = motion->model;
    Status status = STATUS_OK;
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        if (!body->has_inertia || body->inertia_frame.at == body->frame.at ||
            is_constant(motion, body))
            continue;
        status = diag_error(diag, body->place,
                            "the inertia of the body '%s' would change in time: the frame after "
                            "'in' turns in the body about an axis that is no axis of symmetry of "
                            "it; leave 'in' out, or give the two moments across that axis the "
                            "same symbol",
                            body->name);
    }
    return status;
}
