// korteweg.c: Korteweg's determinants (Quanjel (16)).
//
// With ρ_ν = W_ν − K_ν, for each independent α the determinant with the rows
// (ρ_α ρ_{k+1} … ρ_n) and (b_μα b_{μ,k+1} … b_μn), μ = 1…m, is zero: ρ is a combination of the
// rows b, and the multipliers never appear.
#include "forms/reduction_impl.h"

// The minors take 2^(m+1) steps; from here on they are too many.
enum { MOST_CONDITIONS = 10 };

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
            Expr b = motion->rows[row - 1].b[columns[j]];
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

static void add_determinant(TrueCoordinates *in, Form *form, size_t alpha, const Expr *inertia)
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
    make_minors(motion, columns, minors);
    for (size_t j = 0; j <= m; j++) {
        Expr cofactor = j % 2 ? expr_neg(pool, minors[j]) : minors[j];
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

void form_korteweg(Motion *motion, Form *form)
{
    TrueCoordinates in;
    if (motion->m > MOST_CONDITIONS) {
        form_refuse(form, "its determinants of %zu rows are too many to be worked out",
                    motion->m + 1);
        return;
    }
    if (!true_init(&in, motion, form))
        return;
    Expr *inertia = base_alloc((motion->n + 1) * sizeof *inertia);
    for (size_t nu = 0; nu < motion->n; nu++)
        inertia[nu] = motion_inertia_force(motion, nu);
    form_add_function(form, "T", motion->T);
    for (size_t alpha = 0; alpha < motion->k; alpha++)
        add_determinant(&in, form, alpha, inertia);
    base_free(inertia);
    true_clear(&in);
}
