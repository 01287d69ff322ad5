// springs.c: springs, dampers and bushings, which are potentials and dissipations.
//
// With d the distance of two points, or a coordinate: a spring is k·(d − l)²/2, a damper c·d′²/2.
// A bushing has the components u of the way from P to Q along the axes of A, and φ = ½ Σ a × b
// over the axes of A and B, which is sin(angle)·axis: ½ Σ k·u², ½ Σ c·u′², ½ Σ κ·φ².
#include "model/model_impl.h"

static Expr half_of(Elaborator *e, Expr factor, Expr square)
{
    Expr factors[] = {factor, square, expr_pow_int(e->pool, expr_int(e->pool, 2), -1)};
    return expr_product(e->pool, factors, 3);
}

static void add_energy(Elaborator *e, EnergyKind kind, Expr factor, Expr of)
{
    push_energy(e, kind, half_of(e, factor, expr_pow_int(e->pool, of, 2)));
}

// ---- Ends.

// A spring has two ends, or stretches with a coordinate.
typedef struct {
    const char *label, *what; // "a spring"
    bool between;
    Vector first, second;
    Expr length, square; // d and d²
    Dim dim;             // of d
} Link;

void keep_hold(Elaborator *e, const Part *part, const char *what, Vector position,
               const Value *side)
{
    ModelHold hold = {.what = what, .point = {.position = position, .on = LOAD_ON_POINT}};
    Str text = syntax_text(e->syntax, part->start, part->length);
    hold.point.at = syntax_part_place(e->syntax, part);
    hold.point.name = arena_copy_text(e->arena, text.at, text.length);
    if (side && side->kind == VALUE_BODY) {
        hold.point.on = LOAD_ON_BODY;
        hold.point.body = side->body;
    }
    array_push(&e->model->holds, hold);
}

// `side` is the body or frame that is named with it, or NULL.
static bool read_end(Elaborator *e, const Part *part, const char *what, const Value *side,
                     Vector *end)
{
    Place place = syntax_part_place(e->syntax, part);
    Value value = elaborate_span(e, part->span);
    Shown shown = text_shown(syntax_text(e->syntax, place.start, place.length));
    if (value.kind == VALUE_BODY || value.kind == VALUE_FRAME || value.kind == VALUE_PART)
        return elaborate_fail(e, place, "%s is between points, and '%s' is %s; name a point of it",
                              what, shown.at, value_kind_name(value.kind));
    value = value_as_point(e, value, place, "an end");
    *end = value.vector;
    if (value.kind == VALUE_BAD || !value_within(e, &value, LEVEL_PLACE, place, "an end"))
        return false;
    keep_hold(e, part, what, value.vector, side);
    return true;
}

static bool read_between(Elaborator *e, Link *link)
{
    const Part *first = statement_part(e, PART_BETWEEN), *second = statement_part(e, PART_AND);
    bool good = read_end(e, first, link->what, NULL, &link->first);
    if (!read_end(e, second, link->what, NULL, &link->second) || !good)
        return false;
    Vector way = vector_sub(e->model->vectors, link->second, link->first);
    link->square = vector_dot(e->model->vectors, way, way);
    link->length = expr_sqrt(e->pool, link->square);
    link->between = true;
    link->dim = dim_of(0, 1, 0);
    if (expr_is_zero(e->pool, link->square))
        return elaborate_fail(e,
                              place_between(syntax_part_place(e->syntax, first),
                                            syntax_part_place(e->syntax, second)),
                              "the two ends of %s are one point", link->what);
    return true;
}

static bool read_link(Elaborator *e, Link *link)
{
    const Part *along = statement_part(e, PART_ALONG), *label = statement_part(e, PART_LABEL);
    if (label && !elaborate_label(e, label, e->labels, "something called", &link->label))
        return false;
    if (!along)
        return read_between(e, link);
    const NameEntry *entry = elaborate_along(e, along, link->what, false);
    if (!entry)
        return false;
    link->length = entry->value.scalar;
    link->dim = entry->value.dim;
    link->square = expr_pow_int(e->pool, link->length, 2);
    return true;
}

// ---- Stiffness and damping.

static void warn_negative(Elaborator *e, const Part *part, const char *what, Expr value)
{
    Expr above = expr_call(e->pool, EXPR_MAX, value, expr_int(e->pool, 0));
    if (expr_is_number(e->pool, value) && !expr_same(above, value))
        diag_add(e->diag, DIAG_WARNING, syntax_part_place(e->syntax, part),
                 "%s is negative here (%s); is that meant?", what,
                 text_shown(syntax_text(e->syntax, part->start, part->length)).at);
}

static bool read_factor(Elaborator *e, PartRole role, Level level, const char *what, Dim dim,
                        Expr *value)
{
    const Part *part = statement_part(e, role);
    if (!part || !elaborate_measure(e, part, level, what, dim, value, NULL))
        return !part;
    // A coordinate may be at rest below 0.
    if (role != PART_REST || !statement_part(e, PART_ALONG))
        warn_negative(e, part, what, *value);
    return true;
}

static bool fail_missing(Elaborator *e, const char *what, const char *clause)
{
    return elaborate_fail(e, syntax_word_place(e->syntax, e->statement), "%s needs its '%s'", what,
                          clause);
}

static void keep_spring(Elaborator *e, const Link *link, Expr force)
{
    ModelSpring spring = {.name = link->label,
                          .between = link->between,
                          .first = link->first,
                          .second = link->second,
                          .force = force,
                          .damper = e->statement->kind == STATEMENT_DAMPER,
                          .waits = e->waits,
                          .place = syntax_statement_place(e->syntax, e->statement)};
    reaction_dim_put(e, "spring.", link->label, dim_over(dim_of(1, 2, -2), link->dim));
    array_push(&e->model->springs, spring);
}

bool read_spring(Elaborator *e)
{
    bool damper = e->statement->kind == STATEMENT_DAMPER;
    Link link = {.what = damper ? "a damper" : "a spring"};
    Expr zero = expr_int(e->pool, 0), stiffness = zero, rest = zero, damping = zero;
    const Part *needed = statement_part(e, damper ? PART_DAMPING : PART_STIFFNESS);
    if (!read_link(e, &link))
        return false;
    Dim square = dim_times(link.dim, link.dim);
    if (!read_factor(e, PART_STIFFNESS, LEVEL_TIME, "a stiffness",
                     dim_over(dim_of(1, 2, -2), square), &stiffness) ||
        !read_factor(e, PART_REST, LEVEL_TIME, "a length at rest", link.dim, &rest) ||
        !read_factor(e, PART_DAMPING, LEVEL_PLACE, "a damping", dim_over(dim_of(1, 2, -1), square),
                     &damping))
        return false;
    if (!needed)
        return fail_missing(e, link.what, damper ? "damping" : "stiffness");
    Expr stretch = expr_sub(e->pool, link.length, rest);
    Expr rate = expr_rate(e->model->dt, link.length);
    // Without a length at rest it is smooth through d = 0.
    if (!damper && expr_is_zero(e->pool, rest))
        push_energy(e, ENERGY_POTENTIAL, half_of(e, stiffness, link.square));
    else if (!damper)
        add_energy(e, ENERGY_POTENTIAL, stiffness, stretch);
    if (!expr_is_zero(e->pool, damping))
        add_energy(e, ENERGY_DISSIPATION, damping, rate);
    keep_spring(
        e, &link,
        expr_add(e->pool, expr_mul(e->pool, stiffness, stretch), expr_mul(e->pool, damping, rate)));
    return true;
}

bool spring_force(Elaborator *e, const char *label, Place place, Expr *force)
{
    const char *name = parts_label(e, label);
    ARRAY(Str) candidates = {0};
    *force = (Expr){0};
    for (size_t i = 0; i < e->model->springs.count; i++) {
        const ModelSpring *spring = &e->model->springs.at[i];
        if (spring->name && str_is(str_of(spring->name), name))
            *force = spring->waits == 0
                         ? spring->force
                         : expr_mul(e->pool, e->model->whiles.at[spring->waits - 1].value,
                                    spring->force);
        if (spring->name)
            array_push(&candidates, str_of(spring->name));
    }
    bool found = !expr_is_none(*force) || name_map_get(e->lost_labels, str_of(name), NULL);
    if (!found)
        elaborate_fail_unknown(e, place, "spring", str_of(name), candidates.at, candidates.count);
    array_clear(&candidates);
    return !expr_is_none(*force);
}

// ---- Bushings.

typedef struct {
    Value a, b; // bodies or frames
    Vector first, second;
    Shown name; // of the first body
} Bushing;

static bool read_side_of(Elaborator *e, const Part *part, Value *side)
{
    Place place = syntax_part_place(e->syntax, part);
    *side = elaborate_span(e, part->span);
    if (side->kind == VALUE_BAD || side->kind == VALUE_BODY || side->kind == VALUE_FRAME)
        return side->kind != VALUE_BAD;
    return elaborate_fail(e, place, "a bushing is between bodies, and this is %s",
                          value_kind_name(side->kind));
}

// Three of them, or one for all; 0 where the clause is missing.
static bool read_three(Elaborator *e, const Bushing *bushing, PartRole role, const char *what,
                       Dim dim, Expr *values)
{
    const Part *part = statement_part(e, role);
    Dim dims[3];
    for (int i = 0; i < 3; i++)
        values[i] = expr_int(e->pool, 0);
    if (!part)
        return true;
    const Node *root = &e->syntax->nodes.at[part->span.root];
    if (root->kind == NODE_VECTOR && root->count != 3)
        return elaborate_fail(e, syntax_part_place(e->syntax, part),
                              "a bushing has three %s, along the axes of '%s'", what,
                              bushing->name.at);
    if (!elaborate_each(e, part, 3, LEVEL_TIME, what, values, dims))
        return false;
    for (int i = 0; i < 3; i++)
        if (!dim_check(e, dims[i], dim, syntax_part_place(e->syntax, part), what))
            return false;
    return true;
}

static Vector axis_of(Elaborator *e, Frame frame, int axis)
{
    Expr one = expr_int(e->pool, 1), zero = expr_int(e->pool, 0);
    return vector_of(e->model->vectors, frame,
                     (Vec){axis == 0 ? one : zero, axis == 1 ? one : zero, axis == 2 ? one : zero});
}

static void add_three(Elaborator *e, EnergyKind kind, const Expr *factors, Vec of)
{
    const Expr parts[] = {of.x, of.y, of.z};
    for (int i = 0; i < 3; i++)
        if (!expr_is_zero(e->pool, factors[i]))
            add_energy(e, kind, factors[i], parts[i]);
}

static Vec twist(Elaborator *e, const Bushing *bushing)
{
    Vectors *vectors = e->model->vectors;
    Vector sum = vector_zero(vectors);
    for (int i = 0; i < 3; i++)
        sum = vector_add(vectors, sum,
                         vector_cross(vectors, axis_of(e, bushing->a.frame, i),
                                      axis_of(e, bushing->b.frame, i)));
    Expr half = expr_pow_int(e->pool, expr_int(e->pool, 2), -1);
    return vector_in(vectors, vector_scaled(vectors, half, sum), bushing->a.frame);
}

static bool read_places(Elaborator *e, Bushing *bushing)
{
    const Part *a = statement_part(e, PART_BETWEEN), *b = statement_part(e, PART_AND);
    const Part *at = statement_part(e, PART_AT), *other = statement_part(e, PART_AT_OTHER);
    bushing->name = text_shown(syntax_text(e->syntax, a->start, a->length));
    if (!read_side_of(e, a, &bushing->a) || !read_side_of(e, b, &bushing->b))
        return false;
    if (!at || !other)
        return elaborate_fail(e, syntax_word_place(e->syntax, e->statement),
                              "a bushing takes hold of a point of each body: 'at P and Q'");
    return read_end(e, at, "a bushing", &bushing->a, &bushing->first) &&
           read_end(e, other, "a bushing", &bushing->b, &bushing->second);
}

bool read_bushing(Elaborator *e)
{
    Bushing bushing;
    Link link = {.what = "a bushing", .between = true};
    const Part *label = statement_part(e, PART_LABEL);
    Expr stiffness[3], damping[3], torsion[3];
    if ((label && !elaborate_label(e, label, e->labels, "something called", &link.label)) ||
        !read_places(e, &bushing) ||
        !read_three(e, &bushing, PART_STIFFNESS, "stiffnesses", dim_of(1, 0, -2), stiffness) ||
        !read_three(e, &bushing, PART_DAMPING, "dampings", dim_of(1, 0, -1), damping) ||
        !read_three(e, &bushing, PART_TORSION, "stiffnesses of torsion", dim_of(1, 2, -2), torsion))
        return false;
    if (!statement_part(e, PART_STIFFNESS))
        return fail_missing(e, "a bushing", "stiffness");
    Vector way = vector_sub(e->model->vectors, bushing.second, bushing.first);
    Vec u = vector_in(e->model->vectors, way, bushing.a.frame);
    Vec rates = {expr_rate(e->model->dt, u.x), expr_rate(e->model->dt, u.y),
                 expr_rate(e->model->dt, u.z)};
    add_three(e, ENERGY_POTENTIAL, stiffness, u);
    add_three(e, ENERGY_DISSIPATION, damping, rates);
    if (statement_part(e, PART_TORSION))
        add_three(e, ENERGY_POTENTIAL, torsion, twist(e, &bushing));
    link.first = bushing.first;
    link.second = bushing.second;
    link.label = NULL; // it has no tension
    keep_spring(e, &link, expr_int(e->pool, 0));
    return true;
}
