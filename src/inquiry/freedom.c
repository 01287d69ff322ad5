// freedom.c: how many freedoms the conditions leave at positions that they allow.
//
// Conditions that are independent as functions of free coordinates may depend on each other
// wherever they hold: Bricard's and Bennett's linkages move although the count says 0. The count
// is a lower bound. It is exact where the conditions have their full rank at a position that they
// allow; else the motion is followed a little way in directions that they leave open, and the
// greatest rank that is met at positions allowed tells the freedoms there, in numbers.
#include "inquiry/inquiry_impl.h"
#include "linalg/dense.h"
#include "linalg/lapack.h"
#include "linalg/tolerances.h"
#include "program/program.h"

#include <assert.h>
#include <float.h>
#include <string.h>

enum { PLACES = 3, STEPS = 40 }; // positions looked at, steps of Newton's method to each

typedef struct {
    Motion *motion;
    Program *program; // rows of the conditions, then what finite conditions miss
    size_t rows, finite;
    double *inputs; // parameters, coordinates, time
    double *values, *work;
    double *q; // in the inputs
} Position;

static void place_init(Position *place, Motion *motion, const double *params, const double *q)
{
    const Model *model = motion->model;
    size_t p = model->params.count, n = motion->n, m = motion->m, total = p + n + 1;
    *place = (Position){.motion = motion, .rows = m};
    Expr *symbols = base_alloc(total * sizeof *symbols);
    Expr *outputs = base_alloc((m * n + m + 1) * sizeof *outputs);
    for (size_t i = 0; i < p; i++)
        symbols[i] = model->params.at[i].symbol;
    memcpy(symbols + p, motion->q, n * sizeof *symbols);
    symbols[total - 1] = model->t;
    // Finite conditions first, so that their rows stand together.
    for (int finite = 1; finite >= 0; finite--)
        for (size_t i = 0, at = finite ? 0 : place->finite; i < m; i++)
            if (expr_is_none(motion->rows[i].position) != finite) {
                memcpy(outputs + at++ * n, motion->rows[i].b, n * sizeof *outputs);
                if (finite)
                    outputs[m * n + place->finite++] = motion->rows[i].position;
            }
    size_t count = m * n + place->finite;
    place->program = program_new(motion->pool, symbols, total, outputs, count, NULL);
    place->inputs = base_alloc(total * sizeof *place->inputs);
    place->values = base_alloc((count + 1) * sizeof *place->values);
    if (place->program)
        place->work = base_alloc((program_registers(place->program) + 1) * sizeof(double));
    memcpy(place->inputs, params, p * sizeof *params);
    place->q = place->inputs + p;
    memcpy(place->q, q, n * sizeof *q);
    base_free(symbols);
    base_free(outputs);
}

static void place_clear(Position *place)
{
    program_free(place->program);
    base_free(place->inputs);
    base_free(place->values);
    base_free(place->work);
}

static bool evaluate(Position *place)
{
    program_run_real(place->program, place->inputs, place->values, place->work);
    return real_all_finite(place->values, place->rows * place->motion->n + place->finite);
}

// The shortest x with J·x = right, as well as it can be, for the first rows; their rank.
static size_t solve(const Position *place, size_t rows, const double *right, double *x)
{
    assert(rows <= place->rows);
    size_t n = place->motion->n, longer = rows > n ? rows : n, rank = 0;
    if (rows == 0)
        return 0;
    double *J = base_alloc(rows * n * sizeof *J), *b = base_alloc(longer * sizeof *b);
    memcpy(J, place->values, rows * n * sizeof *J);
    memcpy(b, right, rows * sizeof *b);
    lapack_least_norm(rows, n, J, b, TOL_RANK, &rank);
    memcpy(x, b, n * sizeof *x);
    base_free(J);
    base_free(b);
    return rank;
}

// A direction that the conditions leave open, of length 1; false where there is none.
static bool open_direction(const Position *place, Random *random, double *direction)
{
    size_t n = place->motion->n, rows = place->rows;
    double *right = base_alloc((rows + n + 1) * sizeof *right), *closed = right + rows;
    for (size_t i = 0; i < n; i++)
        direction[i] = (double)random_below(random, 2001) / 1000 - 1;
    for (size_t i = 0; i < rows; i++)
        right[i] = real_dot(place->values + i * n, direction, n);
    solve(place, rows, right, closed);
    real_add_times(-1, closed, n, direction);
    double length = real_length(direction, n);
    for (size_t i = 0; i < n; i++)
        direction[i] /= length;
    base_free(right);
    return length > TOL_COARSE;
}

// Newton's method onto the finite conditions. False where it does not get there.
static bool close_conditions(Position *place)
{
    size_t n = place->motion->n;
    double *step = base_alloc((2 * n + place->rows + 1) * sizeof *step), *right = step + n;
    bool closed = false;
    for (int i = 0; i < STEPS && !closed; i++) {
        if (!evaluate(place))
            break;
        const double *missed = place->values + place->rows * n;
        for (size_t k = 0; k < place->finite; k++)
            right[k] = -missed[k];
        solve(place, place->finite, right, step);
        real_add_times(1, step, n, place->q);
        closed =
            real_length(step, n) <= DBL_EPSILON * (double)(n + 1) * (1 + real_length(place->q, n));
    }
    base_free(step);
    return closed && evaluate(place);
}

// Goes a hundredth of the size of things along an open direction and back onto the conditions.
// True where the position is another one then.
static bool move_on(Position *place, Random *random)
{
    size_t n = place->motion->n;
    double *direction = base_alloc((2 * n + 1) * sizeof *direction), *before = direction + n;
    memcpy(before, place->q, n * sizeof *before);
    double way = (1 + real_length(place->q, n)) / 100;
    bool moved = open_direction(place, random, direction);
    if (moved) {
        real_add_times(way, direction, n, place->q);
        moved = close_conditions(place);
        real_add_times(-1, place->q, n, before);
        moved = moved && real_length(before, n) > way / 2;
    }
    base_free(direction);
    return moved;
}

bool inquiry_freedom(Motion *motion, const double *params, const double *q, InquiryFreedom *freedom)
{
    assert(motion && params && q && freedom);
    Position place;
    place_init(&place, motion, params, q);
    double *unused = base_alloc((2 * (motion->n + motion->m) + 1) * sizeof *unused);
    bool known = place.program && close_conditions(&place);
    *freedom = (InquiryFreedom){.least = motion->k};
    if (known) {
        Random random = random_seed(0xF2EEu);
        size_t most = solve(&place, motion->m, unused + motion->n, unused);
        freedom->at_start = motion->n - most;
        freedom->exact = most == motion->m;
        for (int i = 0; i < PLACES && most < motion->m && move_on(&place, &random); i++) {
            size_t rank = solve(&place, motion->m, unused + motion->n, unused);
            most = !freedom->moves || rank > most ? rank : most;
            freedom->moves = true;
        }
        freedom->seen = motion->n - most;
        freedom->exact = most == motion->m;
    }
    place_clear(&place);
    base_free(unused);
    return known;
}
