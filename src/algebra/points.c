// points.c: values in prime fields for those who ask about numbers and not about one expression.
#include "algebra/algebra_impl.h"

#include <flint/ulong_extras.h>
#include <math.h>

struct AlgebraPoints {
    Sample sample;
    Bounds *bounds;
    size_t count;
};

AlgebraPoints *algebra_points_new(Algebra *algebra, const Expr *exprs, size_t count)
{
    Expr *images = base_alloc((count + 1) * sizeof *images);
    atoms_rewrite(algebra, ATOMS_SPLIT, exprs, count, images);
    AlgebraPoints *points = base_alloc(sizeof *points);
    points->count = count;
    points->bounds = bounds_new(algebra, images, count);
    bool rational = sample_init(&points->sample, algebra, images, count);
    base_free(images);
    if (rational && points->bounds && bounds_square_roots(points->bounds) <= MOST_SQUARE_ROOTS)
        return points;
    algebra_points_free(points);
    return NULL;
}

void algebra_points_free(AlgebraPoints *points)
{
    if (!points)
        return;
    bounds_free(points->bounds);
    sample_clear(&points->sample);
    base_free(points);
}

// A product of so many values is bounded by as many times the greatest bound of any of them.
size_t algebra_points_enough(const AlgebraPoints *points, double degree, double log2_terms)
{
    const Bounds *bounds = points->bounds;
    double *total = base_alloc(bounds_width(bounds) * sizeof *total);
    for (size_t i = 0; i < points->count; i++)
        for (size_t k = 0; k < bounds_width(bounds); k++)
            total[k] = fmax(total[k], bounds_root(bounds, i)[k]);
    for (size_t k = 0; k < bounds_width(bounds); k++)
        total[k] *= degree;
    total[BOUND_HEIGHT] += log2_terms;
    size_t trials = bounds_trials(bounds_log2_error(bounds, total));
    size_t roots = bounds_square_roots(bounds);
    base_free(total);
    return trials && roots ? trials + ((size_t)71 << roots) : trials;
}

bool algebra_points_next(AlgebraPoints *points, uint64_t *prime, const uint64_t **values)
{
    bool drawn = sample_draw(&points->sample);
    *prime = points->sample.prime;
    *values = points->sample.outputs;
    return drawn;
}

uint64_t algebra_field_mul(uint64_t a, uint64_t b, uint64_t prime)
{
    return n_mulmod2(a, b, prime);
}

uint64_t algebra_field_inverse(uint64_t a, uint64_t prime)
{
    return n_invmod(a, prime);
}
