// mayer_steps.c: one-sided conditions in Gauss' principle (Mayer 1899): f'' ≤ 0, and for one or two
// of them the whole case tree of his § 3 as formulas.
//
// Φ_lh = g_l·N·g_h and Φ⁰_l = g_l·a⁰ + F_l, where a⁰ and N·g_h solve 𝓜a − bᵀμ = K − h, b·a = −γ
// with these right sides: a⁰ is free but for the equations, which hold always (end of his § 4).
#include "forms/steps_impl.h"

enum { MOST_UNKNOWNS = 10 }; // formulas of more are not for the eye

typedef struct {
    Motion *motion;
    Form *form;
    size_t r, equations;
    const MotionRow *sides[2];
    const MotionRow **rows; // the equations that hold always
    Expr phi[2][2], phi0[2];
} Mayer;

static const char *name_of(const Mayer *mayer, size_t l)
{
    return mayer->sides[l]->constraint->name;
}

// f'' = g·q'' + F ≤ 0 of every one-sided condition.
static void step_inequalities(Form *form, const Motion *motion)
{
    if (!form_begin_step(form, STEP_MAYER_INEQUALITIES))
        return;
    Expr *terms = base_alloc((motion->n + 1) * sizeof *terms);
    for (size_t l = 0; l < motion->side_count; l++) {
        const MotionRow *side = motion_side(motion, l);
        for (size_t nu = 0; nu < motion->n; nu++)
            terms[nu] = expr_mul(motion->pool, side->b[nu], motion->a[nu]);
        terms[motion->n] = side->gamma;
        form_add_line(form, (FormLine){.of = side->constraint->name,
                                       .left = expr_sum(motion->pool, terms, motion->n + 1),
                                       .value = expr_int(motion->pool, 0),
                                       .at_most = true});
    }
    base_free(terms);
}

// δf'' = g·δq'' ≤ 0 of every one-sided condition, and the constraint, varied: (9) and (12).
static void step_variations(Form *form, const Motion *motion)
{
    if (!form_begin_step(form, STEP_MAYER_VARIATIONS))
        return;
    ExprPool *pool = motion->pool;
    Expr *terms = base_alloc((motion->n + 1) * sizeof *terms);
    for (size_t l = 0; l < motion->side_count; l++) {
        const MotionRow *side = motion_side(motion, l);
        for (size_t nu = 0; nu < motion->n; nu++) {
            Text name = {0};
            text_addf(&name, "δ%s", expr_name(pool, motion->a[nu]));
            terms[nu] = expr_mul(pool, side->b[nu], expr_symbol(pool, name.at));
            text_clear(&name);
        }
        form_add_line(form, (FormLine){.of = side->constraint->name,
                                       .left = expr_sum(pool, terms, motion->n),
                                       .value = expr_int(pool, 0),
                                       .at_most = true});
    }
    base_free(terms);
}

// ---- (15) and (16).

// 𝓜a − bᵀμ = right, b·a = …: the matrix, and a right side for the free motion and each condition.
static void fill(const Mayer *mayer, Expr *matrix, Expr *right)
{
    Motion *motion = mayer->motion;
    ExprPool *pool = motion->pool;
    size_t n = motion->n, size = n + mayer->equations, columns = 1 + mayer->r;
    Expr *mass = base_alloc((n * n + 1) * sizeof *mass), *bias = base_alloc((n + 1) * sizeof *bias);
    motion_mass_matrix(motion, mass);
    motion_bias(motion, bias);
    for (size_t i = 0; i < size * size; i++)
        matrix[i] = expr_int(pool, 0);
    for (size_t i = 0; i < size * columns; i++)
        right[i] = expr_int(pool, 0);
    for (size_t nu = 0; nu < n; nu++) {
        for (size_t mu = 0; mu < n; mu++)
            matrix[nu * size + mu] = mass[nu * n + mu];
        right[nu * columns] = expr_neg(pool, bias[nu]);
        for (size_t l = 0; l < mayer->r; l++)
            right[nu * columns + 1 + l] = mayer->sides[l]->b[nu];
        for (size_t i = 0; i < mayer->equations; i++) {
            matrix[nu * size + n + i] = expr_neg(pool, mayer->rows[i]->d[nu]);
            matrix[(n + i) * size + nu] = mayer->rows[i]->b[nu];
        }
    }
    for (size_t i = 0; i < mayer->equations; i++)
        right[(n + i) * columns] = expr_neg(pool, mayer->rows[i]->gamma);
    base_free(mass);
    base_free(bias);
}

// start + g_l·(column of the solution)
static Expr along(const Mayer *mayer, size_t l, const Expr *solution, size_t column, Expr start)
{
    const Motion *motion = mayer->motion;
    Expr *terms = base_alloc((motion->n + 1) * sizeof *terms);
    for (size_t nu = 0; nu < motion->n; nu++)
        terms[nu] =
            expr_mul(motion->pool, mayer->sides[l]->b[nu], solution[nu * (1 + mayer->r) + column]);
    terms[motion->n] = start;
    Expr sum = expr_sum(motion->pool, terms, motion->n + 1);
    base_free(terms);
    return algebra_simplify(motion->algebra, sum);
}

static bool find_phi(Mayer *mayer)
{
    Motion *motion = mayer->motion;
    size_t size = motion->n + mayer->equations, columns = 1 + mayer->r;
    Expr *matrix = base_alloc((size * size + 1) * sizeof *matrix);
    Expr *right = base_alloc((size * columns + 1) * sizeof *right);
    Expr *solution = base_alloc((size * columns + 1) * sizeof *solution);
    fill(mayer, matrix, right);
    bool solved = algebra_solve(motion->algebra, matrix, right, size, columns, solution);
    for (size_t l = 0; l < mayer->r && solved; l++) {
        mayer->phi0[l] = along(mayer, l, solution, 0, mayer->sides[l]->gamma);
        for (size_t h = 0; h < mayer->r; h++)
            mayer->phi[l][h] = along(mayer, l, solution, 1 + h, expr_int(motion->pool, 0));
    }
    base_free(matrix);
    base_free(right);
    base_free(solution);
    return solved;
}

static void step_phi(const Mayer *mayer)
{
    if (form_begin_step(mayer->form, STEP_MAYER_PHI))
        for (size_t l = 0; l < mayer->r; l++)
            for (size_t h = l; h < mayer->r; h++)
                line_named(mayer->form, mayer->phi[l][h], "Phi_{%s,%s}", name_of(mayer, l),
                           name_of(mayer, h));
    if (form_begin_step(mayer->form, STEP_MAYER_FREE))
        for (size_t l = 0; l < mayer->r; l++)
            line_named(mayer->form, mayer->phi0[l], "Φ⁰_{%s}", name_of(mayer, l));
}

// ---- § 3.

static Expr quotient(const Mayer *mayer, Expr above, Expr below)
{
    const Motion *motion = mayer->motion;
    return algebra_simplify(motion->algebra, expr_div(motion->pool, above, below));
}

static void step_alone(const Mayer *mayer, FormStepKind kind)
{
    ExprPool *pool = mayer->motion->pool;
    if (!form_begin_step(mayer->form, kind))
        return;
    for (size_t h = 0; h < mayer->r; h++) {
        Expr lambda = quotient(mayer, mayer->phi0[h], mayer->phi[h][h]);
        line_named(mayer->form, lambda, "lambda_{%s}", name_of(mayer, h));
        if (mayer->r == 2)
            line_named(mayer->form,
                       algebra_simplify(mayer->motion->algebra,
                                        expr_sub(pool, mayer->phi0[1 - h],
                                                 expr_mul(pool, mayer->phi[1 - h][h], lambda))),
                       h == 0 ? "Φ¹_{%s}" : "Φ²_{%s}", name_of(mayer, 1 - h));
    }
}

static void step_both(const Mayer *mayer)
{
    ExprPool *pool = mayer->motion->pool;
    const Expr(*phi)[2] = mayer->phi;
    if (mayer->r < 2 || !form_begin_step(mayer->form, STEP_MAYER_BOTH))
        return;
    Expr delta = algebra_simplify(
        mayer->motion->algebra,
        expr_sub(pool, expr_mul(pool, phi[0][0], phi[1][1]), expr_mul(pool, phi[0][1], phi[1][0])));
    line_named(mayer->form, delta, "Delta_2");
    for (size_t h = 0; h < 2; h++) {
        size_t other = 1 - h;
        Expr above = expr_sub(pool, expr_mul(pool, mayer->phi0[h], phi[other][other]),
                              expr_mul(pool, mayer->phi0[other], phi[h][other]));
        line_named(mayer->form, quotient(mayer, above, delta), "lambda_{%s}", name_of(mayer, h));
    }
}

void step_mayer(Form *form, Motion *motion)
{
    if (motion->side_count == 0 || form->detail < FORM_IN_STEPS)
        return;
    Mayer mayer = {.motion = motion, .form = form, .r = motion->side_count};
    step_inequalities(form, motion);
    step_variations(form, motion);
    if (mayer.r > 2 || motion->n + motion->m > MOST_UNKNOWNS || motion->second_count > 0)
        return;
    mayer.rows = base_alloc((motion->m + 1) * sizeof *mayer.rows);
    for (size_t l = 0; l < mayer.r; l++)
        mayer.sides[l] = motion_side(motion, l);
    for (size_t i = 0; i < motion->m; i++)
        if (motion->rows[i].constraint->kind != CONSTRAINT_ONE_SIDED)
            mayer.rows[mayer.equations++] = &motion->rows[i];
    if (find_phi(&mayer)) {
        step_phi(&mayer);
        step_alone(&mayer, mayer.r == 1 ? STEP_MAYER_ONE : STEP_MAYER_ALONE);
        step_both(&mayer);
    }
    base_free(mayer.rows);
}
