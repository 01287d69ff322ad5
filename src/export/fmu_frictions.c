// fmu_frictions.c: a bound that is a sum over reactions, as an FMU has it: a friction for each of
// its terms, NAME, NAME.2, …, all along one velocity. They slide together, and hold together up to
// the sum, which is the force under the first name.
#include "base/diag.h"
#include "base/text_builder.h"
#include "export/fmu_impl.h"
#include "model/friction.h"
#include "motion/frictions.h"

#include <string.h>

static Expr make_symbol(const Motion *motion, const char *prefix, const char *name, size_t row)
{
    Text text = {0};
    text_addf(&text, "%s%s", prefix, name);
    if (row > 0)
        text_addf(&text, ".%zu", row);
    Expr symbol = expr_symbol(motion->pool, text.at);
    text_clear(&text);
    return symbol;
}

// The friction under another name, with multipliers of its own.
static void name_piece(const Motion *motion, MotionFriction *piece, size_t number)
{
    ModelFriction *friction = arena_array(motion->arena, ModelFriction, 1);
    MotionRow *sticks = arena_array(motion->arena, MotionRow, piece->rows);
    Text text = {0};
    *friction = *piece->friction;
    text_addf(&text, "%s.%zu", friction->name, number);
    friction->name = arena_copy_text(motion->arena, text.at, text.length);
    text_clear(&text);
    friction->slip = make_symbol(motion, "slip.", friction->name, 0);
    friction->normal = make_symbol(motion, "normal.", friction->name, 0);
    for (size_t k = 0; k < piece->rows; k++) {
        ModelConstraint *row = arena_array(motion->arena, ModelConstraint, 1);
        *row = *piece->sticks[k].constraint;
        row->name = friction->name;
        row->lambda = make_symbol(motion, "friction.", friction->name, k + 1);
        sticks[k] = piece->sticks[k];
        sticks[k].constraint = row;
    }
    piece->friction = friction;
    piece->sticks = sticks;
}

// The given part of a bound, or one of its terms.
static MotionFriction make_piece(const MotionFriction *whole, const FrictionTerm *term)
{
    MotionFriction piece = *whole;
    piece.terms = NULL;
    piece.term_count = 0;
    if (!term)
        return piece;
    piece.constraint = term->by[0];
    piece.side = term->side;
    piece.bound = term->bound;
    piece.hold = term->hold;
    piece.also_count = term->count - 1;
    for (size_t i = 1; i < term->count; i++)
        piece.also[i - 1] = term->by[i];
    return piece;
}

void fmu_split_frictions(Motion *motion)
{
    size_t most = (FRICTION_TERMS + 1) * motion->friction_count, count = 0;
    MotionFriction *pieces = arena_array(motion->arena, MotionFriction, most + 1);
    for (size_t i = 0; i < motion->friction_count; i++) {
        const MotionFriction *whole = &motion->frictions[i];
        size_t first = count;
        if (whole->term_count == 0 || !expr_is_zero(motion->pool, whole->hold))
            pieces[count++] = make_piece(whole, NULL);
        for (size_t k = 0; k < whole->term_count; k++)
            pieces[count++] = make_piece(whole, &whole->terms[k]);
        for (size_t k = first + 1; k < count; k++)
            name_piece(motion, &pieces[k], k - first + 1);
    }
    motion->frictions = pieces;
    motion->friction_count = count;
}

Status fmu_check_frictions(const Motion *motion, Diag *diag)
{
    for (size_t i = 0; i < motion->friction_count; i++) {
        const MotionFriction *friction = &motion->frictions[i];
        if (motion_friction_is_massless(friction))
            return diag_error(diag, friction->friction->place,
                              "an FMU does not follow friction on what has no inertia; 'run' does");
        if (friction->rows > 2 || (friction->rows > 1 && friction->also_count > 0))
            return diag_error(diag, friction->friction->place,
                              "an FMU does not follow friction in three directions, or in two by "
                              "the length of several reactions");
    }
    return STATUS_OK;
}
