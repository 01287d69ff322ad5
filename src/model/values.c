// values.c: arithmetic with types. Scalars, vectors and points combine as in geometry, and a
// mistake is one sentence.
#include "model/model_impl.h"

Value value_bad(void)
{
    return (Value){.kind = VALUE_BAD, .order = -1};
}

Value value_scalar(Expr scalar)
{
    return (Value){.kind = VALUE_SCALAR, .order = -1, .scalar = scalar};
}

Value value_of_vector(ValueKind kind, Vector vector)
{
    return (Value){.kind = kind, .order = -1, .vector = vector};
}

Value value_zero_vector(Elaborator *e, ValueKind kind)
{
    return value_of_vector(kind, vector_zero(e->model->vectors));
}

const char *value_kind_name(ValueKind kind)
{
    static const char *const names[] = {
        [VALUE_BAD] = "an error",      [VALUE_SCALAR] = "a scalar", [VALUE_VECTOR] = "a vector",
        [VALUE_POINT] = "a point",     [VALUE_FRAME] = "a frame",   [VALUE_FAMILY] = "an array",
        [VALUE_WORD] = "a multiplier", [VALUE_BODY] = "a body",     [VALUE_PART] = "a part",
        [VALUE_MATRIX] = "a matrix",
    };
    return names[kind];
}

bool value_integer(Elaborator *e, const Value *value, int64_t *integer)
{
    const int64_t largest = (int64_t)1 << 48; // room to multiply indices without overflow
    *integer = 0;
    return value->kind == VALUE_SCALAR && expr_get_int(e->pool, value->scalar, integer) &&
           *integer <= largest && *integer >= -largest;
}

void value_mark(Value *a, const Value *b)
{
    a->order = b->order > a->order ? b->order : a->order;
    a->timed = a->timed || b->timed;
    a->multiplier = a->multiplier || b->multiplier;
    a->domains |= b->domains;
}

static Value fail_value(Elaborator *e, Place place, const char *message)
{
    elaborate_fail(e, place, "%s", message);
    return value_bad();
}

static bool is_zero(const Elaborator *e, const Value *value)
{
    return value->kind == VALUE_SCALAR && expr_is_zero(e->pool, value->scalar);
}

// ---- One thing where another was expected.

// What may have been meant by a thing of this kind.
static const char *kind_advice(ValueKind kind, ValueKind wanted)
{
    if (kind == VALUE_FRAME && wanted == VALUE_BODY)
        return "; a body is made with 'body B frame F …'";
    if (kind == VALUE_FRAME && wanted == VALUE_POINT)
        return "; a frame has axes but no place";
    if (kind == VALUE_FRAME)
        return "; the axes of a frame F are F.x, F.y, F.z";
    if (kind == VALUE_BODY && wanted == VALUE_FRAME)
        return "; name the frame that the body was made with";
    if (kind == VALUE_BODY && wanted == VALUE_POINT)
        return "; name the point that the body was placed at";
    return "";
}

static Value fail_not(Elaborator *e, const Value *a, Place place, const char *what,
                      const char *wanted, const char *advice)
{
    if (a->kind == VALUE_FAMILY && e->names.at[a->family].rank == 2 && value_is_matrix(e, a)) {
        Shown name = text_shown(e->names.at[a->family].name);
        elaborate_fail(e, place, "'%s' is %s; an element is written %s[1,1]", name.at,
                       value_size_name(e, a), name.at);
    } else if (a->kind == VALUE_MATRIX) {
        elaborate_fail(e, place, "%s must be %s, not %s", what, wanted, value_size_name(e, a));
    } else if (a->kind == VALUE_FAMILY) {
        Shown name = text_shown(e->names.at[a->family].name);
        elaborate_fail(e, place, "'%s' is an array; an element is written %s[1]", name.at, name.at);
    } else if (a->kind != VALUE_BAD) {
        elaborate_fail(e, place, "%s must be %s, not %s%s", what, wanted, value_kind_name(a->kind),
                       advice);
    }
    return value_bad();
}

Value value_fail_kind(Elaborator *e, const Value *a, Place place, const char *what,
                      ValueKind wanted)
{
    return fail_not(e, a, place, what, value_kind_name(wanted), kind_advice(a->kind, wanted));
}

// For what may be a scalar or a vector.
static Value fail_operand(Elaborator *e, const Value *a, Place place, const char *what)
{
    return fail_not(e, a, place, what, "a scalar or a vector", kind_advice(a->kind, VALUE_VECTOR));
}

Value value_as_scalar(Elaborator *e, Value a, Place place, const char *what)
{
    if (a.kind == VALUE_BAD || a.kind == VALUE_SCALAR)
        return a;
    if (value_take_only(e, &a))
        return a;
    return value_fail_kind(e, &a, place, what, VALUE_SCALAR);
}

// A column of three is the vector with these components along world's axes.
static Value vector_of_column(Elaborator *e, Value a, Place place, const char *what)
{
    Value column = a;
    value_to_matrix(e, &column);
    if (column.rows == 3 && column.columns == 1) {
        Vec parts = {column.entries[0], column.entries[1], column.entries[2]};
        Value vector =
            value_of_vector(VALUE_VECTOR, vector_of(e->model->vectors, (Frame){0}, parts));
        value_mark(&vector, &column);
        Value entries[3] = {
            {.dim = column.dims[0]}, {.dim = column.dims[1]}, {.dim = column.dims[2]}};
        Place places[3] = {place, place, place};
        bool good = dim_sum(e, entries, 3, places, "a component is %s and %s %s", &vector.dim);
        return good ? vector : value_bad();
    }
    if (a.kind == VALUE_FAMILY || column.columns > 1)
        return value_fail_kind(e, &a, place, what, VALUE_VECTOR);
    elaborate_fail(e, place, "a vector has three components, not %u", column.rows);
    return value_bad();
}

Value value_as_vector(Elaborator *e, Value a, Place place, const char *what)
{
    if (a.kind == VALUE_BAD || a.kind == VALUE_VECTOR)
        return a;
    if (value_is_matrix(e, &a))
        return vector_of_column(e, a, place, what);
    if (is_zero(e, &a)) {
        Value zero = value_zero_vector(e, VALUE_VECTOR);
        zero.dim = a.dim;
        return zero;
    }
    if (a.kind != VALUE_POINT)
        return value_fail_kind(e, &a, place, what, VALUE_VECTOR);
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
        a = value_zero_vector(e, VALUE_POINT);
    else if (value_is_matrix(e, &a))
        a = vector_of_column(e, a, place, what);
    if (a.kind == VALUE_BAD)
        return a;
    if (a.kind == VALUE_POINT)
        a.dim = dim_of(0, 1, 0);
    else if (a.kind != VALUE_VECTOR)
        return value_fail_kind(e, &a, place, what, VALUE_POINT);
    else if (!dim_check(e, a.dim, dim_of(0, 1, 0), place, what))
        return value_bad();
    a.kind = VALUE_POINT;
    a.dim = dim_of(0, 1, 0);
    return a;
}

bool value_within(Elaborator *e, const Value *a, Level level, Place place, const char *what)
{
    if (level == LEVEL_ALL)
        return true;
    StatementKind kind = e->statement ? e->statement->kind : STATEMENT_EQUATION;
    bool force =
        level == LEVEL_VELOCITY && (kind == STATEMENT_FORCE || kind == STATEMENT_TORQUE ||
                                    kind == STATEMENT_FRICTION || kind == STATEMENT_ASSIGN);
    if (a->multiplier && !force)
        return elaborate_fail(e, place,
                              "%s may not hold a reaction; it may stand in forces, events and "
                              "outputs",
                              what);
    if (a->order == 2)
        return elaborate_fail(e, place,
                              "%s holds second derivatives; they may stand only in 'constraint', "
                              "'acceleration_energy' and 'output'",
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
    case VALUE_SCALAR: a.scalar = expr_neg(e->pool, a.scalar); return a;
    case VALUE_VECTOR:
        a.vector = vector_scaled(e->model->vectors, expr_int(e->pool, -1), a.vector);
        return a;
    case VALUE_POINT:
        return fail_value(e, place,
                          "a point has no negative; its vector from the origin is 'P - origin'");
    default:
        return value_is_matrix(e, &a) ? matrix_negative(e, a)
                                      : fail_operand(e, &a, place, "what has a sign");
    }
}

// Whether the bare name of an array has two indices.
static bool is_square_array(const Elaborator *e, const Value *a)
{
    return e->names.at[a->family].rank == 2;
}

Value value_power(Elaborator *e, Value a, Value b, Place place)
{
    if (a.kind == VALUE_BAD || b.kind == VALUE_BAD)
        return value_bad();
    if (a.kind == VALUE_VECTOR || (a.kind == VALUE_MATRIX && a.columns == 1 && a.rows > 1))
        return fail_value(e, place,
                          a.kind == VALUE_VECTOR
                              ? "a vector has no powers; its square is dot(v, v)"
                              : "a column has no powers; its square is dot(u, u)");
    if (value_is_matrix(e, &a) && (a.kind == VALUE_MATRIX ? a.columns > 1 : is_square_array(e, &a)))
        return fail_value(e, place, "a matrix has no powers; write K*K");
    a = value_as_scalar(e, a, place, "the base of a power");
    b = value_as_scalar(e, b, place, "an exponent");
    if (a.kind == VALUE_BAD || b.kind == VALUE_BAD)
        return value_bad();
    int64_t exponent;
    bool number = expr_is_number(e->pool, b.scalar);
    if (is_zero(e, &a) && number && value_integer(e, &b, &exponent) && exponent < 0)
        return fail_value(e, place, "this divides by zero");
    Dim dim;
    if (!dim_raise(e, a, b, place, &dim))
        return value_bad();
    a.dim = dim;
    a.scalar = expr_pow(e->pool, a.scalar, b.scalar);
    value_mark(&a, &b);
    return a;
}

// The rate of a jump is no number.
static bool jumps(const Elaborator *e, Expr scalar, Expr *call)
{
    bool found = expr_jumps(e->pool, scalar, &e->model->t, 1, call);
    for (size_t i = 0; i < e->model->coords.count && !found; i++)
        found = expr_jumps(e->pool, scalar, &e->model->coords.at[i].q, 1, call);
    return found;
}

static Value fail_jump(Elaborator *e, Expr call, Place place)
{
    Text name = {0};
    expr_print(e->pool, call, &name);
    elaborate_fail(e, place, "this jumps with %s, and has no derivative there", name.at);
    text_clear(&name);
    return value_bad();
}

Value value_prime(Elaborator *e, Value a, uint32_t times, Place place)
{
    Expr call;
    if (a.kind == VALUE_BAD)
        return a;
    if (a.kind == VALUE_POINT)
        return fail_value(e, place, "a point has no derivative; its velocity is velocity(P)");
    if (value_is_matrix(e, &a))
        return matrix_prime(e, a, times, place);
    if (a.kind != VALUE_SCALAR && a.kind != VALUE_VECTOR)
        return fail_operand(e, &a, place, "what is differentiated");
    if (a.multiplier)
        return fail_value(e, place, "a multiplier cannot be differentiated");
    if (times > 2 || (a.order >= 0 && a.order + (int)times > 2))
        return fail_value(e, place, "there are no derivatives above the second");
    if (a.kind == VALUE_SCALAR && jumps(e, a.scalar, &call))
        return fail_jump(e, call, place);
    for (uint32_t i = 0; i < times; i++) {
        if (a.kind == VALUE_SCALAR)
            a.scalar = expr_rate(e->model->dt, a.scalar);
        else
            a.vector = vector_rate(e->model->vectors, a.vector);
    }
    a.dim = dim_over(a.dim, dim_of(0, 0, (int)times));
    if (a.order >= 0)
        a.order = (int8_t)(a.order + (int8_t)times);
    return a;
}

static bool fail_term(Elaborator *e, const Value *term, Place place)
{
    fail_operand(e, term, place, "a term of a sum");
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

static Expr sum_of_scalars(Elaborator *e, const Value *terms, const bool *inverse, size_t count)
{
    e->exprs.count = 0;
    for (size_t i = 0; i < count; i++) {
        Expr term = terms[i].scalar;
        array_push(&e->exprs, inverse && inverse[i] ? expr_neg(e->pool, term) : term);
    }
    return expr_sum(e->pool, e->exprs.at, e->exprs.count);
}

// A scalar among the terms is the zero vector.
static Vector sum_of_vectors(Elaborator *e, const Value *terms, const bool *inverse, size_t count)
{
    Vector *vectors = base_alloc((count + 1) * sizeof *vectors);
    size_t kept = 0;
    e->exprs.count = 0;
    for (size_t i = 0; i < count; i++) {
        if (terms[i].kind == VALUE_SCALAR)
            continue;
        vectors[kept++] = terms[i].vector;
        array_push(&e->exprs, expr_int(e->pool, inverse && inverse[i] ? -1 : 1));
    }
    Vector sum = vector_sum(e->model->vectors, vectors, e->exprs.at, kept);
    base_free(vectors);
    return sum;
}

static bool has_scalar(const Elaborator *e, const Value *terms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (terms[i].kind == VALUE_SCALAR && !is_zero(e, &terms[i]))
            return true;
    return false;
}

// Columns of one entry are numbers beside numbers.
static Value sum_with_scalars(Elaborator *e, const Value *terms, const bool *inverse, size_t count,
                              const Place *places)
{
    Value *plain = base_alloc(count * sizeof *plain), sum;
    bool all = true;
    for (size_t i = 0; i < count; i++) {
        plain[i] = terms[i];
        all = (!value_is_matrix(e, &terms[i]) || value_take_only(e, &plain[i])) && all;
    }
    sum = all ? value_sum(e, plain, inverse, count, places)
              : matrix_sum(e, terms, inverse, count, places);
    base_free(plain);
    return sum;
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
    for (size_t i = 0; i < count; i++)
        if (value_is_matrix(e, &terms[i]))
            return has_scalar(e, terms, count) ? sum_with_scalars(e, terms, inverse, count, places)
                                               : matrix_sum(e, terms, inverse, count, places);
    ValueKind kind = VALUE_BAD;
    if (!sum_kind(e, terms, inverse, count, places, &kind) ||
        !dim_sum(e, terms, count, places, "this term is %s and %s %s", &sum.dim))
        return value_bad();
    sum.kind = kind;
    if (kind == VALUE_SCALAR)
        sum.scalar = sum_of_scalars(e, terms, inverse, count);
    else
        sum.vector = sum_of_vectors(e, terms, inverse, count);
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
    return fail_operand(e, factor, place, "a factor");
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
    for (size_t i = 0; i < count; i++)
        if (value_is_matrix(e, &factors[i]))
            return matrix_product(e, factors, inverse, count, places);
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
            Expr x = factor->scalar;
            array_push(&e->exprs, divides ? expr_pow_int(e->pool, x, -1) : x);
        }
        product.dim =
            divides ? dim_over(product.dim, factor->dim) : dim_times(product.dim, factor->dim);
    }
    product.scalar = expr_product(e->pool, e->exprs.at, e->exprs.count);
    if (vector) {
        product.kind = VALUE_VECTOR;
        product.vector = vector_scaled(e->model->vectors, product.scalar, vector->vector);
    }
    return product;
}
