// korteweg.c: Korteweg's determinants (Quanjel (16)).
//
// With ρ_ν = W_ν − K_ν, for each independent α the determinant with the rows
// (ρ_α ρ_{k+1} … ρ_n) and (b_μα b_{μ,k+1} … b_μn), μ = 1…m, is zero: ρ is a combination of the
// rows b, and the multipliers never appear. Where a servo keeps a condition its direction d is in
// the place of b, and the dependent columns are those that make the block of d's regular.
#include "forms/steps_impl.h"

// A few conditions have their minors worked out by Laplace's rule, which leaves something to read
// and doubles with each condition. More of them go by the adjugate of the block of dependent
// columns, without a division but by whole numbers (Leverrier, Faddeev): m⁴ steps, once. The other
// forms take no more than m² of them, so that there is an end to this one.
enum { MOST_BY_LAPLACE = 4, MOST_CONDITIONS = 24 };

// The minors of the m × (m + 1) matrix of b's in the given columns: minors[j] leaves column j
// out. Built row after row over sets of columns, so that common minors are worked out once.
static void make_minors(const Motion *motion, const size_t *columns, Expr *minors)
{
    ExprPool *pool = motion->pool;
    size_t m = motion->m, sets = (size_t)1 << (m + 1);
    Expr *minor = base_alloc(sets * sizeof *minor);
    Expr *terms = base_alloc((m + 1) * sizeof *terms);
    minor[0] = expr_int(pool, 1);
    for (size_t set = 1; set < sets; set++) {
        size_t row = 0, count = 0;
        for (size_t j = 0; j <= m; j++)
            row += set >> j & 1;
        if (row > m)
            continue;
        // Along the last row of this minor; signs alternate from its right end.
        int sign = 1;
        for (size_t j = m + 1; j-- > 0;) {
            if (!(set >> j & 1))
                continue;
            Expr b = motion->rows[row - 1].d[columns[j]];
            Expr term = expr_mul(pool, b, minor[set & ~((size_t)1 << j)]);
            terms[count++] = sign > 0 ? term : expr_neg(pool, term);
            sign = -sign;
        }
        minor[set] = expr_sum(pool, terms, count);
    }
    for (size_t j = 0; j <= m; j++)
        minors[j] = minor[(sets - 1) & ~((size_t)1 << j)];
    base_free(minor);
    base_free(terms);
}

// ---- The adjugate of the block D of dependent columns: D⁻¹ times its determinant.

typedef struct {
    Expr *entries; // m × m
    Expr determinant;
} Adjugate;

// product = D·a; a and product m × m.
static void times_block(const TrueCoordinates *in, const Expr *a, Expr *product)
{
    const Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    size_t m = motion->m;
    Expr *terms = base_alloc((m + 1) * sizeof *terms);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            size_t count = 0;
            for (size_t l = 0; l < m; l++) {
                Expr b = motion->rows[i].d[in->dependent[l]];
                if (!expr_is_zero(pool, b) && !expr_is_zero(pool, a[l * m + j]))
                    terms[count++] = expr_mul(pool, b, a[l * m + j]);
            }
            product[i * m + j] = expr_sum(pool, terms, count);
        }
    base_free(terms);
}

static Expr trace(ExprPool *pool, const Expr *a, size_t m)
{
    Expr *terms = base_alloc((m + 1) * sizeof *terms);
    for (size_t i = 0; i < m; i++)
        terms[i] = a[i * m + i];
    Expr sum = expr_sum(pool, terms, m);
    base_free(terms);
    return sum;
}

// M₁ = 1, M_{s+1} = D·M_s − 1·tr(D·M_s)/s: then M_m is the adjugate and tr(D·M_m)/m the
// determinant, both up to the sign (−1)^(m−1).
static void make_adjugate(const TrueCoordinates *in, Adjugate *adjugate)
{
    const Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    size_t m = motion->m;
    Expr *product = base_alloc((m * m + 1) * sizeof *product);
    Expr sign = expr_int(pool, m % 2 ? 1 : -1);
    adjugate->entries = base_alloc((m * m + 1) * sizeof(Expr));
    for (size_t i = 0; i < m * m; i++)
        adjugate->entries[i] = expr_int(pool, i % (m + 1) == 0);
    for (size_t s = 1; s <= m; s++) {
        times_block(in, adjugate->entries, product);
        Expr c = expr_mul(pool, expr_ratio(pool, 1, (int64_t)s), trace(pool, product, m));
        adjugate->determinant = expr_mul(pool, sign, c);
        for (size_t i = 0; i < m * m && s < m; i++)
            adjugate->entries[i] = i % (m + 1) == 0 ? expr_sub(pool, product[i], c) : product[i];
    }
    for (size_t i = 0; i < m * m; i++)
        adjugate->entries[i] = expr_mul(pool, sign, adjugate->entries[i]);
    base_free(product);
}

// By Cramer's rule: leaving the first column out is the determinant of D, leaving dependent column
// i out is, up to its sign, that of D with the first column in its place.
static void minors_by_adjugate(const Motion *motion, const Adjugate *adjugate, size_t column,
                               Expr *minors)
{
    ExprPool *pool = motion->pool;
    size_t m = motion->m;
    Expr *terms = base_alloc((m + 1) * sizeof *terms);
    minors[0] = adjugate->determinant;
    for (size_t i = 0; i < m; i++) {
        for (size_t mu = 0; mu < m; mu++)
            terms[mu] = expr_mul(pool, adjugate->entries[i * m + mu], motion->rows[mu].d[column]);
        Expr replaced = expr_sum(pool, terms, m);
        minors[i + 1] = i % 2 ? expr_neg(pool, replaced) : replaced;
    }
    base_free(terms);
}

static void step_directions(Form *form, const Motion *motion)
{
    if (!form_begin_step(form, STEP_SERVO_ROWS))
        return;
    for (size_t mu = 0; mu < motion->m; mu++)
        for (size_t nu = 0; nu < motion->n; nu++)
            if (!expr_is_zero(motion->pool, motion->rows[mu].d[nu]))
                line_named(form, motion->rows[mu].d[nu], "d_{%s,%s}",
                           motion->rows[mu].constraint->name, motion->model->coords.at[nu].name);
}

static void step_rows(Form *form, const Motion *motion)
{
    if (motion->servos) {
        step_directions(form, motion);
        return;
    }
    if (motion->m == 0 || !form_begin_step(form, STEP_ROWS))
        return;
    for (size_t mu = 0; mu < motion->m; mu++)
        form_add_line(form, (FormLine){.left = motion->rows[mu].velocity,
                                       .value = expr_int(motion->pool, 0)});
}

static void add_determinant(TrueCoordinates *in, Form *form, size_t alpha, const Adjugate *adjugate,
                            const Expr *inertia)
{
    Motion *motion = in->motion;
    ExprPool *pool = motion->pool;
    size_t m = motion->m;
    size_t *columns = base_alloc((m + 1) * sizeof *columns);
    Expr *minors = base_alloc((m + 1) * sizeof *minors);
    Expr *left = base_alloc((m + 1) * sizeof *left), *right = base_alloc((m + 1) * sizeof *right);
    columns[0] = in->independent[alpha];
    for (size_t i = 0; i < m; i++)
        columns[i + 1] = in->dependent[i];
    if (adjugate)
        minors_by_adjugate(motion, adjugate, columns[0], minors);
    else
        make_minors(motion, columns, minors);
    for (size_t j = 0; j <= m; j++) {
        Expr cofactor = j % 2 ? expr_neg(pool, minors[j]) : minors[j];
        if (form->detail == FORM_IN_STEPS && !expr_is_zero(pool, cofactor))
            line_named(form, cofactor, "D_{%s,%s}", true_name(in, alpha),
                       motion->model->coords.at[columns[j]].name);
        left[j] = expr_mul(pool, inertia[columns[j]], cofactor);
        right[j] = expr_mul(pool, motion->K[columns[j]], cofactor);
    }
    form_add_equation(form, true_name(in, alpha), expr_sum(pool, left, m + 1),
                      expr_sum(pool, right, m + 1));
    base_free(columns);
    base_free(minors);
    base_free(left);
    base_free(right);
}

// The coordinates whose displacements are independent, in the place of those whose velocities are.
static void take_displacements(TrueCoordinates *in)
{
    const Motion *motion = in->motion;
    size_t n = motion->n, k = motion->k, at = 0;
    bool *free_ = base_alloc((n + 1) * sizeof *free_);
    for (size_t alpha = 0; alpha < k; alpha++) {
        in->independent[alpha] = in->by->varied[alpha].index;
        free_[in->independent[alpha]] = true;
    }
    for (size_t nu = 0; nu < n; nu++)
        if (!free_[nu])
            in->dependent[at++] = nu;
    base_free(free_);
}

void form_korteweg(Motion *motion, Form *form)
{
    TrueCoordinates in;
    if (motion->m > MOST_CONDITIONS) {
        form_refuse(form,
                    "its determinants of %zu rows grow too large; they are worked out for up "
                    "to %d conditions",
                    motion->m + 1, MOST_CONDITIONS);
        return;
    }
    if (!true_init(&in, motion, form))
        return;
    if (motion->servos)
        take_displacements(&in);
    Expr *inertia = base_alloc((motion->n + 1) * sizeof *inertia);
    for (size_t nu = 0; nu < motion->n; nu++)
        inertia[nu] = motion_inertia_force(motion, nu);
    Adjugate adjugate = {0};
    bool by_adjugate = motion->m > MOST_BY_LAPLACE;
    if (by_adjugate)
        make_adjugate(&in, &adjugate);
    form_add_energies(form, motion);
    step_energy(form, STEP_ENERGY, motion, "T");
    step_inertia(form, motion);
    step_rest(form, motion);
    step_rows(form, motion);
    form_begin_step(form, motion->servos ? STEP_SERVO_COFACTORS : STEP_COFACTORS);
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        add_determinant(&in, form, alpha, by_adjugate ? &adjugate : NULL, inertia);
    base_free(adjugate.entries);
    step_equations(form, STEP_KORTEWEG_EQUATIONS, 0);
    base_free(inertia);
    true_clear(&in);
}
