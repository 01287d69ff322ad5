// needed.c: rows that are independent as functions, but not where the motion goes.
//
// A loop closed twice (a parallelogram with a third bar, a planar loop in space) gives rows that
// depend on each other at every position that meets the conditions, and at no other: no algebra of
// functions sees that, numbers at the state do. What follows from the rows before it is left out of
// every solve, so that nothing singular is ever solved; what it would have carried is shared out
// afterwards, so that all multipliers together are the least.
//
// With d = C·b for the rows d that are left out, the reaction bᵀμ of the others is that of λ and
// ν = C·λ too, where (1 + CᵀC)·λ = μ: and these are the least that give it.
#include "linalg/tolerances.h"
#include "run/run_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// How far, against the size of the coordinates, positions are looked at to see whether rows stay
// dependent, and how often the way is shortened where there is no position.
#define ASIDE        1e-2
#define MOST_SHORTER 4
#define DIRECTIONS   3
#define MOST_NEWTON  100
#define MET          1e-12

static const double *scaled_row(Numbers *numbers, const double *row)
{
    for (size_t j = 0; j < numbers->n; j++)
        numbers->kept[j] = row[j] * numbers->scale[j];
    return numbers->kept;
}

static int by_index(const void *a, const void *b)
{
    const size_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

// The same question of all of them, where few entries are filled.
static bool all_stand_off(Numbers *numbers)
{
    Echelon echelon;
    echelon_init(&echelon, numbers->n);
    bool all = true;
    double miss = 0;
    for (size_t i = 0; i < numbers->m && all; i++)
        all = echelon_take(&echelon, scaled_row(numbers, numbers->velocities.out + i * numbers->n),
                           0, &miss);
    echelon_clear(&echelon);
    return all;
}

// The rows, in order, that stand off those before them at the position last evaluated.
static size_t find(Numbers *numbers, size_t *rows)
{
    if (numbers->few_in_velocities && all_stand_off(numbers)) {
        for (size_t i = 0; i < numbers->m; i++)
            rows[i] = i;
        return numbers->m;
    }
    numbers_need_dense(numbers);
    numbers->basis.count = 0;
    size_t count = 0;
    // What both an ideal condition and a servo ask for is kept by the former.
    for (int servos = 0; servos < 2; servos++)
        for (size_t i = 0; i < numbers->m; i++)
            if ((numbers->motion->rows[i].servo != NULL) == (servos == 1) &&
                basis_take(&numbers->basis,
                           scaled_row(numbers, numbers->velocities.out + i * numbers->n), TOL_RANK))
                rows[count++] = i;
    qsort(rows, count, sizeof *rows, by_index);
    return count;
}

// ---- Whether they stay dependent.

// Completes the basis: what comes after the rows are directions that these leave free.
static void complete(Basis *basis)
{
    double *unit = base_alloc((basis->n + 1) * sizeof *unit);
    for (size_t j = 0; j < basis->n; j++) {
        unit[j] = 1;
        basis_take(basis, unit, TOL_GOOD_CHOICE);
        unit[j] = 0;
    }
    base_free(unit);
}

// A position beside this one, along the free directions and back onto the finite conditions.
static bool step_aside(Numbers *numbers, Projector *projector, const double *from,
                       const double *direction)
{
    size_t n = numbers->n;
    double size = 0;
    for (size_t j = 0; j < n; j++)
        size = fmax(size, fabs(from[j]));
    double length = ASIDE * (size > 0 ? size : 1);
    for (size_t i = 0; i < MOST_SHORTER; i++, length /= 10) {
        for (size_t j = 0; j < n; j++)
            numbers->q[j] = from[j] + length * direction[j];
        if (projector_newton(projector, numbers, MOST_NEWTON) <= MET)
            return true;
    }
    return false;
}

// A different mixture of the free directions each time, and the same in each run.
static void mix_directions(const Numbers *numbers, size_t first, size_t round, double *direction)
{
    size_t n = numbers->n;
    const Basis *basis = &numbers->basis;
    memset(direction, 0, n * sizeof *direction);
    for (size_t i = first; i < basis->count; i++) {
        double weight = cos(1 + 1.7 * (double)round + 2.3 * (double)(i - first));
        for (size_t j = 0; j < n; j++)
            direction[j] += weight * numbers->scale[j] * basis->units[i * n + j];
    }
}

// Whether no more rows are independent beside this position than at it.
static bool lasts(Numbers *numbers, Projector *projector, size_t count)
{
    size_t n = numbers->n;
    if (count == n)
        return true;
    double *from = base_alloc(2 * n * sizeof *from), *direction = from + n;
    size_t *rows = base_alloc((numbers->m + 1) * sizeof *rows);
    memcpy(from, numbers->q, n * sizeof *from);
    bool same = true;
    for (size_t round = 0; round < DIRECTIONS && same; round++) {
        memcpy(numbers->q, from, n * sizeof *from);
        lowered_run(&numbers->velocities, numbers->inputs);
        find(numbers, rows);
        complete(&numbers->basis);
        mix_directions(numbers, count, round, direction);
        same = step_aside(numbers, projector, from, direction);
        lowered_run(&numbers->velocities, numbers->inputs);
        same = same && find(numbers, rows) == count;
    }
    memcpy(numbers->q, from, n * sizeof *from);
    projector_evaluate(numbers);
    lowered_run(&numbers->velocities, numbers->inputs);
    base_free(rows);
    base_free(from);
    return same;
}

// ---- At the start.

static bool is_needed(const Numbers *numbers, size_t row)
{
    return numbers->needed_place[row] < numbers->m;
}

static void find_places(Numbers *numbers)
{
    for (size_t i = 0; i < numbers->m; i++)
        numbers->needed_place[i] = numbers->m;
    for (size_t i = 0; i < numbers->needed; i++)
        numbers->needed_place[numbers->needed_rows[i]] = i;
}

static void say(const Numbers *numbers, Diag *diag)
{
    const Motion *motion = numbers->motion;
    Text names = {0};
    size_t count = numbers->m - numbers->needed;
    Place place = place_none();
    for (size_t i = 0; i < numbers->m; i++) {
        if (is_needed(numbers, i))
            continue;
        if (names.length == 0)
            place = motion->rows[i].constraint->place;
        text_addf(&names, "%s'%s'", names.length > 0 ? ", " : "", motion->rows[i].constraint->name);
    }
    diag_add(diag, DIAG_NOTE, place,
             "at the positions that the constraints allow, %s follow%s from the ones before %s: "
             "the motion is the same without %s, and of all multipliers that give it those of "
             "least norm are told",
             names.at, count > 1 ? "" : "s", count > 1 ? "them" : "it", count > 1 ? "them" : "it");
    text_clear(&names);
}

static Status only_here(const Numbers *numbers, Diag *diag)
{
    size_t first = 0;
    while (is_needed(numbers, first))
        first++;
    const ModelConstraint *constraint = numbers->motion->rows[first].constraint;
    return diag_error(diag, constraint->place,
                      "at the initial position the constraint '%s' depends on the constraints "
                      "before it, though elsewhere it does not: the motion has no unique "
                      "direction there; start beside this position",
                      constraint->name);
}

Status needed_begin(Numbers *numbers, Projector *projector, bool instant, Diag *diag)
{
    lowered_run(&numbers->velocities, numbers->inputs);
    if (!all_finite(numbers->velocities.out, numbers->n * (numbers->m + 1)))
        return STATUS_OK;
    numbers->needed = find(numbers, numbers->needed_rows);
    find_places(numbers);
    if (numbers->needed == numbers->m)
        return STATUS_OK;
    if (numbers->curved || !lasts(numbers, projector, numbers->needed)) {
        Status status = instant ? STATUS_OK : only_here(numbers, diag);
        for (size_t i = 0; i < numbers->m; i++)
            numbers->needed_rows[i] = i;
        numbers->needed = numbers->m;
        find_places(numbers);
        return status;
    }
    if (!numbers->whole)
        numbers->k = numbers->n - numbers->needed;
    numbers->own_speeds = false;
    projector_leave_out(projector, numbers);
    say(numbers, diag);
    return STATUS_OK;
}

// ---- Along the way.

void needed_pack(Numbers *numbers, const double *rows, const double *drift)
{
    size_t n = numbers->n;
    for (size_t i = 0; i < numbers->needed; i++) {
        memcpy(numbers->packed + i * n, rows + numbers->needed_rows[i] * n, n * sizeof *rows);
        numbers->packed[numbers->needed * n + i] = drift[numbers->needed_rows[i]];
    }
}

const double *needed_directions(Numbers *numbers, const double *directions)
{
    size_t n = numbers->n;
    double *packed = numbers->packed + numbers->needed * (n + 1);
    for (size_t i = 0; i < numbers->needed && directions; i++)
        memcpy(packed + i * n, directions + numbers->needed_rows[i] * n, n * sizeof *packed);
    return directions ? packed : NULL;
}

// C, a row for each row left out; how far these stand off the others is kept.
static void find_shares(Numbers *numbers, double *shares)
{
    size_t n = numbers->n, needed = numbers->needed;
    const double *rows = numbers->velocities.out;
    Basis *basis = &numbers->basis;
    basis->count = 0;
    for (size_t i = 0; i < needed; i++)
        basis_take(basis, scaled_row(numbers, rows + numbers->needed_rows[i] * n), 0);
    numbers->apart = 0;
    for (size_t i = 0; i < numbers->m; i++) {
        if (is_needed(numbers, i))
            continue;
        double apart = basis_examine(basis, scaled_row(numbers, rows + i * n));
        if (!(apart <= numbers->apart)) {
            numbers->apart = apart;
            numbers->apart_row = i;
        }
        memcpy(shares, basis->parts, needed * sizeof *shares);
        shares += needed;
    }
}

void needed_share(Numbers *numbers)
{
    size_t needed = numbers->needed, left = numbers->m - needed;
    double *C = numbers->shares, *least = C + left * needed;
    find_shares(numbers, C);
    memcpy(least, numbers->lambda, needed * sizeof *least);
    // A servo's force is no combination of reactions.
    if (numbers->motion->servos)
        memset(C, 0, left * needed * sizeof *C);
    least_norm_share(C, left, needed, least, least + needed);
    for (size_t i = 0, at = 0, d = 0; i < numbers->m; i++) {
        if (at < needed && numbers->needed_rows[at] == i) {
            numbers->lambda[i] = least[at++];
            continue;
        }
        numbers->lambda[i] = 0;
        for (size_t j = 0; j < needed; j++)
            numbers->lambda[i] += C[d * needed + j] * least[j];
        d++;
    }
}
