// elimination_order.c: which vectors are unknown, along which axes, and in which order they are
// defined: depth first, so that few rows of loops are open at one time.
#include "dynamics/elimination_impl.h"
#include "expr/arithmetic.h"
#include "model/system.h"
#include "model/vectors.h"
#include "motion/motion_types.h"

#include <assert.h>
#include <string.h>

static const Vectors *vectors_of(const Gauss *gauss)
{
    return gauss->definitions->motion->model->vectors;
}

uint32_t gauss_parent(const Gauss *gauss, uint32_t frame)
{
    return frame_parent(vectors_of(gauss), (Frame){frame}).at;
}

// ---- Regrouping (Gautier and Khalil 1990): what a turn about an axis does not change belongs to
// the parent as well, and there it meets constants.

static bool is_fixed(const Gauss *gauss, size_t point)
{
    const ExprPool *pool = gauss->definitions->motion->pool;
    const DefinitionPart *parts = gauss->definitions->points.at[point].parts;
    return point > 0 && expr_is_zero(pool, parts[0].rate) && expr_is_zero(pool, parts[1].rate) &&
           expr_is_zero(pool, parts[2].rate);
}

static void push_body(Gauss *gauss, DefinedBody body)
{
    size_t *first = &gauss->first_body[body.frame.at];
    array_push(&gauss->bodies, body);
    array_push(&gauss->next_body, *first);
    *first = gauss->bodies.count;
}

static DefinedBody *find_body(Gauss *gauss, size_t base, uint32_t frame)
{
    Expr zero = expr_int(gauss->definitions->motion->pool, 0);
    for (size_t at = gauss->first_body[frame]; at; at = gauss->next_body.at[at - 1])
        if (gauss->bodies.at[at - 1].base == base)
            return &gauss->bodies.at[at - 1];
    DefinedBody body = {.base = base, .frame = {frame}, .mass = zero};
    for (int i = 0; i < 6; i++)
        body.second[i] = body.first[i % 3] = zero;
    push_body(gauss, body);
    return &gauss->bodies.at[gauss->bodies.count - 1];
}

// Along a chain digits pile up that no double has.
static void shorten(Gauss *gauss, DefinedBody *body)
{
    ExprPool *pool = gauss->definitions->motion->pool;
    body->mass = assembly_short(gauss->assembly, pool, body->mass);
    for (int i = 0; i < 3; i++)
        body->first[i] = assembly_short(gauss->assembly, pool, body->first[i]);
    for (int i = 0; i < 6; i++)
        body->second[i] = assembly_short(gauss->assembly, pool, body->second[i]);
}

// Adds what is constant in a frame about a base: about the base of that one, if it stands still.
static void add_about(Gauss *gauss, size_t base, uint32_t frame, const DefinedBody *part)
{
    ExprPool *pool = gauss->definitions->motion->pool;
    const DefinedPoint *point = &gauss->definitions->points.at[base];
    Expr zero = expr_int(pool, 0), r[3] = {zero, zero, zero};
    if (is_fixed(gauss, base) && point->frame.at == frame) {
        for (int i = 0; i < 3; i++)
            r[i] = gauss_fixed(gauss, point->parts[i].value);
        base = point->base;
    }
    DefinedBody *body = find_body(gauss, base, frame);
    defined_body_add(pool, body, part->mass, part->first, r, part->second);
    shorten(gauss, body);
}

static void regroup(Gauss *gauss, size_t index, int axis)
{
    assert(axis >= 0 && index < gauss->bodies.count);
    ExprPool *pool = gauss->definitions->motion->pool;
    DefinedBody *body = &gauss->bodies.at[index], part = *body;
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    Expr zero = expr_int(pool, 0), same = body->second[i];
    part.first[i] = part.first[j] = part.second[axis] = zero;
    part.second[3] = part.second[4] = part.second[5] = zero;
    part.second[j] = same;
    body->mass = body->first[axis] = body->second[i] = zero;
    body->second[j] = expr_sub(pool, body->second[j], same);
    size_t base = body->base;
    uint32_t above = gauss_parent(gauss, body->frame.at);
    uint32_t own = gauss->definitions->points.at[base].frame.at;
    if (own != above && is_fixed(gauss, base)) {
        // The mass itself is a particle at the base, wherever that stands still.
        DefinedBody particle = {.mass = part.mass, .first = {zero, zero, zero}};
        for (int k = 0; k < 6; k++)
            particle.second[k] = zero;
        add_about(gauss, base, own, &particle);
        part.mass = zero;
    }
    add_about(gauss, base, above, &part);
}

static void fix_bodies(Gauss *gauss)
{
    const Definitions *definitions = gauss->definitions;
    for (size_t i = 0; i < definitions->bodies.count; i++) {
        DefinedBody body = definitions->bodies.at[i];
        body.mass = gauss_fixed(gauss, body.mass);
        for (int k = 0; k < 6; k++) {
            if (k < 3)
                body.first[k] = gauss_fixed(gauss, body.first[k]);
            body.second[k] = gauss_fixed(gauss, body.second[k]);
        }
        push_body(gauss, body);
    }
}

// ---- First moments: a mass at a point that others start from, and as much less about the base,
// may leave fewer of them.

// The component of r by which most of first moments vanish; 3 for none.
static int best_component(Gauss *gauss, const DefinedBody *body, const Expr r[3], int axis)
{
    ExprPool *pool = gauss->definitions->motion->pool;
    int best = 3, most = 0;
    for (int i = 0; i < 3; i++) {
        int gain = 0;
        if (expr_is_zero(pool, r[i]) || expr_is_zero(pool, body->first[i]))
            continue;
        Expr mass = expr_div(pool, body->first[i], r[i]);
        for (int k = 0; k < 3; k++) {
            Expr left = expr_sub(pool, body->first[k], expr_mul(pool, mass, r[k]));
            if (k != axis)
                gain += expr_is_zero(pool, left) - expr_is_zero(pool, body->first[k]);
        }
        if (gain > most) {
            most = gain;
            best = i;
        }
    }
    return best;
}

static bool move_mass(Gauss *gauss, size_t index, size_t point, int axis)
{
    ExprPool *pool = gauss->definitions->motion->pool;
    const DefinedPoint *at = &gauss->definitions->points.at[point];
    DefinedBody *body = &gauss->bodies.at[index];
    Expr zero = expr_int(pool, 0), r[3];
    const Expr none[6] = {zero, zero, zero, zero, zero, zero};
    for (int i = 0; i < 3; i++)
        r[i] = gauss_fixed(gauss, at->parts[i].value);
    int best = best_component(gauss, body, r, axis);
    if (best == 3)
        return false;
    DefinedBody particle = {
        .base = point, .frame = at->frame, .mass = expr_div(pool, body->first[best], r[best])};
    for (int i = 0; i < 6; i++)
        particle.second[i] = particle.first[i % 3] = zero;
    defined_body_add(pool, body, expr_neg(pool, particle.mass), none, r, none);
    array_push(&gauss->particles, particle);
    return true;
}

// The last point of a base and a frame that something starts from, by base; 0 for none.
static size_t *find_starts(Gauss *gauss)
{
    const Definitions *definitions = gauss->definitions;
    size_t *starts = arena_array(gauss->arena, size_t, definitions->points.count);
    bool *based = arena_array(gauss->arena, bool, definitions->points.count);
    for (size_t i = 1; i < definitions->points.count; i++)
        based[definitions->points.at[i].base] = true;
    for (size_t i = 0; i < gauss->bodies.count; i++)
        based[gauss->bodies.at[i].base] = true;
    for (size_t i = 1; i < definitions->points.count; i++)
        if (based[i] && is_fixed(gauss, i))
            starts[definitions->points.at[i].base] = i;
    return starts;
}

// Frames that are farther from world come first.
void gauss_regroup(Gauss *gauss)
{
    gauss->first_body = arena_array(gauss->arena, size_t, gauss->definitions->frame_count);
    fix_bodies(gauss);
    const size_t *starts = find_starts(gauss);
    for (uint32_t frame = (uint32_t)gauss->definitions->frame_count;
         gauss->options.regrouped && frame-- > 1;) {
        int axis = frame_turn_in_parent(vectors_of(gauss), (Frame){frame}).axis;
        for (size_t at = axis >= 0 ? gauss->first_body[frame] : 0; at;
             at = gauss->next_body.at[at - 1]) {
            size_t i = at - 1;
            regroup(gauss, i, axis);
            size_t point = starts[gauss->bodies.at[i].base];
            if (gauss->options.moved && point &&
                gauss->definitions->points.at[point].frame.at == frame &&
                move_mass(gauss, i, point, axis))
                regroup(gauss, i, axis);
        }
    }
    for (size_t i = 0; i < gauss->particles.count; i++)
        array_push(&gauss->bodies, gauss->particles.at[i]);
}

static bool is_nothing(const Gauss *gauss, const DefinedBody *body)
{
    const ExprPool *pool = gauss->definitions->motion->pool;
    bool nothing = expr_is_zero(pool, body->mass);
    for (int i = 0; i < 6; i++)
        nothing = nothing && expr_is_zero(pool, body->second[i]) &&
                  expr_is_zero(pool, body->first[i % 3]);
    return nothing;
}

// ---- Which are used.

static void use_frame(Gauss *gauss, uint32_t frame)
{
    for (; frame && !gauss->frames[frame].used; frame = gauss_parent(gauss, frame))
        gauss->frames[frame].used = true;
}

static void use_point(Gauss *gauss, size_t point)
{
    for (; point && !gauss->points[point].used; point = gauss->definitions->points.at[point].base) {
        gauss->points[point].used = true;
        use_frame(gauss, gauss->definitions->points.at[point].frame.at);
    }
}

static void use_force(Gauss *gauss, const DefinedForce *force)
{
    if (force->point)
        use_point(gauss, force->point);
    else
        use_frame(gauss, force->frame.at);
}

// Those of a condition, and those of a servo that keeps it.
static void for_row_forces(Gauss *gauss, const DefinedRow *row,
                           void (*visit)(Gauss *, const DefinedForce *))
{
    for (size_t i = 0; i < gauss_row_forces(gauss, row); i++)
        visit(gauss, &row->forces[i]);
    for (size_t i = 0; row->servo && i < row->servo->force_count; i++)
        visit(gauss, &row->servo->forces[i]);
}

static void find_used(Gauss *gauss)
{
    const Definitions *definitions = gauss->definitions;
    size_t kept = 0;
    for (size_t i = 0; i < gauss->bodies.count; i++)
        if (!is_nothing(gauss, &gauss->bodies.at[i]))
            gauss->bodies.at[kept++] = gauss->bodies.at[i];
    gauss->bodies.count = kept;
    for (size_t i = 0; i < gauss->bodies.count; i++) {
        use_frame(gauss, gauss->bodies.at[i].frame.at);
        use_point(gauss, gauss->bodies.at[i].base);
    }
    for (size_t i = 0; i < definitions->forces.count; i++)
        use_force(gauss, &definitions->forces.at[i]);
    for (size_t i = 0; i < definitions->motion->m; i++)
        for_row_forces(gauss, &definitions->rows[i], use_force);
}

// ---- Axes.

// A frame may stay still where all that hang on it turn about the same axis.
static void choose_axes(Gauss *gauss)
{
    size_t count = gauss->definitions->frame_count;
    GaussFrame *frames = gauss->frames;
    for (uint32_t i = 1; i < count; i++) {
        frames[i].axis = frame_turn_in_parent(vectors_of(gauss), (Frame){i}).axis;
        frames[i].still = gauss->options.still && frames[i].axis >= 0;
    }
    for (uint32_t i = (uint32_t)count; i-- > 1;) {
        GaussFrame *above = &frames[gauss_parent(gauss, i)];
        if (frames[i].used && above->axis != frames[i].axis)
            above->still = false;
    }
    frames[0].still = false;
    for (uint32_t i = 1; i < count; i++)
        frames[i].axes = frames[i].still ? frames[gauss_parent(gauss, i)].axes : i;
}

uint32_t gauss_parent_axes(const Gauss *gauss, uint32_t axes)
{
    return gauss->frames[gauss_parent(gauss, axes)].axes;
}

static uint32_t common_axes(const Gauss *gauss, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a > b)
            a = gauss_parent_axes(gauss, a);
        else
            b = gauss_parent_axes(gauss, b);
    }
    return a;
}

// A point's acceleration is along the axes that all share who start from it.
static void choose_point_axes(Gauss *gauss)
{
    const Definitions *definitions = gauss->definitions;
    GaussPoint *points = gauss->points;
    for (size_t i = 1; i < definitions->points.count; i++)
        points[i].axes = gauss->frames[definitions->points.at[i].frame.at].axes;
    for (size_t i = 0; i < gauss->bodies.count; i++) {
        GaussPoint *base = &points[gauss->bodies.at[i].base];
        base->axes =
            common_axes(gauss, base->axes, gauss->frames[gauss->bodies.at[i].frame.at].axes);
    }
    for (size_t i = definitions->points.count; i-- > 1;) {
        GaussPoint *base = &points[definitions->points.at[i].base];
        if (points[i].used)
            base->axes = common_axes(gauss, base->axes, points[i].axes);
    }
    points[0].axes = 0;
}

// ---- Views.

uint32_t gauss_view(const Gauss *gauss, size_t point, uint32_t axes)
{
    uint32_t view = gauss->points[point].views;
    while (view && gauss->views.at[view].axes != axes)
        view = gauss->views.at[view].next;
    return view;
}

// The acceleration of a point along these axes, and along all between them and the point's own.
static void ask_for_view(Gauss *gauss, size_t point, uint32_t axes)
{
    uint32_t own = gauss->points[point].axes;
    while (!gauss_view(gauss, point, axes)) {
        GaussView view = {.axes = axes, .next = gauss->points[point].views};
        for (int i = 0; i < 3 && point; i++)
            view.ids[i] = quadratic_new_unknown(&gauss->form, false);
        array_push(&gauss->views, view);
        gauss->points[point].views = (uint32_t)gauss->views.count - 1;
        if (axes == own)
            return;
        axes = gauss_parent_axes(gauss, axes);
    }
}

static void make_views(Gauss *gauss)
{
    const Definitions *definitions = gauss->definitions;
    array_push(&gauss->views, ((GaussView){0}));
    for (size_t i = 0; i < definitions->points.count; i++)
        if (gauss->points[i].used || i == 0)
            ask_for_view(gauss, i, gauss->points[i].axes);
    for (size_t i = 0; i < gauss->bodies.count; i++)
        ask_for_view(gauss, gauss->bodies.at[i].base,
                     gauss->frames[gauss->bodies.at[i].frame.at].axes);
    for (size_t i = 1; i < definitions->points.count; i++)
        if (gauss->points[i].used)
            ask_for_view(gauss, definitions->points.at[i].base, gauss->points[i].axes);
}

// ---- Order.

static void make_intervals(Gauss *gauss)
{
    size_t count = gauss->definitions->frame_count;
    GaussFrame *frames = gauss->frames;
    size_t *sizes = arena_array(gauss->arena, size_t, count);
    for (uint32_t i = (uint32_t)count; i-- > 0;) {
        sizes[i]++;
        if (i)
            sizes[gauss_parent(gauss, i)] += sizes[i];
    }
    // `leave` is where the next child begins until all are placed.
    frames[0].leave = 1;
    for (uint32_t i = 1; i < count; i++) {
        GaussFrame *above = &frames[gauss_parent(gauss, i)];
        frames[i].enter = above->leave;
        frames[i].leave = above->leave + 1;
        above->leave += sizes[i];
    }
    for (uint32_t i = 0; i < count; i++)
        frames[i].leave = frames[i].enter + sizes[i];
}

// Whether the acceleration of a point depends on that of a frame.
static bool depends(const Gauss *gauss, size_t point, uint32_t frame)
{
    const GaussFrame *above = &gauss->frames[frame];
    for (; point; point = gauss->definitions->points.at[point].base) {
        size_t enter = gauss->frames[gauss->definitions->points.at[point].frame.at].enter;
        if (above->enter <= enter && enter < above->leave)
            return true;
    }
    return false;
}

static size_t push_item(Gauss *gauss, GaussItemKind kind, size_t index, uint32_t view)
{
    GaussItem item = {.kind = kind, .index = index, .view = view};
    array_push(&gauss->items, item);
    return gauss->items.count;
}

static void visit_frame(Gauss *gauss, uint32_t frame);
static void visit_point(Gauss *gauss, size_t point);

// A view is turned with its frame, unless its point moves with that.
static bool is_grouped(const Gauss *gauss, size_t point, uint32_t view)
{
    return !depends(gauss, point, gauss->views.at[view].axes);
}

static void visit_view(Gauss *gauss, size_t point, uint32_t view)
{
    uint32_t axes = gauss->views.at[view].axes;
    if (point == 0 || gauss->views.at[view].item)
        return;
    if (axes == gauss->points[point].axes) {
        visit_point(gauss, point);
        return;
    }
    if (is_grouped(gauss, point, view)) {
        visit_frame(gauss, axes);
        return;
    }
    visit_view(gauss, point, gauss_view(gauss, point, gauss_parent_axes(gauss, axes)));
    gauss->views.at[view].item = push_item(gauss, ITEM_VIEW, point, view);
}

static void visit_frame(Gauss *gauss, uint32_t frame)
{
    if (frame == 0 || gauss->frames[frame].item)
        return;
    visit_frame(gauss, gauss_parent(gauss, frame));
    uint32_t above = gauss_parent_axes(gauss, frame);
    GaussItem item = {.kind = ITEM_FRAME, .index = frame};
    for (size_t i = 0; i < gauss->frames[frame].group.count; i += 2) {
        size_t point = gauss->frames[frame].group.at[i];
        visit_view(gauss, point, gauss_view(gauss, point, above));
    }
    array_push(&gauss->items, item);
    gauss->frames[frame].item = gauss->items.count;
    for (size_t i = 0; i < gauss->frames[frame].group.count; i += 2)
        gauss->views.at[gauss->frames[frame].group.at[i + 1]].item = gauss->items.count;
}

static void visit_point(Gauss *gauss, size_t point)
{
    const DefinedPoint *defined = &gauss->definitions->points.at[point];
    uint32_t axes = gauss->points[point].axes, view = gauss_view(gauss, point, axes);
    if (point == 0 || gauss->views.at[view].item)
        return;
    // The base first: so the frame's own unknowns leave before they are coupled to those of the
    // base's frame.
    visit_view(gauss, defined->base, gauss_view(gauss, defined->base, axes));
    visit_frame(gauss, defined->frame.at);
    gauss->views.at[view].item = push_item(gauss, ITEM_POINT, point, view);
}

// Views that are turned with a frame, as pairs of point and view.
static void make_groups(Gauss *gauss)
{
    for (size_t point = 0; point < gauss->definitions->points.count; point++)
        for (uint32_t view = gauss->points[point].views; view; view = gauss->views.at[view].next) {
            uint32_t axes = gauss->views.at[view].axes;
            if (axes == gauss->points[point].axes || !is_grouped(gauss, point, view))
                continue;
            array_push(&gauss->frames[axes].group, point);
            array_push(&gauss->frames[axes].group, view);
        }
}

static void visit_force(Gauss *gauss, const DefinedForce *force)
{
    if (force->point)
        visit_point(gauss, force->point);
    else
        visit_frame(gauss, force->frame.at);
}

void gauss_order(Gauss *gauss)
{
    const Definitions *definitions = gauss->definitions;
    assert(gauss->items.count == 0);
    find_used(gauss);
    choose_axes(gauss);
    choose_point_axes(gauss);
    make_intervals(gauss);
    make_views(gauss);
    make_groups(gauss);
    for (size_t i = 0; i < gauss->bodies.count; i++) {
        const DefinedBody *body = &gauss->bodies.at[i];
        visit_view(gauss, body->base,
                   gauss_view(gauss, body->base, gauss->frames[body->frame.at].axes));
        visit_frame(gauss, body->frame.at);
    }
    for (size_t i = 0; i < definitions->forces.count; i++)
        visit_force(gauss, &definitions->forces.at[i]);
    for (size_t i = 0; i < definitions->motion->m; i++)
        for_row_forces(gauss, &definitions->rows[i], visit_force);
}

// ---- Loops.

// Items that an item is defined by, each with these marks.
typedef struct {
    uint64_t *marks; // of every item
    uint64_t all;
    size_t partial; // items with some of the marks
    size_t lowest;  // item that defines a coordinate of the row
} Closing;

static void mark_item(Closing *closing, size_t item, uint64_t marks)
{
    if (item == 0)
        return;
    uint64_t *own = &closing->marks[item - 1], former = *own;
    *own |= marks;
    closing->partial += former == 0 && *own != closing->all;
    closing->partial -= former != 0 && former != closing->all && *own == closing->all;
}

static size_t item_of_view(const Gauss *gauss, size_t point, uint32_t axes)
{
    return point ? gauss->views.at[gauss_view(gauss, point, axes)].item : 0;
}

static void mark_needs(const Gauss *gauss, Closing *closing, const GaussItem *item, uint64_t marks)
{
    if (item->kind == ITEM_FRAME) {
        const GaussFrame *frame = &gauss->frames[item->index];
        uint32_t above = gauss_parent(gauss, (uint32_t)item->index);
        mark_item(closing, gauss->frames[above].item, marks);
        for (size_t i = 0; i < frame->group.count; i += 2)
            mark_item(closing, item_of_view(gauss, frame->group.at[i], gauss->frames[above].axes),
                      marks);
    } else if (item->kind == ITEM_POINT) {
        const DefinedPoint *point = &gauss->definitions->points.at[item->index];
        mark_item(closing, gauss->frames[point->frame.at].item, marks);
        mark_item(closing, item_of_view(gauss, point->base, gauss->points[item->index].axes),
                  marks);
    } else {
        uint32_t axes = gauss->views.at[item->view].axes;
        mark_item(closing, item_of_view(gauss, item->index, gauss_parent_axes(gauss, axes)), marks);
    }
}

static size_t mark_places(const Gauss *gauss, Closing *closing, const DefinedRow *row)
{
    size_t top = 0, forces = gauss_row_forces(gauss, row), count;
    const DefinitionTerm *terms = gauss_row_terms(gauss, row, &count);
    count += forces;
    closing->all = count == 1 ? 3 : count >= 64 ? UINT64_MAX : ((uint64_t)1 << count) - 1;
    closing->partial = 0;
    size_t lowest = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        size_t item;
        if (i >= forces) {
            item = gauss->places[terms[i - forces].coordinate];
            lowest = item && item < lowest ? item : lowest;
        } else if (row->forces[i].point)
            item =
                item_of_view(gauss, row->forces[i].point, gauss->points[row->forces[i].point].axes);
        else
            item = gauss->frames[row->forces[i].frame.at].item;
        mark_item(closing, item, (uint64_t)1 << (i < 63 ? i : 63));
        top = item > top ? item : top;
    }
    closing->lowest = lowest;
    return top;
}

// The last item of a row's loop, + 1: after it all that is not common to its places is gone.
static size_t find_closing(const Gauss *gauss, Closing *closing, const DefinedRow *row)
{
    size_t top = mark_places(gauss, closing, row), last = top, item = top;
    for (; item > 0 && closing->partial > 0; item--) {
        uint64_t *marks = &closing->marks[item - 1];
        if (*marks == 0)
            continue;
        if (*marks != closing->all) {
            closing->partial--;
            last = item;
        }
        mark_needs(gauss, closing, &gauss->items.at[item - 1], *marks);
        *marks = 0;
    }
    memset(closing->marks, 0, item * sizeof *closing->marks);
    return closing->lowest < last ? closing->lowest : last;
}

void gauss_close_rows(Gauss *gauss)
{
    assert(gauss->items.count > 0 || gauss->bodies.count == 0);
    size_t m = gauss->definitions->motion->m;
    Closing closing = {.marks = arena_array(gauss->arena, uint64_t, gauss->items.count + 1)};
    gauss->next_closing = arena_array(gauss->arena, size_t, m + 1);
    for (size_t i = 0; i < m; i++) {
        const DefinedRow *row = &gauss->definitions->rows[i];
        size_t item = row->servo ? 0 : find_closing(gauss, &closing, row);
        if (item == 0)
            continue;
        gauss->next_closing[i] = gauss->items.at[item - 1].closing;
        gauss->items.at[item - 1].closing = i + 1;
    }
}
