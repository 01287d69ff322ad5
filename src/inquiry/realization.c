// realization.c: how the conditions act on a mass (Delassus; Appell 3 and 21).
//
// What else the system consists of realizes conditions on the mass. They are realized perfectly
// where this restricts its virtual displacements no more than its velocities. Dimensions, with J =
// ∂X/∂q of its position, v(q, u) its velocity, and the rest of the system in any position that
// leaves X, or X and v, where they are:
//
//     virtual displacements  rank ∂v/∂u
//     velocities             rank of (J, 0; ∂v/∂q, ∂v/∂u) less rank J
//     accelerations          the same with a row of a(q, u, u') more, less the rank before
//
// Fewer accelerations than velocities are supplementary relations, which disappear in the limit
// where the realization has perfect tendency.
#include "inquiry/inquiry_impl.h"
#include "model/vectors.h"

enum { MOST_COORDINATES = 12 };

typedef struct {
    Motion *motion;
    Expr X[3], v[3], a[3];
    Expr *by; // q, u, u'
    size_t n, k;
} Asked;

static void take_parts(Vec v, Expr *parts)
{
    parts[0] = v.x;
    parts[1] = v.y;
    parts[2] = v.z;
}

static void ask_about(Asked *asked, Vector position)
{
    Motion *motion = asked->motion;
    Vectors *vectors = motion->model->vectors;
    take_parts(vector_in(vectors, position, (Frame){0}), asked->X);
    take_parts(vector_in(vectors, vector_rate(vectors, position), (Frame){0}), asked->v);
    for (size_t axis = 0; axis < 3; axis++) {
        asked->v[axis] = motion_in_speeds(motion, asked->v[axis]);
        asked->a[axis] = motion_rate_along(motion, &motion->state, asked->v[axis]);
    }
}

// The rank of the derivatives of these, 3 each, and of the finite conditions, by the variables from
// `first` to before `last`.
static ptrdiff_t rank_of(const Asked *asked, const Expr *const *levels, size_t count, size_t first,
                         size_t last)
{
    Motion *motion = asked->motion;
    size_t columns = last - first, rows = 3 * count;
    Expr *matrix = base_alloc(((rows + motion->m) * columns + 1) * sizeof *matrix);
    for (size_t row = 0; row < rows; row++)
        expr_gradient(motion->pool, levels[row / 3][row % 3], asked->by + first, columns,
                      matrix + row * columns);
    for (size_t i = 0; i < motion->m; i++)
        if (!expr_is_none(motion->rows[i].position) && first == 0)
            expr_gradient(motion->pool, motion->rows[i].position, asked->by, columns,
                          matrix + rows++ * columns);
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, rows, columns, NULL, NULL, NULL);
    base_free(matrix);
    return rank;
}

// How many directions the mass can be brought along, by brackets too.
static ptrdiff_t reached(const Asked *asked, const InquiryKind *kind)
{
    Motion *motion = asked->motion;
    size_t n = asked->n, fields = kind->direction_count;
    Expr *matrix = base_alloc((3 * fields + 1) * sizeof *matrix);
    Expr *slopes = base_alloc((n + 1) * sizeof *slopes),
         *terms = base_alloc((n + 1) * sizeof *terms);
    for (size_t axis = 0; axis < 3; axis++) {
        expr_gradient(motion->pool, asked->X[axis], asked->by, n, slopes);
        for (size_t field = 0; field < fields; field++) {
            for (size_t nu = 0; nu < n; nu++)
                terms[nu] =
                    expr_mul(motion->pool, slopes[nu], kind->directions[field * (n + 1) + nu]);
            matrix[axis * fields + field] = expr_sum(motion->pool, terms, n);
        }
    }
    ptrdiff_t rank = algebra_rank(motion->algebra, matrix, 3, fields, NULL, NULL, NULL);
    base_free(matrix);
    base_free(slopes);
    base_free(terms);
    return rank;
}

static bool answer(const Asked *asked, const InquiryKind *kind, InquiryRealization *found)
{
    size_t n = asked->n, k = asked->k;
    const Expr *levels[] = {asked->X, asked->v, asked->a}, *alone[] = {asked->v};
    ptrdiff_t place = rank_of(asked, levels, 1, 0, n);
    ptrdiff_t velocity = rank_of(asked, levels, 2, 0, n + k);
    ptrdiff_t acceleration = rank_of(asked, levels, 3, 0, n + 2 * k);
    ptrdiff_t virtual = rank_of(asked, alone, 1, n, n + k), reach = reached(asked, kind);
    if (place < 0 || velocity < 0 || acceleration < 0 || virtual < 0 || reach < 0)
        return false;
    found->displacements = (size_t) virtual;
    found->velocities = (size_t)(velocity - place);
    found->accelerations = (size_t)(acceleration - velocity);
    found->reached = (size_t)reach;
    return true;
}

// The name of a point of the model at this place; NULL where there is none.
static const char *point_at(const Model *model, Vector position)
{
    for (size_t i = 0; i < model->points.count; i++)
        if (model->points.at[i].position.at == position.at)
            return model->points.at[i].name;
    return NULL;
}

// Velocities and time alone are bound, linearly, and nothing holds the time.
static bool is_question(const Motion *motion, const InquiryKind *kind)
{
    if (kind->reason || kind->holonomic || !motion->state.linear || motion->second_count > 0 ||
        inquiry_stranger(motion) || motion->n > MOST_COORDINATES)
        return false;
    for (size_t nu = 0; nu < motion->n; nu++)
        if (expr_holds(motion->pool, motion->state.F[nu], motion->model->t))
            return false;
    return true;
}

size_t inquiry_realizations(Motion *motion, const InquiryKind *kind, InquiryRealization *found)
{
    size_t n = motion->n, k = motion->k, count = 0;
    if (!is_question(motion, kind))
        return 0;
    Asked asked = {.motion = motion, .n = n, .k = k};
    asked.by = base_alloc((n + 2 * k + 1) * sizeof *asked.by);
    for (size_t nu = 0; nu < n; nu++)
        asked.by[nu] = motion->q[nu];
    for (size_t alpha = 0; alpha < k; alpha++) {
        asked.by[n + alpha] = motion->state.speeds[alpha].u;
        asked.by[n + k + alpha] = motion->state.speeds[alpha].rate;
    }
    for (size_t i = 0; i < motion->model->masses.count && count < INQUIRY_REALIZATIONS; i++) {
        Vector position = motion->model->masses.at[i].position;
        ask_about(&asked, position);
        found[count].of = point_at(motion->model, position);
        count += answer(&asked, kind, &found[count]);
    }
    base_free(asked.by);
    return count;
}
