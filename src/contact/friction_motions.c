// friction_motions.c: the motions that an instant has, each of them once.
//
// Two modes that lie side by side share a motion at their border (a contact that sticks with the
// whole of its friction slides with u' = 0), and dependent forces may share one in many ways: what
// is counted is motions, by their rates. Contacts that no entry of A couples are counted apart.
#include "contact/friction_impl.h"
#include "linalg/islands.h"

#include <assert.h>

// ---- One list.

// Forces that cancel each other leave roundings of their own size.
static bool is_same(const Friction *friction, const double *a, const double *b)
{
    double rounding = TOL_ROUNDING * real_largest(friction->forces, friction->rows);
    for (size_t i = 0; i < friction->rows; i++)
        if (fabs(a[i] - b[i]) > TOL_AGREEMENT * (friction->sizes[i] + friction->far) + rounding)
            return false;
    return true;
}

// Motions whose rates are nearly the same may be two: where other forces than roundings lie between
// them, these have to leave the rates as they are, as dependent ones do.
static bool is_same_motion(const Friction *friction, const FrictionMotion *motion)
{
    size_t rows = friction->rows;
    double largest = real_largest(friction->forces, rows), apart = 0;
    if (!is_same(friction, motion->rates, friction->rates))
        return false;
    for (size_t k = 0; k < rows; k++)
        apart = fmax(apart, fabs(motion->forces[k] - friction->forces[k]));
    for (size_t i = 0; i < rows && apart > TOL_AGREEMENT * largest; i++) {
        double terms = 0, rounding = TOL_ZERO * (friction->sizes[i] + friction->far);
        for (size_t k = 0; k < rows; k++)
            terms +=
                fabs(friction->matrix[i * rows + k] * (motion->forces[k] - friction->forces[k]));
        if (fabs(motion->rates[i] - friction->rates[i]) > TOL_AGREEMENT * terms + rounding)
            return false;
    }
    return true;
}

static FrictionMotion *next_motion(FrictionMotions *motions, size_t count, size_t rows)
{
    FrictionMotion motion = {.pieces = arena_array(motions->arena, FrictionPiece, count + 1)};
    real_alloc_each(motions->arena, rows, &motion.forces, &motion.rates);
    array_push(&motions->list, motion);
    return &motions->list.at[motions->list.count - 1];
}

void friction_motions_take(FrictionMotions *motions, const Friction *friction,
                           const FrictionPiece *pieces, const FrictionStatics *statics)
{
    size_t rows = friction->rows;
    for (size_t k = 0; k < motions->list.count; k++)
        if (is_same_motion(friction, &motions->list.at[k])) {
            motions->list.at[k].statics.wedged |= statics && statics->wedged;
            motions->list.at[k].shared |=
                !is_same(friction, motions->list.at[k].forces, friction->forces);
            return;
        }
    FrictionMotion *motion = next_motion(motions, friction->count, rows);
    memcpy(motion->pieces, pieces, friction->count * sizeof *pieces);
    memcpy(motion->forces, friction->forces, rows * sizeof *motion->forces);
    memcpy(motion->rates, friction->rates, rows * sizeof *motion->rates);
    if (statics)
        motion->statics = *statics;
}

// Whether a sticks, by μ_s alone, wherever its modes are not those of b; where forces are shared,
// some of them.
static bool is_preferred(const Friction *friction, const FrictionMotion *a, const FrictionMotion *b)
{
    bool differs = false;
    for (size_t l = 0; l < friction->count; l++) {
        const FrictionPart *part = &friction->parts[l];
        const FrictionPiece *from = &b->pieces[l], *to = &a->pieces[l];
        if (from->mode == to->mode &&
            (from->mode != FRICTION_SLIPS || real_dot(from->d, to->d, FRICTION_TANGENTS) > 0))
            continue;
        const double *p = a->forces + part->row, *F = p + part->normals;
        double bound = friction_bound(friction, l, a->forces, false);
        if (to->mode != FRICTION_STICKS || from->mode != FRICTION_SLIPS)
            return false;
        bool beyond = real_length(F, part->tangents) > (1 + TOL_ZERO) * bound;
        if (!beyond && !a->statics.feasible)
            return false;
        differs = differs || beyond;
    }
    return differs;
}

void friction_motions_keep_sticking(FrictionMotions *motions, const Friction *friction)
{
    size_t kept = 0, count = motions->list.count;
    FrictionMotion *list = motions->list.at;
    bool *dropped = arena_array(motions->arena, bool, count + 1);
    for (size_t b = 0; b < count; b++)
        for (size_t a = 0; a < count && !dropped[b]; a++)
            dropped[b] = is_preferred(friction, &list[a], &list[b]);
    for (size_t k = 0; k < count; k++)
        if (!dropped[k])
            list[kept++] = list[k];
    motions->list.count = kept;
}

// ---- Contacts that are coupled.

static size_t rows_of(const FrictionPart *part)
{
    return (size_t)part->normals + part->tangents;
}

static bool are_coupled(const Friction *friction, size_t a, size_t b)
{
    const FrictionPart *first = &friction->parts[a], *second = &friction->parts[b];
    for (size_t i = 0; i < rows_of(first); i++)
        for (size_t k = 0; k < rows_of(second); k++)
            if (fabs(friction->matrix[(first->row + i) * friction->rows + second->row + k]) >
                    TOL_SUM ||
                fabs(friction->matrix[(second->row + k) * friction->rows + first->row + i]) >
                    TOL_SUM)
                return true;
    return false;
}

static void find_groups(const Friction *friction, Islands *groups)
{
    islands_part(groups, friction->count);
    for (size_t a = 0; a < friction->count; a++)
        for (size_t b = 0; b < a; b++)
            if (are_coupled(friction, a, b))
                islands_tie(groups, a, b);
    for (size_t i = 0; i < friction->press_count; i++)
        islands_tie(groups, friction->presses[i].on, friction->presses[i].by);
    islands_number(groups);
}

// The place among the members; their count where it is none of them.
static size_t number_of(size_t l, const uint32_t *members, size_t count)
{
    size_t k = 0;
    while (k < count && members[k] != l)
        k++;
    return k;
}

// The problem of these contacts alone; `at` says which row of the whole each of its rows is.
static Friction gather(const Friction *whole, Arena *arena, const uint32_t *members, size_t count,
                       size_t *at)
{
    size_t rows = 0;
    Friction part = {.count = count};
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < rows_of(&whole->parts[members[k]]); i++)
            at[rows++] = whole->parts[members[k]].row + i;
    part.rows = rows;
    friction_alloc(&part, arena, count, rows, whole->press_count);
    double *matrix = real_alloc(arena, rows * rows), *free, *sizes;
    real_alloc_each(arena, rows, &free, &sizes);
    for (size_t i = 0; i < rows; i++) {
        free[i] = whole->free[at[i]];
        sizes[i] = whole->sizes[at[i]];
        for (size_t k = 0; k < rows; k++)
            matrix[i * rows + k] = whole->matrix[at[i] * whole->rows + at[k]];
    }
    rows = 0;
    for (size_t k = 0; k < count; k++) {
        part.parts[k] = whole->parts[members[k]];
        part.parts[k].row = rows;
        rows += rows_of(&part.parts[k]);
    }
    for (size_t i = 0; i < whole->press_count; i++) {
        FrictionPress press = whole->presses[i];
        size_t on = number_of(press.on, members, count), by = number_of(press.by, members, count);
        if (on == count)
            continue;
        assert(by < count);
        press.on = on;
        press.by = by;
        part.presses[part.press_count++] = press;
    }
    part.matrix = matrix;
    part.free = free;
    part.sizes = sizes;
    return part;
}

// The motions of one group. False where there might be others.
static bool find_coupled(FrictionMotions *motions, Friction *friction, FrictionPiece *guess)
{
    bool certain = false;
    if (friction_count_modes(friction) <= 1 << LIMIT_SETS)
        certain = friction_count_all(friction, motions);
    if (!certain && motions->list.count == 0) {
        FrictionStatics statics = {0};
        if (friction_search(friction, guess, &statics))
            friction_motions_take(motions, friction, guess, statics.feasible ? &statics : NULL);
    }
    friction_motions_keep_sticking(motions, friction);
    return certain;
}

// Joins a motion of a group to one of the groups before it.
static void join(FrictionMotion *whole, const FrictionMotion *before, const FrictionMotion *part,
                 const Friction *friction, const Friction *all, const uint32_t *members,
                 const size_t *at)
{
    memcpy(whole->pieces, before->pieces, all->count * sizeof *whole->pieces);
    memcpy(whole->forces, before->forces, all->rows * sizeof *whole->forces);
    memcpy(whole->rates, before->rates, all->rows * sizeof *whole->rates);
    whole->statics = before->statics;
    whole->shared = before->shared || part->shared;
    for (size_t k = 0; k < friction->count; k++)
        whole->pieces[members[k]] = part->pieces[k];
    for (size_t i = 0; i < friction->rows; i++) {
        whole->forces[at[i]] = part->forces[i];
        whole->rates[at[i]] = part->rates[i];
    }
    if (!part->statics.feasible)
        return;
    bool first = !whole->statics.feasible;
    whole->statics.feasible = true;
    whole->statics.wedged |= part->statics.wedged;
    if (first || part->statics.margin < whole->statics.margin)
        whole->statics.margin = part->statics.margin;
}

bool friction_motions_find(FrictionMotions *motions, Friction *friction, const FrictionPiece *guess)
{
    assert(motions->list.count == 0);
    Islands groups = {0};
    bool certain = true;
    size_t *at = arena_array(motions->arena, size_t, friction->rows + 1);
    FrictionPiece *begin = arena_array(motions->arena, FrictionPiece, friction->count + 1);
    find_groups(friction, &groups);
    next_motion(motions, friction->count, friction->rows);
    for (size_t g = 0; g < groups.islands; g++) {
        const uint32_t *members = groups.members + groups.first[g];
        FrictionMotions own = {.arena = motions->arena}, joined = {.arena = motions->arena};
        Friction part =
            gather(friction, motions->arena, members, groups.first[g + 1] - groups.first[g], at);
        for (size_t k = 0; k < part.count; k++)
            begin[k] = guess[members[k]];
        certain = find_coupled(&own, &part, begin) && certain;
        for (size_t a = 0; a < motions->list.count; a++)
            for (size_t b = 0; b < own.list.count && joined.list.count < 1 << LIMIT_SETS; b++)
                join(next_motion(&joined, friction->count, friction->rows), &motions->list.at[a],
                     &own.list.at[b], &part, friction, members, at);
        array_clear(&motions->list);
        array_clear(&own.list);
        *motions = joined;
    }
    islands_clear(&groups);
    return certain;
}
