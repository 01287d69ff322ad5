// points.c: values in prime fields for those who ask about numbers and not about one expression.
#include "algebra/algebra_impl.h"

#include <flint/ulong_extras.h>
#include <math.h>

struct AlgebraPoints {
    Sample sample;
    Bounds *bounds;
    size_t count;
    size_t for_signs; // points more for the signs of roots
    bool free;        // no relations between functions, nor between roots
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
    points->free = atoms_are_free(algebra, exprs, count, true);
    if (rational && points->bounds && square_roots_sign_trials(&points->sample, &points->for_signs))
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
size_t algebra_points_enough(AlgebraPoints *points, double degree, double log2_terms)
{
    const Bounds *bounds = points->bounds;
    double *total = base_alloc(bounds_width(bounds) * sizeof *total);
    for (size_t i = 0; i < points->count; i++)
        for (size_t k = 0; k < bounds_width(bounds); k++)
            total[k] = fmax(total[k], bounds_root(bounds, i)[k]);
    for (size_t k = 0; k < bounds_width(bounds); k++)
        total[k] *= degree;
    total[BOUND_HEIGHT] += log2_terms;
    size_t trials = bounds_trials(bounds_log2_error(bounds, &points->sample, total));
    base_free(total);
    return trials ? trials + points->for_signs : 0;
}

bool algebra_points_are_free(const AlgebraPoints *points)
{
    const Sample *sample = &points->sample;
    return points->free && (sample->roots.count == 0 || sample->independent);
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
