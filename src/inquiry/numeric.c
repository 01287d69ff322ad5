// numeric.c: agreement at random states, in numbers: for forms of conditions that are not linear in
// the velocities whose functions the exact proofs do not know (a cube root, say). No proof, and
// called none.
#include "inquiry/inquiry_impl.h"

#include "linalg/lapack.h"
#include "program/program.h"

#include <math.h>
#include <string.h>

// States that must agree, and that are tried for them. Agreement is to this part of the solution;
// systems less regular than the other number say nothing.
enum { STATES = 8, MOST_TRIED = 64 };
#define AGREES  1e-12
#define REGULAR 1e-3

typedef struct {
    const InquiryNormal *normal;
    Program *program; // matrix, then right
    double *out, *work;
    lapack_int *pivots, *room;
} Side;

static bool side_init(Side *side, const Motion *motion, const InquiryNormal *normal,
                      const Expr *inputs, size_t count)
{
    size_t s = normal->size, total = s * s + s;
    *side = (Side){.normal = normal};
    Expr *outputs = base_alloc((total + 1) * sizeof *outputs);
    memcpy(outputs, normal->matrix, s * s * sizeof *outputs);
    memcpy(outputs + s * s, normal->right, s * sizeof *outputs);
    side->program = program_new(motion->pool, inputs, count, outputs, total, NULL);
    base_free(outputs);
    if (!side->program)
        return false;
    size_t registers = program_registers(side->program);
    side->out = base_alloc((total + 1) * sizeof *side->out);
    side->work = base_alloc((registers + 4 * s + 1) * sizeof *side->work);
    side->pivots = base_alloc((2 * s + 1) * sizeof *side->pivots);
    side->room = side->pivots + s;
    return true;
}

static void side_clear(Side *side)
{
    program_free(side->program);
    base_free(side->out);
    base_free(side->work);
    base_free(side->pivots);
}

// The solution at a state, behind the matrix; false where it is not finite or not regular.
static bool side_solve(Side *side, const double *inputs)
{
    size_t s = side->normal->size, total = s * s + s;
    lapack_int size = (lapack_int)s;
    double *matrix = side->out, *right = side->out + s * s, norm = 0, reciprocal = 0;
    program_run_real(side->program, inputs, side->out, side->work);
    for (size_t i = 0; i < total; i++)
        if (!isfinite(side->out[i]))
            return false;
    // Row after row is the transpose to LAPACK.
    for (size_t i = 0; i < s; i++) {
        double row = 0;
        for (size_t j = 0; j < s; j++)
            row += fabs(matrix[i * s + j]);
        norm = fmax(norm, row);
    }
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, size, size, matrix, size, side->pivots) != 0)
        return false;
    LAPACKE_dgecon_work(LAPACK_COL_MAJOR, '1', size, matrix, size, norm, &reciprocal, side->work,
                        side->room);
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', size, 1, matrix, size, side->pivots, right, size);
    return reciprocal > REGULAR;
}

// Whether the first `shared` unknowns agree at as many random states as are wanted.
static bool agree_at_states(Side *a, Side *b, size_t count, size_t shared)
{
    Random random = random_seed(11);
    double *inputs = base_alloc((count + 1) * sizeof *inputs);
    size_t met = 0;
    bool agree = true;
    for (size_t i = 0; i < MOST_TRIED && met < STATES && agree; i++) {
        // Where roots and logarithms of sums of squares have values.
        for (size_t j = 0; j < count; j++)
            inputs[j] = 0.5 + (double)random_below(&random, 1u << 20) / (1u << 20);
        if (!side_solve(a, inputs) || !side_solve(b, inputs))
            continue;
        met++;
        const double *x = a->out + a->normal->size * a->normal->size;
        const double *y = b->out + b->normal->size * b->normal->size;
        double size = 1;
        for (size_t j = 0; j < shared; j++)
            size = fmax(size, fabs(x[j]));
        for (size_t j = 0; j < shared; j++)
            agree = agree && fabs(x[j] - y[j]) <= AGREES * size;
    }
    base_free(inputs);
    return agree && met == STATES;
}

bool inquiry_agree_numerically(Motion *motion, const InquiryNormal *a, const InquiryNormal *b)
{
    size_t ca = a->size * a->size + a->size, cb = b->size * b->size + b->size;
    Expr *roots = base_alloc((ca + cb + 1) * sizeof *roots);
    memcpy(roots, a->matrix, a->size * a->size * sizeof *roots);
    memcpy(roots + a->size * a->size, a->right, a->size * sizeof *roots);
    memcpy(roots + ca, b->matrix, b->size * b->size * sizeof *roots);
    memcpy(roots + ca + b->size * b->size, b->right, b->size * sizeof *roots);
    ExprList symbols = expr_symbols(motion->pool, roots, ca + cb);
    Expr *inputs = base_alloc((symbols.count + 1) * sizeof *inputs);
    for (size_t i = 0; i < symbols.count; i++)
        inputs[i] = (Expr){symbols.at[i]};
    Side first = {0}, second = {0};
    bool agree = side_init(&first, motion, a, inputs, symbols.count) &&
                 side_init(&second, motion, b, inputs, symbols.count) &&
                 agree_at_states(&first, &second, symbols.count, motion->k);
    side_clear(&first);
    side_clear(&second);
    base_free(inputs);
    expr_list_free(&symbols);
    base_free(roots);
    return agree;
}
