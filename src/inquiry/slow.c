// slow.c: the equations of very slow motions (Appell 24).
//
// Where the conditions do not hold the time, every term by which the equations differ from plain
// Lagrange's is of second degree in the speeds, and so is what Lagrange's equations hold beside the
// accelerations and the forces. Very slow motions leave these out: matrix(q)·u' = the forces, up to
// first degree in the speeds. Conditions or speeds that are not linear in the velocities have no
// such degrees.
#include "inquiry/small_impl.h"

bool inquiry_slow(Motion *motion, Expr *matrix, Expr *right)
{
    ExprPool *pool = motion->pool;
    size_t k = motion->k;
    Form *form = form_derive_in(FORM_KANE, motion, FORM_TO_RUN);
    InquiryNormal normal = {0};
    bool good = motion->state.linear && !form->reason && inquiry_normal(motion, form, &normal) &&
                normal.size == k;
    for (size_t nu = 0; nu < motion->n && good; nu++)
        good = expr_is_zero(pool, motion->state.C[nu]);
    Expr *u = base_alloc((k + 1) * sizeof *u), *zeros = base_alloc((k + 1) * sizeof *zeros);
    Expr *terms = base_alloc((k + 2) * sizeof *terms);
    for (size_t alpha = 0; alpha < k; alpha++) {
        u[alpha] = motion->state.speeds[alpha].u;
        zeros[alpha] = expr_int(pool, 0);
    }
    for (size_t i = 0; i < k * k && good; i++) {
        matrix[i] = normal.matrix[i];
        good = !expr_holds(pool, matrix[i], motion->model->t);
    }
    for (size_t i = 0; i < k && good; i++) {
        expr_gradient(pool, normal.right[i], u, k, terms);
        for (size_t alpha = 0; alpha < k; alpha++)
            terms[alpha] = expr_mul(pool, expr_replace(pool, terms[alpha], u, zeros, k), u[alpha]);
        terms[k] = expr_replace(pool, normal.right[i], u, zeros, k);
        right[i] = expr_sum(pool, terms, k + 1);
    }
    base_free(u);
    base_free(zeros);
    base_free(terms);
    inquiry_normal_clear(&normal);
    form_free(form);
    return good;
}
