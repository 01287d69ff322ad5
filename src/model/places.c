// places.c: where a condition takes hold: at which points, on which bodies, on which frames.
//
// A condition is read a second time, with every point that it names moved by a small arbitrary
// displacement, every frame turned by a small arbitrary rotation, and every particle of a body at
// a point given an arbitrary velocity. What the condition changes by is its derivative by these:
// its virtual work is Σ along·δ, so that λ·along is the reaction there (theory page, 1).
#include "model/model_impl.h"

struct Tracer {
    ARRAY(ModelPlace) places;
    ARRAY(Expr) shifts; // three a place, along world's axes
    ARRAY(Expr) rates;  // their derivatives
    bool apart;         // points are not moved, but are the shifts, and frames turn by the rates
};

static Expr symbol_with_rate(Elaborator *e, Expr *rate)
{
    Expr shift = expr_symbol_new(e->pool, "shift");
    *rate = expr_symbol_new(e->pool, "shift'");
    expr_rates_set(e->model->dt, shift, *rate);
    expr_rates_set(e->model->dt, *rate, expr_int(e->pool, 0));
    return shift;
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
    for (int axis = 0; axis < 3; axis++) {
        Expr rate, shift = symbol_with_rate(e, &rate);
        array_push(&tracer->shifts, shift);
        array_push(&tracer->rates, rate);
    }
    array_push(&tracer->places, place);
    return tracer->places.count - 1;
}

static Vector world_vector(Elaborator *e, const Expr *parts)
{
    return vector_of(e->model->vectors, (Frame){0}, (Vec){parts[0], parts[1], parts[2]});
}

Vector trace_point(Elaborator *e, Vector position, const char *name)
{
    ModelPlace place = {.kind = PLACE_POINT, .name = name, .position = position};
    size_t at = find_place(e, place);
    Vector shift = world_vector(e, e->tracer->shifts.at + 3 * at);
    return e->tracer->apart ? shift : vector_add(e->model->vectors, position, shift);
}

static Expr without_traces(Elaborator *e, Expr value)
{
    const Tracer *tracer = e->tracer;
    ExprSubst *subst = expr_subst_new(e->pool);
    for (size_t i = 0; i < tracer->shifts.count; i++) {
        expr_subst_set(subst, tracer->shifts.at[i], expr_int(e->pool, 0));
        expr_subst_set(subst, tracer->rates.at[i], expr_int(e->pool, 0));
    }
    Expr plain = expr_subst(subst, value);
    expr_subst_free(subst);
    return plain;
}

// A vector as it was before anything was moved.
static Vector plain_vector(Elaborator *e, Vector v)
{
    Frame home = vector_home(e->model->vectors, v);
    Vec parts = vector_in(e->model->vectors, v, home);
    parts =
        (Vec){without_traces(e, parts.x), without_traces(e, parts.y), without_traces(e, parts.z)};
    return vector_of(e->model->vectors, home, parts);
}

static size_t frame_place(Elaborator *e, Frame frame);

// v of the centre and ω × the arm, both as symbols.
static Vector particle_apart(Elaborator *e, Vector position, const ModelBody *body)
{
    Vectors *vectors = e->model->vectors;
    ModelPlace centre = {.kind = PLACE_POINT, .name = body->name, .position = body->position};
    size_t at = find_place(e, centre), turned = frame_place(e, body->frame);
    Vector spin = world_vector(e, e->tracer->rates.at + 3 * turned);
    Vector arm = vector_sub(vectors, position, body->position);
    return vector_add(vectors, world_vector(e, e->tracer->rates.at + 3 * at),
                      vector_cross(vectors, spin, arm));
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
    size_t at = find_place(e, place);
    return vector_add(e->model->vectors, velocity, world_vector(e, e->tracer->rates.at + 3 * at));
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
    size_t at = frame_place(e, frame);
    Vector spin = world_vector(e, e->tracer->rates.at + 3 * at);
    return e->tracer->apart ? spin : vector_add(e->model->vectors, omega, spin);
}

Vector trace_carried(Elaborator *e, Vector vector, Frame frame)
{
    if (frame.at == 0 || e->tracer->apart)
        return vector;
    size_t at = frame_place(e, frame);
    Vector turn = world_vector(e, e->tracer->shifts.at + 3 * at);
    return vector_add(e->model->vectors, vector, vector_cross(e->model->vectors, turn, vector));
}

// ---- From a traced residual to places.

void places_keep(Elaborator *e, Expr traced, ModelConstraint *constraint)
{
    const Tracer *tracer = e->tracer;
    size_t count = tracer->places.count;
    if (count == 0)
        return;
    // A condition on velocities that holds by itself holds none to the eye, but its places move.
    bool finite =
        (constraint->kind == CONSTRAINT_FINITE || constraint->kind == CONSTRAINT_ONE_SIDED) &&
        !expr_holds_any(e->pool, traced, tracer->rates.at, tracer->rates.count);
    Expr *along = base_alloc(3 * count * sizeof *along);
    expr_gradient(e->pool, traced, finite ? tracer->shifts.at : tracer->rates.at, 3 * count, along);
    constraint->places = arena_alloc(e->arena, count * sizeof *constraint->places);
    constraint->place_count = count;
    for (size_t i = 0; i < count; i++) {
        ModelPlace *place = &constraint->places[i];
        *place = tracer->places.at[i];
        place->along = (Vec){without_traces(e, along[3 * i]), without_traces(e, along[3 * i + 1]),
                             without_traces(e, along[3 * i + 2])};
    }
    base_free(along);
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
        expr_subst_set(subst, tracer->shifts.at[3 * i], parts.x);
        expr_subst_set(subst, tracer->shifts.at[3 * i + 1], parts.y);
        expr_subst_set(subst, tracer->shifts.at[3 * i + 2], parts.z);
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
        for (int axis = 0; axis < 3; axis++)
            velocity->rates[axis] = tracer->rates.at[3 * i + (size_t)axis];
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
    array_clear(&e->tracer->rates);
    base_free(e->tracer);
    e->tracer = NULL;
}
