// condition_kind.c: of which kind a single condition is, in words.
#include "show/conditions_impl.h"

const char *show_condition_kind(const Motion *motion, const ModelConstraint *constraint)
{
    for (size_t i = 0; i < motion->aside.count; i++)
        if (motion->aside.at[i].constraint == constraint)
            return motion->aside.at[i].identity ? "set aside: it holds by itself"
                                                : "set aside: it follows from the ones before it";
    for (size_t i = 0; i < motion->second_count; i++)
        if (motion->seconds[i].row.constraint == constraint)
            return motion->seconds[i].affine ? "second class, affine in the accelerations"
                                             : "second class, not affine in the accelerations";
    if (constraint->kind == CONSTRAINT_ONE_SIDED) {
        for (size_t i = 0; i < motion->m; i++)
            if (motion->rows[i].constraint == constraint)
                return "one-sided; it acts here";
        return "one-sided; it does not act here";
    }
    if (constraint->hidden)
        return constraint->keeps == CONSTRAINT_FINITE
                   ? "finite, hidden in the equations of motion, no reaction"
               : constraint->keeps == CONSTRAINT_NONLINEAR
                   ? "not linear in the velocities, hidden in the equations of motion, no reaction"
                   : "linear in the velocities, hidden in the equations of motion, no reaction";
    bool servo = constraint->kind == CONSTRAINT_SERVO;
    switch (constraint->keeps) {
    case CONSTRAINT_FINITE: return servo ? "finite, kept by a servo" : "finite";
    case CONSTRAINT_NONLINEAR:
        return servo ? "not linear in the velocities, kept by a servo"
                     : "not linear in the velocities";
    default:
        return servo ? "linear in the velocities, kept by a servo" : "linear in the velocities";
    }
}
