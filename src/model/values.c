// values.c: arithmetic with types. Scalars, vectors and points combine as in geometry, and a
// mistake is one sentence.
#include "model/model_impl.h"

#include <stdlib.h>

Value value_bad(void)
{
    return (Value){.kind = VALUE_BAD, .order = -1};
}

Value value_scalar(Expr scalar)
{
    return (Value){.kind = VALUE_SCALAR, .order = -1, .vector = {.x = scalar}};
}

Value value_zero_vector(Elaborator *e, ValueKind kind)
{
    Expr zero = expr_int(e->pool, 0);
    return (Value){.kind = kind, .order = -1, .vector = {zero, zero, zero}};
}

const char *value_kind_name(ValueKind kind)
{
    static const char *const names[] = {
        [VALUE_BAD] = "an error",      [VALUE_SCALAR] = "a scalar", [VALUE_VECTOR] = "a vector",
        [VALUE_POINT] = "a point",     [VALUE_FRAME] = "a frame",   [VALUE_FAMILY] = "an array",
        [VALUE_WORD] = "a multiplier",
    };
    return names[kind];
}

// The number is printed and read, because what numbers are made of is not seen in this room.
bool value_integer(Elaborator *e, const Value *value, int64_t *integer)
{
    if (value->kind != VALUE_SCALAR || !expr_is_number(e->pool, value->vector.x))
        return false;
    Text text = {0};
    expr_print(e->pool, value->vector.x, &text);
    char *end;
    bool good = text.length < 16;
    *integer = good ? strtoll(text.at, &end, 10) : 0;
    good = good && *end == '\0';
    text_clear(&text);
    return good;
}

void value_mark(Value *a, const Value *b)
{
    a->order = b->order > a->order ? b->order : a->order;
    a->timed = a->timed || b->timed;
    a->multiplier = a->multiplier || b->multiplier;
}

static Value fail_value(Elaborator *e, Place place, const char *message)
{
    elaborate_fail(e, place, "%s", message);
    return value_bad();
}

static bool is_zero(const Elaborator *e, const Value *value)
{
    return value->kind == VALUE_SCALAR && expr_is_zero(e->pool, value->vector.x);
}

// ---- One thing where another was expected.

static Value fail_kind(Elaborator *e, const Value *a, Place place, const char *what,
                       const char *wanted)
{
    if (a->kind == VALUE_FAMILY) {
        Shown name = text_shown(e->names.at[a->family].name);
        elaborate_fail(e, place, "'%s' is an array; an element is written %s[1]", name.at, name.at);
    } else if (a->kind == VALUE_FRAME) {
        elaborate_fail(e, place,
                       "%s must be %s, not a frame; the axes of a frame F are F.x, F.y, F.z", what,
                       wanted);
    } else {
        elaborate_fail(e, place, "%s must be %s, not %s", what, wanted, value_kind_name(a->kind));
    }
    return value_bad();
}

Value value_as_scalar(Elaborator *e, Value a, Place place, const char *what)
{
    if (a.kind == VALUE_BAD || a.kind == VALUE_SCALAR)
        return a;
    return fail_kind(e, &a, place, what, "a scalar");
}

Value value_as_vector(Elaborator *e, Value a, Place place, const char *what)
{
    if (a.kind == VALUE_BAD || a.kind == VALUE_VECTOR)
        return a;
    if (is_zero(e, &a))
        return value_zero_vector(e, VALUE_VECTOR);
    if (a.kind != VALUE_POINT)
        return fail_kind(e, &a, place, what, "a vector");
    Shown text = text_shown(syntax_text(e->syntax, place.start, place.length));
    elaborate_fail(e, place,
                   "%s must be a vector, not a point; its vector from the origin is "
                   "'%s - origin'",
                   what, text.at);
    return value_bad();
}

Value value_as_point(Elaborator *e, Value a, Place place, const char *what)
{
    if (a.kind == VALUE_BAD || a.kind == VALUE_POINT)
        return a;
    if (is_zero(e, &a))
        return value_zero_vector(e, VALUE_POINT);
    if (a.kind != VALUE_VECTOR)
        return fail_kind(e, &a, place, what, "a point");
    a.kind = VALUE_POINT;
    return a;
}

bool value_within(Elaborator *e, const Value *a, Level level, Place place, const char *what)
{
    if (level == LEVEL_ALL)
        return true;
    if (a->multiplier)
        return elaborate_fail(e, place, "multipliers are known only in 'output'");
    if (a->order == 2)
        return elaborate_fail(e, place,
                              "%s holds second derivatives; they may stand only in 'constraint' "
                              "and 'output'",
                              what);
    static const char *const held[] = {[LEVEL_TIME] = "the time t",
                                       [LEVEL_PLACE] = "coordinates",
                                       [LEVEL_VELOCITY] = "velocities"};
    Level holds = a->order == 1   ? LEVEL_VELOCITY
                  : a->order == 0 ? LEVEL_PLACE
                  : a->timed      ? LEVEL_TIME
                                  : LEVEL_PARAM;
    if (holds <= level)
        return true;
    if (level == LEVEL_PARAM)
        return elaborate_fail(e, place, "%s is made of numbers and parameters, without %s", what,
                              held[holds]);
    return elaborate_fail(e, place, "%s may not hold %s", what, held[holds]);
}

// ---- Arithmetic.

Value value_negative(Elaborator *e, Value a, Place place)
{
    switch (a.kind) {
    case VALUE_BAD: return a;
    case VALUE_SCALAR: a.vector.x = expr_neg(e->pool, a.vector.x); return a;
    case VALUE_VECTOR:
        a.vector.x = expr_neg(e->pool, a.vector.x);
        a.vector.y = expr_neg(e->pool, a.vector.y);
        a.vector.z = expr_neg(e->pool, a.vector.z);
        return a;
    case VALUE_POINT:
        return fail_value(e, place,
                          "a point has no negative; its vector from the origin is 'P - origin'");
    default: return fail_kind(e, &a, place, "what has a sign", "a scalar or a vector");
    }
}

Value value_power(Elaborator *e, Value a, Value b, Place place)
{
    if (a.kind == VALUE_BAD || b.kind == VALUE_BAD)
        return value_bad();
    if (a.kind == VALUE_VECTOR)
        return fail_value(e, place, "a vector has no powers; its square is dot(v, v)");
    a = value_as_scalar(e, a, place, "the base of a power");
    b = value_as_scalar(e, b, place, "an exponent");
    if (a.kind == VALUE_BAD || b.kind == VALUE_BAD)
        return value_bad();
    int64_t exponent;
    bool number = expr_is_number(e->pool, b.vector.x);
    if (is_zero(e, &a) && number && value_integer(e, &b, &exponent) && exponent < 0)
        return fail_value(e, place, "this divides by zero");
    a.vector.x = expr_pow(e->pool, a.vector.x, b.vector.x);
    value_mark(&a, &b);
    return a;
}

// Rates of all coordinates so far; made anew when there are more.
static ExprRates *current_rates(Elaborator *e)
{
    if (e->rates && e->rates_coords == e->model->coords.count)
        return e->rates;
    expr_rates_free(e->rates);
    e->rates = expr_rates_new(e->pool);
    e->rates_coords = e->model->coords.count;
    expr_rates_set(e->rates, e->model->t, expr_int(e->pool, 1));
    for (size_t i = 0; i < e->rates_coords; i++) {
        const ModelCoord *coord = &e->model->coords.at[i];
        expr_rates_set(e->rates, coord->q, coord->v);
        expr_rates_set(e->rates, coord->v, coord->a);
    }
    return e->rates;
}

Value value_prime(Elaborator *e, Value a, uint32_t times, Place place)
{
    if (a.kind == VALUE_BAD)
        return a;
    if (a.kind == VALUE_POINT)
        return fail_value(e, place, "a point has no derivative; its velocity is velocity(P)");
    if (a.kind != VALUE_SCALAR && a.kind != VALUE_VECTOR)
        return fail_kind(e, &a, place, "what is differentiated", "a scalar or a vector");
    if (a.multiplier)
        return fail_value(e, place, "a multiplier cannot be differentiated");
    if (times > 2 || (a.order >= 0 && a.order + (int)times > 2))
        return fail_value(e, place, "there are no derivatives above the second");
    ExprRates *rates = current_rates(e);
    for (uint32_t i = 0; i < times; i++) {
        a.vector.x = expr_rate(rates, a.vector.x);
        if (a.kind == VALUE_SCALAR)
            continue;
        a.vector.y = expr_rate(rates, a.vector.y);
        a.vector.z = expr_rate(rates, a.vector.z);
    }
    if (a.order >= 0)
        a.order = (int8_t)(a.order + (int8_t)times);
    return a;
}

static bool fail_term(Elaborator *e, const Value *term, Place place)
{
    fail_kind(e, term, place, "a term of a sum", "a scalar or a vector");
    return false;
}

// What a sum of these is: points count by their signs.
static bool sum_kind(Elaborator *e, const Value *terms, const bool *inverse, size_t count,
                     const Place *places, ValueKind *kind)
{
    int64_t points = 0;
    size_t scalar = count, other = count;
    for (size_t i = 0; i < count; i++) {
        if (terms[i].kind == VALUE_POINT)
            points += inverse && inverse[i] ? -1 : 1;
        if (terms[i].kind == VALUE_POINT || terms[i].kind == VALUE_VECTOR)
            other = other == count ? i : other;
        else if (terms[i].kind != VALUE_SCALAR)
            return fail_term(e, &terms[i], places[i]);
        else if (!is_zero(e, &terms[i]))
            scalar = scalar == count ? i : scalar;
    }
    if (other < count && scalar < count)
        return elaborate_fail(e, places[other > scalar ? other : scalar],
                              "a scalar and %s cannot be added",
                              value_kind_name(terms[other].kind));
    if (points != 0 && points != 1)
        return elaborate_fail(e, place_between(places[0], places[count - 1]),
                              "points cannot be added; a point minus a point is a vector, a point "
                              "plus a vector is a point");
    *kind = points == 1 ? VALUE_POINT : other < count ? VALUE_VECTOR : VALUE_SCALAR;
    return true;
}

static Expr component(Elaborator *e, const Value *value, int axis)
{
    if (value->kind == VALUE_SCALAR && axis > 0)
        return expr_int(e->pool, 0);
    return axis == 0 ? value->vector.x : axis == 1 ? value->vector.y : value->vector.z;
}

Value value_sum(Elaborator *e, const Value *terms, const bool *inverse, size_t count,
                const Place *places)
{
    Value sum = value_scalar(expr_int(e->pool, 0));
    for (size_t i = 0; i < count; i++) {
        if (terms[i].kind == VALUE_BAD)
            return value_bad();
        value_mark(&sum, &terms[i]);
    }
    ValueKind kind = VALUE_BAD;
    if (!sum_kind(e, terms, inverse, count, places, &kind))
        return value_bad();
    sum.kind = kind;
    Expr parts[3] = {{0}};
    for (int axis = 0; axis < (kind == VALUE_SCALAR ? 1 : 3); axis++) {
        e->exprs.count = 0;
        for (size_t i = 0; i < count; i++) {
            Expr part = component(e, &terms[i], axis);
            array_push(&e->exprs, inverse && inverse[i] ? expr_neg(e->pool, part) : part);
        }
        parts[axis] = expr_sum(e->pool, e->exprs.at, e->exprs.count);
    }
    sum.vector = (Vec){parts[0], parts[1], parts[2]};
    return sum;
}

static Value fail_factor(Elaborator *e, const Value *factor, Place place, bool second)
{
    if (factor->kind == VALUE_POINT)
        return fail_value(e, place,
                          "a point cannot be multiplied; its vector from the origin is "
                          "'P - origin'");
    if (second)
        return fail_value(e, place,
                          "two vectors are multiplied with dot(u, v) or cross(u, v), not '*'");
    if (factor->kind == VALUE_VECTOR)
        return fail_value(e, place, "this divides by a vector");
    return fail_kind(e, factor, place, "a factor", "a scalar or a vector");
}

Value value_product(Elaborator *e, const Value *factors, const bool *inverse, size_t count,
                    const Place *places)
{
    Value product = value_scalar((Expr){0});
    const Value *vector = NULL;
    e->exprs.count = 0;
    for (size_t i = 0; i < count; i++)
        if (factors[i].kind == VALUE_BAD)
            return value_bad();
    for (size_t i = 0; i < count; i++) {
        const Value *factor = &factors[i];
        bool divides = inverse && inverse[i];
        value_mark(&product, factor);
        if (factor->kind == VALUE_VECTOR && !vector && !divides) {
            vector = factor;
        } else if (factor->kind != VALUE_SCALAR) {
            return fail_factor(e, factor, places[i], vector && factor->kind == VALUE_VECTOR);
        } else if (divides && is_zero(e, factor)) {
            return fail_value(e, places[i], "this divides by zero");
        } else {
            Expr x = factor->vector.x;
            array_push(&e->exprs, divides ? expr_pow_int(e->pool, x, -1) : x);
        }
    }
    if (!vector) {
        product.vector.x = expr_product(e->pool, e->exprs.at, e->exprs.count);
        return product;
    }
    product.kind = VALUE_VECTOR;
    Expr parts[3];
    for (int axis = 0; axis < 3; axis++) {
        array_push(&e->exprs, component(e, vector, axis));
        parts[axis] = expr_product(e->pool, e->exprs.at, e->exprs.count);
        e->exprs.count--;
    }
    product.vector = (Vec){parts[0], parts[1], parts[2]};
    return product;
}
