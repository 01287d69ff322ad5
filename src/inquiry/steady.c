// steady.c: steady motions, found from a guess.
//
// What is asked: G(y) = 0, more or fewer equations than unknowns, whose solutions come in families.
// Steps are Levenberg's and Marquardt's with a damping that goes with the residual: these converge
// fast to a member of the family near the guess, where G grows with the distance from it (Yamashita
// and Fukushima 2001), while Newton's would run along it to where it is singular. Where they do not
// arrive, hardly damped steps are tried.
#include "inquiry/small_impl.h"
#include "linalg/lapack.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 200, MOST_TRIALS = 12 };
// Against what an equation's terms come to: what is smaller is met.
#define MET      1e-10
#define ROUNDING 1e-13
// The damping against the residual, at least.
#define LEAST_DAMPING 1e-6
// Singular values below this part of the largest count as none.
#define RANK 1e-9
// How much more than the others a held start counts in a guess.
#define HELD_WEIGHT 1e6

size_t small_least(double *matrix, double *right, size_t rows, size_t columns)
{
    size_t rank = 0, least = rows < columns ? rows : columns;
    if (least == 0) {
        memset(right, 0, columns * sizeof *right);
        return 0;
    }
    lapack_least_norm(rows, columns, matrix, right, RANK, &rank);
    return rank;
}

// ---- How far the equations are from being met.

// The largest miss of an equation against the size of its terms, which its derivatives tell.
static double miss_of(const InquirySmall *small, size_t rows, const double *y)
{
    const double *G = small->program.out, *J = G + small_jacobian_at(small);
    size_t unknowns = small->unknowns;
    double worst = 0;
    for (size_t i = 0; i < rows; i++) {
        double terms = 0;
        for (size_t j = 0; j < unknowns; j++)
            terms += fabs(J[i * unknowns + j]) * fmax(fabs(y[j]), 1e-3);
        if (!isfinite(G[i]) || !isfinite(terms))
            return INFINITY;
        // A force that nothing here changes is measured by itself, and so never met.
        double scale = terms > 0 ? terms : fabs(G[i]);
        worst = fmax(worst, scale > 0 ? fabs(G[i]) / scale : 0);
    }
    return worst;
}

static double largest_in(const double *values, size_t count)
{
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(values[i]));
    return largest;
}

double small_scale(const InquirySmall *small, size_t row)
{
    size_t unknowns = small->unknowns, k = small->k, first = small->f + small->e;
    const double *J = small->program.out + small_jacobian_at(small);
    const double *M = small->program.out + small_matrix_at(small);
    if (row < first || row >= first + k)
        return largest_in(J + row * unknowns, unknowns);
    double rate = 0;
    for (size_t i = 0; i < k; i++)
        if (M[i * k + i] > 0)
            rate = fmax(rate, largest_in(J + (first + i) * unknowns, unknowns) / M[i * k + i]);
    size_t alpha = row - first;
    return M[alpha * k + alpha] * rate;
}

static double length_of(const double *values, size_t count)
{
    double square = 0;
    for (size_t i = 0; i < count; i++)
        square += values[i] * values[i];
    return sqrt(square);
}

// ---- Levenberg's and Marquardt's iteration.

typedef struct {
    InquirySmall *small;
    size_t rows, unknowns;
    double varied;
    bool newton;            // hardly damped
    bool rests;             // only the coordinates are asked to rest: forces do not count
    double *scale;          // of each equation, by its derivatives where the search began
    double *matrix, *right; // room for the equations, and for the damping below them
    double *trial;
    double residual; // length of the scaled equations at y
    double miss;
    double damping; // against the residual
} Search;

// Evaluates at y: the scaled residual; what is not finite is infinite.
static double residual_at(Search *search, const double *y)
{
    InquirySmall *small = search->small;
    small_run(&small->program, y, search->varied, search->unknowns);
    double square = 0;
    for (size_t i = 0; i < search->rows; i++)
        square += pow(small->program.out[i] / search->scale[i], 2);
    return isfinite(square) ? sqrt(square) : INFINITY;
}

// The scales for the second road are those of each equation alone, and taken anew for every step.
static void take_scales(Search *search)
{
    InquirySmall *small = search->small;
    const double *J = small->program.out + small_jacobian_at(small);
    for (size_t i = 0; i < search->rows; i++) {
        search->scale[i] = search->newton ? largest_in(J + i * search->unknowns, search->unknowns)
                                          : small_scale(small, i);
        if (!(search->scale[i] > 0 && isfinite(search->scale[i])))
            search->scale[i] = 1;
        size_t forces = small->f + small->e;
        if (search->rests && i >= forces && i < forces + small->k)
            search->scale[i] = INFINITY;
    }
}

static void begin(Search *search, const double *y)
{
    InquirySmall *small = search->small;
    small_run(&small->program, y, search->varied, search->unknowns);
    take_scales(search);
    search->residual = residual_at(search, y);
    search->miss = miss_of(small, search->rows, y);
    search->damping = search->newton ? LEAST_DAMPING : 1;
}

// The damped step from where the program was run last, in `right`; its length.
static double find_step(Search *search, const double *G, const double *J)
{
    size_t rows = search->rows, unknowns = search->unknowns;
    double damping = sqrt(search->damping * fmin(search->residual, 1));
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < unknowns; j++)
            search->matrix[i * unknowns + j] = J[i * unknowns + j] / search->scale[i];
        search->right[i] = -G[i] / search->scale[i];
    }
    for (size_t i = 0; i < unknowns; i++) {
        for (size_t j = 0; j < unknowns; j++)
            search->matrix[(rows + i) * unknowns + j] = i == j ? damping : 0;
        search->right[rows + i] = 0;
    }
    small_least(search->matrix, search->right, rows + unknowns, unknowns);
    return length_of(search->right, unknowns);
}

// One step that helps; false where none does, or where there is nowhere to go.
static bool step_nearer(Search *search, double *y)
{
    InquirySmall *small = search->small;
    size_t unknowns = search->unknowns, rows = search->rows, count = rows * (1 + unknowns);
    double *here = base_alloc((count + 1) * sizeof *here);
    memcpy(here, small->program.out, rows * sizeof *here);
    memcpy(here + rows, small->program.out + small_jacobian_at(small),
           rows * unknowns * sizeof *here);
    bool better = false;
    if (search->newton) {
        take_scales(search);
        search->residual = 0;
        for (size_t i = 0; i < rows; i++)
            search->residual = hypot(search->residual, here[i] / search->scale[i]);
    }
    for (size_t attempt = 0; attempt < MOST_TRIALS && !better; attempt++) {
        double length = find_step(search, here, here + rows);
        if (!(length > 1e-15 * length_of(y, unknowns)))
            break;
        for (size_t j = 0; j < unknowns; j++)
            search->trial[j] = y[j] + search->right[j];
        double residual = residual_at(search, search->trial);
        better = residual < search->residual;
        if (better) {
            memcpy(y, search->trial, unknowns * sizeof *y);
            search->residual = residual;
            search->miss = miss_of(small, rows, y);
            search->damping = fmax(search->damping / 4, LEAST_DAMPING);
        } else if (search->miss <= ROUNDING) {
            break; // no shorter step would help
        } else {
            search->damping *= 8;
        }
    }
    base_free(here);
    return better;
}

static bool search_from(InquirySmall *small, bool hold, bool rests, bool newton, double varied,
                        double *y)
{
    size_t unknowns = small->unknowns, rows = small->rows - (hold ? 0 : small->held_count);
    Search search = {.small = small,
                     .rows = rows,
                     .unknowns = unknowns,
                     .varied = varied,
                     .rests = rests,
                     .newton = newton};
    search.scale = base_alloc((rows + 1) * sizeof(double));
    search.matrix = base_alloc(((rows + unknowns) * unknowns + 1) * sizeof(double));
    search.right = base_alloc((rows + 2 * unknowns + 1) * sizeof(double));
    search.trial = base_alloc((unknowns + 1) * sizeof(double));
    begin(&search, y);
    for (size_t step = 0; step < MOST_STEPS && search.miss > 0 && isfinite(search.miss); step++)
        if (!step_nearer(&search, y))
            break;
    base_free(search.scale);
    base_free(search.matrix);
    base_free(search.right);
    base_free(search.trial);
    return search.miss <= MET;
}

bool small_newton(InquirySmall *small, bool hold, double varied, double *y)
{
    size_t bytes = small->unknowns * sizeof *y;
    double *from = base_alloc(bytes + sizeof *from);
    memcpy(from, y, bytes);
    bool found = search_from(small, hold, false, false, varied, y);
    if (!found) {
        // The second road may arrive where the first one stops; else the first came nearer.
        double *nearest = base_alloc(bytes + sizeof *nearest);
        memcpy(nearest, y, bytes);
        memcpy(y, from, bytes);
        found = search_from(small, hold, false, true, varied, y);
        if (!found)
            memcpy(y, nearest, bytes);
        base_free(nearest);
    }
    base_free(from);
    return found;
}

void small_rest(InquirySmall *small, double *y)
{
    (void)search_from(small, true, true, false, small->base, y);
}

// ---- Guesses.

Status small_guess(InquirySmall *small, Diag *diag, double *y)
{
    size_t unknowns = small->unknowns, starts = small->start_count, k = small->k, rows = 0;
    size_t most = starts > k ? starts : k;
    for (size_t i = 0; i < small->e; i++)
        y[i] = small->options.position[small->needed[i]];
    for (size_t alpha = 0; alpha < k; alpha++)
        y[small->e + alpha] = 0;
    small_run(&small->guess, y, small->base, unknowns);
    const double *values = small->guess.out, *given = values + starts, *J = given + starts;
    double *matrix = base_alloc((starts * k + 1) * sizeof *matrix);
    double *right = base_alloc((most + 1) * sizeof *right);
    Status status = STATUS_OK;
    for (size_t i = 0; i < starts; i++) {
        const SmallStart *start = &small->starts[i];
        if (!isfinite(given[i]))
            status = diag_error(diag, start->start->place, "this value is not a finite number");
        if (start->start->of == START_COORD)
            continue;
        double weight = start->held ? HELD_WEIGHT : 1;
        for (size_t alpha = 0; alpha < k; alpha++)
            matrix[rows * k + alpha] = weight * J[i * unknowns + small->e + alpha];
        right[rows++] = weight * (given[i] - values[i]);
    }
    if (rows > 0 && status == STATUS_OK)
        small_least(matrix, right, rows, k);
    for (size_t alpha = 0; alpha < k && rows > 0; alpha++)
        y[small->e + alpha] = right[alpha];
    base_free(matrix);
    base_free(right);
    return status;
}

void small_shift(InquirySmall *small, double from, double to, double *y)
{
    size_t unknowns = small->unknowns, starts = small->start_count, rows = 0;
    size_t most = starts > unknowns ? starts : unknowns;
    double *before = base_alloc((starts + 1) * sizeof *before);
    double *matrix = base_alloc((starts * unknowns + 1) * sizeof *matrix);
    double *right = base_alloc((most + 1) * sizeof *right);
    small_run(&small->guess, y, from, unknowns);
    memcpy(before, small->guess.out + starts, starts * sizeof *before);
    small_run(&small->guess, y, to, unknowns);
    const double *given = small->guess.out + starts, *J = given + starts;
    for (size_t i = 0; i < starts; i++) {
        if (given[i] == before[i] || !isfinite(given[i]))
            continue;
        memcpy(matrix + rows * unknowns, J + i * unknowns, unknowns * sizeof *matrix);
        right[rows++] = given[i] - before[i];
    }
    if (rows > 0) {
        small_least(matrix, right, rows, unknowns);
        for (size_t j = 0; j < unknowns; j++)
            y[j] += right[j];
    }
    base_free(before);
    base_free(matrix);
    base_free(right);
}
