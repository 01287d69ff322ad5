// elimination.c: accelerations and multipliers by Gauss's principle, at linear cost.
//
// The accelerations of frames and points stay unknowns, as the text defines them one from another
// (motion/definitions.h). Gauss's function then couples neighbours alone. Eliminating in the
// reverse order of definition is the articulated-body algorithm on a tree; rows of loops and of
// rolling enter on the vectors that they speak of, and leave when their loop is closed. Nothing
// here knows what a joint is.
#include "dynamics/elimination.h"
#include "dynamics/elimination_impl.h"
#include "expr/arithmetic.h"
#include "linalg/tolerances.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <string.h>

Expr gauss_fixed(Gauss *gauss, Expr e)
{
    if (gauss->at_rest)
        e = expr_subst(gauss->at_rest, e);
    return gauss->fixed ? expr_subst(gauss->fixed, e) : e;
}

ProgramValue gauss_lower(Gauss *gauss, Expr e)
{
    ProgramValue value = gauss->form.zero;
    if (!assembly_lower(gauss->assembly, gauss_fixed(gauss, e), &value))
        gauss->failed = true;
    return value;
}

size_t gauss_row_forces(const Gauss *gauss, const DefinedRow *row)
{
    return gauss->options.vectors ? row->force_count : 0;
}

const DefinitionTerm *gauss_row_terms(const Gauss *gauss, const DefinedRow *row, size_t *count)
{
    bool vectors = gauss_row_forces(gauss, row) > 0;
    *count = vectors ? row->rest_count : row->term_count;
    return vectors ? row->rest : row->terms;
}

// ---- Steps.

static size_t coordinate_of(const Gauss *gauss, uint32_t unknown)
{
    return unknown - gauss->coordinates[0];
}

// Nets of conditions fill up where chains and trees do not: then there are better ways.
static bool has_filled_up(const Gauss *gauss)
{
    return assembly_size(gauss->assembly) / SIZE_LONG > gauss->form.unknowns.count;
}

static void leave(Gauss *gauss, uint32_t x)
{
    if (gauss->options.diagonal) {
        gauss->inertias[coordinate_of(gauss, x)] = quadratic_entry(&gauss->form, x, x);
        quadratic_substitute(&gauss->form, x, NULL, 0);
    } else if (!gauss->failed) {
        bool left =
            gauss->at_rest ? quadratic_row(&gauss->form, x) : quadratic_free(&gauss->form, x);
        gauss->failed = !left || has_filled_up(gauss);
    }
}

// The coordinate from what it defines, wherever it stands; and that is free.
static void eliminate_inverted(Gauss *gauss, const ScalarDefinition *scalar)
{
    Assembly *assembly = gauss->assembly;
    assert(scalar->inverted < scalar->count);
    const GaussTerm *terms = gauss->terms.at + scalar->first;
    const GaussTerm *own = &terms[scalar->inverted];
    ProgramValue inverse = assembly_div(assembly, assembly_int(assembly, 1), own->value);
    GaussTerms inverted = {0};
    array_push(&inverted, ((GaussTerm){scalar->x, inverse, false}));
    for (size_t i = 0; i < scalar->count; i++) {
        ProgramValue factor = assembly_mul(assembly, assembly_negated(inverse), terms[i].value);
        if (i != scalar->inverted)
            array_push(&inverted, ((GaussTerm){terms[i].unknown, factor, false}));
    }
    quadratic_substitute(&gauss->form, own->unknown, inverted.at, inverted.count);
    array_clear(&inverted);
}

// Coordinates whose last definition this was are free now.
static void free_coordinates(Gauss *gauss, const ScalarDefinition *scalar)
{
    const GaussTerm *terms = gauss->terms.at + scalar->first;
    for (size_t i = 0; i < scalar->count; i++) {
        size_t coordinate = coordinate_of(gauss, terms[i].unknown);
        if (coordinate < gauss->definitions->motion->n && i != scalar->inverted &&
            --gauss->uses[coordinate] == 0)
            leave(gauss, terms[i].unknown);
    }
}

static void eliminate_scalar(Gauss *gauss, const ScalarDefinition *scalar)
{
    bool inverted = scalar->inverted < scalar->count;
    if (inverted)
        eliminate_inverted(gauss, scalar);
    else
        quadratic_substitute(&gauss->form, scalar->x, gauss->terms.at + scalar->first,
                             scalar->count);
    free_coordinates(gauss, scalar);
    if (inverted)
        leave(gauss, scalar->x);
}

// The three components of a point, none of which is free.
static bool eliminate_vector(Gauss *gauss, const GaussItem *item)
{
    const ScalarDefinition *scalars = gauss->scalars.at + item->scalars;
    GaussTerms terms[3] = {{0}, {0}, {0}};
    uint32_t x[3];
    for (int i = 0; i < 3; i++)
        if (scalars[i].inverted < scalars[i].count)
            return false;
    for (int i = 0; i < 3; i++) {
        x[i] = scalars[i].x;
        for (size_t k = 0; k < scalars[i].count; k++)
            array_push(&terms[i], gauss->terms.at[scalars[i].first + k]);
    }
    quadratic_substitute_vector(&gauss->form, x, terms, 3);
    for (int i = 0; i < 3; i++) {
        free_coordinates(gauss, &scalars[i]);
        array_clear(&terms[i]);
    }
    return true;
}

// ---- Turns.

const GaussFrame *gauss_turning_frame(const Gauss *gauss, const GaussItem *item)
{
    return &gauss->frames[item->kind == ITEM_FRAME ? (uint32_t)item->index
                                                   : gauss->views.at[item->view].axes];
}

size_t gauss_turned_room(const Gauss *gauss, const GaussItem *item)
{
    return 2 + gauss_turning_frame(gauss, item)->group.count;
}

// All vectors of a frame, or one view of a point.
size_t gauss_turned(const Gauss *gauss, const GaussItem *item, uint32_t *pairs, uint32_t *uppers)
{
    const GaussFrame *frame = gauss_turning_frame(gauss, item);
    uint32_t axes = (uint32_t)(frame - gauss->frames);
    const GaussFrame *above = &gauss->frames[gauss_parent_axes(gauss, axes)];
    bool spins = item->kind == ITEM_FRAME;
    size_t count = spins ? 1 + frame->group.count / 2 : 1, at = 0;
    int i = (frame->axis + 1) % 3, j = (frame->axis + 2) % 3;
    if (frame->axis < 0 || frame->still)
        return 0;
    for (size_t k = 0; k < count; k++) {
        size_t point = !spins ? item->index : k ? frame->group.at[2 * k - 2] : 0;
        const uint32_t *own = frame->ids, *upper = gauss->frames[gauss_parent(gauss, axes)].ids;
        if (spins && k && point == 0)
            continue;
        if (!spins || k) {
            uint32_t view = spins ? (uint32_t)frame->group.at[2 * k - 1] : item->view;
            own = gauss->views.at[view].ids;
            upper = gauss->views.at[gauss_view(gauss, point, above->axes)].ids;
        }
        pairs[at] = own[i];
        pairs[at + 1] = own[j];
        uppers[at] = upper[i];
        uppers[at + 1] = upper[j];
        at += 2;
    }
    return at / 2;
}

static void eliminate_turn(Gauss *gauss, const GaussItem *item)
{
    const GaussFrame *frame = gauss_turning_frame(gauss, item);
    size_t room = gauss_turned_room(gauss, item);
    uint32_t *pairs = base_alloc(2 * room * sizeof *pairs);
    size_t count = gauss_turned(gauss, item, pairs, pairs + room);
    if (count > 0)
        quadratic_turn(&gauss->form, pairs, pairs + room, count, frame->cosine, frame->sine);
    base_free(pairs);
}

// ---- All unknowns.

// Rows that are closed leave; what is not determined inside its loop waits.
static void close_rows(Gauss *gauss, size_t item, size_t *waiting, size_t *waiting_count)
{
    size_t kept = 0;
    for (size_t row = item ? gauss->items.at[item - 1].closing : 0; row;
         row = gauss->next_closing[row - 1])
        waiting[(*waiting_count)++] = row - 1;
    for (size_t i = 0; i < *waiting_count && !gauss->failed; i++) {
        uint32_t lambda = gauss->multipliers[waiting[i]];
        if (!gauss->form.unknowns.at[lambda].left && !quadratic_least(&gauss->form, lambda))
            waiting[kept++] = waiting[i];
    }
    *waiting_count = kept;
}

static void eliminate_items(Gauss *gauss)
{
    size_t m = gauss->definitions->motion->m, n = gauss->definitions->motion->n, count = 0;
    size_t *waiting = arena_array(gauss->arena, size_t, m + 1);
    // What no definition has is free at once.
    for (size_t nu = 0; nu < n; nu++)
        if (gauss->uses[nu] == 0)
            leave(gauss, gauss->coordinates[nu]);
    for (size_t i = gauss->items.count; i-- > 0 && !gauss->failed;) {
        const GaussItem *item = &gauss->items.at[i];
        bool whole = item->kind == ITEM_POINT && eliminate_vector(gauss, item);
        for (size_t j = 0; j < item->scalar_count && !whole && !gauss->failed; j++)
            eliminate_scalar(gauss, &gauss->scalars.at[item->scalars + j]);
        if (item->kind != ITEM_POINT)
            eliminate_turn(gauss, item);
        if (!gauss->options.diagonal && !gauss->at_rest)
            close_rows(gauss, i + 1, waiting, &count);
        gauss->failed = gauss->failed || has_filled_up(gauss);
    }
    if (gauss->options.diagonal || gauss->at_rest)
        return;
    // Rows on coordinates that no vector has.
    count = 0;
    for (size_t i = 0; i < m; i++)
        if (!gauss->definitions->rows[i].servo)
            waiting[count++] = i;
    close_rows(gauss, 0, waiting, &count);
    gauss->failed = gauss->failed || count > 0 || !gauss_solve_servos(gauss);
}

// ---- All.

static void init(Gauss *gauss, const Definitions *definitions, EliminationOptions options,
                 Assembly *assembly, ExprSubst *fixed)
{
    size_t n = definitions->motion->n, m = definitions->motion->m;
    *gauss = (Gauss){.arena = arena_new(),
                     .definitions = definitions,
                     .assembly = assembly,
                     .fixed = fixed,
                     .options = options};
    gauss->frames = arena_array(gauss->arena, GaussFrame, definitions->frame_count);
    gauss->points = arena_array(gauss->arena, GaussPoint, definitions->points.count);
    gauss->coordinates = arena_array(gauss->arena, uint32_t, n + 2 * m + 1);
    gauss->multipliers = gauss->coordinates + n;
    gauss->reactions = gauss->multipliers + m;
    gauss->uses = arena_array(gauss->arena, size_t, 2 * n + 1);
    gauss->places = gauss->uses + n;
    gauss->inertias = arena_array(gauss->arena, ProgramValue, n + 1);
    quadratic_init(&gauss->form, assembly);
    for (size_t nu = 0; nu < n; nu++)
        gauss->coordinates[nu] = quadratic_new_unknown(&gauss->form, false);
}

static void clear(Gauss *gauss)
{
    for (size_t i = 0; i < gauss->definitions->frame_count; i++)
        array_clear(&gauss->frames[i].group);
    quadratic_clear(&gauss->form);
    array_clear(&gauss->views);
    array_clear(&gauss->items);
    array_clear(&gauss->scalars);
    array_clear(&gauss->terms);
    array_clear(&gauss->bodies);
    array_clear(&gauss->particles);
    array_clear(&gauss->next_body);
    array_clear(&gauss->moments);
    arena_free(gauss->arena);
}

// Pivots that nothing was taken from need not be watched.
static void take_pivots(const Gauss *gauss, EliminationResult *result)
{
    for (size_t i = 0; i < gauss->form.pivots.count; i++) {
        const GaussPivot *pivot = &gauss->form.pivots.at[i];
        result->checks[result->check_count++] = pivot->value;
        result->checks[result->check_count++] = pivot->measure;
        if (pivot->constant)
            continue;
        result->divisors[result->divisor_count++] = pivot->value;
        if (pivot->value.at == pivot->measure.at)
            continue;
        result->pivots[result->pivot_count++] = pivot->value;
        result->pivots[result->pivot_count++] = pivot->measure;
    }
}

static void take_result(Gauss *gauss, Arena *arena, EliminationResult *result)
{
    size_t n = gauss->definitions->motion->n;
    size_t m = gauss->at_rest ? 0 : gauss->definitions->motion->m;
    size_t pivots = gauss->form.pivots.count;
    bool diagonal = gauss->options.diagonal;
    ProgramValue *values = diagonal ? NULL : quadratic_solve(&gauss->form);
    *result = (EliminationResult){.accelerations = arena_array(arena, ProgramValue, n + m + 1),
                                  .pivots = arena_array(arena, ProgramValue, 5 * pivots + 1)};
    result->multipliers = result->accelerations + n;
    result->divisors = result->pivots + 2 * pivots;
    result->checks = result->divisors + pivots;
    if (diagonal)
        memcpy(result->accelerations, gauss->inertias, n * sizeof *gauss->inertias);
    for (size_t i = 0; i < n + m && !diagonal; i++) {
        ProgramValue value = values[i < n ? gauss->coordinates[i] : gauss->reactions[i - n]];
        result->accelerations[i] = i < n || gauss->guesses ? value : assembly_negated(value);
    }
    take_pivots(gauss, result);
    result->moment_count = gauss->moments.count;
    result->moments = arena_array(arena, ProgramValue, result->moment_count + 1);
    for (size_t i = 0; i < result->moment_count; i++)
        result->moments[i] = gauss->moments.at[i];
    base_free(values);
}

// With guesses, or without.
static bool eliminate_form(const Definitions *definitions, EliminationOptions options,
                           const Expr *guesses, Assembly *assembly, ExprSubst *fixed, Arena *arena,
                           EliminationResult *result)
{
    assert(definitions && assembly && arena);
    Gauss gauss;
    init(&gauss, definitions, options, assembly, fixed);
    gauss.guesses = guesses;
    gauss_regroup(&gauss);
    gauss_order(&gauss);
    gauss_forward(&gauss);
    gauss_close_rows(&gauss);
    gauss_add_all(&gauss);
    if (guesses && !gauss.failed)
        gauss_settle(&gauss);
    if (!gauss.failed)
        eliminate_items(&gauss);
    bool done = !gauss.failed;
    if (done)
        take_result(&gauss, arena, result);
    clear(&gauss);
    return done;
}

bool eliminate(const Definitions *definitions, EliminationOptions options, Assembly *assembly,
               ExprSubst *fixed, Arena *arena, EliminationResult *result)
{
    return eliminate_form(definitions, options, NULL, assembly, fixed, arena, result);
}

bool eliminate_residual(const Definitions *definitions, EliminationOptions options,
                        const Expr *guesses, Assembly *assembly, ExprSubst *fixed, Arena *arena,
                        EliminationResult *result)
{
    assert(guesses && !options.diagonal);
    return eliminate_form(definitions, options, guesses, assembly, fixed, arena, result);
}

bool eliminate_velocities(const Definitions *definitions, EliminationOptions options,
                          const EliminationSpeed *speeds, Assembly *assembly, ExprSubst *fixed,
                          Arena *arena, EliminationResult *result)
{
    Motion *motion = definitions->motion;
    assert(speeds && !options.diagonal);
    Gauss gauss;
    init(&gauss, definitions, options, assembly, fixed);
    gauss.at_rest = expr_subst_new(motion->pool);
    for (size_t nu = 0; nu < motion->n; nu++)
        expr_subst_set(gauss.at_rest, motion->v[nu], expr_int(motion->pool, 0));
    gauss_order(&gauss);
    gauss_forward(&gauss);
    gauss_add_velocities(&gauss, speeds, motion->n - motion->m);
    if (!gauss.failed)
        eliminate_items(&gauss);
    bool done = !gauss.failed;
    if (done)
        take_result(&gauss, arena, result);
    expr_subst_free(gauss.at_rest);
    clear(&gauss);
    return done;
}
