// vector_steps.c: vectors as lines of a step: a component along each axis of a frame that has a
// name, J_{hoop,lean.x}.
#include "forms/steps_impl.h"
#include "model/vectors.h"
#include "motion/spin.h"

// The frame itself where it has a name, else the next one above that has.
static Frame named_frame(const Vectors *vectors, Frame frame)
{
    while (!frame_name(vectors, frame))
        frame = frame_parent(vectors, frame);
    return frame;
}

typedef struct {
    Form *form;
    Motion *motion;
    bool in_speeds, partials;
} Writer;

// The component, or its derivatives by the speeds that do not vanish.
static void write_component(const Writer *writer, const char *name, Expr value)
{
    Motion *motion = writer->motion;
    if (writer->in_speeds)
        value = motion_in_speeds(motion, value);
    if (!writer->partials) {
        form_add_line(writer->form, (FormLine){.of = name, .value = value});
        return;
    }
    for (size_t alpha = 0; alpha < motion->k; alpha++) {
        const MotionSpeed *speed = &motion->state.speeds[alpha];
        Expr partial = expr_diff(motion->pool, value, speed->u);
        if (!expr_is_zero(motion->pool, partial))
            form_add_line(writer->form,
                          (FormLine){.of = name, .by = speed->name, .value = partial});
    }
}

static void write_vector(const Writer *writer, const char *letter, const char *owner, Vector v,
                         Frame frame)
{
    Vectors *vectors = writer->motion->model->vectors;
    Vec components = vector_in(vectors, v, frame);
    const Expr parts[] = {components.x, components.y, components.z};
    for (int axis = 0; axis < 3; axis++) {
        Text name = {0};
        text_addf(&name, "%s_{%s,%s.%c}", letter, owner, frame_name(vectors, frame), "xyz"[axis]);
        write_component(writer, name.at, parts[axis]);
        text_clear(&name);
    }
}

// The velocity or the acceleration of a mass, both along the same axes.
static void write_mass(const Writer *writer, FormVector what, const char *owner, Vector position)
{
    Vectors *vectors = writer->motion->model->vectors;
    Vector velocity = vector_rate(vectors, position);
    Vector acceleration = vector_rate(vectors, velocity);
    Frame frame =
        frame_join(vectors, vector_home(vectors, velocity), vector_home(vectors, acceleration));
    frame = named_frame(vectors, frame);
    if (what == VECTOR_VELOCITY)
        write_vector(writer, "v", owner, velocity, frame);
    else
        write_vector(writer, "J", owner, acceleration, frame);
}

static void write_spin(const Writer *writer, FormVector what, const ModelBody *body)
{
    Vectors *vectors = writer->motion->model->vectors;
    Frame frame = named_frame(vectors, body->inertia_frame);
    Vector omega = frame_omega(vectors, body->frame);
    if (what == VECTOR_SPIN) {
        write_vector(writer, "omega", body->name, omega, frame);
    } else if (what == VECTOR_SPIN_RATE) {
        write_vector(writer, "alpha", body->name, vector_rate(vectors, omega), frame);
    } else {
        Vec unused, couple;
        motion_spin(writer->motion, body, &unused, &couple);
        write_vector(writer, "M", body->name, vector_of(vectors, body->inertia_frame, couple),
                     frame);
    }
}

static bool is_of_masses(FormVector what)
{
    return what == VECTOR_VELOCITY || what == VECTOR_ACCELERATION;
}

void lines_of_vectors(Form *form, Motion *motion, FormVector what, bool in_speeds, bool partials)
{
    const Model *model = motion->model;
    Writer writer = {form, motion, in_speeds, partials};
    for (size_t i = 0; i < model->masses.count && is_of_masses(what); i++) {
        Text number = {0};
        text_addf(&number, "%zu", i + 1);
        write_mass(&writer, what, number.at, model->masses.at[i].position);
        text_clear(&number);
    }
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        if (is_of_masses(what) && !expr_is_zero(model->pool, body->mass))
            write_mass(&writer, what, body->name, body->position);
        if (!is_of_masses(what) && body->has_inertia)
            write_spin(&writer, what, body);
    }
}

bool has_vectors(const Model *model, bool spins)
{
    for (size_t i = 0; i < model->bodies.count; i++)
        if (spins ? model->bodies.at[i].has_inertia
                  : !expr_is_zero(model->pool, model->bodies.at[i].mass))
            return true;
    return !spins && model->masses.count > 0;
}
