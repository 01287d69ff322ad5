// steady_numbers.c: a steady motion and its neighbours as numbers in a result.
#include "api/numbers_impl.h"
#include "api/result_impl.h"

#include <string.h>

static const char *const *copy_names(const char *const *names, size_t count, zw_result *result)
{
    const char **copy = arena_array(result->arena, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        copy[i] = result_copy(result, names[i]);
    return copy;
}

static void put_curve(const InquiryCurve *curve, zw_result *result, zw_steady_motion *told)
{
    size_t count = told->point_count = curve->count, critical = curve->critical_count;
    size_t *growing = arena_array(result->arena, size_t, count + 1);
    double *at = arena_array(result->arena, double, 2 * critical + 1);
    zw_crossing *crossings = arena_array(result->arena, zw_crossing, critical + 1);
    if (count)
        memcpy(growing, curve->growing, count * sizeof *growing);
    for (size_t i = 0; i < critical; i++) {
        at[i] = curve->critical[i].value;
        at[critical + i] = curve->critical[i].frequency;
        crossings[i] = (zw_crossing)curve->critical[i].kind;
    }
    told->values = result_numbers(result, curve->values, count);
    told->curve_re = result_numbers(result, curve->re, count * curve->size);
    told->curve_im = result_numbers(result, curve->im, count * curve->size);
    told->growing = growing;
    told->critical_count = critical;
    told->critical_values = at;
    told->critical_frequencies = at + critical;
    told->crossings = crossings;
}

void result_put_steady(const InquiryLinear *linear, const InquiryCurve *curve, zw_result *result)
{
    size_t size = linear->size, k = linear->speeds;
    zw_steady_motion *told = arena_alloc(result->arena, sizeof *told);
    *told = (zw_steady_motion){.verdict = (zw_verdict)linear->verdict,
                               .reason = result_copy(result, linear->reason),
                               .coordinate_count = linear->coordinates,
                               .speed_count = k,
                               .size = size,
                               .names = copy_names(linear->variables, size, result),
                               .state = result_numbers(result, linear->state, size),
                               .input_count = linear->inputs,
                               .inputs = copy_names(linear->input_names, linear->inputs, result),
                               .A = result_numbers(result, linear->A, size * size),
                               .B = result_numbers(result, linear->B_state, size * linear->inputs),
                               .M = result_numbers(result, linear->M, k * k),
                               .C = result_numbers(result, linear->C, k * k),
                               .K = result_numbers(result, linear->K, k * linear->coordinates),
                               .F = result_numbers(result, linear->B, k * linear->inputs),
                               .re = result_numbers(result, linear->re, size),
                               .im = result_numbers(result, linear->im, size),
                               .mode_re = result_numbers(result, linear->mode_re, size * size),
                               .mode_im = result_numbers(result, linear->mode_im, size * size),
                               .family = linear->family};
    if (curve)
        put_curve(curve, result, told);
    result->stability = told;
}
