// places.c: where a condition takes hold: at which points, on which bodies, on which frames.
//
// A condition is read a second time, with every point that it names moved by a small arbitrary
// displacement, every frame turned by a small arbitrary rotation, and every particle of a body at
// a point given an arbitrary velocity. What the condition changes by is its derivative by these:
// its virtual work is Σ along·δ, so that λ·along is the reaction there (theory page, 1).
#include "model/model_impl.h"

#include <assert.h>
#include <string.h>

struct Tracer {
    ARRAY(ModelPlace) places;
    ARRAY(Vector) shifts; // of every place: a displacement, or a rotation; with derivatives
    bool apart;           // points are not moved, but are the shifts, and frames turn by the rates
};

// Apart, what is along the axes of world is turned like any other vector: its symbols stay.
static Vector moved_by(Elaborator *e, Vector shift)
{
    Vectors *vectors = e->model->vectors;
    return e->tracer->apart ? vector_of(vectors, (Frame){0}, vector_in(vectors, shift, (Frame){0}))
                            : shift;
}

static Vector shift_of(Elaborator *e, size_t place)
{
    return moved_by(e, e->tracer->shifts.at[place]);
}

static Vector rate_of(Elaborator *e, size_t place)
{
    return moved_by(e, vector_rate(e->model->vectors, e->tracer->shifts.at[place]));
}

bool is_same_vector(Elaborator *e, Vector a, Vector b)
{
    if (a.at == b.at || a.at == 0 || b.at == 0)
        return a.at == b.at;
    Frame home = vector_home(e->model->vectors, a);
    Vec one = vector_in(e->model->vectors, a, home), two = vector_in(e->model->vectors, b, home);
    return expr_same(one.x, two.x) && expr_same(one.y, two.y) && expr_same(one.z, two.z);
}

static bool is_same(Elaborator *e, const ModelPlace *a, const ModelPlace *b)
{
    return a->kind == b->kind && a->body == b->body && a->frame.at == b->frame.at &&
           is_same_vector(e, a->position, b->position);
}

// The index of a place, which is a new one where it was not met before.
static size_t find_place(Elaborator *e, ModelPlace place)
{
    Tracer *tracer = e->tracer;
    for (size_t i = 0; i < tracer->places.count; i++)
        if (is_same(e, &tracer->places.at[i], &place))
            return i;
    array_push(&tracer->shifts, vector_arbitrary(e->model->vectors, "shift", "shift'"));
    array_push(&tracer->places, place);
    return tracer->places.count - 1;
}

Vector trace_point(Elaborator *e, Vector position, const char *name)
{
    ModelPlace place = {.kind = PLACE_POINT, .name = name, .position = position};
    Vector shift = shift_of(e, find_place(e, place));
    return e->tracer->apart ? shift : vector_add(e->model->vectors, position, shift);
}

// All symbols of a vector: three for each frame along whose axes it was asked for.
typedef ARRAY(Expr) Symbols;

static void push_symbols(Elaborator *e, Vector v, Symbols *symbols)
{
    Frame frame;
    Vec parts;
    for (size_t i = 0; vector_known_view(e->model->vectors, v, i, &frame, &parts); i++) {
        array_push(symbols, parts.x);
        array_push(symbols, parts.y);
        array_push(symbols, parts.z);
    }
}

static void push_all_symbols(Elaborator *e, bool rates, Symbols *symbols)
{
    const Tracer *tracer = e->tracer;
    for (size_t i = 0; i < tracer->shifts.count; i++)
        push_symbols(
            e, rates ? vector_rate(e->model->vectors, tracer->shifts.at[i]) : tracer->shifts.at[i],
            symbols);
}

// The caller frees what takes all shifts away.
static ExprSubst *without_shifts(Elaborator *e)
{
    ExprSubst *subst = expr_subst_new(e->pool);
    Symbols symbols = {0};
    push_all_symbols(e, false, &symbols);
    push_all_symbols(e, true, &symbols);
    for (size_t i = 0; i < symbols.count; i++)
        expr_subst_set(subst, symbols.at[i], expr_int(e->pool, 0));
    array_clear(&symbols);
    return subst;
}

static Vec without_traces(ExprSubst *subst, Vec v)
{
    return (Vec){expr_subst(subst, v.x), expr_subst(subst, v.y), expr_subst(subst, v.z)};
}

// A vector as it was before anything was moved.
static Vector plain_vector(Elaborator *e, Vector v)
{
    Frame home = vector_home(e->model->vectors, v);
    Vec parts = vector_in(e->model->vectors, v, home);
    // What stands for shifts along these axes is there now.
    ExprSubst *subst = without_shifts(e);
    parts = without_traces(subst, parts);
    expr_subst_free(subst);
    return vector_of(e->model->vectors, home, parts);
}

static size_t frame_place(Elaborator *e, Frame frame);

// v of the centre and ω × the arm, both as symbols.
static Vector particle_apart(Elaborator *e, Vector position, const ModelBody *body)
{
    Vectors *vectors = e->model->vectors;
    ModelPlace centre = {.kind = PLACE_POINT, .name = body->name, .position = body->position};
    size_t at = find_place(e, centre), turned = frame_place(e, body->frame);
    Vector spin = rate_of(e, turned);
    Vector arm = vector_sub(vectors, position, body->position);
    return vector_add(vectors, rate_of(e, at), vector_cross(vectors, spin, arm));
}

Vector trace_particle(Elaborator *e, Vector velocity, Vector position, Str text, size_t body)
{
    const Tracer *tracer = e->tracer;
    ModelPlace place = {.kind = PLACE_PARTICLE, .body = body};
    if (tracer->apart)
        return particle_apart(e, position, &e->model->bodies.at[body]);
    place.position = plain_vector(e, position);
    // A point that was named is the point; what was made of others keeps its own text.
    for (size_t i = 0; i < tracer->places.count && !place.name; i++)
        if (tracer->places.at[i].kind == PLACE_POINT &&
            is_same_vector(e, place.position, tracer->places.at[i].position)) {
            place.name = tracer->places.at[i].name;
            place.position = tracer->places.at[i].position;
        }
    if (!place.name)
        place.name = arena_copy_text(e->arena, text.at, text.length);
    return vector_add(e->model->vectors, velocity, rate_of(e, find_place(e, place)));
}

// What a frame is called: by its body, else by its own name.
static const char *name_of_frame(const Model *model, Frame frame)
{
    for (size_t i = 0; i < model->bodies.count; i++)
        if (model->bodies.at[i].frame.at == frame.at)
            return model->bodies.at[i].name;
    const char *name = frame_name(model->vectors, frame);
    return name ? name : "a frame";
}

static size_t frame_place(Elaborator *e, Frame frame)
{
    ModelPlace place = {
        .kind = PLACE_FRAME, .name = name_of_frame(e->model, frame), .frame = frame};
    return find_place(e, place);
}

Vector trace_spin(Elaborator *e, Vector omega, Frame frame)
{
    if (frame.at == 0)
        return omega;
    Vector spin = rate_of(e, frame_place(e, frame));
    return e->tracer->apart ? spin : vector_add(e->model->vectors, omega, spin);
}

Vector trace_carried(Elaborator *e, Vector vector, Frame frame)
{
    if (frame.at == 0 || e->tracer->apart)
        return vector;
    Vector turn = shift_of(e, frame_place(e, frame));
    return vector_add(e->model->vectors, vector, vector_cross(e->model->vectors, turn, vector));
}

// ---- From a traced residual to places.

// The sum of what a vector's symbols have as derivatives, along the axes of their frames; how many
// there were.
static size_t add_derivatives(Elaborator *e, Vector v, const Expr *derivatives, ExprSubst *plain,
                              Vector *along)
{
    Vectors *vectors = e->model->vectors;
    Frame frame;
    Vec parts;
    size_t i = 0;
    *along = vector_zero(vectors);
    for (; vector_known_view(vectors, v, i, &frame, &parts); i++) {
        const Expr *own = derivatives + 3 * i;
        parts = without_traces(plain, (Vec){own[0], own[1], own[2]});
        *along = vector_add(vectors, *along, vector_of(vectors, frame, parts));
    }
    return 3 * i;
}

void places_keep(Elaborator *e, Expr traced, ModelConstraint *constraint)
{
    const Tracer *tracer = e->tracer;
    Vectors *vectors = e->model->vectors;
    size_t count = tracer->places.count, at = 0;
    Symbols symbols = {0};
    if (count == 0)
        return;
    // A condition on velocities that holds by itself holds none to the eye, but its places move.
    push_all_symbols(e, true, &symbols);
    bool rates =
        (constraint->kind != CONSTRAINT_FINITE && constraint->kind != CONSTRAINT_ONE_SIDED) ||
        expr_holds_any(e->pool, traced, symbols.at, symbols.count);
    if (!rates) {
        symbols.count = 0;
        push_all_symbols(e, false, &symbols);
    }
    Expr *derivatives = base_alloc(symbols.count * sizeof *derivatives);
    expr_gradient(e->pool, traced, symbols.at, symbols.count, derivatives);
    ExprSubst *plain = without_shifts(e);
    constraint->places = arena_alloc(e->arena, count * sizeof *constraint->places);
    constraint->place_count = count;
    for (size_t i = 0; i < count; i++) {
        Vector by = tracer->shifts.at[i];
        constraint->places[i] = tracer->places.at[i];
        at += add_derivatives(e, rates ? vector_rate(vectors, by) : by, derivatives + at, plain,
                              &constraint->places[i].along);
    }
    assert(at == symbols.count);
    expr_subst_free(plain);
    base_free(derivatives);
    array_clear(&symbols);
}

// Positions of points in the place of what stood for them.
static Expr with_positions(Elaborator *e, Expr value)
{
    const Tracer *tracer = e->tracer;
    ExprSubst *subst = expr_subst_new(e->pool);
    for (size_t i = 0; i < tracer->places.count; i++) {
        const ModelPlace *place = &tracer->places.at[i];
        if (place->kind != PLACE_POINT)
            continue;
        Vec parts = vector_in(e->model->vectors, place->position, (Frame){0});
        Vec shift = vector_in(e->model->vectors, tracer->shifts.at[i], (Frame){0});
        expr_subst_set(subst, shift.x, parts.x);
        expr_subst_set(subst, shift.y, parts.y);
        expr_subst_set(subst, shift.z, parts.z);
    }
    Expr placed = expr_subst(subst, value);
    expr_subst_free(subst);
    return placed;
}

void velocities_keep(Elaborator *e, Expr apart, ModelConstraint *constraint)
{
    const Tracer *tracer = e->tracer;
    size_t count = tracer->places.count;
    if (constraint->kind != CONSTRAINT_LINEAR || count == 0)
        return;
    constraint->by_velocities = with_positions(e, apart);
    constraint->velocities = arena_alloc(e->arena, count * sizeof *constraint->velocities);
    constraint->velocity_count = count;
    for (size_t i = 0; i < count; i++) {
        const ModelPlace *place = &tracer->places.at[i];
        ModelVelocity *velocity = &constraint->velocities[i];
        *velocity = (ModelVelocity){.spins = place->kind == PLACE_FRAME,
                                    .position = place->position,
                                    .frame = place->frame};
        Vec rates = vector_in(e->model->vectors,
                              vector_rate(e->model->vectors, tracer->shifts.at[i]), (Frame){0});
        memcpy(velocity->rates, &rates, sizeof velocity->rates);
    }
}

void tracer_begin(Elaborator *e, bool apart)
{
    e->tracer = base_alloc(sizeof *e->tracer);
    e->tracer->apart = apart;
}

void tracer_end(Elaborator *e)
{
    array_clear(&e->tracer->places);
    array_clear(&e->tracer->shifts);
    base_free(e->tracer);
    e->tracer = NULL;
}
