// certified_state.c: a real state on finite conditions that cannot be solved in closed form, at
// which something is certainly not 0.
//
// Newton's method in doubles finds a position near the conditions. As many coordinates as there
// are conditions are taken as unknowns, the others keep their numbers. Newton's operator in balls,
//
//     N(Z) = z − J(Z)⁻¹·f(z),
//
// lies inside Z only where Z holds a root (Krawczyk 1969, Neumaier 1990), which is then in N(Z).
// What is asked about is evaluated there, in balls.
#include "inquiry/inquiry_impl.h"

#include "linalg/lapack.h"
#include "linalg/tolerances.h"
#include "program/program.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { TRIES = 12, STEPS = 30, WIDTH_BITS = 30 };

typedef struct {
    size_t n, finite, others;
    Expr *inputs;        // coordinates, then everything else
    Program *conditions; // f, then ∂f/∂q row by row
    Program *asked;      // what must not be 0, then what must be real
    size_t real;         // of the latter
    double *values, *out, *work;
    size_t *pivots; // the coordinates that are unknowns, finite of them
} Search;

static Expr put(const Setting *setting, Expr e)
{
    return setting->values ? expr_subst(setting->values, e) : e;
}

size_t state_is_real(Motion *motion, Expr difference, Expr *out)
{
    ExprPool *pool = motion->pool;
    size_t count = 0;
    bool concerned = expr_holds_any(pool, difference, motion->q, motion->n);
    for (size_t i = 0; i < motion->n; i++)
        out[count++] = motion_in_speeds(motion, motion->v[i]);
    for (size_t i = 0; i < motion->side_count && concerned; i++)
        if (!motion->held || !motion->held[i])
            out[count++] = expr_sqrt(pool, expr_neg(pool, motion->sides[i].position));
    return count;
}

static void add_symbols(Search *search, const Motion *motion, const Expr *exprs, size_t count)
{
    ExprList symbols = expr_symbols(motion->pool, exprs, count);
    search->inputs = base_alloc((search->n + symbols.count + 1) * sizeof *search->inputs);
    memcpy(search->inputs, motion->q, search->n * sizeof *search->inputs);
    for (size_t i = 0; i < symbols.count; i++) {
        bool coordinate = false;
        for (size_t nu = 0; nu < search->n; nu++)
            coordinate = coordinate || motion->q[nu].at == symbols.at[i];
        if (!coordinate)
            search->inputs[search->n + search->others++] = (Expr){symbols.at[i]};
    }
    expr_list_free(&symbols);
}

static bool search_init(Search *search, Motion *motion, const Setting *setting, Expr difference)
{
    size_t n = motion->n, count = 0;
    *search = (Search){.n = n};
    Expr *exprs = base_alloc((motion->m * (n + 1) + 1 + n + motion->side_count) * sizeof *exprs);
    for (size_t i = 0; i < motion->m; i++)
        if (!expr_is_none(motion->rows[i].position))
            exprs[search->finite++] = put(setting, motion->rows[i].position);
    count = search->finite;
    for (size_t i = 0; i < search->finite; i++, count += n)
        expr_gradient(motion->pool, exprs[i], motion->q, n, exprs + count);
    exprs[count] = difference;
    search->real = state_is_real(motion, difference, exprs + count + 1);
    for (size_t i = 0; i < search->real; i++)
        exprs[count + 1 + i] = put(setting, exprs[count + 1 + i]);
    add_symbols(search, motion, exprs, count + 1 + search->real);
    size_t inputs = n + search->others;
    search->conditions = program_new(motion->pool, search->inputs, inputs, exprs, count, NULL);
    search->asked =
        program_new(motion->pool, search->inputs, inputs, exprs + count, 1 + search->real, NULL);
    base_free(exprs);
    if (!search->conditions || !search->asked)
        return false;
    search->values = base_alloc((inputs + 1) * sizeof *search->values);
    search->out = base_alloc((count + 1) * sizeof *search->out);
    search->work = base_alloc((program_registers(search->conditions) + 1) * sizeof(double));
    search->pivots = base_alloc((search->finite + 1) * sizeof *search->pivots);
    return search->finite <= n;
}

static void search_clear(Search *search)
{
    program_free(search->conditions);
    program_free(search->asked);
    base_free(search->inputs);
    base_free(search->values);
    base_free(search->out);
    base_free(search->work);
    base_free(search->pivots);
}

// ---- In doubles.

static bool evaluate(Search *search)
{
    size_t count = search->finite * (search->n + 1);
    program_run_real(search->conditions, search->values, search->out, search->work);
    for (size_t i = 0; i < count; i++)
        if (!isfinite(search->out[i]))
            return false;
    return true;
}

// Newton's method by steps of least length.
static bool approach(Search *search)
{
    size_t n = search->n, rows = search->finite, longer = rows > n ? rows : n;
    double *J = base_alloc((rows * n + longer + 1) * sizeof *J), *b = J + rows * n;
    double length = INFINITY;
    bool good = true;
    for (int i = 0; i < STEPS && good && length > TOL_RANK; i++) {
        size_t rank;
        good = evaluate(search);
        memcpy(J, search->out + rows, rows * n * sizeof *J);
        memcpy(b, search->out, rows * sizeof *b);
        good = good && lapack_least_norm(rows, n, J, b, TOL_RANK, &rank);
        length = 0;
        for (size_t nu = 0; nu < n && good; nu++) {
            search->values[nu] -= b[nu];
            length = fmax(length, fabs(b[nu]));
        }
    }
    base_free(J);
    return good && length <= TOL_RANK && evaluate(search);
}

// The coordinates that the conditions determine best: the pivots of Gauss's elimination.
static bool choose_pivots(Search *search)
{
    size_t n = search->n, rows = search->finite;
    double *J = base_alloc((rows * n + 1) * sizeof *J);
    memcpy(J, search->out + rows, rows * n * sizeof *J);
    bool good = true;
    for (size_t i = 0; i < rows && good; i++) {
        size_t best = 0;
        for (size_t nu = 1; nu < n; nu++)
            if (fabs(J[i * n + nu]) > fabs(J[i * n + best]))
                best = nu;
        double pivot = J[i * n + best];
        good = fabs(pivot) > TOL_COARSE;
        search->pivots[i] = best;
        for (size_t k = i + 1; k < rows && good; k++) {
            double factor = J[k * n + best] / pivot;
            for (size_t nu = 0; nu < n; nu++)
                J[k * n + nu] -= factor * J[i * n + nu];
            J[k * n + best] = 0;
        }
    }
    base_free(J);
    return good;
}

// ---- In balls.

static AlgebraMatrix *point_of(const Search *search, const AlgebraMatrix *unknowns)
{
    AlgebraMatrix *point = algebra_matrix_new(search->n + search->others, 1);
    for (size_t i = 0; i < search->n + search->others; i++)
        algebra_matrix_set(point, i, 0, search->values[i]);
    for (size_t i = 0; i < search->finite && unknowns; i++)
        algebra_matrix_copy(point, search->pivots[i], 0, unknowns, i, 0);
    return point;
}

// f in the first rows of the result, ∂f/∂q below.
static AlgebraMatrix *conditions_at(const Search *search, const AlgebraMatrix *unknowns)
{
    AlgebraMatrix *point = point_of(search, unknowns);
    AlgebraMatrix *out = algebra_matrix_new(search->finite * (search->n + 1), 1);
    algebra_matrix_run(search->conditions, point, out);
    algebra_matrix_free(point);
    return out;
}

// Replaces the numbers in z by balls that hold a root; false where none is proved.
static bool enclose(const Search *search, AlgebraMatrix *z)
{
    size_t rows = search->finite;
    AlgebraMatrix *wide = algebra_matrix_new(rows, 1), *J = algebra_matrix_new(rows, rows);
    AlgebraMatrix *f = algebra_matrix_new(rows, 1), *step = algebra_matrix_new(rows, 1);
    for (size_t i = 0; i < rows; i++)
        algebra_matrix_copy(wide, i, 0, z, i, 0);
    algebra_matrix_widen(wide, WIDTH_BITS);
    AlgebraMatrix *here = conditions_at(search, z), *around = conditions_at(search, wide);
    for (size_t i = 0; i < rows; i++) {
        algebra_matrix_copy(f, i, 0, here, i, 0);
        for (size_t j = 0; j < rows; j++)
            algebra_matrix_copy(J, i, j, around, rows + i * search->n + search->pivots[j], 0);
    }
    bool good = algebra_matrix_solve(step, J, f);
    if (good)
        algebra_matrix_subtract(z, step);
    good = good && algebra_matrix_within(z, wide);
    AlgebraMatrix *const used[] = {wide, J, f, step, here, around};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        algebra_matrix_free(used[i]);
    return good;
}

// Whether what is asked about is not 0 at the root; about what it is there.
static bool shows(Search *search, double *value)
{
    AlgebraMatrix *z = algebra_matrix_new(search->finite, 1);
    AlgebraMatrix *out = algebra_matrix_new(1 + search->real, 1);
    for (size_t i = 0; i < search->finite; i++)
        algebra_matrix_set(z, i, 0, search->values[search->pivots[i]]);
    bool shown = enclose(search, z);
    if (shown) {
        AlgebraMatrix *point = point_of(search, z);
        algebra_matrix_run(search->asked, point, out);
        algebra_matrix_free(point);
        shown = algebra_matrix_sign(out, 0, 0) != 0;
        for (size_t i = 1; i <= search->real; i++)
            shown = shown && isfinite(algebra_matrix_get(out, i, 0));
        *value = algebra_matrix_get(out, 0, 0);
    }
    algebra_matrix_free(z);
    algebra_matrix_free(out);
    return shown;
}

bool certified_state(Motion *motion, const Setting *setting, Expr difference,
                     InquiryEquation *equation)
{
    assert(motion->state.closed);
    Search search;
    Random random = random_seed(0x57A7Eu);
    bool shown = false, good = search_init(&search, motion, setting, difference);
    size_t inputs = search.n + search.others;
    for (int i = 0; i < TRIES && good && !shown; i++) {
        for (size_t j = 0; j < inputs; j++)
            search.values[j] =
                (double)(random_below(&random, 65) + 1) / 32 - (i % 2 && j < search.n);
        shown = approach(&search) && choose_pivots(&search) && shows(&search, &equation->value);
    }
    equation->state = arena_alloc(equation->arena, (inputs + 1) * sizeof *equation->state);
    for (size_t j = 0; j < inputs && shown; j++)
        if (expr_holds(motion->pool, difference, search.inputs[j]))
            equation->state[equation->state_count++] =
                (InquiryStateValue){expr_name(motion->pool, search.inputs[j]), search.values[j]};
    search_clear(&search);
    return shown;
}
