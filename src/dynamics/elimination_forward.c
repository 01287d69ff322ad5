// elimination_forward.c: velocities and accelerations for q'' = 0, from world outwards, and with
// them the factors of every definition.
#include "dynamics/elimination_impl.h"
#include "expr/arithmetic.h"
#include "model/system.h"
#include "model/vectors.h"
#include "motion/motion_types.h"

#include <assert.h>

static ProgramValue add(Gauss *gauss, ProgramValue a, ProgramValue b)
{
    return assembly_add(gauss->assembly, a, b);
}

static ProgramValue mul(Gauss *gauss, ProgramValue a, ProgramValue b)
{
    return assembly_mul(gauss->assembly, a, b);
}

static Triple add_triples(Gauss *gauss, Triple a, Triple b)
{
    for (int i = 0; i < 3; i++)
        a.at[i] = add(gauss, a.at[i], b.at[i]);
    return a;
}

static Triple cross(Gauss *gauss, Triple a, Triple b)
{
    Triple product;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        product.at[i] = assembly_sub(gauss->assembly, mul(gauss, a.at[j], b.at[k]),
                                     mul(gauss, a.at[k], b.at[j]));
    }
    return product;
}

// ---- Turns.

// From a frame's axes to those that it is turned in, or down.
static Triple turn_about(Gauss *gauss, const GaussFrame *frame, Triple v, bool up)
{
    assert(frame->axis >= 0);
    int i = (frame->axis + 1) % 3, j = (frame->axis + 2) % 3;
    ProgramValue c = frame->cosine, s = up ? assembly_negated(frame->sine) : frame->sine;
    Triple turned = v;
    turned.at[i] = add(gauss, mul(gauss, c, v.at[i]), mul(gauss, s, v.at[j]));
    turned.at[j] = assembly_sub(gauss->assembly, mul(gauss, c, v.at[j]), mul(gauss, s, v.at[i]));
    return turned;
}

static Triple turn_frame(Gauss *gauss, const GaussFrame *frame, Triple v, bool up)
{
    if (frame->axis >= 0)
        return turn_about(gauss, frame, v, up);
    Triple turned;
    for (int i = 0; i < 3; i++) {
        turned.at[i] = gauss->form.zero;
        for (int j = 0; j < 3; j++)
            turned.at[i] =
                add(gauss, turned.at[i],
                    mul(gauss, up ? frame->columns[j].at[i] : frame->columns[i].at[j], v.at[j]));
    }
    return turned;
}

Triple gauss_turn_up(Gauss *gauss, Triple v, uint32_t from, uint32_t to)
{
    for (; from != to; from = gauss_parent_axes(gauss, from))
        v = turn_frame(gauss, &gauss->frames[from], v, true);
    return v;
}

Triple gauss_in_axes(Gauss *gauss, uint32_t frame, Triple v)
{
    const GaussFrame *at = &gauss->frames[frame];
    return at->still ? turn_about(gauss, at, v, true) : v;
}

ProgramValue gauss_square(Gauss *gauss, uint32_t frame, int i, int j)
{
    GaussFrame *at = &gauss->frames[frame];
    const ProgramValue *w = at->omega.at;
    int k = 3 - i - j;
    if (i == j)
        return assembly_negated(add(gauss, mul(gauss, w[(i + 1) % 3], w[(i + 1) % 3]),
                                    mul(gauss, w[(i + 2) % 3], w[(i + 2) % 3])));
    // α× has −α_k where j follows i in the order x y z x.
    ProgramValue alpha = j == (i + 1) % 3 ? assembly_negated(at->alpha.at[k]) : at->alpha.at[k];
    return add(gauss, mul(gauss, w[i], w[j]), alpha);
}

// (α⁰× + ωωᵀ − ω²)·v
static Triple squared_times(Gauss *gauss, uint32_t frame, Triple v)
{
    Triple product;
    for (int i = 0; i < 3; i++) {
        product.at[i] = gauss->form.zero;
        for (int j = 0; j < 3; j++)
            if (!assembly_is_zero(gauss->assembly, v.at[j]))
                product.at[i] = add(gauss, product.at[i],
                                    mul(gauss, gauss_square(gauss, frame, i, j), v.at[j]));
    }
    return product;
}

// ---- Definitions.

static ScalarDefinition *begin_scalar(Gauss *gauss, GaussItem *item, uint32_t x)
{
    if (item->scalar_count++ == 0)
        item->scalars = gauss->scalars.count;
    array_push(&gauss->scalars, ((ScalarDefinition){.x = x, .first = gauss->terms.count}));
    return &gauss->scalars.at[gauss->scalars.count - 1];
}

static void push_term(Gauss *gauss, uint32_t unknown, ProgramValue factor)
{
    if (unknown == 0 || assembly_is_zero(gauss->assembly, factor))
        return;
    array_push(&gauss->terms, ((GaussTerm){unknown, factor, false}));
    gauss->scalars.at[gauss->scalars.count - 1].count++;
}

static void push_coordinate(Gauss *gauss, size_t item, size_t coordinate, ProgramValue factor)
{
    if (assembly_is_zero(gauss->assembly, factor))
        return;
    push_term(gauss, gauss->coordinates[coordinate], factor);
    gauss->uses[coordinate]++;
    if (!gauss->places[coordinate])
        gauss->places[coordinate] = item + 1;
}

static void push_part_terms(Gauss *gauss, size_t item, const DefinitionPart *part)
{
    for (size_t i = 0; i < part->term_count; i++)
        push_coordinate(gauss, item, part->terms[i].coordinate,
                        gauss_lower(gauss, part->terms[i].factor));
}

// ---- Frames.

static void make_turn(Gauss *gauss, uint32_t index)
{
    GaussFrame *frame = &gauss->frames[index];
    Vectors *vectors = gauss->definitions->motion->model->vectors;
    FrameTurn turn = frame_turn_in_parent(vectors, (Frame){index});
    const GaussFrame *above = &gauss->frames[frame_parent(vectors, (Frame){index}).at];
    if (frame->axis < 0) {
        for (int i = 0; i < 3; i++)
            frame->columns[i] = (Triple){{gauss_lower(gauss, turn.columns[i].x),
                                          gauss_lower(gauss, turn.columns[i].y),
                                          gauss_lower(gauss, turn.columns[i].z)}};
        return;
    }
    frame->angle = gauss_lower(gauss, turn.angle);
    if (above->still) {
        frame->angle = add(gauss, above->angle, frame->angle);
        frame->cosine = assembly_cosine(gauss->assembly, frame->angle);
        frame->sine = assembly_sine(gauss->assembly, frame->angle);
    } else {
        frame->cosine = gauss_lower(gauss, turn.cosine);
        frame->sine = gauss_lower(gauss, turn.sine);
    }
}

// The scalars of a vector that a matrix turns.
static void define_by_matrix(Gauss *gauss, size_t item, const GaussFrame *frame,
                             const uint32_t *ids, const uint32_t *above,
                             const DefinitionPart *parts)
{
    for (int i = 0; i < 3; i++) {
        begin_scalar(gauss, &gauss->items.at[item], ids[i]);
        for (int j = 0; j < 3; j++)
            push_term(gauss, above[j], frame->columns[i].at[j]);
        if (parts)
            push_part_terms(gauss, item, &parts[i]);
    }
}

static void define_view(Gauss *gauss, size_t item, const GaussFrame *frame, size_t point,
                        uint32_t view, uint32_t above)
{
    GaussView *own = &gauss->views.at[view];
    const GaussView *source = &gauss->views.at[gauss_view(gauss, point, above)];
    own->bias = turn_frame(gauss, frame, source->bias, false);
    own->velocity = turn_frame(gauss, frame, source->velocity, false);
    if (point == 0)
        return;
    if (frame->axis < 0) {
        define_by_matrix(gauss, item, frame, own->ids, source->ids, NULL);
        return;
    }
    begin_scalar(gauss, &gauss->items.at[item], own->ids[frame->axis]);
    push_term(gauss, source->ids[frame->axis], assembly_int(gauss->assembly, 1));
}

static void forward_frame(Gauss *gauss, size_t item)
{
    uint32_t index = (uint32_t)gauss->items.at[item].index;
    GaussFrame *frame = &gauss->frames[index];
    const DefinitionPart *parts = gauss->definitions->frames[index].parts;
    const Vectors *vectors = gauss->definitions->motion->model->vectors;
    const GaussFrame *above = &gauss->frames[frame_parent(vectors, (Frame){index}).at];
    make_turn(gauss, index);
    Triple omega = above->omega, alpha = above->alpha, relative, still;
    if (!frame->still) {
        omega = turn_frame(gauss, frame, omega, false);
        alpha = turn_frame(gauss, frame, alpha, false);
    }
    for (int i = 0; i < 3; i++) {
        relative.at[i] = gauss_lower(gauss, parts[i].value);
        still.at[i] = gauss_lower(gauss, parts[i].still);
        frame->ids[i] = frame->still && i != frame->axis
                            ? above->ids[i]
                            : quadratic_new_unknown(&gauss->form, false);
    }
    frame->alpha = add_triples(gauss, alpha, cross(gauss, omega, relative));
    for (int i = 0; i < 3; i++)
        still.at[i] =
            add(gauss, still.at[i], gauss_guessed(gauss, parts[i].terms, parts[i].term_count));
    frame->alpha = add_triples(gauss, frame->alpha, still);
    frame->omega = add_triples(gauss, omega, relative);
    if (frame->axis < 0) {
        define_by_matrix(gauss, item, frame, frame->ids, above->ids, parts);
    } else {
        begin_scalar(gauss, &gauss->items.at[item], frame->ids[frame->axis]);
        push_term(gauss, above->ids[frame->axis], assembly_int(gauss->assembly, 1));
        push_part_terms(gauss, item, &parts[frame->axis]);
    }
    for (size_t i = 0; i < frame->group.count; i += 2)
        define_view(gauss, item, frame, frame->group.at[i], (uint32_t)frame->group.at[i + 1],
                    above->axes);
}

// ---- Points.

// Components in the point's frame, along the axes of its acceleration.
static Triple in_point_axes(Gauss *gauss, size_t point, Triple v)
{
    uint32_t frame = gauss->definitions->points.at[point].frame.at;
    return gauss_turn_up(gauss, gauss_in_axes(gauss, frame, v), gauss->frames[frame].axes,
                         gauss->points[point].axes);
}

typedef struct {
    size_t coordinate;
    Triple factor; // ∂r/∂q
} PointTerm;
typedef ARRAY(PointTerm) PointTerms;

static void gather_terms(Gauss *gauss, size_t point, PointTerms *terms)
{
    const DefinitionPart *parts = gauss->definitions->points.at[point].parts;
    for (int axis = 0; axis < 3; axis++)
        for (size_t i = 0; i < parts[axis].term_count; i++) {
            const DefinitionTerm *term = &parts[axis].terms[i];
            size_t at = 0;
            while (at < terms->count && terms->at[at].coordinate != term->coordinate)
                at++;
            if (at == terms->count) {
                ProgramValue zero = gauss->form.zero;
                array_push(terms, ((PointTerm){term->coordinate, {{zero, zero, zero}}}));
            }
            terms->at[at].factor.at[axis] = gauss_lower(gauss, term->factor);
        }
    for (size_t i = 0; i < terms->count; i++)
        terms->at[i].factor = in_point_axes(gauss, point, terms->at[i].factor);
}

// e × r for the three axes of the point's frame, along the axes of the point.
static void make_arms(Gauss *gauss, size_t point, Triple r, Triple arms[3])
{
    uint32_t frame = gauss->definitions->points.at[point].frame.at;
    ProgramValue zero = gauss->form.zero;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        arms[i].at[i] = zero;
        arms[i].at[j] = assembly_negated(r.at[k]);
        arms[i].at[k] = r.at[j];
        arms[i] =
            gauss_turn_up(gauss, arms[i], gauss->frames[frame].axes, gauss->points[point].axes);
    }
}

static void define_point(Gauss *gauss, size_t item, Triple r)
{
    size_t point = gauss->items.at[item].index;
    const DefinedPoint *defined = &gauss->definitions->points.at[point];
    const GaussView *view = &gauss->views.at[gauss->items.at[item].view];
    const GaussView *base = &gauss->views.at[gauss_view(gauss, defined->base, view->axes)];
    const GaussFrame *frame = &gauss->frames[defined->frame.at];
    PointTerms terms = {0};
    Triple arms[3];
    gather_terms(gauss, point, &terms);
    make_arms(gauss, point, r, arms);
    for (int i = 0; i < 3; i++) {
        begin_scalar(gauss, &gauss->items.at[item], view->ids[i]);
        push_term(gauss, base->ids[i], assembly_int(gauss->assembly, 1));
        for (int j = 0; j < 3; j++)
            push_term(gauss, frame->ids[j], arms[j].at[i]);
        for (size_t j = 0; j < terms.count; j++)
            push_coordinate(gauss, item, terms.at[j].coordinate, terms.at[j].factor.at[i]);
    }
    array_clear(&terms);
}

static void forward_point(Gauss *gauss, size_t item)
{
    size_t point = gauss->items.at[item].index;
    const DefinedPoint *defined = &gauss->definitions->points.at[point];
    GaussView *view = &gauss->views.at[gauss->items.at[item].view];
    const GaussView *base = &gauss->views.at[gauss_view(gauss, defined->base, view->axes)];
    const GaussFrame *frame = &gauss->frames[defined->frame.at];
    Triple r, rate, still;
    for (int i = 0; i < 3; i++) {
        r.at[i] = gauss_lower(gauss, defined->parts[i].value);
        rate.at[i] = gauss_lower(gauss, defined->parts[i].rate);
        still.at[i] =
            add(gauss, gauss_lower(gauss, defined->parts[i].still),
                gauss_guessed(gauss, defined->parts[i].terms, defined->parts[i].term_count));
    }
    r = gauss_in_axes(gauss, defined->frame.at, r);
    rate = gauss_in_axes(gauss, defined->frame.at, rate);
    Triple velocity = add_triples(gauss, cross(gauss, frame->omega, r), rate);
    velocity = gauss_turn_up(gauss, velocity, frame->axes, view->axes);
    view->velocity = add_triples(gauss, base->velocity, velocity);
    for (int i = 0; i < 3; i++)
        rate.at[i] = mul(gauss, assembly_int(gauss->assembly, 2), rate.at[i]);
    Triple bias = add_triples(gauss, squared_times(gauss, defined->frame.at, r),
                              cross(gauss, frame->omega, rate));
    bias = add_triples(gauss, bias, gauss_in_axes(gauss, defined->frame.at, still));
    bias = gauss_turn_up(gauss, bias, frame->axes, view->axes);
    view->bias = add_triples(gauss, base->bias, bias);
    define_point(gauss, item, r);
}

// ---- All.

static void forward_view(Gauss *gauss, size_t item)
{
    const GaussItem *at = &gauss->items.at[item];
    uint32_t axes = gauss->views.at[at->view].axes;
    define_view(gauss, item, &gauss->frames[axes], at->index, at->view,
                gauss_parent_axes(gauss, axes));
}

// A coordinate that one definition has, with a constant factor, is defined by it: what the
// definition gave is free.
static void invert(Gauss *gauss)
{
    for (size_t i = 0; i < gauss->scalars.count; i++) {
        ScalarDefinition *scalar = &gauss->scalars.at[i];
        scalar->inverted = scalar->count;
        for (size_t j = 0; j < scalar->count && scalar->inverted == scalar->count; j++) {
            const GaussTerm *term = &gauss->terms.at[scalar->first + j];
            size_t coordinate = term->unknown - gauss->coordinates[0];
            if (coordinate < gauss->definitions->motion->n && gauss->uses[coordinate] == 1 &&
                assembly_is_constant(gauss->assembly, term->value))
                scalar->inverted = j;
        }
    }
}

static void forward_world(Gauss *gauss)
{
    const Vec *field = &gauss->definitions->field;
    ProgramValue zero = gauss->form.zero;
    gauss->frames[0].omega = gauss->frames[0].alpha = (Triple){{zero, zero, zero}};
    Triple weight = {{assembly_negated(gauss_lower(gauss, field->x)),
                      assembly_negated(gauss_lower(gauss, field->y)),
                      assembly_negated(gauss_lower(gauss, field->z))}};
    gauss->views.at[gauss_view(gauss, 0, 0)].bias = weight;
    gauss->views.at[gauss_view(gauss, 0, 0)].velocity = (Triple){{zero, zero, zero}};
}

void gauss_forward(Gauss *gauss)
{
    assert(gauss->scalars.count == 0);
    forward_world(gauss);
    for (size_t i = 0; i < gauss->items.count; i++)
        switch (gauss->items.at[i].kind) {
        case ITEM_FRAME: forward_frame(gauss, i); break;
        case ITEM_POINT: forward_point(gauss, i); break;
        case ITEM_VIEW: forward_view(gauss, i); break;
        }
    if (gauss->options.diagonal)
        for (size_t i = 0; i < gauss->scalars.count; i++)
            gauss->scalars.at[i].inverted = gauss->scalars.at[i].count;
    else
        invert(gauss);
}
