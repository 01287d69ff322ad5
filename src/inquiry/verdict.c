// verdict.c: a steady motion, what happens near it, and what that means.
//
// The zeros that belong to the family do not make the motion unstable: a deviation along them leads
// to a neighbouring steady motion (Hamel 244). Of the others: one with a positive real part makes
// it unstable; where all real parts are negative it is asymptotically stable (towards the family,
// by Malkin's theorem); where some vanish, the first approximation does not decide. Whether a real
// part vanishes is seen from many digits, not from doubles.
#include "inquiry/small_impl.h"

#include <math.h>
#include <string.h>

enum {
    MOST_PRECISE = 128, // variables: beyond these, eigenvalues are LAPACK's alone
    ZERO_BITS = 40,     // what many digits leave of an eigenvalue that is 0, beside the largest
    MOST_NAMED = 8      // rates that a message names
};
// In doubles, against the largest eigenvalue.
#define NOTHING 1e-9

static const struct {
    const char *name, *words;
} verdicts[] = {
#define VERDICT(NAME, word, words) {word, words},
#include "inquiry/verdicts.def"
#undef VERDICT
};

const char *inquiry_verdict_name(InquiryVerdict verdict)
{
    return verdicts[verdict].name;
}

const char *inquiry_verdict_words(InquiryVerdict verdict)
{
    return verdicts[verdict].words;
}

// ---- Eigenvalues.

static double largest_of(const double *re, const double *im, size_t size)
{
    double largest = 0;
    for (size_t i = 0; i < size; i++)
        largest = fmax(largest, hypot(re[i], im[i]));
    return largest;
}

// Puts the `count` least eigenvalues first, as exact zeros: those of the family, and of the others
// the ones that are small, since the balls of the coefficients of large matrices hold 0 too easily.
static void zeros_first(double *re, double *im, size_t size, size_t family, size_t count)
{
    double limit = ldexp(largest_of(re, im, size), -ZERO_BITS);
    for (size_t i = 0; i < count; i++) {
        size_t least = i;
        for (size_t j = i; j < size; j++)
            if (hypot(re[j], im[j]) < hypot(re[least], im[least]))
                least = j;
        if (i >= family && hypot(re[least], im[least]) > limit)
            return;
        re[least] = re[i];
        im[least] = im[i];
        re[i] = im[i] = 0;
    }
}

// How many of the lowest coefficients vanish.
static size_t vanishing(const AlgebraMatrix *p, size_t degree)
{
    size_t count = 0;
    while (count < degree) {
        AlgebraMatrix *rest = algebra_matrix_new(degree - count + 1, 1);
        for (size_t i = count; i <= degree; i++)
            algebra_matrix_copy(rest, i - count, 0, p, i, 0);
        double value = hurwitz_value(HURWITZ_CONSTANT, rest, degree - count);
        algebra_matrix_free(rest);
        if (value != 0)
            break;
        count++;
    }
    return count;
}

bool small_precise_eigen(InquirySmall *small, const double *y, double varied, double *re,
                         double *im)
{
    if (small->size > MOST_PRECISE)
        return false;
    AlgebraMatrix *A = small_precise(small, y, varied, false);
    if (!A)
        return false;
    AlgebraMatrix *essential = small_essential(small, A);
    size_t zeros = small->family + vanishing(essential, small->size - small->family);
    bool good = algebra_matrix_eigenvalues(A, re, im);
    algebra_matrix_free(essential);
    algebra_matrix_free(A);
    if (!good)
        return false;
    zeros_first(re, im, small->size, small->family, zeros);
    small_sort(re + small->family, im + small->family, small->size - small->family);
    return true;
}

SmallCount small_count(const double *re, const double *im, size_t size, size_t family)
{
    SmallCount count = {0};
    for (size_t i = family; i < size; i++) {
        if (re[i] > 0)
            count.growing++;
        else if (re[i] == 0 && im[i] == 0)
            count.zeros++;
        else if (re[i] == 0)
            count.neutral++;
    }
    return count;
}

// Doubles do not tell a vanishing part from a small one: below the limit it counts as 0.
static void clean(double *re, double *im, size_t size)
{
    double limit = NOTHING * largest_of(re, im, size);
    for (size_t i = 0; i < size; i++) {
        re[i] = fabs(re[i]) <= limit ? 0 : re[i];
        im[i] = fabs(im[i]) <= limit ? 0 : im[i];
    }
}

// Whether imaginary eigenvalues coincide and have fewer modes than they are: the modes of equal
// eigenvalues are then the same.
static bool lacks_modes(const InquiryLinear *linear)
{
    size_t size = linear->size;
    double limit = 1e-7 * largest_of(linear->re, linear->im, size);
    for (size_t i = linear->family; i < size; i++) {
        if (linear->re[i] != 0 || linear->im[i] <= 0)
            continue;
        size_t equal = 0;
        for (size_t j = linear->family; j < size; j++)
            equal += linear->re[j] == 0 && fabs(linear->im[j] - linear->im[i]) <= limit;
        if (equal > 1 && small_mode_count(linear->A, size, linear->im[i]) < equal)
            return true;
    }
    return false;
}

// `many_digits`: whether the eigenvalues were found with many, so that vanishing parts are seen.
static void judge(InquirySmall *small, bool many_digits, InquiryLinear *linear)
{
    size_t size = linear->size, family = linear->family, essential = size - family;
    SmallCount count = small_count(linear->re, linear->im, size, family);
    Text reason = {0};
    double first = essential > 0 ? linear->re[family] : 0;
    for (size_t i = family; i < size; i++)
        first = fmax(first, linear->re[i]);
    linear->verdict = INQUIRY_UNDECIDED;
    if (count.growing > 0) {
        linear->verdict = INQUIRY_UNSTABLE;
        text_addf(&reason, "%zu of its modes grow%s, the fastest as exp(%.6g t)", count.growing,
                  count.growing == 1 ? "s" : "", first);
    } else if (!many_digits && count.zeros + count.neutral > 0) {
        text_addf(&reason,
                  "%zu of its %zu eigenvalues outside the family are too near to the imaginary "
                  "axis for doubles to tell their side, and more digits were not had",
                  count.zeros + count.neutral, essential);
    } else if (count.zeros > 0) {
        text_addf(&reason,
                  "%zu zero eigenvalue%s not belong to the family of steady motions, and terms of "
                  "higher degree decide",
                  count.zeros, count.zeros == 1 ? " does" : "s do");
    } else if (count.neutral > 0 && lacks_modes(linear)) {
        text_add(&reason,
                 "imaginary eigenvalues coincide and share a mode, so that deviations grow "
                 "with the time in the first approximation, and terms of higher degree "
                 "decide");
    } else if (count.neutral > 0) {
        linear->verdict = INQUIRY_STABLE_FIRST_ORDER;
        text_addf(&reason,
                  "%zu eigenvalues are imaginary: oscillations that neither grow nor "
                  "decay%s",
                  count.neutral, count.neutral < essential ? ", while the other modes decay" : "");
    } else if (essential == 0) {
        linear->verdict = INQUIRY_STABLE_FIRST_ORDER;
        text_add(&reason, "every motion near by is steady too");
    } else {
        linear->verdict = INQUIRY_ASYMPTOTICALLY_STABLE;
        text_addf(&reason, "all modes%s decay, the slowest as exp(%.6g t)",
                  family > 0 ? " outside the family of steady motions" : "", first);
    }
    linear->reason = arena_copy_text(small->arena, reason.at, reason.length);
    text_clear(&reason);
}

// ---- Where there is none.

static void add_rate(const char *name, double value, double limit, size_t *count, Text *out)
{
    if (fabs(value) <= limit)
        return;
    if (++*count > MOST_NAMED)
        return;
    text_addf(out, "%s%s = %.6g", *count > 1 ? ", " : "", name, value);
}

// How far y is from being steady.
static Status not_steady(InquirySmall *small, const double *y, Diag *diag)
{
    const Motion *motion = small->motion;
    size_t k = small->k, count = 0;
    small_run(&small->program, y, small->base, small->unknowns);
    const double *out = small->program.out, *rates = out + small->f, *force = rates + small->e;
    double *matrix = base_alloc((k * k + 1) * sizeof *matrix);
    double *right = base_alloc((k + 1) * sizeof *right), largest = 0;
    memcpy(matrix, out + small_matrix_at(small), k * k * sizeof *matrix);
    memcpy(right, force, k * sizeof *right);
    bool finite = true;
    for (size_t i = 0; i < small_matrix_at(small) + k * k; i++)
        finite = finite && isfinite(out[i]);
    if (finite)
        small_least(matrix, right, k, k);
    Text text = {0};
    for (size_t i = 0; i < small->e; i++)
        largest = fmax(largest, fabs(rates[i]));
    for (size_t i = 0; i < k; i++)
        largest = fmax(largest, fabs(right[i]));
    for (size_t i = 0; i < small->f && finite; i++)
        largest = fmax(largest, fabs(out[i]));
    for (size_t i = 0; i < small->e && finite; i++)
        add_rate(expr_name(motion->pool, motion->v[small->needed[i]]), rates[i], 1e-9 * largest,
                 &count, &text);
    for (size_t i = 0; i < k && finite; i++)
        add_rate(expr_name(motion->pool, motion->state.speeds[i].rate), right[i], 1e-9 * largest,
                 &count, &text);
    if (!finite)
        diag_error(diag, place_hint(HINT_AT),
                   "the equations have no values near the start; hold other values, or give "
                   "another start");
    else
        diag_error(diag, place_hint(HINT_AT),
                   "no steady motion was found%s: the nearest state that was reached still has %s; "
                   "hold fewer values, or give a nearer start",
                   small->held_count > 0 ? " with the values that are held" : " from the start",
                   count > 0 ? text.at : "conditions that are not met");
    base_free(matrix);
    base_free(right);
    text_clear(&text);
    return STATUS_WRONG;
}

// ---- Where there are no derivatives.

// An error where a function that the equations hold switches at the state.
static Status check_switches(InquirySmall *small, Diag *diag)
{
    ExprPool *pool = small->motion->pool;
    ExprList nodes = expr_nodes(pool, small->force, small->k);
    Status status = STATUS_OK;
    for (size_t i = 0; i < nodes.count && status == STATUS_OK; i++) {
        Expr node = {nodes.at[i]}, by = expr_switch_argument(pool, node);
        SmallProgram program = {0};
        if (!expr_is_none(by) && small_make_values(small, &by, 1, &program)) {
            small_run(&program, small->state, small->base, small->unknowns);
            if (fabs(program.out[0]) <= 1e-12)
                status = diag_error(diag, place_none(),
                                    "the equations have no linear approximation at this motion: "
                                    "'%s' switches there; where it is friction, put a smooth "
                                    "function such as tanh in its place",
                                    expr_op_name(expr_op(pool, node)));
        }
        small_clear_program(&program);
    }
    expr_list_free(&nodes);
    return status;
}

// One-sided conditions that are no equations may only be there where they do not touch.
static Status check_sides(InquirySmall *small, const double *q, Diag *diag)
{
    const Motion *motion = small->motion;
    Status status = STATUS_OK;
    for (size_t i = 0; i < motion->side_count; i++) {
        Expr f = motion->sides[i].position;
        if (motion->held && motion->held[i])
            continue;
        for (size_t nu = 0; nu < motion->n; nu++)
            f = expr_replace(motion->pool, f, &motion->q[nu],
                             (Expr[]){expr_double(motion->pool, q[nu])}, 1);
        SmallProgram program = {0};
        bool known = small_make_values(small, &f, 1, &program);
        if (known)
            small_run(&program, small->state, small->base, small->unknowns);
        if (!known || !(program.out[0] < 0))
            status = diag_error(diag, motion->sides[i].constraint->place,
                                "the one-sided condition '%s' touches at this motion, and then "
                                "there is no linear approximation on both sides; write it with = "
                                "where it is to act all the time",
                                motion->sides[i].constraint->name);
        small_clear_program(&program);
    }
    return status;
}

// ---- Together.

static double *numbers(InquirySmall *small, size_t count)
{
    return arena_alloc(small->arena, (count + 1) * sizeof(double));
}

// The whole state, and what moves though nothing needs it.
static void tell_state(InquirySmall *small, InquiryLinear *linear)
{
    const Motion *motion = small->motion;
    size_t n = motion->n, e = small->e, free = e - small->f;
    double *q = numbers(small, n), *v = numbers(small, n), *state = numbers(small, small->size);
    const char **names = arena_alloc(small->arena, (small->size + 1) * sizeof *names);
    const char **moving = arena_alloc(small->arena, (n + 1) * sizeof *moving);
    Expr *velocities = base_alloc((n + 1) * sizeof *velocities);
    memcpy(q, small->options.position, n * sizeof *q);
    for (size_t i = 0; i < e; i++)
        q[small->needed[i]] = small->state[i];
    for (size_t nu = 0; nu < n; nu++)
        velocities[nu] = motion_in_speeds(small->motion, motion->v[nu]);
    SmallProgram program = {0};
    if (small_make_values(small, velocities, n, &program)) {
        small_run(&program, small->state, small->base, small->unknowns);
        memcpy(v, program.out, n * sizeof *v);
    }
    small_clear_program(&program);
    for (size_t nu = 0; nu < n; nu++)
        if (!small->is_needed[nu] && v[nu] != 0)
            moving[linear->moving_count++] = motion->model->coords.at[nu].name;
    for (size_t i = 0; i < small->size; i++) {
        size_t at = i < free ? small->independent[i] : i + small->f;
        state[i] = small->state[at];
        names[i] = i < free ? motion->model->coords.at[small->needed[at]].name
                            : motion->state.speeds[i - free].name;
    }
    base_free(velocities);
    linear->q = q;
    linear->v = v;
    linear->u = small->state + e;
    linear->state = state;
    linear->variables = names;
    linear->moving = moving;
}

static Status linearize(InquirySmall *small, InquiryLinear *linear, Diag *diag)
{
    size_t size = small->size, k = small->k, e = small->e, free = e - small->f;
    size_t inputs = small->input_count;
    double *A = numbers(small, size * size), *K = numbers(small, k * free);
    double *C = numbers(small, k * k), *M = numbers(small, k * k);
    double *B = numbers(small, k * inputs), *B_state = numbers(small, size * inputs);
    const char **names = arena_alloc(small->arena, (inputs + 1) * sizeof *names);
    small_run(&small->program, small->state, small->base, small->unknowns);
    const double *out = small->program.out, *J = out + small_jacobian_at(small);
    if (!small_choose(small) || !small_reduce(small, out, A, K, B_state))
        return diag_error(diag, place_none(),
                          "the linearized equations are singular at this motion: its coordinates "
                          "or conditions do not determine the neighbouring ones; describe it by "
                          "other coordinates");
    memcpy(M, out + small_matrix_at(small), k * k * sizeof *M);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            C[i * k + j] = -J[(small->f + e + i) * small->unknowns + e + j];
    memcpy(B, out + small_inputs_at(small) + e * inputs, k * inputs * sizeof *B);
    for (size_t i = 0; i < inputs; i++)
        names[i] = small->motion->model->params.at[small->inputs[i]].name;
    *linear = (InquiryLinear){.coordinates = free,
                              .speeds = k,
                              .size = size,
                              .A = A,
                              .M = M,
                              .C = C,
                              .K = K,
                              .B = B,
                              .B_state = B_state,
                              .inputs = inputs,
                              .input_names = names};
    return STATUS_OK;
}

// Returns whether the eigenvalues have many digits.
static bool find_modes(InquirySmall *small, InquiryLinear *linear)
{
    size_t size = small->size;
    double *re = numbers(small, size), *im = numbers(small, size);
    double *mode_re = numbers(small, size * size), *mode_im = numbers(small, size * size);
    small->family = linear->family = small_family(small, &linear->family_proved);
    bool many_digits = small_precise_eigen(small, small->state, small->base, re, im);
    if (!many_digits) {
        small_eigen(linear->A, size, linear->family, re, im);
        clean(re, im, size);
        small_sort(re + linear->family, im + linear->family, size - linear->family);
    }
    small_modes(linear->A, size, linear->family, re, im, mode_re, mode_im);
    linear->re = re;
    linear->im = im;
    linear->mode_re = mode_re;
    linear->mode_im = mode_im;
    return many_digits;
}

Status inquiry_small_find(InquirySmall *small, Diag *diag, InquiryLinear *linear)
{
    double *y = numbers(small, small->unknowns);
    TRY(small_guess(small, diag, y));
    small_rest(small, y);
    if (!small_newton(small, true, small->base, y))
        return not_steady(small, y, diag);
    // What is rounding beside the others is 0.
    double largest = 0;
    for (size_t i = 0; i < small->unknowns; i++)
        largest = fmax(largest, fabs(y[i]));
    for (size_t i = 0; i < small->unknowns; i++)
        y[i] = fabs(y[i]) <= 1e-14 * fmax(largest, 1) ? 0 : y[i];
    small->state = y;
    TRY(check_switches(small, diag));
    TRY(linearize(small, linear, diag));
    tell_state(small, linear);
    TRY(check_sides(small, linear->q, diag));
    judge(small, find_modes(small, linear), linear);
    return STATUS_OK;
}
