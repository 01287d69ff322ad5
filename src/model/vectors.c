// vectors.c: the vector graph: sums of parts, their components where they are asked for, their
// derivatives. Frames and turns are in frames.c.
#include "model/vectors_impl.h"

#include <assert.h>

Vectors *vectors_new(ExprPool *pool, ExprRates *dt)
{
    Vectors *vectors = base_alloc(sizeof *vectors);
    vectors->pool = pool;
    vectors->dt = dt;
    array_push(&vectors->nodes, ((VectorNode){0}));
    array_push(&vectors->views, ((View){0}));
    array_push(&vectors->frames, ((FrameNode){0}));
    vectors->frames.at[0].omega = vector_zero(vectors);
    return vectors;
}

void vectors_free(Vectors *vectors)
{
    if (!vectors)
        return;
    array_clear(&vectors->nodes);
    array_clear(&vectors->terms);
    array_clear(&vectors->views);
    array_clear(&vectors->frames);
    array_clear(&vectors->stack);
    base_free(vectors);
}

size_t vectors_turns(const Vectors *vectors)
{
    return vectors->turns;
}

static VectorNode *node_of(const Vectors *vectors, Vector v)
{
    assert(v.at > 0 && v.at < vectors->nodes.count);
    return &vectors->nodes.at[v.at];
}

// ---- Views: the components of a node in a frame, remembered.

static bool find_view(const Vectors *vectors, Vector v, Frame frame, Vec *components)
{
    for (uint32_t i = node_of(vectors, v)->view; i; i = vectors->views.at[i].next)
        if (vectors->views.at[i].frame.at == frame.at) {
            *components = vectors->views.at[i].components;
            return true;
        }
    return false;
}

static void add_view(Vectors *vectors, Vector v, Frame frame, Vec components)
{
    View view = {components, frame, node_of(vectors, v)->view};
    array_push(&vectors->views, view);
    node_of(vectors, v)->view = (uint32_t)vectors->views.count - 1;
}

void vectors_remember(Vectors *vectors, Vector v, Frame frame, Vec components)
{
    Vec known;
    if (!find_view(vectors, v, frame, &known))
        add_view(vectors, v, frame, components);
}

// ---- Making vectors.

Vec vec_scale(ExprPool *pool, Expr factor, Vec v)
{
    return (Vec){expr_mul(pool, factor, v.x), expr_mul(pool, factor, v.y),
                 expr_mul(pool, factor, v.z)};
}

Vec vec_plus(ExprPool *pool, Vec a, Vec b)
{
    return (Vec){expr_add(pool, a.x, b.x), expr_add(pool, a.y, b.y), expr_add(pool, a.z, b.z)};
}

bool vec_is_zero(const ExprPool *pool, Vec v)
{
    return expr_is_zero(pool, v.x) && expr_is_zero(pool, v.y) && expr_is_zero(pool, v.z);
}

Vector vector_of(Vectors *vectors, Frame frame, Vec components)
{
    // The zero vector is at home everywhere.
    if (vec_is_zero(vectors->pool, components))
        frame.at = 0;
    array_push(&vectors->nodes, ((VectorNode){.home = frame}));
    Vector v = {(uint32_t)vectors->nodes.count - 1};
    add_view(vectors, v, frame, components);
    return v;
}

Vector vector_zero(Vectors *vectors)
{
    Expr zero = expr_int(vectors->pool, 0);
    return vector_of(vectors, (Frame){0}, (Vec){zero, zero, zero});
}

static Vec new_symbols(Vectors *vectors, const char *name)
{
    return (Vec){expr_symbol_new(vectors->pool, name), expr_symbol_new(vectors->pool, name),
                 expr_symbol_new(vectors->pool, name)};
}

static void set_rates(Vectors *vectors, Vec of, Vec rates)
{
    expr_rates_set(vectors->dt, of.x, rates.x);
    expr_rates_set(vectors->dt, of.y, rates.y);
    expr_rates_set(vectors->dt, of.z, rates.z);
}

// New symbols along the axes of a frame. Those of a vector change by those of its derivative; what
// the frame's turning adds is linear in the vector, and no derivative by the rates has it.
static void add_arbitrary_view(Vectors *vectors, Vector v, Frame frame)
{
    Vec parts = new_symbols(vectors, node_of(vectors, v)->name);
    Vec rates = vector_in(vectors, node_of(vectors, v)->rate, frame);
    set_rates(vectors, parts, rates);
    add_view(vectors, v, frame, parts);
}

Vector vector_arbitrary(Vectors *vectors, const char *name, const char *rate_name)
{
    assert(name && rate_name);
    Vector none = vector_zero(vectors);
    array_push(&vectors->nodes, ((VectorNode){.name = rate_name, .rate = none}));
    Vector rate = {(uint32_t)vectors->nodes.count - 1};
    array_push(&vectors->nodes, ((VectorNode){.name = name, .rate = rate}));
    Vector v = {(uint32_t)vectors->nodes.count - 1};
    add_arbitrary_view(vectors, v, (Frame){0});
    return v;
}

bool vector_known_view(const Vectors *vectors, Vector v, size_t index, Frame *frame, Vec *parts)
{
    uint32_t view = node_of(vectors, v)->view;
    while (view && index-- > 0)
        view = vectors->views.at[view].next;
    if (view) {
        *frame = vectors->views.at[view].frame;
        *parts = vectors->views.at[view].components;
    }
    return view != 0;
}

static Vec part_of(const Vectors *vectors, Vector v)
{
    Vec components;
    bool found = find_view(vectors, v, node_of(vectors, v)->home, &components);
    assert(found);
    (void)found;
    return components;
}

bool vector_is_zero(const Vectors *vectors, Vector v)
{
    return node_of(vectors, v)->count == 0 && vec_is_zero(vectors->pool, part_of(vectors, v));
}

static Vec vec_scaled(ExprPool *pool, Expr factor, Vec v)
{
    return (Vec){expr_mul(pool, factor, v.x), expr_mul(pool, factor, v.y),
                 expr_mul(pool, factor, v.z)};
}

static Vec vec_add(ExprPool *pool, Vec a, Vec b)
{
    return (Vec){expr_add(pool, a.x, b.x), expr_add(pool, a.y, b.y), expr_add(pool, a.z, b.z)};
}

// ---- Sums. Short sums inside are merged, equal terms collected, parts of one frame added: so
// that what cancels is gone before anything is turned.

enum { MOST_MERGED = 8 };

typedef struct {
    ARRAY(Term) terms;
} Gathered;

// Whether all that is known of it are components in its home.
static bool is_part(const VectorNode *node)
{
    return node->count == 0 && !node->name;
}

static void gather_term(Vectors *vectors, Gathered *gathered, Term term)
{
    ExprPool *pool = vectors->pool;
    // Nothing is added: a part keeps the views that it has.
    if (vector_is_zero(vectors, term.vector))
        return;
    bool part = is_part(node_of(vectors, term.vector));
    for (size_t i = 0; i < gathered->terms.count; i++) {
        Term *other = &gathered->terms.at[i];
        if (other->vector.at == term.vector.at) {
            other->factor = expr_add(pool, other->factor, term.factor);
            return;
        }
        const VectorNode *node = node_of(vectors, other->vector);
        if (part && is_part(node) && node->home.at == node_of(vectors, term.vector)->home.at) {
            Vec sum =
                vec_add(pool, vec_scaled(pool, other->factor, part_of(vectors, other->vector)),
                        vec_scaled(pool, term.factor, part_of(vectors, term.vector)));
            Frame home = node->home;
            other->vector = vector_of(vectors, home, sum);
            other->factor = expr_int(pool, 1);
            return;
        }
    }
    array_push(&gathered->terms, term);
}

static size_t merged_size(const Vectors *vectors, const Vector *terms, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size_t inner = node_of(vectors, terms[i])->count;
        size += inner ? inner : 1;
    }
    return size;
}

static void gather(Vectors *vectors, Gathered *gathered, const Vector *terms, const Expr *factors,
                   size_t count, bool merge)
{
    for (size_t i = 0; i < count; i++) {
        Expr factor = factors ? factors[i] : expr_int(vectors->pool, 1);
        const VectorNode node = *node_of(vectors, terms[i]);
        if (node.count == 0 || !merge) {
            gather_term(vectors, gathered, (Term){terms[i], factor});
            continue;
        }
        for (size_t j = 0; j < node.count; j++) {
            Term inner = vectors->terms.at[node.first + j];
            inner.factor = expr_mul(vectors->pool, factor, inner.factor);
            gather_term(vectors, gathered, inner);
        }
    }
}

// Merges where that makes the sum shorter; a chain's sums stay nested, each link on the last.
static void gather_short(Vectors *vectors, Gathered *gathered, const Vector *terms,
                         const Expr *factors, size_t count)
{
    size_t size = merged_size(vectors, terms, count);
    bool merge = size > count && size <= MOST_MERGED;
    gather(vectors, gathered, terms, factors, count, merge);
    if (merge && gathered->terms.count == size) {
        gathered->terms.count = 0;
        gather(vectors, gathered, terms, factors, count, false);
    }
}

static bool term_vanishes(const Vectors *vectors, Term term)
{
    return expr_is_zero(vectors->pool, term.factor) || vector_is_zero(vectors, term.vector);
}

static Vector finish_sum(Vectors *vectors, Gathered *gathered)
{
    size_t kept = 0;
    for (size_t i = 0; i < gathered->terms.count; i++)
        if (!term_vanishes(vectors, gathered->terms.at[i]))
            gathered->terms.at[kept++] = gathered->terms.at[i];
    if (kept == 0)
        return vector_zero(vectors);
    Term only = gathered->terms.at[0];
    if (kept == 1 && expr_is_one(vectors->pool, only.factor))
        return only.vector;
    if (kept == 1 && is_part(node_of(vectors, only.vector)))
        return vector_of(vectors, node_of(vectors, only.vector)->home,
                         vec_scaled(vectors->pool, only.factor, part_of(vectors, only.vector)));
    VectorNode node = {.first = (uint32_t)vectors->terms.count, .count = (uint32_t)kept};
    for (size_t i = 0; i < kept; i++) {
        Frame home = node_of(vectors, gathered->terms.at[i].vector)->home;
        node.home = i ? frame_join(vectors, node.home, home) : home;
        array_push(&vectors->terms, gathered->terms.at[i]);
    }
    array_push(&vectors->nodes, node);
    return (Vector){(uint32_t)vectors->nodes.count - 1};
}

Vector vector_sum(Vectors *vectors, const Vector *terms, const Expr *factors, size_t count)
{
    Gathered gathered = {0};
    gather_short(vectors, &gathered, terms, factors, count);
    Vector sum = finish_sum(vectors, &gathered);
    array_clear(&gathered.terms);
    return sum;
}

Vector vector_add(Vectors *vectors, Vector a, Vector b)
{
    return vector_sum(vectors, (Vector[]){a, b}, NULL, 2);
}

Vector vector_sub(Vectors *vectors, Vector a, Vector b)
{
    Expr factors[] = {expr_int(vectors->pool, 1), expr_int(vectors->pool, -1)};
    return vector_sum(vectors, (Vector[]){a, b}, factors, 2);
}

Vector vector_scaled(Vectors *vectors, Expr factor, Vector v)
{
    return vector_sum(vectors, &v, &factor, 1);
}

Frame vector_home(const Vectors *vectors, Vector v)
{
    return node_of(vectors, v)->home;
}

size_t vector_term_count(const Vectors *vectors, Vector v)
{
    return node_of(vectors, v)->count;
}

Vector vector_term(const Vectors *vectors, Vector v, size_t index, Expr *factor)
{
    const VectorNode *node = node_of(vectors, v);
    assert(index < node->count);
    Term term = vectors->terms.at[node->first + index];
    *factor = term.factor;
    return term.vector;
}

// ---- Components. A request waits on the stack until what it needs is there.

// Whether a frame hangs on another by more than one step.
static bool is_far_below(const Vectors *vectors, Frame upper, Frame lower)
{
    return lower.at > upper.at && frame_parent(vectors, lower).at != upper.at &&
           frame_is_above(vectors, upper, lower);
}

// What must be known before v can be seen in `frame`: false where something is missing, which
// has been put on the stack then.
static bool needs_are_met(Vectors *vectors, Vector v, Frame frame)
{
    const VectorNode node = *node_of(vectors, v);
    Vec known;
    // Far down from its home it is turned step by step, and each step remembered.
    Frame above = frame_parent(vectors, frame);
    if (is_far_below(vectors, node.home, frame)) {
        if (find_view(vectors, v, above, &known))
            return true;
        array_push(&vectors->stack, ((Request){v, above}));
        return false;
    }
    // Downwards from its home a sum is turned as a whole; elsewhere each term by itself.
    if (node.count == 0 ||
        (node.home.at != frame.at && frame_is_above(vectors, node.home, frame))) {
        if (find_view(vectors, v, node.home, &known))
            return true;
        array_push(&vectors->stack, ((Request){v, node.home}));
        return false;
    }
    bool met = true;
    for (size_t i = 0; i < node.count; i++) {
        Vector term = vectors->terms.at[node.first + i].vector;
        if (!find_view(vectors, term, frame, &known)) {
            array_push(&vectors->stack, ((Request){term, frame}));
            met = false;
        }
    }
    return met;
}

static Vec make_view(Vectors *vectors, Vector v, Frame frame)
{
    ExprPool *pool = vectors->pool;
    const VectorNode node = *node_of(vectors, v);
    Vec known;
    Frame above = frame_parent(vectors, frame);
    if (is_far_below(vectors, node.home, frame) && find_view(vectors, v, above, &known))
        return frame_turn(vectors, known, above, frame);
    if (find_view(vectors, v, node.home, &known) &&
        (node.count == 0 || frame_is_above(vectors, node.home, frame)))
        return frame_turn(vectors, known, node.home, frame);
    Expr *parts = base_alloc(3 * node.count * sizeof *parts);
    for (size_t i = 0; i < node.count; i++) {
        Term term = vectors->terms.at[node.first + i];
        bool found = find_view(vectors, term.vector, frame, &known);
        assert(found);
        (void)found;
        Vec scaled = vec_scaled(pool, term.factor, known);
        parts[i] = scaled.x;
        parts[node.count + i] = scaled.y;
        parts[2 * node.count + i] = scaled.z;
    }
    Vec sum = {expr_sum(pool, parts, node.count), expr_sum(pool, parts + node.count, node.count),
               expr_sum(pool, parts + 2 * node.count, node.count)};
    base_free(parts);
    return sum;
}

Vec vector_in(Vectors *vectors, Vector v, Frame frame)
{
    Vec components;
    if (find_view(vectors, v, frame, &components))
        return components;
    if (!node_of(vectors, v)->name && vector_is_zero(vectors, v))
        return part_of(vectors, v);
    size_t bottom = vectors->stack.count;
    array_push(&vectors->stack, ((Request){v, frame}));
    while (vectors->stack.count > bottom) {
        Request request = vectors->stack.at[vectors->stack.count - 1];
        if (find_view(vectors, request.vector, request.frame, &components)) {
            vectors->stack.count--;
        } else if (node_of(vectors, request.vector)->name) {
            add_arbitrary_view(vectors, request.vector, request.frame);
        } else if (needs_are_met(vectors, request.vector, request.frame)) {
            components = make_view(vectors, request.vector, request.frame);
            vectors_remember(vectors, request.vector, request.frame, components);
        }
    }
    return components;
}

// ---- Products.

Expr vector_dot(Vectors *vectors, Vector a, Vector b)
{
    ExprPool *pool = vectors->pool;
    if (vector_is_zero(vectors, a) || vector_is_zero(vectors, b))
        return expr_int(pool, 0);
    Frame frame = frame_join(vectors, vector_home(vectors, a), vector_home(vectors, b));
    return vec_dot(pool, vector_in(vectors, a, frame), vector_in(vectors, b, frame));
}

Expr vec_dot(ExprPool *pool, Vec a, Vec b)
{
    Expr terms[] = {expr_mul(pool, a.x, b.x), expr_mul(pool, a.y, b.y), expr_mul(pool, a.z, b.z)};
    return expr_sum(pool, terms, 3);
}

static Expr minor(ExprPool *pool, Expr a, Expr b, Expr c, Expr d)
{
    return expr_sub(pool, expr_mul(pool, a, b), expr_mul(pool, c, d));
}

Vec vec_cross(ExprPool *pool, Vec a, Vec b)
{
    return (Vec){minor(pool, a.y, b.z, a.z, b.y), minor(pool, a.z, b.x, a.x, b.z),
                 minor(pool, a.x, b.y, a.y, b.x)};
}

Vector vector_cross(Vectors *vectors, Vector a, Vector b)
{
    if (vector_is_zero(vectors, a) || vector_is_zero(vectors, b))
        return vector_zero(vectors);
    Frame frame = frame_join(vectors, vector_home(vectors, a), vector_home(vectors, b));
    Vec product =
        vec_cross(vectors->pool, vector_in(vectors, a, frame), vector_in(vectors, b, frame));
    return vector_of(vectors, frame, product);
}

// ---- Derivatives.

static Vector part_rate(Vectors *vectors, Vector v)
{
    ExprPool *pool = vectors->pool;
    Frame home = vector_home(vectors, v);
    Vec part = part_of(vectors, v);
    Vec rate = {expr_rate(vectors->dt, part.x), expr_rate(vectors->dt, part.y),
                expr_rate(vectors->dt, part.z)};
    if (home.at) {
        Vec omega = vector_in(vectors, frame_omega(vectors, home), home);
        rate = vec_add(pool, rate, vec_cross(pool, omega, part));
    }
    return vector_of(vectors, home, rate);
}

static Vector sum_rate(Vectors *vectors, const VectorNode *node)
{
    Vector *terms = base_alloc(2 * node->count * sizeof *terms);
    Expr *factors = base_alloc(2 * node->count * sizeof *factors);
    size_t count = 0;
    for (size_t i = 0; i < node->count; i++) {
        Term term = vectors->terms.at[node->first + i];
        Expr changes = expr_rate(vectors->dt, term.factor);
        terms[count] = node_of(vectors, term.vector)->rate;
        factors[count++] = term.factor;
        if (!expr_is_zero(vectors->pool, changes)) {
            terms[count] = term.vector;
            factors[count++] = changes;
        }
    }
    Vector rate = vector_sum(vectors, terms, factors, count);
    base_free(terms);
    base_free(factors);
    return rate;
}

Vector vector_rate(Vectors *vectors, Vector v)
{
    ARRAY(Vector) stack = {0};
    array_push(&stack, v);
    while (stack.count > 0) {
        Vector top = stack.at[stack.count - 1];
        const VectorNode node = *node_of(vectors, top);
        size_t before = stack.count;
        for (size_t i = 0; i < node.count && !node.rate.at; i++) {
            Vector term = vectors->terms.at[node.first + i].vector;
            if (!node_of(vectors, term)->rate.at)
                array_push(&stack, term);
        }
        if (stack.count > before)
            continue;
        stack.count--;
        if (!node.rate.at) {
            Vector rate = node.count ? sum_rate(vectors, &node) : part_rate(vectors, top);
            node_of(vectors, top)->rate = rate;
        }
    }
    array_clear(&stack);
    return node_of(vectors, v)->rate;
}
