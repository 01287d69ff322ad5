// elimination_residual.c: the equations with accelerations that are guessed, for power series.
//
// Of every order of a series the accelerations and multipliers come last. So velocities, and
// accelerations with 0 of that order in their place, are found outwards, the forces that bodies
// then need are handed inwards along the definitions, and what is missing at each coordinate and in
// each condition is divided by the eliminated form of order 0. The form itself needs no series:
// products over all orders are those of the equations as they are defined.
#include "dynamics/elimination_impl.h"
#include "motion/motion_types.h"

#include <assert.h>

ProgramValue gauss_guess(Gauss *gauss, size_t i)
{
    return gauss->guesses ? gauss_lower(gauss, gauss->guesses[i]) : gauss->form.zero;
}

ProgramValue gauss_guessed(Gauss *gauss, const DefinitionTerm *terms, size_t count)
{
    Assembly *assembly = gauss->assembly;
    ProgramValue sum = gauss->form.zero;
    for (size_t i = 0; i < count && gauss->guesses; i++) {
        ProgramValue factor = gauss_lower(gauss, terms[i].factor);
        ProgramValue guess = gauss_guess(gauss, terms[i].coordinate);
        sum = assembly_add(assembly, sum, assembly_mul(assembly, factor, guess));
    }
    return sum;
}

// ---- Forces inwards.

static void hand_on_scalar(Gauss *gauss, const ScalarDefinition *scalar)
{
    ProgramValue bias = quadratic_bias(&gauss->form, scalar->x);
    for (size_t i = scalar->first; i < scalar->first + scalar->count; i++) {
        const GaussTerm *term = &gauss->terms.at[i];
        quadratic_add_bias(&gauss->form, term->unknown,
                           assembly_mul(gauss->assembly, term->value, bias));
    }
}

static void hand_on_turned(Gauss *gauss, const GaussItem *item)
{
    Assembly *assembly = gauss->assembly;
    size_t room = gauss_turned_room(gauss, item);
    uint32_t *own = base_alloc(2 * room * sizeof *own), *above = own + room;
    size_t count = gauss_turned(gauss, item, own, above);
    const GaussFrame *frame = gauss_turning_frame(gauss, item);
    for (size_t i = 0; i < 2 * count; i += 2) {
        ProgramValue a = quadratic_bias(&gauss->form, own[i]),
                     b = quadratic_bias(&gauss->form, own[i + 1]);
        quadratic_add_bias(&gauss->form, above[i],
                           assembly_sub(assembly, assembly_mul(assembly, frame->cosine, a),
                                        assembly_mul(assembly, frame->sine, b)));
        quadratic_add_bias(&gauss->form, above[i + 1],
                           assembly_add(assembly, assembly_mul(assembly, frame->sine, a),
                                        assembly_mul(assembly, frame->cosine, b)));
    }
    base_free(own);
}

static void hand_on_all(Gauss *gauss)
{
    for (size_t i = gauss->items.count; i-- > 0;) {
        const GaussItem *item = &gauss->items.at[i];
        for (size_t j = 0; j < item->scalar_count; j++)
            hand_on_scalar(gauss, &gauss->scalars.at[item->scalars + j]);
        if (item->kind != ITEM_POINT)
            hand_on_turned(gauss, item);
    }
}

// ---- Order 0.

static void hold_turns(Gauss *gauss)
{
    for (size_t i = 0; i < gauss->definitions->frame_count; i++) {
        GaussFrame *frame = &gauss->frames[i];
        if (!frame->used || frame->axis < 0 || i == 0)
            continue;
        frame->cosine = assembly_hold(gauss->assembly, frame->cosine);
        frame->sine = assembly_hold(gauss->assembly, frame->sine);
    }
}

void gauss_settle(Gauss *gauss)
{
    size_t n = gauss->definitions->motion->n, m = gauss->definitions->motion->m;
    ProgramValue *missing = arena_array(gauss->arena, ProgramValue, n + m + 1);
    assert(gauss->guesses && !gauss->at_rest);
    hand_on_all(gauss);
    for (size_t i = 0; i < n + m; i++)
        missing[i] =
            assembly_miss(gauss->assembly, quadratic_bias(&gauss->form, gauss->coordinates[i]));
    quadratic_hold(&gauss->form);
    for (size_t i = 0; i < n + m; i++)
        quadratic_add_bias(&gauss->form, gauss->coordinates[i], missing[i]);
    for (size_t i = 0; i < gauss->terms.count; i++)
        gauss->terms.at[i].value = assembly_hold(gauss->assembly, gauss->terms.at[i].value);
    hold_turns(gauss);
}
