// free_spin.c: zero eigenvalues that are a free spin.
//
// A ball at rest in a bowl may turn about the vertical. Its turning changes the angles, so that in
// angular rates the neighbouring motion is not steady, and a zero eigenvalue is left that no family
// explains. With the angular velocities of the bodies for speeds, along the axes of the world or of
// the body, the equations do not need the angles, and the spin belongs to the family.
#include "api/outputs_impl.h"
#include "model/vectors.h"

#include <assert.h>
#include <math.h>

// ω of every body with inertia, as speeds behind those of the model.
static void add_spins(Model *model, bool in_world)
{
    for (size_t i = 0; i < model->bodies.count; i++) {
        const ModelBody *body = &model->bodies.at[i];
        if (!body->has_inertia)
            continue;
        Vec omega = vector_in(model->vectors, frame_omega(model->vectors, body->frame),
                              in_world ? (Frame){0} : body->frame);
        const Expr parts[] = {omega.x, omega.y, omega.z};
        for (size_t axis = 0; axis < 3; axis++) {
            ModelSpeed speed = {.name = "spin", .value = parts[axis], .place = body->place};
            speed.u = expr_symbol_new(model->pool, "spin");
            speed.rate = expr_symbol_new(model->pool, "spin'");
            if (!expr_is_zero(model->pool, parts[axis]))
                array_push(&model->speeds, speed);
        }
    }
}

static size_t nonzero(const InquiryLinear *linear)
{
    size_t count = 0;
    for (size_t i = 0; i < linear->size; i++)
        count += linear->re[i] != 0 || linear->im[i] != 0;
    return count;
}

// Whether both have the same eigenvalues but for zeros: it is the same motion.
static bool same_eigenvalues(const InquiryLinear *one, const InquiryLinear *other)
{
    const double near = 1e-6;
    if (nonzero(one) != nonzero(other))
        return false;
    for (size_t i = 0; i < one->size; i++) {
        bool found = one->re[i] == 0 && one->im[i] == 0;
        for (size_t j = 0; j < other->size && !found; j++)
            found = hypot(one->re[i] - other->re[j], one->im[i] - other->im[j]) <=
                    near * hypot(one->re[i], one->im[i]);
        if (!found)
            return false;
    }
    return true;
}

// Asks again with these speeds. True where the zeros belong to the family then.
static bool ask_again(const Motion *motion, const InquirySmallOptions *options,
                      InquiryLinear *linear)
{
    Diag *unheard = diag_new();
    Motion *again = NULL;
    InquirySmall *small = NULL;
    InquiryLinear other;
    InquirySmallOptions wanted = {.held = options->held, .position = options->position};
    bool decided = motion_new(motion->model, unheard, &again) == STATUS_OK &&
                   inquiry_small_new(again, &wanted, unheard, &small) == STATUS_OK &&
                   inquiry_small_find(small, unheard, &other) == STATUS_OK &&
                   other.verdict != INQUIRY_UNDECIDED && same_eigenvalues(linear, &other);
    if (decided) {
        linear->verdict = other.verdict;
        linear->free_spin = true;
        linear->reason = "what is 0 outside the family is a free spin: with the angular velocities "
                         "of the bodies for speeds all zeros belong to the family of steady "
                         "motions, and no other mode grows";
    }
    inquiry_small_free(small);
    motion_free(again);
    diag_free(unheard);
    return decided;
}

void api_find_free_spin(const Motion *motion, const InquirySmallOptions *options,
                        InquiryLinear *linear)
{
    assert(motion && options && linear);
    Model *model = (Model *)motion->model;
    size_t own = model->speeds.count;
    bool decided = linear->verdict != INQUIRY_UNDECIDED;
    for (int in_world = 1; in_world >= 0 && !decided; in_world--) {
        add_spins(model, in_world);
        decided = model->speeds.count == own || ask_again(motion, options, linear);
        model->speeds.count = own;
    }
}
