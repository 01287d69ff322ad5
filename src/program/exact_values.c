// exact_values.c: what a program gives at doubles, to their last digit, also where terms cancel.
#include "program/balls.h"
#include "program/program_impl.h"

#include <float.h>
#include <math.h>

// The first precision, which most values need, and the last.
enum { FIRST = 128, LAST = 1024 };

void program_run_exactly(const Program *program, const double *inputs, double *outputs)
{
    slong input_count = (slong)program->input_count, count = (slong)program->output_count;
    arb_ptr points = _arb_vec_init(input_count + 1), values = _arb_vec_init(count + 1);
    for (slong i = 0; i < input_count; i++)
        arb_set_d(points + i, inputs[i]);
    bool known = false;
    for (slong precision = FIRST; !known && precision <= LAST; precision *= 2) {
        program_run_ball(program, precision, points, values);
        known = true;
        for (slong i = 0; i < count; i++)
            known = known && (arb_rel_accuracy_bits(values + i) >= DBL_MANT_DIG ||
                              arb_is_zero(values + i) || !arb_is_finite(values + i));
    }
    for (slong i = 0; i < count; i++) {
        bool sure = arb_rel_accuracy_bits(values + i) >= DBL_MANT_DIG || arb_is_zero(values + i);
        outputs[i] = sure ? arf_get_d(arb_midref(values + i), ARF_RND_NEAR) : NAN;
    }
    _arb_vec_clear(points, input_count + 1);
    _arb_vec_clear(values, count + 1);
}
