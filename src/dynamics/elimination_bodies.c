// elimination_bodies.c: what bodies, forces, energies and conditions give to Gauss's function.
//
// A body of frame F about its base B has, with s = Σ m r and J about B,
//
//     ½ m a_B² + a_B·(α × s) + ½ α·Jα + a_B·(m a⁰ + α⁰ × s + ω × (ω × s))
//         + α·(Jα⁰ + s × a⁰ + ω × Jω),
//
// α and a_B without what they are for q'' = 0, which is α⁰ and a⁰.
#include "dynamics/elimination_impl.h"
#include "expr/arithmetic.h"
#include "model/constraint.h"
#include "model/system.h"
#include "model/vectors.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <math.h>

static ProgramValue add(Gauss *gauss, ProgramValue a, ProgramValue b)
{
    return assembly_add(gauss->assembly, a, b);
}

static ProgramValue mul(Gauss *gauss, ProgramValue a, ProgramValue b)
{
    return assembly_mul(gauss->assembly, a, b);
}

static ProgramValue sub(Gauss *gauss, ProgramValue a, ProgramValue b)
{
    return assembly_sub(gauss->assembly, a, b);
}

typedef struct {
    ProgramValue mass, tensor[3][3];
    Triple first;
} Inertia;

// A tensor from a frame to the axes of its vectors.
static void turn_tensor(Gauss *gauss, const GaussFrame *frame, ProgramValue tensor[3][3])
{
    assert(frame->still && frame->axis >= 0);
    int i = (frame->axis + 1) % 3, j = (frame->axis + 2) % 3, k = frame->axis;
    ProgramValue c = frame->cosine, s = frame->sine, both = tensor[i][j];
    ProgramValue w = add(gauss, mul(gauss, s, sub(gauss, tensor[i][i], tensor[j][j])),
                         mul(gauss, mul(gauss, assembly_int(gauss->assembly, 2), c), both));
    ProgramValue first = tensor[i][k], second = tensor[j][k];
    tensor[i][i] = sub(gauss, tensor[i][i], mul(gauss, s, w));
    tensor[j][j] = add(gauss, tensor[j][j], mul(gauss, s, w));
    tensor[i][j] = tensor[j][i] = sub(gauss, mul(gauss, c, w), both);
    tensor[i][k] = tensor[k][i] = sub(gauss, mul(gauss, c, first), mul(gauss, s, second));
    tensor[j][k] = tensor[k][j] = add(gauss, mul(gauss, s, first), mul(gauss, c, second));
}

static Inertia inertia_of(Gauss *gauss, const DefinedBody *body)
{
    static const int entry_of[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
    const GaussFrame *frame = &gauss->frames[body->frame.at];
    Inertia inertia = {.mass = gauss_lower(gauss, body->mass)};
    for (int i = 0; i < 3; i++) {
        inertia.first.at[i] = gauss_lower(gauss, body->first[i]);
        for (int j = 0; j < 3; j++)
            inertia.tensor[i][j] = gauss_lower(gauss, body->second[entry_of[i][j]]);
    }
    inertia.first = gauss_in_axes(gauss, body->frame.at, inertia.first);
    if (frame->still)
        turn_tensor(gauss, frame, inertia.tensor);
    return inertia;
}

// Jα⁰ + ω × Jω, component i.
static ProgramValue spin_bias(Gauss *gauss, uint32_t frame, const Inertia *inertia, int i)
{
    const GaussFrame *at = &gauss->frames[frame];
    const ProgramValue(*J)[3] = inertia->tensor;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    ProgramValue sum = mul(gauss, J[i][i], at->alpha.at[i]);
    sum =
        add(gauss, sum,
            mul(gauss, sub(gauss, J[k][k], J[j][j]), mul(gauss, at->omega.at[j], at->omega.at[k])));
    if (!assembly_is_zero(gauss->assembly, J[i][k]))
        sum = add(gauss, sum, mul(gauss, J[i][k], gauss_square(gauss, frame, j, i)));
    if (!assembly_is_zero(gauss->assembly, J[i][j]))
        sum = sub(gauss, sum, mul(gauss, J[i][j], gauss_square(gauss, frame, k, i)));
    if (!assembly_is_zero(gauss->assembly, J[j][k]))
        sum = add(gauss, sum,
                  mul(gauss, J[j][k],
                      sub(gauss, mul(gauss, at->omega.at[j], at->omega.at[j]),
                          mul(gauss, at->omega.at[k], at->omega.at[k]))));
    return sum;
}

static void add_body_bias(Gauss *gauss, const DefinedBody *body, const Inertia *inertia,
                          const GaussView *base)
{
    const GaussFrame *frame = &gauss->frames[body->frame.at];
    const ProgramValue *s = inertia->first.at, *a = base->bias.at;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        ProgramValue force = mul(gauss, inertia->mass, a[i]);
        for (int l = 0; l < 3; l++)
            if (!assembly_is_zero(gauss->assembly, s[l]))
                force =
                    add(gauss, force, mul(gauss, gauss_square(gauss, body->frame.at, i, l), s[l]));
        quadratic_add_bias(&gauss->form, base->ids[i], force);
        ProgramValue couple = sub(gauss, mul(gauss, s[j], a[k]), mul(gauss, s[k], a[j]));
        couple = add(gauss, couple, spin_bias(gauss, body->frame.at, inertia, i));
        quadratic_add_bias(&gauss->form, frame->ids[i], couple);
    }
}

static void add_body(Gauss *gauss, const DefinedBody *body)
{
    GaussForm *form = &gauss->form;
    const GaussFrame *frame = &gauss->frames[body->frame.at];
    const GaussView *base = &gauss->views.at[gauss_view(gauss, body->base, frame->axes)];
    Inertia inertia = inertia_of(gauss, body);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        quadratic_add(form, base->ids[i], base->ids[i], inertia.mass);
        quadratic_add(form, base->ids[i], frame->ids[j], inertia.first.at[k]);
        quadratic_add(form, base->ids[i], frame->ids[k], assembly_negated(inertia.first.at[j]));
        for (int l = 0; l <= i; l++)
            quadratic_add(form, frame->ids[i], frame->ids[l], inertia.tensor[i][l]);
    }
    add_body_bias(gauss, body, &inertia, base);
}

// ---- Forces and conditions.

// A vector along the axes of a point's acceleration, or of a frame's; and the unknowns there. What
// cancels in a condition when it is turned would be taken for an arm.
static Triple force_in_axes(Gauss *gauss, const DefinedForce *force, bool of_row,
                            const uint32_t **ids)
{
    Motion *motion = gauss->definitions->motion;
    uint32_t axes =
        force->point ? gauss->points[force->point].axes : gauss->frames[force->frame.at].axes;
    Vec parts = vector_in(motion->model->vectors, force->along, (Frame){axes});
    if (of_row && axes != 0)
        parts = (Vec){motion_shortened(motion, parts.x), motion_shortened(motion, parts.y),
                      motion_shortened(motion, parts.z)};
    *ids = force->point ? gauss->views.at[gauss_view(gauss, force->point, axes)].ids
                        : gauss->frames[force->frame.at].ids;
    return (Triple){
        {gauss_lower(gauss, parts.x), gauss_lower(gauss, parts.y), gauss_lower(gauss, parts.z)}};
}

static void add_forces(Gauss *gauss)
{
    const Definitions *definitions = gauss->definitions;
    for (size_t i = 0; i < definitions->forces.count; i++) {
        const uint32_t *ids;
        Triple force = force_in_axes(gauss, &definitions->forces.at[i], false, &ids);
        for (int axis = 0; axis < 3; axis++)
            quadratic_add_bias(&gauss->form, ids[axis], assembly_negated(force.at[axis]));
    }
    for (size_t i = 0; i < definitions->entries.count; i++) {
        const DefinedEntry *entry = &definitions->entries.at[i];
        uint32_t row = gauss->coordinates[entry->row], column = gauss->coordinates[entry->column];
        ProgramValue value = gauss_lower(gauss, entry->value);
        quadratic_add(&gauss->form, row, column, value);
        quadratic_add_bias(&gauss->form, row, mul(gauss, value, gauss_guess(gauss, entry->column)));
        if (row != column)
            quadratic_add_bias(&gauss->form, column,
                               mul(gauss, value, gauss_guess(gauss, entry->row)));
    }
    for (size_t nu = 0; nu < definitions->motion->n; nu++)
        quadratic_add_bias(&gauss->form, gauss->coordinates[nu],
                           gauss_lower(gauss, definitions->bias[nu]));
}

double elimination_mean(const double *moments, size_t count)
{
    double sum = 0;
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        sum += fabs(moments[i]);
        filled += moments[i] != 0;
    }
    return sum > 0 ? ldexp(1, ilogb(sum / (double)filled)) : 1;
}

// About as much as bodies resist turning.
static ProgramValue mean_inertia(Gauss *gauss)
{
    size_t count = 3 * gauss->bodies.count;
    double *moments = arena_array(gauss->arena, double, count + 1);
    gauss->moments.count = 0;
    for (size_t i = 0; i < count; i++) {
        ProgramValue moment = gauss_lower(gauss, gauss->bodies.at[i / 3].second[i % 3]);
        moments[i] = assembly_sample(gauss->assembly, moment);
        array_push(&gauss->moments, moment);
    }
    return assembly_real(gauss->assembly, elimination_mean(moments, count));
}

// A quaternion turns nothing along itself: its norm gives it inertia there, which changes nothing
// while the condition on the norm holds.
static void add_norm(Gauss *gauss, const DefinedRow *row)
{
    GaussForm *form = &gauss->form;
    ProgramValue scale = mean_inertia(gauss);
    ProgramValue gamma = add(gauss, gauss_lower(gauss, row->row->gamma),
                             gauss_guessed(gauss, row->terms, row->term_count));
    for (size_t i = 0; i < row->term_count; i++) {
        uint32_t x = gauss->coordinates[row->terms[i].coordinate];
        ProgramValue factor = mul(gauss, scale, gauss_lower(gauss, row->terms[i].factor));
        for (size_t j = 0; j <= i; j++)
            quadratic_add(form, x, gauss->coordinates[row->terms[j].coordinate],
                          mul(gauss, factor, gauss_lower(gauss, row->terms[j].factor)));
        quadratic_add_bias(form, x, mul(gauss, factor, gamma));
    }
}

// What a force acts on: along which axes it is, what it is for q'' = 0, and its velocity.
typedef struct {
    uint32_t axes;
    Triple bias, velocity;
} ForcePlace;

static ForcePlace place_of(const Gauss *gauss, const DefinedForce *force)
{
    const GaussFrame *frame = &gauss->frames[force->frame.at];
    if (!force->point)
        return (ForcePlace){frame->axes, frame->alpha, frame->omega};
    uint32_t axes = gauss->points[force->point].axes;
    const GaussView *view = &gauss->views.at[gauss_view(gauss, force->point, axes)];
    return (ForcePlace){axes, view->bias, view->velocity};
}

// Its velocity in the place of the symbols that a condition has for it.
static void define_velocity(Gauss *gauss, const DefinedForce *force, const Expr *symbols)
{
    ForcePlace place = place_of(gauss, force);
    Triple velocity = gauss_turn_up(gauss, place.velocity, place.axes, 0);
    for (int axis = 0; axis < 3; axis++)
        assembly_define(gauss->assembly, symbols[axis], velocity.at[axis]);
}

// λ·along on an acceleration; where it acts as well, with the guess.
static Triple add_along(Gauss *gauss, uint32_t lambda, const DefinedForce *force, bool of_row,
                        ProgramValue guess)
{
    const uint32_t *ids;
    Triple along = force_in_axes(gauss, force, of_row, &ids);
    for (int axis = 0; axis < 3; axis++) {
        quadratic_add(&gauss->form, lambda, ids[axis], along.at[axis]);
        quadratic_add_bias(&gauss->form, ids[axis], mul(gauss, along.at[axis], guess));
    }
    return along;
}

static void add_terms(Gauss *gauss, uint32_t lambda, const DefinitionTerm *terms, size_t count,
                      ProgramValue guess)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t x = gauss->coordinates[terms[i].coordinate];
        ProgramValue factor = gauss_lower(gauss, terms[i].factor);
        quadratic_add(&gauss->form, lambda, x, factor);
        quadratic_add_bias(&gauss->form, x, mul(gauss, factor, guess));
    }
}

// The acceleration of a point for q'' = 0 comes with the weights.
static void add_row_force(Gauss *gauss, uint32_t lambda, ProgramValue guess,
                          const DefinedForce *force)
{
    GaussForm *form = &gauss->form;
    Motion *motion = gauss->definitions->motion;
    Triple along = add_along(gauss, lambda, force, true, guess);
    ForcePlace place = place_of(gauss, force);
    Vec parts = vector_in(motion->model->vectors, force->along, (Frame){0});
    if (force->point)
        quadratic_add_bias(
            form, lambda,
            gauss_lower(gauss, vec_dot(motion->pool, parts, gauss->definitions->field)));
    for (int axis = 0; axis < 3; axis++)
        quadratic_add_bias(form, lambda, mul(gauss, along.at[axis], place.bias.at[axis]));
}

static void add_row(Gauss *gauss, const DefinedRow *row, uint32_t lambda, ProgramValue guess)
{
    GaussForm *form = &gauss->form;
    Motion *motion = gauss->definitions->motion;
    size_t count, forces = gauss_row_forces(gauss, row);
    const DefinitionTerm *terms = gauss_row_terms(gauss, row, &count);
    for (size_t j = 0; j < forces; j++) {
        define_velocity(gauss, &row->forces[j], row->velocities[j]);
        add_row_force(gauss, lambda, guess, &row->forces[j]);
    }
    add_terms(gauss, lambda, terms, count, guess);
    quadratic_add_bias(form, lambda, gauss_guessed(gauss, terms, count));
    Expr gamma = forces ? expr_rate(motion->dt_still, row->by_velocities) : row->row->gamma;
    quadratic_add_bias(form, lambda, gauss_lower(gauss, gamma));
}

// The condition acts on nothing, the force asks for nothing.
static void add_servo(Gauss *gauss, const DefinedRow *row, size_t i, ProgramValue guess)
{
    const DefinedLoad *load = row->servo;
    gauss_new_servo(gauss, i);
    add_row(gauss, row, gauss->multipliers[i], gauss->form.zero);
    for (size_t j = 0; j < load->force_count; j++)
        add_along(gauss, gauss->reactions[i], &load->forces[j], false, guess);
    add_terms(gauss, gauss->reactions[i], load->terms, load->term_count, guess);
}

static void add_rows(Gauss *gauss)
{
    const Definitions *definitions = gauss->definitions;
    for (size_t i = 0; i < definitions->motion->m; i++) {
        const DefinedRow *row = &definitions->rows[i];
        ProgramValue guess = gauss_guess(gauss, definitions->motion->n + i);
        if (row->servo) {
            add_servo(gauss, row, i, guess);
            continue;
        }
        gauss->multipliers[i] = gauss->reactions[i] = quadratic_new_unknown(&gauss->form, true);
        add_row(gauss, row, gauss->multipliers[i], guess);
        if (row->row->constraint->silent)
            add_norm(gauss, row);
    }
}

void gauss_add_all(Gauss *gauss)
{
    assert(gauss->multipliers);
    for (size_t i = 0; i < gauss->bodies.count; i++)
        add_body(gauss, &gauss->bodies.at[i]);
    add_forces(gauss);
    if (!gauss->options.diagonal)
        add_rows(gauss);
}

// ---- Velocities.

// λ·(along·v + …): what v is for q' = 0 stands beside it.
static void add_velocity_row(Gauss *gauss, const DefinedRow *row)
{
    GaussForm *form = &gauss->form;
    uint32_t lambda = quadratic_new_unknown(form, true);
    size_t count, forces = gauss_row_forces(gauss, row);
    const DefinitionTerm *terms = gauss_row_terms(gauss, row, &count);
    for (size_t j = 0; j < forces; j++) {
        const uint32_t *ids;
        Triple along = force_in_axes(gauss, &row->forces[j], true, &ids);
        ForcePlace place = place_of(gauss, &row->forces[j]);
        for (int axis = 0; axis < 3; axis++) {
            quadratic_add(form, lambda, ids[axis], along.at[axis]);
            quadratic_add_bias(form, lambda, mul(gauss, along.at[axis], place.velocity.at[axis]));
        }
    }
    for (size_t j = 0; j < count; j++)
        quadratic_add(form, lambda, gauss->coordinates[terms[j].coordinate],
                      gauss_lower(gauss, terms[j].factor));
    quadratic_add_bias(form, lambda, gauss_lower(gauss, forces ? row->without : row->row->c));
}

static void add_speed(Gauss *gauss, const EliminationSpeed *speed)
{
    GaussForm *form = &gauss->form;
    const Motion *motion = gauss->definitions->motion;
    uint32_t lambda = quadratic_new_unknown(form, true);
    ProgramValue value;
    if (!assembly_lower(gauss->assembly, speed->symbol, &value)) {
        gauss->failed = true;
        return;
    }
    if (!speed->y)
        quadratic_add(form, lambda, gauss->coordinates[speed->index],
                      assembly_int(gauss->assembly, 1));
    for (size_t nu = 0; nu < motion->n && speed->y; nu++)
        if (!expr_is_zero(motion->pool, speed->y[nu]))
            quadratic_add(form, lambda, gauss->coordinates[nu], gauss_lower(gauss, speed->y[nu]));
    if (speed->y)
        quadratic_add_bias(form, lambda, gauss_lower(gauss, speed->y0));
    quadratic_add_bias(form, lambda, assembly_negated(value));
}

void gauss_add_velocities(Gauss *gauss, const EliminationSpeed *speeds, size_t count)
{
    assert(gauss->at_rest);
    for (size_t i = 0; i < gauss->definitions->motion->m; i++)
        add_velocity_row(gauss, &gauss->definitions->rows[i]);
    for (size_t i = 0; i < count; i++)
        add_speed(gauss, &speeds[i]);
}
